"""Prints the table of certified bars as ratios of one run: certified attention against pure Arb (128 bits) and mpmath (50 digits, fdot).

n × n, d = d_v = 64, N(0,1), one thread, processor time. Each figure is the median of five runs, alternated with pure Arb; mpmath, which
takes most of a minute, is timed once on a part of the rows and its time multiplied (each row is the same work), unless --full. Usage:

    OPENBLAS_NUM_THREADS=1 python benchmarks/certified.py [--runs 5] [--n 512] [--full] [--memory]

`--memory` also runs n = 16,384 in a process limited to 4 GiB. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
BARS = {"float32": (20, 1000), "bfloat16": (30, 1500), "float16": (30, 1500), "float64": (5, 200)}
GROWTH = 4.3
D = 64

MEMORY = """
import resource, time
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import numpy as np
from symattn import certified
rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((16384, 64)).astype("float32") for _ in range(3))
start = time.perf_counter()
found = certified.attention(q, k, v, out="float32")
seconds = time.perf_counter() - start
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, found.report)
"""


@dataclass(frozen=True)
class Row:
    """A bar: what is measured, the bar, the figure."""

    what: str
    bar: str
    figure: str
    kept: bool


def inputs(n: int, given: str) -> list[Any]:
    import ml_dtypes
    import numpy as np

    rng = np.random.default_rng(n)
    return [
        rng.standard_normal((n, D)).astype(np.float32 if given == "bfloat16" else given).astype(getattr(ml_dtypes, given, given))
        for _ in range(3)
    ]


def arb_attention(q: Any, k: Any, v: Any) -> list[Any]:
    """Attention in balls at 128 bits, conversions of the inputs included."""
    from flint import arb, arb_mat

    from symattn.number.precision import flint_bits

    with flint_bits(128):
        n, d = q.shape
        a, b, c = (arb_mat(x.shape[0], x.shape[1], x.astype("float64").ravel().tolist()) for x in (q, k, v))
        scores = (a * b.transpose()) * (1 / arb(d).sqrt())
        rows = scores.entries()
        weights = []
        for i in range(n):
            row = rows[i * len(k) : (i + 1) * len(k)]
            top = max(row, key=float)
            weights += [(x - top).exp() for x in row]
        table = arb_mat(n, len(k), weights)
        sums = table * c
        totals = (table * arb_mat(len(k), 1, [arb(1)] * len(k))).entries()
        flat = sums.entries()
        columns = v.shape[1]
        return [flat[i * columns + j] / totals[i] for i in range(n) for j in range(columns)]


def mpmath_attention(q: Any, k: Any, v: Any, rows: int) -> list[Any]:
    """The first rows of attention with 50 digits, sums by fdot and fsum."""
    import mpmath

    with mpmath.workdps(50):
        context = mpmath.mp
        a, b = ([[context.mpf(float(e)) for e in row] for row in x] for x in (q[:rows], k))
        columns = [[context.mpf(float(e)) for e in column] for column in v.T]
        scale = 1 / context.sqrt(q.shape[1])
        out = []
        for row in a:
            scores = [context.fdot(row, key) * scale for key in b]
            top = max(scores)
            weights = [context.exp(s - top) for s in scores]
            total = context.fsum(weights)
            out.append([context.fdot(weights, column) / total for column in columns])
        return out


def clock(job: Callable[[], object]) -> float:
    """Processor time of this process, which has one thread: other processes of the machine disturb it least."""
    start = time.process_time()
    job()
    return time.process_time() - start


def clock_gradient(name: str, given: list[Any]) -> float:
    from symattn import certified

    certified.attention_grad(*given, given[2], out=name)
    return clock(lambda: certified.attention_grad(*given, given[2], out=name))


def medians(jobs: list[Callable[[], object]], runs: int) -> list[float]:
    """The median time of each job, the jobs taken in turn."""
    for job in jobs:
        job()
    times = [[clock(job) for job in jobs] for _ in range(runs)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--n", type=int, default=512)
    parser.add_argument("--full", action="store_true", help="mpmath on all rows")
    parser.add_argument("--memory", action="store_true", help="n = 16384 in 4 GiB as well")
    asked = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in THREADS.items()):  # read when the BLAS is loaded
        return subprocess.run([sys.executable, *sys.argv], env={**os.environ, **THREADS}).returncode
    from symattn import certified

    n = asked.n
    names = list(BARS)
    sets = {name: inputs(n, name) for name in names}
    certify = {name: (lambda name=name: certified.attention(*sets[name], out=name)) for name in names}
    base, *times = medians([lambda: arb_attention(*sets["float64"]), *(certify[name] for name in names)], asked.runs)
    part = n if asked.full else min(n, 32)
    slow = clock(lambda: mpmath_attention(*sets["float64"], part)) * n / part
    rows = []
    print(
        f"n = {n}, d = {D}: Arb at 128 bits {base * 1e3:.0f} ms; mpmath 50 digits {slow:.1f} s"
        + ("" if part == n else f" ({part} rows × {n // part})")
    )
    for name, seconds in zip(names, times, strict=True):
        to_arb, to_mpmath = BARS[name]
        report = certify[name]().report
        print(f"  {name}: {seconds * 1e3:.1f} ms, {report}")
        rows.append(Row(f"certified {name} against Arb", f"≥ {to_arb}×", f"{base / seconds:.0f}×", base / seconds >= to_arb))
        rows.append(Row(f"certified {name} against mpmath", f"≥ {to_mpmath}×", f"{slow / seconds:.0f}×", slow / seconds >= to_mpmath))
    for name in names:
        steps = [inputs(size, name) for size in (256, 512, 1024)]
        sizes = medians([lambda step=step, name=name: certified.attention(*step, out=name) for step in steps], max(asked.runs, 11))
        worst = max(b / a for a, b in pairwise(sizes))
        listed = ", ".join(f"{s * 1e3:.1f}" for s in sizes)
        rows.append(Row(f"growth of {name} a doubling, 256 … 1024 ({listed} ms)", f"≤ ×{GROWTH}", f"×{worst:.2f}", worst <= GROWTH))
    print(f"  gradients at n = {n}: " + ", ".join(f"{name} {clock_gradient(name, sets[name]) * 1e3:.0f} ms" for name in names))
    if asked.memory:
        done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True)
        figure = (
            "failed: " + done.stderr.strip().splitlines()[-1]
            if done.returncode
            else "{} s, {} GiB".format(*(f"{float(x):.2f}" for x in done.stdout.split()[:2]))
        )
        rows.append(Row("n = 16,384, float32, address space limited to 4 GiB", "runs", figure, done.returncode == 0))
        print("  n = 16384:", done.stdout.strip())
    print()
    width = max(len(row.what) for row in rows)
    for row in rows:
        print(f"{row.what:<{width}}  {row.bar:>9}  {row.figure:>10}  {'kept' if row.kept else 'MISSED'}")
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
