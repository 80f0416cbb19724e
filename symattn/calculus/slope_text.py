"""Derivatives as a textbook writes them: P_dot @ V for P @ V, P * S_dot - P * sum(P * S_dot) for P = softmax(S).

Promises: text over the names at hand, the value of a function by its own name where it has one. Does not promise: truth (the kernel
compares it with forward mode), nor a form for every function (`NoSlope`).
"""

from __future__ import annotations

from fractions import Fraction

from symattn.language.ast import Call, Index, Label, Name, Node, Number, Operation, Sign, Text, Transpose, walk
from symattn.language.constants import rational
from symattn.language.unparse import number

ONE, TWO = Number(Fraction(1), "1"), Number(Fraction(2), "2")
_LINEAR = ("sum", "mean", "transpose", "diag", "causal_part", "sum_over", "entries")
_OF_ONE = ("softmax", "exp", "log", "sqrt", "tanh", "sigmoid", "cos", "sin")


class NoSlope(Exception):
    """There is no form here. Never leaves this package."""


def moved(node: Node, by: str, direction: Node, value: Node) -> Node | None:
    """The derivative of `node`, whose own value is `value`, by the name `by` along `direction`; None where it does not move.

    Raises NoSlope."""
    return _Slope(by, direction).of(node, value)


class _Slope:
    def __init__(self, by: str, direction: Node) -> None:
        self.by = by
        self.direction = direction

    def moves(self, node: Node) -> bool:
        return any(isinstance(part, Name) and part.id == self.by for part in walk(node))

    def of(self, node: Node, value: Node | None = None) -> Node | None:
        if not self.moves(node):
            return None
        own = node if value is None else value
        match node:
            case Name():
                return self.direction
            case Sign(op, x):
                return Sign(op, self._some(x))
            case Operation("+" | "-" as op, a, b):
                return self._sum(op, self.of(a), self.of(b))
            case Operation("*" | "@" as op, a, b):
                return self._product(op, a, b)
            case Operation("/", a, b):
                return self._quotient(a, b, own)
            case Operation("**", x, e):
                return self._power(x, e)
            case Transpose(x):
                return Transpose(self._some(x))
            case Index(x, items):
                return Index(self._some(x), items)
            case Call():
                return self._call(node, own)
            case _:
                raise NoSlope

    def _some(self, node: Node) -> Node:
        found = self.of(node)
        assert found is not None
        return found

    def _sum(self, op: str, a: Node | None, b: Node | None) -> Node | None:
        if a is None:
            return b if op == "+" or b is None else Sign("-", b)
        return a if b is None else Operation(op, a, b)

    def _product(self, op: str, a: Node, b: Node) -> Node | None:
        left, right = self.of(a), self.of(b)
        terms = [Operation(op, left, b)] if left is not None else []
        terms += [Operation(op, a, right)] if right is not None else []
        return terms[0] if len(terms) == 1 else Operation("+", terms[0], terms[1])

    def _quotient(self, a: Node, b: Node, own: Node) -> Node:
        above, below = self.of(a), self.of(b)
        first = None if above is None else Operation("/", above, b)
        if below is None:
            assert first is not None
            return first
        if a == ONE and isinstance(own, Name):
            return Sign("-", Operation("*", Operation("*", own, own), below))
        over = own if isinstance(own, Name) or _is_entry(own) else Operation("/", a, b)
        second = Operation("/", Operation("*", over, below), b)
        return Sign("-", second) if first is None else Operation("-", first, second)

    def _power(self, x: Node, e: Node) -> Node:
        exponent = rational(e)
        if exponent is None:
            raise NoSlope
        less = exponent - 1
        body: Node = x if less == 1 else Operation("**", x, number(less))
        return Operation("*", Operation("*", number(exponent), body), self._some(x))

    def _call(self, node: Call, own: Node) -> Node:
        name, args = node.function, node.args
        if name == "entries":
            entry = Index(own, tuple(Label(k.name) for k in node.keywords)) if isinstance(own, Name) else None
            inside = self.of(args[0], entry)
            assert inside is not None
            return Call(name, (inside, *args[1:]), node.keywords)
        if name in _LINEAR:
            return Call(name, (self._some(args[0]), *args[1:]), node.keywords)
        if name in ("dot", "outer"):
            left, right = self.of(args[0]), self.of(args[1])
            terms = [Call(name, (left, args[1]))] if left is not None else []
            terms += [Call(name, (args[0], right))] if right is not None else []
            return terms[0] if len(terms) == 1 else Operation("+", terms[0], terms[1])
        if name not in _OF_ONE or any(self.moves(part) for part in (*args[1:], *_values(node))):
            raise NoSlope
        inner = self._some(args[0])
        match name:
            case "softmax":
                weighed = Operation("*", own, inner)
                return Operation(
                    "-", weighed, Operation("*", own, Call("sum", (weighed,), tuple(k for k in node.keywords if k.name == "axis")))
                )
            case "exp":
                return Operation("*", own, inner)
            case "log":
                return Operation("/", inner, args[0])
            case "sqrt":
                return Operation("/", inner, Operation("*", TWO, own))
            case "tanh":
                return Operation("*", Operation("-", ONE, Operation("**", own, TWO)), inner)
            case "sigmoid":
                return Operation("*", Operation("*", own, Operation("-", ONE, own)), inner)
            case "cos":
                return Sign("-", Operation("*", Call("sin", args), inner))
            case "sin":
                return Operation("*", Call("cos", args), inner)
            case _:
                raise NoSlope


def _values(node: Call) -> list[Node]:
    """The expressions among the values of keywords."""
    return [k.value for k in node.keywords if not isinstance(k.value, Text)]


def _is_entry(node: Node) -> bool:
    return isinstance(node, Index) and isinstance(node.x, Name)
