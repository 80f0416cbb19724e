"""The derivative of a program along a direction, as a program: forward mode, which defines what a derivative is here.

For a stage y, `ty` is d/dt y(x + t dx) at t = 0, by three rules:

* Contract: the product rule, one Contract for each use that moves, with the same relations and coefficient;
* Map: the sum of partial derivatives (slopes.py) times tangents, where the same relations hold;
* Reduce: the tangent at the largest entry (maxima.py), which must be attained once.

A direction may be given for any stage, computed ones too; it is then added to what comes from the stage's operands, so derivatives by
several stages add up. Positions and masks have no tangent. Entries that a mask removed have none either.

Promises: over the reals the result is the derivative wherever it can be computed; where it does not exist, computing it is an error
(0/0), never a silent 0. Does not promise: few stages; programs grow by about as many stages as move.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from symattn.errors import ProgramError, ShapeError
from symattn.program import maxima, ops
from symattn.program.emitter import Arguments, Emitter
from symattn.program.graph import absent_where, ancestors, dependents, known_stage, value_uses, variable
from symattn.program.ops import Contract, Map, Reduce, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Scalar, walk
from symattn.program.slopes import add, hypotheses, mul, slope
from symattn.program.spaces import Axis

ZERO = Num(Fraction(0))


@dataclass(frozen=True)
class Tangent:
    """`program` has the stages of the tangent after the original ones and answers with `name`, the tangent of `of`; `names` gives the
    tangent of every stage that moves, `hypotheses` what must hold at the point."""

    program: Program
    of: str
    name: str
    names: Mapping[str, str]
    hypotheses: tuple[str, ...]


def forward(program: Program, of: str, wrt: Mapping[str, str]) -> Program:
    """The program with the stages of the tangent of `of` added; its output is that tangent, over the axes of `of`.

    `wrt` maps an input or stage to the name of its direction: a stage of the program over the same index sets, or a new input of
    that name. Raises ProgramError for a stage that is not there, a mask or positions; ShapeError for a direction that does not fit;
    UnsupportedError for a function without a rule."""
    return tangent(program, of, wrt).program


def tangent(program: Program, of: str, wrt: Mapping[str, str], batch: tuple[Axis, ...] = ()) -> Tangent:
    """`forward`, with all that is known about it. `batch` are axes that every direction has after its own: one tangent for each of
    their entries. They must not be axes of the program."""
    of = known_stage(program, of, "the stage")
    directions = {variable(program, name): direction for name, direction in wrt.items()}
    if not directions:
        raise ProgramError("no direction is given", next_move='name one: forward(program, "output", {"Q": "V_Q"})')
    emitter = Emitter(program.stages)
    for name, direction in directions.items():
        put_direction(emitter, name, direction, batch)
    walker = Forward(emitter, batch)
    names = walker.all(program.stages, directions, ancestors(program.by_name, of))
    out = program.by_name[of].out + batch
    name = names.get(of) or emitter.put(f"t{symbol(program.by_name[of])}", Map(out, ZERO))
    return Tangent(Program((*program.stages, *emitter.new), name), of, name, names, tuple(dict.fromkeys(walker.hypotheses)))


def put_direction(emitter: Emitter, name: str, direction: str, batch: tuple[Axis, ...] = ()) -> None:
    """Make sure that `direction` is a stage over the axes of `name` and the batch. Raises ShapeError, ProgramError."""
    out = (*emitter.stages[name].out, *batch)
    known = emitter.stages.get(direction)
    if known is None:
        emitter.give(direction, out)
    elif isinstance(known.op, ops.Input) and known.op.boolean:
        raise ProgramError(f'the direction "{direction}" is a mask', next_move="name a matrix of numbers")
    elif [a.space for a in known.out] != [a.space for a in out]:
        raise ShapeError(
            f'the direction "{direction}" is {known.shape_text()}, but "{name}" is {emitter.stages[name].shape_text()}',
            next_move="a direction has the shape of what it changes",
        )


def symbol(stage: Stage) -> str:
    """What names made from a stage's name are made of: its letter, else its name."""
    return stage.letter or stage.name


