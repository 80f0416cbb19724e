"""Elementary functions and thresholds: against Python's libm within its error, exhaustively on small formats by an independent
series, and against thresholds known from (precision, emin, emax)."""

from __future__ import annotations

import math
from fractions import Fraction as F

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import DomainError, UndecidedError
from symattn.number.elementary import Elementary, correctly_rounded, integer_root, rational_power
from symattn.number.formats import (
    BFLOAT16,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FORMATS,
    Format,
    Overflow,
    Special,
    next_up,
    nth,
    ordinal,
    round_fraction,
)
from symattn.number.precision import ball_of, enclosure_of, flint_bits
from symattn.number.thresholds import (
    exp_is_finite,
    largest_absorbed_gap,
    largest_finite_exp,
    largest_square_sum_operand,
    largest_vanishing_exp,
    log_half_smallest,
    log_largest,
    log_smallest_normal,
    log_unit_roundoff,
    ones_stick_at,
)
from symattn.number.truth import Rational, compare

TINY = Format("tiny", precision=3, emin=-2, emax=3)


def exp_series(x: F, terms: int = 60) -> tuple[F, F]:
    """e**x in an interval, by Taylor's series on x/2^k and squaring: nothing of flint in it. The remainder of e**y, 0 <= y <= 1, after
    `terms` terms is at most 3/terms!."""
    if x < 0:
        low, high = exp_series(-x, terms)
        return 1 / high, 1 / low
    k = max(0, math.ceil(x).bit_length())
    y = x / 2**k
    total, term = F(0), F(1)
    for n in range(terms):
        total += term
        term = term * y / (n + 1)
    low, high = total, total + F(3, math.factorial(terms))
    for _ in range(k):
        low, high = round_down(low * low), round_down(high * high) + F(1, 2**400)
    return low, high


def round_down(x: F) -> F:
    return F(math.floor(x * 2**400), 2**400)


@pytest.mark.parametrize("fmt", [TINY, FLOAT8_E4M3FN, FLOAT8_E5M2], ids=lambda f: f.name)
def test_exp_is_correctly_rounded_on_all_numbers_of_small_formats(fmt: Format) -> None:
    top = ordinal(fmt.largest, fmt)
    seen = 0
    for place in range(-top, top + 1):
        x = nth(place, fmt)
        if abs(x) > 100:
            continue
        low, high = (round_fraction(end, fmt) for end in exp_series(x))
        assert low == high
        assert correctly_rounded("exp", x, fmt) == low
        seen += 1
    assert seen > 50


@pytest.mark.parametrize("op", ["exp", "log", "sqrt", "tanh", "cos", "sin", "erf"])
@settings(max_examples=60)
@given(x=st.floats(min_value=0.001, max_value=40))
def test_near_libm(op: str, x: float) -> None:
    value = correctly_rounded(op, F(x), FLOAT64)
    assert isinstance(value, F)
    libm = getattr(math, op)(x)
    assert abs(value - F(libm)) <= 2 * F(math.ulp(libm))  # glibc promises about one unit for these


def test_powers() -> None:
    assert correctly_rounded("pow", F(8), FLOAT64, F(1, 3)) == 2
    assert correctly_rounded("pow", F(-2), FLOAT64, F(3)) == -8
    assert correctly_rounded("pow", F(-2), FLOAT64, F(1, 2)) is Special.NAN
    assert correctly_rounded("pow", F(-8), FLOAT64, F(1, 3)) == -2
    assert correctly_rounded("pow", F(-8), FLOAT64, F(2, 3)) == 4
    assert correctly_rounded("pow", F(-2), FLOAT64, F(1, 3)) == -correctly_rounded("pow", F(2), FLOAT64, F(1, 3))
    assert correctly_rounded("pow", F(0), FLOAT64, F(-1)) is Special.INF
    assert correctly_rounded("pow", F(0), FLOAT8_E4M3FN, F(-1)) is Special.NAN
    assert correctly_rounded("pow", F(2), FLOAT64, F(-1074)) == F(5e-324)
    assert correctly_rounded("pow", F(2), FLOAT64, F(-1075)) == 0  # the tie goes to 0
    assert correctly_rounded("pow", F(3), FLOAT64, F(-(10**12))) == 0
    assert correctly_rounded("pow", F(-3), FLOAT64, F(10**12 + 1)) is Special.NEG_INF
    assert correctly_rounded("pow", F(-3), FLOAT64, F(10**12)) is Special.INF
    close = next_up(F(1), FLOAT64)  # (1 + 2^-52)^(2^52) is e in its first digits; its exact value has 10^17 bits
    assert isinstance(close, F)
    value = correctly_rounded("pow", close, FLOAT64, F(2**52))
    assert isinstance(value, F)
    assert abs(value - F(math.e)) < F(1, 10**14)


