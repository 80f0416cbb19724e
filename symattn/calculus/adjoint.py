"""What makes a backward pass right: one adjoint obligation for each cotangent, proved by the kernel for all sizes.

For a stage a with cotangent da, read by the stages c with cotangents dc, and for every direction v of a's shape:

    sum over c of <dc, derivative of c by a along v>  =  <da, v>

The derivative of each c is what `forward` writes (program/tangent.py); operands of the readers and the dc are free. Together the
obligations say that <upstream, J v> = <J' upstream, v> for the whole program, by induction along it; each is about one stage and its
readers, so their cost grows with the number of stages and not with depth. An entry outside the relations of a stage has no value,
and its cotangent is 0: that too follows from its obligation, whose v is not masked, and is used in those of its operands.

Promises: obligations are read off the program of a gradient, not remembered from how it was made: a changed stage changes them.
Does not promise: that they are true; `certify` returns certificates or raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from symattn.calculus.gradient import Gradient
from symattn.calculus.terms import is_constant
from symattn.errors import ProgramError
from symattn.program import maxima, ops
from symattn.program.emitter import Arguments, Emitter, moved_relation
from symattn.program.generalize import generalized
from symattn.program.graph import absent_where, ancestors, cut, dependents, known_stage, operands
from symattn.program.ops import Contract, Map, Reduce, Relation, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Scalar
from symattn.program.tangent import Forward, symbol, tangent

if TYPE_CHECKING:
    from symattn.proof.certificate import Certificate
    from symattn.proof.kernel import Budget

ZERO = Num(Fraction(0))


@dataclass(frozen=True)
class Obligation:
    """`left` equals `right` in `program`, for all sizes and whatever the inputs are. `stage` is the stage whose cotangent `cotangent` is
    meant, `readers` the stages it comes from; `kind` is "adjoint", "zero" for a cotangent that is claimed to be 0, or "whole" (see
    `whole`). `atoms` are stages whose values do not matter (where a maximum is attained)."""

    stage: str
    cotangent: str
    program: Program = field(repr=False)
    left: str
    right: str
    readers: tuple[str, ...] = ()
    kind: str = "adjoint"
    atoms: tuple[str, ...] = ()

    def text(self) -> str:
        """`dP: <dO, derivative of output by weights along v> = <dP, v>`."""
        if self.kind == "zero":
            return f"{self.cotangent} = 0"
        if self.kind == "whole":
            return f"<upstream, derivative by {self.stage} along v> = <{self.cotangent}, v>"
        terms = " + ".join(f"<cotangent of {c}, derivative of {c} by {self.stage} along v>" for c in self.readers) or "0"
        return f"{self.cotangent}: {terms} = <{self.cotangent}, v>"


def obligations(gradient: Gradient) -> tuple[Obligation, ...]:
    """One for each stage between the variables and `of`, in program order backwards, and those of cotangents proved to be 0.

    Raises ProgramError for a gradient that leaves out the cotangent of such a stage."""
    stages = {**gradient.workings.by_name, **gradient.program.by_name}
    claims = {known_stage(gradient.program, name, "the variable"): c for name, c in gradient.names.items()}
    active = dependents(gradient.program.stages, set(claims)) & ancestors(stages, gradient.of)
    cotangents = {**{v.stage: v.cotangent for v in gradient.vanishing}, **gradient.cotangents}
    vanished = {v.stage for v in gradient.vanishing}
    if gradient.upstream is None and gradient.of in active:
        cotangents.pop(gradient.of, None)
    writer = _Writer(gradient, stages, {c: cotangents.get(c) for c in active})
    order = [s.name for s in gradient.program.stages if s.name in active]
    read_by: dict[str, list[str]] = {name: [] for name in order}
    for c in order:
        if c not in vanished and (c in cotangents or c == gradient.of):
            for name in operands(stages[c].op):
                if name in active:
                    read_by[name].append(c)
    found: list[Obligation] = []
    for name in reversed(order):
        readers = read_by[name]
        if name == gradient.of and (gradient.upstream is None or cotangents.get(name) == gradient.upstream):
            continue
        if name not in cotangents:
            if readers:
                raise ProgramError(f'the gradient has no cotangent of "{name}", which {readers[0]} reads', next_move="take reverse again")
            if name in claims:
                cotangents[name] = claims[name]
            else:
                continue
        found.append(writer.adjoint(stages[name], cotangents[name], readers))
    found += [Obligation(v.stage, v.cotangent, *v.statement(stages), kind="zero") for v in gradient.vanishing]
    for name in claims:
        if name not in active:
            found.append(writer.adjoint(stages[name], claims[name], []))
    return tuple(found)


def whole(gradient: Gradient, variable: str) -> Obligation:
    """The definition in one statement: <upstream, derivative of `of` by the variable along v> = <gradient, v>; only inputs are free.

    A proof of it unfolds every stage in between, so its cost grows fast with depth: for one layer, as a second way to the same end."""
    name = known_stage(gradient.program, variable, "the variable")
    emitter = Emitter(gradient.program.stages)
    v = emitter.give(emitter.fresh("v"), gradient.program.by_name[name].out)
    moved = tangent(Program((*gradient.program.stages, *emitter.new)), gradient.of, {name: v})
    emitter = Emitter(moved.program.stages)
    out = emitter.stages[moved.name].out
    left = moved.name
    if gradient.upstream is not None:
        left = emitter.add("left", Contract((), (Use(gradient.upstream, out), Use(moved.name, out))))
    shape = emitter.stages[v].out
    right = emitter.add("right", Contract((), (Use(gradient.names[variable], shape), Use(v, shape))))
    program = generalized(Program((*moved.program.stages, *emitter.new), right))
    return Obligation(name, gradient.names[variable], program, left, right, kind="whole")


def certify(gradient: Gradient, budget: Budget | None = None) -> tuple[Certificate, ...]:
    """The certificates of all obligations. Raises StepRejected for a gradient that is wrong, with the stage and a counterexample, Undecided
    when the kernel's budget ends first."""
    from symattn.proof.kernel import prove_equal

    return tuple(prove_equal(o.program, o.left, o.right, atoms=o.atoms, budget=budget) for o in gradient.obligations)


