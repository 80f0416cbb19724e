"""How what people hold shows itself in a notebook: `$…$` for one formula, aligned rows for several.

Promises: the LaTeX is written by the renderer of pages, which is loaded when something is shown and not before; WRITERS names it, so
that numbers and programs can show themselves without their packages importing a renderer.
Does not promise: to fit a line; what is too large to read is left to `repr` by whoever holds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

from symattn.page.math import Fence, Math, Name, Number, Row, Script, Sign, Words

# Form -> (module, function from a formula to text).
WRITERS = {"latex": ("symattn.render.latex_math", "math_latex"), "text": ("symattn.render.terminal_math", "math_text")}
LONGEST = 24  # characters of a numeral; a longer one is cut and says so
_NUMERAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?%?")


def writer(form: str) -> Callable[[Math], str]:
    """The function that writes a formula as "latex" or "text"."""
    module, name = WRITERS[form]
    return cast("Callable[[Math], str]", getattr(import_module(module), name))


def shown(math: Math) -> str:
    """One formula for a notebook: `$…$`."""
    return f"${writer('latex')(math)}$"


def aligned(rows: Sequence[tuple[Math, str, Math]]) -> str:
    """Rows `left relation right` for a notebook, aligned at the relation (one of page.math.SIGNS)."""
    write = writer("latex")
    lines = [f"{write(left)} &{write(Sign(relation))} {write(right)}" for left, relation, right in rows]
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


def numeral_math(text: str) -> Math:
    """A number as text: a numeral as one, cut to its first digits and "…" where it is long; `|x| < 1e-40` as the bound it is; anything
    else as words."""
    bound = text.removeprefix("|x| < ")
    if bound != text and _NUMERAL.fullmatch(bound):
        return Row((Fence(Name("x"), "||"), Sign("<"), Number(bound)))
    if not _NUMERAL.fullmatch(text):
        return Words(text)
    if len(text) > LONGEST and "e" not in text and "." in text[: LONGEST - 1] and "%" not in text:
        return Number(text[:LONGEST] + "…")
    return Number(text)


def shape_math(sizes: Sequence[Math], *, boolean: bool = False) -> Math:
    """The set that something of this shape is in: ℝ to the power n × m; {0, 1} for a mask."""
    base: Math = Fence(Row((Number("0"), Sign(","), Number("1"))), "{}") if boolean else Name("ℝ")
    if not sizes:
        return base
    items: list[Math] = [sizes[0]]
    for size in sizes[1:]:
        items += [Sign("×"), size]
    return Script(base, sup=Row(tuple(items)))
