"""How many samples a measured standard deviation needs, and at how many a deviation is ordinary.

Promises: a count from one stated formula, with exact arithmetic. Does not promise: that samples were independent.

For N independent samples with standard deviation σ and kurtosis κ (fourth central moment over σ⁴), the sample standard deviation s has
standard error σ·√((κ − 1)/(4N)) to first order. Source: delta method on Var(s²) = σ⁴(κ − 1)/N for large N. A deviation |s − σ| is called
ordinary up to the N at which it reaches `errors` standard errors.
"""

from __future__ import annotations

import math
from fractions import Fraction

from symattn.errors import InputError
from symattn.number.decimal import Printed
from symattn.number.truth import Quantity

BALL_BITS = 128


def dot_product_kurtosis(d: int, entry_kurtosis: Fraction = Fraction(3)) -> Fraction:
    """κ of a dot product of two vectors with d independent entries of mean 0, variance 1 and kurtosis k (3 for normal ones):
    3 + (k² − 3)/d. Source: E[(qk)⁴] = k², and cumulants of independent terms add."""
    if d < 1:
        raise InputError(f"a dot product of {d} terms", next_move="give at least one")
    return 3 + (entry_kurtosis**2 - 3) / d


def ordinary_up_to(printed: Printed, sigma: Quantity, kurtosis: Fraction, *, errors: int = 2) -> int | None:
    """The largest number of samples at which the printed standard deviation lies within `errors` standard errors of `sigma` > 0.

    The printed number stands for its whole interval, and the nearest point counts. None: at any number of samples, the interval holds
    sigma. 0: at none, which a ratio above the formula's reach gives too."""
    exact = sigma.enclose(BALL_BITS)
    shown = printed.interval()
    lo, hi = shown.lo / printed.scale, shown.hi / printed.scale
    if lo <= exact.hi and exact.lo <= hi:
        return None
    gap = lo - exact.hi if lo > exact.hi else exact.lo - hi
    return int(errors**2 * (kurtosis - 1) * exact.lo**2 / (4 * gap**2))


def samples_for(places: int, variance: Fraction, kurtosis: Fraction, *, errors: int = 2) -> int:
    """The smallest number of samples at which `errors` standard errors are at most half a unit of the last of `places` decimals: what
    that many printed decimals of the standard deviation need."""
    half = Fraction(1, 2 * 10**places)
    return math.ceil(errors**2 * (kurtosis - 1) * variance / (4 * half**2))
