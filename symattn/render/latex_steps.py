"""Steps, chains, ledgers and matrices as LaTeX.

Promises: one row of a chain is one source line, `\\symline[student]{left}{relation}{right}{margin}`, whose right side may go on in
`\\symcont[student]{right}{margin}` lines; one row of a ledger is `\\symterm[student]{sign}{product}{relation}{padding}{value}{margin}`,
its total `\\symsum{left}{relation}{right}{margin}`; `[student]` is left out when it is "show". `padding` is printed invisibly.
Arguments are balanced in braces, so a reader needs nothing but brace counting. Does not promise: that a row fits before breaking.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from symattn.errors import RenderError
from symattn.page.math import EMPTY, Math
from symattn.page.nodes import Bullets, Chain, Ledger, Line, Matrices, Paragraph, Step
from symattn.render.escape import escape
from symattn.render.latex_inline import Tongue, inline, margin_column, page_math
from symattn.render.latex_lines import split
from symattn.render.latex_math import SIGN_LATEX, numeral
from symattn.render.latex_width import shape, width

MAIN_MM = 108.0
FULL_MM = 156.0
_LEFT_CAP_MM = 45.0
_RELATION_MM = 5.0
_ROWS_OF_A_PAGE = 40  # a row is at least 6 mm high and a page 222 mm
_STUDENT = ("show", "dashed", "hide")
_VALUE = re.compile(r"(\(?)([+-]?)([0-9]*)(.*)", re.DOTALL)


def paragraph(node: Paragraph) -> str:
    """A paragraph between blank lines."""
    return inline(node.items) + "\n"


def bullets(node: Bullets) -> str:
    """A short list."""
    return "\n".join(rf"\symbullet{{{inline(item)}}}" for item in node.items) + "\n"


def student_option(student: str) -> str:
    """`[dashed]`, `[hide]` or nothing. Raises RenderError for another word."""
    if student not in _STUDENT:
        raise RenderError(f"unknown student mode {student!r} of a row", next_move=f"use one of {', '.join(_STUDENT)}")
    return "" if student == "show" else f"[{student}]"


def relation(sign: str) -> str:
    """The sign between the sides of a row. Raises RenderError for an unknown one."""
    if sign and sign not in SIGN_LATEX:
        raise RenderError(f"unknown relation {sign!r} of a row", next_move='use "=", "≈" or ""')
    return SIGN_LATEX.get(sign, "").strip()


def left_sides(blocks: Iterable[object]) -> Iterator[Math]:
    """The left sides that share the relation column of a step."""
    for block in blocks:
        if isinstance(block, Chain):
            yield from (line.left for line in block.lines if line.left != EMPTY)


def common_left(lefts: Iterable[Math]) -> tuple[str, float]:
    """The macros that set the common width of left sides, one a shape, and that width in mm by estimate."""
    shapes = {page_math(shape(left)): width(left) for left in lefts}
    widest = max((mm for mm in shapes.values() if mm <= _LEFT_CAP_MM), default=0.0)
    measured = [latex for latex, mm in shapes.items() if 0.7 * widest <= mm <= 1.2 * _LEFT_CAP_MM]
    return "".join(f"\\symwide{{{latex}}}\n" for latex in measured), widest


def common_products(blocks: Iterable[object]) -> str:
    """The macros that set the common width of the products of all ledgers of a step, one a shape."""
    ledgers = [block for block in blocks if isinstance(block, Ledger)]
    products = [term.product for block in ledgers for term in block.terms] + [block.total.left for block in ledgers]
    return "".join(f"\\symwideterm{{{latex}}}\n" for latex in dict.fromkeys(page_math(shape(product)) for product in products))


def chain(node: Chain, tongue: Tongue, left_mm: float) -> str:
    """The rows of a chain; `left_mm` is the estimated width of the common left column."""
    out = [r"\begin{symchain}"]
    for at, line in enumerate(node.lines):
        if line.space_above and at:
            out.append(r"\symapart")
        out += _line(line, tongue, left_mm)
    out.append(r"\end{symchain}")
    return "\n".join(out) + "\n"


def _line(line: Line, tongue: Tongue, left_mm: float) -> list[str]:
    option = student_option(line.student)
    bare = line.left == EMPTY and not line.relation
    pieces = split(line.right, MAIN_MM if bare else MAIN_MM - left_mm - _RELATION_MM)
    margins = [""] * (len(pieces) - 1) + [margin_column(line.margin, tongue)]
    out = [rf"\symline{option}{{{page_math(line.left)}}}{{{relation(line.relation)}}}{{{pieces[0]}}}{{{margins[0]}}}"]
    out += [rf"\symcont{option}{{{piece}}}{{{margin}}}" for piece, margin in zip(pieces[1:], margins[1:], strict=True)]
    return out


def ledger(node: Ledger, tongue: Tongue) -> str:
    """A sum, one term a row, values aligned on the point."""
    option = student_option(node.student)
    parts = [_VALUE.fullmatch(term.value) for term in node.terms]
    most = [max((len(p[k]) for p in parts if p), default=0) for k in (1, 2, 3)]
    out = [r"\begin{symledger}"]
    for at, (term, part) in enumerate(zip(node.terms, parts, strict=True)):
        missing = [count - len(part[k]) if part else 0 for k, count in zip((1, 2, 3), most, strict=True)]
        pad = "(" * missing[0] + "{-}" * missing[1] + "0" * missing[2]
        out.append(
            rf"\symterm{option}{{{'+' if at else ''}}}{{{page_math(term.product)}}}{{{relation(term.relation)}}}"
            rf"{{{pad}}}{{{ledger_value(term.value)}}}{{{margin_column(term.margin, tongue)}}}"
        )
    total = node.total
    out.append(
        rf"\symsum{{{page_math(total.left)}}}{{{relation(total.relation)}}}{{{page_math(total.right)}}}"
        rf"{{{margin_column(total.margin, tongue)}}}"
    )
    out.append(r"\end{symledger}")
    return "\n".join(out) + "\n"


def ledger_value(text: str) -> str:
    """A term's value: a numeral, perhaps in parentheses."""
    if text.startswith("(") and text.endswith(")"):
        return f"({numeral(text[1:-1])})"
    return numeral(text)


