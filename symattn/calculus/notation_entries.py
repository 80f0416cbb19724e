"""Formulas in index notation: from a matrix expression, entry by entry, or from a sum in index form that has no matrix expression.

Promises: sums over what is summed, with the letters of program/formulas.py; a relation stands in square brackets, 1 where it holds and
0 elsewhere. Does not promise: bounds of sums; an index runs over its axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symattn.calculus.notation_index import Factor, Ix, Part, Ref, Rel, Scope, Sum, Term, factor_vars, rel_vars
from symattn.calculus.notation_math import number
from symattn.calculus.notation_symbols import Letters, Symbols, joined
from symattn.calculus.notation_tree import (
    COL,
    ROW,
    Add,
    Atom,
    Coef,
    Diag,
    Dot,
    Entrywise,
    Hadamard,
    Identity,
    Mask,
    Ones,
    Outer,
    Over,
    Product,
    Raised,
    Scale,
    Softmax,
    Trace,
    Transpose,
    Tree,
)
from symattn.page import math as m
from symattn.program.spaces import Axis, Space

SUM, BIG, TERM, ATOM = range(1, 5)  # a big operator takes in a product, not a sum
Bound = tuple[m.Math, int]
ONE: Bound = (m.Number("1"), ATOM)


class EntryMath:
    """Reads the entries of one formula."""

    def __init__(self, symbols: Symbols, letters: Letters, scope: Scope) -> None:
        self.symbols = symbols
        self.letters = letters
        self.scope = scope

    def entry(self, stage: str, at: Sequence[Ix]) -> m.Math:
        """An entry of a stage: its labels, then its other indices."""
        return self._entry(Ref(stage, tuple(at)), {})

    def tree(self, x: Tree, free: tuple[int, ...]) -> m.Math:
        """The entry of a matrix expression at the free variables."""
        return self._tree(x, dict(zip((ROW, COL), free, strict=False)))[0]

    # -- matrix expressions -------------------------------------------------------------------------------------------
    def _tree(self, x: Tree, at: Mapping[int, int]) -> Bound:
        match x:
            case Atom(stage, indices):
                return self._entry(Ref(stage, indices), at), ATOM
            case Mask(where):
                return self._product([(self.relation(r, at), ATOM) for r in where])
            case Ones():
                return ONE
            case Identity():
                return m.Script(m.Name("δ"), joined([self.letters.var(at[ROW]), self.letters.var(at[COL])])), ATOM
            case Transpose(inner):
                return self._tree(inner, {ROW: at[COL], COL: at[ROW]})
            case Product(items):
                return self._chain(items, at)
            case Hadamard(items):
                return self._product([self._tree(i, at) for i in items])
            case Add(items):
                return self._signed([(s, self._tree(i, at)) for s, i in items])
            case Scale(coef, inner):
                body = None if inner is None else self._tree(inner, at)
                return self._coefficient(coef, body, at)
            case Diag(inner):
                delta = self._tree(Identity(_space(inner.rows)), at)
                return self._product([self._tree(inner, at), delta])
            case Outer(u, v):
                return self._product([self._tree(u, {ROW: at[ROW]}), self._tree(v, {ROW: at[COL]})])
            case Dot(u, v):
                k = self._new(v.rows)
                return self._summed([k], self._product([self._tree(i, {ROW: k}) for i in (u, v) if i is not None]))
            case Trace(inner):
                k = self._new(inner.rows)
                return self._summed([k], self._tree(inner, {ROW: k, COL: k}))
            case Entrywise(op, inner):
                return self._function(op, [self._tree(inner, at)])
            case Softmax(inner):
                k = self._new(inner.cols or inner.rows)
                above = self._function("exp", [self._tree(inner, at)])
                below = self._function("exp", [self._tree(inner, {**at, (COL if inner.cols is not None else ROW): k})])
                return m.Fraction(above[0], self._summed([k], below)[0]), ATOM
            case Raised(inner, power):
                return self._raised(self._tree(inner, at), power)
            case Over(labels, inner):
                for label in labels:
                    self.letters.var(label)
                return self._summed(list(labels), self._tree(inner, at))

    def _chain(self, items: tuple[Tree, ...], at: Mapping[int, int]) -> Bound:
        here = at[ROW]
        matrices = [k for k, i in enumerate(items) if not isinstance(i, Diag) and i.cols is not None]
        summed: list[int] = []
        parts: list[Bound] = []
        for k, item in enumerate(items):
            if isinstance(item, Diag) or item.cols is None:
                parts.append(self._tree(item.x if isinstance(item, Diag) else item, {ROW: here}))
                continue
            last = k == matrices[-1] and COL in at
            there = at[COL] if last else self._new(item.cols)
            if not last:
                summed.append(there)
            parts.append(self._tree(item, {ROW: here, COL: there}))
            here = there
        return self._summed(summed, self._product(parts))

    def _new(self, space: Space | None) -> int:
        """A summed variable; it takes its letter before anything inside the sum does."""
        found = _space(space)
        var = self.scope.new(Axis(found.name, found))
        self.letters.var(var)
        return var

    # -- index form ---------------------------------------------------------------------------------------------------
    def sum(self, terms: Sum) -> m.Math:
        """A sum in index form, with what all its terms share in front."""
        return self._sum(terms)[0]

    def _sum(self, terms: Sum) -> Bound:
        if not terms:
            return m.Number("0"), ATOM
        if len(terms) > 1:
            front, rest = shared(terms)
            if front.factors or front.sizes or front.coef != 1:
                inner, level = self._sum(rest)
                return self._term(front, (m.Fence(inner), ATOM) if level == SUM else (inner, level))
        signed = [(1 if t.coef > 0 else -1, self._term(t if t.coef > 0 else _negated(t), None)) for t in terms]
        signed.sort(key=lambda part: -part[0])
        return self._signed(signed) if len(signed) > 1 or signed[0][0] < 0 else signed[0][1]

    def _term(self, term: Term, more: Bound | None) -> Bound:
        for v in term.bound:
            self.letters.var(v)
        parts = [self._factor(f, p) for f, p in term.factors if p > 0]
        below = [self._factor(f, -p) for f, p in term.factors if p < 0]
        inside = [self.relation(r, {}) for r in term.where if any(v in term.bound for v in rel_vars(r))]
        outside = [(self.relation(r, {}), ATOM) for r in term.where if not any(v in term.bound for v in rel_vars(r))]
        body = self._product([*outside, *parts, *((more,) if more is not None else ())])
        if below:
            body = (m.Fraction(body[0], self._product(below)[0]), ATOM)
        coef = Coef(term.coef, term.sizes)
        body = self._summed(list(term.bound), self._product([*((i, ATOM) for i in inside), body] if inside else [body]))
        return self._coefficient(coef, body if parts or outside or more is not None or below or inside or term.bound else None, {})

    def _factor(self, factor: Factor, power: Fraction) -> Bound:
        if isinstance(factor, Ref):
            body: Bound = (self._entry(factor, {}), ATOM)
        elif factor.op == "sum":
            body = self._sum(factor.args[0])
        else:
            body = self._function(factor.op, [self._sum(a) for a in factor.args])
        return self._raised(body, power)

    def maximum(self, terms: Sum, bound: tuple[int, ...], where: tuple[Rel, ...]) -> m.Math:
        """The largest entry over the bound variables, where the relations hold."""
        over = joined([self.letters.var(v) for v in bound])
        conditions = tuple(x for r in where for x in (m.Sign(","), self.bare(r, {})))
        below = m.Row((over, m.Sign(":"), *conditions[1:])) if conditions else over
        body, level = self._sum(terms)
        return m.Big("max", below, m.EMPTY, m.Fence(body) if level == SUM else body)

    # -- pieces -------------------------------------------------------------------------------------------------------
    def _entry(self, ref: Ref, at: Mapping[int, int]) -> m.Math:
        labels: list[m.Math] = []
        others: list[m.Math] = []
        for ix in ref.at:
            placed = Part(ix.kind, ix.space, tuple(at.get(v, v) for v in ix.vars), ix.tag) if isinstance(ix, Part) else at.get(ix, ix)
            if isinstance(placed, Part) and placed.kind == "joint":
                for v in placed.vars:
                    (labels if self.scope.is_label(v) else others).append(self.letters.var(v))
                continue
            label = not isinstance(placed, Part) and self.scope.is_label(placed)
            (labels if label else others).extend(self.letters.index(placed))
        if not others:
            return self.symbols.stage(ref.stage).math(labels)
        symbol = self.symbols.stage(ref.stage)
        parts = [m.Row(tuple(labels)) if len(labels) > 1 else labels[0]] if labels else []
        if parts or symbol.sub:
            return symbol.math([*parts, joined(others)])
        return symbol.math(others)

    def relation(self, rel: Rel, at: Mapping[int, int]) -> m.Math:
        """A relation in square brackets."""
        return m.Fence(self.bare(rel, at), "[]")

    def bare(self, rel: Rel, at: Mapping[int, int]) -> m.Math:
        """A relation as it is said: j ≤ i."""

        def index(ix: Ix) -> m.Math:
            if isinstance(ix, Part):
                moved = Part(ix.kind, ix.space, tuple(at.get(v, v) for v in ix.vars), ix.tag)
                found = self.letters.index(moved)
                return found[0] if len(found) == 1 else m.Fence(joined(found))
            return self.letters.var(at.get(ix, ix))

        match rel.kind:
            case "allowed":
                return self._entry(Ref(str(rel.c), rel.rest), at)
            case "atmost" if rel.c == 0:
                return m.Row((index(rel.a), m.Sign("≤"), index(rel.b)))
            case "atmost":
                bound = m.Number(str(rel.c)) if isinstance(rel.c, int) else self.symbols.size(rel.c)
                return m.Row((index(rel.a), m.Sign("-"), index(rel.b), m.Sign("≤"), bound))
            case "block":
                return m.Row((index(rel.a), m.Sign("="), m.Name(str(rel.c), upright=True), m.Fence(index(rel.b))))
            case "pair":
                return m.Row((index(rel.a), m.Sign("="), m.Fence(joined([index(i) for i in rel.rest]))))
            case _:
                return m.Row((index(rel.a), m.Sign("="), index(rel.b)))

    def _product(self, parts: list[Bound]) -> Bound:
        kept = [p for p in parts if p != ONE]
        below = [p[0].den for p in kept if isinstance(p[0], m.Fraction) and p[0].num == m.Number("1")]
        above = [p for p in kept if not (isinstance(p[0], m.Fraction) and p[0].num == m.Number("1"))]
        if below and above and all(level >= TERM for _, level in above):
            return m.Fraction(self._product(above)[0], _row(below)), ATOM
        if not kept:
            return ONE
        if len(kept) == 1:
            return kept[0]
        items: list[m.Math] = []
        for k, (body, level) in enumerate(kept):
            # A sum sign at the end needs no bracket: nothing follows that it could take in.
            shown = m.Fence(body) if level == SUM or (level == BIG and k < len(kept) - 1) else body
            items.extend((m.Sign(" "),) if k and not isinstance(shown, m.Fence) else ())
            items.append(shown)
        return m.Row(tuple(items)), BIG if kept[-1][1] == BIG else TERM

    def _signed(self, parts: list[tuple[int, Bound]]) -> Bound:
        items: list[m.Math] = []
        for k, (sign, (body, level)) in enumerate(parts):
            if sign < 0:
                items.append(m.Sign("-"))
            elif k:
                items.append(m.Sign("+"))
            items.append(m.Fence(body) if level == SUM and (k or sign < 0) else body)
        return m.Row(tuple(items)), SUM

    def _summed(self, over: list[int], body: Bound) -> Bound:
        if not over:
            return body
        found = m.Big("sum", joined([self.letters.var(v) for v in over]), m.EMPTY, m.Fence(body[0]) if body[1] == SUM else body[0])
        self.letters.release(over)
        return found, BIG

    def _function(self, op: str, args: list[Bound]) -> Bound:
        if op == "exp" and len(args) == 1:
            return m.Script(m.Name("e"), m.EMPTY, args[0][0]), ATOM
        if op == "abs":
            return m.Fence(args[0][0], "||"), ATOM
        inside: list[m.Math] = []
        for body, _ in args:
            inside.extend((m.Sign(","), body) if inside else (body,))
        name = {"max2": "max"}.get(op, op)
        return m.Row((m.Name(name, upright=True), m.Fence(inside[0] if len(inside) == 1 else m.Row(tuple(inside))))), ATOM

    def _raised(self, body: Bound, power: Fraction) -> Bound:
        if power == 1:
            return body
        if power < 0:
            return m.Fraction(m.Number("1"), self._raised(body, -power)[0]), ATOM
        if power == Fraction(1, 2):
            return m.Root(body[0]), ATOM
        base = body[0]
        if isinstance(base, m.Script) and base.sup == m.EMPTY:
            return m.Script(base.base, base.sub, number(power)), ATOM
        if (
            isinstance(base, m.Row)
            and isinstance(base.items[-1], m.Script)
            and base.items[-1].sup == m.EMPTY
            and base.items[0] == m.Name("d")
        ):
            last = base.items[-1]
            return m.Row((*base.items[:-1], m.Script(last.base, last.sub, number(power)))), ATOM
        return m.Script(base if isinstance(base, m.Name) else m.Fence(base), m.EMPTY, number(power)), ATOM

    def _coefficient(self, coef: Coef, body: Bound | None, at: Mapping[int, int]) -> Bound:
        above: list[m.Math] = []
        below: list[m.Math] = []
        roots: dict[bool, list[m.Math]] = {True: [], False: []}
        for base, power in sorted(coef.powers, key=lambda x: isinstance(x[0], str)):
            if isinstance(base, str | Fraction) and abs(power) == Fraction(1, 2):
                roots[power > 0].append(self.symbols.size(base) if isinstance(base, str) else number(base))
                continue
            if isinstance(base, str):
                part: Bound = (self.symbols.size(base), ATOM)
            else:
                part = (number(base), TERM) if isinstance(base, Fraction) else self._tree(base, at)
            raised = self._raised(part, abs(power))
            side = above if power > 0 else below
            side.append(m.Fence(raised[0]) if raised[1] == SUM else raised[0])
        for side, inside_root in ((above, roots[True]), (below, roots[False])):
            if inside_root:
                side.append(m.Root(_row(inside_root)))
        size = abs(coef.number)
        if size.numerator != 1:
            above.insert(0, m.Number(str(size.numerator)))
        if size.denominator != 1:
            below.insert(0, m.Number(str(size.denominator)))
        front: list[m.Math] = []
        if below:
            front = [m.Fraction(_row(above) if above else m.Number("1"), _row(below))]
        elif above:
            front = [_row(above)]
        if body is not None and body != ONE:
            inner = m.Fence(body[0]) if body[1] == SUM and (front or coef.number < 0) else body[0]
            front = [*front, *(() if isinstance(inner, m.Fence) else (m.Sign(" "),)), inner] if front else [inner]
        if not front:
            front = [m.Number("1")]
        inside = ATOM if body is None else body[1]
        level = SUM if coef.number < 0 else inside if len(front) == 1 or inside == BIG else TERM
        if coef.number < 0:
            front = [m.Sign("-"), *front]
        return (front[0] if len(front) == 1 else m.Row(tuple(front))), level


def _space(space: Space | None) -> Space:
    assert space is not None
    return space


def _row(parts: list[m.Math]) -> m.Math:
    items: list[m.Math] = []
    for part in parts:
        items.extend((m.Sign(" "), part) if items else (part,))
    return items[0] if len(items) == 1 else m.Row(tuple(items))


def _negated(term: Term) -> Term:
    return Term(-term.coef, term.sizes, term.bound, term.factors, term.where)


def shared(terms: Sum) -> tuple[Term, Sum]:
    """What all terms have in front of their sums, and the terms without it."""
    first = terms[0]
    coef = abs(first.coef) if all(abs(t.coef) == abs(first.coef) for t in terms) else Fraction(1)
    sizes = tuple(s for s in first.sizes if all(s in t.sizes for t in terms))
    factors = []
    for factor, _ in first.factors:
        powers = [dict(t.factors).get(factor, Fraction(0)) for t in terms]
        free = not any(v in t.bound for t in terms for v in factor_vars(factor))
        if free and (all(p > 0 for p in powers) or all(p < 0 for p in powers)):
            factors.append((factor, min(powers, key=abs)))
    taken = dict(factors)
    rest = tuple(
        Term(
            t.coef / coef,
            tuple(s for s in t.sizes if s not in sizes),
            t.bound,
            tuple((f, left) for f, p in t.factors if (left := p - taken.get(f, Fraction(0)))),
            t.where,
        )
        for t in terms
    )
    return Term(coef, sizes, (), tuple(factors)), rest
