"""What an expression is while it is compiled: a scalar tree over uses of stages, entry by entry along some axes.

Promises: transposing, indexing and renaming only change indices; no stage is made for them. Two operands are laid over one
another by `overlay`, whose rules are the language's only broadcasting:

* a number goes with anything; equal numbers of axes go position by position, and the index sets must be one;
* a set of one entry without a name is stretched: `[[1, 2]]` over the rows of a matrix, `[[1], [2]]` over its columns;
* an array whose axes are some of the other's runs along those: the row sums of what it came from;
* a vector with a matrix runs along the axis that it came from (the row sums of a matrix along its rows), else along the only axis
  with its index set; where both axes have it, along the rows; where nothing tells, it is an error and not a guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from symattn.errors import Place, ShapeError
from symattn.language.axes import Spaces
from symattn.program.ops import At, Index, Use
from symattn.program.rewrite import Rewriter
from symattn.program.scalar import Arg, Num, Power, Scalar, Unary, walk
from symattn.program.spaces import Axis

_LIKE_FUNCTIONS = ("exp", "log", "sqrt", "tanh", "cos", "sin", "erf")
_NOT_RATIONAL = ("exp", "log", "tanh", "cos", "sin", "erf")


@dataclass(frozen=True)
class Value:
    """`tree` entry by entry along `axes`, its arguments by name. `weight` bounds the bits of an exact rational entry, roughly."""

    axes: tuple[Axis, ...]
    tree: Scalar
    args: tuple[tuple[str, Use], ...] = ()
    weight: int = 1

    @property
    def is_use(self) -> bool:
        """Is this a stage read as it is?"""
        return isinstance(self.tree, Arg)

    @property
    def is_constant(self) -> bool:
        """Does it read no stage? (It may hold sizes.)"""
        return not self.args

    @property
    def use(self) -> Use:
        """The use, for a value that is one."""
        return self.args[0][1]


def applies_function(value: Value) -> bool:
    """Does the tree apply a function to what it reads? Such a tree gets a stage before anything is done with it."""
    if value.is_constant:
        return False
    applied = [t.x for t in walk(value.tree) if _is_function(t) and isinstance(t, Unary | Power)]
    return any(isinstance(leaf, Arg) for x in applied for leaf in walk(x))


def _is_function(tree: Scalar) -> bool:
    return (isinstance(tree, Unary) and tree.op in _LIKE_FUNCTIONS) or (isinstance(tree, Power) and tree.exponent.denominator > 1)


def is_transcendental(tree: Scalar) -> bool:
    """Is there an exp, log, tanh, cos, sin or erf in the tree?"""
    return any(isinstance(t, Unary) and t.op in _NOT_RATIONAL for t in walk(tree))


def number_value(number: Num) -> Value:
    """A number as a value."""
    return Value((), number, (), bits(number))


def bits(number: Num) -> int:
    """The bits of a rational number."""
    return number.value.numerator.bit_length() + number.value.denominator.bit_length()


def reindexed(value: Value, mapping: Mapping[Axis, Index]) -> Value:
    """The value with axes replaced, all at once; an axis that becomes a fixed position leaves the value's axes."""
    moved = [mapping.get(a, a) for a in value.axes]
    axes = tuple(a for a in moved if isinstance(a, Axis))
    args = tuple((name, Use(use.stage, tuple(_moved(i, mapping) for i in use.indices))) for name, use in value.args)
    return replace(value, axes=axes, args=args)


def _moved(index: Index, mapping: Mapping[Axis, Index]) -> Index:
    return mapping.get(index, index) if isinstance(index, Axis) else index


def with_args(value: Value, taken: Mapping[str, Use]) -> tuple[Value, dict[str, Use]]:
    """`value` with its arguments renamed where a name in `taken` reads something else; the arguments of both."""
    together = dict(taken)
    renamed: dict[str, str] = {}
    for name, use in value.args:
        fresh, k = name, 1
        while fresh in together and together[fresh] != use:
            k += 1
            fresh = f"{name}_{k}"
        together[fresh] = use
        if fresh != name:
            renamed[name] = fresh
    if renamed:
        args = tuple((renamed.get(n, n), u) for n, u in value.args)
        value = replace(value, tree=Rewriter().tree(value.tree, renamed), args=args)
    return value, together


