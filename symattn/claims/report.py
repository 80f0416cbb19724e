"""Reports: schema `symattn-report/1`, ids, counts, the exit code, and a summary in lines.

Promises: the fields of the schema in their order, numbers that are not counts or places as strings, ids that depend only on where a claim
stands and what is printed there. Does not promise: any judging, or that a quote is free of prose (who makes a claim sees to that).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from symattn.claims.escape import json_text, visible
from symattn.claims.model import FINDINGS, RIGHT, VERDICTS, Claim, DocumentReport, Report, Spot, Statement

SCHEMA = "symattn-report/1"
MAX_QUOTE = 60


# -- ids and quotes ---------------------------------------------------------------------------------------------------
def claim_id(spot: Spot, printed: str, *, kind: str = "number", cell: int | None = None) -> str:
    """`L57C120:+0.461`: line, column and the printed token, with the kind in front where it is not a number (`sum:L81C9:1.000`)
    and the cell of a notebook (`N3L5C2:0.5`). Other characters than those of a number become `_`."""
    token = re.sub(r"[^0-9A-Za-z+\-.,%]", "_", re.sub(r"\s+", "", printed).replace("\u2212", "-").replace("\u2013", "-"))[:40]
    place = f"{'' if cell is None else f'N{cell}'}L{spot.line}C{spot.column}:{token}"
    return place if kind == "number" else f"{kind}:{place}"


def short_quote(quote: str, printed: str, limit: int = MAX_QUOTE) -> str:
    """`quote` in at most `limit` characters, line breaks as spaces: the part before and at the last `printed` is kept, each cut is
    marked with an ellipsis."""
    flat = " ".join(quote.split())
    if len(flat) <= limit:
        return flat
    at = flat.rfind(printed) if printed else 0
    stop = min(len(flat), max(at, 0) + len(printed) + 1)
    start = 0 if stop <= limit - 1 else stop - limit + 2
    end = min(len(flat), start + limit - (2 if start else 1))
    return f"{'…' if start else ''}{flat[start:end]}{'…' if end < len(flat) else ''}"


# -- counting ---------------------------------------------------------------------------------------------------------
def is_right(claim: Claim) -> bool:
    """exact, rounded, from-rounded, or a cut that was declared."""
    found = claim.judgement
    return found.verdict in RIGHT or (found.verdict == "truncated" and found.declared)


def is_finding(claim: Claim) -> bool:
    """off-by or wrong: a failed sum or order is one of them."""
    return claim.judgement.verdict in FINDINGS


def is_note(claim: Claim) -> bool:
    """Cut without saying so, or undecided."""
    found = claim.judgement
    return found.verdict == "undecided" or (found.verdict == "truncated" and not found.declared)


def is_misfit(claim: Claim) -> bool:
    """Is it acknowledged with another verdict than it has?"""
    return claim.known is not None and claim.expects not in ("", claim.judgement.verdict)


def is_acknowledged(claim: Claim) -> bool:
    """Is it acknowledged with the verdict it has?"""
    return claim.known is not None and not is_misfit(claim)


def counts(document: DocumentReport) -> dict[str, int]:
    """How many claims have each verdict, every verdict named."""
    found = dict.fromkeys(VERDICTS, 0)
    for claim in document.claims:
        found[claim.judgement.verdict] += 1
    return found


@dataclass(frozen=True)
class Tally:
    """How the claims of a document or a report fall: root errors and inherited ones apart, acknowledged ones among them."""

    claims: int
    right: int
    notes: int
    labels: int
    root: int
    inherited: int
    acknowledged: int
    misfits: int


def tally(claims: tuple[Claim, ...]) -> Tally:
    """Count `claims`. `root` + `inherited` are all findings; `acknowledged` counts those of them that are acknowledged."""
    return Tally(
        claims=len(claims),
        right=sum(map(is_right, claims)),
        notes=sum(map(is_note, claims)),
        labels=sum(c.judgement.verdict in ("given", "measured") for c in claims),
        root=sum(is_finding(c) and c.inherits is None for c in claims),
        inherited=sum(is_finding(c) and c.inherits is not None for c in claims),
        acknowledged=sum(is_finding(c) and is_acknowledged(c) for c in claims),
        misfits=sum(map(is_misfit, claims)),
    )


def open_claims(report: Report, strict: bool = False) -> Iterator[tuple[DocumentReport, Claim]]:
    """The claims that make the exit code 1: findings without acknowledgement, acknowledgements that do not fit, with `strict` notes too."""
    for document in report.documents:
        for claim in document.claims:
            counted = is_finding(claim) or (strict and is_note(claim))
            if is_misfit(claim) or (counted and not is_acknowledged(claim)):
                yield document, claim


def exit_code(report: Report, strict: bool = False) -> int:
    """0 when nothing is open, 1 otherwise."""
    return 1 if any(True for _ in open_claims(report, strict)) else 0


# -- JSON -------------------------------------------------------------------------------------------------------------
def to_json(report: Report) -> dict[str, Any]:
    """The report as plain data. `cell` stands only in notebooks, `occurrence` only where the quote repeats on its line."""
    return {"schema": SCHEMA, "documents": [_document(d) for d in report.documents]}


def to_json_text(report: Report) -> str:
    """The report as JSON text."""
    return json_text(to_json(report))


def _document(document: DocumentReport) -> dict[str, Any]:
    return {
        "path": document.path,
        "source": document.source,
        "lang": document.lang,
        "seen": document.seen,
        "understood": document.understood,
        "claims": [_claim(c) for c in document.claims],
        "statements": [_statement(s) for s in document.statements],
        "counts": counts(document),
    }


def _claim(claim: Claim) -> dict[str, Any]:
    found = claim.judgement
    data: dict[str, Any] = {"id": claim.id, "kind": claim.kind, "line": claim.spot.line, "column": claim.spot.column}
    if claim.cell is not None:
        data["cell"] = claim.cell
    if claim.occurrence is not None:
        data["occurrence"] = claim.occurrence
    hint = claim.hint
    return data | {
        "quote": short_quote(claim.quote, claim.printed),
        "printed": claim.printed,
        "meaning": claim.meaning,
        "value": found.value,
        "closed_form": claim.closed_form,
        "from_printed": found.from_printed,
        "verdict": found.verdict,
        "also": list(found.also),
        "reach": found.reach,
        "off": found.off,
        "declared": found.declared,
        "conclusion_changed": claim.conclusion_changed,
        "inherits": claim.inherits,
        "echoes": [{"line": e.line, "column": e.column} for e in claim.echoes],
        "known": claim.known,
        "hint": None if hint is None else {"slip": hint.slip, "tried": hint.tried, "fitting": hint.fitting, "chance": hint.chance},
    }


def _statement(statement: Statement) -> dict[str, Any]:
    return {
        "line": statement.line,
        "quote": short_quote(statement.quote, ""),
        "status": statement.status,
        "precise": statement.precise,
        "evidence": statement.evidence,
    }


# -- lines for people -------------------------------------------------------------------------------------------------
def summary(report: Report, strict: bool = False) -> list[str]:
    """The report in lines: per document its coverage and verdicts, then each open claim with its place, and a total. Every text from a
    document is made visible."""
    lines: list[str] = []
    for document in report.documents:
        lines.append(coverage_line(document))
        named = [f"{n} {verdict}" for verdict, n in counts(document).items() if n]
        lines.append("  " + (", ".join(named) if named else "no claim found"))
    for document, claim in open_claims(report, strict):
        lines.append(finding_line(document, claim))
    total = tally(tuple(c for d in report.documents for c in d.claims))
    lines.append(
        f"{total.claims} claims: {total.right} right, {total.notes} notes, {total.root} errors and {total.inherited} inherited from them"
        f" ({total.acknowledged} acknowledged), {total.labels} labelled"
    )
    return lines


def coverage_line(document: DocumentReport) -> str:
    """`file: 212 numbers seen, 180 understood, 96 claims`."""
    name = visible(document.source or document.path)
    return f"{name}: {document.seen} numbers seen, {document.understood} understood, {len(document.claims)} claims"


def finding_line(document: DocumentReport, claim: Claim) -> str:
    """One claim for people: place, verdict, printed and right value, and what is known of its cause."""
    found = claim.judgement
    place = f"{visible(document.source or document.path)}:{claim.spot.line}:{claim.spot.column}"
    text = f"{place}: {found.verdict}: {visible(claim.printed)}"
    if found.right and found.right != claim.printed:
        text += f", right is {found.right}"
    if found.value is not None:
        text += f" ({found.value})"
    if claim.conclusion_changed:
        text += ", changes the order"
    if claim.inherits is not None:
        text += f", inherits from {visible(claim.inherits)}"
    if is_misfit(claim):
        text += f'; acknowledged as "{claim.expects}", which no longer fits'
    if claim.hint is not None:
        text += f"; {hint_text(claim)}"
    return text


def hint_text(claim: Claim) -> str:
    """The slip that fits, with how many were tried, or that none does."""
    hint = claim.hint
    if hint is None:
        return ""
    if not hint.slip:
        return f"none of {hint.tried} slips fits"
    chance = ", may be chance" if hint.chance else ""
    detail = f" ({visible(hint.detail)})" if hint.detail else ""
    return f"likely slip: {hint.slip}{detail} ({hint.fitting} of {hint.tried} fit{chance})"
