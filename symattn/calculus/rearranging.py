"""Which rule a pair of expressions has the form of, read off the two texts: rearranging, or differentiating.

Promises: exactly one name for every pair, so that a wrong rule is refused even where the step is true (`either` tells the pairs that two
names fit). Does not promise: truth.
"""

from __future__ import annotations

from collections.abc import Mapping

from symattn.calculus import shapes
from symattn.calculus.setting import Setting
from symattn.language.ast import Call, Index, Name, Node, Operation, Sign, Transpose

EITHER = ("distribute", "collect")


def kind_of(setting: Setting, before: Node, after: Node) -> str:
    """The one rule of rearranging, or of differentiating, that a pair of expressions has the form of."""
    gone = shapes.calls(before, *shapes.DERIVATIVES) - shapes.calls(after, *shapes.DERIVATIVES)
    if gone:
        return _derivative_kind(setting, gone)
    moved = _moved(before, after)
    if moved != "collect" and _cancels(before, after):
        return "cancel"
    law = _law(before, after)
    if law:
        return law
    if shapes.calls(before, *shapes.DELTAS).total() > shapes.calls(after, *shapes.DELTAS).total():
        return "contract the delta"
    return moved or "rearrange"


def _law(before: Node, after: Node) -> str:
    """Does what stands under log or exp change? Where both do, it is the law of the logarithm when logarithms go or additions come out."""
    logs = shapes.arguments(before, "log"), shapes.arguments(after, "log")
    exponentials = shapes.arguments(before, "exp") != shapes.arguments(after, "exp")
    if logs[0] == logs[1]:
        return "exponential law" if exponentials else ""
    out = logs[0].total() != logs[1].total() or shapes.outside(before) != shapes.outside(after)
    return "logarithm law" if out or not exponentials else "exponential law"


def _moved(before: Node, after: Node) -> str:
    """Do the additions of a text come out of products and sums, or go into them?"""
    (deep, many), (deeper, more) = shapes.additions(before), shapes.additions(after)
    if deep != deeper:
        return "distribute" if deeper < deep else "collect"
    return "" if many == more else "distribute" if more > many else "collect"


def either(before: Node, after: Node) -> bool:
    """Do additions come out while there are fewer of them, or go in while there are more? Then both names say it well."""
    (deep, many), (deeper, more) = shapes.additions(before), shapes.additions(after)
    return (deeper < deep and more < many) or (deeper > deep and more > many)


def _cancels(before: Node, after: Node) -> bool:
    """Are there fewer quotients, or the same with some of their names gone?"""
    a, b = shapes.divisions(before), shapes.divisions(after)
    return b < a or (a == b > 0 and shapes.names(after) < shapes.names(before))


_BY_OPERATION = {"+": "sum rule", "-": "sum rule", "*": "product rule", "@": "product rule", "/": "quotient rule", "**": "power rule"}
_BY_FUNCTION = {
    "exp": "derivative of exp", "log": "derivative of log", "tanh": "derivative of tanh", "cos": "derivative of cos",
    "sin": "derivative of sin", "erf": "derivative of erf", "sigmoid": "derivative of sigmoid", "sqrt": "power rule", "sum": "sum rule",
    "mean": "sum rule", "dot": "product rule", "outer": "product rule", "causal_part": "sum rule", "diag": "sum rule",
    "transpose": "sum rule", "derivative": "derivative of a derivative", "partial": "derivative of a derivative",
    "softmax": "derivative of softmax",
}  # fmt: skip


def _derivative_kind(setting: Setting, gone: Mapping[Node, int]) -> str:
    kinds = {_derivative_of(setting, node) for node in gone if isinstance(node, Call)}
    if "definition" in kinds:
        return "definition"
    return kinds.pop() if len(kinds) == 1 else "chain rule"


def _derivative_of(setting: Setting, derivative: Call) -> str:
    node, by = derivative.args[0], derivative.args[1]
    if derivative.function == "partial" and isinstance(node, Name):
        node = setting.defined(node.id) or node
    match node:
        case Name(name) if node != by and setting.defined(name) is not None and setting.reaches(node, by):
            return "definition"
        case Operation(op, _, _):
            return _BY_OPERATION[op]
        case Call(function, _, _):
            return _BY_FUNCTION.get(function, "chain rule")
        case Transpose() | Sign() | Index():
            return "sum rule"
        case _:
            return "derivative of the variable"
