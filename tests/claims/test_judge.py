"""Every verdict beside the lie that must not get it, and the numbers of the documents whose verdicts are settled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.claims.judge import judge, labelled
from symattn.claims.model import RIGHT, Judgement
from symattn.errors import UndecidedError
from symattn.number.decimal import parse_printed
from symattn.number.exact import Exact, total
from symattn.number.truth import Enclosure, Quantity, Rational


def q(text: str) -> Rational:
    return Rational(F(text))


def point(lo: str, hi: str) -> Callable[[], Enclosure]:
    return lambda: Enclosure(F(lo), F(hi))


@dataclass(frozen=True)
class Silent:
    """A number that never says what it is: its enclosures shrink to `value` but always reach to both sides."""

    value: F

    def rational(self) -> F | None:
        return None

    def enclose(self, bits: int) -> Enclosure:
        return Enclosure(self.value - F(1, 1 << bits), self.value + F(1, 1 << bits))


@dataclass(frozen=True)
class Closed:
    """A number whose enclosures cannot be had."""

    def rational(self) -> F | None:
        return None

    def enclose(self, bits: int) -> Enclosure:
        raise UndecidedError("past the cap")


def verdict(token: str, v: str, w: str | None = None, **options: object) -> str:
    found = judge(parse_printed(token), q(v), w=None if w is None else q(w), **options)  # type: ignore[arg-type]
    return found.verdict


# -- the table --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("token", "v", "w", "expected", "off"),
    [
        # exact, and one unit beside it
        ("0.461", "0.461", None, "exact", 0),
        ("+0.50", "0.5", None, "exact", 0),
        ("0.33872550", "0.3387255", None, "exact", 0),
        ("0.33872551", "0.3387255", None, "off-by", 1),
        ("-0.156", "-0.156", None, "exact", 0),
        ("0.000", "0", None, "exact", 0),
        ("2,980.96", "2980.96", None, "exact", 0),
        ("100%", "1", None, "exact", 0),
        # rounded: half up and half even are both correct
        ("0.339", "0.3385", None, "rounded", 0),
        ("0.338", "0.3385", None, "rounded", 0),
        ("0.337", "0.3385", None, "off-by", -1),
        ("0.012", "0.0115", None, "rounded", 0),
        ("0.011", "0.0115", None, "truncated", -1),
        ("-0.012", "-0.0115", None, "rounded", 0),
        ("-0.011", "-0.0115", None, "truncated", 1),
        ("1", "0.5", None, "rounded", 0),
        ("0", "0.5", None, "rounded", 0),
        ("2", "1.5", None, "rounded", 0),
        ("1", "1.5", None, "truncated", -1),
        ("-1", "-0.5", None, "rounded", 0),
        ("0.333", "1/3", None, "rounded", 0),
        ("33.3%", "1/3", None, "rounded", 0),
        ("33.4%", "1/3", None, "off-by", 1),
        ("0", "0.0004", None, "rounded", 0),
        # from what is printed
        ("0.380", "0.3794", "0.3795", "from-rounded", 0),
        ("0.379", "0.3784", "0.379", "from-rounded", 0),
        ("0.381", "0.3794", "0.3795", "off-by", 2),
        # cut
        ("0.611", "0.6119", None, "truncated", -1),
        ("-0.611", "-0.6119", None, "truncated", 1),
        ("0.611", "0.6124", "0.6119", "truncated", -1),
        ("0.613", "0.6119", None, "off-by", 1),
        # off by few units, and too far
        ("104.5", "100", None, "wrong", 45),
        ("100.5", "100", None, "off-by", 5),
        ("100.6", "100", None, "wrong", 6),
        ("0.505", "0.5", None, "off-by", 5),
        ("0.506", "0.5", None, "wrong", 6),
        ("0.495", "0.5", None, "off-by", -5),
        ("0.51", "0.5", None, "wrong", 1),
        ("1.01", "1.0001", None, "off-by", 1),
        ("1.01", "0.9999", None, "wrong", 1),
        ("-1.01", "-1", None, "off-by", -1),
        ("0.001", "0", None, "wrong", 1),
        ("-0.5", "0.5", None, "wrong", -10),
        ("1.5e3", "1500", None, "exact", 0),
        ("1.5e3", "1540", None, "rounded", 0),
        ("1.5e3", "1560", None, "truncated", -1),
    ],
)
def test_the_first_verdict_that_fits(token: str, v: str, w: str | None, expected: str, off: int) -> None:
    found = judge(parse_printed(token), q(v), w=None if w is None else q(w))
    assert (found.verdict, found.off) == (expected, off)


def test_the_order_of_the_table() -> None:
    # rounded comes before from-rounded, from-rounded before truncated, truncated before the interval
    assert verdict("0.38", "0.3799", "0.3801") == "rounded"
    assert verdict("0.37", "0.3799", "0.3701") == "from-rounded"
    assert verdict("0.37", "0.3799", "0.3801", interval=point("0.37", "0.38")) == "truncated"
    assert verdict("0.37", "0.3849", "0.3801", interval=point("0.375", "0.38")) == "from-rounded"
    assert verdict("0.37", "0.3849", "0.3801", interval=point("0.3751", "0.38")) == "wrong"


def test_all_that_hold_are_listed() -> None:
    assert judge(parse_printed("0.5"), q("0.5"), w=q("0.5")).also == ("rounded", "from-rounded", "truncated")
    assert judge(parse_printed("0.3"), q("1/3")).also == ("truncated",)
    found = judge(parse_printed("0.611"), q("0.6115"), w=q("0.6115"), interval=point("0.61125", "0.61175"))
    assert (found.verdict, found.also, found.reach) == ("truncated", ("from-rounded", "off-by"), None)
    assert judge(parse_printed("0.379"), q("0.3796"), w=q("0.3792")).also == ("truncated", "off-by")


def test_an_interval_is_asked_for_only_where_it_could_help() -> None:
    def explode() -> Enclosure:
        raise AssertionError("asked")

    for token in ("0.5", "0.50"):
        assert judge(parse_printed(token), q("0.5"), interval=explode).verdict == "exact"
    assert judge(parse_printed("0.3"), q("1/3"), interval=explode).verdict == "rounded"
    assert judge(parse_printed("0.4"), q("1/3"), w=q("0.41"), interval=explode).verdict == "from-rounded"
    with pytest.raises(AssertionError, match="asked"):
        judge(parse_printed("0.4"), q("1/3"), interval=explode)


def test_an_interval_reaches_with_its_ends() -> None:
    found = judge(parse_printed("0.40"), q("0.42"), interval=point("0.405", "0.43"))
    assert (found.verdict, found.reach, found.off) == ("from-rounded", "interval", 0)
    assert judge(parse_printed("0.40"), q("0.42"), interval=point("0.4050001", "0.43")).verdict == "wrong"
    percent = judge(parse_printed("40.0%"), q("0.42"), interval=point("0.4005", "0.43"))
    assert percent.verdict == "from-rounded"
    assert judge(parse_printed("40.0%"), q("0.42"), interval=point("0.4006", "0.43")).verdict == "wrong"


def test_an_operand_that_was_wrong_leaves_v_alone() -> None:
    assert verdict("0.379", "0.42") == "wrong"
    assert verdict("0.379", "0.42", "0.379") == "from-rounded"


# -- integers ---------------------------------------------------------------------------------------------------------
def test_an_integer_from_integers_is_exact_or_wrong() -> None:
    assert verdict("999", "1000") == "off-by"
    found = judge(parse_printed("999"), q("1000"), integer=True)
    assert (found.verdict, found.off, found.reason) == ("wrong", -1, "integer")
    assert verdict("1000", "1000", integer=True) == "exact"
    assert verdict("999.9", "1000", integer=True) == "wrong"
    assert verdict("1000", "1000.4", integer=True) == "rounded"
    assert verdict("99%", "1", integer=True) == "wrong"
    assert verdict("38%", "0.379", integer=True) == "rounded"
    assert verdict("999", "1000", "999", integer=True, interval=point("998", "1000")) == "wrong"


def test_nines_that_go_on_are_the_integer() -> None:
    found = judge(parse_printed("0.99…"), q("1"), integer=True)
    assert (found.verdict, found.declared, found.off) == ("truncated", True, 0)
    assert judge(parse_printed("0.98…"), q("1"), integer=True).verdict == "wrong"


# -- digits that go on ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("token", "v", "expected", "declared", "off"),
    [
        ("0.12...", "0.125", "truncated", True, 0),
        ("0.12…", "-0.125", "wrong", False, 24),
        ("0.12…", "0.1299999", "truncated", True, 0),
        ("0.12…", "0.13", "wrong", False, -1),
        ("0.12…", "0.1199", "wrong", False, 1),
        ("0.66…", "2/3", "truncated", True, 0),
        ("0.67…", "2/3", "wrong", False, 1),
        ("0.667…", "2/3", "off-by", False, 1),
        ("33.3…%", "1/3", "truncated", True, 0),
        ("0.50…", "0.5", "truncated", True, 0),
        ("0.999…", "1", "truncated", True, 0),
        ("0.998…", "1", "off-by", False, -2),
        ("0.24…", "0.25", "wrong", False, -1),
        ("-0.33…", "-1/3", "truncated", True, 0),
    ],
)
def test_an_ellipsis_claims_a_prefix(token: str, v: str, expected: str, declared: bool, off: int) -> None:
    found = judge(parse_printed(token), q(v))
    assert (found.verdict, found.declared, found.off) == (expected, declared, off)
    assert found.reason == ("" if declared else "not-a-prefix")


def test_a_cut_is_right_only_when_it_is_declared() -> None:
    assert judge(parse_printed("0.12"), q("0.1299"), declared=True).declared
    silent = judge(parse_printed("0.12"), q("0.1299"))
    assert (silent.verdict, silent.declared) == ("truncated", False)
    of_printed = judge(parse_printed("0.12…"), q("0.1311"), w=q("0.1299"))
    assert (of_printed.verdict, of_printed.declared, of_printed.off) == ("truncated", False, -1)
    assert judge(parse_printed("0.12…"), Exact.of("0.12") + Exact.of("-1000").exp()).declared
    assert not judge(parse_printed("0.12…"), Exact.of("0.12") - Exact.of("-1000").exp()).declared


# -- zero -------------------------------------------------------------------------------------------------------------
def test_zero_has_no_sign_of_its_own() -> None:
    for token, v, reason in [
        ("-0.000", "-0.0003", ""),
        ("-0.000", "0.0003", "zero-sign"),
        ("+0.00", "-0.001", "zero-sign"),
        ("0.00", "-0.001", ""),
    ]:
        found = judge(parse_printed(token), q(v))
        assert (found.verdict, found.reason) == ("rounded", reason)
    assert judge(parse_printed("-0.000"), q("0")).verdict == "exact"
    assert judge(parse_printed("-0.000"), q("-0.0007")).verdict == "truncated"
    assert judge(parse_printed("-0.000"), q("-0.02")).verdict == "wrong"


# -- what is not decided ----------------------------------------------------------------------------------------------
def test_what_nobody_proves_is_undecided() -> None:
    tie = Silent(F("0.0115"))
    found = judge(parse_printed("0.012"), tie, cap_bits=256)
    assert (found.verdict, found.reason, found.right) == ("undecided", "precision", "")
    assert judge(parse_printed("0.012"), tie, w=q("0.0121"), cap_bits=256).also == ("from-rounded", "truncated")
    assert judge(parse_printed("0.020"), tie, cap_bits=256).verdict == "undecided"
    closed = judge(parse_printed("0.5"), Closed())
    assert (closed.verdict, closed.value, closed.right) == ("undecided", None, "")


def test_what_is_proven_stands_although_exactness_is_not() -> None:
    whole = Silent(F("0.25"))
    found = judge(parse_printed("0.25"), whole, cap_bits=256)
    assert (found.verdict, found.right) == ("rounded", "0.25")
    assert judge(parse_printed("0.26"), whole, cap_bits=256).verdict == "undecided"  # is 0.25 v cut, or 0.24?


def test_an_interval_that_cannot_be_had_decides_nothing() -> None:
    def fail() -> Enclosure:
        raise UndecidedError("a pole")

    assert judge(parse_printed("0.9"), q("0.5"), interval=fail).verdict == "undecided"
    assert judge(parse_printed("0.4"), q("0.49"), interval=fail).verdict == "truncated"


# -- texts ------------------------------------------------------------------------------------------------------------
def test_values_are_in_the_printed_unit_and_in_full_when_they_end() -> None:
    found = judge(parse_printed("83.83%"), Rational(F(298096, 355556)), w=q("0.8383"))
    assert (found.value, found.from_printed, found.right) == ("83.8393952007560", "83.83", "83.84")
    assert judge(parse_printed("+0.611"), q("0.3387255")).value == "0.3387255"
    assert judge(parse_printed("2.7e347"), Exact.of(800).exp()).value == "2.72637457211257e347"
    assert judge(parse_printed("1.1"), q("1.23")).right == "1.2"
    assert judge(parse_printed("0.12…"), q("0.1299")).right == "0.12"


def test_labels_carry_the_exact_value() -> None:
    assert labelled("given", parse_printed("0.3")) == Judgement("given")
    assert labelled("measured", parse_printed("16.06"), q("16")) == Judgement("measured", value="16", right="16.00")
    with pytest.raises(ValueError, match="not a label"):
        labelled("exact", parse_printed("0.3"))


# -- properties -------------------------------------------------------------------------------------------------------
@given(st.fractions(-100, 100, max_denominator=5000), st.integers(0, 5), st.integers(-8, 8))
def test_a_number_moved_by_units_is_never_called_right(v: F, places: int, move: int) -> None:
    unit = F(1, 10**places)
    p = round(v / unit) * unit + move * unit
    sign = "-" if p < 0 else ""
    digits = str(abs(int(p / unit))).rjust(places + 1, "0")
    token = sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)
    found = judge(parse_printed(token), Rational(v))
    nearest = abs(p - v) <= unit / 2
    tie_down = abs(p - v) == unit / 2 and abs(p) < abs(v) and int(p / unit) % 2 == 1
    assert (found.verdict in RIGHT) == (nearest and not tie_down)
    assert (found.off == 0) == (found.verdict in RIGHT)
    if found.verdict == "off-by":
        assert 1 <= abs(found.off) <= 5
        assert abs(found.off) * unit * 100 <= abs(v)
    # the same number, known by enclosures only, is never judged otherwise, at most undecided
    blind = judge(parse_printed(token), Silent(v), cap_bits=128)
    assert blind.verdict in (found.verdict, "undecided") or (blind.verdict, found.verdict) == ("rounded", "exact")


# -- the documents ----------------------------------------------------------------------------------------------------
def softmax(scores: list[Exact]) -> list[Exact]:
    powers = [s.exp() for s in scores]
    return [p / total(powers) for p in powers]


X = {"el": "0.21 0.45 0.08 1.43", "perro": "0.50 1.15 0.78 0.88", "come": "1.36 -0.64 -0.28 1.91"}
W_Q = ["0.3 -0.1 0.4 0.2", "0.1 0.5 -0.2 0.3", "-0.2 0.1 0.6 -0.1", "0.4 0.2 0.1 0.5"]
W_K = ["0.2 0.4 -0.1 0.3", "-0.3 0.2 0.5 0.1", "0.1 -0.2 0.3 0.4", "0.5 0.1 0.2 -0.2"]
W_V = ["0.4 0.1 0.3 -0.2", "0.2 0.3 -0.1 0.4", "-0.1 0.5 0.2 0.1", "0.3 -0.2 0.4 0.5"]


def row(token: str, weights: list[str]) -> list[F]:
    x = [F(t) for t in X[token].split()]
    w = [[F(t) for t in line.split()] for line in weights]
    return [sum((x[i] * w[i][j] for i in range(4)), F(0)) for j in range(4)]


def perro_scores() -> list[F]:
    query = row("perro", W_Q)
    return [sum((a * b for a, b in zip(query, row(t, W_K), strict=True)), F(0)) for t in X]


def against(token: str, v: Quantity, w: Quantity | None = None, interval: Callable[[], Enclosure] | None = None) -> tuple[str, int]:
    found = judge(parse_printed(token), v, w=w, interval=interval)
    return found.verdict, found.off


def test_the_five_scores_of_the_first_document() -> None:
    weights = softmax([Exact.of(s) for s in ("3.2", "4.0", "1.0", "6.2", "8.0")])
    printed = [F(t) for t in ("24.53", "54.60", "2.72", "492.75", "2980.96")]
    w = [Rational(p / F("3555.56")) for p in printed]
    found = [against(t, v, x) for t, v, x in zip(("0.69%", "1.54%", "0.08%", "13.86%", "83.83%"), weights, w, strict=True)]
    assert found == [("rounded", 0)] * 4 + [("truncated", -1)]
    assert against("83.84%", weights[4], w[4]) == ("rounded", 0)
    assert against("83.82%", weights[4], w[4]) == ("off-by", -2)


def test_the_worked_sentence_of_the_third_document() -> None:
    scores = perro_scores()
    assert scores == [F("0.677451"), F("1.223268"), F("0.95357")]
    assert [against(t, Rational(s))[0] for t, s in zip(("+0.677", "+1.223", "+0.954"), scores, strict=True)] == ["rounded"] * 3
    scaled = [Rational(s / 2) for s in scores]
    assert against("+0.611", scaled[1], q("0.6115"), point("0.61125", "0.61175")) == ("truncated", -1)
    assert against("+0.612", scaled[1], q("0.6115")) == ("rounded", 0)
    weights = softmax([Exact.of(s.value) for s in scaled])
    w = Rational(F("1.842") / F("4.857"))
    assert against("0.379", weights[1], w)[0] == "from-rounded"
    assert against("0.378", weights[1], w) == ("off-by", -2)
    value = Rational(row("perro", W_V)[0])
    product = weights[1] * Exact.of(value.value)
    assert against("+0.233", product, Rational(F("0.379") * F("0.616"))) == ("from-rounded", 0)
    assert against("+0.235", product, Rational(F("0.379") * F("0.616"))) == ("off-by", 1)
    assert against("0.12...", q("1/8")) == ("truncated", 0)


def test_the_triple_that_its_own_scores_contradict() -> None:
    scores = [Exact.of(s) for s in perro_scores()]
    weights = softmax(scores)
    from_printed = softmax([Exact.of(s) for s in ("0.677", "1.223", "0.954")])
    for token, v, w in zip(("0.222", "0.382", "0.396"), weights, from_printed, strict=True):
        assert against(token, v, w)[0] == "wrong"
    assert [against(t, v, w)[0] for t, v, w in zip(("0.247", "0.427", "0.326"), weights, from_printed, strict=True)] == ["rounded"] * 3


def test_the_adjusted_product() -> None:
    v = Rational(row("perro", W_Q)[1] * row("come", W_K)[1])
    w = Rational(F("0.779") * F("0.663"))
    # both factors are exact at three decimals, so they have no slack that could explain the last digit
    assert (row("perro", W_Q)[1], row("come", W_K)[1]) == (F("0.779"), F("0.663"))
    assert against("+0.517", v, w, point("0.516477", "0.516477")) == ("off-by", 1)
    assert against("+0.517", v, w, point("0.516145", "0.516865")) == ("from-rounded", 0)
    assert against("+0.516", v, w) == ("rounded", 0)


def test_the_output_whose_second_component_is_an_integer() -> None:
    scores = [Exact.of(s) / Exact.of(2).sqrt() for s in (10, 10, 20)]
    weights = softmax(scores)
    first = total([weights[0] * 2, weights[1] * 1, weights[2] * 4])
    second = total([weights[0] * 1, weights[1] * 3, weights[2] * 2])
    assert against("3.997", first) == ("off-by", 1)
    assert second.rational() == 2
    assert against("2.001", second) == ("off-by", 1)
    assert against("2.000", second) == ("exact", 0)
    assert against("99.8%", weights[2]) == ("rounded", 0)
