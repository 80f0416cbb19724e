"""Exponential sums Σ c·e^m with c and m in Q(√…): the numerators and denominators of exact numbers.

Promises: a sum is 0 only when it is empty (Lindemann–Weierstrass: exponentials of distinct algebraic numbers are linearly
independent over the algebraic numbers), so equality of sums is equality of dictionaries.
Does not promise: that two different *quotients* of sums differ; sizes beyond `MAX_TERMS` are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import lcm

from symattn.errors import UnsupportedError
from symattn.number.surd import ONE, ZERO, Surd, lex_less

Sum = Mapping[Surd, Surd]  # exponent -> coefficient, never 0
MAX_TERMS = 20_000
_HALF = ONE / Surd.of(2)


class Factor:
    """A sum of at least two terms divided by its leading one: exponents fall (see `lex_order`) from 0, the first coefficient is 1.

    So denominators that differ by a factor c·e^m only are one object's value; softmax is shift invariant on sight. Immutable."""

    __slots__ = ("_hash", "sort_key", "terms")

    terms: tuple[tuple[Surd, Surd], ...]
    sort_key: tuple[object, ...]

    def __init__(self, terms: tuple[tuple[Surd, Surd], ...]) -> None:
        """Only for normalised terms: use `normalised`."""
        self.terms = terms
        self._hash = hash(terms)
        self.sort_key = (len(terms), tuple((m.den, m.parts, c.den, c.parts) for m, c in terms))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Factor):
            return NotImplemented
        return self is other or (self._hash == other._hash and self.terms == other.terms)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Factor({dict(self.terms)!r})"

    def sum(self) -> dict[Surd, Surd]:
        """The factor as a sum."""
        return dict(self.terms)


def lex_order(exponents: Iterable[Surd]) -> list[Surd]:
    """Exponents from the largest to the smallest in an order that addition keeps: by coordinates, smallest root first."""
    listed = list(exponents)
    roots = sorted({d for m in listed for d, _ in m.parts})
    scale = lcm(*[m.den for m in listed])

    def key(m: Surd) -> tuple[int, ...]:
        found = dict(m.parts)
        step = scale // m.den
        return tuple([found.get(d, 0) * step for d in roots])

    return sorted(listed, key=key, reverse=True)


def normalised(x: Sum) -> tuple[Surd, Surd, Factor | None]:
    """(c, m, f) with x = c·e^m·f; f is None when x is the single term c·e^m. x is not empty."""
    if len(x) == 1:
        ((m, c),) = x.items()
        return c, m, None
    order = lex_order(x)
    lead = order[0]
    c = x[lead]
    scale = c.inverse() if c != ONE else ONE
    if lead:
        back = -lead
        terms = [(m + back, x[m] * scale) for m in order]
    else:
        terms = [(m, x[m] * scale) for m in order]
    return c, lead, Factor(tuple(terms))


def added(a: Sum, b: Sum) -> dict[Surd, Surd]:
    """a + b."""
    found = dict(a)
    add_into(found, b)
    return found


def add_into(target: dict[Surd, Surd], x: Sum) -> None:
    """target += x."""
    for m, c in x.items():
        known = target.get(m)
        if known is None:
            target[m] = c
        else:
            total = known + c
            if total:
                target[m] = total
            else:
                del target[m]


def scaled(x: Sum, c: Surd, m: Surd = ZERO) -> dict[Surd, Surd]:
    """c·e^m·x for c ≠ 0."""
    if not m:
        return {k: v * c for k, v in x.items()}
    return {k + m: v * c for k, v in x.items()}


def multiplied(a: Sum, b: Sum, budget: int = MAX_TERMS) -> dict[Surd, Surd]:
    """a · b. Raises UnsupportedError when more than `budget` products would be formed."""
    if len(a) > len(b):
        a, b = b, a
    if len(a) == 1:
        ((m, c),) = a.items()
        return scaled(b, c, m)
    if len(a) * len(b) > budget:
        raise too_many_terms(budget)
    found: dict[Surd, Surd] = {}
    for m, c in a.items():
        add_into(found, scaled(b, c, m))
    return found


def divided(a: Sum, f: Factor, budget: int = 2000) -> dict[Surd, Surd] | None:
    """a / f when it is again a sum that is found within the budget of steps, else None (which proves nothing).

    Long division from the leading terms down; sound because the order of exponents fits multiplication. The last terms of a product
    are the product of the last terms, so a quotient that falls below that is none."""
    if not a:
        return {}
    rest, quotient = dict(a), dict[Surd, Surd]()
    last = lex_order(a)[-1] - f.terms[-1][0]
    for _ in range(max(8, budget // len(f.terms))):
        lead = lex_order(rest)[0]
        if lex_less(lead, last):
            return None
        c = rest[lead]
        quotient[lead] = c
        add_into(rest, {m + lead: -(v * c) for m, v in f.terms})
        if not rest:
            return quotient
    return None


def square_root(f: Factor, budget: int = 400) -> dict[Surd, Surd] | None:
    """A sum whose square is `f`, leading term 1, when one is found within the budget of steps, else None (which proves nothing).

    As by hand: the leading term of what is missing is twice the next term of the root."""
    root: dict[Surd, Surd] = {ZERO: ONE}
    rest = {m: c for m, c in f.terms if m}
    for _ in range(min(budget, len(f.terms))):
        if not rest:
            return root
        lead = lex_order(rest)[0]
        c = rest[lead] * _HALF
        # (g + t)² = g² + 2gt + t²
        step = scaled(root, c + c, lead)
        add_into(step, {lead + lead: c * c})
        add_into(rest, {m: -v for m, v in step.items()})
        root[lead] = c
    return root if not rest else None


def too_many_terms(budget: int) -> UnsupportedError:
    """The refusal of an exact number with more terms than are worth having."""
    return UnsupportedError(f"the exact result would have more than {budget} terms", next_move='numbers="balls" has no such limit')
