"""What a certified computation returns: values and the count of what proved them.

Promises: frozen records; arrays in the asked format. Does not promise: any computation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

TIERS = ("exact", "single", "double", "decided")


@dataclass
class Tally:
    """Entries decided at each tier, counted while a computation runs."""

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TIERS, 0))

    def add(self, tier: str, entries: int) -> None:
        """`entries` more at that tier."""
        self.counts[tier] += int(entries)


@dataclass(frozen=True)
class Report:
    """How many entries (of values, lse and weights together) each tier proved.

    `exact`: known without rounding (rows without keys, columns of one value). `single`: float64 with a proved bound. `double`: pairs of
    float64 with exact slices. `decided`: exact integers, groups of equal scores and balls. Nothing is ever left undecided: what would be
    is an UndecidedError."""

    exact: int
    single: int
    double: int
    decided: int

    @property
    def entries(self) -> int:
        """All of them."""
        return self.exact + self.single + self.double + self.decided

    def __str__(self) -> str:
        parts = [f"{getattr(self, tier)} {tier}" for tier in TIERS if getattr(self, tier)]
        return f"{self.entries} entries: " + ", ".join(parts)


@dataclass(frozen=True, eq=False)
class Certified:
    """`values` (…, n, d_v), `lse` (…, n) and, where asked for, `weights` (…, n, m): each the rounding of the exact number to `out`."""

    values: Array
    lse: Array
    weights: Array | None
    out: str
    report: Report

    def __repr__(self) -> str:
        return f"Certified({self.out}, shape {self.values.shape}, {self.report})"


@dataclass(frozen=True, eq=False)
class CertifiedArray:
    """`values`: the asked array, each entry the one rounding of the exact number to `out`."""

    values: Array
    out: str
    report: Report

    def __repr__(self) -> str:
        return f"CertifiedArray({self.out}, shape {self.values.shape}, {self.report})"


@dataclass(frozen=True, eq=False)
class CertifiedGradient:
    """`queries`, `keys`, `values`: dL/dQ, dL/dK, dL/dV, shaped as q, k, v: each the rounding of the exact number to `out`."""

    queries: Array
    keys: Array
    values: Array
    out: str
    report: Report


def report(tally: Tally) -> Report:
    """The tally, frozen."""
    return Report(**tally.counts)
