"""Arrays of floats as integers over a common power of two, and products of their rows, exactly.

Promises: nothing is rounded: products are sums of slices that float64 multiplies exactly, or of Python-sized integers where slices would be
too many. Does not promise: speed for entries of wildly different sizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpz_mat

from symattn.certified.take import Floats


def integers(x: Floats) -> tuple[list[int], int]:
    """The entries, row-major, as integers times 2**exponent, for the largest exponent that fits all of them."""
    man, exp = np.frexp(np.ascontiguousarray(x).ravel())
    whole = (man * 2.0**53).astype(np.int64)
    exp = exp.astype(np.int64) - 53
    some = whole != 0
    if not some.any():
        return [0] * len(whole), 0
    low = whole & -whole  # the last set bit
    spare = np.zeros_like(exp)
    spare[some] = np.frexp(low[some].astype(np.float64))[1] - 1
    exp = exp + spare
    least = int(exp[some].min())
    shifts = np.where(some, exp - least, 0)
    whole >>= spare
    if int(shifts.max()) < 9 and not (np.abs(whole) >> (62 - int(shifts.max()))).any():
        return (whole << shifts).tolist(), least
    return [w << s for w, s in zip(whole.tolist(), shifts.tolist(), strict=True)], least


MAX_SLICES = 8


@dataclass(frozen=True)
class Slices:
    """A matrix as a sum of integer matrices: part t times 2**(exponent − (t + 1) · bits), |integers| <= 2**bits, exactly."""

    parts: list[Floats]
    exponent: int
    bits: int

    def dots(self, other: Slices) -> tuple[list[int], int]:
        """The products of this one's only row with the rows of `other`, as integers times 2**exponent. Each sum of float64 products below
        is one of integers below 2**53, so exact."""
        bits, last = self.bits, len(self.parts) + len(other.parts) - 2
        total = [0] * len(other.parts[0])
        for t in range(last + 1):
            at = [s for s in range(len(self.parts)) if 0 <= t - s < len(other.parts)]
            level = sum(((other.parts[t - s] @ self.parts[s][0]) for s in at), np.zeros(len(total)))
            up = (last - t) * bits
            total = [a + (int(x) << up) for a, x in zip(total, level.tolist(), strict=True)]
        return total, self.exponent + other.exponent - (last + 2) * bits


def slices(x: Floats) -> Slices | None:
    """The matrix in slices of the length that its columns allow; None when more than MAX_SLICES would be needed."""
    bits = (53 - (x.shape[1] * MAX_SLICES).bit_length()) // 2
    exponent = int(np.frexp(np.abs(x).max())[1])
    # Everything is scaled up or down exactly, or the rest does not vanish.
    rest = np.ldexp(x, -exponent)
    if not np.array_equal(np.ldexp(rest, exponent), x):
        return None
    parts: list[Floats] = []
    while len(parts) < MAX_SLICES:
        rest = np.ldexp(rest, bits)
        whole = np.rint(rest)
        parts.append(whole)
        rest = rest - whole
        if not rest.any():
            return Slices(parts, exponent, bits)
    return None


class Dots:
    """Products of the rows of two matrices, exactly."""

    def __init__(self, left: Floats, right: Floats) -> None:
        self.left, self.right = left, right

    @cached_property
    def _slices(self) -> Slices | None:
        return slices(self.right)

    @cached_property
    def _integers(self) -> tuple[Any, int]:
        whole, exponent = integers(self.right)
        return fmpz_mat(self.right.shape[0], self.right.shape[1], whole), exponent

    def row(self, i: int) -> tuple[list[int], int]:
        """left_i · right_j for every j as integers times 2**exponent."""
        row = slices(self.left[i : i + 1])
        if row is not None and self._slices is not None:
            return row.dots(self._slices)
        whole, other = integers(self.left[i])
        matrix, exponent = self._integers
        return [int(x) for x in (matrix * fmpz_mat(len(whole), 1, whole)).entries()], exponent + other
