"""What every HTML block is built from: text, margin entries, badges, anchors.

Promises: attributes and content of a document pass `esc`; no address ever comes from a document; anchors are unique on a page.
Does not promise: any layout; that is the style sheet's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from symattn.errors import RenderError
from symattn.page import nodes as n
from symattn.page.words import glyph, verdict_word, words
from symattn.render.html_math import MathStyle, attr, data_number, esc, inline
from symattn.render.terminal_math import is_empty

_NOT_SLUG: Final = re.compile(r"[^a-z0-9]+")
# Signs drawn as strokes in a box of 20 × 14; font brackets vanish at this size.
STROKES: Final = {
    "exact": "M5.5 5.2h9M5.5 8.8h9",
    "rounded": "M5.5 5.6c1.6-1.9 3-1.9 4.5-.6s2.9 1.300 4.500-.6M5.5 9.600c1.6-1.900 3-1.900 4.500-.6s2.9 1.300 4.500-.6",
    "truncated": "M12 2.800v8.400H8",
    "from-rounded": "M6.500 3.200v4.800h7M10.800 5.200l2.900 2.800-2.900 2.800",
    "wrong": "M5.500 5.200h9M5.500 8.800h9M12.200 2.600l-4.400 8.800",
    "undecided": "M7.600 5c0-3.200 4.900-3.100 4.900-.2 0 2-2.400 2-2.400 3.900M10.100 11v.3",
}
Methods = Mapping[type, Callable[["Html", Any], str]]


def slug(text: str) -> str:
    """Letters and digits of `text` for an anchor; may be empty."""
    return _NOT_SLUG.sub("-", text.lower()).strip("-")


_POWER_OF_TEN = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)e\+?(-?[0-9]+)")


def number(text: str) -> str:
    """A printed number with a true minus sign, escaped; `1.3e-24` as a product with a power of ten."""
    power = _POWER_OF_TEN.fullmatch(text)
    if power is not None:
        return f"{number(power[1])} × 10<sup>{number(power[2])}</sup>"
    return esc(text.replace("-", "−") if text[:1] in ("-", "(") else text)


class Html:
    """One rendering of one page: the words of its language, the anchors given so far. No state outlives the call."""

    def __init__(self, lang: str, methods: Methods, *, blank: bool) -> None:
        self.lang = lang
        self.words = words(lang)
        self.methods = methods
        self.blank = blank
        self.depth = 2
        self.tables = 0
        self.used: set[str] = set()
        self.steps: dict[str, str] = {}
        self.claims: dict[str, str] = {}

    def anchor(self, wish: str) -> str:
        """An id that no other element of the page has."""
        base = slug(wish) or "part"
        name, at = base, 1
        while name in self.used:
            at += 1
            name = f"{base}-{at}"
        self.used.add(name)
        return name

    def style(self, *, terms: bool = False) -> MathStyle:
        return MathStyle(results=self.blank, terms=self.blank and terms, identity=self.identity)

    def identity(self, id: str) -> str:
        """Attributes of a numbered box: an anchor where it stands first, and the id as data."""
        if not id:
            return ""
        wish = f"n-{slug(id)}"
        return attr("id", self.anchor(wish) if wish not in self.used else "") + data_number(id)

    def block(self, node: n.Block) -> str:
        method = self.methods.get(type(node))
        if method is None:
            raise RenderError(f"no HTML for the page node {type(node).__name__}")
        return method(self, node)

    def inline(self, items: Iterable[n.Inline]) -> str:
        return "".join(self.inline_one(item) for item in items)

    def inline_one(self, item: n.Inline) -> str:
        match item:
            case n.Text(text):
                return esc(text)
            case n.Emph(text):
                return f"<em>{esc(text)}</em>"
            case n.Strong(text):
                return f"<strong>{esc(text)}</strong>"
            case n.Code(text):
                return f"<code>{esc(text)}</code>"
            case n.Formula(math):
                return inline(math, MathStyle(results=self.blank, terms=self.blank))
        raise RenderError(f"no HTML for the inline node {type(item).__name__}")

    def heading(self, inner: str, *, id: str = "", kind: str = "") -> str:
        level = min(self.depth, 6)
        return f"<h{level}{attr('id', id)}{attr('class', kind)}>{inner}</h{level}>"

    # -- verdicts -------------------------------------------------------------------------------------------------
    def badge(self, verdict: str, off: int = 0) -> str:
        """The sign in its box; the word beside it says the same, so it is hidden from readers of words."""
        if verdict in STROKES:
            inner = f'<svg viewBox="0 0 20 14"><use href="#g-{verdict}"/></svg>'
        else:
            inner = f'<svg viewBox="0 0 20 14"><text x="10" y="10.4">{esc(glyph(verdict, off))}</text></svg>'
        return f'<span class="badge {verdict}" aria-hidden="true">{inner}</span>'

    def word(self, entry: n.Margin) -> str:
        return esc(verdict_word(entry.verdict, self.lang, off=entry.off, plural=entry.plural, changes_order=entry.changes_order))

    def why(self, entry: n.Margin) -> str:
        """Grey second lines: the right value, the operand used."""
        lines = []
        if entry.right:
            lines.append(esc(self.words["correct"]).format(x=number(entry.right)))
        if not is_empty(entry.because):
            lines.append(inline(entry.because))
        return "".join(f'<span class="why">{line}</span>' for line in lines)

    def claim(self, entry: n.Margin) -> str:
        """Attributes that tie an entry to its claim."""
        if not entry.claim:
            return ""
        first = entry.claim not in self.claims
        if first:
            self.claims[entry.claim] = self.anchor(f"claim-{slug(entry.claim)}")
        return attr("id", self.claims[entry.claim] if first else "") + attr("data-claim", esc(entry.claim))

    def note(self, entry: n.Margin) -> str:
        """A margin entry: printed number, badge, word, and what is right instead."""
        if self.blank:
            return f'<span class="note"><span class="printed line"></span><span class="badge empty"></span>{self._hint()}</span>'
        printed = f'<span class="printed">{number(entry.printed)}</span>'
        return (
            f'<span class="note"{self.claim(entry)}{attr("data-verdict", esc(entry.verdict))}>{printed}'
            f'{self.badge(entry.verdict, entry.off)}<span class="word">{self.word(entry)}</span>{self.why(entry)}</span>'
        )

    def _hint(self) -> str:
        return f'<span class="sr">{esc(self.words["your-verdict"])}</span>'

    def notes(self, entries: Iterable[n.Margin]) -> str:
        inner = "".join(self.note(entry) for entry in entries)
        return f'<span class="notes">{inner}</span>' if inner else ""

    def step_link(self, steps: str) -> str:
        """Numbers of steps, each linked where the page has that step."""
        parts = steps.split(", ")
        return ", ".join(f'<a href="#{self.steps[part]}">{esc(part)}</a>' if part in self.steps else esc(part) for part in parts)

    def step_name(self, step: str) -> str:
        """ "paso 3" with its link; a step without a number goes by its title."""
        return esc(self.words["step.numbered"]).format(n=self.step_link(step)) if step in self.steps or step.isdigit() else esc(step)


def glyph_sheet() -> str:
    """The strokes of the badges, drawn once and used by reference."""
    symbols = "".join(f'<symbol id="g-{name}" viewBox="0 0 20 14"><path d="{path}"/></symbol>' for name, path in STROKES.items())
    return f'<svg class="glyphs" aria-hidden="true" width="0" height="0">{symbols}</svg>'
