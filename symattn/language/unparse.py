"""From an expression back to text, and small surgery on expressions.

Promises: `parse(unparse(node)) == node` for every node that the parser can make, with the fewest parentheses (a property test
reads ten thousand back). Does not promise: the spacing that was typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from symattn.language.ast import (
    Array,
    At,
    AxisName,
    Call,
    Definition,
    Every,
    Index,
    IndexItem,
    Keyword,
    Label,
    Name,
    Node,
    Number,
    Operation,
    Relation,
    Sign,
    Text,
    Transpose,
    children,
)
from symattn.language.grammar import LEVELS, POWER, SIGN

_ATOM = POWER + 1


def unparse(node: Node | Relation | Definition) -> str:
    """The text of an expression, a relation or a definition, on one line."""
    match node:
        case Relation(operands, signs):
            rest = "".join(f" {sign} {unparse(operand)}" for sign, operand in zip(signs, operands[1:], strict=True))
            return unparse(operands[0]) + rest
        case Definition(name, axes, value, declared):
            head = f"{name}({', '.join(_axis(a) for a in axes)})" if declared else name
            return head if value is None else f"{head} = {unparse(value)}"
        case _:
            return _text(node)


def _axis(axis: AxisName) -> str:
    if not axis.name:
        return str(axis.size)
    return f"{axis.name}={axis.size}" if axis.size else axis.name


def _level(node: Node) -> int:
    match node:
        case Operation(op, _, _):
            return LEVELS[op]
        case Sign():
            return SIGN
        case _:
            return _ATOM


def _within(node: Node, level: int) -> str:
    """The text of `node` where everything looser than `level` needs parentheses."""
    text = _text(node)
    return f"({text})" if _level(node) < level else text


def _text(node: Node) -> str:
    match node:
        case Number(_, text):
            return text
        case Name(id_):
            return id_
        case Array(items):
            return "[" + ", ".join(_text(i) for i in items) + "]"
        case Sign(op, x):
            return op + _within(x, SIGN)
        case Operation("**", a, b):
            # The exponent may carry a sign without parentheses: x**-2.
            return f"{_within(a, _ATOM)}**{_within(b, SIGN)}"
        case Operation(op, a, b):
            return f"{_within(a, LEVELS[op])} {op} {_within(b, LEVELS[op] + 1)}"
        case Transpose(x):
            return f"{_within(x, _ATOM)}.T"
        case Index(x, items):
            return f"{_within(x, _ATOM)}[{','.join(_item(i) for i in items)}]"
        case Call(function, args, keywords):
            return f"{function}({', '.join([*(_text(a) for a in args), *(_keyword(k) for k in keywords)])})"


def _item(item: IndexItem) -> str:
    match item:
        case At(position):
            return str(position)
        case Label(text):
            return text
        case Every():
            return ":"


def _keyword(keyword: Keyword) -> str:
    value = keyword.value
    if isinstance(value, Text):
        quote = "'" if '"' in value.text else '"'
        return f"{keyword.name}={quote}{value.text}{quote}"
    return f"{keyword.name}={_text(value)}"


def number(value: Fraction | int | str) -> Node:
    """An exact number as an expression: decimal text where the expansion ends, else a quotient; a minus sign in front."""
    if isinstance(value, str):
        text = value.strip().lstrip("+")
        if text.startswith("-"):
            return Sign("-", number(text[1:]))
        if "/" not in text:
            return Number(Fraction(text), text)
    exact = Fraction(value)
    if exact < 0:
        return Sign("-", number(-exact))
    if exact.denominator == 1:
        return Number(exact, str(exact.numerator))
    places = _places(exact.denominator)
    if places is None:
        over = Number(Fraction(exact.denominator), str(exact.denominator))
        return Operation("/", Number(Fraction(exact.numerator), str(exact.numerator)), over)
    digits = str(exact.numerator * 10**places // exact.denominator).rjust(places + 1, "0")
    return Number(exact, f"{digits[:-places]}.{digits[-places:]}")


def _places(denominator: int) -> int | None:
    """Decimal places of 1/denominator, None when the expansion does not end."""
    twos = fives = 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    return max(twos, fives) if denominator == 1 else None


def operands(node: Node) -> tuple[Node, ...]:
    """The values an expression is made from, each once, in reading order: names, and entries of names (`Q[perro,0]`) as a whole.
    Names of sizes are among them."""
    found: dict[Node, None] = {}
    waiting = [node]
    while waiting:
        current = waiting.pop()
        match current:
            case Name() | Index(Name(), _):
                found.setdefault(current)
            case _:
                waiting.extend(reversed(children(current)))
    return tuple(found)


def substitute(node: Node, mapping: Mapping[Node, Node]) -> Node:
    """`node` with every part that equals a key of `mapping` replaced, outermost first; what is put in is not searched again."""
    if node in mapping:
        return mapping[node]
    match node:
        case Number() | Name():
            return node
        case Array(items):
            return replace(node, items=tuple(substitute(i, mapping) for i in items))
        case Sign(_, x) | Transpose(x) | Index(x, _):
            return replace(node, x=substitute(x, mapping))
        case Operation(_, a, b):
            return replace(node, a=substitute(a, mapping), b=substitute(b, mapping))
        case Call(_, args, keywords):
            new = tuple(k if isinstance(k.value, Text) else replace(k, value=substitute(k.value, mapping)) for k in keywords)
            return replace(node, args=tuple(substitute(a, mapping) for a in args), keywords=new)
