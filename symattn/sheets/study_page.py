"""A study as a page: the question as title, what is asked, tables, the figure, what follows, and how it was done.

Promises: everything on the page is read off the study; nothing is computed here. Does not promise: a heading for every table: its
caption is one.
"""

from __future__ import annotations

import re

from symattn.page import nodes as n
from symattn.page.words import words
from symattn.sheets.texmath import read_tex
from symattn.study.result import Cell, Curve, Panel, Plot, Said, Scale, Study, Table, Threshold

_NUMERAL = re.compile(r"-?[0-9]+(\.[0-9]+)?[…%]?")


def study_page(study: Study, lang: str = "en") -> n.Page:
    """The page of a study in "es" or "en". Raises SheetError for a formula outside the small TeX subset, RenderError for a language."""
    return _Writer(lang).page(study)


def figure(plot: Plot, lang: str = "en", number: int = 0) -> n.Figure:
    """The figure alone, for those who draw it elsewhere."""
    return _Writer(lang).figure(plot, number)


class _Writer:
    def __init__(self, lang: str) -> None:
        self.lang = lang
        self.words = words(lang)

    def page(self, study: Study) -> n.Page:
        title = study.question.said(self.lang)
        notes = tuple(self.inline(note) for note in study.notes)
        return n.Page(
            lang=self.lang,
            kicker=self.words["study"],
            title=title.replace("$", ""),
            subtitle="",
            opening=self.inline(study.opening),
            blocks=(
                *(self.table(table) for table in study.tables),
                self.figure(study.plot, 1),
                n.Paragraph(self.inline(study.conclusion)),
                *((n.Bullets(notes),) if notes else ()),
            ),
            footer=self.words["study.footer"],
            short_title=title.replace("$", ""),
            plain=True,
            section=self.words["study"],
            heading=self.inline(study.question),
        )

    def inline(self, said: Said) -> tuple[n.Inline, ...]:
        """Words with formulas between dollar signs."""
        found: list[n.Inline] = []
        for at, part in enumerate(said.said(self.lang).split("$")):
            if part:
                found.append(n.Formula(read_tex(part)) if at % 2 else n.Text(part))
        return tuple(found)

    # -- tables -----------------------------------------------------------------------------------------------------------
    def table(self, table: Table) -> n.Table:
        shown = [k for k, column in enumerate(table.columns) if column.on_page]
        return n.Table(
            head=tuple(self.inline(table.columns[k].head) for k in shown),
            rows=tuple(tuple(self.cell(row[k]) for k in shown) for row in table.rows),
            align="".join(table.columns[k].align for k in shown),
            caption=self.inline(table.caption),
            groups=table.groups,
            wide=True,
        )

    def cell(self, cell: Cell) -> n.Cell:
        text = cell.text if cell.shown is None else cell.shown.said(self.lang)
        if _NUMERAL.fullmatch(text):
            return n.Cell(number=text, strong=cell.strong)
        return n.Cell(self.inline(Said(text, text)), strong=cell.strong) if text else n.Cell()

    # -- the figure -------------------------------------------------------------------------------------------------------
    def figure(self, plot: Plot, number: int) -> n.Figure:
        return n.Figure(tuple(self.panel(panel) for panel in plot.panels), self.inline(plot.caption), number)

    def panel(self, panel: Panel) -> n.Panel:
        return n.Panel(
            self.inline(panel.title),
            self.scale(panel.x),
            self.scale(panel.y),
            tuple(self.curve(curve) for curve in panel.curves),
            tuple(self.threshold(threshold) for threshold in panel.thresholds),
        )

    def scale(self, scale: Scale) -> n.Scale:
        ticks = tuple((value, self.tick(text)) for value, text in scale.ticks)
        return n.Scale(self.inline(scale.label), scale.low, scale.high, ticks, scale.log)

    def tick(self, text: str) -> tuple[n.Inline, ...]:
        """A negative number is a formula: its sign is a true minus."""
        return self.inline(Said(f"${text}$", f"${text}$") if text.startswith("-") else Said(text, text))

    def curve(self, curve: Curve) -> n.Curve:
        return n.Curve(curve.points, curve.style, self.inline(curve.name), curve.at, curve.anchor)

    def threshold(self, threshold: Threshold) -> n.Threshold:
        return n.Threshold(threshold.axis, threshold.value, self.inline(threshold.name), threshold.along, threshold.anchor)
