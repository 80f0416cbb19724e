"""Do two readings agree digit by digit? The comparison that the independent roads are held against.

Promises: `disagreements` lists every entry at which two readings are not shown to agree, an entry that cannot be decided and a
stage that one of them lacks included; comparing nothing is an error. Does not promise: that an observed value (mpmath, floats) is
right; two roads that agree are two witnesses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symattn.errors import InputError
from symattn.interp.tensor import Tensor
from symattn.number.decimal import significant_text
from symattn.number.formats import Special, exact_value, floor_log2, power_of_two
from symattn.number.precision import enclosure_of
from symattn.number.rounding import power_of_ten
from symattn.number.truth import CAP_BITS, Enclosure, Rational


@dataclass(frozen=True)
class Disagreement:
    """An entry at which two readings are not shown to agree. `why` is "differ", "undecided", "no number" or "missing"."""

    stage: str
    entry: tuple[int, ...]
    why: str
    first: str
    second: str


def enclosure(value: Any, bits: int) -> Enclosure | None:
    """Any reading's value as an interval: a quantity at `bits` bits, a ball as it is, an exact or floating number as a point; None
    for what is no number (NaN, infinities, a ball without bound)."""
    if isinstance(value, int | Fraction):
        return Enclosure(Fraction(value), Fraction(value))
    if isinstance(value, Special):
        return None
    if hasattr(value, "enclose"):
        found: Enclosure = value.enclose(bits)
        return found
    if hasattr(value, "mid") and hasattr(value, "rad"):  # an Arb ball
        return enclosure_of(value)
    if hasattr(value, "man_exp") or hasattr(value, "_mpf_"):
        return _of_mpmath(value)
    try:
        point = exact_value(value)
    except InputError:
        return None
    return Enclosure(point, point)


def _of_mpmath(value: Any) -> Enclosure | None:
    """An mpmath number is sign, mantissa, exponent; its infinities and NaN have mantissa 0 and a nonzero exponent."""
    sign, man, exp, _ = value._mpf_
    if not man and exp:
        return None
    point = int(man) * power_of_two(int(exp))
    return Enclosure(-point, -point) if sign else Enclosure(point, point)


def disagreements(
    first: Mapping[str, Tensor[Any]], second: Mapping[str, Tensor[Any]], digits: int, *, margin: int = 100
) -> list[Disagreement]:
    """Every entry of every stage at which the two readings do not agree on `digits` significant decimal digits.

    They agree when all of both enclosures lies within 1/margin of a unit of the last of these digits: closer than any slip of the
    last digit, wider than what guard digits leave; so ask both readings for a few digits more than are compared. Near 0
    (one enclosure contains 0) they agree within 10**-digits. Raises InputError when there is nothing to compare.
    """
    found: list[Disagreement] = []
    compared = 0
    for name in dict.fromkeys((*first, *second)):
        if name not in first or name not in second:
            found.append(Disagreement(name, (), "missing", "" if name not in first else "there", "" if name not in second else "there"))
            continue
        a, b = first[name], second[name]
        if a.shape != b.shape or a.absent != b.absent:
            found.append(Disagreement(name, (), "differ", f"shape {a.shape}", f"shape {b.shape}"))
            continue
        for k, index in enumerate(a.indices()):
            if k in a.absent or isinstance(a.entries[k], bool):
                continue
            compared += 1
            why = _difference(a.entries[k], b.entries[k], digits, margin)
            if why:
                found.append(Disagreement(name, index, why, _text(a.entries[k], digits), _text(b.entries[k], digits)))
    if not compared and not found:
        raise InputError("there is nothing to compare", next_move="give two readings of one program")
    return found


def _difference(a: Any, b: Any, digits: int, margin: int) -> str:
    """Why the two are not shown to agree, "" when they are."""
    bits = 64 + 4 * digits
    while True:
        x, y = enclosure(a, bits), enclosure(b, bits)
        if x is None or y is None:
            return "no number"
        size = max(abs(e) for e in (x.lo, x.hi, y.lo, y.hi))
        spread = max(x.hi, y.hi) - min(x.lo, y.lo)
        holds_zero = x.lo <= 0 <= x.hi or y.lo <= 0 <= y.hi
        unit = Fraction(1, 10**digits) if holds_zero else power_of_ten(floor_log10(size) - digits + 1) / margin
        if spread <= unit:
            return ""
        if x.hi < y.lo or y.hi < x.lo:
            gap = max(x.lo, y.lo) - min(x.hi, y.hi)
            if gap > unit or not (hasattr(a, "enclose") or hasattr(b, "enclose")):
                return "differ"
        elif not (hasattr(a, "enclose") or hasattr(b, "enclose")):
            return "undecided"
        if bits >= CAP_BITS:
            return "undecided"
        bits *= 2


def floor_log10(size: Fraction) -> int:
    """The integer e with 10**e <= size < 10**(e+1). size > 0."""
    power = floor_log2(size) * 30103 // 100000 - 1
    while power_of_ten(power + 1) <= size:
        power += 1
    while power_of_ten(power) > size:
        power -= 1
    return power


def _text(value: Any, digits: int) -> str:
    """The middle of the value's enclosure, three digits beyond those compared, for a message."""
    found = enclosure(value, 64 + 4 * digits)
    return "no number" if found is None else significant_text(Rational((found.lo + found.hi) / 2), digits + 3)
