"""What loads what: heavy libraries wait until they are used.

Each case runs in a fresh interpreter that lists the modules it has loaded when it ends; a planted import shows that the list is read.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("sympy", "numpy", "flint", "mpmath", "ml_dtypes")
_RUNNER = """
import sys
sys.argv[0] = "symattn"
plant = sys.argv.pop(1)
if plant:
    __import__(plant)
from symattn.cli.main import run
code = run(sys.argv[1:])
heavy = [name for name in {heavy!r} if name in sys.modules]
print("loaded:", code, *heavy, file=sys.stderr)
"""


def loaded(*arguments: str, cwd: Path, plant: str = "") -> tuple[int, set[str]]:
    """The exit code and the heavy libraries in memory when the command has run."""
    done = subprocess.run(
        [sys.executable, "-c", _RUNNER.format(heavy=HEAVY), plant, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=cwd, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    said = done.stderr.splitlines()[-1].split()
    assert said[0] == "loaded:", done.stderr
    return int(said[1]), set(said[2:])


LIGHT = [
    ("--help",),
    ("-h",),
    ("--version",),
    ("attend", "--help"),
    ("eval", "--help"),
    ("study", "--help"),
    ("study", "error", "--help"),
    ("worksheet", "--help"),
    ("worksheet", "list"),
    ("worksheet", "new", "first"),
]


@pytest.mark.parametrize("arguments", LIGHT, ids=" ".join)
def test_help_and_lists_load_nothing_heavy(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert loaded(*arguments, cwd=tmp_path) == (0, set())


@pytest.mark.parametrize("planted", HEAVY)
def test_a_planted_import_is_seen(planted: str, tmp_path: Path) -> None:
    code, found = loaded("--help", cwd=tmp_path, plant=planted)
    assert code == 0
    assert planted in found


def test_building_worksheets_loads_no_sympy_numpy_or_mpmath(tmp_path: Path) -> None:
    code, found = loaded("worksheet", "build", "--all", "--to", "tex,html,md,json,text", "-o", str(tmp_path), cwd=ROOT)
    assert code in (0, 1)  # what the worksheets find is another test's business
    assert len(list(tmp_path.iterdir())) >= 5
    assert found <= {"flint"}


def test_checking_loads_no_sympy_numpy_or_mpmath(tmp_path: Path) -> None:
    code, found = loaded("worksheet", "check", "--all", cwd=ROOT)
    assert code in (0, 1)
    assert found <= {"flint"}


@pytest.mark.parametrize(
    ("numbers", "allowed"),
    [("exact", set()), ("exact,balls", {"flint"}), ("multiprec", {"mpmath"}), ("symbolic", {"sympy", "mpmath", "flint"})],
)
def test_a_reading_loads_its_own_library(numbers: str, allowed: set[str], tmp_path: Path) -> None:
    matrices = ("--q", "[[1, 0]]", "--k", "[[1, 2]]", "--v", "[[3]]")
    code, found = loaded("attend", *matrices, "--numbers", numbers, cwd=tmp_path)
    assert code == 0
    assert found - allowed == set()


def test_a_page_of_steps_loads_no_sympy_numpy_or_mpmath(tmp_path: Path) -> None:
    code, found = loaded("attend", "--q", "[[1, 0]]", "--k", "[[1, 2]]", "--v", "[[3]]", "--to", "latex", cwd=tmp_path)
    assert code == 0
    assert found <= {"flint"}


def test_the_package_itself_loads_nothing_heavy(tmp_path: Path) -> None:
    program = f"import sys, symattn; print(*[m for m in {HEAVY!r} if m in sys.modules]); symattn.Exact; symattn.Attention"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []
