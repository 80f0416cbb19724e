"""What `worksheet build` and `check` print: a table of verdicts, the errata, and what is left open.

Promises: every finding and every cut or inherited rounding is listed with its right value, its closed form where it is short, and its
cause. Does not promise: colour.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symattn.claims.model import VERDICTS, Claim, DocumentReport, Report
from symattn.claims.report import counts, hint_text, is_misfit, open_claims, tally
from symattn.errors import visible

if TYPE_CHECKING:
    from symattn.sheets.result import Result

WIDTH = 100
LISTED = ("wrong", "off-by", "undecided", "truncated")
HEADS = {"from-rounded": "from-r.", "truncated": "trunc.", "undecided": "undec.", "measured": "meas."}


def summary_lines(results: Sequence[Result], report: Report, strict: bool) -> list[str]:
    """The table, the errata of each document, the open ones, the total."""
    lines = [*_table(results, report), ""]
    for result, document in zip(results, report.documents, strict=True):
        lines += _errata(result, document)
    lines += _open(report, strict)
    total = tally(tuple(c for d in report.documents for c in d.claims))
    lines.append(
        f"{total.claims} printed numbers and conclusions: {total.right} right, {total.notes} cut or undecided, {total.root} errors and "
        f"{total.inherited} inherited from them ({total.acknowledged} acknowledged), {total.labels} given or measured"
    )
    return lines


def _table(results: Sequence[Result], report: Report) -> list[str]:
    shown = [v for v in VERDICTS if any(counts(d)[v] for d in report.documents)]
    head = ["worksheet", "seen", "read", *(HEADS.get(v, v) for v in shown), "sentences"]
    rows = []
    for result, document in zip(results, report.documents, strict=True):
        found = counts(document)
        seen = str(document.seen) if result.verified else "-"
        read = str(document.understood) if result.verified else "-"
        rows.append([visible(result.sheet.name), seen, read, *(str(found[v]) for v in shown), str(len(document.statements))])
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]

    def aligned(row: list[str]) -> str:
        return "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]).rstrip()

    return [aligned(head), "  ".join("-" * w for w in widths), *map(aligned, rows)]


def _errata(result: Result, document: DocumentReport) -> list[str]:
    groups: dict[str, list[Claim]] = {}
    for claim in document.claims:
        if (claim.judgement.verdict in LISTED and not claim.judgement.declared) or (claim.known is not None):
            groups.setdefault(claim.known or "", []).append(claim)
    false = [s for s in document.statements if s.status in ("false", "imprecise")]
    if not groups and not false:
        return []
    lines = [f"Errata of {visible(result.sheet.source or result.sheet.name)}"]
    for cause, claims in sorted(
        groups.items(), key=lambda g: min(LISTED.index(c.judgement.verdict) if c.judgement.verdict in LISTED else 9 for c in g[1])
    ):
        lines += [_claim_line(c) for c in claims]
        if cause:
            lines += textwrap.wrap(visible(cause), WIDTH, initial_indent="      ", subsequent_indent="      ")
        hint = next((c for c in claims if c.hint is not None), None)
        if hint is not None:
            lines.append(f"      {hint_text(hint)}")
    for statement in false:
        lines.append(f"  {statement.line}: {statement.status}: \u201c{visible(statement.quote)}\u201d")
        lines += textwrap.wrap(visible(statement.precise), WIDTH, initial_indent="      ", subsequent_indent="      ")
    return [*lines, ""]


def _claim_line(claim: Claim) -> str:
    found = claim.judgement
    place = f"{claim.spot.line}:{claim.spot.column}" if claim.spot.column else str(claim.spot.line)
    verdict = f"{found.verdict} {found.off:+d}" if found.verdict == "off-by" else found.verdict
    text = f"  {place}: {visible(claim.printed)} {verdict}"
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
        place = f"{visible(document.path)}: line {claim.spot.line} of {visible(document.source or 'the document')}"
        if is_misfit(claim):
            lines.append(f"{place}: acknowledged as {claim.expects}, but {visible(claim.printed)} is {claim.judgement.verdict}")
        else:
            lines.append(f"{place}: {claim.judgement.verdict}: {visible(claim.printed)} is not acknowledged")
    return lines
