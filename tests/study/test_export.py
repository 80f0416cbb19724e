"""A study as JSON and CSV: numbers in full, no formula for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json

import pytest

from symattn.claims.escape import json_text
from symattn.number.formats import FLOAT16
from symattn.study import overflow, shift
from symattn.study.export import SCHEMA, safe, to_csv, to_data
from symattn.study.result import Cell, Column, Panel, Plot, Scale, Study, Table, same


@pytest.mark.parametrize("text", ["=1+1", "+cmd|'/c calc'!A1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "+"])
def test_formulas_become_text(text: str) -> None:
    assert safe(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-745.133", "+0.5", "-2e-5", "12", "", "float16", "2**-149", "1 - x"])
def test_numbers_and_words_stay(text: str) -> None:
    assert safe(text) == text


def test_csv_reads_back() -> None:
    text = to_csv(overflow((FLOAT16,)))
    blocks = text.split("\n\n")
    assert [b.split("\n")[0] for b in blocks] == ["# formats", "# exponential", "# sums"]
    head, row = csv.reader(io.StringIO(blocks[1].split("\n", 1)[1].strip("\n")))
    found = dict(zip(head, row, strict=True))
    assert found["vanishing_exp"] == "-17.34375"
    assert found["log_unit_roundoff"].startswith("-7.62461898616")


def test_a_hostile_cell_cannot_leave_its_place() -> None:
    plot = Plot((Panel(same(""), Scale(same(""), 0, 1, ()), Scale(same(""), 0, 1, ()), ()),), same(""))
    table = Table("t", same(""), (Column("=key", same("")),), ((Cell('=HYPERLINK("x"),\n"y'),),))
    text = to_csv(Study("s", same("q"), same(""), (table,), plot, same("")))
    assert list(csv.reader(io.StringIO(text.split("\n", 1)[1]))) == [["'=key"], ['\'=HYPERLINK("x"),\n"y']]


def test_json_has_the_tables() -> None:
    data = to_data(shift(["1", "2"], (FLOAT16,)), "es")
    assert json.loads(json_text(data)) == data
    assert data["schema"] == SCHEMA
    assert data["study"] == "shift"
    assert data["parameters"]["scores"] == "1, 2"
    (table,) = data["tables"]
    assert len(table["rows"]) == 5
    assert all(isinstance(value, str) for row in table["rows"] for value in row.values())
    assert data["question"] == "Qué cura restar el máximo"
    assert to_data(shift(["1", "2"], (FLOAT16,)), "en")["question"] != data["question"]
