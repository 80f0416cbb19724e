"""Elementary functions of rational numbers, as quantities, and their correct rounding to a float format.

Promises: `Elementary` encloses its value with Arb at any number of bits; `correctly_rounded` is the rounding of the exact value,
once, overflow and underflow included: exp is finite on a format's grid exactly where its correct rounding is finite.
Does not promise: speed (a proof per value), nor a decision for erf, whose values at nonzero rational points are not known to be
irrational: there it may end in UndecidedError, and never has.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symattn.errors import DomainError, UndecidedError
from symattn.number.formats import Format, Special, floor_log2, power_of_two, round_fraction, round_to
from symattn.number.precision import ball_of, enclosure_of, flint_bits
from symattn.number.truth import CAP_BITS, Enclosure

MAX_BITS = 1 << 16
ONE = Fraction(1)
FUNCTIONS = ("exp", "log", "sqrt", "tanh", "cos", "sin", "erf", "pow")
_LN2_BELOW, _LN2_ABOVE = Fraction(6931471, 10**7), Fraction(6931472, 10**7)


@dataclass(frozen=True)
class Elementary:
    """`op` of the rational x, one of FUNCTIONS; "pow" has an exponent (odd roots of negative numbers are negative). Raises DomainError
    where there is no real value."""

    op: str
    x: Fraction
    exponent: Fraction = ONE

    def __post_init__(self) -> None:
        if self.op not in FUNCTIONS:
            raise ValueError(f"{self.op} is no elementary function here")
        if (self.op == "log" and self.x <= 0) or (self.op == "sqrt" and self.x < 0):
            raise DomainError(f"{self.op} of a number that is {'zero' if self.x == 0 else 'negative'}", next_move="give a positive one")
        if self.op == "pow" and self.x <= 0:
            if self.x < 0 and self.exponent.denominator % 2 == 0:
                raise DomainError("an even root of a negative number", next_move="give a positive base")
            if self.x == 0 and self.exponent < 0:
                raise DomainError("zero to a negative power", next_move="give a positive base")

    def rational(self) -> Fraction | None:
        """The value where it is rational. None proves it irrational for exp, log, tanh, cos, sin (Lindemann) and for roots;
        for erf, and for integer powers too large to write out, None says nothing."""
        x = self.x
        match self.op:
            case "exp" | "cos":
                return Fraction(1) if x == 0 else None
            case "tanh" | "sin" | "erf":
                return x if x == 0 else None
            case "log":
                return Fraction(0) if x == 1 else None
            case "sqrt":
                return rational_power(x, Fraction(1, 2))
            case _:
                return rational_power(x, self.exponent)

    def enclose(self, bits: int) -> Enclosure:
        """The value in an interval at most 2**(4 - bits) wide relative to it; working bits are raised until it is. UndecidedError
        when that would take more than MAX_BITS beyond `bits`: the value is too large or too small to be written out."""
        value = self.rational()
        if value is not None:
            return Enclosure(value, value)
        working = bits + 16
        while working <= bits + MAX_BITS:
            with flint_bits(working):
                found = enclosure_of(self._ball())
            if found is not None:
                size = min(abs(found.lo), abs(found.hi)) if found.lo > 0 or found.hi < 0 else Fraction(0)
                if found.width() <= size * power_of_two(4 - bits):
                    return found
            working *= 2
        raise UndecidedError(f"{self.op} of a number near 2**{floor_log2(abs(self.x))} cannot be written out at {bits} bits")

    def _ball(self) -> Any:
        x = ball_of(self.x)
        match self.op:
            case "sqrt":
                return x.sqrt()
            case "pow":
                size = (ball_of(abs(self.x)).log() * ball_of(self.exponent)).exp()
                return -size if self.x < 0 and self.exponent.numerator % 2 else size
            case op:
                return getattr(x, op)()


def integer_root(n: int, k: int) -> int:
    """The largest r with r**k <= n, for n >= 0, k >= 1. Newton's iteration on integers, from above."""
    if n < 2 or k == 1:
        return n
    r = 1 << -(-n.bit_length() // k)
    while True:
        better = ((k - 1) * r + n // r ** (k - 1)) // k
        if better >= r:
            return r
        r = better


def rational_power(x: Fraction, exponent: Fraction) -> Fraction | None:
    """x**exponent when it is rational, found by integer roots (odd roots of negative numbers are negative); None when it is not,
    or when it has more than MAX_BITS bits. x >= 0 for even roots."""
    if exponent == 0 or x == 1:
        return Fraction(1)
    if x == 0:
        return x
    if exponent.denominator > MAX_BITS:  # a root of so high a degree is rational only for huge numbers
        return None
    sign = -1 if x < 0 and exponent.numerator % 2 else 1
    top, bottom = (integer_root(n, exponent.denominator) for n in (abs(x.numerator), x.denominator))
    if (top**exponent.denominator, bottom**exponent.denominator) != (abs(x.numerator), x.denominator):
        return None
    if abs(exponent.numerator) * max(top.bit_length(), bottom.bit_length()) > MAX_BITS:
        return None
    return sign * Fraction(top, bottom) ** exponent.numerator


# -- correct rounding -------------------------------------------------------------------------------------------------
def correctly_rounded(op: str, x: Fraction, fmt: Format, exponent: Fraction = ONE, *, cap_bits: int = CAP_BITS) -> Fraction | Special:
    """`op` of the number x, rounded once to the format. Outside the function's domain NaN; log of 0 and negative powers of 0
    are infinite (NaN in a format without infinities). UndecidedError at `cap_bits`, see the module's note."""
    infinite = Special.INF if fmt.has_inf else Special.NAN
    if op == "log" and x == 0:
        return Special.NEG_INF if fmt.has_inf else Special.NAN
    if op == "pow" and x == 0 and exponent < 0:
        return infinite
    try:
        value = Elementary(op, x, exponent)
    except DomainError:
        return Special.NAN
    far = _far_outside(value, fmt)
    if far is not None:
        return far
    return round_to(value, fmt, cap_bits=cap_bits)


def _far_outside(value: Elementary, fmt: Format) -> Fraction | Special | None:
    """The rounding of what is so large or so small that its binary digits need not (and could not) be written out."""
    high, low = fmt.emax + 2, fmt.emin - fmt.precision - 1  # |value| >= 2**high overflows; < 2**low rounds to 0
    if value.op == "exp":
        over = value.x >= high * (_LN2_ABOVE if high > 0 else _LN2_BELOW)
        under = value.x < low * (_LN2_ABOVE if low < 0 else _LN2_BELOW)
    elif value.op == "pow" and value.x != 0:
        e = floor_log2(abs(value.x))  # log2|x| lies in [e, e+1)
        ends = (value.exponent * e, value.exponent * (e + 1))
        over, under = min(ends) >= high, max(ends) < low
    else:
        return None
    negative = value.op == "pow" and value.x < 0 and value.exponent.numerator % 2 == 1
    if over:
        return round_fraction(-power_of_two(high) if negative else power_of_two(high), fmt)
    return Fraction(0) if under else None
