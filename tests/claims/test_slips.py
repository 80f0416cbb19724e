"""Each slip is planted and found again on the whole group; what no slip explains is said to be so."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction as F
from typing import Any

import pytest

from symattn.claims.model import Hint
from symattn.claims.rewrites import is_inner, needed
from symattn.claims.slip_search import Candidate, Group, Run, fits, search, shape_of
from symattn.claims.slips import SLIPS, describe, explain
from symattn.errors import DomainError
from symattn.interp.run import Runner, Table
from symattn.interp.tensor import Tensor
from symattn.language.builder import AxisDecl, Builder
from symattn.number.decimal import Printed, decimal_text, parse_printed, proven_rounding
from symattn.number.exact import Exact, larger
from symattn.number.truth import Quantity, Rational
from symattn.program.program import Program

EXACT = Table(
    "exact",
    Exact.of,
    {
        "neg": lambda x: -x,
        "exp": Exact.exp,
        "log": Exact.log,
        "sqrt": Exact.sqrt,
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "max2": larger,
        "pow": Exact.power,
    },
)


class Values:
    """A reading by the exact table alone."""

    def __init__(self, program: Program, feeds: Mapping[str, Any]) -> None:
        tensors = {}
        for stage in program.inputs:
            flat: list[Exact] = []
            _flatten(feeds[stage.name], flat)
            tensors[stage.name] = Tensor(shape_of(feeds[stage.name]), flat)
        self.runner = Runner(program, tensors, EXACT)

    def of(self, stage: str, index: tuple[int, ...]) -> Quantity:
        value: Exact = self.runner.value(stage)[index]
        return value


def _flatten(value: Any, out: list[Exact]) -> None:
    if isinstance(value, list | tuple):
        for v in value:
            _flatten(v, out)
    else:
        out.append(Exact.of(value))


RUN: Run = Values
TOKENS = ("el", "perro", "come")


def attention(scale: str = "S / sqrt(d_k)", axis: str = "1") -> tuple[Program, dict[str, Any]]:
    """Three tokens, four features, d_k = 4."""
    builder = Builder({"token": TOKENS})
    builder.give("X", (AxisDecl("token", 3), AxisDecl("model", 4)))
    for name in ("W_Q", "W_K", "W_V"):
        builder.give(name, (AxisDecl("model", 4), AxisDecl("d_k", 4)))
    lines = {
        "Q": "X @ W_Q", "K": "X @ W_K", "V": "X @ W_V", "S": "Q @ K.T", "T": scale, "E": "exp(T)",
        "Z": f"sum(E, axis={axis})", "P": "E / Z", "O": "P @ V",
    }  # fmt: skip
    for name, text in lines.items():
        builder.define(name, text)
    feeds = {
        "X": rows("0.21 0.45 0.08 1.43", "0.50 1.15 0.78 0.88", "1.36 -0.64 -0.28 1.91"),
        "W_Q": rows("0.3 -0.1 0.4 0.2", "0.1 0.5 -0.2 0.3", "-0.2 0.1 0.6 -0.1", "0.4 0.2 0.1 0.5"),
        "W_K": rows("0.2 0.4 -0.1 0.3", "-0.3 0.2 0.5 0.1", "0.1 -0.2 0.3 0.4", "0.5 0.1 0.2 -0.2"),
        "W_V": rows("0.4 0.1 0.3 -0.2", "0.2 0.3 -0.1 0.4", "-0.1 0.5 0.2 0.1", "0.3 -0.2 0.4 0.5"),
    }
    return builder.program(), feeds


def rows(*lines: str) -> list[list[F]]:
    return [[F(t) for t in line.split()] for line in lines]


PROGRAM, FEEDS = attention()
ROW = ((1, 0), (1, 1), (1, 2))


def printed(values: list[Quantity], places: int = 3) -> tuple[Printed, ...]:
    return tuple(parse_printed(decimal_text(proven_rounding(v, places), places)) for v in values)


def group(tokens: str | tuple[Printed, ...], stage: str = "P", entries: tuple[tuple[int, ...], ...] = ROW, **more: Any) -> Group:
    shown = tuple(parse_printed(t) for t in tokens.split()) if isinstance(tokens, str) else tokens
    return Group(shown, PROGRAM, FEEDS, stage, entries, RUN, **more)


def of(program: Program, stage: str, entries: tuple[tuple[int, ...], ...] = ROW, feeds: Mapping[str, Any] = FEEDS) -> list[Quantity]:
    reading = Values(program, feeds)
    return [reading.of(stage, e) for e in entries]


# -- the core ---------------------------------------------------------------------------------------------------------
def q(text: str) -> Rational:
    return Rational(F(text))


def test_a_slip_is_named_only_when_it_gives_every_digit_of_the_group() -> None:
    shown = [parse_printed(t) for t in ("0.222", "0.382", "0.396")]
    near = Candidate("near", "one digit off", (q("0.2222"), q("0.3821"), q("0.3954")))
    good = Candidate("good", "a", (q("0.2222"), q("0.3821"), q("0.3955")))
    also = Candidate("also", "b", (q("0.222"), q("0.382"), q("0.396")))
    assert search(shown, [near]) == Hint("", 1, 0, False)
    assert search(shown, [near, good, also]) == Hint("good", 3, 2, False, "a")
    assert not fits(shown, near.values)
    assert not fits(shown, good.values[:2])


def test_few_digits_may_fit_by_chance() -> None:
    assert search([parse_printed("0.38"), parse_printed("0.40")], [Candidate("x", "", (q("0.38"), q("0.4")))]).chance
    assert not search([parse_printed("0.380"), parse_printed("0.40")], [Candidate("x", "", (q("0.38"), q("0.4")))]).chance


def test_percentages_are_compared_in_their_unit_and_the_limit_holds() -> None:
    assert search([parse_printed("38.0%")], [Candidate("x", "", (q("0.38"),))]).slip == "x"
    many = (Candidate("x", "", (q("0.5"),)) for _ in range(10**9))
    assert search([parse_printed("0.4")], many, limit=50) == Hint("", 50, 0, False)


def test_a_candidate_that_cannot_be_evaluated_explains_nothing() -> None:
    class Broken:
        def rational(self) -> F | None:
            raise DomainError("division by zero")

        def enclose(self, bits: int) -> Any:
            raise DomainError("division by zero")

    assert search([parse_printed("0.4")], [Candidate("x", "", (Broken(),)), Candidate("y", "", (q("0.4"),))]).slip == "y"


# -- planted slips ----------------------------------------------------------------------------------------------------
def test_a_missing_scale() -> None:
    program, feeds = attention(scale="S / 1")
    hint = explain(group(printed(of(program, "P", feeds=feeds))))
    assert (hint.slip, hint.detail, hint.chance) == ("missing-scale", "T: /√d_k → /1", False)
    assert hint.fitting >= 1


def test_d_instead_of_its_root() -> None:
    program, _ = attention(scale="S / d_k")
    hint = explain(group(printed(of(program, "P"))))
    assert (hint.slip, hint.detail) == ("other-scale", "T: √d_k → d_k")


def test_multiplied_instead_of_divided() -> None:
    program, _ = attention(scale="S * sqrt(d_k)")
    hint = explain(group(printed(of(program, "P"))))
    assert (hint.slip, hint.detail) == ("other-scale", "T: /√d_k → ·√d_k")


def test_another_row_and_interchanged_entries() -> None:
    hint = explain(group(printed(of(PROGRAM, "P", ((0, 0), (0, 1), (0, 2))))))
    assert (hint.slip, hint.detail) == ("other-row", "perro → el")
    true = of(PROGRAM, "P")
    assert explain(group(printed([true[0], true[2], true[1]]))).detail == "2 ↔ 3"


def test_another_operand() -> None:
    hint = explain(group(printed(of(PROGRAM, "K", ((1, 0), (1, 1), (1, 2), (1, 3))), 4), "Q", ((1, 0), (1, 1), (1, 2), (1, 3))))
    assert (hint.slip, hint.detail) == ("other-operand", "Q → K")


def test_a_transposed_matrix() -> None:
    feeds = {**FEEDS, "W_K": [list(c) for c in zip(*FEEDS["W_K"], strict=True)]}
    hint = explain(group(printed(of(PROGRAM, "P", feeds=feeds))))
    assert (hint.slip, hint.detail) == ("transposed", "W_K → W_Kᵀ")
    scores = explain(group(printed(of(PROGRAM, "S", ((0, 1), (1, 1), (2, 1)))), "S"))
    assert (scores.slip, scores.detail) == ("transposed", "Sᵀ")


def test_a_softmax_along_the_other_axis() -> None:
    reading = Values(PROGRAM, FEEDS)
    e = {(i, j): reading.of("E", (i, j)) for i in range(3) for j in range(3)}
    wrong = [e[1, j] / (e[0, j] + e[1, j] + e[2, j]) for j in range(3)]  # type: ignore[operator]
    hint = explain(group(printed(wrong)))
    assert (hint.slip, hint.detail) == ("wrong-axis", "Z: Σ token_2 → Σ token")


def test_a_key_left_out() -> None:
    reading = Values(PROGRAM, FEEDS)
    e = [reading.of("E", (1, j)) for j in range(3)]
    hint = explain(group(printed([e[0] / (e[0] + e[1]), e[1] / (e[0] + e[1])]), entries=ROW[:2]))  # type: ignore[operator]
    assert (hint.slip, hint.detail) == ("left-out", "Z: − token_2 come")
    query = [reading.of("Q", (1, k)) for k in range(4)]
    key = [reading.of("K", (2, k)) for k in range(4)]
    partial = query[0] * key[0] + query[1] * key[1] + query[2] * key[2]  # type: ignore[operator]
    dot = explain(group(printed([partial], 5), "S", ((1, 2),)))
    assert (dot.slip, dot.detail) == ("left-out", "S: − d_k 3")


def test_a_factor_of_a_hundred() -> None:
    hint = explain(group("0.289% 0.380% 0.332%"))
    assert (hint.slip, hint.detail) == ("unscaled", "/100")


def test_early_rounding() -> None:
    reading = Values(PROGRAM, FEEDS)
    t = [proven_rounding(reading.of("T", (1, j)), 1) for j in range(3)]
    powers = [Exact.of(x).exp() for x in t]
    z = powers[0] + powers[1] + powers[2]
    hint = explain(group(printed([p / z for p in powers], 4)))
    assert (hint.slip, hint.detail) == ("early-rounding", "T: Δ = 10^-1")


def test_float32() -> None:
    tokens = "0.28886506 0.3795052 0.33162981"
    (candidate,) = SLIPS[-1].variants(group(tokens))
    for value, right in zip(candidate.values, group(tokens).right, strict=True):
        number = value.rational()
        assert number is not None
        assert number.denominator & (number.denominator - 1) == 0
        ball = right.enclose(80)
        assert 0 < abs(number - ball.lo) < F(1, 2**22)
    assert explain(group(printed(list(candidate.values), 12))).slip == "float32"


def test_digits_swapped() -> None:
    hint = explain(group("0.289 0.308 0.332"))
    assert (hint.slip, hint.detail) == ("digits-swapped", "0.380 → 0.308")
    assert explain(group("0.289 0.309 0.332")).slip != "digits-swapped"
    assert explain(group("0.298 0.308 0.332")).detail == "0.289 → 0.298, 0.380 → 0.308"


def test_adjusted_so_that_the_printed_parts_add_up() -> None:
    truths = tuple(q(t) for t in ("0.641251", "0.516477", "-0.083108", "-0.12105"))
    terms = group("+0.641 +0.517 -0.083 -0.121", "S", ((1, 2),) * 4, truths=truths, addends_of=parse_printed("+0.954"))
    hint = explain(terms)
    assert (hint.slip, hint.detail, hint.chance) == ("adjusted", "0.516 → 0.517, Σ = +0.954", False)
    # a total that the right parts give is no reason to adjust one, nor is a part that does not make the total
    assert (
        explain(group("+0.641 +0.517 -0.083 -0.121", "S", ((1, 2),) * 4, truths=truths, addends_of=parse_printed("+0.953"))).slip
        != "adjusted"
    )
    assert (
        explain(group("+0.641 +0.518 -0.083 -0.121", "S", ((1, 2),) * 4, truths=truths, addends_of=parse_printed("+0.954"))).slip
        != "adjusted"
    )


# -- no slip ----------------------------------------------------------------------------------------------------------
def test_what_no_slip_explains_is_said() -> None:
    hint = explain(group("0.123 0.456 0.789"))
    assert (hint.slip, hint.fitting, hint.chance) == ("", 0, False)
    assert hint.tried > 80
    assert describe(hint) == ""


def test_a_pair_is_not_explained_by_one_of_its_numbers() -> None:
    program, _ = attention(scale="S / 1")
    shown = printed(of(program, "P"))
    spoiled = (shown[0], shown[1], parse_printed("0.999"))
    assert explain(group(shown)).slip == "missing-scale"
    assert explain(group(spoiled)).slip == ""


def test_descriptions_in_both_languages() -> None:
    hint = Hint("transposed", 10, 1, False, "W_K → W_Kᵀ")
    assert describe(hint, "es") == "una matriz traspuesta (W_K → W_Kᵀ)"
    assert describe(hint, "en") == "a matrix transposed (W_K → W_Kᵀ)"
    assert {lang for s in SLIPS for lang in s.words} == {"es", "en"}
    assert len({s.name for s in SLIPS}) == len(SLIPS)


@pytest.mark.parametrize("slip", [s.name for s in SLIPS])
def test_every_slip_names_itself_and_fills_the_group(slip: str) -> None:
    row = next(s for s in SLIPS if s.name == slip)
    truths = tuple(q(t) for t in ("0.2", "0.3", "0.6"))
    candidates = list(row.variants(group("0.2 0.4 0.5", addends_of=parse_printed("1.0"), truths=truths)))
    assert candidates
    assert {c.slip for c in candidates} == {slip}
    assert {len(c.values) for c in candidates} == {3}


def test_the_list_is_open() -> None:
    from symattn.claims.slips import Slip

    own = Slip("sign", {"es": "signo", "en": "sign"}, lambda g: [Candidate("sign", "−", tuple(Rational(-v.rational()) for v in g.right))])  # type: ignore[operator]
    signed = group("-0.2 -0.3", entries=ROW[:2], truths=(q("0.2"), q("0.3")))
    assert explain(signed, (*SLIPS, own)).slip == "sign"
    assert explain(signed).slip != "sign"


def test_a_masked_attention_can_be_searched() -> None:
    from symattn.program.attention import Attention

    program = Attention(mask="causal").program("shifted")
    feeds = {k: v for k, v in FEEDS.items() if program.by_name.get(k)}
    names = {s.name for s in program.inputs}
    assert names == set(feeds)
    entries = ((1, 0), (1, 1))
    true = group("0.3 0.7", "weights", entries)
    masked = Group(true.printed, program, feeds, "weights", entries, RUN)
    values = masked.right
    assert explain(Group(printed(list(values)[::-1], 4), program, feeds, "weights", entries, RUN)).detail == "1 ↔ 2"
    assert [s.name for s in needed(program, "weights")][-1] == "weights"
    assert not is_inner("weights")


def test_the_projects_own_reading_is_the_default() -> None:
    program, _ = attention(scale="S / 1")
    shown = printed(of(program, "P"))
    assert explain(Group(shown, PROGRAM, FEEDS, "P", ROW)) == explain(group(shown))


def test_the_output_that_forgot_a_token() -> None:
    builder = Builder({"token": ("cat", "eats", "fish")})
    builder.give("X", (AxisDecl("token", 3), AxisDecl("model", 2)))
    for name in ("WQ", "WK", "WV"):
        builder.give(name, (AxisDecl("model", 2), AxisDecl("d_k", 2)))
    lines = {"Q": "X @ WQ", "K": "X @ WK", "V": "X @ WV", "T": "Q @ K.T / sqrt(d_k)", "P": "softmax(T)", "O": "P @ V"}
    for name, text in lines.items():
        builder.define(name, text)
    identity, swap = [[1, 0], [0, 1]], [[0, 1], [1, 0]]
    feeds = {"X": [[1, 2], [3, 1], [2, 4]], "WQ": identity, "WK": identity, "WV": swap}
    pair = tuple(parse_printed(t) for t in ("3.997", "2.001"))
    fish = Group(pair, builder.program(), feeds, "O", ((2, 0), (2, 1)))
    hint = explain(fish)
    assert (hint.slip, hint.detail, hint.fitting, hint.chance) == ("left-out", "Σ: − token cat", 1, False)
    assert explain(Group((pair[0], parse_printed("2.002")), fish.program, feeds, "O", fish.entries)).slip == ""
