"""Vectors and matrices that are written out with computed entries: `[1/3, sqrt(2)]`, `[a, b]`.

Promises: plain numbers stay one literal; each computed entry is put in its place by a Contract that is 0 elsewhere, and all are added.
Does not promise: more than MAX_COMPUTED computed entries; whole rows are matrices already.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from symattn.errors import LanguageError, ShapeError
from symattn.language.ast import Array, Node
from symattn.language.constants import Nested, largest_bits, rational
from symattn.language.limits import MAX_COMPUTED
from symattn.language.values import Value, described
from symattn.program import ops

if TYPE_CHECKING:
    from symattn.language.compile import Compiler


def stacked(c: Compiler, node: Array, target: str) -> Value:
    """The value of an array that is written out; of plain numbers, it is the stage `target` (or an inner one).
    Raises LanguageError, ShapeError."""
    computed: list[tuple[tuple[int, ...], Node]] = []
    entries = _entries(node, (), computed)
    assert isinstance(entries, tuple)
    rows = entries if isinstance(entries[0], tuple) else None
    sizes = (len(entries), len(rows[0])) if rows is not None and isinstance(rows[0], tuple) else (len(entries),)
    spaces = c.work.spaces
    axes = tuple(spaces.axis(spaces.open(size)) for size in sizes)
    total: Value | None = None
    count = sizes[0] * (sizes[1] if len(sizes) > 1 else 1)
    if len(computed) < count:
        name = c.inner("" if computed else target, "")
        c.work.constants[name] = entries
        total = c.work.add(name, ops.Input(axes), largest_bits(entries), node.place)
    if len(computed) > MAX_COMPUTED:
        raise LanguageError(
            f"{len(computed)} entries of this vector or matrix are computed",
            place=computed[MAX_COMPUTED][1].place,
            next_move=f"at most {MAX_COMPUTED} may be; use products and functions of whole vectors",
        )
    for position, item in computed:
        value = c.value(item)
        if value.axes:
            raise ShapeError(
                f"an entry of a vector or matrix is a number, not {described(spaces, value)}",
                place=item.place,
                next_move="write its entries out, or join vectors with concat",
            )
        entry = c.as_use(value, item, "entry")
        where: list[ops.Relation] = []
        for axis, k in zip(axes, position, strict=True):
            start = spaces.axis(spaces.open(1))
            where += [ops.AtMost(axis, start, k), ops.AtMost(start, axis, -k)]
        op = ops.Contract(axes, (entry.use,), tuple(where))
        placed = c.work.add(c.work.fresh(c.name, "placed"), op, entry.weight, item.place)
        total = placed if total is None else c.arithmetic("add", total, placed, node, "+")
    assert total is not None
    return total


def _entries(node: Node, at: tuple[int, ...], computed: list[tuple[tuple[int, ...], Node]]) -> Nested:
    if isinstance(node, Array):
        return tuple(_entries(item, (*at, k), computed) for k, item in enumerate(node.items))
    value = rational(node)
    if value is None:
        computed.append((at, node))
        return Fraction(0)
    return value
