"""Ties, cancellation, one-hot rows, huge and tiny numbers, subnormals, rows without keys: against the exact reading, or known by hand."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from balls_reference import attention_balls, count_wrong

from symattn import Attention, certified
from symattn.errors import MaskedRowError
from symattn.number.formats import FLOAT8_E4M3FN, FORMATS, Format, Overflow, round_to


def column(*numbers):
    return np.array(numbers, dtype=np.float64)[:, None]


def test_against_the_exact_reading():
    rng = np.random.default_rng(0)
    q, k, v = (rng.integers(-3, 4, shape) for shape in ((4, 4), (5, 4), (5, 2)))
    exact = Attention(inputs="qkv", cross=True).evaluate({"Q": q.tolist(), "K": k.tolist(), "V": v.tolist()}, numbers="exact")
    for name, fmt in FORMATS.items():
        found = certified.attention(q.astype(float), k.astype(float), v.astype(float), out=name)
        wanted = [[float(round_to(exact.output[i, c], fmt)) for c in range(2)] for i in range(4)]
        assert np.array_equal(np.asarray(found.values, float), wanted)


@pytest.mark.parametrize("method", ["tiers", "balls"])
@pytest.mark.parametrize(("last", "wanted"), [(1 + 2.0**-6, 1.0), (1 + 3 * 2.0**-6, 1 + 2.0**-6)])
def test_a_mean_on_a_tie_goes_to_the_even_number(method, last, wanted):
    # Means of 1, 1, 1 and `last`: 1 + 2**-8 and 1 + 3 · 2**-8, each halfway between two numbers of bfloat16.
    found = certified.attention(np.ones((1, 3)), np.ones((4, 3)), column(1, 1, 1, last), out="bfloat16", method=method)
    assert float(found.values[0, 0]) == wanted
    assert found.report.decided >= 1
    # A last place more or less of the values, and the mean leaves the tie.
    for moved, beside in (
        (np.nextafter(last, 9), wanted if wanted > 1 else 1 + 2.0**-7),
        (np.nextafter(last, 0), min(wanted, 1 + 2.0**-7)),
    ):
        found = certified.attention(np.ones((1, 3)), np.ones((4, 3)), column(1, 1, 1, moved), out="bfloat16", method=method)
        assert float(found.values[0, 0]) == beside


@pytest.mark.parametrize("given", ["float16", "float32"])
def test_values_on_ties_under_rows_near_one_key(given):
    rng = np.random.default_rng(1)
    q, k = ((rng.standard_normal((48, 64)) * 10).astype(given) for _ in range(2))
    v = (np.rint(rng.standard_normal((48, 16)) * 64) / 64 + 2.0**-9).astype(given)
    found = certified.attention(q, k, v, out="bfloat16")
    slow = certified.attention(q, k, v, out="bfloat16", method="balls")
    assert np.array_equal(found.values.astype(float), slow.values.astype(float))
    outputs, _, _ = attention_balls(q, k, v, bits=2048)
    right, wrong, unknown = count_wrong(found.values, outputs, "bfloat16")
    assert (wrong, unknown) == (0, 0)
    assert right == 48 * 16


def test_a_difference_no_float_sees_decides_the_side_of_a_tie():
    # The top key's value is a tie of bfloat16; the other key, e**-2000 as heavy, says on which side the output lies.
    q, k = column(1.0), column(2000.0, 0.0)
    tie = 1 + 2.0**-8
    for other, wanted in ((5.0, 1 + 2.0**-7), (-5.0, 1.0), (tie, 1.0)):
        for method in ("tiers", "balls"):
            found = certified.attention(q, k, column(tie, other), out="bfloat16", scale=1, method=method)
            assert float(found.values[0, 0]) == wanted


def test_equal_keys_that_share_a_row_and_a_third_that_hardly_counts():
    # The two top keys' mean is a tie; only the third key's far smaller weight decides.
    q, k = column(1.0), column(500.0, 500.0, 0.0)
    for third, wanted in ((9.0, 1 + 2.0**-7), (-9.0, 1.0)):
        found = certified.attention(q, k, column(1.0, 1 + 2.0**-7, third), out="bfloat16", scale=1)
        assert float(found.values[0, 0]) == wanted
        assert found.report.decided == 1


def test_the_log_of_a_sum_just_above_a_tie():
    # The score 1 + 2**-24 is a tie of float32, and the sum lies above it by e**-800000.
    q, k = column(1.0), column(1 + 2.0**-24, -800000.0)
    found = certified.attention(q, k, column(1, 2), out="float32", scale=1)
    assert found.lse[0] == np.float32(1 + 2.0**-23)
    alone = certified.attention(q, k[:1], column(1), out="float32", scale=1)
    assert alone.lse[0] == np.float32(1)


@pytest.mark.parametrize("by", [1e-320, 1e-200, 1e-30, 1e30, 1e150])
@pytest.mark.parametrize("out", ["float64", "float32", "bfloat16"])
def test_tiny_and_huge_inputs(by, out):
    rng = np.random.default_rng(2)
    q, k = rng.standard_normal((5, 3)) * by, rng.standard_normal((7, 3))
    v = rng.standard_normal((7, 2)) * by
    outputs, _, _ = attention_balls(q, k, v, bits=4096)
    found = certified.attention(q, k, v, out=out)
    assert count_wrong(found.values, outputs, out) == (10, 0, 0)


def test_numbers_of_every_size_together():
    rng = np.random.default_rng(3)
    q, k = (rng.standard_normal(s) * 10.0 ** rng.integers(-40, 3, s) for s in ((6, 4), (9, 4)))
    v = rng.standard_normal((9, 3)) * 10.0 ** rng.integers(-300, 300, (9, 3))
    outputs, logs, _ = attention_balls(q, k, v, bits=2048)
    for out in FORMATS:
        found = certified.attention(q, k, v, out=out)
        assert count_wrong(found.values, outputs, out) == (18, 0, 0)
        assert count_wrong(found.lse, logs, out) == (6, 0, 0)


def test_cancellation():
    v = np.where(np.arange(64) % 2, 1.0, -1.0)[:, None] * np.ones((1, 3))
    rng = np.random.default_rng(4)
    q, k = rng.standard_normal((5, 8)) * 1e-9, rng.standard_normal((64, 8))
    outputs, _, _ = attention_balls(q, k, v)
    for out in FORMATS:
        found = certified.attention(q, k, v, out=out)
        assert count_wrong(found.values, outputs, out) == (15, 0, 0)


def test_one_key_and_one_query():
    q, k, v = column(3.0), column(0.1), column(2.0**-140 / 3)
    for out, fmt in FORMATS.items():
        found = certified.attention(q, k, v, out=out, scale="1/sqrt(2)", weights=True)
        assert float(found.values[0, 0]) == float(round_to(Fraction(2.0**-140 / 3), fmt))
        assert float(found.weights[0, 0]) == 1.0
        _, logs, _ = attention_balls(q, k, v, square=Fraction(1, 2))
        assert count_wrong(found.lse, logs, out) == (1, 0, 0)


def test_overflow_follows_the_format():
    q, k, v = column(0.0), column(0.0), np.array([[1e6, -1e6, 460.0, 464.0, 465.0]])
    assert np.isnan(certified.attention(q, k, v, out="float8_e4m3fn").values.astype(float)).tolist() == [[True, True, False, False, True]]
    assert certified.attention(q, k, v, out="float16").values.tolist()[0][:3] == [float("inf"), float("-inf"), 460.0]
    saturated = certified.attention(q, k, v, out=FLOAT8_E4M3FN.with_overflow(Overflow.SATURATE)).values.astype(float)
    assert saturated.tolist() == [[448, -448, 448, 448, 448]]
    two = certified.attention(q, np.zeros((2, 1)), np.array([[1e300, -1e300], [1e300, 1e300]]) * 1.7e8, out="float64")
    assert two.values.tolist() == [[1e300 * 1.7e8, 0.0]]


def test_a_format_of_ones_own():
    fmt = Format("three", precision=3, emin=-2, emax=3)
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal(s) * 3 for s in ((4, 3), (6, 3), (6, 5)))
    outputs, _, _ = attention_balls(q, k, v)
    assert count_wrong(certified.attention(q, k, v, out=fmt).values, outputs, fmt) == (20, 0, 0)


@pytest.mark.parametrize("out", ["float64", "float32", "float8_e5m2"])
def test_rows_without_keys(out):
    rng = np.random.default_rng(6)
    q, k, v = (rng.standard_normal(s) for s in ((3, 2), (5, 2), (5, 2)))
    allowed = np.array([[True] * 5, [False] * 5, [True] + [False] * 4])
    with pytest.raises(MaskedRowError, match="row 1"):
        certified.attention(q, k, v, mask=allowed)
    zero = certified.attention(q, k, v, out=out, mask=allowed, masked_row="zero", weights=True)
    mean = certified.attention(q, k, v, out=out, mask=allowed, masked_row="mean", weights=True)
    nan = certified.attention(q, k, v, out=out, mask=allowed, masked_row="nan", weights=True)
    fmt = FORMATS[out]
    means = [sum(map(Fraction, v[:, c].tolist())) / 5 for c in range(2)]
    assert mean.values[1].astype(float).tolist() == [float(round_to(m, fmt)) for m in means]
    assert mean.weights[1].astype(float).tolist() == [float(round_to(Fraction(1, 5), fmt))] * 5
    assert (zero.values[1] == 0).all()
    assert (zero.weights[1] == 0).all()
    assert float(zero.lse[1]) == float(mean.lse[1]) == float("-inf")
    assert np.isnan(nan.values[1].astype(float)).all()
    assert np.isnan(float(nan.lse[1]))
    for other in (zero, mean, nan):
        assert np.array_equal(other.values[[0, 2]].astype(float), zero.values[[0, 2]].astype(float))
        assert other.values[2].astype(float).tolist() == [float(round_to(Fraction(x), fmt)) for x in v[0].tolist()]


def test_masked_numbers_may_be_anything_when_asked():
    rng = np.random.default_rng(7)
    q, k, v = (rng.standard_normal(s) for s in ((3, 2), (5, 2), (5, 2)))
    allowed = np.ones((3, 5), dtype=bool)
    allowed[:, 2] = False
    clean = certified.attention(q, k, v, mask=allowed)
    k[2], v[2] = np.nan, np.inf
    bias = np.zeros((3, 5))
    bias[:, 2] = -np.inf
    found = certified.attention(q, k, v, mask=allowed, bias=bias, nonfinite="masked")
    assert np.array_equal(found.values, clean.values)


def test_columns_of_one_value_need_no_weights():
    rng = np.random.default_rng(8)
    q, k = (rng.standard_normal(s) for s in ((3, 2), (5, 2)))
    v = np.full((5, 2), 1 + 2.0**-8)
    found = certified.attention(q, k, v, out="bfloat16")
    assert (found.values.astype(float) == 1.0).all()
    assert found.report.exact == 6


def test_softmax_far_below_every_format_and_exactly_even():
    found = certified.softmax(np.array([0.0, -5000.0, -800.0, -730.0]), out="float64")
    assert found.values[1:].tolist() == [0.0, 0.0, float(np.exp(-730.0))] or found.values[3] > 0
    assert certified.softmax(np.full(8, 123.0), out="float8_e4m3fn").values.astype(float).tolist() == [0.125] * 8
    assert certified.softmax(np.full(3, 1.0), out="float64").values.tolist() == [1 / 3] * 3
    assert certified.logsumexp(np.array([1e308, 1e308]), out="float64").values == 1e308


def test_inputs_of_two_formats_and_views():
    rng = np.random.default_rng(9)
    q = rng.standard_normal((4, 6)).astype(np.float16)
    k, v = rng.standard_normal((6, 8)).astype(ml_dtypes.bfloat16).T, rng.standard_normal((16, 3))[::2]
    k = k[:, ::1]
    v.flags.writeable = False
    outputs, _, _ = attention_balls(*(np.asarray(x, dtype=np.float64) for x in (q, k, v)))
    assert count_wrong(certified.attention(q, k, v).values, outputs, "float32") == (12, 0, 0)
    assert count_wrong(certified.attention(q.astype(">f8"), k, v).values, outputs, "float32") == (12, 0, 0)
