"""The library's complaints speak of Python's arguments; at the prompt they name the options.

Promises: `window=w` becomes `--window w`, and so on for every option of `attend`. Does not promise: grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from symattn.errors import SymattnError

_NAMES = "query_offset|masked_row|masked_value|kv_heads|heads|window|masking|mask|scale|softcap|rotary_base|rotary|algorithm|alibi|binary"
_SPELLED = re.compile(rf'\b({_NAMES})=("?)([^\s",;:)]+)\2')


@contextmanager
def spelled_for_the_prompt() -> Iterator[None]:
    """Respells the next move of what is raised inside."""
    try:
        yield
    except SymattnError as error:
        error.next_move = for_the_prompt(error.next_move)
        raise


def for_the_prompt(text: str) -> str:
    """`text` with Python's arguments as options."""
    text = re.sub(r"blocks=\(([^)]*)\)", lambda m: f"--blocks {m[1].replace(' ', '')}", text)
    text = re.sub(r"state the sizes of the parts: sizes=\{[^}]*\}", "give matrices whose columns split into the heads (--heads)", text)
    text = text.replace("write cross=True", "give another sequence with --y")
    return _SPELLED.sub(_option, text)


def _option(found: re.Match[str]) -> str:
    name = f"--{found[1].replace('_', '-')}"
    return name if found[3] == "True" else f"{name} {found[3]}"
