"""Floating-point formats: which numbers they hold, and rounding to them once, from the exact value.

Promises: `round_to` is round-to-nearest, ties to even, decided on integers from the exact number (a `Fraction`, or a `Quantity`
by proven enclosures), never by way of another format; (precision, emin, emax) alone define a format, subnormals included.
Does not promise: the sign of a zero (a `Fraction` has none), nor what any machine does with the format: see interp/floats.py.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any

from symattn.errors import InputError, UndecidedError
from symattn.number.truth import CAP_BITS, START_BITS, Enclosure, Quantity


class Special(Enum):
    """What a format holds beside numbers."""

    INF = "inf"
    NEG_INF = "-inf"
    NAN = "nan"


class Overflow(Enum):
    """What a number too large for the format becomes: an infinity, a NaN, or the largest number (saturation)."""

    INF = "inf"
    NAN = "nan"
    SATURATE = "saturate"


@dataclass(frozen=True)
class Format:
    """A binary format with subnormals.

    `precision` counts significant bits, the hidden one included (p); normal numbers lie in [2**emin, 2**(emax+1)).
    `has_inf` says whether infinities exist. `top_missing` counts significands of the last binade that encode no number
    (1 in float8_e4m3fn, whose all-ones pattern is its NaN). `overflow` is the convention when the rounded number does not fit.
    """

    name: str
    precision: int
    emin: int
    emax: int
    has_inf: bool = True
    top_missing: int = 0
    overflow: Overflow = Overflow.INF

    def __post_init__(self) -> None:
        if self.precision < 2:
            raise InputError(
                f'format "{self.name}": a precision of {self.precision} has no even and odd numbers', next_move="give at least 2"
            )
        if self.emin > self.emax:
            raise InputError(f'format "{self.name}": emin = {self.emin} lies above emax = {self.emax}')
        if not 0 <= self.top_missing < 1 << (self.precision - 1):
            raise InputError(f'format "{self.name}": {self.top_missing} missing numbers do not fit in the last binade')
        if self.overflow is Overflow.INF and not self.has_inf:
            raise InputError(f'format "{self.name}" has no infinities', next_move="let overflow be NAN or SATURATE")

    @property
    def largest(self) -> Fraction:
        """The largest number."""
        return ((1 << self.precision) - 1 - self.top_missing) * power_of_two(self.emax - self.precision + 1)

    @property
    def smallest_normal(self) -> Fraction:
        """2**emin."""
        return power_of_two(self.emin)

    @property
    def smallest(self) -> Fraction:
        """The smallest positive number, a subnormal."""
        return power_of_two(self.emin - self.precision + 1)

    @property
    def unit_roundoff(self) -> Fraction:
        """u = 2**-p: a correct rounding without under- or overflow has relative error at most u / (1 + u)."""
        return power_of_two(-self.precision)

    @property
    def overflow_bound(self) -> Fraction:
        """Half a step above the largest number: below it everything rounds to a number, above it nothing does."""
        return self.largest + power_of_two(self.emax - self.precision)

    @property
    def overflow_bound_is_finite(self) -> bool:
        """Whether the tie at `overflow_bound` itself goes down to the largest number (its last bit is 0)."""
        return ((1 << self.precision) - 1 - self.top_missing) % 2 == 0

    def overflows(self, magnitude: Fraction) -> bool:
        """Does a number of this magnitude round to none of the format's?"""
        bound = self.overflow_bound
        return magnitude > bound or (magnitude == bound and not self.overflow_bound_is_finite)

    def with_overflow(self, overflow: Overflow) -> Format:
        """The same numbers with another convention for what is too large."""
        return replace(self, overflow=overflow)


