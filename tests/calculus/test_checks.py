"""A gradient checked at the numbers of a point."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest
from gradient_cases import CASES, TEXTS, language

from symattn.calculus.checks import check_at
from symattn.calculus.reverse import reverse
from symattn.errors import UnsupportedError
from symattn.program.ops import Contract
from symattn.program.program import Program, Stage
from symattn.program.scalar import Num
from symattn.proof.evidence import StepRejected

X: dict[str, Any] = {"X": [["0.5", 1], [2, "-1/3"]], "W_Q": [[1], [2]], "W_K": [["1/2"], [1]], "W_V": [[3], [1]], "dO": [[1], [-2]]}


def test_a_right_gradient_by_inputs_and_by_computed_stages() -> None:
    gradient = reverse(CASES["plain: causal"].program(), "output", ["X", "W_Q", "scores", "masked", "weights", "output"])
    found = check_at(gradient, X, directions=3)
    assert found.kind == "sampled"
    assert found.points == 3
    assert dict(found.sizes[0])["n"] == 2


def test_a_number_needs_no_upstream() -> None:
    gradient = reverse(language({"x": ("n",)}, y="sum(x * x)"), "y", ["x"])
    assert check_at(gradient, {"x": [1, "2/3"]}).points == 2


def test_a_wrong_gradient_is_rejected_with_its_numbers() -> None:
    gradient = reverse(CASES["plain: causal"].program(), "output", ["W_V", "W_Q"])
    stages = []
    for stage in gradient.program.stages:
        op = stage.op
        if stage.name == "dS" and isinstance(op, Contract):
            op = replace(op, coef=Num(F(2)))
        stages.append(Stage(stage.name, op, stage.letter))
    wrong = replace(gradient, program=Program(tuple(stages), gradient.program.output))
    with pytest.raises(StepRejected, match='"dW_Q" is not the gradient by "W_Q": counterexample n=2'):
        check_at(wrong, X)


def test_what_is_no_exact_number_is_said() -> None:
    program, of, wrt = TEXTS["angles"]
    with pytest.raises(UnsupportedError, match="leaves the exact numbers"):
        check_at(reverse(program, of, list(wrt)), {"x": [1, 2], "dy": [1, 1]})
