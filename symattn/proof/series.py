"""Series of exp, log, tanh, cos, sin and erf in whole numbers, with bounds on what is left out.

A number x stands for x / 2**BITS. Each function gives two integers between which its value lies. Source: Taylor's theorem; log as 2 artanh.

Promises: the two ends enclose the value. Does not promise: narrowness for large arguments, or any argument beyond `LARGE`.
"""

from __future__ import annotations

from functools import cache
from math import isqrt

BITS = 192
GUARD = 64
_WORK = BITS + GUARD
LARGE = 1 << 7  # arguments beyond this are not evaluated
Interval = tuple[int, int]


def _narrowed(x: int, error: int) -> Interval:
    """x ± error at the working scale, at the scale of intervals."""
    return (x - error) >> GUARD, -(-(x + error) >> GUARD)


def exp_of(x: int) -> Interval:
    """exp(x / 2**BITS). Each of fewer than 64 terms and each squaring loses less than 2 units; a squaring doubles relative errors."""
    if x < 0:
        low, high = exp_of(-x)
        one = 1 << 2 * BITS
        return one // high, -(-one // low)
    halvings = max(0, (x >> BITS).bit_length() + 8)
    y = (x << GUARD) >> halvings
    total = term = 1 << _WORK
    n = 1
    while term:
        term = (term * y >> _WORK) // n
        total += term
        n += 1
    for _ in range(halvings):
        total = total * total >> _WORK
    return _narrowed(total, (total >> (_WORK - halvings - 9)) + 1)


def log_of(x: int) -> Interval:
    """log(x / 2**BITS), x > 0, as e log 2 + 2 artanh((m - 1)/(m + 1)) with m in [1, 2)."""
    e = x.bit_length() - 1 - BITS
    one = 1 << (x.bit_length() - 1)
    total = e * _log2() + 2 * _artanh(x - one, x + one)
    return _narrowed(total, (abs(e) + 2) << 10)


@cache
def _log2() -> int:
    return 2 * _artanh(1, 3)


def _artanh(top: int, bottom: int) -> int:
    """artanh(top / bottom) at the working scale, for |top / bottom| <= 1/3, to within 2**8 units: 1 for each of its terms."""
    z = (top << _WORK) // bottom
    square = z * z >> _WORK
    total, term, k = 0, z, 1
    while term not in (0, -1):
        total += term // k
        term = term * square >> _WORK
        k += 2
    return total


def tanh_of(x: int) -> Interval:
    """1 - 2 / (e^2x + 1)."""
    low, high = exp_of(2 * x)
    one, wide = 1 << BITS, 2 << 2 * BITS
    return one + (-wide // (low + one)), one - wide // (high + one)


def circle_of(low: int, high: int, odd: int) -> Interval:
    """cos (odd = 0) or sin (odd = 1) of an interval, at its middle; neither changes by more than its argument does."""
    scale = _WORK + 2 * LARGE  # the terms grow to e**|x| < 2**(1.5 * LARGE) before they fall
    x = ((low + high) << (scale - BITS)) // 2
    square = x * x >> scale
    term = x if odd else 1 << scale
    total, n = term, 1 + odd
    while term not in (0, -1):
        term = -(term * square >> scale) // (n * (n + 1))
        total += term
        n += 2
    radius = (high - low) // 2 + 1
    middle = total >> (scale - BITS)
    return middle - radius - 2, middle + radius + 2


def erf_of(x: int) -> Interval:
    """2/sqrt(pi) times the sum of (-1)^n x^(2n+1) / (n! (2n+1))."""
    scale = _WORK + 2 * LARGE
    if abs(x) >> BITS >= 8:
        one = 1 << BITS
        return (one - (one >> 80), one) if x > 0 else (-one, -one + (one >> 80))
    y = x << (scale - BITS)
    square = y * y >> scale
    term, total, n = y, 0, 0
    while term not in (0, -1):
        total += term // (2 * n + 1)
        n += 1
        term = -(term * square >> scale) // n
    root = isqrt(_pi(scale) << scale)
    found = (total << scale) // root * 2
    middle = found >> (scale - BITS)
    return middle - 2, middle + 2


@cache
def _pi(scale: int) -> int:
    """pi at a scale, to within 2**9 units. Source: Machin 1706, pi = 16 arctan(1/5) - 4 arctan(1/239)."""

    def arctan(inverse: int) -> int:
        term = (1 << scale) // inverse
        total, n = 0, 0
        while term:
            total += (-term if n % 2 else term) // (2 * n + 1)
            term //= inverse * inverse
            n += 1
        return total

    return 16 * arctan(5) - 4 * arctan(239)
