"""What is proved about signs: which factors, terms and sums are positive, whatever the inputs are.

Promises: "positive" is proved for all sizes and all real values of what is opaque. Does not promise: to find it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from symattn.proof.canon import is_real
from symattn.proof.indices import substituted
from symattn.proof.terms import IMAGINARY, Context, Number, Term, Where


def positive_factor(ctx: Context, label: int) -> bool:
    """Is a factor of this label above 0? An exponential of a real number, or a base that is a positive sum."""
    found = ctx.labels[label]
    if found.template is None:
        return False
    if found.kind == "exp":
        return found.template.real
    return found.kind == "pow" and found.template.positive


def sign(ctx: Context, t: Term) -> int:
    """2: above 0; 1: at least 0; 0: not known."""
    if t.coef < 0 or any(s == IMAGINARY for s, _ in t.mono):
        return 0
    found = 2
    for (label, _), e in t.facs.items():
        if positive_factor(ctx, label):
            continue
        if e > 0 and ctx.labels[label].kind in ("position", "abs"):
            found = 1
        elif _even(e) and is_real(ctx, Term(1, facs={(label, ()): 1})):
            found = 1 if e > 0 else found
        else:
            return 0
    if found == 2 and t.rels and not always_visits(ctx, t):
        found = 1
    return found


def _even(e: Number) -> bool:
    return isinstance(e, int) and e % 2 == 0


def is_positive(ctx: Context, terms: Iterable[Term]) -> bool:
    """Is the sum above 0? No term may be negative, one must be positive."""
    signs = [sign(ctx, t) for t in terms]
    return bool(signs) and min(signs) > 0 and max(signs) == 2


def is_nonnegative(ctx: Context, terms: Iterable[Term]) -> bool:
    """Is the sum at least 0?"""
    return all(sign(ctx, t) > 0 for t in terms)


def always_visits(ctx: Context, t: Term) -> bool:
    """Does the sum visit something whatever the outer indices are? Tried: each bound index equal to an outer one, or the first position."""
    if not t.rels:
        return True
    bound = sorted({i for _, idx in t.rels for i in idx if i in t.bound})
    outer = sorted({i for _, idx in t.rels for i in idx if i not in t.bound})
    choices: list[list[Where]] = [[i for i in outer if ctx.space_of(i) == ctx.space_of(b)] + [("at", 0)] for b in bound]
    for places in product(*choices):
        at: dict[int, Where] = dict(zip(bound, places, strict=True))
        if all(_holds(ctx, label, tuple([at.get(i, i) for i in idx])) for label, idx in t.rels):
            return True
    return False


def _holds(ctx: Context, label: int, idx: tuple[Where, ...]) -> bool:
    if ctx.labels[label].kind == "mask":
        return False
    found = substituted(ctx, label, idx)
    return len(found) == 1 and found[0].is_number() and found[0].coef == 1
