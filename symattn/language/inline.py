"""`attention(Q, K, V, …)` inside an expression."""

from __future__ import annotations

from symattn.errors import LanguageError
from symattn.language.ast import Call
from symattn.language.compile import Compiler
from symattn.language.values import Value


def attention(c: Compiler, node: Call, target: str) -> Value:
    """The stages of an attention, read from three values."""
    raise LanguageError("attention( ) is not there yet", place=node.place)
