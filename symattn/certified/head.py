"""One head through the tiers: what a tier's bound does not decide goes to the next one.

Promises: every entry of what is asked for is a proven rounding; work in blocks of rows, so that memory is n·(d + d_v) plus a block.
Does not promise: safety in threads (flint's precision is one for the process).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from symattn.certified import double, single
from symattn.certified.exact import ExactHead
from symattn.certified.machine import require_arithmetic
from symattn.certified.problem import Problem
from symattn.certified.result import Tally
from symattn.certified.rounding import Rounder
from symattn.certified.take import Bools, Floats, Integers

BLOCK_ENTRIES = 1 << 17  # scores held at once by the first tier
FEW = 2.0**-12  # when the other keys weigh less together, the sign of their effect is worth a look
METHODS = ("tiers", "balls")


@cache
def keep_freed_memory() -> None:
    """Frees one large block that was never touched: the GNU C library then keeps freed memory up to that size for the next block of rows
    instead of handing it back, which would cost as much time as the arithmetic. Elsewhere it does nothing."""
    np.empty(1 << 21)


@dataclass(frozen=True)
class Wanted:
    """What to compute, and by which road: "tiers", or "balls" for the last tier alone."""

    values: bool = True
    lse: bool = True
    weights: bool = False
    method: str = "tiers"


@dataclass(frozen=True)
class Rows:
    """Roundings as float64, infinities for what overflows; rows without keys are filled in by the caller."""

    values: Floats
    lse: Floats
    weights: Floats


class Head:
    """The tiers of one problem, each prepared when first needed."""

    def __init__(self, problem: Problem, rounder: Rounder, wanted: Wanted, tally: Tally) -> None:
        self.problem, self.rounder, self.wanted, self.tally = problem, rounder, wanted, tally
        require_arithmetic()
        keep_freed_memory()
        n, m, d_v = problem.shape
        rows = [n if asked else 0 for asked in (wanted.values, wanted.lse, wanted.weights)]
        self.found = Rows(np.zeros((rows[0], d_v)), np.zeros(rows[1]), np.zeros((rows[2], m)))
        values = problem.values
        # A column of one value has that value as its output, whatever the weights.
        self.constant: Bools = (values == values[0]).all(axis=0)

    @cached_property
    def exact(self) -> ExactHead:
        return ExactHead(self.problem)

    @cached_property
    def _single(self) -> single.Single:
        return single.prepare(self.problem)

    @cached_property
    def _double(self) -> double.Double:
        return double.prepare(self.problem)

    def run(self) -> Rows:
        """All rows in which some key is allowed."""
        rows = np.flatnonzero(~self.problem.empty)
        left = Left(rows, self.problem.shape, self.wanted)
        if self.wanted.values and self.constant.any():
            self._constant_columns(rows, left)
        if self.wanted.weights and not self.problem.mask.everything:
            self._masked_weights(rows, left)
        if self.wanted.method == "tiers":
            if not self.rounder.exact:  # one float64 cannot prove the rounding of another
                self._tier(rows, left, "single")
            self._tier(left.rows(), left, "double")
        self._decide(left)
        return self.found

    def _constant_columns(self, rows: Integers, left: Left) -> None:
        columns = np.flatnonzero(self.constant)
        self.found.values[np.ix_(rows, columns)] = self.rounder.nearest(self.problem.values[0, columns]) + 0.0
        left.values[:, columns] = False
        self.tally.add("exact", len(rows) * len(columns))

    def _masked_weights(self, rows: Integers, left: Left) -> None:
        """What the mask excludes has the weight 0."""
        step = max(1, BLOCK_ENTRIES // self.problem.shape[1])
        for start in range(0, len(rows), step):
            chosen = rows[start : start + step]
            allowed = self.problem.mask.allowed(chosen, self.problem.shape[1])
            if allowed is not None:
                left.weights[chosen] = allowed
                self.tally.add("exact", int(np.count_nonzero(~allowed)))

    def _tier(self, rows: Integers, left: Left, tier: str) -> None:
        size = double.BLOCK_ENTRIES if tier == "double" else BLOCK_ENTRIES
        least = 16 if tier == "double" else 32
        step = max(least, size // self.problem.shape[1])
        for start in range(0, len(rows), step):
            chosen = rows[start : start + step]
            (self._single_rows if tier == "single" else self._double_rows)(chosen, left)

    def _single_rows(self, rows: Integers, left: Left) -> None:
        b = single.block(self._single, rows)
        if self.wanted.values:
            value, error = single.outputs(self._single, b)
            rounded, proven = self.rounder.decide(value, error)
            proven &= b.usable[:, None] & left.values[rows]
            i, c = np.nonzero(left.values[rows] & ~proven & b.usable[:, None])
            if len(i):
                best, low, fine_error = single.fine(self._single, b, i, c)
                rounded[i, c], proven[i, c] = self.rounder.decide(best, fine_error, low)
                others = b.rest[:, self.problem.shape[2]] < FEW
                i, c = np.nonzero(left.values[rows] & ~proven & (b.usable & others)[:, None])
                self._beyond(b, i, c, rounded, proven)
            self._keep(self.found.values, left.values, rows, rounded, proven, "single")
        if self.wanted.lse:
            value, error = single.logsumexp(b)
            rounded, proven = self.rounder.decide(value, error)
            self._keep(self.found.lse, left.lse, rows, rounded, proven & b.usable, "single")
        if self.wanted.weights:
            value, error = single.weight_table(b)
            rounded, proven = self.rounder.decide(value, error)
            self._keep_weights(left, rows, rounded, proven & b.usable[:, None], "single")

    def _beyond(self, b: single.Block, i: Integers, c: Integers, rounded: Floats, proven: Bools) -> None:
        """Entries beside a tie, on the side that the sign of their difference from the top key's value tells."""
        if len(i):
            best, least, greatest, known = single.beyond(self._single, b, i, c)
            first, last = self.rounder.of_sum(best, least), self.rounder.of_sum(best, greatest)
            rounded[i, c] = first + 0.0
            proven[i, c] = known & (first == last)

    def _double_rows(self, rows: Integers, left: Left) -> None:
        b = double.block(self._double, rows, values=self.wanted.values, weights=self.wanted.weights)
        if self.wanted.values:
            high, low, error = double.outputs(self._double, b)
            rounded, proven = self.rounder.decide(high, error, low)
            self._keep(self.found.values, left.values, rows, rounded, proven & b.usable[:, None], "double")
        if self.wanted.lse:
            high, low, error = double.logsumexp(b)
            rounded, proven = self.rounder.decide(high, error, low)
            self._keep(self.found.lse, left.lse, rows, rounded, proven & b.usable, "double")
        if self.wanted.weights:
            high, low, error = double.weight_table(b)
            rounded, proven = self.rounder.decide(high, error, low)
            if b.gone is not None:
                rounded[b.gone], proven[b.gone] = 0.0, True
            self._keep_weights(left, rows, rounded, proven & b.usable[:, None], "double")

    def _keep(self, found: Floats, left: Bools, rows: Integers, rounded: Floats, proven: Bools, tier: str) -> None:
        proven = proven & left[rows]
        if proven.all():
            found[rows] = rounded
            left[rows] = False
        else:
            found[rows] = np.where(proven, rounded, found[rows])
            left[rows] &= ~proven
        self.tally.add(tier, int(np.count_nonzero(proven)))

    def _keep_weights(self, left: Left, rows: Integers, rounded: Floats, proven: Bools, tier: str) -> None:
        """The tiers work on the keys up to the last allowed one."""
        stop = rounded.shape[1]
        wide = np.zeros((len(rows), self.problem.shape[1]))
        wide[:, :stop] = rounded
        sure = np.zeros(wide.shape, dtype=bool)
        sure[:, :stop] = proven
        self._keep(self.found.weights, left.weights, rows, wide, sure, tier)

    def _decide(self, left: Left) -> None:
        fmt = self.rounder.fmt
        for i in left.rows().tolist():
            columns = np.flatnonzero(left.values[i]).tolist() if self.wanted.values else []
            if columns:
                self.found.values[i, columns] = self.exact.outputs(i, columns, fmt)
            if self.wanted.lse and left.lse[i]:
                self.found.lse[i] = self.exact.logsumexp(i, fmt)
            keys: list[int] = []
            if self.wanted.weights and left.weights[i].any():
                keys = np.flatnonzero(left.weights[i]).tolist()
                self.found.weights[i, keys] = self.exact.weights(i, keys, fmt)
            self.tally.add("decided", len(columns) + len(keys) + int(self.wanted.lse and bool(left.lse[i])))


class Left:
    """Which entries are not proven yet."""

    def __init__(self, rows: Integers, shape: tuple[int, int, int], wanted: Wanted) -> None:
        n, m, d_v = shape
        live = np.zeros(n, dtype=bool)
        live[rows] = True
        self.values: Bools = np.repeat(live[:, None], d_v, axis=1) if wanted.values else np.zeros((n, 0), dtype=bool)
        self.lse: Bools = live.copy() if wanted.lse else np.zeros(n, dtype=bool)
        self.weights: Bools = np.repeat(live[:, None], m, axis=1) if wanted.weights else np.zeros((n, 0), dtype=bool)

    def rows(self) -> Integers:
        """Rows with something left."""
        some = self.values.any(axis=1) | self.lse | self.weights.any(axis=1)
        return np.flatnonzero(some)
