"""The interpreter, on plain fractions: sizes, relations, order, empty rows, tables."""

from __future__ import annotations

import operator
from fractions import Fraction as F

import pytest

from symattn.errors import InputError, MaskedRowError, ProgramError, ShapeError, UnsupportedError
from symattn.interp.run import Table, holes, run
from symattn.interp.tensor import Tensor
from symattn.program.ops import Allowed, At, AtMost, Contract, InBlock, Inject, Input, Joint, Map, Paired, Position, Reduce, Same, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import SCALAR_OPS, Arg, Binary, Num, Size, Unary
from symattn.program.spaces import Axis, Space

WHY = "fractions leave it out"
PLAIN = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg, "max2": max}
FRACTIONS = Table(
    "fractions", F, {**PLAIN, "pow": lambda x, q: x**q}, dict.fromkeys(("exp", "log", "sqrt", "tanh", "cos", "sin", "erf"), WHY)
)
TRACE = Table(
    "trace",
    lambda q: str(q),
    {
        "add": lambda a, b: f"({a}+{b})",
        "mul": lambda a, b: f"{a}*{b}",
        "max2": lambda a, b: f"max({a},{b})",
    },
)

SEQ = Space("seq", "n")
FEATURE = Space("feature", "d")
II, JJ, KK = Axis("i", SEQ), Axis("j", SEQ), Axis("k", FEATURE)


def tensor(nested: object) -> Tensor[F]:
    shape = []
    level = nested
    while isinstance(level, list):
        shape.append(len(level))
        level = level[0]
    flat = [nested]
    for _ in shape:
        flat = [x for part in flat for x in part]
    return Tensor(tuple(shape), [F(x) for x in flat])


def names(name: str, *shape: int) -> Tensor[str]:
    t = Tensor(shape, [""] * len(list(Tensor(shape, range(_count(shape))).indices())))
    return Tensor(shape, [name + "".join(str(i) for i in index) for index in t.indices()])


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for n in shape:
        count *= n
    return count


def one(op: object, *inputs: Stage) -> Program:
    return Program((*inputs, Stage("out", op)))


A, B = Stage("A", Input((II, KK))), Stage("B", Input((JJ, KK)))
PRODUCT = one(Contract((II, JJ), (Use("A", (II, KK)), Use("B", (JJ, KK)))), A, B)


def test_matrix_product():
    out = run(PRODUCT, {"A": tensor([[1, 2], [3, 4]]), "B": tensor([[5, 6], [7, 8]])}, FRACTIONS)["out"]
    assert out.rows() == [[17, 23], [39, 53]]
    assert out[1, 0] == 39


def test_terms_come_in_the_stated_order():
    out = run(PRODUCT, {"A": names("a", 1, 3), "B": names("b", 1, 3)}, TRACE)["out"]
    assert out.entries == ["((a00*b00+a01*b01)+a02*b02)"]


def test_first_summed_axis_is_the_slowest_and_the_coefficient_comes_last():
    op = Contract((), (Use("A", (II, KK)), Use("A", (II, KK))), coef=Num(F(3)))
    assert run(one(op, A), {"A": names("a", 2, 2)}, TRACE)["out"][()] == "3*(((a00*a00+a01*a01)+a10*a10)+a11*a11)"


def test_absent_terms_are_not_multiplied():
    causal = Map((II, JJ), Arg("s"), (("s", Use("S", (II, JJ))),), where=(AtMost(JJ, II, 0),))
    program = Program(
        (
            Stage("S", Input((II, JJ))),
            Stage("masked", causal),
            Stage("rows", Contract((II,), (Use("masked", (II, JJ)),))),
            Stage("top", Reduce((II,), Use("masked", (II, JJ)))),
        )
    )
    got = run(program, {"S": names("s", 2, 2)}, TRACE)
    assert got["masked"].absent == {1}
    assert got["masked"].is_absent((0, 1))
    assert got["rows"].entries == ["s00", "(s10+s11)"]
    assert got["top"].entries == ["s00", "max(s10,s11)"]


def test_no_term_gives_an_exact_zero_and_no_factor_gives_ones():
    strict = Contract((II,), (Use("S", (II, JJ)),), where=(AtMost(JJ, II, -1),))
    stages = (Stage("S", Input((II, JJ))), Stage("below", strict), Stage("count", Contract((), (), over=(JJ,))))
    got = run(Program(stages), {"S": tensor([[1, 2], [3, 4]])}, FRACTIONS)
    assert got["below"].entries == [0, 3]
    assert got["count"].entries == [2]


def test_must_visit_names_the_stage_and_the_row():
    labelled = Space("seq", 2, labels=("el", "perro"))
    i, j = Axis("i", labelled), Axis("j", labelled)
    op = Contract((i,), (Use("S", (i, j)),), where=(AtMost(j, i, -1),), must_visit=True)
    with pytest.raises(MaskedRowError, match=r'stage "out": nothing is allowed at i=0 \("el"\)'):
        run(one(op, Stage("S", Input((i, j)))), {"S": tensor([[1, 2], [3, 4]])}, FRACTIONS)


def test_an_empty_maximum_is_an_error():
    mask = Stage("M", Input((II, JJ), boolean=True))
    op = Reduce((II,), Use("S", (II, JJ)), where=(Allowed(Use("M", (II, JJ))),))
    program = one(op, Stage("S", Input((II, JJ))), mask)
    good = {"S": tensor([[1, 9], [3, 4]]), "M": Tensor((2, 2), [True, False, True, True])}
    assert run(program, good, FRACTIONS)["out"].entries == [1, 4]
    with pytest.raises(MaskedRowError, match="i=1"):
        run(program, {**good, "M": Tensor((2, 2), [True, False, False, False])}, FRACTIONS)


def test_window_parameter_is_bound_when_run():
    op = Contract((II,), (Use("S", (JJ,)),), where=(AtMost(JJ, II, 0), AtMost(II, JJ, "back")))
    program = one(op, Stage("S", Input((JJ,))))
    feeds = {"S": tensor([1, 10, 100, 1000])}
    assert run(program, feeds, FRACTIONS, parameters={"back": 1})["out"].entries == [1, 11, 110, 1100]
    assert run(program, feeds, FRACTIONS, parameters={"back": 0})["out"].entries == [1, 10, 100, 1000]
    with pytest.raises(ProgramError, match='the parameter "back" has no value'):
        run(program, feeds, FRACTIONS)


def test_union_spaces_concatenate_and_slice():
    past, new = Space("past", "p"), Space("new", "q")
    key = Space("key", blocks=(past, new))
    j, p, q = Axis("j", key), Axis("p", past), Axis("q", new)
    stages = (
        Stage("old", Input((p,))),
        Stage("fresh", Input((q,))),
        Stage("a", Contract((j,), (Use("old", (p,)),), where=(InBlock(j, "past", p),))),
        Stage("b", Contract((j,), (Use("fresh", (q,)),), where=(InBlock(j, "new", q),))),
        Stage("both", Map((j,), Binary("add", Arg("a"), Arg("b")), (("a", Use("a", (j,))), ("b", Use("b", (j,)))))),
        Stage("tail", Map((q,), Arg("x"), (("x", Use("both", (Inject(key, "new", q),))),))),
    )
    got = run(Program(stages), {"old": tensor([1, 2]), "fresh": tensor([3, 4, 5])}, FRACTIONS)
    assert got["both"].entries == [1, 2, 3, 4, 5]
    assert got["tail"].entries == [3, 4, 5]


def test_a_union_determines_its_missing_block():
    past, new = Space("past", "p"), Space("new", "q")
    key = Space("key", blocks=(past, new))
    stages = (Stage("all", Input((Axis("j", key),))), Stage("old", Input((Axis("p", past),))))
    program = Program((*stages, Stage("n", Map((), Size("q")))))
    feeds = {"all": tensor([1, 2, 3]), "old": tensor([1])}
    assert run(program, feeds, FRACTIONS)["n"].entries == [2]
    with pytest.raises(ShapeError, match="do not split into p\\+q"):
        run(program, {"all": tensor([1, 2]), "old": tensor([1, 2])}, FRACTIONS)


def test_product_spaces_split_and_join():
    head, value = Space("head", "h"), Space("value", 2)
    channel = Space("channel", factors=(head, value))
    h, v, c = Axis("h", head), Axis("v", value), Axis("c", channel)
    stages = (
        Stage("x", Input((c,))),
        Stage("split", Contract((h, v), (Use("x", (c,)),), where=(Paired(c, (h, v)),))),
        Stage("same", Map((h, v), Arg("x"), (("x", Use("x", (Joint(channel, (h, v)),))),))),
        Stage("join", Contract((c,), (Use("split", (h, v)),), where=(Paired(c, (h, v)),))),
    )
    got = run(Program(stages), {"x": tensor([1, 2, 3, 4, 5, 6])}, FRACTIONS)
    assert got["split"].rows() == [[1, 2], [3, 4], [5, 6]]
    assert got["same"].rows() == got["split"].rows()
    assert got["join"].entries == [1, 2, 3, 4, 5, 6]


