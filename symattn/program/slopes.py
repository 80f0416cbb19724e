"""The derivative of every scalar function of the vocabulary, one row each.

Promises: the table is complete: a row for each name in SCALAR_OPS, or the reason why there is none; nothing is silently 0. A rule may
be written with the function's own value (`value`): exp' = value, d(a/b)/db = -value/b, tanh' = 1 - value², so that a gradient
reuses what is there. Where a function is not differentiable, its derivative divides by zero there (a `DomainError` when it is
read), and `hypotheses` says so beforehand.
Does not promise: simplification beyond factors 1 and signs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from symattn.errors import UnsupportedError
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary, walk

ONE, TWO = Num(Fraction(1)), Num(Fraction(2))
_UnaryRule = Callable[[Scalar, Scalar], Scalar]
_BinaryRule = Callable[[Scalar, Scalar, Scalar], tuple[Scalar, Scalar]]


# -- trees with factors 1 left out and signs outside -----------------------------------------------------------------------------------
def is_one(x: Scalar) -> bool:
    """Is this the number 1?"""
    return isinstance(x, Num) and x.value == 1


def neg(x: Scalar) -> Scalar:
    """-x."""
    if isinstance(x, Unary) and x.op == "neg":
        return x.x
    return Num(-x.value) if isinstance(x, Num) else Unary("neg", x)


def mul(a: Scalar, b: Scalar) -> Scalar:
    """a * b, the sign outside, (1/d) * b as b/d."""
    if _negative(a) or _negative(b):
        product = mul(neg(a) if _negative(a) else a, neg(b) if _negative(b) else b)
        return product if _negative(a) and _negative(b) else neg(product)
    if is_one(a):
        return b
    if is_one(b):
        return a
    if isinstance(a, Num) and isinstance(b, Num):
        return Num(a.value * b.value)
    if isinstance(b, Binary) and b.op == "div" and is_one(b.a):
        return div(a, b.b)
    if isinstance(a, Binary) and a.op == "div" and is_one(a.a):
        return div(b, a.b)
    return Binary("mul", a, b)


def div(a: Scalar, b: Scalar) -> Scalar:
    """a / b, the sign outside."""
    if is_one(b):
        return a
    if _negative(a):
        return neg(div(neg(a), b))
    return Binary("div", a, b)


def add(a: Scalar, b: Scalar) -> Scalar:
    """a + b, as a - c where b is -c, as 2 a where both are one."""
    if a == b:
        return mul(TWO, a)
    if _negative(b):
        return Binary("sub", a, neg(b))
    return Binary("add", a, b)


def sub(a: Scalar, b: Scalar) -> Scalar:
    """a - b, as a + c where b is -c, as a where b is 0."""
    return a if isinstance(b, Num) and not b.value else add(a, neg(b))


def _negative(x: Scalar) -> bool:
    return (isinstance(x, Unary) and x.op == "neg") or (isinstance(x, Num) and x.value < 0)


# -- the table -------------------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Slope:
    """`says` the rule in words of formulas, y the function's value; `rule` makes the partial derivatives from the arguments and the
    value (for "pow": from the base, the exponent and the value); `missing` is the reason why there is no rule."""

    op: str
    says: str = ""
    rule: Callable[..., tuple[Scalar, ...]] | None = None
    missing: str = ""


def _unary(op: str, says: str, rule: _UnaryRule) -> Slope:
    return Slope(op, says, lambda x, value: (rule(x, value),))


def _binary(op: str, says: str, rule: _BinaryRule) -> Slope:
    return Slope(op, says, rule)


def _div(a: Scalar, b: Scalar, value: Scalar) -> tuple[Scalar, Scalar]:
    return div(ONE, b), neg(mul(value, value)) if is_one(a) else neg(div(value, b))


def _max(a: Scalar, b: Scalar, value: Scalar) -> tuple[Scalar, Scalar]:
    return Binary("div", sub(value, b), sub(a, b)), Binary("div", sub(a, value), sub(a, b))


def _pow(x: Scalar, q: Fraction, value: Scalar) -> tuple[Scalar]:
    """q x^(q-1); by the value for x^(1/k) and x^(-1/k): q y^(1-k), q y^(1+k)."""
    if q.denominator == 1 and q > 0:
        return (mul(Num(q), x if q == 2 else ONE if q == 1 else Power(x, q - 1)),)
    if q.numerator == 1:
        k = q.denominator
        return (div(Num(q), value if k == 2 else Power(value, Fraction(k - 1))),)
    if q.numerator == -1:
        return (mul(Num(q), Power(value, Fraction(q.denominator + 1))),)
    return (mul(Num(q), Power(x, q - 1)),)


_ROWS = (
    _unary("neg", "-1", lambda x, value: Num(Fraction(-1))),
    _unary("exp", "y", lambda x, value: value),
    _unary("log", "1/x", lambda x, value: div(ONE, x)),
    _unary("sqrt", "1/(2 y)", lambda x, value: div(ONE, mul(TWO, value))),
    _unary("tanh", "1 - y^2", lambda x, value: Binary("sub", ONE, mul(value, value))),
    _unary("cos", "-sin(x)", lambda x, value: neg(Unary("sin", x))),
    _unary("sin", "cos(x)", lambda x, value: Unary("cos", x)),
    Slope("erf", missing="its derivative is 2/sqrt(pi) * exp(-x^2), and pi is not a number of the vocabulary"),
    _binary("add", "1, 1", lambda a, b, value: (ONE, ONE)),
    _binary("sub", "1, -1", lambda a, b, value: (ONE, Num(Fraction(-1)))),
    _binary("mul", "b, a", lambda a, b, value: (b, a)),
    _binary("div", "1/b, -y/b", _div),
    _binary("max2", "(y - b)/(a - b), (a - y)/(a - b): 1 for the larger, 0 for the smaller, not defined where they are equal", _max),
    Slope("pow", "q x^(q-1)", _pow),
)
SLOPES: Mapping[str, Slope] = MappingProxyType({row.op: row for row in _ROWS})


def slope(tree: Scalar, name: str, value: Scalar | None = None) -> Scalar | None:
    """The derivative of `tree` by the argument `name`; None where it does not depend on it. `value` stands for the value of the whole
    tree, by default the tree itself. Raises UnsupportedError for a function that has no rule."""
    y = tree if value is None else value
    match tree:
        case Arg(arg):
            return ONE if arg == name else None
        case Num() | Size():
            return None
        case Unary(op, x):
            inner = slope(x, name)
            return None if inner is None else mul(rule_of(op)(x, y)[0], inner)
        case Power(x, q):
            inner = slope(x, name) if q else None
            return None if inner is None else mul(rule_of("pow")(x, q, y)[0], inner)
        case Binary(op, a, b):
            left, right = slope(a, name), slope(b, name)
            if left is None and right is None:
                return None
            if op == "max2" and left is not None and b == neg(a):
                return mul(Binary("div", y, a), left)  # |a|' = |a|/a, which the rule gives in longer words
            by_a, by_b = rule_of(op)(a, b, y)
            parts = [mul(by, inner) for by, inner in ((by_a, left), (by_b, right)) if inner is not None]
            return parts[0] if len(parts) == 1 else add(*parts)


def rule_of(op: str) -> Callable[..., tuple[Scalar, ...]]:
    """The rule of a scalar function. Raises UnsupportedError with the reason of the hole."""
    row = SLOPES.get(op, Slope(op, missing="the table of derivatives has no row for it"))
    if row.rule is None:
        raise UnsupportedError(
            f"{op} has no derivative rule: {row.missing}", next_move="write the function with others, for example tanh, or leave it out"
        )
    return row.rule


def hypotheses(tree: Scalar, moving: Collection[str]) -> tuple[str, ...]:
    """What must hold for `tree` to be differentiable by the arguments in `moving`, in words with the arguments' names."""
    found: list[str] = []
    for node in walk(tree):
        if not any(isinstance(leaf, Arg) and leaf.name in moving for leaf in walk(node)):
            continue
        match node:
            case Binary("max2", a, b):
                found.append(f"{text(a)} and {text(b)} differ")
            case Unary("sqrt", x):
                found.append(f"{text(x)} > 0")
            case Power(x, q) if q.denominator > 1 and 0 < q < 1:
                found.append(f"{text(x)} > 0")
            case _:
                pass
    return tuple(dict.fromkeys(found))


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def text(tree: Scalar) -> str:
    """The tree as people type it."""
    match tree:
        case Num(number, written):
            return written or str(number)
        case Size(name) | Arg(name):
            return name
        case Unary("neg", x):
            return f"-{_inner(x)}"
        case Unary(op, x):
            return f"{op}({text(x)})"
        case Binary("max2", a, b):
            return f"max({text(a)}, {text(b)})"
        case Binary(op, a, b):
            return f"{_inner(a)} {_SIGNS[op]} {_inner(b)}"
        case Power(x, q):
            return f"{_inner(x)}**{q if q.denominator == 1 and q > 0 else f'({q})'}"


def _inner(tree: Scalar) -> str:
    return f"({text(tree)})" if isinstance(tree, Binary) and tree.op != "max2" else text(tree)
