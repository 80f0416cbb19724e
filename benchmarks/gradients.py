"""Prints the table of measured bars for gradients: medians of five runs, alternated with their base, as multiples of it.

The base is `python -c "import sympy"`. Jobs are timed inside fresh processes after their modules are loaded; nothing is cached between
runs. Mutants are counted by `python tests/calculus/test_mutants.py 100`. Usage: python benchmarks/gradients.py [--runs 5]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

START = """
import sys, time
sys.path.insert(0, "tests/calculus")
from symattn import Attention, reverse
from symattn.calculus.adjoint import certify, whole
from symattn.proof.kernel import prove_equal
import symattn.calculus.vanish, symattn.proof.residues
"""
ONE_LAYER = """
program = Attention().program({algorithm!r})
start = time.perf_counter()
gradient = reverse(program, "output", ["X", "W_Q", "W_K", "W_V"])
certificates = certify(gradient)
{more}
print(time.perf_counter() - start, len(certificates))
"""
UNFOLDED = """
for name in gradient.names:
    o = whole(gradient, name)
    prove_equal(o.program, o.left, o.right)
"""
STACKED = """
from gradient_cases import stacked
program = stacked({layers})
wrt = ["X0", *(f"W_{{w}}{{k}}" for k in range(1, {layers} + 1) for w in "QKV")]
start = time.perf_counter()
gradient = reverse(program, "X{layers}", wrt)
certificates = {certify}
print(time.perf_counter() - start, len(certificates))
"""
COLD = "from symattn import Attention, reverse; print(reverse(Attention().program(), 'output', ['W_Q']).program)"


def wall(code: str) -> float:
    """Seconds of a fresh process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True)
    return time.perf_counter() - start


def inside(code: str) -> tuple[float, int]:
    """What the code prints: seconds and a count."""
    done = subprocess.run([sys.executable, "-c", START + code], check=True, cwd=ROOT, capture_output=True, text=True)
    seconds, count = done.stdout.split()
    return float(seconds), int(count)


def main() -> int:
    """Measure and print; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    jobs = {
        "four gradients of attention, certified": (ONE_LAYER.format(algorithm="plain", more=""), 0.25),
        "the same, also proved fully unfolded": (ONE_LAYER.format(algorithm="plain", more=UNFOLDED), 0.75),
        "four gradients of shifted attention, certified": (ONE_LAYER.format(algorithm="shifted", more=""), 0.25),
        **{f"{k} layers, all gradients": (STACKED.format(layers=k, certify="()"), 2.5) for k in (1, 6, 12)},
        **{f"{k} layers, all gradients, certified": (STACKED.format(layers=k, certify="certify(gradient)"), 2.5) for k in (1, 6, 12)},
    }
    missed = 0
    print(f"{'job':48} {'ms':>8} {'x sympy':>8} {'bar':>6}  certificates")
    for name, (code, bar) in jobs.items():
        bases, found = [], []
        for _ in range(runs):
            bases.append(wall("import sympy"))
            found.append(inside(code))
        base, seconds = statistics.median(bases), statistics.median(s for s, _ in found)
        missed += seconds > bar * base
        print(f"{name:48} {seconds * 1e3:8.1f} {seconds / base:8.3f} {bar:6.2f}  {found[0][1] or ''}")
    pairs = [(wall("import sympy"), wall(COLD)) for _ in range(runs)]
    base, seconds = (statistics.median(p[k] for p in pairs) for k in (0, 1))
    missed += seconds > base
    print(f"{'cold: gradient of attention, printed':48} {seconds * 1e3:8.1f} {seconds / base:8.3f} {1.0:6.2f}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
