"""Prints the table of measured bars: each figure a median of five runs, alternated with its base in the same session.

The base is `python -c "import sympy"` unless a row says otherwise. "Beyond imports" rows time the job inside a fresh process
after its modules are loaded. Nothing is cached between runs. Usage: python benchmarks/bars.py [--runs 5]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable

EMPTY_CLICK = "import click\n@click.command()\ndef main(): pass\nmain(['--help'], standalone_mode=False)"

SHEET_N8 = """
import random, time
from symattn.program.attention import Attention
from symattn.render.latex import to_latex
from symattn.sheets.program_page import Heading, program_page
rng = random.Random(8)
n = {n}
matrix = lambda: [[f"{{rng.randint(-999, 999) / 1000:.3f}}" for _ in range(n)] for _ in range(n)]
feeds = {{name: matrix() for name in ("X", "W_Q", "W_K", "W_V")}}
import symattn.interp.quantities, symattn.interp.exact, symattn.number.closed_form, flint
start = time.perf_counter()
tex = to_latex(program_page(Attention().program(d_k=n), feeds, Heading("generated")))
print(time.perf_counter() - start, len(tex))
"""

BALLS_64 = """
import random, time
from symattn.program.attention import Attention
import symattn.interp.balls, symattn.interp.evaluate
rng = random.Random(64)
matrix = lambda rows, columns: [[f"{rng.randint(-9999, 9999)}/{rng.randint(1000, 9999)}" for _ in range(columns)] for _ in range(rows)]
feeds = {"Q": matrix(64, 16), "K": matrix(64, 16), "V": matrix(64, 16)}
attention = Attention(inputs="qkv")
start = time.perf_counter()
output = attention.evaluate(feeds, numbers="balls", digits=50).output
texts = [str(x) for x in output.entries]
print(time.perf_counter() - start, min(len(t.strip("-").replace(".", "").split("e")[0].lstrip("0")) for t in texts))
"""


@dataclass
class Row:
    """A bar: what is measured, the bar, and the figure."""

    what: str
    bar: str
    figure: str
    kept: bool


def wall(command: list[str], **options: object) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT, **options)  # type: ignore[call-overload]
    return time.perf_counter() - start


def alternated(job: Callable[[], float], base: Callable[[], float], runs: int) -> tuple[float, float]:
    """Medians of the job and of its base, run in turn."""
    job(), base()
    pairs = [(job(), base()) for _ in range(runs)]
    return statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs)


def inside(script: str) -> tuple[float, str]:
    """The seconds a script prints, and what it prints after them."""
    out = subprocess.run([PYTHON, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT).stdout.split()
    return float(out[0]), out[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    os.environ["PYTHONDONTWRITEBYTECODE"] = ""

    def base() -> float:
        return wall([PYTHON, "-c", "import sympy"])

    def click_base() -> float:
        return wall([PYTHON, "-c", EMPTY_CLICK])

    rows = []
    for name, arguments in (("symattn --help", ["--help"]), ("symattn worksheet list", ["worksheet", "list"])):
        job, reference = alternated(lambda a=arguments: wall([PYTHON, "-m", "symattn", *a]), click_base, runs)  # type: ignore[misc]
        rows.append(Row(name, "2x an empty click program", f"{job / reference:.2f}x ({job * 1000:.0f} ms)", job <= 2 * reference))

    def build() -> float:
        with tempfile.TemporaryDirectory() as folder:
            return wall([PYTHON, "-m", "symattn", "worksheet", "build", "--all", "--to", "tex,html,md", "-o", folder])

    job, reference = alternated(build, base, runs)
    rows.append(Row("worksheet build --all --to tex,html,md", "6x", f"{job / reference:.2f}x ({job:.2f} s)", job <= 6 * reference))

    sizes = {}
    for n in (2, 4, 8):
        sizes[n] = int(inside(SHEET_N8.format(n=n))[1])
    job, reference = alternated(lambda: inside(SHEET_N8.format(n=8))[0], base, runs)
    rows.append(
        Row("generated worksheet n = d = 8, beyond imports", "2.5x", f"{job / reference:.2f}x ({job:.2f} s)", job <= 2.5 * reference)
    )
    per = {n: size / operations(n) for n, size in sizes.items()}
    linear = per[8] <= 1.3 * per[4]
    shown = ", ".join(f"n={n}: {per[n]:.1f}" for n in per)
    rows.append(Row("LaTeX characters per printed scalar operation", "linear (no growth with n)", shown, linear))
    job, reference = alternated(lambda: inside(BALLS_64)[0], base, runs)
    digits = inside(BALLS_64)[1]
    rows.append(
        Row(
            f"{digits} proven digits, n = 64, d = 16, beyond imports",
            "0.5x",
            f"{job / reference:.2f}x ({job:.3f} s)",
            job <= 0.5 * reference,
        )
    )
    width = max(len(r.what) for r in rows)
    print(f"base: python -c 'import sympy', median of {runs} alternated runs\n")
    print(f"{'what':{width}}  {'at most':28}  measured")
    for r in rows:
        print(f"{r.what:{width}}  {r.bar:28}  {r.figure}{'' if r.kept else '   NOT KEPT'}")
    print("\nPrinted lines that do not recompute: tests/sheets/test_readback.py; two engines: tests/sheets/test_sheet_engines.py")
    sys.exit(0 if all(r.kept for r in rows) else 1)


def operations(n: int) -> int:
    """Scalar operations that a worksheet of n tokens with d = n writes out: three projections, scores, scaling, softmax, output."""
    dot = 2 * n - 1
    return 3 * n * n * dot + n * n * dot + n * n + n * n + n * (n - 1) + n * n + n * n * dot


if __name__ == "__main__":
    main()
