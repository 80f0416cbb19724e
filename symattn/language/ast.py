"""What an expression is: frozen nodes with a place each.

Promises: two nodes are equal when they mean the same text, wherever they stand (`place` is not compared); numbers keep
the text they were written in, so 0.50 is not 0.5. Does not promise: that shapes fit or that names are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from symattn.errors import Place

NOWHERE = Place()


@dataclass(frozen=True)
class Placed:
    """What every node carries: where it starts; for a binary operation, where its sign stands."""

    place: Place = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    @property
    def line(self) -> int:
        """1-based, 0 when unknown."""
        return self.place.line

    @property
    def column(self) -> int:
        """1-based, in code points, 0 when unknown."""
        return self.place.column


@dataclass(frozen=True)
class Number(Placed):
    """A number without sign: `value` is what `text` says, exactly ("0.50", "1e-3")."""

    value: Fraction
    text: str


@dataclass(frozen=True)
class Name(Placed):
    """A value or a size. A dotted name ("P.row_sums") is an inner stage of a definition."""

    id: str


@dataclass(frozen=True)
class Array(Placed):
    """`[a, b]`: a vector of expressions, or a matrix when every item is an Array."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Sign(Placed):
    """`op` is "-" or "+", before `x`."""

    op: str
    x: Node


@dataclass(frozen=True)
class Operation(Placed):
    """`a op b`; `op` is one of + - * / @ **. `sign` is how it was typed when that was another character ("·", "×")."""

    op: str
    a: Node
    b: Node
    sign: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class Transpose(Placed):
    """`x.T`."""

    x: Node


@dataclass(frozen=True)
class At(Placed):
    """An index: a position, counted from 0."""

    position: int


@dataclass(frozen=True)
class Label(Placed):
    """An index: the name of an entry."""

    text: str


@dataclass(frozen=True)
class Every(Placed):
    """An index: `:`, all entries."""


IndexItem = At | Label | Every


@dataclass(frozen=True)
class Index(Placed):
    """`x[i, j]`; items that are left out at the end are `:`."""

    x: Node
    items: tuple[IndexItem, ...]


@dataclass(frozen=True)
class Text(Placed):
    """A word in quotes, the value of a keyword (`mask="causal"`)."""

    text: str


@dataclass(frozen=True)
class Keyword(Placed):
    """`name=value` in a call."""

    name: str
    value: Node | Text


@dataclass(frozen=True)
class Call(Placed):
    """`function(args, keywords)`; `function` is in the table of functions.py."""

    function: str
    args: tuple[Node, ...]
    keywords: tuple[Keyword, ...] = ()


Node = Number | Name | Array | Sign | Operation | Transpose | Index | Call

SIGNS = ("==", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class Relation(Placed):
    """`a < b <= c`: operands with a sign between each two; `signs` are of SIGNS."""

    operands: tuple[Node, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True)
class AxisName(Placed):
    """An axis in a declaration: a name, a size, or both (`token=3`). `name` is "" and `size` is 0 when left out."""

    name: str = ""
    size: int = 0


@dataclass(frozen=True)
class Definition(Placed):
    """`name = value`, `name(axis, axis) = value`, or `name(axis, axis)` for something given later. `axes` is empty when none
    are declared; `declared` tells `name()` from `name`."""

    name: str
    axes: tuple[AxisName, ...]
    value: Node | None
    declared: bool = False


def children(node: Node) -> tuple[Node, ...]:
    """The expressions directly inside, in reading order."""
    match node:
        case Number() | Name():
            return ()
        case Array(items):
            return items
        case Sign(_, x) | Transpose(x) | Index(x, _):
            return (x,)
        case Operation(_, a, b):
            return (a, b)
        case Call(_, args, keywords):
            return (*args, *(k.value for k in keywords if not isinstance(k.value, Text)))


def walk(node: Node) -> Iterator[Node]:
    """Every expression in `node`, parents first, in reading order; no recursion."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(children(current)))
