"""Formulas as MathML Core, with the boxes of results as HTML around them.

Promises: every leaf passes `esc`; one `<math>` element holds one formula or, where a row is long or holds boxes, one run of it, each
with an `alttext`; nothing is drawn by script or image. A formula may break before a plus or relation sign, which MathML alone
cannot do. Does not promise: that a reader without MathML sees more than the text of the leaves.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from symattn.errors import RenderError
from symattn.page.math import SIGNS, Big, Box, Fence, Fraction, Grid, Math, Name, Number, Root, Row, Script, Sign, Words
from symattn.render.leaf import visible
from symattn.render.terminal_math import ADDITIVE, RELATIONS, UNICODE, flat, is_empty, is_unary, math_text, unwrap

_SIGNS: Final = {"-": "−", "*": "∗"}
_ORDINARY: Final = frozenset("⊤∞…%")
_TIGHT: Final = frozenset("/|√")
_PAIRS: Final = ("()", "[]", "{}", "||", "‖‖", "⟨⟩")
_OPERATORS: Final = {"sum": "∑", "prod": "∏", "max": "max"}
_ACCENTS: Final = {"hat": "^", "tilde": "~", "bar": "¯", "dot": "˙"}
LONG: Final = 30  # characters after which a row may break, so that it fits a phone


def esc(text: str) -> str:
    """The one place where text of a document becomes HTML: safe in content and in quoted attributes."""
    return html.escape(visible(text), quote=True)


def attr(name: str, value: str) -> str:
    """An attribute whose value is already safe; nothing for an empty value."""
    return f' {name}="{value}"' if value else ""


def data_number(id: str) -> str:
    """The attribute by which a page finds a number again."""
    return attr("data-number", esc(id))


@dataclass(frozen=True)
class MathStyle:
    """How formulas of a line are shown: `results` and `terms` say whether those boxes are empty (student version), `identity` makes
    the attributes of a box from its id."""

    results: bool = False
    terms: bool = False
    identity: Callable[[str], str] = data_number


SHOWN: Final = MathStyle()


def mathml(math: Math, style: MathStyle = SHOWN) -> str:
    """The inside of a `<math>` element. Raises RenderError for a node, pair, accent or operator without a method."""
    method = METHODS.get(type(math))
    if method is None:
        raise RenderError(f"no MathML for the formula node {type(math).__name__}")
    return method(math, style)


def _number(node: Number, style: MathStyle) -> str:
    if node.text[:1] in ("-", "+") and len(node.text) > 1:
        sign = _SIGNS.get(node.text[0], node.text[0])
        return f'<mrow><mo form="prefix">{sign}</mo><mn>{esc(node.text[1:])}</mn></mrow>'
    return f"<mn>{esc(node.text)}</mn>"


def _name(node: Name, style: MathStyle) -> str:
    kind = ' mathvariant="normal"' if node.upright else ""
    body = f"<mi{kind}>{esc(node.text)}</mi>"
    if not node.accent:
        return body
    accent = _ACCENTS.get(node.accent)
    if accent is None:
        raise RenderError(f"no MathML for the accent {node.accent!r}", next_move=f"use one of {', '.join(_ACCENTS)}")
    return f'<mover accent="true">{body}<mo stretchy="false">{accent}</mo></mover>'


def _sign(node: Sign, style: MathStyle) -> str:
    if node.text == " ":
        return '<mspace width="0.28em"/>'
    if node.text not in SIGNS:
        raise RenderError(f"no MathML for the sign {node.text!r}", next_move="use one of page.math.SIGNS")
    shown = esc(_SIGNS.get(node.text, node.text))
    if node.text in _ORDINARY:
        return f'<mi mathvariant="normal">{shown}</mi>'
    if node.text in _TIGHT:
        return f'<mo lspace="0.06em" rspace="0.06em" stretchy="false">{shown}</mo>'
    return f"<mo>{shown}</mo>"


def _words(node: Words, style: MathStyle) -> str:
    text = node.text
    before, after = len(text) - len(text.lstrip(" ")), len(text) - len(text.rstrip(" "))
    core = text.strip(" ")
    # spaces at the ends would collapse
    space = "\u00a0"
    return f"<mtext>{esc(space * before + core + (space * after if core else ''))}</mtext>"


def _row(node: Row, style: MathStyle) -> str:
    return f"<mrow>{run(flat(node), style)}</mrow>"


def run(items: tuple[Math, ...], style: MathStyle, *, continued: bool = False) -> str:
    """Items side by side. An additive sign before its number is a prefix; `continued` keeps the first sign between two things."""
    out = []
    for at, item in enumerate(items):
        if isinstance(item, Sign) and item.text in ADDITIVE:
            infix = continued if at == 0 else not is_unary(items, at)
            out.append(f'<mo form="{"infix" if infix else "prefix"}">{esc(_SIGNS.get(item.text, item.text))}</mo>')
        elif at == 0 and continued and isinstance(item, Sign) and item.text in RELATIONS:
            out.append(f'<mo form="infix">{esc(item.text)}</mo>')
        else:
            out.append(mathml(item, style))
    return "".join(out)


def _script(node: Script, style: MathStyle) -> str:
    base = mathml(node.base, style)
    sub, sup = not is_empty(node.sub), not is_empty(node.sup)
    if sub and sup:
        return f"<msubsup>{base}{mathml(node.sub, style)}{mathml(node.sup, style)}</msubsup>"
    if sub:
        return f"<msub>{base}{mathml(node.sub, style)}</msub>"
    return f"<msup>{base}{mathml(node.sup, style)}</msup>" if sup else base


def _fraction(node: Fraction, style: MathStyle) -> str:
    return f"<mfrac>{mathml(node.num, style)}{mathml(node.den, style)}</mfrac>"


def _root(node: Root, style: MathStyle) -> str:
    return f"<msqrt>{mathml(node.body, style)}</msqrt>"


def _fence(node: Fence, style: MathStyle) -> str:
    if node.pair not in _PAIRS:
        raise RenderError(f"no MathML for the pair {node.pair!r}", next_move=f"use one of {' '.join(_PAIRS)}")
    # around plain things the parentheses keep the size of the line; first and last place say which one opens
    small = attr("stretchy", "" if is_tall(node.body) else "false")
    return f"<mrow><mo{small}>{node.pair[0]}</mo>{mathml(node.body, style)}<mo{small}>{node.pair[1]}</mo></mrow>"


def is_tall(math: Math) -> bool:
    """Does it rise above a line of text?"""
    match math:
        case Row(items):
            return any(is_tall(item) for item in items)
        case Script(base, _, sup):
            return is_tall(base) or is_tall(sup)
        case Fence(body) | Box(body):
            return is_tall(body)
        case Fraction() | Root() | Big() | Grid():
            return True
    return False


def _big(node: Big, style: MathStyle) -> str:
    sign = _OPERATORS.get(node.kind)
    if sign is None:
        raise RenderError(f"no MathML for the operator {node.kind!r}", next_move=f"use one of {', '.join(_OPERATORS)}")
    large = attr("largeop", "true" if sign in "∑∏" else "")
    operator = f'<mo movablelimits="true"{large}>{sign}</mo>'
    lower, upper = not is_empty(node.lower), not is_empty(node.upper)
    if lower and upper:
        operator = f"<munderover>{operator}{mathml(node.lower, style)}{mathml(node.upper, style)}</munderover>"
    elif lower:
        operator = f"<munder>{operator}{mathml(node.lower, style)}</munder>"
    elif upper:
        operator = f"<mover>{operator}{mathml(node.upper, style)}</mover>"
    return f"<mrow>{operator}{mathml(node.body, style)}</mrow>"


def _grid(node: Grid, style: MathStyle) -> str:
    wide = max((len(math_text(entry)) for row in node.rows for entry in row), default=1)
    rows = "".join("<mtr>" + "".join(f"<mtd>{mathml(entry, style)}</mtd>" for entry in row) + "</mtr>" for row in node.rows)
    names = ""
    if any(node.labels):
        # each name stands on a row as high as its entries
        strut = '<mpadded width="0"><mphantom><mn>0</mn></mphantom></mpadded>'
        padded = [*node.labels, *[""] * (len(node.rows) - len(node.labels))]
        labels = "".join(f"<mtr><mtd><mrow>{strut}<mtext>{esc(name)}</mtext></mrow></mtd></mtr>" for name in padded)
        names = f'<mtable class="names">{labels}</mtable>'
    return (
        f'<mrow>{names}<mo form="prefix" stretchy="true">(</mo><mtable class="grid" style="--c:{wide}">{rows}</mtable>'
        '<mo form="postfix" stretchy="true">)</mo></mrow>'
    )


def _box(node: Box, style: MathStyle) -> str:
    """A box inside another construct; boxes on the row itself are HTML, see `formula`."""
    if style.terms if node.kind == "term" else style.results:
        kind = "term" if node.kind == "term" else "result"
        return f'<mtext><span class="box {kind} blank"{style.identity(node.id)}>{_label(node)}</span></mtext>'
    body = mathml(node.body, style)
    return body if node.kind == "term" else f'<mrow class="tint"{style.identity(node.id)}>{body}</mrow>'


METHODS: dict[type, Callable[[Any, MathStyle], str]] = {
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


def _label(node: Box) -> str:
    return f'<span class="label">{esc(node.label)}</span>' if node.label else ""


def element(items: tuple[Math, ...], style: MathStyle, *, display: bool = False, continued: bool = False) -> str:
    """One `<math>` element with its alternative text."""
    alt = math_text(Row(items), UNICODE, results=style.results, terms=style.terms)
    if continued and isinstance(items[0], Sign) and items[0].text in ADDITIVE:
        alt = f"{alt[0]} {alt[1:].lstrip(' ')}"  # here the sign adds; it is not part of a number
    big = attr("displaystyle", "true" if display and any(is_tall(item) for item in items) else "")
    return f'<math alttext="{esc(alt)}"{big}>{run(items, style, continued=continued)}</math>'


def inline(math: Math, style: MathStyle = SHOWN) -> str:
    """A formula inside a sentence."""
    return "" if is_empty(math) else element(flat(math), style)


def formula(math: Math, style: MathStyle = SHOWN) -> str:
    """A formula on a row of its own: boxes stand in HTML between runs of MathML, long rows may break before + and =, never after."""
    items = flat(math)
    long = len(math_text(math)) > LONG
    groups: list[list[str]] = [[]]
    part: list[Math] = []

    def close() -> None:
        if part:
            continued = len(groups) > 1 or bool(groups[0])
            groups[-1].append(element(tuple(part), style, display=True, continued=continued))
            part.clear()

    for at, item in enumerate(items):
        gap = isinstance(item, Words) and not item.text.strip()
        sign = isinstance(item, Sign) and (item.text in RELATIONS or (item.text in ADDITIVE and not is_unary(items, at)))
        if gap or (sign and at > 0 and (long or any(isinstance(x, Box) for x in items))):
            close()
            groups.append(['<span class="gap"></span>'] if gap else [])
        if gap:
            continue
        if isinstance(item, Box) and (item.kind != "term" or style.terms):
            close()
            groups[-1].append(_html_box(item, style))
        else:
            part.append(item)
    close()
    return "<wbr>".join(group[0] if len(group) == 1 else f'<span class="k">{"".join(group)}</span>' for group in groups if group)


def _html_box(node: Box, style: MathStyle) -> str:
    kind = "term" if node.kind == "term" else "result"
    if style.terms if kind == "term" else style.results:
        return f'<span class="box {kind} blank"{style.identity(node.id)}>{_label(node)}</span>'
    return f'<span class="box {kind}"{style.identity(node.id)}>{element((unwrap(node.body),), style, display=True)}</span>'
