"""Worksheet prose (a little Markdown) to page nodes.

Promises: raw HTML, links and images stay text; mathematics goes through sheets/texmath.py. Does not promise: all of
CommonMark; a construct that a page cannot carry is a SheetError.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from symattn.errors import Place, SheetError
from symattn.page import math as m
from symattn.page import nodes as n
from symattn.sheets.texmath import read_tex

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@cache
def _parser() -> MarkdownIt:
    # Loaded on first use: commands that read no prose answer without it.
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark", {"html": False}).disable(["link", "image", "autolink", "html_inline", "html_block", "reference"])
    return parser.use(dollarmath_plugin, allow_space=True, allow_digits=True, double_inline=False)


def blocks(text: str, place: Place) -> tuple[n.Block, ...]:
    """The paragraphs and lists of `text`."""
    found: list[n.Block] = []
    tokens = _parser().parse(text)
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type == "paragraph_open":
            found.append(n.Paragraph(_inline(tokens[at + 1], place)))
            at += 3
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            items = []
            level = token.level
            at += 1
            while not (tokens[at].type.endswith("_list_close") and tokens[at].level == level):
                if tokens[at].type == "inline":
                    items.append(_inline(tokens[at], place))
                at += 1
            found.append(n.Bullets(tuple(items)))
            at += 1
        else:
            raise SheetError(f"prose cannot hold a {token.type.removesuffix('_open')}", place=place, next_move="use paragraphs and lists")
    return tuple(found)


def inline(text: str, place: Place) -> tuple[n.Inline, ...]:
    """`text` as one run of inline nodes (titles, captions, causes)."""
    tokens = _parser().parseInline(text)
    return _inline(tokens[0], place) if tokens else ()


def _inline(token: Token, place: Place) -> tuple[n.Inline, ...]:
    items: list[n.Inline] = []
    style = ""
    for child in token.children or []:
        match child.type:
            case "text":
                if child.content:
                    items.append(
                        n.Emph(child.content) if style == "em" else n.Strong(child.content) if style == "strong" else n.Text(child.content)
                    )
            case "em_open" | "strong_open":
                style = child.type.removesuffix("_open")
            case "em_close" | "strong_close":
                style = ""
            case "code_inline":
                items.append(n.Code(child.content))
            case "softbreak" | "hardbreak":
                items.append(n.Text(" "))
            case "math_inline":
                try:
                    items.append(n.Formula(read_tex(child.content)))
                except SheetError as error:
                    raise error.at(place) from None
            case _:
                raise SheetError(f"prose cannot hold {child.type}", place=place)
    return tuple(items)


def plain(items: tuple[n.Inline, ...]) -> str:
    """The words of inline nodes, for titles, reports and messages; a formula becomes text."""
    return "".join(formula_text(item.math) if isinstance(item, n.Formula) else item.text for item in items).strip()


def formula_text(body: m.Math) -> str:
    """A prose formula as plain text: √(n), e^x, (a)/(b)."""
    match body:
        case m.Number(text) | m.Name(text) | m.Words(text):
            return text
        case m.Sign(text):
            return f" {text} " if text in "=≈≠<>≤≥→∈+" else text
        case m.Row(items):
            return "".join(map(formula_text, items))
        case m.Script(base, sub, sup):
            below, above = formula_text(sub), formula_text(sup)
            return formula_text(base) + (f"_{_grouped(below)}" if below else "") + (f"^{_grouped(above)}" if above else "")
        case m.Fraction(a, b):
            return f"{_grouped(formula_text(a))}/{_grouped(formula_text(b))}"
        case m.Root(x):
            return f"√{_grouped(formula_text(x))}"
        case m.Fence(x, pair):
            return f"{pair[0]}{formula_text(x)}{pair[-1]}"
        case m.Big(kind, lower, _, x):
            return f"{'Σ' if kind == 'sum' else kind}_{_grouped(formula_text(lower))} {formula_text(x)}"
        case m.Grid(rows, _):
            return "[" + "; ".join(", ".join(map(formula_text, row)) for row in rows) + "]"
        case m.Box(x):
            return formula_text(x)


def _grouped(text: str) -> str:
    return text if text.isalnum() or len(text) <= 1 else f"({text})"
