"""The second tier: pairs of float64, with matrices cut into slices whose products BLAS computes without any error.

Promises: for every row a bound on |high + low − exact|, proved in docs/certified-bounds.md (section B) for the first tier's BLAS.
Slices are integers over a common unit, so short that every sum of their products is an integer below 2**53: exact in any order. What
is left over is so small that its ordinary product will do.
Does not promise: more than about 80 bits relative to the largest value of a column; what that does not decide goes to the last tier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from symattn.certified import constants
from symattn.certified.pairs import (
    MAX_LOW,
    POWER_ERROR,
    POWER_ERROR_LOW,
    bits_of_slice,
    divide,
    grid,
    on_grid,
    power_of,
    two_prod,
    two_prod_arrays,
)
from symattn.certified.problem import Problem
from symattn.certified.rounding import two_sum
from symattn.certified.single import CUT, LARGEST_FACTOR, U, exponent_of, far_rows, gamma, norms
from symattn.certified.take import Bools, Floats, Integers

BLOCK_ENTRIES = 1 << 16
KEYS_AT_ONCE = 256


@dataclass(frozen=True)
class Double:
    """A head, prepared: sliced keys and values."""

    problem: Problem
    scaled: Floats | None  # queries times a power of two, entries below 1
    factor: tuple[float, float]  # from scaled products to scores in units
    keys: tuple[Floats, ...]  # transposed and stacked for the three products
    key_norms: tuple[float, float, float]  # of the keys, of what the first and second slice leave
    slice_bits: int
    value_exponents: Integers
    values: tuple[tuple[Floats, Floats, Floats], ...]  # for each block of keys: stacked for the three products
    value_bits: int
    usable: bool


def prepare(problem: Problem) -> Double:
    """Cuts keys and values; m·(d + d_v) work."""
    m = len(problem.values)
    scaled: Floats | None = None
    keys: tuple[Floats, ...] = ()
    key_norms, factor, slice_bits, usable = (0.0, 0.0, 0.0), (0.0, 0.0), 0, True
    if problem.queries is not None and problem.keys is not None:
        d = problem.keys.shape[1]
        e_q, e_k = exponent_of(problem.queries), exponent_of(problem.keys)
        factor = constants.in_units(problem.scale.ball(constants.BITS), e_q + e_k)
        usable = 2.0**-300 < abs(factor[0]) < LARGEST_FACTOR
        slice_bits = bits_of_slice(d)
        scaled = np.ldexp(problem.queries, -e_q)
        k = np.ldexp(problem.keys, -e_k)
        k0 = on_grid(k, grid(-slice_bits))
        r1 = k - k0
        k1 = on_grid(r1, grid(-2 * slice_bits))
        r2 = r1 - k1
        keys = tuple(np.ascontiguousarray(np.concatenate(parts, axis=1).T) for parts in ((k0,), (k1, k0), (r2, r1, k)))
        key_norms = (float(norms(k).max()), float(norms(r1).max()), float(norms(r2).max()))
    if problem.bias is not None:
        usable = usable and bool(np.abs(problem.bias).max() < LARGEST_FACTOR)
    exponents: Integers = np.frexp(np.abs(problem.values).max(axis=0))[1].astype(np.int64)
    value_bits = bits_of_slice(min(m, KEYS_AT_ONCE))
    v = np.concatenate([np.ldexp(problem.values, -exponents), np.ones((m, 1))], axis=1)
    v0 = on_grid(v, grid(-value_bits))
    r1 = v - v0
    v1 = on_grid(r1, grid(-2 * value_bits))
    r2 = r1 - v1
    blocks = []
    for start in range(0, m, KEYS_AT_ONCE):
        at = slice(start, start + KEYS_AT_ONCE)
        blocks.append((v0[at], np.concatenate([v1[at], v0[at]]), np.concatenate([r2[at], r1[at], v[at]])))
    return Double(problem, scaled, factor, keys, key_norms, slice_bits, exponents, tuple(blocks), value_bits, usable)


@dataclass(frozen=True)
class Block:
    """What one block of rows gave. Pairs are (high, low)."""

    head: Double
    rows: Integers
    usable: Bools
    top: Integers
    top_score: tuple[Floats, Floats]  # in units
    score_error: Floats  # bound of its error, naturally
    shape_error: Floats  # bound of |log of computed/exact weight|, the common factor of a row taken out
    weights: tuple[Floats, Floats, Floats]  # (high + rest) · scale
    gone: Bools | None  # weights certainly below 2**-1080, where weights were asked for
    sums: tuple[Floats, Floats]  # values and 1
    sum_error: Floats  # of each sum, absolutely; values are scaled below 1


def _cut_queries(head: Double, rows: Integers) -> tuple[Floats, Floats, Floats]:
    """(the three slices side by side, bound of the sum of magnitudes of what is not multiplied exactly, bound of |q|·|k|)."""
    assert head.scaled is not None
    x = head.scaled[rows]
    high, low = two_prod(x, head.factor[0])
    low += x * head.factor[1]
    most = np.abs(high).max(axis=1)
    exponent = np.frexp(most)[1][:, None]
    q0 = on_grid(high, np.ldexp(grid(-head.slice_bits), exponent))
    high -= q0
    q1 = on_grid(high, np.ldexp(grid(-2 * head.slice_bits), exponent))
    high -= q1
    high += low
    unit = np.ldexp(1.0, exponent[:, 0])
    n0, n1, n2 = (norms(part / unit[:, None]) * unit for part in (q0, q1, high))
    of_keys, of_r1, of_r2 = head.key_norms
    uneven = (n0 * of_r2 + n1 * of_r1 + n2 * of_keys) * (1 + 8 * U)
    return np.concatenate([q0, q1, high], axis=1), uneven, (n0 + n1 + n2) * of_keys * (1 + 8 * U)


def block(head: Double, rows: Integers, *, values: bool = True, weights: bool = False) -> Block:
    """Weights and sums for these rows (in each of which some key is allowed)."""
    p = head.problem
    m = p.mask.keys
    stop = min(-(-p.mask.stop(rows) // KEYS_AT_ONCE) * KEYS_AT_ONCE, m)
    allowed = p.mask.allowed(rows, stop)
    at = np.arange(len(rows))
    uneven = bound = np.zeros(len(rows))
    lost = 0.0
    guess: Floats | None = None
    d = 0
    if head.scaled is not None:
        d = head.scaled.shape[1]
        q, uneven, bound = _cut_queries(head, rows)
        first = q[:, :d] @ head.keys[0][:, :stop]
        second = q[:, : 2 * d] @ head.keys[1][:, :stop]
        third = q @ head.keys[2][:, :stop]
        guess = first + second
        lost = d * (abs(head.factor[0]) + 2) * 2.0**-1060
    bias = None
    most = np.zeros(len(rows))
    high_unit, low_unit = constants.per_unit()
    if p.bias is not None:
        bias = p.bias[rows, :stop]
        if allowed is not None:
            bias = np.where(allowed, bias, 0.0)
        most = np.abs(bias).max(axis=1) * (high_unit * (1 + 4 * U))
        guess = bias * high_unit if guess is None else guess + bias * high_unit
    assert guess is not None
    if allowed is not None:
        guess[~allowed] = -np.inf
    top = guess.argmax(axis=1)
    del guess
    top_high, top_low = np.zeros(len(rows)), np.zeros(len(rows))
    if head.scaled is not None:
        tops = [part[at, top] for part in (first, second, third)]
        for part, best in zip((first, second, third), tops, strict=True):
            part -= best[:, None]
        h, low = two_sum(first, second)
        low += third
        del first, second, third
        top_high, top_low = two_sum(tops[0], tops[1])
        top_low += tops[2]
    if bias is not None:
        best = bias[at, top]
        b, b_rest = two_sum(bias, -best[:, None])
        product, rest = two_prod(b, high_unit)
        rest += b * low_unit + b_rest * high_unit
        if head.scaled is None:
            h, low = product, rest
        else:
            h, rest_of_sum = two_sum(h, product)
            low += rest_of_sum + rest
        product, rest = two_prod(best, high_unit)
        rest += best * low_unit
        top_high, rest_of_sum = two_sum(top_high, product)
        top_low += rest_of_sum + rest
    reach = 2.1 * (bound + most)
    largest_low = 2.1 * uneven + reach * (4 * U)
    error = uneven * (gamma(3 * d) + 8 * U) + (bound + most) * 2.0**-100 + lost + 2.0**-1000
    shape = constants.unit()[0] * (1 + 4 * U) * error + 1.01 * (POWER_ERROR + POWER_ERROR_LOW * largest_low)
    near = (largest_low < MAX_LOW) & (shape < 2.0**-40)
    far = np.zeros(len(rows), dtype=bool)
    if not near.all():
        if allowed is not None:
            h[~allowed] = -np.inf
        far = far_rows(h, top, ~near, largest_low + error)
        shape = np.where(far, 0.0, shape)
    gone = h < -1090.0 * constants.STEPS if weights else None
    dead = None
    if allowed is not None or bool((reach > CUT).any()):
        dead = h < -CUT
        if allowed is not None:
            dead |= ~allowed
        h[dead], low[dead] = -CUT, 0.0
    high, rest, scale = power_of(h, low)
    if dead is not None:
        scale[dead] = 0.0
    sums, sum_error = _sums(head, high, rest, scale) if values else _totals(high, rest, scale)
    usable = (near | far) & head.usable
    return Block(
        head, rows, usable, top, (top_high, top_low), constants.unit()[0] * error, shape, (high, rest, scale), gone, sums, sum_error
    )


def _sums(head: Double, high: Floats, rest: Floats, scale: Floats) -> tuple[tuple[Floats, Floats], Floats]:
    """The weighted sums of values and of 1, block of keys by block of keys, and a bound of their errors, a row each."""
    count, stop = high.shape
    bits = head.value_bits
    width = head.values[0][0].shape[1]
    one, two, low = np.zeros((count, width)), np.zeros((count, width)), np.zeros((count, width))
    second, third = np.zeros(count), np.zeros(count)  # sums of the magnitudes of the second and third slices
    for number, start in enumerate(range(0, stop, KEYS_AT_ONCE)):
        keys = slice(start, min(start + KEYS_AT_ONCE, stop))
        size = keys.stop - start
        slices = np.empty((count, 3 * size))
        w = high[:, keys] * scale[:, keys]
        w0 = on_grid(w, grid(-bits))
        w -= w0
        w1 = on_grid(w, grid(-2 * bits))
        w -= w1
        w += rest[:, keys] * scale[:, keys]
        slices[:, :size], slices[:, size : 2 * size], slices[:, 2 * size :] = w0, w1, w
        v1, v2, v3 = head.values[number]
        one, error = two_sum(one, slices[:, :size] @ v1)
        low += error
        two, error = two_sum(two, slices[:, : 2 * size] @ v2)
        low += error
        low += slices @ v3
        second += np.abs(w1, out=w1).sum(axis=1)
        third += np.abs(w, out=w).sum(axis=1)
    total, error = two_sum(one, two)
    low += error
    total, low = two_sum(total, low)
    # Magnitudes of the third product, in which rounding happens: |w0||v2| + |w1||v − v0| + |w2||v|.
    uneven = 1.01 * (one[:, -1] * 2.0 ** (-2 * bits - 1) + second * 2.0 ** (-bits - 1) + third)
    return (total, low), sum_error(uneven, stop)


def sum_error(uneven: Floats, keys: int) -> Floats:
    """Bound of the error of `_sums`: values below 1 in magnitude, weights at most 1 or so."""
    blocks = -(-keys // KEYS_AT_ONCE)
    rounded = uneven * (gamma(3 * min(keys, KEYS_AT_ONCE)) + 8 * U * (1 + blocks))
    return rounded + keys * ((1 + blocks) ** 2 * 2.0**-103 + 2.0**-97 + 2.0**-990)


def _totals(high: Floats, rest: Floats, scale: Floats) -> tuple[tuple[Floats, Floats], Floats]:
    """The sums of the weights alone: exact on two grids, for at most 2**25 keys."""
    keys = high.shape[1]
    bits = min(52 - max(keys - 1, 0).bit_length(), 40)
    w = high * scale
    w0 = on_grid(w, grid(-bits))
    w -= w0
    w += rest * scale
    total, low = w0.sum(axis=1), w.sum(axis=1)
    total, low = two_sum(total, low)
    error = keys * 2.0**-bits * 1.1 * (gamma(keys) + 4 * U) + keys * 2.0**-990
    return (total[:, None], low[:, None]), np.full(len(total), error)


def outputs(head: Double, b: Block) -> tuple[Floats, Floats, Floats]:
    """(high, low, bounds of their errors) of the output's rows."""
    high, low = (part[:, :-1] for part in b.sums)
    total = tuple(np.broadcast_to(part[:, -1:], high.shape) for part in b.sums)
    q, rest = divide((high, low), (total[0], total[1]))
    # Values are below 1, so the mean magnitude and the output are too.
    error = 2.1 * b.shape_error[:, None] + 2.1 * b.sum_error[:, None] / total[0] + 2.0**-99 * np.abs(q)
    e = head.value_exponents
    return np.ldexp(q, e), np.ldexp(rest, e), np.ldexp(error, e) + 2.0**-1072


