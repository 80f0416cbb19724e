"""Is a sum of terms zero for all sizes, wherever its denominators do not vanish?

(a) Settle; nothing left is zero. (b) Multiply by reciprocals and roots that stand outside every sum, expand, and settle again.
(c) Where denominators hang on summed indices, free one index of each term: a sum of zeros is zero. (d) Nested expressions whose arguments
are equal become one.

Promises: "zero" is proved. Does not promise: that every zero is seen; "no" proves nothing.
"""

from __future__ import annotations

from itertools import islice, permutations, product

from symattn.proof.canon import instantiated
from symattn.proof.reduce import settled
from symattn.proof.terms import Context, Expr, Factor, Indices, Number, Term, minus, put, rename, whole

ROUNDS = 12
DEPTH = 3
ALIGNMENTS = (64, 16, 4)  # tried at each depth
_LABELS = 12  # nested labels of one kind that are compared with one another


def vanishes(ctx: Context, terms: Expr, depth: int = 0) -> bool:
    """Is the sum proved to be zero? Raises Undecided when the budget is spent."""
    terms = _cleared(ctx, settled(ctx, terms))
    if not terms:
        return True
    merged = _merged(ctx, terms, depth)
    if merged is not None:
        return vanishes(ctx, merged, depth)
    return depth < DEPTH and _aligned(ctx, terms, depth)


# -- (b) --------------------------------------------------------------------------------------------------------------
def _cleared(ctx: Context, terms: Expr) -> Expr:
    for _ in range(ROUNDS):
        shifts = _shifts(terms)
        if not shifts:
            break
        out = []
        for t in terms:
            facs = dict(t.facs)
            for factor, e in shifts.items():
                put(facs, factor, e)
            out.append(Term(t.coef, t.mono, t.bound, facs, t.rels))
        ctx.tick(len(out))
        terms = settled(ctx, out)
    return terms


def _shifts(terms: Expr) -> dict[Factor, Number]:
    """What to multiply by: for each outer factor with a negative exponent the power that makes it none."""
    below = sorted({f for t in terms for f, e in t.facs.items() if e < 0 and t.bound.isdisjoint(f[1])})
    shifts: dict[Factor, Number] = {}
    for factor in below:
        exponents = [t.facs.get(factor, 0) for t in terms]
        least = min(exponents)
        if all((e - least).denominator == 1 for e in exponents):
            shifts[factor] = whole(-least)
        elif least <= -1:
            shifts[factor] = int(-least)
    return shifts


# -- (c) --------------------------------------------------------------------------------------------------------------
def _aligned(ctx: Context, terms: Expr, depth: int) -> bool:
    if not all(t.bound for t in terms) or not any(_role(t, b) for t in terms for b in t.bound):
        return False
    pivot = min(terms, key=lambda t: len(t.bound))
    tried, most = 0, ALIGNMENTS[depth]
    for b in _ranked(pivot):
        space, role = ctx.space_of(b), _role(pivot, b)
        choices = []
        for t in terms:
            fitting = [b] if t is pivot else [x for x in _ranked(t) if ctx.space_of(x) == space]
            alike = [x for x in fitting if _role(t, x) == role]
            choices.append(alike or fitting)
        if not all(choices):
            continue
        for pick in islice(product(*choices), most - tried):
            tried += 1
            ctx.tick(len(terms))
            free = ctx.fresh(space)
            opened = [rename(ctx, Term(t.coef, t.mono, t.bound - {x}, t.facs, t.rels), {x: free}) for t, x in zip(terms, pick, strict=True)]
            if vanishes(ctx, opened, depth + 1):
                return True
        if tried >= most:
            break
    return False


def _role(t: Term, b: int) -> tuple[tuple[int, int], ...]:
    """The denominators in which an index stands, by label and slot."""
    return tuple(sorted((label, k) for (label, idx), e in t.facs.items() if e < 0 for k, i in enumerate(idx) if i == b))


def _ranked(t: Term) -> list[int]:
    """The summed indices, those in denominators first."""
    return sorted(t.bound, key=lambda b: (-len(_role(t, b)), b))


# -- (d) --------------------------------------------------------------------------------------------------------------
def _merged(ctx: Context, terms: Expr, depth: int) -> Expr | None:
    """The terms with two nested labels of equal arguments made one; None when no two are equal."""
    if depth >= DEPTH:
        return None
    labels = sorted({label for t in terms for label, _ in t.facs if label in ctx.nested})
    if len(labels) > _LABELS:
        return None
    for k, gone in enumerate(labels):
        for kept in labels[:k]:
            found = _equal(ctx, kept, gone, depth)
            if found is not None:
                order, sign = found
                if sign < 0 and any(lb == gone and e.denominator != 1 for t in terms for (lb, _), e in t.facs.items()):
                    continue
                return [_relabelled(ctx, t, gone, kept, order, sign) for t in terms]
    return None


def _equal(ctx: Context, kept: int, gone: int, depth: int) -> tuple[Indices, int] | None:
    """How the indices of `gone` go into the slots of `kept`, and a sign, when the two are proved to be equal."""
    a, b = ctx.labels[kept], ctx.labels[gone]
    if (a.kind, a.name) != (b.kind, b.name) or a.kind not in ("exp", "pow", "fn", "abs"):
        return None
    assert a.template is not None
    assert b.template is not None
    if len(a.template.slots) != len(b.template.slots):
        return None
    known = ctx.equal.get((kept, gone))
    if known is not None:
        return known[0]
    found = None
    slots = a.template.slots
    for order in permutations(range(len(slots))):
        if any(ctx.space_of(slots[k]) != ctx.space_of(s) for k, s in zip(order, b.template.slots, strict=True)):
            continue
        other = instantiated(ctx, gone, tuple(slots[k] for k in order))
        mine = list(a.template.body)
        if vanishes(ctx, mine + minus(other), depth + 1):
            found = (order, 1)
        elif a.kind in ("pow", "abs") and vanishes(ctx, mine + other, depth + 1):
            found = (order, -1 if a.kind == "pow" else 1)
        if found is not None:
            break
    ctx.equal[kept, gone] = (found,)
    return found


def _relabelled(ctx: Context, t: Term, gone: int, kept: int, order: Indices, sign: int) -> Term:
    facs: dict[Factor, Number] = {}
    coef = t.coef
    for (label, idx), e in t.facs.items():
        if label == gone:
            moved = [0] * len(idx)
            for k, i in zip(order, idx, strict=True):
                moved[k] = i
            label, idx = kept, tuple(moved)
            idx = ctx.fixed(label, idx) if label in ctx.symmetric else idx
            if sign < 0 and e.numerator % 2:
                coef = -coef
        put(facs, (label, idx), e)
    return Term(coef, t.mono, t.bound, facs, t.rels)
