"""Where a maximum is attained, written in the three operations: what the derivative of a Reduce needs.

For the entry j of a row x with maximum m, let r_j be the largest of the other entries. Then (m - r_j)/(x_j - r_j) is 1 for the largest
entry and 0 for every other; where the largest value stands twice it is 0/0. So the derivative of max exists exactly where
this can be computed, and a tie is a `DomainError` with a place, never a silent choice. A row with one entry has x_j - 1 for its r_j.

Promises: the relations of the maximum are kept. Does not promise: speed; every row is visited once for each of its entries.
"""

from __future__ import annotations

from fractions import Fraction

from symattn.errors import UnsupportedError
from symattn.program import ops
from symattn.program.emitter import Emitter, fresh_axis, moved, moved_relation
from symattn.program.graph import absent_where
from symattn.program.ops import AtMost, Contract, Map, Reduce, Use
from symattn.program.program import Stage, index_axes, relation_axes
from symattn.program.scalar import Arg, Binary, Num
from symattn.program.spaces import Axis

ONE, ZERO = Num(Fraction(1)), Num(Fraction(0))


def hypothesis(stage: Stage) -> str:
    """What must hold for the maximum to be differentiable."""
    op = stage.op
    assert isinstance(op, Reduce)
    return f"the maximum of {op.use.stage} is attained once"


def attained(emitter: Emitter, stage: Stage) -> tuple[Use, tuple[ops.Relation, ...]]:
    """The stage that is 1 at the largest entry and 0 elsewhere, used in the scope of `stage`, a Reduce; and the relations outside of
    which nothing is compared. Raises UnsupportedError for a maximum over several axes at once."""
    op = stage.op
    assert isinstance(op, Reduce)
    inner = dict.fromkeys(a for i in op.use.indices for a in index_axes(i) if a not in op.out)
    extra = [a for r in op.where for a in relation_axes(r) if a not in op.out and a not in inner]
    if len(inner) != 1 or extra:
        raise UnsupportedError(
            f'stage "{stage.name}": the maximum over {len(inner) + len(set(extra))} axes at once has no derivative rule',
            next_move="take it along one axis after another",
        )
    (j,) = inner
    where = _relations(emitter, stage, op)
    entries = (*op.out, j)
    k = fresh_axis(j, {a.name for a in entries})
    swap = {j: k}
    x, others = op.use, moved(op.use, swap)
    seen = tuple(moved_relation(r, swap) for r in where)
    base = f"{stage.name}.argmax"
    lower = emitter.put(f"{base}_lower", Map(entries, Binary("sub", Arg("x"), ONE), (("x", x),), where))
    rivals = [
        emitter.put(f"{base}_{side}", Reduce(entries, others, (*seen, order), empty=Use(lower, entries)))
        for side, order in (("before", AtMost(k, j, -1)), ("after", AtMost(j, k, -1)))
    ]
    both = tuple((name, Use(name, entries)) for name in rivals)
    rival = emitter.put(f"{base}_rival", Map(entries, Binary("max2", Arg(rivals[0]), Arg(rivals[1])), both, where))
    r = Arg("rival")
    tree = Binary("div", Binary("sub", Arg("max"), r), Binary("sub", Arg("x"), r))
    args = (("max", Use(stage.name, op.out)), ("rival", Use(rival, entries)), ("x", x))
    return Use(emitter.put(base, Map(entries, tree, args, where)), entries), where


def _relations(emitter: Emitter, stage: Stage, op: Reduce) -> tuple[ops.Relation, ...]:
    """The relations of the maximum and those outside of which its operand is absent."""
    source = emitter.stages[op.use.stage]
    own = absent_where(source)
    if not own:
        return op.where
    if not all(isinstance(i, Axis) for i in op.use.indices):
        if op.where:
            return op.where
        raise UnsupportedError(
            f'stage "{stage.name}": the maximum over a part of "{source.name}", which has absent entries, has no derivative rule',
            next_move="give the maximum the relations that say which entries are there",
        )
    there = {a: i for a, i in zip(source.out, op.use.indices, strict=True) if isinstance(i, Axis)}
    mapped = [moved_relation(r, there) for r in own]
    return (*op.where, *(r for r in mapped if r not in op.where))


def nothing_there(emitter: Emitter, stage: Stage, where: tuple[ops.Relation, ...]) -> Use | None:
    """1 where a maximum visits nothing and takes its `empty`, else 0: max(1 - count, 0); None where that cannot happen."""
    op = stage.op
    assert isinstance(op, Reduce)
    if not where:
        return None
    inner = tuple(dict.fromkeys(a for i in op.use.indices for a in index_axes(i) if a not in op.out))
    count = emitter.put(f"{stage.name}.count", Contract(op.out, (), where, over=inner))
    tree = Binary("max2", Binary("sub", ONE, Arg("count")), ZERO)
    return Use(emitter.put(f"{stage.name}.empty", Map(op.out, tree, (("count", Use(count, op.out)),))), op.out)