def test_roots() -> None:
    assert integer_root(10**30, 3) == 10**10
    assert integer_root(10**30 - 1, 3) == 10**10 - 1
    assert integer_root(2, 5) == 1
    assert rational_power(F(4, 9), F(-3, 2)) == F(27, 8)
    assert rational_power(F(2), F(1, 2)) is None
    assert rational_power(F(-8), F(3)) == -512
    assert rational_power(F(3), F(10**9)) is None
    assert Elementary("sqrt", F(9, 4)).rational() == F(3, 2)


def test_special_points_and_domains() -> None:
    assert correctly_rounded("log", F(1), FLOAT64) == 0
    assert correctly_rounded("log", F(0), FLOAT64) is Special.NEG_INF
    assert correctly_rounded("log", F(-1), FLOAT64) is Special.NAN
    assert correctly_rounded("sqrt", F(-1), FLOAT64) is Special.NAN
    assert correctly_rounded("tanh", F(10**40), FLOAT64) == 1
    assert correctly_rounded("erf", F(-(10**40)), FLOAT64) == -1
    assert correctly_rounded("cos", F(2) ** 1000, FLOAT64) == F(math.cos(2.0**1000))
    assert correctly_rounded("exp", F(10**300), FLOAT64) is Special.INF
    assert correctly_rounded("exp", F(-(10**300)), FLOAT64) == 0
    with pytest.raises(DomainError, match="log of a number that is zero"):
        Elementary("log", F(0))
    with pytest.raises(DomainError, match="zero to a negative power"):
        Elementary("pow", F(0), F(-1))
    with pytest.raises(UndecidedError, match="cannot be written out"):
        Elementary("exp", F(-(10**30))).enclose(64)


def test_enclosures_contain_and_shrink() -> None:
    for op in ("exp", "log", "sqrt", "tanh", "cos", "sin", "erf"):
        q = Elementary(op, F(7, 3))
        wide, narrow = q.enclose(40), q.enclose(400)
        assert wide.lo <= narrow.lo <= narrow.hi <= wide.hi
        assert 0 < narrow.width() < F(1, 2**390)
    low, high = exp_series(F(7, 3))
    assert low <= Elementary("exp", F(7, 3)).enclose(150).hi
    assert Elementary("exp", F(7, 3)).enclose(150).lo <= high


def test_the_guard_restores_flint() -> None:
    before = flint.ctx.prec
    with flint_bits(300):
        assert flint.ctx.prec == 300
        with pytest.raises(ZeroDivisionError), flint_bits(20):
            assert 1 / (flint.ctx.prec - 20)
        assert flint.ctx.prec == 300
    assert flint.ctx.prec == before
    with flint_bits(500):
        third = ball_of(F(1, 3))
    enclosure = enclosure_of(third)  # read at another precision: nothing is lost
    assert enclosure is not None
    assert enclosure.lo < F(1, 3) < enclosure.hi
    assert enclosure.width() < F(1, 2**490)
    assert enclosure_of(flint.arb("nan")) is None
    with flint_bits(64):
        huge, small = enclosure_of(flint.arb(10**30).exp()), enclosure_of(flint.arb(-(10**30)).exp())
    assert huge is None
    assert small is not None
    assert small.lo <= 0 < small.hi


