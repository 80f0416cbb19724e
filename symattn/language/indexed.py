"""Index notation: `entries(sum_over(Q[i,c] * K[j,c], c=d_k), i=n, j=m)`.

Promises: inside `entries`, `sum_over` and `max_over` an index stands for one axis, `A[i,j]` is the entry of A there, and operations go
entry by entry over the indices that their operands mention, whatever their order; conditions (`if_same`, `if_atmost`) select entries and
never multiply. Does not promise: axes that are unions or products of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from symattn.errors import LanguageError, ShapeError
from symattn.language.ast import At, Call, Every, Index, Label, Name, Node, Text
from symattn.language.constants import rational
from symattn.language.limits import MAX_ENTRIES
from symattn.language.names import suggestion
from symattn.language.values import Value, described, reindexed
from symattn.program import ops
from symattn.program.scalar import Arg, Binary, Scalar
from symattn.program.spaces import Axis

if TYPE_CHECKING:
    from symattn.language.axes import Spaces
    from symattn.language.compile import Compiler

RELATIONS = ("if_same", "if_atmost")


# -- what binds an index ------------------------------------------------------------------------------------------------
def entries(c: Compiler, node: Call, target: str) -> Value:
    """The array of an expression's entries, its axes in the order in which they are named."""
    if c.bound:
        raise LanguageError("entries cannot stand inside of index notation", place=node.place, next_move="give the inner array a name")
    inner = node.args[0]
    with _bound(c, node) as axes:
        if isinstance(inner, Call) and inner.function == "sum_over" and len(node.args) == 1:
            return sum_over(c, inner, target, axes)
        value = _checked(c, c.value(node.args[0]), node)
        where = _conditions(c, node)
    uses = _factors(value) if _repeats(value) else None
    op: ops.Op
    if uses is not None:
        op = ops.Contract(axes, uses, where)
    else:
        op = ops.Map(axes, value.tree, value.args, where)
    return c.work.add(c.inner(target, "entries"), op, value.weight, node.place)


def sum_over(c: Compiler, node: Call, target: str, whole: tuple[Axis, ...] = ()) -> Value:
    """The sum over the indices that are named, for each of the others: those that are mentioned, or `whole`."""
    with _bound(c, node) as axes:
        value = _read(c, node)
        uses = _factors(value)
        if uses is None:
            uses = (c.as_use(value, node).use,)
        where = _conditions(c, node)
    out = whole or _outer(c, (*value.axes, *_axes_of(where)), axes)
    met = {a for use in uses for a in use.indices} | set(_axes_of(where))
    over = tuple(a for a in axes if a not in met)
    return c.work.add(c.inner(target, "sum"), ops.Contract(out, uses, where, over=over), value.weight, node.place)


def max_over(c: Compiler, node: Call, target: str) -> Value:
    """The largest entry over the indices that are named, for each of the others."""
    with _bound(c, node) as axes:
        value = c.as_use(_read(c, node), node)
        where = _conditions(c, node)
    out = _outer(c, (*value.axes, *_axes_of(where)), axes)
    return c.work.add(c.inner(target, "max"), ops.Reduce(out, value.use, where), value.weight, node.place)


BINDERS: dict[str, Callable[[Compiler, Call, str], Value]] = {"entries": entries, "sum_over": sum_over, "max_over": max_over}


@contextmanager
def _bound(c: Compiler, node: Call) -> Iterator[tuple[Axis, ...]]:
    """The indices that a call binds, as new axes; they are known inside."""
    if not node.keywords:
        raise LanguageError(f"{node.function} names no index", place=node.place, next_move=f"write {node.function}(…, i=n): index and axis")
    before = c.bound
    new: dict[str, Axis] = {}
    for keyword in node.keywords:
        if keyword.name in before:
            raise LanguageError(f'the index "{keyword.name}" is in use outside', place=keyword.place, next_move="use another letter")
        if isinstance(keyword.value, Text):
            raise LanguageError("an index runs over an axis", place=keyword.place, next_move="write i=n")
        new[keyword.name] = over(c.work.spaces, keyword.value)
    c.bound = {**before, **new}
    try:
        yield tuple(new.values())
    finally:
        c.bound = before


def _read(c: Compiler, node: Call) -> Value:
    """The value of the first argument, which runs over bound indices only."""
    return c.ready(_checked(c, c.value(node.args[0]), node), node)


def _checked(c: Compiler, value: Value, node: Call) -> Value:
    if any(a not in c.bound.values() for a in value.axes):
        raise LanguageError(
            f"{described(c.work.spaces, value)} stands without its indices", place=node.args[0].place, next_move="write A[i,j] for an entry"
        )
    return value


