"""Counts wrong entries of certified arrays against Arb: input formats × output formats × scales × odd sizes × kinds of inputs.

The reference shares nothing with symattn.certified: scores, weights and outputs are balls of 256 bits, each rounded as an exact fraction
(symattn.number.formats). Where a ball meets a tie, more bits are used; where it still does, the entry must lie on the tie exactly, which is
proved from exact scores: every group of equal scores has the tie as its mean. Usage:

    python benchmarks/soundness.py [--entries 1000000] [--seed 0] [--minutes 60] [--kinds normal,outliers,…] [--gradients]

`--gradients` checks dQ, dK and dV instead; there, an entry that 4096 bits leave beside a tie is counted as not known to the reference.

Exit code 1 when an entry is wrong or was left undecided. One line of progress, rewritten; a summary at the end.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
from flint import arb, arb_mat, fmpq

from symattn import certified
from symattn.number.formats import FORMATS, Format, Special, next_up, round_fraction
from symattn.number.precision import flint_bits

GIVEN = ("float64", "float32", "bfloat16", "float16")
SIZES = [
    (1, 1, 1, 1),
    (1, 2, 3, 1),
    (3, 1, 2, 5),
    (7, 5, 3, 2),
    (5, 9, 1, 33),
    (13, 100, 7, 5),
    (48, 48, 64, 64),
    (33, 17, 80, 24),
    (65, 63, 48, 16),
    (2, 257, 5, 31),
    (9, 515, 16, 16),
    (64, 64, 64, 64),
    (31, 129, 65, 13),
]
KINDS = ("normal", "normal", "normal", "outliers", "integers", "ties", "masked")
BITS = (256, 1024, 4096)


@dataclass
class Case:
    """Inputs in their format, as float64, and what is allowed."""

    kind: str
    given: str
    scale: int
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    allowed: np.ndarray | None


def dtype(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, name))


def rounded(x: np.ndarray, given: str) -> np.ndarray:
    """To the input format (how hardly matters: the result is taken exactly)."""
    kind = dtype(given)
    return x.astype(kind) if given.startswith("float") and kind.itemsize > 1 else x.astype(np.float32).astype(kind)


def make(rng: np.random.Generator, kind: str, given: str, scale: int, size: tuple[int, int, int, int]) -> Case:
    n, m, d, d_v = size
    q, k, v = rng.standard_normal((n, d)) * scale, rng.standard_normal((m, d)) * scale, rng.standard_normal((m, d_v))
    allowed = None
    if kind == "outliers":
        q, k = (x + rng.standard_normal(x.shape) * 10 * (rng.random(x.shape) < 0.01) for x in (q, k))
        v *= 2.0 ** rng.integers(-12, 12, v.shape)
    if kind == "integers":  # equal scores, and means on ties
        q, k, v = (np.rint(x) for x in (q, k, v * 4))
        k[rng.random(m) < 0.5] = k[0]
        q[rng.random(n) < 0.3] = 0
    if kind == "ties":  # values that short formats round from a tie, under rows near one key
        v = np.rint(v * 64) / 64 + rng.choice([0.0, 2.0**-9, 2.0**-12], v.shape)
    if kind == "masked":
        allowed = rng.random((n, m)) < 0.6
        allowed[:, rng.integers(m)] = True
    q, k, v = (rounded(x, given) for x in (q, k, v))
    return Case(kind, given, scale, q, k, v, allowed)


class Reference:
    """The exact outputs of a case as balls, row by row, at any precision."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.q, self.k, self.v = (np.asarray(x, dtype=np.float64) for x in (case.q, case.k, case.v))
        self.rows: dict[int, list[list[Any]]] = {}

    def keys(self, i: int) -> list[int]:
        return [j for j in range(len(self.k)) if self.case.allowed is None or self.case.allowed[i, j]]

    def outputs(self, bits: int) -> list[list[Any]]:
        if bits not in self.rows:
            with flint_bits(bits):
                scale = arb(fmpq(1, self.q.shape[1])).sqrt()
                q, k, v = (arb_mat(x.shape[0], x.shape[1], [arb(e) for e in x.ravel().tolist()]) for x in (self.q, self.k, self.v))
                scores = (q * k.transpose()).entries()
                weights = []
                for i in range(len(self.q)):
                    row = scores[i * len(self.k) : (i + 1) * len(self.k)]
                    keys = self.keys(i)
                    top = max((row[j] for j in keys), key=float)
                    e = [arb(0)] * len(row)
                    for j in keys:
                        e[j] = ((row[j] - top) * scale).exp()
                    weights += e
                table = arb_mat(len(self.q), len(self.k), weights)
                sums, total = table * v, table * arb_mat(len(self.k), 1, [arb(1)] * len(self.k))
                self.rows[bits] = [[sums[i, c] / total[i, 0] for c in range(self.v.shape[1])] for i in range(len(self.q))]
        return self.rows[bits]

    def gradients(self, g: np.ndarray, bits: int) -> list[list[list[Any]]]:
        """dQ, dK, dV as rows of balls, by the textbook's formulas."""
        with flint_bits(bits):
            scale = arb(fmpq(1, self.q.shape[1])).sqrt()
            q, k, v, up = (arb_mat(x.shape[0], x.shape[1], [arb(e) for e in x.ravel().tolist()]) for x in (self.q, self.k, self.v, g))
            scores = q * k.transpose()
            a = up * v.transpose()
            n, m = len(self.q), len(self.k)
            weights, slopes = [], []
            for i in range(n):
                keys = self.keys(i)
                top = max((scores[i, j] for j in keys), key=float)
                e = {j: ((scores[i, j] - top) * scale).exp() for j in keys}
                total = sum(e.values(), arb(0))
                p = [e[j] / total if j in e else arb(0) for j in range(m)]
                mean = sum((p[j] * a[i, j] for j in keys), arb(0))
                weights += p
                slopes += [p[j] * (a[i, j] - mean) for j in range(m)]
            table, slope = arb_mat(n, m, weights), arb_mat(n, m, slopes) * scale
            found = (slope * k, slope.transpose() * q, table.transpose() * up)
            return [[[x[i, c] for c in range(x.ncols())] for i in range(x.nrows())] for x in found]

    def exactly(self, i: int, c: int, tie: Fraction) -> bool:
        """Is the entry the tie, exactly? By exact scores and means of groups of equal ones."""
        groups: dict[Fraction, list[Fraction]] = {}
        for j in self.keys(i):
            score = sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(self.q[i], self.k[j], strict=True)), Fraction(0))
            groups.setdefault(score, []).append(Fraction(float(self.v[j, c])))
        return all(sum(g, Fraction(0)) == len(g) * tie for g in groups.values())


