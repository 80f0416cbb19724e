"""From an expression to stages: one operation a stage, each with a name.

Promises: arithmetic over named values is one Map with the tree as it was written; a function, a product, a sum and a maximum each get a
stage of their own, named `name` when it is the definition's own, else `name.product`, `name.exponentials`, `name.1`, …. Nothing is
evaluated, reordered or simplified.
Does not promise: domains (a division by zero is found when a reading computes it).
"""

from __future__ import annotations

from fractions import Fraction

from symattn.errors import LanguageError, ShapeError
from symattn.language import calls, indexed
from symattn.language.ast import Array, At, Call, Every, Index, IndexItem, Label, Name, Node, Number, Operation, Sign, Transpose
from symattn.language.constants import exponent, too_large
from symattn.language.functions import FUNCTIONS
from symattn.language.limits import MAX_BITS
from symattn.language.names import nearest, suggestion
from symattn.language.stack import stacked
from symattn.language.values import Value, applies_function, described, is_transcendental, number_value, overlay, reindexed, with_args
from symattn.language.workspace import Workspace
from symattn.program import ops
from symattn.program.scalar import Binary, Num, Power, Scalar, Size, Unary
from symattn.program.spaces import Axis

_TREE = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_STRANGERS = {
    "nan": "there is no such number here; expressions are exact",
    "inf": "there is no infinity here; expressions are exact",
    "infinity": "there is no infinity here; expressions are exact",
    "oo": "there is no infinity here; expressions are exact",
    "e": "write exp(x) for a power of e",
    "pi": "write the digits you mean, for example 3.14159",
    "i": "numbers are real",
    "j": "numbers are real",
}


