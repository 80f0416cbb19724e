"""What happens to numbers while a float reading runs: where an infinity, a NaN or a zero is born, and where digits are lost.

Promises: an event names the stage, the entry and the operation; it is a birth: operands that were already infinite or NaN make no
new event of that kind. Does not promise: that another machine has the same events; they are observed on this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from symattn.interp.loops import Loops, Positions, Visit
from symattn.interp.tensor import Tensor

KINDS = ("inf", "nan", "zero", "lost-digit")


@dataclass(frozen=True)
class Event:
    """The first time something of this kind happened in a stage.

    `kind` is one of KINDS: an infinity or a NaN from operands that had none, a zero whose exact value is not 0 (underflow), a
    digit that differs from the exact one. `entry` is the index of the entry being computed, () for what belongs to the whole
    stage (a literal, a size). `detail` is the operation with its operands; `count` how often it happened in the stage.
    """

    kind: str
    stage: str
    entry: tuple[int, ...]
    operation: str
    detail: str
    count: int = 1


@dataclass
class Recorder:
    """Collects events while a program runs; `stage` and `entry` say where the run is."""

    stage: str = ""
    entry: tuple[int, ...] = ()
    found: dict[tuple[str, str], Event] = field(default_factory=dict)

    def enter(self, stage: str) -> None:
        """A stage begins."""
        self.stage, self.entry = stage, ()

    def born(self, kind: str, operation: str, detail: str) -> None:
        """Something of this kind happened here."""
        known = self.found.get((self.stage, kind))
        if known is None:
            self.found[self.stage, kind] = Event(kind, self.stage, self.entry, operation, detail)
        else:
            self.found[self.stage, kind] = replace(known, count=known.count + 1)

    def events(self) -> tuple[Event, ...]:
        """What was found, in the order in which it happened first."""
        return tuple(self.found.values())


@dataclass(frozen=True)
class WatchedLoops(Loops):
    """Loops that say which entry is being computed."""

    watch: Callable[[tuple[int, ...]], None] = field(kw_only=True)

    def visits(self) -> Iterator[Visit]:
        """See Loops."""
        for visit in super().visits():
            self.watch(visit.index)
            yield visit

    def present(self) -> Iterator[tuple[int, Positions]]:
        """See Loops."""
        names = [a.name for a in self.out]
        for flat, at in super().present():
            self.watch(tuple(at[n] for n in names))
            yield flat, at


def watched(loops: Loops, recorder: Recorder) -> WatchedLoops:
    """The same loops, telling the recorder where they are."""

    def watch(index: tuple[int, ...]) -> None:
        recorder.entry = index

    return WatchedLoops(loops.out, loops.inner, loops.extents, loops.uses, loops.relations, watch=watch)


class Observed(dict[str, Tensor[Any]]):
    """The stages of a reading that was observed, not proven: with its events, and notes on how operations were done."""

    def __init__(self, stages: Mapping[str, Tensor[Any]], events: Sequence[Event] = (), notes: Mapping[str, str] | None = None) -> None:
        super().__init__(stages)
        self.events = tuple(events)
        self.notes = dict(notes or {})
