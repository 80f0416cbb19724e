"""Formulas as one line of text: what a terminal, an alternative text and a report can hold.

Promises: no combining characters of our own, every leaf passes `visible`, parentheses wherever the line would otherwise read
differently (a compound exponent, numerator or denominator). Does not promise: that every formula can be read back by the
expression language, only that what it has a notation for is written in it (`sqrt(d_k)`, `Q[perro,0]`, `[[1, 2], [3, 4]]`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from symattn.errors import RenderError
from symattn.page.math import SIGNS, Big, Box, Fence, Fraction, Grid, Math, Name, Number, Root, Row, Script, Sign, Words
from symattn.render.leaf import cell_width, to_ascii, visible

# Marks inside a line that `math_text(..., marks=True)` leaves for the layout. `visible` turns every control character of a
# document into a picture, so these can only come from here.
GAP: Final = "\x1c"  # after a wide gap: what follows is another formula and starts a row of its own when the row is too long
BREAK: Final = "\x1e"  # a good place to break: before a sum's or a relation's sign
SOFT: Final = "\x1d"  # a poorer one: after a comma, before a sign inside parentheses
BOLD: Final = "\x0e"  # a result begins
PLAIN_AGAIN: Final = "\x0f"  # a result ends
_MARKS = {ord(mark): None for mark in (GAP, BREAK, SOFT, BOLD, PLAIN_AGAIN)}


def unmark(text: str) -> str:
    """`text` without layout marks."""
    return text.translate(_MARKS)


@dataclass(frozen=True)
class Look:
    """How a line of mathematics is spelled. `root` is "√" or "" (the word sqrt), `total` the sign of a sum; `ascii` keeps 7 bits."""

    minus: str = "-"
    root: str = ""
    total: str = "sum"
    product: str = "prod"
    ascii: bool = False


PLAIN: Final = Look()
UNICODE: Final = Look(minus="−", root="√", total="Σ", product="Π")
ASCII: Final = Look(ascii=True)

RELATIONS: Final = frozenset("=≈≠<>≤≥→∈∼")
ADDITIVE: Final = frozenset("+-±")
_SPACED: Final = RELATIONS | frozenset("*×·⊙|")
_AFTER_COMMA: Final = frozenset(",;:")
_OPERAND_SIGNS: Final = frozenset("∞⊤…%")
_ACCENTS: Final = {"": "", "tilde": "'", "hat": "_hat", "bar": "_bar", "dot": "_dot"}


def is_empty(math: Math) -> bool:
    """Is there nothing to print?"""
    return isinstance(math, Row) and all(is_empty(item) for item in math.items)


def unwrap(math: Math) -> Math:
    """A row of one thing is that thing."""
    while isinstance(math, Row) and len(math.items) == 1:
        math = math.items[0]
    return math


def flat(math: Math) -> tuple[Math, ...]:
    """The items of a row with inner rows opened, anything else is a row of one. Spaces one after the other become one wide
    blank, which parts two formulas; spaces at the ends are dropped."""
    items: list[Math] = []
    for item in _opened(math):
        if item == _SPACE and items and (items[-1] == _SPACE or _is_gap(items[-1])):
            items[-1] = _GAP
        elif item != _SPACE or items:
            items.append(item)
    while items and (items[-1] == _SPACE or items[-1] is _GAP):
        items.pop()
    return tuple(items)


def _opened(math: Math) -> list[Math]:
    return [part for item in math.items for part in _opened(item)] if isinstance(math, Row) else [math]


_SPACE: Final = Sign(" ")
_GAP: Final = Words("    ")


def _is_gap(math: Math) -> bool:
    return isinstance(math, Words) and len(math.text) > 1 and not math.text.strip()


def is_unary(items: tuple[Math, ...], at: int) -> bool:
    """Does the additive sign at `at` belong to what follows (nothing before it, or another operator before it)?"""
    if at == 0:
        return True
    before = items[at - 1]
    return isinstance(before, Sign) and before.text not in _OPERAND_SIGNS


@dataclass(frozen=True)
class _Line:
    """One rendering: the look, which boxes are empty, whether layout marks are wanted."""

    look: Look
    results: bool
    terms: bool
    marks: bool

    def leaf(self, text: str) -> str:
        shown = visible(text)
        return to_ascii(shown) if self.look.ascii else shown

    def of(self, math: Math, *, tight: bool = False, top: bool = False) -> str:
        method = METHODS.get(type(math))
        if method is None:
            raise RenderError(f"no line of text for the formula node {type(math).__name__}")
        return method(self, math, tight, top)

    def group(self, math: Math, pair: str = "()", *, tight: bool = False) -> str:
        """In parentheses unless it reads as one thing."""
        text = self.of(math, tight=tight)
        return text if _is_atom(math) else f"{pair[0]}{text}{pair[1]}"


def _is_atom(math: Math) -> bool:
    """Does it stay one thing under a power or a bar without parentheses?"""
    inner = unwrap(math)
    if isinstance(inner, Box):
        return _is_atom(inner.body)
    if isinstance(inner, Number):
        return not inner.text.startswith(("-", "+"))
    if isinstance(inner, Script):
        return is_empty(inner.sup)
    if isinstance(inner, Row) and len(inner.items) == 2 and inner.items[0] == Name("d"):
        return _is_symbol(inner.items[1])  # dP is one symbol
    return isinstance(inner, Name | Fence | Words | Sign | Root | Grid) or is_empty(inner)


def _is_symbol(math: Math) -> bool:
    """A name, with at most a subscript."""
    inner = unwrap(math)
    return isinstance(inner, Name) or (isinstance(inner, Script) and is_empty(inner.sup) and isinstance(unwrap(inner.base), Name))


def _number(line: _Line, node: Number, tight: bool, top: bool) -> str:
    return line.leaf(node.text.replace("-", line.look.minus))


def _name(line: _Line, node: Name, tight: bool, top: bool) -> str:
    suffix = _ACCENTS.get(node.accent)
    if suffix is None:
        raise RenderError(f"no line of text for the accent {node.accent!r}", next_move=f"use one of {', '.join(filter(None, _ACCENTS))}")
    return line.leaf(node.text) + suffix


def _sign(line: _Line, node: Sign, tight: bool, top: bool) -> str:
    if node.text not in SIGNS:
        raise RenderError(f"no line of text for the sign {node.text!r}", next_move="use one of page.math.SIGNS")
    return line.leaf(line.look.minus if node.text == "-" else node.text)


def _words(line: _Line, node: Words, tight: bool, top: bool) -> str:
    gap = top and line.marks and not node.text.strip()
    return line.leaf(node.text) + (GAP if gap else "")


def _row(line: _Line, node: Row, tight: bool, top: bool) -> str:
    items = flat(node)
    text = ""
    for at, item in enumerate(items):
        piece = line.of(item, tight=tight, top=top and isinstance(item, Words))
        if isinstance(item, Sign):
            text = _with_sign(line, text, item, piece, tight, top, is_unary(items, at))
        elif not piece or not text:
            text += piece
        else:
            text += _gap(text, items[at - 1], item) + piece
    return text


def _with_sign(line: _Line, text: str, sign: Sign, piece: str, tight: bool, top: bool, unary: bool) -> str:
    if sign.text in ADDITIVE and unary:
        return text + piece
    if sign.text in ADDITIVE or sign.text in RELATIONS or sign.text in _SPACED:
        breakable = line.marks and not tight and text != "" and (sign.text in ADDITIVE or sign.text in RELATIONS)
        mark = "" if not breakable else BREAK if top else SOFT
        if tight and not piece.isalpha():
            return text + piece
        if not text:
            return f"{piece} "
        return f"{text.rstrip(' ')} {mark}{piece} "
    if sign.text == " " and text[-1:] in (" ", SOFT, GAP):
        return text
    if sign.text in _AFTER_COMMA:
        return text.rstrip(" ") + piece + ("" if tight else " " + (SOFT if line.marks else ""))
    return text + piece


def _gap(text: str, before: Math, item: Math) -> str:
    """A space between two things side by side, where they would otherwise run together."""
    if isinstance(before, Sign) or isinstance(item, Fence) or text[-1:] in (" ", SOFT, GAP):
        return ""
    base = unwrap(item.base) if isinstance(item, Script) else item
    if before == Name("d") and isinstance(base, Name) and base.text[:1].isupper():
        return ""  # dP is one symbol
    if isinstance(before, Words | Name) and isinstance(item, Words):
        return "" if item.text[:1].isspace() or (isinstance(before, Words) and before.text[-1:].isspace()) else " "
    return " "


def _script(line: _Line, node: Script, tight: bool, top: bool) -> str:
    base = unwrap(node.base)
    if isinstance(base, Fence) and base.pair == "()" and _is_symbol(base.body) and not is_empty(node.sub):
        base = unwrap(base.body)  # the brackets of the index already hold W_Q together
    text = line.of(base) if isinstance(base, Script) and is_empty(base.sup) else line.group(base)
    if not is_empty(node.sub):
        sub = unwrap(node.sub)
        indices = flat(node.sub)
        together = len(indices) > 1 and all(isinstance(x, Name | Number) and len(x.text) == 1 for x in indices)
        inside = ",".join(line.of(x) for x in indices) if together else line.of(node.sub, tight=True)
        # d_model is the name of a size; x[perro] is an entry of x
        plain = isinstance(sub, Name) and not sub.accent and (len(sub.text) == 1 or (isinstance(base, Name) and base.text == "d"))
        text += f"_{inside}" if plain else f"[{inside}]"
    if not is_empty(node.sup):
        text += "^T" if unwrap(node.sup) == Sign("⊤") else f"^{line.group(node.sup)}"
    return text


def _fraction(line: _Line, node: Fraction, tight: bool, top: bool) -> str:
    num = unwrap(node.num)
    over = line.of(num) if isinstance(num, Script) else line.group(num)
    den = unwrap(node.den)
    under = line.of(den) if isinstance(den, Script) else line.group(den)
    return f"{over}/{under}"


def _root(line: _Line, node: Root, tight: bool, top: bool) -> str:
    if not line.look.root:
        return f"sqrt({line.of(node.body)})"
    body = unwrap(node.body)
    short = isinstance(body, Number | Name) or (isinstance(body, Script) and is_empty(body.sup))
    text = line.of(body)
    return f"{line.look.root}{text}" if short and not text.startswith(line.look.minus) else f"{line.look.root}({text})"


def _fence(line: _Line, node: Fence, tight: bool, top: bool) -> str:
    if len(node.pair) != 2:
        raise RenderError(f"a fence needs a pair of signs, not {node.pair!r}")
    return f"{line.leaf(node.pair[0])}{line.of(node.body, tight=tight)}{line.leaf(node.pair[1])}"


def _big(line: _Line, node: Big, tight: bool, top: bool) -> str:
    sign = {"sum": line.look.total, "prod": line.look.product, "max": "max"}.get(node.kind)
    if sign is None:
        raise RenderError(f"no big operator {node.kind!r}", next_move="use sum, prod or max")
    lower, upper = line.of(node.lower, tight=True), line.of(node.upper, tight=True)
    bounds = f"({lower}..{upper})" if lower and upper else f"({lower or upper})" if lower or upper else ""
    body = line.of(node.body)
    return f"{sign}{bounds} {body}" if body else f"{sign}{bounds}"


def _grid(line: _Line, node: Grid, tight: bool, top: bool) -> str:
    comma = ", " + (SOFT if line.marks else "")
    rows = ["[" + comma.join(line.of(entry) for entry in row) + "]" for row in node.rows]
    return "[" + comma.join(rows) + "]"


def _box(line: _Line, node: Box, tight: bool, top: bool) -> str:
    if node.kind == "term":
        return "[______]" if line.terms else line.of(node.body, tight=tight, top=top)
    if line.results:
        label = line.leaf(node.label)
        return f"[{label} ______]" if label else "[______]"
    text = line.of(node.body, tight=tight)
    return f"{BOLD}{text}{PLAIN_AGAIN}" if line.marks else text


METHODS: dict[type, Callable[[_Line, Any, bool, bool], str]] = {
    Number: _number,
    Name: _name,
    Sign: _sign,
    Row: _row,
    Script: _script,
    Fraction: _fraction,
    Root: _root,
    Fence: _fence,
    Big: _big,
    Grid: _grid,
    Words: _words,
    Box: _box,
}


def math_text(math: Math, look: Look = PLAIN, *, results: bool = False, terms: bool = False, marks: bool = False) -> str:
    """One line of text for a formula: `q[perro,0] = (0.50)(0.3) + (1.15)(0.1)`, `e^0.3387255`, `sqrt(d_k)`.

    `results` and `terms` leave those boxes empty (student version); `marks` keeps layout marks for the terminal. Row labels of
    a matrix are not part of the line. Raises RenderError for a node, accent, pair or big operator without a notation."""
    text = _Line(look, results, terms, marks).of(math, top=True)
    return text if marks else text.strip()


def math_block(math: Math, look: Look, *, results: bool = False, terms: bool = False) -> list[str]:
    """The same as several lines when it holds a matrix at its top level; the lines have one width and no marks."""
    line = _Line(look, results, terms, False)
    parts: list[list[str]] = []
    run: list[Math] = []
    for item in flat(math):
        body = item.body if isinstance(item, Box) and not (line.results and item.kind == "result") else item
        if isinstance(unwrap(body), Grid):
            parts.append([line.of(Row(tuple(run)), top=True) + " "] if run else [])
            parts.append(_matrix(line, unwrap(body)))
            run = []
        else:
            run.append(item)
    if run:
        parts.append([(" " if parts else "") + line.of(Row(tuple(run)), top=True)])
    height = max((len(part) for part in parts), default=1)
    lines = [""] * height
    for part in parts:
        above = (height - len(part)) // 2
        wide = max((cell_width(text) for text in part), default=0)
        for at in range(height):
            text = part[at - above] if 0 <= at - above < len(part) else ""
            lines[at] += text + " " * (wide - cell_width(text))
    return lines


def _matrix(line: _Line, grid: Math) -> list[str]:
    """A matrix with its row names, entries flush right in columns of one width."""
    assert isinstance(grid, Grid)
    cells = [[line.of(entry) for entry in row] for row in grid.rows]
    wide = max((cell_width(text) for row in cells for text in row), default=0)
    names = [line.leaf(name) for name in grid.labels]
    names += [""] * (len(cells) - len(names))
    left = max((cell_width(name) for name in names), default=0)
    head = [" " * (left - cell_width(name)) + name + (" " if left else "") for name in names]
    return [f"{head[at]}[ " + "  ".join(" " * (wide - cell_width(text)) + text for text in row) + " ]" for at, row in enumerate(cells)] or [
        "[ ]"
    ]
