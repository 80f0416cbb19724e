"""An exact number rebuilt in another arithmetic: how SymPy, mpmath or Arb receive it.

Promises: only rationals, sums, products, quotients, and exp, sqrt and log of what was built before are asked for, in a fixed order.
Does not promise: that the other arithmetic is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Protocol, TypeVar

from symattn.number import expsum
from symattn.number.exact_parts import Denominator, Logs, Terms
from symattn.number.expsum import Factor
from symattn.number.surd import ONE, Surd

T = TypeVar("T")


class Algebra(Protocol[T]):
    """The arithmetic to rebuild in."""

    def number(self, x: Fraction, /) -> T: ...
    def add(self, a: T, b: T, /) -> T: ...
    def mul(self, a: T, b: T, /) -> T: ...
    def div(self, a: T, b: T, /) -> T: ...
    def exp(self, x: T, /) -> T: ...
    def sqrt(self, x: T, /) -> T: ...
    def log(self, x: T, /) -> T: ...


def rebuild_surd(s: Surd, algebra: Algebra[T]) -> T:
    """Σ q √d."""
    parts = []
    for d, q in s.coefficients():
        root = algebra.sqrt(algebra.number(Fraction(d))) if d > 1 else None
        number = algebra.number(q)
        parts.append(number if root is None else root if q == 1 else algebra.mul(number, root))
    return chain(algebra.add, parts) if parts else algebra.number(Fraction(0))


def rebuild_sum(terms: Iterable[tuple[Surd, Surd]], algebra: Algebra[T]) -> T:
    """Σ c e^m, from (m, c)."""
    parts = []
    for m, c in terms:
        power = algebra.exp(rebuild_surd(m, algebra)) if m else None
        parts.append(rebuild_surd(c, algebra) if power is None else power if c == ONE else algebra.mul(rebuild_surd(c, algebra), power))
    return chain(algebra.add, parts)


def rebuild(terms: Terms, logs: Logs, algebra: Algebra[T], negative: Callable[[Factor], bool]) -> T:
    """The whole number; `negative(f)` tells whether the argument of log|f| is below 0."""
    pieces = []
    for den, num in terms.items():
        top = rebuild_sum([(m, num[m]) for m in expsum.lex_order(num)], algebra)
        below = [rebuild_sum(f.terms, algebra) for f in _repeated(den)]
        pieces.append(algebra.div(top, chain(algebra.mul, below)) if below else top)
    for atom, q in logs:
        if isinstance(atom, int):
            inside = algebra.number(Fraction(atom))
        elif isinstance(atom, Surd):
            inside = rebuild_surd(atom, algebra)
        else:
            inside = rebuild_sum(atom.terms, algebra)
            if negative(atom):
                inside = algebra.mul(algebra.number(Fraction(-1)), inside)
        log = algebra.log(inside)
        pieces.append(log if q == 1 else algebra.mul(algebra.number(q), log))
    return chain(algebra.add, pieces) if pieces else algebra.number(Fraction(0))


def _repeated(den: Denominator) -> list[Factor]:
    return [f for f, power in den for _ in range(power)]


def chain(combine: Callable[[T, T], T], parts: Sequence[T]) -> T:
    """Left fold of a nonempty sequence."""
    result = parts[0]
    for part in parts[1:]:
        result = combine(result, part)
    return result
