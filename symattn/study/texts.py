"""Numbers of a study as text: for machines in full, for people in a few digits.

Promises: a cut number ends in an ellipsis and its digits are those of the number; an observed float is rounded. Does not promise: proofs.
"""

from __future__ import annotations

import math
from fractions import Fraction

from symattn.number.digits import significant_text
from symattn.number.formats import Format, Special, exact_decimal, floor_log2
from symattn.number.truth import Quantity, Rational
from symattn.study.result import Cell, Said, same

EMPTY = Cell("")
NEVER = Cell("never", Said("nunca", "never"))
FULL_DIGITS = 12
CUT_DIGITS = 10
LONGEST_DECIMAL = 60


def special_text(x: Special) -> str:
    """inf, -inf or nan."""
    return x.value


def binary_text(x: Fraction) -> str:
    """A number of a binary format, exactly, as text of the language: an integer, a decimal, or (2**24 - 1) * 2**104."""
    decimal = "" if abs(x) >= 10**LONGEST_DECIMAL or x.denominator.bit_length() > LONGEST_DECIMAL else exact_decimal(x)
    if decimal and len(decimal) <= LONGEST_DECIMAL:
        return decimal
    twos = _twos(x)
    odd = x / Fraction(2) ** twos
    if odd == 1:
        return f"2**{twos}"
    return f"{odd.numerator} * 2**{twos}"


def _twos(x: Fraction) -> int:
    """The k with x = odd * 2**k."""
    if x.denominator > 1:
        return 1 - x.denominator.bit_length()
    return (x.numerator & -x.numerator).bit_length() - 1


def cut(x: Fraction) -> str:
    """A decimal for people: in full where that is short, else its first digits and an ellipsis."""
    decimal = exact_decimal(x)
    if len(decimal.lstrip("-").replace(".", "").lstrip("0")) <= FULL_DIGITS:
        return decimal
    whole, _, rest = decimal.partition(".")
    kept = max(0, CUT_DIGITS - len(whole.lstrip("-0")))
    return f"{whole}.{rest[:kept]}…" if rest and kept else f"{whole}…"


def grid_cell(x: Fraction | Special | None) -> Cell:
    """A number of the format (None: there is none)."""
    if x is None:
        return NEVER
    if isinstance(x, Special):
        return Cell(special_text(x), same(r"$\infty$" if x is Special.INF else special_text(x)))
    if abs(x) >= 10**7 or (x and abs(x) < Fraction(1, 10**4)):
        return Cell(binary_text(x), same(f"${scientific(Rational(x), 5)}$"))
    return Cell(binary_text(x), same(cut(x)))


def scientific(x: Quantity, digits: int) -> str:
    """A positive number as `3.4028 \\cdot 10^{38}`, rounded to proven digits."""
    value = x.rational()
    assert value is not None
    power = math.floor((value.numerator.bit_length() - value.denominator.bit_length()) * 0.30103)
    while value >= Fraction(10) ** (power + 1):
        power += 1
    while value < Fraction(10) ** power:
        power -= 1
    mantissa = significant_text(Rational(value / Fraction(10) ** power), digits)
    if mantissa.startswith("10"):
        mantissa, power = significant_text(Rational(Fraction(1)), digits), power + 1
    return rf"{mantissa} \cdot 10^{{{power}}}"


def power_cell(x: Fraction) -> Cell:
    """A power of two, as 2^-149; small ones as numbers."""
    e = floor_log2(x)
    return Cell(f"2**{e}", same(f"$2^{{{e}}}$"))


def largest_cell(fmt: Format) -> Cell:
    """The largest number of a format."""
    x = fmt.largest
    if x < 10**7:
        return grid_cell(x)
    top = x / Fraction(2) ** (fmt.emax - fmt.precision + 1)
    return Cell(f"{top} * 2**{fmt.emax - fmt.precision + 1}", same(f"${scientific(Rational(x), 5)}$"))


def rounded(value: float, digits: int = 3) -> str:
    """An observed number in so many significant digits, without an exponent between 10^-4 and 10^6; "nan", "inf" as they are."""
    if not math.isfinite(value):
        return str(value)
    if value == round(value) and abs(value) < 10**6:
        return str(round(value))
    power = math.floor(math.log10(abs(value)))
    if -5 < power < 6:
        text = f"{value:.{max(digits - 1 - power, 0)}f}"
        return text if float(text) == 0 or math.floor(math.log10(abs(float(text)))) == power else f"{value:.{max(digits - 2 - power, 0)}f}"
    return f"{value:.{digits - 1}e}"


def observed(value: float, digits: int = 3) -> Cell:
    """An observed number: all digits of the float for machines, a few for people; a power of ten where it is large or small."""
    text = repr(float(value))
    shown = rounded(value, digits)
    if math.isinf(value):
        return Cell(text, same(r"$\infty$" if value > 0 else r"$-\infty$"))
    if "e" in shown:
        mantissa, _, power = shown.partition("e")
        return Cell(text, same(rf"${mantissa} \cdot 10^{{{int(power)}}}$"))
    return Cell(text, same("NaN" if math.isnan(value) else shown))


def count(value: int) -> Cell:
    """A whole number."""
    return Cell(str(value))


def percent(share: float) -> Cell:
    """A share as a percentage with one decimal; the machine gets the share."""
    return Cell(repr(float(share)), same(f"{100 * share:.1f}%"))
