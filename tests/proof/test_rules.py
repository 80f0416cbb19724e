"""Rules beside identities: each applied where it holds, and planted false uses of each refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from helpers import program

from symattn.errors import ProgramError
from symattn.program import ops
from symattn.program.attention import Attention
from symattn.program.ops import AtMost, Contract, Input, Reduce, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Num
from symattn.program.spaces import Axis, Space
from symattn.proof import rules
from symattn.proof.certificate import Certificate, genuine
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.kernel import prove_equal

SPREAD = program(
    {"x": "n", "w": "n", "u": "n"},
    square="mean(x**2)",
    mean_squared="mean(x)**2",
    gap="mean((x - mean(x))**2)",
    not_a_gap="mean((x - mean(x))*x)",
    exp_square="exp(square)",
    exp_mean="exp(mean_squared)",
    neg_square="-square",
    neg_mean="-mean_squared",
    inverse_square="1/(1 + square)",
    inverse_mean="1/(1 + mean_squared)",
    product_square="square * w[0]",
    product_mean="mean_squared * w[0]",
    weighted="w * u**2",
    total="sum(weighted)",
    nothing="0*total",
    nowhere="0*u",
    p="softmax(x)",
)


def said(certificate: Certificate) -> str:
    assert genuine(certificate)
    return certificate.statement.text()


# -- signs ------------------------------------------------------------------------------------------------------------
def test_signs_that_are_seen() -> None:
    assert said(rules.nonnegative(SPREAD, "gap")) == "gap >= 0"
    assert said(rules.nonnegative(SPREAD, "p", strict=True)) == "p > 0"
    found = rules.nonnegative(SPREAD, "weighted", suppose={"w": ">="})
    assert (said(found), found.hypotheses) == ("weighted >= 0", ("w >= 0",))
    given = rules.nonnegative(SPREAD, "total", given=[found])
    assert (said(given), given.hypotheses) == ("total >= 0", ("w >= 0",))


@pytest.mark.parametrize("stage", ["x", "not_a_gap", "neg_square", "weighted"])
def test_signs_that_are_not_seen(stage: str) -> None:
    with pytest.raises(StepRejected, match="is not seen to be nonnegative"):
        rules.nonnegative(SPREAD, stage)


def test_a_square_is_not_positive_and_a_computed_stage_is_not_supposed() -> None:
    with pytest.raises(StepRejected, match="positive"):
        rules.nonnegative(SPREAD, "gap", strict=True)
    with pytest.raises(ProgramError, match="cannot be supposed"):
        rules.nonnegative(SPREAD, "neg_square", suppose={"square": ">="})
    with pytest.raises(ProgramError, match="not a certificate"):
        rules.nonnegative(SPREAD, "neg_square", given=["neg_square >= 0"])  # type: ignore[list-item]


def test_an_empty_row_is_not_positive() -> None:
    n = Space("n", "n")
    i, j = Axis("i", n), Axis("j", n)
    before = (AtMost(j, i, -1),)
    upto = (AtMost(j, i, 0),)
    base = program({"S": "n,n"}, E="exp(S)")
    read = (Use("E", (i, j)),)
    p = Program((*base.stages, Stage("strict", Contract((i,), read, before)), Stage("with_self", Contract((i,), read, upto))))
    assert said(rules.nonnegative(p, "with_self", strict=True)) == "with_self > 0"
    with pytest.raises(StepRejected):
        rules.nonnegative(p, "strict", strict=True)


# -- inequalities -----------------------------------------------------------------------------------------------------
def test_an_inequality_is_an_identity_with_a_visible_gap() -> None:
    assert said(rules.inequality(SPREAD, "square", "mean_squared", "gap")) == "square >= mean_squared"


def test_a_wrong_gap_or_one_that_is_not_visible_is_refused() -> None:
    with pytest.raises(StepRejected, match="counterexample"):
        rules.inequality(SPREAD, "mean_squared", "square", "gap")
    with pytest.raises(StepRejected, match="is not seen to be nonnegative"):
        rules.inequality(SPREAD, "square", "mean_squared", "not_a_gap")
    with pytest.raises(StepRejected, match="is not seen to be positive"):
        rules.inequality(SPREAD, "square", "mean_squared", "gap", strict=True)


@pytest.fixture(scope="module")
def spread() -> Certificate:
    return rules.inequality(SPREAD, "square", "mean_squared", "gap")


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("exp_square", "exp_mean", "exp_square >= exp_mean"),
        ("neg_square", "neg_mean", "neg_square <= neg_mean"),
        ("inverse_square", "inverse_mean", "inverse_square <= inverse_mean"),
    ],
)
def test_monotone_functions_keep_or_turn_an_order(spread: Certificate, left: str, right: str, text: str) -> None:
    assert said(rules.monotone(spread, SPREAD, left, right)) == text


@pytest.mark.parametrize(("left", "right"), [("exp_mean", "exp_square"), ("exp_square", "neg_mean"), ("product_square", "product_mean")])
def test_what_is_not_one_monotone_operation_is_refused(spread: Certificate, left: str, right: str) -> None:
    with pytest.raises(StepRejected):
        rules.monotone(spread, SPREAD, left, right)


def test_a_factor_of_known_sign_lets_an_order_through(spread: Certificate) -> None:
    found = rules.monotone(spread, SPREAD, "product_square", "product_mean", suppose={"w": ">="})
    assert (said(found), found.hypotheses) == ("product_square >= product_mean", ("w >= 0",))


def test_orders_are_chained_turned_and_closed(spread: Certificate) -> None:
    q = program({"x": "n"}, a="sum(x**2)", b="a + 1", c="b + exp(a)", g="0*a + 1", h="exp(a)", d="c")
    ba, cb = rules.inequality(q, "b", "a", "g", strict=True), rules.inequality(q, "c", "b", "h", strict=True)
    assert said(rules.transitive(cb, ba)) == "c > a"
    assert said(rules.transitive(rules.turned(ba), rules.turned(cb))) == "a < c"
    same = prove_equal(q, "d", "c")
    assert said(rules.transitive(same, cb)) == "d > b"
    with pytest.raises(StepRejected, match="does not go on"):
        rules.transitive(ba, cb)
    with pytest.raises(StepRejected, match="point different ways"):
        rules.transitive(cb, rules.turned(cb))
    with pytest.raises(StepRejected, match="do not bound from both sides"):
        rules.antisymmetric(ba, rules.turned(ba))


def test_two_bounds_that_meet_are_an_equality() -> None:
    q = program({"x": "n"}, a="sum(x)**2", b="sum(x)*sum(x)", z="0*a")
    up, down = rules.inequality(q, "a", "b", "z"), rules.inequality(q, "b", "a", "z")
    assert said(rules.antisymmetric(up, down)) == "a == b"
    with pytest.raises(StepRejected):
        rules.antisymmetric(up, up)


def test_equals_may_be_put_for_equals() -> None:
    q = program({"x": "n", "y": "n"}, a="x + y", b="y + x", fa="erf(a) * y", fb="erf(b) * y", fc="erf(b) * x")
    same = prove_equal(q, "a", "b")
    inner = rules.congruent(same, q, "fa.erf", "fb.erf")
    assert said(rules.congruent(inner, q, "fa", "fb")) == "fa == fb"
    with pytest.raises(StepRejected, match="not one operation"):
        rules.congruent(inner, q, "fa", "fc")
    with pytest.raises(StepRejected, match="not one operation"):
        rules.congruent(same, q, "fa", "fb")


# -- exp, log, max ----------------------------------------------------------------------------------------------------
LSE = program(
    {"x": "n", "S": "n,m"},
    top="max(x)",
    along="0*x + top",
    double="0*x + 2*top",
    e="exp(x)",
    etop="exp(top)",
    total="sum(e)",
    part="e[0]",
    lse="log(total)",
    logtop="log(etop)",
    line="1 + x",
    steep="2 + x",
    log_e="log(e)",
    log_line="e - 1",
    tops="max(S)",
    squares="S**2",
    square_tops="tops**2",
    square_sums="sum(squares)",
    minus_top="-top",
    minus="-x",
    minus_total="sum(minus)",
)


def test_the_maximum_of_log_sum_exp_from_below() -> None:
    step = rules.monotone(rules.maximum_counts(LSE, "etop", "total"), LSE, "logtop", "lse")
    assert said(rules.transitive(prove_equal(LSE, "top", "logtop"), step)) == "top <= lse"


def test_entries_are_below_their_maximum() -> None:
    assert said(rules.below_maximum(LSE, "x", "along")) == "x <= along"
    with pytest.raises(StepRejected, match="not seen to be a maximum"):
        rules.below_maximum(LSE, "x", "double")
    with pytest.raises(StepRejected):
        rules.below_maximum(LSE, "along", "x")


def test_a_maximum_counts_only_where_the_whole_sum_has_nonnegative_terms() -> None:
    assert said(rules.maximum_counts(LSE, "square_tops", "square_sums")) == "square_tops <= square_sums"
    for left, right in (("etop", "part"), ("minus_top", "minus_total"), ("square_tops", "tops"), ("etop", "lse")):
        with pytest.raises(StepRejected):
            rules.maximum_counts(LSE, left, right)


def test_a_maximum_over_some_entries_is_not_one_over_others() -> None:
    n = Space("n", "n")
    i, j = Axis("i", n), Axis("j", n)
    p = Program(
        (
            Stage("S", Input((i, j))),
            Stage("causal_max", Reduce((i,), Use("S", (i, j)), (AtMost(j, i, 0),))),
            Stage("right", Contract((i, j), (Use("causal_max", (i,)),))),
            Stage("left", Contract((i, j), (Use("S", (i, j)),))),
            Stage("diagonal", Contract((i,), (Use("S", (i, j)),), (ops.Same(i, j),))),
        )
    )
    with pytest.raises(StepRejected):
        rules.below_maximum(p, "left", "right")
    assert said(rules.below_maximum(p, "diagonal", "causal_max")) == "diagonal <= causal_max"


def test_known_inequalities_suppose_that_both_sides_have_values() -> None:
    q = program({"x": "n"}, u="1/x", e="exp(u)", line="1 + u")
    assert rules.tangent_line(q, "e", "line").hypotheses == ("x != 0",)


def test_the_tangent_line() -> None:
    assert said(rules.tangent_line(LSE, "e", "line")) == "e >= line"
    assert said(rules.tangent_line(LSE, "log_e", "log_line")) == "log_e <= log_line"
    for left, right in (("e", "steep"), ("line", "e"), ("log_e", "line")):
        with pytest.raises(StepRejected):
            rules.tangent_line(LSE, left, right)


# -- sums of nonnegatives ---------------------------------------------------------------------------------------------
def zero_sum() -> tuple[Program, Certificate]:
    q = program({"y": "n"}, u="y - y", sq="exp(y) * u**2", total="sum(sq)", zero="0*total", nowhere="0*y", up="u", other="exp(y)*y")
    return q, prove_equal(q, "total", "zero")


def test_each_of_nonnegative_numbers_with_sum_zero_is_zero() -> None:
    q, total = zero_sum()
    parts = rules.each_is_zero(total, q, "sq", "nowhere")
    assert said(parts) == "sq == nowhere"
    assert said(rules.factor_is_zero(parts, q, "u", "nowhere")) == "u == nowhere"
    with pytest.raises(StepRejected, match="is not the sum of"):
        rules.each_is_zero(total, q, "u", "nowhere")
    with pytest.raises(StepRejected, match="right side is not 0"):
        rules.each_is_zero(total, q, "sq", "other")
    with pytest.raises(StepRejected, match="times what is seen to be positive"):
        rules.factor_is_zero(parts, q, "y", "nowhere")


def test_numbers_of_any_sign_may_cancel() -> None:
    q = program({"y": "n"}, centred="y - mean(y)", total="sum(centred)", zero="0*total", nowhere="0*y")
    with pytest.raises(StepRejected, match="is not seen to be nonnegative"):
        rules.each_is_zero(prove_equal(q, "total", "zero"), q, "centred", "nowhere")


# -- limits -----------------------------------------------------------------------------------------------------------
COLD = program(
    {"t": "", "g": "n", "v": "n"},
    e="exp(-t*g)",
    zero="0*g",
    p="1/(1 + e)",
    unit="0*g + 1",
    rest="-e/(1 + e)",
    wrong="e/(1 + e)",
    grows="exp(t*g)",
    slow="v/t",
    mixed="tanh(t*v)*e",
    moving="0*g + t",
)
POSITIVE = {"g": ">"}


def test_what_vanishes_by_its_form() -> None:
    for stage in ("e", "slow", "mixed"):
        found = rules.tends(COLD, stage, "zero", "t", suppose=POSITIVE)
        assert said(found) == f"{stage} -> zero as t -> oo"
    assert rules.tends(COLD, "e", "zero", "t", suppose=POSITIVE).hypotheses == ("g > 0",)
    assert said(rules.tends(COLD, "p", "unit", "t", rest="rest", suppose=POSITIVE)) == "p -> unit as t -> oo"


def test_limits_that_are_not_there() -> None:
    with pytest.raises(StepRejected, match="not seen to tend to 0"):
        rules.tends(COLD, "e", "zero", "t")
    with pytest.raises(StepRejected, match="not seen to tend to 0"):
        rules.tends(COLD, "grows", "zero", "t", suppose=POSITIVE)
    with pytest.raises(StepRejected, match="counterexample"):
        rules.tends(COLD, "p", "unit", "t", rest="wrong", suppose=POSITIVE)
    with pytest.raises(StepRejected, match="itself depends"):
        rules.tends(COLD, "p", "moving", "t", rest="rest", suppose=POSITIVE)
    with pytest.raises(StepRejected, match="is not 0"):
        rules.tends(COLD, "p", "unit", "t", suppose=POSITIVE)
    with pytest.raises(ProgramError, match="not a number among the inputs"):
        rules.tends(COLD, "e", "zero", "g", suppose=POSITIVE)


def test_between_two_limits_there_is_one() -> None:
    q = program({"t": "", "g": "n"}, e="exp(-t*g)", zero="0*g", mid="e/(1 + e)", gap="e**2/(1 + e)", none="mid")
    below, above = rules.inequality(q, "mid", "zero", "none"), rules.inequality(q, "e", "mid", "gap")
    limit = rules.tends(q, "e", "zero", "t", suppose=POSITIVE)
    found = rules.squeeze(q, "mid", "zero", "t", below=below, above=above, limits=[limit])
    assert (said(found), found.hypotheses) == ("mid -> zero as t -> oo", ("g > 0",))
    with pytest.raises(StepRejected, match="does not bound"):
        rules.squeeze(q, "mid", "zero", "t", below=above, above=below, limits=[limit])
    with pytest.raises(StepRejected, match="not shown to tend"):
        rules.squeeze(q, "mid", "zero", "t", below=below, above=above, limits=[])
    with pytest.raises(StepRejected, match="is not a comparison"):
        rules.transitive(limit)


# -- induction over blocks --------------------------------------------------------------------------------------------
SPEC = program({"s": "n", "v": "n,d"}, m="max(s)", shifted="s - m", e="exp(shifted)", l="sum(e)", o="e @ v")
STATE = {"m_1": "", "m_2": "", "l_1": "", "l_2": "", "o_1": "d", "o_2": "d"}
MERGE = program(STATE, m="max(m_1, m_2)", r="exp(m_1 - m)", q="exp(m_2 - m)", l="r*l_1 + q*l_2", o="r*o_1 + q*o_2")


def test_online_softmax_by_induction_over_blocks() -> None:
    found = rules.induction(SPEC, ("m", "l", "o"), MERGE, "n")
    assert [said(c) for c in found] == [f"merged {s} == {s} of both for every number of blocks" for s in "mlo"]
    assert all(len(c.facts) == 3 for c in found)


@pytest.mark.parametrize(
    "changed",
    [
        {"l": "r*l_1 + l_2"},
        {"o": "r*o_1 + r*o_2"},
        {"m": "m_1"},
        {"q": "exp(m - m_2)"},
    ],
    ids=str,
)
def test_a_merge_that_forgets_something_is_refuted(changed: dict[str, str]) -> None:
    texts = {"m": "max(m_1, m_2)", "r": "exp(m_1 - m)", "q": "exp(m_2 - m)", "l": "r*l_1 + q*l_2", "o": "r*o_1 + q*o_2"} | changed
    with pytest.raises((StepRejected, Undecided)):
        rules.induction(SPEC, ("m", "l", "o"), program(STATE, **texts), "n")


def test_an_induction_needs_blocks_without_positions() -> None:
    with pytest.raises(ProgramError, match="no space"):
        rules.induction(SPEC, ("m",), MERGE, "rows")
    with pytest.raises(ProgramError, match="still runs along the block"):
        rules.induction(SPEC, ("e",), program({"e_1": "n", "e_2": "n"}, e="e_1 + e_2"), "n")
    n = Space("n", "n")
    i, j = Axis("i", n), Axis("j", n)
    ranked = Program((Stage("s", Input((j,))), Stage("l", Contract((), (Use("s", (i,)),), (AtMost(i, j, 0),)))))
    peeking = program({"m_1": "", "m_2": "", "s": "n"}, m="max(s)")
    with pytest.raises(ProgramError, match="of the merge runs along the block"):
        rules.induction(SPEC, ("m",), peeking, "n")
    with pytest.raises(ProgramError, match="positions along the block"):
        rules.induction(ranked, ("l",), program({"l_1": "", "l_2": ""}, l="l_1 + l_2"), "n")


# -- independence and permutations ------------------------------------------------------------------------------------
def test_a_derivative_that_is_zero_means_independence() -> None:
    q = program({"x": "n", "y": "n", "w": "n"}, a="softmax(w) + x - x", b="softmax(w) + y - y", c="softmax(w) + x", d="softmax(w) + y")
    found = rules.zero_derivative(q, "a", "b", "x", "y")
    assert said(found) == "a == b"
    with pytest.raises(StepRejected, match="derivative"):
        rules.zero_derivative(q, "c", "d", "x", "y")
    with pytest.raises(StepRejected, match="is not computed from"):
        rules.zero_derivative(q, "a", "d", "x", "y")


def test_a_domain_that_falls_apart_says_nothing() -> None:
    """x / sqrt(x x) has derivative 0 where it has one, and is not constant."""
    q = program({"x": "n", "y": "n"}, a="x / sqrt(x**2)", b="y / sqrt(y**2)")
    with pytest.raises(StepRejected):
        rules.zero_derivative(q, "a", "b", "x", "y")


def test_attention_follows_a_permutation_of_its_tokens() -> None:
    plain, causal = Attention().program(), Attention(mask="causal").program()
    assert said(rules.equivariant(plain, "output", "token")).startswith("output == output after any permutation of token")
    assert said(rules.equivariant(causal, "output", "model"))
    with pytest.raises(StepRejected, match='"masked" compares positions of "token"'):
        rules.equivariant(causal, "output", "token")
    with pytest.raises(StepRejected, match="reads the positions"):
        rules.equivariant(Attention(rotary="halves").program(), "output", "token")
    with pytest.raises(StepRejected, match="reads the positions"):
        rules.equivariant(Attention(alibi=True, heads=2).program(), "output", "token")
    with pytest.raises(ProgramError, match="no index set"):
        rules.equivariant(plain, "output", "tokens")


def test_fixed_positions_and_blocks_are_seen() -> None:
    q = program({"x": "n"}, first="x[0]", whole="sum(x)")
    assert said(rules.equivariant(q, "whole", "n"))
    with pytest.raises(StepRejected, match="fixed position"):
        rules.equivariant(q, "first", "n")
    online = Attention(inputs="qkv", cross=True).program("online", blocks=("a", "b"))
    with pytest.raises(StepRejected, match="reads a block"):
        rules.equivariant(online, "output", "key")
    assert said(rules.equivariant(online, "output", "block_1"))


# -- sizes ------------------------------------------------------------------------------------------------------------
def test_what_holds_for_all_sizes_holds_at_some() -> None:
    p = Attention(inputs="qkv", cross=True).program("online", blocks=("a", "b"))
    certificate = prove_equal(p, "output", "output")
    sizes = {"n": 2, "d_k": 3, "d_v": 1, "a": 2, "b": 1}
    found = rules.at_sizes(certificate, sizes)
    assert dict(found.evidence.sizes[0]) == sizes
    assert found.evidence.kind == "proved-at-sizes"
    assert {s.size_text() for s in found.statement.program.spaces()} == {"2", "3", "1", "2+1"}
    with pytest.raises(ProgramError, match='the size "b" is None'):
        rules.at_sizes(certificate, {"n": 2, "d_k": 3, "d_v": 1, "a": 2})
    with pytest.raises(ProgramError, match='the size "b" is 0'):
        rules.at_sizes(certificate, sizes | {"b": 0})
    with pytest.raises(StepRejected, match="stated sizes already"):
        rules.at_sizes(found, sizes)


def test_a_size_that_was_supposed_larger_is_refused() -> None:
    q = program({"x": "n"}, left="x[4]*x[0]", right="x[0]*x[4]")
    certificate = prove_equal(q, "left", "right")
    assert certificate.hypotheses == ("n > 4",)
    assert rules.at_sizes(certificate, {"n": 5})
    with pytest.raises(StepRejected, match="said where n > 4, not at n=3"):
        rules.at_sizes(certificate, {"n": 3})


# -- suppositions -----------------------------------------------------------------------------------------------------
def test_what_is_supposed_stands_among_the_hypotheses() -> None:
    q = program({"x": "n", "y": "n"}, a="2*y", left="x*y", right="2*y**2", circular="x + y")
    with pytest.raises(StepRejected, match="counterexample"):
        prove_equal(q, "left", "right")
    found = rules.supposing(q, "left", "right", "x", "a", "x == 2*y")
    assert (said(found), found.hypotheses) == ("left == right", ("x == 2*y",))
    with pytest.raises(StepRejected, match="counterexample"):
        rules.supposing(q, "left", "right", "x", "y", "x == y")
    with pytest.raises(StepRejected, match="is made of"):
        rules.supposing(q, "left", "right", "x", "circular", "x == x + y")
    with pytest.raises(StepRejected, match="neither side"):
        rules.supposing(q, "right", "right", "x", "a", "x == 2*y")
    with pytest.raises(StepRejected, match="does not say what"):
        rules.supposing(q, "left", "right", "x", "a", "1 == 1")


# -- certificates are needed ------------------------------------------------------------------------------------------
def test_rules_start_from_certificates_about_the_same_program(spread: Certificate) -> None:
    with pytest.raises(ProgramError, match="not a certificate"):
        rules.turned("square >= mean_squared")  # type: ignore[arg-type]
    other = program({"x": "n"}, square="sum(x**2)", mean_squared="mean(x)**2", exp_square="exp(square)", exp_mean="exp(mean_squared)")
    with pytest.raises(ProgramError, match="that is another one"):
        rules.monotone(spread, other, "exp_square", "exp_mean")
    twice = Contract((), (Use("square"),), (), Num(Fraction(2)))
    less = Contract((), (Use("mean_squared"),), (), Num(Fraction(2)))
    longer = Program((*SPREAD.stages, Stage("twice", twice), Stage("less", less)))
    assert said(rules.monotone(spread, longer, "twice", "less")) == "twice >= less"
