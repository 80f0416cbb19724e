"""Reads a worksheet file into blocks: front matter, prose in two languages, givens, steps, acknowledgements, statements.

Promises: every complaint names file, line and column and the next move; nothing is computed here and no text is run.
Does not promise: that expressions make sense; they stay text with a place until `sheets/document.py` compiles them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from symattn.claims.model import VERDICTS
from symattn.errors import Place, SheetError

LANGS = ("es", "en")
MAX_BYTES = 2_000_000
KINDS = ("terms", "factors", "sum", "order", "measured")


@dataclass(frozen=True)
class Code:
    """Expression text with its place: `line` and `column` are where the text starts in the worksheet."""

    text: str
    line: int
    column: int = 1


@dataclass(frozen=True)
class Given:
    """`name(axis, axis) = literal`; `axes` is empty when none are declared."""

    name: str
    axes: tuple[str, ...]
    literal: Code


@dataclass(frozen=True)
class Definition:
    """`name = expression`."""

    name: str
    expression: Code


@dataclass(frozen=True)
class Display:
    """What a step shows: `kind` is show, table, heat or formula."""

    kind: str
    targets: tuple[Code, ...]
    ledger: bool = False
    row: str = ""
    heads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    caption: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ClaimLine:
    """A printed quote and what it means. `kind` is number, terms, factors, sum, order or measured; lines count in the source document.
    `column` is the quote's 1-based column there, 0 when the file does not say."""

    kind: str
    target: Code
    quote: str
    first_line: int
    last_line: int
    column: int
    occurrence: int
    printed_from: Code | None
    declared: bool
    known: str
    line: int


@dataclass(frozen=True)
class GivenBlock:
    """A `given` fence."""

    givens: tuple[Given, ...]
    claims: tuple[ClaimLine, ...]
    line: int


@dataclass(frozen=True)
class StepBlock:
    """A `step` fence, its parts in order."""

    parts: tuple[Definition | Display, ...]
    claims: tuple[ClaimLine, ...]
    line: int


@dataclass(frozen=True)
class Known:
    """An acknowledgement: the verdict it expects and the cause in both languages."""

    id: str
    expects: str
    cause: dict[str, str]
    line: int


@dataclass(frozen=True)
class StatementBlock:
    """A sentence of the document: formal readings and our words."""

    quote: str
    source_line: int
    says: tuple[Code, ...]
    means: tuple[Code, ...]
    instead: tuple[Code, ...]
    precise: dict[str, str]
    line: int
    theorems: tuple[Code, ...] = ()


@dataclass(frozen=True)
class Prose:
    """A paragraph block in both languages; a title opens a step (`numbered`) or an unnumbered part."""

    texts: dict[str, str]
    titles: dict[str, str]
    numbered: bool
    line: int
    student: bool = False


Part = Prose | GivenBlock | StepBlock | Known | StatementBlock


