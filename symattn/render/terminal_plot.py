"""Figures as terminal text: each panel a small grid of characters, with its curves named below.

Promises: a style of curves is one sign, names stand beside their curves where there is room, else below; thresholds are upright or
level lines. Does not promise: more than
the course of a curve; exact numbers are in the tables.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

from symattn.page import nodes as n
from symattn.render.leaf import cell_width
from symattn.render.plot_layout import Frame
from symattn.render.terminal_writer import TEXT_EDGE, Writer

ROWS: Final = 13
COLUMNS: Final = 56
SIGNS: Final = {"solid": "•", "long": "o", "dotted": "·", "dots": "x"}
ASCII_SIGNS: Final = {"solid": "*", "long": "o", "dotted": ".", "dots": "x"}


def figure(text: Writer, node: n.Figure) -> None:
    """The panels one below the other, then the caption."""
    for panel in node.panels:
        _panel(text, panel)
    if node.caption or node.number:
        label = text.own(text.words["figure"]).format(n=node.number) + " " if node.number else ""
        text.space()
        text.prose(label + text.inline(node.caption), style="grey")


def _panel(text: Writer, panel: n.Panel) -> None:
    text.space()
    ticks = [(value, text.inline(label)) for value, label in panel.y.ticks]
    left = max((cell_width(label) for _, label in ticks), default=0)
    columns = min(COLUMNS, text.width - TEXT_EDGE - left - 3)
    canvas = _Canvas(panel, columns)
    level, upright = ("-", "|") if text.ascii else ("┈", "┊")
    for threshold in panel.thresholds:
        canvas.line(threshold, level, upright)
    signs = ASCII_SIGNS if text.ascii else SIGNS
    for curve in panel.curves:
        canvas.curve(curve, signs[curve.style])
    below = [f"{signs[c.style]} {text.inline(c.name)}" for c in panel.curves if c.name and not canvas.words(c, text.inline(c.name))]
    text.prose(text.inline(panel.title), style="bold")
    axis, corner, across = ("|", "+", "-") if text.ascii else ("│", "└", "─")
    at = {canvas.row(value): label for value, label in ticks}
    for row, cells in enumerate(canvas.cells):
        label = at.get(row, "")
        text.put(" " * (TEXT_EDGE + left - cell_width(label)) + label + " " + axis + "".join(cells))
    text.put(" " * (TEXT_EDGE + left + 1) + corner + across * columns)
    line = ""
    for value, words in panel.x.ticks:
        label = text.inline(words)
        start = max(canvas.column(value) - cell_width(label) // 2, 0)
        if start >= cell_width(line) + (1 if line else 0) and start + cell_width(label) <= columns + 3:
            line += " " * (start - cell_width(line)) + label
    text.put(" " * (TEXT_EDGE + left + 2) + line)
    label = text.inline(panel.x.label)
    text.put(" " * (TEXT_EDGE + left + 2 + max((columns - cell_width(label)) // 2, 0)) + label)
    for line in below:
        text.prose(line, indent=TEXT_EDGE + 2)
    for threshold in panel.thresholds:
        if threshold.name:
            text.prose(f"{upright if threshold.axis == 'x' else level} {text.inline(threshold.name)}", indent=TEXT_EDGE + 2)


class _Canvas:
    def __init__(self, panel: n.Panel, columns: int) -> None:
        self.frame = Frame(panel, 0.0, float(columns - 1), 0.0, float(ROWS - 1))
        self.cells = [[" "] * columns for _ in range(ROWS)]

    def row(self, value: float) -> int:
        return _near(self.frame.y(value))

    def column(self, value: float) -> int:
        return _near(self.frame.x(value))

    def put(self, x: float, y: float, sign: str) -> None:
        if math.isfinite(x) and math.isfinite(y) and 0 <= _near(x) < len(self.cells[0]) and 0 <= _near(y) < ROWS:
            self.cells[_near(y)][_near(x)] = sign

    def words(self, curve: n.Curve, name: str) -> bool:
        """Writes a name where the page wants it, or on another side of that point; False where it would cover something."""
        x, y = _near(self.frame.x(curve.at[0])), _near(self.frame.y(curve.at[1]))
        width = cell_width(name)
        for anchor in (curve.anchor, "west", "east", "south", "north"):
            row = y + ("north" in anchor) - ("south" in anchor)
            start = x + 1 if "west" in anchor else x - width if "east" in anchor else x - width // 2
            fits = 0 <= row < ROWS and start >= 0 and start + width <= len(self.cells[0]) and width == len(name)
            if fits and all(cell == " " for cell in self.cells[row][start : start + width]):
                self.cells[row][start : start + width] = list(name)
                return True
        return False

    def line(self, threshold: n.Threshold, level: str, upright: str) -> None:
        for k in range(ROWS if threshold.axis == "x" else len(self.cells[0])):
            if threshold.axis == "x":
                self.put(self.frame.x(threshold.value), k, upright)
            else:
                self.put(k, self.frame.y(threshold.value), level)

    def curve(self, curve: n.Curve, sign: str) -> None:
        places = [(self.frame.x(x), self.frame.y(y)) for x, y in curve.points]
        for x, y in places:
            self.put(x, y, sign)
        if curve.style == "dots":
            return
        for (x0, y0), (x1, y1) in pairwise(places):
            if not all(map(math.isfinite, (x0, y0, x1, y1))):
                continue
            steps = min(math.ceil(max(abs(x1 - x0), abs(y1 - y0))), 400)
            for k in range(1, steps):
                self.put(x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps, sign)


def _near(value: float) -> int:
    return round(value) if math.isfinite(value) and abs(value) < 10**6 else -1
