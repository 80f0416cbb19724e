"""What a claim is: a printed number (or total, or order), where it stands, what it means, and its verdict.

Promises: the records of report schema `symattn-report/1`, as frozen data. Does not promise: any judging (judge.py) or
finding (sheets/, locate/).
"""

from __future__ import annotations

from dataclasses import dataclass

from symattn.page.math import Math, Number, Row, Sign, Words
from symattn.page.notebook import numeral_math, shown

VERDICTS = ("exact", "rounded", "from-rounded", "truncated", "off-by", "wrong", "undecided", "given", "measured")
RIGHT = frozenset({"exact", "rounded", "from-rounded"})
FINDINGS = frozenset({"off-by", "wrong"})
STATUSES = ("holds", "imprecise", "false", "not-mathematics")


@dataclass(frozen=True)
class Spot:
    """A place in the source document: 1-based line and column, in code points."""

    line: int
    column: int


@dataclass(frozen=True)
class Hint:
    """A slip that would explain the printed digits of a whole group. `slip` is "" when none of the tried ones fits;
    `chance` says that the group has under five significant digits, so a fit may be chance."""

    slip: str
    tried: int
    fitting: int
    chance: bool
    detail: str = ""


@dataclass(frozen=True)
class Judgement:
    """The answer for one printed token (claims/judge.py has the table of verdicts).

    `value` is v in the printed unit (in full when it ends within 15 digits, else 15 proven significant digits), `from_printed` is
    w in the same form, `right` is v correctly rounded (half up) to the printed places, `off` the signed distance in units of
    the last printed place from the nearest correct rounding (+ = printed too high; 0 when right)."""

    verdict: str
    also: tuple[str, ...] = ()
    reach: str | None = None
    off: int = 0
    declared: bool = False
    value: str | None = None
    from_printed: str | None = None
    right: str = ""
    reason: str = ""

    def _repr_latex_(self) -> str:
        return shown(Row(tuple(_told(self))))


@dataclass(frozen=True)
class Claim:
    """One claim of a report. `known` is the text of its acknowledgement, `expects` the verdict that the acknowledgement names.
    `step`, `address` and `expects` serve pages, exit codes and messages and are not part of the JSON."""

    id: str
    kind: str
    spot: Spot
    quote: str
    printed: str
    meaning: str
    judgement: Judgement
    closed_form: str | None = None
    occurrence: int | None = None
    cell: int | None = None
    conclusion_changed: bool = False
    inherits: str | None = None
    echoes: tuple[Spot, ...] = ()
    known: str | None = None
    hint: Hint | None = None
    step: str = ""
    address: str = ""
    expects: str = ""

    def _repr_latex_(self) -> str:
        return shown(Row((numeral_math(self.printed), Sign(":"), Sign(" "), *_told(self.judgement, self.printed))))


@dataclass(frozen=True)
class Statement:
    """A sentence of the document, made precise."""

    line: int
    quote: str
    status: str
    precise: str
    evidence: str


@dataclass(frozen=True)
class DocumentReport:
    """All that is said of one document. `seen` numbers stand in it, `understood` of them are covered by claims, echoes or operands."""

    path: str
    source: str
    lang: str
    seen: int
    understood: int
    claims: tuple[Claim, ...]
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Report:
    """What `--format json` prints."""

    documents: tuple[DocumentReport, ...] = ()


def _told(found: Judgement, printed: str = "") -> list[Math]:
    """The verdict, how far off, the right digits where others are printed, and the value: for a notebook."""
    items: list[Math] = [Words(found.verdict)]
    if found.off:
        items += [Sign(" "), Number(f"{found.off:+d}")]
    if found.right and found.right != printed.lstrip("+").rstrip("% "):
        items += [Sign(","), Words(" right "), numeral_math(found.right)]
    if found.value is not None and found.value != found.right:
        items += [Sign(","), Words(" value "), numeral_math(found.value)]
    return items
