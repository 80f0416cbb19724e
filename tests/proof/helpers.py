"""Programs for proofs: from text, and several programs over the same inputs in one."""

from __future__ import annotations

from dataclasses import replace

from symattn.language.builder import AxisDecl, Builder
from symattn.program import ops
from symattn.program.program import Program, Stage
from symattn.program.rewrite import Rewriter
from symattn.program.spaces import Axis, Space


def program(shapes: dict[str, str], **definitions: str) -> Program:
    """Inputs with their axes ("n,d"; "" for a number), then definitions in order."""
    b = Builder()
    for name, axes in shapes.items():
        b.give(name, [AxisDecl(a, int(a) if a.isdigit() else a) if not a.isdigit() else AxisDecl("", int(a)) for a in axes.split(",") if a])
    for name, text in definitions.items():
        b.define(name, text)
    return b.program()


class _Renamed(Rewriter):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def use(self, use: ops.Use) -> ops.Use:
        return replace(use, stage=self._names.get(use.stage, use.stage))


def together(*programs: Program) -> Program:
    """The stages of the k-th program as `name@k`; inputs of one name are shared."""
    stages: dict[str, Stage] = {}
    for k, one in enumerate(programs):
        names: dict[str, str] = {}
        for stage in one.stages:
            if isinstance(stage.op, ops.Input):
                stages.setdefault(stage.name, stage)
            else:
                op = _Renamed(names).op(stage.op)
                names[stage.name] = f"{stage.name}@{k}"
                stages[names[stage.name]] = Stage(names[stage.name], op)
    return Program(tuple(stages.values()))


class _Over(Rewriter):
    def __init__(self, axis_name: str, space: Space) -> None:
        self._name, self._space = axis_name, space

    def axis(self, axis: Axis) -> Axis:
        return Axis(axis.name, self._space) if axis.name == self._name else axis


def over(one: Program, axis_name: str, space: Space) -> Program:
    """The program with another index set for every axis of this name."""
    return Program(tuple(Stage(s.name, _Over(axis_name, space).op(s.op), s.letter) for s in one.stages))
