"""A study as JSON data (symattn-study/1) and as CSV.

Promises: every number is text, in full, under the key of its column; a CSV cell that a spreadsheet would read as a formula is made text,
a plain number stays one. Does not promise: the figure; its points are in the page.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any

from symattn.study.result import Said, Study, Table

SCHEMA = "symattn-study/1"
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_data(study: Study, lang: str) -> dict[str, Any]:
    """Plain data; texts are in the language."""
    return {
        "schema": SCHEMA,
        "study": study.name,
        "question": plain(study.question, lang),
        "parameters": dict(study.parameters),
        "tables": [
            {
                "name": table.name,
                "rows": [{column.key: cell.text for column, cell in zip(table.columns, row, strict=True)} for row in table.rows],
            }
            for table in study.tables
        ],
        "conclusion": plain(study.conclusion, lang),
        "notes": [plain(note, lang) for note in study.notes],
    }


def plain(said: Said, lang: str) -> str:
    """The words as they are written, formulas between dollar signs."""
    return said.said(lang)


def to_csv(study: Study) -> str:
    """One block a table, headed "# name", with the keys of its columns; blocks are parted by an empty line."""
    return "\n".join(_block(table) for table in study.tables)


def _block(table: Table) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    out.write(f"# {table.name}\n")
    writer.writerow([safe(column.key) for column in table.columns])
    writer.writerows([[safe(cell.text) for cell in row] for row in table.rows])
    return out.getvalue()


def safe(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: a text that begins like one gets an apostrophe in front; a number stays a number."""
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text
