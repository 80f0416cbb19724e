"""Margin entries and the errata of a worksheet: one row a cause, worst first.

Promises: every number that is not right, or right only by way of rounded operands or a cut, stands in a row with its right
value. Does not promise: a cause where the worksheet names none; then the row says how the number came out.
"""

from __future__ import annotations

from collections.abc import Sequence

from symattn.claims.model import RIGHT
from symattn.claims.slips import describe
from symattn.page import math as m
from symattn.page import nodes as n
from symattn.page.words import words
from symattn.sheets.claims import Judged
from symattn.sheets.prose import inline
from symattn.sheets.result import Result
from symattn.sheets.words import sheet_words

SEVERITY = ("wrong", "off-by", "undecided", "truncated", "from-rounded")
COUNTED = ("exact", "rounded", "from-rounded", "truncated", "off-by", "wrong", "undecided")


def margin_of(j: Judged, lang: str = "es") -> n.Margin:
    """The margin entry of a claim."""
    judgement = j.claim.judgement
    printed = j.claim.printed.lstrip("+") if j.claim.kind != "order" else sheet_words(lang)["order"]
    shown = judgement.right + ("%" if j.item.printed is not None and j.item.printed.percent else "")
    right = "" if judgement.verdict in ("exact", "rounded", "given", "measured") or not judgement.right else shown
    return n.Margin(
        printed.replace("−", "-"),
        judgement.verdict,
        judgement.off,
        right if right.lstrip("+") != printed else "",
        samples(judgement.reason, lang) if judgement.verdict == "measured" and judgement.reason else m.EMPTY,
        j.claim.conclusion_changed,
        claim=j.claim.id,
    )


def samples(count: str, lang: str) -> m.Math:
    """How many samples make a measured deviation ordinary."""
    if count == "any":
        return m.Words(sheet_words(lang)["measured.any"])
    return m.Row((m.Words(sheet_words(lang)["measured.upto"]), m.Sign(" "), m.Name("N"), m.Sign("≤"), m.Number(count)))


def errata_section(result: Result, lang: str, steps: dict[int, str]) -> n.Section:
    """The section at the end. `steps` gives the step number of each part of the worksheet."""
    table, own = words(lang), sheet_words(lang)
    counted = [j for j in result.judged if j.claim.judgement.verdict in COUNTED]
    counts = tuple((v, sum(j.claim.judgement.verdict == v for j in counted)) for v in COUNTED)
    good = sum(j.claim.judgement.verdict in ("exact", "rounded") for j in counted)
    rows = tuple(_rows(result, counted, lang, steps))
    kicker, title = table["at-the-end"], table["errata"]
    if not rows:
        return n.Section(kicker, title, (n.Paragraph((n.Text(table["errata.none"]),)),), "errata")
    text = own["errata.intro"].format(total=len(counted), right=good)
    bad = [j for j in counted if j.claim.judgement.verdict not in RIGHT and j.claim.judgement.verdict != "truncated"]
    inherited = sum(j.claim.inherits is not None for j in bad)
    if inherited:
        text += " " + own["errata.inherited"].format(roots=len(bad) - inherited, inherited=inherited)
    return n.Section(kicker, title, (n.Errata((n.Text(text),), tuple(c for c in counts if c[1]), rows),), "errata")


def _rows(result: Result, counted: Sequence[Judged], lang: str, steps: dict[int, str]) -> list[n.Erratum]:
    groups: dict[tuple[str, ...], list[Judged]] = {}
    for j in counted:
        verdict = j.claim.judgement.verdict
        if verdict not in SEVERITY or j.claim.judgement.declared:
            continue
        cause = j.item.line.known if j.claim.id in result.covering and result.causes[j.item.line.known].expects == verdict else ""
        key = ("cause", cause) if cause else ("step", steps.get(j.item.block, ""), verdict, str(j.claim.hint))
        groups.setdefault(key, []).append(j)
    ranked = sorted(groups.items(), key=lambda g: min(SEVERITY.index(j.claim.judgement.verdict) for j in g[1]))
    return [_row(result, key, group, lang, steps) for key, group in ranked]


def _row(result: Result, key: tuple[str, ...], group: list[Judged], lang: str, steps: dict[int, str]) -> n.Erratum:
    numbers = list(dict.fromkeys(steps.get(j.item.block, "") for j in group))
    entries = []
    for j in group:
        margin = margin_of(j, lang)
        right = margin.right or (j.claim.judgement.right if j.claim.kind == "number" else "")
        entries.append((margin.printed, right, margin))
    return n.Erratum(", ".join(x for x in numbers if x), tuple(entries), _cause(result, key, group, lang))


def _cause(result: Result, key: tuple[str, ...], group: list[Judged], lang: str) -> tuple[n.Inline, ...]:
    own = sheet_words(lang)
    if key[0] == "cause":
        known = result.causes[key[1]]
        return inline(known.cause[lang], result.sheet.place(known.line))
    first = group[0].claim
    if first.hint is not None and first.hint.slip:
        text = own["hint.fits"].format(slip=describe(first.hint, lang))
        if first.hint.chance:
            text += f" ({own['hint.chance']})"
    elif first.inherits is not None:
        text = own["cause.inherits"]
    elif first.judgement.reach == "interval":
        text = own["cause.interval"]
    else:
        text = own[f"cause.{first.judgement.verdict}"]
    if first.hint is not None and not first.hint.slip:
        text += " " + own["hint.none"].format(n=first.hint.tried)
    return (n.Text(text),)
