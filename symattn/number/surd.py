"""The field Q(√2, √3, √5, …): rational combinations of square roots of square-free integers, exactly.

Promises: a canonical form, so equal numbers are equal objects with equal hashes (roots of distinct square-free integers are
linearly independent over Q); signs are decided in integers, always.
Does not promise: roots of anything but rationals, nor of rationals whose square-free part needs the factors of a number
beyond `FACTOR_BITS`; sizes beyond `MAX_BITS` are refused, not computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import gcd, isqrt, lcm

from symattn.errors import DomainError, UnsupportedError

# A numerator or denominator longer than this is refused: about 79,000 decimal digits.
MAX_BITS = 1 << 18
# Cofactors up to this length are factored (by flint when trial division is not enough).
FACTOR_BITS = 130
# 1/x multiplies by the conjugates of x, 2**k of them for k independent roots.
MAX_ROOTS = 6
_TRIAL = 1000


class Surd:
    """(Σ n_d √d) / den with square-free d ≥ 1, integers n_d ≠ 0, den ≥ 1 and no common factor. Immutable."""

    __slots__ = ("_hash", "den", "parts")

    den: int
    parts: tuple[tuple[int, int], ...]

    def __init__(self, den: int, parts: tuple[tuple[int, int], ...]) -> None:
        """Only for canonical data; use `Surd.of`, `root` and arithmetic."""
        self.den = den
        self.parts = parts
        self._hash = hash((den, parts))

    @staticmethod
    def of(x: int | Fraction) -> Surd:
        """A rational number."""
        num, den = x.numerator, x.denominator
        if num.bit_length() > MAX_BITS or den.bit_length() > MAX_BITS:
            raise too_large()
        return Surd(den, ((1, num),)) if num else ZERO

    @staticmethod
    def root(x: int | Fraction) -> Surd:
        """√x for a rational x ≥ 0. Raises DomainError below 0, UnsupportedError where the square-free part is out of reach."""
        if x < 0:
            raise DomainError(f"the square root of a negative number ({short(Fraction(x))})", next_move="roots are taken of numbers ≥ 0")
        (a, p), (b, q) = split_square(x.numerator), split_square(x.denominator)
        return _reduced(b * q, {p * q: a}) if a else ZERO

    def rational(self) -> Fraction | None:
        """The number when it is rational, else None: both are proven."""
        if not self.parts:
            return Fraction(0)
        if len(self.parts) == 1 and self.parts[0][0] == 1:
            return Fraction(self.parts[0][1], self.den)
        return None

    def coefficients(self) -> tuple[tuple[int, Fraction], ...]:
        """(d, q_d) of Σ q_d √d, by increasing d."""
        return tuple((d, Fraction(n, self.den)) for d, n in self.parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Surd):
            return NotImplemented
        return self is other or (self.den == other.den and self.parts == other.parts)

    def __hash__(self) -> int:
        return self._hash

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __repr__(self) -> str:
        return f"Surd({' + '.join(f'{short(q)}*sqrt({d})' for d, q in self.coefficients()) or '0'})"

    def __neg__(self) -> Surd:
        return Surd(self.den, tuple([(d, -n) for d, n in self.parts]))

    def __add__(self, other: Surd) -> Surd:
        if not self.parts:
            return other
        if not other.parts:
            return self
        den = self.den if self.den == other.den else lcm(self.den, other.den)
        f, g = den // self.den, den // other.den
        if len(self.parts) == 1 and len(other.parts) == 1 and self.parts[0][0] == other.parts[0][0]:
            return _single(den, self.parts[0][0], self.parts[0][1] * f + other.parts[0][1] * g)
        found = {d: n * f for d, n in self.parts}
        for d, n in other.parts:
            found[d] = found.get(d, 0) + n * g
        return _reduced(den, found)

    def __sub__(self, other: Surd) -> Surd:
        return self + (-other)

    def __mul__(self, other: Surd) -> Surd:
        if not self.parts or not other.parts:
            return ZERO
        if len(self.parts) == 1 and len(other.parts) == 1:
            (d, n), (e, m) = self.parts[0], other.parts[0]
            common = 1 if d == 1 or e == 1 else gcd(d, e)
            return _single(self.den * other.den, (d // common) * (e // common), n * m * common)
        found: dict[int, int] = {}
        for d, n in self.parts:
            for e, m in other.parts:
                if d == 1:
                    key, value = e, n * m
                elif e == 1:
                    key, value = d, n * m
                else:
                    common = gcd(d, e)
                    key, value = (d // common) * (e // common), n * m * common
                found[key] = found.get(key, 0) + value
        return _reduced(self.den * other.den, found)

    def inverse(self) -> Surd:
        """1/x by multiplying with conjugates. Raises DomainError for 0, UnsupportedError beyond MAX_ROOTS independent roots."""
        if not self.parts:
            raise DomainError("division by zero", next_move="check the denominator")
        if len(self.parts) == 1:
            d, n = self.parts[0]
            return _reduced(abs(n) * d, {d: self.den if n > 0 else -self.den})
        base = _coprime_base(d for d, _ in self.parts if d > 1)
        if len(base) > MAX_ROOTS:
            raise UnsupportedError(f"the inverse of a sum with {len(base)} independent square roots would be too long")
        factor, norm = ONE, self
        for g in base:
            if len(norm.parts) == 1 and norm.parts[0][0] == 1:
                break
            conjugate = Surd(norm.den, tuple((d, -n if d % g == 0 else n) for d, n in norm.parts))
            factor, norm = factor * conjugate, norm * conjugate
        return factor * norm.inverse()

    def __truediv__(self, other: Surd) -> Surd:
        return self * other.inverse()

    def sign(self) -> int:
        """−1, 0 or 1, decided exactly."""
        if not self.parts:
            return 0
        if all(n > 0 for _, n in self.parts):
            return 1
        if all(n < 0 for _, n in self.parts):
            return -1
        bits = 32 + max(n.bit_length() + d.bit_length() for d, n in self.parts)
        while True:  # ends: a canonical sum with a part is not 0
            low = sum(_scaled_root(d, n, bits) for d, n in self.parts)
            if low >= len(self.parts):
                return 1
            if low <= -len(self.parts):
                return -1
            bits *= 2


def lex_less(a: Surd, b: Surd) -> bool:
    """A total order that addition keeps: a < b when the first coordinate in which they differ (smallest d) is smaller in a."""
    difference = b - a
    return bool(difference.parts) and difference.parts[0][1] > 0


def _single(den: int, d: int, n: int) -> Surd:
    """n √d / den in lowest terms."""
    if not n:
        return ZERO
    common = gcd(den, n)
    if common != 1:
        den //= common
        n //= common
    if den.bit_length() > MAX_BITS or n.bit_length() > MAX_BITS:
        raise too_large()
    return Surd(den, ((d, n),))


def _reduced(den: int, found: Mapping[int, int]) -> Surd:
    parts = [(d, n) for d, n in found.items() if n]
    if not parts:
        return ZERO
    common = gcd(den, *[n for _, n in parts])
    if common != 1:
        den //= common
        parts = [(d, n // common) for d, n in parts]
    if den.bit_length() > MAX_BITS or any(n.bit_length() > MAX_BITS for _, n in parts):
        raise too_large()
    if len(parts) > 1:
        parts.sort()
    return Surd(den, tuple(parts))


def _scaled_root(d: int, n: int, bits: int) -> int:
    """n √d 2**bits, cut toward zero: off by less than 1."""
    if d == 1:
        return n << bits
    root = isqrt(d * n * n << 2 * bits)
    return root if n > 0 else -root


def _coprime_base(numbers: Iterable[int]) -> list[int]:
    """Pairwise coprime integers > 1 of which each of the (square-free) numbers is a product."""
    base: list[int] = []
    pending = list(numbers)
    while pending:
        x = pending.pop()
        for k, g in enumerate(base):
            common = gcd(x, g)
            if common > 1:
                rest = base.pop(k) // common
                pending += [part for part in (common, rest, x // common) if part > 1]
                break
        else:
            if x > 1:
                base.append(x)
    return sorted(base)


@lru_cache(maxsize=4096)
def split_square(x: int) -> tuple[int, int]:
    """(a, d) with x = a² d, d square-free, for x ≥ 0. Raises UnsupportedError where that needs too large a factorisation."""
    if x.bit_length() > MAX_BITS:
        raise too_large()
    if x < 2:
        return x, 1
    whole = isqrt(x)
    if whole * whole == x:
        return whole, 1
    outside, inside, rest = 1, 1, x
    for p in range(2, _TRIAL):
        if p * p * p > rest:
            break
        while rest % (p * p) == 0:
            outside, rest = outside * p, rest // (p * p)
        if rest % p == 0:
            inside, rest = inside * p, rest // p
    whole = isqrt(rest)
    if whole * whole == rest:
        return outside * whole, inside
    # What is left has no factor below _TRIAL (or below its cube root): with at most two prime factors it is square-free.
    if rest >= _TRIAL**3:
        for p, exponent in factors(rest):
            outside *= p ** (exponent // 2)
            inside *= p ** (exponent % 2)
        return outside, inside
    return outside, inside * rest


def factors(x: int) -> list[tuple[int, int]]:
    """Prime factors with exponents, x ≥ 1. Raises UnsupportedError beyond FACTOR_BITS once small primes are taken out."""
    found: list[tuple[int, int]] = []
    p = 2
    while p < _TRIAL and p * p <= x:
        exponent = 0
        while x % p == 0:
            x, exponent = x // p, exponent + 1
        if exponent:
            found.append((p, exponent))
        p += 1
    if x == 1:
        return found
    if p * p > x:
        return [*found, (x, 1)]
    if x.bit_length() > FACTOR_BITS:
        raise UnsupportedError(
            f"a root or logarithm needs the factors of an integer of {x.bit_length()} bits", next_move='numbers="balls" does not need them'
        )
    from flint import fmpz

    return found + [(int(q), int(e)) for q, e in fmpz(x).factor()]


def too_large() -> UnsupportedError:
    """The refusal of a number whose digits would not fit."""
    return UnsupportedError(
        f"a number of more than {MAX_BITS} bits (about {MAX_BITS * 3 // 10} digits) would arise",
        next_move="exact results are kept below that; use smaller exponents",
    )


def short(x: Fraction) -> str:
    """A rational for messages: in full when short, else its size."""
    if x.numerator.bit_length() + x.denominator.bit_length() > 200:
        return f"a fraction of {x.numerator.bit_length()} over {x.denominator.bit_length()} bits"
    return str(x)


ZERO = Surd(1, ())
ONE = Surd(1, ((1, 1),))
