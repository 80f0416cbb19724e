"""Givens, definitions, addresses, relations, and the programs they become."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from language_reference import TABLE, nested, stand_in, tensor, values

from symattn.errors import LanguageError, Place, ProgramError, ShapeError, SymattnError
from symattn.interp.run import run
from symattn.language.builder import Address, AxisDecl, Builder, Entry, Pair
from symattn.language.parser import parse, parse_definition
from symattn.language.prompt import Compiled
from symattn.program import ops
from symattn.program.scalar import Arg, Binary, Num, Size, Unary

TOKENS = ("el", "perro", "come")


def head() -> Builder:
    b = Builder({"token": TOKENS})
    b.give_value("X", ["token", "model"], "[[0.21, 0.45], [0.50, 1.15], [1.36, -0.64]]")
    b.give_value("W_Q", ["model", "d_k"], "[[0.3, -0.1], [0.1, 0.5]]")
    b.give_value("W_K", [], "[[1, 0], [2, 1/3]]")
    b.define("Q", "X @ W_Q")
    b.define("K", "X @ W_K")
    b.define("S", "Q @ K.T")
    b.define("T", "S / sqrt(2 + d_k)")
    b.define("P", "softmax(T)")
    return b


def compiled(b: Builder, output: str) -> Compiled:
    return Compiled(b.program(output), b.feeds(), output)


def test_stages_have_the_names_people_read() -> None:
    b = head()
    program = b.program()
    assert [s.name for s in program.stages] == ["X", "W_Q", "W_K", "Q", "K", "S", "T", "P.exponentials", "P.row_sums", "P"]
    assert program.output == "P"
    assert [type(s.op).__name__ for s in program.stages] == ["Input"] * 3 + ["Contract"] * 3 + ["Map", "Map", "Contract", "Map"]
    assert b.names() == ("X", "W_Q", "W_K", "Q", "K", "S", "T", "P")


def test_axes_are_named_and_undeclared_ones_unify_by_use() -> None:
    program = head().program()
    shapes = {s.name: s.shape_text() for s in program.stages}
    assert shapes["X"] == "(token=3, model=2)"
    assert shapes["W_K"] == "(model=2, d_k=2)"
    assert shapes["S"] == shapes["P"] == "(token=3, token_2=3)"
    assert shapes["P.row_sums"] == "(token=3)"
    assert all(a.space.labels == TOKENS for a in program.by_name["S"].out)


def test_a_size_is_the_name_of_its_axis() -> None:
    op = head().program().by_name["T"].op
    assert isinstance(op, ops.Map)
    assert op.scalar == Binary("div", Arg("S"), Unary("sqrt", Binary("add", Num(Fraction(2), "2"), Size("d_k"))))


def test_values_follow_the_formulas_exactly() -> None:
    b = head()
    found = values(compiled(b, "P"))
    x = [[Fraction(e) for e in row] for row in (("0.21", "0.45"), ("0.50", "1.15"), ("1.36", "-0.64"))]
    wq = [[Fraction(3, 10), Fraction(-1, 10)], [Fraction(1, 10), Fraction(1, 2)]]
    wk = [[Fraction(1), Fraction(0)], [Fraction(2), Fraction(1, 3)]]
    q = [[r[0] * wq[0][j] + r[1] * wq[1][j] for j in range(2)] for r in x]
    key = [[r[0] * wk[0][j] + r[1] * wk[1][j] for j in range(2)] for r in x]
    t = [[(u[0] * v[0] + u[1] * v[1]) / 2 for v in key] for u in q]
    e = [[stand_in(z) for z in row] for row in t]
    assert nested(found["P"]) == [[z / sum(row) for z in row] for row in e]


def test_numbers_in_formulas_keep_their_text() -> None:
    b = Builder()
    b.define("a", "0.50 * 3")
    op = b.program().by_name["a"].op
    assert isinstance(op, ops.Map)
    assert op.scalar == Binary("mul", Num(Fraction(1, 2), "0.50"), Num(Fraction(3), "3"))


def test_what_is_written_is_handed_back() -> None:
    b = Builder()
    assert b.give_value("W", [], "[[0.30, -1/3], [1e-2, 2**3]]") == {(0, 0): "0.30", (0, 1): "-1 / 3", (1, 0): "1e-2", (1, 1): "2**3"}
    assert b.give_value("c", [], "800") == {(): "800"}
    assert b.feeds() == {"W": ((Fraction(3, 10), Fraction(-1, 3)), (Fraction(1, 100), Fraction(8))), "c": Fraction(800)}
    assert b.written("W") == parse("[[0.30, -1/3], [1e-2, 2**3]]")
    b.define("d", "c + 1")
    assert b.definition("d") == parse("c + 1")
    assert b.definition("c") is None
    assert b.written("d") is None


def test_a_value_may_come_after_the_declaration() -> None:
    b = Builder()
    b.give("X", [AxisDecl("n", 2), AxisDecl("", 2)])
    assert "X" not in b.feeds()
    with pytest.raises(ShapeError, match=r'"X" is declared as \(n=2, 2\) but its value has the shape \(1, 2\)'):
        b.give_value("X", [], "[[1, 2]]")
    b.give_value("X", [], "[[1, 2], [3, 4]]")
    assert b.feeds()["X"] == ((1, 2), (3, 4))
    with pytest.raises(LanguageError, match="already defined"):
        b.give_value("X", [], "[[1, 2], [3, 4]]")


@pytest.mark.parametrize(
    ("text", "stages"),
    [
        ("A @ B", ["r"]),
        ("2 * A @ B.T", ["r.1", "r"]),
        ("A @ B / 2", ["r.product", "r"]),
        ("(A - B * B) / 3 + 1", ["r"]),
        ("exp(A)", ["r"]),
        ("exp(A - B)", ["r.1", "r"]),
        ("2 * exp(A)", ["r.exp", "r"]),
        ("exp(tanh(A))", ["r.tanh", "r"]),
        ("sqrt(A) + sqrt(B)", ["r.sqrt", "r.sqrt_2", "r"]),
        ("A**2 + 1", ["r"]),
        ("A**(1/2) + 1", ["r.power", "r"]),
        ("exp(2) + exp(3) * A", ["r"]),
        ("exp(exp(2))", ["r.exp", "r"]),
        ("softmax(A) @ B.T", ["r.exponentials", "r.row_sums", "r.weights", "r"]),
        ("softmax(softmax(A))", ["r.exponentials", "r.row_sums", "r.weights", "r.exponentials_2", "r.row_sums_2", "r"]),
        ("sum(A)", ["r"]),
        ("sum(A * B)", ["r.1", "r"]),
        ("mean(A)", ["r.sum", "r"]),
        ("max(A)", ["r"]),
        ("min(A)", ["r.1", "r.max", "r"]),
        ("max(A, B)", ["r"]),
        ("sigmoid(A)", ["r.exponentials", "r"]),
        ("relu(A @ B.T)", ["r.product", "r"]),
        ("A.T", ["r"]),
        ("A", ["r"]),
        ("A[0]", ["r"]),
        ("A + [[1, 2], [3, 4]]", ["r.1", "r"]),
        ("diag(A[0]) - outer(A[0], A[1])", ["r.diagonal", "r.outer", "r"]),
        ("attention(A, B, B)", ["r.scores", "r.scaled", "r.exponentials", "r.row_sums", "r.weights", "r"]),
        (
            '1 - attention(A, B, B, mask="causal", scale=1)',
            ["r.scores", "r.masked", "r.exponentials", "r.row_sums", "r.weights", "r.output", "r"],
        ),
    ],
)
def test_one_operation_a_stage(text: str, stages: list[str]) -> None:
    b = Builder()
    b.give("A", [AxisDecl("", 2), AxisDecl("", 2)])
    b.give("B", [AxisDecl("", 2), AxisDecl("", 2)])
    b.define("r", text)
    assert [s.name for s in b.program().stages][2:] == stages


def test_inner_stages_can_be_read() -> None:
    b = head()
    b.define("Z", "P.row_sums")
    assert b.address("P.row_sums[perro]") == Address("P.row_sums", (), ((1,),))
    with pytest.raises(LanguageError, match="no value") as caught:
        b.define("Y", "P.sums")
    assert "P.row_sums" in caught.value.next_move


def test_the_program_can_be_asked_for_again_and_again() -> None:
    b = head()
    first = b.program("S")
    b.define("O", "P @ X")
    assert [s.name for s in b.program().stages][:10] == [s.name for s in head().program().stages]
    assert first.output == "S"
    assert b.axes("O")[0].name == "token"
    with pytest.raises(ProgramError, match='no stage "nope"'):
        b.axes("nope")


def test_symbols_for_sizes() -> None:
    b = Builder()
    for name, shape in (("Q", ("n", "d_k")), ("K", ("m", "d_k")), ("V", ("m", "d_v"))):
        b.give(name, [AxisDecl(s, s) for s in shape])
    b.define("O", "softmax(Q @ K.T / sqrt(d_k)) @ V")
    program = b.program()
    assert program.by_name["O"].shape_text() == "(n=n, d_v=d_v)"
    feeds = {"Q": [[1, 2, 0, 1]], "K": [[3, 1, 1, 0], [0, 1, 2, 2]], "V": [[1], [5]]}
    found = run(program, {k: tensor(v) for k, v in feeds.items()}, TABLE)
    e = [stand_in(Fraction(5, 2)), stand_in(Fraction(4, 2))]
    assert nested(found["O"]) == [[(e[0] + 5 * e[1]) / sum(e)]]


def test_a_size_may_have_a_name_of_its_own() -> None:
    b = Builder()
    b.give("X", [AxisDecl("token", "n"), AxisDecl("model", 4)])
    b.define("r", "token + n + model")
    op = b.program().by_name["r"].op
    assert isinstance(op, ops.Map)
    assert op.scalar == Binary("add", Binary("add", Size("n"), Size("n")), Size("model"))
    found = run(b.program(), {"X": tensor([[1, 2, 3, 4]] * 3)}, TABLE)
    assert found["r"].entries == [10]


# -- addresses and free expressions -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "shape", "indices"),
    [
        ("Q[perro,0]", (), [(1, 0)]),
        ("Q[1,0]", (), [(1, 0)]),
        ("Q[perro]", (2,), [(1, 0), (1, 1)]),
        ("Q[:,1]", (3,), [(0, 1), (1, 1), (2, 1)]),
        ("Q[come][0]", (), [(2, 0)]),
        ("Q", (3, 2), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]),
        ("(Q)", (3, 2), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]),
        ("Q.T[0]", (3,), [(0, 0), (1, 0), (2, 0)]),
        ("Q.T", (2, 3), [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]),
    ],
)
def test_addresses(text: str, shape: tuple[int, ...], indices: list[tuple[int, ...]]) -> None:
    assert head().address(text) == Address("Q", shape, tuple(indices))


@pytest.mark.parametrize("text", ["3 * 3", "1 - Q[0,0]", "sum(Q)", "d_k", "[1, 2]", "-Q"])
def test_other_expressions_are_no_address(text: str) -> None:
    b = head()
    before = b.program()
    assert b.address(text) is None
    assert b.program() == before


@pytest.mark.parametrize("text", ["Q[gato]", "R[0]", "Q[0,0,0]", "Q[7]"])
def test_addresses_that_do_not_exist(text: str) -> None:
    with pytest.raises(SymattnError) as caught:
        head().address(text)
    assert caught.value.place is not None
    assert caught.value.next_move


def test_free_expressions_become_hidden_stages_once() -> None:
    b = head()
    name = b.scalar_program("3 * 3")
    assert b.scalar_program("3*3") == name
    assert b.scalar_program("Q") == "Q"
    other = b.scalar_program("1 - P[0,1]")
    size = b.scalar_program("d_k")
    assert len({name, other, size}) == 3
    assert all("." in n for n in (name, other, size))
    found = values(compiled(b, name))
    assert found[name].entries == [9]
    assert found[other].entries == [1 - found["P"].entries[1]]
    assert found[size].entries == [2]
    assert b.names() == head().names()
    assert b.indices("Q") == ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1))
    assert b.indices(name) == ((),)


def test_relations_compare_entry_by_entry() -> None:
    b = head()
    chain = b.relation("0 < P[0,1] <= P[0,0] != 1")
    assert chain.signs == ("<", "<=", "!=")
    assert chain.sides[1:3] == ("P", "P")
    zero, one = chain.sides[0], chain.sides[3]
    assert chain.pairs == (
        Pair(Entry(zero, ()), "<", Entry("P", (0, 1))),
        Pair(Entry("P", (0, 1)), "<=", Entry("P", (0, 0))),
        Pair(Entry("P", (0, 0)), "!=", Entry(one, ())),
    )
    rows = b.relation("Q[0] == K[1]")
    assert rows.pairs == tuple(Pair(Entry("Q", (0, j)), "==", Entry("K", (1, j))) for j in range(2))
    sums = b.relation("sum(P) == 1")
    assert [(p.left.index, p.right.index) for p in sums.pairs] == [((0,), ()), ((1,), ()), ((2,), ())]
    across = b.relation("P < P.row_sums")
    assert across.pairs[5] == Pair(Entry("P", (1, 2)), "<", Entry("P.row_sums", (1,)))


def test_a_relation_that_fails_leaves_nothing_behind() -> None:
    b = head()
    before = b.program()
    with pytest.raises(LanguageError):
        b.relation("3 * 3 < nope")
    assert b.program() == before
    assert b.scalar_program("3 * 3") in b.program().by_name


# -- what is refused --------------------------------------------------------------------------------------------------------------
def test_a_definition_that_fails_leaves_nothing_behind() -> None:
    b = head()
    before, feeds = b.program(), b.feeds()
    for text in ("[1, 2, 3] @ X + [1, 2] + nope", "softmax(X) @ W_Q @ X", "X + [[1, 2], [3, 4]]"):
        with pytest.raises(SymattnError):
            b.define("bad", text)
        assert b.program() == before
        assert b.feeds() == feeds
    b.define("bad", "X")


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda b: b.define("Q", "X"), r'"Q" is already defined'),
        (lambda b: b.define("token", "3"), r'"token" is the name of an axis'),
        (lambda b: b.define("softmax", "3"), "function of the language"),
        (lambda b: b.define("for", "3"), "word of Python"),
        (lambda b: b.define("a b", "3"), "is not a name"),
        (lambda b: b.define("__import__('os')", "3"), "is not a name"),
        (lambda b: b.give("Y", [AxisDecl("X", 3)]), r'"X" is a value and cannot name an axis'),
        (lambda b: b.give("Y", [AxisDecl("n", 0)]), "0 entries"),
        (lambda b: b.give("Y", [AxisDecl("n", True)]), "True entries"),
        (lambda b: b.give("Y", [AxisDecl("n", "1n")]), "is not a name"),
        (lambda b: b.give("Y", [AxisDecl("token", 4)]), r'"token" has 3 entries elsewhere but 4 here'),
        (lambda b: b.give_value("Y", ["token"], "[1, 2]"), r'"token" has 3 entries elsewhere but 2 here'),
        (lambda b: b.give_value("Y", ["token"], "[[1, 2]]"), "declared with 1 axes but its value has 2"),
        (lambda b: b.give_value("Y", [], "X + 1"), "not a number, vector or matrix written out"),
        (lambda b: b.define("Y", "X + Q"), "shapes that fit"),
        (lambda b: b.define("Y", "X @ X"), "transpose the right side"),
    ],
)
def test_what_builders_refuse(act: Any, message: str) -> None:
    with pytest.raises((LanguageError, ShapeError)) as caught:
        act(head())
    assert re.search(message, str(caught.value))
    assert caught.value.next_move


def test_labels_are_checked() -> None:
    with pytest.raises(ShapeError, match="3 entry names but 2 entries"):
        Builder({"token": TOKENS}).give_value("X", ["token"], "[1, 2]")
    with pytest.raises(LanguageError, match="twice the same entry name"):
        Builder({"token": ("a", "a")})
    with pytest.raises(LanguageError, match="no entry names"):
        Builder({"token": ()})
    with pytest.raises(LanguageError, match="is not a name"):
        Builder({"a b": ("a",)})


def test_two_names_never_become_one_space() -> None:
    b = Builder()
    b.give_value("x", ["a"], "[1, 2]")
    b.give_value("y", ["b"], "[1, 2]")
    b.give_value("M", [], "[[1, 2], [3, 4]]")
    b.define("u", "M + M.T")
    b.define("v", "M @ x")
    with pytest.raises(ShapeError):
        b.define("w", "M @ y")
    with pytest.raises(ShapeError):
        b.define("w", "x + y")


def test_places_of_stages() -> None:
    b = Builder()
    b.define("a", parse("1 + 2", "s.md", 4, 7))
    assert (b.place("a").line, b.place("a").column) == (4, 9)
    with pytest.raises(LanguageError) as caught:
        b.define("a", parse("3", "s.md", 5), Place("s.md", 5, 1))
    assert "on line 4" in str(caught.value)


def test_definitions_as_they_were_parsed() -> None:
    b = Builder({"token": TOKENS})
    for text in (
        "X(token, model) = [[1, 2], [3, 4], [5, 6]]",
        "c = 800",
        "s = [2.0, 5.0]",
        "Y(n, model)",
        "D(token=3) = [1, 2, 3]",
        "Q = X * c",
    ):
        b.add(parse_definition(text))
    shapes = {s.name: s.shape_text() for s in b.program().stages}
    assert shapes == {
        "X": "(token=3, model=2)",
        "c": "()",
        "s": "(i=2)",
        "Y": "(n=n, model=2)",
        "D": "(token=3)",
        "Q": "(token=3, model=2)",
    }
    with pytest.raises(ShapeError):
        b.add(parse_definition("E(k=3) = [1, 2]"))
