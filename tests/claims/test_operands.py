"""Slack goes to operands as their own verdicts say, and W holds attained values only."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.claims.operands import Operand, interval_value, operand, point_value
from symattn.errors import DomainError, UndecidedError
from symattn.number.decimal import parse_printed
from symattn.number.exact import Exact
from symattn.number.truth import Enclosure, Quantity, Rational

Point = Mapping[str, F]


@pytest.mark.parametrize(
    ("token", "verdict", "expected"),
    [
        ("0.379", "given", Operand(F("0.379"))),
        ("0.379", "exact", Operand(F("0.379"))),
        ("0.379", "rounded", Operand(F("0.379"), F("0.0005"))),
        ("0.379", "truncated", Operand(F("0.379"), F("0.0005"))),
        ("0.379", "from-rounded", Operand(F("0.379"), F("0.0005"))),
        ("0.379", None, Operand(F("0.379"), F("0.0005"))),
        ("37.9%", "rounded", Operand(F("0.379"), F("0.0005"))),
        ("38%", "rounded", Operand(F("0.38"), F("0.005"))),
        ("10", None, Operand(F(10))),
        ("10", "rounded", Operand(F(10), F("0.5"))),
        ("10.0", None, Operand(F(10), F("0.05"))),
        ("0.379", "off-by", None),
        ("0.379", "wrong", None),
    ],
)
def test_the_slack_of_an_operand(token: str, verdict: str | None, expected: Operand | None) -> None:
    assert operand(parse_printed(token), verdict) == expected


def test_an_unknown_verdict_is_not_taken_for_slack() -> None:
    with pytest.raises(ValueError, match="not a verdict"):
        operand(parse_printed("0.5"), "fine")


def loose(*values: str, half: str = "0.0005") -> dict[str, Operand]:
    return {f"x{k}": Operand(F(v), F(half)) for k, v in enumerate(values)}


def dot(at: Point) -> Quantity:
    values = [at[k] for k in sorted(at, key=lambda name: int(name[1:]))]
    half = len(values) // 2
    return Rational(sum((a * b for a, b in zip(values[:half], values[half:], strict=True)), F(0)))


def test_products_and_sums_by_corners() -> None:
    ops = loose("0.379", "0.616")
    assert interval_value(dot, ops) == Enclosure(F("0.3785") * F("0.6155"), F("0.3795") * F("0.6165"))
    assert point_value(dot, ops) == Rational(F("0.379") * F("0.616"))
    crossing = loose("0", "0", half="1")
    assert interval_value(dot, crossing) == Enclosure(F(-1), F(1))


def test_a_saddle_needs_every_corner() -> None:
    # from (hi, hi) no single move improves both ends; the largest value stands at the opposite corner
    ops = {"x0": Operand(F("0.5"), F("1.5")), "x1": Operand(F(-1), F(2))}
    assert interval_value(dot, ops) == Enclosure(F(-6), F(3))


def test_points_have_no_width() -> None:
    ops = {"x0": Operand(F("0.5")), "x1": Operand(F(3))}
    assert interval_value(dot, ops) == Enclosure(F("1.5"), F("1.5"))
    assert interval_value(lambda at: Rational(F(7)), {}) == Enclosure(F(7), F(7))


def softmax(at: Point) -> Quantity:
    powers = [Exact.of(x).exp() for x in at.values()]
    return powers[0] / (powers[0] + powers[1] + powers[2])


def test_a_softmax_by_corners() -> None:
    found = interval_value(softmax, loose("0.339", "0.611", "0.477"))
    low = softmax({"a": F("0.3385"), "b": F("0.6115"), "c": F("0.4775")}).enclose(128)
    high = softmax({"a": F("0.3395"), "b": F("0.6105"), "c": F("0.4765")}).enclose(128)
    assert (found.lo, found.hi) == (low.hi, high.lo)


def test_the_interval_is_never_wider_than_what_is_attained() -> None:
    # x*x around 0 turns inside the box: the least value 0 is missed, none is invented
    found = interval_value(lambda at: Rational(at["x"] ** 2), {"x": Operand(F("0.1"), F(1))})
    assert found.lo >= 0
    assert found.hi == F("1.21")


def test_the_search_stops_when_the_target_is_met() -> None:
    asked: list[Point] = []

    def counted(at: Point) -> Quantity:
        asked.append(at)
        return dot(at)

    ops = loose(*["0.5"] * 8)
    interval_value(counted, ops, target=Enclosure(F(1), F(1)))
    assert len(asked) == 1
    asked.clear()
    interval_value(counted, ops, target=Enclosure(F("1.002"), F(2)))
    assert 1 < len(asked) < 20
    asked.clear()
    interval_value(counted, ops, target=Enclosure(F(5), F(6)))
    assert len(asked) == 1 + 2**8


def test_many_operands_are_climbed() -> None:
    ops = loose(*["0.5"] * 24)
    found = interval_value(dot, ops)
    assert found == Enclosure(12 * F("0.4995") ** 2, 12 * F("0.5005") ** 2)


def test_a_pole_in_the_box_is_undecided() -> None:
    def inverse(at: Point) -> Quantity:
        if at["x"] == 0:
            raise DomainError("division by zero")
        return Rational(1 / at["x"])

    with pytest.raises(UndecidedError, match="outside the function's domain"):
        interval_value(inverse, {"x": Operand(F(1), F(1))})
    assert interval_value(inverse, {"x": Operand(F(2), F(1))}) == Enclosure(F(1, 3), F(1))


@given(st.lists(st.fractions(-2, 2, max_denominator=50), min_size=4, max_size=4), st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_every_choice_of_operands_lies_in_the_interval_of_an_affine_function(centres: list[F], shares: list[float]) -> None:
    ops = {f"x{k}": Operand(c, F(1, 10)) for k, c in enumerate(centres)}
    found = interval_value(dot, ops)
    inside = {name: o.value + (2 * F(s) - 1) * o.slack for (name, o), s in zip(ops.items(), shares, strict=True)}
    value = dot(inside).rational()
    assert value is not None
    assert found.lo <= value <= found.hi
