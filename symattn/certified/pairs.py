"""Arithmetic on pairs of float64, slices on a grid, and the exponential in pairs.

Promises: `on_grid`, `two_prod` and `two_sum` are exact (no overflow, no underflow); `power_of` and `divide` keep the relative errors that
they name, proved by proofs.py. Does not promise: results in the last places of subnormal numbers; callers bound those.
"""

from __future__ import annotations

import numpy as np

from symattn.certified import constants
from symattn.certified.take import Floats

POWER_ERROR = 2.0**-87  # relative error of `power_of` for low = 0, proved by proofs.check_power_of
POWER_ERROR_LOW = 2.0**-62  # and for each unit of |low|
MAX_LOW = 2.0**-10
_LOW12 = np.int64(constants.STEPS - 1)
_ONE = np.int64(1023 << 52)


def on_grid(x: Floats, shift: Floats | float) -> Floats:
    """x to the nearest multiple of shift / (1.5 · 2**52); the rest x − result is exact."""
    rounded = x + shift
    rounded -= shift
    return rounded


def grid(exponent: int) -> float:
    """The shift whose multiples are those of 2**exponent."""
    return 1.5 * 2.0 ** (52 + exponent)


def bits_of_slice(terms: int) -> int:
    """How long slices may be so that `terms` products of two of them, or twice as many of one and a rest, add up below 2**52 units."""
    return (52 - max(terms - 1, 0).bit_length()) // 2


def two_prod(a: Floats, b: float) -> tuple[Floats, Floats]:
    """a · b exactly, as its rounding and the rest. Source: Dekker 1971, with Veltkamp's splitting; |a|, |b| < 2**900, no underflow."""
    split = 2.0**27 + 1
    c = a * split
    a1 = c - (c - a)
    a2 = a - a1
    d = b * split
    b1 = d - (d - b)
    b2 = b - b1
    p = a * b
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


def two_prod_arrays(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The same for two arrays."""
    split = 2.0**27 + 1
    c, d = a * split, b * split
    a1, b1 = c - (c - a), d - (d - b)
    a2, b2 = a - a1, b - b1
    p = a * b
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


def power_of(h: Floats, low: Floats) -> tuple[Floats, Floats, Floats]:
    """(high, rest, scale) with (high + rest) · scale = 2**((h + low)/4096): 1 <= high <= 2 or so, scale a power of two, −CUT <= h <= 4096.

    Relative error at most POWER_ERROR + POWER_ERROR_LOW · max|low| for |low| <= MAX_LOW. Overwrites h."""
    t, s = constants.table(), constants.series()
    shifted = h + constants.MAGIC
    k = shifted.view(np.int64)
    h -= shifted - constants.MAGIC  # |h| <= 1/2 from here on, exactly
    place = k & _LOW12
    k -= place
    k <<= 40
    k += _ONE
    scale = k.view(np.float64)
    high = t.high.take(place, mode="clip")
    table_low = t.low.take(place, mode="clip")
    # f = fa + fb, fa on the grid 2**-26.
    fa = on_grid(h, grid(-26))
    fb = h - fa
    fb += low
    f = h
    f += low
    # The series' terms of order 3 to 6: float64 is enough.
    ff = f * f
    p = f * s.c[6]
    p += s.c[5]
    p *= f
    p += s.c[4]
    p *= f
    p += s.c[3]
    p *= f
    p *= ff
    # Order 2: c2 f² = c2 fa² + c2 fb (f + fa).
    square = fa * fa
    coarse = on_grid(square, grid(-24))
    p += (square - coarse) * s.c2_short + square * s.c2_rest
    f += fa
    f *= fb
    f *= s.c[2]
    p += f
    coarse *= s.c2_short  # exact
    # Order 1.
    p += fa * s.c1_rest
    fb *= s.c[1]
    p += fb
    fa *= s.c1_short  # exact
    # e**(L f) − 1 = fa + coarse + p; the first two as e_high (on the grid 2**-40) + e_low.
    total = fa + coarse
    e_high = on_grid(total, grid(-40))
    fa -= e_high
    fa += coarse
    fa += p  # e_low
    total += p
    # high · (1 + e) with high = t1 + t2, t1 on the grid 2**-25.
    t1 = on_grid(high, grid(-25))
    rest = high - t1
    rest *= e_high
    t1 *= e_high  # exact
    fa *= high
    rest += fa
    total *= table_low
    total += table_low
    rest += total
    found = high + t1
    high -= found
    high += t1
    rest += high
    high = found + rest
    found -= high
    rest += found
    return high, rest, scale


def divide(a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """a / b as a pair, relative error below 2**-100."""
    q = a[0] / b[0]
    p, rest = two_prod_arrays(q, b[0])
    left = (a[0] - p) - rest
    left += a[1]
    left -= q * b[1]
    return q, left / b[0]
