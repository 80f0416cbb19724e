"""Inline text and margin entries as LaTeX: what every block of a page is made of.

Promises: text is escaped by `escape.py` only; a margin entry is `\\symentry[glyph]{verdict}{printed}{word}{notes}`, with notes
`\\symnote{...}` of one line each. Does not promise: to fit: the macros scale what is too long for its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from symattn.errors import RenderError
from symattn.page.math import EMPTY, Math
from symattn.page.nodes import Code, Emph, Formula, Inline, Margin, Strong, Text
from symattn.page.words import GLYPHS, glyph, verdict_word, words
from symattn.render.escape import escape, escape_code
from symattn.render.latex_lines import longest_chunk
from symattn.render.latex_math import PageMath, ProseMath
from symattn.render.latex_width import text_width

PRINTED_MM = 18.5  # a longer printed text stands on its own line of the margin column
_CHUNK_MM = 45.0  # an unbreakable part of a formula in prose that is wider may be scaled: the narrowest column is 50 mm
_PROSE = ProseMath()
_PAGE = PageMath()


@dataclass(frozen=True)
class Tongue:
    """The language of a page and its words, already escaped."""

    lang: str

    def __call__(self, key: str, **values: object) -> str:
        """The word, escaped, its placeholders filled with text that is escaped too."""
        return escape(words(self.lang)[key].format(**values))


def page_math(math: Math) -> str:
    """A formula in a display of the page, without dollar signs."""
    return _PAGE.print(math)


def _formula(item: Formula) -> str:
    latex = f"${_PROSE.print(item.math)}$"
    return latex if longest_chunk(item.math) < _CHUNK_MM else rf"\symbreak\symfit{{\symroom}}{{{latex}}}\symbreak{{}}"


_INLINE: dict[type, Callable[..., str]] = {
    Text: lambda item: escape(item.text),
    Emph: lambda item: rf"\emph{{{escape(item.text)}}}",
    Strong: lambda item: rf"\textbf{{{escape(item.text)}}}",
    Code: lambda item: rf"\texttt{{{escape_code(item.text)}}}",
    Formula: _formula,
}


def inline(items: Iterable[Inline]) -> str:
    """A run of inline text. Raises RenderError for an unknown item."""
    out = []
    for item in items:
        method = _INLINE.get(type(item))
        if method is None:
            raise RenderError(f"LaTeX has no form for the inline node {type(item).__name__}", next_move="add it to latex_inline.py")
        out.append(method(item))
    return "".join(out)


def printed(token: str) -> str:
    """A printed number as the document has it, with a true minus sign."""
    return escape(token.replace("-", "−") if token[:1] == "-" else token)


def badge_options(verdict: str, off: int = 0) -> str:
    """The optional glyph and the verdict argument of a badge macro: `[+1]{off-by}` or `{exact}`."""
    if verdict not in GLYPHS:
        raise RenderError(f"unknown verdict {verdict!r}", next_move=f"use one of {', '.join(GLYPHS)}")
    return rf"[{escape(glyph(verdict, off))}]{{off-by}}" if verdict == "off-by" else f"{{{verdict}}}"


def entry(margin: Margin, tongue: Tongue) -> str:
    """One margin entry with its notes: the operand used, the right value, or a printed text too long for its place."""
    shown = printed(margin.printed)
    notes = []
    if text_width(margin.printed) * 0.82 > PRINTED_MM:
        notes.append(shown)
        shown = ""
    if margin.because != EMPTY:
        notes.append(f"${page_math(margin.because)}$")
    if margin.right:
        notes.append(tongue("correct", x=margin.right.replace("-", "−")))
    word = verdict_word(margin.verdict, tongue.lang, off=margin.off, plural=margin.plural, changes_order=margin.changes_order)
    below = "".join(rf"\symnote{{{note}}}" for note in notes)
    return rf"\symentry{badge_options(margin.verdict, margin.off)}{{{shown}}}{{{escape(word)}}}{{{below}}}"


def margin_column(margins: Iterable[Margin], tongue: Tongue) -> str:
    """All entries of one row."""
    return "".join(entry(margin, tongue) for margin in margins)