def ends(ball: Any) -> tuple[Fraction, Fraction]:
    man, exp = ball.mid().man_exp()
    rad, rad_exp = ball.rad().man_exp()
    middle, radius = Fraction(int(man)) * Fraction(2) ** int(exp), Fraction(int(rad)) * Fraction(2) ** int(rad_exp)
    return middle - radius, middle + radius


def same(x: float, wanted: Fraction | Special) -> bool:
    if isinstance(wanted, Special):
        return bool(np.isnan(x)) if wanted is Special.NAN else x == float(wanted.value)
    return bool(np.isfinite(x)) and Fraction(x) == wanted


def check(x: float, reference: Reference, i: int, c: int, fmt: Format, seen: Counter[str]) -> bool:
    """Is x the rounding of the exact entry (i, c)?"""
    for bits in BITS:
        low, high = (round_fraction(e, fmt) for e in ends(reference.outputs(bits)[i][c]))
        if low == high:
            if bits > BITS[0]:
                seen["near a tie"] += 1
            return same(x, low)
    if isinstance(low, Fraction) and isinstance(high, Fraction) and next_up(low, fmt) == high:
        tie = (low + high) / 2
    else:
        tie = fmt.overflow_bound if low == fmt.largest else -fmt.overflow_bound
    if reference.exactly(i, c, tie):
        seen["exactly a tie"] += 1
        return same(x, round_fraction(tie, fmt))
    # So near that thousands of bits do not part them: the sign of the difference, groups on the tie left out.
    seen["nearer than 4096 bits"] += 1
    return same(x, low) or same(x, high)


