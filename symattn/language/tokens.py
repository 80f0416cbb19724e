"""From text to tokens: numbers kept exactly, names, signs, each with its place.

Promises: any text gives tokens or one `LanguageError` that names line, column and the next move; tokens come one by one, so the
first trouble in reading order is the one that is told. Does not promise: that the tokens make an expression.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from symattn.errors import LanguageError, Place
from symattn.language.limits import MAX_DIGITS, MAX_QUOTED, MAX_TEXT
from symattn.language.names import MAX_NAME, is_identifier, is_letter, is_name_part, normalized

_NUMBER = re.compile(r"([0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_SPACE = " \t\r\n\f\u00a0\u2009\u202f"
_SIGNS = ("**", "==", "!=", "<=", ">=", "<", ">", "=", "+", "-", "*", "/", "@", ".", ",", ":", "(", ")", "[", "]", ";")
SPELLINGS = {"−": "-", "×": "*", "·": "*", "⋅": "*", "⊙": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!="}
_HINTS = {
    "^": ("a power is not written with ^", "write ** for a power: x**2"),
    "%": ("a percentage is not a number here", "divide by 100: 4.7/100"),
    "√": ("a root is not written with √", "write sqrt(x)"),
    "∑": ("a sum is not written with ∑", "write sum(x)"),
    "∞": ("infinity is not a number here", "expressions are exact; a mask leaves entries out instead of setting them to −∞"),
    "ᵀ": ("a transpose is not written with a raised T", "write .T after the matrix: K.T"),
    "⊤": ("a transpose is not written with ⊤", "write .T after the matrix: K.T"),
    "≈": ("≈ does not say how near", "compare with < and >, or with == when the two are equal"),
    "~": ("~ does not say how near", "compare with < and >"),
    "{": ("braces are not used", "write ( ) to group and [ ] for vectors and matrices"),
    "}": ("braces are not used", "write ( ) to group and [ ] for vectors and matrices"),
    "!": ("the sign ! is not used", "write != for “not equal”"),
    "…": ("an ellipsis leaves numbers out", "write every entry"),
    "–": ("this is a dash, not a minus sign", "write -"),
    "—": ("this is a dash, not a minus sign", "write -"),
    "|": ("the sign | is not used", "write abs(x) for an absolute value"),
}
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))


class Source:
    """A text and where it comes from. `first_column` and `source_line` are for text that begins inside a longer line: the
    column of its first character there, and that whole line."""

    def __init__(self, text: str, path: str = "", first_line: int = 1, first_column: int = 1, source_line: str = "") -> None:
        self.text = text
        self.path = path
        self.first_line = first_line
        self.first_column = first_column
        self._source_line = source_line
        self._line_start, self._line, self._shown = 0, 0, self._line_text(0, 0)

    def place(self, offset: int) -> Place:
        """The place of a character. Cheap when offsets are asked in order, or nearly so."""
        if offset < self._line_start:
            self._line_start, self._line, self._shown = 0, 0, self._line_text(0, 0)
        while (end := self.text.find("\n", self._line_start, offset)) >= 0:
            self._line_start, self._line = end + 1, self._line + 1
            self._shown = self._line_text(self._line_start, self._line)
        column = offset - self._line_start + (self.first_column if self._line == 0 else 1)
        return Place(self.path, self.first_line + self._line, column, self._shown)

    def _line_text(self, start: int, line: int) -> str:
        if line == 0 and self._source_line:
            return self._source_line
        end = self.text.find("\n", start)
        shown = self.text[start : end if end >= 0 else len(self.text)]
        # Text that begins inside a line that is not known is shown where it stood.
        return shown if line else " " * (self.first_column - 1) + shown


@dataclass(frozen=True)
class Token:
    """`kind` is number, name, text, sign or end; `text` is canonical, `typed` is as it stands in the source."""

    kind: str
    text: str
    offset: int
    typed: str = ""
    value: Fraction = Fraction(0)
    spaced: bool = False  # white space before it


def tokens(source: Source) -> Iterator[Token]:
    """The tokens of a text, then one of kind "end" for ever. `#` begins a comment that runs to the end of its line."""
    text = source.text
    at = 0
    while True:
        start = at
        while at < len(text) and (text[at] in _SPACE or text[at] == "#"):
            if text[at] == "#":
                end = text.find("\n", at)
                at = end if end >= 0 else len(text)
            else:
                at += 1
        if at >= len(text):
            while True:
                yield Token("end", "", at)
        if at > MAX_TEXT:
            raise _error(source, at, f"the text is longer than {MAX_TEXT} characters", "split it into several definitions")
        token, at = _token(source, at, at > start)
        yield token


def _token(source: Source, at: int, spaced: bool) -> tuple[Token, int]:
    text = source.text
    char = text[at]
    if char.isascii() and char.isdigit():
        return _number(source, at, spaced)
    if char == "." and at + 1 < len(text) and text[at + 1] in "0123456789" and not (at and is_name_part(text[at - 1])):
        return _number(source, at, spaced)
    if is_letter(char):
        return _name(source, at, spaced)
    if char in "\"'":
        return _quoted(source, at, spaced)
    if char in SPELLINGS:
        return Token("sign", SPELLINGS[char], at, char, spaced=spaced), at + 1
    for sign in _SIGNS:
        if text.startswith(sign, at):
            return Token("sign", sign, at, sign, spaced=spaced), at + len(sign)
    if char in _HINTS:
        message, move = _HINTS[char]
        raise _error(source, at, message, move)
    if char in _RAISED:
        raise _error(source, at, f"a raised {char} is not read", f"write **{_RAISED[char]} for the power")
    if unicodedata.category(char) == "Nd":
        raise _error(source, at, f"the digit {char} is not read", "write digits 0 to 9")
    if char in "“”„«»‘’`":
        raise _error(
            source, at, f"the quotation mark {char} is not read", 'expressions hold no text, except a keyword\'s word: mask="causal"'
        )
    raise _error(source, at, f"the character {_shown(char)} is not part of the language", "remove it")


def _shown(char: str) -> str:
    return f'"{char}"' if char.isprintable() and not unicodedata.combining(char) else f"U+{ord(char):04X}"


def _number(source: Source, at: int, spaced: bool) -> tuple[Token, int]:
    text = source.text
    found = _NUMBER.match(text, at)
    assert found is not None
    whole, part, power = found.group(1), found.group(2) or "", found.group(3) or ""
    digits = len(whole) + len(part)
    if digits > MAX_DIGITS:
        raise _error(source, at, f"a number with {digits} digits is too long", f"a number has at most {MAX_DIGITS} digits")
    if len(power) > 6 or abs(int(power or "0")) > MAX_DIGITS:
        raise _error(source, at, "the exponent of this number is too large", f"it reaches from e-{MAX_DIGITS} to e{MAX_DIGITS}")
    end = found.end()
    _check_after_number(source, at, end, power)
    shift = int(power or "0") - len(part)
    value = Fraction(int(whole + part) * 10**shift) if shift >= 0 else Fraction(int(whole + part), 10**-shift)
    typed = text[at:end]
    return Token("number", typed, at, typed, value, spaced), end


def _check_after_number(source: Source, at: int, end: int, power: str) -> None:
    text = source.text
    after = text[end : end + 1]
    typed = text[at:end] if end - at <= 30 else text[at : at + 30] + "…"
    if after == "." and not text.startswith(".T", end):
        if end + 1 < len(text) and (text[end + 1].isdigit() or "." in typed):
            raise _error(source, end, f"{typed} is followed by another point", "a number has one decimal point and no thousands separators")
        raise _error(source, end, f"digits are missing after the point of {typed}.", f"write {typed} or {typed}.0")
    if after == "_":
        raise _error(source, end, "digits are not grouped", "write the digits together: 1000")
    if after in ("e", "E") and not power and (end + 1 >= len(text) or not is_letter(text[end + 1])):
        raise _error(source, end, f"the exponent after {typed}{after} is missing", "write it as 1e-3, or use * and **")
    if after and after in _RAISED:
        raise _error(source, end, f"a raised {after} is not read", f"write **{_RAISED[after]} for the power")
    if after and is_letter(after):
        stop = end
        while stop < len(text) and stop - end < MAX_NAME and is_name_part(text[stop]):
            stop += 1
        name = text[end:stop]
        if typed == "0" and name[0] in "xXbBoO":
            raise _error(source, at, "numbers are written in base ten", "write the decimal digits")
        raise _error(source, end, f'the number {typed} runs into "{name}"', f"write {typed} * {name}")


def _name(source: Source, at: int, spaced: bool) -> tuple[Token, int]:
    text = source.text
    end = at + 1
    while end < len(text) and is_name_part(text[end]):
        end += 1
    typed = text[at:end]
    if len(typed) > MAX_NAME:
        raise _error(source, at, f"a name of {len(typed)} characters is too long", f"names have at most {MAX_NAME}")
    name = normalized(typed)
    if not is_identifier(name):
        raise _error(source, at, f'the name "{name}" has marks that belong to no letter', "use plain letters, digits and _")
    return Token("name", name, at, typed, spaced=spaced), end


def _quoted(source: Source, at: int, spaced: bool) -> tuple[Token, int]:
    text = source.text
    end = text.find(text[at], at + 1)
    line_end = text.find("\n", at)
    if end < 0 or (0 <= line_end < end):
        raise _error(source, at, "this quotation mark is never closed", "expressions hold no text; leave the mark out")
    if end - at > MAX_QUOTED:
        raise _error(source, at, "this quoted text is too long", 'quotes hold one word, as in mask="causal"')
    return Token("text", text[at + 1 : end], at, text[at : end + 1], spaced=spaced), end + 1


def _error(source: Source, offset: int, message: str, move: str) -> LanguageError:
    return LanguageError(message, place=source.place(offset), next_move=move)
