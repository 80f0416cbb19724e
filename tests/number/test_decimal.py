"""Printed decimals are read exactly or refused, and written with proven digits only."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction as F
from math import isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError, UndecidedError
from symattn.number.decimal import (
    HALF_EVEN,
    HALF_UP,
    TOWARD_ZERO,
    decimal_text,
    digits_text,
    finite_text,
    guess_decimal_mark,
    half_even,
    half_up,
    mark_evidence,
    parse_printed,
    round_quantity,
    scaled,
    significant_text,
    toward_zero,
)
from symattn.number.truth import Enclosure, Quantity, Rational, Truth


@dataclass(frozen=True)
class Root:
    """The square root of n, known by enclosures only."""

    n: F

    def rational(self) -> F | None:
        return None

    def enclose(self, bits: int) -> Enclosure:
        scale = 1 << bits
        low = isqrt(self.n.numerator * self.n.denominator * scale * scale)
        unit = F(1, self.n.denominator * scale)
        return Enclosure((low - 1) * unit, (low + 1) * unit)


@dataclass(frozen=True)
class Shy:
    """A rational that only says so when asked whether it equals something."""

    value: F
    asked: list[F] = field(default_factory=list, compare=False)

    def rational(self) -> F | None:
        return None

    def enclose(self, bits: int) -> Enclosure:
        return Enclosure(self.value - F(1, 1 << bits), self.value + F(1, 1 << bits))

    def equals(self, other: Quantity) -> Truth:
        number = other.rational()
        assert number is not None
        self.asked.append(number)
        return Truth.of(number == self.value)


# -- reading ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("token", "decimal", "value", "places", "percent", "ellipsis"),
    [
        ("0.379", ".", "379/1000", 3, False, False),
        ("+0.461", ".", "461/1000", 3, False, False),
        ("-0.156", ".", "-156/1000", 3, False, False),
        ("−0.156", ".", "-156/1000", 3, False, False),
        ("–1,5", ",", "-3/2", 1, False, False),
        ("83.83%", ".", "8383/100", 2, True, False),
        ("83,83 %", ",", "8383/100", 2, True, False),
        ("83.83\\%", ".", "8383/100", 2, True, False),
        ("100%", ".", "100", 0, True, False),
        ("2,980.96", ".", "298096/100", 2, False, False),
        ("2.980,96", ",", "298096/100", 2, False, False),
        ("1,234,567", ".", "1234567", 0, False, False),
        ("1.234.567,8", ",", "12345678/10", 1, False, False),
        ("2 980,96", ",", "298096/100", 2, False, False),
        ("2\u202f980.96", ".", "298096/100", 2, False, False),
        ("2'980.96", ".", "298096/100", 2, False, False),
        ("0.12...", ".", "12/100", 2, False, True),
        ("0.12…", ".", "12/100", 2, False, True),
        ("33.3…%", ".", "333/10", 1, True, True),
        ("0.50", ".", "1/2", 2, False, False),
        (".5", ".", "1/2", 1, False, False),
        ("2.", ".", "2", 0, False, False),
        ("-0.000", ".", "0", 3, False, False),
        ("1.5e3", ".", "1500", -2, False, False),
        ("1.50E-3", ".", "150/100000", 5, False, False),
        ("1.5×10^3", ".", "1500", -2, False, False),
        ("1,5 · 10⁻³", ",", "15/10000", 4, False, False),
        ("2.7 \\cdot 10^{347}", ".", str(27 * 10**346), -346, False, False),
    ],
)
def test_tokens_are_read_exactly(token: str, decimal: str, value: str, places: int, percent: bool, ellipsis: bool) -> None:
    read = parse_printed(token, decimal)
    assert (read.value, read.places, read.percent, read.ellipsis) == (F(value), places, percent, ellipsis)


def test_the_token_keeps_its_text_but_not_its_ellipsis() -> None:
    assert parse_printed("+0.12...").token == "+0.12"
    assert parse_printed("83,83 %", ",").token == "83,83 %"
    assert parse_printed("33.3…%").token == "33.3%"


@pytest.mark.parametrize(
    ("token", "decimal", "says"),
    [
        ("", ".", "not a printed number"),
        ("abc", ".", "not a printed number"),
        ("2/8", ".", "not a printed number"),
        ("--5", ".", "not a printed number"),
        ("5%%", ".", "not a printed number"),
        ("٣", ".", "not a printed number"),
        ("1_000", ".", "not a printed number"),
        ("1.2.3", ".", "more than one decimal mark"),
        ("2.980,96", ".", 'may be ","'),
        ("2,980.96", ",", r'may be "\."'),
        ("83,83", ".", "does not stand before three digits"),
        ("0.379", ",", "after a leading zero"),
        ("-0,000", ".", "after a leading zero"),
        ("1,23,456", ".", "does not stand before three digits"),
        ("1234,567.8", ".", "does not stand before three digits"),
        ("1,234 567.8", ".", "in two ways"),
        ("1.234 5", ".", "separator among its decimals"),
        ("1e5000", ".", "power of ten"),
        ("1e999999999999", ".", "power of ten"),
        ("9" * 10_000_000, ".", "at most 1000 digits"),
        ("9" * 1030, ".", "at most 1000 are read"),
        ("1.5", "·", "decimal mark is"),
    ],
)
def test_what_cannot_be_read_one_way_is_refused(token: str, decimal: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        parse_printed(token, decimal)
    assert len(str(caught.value)) < 250


def test_a_printed_number_knows_its_unit_interval_and_digits() -> None:
    read = parse_printed("83.83%")
    assert (read.scale, read.unit, read.plain) == (100, F(1, 100), F(8383, 10000))
    assert read.interval() == Enclosure(F("83.825"), F("83.835"))
    assert parse_printed("0.050").significant == 2
    assert parse_printed("158.52").significant == 5
    assert parse_printed("0.00").significant == 1
    assert parse_printed("−0.0").negative
    assert not parse_printed("+0.0").negative


@given(st.integers(-(10**12), 10**12), st.integers(0, 12))
def test_writing_and_reading_are_inverse(count: int, places: int) -> None:
    value = F(count, 10**places)
    read = parse_printed(decimal_text(value, places))
    assert (read.value, read.places) == (value, places)


# -- the decimal mark -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("token", "mark"),
    [
        ("2,980.96", "."),
        ("2.980,96", ","),
        ("1.234.567", ","),
        ("1,234,567", "."),
        ("83,83 %", ","),
        ("0,379", ","),
        ("+0.461", "."),
        (".500", "."),
        ("1234.567", "."),
        ("1.404", None),
        ("12,345", None),
        ("512", None),
        ("1.2.3", None),
    ],
)
def test_a_token_shows_its_mark_or_nothing(token: str, mark: str | None) -> None:
    assert mark_evidence(token) == mark


def test_the_decimal_mark_is_decided_in_the_stated_order() -> None:
    assert guess_decimal_mark("512") == "."
    assert guess_decimal_mark("1.404") is None
    assert guess_decimal_mark("83,83", document=["0.5"] * 100) == ","
    assert guess_decimal_mark("1.404", around=["0.339", "12"]) == "."
    assert guess_decimal_mark("1.404", around=["0,339"], block=["0.5"] * 9, document=["0.5"] * 9) == ","
    assert guess_decimal_mark("1.404", around=["0,339", "0.3"], block=["0.5"] * 9) == "."
    assert guess_decimal_mark("1.404", block=["0.5", "0,5"], document=["0.5"] * 7 + ["0,5"]) == "."
    assert guess_decimal_mark("1.404", block=["0.5", "0,5"], document=["0.5", "0,5", "0.7"]) is None
    assert guess_decimal_mark("1.404", holds=lambda mark: mark == ",", around=["0.3"]) == ","
    assert guess_decimal_mark("1.404", holds=lambda mark: True, around=["0.3"]) == "."


# -- rounding ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("x", "places", "up", "even", "cut"),
    [
        ("0.5", 0, "1", "0", "0"),
        ("1.5", 0, "2", "2", "1"),
        ("2.5", 0, "3", "2", "2"),
        ("-0.5", 0, "-1", "0", "0"),
        ("-2.5", 0, "-3", "-2", "-2"),
        ("0.0115", 3, "0.012", "0.012", "0.011"),
        ("-0.0115", 3, "-0.012", "-0.012", "-0.011"),
        ("0.0125", 3, "0.013", "0.012", "0.012"),
        ("0.61150001", 3, "0.612", "0.612", "0.611"),
        ("0.6114999", 3, "0.611", "0.611", "0.611"),
        ("1250", -2, "1300", "1200", "1200"),
        ("0", 3, "0", "0", "0"),
    ],
)
def test_three_roundings(x: str, places: int, up: str, even: str, cut: str) -> None:
    value = F(x)
    expected = (F(up), F(even), F(cut))
    assert (half_up(value, places), half_even(value, places), toward_zero(value, places)) == expected
    for quantity in (Rational(value), Shy(value)):
        assert tuple(round_quantity(quantity, places, m) for m in (HALF_UP, HALF_EVEN, TOWARD_ZERO)) == expected


@given(st.fractions(-1000, 1000, max_denominator=10**6), st.integers(-2, 6))
def test_roundings_are_nearest_and_monotone(x: F, places: int) -> None:
    unit = F(1, 10**places) if places >= 0 else F(10**-places)
    for rounding in (half_up, half_even):
        assert abs(rounding(x, places) - x) <= unit / 2
        assert rounding(x, places) <= rounding(x + unit / 7, places)
    assert 0 <= abs(x) - abs(toward_zero(x, places)) < unit
    assert toward_zero(x, places) <= toward_zero(x + unit / 7, places)


def test_an_irrational_is_rounded_by_enclosures() -> None:
    assert round_quantity(Root(F(2)), 3) == F("1.414")
    assert round_quantity(Root(F(2)), 4, TOWARD_ZERO) == F("1.4142")
    # sqrt(0.25 + 10**-60) is just above the tie 0.5: 64 bits do not see it, 256 do
    near = Root(F(1, 4) + F(1, 10**60))
    assert round_quantity(near, 0) == 1
    assert round_quantity(near, 0, HALF_EVEN) == 1
    assert round_quantity(Root(F(1, 4) - F(1, 10**60)), 0, HALF_UP) == 0


def test_a_tie_that_nobody_proves_stays_undecided() -> None:
    half = Root(F(1, 4))  # is 1/2, but does not say so
    assert round_quantity(half, 0, cap_bits=512) is None
    assert round_quantity(half, 3) == F("0.5")
    with pytest.raises(UndecidedError, match="512 bits"):
        digits_text(half, 0, cap_bits=512)


def test_a_number_is_asked_about_its_tie_once() -> None:
    tie = Shy(F("0.0115"))
    assert round_quantity(tie, 3) == F("0.012")
    assert tie.asked == [F("0.0115")]
    other = Shy(F("0.01150000000000000000000000000000000001"))
    assert round_quantity(other, 3) == F("0.012")
    assert other.asked == [F("0.0115")]


def test_a_percentage_is_the_number_scaled() -> None:
    assert scaled(Rational(F(1, 3)), 100) == Rational(F(100, 3))
    percent = scaled(Root(F(1, 2)), 100)
    assert digits_text(percent, 2) == "70.71"
    assert digits_text(scaled(percent, F(-1, 100)), 4) == "-0.7071"
    assert scaled(Root(F(2)), 1) == Root(F(2))
    assert round_quantity(scaled(Shy(F("0.125")), 100), 0, HALF_EVEN) == 12


# -- writing ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("x", "places", "text"),
    [("-1/3", 3, "-0.333"), ("2/3", 0, "1"), ("-1/10000", 2, "0.00"), ("1/200", 2, "0.01"), ("1249", -2, "1200"), ("1/2", 5, "0.50000")],
)
def test_decimal_text(x: str, places: int, text: str) -> None:
    assert decimal_text(F(x), places) == text


@pytest.mark.parametrize(
    ("x", "digits", "text"),
    [
        ("1/3", 5, "0.33333"),
        ("-2/3", 3, "-0.667"),
        ("0", 7, "0"),
        ("9.9996", 4, "10.00"),
        ("999.5", 3, "1.00e3"),
        ("999.4", 3, "999"),
        ("1234567", 3, "1.23e6"),
        ("0.0000012345", 3, "0.00000123"),
        ("0.00000012345", 3, "1.23e-7"),
        ("20", 2, "20"),
    ],
)
def test_significant_text(x: str, digits: int, text: str) -> None:
    assert significant_text(Rational(F(x)), digits) == text
    if F(x):
        assert significant_text(Shy(F(x)), digits) == text


def test_significant_digits_of_irrationals_are_proven() -> None:
    assert significant_text(Root(F(2)), 15) == "1.41421356237310"
    assert significant_text(Root(F(99) + F("0.9999999999999999999999999999")), 5) == "10.000"
    with pytest.raises(UndecidedError, match="3 significant digits"):
        significant_text(Root(F(0)), 3, cap_bits=256)
    assert significant_text(Shy(F(0)), 3) == "0"


def test_long_expansions_pass_the_interpreters_limit() -> None:
    text = decimal_text(F(1, 3), 6000)
    assert text == "0." + "3" * 6000
    assert significant_text(Rational(F(7) ** 9000), 4) == "7.627e7605"
    assert len(decimal_text(F(10**9000), 0)) == 9001


@pytest.mark.parametrize(
    ("x", "text"),
    [
        ("1/8", "0.125"),
        ("0", "0"),
        ("-3/2", "-1.5"),
        ("0.3387255", "0.3387255"),
        ("123456789012345", "123456789012345"),
        ("1234567890123456", None),
        ("1/3", None),
        ("1/1048576", "0.00000095367431640625"),
        ("0.1234567890123456", None),
    ],
)
def test_finite_text(x: str, text: str | None) -> None:
    assert finite_text(F(x)) == text


def test_finite_text_of_a_hostile_denominator_is_quick() -> None:
    assert finite_text(F(1, 2**200_000)) is None
