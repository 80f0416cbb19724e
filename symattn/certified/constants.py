"""Constants of the fast tiers: powers of two between 1 and 2, the series of 2**(f/4096), and conversions, all made with balls.

Promises: each is the rounding of the exact number (the second of a pair: of the rest); `proofs.check_constants` proves that for every one.
Does not promise: to be read without computing them first, once (a few hundredths of a second).

Scores are kept in units of ln 2 / 4096, so that exp needs no reduction: 2**(y/4096) with y = k + f, k an integer, |f| <= 1/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from symattn.certified.take import Floats
from symattn.number.precision import flint_bits

STEPS = 4096
MAGIC = 1.5 * 2.0**52  # adding it leaves the nearest integer in the last bits
BITS = 320


@dataclass(frozen=True)
class Table:
    """2**(j/4096) for j = 0 … 4095 as high + low; high is `coarse`, on the grid 2**-25, plus the rest."""

    high: Floats
    low: Floats


@dataclass(frozen=True)
class Series:
    """Coefficients L**k / k! of 2**(f/4096) = e**(L f), L = ln 2 / 4096, as float64; L and L**2/2 also as short + rest."""

    c: tuple[float, ...]
    c1_short: float
    c1_rest: float
    c2_short: float
    c2_rest: float


@cache
def table() -> Table:
    """The table of powers."""
    from flint import arb

    with flint_bits(BITS):
        step = arb.const_log2() / STEPS
        pairs = [_pair((step * j).exp()) for j in range(STEPS)]
    return Table(np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs]))


def _pair(ball: Any) -> tuple[float, float]:
    from flint import arb

    high = float(ball)
    return high, float(ball - arb(high))


@cache
def series() -> Series:
    """The coefficients."""
    from flint import arb

    with flint_bits(BITS):
        step = arb.const_log2() / STEPS
        c = [arb(1)]
        for k in range(1, 7):
            c.append(c[-1] * step / k)
        c1, c2 = (_short(x, 26) for x in c[1:3])
        return Series(tuple(float(x) for x in c), c1, float(c[1] - arb(c1)), c2, float(c[2] - arb(c2)))


def _short(ball: Any, bits: int) -> float:
    man, exp = np.frexp(float(ball))
    return float(np.rint(man * 2.0**bits) * 2.0 ** (int(exp) - bits))


@cache
def unit() -> tuple[float, float]:
    """ln 2 / 4096, the unit in which scores are kept, as high + low."""
    from flint import arb

    with flint_bits(BITS):
        return _pair(arb.const_log2() / STEPS)


@cache
def per_unit() -> tuple[float, float]:
    """4096 / ln 2, the factor from natural scores to scores in units."""
    from flint import arb

    with flint_bits(BITS):
        return _pair(STEPS / arb.const_log2())


def in_units(factor: Any, exponent: int) -> tuple[float, float]:
    """factor · 2**exponent · 4096 / ln 2 as high + low; `factor` is a ball."""
    from flint import arb

    with flint_bits(BITS):
        return _pair(factor * arb((1, exponent)) * STEPS / arb.const_log2())


def up(x: Fraction | float) -> float:
    """A float64 not below x, a little above it: for bounds."""
    return float(x) * (1 + 2.0**-50)
