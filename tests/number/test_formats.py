"""Formats against facts that are known otherwise: the IEEE tables, Python's own floats, exhaustive small formats."""

from __future__ import annotations

import struct
from fractions import Fraction as F
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError, UndecidedError
from symattn.number.formats import (
    BFLOAT16,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FORMATS,
    Format,
    Overflow,
    Special,
    exact_decimal,
    exact_value,
    floor_log2,
    format_named,
    holds,
    is_subnormal,
    next_down,
    next_up,
    nth,
    ordinal,
    round_fraction,
    round_to,
    ulp,
)
from symattn.number.truth import Enclosure, Rational

TINY = Format("tiny", precision=3, emin=-2, emax=3)  # an invented format with a 3-bit exponent
SATURATING = FLOAT8_E4M3FN.with_overflow(Overflow.SATURATE)
SMALL = [TINY, FLOAT8_E4M3FN, FLOAT8_E5M2, SATURATING, Format("odd", precision=2, emin=0, emax=0)]


def grid(fmt: Format) -> list[F]:
    """Every number of a small format, by its definition: significand times power of two."""
    p = fmt.precision
    positive = {F(m) * F(2) ** (fmt.emin - p + 1) for m in range(2 ** (p - 1))}
    for e in range(fmt.emin, fmt.emax + 1):
        positive |= {F(m) * F(2) ** (e - p + 1) for m in range(2 ** (p - 1), 2**p)}
    positive -= {F(2**p - 1 - k) * F(2) ** (fmt.emax - p + 1) for k in range(fmt.top_missing)}
    return sorted({-x for x in positive} | positive)


def test_named_extremes() -> None:
    assert FLOAT64.largest == F(1.7976931348623157e308)
    assert FLOAT64.smallest == F(5e-324)
    assert FLOAT32.largest == F(2**24 - 1) * 2**104
    assert FLOAT16.largest == 65504
    assert FLOAT16.smallest == F(1, 2**24)
    assert BFLOAT16.largest == F(255) * 2**120
    assert BFLOAT16.smallest_normal == FLOAT32.smallest_normal == F(1, 2**126)
    assert FLOAT8_E4M3FN.largest == 448
    assert FLOAT8_E4M3FN.smallest == F(1, 512)
    assert FLOAT8_E5M2.largest == 57344
    assert TINY.largest == 14
    assert TINY.smallest == F(1, 16)


@pytest.mark.parametrize("fmt", SMALL, ids=lambda f: f"{f.name}-{f.overflow.value}")
def test_rounding_is_the_nearest_number_ties_to_even_on_whole_small_formats(fmt: Format) -> None:
    numbers = grid(fmt)
    for x in numbers:
        assert round_fraction(x, fmt) == x
        assert holds(x, fmt)
    for a, b in pairwise(numbers):
        middle = (a + b) / 2
        assert not holds(middle, fmt)
        even = next(x for x in (a, b) if (x / min(ulp(a, fmt), ulp(b, fmt))) % 2 == 0)
        assert round_fraction(middle, fmt) == even
        nudge = (b - a) / 1000
        assert round_fraction(middle - nudge, fmt) == a
        assert round_fraction(middle + nudge, fmt) == b
        assert next_up(a, fmt) == next_up(middle, fmt) == b
        assert next_down(b, fmt) == next_down(middle, fmt) == a
        assert b - a == ulp(middle, fmt)
    middle_place = len(numbers) // 2
    for k, x in enumerate(numbers):
        assert ordinal(x, fmt) == k - middle_place
        assert nth(k - middle_place, fmt) == x
    with pytest.raises(InputError, match="has no number at place"):
        nth(len(numbers), fmt)
    with pytest.raises(InputError, match="does not hold"):
        ordinal(fmt.smallest / 2, fmt)
    assert sum(is_subnormal(x, fmt) for x in numbers) == 2 * (2 ** (fmt.precision - 1) - 1)


