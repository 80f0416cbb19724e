"""A worksheet carried out: its verdicts, its statements, and what does not fit.

Promises: every acknowledgement is held against the verdict it expects; every statement's status is computed. Does not
promise: pages (sheets/page.py).
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from symattn.claims.model import Claim, DocumentReport, Report, Spot, Statement
from symattn.claims.statements import all_of, relation_truth, status
from symattn.errors import Place, SheetError, SymattnError
from symattn.language.names import suggestion
from symattn.number.truth import Truth
from symattn.sheets.claims import Judge, Judged
from symattn.sheets.compiled import Comparison, Compiled, compile_sheet
from symattn.sheets.hints import with_hints
from symattn.sheets.items import Collector
from symattn.sheets.notation import entry_text
from symattn.sheets.places import SourceDocument, open_source
from symattn.sheets.prose import inline, plain
from symattn.sheets.source import ClaimLine, Code, GivenBlock, Known, SheetSource, StatementBlock, StepBlock
from symattn.sheets.trace import Entry, inner
from symattn.sheets.typeset import tree_text
from symattn.sheets.values import compact, rounded, shown

LONGEST = 120


# Verdicts that no acknowledgement is needed for.
LABELS_AND_RIGHT = frozenset({"exact", "rounded", "given", "measured"})


@dataclass(frozen=True)
class Spoken:
    """A statement with its block and the relation that proves it (None for not-mathematics)."""

    block: StatementBlock
    status: str
    proof: tuple[Comparison, ...]
    refuted: tuple[Comparison, ...]


@dataclass(frozen=True)
class Result:
    """Everything said of one worksheet's document."""

    sheet: SheetSource
    compiled: Compiled
    judged: tuple[Judged, ...]
    spoken: tuple[Spoken, ...]
    causes: dict[str, Known]
    covering: frozenset[str]
    verified: bool
    seen: int
    understood: int
    unread: tuple[tuple[Spot, str], ...] = ()
    _reports: dict[str, DocumentReport] = field(default_factory=dict, repr=False, compare=False)

    def report(self, lang: str) -> DocumentReport:
        """The document part of the JSON report, with our words in one language."""
        if lang not in self._reports:
            self._reports[lang] = self._report(lang)
        return self._reports[lang]

    def _report(self, lang: str) -> DocumentReport:
        statements = tuple(
            Statement(
                s.block.source_line,
                s.block.quote,
                s.status,
                plain_text(s.block.precise[lang], self.sheet.place(s.block.line)),
                evidence_text(self.compiled, s),
            )
            for s in self.spoken
        )
        claims = tuple(self.acknowledged(j, lang) for j in self.judged)
        return DocumentReport(self.sheet.path, self.sheet.source, lang, self.seen, self.understood, claims, statements)

    def acknowledged(self, judged: Judged, lang: str) -> Claim:
        """The claim with the acknowledgement that covers it. Of a line with several numbers it covers those with the verdict it expects;
        when there is none, the line's first number carries it and is a misfit."""
        cause = self.causes.get(judged.item.line.known)
        if cause is None or judged.claim.id not in self.covering:
            return judged.claim
        return replace(judged.claim, known=plain_text(cause.cause[lang], self.sheet.place(cause.line)), expects=cause.expects)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims, without acknowledgement texts."""
        return tuple(j.claim for j in self.judged)


def work_out(sheet: SheetSource, source_folder: Path | None = None, *, search_slips: bool = True, need_claims: bool = True) -> Result:
    """Carries the worksheet out. Raises a SymattnError with its place for anything that cannot be compiled, found or proven."""
    compiled = compile_sheet(sheet)
    source = open_source(sheet, source_folder)
    collected = Collector(compiled, source).collect()
    if need_claims and not collected.items:
        raise SheetError("the worksheet makes no claim", place=sheet.place(1), next_move='add lines such as | Q[0,0] "= 0.461" @57')
    judge = Judge(compiled, collected)
    judged = judge.all()
    if search_slips:
        judged = with_hints(compiled, collected, judge, judged)
    causes = _causes(sheet)
    _check_known_ids(sheet, judged, causes)
    spoken = tuple(_statement(compiled, part) for part in sheet.parts if isinstance(part, StatementBlock))
    covered = len(collected.covered)
    seen = source.seen()
    unread = source.unread(collected.covered)
    _check_statement_places(sheet, source)
    seen = covered if seen is None else seen
    return Result(sheet, compiled, tuple(judged), spoken, causes, _covering(judged, causes), source.at_hand, seen, covered, unread)


def report(results: Sequence[Result], lang: str | None = None) -> Report:
    """One report of several worksheets, each in `lang` or its own language."""
    return Report(tuple(r.report(lang or r.sheet.lang) for r in results))


def plain_text(text: str, place: Place) -> str:
    """A cause or a precise sentence as plain text."""
    return plain(inline(text, place))


def _lines(sheet: SheetSource) -> Iterator[ClaimLine]:
    """All claim lines, those that only echo others too."""
    for part in sheet.parts:
        if isinstance(part, GivenBlock | StepBlock):
            yield from part.claims


def _causes(sheet: SheetSource) -> dict[str, Known]:
    """The acknowledgements by id. Raises SheetError for an id that two of them have."""
    causes: dict[str, Known] = {}
    for part in sheet.parts:
        if isinstance(part, Known):
            if part.id in causes:
                raise SheetError(
                    f'the acknowledgement "{part.id}" stands on line {causes[part.id].line} already',
                    place=sheet.place(part.line),
                    next_move="give each an id of its own",
                )
            causes[part.id] = part
    return causes


def _check_known_ids(sheet: SheetSource, judged: list[Judged], causes: dict[str, Known]) -> None:
    for j in judged:
        if j.item.line.known and j.item.line.known not in causes:
            raise SheetError(
                f'the claim refers to the acknowledgement "{j.item.line.known}", which is not in the worksheet',
                place=sheet.place(j.item.line.line),
                next_move=f"known: {', '.join(causes) or 'none'}",
            )
    used = {line.known for line in _lines(sheet)}
    for cause in causes.values():
        if cause.id not in used:
            raise SheetError(
                f'no claim refers to the acknowledgement "{cause.id}"',
                place=sheet.place(cause.line),
                next_move=f"write known {cause.id} after the claim that it explains, or remove it",
            )


def _covering(judged: list[Judged], causes: dict[str, Known]) -> frozenset[str]:
    """Ids of the claims that carry their line's acknowledgement."""
    lines: dict[int, list[Judged]] = {}
    for j in judged:
        if j.item.line.known:
            lines.setdefault(j.item.line.line, []).append(j)
    found: set[str] = set()
    for group in lines.values():
        expects = causes[group[0].item.line.known].expects
        fitting = [j for j in group if j.claim.judgement.verdict == expects]
        odd = [j for j in group if j.claim.judgement.verdict not in LABELS_AND_RIGHT]
        found.update(j.claim.id for j in fitting or odd[:1] or group[:1])
    return frozenset(found)


