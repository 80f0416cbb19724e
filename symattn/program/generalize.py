"""A program with symbols in place of large numeric sizes: what is proved of it holds for those sizes too.

Rules of differentiation do not know sizes, so a statement about them is best proved for all; with numbers it would be sampled at them,
which for hundreds of rows takes minutes.

Promises: the same operations over index sets of any size. Kept as they are: small sizes, blocks of a union in which positions are
compared (what comes before a block counts there), and sets in which a fixed position is used. Does not promise: that a statement that is
true for some sizes only stays true.
"""

from __future__ import annotations

from symattn.program import ops
from symattn.program.graph import relations_of, value_uses
from symattn.program.program import Program, Stage, sizes_used
from symattn.program.rewrite import Rewriter
from symattn.program.spaces import Axis, Space

SMALL = 3


def generalized(program: Program, small: int = SMALL) -> Program:
    """The program with a symbol for every size above `small` that may become one."""
    spaces = program.spaces()
    large = [s for s in _plain(spaces) if isinstance(s.size, int) and s.size > small]
    if not large:
        return program
    compared = {axis.space for stage in program.stages for r in relations_of(stage.op) if isinstance(r, ops.AtMost) for axis in (r.i, r.j)}
    kept = {part for s in spaces if s in compared or compared & set(s.blocks) for part in s.blocks} | _pointed_at(program)
    taken = {*sizes_used(program), *(s.name for s in spaces)}
    renamed: dict[Space, Space] = {}
    for space in large:
        if space not in kept:
            symbol = f"{space.name}_size"
            while symbol in taken:
                symbol += "_"
            taken.add(symbol)
            renamed[space] = Space(space.name, symbol)
    if not renamed:
        return program
    change = _Renamed(renamed)
    return Program(tuple(Stage(s.name, change.op(s.op), s.letter) for s in program.stages), program.output)


def _plain(spaces: tuple[Space, ...]) -> list[Space]:
    """The spaces without parts, those of products and unions included."""
    found: dict[Space, None] = {}
    pending = list(reversed(spaces))
    while pending:
        space = pending.pop()
        if space.factors or space.blocks:
            pending += reversed((*space.factors, *space.blocks))
        else:
            found[space] = None
    return list(found)


def _pointed_at(program: Program) -> set[Space]:
    """Spaces in which a fixed position is used, with their parts."""
    found: set[Space] = set()
    for stage in program.stages:
        for use in value_uses(stage.op):
            for index in use.indices:
                if isinstance(index, ops.At):
                    found |= {index.space, *_plain((index.space,))}
    return found


class _Renamed(Rewriter):
    def __init__(self, renamed: dict[Space, Space]) -> None:
        self._renamed = dict(renamed)

    def space(self, space: Space) -> Space:
        if (space.factors or space.blocks) and space not in self._renamed:
            factors, blocks = (tuple(self.space(part) for part in parts) for parts in (space.factors, space.blocks))
            self._renamed[space] = Space(space.name, factors=factors, blocks=blocks)
        return self._renamed.get(space, space)

    def axis(self, axis: Axis) -> Axis:
        space = self.space(axis.space)
        return axis if space is axis.space else Axis(axis.name, space)
