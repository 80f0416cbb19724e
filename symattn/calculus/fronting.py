"""An expression with its numbers outside of its products: Xᵀ (c dS K / √d) becomes c Xᵀ dS K / √d, and 2 (1 / (2 L)) x becomes x / L.

Promises: an expression of the same shape; products of matrices are read from the left afterwards, a number that it is both multiplied and
divided by is gone, signs stand before terms, and what is masked twice is masked once. Does not promise: that the two are equal (the
kernel says).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from symattn.calculus.setting import Setting
from symattn.language.ast import Call, Node, Number, Operation, Sign, Transpose
from symattn.language.constants import rational
from symattn.language.unparse import number

MATRIX = 2  # axes from which on products may be bracketed as one likes
ONE = Fraction(1)


class NothingLeft(Exception):
    """The terms cancel. Never leaves this module."""


@dataclass(frozen=True)
class _Scaled:
    """`times` before `core`, divided by `over`, all times a plain number; `core` is None for a number."""

    core: Node | None
    plain: Fraction = ONE
    times: tuple[Node, ...] = ()
    over: tuple[Node, ...] = ()

    def by(self, other: _Scaled, core: Node | None) -> _Scaled:
        """The product of the numbers of two, before `core`."""
        return _Scaled(core, self.plain * other.plain, (*self.times, *other.times), (*self.over, *other.over))

    def inverse(self) -> _Scaled:
        """One over a number."""
        return _Scaled(None, 1 / self.plain, self.over, self.times)

    def size(self) -> Node:
        """Without its sign."""
        times, over = list(self.times), list(self.over)
        for node in self.times:
            if node in over:
                times.remove(node)
                over.remove(node)
        plain = abs(self.plain)
        above = [*([number(Fraction(plain.numerator))] if plain.numerator != 1 else []), *_powers(times)]
        below = [*([number(Fraction(plain.denominator))] if plain.denominator != 1 else []), *_powers(over)]
        whole = _before(above, self.core)
        return Operation("/", whole, _product(below)) if below else whole


class _Fronting:
    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def rank(self, node: Node) -> int:
        return rank(self.setting, node)

    def terms(self, node: Node, sign: int = 1) -> list[tuple[int, Node]]:
        """The terms of a sum, with their signs."""
        match node:
            case Operation("+", a, b):
                return [*self.terms(a, sign), *self.terms(b, sign)]
            case Operation("-", a, b):
                return [*self.terms(a, sign), *self.terms(b, -sign)]
            case Sign(op, x) if isinstance(x, Operation) and x.op in ("+", "-"):
                return self.terms(x, -sign if op == "-" else sign)
            case _:
                return [(sign, node)]

    def whole(self, node: Node) -> Node:
        """Like terms are one, and those that are taken away do not come first where another one can."""
        counts: dict[Node, Fraction] = {}
        for sign, term in self.terms(node):
            scaled = self.of(term)
            like = replace(scaled, plain=ONE).size()
            counts[like] = counts.get(like, Fraction(0)) + sign * scaled.plain
        terms = [(plain < 0, self._counted(like, abs(plain))) for like, plain in counts.items() if plain]
        if not terms:
            raise NothingLeft
        if terms[0][0]:
            first = next((term for term in terms if not term[0]), terms[0])
            terms.remove(first)
            terms.insert(0, first)
        found = _negative(terms[0][1]) if terms[0][0] else terms[0][1]
        for minus, term in terms[1:]:
            found = Operation("-" if minus else "+", found, term)
        return found

    def _counted(self, like: Node, plain: Fraction) -> Node:
        return like if plain == 1 else replace(self.of(like), plain=plain).size()

    def of(self, node: Node) -> _Scaled:
        if not self.rank(node):
            return self.number(node)
        match node:
            case Sign(op, under):
                inner = self.of(under)
                return _Scaled(None, _unit(op)).by(inner, inner.core)
            case Operation("@", a, b):
                x, y = self.of(a), self.of(b)
                assert x.core is not None
                assert y.core is not None
                if min(self.rank(a), self.rank(b)) < MATRIX:
                    return x.by(y, Operation("@", x.core, y.core))
                return x.by(y, _chain("@", x.core, y.core))
            case Operation("*", a, b):
                x, y = self.of(a), self.of(b)
                if x.core is None or y.core is None:
                    return x.by(y, x.core or y.core)
                if _ones(x.core) and self.rank(b) == self.rank(node):
                    return x.by(y, y.core)
                if _ones(y.core) and self.rank(a) == self.rank(node):
                    return x.by(y, x.core)
                return x.by(y, _chain("*", x.core, y.core))
            case Operation("/", a, b) if not self.rank(b):
                x = self.of(a)
                return x.by(self.number(b).inverse(), x.core)
            case Operation("/", a, b):
                x = self.of(a)
                return _Scaled(node) if x.core is None else _Scaled(Operation("/", x.core, b), x.plain, x.times, x.over)
            case Transpose(a):
                x = self.of(a)
                assert x.core is not None
                return _Scaled(Transpose(x.core), x.plain, x.times, x.over)
            case Call("causal_part", (Call("causal_part", _, _) as masked,), _):
                return self.of(masked)
            case Call("outer", (a, b), ()):
                x, y = self.of(a), self.of(b)
                assert x.core is not None
                assert y.core is not None
                return x.by(y, Call("outer", (x.core, y.core)))
            case _:
                return _Scaled(node)

    def number(self, node: Node) -> _Scaled:
        known = rational(node)
        if known is not None:
            return _Scaled(None, known) if known else _Scaled(None, ONE, (node,))
        match node:
            case Sign(op, under):
                return _Scaled(None, _unit(op)).by(self.number(under), None)
            case Operation("*", a, b):
                return self.number(a).by(self.number(b), None)
            case Operation("/", a, b):
                return self.number(a).by(self.number(b).inverse(), None)
            case Call("dot", (a, b), ()):
                x, y = self.of(a), self.of(b)
                assert x.core is not None
                assert y.core is not None
                return x.by(y, None).by(_Scaled(None, ONE, (Call("dot", (x.core, y.core)),)), None)
            case Call("sum", (a,), ()):
                x = self.of(a)
                assert x.core is not None
                return x.by(_Scaled(None, ONE, (Call("sum", (x.core,)),)), None)
            case _:
                return _Scaled(None, ONE, (node,))


def rank(setting: Setting, node: Node) -> int:
    """How many axes an expression has, where it compiles."""
    match node:
        case Number():
            return 0
        case Operation("@", a, b):
            x, y = rank(setting, a), rank(setting, b)
            return x + y - MATRIX if min(x, y) > 0 else 0
        case Operation("**", a, _) | Sign(_, a) | Transpose(a):
            return rank(setting, a)
        case Operation(_, a, b):
            return max(rank(setting, a), rank(setting, b))
        case Call("softmax" | "exp" | "log" | "sqrt" | "tanh" | "sigmoid" | "cos" | "sin" | "causal_part", (a, *_), _):
            return rank(setting, a)
        case Call("sum" | "mean", (a,), _):
            return rank(setting, a) - 1
        case Call("dot", _, _):
            return 0
        case Call("outer", _, _):
            return MATRIX
        case _:
            return len(setting.shape(node))


def fronted(setting: Setting, node: Node) -> Node:
    """The expression with the numbers of each of its terms outside of the products. Raises what the expression itself raises."""
    try:
        return _Fronting(setting).whole(node)
    except NothingLeft:
        return node


def _unit(sign: str) -> Fraction:
    return Fraction(-1 if sign == "-" else 1)


def _negative(node: Node) -> Node:
    """The sign before the first factor."""
    if isinstance(node, Operation) and node.op in ("*", "/", "@"):
        return Operation(node.op, _negative(node.a), node.b)
    return Sign("-", node)


def _ones(node: Node) -> bool:
    return isinstance(node, Call) and node.function == "ones"


def _chain(op: str, a: Node, b: Node) -> Node:
    """a op b, bracketed from the left."""
    if isinstance(b, Operation) and b.op == op:
        return Operation(op, _chain(op, a, b.a), b.b)
    return Operation(op, a, b)


def _powers(nodes: list[Node]) -> list[Node]:
    """Equal factors as one power."""
    return [Operation("**", n, number(Fraction(k))) if (k := nodes.count(n)) > 1 else n for n in dict.fromkeys(nodes)]


def _product(nodes: list[Node]) -> Node:
    found = nodes[0]
    for node in nodes[1:]:
        found = Operation("*", found, node)
    return found


def _before(numbers: list[Node], core: Node | None) -> Node:
    """The numbers, then the rest."""
    if core is None:
        return _product(numbers) if numbers else number(ONE)
    if not numbers:
        return core
    return (
        _chain("*", _product(numbers), core) if isinstance(core, Operation) and core.op == "*" else Operation("*", _product(numbers), core)
    )
