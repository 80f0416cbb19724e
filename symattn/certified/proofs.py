"""Proofs of the constants that the bounds rest on: every table entry, every coefficient, and the two exponentials' error ledgers.

Promises: each check encloses what it speaks of with balls (or exact fractions) and raises `NotProved` unless the whole enclosure keeps the
bound; nothing is sampled. `python -m symattn.certified.proofs` prints the worst of each. docs/certified-bounds.md has the argument.
Does not promise: proofs of the processor: float64 operations are taken to be IEEE 754's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symattn.certified import constants, pairs, single
from symattn.certified.constants import STEPS, Series, Table
from symattn.number.precision import enclosure_of, flint_bits

BITS = 400
U = Fraction(1, 1 << 53)


class NotProved(ArithmeticError):
    """A bound that an enclosure does not keep."""


@dataclass(frozen=True)
class Proved:
    """What was proved: the worst value found, and the bound that it keeps."""

    what: str
    worst: Fraction
    bound: Fraction

    def __str__(self) -> str:
        from math import log2

        def shown(x: Fraction) -> str:
            return f"2^{log2(x):.2f}" if x else "0"

        return f"{self.what}: {shown(self.worst)} ≤ {shown(self.bound)}"


def prove(what: str, worst: Fraction, bound: Fraction) -> Proved:
    """Raises NotProved unless worst <= bound."""
    if worst > bound:
        raise NotProved(f"{what}: {float(worst)!r} exceeds {float(bound)!r}")
    return Proved(what, worst, bound)


def _most(ball: Any) -> Fraction:
    """An upper bound of the magnitude of what the ball contains."""
    found = enclosure_of(ball)
    if found is None:
        raise NotProved("a ball is not finite")
    return max(abs(found.lo), abs(found.hi))


# -- constants --------------------------------------------------------------------------------------------------------
def check_table(table: Table) -> list[Proved]:
    """All 4096 powers: `high` to relative error u, `high + low` to 2**-105, the coarse part of `high` to 2**-26 absolutely."""
    from flint import arb

    if len(table.high) != STEPS or len(table.low) != STEPS:
        raise NotProved(f"the table has {len(table.high)} and {len(table.low)} entries")
    coarse = pairs.on_grid(table.high, pairs.grid(-25))
    one = two = three = Fraction(0)
    with flint_bits(BITS):
        step = arb.const_log2() / STEPS
        for j in range(STEPS):
            exact = (step * j).exp()
            high, low = arb(float(table.high[j])), arb(float(table.low[j]))
            one = max(one, _most(high / exact - 1))
            two = max(two, _most((high + low) / exact - 1))
            three = max(three, abs(Fraction(float(table.high[j])) - Fraction(float(coarse[j]))))
    return [
        prove("relative error of the high powers", one, U),
        prove("relative error of the pairs of powers", two, Fraction(1, 1 << 105)),
        prove("what the coarse powers leave", three, Fraction(1, 1 << 26)),
        prove("smallest power against 1", Fraction(1) / Fraction(float(table.high.min())), Fraction(1)),
        prove("largest power", Fraction(float(table.high.max())), Fraction(2)),
    ]


def check_series(series: Series) -> list[Proved]:
    """Coefficients to relative error u, the pairs to 2**-79; short parts have at most 26 bits."""
    from flint import arb

    found = []
    with flint_bits(BITS):
        exact = arb(1)
        for k in range(1, 7):
            exact = exact * (arb.const_log2() / STEPS) / k
            found.append(prove(f"relative error of coefficient {k}", _most(arb(series.c[k]) / exact - 1), U))
            if k == 1:
                pair = arb(series.c1_short) + arb(series.c1_rest)
                found.append(prove("relative error of pair 1", _most(pair / exact - 1), Fraction(1, 1 << 79)))
            if k == 2:
                pair = arb(series.c2_short) + arb(series.c2_rest)
                found.append(prove("relative error of pair 2", _most(pair / exact - 1), Fraction(1, 1 << 79)))
    for name, short, whole in (("1", series.c1_short, series.c[1]), ("2", series.c2_short, series.c[2])):
        odd = Fraction(short).numerator
        found.append(prove(f"bits of the short part {name}", Fraction(odd.bit_length()), Fraction(26)))
        found.append(prove(f"what the short part {name} leaves", abs(Fraction(whole) / Fraction(short) - 1), Fraction(1, 1 << 25)))
    return found


def check_units() -> list[Proved]:
    """ln 2 / 4096 and 4096 / ln 2 as pairs."""
    from flint import arb

    found = []
    with flint_bits(BITS):
        exact = arb.const_log2() / STEPS
        for name, pair, value in (("ln 2 / 4096", constants.unit(), exact), ("4096 / ln 2", constants.per_unit(), 1 / exact)):
            found.append(prove(f"relative error of {name}", _most(arb(pair[0]) / value - 1), U))
            found.append(prove(f"relative error of {name} as a pair", _most((arb(pair[0]) + arb(pair[1])) / value - 1), U * U))
    return found


# -- the two exponentials -----------------------------------------------------------------------------------------------
def _coefficients(last: int) -> list[Fraction]:
    """Upper bounds of L**k / k!, k = 0 … last, L = ln 2 / 4096."""
    from flint import arb

    with flint_bits(BITS):
        step = arb.const_log2() / STEPS
        found, exact = [Fraction(1)], arb(1)
        for k in range(1, last + 1):
            exact = exact * step / k
            found.append(_most(exact))
    return found


def check_power(table: Table, series: Series) -> list[Proved]:
    """`single.power`: relative error at most EXP_ERROR.

    With x = e**(L f) − 1, |f| <= 1/2, p the computed series and h a table entry, the result is h (1 + p (1 + δ)) (1 + δ'), |δ|, |δ'| <= u.
    p has six roundings, so |p − x| is at most: the coefficients' errors, 6.01 u on the terms, and the series' remainder."""
    check_table(table)
    check_series(series)
    c = _coefficients(4)
    half = Fraction(1, 2)
    terms = sum((c[k] * half**k for k in (1, 2, 3)), Fraction(0))
    # The terms from the fourth on are below those of a geometric series of ratio 2**-13.
    rest = c[4] * half**4 * (1 + Fraction(1, 1 << 12))
    of_p = terms * (1 + U) * Fraction(601, 100) * U + terms * U + rest + Fraction(1, 1 << 1000)
    x = terms + rest
    inside = (of_p + (x + of_p) * U) / (1 - x)
    total = (1 + U) * (1 + U) * (1 + inside) - 1
    return [prove("relative error of power", total, Fraction(single.EXP_ERROR))]


def ledger(low: Fraction) -> Iterator[tuple[str, Fraction]]:
    """What may be wrong in (high + rest) of `pairs.power_of`, line by line, over the table's entry `high` (the value is at least
    1 − 2**-12 times it), when |low| is at most this. Names are those of the code; a rounding costs u times the magnitude of its result."""
    c = _coefficients(7)
    half = Fraction(1, 2)
    f = half + low  # |f|
    b = Fraction(1, 1 << 27) + low * (1 + U)  # |fb|
    yield "fb: one rounding, through c1 and c2", U * b * (c[1] + 2 * c[2] * f) * (1 + 4 * U)
    # Order 3 to 6: roundings of the coefficients, of Horner's scheme, of f² and of f itself (three times, as its powers are).
    cubic = sum((c[k] * f**k for k in range(3, 7)), Fraction(0))
    yield "p, orders 3 to 6: at most 24 roundings", 24 * U * cubic * (1 + 100 * U)
    yield "the series from order 7 on", c[7] * f**7 * (1 + Fraction(1, 1 << 10))
    # Order 2.
    yield "(square − coarse) · c2_short", U * Fraction(1, 1 << 25) * c[2] * 2
    yield "square · c2_rest, and c2 as a pair", Fraction(1, 4) * c[2] * (U * Fraction(1, 1 << 25) + Fraction(1, 1 << 79))
    yield "c2 fb (f + fa): at most 8 roundings", 8 * U * c[2] * b * 2 * f
    # Order 1.
    yield "fa · c1_rest, and c1 as a pair", half * c[1] * (U * Fraction(1, 1 << 25) + Fraction(1, 1 << 79))
    yield "fb · c1: the product and the coefficient", 2 * U * b * c[1] * (1 + 4 * U)
    # Sums into p, in the order of the code.
    size = cubic + c[2] * Fraction(1, 1 << 24)
    yield "p += the two parts of order 2", 2 * U * size * 2
    size += c[2] * b * 2 * f
    yield "p += c2 fb (f + fa)", U * size * 2
    size += half * c[1] * Fraction(1, 1 << 25)
    yield "p += fa · c1_rest", U * size * (1 + 8 * U)
    size += b * c[1]
    yield "p += fb · c1", U * size * (1 + 8 * U)
    # From here on everything has the factor high >= 1, which is divided out.
    e = sum((c[k] * f**k for k in range(1, 8)), Fraction(0)) * (1 + Fraction(1, 1 << 20))  # |e**(L f) − 1|
    e_low = Fraction(1, 1 << 41) + 2 * U * e + size
    yield "e_low += p", U * e_low
    yield "rest · e_high", U * Fraction(1, 1 << 26) * e
    yield "e_low · high", U * e_low * (1 + U)
    sums = Fraction(1, 1 << 26) * e + e_low
    yield "their sum", U * sums * (1 + 8 * U)
    yield "(1 + total) · table_low: total's error, two roundings", U * (4 * U * e + 2 * U * size) + 3 * U * U * (1 + 2 * e)
    sums += U * (1 + 2 * e)
    yield "rest += total", U * sums * (1 + 8 * U)
    sums += U * (1 + e)
    yield "rest += what found leaves", U * sums * (1 + 8 * U)
    yield "the table as a pair", Fraction(1, 1 << 105) * (1 + e)


def check_power_of() -> list[Proved]:
    """`pairs.power_of`: relative error at most POWER_ERROR + POWER_ERROR_LOW · |low| for |low| <= MAX_LOW.

    The ledger is a polynomial in |low| with coefficients that are not negative, so convex: where it lies below the line at both
    ends it does so between."""
    found = []
    for low in (Fraction(0), Fraction(pairs.MAX_LOW)):
        total = sum((x for _, x in ledger(low)), Fraction(0)) / (1 - Fraction(1, 1 << 11))
        bound = Fraction(pairs.POWER_ERROR) + Fraction(pairs.POWER_ERROR_LOW) * low
        found.append(prove(f"relative error of power_of, |low| <= {float(low)}", total, bound))
    return found


def check_exactness(series: Series) -> list[Proved]:
    """Products and sums in `power_of` that are taken to be exact: bits of the factors, and the common grid of sums."""
    grid = Fraction(1)

    def lowest(x: Fraction) -> int:
        """The exponent of the last set bit."""
        return (x.numerator & -x.numerator).bit_length() - x.denominator.bit_length()

    c1, c2 = Fraction(series.c1_short), Fraction(series.c2_short)
    found = []
    # fa: multiples of 2**-26 up to 1/2.
    first = lowest(c1) - 26
    found.append(prove("fa · c1_short, in units of its grid", c1 * Fraction(1, 2) / _power(first), _power(53)))
    second = lowest(c2) - 24
    found.append(prove("coarse · c2_short, in units of its grid", c2 * Fraction(1, 4) / _power(second), _power(53)))
    found.append(prove("fa², in units of 2**-52", _power(50), _power(53)))
    # (fa' − e_high) + coarse': multiples of the finer grid, at most 2**-41 and a rounding of their sum.
    finer = min(first, second)
    size = Fraction(1, 1 << 41) + c1 * U
    found.append(prove("(fa − e_high) + coarse, in units of its grid", size / _power(finer), _power(53)))
    found.append(prove("fa − e_high, in units of its grid", (c2 + size) / _power(first), _power(53)))
    # t1 <= 2 on 2**-25, |e_high| on 2**-40.
    largest = c1 * Fraction(1, 2) * (1 + Fraction(1, 1 << 8)) + c1 * Fraction(pairs.MAX_LOW)
    found.append(prove("t1 · e_high, in units of 2**-65", 2 * largest / _power(-65), _power(53)))
    for terms in (1, 2, 3, 64, 65, 128, 256, 1000, 4096):
        bits = pairs.bits_of_slice(terms)
        found.append(prove(f"{terms} products of slices of {bits} bits", terms * _power(2 * bits), grid * _power(52)))
    return found


def _power(e: int) -> Fraction:
    return Fraction(1 << e) if e >= 0 else Fraction(1, 1 << -e)


def check_all() -> list[Proved]:
    """Every check of this module, on the constants in use."""
    table, series = constants.table(), constants.series()
    found = check_table(table) + check_series(series) + check_units() + check_exactness(series)
    return found + check_power(table, series) + check_power_of()


if __name__ == "__main__":
    for line in check_all():
        print(line)
    for what, x in ledger(Fraction(0)):
        print("   ", Proved(what, x, Fraction(1)))
