"""Columns written into a worksheet: `@57` becomes `@57:123` where the source is at hand.

Promises: only the places of claims change, no other byte; a quote that repeats on its line keeps or gets its `#k`; doing it twice changes
nothing more; what comes out reads back as the same worksheet. Does not promise: places of statements, which have no columns.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from symattn.errors import SheetError
from symattn.sheets.places import SourceDocument, find
from symattn.sheets.source import ClaimLine, GivenBlock, SheetSource, StepBlock, parse_sheet

_QUOTED = re.compile(r'^\s*\|\s*.*?\s*"(?:[^"\\]|\\.)*"\s*(?=@)')
_PLACE = re.compile(r"@[0-9]+(?:-[0-9]+)?(?::[0-9]+)?(?:#[0-9]+)?")


def claim_lines(sheet: SheetSource) -> list[ClaimLine]:
    """Every claim of a worksheet, in order."""
    return [line for part in sheet.parts if isinstance(part, GivenBlock | StepBlock) for line in part.claims]


def pinned(text: str, sheet: SheetSource, source: SourceDocument) -> tuple[str, int]:
    """`text`, which `sheet` was read from, with the column of every claim, and how many places are new. Raises SheetError for a quote that
    does not stand where the worksheet says, and without a source."""
    if not source.at_hand:
        raise SheetError(
            "the worksheet names no source, so its places cannot be found" if not sheet.source else "the source is not at hand",
            place=sheet.place(1),
            next_move='write source = "FILE" into the front matter, and give its folder with --source DIR',
        )
    lines = text.split("\n")
    changed = 0
    for claim in claim_lines(sheet):
        found = find(sheet, claim, source)
        lines[claim.line - 1], new = _with_place(lines[claim.line - 1], claim, found.spot.column, found.occurrence if found.repeats else 0)
        changed += new
    whole = "\n".join(lines)
    _check(sheet, parse_sheet(whole.removeprefix("\ufeff"), sheet.path, sheet.name))
    return whole, changed


def pin_file(path: Path, sheet: SheetSource, source: SourceDocument) -> tuple[bytes, int]:
    """The bytes of the worksheet file with the column of every claim, and how many places are new."""
    text, changed = pinned(path.read_bytes().decode("utf-8"), sheet, source)
    return text.encode("utf-8"), changed


def _with_place(line: str, claim: ClaimLine, column: int, occurrence: int) -> tuple[str, bool]:
    quoted = _QUOTED.match(line)
    place = _PLACE.match(line, quoted.end()) if quoted else None
    assert place is not None, "a claim that was read has a quote and a place"
    kept = occurrence or claim.occurrence
    span = f"-{claim.last_line}" if "-" in place.group() else ""
    new = f"@{claim.first_line}{span}:{column}" + (f"#{kept}" if kept else "")
    return line[: place.start()] + new + line[place.end() :], new != place.group()


def _check(before: SheetSource, after: SheetSource) -> None:
    """Nothing but columns and occurrences may differ."""

    def bare(sheet: SheetSource) -> list[tuple[ClaimLine, str]]:
        # What stands after the place has moved, so only its text is compared.
        return [
            (replace(line, column=0, occurrence=0, printed_from=None), line.printed_from.text if line.printed_from else "")
            for line in claim_lines(sheet)
        ]

    if bare(before) != bare(after):
        raise SheetError("the worksheet changed while its places were found", place=before.place(1), next_move="run the command again")
