"""The first tier: float64 and BLAS, with an error bound that holds for every order of summation.

Promises: for every row a bound on |computed − exact|, proved in docs/certified-bounds.md (section A), for a BLAS that forms each entry
of a product from its d products and their sum, in any order, with or without fused operations, under rounding to nearest with
subnormal numbers. exp is our own (constants.py, proofs.py); no result of a library's exp or log is trusted.
Does not promise: that a bound is small; rows where it is not are left to the next tier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from symattn.certified import constants
from symattn.certified.problem import Problem
from symattn.certified.take import Bools, Floats, Integers

U = 2.0**-53
EXP_ERROR = 2.2 * U  # relative error of `power`, proved by proofs.check_power
CUT = 1000.0 * constants.STEPS  # weights below 2**-1000 of the row's largest count as 0, and are in the bound
MAX_WEIGHT_ERROR = 2.0**-10
LARGEST_FACTOR = 2.0**600  # of scores and biases; beyond it sums might overflow
KEYS_AT_ONCE = 128  # keys summed in one product; blocks of them are added up afterwards
_LOW12 = np.int64(constants.STEPS - 1)


def gamma(n: int) -> float:
    """n u / (1 − n u): the classical bound for n roundings, any order. Source: Higham, Accuracy and Stability, lemma 3.1."""
    return n * U / (1 - n * U)


def power(y: Floats) -> Floats:
    """2**(y/4096) for −CUT <= y <= 4096, relative error at most EXP_ERROR. Overwrites y."""
    t, s = constants.table(), constants.series()
    shifted = y + constants.MAGIC
    k = shifted.view(np.int64)
    scratch = shifted - constants.MAGIC
    y -= scratch  # f
    place = scratch.view(np.int64)
    np.bitwise_and(k, _LOW12, out=place)
    k -= place
    k <<= 40
    high = t.high.take(place, mode="clip")
    p = scratch
    np.multiply(y, s.c[3], out=p)
    p += s.c[2]
    p *= y
    p += s.c[1]
    p *= y
    p *= high
    p += high
    bits = p.view(np.int64)
    bits += k
    return p


def exponent_of(x: Floats) -> int:
    """The least e with every |x| < 2**e; 0 when all are 0."""
    top = float(np.abs(x).max(initial=0.0))
    return int(np.frexp(top)[1]) if top else 0


def norms(x: Floats) -> Floats:
    """Upper bounds of the rows' Euclidean norms. Entries are below 1 in magnitude; each square may lose 2**-1074 to underflow."""
    size = x.shape[1]
    found: Floats = np.sqrt(np.einsum("ij,ij->i", x, x) * (1 + 2 * gamma(size + 2)) + size * 2.0**-1070) * (1 + 4 * U)
    return found


@dataclass(frozen=True)
class Single:
    """A head, prepared: queries in units, transposed keys, and values beside ones and their magnitudes."""

    problem: Problem
    queries: Floats | None
    keys: Floats | None
    score_bound: Floats  # a bound of |q|·|k| in units, a row each
    lost: float  # what underflow may cost a score, in units
    bias_factor: float
    values: Floats  # (m, 2 d_v + 1): values, 1, |values|
    largest: Floats  # the largest magnitude of each column of values
    usable: bool


def prepare(problem: Problem) -> Single:
    """Scales by powers of two and converts; n·d work."""
    n, m, d_v = problem.shape
    values = np.concatenate([problem.values, np.ones((m, 1)), np.abs(problem.values)], axis=1)
    largest = values[:, d_v + 1 :].max(axis=0)
    usable = bool(largest.max(initial=0.0) < 2.0**900)
    queries = keys = None
    bound, lost = np.zeros(n), 0.0
    if problem.queries is not None and problem.keys is not None:
        e_q, e_k = exponent_of(problem.queries), exponent_of(problem.keys)
        factor, _ = constants.in_units(problem.scale.ball(constants.BITS), e_q + e_k)
        small = abs(factor) < 2.0**-800
        usable = usable and abs(factor) < LARGEST_FACTOR
        scaled = np.ldexp(problem.queries, -e_q)
        queries = scaled * (0.0 if small or not usable else factor)
        keys = np.ascontiguousarray(np.ldexp(problem.keys, -e_k).T)
        # A row's bound needs no more than the largest key: |q|·|k| <= ‖q‖ ‖k‖.
        bound = norms(scaled) * (norms(keys.T).max() * (abs(factor) if usable else 1.0) * (1 + 8 * U))
        # Underflow in scaling, in the products and in the sum; a factor taken as 0 leaves d · 2**-800.
        lost = scaled.shape[1] * ((abs(factor) if usable else 1.0) + 2) * 2.0**-1070 + (scaled.shape[1] * 2.0**-799 if small else 0.0)
    if problem.bias is not None:
        usable = usable and bool(np.abs(problem.bias).max() < LARGEST_FACTOR)
    return Single(problem, queries, keys, bound, lost, constants.per_unit()[0], values, largest, usable)


