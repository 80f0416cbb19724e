"""Errors against proven values and bounds: the published experiment reproduced, bounds that hold, and lies that break them."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction as F

import flint
import numpy as np
import pytest

from symattn.errors import InputError
from symattn.number.formats import BFLOAT16, FLOAT8_E5M2, FLOAT16, FLOAT32, FLOAT64, FORMATS, Format, nth, ordinal, round_fraction
from symattn.program.attention import Attention
from symattn.study import error
from symattn.study import error_study as s
from symattn.study.bounds import VERIFIED, Model, shifted_bounds, unshifted_bounds
from symattn.study.published import ALGORITHMS, as_published, experiment, logits, softmax_program
from symattn.study.seeded import Draw
from symattn.study.tiles import trend
from symattn.study.truth import Truth, truths
from symattn.study.vector import array_table, dtype_of, read_arrays, round_array


# -- the reference ------------------------------------------------------------------------------------------------------
def test_truth_is_the_exact_value_and_says_its_rounding() -> None:
    feeds = {name: round_array(Draw(2).normal(4, 3), FLOAT16) for name in "QKV"}
    program = Attention(inputs="qkv").program("plain", n=4, d_k=3, d_v=3)
    found = truths(program, feeds, ("output",))["output"]
    balls = program.evaluate(feeds, numbers="balls", bits=300, binary=True)["output"]
    from symattn.interp.agree import enclosure

    for high, low, radius, entry in zip(found.high.flat, found.low.flat, found.radius.flat, balls.entries, strict=True):
        ball = enclosure(entry, 200)
        assert ball is not None
        middle = (ball.lo + ball.hi) / 2
        assert abs(F(float(high)) + F(float(low)) - middle) <= F(float(radius))
        assert radius < 1e-28
    for fmt in FORMATS.values():
        for got, entry in zip(found.rounded(fmt).astype(float).flat, balls.entries, strict=True):
            ball = enclosure(entry, 200)
            assert ball is not None
            assert F(float(got)) == round_fraction((ball.lo + ball.hi) / 2, fmt)


def test_a_tie_is_decided_by_the_rest() -> None:
    tie = np.array([1 + 2.0**-11, 1 + 2.0**-11, 1 + 3 * 2.0**-11])
    truth = Truth(tie, np.array([1e-20, -1e-20, -1e-20]), np.zeros(3))
    assert truth.rounded(FLOAT16).astype(float).tolist() == [1 + 2.0**-10, 1.0, 1 + 2.0**-10]
    from symattn.errors import UndecidedError

    with pytest.raises(UndecidedError, match="does not decide"):
        replace(truth, radius=np.full(3, 1e-19)).rounded(FLOAT16)
    with pytest.raises(UndecidedError, match="float64"):
        Truth(np.array([1.0]), np.array([2.0**-53]), np.array([1e-30])).rounded(FLOAT64)


def test_errors_are_exact_where_float64_is_not() -> None:
    truth = Truth(np.array([1.0]), np.array([2.0**-60]), np.zeros(1))
    assert truth.error(np.array([1.0]))[0] == 2.0**-60
    assert truth.error(np.array([math.nan]))[0] == math.inf
    assert truth.ulps(np.array([1 + 2.0**-10], np.float16), FLOAT16)[0] == pytest.approx(1)


# -- the published experiment ---------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def published() -> dict[Format, dict]:  # type: ignore[type-arg]
    return {fmt: experiment(fmt) for fmt in (FLOAT16, BFLOAT16)}


def test_the_data_come_with_their_notice() -> None:
    from importlib.resources import files

    notice = files("symattn.study").joinpath("data").joinpath("NOTICE").read_text(encoding="utf-8")
    assert "Copyright (c) 2019, Desmond J. Higham and Nicholas J. Higham" in notice
    assert "Redistribution and use in source and binary forms" in notice
    assert logits().shape == (2500, 10)


def test_475_overflows_and_none_shifted(published: dict) -> None:  # type: ignore[type-arg]
    assert [published[FLOAT16][a].overflows for a in ALGORITHMS] == [475] * 3 + [0] * 6
    assert [published[BFLOAT16][a].overflows for a in ALGORITHMS] == [0] * 9


def test_no_bound_is_violated_and_a_smaller_one_would_be(published: dict) -> None:  # type: ignore[type-arg]
    for results in published.values():
        for result in results.values():
            assert result.violations == 0
            assert replace(result, bounds=result.bounds / 12).violations > 0
            assert np.isfinite(result.bounds[np.isfinite(result.errors)]).all()


def test_the_published_maxima(published: dict) -> None:  # type: ignore[type-arg]
    """Largest error over u, to the digits of the reproduction that was made with another program."""
    worst = {fmt: {a: float(np.nanmax(r.errors)) for a, r in results.items()} for fmt, results in published.items()}
    known = {
        FLOAT16: {
            "lse": 1.50,
            "softmax": 4.70,
            "division_free": 10.3,
            "published_lse": 1.07,
            "published_softmax": 2.05,
            "published_division_free": 8.30,
        },
        BFLOAT16: {
            "lse": 1.23,
            "softmax": 3.07,
            "division_free": 9.50,
            "published_lse": 1.02,
            "published_softmax": 1.80,
            "published_division_free": 8.37,
        },
    }
    for fmt, values in known.items():
        for name, value in values.items():
            assert worst[fmt][name] == pytest.approx(value, rel=0.006), (fmt.name, name)
    mean = {a: float(np.nanmean(r.errors)) for a, r in published[FLOAT16].items()}
    assert mean["softmax"] == pytest.approx(0.71, abs=0.01)
    assert mean["division_free"] == pytest.approx(3.15, abs=0.01)


def test_division_free_is_about_five_times_worse(published: dict) -> None:  # type: ignore[type-arg]
    ratios = [
        np.nanmean(published[fmt][f"{p}division_free"].errors) / np.nanmean(published[fmt][f"{p}softmax"].errors)
        for fmt in (FLOAT16, BFLOAT16)
        for p in ("", "published_")
    ]
    assert all(3.5 < r < 6 for r in ratios)
    assert 4 < float(np.mean(ratios)) < 5.5


def test_sums_of_weights(published: dict) -> None:  # type: ignore[type-arg]
    sums = published[FLOAT16]["softmax"].sums
    assert (round(float(np.nanmin(sums)), 4), round(float(np.nanmax(sums)), 4)) == (0.9984, 1.0024)
    free = published[BFLOAT16]["division_free"].sums
    assert (round(float(np.nanmin(free)), 3), round(float(np.nanmax(free)), 3)) == (0.963, 1.037)


def test_their_algorithm_leaves_one_maximum_out() -> None:
    x = np.array([[1.0, 3.0, 3.0, 2.0]], np.float16)
    found = as_published(x, FLOAT16)
    e = np.exp(np.array([-2.0, 0.0, -1.0]).astype(np.float16))
    assert found["row_sums"][0] == (e[0] + e[1]) + e[2]
    assert float(found["weights"].astype(float).sum()) == pytest.approx(1, abs=2e-3)


def test_bounds_have_the_published_leading_constants() -> None:
    """As u goes to 0, bound / u tends to the constants in the docstrings; exp and log with error u, nothing underflows."""
    x = np.array([[0.5, -1.25, 3.0, 2.0, 0.0]])
    e = np.exp(x - 3.0)
    y = 3.0 + np.log(e.sum(axis=1))
    g = e / e.sum()
    model = Model(1e-9, 1e-9, 1e-9, 0.0)
    n, top, low = 5, 3.0, -1.25
    plain, shifted = unshifted_bounds(x, y, g, model), shifted_bounds(x, y, g, model)
    size = abs(float(y[0]))
    assert float(plain.lse[0]) / 1e-9 == pytest.approx(size + n, rel=1e-6)
    assert float(plain.softmax[0]) / 1e-9 == pytest.approx((n + 2) * g.max(), rel=1e-6)
    assert float(shifted.lse[0]) / 1e-9 == pytest.approx(size + (size - top) + n + (top - low), rel=1e-6)
    by_entry = [(n + 2 + (top - v) + (top - low)) * w for v, w in zip(x[0], g[0], strict=True)]
    assert float(shifted.softmax[0]) / 1e-9 == pytest.approx(max(by_entry), rel=1e-6)
    free = max((size + n + abs(v - float(y[0])) + 1) * w for v, w in zip(x[0], g[0], strict=True))
    assert float(plain.division_free[0]) / 1e-9 == pytest.approx(free, rel=1e-6)


@pytest.mark.parametrize("op", ["exp", "log"])
@pytest.mark.parametrize("fmt", [FLOAT16, BFLOAT16], ids=lambda f: f.name)
def test_exp_and_log_of_16_bits_keep_their_error_on_every_argument(op: str, fmt: Format) -> None:
    """What bounds.py takes for verified: relative error at most VERIFIED u where the result is normal, else VERIFIED half steps."""
    top = ordinal(fmt.largest, fmt)
    numbers = [float(nth(k, fmt)) for k in range(-top if op == "exp" else 1, top + 1)]
    if op == "exp":
        numbers = [x for x in numbers if -110 < x < 90]
    x = np.array(numbers).astype(dtype_of(fmt))
    with np.errstate(all="ignore"):
        got = array_table(fmt).scalar[op](x).astype(float)
    u, h = float(fmt.unit_roundoff), float(fmt.smallest) / 2
    worst = 0.0
    for value, result in zip(numbers, got, strict=True):
        if not math.isfinite(result):
            assert op == "exp"
            assert value > math.log(float(fmt.largest)) - 1e-9
            continue
        ball = getattr(flint.arb(value), op)()
        off = abs(float(ball - flint.arb(result)))
        size = abs(float(ball))
        allowed = VERIFIED * max(u * size, h if size < float(fmt.smallest_normal) else 0.0)
        worst = max(worst, off / allowed if allowed else 0.0)
        assert off <= allowed, (value, result)
    assert worst > 0.4  # the check sees errors at all


# -- attention ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("spread", [1.0, 4.0])
@pytest.mark.parametrize("fmt", [FLOAT64, FLOAT32, FLOAT16, BFLOAT16, FLOAT8_E5M2], ids=lambda f: f.name)
def test_no_attention_bound_is_violated(fmt: Format, spread: float) -> None:
    for seed in (0, 1):
        for found in s.errors(fmt, tokens=20, d_k=8, spread=spread, block=6, seed=seed):
            assert found.violations == 0, found
            if fmt.precision > 20:
                assert found.bound is not None
                assert 1 < found.scaled < found.bound
            assert 0 <= found.correct <= 1


def test_an_attention_bound_too_small_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = s.attention_bound
    monkeypatch.setattr(s, "attention_bound", lambda *a: honest(*a) / 200)
    assert all(e.violations > 0 for e in s.errors(FLOAT32, tokens=20, d_k=8))


def test_a_perfect_output_is_correctly_rounded() -> None:
    """With one token the output is its value; only the deferred division, (e v) / e, may miss it."""
    found = s.errors(FLOAT16, tokens=1, d_k=4)
    assert all(e.correct == 1 and e.worst_ulps == 0 for e in found if e.algorithm != "deferred")


def test_overflow_is_counted() -> None:
    found = {e.algorithm: e for e in s.errors(FLOAT16, tokens=16, d_k=8, spread=6.0)}
    assert found["plain"].not_finite > 0
    assert found["shifted"].not_finite == 0


def test_blocks() -> None:
    assert s.blocks_of(64, 16) == (16,) * 4
    assert s.blocks_of(7, 3) == (3, 3, 1)
    assert s.blocks_of(2, 5) == (2,)


# -- tiles ------------------------------------------------------------------------------------------------------------------
def test_both_sides_of_the_tile_argument_are_right() -> None:
    found = trend(0)
    narrow, wide, stepwise = (found.ratios[k] for k in ("narrow", "wide", "stepwise"))
    assert narrow[0] > 1.8  # 16 keys a tile, state in 16 bits: worse than one pass
    assert narrow[0] > narrow[2] > narrow[-1]
    assert 0.9 < narrow[-1] < 1.1  # one tile is one pass
    assert all(0.3 < r < 0.6 for r in wide)  # state in 32 bits: better than one pass, whatever the tile
    assert stepwise[-1] > 5 * stepwise[0]  # sums in 16 bits: short blocks are better
    assert found.baseline > 1.5


def test_the_study() -> None:
    study = error((FLOAT32,), tokens=16, d_k=8, seed=1)
    assert [t.name for t in study.tables] == ["attention", "published", "tiles"]
    assert [len(t.rows) for t in study.tables] == [5, 18, 7]
    assert "475" in study.conclusion.en
    assert "475" in study.conclusion.es


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"formats": ()}, "no float format"),
        ({"tokens": 1}, "tokens is 1"),
        ({"d_k": 0}, "d_k is 0"),
        ({"block": 0}, "block is 0"),
        ({"spread": 0.0}, "the spread is 0"),
        ({"spread": math.nan}, "the spread is nan"),
        ({"seed": -3}, "the seed is -3"),
        ({"formats": (FLOAT8_E5M2,), "spread": 900000.0}, "the spread is 900000"),
        ({"formats": (FORMATS["float8_e4m3fn"],), "spread": 1000.0}, "the inputs overflow float8_e4m3fn"),
    ],
)
def test_bad_input(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        error(**arguments)  # type: ignore[arg-type]


def test_softmax_program_matches_the_attention_program() -> None:
    x = round_array(Draw(3).normal(1, 6) * 3, FLOAT16)
    ours = read_arrays(softmax_program(1, 6, shifted=True), {"x": x}, FLOAT16)["weights"]
    attention = Attention(inputs="qkv", cross=True, scale=1).program("shifted", n=1, m=6, d_k=1, d_v=1)
    feeds = {"Q": np.ones((1, 1), np.float16), "K": x.T.copy(), "V": np.ones((6, 1), np.float16)}
    assert (ours == read_arrays(attention, feeds, FLOAT16)["weights"]).all()
