"""Three-valued truth and enclosures: what a proven comparison may say.

Promises: `Truth` never silently becomes a bool; an `Enclosure` contains its number, endpoints exact.
Does not promise: that two overlapping enclosures are equal, or that they differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Protocol


class Truth(Enum):
    """YES and NO are proven; UNKNOWN says that the cap was reached."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a Truth has three values; compare it with Truth.YES, Truth.NO or Truth.UNKNOWN")

    @staticmethod
    def of(flag: bool) -> Truth:
        """A proven yes or no."""
        return Truth.YES if flag else Truth.NO


@dataclass(frozen=True)
class Enclosure:
    """A closed interval with exact endpoints that contains the number meant."""

    lo: Fraction
    hi: Fraction

    def __post_init__(self) -> None:
        if self.lo > self.hi:
            raise ValueError("an enclosure has lo <= hi")

    def less(self, other: Enclosure) -> Truth:
        """Is every number of this one below every number of the other?"""
        if self.hi < other.lo:
            return Truth.YES
        if self.lo >= other.hi:
            return Truth.NO
        return Truth.UNKNOWN

    def width(self) -> Fraction:
        """hi - lo."""
        return self.hi - self.lo


class Quantity(Protocol):
    """A real number known exactly: the one interface between readings and verdicts.

    `rational()` is the number itself when it is proven rational, else None (None does not say irrational).
    `enclose(bits)` contains the number; its relative width shrinks as `bits` grows (about 2**-bits, not promised).
    """

    def rational(self) -> Fraction | None: ...

    def enclose(self, bits: int) -> Enclosure: ...


@dataclass(frozen=True)
class Rational:
    """A rational number as a Quantity."""

    value: Fraction

    def rational(self) -> Fraction | None:
        """The number."""
        return self.value

    def enclose(self, bits: int) -> Enclosure:
        """The point interval."""
        return Enclosure(self.value, self.value)


START_BITS = 64
CAP_BITS = 8192


def compare(a: Quantity, b: Quantity, *, cap_bits: int = CAP_BITS) -> int | None:
    """-1, 0 or 1 when a < b, a = b, a > b is proven; None when the cap was reached. Equality is proven by rationals only,
    or by a common `zero_difference` of exact numbers (number/exact.py)."""
    ra, rb = a.rational(), b.rational()
    if ra is not None and rb is not None:
        return (ra > rb) - (ra < rb)
    same = getattr(a, "equals", None)
    if same is not None and same(b) is Truth.YES:
        return 0
    bits = START_BITS
    while bits <= cap_bits:
        ea, eb = a.enclose(bits), b.enclose(bits)
        if ea.hi < eb.lo:
            return -1
        if ea.lo > eb.hi:
            return 1
        bits *= 2
    return None