def test_overflow_conventions() -> None:
    assert round_to(F(15), TINY) is Special.INF  # the tie above 14: 14 is odd (1.11 in binary), so it goes up
    assert round_to(F(15) - F(1, 10**9), TINY) == 14
    assert round_to(-15, TINY) is Special.NEG_INF
    assert round_to(464, FLOAT8_E4M3FN) == 448  # the tie above 448 = 1.110 in binary goes down
    assert round_to(F(464) + F(1, 10**30), FLOAT8_E4M3FN) is Special.NAN
    assert round_to(F(465), SATURATING) == 448
    assert round_to(F(-(10**9)), SATURATING) == -448
    assert round_to(F(10**400), FLOAT64) is Special.INF
    assert round_to(FLOAT64.overflow_bound, FLOAT64) is Special.INF
    for fmt in FORMATS.values():
        assert fmt.overflows(fmt.overflow_bound) is not fmt.overflow_bound_is_finite
        assert not fmt.overflows(fmt.largest)
        assert fmt.overflows(fmt.overflow_bound + fmt.smallest)
        assert not fmt.overflows(fmt.overflow_bound - fmt.smallest)


def test_neighbours_at_the_ends() -> None:
    assert next_up(FLOAT16.largest, FLOAT16) is Special.INF
    assert next_down(-FLOAT16.largest, FLOAT16) is Special.NEG_INF
    assert next_up(F(448), FLOAT8_E4M3FN) is Special.NAN
    assert next_down(F(-448), FLOAT8_E4M3FN) is Special.NAN
    assert next_up(F(-(10**9)), FLOAT16) == -65504
    assert next_up(F(0), FLOAT64) == F(5e-324)
    assert next_down(F(0), FLOAT64) == -F(5e-324)
    assert next_down(F(1), FLOAT64) == 1 - F(1, 2**53)
    assert next_up(F(1), FLOAT64) == 1 + F(1, 2**52)
    assert next_up(F(-1), FLOAT64) == -(1 - F(1, 2**53))


@given(st.fractions(), st.integers(-1100, 1050))
def test_float64_agrees_with_python(x: F, shift: int) -> None:
    x *= F(2) ** shift
    rounded = round_to(x, FLOAT64)
    try:
        expected = x.numerator / x.denominator  # CPython divides integers with one rounding
    except OverflowError:
        assert rounded in (Special.INF, Special.NEG_INF)
    else:
        assert rounded == F(expected)


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_float32_agrees_with_struct(x: float) -> None:
    rounded = round_to(F(x), FLOAT32)
    try:
        expected = struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        assert isinstance(rounded, Special)
    else:
        assert rounded == F(expected)


def test_one_rounding_is_not_two() -> None:
    """1 + 2^-11 + 2^-40 lies above a tie of float16; by way of float32 it becomes the tie and goes down."""
    x = 1 + F(1, 2**11) + F(1, 2**40)
    twice = round_to(exact_value_of(round_to(x, FLOAT32)), FLOAT16)
    assert twice == 1
    assert round_to(x, FLOAT16) == 1 + F(1, 2**10)
    y = 1 + F(1, 2**8) + F(1, 2**60)  # the same for bfloat16, seen only by a rounding from the exact value
    assert round_to(F(float(y)), BFLOAT16) == 1
    assert round_to(y, BFLOAT16) == 1 + F(1, 2**7)


def exact_value_of(x: F | Special) -> F:
    assert isinstance(x, F)
    return x


class RootTwo:
    """The square root of 2 as a quantity."""

    def rational(self) -> F | None:
        return None

    def enclose(self, bits: int) -> Enclosure:
        from math import isqrt

        root = isqrt(2 << 2 * bits)
        return Enclosure(F(root, 1 << bits), F(root + 1, 1 << bits))


