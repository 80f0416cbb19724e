"""Matrix expressions as a small frozen tree; notation_make.py builds it; notation_math.py,
notation_text.py and notation_lower.py read it.

A node is a matrix (rows and cols are spaces), a column vector (cols is None) or a number (both None). Labels (heads, groups) are
subscripts: variables that only atoms carry and only `Over` binds.

Promises: frozen data. Does not promise: any mathematics; whether a tree is its stage is checked elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from symattn.calculus.notation_index import ONE, Ix, Rel
from symattn.program.spaces import Space

ROW, COL = -1, -2  # what stands in an atom's indices where the node's own row and column go


@dataclass(frozen=True, slots=True)
class Atom:
    """A stage, indexed by ROW, COL and labels. `rows` and `cols` are the spaces of ROW and COL."""

    stage: str
    at: tuple[Ix, ...]
    rows: Space | None = None
    cols: Space | None = None


@dataclass(frozen=True, slots=True)
class Mask:
    """1 where all relations between ROW and COL (and labels) hold, else 0; a vector, between ROW and labels, when cols is None."""

    where: tuple[Rel, ...]
    rows: Space
    cols: Space | None = None


@dataclass(frozen=True, slots=True)
class Ones:
    """A vector of ones (cols None) or a matrix of ones."""

    rows: Space | None
    cols: Space | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity matrix."""

    rows: Space

    @property
    def cols(self) -> Space:
        return self.rows


@dataclass(frozen=True, slots=True)
class Transpose:
    """x transposed; x is a matrix."""

    x: Tree

    @property
    def rows(self) -> Space | None:
        return self.x.cols

    @property
    def cols(self) -> Space | None:
        return self.x.rows


@dataclass(frozen=True, slots=True)
class Product:
    """A matrix product of two or more; the last may be a vector."""

    items: tuple[Tree, ...]

    @property
    def rows(self) -> Space | None:
        return self.items[0].rows

    @property
    def cols(self) -> Space | None:
        return self.items[-1].cols


@dataclass(frozen=True, slots=True)
class Hadamard:
    """Entry by entry, two or more of one shape."""

    items: tuple[Tree, ...]

    @property
    def rows(self) -> Space | None:
        return self.items[0].rows

    @property
    def cols(self) -> Space | None:
        return self.items[0].cols


@dataclass(frozen=True, slots=True)
class Add:
    """A sum; each term has a sign (+1 or -1)."""

    items: tuple[tuple[int, Tree], ...]

    @property
    def rows(self) -> Space | None:
        return self.items[0][1].rows

    @property
    def cols(self) -> Space | None:
        return self.items[0][1].cols


@dataclass(frozen=True, slots=True)
class Coef:
    """number * product of base**exponent; a base is a size symbol, a number under a root, or a tree that is a number."""

    number: Fraction = ONE
    powers: tuple[tuple[str | Fraction | Tree, Fraction], ...] = ()


@dataclass(frozen=True, slots=True)
class Scale:
    """A coefficient times `x`; `x` None is 1, for a number that is only a coefficient."""

    coef: Coef
    x: Tree | None = None

    @property
    def rows(self) -> Space | None:
        return self.x.rows if self.x is not None else None

    @property
    def cols(self) -> Space | None:
        return self.x.cols if self.x is not None else None


@dataclass(frozen=True, slots=True)
class Diag:
    """The diagonal matrix of a vector."""

    x: Tree

    @property
    def rows(self) -> Space | None:
        return self.x.rows

    @property
    def cols(self) -> Space | None:
        return self.x.rows


@dataclass(frozen=True, slots=True)
class Outer:
    """u v^T."""

    u: Tree
    v: Tree

    @property
    def rows(self) -> Space | None:
        return self.u.rows

    @property
    def cols(self) -> Space | None:
        return self.v.rows


@dataclass(frozen=True, slots=True)
class Dot:
    """u^T v, a number; u None is the sum of the entries of v."""

    u: Tree | None
    v: Tree

    @property
    def rows(self) -> Space | None:
        return None

    cols = rows


@dataclass(frozen=True, slots=True)
class Trace:
    """The trace of a square matrix."""

    x: Tree

    @property
    def rows(self) -> Space | None:
        return None

    cols = rows


@dataclass(frozen=True, slots=True)
class Entrywise:
    """A scalar function of the vocabulary, or sigmoid, relu or abs, entry by entry."""

    op: str
    x: Tree

    @property
    def rows(self) -> Space | None:
        return self.x.rows

    @property
    def cols(self) -> Space | None:
        return self.x.cols


@dataclass(frozen=True, slots=True)
class Softmax:
    """exp(x) over its sum along each row (over all of it, for a vector)."""

    x: Tree

    @property
    def rows(self) -> Space | None:
        return self.x.rows

    @property
    def cols(self) -> Space | None:
        return self.x.cols


@dataclass(frozen=True, slots=True)
class Raised:
    """Every entry to a power."""

    x: Tree
    power: Fraction

    @property
    def rows(self) -> Space | None:
        return self.x.rows

    @property
    def cols(self) -> Space | None:
        return self.x.cols


@dataclass(frozen=True, slots=True)
class Over:
    """The sum over label variables."""

    labels: tuple[int, ...]
    x: Tree

    @property
    def rows(self) -> Space | None:
        return self.x.rows

    @property
    def cols(self) -> Space | None:
        return self.x.cols


Matrix = Atom | Mask | Ones | Identity | Transpose | Product | Hadamard | Add | Scale | Diag | Outer
Tree = Matrix | Dot | Trace | Entrywise | Softmax | Raised | Over
Powers = tuple[tuple[str | Fraction | Tree, Fraction], ...]
