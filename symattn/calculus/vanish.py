"""Cotangents that are 0 for all sizes: why a row maximum needs no derivative.

In the shifted softmax every constant may be subtracted, so the cotangent of the row maximum is 0 whatever the scores are: the backward pass
proves that before it differentiates a maximum, and where the proof succeeds neither the derivative of max nor the hypothesis that it is
attained once is needed. The identity is local: it holds by a few stages after the maximum, whatever the cotangents further on are. How few
is found by trying random numbers modulo a prime; the proof is then one.

Promises: nothing is left out without a certificate. Does not promise: that every cotangent that is 0 is found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from random import Random
from typing import TYPE_CHECKING

from symattn.calculus.products import is_arithmetic
from symattn.errors import SymattnError, UndecidedError
from symattn.interp.run import Runner
from symattn.interp.tensor import Tensor
from symattn.program.generalize import generalized
from symattn.program.graph import absent_where, cut, dependents
from symattn.program.ops import Contract, Input, Map, Relation
from symattn.program.program import Program, Stage, sizes_used
from symattn.program.scalar import Num

if TYPE_CHECKING:
    from symattn.calculus.reverse import Backward
    from symattn.proof.certificate import Certificate

ZERO = Num(Fraction(0))


@dataclass(frozen=True)
class Vanishing:
    """The cotangent `cotangent` of `stage` is 0, whatever the values of the stages in `frontier` are."""

    stage: str
    cotangent: str
    frontier: Mapping[str, tuple[Relation, ...]]
    certificate: Certificate

    def renamed(self, names: Mapping[str, str]) -> Vanishing:
        """The same with stages under their new names."""
        frontier = {names.get(name, name): where for name, where in self.frontier.items()}
        return replace(self, cotangent=names.get(self.cotangent, self.cotangent), frontier=frontier)

    def statement(self, stages: Mapping[str, Stage]) -> tuple[Program, str, str]:
        """The program, and the two stages that are equal: the cotangent and 0."""
        return _statement(stages, self.cotangent, self.frontier)


def _statement(stages: Mapping[str, Stage], cotangent: str, frontier: Mapping[str, tuple[Relation, ...]]) -> tuple[Program, str, str]:
    base = cut(stages, [cotangent], frontier)
    zero = "zero"
    while zero in base.by_name:
        zero += "_"
    return generalized(Program((*base.stages, Stage(zero, Map(stages[cotangent].out, ZERO))), cotangent)), cotangent, zero


def vanishing(walker: Backward, stage: Stage, cotangent: str) -> Vanishing | None:
    """The proof that the cotangent of `stage` is 0, None when none was found."""
    from symattn.proof.evidence import StepRejected
    from symattn.proof.kernel import prove_equal

    stages = walker.emitter.stages
    after = dependents(walker.program.stages, {stage.name}) - {stage.name}
    unfolded = {name for name in after if _is_unfolded(stages[name])}
    fixed = {s.name: absent_where(s) for s in stages.values() if s.name not in unfolded and s.name not in walker.levels}
    levels = [walker.order[s.name] for s in walker.program.stages if s.name in after and s.name in walker.cotangents]

    def statement(reach: int) -> tuple[Program, str, str, dict[str, tuple[Relation, ...]]]:
        """The statement when the cotangents beyond the first `reach` stages after this one are free."""
        limit = levels[reach] if reach < len(levels) else levels[-1] + 1
        frontier = {**fixed, **{name: () for name, level in walker.levels.items() if level >= limit and name != cotangent}}
        program, left, right = _statement(stages, cotangent, frontier)
        return program, left, right, {name: where for name, where in frontier.items() if name in program.by_name}

    found = _least(len(levels), lambda reach: _seems_zero(statement(reach)[0], cotangent))
    if found is None:
        return None
    program, left, right, frontier = statement(found)
    try:
        return Vanishing(stage.name, cotangent, frontier, prove_equal(program, left, right))
    except (StepRejected, UndecidedError):
        return None


def _least(most: int, holds: Callable[[int], bool]) -> int | None:
    """The least number from 1 to `most` for which `holds`, which stays true once it is; None when there is none."""
    low, high = 0, 1
    while not (high <= most and holds(high)):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _seems_zero(program: Program, name: str) -> bool:
    """Is the stage 0 at a random point, modulo a prime? What is not, is not worth a proof."""
    from symattn.proof.residues import TABLE, P, Q

    rng = Random(0)
    sizes = dict.fromkeys(sizes_used(program), 2)
    feeds = {}
    for stage in program.inputs:
        shape = tuple(a.space.extent(sizes) for a in stage.out)
        boolean = isinstance(stage.op, Input) and stage.op.boolean
        entries = [True if boolean else (rng.randrange(1, P), rng.randrange(1, Q)) for _ in range(prod(shape))]
        feeds[stage.name] = Tensor(shape, entries)
    try:
        return not any(x[0] for x in Runner(program, feeds, TABLE, sizes, _Twos()).value(name).entries)
    except SymattnError:
        return True  # what cannot be tried is left to the proof


class _Twos(dict[str, int]):
    """Any named integer of a relation is 2."""

    def __missing__(self, name: str) -> int:
        return 2

    def __contains__(self, name: object) -> bool:
        return True


def _is_unfolded(stage: Stage) -> bool:
    return isinstance(stage.op, Contract) or (isinstance(stage.op, Map) and is_arithmetic(stage.op.scalar))
