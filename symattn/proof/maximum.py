"""Maxima as opaque factors: of several branches, each over its own indices where its relations hold.

Known of a maximum: the order of branches does not matter, equal ones count once, max(a + b, a + c) = a + max(b, c), a positive number comes
out, one value without indices is itself, and of two values max(a, b) = (a + b + |a - b|)/2. Nothing else; in particular not which branch
is the largest.

Promises: these identities, for maxima over nonempty sets. With a stand-in for the empty set only the first two are used.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from symattn.proof.canon import collect, instantiated, template, term_key
from symattn.proof.evidence import Undecided
from symattn.proof.reduce import settled, substitute_all
from symattn.proof.terms import Context, Expr, Label, Number, Term, Where, minus, rename, whole


@dataclass(frozen=True)
class Branch:
    """`value` over `bound`, where `rels` hold. `value` is settled and its own sums are inside its terms."""

    value: tuple[Term, ...]
    bound: frozenset[int] = frozenset()
    rels: frozenset[tuple[int, tuple[int, ...]]] = frozenset()

    @property
    def plain(self) -> bool:
        """Is it one value?"""
        return not self.bound and not self.rels


def held(ctx: Context, value: Expr) -> Expr:
    """An expression as one factor, not looked into."""
    return [Term(1, facs={template(ctx, "sum", value): 1})]


def largest(ctx: Context, branches: list[Branch], stand_in: Expr | None = None) -> Expr:
    """The maximum over all branches; `stand_in` is its value where they are empty."""
    branches = [part for branch in branches for part in _flat(ctx, branch)]
    branches = [_without_unused(branch) for branch in branches]
    if stand_in is not None:
        return _factor(ctx, branches, stand_in)
    if len(branches) == 1 and branches[0].plain:
        return list(branches[0].value)
    if len(branches) == 2 and all(b.plain and not _holds_max(ctx, b) for b in branches):
        a, b = (list(branch.value) for branch in branches)
        halves = settled(ctx, [*a, *b, *absolute(ctx, settled(ctx, a + minus(b)))])
        return [t.scaled(Fraction(1, 2)) for t in halves]
    outside, branches = _common(ctx, branches)
    scale, branches = _scale(branches)
    branches = _numbers(branches)
    if len(branches) == 1 and branches[0].plain:
        return settled(ctx, outside + [t.scaled(scale) for t in branches[0].value])
    return settled(ctx, outside + [t.scaled(scale) for t in _factor(ctx, branches, None)])


def absolute(ctx: Context, a: Expr) -> Expr:
    """|a|, as a factor of which a and -a have the same, positive numbers outside. Its square is a * a (reduce.py)."""
    content = _shared([t.coef for t in a])
    if not a or (len(a) == 1 and a[0].is_number()):
        return [t.scaled(-1) if t.coef < 0 else t for t in a]
    a = [t.scaled(Fraction(1) / content) for t in a]
    other = minus(a)
    keys = [sorted((term_key(ctx, t, dict.fromkeys(t.indices() - t.bound, 0)), t.coef) for t in side) for side in (a, other)]
    if keys[1] > keys[0]:
        a = other
    factor = template(ctx, "abs", a)
    if keys[0] == keys[1]:
        factor = min(factor, template(ctx, "abs", other))
    return [Term(content, facs={factor: 1})]


def _holds_max(ctx: Context, branch: Branch) -> bool:
    return any(ctx.labels[label].kind == "max" for t in branch.value for label, _ in t.facs)


def replaced(ctx: Context, label: Label, at: dict[int, Where]) -> Expr:
    """A maximum after its outer indices were replaced."""
    assert label.template is not None
    branches: list[Branch] = []
    stand_in: Expr | None = None
    for t in label.template.body:
        moved = substitute_all(ctx, [t], at)
        if len(moved) != 1:
            raise Undecided("a maximum over a set that an index splits")
        (branch,) = moved
        if len(branch.facs) > 1:
            raise Undecided("a maximum whose value an index splits")
        value: Expr = []
        for factor in branch.facs:
            value = instantiated(ctx, *factor)
        if t.coef == 2:
            stand_in = value
        else:
            fresh = {b: ctx.fresh(ctx.space_of(b)) for b in branch.bound}
            branch = rename(ctx, branch, fresh)
            branches.append(Branch(tuple(rename(ctx, v, fresh) for v in value), branch.bound, branch.rels))
    return largest(ctx, branches, stand_in)


def _factor(ctx: Context, branches: list[Branch], stand_in: Expr | None) -> Expr:
    body: dict[object, Term] = {}
    for branch in branches:
        facs = held(ctx, list(branch.value))[0].facs if branch.value else {}
        t = Term(1, bound=branch.bound, facs=facs, rels=branch.rels)
        body[term_key(ctx, t)] = t
    if stand_in is not None:
        body["stand-in"] = Term(2, facs=held(ctx, stand_in)[0].facs if stand_in else {})
    return [Term(1, facs={template(ctx, "max", list(body.values())): 1})]


def _flat(ctx: Context, branch: Branch) -> list[Branch]:
    """The branches of a maximum that is itself a branch."""
    if branch.plain and len(branch.value) == 1:
        t = branch.value[0]
        if t.coef == 1 and not (t.mono or t.bound or t.rels) and len(t.facs) == 1:
            ((label, idx), e) = next(iter(t.facs.items()))
            if e == 1 and ctx.labels[label].kind == "max":
                inner = instantiated(ctx, label, idx)
                if all(b.coef == 1 for b in inner):
                    return [Branch(tuple(_values(ctx, b)), b.bound, b.rels) for b in inner]
    return [branch]


def _values(ctx: Context, b: Term) -> Expr:
    value: Expr = []
    for factor in b.facs:
        value = instantiated(ctx, *factor)
    return value


def _without_unused(branch: Branch) -> Branch:
    used = {i for t in branch.value for i in t.indices()} | {i for _, idx in branch.rels for i in idx}
    return Branch(branch.value, branch.bound & used, branch.rels)


def _common(ctx: Context, branches: list[Branch]) -> tuple[Expr, list[Branch]]:
    """The terms that all values share and that no branch's own index is in, and the branches without them."""
    first = branches[0]
    shared: Expr = []
    for t in first.value:
        if first.bound.isdisjoint(t.indices()):
            key = term_key(ctx, t)
            rest = branches[1:]
            if all(any(term_key(ctx, u) == key and u.coef == t.coef for u in branch.value) for branch in rest):
                shared.append(t)
    if not shared:
        return [], branches
    out = [Branch(tuple(collect(ctx, [*branch.value, *minus(shared)])), branch.bound, branch.rels) for branch in branches]
    return shared, out


def _scale(branches: list[Branch]) -> tuple[Number, list[Branch]]:
    """The positive number that all coefficients share, and the branches without it."""
    c = _shared([t.coef for branch in branches for t in branch.value])
    if c == 1:
        return 1, branches
    return c, [Branch(tuple(t.scaled(Fraction(1) / c) for t in branch.value), branch.bound, branch.rels) for branch in branches]


def _shared(coefs: list[Number]) -> Number:
    if not coefs:
        return 1
    return whole(Fraction(gcd(*(abs(x.numerator) for x in coefs)), lcm(*(x.denominator for x in coefs))))


def _numbers(branches: list[Branch]) -> list[Branch]:
    """Of several numbers the largest."""
    best: Number | None = None
    rest: list[Branch] = []
    for branch in branches:
        if branch.plain and all(t.is_number() for t in branch.value):
            c = branch.value[0].coef if branch.value else 0
            best = c if best is None or c > best else best
        else:
            rest.append(branch)
    if best is None:
        return rest
    return [*rest, Branch((Term(best),) if best else ())]
