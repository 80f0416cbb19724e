"""Where a format's exponentials and sums stop working: thresholds from (precision, emin, emax) alone.

Promises: each threshold is found on the format's own grid by correct rounding (nearest even), so it holds for an invented format
too; bounds that are no numbers of the format come as exact quantities.
Does not promise: that a library's exp rounds correctly, so the last number before a threshold may behave otherwise there.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symattn.number.elementary import Elementary, correctly_rounded
from symattn.number.formats import Format, Overflow, Special, nth, ordinal, round_fraction


def last_true(holds_at: Callable[[Fraction], bool], fmt: Format) -> Fraction | None:
    """The largest number of the format at which a property holds that is lost once and for all going up; None when it never
    holds. Bisection on the numbers' places."""
    top = ordinal(fmt.largest, fmt)
    low, high = -top, top
    if not holds_at(nth(low, fmt)):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        if holds_at(nth(middle, fmt)):
            low = middle
        else:
            high = middle - 1
    return nth(low, fmt)


def exp_is_finite(x: Fraction, fmt: Format) -> bool:
    """Does the correct rounding of e**x fit the format? (False also where the format saturates.)"""
    return isinstance(correctly_rounded("exp", x, fmt.with_overflow(Overflow.NAN)), Fraction)


def largest_finite_exp(fmt: Format) -> Fraction | None:
    """The largest number x of the format for which e**x is finite in it; the largest number itself when e**x is finite for all."""
    return last_true(lambda x: exp_is_finite(x, fmt), fmt)


def largest_vanishing_exp(fmt: Format) -> Fraction | None:
    """The largest number x of the format for which e**x rounds to 0; None when it does for no x."""
    return last_true(lambda x: correctly_rounded("exp", x, fmt) == 0, fmt)


def largest_absorbed_gap(fmt: Format) -> Fraction | None:
    """The largest number x of the format for which 1 + e**x is 1, both operations rounded: a key whose score lies this far below
    the row's maximum adds nothing to the row sum."""

    def absorbed(x: Fraction) -> bool:
        weight = correctly_rounded("exp", x, fmt)
        return isinstance(weight, Fraction) and round_fraction(1 + weight, fmt) == 1

    return last_true(absorbed, fmt)


def log_largest(fmt: Format) -> Elementary:
    """ln of the largest number."""
    return Elementary("log", fmt.largest)


def log_overflow_bound(fmt: Format) -> Elementary:
    """ln of the bound beyond which rounding overflows: e**x is finite exactly below it."""
    return Elementary("log", fmt.overflow_bound)


def log_smallest_normal(fmt: Format) -> Elementary:
    """ln of the smallest normal number: below it e**x loses digits."""
    return Elementary("log", fmt.smallest_normal)


def log_half_smallest(fmt: Format) -> Elementary:
    """ln of half the smallest positive number: e**x rounds to 0 exactly below it."""
    return Elementary("log", fmt.smallest / 2)


def log_unit_roundoff(fmt: Format) -> Elementary:
    """ln of u = 2**-p: 1 + w is 1 exactly for w <= u."""
    return Elementary("log", fmt.unit_roundoff)


def ones_stick_at(fmt: Format) -> Fraction | Special:
    """What adding 1 again and again, each sum rounded, cannot leave: 2**p, where the tie goes to the even neighbour, or what
    comes after the largest number when 2**p does not fit."""
    candidate = Fraction(1 << fmt.precision)
    return candidate if candidate <= fmt.largest else round_fraction(fmt.largest + 1, fmt)  # every 1 up to there is exact


def largest_square_sum_operand(terms: int, fmt: Format) -> Fraction | None:
    """The largest number a of the format for which the sum of `terms` squares a*a, exact and then rounded once, is finite."""
    return last_true(lambda a: a < 0 or not fmt.overflows(terms * a * a), fmt)
