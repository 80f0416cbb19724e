"""From a comparison to the sign of its difference, and what the rule refuses."""

from __future__ import annotations

import pytest

from symattn.calculus.derivation import Definition
from symattn.calculus.setting import Setting
from symattn.language.parser import parse
from symattn.proof.evidence import StepRejected
from symattn.proof.kernel import prove_equal
from symattn.proof.rules import difference, tangent_line, turned

SETTING = Setting([Definition("x", "x(n)")])
TEXTS = ("exp(x)", "1 + x", "exp(x) - 1 - x", "1 + x - exp(x)", "x + 1")
EXP, LINE, GAP, TURNED_GAP, SAME = (SETTING.stage(parse(text)) for text in TEXTS)
PROGRAM = SETTING.program()
ABOVE = tangent_line(PROGRAM, EXP, LINE)


@pytest.mark.parametrize("known", [ABOVE, turned(ABOVE)])
def test_the_difference_of_a_comparison_has_a_sign(known):
    found = difference(known, PROGRAM, GAP).statement
    assert (found.left, found.relation, found.right) == (GAP, ">=", "0")


@pytest.mark.parametrize("stage", [TURNED_GAP, EXP, LINE])
def test_another_stage_is_not_the_difference(stage):
    with pytest.raises(StepRejected) as caught:
        difference(ABOVE, PROGRAM, stage)
    assert caught.value.counterexample is not None


def test_an_equality_and_a_sign_are_no_comparisons():
    for known in (prove_equal(PROGRAM, LINE, SAME), difference(ABOVE, PROGRAM, GAP)):
        with pytest.raises(StepRejected):
            difference(known, PROGRAM, GAP)
