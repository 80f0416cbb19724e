"""Slips planted in a backward pass: each is a program in which one stage was changed, and what kind of slip that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from symattn.calculus.gradient import Gradient
from symattn.errors import SymattnError
from symattn.program.ops import AtMost, Contract, InBlock, Input, Map, Op, Paired, Relation, Same, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Unary, walk
from symattn.program.spaces import Axis

KINDS = ("sign", "factor", "transposed or swapped use", "dropped term", "wrong axis", "wrong mask", "wrong block", "missing scale")
TWO, ONE = Num(Fraction(2)), Num(Fraction(1))


@dataclass(frozen=True)
class Mutant:
    """`gradient` with the stage `stage` changed."""

    kind: str
    stage: str
    gradient: Gradient


def changes(gradient: Gradient, original: Program) -> Iterator[tuple[str, str, Op]]:
    """Every slip of these kinds: the kind, the stage and what becomes of it."""
    stages = gradient.program.stages
    for k in range(len(original.stages), len(stages)):
        for kind, op in _changes(stages[k], stages[:k], stages[len(original.stages) :]):
            yield kind, stages[k].name, op


def mutant(gradient: Gradient, kind: str, stage: str, op: Op) -> Mutant | None:
    """The gradient with that slip, None where it is no program."""
    changed = tuple(Stage(s.name, op, s.letter) if s.name == stage else s for s in gradient.program.stages)
    try:
        return Mutant(kind, stage, replace(gradient, program=Program(changed, gradient.program.output)))
    except SymattnError:
        return None


def _changes(stage: Stage, earlier: tuple[Stage, ...], backward: tuple[Stage, ...]) -> Iterator[tuple[str, Op]]:
    op = stage.op
    if isinstance(op, Contract):
        yield "sign", replace(op, coef=Unary("neg", op.coef))
        yield "factor", replace(op, coef=Binary("mul", TWO, op.coef))
        if op.coef != ONE:
            yield "missing scale", replace(op, coef=ONE)
        for k in range(len(op.uses)):
            if len(op.uses) > 1:
                yield "dropped term", replace(op, uses=(*op.uses[:k], *op.uses[k + 1 :]))
        scope = {a for use in op.uses for a in use.indices if isinstance(a, Axis)} | set(op.out)
        for k, use in enumerate(op.uses):
            for kind, other in _other_uses(use, scope, earlier):
                yield kind, replace(op, uses=(*op.uses[:k], other, *op.uses[k + 1 :]))
    if isinstance(op, Map):
        yield "sign", replace(op, scalar=Unary("neg", op.scalar))
        yield "factor", replace(op, scalar=Binary("mul", TWO, op.scalar))
        for kind, tree in _other_trees(op.scalar):
            used = {node.name for node in _args(tree)}
            yield kind, replace(op, scalar=tree, args=tuple((name, use) for name, use in op.args if name in used))
        for k, (name, use) in enumerate(op.args):
            for kind, other in _other_uses(use, set(op.out), earlier):
                yield kind, replace(op, args=(*op.args[:k], (name, other), *op.args[k + 1 :]))
    if isinstance(op, Contract | Map):
        for k, relation in enumerate(op.where):
            kind = "wrong block" if isinstance(relation, InBlock) else "wrong mask"
            if not isinstance(relation, Same | Paired):
                yield kind, replace(op, where=(*op.where[:k], *op.where[k + 1 :]))
            for changed in _other_relations(relation):
                yield "wrong mask", replace(op, where=(*op.where[:k], changed, *op.where[k + 1 :]))
        yield from _other_blocks(stage, backward)


def _other_uses(use: Use, scope: set[Axis], earlier: tuple[Stage, ...]) -> Iterator[tuple[str, Use]]:
    indices = use.indices
    for a in range(len(indices)):
        for b in range(a):
            if indices[a] != indices[b] and isinstance(indices[a], Axis) and isinstance(indices[b], Axis):
                swapped = list(indices)
                swapped[a], swapped[b] = swapped[b], swapped[a]
                yield "transposed or swapped use", Use(use.stage, tuple(swapped))
        for axis in sorted(scope, key=lambda x: x.name):
            if axis not in indices and axis.space == indices[a].space:
                yield "wrong axis", Use(use.stage, (*indices[:a], axis, *indices[a + 1 :]))
    source = next(s for s in earlier if s.name == use.stage)
    for other in earlier:
        is_mask = isinstance(other.op, Input) and other.op.boolean
        if other.name != use.stage and not is_mask and [a.space for a in other.out] == [a.space for a in source.out] and indices:
            blocks = [_block_of(source), _block_of(other)]
            kind = "wrong block" if all(blocks) and blocks[0] != blocks[1] else "transposed or swapped use"
            yield kind, Use(other.name, indices)


def _block_of(stage: Stage) -> str:
    where = stage.op.where if isinstance(stage.op, Contract | Map) else ()
    return next((r.block for r in where if isinstance(r, InBlock)), "")


def _other_blocks(stage: Stage, backward: tuple[Stage, ...]) -> Iterator[tuple[str, Op]]:
    """The same stage made of another block."""
    for other in backward:
        apart = _block_of(stage) and _block_of(other) not in ("", _block_of(stage))
        if apart and [a.space for a in other.out] == [a.space for a in stage.out]:
            yield "wrong block", other.op


def _other_relations(relation: Relation) -> Iterator[Relation]:
    if isinstance(relation, AtMost) and isinstance(relation.c, int):
        yield AtMost(relation.i, relation.j, relation.c + 1)
        yield AtMost(relation.i, relation.j, relation.c - 1)
        yield AtMost(relation.j, relation.i, relation.c)


def _other_trees(tree: Scalar) -> Iterator[tuple[str, Scalar]]:
    match tree:
        case Binary("add" | "sub", a, b):
            yield "dropped term", a
            yield "dropped term", b
            yield "sign", Binary("sub" if tree.op == "add" else "add", a, b)
        case Binary("div", a, _):
            yield "missing scale", a
        case Binary("mul", a, b):
            yield "dropped term", a
            yield "dropped term", b
        case Unary("neg", x):
            yield "sign", x
        case _:
            pass
    match tree:
        case Binary(op, a, b):
            yield from ((kind, Binary(op, x, b)) for kind, x in _other_trees(a))
            yield from ((kind, Binary(op, a, x)) for kind, x in _other_trees(b))
        case Unary(op, x):
            yield from ((kind, Unary(op, y)) for kind, y in _other_trees(x))
        case Power(x, q):
            yield from ((kind, Power(y, q)) for kind, y in _other_trees(x))
        case _:
            pass


def _args(tree: Scalar) -> list[Arg]:
    return [node for node in walk(tree) if isinstance(node, Arg)]
