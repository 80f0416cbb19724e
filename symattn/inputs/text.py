"""Text files of numbers, read with a limit, and the places inside them.

Promises: at most MAX_BYTES are read of any file, also of one that never ends; what is not UTF-8 has the place of its first bad byte; a
number too long to read is found before any parser meets it. Does not promise: any format.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from pathlib import Path

from symattn.errors import InputError, Place
from symattn.number.literal import MAX_DIGITS

MAX_BYTES = 64_000_000
_LONG_NUMBER = re.compile(rf"0x[0-9a-fA-F_]{{{MAX_DIGITS},}}|[0-9][0-9_]{{{MAX_DIGITS},}}")


class TextFile:
    """A file's text. `place(offset)` is the place of a character."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._starts: list[int] = []

    def place(self, offset: int) -> Place:
        """Line, column and the line itself."""
        if not self._starts:
            self._starts = [0, *(m.end() for m in re.finditer("\n", self.text))]
        line = bisect_right(self._starts, offset)
        return self.at(line, offset - self._starts[line - 1] + 1)

    def at(self, line: int, column: int) -> Place:
        """The place with this line and column, both from 1."""
        lines = self.text.split("\n", line)
        shown = lines[line - 1].rstrip("\r") if line <= len(lines) else ""
        return Place(self.path, line, column, shown)

    def error(self, offset: int, message: str, next_move: str = "") -> InputError:
        """A complaint about a character."""
        return InputError(message, place=self.place(offset), next_move=next_move)


def read_bytes(path: Path, limit: int) -> bytes:
    """All of a file. Raises InputError where it cannot be read or has more than `limit` bytes."""
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        move = "give the path of a file" if path.is_dir() else "check the path" if not path.exists() else ""
        raise InputError(f"the file cannot be read: {error.strerror or error}", place=Place(str(path)), next_move=move) from None
    if len(data) > limit:
        raise InputError(f"the file has more than {limit} bytes", place=Place(str(path)), next_move="give smaller matrices")
    return data


def read_text(path: Path) -> TextFile:
    """The text of a UTF-8 file. Raises InputError; a number of more than MAX_DIGITS digits is one, too."""
    data = read_bytes(path, MAX_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line_start = data.rfind(b"\n", 0, error.start) + 1
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[line_start : error.start].decode("utf-8", "replace")) + 1
        raise InputError(
            f"the file is not UTF-8 (byte 0x{data[error.start]:02x})",
            place=Place(str(path), line, column),
            next_move="save it as UTF-8 (it may be Latin-1 or Windows-1252)",
        ) from None
    file = TextFile(str(path), text)
    if not text.strip():
        raise InputError("the file is empty", place=Place(str(path)), next_move="put the matrices into it")
    long = _LONG_NUMBER.search(text)
    if long is not None:
        raise file.error(long.start(), f"a number of {long.end() - long.start()} digits", f"at most {MAX_DIGITS} digits are read")
    return file
