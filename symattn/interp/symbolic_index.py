"""A program for symbolic sizes: every stage as one SymPy expression in its indices, with `Indexed` inputs and `Sum`.

Promises: an index runs from 1, so positions (which count from 0) are the index minus 1; relations become the limits of sums where
they can, else cases (`Piecewise`), and a Kronecker delta for i = j; bound indices are distinct, so nothing is captured.
Does not promise: simplification, or that SymPy evaluates the sums; a row in which nothing is allowed is not noticed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from symattn.errors import ProgramError
from symattn.interp.loops import inner_axes
from symattn.interp.run import Table
from symattn.interp.symbolic_given import rational, symbol
from symattn.program import ops
from symattn.program.program import Program, Stage, relation_axes, sizes_used
from symattn.program.scalar import Scalar, fold
from symattn.program.spaces import Axis, Space

# Letters that people write for the axes of an attention; other axes take the next free one of the pool.
_LETTERS = {
    "token": "i",
    "query": "i",
    "key": "jkl",
    "model": "abe",
    "feature": "cd",
    "channel": "v",
    "head": "h",
    "group": "g",
    "member": "u",
    "pair": "p",
    "side": "s",
    "turn": "t",
}
_POOL = "ijklpqrstuvwabcd"


@dataclass
class _Scope:
    """One expression being written: the indices in use, and the conditions that are known to hold where we stand."""

    used: set[str] = field(default_factory=set)
    known: frozenset[Any] = frozenset()

    def fresh(self, axis: Axis) -> Any:
        """A new index for an axis."""
        base = axis.name.rstrip("0123456789_")
        own = axis.name if len(axis.name) == 1 and axis.name.isalpha() else ""
        letters = _LETTERS.get(base, own or _POOL)
        options = [*letters, *(f"{letters[0]}_{k}" for k in range(1, len(self.used) + 2))]
        name = next(o for o in options if o not in self.used)
        self.used.add(name)
        return sp.Symbol(name, integer=True)


class IndexReader:
    """Reads stages as expressions. `unfold` goes down to the inputs; otherwise a stage stands on the stages it uses."""

    def __init__(self, program: Program, table: Table, known: Mapping[str, int], parameters: Mapping[str, int], *, unfold: bool) -> None:
        self.program = program
        self.table = table
        self.known = known
        self.parameters = parameters
        self.unfold = unfold
        self._bases = _base_names(program)

    def stage(self, name: str) -> tuple[tuple[Any, ...], Any]:
        """The free indices of a stage, and the stage at them."""
        stage = self.program.by_name[name]
        scope = _Scope({*self._bases.values(), *self._bases, *sizes_used(self.program)})
        free = tuple(scope.fresh(axis) for axis in stage.out)
        return free, self._open(stage, free, scope)

    # -- sizes and places -------------------------------------------------------------------------------------------------------------
    def extent(self, space: Space) -> Any:
        """The size of a space."""
        if space.blocks:
            return sp.Add(*(self.extent(part) for part in space.blocks))
        if space.factors:
            return sp.Mul(*(self.extent(part) for part in space.factors))
        return self._size(space.size) if isinstance(space.size, str) else sp.Integer(space.size)

    def _size(self, name: str) -> Any:
        return sp.Integer(self.known[name]) if name in self.known else symbol(name, integer=True, positive=True)

    def _start(self, space: Space, block: str) -> Any:
        names = [part.name for part in space.blocks]
        return sp.Add(*(self.extent(part) for part in space.blocks[: names.index(block)]))

    def _joint(self, parts: Sequence[tuple[Any, Space]]) -> Any:
        """The index, from 1, of a tuple of indices, first slowest."""
        place: Any = sp.Integer(0)
        for index, space in parts:
            place = place * self.extent(space) + index - 1
        return place + 1

    def _place(self, index: ops.Index, at: Mapping[str, Any]) -> Any:
        match index:
            case Axis(name):
                return at[name]
            case ops.At(_, position):
                return sp.Integer(position + 1)
            case ops.Inject(space, block, axis):
                return self._start(space, block) + at[axis.name]
            case ops.Joint(_, axes):
                return self._joint([(at[a.name], a.space) for a in axes])

    # -- stages -----------------------------------------------------------------------------------------------------------------------
    def _at(self, name: str, index: tuple[Any, ...]) -> Any:
        base = sp.Symbol(self._bases[name], real=True)
        return sp.IndexedBase(base)[index] if index else base

    def _use(self, use: ops.Use, at: Mapping[str, Any], scope: _Scope) -> Any:
        index = tuple(self._place(i, at) for i in use.indices)
        stage = self.program.by_name[use.stage]
        if isinstance(stage.op, ops.Input) or not (self.unfold or isinstance(stage.op, ops.Position)):
            return self._at(use.stage, index)
        return self._open(stage, index, scope)

    def _open(self, stage: Stage, index: tuple[Any, ...], scope: _Scope) -> Any:
        at = {axis.name: place for axis, place in zip(stage.out, index, strict=True)}
        match stage.op:
            case ops.Input() | ops.Reduce():
                return self._at(stage.name, index)
            case ops.Position():
                return index[0] - 1
            case ops.Map() as op:
                conditions = [self._condition(r, at) for r in op.where]
                inside = _Scope(scope.used, scope.known | frozenset(conditions))
                args = {name: self._use(use, at, inside) for name, use in op.args}
                return _select(self._scalar(op.scalar, args), [c for c in conditions if c not in scope.known])
            case ops.Contract() as op:
                return self._sum(op, at, scope)

    def _scalar(self, tree: Scalar, args: Mapping[str, Any]) -> Any:
        row = self.table.row
        return fold(
            tree,
            num=lambda n: rational(n.value),
            size=self._size,
            arg=lambda name: args[name],
            unary=lambda op, x: row(op)(x),
            binary=lambda op, a, b: row(op)(a, b),
            power=lambda x, exponent: row("pow")(x, exponent),
        )

    def _sum(self, op: ops.Contract, at: dict[str, Any], scope: _Scope) -> Any:
        at = dict(at)
        solved = self._solve(op.where, at, set())
        bound: list[Axis] = []
        for axis in inner_axes(op.out, op.uses, op.where, op.over):
            if axis.name not in at:
                at[axis.name] = scope.fresh(axis)
                bound.append(axis)
                solved = self._solve(op.where, at, solved)
        sums = _Limits({a.name: (sp.Integer(1), self.extent(a.space)) for a in bound})
        conditions: list[Any] = []
        known = scope.known
        for relation in (r for r in op.where if r not in solved):
            holds = self._condition(relation, at)
            if holds not in known and not (isinstance(relation, ops.AtMost) and sums.narrow(relation, self._limit(relation), at)):
                conditions.append(holds)
            known |= {holds}
        inside = _Scope(scope.used, known)
        symbols = {at[a.name] for a in bound}
        body = _select(sp.Mul(*(self._use(use, at, inside) for use in op.uses)), [c for c in conditions if c.free_symbols & symbols])
        if bound and body == 1:
            # A sum of ones is written as its number: SymPy cannot compare such a sum with a number (in Max) until it is done.
            body = sp.Mul(*(hi - lo + 1 for lo, hi in sums.limits.values()))
        elif bound:
            body = sp.Sum(body, *((at[a.name], *sums.limits[a.name]) for a in reversed(bound)))
        return _select(self._scalar(op.coef, {}) * body, [c for c in conditions if not c.free_symbols & symbols])

    # -- relations --------------------------------------------------------------------------------------------------------------------
    def _solve(self, where: Sequence[ops.Relation], at: dict[str, Any], solved: set[ops.Relation]) -> set[ops.Relation]:
        """Fix the axes that an equality determines; the relations that hold by it, those in `solved` included."""
        found = set(solved)
        for relation in (r for r in where if r not in solved):
            missing = [a for a in relation_axes(relation) if a.name not in at]
            match relation:
                case ops.Same(i, j) if len(missing) == 1:
                    at[missing[0].name] = at[j.name] if missing[0] == i else at[i.name]
                    found.add(relation)
                case ops.InBlock(j, block, p) if missing == [j]:
                    at[j.name] = self._start(j.space, block) + at[p.name]
                    found.add(relation)
                case ops.Paired(c, parts) if missing == [c]:
                    at[c.name] = self._joint([(at[p.name], p.space) for p in parts])
                    found.add(relation)
                case ops.Paired(c, parts) if missing == [*parts]:
                    step: Any = sp.Integer(1)
                    for part in reversed(parts):
                        extent = self.extent(part.space)
                        below = sp.floor((at[c.name] - 1) / step)
                        at[part.name] = (below if part is parts[0] else sp.Mod(below, extent)) + 1
                        step = step * extent
                    found.add(relation)
        return found

    def _limit(self, relation: ops.AtMost) -> int:
        if isinstance(relation.c, int):
            return relation.c
        if relation.c not in self.parameters:
            raise ProgramError(f'the parameter "{relation.c}" has no value', next_move=f"bind it: parameters={{{relation.c!r}: …}}")
        return self.parameters[relation.c]

    def _condition(self, relation: ops.Relation, at: Mapping[str, Any]) -> Any:
        match relation:
            case ops.Same(i, j):
                return sp.KroneckerDelta(at[i.name], at[j.name])
            case ops.AtMost(i, j, _):
                return sp.Le(at[i.name], at[j.name] + self._limit(relation))
            case ops.InBlock(j, block, p):
                return sp.Eq(at[j.name], self._start(j.space, block) + at[p.name])
            case ops.Paired(c, parts):
                return sp.Eq(at[c.name], self._joint([(at[p.name], p.space) for p in parts]))
            case ops.Allowed(use):
                return sp.Eq(self._at(use.stage, tuple(self._place(i, at) for i in use.indices)), 1)


@dataclass
class _Limits:
    """The limits of the sums of one Contract, outermost first.

    SymPy reads a sum whose upper limit lies below its lower limit minus 1 as minus a sum, so limits never get there."""

    limits: dict[str, tuple[Any, Any]]
    taken: list[tuple[str, str, int]] = field(default_factory=list)

    def narrow(self, relation: ops.AtMost, c: int, at: Mapping[str, Any]) -> bool:
        """Put position(i) - position(j) <= c into the limits of the inner one of its axes; False where it cannot go there."""
        i, j = relation.i, relation.j
        order = list(self.limits)
        places = {a.name: order.index(a.name) for a in (i, j) if a.name in self.limits}
        if not places:
            return False
        inner = max(places, key=lambda name: places[name])
        partner = j.name if inner == i.name else i.name
        side = "upper" if inner == i.name else "lower"
        for axis, other, taken in self.taken:
            if axis == f"{inner} {'lower' if side == 'upper' else 'upper'}" and not (other == partner and c + taken >= -1):
                return False
        self.taken.append((f"{inner} {side}", partner, c))
        lo, hi = self.limits[inner]
        same = i.space == j.space
        if side == "upper":
            reach = at[partner] + c
            reach = reach if c >= -1 else sp.Max(0, reach)
            untouched = not any(axis == f"{inner} upper" for axis, _, _ in self.taken[:-1])
            self.limits[inner] = (lo, reach if same and c <= 0 and untouched else sp.Min(hi, reach))
        else:
            reach = at[partner] - c
            new = reach if same and c <= 0 and lo == 1 else sp.Max(lo, reach)
            self.limits[inner] = (new if same and c >= -1 else sp.Min(hi + 1, new), hi)
        return True


def _select(value: Any, conditions: Sequence[Any]) -> Any:
    """`value` where all conditions hold, else 0. The equality of two indices is written as a Kronecker delta."""
    deltas = [c for c in conditions if isinstance(c, sp.KroneckerDelta)]
    left = [c for c in conditions if c is not sp.true and c not in deltas]
    chosen = sp.Piecewise((value, sp.And(*left)), (sp.Integer(0), sp.true)) if left else value
    return sp.Mul(chosen, *deltas)


def _base_names(program: Program) -> dict[str, str]:
    """What each stage is called where it stands for itself: its letter when no other stage has a claim to it, else its name."""
    letters = [s.letter for s in program.stages]
    names = {s.name for s in program.stages}
    found = {}
    for stage in program.stages:
        free = stage.letter and letters.count(stage.letter) == 1 and (stage.letter == stage.name or stage.letter not in names)
        found[stage.name] = symbol(stage.letter if free else stage.name.replace(".", "_")).name
    return found
