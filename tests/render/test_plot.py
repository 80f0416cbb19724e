"""Figures: what is drawn stays inside its axes, says its words in every renderer, and refuses what it does not know."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from sample import plot, sample_page

from symattn.errors import RenderError
from symattn.page import nodes as n
from symattn.page.math import Fraction, Name, Number, Root, Row, Script, Sign
from symattn.render.html import to_html
from symattn.render.latex import to_latex
from symattn.render.markdown import to_markdown
from symattn.render.plot_layout import Dots, Label, Stroke, frame_of, panel_widths, shapes
from symattn.render.plot_text import Run, runs
from symattn.render.terminal import to_text

UNIT = n.Scale((), 0.0, 1.0, ())


def panel(*points: tuple[float, float], style: str = "solid", **changes: object) -> n.Panel:
    return replace(n.Panel((), UNIT, UNIT, (n.Curve(points, style),)), **changes)  # type: ignore[arg-type]


def strokes(node: n.Panel) -> list[tuple[tuple[float, float], ...]]:
    return [s.points for s in shapes(node, 80.0) if isinstance(s, Stroke) and s.role == "curve"]


def page(figure: n.Figure) -> n.Page:
    return replace(sample_page("en"), blocks=(figure,))


def test_nothing_leaves_its_axes() -> None:
    for node, mm in zip(plot("es").panels, panel_widths(plot("es")), strict=True):
        frame = frame_of(node, mm)
        drawn = [p for s in shapes(node, mm) if isinstance(s, Stroke | Dots) and getattr(s, "role", "curve") == "curve" for p in s.points]
        assert len(drawn) > 40
        assert all(frame.left - 0.01 <= x <= frame.right + 0.01 and frame.top - 0.01 <= y <= frame.bottom + 0.01 for x, y in drawn)


def test_a_line_that_leaves_and_comes_back_is_two_lines_cut_at_the_edge() -> None:
    frame = frame_of(panel((0, 0)), 80.0)
    first, second = strokes(panel((0.0, 0.5), (0.5, 1.5), (1.0, 0.5)))
    assert first[-1] == pytest.approx((frame.x(0.25), frame.top))
    assert second[0] == pytest.approx((frame.x(0.75), frame.top))
    assert len(strokes(panel((0.0, 0.5), (0.5, 0.9), (1.0, 0.5)))) == 1
    assert strokes(panel((0.0, 2.0), (1.0, 2.0))) == []


def test_what_is_no_number_breaks_a_line_and_infinity_leaves_it_straight() -> None:
    assert len(strokes(panel((0.0, 0.1), (0.2, 0.1), (0.4, math.nan), (0.6, 0.1), (0.8, 0.1)))) == 2
    (only,) = strokes(panel((0.0, 0.1), (0.5, 0.1), (0.5, math.inf)))
    assert only[-1][0] == pytest.approx(frame_of(panel((0, 0)), 80.0).x(0.5))
    log = replace(UNIT, low=0.01, log=True)
    assert strokes(panel((0.0, 0.1), (0.5, 0.0), y=log))[0][-1][1] == pytest.approx(49.5)


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        (n.Figure(()), "one panel or two, not 0"),
        (n.Figure((panel((0, 0)),) * 3), "one panel or two, not 3"),
        (n.Figure((panel((0, 0), style="wavy"),)), "unknown style 'wavy'"),
        (n.Figure((panel((0, 0), curves=(n.Curve((), name=(n.Text("a"),), anchor="up"),)),)), "unknown anchor 'up'"),
        (n.Figure((panel((0, 0), thresholds=(n.Threshold("z", 0.5, (), 0.5),)),)), "unknown axis 'z'"),
        (n.Figure((panel((0, 0), x=replace(UNIT, high=0.0)),)), "an axis from 0.0 to 0.0"),
        (n.Figure((panel((0, 0), x=replace(UNIT, log=True)),)), "logarithmic"),
        (n.Figure((panel((0, 0), x=replace(UNIT, high=math.inf)),)), "an axis from 0.0 to inf"),
    ],
)
def test_what_cannot_be_drawn_is_refused(figure: n.Figure, message: str) -> None:
    for render in (to_latex, to_html):
        with pytest.raises(RenderError, match=message):
            render(page(figure))


def test_formulas_of_labels_are_runs_of_text() -> None:
    power = n.Formula(Script(Number("10"), Row(()), Number("-4")))
    assert runs((n.Text("a "), power)) == [Run("a "), Run("10"), Run("−4", level=1)]
    root = n.Formula(Row((Name("n"), Sign("="), Root(Name("d")), Sign("+"), Fraction(Number("1"), Row((Name("t"), Name("u")))))))
    assert "".join(r.text for r in runs((root,))) == "n = √d + 1/(tu)"
    assert [r.italic for r in runs((n.Formula(Script(Name("e"), Row(()), Row((Sign("-"), Name("t"))))),))] == [True, False, True]


def test_every_renderer_tells_the_figure() -> None:
    node = plot("en")
    tex, html, markdown, text = (render(page(node)) for render in (to_latex, to_html, to_markdown, to_text))
    for written in (tex, html, markdown, text):
        assert "Curves of one ink." in written
        assert "Slope" in written
        assert "zero from here" in written
    assert tex.count(r"\begin{sympanel}") == html.count('<svg class="half"') == 2
    assert r"\symplotlabel{curve}{west}" in tex
    assert re.search(r'<text class="tick"[^>]*><tspan>10</tspan><tspan dy="-[0-9.]+" font-size="[0-9.]+">−4</tspan>', html)
    assert "Figure 2." in text
    assert all(f"n[{k}]" in text for k in (1, 2, 3))  # beside the curve where there is room, else below
    assert to_text(page(node), ascii=True).isascii()


def test_a_label_may_stand_anywhere() -> None:
    labels = [s for s in shapes(plot("es").panels[1], 80.0) if isinstance(s, Label) and s.role == "curve"]
    assert {label.anchor for label in labels} == {"west", "east", "south", "north east"}


def test_names_in_a_terminal_never_cover_a_curve() -> None:
    """A curve through every row leaves no room beside it: its name goes below."""
    wall = tuple((x / 60, y / 12) for x in range(61) for y in range(13))
    crowded = replace(panel(*wall, style="dots"), curves=(n.Curve(wall, "dots", (n.Text("wall"),), (0.5, 0.5)),))
    roomy = replace(panel((0.0, 0.0), (1.0, 0.0)), curves=(n.Curve(((0.0, 0.0), (1.0, 0.0)), "solid", (n.Text("floor"),), (0.5, 0.5)),))
    lines = to_text(page(n.Figure((crowded, roomy)))).split("\n")
    assert "      x wall" in lines
    assert next(line for line in lines if "floor" in line).count("│") == 1
