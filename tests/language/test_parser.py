"""What expressions are: precedence, numbers, places; and text that reads back."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import LanguageError
from symattn.language.ast import (
    Array,
    At,
    AxisName,
    Call,
    Every,
    Index,
    Keyword,
    Label,
    Name,
    Node,
    Number,
    Operation,
    Relation,
    Sign,
    Text,
    Transpose,
    walk,
)
from symattn.language.functions import FUNCTIONS
from symattn.language.parser import parse, parse_definition, parse_relation
from symattn.language.unparse import number, operands, substitute, unparse


def num(text: str) -> Number:
    return Number(Fraction(text), text)


def test_numbers_are_exact_and_keep_their_text() -> None:
    assert parse("0.50") == Number(Fraction(1, 2), "0.50")
    assert parse("0.50") != parse("0.5")
    assert parse(".5") == Number(Fraction(1, 2), ".5")
    assert parse("1e-3") == Number(Fraction(1, 1000), "1e-3")
    assert parse("2.5E+2") == Number(Fraction(250), "2.5E+2")
    assert parse("0.1").value + parse("0.2").value == Fraction(3, 10)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a / b / c", "(a / b) / c"),
        ("a / b * c", "(a / b) * c"),
        ("Q @ K.T / s", "(Q @ (K.T)) / s"),
        ("-x**2", "-(x**2)"),
        ("x**-2", "x**(-2)"),
        ("2**3**2", "2**(3**2)"),
        ("-a * b", "(-a) * b"),
        ("a * -b**2 * c", "(a * (-(b**2))) * c"),
        ("a - -b", "a - (-b)"),
        ("2**-3 * 4", "(2**(-3)) * 4"),
        ("A.T[0]", "(A.T)[0]"),
        ("A[0].T @ x", "((A[0]).T) @ x"),
        ("−a × b ÷ c", "((-a) * b) / c"),
        ("2 · x ⊙ y", "(2 * x) * y"),
    ],
)
def test_precedence(text: str, grouped: str) -> None:
    assert parse(text) == parse(grouped)


def test_the_shape_of_a_formula() -> None:
    assert parse('attention(Q, K, V, mask="causal")[perro, 0]') == Index(
        Call("attention", (Name("Q"), Name("K"), Name("V")), (Keyword("mask", Text("causal")),)), (Label("perro"), At(0))
    )
    assert parse("[[1, -2.0], [1/3, x]]") == Array(
        (Array((num("1"), Sign("-", num("2.0")))), Array((Operation("/", num("1"), num("3")), Name("x"))))
    )
    assert parse("A[:,1]") == Index(Name("A"), (Every(), At(1)))
    assert parse("P.row_sums[el]") == Index(Name("P.row_sums"), (Label("el"),))


def test_words_of_python_and_functions_may_label_entries() -> None:
    assert parse("P[it, is]") == Index(Name("P"), (Label("it"), Label("is")))
    assert parse("P[max]") == Index(Name("P"), (Label("max"),))


def test_names_are_composed() -> None:
    assert parse("an\u0303o") == Name("año")


def test_every_node_knows_its_place() -> None:
    node = parse("a +\n  exp(b[0])", "sheet.md", first_line=7, first_column=11)
    assert isinstance(node, Operation)
    assert (node.line, node.column) == (7, 13)
    assert (node.a.line, node.a.column) == (7, 11)
    assert (node.b.line, node.b.column) == (8, 3)
    assert node.place.path == "sheet.md"
    assert {type(n).__name__: (n.line, n.column) for n in walk(node)}["Index"] == (8, 8)


def test_comments_and_line_ends_are_white_space() -> None:
    assert parse("[1, # one\n 2]  # two") == parse("[1, 2]")


def test_relations_chain() -> None:
    assert parse_relation("0 < P[0] ≤ P[1] != x") == Relation((num("0"), parse("P[0]"), parse("P[1]"), Name("x")), ("<", "<=", "!="))
    assert parse_relation("a ≠ b") == parse_relation("a != b")
    assert unparse(parse_relation("0<a  >=  b")) == "0 < a >= b"


def test_definitions() -> None:
    plain = parse_definition("Q = X @ W_Q  # queries")
    assert (plain.name, plain.axes, plain.value, plain.declared) == ("Q", (), parse("X @ W_Q"), False)
    declared = parse_definition("X(token, 4, model=2) = [[1]]")
    assert declared.axes == (AxisName("token"), AxisName("", 4), AxisName("model", 2))
    assert unparse(declared) == "X(token, 4, model=2) = [[1]]"
    later = parse_definition("X(n, d)")
    assert (later.value, later.declared) == (None, True)
    assert parse_definition("c() = 3").declared


# -- text reads back ----------------------------------------------------------------------------------------------------------
NAMES = st.sampled_from(["Q", "W_Q", "x", "año", "P.row_sums", "_1"])
NUMBERS = st.sampled_from(["0", "0.50", "1e-3", "2.5E+2", ".5", "12", "0.150"]).map(num)
ITEMS = st.one_of(st.integers(0, 9).map(At), st.sampled_from(["perro", "it", "max"]).map(Label), st.just(Every()))


def extend(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    scalar = st.sampled_from([name for name, row in FUNCTIONS.items() if row.kind == "scalar"])
    keyword = st.one_of(
        st.builds(Keyword, st.just("axis"), inner), st.builds(Keyword, st.just("axis"), st.sampled_from(["a", "it's", 'say "b"']).map(Text))
    )
    rows = st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(inner, min_size=n, max_size=n), min_size=1, max_size=3))
    plain: Any = inner.filter(lambda n: not isinstance(n, Array))
    return st.one_of(
        st.builds(Sign, st.sampled_from("+-"), inner),
        st.builds(Operation, st.sampled_from(["+", "-", "*", "/", "@", "**"]), inner, inner),
        st.builds(Transpose, inner),
        st.builds(Index, inner, st.lists(ITEMS, min_size=1, max_size=3).map(tuple)),
        st.builds(Call, scalar, st.tuples(inner)),
        st.builds(Call, st.just("sum"), st.tuples(inner), st.tuples(keyword)),
        st.lists(plain, min_size=1, max_size=4).map(lambda x: Array(tuple(x))),
        rows.filter(lambda r: not any(isinstance(x, Array) for row in r for x in row)).map(
            lambda r: Array(tuple(Array(tuple(row)) for row in r))
        ),
    )


NODES: st.SearchStrategy[Node] = st.recursive(st.one_of(NAMES.map(Name), NUMBERS), extend, max_leaves=12)


@settings(max_examples=2000, deadline=None, derandomize=True)
@given(NODES)
def test_text_reads_back(node: Node) -> None:
    assert parse(unparse(node)) == node


@settings(max_examples=300, deadline=None, derandomize=True)
@given(NODES, st.data())
def test_no_parenthesis_can_be_left_out(node: Node, data: st.DataObject) -> None:
    """Without any one pair of grouping parentheses the text means something else, or nothing."""
    text = unparse(node)
    pairs = grouping_pairs(text)
    if not pairs:
        return
    first, last = data.draw(st.sampled_from(pairs))
    fewer = text[:first] + text[first + 1 : last] + text[last + 1 :]
    try:
        other = parse(fewer)
    except LanguageError:
        return
    assert other != node


def grouping_pairs(text: str) -> list[tuple[int, int]]:
    """Places of parentheses that are no call's."""
    found: list[tuple[int, int]] = []
    waiting: list[int] = []
    quote = ""
    for k, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "(":
            waiting.append(k)
        elif char == ")":
            first = waiting.pop()
            if not first or not (text[first - 1].isalnum() or text[first - 1] == "_"):
                found.append((first, k))
    return found


def test_exact_numbers_as_text() -> None:
    for text, shown in [("1/3", "1 / 3"), ("-1/4", "-0.25"), ("7", "7"), ("-0.050", "-0.050"), ("1/1024", "0.0009765625")]:
        assert unparse(number(text)) == shown
    assert unparse(number(Fraction(-5, 2))) == "-2.5"


def test_operands_and_substitution() -> None:
    node = parse("X[perro] @ W_Q[:,0] / sqrt(d_k) + X[perro][0] + exp(X)")
    assert [unparse(o) for o in operands(node)] == ["X[perro]", "W_Q[:,0]", "d_k", "X"]
    swapped = substitute(node, {parse("X[perro]"): parse("[0.5, 1]"), Name("d_k"): num("4"), Name("X"): Name("Y")})
    assert unparse(swapped) == "[0.5, 1] @ W_Q[:,0] / sqrt(4) + [0.5, 1][0] + exp(Y)"
    assert substitute(node, {}) == node
    assert unparse(substitute(parse("a - b"), {Name("b"): parse("c - d")})) == "a - (c - d)"
