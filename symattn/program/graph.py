"""Which stages read which: operands, ancestors, dependents, and programs cut out of a program.

Promises: order is that of the program; a mask read by a relation counts as read, never as an operand (it is not differentiated).
Does not promise: anything about values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches

from symattn.errors import ProgramError
from symattn.program import ops
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg


def value_uses(op: ops.Op) -> tuple[ops.Use, ...]:
    """The uses whose values an operation computes with, in reading order."""
    match op:
        case ops.Contract(uses=uses):
            return uses
        case ops.Map(args=args):
            return tuple(use for _, use in args)
        case ops.Reduce(use=use, empty=empty):
            return (use, empty) if isinstance(empty, ops.Use) else (use,)
        case _:
            return ()


def operands(op: ops.Op) -> tuple[str, ...]:
    """The stages an operation computes with, each once."""
    return tuple(dict.fromkeys(use.stage for use in value_uses(op)))


def relations_of(op: ops.Op) -> tuple[ops.Relation, ...]:
    """The relations of an operation."""
    return op.where if isinstance(op, ops.Contract | ops.Map | ops.Reduce) else ()


def reads(op: ops.Op) -> tuple[str, ...]:
    """The stages an operation reads, masks included, each once."""
    return tuple(dict.fromkeys((*operands(op), *masks_read(relations_of(op)))))


def masks_read(relations: Iterable[ops.Relation]) -> tuple[str, ...]:
    """The boolean inputs that relations read."""
    return tuple(dict.fromkeys(r.use.stage for r in relations if isinstance(r, ops.Allowed)))


def absent_where(stage: Stage) -> tuple[ops.Relation, ...]:
    """The relations outside of which a stage's entries are absent: those of a Map."""
    return stage.op.where if isinstance(stage.op, ops.Map) else ()


def ancestors(stages: Mapping[str, Stage], *targets: str) -> set[str]:
    """The stages that the targets read, directly or not, and the targets."""
    found: set[str] = set()
    pending = list(targets)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += reads(stages[name].op)
    return found


def dependents(stages: Iterable[Stage], sources: Collection[str]) -> set[str]:
    """The stages whose value changes with one of `sources`, and `sources`."""
    found = set(sources)
    for stage in stages:
        if any(name in found for name in operands(stage.op)):
            found.add(stage.name)
    return found


def cut(stages: Mapping[str, Stage], targets: Sequence[str], frontier: Mapping[str, tuple[ops.Relation, ...]], output: str = "") -> Program:
    """The program of `targets` and what they read, in which the stages of `frontier` hold any value.

    Each stage of the frontier comes with the relations outside of which it is 0 (`absent_where` of a stage): without any it is an input;
    else it keeps its name and is the copy of an input, its name with "_free" after it, where they hold. Targets may be in the frontier."""
    wanted: set[str] = set()
    pending = list(targets)
    while pending:
        name = pending.pop()
        if name in wanted:
            continue
        wanted.add(name)
        pending += masks_read(frontier[name]) if name in frontier else reads(stages[name].op)
    found: list[Stage] = []
    for name, stage in stages.items():
        if name in wanted:
            found += free(stage, frontier[name], stages) if name in frontier else [stage]
    return Program(tuple(found), output or targets[-1])


def free(stage: Stage, where: tuple[ops.Relation, ...], taken: Collection[str] = ()) -> list[Stage]:
    """The stage with any value: an input, and with relations its copy where they hold."""
    if not where:
        return [stage if isinstance(stage.op, ops.Input) else Stage(stage.name, ops.Input(stage.out), stage.letter)]
    name = f"{stage.name}_free"
    while name in taken:
        name += "_"
    copied = ops.Map(stage.out, Arg(name), ((name, ops.Use(name, stage.out)),), where)
    return [Stage(name, ops.Input(stage.out)), Stage(stage.name, copied, stage.letter)]


def known_stage(program: Program, name: str, role: str) -> str:
    """The stage of this name, or the only one with this letter. Raises ProgramError with the nearest names."""
    if name in program.by_name:
        return name
    lettered = [s.name for s in program.stages if s.letter == name]
    if len(lettered) == 1:
        return lettered[0]
    if lettered:
        raise ProgramError(f'{role} "{name}" could be {" or ".join(lettered)}', next_move="write the name of the stage")
    known = list(program.by_name)
    low = {n.lower(): n for n in reversed(known)}
    near = [n for n in known if n.lower() == name.lower()] or get_close_matches(name, known, n=2)
    near = near or [low[n] for n in get_close_matches(name.lower(), list(low), n=2)]
    hint = "did you mean " + " or ".join(near) + "?" if near else "its stages: " + ", ".join(known[:20]) + (", …" if known[20:] else "")
    raise ProgramError(f'{role} "{name}" is not a stage of the program', next_move=hint)


def variable(program: Program, name: str, role: str = "the variable") -> str:
    """A stage that one can differentiate by. Raises ProgramError for a mask and for positions."""
    found = known_stage(program, name, role)
    op = program.by_name[found].op
    if isinstance(op, ops.Input) and op.boolean:
        raise ProgramError(f'{role} "{name}" is a mask: it selects terms and has no derivative', next_move="name a matrix of numbers")
    if isinstance(op, ops.Position):
        raise ProgramError(f'{role} "{name}" holds positions, which do not vary', next_move="name a stage that is computed or given")
    return found
