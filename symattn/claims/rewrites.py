"""Programs with one thing done wrong: the raw material of slips.

Promises: each rewrite is a valid program with the same stage names, so that a group's entries can be read from it. Does not promise: that
the rewritten program means anything; it is what someone might have computed by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from symattn.errors import ProgramError, ShapeError
from symattn.program import ops
from symattn.program.program import Program, Stage, index_axes, relation_axes
from symattn.program.scalar import Arg, Binary
from symattn.program.spaces import Axis, Space

MAX_LEFT_OUT = 16  # terms of a sum that are left out one at a time


# -- programs ---------------------------------------------------------------------------------------------------------
def needed(program: Program, target: str) -> tuple[Stage, ...]:
    """The stages that `target` is computed from, itself last."""
    wanted = {target}
    found = []
    for stage in reversed(program.stages):
        if stage.name in wanted:
            found.append(stage)
            wanted.update(use.stage for use in uses_of(stage.op))
    return tuple(reversed(found))


def uses_of(op: ops.Op) -> tuple[ops.Use, ...]:
    """Every use in an operation, those in relations included."""
    match op:
        case ops.Contract(_, uses, where):
            return (*uses, *(r.use for r in where if isinstance(r, ops.Allowed)))
        case ops.Map(_, _, args, where):
            return (*(use for _, use in args), *(r.use for r in where if isinstance(r, ops.Allowed)))
        case ops.Reduce(_, use, where, _, empty):
            extra = (empty,) if isinstance(empty, ops.Use) else ()
            return (use, *extra, *(r.use for r in where if isinstance(r, ops.Allowed)))
        case _:
            return ()


def rebuilt(program: Program, changed: Mapping[str, tuple[Stage, ...]]) -> Program | None:
    """`program` with stages replaced; None where the result is no program."""
    stages = [s for stage in program.stages for s in changed.get(stage.name, (stage,))]
    try:
        return Program(tuple(stages), program.output)
    except (ProgramError, ShapeError):
        return None


def with_op(program: Program, stage: Stage, op: ops.Op) -> Program | None:
    """`program` with another operation in one stage."""
    return rebuilt(program, {stage.name: (replace(stage, op=op),)})


# -- operands ---------------------------------------------------------------------------------------------------------
def _with_use(op: ops.Op, at: int, use: ops.Use) -> ops.Op:
    match op:
        case ops.Contract():
            return replace(op, uses=(*op.uses[:at], use, *op.uses[at + 1 :]))
        case ops.Map():
            name = op.args[at][0]
            return replace(op, args=(*op.args[:at], (name, use), *op.args[at + 1 :]))
        case _:
            return op


def _plain_uses(op: ops.Op) -> tuple[ops.Use, ...]:
    match op:
        case ops.Contract():
            return op.uses
        case ops.Map():
            return tuple(use for _, use in op.args)
        case _:
            return ()


def is_inner(name: str) -> bool:
    """Stages inside a definition have a dot in their names; people never see them."""
    return "." in name


def other_operands(program: Program, target: str) -> Iterator[tuple[str, Program]]:
    """Another earlier stage of the same axes' spaces in place of one operand, another fixed position in place of one."""
    order = {s.name: k for k, s in enumerate(program.stages)}
    for stage in needed(program, target):
        for at, use in enumerate(_plain_uses(stage.op)):
            spaces = [a.space for a in program.by_name[use.stage].out]
            for other in program.stages[: order[stage.name]]:
                boolean = isinstance(other.op, ops.Input) and other.op.boolean
                if other.name == use.stage or boolean or is_inner(other.name) or [a.space for a in other.out] != spaces:
                    continue
                changed = with_op(program, stage, _with_use(stage.op, at, ops.Use(other.name, use.indices)))
                if changed is not None:
                    yield f"{stage.name}: {use.stage} → {other.name}", changed


def other_positions(program: Program, target: str, sizes: Mapping[str, int]) -> Iterator[tuple[str, Program]]:
    """Another fixed position in place of one: row 2 instead of row 1."""
    for stage in needed(program, target):
        for at, use in enumerate(_plain_uses(stage.op)):
            for k, index in enumerate(use.indices):
                if not isinstance(index, ops.At):
                    continue
                labels, here = index.space.labels, index.position
                for position in range(index.space.extent(dict(sizes))):
                    moved = (*use.indices[:k], ops.At(index.space, position), *use.indices[k + 1 :])
                    changed = with_op(program, stage, _with_use(stage.op, at, ops.Use(use.stage, moved)))
                    if position != here and changed is not None:
                        yield f"{stage.name}: {use.stage} {entry_name(labels, here)} → {entry_name(labels, position)}", changed


def entry_name(labels: tuple[str, ...], position: int) -> str:
    """The label of an entry, or its position."""
    return labels[position] if position < len(labels) else str(position)