class Compiler:
    """Compiles the inside of one definition; `name` begins the names of its inner stages."""

    def __init__(self, work: Workspace, name: str) -> None:
        self.work = work
        self.name = name
        self.bound: dict[str, Axis] = {}  # the indices of index notation, inside of it

    def define(self, node: Node) -> Value:
        """The stage called by the definition's name."""
        return self.settled(self.value(node, self.name), self.name, node)

    def value(self, node: Node, target: str = "") -> Value:
        """The value of an expression; an operation that makes a stage anyway calls it `target`."""
        match node:
            case Number(number, text):
                return number_value(Num(number, text))
            case Name():
                return self._name(node)
            case Array():
                return stacked(self, node, target)
            case Sign("-", x):
                inner = self.ready(self.value(x), x)
                return Value(inner.axes, Unary("neg", inner.tree), inner.args, inner.weight)
            case Sign(_, x):
                return self.value(x, target)
            case Operation("@", a, b):
                return self.product(self.value(a), self.value(b), node, target)
            case Operation("**", a, _):
                return self._power(self.value(a), exponent(node), node)
            case Operation(op, a, b):
                left, right = self.value(a), self.value(b)
                if node.sign == "·" and left.axes and right.axes:
                    raise LanguageError(
                        f"· between {described(self.work.spaces, left)} and {described(self.work.spaces, right)} could mean two things",
                        place=node.place,
                        next_move="write @ for the product of matrices or the dot product, * for entry by entry",
                    )
                return self.arithmetic(_TREE[op], left, right, node, node.sign or op)
            case Transpose(x):
                return self.transposed(self.value(x), node)
            case Index(x, items):
                if any(isinstance(item, Label) and item.text in self.bound for item in items):
                    return indexed.index(self, indexed.array(self, x), node)
                return self._index(self.value(x), items, node)
            case Call(function, _, _):
                return calls.call(self, FUNCTIONS[function], node, target)

    # -- stages -------------------------------------------------------------------------------------------------------
    def settled(self, value: Value, name: str, node: Node) -> Value:
        """The value as the stage `name`."""
        if value.is_use and value.use.stage == name:
            return value
        op: ops.Op
        if value.is_use:
            op = ops.Contract(value.axes, (value.use,))
        else:
            op = ops.Map(value.axes, value.tree, value.args)
        return self.work.add(name, op, value.weight, node.place)

    def as_use(self, value: Value, node: Node, hint: str = "") -> Value:
        """The value as a stage that can be read; an inner stage is made when it is not one."""
        return value if value.is_use else self.settled(value, self.work.fresh(self.name, hint), node)

    def ready(self, value: Value, node: Node) -> Value:
        """The value as arithmetic may take it in: a function that was applied gets its own stage first."""
        return self.as_use(value, node, _hint(value.tree)) if applies_function(value) else value

    def weighed(self, value: Value, node: Node) -> Value:
        """The same value, unless its exact entries may be too long. Raises LanguageError."""
        if value.weight > MAX_BITS:
            raise too_large(node)
        return value

    def inner(self, target: str, hint: str) -> str:
        """The name of a stage to be made: the target, else an inner name."""
        return target or self.work.fresh(self.name, hint)

    # -- operations ---------------------------------------------------------------------------------------------------
    def arithmetic(self, op: str, a: Value, b: Value, node: Node, sign: str) -> Value:
        """`a op b`, entry by entry, `op` one of BINARY."""
        a, b = self.ready(a, node), self.ready(b, node)
        if self._in_indices(a) or self._in_indices(b):
            axes, a, b = indexed.joined(a, b)
        else:
            axes, a, b = overlay(self.work.spaces, a, b, sign, node.place)
        b, args = with_args(b, dict(a.args))
        weight = a.weight + b.weight if op in ("mul", "div") else max(a.weight, b.weight) + 1
        return self.weighed(Value(axes, Binary(op, a.tree, b.tree), tuple(args.items()), weight), node)

    def _in_indices(self, x: Value) -> bool:
        """Does it run over bound indices?"""
        return bool(self.bound) and any(a in self.bound.values() for a in x.axes)

    def function(self, op: str, x: Value, node: Node) -> Value:
        """A scalar function, `op` one of UNARY, of a value that has a name (or is a constant without another function inside)."""
        if not x.is_constant or is_transcendental(x.tree):
            x = self.as_use(x, node, _hint(x.tree))
        return Value(x.axes, Unary(op, x.tree), x.args)

    def _power(self, x: Value, power: Fraction, node: Node) -> Value:
        if power.denominator > 1 and not x.is_constant:
            x = self.as_use(x, node)
        x = self.ready(x, node)
        weight = int(x.weight * max(abs(power), Fraction(1))) + 1
        return self.weighed(Value(x.axes, Power(x.tree, power), x.args, weight), node)

    def product(self, a: Value, b: Value, node: Node, target: str = "") -> Value:
        """The matrix product: the last axis of `a` with the first of `b`, summed."""
        spaces = self.work.spaces
        if not (1 <= len(a.axes) <= 2 and 1 <= len(b.axes) <= 2):
            move = "write * to multiply by a number" if not a.axes or not b.axes else "index the one with more axes first"
            raise ShapeError(
                f"@ multiplies vectors and matrices, not {described(spaces, a)} and {described(spaces, b)}",
                place=node.place,
                next_move=move,
            )
        a, b = self.as_use(a, node), self.as_use(b, node)
        left, right = a.axes[-1], b.axes[0]
        if not spaces.join(left.space, right.space):
            raise ShapeError(
                f"@ needs the last axis of the left side and the first of the right side to be one, but they are {described(spaces, a)} "
                f"and {described(spaces, b)}",
                place=node.place,
                next_move=self._product_move(a, b),
            )
        summed = spaces.axis(left.space)
        moved = {x: spaces.axis(x.space) for x in b.axes[1:] if x in a.axes[:-1]}
        a, b = reindexed(a, {left: summed}), reindexed(b, {right: summed, **moved})
        out = tuple(x for x in (*a.axes, *b.axes) if x != summed)
        weight = a.weight + b.weight
        value = self.work.add(self.inner(target, "product"), ops.Contract(out, (a.use, b.use)), weight, node.place)
        return self.weighed(value, node)

    def _product_move(self, a: Value, b: Value) -> str:
        spaces = self.work.spaces
        if len(b.axes) == 2 and spaces.can_join(a.axes[-1].space, b.axes[1].space):
            return "transpose the right side: write .T after it"
        if len(a.axes) == 2 and spaces.can_join(a.axes[0].space, b.axes[0].space):
            return "transpose the left side: write .T after it"
        return "give both the same size and the same axis name"

    def transposed(self, x: Value, node: Node) -> Value:
        """Rows and columns exchanged."""
        if len(x.axes) != 2:
            move = "a vector needs no transpose: @ takes it on either side" if len(x.axes) == 1 else "only matrices are transposed"
            raise ShapeError(f"a transpose needs a matrix, not {described(self.work.spaces, x)}", place=node.place, next_move=move)
        return Value(x.axes[::-1], x.tree, x.args, x.weight)

    # -- leaves -------------------------------------------------------------------------------------------------------
    def _name(self, node: Name) -> Value:
        work, name = self.work, node.id
        if name in self.bound:
            raise LanguageError(
                f'"{name}" is an index here',
                place=node.place,
                next_move=f"write it in brackets, or positions({name}) for the number it stands for",
            )
        if name in work.drafts:
            draft = work.drafts[name]
            if isinstance(draft.op, ops.Input) and draft.op.boolean:
                raise LanguageError(
                    f'"{name}" is a mask, not a matrix of numbers', place=node.place, next_move=f"write mask={name} in attention"
                )
            return work.read(name)
        size = work.spaces.counted(name)
        if size is not None:
            return Value((), Size(size), (), 64)
        raise self.unknown(node)

    def unknown(self, node: Name) -> LanguageError:
        """What to say of a name that means nothing here."""
        base, dot, part = node.id.partition(".")
        if dot:
            inside = [d for d in self.work.drafts if d.startswith(base + ".")]
            if base in self.work.drafts:
                move = "its inner stages: " + ", ".join(inside) if inside else f'"{base}" has no inner stages'
            else:
                close = nearest(part, FUNCTIONS, 1)
                move = f"functions stand alone: {FUNCTIONS[close[0]].usage()}" if close else "only .T follows a value"
            return LanguageError(f'there is no value "{node.id}"', place=node.place, next_move=move)
        known = [*(d for d in self.work.drafts if "." not in d), *self.work.spaces.names()]
        close = nearest(node.id, known)
        stranger = _STRANGERS.get(node.id.lower())
        if stranger and not close:
            return LanguageError(f'there is no value "{node.id}"', place=node.place, next_move=stranger)
        move = suggestion(node.id, known, "values") if known else f"no values are known here; define it before: {node.id[:30]} = 2"
        return LanguageError(f'there is no value "{node.id}"', place=node.place, next_move=move)

    def _index(self, x: Value, items: tuple[IndexItem, ...], node: Index) -> Value:
        if len(items) > len(x.axes):
            shape = described(self.work.spaces, x)
            have = "no entries" if not x.axes else f"{len(x.axes)} {'axis' if len(x.axes) == 1 else 'axes'}"
            raise ShapeError(
                f"{len(items)} {'index' if len(items) == 1 else 'indices'} for {shape}, which has {have}",
                place=node.place,
                next_move="remove the index" if not x.axes else "give at most one index for each axis",
            )
        fixed: dict[Axis, ops.Index] = {}
        for axis, item in zip(x.axes, items, strict=False):
            if not isinstance(item, Every):
                fixed[axis] = ops.At(axis.space, self.position(axis, item))
        return reindexed(x, fixed)

    def position(self, axis: Axis, item: IndexItem) -> int:
        """The position that an item of an index names. Raises LanguageError, ShapeError."""
        spaces = self.work.spaces
        size, labels = spaces.size(axis.space), spaces.labels(axis.space)
        if isinstance(item, At):
            if isinstance(size, int) and item.position >= size:
                names = f" ({', '.join(labels[:6])})" if labels else ""
                raise ShapeError(
                    f"the position {item.position} is outside an axis with {size} entries{names}",
                    place=item.place,
                    next_move=f"positions run from 0 to {size - 1}",
                )
            return item.position
        assert not isinstance(item, Every)
        if item.text in labels:
            return labels.index(item.text)
        if labels:
            raise LanguageError(
                f'the axis has no entry "{item.text}"', place=item.place, next_move=suggestion(item.text, labels, "entries")
            )
        move = f"write a position from 0 to {size - 1}" if isinstance(size, int) else "write a position"
        raise LanguageError(f'the entries of this axis have no names, so "{item.text}" is none of them', place=item.place, next_move=move)


def _hint(tree: Scalar) -> str:
    """What an inner stage is called after: the function it applies."""
    match tree:
        case Unary(op, _) if op != "neg":
            return op
        case Power():
            return "power"
        case _:
            return ""
