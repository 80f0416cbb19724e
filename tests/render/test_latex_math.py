"""Formulas: each node has its form, and the forms nest without breaking TeX."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import get_args

import pytest
from sample import e_to, factor, num, products, row, sub

from symattn.errors import RenderError
from symattn.page import math as m
from symattn.page.math import EMPTY, SIGNS, Big, Box, Fence, Fraction, Grid, Name, Root, Row, Script, Sign, Words
from symattn.render.latex_lines import split
from symattn.render.latex_math import MathPrinter, PageMath, ProseMath, math_latex
from symattn.render.latex_width import shape, text_width, width

PRINTERS = (MathPrinter, PageMath, ProseMath)


@pytest.mark.parametrize("printer", PRINTERS)
def test_every_node_of_a_formula_has_a_method(printer: type[MathPrinter]):
    assert printer().nodes == frozenset(get_args(m.Math))


def test_an_unknown_node_is_refused():
    @dataclass(frozen=True)
    class Matrix:
        text: str = ""

    with pytest.raises(RenderError, match="no form for the formula node Matrix"):
        math_latex(Row((Matrix(),)))  # type: ignore[arg-type]


@pytest.mark.parametrize("sign", SIGNS)
def test_every_sign_has_a_form(sign: str):
    assert math_latex(Sign(sign)).strip() or sign == " "


@pytest.mark.parametrize(
    ("math", "latex"),
    [
        (num("-0.156"), "-0.156"),
        (num("83.83%"), r"83.83\%"),
        (num("0.12…"), r"0.12\ldots "),
        (Name("Q"), "Q"),
        (Name("perro"), r"\mathrm{perro}"),
        (Name("x", upright=True), r"\mathrm{x}"),
        (Name("acción"), r"\text{acción}"),
        (Name("α"), r"\alpha "),
        (Name("s", accent="tilde"), r"\tilde{s}"),
        (Name("Z'"), "Z'"),
        (sub("q", "perro", "0"), r"q_{\mathrm{perro},0}"),
        (products(("0.78", "-0.2"), ("1", "2")), "(0.78)(-0.2)+(1)(2)"),
        (Script(Name("Q"), EMPTY, Sign("⊤")), r"Q^{\top }"),
        (Fraction(num("1"), Root(sub("d", "k"))), r"\frac{1}{\sqrt{d_{k}}}"),
        (Fence(Fraction(num("1"), num("2"))), r"\left( \frac{1}{2} \right) "),
        (Fence(Name("x"), "‖‖"), r"\lVert x\rVert "),
        (Fence(row(num("1"), Sign(","), num("2")), "⟨⟩"), r"\langle 1,2\rangle "),
        (Big("sum", row(Name("i"), Sign("="), num("0")), num("3"), Name("x")), r"\sum_{i=0}^{3} x"),
        (Big("max", Name("j"), EMPTY, sub("s", "j")), r"\max_{j} s_{j}"),
        (Words("si "), r"\text{si}\ "),
        (Box(num("1")), "1"),
        (Grid(((num("1"), num("-2")), (num("3"), num("4")))), r"\left(\begin{array}{rr} 1 & -2 \\ 3 & 4 \end{array}\right)"),
    ],
)
def test_forms(math: m.Math, latex: str):
    assert math_latex(math) == latex


def test_two_superscripts_never_meet_on_one_base():
    head = Script(Name("P"), EMPTY, row(Sign(" "), Name("h")))
    assert math_latex(Script(head, EMPTY, Sign("⊤"))) == r"{P^{\ h}}^{\top }"
    assert math_latex(Script(Name("Z'"), EMPTY, num("2"))) == "{Z'}^{2}"
    assert math_latex(Script(num("-2"), EMPTY, num("2"))) == "{-2}^{2}"


def test_the_sign_of_a_number_is_not_an_operator():
    assert math_latex(row(Name("x"), num("-2"))) == "x{-}2"
    assert math_latex(row(Name("x"), Sign("="), num("-2"))) == "x=-2"


def test_a_matrix_entry_that_opens_with_a_bracket_is_no_option_of_the_line_break():
    grid = Grid(((Fence(num("1"), "[]"),), (Fence(num("2"), "[]"),)))
    assert re.search(r"\\\\\s*\[", math_latex(grid)) is None
    assert re.search(r"\\\\\s*\[", PageMath().print(grid)) is None


def test_page_boxes_and_grids_become_the_macros_of_the_page():
    printer = PageMath()
    assert printer.print(Box(num("0.461"), label="1a")) == r"\symresult{0.461}{1a}"
    assert printer.print(Box(num("0.1"), kind="term")) == r"\symtermbox{0.1}"
    assert printer.print(Grid(((num("1"), num("-2.5")),), ("el",))) == r"\symgrid{\symrowname{el}}{2}{-2.5}{1 & -2.5}"
    with pytest.raises(RenderError, match="unknown box kind 'secret'"):
        printer.print(Box(num("1"), kind="secret"))


@pytest.mark.parametrize(
    "math",
    [Sign("!"), Fence(num("1"), "<>"), Big("integral", EMPTY, EMPTY, num("1")), Name("x", accent="ring")],
    ids=lambda x: type(x).__name__,
)
def test_values_outside_the_closed_lists_are_refused(math: m.Math):
    with pytest.raises(RenderError, match="unknown"):
        math_latex(math)


# -- width and breaking -----------------------------------------------------------------------------------------------
def test_a_short_row_is_not_broken():
    assert split(products(("0.50", "0.3"), ("1.15", "0.1")), 104.0) == ["(0.50)(0.3)+(1.15)(0.1)"]


@pytest.mark.parametrize(
    "math",
    [
        products(*[("0.50", "-0.3")] * 9),
        Fence(Row(tuple(x for k in range(30) for x in (Sign(","), num(f"-0.{k:06}")))[1:]), "[]"),
        row(Name("x"), Sign("="), products(*[("0.50", "-0.3")] * 5), Sign("="), Box(num("0.5"))),
    ],
)
@pytest.mark.parametrize("limit", [60.0, 100.0])
def test_a_long_row_is_broken_and_nothing_is_lost(math: m.Math, limit: float):
    pieces = split(math, limit)
    assert len(pieces) > 1
    together = "".join(piece.removeprefix("{}") for piece in pieces)
    assert together == PageMath().print(math)
    assert all(text_width(re.sub(r"\\[a-z]+|[{}]", "", piece)) < 1.1 * limit for piece in pieces)


def test_lines_begin_with_the_sign_and_outer_places_come_first():
    first, *others = split(products(*[("0.50", "-0.3")] * 9), 100.0)
    assert first.endswith(")")
    assert all(piece.startswith("{}+(") for piece in others)
    pieces = split(row(num("1" * 20), Sign("="), Fence(row(num("2" * 20), Sign(","), num("3" * 20)), "[]")), 95.0)
    assert pieces[1].startswith("{}=[")


def test_what_has_no_good_place_stays_in_one():
    assert len(split(num("1" * 200), 100.0)) == 1


def test_formulas_of_one_shape_are_equally_wide():
    assert shape(sub("q", "perro", "0")) == shape(sub("q", "perro", "7"))
    assert shape(factor("0.12")) != shape(factor("-0.12"))
    assert width(e_to(num("0.123"))) == pytest.approx(width(e_to(num("9.876"))))
