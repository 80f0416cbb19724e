"""Figures as Markdown: the caption, and of each curve a few of its points.

Promises: what a figure shows can be read without it. Does not promise: a drawing; `symattn study … --figure` writes one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from symattn.page import nodes as n
from symattn.render.markdown_leaf import start, text

if TYPE_CHECKING:
    from symattn.render.markdown import Markdown

POINTS = 5


def figure(page: Markdown, node: n.Figure) -> list[str]:
    """Panels as lists, then the caption."""
    out = []
    for panel in node.panels:
        out.append(start(f"{page.inline(panel.title)} ({page.inline(panel.x.label)})"))
        rows = [_curve(page, curve) for curve in panel.curves if curve.name]
        rows += [
            f"- {start(page.inline(t.name))}: {'x' if t.axis == 'x' else 'y'} = {_number(t.value)}" for t in panel.thresholds if t.name
        ]
        out += ["\n".join(rows)] if rows else []
    label = f"**{text(page.words['figure'].format(n=node.number))}** " if node.number else ""
    return [*out, *([start(label + page.inline(node.caption))] if node.caption or label else [])]


def _curve(page: Markdown, curve: n.Curve) -> str:
    shown = [p for p in curve.points if all(map(math.isfinite, p))]
    if len(shown) > POINTS:
        shown = [shown[round(k * (len(shown) - 1) / (POINTS - 1))] for k in range(POINTS)]
    points = ", ".join(f"({_number(x)}, {_number(y)})" for x, y in shown)
    return f"- {start(page.inline(curve.name))}: {points}"


def _number(value: float) -> str:
    return f"{value:.3g}".replace("-", "−").replace("e+0", "e").replace("e+", "e").replace("e−0", "e−")
