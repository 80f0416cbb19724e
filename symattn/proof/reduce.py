"""Local rules, applied to a term until none fits.

Equalities with a bound index substitute; orders are closed under transitivity (contradictions vanish, implied ones are dropped, a forced
equality becomes one); an index that nothing reads gives the size of its space; a base to a positive power is multiplied out; leading terms
of known sums are replaced (fold.py).

Promises: each rule is an identity for all sizes of at least 1, wherever the bases of reciprocals do not vanish.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from symattn.proof.canon import collect, instantiated, term_key
from symattn.proof.fold import apply_rule, fold_base, fold_constant
from symattn.proof.indices import extent, fill, flatten, position, substituted
from symattn.proof.terms import Context, Expr, Factor, Number, Term, Where, product, put, rename


def settled(ctx: Context, terms: Iterable[Term]) -> Expr:
    """The terms with all rules applied and like ones added up."""
    return collect(ctx, reduced(ctx, terms))


def reduced(ctx: Context, terms: Iterable[Term]) -> Expr:
    """The terms with all rules applied."""
    work = list(terms)
    work.reverse()
    done: Expr = []
    while work:
        t = work.pop()
        if not t.coef:
            continue
        if t.settled:
            done.append(t)
            continue
        found = _step(ctx, t)
        if found is None:
            t.settled = True
            done.append(t)
        else:
            ctx.tick(1 + len(found))
            found.reverse()
            work += found
    return done


def _step(ctx: Context, t: Term) -> Expr | None:
    if t.rels:
        found = _relations(ctx, t)
        if found is not None:
            return found
    if t.bound:
        found = _unused(ctx, t)
        if found is not None:
            return found
    nested = ctx.nested
    for factor, e in t.facs.items():
        if factor[0] not in nested:
            continue
        kind = ctx.labels[factor[0]].kind
        if kind == "abs" and e >= 2:
            return _squared(ctx, t, factor)
        if kind == "pow":
            if e > 0:
                return _raised(ctx, t, factor, e)
            if e <= -1:
                found = fold_base(ctx, t, factor) or fold_constant(ctx, t, factor)
                if found is not None:
                    return found
    for rule in ctx.rules:
        found = apply_rule(ctx, t, rule)
        if found is not None:
            return found
    return None


def _unused(ctx: Context, t: Term) -> Expr | None:
    used = t.indices()
    loose = [b for b in sorted(t.bound) if b not in used]
    if not loose:
        return None
    out: Expr = [Term(t.coef, t.mono, t.bound.difference(loose), t.facs, t.rels)]
    for b in loose:
        out = product(ctx, out, extent(ctx.space_list[ctx.space_of(b)]))
    return out


def _raised(ctx: Context, t: Term, factor: Factor, e: Number) -> Expr:
    """W(D)^e with e > 0 as D^k W(D)^(e-k), e - k in (-1, 0]."""
    k = -(-e.numerator // e.denominator)
    facs = dict(t.facs)
    put(facs, factor, -k)
    out: Expr = [Term(t.coef, t.mono, t.bound, facs, t.rels)]
    for _ in range(k):
        out = product(ctx, out, instantiated(ctx, *factor))
    return out


def _squared(ctx: Context, t: Term, factor: Factor) -> Expr:
    """|a|^e with e >= 2 as a^2 |a|^(e-2)."""
    facs = dict(t.facs)
    put(facs, factor, -2)
    out: Expr = [Term(t.coef, t.mono, t.bound, facs, t.rels)]
    for _ in range(2):
        out = product(ctx, out, instantiated(ctx, *factor))
    return out


# -- substitution -----------------------------------------------------------------------------------------------------
def substitute(ctx: Context, t: Term, i: int, place: Where) -> Expr:
    """The term with the index i replaced by a plain index or a fixed position; i is not bound any more."""
    t = Term(t.coef, t.mono, t.bound - {i}, t.facs, t.rels)
    if isinstance(place, int) and not _meets(ctx, t, i, place):
        return [rename(ctx, t, {i: place})]
    out: Expr = [
        Term(t.coef, t.mono, t.bound, {f: e for f, e in t.facs.items() if i not in f[1]}, frozenset([r for r in t.rels if i not in r[1]]))
    ]
    for (label, idx), e in t.facs.items():
        if i in idx:
            out = product(ctx, out, _replaced(ctx, label, tuple([place if x == i else x for x in idx]), e))
    for label, idx in t.rels:
        if i in idx:
            out = product(ctx, out, substituted(ctx, label, tuple([place if x == i else x for x in idx])))
    return out


def _meets(ctx: Context, t: Term, i: int, j: int) -> bool:
    """Would two indices of one nested factor or relation become one?"""
    nested = ctx.nested
    return any(label in nested and i in idx and j in idx for label, idx in t.facs) or any(i in idx and j in idx for _, idx in t.rels)


def _replaced(ctx: Context, label: int, idx: tuple[Where, ...], e: Number) -> Expr:
    found = ctx.labels[label]
    if found.template is not None:
        return ctx.rebuild(ctx, label, dict(zip(found.template.slots, idx, strict=True)), e)
    if found.kind == "position":
        place = idx[0]
        if isinstance(place, int):
            return [Term(1, facs={(label, (place,)): e})]
        return ctx.power(ctx, position(ctx, place, ctx.space_list[0]), e)
    skeleton, plain = flatten(fill(found.skeleton, idx))
    return [Term(1, facs={(ctx.label(found.kind, found.name, skeleton), plain): e})]


def substitute_all(ctx: Context, terms: Iterable[Term], at: dict[int, Where]) -> Expr:
    """The terms with several outer indices replaced, all at once."""
    middle = {i: ctx.fresh(ctx.space_of(i)) for i in at}
    out = [rename(ctx, t, middle) for t in terms]
    for i, place in at.items():
        out = [x for t in out for x in substitute(ctx, t, middle[i], place)]
    return out


# -- relations --------------------------------------------------------------------------------------------------------
def _relations(ctx: Context, t: Term) -> Expr | None:
    orders: list[tuple[Factor, int]] = []
    for rel in t.rels:
        label, idx = rel
        found = ctx.labels[label]
        if found.kind == "same":
            replaced = _equal(ctx, t, rel)
            if replaced is not None:
                return replaced
        elif found.kind == "at":
            (i,) = idx
            place: Where = ("at", found.name)  # type: ignore[assignment]
            if i in t.bound:
                ctx.suppose_position(i, int(found.name))  # type: ignore[call-overload]
                return substitute(ctx, _without(t, rel), i, place)
            if _elsewhere(t, rel, i):
                return product(ctx, substitute(ctx, _without(t, rel), i, place), [Term(1, rels=frozenset([rel]))])
        elif found.kind == "le" and isinstance(found.name, int):
            orders.append((rel, found.name))
    ctx.ordered = ctx.ordered or bool(orders)
    if len(orders) > 1:
        closed = _orders(ctx, t, orders)
        if closed is not None:
            return closed
    return _directed(ctx, t, orders) if ctx.directed else None


def _directed(ctx: Context, t: Term, orders: list[tuple[Factor, int]]) -> Expr | None:
    """Two opposite orders as their sum less 1 (one of them holds, since c + d >= 0); [a <= b] as 1 + [a = b] - [b <= a] where that turns
    it into the direction in which it is kept, and as half of 1 + [a = b] where the rest does not change when a and b are exchanged.
    Only where the context asks for it: windows are shorter as they are."""
    by_pair = {rel[1]: rel for rel, _ in orders}
    for rel, c in orders:
        i, j = rel[1]
        if ctx.space_of(i) != ctx.space_of(j):
            continue
        other = by_pair.get((j, i))
        if other is not None:
            return [_without(t, rel), _without(t, other), _without(t, rel, other).scaled(-1)]
        way = _direction(ctx, t, rel) if c == 0 else 1
        if way < 1:
            label = ctx.label("same", None)
            equal = Term(1, rels=frozenset([(label, ctx.fixed(label, (i, j)))]))
            both = product(ctx, [_without(t, rel)], [Term(1), equal])
            if way == 0:
                return [x.scaled(Fraction(1, 2)) for x in both]
            return both + product(ctx, [_without(t, rel)], [Term(-1, rels=frozenset([(rel[0], (j, i))]))])
    return None


def _direction(ctx: Context, t: Term, rel: Factor) -> int:
    """1 when an order relation stands as it is kept, -1 when the other way round is kept, 0 when the two sides can be exchanged."""
    i, j = rel[1]
    if i not in t.bound or j not in t.bound:
        return 1 if i in t.bound or (j not in t.bound and i < j) else -1
    rest = _without(t, rel)
    rest = Term(1, rest.mono, rest.bound - {i, j}, rest.facs, rest.rels)
    outer = {k: k + 2 for k in rest.indices() - rest.bound}
    first, second = (term_key(ctx, rest, {**outer, i: a, j: b}) for a, b in ((0, 1), (1, 0)))
    return 0 if first == second else 1 if first < second else -1


def _without(t: Term, *gone: Factor) -> Term:
    return Term(t.coef, t.mono, t.bound, t.facs, t.rels.difference(gone))


def _elsewhere(t: Term, rel: Factor, i: int) -> bool:
    return any(i in idx for _, idx in t.facs) or any(i in r[1] for r in t.rels if r != rel)


def _equal(ctx: Context, t: Term, rel: Factor) -> Expr | None:
    i, j = rel[1]
    if i == j:
        return [_without(t, rel)]
    if ctx.space_of(i) != ctx.space_of(j):
        return None
    if j in t.bound:
        return substitute(ctx, _without(t, rel), j, i)
    if i in t.bound:
        return substitute(ctx, _without(t, rel), i, j)
    keep, gone = min(i, j), max(i, j)
    if not _elsewhere(t, rel, gone):
        return None
    return product(ctx, substitute(ctx, _without(t, rel), gone, keep), [Term(1, rels=frozenset([rel]))])


def _orders(ctx: Context, t: Term, orders: list[tuple[Factor, int]]) -> Expr | None:
    orders.sort(key=lambda o: (o[0][1], o[1]))
    edges = {(rel[1][0], rel[1][1]): c for rel, c in reversed(orders)}
    if len(edges) < len(orders):
        tight = [rel for rel, c in orders if edges[rel[1][0], rel[1][1]] == c]
        return [_without(t, *(rel for rel, _ in orders if rel not in tight))]
    far = _closure(edges)
    for (i, j), c in edges.items():
        back = far.get((j, i))
        if back is None:
            continue
        if c + back == 0:
            rel = next(r for r, _ in orders if r[1] == (i, j))
            same = (ctx.label("same", None), (min(i, j), max(i, j)))
            return [Term(t.coef, t.mono, t.bound, t.facs, t.rels.difference([rel]) | {same})]
    for (i, j), c in edges.items():
        rest = {e: x for e, x in edges.items() if e != (i, j)}
        through = _closure(rest).get((i, j))
        rel = next(r for r, _ in orders if r[1] == (i, j))
        if through is not None and through <= c:
            return [_without(t, rel)]
    return None


def _closure(edges: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """The tightest bound on position(i) - position(j) that follows, for every pair."""
    far = dict(edges)
    nodes = sorted({i for e in edges for i in e})
    for k in nodes:
        for i in nodes:
            for j in nodes:
                if (i, k) in far and (k, j) in far:
                    c = far[i, k] + far[k, j]
                    if i != j or c < 0:
                        far[i, j] = min(far.get((i, j), c), c)
    return far