def transposed_uses(program: Program, target: str) -> Iterator[tuple[str, Program]]:
    """A matrix whose two axes range over one space, used transposed."""
    for stage in needed(program, target):
        for at, use in enumerate(_plain_uses(stage.op)):
            axes = program.by_name[use.stage].out
            if len(axes) != 2 or axes[0].space != axes[1].space or use.indices[0] == use.indices[1]:
                continue
            changed = with_op(program, stage, _with_use(stage.op, at, ops.Use(use.stage, use.indices[::-1])))
            if changed is not None:
                yield f"{stage.name}: {use.stage} → {use.stage}ᵀ", changed


# -- sums -------------------------------------------------------------------------------------------------------------
def _summed(op: ops.Contract) -> tuple[Axis, ...]:
    mentioned = [a for use in op.uses for index in use.indices for a in index_axes(index)]
    return tuple(dict.fromkeys(a for a in (*mentioned, *op.over) if a not in op.out))


def wrong_axes(program: Program, target: str) -> Iterator[tuple[str, Program]]:
    """A sum of the entries of one stage taken along another of its axes; what is computed from the sum follows it there."""
    for stage in needed(program, target):
        op = stage.op
        if not isinstance(op, ops.Contract) or len(op.uses) != 1 or stage.name == target:
            continue
        (use,) = op.uses
        summed = _summed(op)
        if len(summed) != 1 or not all(isinstance(i, Axis) for i in use.indices):
            continue
        for kept in op.out:
            if kept not in use.indices:
                continue
            out = tuple(summed[0] if a == kept else a for a in op.out)
            changed: dict[str, tuple[Stage, ...]] = {stage.name: (replace(stage, op=replace(op, out=out)),)}
            place = op.out.index(kept)
            followed = True
            for consumer in program.stages:
                if any(u.stage == stage.name for u in _plain_uses(consumer.op)):
                    moved = _follow(consumer, stage.name, place, summed[0])
                    followed = followed and moved is not None
                    if moved is not None:
                        changed[consumer.name] = (moved,)
            result = rebuilt(program, changed) if followed else None
            if result is not None:
                yield f"{stage.name}: Σ {summed[0].name} → Σ {kept.name}", result


def _follow(consumer: Stage, name: str, place: int, axis: Axis) -> Stage | None:
    """The consumer of a sum that now runs along the other axis: it reads the sum at its own axis of that space."""
    op = consumer.op
    for at, use in enumerate(_plain_uses(op)):
        if use.stage != name:
            continue
        read = use.indices[place]
        companions = [
            i
            for u in _plain_uses(op)
            if u.stage != name and read in u.indices
            for i in u.indices
            if isinstance(i, Axis) and i != read and i.space == axis.space
        ]
        if not companions:
            return None
        op = _with_use(op, at, ops.Use(name, (*use.indices[:place], companions[0], *use.indices[place + 1 :])))
    return replace(consumer, op=op)


def left_out(program: Program, target: str, sizes: Mapping[str, int]) -> Iterator[tuple[str, Program]]:
    """One term left out of one sum; one entry left out of every sum over its space."""
    by_space: dict[Space, dict[int, dict[str, tuple[Stage, ...]]]] = {}
    for stage in needed(program, target):
        op = stage.op
        summed = _summed(op) if isinstance(op, ops.Contract) else ()
        if not isinstance(op, ops.Contract) or len(summed) != 1:
            continue
        axis = summed[0]
        extent = axis.space.extent(dict(sizes))
        if not 2 <= extent <= MAX_LEFT_OUT or any(axis in relation_axes(r) for r in op.where):
            continue
        for k in range(extent):
            stages = _without(stage, op, axis, k)
            if stages is None:
                continue
            changed = rebuilt(program, {stage.name: stages})
            if changed is not None:
                yield f"{stage.name}: − {axis.name} {entry_name(axis.space.labels, k)}", changed
            by_space.setdefault(axis.space, {}).setdefault(k, {})[stage.name] = stages
    for space, positions in by_space.items():
        for k, changes in positions.items():
            together = rebuilt(program, changes) if len(changes) > 1 else None
            if together is not None:
                yield f"Σ: − {space.name} {entry_name(space.labels, k)}", together


def _without(stage: Stage, op: ops.Contract, axis: Axis, k: int) -> tuple[Stage, ...] | None:
    """The sum without the term at position k of `axis`: the whole sum, that term, and their difference."""
    uses = []
    for use in op.uses:
        if any(axis in index_axes(i) and not isinstance(i, Axis) for i in use.indices):
            return None
        uses.append(ops.Use(use.stage, tuple(ops.At(axis.space, k) if i == axis else i for i in use.indices)))
    whole, term = f"{stage.name}.whole", f"{stage.name}.term"
    difference = ops.Map(op.out, Binary("sub", Arg(whole), Arg(term)), ((whole, ops.Use(whole, op.out)), (term, ops.Use(term, op.out))))
    part = replace(op, uses=tuple(uses), over=tuple(a for a in op.over if a != axis), must_visit=False)
    return (replace(stage, name=whole, letter=""), Stage(term, part), replace(stage, op=difference))
