"""What each function of the language is made of.

Promises: each one is stages over the three operations, as its row says: softmax is exp(x) over its sum, mean is the sum over the number
of entries, min is the negative of the largest negative. Does not promise: a shift before exp; `attention` and its algorithms have that.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from symattn.errors import LanguageError, ShapeError
from symattn.language import indexed
from symattn.language.ast import Call, Keyword, Name, Text
from symattn.language.constants import rational
from symattn.language.functions import Function
from symattn.language.values import Value, described, number_value, reindexed
from symattn.program import ops
from symattn.program.scalar import Binary, Num, Scalar, Size, Unary
from symattn.program.spaces import Axis

if TYPE_CHECKING:
    from symattn.language.compile import Compiler

ONE, ZERO = Num(Fraction(1), "1"), Num(Fraction(0), "0")


def call(c: Compiler, row: Function, node: Call, target: str) -> Value:
    """The value of a call."""
    if row.name == "attention":
        from symattn.language.inline import attention

        return attention(c, node, target)
    if row.kind == "calculus":
        from symattn.language.derivative import derivative

        return derivative(c, node, target)
    if row.kind in ("index", "relation") or row.name in _OVER_AXES:
        return _indexed(c, row, node, target)
    args = [c.value(a) for a in node.args]
    if row.kind == "scalar":
        make = _SCALAR.get(row.name)
        return make(c, args[0], node) if make else c.function(row.name, args[0], node)
    return _OTHERS[row.name](c, args, node, target)


# -- entry by entry ---------------------------------------------------------------------------------------------------
def _sigmoid(c: Compiler, x: Value, node: Call) -> Value:
    x = c.as_use(x, node)
    decay = Value(x.axes, Unary("exp", Unary("neg", x.tree)), x.args)
    e = c.settled(decay, c.work.fresh(c.name, "exponentials"), node)
    return Value(e.axes, Binary("div", ONE, Binary("add", ONE, e.tree)), e.args)


def _relu(c: Compiler, x: Value, node: Call) -> Value:
    return c.arithmetic("max2", x, number_value(ZERO), node, "relu")


def _abs(c: Compiler, x: Value, node: Call) -> Value:
    x = c.ready(x, node)
    return Value(x.axes, Binary("max2", x.tree, Unary("neg", x.tree)), x.args, x.weight)


_SCALAR: dict[str, Callable[[Compiler, Value, Call], Value]] = {"sigmoid": _sigmoid, "relu": _relu, "abs": _abs}


# -- along an axis ----------------------------------------------------------------------------------------------------
def _axis(c: Compiler, x: Value, node: Call) -> Axis:
    """The axis a function runs along: the last one, or what axis=… says."""
    spaces = c.work.spaces
    if not x.axes:
        raise ShapeError(f"{node.function} needs a vector or a matrix, not a number", place=node.place, next_move="write the number itself")
    keyword = next((k for k in node.keywords if k.name == "axis"), None)
    if keyword is None:
        return x.axes[-1]
    value = keyword.value
    if isinstance(value, Name):
        named = [a for a in x.axes if spaces.find(a.space).name == value.id]
        if len(named) == 1:
            return named[0]
        what = "two axes" if named else "no axis"
        raise ShapeError(
            f'{described(spaces, x)} has {what} named "{value.id}"',
            place=value.place,
            next_move=f"write a number from 0 to {len(x.axes) - 1}",
        )
    number = None if isinstance(value, Text) else rational(value)
    if number is None or number.denominator != 1 or not -len(x.axes) <= number < len(x.axes):
        raise ShapeError(
            f"{described(spaces, x)} has no such axis",
            place=value.place,
            next_move=f"write a number from 0 to {len(x.axes) - 1}, or an axis name",
        )
    return x.axes[int(number)]


def _without(x: Value, axis: Axis) -> tuple[Axis, ...]:
    return tuple(a for a in x.axes if a != axis)


def _count(c: Compiler, axis: Axis) -> Scalar:
    """The number of entries along an axis, by its name when it has one."""
    space = c.work.spaces.find(axis.space)
    symbol = c.work.spaces.counted(space.name)
    return Num(Fraction(int(space.size)), str(space.size)) if symbol is None else Size(symbol)


def _sum(c: Compiler, args: list[Value], node: Call, target: str) -> Value:
    axis = _axis(c, args[0], node)
    x = c.as_use(args[0], node)
    return c.work.add(c.inner(target, "sum"), ops.Contract(_without(x, axis), (x.use,)), x.weight, node.place)


def _mean(c: Compiler, args: list[Value], node: Call, target: str) -> Value:
    axis = _axis(c, args[0], node)
    total = _sum(c, args, node, "")
    return Value(total.axes, Binary("div", total.tree, _count(c, axis)), total.args, total.weight + 64)


def _max(c: Compiler, args: list[Value], node: Call, target: str) -> Value:
    if len(args) == 2:
        _no_axis(node)
        return c.arithmetic("max2", args[0], args[1], node, node.function)
    axis = _axis(c, args[0], node)
    x = c.as_use(args[0], node)
    return c.work.add(c.inner(target, "max"), ops.Reduce(_without(x, axis), x.use), x.weight, node.place)


def _min(c: Compiler, args: list[Value], node: Call, target: str) -> Value:
    flipped = [_negative(c.ready(x, node)) for x in args]
    if len(args) == 2:
        _no_axis(node)
        return _negative(c.arithmetic("max2", flipped[0], flipped[1], node, node.function))
    return _negative(_max(c, flipped, node, ""))


def _negative(x: Value) -> Value:
    return Value(x.axes, Unary("neg", x.tree), x.args, x.weight)


def _no_axis(node: Call) -> None:
    if node.keywords:
        keyword: Keyword = node.keywords[0]
        raise LanguageError(
            f"{node.function} of two arguments has no axis", place=keyword.place, next_move="remove axis, or give one argument"
        )


def _softmax(c: Compiler, args: list[Value], node: Call, target: str) -> Value:
    mask = next((k for k in node.keywords if k.name == "mask"), None)
    axis = args[0].axes[-1] if mask is not None and args[0].axes else _axis(c, args[0], node)
    x = c.as_use(args[0], node)
    name = c.inner(target, "weights")
    where = () if mask is None else _masked(c, x, mask, node)
    exponentials = c.function("exp", x, node)
    e = c.work.add(c.work.fresh(c.name, "exponentials"), ops.Map(x.axes, exponentials.tree, exponentials.args, where), 1, node.place)
    total = ops.Contract(_without(e, axis), (e.use,), where, must_visit=mask is not None)
    z = c.work.add(c.work.fresh(c.name, "row_sums"), total, 1, node.place)
    quotient = Value(e.axes, Binary("div", e.tree, z.tree), (*e.args, *z.args))
    return c.settled(quotient, name, node)


def _masked(c: Compiler, x: Value, mask: Keyword, node: Call) -> tuple[ops.Relation, ...]:
    """The relations of a softmax with a mask."""
    if not isinstance(mask.value, Text) or mask.value.text != "causal" or any(k.name == "axis" for k in node.keywords):
        raise LanguageError(
            'softmax takes mask="causal", along the last axis',
            place=mask.place,
            next_move="for other masks write attention(Q, K, V, mask=M)",
        )
    return (_below(c, x, node),)


def _below(c: Compiler, x: Value, node: Call) -> ops.Relation:
    """Column at most row, for the last two axes. Raises ShapeError."""
    if len(x.axes) < 2 or not c.work.spaces.join(x.axes[-2].space, x.axes[-1].space):
        raise ShapeError(
            f"{node.function} takes a square matrix here, not {described(c.work.spaces, x)}",
            place=node.place,
            next_move="give rows and columns one axis",
        )
    return ops.AtMost(x.axes[-1], x.axes[-2], 0)


# -- pairs and shapes -------------------------------------------------------------------------------------------------
def _vectors(c: Compiler, args: list[Value], node: Call) -> tuple[Value, Value]:
    if any(len(x.axes) != 1 for x in args):
        shapes = " and ".join(described(c.work.spaces, x) for x in args)
        raise ShapeError(f"{node.function} takes two vectors, not {shapes}", place=node.place, next_move="multiply matrices with @")
    return c.as_use(args[0], node), c.as_use(args[1], node)


def _dot(c: Compiler, args: list[Value], node: Call, target: str) -> Value:
    a, b = _vectors(c, args, node)
    return c.product(a, b, node, target)


def _outer(c: Compiler, args: list[Value], node: Call, target: str) -> Value:
    a, b = _vectors(c, args, node)
    if a.axes == b.axes:
        b = reindexed(b, {b.axes[0]: c.work.spaces.axis(b.axes[0].space)})
    op = ops.Contract((*a.axes, *b.axes), (a.use, b.use))
    return c.weighed(c.work.add(c.inner(target, "outer"), op, a.weight + b.weight, node.place), node)


def _transpose(c: Compiler, args: list[Value], node: Call, target: str) -> Value:
    return c.transposed(args[0], node)


def _diag(c: Compiler, args: list[Value], node: Call, target: str) -> Value:
    x = args[0]
    if len(x.axes) != 1:
        raise ShapeError(
            f"diag takes a vector, not {described(c.work.spaces, x)}", place=node.place, next_move="write A[0,0] for one entry"
        )
    x = c.as_use(x, node)
    i = x.axes[0]
    j = c.work.spaces.axis(i.space)
    return c.work.add(c.inner(target, "diagonal"), ops.Contract((i, j), (x.use,), (ops.Same(i, j),)), x.weight, node.place)


def _concat(c: Compiler, args: list[Value], node: Call, target: str) -> Value:
    """Each part is moved to its place, 0 elsewhere, and the parts are added."""
    spaces = c.work.spaces
    rank = len(args[0].axes)
    shapes = " and ".join(described(spaces, x) for x in args)
    if rank not in (1, 2) or any(len(x.axes) != rank for x in args):
        raise ShapeError(f"concat takes vectors or matrices, not {shapes}", place=node.place, next_move="give all vectors or all matrices")
    sizes = [spaces.size(x.axes[-1].space) for x in args]
    if any(isinstance(s, str) for s in sizes):
        raise ShapeError(
            f"concat needs known sizes along its last axis, not {shapes}", place=node.place, next_move="give the sizes as numbers"
        )
    if rank == 2 and not all(spaces.join(args[0].axes[0].space, x.axes[0].space) for x in args[1:]):
        raise ShapeError(f"concat needs as many rows everywhere, not {shapes}", place=node.place, next_move="give all the same rows")
    widths = [int(s) for s in sizes]
    rows = args[0].axes[:-1]
    column = spaces.axis(spaces.open(sum(widths)))
    total: Value | None = None
    start = 0
    for x, width in zip(args, widths, strict=True):
        x = c.as_use(x, node)
        place = spaces.axis(x.axes[-1].space)
        x = reindexed(x, dict(zip(x.axes, (*rows, place), strict=True)))
        where = (ops.AtMost(place, column, -start), ops.AtMost(column, place, start))
        part = c.work.add(c.work.fresh(c.name, "part"), ops.Contract((*rows, column), (x.use,), where), x.weight, node.place)
        total = part if total is None else c.arithmetic("add", total, part, node, "concat")
        start += width
    assert total is not None
    return total


def _causal(c: Compiler, args: list[Value], node: Call, target: str) -> Value:
    x = c.ready(args[0], node)
    where = _below(c, x, node)
    return c.work.add(c.inner(target, "causal"), ops.Map(x.axes, x.tree, x.args, (where,)), x.weight, node.place)


# -- index notation -----------------------------------------------------------------------------------------------------
def _indexed(c: Compiler, row: Function, node: Call, target: str) -> Value:
    if row.kind == "relation":
        raise LanguageError(
            f"{row.name} is a condition on indices",
            place=node.place,
            next_move="write it in entries, sum_over or max_over, after the value",
        )
    if row.kind == "index":
        return indexed.BINDERS[row.name](c, node, target)
    if row.name == "positions" and isinstance(node.args[0], Name) and node.args[0].id in c.bound:
        own = c.bound[node.args[0].id]
        axis = c.work.spaces.axis(own.space)
        return reindexed(_position(c, [axis], node, ""), {axis: own})
    return _OVER_AXES[row.name](c, [indexed.over(c.work.spaces, a) for a in node.args], node, target)


# -- along axes that are named, not read -------------------------------------------------------------------------------
def _ones(c: Compiler, axes: list[Axis], node: Call, target: str) -> Value:
    return c.work.add(c.inner(target, "ones"), ops.Map(tuple(axes), ONE), 1, node.place)


def _eye(c: Compiler, axes: list[Axis], node: Call, target: str) -> Value:
    i = axes[0]
    j = c.work.spaces.axis(i.space)
    return c.work.add(c.inner(target, "identity"), ops.Contract((i, j), (), (ops.Same(i, j),)), 1, node.place)


def _position(c: Compiler, axes: list[Axis], node: Call, target: str) -> Value:
    return c.work.add(c.inner(target, "position"), ops.Position((axes[0],)), 64, node.place)


_OVER_AXES: dict[str, Callable[[Compiler, list[Axis], Call, str], Value]] = {"ones": _ones, "eye": _eye, "positions": _position}

_OTHERS: dict[str, Callable[[Compiler, list[Value], Call, str], Value]] = {
    "softmax": _softmax,
    "sum": _sum,
    "mean": _mean,
    "max": _max,
    "min": _min,
    "dot": _dot,
    "outer": _outer,
    "transpose": _transpose,
    "diag": _diag,
    "concat": _concat,
    "causal_part": _causal,
}