def over(spaces: Spaces, node: Node) -> Axis:
    """A new axis over the index set that an argument names, or of the size it says."""
    if isinstance(node, Name):
        space = spaces.called(node.id)
        if space is not None:
            return spaces.axis(space)
        move = suggestion(node.id, spaces.names(), "axes")
        raise LanguageError(f'there is no axis "{node.id}"', place=node.place, next_move=f"{move}; or write a size")
    size = rational(node)
    if size is None or size.denominator != 1 or not 1 <= size <= MAX_ENTRIES:
        raise LanguageError("this is no axis and no size", place=node.place, next_move="name an axis, or write a positive whole number")
    return spaces.axis(spaces.open(int(size)))


def _outer(c: Compiler, met: Iterable[Axis], bound: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """The indices of the surroundings that are mentioned, in the order in which they were bound."""
    used = set(met)
    return tuple(a for a in c.bound.values() if a in used and a not in bound)


# -- what reads one -----------------------------------------------------------------------------------------------------
def array(c: Compiler, node: Node) -> Value:
    """What is indexed, a whole array: the indices around it mean nothing inside."""
    before, c.bound = c.bound, {}
    try:
        return c.value(node)
    finally:
        c.bound = before


def index(c: Compiler, x: Value, node: Index) -> Value:
    """`A[i,j]` with bound indices among the items."""
    spaces = c.work.spaces
    if len(node.items) != len(x.axes) or any(isinstance(item, Every) for item in node.items):
        raise ShapeError(
            f"index notation names every index of {described(spaces, x)}", place=node.place, next_move=f"write {len(x.axes)} indices"
        )
    moved: dict[Axis, ops.Index] = {}
    for axis, item in zip(x.axes, node.items, strict=True):
        if isinstance(item, Label) and item.text in c.bound:
            own = c.bound[item.text]
            if not spaces.join(axis.space, own.space):
                raise ShapeError(
                    f'the index "{item.text}" runs over {spaces.shape_text((own,))} but stands at {spaces.shape_text((axis,))} of '
                    f"{described(spaces, x)}",
                    place=item.place,
                    next_move="use an index over that axis",
                )
            moved[axis] = own
        else:
            assert isinstance(item, At | Label)
            moved[axis] = ops.At(axis.space, c.position(axis, item))
    return _unrepeated(reindexed(x, moved))


def _unrepeated(value: Value) -> Value:
    return Value(tuple(dict.fromkeys(value.axes)), value.tree, value.args, value.weight)


def joined(a: Value, b: Value) -> tuple[tuple[Axis, ...], Value, Value]:
    """The indices of two operands together: entry by entry over all that are mentioned."""
    return tuple(dict.fromkeys((*a.axes, *b.axes))), a, b


def _repeats(value: Value) -> bool:
    """Does it read a diagonal?"""
    return any(len(set(use.indices)) < len(use.indices) for _, use in value.args)


def _factors(value: Value) -> tuple[ops.Use, ...] | None:
    """The uses, when the tree is a product of them."""
    found: list[ops.Use] = []
    uses = dict(value.args)

    def walk(tree: Scalar) -> bool:
        match tree:
            case Arg(name):
                found.append(uses[name])
                return True
            case Binary("mul", a, b):
                return walk(a) and walk(b)
            case _:
                return False

    return tuple(found) if walk(value.tree) else None


# -- conditions ---------------------------------------------------------------------------------------------------------
def _conditions(c: Compiler, node: Call) -> tuple[ops.Relation, ...]:
    return tuple(_condition(c, argument) for argument in node.args[1:])


def _condition(c: Compiler, node: Node) -> ops.Relation:
    match node:
        case Call("if_same", (i, j), _):
            return ops.Same(_index_of(c, i), _index_of(c, j))
        case Call("if_atmost", (i, j, bound), _):
            limit = rational(bound)
            if limit is None or limit.denominator != 1:
                raise LanguageError("this is no whole number", place=bound.place, next_move="write if_atmost(j, i, 0): j - i is at most 0")
            return ops.AtMost(_index_of(c, i), _index_of(c, j), int(limit))
        case _:
            raise LanguageError("this is no condition on indices", place=node.place, next_move="conditions: " + ", ".join(RELATIONS))


def _index_of(c: Compiler, node: Node) -> Axis:
    if isinstance(node, Name) and node.id in c.bound:
        return c.bound[node.id]
    raise LanguageError("a condition is about indices", place=node.place, next_move="indices here: " + ", ".join(c.bound))


def _axes_of(where: Iterable[ops.Relation]) -> tuple[Axis, ...]:
    return tuple(a for r in where if isinstance(r, ops.Same | ops.AtMost) for a in (r.i, r.j))
