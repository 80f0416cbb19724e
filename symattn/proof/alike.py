"""When two stages are one operation on different stages.

Promises: two operations with equal `reading` do the same to what they read; names of arguments do not count. Does not promise: to see that
two different formulas are one (the zero test does).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symattn.program import ops
from symattn.program.ops import Use
from symattn.program.rewrite import Rewriter
from symattn.program.scalar import Scalar
from symattn.program.spaces import Axis


class _Reading(Rewriter):
    def __init__(self, call: Callable[[str], str]) -> None:
        self._call = call

    def use(self, use: Use) -> Use:
        return Use(self._call(use.stage), use.indices)

    def _map(self, out: tuple[Axis, ...], scalar: Scalar, args: Sequence[tuple[str, Use]], where: Sequence[ops.Relation]) -> ops.Map:
        names = {name: f"#{k}" for k, (name, _) in enumerate(args)}
        new = tuple((names[name], self.use(use)) for name, use in args)
        return ops.Map(out, self.tree(scalar, names), new, self._relations(where))


def reading(op: ops.Op, call: Callable[[str], str] = lambda name: name) -> ops.Op:
    """The operation reading other stages: `call` names them. Arguments of a Map are called #0, #1, … in order."""
    return _Reading(call).op(op)


def uses(op: ops.Op) -> list[Use]:
    """Everything an operation reads, in order, masks last."""
    match op:
        case ops.Contract(uses=read, where=where):
            found = list(read)
        case ops.Map(args=args, where=where):
            found = [u for _, u in args]
        case ops.Reduce(use=use, where=where, empty=empty):
            found = [use, empty] if isinstance(empty, Use) else [use]
        case _:
            return []
    return found + [r.use for r in where if isinstance(r, ops.Allowed)]
