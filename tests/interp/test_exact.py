"""The exact reading of whole attentions."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from attentions import attention

from symattn.errors import DomainError, MaskedRowError, UnsupportedError
from symattn.interp.evaluate import evaluate
from symattn.number.exact import Exact
from symattn.number.truth import Truth
from symattn.program.ops import AtMost, Contract, Input, Map, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Unary
from symattn.program.spaces import Axis, Space

FEEDS = {
    "Q": [["1.5", "-0.25"], ["0.5", "2"], ["-1", "1/3"]],
    "K": [["2", "1"], ["0", "-1.75"], ["0.1", "0.2"]],
    "V": [["10", "1"], ["20", "-1"], ["30", "0.5"]],
}


def test_weights_of_a_row_sum_to_one_and_scores_hold_the_root():
    ev = evaluate(attention(), FEEDS)
    assert ev["scaled"][0, 0].closed_form().text == "1.375*sqrt(2)"
    for row in ev["weights"].rows():
        assert (row[0] + row[1] + row[2]).rational() == 1
        assert (row[0] + row[1]).rational() is None
    assert ev.sizes == {"n": 3, "m": 3, "d": 2, "c": 2}


def test_shifting_by_the_row_maximum_changes_no_weight():
    plain, shifted = evaluate(attention(), FEEDS), evaluate(attention(shifted=True), FEEDS)
    for a, b in zip(plain["output"].entries, shifted["output"].entries, strict=True):
        assert a.equals(b) is Truth.YES
        assert dict(a.terms) == dict(b.terms)
    assert plain["exponentials"][0, 0] != shifted["exponentials"][0, 0]


def test_a_causal_row_has_only_its_past():
    ev = evaluate(attention(causal=True), FEEDS)
    assert ev["weights"][0].entries[0].rational() == 1
    assert ev["weights"].absent == {1, 2, 5}
    assert ev["output"][0, 0].rational() == 10
    e = Exact.of(1).exp()
    assert ev["output"][1, 0].equals(20) is Truth.NO
    assert isinstance(e, Exact)


def test_the_integer_in_disguise_of_a_printed_vector():
    """Two equal scores: the mean of two values is rational whatever the exponentials are."""
    feeds = {"Q": [["0.3", "1"]], "K": [["2", "1"], ["2", "1"]], "V": [["1", "3"], ["2", "5"]]}
    output = evaluate(attention(), feeds)["output"]
    assert [x.rational() for x in output.entries] == [F(3, 2), 4]
    assert output.entries[1].closed_form().text == "4"


def test_log_domain_weights_are_the_same_fractions():
    seq = Space("seq", "n")
    i = Axis("i", seq)
    s = Stage("s", Input((i,)))
    stages = (
        s,
        Stage("e", Map((i,), Unary("exp", Arg("s")), (("s", Use("s", (i,))),))),
        Stage("z", Contract((), (Use("e", (i,)),))),
        Stage("lse", Map((), Unary("log", Arg("z")), (("z", Use("z")),))),
        Stage("w", Map((i,), Unary("exp", Binary("sub", Arg("s"), Arg("lse"))), (("s", Use("s", (i,))), ("lse", Use("lse"))))),
        Stage("v", Map((i,), Binary("div", Arg("e"), Arg("z")), (("e", Use("e", (i,))), ("z", Use("z"))))),
        Stage("difference", Map((i,), Binary("sub", Arg("w"), Arg("v")), (("w", Use("w", (i,))), ("v", Use("v", (i,)))))),
    )
    ev = evaluate(Program(stages), {"s": ["0.5", "-1", "2", "1/3"]})
    assert [x.rational() for x in ev["difference"].entries] == [0, 0, 0, 0]


def test_a_hole_names_the_stage_the_entry_and_the_reason():
    seq = Space("seq", 2, labels=("el", "perro"))
    i = Axis("token", seq)
    program = Program((Stage("x", Input((i,))), Stage("angle", Map((i,), Unary("cos", Arg("x")), (("x", Use("x", (i,))),)))))
    assert [x.rational() for x in evaluate(program, {"x": [0, 0]})["angle"].entries] == [1, 1]
    with pytest.raises(UnsupportedError, match=r'stage "angle" at token=1 \("perro"\): cos of a number that is not 0'):
        evaluate(program, {"x": [0, 1]})


def test_a_fully_masked_row_is_an_error_with_the_row():
    seq = Space("seq", "n")
    i, j = Axis("query", seq), Axis("key", seq)
    program = Program(
        (Stage("S", Input((i, j))), Stage("Z", Contract((i,), (Use("S", (i, j)),), where=(AtMost(j, i, -1),), must_visit=True)))
    )
    with pytest.raises(MaskedRowError, match='stage "Z": nothing is allowed at query=0'):
        evaluate(program, {"S": [[1, 2], [3, 4]]})


def test_division_by_a_proven_zero_names_the_entry():
    seq = Space("seq", "n")
    i = Axis("i", seq)
    program = Program((Stage("x", Input((i,))), Stage("y", Map((i,), Binary("div", Num(F(1)), Arg("x")), (("x", Use("x", (i,))),)))))
    with pytest.raises(DomainError, match='stage "y" at i=1: division by zero'):
        evaluate(program, {"x": [1, 0]})


@pytest.mark.parametrize("numbers", ["balls", "multiprec", "float64", "symbolic"])
def test_exact_numbers_are_taken_by_every_reading(numbers):
    root = Exact.of(2).sqrt()
    feeds = {"Q": [[root, 1]], "K": [[1, 2], ["0.5", root]], "V": [[10], [Exact.of(1).exp()]]}
    exact = evaluate(attention(), feeds)["output"][0, 0]
    other = evaluate(attention(), feeds, numbers=numbers)["output"][0, 0]
    assert abs(float(other) - float(exact)) < 1e-12
    wrong = evaluate(attention(), {**feeds, "V": [[10], [root]]}, numbers=numbers)["output"][0, 0]
    assert abs(float(wrong) - float(exact)) > 1e-3