@dataclass(frozen=True)
class Block:
    """What one block of rows gave, in float64, with its bounds. `weights` has 0 in place of each row's top weight, which is exactly 1.

    The exact output of row i, column c lies within `error[i, c]` of value[i, c], and also within `fine_error` of the top key's value plus
    `fine`; see `fine`."""

    rows: Integers
    usable: Bools
    top: Integers
    top_score: Floats  # in units
    weights: Floats
    shape_error: Floats  # bound of |log of computed/exact weight|, the common factor of a row taken out
    fine_shape_error: Floats  # the same, relative to the top key's weight
    score_error: Floats  # bound of the error of a score, in units
    rest: Floats  # sums of the rest: values, 1, |values|
    total: Floats
    sum_error: float


def scores(head: Single, rows: Integers) -> tuple[Floats, Bools | None, Floats]:
    """(scores in units, what is allowed, bound of their errors) for these rows and the keys up to the last allowed one."""
    p = head.problem
    stop = p.mask.stop(rows)
    allowed = p.mask.allowed(rows, stop)
    d = 0 if head.queries is None else head.queries.shape[1]
    bound = head.score_bound[rows]
    error = bound * (gamma(d) * (1 + 4 * U) + 3.2 * U) + head.lost
    if head.queries is not None and head.keys is not None:
        y = head.queries[rows] @ head.keys[:, :stop]
    else:
        y = np.zeros((len(rows), stop))
    if p.bias is not None:
        bias = p.bias[rows, :stop]
        if allowed is not None:
            bias = np.where(allowed, bias, 0.0)
        y += bias * head.bias_factor
        most = np.abs(bias).max(axis=1) * (head.bias_factor * (1 + 4 * U))
        error = error + (bound * 1.1 * U + most * (3.2 * U) + 2.0**-1000)
        bound = bound + most
    return y, allowed, np.stack([error, bound])


