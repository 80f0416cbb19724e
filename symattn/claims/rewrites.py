"""Programs with one thing done wrong: the raw material of slips.

Promises: each rewrite is a valid program with the same stage names, so that a group's entries can be read from it. Does not promise: that
the rewritten program means anything; it is what someone might have computed by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from symattn.errors import ProgramError, ShapeError
from symattn.program import ops
from symattn.program.program import Program, Stage, index_axes, relation_axes
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary, walk
from symattn.program.spaces import Axis, Space

ONE = Num(Fraction(1), "1")
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


# -- scalars ----------------------------------------------------------------------------------------------------------
def is_constant(tree: Scalar) -> bool:
    """No argument in it?"""
    return not any(isinstance(node, Arg) for node in walk(tree))


def variants_of(tree: Scalar, rewrite: dict[Scalar, Scalar]) -> Scalar:
    """`tree` with whole subtrees replaced."""
    if tree in rewrite:
        return rewrite[tree]
    match tree:
        case Unary(op, x):
            return Unary(op, variants_of(x, rewrite))
        case Binary(op, a, b):
            return Binary(op, variants_of(a, rewrite), variants_of(b, rewrite))
        case Power(x, exponent):
            return Power(variants_of(x, rewrite), exponent)
        case _:
            return tree


def text_of(tree: Scalar) -> str:
    """A constant in symbols."""
    match tree:
        case Num(value, text):
            return text or str(value)
        case Size(name):
            return name
        case Unary("sqrt", x):
            return f"√{text_of(x)}" if isinstance(x, Num | Size) else f"√({text_of(x)})"
        case Unary("neg", x):
            return f"-{text_of(x)}"
        case Unary(op, x):
            return f"{op}({text_of(x)})"
        case Binary(op, a, b):
            sign = {"add": " + ", "sub": " - ", "mul": "·", "div": "/"}.get(op, f" {op} ")
            return f"{text_of(a)}{sign}{text_of(b)}"
        case Power(x, exponent):
            return f"{text_of(x)}^({exponent})"
        case Arg(name):
            return name


def _is_root(tree: Scalar) -> bool:
    return is_constant(tree) and (
        (isinstance(tree, Unary) and tree.op == "sqrt") or (isinstance(tree, Power) and abs(tree.exponent) == Fraction(1, 2))
    )


def _root_of(tree: Scalar) -> Scalar:
    assert isinstance(tree, Unary | Power)
    return tree.x if isinstance(tree, Unary) or tree.exponent > 0 else Power(tree.x, Fraction(-1))


def _scale_trees(tree: Scalar, sizes: tuple[str, ...]) -> Iterator[tuple[bool, str, Scalar]]:
    """(missing?, detail, tree) for each way to scale otherwise."""
    left_out: set[Scalar] = set()  # roots whose factor was left out as a whole
    for node in dict.fromkeys(walk(tree)):
        match node:
            case Binary("div", a, b) if is_constant(b) and not is_constant(a):
                left_out.add(b)
                yield True, f"/{text_of(b)} → /1", variants_of(tree, {node: a})
                yield False, f"/{text_of(b)} → ·{text_of(b)}", variants_of(tree, {node: Binary("mul", a, b)})
                if not _is_root(b):
                    yield False, f"/{text_of(b)} → /{text_of(b)}²", variants_of(tree, {node: Binary("div", node, b)})
                    yield False, f"/{text_of(b)} → /√{text_of(b)}", variants_of(tree, {node: Binary("div", a, Unary("sqrt", b))})
            case Binary("mul", a, b) if is_constant(a) != is_constant(b):
                factor, kept = (a, b) if is_constant(a) else (b, a)
                left_out.add(factor)
                yield True, f"·{text_of(factor)} → ·1", variants_of(tree, {node: kept})
                yield False, f"·{text_of(factor)} → /{text_of(factor)}", variants_of(tree, {node: Binary("div", kept, factor)})
            case _ if _is_root(node):
                inner = _root_of(node)
                if node not in left_out:
                    yield True, f"{text_of(node)} → 1", variants_of(tree, {node: ONE})
                yield False, f"{text_of(node)} → {text_of(inner)}", variants_of(tree, {node: inner})
                for size in sizes:
                    if isinstance(inner, Size) and inner.name != size:
                        other = variants_of(node, {inner: Size(size)})
                        yield False, f"{text_of(node)} → {text_of(other)}", variants_of(tree, {node: other})
            case _:
                pass


def scales(program: Program, target: str, sizes: Mapping[str, int]) -> Iterator[tuple[bool, str, Program]]:
    """(missing?, detail, program): a division or a constant factor left out, inverted, done twice; d instead of √d; another size."""
    names = tuple(sizes)
    for stage in needed(program, target):
        op = stage.op
        if isinstance(op, ops.Map):
            for missing, detail, tree in _scale_trees(op.scalar, names):
                changed = with_op(program, stage, replace(op, scalar=tree))
                if changed is not None:
                    yield missing, f"{stage.name}: {detail}", changed
        elif isinstance(op, ops.Contract) and op.coef != ops.ONE:
            text = text_of(op.coef)
            inverse = Binary("div", ONE, op.coef)
            options: list[tuple[bool, str, Scalar]] = [(True, f"·{text} → ·1", ONE), (False, f"·{text} → /{text}", inverse)]
            options += [(m, d, t) for m, d, t in _scale_trees(op.coef, names) if not m]
            for missing, detail, coef in options:
                changed = with_op(program, stage, replace(op, coef=coef))
                if changed is not None:
                    yield missing, f"{stage.name}: {detail}", changed


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
