"""Random pairs through the zero test: how many true ones it proves, and that it accepts no unequal one.

    python benchmarks/proof_fuzz.py [--pairs 10000] [--seed 0] [--seconds 2] [--kind expressions|sums] [--show 5]

`expressions` are formulas of the language, `sums` products of indexed stages with relations between positions, blocks and maxima. The
zero test runs alone, without the sample that a certificate also needs, so that the sample cannot hide its mistakes. Which pairs are unequal
is shown by proven intervals at rational points. Ends with 1 when an unequal pair was accepted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "proof"))

import random_pairs
import random_programs

from symattn.errors import SymattnError
from symattn.program.program import Program
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.kernel import Budget, stated, zero_test
from symattn.proof.sampling import sample


def made(kind: str, seed: int, equal: bool) -> Program:
    """A program with the stages `left` and `right`."""
    if kind == "sums":
        return random_programs.pair(seed, equal=equal)
    return random_pairs.program(*random_pairs.pair(seed, equal=equal))


def truth(kind: str, program: Program) -> str:
    """What points say: "differs" is proved."""
    if kind == "sums":
        return "differs" if random_programs.differ(program, Random(1)) else "agrees"
    try:
        sample(program, "left", "right")
    except StepRejected:
        return "differs"
    except Undecided:
        return "no value"
    return "agrees"


def judged(kind: str, seed: int, equal: bool, seconds: float) -> str:
    """What the zero test and points say of one pair."""
    try:
        program = made(kind, seed, equal)
        statement = stated(program, "left", "right")
    except SymattnError:
        return "not an expression"
    try:
        verdict = "not proved" if zero_test(statement, budget=Budget(30_000, seconds)) is None else "proved"
    except Undecided as error:
        verdict = "over budget" if "more than" in error.reason else "refused"
    return f"{verdict}, {truth(kind, program)}"


def show(kind: str, seed: int, equal: bool, verdict: str) -> None:
    """A pair that is worth a look."""
    print(f"seed {seed} ({'equal' if equal else 'changed'}): {verdict}")
    if kind == "expressions":
        print(*(f"   {side}" for side in random_pairs.pair(seed, equal=equal)), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--kind", choices=("expressions", "sums"), default="expressions")
    parser.add_argument("--show", type=int, default=5)
    args = parser.parse_args()
    start = time.perf_counter()
    counts = {True: Counter[str](), False: Counter[str]()}
    for k in range(args.pairs):
        for equal in (True, False):
            seed = args.seed + 2 * k + equal
            verdict = judged(args.kind, seed, equal, args.seconds)
            counts[equal][verdict] += 1
            odd = verdict == "proved, differs" or (equal and (verdict.endswith("differs") or not verdict.startswith(("proved", "not an"))))
            if odd and counts[equal][verdict] <= args.show:
                show(args.kind, seed, equal, verdict)
    for equal, found in counts.items():
        print("equal by construction:" if equal else "changed somewhere:", dict(found.most_common()))
    true = sum(n for v, n in counts[True].items() if v.endswith("agrees"))
    missed = true - counts[True]["proved, agrees"]
    unequal = sum(n for found in counts.values() for v, n in found.items() if v.endswith("differs"))
    accepted = sum(found["proved, differs"] for found in counts.values())
    print(f"unequal pairs accepted: {accepted} of {unequal}; true pairs missed: {missed} of {true} ({100 * missed / max(true, 1):.2f} %)")
    print(f"{time.perf_counter() - start:.1f} s")
    sys.exit(1 if accepted else 0)


if __name__ == "__main__":
    main()
