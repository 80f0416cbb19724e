"""Forward mode against dual numbers over exact numbers: every scalar function, every index term, every relation, maxima and ties."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction as F
from typing import Any

import pytest

from symattn.calculus.dual import directional
from symattn.errors import DomainError, ProgramError, ShapeError, UnsupportedError
from symattn.program.ops import Allowed, At, AtMost, Contract, InBlock, Inject, Input, Joint, Map, Paired, Position, Reduce, Same, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import BINARY, SCALAR_OPS, UNARY, Arg, Binary, Num, Power, Size, Unary, walk
from symattn.program.slopes import SLOPES, hypotheses, slope, text
from symattn.program.spaces import Axis, Space
from symattn.program.tangent import forward, tangent

N, M = Space("n", "n"), Space("m", "m")
ROW, ROW2, COL, ALSO = Axis("i", N), Axis("i2", N), Axis("j", M), Axis("k", N)
PAST, NEW = Space("past", 2), Space("new", 1)
ALL = Space("all", blocks=(PAST, NEW))
PAIR = Space("pair", factors=(N, M))
X = Stage("x", Input((ROW,)))
Y = Stage("y", Input((ROW, COL)))
MASK = Stage("seen", Input((COL,), boolean=True))
FEEDS: dict[str, Any] = {"x": ["1/3", "-2"], "y": [["1/2", "3", "-1/5"], ["2", "-1", "7/3"]], "seen": [True, False, True]}


def agrees(program: Program, feeds: Mapping[str, Any], directions: Mapping[str, Any], of: str = "") -> list[Any]:
    """Forward mode and dual numbers give the same exact numbers; the numbers."""
    of = of or program.output
    wanted = directional(program, feeds, directions)[of][1]
    moved = forward(program, of, {name: f"v_{name}" for name in directions})
    assert moved.stages[: len(program.stages)] == program.stages
    found = moved.evaluate({**feeds, **{f"v_{name}": v for name, v in directions.items()}}).output
    assert found.shape == wanted.shape
    assert all(a == b for a, b in zip(found.entries, wanted.entries, strict=True))
    return list(found.entries)


# -- the table -------------------------------------------------------------------------------------------------------------------------
def test_every_scalar_function_has_a_rule_or_a_reason() -> None:
    assert set(SLOPES) == set(SCALAR_OPS)
    for op, row in SLOPES.items():
        assert row.op == op
        assert (row.rule is None) == bool(row.missing.strip())
        assert row.rule is None or row.says.strip()


@pytest.mark.parametrize("op", [*UNARY, *BINARY, "pow"])
def test_every_rule_against_dual_numbers(op: str) -> None:
    a, b = Arg("a"), Arg("b")
    trees: list[Any] = [Unary(op, a)] if op in UNARY else [Binary(op, a, b), Binary(op, b, a), Binary(op, a, Num(F(3)))]
    if op == "div":
        trees += [Binary(op, Num(F(1)), b), Binary(op, Num(F(5)), a), Binary("div", Binary("mul", a, b), Binary("add", a, b))]
    if op == "pow":
        trees = [Power(a, F(q)) for q in ("2", "3", "1", "-1", "-2", "1/2", "-1/2", "1/3", "3/2", "-3/2", "2/3", "0")]
    if op in ("cos", "sin"):  # at 0 only: elsewhere they are no exact numbers
        points, moves = {"a": 0, "b": "1/7"}, {"a": "2/5", "b": -3}
    elif op in ("pow", "sqrt"):
        points, moves = {"a": 64, "b": "9/4"}, {"a": "2/5", "b": -3}
    else:
        points, moves = {"a": "4/9", "b": "1/7"}, {"a": "2/5", "b": -3}
    for tree in trees:
        used = sorted({node.name for node in walk(tree) if isinstance(node, Arg)})
        args = tuple((name, Use(name)) for name in used)
        program = Program((*(Stage(name, Input(())) for name in used), Stage("f", Map((), tree, args))))
        feeds, directions = {n: points[n] for n in used}, {n: moves[n] for n in used}
        if SLOPES[op].rule is None:
            with pytest.raises(UnsupportedError, match="no derivative rule"):
                forward(program, "f", {n: f"v_{n}" for n in used})
            continue
        agrees(program, feeds, directions)


def test_a_derivative_by_what_is_not_there_is_none() -> None:
    assert slope(Binary("mul", Num(F(2)), Size("n")), "a") is None
    assert slope(Power(Arg("a"), F(0)), "a") is None
    assert slope(Arg("b"), "a") is None


def test_signs_and_factors_one_are_not_written() -> None:
    assert text(slope(Binary("div", Arg("e"), Arg("z")), "z", Arg("p")) or Num(F(0))) == "-(p / z)"
    assert text(slope(Unary("neg", Binary("sub", Num(F(1)), Arg("a"))), "a") or Num(F(0))) == "1"
    assert text(slope(Unary("tanh", Binary("div", Arg("x"), Num(F(5)))), "x", Arg("y")) or Num(F(0))) == "(1 - (y * y)) / 5"


def test_what_must_hold_is_said() -> None:
    assert hypotheses(Binary("max2", Arg("a"), Num(F(0))), ["a"]) == ("a and 0 differ",)
    assert hypotheses(Unary("sqrt", Arg("a")), ["a"]) == ("a > 0",)
    assert hypotheses(Power(Arg("a"), F(1, 3)), ["a"]) == ("a > 0",)
    assert hypotheses(Unary("sqrt", Arg("a")), ["b"]) == ()
    assert hypotheses(Power(Arg("a"), F(2)), ["a"]) == ()


# -- contractions ----------------------------------------------------------------------------------------------------------------------
CONTRACTS = {
    "product rule": Contract((ROW,), (Use("y", (ROW, COL)), Use("y", (ROW, COL)), Use("x", (ROW,)))),
    "diagonal": Contract((), (Use("z", (ROW, ROW)),)),
    "a fixed position": Contract((COL,), (Use("y", (At(N, 1), COL)), Use("x", (At(N, 0),)))),
    "broadcast": Contract((ROW, ALSO, COL), (Use("x", (ROW,)),)),
    "a free sum": Contract((ROW,), (Use("x", (ROW,)),), over=(COL,)),
    "coefficient": Contract((ROW,), (Use("y", (ROW, COL)),), coef=Binary("div", Num(F(1)), Unary("sqrt", Size("m")))),
    "order": Contract((ROW,), (Use("x", (ALSO,)), Use("y", (ROW, COL))), (AtMost(ALSO, ROW, 0),)),
    "equal": Contract((ROW, ALSO), (Use("x", (ROW,)),), (Same(ROW, ALSO),)),
    "mask": Contract((ROW,), (Use("y", (ROW, COL)),), (Allowed(Use("seen", (COL,))),)),
}


@pytest.mark.parametrize("case", CONTRACTS)
def test_contractions(case: str) -> None:
    op = CONTRACTS[case]
    square = Stage("z", Contract((ROW, ROW2), (Use("x", (ROW,)), Use("x", (ROW2,)), Use("x", (ROW2,)))))
    program = Program((X, Y, MASK, square, Stage("f", op)))
    found = agrees(program, FEEDS, {"x": [3, "1/7"], "y": [[1, 2, "1/3"], [0, -1, 5]]})
    assert any(x != 0 for x in found)


def test_blocks_and_products_of_spaces() -> None:
    j, p, q, c = Axis("j", ALL), Axis("p", PAST), Axis("q", NEW), Axis("c", PAIR)
    stages = (
        Stage("past", Input((p,))),
        Stage("new", Input((q,))),
        Y,
        Stage("old_part", Contract((j,), (Use("past", (p,)),), (InBlock(j, "past", p),))),
        Stage("new_part", Contract((j,), (Use("new", (q,)),), (InBlock(j, "new", q),))),
        Stage("joined", Map((j,), Binary("add", Arg("a"), Arg("b")), (("a", Use("old_part", (j,))), ("b", Use("new_part", (j,)))))),
        Stage("squares", Map((j,), Binary("mul", Arg("a"), Arg("a")), (("a", Use("joined", (j,))),))),
        Stage("first", Contract((p,), (Use("squares", (Inject(ALL, "past", p),)), Use("past", (p,))))),
        Stage("flat", Contract((c,), (Use("y", (ROW, COL)),), (Paired(c, (ROW, COL)),))),
        Stage("columns", Contract((COL,), (Use("flat", (Joint(PAIR, (ROW, COL)),)), Use("flat", (Joint(PAIR, (ROW, COL)),))))),
    )
    feeds = {"past": [2, "1/2"], "new": [-3], "y": FEEDS["y"]}
    directions = {"past": [1, "2/3"], "new": [5], "y": [[1, 2, 3], [4, 5, "1/6"]]}
    for of in ("joined", "first", "flat", "columns"):
        assert any(x != 0 for x in agrees(Program(stages), feeds, directions, of))


def test_absent_entries_have_no_tangent() -> None:
    where = (AtMost(COL, ROW, 0),)
    stages = (
        Y,
        Stage("masked", Map((ROW, COL), Binary("mul", Arg("y"), Arg("y")), (("y", Use("y", (ROW, COL))),), where)),
        Stage("read", Map((ROW, COL), Binary("add", Arg("m"), Num(F(1))), (("m", Use("masked", (ROW, COL))),))),
        Stage("sums", Contract((ROW,), (Use("masked", (ROW, COL)),))),
    )
    program, directions = Program(stages), {"y": [[1, 2, 3], [4, 5, 6]]}
    moved = forward(program, "masked", {"y": "v"})
    assert moved.by_name[moved.output].op.where == where  # type: ignore[union-attr]
    value = moved.evaluate({"y": FEEDS["y"], "v": directions["y"]}).output
    assert value.absent == frozenset({1, 2, 5})
    for of in ("read", "sums"):
        agrees(program, {"y": FEEDS["y"]}, directions, of)


# -- several variables, computed ones --------------------------------------------------------------------------------------------------
def test_directions_of_computed_stages_add_up() -> None:
    stages = (
        X,
        Stage("s", Map((ROW,), Binary("mul", Arg("x"), Arg("x")), (("x", Use("x", (ROW,))),))),
        Stage("f", Contract((), (Use("s", (ROW,)), Use("x", (ROW,))))),
    )
    program = Program(stages)
    feeds = {"x": [2, 3], "v": [1, 10], "w": [7, -1]}
    both = forward(program, "f", {"x": "v", "s": "w"}).evaluate(feeds).output.entries[0]
    # x = (2, 3): f = sum of x³, and by s alone the weights are x.
    assert both == (3 * 4 * 1 + 3 * 9 * 10) + (2 * 7 + 3 * -1)


def test_a_direction_may_be_a_stage_of_the_program() -> None:
    program = Program((X, Stage("f", Contract((), (Use("x", (ROW,)), Use("x", (ROW,)))))))
    moved = forward(program, "f", {"x": "x"})
    assert [s.name for s in moved.inputs] == ["x"]
    assert moved.evaluate({"x": [2, 3]}).output.entries[0] == 26


def test_what_does_not_move_has_tangent_zero_and_positions_do_not_move() -> None:
    p = Stage("p", Position((ROW,)))
    stages = (
        X,
        Stage("u", Input(())),
        p,
        Stage("f", Map((ROW,), Binary("mul", Arg("p"), Arg("x")), (("p", Use("p", (ROW,))), ("x", Use("x", (ROW,)))))),
    )
    program = Program(stages)
    assert agrees(program, {"x": [5, 7], "u": 1}, {"x": [2, 3]}) == [0, 3]
    none = forward(program, "f", {"u": "v"}).evaluate({"x": [5, 7], "u": 1, "v": 4}).output
    assert list(none.entries) == [0, 0]


def test_one_tangent_for_each_entry_of_a_batch() -> None:
    b = Axis("b", N)
    delta = Stage("delta", Contract((ROW, b), (), (Same(ROW, b),)))
    square = Stage("f", Map((ROW,), Binary("mul", Arg("x"), Arg("x")), (("x", Use("x", (ROW,))),)))
    found = tangent(Program((X, square, delta)), "f", {"x": "delta"}, (b,))
    assert found.program.evaluate({"x": [3, 5]}).output.nested() == [[6, 0], [0, 10]]


# -- maxima ----------------------------------------------------------------------------------------------------------------------------
def largest(where: tuple[Any, ...] = (), empty: Any = None) -> Program:
    return Program((Y, MASK, X, Stage("f", Reduce((ROW,), Use("y", (ROW, COL)), where, empty=empty))))


@pytest.mark.parametrize("where", [(), (AtMost(COL, ROW, 0),), (AtMost(ROW, COL, 0),), (Allowed(Use("seen", (COL,))),)])
def test_maxima_where_they_are_attained_once(where: tuple[Any, ...]) -> None:
    agrees(largest(where), FEEDS, {"y": [[1, 2, 4], [8, 16, 32]]})


def test_a_maximum_over_nothing_takes_the_tangent_of_what_it_takes() -> None:
    where = (AtMost(COL, ROW, -1),)
    found = agrees(largest(where, Use("x", (ROW,))), FEEDS, {"y": [[1, 2, 4], [8, 16, 32]], "x": [64, 128]})
    assert found == [64, 8]


def test_a_maximum_of_a_single_entry() -> None:
    program = Program((X, Stage("f", Reduce((), Use("x", (ROW,))))))
    assert agrees(program, {"x": [5]}, {"x": [3]}) == [3]


def test_absent_entries_are_not_the_largest() -> None:
    where = (AtMost(COL, ROW, 0),)
    masked = Stage("masked", Map((ROW, COL), Arg("y"), (("y", Use("y", (ROW, COL))),), where))
    program = Program((Y, masked, Stage("f", Reduce((ROW,), Use("masked", (ROW, COL))))))
    assert agrees(program, {"y": [[-5, 9, 9], [-2, -3, 9]]}, {"y": [[1, 2, 4], [8, 16, 32]]}) == [1, 8]


def test_a_tie_is_an_error_with_a_place_and_a_hypothesis() -> None:
    program = largest()
    found = tangent(program, "f", {"y": "v"})
    assert found.hypotheses == ("f: the maximum of y is attained once",)
    feeds = {**FEEDS, "y": [[1, 2, 3], [4, 4, 2]], "v": [[1, 1, 1], [1, 2, 1]]}
    with pytest.raises(DomainError, match=r'stage "f\.argmax" at i=1, j=0: division by zero'):
        found.program.evaluate(feeds)
    with pytest.raises(DomainError, match="two equal numbers is not differentiable"):
        directional(program, {k: feeds[k] for k in ("x", "y", "seen")}, {"y": feeds["v"]})
    fine = {**feeds, "y": [[1, 2, 3], [4, 2, 2]]}  # a tie below the maximum does not matter
    assert list(found.program.evaluate(fine).output.entries) == [1, 1]


def test_an_absolute_value_at_zero_is_an_error_and_never_zero() -> None:
    tree = Binary("max2", Arg("x"), Unary("neg", Arg("x")))
    program = Program((X, Stage("f", Map((ROW,), tree, (("x", Use("x", (ROW,))),)))))
    assert agrees(program, {"x": [-3, 2]}, {"x": [5, 7]}) == [-5, 7]
    found = tangent(program, "f", {"x": "v"})
    assert found.hypotheses == ("f: x and -x differ",)
    with pytest.raises(DomainError, match='stage "tf" at i=1: division by zero'):
        found.program.evaluate({"x": [1, 0], "v": [1, 1]})


def test_a_root_at_zero_is_an_error() -> None:
    program = Program((X, Stage("f", Map((ROW,), Unary("sqrt", Arg("x")), (("x", Use("x", (ROW,))),)))))
    found = tangent(program, "f", {"x": "v"})
    assert found.hypotheses == ("f: x > 0",)
    with pytest.raises(DomainError, match="division by zero"):
        found.program.evaluate({"x": [4, 0], "v": [1, 1]})


def test_a_maximum_over_two_axes_at_once_has_no_rule() -> None:
    program = Program((Y, Stage("f", Reduce((), Use("y", (ROW, COL))))))
    with pytest.raises(UnsupportedError, match="over 2 axes at once") as caught:
        forward(program, "f", {"y": "v"})
    assert "one axis after another" in caught.value.next_move


# -- bad input -------------------------------------------------------------------------------------------------------------------------
def test_what_cannot_be_differentiated_by() -> None:
    p = Stage("p", Position((ROW,)))
    lettered = Stage("queries", Map((ROW,), Arg("x"), (("x", Use("x", (ROW,))),)), "Q")
    program = Program((X, MASK, p, lettered, Stage("f", Contract((), (Use("queries", (ROW,)),), (Allowed(Use("seen", (COL,))),)))))
    with pytest.raises(ProgramError, match="is a mask: it selects terms and has no derivative"):
        forward(program, "f", {"seen": "v"})
    with pytest.raises(ProgramError, match="holds positions, which do not vary"):
        forward(program, "f", {"p": "v"})
    with pytest.raises(ProgramError, match='the variable "querys" is not a stage') as caught:
        forward(program, "f", {"querys": "v"})
    assert caught.value.next_move == "did you mean queries?"
    with pytest.raises(ProgramError, match='the stage "F2" is not a stage'):
        forward(program, "F2", {"x": "v"})
    with pytest.raises(ProgramError, match="no direction is given"):
        forward(program, "f", {})
    with pytest.raises(ProgramError, match='the direction "seen" is a mask'):
        forward(program, "f", {"x": "seen"})
    assert forward(program, "f", {"Q": "v"}).evaluate({"x": [1, 2], "seen": [True, True], "v": [1, 1]}).output.entries[0] == 4


def test_a_direction_has_the_shape_of_what_it_changes() -> None:
    program = Program((X, Y, Stage("f", Contract((), (Use("x", (ROW,)), Use("y", (ROW, COL)))))))
    with pytest.raises(ShapeError, match=r'the direction "y" is \(i=n, j=m\), but "x" is \(i=n\)'):
        forward(program, "f", {"x": "y"})
