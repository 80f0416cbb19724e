"""Scalar expressions as presentation trees and as text of the language.

Promises: parentheses wherever precedence or a negative number needs them (negative numbers after an operator, and
factors, stand in parentheses). Does not promise: any value; the caller chooses how a leaf is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symattn.page import math as m
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary

Leaf = Callable[[str], m.Math]
FUNCTIONS = {"exp": "exp", "log": "log", "tanh": "tanh", "cos": "cos", "sin": "sin", "erf": "erf"}
SUM, PRODUCT, SIGNED, POWER, ATOM = range(1, 6)


def number_text(value: Fraction, text: str = "") -> str:
    """A constant as it was written, else as an integer, a terminating decimal or p/q."""
    if text:
        return text
    if value.denominator == 1:
        return str(value.numerator)
    return f"{value.numerator}/{value.denominator}"


def fenced(body: m.Math) -> m.Math:
    """The body in parentheses; those of a boxed term stand inside its box."""
    if isinstance(body, m.Box):
        return m.Box(m.Fence(body.body), body.kind, body.label, body.id)
    return m.Fence(body)


def bare(body: m.Math) -> m.Math:
    """A term without its box."""
    return body.body if isinstance(body, m.Box) else body


def is_negative(body: m.Math) -> bool:
    """A bare negative numeral."""
    inside = bare(body)
    if isinstance(inside, m.Row) and inside.items:  # a number with a power of ten
        inside = inside.items[0]
    return isinstance(inside, m.Number) and inside.text.startswith("-")


def unboxed(body: m.Math) -> m.Math:
    """A formula without boxes: an exponent is too small to write in."""
    match body:
        case m.Box(x):
            return unboxed(x)
        case m.Row(items):
            return m.Row(tuple(map(unboxed, items)))
        case m.Fence(x, pair):
            return m.Fence(unboxed(x), pair)
        case m.Fraction(a, b):
            return m.Fraction(unboxed(a), unboxed(b))
        case m.Root(x):
            return m.Root(unboxed(x))
        case m.Script(base, sub, sup):
            return m.Script(unboxed(base), unboxed(sub), unboxed(sup))
        case _:
            return body


def number_math(text: str) -> m.Math:
    """Digits as a formula; `2.726e347` as a product with a power of ten: beside other signs an e would be the number e."""
    digits, e, exponent = text.lower().partition("e")
    if not e:
        return m.Number(text)
    return m.Row((m.Number(digits), m.Sign("×"), m.Script(m.Number("10"), m.EMPTY, m.Number(exponent.lstrip("+")))))


def constant(node: Num) -> m.Math:
    """A constant of the expression; a fraction that does not end stands over a bar."""
    if not node.text and node.value.denominator != 1:
        return m.Fraction(m.Number(str(node.value.numerator)), m.Number(str(node.value.denominator)))
    return number_math(number_text(node.value, node.text))


def typeset(tree: Scalar, leaf: Leaf, *, inline: bool = True, size: Leaf = m.Name) -> m.Math:
    """`tree` with its leaves shown by `leaf` and size symbols by `size`. `inline` writes a quotient with a slash, else over a bar."""
    return _Typesetter(leaf, inline, size).go(tree)[0]


def typeset_sum(terms: tuple[Scalar, ...], leaf: Leaf, *, inline: bool = True) -> m.Math:
    """A sum of terms on one row."""
    setter = _Typesetter(leaf, inline, m.Name)
    return plus([setter.within(t, PRODUCT) for t in terms])


def plus(parts: list[m.Math]) -> m.Math:
    """Parts joined by plus signs, negative numerals in parentheses."""
    items: list[m.Math] = []
    for part in parts:
        if items:
            items.append(m.Sign("+"))
        items.append(fenced(part) if is_negative(part) and len(parts) > 1 else part)
    return items[0] if len(items) == 1 else m.Row(tuple(items))


class _Typesetter:
    def __init__(self, leaf: Leaf, inline: bool, size: Leaf) -> None:
        self.leaf = leaf
        self.inline = inline
        self.size = size

    def within(self, tree: Scalar, level: int) -> m.Math:
        body, own = self.go(tree)
        return fenced(body) if own < level else body

    def operand(self, tree: Scalar, level: int) -> m.Math:
        """An operand after an operator: a negative numeral needs parentheses too."""
        body = self.within(tree, level)
        return fenced(body) if is_negative(body) else body

    def go(self, tree: Scalar) -> tuple[m.Math, int]:
        match tree:
            case Num():
                body = constant(tree)
                return body, PRODUCT if isinstance(body, m.Row) else SIGNED if is_negative(body) else ATOM
            case Size(name):
                return self.size(name), ATOM
            case Arg(name):
                body = self.leaf(name)
                return body, PRODUCT if isinstance(bare(body), m.Row) else ATOM  # a row is a number with a power of ten
            case Unary("neg", x):
                return m.Row((m.Sign("-"), self.operand(x, POWER))), SIGNED
            case Unary("sqrt", x):
                return m.Root(self.go(x)[0]), ATOM
            case Unary("exp", x):
                return m.Script(m.Name("e"), m.EMPTY, unboxed(self.go(x)[0])), POWER
            case Unary(op, x):
                return m.Row((m.Name(FUNCTIONS[op], upright=True), fenced(self.go(x)[0]))), ATOM
            case Binary("add", a, b):
                return m.Row((*_items(self.first(a)), m.Sign("+"), self.operand(b, SUM))), SUM
            case Binary("sub", a, b):
                return m.Row((*_items(self.first(a)), m.Sign("-"), self.operand(b, PRODUCT))), SUM
            case Binary("mul", a, b):
                return self.product(a, b), PRODUCT
            case Binary("div", a, b):
                if self.inline:
                    return m.Row((self.operand(a, PRODUCT), m.Sign("/"), self.operand(b, SIGNED))), PRODUCT
                return m.Fraction(self.go(a)[0], self.go(b)[0]), ATOM
            case Binary(_, a, b):
                return m.Row((m.Name("max", upright=True), fenced(m.Row((self.go(a)[0], m.Sign(","), self.go(b)[0]))))), ATOM
            case Power(x, exponent):
                return m.Script(self.operand(x, ATOM), m.EMPTY, constant(Num(exponent))), POWER

    def first(self, tree: Scalar) -> m.Math:
        """The first operand of a sum: negative numerals in parentheses, as in every later place."""
        body = self.within(tree, SUM)
        return fenced(body) if is_negative(body) else body

    def product(self, a: Scalar, b: Scalar) -> m.Math:
        left, right = self.within(a, PRODUCT), self.within(b, SIGNED)
        if isinstance(a, Binary) and a.op == "div" and self.inline:
            left = fenced(left)  # a/b(c) would be read in two ways
        if isinstance(a, Num) or isinstance(b, Num):
            return m.Row((*_items(self.operand(a, PRODUCT)), m.Sign("×"), self.operand(b, SIGNED)))
        right = fenced(right) if isinstance(bare(right), m.Number | m.Row) else right
        if isinstance(a, Binary) and a.op == "mul":
            return m.Row((*_items(left), right))  # its factors have their parentheses already
        return m.Row((fenced(left) if isinstance(bare(left), m.Number | m.Row) else left, right))


def _items(body: m.Math) -> tuple[m.Math, ...]:
    return body.items if isinstance(body, m.Row) else (body,)


# -- text of the language ----------------------------------------------------------------------------------------------
_SYMBOL = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_LEVEL = {"add": SUM, "sub": SUM, "mul": PRODUCT, "div": PRODUCT}


def tree_text(tree: Scalar, leaf: Callable[[str], str]) -> str:
    """`tree` as text that the language reads back; `leaf` names a leaf."""

    def go(t: Scalar) -> tuple[str, int]:
        match t:
            case Num(value, text):
                shown = number_text(value, text)
                return shown, PRODUCT if "/" in shown else SIGNED if shown.startswith("-") else ATOM
            case Size(name):
                return name, ATOM
            case Arg(name):
                return leaf(name), ATOM
            case Unary("neg", x):
                return "-" + within(x, POWER), SIGNED
            case Unary(op, x):
                return f"{op}({go(x)[0]})", ATOM
            case Binary("max2", a, b):
                return f"max([{go(a)[0]}, {go(b)[0]}])", ATOM
            case Binary(op, a, b):
                level = _LEVEL[op]
                return f"{within(a, level)} {_SYMBOL[op]} {within(b, level + 1)}", level
            case Power(x, exponent):
                whole = exponent.denominator == 1 and exponent >= 0
                raised = number_text(exponent) if whole else f"({number_text(exponent)})"
                return f"{within(x, ATOM)}**{raised}", POWER

    def within(t: Scalar, level: int) -> str:
        text, own = go(t)
        return f"({text})" if own < level else text

    return go(tree)[0]


# -- how wide a formula is ---------------------------------------------------------------------------------------------
def width_mm(body: m.Math) -> float:
    """A generous estimate of the set width at 11 pt, to decide between a row and a ledger; renderers measure for real."""
    match body:
        case m.Number(text):
            return 1.95 * len(text) - 0.95 * text.count(".") + 0.4 * text.count("-")
        case m.Name(text) | m.Words(text):
            return 2.1 * len(text)
        case m.Sign(text):
            return 1.4 if text in ",;:/" else 4.2
        case m.Row(items):
            return sum(width_mm(x) for x in items)
        case m.Script(base, sub, sup):
            return width_mm(base) + 0.75 * max(width_mm(sub), width_mm(sup))
        case m.Fraction(a, b):
            return max(width_mm(a), width_mm(b)) + 1
        case m.Root(x):
            return width_mm(x) + 3.5
        case m.Fence(x, _):
            return width_mm(x) + 2.6
        case m.Big(_, lower, upper, x):
            return max(6.0, 0.75 * width_mm(lower), 0.75 * width_mm(upper)) + width_mm(x)
        case m.Grid(rows, labels):
            columns = zip(*rows, strict=True)
            return sum(max(width_mm(c) for c in column) + 4 for column in columns) + 6 + (8 if labels else 0)
        case m.Box(x, kind):
            return 24.0 if kind == "result" else width_mm(x) + 1
