"""What a step does to an expression, read off the two texts: the measures by which the rules of rearranging are told apart.

Promises: every measure looks at the text alone. Does not promise: that a step is true (the kernel says).
"""

from __future__ import annotations

from collections import Counter

from symattn.language.ast import Call, Name, Node, Operation, Sign, walk

DELTAS = ("diag", "eye")
DERIVATIVE = "derivative"


def calls(node: Node, *functions: str) -> Counter[Node]:
    """The calls of these functions, each as often as it stands there."""
    return Counter(part for part in walk(node) if isinstance(part, Call) and part.function in functions)


def arguments(node: Node, function: str) -> Counter[Node]:
    """The first arguments of a function, each as often as it stands there."""
    return Counter(part.args[0] for part in walk(node) if isinstance(part, Call) and part.function == function and part.args)


def divisions(node: Node) -> int:
    """How many quotients are written, those by plain sizes and numbers apart."""
    return sum(isinstance(part, Operation) and part.op == "/" and _varies(part.b) for part in walk(node))


def _varies(node: Node) -> bool:
    """Is there a name or a function in it?"""
    return any(isinstance(part, Name | Call) for part in walk(node))


def terms(node: Node) -> int:
    """How many terms are written out: a sum of sums counts all of them; what stands in a product or a function counts once."""
    match node:
        case Operation("+" | "-", a, b):
            return terms(a) + terms(b)
        case Sign(_, x):
            return terms(x)
        case Call("sum", (x,), _):
            return terms(x)
        case _:
            return 1


def names(node: Node) -> Counter[str]:
    """Every name, as often as it is written."""
    return Counter(part.id for part in walk(node) if isinstance(part, Name))
