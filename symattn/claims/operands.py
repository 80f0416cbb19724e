"""What a printed number was computed from: operands with their slack, and the values their intervals can give.

Promises: the interval W made here holds attained values only, so a printed number that meets it is explained by some choice of operands
within their slack. Does not promise: every such choice where the function turns around inside the box.

How W is found. The function is evaluated at corners of the box of operands. Where it is continuous on the box (true of + - * and exp, and
of division, log and roots inside their domain) it takes every value between two it takes, so the hull of the corner values is attained:
W is never too wide. It is all of W when the function is monotone in each operand while the others rest, or affine in each: products,
sums, dot products, a quotient, a softmax, a weighted sum, with each operand used once. It may be too narrow when an operand is used
twice (x*x around 0) or the function turns around inside the box, and beyond 10 operands with slack, where only corners reached by
improving one operand at a time are tried. The miss then goes one way only: a number that slack could explain is judged more strictly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from symattn.errors import DomainError, UndecidedError
from symattn.number.decimal import Printed
from symattn.number.truth import Enclosure, Quantity

MAX_CORNER_OPERANDS = 10
CORNER_BITS = 128

# Verdicts of a traced operand after which it has no slack, half a unit of slack, or cannot be computed from at all.
WITHOUT_SLACK = frozenset({"given", "exact"})
WITH_SLACK = frozenset({"rounded", "truncated", "from-rounded", "measured", "undecided"})
WITHOUT_USE = frozenset({"off-by", "wrong"})

Evaluate = Callable[[Mapping[str, Fraction]], Quantity]


@dataclass(frozen=True)
class Operand:
    """A printed operand as the number itself (0.3 for "30%"), and how far the number meant may lie from it."""

    value: Fraction
    slack: Fraction = Fraction(0)

    def interval(self) -> Enclosure:
        """value - slack to value + slack."""
        return Enclosure(self.value - self.slack, self.value + self.slack)


def operand(printed: Printed, verdict: str | None) -> Operand | None:
    """The operand that `printed` is, given the verdict of the claim it was traced to (None: it was not traced).

    Given or exact: no slack. Rounded, truncated, from-rounded: half a unit of its last place. Untraced: half a unit, unless it is an
    integer. Off-by or wrong: None, there is no w and no W.
    """
    if verdict in WITHOUT_USE:
        return None
    half = printed.unit / 2 / printed.scale
    if verdict is None:
        return Operand(printed.plain, Fraction(0) if printed.integer else half)
    if verdict in WITHOUT_SLACK:
        return Operand(printed.plain)
    if verdict in WITH_SLACK:
        return Operand(printed.plain, half)
    raise ValueError(f"{verdict!r} is not a verdict")


def point_value(evaluate: Evaluate, operands: Mapping[str, Operand]) -> Quantity:
    """w: the expression with its printed operands as exact points."""
    return evaluate({name: o.value for name, o in operands.items()})


def interval_value(evaluate: Evaluate, operands: Mapping[str, Operand], *, target: Enclosure | None = None) -> Enclosure:
    """W: what `evaluate` attains on the box of the operands (see the module's text for when it is all of it).

    With `target` (the printed number's interval, as the number itself) the search stops as soon as the values found meet it. Raises
    UndecidedError where a corner lies outside the function's domain: then the box holds a pole or an edge, and no hull of values is
    known to be attained.
    """
    hull = _Hull(evaluate, {name: o.value for name, o in operands.items()}, target)
    loose = [name for name, o in operands.items() if o.slack]
    ends = {name: (operands[name].interval().lo, operands[name].interval().hi) for name in loose}
    try:
        if not hull.visit({}):
            _climb(hull, ends)
            if not hull.done() and len(loose) <= MAX_CORNER_OPERANDS:
                for corner in product(*ends.values()):
                    if hull.visit(dict(zip(ends, corner, strict=True))):
                        break
    except DomainError as error:
        raise UndecidedError("the operands' intervals reach outside the function's domain", next_move=error.message) from error
    return hull.enclosure()


class _Hull:
    """Values attained so far, each corner visited once."""

    def __init__(self, evaluate: Evaluate, points: Mapping[str, Fraction], target: Enclosure | None) -> None:
        self._evaluate = evaluate
        self._points = points
        self._target = target
        self._seen: dict[tuple[tuple[str, Fraction], ...], Enclosure] = {}
        self.least: Enclosure | None = None
        self.most: Enclosure | None = None

    def value(self, corner: Mapping[str, Fraction]) -> Enclosure:
        key = tuple(sorted(corner.items()))
        if key not in self._seen:
            ball = self._evaluate({**self._points, **corner}).enclose(CORNER_BITS)
            self._seen[key] = ball
            if self.least is None or ball.hi < self.least.hi:
                self.least = ball
            if self.most is None or ball.lo > self.most.lo:
                self.most = ball
        return self._seen[key]

    def visit(self, corner: Mapping[str, Fraction]) -> bool:
        """Evaluate there; is the search over?"""
        self.value(corner)
        return self.done()

    def enclosure(self) -> Enclosure:
        """From a number not below an attained value to one not above another; one value's ball when that is all there is."""
        assert self.least is not None
        assert self.most is not None
        if self.least.hi <= self.most.lo:
            return Enclosure(self.least.hi, self.most.lo)
        return self.least

    def done(self) -> bool:
        if self._target is None or self.least is None:
            return False
        found = self.enclosure()
        return found.lo <= self._target.hi and self._target.lo <= found.hi


def _climb(hull: _Hull, ends: Mapping[str, tuple[Fraction, Fraction]]) -> None:
    """Visit the corner of most and the corner of least, each operand moved to the end that helps until none helps any more."""
    for sign in (1, -1):
        corner = {name: hi for name, (_, hi) in ends.items()}
        best = hull.value(corner)
        improved = True
        while improved and not hull.done():
            improved = False
            for name, (lo, hi) in ends.items():
                other = {**corner, name: lo if corner[name] == hi else hi}
                ball = hull.value(other)
                if sign * (ball.lo + ball.hi) > sign * (best.lo + best.hi):
                    corner, best, improved = other, ball, True