def matrices(node: Matrices) -> str:
    """Named matrices, as many on a row as fit; a full row of three or more is spread over the width."""
    limit = FULL_MM if node.wide else MAIN_MM
    rows: list[list[str]] = [[]]
    used = 0.0
    for name, grid in node.items:
        mm = 0.87 * (width(name) + width(grid)) + 5.0
        if rows[-1] and used + 6.0 + mm > limit:
            rows.append([])
            used = 0.0
        rows[-1].append(rf"\symmatrix{{{page_math(name)}}}{{{page_math(grid)}}}")
        used += 6.0 * (len(rows[-1]) > 1) + mm
    out = []
    for row in rows:
        spread = node.wide and len(row) > 2
        between, end = (r"\hfil", "") if spread else (r"\hskip8mm", r"\hss")
        out.append(f"\\symmatrices{{{limit:g}mm}}{{{between}}}{{%\n  " + "\\symnext\n  ".join(row) + end + "}\n")
    return "".join(out) if node.items else ""


def step_open(node: Step) -> tuple[str, str, float]:
    """The environment of a step, its opening, and the estimated width of its left column."""
    widths, left_mm = common_left(left_sides(node.blocks))
    widths += common_products(node.blocks)
    rows = sum(len(b.lines) if isinstance(b, Chain) else len(b.terms) if isinstance(b, Ledger) else 0 for b in node.blocks)
    name = "symlongstep" if rows > _ROWS_OF_A_PAGE else "symstep"
    margin = "margin" if node.has_margin else ""
    return name, f"\\begin{{{name}}}{{{escape(node.number)}}}{{{inline(node.title)}}}{{{margin}}}\n{widths}", left_mm
