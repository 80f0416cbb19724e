"""Second derivatives, by taking the backward pass of a backward pass.

For a scalar f, or <upstream, of> with a fixed upstream, the gradient is a stage of a program, so its derivative is one too:
H v = gradient of <gradient, v>, which is what a backward pass from the gradient with the upstream v gives (H is symmetric).

Promises: symbolic sizes, any stages as variables. Does not promise: symmetry by construction: it is a theorem, checked like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symattn.calculus.jacobian import Jacobian, jacobian
from symattn.calculus.reverse import reverse
from symattn.errors import ProgramError
from symattn.program.emitter import Arguments, Emitter
from symattn.program.graph import known_stage, variable
from symattn.program.ops import Contract, Map, Use
from symattn.program.program import Program
from symattn.program.scalar import Arg, Binary, Scalar
from symattn.program.tangent import put_direction


@dataclass(frozen=True)
class HessianVector:
    """`program` has a stage `names[x]` for each variable x: the part of H v that belongs to x."""

    program: Program
    of: str
    names: Mapping[str, str]
    upstream: str | None
    hypotheses: tuple[str, ...]


def hessian_vector(program: Program, of: str, wrt: Mapping[str, str], upstream: str | None = None) -> HessianVector:
    """H v for the Hessian of `of` by all variables of `wrt` together; `wrt` maps each to the name of its direction.

    `of` with axes is weighed by `upstream`, a stage or a new input, introduced when none is given. Raises what `reverse` raises."""
    first = reverse(program, of, list(wrt), upstream)
    emitter = Emitter(first.program.stages)
    arguments = Arguments()
    total: Scalar | None = None
    for name, direction in wrt.items():
        gradient = first.names[name]
        put_direction(emitter, gradient, direction)
        pair = emitter.put(f"{gradient}.along", Contract((), (emitter.own(gradient), Use(direction, emitter.stages[gradient].out))))
        leaf = Arg(arguments.name(pair, emitter.own(pair)))
        total = leaf if total is None else Binary("add", total, leaf)
    if total is None:
        raise ProgramError("no direction is given", next_move='name one: hessian_vector(program, "loss", {"W_Q": "V_Q"})')
    slope = emitter.put("slope_along", Map((), total, arguments.all()))
    second = reverse(Program((*first.program.stages, *emitter.new), slope), slope, list(wrt))
    return HessianVector(
        second.program, first.of, second.names, first.upstream, tuple(dict.fromkeys((*first.hypotheses, *second.hypotheses)))
    )


def hessian(program: Program, of: str, wrt: str, by: str | None = None, upstream: str | None = None) -> Jacobian:
    """The Hessian of `of` (weighed by `upstream` where it has axes): the Jacobian of its gradient by `wrt`, differentiated by `by`,
    `wrt` itself unless it is given. Rows are the axes of `wrt`, columns those of `by`. Raises what `reverse` raises."""
    known_stage(program, of, "the stage")
    other = variable(program, by if by is not None else wrt)
    first = reverse(program, of, [wrt], upstream)
    found = jacobian(first.program, first.names[wrt], other, "reverse")
    hypotheses = tuple(dict.fromkeys((*first.hypotheses, *found.hypotheses)))
    return Jacobian(found.program, first.names[wrt], other, found.name, found.rows, found.columns, hypotheses)