# -- statements ----------------------------------------------------------------------------------------------------------
def _statement(compiled: Compiled, block: StatementBlock) -> Spoken:
    def truths(codes: tuple[Code, ...]) -> list[Truth]:
        return [_truth(compiled, code) for code in codes]

    for code in block.theorems:
        _check_topic(compiled, code)
    says, means, instead = truths(block.says), truths(block.means), truths(block.instead)
    if all_of(says) is Truth.YES:
        means, instead = [], []
    try:
        found = status(all_of(says), all_of(means), all_of(instead))
    except SymattnError as error:
        raise error.at(compiled.sheet.place(block.line)) from None
    proof = {"holds": block.says, "imprecise": block.means, "false": block.instead}.get(found, ())
    refuted = tuple(compiled.relations[c] for c, t in zip(block.says, says, strict=True) if t is Truth.NO) if found != "holds" else ()
    return Spoken(block, found, tuple(compiled.relations[c] for c in proof), refuted)


def _check_topic(compiled: Compiled, code: Code) -> None:
    """Raises SheetError for a theorem that the catalogue does not have. Topics are the files of the catalogue; none is loaded."""
    from symattn.calculus import theorems

    known = sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(theorems.__path__) if not m.name.startswith("_"))
    if code.text not in known:
        raise SheetError(
            f'there is no theorem "{code.text}"',
            place=compiled.sheet.place(code.line, code.column),
            next_move=suggestion(code.text, known, "theorems"),
        )


