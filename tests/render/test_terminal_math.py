"""Formulas as one line of text, and what happens to the characters of a document on the way."""

from __future__ import annotations

import unicodedata
from typing import get_args

import pytest

from symattn.errors import RenderError
from symattn.page import math as m
from symattn.render.leaf import cell_width, to_ascii, visible
from symattn.render.terminal_math import ASCII, METHODS, UNICODE, math_block, math_text

X, E = m.Name("x"), m.Name("e")
D_K = m.Script(m.Name("d"), m.Name("k"))


def row(*items: m.Math) -> m.Row:
    return m.Row(items)


def word(text: str) -> m.Name:
    return m.Name(text, upright=True)


Q = m.Script(m.Name("q"), row(word("perro"), m.Sign(","), m.Number("0")))
SCALED = m.Script(m.Name("s", accent="tilde"), row(word("perro"), m.Sign(","), m.Name("j")))


def test_every_node_has_a_method():
    assert [node for node in get_args(m.Math) if node not in METHODS] == []


def test_a_missing_method_is_seen_and_an_unknown_node_refused():
    assert [node for node in get_args(m.Math) if node not in {k: v for k, v in METHODS.items() if k is not m.Big}] == [m.Big]
    with pytest.raises(RenderError, match="no line of text for the formula node float"):
        math_text(0.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("node", "plain", "shown"),
    [
        (m.Script(E, m.EMPTY, m.Number("0.3387255")), "e^0.3387255", "e^0.3387255"),
        (m.Script(E, m.EMPTY, m.Number("-0.5")), "e^(-0.5)", "e^(−0.5)"),
        (m.Script(E, m.EMPTY, SCALED), "e^s'[perro,j]", "e^s'[perro,j]"),
        (m.Script(E, m.EMPTY, row(X, m.Sign("+"), m.Number("1"))), "e^(x + 1)", "e^(x + 1)"),
        (m.Root(D_K), "sqrt(d_k)", "√d_k"),
        (m.Root(row(X, m.Sign("+"), m.Number("1"))), "sqrt(x + 1)", "√(x + 1)"),
        (m.Script(m.Name("d"), word("model")), "d_model", "d_model"),
        (m.Script(m.Name("V"), word("el")), "V[el]", "V[el]"),
        (m.Script(m.Fence(m.Script(m.Name("W"), m.Name("Q"))), row(m.Name("i"), m.Name("j"))), "W_Q[i,j]", "W_Q[i,j]"),
        (m.Script(m.Name("K"), m.EMPTY, m.Sign("⊤")), "K^T", "K^T"),
        (m.Fraction(row(X, m.Sign("+"), m.Number("1")), m.Root(D_K)), "(x + 1)/sqrt(d_k)", "(x + 1)/√d_k"),
        (m.Fraction(m.Number("1"), row(m.Number("2"), X)), "1/(2 x)", "1/(2 x)"),
        (m.Script(m.Fraction(m.Number("1"), m.Number("2")), m.EMPTY, m.Number("2")), "(1/2)^2", "(1/2)^2"),
        (m.Big("sum", row(m.Name("i"), m.Sign("="), m.Number("0")), m.Number("3"), X), "sum(i=0..3) x", "Σ(i=0..3) x"),
        (m.Big("max", m.Name("j"), m.EMPTY, X), "max(j) x", "max(j) x"),
        (m.Grid(((m.Number("1"), m.Number("-2")), (m.Number("3"), m.Number("4")))), "[[1, -2], [3, 4]]", "[[1, −2], [3, 4]]"),
        (row(word("softmax"), m.Fence(X)), "softmax(x)", "softmax(x)"),
        (row(X, m.Sign("="), m.Sign("-"), m.Number("1")), "x = -1", "x = −1"),
        (row(m.Number("10"), m.Sign("<"), X, m.Sign("≤"), m.Number("3")), "10 < x ≤ 3", "10 < x ≤ 3"),
        (row(m.Number("0.677451"), m.Sign("/"), m.Number("2")), "0.677451/2", "0.677451/2"),
        (m.Fence(row(m.Number("1"), m.Sign(","), m.Number("2")), "[]"), "[1, 2]", "[1, 2]"),
        (m.Box(m.Number("0.5"), label="1a"), "0.5", "0.5"),
        (m.EMPTY, "", ""),
    ],
)
def test_lines(node: m.Math, plain: str, shown: str):
    assert math_text(node) == plain
    assert math_text(node, UNICODE) == shown
    assert math_text(node, ASCII).isascii()


