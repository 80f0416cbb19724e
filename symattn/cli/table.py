"""Readings as people see them: stage by stage, the number systems side by side, or as plain data.

Promises: no control character of a name or a message reaches the terminal; what does not fit side by side stands one below the other; every
event stands under the stage where it happened. Does not promise: colour, or that a closed form of a page's length is printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symattn.cli.readings import Reading
from symattn.errors import visible
from symattn.interp.events import Event
from symattn.interp.tensor import Tensor

LONGEST_FORM = 400
LONGEST_BOUND = 40
NO_FORM = "(no short closed form)"


def as_text(readings: Sequence[Reading], stages: Sequence[str], width: int = 100) -> list[str]:
    """The stages one after the other, then what kind of truth each reading is and what happened elsewhere."""
    lines: list[str] = []
    present = [r for r in readings if not r.failure]
    for stage in stages:
        if len(stages) > 1:
            shape = "×".join(map(str, present[0].stages[stage].shape))
            lines.append(f"{stage} {shape}".rstrip())
        lines += _stage(present, stage, width)
        lines += [f"  {line}" for r in present for line in _happened(r, stage)]
        if len(stages) > 1:
            lines.append("")
    lines += _legend(readings, stages)
    for reading in present:
        elsewhere = [s for s in reading.stages if s not in stages]
        lines += [line for stage in elsewhere for line in _happened(reading, stage, f"{stage}")]
    return [visible(line) for line in lines]


def _stage(readings: Sequence[Reading], stage: str, width: int) -> list[str]:
    tensor = readings[0].stages[stage]
    names = [_at(index) for index in tensor.indices()]
    columns = [[_cell(r, stage, k) for k in range(len(names))] for r in readings]
    label = max(len(name) for name in names)
    widths = [max(len(r.numbers), *map(len, column)) for r, column in zip(readings, columns, strict=True)]
    if label + sum(w + 2 for w in widths) <= width:
        rows = [("", [r.numbers for r in readings]), *((name, [c[k] for c in columns]) for k, name in enumerate(names))]
        return [
            "  ".join([name.ljust(label), *(cell.ljust(w) for cell, w in zip(cells, widths, strict=True))]).rstrip() for name, cells in rows
        ]
    heads = max(len(r.numbers) for r in readings)
    lines = []
    for k, name in enumerate(names):
        lines += [name] if name else []
        lines += [f"  {r.numbers.ljust(heads)}  {column[k]}" for r, column in zip(readings, columns, strict=True)]
    return lines


def _at(index: Sequence[int]) -> str:
    return f"[{', '.join(map(str, index))}]" if index else ""


def _cell(reading: Reading, stage: str, position: int) -> str:
    if position in reading.stages[stage].absent:
        return "masked"
    text = reading.text(stage, position)
    if text is None:
        return NO_FORM
    if reading.is_open(text):
        return text if len(text) <= LONGEST_BOUND else "undecided"
    if len(text) > LONGEST_FORM and reading.truth == "exact":
        return f"(a closed form of {len(text)} characters: --to json)"
    return text + "*" if position in reading.weak.get(stage, ()) else text


def _happened(reading: Reading, stage: str, where: str = "") -> list[str]:
    """Births of inf, NaN and zero in a stage, and the first lost digit when it is there and no birth says it already."""
    lines = []
    born = []
    for event in reading.events:
        if event.stage == stage:
            more = f" (and {event.count - 1} more)" if event.count > 1 else ""
            lines.append(f"{reading.numbers}: {event.kind} is born {_in(where, event.entry)}: {event.detail}{more}")
            born.append(event.entry)
    lost = reading.lost
    if lost is not None and lost.stage == stage and lost.entry not in born:
        keeps = f"{lost.keeps} digit" + ("" if lost.keeps == 1 else "s")
        lines.append(f"{reading.numbers} keeps {keeps}; the first is lost {_in(where, lost.entry)}: {lost.shown} for {lost.right}")
    return lines


def _in(where: str, entry: Sequence[int]) -> str:
    return f"in {where}{_at(entry)}" if where or entry else "here"


def _legend(readings: Sequence[Reading], stages: Sequence[str]) -> list[str]:
    heads = max(len(r.numbers) for r in readings)
    lines = []
    for r in readings:
        said = {"exact": "exact", "proven": f"{r.digits} significant digits, each proven", "observed": "observed on this machine"}[r.truth]
        if r.numbers == "multiprec":
            said = f"{r.digits} significant digits, observed"
        if any(r.is_open(r.text(stage, k)) for stage in stages if stage in r.stages for k in range(len(r.stages[stage].entries))):
            said += ", where there are digits"
        if r.failure:
            said = f"not available: {r.failure}"
        lines.append(f"{r.numbers.ljust(heads)}  {said}")
        # What NumPy lacks is done wider and rounded once; the other notes are in the JSON.
        lines += [
            f"{' ' * heads}  {', '.join(names)}: {note}" for note, names in _grouped(r.notes).items() if note.startswith("NumPy has none")
        ]
    if any(r.weak.get(stage) for r in readings for stage in stages):
        lines.append("*  fewer right digits than the format keeps")
    return lines


def _grouped(notes: Mapping[str, str]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for op, note in notes.items():
        grouped.setdefault(note, []).append(op)
    return grouped


# -- JSON -------------------------------------------------------------------------------------------------------------
def as_data(readings: Sequence[Reading], stages: Sequence[str]) -> dict[str, Any]:
    """The same as plain data (schema symattn-readings/1): numbers that are not counts or places are strings, what a mask removed, what
    is undecided and what has no short closed form is null."""
    return {"schema": "symattn-readings/1", "readings": [_reading(r, stages) for r in readings]}


def _reading(r: Reading, stages: Sequence[str]) -> dict[str, Any]:
    lost = r.lost
    return {
        "numbers": r.numbers,
        "truth": r.truth,
        "failure": r.failure or None,
        "stages": {stage: _tensor(r, stage) for stage in stages if stage in r.stages},
        "events": [_event(e) for e in r.events],
        "lost": None
        if lost is None
        else {"stage": lost.stage, "entry": list(lost.entry), "keeps": lost.keeps, "shown": lost.shown, "right": lost.right},
        "notes": dict(r.notes),
    }


def _tensor(r: Reading, stage: str) -> dict[str, Any]:
    tensor = r.stages[stage]
    texts = [r.text(stage, k) for k in range(len(tensor.entries))]
    entries = Tensor(tensor.shape, [None if r.is_open(text) else text for text in texts])
    masked = [list(index) for k, index in enumerate(tensor.indices()) if k in tensor.absent]
    undecided = [list(index) for text, index in zip(texts, tensor.indices(), strict=True) if r.is_open(text)]
    return {"shape": list(tensor.shape), "entries": entries.nested(), "masked": masked, "undecided": undecided}


def _event(event: Event) -> dict[str, Any]:
    return {"kind": event.kind, "stage": event.stage, "entry": list(event.entry), "detail": event.detail, "count": event.count}
