"""Real numbers as fractions where they are rational, else as intervals with proven ends, in whole numbers only.

Promises: an interval contains its number: every operation rounds its ends outward. Sums, products and quotients of fractions stay exact.
Does not promise: narrowness.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

from symattn.errors import DomainError, UnsupportedError
from symattn.interp.run import Table
from symattn.proof import series
from symattn.proof.series import BITS, LARGE, Interval

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


# -- functions --------------------------------------------------------------------------------------------------------
def _monotone(f: Callable[[int], Interval]) -> Callable[[Value], Value]:
    """An increasing function from enclosures of its values at the ends."""

    def apply(a: Value) -> Value:
        low, high = interval(a)
        if max(-low, high) >> BITS >= LARGE:
            raise UnsupportedError("a number that is too large")
        first = f(low)
        return first if low == high else (first[0], f(high)[1])

    return apply


def log(a: Value) -> Value:
    """The natural logarithm. Raises DomainError for what is not known to be positive."""
    if a == 1:
        return Fraction(0)
    low, high = interval(a)
    if low <= 0:
        raise DomainError("a logarithm of what may not be positive")
    return series.log_of(low)[0], series.log_of(high)[1]


def _circle(a: Value, odd: int) -> Value:
    low, high = interval(a)
    if max(-low, high) >> BITS >= LARGE:
        raise UnsupportedError("a number that is too large")
    return series.circle_of(low, high, odd)


def _exp(a: Value) -> Value:
    """exp, also of what is far below 0, where it is only known to be tiny: exp(-128) < 2**-184."""
    low, high = interval(a)
    if low >> BITS > -LARGE:
        return _monotone(series.exp_of)(a)
    return 0, (1 << (BITS - 184)) if high >> BITS <= -LARGE else interval(_monotone(series.exp_of)((high, high)))[1]


def _at_zero(f: Callable[[Value], Value], value: Fraction) -> Callable[[Value], Value]:
    return lambda a: value if isinstance(a, Fraction) and not a else f(a)


_SCALAR: dict[str, Callable[..., Any]] = {
    "neg": negative,
    "exp": _at_zero(_exp, Fraction(1)),
    "log": log,
    "sqrt": sqrt,
    "tanh": _at_zero(_monotone(series.tanh_of), Fraction(0)),
    "cos": _at_zero(lambda a: _circle(a, 0), Fraction(1)),
    "sin": _at_zero(lambda a: _circle(a, 1), Fraction(0)),
    "erf": _at_zero(_monotone(series.erf_of), Fraction(0)),
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
