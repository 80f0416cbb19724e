"""Thresholds: against a table found with another program, on formats of one's own, and with lies that are seen."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction as F

import pytest

from symattn.errors import InputError
from symattn.number.elementary import correctly_rounded
from symattn.number.formats import BFLOAT16, FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT16, FLOAT32, FLOAT64, FORMATS, Format, nth, ordinal
from symattn.study import overflow
from symattn.study.formats import read_formats
from symattn.study.overflow_study import PROPERTIES, largest_stepwise_operand, stepwise_square_sum, thresholds, witness

TINY = Format("e3m2", precision=3, emin=-2, emax=4)
# ln of the largest number, largest x with exp finite, ln of the smallest normal, where exp rounds to 0, ln u, where a sum of ones sticks,
# the root of (largest / 64): facts found with another program, to the digits shown.
KNOWN = {
    "float64": (709.782713, 709.782712893384, -708.396419, -745.133219, -36.7368, 2.0**53, 1.676e153),
    "float32": (88.722839, 88.72283172607422, -87.336545, -103.972077, -16.6355, 16777216, 2.3058e18),
    "bfloat16": (88.718925, 88.5, -87.336545, -92.881722, -5.5452, 256, 2.3013e18),
    "float16": (11.089866, 11.0859375, -9.704061, -17.328680, -7.6246, 2048, 31.992),
    "float8_e5m2": (10.956823, 10.0, -9.704061, -11.783502, -2.0794, 8, 29.933),
    "float8_e4m3fn": (6.104793, 6.0, -4.158883, -6.931472, -2.7726, 16, 2.6458),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_thresholds_are_the_bounds_of_ours(name: str) -> None:
    """Ours are numbers of the format: the last one on the right side of each bound. Two columns of such tables differ from what is
    proven, and the proof wins: the root of largest / 64 is no number of the format, and where 1 + w is 1 the rounding of w counts."""
    fmt = FORMATS[name]
    found = thresholds(fmt)
    _, finite, normal, zero, absorbed, ones, root = KNOWN[name]
    step = lambda x: float(next_after(x, fmt) - x)  # noqa: E731
    assert float(found.finite_exp or 0) == pytest.approx(finite, rel=1e-15)
    assert found.vanishing_exp is not None
    assert 0 <= zero - float(found.vanishing_exp) + 1e-6 <= step(found.vanishing_exp) + 2e-6
    assert found.subnormal_exp is not None
    assert abs(normal - float(found.subnormal_exp)) <= step(found.subnormal_exp) + 1e-6
    assert found.absorbed_gap is not None
    assert abs(absorbed - float(found.absorbed_gap)) <= step(found.absorbed_gap) + 1e-4
    assert found.ones == ones
    assert found.dot_once is not None
    assert float(found.dot_once) <= root * 1.0001
    assert float(found.dot_once) + step(found.dot_once) >= root * 0.9999


def next_after(x: F, fmt: Format) -> F:
    return nth(ordinal(x, fmt) + 1, fmt)


def test_where_the_proof_differs_from_the_table() -> None:
    assert [float(thresholds(f).absorbed_gap or 0) for f in (FLOAT8_E4M3FN, FLOAT8_E5M2)] == [-2.75, -2.0]  # above ln u: -2.7726, -2.0794
    assert [float(thresholds(f).dot_once or 0) for f in (FLOAT16, FLOAT8_E4M3FN, FLOAT8_E5M2)] == [31.984375, 2.5, 28.0]
    assert thresholds(BFLOAT16).dot_once == F(255, 256) * 2**61  # 2.2968e18, not 2.3013e18


@pytest.mark.parametrize("fmt", [TINY, Format("quad", 113, -16382, 16383), Format("flat", 2, 0, 0)], ids=lambda f: f.name)
def test_formats_of_ones_own(fmt: Format) -> None:
    found = thresholds(fmt, 8)
    for name in PROPERTIES:
        witness(found, name, 8)  # raises where the next number has the property too, or this one has it not


def test_a_format_of_nine_numbers_by_hand() -> None:
    """precision 3, exponents -2 to 4: every number is tried."""
    numbers = [nth(k, TINY) for k in range(-ordinal(TINY.largest, TINY), ordinal(TINY.largest, TINY) + 1)]
    found = thresholds(TINY, 8)
    assert found.finite_exp == max(x for x in numbers if math.exp(x) < 30)  # 28 is the largest number, 30 the tie above it
    assert found.vanishing_exp == max(x for x in numbers if math.exp(x) < 1 / 32)
    assert found.dot_once == max(x for x in numbers if 8 * x * x < 30)
    assert found.dot_stepwise == max(x for x in numbers if x < 0 or isinstance(stepwise_square_sum(x, 8, TINY), F))


def test_a_planted_threshold_is_refused() -> None:
    found = thresholds(FLOAT16)
    assert found.finite_exp is not None
    low, high = (replace(found, finite_exp=nth(ordinal(found.finite_exp, FLOAT16) + k, FLOAT16)) for k in (-1, 1))
    with pytest.raises(AssertionError, match=r"still holds at 11\.|still holds at"):
        witness(low, "finite_exp", 64)
    with pytest.raises(AssertionError, match="does not hold"):
        witness(high, "finite_exp", 64)


def test_a_sum_that_sticks_allows_larger_terms() -> None:
    once, stepwise = thresholds(FLOAT8_E5M2).dot_once, largest_stepwise_operand(64, FLOAT8_E5M2)
    assert (once, stepwise) == (28, 64)
    assert stepwise_square_sum(F(64), 64, FLOAT8_E5M2) == 32768  # 8 * 4096: the eighth sum is the last that moves
    assert largest_stepwise_operand(1, FLOAT32) == thresholds(FLOAT32, 1).dot_once


def test_the_study_says_what_the_thresholds_are() -> None:
    study = overflow((FLOAT64, FLOAT16, TINY), 16)
    tables = {t.name: {row[0].text: row for row in t.rows} for t in study.tables}
    keys = {t.name: [c.key for c in t.columns] for t in study.tables}
    row = dict(zip(keys["exponential"], tables["exponential"]["float16"], strict=True))
    assert row["finite_exp"].text == "11.0859375"
    assert row["after_finite_exp"].text == "11.09375"
    assert row["log_overflow_bound"].text.startswith("11.09011")
    wide = dict(zip(keys["exponential"], tables["exponential"]["float64"], strict=True))
    assert F(wide["finite_exp"].text) == F(709.782712893384)  # in full, a float64
    assert wide["finite_exp"].shown is not None
    assert wide["finite_exp"].shown.en == "709.7827128…"
    assert correctly_rounded("exp", F(wide["finite_exp"].text), FLOAT64) != 0
    assert dict(zip(keys["sums"], tables["sums"]["e3m2"], strict=True))["ones_stick"].text == "8"
    assert study.parameters == {"formats": "float64,float16,e3m2", "d_k": "16"}
    assert all(both.es and both.en and both.es != both.en for both in (study.question, study.opening, study.conclusion, *study.notes))


def test_bad_input() -> None:
    for d_k in (0, -1, 4097):
        with pytest.raises(InputError, match=f"d_k is {d_k}"):
            overflow(d_k=d_k)
    with pytest.raises(InputError, match="no float format is given"):
        overflow(())
    with pytest.raises(InputError, match="takes too long"):
        overflow((Format("wide", 256, -100, 100),), 4096)
    for text, message in {
        "": "no float format is named",
        "flaot16": '"flaot16" is no known float format',
        "e3m2:3:-2": '"e3m2:3:-2" is no format',
        "e3m2:1:-2:4": "no even and odd numbers",
        "e3m2:3:5:4": "lies above emax",
        "float16:3:-2:4": '"float16" is a known format',
        "big:999:-2:4": "too wide",
        "a,b,c,d,e,f,g,h,i,j,k,l,m": "13 formats",
    }.items():
        with pytest.raises(InputError, match=message):
            read_formats(text)
    with pytest.raises(InputError, match="format of your own"):
        read_formats("e3m2:3:-2:4", own=False)
    assert [f.name for f in read_formats(" float16 ,e3m2:3:-2:4,float16")] == ["float16", "e3m2"]
