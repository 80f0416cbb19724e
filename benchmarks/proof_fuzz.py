"""Random pairs of expressions through the zero test: how many true ones it proves, and that it accepts no unequal one.

    python benchmarks/proof_fuzz.py --pairs 10000 [--seed 0] [--seconds 2]

The zero test runs alone, without the sample that a certificate also needs, so that the sample cannot hide its mistakes. Which pairs are
unequal is shown by a counterexample of proven intervals at a rational point.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "proof"))

from random_pairs import pair, program

from symattn.errors import SymattnError
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.kernel import Budget, stated, zero_test
from symattn.proof.sampling import sample


def judged(seed: int, equal: bool, seconds: float) -> str:
    """What the zero test and a sample say of one pair."""
    left, right = pair(seed, equal=equal)
    try:
        both = program(left, right)
        statement = stated(both, "left", "right")
    except SymattnError:
        return "not an expression"
    try:
        proved = zero_test(statement, budget=Budget(30_000, seconds)) is not None
        verdict = "proved" if proved else "not proved"
    except Undecided as error:
        verdict = "over budget" if "more than" in error.reason else "refused"
    try:
        sample(both, "left", "right")
        truth = "agrees"
    except StepRejected:
        truth = "differs"
    except Undecided:
        truth = "no value"
    return f"{verdict}, {truth}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--show", type=int, default=5)
    args = parser.parse_args()
    start = time.perf_counter()
    counts = {True: Counter[str](), False: Counter[str]()}
    shown: Counter[str] = Counter()
    for k in range(args.pairs):
        for equal in (True, False):
            seed = args.seed + 2 * k + equal
            verdict = judged(seed, equal, args.seconds)
            counts[equal][verdict] += 1
            odd = verdict == "proved, differs" or (equal and (verdict.endswith("differs") or not verdict.startswith(("proved", "not an"))))
            if odd and shown[verdict] < args.show:
                shown[verdict] += 1
                print(f"seed {seed} ({'equal' if equal else 'changed'}): {verdict}", *pair(seed, equal=equal), sep="\n   ")
    for equal, found in counts.items():
        print("equal by construction:" if equal else "changed somewhere:", dict(found.most_common()))
    true = sum(n for v, n in counts[True].items() if v != "not an expression" and not v.endswith(("differs", "no value")))
    missed = sum(n for v, n in counts[True].items() if v.endswith("agrees") and not v.startswith("proved"))
    unequal = sum(n for found in counts.values() for v, n in found.items() if v.endswith("differs"))
    accepted = sum(found["proved, differs"] for found in counts.values())
    print(f"unequal pairs accepted: {accepted} of {unequal}; true pairs missed: {missed} of {true} ({100 * missed / max(true, 1):.2f} %)")
    print(f"{time.perf_counter() - start:.1f} s")
    sys.exit(1 if accepted else 0)


if __name__ == "__main__":
    main()
