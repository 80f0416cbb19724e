"""Sums in index form made shorter by what the program's definitions say.

Promises: a quotient that is a named stage goes by its name (E/Z is P), a sum that is a named stage folds (the row sums Z), rows that
sum to one or to zero do, a sigmoid times exp(-x) is 1 minus the sigmoid, relations that a factor implies are dropped, like terms add.
The stages whose definitions were used are remembered (`atoms` are the others). Does not promise: a normal form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

from symattn.calculus.notation_facts import Facts, Total, monomial
from symattn.calculus.notation_index import (
    ONE,
    Factor,
    Fn,
    Ix,
    NoMatrixForm,
    Part,
    Ref,
    Rel,
    Scope,
    Sum,
    Term,
    factor_vars,
    index_of,
    ix_vars,
    move_term,
    powers,
    rel_vars,
    scaled,
)
from symattn.calculus.notation_relations import resolved
from symattn.program import ops
from symattn.program.program import Program
from symattn.program.scalar import Arg, Binary, Num, Scalar, Size, Unary, walk
from symattn.program.spaces import Space


class Tidier(ABC):
    """Simplifies sums of one program. `shown` are the stages that have names in the result, `named` those that stay while it is made;
    with `known` False no stage is put in for a product of others, and sums fold into any stage."""

    def __init__(
        self, program: Program, shown: Collection[str], named: Collection[str], scope: Scope, facts: Facts, *, known: bool
    ) -> None:
        self.program = program
        self.shown = frozenset(shown)
        self.named = frozenset(named)
        self.scope = scope
        self.facts = facts
        self.known = known
        self._opened: set[str] = set()

    def atoms(self) -> tuple[str, ...]:
        """The named stages whose definitions were not used: for any values of theirs the form is the stage."""
        return tuple(s.name for s in self.program.stages if s.name in self.shown and s.name not in self._opened)

    def _open(self, stage: str, *, always: bool = False) -> None:
        """Note that this stage's definition was used, and what it is made of by sums and quotients."""
        op = self.program.by_name[stage].op
        if stage in self._opened or not isinstance(op, ops.Contract | ops.Map):
            return
        if isinstance(op, ops.Map) and not always and not is_rational(op.scalar):
            return
        self._opened.add(stage)
        if isinstance(op, ops.Map):
            for _, use in op.args:
                self._open(use.stage)

    def _rely(self, stage: str) -> None:
        """Note that a stage is 0 where some relation fails. A map that leaves those entries out says so by itself; what another stage is
        made of is used."""
        op = self.program.by_name[stage].op
        if isinstance(op, ops.Map) and op.where:
            return
        if isinstance(op, ops.Contract | ops.Map) and stage not in self._opened and self.facts.support(stage):
            self._opened.add(stage)
            for use in op.uses if isinstance(op, ops.Contract) else [u for _, u in op.args]:
                if self.facts.support(use.stage):
                    self._rely(use.stage)

    @abstractmethod
    def used(self, use: ops.Use, env: Mapping[str, Ix]) -> Sum:
        """A use at the indices of `env`, over the named stages alone."""

    @abstractmethod
    def summed(self, stage: str, at: tuple[int, ...], over: int, opaque: Collection[str]) -> Sum:
        """The sum of a stage over one of its variables, unfolded down to the stages in `opaque`."""

    def tidy(self, terms: Sum) -> Sum:
        """Every term simplified, like terms together."""
        found: dict[object, Term] = {}
        waiting = list(reversed(terms))
        while waiting:
            done = self._tidied(waiting.pop())
            if done is None:
                continue
            split = self._gated(done) if self.known else None
            if split is not None:
                waiting.extend(reversed(split))
                continue
            key = self._key(done) if waiting or found else 0
            if key in found:
                done = replace(found[key], coef=found[key].coef + done.coef)
            found[key] = done
        return tuple(t for t in found.values() if t.coef)

    def _tidied(self, term: Term) -> Term | None:
        """None is 0."""
        while True:
            before = term
            found = resolved(term, self.scope, self.facts, self._rely)
            if found is None:
                return None
            found = self._sums(self._by_name(self._by_function(found)) if self.known else found)
            if found is None or found == before:
                return found
            term = found

    def _gated(self, term: Term) -> Sum | None:
        """A sigmoid times exp(-x) is 1 minus the sigmoid."""
        powers = dict(term.factors)
        for factor, power in term.factors:
            other: Factor | None = None
            if isinstance(factor, Fn) and factor.op == "sigmoid":
                other = Fn("exp", (scaled(factor.args[0], Fraction(-1)),))
            elif isinstance(factor, Ref):
                op = self.program.by_name[factor.stage].op
                env = {a.name: ix for a, ix in zip(op.out, factor.at, strict=True)}
                use = next((u for name, u in self.facts.gates if name == factor.stage and name in self.shown), None)
                other = None if use is None else Ref(use.stage, tuple(index_of(i, env) for i in use.indices))
            if other is None or power < 1 or powers.get(other, Fraction(0)) < 1:
                continue
            if isinstance(factor, Ref):
                self._open(factor.stage)
            left = {**powers, factor: power - 1, other: powers[other] - 1}
            rest = replace(term, factors=tuple((f, p) for f, p in left.items() if p))
            again = replace(rest, coef=-rest.coef, factors=tuple((f, p) for f, p in {**left, factor: power}.items() if p))
            return (rest, again)
        return None

    def _by_function(self, term: Term) -> Term:
        """A function that a stage applies, by the stage's name."""
        for factor, power in term.factors:
            if not isinstance(factor, Fn) or len(factor.args) != 1:
                continue
            for stage, use in self.facts.functions.get(factor.op, ()):
                own = self._matched(stage, use, factor) if stage in self.named else None
                if own is not None:
                    self._open(stage, always=True)
                    left: dict[Factor, Fraction] = {f: p for f, p in term.factors if f != factor}
                    left[own] = left.get(own, Fraction(0)) + power
                    return self._by_function(replace(term, factors=tuple((f, p) for f, p in left.items() if p)))
        return term

    def _matched(self, stage: str, use: ops.Use, factor: Fn) -> Ref | None:
        """The entry of the stage that the function is, None when it is another one."""
        out = self.program.by_name[stage].out
        free = factor_vars(factor)
        if len(free) != len(out) or len(free) > 3:
            return None
        wanted = self._keys(factor.args[0])
        for order in permutations(free):
            if all(self.scope.space(v) == axis.space for v, axis in zip(order, out, strict=True)):
                inner = self.used(use, {axis.name: v for axis, v in zip(out, order, strict=True)})
                if self._keys(inner) == wanted:
                    return Ref(stage, order)
        return None

    def _keys(self, terms: Sum) -> frozenset[object]:
        return frozenset((self._key(t), t.coef) for t in terms)

    def _by_name(self, term: Term) -> Term:
        def holds(rel: Rel) -> bool:
            return rel in term.where or any(isinstance(f, Ref) and self.facts.supported(f, rel) for f, _ in term.factors)

        for factor, _ in term.factors:
            for fact in self.facts.led.get(factor.stage, ()) if isinstance(factor, Ref) else ():
                hit = fact.match(term, holds) if fact.stage in self.shown else None
                if hit is not None:
                    self._open(fact.stage)
                    return self._by_name(hit)
        return term

    def _sums(self, term: Term) -> Term | None:
        """Without the bound variables whose sum is known. None is 0."""
        again = bool(term.bound)
        while again:
            again = False
            for v, count in _counts(term).items():
                rest = tuple(b for b in term.bound if b != v)
                if count == 0:
                    term = replace(term, bound=rest, sizes=powers(term.sizes, size_powers(self.scope.space(v))))
                    again = bool(rest)
                    break
                folded = self._folded(term, v) if count == 1 else term
                if folded is None:
                    return None
                if folded is not term:
                    term = folded
                    again = bool(rest)
                    break
        return term

    def _folded(self, term: Term, v: int) -> Term | None:
        factor, power = next((f, p) for f, p in term.factors if v in factor_vars(f))
        if (
            power != 1
            or not isinstance(factor, Ref)
            or factor.at.count(v) != 1
            or any(v in ix.vars for ix in factor.at if isinstance(ix, Part))
        ):
            return term
        total = self._total(factor.stage, factor.at.index(v))
        if total is None:
            return term
        if self.known:
            self._open(total.stage or factor.stage)
        if not total.coef:
            return None
        own: list[tuple[Factor, Fraction]] = [(Ref(total.stage, tuple(factor.at[k] for k in total.order)), ONE)] if total.stage else []
        rest = [(f, p) for f, p in term.factors if f != factor]
        if own and own[0][0] in dict(rest):
            return term
        bound = tuple(b for b in term.bound if b != v)
        return replace(term, coef=term.coef * total.coef, sizes=powers(term.sizes, total.sizes), bound=bound, factors=(*own, *rest))

    def _total(self, stage: str, position: int) -> Total | None:
        if not self.known:
            return self.facts.summed(stage, position, None)
        if (stage, position) not in self.facts.constants:
            self.facts.constants[stage, position] = self._constant(stage, position)
        return self.facts.constants[stage, position] or self.facts.summed(stage, position, self.named)

    def _constant(self, stage: str, position: int) -> Total | None:
        """The sum of a stage over an axis when it is a number, worked out from linear definitions and quotients alone."""
        op = self.program.by_name[stage].op
        if not isinstance(op, ops.Map):
            return None
        opaque = {s.name for s in self.program.stages if not (isinstance(s.op, ops.Map) and is_linear(s.op.scalar))}
        at = tuple(self.scope.new(a) for a in op.out)
        try:
            terms = self.summed(stage, at, at[position], opaque)
        except NoMatrixForm:
            return None
        if not terms:
            return Total(Fraction(0))
        if len(terms) == 1 and not terms[0].factors and not terms[0].bound and not terms[0].where:
            return Total(terms[0].coef, terms[0].sizes)
        return None

    def _key(self, term: Term) -> object:
        """Equal for terms that differ in the names of bound variables only (not for all such: a missed pair stays two terms)."""
        if not term.bound:
            return (frozenset(term.sizes), frozenset(term.factors), frozenset(term.where))
        marks: dict[int, str] = {}
        for v in term.bound:
            seen = sorted(f"{_slots(f, v)}^{p}" for f, p in term.factors if v in factor_vars(f))
            marks[v] = "|".join([self.scope.space(v).name, *seen, *sorted(r.kind for r in term.where if v in rel_vars(r))])
        moved = move_term(term, {v: -1 - k for k, v in enumerate(sorted(term.bound, key=lambda v: marks[v]))})
        return (frozenset(moved.sizes), frozenset(moved.factors), frozenset(moved.where), len(term.bound))


