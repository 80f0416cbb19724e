"""Derivations as HTML: the theorem behind its bar, proof lines in one grid, marks as squares with their rule and reason.

Promises: all lines of a proof share one column of relation signs; the word of a mark is there for readers of words. Does not promise:
a line without breaks on a narrow screen.
"""

from __future__ import annotations

from typing import Final

from symattn.page import nodes as n
from symattn.page.math import Math, Sign
from symattn.page.words import mark_word
from symattn.render.html_math import MathStyle, attr, element, esc, formula
from symattn.render.html_page import Html
from symattn.render.terminal_math import flat, is_empty

# Squares of 23 × 23: more ink is stronger.
_FRAME: Final = '<path d="M1 1h21v21H1z"/>'
_DOT: Final = '<path d="M{} {}a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0" class="ink"/>'
_FIVE: Final = "".join(_DOT.format(x, y) for x, y in ((4.8, 6.5), (14.8, 6.5), (9.8, 11.5), (4.8, 16.5), (14.8, 16.5)))
MARKS: Final = {
    "proved-all-sizes": '<path d="M0 0h23v23H0z" class="ink"/>',
    "proved-at-sizes": _FRAME + '<path d="M1 22V1h21z" class="ink"/>',
    "sampled": _FRAME + _FIVE,
    "enclosed": '<path d="M1 7V1h6M16 1h6v6M22 16v6h-6M7 22H1v-6"/>' + _DOT.format(9.8, 11.5),
    "observed": _FRAME + '<path d="M7 11.5a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0"/>',
    "undecided": '<path d="M1 1h21v21H1z" stroke-dasharray="4 3"/>',
    "admitted": _FRAME,
    "rejected": _FRAME + '<path d="M1 1l21 21M22 1L1 22"/>',
}


def mark(page: Html, kind: str) -> str:
    """The square of a kind of evidence, with its word for readers of words. Raises RenderError for an unknown kind."""
    word = esc(mark_word(kind, page.lang))
    return f'<span class="mark {kind}" title="{word}"><svg viewBox="0 0 23 23" aria-hidden="true">{MARKS[kind]}</svg></span>'


def theorem(page: Html, node: n.Theorem) -> str:
    """The statement with all that it supposes."""
    label = f'<strong class="label">{esc(node.label)}</strong> ' if node.label else ""
    out = []
    for block in node.blocks:
        if isinstance(block, n.Paragraph):
            out.append(f'<p class="prose">{label}{page.inline(block.items)}</p>')
            label = ""
        else:
            out.append(page.block(block))
    return f'<section class="theorem">{"".join(out)}</section>'


def _margin(page: Html, node: n.Mark) -> str:
    word = f'<span class="sr">{esc(mark_word(node.kind, page.lang))}</span>'
    reason = f'<span class="reason">{page.inline(node.reason)}</span>' if node.reason else ""
    return f'<span class="why-line">{mark(page, node.kind)}<span><strong>{esc(node.rule)}</strong>{word}{reason}</span></span>'


def _display(math: Math) -> str:
    return "" if is_empty(math) else element(flat(math), MathStyle(), display=True)


def _line(page: Html, line: n.ProofLine) -> str:
    kind = "row" if line.relation else "row alone"
    relation = f'<span class="rel">{element((Sign(line.relation),), MathStyle())}</span>' if line.relation else ""
    margin = _margin(page, line.mark) if line.mark is not None else ""
    left = f'<span class="lhs">{_display(line.left)}</span>'
    number = f'<span class="line-no">{esc(line.number)}</span>'
    return f'<div class="{kind}">{number}{left}{relation}<span class="rhs">{formula(line.right)}</span>{margin}</div>'


def proof(page: Html, node: n.Proof) -> str:
    """All stages in one grid, then the mark of the whole."""
    out = []
    for stage in node.stages:
        if stage.title or stage.letter:
            inner = f'<span class="no">{esc(stage.letter)}</span><span>{page.inline(stage.title)}</span>'
            out.append(page.heading(inner, id=page.anchor(f"stage-{stage.letter}"), kind="stage-title"))
        if stage.intro:
            out.append(f'<p class="prose">{page.inline(stage.intro)}</p>')
        out += [_line(page, line) for line in stage.lines]
    closing = f'<span class="rhs prose">{page.inline(node.closing)}</span>'
    out.append(f'<div class="row alone end">{closing}{_margin(page, node.end)}</div>')
    return f'<section class="proof">{"".join(out)}</section>'


def key(page: Html, node: n.ProofKey) -> str:
    """The marks and what they mean."""
    rows = "".join(f"<li>{mark(page, kind)}<span>{esc(mark_word(kind, page.lang))}</span></li>" for kind in node.kinds)
    return f'<ul class="proof-key"{attr("aria-label", esc(page.words["marks"]))}>{rows}</ul>'
