"""Formulas in index notation as text of the language: `entries(sum_over(P[h,i,j] * V[h,j,c], j=key), h=head, i=token, c=channel)`.

Promises: every index is named and runs over its axis, so nothing depends on where a name was defined; relations are conditions.
Does not promise: boolean masks, which the language does not say in indices (`NoText`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from symattn.calculus.notation_entries import shared
from symattn.calculus.notation_index import Factor, Ix, Part, Ref, Rel, Scope, Sum, Term, rel_vars
from symattn.calculus.notation_symbols import Letters, Symbols
from symattn.calculus.notation_text import ATOM, POWER, PRODUCT, SIGN, SUM, Named, NoText, plain
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
from symattn.language.names import is_identifier
from symattn.program.spaces import Axis, Space


@dataclass(frozen=True)
class Said:
    """Text, how tightly it binds, and the conditions that select its entries."""

    text: str
    level: int = ATOM
    conditions: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()  # of a sum: its parts, so that a sum of it is one sum
    below: str = ""  # what it is one over

    def within(self, level: int) -> str:
        """The text, in parentheses where it binds less tightly."""
        return self.text if self.level >= level else f"({self.text})"


ONE = Said("1")


@dataclass
class EntryText:
    """Writes the entries of one formula; `names` collects what each name stands for: a stage, its axes over products taken apart."""

    symbols: Symbols
    letters: Letters
    scope: Scope
    names: dict[str, Named] = field(default_factory=dict)

    def tree(self, x: Tree, free: tuple[int, ...], ends: tuple[int, ...]) -> str:
        """The array of a matrix expression, its axes in the order of `free`; `ends` are its row and column. Raises NoText."""
        self._reserve(free)
        return self._array(self._tree(x, dict(zip((ROW, COL), ends, strict=False))), free)

    def sum(self, terms: Sum, free: tuple[int, ...]) -> str:
        """The array of a sum in index form. Raises NoText."""
        self._reserve(free)
        return self._array(self._sum(terms), free)

    def maximum(self, terms: Sum, bound: tuple[int, ...], where: tuple[Rel, ...], free: tuple[int, ...]) -> str:
        """The array of the largest entries over the bound variables. Raises NoText."""
        self._reserve((*free, *bound))
        conditions = [self._condition(r, {}) for r in where]
        inner = self._closed(self._sum(terms)).text
        return self._array(Said(f"max_over({', '.join((inner, *conditions, *self._ranges(bound)))})"), free)

    def _reserve(self, variables: Iterable[int]) -> None:
        """Give variables their letters before anything inside of them takes one."""
        for v in variables:
            self.index(v)

    def _array(self, x: Said, free: tuple[int, ...]) -> str:
        if not free:
            return self._closed(x).text
        return f"entries({', '.join((x.text, *x.conditions, *self._ranges(free)))})"

    def _ranges(self, variables: Iterable[int]) -> list[str]:
        return [f"{self.index(v)}={axis_name(self.scope.space(v))}" for v in variables]

    def index(self, var: int) -> str:
        """The letter of an index."""
        return plain(self.letters.var(var))

    # -- matrix expressions -------------------------------------------------------------------------------------------
    def _tree(self, x: Tree, at: Mapping[int, int]) -> Said:
        match x:
            case Atom(stage, indices):
                return self._entry(Ref(stage, tuple(_placed(ix, at) for ix in indices)))
            case Mask(where):
                return Said("1", ATOM, tuple(self._condition(r, at) for r in where))
            case Ones():
                return ONE
            case Identity():
                return Said("1", ATOM, (f"if_same({self.index(at[ROW])}, {self.index(at[COL])})",))
            case Transpose(inner):
                return self._tree(inner, {ROW: at[COL], COL: at[ROW]})
            case Product(items):
                return self._chain(items, at)
            case Hadamard(items):
                return self._product([self._tree(i, at) for i in items])
            case Add(items):
                return self._signed([(s, self._tree(i, at)) for s, i in items])
            case Scale(coef, inner):
                return self._scaled(coef, None if inner is None else self._tree(inner, at), at)
            case Diag(inner):
                return self._product([self._tree(inner, {ROW: at[ROW]}), self._tree(Identity(_space(inner.rows)), at)])
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
                return Said(f"{above.text} / {self._summed([k], below).text}", PRODUCT)
            case Raised(inner, power):
                return self._raised(self._tree(inner, at), power)
            case Over(labels, inner):
                self._reserve(labels)
                return self._summed(list(labels), self._tree(inner, at))

    def _chain(self, items: tuple[Tree, ...], at: Mapping[int, int]) -> Said:
        here = at[ROW]
        matrices = [k for k, i in enumerate(items) if not isinstance(i, Diag) and i.cols is not None]
        summed: list[int] = []
        parts: list[Said] = []
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
        found = _space(space)
        var = self.scope.new(Axis(found.name, found))
        self._reserve((var,))
        return var

    # -- index form ---------------------------------------------------------------------------------------------------
    def _sum(self, terms: Sum) -> Said:
        if not terms:
            return Said("0")
        if len(terms) > 1:
            front, rest = shared(terms)
            if front.factors or front.sizes or front.coef != 1:
                return self._term(front, self._closed(self._sum(rest)))
        signed = [(1 if t.coef > 0 else -1, self._term(Term(abs(t.coef), t.sizes, t.bound, t.factors, t.where), None)) for t in terms]
        signed.sort(key=lambda part: -part[0])
        return signed[0][1] if len(signed) == 1 and signed[0][0] > 0 else self._signed(signed)

    def _term(self, term: Term, more: Said | None) -> Said:
        self._reserve(term.bound)
        parts = [self._factor(f, p) for f, p in term.factors]
        inside = [r for r in term.where if any(v in term.bound for v in rel_vars(r))]
        outside = tuple(self._condition(r, {}) for r in term.where if r not in inside)
        body = self._product([*parts, *((more,) if more is not None else ())])
        body = replace(body, conditions=(*body.conditions, *(self._condition(r, {}) for r in inside)))
        body = self._summed(list(term.bound), body)
        body = replace(body, conditions=(*body.conditions, *outside))
        return self._scaled(Coef(term.coef, term.sizes), body, {})

    def _factor(self, factor: Factor, power: Fraction) -> Said:
        if isinstance(factor, Ref):
            return self._raised(self._entry(factor), power)
        inner = [self._closed(self._sum(a)) for a in factor.args]
        return self._raised(inner[0] if factor.op == "sum" else self._function(factor.op, inner), power)

    # -- pieces -------------------------------------------------------------------------------------------------------
    def _entry(self, ref: Ref) -> Said:
        indices: list[str] = []
        pattern: list[Ix] = []
        spaces: list[Space] = []
        marks: list[str] = []
        for ix in ref.at:
            if isinstance(ix, Part) and ix.kind != "joint":
                marks.append(plain(self.letters.fixed(ix.space, ix.tag)))
            own = ix.vars if isinstance(ix, Part) else (ix,)
            slots = tuple(-1 - len(spaces) - k for k in range(len(own)))
            pattern.append(Part(ix.kind, ix.space, slots, ix.tag) if isinstance(ix, Part) else slots[0])
            spaces.extend(self.scope.space(v) for v in own)
            indices.extend(self.index(v) for v in own)
        name = "_".join((self.symbols.text(ref.stage), *marks))
        named = Named(ref.stage, tuple(pattern), tuple(spaces))
        if self.names.setdefault(name, named) != named:
            raise NoText(f'the name "{name}" would stand for two things')
        return Said(f"{name}[{','.join(indices)}]" if indices else name)

    def _condition(self, rel: Rel, at: Mapping[int, int]) -> str:
        a, b = _placed(rel.a, at), _placed(rel.b, at)
        if rel.kind not in ("same", "atmost") or isinstance(a, Part) or isinstance(b, Part) or not isinstance(rel.c, int):
            raise NoText("a condition that the language has not")
        return (
            f"if_same({self.index(a)}, {self.index(b)})" if rel.kind == "same" else f"if_atmost({self.index(a)}, {self.index(b)}, {rel.c})"
        )

    def _closed(self, x: Said) -> Said:
        """The same with its conditions inside, where nothing outside can take them."""
        if not x.conditions:
            return x
        spare = next(i for i in ("z", "y", "x", "z1") if i not in self.names)
        return Said(f"sum_over({', '.join((x.text, *x.conditions))}, {spare}=1)")

    def _product(self, parts: list[Said]) -> Said:
        conditions = tuple(c for p in parts for c in p.conditions)
        kept = [p for p in parts if p.text != "1"]
        if not kept:
            return Said("1", ATOM, conditions)
        if len(kept) == 1:
            return replace(kept[0], conditions=conditions)
        kept.sort(key=lambda p: bool(p.below))
        text = kept[0].within(PRODUCT)
        for p in kept[1:]:
            text += f" / {p.below}" if p.below else f" * {p.within(SIGN)}"
        return Said(text, PRODUCT, conditions)

    def _signed(self, parts: list[tuple[int, Said]]) -> Said:
        text = ""
        for k, (sign, part) in enumerate(parts):
            p = self._closed(part)
            if not k:
                text = p.within(SUM) if sign > 0 else f"-{p.within(PRODUCT)}"
            else:
                text += f" {'+' if sign > 0 else '-'} {p.within(PRODUCT)}"
        return Said(text, SUM)

    def _summed(self, over: list[int], x: Said) -> Said:
        if not over:
            return x
        inside = (*(x.inner or (x.text,)), *x.conditions)
        parts = (*inside[:1], *(p for p in inside[1:] if "=" not in p), *(p for p in inside[1:] if "=" in p), *self._ranges(over))
        self.letters.release(over)
        return Said(f"sum_over({', '.join(parts)})", inner=parts)

    def _function(self, op: str, args: list[Said]) -> Said:
        return Said(f"{'max' if op == 'max2' else op}({', '.join(self._closed(a).text for a in args)})")

    def _raised(self, x: Said, power: Fraction) -> Said:
        x = self._closed(x)
        if power == 1:
            return x
        if power == Fraction(1, 2):
            return Said(f"sqrt({x.text})")
        if power < 0:
            inner = self._raised(x, -power).within(SIGN)
            return Said(f"1 / {inner}", PRODUCT, below=inner)
        return Said(f"{x.within(ATOM)}**{power if power.denominator == 1 else f'({power})'}", POWER)

    def _scaled(self, coef: Coef, x: Said | None, at: Mapping[int, int]) -> Said:
        above = [self._base(b, p, at) for b, p in coef.powers if p > 0]
        below = [self._base(b, -p, at) for b, p in coef.powers if p < 0]
        size = abs(coef.number)
        if size.numerator != 1:
            above.insert(0, str(size.numerator))
        if size.denominator != 1:
            below.insert(0, str(size.denominator))
        conditions = x.conditions if x is not None else ()
        bare = x is None or x.text == "1"
        if not above and not below and coef.number > 0:
            return x if x is not None else ONE
        body = [] if x is None or (bare and above) else [x.within(SIGN if above else PRODUCT)]
        text = " * ".join((*above, *body)) or "1"
        if below:
            text += " / " + (below[0] if len(below) == 1 else "(" + " * ".join(below) + ")")
        return Said(text if coef.number > 0 else f"-{text}", PRODUCT, conditions)

    def _base(self, base: str | Fraction | Tree, power: Fraction, at: Mapping[int, int]) -> str:
        if isinstance(base, str):
            x = Said(base)
        elif isinstance(base, Fraction):
            x = Said(str(base), ATOM if base.denominator == 1 else PRODUCT)
        else:
            x = self._closed(self._tree(base, at))
        return self._raised(x, power).within(SIGN)


def axis_name(space: Space) -> str:
    """What an axis over this space is called in text."""
    if not is_identifier(space.name):
        raise NoText(f'an axis over "{space.name}"')
    return space.name


def _placed(ix: Ix, at: Mapping[int, int]) -> Ix:
    return Part(ix.kind, ix.space, tuple(at.get(v, v) for v in ix.vars), ix.tag) if isinstance(ix, Part) else at.get(ix, ix)


def _space(space: Space | None) -> Space:
    assert space is not None
    return space
