"""Formulas as LaTeX: one method a node, nothing guessed.

Promises: `math_latex(math)` is balanced, uses commands that TeX (amsmath, amssymb) and KaTeX share, never stacks two superscripts or
subscripts on one base, and prints a true minus; an unknown node raises RenderError. Names of one letter are italic, words upright.
Does not promise: to fit a line; `latex_lines.py` breaks rows.

`PageMath` is the same printer for a LaTeX page: boxes and matrices become the page's own macros (see latex.py), and inside prose
a formula may break after a comma, and a long numeral between its digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from symattn.errors import RenderError
from symattn.page.math import Big, Box, Fence, Fraction, Grid, Math, Name, Number, Root, Row, Script, Sign, Words
from symattn.render.escape import MATH_CHARS, escape
from symattn.render.latex_width import is_tall, width

SIGN_LATEX: Mapping[str, str] = {
    "+": "+", "-": "-", "*": r"\ast ", "×": r"\times ", "·": r"\cdot ", "/": "/", "⊙": r"\odot ", "=": "=", "≈": r"\approx ",
    "≠": r"\ne ", "<": "<", ">": ">", "≤": r"\le ", "≥": r"\ge ", "→": r"\to ", "∈": r"\in ", ",": ",", ";": ";", ":": ":",
    "…": r"\ldots ", "±": r"\pm ", "∞": r"\infty ", "⊤": r"\top ", "|": r"\vert ", "%": r"\%", "√": r"\surd ", "∼": r"\sim ", " ": r"\ ",
}  # fmt: skip
_PAIRS = {
    "()": ("(", ")"),
    "[]": ("[", "]"),
    "{}": (r"\{", r"\}"),
    "||": (r"\lvert ", r"\rvert "),
    "‖‖": (r"\lVert ", r"\rVert "),
    "⟨⟩": (r"\langle ", r"\rangle "),
}
_ACCENTS = {"hat": r"\hat", "tilde": r"\tilde", "bar": r"\bar", "dot": r"\dot"}
_BIG = {"sum": r"\sum", "prod": r"\prod", "max": r"\max"}
_POWER_OF_TEN = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)e\+?(-?[0-9]+)")
_NUMERAL = re.compile(r"([+-]?)([0-9]*\.?[0-9]*)(%|…)?")
_KEPT = 20_000  # formulas whose LaTeX is remembered
_PLAIN_WORD = re.compile(r"[A-Za-z0-9]+")


def math_latex(math: Math) -> str:
    """The formula for any place that reads TeX mathematics, without dollar signs. Boxes are shown as their content. Raises RenderError."""
    return MathPrinter().print(math)


def numeral(text: str) -> str:
    """A decimal numeral with a true minus; anything that is none is set as words."""
    power = _POWER_OF_TEN.fullmatch(text)
    if power is not None:
        return rf"{power[1]}\times 10^{{{power[2]}}}"
    found = _NUMERAL.fullmatch(text)
    if found is None or not found[2]:
        return rf"\text{{{escape(text, breaks=False)}}}"
    tail = {"%": r"\%", "…": r"\ldots "}.get(found[3] or "", "")
    return f"{found[1]}{found[2]}{tail}"


def _blank(count: int) -> str:
    return "" if count == 0 else r"\ " if count == 1 else r"\qquad "


class MathPrinter:
    """One method a node class, in a closed dict; subclasses change what a place needs."""

    def __init__(self) -> None:
        self._scripts: dict[int, tuple[Script, str]] = {}  # by identity: entries of one value stand in many rows
        self._methods: dict[type, Callable[..., str]] = {
            Number: self.number, Name: self.name, Sign: self.sign, Row: self.row, Script: self.script, Fraction: self.fraction,
            Root: self.root, Fence: self.fence, Big: self.big, Grid: self.grid, Words: self.words, Box: self.box,
        }  # fmt: skip

    @property
    def nodes(self) -> frozenset[type]:
        """The classes this printer knows."""
        return frozenset(self._methods)

    def print(self, math: Math) -> str:
        """One node. Raises RenderError for a class that has no method."""
        method = self._methods.get(type(math))
        if method is None:
            raise RenderError(f"LaTeX has no form for the formula node {type(math).__name__}", next_move="add a method to latex_math.py")
        return method(math)

    def number(self, math: Number) -> str:
        return numeral(math.text)

    def name(self, math: Name) -> str:
        primes = len(math.text) - len(math.text.rstrip("'′"))
        text = math.text[: len(math.text) - primes]
        if text in MATH_CHARS:
            inner = MATH_CHARS[text]
        elif _PLAIN_WORD.fullmatch(text):
            inner = text if len(text) == 1 and not math.upright else rf"\mathrm{{{text}}}"
        else:
            inner = self.text(text)
        if math.accent:
            command = _ACCENTS.get(math.accent)
            if command is None:
                raise RenderError(f"unknown accent {math.accent!r} on {math.text!r}", next_move=f"use one of {', '.join(_ACCENTS)}")
            inner = f"{command}{{{inner}}}"
        elif inner.startswith("\\") and inner[-1].isalpha():
            inner += " "
        return inner + "'" * primes

    def sign(self, math: Sign) -> str:
        if math.text not in SIGN_LATEX:
            raise RenderError(f"unknown sign {math.text!r} in a formula", next_move="use one of page.math.SIGNS")
        return SIGN_LATEX[math.text]

    def row(self, math: Row) -> str:
        out: list[str] = []
        before: Math | None = None
        for item in math.items:
            piece = self.print(item)
            if isinstance(item, Number) and piece[:1] in ("-", "+") and before is not None and not isinstance(before, Sign):
                piece = f"{{{piece[:1]}}}{piece[1:]}"  # a sign of a number, not an operator between two things
            out.append(piece)
            before = item
        return "".join(out)

    def script(self, math: Script) -> str:
        found = self._scripts.get(id(math))
        if found is None or found[0] is not math:
            if len(self._scripts) >= _KEPT:
                self._scripts.clear()
            found = self._scripts[id(math)] = (math, self._script(math))
        return found[1]

    def _script(self, math: Script) -> str:
        base = self.print(math.base)
        simple = isinstance(math.base, Name | Number | Fence) and not base.endswith("'")
        if isinstance(math.base, Number) and len(math.base.text) > 1 and not math.base.text.isdigit():
            simple = False
        out = base.rstrip() if simple else f"{{{base}}}"
        for mark, part in (("_", math.sub), ("^", math.sup)):
            if part != Row(()):
                out += f"{mark}{{{self.print(part)}}}"
        return out

    def fraction(self, math: Fraction) -> str:
        return rf"\frac{{{self.print(math.num)}}}{{{self.print(math.den)}}}"

    def root(self, math: Root) -> str:
        return rf"\sqrt{{{self.print(math.body)}}}"

    def fence(self, math: Fence) -> str:
        opening, closing = fence_pair(math)
        if is_tall(math.body):
            return rf"\left{opening.rstrip()} {self.print(math.body)} \right{closing.rstrip()} "
        return f"{opening}{self.print(math.body)}{closing}"

    def big(self, math: Big) -> str:
        command = _BIG.get(math.kind)
        if command is None:
            raise RenderError(f"unknown big operator {math.kind!r}", next_move=f"use one of {', '.join(_BIG)}")
        for mark, part in (("_", math.lower), ("^", math.upper)):
            if part != Row(()):
                command += f"{mark}{{{self.print(part)}}}"
        return f"{command} {self.print(math.body)}"

    def grid(self, math: Grid) -> str:
        lines = [self.cells(row) for row in math.rows]
        if math.labels:
            lines = [f"{self.text(label)} & {line}" for label, line in zip(math.labels, lines, strict=True)]
        columns = "r" * (max((len(row) for row in math.rows), default=0) + bool(math.labels))
        body = r" \\ ".join(lines)
        return rf"\left(\begin{{array}}{{{columns}}} {body} \end{{array}}\right)"

    def cells(self, row: tuple[Math, ...]) -> str:
        """The entries of a matrix row; one that opens with a bracket must not be read as an option of the line break before it."""
        text = " & ".join(self.print(cell) for cell in row)
        return "{}" + text if text.startswith(("[", "*")) else text

    def words(self, math: Words) -> str:
        """Words with the blanks around them; a wide blank (two spaces or more) parts two formulas of one row."""
        text = math.text
        before, after = (_blank(len(text) - len(text.lstrip(" "))), _blank(len(text) - len(text.rstrip(" "))))
        return f"{before}{self.text(text.strip(' '))}{after}" if text.strip(" ") else before

    def box(self, math: Box) -> str:
        return self.print(math.body)

    def text(self, text: str) -> str:
        """Upright text inside a formula."""
        return rf"\text{{{escape(text, breaks=False)}}}"


def fence_pair(math: Fence) -> tuple[str, str]:
    """The two commands of a fence. Raises RenderError for an unknown pair."""
    pair = _PAIRS.get(math.pair)
    if pair is None:
        raise RenderError(f"unknown fence {math.pair!r}", next_move=f"use one of {', '.join(_PAIRS)}")
    return pair


class PageMath(MathPrinter):
    """The printer of a LaTeX page: result and term boxes, matrices with equal columns and grey row names."""

    def grid(self, math: Grid) -> str:
        cells = [cell for row in math.rows for cell in row]
        widest = self.print(max(cells, key=width)) if cells else ""
        columns = max((len(row) for row in math.rows), default=1)
        labels = r" \\ ".join(rf"\symrowname{{{escape(label)}}}" for label in math.labels)
        body = r" \\ ".join(self.cells(row) for row in math.rows)
        return rf"\symgrid{{{labels}}}{{{columns}}}{{{widest}}}{{{body}}}"

    def text(self, text: str) -> str:
        return rf"\text{{\normalfont {escape(text, breaks=False)}}}"

    def box(self, math: Box) -> str:
        body = self.print(math.body)
        if math.kind == "term":
            return rf"\symtermbox{{{body}}}"
        if math.kind == "result":
            return rf"\symresult{{{body}}}{{{escape(math.label)}}}"
        raise RenderError(f"unknown box kind {math.kind!r}", next_move='use "result" or "term"')


class ProseMath(PageMath):
    """A formula inside a sentence: it may break after a comma, a long numeral between digits, long words between words."""

    def text(self, text: str) -> str:
        if len(text) < 25:
            return super().text(text)
        return r"\symbreak ".join(super(ProseMath, self).text(part) for part in re.findall(r"\S{1,20}\s*", text))

    def sign(self, math: Sign) -> str:
        text = super().sign(math)
        return text + r"\symbreak " if math.text in (",", ";") else text

    def number(self, math: Number) -> str:
        text = super().number(math)
        if len(text) < 30:
            return text
        return re.sub(r"([0-9]{10})(?=[0-9])", r"\1\\symbreak ", text)
