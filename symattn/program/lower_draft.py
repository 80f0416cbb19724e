"""What every lowering writes with: the axes of an attention, the masks as relations, and stages in order.

Promises: a stage is used by its own axes unless one is named to be replaced, so a lowering names an axis only where it means it.
Does not promise: validity; `Program` checks what is written when it is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from symattn.program.ops import Allowed, AtMost, Contract, Index, Inject, Joint, Map, Op, Position, Reduce, Relation, Use
from symattn.program.program import Stage
from symattn.program.scalar import Arg, Binary, Num, Scalar, Size, Unary
from symattn.program.spaces import Axis, Space


@dataclass(frozen=True)
class Axes:
    """The axes of one attention. `heads` stand before the axes of queries, scores and weights, `kv_heads` before those of keys
    and values: both () for one head, (head,) and () when all share one, (group, member) and (group,) when groups share one.

    `d_k` is the number of features as a scalar, `pair` and `side` split a feature for rotary positions."""

    token: Axis
    key: Axis
    model: Axis
    feature: Axis
    channel: Axis
    heads: tuple[Axis, ...]
    kv_heads: tuple[Axis, ...]
    d_k: Scalar
    pair: Axis | None = None
    side: Axis | None = None

    @property
    def rows(self) -> tuple[Axis, ...]:
        """What a row of weights belongs to: (heads, token)."""
        return (*self.heads, self.token)

    @property
    def entries(self) -> tuple[Axis, ...]:
        """What a score belongs to: (heads, token, key)."""
        return (*self.rows, self.key)


@dataclass(frozen=True)
class Mask:
    """Which keys a query may look at: all of the rules that are set. Positions count from 0, `offset` is added to the query's.

    `causal`: key j when j <= i + offset. `window`: key j when i + offset - j < window. `keys`, `array`: where the boolean
    inputs `allowed_keys` (key) and `allowed` (token, key) are true."""

    causal: bool = False
    window: int | None = None
    keys: bool = False
    array: bool = False
    offset: int = 0

    def relations(self, token: Axis, key: Axis, *, start: int = 0, seen: Index | None = None) -> tuple[Relation, ...]:
        """The rules for the keys of one block: its axis, the position of its first key, and `seen`, the index under which
        the boolean inputs know them (the key itself by default)."""
        index = key if seen is None else seen
        found: list[Relation] = []
        if self.causal:
            found.append(AtMost(key, token, self.offset - start))
        if self.window is not None:
            found.append(AtMost(token, key, self.window - 1 - self.offset + start))
        if self.keys:
            found.append(Allowed(Use("allowed_keys", (index,))))
        if self.array:
            found.append(Allowed(Use("allowed", (token, index))))
        return tuple(found)

    @property
    def by_position(self) -> bool:
        """Do the rules compare positions?"""
        return self.causal or self.window is not None

    @property
    def first_key_is_seen(self) -> bool:
        """May every query look at key 0, whatever the sizes are?"""
        return self.window is None and not self.keys and not self.array and (not self.causal or self.offset >= 0)


@dataclass
class Draft:
    """Stages being written, in order."""

    stages: list[Stage] = field(default_factory=list)

    def add(self, name: str, op: Op, letter: str = "") -> str:
        """Write a stage; its name."""
        self.stages.append(Stage(name, op, letter))
        return name

    def axes(self, name: str) -> tuple[Axis, ...]:
        """The axes of a stage that is written."""
        return next(s.out for s in self.stages if s.name == name)

    def use(self, name: str, swap: Mapping[Axis, Index] | None = None) -> Use:
        """The stage at its own axes, the ones in `swap` replaced."""
        swap = swap or {}
        return Use(name, tuple(swap.get(axis, axis) for axis in self.axes(name)))

    def map(
        self, name: str, out: tuple[Axis, ...], tree: Scalar, uses: Iterable[str | Use], where: tuple[Relation, ...] = (), letter: str = ""
    ) -> str:
        """Write a Map whose arguments carry the names of the stages they use."""
        args = [self.use(u) if isinstance(u, str) else u for u in uses]
        return self.add(name, Map(out, tree, tuple((u.stage, u) for u in args), where), letter)

    def contract(
        self,
        name: str,
        out: tuple[Axis, ...],
        uses: Iterable[str | Use],
        where: tuple[Relation, ...] = (),
        letter: str = "",
        *,
        over: tuple[Axis, ...] = (),
        must_visit: bool = False,
    ) -> str:
        """Write a Contract."""
        used = tuple(self.use(u) if isinstance(u, str) else u for u in uses)
        return self.add(name, Contract(out, used, where, over=over, must_visit=must_visit), letter)

    def reduce(
        self, name: str, out: tuple[Axis, ...], use: str | Use, where: tuple[Relation, ...], empty: Num | Use | None, letter: str = ""
    ) -> str:
        """Write a Reduce."""
        return self.add(name, Reduce(out, self.use(use) if isinstance(use, str) else use, where, empty=empty), letter)

    def positions(self, name: str, row: Axis, shift: int) -> str:
        """`{name}_positions`: 0, 1, 2, … along the axis, plus the shift; written once."""
        positions = f"{name}_positions"
        if any(s.name == positions for s in self.stages):
            return positions
        if not shift:
            return self.add(positions, Position((row,)))
        self.add(f"{name}_rows", Position((row,)))
        return self.map(positions, (row,), add(arg(f"{name}_rows"), num(shift)), [f"{name}_rows"])


def joined(name: str, parts: tuple[Axis, ...]) -> tuple[Axis, Index]:
    """One axis over the product of the parts (the part itself when it is alone), and how it is indexed by the parts."""
    if len(parts) == 1:
        return parts[0], parts[0]
    space = Space(name, factors=tuple(a.space for a in parts))
    return Axis(name, space), Joint(space, parts)


def per_head(axes: Axes) -> tuple[tuple[Axis, ...], tuple[Index, ...]]:
    """The axes of an input with one number a head (() for one head), and how the heads index it: a flat list of all heads, also
    when they come in groups."""
    if not axes.heads:
        return (), ()
    axis, index = joined("head", axes.heads)
    return (axis,), (index,)


def block_axes(key: Axis) -> list[tuple[Axis, Inject, int | None]]:
    """For each block of the key's union space: its own axis, its place among all keys, and the position of its first key
    (None when a block before it has a symbol for its size)."""
    found: list[tuple[Axis, Inject, int | None]] = []
    start: int | None = 0
    for k, part in enumerate(key.space.blocks, 1):
        axis = Axis(f"{key.name}_{k}", part)
        found.append((axis, Inject(key.space, part.name, axis), start))
        start = start + part.size if start is not None and isinstance(part.size, int) else None
    return found


# -- scalars --------------------------------------------------------------------------------------------------------------------------
def num(value: int | Fraction, text: str = "") -> Num:
    """An exact number."""
    return Num(Fraction(value), text)


def add(a: Scalar, b: Scalar) -> Scalar:
    """a + b."""
    return Binary("add", a, b)


def sub(a: Scalar, b: Scalar) -> Scalar:
    """a - b."""
    return Binary("sub", a, b)


def mul(a: Scalar, b: Scalar) -> Scalar:
    """a * b."""
    return Binary("mul", a, b)


def div(a: Scalar, b: Scalar) -> Scalar:
    """a / b."""
    return Binary("div", a, b)


def larger(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two."""
    return Binary("max2", a, b)


def apply(op: str, x: Scalar) -> Scalar:
    """One of the unary functions."""
    return Unary(op, x)


def arg(name: str) -> Scalar:
    """The argument that uses the stage of this name."""
    return Arg(name)


def count(space: Space) -> Scalar:
    """The number of entries of a space, as a scalar."""
    if space.blocks:
        total = count(space.blocks[0])
        for part in space.blocks[1:]:
            total = add(total, count(part))
        return total
    if space.factors:
        product = count(space.factors[0])
        for part in space.factors[1:]:
            product = mul(product, count(part))
        return product
    return Size(space.size) if isinstance(space.size, str) else num(space.size)
