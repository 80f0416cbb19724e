"""The examples of README.md and docs/: found, run, compared with what the page prints.

Promises: every `pycon` block is run line by line as Python, every `console` block by its `$ symattn …` commands; a page's blocks share
one namespace and one empty folder, in order. `...` in what is printed stands for any text. A fence after `<!-- file: NAME -->` is a file
of that folder.
Does not promise: to run any other block; `sh`, `text` and the like are for reading.

`python tests/docs_blocks.py [PAGE …]` writes what the examples print today into the pages (all of them without PAGE).
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RUN = ("pycon", "console")
_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|:{3,})(?P<info>[^\n`]*)$")
_FILE = re.compile(r"^<!-- file: (\S+) -->$")
_OPTIONS = doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    """A fenced block: `line` is the 1-based line of its first line of text, `file` the name it is written to ("" for none)."""

    language: str
    text: str
    line: int
    file: str = ""


@dataclass(frozen=True)
class Example:
    """Something to run and what the page says it prints. Lines `first` to `last` (1-based, last excluded) hold what is printed."""

    kind: str
    source: str
    want: str
    line: int
    first: int
    last: int


@dataclass(frozen=True)
class Failure:
    """An example that prints something else."""

    page: str
    example: Example
    got: str

    def __str__(self) -> str:
        return (
            f"{self.page}:{self.example.line}: {self.example.source.strip()}\n"
            f"the page says:\n{self.example.want}it prints:\n{self.got}refresh with: python tests/docs_blocks.py {self.page}"
        )


def pages() -> list[Path]:
    """README.md and every page of docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, outermost ones only."""
    found: list[Block] = []
    lines = text.split("\n")
    at = 0
    named = ""
    while at < len(lines):
        opened = _FENCE.match(lines[at])
        if opened is None or opened["ticks"][0] == ":":
            name = _FILE.match(lines[at].strip())
            named = name[1] if name else named if not lines[at].strip() else ""
            at += 1
            continue
        start = at + 1
        at += 1
        while at < len(lines) and not (lines[at].strip().startswith(opened["ticks"]) and set(lines[at].strip()) == {"`"}):
            at += 1
        body = "\n".join(lines[start:at]) + "\n"
        found.append(Block(opened["info"].strip().split(" ")[0], body, start + 1, named))
        named = ""
        at += 1
    return found


def examples(block: Block) -> list[Example]:
    """What a `pycon` or `console` block runs."""
    return list(_python(block) if block.language == "pycon" else _shell(block))


def _python(block: Block) -> Iterator[Example]:
    for found in doctest.DocTestParser().get_examples(block.text):
        line = block.line + found.lineno
        first = line + found.source.count("\n")
        yield Example("pycon", found.source, found.want, line, first, first + found.want.count("\n"))


def _shell(block: Block) -> Iterator[Example]:
    lines = block.text.rstrip("\n").split("\n")
    starts = [k for k, line in enumerate(lines) if line.startswith("$ ")]
    if not starts or starts[0] != 0:
        raise AssertionError(f"line {block.line}: a console block begins with `$ command`")
    for k, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        want = "".join(line + "\n" for line in lines[k + 1 : stop])
        yield Example("console", lines[k][2:], want, block.line + k, block.line + k + 1, block.line + stop)


class Session:
    """A page's namespace, last exit code and folder; use it as a context manager."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__docs__"}
        self.code = 0
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Session:
        self.folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self._stack.enter_context(contextlib.chdir(self.folder))
        before = os.environ.get("COLUMNS")
        os.environ["COLUMNS"] = "100"
        self._stack.callback(lambda: os.environ.pop("COLUMNS") if before is None else os.environ.update(COLUMNS=before))
        return self

    def __exit__(self, *trouble: object) -> None:
        self._stack.close()

    def write(self, block: Block) -> None:
        """The file of a block with a name."""
        path = self.folder / block.file
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise AssertionError(f"{block.file} is outside of the page's folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def run(self, example: Example) -> str:
        """What the example prints."""
        return self.python(example.source) if example.kind == "pycon" else self.shell(example.source)

    def python(self, source: str) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), _plain_display():
            try:
                exec(compile(source, "<docs>", "single"), self.names)
            except Exception as error:
                last = "".join(traceback.format_exception_only(error))
                return out.getvalue() + "Traceback (most recent call last):\n    ...\n" + last
        return out.getvalue()

    def shell(self, command: str) -> str:
        words = shlex.split(command)
        match words:
            case ["echo", "$?"]:
                return f"{self.code}\n"
            case ["ls", *paths]:
                return "".join(f"{name}\n" for name in sorted(os.listdir(paths[0] if paths else ".")))
            case ["cat", name]:
                return Path(name).read_text(encoding="utf-8")
            case ["symattn", *arguments]:
                return self.symattn(arguments)
        raise AssertionError(f"only symattn, ls, cat and echo $? are run here, not `{command}`")

    def symattn(self, arguments: list[str]) -> str:
        from symattn.cli.main import run

        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            self.code = run(arguments)
        return out.getvalue().replace(f"{ROOT}/", ".../")