def overlay(spaces: Spaces, a: Value, b: Value, sign: str, place: Place) -> tuple[tuple[Axis, ...], Value, Value]:
    """The axes of the result of an entry-by-entry operation, and both operands laid along them. Raises ShapeError."""
    if not a.axes:
        return b.axes, a, b
    if not b.axes:
        return a.axes, a, b
    if len(a.axes) == len(b.axes):
        return _same_rank(spaces, a, b, sign, place)
    if set(a.axes) < set(b.axes):
        return b.axes, a, b
    if set(b.axes) < set(a.axes):
        return a.axes, a, b
    if len(a.axes) == 1:
        return b.axes, _along(spaces, a, b, sign, place, (a, b)), b
    if len(b.axes) == 1:
        return a.axes, a, _along(spaces, b, a, sign, place, (a, b))
    raise _unfit(spaces, a, b, sign, place, "index the one with more axes first")


def _same_rank(spaces: Spaces, a: Value, b: Value, sign: str, place: Place) -> tuple[tuple[Axis, ...], Value, Value]:
    out: list[Axis] = []
    move_a: dict[Axis, Index] = {}
    move_b: dict[Axis, Index] = {}
    joins: list[tuple[Axis, Axis]] = []
    for x, y in zip(a.axes, b.axes, strict=True):
        if spaces.can_join(x.space, y.space):
            joins.append((x, y))
            kept = x
        elif spaces.is_one(y.space):
            kept = x
        elif spaces.is_one(x.space):
            kept = y
        else:
            raise _unfit(spaces, a, b, sign, place, _same_rank_move(spaces, a, b))
        # With stretching, one axis may stand in two places (a column plus its own transpose): keep the result's axes apart.
        target = spaces.axis(kept.space) if kept in out else kept
        out.append(target)
        move_a[x] = At(x.space, 0) if kept is y and not spaces.can_join(x.space, y.space) else target
        move_b[y] = At(y.space, 0) if kept is x and not spaces.can_join(x.space, y.space) else target
    for x, y in joins:
        if not spaces.join(x.space, y.space):
            raise _unfit(spaces, a, b, sign, place, _same_rank_move(spaces, a, b))
    return tuple(out), reindexed(a, move_a), reindexed(b, move_b)


def _same_rank_move(spaces: Spaces, a: Value, b: Value) -> str:
    if len(a.axes) == 2 and all(spaces.can_join(x.space, y.space) for x, y in zip(a.axes, reversed(b.axes), strict=True)):
        return "transpose one of them with .T, or multiply matrices with @"
    if any(spaces.size(x.space) == spaces.size(y.space) for x, y in zip(a.axes, b.axes, strict=True)):
        return "give both the same axis names, or transpose one with .T"
    return "entry by entry, both need the same shape; matrices are multiplied with @"


def _along(spaces: Spaces, vector: Value, matrix: Value, sign: str, place: Place, typed: tuple[Value, Value]) -> Value:
    own = vector.axes[0]
    if own in matrix.axes:
        return vector
    linked = [x for x in matrix.axes if spaces.same(x.space, own.space)]
    if linked:
        return reindexed(vector, {own: linked[0]})
    if spaces.is_one(own.space):
        return reindexed(vector, {own: At(own.space, 0)})
    fitting = [x for x in matrix.axes if spaces.can_join(x.space, own.space)]
    if len(fitting) == 1:
        spaces.join(fitting[0].space, own.space)
        return reindexed(vector, {own: fitting[0]})
    if fitting:
        move = "nothing tells which axis the vector runs along: name the axes, or write it as one row [[1, 2]] or one column [[1], [2]]"
    else:
        move = "the vector needs the index set of one of the matrix's axes"
    raise _unfit(spaces, *typed, sign, place, move)


def described(spaces: Spaces, value: Value) -> str:
    """`"Q" (token=3, 4)` for messages."""
    shape = spaces.shape_text(value.axes)
    name = value.use.stage if value.is_use else ""
    # Dotted names are inner stages, which the reader of the message has not named.
    return f'"{name}" {shape}' if name and "." not in name else shape


def _unfit(spaces: Spaces, a: Value, b: Value, sign: str, place: Place, move: str) -> ShapeError:
    return ShapeError(
        f"{sign} needs shapes that fit, but the left side is {described(spaces, a)} and the right side is {described(spaces, b)}",
        place=place,
        next_move=move,
    )
