"""Relations of a term in index form: what they decide is carried out, what a factor implies is dropped.

Promises: i = j with a bound index substitutes, a bound index of a product or union space takes its coordinates, two different
blocks give 0.
Does not promise: order relations beyond what a single factor implies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from symattn.calculus.notation_facts import Facts
from symattn.calculus.notation_index import Ix, NoMatrixForm, Part, Ref, Rel, Scope, Term, move_term


def resolved(term: Term, scope: Scope, facts: Facts, relied_on: Callable[[str], None]) -> Term | None:
    """The term with its decided relations carried out; None is 0. `relied_on` is told of stages that are 0 where a relation fails."""
    while term.where:
        for rel in term.where:
            step = _step(term, rel, scope)
            if step is not None:
                break
        else:
            break
        if step is ZERO:
            return None
        term = step
    kept: list[Rel] = []
    for rel in term.where:
        stage = _implying(rel, term, facts)
        if stage:
            relied_on(stage)
        else:
            kept.append(rel)
    return term if len(kept) == len(term.where) else replace(term, where=tuple(kept))


ZERO = Term()


def _step(term: Term, rel: Rel, scope: Scope) -> Term | None:
    """The term after `rel` was used; None when it decides nothing."""
    bound = frozenset(term.bound)
    a, b = rel.a, rel.b
    if rel.kind == "same":
        if a == b:
            return _without(term, rel, {})
        if isinstance(a, int) and a in bound:
            return _without(term, rel, {a: b})
        if isinstance(b, int) and b in bound:
            return _without(term, rel, {b: a})
        if isinstance(a, Part) and isinstance(b, Part):
            if a.kind != b.kind:
                raise NoMatrixForm("two kinds of index of one space meet")
            if a.tag != b.tag:
                return ZERO
            return _without(term, rel, {}, tuple(Rel("same", x, y) for x, y in zip(a.vars, b.vars, strict=True)))
    if rel.kind == "pair":
        if isinstance(a, int) and a in bound:
            if any(isinstance(p, Part) for p in rel.rest):
                raise NoMatrixForm("an index has parts within parts")
            return _without(term, rel, {a: Part("joint", scope.space(a), tuple(p for p in rel.rest if isinstance(p, int)))})
        if isinstance(a, Part) and a.kind == "joint":
            return _without(term, rel, {}, tuple(Rel("same", x, y) for x, y in zip(a.vars, rel.rest, strict=True)))
    if rel.kind == "block":
        if isinstance(a, int) and a in bound and isinstance(b, int):
            return _without(term, rel, {a: Part("inject", scope.space(a), (b,), rel.c)})
        if isinstance(a, Part) and a.kind == "inject":
            return ZERO if a.tag != rel.c else _without(term, rel, {}, (Rel("same", a.vars[0], b),))
    return None


def _without(term: Term, rel: Rel, to: Mapping[int, Ix], instead: tuple[Rel, ...] = ()) -> Term:
    where = tuple(dict.fromkeys((*(r for r in term.where if r != rel), *instead)))
    kept = tuple(v for v in term.bound if v not in to)
    return move_term(replace(term, bound=kept, where=where), to)


def _implying(rel: Rel, term: Term, facts: Facts) -> str:
    """A factor that is 0 where the relation fails, "" when there is none."""
    if rel.kind not in ("atmost", "allowed"):
        return ""
    return next((f.stage for f, p in term.factors if p > 0 and isinstance(f, Ref) and facts.supported(f, rel)), "")
