"""Printed decimals: reading them as people write them, and writing exact numbers as decimals.

Promises: a token is read exactly, with its sign, separators, percent sign, ellipsis and number of printed places; what cannot be read
in one way only is an `InputError`, never a guess. Texts made here have proven digits.
Does not promise: that a token is a claim, or which decimal mark a document uses (`guess_decimal_mark` says so only on evidence).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from symattn.errors import InputError
from symattn.number.digits import decimal_text, digits_text, finite_text, integer_text, significant_text
from symattn.number.rounding import (
    HALF_EVEN,
    HALF_UP,
    MODES,
    TOWARD_ZERO,
    Scaled,
    decide,
    half_even,
    half_up,
    power_of_ten,
    proven_rounding,
    round_quantity,
    same,
    scaled,
    toward_zero,
)
from symattn.number.truth import Enclosure

__all__ = [
    "HALF_EVEN",
    "HALF_UP",
    "MODES",
    "TOWARD_ZERO",
    "Printed",
    "Scaled",
    "decide",
    "decimal_text",
    "digits_text",
    "finite_text",
    "guess_decimal_mark",
    "half_even",
    "half_up",
    "mark_evidence",
    "parse_printed",
    "power_of_ten",
    "proven_rounding",
    "round_quantity",
    "same",
    "scaled",
    "significant_text",
    "toward_zero",
]

# Longer tokens are refused before any conversion: no printed number of a document needs more.
MAX_DIGITS = 1000
MAX_EXPONENT = 1000

MINUS_SIGNS = "-\u2212\u2013\u2010\uff0d\ufe63"
SIGNS = "+" + MINUS_SIGNS
# Spaces and apostrophes that may stand between groups of three digits whichever the decimal mark is.
GROUP_MARKS = " \u00a0\u202f\u2009'\u2019"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_TOKEN = re.compile(
    rf"""(?P<sign>[{re.escape(SIGNS)}])?[ \u00a0]?
    (?P<body>[0-9.,{re.escape(GROUP_MARKS)}]*?[0-9.,])
    (?:(?:[eE](?P<exp>[+\-\u2212]?[0-9]+))
      |(?:[ \u00a0]?(?:[×·*]|\\times|\\cdot)[ \u00a0]?10(?:\^\{{?(?P<power>[+\-\u2212]?[0-9]+)\}}?|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))))?
    (?P<percent>[ \u00a0\u202f\u2009]?\\?%)?""",
    re.VERBOSE,
)
_ENDING = re.compile(r"(?:…|\.\.\.|\\l?dots)\s*$|(?:…|\.\.\.|\\l?dots)(?=\s*\\?%\s*$)")


@dataclass(frozen=True)
class Printed:
    """A number as printed.

    `token` is its text without an ellipsis. `value` is in the printed unit (83.83 for "83.83%"); `places` counts the printed decimals, and
    is negative where a power of ten leaves the last printed digit before the decimal mark (1.5e3 has places -2). `ellipsis` says that
    the digits claim to go on.
    """

    token: str
    value: Fraction
    places: int
    percent: bool = False
    ellipsis: bool = False

    @property
    def scale(self) -> int:
        """What an exact value is multiplied by before it is compared: 100 for a percentage, else 1."""
        return 100 if self.percent else 1

    @property
    def unit(self) -> Fraction:
        """One unit of the last printed place."""
        return power_of_ten(-self.places)

    @property
    def integer(self) -> bool:
        """No printed decimals, and every digit printed (no power of ten stands for zeros)."""
        return self.places == 0

    @property
    def plain(self) -> Fraction:
        """The number itself: 0.8383 for "83.83%"."""
        return self.value / self.scale

    @property
    def negative(self) -> bool:
        """A minus sign is printed (also before a zero)."""
        return self.token[:1] in MINUS_SIGNS and bool(self.token)

    @property
    def significant(self) -> int:
        """Printed significant digits, at least 1: leading zeros do not count, trailing zeros do."""
        return len(integer_text(abs(self.value / self.unit).numerator))

    def interval(self) -> Enclosure:
        """Half a unit of the last place on each side, in the printed unit."""
        return Enclosure(self.value - self.unit / 2, self.value + self.unit / 2)


def parse_printed(token: str, decimal: str = ".") -> Printed:
    """The number printed as `token`, where `decimal` is its decimal mark ("." or ",").

    Reads a sign (+, - and the typographic minus signs), thousands separated in threes by the other mark, a space or an apostrophe, a
    power of ten (`1.5e3`, `1.5×10^3`, `1.5·10³`), a trailing `%` and a trailing ellipsis. Raises InputError for anything else.
    """
    if decimal not in (".", ","):
        raise InputError(f"the decimal mark is {decimal!r}", next_move='use "." or ","')
    text = token.strip()
    if len(text) > MAX_DIGITS + 40:
        raise InputError(f"the number {text[:20]}… has {len(text)} characters", next_move=f"at most {MAX_DIGITS} digits are read")
    bare, ellipsis = _without_ellipsis(text)
    found = _TOKEN.fullmatch(bare)
    if found is None or not any("0" <= c <= "9" for c in found["body"]):
        raise InputError(f"{_shown(text)} is not a printed number", next_move="write digits, with one decimal mark at most")
    whole, fraction = _split(found["body"], decimal, text)
    if len(whole) + len(fraction) > MAX_DIGITS:
        raise InputError(f"the number {text[:20]}… has {len(whole) + len(fraction)} digits", next_move=f"at most {MAX_DIGITS} are read")
    exponent = _exponent(found, text)
    places = len(fraction) - exponent
    value = int((whole + fraction) or "0") * power_of_ten(-places)
    if found["sign"] is not None and found["sign"] in MINUS_SIGNS:
        value = -value
    return Printed(bare, value, places, percent=found["percent"] is not None, ellipsis=ellipsis)


def _without_ellipsis(text: str) -> tuple[str, bool]:
    bare = _ENDING.sub("", text)
    return bare.rstrip(), bare != text


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _split(body: str, decimal: str, text: str) -> tuple[str, str]:
    """The digits before and after the decimal mark, group marks checked and removed."""
    other = "," if decimal == "." else "."
    whole, mark, fraction = body.partition(decimal)
    if mark and (decimal in fraction or other in fraction):
        hint = f'its decimal mark may be "{other}"' if other in fraction else "write one decimal mark"
        raise InputError(f'{_shown(text)} has more than one decimal mark "{decimal}", or "{other}" after it', next_move=hint)
    marks = {c for c in whole if not "0" <= c <= "9"}
    if len(marks) > 1:
        raise InputError(f"{_shown(text)} separates its thousands in two ways", next_move="use one separator")
    if marks:
        groups = whole.split(marks.pop())
        if groups[0].startswith("0"):
            raise InputError(
                f"{_shown(text)} has a separator after a leading zero, where no thousands end",
                next_move=f'its decimal mark may be "{other}"',
            )
        if not 1 <= len(groups[0]) <= 3 or any(len(g) != 3 for g in groups[1:]):
            raise InputError(
                f"{_shown(text)} has a separator that does not stand before three digits",
                next_move=f'with "{other}" as decimal mark it may be readable',
            )
        whole = "".join(groups)
    if any(not "0" <= c <= "9" for c in fraction):
        raise InputError(f"{_shown(text)} has a separator among its decimals", next_move="write the decimals without separators")
    return whole, fraction


def _exponent(found: re.Match[str], text: str) -> int:
    digits = found["exp"] or found["power"] or (found["raised"] or "").translate(_SUPERSCRIPTS)
    if not digits:
        return 0
    digits = digits.replace("\u2212", "-")
    if len(digits) > 6 or abs(int(digits)) > MAX_EXPONENT:
        raise InputError(
            f"the power of ten in {_shown(text)} is too large", next_move=f"powers from -{MAX_EXPONENT} to {MAX_EXPONENT} are read"
        )
    return int(digits)


# -- which mark is the decimal one ------------------------------------------------------------------------------------
_CORE = re.compile(r"[0-9][0-9.,]*[0-9]|[.,][0-9]+")


def mark_evidence(token: str) -> str | None:
    """The decimal mark a token shows by itself, or None when it could be read both ways (1.404) or has no mark.

    Both marks: the last is the decimal one. One mark several times: it separates thousands. One mark once: it is the decimal one unless
    exactly three digits follow one to three digits that are not a lone zero.
    """
    found = _CORE.search(token)
    if found is None:
        return None
    body = found.group()
    dots, commas = body.count("."), body.count(",")
    if dots and commas:
        last = max(body.rfind("."), body.rfind(","))
        return body[last] if body.count(body[last]) == 1 else None
    mark, count = (".", dots) if dots else (",", commas)
    if count == 0:
        return None
    parts = body.split(mark)
    threes = all(len(p) == 3 for p in parts[1:]) and 1 <= len(parts[0]) <= 3 and not parts[0].startswith("0")
    if count > 1:
        return _other(mark) if threes else None
    return None if threes else mark


def _other(mark: str) -> str:
    return "," if mark == "." else "."


def guess_decimal_mark(
    token: str,
    *,
    holds: Callable[[str], bool] | None = None,
    around: Iterable[str] = (),
    block: Iterable[str] = (),
    document: Iterable[str] = (),
) -> str | None:
    """The decimal mark of `token`, or None when it stays ambiguous (it is then unchecked, and the report says so).

    In this order: the token itself; the arithmetic around it (`holds(mark)` tells whether the printed equation is true when read
    with that mark, and decides when exactly one is; then the other numbers of the same arithmetic, when they agree); the habit of
    the block; the habit of the document. A habit is four of five tokens that show their mark. A token without a mark reads the same
    both ways, and gets ".".
    """
    own = mark_evidence(token)
    if own is not None:
        return own
    found = _CORE.search(token)
    if found is None or not {".", ","} & set(found.group()):
        return "."
    if holds is not None:
        true = [mark for mark in (".", ",") if holds(mark)]
        if len(true) == 1:
            return true[0]
    for tokens, share in ((around, 1), (block, Fraction(4, 5)), (document, Fraction(4, 5))):
        votes = [mark for mark in map(mark_evidence, tokens) if mark is not None]
        for mark in (".", ","):
            if votes and votes.count(mark) >= share * len(votes):
                return mark
    return None
