"""Printed numbers in text: where each stands and its token.

Promises: tokens that `parse_printed` reads, with the sign, separators, percent sign and ellipsis that belong to them; a sign that is an
operation (3-1), digits that are part of a name (W_1, x1, GPT-3, float64, 2b), an index (Q[0]), a label (a list's "1.", a date, a year, a
version) are not part of a number. Does not promise: that a number is a claim, or its decimal mark where the text does not show it.

Commas are decided by context. Between brackets that separate with ", " or ";", a comma inside a token belongs to the number; without such
separators, `[2,4]` is a list. In round brackets a lone `0,30`, or one with a percent sign, is a number, and so is a lone one where the
caller knows that the decimal mark is a comma. Outside brackets an unspaced comma belongs to the number (83,83 and 2,980.96), unless there
are several that do not separate thousands (1,2,3).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

SPACES = " \t\u00a0\u202f\u2009"
MINUS = "-\u2212"
DASH = "\u2013"
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(OPENING.values())
MAX_OPEN = 50  # brackets left open that a closing one looks past
MAX_INTERVAL = 60  # characters between the ends of a half-open interval
# A sign directly before a digit belongs to it after one of these, after a space, and at the start.
BEFORE_SIGN = frozenset("([{,;=<>≤≥≈~≃≅→←|:+-−*/×·÷^_&±√∑Σ\"'`«“$€£")

_PIECE = r"[0-9]+(?:[.,][0-9]+)*(?:[\u00a0\u202f\u2009'’][0-9]{3}(?![0-9])(?:[.,][0-9]+)?)*"
_BODY = re.compile(rf"{_PIECE}|[.,][0-9]+")
_POWER = re.compile(r"[eE][+\-−]?[0-9]+(?![0-9A-Za-z_])")
_TIMES_TEN = re.compile(r"[ \u00a0]?(?:[×·]|\\times|\\cdot)[ \u00a0]?10(?:\^\{?[+\-−]?[0-9]+\}?|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_PERCENT = re.compile(r"([ \u00a0\u202f\u2009]?)\\?%")
_NEXT_OPERAND = re.compile(rf"[{SPACES}]*[0-9(\[]")
_ELLIPSIS = re.compile(r"\.\.\.(?!\.)|…|\\l?dots(?![A-Za-z])")
_LABELS = (
    re.compile(r"(?m)^[ \t>*+-]*[0-9]{1,3}[.)](?=[ \t]+[^\W\d_])"),  # 1. Título
    re.compile(r"(?<![0-9.,-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9-])"),  # an ISO date
    re.compile(r"https?://\S+|www\.\S+|arXiv:[0-9.v]+|doi:\S+", re.IGNORECASE),
    re.compile(r"&#x?[0-9A-Fa-f]+;"),
    re.compile(
        r"(?:©|\(c\)|\bet al\.,?|\b[Ee]n|\b[Ii]n|\b[Ss]ince|\b[Dd]esde|\b[Aa]ño|\b[Yy]ear)"
        r"[ \u00a0]\(?(?:19[0-9]{2}|20[0-3][0-9])(?![0-9.,]*[0-9]|%)"  # a year, named as one
    ),
    re.compile(r"\((?:[A-ZÁÉÍÓÚÑ][\w.&-]*,? )+(?:19|20)[0-9]{2}[a-z]?\)"),  # (Vaswani et al., 2017) without the "et al."
)
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?|[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]+)?")


class Token(NamedTuple):
    """A printed number: text[start:end] == token."""

    start: int
    end: int
    token: str


@dataclass
class _Group:
    """A pair of brackets: what stands before it, how it separates, whether it is an index."""

    start: int
    bracket: str
    index: bool
    call: bool
    spaced: bool = False
    commas: int = 0


def number_tokens(text: str, decimal: str | None = None) -> list[Token]:
    """The printed numbers of `text`, in order, as (start, end, token) in code points.

    `decimal` is the document's decimal mark where it is known; it matters only for a lone comma between brackets.
    """
    groups = _groups(text)
    skipped = _labels(text)
    found: list[Token] = []
    at = 0
    while (match := _BODY.search(text, at)) is not None:
        start, end = match.span()
        if start in skipped:
            at = skipped[start]
            continue
        if match.group()[0] in ".," and (match.group()[0] == "," or not _opens(text, start)):
            at = start + 1
            continue
        group = groups.get(start)
        if group is not None and group.index:
            at = end
            continue
        if _in_name(text, start):
            at = _name_end(text, end)
            continue
        at = end
        for first, last in _pieces(text, start, end, group, decimal):
            finished = _finish(text, first, last)
            if finished is None:
                at = max(at, _name_end(text, last))
                continue
            begin = first - 1 if _signed(text, first) else first
            found.append(Token(begin, finished, text[begin:finished]))
            at = max(at, finished)
    return found


# -- what surrounds a run of digits -----------------------------------------------------------------------------------
def _before(text: str, at: int) -> str:
    return text[at - 1] if at > 0 else ""


def _is_letter(c: str) -> bool:
    return c.isalpha() or (c != "" and c in "_₀₁₂₃₄₅₆₇₈₉")


def _opens(text: str, start: int) -> bool:
    """May a number begin with the decimal mark here (.5)?"""
    before = _before(text, start)
    return before == "" or before in BEFORE_SIGN or before.isspace()


def _in_name(text: str, start: int) -> bool:
    """Are the digits part of a name: x1, W_1, float64, GPT-3, #1F2E?"""
    before = _before(text, start)
    if _is_letter(before):
        # 4x4: an x between digits is a multiplication sign
        return not (before in "xX" and start >= 2 and text[start - 2].isdigit() and text[start - 2].isascii())
    if before == "." and start >= 2 and _is_letter(text[start - 2]):
        return True
    if before == "{" and start >= 2 and text[start - 2] == "_":
        return True
    if before in MINUS and start >= 3 and _is_letter(text[start - 2]) and _is_letter(text[start - 3]):
        return not text[start - 2].isspace()
    return False


