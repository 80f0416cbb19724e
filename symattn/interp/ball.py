"""One enclosed value: an Arb ball as a Quantity, whose text shows proven digits only.

Promises: every digit of a text is a digit of the correctly rounded (half away from 0) exact value.
Does not promise: more digits than the ball holds; a ball is not refined (interp/quantities.py re-runs a program for that).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symattn.errors import UndecidedError
from symattn.number.precision import enclosure_of
from symattn.number.truth import Enclosure

# Python refuses to turn longer integers into text.
MAX_TEXT_DIGITS = 4200
_LOG2_10 = math.log2(10)


@dataclass(frozen=True, eq=False)
class Ball:
    """`ball` (an `arb`) contains the value; `digits` is how many its text shows at most, None for all that are proven."""

    ball: Any
    digits: int | None = None

    def rational(self) -> Fraction | None:
        """The value when the ball is a single point, else None."""
        if not self.ball.is_exact():
            return None
        found = enclosure_of(self.ball)
        return found.lo if found is not None and found.lo == found.hi else None

    def enclose(self, bits: int) -> Enclosure:
        """The ball as an interval; `bits` cannot change it. Raises UndecidedError for one that is too large to be written."""
        found = enclosure_of(self.ball)
        if found is None:
            raise UndecidedError("a ball without finite ends", next_move="ask for more digits")
        return found

    def proven_digits(self) -> int:
        """How many significant digits the text can show, about; 0 for a ball around 0."""
        if self.ball.is_zero():
            return self.digits or 1
        return max(0, int(self.ball.rel_accuracy_bits() / _LOG2_10))

    def text(self, digits: int | None = None) -> str:
        """The value to `digits` significant digits, rounded half away from 0, every digit proven. Raises UndecidedError where the ball
        is too wide for that."""
        wanted = digits or self.digits or max(1, min(self.proven_digits(), MAX_TEXT_DIGITS))
        found = significant(self.ball, min(wanted, MAX_TEXT_DIGITS))
        if found is None:
            raise UndecidedError(f"{wanted} digits are not proven: {self.ball.str(10)}", next_move="ask for more digits or bits")
        return found

    def __float__(self) -> float:
        """The double nearest to the middle of the ball: for plots, not for proofs."""
        return float(self.ball)

    def __str__(self) -> str:
        wanted = self.digits or max(1, min(self.proven_digits(), MAX_TEXT_DIGITS))
        while wanted > 0:
            found = significant(self.ball, min(wanted, MAX_TEXT_DIGITS))
            if found is not None:
                return found
            wanted = min(wanted - 1, self.proven_digits() + 1)
        if self.ball.is_finite() and self.ball.contains(0):
            return f"|x| < {self.ball.abs_upper().str(2, radius=False)}"
        return "undecided"

    def __repr__(self) -> str:
        return f"Ball({self})"

    def _repr_latex_(self) -> str:
        from symattn.page.notebook import numeral_math, shown

        return shown(numeral_math(str(self)))


def significant(ball: Any, digits: int) -> str | None:
    """The ball's value to `digits` significant digits, or None where its ends round differently. Plain decimals from 1e-6 to 1e21,
    else a power of ten."""
    if not ball.is_finite():
        return None
    if ball.is_zero():
        return "0"
    (man, exp), (rad, rad_exp) = _parts(ball.mid()), _parts(ball.rad())
    if abs(exp) + man.bit_length() > 1 << 20 or man == 0:
        return None
    low_exp = min(exp, rad_exp) if rad else exp
    if exp - low_exp > 1 << 16:
        return None
    middle, radius = man << (exp - low_exp), rad << (rad_exp - low_exp) if rad else 0
    if abs(middle) <= radius:
        return None
    sign = "-" if middle < 0 else ""
    middle = abs(middle)
    top = math.floor((middle.bit_length() + low_exp - 1) / _LOG2_10)
    for power in (top, top + 1):  # the decimal exponent is one of the two
        scale = digits - 1 - power
        low, high = (_rounded(x, low_exp, scale) for x in (middle - radius, middle + radius))
        if len(low) == digits:
            return _written(sign, low, power) if low == high else None
        if len(low) == digits + 1 and low == high and low == "1" + "0" * digits:
            return _written(sign, low[:-1], power + 1)
    return None


def _parts(point: Any) -> tuple[int, int]:
    man, exp = point.man_exp()
    return int(man), int(exp)


def _rounded(x: int, exp: int, scale: int) -> str:
    """x · 2**exp · 10**scale rounded half up, as digits."""
    num, den = x, 1
    if scale >= 0:
        num *= 10**scale
    else:
        den *= 10**-scale
    if exp >= 0:
        num <<= exp
    else:
        den <<= -exp
    return str((2 * num + den) // (2 * den))


def _written(sign: str, digits: str, power: int) -> str:
    if -7 < power < 21:
        if power < 0:
            return f"{sign}0.{'0' * (-power - 1)}{digits}"
        whole = digits[: power + 1].ljust(power + 1, "0")
        return sign + whole + (f".{digits[power + 1 :]}" if len(digits) > power + 1 else "")
    return f"{sign}{digits[0]}{'.' + digits[1:] if len(digits) > 1 else ''}e{power}"
