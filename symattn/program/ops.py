"""The three primitive operations, their leaves, and how a stage is used.

Promises: the set is closed: `Input`, `Position`, `Contract`, `Map`, `Reduce`.
Does not promise: evaluation; a reading gives each operation its meaning (interp/).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from symattn.program.scalar import Num, Scalar
from symattn.program.spaces import Axis, Space

ONE = Num(Fraction(1))


# -- indices: what may stand where a stage is used --------------------------------------------------------------------
@dataclass(frozen=True)
class At:
    """A fixed position of a space, counted from 0."""

    space: Space
    position: int


@dataclass(frozen=True)
class Inject:
    """The entry of a union space that is entry `axis` of its block `block` (`past(p)`)."""

    space: Space
    block: str
    axis: Axis


@dataclass(frozen=True)
class Joint:
    """The entry of a product space with these coordinates, first factor slowest (`(h, c)`)."""

    space: Space
    axes: tuple[Axis, ...]


Index = Axis | At | Inject | Joint


@dataclass(frozen=True)
class Use:
    """A stage, with an index for each of its axes, in their order. Renames, transposes, slices and (the same axis
    twice, in a Contract only) takes diagonals."""

    stage: str
    indices: tuple[Index, ...] = ()


# -- relations: they select entries, they never multiply --------------------------------------------------------------
@dataclass(frozen=True)
class Same:
    """i = j, as positions."""

    i: Axis
    j: Axis


@dataclass(frozen=True)
class AtMost:
    """position(i) - position(j) <= c. `c` is an integer, or the name of an integer parameter bound at run time."""

    i: Axis
    j: Axis
    c: int | str


@dataclass(frozen=True)
class InBlock:
    """j = block(p): entry p of the block named `block` of j's union space."""

    j: Axis
    block: str
    p: Axis


@dataclass(frozen=True)
class Paired:
    """c = (a, b, ...): c ranges over the product of the parts' spaces."""

    c: Axis
    parts: tuple[Axis, ...]


@dataclass(frozen=True)
class Allowed:
    """The boolean input used here is true."""

    use: Use


Relation = Same | AtMost | InBlock | Paired | Allowed


# -- operations -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Input:
    """A value given from outside. `boolean` inputs may stand only in `Allowed`."""

    out: tuple[Axis, ...]
    boolean: bool = False


@dataclass(frozen=True)
class Position:
    """0, 1, 2, ... along its one axis, as exact numbers."""

    out: tuple[Axis, ...]


@dataclass(frozen=True)
class Contract:
    """`coef` times the sum of the product of `uses` over every axis that is not in `out`, visiting only the entries
    where all of `where` hold. An `out` axis in no use is a broadcast; an `over` axis in no use gives the factor size.

    An entry that visits nothing is 0, unless `must_visit`: then it is a `MaskedRowError`. `coef` has no `Arg`.
    """

    out: tuple[Axis, ...]
    uses: tuple[Use, ...]
    where: tuple[Relation, ...] = ()
    coef: Scalar = ONE
    over: tuple[Axis, ...] = ()
    must_visit: bool = False


@dataclass(frozen=True)
class Map:
    """One scalar tree, entry by entry, broadcast by axis name; `args` gives each `Arg` name its use.

    With `where`, only the entries where all relations hold are computed; the others are *absent*: readings hold an
    exact 0 there and never look at it. (A mask removes terms; it never multiplies them by 0.)
    """

    out: tuple[Axis, ...]
    scalar: Scalar
    args: tuple[tuple[str, Use], ...] = ()
    where: tuple[Relation, ...] = ()


@dataclass(frozen=True)
class Reduce:
    """The maximum of `use` over every axis that is not in `out`, over the entries where `where` holds.

    An empty set is a `MaskedRowError`, unless `empty` says what to take there: a number, or a stage at the axes of `out`
    (the maximum so far, where a block has nothing new)."""

    out: tuple[Axis, ...]
    use: Use
    where: tuple[Relation, ...] = ()
    kind: str = "max"
    empty: Num | Use | None = None


Op = Input | Position | Contract | Map | Reduce
OPS: tuple[type[Op], ...] = (Input, Position, Contract, Map, Reduce)
