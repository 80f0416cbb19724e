"""Where an operation looks: from axes, index terms and relations to flat positions, the same for every number system.

Promises: relations *select*; only index tuples that satisfy all of them are visited, equalities are solved rather than
searched, order relations narrow the range. The visiting order is fixed: see `Loops`.
Does not promise: anything about values; nothing here multiplies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from symattn.errors import ProgramError
from symattn.interp.tensor import Tensor, row_major_strides
from symattn.program import ops
from symattn.program.program import index_axes, relation_axes
from symattn.program.spaces import Axis, Space

Positions = dict[str, int]


@dataclass(frozen=True)
class Affine:
    """The flat position of a use: base + Σ stride · position of the axis. Every index term is affine, so this is all."""

    stage: str
    base: int
    strides: Mapping[str, int]

    def at(self, positions: Mapping[str, int]) -> int:
        """The flat position in the used stage."""
        return self.base + sum(stride * positions[axis] for axis, stride in self.strides.items())


def block_offset(space: Space, block: str, sizes: Mapping[str, int]) -> int:
    """The position of the first entry of a block of a union space."""
    offset = 0
    for part in space.blocks:
        if part.name == block:
            return offset
        offset += part.extent(dict(sizes))
    raise ProgramError(f'the space "{space.name}" has no block "{block}"')


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


class Relations:
    """A conjunction of relations with sizes, parameters and boolean inputs bound."""

    def __init__(
        self,
        where: Sequence[ops.Relation],
        sizes: Mapping[str, int],
        parameters: Mapping[str, int],
        values: Mapping[str, Tensor[Any]],
    ) -> None:
        self.where = tuple(where)
        self._sizes = dict(sizes)
        self._limits = {r: _limit(r, parameters) for r in self.where if isinstance(r, ops.AtMost)}
        self._masks = {
            r: (affine(r.use, values[r.use.stage].shape, sizes), values[r.use.stage].entries)
            for r in self.where
            if isinstance(r, ops.Allowed)
        }
        self._parts = {r: [p.space.extent(self._sizes) for p in r.parts] for r in self.where if isinstance(r, ops.Paired)}
        self._blocks = {
            r: (block_offset(r.j.space, r.block, sizes), r.p.space.extent(self._sizes)) for r in self.where if isinstance(r, ops.InBlock)
        }
        self._names = {r: frozenset(a.name for a in relation_axes(r)) for r in self.where}
        self.axes = frozenset().union(*self._names.values()) if self.where else frozenset()

    def holds(self, relation: ops.Relation, at: Mapping[str, int]) -> bool:
        """Does one relation hold at these positions?"""
        match relation:
            case ops.Same(i, j):
                return at[i.name] == at[j.name]
            case ops.AtMost(i, j, _):
                return at[i.name] - at[j.name] <= self._limits[relation]
            case ops.InBlock(j, _, p):
                return at[j.name] == self._blocks[relation][0] + at[p.name]
            case ops.Paired(c, parts):
                joint = 0
                for part, extent in zip(parts, self._parts[relation], strict=True):
                    joint = joint * extent + at[part.name]
                return at[c.name] == joint
            case ops.Allowed():
                where, flags = self._masks[relation]
                return bool(flags[where.at(at)])

    def all_hold(self, at: Mapping[str, int], among: frozenset[str]) -> bool:
        """Do all relations hold whose axes are all in `among`?"""
        return all(self.holds(r, at) for r in self.where if self._names[r] <= among)

    def _range(self, axis: str, extent: int, at: Mapping[str, int]) -> range:
        """Where `axis` may stand when the axes in `at` are fixed: a superset, exact for equalities and orders."""
        lo, hi = 0, extent - 1
        for relation in self.where:
            if axis not in self._names[relation]:
                continue
            match relation:
                case ops.Same(i, j):
                    other = j.name if i.name == axis else i.name
                    if other in at:
                        lo, hi = max(lo, at[other]), min(hi, at[other])
                case ops.AtMost(i, j, _):
                    limit = self._limits[relation]
                    if i.name == axis and j.name in at:
                        hi = min(hi, at[j.name] + limit)
                    elif j.name == axis and i.name in at:
                        lo = max(lo, at[i.name] - limit)
                case ops.InBlock(j, _, p):
                    offset, count = self._blocks[relation]
                    if j.name == axis:
                        first, last = (at[p.name], at[p.name]) if p.name in at else (0, count - 1)
                        lo, hi = max(lo, offset + first), min(hi, offset + last)
                    elif j.name in at:
                        lo, hi = max(lo, at[j.name] - offset), min(hi, at[j.name] - offset)
                case ops.Paired(c, parts):
                    lo, hi = self._paired_range(relation, c.name, [p.name for p in parts], axis, (lo, hi), at)
                case ops.Allowed():
                    pass
        return range(lo, hi + 1)

    def _paired_range(
        self, relation: ops.Relation, joint: str, parts: list[str], axis: str, bounds: tuple[int, int], at: Mapping[str, int]
    ) -> tuple[int, int]:
        assert isinstance(relation, ops.Paired)
        lo, hi = bounds
        strides = row_major_strides(self._parts[relation])
        if axis == joint:
            start = 0
            for part, stride, extent in zip(parts, strides, self._parts[relation], strict=True):
                if part not in at:
                    return max(lo, start), min(hi, start + stride * extent - 1)
                start += at[part] * stride
            return max(lo, start), min(hi, start)
        if joint in at:
            k = parts.index(axis)
            value = at[joint] // strides[k] % self._parts[relation][k]
            return max(lo, value), min(hi, value)
        return lo, hi

    def search(self, axes: Sequence[str], extents: Mapping[str, int], fixed: Mapping[str, int]) -> Iterator[Positions]:
        """Every assignment of `axes` (lexicographic, first axis slowest) at which, with `fixed`, all relations hold.

        The dictionary that is yielded is reused: read it before asking for the next one."""
        at: Positions = dict(fixed)
        if not self.all_hold(at, frozenset(at)):
            return
        due: list[list[ops.Relation]] = []
        bound = set(at)
        for axis in axes:
            bound.add(axis)
            due.append([r for r in self.where if axis in self._names[r] and self._names[r] <= bound])
        yield from self._search(list(axes), extents, at, due, 0)

    def _search(
        self, axes: list[str], extents: Mapping[str, int], at: Positions, due: list[list[ops.Relation]], depth: int
    ) -> Iterator[Positions]:
        if depth == len(axes):
            yield at
            return
        axis = axes[depth]
        for position in self._range(axis, extents[axis], at):
            at[axis] = position
            if all(self.holds(r, at) for r in due[depth]):
                yield from self._search(axes, extents, at, due, depth + 1)
        at.pop(axis, None)


def _limit(relation: ops.AtMost, parameters: Mapping[str, int]) -> int:
    if isinstance(relation.c, int):
        return relation.c
    if relation.c not in parameters:
        raise ProgramError(f'the parameter "{relation.c}" has no value', next_move=f"bind it: parameters={{{relation.c!r}: …}}")
    return parameters[relation.c]


@dataclass(frozen=True)
class Visit:
    """One entry of the result: its index tuple, and the flat positions of each use, term by term.

    `uses[u][t]` is where term t finds its factor u; without uses, `terms` still counts the terms."""

    index: tuple[int, ...]
    uses: tuple[list[int], ...]
    terms: int


@dataclass(frozen=True)
class Loops:
    """The loops of one Contract, Reduce or Map.

    `out` are the axes of the result, `inner` those that are summed: in the order in which they first appear in the uses,
    then in the relations, then in `over`. Terms of an entry come in lexicographic order of the inner axes, the first one
    slowest. `uses` are affine positions; with no relations a batched implementation may work from `uses` and `extents` alone.
    """

    out: tuple[Axis, ...]
    inner: tuple[Axis, ...]
    extents: Mapping[str, int]
    uses: tuple[Affine, ...]
    relations: Relations

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return tuple(self.extents[a.name] for a in self.out)

    def visits(self) -> Iterator[Visit]:
        """Every entry of the result, row-major, with what it visits."""
        names = [a.name for a in self.out]
        inner = [a.name for a in self.inner]
        shared = [n for n in names if n in self.relations.axes]
        cache: dict[tuple[int, ...], tuple[tuple[list[int], ...], int]] = {}
        for index in product(*(range(self.extents[n]) for n in names)):
            at = dict(zip(names, index, strict=True))
            key = tuple(at[n] for n in shared)
            if key not in cache:
                cache[key] = self._relative(inner, {n: at[n] for n in shared})
            offsets, terms = cache[key]
            bases = [u.base + sum(s * at[a] for a, s in u.strides.items() if a in at) for u in self.uses]
            yield Visit(index, tuple([b + o for o in column] for b, column in zip(bases, offsets, strict=True)), terms)

    def _relative(self, inner: list[str], fixed: Positions) -> tuple[tuple[list[int], ...], int]:
        columns: tuple[list[int], ...] = tuple([] for _ in self.uses)
        steps = [[(a, s) for a, s in u.strides.items() if a in inner] for u in self.uses]
        terms = 0
        for at in self.relations.search(inner, self.extents, fixed):
            terms += 1
            for column, step in zip(columns, steps, strict=True):
                column.append(sum(s * at[a] for a, s in step))
        return columns, terms

    def present(self) -> Iterator[tuple[int, Positions]]:
        """Flat position and index of every entry of the result at which the relations hold, in lexicographic order
        (for a Map, which has no inner axes). The dictionary is reused."""
        names = [a.name for a in self.out]
        strides = row_major_strides(self.shape)
        for at in self.relations.search(names, self.extents, {}):
            yield sum(s * at[n] for n, s in zip(names, strides, strict=True)), at


def inner_axes(out: Sequence[Axis], uses: Sequence[ops.Use], where: Sequence[ops.Relation], over: Sequence[Axis]) -> tuple[Axis, ...]:
    """The axes that are not in the result, in the stated order of first appearance."""
    taken = {a.name for a in out}
    found: dict[str, Axis] = {}
    mentioned = [a for use in uses for index in use.indices for a in index_axes(index)]
    mentioned += [a for relation in where for a in relation_axes(relation)]
    for axis in (*mentioned, *over):
        if axis.name not in taken:
            found.setdefault(axis.name, axis)
    return tuple(found.values())
