"""Gradients as a textbook writes them: dO @ V.T for the gradient by P of P @ V, P * (dP - sum(dP * P, axis=1)) for softmax.

Promises: text over the names at hand. Does not promise: truth (the kernel compares it with the derivative), nor a form for every
definition (`NoSlope`: there the program of the gradient is read instead).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symattn.calculus.fronting import fronted, rank
from symattn.calculus.pulled_entries import pulled_entries
from symattn.calculus.setting import Setting
from symattn.calculus.slope_text import ONE, TWO, NoSlope
from symattn.language.ast import Call, Index, Keyword, Label, Name, Node, Number, Operation, Sign, Text, Transpose, walk
from symattn.language.constants import rational
from symattn.language.unparse import number
from symattn.program.spaces import Axis

VECTOR, MATRIX = 1, 2
_HEADS = ("g", "h")  # letters of the axes before rows and columns


def pulled(setting: Setting, reader: str, by: str, weight: Node | None) -> list[Node]:
    """What the gradient by `by` gets from `reader`, whose own gradient is `weight` (None for 1): terms to be added. Raises NoSlope."""
    node = setting.defined(reader)
    assert node is not None
    if isinstance(node, Call) and node.function == "entries":
        return pulled_entries(reader, node, by, weight)
    found = _Pull(setting, by)
    found.of(node, ONE if weight is None else weight, Name(reader))
    return found.terms


class _Pull:
    def __init__(self, setting: Setting, by: str) -> None:
        self.setting = setting
        self.by = by
        self.terms: list[Node] = []

    def axes(self, node: Node) -> tuple[Axis, ...]:
        return self.setting.shape(node)

    def rank(self, node: Node) -> int:
        return rank(self.setting, node)

    def moves(self, node: Node) -> bool:
        return any(isinstance(part, Name) and part.id == self.by for part in walk(node))

    def of(self, node: Node, g: Node, value: Node | None = None) -> None:
        """`g` is the gradient by `node`, of its rank, or a number that stands for one that is the same everywhere."""
        if not self.moves(node):
            return
        own = node if value is None else value
        match node:
            case Name():
                self.terms.append(self._whole(g, node))
            case Sign(op, x):
                self.of(x, Sign("-", g) if op == "-" else g)
            case Operation("+" | "-" as op, a, b):
                self._operand(node, a, g)
                self._operand(node, b, Sign("-", g) if op == "-" else g)
            case Operation("*", a, b):
                self._operand(node, a, _times(g, b), b)
                self._operand(node, b, _times(g, a), a)
            case Operation("/", a, b):
                self._operand(node, a, Operation("/", g, b), b)
                square = Operation("*", own, own) if a == ONE else Operation("/", own, b)
                self._operand(node, b, Sign("-", _times(g, square)), a)
            case Operation("**", x, e):
                self.of(x, _times(g, self._power(x, e)))
            case Operation("@", a, b):
                self._product(a, b, g)
            case Transpose(x):
                self.of(x, _transposed(self, g))
            case Call():
                self._call(node, g, own)
            case _:
                raise NoSlope

    # -- entry by entry ---------------------------------------------------------------------------------------------------
    def _operand(self, node: Node, a: Node, g: Node, other: Node | None = None) -> None:
        """An operand that may have fewer axes than the whole: the gradient is added up over those that it does not have."""
        if not self.moves(a):
            return
        if self.rank(a) == self.rank(node):
            self.of(a, g)
        elif self.rank(a) == 0:
            self.of(a, self._total(g, self.axes(node)))
        else:
            self.of(a, self._rows(g, self.axes(a)[0], self.axes(node)))

    def _total(self, g: Node, over: Sequence[Axis]) -> Node:
        """The sum of all entries."""
        if self.rank(g) < len(over):
            raise NoSlope
        g = fronted(self.setting, g)
        if isinstance(g, Sign) and g.op == "-":
            return Sign("-", self._total(g.x, over))
        if len(over) == VECTOR:
            match g:
                case Operation("*", a, b) if self.rank(a) == self.rank(b) == VECTOR:
                    return Call("dot", (a, b))
                case Operation("*", a, b) if self.rank(a) == 0:
                    return Operation("*", a, self._total(b, over))
                case Operation("/" | "*" as op, a, b) if self.rank(b) == 0:
                    return Operation(op, self._total(a, over), b)
                case _:
                    return Call("sum", (g,))
        found = g
        for _ in over:
            found = Call("sum", (found,))
        return found

    def _rows(self, g: Node, kept: Axis, axes: Sequence[Axis]) -> Node:
        """The sums along the other axis of a matrix."""
        if len(axes) != MATRIX or self.rank(g) != MATRIX:
            raise NoSlope
        if isinstance(g, Sign) and g.op == "-":
            return Sign("-", self._rows(g.x, kept, axes))
        same = [axis == kept for axis in axes]
        if not any(same):
            same = [self.setting.same(axis, kept) for axis in axes]
        if not any(same):
            raise NoSlope
        return Call("sum", (g,), _along(1 if same[0] else 0))  # where both have its index set, it runs along the rows

    def _power(self, x: Node, e: Node) -> Node:
        exponent = rational(e)
        if exponent is None:
            raise NoSlope
        less = exponent - 1
        if less == 0:
            return ONE
        return Operation("*", number(exponent), x if less == 1 else Operation("**", x, number(less)))

    # -- products and functions -------------------------------------------------------------------------------------------
    def _product(self, a: Node, b: Node, g: Node) -> None:
        match self.rank(a), self.rank(b):
            case 2, 2:
                self._by(a, lambda: Operation("@", g, _transposed(self, b)))
                if self.moves(b):
                    if isinstance(b, Transpose):
                        self.of(b.x, Operation("@", _transposed(self, g), a))
                    else:
                        self.of(b, Operation("@", _transposed(self, a), g))
            case 2, 1:
                self._by(a, lambda: _outer(g, b))
                self._by(b, lambda: Operation("@", _transposed(self, a), g))
            case 1, 2:
                self._by(a, lambda: Operation("@", b, g))
                self._by(b, lambda: _outer(a, g))
            case 1, 1:
                self._by(a, lambda: _times(g, b))
                self._by(b, lambda: _times(g, a))
            case _:
                raise NoSlope

    def _by(self, node: Node, g: object) -> None:
        if self.moves(node):
            assert callable(g)
            self.of(node, g())

    def _call(self, node: Call, g: Node, own: Node) -> None:
        name, args = node.function, node.args
        keywords = {k.name: k for k in node.keywords}
        if any(self.moves(part) for part in args[2 if name in ("dot", "outer") else 1 :]):
            raise NoSlope
        match name:
            case "softmax" if self.rank(own) > MATRIX:
                self.terms.append(self._by_heads(node, g, own))
            case "softmax":
                axis = (keywords["axis"],) if "axis" in keywords else ()
                self.of(args[0], _times(own, Operation("-", g, self._weighed(g, own, axis))))
            case "exp":
                self.of(args[0], _times(g, own))
            case "log":
                self.of(args[0], Operation("/", g, args[0]))
            case "sqrt":
                self.of(args[0], Operation("/", g, _times(TWO, own)))
            case "tanh":
                self.of(args[0], _times(g, Operation("-", ONE, Operation("**", own, TWO))))
            case "sigmoid":
                self.of(args[0], _times(_times(g, own), Operation("-", ONE, own)))
            case "cos":
                self.of(args[0], Sign("-", _times(g, Call("sin", args))))
            case "sin":
                self.of(args[0], _times(g, Call("cos", args)))
            case "dot":
                self._product(args[0], args[1], g)
            case "outer":
                self._by(args[0], lambda: Operation("@", g, args[1]))
                self._by(args[1], lambda: Operation("@", _transposed(self, g), args[0]))
            case "causal_part":
                self.of(args[0], Call("causal_part", (g,)))
            case "sum" if self.rank(args[0]) == VECTOR:
                self.of(args[0], g)
            case "sum" if self.rank(args[0]) == MATRIX and self.rank(g) == VECTOR:
                along = keywords.get("axis")
                at = 1 if along is None or isinstance(along.value, Text) else rational(along.value)
                if at not in (0, 1):
                    raise NoSlope
                ones = Call("ones", (self._size(self.axes(args[0])[int(at)]),))
                self.of(args[0], Call("outer", (g, ones) if at else (ones, g)))
            case "mean" if self.rank(args[0]) == VECTOR:
                self.of(args[0], Operation("/", g, self._size(self.axes(args[0])[0])))
            case _:
                raise NoSlope

    def _weighed(self, g: Node, own: Node, axis: tuple[Keyword, ...]) -> Node:
        match self.rank(own):
            case 1:
                return Call("dot", (g, own))
            case 2:
                return Call("sum", (_times(g, own),), axis or _along(1))
            case _:
                raise NoSlope

    def _by_heads(self, node: Call, g: Node, own: Node) -> Node:
        """Weights of several heads, in index notation."""
        axes = self.axes(node)
        if node.args[0] != Name(self.by) or not isinstance(g, Name) or not isinstance(own, Name) or len(axes) > len(_HEADS) + 2:
            raise NoSlope
        letters = [*_HEADS[len(_HEADS) + 2 - len(axes) :], "i", "j"]
        sizes = [self._size(axis) for axis in axes]
        here, there = ([Label(x) for x in (*letters[:-1], last)] for last in (letters[-1], "k"))
        weighed = Operation("*", Index(g, tuple(there)), Index(own, tuple(there)))
        total = Call("sum_over", (weighed,), (Keyword("k", sizes[-1]),))
        entry = Operation("*", Index(own, tuple(here)), Operation("-", Index(g, tuple(here)), total))
        return Call("entries", (entry,), tuple(map(Keyword, letters, sizes)))

    # -- at the end -------------------------------------------------------------------------------------------------------
    def _whole(self, g: Node, node: Name) -> Node:
        """A number that stands for the same one everywhere, written out."""
        have, want = self.rank(g), self.rank(node)
        if have == want:
            return g
        if have or want != VECTOR:
            raise NoSlope
        return _times(g, Call("ones", (self._size(self.axes(node)[0]),)))

    def _size(self, axis: Axis) -> Node:
        size = self.setting.space(axis).size_text()
        return Number(Fraction(int(size)), size) if size.isdigit() else Name(size)


def _times(a: Node, b: Node) -> Node:
    if a == ONE:
        return b
    if isinstance(a, Sign) and a.op == "-":
        return Sign("-", _times(a.x, b))
    return a if b == ONE else Operation("*", a, b)


def _outer(a: Node, b: Node) -> Node:
    return Call("outer", (a, b))


def _along(axis: int) -> tuple[Keyword, ...]:
    return (Keyword("axis", number(Fraction(axis))),)


def _transposed(at: _Pull, node: Node) -> Node:
    """The transpose, taken inside of products and numbers."""
    match node:
        case Transpose(x):
            return x
        case Operation("@", a, b) if at.rank(a) == at.rank(b) == MATRIX:
            return Operation("@", _transposed(at, b), _transposed(at, a))
        case Operation("/" | "*" as op, a, b) if at.rank(b) == 0 and at.rank(a) == MATRIX:
            return Operation(op, _transposed(at, a), b)
        case Operation("*", a, b) if at.rank(a) == 0 and at.rank(b) == MATRIX:
            return Operation("*", a, _transposed(at, b))
        case Sign(op, x):
            return Sign(op, _transposed(at, x))
        case _:
            return Transpose(node)
