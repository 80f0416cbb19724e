"""The one place that touches python-flint's global precision, and how a ball becomes an exact enclosure.

Promises: `flint_bits` puts the precision back, also after an exception and when nested; `enclosure_of` reads midpoint and radius,
which are binary fractions, exactly, whatever the current precision (what lies below 2**-WRITABLE_BITS widens the interval by that).
Does not promise: safety when two threads compute with different precisions; flint's context is one for the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from symattn.number.truth import Enclosure


@contextmanager
def flint_bits(bits: int) -> Iterator[None]:
    """Inside the block, balls are computed with `bits` bits."""
    from flint import ctx

    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def ball_of(x: Fraction) -> Any:
    """The Arb ball around a rational number, at the current precision."""
    from flint import arb, fmpq

    return arb(fmpq(x.numerator, x.denominator))


WRITABLE_BITS = 1 << 20  # e**(-10**30) is a fine ball, but no computer can write it as a fraction


def enclosure_of(ball: Any) -> Enclosure | None:
    """The ball as an exact closed interval; None when it is not finite, or reaches 2**WRITABLE_BITS (no digit can be written)."""
    if not ball.is_finite():
        return None
    middle, slack = _dyadic(ball.mid())
    radius, more = _dyadic(ball.rad())
    if middle is None or radius is None:
        return None
    return Enclosure(middle - radius - slack - more, middle + radius + slack + more)


def _dyadic(point: Any) -> tuple[Fraction | None, Fraction]:
    """The point and how far it may be from the true one: (value, 0) as a rule."""
    man, exp = (int(part) for part in point.man_exp())
    top = exp + man.bit_length()
    if man and top > WRITABLE_BITS:
        return None, Fraction(0)
    if man and top < -WRITABLE_BITS:
        return Fraction(0), Fraction(1, 1 << WRITABLE_BITS)
    return Fraction(man << exp) if exp >= 0 else Fraction(man, 1 << -exp), Fraction(0)
