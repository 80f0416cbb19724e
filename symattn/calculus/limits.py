"""Rules whose relations hold for more than their numbers: limits, independence, any permutation, any number of blocks.

Promises: each asks the kernel's rule of that name, and the words of its certificate become part of the relation. Does not promise: that a
limit is seen; give the difference as text, so that what vanishes is in sight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from symattn.calculus.ordering import signs_of, supposed
from symattn.calculus.reading import parse
from symattn.calculus.setting import needed
from symattn.calculus.task import Task, facts_in, names_in, refused
from symattn.errors import DerivationError
from symattn.language.ast import Name
from symattn.program.ops import Input
from symattn.program.program import Program, Stage
from symattn.proof import rules as kernel
from symattn.proof.certificate import Certificate
from symattn.proof.kernel import prove_equal

MERGED = "_merged"


def tends(task: Task) -> Certificate:
    """before -> after as a number grows: "tends: t | REST | facts", REST being before - after (left out where the limit is 0)."""
    variable, rest, facts = ([*map(str.strip, task.argument.split("|")), "", ""])[:3]
    if not variable:
        raise DerivationError(
            "the rule names what grows", next_move='write "tends: t | exp(-t * g)", with the difference where the limit is not 0'
        )
    known = facts_in(task, facts)
    setting = task.setting
    pairs = [(task.before, task.after)]
    if rest:
        pairs.append((task.before, parse(rest)))
    program, stages = setting.compiled([*pairs, *((f.before, f.after) for f in known if f.sign == "==")])
    proved = [prove_equal(program, *stage) for stage in stages[len(pairs) :]]
    suppose = {name: sign for name, sign in supposed(task).items() if name in program.by_name}
    own = stages[1][1] if rest else ""
    return kernel.tends(program, *stages[0], variable, rest=own, given=signs_of(known), suppose=suppose, facts=proved)


def squeeze(task: Task) -> Certificate:
    """before -> after between two bounds: "squeeze: t | part 1; part 2 | part 3; part 4", the bounds, then their limits."""
    parts = [p.strip() for p in task.argument.split("|")]
    if len(parts) != 3:
        raise DerivationError(
            "the rule names what grows, the bounds and their limits", next_move='write "squeeze: t | part 1; part 2 | part 3"'
        )
    variable, bounds, limits = parts[0], facts_in(task, parts[1]), facts_in(task, parts[2])
    if len(bounds) != 2 or any(f.line is None for f in (*bounds, *limits)):
        raise DerivationError("the rule names lines and parts", next_move='write "squeeze: t | part 1; part 2 | part 3"')
    program, pairs = task.setting.compiled([(task.before, task.after)])
    certificates = [f.line.certificate for f in bounds if f.line is not None]
    ends = [f.line.certificate for f in limits if f.line is not None]
    above, below = certificates if bounds[0].sign.startswith("<") == (bounds[0].before == task.before) else certificates[::-1]
    return kernel.squeeze(program, *pairs[0], variable, above=above, below=below, limits=ends)


def independent(task: Task) -> Certificate:
    """before == after, one computation on x and on y: "zero derivative: x, y"."""
    names = names_in(task.argument)
    if len(names) != 2:
        raise DerivationError("the rule names the two values", next_move='write "zero derivative: X, Y"')
    program, pairs = task.setting.compiled([(task.before, task.after)])
    return kernel.zero_derivative(program, *pairs[0], *names)


def equivariant(task: Task) -> Certificate:
    """before, computed from permuted inputs, is before permuted: "equivariant: n"."""
    if task.before != task.after:
        raise refused("this rule is about one value", "write the same before and after")
    program, pairs = task.setting.compiled([(task.before, task.after)])
    return kernel.equivariant(program, pairs[0][0], task.argument.strip())


def induction(task: Task) -> Certificate:
    """s_merged == s for every number of blocks: "induction: m | s, t", the axis of the blocks and all values of the state."""
    block, _, listed = task.argument.partition("|")
    states = names_in(listed)
    setting = task.setting
    if not states:
        raise DerivationError("the rule names the axis and the state", next_move='write "induction: m | Z, U"')
    own = task.after.id if isinstance(task.after, Name) else ""
    if own not in states or task.before != Name(own + MERGED):
        raise refused(
            "this rule leads from s_merged to s, for a value s of the state", f'write "{states[0]}{MERGED}" before, "{states[0]}" after'
        )
    program = setting.program()
    missing = [s for s in states if s not in program.by_name or s + MERGED not in program.by_name]
    if missing:
        raise DerivationError(f'"{missing[0]}{MERGED}" is not defined', next_move="define what two blocks are merged to")
    spec = needed(program, states)
    merge = _merge(program, states)
    found = kernel.induction(spec, states, merge, block.strip())
    return found[states.index(own)]


def _merge(program: Program, states: list[str]) -> Program:
    """The program that makes one state of two, its results called like the state."""
    part = needed(program, [s + MERGED for s in states])
    renamed = {s + MERGED: s for s in states}
    stages = [Stage(renamed.get(s.name, s.name), s.op, s.letter) for s in part.stages]
    for stage in part.stages:
        if stage.name in states and not isinstance(stage.op, Input):
            raise DerivationError(
                f'"{stage.name}{MERGED}" is made of "{stage.name}" itself', next_move=f"use {stage.name}_1 and {stage.name}_2"
            )
    return Program(tuple(stages))


RULES: Mapping[str, Callable[[Task], Certificate]] = MappingProxyType(
    {"tends": tends, "squeeze": squeeze, "independent": independent, "equivariant": equivariant, "induction": induction}
)
