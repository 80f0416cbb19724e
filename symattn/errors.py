"""What can go wrong, whose fault it is, and the next move.

Promises: every error a user can cause is a `SymattnError` with one message that names the place and the next move.
Does not promise: anything about programming errors inside symattn, which stay ordinary Python exceptions.
"""

from __future__ import annotations

from dataclasses import dataclass


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


class RenderError(SymattnError):
    """A page node that a renderer does not know, or a TeX run that failed."""
