"""MathML: one method a node, the right element for each, signs that know whether they stand between two things."""

from __future__ import annotations

from typing import get_args

import pytest
from payloads import outline

from symattn.errors import RenderError
from symattn.page import math as m
from symattn.render.html_math import METHODS, MathStyle, formula, inline, mathml

X, Y = m.Name("x"), m.Name("y")


def test_every_node_has_a_method():
    assert [node for node in get_args(m.Math) if node not in METHODS] == []


def test_a_missing_method_is_seen_and_an_unknown_node_refused():
    assert [node for node in get_args(m.Math) if node not in {k: v for k, v in METHODS.items() if k is not m.Root}] == [m.Root]
    with pytest.raises(RenderError, match="no MathML for the formula node int"):
        mathml(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (m.Number("0.5"), "<mn>0.5</mn>"),
        (m.Number("-0.5"), '<mrow><mo form="prefix">−</mo><mn>0.5</mn></mrow>'),
        (m.Number("83.83%"), "<mn>83.83%</mn>"),
        (X, "<mi>x</mi>"),
        (m.Name("e", upright=True), '<mi mathvariant="normal">e</mi>'),
        (m.Name("s", accent="tilde"), '<mover accent="true"><mi>s</mi><mo stretchy="false">~</mo></mover>'),
        (m.Sign("⊤"), '<mi mathvariant="normal">⊤</mi>'),
        (m.Sign("<"), "<mo>&lt;</mo>"),
        (m.Script(X, m.Name("i")), "<msub><mi>x</mi><mi>i</mi></msub>"),
        (m.Script(X, m.EMPTY, m.Number("2")), "<msup><mi>x</mi><mn>2</mn></msup>"),
        (m.Script(X, m.Name("i"), m.Number("2")), "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (m.Fraction(X, Y), "<mfrac><mi>x</mi><mi>y</mi></mfrac>"),
        (m.Root(X), "<msqrt><mi>x</mi></msqrt>"),
        (m.Words(" si "), "<mtext>\u00a0si\u00a0</mtext>"),
    ],
)
def test_elements(node: m.Math, expected: str):
    assert mathml(node) == expected


def test_big_operators_carry_their_bounds():
    both = mathml(m.Big("sum", m.Name("i"), m.Number("3"), X))
    assert both.startswith("<mrow><munderover><mo")
    assert "∑</mo><mi>i</mi><mn>3</mn></munderover><mi>x</mi></mrow>" in both
    assert "<munder>" in mathml(m.Big("max", m.Name("j"), m.EMPTY, X))
    assert "munder" not in mathml(m.Big("prod", m.EMPTY, m.EMPTY, X))


def test_a_sign_between_two_things_is_infix_and_before_one_a_prefix():
    between = mathml(m.Row((X, m.Sign("-"), Y)))
    assert '<mo form="infix">−</mo>' in between
    before = mathml(m.Row((m.Sign("-"), Y)))
    assert '<mo form="prefix">−</mo>' in before
    assert '<mo>=</mo><mo form="prefix">−</mo>' in mathml(m.Row((X, m.Sign("="), m.Sign("-"), Y)))


def test_matrices_keep_their_row_names_outside_the_parentheses():
    text = mathml(m.Grid(((m.Number("1"), m.Number("-2")),), ("el",)))
    assert text.index("el") < text.index("(</mo>")
    assert 'style="--c:2"' in text  # all columns as wide as the widest entry


def test_parentheses_stay_small_around_numbers():
    assert '<mo stretchy="false">(</mo>' in mathml(m.Fence(m.Script(X, m.Name("i"))))
    assert "<mo>(</mo>" in mathml(m.Fence(m.Fraction(X, Y)))


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (m.Fence(X, "<>"), "no MathML for the pair '<>'"),
        (m.Big("int", X, X, X), "no MathML for the operator 'int'"),
        (m.Name("x", accent="ring"), "no MathML for the accent 'ring'"),
        (m.Sign("⇒"), "no MathML for the sign '⇒'"),
    ],
)
def test_what_has_no_form_is_refused(node: m.Math, message: str):
    with pytest.raises(RenderError, match=message):
        mathml(node)


# -- rows ---------------------------------------------------------------------------------------------------------------
LONG = m.Row(
    tuple(part for k in range(6) for part in ((m.Sign("+"),) if k else ()) + (m.Fence(m.Number(f"0.{k}5")), m.Fence(m.Number("-1.25"))))
)


def test_a_long_row_may_break_before_its_plus_signs_only():
    text = formula(LONG)
    assert text.count("<wbr>") == 5
    assert all(part.startswith(('<math alttext="(0', '<math alttext="+ (0')) for part in text.split("<wbr>"))
    assert '<mo form="infix">+</mo>' in text
    assert "<wbr>" not in formula(m.Row((X, m.Sign("+"), Y)))


def test_a_box_stays_with_the_sign_before_it():
    text = formula(m.Row((m.Number("1"), m.Sign("="), m.Box(m.Number("0.5"), label="1a", id="n1"))))
    first, second = text.split("<wbr>")
    assert first.endswith("</math>")
    assert second.startswith('<span class="k"><math alttext="="')
    assert '<span class="box result" data-number="n1"><math alttext="0.5"' in second


def test_boxes_empty_in_the_student_version():
    node = m.Row((m.Box(m.Number("0.5"), label="1a"), m.Sign("+"), m.Box(m.Number("0.25"), kind="term")))
    results = formula(node, MathStyle(results=True))
    assert '<span class="box result blank"><span class="label">1a</span></span>' in results
    assert "0.5" not in results.replace("0.25", "")
    assert "0.25" in results
    assert "0.25" not in formula(node, MathStyle(results=True, terms=True))


def test_a_box_inside_a_construct_is_tinted_or_empty():
    node = m.Fraction(m.Box(m.Number("3"), label="1a"), Y)
    assert '<mfrac><mrow class="tint"><mn>3</mn></mrow>' in inline(node)
    empty = inline(node, MathStyle(results=True))
    assert '<mtext><span class="box result blank">' in empty
    assert "<mn>3</mn>" not in empty
    assert outline(empty).trouble == []


def test_a_wide_blank_parts_two_formulas():
    text = formula(m.Row((X, m.Words("    "), Y)))
    assert '<span class="gap"></span>' in text
    assert text.count("<math") == 2
