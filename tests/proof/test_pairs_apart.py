"""The pairs with different indices, written as those before and those after, are all pairs but the diagonal."""

from __future__ import annotations

import pytest

from symattn.calculus.derivation import Definition
from symattn.calculus.setting import Setting
from symattn.language.parser import parse
from symattn.proof.evidence import StepRejected
from symattn.proof.kernel import prove_equal

APART = "(entries(a[i,j], if_atmost(j, i, -1), i=n, j=n) + entries(a[i,j], if_atmost(i, j, -1), i=n, j=n))"
BEFORE = "entries(b[i] * b[j], if_atmost(j, i, -1), i=n, j=n)"
EQUAL = [
    (f"{BEFORE} + {BEFORE}.T", "outer(b, b) - diag(b**2)"),
    (APART, "a - entries(a[i,j], if_same(i, j), i=n, j=n)"),
    (f"sum({APART})", "sum(a) - entries(a[i,i], i=n)"),
]


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_before_and_after(left: str, right: str):
    setting = Setting([Definition("a", "a(n, n)"), Definition("b", "b(n)")])
    sides = setting.sides(parse(left), parse(right))
    assert prove_equal(sides.program, sides.left, sides.right).hypotheses == ()


@pytest.mark.parametrize(("left", "right"), [(APART, "a"), (f"sum({APART})", "sum(a)"), (APART.replace("-1", "0"), "a")])
def test_with_or_without_the_diagonal_is_not_the_same(left: str, right: str):
    setting = Setting([Definition("a", "a(n, n)"), Definition("b", "b(n)")])
    sides = setting.sides(parse(left), parse(right))
    with pytest.raises(StepRejected):
        prove_equal(sides.program, sides.left, sides.right)
