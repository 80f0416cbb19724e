"""Induction over blocks: what merges correctly for two blocks merges correctly for any number of them.

A *state* is a set of stages that a program `spec` computes from the entries of one block (maximum, sum, mix). `merge` makes one state of
two. If merge(spec(A), spec(B)) = spec(A and B together), whatever the sizes and entries of A and B, then merging the states of any
number of blocks, in any grouping, gives the state of all of them: A may itself be made of blocks. One block needs no merge.

Promises: the step is proved for two blocks of any sizes. Does not promise: anything of blocks without entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from symattn.errors import ProgramError
from symattn.program import ops
from symattn.program.program import Program, Stage, index_axes, relation_axes
from symattn.program.rewrite import Rewriter
from symattn.program.spaces import Axis, Space
from symattn.proof.certificate import Certificate, Statement, mint
from symattn.proof.kernel import Budget, prove_equal
from symattn.proof.known import PROVED

SCOPE = "for every number of blocks"


def induction(spec: Program, states: Sequence[str], merge: Program, block: str, *, budget: Budget | None = None) -> tuple[Certificate, ...]:
    """One certificate `merged s == s` for each state s, for every number of blocks.

    `spec` computes the stages `states` from inputs, some of which run along the space named `block` (its size a symbol); `merge` has inputs
    `s_1`, `s_2` and stages `s` for every state s, over the axes that they have in `spec`; other inputs of the same name are shared.
    Raises ProgramError where the two programs do not fit, StepRejected and Undecided from the proof of the step."""
    step = blocks_step(spec, states, merge, block)
    steps = [prove_equal(step, f"merged {s}", f"{s} of both", budget=budget) for s in states]
    hypotheses = tuple(dict.fromkeys(h for c in steps for h in c.hypotheses))
    found = []
    for s in states:
        statement = Statement(step, f"merged {s}", f"{s} of both", scope=SCOPE)
        found.append(mint(statement, PROVED, hypotheses, tuple(steps), (), "induction"))
    return tuple(found)


def blocks_step(spec: Program, states: Sequence[str], merge: Program, block: str) -> Program:
    """The program of the induction step: inputs over both blocks; `s of 1`, `s of 2`, `s of both` from `spec`, `merged s` from `merge`."""
    space = next((s for s in spec.spaces() if s.name == block), None)
    if space is None or not isinstance(space.size, str) or not space.size:
        raise ProgramError(f'the program has no space "{block}" whose size is a symbol')
    for s in states:
        wanted = spec.by_name.get(s)
        for name in (f"{s}_1", f"{s}_2", s):
            have = merge.by_name.get(name)
            if wanted is None or have is None or [a.space for a in have.out] != [a.space for a in wanted.out]:
                raise ProgramError(
                    f'the state "{s}" is not the same in both programs', next_move=f'"{name}" must be there, over the same sets'
                )
        if any(a.space == space for a in spec.by_name[s].out):
            raise ProgramError(f'the state "{s}" still runs along the block')
    parts = (Space(f"{block} 1", f"{space.size}_1"), Space(f"{block} 2", f"{space.size}_2"))
    both = Space(block, blocks=parts)
    stages: dict[str, Stage] = {}
    for stage in spec.inputs:
        stages[stage.name] = Stage(stage.name, _Onto(space, both, {}).op(stage.op))
    for k, part in enumerate(parts, 1):
        names = {}
        for stage in spec.inputs:
            if any(a.space == space for a in stage.out):
                names[stage.name] = f"{stage.name} of {k}"
                stages[names[stage.name]] = Stage(names[stage.name], _slice(stage, space, both, part))
        _copy(stages, spec, names, partial(_called, str(k)), space, part)
    _copy(stages, spec, {}, partial(_called, "both"), space, both)
    for stage in merge.stages:
        if any(a.space == space for a in stage.out):
            raise ProgramError(f'"{stage.name}" of the merge runs along the block', next_move="a merge sees states only")
    taken = {f"{s}_{k}": f"{s} of {k}" for s in states for k in (1, 2)}
    for stage in merge.inputs:
        if stage.name not in taken:
            if stage.name in stages and stages[stage.name].op != stage.op:
                raise ProgramError(f'the input "{stage.name}" is not the same in both programs')
            stages.setdefault(stage.name, stage)
    _copy(stages, merge, taken, lambda name: f"merged {name}", space, space)
    return Program(tuple(stages.values()))


def _slice(stage: Stage, space: Space, both: Space, part: Space) -> ops.Op:
    """The part of an input that belongs to one block."""
    if isinstance(stage.op, ops.Input) and stage.op.boolean:
        raise ProgramError(f'the mask "{stage.name}" runs along the block')
    out = tuple(replace(a, space=part) if a.space == space else a for a in stage.out)
    places = tuple(ops.Inject(both, part.name, a) if a.space == part else a for a in out)
    return ops.Contract(out, (ops.Use(stage.name, places),))


def _called(of: str, name: str) -> str:
    return f"{name} of {of}"


def _copy(stages: dict[str, Stage], program: Program, names: Mapping[str, str], call: Callable[[str], str], old: Space, new: Space) -> None:
    """The computed stages of a program under new names, reading renamed ones, over another block."""
    names = dict(names)
    for stage in program.stages:
        if not isinstance(stage.op, ops.Input):
            op = _Onto(old, new, names).op(stage.op)
            names[stage.name] = call(stage.name)
            stages[names[stage.name]] = Stage(names[stage.name], op)


class _Onto(Rewriter):
    """An operation over another block, reading renamed stages. Nothing in it may look at positions along the block."""

    def __init__(self, old: Space, new: Space, names: Mapping[str, str]) -> None:
        self._old, self._new, self._names = old, new, names

    def axis(self, axis: Axis) -> Axis:
        """Over the new block in place of the old one."""
        return Axis(axis.name, self._new) if axis.space == self._old else axis

    def index(self, index: ops.Index) -> ops.Index:
        """Raises ProgramError for a fixed position along the block."""
        if isinstance(index, ops.At) and index.space == self._old:
            raise ProgramError("a fixed position along the block of an induction")
        if not isinstance(index, Axis | ops.At) and any(a.space == self._old for a in index_axes(index)):
            raise ProgramError("the block of an induction is part of another set")
        return super().index(index)

    def relation(self, relation: ops.Relation) -> ops.Relation:
        """Raises ProgramError where positions along the block are compared."""
        alike = isinstance(relation, ops.Allowed) or (isinstance(relation, ops.Same) and relation.i.space == relation.j.space)
        if not alike and any(a.space == self._old for a in relation_axes(relation)):
            raise ProgramError("positions along the block of an induction are compared")
        return super().relation(relation)

    def use(self, use: ops.Use) -> ops.Use:
        """The stage under its new name."""
        return ops.Use(self._names.get(use.stage, use.stage), super().use(use).indices)

    def op(self, op: ops.Op) -> ops.Op:
        """Raises ProgramError where positions along the block are read."""
        if isinstance(op, ops.Position) and op.out[0].space == self._old:
            raise ProgramError("positions along the block of an induction are read")
        return super().op(op)
