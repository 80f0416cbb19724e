"""Fixed positions: there only where the set is large enough, which a certificate says."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from symattn.program.ops import At, AtMost, Contract, Input, Map, Same, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Num
from symattn.program.spaces import Axis, Space
from symattn.proof.evidence import StepRejected
from symattn.proof.kernel import prove_equal

N, ONE_ENTRY = Space("n", "n"), Space("one", 1)
ROW, COLUMN, HERE = Axis("i", N), Axis("j", N), Axis("here", ONE_ENTRY)
X, ONE = Stage("x", Input((ROW,))), Stage("one", Map((), Num(F(1))))
UNION = Space("all", blocks=(Space("past", "a"), Space("new", "b")))
PLACE = Axis("p", UNION)


def at(k: int, axis: Axis = ROW) -> tuple[AtMost, AtMost]:
    """The axis stands at position k: opposite orders against an axis with one entry."""
    return AtMost(axis, HERE, k), AtMost(HERE, axis, -k)


@pytest.mark.parametrize("k", [0, 1, 3, 20])
def test_what_stands_at_a_position_is_the_entry_there(k: int) -> None:
    left = Stage("left", Contract((), (Use("x", (ROW,)),), at(k)))
    right = Stage("right", Contract((), (Use("x", (At(N, k),)),)))
    found = prove_equal(Program((X, left, right)), "left", "right")
    assert found.hypotheses == ((f"n > {k}",) if k else ())


def test_a_position_is_counted_once_where_it_is_there() -> None:
    """One entry of the identity's column k is 1: for sizes above k only."""
    identity = Stage("e", Contract((ROW, COLUMN), (), (Same(ROW, COLUMN),)))
    for k in (0, 2):
        left = Stage("left", Contract((), (Use("e", (ROW, At(N, k))),)))
        found = prove_equal(Program((X, identity, left, ONE)), "left", "one")
        assert found.hypotheses == ((f"n > {k}",) if k else ())


def test_a_position_that_may_not_be_there_is_not_counted_for_all_sizes() -> None:
    left = Stage("left", Contract((), (), at(2)))
    with pytest.raises(StepRejected, match="n=1: 0 against 1"):
        prove_equal(Program((X, left, ONE)), "left", "one")
    left = Stage("left", Contract((), (), at(1)))
    assert prove_equal(Program((X, left, ONE)), "left", "one").hypotheses == ("n > 1",)


def test_the_first_position_of_a_union_of_any_sizes() -> None:
    y = Stage("y", Input((PLACE,)))
    left = Stage("left", Contract((), (Use("y", (PLACE,)),), at(0, PLACE)))
    right = Stage("right", Contract((), (Use("y", (At(UNION, 0),)),)))
    assert prove_equal(Program((y, left, right)), "left", "right").hypotheses == ()


def test_another_position_is_another_entry() -> None:
    left = Stage("left", Contract((), (Use("x", (ROW,)),), at(1)))
    right = Stage("right", Contract((), (Use("x", (At(N, 2),)),)))
    with pytest.raises(StepRejected, match="counterexample n=3"):
        prove_equal(Program((X, left, right)), "left", "right")


def test_a_position_beyond_a_known_size_is_nowhere() -> None:
    row = Axis("i", Space("two", 2))
    x, zero = Stage("x", Input((row,))), Stage("zero", Map((), Num(F(0))))
    left = Stage("left", Contract((), (Use("x", (row,)),), at(2, row)))
    assert prove_equal(Program((x, left, zero)), "left", "zero").hypotheses == ()
    near = Stage("near", Contract((), (Use("x", (row,)),), at(1, row)))
    with pytest.raises(StepRejected):
        prove_equal(Program((x, near, zero)), "near", "zero")
