"""Derivations as LaTeX: the theorem behind its bar, proof lines with marks in the margin, the key at the foot of the page.

Promises: one proof line is one source line, `\\symproofline{number}{left}{relation}{right}{margin}`, whose right side may go on in
`\\symcont{right}{}` lines; a margin is `\\symmarkentry{kind}{rule}{reason}`. All stages of a proof share one column of relation signs.
Does not promise: that a line fits before breaking.
"""

from __future__ import annotations

from symattn.errors import RenderError
from symattn.page.math import EMPTY
from symattn.page.nodes import Chain, Mark, Paragraph, Proof, ProofKey, ProofLine, ProofStage, Theorem
from symattn.page.words import MARKS, mark_word
from symattn.render import latex_steps as steps
from symattn.render.escape import escape
from symattn.render.latex_inline import Tongue, inline, page_math
from symattn.render.latex_lines import split

_MAIN_MM = 108.0
_RELATION_MM = 5.0
_ROWS_OF_A_PAGE = 22  # a line with two rows of margin is about 9 mm high


def theorem(node: Theorem, tongue: Tongue) -> str:
    """The statement with all that it supposes."""
    chains = [block for block in node.blocks if isinstance(block, Chain)]
    widths, left_mm = steps.common_left(steps.left_sides(chains))
    out = [r"\begin{symtheorem}" + "\n" + widths]
    label = rf"\symtheoremword{{{escape(node.label)}}}" if node.label else ""
    for block in node.blocks:
        match block:
            case Paragraph(items):
                out.append(rf"\noindent {label}{inline(items)}" + "\n\n")
                label = ""
            case Chain():
                out.append(steps.chain(block, tongue, left_mm))
    return "".join(out) + "\\end{symtheorem}\n"


def proof(node: Proof) -> str:
    """All stages, then the mark of the whole."""
    widths, left_mm = steps.common_left(line.left for stage in node.stages for line in stage.lines if line.left != EMPTY and line.relation)
    closing = rf"\symproofwords{{{inline(node.closing)}}}{{{mark(node.end)}}}" + "\n"
    last = len(node.stages) - 1
    return "\n".join(_stage(stage, widths, left_mm, closing if at == last else "") for at, stage in enumerate(node.stages))


def _stage(node: ProofStage, widths: str, left_mm: float, closing: str) -> str:
    name = "symlongstage" if len(node.lines) > _ROWS_OF_A_PAGE else "symstage"
    rows = [row for line in node.lines for row in _line(line, left_mm)]
    intro = f"\\noindent {inline(node.intro)}\n\n" if node.intro else ""
    body = "\n".join([r"\begin{symchain}", *rows, closing + r"\end{symchain}"])
    return f"\\begin{{{name}}}{{{escape(node.letter)}}}{{{inline(node.title)}}}\n{widths}{intro}{body}\n\\end{{{name}}}\n"


def _line(line: ProofLine, left_mm: float) -> list[str]:
    pieces = split(line.right, _MAIN_MM - left_mm - (_RELATION_MM if line.relation else 0.0))
    margin = mark(line.mark) if line.mark is not None else ""
    left = rf"{{{escape(line.number)}}}{{{page_math(line.left)}}}{{{steps.relation(line.relation)}}}"
    head = rf"\symproofline{left}{{{pieces[0]}}}{{{margin}}}"
    return [head, *(rf"\symcont{{{piece}}}{{}}" for piece in pieces[1:])]


def mark(node: Mark) -> str:
    """A margin entry. Raises RenderError for a kind of evidence that there is not."""
    if node.kind not in MARKS:
        raise RenderError(f"unknown kind of evidence {node.kind!r}", next_move=f"use one of {', '.join(MARKS)}")
    return rf"\symmarkentry{{{node.kind}}}{{{escape(node.rule)}}}{{{inline(node.reason)}}}"


def key(node: ProofKey, tongue: Tongue) -> str:
    """The marks and what they mean."""
    entries = "%\n".join(rf"\symkeymark{{{kind}}}{{{escape(mark_word(kind, tongue.lang))}}}" for kind in node.kinds)
    return f"\\symproofkey{{{entries}}}\n"
