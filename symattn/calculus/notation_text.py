"""A matrix expression as text of the language.

Promises: the text compiles to the tree's meaning wherever its names were defined: a vector is laid along a matrix only where its index set
or its origin leaves one way to do so, and is written as a diagonal or an outer product otherwise.
Does not promise: sums over heads, masks and blocks, which the language does not say (`NoText`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from symattn.calculus.notation_index import Ix, Part, Rel, Scope
from symattn.calculus.notation_symbols import Letters, Symbols
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
from symattn.program.spaces import Space

SUM, PRODUCT, SIGN, POWER, ATOM = range(1, 6)
Token = tuple[str, int] | None  # where an axis comes from: a name and which of its axes, None when that is open


class NoText(Exception):
    """Why an expression has no text. Never leaves this package."""


@dataclass(frozen=True)
class Named:
    """What a name stands for: `stage` at the indices `at`, in which -1, -2, … are the name's own axes, over `spaces`, in order; other
    variables are labels at one fixed value."""

    stage: str
    at: tuple[Ix, ...]
    spaces: tuple[Space, ...]


@dataclass(frozen=True)
class Piece:
    """Text, how tightly it binds, and where its axes come from. `below` is what the piece is one over, "" for other pieces."""

    text: str
    level: int = ATOM
    row: Token = None
    col: Token = None
    below: str = ""

    def within(self, level: int) -> str:
        """The text, in parentheses where it binds less tightly."""
        return self.text if self.level >= level else f"({self.text})"


@dataclass
class TextWriter:
    """Writes trees of one formula; `names` collects what each name stands for, its labels at one fixed value."""

    symbols: Symbols
    letters: Letters
    scope: Scope
    names: dict[str, Named] = field(default_factory=dict)

    def text(self, x: Tree) -> str:
        """The text. Raises NoText."""
        return self.piece(x).text

    def piece(self, x: Tree) -> Piece:
        """The text of a node."""
        match x:
            case Atom():
                return self._atom(x)
            case Mask():
                raise NoText("the language has no masks outside of attention")
            case Over():
                raise NoText("the language has no sums over heads")
            case Ones(rows, cols):
                sizes = ", ".join(self.size(s) for s in (rows, cols) if s is not None)
                return Piece(f"ones({sizes})")
            case Identity(rows):
                return Piece(f"eye({self.size(rows)})")
            case Transpose(inner):
                p = self.piece(inner)
                return Piece(p.within(ATOM) + ".T", ATOM, p.col, p.row)
            case Product(items):
                return self._product(items)
            case Hadamard(items):
                return self._hadamard(list(items))
            case Add(items):
                return self._add(items)
            case Scale(coef, inner):
                return self._scale(coef, inner)
            case Diag(inner):
                return Piece(f"diag({self.text(inner)})")
            case Outer(u, v):
                return Piece(f"outer({self.text(u)}, {self.text(v)})")
            case Dot(None, v):
                return Piece(f"sum({self.text(v)})")
            case Dot(u, v):
                assert u is not None
                return Piece(f"dot({self.text(u)}, {self.text(v)})")
            case Trace(inner):
                return self._trace(inner)
            case Entrywise(op, inner):
                p = self.piece(inner)
                return Piece(f"{op}({p.text})", ATOM, p.row, p.col)
            case Softmax(inner):
                p = self.piece(inner)
                return Piece(f"softmax({p.text})", ATOM, p.row, p.col)
            case Raised(inner, power):
                p = self.piece(inner)
                if power == Fraction(1, 2):
                    return Piece(f"sqrt({p.text})", ATOM, p.row, p.col)
                if power == -1:
                    return Piece(f"1 / {p.within(SIGN)}", PRODUCT, p.row, p.col, p.within(SIGN))
                if power == Fraction(-1, 2):
                    return Piece(f"1 / sqrt({p.text})", PRODUCT, p.row, p.col, f"sqrt({p.text})")
                shown = str(power) if power.denominator == 1 and power > 0 else f"({power})"
                return Piece(f"{p.within(ATOM)}**{shown}", POWER, p.row, p.col)

    def size(self, space: Space | None) -> str:
        """A number of entries."""
        assert space is not None
        return space.size_text()

    def _atom(self, x: Atom) -> Piece:
        if any(isinstance(ix, Part) and ix.kind == "at" for ix in x.at):
            return self._row_or_entry(x)
        marks = [plain(part) for part in self.letters.labels(x.at)]
        name = "_".join((self.symbols.text(x.stage, labelled=bool(marks)), *marks))
        named = Named(x.stage, x.at, tuple(s for s in (x.rows, x.cols) if s is not None))
        if self.names.setdefault(name, named) != named:
            raise NoText(f'the name "{name}" would stand for two things')
        return Piece(name, ATOM, (name, 0), (name, 1))

    def _row_or_entry(self, x: Atom) -> Piece:
        """Part of a stage at fixed positions: A[0], A[:,1], A[1,0]."""
        if any(isinstance(ix, Part) and ix.kind != "at" for ix in x.at) or any(isinstance(ix, int) and ix >= 0 for ix in x.at):
            raise NoText("a fixed position beside a head")
        name = self.symbols.text(x.stage)
        rows = iter((x.rows, x.cols))
        spaces = tuple(ix.space if isinstance(ix, Part) else next(rows) for ix in x.at)
        named = Named(x.stage, tuple(range(-1, -1 - len(x.at), -1)), tuple(s for s in spaces if s is not None))
        if self.names.setdefault(name, named) != named:
            raise NoText(f'the name "{name}" would stand for two things')
        return Piece(f"{name}[{','.join(str(ix.tag) if isinstance(ix, Part) else ':' for ix in x.at)}]")

    # -- products -----------------------------------------------------------------------------------------------------
    def _product(self, items: tuple[Tree, ...]) -> Piece:
        if len(items) == 2 and isinstance(items[1], Ones) and items[1].cols is None:
            return self._row_sums(items[0])
        if isinstance(items[-1], Ones) and items[-1].cols is None:
            return self._row_sums(Product(items[:-1]))
        first, last = items[0], items[-1]
        if isinstance(first, Diag) and last.cols is None:
            return self._hadamard([items[1] if len(items) == 2 else Product(items[1:]), first.x])
        if isinstance(first, Diag):
            rest = self.piece(items[1] if len(items) == 2 else Product(items[1:]))
            vector = self._laid(first.x, rest, "row", first.rows, last.cols)
            if vector is not None:
                return self._times(vector, rest)
        if isinstance(last, Diag):
            rest = self.piece(items[0] if len(items) == 2 else Product(items[:-1]))
            vector = self._laid(last.x, rest, "col", last.rows, first.rows)
            if vector is not None:
                return self._times(vector, rest)
        pieces = [self.piece(i) for i in items]
        return Piece(" @ ".join(p.within(SIGN) for p in pieces), PRODUCT, pieces[0].row)

    def _times(self, vector: Piece, matrix: Piece) -> Piece:
        if vector.below:
            return Piece(f"{matrix.within(PRODUCT)} / {vector.below}", PRODUCT, matrix.row, matrix.col)
        return Piece(f"{matrix.within(PRODUCT)} * {vector.within(SIGN)}", PRODUCT, matrix.row, matrix.col)

    def _laid(self, vector: Tree, matrix: Piece, side: str, own: Space | None, other: Space | None) -> Piece | None:
        """The text of a vector that the language lays along the matrix's rows or columns; None when it might take the other way."""
        wanted = matrix.row if side == "row" else matrix.col
        if own == other:
            found = self._vector(vector, wanted)
            return found if wanted is not None and found.row == wanted else None
        return self._vector(vector, wanted)

    def _vector(self, x: Tree, wanted: Token) -> Piece:
        """A vector, its axis from `wanted` where the order of factors can bring that about."""
        match x:
            case Product(items) if isinstance(items[-1], Ones):
                return self._row_sums(items[0] if len(items) == 2 else Product(items[:-1]), wanted)
            case Scale(coef, inner) if inner is not None:
                return self._scaled(coef, self._vector(inner, wanted))
            case Hadamard(items):
                return self._hadamard(list(items), wanted)
            case _:
                return self.piece(x)

    def _row_sums(self, x: Tree, wanted: Token = None) -> Piece:
        if isinstance(x, Transpose):
            p = self.piece(x.x)
            return Piece(f"sum({p.text}, axis=0)", ATOM, p.col)
        p = self._hadamard(list(x.items), wanted) if isinstance(x, Hadamard) else self.piece(x)
        return Piece(f"sum({p.text}, axis=1)", ATOM, p.row)

    def _hadamard(self, items: list[Tree], wanted: Token = None) -> Piece:
        mask = next((i for i in items if isinstance(i, Mask)), None)
        if mask is not None and mask.rows == mask.cols and mask.where == (Rel("atmost", COL, ROW, 0),) and len(items) > 1:
            inner = self._hadamard([i for i in items if i is not mask])
            return Piece(f"causal_part({inner.text})")
        pieces = [self.piece(i) for i in items]
        first = next((k for k, p in enumerate(pieces) if wanted is not None and p.row == wanted), 0)
        pieces.insert(0, pieces.pop(first))
        if len(pieces) == 1:
            return pieces[0]
        if all(p.text == pieces[0].text for p in pieces):
            return Piece(f"{pieces[0].within(ATOM)}**{len(pieces)}", POWER, pieces[0].row, pieces[0].col)
        text = pieces[0].within(SIGN)
        for p in pieces[1:]:
            text += f" / {p.below}" if p.below else f" * {p.within(SIGN)}"
        return Piece(text, PRODUCT, pieces[0].row, pieces[0].col)

    def _trace(self, x: Tree) -> Piece:
        if isinstance(x, Product):
            left = x.items[0] if len(x.items) == 2 else Product(x.items[:-1])
            right = x.items[-1]
            pair = self._hadamard([left.x, right] if isinstance(left, Transpose) else [left, Transpose(right)])
            return Piece(f"sum(sum({pair.text}))")
        p = self.piece(x)
        return Piece(f"sum(sum({p.within(SIGN)} * eye({self.size(x.rows)})))")

    # -- sums and coefficients ----------------------------------------------------------------------------------------
    def _add(self, items: tuple[tuple[int, Tree], ...]) -> Piece:
        whole = next((i for _, i in items if not _is_spread(i)), None)
        frame = self.piece(whole) if whole is not None else None
        text = ""
        for k, (sign, item) in enumerate(items):
            p = self._term(item, frame) if frame is not None and item is not whole else self.piece(item)
            body = p.within(PRODUCT if sign < 0 or k else SUM)
            text += body if not k and sign > 0 else f"-{p.within(SIGN)}" if not k else f" {'+' if sign > 0 else '-'} {body}"
        first = frame if frame is not None and whole is items[0][1] else None
        return Piece(text, SUM, first.row if first else None, first.col if first else None)

    def _term(self, item: Tree, frame: Piece) -> Piece:
        """A term beside a matrix: what is constant along rows or columns stands as its vector where that is clear."""
        coef, body = (item.coef, item.x) if isinstance(item, Scale) else (Coef(), item)
        found: Piece | None = None
        match body:
            case Outer(Ones(), Ones()) | Ones():
                found = Piece("1")
            case Outer(u, Ones(cols)):
                found = self._laid(u, frame, "row", u.rows, cols)
            case Outer(Ones(rows), v):
                found = self._laid(v, frame, "col", v.rows, rows)
            case _:
                pass
        if found is None:
            return self.piece(item)
        return self._scaled(coef, found)

    def _scale(self, coef: Coef, inner: Tree | None) -> Piece:
        return self._scaled(coef, None if inner is None else self.piece(inner))

    def _scaled(self, coef: Coef, inner: Piece | None) -> Piece:
        if coef == Coef() and inner is not None:
            return inner
        above = [self._power(b, p) for b, p in coef.powers if p > 0]
        below = [self._power(b, -p) for b, p in coef.powers if p < 0]
        size = abs(coef.number)
        if size.numerator != 1:
            above.insert(0, str(size.numerator))
        if size.denominator != 1:
            below.insert(0, str(size.denominator))
        body = [] if inner is None or (inner.text == "1" and above) else [inner.within(PRODUCT if not above else SIGN)]
        text = " * ".join((*above, *body)) or "1"
        if below:
            text += " / " + (below[0] if len(below) == 1 else "(" + " * ".join(below) + ")")
        level = PRODUCT if above or below else inner.level if inner is not None else ATOM
        if coef.number < 0:
            text, level = "-" + (text if level >= PRODUCT else f"({text})"), PRODUCT
        return Piece(text, level, inner.row if inner else None, inner.col if inner else None)

    def _power(self, base: str | Fraction | Tree, power: Fraction) -> str:
        level = PRODUCT if isinstance(base, Fraction) and base.denominator > 1 else ATOM
        inner = Piece(str(base), level) if isinstance(base, str | Fraction) else self.piece(base)
        if power == 1:
            return inner.within(SIGN)
        if power == Fraction(1, 2):
            return f"sqrt({inner.text})"
        shown = str(power) if power.denominator == 1 else f"({power})"
        return f"{inner.within(ATOM)}**{shown}"


def _is_spread(x: Tree) -> bool:
    """Is this constant along rows or columns, or a number everywhere?"""
    body = x.x if isinstance(x, Scale) else x
    return (isinstance(body, Outer) and (isinstance(body.u, Ones) or isinstance(body.v, Ones))) or isinstance(body, Ones)


def plain(part: m.Math) -> str:
    """A subscript as text of a name."""
    match part:
        case m.Name(text) | m.Number(text):
            return text
        case m.Row(items):
            return "".join(plain(i) for i in items)
        case _:
            raise NoText("a subscript that is no word")