class HiddenHalf(RootTwo):
    """A tie of TINY that does not know that it is rational: no enclosure decides it."""

    def enclose(self, bits: int) -> Enclosure:
        return Enclosure(F(9, 8) - F(1, 1 << bits), F(9, 8) + F(1, 1 << bits))


def test_quantities() -> None:
    assert round_to(RootTwo(), FLOAT64) == F(2**0.5)
    assert round_to(RootTwo(), TINY) == F(3, 2)
    assert round_to(Rational(F(9, 8)), TINY) == 1
    with pytest.raises(UndecidedError, match="tiny was not decided at 256 bits"):
        round_to(HiddenHalf(), TINY, cap_bits=256)
    with pytest.raises(InputError, match="exact_value"):
        round_to(0.5, TINY)  # type: ignore[arg-type]


def test_exact_values_and_their_decimals() -> None:
    import ml_dtypes
    import numpy as np

    assert exact_value(0.1) == F(3602879701896397, 2**55)
    assert exact_decimal(exact_value(0.1)) == "0.1000000000000000055511151231257827021181583404541015625"
    assert exact_decimal(exact_value(np.float32(0.1))) == "0.100000001490116119384765625"
    assert exact_decimal(exact_value(ml_dtypes.bfloat16(0.1))) == "0.10009765625"
    assert exact_decimal(exact_value(ml_dtypes.float8_e4m3fn(-0.1))) == "-0.1015625"
    assert exact_decimal(F(-7)) == "-7"
    assert exact_decimal(F(3, 40)) == "0.075"
    assert len(exact_decimal(FLOAT64.smallest)) == 2 + 1074
    assert exact_decimal(F(1, 2**5000)) == str_of_power(5000)
    for bad in (float("nan"), float("inf"), np.float16("inf"), ml_dtypes.bfloat16("nan")):
        with pytest.raises(InputError, match="is not a number"):
            exact_value(bad)
    with pytest.raises(InputError, match="does not end"):
        exact_decimal(F(1, 3))


def str_of_power(k: int) -> str:
    """2^-k in decimal, one digit at a time: halving the digits of 5^k / 10^k."""
    digits = [5]
    for _ in range(k - 1):
        carry = 0
        halved = []
        for d in digits:
            halved.append((10 * carry + d) // 2)
            carry = d % 2
        digits = [*halved, 5] if carry else halved
    return "0." + "".join(map(str, digits))


def test_floor_log2() -> None:
    for x in (F(1), F(3, 2), F(2), F(1, 3), F(7, 8), F(10**50), F(1, 10**50), F(2**70 - 1), F(1, 2**70 + 1)):
        e = floor_log2(x)
        assert F(2) ** e <= x < F(2) ** (e + 1)


def test_names_and_bad_formats() -> None:
    assert format_named("float8_e5m2") is FLOAT8_E5M2
    with pytest.raises(InputError, match=r'"flaot32" is no known float format; did you mean float32'):
        format_named("flaot32")
    with pytest.raises(InputError, match="no even and odd"):
        Format("one", precision=1, emin=0, emax=1)
    with pytest.raises(InputError, match="lies above emax"):
        Format("none", precision=3, emin=2, emax=1)
    with pytest.raises(InputError, match="no infinities"):
        Format("none", precision=3, emin=0, emax=1, has_inf=False)
    with pytest.raises(InputError, match="missing numbers"):
        Format("none", precision=3, emin=0, emax=1, top_missing=4)


def test_an_enclosure_that_overflows_on_both_sides_decides_nothing() -> None:
    from fractions import Fraction

    from symattn.number.formats import format_named, round_enclosure
    from symattn.number.truth import Enclosure

    e4m3fn = format_named("float8_e4m3fn")
    wide = Enclosure(Fraction(-1000), Fraction(1000))
    assert round_enclosure(wide, e4m3fn) is None
    above = Enclosure(Fraction(1000), Fraction(1001))
    assert round_enclosure(above, e4m3fn) is not None
