"""On what a result does not depend, and under which permutations it only moves along.

Promises: a zero derivative is taken for independence only where the program has a value everywhere, so that any two inputs are joined by a
line along which the derivative exists. Equivariance is read off the program: a program that never looks at positions in an index set
treats all its elements alike. Does not promise: to see either.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod
from random import Random
from typing import Any

from symattn.errors import DomainError, MaskedRowError, ProgramError, UnsupportedError
from symattn.interp.run import Runner
from symattn.interp.tensor import Tensor
from symattn.program import ops
from symattn.program.program import Program, index_space
from symattn.program.spaces import Space
from symattn.proof import enclosures
from symattn.proof.alike import reading, uses
from symattn.proof.certificate import Certificate, Statement, mint
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.functions import new_context
from symattn.proof.kernel import Budget, stated
from symattn.proof.known import PROVED, known_fact, named
from symattn.proof.lower import Lowering
from symattn.proof.parts import cone, cut
from symattn.proof.sampling import some_sizes
from symattn.proof.zero import vanishes


def zero_derivative(program: Program, left: str, right: str, x: str, y: str, *, budget: Budget | None = None) -> Certificate:
    """`left == right`, where `right` is computed as `left` is, from the input y in place of x: the derivative of `left` by x is 0 in every
    direction, for all sizes and values.

    Raises StepRejected where the two are not one computation, where the derivative is not seen to be 0, or where either needs a hypothesis
    (the set on which it holds might then fall apart)."""
    from symattn.program.tangent import tangent

    stated(program, left, right)
    named(program, x, y)
    if not _same_computation(program, left, right, x, y):
        raise StepRejected(f'"{right}" is not computed from "{y}" as "{left}" is from "{x}"')
    direction = f"d{x}"
    while direction in program.by_name:
        direction += "'"
    moved = tangent(cut(program, [left], ()), left, {x: direction})
    budget = budget or Budget()
    ctx = new_context(budget.terms, budget.seconds)
    lowering = Lowering(ctx, moved.program)
    places = list(lowering.cases(moved.program.by_name[moved.name].out))
    if not all(vanishes(ctx, lowering.stage(moved.name, at)) for at in places):
        raise StepRejected(f'the derivative of "{left}" by "{x}" is not seen to be 0')
    for at in lowering.cases(program.by_name[left].out):
        lowering.stage(left, at)
    needed = [*moved.hypotheses, *ctx.hypotheses]
    if needed:
        raise StepRejected(f'the derivative is 0 only where "{needed[0]}"', next_move="that may be two sets without a line between them")
    return known_fact(program, left, right, "==", (), "zero derivative")


def _same_computation(program: Program, left: str, right: str, x: str, y: str) -> bool:
    """Are the two stages alike, all the way down, but for y in place of x?"""
    pairs = {x: y}

    def alike(a: str, b: str) -> bool:
        if a in pairs:
            return pairs[a] == b
        p, q = program.by_name[a], program.by_name[b]
        if isinstance(p.op, ops.Input):
            return a == b
        both = zip(uses(p.op), uses(q.op), strict=False)
        same = len(uses(p.op)) == len(uses(q.op)) and all(u.indices == v.indices and alike(u.stage, v.stage) for u, v in both)
        if not same or reading(p.op, lambda _: "") != reading(q.op, lambda _: ""):
            return False
        pairs[a] = b
        return True

    return [a.space for a in program.by_name[x].out] == [a.space for a in program.by_name[y].out] and alike(left, right)


# -- permutations -----------------------------------------------------------------------------------------------------
def equivariant(program: Program, stage: str, space: str) -> Certificate:
    """Permuting the elements of the index set `space` in every input permutes the stage in the same way (where it has no axis over the
    set, it stays as it is): nothing that the stage is made of looks at positions in the set.

    Raises StepRejected naming the stage that does: positions, orders, fixed positions, equal positions of two sets, blocks."""
    named(program, stage)
    own = next((s for s in program.spaces() if s.name == space), None)
    if own is None:
        raise ProgramError(f'the program has no index set "{space}"', next_move="it has " + ", ".join(s.name for s in program.spaces()))
    for name in cone(program, [stage]):
        reason = _looks(program.by_name[name].op, own)
        if reason:
            raise StepRejected(f'"{name}" {reason} of "{space}"')
    _check_permuted(program, stage, own)
    scope = f"after any permutation of {space} in the inputs, up to the same permutation"
    return mint(Statement(program, stage, stage, "==", scope), PROVED, (), (), (), "equivariance")


def _holds(space: Space, own: Space) -> bool:
    """Is the set this one, or made of it?"""
    return space == own or any(_holds(part, own) for part in (*space.blocks, *space.factors))


def _looks(op: ops.Op, own: Space) -> str:
    if isinstance(op, ops.Position) and _holds(op.out[0].space, own):
        return "reads the positions"
    for use in uses(op):
        for index in use.indices:
            if isinstance(index, ops.At) and _holds(index.space, own):
                return "reads a fixed position"
            if isinstance(index, ops.Inject) and index_space(index) == own:
                return "reads a block"
    where = op.where if isinstance(op, ops.Map | ops.Contract | ops.Reduce) else ()
    for r in where:
        match r:
            case ops.AtMost(i, j, _) if _holds(i.space, own) or _holds(j.space, own):
                return "compares positions"
            case ops.Same(i, j) if i.space != j.space and (_holds(i.space, own) or _holds(j.space, own)):
                return "compares positions"
            case ops.InBlock(j, _, _) if j.space == own:
                return "reads a block"
            case _:
                pass
    return ""


def _check_permuted(program: Program, stage: str, own: Space) -> None:
    """A sample: the inputs permuted, at small sizes. Raises StepRejected where the result is not the permuted one."""
    part = cut(program, [stage], ())
    rng = Random(0)
    sizes = dict(some_sizes(part, (3, 2)))
    sizes = {s: 3 if s in own.symbols() else n for s, n in sizes.items()}
    for _ in range(24):
        order = list(range(own.extent(sizes)))
        rng.shuffle(order)
        feeds: dict[str, Tensor[Any]] = {}
        moved: dict[str, Tensor[Any]] = {}
        for given in part.inputs:
            shape = tuple(a.space.extent(sizes) for a in given.out)
            boolean = isinstance(given.op, ops.Input) and given.op.boolean
            entries = [rng.random() < 0.8 if boolean else Fraction(rng.randint(1, 5), 2) for _ in range(prod(shape))]
            feeds[given.name] = Tensor(shape, entries)
            moved[given.name] = _permuted(feeds[given.name], [_order(a.space, own, order, sizes) for a in given.out])
        try:
            before = Runner(part, feeds, enclosures.TABLE, sizes).value(stage)
            after = Runner(part, moved, enclosures.TABLE, sizes).value(stage)
        except (DomainError, MaskedRowError, UnsupportedError):
            continue
        wanted = _permuted(before, [_order(a.space, own, order, sizes) for a in part.by_name[stage].out])
        if any(enclosures.differ(x, y) for x, y in zip(wanted.entries, after.entries, strict=True)):
            raise StepRejected(f'"{stage}" does not follow a permutation of "{own.name}"')
        return
    raise Undecided("no point was found at which the stage has a value")


def _order(space: Space, own: Space, order: list[int], sizes: Mapping[str, int]) -> list[int]:
    """Where each element of a set is taken from, when those of `own` in it are permuted."""
    if space == own:
        return order
    if space.blocks:
        found: list[int] = []
        for part in space.blocks:
            found += [len(found) + k for k in _order(part, own, order, sizes)]
        return found
    if space.factors:
        found = [0]
        for part in space.factors:
            inner = _order(part, own, order, sizes)
            found = [k * len(inner) + i for k in found for i in inner]
        return found
    return list(range(space.extent(dict(sizes))))


def _permuted(tensor: Tensor[Any], orders: list[list[int]]) -> Tensor[Any]:
    places = [0]
    for size, order in zip(tensor.shape, orders, strict=True):
        places = [p * size + k for p in places for k in order]
    return Tensor(tensor.shape, [tensor.entries[p] for p in places])
