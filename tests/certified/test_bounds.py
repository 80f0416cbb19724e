"""The tiers' own bounds against balls: every error within its bound, on inputs that come near it; and bounds made too small are seen."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from balls_reference import attention_balls
from flint import arb

from symattn.certified import double, single
from symattn.certified.problem import Mask, Problem
from symattn.certified.scale import read_scale
from symattn.number.precision import flint_bits


def problem(kind: str) -> Problem:
    rng = np.random.default_rng(7)
    sizes = {"wide": (3, 40, 3000, 3, 1.0), "long": (3, 3000, 4, 3, 1.0), "steep": (8, 40, 16, 5, 12.0)}
    n, m, d, d_v, by = sizes.get(kind, (8, 40, 16, 5, 1.0))
    q, k, v = rng.standard_normal((n, d)) * by, rng.standard_normal((m, d)) * by, rng.standard_normal((m, d_v))
    if kind in ("wide", "long"):  # everything of one sign: errors add up
        q, k, v = (np.abs(x) + 0.3 for x in (q, k, v))
        q /= d
    bias = rng.standard_normal((n, m)) * 30 if kind == "bias" else None
    mask = Mask(n, m, array=rng.random((n, m)) < 0.7) if kind == "masked" else Mask(n, m)
    if mask.array is not None:
        mask.array[:, 0] = True
    return Problem(q, k, v, read_scale("1/sqrt(d_k)", d), bias, mask, mask.empty_rows())


def worst(p: Problem) -> dict[str, float]:
    """The greatest |computed − exact| / bound of everything the two tiers bound."""
    outputs, logs, weights = attention_balls(p.queries, p.keys, p.values, bias=p.bias, allowed=p.mask.array, bits=400)
    rows = np.arange(len(p.queries))
    found: dict[str, float] = {}

    def note(what: str, exact: list, bound: np.ndarray, *parts: np.ndarray) -> None:
        with flint_bits(400):
            ratio = 0.0
            for i, row in enumerate(exact):
                for c, ball in enumerate(row if isinstance(row, list) else [row]):
                    at = (i, c) if isinstance(row, list) else (i,)
                    if isinstance(row, list) and c >= parts[0].shape[1]:
                        continue
                    difference = ball - sum((arb(float(part[at])) for part in parts), arb(0))
                    ratio = max(ratio, abs(float(difference)) / float(bound[at]))
        found[what] = ratio

    with np.errstate(all="ignore"):
        one = single.prepare(p)
        b = single.block(one, rows)
        value, error = single.outputs(one, b)
        note("single values", outputs, error, value)
        i, c = np.nonzero(np.ones_like(value, dtype=bool))
        best, low, fine = (x.reshape(value.shape) for x in single.fine(one, b, i, c))
        note("single beside the top key", outputs, fine, best, low)
        value, error = single.logsumexp(b)
        note("single lse", logs, error, value)
        if p.mask.array is None:
            value, error = single.weight_table(b)
            note("single weights", weights, error, value)
        two = double.prepare(p)
        pairs = double.block(two, rows)
        high, low, error = double.outputs(two, pairs)
        note("double values", outputs, error, high, low)
        high, low, error = double.logsumexp(pairs)
        note("double lse", logs, error, high, low)
        if p.mask.array is None:
            high, low, error = double.weight_table(pairs)
            note("double weights", weights, error, high, low)
        assert b.usable.all()
        assert pairs.usable.all()
    return found


@pytest.mark.parametrize("kind", ["plain", "steep", "wide", "long", "bias", "masked"])
def test_every_error_is_within_its_bound(kind):
    ratios = worst(problem(kind))
    assert len(ratios) == (5 if kind == "masked" else 7)
    assert all(0 < ratio <= 1 for ratio in ratios.values()), ratios


@pytest.mark.parametrize(
    ("module", "name", "value", "kind", "seen"),
    [
        (single, "gamma", lambda n: 0.0, "wide", "single values"),
        (single, "gamma", lambda n: 0.0, "long", "single values"),
        (double, "gamma", lambda n: 0.0, "wide", "double lse"),
    ],
)
def test_a_bound_made_too_small_is_seen(monkeypatch, module, name, value, kind, seen):
    before = worst(problem(kind))
    monkeypatch.setattr(module, name, value)
    after = worst(problem(kind))
    assert after[seen] > 2 * before[seen]


def test_an_error_planted_in_a_product_is_seen(monkeypatch):
    honest = single._sums

    def tampered(weights, values):
        found = honest(weights, values)
        found[0, 0] *= 1 + 2.0**-38
        return found

    monkeypatch.setattr(single, "_sums", tampered)
    assert worst(problem("plain"))["single values"] > 1


def test_an_error_planted_in_a_slice_is_seen(monkeypatch):
    honest = double.prepare

    def tampered(p):
        found = honest(p)
        found.keys[1][0, 0] *= 1 + 2.0**-40
        return found

    monkeypatch.setattr(double, "prepare", tampered)
    assert worst(problem("plain"))["double values"] > 1


def test_an_error_planted_in_the_table_is_seen(monkeypatch):
    from symattn.certified import constants

    honest = constants.table()
    sign = np.where(np.arange(len(honest.low)) % 2, 1.0, -1.0)  # one factor for all would leave every output as it is
    wrong = constants.Table(honest.high.copy(), honest.low + sign * 2.0**-70)
    monkeypatch.setattr(constants, "table", lambda: wrong)
    assert worst(problem("plain"))["double values"] > 1


def test_a_scale_is_exact():
    for text, square in (
        ("1/sqrt(d_k)", Fraction(1, 7)),
        ("1/d_k", Fraction(1, 49)),
        ("1/sqrt(8)", Fraction(1, 8)),
        ("0.1", Fraction(1, 100)),
    ):
        assert read_scale(text, 7).square == square
    assert read_scale(0.1, 7).value == Fraction(0.1)
    assert read_scale(np.float32(0.1), 7).value == Fraction(float(np.float32(0.1)))
    assert read_scale("1/sqrt(d_k)", 16).value == Fraction(1, 4)
    assert read_scale(-2, 7).sign == -1