# Facts found with another program, to the digits shown; the last column is the largest number whose e**x is finite.
KNOWN = [
    (FLOAT64, 709.782713, -708.396419, -745.133219, -36.7368, 709.782712893384),
    (FLOAT32, 88.722839, -87.336545, -103.972077, -16.6355, 88.72283172607422),
    (BFLOAT16, 88.718925, -87.336545, -92.881722, -5.5452, 88.5),
    (FLOAT16, 11.089866, -9.704061, -17.328680, -7.6246, 11.0859375),
    (FLOAT8_E5M2, 10.956823, -9.704061, -11.783502, -2.0794, 10.0),
    (FLOAT8_E4M3FN, 6.104793, -4.158883, -6.931472, -2.7726, 6.0),
]


@pytest.mark.parametrize(("fmt", "largest", "normal", "vanish", "absorb", "finite"), KNOWN, ids=[row[0].name for row in KNOWN])
def test_known_thresholds(fmt: Format, largest: float, normal: float, vanish: float, absorb: float, finite: float) -> None:
    def near(q: Elementary, x: float, places: int) -> bool:
        e = q.enclose(80)
        return max(abs(e.lo - F(x)), abs(e.hi - F(x))) <= F(1, 2 * 10**places) + F(1, 10**12)

    assert near(log_largest(fmt), largest, 6)
    assert near(log_smallest_normal(fmt), normal, 6)
    assert near(log_half_smallest(fmt), vanish, 6)
    assert near(log_unit_roundoff(fmt), absorb, 4)
    assert not near(log_largest(fmt), largest + 2e-6, 6)  # the comparison can fail
    found = largest_finite_exp(fmt)
    assert found is not None
    assert float(found) == pytest.approx(finite, rel=1e-15)


@pytest.mark.parametrize("fmt", [*FORMATS.values(), TINY, FLOAT8_E4M3FN.with_overflow(Overflow.SATURATE)], ids=lambda f: f.name)
def test_thresholds_are_sharp(fmt: Format) -> None:
    x = largest_finite_exp(fmt)
    assert x is not None
    above = next_up(x, fmt)
    assert isinstance(above, F)
    assert exp_is_finite(x, fmt)
    assert not exp_is_finite(above, fmt)
    assert compare(Elementary("exp", x), Rational(fmt.overflow_bound)) == -1
    assert compare(Elementary("exp", above), Rational(fmt.overflow_bound)) == 1
    zero = largest_vanishing_exp(fmt)
    assert zero is not None
    assert correctly_rounded("exp", zero, fmt) == 0
    above = next_up(zero, fmt)
    assert isinstance(above, F)
    value = correctly_rounded("exp", above, fmt)
    assert isinstance(value, F)
    assert value >= fmt.smallest
    a = largest_square_sum_operand(64, fmt)
    assert a is not None
    above = next_up(a, fmt)
    assert isinstance(above, F)
    assert not fmt.overflows(64 * a * a)
    assert fmt.overflows(64 * above * above)


def test_absorbed_gaps_count_the_rounding_of_the_weight() -> None:
    """On the grid a weight just above u may round down to u and be lost: in the small formats the gap is narrower than ln u."""
    assert largest_absorbed_gap(FLOAT8_E4M3FN) == F(-11, 4)
    assert largest_absorbed_gap(FLOAT8_E5M2) == -2
    assert largest_absorbed_gap(BFLOAT16) == F(-89, 16)
    assert compare(Rational(F(-11, 4)), log_unit_roundoff(FLOAT8_E4M3FN)) == 1


def test_ones_stick() -> None:
    assert [ones_stick_at(f) for f in FORMATS.values()] == [2**53, 2**24, 2**8, 2**11, 2**4, 2**3]
    for fmt in (*FORMATS.values(), TINY):
        n = ones_stick_at(fmt)
        assert isinstance(n, F)
        assert round_fraction(n + 1, fmt) == n
        assert round_fraction(n - 1, fmt) == n - 1
    narrow = Format("narrow", precision=5, emin=-1, emax=2)  # its largest number is 7.75: the eighth one overflows
    assert ones_stick_at(narrow) is Special.INF
    assert ones_stick_at(narrow.with_overflow(Overflow.SATURATE)) == F(31, 4)
