"""Words and formulas of a plot as runs of text: upright or italic, on the line, raised or lowered.

Promises: every label is a list of runs, whatever its formula; scripts and fractions with one level keep their meaning. Does not promise:
the look of a formula in a text: plots hold short names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from symattn.page.math import Fence, Fraction, Math, Name, Number, Root, Row, Script, Sign, Words
from symattn.page.nodes import Emph, Formula, Inline
from symattn.render.terminal_math import UNICODE, is_unary, math_text

_SPACED = frozenset("=≈≠<>≤≥→∈∼+-×·⊙±")


@dataclass(frozen=True)
class Run:
    """A piece of text. `level` is 0 on the line, 1 raised, -1 lowered."""

    text: str
    italic: bool = False
    level: int = 0


def runs(items: Iterable[Inline]) -> list[Run]:
    """The runs of a label."""
    found: list[Run] = []
    for item in items:
        if isinstance(item, Formula):
            found += _math(item.math)
        else:
            found.append(Run(item.text, italic=isinstance(item, Emph)))
    return [run for run in found if run.text]


def _math(math: Math) -> Iterator[Run]:
    match math:
        case Row(items):
            for at, item in enumerate(items):
                if isinstance(item, Sign) and item.text in _SPACED and not is_unary(items, at):
                    yield from (replace(run, text=f" {run.text} ") for run in _math(item))
                else:
                    yield from _math(item)
        case Number(text):
            yield Run(text.replace("-", "−"))
        case Name(text, upright, _):
            yield Run(text, italic=not upright and len(text) == 1)
        case Sign(text):
            yield Run({"-": "−", " ": "\u2009"}.get(text, text))
        case Words(text):
            yield Run(text)
        case Script(base, sub, sup):
            yield from _math(base)
            for part, level in ((sub, -1), (sup, 1)):
                if part != Row(()):
                    yield from (replace(run, text=run.text.replace(" ", ""), level=level) for run in _math(part))
        case Fence(body, pair):
            yield Run(pair[0])
            yield from _math(body)
            yield Run(pair[1])
        case Fraction(num, den):
            yield from _math(num)
            yield Run("/")
            yield from (_math(den) if isinstance(den, Number | Name | Script) else _math(Fence(den)))
        case Root(body):
            yield Run("√")
            yield from (_math(body) if isinstance(body, Number | Name | Script) else _math(Fence(body)))
        case _:
            yield Run(math_text(math, UNICODE))
