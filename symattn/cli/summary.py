"""What `worksheet build` and `check` print: a table of verdicts, the errata, and what is left open.

Promises: every finding and every cut or inherited rounding is listed with its right value, its closed form where it is short, and its
cause. Does not promise: colour.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from symattn.claims.model import VERDICTS, Claim, DocumentReport, Report
from symattn.claims.report import counts, hint_text, is_misfit, open_claims, tally
from symattn.errors import visible

if TYPE_CHECKING:
    from symattn.sheets.result import Result

LISTED = ("wrong", "off-by", "undecided", "truncated")
# Headings in two lines, so that a row of numbers stays short.
HEADS = {
    "rounded": ("round-", "ed"), "from-rounded": ("from", "rounded"), "truncated": ("trun-", "cated"), "off-by": ("off", "by"),
    "undecided": ("un-", "decided"), "measured": ("mea-", "sured"), "sentences": ("sen-", "tences"), "read / seen": ("read", "/ seen"),
}  # fmt: skip
SPARED = ("given", "measured")


def summary_lines(results: Sequence[Result], report: Report, strict: bool, width: int = 100) -> list[str]:
    """The table, the errata of each document, the open ones, the total; no line is wider than `width` unless a word or a number is."""
    lines = [*_table(results, report, width), ""]
    for result, document in zip(results, report.documents, strict=True):
        lines += _errata(result, document, width)
    lines += [line for text in _open(report, strict) for line in _wrapped(text, "", width)]
    total = tally(tuple(c for d in report.documents for c in d.claims))
    said = (
        f"{_count(total.claims, 'claim')}: {total.right} right, {_count(total.notes, 'note')}, {_count(total.root, 'error')}, "
        f"{total.inherited} inherited ({total.acknowledged} acknowledged), {total.labels} given or measured"
    )
    lines += _wrapped(said, "", width)
    return lines


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _wrapped(text: str, indent: str, width: int) -> list[str]:
    """A text of any origin in lines; later ones are indented by six."""
    return textwrap.wrap(
        visible(text), width, initial_indent=indent, subsequent_indent="      ", break_on_hyphens=False, break_long_words=False
    )


def _table(results: Sequence[Result], report: Report, width: int) -> list[str]:
    """Headings in one line where there is room, else in two, else without what is no verdict."""
    shown = [v for v in VERDICTS if any(counts(d)[v] for d in report.documents)]
    verdicts = [v for v in shown if v not in SPARED]
    tries = [_rows(results, report, shown, {}), _rows(results, report, shown, HEADS), _rows(results, report, verdicts, HEADS)]
    return next((lines for lines in tries if max(map(len, lines)) <= width), tries[-1])


def _rows(results: Sequence[Result], report: Report, shown: Sequence[str], two: Mapping[str, tuple[str, str]]) -> list[str]:
    heads = ["worksheet", "read / seen", *shown, "sentences"]
    rows = [[two.get(h, (h, ""))[k] for h in heads] for k in range(2 if two else 1)]
    above = len(rows)
    for result, document in zip(results, report.documents, strict=True):
        found = counts(document)
        read = f"{document.understood} / {document.seen}" if result.verified else "-"
        rows.append([visible(result.sheet.name), read, *(str(found[v]) for v in shown), str(len(document.statements))])
    widths = [max(len(row[k]) for row in rows) for k in range(len(heads))]

    def aligned(row: list[str]) -> str:
        return "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]).rstrip()

    return [*map(aligned, rows[:above]), "  ".join("-" * w for w in widths), *map(aligned, rows[above:])]


def _errata(result: Result, document: DocumentReport, width: int) -> list[str]:
    groups: dict[str, list[Claim]] = {}
    for claim in document.claims:
        if (claim.judgement.verdict in LISTED and not claim.judgement.declared) or (claim.known is not None):
            groups.setdefault(claim.known or "", []).append(claim)
    false = [s for s in document.statements if s.status in ("false", "imprecise")]
    if not groups and not false:
        return []
    source = f" ({visible(result.sheet.source)})" if result.sheet.source else ""
    lines = [f"Errata of {visible(result.sheet.name)}{source}, line:column"]
    for cause, claims in sorted(
        groups.items(), key=lambda g: min(LISTED.index(c.judgement.verdict) if c.judgement.verdict in LISTED else 9 for c in g[1])
    ):
        lines += [line for c in claims for line in _wrapped(_claim_line(c), "  ", width)]
        lines += _wrapped(cause, "      ", width)
        hint = next((c for c in claims if c.hint is not None), None)
        if hint is not None:
            lines += _wrapped(hint_text(hint), "      ", width)
    for statement in false:
        lines += _wrapped(f"{statement.line}: {statement.status}: \u201c{statement.quote}\u201d", "  ", width)
        lines += _wrapped(statement.precise, "      ", width)
    return [*lines, ""]


def _claim_line(claim: Claim) -> str:
    found = claim.judgement
    place = f"{claim.spot.line}:{claim.spot.column}" if claim.spot.column else str(claim.spot.line)
    verdict = f"{found.verdict} {found.off:+d}" if found.verdict == "off-by" else found.verdict
    text = f"{place}: {claim.printed} {verdict}"
    if found.right and found.right.lstrip("+") != claim.printed.lstrip("+").rstrip("% "):
        text += f", right {found.right}{'%' if claim.printed.endswith('%') else ''}"
    if claim.closed_form is not None and len(claim.closed_form) <= 60:
        text += f" = {claim.closed_form}"
    elif found.value is not None:
        text += f" ({found.value})"
    if claim.conclusion_changed:
        text += ", changes the order"
    return text


def _open(report: Report, strict: bool) -> list[str]:
    lines = []
    for document, claim in open_claims(report, strict):
        place = f"{document.path}: line {claim.spot.line} of {document.source or 'the document'}"
        if is_misfit(claim):
            lines.append(f"{place}: acknowledged as {claim.expects}, but {claim.printed} is {claim.judgement.verdict}")
        else:
            lines.append(f"{place}: {claim.judgement.verdict}: {claim.printed} is not acknowledged")
    if lines:
        lines.append('Correct the claim; if the document errs, end it with "known ID" and add a block ```known ID VERDICT')
    return lines
