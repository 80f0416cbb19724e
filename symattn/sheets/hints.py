"""Likely slips behind groups of findings.

Promises: a slip is tried on the whole group a quote prints and named only when it gives every printed digit. Does not
promise: the true cause; a hint never changes a verdict.
"""

from __future__ import annotations

from dataclasses import replace

from symattn.claims.model import FINDINGS, Hint
from symattn.claims.slips import Group, explain
from symattn.number.truth import Quantity
from symattn.sheets.claims import Judge, Judged
from symattn.sheets.compiled import Compiled
from symattn.sheets.items import Collected


def with_hints(compiled: Compiled, collected: Collected, judge: Judge, judged: list[Judged]) -> list[Judged]:
    """The same claims, root findings among them with a hint."""
    groups: dict[tuple[int, bool], list[int]] = {}
    for at, j in enumerate(judged):
        if j.item.entry is not None and j.item.kind == "number":
            groups.setdefault((j.item.line.line, j.item.term >= 0), []).append(at)
    result = list(judged)
    for places in groups.values():
        members = [judged[at] for at in places]
        roots = [at for at in places if _is_root(judged[at])]
        if not roots or len({j.item.entry.stage for j in members if j.item.entry is not None}) != 1:
            continue
        hint = _hint(compiled, collected, judge, members)
        for at in roots:
            result[at] = Judged(judged[at].item, replace(judged[at].claim, hint=hint))
    return result


def _is_root(j: Judged) -> bool:
    return j.claim.judgement.verdict in FINDINGS and j.claim.inherits is None


def _hint(compiled: Compiled, collected: Collected, judge: Judge, members: list[Judged]) -> Hint:
    printed = tuple(j.item.printed for j in members if j.item.printed is not None)
    entries = tuple(j.item.entry for j in members if j.item.entry is not None)
    addends_of = None
    truths: tuple[Quantity, ...] = ()
    if members[0].item.term >= 0:
        total = collected.primary.get((entries[0], -1))
        addends_of = total.printed if total is not None else None
        truths = tuple(judge.exact(j.item) for j in members)
    group = Group(
        printed,
        compiled.program,
        compiled.feeds,
        entries[0].stage,
        tuple(e.index for e in entries),
        addends_of=addends_of,
        truths=truths,
    )
    return explain(group)
