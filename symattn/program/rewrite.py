"""An operation with other axes, spaces, stages and sizes in it.

Promises: every place in which an operation can hold one is rewritten, scalar trees included. Does not promise: validity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symattn.program import ops
from symattn.program.ops import Use
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary
from symattn.program.spaces import Axis, Space


class Rewriter:
    """Rewrites operations; subclasses say what becomes of an axis, a space, a use and a size. By default each stays."""

    def axis(self, axis: Axis) -> Axis:
        """What an axis becomes."""
        return axis

    def space(self, space: Space) -> Space:
        """What the space of a fixed position becomes."""
        return space

    def size(self, name: str) -> Scalar:
        """What a size in a scalar tree becomes."""
        return Size(name)

    def use(self, use: Use) -> Use:
        """What a use becomes: the same stage at rewritten indices."""
        return Use(use.stage, tuple(self.index(i) for i in use.indices))

    def axes(self, axes: Sequence[Axis]) -> tuple[Axis, ...]:
        """Axes in order."""
        return tuple(self.axis(a) for a in axes)

    def index(self, index: ops.Index) -> ops.Index:
        """An index."""
        match index:
            case Axis():
                return self.axis(index)
            case ops.At(space, position):
                return ops.At(self.space(space), position)
            case ops.Inject(space, block, axis):
                return ops.Inject(self.space(space), block, self.axis(axis))
            case ops.Joint(space, axes):
                return ops.Joint(self.space(space), self.axes(axes))

    def relation(self, relation: ops.Relation) -> ops.Relation:
        """A relation."""
        match relation:
            case ops.Same(i, j):
                return ops.Same(self.axis(i), self.axis(j))
            case ops.AtMost(i, j, c):
                return ops.AtMost(self.axis(i), self.axis(j), c)
            case ops.InBlock(j, block, p):
                return ops.InBlock(self.axis(j), block, self.axis(p))
            case ops.Paired(c, parts):
                return ops.Paired(self.axis(c), self.axes(parts))
            case ops.Allowed(use):
                return ops.Allowed(self.use(use))

    def op(self, op: ops.Op) -> ops.Op:
        """An operation. An argument whose use changes its stage takes that stage's name."""
        out = self.axes(op.out)
        match op:
            case ops.Input(_, boolean):
                return ops.Input(out, boolean)
            case ops.Position():
                return ops.Position(out)
            case ops.Contract(_, uses, where, coef, over, must_visit):
                new_uses = tuple(self.use(u) for u in uses)
                return ops.Contract(out, new_uses, self._relations(where), self.tree(coef, {}), self.axes(over), must_visit)
            case ops.Map(_, scalar, args, where):
                return self._map(out, scalar, args, where)
            case ops.Reduce(_, use, where, kind, empty):
                other = self.use(empty) if isinstance(empty, Use) else empty
                return ops.Reduce(out, self.use(use), self._relations(where), kind, other)

    def tree(self, tree: Scalar, names: Mapping[str, str]) -> Scalar:
        """A scalar tree with its sizes rewritten and its arguments renamed."""
        match tree:
            case Num():
                return tree
            case Size(name):
                return self.size(name)
            case Arg(name):
                return Arg(names.get(name, name))
            case Unary(op, x):
                return Unary(op, self.tree(x, names))
            case Binary(op, a, b):
                return Binary(op, self.tree(a, names), self.tree(b, names))
            case Power(x, exponent):
                return Power(self.tree(x, names), exponent)

    def _relations(self, where: Sequence[ops.Relation]) -> tuple[ops.Relation, ...]:
        return tuple(self.relation(r) for r in where)

    def _map(self, out: tuple[Axis, ...], scalar: Scalar, args: Sequence[tuple[str, Use]], where: Sequence[ops.Relation]) -> ops.Map:
        names: dict[str, str] = {}
        new_args: list[tuple[str, Use]] = []
        for name, use in args:
            new = self.use(use)
            fresh = new.stage if name == use.stage else name
            while any(fresh == other for other, _ in new_args):
                fresh += "_2"
            names[name] = fresh
            new_args.append((fresh, new))
        return ops.Map(out, self.tree(scalar, names), tuple(new_args), self._relations(where))
