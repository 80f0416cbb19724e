"""`symattn eval`, and the table that it shares with `attend`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli_support import hidden, ran, trouble

from symattn.cli.readings import Reading
from symattn.cli.table import as_text
from symattn.interp.tensor import Tensor


def test_exact_and_proven_by_default() -> None:
    done = ran("eval", "softmax([2, 5, 1])")
    assert done.code == 0
    assert "[1]  1/(1 + exp(-4) + exp(-3))  0.936239551876505718896635586967" in done.out


@pytest.mark.parametrize("arguments", [("-1 + 3/2",), ("--digits", "5", "-1 + 3/2"), ("-1 + 3/2", "--digits", "5"), ("--", "-1 + 3/2")])
def test_an_expression_may_begin_with_a_minus_sign(arguments: tuple[str, ...]) -> None:
    assert "0.5 " in ran("eval", *arguments).out


def test_digits_and_definitions() -> None:
    done = ran("eval", "s = [2, 5, 1]; t = softmax(s); t[0] + t[2]", "--digits", "5", "--numbers", "balls")
    assert "0.063760" in done.out
    assert "5 significant digits, each proven" in done.out


def test_stages_inside() -> None:
    done = ran("eval", "softmax([2, 5, 1])", "--stages")
    assert "result.exponentials 3\n" in done.out
    assert "result.row_sums\n" in done.out


@pytest.mark.parametrize(
    "numbers", ["exact", "balls", "multiprec", "symbolic", "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
)
def test_every_number_system(numbers: str) -> None:
    done = ran("eval", "1/2 + 1/4", "--numbers", numbers)
    assert done.code == 0
    assert "0.75" in done.out or "3/4" in done.out
    assert numbers in done.out


def test_json() -> None:
    found: dict[str, Any] = json.loads(ran("eval", "[[1, 2], [3, 4]] / 2", "--to", "json", "--numbers", "exact,float16").out)
    assert found["schema"] == "symattn-readings/1"
    exact, floats = found["readings"]
    assert exact["stages"] == {"result": {"shape": [2, 2], "entries": [["0.5", "1"], ["1.5", "2"]], "masked": [], "undecided": []}}
    assert (exact["truth"], floats["truth"]) == ("exact", "observed")
    assert floats["notes"]["div"]
    assert exact["notes"] == {}


def test_standard_input() -> None:
    assert "0.75" in ran("eval", "-", text="s = 1/2\ns + 1/4\n").out
    trouble(ran("eval", "-", text=""), "there is no expression")
    trouble(ran("eval", "-", text="ñ = 1".encode("latin-1")), "<expression>:1:1: error: standard input is not UTF-8 (byte 0xf1)")
    trouble(ran("eval", "-", text="1" * 1_000_001), "more than 1000000 bytes")


def test_an_overflow_goes_on_beside_the_right_number() -> None:
    done = ran("eval", "exp(800)", "--numbers", "exact,float64")
    assert done.code == 0
    assert "float64: inf is born here: exp(800) overflows" in done.out


def test_what_one_reading_lacks_the_others_show() -> None:
    done = ran("eval", "cos(1)", "--numbers", "exact,balls")
    assert done.code == 0
    assert "exact  not available: " in done.out
    assert "0.540302305868139717400936607443" in done.out


def test_what_is_not_decided_is_not_called_proven() -> None:
    done = ran("eval", "[cos(1e1000), 1/3]", "--numbers", "balls,float64")
    assert done.code == 0
    assert "[0]  |x| < 1.0  " in done.out
    assert "balls    30 significant digits, each proven, where there are digits" in done.out
    shown = json.loads(ran("eval", "[cos(1e1000), 1/3]", "--numbers", "balls", "--to", "json").out)["readings"][0]["stages"]["result"]
    assert shown["undecided"] == [[0]]
    assert shown["entries"][0] is None
    assert shown["entries"][1].startswith("0.3333")
    assert "undecided" in ran("eval", "exp(1e1000)", "--numbers", "balls,float64").out


def test_numbers_beyond_a_library_are_said_in_words() -> None:
    done = ran("eval", "exp(exp(exp(exp(10))))", "--numbers", "balls,multiprec")
    assert "multiprec  not available: mpmath cannot hold these numbers (" in done.out
    trouble(ran("eval", "exp(exp(exp(exp(10))))", "--numbers", "multiprec"), "mpmath cannot hold these numbers")


def test_domain_errors_of_every_reading_are_trouble() -> None:
    trouble(ran("eval", "log(0 * exp(1))"), "logarithm of 0")
    assert "-inf" in ran("eval", "log(0 * exp(1))", "--numbers", "exact,float64").out


def test_orders_of_sums() -> None:
    expression = "sum([2048, 1, 1, 1, 1, 1, 1, 1])"  # in float16, 2048 + 1 is 2048
    shown = {order: ran("eval", expression, "--numbers", "float16", "--order", order).out for order in ("sequential", "pairwise")}
    assert "2048" in shown["sequential"].replace("2.048e+03", "2048")
    assert "2054" in shown["pairwise"].replace("2.054e+03", "2054")


# -- the table --------------------------------------------------------------------------------------------------------
def reading(*entries: str, numbers: str = "float64", **more: Any) -> Reading:
    return Reading(numbers, "observed", 30, None, {"S": Tensor((len(entries),), list(entries))}, **more)


def test_side_by_side_where_it_fits_and_one_below_the_other_where_not() -> None:
    two = [reading("1.5", "2.5"), reading("1", "2", numbers="float16")]
    assert as_text(two, ["S"], 80)[:3] == ["     float64  float16", "[0]  1.5      1", "[1]  2.5      2"]
    assert as_text(two, ["S"], 20)[:6] == ["[0]", "  float64  1.5", "  float16  1", "[1]", "  float64  2.5", "  float16  2"]


def test_no_line_is_wider_than_the_terminal_unless_one_number_is() -> None:
    done = ran("eval", "softmax([2, 5, 1])", "--digits", "90", "--numbers", "balls,float64")
    assert "[0]\n  balls    0.0466" in done.out


def test_a_masked_entry_and_a_weak_one() -> None:
    masked = Reading("float64", "observed", 30, None, {"S": Tensor((2,), ["1.0", "0.0"], frozenset({1}))})
    assert as_text([masked], ["S"])[2] == "[1]  masked"
    weak = reading("1.0", "2.0", weak={"S": frozenset({0})})
    assert as_text([weak], ["S"])[1:3] == ["[0]  1.0*", "[1]  2.0"]
    assert "*  fewer right digits than the format keeps" in as_text([weak], ["S"])


def test_a_reading_cannot_write_to_the_terminal() -> None:
    lines = as_text([reading("\x1b[31m1.0\u202e")], ["S"])
    assert not any(map(hidden, lines))
    assert "␛[31m1.0⟨U+202E⟩" in lines[1]


def test_what_may_be_a_decimal_comma_is_mentioned() -> None:
    done = ran("eval", "sum([0,677, 1,223])", "--numbers", "exact")
    assert done.code == 0
    assert "901" in done.out
    assert done.err == "0,677 was read as two entries, 0 and 677; if one decimal is meant, write 0.677\n"


@pytest.mark.parametrize(
    "text", ["sum([1,2,3])", "sum([1, 2, 3])", "sum([1.5,2, 3])", "sum([[1,2], [3,4]])", "A = [[1, 2], [3, 4]]; A[0,1]"]
)
def test_commas_of_one_kind_are_taken_as_they_are(text: str) -> None:
    assert ran("eval", text).err == ""
