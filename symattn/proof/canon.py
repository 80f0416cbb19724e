"""Canonical keys: two terms that differ only in the names of bound indices have one key, and like terms add up.

A key is found by colour refinement of the bound indices, component by component; where colours tie, each candidate is singled out in
turn and the smallest key wins. Names of indices never enter. A nested expression becomes a template: a function of its outer indices,
interned by its key, so that equal ones are one label.

Promises: equal keys mean equal terms. Does not promise: that equal values have equal keys (zero.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations, product
from typing import Any

from symattn.proof.terms import IMAGINARY, Context, Expr, Factor, Indices, Number, Template, Term, rename, whole

Key = tuple[Any, ...]
Item = tuple[int, Number, Indices]


def collect(ctx: Context, terms: Iterable[Term]) -> Expr:
    """Like terms added up; those that cancel are gone."""
    found: dict[Key, Term] = {}
    for t in terms:
        if not t.coef:
            continue
        if t.key is None:
            t.key = term_key(ctx, t)
        key: Key = t.key  # type: ignore[assignment]
        before = found.get(key)
        if before is None:
            found[key] = t
            continue
        coef = whole(before.coef + t.coef)
        if coef:
            merged = Term(coef, before.mono, before.bound, before.facs, before.rels)
            merged.settled, merged.key = before.settled, key
            found[key] = merged
        else:
            del found[key]
    return list(found.values())


def term_key(ctx: Context, t: Term, named: dict[int, int] | None = None) -> Key:
    """The key of a term, its coefficient apart. `named` gives outer indices their numbers; without it they are themselves."""
    items: list[Item] = [(label, e, idx) for (label, idx), e in t.facs.items()]
    items += [(label, 0, idx) for label, idx in t.rels]
    bound = t.bound
    if not bound:
        return (t.mono, tuple(sorted([_seen(ctx, item, {}, named) for item in items])), ())
    outside = []
    groups = _components(items, bound)
    parts = []
    for inside, vertices in groups:
        if vertices:
            parts.append(_component(ctx, inside, vertices, named))
        else:
            outside = sorted([_seen(ctx, item, {}, named) for item in inside])
    parts.sort()
    return (t.mono, tuple(outside), tuple(parts))


def _seen(ctx: Context, item: Item, colour: dict[int, int], named: dict[int, int] | None) -> tuple[int, Number, Indices]:
    """An item with colours for bound indices and negative numbers for outer ones."""
    label, e, idx = item
    if named is None:
        seen = tuple([colour[i] if i in colour else -1 - i for i in idx])
    else:
        seen = tuple([colour[i] if i in colour else -1 - named[i] for i in idx])
    return label, e, ctx.fixed(label, seen) if label in ctx.symmetric else seen


def _components(items: list[Item], bound: frozenset[int]) -> list[tuple[list[Item], list[int]]]:
    """Items and bound indices that hang together; items without bound indices come with no vertices."""
    root: dict[int, int] = {b: b for b in bound}

    def find(i: int) -> int:
        while root[i] != i:
            i = root[i]
        return i

    loose: list[Item] = []
    first: list[tuple[Item, int]] = []
    for item in items:
        mine = [i for i in item[2] if i in bound]
        if not mine:
            loose.append(item)
            continue
        a = find(mine[0])
        for other in mine[1:]:
            root[find(other)] = a
        first.append((item, mine[0]))
    groups: dict[int, tuple[list[Item], list[int]]] = {}
    for b in sorted(bound):
        groups.setdefault(find(b), ([], []))[1].append(b)
    for item, i in first:
        groups[find(i)][0].append(item)
    found = list(groups.values())
    if loose:
        found.append((loose, []))
    return found


def _component(ctx: Context, items: list[Item], vertices: list[int], named: dict[int, int] | None) -> Key:
    if len(vertices) == 1:
        v = vertices[0]
        return ((ctx.space_of(v),), tuple(sorted([_seen(ctx, item, {v: 0}, named) for item in items])))
    colour = refine(ctx, items, {v: ctx.space_of(v) for v in vertices}, named)
    return _smallest(ctx, items, colour, named)


def _smallest(ctx: Context, items: list[Item], colour: dict[int, int], named: dict[int, int] | None) -> Key:
    tied = _tie(colour)
    if not tied:
        order = sorted(colour, key=colour.__getitem__)
        rank = {v: k for k, v in enumerate(order)}
        return (tuple([ctx.space_of(v) for v in order]), tuple(sorted([_seen(ctx, item, rank, named) for item in items])))
    best: Key | None = None
    for v in tied:
        ctx.tick()
        apart = {u: 2 * c for u, c in colour.items()}
        apart[v] -= 1
        key = _smallest(ctx, items, refine(ctx, items, apart, named), named)
        if best is None or key < best:
            best = key
    assert best is not None
    return best


def _tie(colour: dict[int, int]) -> list[int]:
    """The vertices of the first colour that several have."""
    classes: dict[int, list[int]] = {}
    for v, c in colour.items():
        classes.setdefault(c, []).append(v)
    if len(classes) == len(colour):
        return []
    return min((c, vs) for c, vs in classes.items() if len(vs) > 1)[1]


def refine(ctx: Context, items: list[Item], colour: dict[int, int], named: dict[int, int] | None) -> dict[int, int]:
    """Colours 0, 1, … of the vertices, told apart by the items they stand in, until no round tells more apart."""
    count = len(set(colour.values()))
    while True:
        signs: dict[int, list[Any]] = {v: [] for v in colour}
        for item in items:
            seen = _seen(ctx, item, colour, named)
            loose = item[0] in ctx.symmetric
            for place, i in enumerate(item[2]):
                if i in colour:
                    signs[i].append((seen, -1 if loose else place))
        marks = {v: (colour[v], sorted(s)) for v, s in signs.items()}
        ranks: list[Any] = []
        for mark in sorted(marks.values()):
            if not ranks or ranks[-1] != mark:
                ranks.append(mark)
        colour = {v: _rank(ranks, mark) for v, mark in marks.items()}
        if len(ranks) == count or len(ranks) == len(colour):
            return colour
        count = len(ranks)


def _rank(ranks: list[Any], mark: Any) -> int:
    return ranks.index(mark)


def is_real(ctx: Context, t: Term) -> bool:
    """Is the term a real number by its form? (cos and sin are made of parts that are not.)"""
    if any(s == IMAGINARY for s, _ in t.mono):
        return False
    templates = (ctx.labels[label].template for label, _ in t.facs)
    return all(found is None or found.real for found in templates)


# -- templates --------------------------------------------------------------------------------------------------------
def template(ctx: Context, kind: str, terms: Expr, name: object = None, *, positive: bool = False) -> Factor:
    """The factor that stands for a nested expression: its label and its outer indices in the order of the label's slots. The terms are
    collected and settled. `kind`, `name` and the key of the terms tell labels apart."""
    outer = sorted({i for t in terms for i in t.indices() if i not in t.bound})
    orders = [tuple(outer)] if len(outer) < 2 else list(_orders(ctx, terms, outer))
    keyed = []
    for order in orders:
        ctx.tick()
        named = {i: k for k, i in enumerate(order)}
        parts = sorted([(term_key(ctx, t, named), t.coef) for t in terms])
        keyed.append(((name, tuple([ctx.space_of(i) for i in order]), tuple(parts)), order))
    best_key, best = min(keyed, key=lambda pair: pair[0][1:]) if len(keyed) > 1 else keyed[0]
    label = ctx.known(kind, best_key)
    if label is None:
        slots = tuple([ctx.fresh(ctx.space_of(i)) for i in best])
        to = dict(zip(best, slots, strict=True))
        place = {i: k for k, i in enumerate(best)}
        swaps = tuple(tuple(place[i] for i in order) for key, order in keyed if key == best_key and order != best)
        body = tuple(rename(ctx, t, to) for t in terms)
        for t in body:
            t.settled = True
        real = all(is_real(ctx, t) for t in body)
        label = ctx.remember(kind, best_key, Template(slots, body, swaps, real, positive), name)
    return label, ctx.fixed(label, best) if label in ctx.symmetric else best


def _orders(ctx: Context, terms: Expr, outer: list[int]) -> Iterable[Indices]:
    """The orders of outer indices that refinement cannot tell apart: one, unless there is a symmetry."""
    colour = {i: ctx.space_of(i) for i in outer}
    count = 0
    while True:
        signs: dict[int, list[Any]] = {i: [] for i in outer}
        for t in terms:
            items: list[Item] = [(label, e, idx) for (label, idx), e in t.facs.items()]
            items += [(label, 0, idx) for label, idx in t.rels]
            bound = refine(ctx, items, {b: ctx.space_of(b) for b in t.bound}, colour) if t.bound else {}
            for item in items:
                seen = _seen(ctx, item, bound, colour)
                loose = item[0] in ctx.symmetric
                for place, i in enumerate(item[2]):
                    if i in colour and i not in bound:
                        signs[i].append((seen, -1 if loose else place, t.coef, t.mono))
        marks = {i: (colour[i], sorted(s)) for i, s in signs.items()}
        ranks: list[Any] = []
        for mark in sorted(marks.values()):
            if not ranks or ranks[-1] != mark:
                ranks.append(mark)
        colour = {i: _rank(ranks, mark) for i, mark in marks.items()}
        if len(ranks) in (count, len(outer)):
            break
        count = len(ranks)
    classes = [[i for i in outer if colour[i] == c] for c in range(len(ranks))]
    for choice in product(*(permutations(c) for c in classes)):
        yield tuple(i for part in choice for i in part)


def instantiated(ctx: Context, label: int, idx: Indices) -> Expr:
    """The body of a template at plain, different indices, with new bound ones."""
    found = ctx.labels[label].template
    assert found is not None
    to = dict(zip(found.slots, idx, strict=True))
    out = []
    for t in found.body:
        bound = {b: ctx.fresh(ctx.space_of(b)) for b in sorted(t.bound)}
        moved = rename(ctx, t, {**to, **bound} if bound else to)
        moved.settled = t.settled and not t.rels
        out.append(moved)
    return out