def logsumexp(b: Block) -> tuple[Floats, Floats, Floats]:
    """(high, low, bounds of their errors) of the rows' log-sum-exp."""
    unit_high, unit_low = constants.unit()
    total = (b.sums[0][:, -1], b.sums[1][:, -1])
    # log total = g·L + log(total · 2**(−g/4096)) for a guess g.
    guess = np.log2(total[0]) * constants.STEPS
    high, rest, scale = power_of(-guess, np.zeros_like(guess))
    p, p_rest = two_prod_arrays(high * scale, total[0])
    near = (p - 1.0) + (p_rest + high * scale * total[1] + rest * scale * total[0])
    small = np.abs(near) < 2.0**-30
    size = np.abs(near)
    value = near - near * near / 2 + near * near * near / 3
    top_high, top_low = b.top_score
    units, units_rest = two_sum(top_high, guess)
    units_rest += top_low
    product, product_rest = two_prod(units, unit_high)
    product_rest += units * unit_low + units_rest * unit_high
    product_rest += value
    found, low = two_sum(product, product_rest)
    error = 1.1 * (b.score_error + b.shape_error) + 1.1 * b.sum_error + 2 * POWER_ERROR + size**4 + size * (8 * U)
    error = error + (np.abs(units) * unit_high + 2.0**-20) * 2.0**-98 + np.abs(product_rest) * (4 * U)
    return found, low, np.where(small, error, math.inf)


def weight_table(b: Block) -> tuple[Floats, Floats, Floats]:
    """(high, low, bounds of their errors) of the weights."""
    high, rest, scale = b.weights
    top = (high * scale, rest * scale)
    total = tuple(np.broadcast_to(part[:, -1:], high.shape) for part in b.sums)
    q, low = divide(top, (total[0], total[1]))
    error = q * (2.1 * b.shape_error[:, None] + 1.1 * b.sum_error[:, None] / total[0] + 2.0**-98)
    return q, low, error + np.where(scale == 0.0, 2.0**-990, 2.0**-1068)
