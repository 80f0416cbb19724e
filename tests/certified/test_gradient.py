"""Certified gradients against balls of their own making (200 bits, by the textbook's formulas), ties included."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from balls_reference import attention_balls, ball_matrix, count_wrong
from flint import arb, arb_mat, fmpq

from symattn import certified
from symattn.certified import gradient, gradient_double, gradient_single, sliced, ties
from symattn.errors import UndecidedError
from symattn.number.formats import FORMATS, round_to
from symattn.number.precision import flint_bits


def gradient_balls(q, k, v, g, bits=400, square=None, **kwargs):
    """(dQ, dK, dV) as rows of balls."""
    n, m = len(q), len(k)
    _, _, weights = attention_balls(q, k, v, bits=bits, square=square, **kwargs)
    with flint_bits(bits):
        square = Fraction(1, q.shape[1]) if square is None else square
        scale = arb(fmpq(square.numerator, square.denominator)).sqrt()
        zero = [arb(0)] * m
        p = arb_mat(n, m, [x for row in weights for x in (row or zero)])
        a = ball_matrix(g) * ball_matrix(v).transpose()
        d = [sum((p[i, j] * a[i, j] for j in range(m)), arb(0)) for i in range(n)]
        s = arb_mat(n, m, [p[i, j] * (a[i, j] - d[i]) for i in range(n) for j in range(m)])
        found = (s * ball_matrix(k) * scale, s.transpose() * ball_matrix(q) * scale, p.transpose() * ball_matrix(g))
    return [[[x[i, j] for j in range(x.ncols())] for i in range(x.nrows())] for x in found]


def arrays(found):
    return found.queries, found.keys, found.values


@pytest.mark.parametrize("by", [1.0, 6.0])
@pytest.mark.parametrize("out", list(FORMATS))
def test_every_output_format_is_the_rounding(out, by):
    rng = np.random.default_rng(1)
    q, k = rng.standard_normal((6, 5)) * by, rng.standard_normal((9, 5)) * by
    v, g = rng.standard_normal((9, 3)), rng.standard_normal((6, 3))
    found = certified.attention_grad(q, k, v, g, out=out)
    for array, balls in zip(arrays(found), gradient_balls(q, k, v, g), strict=True):
        assert array.dtype.name == out
        assert count_wrong(array, balls, out)[1:] == (0, 0)
    assert found.report.entries == 30 + 45 + 27
    slow = certified.attention_grad(q, k, v, g, out=out, method="balls")
    assert all(np.array_equal(a.astype(float), b.astype(float)) for a, b in zip(arrays(found), arrays(slow), strict=True))


def test_options():
    rng = np.random.default_rng(2)
    q, k, v, g = (rng.standard_normal(s) for s in ((4, 3), (6, 3), (6, 2), (4, 2)))
    bias, allowed = rng.standard_normal((4, 6)), rng.random((4, 6)) < 0.6
    allowed[:, 1] = True
    found = certified.attention_grad(q, k, v, g, out="float64", scale="1/2", bias=bias, mask=allowed)
    for array, balls in zip(arrays(found), gradient_balls(q, k, v, g, square=Fraction(1, 4), bias=bias, allowed=allowed), strict=True):
        assert count_wrong(array, balls, "float64")[1:] == (0, 0)


def test_heads_that_share_keys_add_up():
    rng = np.random.default_rng(3)
    q, k, v, g = (rng.standard_normal(s) for s in ((4, 3, 2), (2, 5, 2), (2, 5, 3), (4, 3, 3)))
    found = certified.attention_grad(q, k, v, g, out="float32")
    for group in range(2):
        parts = [gradient_balls(q[h], k[group], v[group], g[h]) for h in (2 * group, 2 * group + 1)]
        for h, part in zip((2 * group, 2 * group + 1), parts, strict=True):
            assert count_wrong(found.queries[h], part[0], "float32")[1:] == (0, 0)
        with flint_bits(400):
            sums = [[[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(parts[0][w], parts[1][w], strict=True)] for w in (1, 2)]
        assert count_wrong(found.keys[group], sums[0], "float32")[1:] == (0, 0)
        assert count_wrong(found.values[group], sums[1], "float32")[1:] == (0, 0)


@pytest.mark.parametrize("masked_row", ["zero", "mean"])
def test_rows_without_keys(masked_row):
    rng = np.random.default_rng(4)
    q, k, v, g = (rng.standard_normal(s) for s in ((3, 2), (4, 2), (4, 2), (3, 2)))
    allowed = np.array([[True] * 4, [False] * 4, [True, True, False, False]])
    found = certified.attention_grad(q, k, v, g, out="float64", mask=allowed, masked_row=masked_row)
    balls = gradient_balls(q, k, v, g, allowed=allowed)
    if masked_row == "mean":
        with flint_bits(400):
            balls[2] = [[x + arb(float(g[1, c])) / 4 for c, x in enumerate(row)] for row in balls[2]]
    for array, rows in zip(arrays(found), balls, strict=True):
        assert count_wrong(array, rows, "float64")[1:] == (0, 0)
    assert (found.queries[1] == 0).all()


def test_gradients_far_below_one_lose_no_digits():
    # Rows near one key: dS is e**-600 or so, the difference of numbers that agree to 800 bits.
    q, k = np.array([[30.0], [-30.0]]), np.array([[20.0], [0.0], [-1.0]])
    v, g = np.array([[1.0], [0.3], [0.7]]), np.array([[1.0], [0.1]])
    found = certified.attention_grad(q, k, v, g, out="float64")
    for array, rows in zip(arrays(found), gradient_balls(q, k, v, g, bits=6000), strict=True):
        assert count_wrong(array, rows, "float64")[1:] == (0, 0)
    assert 0 < abs(found.queries[0, 0]) < 1e-200


def test_ties_are_looked_up():
    tie = 1 + 2.0**-8
    # One row, all scores equal: dV = g/2, and g/2 is a tie of bfloat16.
    found = certified.attention_grad(np.zeros((1, 1)), np.ones((2, 1)), np.ones((2, 1)), np.array([[2 * tie]]), out="bfloat16")
    assert found.values.astype(float).tolist() == [[1.0], [1.0]]
    # Two rows whose weights are s and 1 − s, transcendental each: their sum is 1 exactly, and only that decides.
    q, k, g = np.array([[1.0], [-1.0]]), np.array([[1.0], [0.0]]), np.array([[tie], [tie]])
    found = certified.attention_grad(q, k, np.array([[1.0], [2.0]]), g, out="bfloat16")
    assert found.values.astype(float).tolist() == [[1.0], [1.0]]
    beside = np.array([[tie], [np.nextafter(tie, 2)]])
    found = certified.attention_grad(q, k, np.array([[1.0], [2.0]]), beside, out="bfloat16")
    assert found.values.astype(float).tolist() == [[1 + 2.0**-7], [1 + 2.0**-7]]


def test_a_key_that_takes_all_but_e_to_the_minus_40000():
    q, k = np.array([[200.0]]), np.array([[200.0], [0.0]])
    tie = 1 + 2.0**-8
    for g, wanted in ((tie, 1.0), (-tie, -1.0)):  # dV of the top key is g (1 − tiny): below the tie in magnitude
        found = certified.attention_grad(q, k, np.array([[1.0], [2.0]]), np.array([[g]]), out="bfloat16", scale=1)
        assert float(found.values[0, 0].astype(float)) == wanted
        assert float(found.values[1, 0].astype(float)) == 0.0


@pytest.mark.parametrize("scale", [1, "1/sqrt(3)"])
def test_two_keys_that_share_a_row_but_for_e_to_the_minus_40000(scale):
    q, k = np.array([[200.0]]), np.array([[200.0], [200.0], [0.0]])
    tie = 1 + 2.0**-8
    v = np.array([[1.0], [5.0], [2.0]])
    found = certified.attention_grad(q, k, v, np.array([[2 * tie]]), out="bfloat16", scale=scale)
    assert found.values.astype(float).tolist() == [[1.0], [1.0], [0.0]]  # g (1/2 − tiny): below the tie
    # dK = scale · dS q, dS = (∓ g + tiny parts) 2 / 2 …: with scale 1 and q = 200, on ties of bfloat16 but for what the third key takes.
    slow = gradient_balls(q, k, v, np.array([[2 * tie]]), bits=200000, square=Fraction(1) if scale == 1 else Fraction(1, 3))
    assert count_wrong(found.keys, slow[1], "bfloat16") == (3, 0, 0)
    assert count_wrong(found.queries, slow[0], "bfloat16") == (1, 0, 0)


def group(q, k, v, g):
    heads = certified.attend.Heads.take(q, k, v, "1/sqrt(d_k)", None, None, None, None, "error")
    return ties.Group(tuple(heads), (g,), False)


def test_the_tie_test_answers_both_ways():
    q, k, g = np.array([[1.0], [-1.0]]), np.array([[1.0], [0.0]]), np.array([[1.5], [1.5]])
    one = group(q, k, np.array([[1.0], [2.0]]), g)
    assert ties.tie_holds(one, "dV", (0, 0), Fraction(3, 2))
    assert not ties.tie_holds(one, "dV", (0, 0), Fraction(3, 2) + Fraction(1, 1 << 60))
    assert not ties.tie_holds(one, "dK", (0, 0), Fraction(1, 2))
    other = group(q, k, np.array([[1.0], [2.0]]), np.array([[1.5], [1.25]]))
    assert not ties.tie_holds(other, "dV", (0, 0), Fraction(3, 2))
    # Scores all 0: dQ = mean (a − mean a) k, rational: a = (1, 2), k = (1, 0) gives −1/4.
    flat = group(np.zeros((1, 1)), k, np.array([[1.0], [2.0]]), np.ones((1, 1)))
    assert ties.tie_holds(flat, "dQ0", (0, 0), Fraction(-1, 4))
    assert not ties.tie_holds(flat, "dQ0", (0, 0), Fraction(1, 4))


def test_a_wrong_tie_test_would_be_seen(monkeypatch):
    monkeypatch.setattr(gradient, "tie_holds", lambda *_: False)
    monkeypatch.setattr(gradient, "CAP_BITS", 1 << 11)
    tie = 1 + 2.0**-8
    q, k, g = np.array([[1.0], [-1.0]]), np.array([[1.0], [0.0]]), np.array([[tie], [tie]])
    with pytest.raises(UndecidedError, match=r"dV\[0, 0\]"):
        certified.attention_grad(q, k, np.array([[1.0], [2.0]]), g, out="bfloat16")


def test_one_key_has_no_gradient_but_its_value():
    found = certified.attention_grad(np.ones((2, 3)), np.ones((1, 3)), np.ones((1, 2)), np.array([[1.0, 0.1], [2.0, 0.2]]), out="float64")
    assert not found.queries.any()
    assert not found.keys.any()
    assert found.values.tolist() == [[3.0, float(round_to(Fraction(0.1) + Fraction(0.2), FORMATS["float64"]))]]


def worst(q, k, v, g, road):
    """The greatest |computed − exact| / bound of a float road's gradients."""
    (d_q,), d_k, d_v = road.gradients(group(q, k, v, g))
    ratios = []
    for found, exact in zip((d_q, d_k, d_v), gradient_balls(q, k, v, g, bits=1200), strict=True):
        with flint_bits(1200):
            for i, row in enumerate(exact):
                for c, ball in enumerate(row):
                    difference = ball - arb(float(found.value[i, c])) - arb(float(found.low[i, c]))
                    ratios.append(abs(float(difference)) / float(found.error[i, c]))
    return max(ratios)


