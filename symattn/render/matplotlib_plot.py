"""Figures as files: SVG, PNG and PDF, drawn by matplotlib at final size from the numbers of the page.

Promises: the same figure gives the same bytes with the same matplotlib: no date, no path; text of an SVG is text; nothing is opened on a
screen. Without matplotlib one clear line says what to install. Does not promise: a font; Palatino's relatives are taken where they
are, else matplotlib's own serif.
"""

from __future__ import annotations

import io
import logging
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from symattn.errors import InputError, UnsupportedError
from symattn.page import nodes as n
from symattn.render.leaf import visible
from symattn.render.plot_layout import GAP_MM, HEIGHT_MM, TEXT_PT, TICK_PT, frame_of, panel_widths, shapes
from symattn.render.plot_text import runs

ENDINGS: Final = (".svg", ".png", ".pdf")
DOTS_PER_INCH: Final = 300
_INCH: Final = 25.4
_FONTS: Final = ("TeX Gyre Pagella", "Palatino Linotype", "Palatino", "URW Palladio L", "P052", "DejaVu Serif")
_INK, _GREY, _HAIR, _ACCENT = "#1A1A1A", "#555B65", "#C9CED6", "#22416B"
_DASHES: Final[dict[str, Any]] = {"solid": "solid", "long": (0, (4.6, 1.9)), "dotted": (0, (0.9, 1.3))}
_ACROSS: Final = {"west": "left", "east": "right"}


