"""Figures as LaTeX: drawn by TikZ at final size, 164 mm wide, from the numbers of the page.

Promises: one source line a shape, in mm from the panel's upper left corner: `\\symstroke[style]{role}{points}`, `\\symdots{points}`,
`\\symplotlabel{role}{anchor}{x}{y}{text}`; the caption stands below. Does not promise: anything to the student version: a figure is the
same there.
"""

from __future__ import annotations

from symattn.page.nodes import Figure
from symattn.render.latex_inline import Tongue, inline
from symattn.render.plot_layout import GAP_MM, Dots, Label, Shape, Stroke, panel_widths, shapes


def figure(node: Figure, tongue: Tongue) -> str:
    """The panels and the caption."""
    out = [r"\begin{symplot}"]
    left = 0.0
    for panel, mm in zip(node.panels, panel_widths(node), strict=True):
        out.append(rf"\begin{{sympanel}}{{{left:g}}}")
        out += [_shape(shape) for shape in shapes(panel, mm)]
        out.append(r"\end{sympanel}")
        left += mm + GAP_MM
    out.append(r"\end{symplot}")
    if node.caption or node.number:
        label = tongue("figure", n=node.number) if node.number else ""
        out.append(rf"\symcaption{{{label}}}{{{inline(node.caption)}}}")
    return "\n".join(out) + "\n"


def _shape(shape: Shape) -> str:
    match shape:
        case Stroke(points, role, style):
            option = "" if style == "solid" else f"[{style}]"
            return rf"\symstroke{option}{{{role}}}{{{'--'.join(map(_point, points))}}}"
        case Dots(points):
            return rf"\symdots{{{','.join(f'{x:.2f}/{y:.2f}' for x, y in points)}}}" if points else "%"
        case Label(items, (x, y), anchor, role):
            return rf"\symplotlabel{{{role}}}{{{anchor}}}{{{x:.2f}}}{{{y:.2f}}}{{{inline(items)}}}"


def _point(point: tuple[float, float]) -> str:
    return f"({point[0]:.2f},{point[1]:.2f})"
