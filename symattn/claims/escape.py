"""Untrusted text made safe to show.

Promises: what `visible` returns holds no character that moves a cursor, colours a terminal, ends a line or turns the reading direction.
Does not promise: anything about markup; each renderer escapes its own.
"""

from __future__ import annotations

import json
import re
from typing import Any

# C0 and C1 controls, DEL, line and paragraph separators, the directional marks and lone surrogates.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """`text` with each control character as a symbol: ␛ for ESC, ␊ for a line feed, `<U+202E>` where there is none."""
    return _HIDDEN.sub(_symbol, text)


def _symbol(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"


def json_text(data: Any) -> str:
    """JSON of `data`, indented, with readable accents and every control character escaped; ends with a line feed."""
    text = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)
    # Only line feeds between values are left of C0; the others stand inside strings, where an escape means the same.
    return "".join(_escaped(c) if c != "\n" and _HIDDEN.match(c) else c for c in text) + "\n" if _HIDDEN.search(text) else text + "\n"


def _escaped(c: str) -> str:
    return f"\\u{ord(c):04x}"
