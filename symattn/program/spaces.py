"""Index sets and the axes that range over them.

Promises: a space and an axis are two things (`token` and `key` are two axes of one space in self-attention).
Does not promise: any size; a size is a positive integer or the name of a symbol, bound when a program is run.
"""

from __future__ import annotations

from dataclasses import dataclass

from symattn.errors import ProgramError


@dataclass(frozen=True)
class Space:
    """An index set. `size` is a positive integer or a symbol's name (hypothesis: size >= 1).

    `blocks` makes it a disjoint union, in order (`key = past + new`); `factors` makes it a product, first factor
    slowest (`channel = head x d_v`). At most one of them is given; the size then follows from the parts and `size` is 0.
    `labels` are the names people read for the entries ("el", "perro", "come"); empty when there are none.
    """

    name: str
    size: int | str = 0
    blocks: tuple[Space, ...] = ()
    factors: tuple[Space, ...] = ()
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.blocks and self.factors:
            raise ProgramError(f'space "{self.name}" cannot be a union and a product at once')
        if self.blocks or self.factors:
            if self.size != 0:
                raise ProgramError(f'space "{self.name}" has parts, so its size follows from them')
        elif isinstance(self.size, int) and self.size < 1:
            raise ProgramError(f'space "{self.name}" has size {self.size}', next_move="a space has at least one entry")
        if self.labels and isinstance(self.size, int) and self.size and len(self.labels) != self.size:
            raise ProgramError(f'space "{self.name}" has {self.size} entries but {len(self.labels)} labels')

    def symbols(self) -> tuple[str, ...]:
        """Names of the size symbols in it, in order of first appearance."""
        if self.blocks or self.factors:
            return tuple(dict.fromkeys(s for part in (*self.blocks, *self.factors) for s in part.symbols()))
        return (self.size,) if isinstance(self.size, str) else ()

    def extent(self, sizes: dict[str, int]) -> int:
        """The number of entries when the size symbols have the values in `sizes`."""
        if self.blocks:
            return sum(part.extent(sizes) for part in self.blocks)
        if self.factors:
            count = 1
            for part in self.factors:
                count *= part.extent(sizes)
            return count
        if isinstance(self.size, int):
            return self.size
        if self.size not in sizes:
            raise ProgramError(f'the size "{self.size}" of space "{self.name}" is not known', next_move="give it a value")
        return sizes[self.size]

    def size_text(self) -> str:
        """The size as people write it: `3`, `n`, `past+new`, `h*d_v`."""
        if self.blocks:
            return "+".join(part.size_text() for part in self.blocks)
        if self.factors:
            return "*".join(part.size_text() for part in self.factors)
        return str(self.size)


@dataclass(frozen=True)
class Axis:
    """A name ranging over a space."""

    name: str
    space: Space