SHAPES = [(6, 40, 8, 5, 1.0), (40, 6, 8, 5, 1.0), (6, 40, 8, 5, 9.0), (5, 300, 4, 2, 1.0), (3, 20, 300, 3, 1.0)]


ROADS = {"single": gradient_single, "double": gradient_double}


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_error_is_within_its_bound(shape, road):
    n, m, d, d_v, by = shape
    rng = np.random.default_rng(5)
    q, k, v, g = (rng.standard_normal(s) for s in ((n, d), (m, d), (m, d_v), (n, d_v)))
    assert 0 < worst(q * by, k * by, v, g, ROADS[road]) <= 1


@pytest.mark.parametrize(("road", "by"), [("single", 2.0**-36), ("double", 2.0**-76)])
def test_an_error_planted_in_a_weight_is_seen(monkeypatch, road, by):
    module = ROADS[road]
    tier = getattr(module, road)
    honest = tier.block

    def tampered(head, rows, **options):
        found = honest(head, rows, **options)
        other = 1 - min(int(found.top[0]), 1)
        if road == "single":
            found.weights[0, other] *= 1 + by
        else:
            found.weights[1][0, other] += found.weights[0][0, other] * by
        return found

    rng = np.random.default_rng(6)
    q, k, v, g = (rng.standard_normal(s) for s in ((3, 4), (5, 4), (5, 2), (3, 2)))
    assert worst(q, k, v, g, module) <= 1
    monkeypatch.setattr(tier, "block", tampered)
    assert worst(q, k, v, g, module) > 1


