"""Spread of dot products: exact, simulated with intervals that cover, and how many samples printed digits need."""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import pytest

from symattn.errors import InputError
from symattn.number.samples import dot_product_kurtosis, samples_for
from symattn.study import scaling
from symattn.study.scaling_study import simulate_effects, simulate_spread
from symattn.study.seeded import Draw


@pytest.mark.parametrize("kind", ["normal", "uniform", "signs"])
def test_intervals_cover_the_exact_deviation(kind: str) -> None:
    """95 % intervals: of 200, between 180 and 198 cover (a binomial count leaves that range less than once in a thousand runs)."""
    draw = Draw(11)
    found = [simulate_spread(draw, 9, 400, kind) for _ in range(200)]
    covering = sum(s.low <= 3 <= s.high for s in found)
    assert 180 <= covering <= 198
    assert sum(s.low <= 3.3 <= s.high for s in found) < 100  # another deviation is not covered so often


def test_the_kurtosis_is_that_of_the_products() -> None:
    draw = Draw(2)
    for kind, entry in (("normal", F(3)), ("signs", F(1))):
        products = np.einsum("ij,ij->i", draw.entries(kind, 200_000, 4), draw.entries(kind, 200_000, 4))
        assert (products**4).mean() / 16 == pytest.approx(float(dot_product_kurtosis(4, entry)), rel=0.05)


def test_samples_for_digits() -> None:
    """Two standard errors of sigma = 2 with kurtosis 4.5 are 0.005 at 560,000 samples."""
    assert samples_for(2, F(4), F(9, 2)) == 560_000
    error = 2 * 2 * math.sqrt(3.5 / (4 * 560_000))
    assert error == pytest.approx(0.005)
    assert samples_for(1, F(4), F(9, 2)) == 5_600


def test_the_printed_table_is_reproduced() -> None:
    study = scaling(samples=4000, rows=50, seed=3)
    table = study.tables[0]
    keys = [c.key for c in table.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in table.rows]
    assert [r["d_k"].text for r in rows] == ["4", "16", "64", "256", "1024"]
    assert [r["exact"].text for r in rows] == ["2", "4", "8", "16", "32"]
    assert [r["printed"].text for r in rows] == ["2.00", "4.01", "7.96", "16.06", "31.94"]
    assert [r["ordinary_up_to"].text for r in rows] == ["any", "1520000", "109387", "171239", "679008"]
    assert [int(r["samples_for_two_decimals"].text) for r in rows] == [560_000, 1_520_000, 5_360_000, 20_720_000, 82_160_000]
    for r in rows:
        assert float(r["simulated"].text) == pytest.approx(float(r["exact"].text), rel=0.06)
        assert float(r["low"].text) < float(r["simulated"].text) < float(r["high"].text)
    again = scaling(samples=4000, rows=50, seed=3)
    assert again.tables == study.tables
    assert scaling(samples=4000, rows=50, seed=4).tables != study.tables


def test_what_each_divisor_does() -> None:
    found = {d: simulate_effects(Draw(1), d, 100, 32) for d in (4, 1024)}
    for d in (4, 1024):
        assert found[d]["none"].spread == pytest.approx(math.sqrt(d), rel=0.1)
        assert found[d]["root"].spread == pytest.approx(1, rel=0.1)
        assert found[d]["full"].spread == pytest.approx(1 / math.sqrt(d), rel=0.1)
    wide = found[1024]
    assert wide["none"].largest[0] > 0.9 > wide["root"].largest[0] > 0.1 > wide["full"].largest[0]
    assert wide["full"].entropy[0] == pytest.approx(5, abs=0.01)
    assert wide["none"].entropy[0] < 0.5
    assert wide["root"].gradient.value > 20 * max(wide["full"].gradient.value, wide["none"].gradient.value)
    assert wide["root"].gradient.low < wide["root"].gradient.value < wide["root"].gradient.high
    assert found[4]["root"].gradient.value == pytest.approx(wide["root"].gradient.value, rel=0.15)  # nothing depends on d_k


def test_the_gradient_norm_is_that_of_differences() -> None:
    """‖∂p/∂q‖ against central differences for one query."""
    draw = Draw(9)
    q, k = draw.entries("normal", 1, 6), draw.entries("normal", 1, 5, 6)

    def weights(query: np.ndarray) -> np.ndarray:
        scores = k[0] @ query / math.sqrt(6)
        e = np.exp(scores - scores.max())
        return e / e.sum()

    columns = [(weights(q[0] + h) - weights(q[0] - h)) / 2e-6 for h in 1e-6 * np.eye(6)]
    norm = float(np.linalg.norm(np.stack(columns, axis=1)))
    assert simulate_effects(Draw(9), 6, 1, 5)["root"].gradient.value == pytest.approx(norm, rel=1e-6)
    assert simulate_effects(Draw(9), 6, 1, 5)["none"].gradient.value != pytest.approx(norm, rel=1e-2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": ()}, "0 sizes"),
        ({"sizes": (4, 4)}, "2 sizes"),
        ({"sizes": (0,)}, "d_k is 0"),
        ({"sizes": (10**6,)}, "d_k is 1000000"),
        ({"samples": 1}, "samples is 1"),
        ({"keys": 1}, "keys is 1"),
        ({"rows": 0}, "rows is 0"),
        ({"kind": "cauchy"}, "no entries 'cauchy'"),
        ({"samples": 10**6}, "this would draw"),
        ({"seed": -1}, "the seed is -1"),
    ],
)
def test_bad_input(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        scaling(**arguments)  # type: ignore[arg-type]
