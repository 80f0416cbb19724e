"""Figures as files: three formats, the same bytes again, text as text, one clear line where matplotlib is missing."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sample import plot

from symattn.errors import InputError, UnsupportedError
from symattn.page import nodes as n
from symattn.page.math import EMPTY, Name, Number, Script
from symattn.render.matplotlib_plot import check_path, figure_bytes, text_of, to_matplotlib

pytest.importorskip("matplotlib", reason="matplotlib is not installed")


@pytest.mark.parametrize(("ending", "start"), [(".svg", b"<?xml"), (".PNG", b"\x89PNG"), (".pdf", b"%PDF")])
def test_three_formats_and_the_same_bytes_again(ending: str, start: bytes) -> None:
    first, again = figure_bytes(plot("es"), ending), figure_bytes(plot("es"), ending)
    assert first.startswith(start)
    assert first == again
    assert first != figure_bytes(plot("en"), ending)


def test_text_of_an_svg_is_text_and_nothing_dates_it() -> None:
    svg = figure_bytes(plot("es"), ".svg").decode()
    assert "desde aquí cero" in svg
    assert "dc:date" not in svg
    assert "http" not in svg.replace("http://www.w3.org", "").replace("http://purl.org", "").replace("http://creativecommons.org", "")


def test_axes_are_those_of_the_page() -> None:
    drawing = to_matplotlib(plot("es"))
    first, second = drawing.axes
    assert second.get_yscale() == "log"
    assert first.get_xlim() == (0.0, 20.0)
    assert [t.get_text() for t in second.get_yticklabels()] == ["1", "10${}^{\\mathrm{−4}}$"]
    assert tuple(round(x * 25.4) for x in drawing.get_size_inches()) == (164, 60)
    assert len(second.lines) == 4 + 2  # curves and thresholds


def test_labels_cannot_become_formulas() -> None:
    assert text_of((n.Text("5 $x$ \\frac"),)) == r"5 \$x\$ \\frac"
    hostile = n.Formula(Script(Name("a$_b"), EMPTY, Number("{}%\\")))
    label = text_of((hostile,))
    node = replace(plot("es"), panels=(replace(plot("es").panels[0], title=(hostile, n.Text("$\\input{x}$"))),))
    assert label.count("$") % 2 == label.count(r"\$") % 2
    assert figure_bytes(node, ".svg").startswith(b"<?xml")


def test_the_place_is_checked_first(tmp_path: Path) -> None:
    check_path(tmp_path / "a.svg")
    for name in ("a.gif", "a", "svg"):
        with pytest.raises(InputError, match=r"\.svg, \.png, \.pdf"):
            check_path(tmp_path / name)


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'symattn\[plots\]'"):
        check_path(tmp_path / "a.svg")
