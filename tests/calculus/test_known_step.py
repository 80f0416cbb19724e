"""A step may be a comparison that was reached before, as it stands or turned round, and no other."""

from __future__ import annotations

import pytest

from symattn.calculus.chain import Chain
from symattn.proof.evidence import StepRejected


def chained(before: str, after: str, sign: str) -> None:
    chain = Chain("known", "x", "y")
    chain.given("x", "n")
    chain.define("E", "exp(x)")
    chain.define("H", "1 + x")
    chain.start("E")
    chain.step("definition: E", "exp(x)", "a", "b")
    chain.step("tangent line", "1 + x", "a", "b")
    chain.step("definition: H", "H", "a", "b")
    chain.start(before)
    chain.step("known: part 1", after, "a", "b")
    assert chain.done().statement.endswith(f"{before} {sign} {after}")


def test_a_comparison_and_the_same_turned_round():
    chained("E", "H", ">=")
    chained("H", "E", "<=")


@pytest.mark.parametrize(("before", "after"), [("E", "x"), ("x", "E"), ("H", "x")])
def test_another_comparison_is_refused(before: str, after: str):
    with pytest.raises(StepRejected):
        chained(before, after, "<=")
