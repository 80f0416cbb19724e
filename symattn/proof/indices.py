"""Places of indices, and relations between them as 0/1 expressions.

A place is a plain index over a simple space, a fixed position, an entry of a block of a union, or coordinates in a product. Indices over
unions and products never occur bare: lower.py splits them where they are born. A relation becomes an expression: nothing (false), 1
(true), or terms that carry relations. Those that remain:

* same (i, j): equal positions; `at k` (i): i is position k;
* le c (i, j): position(i) - position(j) <= c with c >= 0, or a named integer c; upto k (i): position(i) <= k;
* mask: a boolean input at its indices.

Inside a maximum, where relations say what is compared and are no numbers, an order keeps a negative c: order c (i, j).

Promises: each function is an identity of 0/1 functions for all sizes. Raises Undecided for what it has no expression for.
"""

from __future__ import annotations

from fractions import Fraction

from symattn.program.spaces import Space
from symattn.proof.evidence import Undecided
from symattn.proof.terms import Context, Expr, Indices, Skeleton, Term, Where, number, product, symbol

TRUE: Expr = [Term(1)]
FALSE: Expr = []
_LISTED = 8  # positions up to which "at most k" is written as "0, or 1, …, or k"


def flatten(places: tuple[Where, ...]) -> tuple[Skeleton, Indices]:
    """The shape of the places (None when all are plain) and their plain indices in order."""
    if all(isinstance(p, int) for p in places):
        return None, tuple(p for p in places if isinstance(p, int))
    plain: list[int] = []
    return tuple(_shape(p, plain) for p in places), tuple(plain)


def _shape(place: Where, plain: list[int]) -> object:
    if isinstance(place, int):
        plain.append(place)
        return "·"
    match place[0]:
        case "at":
            return place
        case "in":
            return ("in", place[1], _shape(place[2], plain))  # type: ignore[misc]
        case _:
            return ("jt", tuple(_shape(p, plain) for p in place[1]))  # type: ignore[union-attr]


def fill(skeleton: Skeleton, plain: tuple[Where, ...]) -> tuple[Where, ...]:
    """The places of this shape with these in place of the plain indices. `flatten` undone, when they are plain."""
    if skeleton is None:
        return plain
    rest = iter(plain)
    return tuple(_filled(s, rest) for s in skeleton)


def _filled(shape: object, rest: object) -> Where:
    if shape == "·":
        return next(rest)  # type: ignore[call-overload,no-any-return]
    assert isinstance(shape, tuple)
    match shape[0]:
        case "at":
            return shape
        case "in":
            return ("in", shape[1], _filled(shape[2], rest))
        case _:
            return ("jt", tuple(_filled(s, rest) for s in shape[1]))


def extent(space: Space) -> Expr:
    """The number of entries of a space."""
    if space.blocks:
        return [t for part in space.blocks for t in extent(part)]
    if space.factors:
        found = TRUE
        for part in space.factors:
            found = [_joined(a, b) for a in found for b in extent(part)]
        return found
    return number(space.size) if isinstance(space.size, int) else symbol("$" + space.size)


def _joined(a: Term, b: Term) -> Term:
    from symattn.proof.terms import join_mono

    mono, out = join_mono(a.mono, b.mono)
    return Term(a.coef * b.coef * out, mono)


def fixed_place(space: Space, k: int) -> Where:
    """Position k of a space. Raises Undecided where a symbol for a size hides what it is."""
    if space.blocks:
        for b, part in enumerate(space.blocks):
            size = _size(part)
            if size is None and k > 0:
                raise Undecided(f'position {k} of "{space.name}" depends on the sizes of its blocks')
            if size is None or k < size:
                return ("in", b, fixed_place(part, k))
            k -= size
    if space.factors:
        coordinates: list[Where] = []
        for part in reversed(space.factors[1:]):
            size = _size(part)
            if size is None and k > 0:
                raise Undecided(f'position {k} of "{space.name}" depends on the sizes of its factors')
            k, rest = divmod(k, size) if size is not None else (0, 0)
            coordinates.append(fixed_place(part, rest))
        coordinates.append(fixed_place(space.factors[0], k))
        return ("jt", tuple(reversed(coordinates)))
    return ("at", k)


