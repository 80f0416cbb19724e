"""Pages in which every text field is hostile, and the means to see what became of it.

`poison` replaces every field that carries text of a document; what is left alone are closed vocabularies (verdicts, kinds, signs).
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from typing import Any

from symattn.page import math as m
from symattn.page import nodes as n

PAYLOADS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]><!--",
    "[x](javascript:alert(1))",
    "![x](http://evil.example/x.png)",
    "<http://evil.example>",
    "http://evil.example www.evil.example",
    "\x1b[31mred\x1b]8;;http://evil.example\x07\x9b2J",
    "$$ $x$ \\$",
    "a | b || c",
    "`code` ``` fence",
    "# title",
    "- item\n\n> quote\n***",
    "1. item",
    "\u202eevil\u2066",
    "\ud800 lone",
    "'' onmouseover=alert(1) x='",
    "&lt;b&gt; &#60;i&#62;",
    "\\",
    "*a* _b_ ~~c~~",
)

# Fields whose values come from closed lists of ours.
CLOSED = {
    (n.Margin, "verdict"), (n.Line, "relation"), (n.Line, "student"), (n.Term, "relation"), (n.Ledger, "student"), (n.Table, "align"),
    (n.Statement, "status"), (n.Page, "lang"), (m.Sign, "text"), (m.Fence, "pair"), (m.Big, "kind"), (m.Box, "kind"), (m.Name, "accent"),
    (n.Mark, "kind"), (n.ProofLine, "relation"), (n.Curve, "style"), (n.Curve, "anchor"), (n.Threshold, "axis"), (n.Threshold, "anchor"),
}  # fmt: skip
CLOSED_LISTS = {(n.Key, "verdicts"), (n.Errata, "counts"), (n.ProofKey, "kinds")}


def poison(node: Any, payload: str, hits: set[str] | None = None, field: str = "") -> Any:
    """`node` with `payload` in every open text field; `hits` collects "Class.field"."""
    if isinstance(node, str):
        if hits is not None:
            hits.add(field)
        return payload
    if isinstance(node, tuple):
        return tuple(poison(item, payload, hits, field) for item in node)
    if not is_dataclass(node):
        return node
    kind = type(node)
    return replace(
        node,
        **{
            f.name: poison(getattr(node, f.name), payload, hits, f"{kind.__name__}.{f.name}")
            for f in fields(node)
            if (kind, f.name) not in CLOSED | CLOSED_LISTS
        },
    )


def open_fields() -> set[str]:
    """Every field of a page tree that can carry text of a document."""
    kinds = {kind for module in (m, n) for kind in vars(module).values() if isinstance(kind, type) and is_dataclass(kind)}
    return {
        f"{kind.__name__}.{f.name}"
        for kind in kinds
        for f in fields(kind)
        if "str" in re.findall(r"\w+", str(f.type)) and (kind, f.name) not in CLOSED | CLOSED_LISTS
    }


VOID = frozenset({"meta", "wbr", "br", "hr", "link", "img", "input", "mspace"})


class Outline(HTMLParser):
    """What a page consists of: tags, attributes, text, and every way in which it is not balanced."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.trouble: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend((tag, name, value or "") for name, value in attrs)
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.trouble.append(f"<{tag}> repeats an attribute")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend((tag, name, value or "") for name, value in attrs)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.trouble.append(f"</{tag}> closes {self.open[-1] if self.open else 'nothing'}")
            return
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.trouble.append(f"a comment: {data[:20]}")


def outline(html: str) -> Outline:
    """Parses a page; what stays open is trouble too."""
    parsed = Outline()
    parsed.feed(html)
    parsed.close()
    parsed.trouble += [f"<{tag}> stays open" for tag in parsed.open]
    return parsed
