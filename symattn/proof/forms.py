"""What is seen from the form of a program alone: signs of stages, and which way a formula moves with one of its arguments.

Promises: what is said holds for all sizes and all inputs at which the program has a value (and which satisfy what is supposed).
Does not promise: to see it: 0 means "not seen", never "no".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

from symattn.program import ops
from symattn.program.program import Program
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary, walk

POSITIVE, NONNEGATIVE, UNKNOWN = 2, 1, 0
_RISING = ("exp", "log", "sqrt", "tanh", "erf")


class Forms:
    """Signs of the stages of one program. `positive` and `nonnegative` are stages that are known, or supposed, to be so."""

    def __init__(self, program: Program, positive: Collection[str] = (), nonnegative: Collection[str] = ()) -> None:
        self.program = program
        self._signs: dict[str, int] = {**dict.fromkeys(nonnegative, NONNEGATIVE), **dict.fromkeys(positive, POSITIVE)}

    def stage(self, name: str) -> int:
        """The sign of all entries; an entry that a mask removed is 0."""
        if name not in self._signs:
            op = self.program.by_name[name].op
            absent = isinstance(op, ops.Map) and bool(op.where)
            self._signs[name] = min(self.entries(name), NONNEGATIVE) if absent else self.entries(name)
        return self._signs[name]

    def entries(self, name: str) -> int:
        """The sign of the entries that are there."""
        if name in self._signs:
            return self._signs[name]
        match self.program.by_name[name].op:
            case ops.Map(_, tree, args, _):
                return self.tree(tree, {arg: use.stage for arg, use in args})
            case ops.Contract() as op:
                return self._contract(op)
            case ops.Reduce(_, use, _, _, empty):
                found = self.entries(use.stage)
                if isinstance(empty, Num):
                    found = min(found, _sign(empty.value))
                return min(found, self.stage(empty.stage)) if isinstance(empty, ops.Use) else found
            case ops.Position():
                return NONNEGATIVE
            case _:
                return UNKNOWN

    def _contract(self, op: ops.Contract) -> int:
        found = self.tree(op.coef, {})
        for use in dict.fromkeys(op.uses):
            sign = self.entries(use.stage)
            if op.uses.count(use) % 2 == 0:
                sign = max(sign, NONNEGATIVE)
            found = min(found, sign)
        if found == POSITIVE and not op.must_visit and self.may_be_empty(op.uses, op.where):
            return NONNEGATIVE
        return found

    def may_be_empty(self, uses: tuple[ops.Use, ...], where: tuple[ops.Relation, ...]) -> bool:
        """May a sum visit nothing? Seen to visit something: no relation, or orders between one pair of axes that the diagonal meets."""
        relations = [*where]
        for use in uses:
            op = self.program.by_name[use.stage].op
            if isinstance(op, ops.Map) and op.where:
                # The entries of a Map that its relations removed are not visited either. Followed only where names agree.
                if any(a.name != getattr(i, "name", "") for a, i in zip(op.out, use.indices, strict=True)):
                    return True
                relations += op.where
        pairs = set()
        for r in relations:
            if not (isinstance(r, ops.AtMost) and isinstance(r.c, int) and r.c >= 0 and r.i.space == r.j.space):
                return True
            pairs.add(frozenset((r.i.name, r.j.name)))
        return len(pairs) > 1

    def tree(self, tree: Scalar, uses: Mapping[str, str]) -> int:
        """The sign of a scalar tree over stages."""
        match tree:
            case Num(value):
                return _sign(value)
            case Size() | Unary("exp", _):
                return POSITIVE
            case Arg(name):
                return self.stage(uses[name])
            case Unary("sqrt", x):
                return POSITIVE if self.tree(x, uses) == POSITIVE else NONNEGATIVE
            case Unary("tanh" | "erf", x):
                return self.tree(x, uses)
            case Power(x, e):
                return self._power(self.tree(x, uses), e)
            case Binary("add", a, b):
                signs = (self.tree(a, uses), self.tree(b, uses))
                return max(signs) if min(signs) else UNKNOWN
            case Binary("mul", a, b):
                found = min(self.tree(a, uses), self.tree(b, uses))
                return found or (NONNEGATIVE if a == b else UNKNOWN)
            case Binary("div", a, b):
                # What is divided by is not 0.
                return self.tree(a, uses) if self.tree(b, uses) else UNKNOWN
            case Binary("max2", a, b):
                if b == Unary("neg", a) or a == Unary("neg", b):
                    return NONNEGATIVE
                return max(self.tree(a, uses), self.tree(b, uses))
            case _:
                return UNKNOWN

    def _power(self, base: int, e: Fraction) -> int:
        if base == POSITIVE:
            return POSITIVE
        if e.numerator % 2 == 0 or e.denominator % 2 == 0:
            return POSITIVE if e < 0 else NONNEGATIVE
        return base

    # -- directions ---------------------------------------------------------------------------------------------------
    def direction(self, tree: Scalar, moving: Collection[str], uses: Mapping[str, str]) -> int | None:
        """How the tree moves when the arguments `moving` rise together: 1 (or -1) if it never falls (rises), 0 if they are not in
        it, None if it is not seen."""
        match tree:
            case Num() | Size():
                return 0
            case Arg(name):
                return 1 if name in moving else 0
            case Unary("neg", x):
                found = self.direction(x, moving, uses)
                return None if found is None else -found
            case Unary(op, x):
                found = self.direction(x, moving, uses)
                return found if op in _RISING or found == 0 else None
            case Power(x, e):
                return self._power_direction(x, e, moving, uses)
            case Binary("add" | "max2", a, b):
                return _together(self.direction(a, moving, uses), self.direction(b, moving, uses))
            case Binary("sub", a, b):
                second = self.direction(b, moving, uses)
                return _together(self.direction(a, moving, uses), None if second is None else -second)
            case Binary("mul", a, b):
                return _together(self._by(a, b, moving, uses), self._by(b, a, moving, uses))
            case Binary("div", a, b):
                below = self.direction(b, moving, uses)
                up = 0 if below == 0 else -below if below is not None and self.tree(a, uses) and self.tree(b, uses) else None
                return _together(self._by(a, b, moving, uses), up)
        return None

    def _by(self, a: Scalar, other: Scalar, moving: Collection[str], uses: Mapping[str, str]) -> int | None:
        """How `a` moves when it is multiplied or divided by what is at least 0."""
        found = self.direction(a, moving, uses)
        return found if found == 0 or (found is not None and self.tree(other, uses)) else None

    def _power_direction(self, x: Scalar, e: Fraction, moving: Collection[str], uses: Mapping[str, str]) -> int | None:
        found = self.direction(x, moving, uses)
        if found is None or found == 0:
            return found
        whole_line = e.denominator % 2 == 1 and e.numerator % 2 == 1 and e > 0
        if whole_line or self.tree(x, uses) or e.denominator % 2 == 0:
            return found if e > 0 else -found
        return None


def _sign(value: Fraction) -> int:
    return POSITIVE if value > 0 else NONNEGATIVE if value == 0 else UNKNOWN


def _together(a: int | None, b: int | None) -> int | None:
    """Two parts that are added: 0 gives way, opposite ones cancel sight."""
    if a is None or b is None:
        return None
    return a or b if a * b >= 0 else None


def arguments(tree: Scalar) -> set[str]:
    """The names of the arguments in a tree."""
    return {node.name for node in walk(tree) if isinstance(node, Arg)}