def _name_end(text: str, end: int) -> int:
    while end < len(text) and (_is_letter(text[end]) or text[end].isdigit()):
        end += 1
    return end


def _signed(text: str, start: int) -> bool:
    """Does the character before the digits sign them? An operation between two things does not."""
    sign = _before(text, start)
    if sign == "" or sign not in "+" + MINUS + DASH:
        return False
    before = _before(text, start - 1)
    if before == "":
        return True
    if sign == DASH:
        left = start - 2
        while left >= 0 and text[left] in SPACES:
            left -= 1
        return left < 0 or text[left] in BEFORE_SIGN or text[left] == "\n"
    if before.isspace():
        return True
    return before in BEFORE_SIGN


def _finish(text: str, start: int, end: int) -> int | None:
    """The end of the token with its power of ten, percent sign and ellipsis; None when the digits turn out to be a name (2b, 1.2.3)."""
    body = text[start:end]
    marked = "." in body or "," in body
    if body.count(".") + body.count(",") > 1 and not _THOUSANDS.fullmatch(body):
        return None
    power = _POWER.match(text, end)
    if power is not None:
        return power.end()
    after = text[end : end + 1]
    if after and _is_letter(after):
        times = after in "xX" and text[end + 1 : end + 2].isdigit()
        if not marked and not times:
            return None
    if re.fullmatch(r"[1-9](?:[.,][0-9]+)?", body):
        times_ten = _TIMES_TEN.match(text, end)
        if times_ten is not None:
            return times_ten.end()
    early = _ELLIPSIS.match(text, end) if marked else None
    if early is not None:
        end = early.end()
    percent = _PERCENT.match(text, end)
    if percent is not None and not _modulus(text, percent, marked):
        end = percent.end()
        late = _ELLIPSIS.match(text, end) if marked and early is None else None
        if late is not None:
            end = late.end()
    return end


