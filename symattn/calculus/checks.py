"""A gradient at a point, against dual numbers: <upstream, J v> = <J' upstream, v> in exact arithmetic.

Promises: the left side comes from dual numbers (dual.py), which share no rule with the backward pass; the comparison has no tolerance.
Does not promise: anything about other points; that is what certificates are for (adjoint.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from symattn.calculus.dual import directional
from symattn.calculus.gradient import Gradient
from symattn.interp.tensor import Tensor
from symattn.program.graph import absent_where, cut, known_stage
from symattn.program.ops import Input
from symattn.proof.evidence import SAMPLED, Counterexample, Evidence, StepRejected


def check_at(
    gradient: Gradient,
    feeds: Mapping[str, Any],
    *,
    directions: int = 2,
    seed: int = 0,
    sizes: Mapping[str, int] | None = None,
    parameters: Mapping[str, int] | None = None,
) -> Evidence:
    """Compare every asked gradient at `feeds` (the inputs of `gradient.program`) along random rational directions, variable by variable.

    Raises StepRejected for a gradient that is wrong there, naming the variable; UnsupportedError where the program leaves the exact
    numbers, UndecidedError where equality was not decided, DomainError where the derivative does not exist."""
    values = gradient.program.evaluate(feeds, sizes=sizes, parameters=parameters)
    upstream = values[gradient.upstream] if gradient.upstream is not None else None
    rng = Random(seed)
    for asked, gradient_stage in gradient.names.items():
        name = known_stage(gradient.program, asked, "the variable")
        stage = gradient.program.by_name[name]
        given = isinstance(stage.op, Input)
        part = cut(gradient.program.by_name, [gradient.of], {} if given else {name: absent_where(stage)})
        moving = name if given or name in {s.name for s in part.inputs} else f"{name}_free"
        point = {s.name: values[name] if s.name == moving and not given else values[s.name] for s in part.inputs}
        for _ in range(directions):
            direction = Tensor(values[name].shape, [_small(rng) for _ in values[name].entries], values[name].absent)
            moved = directional(part, point, {moving: direction}, sizes=values.sizes, parameters=parameters)[gradient.of][1]
            left = _dot(moved, upstream) if upstream is not None else moved.entries[0]
            right = _dot(values[gradient_stage], direction)
            if left != right:
                inputs = tuple((s.name, str(values[s.name].nested())) for s in gradient.program.inputs)
                found = Counterexample(tuple(values.sizes.items()), inputs, (), str(left), str(right))
                raise StepRejected(f'"{gradient_stage}" is not the gradient by "{asked}"', counterexample=found)
    return Evidence(SAMPLED, (tuple(values.sizes.items()),), points=directions)


def _small(rng: Random) -> Fraction:
    return Fraction(rng.choice((-3, -2, -1, 1, 2, 3)), rng.choice((1, 2, 3)))


def _dot(a: Tensor[Any], b: Tensor[Any]) -> Any:
    total: Any = Fraction(0)
    for x, y in zip(a.entries, b.entries, strict=True):
        total = x * y + total
    return total
