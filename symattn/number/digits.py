"""Exact numbers written as decimals.

Promises: every digit is proven; what is not decided within the cap is an UndecidedError. A zero has no sign.
Does not promise: to be short; texts hold all the places that were asked for.
"""

from __future__ import annotations

from fractions import Fraction

from symattn.errors import UndecidedError
from symattn.number.rounding import decide, half_up, power_of_ten, proven_rounding
from symattn.number.truth import CAP_BITS, Enclosure, Quantity


def decimal_text(x: Fraction, places: int) -> str:
    """`x` rounded half up (ties away from zero) to `places` decimals, all of them shown; a zero has no sign."""
    return _fixed(half_up(x, places), places)


def _fixed(x: Fraction, places: int) -> str:
    """The text of a multiple of 10**-places."""
    sign = "-" if x < 0 else ""
    if places <= 0:
        return sign + integer_text(abs(int(x)))
    digits = integer_text(abs(x.numerator) * 10**places // x.denominator).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def integer_text(n: int) -> str:
    """str(n) for n >= 0 of any length: the interpreter refuses to convert more than some thousands of digits at once."""
    if n.bit_length() <= 2000:
        return str(n)
    half = n.bit_length() * 30103 // 200000
    high, low = divmod(n, 10**half)
    return integer_text(high) + integer_text(low).rjust(half, "0")


def digits_text(q: Quantity, places: int, *, cap_bits: int = CAP_BITS) -> str:
    """`q` rounded half up to `places` decimals, as text. Every digit is proven, or UndecidedError."""
    return _fixed(proven_rounding(q, places, cap_bits=cap_bits), places)


def _magnitude(x: Fraction) -> int:
    """The e with 10**e <= |x| < 10**(e + 1), for x != 0."""
    size = abs(x)
    guess = (size.numerator.bit_length() - size.denominator.bit_length()) * 30103 // 100000
    while size >= power_of_ten(guess + 1):
        guess += 1
    while size < power_of_ten(guess):
        guess -= 1
    return guess


def _significant(x: Fraction, digits: int) -> tuple[Fraction, int]:
    """`x` rounded half up to `digits` significant digits, and the exponent of its first digit."""
    if x == 0:
        return x, 0
    exponent = _magnitude(x)
    rounded = half_up(x, digits - 1 - exponent)
    return rounded, _magnitude(rounded)


def significant_text(q: Quantity, digits: int, *, cap_bits: int = CAP_BITS) -> str:
    """`q` rounded half up to `digits` significant digits, each proven, or UndecidedError.

    Written out from 0.000001 up to numbers whose last proven digit stands at or before the decimal mark, else as `2.726e347`."""

    def breaks(ball: Enclosure) -> Fraction | None:
        if ball.lo <= 0 <= ball.hi:
            return Fraction(0)  # the digits of a number that may be zero are asked of the number
        lo, hi = _significant(ball.lo, digits)[0], _significant(ball.hi, digits)[0]
        return (lo + hi) / 2 if abs(lo - hi) <= 2 * power_of_ten(_magnitude(ball.hi) + 1 - digits) else None

    found = decide(q, lambda x: _significant(x, digits), breaks=breaks, cap_bits=cap_bits)
    if found is None:
        raise UndecidedError(
            f"{digits} significant digits are not decided with {cap_bits} bits", next_move="ask for fewer digits or raise the cap"
        )
    value, exponent = found
    if value == 0:
        return "0"
    if -6 <= exponent < digits:
        return _fixed(value, digits - 1 - exponent)
    return f"{_fixed(value * power_of_ten(-exponent), digits - 1)}e{exponent}"


def finite_text(x: Fraction, max_digits: int = 15) -> str | None:
    """The whole decimal expansion of `x` when it ends within `max_digits` significant digits (and twice as many decimals), else None."""
    rest, fives = x.denominator, 0
    twos = (rest & -rest).bit_length() - 1
    rest >>= twos
    while rest != 1 and fives <= 2 * max_digits:
        rest, remainder = divmod(rest, 5)
        if remainder:
            return None
        fives += 1
    places = max(twos, fives)
    if rest != 1 or places > 2 * max_digits:
        return None
    if abs(x.numerator) * 10**places >= 10**max_digits * x.denominator:
        return None
    return _fixed(x, places)
