"""The raw data of an exact number, Σ N/D + Σ q·log L, and what is decided on it by rearranging.

Promises: `put` keeps one numerator a denominator and cancels what it sees; a common fraction with an empty numerator proves 0;
`rational_value` is complete within its budget. Does not promise: lowest terms; nothing here uses enclosures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from symattn.errors import UnsupportedError
from symattn.number import expsum
from symattn.number.expsum import MAX_TERMS, Factor, Sum
from symattn.number.surd import ONE, ZERO, Surd, factors

Denominator = tuple[tuple[Factor, int], ...]  # factors with multiplicities, sorted
Terms = Mapping[Denominator, Sum]
LogAtom = Factor | Surd | int  # log|f|, log of a positive surd, log of a prime or of an unfactored integer
Logs = tuple[tuple[LogAtom, Fraction], ...]
# Terms that are worth forming only to decide whether a sum of fractions is 0, or rational.
DECISION_TERMS = 4000


def atom_key(item: tuple[LogAtom, Fraction]) -> tuple[Any, ...]:
    """A fixed order of logarithms."""
    atom = item[0]
    if isinstance(atom, int):
        return (0, atom)
    return (1, atom.den, atom.parts) if isinstance(atom, Surd) else (2, atom.sort_key)


def joined(a: Denominator, b: Denominator) -> Denominator:
    """The product of two denominators."""
    if not a or not b:
        return a or b
    found = dict(a)
    for factor, power in b:
        found[factor] = found.get(factor, 0) + power
    return in_order(found)


def in_order(found: Mapping[Factor, int]) -> Denominator:
    """A multiset as a denominator; multiplicity 0 is dropped."""
    kept = [(f, k) for f, k in found.items() if k]
    return tuple(kept) if len(kept) < 2 else tuple(sorted(kept, key=lambda item: item[0].sort_key))


def cancelled(a: Denominator, b: Denominator) -> tuple[Denominator, Denominator]:
    """a/b in lowest terms, as multisets: what is left of each."""
    if not a or not b:
        return a, b
    left, right = dict(a), dict(b)
    for factor in left:
        common = min(left[factor], right.get(factor, 0))
        if common:
            left[factor] -= common
            right[factor] -= common
    return in_order(left), in_order(right)


def put(found: dict[Denominator, Sum], den: Denominator, num: Sum) -> None:
    """found += num/den; a numerator that is a multiple of one factor of its denominator cancels it."""
    while True:
        known = found.pop(den, None)
        if known is not None:
            num = expsum.added(known, num)
        if not num:
            return
        smaller = _without_factor(den, num)
        if smaller is None:
            found[den] = num
            return
        den, num = smaller


def _without_factor(den: Denominator, num: Sum) -> tuple[Denominator, Sum] | None:
    if len(num) < 2 or not any(len(f.terms) == len(num) for f, _ in den):
        return None
    c, m, same = expsum.normalised(num)
    for factor, power in den:
        if factor == same:
            return in_order({**dict(den), factor: power - 1}), {m: c}
    return None


def gathered(many: Iterable[Terms]) -> dict[Denominator, Sum]:
    """The sum of many, fractions with the same denominator together."""
    sums: dict[Denominator, dict[Surd, Surd]] = {}
    for terms in many:
        for den, num in terms.items():
            if den in sums:
                expsum.add_into(sums[den], num)
            else:
                sums[den] = dict(num)
    found: dict[Denominator, Sum] = {}
    for den, num in sums.items():
        put(found, den, num)
    return found


def common_fraction(terms: Terms, budget: int = MAX_TERMS) -> tuple[Denominator, Sum]:
    """(denominator, numerator) over one bar; an empty numerator proves 0. Raises UnsupportedError past the budget of terms."""
    if not terms:
        return (), {}
    if len(terms) == 1:
        ((den, num),) = terms.items()
        return den, num
    most: dict[Factor, int] = {}
    for den in terms:
        for factor, power in den:
            most[factor] = max(most.get(factor, 0), power)
    if prod(len(f.terms) ** k for f, k in most.items()) > budget:
        raise expsum.too_many_terms(budget)
    above: dict[Surd, Surd] = {}
    for den, num in terms.items():
        have = dict(den)
        for factor, power in most.items():
            num = times(num, ((factor, power - have.get(factor, 0)),), budget)
        expsum.add_into(above, num)
    return in_order(most), above


def times(num: Sum, den: Denominator, budget: int = MAX_TERMS) -> Sum:
    """num · Π factors, multiplied out. Raises UnsupportedError past the budget of terms."""
    for factor, power in den:
        for _ in range(power):
            num = expsum.multiplied(num, factor.sum(), budget)
    return num


def lowest_fraction(terms: Terms, budget: int = DECISION_TERMS) -> tuple[Denominator, Sum]:
    """`common_fraction` with every factor divided out that divides the numerator (as far as the budget finds it)."""
    den, num = common_fraction(terms, budget)
    again = bool(num)
    while again:
        again = False
        for factor, power in den:
            quotient = expsum.divided(num, factor, budget) if len(num) >= len(factor.terms) else None
            if quotient is not None:
                num, den, again = quotient, in_order({**dict(den), factor: power - 1}), True
                break
    return den, num


def proven_irrational(terms: Terms) -> bool:
    """Is irrationality visible at once? True for one fraction over one factor that does not cancel."""
    if len(terms) != 1:
        return False
    ((den, num),) = terms.items()
    if not den:
        return len(num) > 1 or ZERO not in num or num[ZERO].rational() is None
    return len(den) == 1 and den[0][1] == 1  # a multiple of the one factor would have cancelled


def rational_value(terms: Terms, budget: int = DECISION_TERMS) -> Fraction | None:
    """The rational number that `terms` is; None proves that it is none. N/D is r exactly when N = r·D, as sums.

    Raises UnsupportedError past the budget of terms."""
    if proven_irrational(terms):
        return None
    den, num = common_fraction(terms, budget)
    if not num:
        return Fraction(0)
    below = times({ZERO: ONE}, den, budget)
    first = next(iter(below))
    if len(num) != len(below) or first not in num:
        return None
    ratio = num[first] / below[first]
    return ratio.rational() if num == expsum.scaled(below, ratio) else None


def log_of_surd(c: Surd, logs: dict[LogAtom, Fraction]) -> None:
    """logs += log c for c > 0, split over primes where c is q√d."""
    if len(c.parts) > 1:
        logs[c] = logs.get(c, Fraction(0)) + 1
        return
    ((d, n),) = c.parts
    for integer, weight in ((n, Fraction(1)), (c.den, Fraction(-1)), (d, Fraction(1, 2))):
        for p, exponent in _primes(integer):
            logs[p] = logs.get(p, Fraction(0)) + weight * exponent


def _primes(x: int) -> Sequence[tuple[int, int]]:
    try:
        return factors(x)
    except UnsupportedError:
        return ((x, 1),)