class _Writer:
    def __init__(self, gradient: Gradient, stages: Mapping[str, Stage], cotangents: Mapping[str, str | None]) -> None:
        self.gradient = gradient
        self.stages = stages
        self.cotangents = cotangents

    def adjoint(self, target: Stage, cotangent: str, readers: Sequence[str]) -> Obligation:
        """The obligation of one cotangent."""
        frontier: dict[str, tuple[Relation, ...]] = {target.name: absent_where(target)}
        targets: list[str] = [target.name, cotangent]
        for c in readers:
            op = self.stages[c].op
            for name in operands(op):
                if name not in readers:
                    frontier.setdefault(name, absent_where(self.stages[name]))
                targets.append(name)
            g = self.cotangents[c]
            if g is not None:
                if not is_constant(self.stages[g].op):
                    frontier[g] = self._support(c, g)
                targets.append(g)
            if isinstance(op, Reduce):
                targets.append(c)
            targets += [r.use.stage for r in getattr(op, "where", ()) if isinstance(r, ops.Allowed)]
        if target.name == self.gradient.of and self.gradient.upstream is not None:
            frontier[self.gradient.upstream] = ()
            targets.append(self.gradient.upstream)
        base = cut(self.stages, list(dict.fromkeys(targets)), frontier)
        emitter = Emitter(base.stages)
        v = emitter.give(emitter.fresh("v"), target.out)
        moves = v
        if absent_where(target):
            moves = emitter.put("v_masked", Map(target.out, Arg(v), ((v, Use(v, target.out)),), absent_where(target)))
        walker = Forward(emitter)
        sides: list[str] = []
        atoms: set[str] = set()
        for c in readers:
            moved = walker.of(self.stages[c], {target.name: moves})
            if isinstance(self.stages[c].op, Reduce):
                atoms.add(maxima.attained(emitter, self.stages[c])[0].stage)
            if moved is not None:
                sides.append(self._pair(emitter, f"left.{symbol(self.stages[c])}", self.cotangents[c], moved))
        if target.name == self.gradient.of and self.gradient.upstream is not None:
            sides.append(self._pair(emitter, "left.upstream", self.gradient.upstream, moves))
        left = self._added(emitter, sides)
        right = self._pair(emitter, "right", cotangent, v)
        program = generalized(Program((*base.stages, *emitter.new), right))
        return Obligation(target.name, cotangent, program, left, right, tuple(readers), atoms=tuple(sorted(atoms)))

    def _support(self, reader: str, g: str) -> tuple[Relation, ...]:
        """Where the cotangent of a reader is not 0, at the cotangent's own axes."""
        stage = self.stages[reader]
        there = dict(zip(stage.out, self.stages[g].out, strict=False))
        return tuple(moved_relation(r, there) for r in absent_where(stage))

    def _pair(self, emitter: Emitter, base: str, g: str | None, moved: str) -> str:
        """<g, moved>, one for each entry of the batch."""
        if g is None:
            return moved
        out = emitter.stages[moved].out
        return emitter.add(base, Contract(self.gradient.batch, (Use(g, (*out, *self.gradient.batch)), Use(moved, out))))

    def _added(self, emitter: Emitter, sides: Sequence[str]) -> str:
        if len(sides) == 1:
            return sides[0]
        arguments = Arguments()
        tree: Scalar = ZERO
        for k, side in enumerate(sides):
            leaf = Arg(arguments.name(side, Use(side, self.gradient.batch)))
            tree = leaf if k == 0 else Binary("add", tree, leaf)
        return emitter.add("left", Map(self.gradient.batch, tree, arguments.all()))
