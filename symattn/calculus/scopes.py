"""Words behind a relation that say for what else it holds: a limit, any number of blocks, any permutation.

Promises: the same words as the kernel's certificates; a relation with such words is never read as one without. Does not promise: more words
than these.
"""

from __future__ import annotations

import re

LIMIT = re.compile(r"as (\w+) -> oo")
BLOCKS = re.compile(r"for every number of blocks")
PERMUTED = re.compile(r"after any permutation of (\w+) in the inputs, up to the same permutation")
_ENDINGS = (LIMIT, BLOCKS, PERMUTED)


def parted(text: str) -> tuple[str, str]:
    """A relation and the words behind it ("" where there are none)."""
    for ending in _ENDINGS:
        found = re.search(rf" ({ending.pattern})$", text.rstrip())
        if found:
            return text.rstrip()[: found.start()], found[1]
    return text, ""


def relation_of(sign: str) -> str:
    """The relation in a sign: "->" of "-> as t -> oo"."""
    return sign.split(" ", 1)[0]


def words_of(sign: str) -> str:
    """The words in a sign."""
    return sign.partition(" ")[2]


def said(scope: str, lang: str) -> str:
    """The words for people."""
    limit, permuted = LIMIT.fullmatch(scope), PERMUTED.fullmatch(scope)
    es = lang == "es"
    if limit:
        return f"cuando {limit[1]} → ∞" if es else f"as {limit[1]} → ∞"
    if permuted:
        return f"tras toda permutación de {permuted[1]}" if es else f"after any permutation of {permuted[1]}"
    if BLOCKS.fullmatch(scope):
        return "para todo número de bloques" if es else scope
    return ""
