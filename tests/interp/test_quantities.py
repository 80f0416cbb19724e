"""Quantities: exact where possible, enclosed elsewhere, computed when asked for."""

from __future__ import annotations

from fractions import Fraction as F

import mpmath
import pytest
from attentions import attention, small_feeds, soft_cap
from attentions import vector as as_vector

from symattn.errors import DomainError, InputError, MaskedRowError, ProgramError, ShapeError, UndecidedError
from symattn.interp import quantities as module
from symattn.interp.balls import BallRuns
from symattn.interp.quantities import BallQuantity, quantities
from symattn.number.decimal import digits_text, significant_text
from symattn.number.exact import Exact
from symattn.number.precision import flint_bits
from symattn.number.truth import compare
from symattn.program.ops import AtMost, Contract, Input, Map, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Unary
from symattn.program.spaces import Axis, Space

SEQ = Space("seq", "n")
II, JJ = Axis("i", SEQ), Axis("j", SEQ)


def chain(*trees: object) -> Program:
    """x, then one map after another on it: s1, s2, …"""
    stages = [Stage("x", Input((II,)))]
    for k, tree in enumerate(trees, start=1):
        stages.append(Stage(f"s{k}", Map((II,), tree, (("y", Use(stages[-1].name, (II,))),))))
    return Program(tuple(stages))


def test_exact_where_the_exact_reading_reaches():
    q = quantities(attention(), small_feeds())
    assert q.is_exact("output")
    assert q.why_enclosed("output") == ""
    assert q.shape("weights") == (3, 3)
    x = q.of("weights", (0, 1))
    assert isinstance(x, Exact)
    assert x.closed_form().brief
    assert sum((q.of("weights", (0, j)) for j in (1, 2)), q.of("weights", (0, 0))).rational() == 1
    assert q.tensor("weights").entries[1] is x


def test_beyond_it_balls_with_as_many_digits_as_asked():
    q = quantities(soft_cap(), {"x": as_vector(["0.5", "-3", "12"])})
    assert q.is_exact("capped")
    assert not q.is_exact("grown")
    assert q.why_enclosed("grown") == 'stage "grown" at feature=0: an exponential of an exponential leaves the exact numbers'
    x = q.of("grown", (2,))
    assert isinstance(x, BallQuantity)
    assert x.rational() is None
    with mpmath.workdps(130):
        theirs = mpmath.nstr(mpmath.exp(5 * mpmath.tanh(mpmath.mpf(12) / 5)), 115)
    assert significant_text(x, 100)[:99] == theirs[:99]
    assert compare(x, Exact.of("137")) == (1 if float(theirs) > 137 else -1)
    assert q.of("grown", (2,)) is x


def test_relative_width_shrinks_with_the_bits():
    q = quantities(chain(Unary("cos", Arg("y")), Binary("sub", Num(F(1)), Arg("y"))), {"x": ["1e-40"]})
    x = q.of("s2", (0,))
    for bits in (10, 53, 200, 1000):
        enclosure = x.enclose(bits)
        assert enclosure.lo > 0
        assert enclosure.width() <= enclosure.lo / 2 ** (bits - 2)
        assert enclosure.lo <= F(1, 2 * 10**80) <= enclosure.hi * (1 + F(1, 10**79))


def test_a_planted_ball_that_does_not_contain_is_seen(monkeypatch):
    honest = BallRuns.entry

    def shifted(self, stage, flat, bits):
        with flint_bits(bits):
            return honest(self, stage, flat, bits) * (1 + 2**-40)

    monkeypatch.setattr(BallRuns, "entry", shifted)
    x = quantities(chain(Unary("cos", Arg("y"))), {"x": [1]}).of("s1", (0,))
    with mpmath.workdps(60):
        man, exp = mpmath.mpf(mpmath.cos(1)).man_exp
    theirs = F(int(man)) * F(2) ** int(exp)
    assert not x.enclose(100).lo <= theirs <= x.enclose(100).hi
    monkeypatch.undo()
    x = quantities(chain(Unary("cos", Arg("y"))), {"x": [1]}).of("s1", (0,))
    assert x.enclose(100).lo <= theirs <= x.enclose(100).hi