def test_a_dot_product_reads_like_the_worksheet():
    products = row(m.Fence(m.Number("0.50")), m.Fence(m.Number("0.3")), m.Sign("+"), m.Fence(m.Number("0.78")), m.Fence(m.Number("-0.2")))
    assert math_text(row(Q, m.Sign("="), products)) == "q[perro,0] = (0.50)(0.3) + (0.78)(-0.2)"


def test_parentheses_are_never_lost():
    """Two trees with different meanings never share a line."""
    a, b, two = m.Name("a"), m.Name("b"), m.Number("2")
    trees = [
        m.Fraction(row(a, m.Sign("+"), b), two),
        row(a, m.Sign("+"), m.Fraction(b, two)),
        m.Script(a, m.EMPTY, m.Fraction(b, two)),
        m.Fraction(m.Script(a, m.EMPTY, b), two),
        m.Fraction(a, m.Fraction(b, two)),
        m.Fraction(m.Fraction(a, b), two),
        m.Script(m.Script(a, m.EMPTY, b), m.EMPTY, two),
        m.Script(a, m.EMPTY, m.Script(b, m.EMPTY, two)),
        m.Root(m.Fraction(a, b)),
        m.Fraction(m.Root(a), b),
    ]
    for look in (UNICODE, ASCII):
        lines = [math_text(tree, look) for tree in trees]
        assert len(set(lines)) == len(lines)


def test_no_combining_characters():
    accented = row(*(m.Name("s", accent=accent) for accent in ("hat", "tilde", "bar")))
    assert not any(unicodedata.combining(char) for char in math_text(accented, UNICODE))
    assert math_text(m.Name("s", accent="tilde")) == "s'"


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (m.Name("x", accent="ring"), "accent 'ring'"),
        (m.Big("int", X, X, X), "no big operator 'int'"),
        (m.Sign("⇒"), "the sign '⇒'"),
        (m.Fence(X, "("), "a pair of signs"),
    ],
)
def test_what_has_no_notation_is_refused(node: m.Math, message: str):
    with pytest.raises(RenderError, match=message):
        math_text(node)


def test_a_matrix_stands_on_several_lines():
    node = row(m.Name("X"), m.Sign("="), m.Grid(((m.Number("0.21"), m.Number("-0.4")), (m.Number("1"), m.Number("2"))), ("el", "perro")))
    assert math_block(node, UNICODE) == ["X =     el [ 0.21  −0.4 ]", "     perro [    1     2 ]"]


# -- characters -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "shown", "ascii"),
    [
        ("\x1b[31m", "␛[31m", "^[[31m"),
        ("a\tb\nc", "a b c", "a b c"),
        ("\x7f", "␡", "^?"),
        ("\x9b2J", "\ufffd2J", "?2J"),
        ("\u202eabc", "\ufffdabc", "?abc"),
        ("\ud800", "\ufffd", "?"),
        ("término ñ", "término ñ", "termino n"),
        ("√d_k ≈ 2 → π", "√d_k ≈ 2 → π", "sqrt d_k ~ 2 -> pi"),
        ("e\u0301", "é", "e"),
        ("漢", "漢", "?"),
    ],
)
def test_characters_are_shown_or_spelled(text: str, shown: str, ascii: str):
    assert visible(text) == shown
    assert to_ascii(visible(text)) == ascii
    shown.encode("utf-8")


def test_widths():
    assert cell_width("abc") == 3
    assert cell_width("漢字") == 4
    assert cell_width("e\u0301x") == 2
    assert cell_width("✅") == 2
    assert cell_width("\x0ebold\x0f") == 4  # our own marks take no room


def test_every_character_of_a_formula_is_ascii_on_request():
    signs = row(*(m.Sign(text) for text in m.SIGNS))
    greek = row(*(m.Name(text) for text in "αβγδεζηθκλμνξπρστφχψωΓΔΘΛΠΣΦΨΩ∂"))
    assert math_text(signs, ASCII).isascii()
    assert math_text(greek, ASCII).isascii()
    assert "?" not in math_text(greek, ASCII)


def test_spaces_between_two_formulas_become_one_wide_blank():
    node = row(X, m.Sign(" "), m.Sign(" "), m.Name("i"), m.Sign("="), m.Number("0"), m.Sign(" "))
    assert math_text(node) == "x    i = 0"
    assert math_text(row(X, m.Sign(" "), m.Name("y"))) == "x y"
    assert math_text(m.Fence(row(m.Number("2"), m.Sign(","), m.Sign(" "), m.Number("5")), "[]")) == "[2, 5]"