def test_products_of_pairs_keep_their_bounds():
    def exact(p):
        return [[Fraction(float(a)) + Fraction(float(b)) for a, b in zip(r, s, strict=True)] for r, s in zip(p.high, p.low, strict=True)]

    rng = np.random.default_rng(7)

    def made(*shape):
        high = rng.standard_normal(shape) / 8
        return sliced.Pair(high, high * 2.0**-54 * rng.uniform(-1, 1, shape))

    for inner in (1, 40, 300):
        x, y = made(3, inner), made(inner, 2)
        found, error = sliced.product(x, sliced.cut(y))
        sums, sum_error = sliced.row_sums(x)
        a, b, c, d = exact(x), exact(y), exact(found), exact(sums)
        for i in range(3):
            assert abs(d[i][0] - sum(a[i])) <= Fraction(float(sum_error[i, 0]))
            for j in range(2):
                wanted = sum(a[i][k] * b[k][j] for k in range(inner))
                assert abs(c[i][j] - wanted) <= Fraction(float(error[i, j]))
        assert error.max() < 2.0**-75


def test_every_tier_takes_part():
    rng = np.random.default_rng(8)
    q, k, v, g = (rng.standard_normal((40, 8)) for _ in range(4))
    assert certified.attention_grad(q, k, v, g, out="float64").report.double == 3 * 320
    found = certified.attention_grad(q, k, v, g, out="float32")
    assert found.report.single > 900
    assert found.report.decided == 0
