"""What can go wrong, whose fault it is, and the next move.

Promises: every error a user can cause is a `SymattnError` with one message that names the place and the next move.
Does not promise: anything about programming errors inside symattn, which stay ordinary Python exceptions.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_SHOWN_AS_CODE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str) -> str:
    """`text` for a terminal: control characters as their symbols (␛, ␀), other invisible or reordering ones as ⟨U+202E⟩."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(char) for char in text)


def _visible(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"⟨U+{code:04X}⟩" if unicodedata.category(char) in _SHOWN_AS_CODE else char


def _cells(text: str) -> int:
    """Terminal columns that `text` takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


@dataclass(frozen=True)
class Place:
    """Where in a text something stands. `line` and `column` are 1-based and count code points; 0 means unknown."""

    path: str = ""
    line: int = 0
    column: int = 0
    source_line: str = ""

    def label(self) -> str:
        """`file:line:column`, leaving out what is not known."""
        parts = [self.path or "<text>"]
        if self.line:
            parts.append(str(self.line))
            if self.column:
                parts.append(str(self.column))
        return ":".join(parts)


def _pointed(source: str, offset: int, width: int) -> tuple[str, str]:
    """A line of text, or the window of it around `offset`, and the caret line under it."""
    width = max(width, 20)
    first = 0
    if len(source) > width:
        first = min(max(0, offset - width // 2), max(0, len(source) - width))
    last = min(len(source), first + width)
    before = ("…" if first else "") + visible(source[first:offset])
    line = before + visible(source[offset:last]) + ("…" if last < len(source) else "")
    return line.rstrip(), " " * _cells(before) + "^"


class SymattnError(Exception):
    """Trouble whose cause lies in what was given: message, place, next move. Exit code 2.

    `message` is one sentence without a final period, `next_move` tells what to do instead (may be empty).
    """

    exit_code = 2

    def __init__(self, message: str, *, place: Place | None = None, next_move: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.next_move = next_move

    def at(self, place: Place) -> SymattnError:
        """The same error with a place, unless it already has one."""
        if self.place is None:
            self.place = place
        return self

    def pretty(self, width: int = 100) -> str:
        """The message for a terminal: `file:line:column: message`, the source line with a caret under the place (a window of
        it when it is longer than `width`), and the next move. Control characters are shown as symbols."""
        lines = [visible(self.message if self.place is None else f"{self.place.label()}: {self.message}")]
        if self.place is not None and self.place.line and self.place.column and self.place.source_line:
            lines += [f"    {line}" for line in _pointed(self.place.source_line, self.place.column - 1, width - 4)]
        if self.next_move:
            lines.append(visible(f"  {self.next_move}"))
        return "\n".join(lines)

    def __str__(self) -> str:
        text = self.message
        if self.place is not None:
            text = f"{self.place.label()}: {text}"
        if self.next_move:
            text = f"{text}; {self.next_move}"
        return text


class LanguageError(SymattnError):
    """Text that the expression language cannot read."""


class ShapeError(SymattnError):
    """Stages whose shapes do not fit; names the stage, both shapes and the next move."""


class ProgramError(SymattnError):
    """A program that breaks its own rules (unknown stage, repeated name, free index)."""


class InputError(SymattnError):
    """A value that cannot be taken: a float where exactness is meant, NaN, a ragged matrix, an empty input."""


class MaskedRowError(SymattnError):
    """A row in which no key is allowed, where the program needs at least one."""


class UnsupportedError(SymattnError):
    """An operation a reading cannot do; carries the named reason of the hole in its table."""


class UndecidedError(SymattnError):
    """The cap on precision or time was reached before the answer was proven."""


class DomainError(SymattnError):
    """A value outside a function's domain: division by zero, log of a nonpositive number, root of a negative one."""


class SheetError(SymattnError):
    """A worksheet file that cannot be read or does not fit its source."""


class DerivationError(SymattnError):
    """A derivation that is not one: a file that cannot be read, a step that does not follow the one before it, an unknown rule or topic."""


class RenderError(SymattnError):
    """A page node that a renderer does not know, or a TeX run that failed."""
