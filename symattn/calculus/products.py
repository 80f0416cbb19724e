"""A scalar tree as a product: constants, factors above and factors below the fraction bar.

Promises: the product equals the tree wherever both have a value. Does not promise: cancellation.
"""

from __future__ import annotations

from dataclasses import dataclass

from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary, walk
from symattn.program.slopes import ONE, div, mul, neg

MAX_POWER = 8


@dataclass(frozen=True)
class Product:
    """`coef` (numbers and sizes) times the arguments `above`, divided by the arguments `below`; an argument may stand twice."""

    coef: Scalar = ONE
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


def product(tree: Scalar) -> Product | None:
    """The tree as a product, None where it is a sum or applies a function to an argument."""
    if not any(isinstance(node, Arg) for node in walk(tree)):
        return Product(tree)
    match tree:
        case Arg(name):
            return Product(above=(name,))
        case Unary("neg", x):
            inner = product(x)
            return None if inner is None else Product(neg(inner.coef), inner.above, inner.below)
        case Binary("mul", a, b):
            left, right = product(a), product(b)
            if left is None or right is None:
                return None
            return Product(mul(left.coef, right.coef), left.above + right.above, left.below + right.below)
        case Binary("div", a, b):
            left, right = product(a), product(b)
            if left is None or right is None:
                return None
            return Product(div(left.coef, right.coef), left.above + right.below, left.below + right.above)
        case Power(x, q) if q.denominator == 1 and abs(q) <= MAX_POWER:
            inner = product(x)
            if inner is None:
                return None
            times = abs(int(q))
            coef = inner.coef if inner.coef == ONE else Power(inner.coef, q)
            up, down = (inner.above, inner.below) if q > 0 else (inner.below, inner.above)
            return Product(coef, up * times, down * times)
        case _:
            return None


def tree_of(coef: Scalar, above: tuple[Scalar, ...], below: tuple[Scalar, ...]) -> Scalar:
    """The product as a tree: ((coef * a) * b) / (c * d), factors 1 left out."""
    top = coef
    for factor in above:
        top = mul(top, factor)
    bottom: Scalar = ONE
    for factor in below:
        bottom = mul(bottom, factor)
    return div(top, bottom)


def is_arithmetic(tree: Scalar) -> bool:
    """Is the tree made of + - * / and integer powers of its arguments (and of anything without arguments)?"""
    match tree:
        case Arg() | Num() | Size():
            return True
        case Unary("neg", x):
            return is_arithmetic(x)
        case Binary(op, a, b) if op != "max2":
            return is_arithmetic(a) and is_arithmetic(b)
        case Power(x, q) if q.denominator == 1:
            return is_arithmetic(x)
        case _:
            return not any(isinstance(node, Arg) for node in walk(tree))
