"""One head's worth of work: exact scores, what the mask allows, and values; plain data that every tier reads.

Promises: scores are scale · (q · k) + bias with everything exact; `allowed` and `key_range` say the same mask. Does not promise: any
computation.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from symattn.certified.scale import Scale
from symattn.certified.take import Bools, Floats


@dataclass(frozen=True)
class Mask:
    """Which keys a query may look at: all, those up to its position (at most `window` of them), or those of a boolean array."""

    queries: int
    keys: int
    causal: bool = False
    window: int | None = None
    offset: int = 0
    array: Bools | None = None

    @property
    def everything(self) -> bool:
        """Is nothing masked?"""
        return not self.causal and self.array is None

    def allowed(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]], stop: int) -> Bools | None:
        """(row, key) for these rows and the keys before `stop`; None when all are allowed."""
        if self.array is not None:
            chosen: Bools = self.array[rows, :stop]
            return chosen
        if not self.causal:
            return None
        last = (rows + self.offset)[:, None]
        keys = np.arange(stop)
        found: Bools = keys <= last
        if self.window is not None:
            found &= keys > last - self.window
        return found

    def stop(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
        """No key from here on is allowed for any of these rows (at least 1, at most all)."""
        if not self.causal:
            return self.keys
        return min(max(int(rows.max()) + self.offset + 1, 1), self.keys)

    def empty_rows(self) -> Bools:
        """The rows in which nothing is allowed."""
        if self.array is not None:
            some: Bools = np.asarray(self.array.any(axis=1))
            return ~some
        if not self.causal:
            return np.zeros(self.queries, dtype=bool)
        last = np.arange(self.queries) + self.offset
        empty: Bools = last < 0
        if self.window is not None:
            empty |= last - self.window >= self.keys - 1
        return empty


@dataclass(frozen=True)
class Problem:
    """queries (n, d), keys (m, d), values (m, d_v), bias (n, m); queries and keys are None for scores that are the bias alone."""

    queries: Floats | None
    keys: Floats | None
    values: Floats
    scale: Scale
    bias: Floats | None
    mask: Mask
    empty: Bools = field(repr=False)

    @property
    def shape(self) -> tuple[int, int, int]:
        """n, m, d_v."""
        return self.mask.queries, self.mask.keys, self.values.shape[1]
