"""Gradients in pairs of float64: the second tier of gradient.py.

Promises: every entry of dQ, dK and dV within its bound, under the assumptions of single.py; proved in docs/certified-bounds.md,
section D. The names are those of gradient_single.py: each step is the same, in pairs, with products that BLAS computes exactly but for a
last, small one.
Does not promise: that a bound is finite (rows that double.py cannot use have none).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symattn.certified import double
from symattn.certified.constants import BITS
from symattn.certified.gradient_single import LOST, Bounded
from symattn.certified.pairs import divide, two_prod
from symattn.certified.problem import Problem
from symattn.certified.rounding import two_sum
from symattn.certified.single import U, exponent_of, gamma
from symattn.certified.sliced import Cut, Pair, add, cut, multiply, pair, product, row_sums
from symattn.certified.take import Floats, Integers
from symattn.certified.ties import Group

ENTRIES = 1 << 15
PAIRS = 2.0**-98  # relative error of a few operations on pairs, several times over


def gradients(group: Group) -> tuple[list[Bounded], Bounded, Bounded]:
    """(dQ of each head, dK, dV)."""
    first = group.problems[0]
    assert first.keys is not None
    e_k, e_v = exponent_of(first.keys), exponent_of(first.values)
    e_q = max(exponent_of(p.queries) for p in group.problems if p.queries is not None)
    e_g = max(exponent_of(g) for g in group.upstream)
    scale = _scale(group)
    rows = sum(len(p.empty) for p in group.problems)
    sums = _Sums(np.ldexp(first.keys, -e_k), np.ldexp(first.values, -e_v), rows + 8)
    of_queries = []
    for p, g in zip(group.problems, group.upstream, strict=True):
        assert p.queries is not None
        part = replace(p, values=np.zeros((len(sums.k), 0)))
        of_queries.append(sums.head(part, np.ldexp(p.queries, -e_q), np.ldexp(g, -e_g), group.mean))
    d_queries = [_scaled(x, error, scale, e_g + e_v + e_k) for x, error in of_queries]
    d_keys = _scaled(sums.keys, sums.keys_error, scale, e_g + e_v + e_q)
    return d_queries, d_keys, _scaled(*sums.of_values(), (1.0, 0.0), e_g)


def _scale(group: Group) -> tuple[float, float]:
    from flint import arb

    from symattn.number.precision import flint_bits

    with flint_bits(BITS):
        ball = group.problems[0].scale.ball(BITS)
        high = float(ball)
        return high, float(ball - arb(high))


def _scaled(x: Pair, error: Floats, factor: tuple[float, float], exponent: int) -> Bounded:
    high, low = two_prod(x.high, factor[0])
    low += x.high * factor[1] + x.low * factor[0]
    bound = (error + LOST) * abs(factor[0]) * (1 + 2.0**-30) + PAIRS * np.abs(high)
    if abs(exponent) > 900:  # ldexp might round or overflow: infinite bounds leave all to the balls
        bound = np.full_like(bound, np.inf)
    return Bounded(np.ldexp(high, exponent), np.ldexp(low, exponent), np.ldexp(bound, exponent) + 2.0**-1060)


class _Sums:
    """dK and dV on their way, over rows of all heads. Everything is scaled below 1."""

    def __init__(self, keys: Floats, values: Floats, rows: int) -> None:
        self.k, self.abs_k = keys, np.abs(keys)
        self.key_cut: Cut = cut(pair(keys))
        self.value_cut: Cut = cut(pair(np.ascontiguousarray(values.T)))
        self.keys, self.keys_error = pair(np.zeros(keys.shape)), np.zeros(keys.shape)
        self.small, self.small_error = pair(np.zeros(values.shape)), np.zeros(values.shape)
        self.rows = rows
        self.pairs = (8 + rows / 64) * PAIRS  # products, quotients, and a sum for each block of rows
        self.bits = 52 - rows.bit_length()
        self.whole = [np.zeros(values.shape) for _ in range(3)]

    def head(self, problem: Problem, q: Floats, g: Floats, mean: bool) -> tuple[Pair, Floats]:
        """Adds one head's part; (dQ, bound of its error) before scaling."""
        prepared = double.prepare(problem)
        high, low, error = np.zeros(q.shape), np.zeros(q.shape), np.zeros(q.shape)
        rows = np.flatnonzero(~problem.empty)
        step = max(16, ENTRIES // len(self.k))
        for start in range(0, len(rows), step):
            chunk = rows[start : start + step]
            found, error[chunk] = self._block(double.block(prepared, chunk, values=False), q[chunk], g[chunk])
            high[chunk], low[chunk] = found.high, found.low
        if mean and problem.empty.any():
            part = np.ascontiguousarray(g[problem.empty].T)
            total, bound = row_sums(pair(part))
            count = np.full_like(total.high, float(len(self.k)))
            share = Pair(*divide((total.high, total.low), (count, np.zeros_like(count))))
            self.small = add(self.small, Pair(share.high.T, share.low.T))
            self.small_error += (bound.T + np.abs(part).sum(axis=1) * PAIRS) / len(self.k)
        return Pair(high, low), error

    def _block(self, b: double.Block, q: Floats, g: Floats) -> tuple[Pair, Floats]:
        """One block of rows: names follow the proof."""
        high, rest, factor = b.weights
        stop = high.shape[1]
        at, top = np.arange(len(q)), b.top
        w = Pair(high * factor, rest * factor)
        w.high[at, top] = w.low[at, top] = 0.0
        others, others_error = row_sums(w)
        z_high, z_rest = two_sum(np.ones_like(others.high), others.high)
        z = (z_high, z_rest + others.low)
        a, a_error = product(pair(g), self.value_cut)
        step = _less(Pair(a.high[:, :stop], a.low[:, :stop]), Pair(a.high[at, top][:, None], a.low[at, top][:, None]))
        alpha = 2.1 * a_error.max(axis=1, keepdims=True) + 2.0**-100 * np.abs(a.high).max(axis=1, keepdims=True)
        # Relative error of a weight beside the top key's; of a share of the row, with that of z.
        kappa = 1.03 * (2.05 * b.shape_error[:, None] + 2.1 * others_error / z_high + 4 * PAIRS)
        kappa[~b.usable] = np.inf
        t = multiply(w, step)
        numerator, sum_error = row_sums(t)
        size = np.abs(t.high).sum(axis=1, keepdims=True)
        mean = Pair(*divide((numerator.high, numerator.low), z))
        # A cut of `others` to nothing leaves the bound of its size in others_error, which is never below 2**-1000.
        mean_error = 1.03 * ((2 * kappa + PAIRS) * size + alpha * (others.high + others_error) + sum_error) / z_high
        most = np.abs(step.high).max(axis=1, keepdims=True) + np.abs(mean.high)
        t = multiply(w, _less(step, mean))
        t.high[at, top], t.low[at, top] = -mean.high[:, 0], -mean.low[:, 0]
        magnitude = np.abs(t.high)
        bound = w.high * (1.03 * (alpha + mean_error + most * PAIRS))
        bound[at, top] = 1.03 * mean_error[:, 0]
        bound += magnitude * (2 * kappa + self.pairs)
        bound /= z_high
        found, error = product(t, self.key_cut if stop == len(self.k) else cut(pair(self.k[:stop])))
        d_q = Pair(*divide((found.high, found.low), (np.broadcast_to(z_high, found.high.shape), np.broadcast_to(z[1], found.high.shape))))
        d_q_error = 1.03 * (bound @ self.abs_k[:stop] + error / z_high + PAIRS * np.abs(d_q.high))
        self._add_keys(t, bound, q, z, stop)
        w.high[at, top], w.low[at, top] = -others.high[:, 0], -others.low[:, 0]
        share_error = (np.abs(w.high) / z_high) * (2 * kappa + self.pairs)
        share_error[at, top] += (others_error / z_high)[:, 0]
        found, error = product(w.transposed(), cut(_over(g, z)))
        self.small = _add_to(self.small, found, stop)
        self.small_error[:stop] += 1.03 * (share_error.T @ np.abs(g) + error)
        self._add_whole(top, g)
        return d_q, d_q_error

    def _add_keys(self, t: Pair, bound: Floats, q: Floats, z: tuple[Floats, Floats], stop: int) -> None:
        found, error = product(t.transposed(), cut(_over(q, z)))
        self.keys = _add_to(self.keys, found, stop)
        self.keys_error[:stop] += 1.03 * (bound.T @ np.abs(q) + error)

    def _add_whole(self, top: Integers, g: Floats) -> None:
        shift = 1.5 * 2.0 ** (52 - self.bits)
        g0 = (g + shift) - shift
        rest = g - g0
        shift *= 2.0**-self.bits
        g1 = (rest + shift) - shift
        for total, part in zip(self.whole, (g0, g1, rest - g1), strict=True):
            np.add.at(total, top, part)

    def of_values(self) -> tuple[Pair, Floats]:
        """dV and the bound of its error, before scaling."""
        third = self.rows * 2.0 ** (-2 * self.bits)
        whole = Pair(*two_sum(self.whole[0], self.whole[1]))
        value = add(add(whole, pair(self.whole[2])), self.small)
        size = np.abs(whole.high) + np.abs(self.small.high)
        return value, 1.01 * self.small_error + third * (gamma(self.rows + 2) + 4 * U) + size * PAIRS


def _less(a: Pair, b: Pair) -> Pair:
    return add(a, Pair(-b.high, -b.low))


def _over(x: Floats, z: tuple[Floats, Floats]) -> Pair:
    wide = (np.broadcast_to(z[0], x.shape), np.broadcast_to(z[1], x.shape))
    return Pair(*divide((x, np.zeros_like(x)), wide))


def _add_to(total: Pair, part: Pair, stop: int) -> Pair:
    found = add(Pair(total.high[:stop], total.low[:stop]), part)
    total.high[:stop], total.low[:stop] = found.high, found.low
    return total
