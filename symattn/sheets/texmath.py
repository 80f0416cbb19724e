"""Reads the small whitelisted TeX that prose may hold between dollar signs into a presentation tree.

Promises: only the commands in the tables below are known, so no prose can reach TeX itself; anything else is a
SheetError with the offending command. Does not promise: any meaning; prose mathematics is never evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from symattn.errors import SheetError
from symattn.page import math as m

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "omega": "ω", "Delta": "Δ", "Sigma": "Σ", "Omega": "Ω", "partial": "∂",
}  # fmt: skip
SIGNS = {
    "cdot": "·", "times": "×", "odot": "⊙", "approx": "≈", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "to": "→",
    "infty": "∞", "in": "∈", "top": "⊤", "pm": "±", "div": "/", "ldots": "…", "dots": "…", "sim": "∼", "mid": "|",
}  # fmt: skip
FUNCTIONS = ("softmax", "exp", "log", "ln", "tanh", "max", "min", "sqrt", "lim", "Var", "E")
MAX_LENGTH = 2000
MAX_DEPTH = 40

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[^\W\d_]|[{}^_]|\S|\s+", re.DOTALL)


def read_tex(text: str) -> m.Math:
    """The formula in `text` (without its dollar signs). Raises SheetError on anything outside the subset."""
    if len(text) > MAX_LENGTH:
        raise SheetError(f"a formula of {len(text)} characters is too long", next_move=f"at most {MAX_LENGTH}")
    return _Tex([t for t in _TOKEN.findall(text) if not t.isspace() or t == "\\ "], text).whole()


class _Tex:
    def __init__(self, tokens: list[str], text: str) -> None:
        self.tokens = tokens
        self.text = text
        self.at = 0
        self.depth = 0

    def trouble(self, message: str, next_move: str = "") -> SheetError:
        return SheetError(f"in the formula ${self.text}$: {message}", next_move=next_move)

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def whole(self) -> m.Math:
        row = self.row(until="")
        if self.at < len(self.tokens):
            raise self.trouble(f"`{self.peek()}` closes nothing")
        return row

    def row(self, until: str) -> m.Math:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.trouble("it nests too deeply")
        items: list[m.Math] = []
        while self.at < len(self.tokens) and self.peek() != until and self.peek() != "}":
            items.append(self.scripted())
        self.depth -= 1
        return items[0] if len(items) == 1 else m.Row(tuple(items))

    def scripted(self) -> m.Math:
        base = self.atom()
        sub: m.Math = m.EMPTY
        sup: m.Math = m.EMPTY
        while self.peek() in ("^", "_"):
            mark = self.take()
            argument = self.atom()
            if mark == "^":
                if sup != m.EMPTY:
                    raise self.trouble("two superscripts on one symbol", "group them with braces")
                sup = argument
            else:
                if sub != m.EMPTY:
                    raise self.trouble("two subscripts on one symbol", "group them with braces")
                sub = argument
        if isinstance(base, m.Big):
            return m.Big(base.kind, sub, sup, base.body)
        return base if sub == m.EMPTY and sup == m.EMPTY else m.Script(base, sub, sup)

    def group(self) -> m.Math:
        if self.take() != "{":
            raise self.trouble("a command needs its argument in braces")
        inside = self.row(until="}")
        if self.take() != "}":
            raise self.trouble("a brace is not closed")
        return inside

    def words(self) -> str:
        """The raw text of a braced argument."""
        if self.take() != "{":
            raise self.trouble(r"\text needs its words in braces")
        start = self.at
        while self.peek() not in ("}", ""):
            self.take()
        if self.take() != "}":
            raise self.trouble("a brace is not closed")
        return "".join(self.tokens[start : self.at - 1])

    def atom(self) -> m.Math:
        token = self.take()
        if not token:
            raise self.trouble("it ends too early")
        if token == "{":
            self.at -= 1
            return self.group()
        if token[0] == "\\":
            return self.command(token[1:])
        if token[0].isdigit():
            return m.Number(token)
        if token.isalpha():
            return m.Name(token)
        if token in "([|":
            return self.fence(token)
        if token in m.SIGNS:
            return m.Sign(token)
        if token in ("−", "'"):
            return m.Sign("-") if token == "−" else m.Words("′")
        if token in ")]":
            return m.Words(token)
        if token == "!":
            return m.Words("!")
        raise self.trouble(f"`{token}` is not in the small TeX subset of prose")

    def fence(self, opened: str) -> m.Math:
        closed = {"(": ")", "[": "]", "|": "|"}[opened]
        mark = self.at
        inside = self.row(until=closed)
        if self.peek() == closed:
            self.take()
            return m.Fence(inside, opened + closed)
        self.at = mark
        return m.Words(opened)

    def command(self, name: str) -> m.Math:
        special: dict[str, Callable[[], m.Math]] = {
            "sqrt": lambda: m.Root(self.group()),
            "frac": lambda: m.Fraction(self.group(), self.group()),
            "text": lambda: m.Words(self.words()),
            "mathrm": lambda: m.Name(self.words(), upright=True),
            "sum": lambda: m.Big("sum", m.EMPTY, m.EMPTY, m.EMPTY),
            "max": lambda: m.Name("max", upright=True),
        }
        if name in special:
            return special[name]()
        if name in GREEK:
            return m.Name(GREEK[name])
        if name in SIGNS:
            return m.Sign(SIGNS[name])
        if name in FUNCTIONS:
            word = m.Name(name, upright=True)
            spaced = self.peek() not in ("(", "[", "{", "^", "_", "", "}", ")")
            return m.Row((word, m.Sign(" "))) if spaced else word
        if name in (",", ";", ":", " ", "quad"):
            return m.Sign(" ")
        if name in ("%", "{", "}", "_", "&", "#", "$"):
            return m.Sign("%") if name == "%" else m.Words(name)
        known = ", ".join("\\" + k for k in (*special, "cdot", "times", "top", "approx", "le", "softmax", "exp"))
        raise self.trouble(f"the command \\{name} is not known here", f"known are {known} and Greek letters")
