"""Pages of worksheets: every claim stands on them, both languages have the same steps, the student version keeps its answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from symattn.page import nodes as n
from symattn.render.latex import to_latex
from symattn.render.terminal import to_text
from symattn.sheets.page import build_page
from symattn.sheets.result import Result, work_out
from symattn.sheets.source import read_sheet

ROOT = Path(__file__).resolve().parents[2]
WORKSHEETS = sorted((ROOT / "worksheets").glob("*.md"))
BUILT = ROOT / "worksheets" / "built"
PERRO = ROOT / "worksheets" / "el-perro-come.md"


@cache
def worked(path: Path) -> Result:
    return work_out(read_sheet(path))


def everything(node: Any) -> Iterator[Any]:
    """Every node inside, depth first."""
    if is_dataclass(node) and not isinstance(node, type):
        yield node
        for field in fields(node):
            yield from everything(getattr(node, field.name))
    elif isinstance(node, tuple):
        for item in node:
            yield from everything(item)


def test_there_are_three_worksheets() -> None:
    assert len(WORKSHEETS) >= 3


@pytest.mark.parametrize("lang", ["es", "en"])
@pytest.mark.parametrize("path", WORKSHEETS, ids=lambda p: p.stem)
def test_every_claim_stands_on_the_page(path: Path, lang: str) -> None:
    result = worked(path)
    page = build_page(result, lang)
    shown = {node.claim for node in everything(page) if isinstance(node, n.Margin)}
    shared = {node.claim for node in everything(page) if isinstance(node, n.Margin) and node.plural}
    for j in result.judged:
        if j.claim.judgement.verdict == "given" or j.claim.id in shown:
            continue
        assert j.item.term > 0, f"{j.claim.id} is judged out of sight"
        assert shared, "its terms share one entry"


@pytest.mark.parametrize("path", WORKSHEETS, ids=lambda p: p.stem)
def test_both_languages_have_the_same_steps_and_numbers(path: Path) -> None:
    pages = [build_page(worked(path), lang) for lang in ("es", "en")]
    for kind in (n.Step, n.Chain, n.Ledger, n.Table, n.HeatMap, n.Matrices, n.Erratum, n.Statement):
        counts = [sum(isinstance(x, kind) for x in everything(p)) for p in pages]
        assert counts[0] == counts[1], kind.__name__
    numbers = [[x.text for x in everything(p) if type(x).__name__ == "Number"] for p in pages]
    assert abs(len(numbers[0]) - len(numbers[1])) <= 0.05 * len(numbers[0])


def test_the_student_version_has_an_empty_box_for_every_answer() -> None:
    page = build_page(worked(PERRO), "es")
    answers = [a for node in everything(page) if isinstance(node, n.AnswerKey) for _, step in node.steps for a in step]
    assert len(answers) > 80
    labels = [a.label for a in answers]
    assert len(set(labels)) == len(labels)
    student, teacher = to_text(page, blank=True), to_text(page)
    assert "0.379" in teacher
    body = student[: student.index("Clave de respuestas")]
    for secret in ("0.247279", "0.28887", "0.37951", "correcto"):
        assert secret not in body
    assert "correcto" in teacher


@pytest.mark.parametrize("lang", ["es", "en"])
@pytest.mark.parametrize("path", WORKSHEETS, ids=lambda p: p.stem)
def test_the_committed_tex_is_what_a_fresh_build_gives(path: Path, lang: str) -> None:
    committed = BUILT / f"{path.stem}.{lang}.tex"
    assert committed.is_file(), "build it: symattn worksheet build --all --lang all --to tex -o worksheets/built"
    assert committed.read_text("utf-8") == to_latex(build_page(worked(path), lang))
