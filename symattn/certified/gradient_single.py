"""Gradients in float64 with bounds that hold for every order of summation: the first tier of gradient.py.

Promises: every entry of dQ, dK and dV within its bound, under the assumptions of single.py; proved in docs/certified-bounds.md,
section D. What the top key of a row takes from the others is kept apart, so that rows near one key keep their relative accuracy.
Does not promise: that a bound is finite (rows that single.py cannot use have none).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from symattn.certified import single
from symattn.certified.problem import Problem
from symattn.certified.rounding import two_sum
from symattn.certified.single import U, exponent_of, gamma, norms
from symattn.certified.take import Floats, Integers
from symattn.certified.ties import Group

ENTRIES = 1 << 16
LOST = 2.0**-900  # scaled entries lie below 1; cut weights and underflow change less than this


@dataclass(frozen=True)
class Bounded:
    """value + low with the bound of its error, entry by entry."""

    value: Floats
    low: Floats
    error: Floats


def gradients(group: Group) -> tuple[list[Bounded], Bounded, Bounded]:
    """(dQ of each head, dK, dV)."""
    first = group.problems[0]
    assert first.keys is not None
    e_k, e_v = exponent_of(first.keys), exponent_of(first.values)
    keys, values = np.ldexp(first.keys, -e_k), np.ldexp(first.values, -e_v)
    e_q = max(exponent_of(p.queries) for p in group.problems if p.queries is not None)
    e_g = max(exponent_of(g) for g in group.upstream)
    scale = float(first.scale.ball(64))
    total = sum(len(p.empty) for p in group.problems)
    sums = _Sums(keys, values, total + 8)
    of_queries = []
    for p, g in zip(group.problems, group.upstream, strict=True):
        assert p.queries is not None
        of_queries.append(sums.head(replace(p, values=np.zeros((len(keys), 0))), np.ldexp(p.queries, -e_q), np.ldexp(g, -e_g), group.mean))
    d_queries = [_scaled(x, 0.0 * x, error, scale, e_g + e_v + e_k) for x, error in of_queries]
    d_keys = _scaled(sums.keys, 0.0 * sums.keys, sums.keys_error, scale, e_g + e_v + e_q)
    return d_queries, d_keys, _scaled(*sums.of_values(), 1.0, e_g)


def _scaled(value: Floats, low: Floats, error: Floats, factor: float, exponent: int) -> Bounded:
    """Times factor (a rounding of the exact one) and 2**exponent; `low` is 0 unless the factor is 1."""
    product = value * factor
    bound = (error + LOST) * abs(factor) * (1 + 2.0**-30) + (0.0 if factor == 1.0 else 3.0) * U * np.abs(product)
    # Beyond 2**±900 ldexp might round or overflow: an infinite bound leaves such entries to the balls.
    far = abs(exponent) > 900
    return Bounded(
        np.ldexp(product, exponent), np.ldexp(low, exponent), np.full_like(value, np.inf) if far else np.ldexp(bound, exponent) + 2.0**-1060
    )


class _Sums:
    """dK and dV on their way, over rows of all heads. Everything is scaled below 1."""

    def __init__(self, keys: Floats, values: Floats, rows: int) -> None:
        self.k, self.abs_k, self.v = keys, np.abs(keys), values
        self.v_norm = float(norms(values).max())
        self.keys, self.keys_error = np.zeros(keys.shape), np.zeros(keys.shape)
        self.small, self.small_error = np.zeros(values.shape), np.zeros(values.shape)
        self.rows = rows
        # Upstream is cut so that sums over all rows of its first two slices are exact.
        self.bits = 52 - rows.bit_length()
        self.whole = [np.zeros(values.shape) for _ in range(3)]

    def head(self, problem: Problem, q: Floats, g: Floats, mean: bool) -> tuple[Floats, Floats]:
        """Adds one head's part; (dQ, bound of its error) before scaling."""
        prepared = single.prepare(problem)
        found, error = np.zeros(q.shape), np.zeros(q.shape)
        rows = np.flatnonzero(~problem.empty)
        step = max(32, ENTRIES // len(self.k))
        for start in range(0, len(rows), step):
            chunk = rows[start : start + step]
            found[chunk], error[chunk] = self._block(single.block(prepared, chunk), chunk, q, g)
        if mean and problem.empty.any():
            part = g[problem.empty]
            self.small += part.sum(axis=0) / len(self.k)
            self.small_error += np.abs(part).sum(axis=0) / len(self.k) * (1.01 * gamma(len(part) + 4))
        return found, error

    def _block(self, b: single.Block, rows: Integers, q: Floats, g: Floats) -> tuple[Floats, Floats]:
        """One block of rows: names follow the proof."""
        stop = b.weights.shape[1]
        at, top = np.arange(len(rows)), b.top
        p = b.weights
        p /= b.total[:, None]
        p_top = 1.0 / b.total
        others = b.rest[:, 0] / b.total
        kappa = 1.03 * (2 * b.fine_shape_error + 2 * b.sum_error + 6 * U)  # relative error of p
        kappa[~b.usable] = np.inf
        g_rows = g[rows]
        alpha = norms(g_rows) * (self.v_norm * 1.01 * gamma(g.shape[1] + 1)) + LOST  # error of an entry of A
        step = g_rows @ self.v[:stop].T
        step -= step[at, top][:, None].copy()
        d_scores = p * step
        mean = d_scores.sum(axis=1)
        size = np.abs(d_scores).sum(axis=1)
        mean_error = 1.03 * ((kappa + 2 * U + gamma(stop + 1)) * size + 2 * alpha * others)
        most = np.abs(step).max(axis=1) + np.abs(mean)
        step -= mean[:, None]
        np.multiply(p, step, out=d_scores)
        d_scores[at, top] = -p_top * mean
        magnitude = np.abs(d_scores)
        tau = 1.03 * (2 * alpha + mean_error + 3 * U * most)
        relative = 1.03 * (kappa + 4 * U)
        bound = p * tau[:, None]
        bound[at, top] = 1.03 * p_top * mean_error
        # Rounding of the products that follow is relative to the same magnitudes.
        of_products = 1.01 * (gamma(stop + 2) + gamma(self.rows + 2))
        bound += magnitude * (relative + of_products)[:, None]
        d_q, d_q_error = d_scores @ self.k[:stop], bound @ self.abs_k[:stop]
        q_rows = q[rows]
        self.keys[:stop] += d_scores.T @ q_rows
        self.keys_error[:stop] += bound.T @ np.abs(q_rows)
        p[at, top] = -others
        self.small[:stop] += p.T @ g_rows
        np.abs(p, out=p)
        p *= (relative + of_products)[:, None]
        self.small_error[:stop] += p.T @ np.abs(g_rows)
        self._add_whole(top, g_rows)
        return d_q, d_q_error * 1.01

    def _add_whole(self, top: Integers, g: Floats) -> None:
        shift = 1.5 * 2.0 ** (52 - self.bits)
        g0 = (g + shift) - shift
        rest = g - g0
        shift *= 2.0**-self.bits
        g1 = (rest + shift) - shift
        for total, part in zip(self.whole, (g0, g1, rest - g1), strict=True):
            np.add.at(total, top, part)

    def of_values(self) -> tuple[Floats, Floats, Floats]:
        """dV as value + low, and the bound of its error, before scaling."""
        high, low = two_sum(self.whole[0], self.whole[1])
        value, rest = two_sum(high, self.small)
        low = low + rest + self.whole[2]
        third = self.rows * 2.0 ** (-2 * self.bits)
        error = 1.01 * self.small_error + 4 * U * np.abs(low) + third * gamma(self.rows + 2) + U * 4 * third
        return value, low, error
