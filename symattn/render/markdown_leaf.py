"""Text and formulas as GitHub-flavoured Markdown that stays text.

Promises: no character of a document opens markup, a link, a formula, a table cell or raw HTML; formulas hold no dollar, angle
bracket, pipe, square bracket or backtick of their own, so that a reader without mathematics sees no other markup in them.
Does not promise: that GitHub's own afterthoughts (mentions, emoji words) leave a text alone.
"""

from __future__ import annotations

import re
from typing import Final

from symattn.page.math import Box, Math, Number, Sign
from symattn.render.escape import escape
from symattn.render.latex_math import MathPrinter
from symattn.render.leaf import visible

_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;"}
_BACKSLASHED: Final = frozenset("\\`*_[]|~")
_ADDRESS: Final = re.compile(r"(?<=[A-Za-z])://|(?i:\bwww\.)")
_LIST_START: Final = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_MATH_IN_TEXT: Final = re.compile(r"(?<!\\)\$([^$]*)\$")
# Characters of upright words that would mean something to Markdown: shown by a command outside the words.
_COMMANDS: Final = {"<": r"\lt ", ">": r"\gt ", "|": r"\vert ", "[": r"\lbrack ", "]": r"\rbrack ", "\\": r"\backslash ", "$": r"\$"}
_GRAVE: Final = "\u02cb"  # a backtick inside a formula would open a code span in readers without mathematics


def text(words: str) -> str:
    """Words of a document on one line of Markdown, for any place in a paragraph or a table cell."""
    plain = visible(words).replace("\r", " ")
    safe = "".join(_ENTITIES.get(char) or ("\\" + char if char in _BACKSLASHED else char) for char in plain)
    return _ADDRESS.sub(lambda found: found[0].replace(":", "&#58;").replace(".", "&#46;"), safe)


def start(line: str) -> str:
    """A line of Markdown whose first characters make no heading, list, quote, rule or table of it."""
    line = line.lstrip(" ")
    if line[:1] in tuple("#+-=:"):
        return "\\" + line
    return _LIST_START.sub(r"\1\\\2", line, count=1) if _LIST_START.match(line) else line


def code(words: str, *, cell: bool = False) -> str:
    """A code span; its fence is longer than any run of backticks inside. In a cell a pipe is escaped: tables split before code."""
    plain = visible(words)
    if cell:
        plain = plain.replace("|", "\\|")
    runs = [len(run) for run in re.findall(r"`+", plain)]
    fence = "`" * (max(runs, default=0) + 1)
    pad = " " if runs or plain != plain.strip(" ") or not plain else ""
    return f"{fence}{pad}{plain}{pad}{fence}"


class MarkdownMath(MathPrinter):
    """The printer of formulas between dollar signs. `results` and `terms` leave those boxes empty."""

    def __init__(self, *, results: bool = False, terms: bool = False) -> None:
        super().__init__()
        self.results = results
        self.terms = terms

    def number(self, math: Number) -> str:
        shown = super().number(math)
        return self.text(math.text) if shown.startswith(r"\text") else shown

    def sign(self, math: Sign) -> str:
        return _COMMANDS.get(math.text) or super().sign(math)

    def box(self, math: Box) -> str:
        if self.terms if math.kind == "term" else self.results:
            label = self.text(math.label) if math.label else ""
            return rf"\boxed{{{label}\hspace{{{'3em' if math.kind == 'term' else '5em'}}}}}"
        return self.print(math.body)

    def text(self, text: str) -> str:
        out: list[str] = []
        for char in visible(text):
            if char in _COMMANDS:
                out.append(f"${_COMMANDS[char]}$")
            elif char == "`":
                out.append(_GRAVE)
            else:
                out.append(escape(char, breaks=False))
        # what stands between the dollars is mathematics, and goes beside the words
        parts = _MATH_IN_TEXT.split("".join(out).replace(r"$\$$", "\0"))
        pieces = []
        for at, part in enumerate(parts):
            if at % 2:
                pieces.append(f"{{{part}}}")
            else:
                pieces.extend(r"\$" if piece == "\0" else rf"\text{{{piece}}}" for piece in re.split("(\0)", part) if piece)
        return "".join(pieces)


def formula(math: Math, printer: MarkdownMath) -> str:
    """A formula without its dollar signs; its own square brackets are commands, so that none can begin a link."""
    return printer.print(math).replace("[", r"\lbrack ").replace("]", r"\rbrack ").strip()
