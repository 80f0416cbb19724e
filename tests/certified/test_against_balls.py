"""Certified results against 256-bit Arb: every format in and out, scales, odd sizes, masks, biases, heads."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from balls_reference import attention_balls, count_wrong

from symattn import certified
from symattn.number.formats import FORMATS

DTYPES = {name: np.dtype(getattr(ml_dtypes, name, name)) for name in FORMATS}


def normal(rng, dtype, *shapes, by=1.0):
    return [(rng.standard_normal(shape) * by).astype(np.float32 if dtype.itemsize < 4 else dtype).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("by", [1.0, 10.0])
@pytest.mark.parametrize("given", list(FORMATS))
def test_every_output_format_is_the_rounding(given, by):
    rng = np.random.default_rng([len(given), int(by)])
    q, k, v = normal(rng, DTYPES[given], (9, 7), (23, 7), (23, 5), by=by if not given.startswith("float8") else 1.0)
    outputs, logs, weights = attention_balls(q, k, v)
    for out in FORMATS:
        found = certified.attention(q, k, v, out=out, weights=True)
        assert found.values.dtype == DTYPES[out]
        for array, balls in ((found.values, outputs), (found.lse, logs), (found.weights, weights)):
            right, wrong, unknown = count_wrong(array, balls, out)
            assert wrong == 0
            assert unknown <= right // 5  # exact ties of short formats, which no precision of balls decides
        assert found.report.entries == 9 * (5 + 1 + 23)


@pytest.mark.parametrize("out", list(FORMATS))
def test_the_balls_alone_give_the_same(out):
    rng = np.random.default_rng(5)
    q, k, v = normal(rng, DTYPES["float16"], (12, 8), (20, 8), (20, 6), by=5.0)
    fast = certified.attention(q, k, v, out=out, weights=True)
    slow = certified.attention(q, k, v, out=out, weights=True, method="balls")
    assert slow.report.single == slow.report.double == 0
    for name in ("values", "lse", "weights"):
        assert np.array_equal(np.asarray(getattr(fast, name), float), np.asarray(getattr(slow, name), float), equal_nan=True)


@pytest.mark.parametrize("out", ["float64", "float32", "bfloat16"])
def test_masks_bias_and_scale(out):
    rng = np.random.default_rng(8)
    q, k, v = normal(rng, DTYPES["float32"], (11, 6), (17, 6), (17, 4), by=2.0)
    bias = rng.standard_normal((11, 17)) * 3
    allowed = rng.random((11, 17)) < 0.5
    allowed[:, 3] = True
    from fractions import Fraction

    outputs, logs, weights = attention_balls(q, k, v, square=Fraction(1, 9), bias=bias, allowed=allowed)
    found = certified.attention(q, k, v, out=out, scale="1/3", bias=bias, mask=allowed, weights=True)
    assert count_wrong(found.values, outputs, out) == (44, 0, 0)
    assert count_wrong(found.lse, logs, out) == (11, 0, 0)
    assert count_wrong(found.weights, weights, out) == (187, 0, 0)


@pytest.mark.parametrize(("offset", "window"), [(0, None), (6, None), (6, 4)])
@pytest.mark.parametrize("out", ["float64", "float16"])
def test_causal_masks_compare_positions(out, offset, window):
    rng = np.random.default_rng(9)
    q, k, v = normal(rng, DTYPES["float64"], (11, 6), (17, 6), (17, 4))
    i, j = np.arange(11)[:, None] + offset, np.arange(17)
    allowed = (j <= i) & (j > i - (window or 100))
    found = certified.attention(q, k, v, out=out, mask="window" if window else "causal", window=window, query_offset=offset)
    outputs, logs, _ = attention_balls(q, k, v, allowed=allowed)
    assert count_wrong(found.values, outputs, out)[1:] == (0, 0)
    assert count_wrong(found.lse, logs, out)[1:] == (0, 0)


def test_batches_and_grouped_heads():
    rng = np.random.default_rng(10)
    q, k, v = normal(rng, DTYPES["float32"], (2, 6, 5, 4), (2, 3, 7, 4), (2, 3, 7, 3))
    found = certified.attention(q, k, v, out="float32", weights=True)
    assert (found.values.shape, found.lse.shape, found.weights.shape) == ((2, 6, 5, 3), (2, 6, 5), (2, 6, 5, 7))
    for b in range(2):
        for h in range(6):
            one = certified.attention(q[b, h], k[b, h // 2], v[b, h // 2], out="float32", weights=True)
            assert np.array_equal(found.values[b, h], one.values)
            assert np.array_equal(found.lse[b, h], one.lse)
            assert np.array_equal(found.weights[b, h], one.weights)


def test_more_keys_than_a_block_and_more_rows():
    rng = np.random.default_rng(11)
    q, k, v = normal(rng, DTYPES["float64"], (3, 4), (1200, 4), (1200, 2))
    outputs, logs, _ = attention_balls(q, k, v)
    for out in ("float64", "float32"):
        found = certified.attention(q, k, v, out=out)
        assert count_wrong(found.values, outputs, out) == (6, 0, 0)
        assert count_wrong(found.lse, logs, out) == (3, 0, 0)
    many = certified.attention(k, q, v[:3], out="float32")
    outputs, _, _ = attention_balls(k[::97], q, v[:3])
    assert count_wrong(many.values[::97], outputs, "float32")[1:] == (0, 0)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("out", ["float64", "float32", "float8_e5m2"])
def test_softmax_and_logsumexp_along_an_axis(out, axis):
    rng = np.random.default_rng(12)
    x = rng.standard_normal((4, 3, 6)) * 20
    share, log = certified.softmax(x, out=out, axis=axis), certified.logsumexp(x, out=out, axis=axis)
    rows = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
    zero = np.zeros((len(rows), 1)), np.zeros((x.shape[axis], 1))
    _, logs, weights = attention_balls(zero[0], zero[1], zero[1], bias=rows)
    got = np.moveaxis(share.values, axis, -1).reshape(rows.shape)
    assert count_wrong(got, weights, out)[1:] == (0, 0)
    assert count_wrong(log.values.ravel(), logs, out)[1:] == (0, 0)


@pytest.mark.parametrize("out", list(FORMATS))
def test_one_last_place_too_much_is_seen(out):
    rng = np.random.default_rng(13)
    q, k, v = normal(rng, DTYPES["float64"], (3, 4), (5, 4), (5, 2))
    outputs, _, _ = attention_balls(q, k, v)
    found = certified.attention(q, k, v, out=out).values
    assert count_wrong(found, outputs, out) == (6, 0, 0)
    wrong = found.copy()
    wrong.view(f"u{wrong.dtype.itemsize}")[1, 1] += 1
    assert count_wrong(wrong, outputs, out) == (5, 1, 0)