@contextlib.contextmanager
def _plain_display() -> Iterator[None]:
    before: Callable[[object], Any] = sys.displayhook
    sys.displayhook = sys.__displayhook__
    try:
        yield
    finally:
        sys.displayhook = before


def agrees(example: Example, got: str) -> bool:
    """Does what was printed match what the page says?"""
    want = example.want
    if example.kind == "pycon":
        got = re.sub(r"(?m)^$(?=\n)", "<BLANKLINE>", got)
        if want.startswith("Traceback"):
            want, got = want.split("\n", 1)[1].lstrip(), got.split("\n", 1)[1].lstrip()
    else:
        want, got = want.rstrip("\n") + "\n", got.rstrip("\n") + "\n"
    return doctest.OutputChecker().check_output(want, got, _OPTIONS)


def failures(text: str, page: str) -> tuple[int, list[tuple[Failure, str]]]:
    """How many examples a page has, and those that print something else."""
    count = 0
    found = []
    with Session() as session:
        for block in blocks(text):
            if block.file:
                session.write(block)
            elif block.language in RUN:
                for example in examples(block):
                    count += 1
                    got = session.run(example)
                    if not agrees(example, got):
                        found.append((Failure(page, example, got), got))
    return count, found


def refreshed(text: str, page: str) -> str:
    """The page with what its examples print today."""
    lines = text.split("\n")
    for failure, got in reversed(failures(text, page)[1]):
        example = failure.example
        shown = re.sub(r"(?m)^$(?=\n)", "<BLANKLINE>", got) if example.kind == "pycon" else got
        fresh = shown.rstrip("\n").split("\n") if shown.strip() else []
        blank = [""] if example.kind == "console" and example.want.endswith("\n\n") else []
        lines[example.first - 1 : example.last - 1] = [*_abridged(fresh, example.want.rstrip("\n").split("\n")), *blank]
    return "\n".join(lines)


def _abridged(fresh: list[str], before: list[str]) -> list[str]:
    """What is printed, with `...` in place of the middle where the page leaves the middle out: as many lines are kept as it shows now."""
    if before.count("...") != 1:
        return fresh
    head = before.index("...")
    tail = len(before) - head - 1
    return [*fresh[:head], "...", *fresh[len(fresh) - tail :]] if head + tail < len(fresh) else fresh


def main(arguments: list[str]) -> int:
    """Refreshes pages; returns 1 when something changed."""
    chosen = [Path(a).resolve() for a in arguments] or pages()
    changed = 0
    for path in chosen:
        text = path.read_text(encoding="utf-8")
        new = refreshed(text, str(path.relative_to(ROOT)))
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(f"refreshed {path.relative_to(ROOT)}")
            changed = 1
    return changed


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
