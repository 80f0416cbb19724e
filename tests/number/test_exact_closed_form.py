"""Closed forms: what is written is the number, and its text reads back."""

from __future__ import annotations

import ast
from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.interp.evaluate import evaluate
from symattn.language.prompt import compile_text
from symattn.number.closed_form import FEW, closed_form_math
from symattn.number.exact import Exact, total
from symattn.number.truth import Truth
from symattn.page import math as m

E = Exact.of
E5 = (5 * E(2).sqrt()).exp()


def read(text: str) -> Exact:
    """The text as the language reads it; numerals are taken as text, nothing is run."""
    tree = ast.parse(text, mode="eval").body

    def go(node: ast.expr) -> Exact:
        match node:
            case ast.Constant():
                return E(ast.get_source_segment(text, node) or "")
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return -go(x)
            case ast.BinOp(left=a, op=op, right=b):
                x, y = go(a), go(b)
                match op:
                    case ast.Add():
                        return x + y
                    case ast.Sub():
                        return x - y
                    case ast.Mult():
                        return x * y
                    case ast.Div():
                        return x / y
                    case ast.Pow():
                        return x.power(y.rational() or F(0))
            case ast.Call(func=ast.Name(id=name), args=[x]) if name in ("exp", "sqrt", "log"):
                return getattr(go(x), name)()
        raise AssertionError(ast.dump(node))

    return go(tree)


def text(x: Exact) -> str:
    form = x.closed_form()
    assert form is not None
    return form.text


@pytest.mark.parametrize(
    ("x", "written"),
    [
        (E(7), "7"),
        (E(-3), "-3"),
        (E("0.3387255"), "0.3387255"),
        (E("1/3"), "1/3"),
        (E("-2/7"), "-2/7"),
        (E(5) * E(2).sqrt(), "5*sqrt(2)"),
        (E("0.477") * E(2).sqrt(), "0.477*sqrt(2)"),
        (E("2/3") * E(2).sqrt() - 1, "2*sqrt(2)/3 - 1"),
        (E(1).exp(), "exp(1)"),
        (-E5 - 1, "-1 - exp(5*sqrt(2))"),
        ((3 + 4 * E5) / (2 + E5), "4 - 5/(2 + exp(5*sqrt(2)))"),
        (4 - 5 / (2 + E5), "4 - 5/(2 + exp(5*sqrt(2)))"),
        (E5 / (2 + E5) + 2 / (2 + E5), "1"),
        (E(2).exp() / (E(2).exp() + E(5).exp() + E(1).exp()), "1/(1 + exp(-1) + exp(3))"),
        (1 / (1 + E5) / (1 + E5), "1/(1 + exp(5*sqrt(2)))**2"),
        (1 / (1 + E5) + 1 / (2 + E(1).exp()), "1/(1 + exp(5*sqrt(2))) + 1/(2 + exp(1))"),
        (3 * E(2).log() - 5, "3*log(2) - 5"),
        ((1 + E(2).sqrt()) * E5, "(1 + sqrt(2))*exp(5*sqrt(2))"),
        (E(2).tanh(), "1 - 2/(1 + exp(4))"),
    ],
)
def test_written_forms(x, written):
    assert text(x) == written
    assert read(written).equals(x) is Truth.YES
    assert closed_form_math(x) is not None


@pytest.mark.parametrize(
    "x",
    [
        (3 + 4 * E5) / (2 + E5),
        -E("2/7") * E(3).sqrt() - 1,
        1 / (1 + E5) / (1 + E5) - E("0.125"),
        3 * E(2).log() - 5,
        (1 + E(2).sqrt()) * E5,
        E("-1/3") * E(1).exp(),
    ],
)
def test_the_language_itself_reads_them_back(x):
    compiled = compile_text(text(x))
    assert evaluate(compiled.program, compiled.feeds)[compiled.output][()].equals(x) is Truth.YES


def test_a_wrong_closed_form_would_be_seen():
    x = (3 + 4 * E5) / (2 + E5)
    for lie in ("4 - 5/(2 + exp(5*sqrt(3)))", "4 - 6/(2 + exp(5*sqrt(2)))", "4 + 5/(2 + exp(5*sqrt(2)))", "4 - 5/2 + exp(5*sqrt(2))"):
        assert read(lie).equals(x) is Truth.NO


def softmax(scores: list[str]) -> list[Exact]:
    powers = [E(s).exp() for s in scores]
    z = total(powers)
    return [p / z for p in powers]


def test_five_scores_are_brief_and_six_are_a_ratio_of_sums():
    five = softmax(["2.0", "5.0", "1.0", "0.5", "-1.25"])
    assert [w.closed_form().exponentials for w in five] == [FEW] * 5
    assert all(w.closed_form().brief for w in five)
    six = softmax(["2.0", "5.0", "1.0", "0.5", "-1.25", "0"])[1].closed_form()
    assert six.exponentials == 5
    assert not six.brief
    assert read(six.text).equals(softmax(["2.0", "5.0", "1.0", "0.5", "-1.25", "0"])[1]) is Truth.YES


def test_long_things_have_none():
    assert E(F(10**30, 7**30)).closed_form() is None
    assert (E(7) ** 2000).closed_form() is None
    assert softmax([str(k) for k in range(40)])[0].closed_form() is None
    assert total(E(k).exp() for k in range(60)).closed_form() is None


@given(st.lists(st.decimals(-3, 3, places=2), min_size=2, max_size=5), st.lists(st.integers(-5, 9), min_size=5, max_size=5))
@settings(max_examples=60, deadline=None)
def test_forms_read_back(scores, values):
    weights = softmax([str(s) for s in scores])
    x = total(w * v for w, v in zip(weights, values, strict=False))
    form = x.closed_form()
    assert form is not None
    assert form.exponentials <= FEW
    assert read(form.text).equals(x) is Truth.YES


def test_the_formula_has_the_same_parts():
    assert closed_form_math((3 + 4 * E5) / (2 + E5)) == m.Row(
        (
            m.Number("4"),
            m.Sign("-"),
            m.Fraction(
                m.Number("5"),
                m.Row((m.Number("2"), m.Sign("+"), m.Script(m.Name("e"), sup=m.Row((m.Number("5"), m.Root(m.Number("2"))))))),
            ),
        )
    )
    assert closed_form_math(E("-1/3")) == m.Row((m.Sign("-"), m.Fraction(m.Number("1"), m.Number("3"))))
    assert closed_form_math((1 + E(2).sqrt()) * E(1).exp()) == m.Row(
        (m.Fence(m.Row((m.Number("1"), m.Sign("+"), m.Root(m.Number("2"))))), m.Name("e"))
    )
