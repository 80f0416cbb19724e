"""How a message with a place looks on a terminal."""

from __future__ import annotations

import pytest

from symattn.errors import LanguageError, Place, visible


def shown(column: int, source: str, **options: int) -> list[str]:
    return LanguageError("no", place=Place("a.md", 7, column, source), next_move="do it").pretty(**options).split("\n")


def test_the_caret_stands_under_the_place() -> None:
    assert shown(5, "S = Qx @ K") == ["a.md:7:5: no", "    S = Qx @ K", "        ^", "  do it"]


def test_wide_and_combining_characters_keep_the_caret_in_place() -> None:
    assert shown(3, "漢漢x")[2] == " " * 4 + "    ^"
    assert shown(3, "e\u0301x")[2] == " " * 4 + " ^"


@pytest.mark.parametrize("column", [1, 40, 5_000, 9_999, 10_000])
def test_a_long_line_is_shown_through_a_window_around_the_place(column: int) -> None:
    source = "".join(chr(97 + k % 26) for k in range(10_000))
    _, line, caret, _ = shown(column, source, width=60)
    assert len(line) <= 4 + 56 + 2
    assert line[caret.index("^")] == source[column - 1]


def test_control_and_reordering_characters_are_shown_as_symbols() -> None:
    assert visible("a\x1b[31m\x07\x7f\u202e\ud800é") == "a␛[31m␇␡⟨U+202E⟩⟨U+D800⟩é"
    text = LanguageError("bad \x1b", place=Place("evil\x1b.md", 1, 2, "\x1b[2Jx"), next_move="no \r").pretty()
    assert all(c == "\n" or c.isprintable() for c in text)
    assert text.split("\n")[2] == "     ^"


def test_without_a_place_there_is_no_caret() -> None:
    assert LanguageError("no", next_move="go").pretty() == "no\n  go"
    assert LanguageError("no", place=Place("a.md")).pretty() == "a.md: no"
