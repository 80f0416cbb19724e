"""Sentences may rest on theorems of the catalogue: the name must be one, and it stands in the evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.errors import SheetError
from symattn.sheets.result import work_out
from symattn.sheets.source import parse_sheet, read_sheet

PERRO = Path(__file__).resolve().parents[2] / "worksheets" / "el-perro-come.md"


def test_the_theorem_is_named_in_the_evidence() -> None:
    statements = work_out(read_sheet(PERRO), search_slips=False).report("es").statements
    assert any(s.evidence.startswith("theorem softmax-rows") for s in statements)


def test_an_unknown_theorem_is_refused_with_its_place() -> None:
    text = PERRO.read_text("utf-8").replace("theorem: scaling-walk", "theorem: scaling-walks")
    with pytest.raises(SheetError, match='no theorem "scaling-walks"') as caught:
        work_out(parse_sheet(text, "w.md", "w"), search_slips=False)
    assert caught.value.place is not None
    assert text.splitlines()[caught.value.place.line - 1].startswith("theorem:")
    assert "scaling-walk" in caught.value.next_move
