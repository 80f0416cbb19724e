"""The comparison of two readings: it sees a slip of the last digit, a missing stage, a shape, a NaN, and refuses to compare nothing."""

from __future__ import annotations

import math
from fractions import Fraction as F
from typing import Any

import flint
import ml_dtypes
import numpy as np
import pytest
from mpmath import MPContext

from symattn.errors import InputError
from symattn.interp.agree import Disagreement, disagreements, enclosure, floor_log10
from symattn.interp.tensor import Tensor
from symattn.number.elementary import Elementary
from symattn.number.formats import Special
from symattn.number.precision import flint_bits
from symattn.number.truth import Enclosure, Rational

THIRD = Elementary("exp", F(1, 3))


def stage(*entries: Any, absent: frozenset[int] = frozenset()) -> dict[str, Tensor[Any]]:
    return {"y": Tensor((len(entries),), list(entries), absent)}


def test_every_kind_of_value_has_an_enclosure() -> None:
    assert enclosure(3, 10) == enclosure(F(3), 10) == enclosure(Rational(F(3)), 10) == Enclosure(F(3), F(3))
    assert enclosure(0.5, 10) == enclosure(np.float16(0.5), 10) == enclosure(ml_dtypes.bfloat16(0.5), 10) == Enclosure(F(1, 2), F(1, 2))
    ctx = MPContext()
    assert enclosure(ctx.mpf(-3) / 4, 10) == Enclosure(F(-3, 4), F(-3, 4))
    assert enclosure(ctx.mpf(0), 10) == Enclosure(F(0), F(0))
    with flint_bits(100):
        ball = enclosure(flint.arb(2).sqrt(), 10)
    assert ball is not None
    assert ball.lo**2 < 2 < ball.hi**2
    for bad in (math.nan, math.inf, np.float32("nan"), ml_dtypes.bfloat16("inf"), ctx.nan, ctx.inf, flint.arb("nan"), Special.INF):
        assert enclosure(bad, 10) is None


def test_agreement_and_a_slip_of_the_last_digit() -> None:
    middle = THIRD.enclose(400).lo
    assert disagreements(stage(THIRD), stage(middle), 40) == []
    unit = F(1, 10**39)  # e^(1/3) = 1.39…: its 40th digit stands at 10^-39
    (found,) = disagreements(stage(THIRD), stage(middle + unit), 40)
    assert (found.stage, found.entry, found.why) == ("y", (0,), "differ")
    assert found.first != found.second
    assert found.first[:41] == "1.3956124250860895286281253196025868375979"[:41]
    assert len(disagreements(stage(THIRD), stage(middle + unit / 20), 40)) == 1
    assert disagreements(stage(THIRD), stage(middle + unit / 1000), 40) == []


def test_two_balls() -> None:
    with flint_bits(200):
        a, b = flint.arb(2).exp(), flint.arb(2).exp() + flint.arb(2) ** -180
    assert disagreements(stage(a), stage(b), 40) == []
    with flint_bits(60):
        wide = flint.arb(2).exp()
    assert [d.why for d in disagreements(stage(wide), stage(wide), 40)] == ["undecided"]
    assert disagreements(stage(wide), stage(wide), 12) == []


def test_zeros() -> None:
    with flint_bits(200):
        zero = flint.arb(2).log() * 2 - flint.arb(4).log()
    assert zero.contains(0)
    tiny = MPContext().mpf(10) ** -60
    assert disagreements(stage(zero), stage(tiny), 40) == []
    assert disagreements(stage(F(0)), stage(tiny), 40) == []
    assert [d.why for d in disagreements(stage(F(0)), stage(F(1, 10**30)), 40)] == ["differ"]
    assert [d.why for d in disagreements(stage(F(1, 10**60)), stage(F(2, 10**60)), 40)] == ["differ"]  # neither is 0
    assert disagreements(stage(F(0)), stage(F(0)), 40) == []


def test_what_cannot_be_compared_is_listed() -> None:
    assert [d.why for d in disagreements(stage(math.nan), stage(F(1)), 5)] == ["no number"]
    missing = disagreements(stage(F(1)), {**stage(F(1)), "z": Tensor((), [F(1)])}, 5)
    assert missing == [Disagreement("z", (), "missing", "", "there")]
    (shape,) = disagreements(stage(F(1)), stage(F(1), F(2)), 5)
    assert (shape.why, shape.first, shape.second) == ("differ", "shape (1,)", "shape (2,)")
    assert len(disagreements(stage(F(1), F(0), absent=frozenset({1})), stage(F(1), F(0)), 5)) == 1
    assert disagreements(stage(F(1), F(0), absent=frozenset({1})), stage(F(1), F(7), absent=frozenset({1})), 5) == []
    with pytest.raises(InputError, match="nothing to compare"):
        disagreements({}, {}, 5)
    with pytest.raises(InputError, match="nothing to compare"):
        disagreements(stage(True), stage(True), 5)


def test_floor_log10() -> None:
    for size in (F(1), F(10), F(99), F(1, 10), F(1, 11), F(10**40 - 1), F(1, 10**40 + 1), F(10) ** 3000):
        e = floor_log10(size)
        assert F(10) ** e <= size < F(10) ** (e + 1)
