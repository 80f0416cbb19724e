"""The part of a program that a statement is about.

Promises: the stages that matter, in program order. Does not promise: anything about their values.
"""

from __future__ import annotations

from collections.abc import Collection

from symattn.interp.run import stages_read
from symattn.program import ops
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg


def cone(program: Program, names: Collection[str], stop: Collection[str] = ()) -> list[str]:
    """The stages that these are made of, themselves included, in program order; what stands behind `stop` is left out, but the
    masks of a stage in it stay."""
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            stage = program.by_name[name]
            pending += _masks(stage) if name in stop else stages_read(stage)
    return [stage.name for stage in program.stages if stage.name in found]


def _masks(stage: Stage) -> list[str]:
    where = stage.op.where if isinstance(stage.op, ops.Map) else ()
    return [r.use.stage for r in where if isinstance(r, ops.Allowed)]


def cut(program: Program, names: Collection[str], atoms: Collection[str]) -> Program:
    """The program of these stages alone, those in `atoms` as inputs. A Map with relations keeps them: its other entries stay absent."""
    stages: list[Stage] = []
    for name in cone(program, names, atoms):
        stage = program.by_name[name]
        if name not in atoms or isinstance(stage.op, ops.Input):
            stages.append(stage)
        elif isinstance(stage.op, ops.Map) and stage.op.where:
            stages.append(Stage(f"{name}*", ops.Input(stage.out)))
            given = ops.Use(f"{name}*", stage.out)
            stages.append(Stage(name, ops.Map(stage.out, Arg("value"), (("value", given),), stage.op.where)))
        else:
            stages.append(Stage(name, ops.Input(stage.out)))
    return Program(tuple(stages))
