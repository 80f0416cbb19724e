"""Tensors: the values of stages, in any number system.

Promises: row-major entries, one for each index tuple; `absent` names the flat positions that a mask removed, where the
entry is an exact 0 that nothing looks at. Does not promise: arithmetic; only a table computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Generic, TypeVar

from symattn.errors import ShapeError

V = TypeVar("V")


def row_major_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Flat distance between neighbours along each axis; the last axis is the fastest."""
    strides = [1] * len(shape)
    for k in range(len(shape) - 2, -1, -1):
        strides[k] = strides[k + 1] * shape[k + 1]
    return tuple(strides)


@dataclass(frozen=True)
class Tensor(Generic[V]):
    """`entries` in row-major order for the index ranges 0 … shape[k] − 1; rank 0 has one entry and the shape ()."""

    shape: tuple[int, ...]
    entries: Sequence[V]
    absent: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        if len(self.entries) != prod(self.shape):
            raise ShapeError(f"a tensor of shape {self.shape} has {prod(self.shape)} entries, not {len(self.entries)}")

    def flat(self, index: Sequence[int]) -> int:
        """The row-major position of an index tuple. Raises ShapeError outside the shape."""
        if len(index) != len(self.shape):
            raise ShapeError(f"{len(index)} indices for a tensor of shape {self.shape}", next_move="give one index for each axis")
        position = 0
        for i, size in zip(index, self.shape, strict=True):
            if not 0 <= i < size:
                raise ShapeError(f"the index {tuple(index)} is outside the shape {self.shape}", next_move="indices count from 0")
            position = position * size + i
        return position

    def __getitem__(self, index: int | tuple[int, ...]) -> Any:
        """The entry at a full index; at fewer indices the part of the tensor that begins so (`t[i]` is row i)."""
        key = (index,) if isinstance(index, int) else tuple(index)
        if len(key) == len(self.shape):
            return self.entries[self.flat(key)]
        rest = self.shape[len(key) :]
        if len(key) > len(self.shape) or not all(0 <= i < n for i, n in zip(key, self.shape, strict=False)):
            raise ShapeError(f"the index {key} is outside the shape {self.shape}", next_move="indices count from 0")
        start = self.flat((*key, *(0 for _ in rest)))
        stop = start + prod(rest)
        inside = frozenset(p - start for p in self.absent if start <= p < stop)
        return Tensor(rest, self.entries[start:stop], inside)

    def is_absent(self, index: Sequence[int]) -> bool:
        """Did a mask remove this entry?"""
        return self.flat(index) in self.absent

    def _repr_latex_(self) -> str | None:
        from symattn.interp.notebook import tensor_math
        from symattn.page.notebook import shown

        found = tensor_math(self)
        return None if found is None else shown(found)

    def indices(self) -> Iterator[tuple[int, ...]]:
        """Every index tuple, row-major."""
        return product(*(range(n) for n in self.shape))

    def __iter__(self) -> Iterator[Any]:
        """The parts along the first axis."""
        if not self.shape:
            raise ShapeError("a tensor of rank 0 has no rows", next_move="read it with t[()]")
        return (self[k] for k in range(self.shape[0]))

    def __len__(self) -> int:
        if not self.shape:
            raise ShapeError("a tensor of rank 0 has no rows", next_move="read it with t[()]")
        return self.shape[0]

    def rows(self) -> list[list[V]]:
        """The rows along the last axis: one row for rank 0 and 1, the rows of every leading index in order above that."""
        width = self.shape[-1] if self.shape else 1
        return [list(self.entries[k : k + width]) for k in range(0, len(self.entries), width)]

    def nested(self) -> Any:
        """Nested lists in the tensor's shape; the bare entry for rank 0."""
        if not self.shape:
            return self.entries[0]
        if len(self.shape) == 1:
            return list(self.entries)
        return [part.nested() for part in self]
