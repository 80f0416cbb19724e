"""A matrix expression as a formula in matrix notation.

Promises: brackets wherever entry-by-entry and matrix products meet, and around sums; one superscript on a symbol at most.
Does not promise: to fit a line.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

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
from symattn.program.spaces import Axis

if TYPE_CHECKING:
    from symattn.calculus.notation_entries import EntryMath

TOP = m.Sign("⊤")
VECTOR_OF_ONES = m.Name("𝟏")
MASKS = ("M", "C", "N")
SUM, HADAMARD, PRODUCT, ATOM = range(1, 5)


class MatrixMath:
    """Reads trees of one formula."""

    def __init__(self, symbols: Symbols, letters: Letters) -> None:
        self.symbols = symbols
        self.letters = letters
        self._masks: dict[Mask, m.Math] = {}

    def definitions(self, entries: EntryMath) -> tuple[m.Math, ...]:
        """What the masks of the formulas so far are: M_ij = [j ≤ i]."""
        found = []
        for mask, symbol in self._masks.items():
            at = {ROW: entries.scope.new(Axis("token" if mask.cols is not None else "key", mask.rows))}
            if mask.cols is not None:
                at[COL] = entries.scope.new(Axis("key", mask.cols))
            left = m.Script(symbol, joined([self.letters.var(v) for v in at.values()]))
            conditions = [entries.relation(r, at) for r in mask.where]
            found.append(m.Row((left, m.Sign("="), *conditions)))
        return tuple(found)

    def _mask(self, mask: Mask) -> m.Math:
        if mask not in self._masks:
            taken = self.symbols.letters_taken()
            letter = next((x for x in MASKS if x not in taken), MASKS[0])
            self._masks[mask] = m.Name(letter + "'" * len(self._masks))
        return self._masks[mask]

    def math(self, x: Tree) -> m.Math:
        """The formula."""
        return self._go(x)[0]

    def _within(self, x: Tree, level: int) -> m.Math:
        body, own = self._go(x)
        # Entry-by-entry and matrix products never stand in one another without brackets.
        clear = own >= level and not (level == HADAMARD and own == PRODUCT)
        return body if clear else m.Fence(body)

    def _go(self, x: Tree) -> tuple[m.Math, int]:
        match x:
            case Atom(stage, at):
                return self.symbols.stage(stage).math(self.letters.labels(at)), ATOM
            case Mask():
                return self._mask(x), ATOM
            case Ones(_, None):
                return VECTOR_OF_ONES, ATOM
            case Ones():
                return m.Row((VECTOR_OF_ONES, m.Script(VECTOR_OF_ONES, m.EMPTY, TOP))), PRODUCT
            case Identity():
                return m.Name("I"), ATOM
            case Transpose(inner):
                return self._raised(inner, TOP), ATOM
            case Product(items):
                return side_by_side([self._within(i, PRODUCT) for i in items]), PRODUCT
            case Outer(u, v):
                return side_by_side([self._within(u, PRODUCT), self._raised(v, TOP)]), PRODUCT
            case Dot(u, v):
                left = self._raised(u, TOP) if u is not None else m.Script(VECTOR_OF_ONES, m.EMPTY, TOP)
                return side_by_side([left, self._within(v, PRODUCT)]), PRODUCT
            case Hadamard(items):
                return joined_by("⊙", [self._within(i, HADAMARD) for i in items]), HADAMARD
            case Add(items):
                return self._add(items), SUM
            case Scale(coef, inner):
                return self._scale(coef, inner)
            case Diag(Raised(inner, power)):
                return m.Script(m.Row((m.Name("diag", upright=True), m.Fence(self.math(inner)))), m.EMPTY, number(power)), ATOM
            case Diag(inner):
                return m.Row((m.Name("diag", upright=True), m.Fence(self.math(inner)))), ATOM
            case Trace(inner):
                return m.Row((m.Name("tr", upright=True), m.Fence(self.math(inner)))), ATOM
            case Entrywise("exp", inner) if inner.rows is None:
                return m.Script(m.Name("e"), m.EMPTY, self.math(inner)), ATOM
            case Softmax(inner):
                return m.Row((m.Name("softmax", upright=True), m.Fence(self.math(inner)))), ATOM
            case Entrywise("abs", inner):
                return m.Fence(self.math(inner), "||"), ATOM
            case Entrywise(op, inner):
                return m.Row((m.Name(op, upright=True), m.Fence(self.math(inner)))), ATOM
            case Raised(inner, power):
                mark: m.Math = number(power) if inner.rows is None else m.Row((m.Sign("⊙"), number(power)))
                if power == Fraction(1, 2):
                    return m.Root(self.math(inner)), ATOM
                return self._raised(inner, mark), ATOM
            case Over(labels, inner):
                body = self._within(inner, HADAMARD)
                if isinstance(inner, Hadamard | Product | Scale):
                    body = self.math(inner)
                return m.Big("sum", m.Row(tuple(self.letters.var(v) for v in labels)), m.EMPTY, body), SUM

    def _raised(self, x: Tree, mark: m.Math) -> m.Math:
        """`x` with a superscript."""
        if isinstance(x, Atom):
            return self.symbols.stage(x.stage).math(self.letters.labels(x.at), mark)
        return m.Script(self._within(x, ATOM), m.EMPTY, mark)

    def _add(self, items: tuple[tuple[int, Tree], ...]) -> m.Math:
        parts: list[m.Math] = []
        for k, (sign, item) in enumerate(items):
            body, level = self._go(item)
            if level == SUM and len(items) > 1 and (sign < 0 or (isinstance(item, Over) and k < len(items) - 1)):
                body = m.Fence(body)
            if sign < 0:
                parts.append(m.Sign("-"))
            elif k:
                parts.append(m.Sign("+"))
            parts.append(body)
        return m.Row(tuple(parts))

    def _scale(self, coef: Coef, inner: Tree | None) -> tuple[m.Math, int]:
        above = self._powers([(b, p) for b, p in coef.powers if p > 0], closed=inner is not None)
        below = self._powers([(b, -p) for b, p in coef.powers if p < 0])
        size = abs(coef.number)
        if size.numerator != 1:
            above.insert(0, m.Number(str(size.numerator)))
        if size.denominator != 1:
            below.insert(0, m.Number(str(size.denominator)))
        front: list[m.Math] = [m.Sign("-")] if coef.number < 0 else []
        if below:
            front.append(m.Fraction(_spaced(above) if above else m.Number("1"), _spaced(below)))
        else:
            front.extend(_spaced(above).items if above else ())
        if inner is None:
            if not above and not below:
                front.append(m.Number("1"))
            return (front[0] if len(front) == 1 else m.Row(tuple(front))), (SUM if coef.number < 0 else PRODUCT)
        level = self._go(inner)[1]
        body = m.Fence(self.math(inner)) if isinstance(inner, Add) else self.math(inner)
        items = body.items if isinstance(body, m.Row) else (body,)
        if above and not below and front:
            front.append(m.Sign(" "))
        return m.Row((*front, *items)), SUM if coef.number < 0 else min(level, PRODUCT) if not isinstance(inner, Add) else PRODUCT

    def _powers(self, parts: list[tuple[str | Fraction | Tree, Fraction]], *, closed: bool = False) -> list[m.Math]:
        """Powers side by side, several square roots under one root, numbers first. All but the last are in brackets where they are
        products of matrices; the last one too when it is `closed`, since something follows."""
        roots = [b for b, p in parts if p == Fraction(1, 2) and isinstance(b, str | Fraction)]
        if len(roots) < 2:
            return [self._power(b, p, PRODUCT if k == len(parts) - 1 and not closed else ATOM) for k, (b, p) in enumerate(parts)]
        roots.sort(key=lambda b: isinstance(b, str))
        inner = _spaced([self._power(b, Fraction(1)) for b in roots])
        return [*(self._power(b, p) for b, p in parts if p != Fraction(1, 2) or b not in roots), m.Root(inner)]

    def _power(self, base: str | Fraction | Tree, power: Fraction, level: int = ATOM) -> m.Math:
        if isinstance(base, str):
            body = self.symbols.size(base)
        elif isinstance(base, Fraction):
            body = number(base)
        elif power == 1:
            return self._within(base, level)
        else:
            body = self._within(base, ATOM) if power != Fraction(1, 2) else self.math(base)
        if power == 1:
            return body
        if power == Fraction(1, 2):
            return m.Root(body)
        if isinstance(body, m.Script) and body.sup == m.EMPTY:
            return m.Script(body.base, body.sub, number(power))
        return m.Script(body if not isinstance(body, m.Row) else m.Fence(body), m.EMPTY, number(power))


def number(value: Fraction) -> m.Math:
    """A rational number in a formula."""
    if value.denominator == 1:
        return m.Number(str(value.numerator))
    sign = (m.Sign("-"),) if value < 0 else ()
    return m.Row((*sign, m.Number(str(abs(value.numerator))), m.Sign("/"), m.Number(str(value.denominator))))


def _spaced(parts: list[m.Math]) -> m.Row:
    items: list[m.Math] = []
    for part in parts:
        if items:
            items.append(m.Sign(" ") if not isinstance(items[-1], m.Number) or isinstance(part, m.Number) else m.EMPTY)
        items.append(part)
    return m.Row(tuple(i for i in items if i != m.EMPTY))


def side_by_side(parts: list[m.Math]) -> m.Math:
    """A product: neighbours apart where one of them begins with a d of its own or is a word."""
    items: list[m.Math] = []
    for k, part in enumerate(parts):
        if k and (_stands_apart(part) or _stands_apart(parts[k - 1])):
            items.append(m.Sign(" "))
        items.append(part)
    return m.Row(tuple(items))


def _stands_apart(part: m.Math) -> bool:
    base = part.base if isinstance(part, m.Script) else part
    word = isinstance(base, m.Name) and len(base.text.rstrip("'")) > 1
    return word or (isinstance(part, m.Row) and bool(part.items) and part.items[0] == m.Name("d"))


def joined_by(sign: str, parts: list[m.Math]) -> m.Math:
    """Parts with a sign between each two."""
    items: list[m.Math] = []
    for part in parts:
        items.extend((m.Sign(sign), part) if items else (part,))
    return m.Row(tuple(items))
