"""Replacing the leading term of a known sum where it is found inside a term.

Two sources of known sums: the base D of a reciprocal W(D)^q with q <= -1 that the term holds (D * W(D)^q = W(D)^(q+1)), and facts, which
carry certificates. The leading term L of the sum is replaced by (sum - rest); a sum over j of E[i,j] over Z[i] becomes 1.

Promises: each replacement is an identity wherever the bases do not vanish. Does not promise: confluence; zero.py has other ways.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from symattn.proof.canon import term_key
from symattn.proof.terms import Context, Expr, Factor, Indices, Mono, Number, Term, join_mono, put, rename, times, whole


@dataclass(frozen=True)
class Rule:
    """`lead` may be replaced by `rest`. `free` are indices that may stand for any index over the same space, `lead.bound` for bound
    indices that occur nowhere else. `symbols`: the lead's symbols must be there, too, because the rest has the same factors with others.
    `bare`: the lead is one factor, replaced at any whole exponent that the rest can bear."""

    lead: Term
    rest: tuple[Term, ...]
    free: frozenset[int]
    symbols: bool = False
    bare: Factor | None = None


def lead_first(ctx: Context, terms: Expr) -> list[Term]:
    """The terms, the leading one first: most bound indices, then degree, then a key without any name of an index."""

    def weight(t: Term) -> tuple[object, ...]:
        degree = sum((e for e in t.facs.values() if e > 0), Fraction(0))
        outer = dict.fromkeys(t.indices() - t.bound, 0)
        return (len(t.bound), degree, term_key(ctx, t, outer))

    return sorted(terms, key=weight, reverse=True)


def solved(ctx: Context, terms: Expr, free: frozenset[int]) -> Rule | None:
    """The rule of the sum of terms being 0; None when its leading term does not fix every index of the rest."""
    if not terms:
        return None
    lead, *others = lead_first(ctx, terms)
    seen = lead.indices()
    if any((t.indices() - t.bound) & free - seen for t in others):
        return None
    if not (lead.facs or lead.rels):
        return None
    rest = tuple(t.scaled(Fraction(-1) / lead.coef) for t in others)
    return Rule(Term(1, lead.mono, lead.bound, lead.facs, lead.rels), rest, free, _shares(ctx, lead, others))


def _shares(ctx: Context, lead: Term, rest: list[Term]) -> bool:
    """Has another term the same factors with other symbols? (Then the lead without its symbols would stand in the rest again.)"""
    key = term_key(ctx, lead)[1:]
    return any(term_key(ctx, t)[1:] == key for t in rest)


def base_rule(ctx: Context, label: int) -> Rule:
    """The rule of a reciprocal base, in the slots of its template: its leading term (with its coefficient) and, unsigned, the rest."""
    found: Rule | None = ctx.leads.get(label)
    if found is None:
        body = ctx.labels[label].template
        assert body is not None
        lead, *rest = lead_first(ctx, list(body.body))
        found = ctx.leads[label] = Rule(lead, tuple(rest), frozenset(), _shares(ctx, lead, rest))
    return found


def fold_base(ctx: Context, t: Term, factor: Factor) -> Expr | None:
    """The term with the leading term of the base replaced, None where it is not found."""
    label, idx = factor
    rule = base_rule(ctx, label)
    lead = rule.lead
    if len(lead.bound) > len(t.bound):
        return None
    template = ctx.labels[label].template
    assert template is not None
    at = dict(zip(template.slots, idx, strict=True))
    for found in matches(ctx, rule, t, at):
        left_over = quotient(ctx, t, lead, found)
        if left_over is None:
            continue
        facs = dict(left_over.facs)
        put(facs, factor, 1)
        whole_part = Term(left_over.coef, left_over.mono, left_over.bound, facs, left_over.rels)
        out = [whole_part]
        for r in rule.rest:
            moved = rename(ctx, r, {**at, **{b: ctx.fresh(ctx.space_of(b)) for b in sorted(r.bound)}})
            out.append(times(ctx, left_over, moved.scaled(-1)))
        ctx.tick(len(out))
        return out
    return None


def fold_constant(ctx: Context, t: Term, factor: Factor) -> Expr | None:
    """The term x^-a W(D)^q, where D = u + (terms with x) and u is a number, with u replaced by D - rest: exponents of x rise to 0."""
    label, idx = factor
    template = ctx.labels[label].template
    assert template is not None
    units = [r for r in template.body if not (r.bound or r.facs or r.rels)]
    rest = [r for r in template.body if r not in units]
    if len(units) != 1:
        return None
    at = dict(zip(template.slots, idx, strict=True))
    below = {f for f, e in t.facs.items() if e < 0 and f != factor}
    for r in rest:
        below &= {(lb, tuple([at.get(i, i) for i in x])) for (lb, x), e in r.facs.items() if e > 0 and r.bound.isdisjoint(x)}
    if not below:
        return None
    (unit,) = units
    inverse = Term(Fraction(1) / unit.coef, tuple((s, -e) for s, e in unit.mono))
    outer = times(ctx, t, inverse)
    facs = dict(outer.facs)
    put(facs, factor, 1)
    out = [Term(outer.coef, outer.mono, outer.bound, facs, outer.rels)]
    for r in rest:
        moved = rename(ctx, r, {**at, **{b: ctx.fresh(ctx.space_of(b)) for b in sorted(r.bound)}})
        out.append(times(ctx, outer, moved.scaled(-1)))
    ctx.tick(len(out))
    return out


def apply_rule(ctx: Context, t: Term, rule: Rule) -> Expr | None:
    """The term with a fact used once, None where it does not fit."""
    if len(rule.lead.bound) > len(t.bound):
        return None
    if rule.bare is not None:
        return _apply_bare(ctx, t, rule)
    for found in matches(ctx, rule, t, {}):
        left_over = quotient(ctx, t, rule.lead, found)
        if left_over is None:
            continue
        ctx.tick(len(rule.rest) + 1)
        return [times(ctx, left_over, _moved(ctx, r, found)) for r in rule.rest]
    return None


def _moved(ctx: Context, r: Term, found: dict[int, int]) -> Term:
    return rename(ctx, r, {**found, **{b: ctx.fresh(ctx.space_of(b)) for b in sorted(r.bound)}})


def _apply_bare(ctx: Context, t: Term, rule: Rule) -> Expr | None:
    """A name replaced by what it stands for, at every exponent."""
    assert rule.bare is not None
    label, pattern = rule.bare
    for (other, idx), e in t.facs.items():
        if other != label or not isinstance(e, int):
            continue
        if e < 0 and (len(rule.rest) != 1 or rule.rest[0].bound or rule.rest[0].rels):
            continue
        at = dict(zip(pattern, idx, strict=True))
        facs = dict(t.facs)
        del facs[other, idx]
        out: Expr = [Term(t.coef, t.mono, t.bound, facs, t.rels)]
        if e < 0:
            value = _moved(ctx, rule.rest[0], at)
            inverse = Term(Fraction(1) / value.coef, tuple((s, -x) for s, x in value.mono), facs={f: -x for f, x in value.facs.items()})
            for _ in range(-e):
                out = [times(ctx, out[0], inverse)]
            return out
        for _ in range(e):
            ctx.tick(len(out) * len(rule.rest))
            out = [times(ctx, x, _moved(ctx, r, at)) for x in out for r in rule.rest]
        return out
    return None


# -- matching ---------------------------------------------------------------------------------------------------------
def quotient(ctx: Context, t: Term, lead: Term, at: dict[int, int]) -> Term | None:
    """t divided by the lead found in it; None when an index that the lead sums is used elsewhere too."""
    facs = dict(t.facs)
    for (label, idx), e in lead.facs.items():
        factor = _at(ctx, label, idx, at)
        have = facs.get(factor, 0)
        if (e > 0 and have < e) or (e < 0 and have > e):
            return None
        put(facs, factor, -e)
    rels = set(t.rels)
    for label, idx in lead.rels:
        rels.discard(_at(ctx, label, idx, at))
    summed = {at[b] for b in lead.bound}
    if summed:
        for _, idx in facs:
            if not summed.isdisjoint(idx):
                return None
        for _, idx in rels:
            if not summed.isdisjoint(idx):
                return None
    mono: Mono = t.mono
    coef: Number = t.coef
    if lead.mono:
        mono, out = join_mono(t.mono, tuple((s, -e) for s, e in lead.mono))
        coef = coef * out
    if lead.coef != 1:
        coef = Fraction(coef) / lead.coef
    return Term(whole(coef), mono, t.bound - summed, facs, frozenset(rels))


def _at(ctx: Context, label: int, idx: Indices, at: dict[int, int]) -> Factor:
    moved = tuple([at.get(i, i) for i in idx])
    return label, ctx.fixed(label, moved) if label in ctx.symmetric else moved


def matches(ctx: Context, rule: Rule, t: Term, at: dict[int, int]) -> Iterator[dict[int, int]]:
    """Every way to find the lead's factors and relations in the term: a map of its indices, extending `at`."""
    lead, free = rule.lead, rule.free
    places: dict[int, list[tuple[Indices, Number]]] = {}
    for (label, idx), e in t.facs.items():
        places.setdefault(label, []).append((idx, e))
    for label, idx in t.rels:
        places.setdefault(label, []).append((idx, 0))
    wanted: list[tuple[int, Indices, Number]] = [(label, idx, e) for (label, idx), e in lead.facs.items()]
    wanted += [(label, idx, 0) for label, idx in lead.rels]
    if any(label not in places for label, _, _ in wanted):
        return
    if rule.symbols or not (lead.facs or lead.bound):
        have = dict(t.mono)
        if not lead.mono or any(have.get(s, 0) < e for s, e in lead.mono if e > 0):
            return
    wanted.sort(key=lambda w: len(places[w[0]]))
    yield from _search(ctx, wanted, 0, places, at, lead.bound, free, t)


