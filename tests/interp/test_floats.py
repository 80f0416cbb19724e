"""The float reading: one rounding, stated orders, births of inf, NaN and zero, invented formats, and the machine against exact rounding."""

from __future__ import annotations

import math
import random
import warnings
from fractions import Fraction as F
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from attentions import II, JJ, KK, attention, functions, matrix, small_feeds, soft_cap, vector

from symattn.errors import InputError, UnsupportedError
from symattn.interp.events import Event, Observed
from symattn.interp.floats import engine, float_table, read, read_format, tables
from symattn.interp.lost import correct_digits, first_lost_digit
from symattn.interp.machine import SCALARS, machine
from symattn.interp.run import holes
from symattn.interp.softfloats import soft_number, soft_rows
from symattn.interp.systems import Request
from symattn.interp.tensor import Tensor
from symattn.number.elementary import Elementary
from symattn.number.formats import (
    BFLOAT16,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FORMATS,
    Format,
    Overflow,
    Special,
    nth,
    ordinal,
    round_fraction,
)
from symattn.number.thresholds import largest_finite_exp
from symattn.number.truth import Enclosure
from symattn.program.ops import Contract, Input, Map, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import SCALAR_OPS, Arg, Binary, Num, Power, Unary

TINY = Format("tiny", precision=3, emin=-2, emax=3)
SMALL = (FLOAT8_E4M3FN, FLOAT8_E5M2)


def special(x: Any) -> F | Special:
    """A machine scalar as an exact value."""
    value = float(x)
    if math.isnan(value):
        return Special.NAN
    if math.isinf(value):
        return Special.INF if value > 0 else Special.NEG_INF
    return F(value)


def sums(order: str, fmt: Format, entries: list[Any]) -> Any:
    program = Program((Stage("x", Input((KK,))), Stage("total", Contract((), (Use("x", (KK,)),)))))
    return read_format(program, {"x": vector(entries)}, fmt, order=order)["total"].entries[0]


# -- the rows ----------------------------------------------------------------------------------------------------------
def test_every_table_is_complete() -> None:
    found = tables()
    assert [t.name for t in found] == [*FORMATS, "float6_e3m2"]
    for table in found:
        assert holes(table) == ()
        assert not table.unsupported


@pytest.mark.parametrize("fmt", [*FORMATS.values(), TINY], ids=lambda f: f.name)
def test_notes_say_how_each_operation_is_done(fmt: Format) -> None:
    notes = engine(fmt).notes
    assert all(notes.get(op) for op in SCALAR_OPS if op not in ("neg", "max2"))
    if fmt in (BFLOAT16, *SMALL):
        assert all("float64, rounded once" in notes[op] for op in ("exp", "log", "sqrt", "tanh", "cos", "sin", "erf"))


@pytest.mark.parametrize("fmt", SMALL, ids=lambda f: f.name)
@pytest.mark.parametrize("op", ["add", "sub", "mul", "div"])
def test_arithmetic_of_eight_bits_is_correctly_rounded_on_all_pairs(fmt: Format, op: str) -> None:
    top = ordinal(fmt.largest, fmt)
    numbers = [nth(place, fmt) for place in range(-top, top + 1)]
    here, exact = machine(fmt), soft_rows(fmt)[op]
    scalars = [here.number(x) for x in numbers]
    with np.errstate(all="ignore"):
        for (x, a), (y, b) in product(zip(numbers, scalars, strict=True), repeat=2):
            assert special(here.rows[op](a, b)) == exact(x, y), (x, y)


@pytest.mark.parametrize("fmt", [BFLOAT16, FLOAT16, FLOAT32, FLOAT64], ids=lambda f: f.name)
def test_arithmetic_is_correctly_rounded_on_samples(fmt: Format) -> None:
    top = ordinal(fmt.largest, fmt)
    half = 1 << (fmt.precision - 1)
    chance = random.Random(7)
    places = [chance.randrange(-top, top + 1) for _ in range(60)] + [chance.randrange(-4 * half, 4 * half) for _ in range(60)]
    around_one = ordinal(F(1), fmt)
    places += [around_one + chance.randrange(-half, half) for _ in range(60)]
    numbers = [nth(place, fmt) for place in places]
    here, soft = machine(fmt), soft_rows(fmt)
    with np.errstate(all="ignore"):
        for x in numbers:
            assert special(here.rows["sqrt"](here.number(abs(x)))) == soft["sqrt"](abs(x))
            for y in chance.sample(numbers, 30):
                for op in ("add", "sub", "mul", "div", "max2"):
                    assert special(here.rows[op](here.number(x), here.number(y))) == soft[op](x, y), (op, x, y)


