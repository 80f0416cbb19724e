"""Fractions of polynomials over denominators that are known, for programs at stated sizes.

A number is a rational scale times a sum of fractions N/D. N is a polynomial with whole coefficients whose variables are entries of inputs,
exponentials of single terms, roots and opaque values; D is a product of bases, polynomials that a program divided by. Fractions over
different D stay apart; only the zero test brings them over one D, by multiplying, never by a GCD. A monomial is one integer, the sum of
exponent * 2**(WIDTH * variable), so that monomials multiply by adding.

Promises: exact. Two values that are found equal are equal wherever the bases do not vanish. Does not promise: cosines, or that equal values
are found equal when one stands inside an opaque function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from symattn.errors import DomainError
from symattn.proof.evidence import Undecided
from symattn.proof.primes import primes

WIDTH = 24
_DEGREE = 1 << (WIDTH - 2)
_FACTORED = 200  # products of at most this many terms are remembered as products
_PARTS = 60  # exponents of exponentials are whole multiples of 1/60
_ONE = Fraction(1)
Poly = dict[int, int]
Bases = tuple[int, ...]


@dataclass(frozen=True)
class Value:
    """`scale` times the fractions in `parts`, by denominator (base numbers in order, repeated). `degree` bounds every exponent."""

    parts: dict[Bases, Poly]
    degree: int = 0
    scale: Fraction = _ONE

    def key(self) -> tuple[Any, ...]:
        """The value as something that can be looked up; equal keys are equal values."""
        content = gcd(*(x for poly in self.parts.values() for x in poly.values())) or 1
        parts = sorted((bases, tuple(sorted((m, x // content) for m, x in poly.items()))) for bases, poly in self.parts.items())
        return (self.scale * content, tuple(parts)) if self.parts else ()


class Field:
    """The variables and bases of one proof, and what it may spend: `terms` products of monomials."""

    def __init__(self, terms: int) -> None:
        self.terms = terms
        self._left = terms
        self._variables: dict[object, int] = {}
        self._products: dict[tuple[Any, ...], tuple[Value, Value]] = {}
        self._base_numbers: dict[tuple[tuple[int, int], ...], int] = {}
        self._bases: list[Value] = []
        # variable -> (degree at which it folds, what it is then)
        self._roots: dict[int, tuple[int, Value]] = {}

    def spend(self, count: int) -> None:
        """Raises Undecided when the budget is spent."""
        self._left -= count
        if self._left < 0:
            raise Undecided(f"more than {self.terms} products", next_move="take more stages as atoms, or smaller sizes")

    # -- arithmetic ---------------------------------------------------------------------------------------------------
    def number(self, x: Fraction) -> Value:
        """A rational number."""
        return Value({(): {0: 1}}, 0, Fraction(x)) if x else Value({})

    def variable(self, name: object) -> Value:
        """A variable."""
        return Value({(): {self._unit(name): 1}}, 1)

    def _unit(self, name: object) -> int:
        """The monomial of a variable."""
        return 1 << (WIDTH * self._variables.setdefault(name, len(self._variables)))

    def total(self, terms: Sequence[Value]) -> Value:
        """The sum of several."""
        terms = [v for v in terms if v.parts]
        if len(terms) < 2:
            return terms[0] if terms else Value({})
        # Whole coefficients over the least scale that all are multiples of.
        scale = Fraction(gcd(*(v.scale.numerator for v in terms)), lcm(*(v.scale.denominator for v in terms)))
        parts: dict[Bases, Poly] = {}
        for value in terms:
            by = int(value.scale / scale)
            for bases, poly in value.parts.items():
                into = parts.setdefault(bases, {})
                get = into.get
                for m, x in poly.items():
                    into[m] = get(m, 0) + x * by
        return _tidy(parts, max(v.degree for v in terms), scale)

    def scaled(self, a: Value, c: int | Fraction) -> Value:
        """c * a."""
        return Value(a.parts, a.degree, a.scale * c) if c else Value({})

    def multiply(self, a: Value, b: Value) -> Value:
        """a * b."""
        degree = _checked(a.degree + b.degree)
        parts: dict[Bases, Poly] = {}
        for bases, poly in a.parts.items():
            for others, other in b.parts.items():
                self._multiply_into(parts.setdefault(tuple(sorted(bases + others)) if others else bases, {}), poly, other)
        out = _tidy(parts, degree, a.scale * b.scale)
        small = _is_polynomial(a) and _is_polynomial(b) and 1 < len(out.parts.get((), ())) <= _FACTORED
        if small and min(len(a.parts[()]), len(b.parts[()])) > 1:
            self._products[out.key()] = (a, b)
        return out

    def inner(self, pairs: Sequence[tuple[Value, Value]]) -> Value:
        """The sum of a * b over the pairs, gathered in one place."""
        scales = {a.scale * b.scale for a, b in pairs}
        if len(scales) != 1:
            return self.total([self.multiply(a, b) for a, b in pairs])
        parts: dict[Bases, Poly] = {}
        degree = 0
        for a, b in pairs:
            degree = max(degree, a.degree + b.degree)
            for bases, poly in a.parts.items():
                for others, other in b.parts.items():
                    self._multiply_into(parts.setdefault(tuple(sorted(bases + others)) if others else bases, {}), poly, other)
        return _tidy(parts, _checked(degree), scales.pop())

    def _multiply_into(self, into: Poly, a: Poly, b: Poly) -> None:
        self.spend(len(a) * len(b))
        get = into.get
        for m, x in a.items():
            for n, y in b.items():
                key = m + n
                into[key] = get(key, 0) + x * y

    def inverse(self, a: Value) -> Value:
        """1 / a. Raises DomainError where a is 0."""
        made = self._products.get(a.key()) if _is_polynomial(a) and len(a.parts[()]) <= _FACTORED else None
        if made is not None:
            # A division by a product is a division by each.
            return self.multiply(self.inverse(made[0]), self.inverse(made[1]))
        top, bases = self._over_one(self._folded(a))
        if not top.parts:
            raise DomainError("a division by zero")
        poly = top.parts[()]
        up = self.number(1 / top.scale)
        for b in bases:
            up = self.multiply(up, self._bases[b])
        if len(poly) == 1:
            ((m, x),) = poly.items()
            return self._folded(self.multiply(up, Value({(): {-m: 1}}, top.degree, Fraction(1, x))))
        content = gcd(*poly.values())
        if poly[min(poly)] < 0:
            content = -content
        base = {m: x // content for m, x in poly.items()}
        number = self._base_numbers.setdefault(tuple(sorted(base.items())), len(self._bases))
        if number == len(self._bases):
            self._bases.append(Value({(): base}, top.degree))
        return self.multiply(up, Value({(number,): {0: 1}}, 0, Fraction(1, content)))

    def _over_one(self, a: Value) -> tuple[Value, Bases]:
        """The numerator over one common denominator, and that denominator."""
        if len(a.parts) == 1:
            ((bases, poly),) = a.parts.items()
            return Value({(): poly}, a.degree, a.scale), bases
        common: list[int] = []
        for bases in a.parts:
            for b in set(bases):
                common += [b] * (bases.count(b) - common.count(b))
        tops = []
        for bases, poly in a.parts.items():
            top = Value({(): poly}, a.degree, a.scale)
            missing = list(common)
            for b in bases:
                missing.remove(b)
            for b in missing:
                top = self.multiply(top, self._bases[b])
            tops.append(top)
        return self.total(tops), tuple(sorted(common))

    # -- functions ----------------------------------------------------------------------------------------------------
    def exp(self, a: Value) -> Value:
        """The exponential: a product of exponentials of single terms, each to its coefficient."""
        shift, degree = 0, 0
        for bases, poly in self._folded(a).parts.items():
            for m, x in poly.items():
                e = a.scale * x * _PARTS
                if e.denominator != 1:
                    raise Undecided(f"an exponential with the coefficient {a.scale * x}")
                shift += self._unit(("exp", bases, m)) * int(e)
                degree = max(degree, abs(int(e)))
        return Value({(): {shift: 1}}, _checked(degree))

    def opaque(self, name: str, *args: Value) -> Value:
        """A function of which nothing is known but that equal arguments give equal values."""
        return self.variable((name, *(self._folded(a).key() for a in args)))

    def root(self, a: Value, degree: int) -> Value:
        """The root of a number: of a positive rational one by its primes, else a variable r with r**degree = a."""
        a = self._folded(a)
        if not a.parts:
            return a
        if a.parts == {(): {0: 1}} and a.scale > 0:
            out = self.number(_ONE)
            for n, up in ((a.scale.numerator, 1), (a.scale.denominator, -1)):
                for p, e in primes(n):
                    whole, part = divmod(up * e, degree)
                    out = self.scaled(out, Fraction(p) ** whole)
                    for _ in range(part):
                        out = self.multiply(out, self._root(("root", p, degree), degree, self.number(Fraction(p))))
            return out
        return self._root(("root", a.key(), degree), degree, a)

    def _root(self, name: object, degree: int, inside: Value) -> Value:
        found = self.variable(name)
        self._roots[self._variables[name]] = (degree, inside)
        return found

    def _folded(self, a: Value) -> Value:
        """Powers of roots brought below their degree."""
        for variable in reversed(self._roots):
            degree, inside = self._roots[variable]
            while True:
                by_power: dict[int, dict[Bases, Poly]] = {}
                for bases, poly in a.parts.items():
                    for m, x in poly.items():
                        k = _exponent(m, variable) // degree
                        by_power.setdefault(k, {}).setdefault(bases, {})[m - (degree * k << WIDTH * variable)] = x
                if not by_power or list(by_power) == [0]:
                    break
                pieces = []
                for k, parts in by_power.items():
                    piece = Value(parts, a.degree, a.scale)
                    for _ in range(abs(k)):
                        piece = self.multiply(piece, inside if k > 0 else self.inverse(inside))
                    pieces.append(piece)
                a = self.total(pieces)
        return a

    # -- zero ---------------------------------------------------------------------------------------------------------
    def is_zero(self, a: Value) -> bool:
        """Is the value 0 as a formula, wherever its denominators do not vanish?"""
        a = self._folded(a)
        groups = self._groups(a)
        return all(self._vanishes(group) for group in groups) or (len(groups) > 1 and self._vanishes(a))

    def _vanishes(self, a: Value) -> bool:
        for _ in range(4):
            a, _ = self._over_one(self._folded(a)) if a.parts else (a, ())
            if not a.parts:
                return True
            if not self._roots:
                return False
        return False

    def _groups(self, a: Value) -> list[Value]:
        """The fractions in groups whose denominators hang together: if each group is 0, so is the sum. (Rows of an attention have
        each their own sum, and over one denominator they would blow up.)"""
        found: list[tuple[set[int], dict[Bases, Poly]]] = []
        for bases, poly in a.parts.items():
            mine, parts = set(bases), {bases: poly}
            rest = []
            for others, those in found:
                if mine & others or not (mine or others):
                    mine, parts = mine | others, {**those, **parts}
                else:
                    rest.append((others, those))
            found = [*rest, (mine, parts)]
        return [Value(parts, a.degree, a.scale) for _, parts in found]


def _tidy(parts: dict[Bases, Poly], degree: int, scale: Fraction) -> Value:
    """Without terms that cancelled."""
    kept: dict[Bases, Poly] = {}
    for bases, poly in parts.items():
        if not all(poly.values()):
            poly = {m: x for m, x in poly.items() if x}
        if poly:
            kept[bases] = poly
    return Value(kept, degree, scale)


def _is_polynomial(a: Value) -> bool:
    return len(a.parts) == 1 and () in a.parts


def _checked(degree: int) -> int:
    """Raises Undecided where exponents could run into one another."""
    if degree >= _DEGREE:
        raise Undecided("a degree that is too high")
    return degree


def _exponent(m: int, variable: int) -> int:
    """The exponent of a variable in a monomial."""
    half = 1 << (WIDTH - 1)
    if variable:
        # Exponents of lower variables may be negative: rounding takes their borrow back.
        m = (m + (half << (WIDTH * (variable - 1)))) >> (WIDTH * variable)
    return ((m + half) & ((1 << WIDTH) - 1)) - half
