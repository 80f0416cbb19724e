"""Balls: they contain, their digits are proven, whole contractions equal the single steps."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction as F

import mpmath
import pytest
from attentions import attention, functions, small_feeds
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import DomainError, MaskedRowError, UndecidedError
from symattn.interp.ball import MAX_TEXT_DIGITS, Ball, significant
from symattn.interp.balls import TABLE, ball_feeds, batched, bits_for
from symattn.interp.evaluate import evaluate
from symattn.interp.run import run
from symattn.interp.tensor import Tensor
from symattn.number.exact import Exact
from symattn.number.precision import ball_of, flint_bits
from symattn.program.ops import AtMost, Contract, Inject, Input, Joint, Map, Paired, Same, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Power, Unary
from symattn.program.spaces import Axis, Space

A, B, C, D = (Axis(x, Space(x, f"n{x}")) for x in "abcd")
EXACT_ATTENTIONS = [attention(), attention(causal=True), attention(shifted=True), attention(causal=True, shifted=True)]


def inside(ball: Ball, exact: Exact, bits: int = 600) -> bool:
    """Does the ball contain the exact number? Decided with a far sharper enclosure of it."""
    mine, sharp = ball.enclose(0), exact.enclose(bits)
    return mine.lo <= sharp.hi and sharp.lo <= mine.hi


@pytest.mark.parametrize("program", EXACT_ATTENTIONS, ids=["plain", "causal", "shifted", "causal-shifted"])
def test_every_ball_contains_the_exact_value_and_is_narrow(program):
    balls, exact = (evaluate(program, small_feeds(), numbers=n) for n in ("balls", "exact"))
    seen = 0
    for stage in program.stages:
        assert balls[stage.name].absent == exact[stage.name].absent
        for ball, value in zip(balls[stage.name].entries, exact[stage.name].entries, strict=True):
            assert inside(ball, value)
            if value.rational() != 0:
                assert not inside(ball, value * (1 + F(1, 10**29))), "a value wrong in its 30th digit lies outside"
            seen += 1
    assert seen > 50


def test_scalar_functions_agree_with_the_other_engine():
    ev = evaluate(functions(), {"x": ["0.5", "2", "7/3"]}, numbers="balls", digits=40)
    with mpmath.workdps(60):
        x = [mpmath.mpf(1) / 2, mpmath.mpf(2), mpmath.mpf(7) / 3]
        for name in ("exp", "log", "sqrt", "tanh", "cos", "sin", "erf"):
            for ball, point in zip(ev[name].entries, x, strict=True):
                theirs = mpmath.nstr(getattr(mpmath, name)(point), 45, strip_zeros=False)
                assert str(ball)[:38] == theirs[:38], name
        assert str(ev["root"].entries[2])[:38] == mpmath.nstr(x[2] ** (mpmath.mpf(-2) / 3), 45)[:38]


@pytest.mark.parametrize("digits", [1, 5, 50, 300])
def test_asked_digits_are_shown_and_right(digits):
    weights = evaluate(attention(), small_feeds(), numbers="balls", digits=digits)["weights"]
    exact = evaluate(attention(), small_feeds())["weights"]
    for ball, value in zip(weights.entries, exact.entries, strict=True):
        text = str(ball)
        assert len(text.lstrip("0.").replace(".", "")) == digits
        unit = F(1, 10 ** len(text.partition(".")[2]))
        sharp = value.enclose(2000)
        assert abs(sharp.lo - F(text)) <= unit / 2 + F(1, 10**400)


def test_cancellation_raises_the_precision_until_digits_are_there():
    i = Axis("i", Space("i", "n"))
    stages = (
        Stage("x", Input((i,))),
        Stage("e", Map((i,), Unary("exp", Arg("x")), (("x", Use("x", (i,))),))),
        Stage("small", Map((i,), Binary("sub", Arg("e"), Num(F(1))), (("e", Use("e", (i,))),))),
    )
    ev = evaluate(Program(stages), {"x": ["1e-90"]}, numbers="balls", digits=20)
    assert str(ev["small"].entries[0]) == "1.0000000000000000000e-90"
    assert ev["small"].entries[0].proven_digits() >= 20


def test_a_ball_around_zero_stays_undecided_and_says_how_close():
    i = Axis("i", Space("i", "n"))
    stages = (
        Stage("x", Input((i,))),
        Stage("sum", Contract((), (Use("x", (i,)),))),
        Stage("again", Map((), Binary("div", Num(F(1)), Arg("s")), (("s", Use("sum")),))),
    )
    zero = {"x": ["0.1", "0.2", "-0.3"]}
    ball = evaluate(Program(stages[:2]), zero, numbers="balls", digits=30)["sum"][()]
    assert ball.rational() is None
    assert str(ball).startswith("|x| < ")
    assert ball.enclose(0).lo < 0 < ball.enclose(0).hi
    with pytest.raises(UndecidedError, match="digits are not proven"):
        ball.text()
    with pytest.raises(UndecidedError, match=r'stage "again".*division'):
        evaluate(Program(stages), zero, numbers="balls", digits=30)
    with pytest.raises(DomainError, match=r'stage "again".*division by zero'):
        evaluate(Program(stages), {"x": [1, 2, -3]}, numbers="balls", digits=30)


@pytest.mark.parametrize(
    ("tree", "x", "error"),
    [
        (Unary("log", Arg("x")), 0, DomainError),
        (Unary("log", Arg("x")), -1, DomainError),
        (Unary("sqrt", Arg("x")), -1, DomainError),
        (Power(Arg("x"), F(1, 2)), -1, DomainError),
        (Power(Arg("x"), F(-1)), 0, DomainError),
        (Power(Arg("x"), F(-1, 3)), 0, DomainError),
    ],
)
def test_domains(tree, x, error):
    program = Program((Stage("x", Input(())), Stage("y", Map((), tree, (("x", Use("x")),)))))
    with pytest.raises(error, match='stage "y" at its only entry'):
        evaluate(program, {"x": x}, numbers="balls")


def test_powers():
    def power(x: object, q: F) -> str:
        program = Program((Stage("x", Input(())), Stage("y", Map((), Power(Arg("x"), q), (("x", Use("x")),)))))
        return str(evaluate(program, {"x": x}, numbers="balls", digits=12)["y"][()])

    assert power(-8, F(1, 3)) == "-2.00000000000"
    assert power(-8, F(2, 3)) == "4.00000000000"
    assert power(2, F(1, 2)) == "1.41421356237"
    assert power("0.5", F(-3)) == "8.00000000000"
    assert power(0, F(1, 2)) == "0"


# -- whole contractions against single steps ----------------------------------------------------------------------------
PLAIN = replace(TABLE, contract=None)


def filled(*shape: int, seed: int = 1) -> Tensor[F]:
    count = math.prod(shape)
    return Tensor(shape, [F((k * 7919 + seed * 104729) % 2003 - 1000, 100) for k in range(count)])


SHAPES = {"na": 2, "nb": 3, "nc": 4, "nd": 5}
HEAD = Space("head", "h")
CHANNEL = Space("channel", factors=(HEAD, Space("value", 3)))
HH, VV, JOINT = Axis("h", HEAD), Axis("v", CHANNEL.factors[1]), Axis("j", CHANNEL)
CONTRACTIONS = [
    ("matrix", Contract((A, C), (Use("x", (A, B)), Use("y", (B, C)))), (A, B), (B, C)),
    ("transposed", Contract((C, A), (Use("x", (A, B)), Use("y", (B, C)))), (A, B), (B, C)),
    ("batch", Contract((C, A, D), (Use("x", (A, B, C)), Use("y", (C, B, D)))), (A, B, C), (C, B, D)),
    ("two sums", Contract((A, D), (Use("x", (A, B, C)), Use("y", (C, D, B)))), (A, B, C), (C, D, B)),
    ("sum in one only", Contract((A,), (Use("x", (A, B)), Use("y", (C,)))), (A, B), (C,)),
    ("broadcast", Contract((A, D, C), (Use("x", (A, B)), Use("y", (B, C))), over=(D,)), (A, B), (B, C)),
    ("factor", Contract((A, C), (Use("x", (A, B)), Use("y", (B, C))), over=(D,)), (A, B), (B, C)),
    ("to a number", Contract((), (Use("x", (A, B)), Use("y", (A, B)))), (A, B), (A, B)),
    ("diagonal", Contract((A,), (Use("x", (A, A)), Use("y", (A, B)))), (A, A), (A, B)),
    ("coefficient", Contract((A, C), (Use("x", (A, B)), Use("y", (B, C))), coef=Num(F(1, 3))), (A, B), (B, C)),
    ("selected", Contract((A, C), (Use("x", (A, B)), Use("y", (B, C))), where=(AtMost(C, A, 0),)), (A, B), (B, C)),
    ("equal", Contract((A, C), (Use("x", (A, B)), Use("y", (B, C))), where=(Same(A, C),)), (A, B), (B, C)),
    ("joint", Contract((HH,), (Use("x", (Joint(CHANNEL, (HH, VV)),)), Use("y", (HH, VV)))), (JOINT,), (HH, VV)),
]


@pytest.mark.parametrize(("name", "op", "left", "right"), CONTRACTIONS, ids=[c[0] for c in CONTRACTIONS])
def test_batched_products_equal_single_steps(name, op, left, right):
    renamed = [tuple(Axis(f"{a.name}{k}", a.space) for k, a in enumerate(axes)) for axes in (left, right)]
    program = Program((Stage("x", Input(renamed[0])), Stage("y", Input(renamed[1])), Stage("z", op)))
    sizes = {**SHAPES, "h": 2}
    feeds = {n: filled(*(a.space.extent(sizes) for a in axes), seed=k) for k, (n, axes) in enumerate((("x", left), ("y", right)))}
    used = []

    def watched(site):
        used.append(batched(site))
        return used[-1]

    with flint_bits(200):
        whole = run(program, ball_feeds(feeds), replace(TABLE, contract=watched), {k: sizes[k] for k in ("nd",)})["z"]
        steps = run(program, ball_feeds(feeds), PLAIN, {k: sizes[k] for k in ("nd",)})["z"]
    exact = evaluate(program, feeds, sizes={"nd": sizes["nd"]})["z"]
    assert used[-1] is not None, "the batched code was not used"
    assert whole.shape == steps.shape == exact.shape
    for a, b, value in zip(whole.entries, steps.entries, exact.entries, strict=True):
        assert holds(a, value.rational())
        assert holds(b, value.rational())
        assert not holds(a, value.rational() + F(1, 10**40)), "the ball is narrow"


def holds(ball: arb, value: F) -> bool:
    """Is the rational number in the ball? (flint would round it to the precision of the moment first.)"""
    enclosure = Ball(ball).enclose(0)
    return enclosure.lo <= value <= enclosure.hi


def test_batched_code_leaves_bound_sums_to_the_single_steps():
    bound = Contract((A, C), (Use("x", (A, B)), Use("y", (B, C))), where=(AtMost(B, A, 0),))
    program = Program((Stage("x", Input((A, B))), Stage("y", Input((B, C))), Stage("z", bound)))
    answers = []

    def watched(site):
        answers.append(batched(site))
        return answers[-1]

    feeds = {"x": filled(2, 3), "y": filled(3, 4, seed=2)}
    with flint_bits(100):
        z = run(program, ball_feeds(feeds), replace(TABLE, contract=watched))["z"]
    assert answers == [None]
    for ball, value in zip(z.entries, evaluate(program, feeds)["z"].entries, strict=True):
        assert holds(ball, value.rational())


def test_a_batched_empty_row_is_still_an_error():
    op = Contract((A, C), (Use("x", (A, B)), Use("y", (B, C))), where=(AtMost(A, C, -1),), must_visit=True)
    program = Program((Stage("x", Input((A, B))), Stage("y", Input((B, C))), Stage("z", op)))
    with pytest.raises(MaskedRowError, match='stage "z": nothing is allowed at a=0, c=0'):
        evaluate(program, {"x": filled(2, 3), "y": filled(3, 4)}, numbers="balls")


# -- text ---------------------------------------------------------------------------------------------------------------
def half_up(x: F, digits: int) -> str:
    """The oracle: significant digits of a rational, by integers."""
    sign, x = ("-" if x < 0 else ""), abs(x)
    power = 0
    while x >= 10:
        x, power = x / 10, power + 1
    while x < 1:
        x, power = x * 10, power - 1
    whole = (2 * x * 10 ** (digits - 1) + 1) // 2
    if whole == 10**digits:
        whole, power = whole // 10, power + 1
    return f"{sign}{str(whole).rstrip('0')}@{power}"


def canonical(text: str) -> str:
    sign, bare = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, power = bare.partition("e")
    whole, _, places = mantissa.partition(".")
    digits = (whole + places).lstrip("0")
    lead = len(whole) - 1 if whole.strip("0") else -(len(places) - len(places.lstrip("0"))) - 1
    return f"{sign}{digits.rstrip('0')}@{lead + int(power or 0)}"


@given(st.fractions(max_denominator=10**9), st.integers(-40, 40), st.integers(1, 25))
@settings(max_examples=300, deadline=None)
def test_texts_are_the_correct_rounding(x, power, digits):
    x *= F(10) ** power
    if x == 0:
        return
    with flint_bits(300):
        text = significant(ball_of(x), digits)
    if text is None:  # only where the ball's ends round differently: x is a tie at these digits
        assert half_up(x * (1 + F(1, 10**60)), digits) != half_up(x * (1 - F(1, 10**60)), digits)
    else:
        assert canonical(text) == half_up(x, digits)
        assert canonical(text) != half_up(x * (1 + F(11, 10**digits)), digits), "another number has another text"


@pytest.mark.parametrize(
    ("x", "digits", "text"),
    [
        (F(1), 5, "1.0000"),
        (F(999999), 3, "1000000"),
        (F(9996, 10), 3, "1000"),
        (F(1, 3), 4, "0.3333"),
        (F(-2, 3) / 10**5, 3, "-0.00000667"),
        (F(2, 3) / 10**8, 3, "6.67e-9"),
        (F(10) ** 30 * 2 / 3, 4, "6.667e29"),
        (F(5, 8), 2, None),
        (F(625, 1000), 3, "0.625"),
    ],
)
def test_texts(x, digits, text):
    with flint_bits(200):
        ball = ball_of(x) + arb(0, 2**-180) * ball_of(x)
        assert significant(ball, digits) == text


def test_points_are_rational_and_wide_balls_show_fewer_digits():
    assert Ball(arb(3) / 4).rational() == F(3, 4)
    assert Ball(arb(1) / 3).rational() is None
    assert str(Ball(arb("0.123456 +/- 1e-4"))) in ("0.123", "0.12")
    assert str(Ball(arb("0.1235 +/- 1e-3"), digits=30)) == "0.12"
    assert str(Ball(arb("nan"))) == "undecided"
    assert repr(Ball(arb(0))) == "Ball(0)"
    with pytest.raises(UndecidedError, match="20 digits are not proven"):
        Ball(arb("0.1235 +/- 1e-3")).text(20)


def test_long_texts_never_meet_pythons_digit_limit():
    with flint_bits(bits_for(MAX_TEXT_DIGITS + 500)):
        ball = Ball(arb(2).sqrt())
    assert len(str(ball)) == MAX_TEXT_DIGITS + 1
    assert str(Ball(arb(10) ** 5000)).startswith("1")
    assert "e" in str(Ball(arb(3) ** 20_000))


def test_a_fixed_precision_is_kept():
    ev = evaluate(attention(), small_feeds(), numbers="balls", bits=64)
    accuracy = [x.ball.rel_accuracy_bits() for x in ev["output"].entries]
    assert all(40 < a <= 64 for a in accuracy)


def test_blocks_are_joined():
    past, new = Space("past", 1), Space("new", 2)
    key = Space("key", blocks=(past, new))
    q = Axis("q", new)
    program = Program(
        (Stage("x", Input((Axis("j", key),))), Stage("tail", Map((q,), Arg("x"), (("x", Use("x", (Inject(key, "new", q),))),))))
    )
    assert [str(x) for x in evaluate(program, {"x": [1, 2, 3]}, numbers="balls", digits=3)["tail"].entries] == ["2.00", "3.00"]


def test_paired_axes_split():
    split = Contract((HH, VV), (Use("x", (JOINT,)),), where=(Paired(JOINT, (HH, VV)),))
    program = Program((Stage("x", Input((JOINT,))), Stage("s", split)))
    rows = evaluate(program, {"x": [1, 2, 3, 4, 5, 6]}, numbers="balls", digits=1)["s"].rows()
    assert [[str(x) for x in row] for row in rows] == [["1", "2", "3"], ["4", "5", "6"]]
