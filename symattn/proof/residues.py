"""Numbers modulo a prime, with exponentials: exact arithmetic that tells different formulas apart.

A number is a pair of residues, modulo p for itself and modulo q for where it stands in an exponent, with p = 2q + 1 both prime. exp of a
number is g^x mod p, g of order q, so exp(a + b) = exp(a) exp(b) exactly. A square root is the one that is itself a square; so roots
multiply as those of positive numbers do. What has no residue in the exponent (an exponential itself) has None there.

Promises: a reading of sums, products, quotients, powers and exponentials that respects every identity between formulas; so two formulas
with different residues are different. Two different ones agree at a random point with probability at most about degree/p.
Does not promise: logarithms, cosines, maxima (UnsupportedError: enclosures.py reads them).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NoReturn

from symattn.errors import DomainError, UnsupportedError
from symattn.interp.run import Table

# The largest such pair below 2**61 in which 2, 3, 5, 7, 11 and 13 are squares modulo both, so that the roots of small sizes exist.
P = 2305843009210604639
Q = (P - 1) // 2
G = 4
Residue = tuple[int, int | None]


def number(x: Fraction) -> Residue:
    """A rational number."""
    if x.denominator == 1:
        return x.numerator % P, x.numerator % Q
    return x.numerator * pow(x.denominator, -1, P) % P, x.numerator * pow(x.denominator, -1, Q) % Q


def add(a: Residue, b: Residue) -> Residue:
    """a + b."""
    x, y = a[1], b[1]
    return (a[0] + b[0]) % P, None if x is None or y is None else (x + y) % Q


def subtract(a: Residue, b: Residue) -> Residue:
    """a - b."""
    x, y = a[1], b[1]
    return (a[0] - b[0]) % P, None if x is None or y is None else (x - y) % Q


def multiply(a: Residue, b: Residue) -> Residue:
    """a * b."""
    x, y = a[1], b[1]
    return a[0] * b[0] % P, None if x is None or y is None else x * y % Q


def divide(a: Residue, b: Residue) -> Residue:
    """a / b. Raises DomainError where b is 0."""
    if not b[0]:
        raise DomainError("a division by zero")
    x, y = a[1], b[1]
    return a[0] * pow(b[0], -1, P) % P, None if x is None or not y else x * pow(y, -1, Q) % Q


def exp(a: Residue) -> Residue:
    """g^a."""
    if a[1] is None:
        raise UnsupportedError("an exponential in an exponent")
    return pow(G, a[1], P), 1 if a == (0, 0) else None


def tanh(a: Residue) -> Residue:
    """(e^2a - 1) / (e^2a + 1)."""
    e = exp(add(a, a))
    return divide(subtract(e, (1, 1)), add(e, (1, 1)))


def sqrt(a: Residue) -> Residue:
    """The square root that is a square. Raises DomainError where there is none."""
    return _root(a[0], P), None if a[1] is None else _root_or_none(a[1])


def _root(a: int, p: int) -> int:
    found = pow(a, (p + 1) // 4, p)
    if found * found % p != a:
        raise DomainError("no square root")
    return found


def _root_or_none(a: int) -> int | None:
    found = pow(a, (Q + 1) // 4, Q)
    return found if found * found % Q == a else None


def power(a: Residue, e: Fraction) -> Residue:
    """a to a rational exponent: roots of odd degree are unique, those of even degree are taken as squares."""
    n, d = e.numerator, e.denominator
    while d % 2 == 0:
        a = sqrt(a)
        d //= 2
    if n < 0:
        a = divide((1, 1), a)
        n = -n
    x, y = a
    first = pow(x, n * pow(d, -1, P - 1) % (P - 1) if d > 1 else n, P)
    if y is None:
        return first, None
    return first, pow(y, n * pow(d, -1, Q - 1) % (Q - 1) if d > 1 else n, Q)


def _unsupported(*_: object) -> NoReturn:
    raise UnsupportedError("no residue")


TABLE = Table(
    name="residues",
    number=number,
    scalar={
        "neg": lambda a: (-a[0] % P, None if a[1] is None else -a[1] % Q),
        "exp": exp,
        "sqrt": sqrt,
        "tanh": tanh,
        "add": add,
        "sub": subtract,
        "mul": multiply,
        "div": divide,
        "pow": power,
    },
    unsupported={
        "log": "it is no homomorphism of residues",
        "cos": "the circle has no points of that order",
        "sin": "the circle has no points of that order",
        "erf": "it satisfies no algebraic identity",
        "max2": "residues have no order",
    },
)
