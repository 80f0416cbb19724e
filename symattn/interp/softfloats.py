"""Arithmetic of any float format on exact fractions: every operation rounded once from its exact value, no hardware in it.

Promises: + − × ÷ and roots are rounded from the exact rational or root, exp, log, tanh, cos, sin, erf and powers from a proven
enclosure (Arb), so each result is the correctly rounded one; an invented format works like a known one.
Does not promise: speed, nor signed zeros (a quotient by zero takes the sign of its numerator).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import copysign, inf, isnan, nan
from typing import Any

from symattn.number.elementary import correctly_rounded
from symattn.number.formats import Format, Special, round_fraction

Soft = Fraction | Special
NOTE = "from the exact value, rounded once (correctly rounded by proof, not by hardware)"


def soft_number(fmt: Format) -> Callable[[Fraction], Soft]:
    """The rounding of a rational number to the format."""
    return lambda x: round_fraction(x, fmt)


def soft_rows(fmt: Format) -> dict[str, Callable[..., Soft]]:
    """A row for every scalar function."""

    def finite(value: float) -> Soft:
        """A value that is NaN, infinite or 0, as this format holds it."""
        if isnan(value) or (abs(value) == inf and not fmt.has_inf):
            return Special.NAN
        return Fraction(0) if value == 0 else Special.INF if value > 0 else Special.NEG_INF

    def binary(exact: Callable[[Fraction, Fraction], Fraction], limit: Callable[[float, float], float]) -> Callable[[Soft, Soft], Soft]:
        def row(a: Soft, b: Soft) -> Soft:
            if isinstance(a, Fraction) and isinstance(b, Fraction):
                return round_fraction(exact(a, b), fmt)
            return finite(limit(_shadow(a), _shadow(b)))

        return row

    def divide(a: Soft, b: Soft) -> Soft:
        if b == 0:
            sign = _shadow(a)
            return Special.NAN if sign == 0 or isnan(sign) else finite(copysign(inf, sign))
        return quotient(a, b)

    def larger(a: Soft, b: Soft) -> Soft:
        if Special.NAN in (a, b):
            return Special.NAN
        return b if _order(b) > _order(a) else a

    def unary(op: str, at_inf: float, at_neg_inf: float) -> Callable[[Soft], Soft]:
        def row(x: Soft) -> Soft:
            if isinstance(x, Fraction):
                return correctly_rounded(op, x, fmt)
            limit = nan if x is Special.NAN else at_inf if x is Special.INF else at_neg_inf
            return Fraction(int(limit)) if abs(limit) == 1 else finite(limit)

        return row

    def power(x: Soft, exponent: Fraction) -> Soft:
        if isinstance(x, Fraction):
            return correctly_rounded("pow", x, fmt, exponent)
        if exponent == 0:
            return Fraction(1)
        if x is Special.NAN or (x is Special.NEG_INF and exponent.denominator % 2 == 0):
            return Special.NAN
        size = inf if exponent > 0 else 0.0
        return finite(-size if x is Special.NEG_INF and exponent.numerator % 2 else size)

    quotient = binary(lambda a, b: a / b, lambda a, b: a / b)
    rows: dict[str, Callable[..., Soft]] = {
        "add": binary(lambda a, b: a + b, lambda a, b: a + b),
        "sub": binary(lambda a, b: a - b, lambda a, b: a - b),
        "mul": binary(lambda a, b: a * b, lambda a, b: a * b),
        "div": divide,
        "max2": larger,
        "neg": lambda x: -x if isinstance(x, Fraction) else finite(-_shadow(x)),
        "pow": power,
    }
    limits = {"exp": (inf, 0.0), "log": (inf, nan), "sqrt": (inf, nan), "tanh": (1.0, -1.0), "erf": (1.0, -1.0)}
    for op in ("exp", "log", "sqrt", "tanh", "erf", "cos", "sin"):
        rows[op] = unary(op, *limits.get(op, (nan, nan)))
    return rows


def soft_notes() -> Mapping[str, str]:
    """How each operation is done."""
    return dict.fromkeys(("add", "sub", "mul", "div", "sqrt", "exp", "log", "tanh", "cos", "sin", "erf", "pow"), NOTE)


def _shadow(x: Soft) -> float:
    """A float of the same kind and sign: all that matters when an operand is infinite or NaN."""
    match x:
        case Special.INF:
            return inf
        case Special.NEG_INF:
            return -inf
        case Special.NAN:
            return nan
        case _:
            return float((x > 0) - (x < 0))


def _order(x: Soft) -> Any:
    return _shadow(x) if isinstance(x, Special) else x
