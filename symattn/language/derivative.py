"""`derivative(f, x, v)`: how f changes when the named value x is moved along v; `partial(f, x, v)`: the same with every other name held.

Promises: the stages are those of forward mode (program/tangent.py), which defines derivatives here; x is a given or a definition, and f may
reach it through any number of definitions. `partial` looks into f alone: an expression as it is written, or the definition of a name.
Does not promise: a value where f has a kink; computing it there is an error, not a 0.
"""

from __future__ import annotations

from fractions import Fraction

from symattn.errors import LanguageError, ShapeError
from symattn.language.ast import Call, Name, Node
from symattn.language.compile import Compiler
from symattn.language.values import Value, described
from symattn.program import ops
from symattn.program.emitter import Emitter
from symattn.program.graph import ancestors
from symattn.program.program import Stage
from symattn.program.scalar import Num
from symattn.program.tangent import Forward

ZERO = Num(Fraction(0), "0")


def derivative(c: Compiler, node: Call, target: str) -> Value:
    """The derivative of the first argument by the second along the third, over the axes of the first. Raises LanguageError where the
    second is no value of its own, ShapeError where the third has another shape."""
    work = c.work
    of, by, along = node.args
    held = _held(c, of) if node.function == "partial" else set()
    if not isinstance(by, Name) or by.id not in work.drafts:
        raise LanguageError(
            "a derivative is taken by a value with a name",
            place=by.place,
            next_move="give it a name first, or name a given: derivative(f, x, v)",
        )
    moved = c.value(by)
    direction = _direction(c, moved, c.as_use(c.value(along), along), node)
    value = c.as_use(c.value(of), of)
    stages = [Stage(d.name, d.op, d.letter) for d in work.drafts.values()]
    emitter = Emitter(stages)
    wanted = ancestors({s.name: s for s in stages}, value.use.stage)
    walker = Forward(emitter, prefix=f"{c.name}.t")
    moving = [s for s in stages if s.name == by.id or s.name not in held]
    found = walker.all(moving, {by.id: direction}, wanted).get(value.use.stage)
    out = work.drafts[value.use.stage].op.out
    for stage in emitter.new:
        work.add(stage.name, stage.op, 64, node.place)
    if found is None:
        found = work.add(c.inner(target, "zero"), ops.Map(out, ZERO), 1, node.place).use.stage
    read = work.read(found)
    indices = dict(zip(read.axes, value.use.indices, strict=True))
    return Value(value.axes, read.tree, ((found, ops.Use(found, tuple(indices[a] for a in read.axes))),), 64)


def _held(c: Compiler, of: Node) -> set[str]:
    """The stages that stand still in a partial derivative: all that are there, but those that a named f is made of."""
    own = of.id if isinstance(of, Name) else ""
    return {name for name in c.work.drafts if name != own and not (own and name.startswith(own + "."))}


def _direction(c: Compiler, moved: Value, along: Value, node: Call) -> str:
    """The stage that holds the direction, over the axes of what is moved."""
    spaces = c.work.spaces
    fits = len(moved.axes) == len(along.axes) and all(spaces.join(a.space, b.space) for a, b in zip(moved.axes, along.axes, strict=True))
    if not fits:
        raise ShapeError(
            f"a direction has the shape of what moves, but {described(spaces, moved)} is to move along {described(spaces, along)}",
            place=node.args[2].place,
            next_move="give both the same axes",
        )
    name = along.use.stage
    if along.axes == along.use.indices == c.work.drafts[name].op.out:
        return name
    return c.settled(along, c.work.fresh(c.name, "direction"), node).use.stage
