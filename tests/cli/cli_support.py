"""Running the command line in tests: inside this process through click's runner, or as a process of its own."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from symattn.cli.main import run

PACKAGE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


def ran(*arguments: str, text: str | bytes | None = None) -> Ran:
    """The command line inside this process, `text` on its standard input."""
    with CliRunner().isolation(input=text) as streams:
        code = run(arguments)
        out, err = (stream.getvalue().decode() for stream in streams[:2])
    return checked(Ran(code, out, err))


def spawned(*arguments: str, cwd: Path, limit: Callable[[], None] | None = None, **more: Any) -> Ran:
    """The command line as a process of its own."""
    done = subprocess.run(
        command(*arguments), cwd=cwd, env=environment(), capture_output=True, preexec_fn=limit, timeout=120, check=False, **more
    )
    return checked(Ran(done.returncode, done.stdout.decode(), done.stderr.decode()))


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "symattn", *arguments]


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("SYMATTN_TRACEBACK", "COLUMNS", "LINES")}
    return {**kept, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1", **more}


def checked(done: Ran) -> Ran:
    """Never a traceback, never a mistake of ours, never a control character."""
    for said in (done.out, done.err):
        assert "Traceback" not in said, said
        assert "a fault in symattn" not in said, said
        assert not hidden(said), hidden(said)
    return done


def hidden(text: str) -> set[str]:
    """Characters that would do something to a terminal: controls, and what turns the direction of writing."""
    return {
        f"U+{ord(c):04X}"
        for c in text
        if c != "\n" and (unicodedata.category(c) in ("Cc", "Cs") or c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    }


def trouble(done: Ran, *needles: str) -> str:
    """Exit code 2, nothing on standard output, one message that says all this."""
    assert done.code == 2, (done.code, done.out, done.err)
    assert done.out == ""
    assert done.err.count("error: ") == 1, done.err
    for needle in needles:
        assert needle in done.err, (needle, done.err)
    return done.err


def usage(done: Ran, *needles: str) -> str:
    """A complaint about the command itself."""
    assert "Usage: symattn" in done.err
    return trouble(done, *needles)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file in a folder, those with a leading dot too."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def unprivileged() -> None:
    """For the child of a fork: root without the right to pass over permissions, which it loses when it executes a program."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        drop_from_bounding_set = 24
        for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
            if libc.prctl(drop_from_bounding_set, capability, 0, 0, 0) != 0:
                os._exit(77)


def small_disk(size: int) -> Callable[[], None]:
    """For the child of a fork: no file may grow beyond so many bytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def plain_write(path: Path, size: int, limit: Callable[[], None], cwd: Path) -> str:
    """What a bare open() and write say in such a child; the name of the exception, "" when it works."""
    program = (
        "import sys\ntry:\n    with open(sys.argv[1], 'wb') as f: f.write(b'x' * int(sys.argv[2]))\n"
        "except OSError as e: print(type(e).__name__, end='')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path), str(size)], preexec_fn=limit, capture_output=True, timeout=60, cwd=cwd, check=True
    )
    return done.stdout.decode()


SOURCE = "Los puntajes de dos filas.\nEl producto es 1*3 + 2*1 = 5, y otra vez 5, y 5.\nTambién 3*3 = 9.\n"

SHEET = """\
+++
title = { es = "Prueba", en = "Trial" }
lang = "es"
source = "doc.txt"

[labels]
token = ["uno", "dos"]
+++

::: es
Una prueba.
:::

::: en
A trial.
:::

```given
X(token, model) = [[1, 2], [3, 1]]
```

::: es
## Los puntajes
:::

::: en
## The scores
:::

```step
S = X @ X.T
show S[uno]
| S[uno,dos] "1*3 + 2*1 = 5" @2
| S[uno,dos] "5" @2#2
| 3 * 3 "9" @3 from 3*3
```
"""


def write_sheet(folder: Path, name: str = "prueba", text: str = SHEET) -> Path:
    """A small worksheet; its document stands beside it in `documents`."""
    (folder / "documents").mkdir(exist_ok=True)
    (folder / "documents" / "doc.txt").write_text(SOURCE, encoding="utf-8")
    path = folder / f"{name}.md"
    path.write_text(text, encoding="utf-8")
    return path
