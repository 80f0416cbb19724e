"""Derivations as terminal text: the rule and the reason of a line stand under it, after its mark.

Promises: line numbers at column 1, formulas at 5, marks at 9; the word of a mark is in the key. Does not promise: an unbroken formula.
"""

from __future__ import annotations

from symattn.page import nodes as n
from symattn.page.words import MARKS, mark_word
from symattn.render.leaf import cell_width
from symattn.render.terminal_math import is_empty, unmark
from symattn.render.terminal_writer import LEFT_CAP, TEXT_EDGE, Writer, wrap, wrap_formula

MARK_EDGE = 8


def sign(text: Writer, kind: str) -> str:
    """The sign of a kind of evidence. Raises RenderError for an unknown one."""
    mark_word(kind, text.lang)
    return MARKS[kind][1 if text.ascii else 0]


def theorem(text: Writer, node: n.Theorem) -> None:
    """The statement with all that it supposes."""
    label = text.leaf(node.label)
    for block in node.blocks:
        if isinstance(block, n.Paragraph):
            text.space()
            text.prose(f"{label} {text.inline(block.items)}".strip())
            label = ""
        else:
            text.set_left((block,))
            text.block(block)
            text.left = 0


def _mark(text: Writer, node: n.Mark) -> None:
    shown = sign(text, node.kind)
    reason = text.inline(node.reason)
    words = text.leaf(node.rule) + (f" {text.own('·')} {reason}" if reason else "")
    style = "bad" if node.kind == "rejected" else "accent"
    indent = MARK_EDGE + cell_width(shown) + 1
    for at, row in enumerate(wrap(words, text.width - indent)):
        head = " " * MARK_EDGE + text.paint(shown, style) + " " if at == 0 else " " * indent
        text.put(head + text.paint(row, "grey"))


def _line(text: Writer, line: n.ProofLine, left_width: int) -> None:
    left = text.math(line.left)
    relation = text.own(line.relation)
    number = text.leaf(line.number)
    head = text.paint(number, "grey") + " " * max(TEXT_EDGE - cell_width(number), 1)
    if relation:
        head += f"{left}{' ' * max(left_width - cell_width(unmark(left)), 0)} {relation} "
    elif not is_empty(line.left):
        head += f"{left} "
    plain = cell_width(number) + max(TEXT_EDGE - cell_width(number), 1)
    indent = plain + (max(left_width, cell_width(unmark(left))) + 3 if relation else 0)
    pieces = wrap_formula(text.math(line.right), text.width - indent)
    for at, piece in enumerate(pieces):
        text.put((head if at == 0 else " " * indent) + piece)
    if line.mark is not None:
        _mark(text, line.mark)


def proof(text: Writer, node: n.Proof) -> None:
    """All stages with one column of relation signs, then the mark of the whole."""
    lefts = [cell_width(unmark(text.math(line.left))) for stage in node.stages for line in stage.lines if line.relation]
    left = min(max(lefts, default=0), LEFT_CAP)
    for stage in node.stages:
        text.space()
        if stage.letter or stage.title:
            letter = text.leaf(stage.letter)
            head = text.paint(letter, "accent") + " " * max(TEXT_EDGE - cell_width(letter), 1)
            text.put(head + text.paint(text.inline(stage.title), "bold"))
        if stage.intro:
            text.prose(text.inline(stage.intro))
        for line in stage.lines:
            _line(text, line, left)
    text.space()
    if node.closing:
        text.prose(text.inline(node.closing))
    _mark(text, node.end)


def key(text: Writer, node: n.ProofKey) -> None:
    """The marks and what they mean."""
    text.space()
    row = ""
    for kind in node.kinds:
        entry = f"{sign(text, kind)} {text.own(mark_word(kind, text.lang))}"
        if row and cell_width(row) + 3 + cell_width(entry) > text.width - TEXT_EDGE:
            text.put(" " * TEXT_EDGE + text.paint(row, "grey"))
            row = ""
        row += ("   " if row else "") + entry
    text.put(" " * TEXT_EDGE + text.paint(row, "grey"))
