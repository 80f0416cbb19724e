"""Enclosures of exact numbers by Arb balls: values, signs, digits.

Promises: a ball contains its number; `enclose` measures the relative accuracy and raises the working precision until it is reached,
so cancellation costs bits and never digits; flint's precision is as it was before.
Does not promise: an answer past `cap_bits` (then UndecidedError), or that a number near 0 is not 0 (exact.py decides that).
"""

from __future__ import annotations

from collections import OrderedDict
from fractions import Fraction
from typing import Any

from symattn.errors import UndecidedError
from symattn.number.exact_parts import Logs, Terms
from symattn.number.expsum import Factor
from symattn.number.precision import ball_of, enclosure_of, flint_bits
from symattn.number.surd import Surd
from symattn.number.truth import CAP_BITS, Enclosure

GUARD_BITS = 32
_KEPT_PRECISIONS = 4
_KEPT_BALLS = 20_000


class _Balls:
    """Balls at one precision; exponentials and denominators are computed once."""

    def __init__(self) -> None:
        self._roots: dict[int, Any] = {}
        self._exps: dict[Surd, Any] = {}
        self._factors: dict[Factor, Any] = {}

    def size(self) -> int:
        return len(self._exps) + len(self._factors)

    def surd(self, s: Surd) -> Any:
        from flint import arb, fmpz

        result = arb(0)
        for d, n in s.parts:
            if d == 1:
                result += fmpz(n)
            else:
                if d not in self._roots:
                    self._roots[d] = arb(d).sqrt()
                result += self._roots[d] * fmpz(n)
        return result / fmpz(s.den) if s.den != 1 else result

    def exp(self, m: Surd) -> Any:
        found = self._exps.get(m)
        if found is None:
            found = self._exps[m] = self.surd(m).exp()
        return found

    def sum(self, terms: Any) -> Any:
        from flint import arb

        result = arb(0)
        for m, c in terms:
            result += self.surd(c) * self.exp(m) if m else self.surd(c)
        return result

    def factor(self, f: Factor) -> Any:
        found = self._factors.get(f)
        if found is None:
            found = self._factors[f] = self.sum(f.terms)
        return found

    def value(self, terms: Terms, logs: Logs) -> Any:
        from flint import arb

        result = arb(0)
        for den, num in terms.items():
            ball = self.sum(num.items())
            for f, power in den:
                ball /= self.factor(f) ** power
            result += ball
        for atom, q in logs:
            inside = arb(atom) if isinstance(atom, int) else self.surd(atom) if isinstance(atom, Surd) else abs(self.factor(atom))
            result += ball_of(q) * inside.log()
        return result


_CACHE: OrderedDict[int, _Balls] = OrderedDict()


def _balls(bits: int) -> _Balls:
    found = _CACHE.pop(bits, None)
    if found is None or found.size() > _KEPT_BALLS:
        found = _Balls()
    _CACHE[bits] = found
    while len(_CACHE) > _KEPT_PRECISIONS:
        _CACHE.popitem(last=False)
    return found


def ball(terms: Terms, logs: Logs, bits: int) -> Any:
    """The number as an Arb ball, computed with `bits` bits; not refined."""
    with flint_bits(bits):
        return _balls(bits).value(terms, logs)


def ball_sign(terms: Terms, logs: Logs, bits: int) -> int:
    """−1 or 1 when the ball at that precision excludes 0, else 0 (which proves nothing)."""
    found = ball(terms, logs, bits)
    return 1 if found > 0 else -1 if found < 0 else 0


def enclose(terms: Terms, logs: Logs, bits: int, *, cap_bits: int = CAP_BITS) -> Enclosure:
    """An interval of relative width at most about 2**-bits; a number whose ball contains 0 up to `cap_bits` bits beyond comes back as that
    tiny interval. Raises UndecidedError when the cap comes first otherwise, or when the number is too large to be written down."""
    working = bits + GUARD_BITS
    while True:
        found = ball(terms, logs, working)
        accuracy = int(found.rel_accuracy_bits())
        around_zero = found.is_finite() and found.contains(0)
        if accuracy >= bits or (around_zero and working > bits + cap_bits):
            break
        if working > bits + cap_bits:
            raise UndecidedError(
                f"{bits} bits of an exact number were not reached with {working} bits", next_move="it may be 0 without a proof"
            )
        working = max(working + bits - max(accuracy, 0), working * 2 if accuracy <= 0 else 0) + GUARD_BITS
    return written(found)


def written(found: Any) -> Enclosure:
    """A ball as an interval with endpoints of its own sign. Raises UndecidedError when its endpoints cannot be written down."""
    made = enclosure_of(found)
    if made is None:
        raise UndecidedError(
            "a number is too large to be written down (over a million bits before the point)", next_move="compare logarithms"
        )
    if made.lo < 0 and found > 0:
        return Enclosure(Fraction(0), made.hi)
    if made.hi > 0 and found < 0:
        return Enclosure(made.lo, Fraction(0))
    return made
