"""What a step does to an expression, read off the two texts: the measures by which the rules of rearranging are told apart.

Promises: every measure looks at the text alone. Does not promise: that a step is true (the kernel says).
"""

from __future__ import annotations

from collections import Counter

from symattn.language.ast import Call, Name, Node, Operation, Sign, children, walk

DELTAS = ("diag", "eye")
DERIVATIVES = ("derivative", "partial")


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


def additions(node: Node) -> tuple[int, int]:
    """How deep the + and - of a text lie inside products, sums and functions, added up, and how many there are. Distributing brings
    them out, collecting puts them in."""
    depth = count = 0
    waiting = [(node, 0)]
    while waiting:
        current, inside = waiting.pop()
        plus = isinstance(current, Operation) and current.op in ("+", "-")
        if plus:
            depth += inside
            count += 1
        below = inside + (0 if plus or isinstance(current, Sign) else 1)
        waiting.extend((child, below) for child in children(current))
    return depth, count


def outside(node: Node) -> int:
    """How many + and - stand outside of exponentials and logarithms."""
    count = 0
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Call) and current.function in ("exp", "log"):
            continue
        count += isinstance(current, Operation) and current.op in ("+", "-")
        waiting.extend(children(current))
    return count


def names(node: Node) -> Counter[str]:
    """Every name, as often as it is written."""
    return Counter(part.id for part in walk(node) if isinstance(part, Name))
