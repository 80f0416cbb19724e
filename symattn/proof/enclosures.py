"""Real numbers as fractions where they are rational, else as intervals with proven ends, in whole numbers only.

Promises: an interval contains its number: every operation rounds its ends outward. Sums, products and quotients of fractions stay exact.
Does not promise: narrowness. Source of the series: exp, log (as 2 artanh), cos, sin and erf by Taylor's theorem, with the stated bounds
on what is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import isqrt
from typing import Any

from symattn.errors import DomainError, UnsupportedError
from symattn.interp.run import Table

BITS = 192  # ends are integers over 2**BITS
GUARD = 64
_WORK = BITS + GUARD
_LARGE = 1 << 7  # arguments beyond this are not evaluated: the point is given up

Interval = tuple[int, int]
Value = Fraction | Interval


def interval(x: Value) -> Interval:
    """The number as an interval."""
    if isinstance(x, tuple):
        return x
    top = x.numerator << BITS
    return top // x.denominator, -(-top // x.denominator)


def add(a: Value, b: Value) -> Value:
    """a + b."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    x, y = interval(a), interval(b)
    return x[0] + y[0], x[1] + y[1]


def negative(a: Value) -> Value:
    """-a."""
    return -a if isinstance(a, Fraction) else (-a[1], -a[0])


def multiply(a: Value, b: Value) -> Value:
    """a * b."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    if a == 0 or b == 0:
        return Fraction(0)
    x, y = interval(a), interval(b)
    ends = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(ends) >> BITS, -(-max(ends) >> BITS)


def divide(a: Value, b: Value) -> Value:
    """a / b. Raises DomainError where b is not known to differ from 0."""
    if isinstance(b, Fraction):
        if not b:
            raise DomainError("a division by zero")
        return multiply(a, 1 / b)
    if b[0] <= 0 <= b[1]:
        raise DomainError("a division by what may be zero")
    one = 1 << 2 * BITS
    return multiply(a, (one // b[1], -(-one // b[0])))


def larger(a: Value, b: Value) -> Value:
    """The larger of two."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return max(a, b)
    x, y = interval(a), interval(b)
    return max(x[0], y[0]), max(x[1], y[1])


def sqrt(a: Value) -> Value:
    """The square root. Raises DomainError for a negative number."""
    if isinstance(a, Fraction):
        if a < 0:
            raise DomainError("a square root of a negative number")
        top, bottom = isqrt(a.numerator), isqrt(a.denominator)
        if top * top == a.numerator and bottom * bottom == a.denominator:
            return Fraction(top, bottom)
    low, high = interval(a)
    if high < 0:
        raise DomainError("a square root of a negative number")
    return isqrt(max(low, 0) << BITS), isqrt(high << BITS) + 1


def power(a: Value, e: Fraction) -> Value:
    """a to a rational exponent; odd roots of negative numbers are negative."""
    n, d = e.numerator, e.denominator
    while d % 2 == 0:
        a = sqrt(a)
        d //= 2
    if d > 1:
        a = _odd_root(a, d)
    if n < 0:
        a, n = divide(Fraction(1), a), -n
    if isinstance(a, Fraction):
        return a**n
    out: Value = Fraction(1)
    for _ in range(n):
        out = multiply(out, a)
    if n % 2 == 0 and isinstance(out, tuple):
        out = (max(out[0], 0), out[1])
    return out


def _odd_root(a: Value, d: int) -> Value:
    low, high = interval(a)
    return _root_below(low, d), _root_below(high, d) + 1


