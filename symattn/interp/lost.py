"""Lost digits: where a float reading first leaves the exact value, and how many digits of an entry are right.

Promises: a digit is called lost only when the reference's enclosure proves it. Does not promise: anything about other machines.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symattn.interp.agree import enclosure, floor_log10
from symattn.interp.events import Event
from symattn.interp.tensor import Tensor
from symattn.interp.watch import short
from symattn.number.rounding import power_of_ten
from symattn.number.truth import Enclosure


def first_lost_digit(observed: Mapping[str, Tensor[Any]], reference: Mapping[str, Tensor[Any]], digits: int) -> Event | None:
    """The first entry, in the order of the stages, that differs from the reference by more than half a unit of its `digits`-th
    significant digit, or is no number; None when there is none. `reference` is an exact or enclosed reading of the same
    program: from the exact values of the float inputs it shows what the algorithm loses, from the decimals also what
    rounding the inputs loses. What the reference's enclosure leaves open counts as not lost. Observed on this machine."""
    for name, tensor in observed.items():
        if name not in reference:
            continue
        for index, value, right in zip(tensor.indices(), tensor.entries, reference[name].entries, strict=True):
            if isinstance(value, bool) or tensor.is_absent(index):
                continue
            truth = enclosure(right, 4 * digits + 64)
            if truth is None:
                continue
            found = enclosure(value, 64)
            if found is None or correct_digits(found.lo, truth, cap=digits) < digits:
                shown = "no number" if found is None else short(found.lo)
                return Event("lost-digit", name, index, "", f"{shown} instead of {short((truth.lo + truth.hi) / 2)}")
    return None


def correct_digits(value: Fraction, truth: Enclosure, *, cap: int = 40) -> int:
    """How many significant decimal digits of `value` are right: the largest k <= cap with |value - t| <= half a unit of the k-th
    significant digit of t, for some t in the enclosure; 0 when not even the first is. A 0 for 0 has all `cap`."""
    if truth.lo <= value <= truth.hi:
        return cap
    distance = truth.lo - value if value < truth.lo else value - truth.hi
    size = max(abs(truth.lo), abs(truth.hi))
    if size == 0:
        return 0
    power = floor_log10(size)
    kept = 0
    while kept < cap and 2 * distance <= power_of_ten(power - kept):
        kept += 1
    return kept
