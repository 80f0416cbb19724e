"""The document's sentences on a page: quote, status, our words, the evidence.

Promises: the evidence shown is the relation that was proven, with its numbers. Does not promise: that a formula exhausts a
sentence; the words beside it say what is meant.
"""

from __future__ import annotations

import re

from symattn.page import math as m
from symattn.page import nodes as n
from symattn.page.words import words
from symattn.sheets.compiled import Comparison, Compiled
from symattn.sheets.notation import entry_math
from symattn.sheets.prose import inline
from symattn.sheets.result import Result, Spoken, distinguishing_places
from symattn.sheets.trace import Entry, inner
from symattn.sheets.typeset import number_math, typeset, width_mm
from symattn.sheets.values import compact, rounded, shown

MAX_MM = 90.0
SIGNS = {"==": "=", "!=": "≠", "<": "<", "<=": "≤", ">": ">", ">=": "≥"}


def statements_section(result: Result, lang: str) -> n.Section:
    """All sentences, in the order of the document."""
    table = words(lang)
    ordered = sorted(result.spoken, key=lambda s: s.block.source_line)
    rows = tuple(_statement(result, s, lang) for s in ordered)
    return n.Section(table["at-the-end"], table["statements"], (n.Statements(rows),), "statements")


def _statement(result: Result, spoken: Spoken, lang: str) -> n.Statement:
    block = spoken.block
    precise = inline(block.precise[lang], result.sheet.place(block.line))
    return n.Statement(block.source_line, block.quote, spoken.status, precise, evidence_math(result.compiled, spoken))


def evidence_math(compiled: Compiled, spoken: Spoken) -> m.Math:
    """The theorems behind the sentence, then the first proven relations, each in symbols and in numbers, as far as they fit."""
    pieces: list[m.Math] = []
    for code in spoken.block.theorems:
        pieces.extend((m.Sign(";"), m.Sign(" "), m.Words(code.text)) if pieces else (m.Words(code.text),))
    for relation in spoken.proof:
        piece = relation_math(compiled, relation)
        if pieces and sum(width_mm(p) + 4 for p in pieces) + width_mm(piece) > MAX_MM:
            break
        pieces.extend((m.Sign(";"), m.Sign(" "), piece) if pieces else (piece,))
    return m.Row(tuple(pieces)) if len(pieces) != 1 else pieces[0]


def relation_math(compiled: Compiled, relation: Comparison) -> m.Math:
    """`t < s: 0.3387 < 0.6775`. Symbols that would not fit stand as the worksheet wrote them, or else the numbers alone."""

    def leaf(entry: Entry) -> m.Math:
        if inner(entry.stage):  # a number of a literal: its stage has no name that people know
            return number_math(shown(compiled.quantities.of(entry.stage, entry.index), 4).text)
        return entry_math(compiled.program, entry)

    symbols, numbers = [], []
    places = distinguishing_places(compiled, relation)
    for entry in relation.chain:
        trace = compiled.tracer.trace(entry)
        if inner(entry.stage):
            symbols.append(typeset(trace.tree, lambda key, t=trace: leaf(t.leaves[key])))  # type: ignore[misc]
        else:
            symbols.append(entry_math(compiled.program, entry))
        q = compiled.quantities.of(entry.stage, entry.index)
        whole = shown(q, 0)
        numbers.append(number_math(compact(whole.text) if whole.exact else rounded(q, places)))
    in_symbols, in_numbers = _joined(symbols, relation.signs), _joined(numbers, relation.signs)
    if width_mm(in_symbols) > MAX_MM:
        in_symbols = _typed(relation.text)
    if in_symbols == in_numbers or width_mm(in_symbols) > MAX_MM:
        return in_numbers
    both = m.Row((in_symbols, m.Sign(":"), m.Sign(" "), in_numbers))
    return both if width_mm(both) <= MAX_MM else in_symbols if width_mm(in_numbers) > MAX_MM else both


def _typed(text: str) -> m.Math:
    """A relation as it was written, with the signs of formulas."""
    pieces = re.split(r"\s*(==|!=|<=|>=|<|>)\s*", text.strip())
    sides: list[m.Math] = [m.Words(piece.replace("**", "^").replace(" * ", " · ")) for piece in pieces[::2]]
    return _joined(sides, tuple(pieces[1::2]))


def _joined(sides: list[m.Math], signs: tuple[str, ...]) -> m.Math:
    row: list[m.Math] = [sides[0]]
    for sign, side in zip(signs, sides[1:], strict=True):
        row.extend((m.Sign(SIGNS[sign]), side))
    return m.Row(tuple(row))
