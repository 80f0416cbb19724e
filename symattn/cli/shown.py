"""How wide a page of text may be: the terminal's width, or a fixed one where there is no terminal."""

from __future__ import annotations

import shutil
import sys

NO_TERMINAL = 100
NARROWEST = 40


def width() -> int:
    """Columns for text on standard output."""
    if sys.stdout is None or not sys.stdout.isatty():
        return NO_TERMINAL
    return max(NARROWEST, shutil.get_terminal_size((80, 24)).columns)
