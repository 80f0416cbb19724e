"""How wide a formula will be.

Promises: `width` is an estimate in mm at the size of the text (Palatino 10.95 pt), within about a tenth for what worksheets print.
Does not promise: exact metrics; what still sticks out is scaled by the page's own macros, so that no line is overfull.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from symattn.page.math import Big, Box, Fence, Fraction, Grid, Math, Name, Number, Root, Row, Script, Sign, Words

EM = 3.848  # mm
_WIDE = {
    ".": 0.25,
    ",": 0.25,
    "-": 0.606,
    "+": 0.606,
    "%": 0.84,
    "…": 1.0,
    " ": 0.25,
    "i": 0.3,
    "l": 0.3,
    "j": 0.3,
    "t": 0.33,
    "m": 0.88,
    "w": 0.8,
}
OPERATORS = {"+", "-", "*", "×", "·", "⊙", "±"}
RELATIONS = {"=", "≈", "≠", "<", ">", "≤", "≥", "→", "∈", "∼"}
_SCRIPT = 0.72
RESULT_MM = 24.0
TERM_MM = 14.0


@lru_cache(maxsize=4096)
def text_width(text: str) -> float:
    """mm of upright text at 10.95 pt."""
    return EM * sum(0.0 if unicodedata.combining(c) else 0.7 if c.isupper() else _WIDE.get(c, 0.5) for c in text)


_KEPT = 20_000  # formulas
_known: dict[int, tuple[Math, float]] = {}  # by identity: a formula is measured several times while its rows are laid out


def width(math: Math) -> float:
    """mm of a formula in display size."""
    if isinstance(math, Sign):
        return _sign_width(math.text)
    if isinstance(math, Number | Name | Words):
        mm = text_width(math.text)
        return max(mm, 0.45 * EM) if isinstance(math, Name) else mm
    found = _known.get(id(math))
    if found is not None and found[0] is math:
        return found[1]
    if len(_known) >= _KEPT:
        _known.clear()
    result = _width(math)
    _known[id(math)] = math, result
    return result


def _sign_width(text: str) -> float:
    if text in OPERATORS:
        return 1.05 * EM
    return 1.16 * EM if text in RELATIONS else 0.42 * EM


def _width(math: Math) -> float:
    match math:
        case Row(items):
            return sum(width(item) for item in items)
        case Script(base, sub, sup):
            return width(base) + _SCRIPT * max(width(sub), width(sup)) + 0.05 * EM
        case Fraction(num, den):
            return max(width(num), width(den)) + 0.25 * EM
        case Root(body):
            return width(body) + 0.85 * EM
        case Fence(body):
            return width(body) + (1.1 if is_tall(body) else 0.68) * EM
        case Big(_, lower, upper, body):
            return max(1.3 * EM, _SCRIPT * width(lower), _SCRIPT * width(upper)) + 0.2 * EM + width(body)
        case Grid(rows, labels):
            columns = max((len(row) for row in rows), default=1)
            widest = max((width(cell) for row in rows for cell in row), default=0.0)
            return columns * (widest + 1.8) + 6.0 + 0.6 * max((text_width(label) for label in labels), default=0.0)
        case Box(body, kind):
            return max(TERM_MM, width(body)) if kind == "term" else max(RESULT_MM, width(body) + 4.8)
        case _:
            return 0.0


def is_tall(math: Math) -> bool:
    """Does the formula need fences that grow?"""
    if isinstance(math, Number | Name | Sign | Words):
        return False
    match math:
        case Fraction() | Grid() | Root():
            return True
        case Big():
            return True
        case Row(items):
            return any(is_tall(item) for item in items)
        case Script(base, _, _):
            return is_tall(base)
        case Fence(body) | Box(body):
            return is_tall(body)
        case _:
            return False


def shape(math: Math) -> Math:
    """The formula with every digit as 0: all digits are equally wide, so formulas of one shape are equally wide."""

    def zeros(text: str) -> str:
        return "".join("0" if c.isdigit() and c.isascii() else c for c in text)

    match math:
        case Number(text):
            return Number(zeros(text))
        case Name(text, upright, accent):
            return Name(zeros(text), upright, accent)
        case Row(items):
            return Row(tuple(shape(item) for item in items))
        case Script(base, sub, sup):
            return Script(shape(base), shape(sub), shape(sup))
        case Fraction(num, den):
            return Fraction(shape(num), shape(den))
        case Root(body):
            return Root(shape(body))
        case Fence(body, pair):
            return Fence(shape(body), pair)
        case Big(kind, lower, upper, body):
            return Big(kind, shape(lower), shape(upper), shape(body))
        case _:
            return math