def test_equalities_are_solved_and_diagonals_taken():
    stages = (
        Stage("S", Input((II, JJ))),
        Stage("trace", Contract((), (Use("S", (II, II)),))),
        Stage("again", Contract((), (Use("S", (II, JJ)),), where=(Same(II, JJ),))),
        Stage("corner", Map((), Arg("x"), (("x", Use("S", (At(SEQ, 1), At(SEQ, 0)))),))),
        Stage("place", Position((II,))),
    )
    got = run(Program(stages), {"S": tensor([[1, 2], [3, 4]])}, FRACTIONS)
    assert [got[s].entries[0] for s in ("trace", "again", "corner")] == [5, 5, 3]
    assert got["place"].entries == [0, 1]


@pytest.mark.parametrize(
    ("feeds", "error", "message"),
    [
        ({"A": [[1]]}, InputError, '"B" \\(j=n, k=d\\) is not given'),
        ({"A": [[1]], "B": [[1]], "C": [1]}, InputError, '"C" is given but the program has no such input'),
        (
            {"A": [[1, 2]], "B": [[1]]},
            ShapeError,
            (
                r'"B" is \(j=n, k=d\) but its axis "k" has 1 entries, not 2, in the given shape \(1, 1\) '
                r'\(d=2 from axis "k" of "A" with the shape \(1, 2\)\); give "B" 2 entries along "k" or change the other'
            ),
        ),
        ({"A": [1], "B": [[1]]}, ShapeError, '"A" is \\(i=n, k=d\\), 2 axes, but what is given has the shape \\(1,\\)'),
    ],
)
def test_what_does_not_fit_is_named(feeds, error, message):
    with pytest.raises(error, match=message):
        run(PRODUCT, {name: tensor(x) for name, x in feeds.items()}, FRACTIONS)


def test_a_size_nothing_shows_must_be_stated():
    program = one(Map((), Size("m")))
    with pytest.raises(ProgramError, match='nothing given determines the size "m"'):
        run(program, {}, FRACTIONS)
    assert run(program, {}, FRACTIONS, sizes={"m": 7})["out"].entries == [7]
    with pytest.raises(InputError, match='the size "m" is 0'):
        run(program, {}, FRACTIONS, sizes={"m": 0})


def test_stated_sizes_are_checked_against_the_inputs():
    with pytest.raises(ShapeError, match="n=3 from stated"):
        run(PRODUCT, {"A": tensor([[1]]), "B": tensor([[1]])}, FRACTIONS, sizes={"n": 3})


def test_a_hole_says_its_reason_and_its_stage():
    program = one(Map((II,), Unary("erf", Arg("x")), (("x", Use("x", (II,))),)), Stage("x", Input((II,))))
    with pytest.raises(UnsupportedError, match='stage "out": the number system "fractions" cannot compute erf: fractions leave it out'):
        run(program, {"x": tensor([1])}, FRACTIONS)


def test_fixed_position_outside_its_space():
    program = one(Map((), Arg("x"), (("x", Use("x", (At(SEQ, 5),))),)), Stage("x", Input((II,))))
    with pytest.raises(ProgramError, match="position 5 of an axis with 2 entries"):
        run(program, {"x": tensor([1, 2])}, FRACTIONS)


def test_holes_finds_what_is_missing_unexplained_doubled_or_unknown():
    assert holes(FRACTIONS) == ()
    assert set(holes(TRACE)) == set(SCALAR_OPS) - {"add", "mul", "max2"}
    assert holes(Table("t", F, dict(FRACTIONS.scalar), {**FRACTIONS.unsupported, "erf": "  "})) == ("erf",)
    assert holes(Table("t", F, {**FRACTIONS.scalar, "exp": abs, "gamma": abs}, FRACTIONS.unsupported)) == ("exp", "gamma")


def test_ten_thousand_stages_need_no_recursion():
    stages = [Stage("s0", Input(()))]
    stages += [Stage(f"s{k}", Map((), Binary("add", Arg("x"), Num(F(1))), (("x", Use(f"s{k - 1}")),))) for k in range(1, 10_001)]
    assert run(Program(tuple(stages)), {"s0": tensor(0)}, FRACTIONS)["s10000"].entries == [10_000]


def test_tensor_indexing_is_checked():
    t = tensor([[1, 2, 3], [4, 5, 6]])
    assert t[1].entries == [4, 5, 6]
    assert t.nested() == [[1, 2, 3], [4, 5, 6]]
    assert [row[0] for row in t] == [1, 4]
    for bad in ((2, 0), (0, -1), (0, 0, 0), 5):
        with pytest.raises(ShapeError):
            t[bad]
    with pytest.raises(ShapeError, match="has 6 entries, not 5"):
        Tensor((2, 3), [1, 2, 3, 4, 5])
