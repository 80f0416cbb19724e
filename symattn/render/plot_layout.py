"""A panel of a figure as lines, dots and labels in millimetres, for every renderer that draws.

Promises: one panel is 80 mm wide and 60 mm high (164 mm when it is alone); a curve never leaves its axes; what is not a finite number
breaks a curve; only left and bottom axis, a faint horizontal grid, titles flush left. Does not promise: that labels keep apart; the
page says where they stand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from symattn.errors import RenderError
from symattn.page.nodes import ANCHORS, CURVE_STYLES, Figure, Formula, Inline, Panel, Scale, Threshold
from symattn.render.latex_width import text_width, width

FULL_MM, GAP_MM, HEIGHT_MM = 164.0, 4.0, 60.0
TEXT_PT, TICK_PT = 8.5, 7.6
_BODY_PT = 10.95
TITLE_AT, BOX_TOP, BOX_BOTTOM, LABEL_AT = 2.2, 6.5, 49.5, 57.3
Point = tuple[float, float]


@dataclass(frozen=True)
class Stroke:
    """A line through points; `style` is a style of curves, `role` is "curve", "axis", "grid" or "threshold"."""

    points: tuple[Point, ...]
    role: str
    style: str = "solid"


@dataclass(frozen=True)
class Dots:
    """Round dots."""

    points: tuple[Point, ...]


@dataclass(frozen=True)
class Label:
    """Words at a point; `anchor` is the side of the words that stands there, `role` is "text", "tick", "curve" or "threshold"."""

    items: tuple[Inline, ...]
    at: Point
    anchor: str
    role: str


Shape = Stroke | Dots | Label


def panel_widths(figure: Figure) -> tuple[float, ...]:
    """The widths of the panels in mm. Raises RenderError for a figure without panels, or with more than two."""
    count = len(figure.panels)
    if not 1 <= count <= 2:
        raise RenderError(f"a figure has one panel or two, not {count}")
    return (FULL_MM,) if count == 1 else ((FULL_MM - GAP_MM) / 2,) * 2


def label_mm(items: Iterable[Inline], points: float) -> float:
    """The width of words of this size, by estimate."""
    return sum(width(i.math) if isinstance(i, Formula) else text_width(i.text) for i in items) * points / _BODY_PT


@dataclass(frozen=True)
class Frame:
    """Where the axes of a panel stand, and where numbers fall."""

    panel: Panel
    left: float
    right: float
    top: float = BOX_TOP
    bottom: float = BOX_BOTTOM

    def x(self, value: float) -> float:
        """mm from the left."""
        return self.left + _share(value, self.panel.x) * (self.right - self.left)

    def y(self, value: float) -> float:
        """mm from the top."""
        return self.bottom - _share(value, self.panel.y) * (self.bottom - self.top)


def frame_of(panel: Panel, mm: float) -> Frame:
    """The axes of a panel that is `mm` wide: the ticks of the left axis have the room they need."""
    for scale in (panel.x, panel.y):
        if not (math.isfinite(scale.low) and math.isfinite(scale.high) and scale.low < scale.high) or (scale.log and scale.low <= 0):
            raise RenderError(f"an axis from {scale.low} to {scale.high}" + (" on a logarithmic scale" if scale.log else ""))
    ticks = max((label_mm(text, TICK_PT) for _, text in panel.y.ticks), default=0.0)
    return Frame(panel, min(ticks + 2.6, 0.45 * mm), mm - 3.0)


def _share(value: float, scale: Scale) -> float:
    """Where a value lies between the ends of its axis: 0 to 1."""
    if scale.log:
        if value <= 0:
            return -math.inf if value == 0 else math.nan
        return (math.log(value) - math.log(scale.low)) / (math.log(scale.high) - math.log(scale.low))
    return (value - scale.low) / (scale.high - scale.low)


def shapes(panel: Panel, mm: float) -> Iterator[Shape]:
    """Everything in a panel, what lies below first. Raises RenderError for an unknown style or anchor."""
    frame = frame_of(panel, mm)
    for value, text in panel.y.ticks:
        y = frame.y(value)
        if any(text):
            yield Stroke(((frame.left, y), (frame.right, y)), "grid")
            yield Label(text, (frame.left - 1.4, y), "east", "tick")
    for value, text in panel.x.ticks:
        x = frame.x(value)
        yield Stroke(((x, frame.bottom), (x, frame.bottom + 0.9)), "axis")
        yield Label(text, (x, frame.bottom + 1.4), "north", "tick")
    yield Stroke(((frame.left, frame.top), (frame.left, frame.bottom), (frame.right, frame.bottom)), "axis")
    for threshold in panel.thresholds:
        yield from _threshold(threshold, frame)
    for curve in panel.curves:
        if curve.style not in CURVE_STYLES:
            raise RenderError(f"unknown style {curve.style!r} of a curve", next_move=f"use one of {', '.join(CURVE_STYLES)}")
        points = [(frame.x(x), frame.y(y)) for x, y in curve.points]
        if curve.style == "dots":
            yield Dots(tuple(p for p in points if _inside(p, frame)))
        else:
            yield from (Stroke(run, "curve", curve.style) for run in _clipped(points, frame))
    for curve in panel.curves:
        if curve.name:
            yield Label(curve.name, (frame.x(curve.at[0]), frame.y(curve.at[1])), _anchor(curve.anchor), "curve")
    yield Label(panel.title, (frame.left, TITLE_AT), "west", "text")
    yield Label(panel.x.label, ((frame.left + frame.right) / 2, LABEL_AT), "center", "text")
    if panel.y.label:
        yield Label(panel.y.label, (frame.right, TITLE_AT), "east", "tick")


def _anchor(anchor: str) -> str:
    if anchor not in ANCHORS:
        raise RenderError(f"unknown anchor {anchor!r} of a label", next_move=f"use one of {', '.join(ANCHORS)}")
    return anchor


def _threshold(node: Threshold, frame: Frame) -> Iterator[Shape]:
    if node.axis not in ("x", "y"):
        raise RenderError(f"unknown axis {node.axis!r} of a threshold", next_move='use "x" or "y"')
    if node.axis == "x":
        x = frame.x(node.value)
        points, at = ((x, frame.top), (x, frame.bottom)), (x, frame.y(node.along))
    else:
        y = frame.y(node.value)
        points, at = ((frame.left, y), (frame.right, y)), (frame.x(node.along), y)
    yield Stroke(points, "threshold")
    if node.name:
        yield Label(node.name, at, _anchor(node.anchor), "threshold")


# -- clipping -----------------------------------------------------------------------------------------------------------
def _inside(point: Point, frame: Frame) -> bool:
    x, y = point
    return frame.left - 1e-6 <= x <= frame.right + 1e-6 and frame.top - 1e-6 <= y <= frame.bottom + 1e-6


def _clipped(points: list[Point], frame: Frame) -> Iterator[tuple[Point, ...]]:
    """The parts of a line that lie inside the axes."""
    run: list[Point] = []
    for a, b in pairwise(points):
        part = _segment(_bounded(a, frame), _bounded(b, frame), frame)
        if part is None:
            if len(run) > 1:
                yield tuple(run)
            run = []
            continue
        if run and math.dist(run[-1], part[0]) > 1e-9:
            yield tuple(run)
            run = []
        run = [*(run or [part[0]]), part[1]]
    if len(run) > 1:
        yield tuple(run)


def _bounded(point: Point, frame: Frame) -> Point:
    """Infinite places far outside, so that a line to them leaves the axes straight; NaN stays."""
    far = 50 * FULL_MM
    return (min(max(point[0], -far), far), min(max(point[1], -far), far)) if not any(map(math.isnan, point)) else point


def _segment(a: Point, b: Point, frame: Frame) -> tuple[Point, Point] | None:
    """The part of a segment inside the axes (Liang and Barsky); None where there is none."""
    if any(map(math.isnan, (*a, *b))):
        return None
    first, last = 0.0, 1.0
    dx, dy = b[0] - a[0], b[1] - a[1]
    for p, q in ((-dx, a[0] - frame.left), (dx, frame.right - a[0]), (-dy, a[1] - frame.top), (dy, frame.bottom - a[1])):
        if p == 0:
            if q < -1e-9:
                return None
        elif p < 0:
            first = max(first, q / p)
        else:
            last = min(last, q / p)
    if first > last:
        return None
    return (a[0] + first * dx, a[1] + first * dy), (a[0] + last * dx, a[1] + last * dy)
