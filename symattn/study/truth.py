"""The exact value of a program's stages for float inputs, as pairs of float64 with a proven radius, and errors held against it.

Promises: inputs are the binary numbers they are; each entry is enclosed by Arb, `high` is the float64 nearest to its middle, `low` the
rest, and the exact value lies within `radius` of high + low; `correctly_rounded` says None where that does not decide.
Does not promise: more than about 100 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from symattn.errors import UndecidedError
from symattn.interp import balls
from symattn.interp.run import Runner
from symattn.interp.tensor import Tensor
from symattn.number.formats import Format
from symattn.number.precision import flint_bits
from symattn.program.program import Program
from symattn.study.vector import round_array, step_of

BITS = 160
Array = Any


@dataclass(frozen=True)
class Truth:
    """Exact values: high + low, within radius."""

    high: Array
    low: Array
    radius: Array

    def error(self, found: Array) -> Array:
        """|found - exact|, to float64 accuracy; infinite where `found` is no number."""
        wide = np.asarray(found).astype(np.float64)
        with np.errstate(all="ignore"):
            error = np.abs((wide - self.high) - self.low)
        return np.where(np.isfinite(wide), error, np.inf)

    def ulps(self, found: Array, fmt: Format) -> Array:
        """The error in units of the last place of the exact value."""
        return self.error(found) / step_of(self.high, fmt)

    def rounded(self, fmt: Format) -> Array:
        """The correct rounding of every value. Raises UndecidedError where the enclosure does not decide."""
        if fmt.precision == 53:
            if np.any(np.abs(self.low) + self.radius >= step_of(self.high, fmt) / 2) and np.any(self.high != 0):
                raise UndecidedError("the enclosure does not decide the rounding to float64", next_move="raise the bits")
            return self.high
        below, above = round_array(np.nextafter(self.high, -np.inf), fmt), round_array(np.nextafter(self.high, np.inf), fmt)
        # Only a tie of the format lies between them, and it is a float64: the rest says on which side of it the value is.
        if np.any((below != above) & (np.abs(self.low) <= self.radius) & (round_array(self.high, fmt).astype(np.float64) != self.high)):
            raise UndecidedError(f"the enclosure does not decide the rounding to {fmt.name}", next_move="raise the bits")
        at = round_array(self.high, fmt)
        tie = (below != above) & (at.astype(np.float64) != self.high)
        return np.where(tie, np.where(self.low > 0, above, below), at)


def truths(program: Program, feeds: Mapping[str, Array], stages: tuple[str, ...], bits: int = BITS) -> dict[str, Truth]:
    """The exact values of some stages for float arrays."""
    with flint_bits(bits):
        given = {name: Tensor(tuple(a.shape), [arb(float(x)) for x in np.asarray(a).reshape(-1)]) for name, a in feeds.items()}
        runner = Runner(program, given, balls.TABLE)
        return {name: _truth(runner.value(name), bits) for name in stages}


def _truth(tensor: Tensor[Any], bits: int) -> Truth:
    high = [float(x.mid()) for x in tensor.entries]
    low = [float((x - h).mid()) for x, h in zip(tensor.entries, high, strict=True)]
    # the radius, and what float64 cannot hold of the rest
    radius = [float(x.rad()) * 1.01 + abs(r) * 2.0**-52 for x, r in zip(tensor.entries, low, strict=True)]
    shape = tensor.shape
    return Truth(np.array(high).reshape(shape), np.array(low).reshape(shape), np.array(radius).reshape(shape))