def is_linear(tree: Scalar) -> bool:
    """Sums, differences and quotients of arguments, without functions of them."""
    match tree:
        case Num() | Size() | Arg():
            return True
        case Unary("neg", x):
            return is_linear(x)
        case Binary("add" | "sub" | "mul", a, b):
            return is_linear(a) and is_linear(b)
        case Binary("div", a, b):
            return is_linear(a) and monomial(b) is not None
        case _:
            return False


def is_rational(tree: Scalar) -> bool:
    """Sums, products, quotients and powers, without other functions."""
    return all(not isinstance(t, Unary) or t.op in ("neg", "sqrt") for t in walk(tree)) and all(
        not isinstance(t, Binary) or t.op != "max2" for t in walk(tree)
    )


def _counts(term: Term) -> dict[int, int]:
    """In how many factors each bound variable stands; a relation counts twice, since it keeps a sum from folding."""
    counts = dict.fromkeys(term.bound, 0)
    for factor, _ in term.factors:
        for v in factor_vars(factor):
            if v in counts:
                counts[v] += 1
    for rel in term.where:
        for v in rel_vars(rel):
            if v in counts:
                counts[v] += 2
    return counts


def _slots(factor: Factor, v: int) -> str:
    if isinstance(factor, Ref):
        return factor.stage + ",".join(str(k) for k, ix in enumerate(factor.at) if v in ix_vars(ix))
    return factor.op


def size_powers(space: Space) -> tuple[tuple[str | Fraction, Fraction], ...]:
    """The number of entries of a space as a product of sizes. Raises NoMatrixForm for a union, whose size is a sum."""
    if space.blocks:
        raise NoMatrixForm("the size of a union of blocks stands alone")
    if space.factors:
        return powers(*(size_powers(s) for s in space.factors))
    return ((space.size if isinstance(space.size, str) else Fraction(space.size), ONE),)
