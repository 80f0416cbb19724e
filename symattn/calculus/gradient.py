"""What a reverse pass returns.

Promises: frozen data; the adjoint obligations are built from the program itself when they are asked for, so a program that was changed
afterwards has obligations that fail. Does not promise: that they hold; the kernel proves them (adjoint.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from symattn.program.program import Program, Stage
from symattn.program.spaces import Axis

if TYPE_CHECKING:
    from symattn.calculus.adjoint import Obligation
    from symattn.calculus.vanish import Vanishing


@dataclass(frozen=True, repr=False)
class Gradient:
    """`program` has the original stages and those of the backward pass; `names` gives the stage that holds the gradient by each asked
    stage, in the order of asking; `upstream` is the stage that weighs the entries of `of`, None where `of` is one number.

    `cotangents` gives the gradient stage of every stage between the asked ones and `of`; `vanishing` lists those that were proved to be 0
    for all sizes (of row maxima), which nothing is computed from; `workings` is the program with those stages too.
    `hypotheses` says what must hold at the point besides the domains of the functions; `batch` are axes that every
    cotangent has after those of its stage."""

    program: Program
    of: str
    names: Mapping[str, str]
    upstream: str | None
    cotangents: Mapping[str, str]
    workings: Program = field(repr=False)
    vanishing: tuple[Vanishing, ...] = ()
    hypotheses: tuple[str, ...] = ()
    batch: tuple[Axis, ...] = ()

    @cached_property
    def obligations(self) -> tuple[Obligation, ...]:
        """What has to be proved of each cotangent: see adjoint.py."""
        from symattn.calculus.adjoint import obligations

        return obligations(self)

    def __repr__(self) -> str:
        """`Gradient(of output by W_Q (dW_Q), X (dX); upstream dO; 17 stages)`."""
        asked = ", ".join(f"{name} ({stage})" for name, stage in self.names.items())
        upstream = f"; upstream {self.upstream}" if self.upstream is not None else ""
        needs = f"; where {'; '.join(self.hypotheses)}" if self.hypotheses else ""
        return f"Gradient(of {self.of} by {asked}{upstream}{needs}; {len(self.program.stages)} stages)"

    def stage(self, name: str) -> Stage:
        """The gradient stage of an asked stage."""
        return self.program.by_name[self.names[name]]
