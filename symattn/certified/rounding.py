"""Rounding whole arrays to a float format, once, to nearest even, and deciding which roundings a bound has proven.

Promises: `nearest` is the format's rounding of each float64 number; `decide` rounds value + low when every real number within `error`
of it rounds to the same number, and says where that is so. No intermediate format: what float64 cannot hold is rounded to odd first,
which leaves the second rounding as if there had been one. Zeros come out positive.
Does not promise: anything under another rounding mode than to nearest, or with subnormal numbers flushed to zero.
"""

from __future__ import annotations

import numpy as np

from symattn.certified.take import Bools, Floats
from symattn.number.formats import FORMATS, Format, Overflow

_EXPONENT = np.int64(0x7FF0000000000000)
TINY = 2.0**-1074


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a + b exactly, as its rounding and the rest. Source: Knuth, TAOCP 2, 4.2.2 theorem B (any order of magnitude, no overflow)."""
    s = a + b
    z = s - a
    return s, (a - (s - z)) + (b - z)


class Rounder:
    """Rounding to one format. Numbers beyond its largest are kept as infinities until `finish`."""

    def __init__(self, fmt: Format) -> None:
        self.fmt = fmt
        self.exact = fmt.precision == 53
        self._largest = float(fmt.largest)
        self._low, self._high = float(fmt.smallest_normal), 2.0**fmt.emax
        # A number y of binade 2**e has the step 2**(e-p+1); adding 1.5 * 2**52 steps leaves its rounding in the last bits.
        self._to_shift = 0.0 if self.exact else 1.5 * 2.0 ** (53 - fmt.precision)

    def nearest(self, y: Floats) -> Floats:
        """Each number to the nearest of the format, ties to even; infinite where it is too large."""
        if self.exact:
            return y
        shift = (y.view(np.int64) & _EXPONENT).view(np.float64)
        np.clip(shift, self._low, self._high, out=shift)
        shift *= self._to_shift
        rounded = y + shift
        rounded -= shift
        large = np.abs(rounded) > self._largest
        if large.any():
            rounded[large] = np.copysign(np.inf, rounded[large])
        return rounded

    def of_sum(self, high: Floats, low: Floats) -> Floats:
        """The rounding of the real number high + low."""
        if self.exact:
            return high + low
        s, rest = two_sum(high, low)
        bits = s.view(np.int64)
        # To odd: an even last bit moves one place towards the rest, where there is one.
        step = np.where((rest > 0) == (s > 0), np.int64(1), np.int64(-1))
        step[(rest == 0) | ((bits & 1) == 1)] = 0
        bits += step
        return self.nearest(s)

    def decide(self, value: Floats, error: Floats, low: Floats | None = None) -> tuple[Floats, Bools]:
        """(roundings, where they are proven) for real numbers that lie within `error` of value + low."""
        if low is None and not self.exact:
            slack = error * (1 + 2.0**-50) + (np.abs(value) * 2.0**-51 + TINY)  # covers the rounding of the two ends
            first, last = self.nearest(value - slack), self.nearest(value + slack)
        else:
            if low is None:
                low = np.zeros_like(value)
            if self.exact:
                value, low = two_sum(value, low)
            slack = error * (1 + 2.0**-50) + (np.abs(low) * 2.0**-51 + 2 * TINY)
            first, last = self.of_sum(value, low - slack), self.of_sum(value, low + slack)
        return first + 0.0, first == last

    def finish(self, rounded: Floats) -> Floats:
        """Infinities as the format's convention has them: infinite, NaN or saturated."""
        match self.fmt.overflow:
            case Overflow.INF:
                return rounded
            case Overflow.NAN:
                return np.where(np.isinf(rounded), np.nan, rounded)
            case Overflow.SATURATE:
                return np.clip(rounded, -self._largest, self._largest)


def encode(rounded: Floats, fmt: Format) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """Numbers of the format as an array of its dtype; of a format without a dtype, as float64. Exact: nothing is rounded here."""
    if fmt.name not in FORMATS or fmt.name == "float64":
        return rounded
    if fmt.name in ("float32", "float16"):
        return rounded.astype(fmt.name)
    import ml_dtypes

    return rounded.astype(np.float32).astype(getattr(ml_dtypes, fmt.name))