@dataclass(frozen=True)
class SheetSource:
    """A worksheet file as read."""

    path: str
    name: str
    title: dict[str, str]
    subtitle: dict[str, str]
    kicker: dict[str, str]
    number: int
    lang: str
    source: str
    labels: dict[str, tuple[str, ...]]
    digits: int
    parts: tuple[Part, ...]
    lines: tuple[str, ...]

    def place(self, line: int, column: int = 1) -> Place:
        """A place in this file, with its line of text."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return Place(self.path, line, column, text)


def read_sheet(path: Path) -> SheetSource:
    """The worksheet at `path`. Raises SheetError when it cannot be read, is not UTF-8, is too large, or breaks the format."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SheetError(f"cannot read the worksheet: {error.strerror or error}", place=Place(str(path))) from error
    if len(data) > MAX_BYTES:
        raise SheetError(
            f"the worksheet is over the limit of {MAX_BYTES} bytes",
            place=Place(str(path)),
            next_move="split it into several worksheets",
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise SheetError(
            f"the worksheet is not UTF-8 (byte 0x{data[error.start]:02x})",
            place=Place(str(path), line, column),
            next_move="save it as UTF-8 (it may be Latin-1 or Windows-1252)",
        ) from error
    return parse_sheet(text, str(path), path.stem)


def parse_sheet(text: str, path: str, name: str) -> SheetSource:
    """The worksheet in `text`; `path` is used in messages only."""
    lines = text.replace("\r\n", "\n").split("\n")
    reader = _Reader(path, lines)
    meta = reader.front_matter()
    parts = tuple(reader.parts())
    return _with_meta(path, name, meta, parts, tuple(lines), reader)


def _with_meta(path: str, name: str, meta: dict[str, Any], parts: tuple[Part, ...], lines: tuple[str, ...], reader: _Reader) -> SheetSource:
    allowed = {"title", "subtitle", "kicker", "number", "lang", "source", "labels", "digits"}
    for key in meta:
        if key not in allowed:
            raise reader.error(1, f'the front matter has the unknown key "{key}"', f"known: {', '.join(sorted(allowed))}")
    lang = meta.get("lang", "es")
    if lang not in LANGS:
        raise reader.error(1, f'the front matter says lang = "{lang}"', 'use "es" or "en"')
    source = meta.get("source", "")
    if not isinstance(source, str) or Path(source).name != source or source == ".." or not source.isprintable():
        raise reader.error(1, "`source` must be a file name without folders", "the folder is given with --source DIR")
    labels = meta.get("labels", {})
    if not isinstance(labels, dict) or not all(isinstance(v, list) and all(isinstance(x, str) for x in v) for v in labels.values()):
        raise reader.error(1, "[labels] must map axis names to lists of words")
    digits = meta.get("digits", 0)
    number = meta.get("number", 0)
    if not isinstance(digits, int) or not 0 <= digits <= 50 or not isinstance(number, int):
        raise reader.error(1, "`digits` and `number` are whole numbers (digits at most 50)")
    return SheetSource(
        path=path,
        name=name,
        title=_both(meta, "title", reader, required=True),
        subtitle=_both(meta, "subtitle", reader),
        kicker=_both(meta, "kicker", reader),
        number=number,
        lang=lang,
        source=source,
        labels={k: tuple(v) for k, v in labels.items()},
        digits=digits,
        parts=parts,
        lines=lines,
    )


def _both(meta: dict[str, Any], key: str, reader: _Reader, *, required: bool = False) -> dict[str, str]:
    value = meta.get(key)
    if value is None and not required:
        return dict.fromkeys(LANGS, "")
    if not isinstance(value, dict) or set(value) != set(LANGS) or not all(isinstance(v, str) for v in value.values()):
        raise reader.error(1, f"the front matter needs `{key}` in both languages", f'write {key} = {{ es = "…", en = "…" }}')
    return dict(value)


_CLAIM = re.compile(r'^\|\s*(?P<target>.*?)\s*"(?P<quote>(?:[^"\\]|\\.)*)"\s*(?P<rest>.*)$')
_PLACE = re.compile(
    r"^@(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?(?::(?P<column>[0-9]{1,9}))?(?:#(?P<occurrence>[0-9]{1,9}))?(?![0-9])"
    r"\s*(?P<rest>.*)$"
)
_GIVEN = re.compile(r"^(?P<name>[^\W\d]\w*)\s*(?:\((?P<axes>[^()]*)\))?\s*=\s*(?P<literal>.+)$")
_DEFINE = re.compile(r"^(?P<name>[^\W\d]\w*)\s*=(?!=)\s*(?P<expression>.+)$")
_WORDS = re.compile(r"\s*(?:\||(?:heads|caption)\.(?:es|en):)")
_OPEN = re.compile(r"^:::\s*(?P<lang>\S+)(?P<student>\s+student)?\s*$")
_FENCE = re.compile(r"^(?P<ticks>`{3,})\s*(?P<info>.*?)\s*$")


class _Reader:
    """Walks the lines once. State is the next line to read."""

    def __init__(self, path: str, lines: list[str]) -> None:
        self.path = path
        self.lines = lines
        self.at = 0

    def error(self, line: int, message: str, next_move: str = "", column: int = 1) -> SheetError:
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return SheetError(message, place=Place(self.path, line, column, text), next_move=next_move)

    def front_matter(self) -> dict[str, Any]:
        if not self.lines or self.lines[0].strip() != "+++":
            raise self.error(
                1, "a worksheet begins with TOML front matter between two lines of +++", 'write +++, then title = { es = "…", en = "…" }'
            )
        for end in range(1, len(self.lines)):
            if self.lines[end].strip() == "+++":
                break
        else:
            raise self.error(1, "the front matter is not closed", "add a line +++ after it")
        try:
            meta = tomllib.loads("\n".join(self.lines[1:end]))
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
            line, column = (int(found[1]) + 1, int(found[2])) if found else (1, 1)
            message = re.sub(r"\s*\(at .*\)$", "", str(error))
            raise self.error(
                line, f"the front matter is not TOML: {message}", 'texts stand in quotes: source = "note.txt"', column=column
            ) from error
        self.at = end + 1
        return meta

    def parts(self) -> Iterator[Part]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line.strip() or line.lstrip().startswith("<!--"):
                self.at += 1
            elif line.startswith(":::"):
                yield self.prose()
            elif fence := _FENCE.match(line):
                yield self.fence(fence["ticks"], fence["info"])
            else:
                raise self.error(self.at + 1, "prose stands in a ::: es block and a ::: en block", "put this line between ::: es and :::")

    # -- prose ------------------------------------------------------------------------------------------------------
    def prose(self) -> Prose:
        start = self.at + 1
        texts: dict[str, str] = {}
        titles: dict[str, str] = {}
        levels: dict[str, str] = {}
        student = False
        for turn in range(2):
            while self.at < len(self.lines) and not self.lines[self.at].strip():
                self.at += 1
            opened = _OPEN.match(self.lines[self.at]) if self.at < len(self.lines) else None
            if opened is None:
                missing = next(lang for lang in LANGS if lang not in texts)
                raise self.error(start, f"this block has no ::: {missing} beside it", f"write the same text in ::: {missing} … :::")
            lang = opened["lang"]
            if lang not in LANGS or lang in texts:
                raise self.error(self.at + 1, f"a prose block ::: {lang} cannot stand here", "blocks come in pairs, ::: es and ::: en")
            student = student or bool(opened["student"]) if turn == 0 else student
            texts[lang], titles[lang], levels[lang] = self.block_text(self.at + 1)
        if (levels["es"] == "") != (levels["en"] == "") or levels["es"] != levels["en"]:
            raise self.error(start, "a title must stand in both languages, with as many # in both")
        return Prose(texts, titles if levels["es"] else {}, levels["es"] == "##", start, student)

    def block_text(self, opened: int) -> tuple[str, str, str]:
        self.at += 1
        collected: list[str] = []
        title = level = ""
        while True:
            if self.at >= len(self.lines):
                raise self.error(opened, "this ::: block is not closed", "add a line ::: after it")
            line = self.lines[self.at]
            self.at += 1
            if line.strip() == ":::":
                return "\n".join(collected).strip(), title, level
            heading = re.match(r"^(#+)\s+(.*?)\s*$", line)
            if heading and not level and not any(c.strip() for c in collected):
                level, title = heading[1], heading[2]
                if len(level) > 2:
                    raise self.error(self.at, "a title has one # (a part) or two (a numbered step)")
            elif line.startswith(":::"):
                raise self.error(self.at, "blocks do not nest", "close the block above with :::")
            else:
                collected.append(line)

    # -- fences -----------------------------------------------------------------------------------------------------
    def fence(self, ticks: str, info: str) -> Part:
        start = self.at + 1
        self.at += 1
        body: list[tuple[int, str]] = []
        while True:
            if self.at >= len(self.lines):
                raise self.error(start, "this fenced block is not closed", f"add a line {ticks} after it")
            line = self.lines[self.at]
            self.at += 1
            if line.strip() == ticks:
                break
            body.append((self.at, line))
        word, _, rest = info.partition(" ")
        match word:
            case "given":
                return self.given(body, start)
            case "step":
                return self.step(body, start)
            case "known":
                return self.known(body, rest.strip(), start)
            case "statement":
                return self.statement(body, rest.strip(), start)
            case _:
                raise self.error(start, f'a fenced block cannot be "{word}"', "use given, step, known or statement")

    def given(self, body: list[tuple[int, str]], start: int) -> GivenBlock:
        givens: list[Given] = []
        claims: list[ClaimLine] = []
        for number, line in self.logical(body):
            if line.lstrip().startswith("|"):
                claims.append(self.claim(number, line))
                continue
            found = _GIVEN.match(line.strip())
            if found is None:
                raise self.error(number, "a given is written `name = literal` or `name(axis, axis) = literal`")
            axes = tuple(a.strip() for a in found["axes"].split(",")) if found["axes"] else ()
            if any(not re.fullmatch(r"[^\W\d]\w*", a) for a in axes):
                raise self.error(number, "an axis is a name", "write for example X(token, model)")
            indent = len(line) - len(line.lstrip())
            givens.append(Given(found["name"], axes, Code(found["literal"], number, indent + found.start("literal") + 1)))
        return GivenBlock(tuple(givens), tuple(claims), start)

    def step(self, body: list[tuple[int, str]], start: int) -> StepBlock:
        parts: list[Definition | Display] = []
        claims: list[ClaimLine] = []
        for number, line in self.logical(body):
            bare = line.strip()
            word = bare.split(maxsplit=1)[0]
            if bare.startswith("|"):
                claims.append(self.claim(number, line))
            elif word in ("show", "table", "heat", "formula") and not _DEFINE.match(bare):
                parts.append(self.display(number, bare, word, line))
            elif option := re.match(r"^(heads|caption)\.(es|en):\s*(.*)$", bare):
                if not parts or not isinstance(parts[-1], Display) or parts[-1].kind not in ("table", "heat"):
                    raise self.error(number, f"`{option[1]}` belongs under a table or a heat map")
                if option[1] == "heads":
                    parts[-1].heads[option[2]] = tuple(h.strip() for h in option[3].split("|"))
                else:
                    parts[-1].caption[option[2]] = option[3]
            elif found := _DEFINE.match(bare):
                indent = len(line) - len(line.lstrip())
                parts.append(Definition(found["name"], Code(found["expression"], number, indent + found.start("expression") + 1)))
            else:
                raise self.error(
                    number,
                    "this line is no definition, display or claim",
                    "write `name = expression`, `show NAME`, `table NAME`, `heat NAME` or `| …`",
                )
        for part in parts:
            if isinstance(part, Display):
                for texts in (part.heads, part.caption):
                    if texts and set(texts) != set(LANGS):
                        raise self.error(part.targets[0].line, "heads and captions stand in both languages")
        return StepBlock(tuple(parts), tuple(claims), start)

    def display(self, number: int, bare: str, word: str, line: str) -> Display:
        rest = bare[len(word) :].strip()
        if not rest:
            raise self.error(number, f"`{word}` needs a name", f"write for example `{word} Q`")
        ledger = False
        row = ""
        if word == "show" and rest.endswith(" ledger"):
            ledger, rest = True, rest[: -len(" ledger")].strip()
        if word == "heat" and (found := re.match(r"^(.*?)\s+row\s+(\S+)$", rest)):
            rest, row = found[1], found[2]
        begin = line.index(rest, line.index(word) + len(word)) + 1
        targets: list[Code] = []
        for text in _split_commas(rest):
            targets.append(Code(text.strip(), number, begin + len(text) - len(text.lstrip())))
            begin += len(text) + 1
        return Display(word, tuple(targets), ledger, row)

    def claim(self, number: int, line: str) -> ClaimLine:
        bare = line.strip()
        found = _CLAIM.match(bare)
        if found is None:
            raise self.error(number, 'a claim is written `| ADDRESS "quote" @line`')
        indent = len(line) - len(line.lstrip())
        target = found["target"].strip()
        kind = "number"
        word = target.split(maxsplit=1)[0] if target else ""
        if word in KINDS and target != word:
            kind, target = word, target[len(word) :].strip()
        column = indent + found.start("target") + found["target"].rindex(target) + 1
        quote = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], found["quote"])
        place = _PLACE.match(found["rest"])
        if place is None:
            raise self.error(number, "a claim says where its quote stands", "add @LINE after the quote")
        known, declared, printed_from = "", False, None
        rest = place["rest"].strip()
        while rest:
            if option := re.match(r"^known\s+(\S+)\s*", rest):
                known, rest = option[1], rest[option.end() :]
            elif option := re.match(r"^declared\b\s*", rest):
                declared, rest = True, rest[option.end() :]
            elif option := re.match(r"^from\s+(.+?)\s*(?=$|\bknown\s|\bdeclared\b)", rest):
                begin = indent + len(bare) - len(rest) + option.start(1) + 1
                printed_from, rest = Code(option[1], number, begin), rest[option.end() :]
            else:
                raise self.error(
                    number, f"`{rest}` is not understood after a claim", "only `from EXPR`, `declared` and `known ID` may follow"
                )
        if not quote.strip():
            raise self.error(number, "the quote is empty")
        if not target:
            raise self.error(number, "the claim does not say what its quote means", "write an address such as Q[0,1] or an expression")
        counts = {name: int(text) for name, text in place.groupdict().items() if name != "rest" and text is not None}
        if 0 in counts.values():
            raise self.error(number, "lines, columns and occurrences count from 1", "correct the place after @")
        first = counts["first"]
        last = counts.get("last", first)
        if last < first:
            raise self.error(number, f"the place ends on line {last}, before line {first} where it begins", "correct the place after @")
        return ClaimLine(
            kind, Code(target, number, column), quote, first, last, counts.get("column", 0),
            counts.get("occurrence", 0), printed_from, declared, known, number,
        )  # fmt: skip

    def known(self, body: list[tuple[int, str]], head: str, start: int) -> Known:
        words = head.split()
        if len(words) != 2 or words[1] not in VERDICTS:
            raise self.error(start, "an acknowledgement is headed `known ID VERDICT`", f"verdicts: {', '.join(VERDICTS)}")
        texts = self.keyed(body, ("es", "en"))
        return Known(words[0], words[1], self.both(texts, start), start)

    def statement(self, body: list[tuple[int, str]], head: str, start: int) -> StatementBlock:
        found = re.match(r'^@([0-9]{1,9})\s+"((?:[^"\\]|\\.)*)"$', head)
        if found is None:
            raise self.error(start, 'a statement is headed `statement @LINE "quote"`')
        quote = re.sub(r"\\(.)", r"\1", found[2])
        if len(quote) > 60:
            raise self.error(start, f"the quote has {len(quote)} characters", "quote at most 60")
        texts = self.keyed(body, ("es", "en", "says", "means", "instead", "theorem"))
        formulas = {key: tuple(Code(text, line, len(key) + 3) for line, text in texts.get(key, [])) for key in ("says", "means", "instead")}
        named = [
            Code(topic.strip(), line, len("theorem") + 3)
            for line, text in texts.get("theorem", [])
            for topic in text.split(",")
            if topic.strip()
        ]
        return StatementBlock(
            quote, int(found[1]), formulas["says"], formulas["means"], formulas["instead"], self.both(texts, start), start, tuple(named)
        )

    def keyed(self, body: list[tuple[int, str]], keys: tuple[str, ...]) -> dict[str, list[tuple[int, str]]]:
        """`key: text` lines; a line without a known key goes on the text above it."""
        found: dict[str, list[tuple[int, str]]] = {}
        last: list[tuple[int, str]] | None = None
        for number, line in body:
            bare = line.strip()
            if not bare or bare.startswith("#"):
                continue
            key, colon, text = bare.partition(":")
            if colon and key in keys:
                last = found.setdefault(key, [])
                last.append((number, text.strip()))
            elif last is not None:
                last[-1] = (last[-1][0], f"{last[-1][1]} {bare}")
            else:
                raise self.error(number, "this line needs a key", f"begin it with one of {', '.join(keys)} and a colon")
        return found

    def both(self, texts: dict[str, list[tuple[int, str]]], start: int) -> dict[str, str]:
        for lang in LANGS:
            if lang not in texts:
                raise self.error(start, f"the text in {lang} is missing", f"add a line `{lang}: …`")
        return {lang: " ".join(text for _, text in texts[lang]) for lang in LANGS}

    def logical(self, body: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Lines without comments; a line whose brackets are open goes on with the next. In claims, heads, captions # and [ are words."""
        held = ""
        first = 0
        for number, line in body:
            words = _WORDS.match(line) is not None and not held
            text = line.rstrip() if words else _without_comment(line).rstrip()
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            if not held:
                first = number
            held = f"{held} {text.strip()}" if held else text
            if words or held.count("[") <= held.count("]"):
                yield first, held
                held = ""
        if held:
            raise self.error(first, "a bracket is not closed", "close it with ]")


def _without_comment(line: str) -> str:
    return line.split("#", 1)[0]


def _split_commas(text: str) -> list[str]:
    """Split at commas outside brackets."""
    parts, depth, start = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(text[start:k])
            start = k + 1
    return [*parts, text[start:]]