class Forward:
    """Writes tangents with `emitter`; `hypotheses` collects what must hold."""

    def __init__(self, emitter: Emitter, batch: tuple[Axis, ...] = (), prefix: str = "t") -> None:
        self.emitter = emitter
        self.batch = batch
        self.prefix = prefix
        self.hypotheses: list[str] = []

    def all(self, stages: Iterable[Stage], directions: Mapping[str, str], wanted: set[str]) -> dict[str, str]:
        """The tangents of the wanted stages that move, by stage."""
        listed = list(stages)
        moving = dependents(listed, directions)
        names: dict[str, str] = {}
        for stage in listed:
            if stage.name in wanted and stage.name in moving:
                found = self.of(stage, names)
                if stage.name in directions:
                    found = self._started(stage, found, directions[stage.name])
                if found is not None:
                    names[stage.name] = found
        return names

    def _started(self, stage: Stage, found: str | None, direction: str) -> str:
        out, where = (*stage.out, *self.batch), absent_where(stage)
        if found is None and not where:
            return direction
        arguments = Arguments()
        tree: Scalar = Arg(arguments.name(direction, Use(direction, out)))
        if found is not None:
            tree = Binary("add", Arg(arguments.name(found, Use(found, out))), tree)
        return self.emitter.put(self.prefix + symbol(stage), Map(out, tree, arguments.all(), where))

    def of(self, stage: Stage, tangents: Mapping[str, str]) -> str | None:
        """The tangent of one stage from the `tangents` of its operands, None where none of them moves."""
        if not any(use.stage in tangents for use in value_uses(stage.op)):
            return None
        name = self.prefix + symbol(stage)
        match stage.op:
            case Contract():
                return self._contract(stage.op, tangents, name)
            case Map():
                return self._map(stage, stage.op, tangents, name)
            case Reduce():
                return self._reduce(stage, stage.op, tangents, name)
            case _:
                return None

    def _use(self, use: Use, tangents: Mapping[str, str]) -> Use:
        return Use(tangents[use.stage], (*use.indices, *self.batch))

    def _contract(self, op: Contract, tangents: Mapping[str, str], name: str) -> str:
        out = (*op.out, *self.batch)
        parts: list[ops.Op] = []
        for k, use in enumerate(op.uses):
            if use.stage in tangents:
                uses = (*op.uses[:k], self._use(use, tangents), *op.uses[k + 1 :])
                parts.append(Contract(out, uses, op.where, op.coef, op.over))
        return self._sum(out, parts, name)

    def _sum(self, out: tuple[Axis, ...], parts: list[ops.Op], name: str) -> str:
        if len(parts) == 1:
            return self.emitter.put(name, parts[0])
        arguments = Arguments()
        tree: Scalar | None = None
        for k, part in enumerate(parts, 1):
            stage = self.emitter.put(f"{name}.{k}", part)
            leaf = Arg(arguments.name(stage, Use(stage, out)))
            tree = leaf if tree is None else Binary("add", tree, leaf)
        assert tree is not None
        return self.emitter.put(name, Map(out, tree, arguments.all()))

    def _map(self, stage: Stage, op: Map, tangents: Mapping[str, str], name: str) -> str | None:
        arguments = Arguments()
        for arg, use in op.args:
            arguments.name(arg, use)
        moving = [arg for arg, use in op.args if use.stage in tangents]
        total: Scalar | None = None
        for arg in moving:
            partial = slope(op.scalar, arg)
            if partial is not None:
                use = self._use(dict(op.args)[arg], tangents)
                term = mul(partial, Arg(arguments.name(use.stage, use)))
                total = term if total is None else add(total, term)
        if total is None:
            return None
        self.hypotheses += [f"{stage.name}: {text}" for text in hypotheses(op.scalar, moving)]
        used = {node.name for node in _leaves(total)}
        args = tuple((arg, use) for arg, use in arguments.all() if arg in used)
        return self.emitter.put(name, Map((*op.out, *self.batch), total, args, op.where))

    def _reduce(self, stage: Stage, op: Reduce, tangents: Mapping[str, str], name: str) -> str:
        out = (*op.out, *self.batch)
        parts: list[ops.Op] = []
        chosen, where = maxima.attained(self.emitter, stage)
        if op.use.stage in tangents:
            self.hypotheses.append(f"{stage.name}: {maxima.hypothesis(stage)}")
            parts.append(Contract(out, (chosen, self._use(op.use, tangents)), where))
        if isinstance(op.empty, Use) and op.empty.stage in tangents:
            nothing = maxima.nothing_there(self.emitter, stage, where)
            if nothing is not None:
                parts.append(Contract(out, (nothing, self._use(op.empty, tangents))))
        if not parts:
            return self.emitter.put(name, Map(out, ZERO))
        return self._sum(out, parts, name)


def _leaves(tree: Scalar) -> list[Arg]:
    return [node for node in walk(tree) if isinstance(node, Arg)]
