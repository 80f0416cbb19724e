"""The proofs of the constants, and lies that they must see: a wrong table entry, a wrong coefficient, a bound that is too small."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.certified import constants, pairs, proofs, single
from symattn.number.precision import flint_bits


def test_every_constant_is_proved():
    found = proofs.check_all()
    assert len(found) > 30
    assert all(p.worst <= p.bound for p in found)


@pytest.mark.parametrize("entry", [0, 1, 2048, 4095])
@pytest.mark.parametrize("part", ["high", "low"])
def test_one_wrong_table_entry_is_seen(entry, part):
    table = constants.table()
    array = getattr(table, part).copy()
    array[entry] = np.nextafter(array[entry], 9) if part == "high" else array[entry] + 2.0**-103
    with pytest.raises(proofs.NotProved):
        proofs.check_table(replace(table, **{part: array}))


def test_a_short_table_is_seen():
    table = constants.table()
    with pytest.raises(proofs.NotProved, match="4095"):
        proofs.check_table(replace(table, high=table.high[:-1]))


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
def test_one_wrong_coefficient_is_seen(k):
    series = constants.series()
    c = list(series.c)
    c[k] = float(np.nextafter(c[k], 1)) + c[k] * 2.0**-52
    with pytest.raises(proofs.NotProved):
        proofs.check_series(replace(series, c=tuple(c)))


@pytest.mark.parametrize("name", ["c1_short", "c1_rest", "c2_short", "c2_rest"])
def test_a_wrong_part_of_a_pair_is_seen(name):
    series = constants.series()
    with pytest.raises(proofs.NotProved):
        proofs.check_series(replace(series, **{name: getattr(series, name) * (1 + 2.0**-20)}))


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(single, "EXP_ERROR", 2.0 * single.U), (pairs, "POWER_ERROR", 2.0**-88), (pairs, "POWER_ERROR_LOW", 2.0**-63)],
)
def test_a_bound_that_is_too_small_is_not_proved(monkeypatch, module, name, value):
    monkeypatch.setattr(module, name, value)
    with pytest.raises(proofs.NotProved):
        proofs.check_all()


def test_slices_that_are_too_long_are_not_proved(monkeypatch):
    monkeypatch.setattr(pairs, "bits_of_slice", lambda terms: (54 - max(terms - 1, 0).bit_length()) // 2)
    with pytest.raises(proofs.NotProved):
        proofs.check_exactness(constants.series())


def relative(high, low, exact):
    with flint_bits(300):
        return abs(float((arb(high) + arb(low)) / exact - 1))


def exact_power(y, low=0.0):
    with flint_bits(300):
        return ((arb(y) + arb(low)) * arb.const_log2() / constants.STEPS).exp()


@settings(max_examples=300, deadline=None)
@given(st.floats(min_value=-4.0e6, max_value=4096.0), st.floats(min_value=-(2.0**-10), max_value=2.0**-10))
def test_both_exponentials_keep_their_bounds(y, low):
    found = float(single.power(np.array([y]))[0])
    assert relative(found, 0.0, exact_power(y)) <= single.EXP_ERROR
    high, rest, scale = pairs.power_of(np.array([y]), np.array([low]))
    found_error = relative(float(high[0] * scale[0]), float(rest[0]) * float(scale[0]), exact_power(y, low))
    assert found_error <= pairs.POWER_ERROR + pairs.POWER_ERROR_LOW * abs(low)


@pytest.mark.parametrize("y", [0.0, -0.5, 0.5, -1.5, -4095.5, -4096.0, -single.CUT, 1e-300, -1e-300])
def test_exponentials_at_their_corners(y):
    assert relative(float(single.power(np.array([y]))[0]), 0.0, exact_power(y)) <= single.EXP_ERROR
    high, rest, scale = pairs.power_of(np.array([y]), np.zeros(1))
    assert relative(float(high[0] * scale[0]), float(rest[0]) * float(scale[0]), exact_power(y)) <= pairs.POWER_ERROR
    assert abs(rest[0]) <= 2.0**-52


def test_products_of_slices_are_exact():
    from fractions import Fraction

    rng = np.random.default_rng(0)
    for d in (3, 64, 200):
        bits = pairs.bits_of_slice(d)
        q = rng.standard_normal((4, d)) / 8
        k = rng.standard_normal((5, d)) / 8
        a, b = (pairs.on_grid(x, pairs.grid(-bits)) for x in (q, k))
        product = a @ b.T
        for i in range(4):
            for j in range(5):
                exact = sum((Fraction(float(x)) * Fraction(float(y)) for x, y in zip(a[i], b[j], strict=True)), Fraction(0))
                assert Fraction(float(product[i, j])) == exact
        # Without the cut the product is not exact: the test can fail.
        whole = q @ k.T
        exact = sum((Fraction(float(x)) * Fraction(float(y)) for x, y in zip(q[0], k[0], strict=True)), Fraction(0))
        assert Fraction(float(whole[0, 0])) != exact
