"""A-priori bounds on the rounding errors of log-sum-exp, softmax and attention, for the operations as this package does them.

Every rounding multiplies an exact result by a factor in [1/(1 + u), 1 + u]: |δ| ≤ u/(1 + u) for rounding to nearest, and
1/(1 - u/(1 + u)) = 1 + u. So k roundings, in numerators or denominators, multiply by a factor in [(1 + u)^-k, (1 + u)^k]; no higher
orders are dropped. exp multiplies by a factor in [1/(1 + ε), 1 + ε]. What underflows adds at most h, half the smallest positive number,
instead. docs/studies.md has the derivations; the six bounds follow the plan of Blanchard, D. J. Higham and N. J. Higham (IMA J. Numer.
Anal. 41(4), 2021, theorems 3.2 to 4.4), whose leading constants they have, or smaller ones where our operations are fewer.

Proved: the constants for + − × ÷ and √ and the way they accumulate. Assumed: the errors of exp and log (`Model.exp`, `Model.log`); in
the 16-bit formats they are verified on every argument by a test, in float32 and float64 they are taken from what the libraries state.
Does not promise: a bound where something overflows; it is infinite where the analysis gives none. Bounds are evaluated in float64 and
enlarged by one part in 10⁹.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from symattn.number.formats import FLOAT32, FLOAT64, Format

Array = Any
SLACK = 1 + 1e-9
# Relative errors of exp and log in units of u. float32: NumPy states at most 4 ulp for its vector loops; float64: 1 ulp of the C library.
ASSUMED = {FLOAT32.name: 8.0, FLOAT64.name: 2.0}
VERIFIED = 1.02


@dataclass(frozen=True)
class Model:
    """u, the relative errors of exp and log, and half the smallest positive number."""

    u: float
    exp: float
    log: float
    h: float

    @staticmethod
    def of(fmt: Format) -> Model:
        """The model of a format."""
        u = float(fmt.unit_roundoff)
        units = ASSUMED.get(fmt.name, VERIFIED)
        return Model(u, units * u, units * u, 1.02 * float(fmt.smallest) / 2)

    def grow(self, roundings: float | Array) -> Array:
        """(1 + u)^k."""
        return np.exp(np.asarray(roundings) * np.log1p(self.u))


@dataclass(frozen=True)
class SixBounds:
    """For each row: |error| of the log-sum-exp, and the largest |error| of an entry of the softmax by division and by exp(x - lse)."""

    lse: Array
    softmax: Array
    division_free: Array


def unshifted_bounds(x: Array, lse: Array, weights: Array, model: Model) -> SixBounds:
    """Theorems 3.2, 3.3, 3.4. `x` (rows, n) are the inputs, `lse` and `weights` exact values to float64 accuracy.
    Leading constants, in units of u for exp and log with error u: |y| + n; n + 2; |y| + |x - y| + n + 1."""
    n = x.shape[1]
    with np.errstate(all="ignore"):
        tiny = model.h * np.exp(-lse)
        grown = model.grow(n - 1)
        high = (1 + model.exp) * grown + n * tiny * grown
        low = 1 / ((1 + model.exp) * grown) - n * tiny * grown
    return _bounds(x, lse, weights, model, high, low, tiny, np.zeros_like(x), shifted=False)


def shifted_bounds(x: Array, lse: Array, weights: Array, model: Model) -> SixBounds:
    """Theorems 4.2, 4.3, 4.4, with R = max x - min x. Leading constants: |y| + log Z + n + R; n + 2 + 2 R; that of the log-sum-exp
    plus |x - y| + 1."""
    n = x.shape[1]
    gaps = x.max(axis=1, keepdims=True) - x
    spread = gaps.max(axis=1)
    with np.errstate(all="ignore"):
        tiny = model.h * np.exp(x.max(axis=1) - lse)
        grown, bent = model.grow(n - 1), np.exp(model.u * spread)
        high = (1 + model.exp) * bent * grown + n * tiny * grown
        low = 1 / ((1 + model.exp) * bent * grown) - n * tiny * grown
    return _bounds(x, lse, weights, model, high, low, tiny, model.u * gaps, shifted=True)


def _bounds(
    x: Array, lse: Array, weights: Array, model: Model, high: Array, low: Array, tiny: Array, bend: Array, *, shifted: bool
) -> SixBounds:
    """`high`, `low`: the computed sum over the exact one; `tiny`: h over the exact sum; `bend`: what the rounded shift does to each
    exponent."""
    u, h = model.u, model.h
    with np.errstate(all="ignore"):
        moved = np.where(low > 0, np.maximum(np.log(high), -np.log(np.maximum(low, 1e-300))), np.inf)
        if shifted:
            log_sum = lse - x.max(axis=1)
            lse_error = (moved * (1 + model.log) + model.log * log_sum + h) * (1 + u) + u * np.abs(lse)
        else:
            lse_error = moved * (1 + model.log) + model.log * np.abs(lse) + h
        factor = (1 + model.exp) * np.exp(bend)
        up = (weights * factor + tiny[:, None]) * (1 + u) / np.where(low > 0, low, np.nan)[:, None] + h
        down = (weights / factor - tiny[:, None]) / (1 + u) / high[:, None] - h
        softmax = np.maximum(up - weights, weights - down).max(axis=1)
        shift = lse_error[:, None] * (1 + u) + u * np.abs(x - lse[:, None])
        free = (weights * ((1 + model.exp) * np.exp(shift) - 1) + h).max(axis=1)
    return SixBounds(*(np.where(np.isnan(b), np.inf, b) * SLACK for b in (lse_error, softmax, free)))


# -- attention ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class AttentionSizes:
    """n keys, d_k terms of a score, and the sizes of the online algorithm's blocks."""

    keys: int
    d_k: int
    blocks: tuple[int, ...] = ()


