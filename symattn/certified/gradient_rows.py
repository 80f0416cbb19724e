"""One row of a gradient in balls, split into what is rational and what the exponentials add.

Promises: P = P0 + `small` and dS = dS0 + `d_scores`, where P0 shares the row equally among the keys of one group of equal scores (the
top one) and dS0 = P0 ⊙ (a − its mean over that group): rational, exactly. The balls are as small as the other keys' weights and known
relatively, however far below 1 they are. Does not promise: that the rest is not 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, fmpq, fmpz

from symattn.certified.exact import Row
from symattn.number.formats import power_of_two


@dataclass(frozen=True)
class RowTerms:
    """`top`: the keys of the top group. `rational`: dS0 at those keys, empty where it is 0. The lists have 0 at masked keys."""

    top: list[int]
    rational: dict[int, Fraction]
    small: list[Any]
    d_scores: list[Any]


def row_terms(row: Row, weights: list[Any], a: list[int], exponent: int, keys: int) -> RowTerms:
    """The terms of a row with these (ball) weights of groups and a = G Vᵀ (integers times 2**exponent), at the current precision.

    With c keys in the top group, o the share of all others, s_j = a_j − a_t for one top key t and s̄ the mean of s over the group:
    P − 1/c = −o/c at the group's keys, D − ā = m = sum of p_j s_j over the others − o s̄, and dS − dS0 is p_j (s_j − s̄ − m) at the others,
    −(o/c)(s_j − s̄ − m) − m/c at the group's keys. Their sum is 0, so at t it is minus the sum of all the rest."""
    total = sum((w * n for w, n in zip(weights, row.counts, strict=True)), arb(0))
    share = [w / total for w in weights]
    reference = row.reference
    others = sum((p * n for g, (p, n) in enumerate(zip(share, row.counts, strict=True)) if g != reference), arb(0))
    top = [j for j, g in zip(row.keys, row.group, strict=True) if g == reference]
    count, first = len(top), top[0]
    unit = arb((1, exponent))
    sum_top = sum(a[j] - a[first] for j in top)
    middle = unit * arb(fmpq(sum_top, count))
    beside = {j: unit * arb(fmpq(count * (a[j] - a[first]) - sum_top, count)) for j in row.keys}  # s_j − s̄
    mean = -others * middle
    for j, g in zip(row.keys, row.group, strict=True):
        if g != reference:
            mean += share[g] * (unit * fmpz(a[j] - a[first]))
    small, d_scores = [arb(0)] * keys, [arb(0)] * keys
    less = -others / count
    for j, g in zip(row.keys, row.group, strict=True):
        if g != reference:
            small[j] = share[g]
            d_scores[j] = share[g] * (beside[j] - mean)
        else:
            small[j] = less
            if j != first:
                d_scores[j] = less * (beside[j] - mean) - mean / count
    d_scores[first] = -sum(d_scores, arb(0))
    rational = {}
    if any(a[j] != a[first] for j in top):
        scale = power_of_two(exponent) / count
        rational = {j: (a[j] - a[first] - Fraction(sum_top, count)) * scale for j in top}
    return RowTerms(top, rational, small, d_scores)
