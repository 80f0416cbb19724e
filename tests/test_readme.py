"""The README's first screen: one real error, a page as a picture, and the two commands, each as true as the rest."""

from __future__ import annotations

import re
import subprocess
from fractions import Fraction

import pytest
from docs_blocks import ROOT

from symattn import compile_text
from symattn.number.decimal import HALF_UP, decimal_text, round_quantity

README = (ROOT / "README.md").read_text(encoding="utf-8")
SCREEN = 48  # lines of a first screen on the web, with a picture in it


def command(text: str, name: str) -> str:
    """The block of shell text after a mark."""
    found = re.search(rf"<!-- command: {name} -->\n```sh\n(.*?)```", text, re.DOTALL)
    return found[1] if found else ""


def extracted(text: str, name: str) -> str:
    """What the checks extract, by their own program."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    program = re.search(r"awk -v name=\"\$1\" ('.*?') README.md", script, re.DOTALL)
    assert program is not None
    return subprocess.run(
        ["awk", "-v", f"name={name}", program[1].strip("'")], input=text, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("name", ["build", "test"])
def test_the_commands_are_those_that_the_checks_run(name: str) -> None:
    assert command(README, name)
    assert command(README, name) == extracted(README, name)
    assert command(README, name).startswith("python3 -m venv .venv && .venv/bin/pip install")
    assert command(README, name).count("\n") == 1
    assert README[: README.index(f"<!-- command: {name} -->")].count("\n") < SCREEN


def test_a_command_that_lost_its_mark_is_seen() -> None:
    broken = README.replace("<!-- command: build -->", "")
    assert command(broken, "build") == extracted(broken, "build") == ""
    changed = README.replace("worksheet build --all", "worksheet build --all --strict")
    assert extracted(changed, "build") != command(README, "build")


def test_the_commands_do_what_the_text_says() -> None:
    assert ".venv/bin/symattn worksheet build --all" in command(README, "build")
    assert ".venv/bin/python -m pytest" in command(README, "test")


def test_the_picture_is_there_and_small() -> None:
    name = re.search(r"!\[[^\]]+\]\((docs/pictures/[\w-]+\.png)\)", README)
    assert name is not None
    assert README[: name.start()].count("\n") < SCREEN
    data = (ROOT / name[1]).read_bytes()
    assert data.startswith(b"\x89PNG\r\n")
    assert 10_000 < len(data) < 150_000
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    assert 600 <= width <= 1400
    assert 500 <= height <= 1600


def triple() -> list[tuple[str, str, str]]:
    """Score, printed and right of each row of the first table."""
    rows = re.findall(r"(?m)^\| \*(\w+)\* \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", README)
    return [(score, printed, right) for _, score, printed, right in rows]


def wrong_rows(rows: list[tuple[str, str, str]]) -> list[str]:
    """Right numbers of the table that are not the rounded softmax of its scores."""
    compiled = compile_text("softmax([" + ", ".join(score for score, _, _ in rows) + "])")
    weights = compiled.program.evaluate(compiled.feeds).output.entries
    found = []
    for (_, _, right), weight in zip(rows, weights, strict=True):
        rounded = round_quantity(weight, 3, HALF_UP)
        assert rounded is not None
        if decimal_text(rounded, 3) != right:
            found.append(right)
    return found


def test_the_error_it_opens_with_is_one() -> None:
    rows = triple()
    assert [printed for _, printed, _ in rows] == ["0.222", "0.382", "0.396"]
    assert wrong_rows(rows) == []
    assert wrong_rows([(score, printed, printed) for score, printed, _ in rows]) == ["0.222", "0.382", "0.396"]
    order = sorted(range(3), key=lambda k: Fraction(rows[k][0]))
    assert sorted(range(3), key=lambda k: Fraction(rows[k][2])) == order
    assert sorted(range(3), key=lambda k: Fraction(rows[k][1])) != order


def test_numbers_of_worksheets_are_those_at_hand() -> None:
    from symattn.sheets.catalog import list_worksheets

    assert len([x for x in list_worksheets() if x.source]) == 3
    assert "the three worksheets" in README
