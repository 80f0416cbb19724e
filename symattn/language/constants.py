"""Exact constants of an expression: what `[[1/3, -0.64]]` and the exponent of a power are.

Promises: exact rational arithmetic on bounded numbers, or a `LanguageError` at the place. Does not promise: roots and exponentials;
those are values of stages.
"""

from __future__ import annotations

from fractions import Fraction

from symattn.errors import LanguageError
from symattn.language.ast import Array, Node, Number, Operation, Sign
from symattn.language.limits import MAX_BITS, MAX_EXPONENT

# Exact entries, nested row by row; bool stands in masks only.
Nested = Fraction | bool | tuple["Nested", ...]


def rational(node: Node) -> Fraction | None:
    """The exact value of an expression of numbers, signs and + - * / **, None for any other. Raises LanguageError for a division
    by zero and for a power that is too large."""
    match node:
        case Number(value, _):
            return value
        case Sign(op, x):
            inner = rational(x)
            return None if inner is None else (-inner if op == "-" else inner)
        case Operation("@", _, _):
            return None
        case Operation(op, a, b):
            left, right = rational(a), rational(b)
            if left is None or right is None:
                return None
            return _bounded(_operate(op, left, right, node), node)
        case _:
            return None


def _operate(op: str, a: Fraction, b: Fraction, node: Node) -> Fraction | None:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            if b == 0:
                raise LanguageError("this divides by zero", place=node.place, next_move="change the divisor")
            return a / b
        case _:
            return _power(a, exponent_checked(b, node), node)


def _power(a: Fraction, b: Fraction, node: Node) -> Fraction | None:
    if b.denominator != 1:
        return None
    if a == 0 and b < 0:
        raise LanguageError("this is a negative power of zero", place=node.place, next_move="change the base or the exponent")
    if (a.numerator.bit_length() + a.denominator.bit_length()) * abs(b) > MAX_BITS:
        raise too_large(node)
    return a ** int(b)


def _bounded(value: Fraction | None, node: Node) -> Fraction | None:
    if value is not None and value.numerator.bit_length() + value.denominator.bit_length() > MAX_BITS:
        raise too_large(node)
    return value


def too_large(node: Node) -> LanguageError:
    """The exact number meant here would not fit on a page."""
    return LanguageError(
        f"the exact value here may have more than {MAX_BITS * 3 // 10} digits", place=node.place, next_move="use smaller powers or numbers"
    )


def exponent_checked(value: Fraction, node: Node) -> Fraction:
    """The exponent of a power, when it is in bounds."""
    if abs(value.numerator) > MAX_EXPONENT or value.denominator > MAX_EXPONENT:
        raise LanguageError(
            "the exponent of this power is too large",
            place=node.place,
            next_move=f"exponents are constant fractions with numerator and denominator up to {MAX_EXPONENT}",
        )
    return value


def exponent(node: Operation) -> Fraction:
    """The constant rational exponent of a power node."""
    value = rational(node.b)
    if value is None:
        raise LanguageError(
            "the exponent of this power is not a constant rational number",
            place=node.b.place,
            next_move="write x**2 or x**(1/2); for other powers use exp and log: exp(y * log(x)), exp(y)",
        )
    return exponent_checked(value, node)


def is_literal(node: Node) -> bool:
    """Is this a number, or a vector or matrix of plain numbers?"""
    if isinstance(node, Array):
        return all(is_literal(item) for item in node.items)
    return rational(node) is not None


def literal(node: Array) -> tuple[Nested, ...]:
    """The exact entries of a vector or matrix literal, nested as it is."""
    return tuple(literal(item) if isinstance(item, Array) else _entry(item) for item in node.items)


def _entry(node: Node) -> Fraction:
    value = rational(node)
    if value is None:
        raise LanguageError(
            "an entry of a vector or matrix that is written out is not a plain number",
            place=node.place,
            next_move="write decimals or fractions as entries; give anything else a name of its own",
        )
    return value


def shape_of(value: Nested) -> tuple[int, ...]:
    """The lengths, outermost first."""
    shape: list[int] = []
    while isinstance(value, tuple):
        shape.append(len(value))
        value = value[0]
    return tuple(shape)


def largest_bits(value: Nested) -> int:
    """The bits of the longest entry."""
    if isinstance(value, tuple):
        return max(largest_bits(v) for v in value)
    if isinstance(value, bool):
        return 1
    return value.numerator.bit_length() + value.denominator.bit_length()
