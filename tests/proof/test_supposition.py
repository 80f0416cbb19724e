"""Equalities under a hypothesis about one stage: proved with it, refused without it, and the hypothesis is said."""

from __future__ import annotations

import pytest

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Definition, Derivation
from symattn.calculus.derivation_file import from_json, to_json
from symattn.calculus.recheck import recheck
from symattn.calculus.setting import Setting
from symattn.errors import DerivationError
from symattn.language.parser import parse
from symattn.proof.evidence import StepRejected
from symattn.proof.kernel import prove_equal
from symattn.proof.rules import supposing

SETTING = Setting([Definition("q", "q(a, d)"), Definition("A", "q.T @ q"), Definition("x", "x(d)")])
TEXTS = ("A @ x", "x", "2 * x", "eye(d)", "A + eye(d)")
LEFT, RIGHT, WRONG, VALUE, LOOP = (SETTING.stage(parse(text)) for text in TEXTS)
PROGRAM = SETTING.program()


def test_the_hypothesis_is_used_and_said():
    with pytest.raises(StepRejected):
        prove_equal(PROGRAM, LEFT, RIGHT)
    assert supposing(PROGRAM, LEFT, RIGHT, "A", VALUE, "A == eye(d)").hypotheses == ("A == eye(d)",)


def test_what_does_not_follow_is_refuted():
    with pytest.raises(StepRejected) as caught:
        supposing(PROGRAM, LEFT, WRONG, "A", VALUE, "A == eye(d)")
    assert caught.value.counterexample is not None


def test_a_value_made_of_the_stage_and_an_idle_supposition_are_refused():
    with pytest.raises(StepRejected, match="itself"):
        supposing(PROGRAM, LEFT, RIGHT, "A", LOOP, "A == A + eye(d)")
    with pytest.raises(StepRejected, match="neither side"):
        supposing(PROGRAM, RIGHT, RIGHT, "A", VALUE, "A == eye(d)")


def chained(hypothesis: str = "A == eye(d)", used: str = "A == eye(d)", after: str = "x") -> Derivation:
    chain = Chain("supposed", "x", "y")
    for definition in SETTING.definitions:
        chain.setting.add(definition)
    chain.suppose(hypothesis)
    chain.start("A @ x")
    chain.step(f"supposing: {used}", after, "por hipótesis", "by hypothesis")
    return chain.done()


def test_a_step_needs_its_hypothesis_and_so_does_its_file():
    text = to_json(chained())
    assert recheck(from_json(text)).right
    dropped = text.replace('"d >= 1",\n    "A == eye(d)"', '"d >= 1"')
    assert dropped != text
    assert [f.step for f in recheck(from_json(dropped)).findings] == [1]


@pytest.mark.parametrize(
    ("hypothesis", "used", "after"),
    [
        ("A == eye(d)", "A == 2 * eye(d)", "2 * x"),  # not a hypothesis
        ("A == eye(d)", "A == eye(d)", "2 * x"),  # does not follow
        ("A @ x == x", "A @ x == x", "x"),  # not about one name
        ("A == eye(d)", "A == eye(d)", "(q.T @ q) @ x"),  # holds without
    ],
)
def test_steps_that_do_not_fit(hypothesis: str, used: str, after: str):
    with pytest.raises((DerivationError, StepRejected)):
        chained(hypothesis, used, after)
