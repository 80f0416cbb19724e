"""The closed, ordered vocabulary of scalar functions that a `Map` may apply.

Promises: a tree keeps the order it was written in (SymPy would turn e/z into e*z**-1, and operation-by-operation
study would be lost). Does not promise: any simplification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

UNARY = ("neg", "exp", "log", "sqrt", "tanh", "cos", "sin", "erf")
BINARY = ("add", "sub", "mul", "div", "max2")
# Every scalar function of a reading's table: the names above, a rational power, and the leaves.
SCALAR_OPS = (*UNARY, *BINARY, "pow")


@dataclass(frozen=True)
class Num:
    """An exact rational number; `text` is how it was written (0.50 keeps its zero), "" when it was not."""

    value: Fraction
    text: str = ""


@dataclass(frozen=True)
class Size:
    """The size symbol of a space, as a number."""

    name: str


@dataclass(frozen=True)
class Arg:
    """One of the map's arguments, by name."""

    name: str


@dataclass(frozen=True)
class Unary:
    """`op` is one of UNARY."""

    op: str
    x: Scalar


@dataclass(frozen=True)
class Binary:
    """`op` is one of BINARY; max2 is the larger of two."""

    op: str
    a: Scalar
    b: Scalar


@dataclass(frozen=True)
class Power:
    """x to a fixed rational exponent."""

    x: Scalar
    exponent: Fraction


Scalar = Num | Size | Arg | Unary | Binary | Power
T = TypeVar("T")


def fold(
    tree: Scalar,
    *,
    num: Callable[[Num], T],
    size: Callable[[str], T],
    arg: Callable[[str], T],
    unary: Callable[[str, T], T],
    binary: Callable[[str, T, T], T],
    power: Callable[[T, Fraction], T],
) -> T:
    """The value of `tree` when each kind of node is read by the function given for it."""

    def go(t: Scalar) -> T:
        match t:
            case Num():
                return num(t)
            case Size(name):
                return size(name)
            case Arg(name):
                return arg(name)
            case Unary(op, x):
                return unary(op, go(x))
            case Binary(op, a, b):
                return binary(op, go(a), go(b))
            case Power(x, exponent):
                return power(go(x), exponent)

    return go(tree)


def walk(tree: Scalar) -> Iterator[Scalar]:
    """Every node, parents first, left to right."""
    yield tree
    match tree:
        case Unary(_, x) | Power(x, _):
            yield from walk(x)
        case Binary(_, a, b):
            yield from walk(a)
            yield from walk(b)
        case _:
            pass
