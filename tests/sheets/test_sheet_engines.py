"""Every value of every worksheet: the numbers behind the verdicts (exact, or Arb) and mpmath agree on every digit."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from symattn.interp.agree import disagreements
from symattn.interp.evaluate import evaluate
from symattn.interp.tensor import Tensor
from symattn.sheets.compiled import Compiled, compile_sheet
from symattn.sheets.source import read_sheet

SHEETS = sorted((Path(__file__).parents[2] / "worksheets").glob("*.md"))
DIGITS = 40


def test_there_are_worksheets() -> None:
    assert SHEETS


def two_roads(sheet: Compiled) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """All stages by the quantities that judge the claims, and by mpmath."""
    first = {stage.name: sheet.quantities.tensor(stage.name) for stage in sheet.program.stages}
    second = evaluate(sheet.program, sheet.feeds, numbers="multiprec", digits=DIGITS + 6)
    return first, dict(second)


@pytest.mark.parametrize("path", SHEETS, ids=lambda p: p.stem)
def test_every_value_agrees(path: Path) -> None:
    sheet = compile_sheet(read_sheet(path))
    first, second = two_roads(sheet)
    assert len(first) >= 10
    assert disagreements(first, second, DIGITS) == []
    name = next(s for s in reversed(second) if not isinstance(first[s].entries[0].rational(), Fraction))
    entries = list(second[name].entries)
    entries[0] += abs(entries[0]) / 10 ** (DIGITS - 1)  # between one and ten units of the last digit compared
    assert [d.stage for d in disagreements(first, {**second, name: Tensor(second[name].shape, entries)}, DIGITS)] == [name]
