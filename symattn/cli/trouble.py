"""Errors as people see them: place, message, next move, and the line with a caret.

Promises: control and escape bytes of a document never reach the terminal as such; long lines are shown around the column.
Does not promise: colour.
"""

from __future__ import annotations

import click

from symattn.errors import SymattnError

WINDOW = 100


def visible(text: str) -> str:
    """`text` with control characters as symbols (CONTRACT 11)."""
    return "".join(chr(0x2400 + ord(c)) if ord(c) < 0x20 else "␡" if c == "\x7f" else "�" if 0x80 <= ord(c) < 0xA0 else c for c in text)


def trouble_text(error: SymattnError) -> str:
    """`error` as a few lines: where, what, the source line with a caret, the next move."""
    place = error.place
    lines = [f"{visible(place.label())}: error: {visible(error.message)}" if place is not None else f"error: {visible(error.message)}"]
    if place is not None and place.source_line and place.column:
        begin = max(0, place.column - 1 - WINDOW // 2)
        piece = visible(place.source_line[begin : begin + WINDOW].replace("\t", " "))
        lines.append("  " + piece)
        lines.append("  " + " " * (place.column - 1 - begin) + "^")
    if error.next_move:
        lines.append(f"  {visible(error.next_move)}")
    return "\n".join(lines)


def report_trouble(error: SymattnError) -> None:
    """The error on stderr."""
    click.echo(trouble_text(error), err=True)
