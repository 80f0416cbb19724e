"""The exact numbers of a worksheet by name.

Promises: what the worksheet gives, exactly as it is written. Does not promise: what it computes from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def worksheet_numbers(name: str) -> Mapping[str, Any]:
    """The givens of a worksheet, found by name or path: name -> nested entries. Raises SheetError."""
    from symattn.sheets.catalog import find_worksheet
    from symattn.sheets.compiled import compile_sheet
    from symattn.sheets.source import read_sheet

    return dict(compile_sheet(read_sheet(find_worksheet(name))).feeds)
