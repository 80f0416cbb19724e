"""Rows of terminal text: edges, the margin beside a formula, wrapping by display width.

Promises: text of a document passes one leaf, which shows control characters as symbols; a margin entry starts on the last row of
the formula it judges. Does not promise: an unbroken formula; long rows break before a plus or relation sign, under their
first term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from symattn.errors import RenderError
from symattn.page import nodes as n
from symattn.page.math import Grid, Math
from symattn.page.words import glyph, verdict_word, words
from symattn.render.leaf import cell_width, to_ascii, visible
from symattn.render.terminal_math import (
    ASCII,
    BOLD,
    BREAK,
    GAP,
    PLAIN_AGAIN,
    SOFT,
    UNICODE,
    flat,
    is_empty,
    math_block,
    math_text,
    unmark,
    unwrap,
)

TEXT_EDGE: Final = 4
MARGIN_WIDTH: Final = 31
PRINTED_END: Final = 7  # columns from the margin's edge to the end of the printed number
GLYPH_AT: Final = 8
WORD_AT: Final = 11
NARROW: Final = 72
CONTINUED: Final = ("=", "≈", "~")
LEFT_CAP: Final = 18  # a longer left side does not push the relation column of its step

_STYLES: Final = {"bold": "1", "italic": "3", "grey": "2", "accent": "1;34", "good": "36", "explained": "33", "bad": "1;31", "": ""}
VERDICT_STYLE: Final = {
    "exact": "good", "rounded": "good", "truncated": "explained", "from-rounded": "explained", "off-by": "bad", "wrong": "bad",
    "undecided": "grey", "given": "grey", "measured": "grey",
}  # fmt: skip
ASCII_GLYPHS: Final = {
    "exact": "=", "rounded": "~", "truncated": "|", "from-rounded": ">", "wrong": "!", "undecided": "?", "given": ".", "measured": "*",
}  # fmt: skip

Pieces = Sequence[tuple[str, str]]  # (text, style)
Methods = Mapping[type, Callable[["Writer", Any], None]]


class Writer:
    """One rendering of one page. Lines are collected in `lines`; no state outlives the call."""

    def __init__(self, lang: str, methods: Methods, *, blank: bool, ascii: bool, color: bool, width: int) -> None:
        self.methods = methods
        self.words = words(lang)
        self.lang = lang
        self.blank = blank
        self.ascii = ascii
        self.color = color
        self.width = width
        self.narrow = width < NARROW
        self.margin_at = width - MARGIN_WIDTH
        self.formula_end = (width if self.narrow else self.margin_at) - 1
        self.look = ASCII if ascii else UNICODE
        self.left = 0
        self.tables = 0
        self.inside = False
        self.lines: list[str] = []

    # -- leaves ---------------------------------------------------------------------------------------------------
    def leaf(self, text: str) -> str:
        """The one place where text of a document becomes text of a terminal."""
        shown = visible(text)
        return to_ascii(shown) if self.ascii else shown

    def own(self, text: str) -> str:
        """Our own words and rules."""
        return to_ascii(text) if self.ascii else text

    def number(self, text: str) -> str:
        return self.leaf(text.replace("-", self.look.minus) if text[:1] in "-(" else text)

    def paint(self, text: str, style: str) -> str:
        if not self.color or not style or not text:
            return text
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"

    def settle(self, text: str) -> str:
        """Layout marks become bold, or nothing."""
        if self.color:
            text = text.replace(BOLD, "\x1b[1m").replace(PLAIN_AGAIN, "\x1b[0m")
        return unmark(text)

    def inline(self, items: Iterable[n.Inline]) -> str:
        return "".join(self.inline_one(item) for item in items)

    def inline_one(self, item: n.Inline) -> str:
        match item:
            case n.Formula(math):
                return math_text(math, self.look, results=self.blank, terms=self.blank)
            case n.Text(text) | n.Emph(text) | n.Strong(text) | n.Code(text):
                return self.leaf(text)
        raise RenderError(f"no terminal text for the inline node {type(item).__name__}")

    # -- lines ----------------------------------------------------------------------------------------------------
    def step_name(self, step: str) -> str:
        """ "paso 3"; a step without a number goes by its title."""
        numbered = step.replace(", ", "").isdigit()
        return self.own(self.words["step.numbered"]).format(n=self.leaf(step)) if numbered else self.leaf(step)

    def put(self, text: str = "") -> None:
        self.lines.append(self.settle(text).rstrip(" "))

    def space(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def prose(self, text: str, *, indent: int = TEXT_EDGE, first: str = "", style: str = "", width: int = 0) -> None:
        pad = " " * indent
        for at, line in enumerate(wrap(text, (width or self.width - 4) - indent)):
            head = f"{pad[: indent - cell_width(first)]}{first}" if at == 0 and first else pad
            self.put(head + self.paint(line, style))

    def rule(self, width: int, *, indent: int = 0, style: str = "") -> None:
        self.put(" " * indent + self.paint(("-" if self.ascii else "─") * width, style))

    def block(self, node: n.Block) -> None:
        method = self.methods.get(type(node))
        if method is None:
            raise RenderError(f"no terminal text for the page node {type(node).__name__}")
        method(self, node)

    # -- margin ---------------------------------------------------------------------------------------------------
    def glyph(self, entry: n.Margin) -> str:
        sign = glyph(entry.verdict, entry.off)
        return ASCII_GLYPHS.get(entry.verdict) or self.own(sign) if self.ascii else sign

    def word(self, entry: n.Margin) -> str:
        room = self.width if self.narrow else self.width - self.margin_at - WORD_AT
        word = verdict_word(entry.verdict, self.lang, off=entry.off, plural=entry.plural, changes_order=entry.changes_order)
        if entry.verdict == "off-by" and entry.off and cell_width(word) > room:
            word = self.words["verdict.off-by.short"].format(k=abs(entry.off))
        return self.own(word)

    def why(self, entry: n.Margin) -> list[str]:
        """The grey second lines: the right value, the operand used."""
        lines = []
        if entry.right:
            lines.append(self.own(self.words["correct"]).format(x=self.number(entry.right)))
        if not is_empty(entry.because):
            lines.append(math_text(entry.because, self.look))
        return lines

    def margin_lines(self, entry: n.Margin) -> list[tuple[Pieces, int]]:
        """One entry as (pieces, column relative to the margin's edge, of the first piece)."""
        if self.blank:
            return [([("_" * PRINTED_END, ""), (" [ ]", "")], 0)]
        printed, style = self.number(entry.printed), VERDICT_STYLE.get(entry.verdict, "")
        sign = self.glyph(entry)
        gap = " " * max(WORD_AT - GLYPH_AT - cell_width(sign), 1)
        start = PRINTED_END - cell_width(printed)
        lines: list[tuple[Pieces, int]] = [([(printed, ""), (" ", ""), (sign, style), (gap, ""), (self.word(entry), style)], start)]
        return lines + [([(text, "grey")], WORD_AT) for text in self.why(entry)]

    def beside(self, rows: list[str], margin: Sequence[n.Margin]) -> None:
        """Formula rows with their margin entries: the first entry on the last row, further ones below it."""
        entries = [line for entry in margin for line in self.margin_lines(entry)]
        if self.narrow:
            for row in rows:
                self.put(row)
            for pieces, start in entries:
                self.put(" " * (TEXT_EDGE + 2 + max(start, 0)) + "".join(self.paint(t, s) for t, s in pieces))
            return
        for row in rows[:-1]:
            self.put(row)
        row = rows[-1] if rows else ""
        for at, (pieces, start) in enumerate(entries):
            column = self.margin_at + start
            if at == 0 and cell_width(unmark(row)) >= column and row:
                self.put(row)
                row = ""
            text = row if at == 0 else ""
            column = max(column, 0)
            self.put(text + " " * (column - cell_width(unmark(text))) + "".join(self.paint(t, s) for t, s in pieces))
            row = ""
        if not entries:
            self.put(row)

    # -- formulas -------------------------------------------------------------------------------------------------
    def math(self, math: Math, *, terms: bool = False) -> str:
        return math_text(math, self.look, results=self.blank, terms=self.blank and terms, marks=True).strip(" ")

    def line(self, line: n.Line) -> None:
        if self.blank and line.student == "hide":
            for _ in range(max(1, len(line.margin))):
                self.put()
            return
        if line.space_above:
            self.space()
        dashed = self.blank and line.student == "dashed"
        left = self.math(line.left, terms=dashed)
        relation = self.own(line.relation)
        gap = " " * max(self.left - cell_width(unmark(left)), 0)
        # on a row without a left side and relation the formula starts at the text's edge
        head = " " * TEXT_EDGE + (f"{left}{gap} {relation} " if relation else f"{left} " if left else "")
        if any(isinstance(unwrap(item), Grid) for item in flat(line.right)):
            self.beside(self.stacked(head, line.right, dashed), line.margin)
            return
        indent = cell_width(unmark(head))
        pieces = wrap_formula(self.math(line.right, terms=dashed), self.formula_end - indent)
        # a row that goes on with its own relation sign puts it under the first one
        under = indent - 2 if relation else indent
        rows = [head + piece if at == 0 else " " * (under if piece[:1] in CONTINUED else indent) + piece for at, piece in enumerate(pieces)]
        self.beside(rows, line.margin)

    def stacked(self, head: str, right: Math, dashed: bool) -> list[str]:
        """A row whose right side holds a matrix; one too wide for the terminal is written as a list of rows."""
        rows = math_block(right, self.look, results=self.blank, terms=dashed)
        indent = cell_width(unmark(head))
        if indent + max(cell_width(row) for row in rows) > self.width:
            pieces = wrap_formula(self.math(right, terms=dashed), self.width - indent)
            return [(head if at == 0 else " " * indent) + piece for at, piece in enumerate(pieces)]
        middle = (len(rows) - 1) // 2
        return [(head if at == middle else " " * cell_width(unmark(head))) + row for at, row in enumerate(rows)]

    def set_left(self, blocks: Iterable[n.Block]) -> None:
        """One relation column a step: as wide as its widest left side, up to a cap."""
        widths = [cell_width(math_text(line.left, self.look)) for block in blocks if isinstance(block, n.Chain) for line in block.lines]
        self.left = min(max(widths, default=0), LEFT_CAP)


def wrap(text: str, width: int) -> list[str]:
    """Words to lines by display width; a word longer than a line is cut."""
    width = max(width, 8)
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        if not word:
            continue
        if line and cell_width(unmark(line)) + 1 + cell_width(unmark(word)) <= width:
            line += " " + word
            continue
        if line:
            lines.append(line)
        line = word
        while cell_width(unmark(line)) > width:
            cut = _fit(line, width)
            lines.append(line[:cut])
            line = line[cut:]
    return [*lines, line] if line else lines or [""]


def _fit(text: str, width: int) -> int:
    """How many characters of `text` fit into `width` columns, at least one."""
    taken = 0
    for at, char in enumerate(text):
        taken += cell_width(unmark(char))
        if taken > width:
            return max(at, 1)
    return len(text)


def wrap_formula(text: str, width: int) -> list[str]:
    """A marked formula to rows: at wide gaps first, then before signs, after commas, at spaces."""
    if GAP in text and cell_width(unmark(text).rstrip(" ")) > width:
        return [row for part in text.split(GAP) for row in wrap_formula(part.strip(" "), width)]
    rows: list[str] = []
    row = ""
    for piece in text.split(BREAK):
        if row.strip(" ") and cell_width(unmark(row + piece).rstrip(" ")) > width:
            rows.append(row.rstrip(" "))
            row = piece.lstrip(" ")
        else:
            row += piece
        if cell_width(unmark(row).rstrip(" ")) > width:
            *done, row = _wrap_soft(row, width)
            rows.extend(done)
    return [*rows, row.rstrip(" ")]


def _wrap_soft(text: str, width: int) -> list[str]:
    rows: list[str] = []
    row = ""
    for piece in text.split(SOFT):
        if row and cell_width(unmark(row + piece).rstrip(" ")) > width:
            rows.append(row.rstrip(" "))
            row = piece
        else:
            row += piece
    rows.append(row.rstrip(" "))
    cut = [part for row in rows for part in (wrap(row, width) if cell_width(unmark(row)) > width else [row])]
    return [*cut[:-1], cut[-1] + " "] if text.endswith(" ") else cut
