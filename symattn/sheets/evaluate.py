"""Scalar trees at exact leaf values.

Promises: the exact reading where its table can do the tree, else balls that are raised on demand. Does not promise: speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symattn.errors import UndecidedError, UnsupportedError
from symattn.interp.exact import TABLE
from symattn.interp.run import compile_scalar
from symattn.number.exact import Exact
from symattn.number.precision import ball_of, enclosure_of, flint_bits
from symattn.number.truth import CAP_BITS, Enclosure, Quantity, Rational
from symattn.program.scalar import Scalar

GUARD_BITS = 32


def evaluate(tree: Scalar, leaves: Mapping[str, Quantity]) -> Quantity:
    """The value of `tree` (sizes already bound) when its `Arg` leaves have these values. Raises DomainError where it has none."""
    places = {name: k for k, name in enumerate(leaves)}
    exact = [_exact(q) for q in leaves.values()]
    if all(x is not None for x in exact):
        try:
            found = compile_scalar(tree, TABLE, {}, "this expression")(tuple(exact), places)
        except UnsupportedError:
            pass
        else:
            assert isinstance(found, Exact)
            return found
    return EnclosedTree(tree, tuple(leaves.items()))


def _exact(q: Quantity) -> Exact | None:
    if isinstance(q, Exact):
        return q
    return Exact.of(q.value) if isinstance(q, Rational) else None


@dataclass(frozen=True, eq=False)
class EnclosedTree:
    """A tree that leaves the exact numbers: enclosed by balls at as many bits as are asked for."""

    tree: Scalar
    leaves: tuple[tuple[str, Quantity], ...]

    def rational(self) -> Fraction | None:
        """Not known to be rational."""
        return None

    def enclose(self, bits: int) -> Enclosure:
        """An interval of relative width about 2**-bits, or the ball around 0 that more bits did not resolve. Raises UndecidedError."""
        from symattn.interp.balls import TABLE as BALLS

        working = bits + GUARD_BITS
        while working <= bits + CAP_BITS:
            with flint_bits(working):
                ball = compile_scalar(self.tree, BALLS, {}, "this expression")(
                    tuple(_ball(q, working) for _, q in self.leaves), {name: k for k, (name, _) in enumerate(self.leaves)}
                )
                accurate = int(ball.rel_accuracy_bits()) >= bits
            found = enclosure_of(ball)
            if found is not None and (accurate or (found.lo <= 0 <= found.hi and working > 4 * bits)):
                return found
            working *= 2
        raise UndecidedError(f"{bits} bits of an expression were not reached", next_move="ask for fewer digits")


def _ball(q: Quantity, bits: int) -> Any:
    """A ball around a quantity."""
    value = q.rational()
    if value is not None:
        return ball_of(value)
    ends = q.enclose(bits)
    return ball_of(ends.lo).union(ball_of(ends.hi))