def power_of_two(exponent: int) -> Fraction:
    """2**exponent, exactly."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


FLOAT64 = Format("float64", precision=53, emin=-1022, emax=1023)
FLOAT32 = Format("float32", precision=24, emin=-126, emax=127)
BFLOAT16 = Format("bfloat16", precision=8, emin=-126, emax=127)
FLOAT16 = Format("float16", precision=11, emin=-14, emax=15)
# The convention of ml_dtypes: what rounds above 448 is a NaN (the number 480 is its NaN pattern; the tie 464 goes to 448).
# Tensor libraries often saturate instead: FLOAT8_E4M3FN.with_overflow(Overflow.SATURATE).
FLOAT8_E4M3FN = Format("float8_e4m3fn", precision=4, emin=-6, emax=8, has_inf=False, top_missing=1, overflow=Overflow.NAN)
FLOAT8_E5M2 = Format("float8_e5m2", precision=3, emin=-14, emax=15)

FORMATS: Mapping[str, Format] = {f.name: f for f in (FLOAT64, FLOAT32, BFLOAT16, FLOAT16, FLOAT8_E4M3FN, FLOAT8_E5M2)}


def format_named(name: str) -> Format:
    """The known format of that name. `InputError` names the nearest ones."""
    if name in FORMATS:
        return FORMATS[name]
    near = difflib.get_close_matches(name, FORMATS, n=2) or list(FORMATS)
    raise InputError(f'"{name}" is no known float format', next_move="did you mean " + " or ".join(near) + "?")


# -- the grid ---------------------------------------------------------------------------------------------------------
def floor_log2(magnitude: Fraction) -> int:
    """The integer e with 2**e <= magnitude < 2**(e+1). magnitude > 0."""
    top, bottom = magnitude.numerator, magnitude.denominator
    e = top.bit_length() - bottom.bit_length()
    reached = top >= bottom << e if e >= 0 else top << -e >= bottom
    return e if reached else e - 1


def _step_exponent(x: Fraction, fmt: Format) -> int:
    binade = floor_log2(abs(x)) if x else fmt.emin
    return max(min(binade, fmt.emax), fmt.emin) - fmt.precision + 1


def ulp(x: Fraction, fmt: Format) -> Fraction:
    """The distance between the format's neighbours around x: 2**(e - p + 1) for 2**e <= |x| < 2**(e+1), never less than the
    smallest subnormal, never more than the step of the last binade. x is any number, not only one of the format."""
    return power_of_two(_step_exponent(x, fmt))


def holds(x: Fraction, fmt: Format) -> bool:
    """Is x a number of the format?"""
    return abs(x) <= fmt.largest and (x / ulp(x, fmt)).denominator == 1


def is_subnormal(x: Fraction, fmt: Format) -> bool:
    """Is x nonzero and below the normal numbers, where digits are lost?"""
    return 0 < abs(x) < fmt.smallest_normal


def next_up(x: Fraction, fmt: Format) -> Fraction | Special:
    """The smallest number of the format above x (x any number); INF, or NAN in a format without infinities, when there is none."""
    if x >= fmt.largest:
        return Special.INF if fmt.has_inf else Special.NAN
    if x < -fmt.largest:
        return -fmt.largest
    # Below zero the step shrinks towards zero: at -2**e the next number up is half a step of the binade above away.
    step = ulp(x, fmt)
    if x < 0 and abs(x) == power_of_two(floor_log2(abs(x))) and floor_log2(abs(x)) > fmt.emin:
        step /= 2
    return (x // step + 1) * step


def next_down(x: Fraction, fmt: Format) -> Fraction | Special:
    """The largest number of the format below x (x any number); NEG_INF, or NAN in a format without infinities, when there is none."""
    match next_up(-x, fmt):
        case Special.INF:
            return Special.NEG_INF
        case Special() as nan:
            return nan
        case value:
            return -value


def ordinal(x: Fraction, fmt: Format) -> int:
    """The place of a number of the format among all of them, counted from 0 at zero: neighbours differ by 1."""
    if not holds(x, fmt):
        raise InputError(f"{fmt.name} does not hold the number", next_move="round it first")
    if x < 0:
        return -ordinal(-x, fmt)
    step = _step_exponent(x, fmt)
    return (step - (fmt.emin - fmt.precision + 1)) * (1 << (fmt.precision - 1)) + int(x / power_of_two(step))


def nth(place: int, fmt: Format) -> Fraction:
    """The number at this place: the inverse of `ordinal`."""
    if place < 0:
        return -nth(-place, fmt)
    half = 1 << (fmt.precision - 1)  # numbers in a binade, and below the normal numbers
    binade = max(place // half - 1, 0)
    found = (place - binade * half) * power_of_two(fmt.emin - fmt.precision + 1 + binade)
    if found > fmt.largest:
        raise InputError(f"{fmt.name} has no number at place {place}")
    return found


# -- rounding ---------------------------------------------------------------------------------------------------------
def round_fraction(x: Fraction, fmt: Format) -> Fraction | Special:
    """The number of the format nearest to x, ties to the even one, in one rounding; overflow by the format's convention."""
    e = _step_exponent(x, fmt)
    if abs(x) >= 2 * power_of_two(fmt.emax + 1):  # spares the division of a huge number
        return _too_large(x > 0, fmt)
    top, bottom = (x.numerator, x.denominator << e) if e >= 0 else (x.numerator << -e, x.denominator)
    whole, rest = divmod(top, bottom)
    if 2 * rest > bottom or (2 * rest == bottom and whole % 2):
        whole += 1
    rounded = whole * power_of_two(e)
    if abs(rounded) > fmt.largest:
        return _too_large(x > 0, fmt)
    return rounded