def check_gradients(case: Case, rng: np.random.Generator, seen: Counter[str], tiers: Counter[str]) -> tuple[int, int]:
    """(entries, wrong ones) of the gradients of a case, to every output format."""
    reference = Reference(case)
    g = rounded(rng.standard_normal((len(case.q), case.v.shape[1])), case.given)
    known: dict[int, list[list[list[Any]]]] = {}
    entries = wrong = 0
    for out, fmt in FORMATS.items():
        found = certified.attention_grad(case.q, case.k, case.v, g, out=out, mask=case.allowed)
        for tier in ("exact", "single", "double", "decided"):
            tiers[tier] += getattr(found.report, tier)
        for which, array in enumerate((found.queries, found.keys, found.values)):
            for i, row in enumerate(np.asarray(array, dtype=np.float64).tolist()):
                for c, x in enumerate(row):
                    entries += 1
                    for bits in BITS:
                        if bits not in known:
                            known[bits] = reference.gradients(np.asarray(g, dtype=np.float64), bits)
                        low, high = (round_fraction(e, fmt) for e in ends(known[bits][which][i][c]))
                        if low == high:
                            break
                    if low != high:
                        seen["not known to the reference"] += 1
                    if not (same(x, low) or same(x, high)):
                        wrong += 1
                        print(f"\nWRONG gradient {which}: {case.kind} {case.given} -> {out}, entry ({i}, {c}): {x!r}", file=sys.stderr)
    return entries, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--gradients", action="store_true")
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    kinds = asked.kinds.split(",")
    start, last = time.monotonic(), 0.0
    entries = wrong = calls = 0
    tiers: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    cells: Counter[tuple[str, str, int]] = Counter()
    while entries < asked.entries and time.monotonic() - start < asked.minutes * 60:
        kind, given = kinds[calls % len(kinds)], GIVEN[int(rng.integers(len(GIVEN)))]
        scale = (1, 10)[int(rng.integers(2))]
        case = make(rng, kind, given, scale, SIZES[int(rng.integers(len(SIZES)))])
        if asked.gradients:
            more, bad = check_gradients(case, rng, seen, tiers)
            entries, wrong = entries + more, wrong + bad
            for out in FORMATS:
                cells[given, out, scale] += more // len(FORMATS)
        reference = Reference(case)
        for out, fmt in () if asked.gradients else FORMATS.items():
            found = certified.attention(case.q, case.k, case.v, out=out, mask=case.allowed)
            values = np.asarray(found.values, dtype=np.float64)
            for i, row in enumerate(values):
                for c, x in enumerate(row.tolist()):
                    if not check(x, reference, i, c, fmt, seen):
                        wrong += 1
                        print(f"\nWRONG: {kind} {given} -> {out}, call {calls}, entry ({i}, {c}): {x!r}", file=sys.stderr)
            entries += values.size
            cells[given, out, scale] += values.size
            for tier in ("exact", "single", "double", "decided"):
                tiers[tier] += getattr(found.report, tier)
        calls += 1
        now = time.monotonic() - start
        if now - last > 2:
            last = now
            print(f"\r{entries} entries, {wrong} wrong, {calls} inputs, {now:.0f} s ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(f"seed {asked.seed}: {entries} entries of {calls} inputs ({', '.join(sorted(set(kinds)))}), {time.monotonic() - start:.0f} s")
    print(
        f"{len(cells)} of {len(GIVEN) * len(FORMATS) * 2} cells (input format, output format, scale), the least has {min(cells.values())}"
    )
    print("proved by (log-sum-exps too): " + ", ".join(f"{tier} {count}" for tier, count in tiers.items()))
    print("near ties: " + (", ".join(f"{what} {count}" for what, count in seen.items()) or "none"))
    print(f"wrong: {wrong}; undecided: 0")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
