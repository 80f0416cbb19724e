"""A maximum over nothing: an error, or what `empty` says."""

from fractions import Fraction as F

import pytest

from symattn.errors import MaskedRowError, ShapeError
from symattn.interp.run import Table, run
from symattn.interp.tensor import Tensor
from symattn.program.ops import Allowed, Input, Map, Reduce, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Num, Unary
from symattn.program.spaces import Axis, Space

II, JJ = Axis("i", Space("rows", "n")), Axis("j", Space("columns", "m"))
TABLE = Table("fractions", F, {"max2": max, "neg": lambda x: -x})
FEEDS = {"S": Tensor((2, 2), [F(3), F(1), F(5), F(4)]), "M": Tensor((2, 2), [True, True, False, False]), "base": Tensor((2,), [F(7), F(9)])}


def top(empty):
    inputs = (Stage("S", Input((II, JJ))), Stage("M", Input((II, JJ), boolean=True)), Stage("base", Input((II,))))
    negated = Stage("other", Map((II,), Unary("neg", Arg("x")), (("x", Use("base", (II,))),)))
    return Program((*inputs, negated, Stage("top", Reduce((II,), Use("S", (II, JJ)), (Allowed(Use("M", (II, JJ))),), empty=empty))))


def test_without_empty_it_is_an_error():
    with pytest.raises(MaskedRowError, match="i=1"):
        run(top(None), FEEDS, TABLE)


@pytest.mark.parametrize(("empty", "wanted"), [(Num(F(-2)), [3, -2]), (Use("base", (II,)), [3, 9]), (Use("other", (II,)), [3, -9])])
def test_empty_stands_in_only_where_nothing_is_allowed(empty, wanted):
    assert run(top(empty), FEEDS, TABLE)["top"].entries == wanted


def test_a_whole_table_reduction_is_told_what_an_empty_set_takes():
    seen = []
    table = Table("fractions", F, TABLE.scalar, reduce=lambda site: seen.append(site.empty({"i": 1})))
    assert run(top(Use("other", (II,))), FEEDS, table)["top"].entries == [3, -9]
    assert seen == [-9]


def test_empty_may_use_only_axes_of_the_result():
    with pytest.raises(ShapeError, match='"top" uses "S" at the axis "j"'):
        top(Use("S", (II, JJ)))
