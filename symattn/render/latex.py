"""A page as LaTeX.

Promises: one source for teacher and student (`blank=True` turns one switch: the same boxes, the same page breaks), for A4 and letter
(one option); every class of `page.nodes.NODES` has its method here, an unknown one raises RenderError; every text is escaped;
the output is the same for the same page, without dates or paths.
Does not promise: a PDF (pdf.py).

The body is regular, so that a simple reader that counts braces can read the numbers back:

    \\symline[student]{left}{relation}{right}{margin}          a row of a chain
    \\symcont[student]{right}{margin}                          the right side of the row above goes on
    \\symterm[student]{sign}{product}{relation}{padding}{value}{margin}    a term of a ledger
    \\symsum{left}{relation}{right}{margin}                    the total of a ledger
    \\symresult{content}{label}   \\symtermbox{content}         a result, a term of a sum
    \\symentry[glyph]{verdict}{printed}{word}{notes}           a margin entry
    \\symproofline{number}{left}{relation}{right}{margin}      a line of a proof
    \\symmarkentry{kind}{rule}{reason}                         its margin
    \\symstroke[style]{role}{points}                           a line of a figure
    \\symplotlabel{role}{anchor}{x}{y}{text}                   words in it

Each row of a chain or ledger stands on its own source line. `[student]` is absent, `[dashed]` or `[hide]`. A right side that goes
on may begin with `{}`. `padding` is printed invisibly. `\\symwide` and `\\symwideterm` lines set widths only and say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from symattn.errors import RenderError
from symattn.page.nodes import (
    AnswerKey,
    Bullets,
    Chain,
    Errata,
    Facts,
    Figure,
    HeatMap,
    Key,
    Ledger,
    Matrices,
    Page,
    Paragraph,
    Proof,
    ProofKey,
    Section,
    Statements,
    Step,
    Table,
    Theorem,
)
from symattn.page.words import words
from symattn.render import latex_parts as parts
from symattn.render import latex_plot as plots
from symattn.render import latex_proof as proofs
from symattn.render import latex_steps as steps
from symattn.render import latex_tables as tables
from symattn.render.escape import escape
from symattn.render.latex_inline import Tongue, inline
from symattn.render.latex_math import math_latex
from symattn.render.latex_preamble import preamble

__all__ = ["math_latex", "to_latex"]


def to_latex(page: Page, *, blank: bool = False, paper: str = "a4") -> str:
    """A complete LaTeX document. `blank` is the version for students, `paper` "a4" or "letter". Raises RenderError."""
    return LatexPage(page).document(blank=blank, paper=paper)


class LatexPage:
    """One walk over one page: a closed dict from node class to method, and the count of captioned tables."""

    def __init__(self, page: Page) -> None:
        words(page.lang)
        self.page = page
        self.tongue = Tongue(page.lang)
        self._tables = 0
        self._left_mm = 0.0
        self._in_step = False
        tongue = self.tongue
        self.methods: dict[type, Callable[..., str]] = {
            Paragraph: steps.paragraph,
            Bullets: steps.bullets,
            Chain: self._chain,
            Ledger: self._ledger,
            Matrices: steps.matrices,
            Table: self._table,
            HeatMap: lambda node: tables.heat_map(node, tongue),
            Facts: lambda node: parts.facts(node) + "\n",
            Key: lambda node: parts.key(node, tongue) + "\n",
            Errata: lambda node: parts.errata(node, tongue),
            Statements: lambda node: parts.statements(node, tongue),
            AnswerKey: self._answers,
            Step: self._step,
            Section: self._section,
            Theorem: lambda node: proofs.theorem(node, tongue),
            Proof: proofs.proof,
            ProofKey: lambda node: proofs.key(node, tongue),
            Figure: lambda node: plots.figure(node, tongue),
        }

    def document(self, *, blank: bool, paper: str) -> str:
        page, tongue = self.page, self.tongue
        opening = 0
        while opening < len(page.blocks) and isinstance(page.blocks[opening], Facts | Key):
            opening += 1
        rest = page.blocks[opening:]
        keys = [block for block in rest if isinstance(block, ProofKey)]  # first in the source: they go to the foot of that page
        body = "\n".join([self._opening(opening), self.blocks([*keys, *(block for block in rest if block not in keys)])])
        head = preamble(
            paper=paper,
            blank=blank,
            title=page.title,
            places={
                "head-left": escape(page.section if page.plain else page.short_title or page.title),
                "head-right": self._head_right(),
                "foot-left": escape(page.footer),
                "printed": tongue("printed"),
                "verdict": tongue("verdict"),
                "your-verdict": tongue("your-verdict"),
                "student-version": tongue("student-version"),
                "quote-open": tongue("quote.open"),
                "quote-close": tongue("quote.close"),
            },
        )
        return f"{head}\\begin{{document}}\n{body}\\end{{document}}\n"

    def _head_right(self) -> str:
        page = self.page
        if page.plain:
            return inline(page.heading) if page.heading else escape(page.short_title or page.title)
        return self.tongue("worksheet.numbered", n=page.number) if page.number else escape(page.kicker)

    def _opening(self, count: int) -> str:
        page = self.page
        if page.plain:
            title = inline(page.heading) or escape(page.title)
            text = f"{inline(page.opening)}\n" if page.opening else ""
            return f"\\symplaintitle{{{_kicker(page.kicker)}}}{{{title}}}\n{text}{self.blocks(page.blocks[:count])}"
        asides = page.blocks[:count]
        facts = "%\n".join(parts.facts(block) for block in asides if isinstance(block, Facts))
        keys = "%\n".join(parts.key(block, self.tongue) for block in asides if isinstance(block, Key))
        teacher = inline(page.opening)
        student = inline(page.opening_blank) if page.opening_blank else teacher
        return (
            f"\\symtitle{{{_kicker(page.kicker)}}}{{{escape(page.title)}}}{{{escape(page.subtitle)}}}\n"
            f"\\symopening{{{teacher}}}\n{{{student}}}\n{{{facts}}}\n{{{keys}}}\n"
        )

    def blocks(self, nodes: Iterable[object]) -> str:
        """Blocks one after the other. Raises RenderError for a class without a method."""
        return "\n".join(self.block(node) for node in nodes)

    def block(self, node: object) -> str:
        """One block."""
        method = self.methods.get(type(node))
        if method is None:
            raise RenderError(f"LaTeX has no form for the page node {type(node).__name__}", next_move="add a method to latex.py")
        return method(node)

    def _chain(self, node: Chain) -> str:
        if self._in_step:
            return steps.chain(node, self.tongue, self._left_mm)
        widths, left_mm = steps.common_left(steps.left_sides((node,)))
        return f"\\begingroup\n{widths}{steps.chain(node, self.tongue, left_mm)}\\endgroup\n"

    def _ledger(self, node: Ledger) -> str:
        if self._in_step:
            return steps.ledger(node, self.tongue)
        return f"\\begingroup\n{steps.common_products((node,))}{steps.ledger(node, self.tongue)}\\endgroup\n"

    def _step(self, node: Step) -> str:
        name, opening, self._left_mm = steps.step_open(node)
        self._in_step = True
        body = self.blocks(node.blocks)
        self._in_step = False
        return f"{opening}{body}\\end{{{name}}}\n"

    def _table(self, node: Table) -> str:
        self._tables += bool(node.caption)
        return tables.table(node, self.tongue, self._tables if node.caption else 0)

    def _section(self, node: Section) -> str:
        body = "\n".join(parts.answers(block, self.tongue) if isinstance(block, AnswerKey) else self.block(block) for block in node.blocks)
        text = f"\\begin{{symsection}}{{{_kicker(node.kicker)}}}{{{escape(node.title)}}}\n{body}\\end{{symsection}}\n"
        only_answers = bool(node.blocks) and all(isinstance(block, AnswerKey) for block in node.blocks)
        return f"\\ifsymblank\n{text}\\fi\n" if only_answers else text

    def _answers(self, node: AnswerKey) -> str:
        tongue = self.tongue
        kicker = _kicker(words(self.page.lang)["student-version"])
        return (
            f"\\ifsymblank\n\\begin{{symsection}}{{{kicker}}}{{{tongue('answers')}}}\n{tongue('answers.intro')}\n\n"
            f"{parts.answers(node, tongue)}\\end{{symsection}}\n\\fi\n"
        )


def _kicker(text: str) -> str:
    """Capitals; two spaces or more part two labels."""
    return r"\quad ".join(escape(part.upper()) for part in re.split(r" {2,}", text))
