"""A matrix typed at the prompt, as text of the expression language: `[[1, 0.5], [1/3, -2]]`.

Promises: text is parsed, never run; entries are plain exact numbers; complaints have line, column and a caret. Does not promise: names or
functions inside it.
"""

from __future__ import annotations

import re
from typing import Any

from symattn.errors import Place
from symattn.inputs.given import Given, Path, settle
from symattn.language.ast import Array, Node
from symattn.language.constants import literal, rational
from symattn.language.parser import parse
from symattn.language.unparse import unparse

_BEGINS = re.compile(r"\s*(\[|[+\-\u2212]?\s*\.?[0-9])")


def looks_typed(text: str) -> bool:
    """Is this a matrix or a number rather than a path? Matrices begin with a bracket, numbers with a digit or a sign."""
    return _BEGINS.match(text) is not None


def read_typed(name: str, text: str, label: str) -> Given:
    """The input `name` from text; `label` (`--q`) stands for the file in messages. Raises LanguageError, InputError."""
    node = parse(text, path=label)
    if isinstance(node, Array):
        literal(node)  # refuses entries that are not plain numbers, at their place

    def locate(path: Path) -> Place:
        found: Node = node
        for k in path:
            if isinstance(found, Array) and k < len(found.items):
                found = found.items[k]
        return found.place

    return settle(name, _raw(node), locate)


def _raw(node: Node) -> Any:
    if isinstance(node, Array):
        return [_raw(item) for item in node.items]
    value = rational(node)
    if value is None:
        literal(Array((node,), place=node.place))
    typed = unparse(node)
    # What was typed is kept where it is a plain decimal; the value of 1/3 or 2**-3 is exact as it is.
    return typed if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", typed) else value
