"""What a study finds, as plain data: tables, a plot, what is said of them.

Promises: frozen data in two languages; the numbers of a table are text that a machine reads (`Cell.text`), and beside it what people see.
Does not promise: any mathematics or markup; words may hold formulas between dollar signs in the small TeX subset of prose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Said:
    """A text for people, in both languages."""

    es: str
    en: str

    def said(self, lang: str) -> str:
        """The text in "es" or "en"."""
        return self.es if lang == "es" else self.en


def same(text: str) -> Said:
    """A text that is the same in both languages: a name, a formula."""
    return Said(text, text)


NOTHING = same("")


@dataclass(frozen=True)
class Cell:
    """`text` is for machines: a decimal, a word, "2**-149", "" where there is nothing. `shown` is what a page shows instead."""

    text: str
    shown: Said | None = None
    strong: bool = False


@dataclass(frozen=True)
class Column:
    """A column: its key in JSON and CSV, its head, "l" for words or "r" for numbers, and whether pages show it."""

    key: str
    head: Said
    align: str = "r"
    on_page: bool = True


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns. `groups` are row numbers with a hairline above."""

    name: str
    caption: Said
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    groups: tuple[int, ...] = ()


# -- plots ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Scale:
    """One axis of a panel: from `low` to `high` (positive ones with `log`), and its ticks: (place, text)."""

    label: Said
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    log: bool = False


@dataclass(frozen=True)
class Curve:
    """Points joined by a line ("solid", "long", "dotted") or shown as dots ("dots"); its name stands at `at`, which is the side
    `anchor` of the text: "west" means that the text begins there, "south" that it stands above."""

    points: tuple[tuple[float, float], ...]
    style: str = "solid"
    name: Said = NOTHING
    at: tuple[float, float] = (0.0, 0.0)
    anchor: str = "west"


@dataclass(frozen=True)
class Threshold:
    """A threshold: a thin line at x = `value` ("x") or y = `value` ("y"), with its meaning at the place `along` on the other axis,
    which is the side `anchor` of the text."""

    axis: str
    value: float
    name: Said
    along: float
    anchor: str = "west"


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: Said
    x: Scale
    y: Scale
    curves: tuple[Curve, ...]
    thresholds: tuple[Threshold, ...] = ()


@dataclass(frozen=True)
class Plot:
    """One or two panels side by side, and the caption."""

    panels: tuple[Panel, ...]
    caption: Said


@dataclass(frozen=True)
class Study:
    """A finished study. `question` is the title of its page, `opening` three lines, `conclusion` three more; `notes` say how it was done
    and what kind of truth each number is; `parameters` are what was asked for."""

    name: str
    question: Said
    opening: Said
    tables: tuple[Table, ...]
    plot: Plot
    conclusion: Said
    notes: tuple[Said, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
