"""One program read in several number systems side by side: what `eval` and `attend` print.

Promises: each column says what kind of truth it is (exact, proven digits, observed); infinities, NaN and the first lost digit of a
float column are marked where they are born. Does not promise: that a float column looks the same on another machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symattn.cli.trouble import visible
from symattn.errors import SymattnError, UnsupportedError
from symattn.interp.systems import SYSTEMS, system
from symattn.interp.tensor import Tensor

KIND = {"exact": "exact", "balls": "proven digits", "multiprec": "observed with guard digits", "symbolic": "exact"}
LOST_DIGITS = 3


@dataclass(frozen=True)
class Reading:
    """A program in one number system, or why it has none. `events` are births of inf, NaN and zero, in words."""

    numbers: str
    kind: str
    stages: Mapping[str, Tensor[Any]]
    texts: Mapping[str, Tensor[str]]
    events: tuple[str, ...] = ()
    failure: str = ""


def parse_numbers(text: str) -> tuple[str, ...]:
    """The comma-separated names of number systems. Raises InputError with the known ones."""
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for name in names:
        system(name)
    return names


def read_all(evaluate: Callable[[str, dict[str, Any]], Any], numbers: Sequence[str], digits: int, order: str) -> list[Reading]:
    """The readings, in the order asked for. A number system that cannot do the program keeps its reason; when none can, the first error
    is raised."""
    found: list[Reading] = []
    first: SymattnError | None = None
    for name in numbers:
        options: dict[str, Any] = {}
        if SYSTEMS[name].rounds:
            options["digits"] = digits
        if SYSTEMS[name].ordered and order != "sequential":
            options["order"] = order
        try:
            evaluation = evaluate(name, options)
        except UnsupportedError as error:
            first = first or error
            found.append(Reading(name, KIND.get(name, "observed on this machine"), {}, {}, failure=str(error)))
            continue
        stages = {stage: evaluation[stage] for stage in evaluation}
        texts = {stage: _texts(tensor, name, digits) for stage, tensor in stages.items()}
        events = tuple(f"{e.kind} born in {e.stage}{list(e.entry)}: {e.detail}" for e in getattr(evaluation.reading, "events", ()))
        found.append(Reading(name, KIND.get(name, "observed on this machine"), stages, texts, events))
    if first is not None and all(r.failure for r in found):
        raise first
    return _with_lost_digits(found)


def _texts(tensor: Tensor[Any], numbers: str, digits: int) -> Tensor[str]:
    return Tensor(tensor.shape, [_text(x, numbers, digits) for x in tensor.entries], tensor.absent)


def _text(value: Any, numbers: str, digits: int) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if numbers == "exact":
        form = value.closed_form()
        return form.text if form is not None else "(no short closed form)"
    if numbers == "multiprec":
        from symattn.interp.multiprec import decimal_string

        return decimal_string(value, digits)
    return str(value)


def _with_lost_digits(found: list[Reading]) -> list[Reading]:
    """Float readings say where their first digits were lost, when a proven reading stands beside them."""
    proven = next((r for r in found if r.numbers in ("balls", "exact") and not r.failure), None)
    if proven is None:
        return found
    from symattn.interp.lost import first_lost_digit

    result = []
    for reading in found:
        event = None
        if reading.kind == "observed on this machine" and not reading.failure:
            event = first_lost_digit(reading.stages, proven.stages, LOST_DIGITS)
        if event is not None:
            note = f"fewer than {LOST_DIGITS} right digits first in {event.stage}{list(event.entry)}: {event.detail}"
            reading = Reading(reading.numbers, reading.kind, reading.stages, reading.texts, (*reading.events, note))
        result.append(reading)
    return result


def as_text(readings: Sequence[Reading], stages: Sequence[str]) -> list[str]:
    """The stages one after the other, the readings side by side entry by entry."""
    lines: list[str] = []
    for stage in stages:
        columns = [(r.numbers, r.texts[stage]) for r in readings if stage in r.texts]
        if not columns:
            continue
        if len(stages) > 1:
            lines.append(f"{stage}")
        tensor = columns[0][1]
        names = [f"{stage if len(stages) > 1 else ''}{list(index) if index else ''}" for index in tensor.indices()]
        label = max((len(x) for x in names), default=0)
        widths = [max(len(name), *(len(t) for t in column.entries)) for name, column in columns]
        lines.append("  ".join([" " * label, *(name.ljust(w) for (name, _), w in zip(columns, widths, strict=True))]).rstrip())
        for k, name in enumerate(names):
            cells = ["masked" if k in column.absent else column.entries[k] for _, column in columns]
            lines.append("  ".join([name.ljust(label), *(c.ljust(w) for c, w in zip(cells, widths, strict=True))]).rstrip())
        if len(stages) > 1:
            lines.append("")
    lines += [f"{r.numbers}: {r.kind}" for r in readings if not r.failure]
    lines += [f"{r.numbers}: not available: {r.failure}" for r in readings if r.failure]
    lines += [f"{r.numbers}: {event}" for r in readings for event in r.events]
    return [visible(line) for line in lines]


def as_data(readings: Sequence[Reading], stages: Sequence[str]) -> dict[str, Any]:
    """The same as plain data for JSON; numbers are strings."""
    return {
        "schema": "symattn-readings/1",
        "readings": [
            {
                "numbers": r.numbers,
                "kind": r.kind,
                "failure": r.failure or None,
                "events": list(r.events),
                "stages": {
                    stage: {"shape": list(r.texts[stage].shape), "entries": _nested(r.texts[stage])} for stage in stages if stage in r.texts
                },
            }
            for r in readings
        ],
    }


def _nested(tensor: Tensor[str]) -> Any:
    marked = Tensor(tensor.shape, [None if k in tensor.absent else x for k, x in enumerate(tensor.entries)])
    return marked.nested()
