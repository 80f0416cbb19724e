"""Presentation trees for formulas: what stands where, never how a format writes it.

Promises: plain frozen data; every leaf is text that a renderer must escape. Does not promise: any mathematics; nothing
here is evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """A decimal numeral in ASCII: digits, one point, an optional leading "-" or "+", an optional final "%" or "…".

    Renderers print a true minus sign. The builder, not the renderer, puts parentheses where a negative needs them."""

    text: str


@dataclass(frozen=True)
class Name:
    """A symbol. One letter is italic; `upright` is for words (token names, "softmax"). `accent`: "" or one of ACCENTS."""

    text: str
    upright: bool = False
    accent: str = ""


ACCENTS = ("hat", "tilde", "bar", "dot")


@dataclass(frozen=True)
class Sign:
    """An operator or separator: one of SIGNS."""

    text: str


SIGNS = tuple("+-*×·/⊙=≈≠<>≤≥→∈,;:…±∞⊤|%√∼ ")


@dataclass(frozen=True)
class Row:
    """Things side by side."""

    items: tuple[Math, ...]


@dataclass(frozen=True)
class Script:
    """base with a subscript and/or a superscript; an absent one is an empty Row."""

    base: Math
    sub: Math = Row(())
    sup: Math = Row(())


@dataclass(frozen=True)
class Fraction:
    """Numerator over denominator with a bar."""

    num: Math
    den: Math


@dataclass(frozen=True)
class Root:
    """A square root."""

    body: Math


@dataclass(frozen=True)
class Fence:
    """`body` between a pair: one of "()", "[]", "{}", "||", "‖‖", "⟨⟩"."""

    body: Math
    pair: str = "()"


@dataclass(frozen=True)
class Big:
    """A big operator ("sum", "max", "prod") over `lower` .. `upper` applied to `body`; bounds may be empty Rows."""

    kind: str
    lower: Math
    upper: Math
    body: Math


@dataclass(frozen=True)
class Grid:
    """A matrix in parentheses. `labels` are grey row names outside the left parenthesis (empty: none)."""

    rows: tuple[tuple[Math, ...], ...]
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Words:
    """Upright text inside a formula."""

    text: str


@dataclass(frozen=True)
class Box:
    """A result (tinted box) or, with kind "term", a term of a sum. In the student version a result becomes an empty box with
    `label` in its corner; a term becomes an empty dashed box where its line says so. `id` names the number for links, "" none."""

    body: Math
    kind: str = "result"
    label: str = ""
    id: str = ""


Math = Number | Name | Sign | Row | Script | Fraction | Root | Fence | Big | Grid | Words | Box
EMPTY = Row(())