def _modulus(text: str, percent: re.Match[str], marked: bool) -> bool:
    """5 % 3 is an operation; 28,9 % 37,9 % are two percentages."""
    return percent.group(1) != "" and not marked and _NEXT_OPERAND.match(text, percent.end()) is not None


# -- commas -----------------------------------------------------------------------------------------------------------
def _pieces(text: str, start: int, end: int, group: _Group | None, decimal: str | None) -> list[tuple[int, int]]:
    """The numbers of a run of digits, dots and commas: one, or one between each two commas."""
    body = text[start:end]
    if "," not in body or _comma_belongs(text, end, body, group, decimal):
        return [(start, end)]
    pieces, at = [], start
    for part in body.split(","):
        if part:
            pieces.append((at, at + len(part)))
        at += len(part) + 1
    return pieces


def _comma_belongs(text: str, end: int, body: str, group: _Group | None, decimal: str | None) -> bool:
    lone = body.count(",") == 1
    if group is None or group.spaced:
        return lone or _THOUSANDS.fullmatch(body) is not None
    if group.commas > 1:
        return False
    if decimal == ",":
        return True
    if group.bracket != "(":
        return False
    number = not group.call and body.startswith("0,")
    return number or _PERCENT.match(text, end) is not None or ("." in body and _THOUSANDS.fullmatch(body) is not None)


def _groups(text: str) -> dict[int, _Group]:
    """The innermost pair of brackets around each digit run's start. Brackets that do not close, or across an empty line, are none."""
    owner: dict[int, _Group] = {}
    stack: list[_Group] = []
    pending: dict[int, list[int]] = {}
    last_index_end = -1
    for at, c in enumerate(text):
        if c in OPENING:
            before = _before(text, at)
            named = before != "" and (_is_letter(before) or before == "'" or (before.isdigit() and _in_name(text, _run_start(text, at))))
            chained = before == "]" and last_index_end == at - 1
            stack.append(_Group(at, c, index=c == "[" and (named or chained), call=c == "(" and named))
            pending[at] = []
        elif c in CLOSING:
            group = _closed(stack, pending, c, at)
            if group is not None:
                if group.index:
                    last_index_end = at
                for start in pending.pop(group.start):
                    owner[start] = group
        elif c == "\n" and text[at + 1 : at + 2] == "\n":
            stack.clear()
            pending.clear()
        elif stack:
            top = stack[-1]
            if c == ";" or (c == "," and text[at + 1 : at + 2] in tuple(SPACES + "\n")):
                top.spaced = True
            elif c == ",":
                top.commas += 1
            elif "0" <= c <= "9" and not "0" <= _before(text, at) <= "9":
                pending[top.start].append(at)
    return owner


def _closed(stack: list[_Group], pending: dict[int, list[int]], c: str, at: int) -> _Group | None:
    """The group that `c` closes. Openings left open inside it are none; [0, 1) closes as an interval does."""
    wanted = next((k for k in range(len(stack) - 1, max(-1, len(stack) - 1 - MAX_OPEN), -1) if OPENING[stack[k].bracket] == c), None)
    if wanted is None:
        near = bool(stack) and at - stack[-1].start <= MAX_INTERVAL and {stack[-1].bracket, c} in ({"[", ")"}, {"(", "]"})
        return stack.pop() if near else None
    while len(stack) > wanted + 1:
        pending[stack[wanted].start].extend(pending.pop(stack.pop().start))
    return stack.pop()


def _run_start(text: str, at: int) -> int:
    while at > 0 and text[at - 1].isdigit():
        at -= 1
    return at


def _labels(text: str) -> dict[int, int]:
    """Starts of digit runs that are labels, with where to go on."""
    found: dict[int, int] = {}
    for pattern in _LABELS:
        for match in pattern.finditer(text):
            for at in range(match.start(), match.end()):
                if text[at].isdigit():
                    found[at] = match.end()
    return found
