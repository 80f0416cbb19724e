"""The slips themselves: what each kind of mistake would have given for a group.

Promises: candidates come lazily, cheap and likely ones first; nothing is evaluated before it is asked for. Does not promise:
completeness; the list is open, a new slip is a function from a Group to candidates and a row in slips.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

from symattn.claims import rewrites
from symattn.claims.scale_rewrites import scales
from symattn.claims.slip_search import Candidate, Group, Reading, prints_as, shape_of
from symattn.errors import SymattnError
from symattn.number.decimal import HALF_UP, Printed, decimal_text, half_up, parse_printed, round_quantity, scaled
from symattn.number.truth import Quantity, Rational
from symattn.program import ops
from symattn.program.program import Program, Stage

EARLY_PLACES = (2, 3, 1, 4, 0)
MAX_EARLY_ENTRIES = 600


def _read(group: Group, slip: str, detail: str, program: Program, feeds: Mapping[str, Any] | None = None) -> Iterator[Candidate]:
    """One candidate from another program, none where it cannot be evaluated."""
    try:
        yield Candidate(slip, detail, group.values(program, feeds=feeds))
    except SymattnError:
        return


# -- scale ------------------------------------------------------------------------------------------------------------
def missing_scale(group: Group) -> Iterator[Candidate]:
    """A division or constant factor left out (1/√d_k forgotten)."""
    for missing, detail, program in scales(group.local, group.stage, group.sizes):
        if missing:
            yield from _read(group, "missing-scale", detail, program)


def other_scale(group: Group) -> Iterator[Candidate]:
    """Another scale: d_k instead of √d_k, multiplied instead of divided, scaled twice, the size of another axis."""
    for missing, detail, program in scales(group.local, group.stage, group.sizes):
        if not missing:
            yield from _read(group, "other-scale", detail, program)


def unscaled(group: Group) -> Iterator[Candidate]:
    """A percentage printed as a number, or a number as a percentage."""
    yield Candidate("unscaled", "·100", tuple(scaled(v, 100) for v in group.right))
    yield Candidate("unscaled", "/100", tuple(scaled(v, Fraction(1, 100)) for v in group.right))


# -- operands, rows, axes ---------------------------------------------------------------------------------------------
def other_row(group: Group) -> Iterator[Candidate]:
    """The same entries of another row or column; two entries of the group interchanged."""
    stage = group.local.by_name[group.stage]
    reading = group.run(group.local, group.local_feeds)
    for k, axis in enumerate(stage.out):
        here = {entry[k] for entry in group.entries}
        if len(here) != 1:
            continue
        (position,) = here
        for other in range(axis.space.extent(group.sizes)):
            if other != position:
                moved = [(*e[:k], other, *e[k + 1 :]) for e in group.entries]
                name = f"{rewrites.entry_name(axis.space.labels, position)} → {rewrites.entry_name(axis.space.labels, other)}"
                yield from _entries(reading, group.stage, moved, "other-row", name)
    for i, j in combinations(range(len(group.entries)), 2):
        values = list(group.right)
        values[i], values[j] = values[j], values[i]
        yield Candidate("other-row", f"{i + 1} ↔ {j + 1}", tuple(values))


def _entries(reading: Reading, stage: str, entries: Sequence[tuple[int, ...]], slip: str, detail: str) -> Iterator[Candidate]:
    try:
        yield Candidate(slip, detail, tuple(reading.of(stage, e) for e in entries))
    except SymattnError:
        return


def other_operand(group: Group) -> Iterator[Candidate]:
    """The same entries of another stage, another operand in one of the steps, another fixed position."""
    reading = group.run(group.program, group.feeds)
    shape = group.shape(group.stage)
    for stage in group.program.stages:
        boolean = isinstance(stage.op, ops.Input) and stage.op.boolean
        if stage.name != group.stage and not boolean and not rewrites.is_inner(stage.name) and group.shape(stage.name) == shape:
            yield from _entries(reading, stage.name, group.entries, "other-operand", f"{group.stage} → {stage.name}")
    for detail, program in rewrites.other_operands(group.program, group.stage):
        yield from _read(group, "other-operand", detail, program)
    for detail, program in rewrites.other_positions(group.local, group.stage, group.sizes):
        yield from _read(group, "other-operand", detail, program)


def transposed(group: Group) -> Iterator[Candidate]:
    """The stage read transposed, a square input given transposed, a matrix over one space used transposed."""
    shape = group.shape(group.stage)
    if len(shape) == 2 and shape[0] == shape[1]:
        reading = group.run(group.local, group.local_feeds)
        yield from _entries(reading, group.stage, [e[::-1] for e in group.entries], "transposed", f"{group.stage}ᵀ")
    for stage in rewrites.needed(group.local, group.stage):
        if isinstance(stage.op, ops.Input) and stage.name in group.local_feeds:
            given = shape_of(group.local_feeds[stage.name])
            if len(given) == 2 and given[0] == given[1] > 1:
                feeds = {**group.local_feeds, stage.name: _transpose(group.local_feeds[stage.name])}
                yield from _read(group, "transposed", f"{stage.name} → {stage.name}ᵀ", group.local, feeds)
    for detail, program in rewrites.transposed_uses(group.local, group.stage):
        yield from _read(group, "transposed", detail, program)


def _transpose(matrix: Any) -> Any:
    known = getattr(matrix, "T", None)
    return [list(row) for row in zip(*matrix, strict=True)] if known is None else known


def wrong_axis(group: Group) -> Iterator[Candidate]:
    """A softmax normalised along the other axis."""
    for detail, program in rewrites.wrong_axes(group.local, group.stage):
        yield from _read(group, "wrong-axis", detail, program)


def left_out(group: Group) -> Iterator[Candidate]:
    """A key, or any term of a sum, left out."""
    for detail, program in rewrites.left_out(group.local, group.stage, group.sizes):
        yield from _read(group, "left-out", detail, program)


# -- arithmetic -------------------------------------------------------------------------------------------------------
def early_rounding(group: Group) -> Iterator[Candidate]:
    """Intermediate stages rounded to a few decimals before they are used: all of them, or one."""
    stages = rewrites.needed(group.local, group.stage)
    middle = [s for s in stages[:-1] if not isinstance(s.op, ops.Input | ops.Position)]
    if sum(prod(group.shape(s.name)) for s in middle) > MAX_EARLY_ENTRIES:
        return
    places = tuple(dict.fromkeys((*(p.places for p in group.printed if 0 <= p.places <= 6), *EARLY_PLACES)))
    for k in places:
        yield from _early(group, stages, {s.name for s in middle}, k, f"Δ = 10^-{k}")
    if len(middle) > 1:
        for stage in middle:
            for k in places:
                yield from _early(group, stages, {stage.name}, k, f"{stage.name}: Δ = 10^-{k}")


def _early(group: Group, stages: Sequence[Stage], rounded: set[str], places: int, detail: str) -> Iterator[Candidate]:
    """Stage after stage: those in `rounded` become inputs that hold their rounded values."""
    program, feeds = group.local, dict(group.local_feeds)
    try:
        for stage in stages[:-1]:
            if stage.name not in rounded:
                continue
            reading = group.run(program, feeds)
            shape = group.shape(stage.name)
            feeds[stage.name] = _nested(shape, lambda index: _rounded(reading.of(stage.name, index), places))  # noqa: B023 - used at once
            changed = rewrites.with_op(program, stage, ops.Input(stage.out))
            if changed is None:
                return
            program = changed
    except SymattnError:
        return
    yield from _read(group, "early-rounding", detail, program, feeds)


def _rounded(q: Quantity, places: int) -> Fraction:
    found = round_quantity(q, places, HALF_UP)
    if found is None:
        raise SymattnError("a rounding is not decided")
    return found


def _nested(shape: Sequence[int], entry: Any, index: tuple[int, ...] = ()) -> Any:
    if not shape:
        return entry(index)
    return [_nested(shape[1:], entry, (*index, i)) for i in range(shape[0])]


def float32(group: Group) -> Iterator[Candidate]:
    """Every operation rounded to float32, sums in order."""
    from symattn.interp.run import Table, run
    from symattn.interp.softfloats import soft_number, soft_rows
    from symattn.interp.tensor import Tensor
    from symattn.number.formats import FLOAT32

    number = soft_number(FLOAT32)
    reading = group.run(group.local, group.local_feeds)
    feeds: dict[str, Any] = {}
    try:
        for stage in group.local.inputs:
            shape = group.shape(stage.name)
            assert isinstance(stage.op, ops.Input)
            if stage.op.boolean:
                return
            indices: list[tuple[int, ...]] = []
            _nested(shape, indices.append)
            exact = [reading.of(stage.name, i).rational() for i in indices]
            if any(x is None for x in exact):
                return
            feeds[stage.name] = Tensor(shape, [number(x) for x in exact if x is not None])
        found = run(group.local, feeds, Table("float32", number, soft_rows(FLOAT32)), dict(group.sizes))[group.stage]
        values = [found[e] for e in group.entries]
    except SymattnError:
        return
    if all(isinstance(x, Fraction) for x in values):
        yield Candidate("float32", "", tuple(Rational(x) for x in values))


# -- printing ---------------------------------------------------------------------------------------------------------
def digits_swapped(group: Group) -> Iterator[Candidate]:
    """Two neighbouring digits interchanged, in each wrong number of the group."""
    values: list[Quantity] = []
    details = []
    for p, v in zip(group.printed, group.right, strict=True):
        if prints_as(v, p):
            values.append(v)
            continue
        right = _text(v, p)
        swaps = {_swapped(right, i): i for i in range(len(right) - 1)} if right is not None else {}
        typed = decimal_text(p.value, p.places)
        if right is None or typed == right or typed not in swaps:
            yield Candidate("digits-swapped", "", group.right)
            return
        values.append(Rational(p.plain))
        details.append(f"{right} → {typed}")
    yield Candidate("digits-swapped", ", ".join(details), tuple(values))


def _text(v: Quantity, p: Printed) -> str | None:
    found = round_quantity(scaled(v, p.scale), p.places, HALF_UP)
    return None if found is None else decimal_text(found, p.places)


def _swapped(text: str, at: int) -> str:
    """`text` with the digit at `at` and the next digit interchanged, over a decimal mark too."""
    if not text[at].isdigit():
        return text
    other = next((k for k in range(at + 1, len(text)) if text[k].isdigit()), None)
    if other is None:
        return text
    characters = list(text)
    characters[at], characters[other] = characters[other], characters[at]
    return "".join(characters)


def adjusted(group: Group) -> Iterator[Candidate]:
    """One addend changed so that the printed addends come to the printed total, which the right one would not do."""
    total = group.addends_of
    if total is None:
        return
    rights: list[Fraction] = []
    for p, v in zip(group.printed, group.right, strict=True):
        text = _text(v, p)
        if text is None:
            return
        rights.append(parse_printed(text).value / p.scale)
    if sum(rights, Fraction(0)) == total.plain:
        return
    for k, p in enumerate(group.printed):
        forced = total.plain - (sum(rights, Fraction(0)) - rights[k])
        exact = forced == half_up(forced * p.scale, p.places) / p.scale
        if exact:
            values = [Rational(x) for x in rights]
            values[k] = Rational(forced)
            shown = f"{decimal_text(rights[k] * p.scale, p.places)} → {decimal_text(forced * p.scale, p.places)}"
            yield Candidate("adjusted", f"{shown}, Σ = {total.token}", tuple(values))