def _search(
    ctx: Context,
    wanted: list[tuple[int, Indices, Number]],
    depth: int,
    places: dict[int, list[tuple[Indices, Number]]],
    at: dict[int, int],
    bound: frozenset[int],
    free: frozenset[int],
    t: Term,
) -> Iterator[dict[int, int]]:
    if depth == len(wanted):
        yield at
        return
    label, pattern, e = wanted[depth]
    for idx, have in places[label]:
        if (e > 0 and have < e) or (e < 0 and have > e):
            continue
        for order in _orders(ctx, label, idx):
            found = _extended(ctx, pattern, order, at, bound, free, t)
            if found is not None:
                ctx.tick()
                yield from _search(ctx, wanted, depth + 1, places, found, bound, free, t)


def _orders(ctx: Context, label: int, idx: Indices) -> Iterator[Indices]:
    yield idx
    if label in ctx.symmetric:
        template = ctx.labels[label].template
        if template is None:
            yield idx[::-1]
        else:
            for swap in template.swaps:
                yield tuple(idx[k] for k in swap)


def _extended(
    ctx: Context, pattern: Indices, idx: Indices, at: dict[int, int], bound: frozenset[int], free: frozenset[int], t: Term
) -> dict[int, int] | None:
    found = at
    for p, i in zip(pattern, idx, strict=True):
        known = found.get(p)
        if known is not None:
            if known != i:
                return None
            continue
        if p in bound:
            if i not in t.bound or ctx.space_of(i) != ctx.space_of(p) or i in found.values():
                return None
        elif p in free:
            if ctx.space_of(i) != ctx.space_of(p) or any(found[b] == i for b in bound if b in found):
                return None
        elif p != i:
            return None
        found = {**found, p: i} if found is at else found | {p: i}
    return found