def _too_large(positive: bool, fmt: Format) -> Fraction | Special:
    match fmt.overflow:
        case Overflow.SATURATE:
            return fmt.largest if positive else -fmt.largest
        case Overflow.NAN:
            return Special.NAN
        case Overflow.INF:
            return Special.INF if positive else Special.NEG_INF


def round_enclosure(e: Enclosure, fmt: Format) -> Fraction | Special | None:
    """The rounding of every number in the enclosure, when they all have the same; else None. (Rounding is monotone on each side of 0;
    a format without infinities overflows to NaN on both, which says nothing of what lies between.)"""
    low = round_fraction(e.lo, fmt)
    if low != round_fraction(e.hi, fmt) or (isinstance(low, Special) and e.lo < 0 < e.hi):
        return None
    return low


def round_to(x: Fraction | int | Quantity, fmt: Format, *, cap_bits: int = CAP_BITS) -> Fraction | Special:
    """x rounded to nearest, ties to even, once, from its exact value.

    A `Quantity` that is not known to be rational is enclosed with more and more bits until all of the enclosure rounds to one
    number; a tie can be decided only when the quantity is rational. `UndecidedError` at `cap_bits`.
    """
    if isinstance(x, int | Fraction):
        return round_fraction(Fraction(x), fmt)
    if isinstance(x, float):
        raise InputError(f"a float was given where an exact number is meant: {x!r}", next_move="give exact_value(x)")
    value = x.rational()
    if value is not None:
        return round_fraction(value, fmt)
    bits = START_BITS
    while bits <= cap_bits:
        rounded = round_enclosure(x.enclose(bits), fmt)
        if rounded is not None:
            return rounded
        bits *= 2
    raise UndecidedError(f"the rounding to {fmt.name} was not decided at {cap_bits} bits: the number lies too near a tie")


# -- from machine floats to exact numbers ---------------------------------------------------------------------------------
def exact_value(x: Any) -> Fraction:
    """The number a Python float or a NumPy or ml_dtypes scalar holds, exactly. `InputError` for NaN and infinities."""
    ratio = getattr(x, "as_integer_ratio", None)
    try:
        if ratio is None:  # ml_dtypes scalars have no ratio; each of their numbers is a float64
            return Fraction(float(x))
        return Fraction(*ratio())
    except (ValueError, OverflowError):
        raise InputError(f"{x} is not a number", next_move="an exact value needs a finite float") from None


def exact_decimal(x: Fraction) -> str:
    """The full decimal expansion of x: every binary fraction has one. `InputError` when it does not end."""
    bottom, twos, fives = x.denominator, 0, 0
    while bottom % 2 == 0:
        bottom, twos = bottom // 2, twos + 1
    while bottom % 5 == 0:
        bottom, fives = bottom // 5, fives + 1
    if bottom != 1:
        raise InputError(f"the decimal expansion of {x} does not end", next_move="ask for a number of digits")
    places = max(twos, fives)
    digits = _digits(abs(x.numerator) * 10**places // x.denominator).rjust(places + 1, "0")
    sign = "-" if x < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else sign + digits


def _digits(n: int) -> str:
    # In pieces: Python refuses to write integers of more than 4300 digits at once, and formats with wide exponents have them.
    pieces: list[str] = []
    while n >= 10**4000:
        n, piece = divmod(n, 10**4000)
        pieces.append(str(piece).rjust(4000, "0"))
    return str(n) + "".join(reversed(pieces))
