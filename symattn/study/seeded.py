"""Numbers drawn from a seed: the same on every machine up to the last digit of a logarithm.

Promises: the bits are those of PCG64, whose stream is fixed; uniform numbers are 53 of those bits, normal ones come from them by Box
and Muller. Does not promise: secrecy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symattn.errors import InputError

KINDS = ("normal", "uniform", "signs")
# Fourth moment of the entries, whose variance is 1.
KURTOSIS = {"normal": (3, 1), "uniform": (9, 5), "signs": (1, 1)}
MAX_SEED = 2**63 - 1


class Draw:
    """A stream of numbers. Raises InputError for a seed that is none."""

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
            raise InputError(f"the seed is {seed!r}", next_move="give an integer from 0 to 2**63 - 1")
        self._bits = np.random.PCG64(seed)

    def uniform(self, *shape: int) -> Any:
        """Numbers k / 2**53 + 2**-54 in (0, 1)."""
        count = int(np.prod(shape, dtype=np.int64))
        raw = self._bits.random_raw(count)
        return ((raw >> np.uint64(11)).astype(np.float64) * 2.0**-53 + 2.0**-54).reshape(shape)

    def normal(self, *shape: int) -> Any:
        """Normal numbers of mean 0 and variance 1."""
        count = int(np.prod(shape, dtype=np.int64))
        half = (count + 1) // 2
        size = np.sqrt(-2.0 * np.log(self.uniform(half)))
        angle = 2.0 * np.pi * self.uniform(half)
        return np.concatenate([size * np.cos(angle), size * np.sin(angle)])[:count].reshape(shape)

    def entries(self, kind: str, *shape: int) -> Any:
        """Entries of one of KINDS, all of mean 0 and variance 1. Raises InputError."""
        if kind == "normal":
            return self.normal(*shape)
        if kind == "uniform":
            return np.sqrt(12.0) * (self.uniform(*shape) - 0.5)
        if kind == "signs":
            return np.where(self.uniform(*shape) < 0.5, -1.0, 1.0)
        raise InputError(f"there are no entries {kind!r}", next_move="known: " + ", ".join(KINDS))
