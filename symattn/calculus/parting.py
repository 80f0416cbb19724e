"""An expression parted into named values, so that each step of a derivation has one idea: softmax(A) @ B becomes S, P and O.

Promises: the definitions compile to what the expression compiles to; a part that is written twice is named once; names never meet those
that are there. Does not promise: the names of one's own paper; write them: "S = Q @ K.T / sqrt(d_k); P = softmax(S); P @ V".
"""

from __future__ import annotations

from collections.abc import Collection

from symattn.language.ast import Array, Call, Index, Keyword, Name, Node, Number, Operation, Sign, Text, Transpose, walk
from symattn.language.constants import rational

# function -> the letters of its values, then of its argument
_VALUES = {
    "softmax": "P", "exp": "E", "log": "l", "sqrt": "r", "mean": "mu", "sum": "Z", "tanh": "T", "sigmoid": "G", "max": "m", "min": "m",
    "attention": "A", "relu": "R", "abs": "a", "cos": "c", "sin": "s", "erf": "f",
}  # fmt: skip
_ARGUMENTS = {"softmax": "S", "exp": "S", "log": "Z", "sqrt": "V", "tanh": "A", "sigmoid": "U", "relu": "U"}
_LINEAR = ("sum", "transpose", "diag", "outer", "dot", "ones", "eye", "positions", "causal_part", "concat")
_SPARE = "ABCDFHJMNUWXY"


class Parting:
    """Parts expressions; `definitions` collects name and meaning, in order. `taken` are the names that mean something already, `sizes`
    those among them that are sizes."""

    def __init__(self, taken: Collection[str], sizes: Collection[str] = ()) -> None:
        self.taken = {*taken, *sizes}
        self.sizes = frozenset(sizes)
        self.definitions: list[tuple[str, Node]] = []
        self._known: dict[Node, str] = {}

    def whole(self, node: Node, name: str) -> str:
        """The expression as definitions; the name of the last one, `name` where it is free."""
        if isinstance(node, Name):
            return node.id
        return self._name(self._inside(node), name)

    def given(self, name: str, node: Node) -> None:
        """A definition with a name of the reader's own; what needs one inside of it gets one before it."""
        inside = self._inside(node)
        self.taken.add(name)
        self.definitions.append((name, inside))
        self._known.setdefault(inside, name)

    def _name(self, node: Node, wish: str) -> str:
        if node not in self._known:
            name, k = wish, 1
            while name in self.taken:
                k += 1
                name = f"{wish}_{k}"
            self.taken.add(name)
            self.definitions.append((name, node))
            self._known[node] = name
        return self._known[node]

    def _inside(self, node: Node) -> Node:
        """The node with its inner functions, and what they are applied to, under names."""
        match node:
            case Call(function, args, keywords):
                return Call(function, tuple(self._argument(function, a) for a in args), tuple(self._keyword(k) for k in keywords))
            case Sign(op, x):
                return Sign(op, self._part(x))
            case Transpose(x):
                return Transpose(self._part(x))
            case Index(x, items):
                return Index(self._part(x), items)
            case Operation("/", a, b):
                return Operation("/", self._part(a), self._divisor(b))
            case Operation("**", x, e):
                exponent = rational(e)
                return Operation(
                    "**", self._part(x) if exponent is not None and exponent.denominator == 1 and exponent > 0 else self._divisor(x), e
                )
            case Operation(op, a, b):
                return Operation(op, self._part(a), self._part(b))
            case _:
                return node

    def _keyword(self, keyword: Keyword) -> Keyword:
        return keyword if isinstance(keyword.value, Text) else Keyword(keyword.name, self._part(keyword.value))

    def _argument(self, function: str, node: Node) -> Node:
        if self._is_constant(node) or isinstance(node, Name | Number | Array):
            return node
        inner = self._inside(node)
        if function in _LINEAR or function in ("derivative", "partial", "entries", "sum_over", "max_over"):
            return inner
        wish = _ARGUMENTS.get(function, _SPARE[len(self.definitions) % len(_SPARE)])
        return Name(self._name(inner, _VALUES.get(inner.function, wish) if isinstance(inner, Call) else wish))

    def _part(self, node: Node) -> Node:
        """An operand: a function gets a name, arithmetic stays."""
        if self._is_constant(node) or isinstance(node, Name | Number | Array):
            return node
        inner = self._inside(node)
        if isinstance(inner, Call) and inner.function not in _LINEAR and inner.function in _VALUES:
            return Name(self._name(inner, _VALUES[inner.function]))
        return inner

    def _is_constant(self, node: Node) -> bool:
        """Is it a number, or the root of one or of a size: 2, sqrt(d_k)?"""
        if rational(node) is not None:
            return True
        match node:
            case Call("sqrt", (Name(name),), _):
                return name in self.sizes
            case Call("sqrt", (Number(),), _):
                return True
            case _:
                return False

    def _divisor(self, node: Node) -> Node:
        """What must not be 0 gets a name, unless it is arithmetic of names."""
        inner = self._part(node)
        if self._is_constant(inner) or not any(isinstance(part, Call | Transpose | Index) or _is_product(part) for part in walk(inner)):
            return inner
        return Name(self._name(inner, "Z"))


def _is_product(node: Node) -> bool:
    return isinstance(node, Operation) and node.op == "@"
