"""Where an operation looks: from axes, index terms and relations to flat positions, the same for every number system.

Promises: relations *select*; only index tuples that satisfy all of them are visited, equalities are solved rather than
searched, order relations narrow the range. The visiting order is fixed: see `Loops`.
Does not promise: anything about values; nothing here multiplies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from symattn.interp.relations import Affine, Positions, Relations, affine, block_offset
from symattn.interp.tensor import row_major_strides
from symattn.program import ops
from symattn.program.program import index_axes, relation_axes
from symattn.program.spaces import Axis


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

    def places(self, use: int) -> list[int]:
        """Where each entry of the result, row-major, finds the use; of inner axes the first position."""
        found = self.uses[use]
        return walk(self.out, self.extents, found.strides, found.base)

    def visits(self) -> Iterator[Visit]:
        """Every entry of the result, row-major, with what it visits."""
        names = [a.name for a in self.out]
        inner = [a.name for a in self.inner]
        shared = [k for k, n in enumerate(names) if n in self.relations.axes]
        bases = [self.places(u) for u in range(len(self.uses))]
        cache: dict[tuple[int, ...], tuple[tuple[list[int], ...], int]] = {}
        for flat, index in enumerate(product(*(range(self.extents[n]) for n in names))):
            key = tuple([index[k] for k in shared])
            if key not in cache:
                cache[key] = self._relative(inner, {names[k]: index[k] for k in shared})
            offsets, terms = cache[key]
            columns = []
            for base, column in zip(bases, offsets, strict=True):
                b = base[flat]
                columns.append([b + o for o in column])
            yield Visit(index, tuple(columns), terms)

    def _relative(self, inner: list[str], fixed: Positions) -> tuple[tuple[list[int], ...], int]:
        columns: tuple[list[int], ...] = tuple([] for _ in self.uses)
        steps = [[(a, s) for a, s in u.strides.items() if a in inner] for u in self.uses]
        terms = 0
        for at in self.relations.search(inner, self.extents, fixed):
            terms += 1
            for column, step in zip(columns, steps, strict=True):
                column.append(sum([s * at[a] for a, s in step]))
        return columns, terms

    def present(self) -> Iterator[tuple[int, Positions]]:
        """Flat position and index of every entry of the result at which the relations hold, in lexicographic order
        (for a Map, which has no inner axes). The dictionary may be reused."""
        names = [a.name for a in self.out]
        if not self.relations.where:
            for flat, index in enumerate(product(*(range(self.extents[n]) for n in names))):
                yield flat, dict(zip(names, index, strict=True))
            return
        strides = row_major_strides(self.shape)
        steps = list(zip(names, strides, strict=True))
        for at in self.relations.search(names, self.extents, {}):
            yield sum([s * at[n] for n, s in steps]), at


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


def walk(axes: Sequence[Axis], extents: Mapping[str, int], strides: Mapping[str, int], base: int = 0) -> list[int]:
    """Flat positions of every assignment of `axes`, the first one slowest."""
    places = [base]
    for axis in axes:
        step = strides.get(axis.name, 0)
        places = [p + k * step for p in places for k in range(extents[axis.name])]
    return places


__all__ = ["Affine", "Loops", "Positions", "Relations", "Visit", "affine", "block_offset", "inner_axes", "walk"]
