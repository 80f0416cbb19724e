"""From the shapes of what is given to the value of every size symbol.

Promises: each symbol gets one value that fits every input, or a `ShapeError` that names both places and the next move;
one missing part of a union or product follows from the whole. Does not promise: that a program can run (run.py says).
"""

from __future__ import annotations

from collections.abc import Mapping

from symattn.errors import InputError, ProgramError, ShapeError
from symattn.program.program import Program, Stage, sizes_used
from symattn.program.spaces import Space


def infer_sizes(program: Program, shapes: Mapping[str, tuple[int, ...]], sizes: Mapping[str, int] | None = None) -> dict[str, int]:
    """The value of every size symbol of `program`.

    `shapes` gives the shape of each input, `sizes` values stated by hand. Raises ShapeError where they do not fit,
    InputError for a missing or unknown input, ProgramError for a symbol that nothing determines."""
    known: dict[str, int] = {}
    source: dict[str, str] = {}
    for name, value in (sizes or {}).items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InputError(f'the size "{name}" is {value!r}', next_move="a size is a positive integer")
        known[name], source[name] = value, "stated"
    inputs = {stage.name: stage for stage in program.inputs}
    for name in shapes:
        if name not in inputs:
            listed = ", ".join(inputs) or "none"
            raise InputError(f'"{name}" is given but the program has no such input', next_move=f"its inputs: {listed}")
    for name, stage in inputs.items():
        if name not in shapes:
            raise InputError(f'the input "{name}" {stage.shape_text()} is not given', next_move=f'give a value for "{name}"')
        if len(shapes[name]) != len(stage.out):
            raise ShapeError(
                f'the input "{name}" is {stage.shape_text()}, {len(stage.out)} axes, but what is given has the shape {shapes[name]}',
                next_move="give nested lists, one level for each axis",
            )
    _settle(inputs, shapes, known, source)
    for name, stage in inputs.items():
        _check(name, stage, shapes[name], known, source)
    fixed = {space.name: space.extent({}) for space in program.spaces() if not space.symbols()}
    for symbol in sizes_used(program):
        if symbol not in known and symbol in fixed:
            known[symbol], source[symbol] = fixed[symbol], "its space"
        if symbol not in known:
            raise ProgramError(f'nothing given determines the size "{symbol}"', next_move=f"state it: sizes={{{symbol!r}: …}}")
    return known


def sizes_shown(program: Program, shapes: Mapping[str, tuple[int, ...]], sizes: Mapping[str, int]) -> dict[str, int]:
    """The size symbols whose value follows from some of the inputs and from `sizes`; nothing is checked, what fits nothing shows later."""
    known = dict(sizes)
    inputs = {s.name: s for s in program.inputs if s.name in shapes and len(shapes[s.name]) == len(s.out)}
    _settle(inputs, shapes, known, dict.fromkeys(known, "stated"))
    return known


def _settle(inputs: Mapping[str, Stage], shapes: Mapping[str, tuple[int, ...]], known: dict[str, int], source: dict[str, str]) -> None:
    """Read symbols off the shapes, again and again until a round teaches nothing (a union needs its other blocks first)."""
    while True:
        before = len(known)
        for name, stage in inputs.items():
            for axis, size in zip(stage.out, shapes[name], strict=True):
                found = _solve(axis.space, size, known)
                if found is not None:
                    known[found[0]] = found[1]
                    source[found[0]] = f'axis "{axis.name}" of "{name}" with the shape {shapes[name]}'
        if len(known) == before:
            return


def _extent(space: Space, known: dict[str, int]) -> int | None:
    return space.extent(known) if all(s in known for s in space.symbols()) else None


def _solve(space: Space, size: int, known: dict[str, int]) -> tuple[str, int] | None:
    """A symbol of `space` and its value, when exactly one part of it is not known and `size` allows a positive one."""
    if not space.blocks and not space.factors:
        symbol = space.size
        return (symbol, size) if isinstance(symbol, str) and symbol not in known and size >= 1 else None
    parts = space.blocks or space.factors
    extents = [_extent(part, known) for part in parts]
    open_parts = [part for part, extent in zip(parts, extents, strict=True) if extent is None]
    if len(set(open_parts)) != 1 or len(open_parts) != 1:
        return None
    rest = size
    for extent in extents:
        if extent is None:
            continue
        if space.blocks:
            rest -= extent
        elif rest % extent:
            return None
        else:
            rest //= extent
    return _solve(open_parts[0], rest, known) if rest >= 1 else None


def _check(name: str, stage: Stage, shape: tuple[int, ...], known: dict[str, int], source: dict[str, str]) -> None:
    for axis, size in zip(stage.out, shape, strict=True):
        extent = _extent(axis.space, known)
        if extent is None:
            raise ShapeError(
                f'the input "{name}" has {size} entries along "{axis.name}", which do not split into {axis.space.size_text()}',
                next_move="state the sizes of the parts: sizes={…}",
            )
        if extent != size:
            why = ", ".join(f"{s}={known[s]} from {source[s]}" for s in axis.space.symbols())
            raise ShapeError(
                f'the input "{name}" is {stage.shape_text()} but its axis "{axis.name}" has {size} entries, not {extent}, '
                f"in the given shape {shape}" + (f" ({why})" if why else ""),
                next_move=f'give "{name}" {extent} entries along "{axis.name}" or change the other',
            )
