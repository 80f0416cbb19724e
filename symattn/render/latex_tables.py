"""Tables and heat maps as LaTeX.

Promises: booktabs manner, captions of tables above and of figures below, a heat map on the fixed scale 0 to 1 drawn cell by cell
with `\\symheat{column}{row}{percent}{number}` and `\\symmasked{column}{row}`. In the version for students labelled cells and the
cells of a heat map are empty and keep their size. Does not promise: more than 32 names on an axis; above 12 tokens no numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction as Q
from itertools import pairwise

from symattn.errors import RenderError
from symattn.page.nodes import Cell, Formula, HeatMap, Inline, Table
from symattn.render.escape import escape
from symattn.render.latex_inline import Tongue, badge_options, inline, printed
from symattn.render.latex_math import numeral
from symattn.render.latex_steps import FULL_MM, MAIN_MM
from symattn.render.latex_width import text_width, width

PAGE_MM = 164.0
_LINES_A_PART = 30
_SIZE = 0.92  # of the text size
_LABEL_SIZE = 0.62
_GUTTER_MM = 4.2
_BADGE_MM = 6.0
_NUMBERS_UP_TO = 12
_NAMES_UP_TO = 32
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


# -- tables -----------------------------------------------------------------------------------------------------------
def table(node: Table, tongue: Tongue, number: int) -> str:
    """A table; `number` counts the captioned tables of the page (0: no caption). Long ones are set in parts with the head repeated."""
    _fits(node)
    columns, spread, widths = _columns(node)
    spec = "@{}" + (r"@{\extracolsep{\fill}}" if spread else "") + "".join(columns) + "@{}"
    opening, closing = ("tabular*}{164mm", "tabular*") if spread else ("tabular", "tabular")
    head = _head(node)
    out = []
    if node.caption:
        out.append(r"\vskip6pt" + rf"\symcaption{{{tongue('table', n=number)}}}{{{inline(node.caption)}}}\nobreak")
    edge, room = ("0pt", PAGE_MM) if node.wide else (r"\symindent", MAIN_MM)
    for part in _parts(node, widths):
        lines = [rf"\symtable{{{edge}}}{{{room:g}mm}}{{\begin{{{opening}}}{{{spec}}}\toprule", head, r"\midrule"]
        for at in part:
            if at in node.groups and at != part.start:
                lines.append(r"\symthin")
            lines.append(_row(node, at, tongue))
        lines.append(rf"\bottomrule\end{{{closing}}}}}")
        out.append("\n".join(lines))
    return "\n".join(out) + "\n"


def _fits(node: Table) -> None:
    if set(node.align) - set("lr"):
        raise RenderError(f"unknown column letter in the table alignment {node.align!r}", next_move='use "l" or "r"')
    for row in (node.head, *node.rows):
        if len(row) != len(node.align):
            raise RenderError(f"a table row has {len(row)} cells and the alignment {node.align!r} has {len(node.align)}")


def _badged(node: Table, column: int) -> bool:
    return any(row[column].margin is not None for row in node.rows)


def _columns(node: Table) -> tuple[list[str], bool, dict[int, float]]:
    """Column letters, a column of words that would be too wide as a paragraph column; whether a wide table is to be
    spread; and the widths of the paragraph columns."""
    count = len(node.align)
    natural = [
        max([_LABEL_SIZE * _inline_width(node.head[c]), *(_cell_width(row[c]) for row in node.rows)], default=0.0) for c in range(count)
    ]
    natural = [mm + _BADGE_MM * _badged(node, c) for c, mm in enumerate(natural)]
    room = (PAGE_MM if node.wide else MAIN_MM) - _GUTTER_MM * (count - 1)
    widths: dict[int, float] = {}
    words = sorted((c for c in range(count) if node.align[c] == "l"), key=lambda c: natural[c])
    if sum(natural) > room and words:
        left = room - sum(natural[c] for c in range(count) if node.align[c] != "l")
        for at, c in enumerate(words):
            share = max(left / (len(words) - at), 18.0)
            if natural[c] > share:
                widths[c] = share
            left -= min(natural[c], share)
    spread = node.wide and not widths and sum(natural) < 0.85 * room
    badge = r"@{\extracolsep{0pt}\hskip1.5mm}l@{\extracolsep{\fill}}" if spread else r"@{\hskip1.5mm}l"
    out = []
    for c, letter in enumerate(node.align):
        out.append(rf">{{\raggedright\arraybackslash}}p{{{widths[c]:.1f}mm}}" if c in widths else letter)
        if _badged(node, c):
            out.append(badge)
    return out, spread, widths


def _parts(node: Table, widths: dict[int, float]) -> list[range]:
    """Row numbers of the parts a long table is set in, each short enough for a page."""
    starts, lines = [0], 0
    for at, row in enumerate(node.rows):
        need = max([1, *(math.ceil(1.15 * _cell_width(row[c]) / mm) for c, mm in widths.items())])
        if lines and lines + need > _LINES_A_PART:
            starts.append(at)
            lines = 0
        lines += need
    return [range(a, b) for a, b in pairwise([*starts, len(node.rows)])]


def _inline_width(items: Iterable[Inline]) -> float:
    return sum(width(item.math) if isinstance(item, Formula) else text_width(item.text) for item in items)


def _cell_width(cell: Cell) -> float:
    if cell.number:
        return max(_SIZE * text_width(cell.number), 15.0 if cell.label else 0.0)
    return _SIZE * _inline_width(cell.items)


def _head(node: Table) -> str:
    out = []
    for c, letter in enumerate(node.align):
        badged = _badged(node, c)
        left, right = "@{}" * (c == 0), "@{}" * (badged or c == len(node.align) - 1)
        out.append(rf"\multicolumn{{1}}{{{left}{letter}{right}}}{{\symth{{{inline(node.head[c])}}}}}")
        if badged:
            out.append("")
    return " & ".join(out) + r" \\"


def _row(node: Table, at: int, tongue: Tongue) -> str:
    out = []
    for c, cell in enumerate(node.rows[at]):
        out.append(_cell(cell))
        if _badged(node, c):
            out.append(_badge(cell))
    return "{}" + " & ".join(out) + r" \\"


def _cell(cell: Cell) -> str:
    if cell.number:
        body = rf"$\mathbf{{{numeral(cell.number)}}}$" if cell.strong else f"${numeral(cell.number)}$"
    else:
        body = rf"\textbf{{{inline(cell.items)}}}" if cell.strong else inline(cell.items)
    return rf"\symcell{{{body}}}{{{escape(cell.label)}}}" if cell.label else body


def _badge(cell: Cell) -> str:
    if cell.margin is None:
        return ""
    token = cell.margin.printed
    shown = "" if _same_number(token, cell.number) else printed(token)
    options = badge_options(cell.margin.verdict, cell.margin.off)
    return rf"\symcellbadge{options}{{{shown}}}"


def _same_number(a: str, b: str) -> bool:
    """Is the printed token the number of the cell, perhaps with other zeros at the end?"""
    a, b = a.replace("−", "-"), b.replace("−", "-")
    if not (_DECIMAL.fullmatch(a) and _DECIMAL.fullmatch(b)):
        return a == b
    return Q(a) == Q(b)


# -- heat maps --------------------------------------------------------------------------------------------------------
def heat_map(node: HeatMap, tongue: Tongue) -> str:
    """Attention weights, queries down and keys across."""
    rows, columns = len(node.values), max((len(row) for row in node.values), default=0)
    if len(node.queries) != rows or any(len(row) != len(node.keys) for row in node.values) or not rows or not columns:
        raise RenderError(f"a heat map of {rows} rows and {columns} columns has {len(node.queries)} queries and {len(node.keys)} keys")
    names = max(rows, columns) <= _NAMES_UP_TO
    left = max((0.87 * text_width(name) for name in node.queries), default=0.0) + 9.0 if names else 5.0
    cell = min(17.0, (FULL_MM - left - 34.0) / columns)
    tall = min(9.5, 150.0 / rows) if cell == 17.0 else min(9.5, cell, 150.0 / rows)
    out = [rf"\begin{{symheatmap}}{{{cell:.2f}}}{{{tall:.2f}}}{{{columns}}}{{{rows}}}"]
    for i, row in enumerate(node.values):
        for j, value in enumerate(row):
            if value == "":
                out.append(rf"\symmasked{{{j}}}{{{i}}}")
            else:
                shown = numeral(value) if max(rows, columns) <= _NUMBERS_UP_TO else ""
                out.append(rf"\symheat{{{j}}}{{{i}}}{{{_percent(value)}}}{{{shown}}}")
        name = escape(node.queries[i]) if names else ""
        summed = tongue("heat.sum") if any(row) else tongue("heat.no-key")
        out.append(rf"\symquery{{{i}}}{{{name}}}{{{summed if names else ''}}}")
    turned = any(0.87 * text_width(name) > cell - 1 for name in node.keys)
    longest = max((0.75 * text_width(name) for name in node.keys), default=0.0)
    if names:
        macro = "symkeyturned" if turned else "symkeyname"
        out += [rf"\{macro}{{{j}}}{{{escape(name)}}}" for j, name in enumerate(node.keys)]
    if 0 <= node.framed < rows:
        out.append(rf"\symframed{{{node.framed}}}")
    above = (0.87 * longest + 4.0 if turned else 7.5) if names else 2.0
    out.append(rf"\symaxes{{{tongue('heat.keys')}}}{{{tongue('heat.queries')}}}{{{above:.1f}}}{{{left - 3.0:.1f}}}")
    out += [r"\symscale", r"\end{symheatmap}"]
    if node.caption:
        label = tongue("figure", n=node.number) if node.number else ""
        out.append(rf"\symcaption{{{label}}}{{{inline(node.caption)}}}")
    return "\n".join(out) + "\n"


def _percent(value: str) -> str:
    """A weight as a percentage of ink; the scale is fixed, so what lies outside 0 to 1 is refused."""
    text = value.rstrip("…")
    if not _DECIMAL.fullmatch(text):
        raise RenderError(f"a heat map shows decimals between 0 and 1, not {value!r}")
    weight = Q(text)
    if not 0 <= weight <= 1:
        raise RenderError(f"a heat map shows decimals between 0 and 1, not {value!r}")
    tenths = int(weight * 1000 + Q(1, 2))
    return f"{tenths // 10}.{tenths % 10}"
