"""LaTeX of symbolic stages.

Promises: valid mathematics: the symbol `W_Q_{1,2}` is set as {W_{Q}}_{1,2}, where SymPy alone prints a double subscript that no TeX
takes. Does not promise: line breaks.
"""

from __future__ import annotations

import re
from typing import Any

import sympy as sp

from symattn.language.names import is_identifier

_ENTRY = re.compile(r"(\w+)_\{([0-9,]+)\}\Z")


class _Names(dict[Any, str]):
    """What SymPy's printer asks for the name of a symbol: worked out on demand, for the entries of inputs only."""

    def get(self, key: Any, default: Any = None) -> Any:
        found = _ENTRY.match(getattr(key, "name", ""))
        if not found:
            return default
        base = sp.latex(sp.Symbol(found.group(1)))
        return f"{{{base}}}_{{{found.group(2)}}}" if "_" in base else f"{base}_{{{found.group(2)}}}"


def latex(value: Any) -> str:
    """LaTeX of a SymPy object, or of a tuple of matrices (one a head, side by side)."""
    if isinstance(value, tuple):
        return r",\quad ".join(latex(part) for part in value)
    return str(sp.latex(value, symbol_names=_Names()))


def stage_name(name: str, letter: str) -> str:
    """A stage's name in a formula: its letter, else its words upright. Only letters, digits, dots and spaces come through."""
    if is_identifier(letter):
        return str(sp.latex(sp.Symbol(letter)))
    return r"\mathrm{" + re.sub(r"[^\w.]", "", name).replace("_", r"\ ") + "}"