def _size(space: Space) -> int | None:
    return space.extent({}) if not space.symbols() else None


# -- relations --------------------------------------------------------------------------------------------------------
def _rel(ctx: Context, kind: str, name: object, idx: Indices, skeleton: Skeleton = None) -> Expr:
    label = ctx.label(kind, name, skeleton)
    return [Term(1, rels=frozenset([(label, ctx.fixed(label, idx) if label in ctx.symmetric else idx)]))]


def same(ctx: Context, a: Where, b: Where) -> Expr:
    """[a = b], of two places of one space (of two simple spaces: equal positions)."""
    if isinstance(a, int) and isinstance(b, int):
        return TRUE if a == b else _rel(ctx, "same", None, (a, b))
    if isinstance(a, int):
        a, b = b, a
    assert isinstance(a, tuple)
    if isinstance(b, int):
        if a[0] != "at":
            raise Undecided("an index of a union or a product is compared with a simple one")
        return is_at(ctx, b, int(a[1]))  # type: ignore[arg-type]
    if a[0] != b[0]:
        raise Undecided("two indices of different kinds are compared")
    match a[0]:
        case "at":
            return TRUE if a[1] == b[1] else FALSE
        case "in":
            return same(ctx, a[2], b[2]) if a[1] == b[1] else FALSE  # type: ignore[misc]
        case _:
            found = TRUE
            for x, y in zip(a[1], b[1], strict=True):  # type: ignore[arg-type]
                found = product(ctx, found, same(ctx, x, y))
            return found


def is_at(ctx: Context, i: int, k: int) -> Expr:
    """[i is position k]."""
    size = ctx.space_list[ctx.space_of(i)].size
    if isinstance(size, int):
        if k >= size:
            return FALSE
        if size == 1:
            return TRUE
    return _rel(ctx, "at", k, (i,))


def upto(ctx: Context, i: int, k: int) -> Expr:
    """[position(i) <= k]."""
    size = ctx.space_list[ctx.space_of(i)].size
    if k < 0:
        return FALSE
    if isinstance(size, int) and k >= size - 1:
        return TRUE
    if k < _LISTED:
        return [t for p in range(k + 1) for t in is_at(ctx, i, p)]
    return _rel(ctx, "upto", k, (i,))


def at_most(ctx: Context, a: Where, b: Where, c: int | str, spaces: tuple[Space, Space], *, whole: bool = False) -> Expr:
    """[position(a) - position(b) <= c], a and b places of the two spaces; as one relation when `whole`."""
    space_a, space_b = spaces
    while isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0] == "in" and space_a == space_b and a[1] == b[1]:
        space_a = space_b = space_a.blocks[int(a[1])]  # type: ignore[arg-type]
        a, b = a[2], b[2]  # type: ignore[misc]
    if isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0] == "in" and space_a == space_b and isinstance(c, int):
        if int(a[1]) < int(b[1]) and c >= -1:  # type: ignore[arg-type]
            return TRUE
        if int(a[1]) > int(b[1]) and c <= 0:  # type: ignore[arg-type]
            return FALSE
    start_a, start_b = _start(a, space_a), _start(b, space_b)
    if start_a is None or start_b is None:
        raise Undecided("positions are compared across blocks whose sizes are symbols, or in a product")
    (before_a, i), (before_b, j) = start_a, start_b
    if isinstance(c, str):
        if before_a or before_b or i is None or j is None:
            raise Undecided(f'positions of blocks or fixed positions are compared by the parameter "{c}"')
        return _rel(ctx, "le", c, (i, j))
    return (_order if whole else order)(ctx, i, j, c - before_a + before_b)


def _order(ctx: Context, i: int | None, j: int | None, c: int) -> Expr:
    """[position(i) - position(j) <= c] as one relation, whatever the sign of c."""
    found = order(ctx, i, j, c)
    if len(found) < 2:
        return found
    if j is None:
        return _rel(ctx, "upto", c, (i,)) if i is not None else found
    return _rel(ctx, "from", -c, (j,)) if i is None else _rel(ctx, "order", c, (i, j))


