"""Inputs from CSV: one matrix a file, or blocks headed `# Q`.

Promises: cells are taken from their text, with line and column for every complaint; a cell is a number, nothing else of a spreadsheet is
read. Does not promise: decimal commas or other separators.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from symattn.errors import Place
from symattn.inputs.given import Given, Path, settle
from symattn.inputs.names import KINDS, known_name
from symattn.inputs.text import TextFile

_HEAD = re.compile(r"\s*#\s*(?P<name>.*?)[\s,]*$")


@dataclass
class _Block:
    name: str
    line: int
    rows: list[tuple[int, str]] = field(default_factory=list)


def read_csv(file: TextFile) -> dict[str, Given]:
    """The blocks of a CSV file. Raises InputError for rows before the first heading, an unknown or repeated name, an empty block."""
    given: dict[str, Given] = {}
    blocks: list[_Block] = []
    for number, line in _lines(file):
        head = _HEAD.match(line)
        if head is not None:
            at = file.at(number, head.start("name") + 1)
            name = known_name(head["name"], at)
            if name in (b.name for b in blocks):
                raise file.error(_start(file, number), f'"{name}" is given twice', "give each input once")
            blocks.append(_Block(name, number))
        elif not blocks:
            raise file.error(_start(file, number), "a row stands before the first heading", "head each block with its name: # Q")
        else:
            blocks[-1].rows.append((number, line))
    for block in blocks:
        given[block.name] = _settled(file, block)
    return given


def read_one_csv(name: str, file: TextFile) -> Given:
    """The input `name` from a file of its own; a heading is not needed there. Raises InputError."""
    block = _Block(name, 1)
    for number, line in _lines(file):
        if _HEAD.match(line) is None:
            block.rows.append((number, line))
        elif block.rows:
            raise file.error(_start(file, number), "a second block begins here", "give the file as the FILE, or keep one matrix in it")
    return _settled(file, block)


def _lines(file: TextFile) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(file.text.split("\n"), 1):
        bare = line.rstrip("\r")
        if bare.strip():
            yield number, bare


def _start(file: TextFile, number: int) -> int:
    return sum(len(line) + 1 for line in file.text.split("\n")[: number - 1])


def _settled(file: TextFile, block: _Block) -> Given:
    for number, line in block.rows:
        if ";" in line:
            raise file.error(
                _start(file, number) + line.index(";"),
                "a semicolon separates no columns here",
                "separate columns with commas and write decimals with a point: 0.5,1",
            )
    rows = [[_bare(cell) for cell in line.split(",")] for _, line in block.rows]

    def locate(path: Path) -> Place:
        if not block.rows or not path:
            return file.at(block.line, 1)
        number, line = block.rows[path[0]]
        column = 1
        if len(path) == 2:
            cells = line.split(",")
            before = sum(len(cell) + 1 for cell in cells[: path[1]])
            column = before + len(cells[path[1]]) - len(cells[path[1]].lstrip()) + 1
        return file.at(number, column)

    depths = KINDS[block.name].depths
    if 2 in depths or not rows:
        return settle(block.name, rows, locate)
    # An input with one axis is a row or a column of cells; its entries have one index.
    tall = len(rows) > 1
    flat = [row[0] for row in rows] if all(len(row) == 1 for row in rows) else rows[0] if not tall else rows
    return settle(block.name, flat, lambda path: locate(() if not path else (path[0], 0) if tall else (0, *path)))


def _bare(cell: str) -> str:
    stripped = cell.strip()
    return stripped[1:-1] if len(stripped) >= 2 and stripped[0] == stripped[-1] == '"' else stripped
