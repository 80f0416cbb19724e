"""Does an entry of a gradient lie on a tie, exactly? Asked of the field of rational functions in which the gradients live.

For exact inputs every score is an integer combination of at most two numbers (the root of the scale times a power of two, and a
rational) that are independent over the rationals; so, by Lindemann and Weierstrass, their exponentials are algebraically independent, and
an entry, a rational function of them with rational coefficients, equals a rational number only when it is that constant function. With
random values modulo a large prime in place of the exponentials:

Promises: "no" is a proof (the constant function takes one value everywhere). "yes" is wrong with a probability below 2**-200 for each
call (Schwartz and Zippel; the degree is bounded by the integers themselves). Does not promise: speed.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from symattn.certified.exact import ExactHead, Row
from symattn.certified.integers import Dots
from symattn.certified.problem import Problem
from symattn.certified.take import Floats

MERSENNE = (521, 1279, 2281, 4423, 9689, 19937)  # exponents of prime Mersenne numbers


@dataclass(frozen=True)
class Group:
    """Heads that share keys: their problems, the upstream of each, and whether rows without keys take the mean of the values."""

    problems: tuple[Problem, ...]
    upstream: tuple[Floats, ...]
    mean: bool


def tie_holds(group: Group, name: str, at: tuple[int, int], tie: Fraction) -> bool:
    """Is entry `at` of dQ (of head h, "dQh"), "dK" or "dV" exactly `tie` (not 0)? See the module for what an answer is worth."""
    scale = group.problems[0].scale
    if name != "dV":
        if scale.value is None:
            return False  # an irrational multiple of a function with rational coefficients is no rational constant but 0
        if scale.value == 0:
            return False
        tie = tie / scale.value
    rows = []
    for h, problem in enumerate(group.problems):
        if name.startswith("dQ") and int(name[2:]) != h:
            continue
        chosen = [at[0]] if name.startswith("dQ") else np.flatnonzero(~problem.empty).tolist()
        exact, dots = ExactHead(problem), Dots(group.upstream[h], problem.values)
        rows += [(h, i, exact.row(i), dots.row(i)) for i in chosen]
    size = max((abs(x).bit_length() for _, _, row, _ in rows for x in (*row.first, *row.second)), default=1)
    wanted = 2 * size + len(rows).bit_length() + 280
    exponent_of_prime = next((e for e in MERSENNE if e > wanted), None)
    if exponent_of_prime is None:
        return False  # not known: more bits are tried, up to the cap
    prime = (1 << exponent_of_prime) - 1
    values = [secrets.randbelow(prime - 2) + 2 for _ in range(2)]
    total = 0
    for h, i, row, (a, exponent) in rows:
        total += _row_part(group.problems[h], group.upstream[h], name, at, i, row, a, exponent, prime, values)
    if name == "dV" and group.mean:
        m = len(group.problems[0].values)
        for problem, g in zip(group.problems, group.upstream, strict=True):
            total += sum(_modular(Fraction(x) / m, prime) for x in g[problem.empty, at[1]].tolist())
    return (total - _modular(tie, prime)) % prime == 0


def _modular(x: Fraction, prime: int) -> int:
    return x.numerator * pow(x.denominator, -1, prime) % prime


def _row_part(
    problem: Problem,
    upstream: Floats,
    name: str,
    at: tuple[int, int],
    i: int,
    row: Row,
    a: list[int],
    exponent: int,
    prime: int,
    values: list[int],
) -> int:
    """What row i adds to the entry, with values for the exponentials."""
    powers = [pow(values[0], f, prime) * pow(values[1], s, prime) % prime for f, s in zip(row.first, row.second, strict=True)]
    inverse = pow(sum(w * n for w, n in zip(powers, row.counts, strict=True)), -1, prime)
    share = {j: powers[g] * inverse % prime for j, g in zip(row.keys, row.group, strict=True)}
    if name == "dV":
        return share.get(at[0], 0) * _modular(Fraction(float(upstream[i, at[1]])), prime)
    mean = sum(share[j] * a[j] for j in row.keys) % prime
    unit = pow(2, exponent, prime)
    if name == "dK":
        if at[0] not in share:
            return 0
        assert problem.queries is not None
        return share[at[0]] * (a[at[0]] - mean) * unit * _modular(Fraction(float(problem.queries[i, at[1]])), prime)
    assert problem.keys is not None
    column = problem.keys[:, at[1]].tolist()
    return sum(share[j] * (a[j] - mean) * _modular(Fraction(column[j]), prime) for j in row.keys) % prime * unit % prime
