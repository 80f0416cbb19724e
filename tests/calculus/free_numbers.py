"""A number system in which every function is as free as it can be: residues modulo a prime, functions by keyed random values.

exp, log, tanh, cos, sin and roots of a residue are random residues, the same for the same argument, so nothing is true of them except
what holds for any function: what agrees here agrees by the rules of differentiation and of fractions alone. The larger of two is the larger
residue. A wrong equality passes with a chance of about degree / 2^61. Test code; it is exact, there is no tolerance.
"""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from typing import Any

from symattn.errors import DomainError
from symattn.interp.run import Table
from symattn.interp.tensor import Tensor

PRIME = 2**61 - 1


def number(q: Fraction) -> int:
    return q.numerator * pow(q.denominator, -1, PRIME) % PRIME


def _divide(a: int, b: int) -> int:
    if b % PRIME == 0:
        raise DomainError("division by zero")
    return a * pow(b, -1, PRIME) % PRIME


@cache
def _free(op: str, x: int) -> int:
    return random.Random(f"{op}:{x}").randrange(1, PRIME)


def _power(x: int, q: Fraction) -> int:
    base = x if q.denominator == 1 else _free(f"root{q.denominator}", x)
    if q < 0 and base == 0:
        raise DomainError("0 to a negative power")
    return pow(base, q.numerator, PRIME)


FREE = Table(
    name="free residues",
    number=number,
    scalar={
        "neg": lambda x: -x % PRIME,
        "add": lambda a, b: (a + b) % PRIME,
        "sub": lambda a, b: (a - b) % PRIME,
        "mul": lambda a, b: a * b % PRIME,
        "div": _divide,
        "max2": max,
        "pow": _power,
        "sqrt": lambda x: _free("root2", x),
        **{op: (lambda x, op=op: _free(op, x)) for op in ("exp", "log", "tanh", "cos", "sin", "erf")},
    },
    total=lambda terms: sum(terms) % PRIME,
)


def compare(a: int, b: int) -> int:
    """The order of residues as integers."""
    return (a > b) - (a < b)


def random_tensor(shape: tuple[int, ...], rng: random.Random) -> Tensor[Any]:
    count = 1
    for size in shape:
        count *= size
    return Tensor(shape, [rng.randrange(1, PRIME) for _ in range(count)])
