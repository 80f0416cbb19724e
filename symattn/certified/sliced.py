"""Products of matrices of pairs, cut into slices that BLAS multiplies exactly: the common part of the second tier's gradients.

Promises: `product` and `row_sums` return pairs with a bound of their errors, by the argument of double.py (section B of
docs/certified-bounds.md).
Does not promise: relative accuracy of entries; bounds are relative to the row's and the column's largest entries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symattn.certified.pairs import bits_of_slice, on_grid, two_prod_arrays
from symattn.certified.rounding import two_sum
from symattn.certified.single import U, gamma
from symattn.certified.take import Floats, Integers

AT_ONCE = 256
LEAST_EXPONENT = -400  # smaller rows are cut on this grid, and lose what is below it


@dataclass(frozen=True)
class Pair:
    """high + low, |low| at most about u |high|."""

    high: Floats
    low: Floats

    def transposed(self) -> Pair:
        """Rows and columns exchanged."""
        return Pair(np.ascontiguousarray(self.high.T), np.ascontiguousarray(self.low.T))


def pair(high: Floats) -> Pair:
    """Exact numbers as pairs."""
    return Pair(high, np.zeros_like(high))


def add(a: Pair, b: Pair) -> Pair:
    """a + b; relative to |a| + |b| the error is below 4 u²."""
    high, rest = two_sum(a.high, b.high)
    rest += a.low + b.low
    return Pair(*two_sum(high, rest))


def multiply(a: Pair, b: Pair) -> Pair:
    """a · b entry by entry, with broadcasting; relative error below 16 u²."""
    high, rest = two_prod_arrays(a.high, b.high)
    rest += a.high * b.low + a.low * b.high
    return Pair(high, rest)


def exponents(x: Floats, axis: int) -> Integers:
    """The least e with |entries| < 2**e along an axis, kept as an axis of size 1."""
    found: Integers = np.frexp(np.abs(x).max(axis=axis, keepdims=True))[1].astype(np.int64)
    return np.clip(found, LEAST_EXPONENT, 400)


def _shift(e: Integers) -> Floats:
    found: Floats = np.ldexp(1.5 * 2.0**52, e)
    return found


@dataclass(frozen=True)
class Cut:
    """A right factor (inner, column), cut by columns, block by block of the inner axis."""

    blocks: tuple[tuple[Floats, Floats, Floats], ...]
    exponents: Integers
    bits: int


def cut(y: Pair) -> Cut:
    """Slices of the columns of a right factor."""
    inner = len(y.high)
    bits = bits_of_slice(min(inner, AT_ONCE))
    e = exponents(y.high, 0)
    y0 = on_grid(y.high, _shift(e - bits))
    r1 = y.high - y0  # exact: the low part comes in where it can no longer be lost
    y1 = on_grid(r1, _shift(e - 2 * bits))
    r2 = (r1 - y1) + y.low
    r1 += y.low
    blocks = []
    for start in range(0, inner, AT_ONCE):
        at = slice(start, start + AT_ONCE)
        blocks.append((y0[at], np.concatenate([y1[at], y0[at]]), np.concatenate([r2[at], r1[at], y.high[at]])))
    return Cut(tuple(blocks), e, bits)


def product(x: Pair, y: Cut) -> tuple[Pair, Floats]:
    """(x y, bound of the errors) for x (row, inner)."""
    rows, inner = x.high.shape
    bits = y.bits
    e = exponents(x.high, 1)
    width = y.exponents.shape[1]
    one, two, low = np.zeros((rows, width)), np.zeros((rows, width)), np.zeros((rows, width))
    sizes = np.zeros((3, rows))
    first, second = _shift(e - bits), _shift(e - 2 * bits)
    for number, start in enumerate(range(0, inner, AT_ONCE)):
        at = slice(start, start + AT_ONCE)
        x0 = on_grid(x.high[:, at], first)
        rest = x.high[:, at] - x0
        x1 = on_grid(rest, second)
        rest -= x1
        rest += x.low[:, at]
        slices = np.concatenate([x0, x1, rest], axis=1)
        size = x0.shape[1]
        y1, y2, y3 = y.blocks[number]
        one, error = two_sum(one, x0 @ y1)
        low += error
        two, error = two_sum(two, slices[:, : 2 * size] @ y2)
        low += error
        low += slices @ y3
        sizes += [np.abs(part).sum(axis=1) for part in (x0, x1, rest)]
    high, error = two_sum(one, two)
    low += error
    blocks = -(-inner // AT_ONCE)
    uneven = 1.01 * (sizes[0] * 2.0 ** (-2 * bits) + sizes[1] * 2.0**-bits + sizes[2])
    bound = uneven * (gamma(3 * min(inner, AT_ONCE)) + 8 * U * (1 + blocks)) + sizes[0] * ((1 + blocks) ** 2 * 2.0**-102)
    return Pair(*two_sum(high, low)), bound[:, None] * np.ldexp(1.0, y.exponents) + 2.0**-1000


def row_sums(x: Pair) -> tuple[Pair, Floats]:
    """(sums of rows, bounds of their errors); columns of size 1."""
    count = x.high.shape[1]
    bits = 52 - count.bit_length()
    e = exponents(x.high, 1)
    whole = on_grid(x.high, _shift(e - bits))
    rest = x.high - whole
    second = on_grid(rest, _shift(e - 2 * bits))
    rest -= second
    rest += x.low
    # Two sums of integers over a common unit, below 2**53: exact.
    high, low = two_sum(whole.sum(axis=1, keepdims=True), second.sum(axis=1, keepdims=True))
    low += rest.sum(axis=1, keepdims=True)
    bound = np.abs(rest).sum(axis=1, keepdims=True) * (1.01 * gamma(count + 2)) + np.abs(low) * (2 * U) + 2.0**-1000
    return Pair(*two_sum(high, low)), bound
