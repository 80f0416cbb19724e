"""The evidence of a sentence: relations with their numbers, without the names of hidden stages."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.errors import DomainError
from symattn.render.latex import to_latex
from symattn.render.terminal import to_text
from symattn.sheets.page import build_page
from symattn.sheets.result import LONGEST, Result, evidence_text, work_out
from symattn.sheets.source import read_sheet

SHEET = """+++
title = {{ es = "a", en = "b" }}
number = 9
lang = "es"
source = ""
+++

```given
X(n, d) = [[1, 2], [3, 1], [2, 4]]
| X "[[1, 2], [3, 1], [2, 4]]" @1
```

```statement @1 "x"
says: {relation}
es: a
en: b
```
"""


def result(folder: Path, relation: str) -> Result:
    path = folder / "sheet.md"
    path.write_text(SHEET.format(relation=relation), encoding="utf-8")
    return work_out(read_sheet(path))


def shown(made: Result) -> tuple[str, str]:
    return evidence_text(made.compiled, made.spoken[0]), to_text(build_page(made, "es"))


def test_a_number_of_a_literal_stands_as_itself(tmp_path: Path) -> None:
    made = result(tmp_path, "dot(X[0], [5, 7]) == 19")
    text, page = shown(made)
    assert any("." in entry.stage for pair in made.spoken[0].proof[0].pairs for entry in (pair[0], pair[2])), "no hidden stage is at stake"
    assert text == "X[0,0] * 5 + X[0,1] * 7 == 19: 19 == 19"
    assert "value." not in page


def test_long_symbols_stand_as_the_worksheet_wrote_them(tmp_path: Path) -> None:
    relation = "attention(X, X, 1 * X) == attention(X, X, X)"
    text, page = shown(result(tmp_path, relation))
    assert text.startswith(relation + ": ")
    assert len(text) < LONGEST
    assert "attention(X, X, 1 · X)" in " ".join(page.split())


def test_short_symbols_are_written_out(tmp_path: Path) -> None:
    text, _ = shown(result(tmp_path, "X[0,0] < X[0,1] < 2 * X[0,1]"))
    assert text == "X[0,0] < X[0,1] < 2 * X[0,1]: 1 < 2 < 4"


def test_a_given_without_a_name_means_its_own_number(tmp_path: Path) -> None:
    path = tmp_path / "sheet.md"
    path.write_text(SHEET.format(relation="1 < 2").replace("@1\n```", '@1\n| 12 "12" @2\n```', 1), encoding="utf-8")
    claim = work_out(read_sheet(path)).claims[-1]
    assert (claim.judgement.verdict, claim.meaning) == ("given", "12")


@pytest.mark.parametrize(
    ("expression", "latex", "text"),
    [
        ("3 / 2.5e3", r"3/(2.5\times 10^{3})", "3/(2.5 × 10^3)"),
        ("2.5E3**2", r"(2.5\times 10^{3})^{2}", "(2.5 × 10^3)^2"),
        ("exp(1e-20)", r"e^{1\times 10^{-20}}", "e^(1 × 10^(−20))"),
    ],
)
def test_a_power_of_ten_is_one_number_among_others(tmp_path: Path, expression: str, latex: str, text: str) -> None:
    path = tmp_path / "sheet.md"
    path.write_text(SHEET.format(relation="1 < 2") + f"\n```step\na = {expression}\nshow a\n```\n", encoding="utf-8")
    page = build_page(work_out(read_sheet(path)), "es")
    assert latex in to_latex(page)
    assert text in to_text(page)


def test_what_cannot_be_shown_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "sheet.md"
    path.write_text(SHEET.format(relation="1 < 2") + "\n```step\na = 1 / (X[0,0] - 1)\nshow a\n```\n", encoding="utf-8")
    with pytest.raises(DomainError, match=r"sheet\.md:21:6: .*division by zero"):
        build_page(work_out(read_sheet(path)), "es")