def test_only_what_is_asked_for_is_computed(monkeypatch):
    computed = []
    honest = module.Runner._compute
    monkeypatch.setattr(module.Runner, "_compute", lambda self, stage: computed.append(stage.name) or honest(self, stage))
    q = quantities(attention(), small_feeds())
    assert computed == []
    q.shape("output")
    assert computed == []
    q.of("scores", (0, 0))
    assert computed == ["Q", "K", "scores"]
    q.of("output", (0, 0))
    q.of("output", (1, 0))
    assert computed.count("scores") == 1
    assert computed.count("output") == 1


def test_a_stage_that_is_only_enclosed_does_not_spoil_others():
    program = Program(
        (
            *chain(Unary("sin", Arg("y")), Unary("exp", Arg("y"))).stages,
            Stage("aside", Map((II,), Unary("exp", Arg("x")), (("x", Use("x", (II,))),))),
        )
    )
    q = quantities(program, {"x": [0, 1]})
    assert not q.is_exact("s1")
    assert not q.is_exact("s2")
    assert isinstance(q.of("aside", (1,)), Exact)
    assert q.of("s1", (0,)).enclose(30).width() == 0
    assert q.of("s1", (0,)).rational() == 0
    assert digits_text(q.of("s2", (1,)), 8) == "2.31977682"


def test_masks_are_kept_in_enclosed_stages():
    causal = (AtMost(JJ, II, 0),)
    program = Program(
        (Stage("S", Input((II, JJ))), Stage("C", Map((II, JJ), Unary("cos", Arg("s")), (("s", Use("S", (II, JJ))),), causal)))
    )
    tensor = quantities(program, {"S": [[1, 2], [3, 4]]}).tensor("C")
    assert tensor.absent == {1}
    assert tensor.entries[1].enclose(20).hi == 0


def test_a_number_that_may_be_zero_comes_back_as_a_tight_interval():
    program = Program(
        (
            *chain(Unary("cos", Arg("y"))).stages,
            Stage("none", Map((II,), Binary("sub", Arg("a"), Arg("b")), (("a", Use("s1", (II,))), ("b", Use("s1", (II,)))))),
        )
    )
    x = quantities(program, {"x": [1]}).of("none", (0,))
    enclosure = x.enclose(64)
    assert enclosure.lo <= 0 <= enclosure.hi
    assert enclosure.width() < F(1, 2**200)
    with pytest.raises(UndecidedError):
        significant_text(x, 10)


def test_what_has_no_value_is_an_error_when_asked_for_and_not_before():
    q = quantities(chain(Binary("div", Num(F(1)), Arg("y"))), {"x": [1, 0]})
    assert q.of("x", (1,)).rational() == 0
    with pytest.raises(DomainError, match='stage "s1" at i=1: division by zero'):
        q.of("s1", (0,))
    hidden = quantities(chain(Unary("cos", Arg("y")), Binary("sub", Arg("y"), Arg("y")), Binary("div", Num(F(1)), Arg("y"))), {"x": [1]})
    with pytest.raises(UndecidedError, match='stage "s3"'):
        hidden.of("s3", (0,))
    strict = Program(
        (Stage("S", Input((II, JJ))), Stage("Z", Contract((II,), (Use("S", (II, JJ)),), where=(AtMost(JJ, II, -1),), must_visit=True)))
    )
    with pytest.raises(MaskedRowError, match="i=0"):
        quantities(strict, {"S": [[1, 2], [3, 4]]}).of("Z", (1,))


def test_questions_that_do_not_fit():
    q = quantities(attention(), small_feeds())
    with pytest.raises(ShapeError, match=r"\(3, 0\) is outside the shape \(3, 2\)"):
        q.of("output", (3, 0))
    with pytest.raises(ShapeError, match="1 indices for a tensor of shape"):
        q.of("output", (0,))
    with pytest.raises(ProgramError, match='no stage "outptu"; its stages: Q, K'):
        q.of("outptu", (0, 0))
    with pytest.raises(InputError, match="exactly"):
        quantities(chain(Unary("exp", Arg("y"))), {"x": [0.1]})
