"""The values of a sheet's entries and how many digits a page shows of them.

Promises: every digit shown is proven; a terminating decimal is shown in full; a given is shown as it was written.
Does not promise: that a line built from shown digits recomputes; sheets/lines.py sees to that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from symattn.errors import UndecidedError
from symattn.number.decimal import digits_text, finite_text, half_up, power_of_ten, round_quantity, significant_text
from symattn.number.truth import Quantity
from symattn.sheets.trace import Entry

FULL_DIGITS = 12
DEFAULT_PLACES = 6
LARGE = Fraction(10**9)
MAX_EXPONENT = 20_000


@dataclass(frozen=True)
class Shown:
    """Digits on a page. `exact` says that they are the whole number."""

    text: str
    exact: bool

    @cached_property
    def value(self) -> Fraction:
        """The number that the digits say."""
        digits, e, exponent = self.text.partition("e")
        value = Fraction(digits)
        if not e:
            return value
        if abs(int(exponent)) > MAX_EXPONENT:
            raise UndecidedError(f"{self.text} is too large or too small for a page", next_move="use scores of a more usual size")
        return value * power_of_ten(int(exponent))

    @cached_property
    def places(self) -> int:
        """The last place shown."""
        digits, e, exponent = self.text.partition("e")
        return len(digits.partition(".")[2]) - (int(exponent) if e else 0)


class Values:
    """Quantities and their digits. `given` holds the texts of givens as written, `places` the digits a stage is shown with."""

    def __init__(
        self, quantity: Callable[[str, tuple[int, ...]], Quantity], given: Mapping[Entry, str], places: Mapping[str, int], default: int
    ) -> None:
        self._quantity = quantity
        self._given = given
        self._places = places
        self._default = default or DEFAULT_PLACES
        self._shown: dict[tuple[Entry, int], Shown] = {}

    def quantity(self, entry: Entry) -> Quantity:
        """The exact value."""
        return self._quantity(entry.stage, entry.index)

    def is_given(self, entry: Entry) -> bool:
        """Does the worksheet give this entry?"""
        return entry in self._given

    def places(self, stage: str) -> int:
        """Decimals shown for a stage: two more than the document prints, else the sheet's default."""
        return self._places.get(stage, self._default)

    def shown(self, entry: Entry, extra: int = 0) -> Shown:
        """The digits of an entry, `extra` more than the page's habit where they do not end."""
        key = (entry, extra)
        if key not in self._shown:
            written = self._given.get(entry)
            self._shown[key] = Shown(written, True) if written is not None else self._digits(entry, extra)
        return self._shown[key]

    def _digits(self, entry: Entry, extra: int) -> Shown:
        return shown(self.quantity(entry), self.places(entry.stage), extra)


def shown(q: Quantity, places: int, extra: int = 0) -> Shown:
    """The whole decimal when it ends within FULL_DIGITS digits, else `places` + `extra` proven decimals (or significant digits where the
    number is very large, or so small that few of them would be left)."""
    value = q.rational()
    if value is not None:
        whole = finite_text(value, FULL_DIGITS)
        if whole is not None:
            return Shown(whole, True)
    return Shown(rounded(q, places, extra), False)


def rounded(q: Quantity, places: int, extra: int = 0) -> str:
    """`places` decimals, or a power of ten where that says nothing or too much; `extra` digits more than that."""
    ball = q.enclose(64)
    size = max(abs(ball.lo), abs(ball.hi))
    if size >= LARGE:
        return significant_text(q, max(places, 4) + extra)
    if size * 10**places < 100 and q.rational() != 0:
        return significant_text(q, 4 + extra) if size * 10**places < 1 else digits_text(q, places + 2 + extra)
    return digits_text(q, places + extra)


def rounds_to(q: Quantity, target: Shown) -> bool:
    """Is `q` rounded half up to the last place of `target` the number it shows? Unproven says no."""
    value = q.rational()
    found = half_up(value, target.places) if value is not None else round_quantity(q, target.places)
    return found == target.value


def compact(text: str) -> str:
    """A whole decimal with many zeros in front as a power of ten: 0.0000000000001 is 1e-13."""
    found = re.fullmatch(r"(-?)0\.(0{6,})([1-9])([0-9]*)", text)
    if found is None:
        return text
    sign, zeros, first, rest = found.groups()
    return f"{sign}{first}{'.' if rest else ''}{rest}e-{len(zeros) + 1}"
