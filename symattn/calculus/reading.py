"""Reading text of the language once: lines of a derivation are read when they are proved, when they are shown and when they are checked.

Promises: what `symattn.language.parser.parse` returns, and its errors. Does not promise: to remember more than the last texts.
"""

from __future__ import annotations

from functools import lru_cache

from symattn.language import parser
from symattn.language.ast import Node


@lru_cache(maxsize=1024)
def parse(text: str) -> Node:
    """The expression that `text` says. Raises LanguageError."""
    return parser.parse(text)
