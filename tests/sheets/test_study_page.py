"""The page of a study: everything of it, in both languages, through every renderer; in print without a complaint."""

from __future__ import annotations

import re
import shutil
from functools import cache

import pytest

from symattn.errors import SheetError
from symattn.number.formats import FLOAT16, FLOAT32
from symattn.page import nodes as n
from symattn.render.html import to_html
from symattn.render.latex import to_latex
from symattn.render.markdown import to_markdown
from symattn.render.pdf import run_log
from symattn.render.terminal import to_text
from symattn.sheets.study_page import figure, study_page
from symattn.study import STUDIES, overflow, saturation, scaling, shift
from symattn.study import error as error_of
from symattn.study.result import Cell, Study, same


@cache
def study(name: str) -> Study:
    """A small study of each kind."""
    match name:
        case "overflow":
            return overflow()
        case "shift":
            return shift()
        case "scaling":
            return scaling(samples=500, rows=20)
        case "saturation":
            return saturation()
        case _:
            return error_of((FLOAT32, FLOAT16), tokens=12, d_k=8)


@pytest.mark.parametrize("lang", ["es", "en"])
@pytest.mark.parametrize("name", STUDIES)
def test_every_study_is_a_page_in_every_form(name: str, lang: str) -> None:
    found = study(name)
    page = study_page(found, lang)
    tables = [b for b in page.blocks if isinstance(b, n.Table)]
    assert [len(t.rows) for t in tables] == [len(t.rows) for t in found.tables]
    assert sum(isinstance(b, n.Figure) for b in page.blocks) == 1
    for render in (to_latex, to_html, to_markdown):
        written = render(page)
        assert "$" not in re.sub(r"\\\$|\$[^$]*\$", "", written) or render is to_html
    text = to_text(page, width=100)
    assert max(map(len, text.split("\n"))) <= 100
    assert ("Tabla 1." if lang == "es" else "Table 1.") in text
    assert to_html(page) == to_html(study_page(found, lang))


@pytest.mark.parametrize("name", STUDIES)
def test_tables_fit_a_terminal_as_tables(name: str) -> None:
    """No table of a study falls back to one entry a line at 100 columns."""
    for lang in ("es", "en"):
        text = to_text(study_page(study(name), lang), width=100)
        assert text.count("─" * 20) >= 3 * len(study(name).tables)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("name", STUDIES)
def test_in_print_without_a_complaint(name: str) -> None:
    for lang, paper in (("es", "a4"), ("en", "letter")):
        log = run_log(to_latex(study_page(study(name), lang), paper=paper))
        assert [line for line in log.split("\n") if re.search(r"Overfull|Underfull|[Uu]ndefined|Missing|Warning", line)] == []


def test_cells_are_numbers_words_or_formulas() -> None:
    from symattn.sheets.study_page import _Writer

    cell = _Writer("en").cell
    assert cell(Cell("-2.5")).number == "-2.5"
    assert cell(Cell("709.78", same("709.78…"))).number == "709.78…"
    assert cell(Cell("x")).items == (n.Text("x"),)
    assert isinstance(cell(Cell("2**-3", same("$2^{-3}$"))).items[0], n.Formula)
    assert cell(Cell("")) == n.Cell()


def test_a_formula_outside_the_subset_is_refused() -> None:
    from dataclasses import replace

    with pytest.raises(SheetError, match="input"):
        study_page(replace(study("overflow"), opening=same(r"$\input{x}$")))


def test_the_figure_alone() -> None:
    node = figure(study("saturation").plot, "en")
    assert [len(panel.curves) for panel in node.panels] == [3, 3]
    assert node.panels[1].thresholds[0].axis == "x"
