"""What stands around the steps, as LaTeX: facts, key, errata, statements, answer key.

Promises: errata are rows `\\symerratum{step}{\\symerror...}{cause}` that may be parted from each other by a page, the bar above is to
scale; the answer key exists in both versions of the source and is typeset in the version for students only.
Does not promise: any order of its own; rows come as the page gives them.
"""

from __future__ import annotations

from symattn.errors import RenderError
from symattn.page.math import EMPTY
from symattn.page.nodes import Answer, AnswerKey, Errata, Erratum, Facts, Key, Margin, Statements
from symattn.page.words import count_word, verdict_word, words
from symattn.render.escape import escape
from symattn.render.latex_inline import Tongue, badge_options, inline, page_math, printed
from symattn.render.latex_lines import split
from symattn.render.latex_math import numeral
from symattn.render.latex_width import text_width

# verdict: (colour of its part of the bar). Labels without a verdict are not in the bar.
_BAR = {
    "exact": "symgood",
    "rounded": "symgood!45!white",
    "truncated": "symnote!70!white",
    "from-rounded": "symnote!35!white",
    "off-by": "symbad",
    "wrong": "symbad",
    "undecided": "symhair",
}
_BAR_MM = 164.0
_STACK = 24  # printed numbers of one cause that stay together on a page
_ERROR_MM = (18.0, 14.0)
_EVIDENCE_MM = 74.0  # of a column of 70 mm in type of nine tenths


def facts(node: Facts) -> str:
    """The grey table of pairs under the opening text."""
    pairs = "%\n".join(rf"\symfact{{{escape(head)}}}{{{inline(value)}}}" for head, value in node.items)
    return rf"\symfacts{{{pairs}}}"


def key(node: Key, tongue: Tongue) -> str:
    """How to read the margin; the students' version lists the same verdicts under an invitation."""
    rows, glyphs = [], []
    for verdict in node.verdicts:
        word = escape(verdict_word(verdict, tongue.lang))
        options = badge_options(verdict)
        rows.append(rf"\symkeyrow{options}{{{word}}}")
        glyphs.append(rf"\symkeyglyph{options}{{{word}}}")
    return (
        rf"\symkey{{{tongue('key.title')}}}{{%" + "\n" + "%\n".join(rows) + rf"}}{{{tongue('key.title.blank')}}}"
        rf"{{{tongue('key.text.blank')}}}{{%" + "\n" + "%\n".join(glyphs) + "}"
    )


# -- errata -----------------------------------------------------------------------------------------------------------
def errata(node: Errata, tongue: Tongue) -> str:
    """Totals in a sentence and a bar, then a row a cause."""
    out = [inline(node.intro) + "\n"] if node.intro else []
    if any(count for _, count in node.counts):
        out.append(_bar(node.counts, tongue))
    if not node.rows:
        return "\n".join([*out, tongue("errata.none")]) + "\n"
    heads = "}{".join(tongue(word) for word in ("step", "printed", "errata.right", "errata.cause"))
    out += [r"\symtoprule", rf"\symerratahead{{{heads}}}", r"\symmidrule"]
    for at, row in enumerate(node.rows):
        if at:
            out.append(r"\symhairrule")
        out += _erratum(row)
    out.append(r"\symbottomrule")
    return "\n".join(out) + "\n"


def _bar(counts: tuple[tuple[str, int], ...], tongue: Tongue) -> str:
    drawn = [(verdict, count) for verdict, count in counts if count > 0 and verdict in _BAR]
    total = sum(count for _, count in drawn)
    parts = "".join(rf"\symbarpart{{{_BAR_MM * count / total:.3f}mm}}{{{_BAR[verdict]}}}" for verdict, count in drawn)
    labels = []
    for verdict, count in counts:
        if count > 0:
            labels.append(rf"\symcount{badge_options(verdict)}{{{count} {escape(count_word(verdict, count, tongue.lang))}}}")
    return rf"\symbar{{{parts}}}{{{''.join(labels)}}}" + "\n"


def _erratum(row: Erratum) -> list[str]:
    chunks = [row.entries[at : at + _STACK] for at in range(0, max(len(row.entries), 1), _STACK)]
    out = []
    for at, chunk in enumerate(chunks):
        stack = "".join(_error(*entry) for entry in chunk)
        if at:
            out.append(r"\penalty0")
        step, cause = (escape(row.step), inline(row.cause)) if at == 0 else ("", "")
        out.append(rf"\symerratum{{{step}}}{{{stack}}}{{{cause}}}")
    return out


def _error(token: str, right: str, margin: Margin) -> str:
    long = 0.92 * text_width(token) > _ERROR_MM[0] or 0.98 * text_width(right) > _ERROR_MM[1]
    macro = "symlongerror" if long else "symerror"
    options = badge_options(margin.verdict, margin.off)
    return rf"\{macro}{options}{{{printed(token)}}}{{{printed(right)}}}"


# -- statements -------------------------------------------------------------------------------------------------------
def statements(node: Statements, tongue: Tongue) -> str:
    """The document's sentences: where, status, quote, our words, evidence."""
    out = [r"\symtoprule\vskip5pt"]
    for at, row in enumerate(node.rows):
        if at:
            out.append(r"\symhairrule")
        place = tongue("statement.line", n=row.line)
        if row.step:
            place = rf"{place}\\{tongue('step.numbered', n=row.step)}"
        pieces = [] if row.evidence == EMPTY else split(row.evidence, _EVIDENCE_MM)
        evidence = "".join(rf"\symevidence{{{piece}}}" for piece in pieces)
        status = escape(_status(row.status, tongue))
        macro = r"\symstatement[bold]" if row.status == "false" else r"\symstatement"
        out.append(rf"{macro}{{{place}}}{{{status}}}{{{escape(row.quote)}}}{{{inline(row.precise)}}}{{{evidence}}}")
    out.append(r"\symbottomrule")
    return "\n".join(out) + "\n"


def _status(status: str, tongue: Tongue) -> str:
    table = words(tongue.lang)
    if f"status.{status}" not in table:
        raise RenderError(f"unknown status {status!r} of a statement")
    return table[f"status.{status}"]


# -- answers ----------------------------------------------------------------------------------------------------------
def answers(node: AnswerKey, tongue: Tongue) -> str:
    """The answers by step, without the heading."""
    out = []
    for number, rows in node.steps:
        title = tongue("step.numbered", n=number) if number[:1].isdigit() else escape(number) or tongue("givens")
        out.append(rf"\symanswerstep{{{title}}}")
        out.append(r"\symanswers{%" + "\n" + "%\n".join(_answer(row) for row in rows) + "}")
    return "\n".join(out) + "\n"


def _answer(row: Answer) -> str:
    entry = ""
    if row.margin is not None:
        entry = rf"\symanswerentry{badge_options(row.margin.verdict, row.margin.off)}{{{printed(row.margin.printed)}}}"
    return rf"\symanswer{{{escape(row.label)}}}{{{page_math(row.name)}}}{{${numeral(row.value)}$}}{{{entry}}}"
