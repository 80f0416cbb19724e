"""Taking inputs: nested lists, text, fractions, arrays; one clear error for everything else.

Promises: what is taken is exact; a float is refused with the exact number it would have been, unless every float of the input is an
integer or `binary` says that the binary fractions themselves are meant; shapes are regular and not empty.
Does not promise: that shapes fit the program (interp/sizes.py), or reading files. NumPy is recognised without being imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from math import isfinite
from typing import Any

from symattn.errors import InputError, ShapeError
from symattn.interp.tensor import Tensor
from symattn.number.exact import Exact
from symattn.number.literal import exact_rational, float_refused
from symattn.program import ops
from symattn.program.program import Program, Stage

MAX_ENTRIES = 10_000_000
_NESTED = (list, tuple)


def take_feeds(program: Program, feeds: Mapping[str, Any], *, binary: bool = False) -> dict[str, Tensor[Any]]:
    """The inputs of `program` as exact tensors: entries `Fraction` where rational, else `Exact`; bools for boolean inputs.

    Raises InputError or ShapeError that name the input and the entry."""
    if not isinstance(feeds, Mapping):
        raise InputError(f"the inputs are a {type(feeds).__name__}", next_move='give a mapping: {"Q": [[1, 0], [0, 1]], …}')
    inputs = {stage.name: stage for stage in program.inputs}
    for name in feeds:
        if name not in inputs:
            near = get_close_matches(str(name), inputs, n=1)
            hint = f'did you mean "{near[0]}"? ' if near else ""
            listed = ", ".join(inputs) or "none"
            raise InputError(f"{name!r} is given but the program has no such input", next_move=f"{hint}its inputs: {listed}")
    return {name: take(stage, feeds[name], binary=binary) for name, stage in inputs.items() if name in feeds}


def take(stage: Stage, raw: Any, *, binary: bool = False) -> Tensor[Any]:
    """One input as an exact tensor."""
    wants_bool = isinstance(stage.op, ops.Input) and stage.op.boolean
    raw = _plain(stage.name, raw)
    if isinstance(raw, Tensor):
        shape, flat = raw.shape, list(raw.entries)
        if len(shape) != len(stage.out):
            raise _wrong_depth(stage, len(shape))
    else:
        shape = _shape(stage, raw)
        flat = _flat(stage.name, raw, shape)
    if len(flat) > MAX_ENTRIES:
        raise InputError(f'"{stage.name}" has {len(flat)} entries', next_move=f"at most {MAX_ENTRIES} are taken")
    flat = [_plain(stage.name, x) for x in flat]
    if wants_bool:
        return Tensor(shape, [_truth(stage.name, k, shape, x) for k, x in enumerate(flat)])
    if not binary:
        _refuse_floats(stage.name, shape, flat)
    return Tensor(shape, [_number(stage.name, k, shape, x) for k, x in enumerate(flat)])


def _is_array(x: Any) -> bool:
    return hasattr(x, "dtype") and hasattr(x, "tolist") and hasattr(x, "shape")


def _plain(name: str, x: Any) -> Any:
    """Arrays and array scalars as Python values, exactly; everything else as it is."""
    if not _is_array(x):
        return x
    kind = x.dtype.kind
    size = 1
    for n in x.shape:
        size *= n
    if size > MAX_ENTRIES:
        raise InputError(f'"{name}" has {size} entries', next_move=f"at most {MAX_ENTRIES} are taken")
    if kind == "V" and "float" in x.dtype.name:
        x = x.astype("float32")  # the small formats of ml_dtypes: every number of theirs is a float32
    elif kind not in "biufOU" or (kind == "f" and x.dtype.itemsize > 8):
        raise InputError(f'"{name}" is an array of {x.dtype}', next_move="give integers, fractions, text or floats")
    return x.tolist()


def _shape(stage: Stage, raw: Any) -> tuple[int, ...]:
    """The shape of nested lists, from first entries only."""
    shape: list[int] = []
    level = raw
    while isinstance(level, _NESTED):
        if len(level) == 0:
            raise InputError(f'"{stage.name}" is empty', next_move="give at least one entry")
        shape.append(len(level))
        if len(shape) > len(stage.out):
            raise _wrong_depth(stage, len(shape), "at least ")
        level = _plain(stage.name, level[0])
    if len(shape) != len(stage.out):
        if not shape and not isinstance(raw, int | str | Fraction | Decimal | Exact | float):
            raise InputError(f'"{stage.name}" is a {type(raw).__name__}', next_move="give nested lists or an array")
        raise _wrong_depth(stage, len(shape))
    return tuple(shape)


def _wrong_depth(stage: Stage, depth: int, about: str = "") -> ShapeError:
    return ShapeError(
        f'the input "{stage.name}" is {stage.shape_text()}, {len(stage.out)} axes, but what is given is nested {about}{depth} deep',
        next_move="give nested lists, one level for each axis",
    )


def _flat(name: str, raw: Any, shape: tuple[int, ...]) -> list[Any]:
    """The entries, row-major. Raises InputError for a ragged level or a list where an entry should stand."""
    level: list[tuple[tuple[int, ...], Any]] = [((), raw)]
    if not shape:
        return [raw]
    for depth, size in enumerate(shape):
        below: list[tuple[tuple[int, ...], Any]] = []
        for path, part in level:
            part = _plain(name, part)
            if not isinstance(part, _NESTED):
                raise InputError(f'"{name}"{_at(path)} is a single entry where a row of {size} should stand', next_move="give regular rows")
            if len(part) != size:
                where = "the first row" if depth else "it"
                raise InputError(
                    f'"{name}" is ragged: {_at(path)} has {len(part)} entries but {where} has {size}', next_move="give rows of one length"
                )
            below += [((*path, k), x) for k, x in enumerate(part)]
        level = below
    for path, x in level:
        if isinstance(x, _NESTED):
            raise InputError(f'"{name}"{_at(path)} is a list where a number should stand', next_move="give regular rows")
    return [x for _, x in level]


def _at(path: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, path))}]" if path else ""


def _path(k: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    path: list[int] = []
    for size in reversed(shape):
        k, rest = divmod(k, size)
        path.append(rest)
    return tuple(reversed(path))


def _refuse_floats(name: str, shape: tuple[int, ...], flat: list[Any]) -> None:
    """Floats pass when all of the input's floats are integers."""
    for k, x in enumerate(flat):
        if isinstance(x, float) and not (isfinite(x) and x.is_integer()):
            error = float_refused(x)
            move = f"{error.next_move}, or say binary=True to mean it exactly" if isfinite(x) else error.next_move
            raise InputError(f'"{name}"{_at(_path(k, shape))}: {error.message}', next_move=move)


def _number(name: str, k: int, shape: tuple[int, ...], x: Any) -> Fraction | Exact:
    if isinstance(x, Exact):
        q = x.rational()
        return x if q is None else q
    if isinstance(x, float) and isfinite(x):
        return Fraction(x)
    try:
        return exact_rational(x)
    except InputError as error:
        raise InputError(f'"{name}"{_at(_path(k, shape))}: {error.message}', next_move=error.next_move) from error


def _truth(name: str, k: int, shape: tuple[int, ...], x: Any) -> bool:
    if isinstance(x, bool):
        return x
    shown = repr(x) if isinstance(x, int | float | str) and len(repr(x)) < 40 else f"a {type(x).__name__}"
    raise InputError(f'"{name}"{_at(_path(k, shape))} is {shown}, but the input is boolean', next_move="write True or False")