def _root_below(x: int, d: int) -> int:
    """The largest integer r with (r / 2**BITS)**d <= x / 2**BITS."""
    if x < 0:
        r = _root_below(-x, d)
        return -r if r**d == -x << BITS * (d - 1) else -r - 1
    target = x << BITS * (d - 1)
    low, high = 0, 1 << (target.bit_length() // d + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if middle**d <= target:
            low = middle
        else:
            high = middle
    return low


# -- series -----------------------------------------------------------------------------------------------------------
def _monotone(f: Callable[[int], Interval]) -> Callable[[Value], Value]:
    """An increasing function from enclosures of its values at the ends."""

    def apply(a: Value) -> Value:
        low, high = interval(a)
        if max(-low, high) >> BITS >= _LARGE:
            raise UnsupportedError("a number that is too large")
        first = f(low)
        return first if low == high else (first[0], f(high)[1])

    return apply


def _narrowed(x: int, error: int) -> Interval:
    """x ± error at the working scale, at the scale of intervals."""
    return (x - error) >> GUARD, -(-(x + error) >> GUARD)


def _exp_of(x: int) -> Interval:
    """exp(x / 2**BITS). Each of fewer than 64 terms and each squaring loses less than 2 units; a squaring doubles relative errors."""
    if x < 0:
        low, high = _exp_of(-x)
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


def _log_of(x: int) -> Interval:
    """log(x / 2**BITS), x > 0, as e log 2 + 2 artanh((m - 1)/(m + 1)) with m in [1, 2)."""
    e = x.bit_length() - 1 - BITS
    one = 1 << (x.bit_length() - 1)
    total = e * _log2() + 2 * _artanh(x - one, x + one)
    return _narrowed(total, (abs(e) + 2) << 10)


def log(a: Value) -> Value:
    """The natural logarithm. Raises DomainError for what is not known to be positive."""
    if a == 1:
        return Fraction(0)
    low, high = interval(a)
    if low <= 0:
        raise DomainError("a logarithm of what may not be positive")
    return _log_of(low)[0], _log_of(high)[1]


def _tanh_of(x: int) -> Interval:
    """1 - 2 / (e^2x + 1)."""
    low, high = _exp_of(2 * x)
    one, wide = 1 << BITS, 2 << 2 * BITS
    return one + (-wide // (low + one)), one - wide // (high + one)


def _circle(a: Value, odd: int) -> Value:
    """cos (odd = 0) or sin (odd = 1) by its series at the middle; neither changes by more than its argument does."""
    low, high = interval(a)
    if max(-low, high) >> BITS >= _LARGE:
        raise UnsupportedError("a number that is too large")
    scale = _WORK + 2 * _LARGE  # the terms grow to e**|x| < 2**(1.5 * _LARGE) before they fall
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


def _erf_of(x: int) -> Interval:
    """2/sqrt(pi) times the sum of (-1)^n x^(2n+1) / (n! (2n+1))."""
    scale = _WORK + 2 * _LARGE
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


def _exp(a: Value) -> Value:
    """exp, also of what is far below 0, where it is only known to be tiny: exp(-128) < 2**-184."""
    low, high = interval(a)
    if low >> BITS > -_LARGE:
        return _monotone(_exp_of)(a)
    return 0, (1 << (BITS - 184)) if high >> BITS <= -_LARGE else interval(_monotone(_exp_of)((high, high)))[1]


def _at_zero(f: Callable[[Value], Value], value: Fraction) -> Callable[[Value], Value]:
    return lambda a: value if isinstance(a, Fraction) and not a else f(a)


_SCALAR: dict[str, Callable[..., Any]] = {
    "neg": negative,
    "exp": _at_zero(_exp, Fraction(1)),
    "log": log,
    "sqrt": sqrt,
    "tanh": _at_zero(_monotone(_tanh_of), Fraction(0)),
    "cos": _at_zero(lambda a: _circle(a, 0), Fraction(1)),
    "sin": _at_zero(lambda a: _circle(a, 1), Fraction(0)),
    "erf": _at_zero(_monotone(_erf_of), Fraction(0)),
    "add": add,
    "sub": lambda a, b: add(a, negative(b)),
    "mul": multiply,
    "div": divide,
    "max2": larger,
    "pow": power,
}
TABLE = Table(name="enclosures", number=lambda x: x, scalar=_SCALAR)


def differ(a: Value, b: Value) -> bool:
    """Are the two numbers proved to be different?"""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a != b
    x, y = interval(a), interval(b)
    return x[1] < y[0] or y[1] < x[0]


def agreeing_bits(a: Value, b: Value) -> int:
    """To how many bits below the larger of 1 and their size the two are known to agree; BITS when they are equal fractions."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return BITS if a == b else 0
    x, y = interval(a), interval(b)
    gap = max(x[1], y[1]) - min(x[0], y[0])
    size = max(1 << BITS, abs(x[0]), abs(y[0]))
    return max(0, size.bit_length() - gap.bit_length())


def decimal(a: Value, digits: int = 6) -> str:
    """The number as text: a fraction as it is when short, else a decimal cut after `digits` significant digits."""
    if isinstance(a, Fraction):
        text = str(a)
        if len(text) <= 12:
            return text
        low = a
    else:
        low = Fraction(sum(a), 2 << BITS)
    if not low:
        return "0"
    sign, low = ("-" if low < 0 else ""), abs(low)
    places = digits - 1
    while low >= 10 ** (digits - places):
        places -= 1
    while low * 10**places < 10 ** (digits - 1) and places < 60:
        places += 1
    whole = low.numerator * 10 ** max(places, 0) // (low.denominator * 10 ** max(-places, 0))
    text = str(whole * 10 ** max(-places, 0)) if places <= 0 else str(whole).rjust(places + 1, "0")
    return sign + (text if places <= 0 else f"{text[:-places]}.{text[-places:]}") + "…"
