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

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symattn.calculus.gradient import Gradient
from symattn.calculus.products import Product, is_arithmetic, product, tree_of
from symattn.calculus.terms import (
    Factor,
    Substituted,
    Term,
    View,
    gathered,
    is_constant,
    is_copy,
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
from symattn.program.ops import AtMost, Contract, Map, Reduce, Relation, Use
from symattn.program.program import Program, Stage, relation_axes
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Unary, walk
from symattn.program.slopes import ONE, hypotheses, mul, slope
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
        return self._own(stage, self._emit(f"d{symbol(stage)}", operation(out, terms, where), stage))

    def _apart(self, stage: Stage, term: Term, out: tuple[Axis, ...]) -> Term:
        """A term with relations of its own as a stage, so that it adds to others."""
        if not term.where:
            return term
        name = self._emit(f"d{symbol(stage)}.part", operation(out, [term], term.where), stage)
        return Term(Arg(name), ((name, Use(name, out)),))

    def _own(self, stage: Stage, name: str) -> bool:
        self.cotangents[stage.name] = name
        self.owners.setdefault(name, []).append(stage.name)
        return True

    def _emit(self, base: str, op: ops.Op, target: Stage) -> str:
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
                if _has_max(op, moving) and self._vanishes(stage, g):
                    return
                for arg, use in op.args:
                    if use.stage in self.active:
                        self._map(stage, op, arg, use, g)
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
        self._add(target.name, self._contracted(stage, target, seen, inside))

    def _contracted(self, reader: Stage, target: Stage, seen: View, op: Contract, hint: str = "") -> Term:
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
        name = self._emit(f"d{symbol(target)}.{hint or _last_part(symbol(reader))}", written, target)
        return Term(Arg(name), ((name, Use(name, (*target.out, *self.batch))),))

    def _map(self, stage: Stage, op: Map, arg: str, use: Use, g: str | None) -> None:
        target = self.emitter.stages[use.stage]
        value = _unused("y", {name for name, _ in op.args})
        by = slope(op.scalar, arg, Arg(value))
        if by is None:
            return
        self.hypotheses += [f"{stage.name}: {text}" for text in hypotheses(op.scalar, [arg])]
        uses = {**dict(op.args), value: Use(stage.name, op.out)}
        by = self._named_functions(by, uses, op, stage)
        seen = view(use, target, (*scope_of(op), *self.batch))
        factor = self._factor(g, op.out)
        if not seen.relations and seen.reached(op.out):
            tree, args = self._times(factor, by, uses)
            self._add(target.name, moved_term(Term(tree, args, op.where), seen.there))
            return
        found = product(by)
        if found is not None:
            self._add(target.name, self._summed(stage, op, target, seen, found, uses, factor))
            return
        tree, args = self._times(Factor(), by, uses)
        slopes = self.emitter.put(f"{stage.name}.slope", Map(op.out, tree, args, op.where))
        inside = Contract((), (*factor.uses, Use(slopes, op.out)), op.where, factor.coef)
        self._add(target.name, self._contracted(stage, target, seen, inside))

    def _times(self, factor: Factor, by: Scalar, uses: Mapping[str, Use]) -> tuple[Scalar, tuple[tuple[str, Use], ...]]:
        read = dict.fromkeys(node.name for node in walk(by) if isinstance(node, Arg))
        args = {name: uses[name] for name in read}
        if not factor.uses:
            return mul(factor.coef, by), tuple(args.items())
        g = _unused("g", set(args))
        return mul(Arg(g), by), ((g, factor.uses[0]), *args.items())

    def _summed(self, stage: Stage, op: Map, target: Stage, seen: View, found: Product, uses: Mapping[str, Use], factor: Factor) -> Term:
        """The sum over what the operand lacks, of the cotangent times a product. Divisors that the operand has come after the sum."""
        above = tuple(uses[name] for name in found.above)
        below = [(name, uses[name]) for name in dict.fromkeys(found.below)]
        coef = mul(factor.coef, found.coef)
        if not below:
            return self._contracted(stage, target, seen, Contract((), (*factor.uses, *above), op.where, coef, op.out))
        reader = _last_part(symbol(stage))
        if all(seen.reached(use_axes(u)) for _, u in below) and self._never_empty(op, seen, [u for _, u in below]):
            total = self._contracted(stage, target, seen, Contract((), (*factor.uses, *above), op.where, over=op.out), f"{reader}_sum")
            tree = tree_of(coef, (total.tree,), tuple(Arg(name) for name in found.below))
            divisors = moved_term(Term(ONE, tuple(below)), seen.there)
            return Term(tree, (*total.args, *divisors.args), total.where)
        tree = tree_of(ONE, tuple(Arg("g") for _ in factor.uses), tuple(Arg(name) for name in found.below))
        axes = (*op.out, *(self.batch if factor.uses else ()))
        written = Map(axes, tree, (*(("g", u) for u in factor.uses), *below), op.where)
        quotient = self._emit(f"d{symbol(target)}.{reader}_quotient", written, target)
        return self._contracted(stage, target, seen, Contract((), (Use(quotient, axes), *above), op.where, coef))

    def _never_empty(self, op: Map, seen: View, below: Sequence[Use]) -> bool:
        """Does every entry of the operand have an entry of the reader, so that what the reader divides by is not 0 there?"""
        if not op.where:
            return True
        for use in below:
            divisor = self.emitter.stages[use.stage].op
            strict = isinstance(divisor, Contract) and divisor.must_visit and use.indices == divisor.out
            if strict and isinstance(divisor, Contract) and set(divisor.where) == set(op.where):
                return True
        return _diagonal_is_seen(op.where, seen)

    def _named_functions(self, by: Scalar, uses: dict[str, Use], op: Map, stage: Stage) -> Scalar:
        """The tree with every function of arguments in it as a stage of its own, innermost first; `uses` learns the new arguments."""
        if is_arithmetic(by):
            return by

        def go(tree: Scalar) -> Scalar:
            match tree:
                case Unary(name, x):
                    inner = Unary(name, go(x))
                    return inner if name == "neg" else self._named(inner, name, uses, op, stage)
                case Binary(name, a, b):
                    return Binary(name, go(a), go(b))
                case Power(x, q):
                    inner_power = Power(go(x), q)
                    return inner_power if q.denominator == 1 else self._named(inner_power, "power", uses, op, stage)
                case _:
                    return tree

        return go(by)

    def _named(self, tree: Scalar, hint: str, uses: dict[str, Use], op: Map, stage: Stage) -> Scalar:
        read = dict.fromkeys(node.name for node in walk(tree) if isinstance(node, Arg))
        if not read:
            return tree
        args = tuple((name, uses[name]) for name in read)
        reached = {a for _, use in args for a in use_axes(use)}
        out = op.out if op.where else tuple(a for a in op.out if a in reached)
        found = self.emitter.put(f"{stage.name}.{hint}", Map(out, tree, args, op.where))
        name = _unused(found, set(uses))
        uses[name] = Use(found, out)
        return Arg(name)

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
                cotangent = self._emit(f"d{symbol(stage)}", Map((*stage.out, *self.batch), value), stage)
                self.owners.setdefault(cotangent, []).append(name)
            found[asked] = cotangent
        kept = {s: c for s, c in self.cotangents.items() if c is not None and s not in self.vanishing}
        ends = [*kept.values(), *found.values(), *([self.upstream] if self.upstream is not None else [])]
        wanted = ancestors(self.emitter.stages, *ends)
        checked = wanted | ancestors(self.emitter.stages, *(v.cotangent for v in self.vanishing.values()))
        names = self._final_names(checked)
        rename = Substituted(names)
        written = [Stage(names.get(s.name, s.name), rename.op(s.op), self._letter(s.name)) for s in self.emitter.new if s.name in checked]
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

    def _best(self, name: str) -> str:
        """The stage after which a shared cotangent is called: an asked one, else one with a letter, else the first."""
        asked = set(self.asked.values())
        return min(self.owners[name], key=lambda s: (s not in asked, not self.program.by_name[s].letter, self.order[s]))

    def _final_names(self, wanted: set[str]) -> dict[str, str]:
        made = {s.name for s in self.emitter.new} - {self.upstream}
        renamed: dict[str, str] = {}
        for name in self.owners:
            if name in made and name in wanted:
                better = f"d{symbol(self.program.by_name[self._best(name)])}"
                if better != name and (better not in self.emitter.stages or (better not in wanted and better in made)):
                    if better in renamed.values():
                        continue
                    renamed[name] = better
        return renamed

    def _letter(self, name: str) -> str:
        if name == self.upstream:
            letter = self.program.by_name[self.of].letter
        else:
            letter = self.program.by_name[self._best(name)].letter if name in self.owners else ""
        return f"d{letter}" if letter else ""


def _last_part(name: str) -> str:
    """The name of an inner stage without that of its definition."""
    return name.rpartition(".")[2]


def _unused(base: str, taken: set[str]) -> str:
    name = base
    while name in taken:
        name += "_"
    return name


def _has_max(op: Map, moving: Sequence[str]) -> bool:
    named = {arg for arg, use in op.args if use.stage in moving}
    return any(
        isinstance(node, Binary) and node.op == "max2" and any(isinstance(leaf, Arg) and leaf.name in named for leaf in walk(node))
        for node in walk(op.scalar)
    )


def _diagonal_is_seen(where: Sequence[Relation], seen: View) -> bool:
    """Do relations between one kept and one summed axis hold for equal positions (a causal mask, a window), whatever the sizes are?"""
    pairs: set[tuple[Axis, Axis]] = set()
    for r in where:
        if not isinstance(r, AtMost) or not isinstance(r.c, int) or r.c < 0:
            return False
        kept = [a for a in (r.i, r.j) if a in seen.there]
        if len(kept) != 1:
            return False
        pairs.add((r.i, r.j) if kept[0] is r.i or kept[0] == r.i else (r.j, r.i))
    if len(pairs) != 1:
        return False
    ((row, column),) = pairs
    # With the rule "column - row <= c" alone, column 0 is seen; with the other one too, the column at the row's own position.
    return row.space == column.space or all(isinstance(r, AtMost) and r.i == column for r in where)
