"""The search for a slip that explains what was printed: which candidate values give every printed digit of a whole group.

Promises: a slip is named only when one of its variants gives every printed digit of the group; a group of under five significant
digits in all says that the fit may be chance. Does not promise: the true cause, and it never changes a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Protocol

from symattn.claims.model import Hint
from symattn.claims.rewrites import needed
from symattn.errors import ProgramError, SymattnError
from symattn.interp.sizes import infer_sizes
from symattn.number.decimal import HALF_EVEN, HALF_UP, Printed, round_quantity, scaled
from symattn.number.truth import Quantity
from symattn.program.ops import Input
from symattn.program.program import Program

CHANCE_DIGITS = 5  # under so many significant digits in all, a fit may be chance
MAX_CANDIDATES = 1000
SEARCH_BITS = 512


class Reading(Protocol):
    """Exact values of a program's entries, on demand."""

    def of(self, stage: str, index: tuple[int, ...]) -> Quantity: ...


Run = Callable[[Program, Mapping[str, Any]], Reading]


def exact_run(program: Program, feeds: Mapping[str, Any]) -> Reading:
    """The exact reading, enclosures where it does not reach."""
    from symattn.interp.quantities import quantities

    return quantities(program, feeds)


@dataclass(frozen=True)
class Candidate:
    """What a group would have been under a variant of a slip: values as the numbers themselves, in the group's order. `detail`
    names the variant in symbols (`√d_k → d_k`), which read the same in every language."""

    slip: str
    detail: str
    values: tuple[Quantity, ...]


@dataclass(frozen=True)
class Group:
    """Numbers printed together: both of a pair, all of a triple. `entries` are entries of `stage` of `program`, which `run` reads with
    `feeds` (nested lists of exact numbers, one for each input). `addends_of` is the printed total when the group is the addends of a
    printed sum. `truths` are the exact values where the printed numbers are not entries of a stage (the terms of a dot product)."""

    printed: tuple[Printed, ...]
    program: Program
    feeds: Mapping[str, Any]
    stage: str
    entries: tuple[tuple[int, ...], ...]
    run: Run = exact_run
    addends_of: Printed | None = None
    truths: tuple[Quantity, ...] = ()

    @cached_property
    def right(self) -> tuple[Quantity, ...]:
        """The exact values: `truths` where they were given, else those of the entries."""
        return self.truths or self.values(self.local)

    @cached_property
    def local(self) -> Program:
        """The part of the program that the stage is computed from."""
        stages = needed(self.program, self.stage)
        for kept in (stages, tuple(s for s in self.program.stages if s in stages or isinstance(s.op, Input))):
            part = Program(kept, self.stage)
            try:
                infer_sizes(part, {s.name: shape_of(self.feeds[s.name]) for s in part.inputs})
            except ProgramError:
                continue  # a size that only another input shows
            return part
        return self.program

    @cached_property
    def local_feeds(self) -> dict[str, Any]:
        """What `local` is given."""
        return {stage.name: self.feeds[stage.name] for stage in self.local.inputs}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The value of each size symbol."""
        return infer_sizes(self.program, {name: shape_of(value) for name, value in self.feeds.items()})

    def values(self, program: Program, stage: str = "", feeds: Mapping[str, Any] | None = None) -> tuple[Quantity, ...]:
        """The group's entries of a stage (its own by default) in another program, or with other feeds."""
        given = self.feeds if feeds is None else feeds
        reading = self.run(program, {s.name: given[s.name] for s in program.inputs})
        return tuple(reading.of(stage or self.stage, entry) for entry in self.entries)

    def shape(self, stage: str) -> tuple[int, ...]:
        """The shape of a stage."""
        return tuple(a.space.extent(self.sizes) for a in self.program.by_name[stage].out)


@dataclass(frozen=True)
class Slip:
    """A kind of slip. `words` describe it in each language; `variants` yields candidates lazily, and may yield none."""

    name: str
    words: Mapping[str, str]
    variants: Callable[[Group], Iterable[Candidate]]


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of nested lists, or of anything that has one."""
    known = getattr(value, "shape", None)
    if known is not None:
        return tuple(known)
    shape: list[int] = []
    while isinstance(value, list | tuple):
        shape.append(len(value))
        if not value:
            break
        value = value[0]
    return tuple(shape)


def prints_as(value: Quantity, printed: Printed, *, cap_bits: int = SEARCH_BITS) -> bool:
    """Is `printed` a correct rounding of `value`, proven?"""
    number = scaled(value, printed.scale)
    return any(round_quantity(number, printed.places, mode, cap_bits=cap_bits) == printed.value for mode in (HALF_UP, HALF_EVEN))


def fits(printed: Sequence[Printed], values: Sequence[Quantity]) -> bool:
    """Does each value give each printed digit?"""
    return len(printed) == len(values) and all(prints_as(v, p) for p, v in zip(printed, values, strict=True))


def search(printed: Sequence[Printed], candidates: Iterable[Candidate], *, limit: int = MAX_CANDIDATES) -> Hint:
    """The first candidate that gives every printed digit of the group, as a hint that also counts how many were tried and fit.

    `slip` is "" when none does. At most `limit` candidates are tried."""
    tried = fitting = 0
    first: Candidate | None = None
    for candidate in islice(candidates, limit):
        tried += 1
        try:
            matches = fits(printed, candidate.values)
        except SymattnError:
            continue  # a variant outside the domain explains nothing
        if matches:
            fitting += 1
            first = first or candidate
    chance = sum(p.significant for p in printed) < CHANCE_DIGITS
    if first is None:
        return Hint("", tried, 0, False)
    return Hint(first.slip, tried, fitting, chance, first.detail)
