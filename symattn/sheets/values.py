"""The values of a sheet's entries and how many digits a page shows of them.

Promises: every digit shown is proven; a terminating decimal is shown in full; a given is shown as it was written.
Does not promise: that a line built from shown digits recomputes; sheets/lines.py sees to that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from symattn.number.decimal import digits_text, finite_text, half_up, parse_printed, significant_text
from symattn.number.truth import Quantity
from symattn.page import math as m
from symattn.sheets.trace import Entry

FULL_DIGITS = 12
DEFAULT_PLACES = 6
LARGE = Fraction(10**9)


@dataclass(frozen=True)
class Shown:
    """Digits on a page. `exact` says that they are the whole number."""

    text: str
    exact: bool

    @property
    def value(self) -> Fraction:
        """The number that the digits say."""
        return parse_printed(self.text).value

    @property
    def places(self) -> int:
        """The last place shown."""
        return parse_printed(self.text).places


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

    def places(self, stage: str) -> int:
        """Decimals shown for a stage: two more than the document prints, else the sheet's default."""
        return self._places.get(stage, self._default)

    def shown(self, entry: Entry, extra: int = 0) -> Shown:
        """The digits of an entry, `extra` more than the page's habit where they do not end."""
        key = (entry, extra)
        if key not in self._shown:
            written = self._given.get(entry)
            self._shown[key] = (
                Shown(written, True) if written is not None else shown(self.quantity(entry), self.places(entry.stage) + extra)
            )
        return self._shown[key]


def shown(q: Quantity, places: int) -> Shown:
    """The whole decimal when it ends within FULL_DIGITS digits, else `places` proven decimals (or significant digits where the number is
    very large, or so small that few of them would be left)."""
    value = q.rational()
    if value is not None:
        whole = finite_text(value, FULL_DIGITS)
        if whole is not None:
            return Shown(whole, True)
    return Shown(rounded(q, places), False)


def rounded(q: Quantity, places: int) -> str:
    """`places` decimals, or a power of ten where that says nothing or too much."""
    ball = q.enclose(64)
    size = max(abs(ball.lo), abs(ball.hi))
    if size >= LARGE:
        return significant_text(q, max(places, 4))
    if size * 10**places < 100 and q.rational() != 0:
        return significant_text(q, 4) if size * 10**places < 1 else digits_text(q, places + 2)
    return digits_text(q, places)


def rounds_to(q: Quantity, target: Shown) -> bool:
    """Is `q` rounded half up to the last place of `target` the number it shows? Unproven says no."""
    from symattn.number.decimal import round_quantity

    value = q.rational()
    found = half_up(value, target.places) if value is not None else round_quantity(q, target.places)
    return found == target.value


def number_math(text: str) -> m.Math:
    """Digits as a formula; `2.726e347` as a product with a power of ten."""
    digits, e, exponent = text.partition("e")
    if not e:
        return m.Number(text)
    return m.Row((m.Number(digits), m.Sign("×"), m.Script(m.Number("10"), m.EMPTY, m.Number(exponent.lstrip("+")))))