def _truth(compiled: Compiled, code: Code) -> Truth:
    """A relation holds iff each of its pairs of entries does."""
    of = compiled.quantities.of
    pairs = compiled.relations[code].pairs
    try:
        found = [relation_truth([of(a.stage, a.index), of(b.stage, b.index)], (sign,)) for a, sign, b in pairs]
    except SymattnError as error:
        raise error.at(compiled.sheet.place(code.line, code.column)) from None
    together = all_of(found)
    return Truth.UNKNOWN if together is None else together


def _check_statement_places(sheet: SheetSource, source: SourceDocument) -> None:
    if source.lines is None:
        return
    for part in sheet.parts:
        if isinstance(part, StatementBlock):
            line = source.lines[part.source_line - 1] if part.source_line <= len(source.lines) else ""
            if part.quote not in line:
                elsewhere = [k + 1 for k, text in enumerate(source.lines) if part.quote in text]
                raise SheetError(
                    f"the quote {part.quote!r} does not stand on line {part.source_line} of {source.name}",
                    place=sheet.place(part.line),
                    next_move=f"it stands on line {elsewhere[0]}" if elsewhere else "copy it from the document",
                )


def relation_texts(compiled: Compiled, relation: Comparison) -> tuple[str, str]:
    """A relation in symbols and in numbers, as text of the language (its first entry when it is about vectors). Symbols that would
    run over LONGEST characters stand as the worksheet wrote them."""

    def leaf(entry: Entry) -> str:
        return (
            shown(compiled.quantities.of(entry.stage, entry.index), 4).text if inner(entry.stage) else entry_text(compiled.program, entry)
        )

    symbols, numbers = [], []
    places = distinguishing_places(compiled, relation)
    for entry in relation.chain:
        trace = compiled.tracer.trace(entry)
        if inner(entry.stage):
            symbols.append(tree_text(trace.tree, lambda key, t=trace: leaf(t.leaves[key])))  # type: ignore[misc]
        else:
            symbols.append(entry_text(compiled.program, entry))
        q = compiled.quantities.of(entry.stage, entry.index)
        whole = shown(q, 0)
        numbers.append(compact(whole.text) if whole.exact else rounded(q, places))
    in_symbols = _joined(symbols, relation.signs)
    return in_symbols if len(in_symbols) <= LONGEST else relation.text, _joined(numbers, relation.signs)


def _joined(sides: list[str], signs: tuple[str, ...]) -> str:
    text = sides[0]
    for sign, side in zip(signs, sides[1:], strict=True):
        text += f" {sign} {side}"
    return text


def distinguishing_places(compiled: Compiled, relation: Comparison) -> int:
    """Enough decimals that unequal sides show different digits, at least 4 and at most 30."""
    quantities = [compiled.quantities.of(e.stage, e.index) for e in relation.chain]
    for places in range(4, 31):
        texts = [rounded(q, places) for q in quantities]
        if all(a != b or sign in ("==", "<=", ">=") for a, b, sign in zip(texts, texts[1:], relation.signs, strict=False)):
            return places
    return 30


def evidence_text(compiled: Compiled, spoken: Spoken) -> str:
    """The computed example behind a status."""
    pieces = [f"theorem {code.text}" for code in spoken.block.theorems]
    for relation in spoken.proof:
        symbols, numbers = relation_texts(compiled, relation)
        pieces.append(numbers if symbols == numbers else f"{symbols}: {numbers}")
    return "; ".join(pieces)


__all__ = ["Result", "Spoken", "evidence_text", "inline", "plain", "relation_texts", "report", "work_out"]
