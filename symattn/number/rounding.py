"""Rounding to decimal places, of fractions and of proven reals.

Promises: a rounding of a `Quantity` is returned only when it is proven: by the number itself when it is rational, else by an
enclosure whose two ends round to the same place. A tie is decided only for a number proven equal to it.
Does not promise: an answer. `None` (or `UndecidedError`) says that the cap on precision was reached.

Half up means ties away from zero: 0.5 -> 1 and -0.5 -> -1, as people round by hand. The three modes are monotone, which is why equal
ends prove the number between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from symattn.errors import UndecidedError
from symattn.number.truth import CAP_BITS, START_BITS, Enclosure, Quantity, Rational, Truth

HALF_UP = "half-up"
HALF_EVEN = "half-even"
TOWARD_ZERO = "toward-zero"
MODES = (HALF_UP, HALF_EVEN, TOWARD_ZERO)
T = TypeVar("T")


def power_of_ten(exponent: int) -> Fraction:
    """10**exponent, exactly."""
    return Fraction(10**exponent) if exponent >= 0 else Fraction(1, 10**-exponent)


def half_up(x: Fraction, places: int) -> Fraction:
    """The nearest multiple of 10**-places, ties away from zero."""
    if places < 0:
        unit = 10**-places
        return Fraction(unit * _nearest(x.numerator, x.denominator * unit))
    unit = 10**places
    return Fraction(_nearest(x.numerator * unit, x.denominator), unit)


def _nearest(numerator: int, denominator: int) -> int:
    """The integer nearest to the quotient, ties away from zero."""
    count = (2 * abs(numerator) + denominator) // (2 * denominator)
    return count if numerator >= 0 else -count


def half_even(x: Fraction, places: int) -> Fraction:
    """The nearest multiple of 10**-places, ties to the even multiple."""
    unit = power_of_ten(-places)
    return unit * round(x / unit)


def toward_zero(x: Fraction, places: int) -> Fraction:
    """The multiple of 10**-places nearest to x among those not farther from zero: the digits after the last place are cut off."""
    unit = power_of_ten(-places)
    count = abs(x) // unit
    return unit * (count if x >= 0 else -count)


ROUNDINGS: dict[str, Callable[[Fraction, int], Fraction]] = {HALF_UP: half_up, HALF_EVEN: half_even, TOWARD_ZERO: toward_zero}


@dataclass(frozen=True)
class Scaled:
    """`base` times a nonzero rational `factor`, as a Quantity (a weight read as a percentage: factor 100)."""

    base: Quantity
    factor: Fraction

    def rational(self) -> Fraction | None:
        """The product, when the base is proven rational."""
        value = self.base.rational()
        return None if value is None else value * self.factor

    def enclose(self, bits: int) -> Enclosure:
        """The enclosure of the base, scaled."""
        inner = self.base.enclose(bits)
        lo, hi = inner.lo * self.factor, inner.hi * self.factor
        return Enclosure(min(lo, hi), max(lo, hi))

    def equals(self, other: Quantity) -> Truth:
        """Is the product equal to `other`? Asked of the base, which may know."""
        if isinstance(other, Scaled) and other.factor == self.factor:
            return same(self.base, other.base)
        return same(self.base, scaled(other, 1 / self.factor))


def scaled(q: Quantity, factor: int | Fraction) -> Quantity:
    """`q` times a nonzero rational. Rationals stay rationals, and a scale of 1 changes nothing."""
    if factor == 1:
        return q
    value = q.rational()
    if value is not None:
        return Rational(value * factor)
    if isinstance(q, Scaled):
        return scaled(q.base, q.factor * factor)
    return Scaled(q, Fraction(factor))


def same(a: Quantity, b: Quantity) -> Truth:
    """Is a = b, by what the two know of themselves? UNKNOWN when neither can say; never decided by enclosures."""
    ra, rb = a.rational(), b.rational()
    if ra is not None and rb is not None:
        return Truth.of(ra == rb)
    for one, other in ((a, b), (b, a)):
        asked = getattr(one, "equals", None)
        if asked is not None:
            answer: Truth = asked(other)
            if answer is not Truth.UNKNOWN:
                return answer
    return Truth.UNKNOWN


def decide(
    q: Quantity, read: Callable[[Fraction], T], *, breaks: Callable[[Enclosure], Fraction | None], cap_bits: int = CAP_BITS
) -> T | None:
    """`read(q)` for a monotone `read`, proven, or None at the cap.

    `breaks(enclosure)` names the one number inside the enclosure at which `read` changes, when there is exactly one: the number may be
    equal to it, which no enclosure can prove, so it is asked with `same`.
    """
    value = q.rational()
    if value is not None:
        return read(value)
    asked: set[Fraction] = set()
    bits = START_BITS
    while bits <= cap_bits:
        ball = q.enclose(bits)
        lo, hi = read(ball.lo), read(ball.hi)
        if lo == hi:
            return lo
        point = breaks(ball)
        if point is not None and point not in asked:
            asked.add(point)
            if same(q, Rational(point)) is Truth.YES:
                return read(point)
        bits *= 2
    return None


def round_quantity(q: Quantity, places: int, mode: str = HALF_UP, *, cap_bits: int = CAP_BITS) -> Fraction | None:
    """`q` rounded to `places` decimals in one of MODES; None when it is not decided with `cap_bits` bits."""
    rounding = ROUNDINGS[mode]
    unit = power_of_ten(-places)
    shift = Fraction(0) if mode == TOWARD_ZERO else unit / 2

    def breaks(ball: Enclosure) -> Fraction | None:
        first = -((shift - ball.lo) // unit) * unit + shift  # the least break that is not below lo
        return first if first <= ball.hi < first + unit else None

    return decide(q, lambda x: rounding(x, places), breaks=breaks, cap_bits=cap_bits)


def proven_rounding(q: Quantity, places: int, mode: str = HALF_UP, *, cap_bits: int = CAP_BITS) -> Fraction:
    """`round_quantity`, with UndecidedError instead of None."""
    found = round_quantity(q, places, mode, cap_bits=cap_bits)
    if found is None:
        raise UndecidedError(
            f"the digit at {places} decimals is not decided with {cap_bits} bits",
            next_move="ask for fewer digits or raise the cap; the number may lie exactly on a boundary",
        )
    return found
