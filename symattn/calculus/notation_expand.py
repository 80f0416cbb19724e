"""From a stage to its index form over the stages that keep their names.

Promises: every stage that is not named is unfolded, products are multiplied out, and every sum is simplified on the way (notation_tidy.py).
Does not promise: truth; the result is checked again (notation_check.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction

from symattn.calculus.notation_facts import Facts
from symattn.calculus.notation_index import (
    ONE,
    Factor,
    Fn,
    Ix,
    NoMatrixForm,
    Ref,
    Scope,
    Sum,
    Term,
    index_of,
    product,
    raised,
    relation_of,
    renewed,
    scaled,
)
from symattn.calculus.notation_tidy import Tidier
from symattn.program import ops
from symattn.program.program import Program, index_axes, relation_axes
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary
from symattn.program.spaces import Axis

MAX_TERMS = 64


class Expander(Tidier):
    """Unfolds stages of one program. `named` stages stay as they are. The parts of a named product (E and Z of P = E/Z) stay until the end,
    so that the product can be seen. With `softmax`, weights of a plain softmax that are not named stay as well (`scores` has what is
    inside). With `known` False no stage is put in for a product of others, and sums fold into any stage (how the
    sums themselves are worked out)."""

    def __init__(
        self, program: Program, named: Collection[str], scope: Scope, facts: Facts, *, known: bool = True, softmax: bool = False
    ) -> None:
        shown = frozenset(named)
        parts = [use.stage for fact in facts.products if fact.stage in shown for use, _ in fact.parts] if known else []
        gates = [use.stage for stage, use in facts.gates if stage in shown] if known else []
        unnamed = [f for f in facts.softmaxes if f.plain and not shown & {f.weights, f.exponentials, f.sums}]
        self.softmaxes = {f.weights: f for f in unnamed} if softmax else {}
        super().__init__(program, shown, shown.union(parts, gates, self.softmaxes), scope, facts, known=known)
        self._done: dict[tuple[str, tuple[Ix, ...]], Sum] = {}

    # -- unfolding ----------------------------------------------------------------------------------------------------
    def whole(self, name: str, at: tuple[Ix, ...]) -> Sum:
        """The definition of a stage at these indices over the named stages alone. Raises NoMatrixForm when it has too many terms."""
        terms = self.stage(name, at)
        # From here on a sum may fold into a shown stage only: what is unfolded now must not fold back.
        self.named, self._done = self.shown.union(self.softmaxes), {}
        return self._without_parts(terms)

    def used(self, use: ops.Use, env: Mapping[str, Ix]) -> Sum:
        return self._without_parts(self._use(use, env))

    def scores(self, ref: Ref) -> Sum | None:
        """What a softmax is taken of, where `ref` is its weights; None for every other stage."""
        fact = self.softmaxes.get(ref.stage)
        if fact is None:
            return None
        out = self.program.by_name[fact.exponentials].out
        return self.used(fact.scores, {a.name: ix for a, ix in zip(out, ref.at, strict=True)})

    def _without_parts(self, terms: Sum) -> Sum:
        """Nothing but named stages, inside functions too."""
        while any(self._has_part(f) for t in terms for f, _ in t.factors):
            found: Sum = ()
            for term in terms:
                left = next((f for f, _ in term.factors if self._has_part(f)), None)
                if left is None:
                    found += (term,)
                    continue
                power = dict(term.factors)[left]
                rest = replace(term, factors=tuple(x for x in term.factors if x[0] != left))
                if isinstance(left, Ref):
                    inner = self.stage(left.stage, left.at)
                else:
                    inner = (Term(factors=((Fn(left.op, tuple(self._without_parts(a) for a in left.args)), ONE),)),)
                found += self._product((rest,), raised(inner, power))
            terms = self.tidy(found)
        return terms

    def _has_part(self, factor: Factor) -> bool:
        if isinstance(factor, Fn):
            return any(self._has_part(f) for arg in factor.args for t in arg for f, _ in t.factors)
        return factor.stage not in self.named and isinstance(self.program.by_name[factor.stage].op, ops.Contract | ops.Map)

    def stage(self, name: str, at: tuple[Ix, ...]) -> Sum:
        """The definition of a stage at these indices, simplified. Raises NoMatrixForm when it has too many terms."""
        if (name, at) in self._done:
            return tuple(renewed(self.scope, t) for t in self._done[name, at])
        op = self.program.by_name[name].op
        env: dict[str, Ix] = {a.name: ix for a, ix in zip(op.out, at, strict=True)}
        match op:
            case ops.Contract():
                terms = self._contract(op, env)
            case ops.Map():
                where = tuple(relation_of(r, env) for r in op.where)
                terms = self._tree(op.scalar, dict(op.args), env)
                terms = self.tidy(tuple(replace(t, where=tuple(dict.fromkeys((*t.where, *where)))) for t in terms) if where else terms)
            case _:
                terms = (Term(factors=((Ref(name, at), ONE),)),)
        self._done[name, at] = terms
        return terms

    def _contract(self, op: ops.Contract, env: dict[str, Ix]) -> Sum:
        bound: list[int] = []
        for axis in mentioned(op):
            if axis.name not in env:
                bound.append(self.scope.new(axis))
                env[axis.name] = bound[-1]
        where = tuple(relation_of(r, env) for r in op.where)
        total = tuple(replace(t, bound=tuple(bound), where=where) for t in self._tree(op.coef, {}, env))
        for use in op.uses:
            total = self._product(total, self._use(use, env))
        return self.tidy(total)

    def _use(self, use: ops.Use, env: Mapping[str, Ix]) -> Sum:
        at = tuple(index_of(i, env) for i in use.indices)
        op = self.program.by_name[use.stage].op
        if use.stage in self.named or not isinstance(op, ops.Contract | ops.Map):
            return (Term(factors=((Ref(use.stage, at), ONE),)),)
        return self.stage(use.stage, at)

    def _tree(self, tree: Scalar, args: Mapping[str, ops.Use], env: Mapping[str, Ix]) -> Sum:
        match tree:
            case Num(value):
                return (Term(value),) if value else ()
            case Size(name):
                return (Term(sizes=((name, ONE),)),)
            case Arg(name):
                return self._use(args[name], env)
            case Unary("neg", x):
                return scaled(self._tree(x, args, env), Fraction(-1))
            case Unary("sqrt", x):
                return raised(self._tree(x, args, env), Fraction(1, 2))
            case Unary(op, x):
                return (Term(factors=((Fn(op, (self._tree(x, args, env),)), ONE),)),)
            case Power(x, exponent):
                return raised(self._tree(x, args, env), exponent)
            case Binary("add", a, b):
                return self._tree(a, args, env) + self._tree(b, args, env)
            case Binary("sub", a, b):
                return self._tree(a, args, env) + scaled(self._tree(b, args, env), Fraction(-1))
            case Binary("mul", a, b):
                return self._product(self._tree(a, args, env), self._tree(b, args, env))
            case Binary("div", a, b):
                below = self._tree(b, args, env)
                return self._product(self._tree(a, args, env), raised(below, Fraction(-1)))
            case Binary(op, a, b):
                return (Term(factors=((self._larger(op, self._tree(a, args, env), self._tree(b, args, env)), ONE),)),)

    def _larger(self, op: str, a: Sum, b: Sum) -> Fn:
        """A function of two arguments; max(x, 0) and max(x, -x) are functions of one."""
        if op == "max2" and not b:
            return Fn("relu", (a,))
        if op == "max2" and b == scaled(a, Fraction(-1)):
            return Fn("abs", (a,))
        return Fn(op, (a, b))

    def _product(self, a: Sum, b: Sum) -> Sum:
        if len(a) * len(b) > MAX_TERMS:
            raise NoMatrixForm(f"it has more than {MAX_TERMS} products; name a stage in between")
        return product(a, b)

    def summed(self, stage: str, at: tuple[int, ...], over: int, opaque: Collection[str]) -> Sum:
        inner = Expander(self.program, opaque, self.scope, self.facts, known=False)
        return inner.tidy(tuple(replace(t, bound=(*t.bound, over)) for t in inner.stage(stage, at)))


def mentioned(op: ops.Contract) -> tuple[Axis, ...]:
    """The axes of a contraction: `over`, then those of uses and relations."""
    found = [*op.over]
    for use in op.uses:
        for index in use.indices:
            found.extend(index_axes(index))
    for relation in op.where:
        found.extend(relation_axes(relation))
    return tuple(dict.fromkeys(found))
