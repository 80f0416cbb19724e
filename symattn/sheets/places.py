"""Where printed numbers stand: a claim's quote, found again in the source document.

Promises: with the source at hand every quote is found on its line (and, when it repeats there, at its occurrence) or the
complaint says what stands there instead; without it, the columns that the worksheet holds are used and called unverified.
Does not promise: to know which numbers of a document are claims; the worksheet's author says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from symattn.claims.locate.numbers import number_tokens
from symattn.claims.model import Spot
from symattn.errors import Place, SheetError
from symattn.sheets.source import ClaimLine, SheetSource

MAX_SOURCE_BYTES = 20_000_000
RESULT_SIGNS = ("=", "≈", "→")
QUOTE_LENGTH = 60


@dataclass(frozen=True)
class Token:
    """A printed number inside a quote: its text, its offset there, and its place in the document (column 0: not known)."""

    text: str
    start: int
    spot: Spot


@dataclass(frozen=True)
class Found:
    """A quote with its numbers: `claimed` are those it is about, `others` the operands before them."""

    quote: str
    spot: Spot
    claimed: tuple[Token, ...]
    others: tuple[Token, ...]
    repeats: bool
    occurrence: int

    def excerpt(self, token: Token) -> str:
        """At most 60 characters of printed arithmetic that end with the token's line piece and contain the token."""
        line_start = self.quote.rfind("\n", 0, token.start) + 1
        line_end = self.quote.find("\n", token.start)
        piece = self.quote[line_start : line_end if line_end >= 0 else len(self.quote)]
        at = token.start - line_start
        end = at + len(token.text)
        if len(piece) <= QUOTE_LENGTH:
            return piece
        if end <= QUOTE_LENGTH:
            return piece[:QUOTE_LENGTH].rstrip() if end == QUOTE_LENGTH else _cut(piece, 0, QUOTE_LENGTH, end)
        begin = end - QUOTE_LENGTH
        space = piece.find(" ", begin, at)
        return piece[space + 1 if space >= 0 else begin : end]


def _cut(piece: str, begin: int, length: int, keep: int) -> str:
    """The first `length` characters, cut back to a space that is not inside what must stay."""
    space = piece.rfind(" ", keep, begin + length)
    return piece[begin : space if space >= keep else max(keep, begin + length)].rstrip()


class SourceDocument:
    """The document a worksheet speaks of. `lines` is None when it is not at hand."""

    def __init__(self, name: str, lines: Sequence[str] | None) -> None:
        self.name = name
        self.lines = lines

    @property
    def at_hand(self) -> bool:
        """Can places be verified?"""
        return self.lines is not None

    def seen(self) -> int | None:
        """How many numbers stand in the document; None when it is not at hand."""
        if self.lines is None:
            return None
        return sum(len(number_tokens(line)) for line in self.lines)

    def unread(self, covered: Set[Spot]) -> tuple[tuple[Spot, str], ...]:
        """The numbers of the document that are not among the covered places, with their text; () when it is not at hand."""
        found = [
            (Spot(at, start + 1), line[start:end]) for at, line in enumerate(self.lines or (), 1) for start, end, _ in number_tokens(line)
        ]
        return tuple((spot, text) for spot, text in found if spot not in covered)


def open_source(sheet: SheetSource, folder: Path | None) -> SourceDocument:
    """The source of `sheet` in `folder`. Raises SheetError when a folder is given but the file is not there or not UTF-8."""
    if folder is None or not sheet.source:
        return SourceDocument(sheet.source, None)
    path = folder / sheet.source
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SheetError(
            f'the source "{sheet.source}" cannot be read in {folder}: {error.strerror or error}',
            place=sheet.place(1),
            next_move="give its folder with --source DIR, or leave the option out (places are then not verified)",
        ) from error
    if len(data) > MAX_SOURCE_BYTES:
        raise SheetError(
            f'the source "{sheet.source}" has {len(data)} bytes', place=sheet.place(1), next_move=f"at most {MAX_SOURCE_BYTES}"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SheetError(f'the source "{sheet.source}" is not UTF-8', place=Place(str(path), line), next_move="convert it first") from error
    return SourceDocument(sheet.source, text.replace("\r\n", "\n").removesuffix("\n").split("\n"))


def find(sheet: SheetSource, line: ClaimLine, source: SourceDocument) -> Found:
    """The quote of a claim line in its document. Raises SheetError when it does not stand there."""
    column, repeats = line.column, line.occurrence > 0
    occurrence = line.occurrence
    if source.lines is not None:
        column, occurrence, repeats = _locate(sheet, line, source.lines)
    tokens = [Token(text, start, _spot(line, column, start)) for start, _, text in number_tokens(line.quote)]
    sign = max(line.quote.rfind(s) for s in RESULT_SIGNS)
    after = [t for t in tokens if t.start > sign]
    claimed = tokens if line.kind == "order" or not after else after
    others = [t for t in tokens if t not in claimed]
    return Found(line.quote, Spot(line.first_line, column), tuple(claimed), tuple(others), repeats, occurrence)


def _spot(line: ClaimLine, column: int, start: int) -> Spot:
    before = line.quote[:start]
    below = before.count("\n")
    if below:
        return Spot(line.first_line + below, start - before.rfind("\n"))
    return Spot(line.first_line, column + start if column else 0)


def _locate(sheet: SheetSource, line: ClaimLine, lines: Sequence[str]) -> tuple[int, int, bool]:
    def miss(message: str, next_move: str) -> SheetError:
        return SheetError(message, place=sheet.place(line.line), next_move=next_move)

    if line.last_line > len(lines):
        raise miss(f'the source "{sheet.source}" has {len(lines)} lines, not {line.last_line}', "correct the place after @")
    text = "\n".join(lines[line.first_line - 1 : line.last_line])
    first_end = len(lines[line.first_line - 1])
    starts = []
    at = text.find(line.quote)
    while at >= 0:
        if at <= first_end:
            starts.append(at)
        at = text.find(line.quote, at + 1)
    if not starts:
        elsewhere = [k + 1 for k, other in enumerate(lines) if line.quote.split("\n")[0] in other]
        hint = f"it stands on line {', '.join(map(str, elsewhere[:5]))}" if elsewhere else _nearest(line.quote, text)
        raise miss(f"the quote {line.quote[:QUOTE_LENGTH]!r} does not stand on line {line.first_line} of {sheet.source}", hint)
    if line.column:
        if line.column - 1 not in starts:
            raise miss(
                f"the quote stands in column {starts[0] + 1} of line {line.first_line}, not {line.column}", "correct the column after @"
            )
        number = starts.index(line.column - 1) + 1
        if line.occurrence not in (0, number):
            raise miss(
                f"the quote in column {line.column} is number {number} on line {line.first_line}, not {line.occurrence}",
                "correct the column or the number after #",
            )
        return line.column, number, len(starts) > 1
    occurrence = line.occurrence or 1
    if occurrence > len(starts):
        raise miss(f"the quote stands {len(starts)} times on line {line.first_line}, not {occurrence}", "correct the number after #")
    return starts[occurrence - 1] + 1, occurrence, len(starts) > 1


def _nearest(quote: str, text: str) -> str:
    pieces = [text[k : k + len(quote)] for k in range(0, max(1, len(text) - len(quote) + 1), max(1, len(quote) // 4))]
    close = get_close_matches(quote, pieces, n=1, cutoff=0.5)
    return f"nearest text there: {close[0]!r}" if close else "copy the quote from the document"


def place_of(sheet: SheetSource, line: int) -> Callable[[], Place]:
    """A place in the worksheet, made when needed."""
    return lambda: sheet.place(line)
