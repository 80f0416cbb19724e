"""Figures as HTML: a drawing in SVG a panel, its text as text, its colours those of the page.

Promises: nothing is loaded; panels stand side by side and, on a narrow screen, one below the other; the caption is words for everybody.
Does not promise: a drawing to readers of words: the title of each panel and the caption tell what it shows.
"""

from __future__ import annotations

from typing import Final

from symattn.page import nodes as n
from symattn.render.html_math import esc
from symattn.render.html_page import Html
from symattn.render.plot_layout import HEIGHT_MM, TEXT_PT, TICK_PT, Dots, Label, Shape, Stroke, panel_widths, shapes
from symattn.render.plot_text import Run, runs

_MM_OF_PT: Final = 0.3528
_SCRIPT: Final = 0.72
_ACROSS: Final = {"west": "start", "east": "end"}


def figure(page: Html, node: n.Figure) -> str:
    """The panels and the caption."""
    widths = panel_widths(node)
    panels = "".join(_panel(page, panel, mm) for panel, mm in zip(node.panels, widths, strict=True))
    label = f"<b>{esc(page.words['figure'].format(n=node.number))}</b> " if node.number else ""
    caption = f"<figcaption>{label}{page.inline(node.caption)}</figcaption>" if node.caption or label else ""
    return f'<figure class="plot"><div class="panels">{panels}</div>{caption}</figure>'


def _panel(page: Html, panel: n.Panel, mm: float) -> str:
    drawn = "".join(_shape(shape) for shape in shapes(panel, mm))
    title = esc("".join(run.text for run in runs(panel.title)))
    kind = "whole" if mm > 100 else "half"
    return f'<svg class="{kind}" viewBox="0 0 {mm:g} {HEIGHT_MM:g}" role="img" aria-label="{title}">{drawn}</svg>'


def _shape(shape: Shape) -> str:
    match shape:
        case Stroke(points, role, style):
            path = "L".join(f"{x:.2f} {y:.2f}" for x, y in points)
            return f'<path class="{role} {style}" d="M{path}"/>'
        case Dots(points):
            return "".join(f'<circle class="dot" cx="{x:.2f}" cy="{y:.2f}" r=".55"/>' for x, y in points)
        case Label(items, (x, y), anchor, role):
            size = (TEXT_PT if role == "text" else TICK_PT) * _MM_OF_PT
            side = _ACROSS.get(anchor.rpartition(" ")[2], "middle")
            down = y + size * (0.95 if "north" in anchor else -0.35 if "south" in anchor else 0.32)
            spans = "".join(_spans(runs(items), size))
            return f'<text class="{role}" x="{x:.2f}" y="{down:.2f}" font-size="{size:.2f}" text-anchor="{side}">{spans}</text>'


def _spans(found: list[Run], size: float) -> list[str]:
    """One element a run; what is raised or lowered goes back to the line by the run after it."""
    out = []
    level = 0
    for run in found:
        move = (level - run.level) * 0.34 * size
        level = run.level
        attributes = f' dy="{move:.2f}"' if move else ""
        attributes += f' font-size="{size * _SCRIPT:.2f}"' if run.level else ""
        attributes += ' font-style="italic"' if run.italic else ""
        out.append(f"<tspan{attributes}>{esc(run.text)}</tspan>")
    return out