def block(head: Single, rows: Integers) -> Block:
    """Weights and sums for these rows (in each of which some key is allowed)."""
    y, allowed, (error, bound) = scores(head, rows)
    if allowed is not None:
        y[~allowed] = -np.inf
    at = np.arange(len(rows))
    top = y.argmax(axis=1)
    top_score = y[at, top]
    y -= top_score[:, None]
    reach = 2.1 * bound
    shift = 1.1 * U * np.minimum(reach, CUT)
    step = constants.unit()[0] * (1 + 4 * U)
    shape = step * (error + shift) + 1.1 * EXP_ERROR
    far = far_rows(y, top, shape >= MAX_WEIGHT_ERROR / 2, error)
    shape = np.where(far, 0.0, shape)
    fine = np.where(far, 0.0, step * (2 * error + shift) + 1.1 * EXP_ERROR)
    cut = allowed is not None or bool((reach > CUT).any())
    dead = None
    if cut:
        dead = y < -CUT
        np.maximum(y, -CUT, out=y)
    weights = power(y)
    if dead is not None:
        weights[dead] = 0.0
    weights[at, top] = 0.0
    rest = _sums(weights, head.values)
    d_v = head.problem.shape[2]
    keys = weights.shape[1]
    return Block(
        rows,
        (fine < MAX_WEIGHT_ERROR) & head.usable,
        top,
        top_score,
        weights,
        shape,
        fine,
        error,
        rest,
        1.0 + rest[:, d_v],
        gamma(min(keys, KEYS_AT_ONCE) + -(-keys // KEYS_AT_ONCE) + 2),
    )


def far_rows(y: Floats, top: Integers, unclear: Bools, error: Floats) -> Bools:
    """Which of the `unclear` rows have one key so far above all others that the others' weights are below 2**-999 whatever the errors;
    `y` are scores less the top one's, in units, -inf where masked. Such a row's weights are 1 and 0, far within every bound."""
    far = np.zeros(len(y), dtype=bool)
    rows = np.flatnonzero(unclear)
    if len(rows):
        others = y[rows]
        others[np.arange(len(rows)), top[rows]] = -np.inf
        second = others.max(axis=1)
        far[rows] = second < -(CUT + 2.2 * error[rows])
        far[rows] &= -second * (1 - 4 * U) > CUT + 2.2 * error[rows]
    return far


def _sums(weights: Floats, values: Floats) -> Floats:
    keys = weights.shape[1]
    total = weights[:, :KEYS_AT_ONCE] @ values[: min(KEYS_AT_ONCE, keys)]
    for start in range(KEYS_AT_ONCE, keys, KEYS_AT_ONCE):
        stop = min(start + KEYS_AT_ONCE, keys)
        total += weights[:, start:stop] @ values[start:stop]
    return total


def lost_to_zero(head: Single, keys: int) -> Floats:
    """What weights cut to 0 and products lost to underflow may change in an output, a column each."""
    return keys * 2.0**-990 * head.largest + keys * 2.0**-1070


def outputs(head: Single, b: Block) -> tuple[Floats, Floats]:
    """(values, bounds of their errors) of the output's rows."""
    d_v = head.problem.shape[2]
    best = head.problem.values[b.top]
    total = b.total[:, None]
    value = (b.rest[:, :d_v] + best) / total
    spread = (b.rest[:, d_v + 1 :] + np.abs(best)) / total
    size = np.abs(value)
    factor = (1.03 * (b.shape_error + b.sum_error))[:, None]
    error = (spread + size) * factor + (size * (2 * U) + lost_to_zero(head, b.weights.shape[1]))
    return value, error


def fine(head: Single, b: Block, i: Integers, c: Integers) -> tuple[Floats, Floats, Floats]:
    """(the top key's value, what to add to it, bound of the error) for entries (i, c) of the block: exact − top value, computed from the
    other keys only, is known relatively where the other keys hardly count."""
    d_v = head.problem.shape[2]
    best = head.problem.values[b.top[i], c]
    rest = b.rest[i, d_v]
    total = b.total[i]
    low = (b.rest[i, c] - best * rest) / total
    spread = (b.rest[i, d_v + 1 + c] + np.abs(best) * rest) / total
    error = spread * (2.1 * (b.fine_shape_error[i] + b.sum_error + 4 * U)) + lost_to_zero(head, b.weights.shape[1])[c]
    return best, low, error


def beyond(head: Single, b: Block, i: Integers, c: Integers) -> tuple[Floats, Floats, Floats, Bools]:
    """(the top key's value, least and greatest of what to add to it, where their sign is proven) for entries (i, c) of the block.

    The weights here are relative to the second key of each row, so that the sign of exact − top value is found however small the others'
    weights are. `least` is a number of that sign below every other, `greatest` a bound of the difference."""
    p = head.problem
    d_v = p.shape[2]
    rows, at_row = np.unique(i, return_inverse=True)
    y, allowed, (error, bound) = scores(head, b.rows[rows])
    if allowed is not None:
        y[~allowed] = -np.inf
    at = np.arange(len(rows))
    y[at, b.top[rows]] = -np.inf
    second = y.max(axis=1)
    some = np.isfinite(second)  # not so where one key alone is allowed: the entry is its value, and lies where that lies
    second[~some] = 0.0
    y -= second[:, None]
    dead = y < -CUT
    np.maximum(y, -CUT, out=y)
    weights = power(y)
    weights[dead] = 0.0
    sums = _sums(weights, head.values)[at_row]
    entry = np.arange(len(i))
    best = p.values[b.top[i], c]
    rest = sums[:, d_v]
    low = sums[entry, c] - best * rest
    spread = sums[entry, d_v + 1 + c] + np.abs(best) * rest
    step = constants.unit()[0] * (1 + 4 * U)
    shape = step * (error + 1.1 * U * np.minimum(2.1 * bound, CUT)) + 1.1 * EXP_ERROR
    slack = spread * (2.1 * (shape[at_row] + b.sum_error + 4 * U)) + lost_to_zero(head, p.shape[1])[c] * 4
    gap = (b.top_score[rows] - second - 2.2 * error) * (1 - 8 * U) - 2.0**-20
    most = 2.0 ** -np.clip(gap / constants.STEPS, -100.0, 800.0)
    proven = (np.abs(low) > slack) & (some & (shape < MAX_WEIGHT_ERROR))[at_row] & head.usable
    sign = np.sign(low)
    return best, sign * 2.0**-1074, sign * (most[at_row] * head.largest[c] * (2.1 * p.shape[1]) + 2.0**-1000), proven


def logsumexp(b: Block) -> tuple[Floats, Floats]:
    """(log-sum-exp of the rows, bounds of their errors): the top score plus a logarithm found from `power` alone."""
    high, _ = constants.unit()
    log, log_error = logarithm(b.total)
    scaled = b.top_score * high
    value = scaled + log
    size = np.abs(scaled) + np.abs(log)
    error = high * b.score_error + 1.03 * (b.shape_error + b.sum_error) + log_error + size * (4 * U) + 2.0**-990
    return value, error


def logarithm(x: Floats) -> tuple[Floats, Floats]:
    """(log x, bound of the error) for 1 <= x < 2**900. A guess g in units, then log x = g·L + log(x · 2**(−g/4096)), whose
    argument `power` shows to be near 1; where the guess was bad the bound is infinite."""
    high, _ = constants.unit()
    guess = np.rint(np.log2(x) * constants.STEPS * 2.0**20) * 2.0**-20
    rest = x * power(-guess) - 1.0
    good = np.abs(rest) < 2.0**-16
    error = np.where(good, 1.01 * (EXP_ERROR + 2 * U) + np.abs(rest) ** 3 + np.abs(guess) * (high * 3 * U), math.inf)
    return guess * high + (rest - rest * rest / 2), error


def weight_table(b: Block) -> tuple[Floats, Floats]:
    """(weights, bounds of their errors): rows over the sum of each."""
    weights = b.weights.copy()
    weights[np.arange(len(b.rows)), b.top] = 1.0
    weights /= b.total[:, None]
    error = weights * (2.1 * (b.shape_error + b.sum_error) + 2 * U)[:, None] + b.weights.shape[1] * 2.0**-990
    return weights, error
