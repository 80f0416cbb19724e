"""Where the value of a key, or an entry of it, stands in JSON or TOML text: asked only when there is something to complain about.

Promises: for text that its parser took, the place of the entry; a place near it otherwise. Does not promise: to check anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')
_TOML_TOKEN = re.compile(r"""(?P<skip>\#[^\n]*)|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\[\]{},=]|[^\s\[\]{},="'#]+""")


def in_json(text: str, key: str, path: Sequence[int]) -> int:
    """The offset of an entry of the top-level `key`; of the key's value for an empty path; of the text's begin for no such key."""
    depth = 0
    name = ""
    for found in _JSON_TOKEN.finditer(text):
        token = found.group()
        if token == ":" and depth == 1 and _unquoted(name) == key:
            return _entry(_tokens(_JSON_TOKEN, text, found.end()), path, found.end())
        depth += (token in "[{") - (token in "]}")
        name = token
    return 0


def in_toml(text: str, key: str, path: Sequence[int]) -> int:
    """The same for TOML text."""
    written = "|".join((re.escape(key), re.escape(f'"{key}"'), re.escape(f"'{key}'")))
    found = re.search(rf"^[ \t]*(?:{written})[ \t]*=", text, re.MULTILINE)
    return 0 if found is None else _entry(_tokens(_TOML_TOKEN, text, found.end()), path, found.end())


def deepest(text: str) -> int:
    """The offset of the first of many brackets in a row."""
    found = re.search(r"(?:[\[{]\s*){8}", text)
    return 0 if found is None else found.start()


def _unquoted(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return ""


def _tokens(pattern: re.Pattern[str], text: str, start: int) -> Iterator[tuple[str, int]]:
    for found in pattern.finditer(text, start):
        if not found.groupdict().get("skip"):
            yield found.group(), found.start()


def _entry(tokens: Iterator[tuple[str, int]], path: Sequence[int], fallback: int) -> int:
    """Walks one value and keeps count of where it is."""
    at: list[int] = []
    for token, offset in tokens:
        if token == ",":
            if not at:
                break
            at[-1] += 1
            continue
        if token in "]}":
            if not at:
                break
            at.pop()
            continue
        if at == list(path):
            return offset
        if not at:
            fallback = offset
        if token in "[{":
            at.append(0)
        elif not at:
            break
    return fallback
