"""Where a row that is too long is broken.

Promises: `split` loses and reorders nothing: the pieces put together are the row; it breaks before +, -, relations and after commas,
outside of fences where it can. Does not promise: that every piece fits; some formulas have no good place.
"""

from __future__ import annotations

from dataclasses import dataclass

from symattn.page.math import Fence, Math, Number, Row, Sign, Words
from symattn.render.latex_math import PageMath, fence_pair
from symattn.render.latex_width import EM, RELATIONS, is_tall, width

_PRINTER = PageMath()


@dataclass(frozen=True)
class _Token:
    """A piece of a row that stays in one. `depth` of the fences around the place before it, where the row may be broken; -1: it may
    not. `sign`: an operator or relation, which keeps its spacing at the head of a line."""

    latex: str
    width: float
    depth: int = -1
    sign: bool = False


def split(math: Math, limit: float) -> list[str]:
    """The LaTeX of a row in pieces of at most `limit` mm where that is possible, broken before +, - and relations and after commas."""
    if width(math) <= limit:
        return [_PRINTER.print(math)]
    lines: list[str] = []
    pending = _tokens(math, _PRINTER, 0)
    while pending:
        cut = _cut(pending, limit)
        text = "".join(token.latex for token in pending[:cut])
        lines.append("{}" + text if lines and pending[0].sign else text)
        pending = pending[cut:]
    return lines


def longest_chunk(math: Math) -> float:
    """mm of the widest part of a formula that no line break can part."""
    widest = run = 0.0
    for token in _tokens(math, _PRINTER, 0):
        run = token.width if token.depth >= 0 else run + token.width
        widest = max(widest, run)
    return widest


def _cut(tokens: list[_Token], limit: float) -> int:
    """How many tokens the next line takes: the last good place before the limit, shallow ones first."""
    total = 0.0
    best: dict[int, int] = {}
    for at, token in enumerate(tokens):
        if at and token.depth >= 0 and total <= limit:
            best[token.depth] = at
        total += token.width
        if total > limit and best:
            break
        if total > limit and at and token.depth >= 0:
            return at
    if total <= limit:
        return len(tokens)
    for depth in sorted(best):
        if sum(token.width for token in tokens[: best[depth]]) > 0.4 * limit:
            return best[depth]
    return max(best.values(), default=len(tokens))


def _tokens(math: Math, printer: PageMath, depth: int) -> list[_Token]:
    items = _flat(math)
    out: list[_Token] = []
    before: Math | None = None
    for at, item in enumerate(items):
        latex = printer.print(item)
        if before is not None and isinstance(item, Number) and latex[:1] in ("-", "+"):
            latex = printer.row(Row((before, item)))[len(printer.print(before)) :]  # a sign of a number is set by what is before it
        place = depth if at and _breakable(before, item) else -1
        if isinstance(item, Fence) and not is_tall(item.body) and len(_flat(item.body)) > 2:
            opening, closing = fence_pair(item)
            inner = _tokens(item.body, printer, depth + 1)
            out.append(_Token(opening + inner[0].latex, inner[0].width + 0.34 * EM, place))
            out += inner[1:]
            out[-1] = _Token(out[-1].latex + closing, out[-1].width + 0.34 * EM, out[-1].depth)
        else:
            out.append(_Token(latex, width(item), place, isinstance(item, Sign)))
        before = item
    return out


def _flat(math: Math) -> list[Math]:
    if isinstance(math, Row):
        return [leaf for item in math.items for leaf in _flat(item)]
    return [math]


def _breakable(before: Math | None, item: Math) -> bool:
    """May a line end between the two? Before a sum's sign or a relation, or after a comma."""
    if isinstance(before, Sign) and before.text in (",", ";"):
        return True
    if isinstance(item, Sign) and not isinstance(before, Sign):
        return item.text in RELATIONS or item.text in ("+", "-", "±")
    return isinstance(item, Words) and item.text.startswith("  ")
