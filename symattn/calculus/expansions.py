"""What a function of the language stands for, as text of the language: the rule "function" puts it in or takes it out.

Promises: each row is the function's own definition, the one the compiler uses, and the kernel proves each use of it again.
Does not promise: a row for every function; exp and log stand for themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from symattn.language.ast import Call, Node, Number, Operation, Sign, children, walk
from symattn.language.unparse import substitute

ONE, TWO = Number(Fraction(1), "1"), Number(Fraction(2), "2")


def _softmax(node: Call) -> Node:
    e: Node = Call("exp", node.args)
    if any(k.name == "mask" for k in node.keywords):
        e = Call("causal_part", (e,))
        return Operation("/", e, Call("sum", (e,)))
    return Operation("/", e, Call("sum", (e,), node.keywords))


def _sigmoid(node: Call) -> Node:
    return Operation("/", ONE, Operation("+", ONE, Call("exp", (Sign("-", node.args[0]),))))


def _tanh(node: Call) -> Node:
    e = Call("exp", (Operation("*", TWO, node.args[0]),))
    return Operation("/", Operation("-", e, ONE), Operation("+", e, ONE))


def _dot(node: Call) -> Node:
    return Call("sum", (Operation("*", node.args[0], node.args[1]),))


EXPANSIONS: Mapping[str, Callable[[Call], Node]] = MappingProxyType(
    {"softmax": _softmax, "sigmoid": _sigmoid, "tanh": _tanh, "dot": _dot},
)


def expanded(node: Node, functions: Sequence[str]) -> Node:
    """`node` with every call of these functions written out, inside and outside."""
    while True:
        found = next((p for p in walk(node) if isinstance(p, Call) and p.function in functions and not _holds(p, functions)), None)
        if found is None:
            return node
        node = substitute(node, {found: EXPANSIONS[found.function](found)})


def _holds(node: Call, functions: Sequence[str]) -> bool:
    """Is there such a call inside?"""
    return any(isinstance(part, Call) and part.function in functions for child in children(node) for part in walk(child))