def order(ctx: Context, i: int | None, j: int | None, c: int) -> Expr:
    """[position(i) - position(j) <= c]; None stands for position 0."""
    if i is None:
        if j is None or c >= 0:
            return TRUE if c >= 0 else FALSE
        return _complement(upto(ctx, j, -c - 1))
    if j is None:
        return upto(ctx, i, c)
    if i == j:
        return TRUE if c >= 0 else FALSE
    size = ctx.space_list[ctx.space_of(i)].size
    if isinstance(size, int) and c >= size - 1:
        return TRUE
    if c < 0:
        return _complement(order(ctx, j, i, -c - 1))
    return _rel(ctx, "le", c, (i, j))


def _complement(found: Expr) -> Expr:
    return [Term(1), *(t.scaled(-1) for t in found)]


def allowed(ctx: Context, stage: str, places: tuple[Where, ...]) -> Expr:
    """The boolean input is true there."""
    skeleton, plain = flatten(places)
    return _rel(ctx, "mask", stage, plain, skeleton)


def _start(place: Where, space: Space) -> tuple[int, int | None] | None:
    """The position as (number, plain index): number + position of the index; None where it is not of that form."""
    if isinstance(place, int):
        return 0, place
    match place[0]:
        case "at":
            return int(place[1]), None  # type: ignore[arg-type]
        case "in":
            before = 0
            for part in space.blocks[: int(place[1])]:  # type: ignore[arg-type]
                size = _size(part)
                if size is None:
                    return None
                before += size
            inner = _start(place[2], space.blocks[int(place[1])])  # type: ignore[misc,arg-type]
            return None if inner is None else (before + inner[0], inner[1])
        case _:
            return None


def position(ctx: Context, place: Where, space: Space) -> Expr:
    """0, 1, 2, … at a place of a space."""
    if isinstance(place, int):
        return [Term(1, facs={(ctx.label("position", None), (place,)): 1})]
    match place[0]:
        case "at":
            return number(Fraction(int(place[1])))  # type: ignore[arg-type]
        case "in":
            block = int(place[1])  # type: ignore[arg-type]
            before = [t for part in space.blocks[:block] for t in extent(part)]
            return before + position(ctx, place[2], space.blocks[block])  # type: ignore[misc]
        case _:
            found: Expr = []
            for part, inner in zip(space.factors, place[1], strict=True):  # type: ignore[arg-type]
                found = product(ctx, found, extent(part)) + position(ctx, inner, part)
            return found


def substituted(ctx: Context, label: int, idx: tuple[Where, ...]) -> Expr:
    """A relation at these places (plain indices and fixed positions)."""
    found = ctx.labels[label]
    a, b = idx[0] if idx else 0, idx[1] if len(idx) > 1 else 0
    match found.kind:
        case "same":
            return same(ctx, a, b)
        case "at":
            k = int(found.name)  # type: ignore[call-overload]
            return is_at(ctx, a, k) if isinstance(a, int) else (TRUE if a[1] == k else FALSE)
        case "upto":
            k = int(found.name)  # type: ignore[call-overload]
            return upto(ctx, a, k) if isinstance(a, int) else (TRUE if int(a[1]) <= k else FALSE)  # type: ignore[arg-type]
        case "from":
            k = int(found.name)  # type: ignore[call-overload]
            return _order(ctx, None, a, -k) if isinstance(a, int) else (TRUE if int(a[1]) >= k else FALSE)  # type: ignore[arg-type]
        case "le" | "order":
            c = found.name
            if isinstance(c, str):
                if not (isinstance(a, int) and isinstance(b, int)):
                    raise Undecided(f'a fixed position is compared by the parameter "{c}"')
                return _rel(ctx, "le", c, (a, b))
            i, j = (None if isinstance(x, tuple) else x for x in (a, b))
            before_a, before_b = (int(x[1]) if isinstance(x, tuple) else 0 for x in (a, b))  # type: ignore[arg-type]
            make = order if found.kind == "le" else _order
            return make(ctx, i, j, int(c) - before_a + before_b)  # type: ignore[call-overload]
        case _:
            skeleton, plain = flatten(fill(found.skeleton, idx))
            return _rel(ctx, "mask", found.name, plain, skeleton)
