"""Full Jacobians in index notation: every partial derivative at once, by a delta for the direction.

J[i, a] = d of[i] / d wrt[a]: the axes of `of`, then those of `wrt` under names of their own. Forward mode gives each entry of `wrt` its own
direction δ(a, a'), reverse mode each entry of `of` its own upstream; the two give the same matrix by different stages.

Promises: symbolic sizes; deltas are relations, which readings solve and proofs substitute. Does not promise: that a Jacobian is small; it
has as many entries as both together, and a vector-Jacobian product (reverse.py) never needs it.
"""

from __future__ import annotations

from dataclasses import dataclass

from symattn.calculus.reverse import Backward
from symattn.errors import ProgramError
from symattn.program.emitter import axis_names, fresh_axis
from symattn.program.graph import known_stage, variable
from symattn.program.ops import Contract, Same, Use
from symattn.program.program import Program, Stage
from symattn.program.spaces import Axis
from symattn.program.tangent import symbol, tangent


@dataclass(frozen=True)
class Jacobian:
    """`program` answers with `name`, a stage over `rows` (the axes of `of`) and `columns` (those of `wrt`, renamed)."""

    program: Program
    of: str
    wrt: str
    name: str
    rows: tuple[Axis, ...]
    columns: tuple[Axis, ...]
    hypotheses: tuple[str, ...] = ()


def jacobian(program: Program, of: str, wrt: str, mode: str = "forward") -> Jacobian:
    """Every partial derivative of `of` by `wrt`. `mode` is "forward" or "reverse".

    Raises what `forward` and `reverse` raise."""
    of, wrt = known_stage(program, of, "the stage"), variable(program, wrt)
    if mode not in ("forward", "reverse"):
        raise ProgramError(f"mode is {mode!r}", next_move='write "forward" or "reverse"')
    rows, start = program.by_name[of].out, program.by_name[wrt].out
    taken = axis_names(program.stages)
    batch: list[Axis] = []
    for axis in start if mode == "forward" else rows:
        batch.append(fresh_axis(axis, taken))
        taken.add(batch[-1].name)
    copied = start if mode == "forward" else rows
    delta = _name(program, f"delta_{symbol(program.by_name[wrt if mode == 'forward' else of])}")
    seeded = Program((*program.stages, Stage(delta, _delta(copied, tuple(batch)))), program.output)
    if mode == "forward":
        found = tangent(seeded, of, {wrt: delta}, tuple(batch))
        return Jacobian(found.program, of, wrt, found.name, rows, tuple(batch), found.hypotheses)
    gradient = Backward(seeded, of, [wrt], delta, tuple(batch)).gradient()
    columns = []
    for axis in start:
        columns.append(fresh_axis(axis, taken))
        taken.add(columns[-1].name)
    # The gradient has the axes of `wrt` first; here those of `of` stand first, whatever the mode.
    turned = Contract((*batch, *columns), (Use(gradient.names[wrt], (*columns, *batch)),))
    name = _name(gradient.program, f"d{symbol(program.by_name[of])}_d{symbol(program.by_name[wrt])}")
    whole = Program((*gradient.program.stages, Stage(name, turned)), name)
    return Jacobian(whole, of, wrt, name, tuple(batch), tuple(columns), gradient.hypotheses)


def _delta(axes: tuple[Axis, ...], copies: tuple[Axis, ...]) -> Contract:
    """1 where each axis equals its copy, else 0."""
    return Contract((*axes, *copies), (), tuple(Same(a, b) for a, b in zip(axes, copies, strict=True)))


def _name(program: Program, base: str) -> str:
    name, k = base, 1
    while name in program.by_name:
        k += 1
        name = f"{base}_{k}"
    return name