def check_path(path: Path) -> None:
    """Raises InputError for a name whose ending is not that of a drawing, UnsupportedError where matplotlib is missing."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"a figure cannot be written to {path.name!r}", next_move="name a file that ends in " + ", ".join(ENDINGS))
    _matplotlib()


def figure_bytes(node: n.Figure, ending: str) -> bytes:
    """The figure in the format of ENDINGS. Raises UnsupportedError without matplotlib, RenderError for what cannot be drawn."""
    matplotlib = _matplotlib()
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # a font that is not there is no news for the reader
    kind = ending.lower().lstrip(".")
    metadata = {
        "svg": {"Date": None, "Creator": "symattn figures"},
        "pdf": {"CreationDate": None, "Creator": "symattn figures"},
        "png": {"Software": "symattn figures"},
    }
    with matplotlib.rc_context(_settings()):
        drawing = to_matplotlib(node)
        out = io.BytesIO()
        drawing.savefig(out, format=kind, dpi=DOTS_PER_INCH, metadata=metadata[kind])
    return out.getvalue()


def to_matplotlib(node: n.Figure) -> Any:
    """A matplotlib Figure of 164 by 60 mm, one Axes a panel, for those who want to go on drawing."""
    _matplotlib()
    from matplotlib.figure import Figure

    widths = panel_widths(node)
    full = sum(widths) + GAP_MM * (len(widths) - 1)
    drawing = Figure(figsize=(full / _INCH, HEIGHT_MM / _INCH))
    left = 0.0
    for panel, mm in zip(node.panels, widths, strict=True):
        list(shapes(panel, mm))  # refuses what no renderer draws
        frame = frame_of(panel, mm)
        box = (
            (left + frame.left) / full,
            1 - frame.bottom / HEIGHT_MM,
            (frame.right - frame.left) / full,
            (frame.bottom - frame.top) / HEIGHT_MM,
        )
        _panel(drawing.add_axes(box), panel, drawing)
        left += mm + GAP_MM
    return drawing


def _panel(axes: Any, panel: n.Panel, drawing: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(linewidth=0.5, color=_INK)
    for scale, axis, limit, kind in (
        (panel.x, axes.xaxis, axes.set_xlim, axes.set_xscale),
        (panel.y, axes.yaxis, axes.set_ylim, axes.set_yscale),
    ):
        if scale.log:
            kind("log")
        limit(scale.low, scale.high)
        axis.set_ticks([value for value, _ in scale.ticks], [text_of(label) for _, label in scale.ticks])
        axis.set_ticks([], minor=True)
    axes.tick_params(axis="x", length=2.5, width=0.5, color=_INK, labelsize=TICK_PT, labelcolor=_GREY)
    axes.tick_params(axis="y", length=0, labelsize=TICK_PT, labelcolor=_GREY)
    axes.grid(axis="y", color=_HAIR, linewidth=0.4, alpha=0.8)
    axes.set_axisbelow(True)
    for threshold in panel.thresholds:
        (axes.axvline if threshold.axis == "x" else axes.axhline)(threshold.value, color=_INK, linewidth=0.6)
        if threshold.name:
            at = (threshold.value, threshold.along) if threshold.axis == "x" else (threshold.along, threshold.value)
            _words(axes, threshold.name, at, threshold.anchor, _INK)
    for curve in panel.curves:
        x, y = [p[0] for p in curve.points], [p[1] for p in curve.points]
        if curve.style == "dots":
            axes.plot(x, y, "o", color=_ACCENT, markersize=3.2)
        else:
            shown = [v if math.isfinite(v) else math.nan for v in y]
            axes.plot(x, shown, color=_ACCENT, linewidth=1.3, linestyle=_DASHES[curve.style], dash_capstyle="butt")
    for curve in panel.curves:
        if curve.name:
            _words(axes, curve.name, curve.at, curve.anchor, _ACCENT)
    axes.set_title(text_of(panel.title), loc="left", fontsize=TEXT_PT, color=_INK, pad=5)
    axes.set_xlabel(text_of(panel.x.label), fontsize=TEXT_PT, color=_INK, labelpad=3)


def _words(axes: Any, items: tuple[n.Inline, ...], at: tuple[float, float], anchor: str, color: str) -> None:
    across = _ACROSS.get(anchor.rpartition(" ")[2], "center")
    down = "top" if "north" in anchor else "bottom" if "south" in anchor else "center"
    shift = ({"left": 2.0, "right": -2.0}.get(across, 0.0), {"top": -2.0, "bottom": 2.0}.get(down, 0.0))
    patch = {"boxstyle": "square,pad=0.08", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    axes.annotate(
        text_of(items), at, xytext=shift, textcoords="offset points", ha=across, va=down, fontsize=8, color=color, bbox=patch,
        annotation_clip=False,
    )  # fmt: skip


_SPECIAL: Final = {
    "\\": r"\backslash ",
    "$": r"\$",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "#": r"\#",
    "&": r"\&",
    "^": r"\^{}",
    "~": r"\sim ",
}


def text_of(items: Iterable[n.Inline]) -> str:
    """A label as matplotlib reads it: words as they are, formulas between dollar signs, every special character escaped."""
    out = []
    for run in runs(items):
        if run.level == 0 and not run.italic:
            out.append(visible(run.text).replace("\\", "\\\\").replace("$", r"\$"))
            continue
        inner = "".join(_SPECIAL.get(c, r"\ " if c == " " else c) for c in visible(run.text))
        styled = rf"\mathit{{{inner}}}" if run.italic else rf"\mathrm{{{inner}}}"
        out.append(f"${styled}$" if run.level == 0 else rf"${{}}{'^' if run.level > 0 else '_'}{{{styled}}}$")
    return "".join(out).replace("$$", "")


def _settings() -> dict[str, Any]:
    from matplotlib import font_manager

    known = set(font_manager.get_font_names())
    serif = next((name for name in _FONTS if name in known), "DejaVu Serif")
    return {
        "font.family": "serif",
        "font.serif": [serif, "DejaVu Serif"],
        "mathtext.fontset": "custom",
        "mathtext.rm": serif,
        "mathtext.it": f"{serif}:italic",
        "mathtext.bf": f"{serif}:bold",
        "mathtext.cal": serif,
        "mathtext.sf": serif,
        "mathtext.tt": serif,
        "mathtext.fallback": "stix",
        "svg.fonttype": "none",
        "svg.hashsalt": "symattn figures",
        "pdf.fonttype": 3,
        "axes.unicode_minus": True,
    }


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise UnsupportedError("no figure: matplotlib is not installed", next_move="pip install 'symattn[plots]'") from None
    return matplotlib
