"""Every entry of a program as a `Quantity`: exact where the exact reading reaches, else balls that are re-run for more bits.

Promises: nothing is computed before it is asked for, and nothing twice; a stage that leaves the exact numbers does not spoil those
before it. Loads neither NumPy nor SymPy nor mpmath, and no flint before an enclosure is needed.
Does not promise: `rational()` for what only balls reach, unless the ball is a point.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symattn.errors import UndecidedError, UnsupportedError
from symattn.interp.exact import TABLE, exact_feeds
from symattn.interp.run import Runner
from symattn.interp.take import take_feeds
from symattn.interp.tensor import Tensor
from symattn.number.exact import Exact
from symattn.number.truth import CAP_BITS, Enclosure, Quantity
from symattn.program.program import Program

if TYPE_CHECKING:
    from symattn.interp.balls import BallRuns

GUARD_BITS = 32
# A number whose ball still contains 0 with this many bits, or 4 times those asked for, is left at that.
ZERO_BITS = 1024


class Quantities:
    """The entries of a program for given inputs; make it with `quantities`."""

    def __init__(self, program: Program, feeds: Mapping[str, Tensor[Any]], sizes: Mapping[str, int], parameters: Mapping[str, int]) -> None:
        self.program = program
        self._feeds = feeds
        self._exact = Runner(program, exact_feeds(feeds), TABLE, sizes, parameters)
        self._balls: BallRuns | None = None
        self._enclosed: dict[tuple[str, int], BallQuantity] = {}

    @property
    def sizes(self) -> Mapping[str, int]:
        """The value of each size symbol."""
        return self._exact.sizes

    def shape(self, stage: str) -> tuple[int, ...]:
        """The shape of a stage; nothing is computed."""
        return self._exact.shape(stage)

    def of(self, stage: str, index: tuple[int, ...] = ()) -> Quantity:
        """One entry. Raises ShapeError for an index outside, MaskedRowError, DomainError for what has no value."""
        shape = self.shape(stage)
        flat = Tensor(shape, range(_count(shape))).flat(index)
        tensor = self._exact_tensor(stage)
        return tensor.entries[flat] if tensor is not None else self._enclose(stage, flat)

    def tensor(self, stage: str) -> Tensor[Quantity]:
        """A whole stage; entries that a mask removed are named in `absent` and hold 0."""
        tensor = self._exact_tensor(stage)
        if tensor is not None:
            return Tensor[Quantity](tensor.shape, tensor.entries, tensor.absent)
        first = self._runs().first(stage)
        return Tensor(first.shape, [self._enclose(stage, k) for k in range(len(first.entries))], first.absent)

    def is_exact(self, stage: str) -> bool:
        """Does the exact reading reach this stage?"""
        return self._exact_tensor(stage) is not None

    def why_enclosed(self, stage: str) -> str:
        """The named reason why a stage is only enclosed; "" when it is exact."""
        try:
            self._exact.value(stage)
        except (UnsupportedError, UndecidedError) as error:
            return error.message
        return ""

    def _exact_tensor(self, stage: str) -> Tensor[Exact] | None:
        try:
            return self._exact.value(stage)
        except (UnsupportedError, UndecidedError):
            return None

    def _runs(self) -> BallRuns:
        if self._balls is None:
            from symattn.interp.balls import BallRuns

            self._balls = BallRuns(self.program, self._feeds, self._exact.sizes, self._exact.parameters)
        return self._balls

    def _enclose(self, stage: str, flat: int) -> BallQuantity:
        key = (stage, flat)
        if key not in self._enclosed:
            self._runs().first(stage)
            self._enclosed[key] = BallQuantity(self._runs(), stage, flat)
        return self._enclosed[key]


@dataclass(frozen=True, eq=False)
class BallQuantity:
    """An entry that is enclosed by running the program in balls, at as many bits as are asked for."""

    runs: BallRuns
    stage: str
    flat: int
    _found: dict[int, Enclosure] = field(default_factory=dict, repr=False)

    def rational(self) -> Fraction | None:
        """The value when some ball was a single point, else None."""
        return next((e.lo for e in self._found.values() if e.lo == e.hi), None)

    def enclose(self, bits: int) -> Enclosure:
        """An interval of relative width about 2**-bits. A number whose ball still contains 0 far beyond that comes back as that ball.
        Raises UndecidedError when the cap on precision comes first."""
        from symattn.number.exact_ball import written

        if bits in self._found:
            return self._found[bits]
        working = bits + GUARD_BITS
        while True:
            try:
                ball = self.runs.entry(self.stage, self.flat, working)
            except UndecidedError:
                if working > bits + CAP_BITS:
                    raise
                working *= 2
                continue
            accuracy = int(ball.rel_accuracy_bits())
            around_zero = ball.is_finite() and ball.contains(0)
            if accuracy >= bits or (around_zero and working > max(ZERO_BITS, 4 * bits)) or ball.is_exact():
                self._found[bits] = written(ball)
                return self._found[bits]
            if working > bits + CAP_BITS:
                raise UndecidedError(f'stage "{self.stage}": {bits} bits were not reached with {working} bits', next_move="ask for less")
            working = 2 * working if around_zero else working + bits - max(accuracy, 0) + GUARD_BITS


def quantities(
    program: Program,
    feeds: Mapping[str, Any],
    *,
    sizes: Mapping[str, int] | None = None,
    parameters: Mapping[str, int] | None = None,
) -> Quantities:
    """The entries of `program` for `feeds` (as in `evaluate`, floats refused). Raises InputError, ShapeError, ProgramError at once;
    values are computed when asked for."""
    return Quantities(program, take_feeds(program, feeds), dict(sizes or {}), dict(parameters or {}))


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count
