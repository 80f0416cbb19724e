"""Stages added to a program by a transformation: fresh names, fresh axes, and each operation once.

Promises: a new stage never takes a name that is there, a new axis never one of its scope; an operation that is already there, up to the
names of its axes and arguments, is found and not written again (hash-consing). Does not promise: validity; `Program` checks that.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

from symattn.program import ops
from symattn.program.ops import Use
from symattn.program.program import Stage
from symattn.program.rewrite import Rewriter
from symattn.program.scalar import Arg, Scalar, walk
from symattn.program.spaces import Axis


class Emitter:
    """`stages` are all stages so far by name, `new` the added ones in order."""

    def __init__(self, stages: Iterable[Stage]) -> None:
        self.stages: dict[str, Stage] = {}
        self.new: list[Stage] = []
        self._known: dict[Hashable, str] = {}
        for stage in stages:
            self.stages[stage.name] = stage
            if not isinstance(stage.op, ops.Input):
                self._known.setdefault(key(stage.op), stage.name)

    def fresh(self, base: str) -> str:
        """`base`, or `base_2`, `base_3`, … where it is taken."""
        name, k = base, 1
        while name in self.stages:
            k += 1
            name = f"{base}_{k}"
        return name

    def add(self, base: str, op: ops.Op, letter: str = "") -> str:
        """A new stage, whatever is there; its name."""
        name = self.fresh(base)
        self._write(Stage(name, op, letter))
        return name

    def put(self, base: str, op: ops.Op, letter: str = "") -> str:
        """The stage with this operation: one that is there, else a new one."""
        asked = key(op)
        found = self._known.get(asked)
        if found is None:
            found = self._known[asked] = self.add(base, op, letter)
        return found

    def give(self, name: str, out: tuple[Axis, ...], letter: str = "") -> str:
        """A new input."""
        self._write(Stage(name, ops.Input(out), letter))
        return name

    def _write(self, stage: Stage) -> None:
        self.stages[stage.name] = stage
        self.new.append(stage)

    def own(self, name: str) -> Use:
        """The stage at its own axes."""
        return Use(name, self.stages[name].out)


class _Canonical(Rewriter):
    """Axes by the order in which they are met."""

    def __init__(self) -> None:
        self._names: dict[Axis, Axis] = {}

    def axis(self, axis: Axis) -> Axis:
        """Number k, over the same space."""
        return self._names.setdefault(axis, Axis(f"#{len(self._names)}", axis.space))


def key(op: ops.Op) -> Hashable:
    """Equal for operations that differ in the names of axes and arguments only."""
    if isinstance(op, ops.Input):
        return op
    canonical = _Canonical().op(op)
    if not isinstance(canonical, ops.Map):
        return canonical
    order = dict.fromkeys(node.name for node in walk(canonical.scalar) if isinstance(node, Arg))
    numbered = {name: f"#{k}" for k, name in enumerate(order)}
    uses = dict(canonical.args)
    return canonical.out, Rewriter().tree(canonical.scalar, numbered), tuple(uses[name] for name in order), frozenset(canonical.where)


def fresh_axis(like: Axis, taken: Collection[str]) -> Axis:
    """An axis over the same space whose name is not in `taken`: its own name where that is free, else with a number."""
    name, k = like.name, 1
    while name in taken:
        k += 1
        name = f"{like.name}_{k}"
    return Axis(name, like.space)


def axis_names(stages: Iterable[Stage]) -> set[str]:
    """The names of all axes of the stages' results and inner sums."""
    found: set[str] = set()

    class _Met(Rewriter):
        def axis(self, axis: Axis) -> Axis:
            found.add(axis.name)
            return axis

    met = _Met()
    for stage in stages:
        met.op(stage.op)
    return found


class Arguments:
    """The arguments of a Map being written: uses, each under one name, no name twice."""

    def __init__(self) -> None:
        self.args: dict[str, Use] = {}

    def name(self, base: str, use: Use) -> str:
        """The name under which the tree reads this use."""
        name, k = base, 1
        while name in self.args and self.args[name] != use:
            k += 1
            name = f"{base}_{k}"
        self.args[name] = use
        return name

    def taken(self, tree: Scalar, args: Sequence[tuple[str, Use]]) -> Scalar:
        """A tree that reads `args`, each renamed after its stage."""
        renamed = {name: self.name(use.stage, use) for name, use in args}
        return Rewriter().tree(tree, renamed)

    def all(self) -> tuple[tuple[str, Use], ...]:
        """The arguments in order of appearance."""
        return tuple(self.args.items())


def moved(use: Use, mapping: Mapping[Axis, Axis]) -> Use:
    """The use with axes replaced, all at once."""
    return _Moved(mapping).use(use)


def moved_relation(relation: ops.Relation, mapping: Mapping[Axis, Axis]) -> ops.Relation:
    """The relation with axes replaced, all at once."""
    return _Moved(mapping).relation(relation)


class _Moved(Rewriter):
    def __init__(self, mapping: Mapping[Axis, Axis]) -> None:
        self._mapping = mapping

    def axis(self, axis: Axis) -> Axis:
        return self._mapping.get(axis, axis)
