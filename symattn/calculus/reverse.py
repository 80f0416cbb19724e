"""Reverse mode: the gradient of a program as another program over the same operations.

For every stage a between the asked ones and `of`, the backward pass writes da, the sum over the stages that read a of

* Contract: the same contraction with a's place taken by the reader's cotangent, at a's axes; index terms become relations;
* Map: the reader's cotangent times the partial derivative (slopes.py), written with the reader's own value; a product of known
  stages is one Contract, anything else one Map, summed by one Contract where a lacks an axis of the reader;
* Reduce: the cotangent at the largest entry (maxima.py), unless it is proved to be 0 for all sizes (vanish.py): then no entry matters
  and nothing need be attained once.

Promises: symbolic sizes, any stage as `of` and as variable, several at once, each operation once; the rules of softmax and of attention
are not here, they come out. Does not promise: truth by itself; `Gradient.obligations` are proved by the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symattn.calculus.gradient import Gradient
from symattn.calculus.map_adjoint import has_max, map_term
from symattn.calculus.naming import best_owner, final_names
from symattn.calculus.products import tree_of
from symattn.calculus.terms import (
    Factor,
    Substituted,
    Term,
    View,
    gathered,
    is_constant,
    is_copy,
    last_part,
    moved_term,
    operation,
    positional,
    scope_of,
    support,
    use_axes,
    view,
)
from symattn.calculus.vanish import Vanishing, vanishing
from symattn.errors import ProgramError
from symattn.program import maxima, ops
from symattn.program.emitter import Emitter, moved_relation
from symattn.program.graph import absent_where, ancestors, dependents, known_stage, value_uses, variable
from symattn.program.ops import Contract, Map, Reduce, Use
from symattn.program.program import Program, Stage, relation_axes
from symattn.program.scalar import Arg, Num
from symattn.program.slopes import ONE, mul
from symattn.program.spaces import Axis
from symattn.program.tangent import put_direction, symbol

ZERO = Num(Fraction(0))


def reverse(program: Program, of: str, wrt: Sequence[str], upstream: str | None = None) -> Gradient:
    """The gradient of `of` by each stage of `wrt`: d<upstream, of>/d(stage), over the stage's axes.

    `upstream` is a stage over the axes of `of`, or the name of a new input. Where `of` has axes and none is given, the input is introduced
    and named after it: dO for O. Gradient stages are called d and the letter of the stage (dP, dW_Q), or its name.

    Raises ProgramError for a stage that is not there, a mask or positions, ShapeError for an upstream that does not fit, UnsupportedError
    for a function without a rule."""
    return Backward(program, of, wrt, upstream).gradient()


class Backward:
    """One backward pass. `batch` are axes that the upstream has after those of `of`: one gradient for each of their entries."""

    def __init__(self, program: Program, of: str, wrt: Sequence[str], upstream: str | None = None, batch: tuple[Axis, ...] = ()) -> None:
        if isinstance(wrt, str) or not wrt:
            raise ProgramError("no variable is named", next_move='give a list: reverse(program, "output", ["Q", "K"])')
        self.program = program
        self.batch = batch
        self.of = known_stage(program, of, "the stage")
        self.asked = {name: variable(program, name) for name in wrt}
        self.emitter = Emitter(program.stages)
        moving = dependents(program.stages, set(self.asked.values()))
        self.active = moving & ancestors(program.by_name, self.of)
        self.order = {stage.name: k for k, stage in enumerate(program.stages)}
        self.terms: dict[str, list[Term]] = {}
        self.cotangents: dict[str, str | None] = {}
        self.owners: dict[str, list[str]] = {}
        self.levels: dict[str, int] = {}
        self.vanishing: dict[str, Vanishing] = {}
        self.hypotheses: list[str] = []
        self.upstream = self._seed(upstream)

    # -- the pass ----------------------------------------------------------------------------------------------------------------------
    def gradient(self) -> Gradient:
        """Run the pass."""
        for stage in reversed(self.program.stages):
            if stage.name in self.active and self._settled(stage):
                self._push(stage, self.cotangents[stage.name])
        return self._finished()

    def _seed(self, upstream: str | None) -> str | None:
        stage = self.program.by_name[self.of]
        if upstream is None and not stage.out and not self.batch:
            return None
        name = upstream if upstream is not None else self.emitter.fresh(f"d{symbol(stage)}")
        put_direction(self.emitter, self.of, name, self.batch)
        return name

    def _settled(self, stage: Stage) -> bool:
        """Make the stage's cotangent from its terms; False where nothing reaches it."""
        out = (*stage.out, *self.batch)
        terms = gathered(self.terms.pop(stage.name, []))
        if stage.name == self.of:
            if self.upstream is None:
                self.cotangents[stage.name] = None
                return True
            terms = [Term(Arg(self.upstream), ((self.upstream, Use(self.upstream, out)),))]
        if not terms:
            return False
        own = absent_where(stage)
        wheres = {frozenset(r for r in t.where if r not in own) for t in terms}
        if len(terms) == 1:
            copied = is_copy(terms[0], out)
            if (
                copied
                and (copied in self.levels or copied == self.upstream)
                and positional((*own, *terms[0].where), out) <= support(self.emitter.stages[copied])
            ):
                return self._own(stage, copied)
        if len(wheres) > 1:
            terms = [self._apart(stage, t, out) for t in terms]
        where = tuple(dict.fromkeys((*own, *terms[0].where)))
        return self._own(stage, self.emit(f"d{symbol(stage)}", operation(out, terms, where), stage))

    def _apart(self, stage: Stage, term: Term, out: tuple[Axis, ...]) -> Term:
        """A term with relations of its own as a stage, so that it adds to others."""
        if not term.where:
            return term
        name = self.emit(f"d{symbol(stage)}.part", operation(out, [term], term.where), stage)
        return Term(Arg(name), ((name, Use(name, out)),))

    def _own(self, stage: Stage, name: str) -> bool:
        self.cotangents[stage.name] = name
        self.owners.setdefault(name, []).append(stage.name)
        return True

    def emit(self, base: str, op: ops.Op, target: Stage) -> str:
        """A stage of the pass that belongs to the cotangent of `target`; its name."""
        before = len(self.emitter.new)
        name = self.emitter.put(base, op)
        if len(self.emitter.new) > before:
            self.levels[name] = self.order[target.name]
        return name

    def _add(self, target: str, term: Term) -> None:
        self.terms.setdefault(target, []).insert(0, term)

    def _factor(self, cotangent: str | None, out: tuple[Axis, ...]) -> Factor:
        """The cotangent of an operation over `out` as a factor."""
        if cotangent is None:
            return Factor()
        op = self.emitter.stages[cotangent].op
        if is_constant(op):
            return Factor(coef=op.coef, over=out)
        return Factor((Use(cotangent, (*out, *self.batch)),))

    def _push(self, stage: Stage, g: str | None) -> None:
        op = stage.op
        moving = [use.stage for use in value_uses(op) if use.stage in self.active]
        if not moving:
            return
        match op:
            case Contract():
                for k, use in enumerate(op.uses):
                    if use.stage in self.active:
                        self._contract(stage, op, k, g)
            case Map():
                if has_max(op, moving) and self._vanishes(stage, g):
                    return
                for arg, use in op.args:
                    if use.stage in self.active:
                        term = map_term(self, stage, op, arg, use, self._factor(g, op.out))
                        if term is not None:
                            self._add(use.stage, term)
            case Reduce():
                if not self._vanishes(stage, g):
                    self._reduce(stage, op, g)
            case _:
                pass

    def _vanishes(self, stage: Stage, g: str | None) -> bool:
        found = None if g is None else vanishing(self, stage, g)
        if found is not None:
            self.vanishing[stage.name] = found
        return found is not None

    # -- the rules ---------------------------------------------------------------------------------------------------------------------
    def _contract(self, stage: Stage, op: Contract, k: int, g: str | None) -> None:
        target = self.emitter.stages[op.uses[k].stage]
        seen = view(op.uses[k], target, (*scope_of(op), *self.batch))
        factor = self._factor(g, op.out)
        uses = (*op.uses[:k], *factor.uses, *op.uses[k + 1 :])
        inside = Contract((), uses, op.where, mul(op.coef, factor.coef), (*op.over, *factor.over))
        self._add(target.name, self.contracted(stage, target, seen, inside))

    def contracted(self, reader: Stage, target: Stage, seen: View, op: Contract, hint: str = "") -> Term:
        """The contraction at the target's axes; `op` brings uses, relations and coefficient, at the axes of the reader."""
        met = [a for a in scope_of(op) if a not in self.batch]
        if not seen.relations and seen.reached(met):
            names = {f"f{k}": use for k, use in enumerate(op.uses)}
            tree = tree_of(op.coef, tuple(Arg(name) for name in names), ())
            return moved_term(Term(tree, tuple(names.items()), op.where), seen.there)
        own = dict(zip(target.out, seen.result, strict=True))
        absent = tuple(moved_relation(r, own) for r in absent_where(target))
        where = tuple(dict.fromkeys((*op.where, *seen.relations, *absent)))
        named = {*seen.result, *(a for use in op.uses for a in use_axes(use)), *(a for r in where for a in relation_axes(r))}
        over = tuple(a for a in dict.fromkeys(op.over) if a not in named)
        written = Contract((*seen.result, *self.batch), op.uses, where, op.coef, over)
        name = self.emit(f"d{symbol(target)}.{hint or last_part(symbol(reader))}", written, target)
        return Term(Arg(name), ((name, Use(name, (*target.out, *self.batch))),))

    def _reduce(self, stage: Stage, op: Reduce, g: str | None) -> None:
        chosen, where = maxima.attained(self.emitter, stage)
        if op.use.stage in self.active:
            self.hypotheses.append(f"{stage.name}: {maxima.hypothesis(stage)}")
            self._contract(stage, Contract(op.out, (chosen, op.use), where), 1, g)
        if isinstance(op.empty, Use) and op.empty.stage in self.active:
            nothing = maxima.nothing_there(self.emitter, stage, where)
            if nothing is not None:
                self._contract(stage, Contract(op.out, (nothing, op.empty)), 1, g)

    # -- the end -----------------------------------------------------------------------------------------------------------------------
    def _finished(self) -> Gradient:
        found: dict[str, str] = {}
        for asked, name in self.asked.items():
            stage = self.program.by_name[name]
            cotangent = self.cotangents.get(name)
            if cotangent is None:
                value = ONE if name == self.of else ZERO
                cotangent = self.emit(f"d{symbol(stage)}", Map((*stage.out, *self.batch), value), stage)
                self.owners.setdefault(cotangent, []).append(name)
            found[asked] = cotangent
        kept = {s: c for s, c in self.cotangents.items() if c is not None and s not in self.vanishing}
        ends = [*kept.values(), *found.values(), *([self.upstream] if self.upstream is not None else [])]
        wanted = ancestors(self.emitter.stages, *ends)
        checked = wanted | ancestors(self.emitter.stages, *(v.cotangent for v in self.vanishing.values()))
        variables = set(self.asked.values())
        made = {s.name for s in self.emitter.new} - {self.upstream}
        names = final_names(self.program, self.owners, variables, made, checked)
        rename = Substituted(names)
        written = [
            Stage(names.get(s.name, s.name), rename.op(s.op), self._letter(s.name, variables))
            for s in self.emitter.new
            if s.name in checked
        ]
        output = next(iter(found.values()))
        kept_names = {names.get(name, name) for name in wanted}
        program = Program((*self.program.stages, *(s for s in written if s.name in kept_names)), names.get(output, output))
        return Gradient(
            program,
            self.of,
            {asked: names.get(c, c) for asked, c in found.items()},
            self.upstream,
            {s: names.get(c, c) for s, c in kept.items()},
            program if checked == wanted else Program((*self.program.stages, *written), program.output),
            tuple(v.renamed(names) for v in self.vanishing.values()),
            tuple(dict.fromkeys(self.hypotheses)),
            self.batch,
        )

    def _letter(self, name: str, asked: set[str]) -> str:
        stage = self.of if name == self.upstream else best_owner(self.program, self.owners[name], asked) if name in self.owners else ""
        letter = self.program.by_name[stage].letter if stage else ""
        return f"d{letter}" if letter else ""
