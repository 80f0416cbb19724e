"""Rounding of whole arrays against exact fractions, for every format and made-up ones; and lies of one last place."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.certified.rounding import Rounder, encode, two_sum
from symattn.number.formats import FLOAT8_E4M3FN, FORMATS, Format, Overflow, Special, nth, ordinal, round_fraction

MADE_UP = Format("tiny", precision=3, emin=-2, emax=3)
ALL = [*FORMATS.values(), MADE_UP, FLOAT8_E4M3FN.with_overflow(Overflow.SATURATE), Format("wide", precision=51, emin=-300, emax=300)]


def as_number(x: Fraction | Special) -> float:
    return float(x.value) if isinstance(x, Special) else float(x)


def same(found: float, wanted: Fraction | Special) -> bool:
    number = as_number(wanted)
    return bool(np.isnan(found)) if np.isnan(number) else found == number


@pytest.mark.parametrize("fmt", ALL, ids=lambda f: f"{f.name}-{f.overflow.value}")
def test_nearest_is_the_rounding(fmt):
    rng = np.random.default_rng(fmt.precision)
    rounder = Rounder(fmt)
    near = 2.0 ** rng.uniform(max(fmt.emin - fmt.precision - 3, -1070), fmt.emax + 2 if fmt.emax < 1000 else 1023, 400)
    numbers = np.concatenate([near, -near, [0.0]])
    # Exact ties and their neighbours.
    ordinals = [ordinal(round_fraction(Fraction(x), fmt), fmt) for x in near if not isinstance(round_fraction(Fraction(x), fmt), Special)]
    top = ordinal(fmt.largest, fmt)
    ties = [float((nth(o, fmt) + nth(o + 1, fmt)) / 2) for o in ordinals if o < top and fmt.precision < 53]
    numbers = np.concatenate([numbers, ties, np.nextafter(ties, 1e300), np.nextafter(ties, 0), [float(fmt.largest), 1.5 * 2.0**fmt.emax]])
    found = rounder.finish(rounder.nearest(numbers))
    for x, y in zip(numbers, found, strict=True):
        assert same(float(y), round_fraction(Fraction(float(x)), fmt)), float(x)


@pytest.mark.parametrize("fmt", [f for f in ALL if f.precision < 9], ids=lambda f: f"{f.name}-{f.overflow.value}")
def test_every_number_and_every_tie_of_short_formats(fmt):
    top = min(ordinal(fmt.largest, fmt), 40000)
    numbers = [nth(k, fmt) for k in range(top + 1)]
    ties = [(a + b) / 2 for a, b in pairwise(numbers)]
    rounder = Rounder(fmt)
    exact = np.array([float(x) for x in (*numbers, *ties)])
    wanted = np.array([as_number(round_fraction(x, fmt)) for x in (*numbers, *ties)])
    assert np.array_equal(rounder.nearest(exact), wanted)
    assert np.array_equal(rounder.nearest(-exact), -wanted)
    low = np.full(len(ties), 1e-320)
    up, down = rounder.of_sum(np.array([float(t) for t in ties]), low), rounder.of_sum(np.array([float(t) for t in ties]), -low)
    assert np.array_equal(up, [float(x) for x in numbers[1:]])
    assert np.array_equal(down, [float(x) for x in numbers[:-1]])


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(ALL),
    st.floats(min_value=-1e30, max_value=1e30).filter(lambda x: x == 0 or abs(x) > 1e-30),
    st.floats(min_value=-1.0, max_value=1.0),
)
def test_a_sum_is_rounded_once(fmt, high, part):
    low = high * part * 2.0**-52
    found = Rounder(fmt)
    got = float(found.finish(found.of_sum(np.array([high]), np.array([low])))[0])
    assert same(got, round_fraction(Fraction(high) + Fraction(low), fmt))


def test_rounding_by_way_of_float32_would_be_another():
    x = np.array([1 + 2.0**-8 + 2.0**-30])  # above a tie of bfloat16 by less than float32 holds
    assert Rounder(FORMATS["bfloat16"]).nearest(x)[0] == 1 + 2.0**-7
    assert Rounder(FORMATS["bfloat16"]).nearest(x.astype(np.float32).astype(float))[0] == 1.0


@pytest.mark.parametrize("fmt", ALL[:6], ids=lambda f: f.name)
def test_decide_never_claims_more_than_it_knows(fmt):
    rng = np.random.default_rng(1)
    rounder = Rounder(fmt)
    value = rng.standard_normal(500) * 4
    error = np.abs(value) * 2.0 ** rng.uniform(-60, -2, 500)
    low = value * 2.0**-55 * rng.uniform(-1, 1, 500)
    for second in (None, low):
        rounded, proven = rounder.decide(value, error, second)
        decided = 0
        for k in np.flatnonzero(proven):
            middle = Fraction(value[k]) + (Fraction(second[k]) if second is not None else 0)
            for end in (middle - Fraction(error[k]), middle, middle + Fraction(error[k])):
                assert same(float(rounder.finish(rounded[k : k + 1])[0]), round_fraction(end, fmt))
            decided += 1
        assert decided > (0 if fmt.precision == 53 and second is None else 30)


@pytest.mark.parametrize("fmt", ALL[:6], ids=lambda f: f.name)
def test_an_interval_that_touches_a_tie_is_not_decided(fmt):
    one, tie = Fraction(3, 2), Fraction(3, 2) + Fraction(1, 1 << fmt.precision)
    rounder = Rounder(fmt)
    far, low = np.array([float(one)]), np.array([float(tie - one)])
    for error, wanted in ((0.0, False), (float(tie - one) * 0.9, True), (float(tie - one), False)):
        middle = low if error == 0.0 else low * 0.0
        assert bool(rounder.decide(far, np.array([error]), middle)[1][0]) is wanted


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_two_sum_is_exact(a, b):
    s, rest = two_sum(np.array([a * 1.1]), np.array([b / 3]))
    assert Fraction(float(s[0])) + Fraction(float(rest[0])) == Fraction(a * 1.1) + Fraction(b / 3)


@pytest.mark.parametrize("fmt", ALL[:6], ids=lambda f: f.name)
def test_encoding_changes_nothing(fmt):
    rng = np.random.default_rng(2)
    rounded = Rounder(fmt).nearest(rng.standard_normal(300) * 2.0 ** rng.integers(-10, 8, 300))
    assert np.array_equal(np.asarray(encode(rounded, fmt), dtype=np.float64), rounded)
    assert encode(rounded, fmt).dtype.name == fmt.name
