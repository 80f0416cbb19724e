"""Relations with sizes, parameters and masks bound: which index tuples an operation may visit.

Promises: equalities are solved rather than searched, orders narrow the range, and the rest is checked as soon as its axes are fixed;
tuples come in lexicographic order. Does not promise: anything about values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symattn.errors import ProgramError
from symattn.interp.tensor import Tensor, row_major_strides
from symattn.program import ops
from symattn.program.program import relation_axes
from symattn.program.spaces import Axis, Space

Positions = dict[str, int]
At = Mapping[str, int]


@dataclass(frozen=True)
class Affine:
    """The flat position of a use: base + Σ stride · position of the axis. Every index term is affine, so this is all."""

    stage: str
    base: int
    strides: Mapping[str, int]

    def at(self, positions: At) -> int:
        """The flat position in the used stage."""
        return self.base + sum([stride * positions[axis] for axis, stride in self.strides.items()])


def affine(use: ops.Use, shape: Sequence[int], sizes: Mapping[str, int]) -> Affine:
    """The flat position of `use` in a stage of this shape. Raises ProgramError for a fixed position outside its space."""
    base = 0
    strides: dict[str, int] = {}
    for index, stride, size in zip(use.indices, row_major_strides(shape), shape, strict=True):
        match index:
            case Axis():
                strides[index.name] = strides.get(index.name, 0) + stride
            case ops.At(_, position):
                if not 0 <= position < size:
                    raise ProgramError(
                        f'"{use.stage}" is used at position {position} of an axis with {size} entries', next_move="positions count from 0"
                    )
                base += stride * position
            case ops.Inject(space, block, axis):
                base += stride * block_offset(space, block, sizes)
                strides[axis.name] = strides.get(axis.name, 0) + stride
            case ops.Joint(_, axes):
                inner = row_major_strides([a.space.extent(dict(sizes)) for a in axes])
                for axis, step in zip(axes, inner, strict=True):
                    strides[axis.name] = strides.get(axis.name, 0) + stride * step
    return Affine(use.stage, base, strides)


def block_offset(space: Space, block: str, sizes: Mapping[str, int]) -> int:
    """The position of the first entry of a block of a union space."""
    offset = 0
    for part in space.blocks:
        if part.name == block:
            return offset
        offset += part.extent(dict(sizes))
    raise ProgramError(f'the space "{space.name}" has no block "{block}"')


@dataclass(frozen=True)
class _Bound:
    """One relation made runnable: does it hold, and where may `axis` stand when other axes are fixed (a superset)?"""

    axes: frozenset[str]
    holds: Callable[[At], bool]
    narrow: Callable[[str, At], tuple[int | None, int | None]]


class Relations:
    """A conjunction of relations. `where` are the relations, `axes` the names of all axes they mention."""

    def __init__(
        self,
        where: Sequence[ops.Relation],
        sizes: Mapping[str, int],
        parameters: Mapping[str, int],
        values: Mapping[str, Tensor[Any]],
    ) -> None:
        self.where = tuple(where)
        self._bound = [_bind(relation, sizes, parameters, values) for relation in self.where]
        self.axes: frozenset[str] = frozenset().union(*[b.axes for b in self._bound])

    def all_hold(self, at: At) -> bool:
        """Do all relations hold whose axes are all fixed?"""
        fixed = at.keys()
        return all(b.holds(at) for b in self._bound if b.axes <= fixed)

    def search(self, axes: Sequence[str], extents: Mapping[str, int], fixed: At) -> Iterator[Positions]:
        """Every assignment of `axes` (lexicographic, first axis slowest) at which, with `fixed`, all relations hold.

        The dictionary that is yielded is reused: read it before asking for the next one."""
        at: Positions = dict(fixed)
        if not self.all_hold(at):
            return
        plan = []
        known = set(at)
        for axis in axes:
            known.add(axis)
            mine = [b for b in self._bound if axis in b.axes]
            plan.append((axis, extents[axis], mine, [b.holds for b in mine if b.axes <= known]))
        yield from _search(plan, at, 0)


_Level = tuple[str, int, list[_Bound], list[Callable[[At], bool]]]


def _search(plan: list[_Level], at: Positions, depth: int) -> Iterator[Positions]:
    if depth == len(plan):
        yield at
        return
    axis, extent, mine, due = plan[depth]
    lo, hi = 0, extent - 1
    for bound in mine:
        low, high = bound.narrow(axis, at)
        if low is not None and low > lo:
            lo = low
        if high is not None and high < hi:
            hi = high
    last = depth + 1 == len(plan)
    for position in range(lo, hi + 1):
        at[axis] = position
        for check in due:
            if not check(at):
                break
        else:
            if last:
                yield at
            else:
                yield from _search(plan, at, depth + 1)
    at.pop(axis, None)


def _bind(relation: ops.Relation, sizes: Mapping[str, int], parameters: Mapping[str, int], values: Mapping[str, Tensor[Any]]) -> _Bound:
    axes = frozenset(a.name for a in relation_axes(relation))
    match relation:
        case ops.Same(i, j):
            return _order(axes, i.name, j.name, 0, 0)
        case ops.AtMost(i, j, _):
            return _order(axes, i.name, j.name, None, _limit(relation, parameters))
        case ops.InBlock(j, block, p):
            return _in_block(axes, j.name, p.name, block_offset(j.space, block, sizes), p.space.extent(dict(sizes)))
        case ops.Paired(c, parts):
            return _paired(axes, c.name, [p.name for p in parts], [p.space.extent(dict(sizes)) for p in parts])
        case ops.Allowed(use):
            flags = values[use.stage].entries
            place = affine(use, values[use.stage].shape, sizes)
            return _Bound(axes, lambda at: bool(flags[place.at(at)]), lambda axis, at: (None, None))


def _limit(relation: ops.AtMost, parameters: Mapping[str, int]) -> int:
    if isinstance(relation.c, int):
        return relation.c
    if relation.c not in parameters:
        raise ProgramError(f'the parameter "{relation.c}" has no value', next_move=f"bind it: parameters={{{relation.c!r}: …}}")
    return parameters[relation.c]


def _order(axes: frozenset[str], i: str, j: str, least: int | None, most: int) -> _Bound:
    """least ≤ i − j ≤ most."""

    def holds(at: At) -> bool:
        difference = at[i] - at[j]
        return difference <= most and (least is None or difference >= least)

    def narrow(axis: str, at: At) -> tuple[int | None, int | None]:
        if axis == i and j in at:
            return None if least is None else at[j] + least, at[j] + most
        if axis == j and i in at:
            return at[i] - most, None if least is None else at[i] - least
        return None, None

    return _Bound(axes, holds, narrow)


def _in_block(axes: frozenset[str], j: str, p: str, offset: int, count: int) -> _Bound:
    def narrow(axis: str, at: At) -> tuple[int | None, int | None]:
        if axis == j:
            return (offset + at[p], offset + at[p]) if p in at else (offset, offset + count - 1)
        return (at[j] - offset, at[j] - offset) if j in at else (None, None)

    return _Bound(axes, lambda at: at[j] == offset + at[p], narrow)


def _paired(axes: frozenset[str], joint: str, parts: list[str], extents: list[int]) -> _Bound:
    steps = list(zip(parts, row_major_strides(extents), extents, strict=True))

    def holds(at: At) -> bool:
        return at[joint] == sum([at[part] * stride for part, stride, _ in steps])

    def narrow(axis: str, at: At) -> tuple[int | None, int | None]:
        if axis == joint:
            start = 0
            for part, stride, extent in steps:
                if part not in at:
                    return start, start + stride * extent - 1
                start += at[part] * stride
            return start, start
        if joint in at:
            for part, stride, extent in steps:
                if part == axis:
                    value = at[joint] // stride % extent
                    return value, value
        return None, None

    return _Bound(axes, holds, narrow)
