"""The verdict on one printed number.

Promises: the first verdict of the table below that is proven to hold, and every other one that holds. Exact arithmetic decides first
(rationals and ties), enclosures second; what neither decides within the cap is `undecided`, never a guess.
Does not promise: a cause (slips.py looks for one), or that the meaning given to the number is the document's (sheets, locate).

For the printed number p: v is its exact value from the givens, w the printed expression with its printed operands as exact points, W the
same with the operands as intervals. A percentage is compared with 100 times the exact value.

| verdict | holds when |
|---|---|
| exact | p = v |
| rounded | p is the half-up or the half-even rounding of v |
| from-rounded | p is w or its rounding; with `reach` "interval": the interval of p meets W |
| truncated | p is v or w cut toward zero |
| off-by | 1 <= k <= 5 and k units are at most 1 % of v, where k = |p - nearest correct rounding of v| in units of p's last place |
| wrong | none of these |

The order is exact, rounded, from-rounded by w, truncated, from-rounded by W, off-by, wrong. W is asked for only when neither exact,
rounded nor from-rounded by w holds: there it would add nothing. Digits declared to go on (an ellipsis) claim a prefix of the expansion
of v: they are `truncated` and `declared` when v begins so, and k is then counted from v cut. A printed zero has no sign of its own: -0.000
is judged as 0.000, with the reason "zero-sign" when v has the other sign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from symattn.claims.model import Judgement
from symattn.errors import UndecidedError
from symattn.number.decimal import (
    HALF_EVEN,
    HALF_UP,
    TOWARD_ZERO,
    Printed,
    decimal_text,
    finite_text,
    round_quantity,
    same,
    scaled,
    significant_text,
)
from symattn.number.truth import CAP_BITS, Enclosure, Quantity, Rational, Truth, compare

MAX_OFF = 5
OFF_SHARE = Fraction(1, 100)
VALUE_DIGITS = 15

# Reasons: short codes, turned into words where a page or a message needs them.
PRECISION = "precision"  # undecided: the cap on precision was reached
INTEGER = "integer"  # wrong: an integer computed from exact integers is exact or wrong
ZERO_SIGN = "zero-sign"  # a printed zero carries the sign that v does not have
NOT_A_PREFIX = "not-a-prefix"  # the digits are declared to go on, but v does not begin so


@dataclass(frozen=True)
class _Kept:
    """A quantity that remembers its enclosures: a verdict asks several times for the same bits."""

    base: Quantity
    balls: dict[int, Enclosure] = field(default_factory=dict, compare=False)

    def rational(self) -> Fraction | None:
        return self.base.rational()

    def enclose(self, bits: int) -> Enclosure:
        if bits not in self.balls:
            self.balls[bits] = self.base.enclose(bits)
        return self.balls[bits]

    def equals(self, other: Quantity) -> Truth:
        return same(self.base, other)


def judge(
    printed: Printed,
    v: Quantity,
    *,
    w: Quantity | None = None,
    interval: Callable[[], Enclosure] | None = None,
    integer: bool = False,
    declared: bool = False,
    cap_bits: int = CAP_BITS,
) -> Judgement:
    """The verdict on `printed`, whose exact value is `v`.

    `v`, `w` and the enclosure that `interval` returns are the numbers themselves (0.8383 for "83.83%"). Where an operand was judged
    off-by or wrong, pass w=None and interval=None. An `interval` that raises UndecidedError leaves its row undecided. `integer` says
    that v was computed from exact integers: where v is an integer, p is then exact or wrong. `declared` says that the digits claim to
    go on, as an ellipsis does.
    """
    exact_value = _Kept(scaled(v, printed.scale))
    point = None if w is None else _Kept(scaled(w, printed.scale))
    try:
        found = _verdict(printed, exact_value, point, interval, integer, declared or printed.ellipsis, cap_bits)
    except UndecidedError:
        found = Judgement("undecided", reason=PRECISION)
    return Judgement(
        found.verdict,
        also=found.also,
        reach=found.reach,
        off=found.off,
        declared=found.declared,
        value=value_text(exact_value, cap_bits=cap_bits),
        from_printed=None if point is None else value_text(point, cap_bits=cap_bits),
        right=_right(printed, exact_value, declared or printed.ellipsis, cap_bits),
        reason=found.reason,
    )


def value_text(q: Quantity, *, cap_bits: int = CAP_BITS) -> str | None:
    """`q` in full when it ends within 15 digits, else its first 15 significant digits, proven; None when they are not decided."""
    rational = q.rational()
    whole = None if rational is None else finite_text(rational, VALUE_DIGITS)
    if whole is not None:
        return whole
    try:
        return significant_text(q, VALUE_DIGITS, cap_bits=cap_bits)
    except UndecidedError:
        return None


def labelled(label: str, printed: Printed, v: Quantity | None = None) -> Judgement:
    """A label without a verdict: "given" (nothing to check) or "measured" (with the exact value where there is one)."""
    if label not in ("given", "measured"):
        raise ValueError(f"{label!r} is not a label")
    if v is None:
        return Judgement(label)
    exact_value = scaled(v, printed.scale)
    return Judgement(label, value=value_text(exact_value), right=_right(printed, exact_value, False, CAP_BITS))


def _right(printed: Printed, v: Quantity, goes_on: bool, cap_bits: int) -> str:
    try:
        found = round_quantity(v, printed.places, TOWARD_ZERO if goes_on else HALF_UP, cap_bits=cap_bits)
    except UndecidedError:
        found = None
    return "" if found is None else decimal_text(found, printed.places)


def _verdict(
    printed: Printed,
    v: Quantity,
    w: Quantity | None,
    interval: Callable[[], Enclosure] | None,
    integer: bool,
    goes_on: bool,
    cap_bits: int,
) -> Judgement:
    p = printed.value
    exact = _equal(p, v, cap_bits)
    rational = v.rational()
    if integer and rational is not None and (rational / printed.scale).denominator == 1:
        if goes_on and _nines(printed, v):
            return Judgement("truncated", declared=True)
        off = _off(p, [rational], printed)
        return Judgement("exact") if exact is Truth.YES else Judgement("wrong", off=off, reason=INTEGER)
    if goes_on:
        return _declared(printed, v, w, exact, cap_bits)

    roundings = [round_quantity(v, printed.places, mode, cap_bits=cap_bits) for mode in (HALF_UP, HALF_EVEN)]
    holds: list[tuple[str, Truth]] = [
        ("exact", exact),
        ("rounded", _among(p, roundings)),
        ("from-rounded", Truth.NO if w is None else _among(p, [_round(w, m, printed, cap_bits) for m in (HALF_UP, HALF_EVEN)])),
        ("truncated", _among(p, [_round(q, TOWARD_ZERO, printed, cap_bits) for q in (v, w) if q is not None])),
    ]
    reach = None
    if interval is not None and all(t is not Truth.YES for _, t in holds[:3]):
        meets = _meets(printed, interval)
        reach = "interval"
        holds.append(("from-rounded", meets))
    known = [r for r in roundings if r is not None]
    off = _off(p, known, printed) if len(known) == len(roundings) else 0
    holds.append(("off-by", _near(off, printed, v, cap_bits) if known else Truth.UNKNOWN))

    true = list(dict.fromkeys(name for name, truth in holds if truth is Truth.YES))
    first = next((name for name, truth in holds if truth is not Truth.NO), "wrong")
    if first == "exact" and exact is Truth.UNKNOWN and "rounded" in true:
        first = "rounded"  # v may even equal p: that it rounds to p is proven
    if first != "wrong" and first not in true:
        return Judgement("undecided", also=tuple(true), reason=PRECISION)
    right = first in ("exact", "rounded", "from-rounded")
    return Judgement(
        first,
        also=tuple(name for name in true if name != first),
        reach=reach if first == "from-rounded" else None,
        off=0 if right else off,
        reason=ZERO_SIGN if p == 0 and _other_sign(printed, v, cap_bits) else "",
    )


def _declared(printed: Printed, v: Quantity, w: Quantity | None, exact: Truth, cap_bits: int) -> Judgement:
    """Digits that claim to go on: right iff v begins with them."""
    cut = _round(v, TOWARD_ZERO, printed, cap_bits)
    if cut is None:
        return Judgement("undecided", reason=PRECISION)
    if cut == printed.value or _nines(printed, v):
        return Judgement("truncated", declared=True, also=("exact",) if exact is Truth.YES else ())
    off = _off(printed.value, [cut], printed)
    near = _near(off, printed, v, cap_bits)
    if w is not None and _round(w, TOWARD_ZERO, printed, cap_bits) == printed.value:
        return Judgement("truncated", off=off, also=("off-by",) if near is Truth.YES else (), reason=NOT_A_PREFIX)
    if near is Truth.UNKNOWN:
        return Judgement("undecided", reason=PRECISION)
    return Judgement("off-by" if near is Truth.YES else "wrong", off=off, reason=NOT_A_PREFIX)


def _nines(printed: Printed, v: Quantity) -> bool:
    """Is p the other expansion of a terminating v (0.999… of 1)?"""
    rational = v.rational()
    count = abs(printed.value / printed.unit).numerator
    return rational is not None and count % 10 == 9 and abs(rational) == abs(printed.value) + printed.unit and rational * printed.value > 0


def _round(q: Quantity, mode: str, printed: Printed, cap_bits: int) -> Fraction | None:
    return round_quantity(q, printed.places, mode, cap_bits=cap_bits)


def _equal(p: Fraction, q: Quantity, cap_bits: int) -> Truth:
    order = compare(Rational(p), q, cap_bits=cap_bits)
    return Truth.UNKNOWN if order is None else Truth.of(order == 0)


def _among(p: Fraction, found: list[Fraction | None]) -> Truth:
    if p in found:
        return Truth.YES
    return Truth.UNKNOWN if None in found else Truth.NO


def _meets(printed: Printed, interval: Callable[[], Enclosure]) -> Truth:
    own = printed.interval()
    try:
        reach = interval()
    except UndecidedError:
        return Truth.UNKNOWN
    return Truth.of(reach.lo * printed.scale <= own.hi and own.lo <= reach.hi * printed.scale)


def _off(p: Fraction, roundings: list[Fraction], printed: Printed) -> int:
    """p minus the nearest correct rounding, in units of p's last place; away from zero to an integer where v itself stands for it."""
    off = min(((p - r) / printed.unit for r in roundings), key=abs)
    return int(off) if off.denominator == 1 else (1 if off > 0 else -1) * (int(abs(off)) + 1)


def _near(off: int, printed: Printed, v: Quantity, cap_bits: int) -> Truth:
    if not 1 <= abs(off) <= MAX_OFF:
        return Truth.NO
    size = abs(off) * printed.unit / OFF_SHARE
    above, below = compare(Rational(size), v, cap_bits=cap_bits), compare(v, Rational(-size), cap_bits=cap_bits)
    if (above is not None and above <= 0) or (below is not None and below <= 0):
        return Truth.YES
    return Truth.UNKNOWN if above is None or below is None else Truth.NO


def _other_sign(printed: Printed, v: Quantity, cap_bits: int) -> bool:
    if printed.token[:1] not in ("+", "-", "\u2212", "\u2013"):
        return False
    sign = compare(v, Rational(Fraction(0)), cap_bits=cap_bits)
    return sign == (1 if printed.negative else -1)