def score_bound(queries: Array, keys: Array, model: Model) -> Array:
    """|computed - exact| score, at most, row by row: d_k products and d_k - 1 sums, the root of d_k and the division by it."""
    d_k = queries.shape[1]
    size = np.abs(queries) @ np.abs(keys).T / np.sqrt(d_k)
    with np.errstate(all="ignore"):
        return ((model.grow(d_k + 2) - 1) * size + (d_k + 1) * model.h * model.grow(d_k + 2)).max(axis=1)


def attention_bound(
    algorithm: str, scores: Array, score_error: Array, mixed: Array, largest: float, sizes: AttentionSizes, model: Model
) -> Array:
    """At most |computed - exact| output for each (query, channel). `scores` are exact; `score_error` is `score_bound`; `mixed` is the exact
    sum of p |v|; `largest` is the largest |v|.

    Scores off by at most δ change each weight by a factor in e^(±2δ). The algorithm adds a factor C, its sums and products with v a power
    of 1 + u, and underflow at most 3 h (1 + max |v|) a key. Online, by telescoping: rescalings add u (m_final - m_block) to the exponent
    of a key, so the shift costs u R in all, and each later block one exp, one product and one sum."""
    n, u = sizes.keys, model.u
    spread = scores.max(axis=1) - scores.min(axis=1) + 2 * score_error
    e = 1 + model.exp
    with np.errstate(all="ignore"):
        match algorithm:
            case "plain" | "deferred":
                factor = e**2 * model.grow(2 * n)
                tiny = model.h * np.exp(score_error - scores.max(axis=1))
            case "shifted":
                factor = e**2 * model.grow(2 * n) * np.exp(2 * u * spread)
                tiny = np.full_like(spread, model.h)
            case "online":
                count, longest = len(sizes.blocks), max(sizes.blocks)
                factor = e ** (2 * count) * model.grow(4 * (count - 1) + 2 * (longest - 1) + 2) * np.exp(2 * u * spread)
                tiny = np.full_like(spread, count * model.h)
            case "log-domain":
                top = np.abs(scores).max(axis=1) + score_error
                log_sum = np.log(n)
                moved = np.log(e) + (n - 1) * np.log1p(u) + u * spread + 2 * n * model.h
                lse = (moved * (1 + model.log) + model.log * (log_sum + moved) + model.h) * (1 + u) + u * (top + log_sum + moved)
                factor = e * np.exp(lse * (1 + u) + u * (spread + log_sum + lse)) * model.grow(n)
                tiny = np.full_like(spread, model.h)
            case _:
                raise ValueError(f"there is no bound for {algorithm}")
        total = np.exp(2 * score_error) * factor
        added = 3 * n * (tiny + model.h) * (1 + largest) * total
    return (np.where(np.isfinite(total), total - 1, np.inf)[:, None] * mixed + added[:, None]) * SLACK
