"""Totals, orders and sentences: each true one beside a false twin."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction as F

import pytest

from symattn.claims.operands import Operand
from symattn.claims.order import changed_entries, judge_argmax, judge_order, judge_sign, relation_truth
from symattn.claims.statements import all_of, status
from symattn.claims.sums import is_whole, judge_sum
from symattn.errors import InputError, SheetError, UndecidedError
from symattn.number.decimal import parse_printed
from symattn.number.exact import Exact
from symattn.number.truth import Enclosure, Rational, Truth


@dataclass(frozen=True)
class Silent:
    value: F

    def rational(self) -> F | None:
        return None

    def enclose(self, bits: int) -> Enclosure:
        return Enclosure(self.value - F(1, 1 << bits), self.value + F(1, 1 << bits))


def addends(*tokens: str, slack: bool = True) -> list[Operand]:
    printed = [parse_printed(t) for t in tokens]
    return [Operand(p.plain, p.unit / 2 / p.scale if slack else F(0)) for p in printed]


# -- sums -------------------------------------------------------------------------------------------------------------
def test_a_total_of_one() -> None:
    found = judge_sum(parse_printed("1.000"), addends("0.289", "0.379", "0.332"))
    assert (found.verdict, found.value, found.from_printed, found.right, found.off) == ("exact", "1", "1", "1.000", 0)


def test_a_total_within_the_slack_of_its_addends() -> None:
    found = judge_sum(parse_printed("1.000"), addends("0.333", "0.333", "0.333"))
    assert (found.verdict, found.reach, found.from_printed, found.off) == ("from-rounded", "interval", "0.999", 0)
    assert judge_sum(parse_printed("1"), addends("0.333", "0.333", "0.3325")).verdict == "wrong"
    assert judge_sum(parse_printed("1.000"), addends("0.333", "0.333", "0.333", slack=False)).verdict == "wrong"


def test_a_total_that_fails() -> None:
    found = judge_sum(parse_printed("1.000"), addends("0.222", "0.382", "0.393"))
    assert (found.verdict, found.off, found.from_printed, found.reason) == ("wrong", 3, "0.997", "sum")
    assert judge_sum(parse_printed("1.00"), addends("0.7", "0.7", slack=False)).off == -40


def test_a_total_of_a_hundred_percent() -> None:
    total = parse_printed("100%")
    found = judge_sum(total, addends("50%", "30%", "20%", slack=False))
    assert (found.verdict, found.value, found.right) == ("exact", "100", "100")
    assert judge_sum(total, addends("0.5", "0.3", "0.2")).verdict == "exact"
    assert judge_sum(total, addends("33%", "33%", "33%")).verdict == "from-rounded"
    assert judge_sum(total, addends("33%", "33%", "32%")).verdict == "wrong"


def test_other_totals_are_not_sums() -> None:
    assert not is_whole(parse_printed("100"))
    with pytest.raises(InputError, match="neither 1 nor 100 %"):
        judge_sum(parse_printed("4.857"), addends("1.404"))
    with pytest.raises(InputError, match="no addends"):
        judge_sum(parse_printed("1"), [])


# -- orders -----------------------------------------------------------------------------------------------------------
def r(text: str) -> Rational:
    return Rational(F(text))


def test_relations_are_proven_or_refuted() -> None:
    e = Exact.of(1).exp()
    assert relation_truth((r("2.718"), e, r("2.719")), ("<", "<")) is Truth.YES
    assert relation_truth((r("2.719"), e), ("<",)) is Truth.NO
    assert relation_truth((r("1"), r("1"), r("2")), ("<=", "!=")) is Truth.YES
    assert relation_truth((r("1"), r("1")), ("<",)) is Truth.NO
    assert relation_truth((e * e, Exact.of(2).exp()), ("==",)) is Truth.YES
    assert relation_truth((Silent(F(1)), r("1")), ("==",), cap_bits=128) is Truth.UNKNOWN
    assert relation_truth((Silent(F(1)), r("1"), r("0")), ("==", "<"), cap_bits=128) is Truth.NO


@pytest.mark.parametrize(("values", "signs"), [((r("1"),), ()), ((r("1"), r("2")), ("<", "<")), ((r("1"), r("2")), ("~",))])
def test_what_is_no_relation_is_refused(values: tuple[Rational, ...], signs: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="relation"):
        relation_truth(values, signs)


def test_an_order_is_right_wrong_or_undecided() -> None:
    scores = (r("1.223"), r("0.954"), r("0.677"))
    assert judge_order(scores, (">", ">")).verdict == "exact"
    assert (judge_order(scores[::-1], (">", ">")).verdict, judge_order(scores[::-1], (">", ">")).reason) == ("wrong", "order")
    assert judge_order((Silent(F(1)), r("1")), (">",), cap_bits=128).verdict == "undecided"


def test_an_argmax_must_exceed_the_others() -> None:
    scores = (r("0.2"), r("0.5"), r("0.3"))
    assert judge_argmax(scores, 1).verdict == "exact"
    assert judge_argmax(scores, 2).verdict == "wrong"
    assert judge_argmax((r("0.5"), r("0.5")), 0).verdict == "wrong"
    assert judge_argmax((r("0.5"), Silent(F("0.5"))), 0, cap_bits=128).verdict == "undecided"


def test_a_sign() -> None:
    assert judge_sign(r("-1"), -1).verdict == "exact"
    assert judge_sign(r("0"), 1).verdict == "wrong"
    assert judge_sign(r("0"), 0).verdict == "exact"


def changed(tokens: str, values: str) -> frozenset[int]:
    return changed_entries([parse_printed(t) for t in tokens.split()], [r(v) for v in values.split()])


def test_entries_whose_order_is_changed() -> None:
    assert changed("0.222 0.382 0.396", "0.2473 0.4268 0.3259") == {1, 2}
    assert changed("0.222 0.396 0.382", "0.2473 0.4268 0.3259") == frozenset()
    assert changed("0.33 0.33", "0.334 0.326") == frozenset()
    assert changed("0.33 0.34", "0.33 0.33") == {0, 1}
    assert changed("40% 0.3", "0.41 0.29") == frozenset()
    assert changed("40% 0.5", "0.41 0.29") == {0, 1}


# -- sentences --------------------------------------------------------------------------------------------------------
YES, NO, UNKNOWN = Truth.YES, Truth.NO, Truth.UNKNOWN


@pytest.mark.parametrize(
    ("says", "means", "instead", "expected"),
    [
        (YES, None, None, "holds"),
        (NO, YES, None, "imprecise"),
        (None, YES, None, "imprecise"),
        (NO, YES, YES, "imprecise"),
        (NO, None, YES, "false"),
        (None, None, YES, "false"),
        (None, None, None, "not-mathematics"),
    ],
)
def test_the_status_of_a_sentence(says: Truth | None, means: Truth | None, instead: Truth | None, expected: str) -> None:
    assert status(says, means, instead) == expected


@pytest.mark.parametrize(
    ("says", "means", "instead", "error", "message"),
    [
        (NO, None, None, SheetError, '"says" is refuted'),
        (UNKNOWN, None, None, UndecidedError, '"says" is undecided'),
        (UNKNOWN, YES, None, UndecidedError, '"says" is undecided'),
        (UNKNOWN, None, YES, UndecidedError, '"says" is undecided'),
        (NO, NO, None, SheetError, '"means" is refuted'),
        (NO, UNKNOWN, None, UndecidedError, '"means" is undecided'),
        (NO, YES, NO, SheetError, '"instead" is refuted'),
        (None, None, UNKNOWN, UndecidedError, '"instead" is undecided'),
        (YES, None, YES, SheetError, '"instead" has nothing to correct'),
        (YES, YES, None, SheetError, '"means" has nothing to correct'),
    ],
)
def test_a_formula_that_is_not_proven_as_needed_fails(
    says: Truth | None, means: Truth | None, instead: Truth | None, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        status(says, means, instead)


def test_several_lines_under_one_key() -> None:
    assert all_of([]) is None
    assert all_of([YES, YES]) is YES
    assert all_of([YES, UNKNOWN]) is UNKNOWN
    assert all_of([UNKNOWN, NO]) is NO