@pytest.mark.parametrize("fmt", [BFLOAT16, *SMALL], ids=lambda f: f.name)
def test_functions_done_wider_are_rounded_once(fmt: Format) -> None:
    """In these formats float64 has so many digits to spare that one rounding gives the correctly rounded value here."""
    top = ordinal(fmt.largest, fmt)
    here, soft = machine(fmt), soft_rows(fmt)
    with np.errstate(all="ignore"):
        for place in range(1, top, max(1, top // 300)):
            x = nth(place, fmt)
            for op in ("exp", "log", "sqrt", "tanh", "cos", "sin", "erf"):
                assert special(here.rows[op](here.number(x))) == soft[op](x), (op, x)


def test_a_number_is_rounded_once() -> None:
    """By way of float32, 1 + 2^-8 + 2^-40 would become a tie of bfloat16 and go down; ml_dtypes' own cast from float64 does so."""
    x = 1 + F(1, 2**8) + F(1, 2**40)
    assert F(float(ml_dtypes.bfloat16(float(x)))) == 1
    assert F(float(machine(BFLOAT16).number(x))) == 1 + F(1, 2**7)
    y = 1 + F(1, 2**4) + F(1, 2**30)
    assert F(float(machine(FLOAT8_E4M3FN).number(y))) == 1 + F(1, 8)
    below_float64 = 1 + F(1, 2**24) + F(1, 2**90)
    assert F(float(machine(FLOAT32).number(below_float64))) == 1 + F(1, 2**23)
    assert float(machine(FLOAT32).number(F(float(below_float64)))) == 1
    assert math.copysign(1, float(machine(FLOAT16).number(F(-1, 10**9)))) == -1


@pytest.mark.parametrize("fmt", [*FORMATS.values(), TINY], ids=lambda f: f.name)
def test_powers_of_negative_numbers(fmt: Format) -> None:
    table = float_table(fmt)
    row = table.row("pow")
    with np.errstate(all="ignore"):
        for x, exponent, right in [(-8, F(1, 3), -2), (-8, F(2, 3), 4), (-2, F(3), -8), (-2, F(2), 4), (-2, F(-1), F(-1, 2))]:
            value = row(table.number(F(x)), exponent)
            assert abs(F(float(value)) - right) <= 4 * fmt.unit_roundoff * abs(right)  # the exponent is rounded, then the power
        value = row(table.number(F(-2)), F(1, 2))
        assert value is Special.NAN or math.isnan(float(value))


def test_soft_rows_outside_the_numbers() -> None:
    rows = soft_rows(TINY)
    inf, neg, nan = Special.INF, Special.NEG_INF, Special.NAN
    assert rows["add"](inf, neg) is nan
    assert rows["sub"](F(1), inf) is neg
    assert rows["mul"](inf, F(0)) is nan
    assert rows["mul"](neg, F(-2)) is inf
    assert rows["div"](F(1), neg) == 0
    assert rows["div"](F(-1), F(0)) is neg
    assert rows["div"](F(0), F(0)) is nan
    assert rows["div"](inf, F(0)) is inf
    assert rows["max2"](neg, F(-14)) == -14
    assert rows["max2"](F(3), inf) is inf
    assert rows["max2"](nan, F(1)) is nan
    assert rows["max2"](F(1), nan) is nan
    assert rows["neg"](inf) is neg
    assert rows["exp"](neg) == 0
    assert rows["exp"](inf) is inf
    assert rows["log"](neg) is nan
    assert rows["tanh"](neg) == -1
    assert rows["cos"](inf) is nan
    assert rows["pow"](neg, F(3)) is neg
    assert rows["pow"](neg, F(1, 2)) is nan
    assert rows["pow"](neg, F(1, 3)) is neg
    assert rows["pow"](inf, F(-1)) == 0
    assert rows["pow"](nan, F(0)) == 1
    assert soft_rows(FLOAT8_E4M3FN)["div"](F(1), F(0)) is nan  # it has no infinity
    assert soft_number(TINY)(F(1, 3)) == F(5, 16)


# -- orders ------------------------------------------------------------------------------------------------------------
def test_orders_of_sums_differ_and_are_as_stated() -> None:
    ones = [1] * 300
    assert sums("sequential", BFLOAT16, ones) == 256  # 256 + 1 is a tie and stays
    assert sums("pairwise", BFLOAT16, ones) == 300
    assert sums("sequential", FLOAT8_E5M2, ones) == 8
    terms = [F(2**24), F(1), F(1)]
    assert sums("sequential", FLOAT32, terms) == 2**24  # (2^24 + 1) + 1
    assert sums("pairwise", FLOAT32, terms[::-1]) == 2**24 + 2  # (1 + 1) + 2^24
    assert sums("pairwise", FLOAT32, terms) == 2**24  # (2^24 + 1) + 1: the first half is the larger one
    assert sums("blas", FLOAT32, [1, 2, 3]) == 6


@pytest.mark.parametrize("fmt", [FLOAT64, FLOAT32], ids=lambda f: f.name)
def test_blas_reads_attention(fmt: Format) -> None:
    blas = read_format(attention(causal=True), small_feeds(), fmt, order="blas")
    plain = read_format(attention(causal=True), small_feeds(), fmt)
    assert all(type(x) is SCALARS[fmt.name] for x in blas["output"].entries)
    for name, stage in blas.items():
        assert stage.absent == plain[name].absent
        for a, b in zip(stage.entries, plain[name].entries, strict=True):
            # both sums have at most 3 terms: each is within 3 units u of the sum of sizes, far less than 32 u of 10
            assert abs(float(a) - float(b)) <= 320 * float(fmt.unit_roundoff)
    assert "numpy.dot" in blas.notes["sum"]


def test_orders_that_are_not_there() -> None:
    with pytest.raises(UnsupportedError, match="BLAS has no sums in bfloat16; it has float64, float32"):
        sums("blas", BFLOAT16, [1, 2])
    with pytest.raises(InputError, match="no order of sums 'random'; known: sequential, pairwise, blas"):
        sums("random", FLOAT64, [1, 2])
    with pytest.raises(InputError, match="did you mean float32"):
        read(attention(), small_feeds(), Request("float3"))


# -- whole programs ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", list(FORMATS))
def test_entries_are_scalars_of_the_format(name: str) -> None:
    got = read(attention(causal=True, shifted=True), small_feeds(), Request(name))
    assert isinstance(got, Observed)
    assert list(got) == [s.name for s in attention(causal=True, shifted=True).stages]
    for stage in got.values():
        assert all(type(x) is SCALARS[name] for x in stage.entries)
    assert got["weights"].absent == {1, 2, 5}
    assert float(got["weights"][0, 0]) == 1
    assert float(got["output"][0, 1]) == -1.5


def test_float64_reading_is_the_plain_loop() -> None:
    feeds = small_feeds()
    got = read_format(attention(), feeds, FLOAT64)
    q, k, v = ([[float(x) for x in row] for row in feeds[name].rows()] for name in "QKV")
    for i in range(3):
        scaled = [(q[i][0] * k[j][0] + q[i][1] * k[j][1]) / math.sqrt(2) for j in range(3)]
        grown = [float(np.exp(np.float64(s))) for s in scaled]
        total = (grown[0] + grown[1]) + grown[2]
        weights = [g / total for g in grown]
        for c in range(2):
            assert float(got["output"][i, c]) == (weights[0] * v[0][c] + weights[1] * v[1][c]) + weights[2] * v[2][c]


@pytest.mark.parametrize("fmt", list(FORMATS.values()), ids=lambda f: f.name)
def test_known_formats_against_exact_rounding(fmt: Format) -> None:
    """The same format under another name is computed from exact values. The two are equal where the machine rounds once, from enough
    digits; NumPy's own functions are within 2 units, and its power, which rounds the exponent first, within 3."""
    again = Format("again", fmt.precision, fmt.emin, fmt.emax, fmt.has_inf, fmt.top_missing, fmt.overflow)
    here = read_format(functions(), {"x": vector(["0.3", "1.7", "2.5"])}, fmt)
    exact = read_format(functions(), {"x": vector(["0.3", "1.7", "2.5"])}, again)
    for name, stage in here.items():
        for a, b in zip(stage.entries, exact[name].entries, strict=True):
            gap = abs(ordinal(special(a), fmt) - ordinal(b, fmt))
            exact_here = name in ("x", "p", "neg", "add", "sub", "mul", "div", "max2", "sqrt") or fmt in (BFLOAT16, *SMALL)
            assert gap <= (0 if exact_here else 3 if name == "root" else 2), (name, a, b)


def test_invented_format_with_three_bits_of_exponent() -> None:
    got = read_format(attention(causal=True, shifted=True), small_feeds(), TINY)
    rounded = {name: [round_fraction(x, TINY) for x in t.entries] for name, t in small_feeds().items()}
    assert got["Q"].entries == rounded["Q"]
    assert got["weights"][0, 0] == 1
    q, k = rounded["Q"], rounded["K"]
    term = [round_fraction(q[2 * 1 + c] * k[2 * 1 + c], TINY) for c in range(2)]
    assert got["scores"][1, 1] == round_fraction(term[0] + term[1], TINY)
    x = largest_finite_exp(TINY)
    assert x == F(5, 2)
    row = float_table(TINY).row("exp")
    assert row(x) == 12
    assert row(F(3)) is Special.INF
    assert float_table(TINY.with_overflow(Overflow.SATURATE)).row("exp")(F(3)) == 14


@pytest.mark.parametrize("fmt", list(FORMATS.values()), ids=lambda f: f.name)
def test_exp_is_finite_up_to_the_threshold_on_this_machine(fmt: Format) -> None:
    x = largest_finite_exp(fmt)
    assert x is not None
    table = float_table(fmt)
    with np.errstate(all="ignore"):
        assert math.isfinite(float(table.row("exp")(table.number(x))))
        above = nth(ordinal(x, fmt) + 1, fmt)
        assert not math.isfinite(float(table.row("exp")(table.number(above))))


# -- events --------------------------------------------------------------------------------------------------------------
def events_of(fmt: Format, scores: list[list[Any]], **options: Any) -> tuple[Event, ...]:
    """Softmax by its definition over given scores."""
    program = Program(
        (
            Stage("s", Input((II, JJ))),
            Stage("e", Map((II, JJ), Unary("exp", Arg("s")), (("s", Use("s", (II, JJ))),))),
            Stage("z", Contract((II,), (Use("e", (II, JJ)),))),
            Stage("p", Map((II, JJ), Binary("div", Arg("e"), Arg("z")), (("e", Use("e", (II, JJ))), ("z", Use("z", (II,)))))),
        )
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_format(program, {"s": matrix(scores)}, fmt, **options).events


@pytest.mark.parametrize("fmt", [FLOAT64, FLOAT32, FLOAT16, BFLOAT16, FLOAT8_E5M2, TINY], ids=lambda f: f.name)
def test_births_of_inf_and_nan(fmt: Format) -> None:
    big = largest_finite_exp(fmt)
    assert big is not None
    above = nth(ordinal(big, fmt) + 1, fmt)
    events = events_of(fmt, [[0, big], [above, 1], [above, above]])
    first = next(e for e in events if e.kind == "inf")
    assert (first.stage, first.entry, first.operation, first.count) == ("e", (1, 0), "exp", 3)
    assert first.detail.startswith("exp(")
    assert f"overflows: the largest {fmt.name} is" in first.detail
    nan = next(e for e in events if e.kind == "nan")
    assert (nan.stage, nan.entry, nan.operation, nan.count) == ("p", (1, 0), "div", 3)
    assert nan.detail == "inf / inf has no value"
    assert not [e for e in events if e.stage == "z"]  # inf + 1 is no birth


def test_evaluate_in_formats_and_in_one_of_ones_own() -> None:
    feeds = {name: t.nested() for name, t in small_feeds().items()}
    got = attention().evaluate(feeds, numbers="float32")
    assert got.numbers == "float32"
    assert got.events == ()
    assert got.notes["exp"] == "numpy.exp on float32"
    tiny = attention().evaluate({**feeds, "Q": [[14, 14]] * 3}, numbers=TINY)
    assert tiny.numbers == "tiny"
    assert tiny["Q"].entries == [14] * 6
    assert [(e.kind, e.stage) for e in tiny.events][:1] == [("inf", "scores")]
    assert attention().evaluate(feeds).events == ()
    with pytest.raises(UnsupportedError, match="BLAS has no sums in tiny"):
        attention().evaluate(feeds, numbers=TINY, order="blas")


@pytest.mark.parametrize("name", list(FORMATS))
def test_arrays_of_the_format_come_in_unchanged(name: str) -> None:
    fmt = FORMATS[name]
    numbers = [fmt.smallest, fmt.largest, nth(ordinal(F(1), fmt) + 1, fmt), F(0), -fmt.smallest_normal]
    here = machine(fmt)
    array = np.array([here.number(x) for x in numbers], dtype=SCALARS[name])
    got = soft_cap().evaluate({"x": array}, numbers=name)["x"]
    assert [special(x) for x in got.entries] == numbers
    wide = soft_cap().evaluate({"x": [0.1]}, numbers=name)["x"].entries[0]  # a Python float is the binary fraction that it is
    assert special(wide) == round_fraction(F(0.1), fmt)


def test_exp_800_in_float64() -> None:
    events = events_of(FLOAT64, [[800, -800, 0]])
    assert events == (
        Event("inf", "e", (0, 0), "exp", "exp(800) overflows: the largest float64 is 1.79769e+308"),
        Event("zero", "e", (0, 1), "exp", "exp(-800) underflows: the smallest float64 is 4.94066e-324"),
        Event("nan", "p", (0, 0), "div", "inf / inf has no value"),
    )


def test_logarithm_and_powers_of_zero() -> None:
    one = (("x", Use("x", (KK,))),)
    program = Program(
        (
            Stage("x", Input((KK,))),
            Stage("l", Map((KK,), Unary("log", Arg("x")), one)),
            Stage("r", Map((KK,), Power(Arg("x"), F(-1, 2)), one)),
            Stage("m", Map((KK,), Unary("sqrt", Binary("sub", Arg("x"), Num(F(1)))), one)),
        )
    )
    for fmt in (FLOAT32, TINY, BFLOAT16):
        events = read_format(program, {"x": vector([1, 0])}, fmt).events
        assert [(e.kind, e.stage, e.entry, e.detail) for e in events] == [
            ("inf", "l", (1,), "log(0) is minus infinity"),
            ("inf", "r", (1,), "0 ** -0.5 divides by zero"),
            ("nan", "m", (1,), "sqrt(-1) has no value"),
        ]
    assert [e.kind for e in read_format(program, {"x": vector([1, 0])}, FLOAT8_E4M3FN).events] == ["nan", "nan", "nan"]


def test_overflow_without_infinities_is_a_nan_or_saturates() -> None:
    events = events_of(FLOAT8_E4M3FN, [[0, 7]])
    assert events[0] == Event("nan", "e", (0, 1), "exp", "exp(7) overflows: the largest float8_e4m3fn is 448")
    assert events_of(FLOAT8_E4M3FN.with_overflow(Overflow.SATURATE), [[0, 7]]) == ()


def test_births_in_products_inputs_literals_and_quotients() -> None:
    big = Map((KK,), Binary("mul", Arg("x"), Num(F(10) ** 6)), (("x", Use("x", (KK,))),))
    small = Map((KK,), Binary("div", Arg("x"), Num(F(60000))), (("x", Use("x", (KK,))),))
    ratio = Map((KK,), Binary("div", Arg("x"), Binary("sub", Arg("x"), Arg("x"))), (("x", Use("x", (KK,))),))
    program = Program((Stage("x", Input((KK,))), Stage("big", big), Stage("small", small), Stage("ratio", ratio)))
    got = read_format(program, {"x": vector(["1/1000", "1e-9", 70000])}, FLOAT16)
    found = {(e.stage, e.kind): e for e in got.events}
    assert found["x", "zero"].entry == (1,)
    assert found["x", "zero"].operation == "round"
    assert found["x", "inf"].detail == "70000 overflows: the largest float16 is 65504"
    assert found["big", "inf"].entry == ()  # the literal 10^6 itself
    assert found["big", "inf"].detail == "1e+06 overflows: the largest float16 is 65504"
    assert found["big", "nan"].detail == "0 * inf has no value"
    assert found["small", "zero"].detail == "0.0010004 / 60000 underflows: the smallest float16 is 5.96046e-08"
    assert found["ratio", "inf"].detail == "0.0010004 / 0 divides by zero"
    assert (found["ratio", "nan"].entry, found["ratio", "nan"].detail) == ((1,), "0 / 0 has no value")
    assert ("small", "inf") not in found  # inf / 60000 is inherited


def test_blas_shows_results_only() -> None:
    feeds = {"Q": matrix([["1e30", 1]]), "K": matrix([["1e30", 1]]), "V": matrix([[1]])}
    events = read_format(attention(), feeds, FLOAT32, order="blas").events
    assert events[0] == Event("inf", "scores", (0, 0), "dot", "a sum of 2 products leaves float32")


def test_a_reading_without_trouble_has_no_events() -> None:
    assert read_format(attention(), small_feeds(), FLOAT64).events == ()


def test_special_inputs_are_taken_as_they_are_and_floats_refused() -> None:
    feeds = {**small_feeds(), "Q": Tensor((3, 2), [F(1), F(1), F(1), -math.inf, F(0), F(0)])}
    for fmt in (FLOAT32, Format("again", 24, -126, 127)):
        got = read_format(attention(), feeds, fmt)
        value = got["Q"][1, 1]
        assert (value if isinstance(value, Special) else special(value)) is Special.NEG_INF
    with pytest.raises(InputError, match="binary=True"):
        read_format(attention(), {**small_feeds(), "Q": Tensor((3, 2), [0.5] * 6)}, FLOAT32)


def test_irrational_inputs_are_rounded_from_their_enclosures() -> None:
    feeds = {"x": Tensor((2,), [Elementary("exp", F(1)), Elementary("exp", F(200))])}
    got = read_format(soft_cap(), feeds, FLOAT32)
    assert float(got["x"].entries[0]) == float(np.float32(math.e))
    assert got.events[0] == Event("inf", "x", (1,), "round", "an input overflows float32")


# -- lost digits -----------------------------------------------------------------------------------------------------------
def test_first_lost_digit() -> None:
    feeds = small_feeds()
    exact = read_format(attention(), feeds, Format("wide", precision=300, emin=-2000, emax=2000))
    half = read_format(attention(), feeds, FLOAT16)
    first = first_lost_digit(half, exact, 6)
    assert first is not None
    assert (first.kind, first.stage, first.entry) == ("lost-digit", "Q", (0, 0))  # 0.461 is no float16
    assert first.detail == "0.460938 instead of 0.461"
    assert first_lost_digit(half, exact, 2) is None
    double = read_format(attention(), feeds, FLOAT64)
    assert first_lost_digit(double, exact, 14) is None
    late = first_lost_digit(double, exact, 40)
    assert late is not None


def test_first_lost_digit_after_exact_inputs_is_the_algorithm_s() -> None:
    feeds = {name: Tensor(t.shape, [round_fraction(x, FLOAT16) for x in t.entries]) for name, t in small_feeds().items()}
    exact = read_format(attention(), feeds, Format("wide", precision=300, emin=-2000, emax=2000))
    first = first_lost_digit(read_format(attention(), feeds, FLOAT16), exact, 6)
    assert first is not None
    assert first.stage == "scores"


def test_infinity_has_no_digit() -> None:
    feeds = {"Q": matrix([[1000, 0]]), "K": matrix([[1000, 0]]), "V": matrix([[1]])}
    exact = read_format(attention(), feeds, Format("wide", precision=100, emin=-(10**7), emax=10**7))
    first = first_lost_digit(read_format(attention(), feeds, FLOAT16), exact, 1)
    assert first == Event("lost-digit", "scores", (0, 0), "", "no number instead of 1e+06")


def test_correct_digits() -> None:
    def point(text: str) -> Enclosure:
        return Enclosure(F(text), F(text))

    assert correct_digits(F("0.379"), point("0.3791"), cap=9) == 3
    assert correct_digits(F("0.379"), point("0.379"), cap=9) == 9
    assert correct_digits(F("0.379"), Enclosure(F("0.3789"), F("0.3791")), cap=9) == 9  # the reference leaves it open
    assert correct_digits(F("-0.379"), point("0.379"), cap=9) == 0
    assert correct_digits(F("9.99"), point("10"), cap=9) == 3  # it rounds to 10.0, and not to 10.00
    assert correct_digits(F(0), point("0"), cap=9) == 9
    assert correct_digits(F(1), point("0"), cap=9) == 0
