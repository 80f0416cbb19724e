"""One input as it was given: exact entries, the texts they were typed as, and where each stands.

Promises: regular, not empty, of a depth that the input can have; every entry exact; each complaint has the place of the entry or row
that it is about. A float counts only when it is an integer or when binary fractions are meant.
Does not promise: that shapes fit each other (interp/sizes.py says).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from symattn.errors import InputError, Place
from symattn.inputs.names import KINDS
from symattn.interp.tensor import Tensor
from symattn.number.literal import exact_rational, float_refused

Path = tuple[int, ...]
Locate = Callable[[Path], Place]
MAX_ENTRIES = 10_000_000
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_TRUTH = {"true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True)
class Given:
    """An input. `texts` are entries as they were typed, plain decimals only."""

    name: str
    tensor: Tensor[Any]
    texts: dict[Path, str]
    locate: Locate

    @property
    def place(self) -> Place:
        """Where the input begins."""
        return self.locate(())


def settle(name: str, raw: Any, locate: Locate, *, binary: bool = False) -> Given:
    """The input `name` from nested lists of text, int, bool or float. `locate` finds the place of an entry or, for a shorter path, of a
    row; it is asked only for complaints. Raises InputError."""
    kind = KINDS[name]
    shape = _shape(name, raw, locate)
    if len(shape) not in kind.depths:
        raise InputError(
            f"{_what(name)} has {_axes(len(shape))}, not {' or '.join(map(str, kind.depths))}",
            place=locate(()),
            next_move=_depth_move(name),
        )
    flat = _flat(name, raw, shape, locate)
    entries: list[Any] = []
    texts: dict[Path, str] = {}
    for k, cell in enumerate(flat):
        try:
            entries.append(_truth(cell) if kind.boolean else _number(cell, binary))
        except InputError as error:
            path = _path(k, shape)
            raise InputError(f"{_what(name, path)}: {error.message}", place=locate(path), next_move=error.next_move) from None
        if isinstance(cell, str) and not kind.boolean:
            typed = cell.strip().replace("\u2212", "-").removeprefix("+")
            if _DECIMAL.fullmatch(typed):
                texts[_path(k, shape)] = typed
    return Given(name, Tensor(shape, entries), texts, locate)


def _what(name: str, path: Path = ()) -> str:
    return f'"{name}"' + (f"[{', '.join(map(str, path))}]" if path else "")


def _axes(depth: int) -> str:
    return ("no axis (a single number)", "1 axis (a vector)", "2 axes (a matrix)")[depth] if depth < 3 else f"{depth} axes"


def _depth_move(name: str) -> str:
    kind = KINDS[name]
    if kind.depths == (2,):
        return "give a matrix; one row is written [[1, 2]], one column [[1], [2]]"
    if kind.depths == (1,):
        return "give a vector: one entry a key"
    return "give one number a head" if 1 in kind.depths else "give a matrix, or one a head"


def _shape(name: str, raw: Any, locate: Locate) -> tuple[int, ...]:
    """The lengths along the first entries."""
    shape: list[int] = []
    while isinstance(raw, list):
        if not raw:
            raise InputError(
                f"{_what(name, (0,) * len(shape))} is empty", place=locate((0,) * len(shape)), next_move="give at least one entry"
            )
        shape.append(len(raw))
        if len(shape) > 3:
            raise InputError(f"{_what(name)} is nested more than 3 deep", place=locate(()), next_move=_depth_move(name))
        raw = raw[0]
    return tuple(shape)


def _flat(name: str, raw: Any, shape: tuple[int, ...], locate: Locate) -> list[Any]:
    if prod(shape) > MAX_ENTRIES:
        raise InputError(f"{_what(name)} has {prod(shape)} entries", place=locate(()), next_move=f"at most {MAX_ENTRIES} are taken")
    level = [raw]
    for depth, size in enumerate(shape):
        below: list[Any] = []
        for k, part in enumerate(level):
            if isinstance(part, list) and len(part) == size:
                below += part
                continue
            path = _path(k, shape[:depth])
            if not isinstance(part, list):
                raise InputError(
                    f"{_what(name, path)} is one entry where a row of {size} should stand",
                    place=locate(path),
                    next_move="give regular rows",
                )
            raise InputError(
                f"{_what(name)} is ragged: row {_row(path)} has {len(part)} entries, the first row has {size}",
                place=locate(path),
                next_move="give all rows the same length",
            )
        level = below
    for k, cell in enumerate(level):
        if isinstance(cell, list):
            path = _path(k, shape)
            raise InputError(
                f"{_what(name, path)} is a list where a number should stand", place=locate(path), next_move="give regular rows"
            )
    return level


def _row(path: Path) -> str:
    return str(path[0]) if len(path) == 1 else str(list(path))


def _path(k: int, shape: tuple[int, ...]) -> Path:
    path: list[int] = []
    for size in reversed(shape):
        k, rest = divmod(k, size)
        path.append(rest)
    return tuple(reversed(path))


def _number(cell: Any, binary: bool) -> Fraction:
    if isinstance(cell, float):
        if cell != cell or cell in (float("inf"), float("-inf")):
            raise InputError(f"{cell!r} is not a finite number", next_move="give finite numbers")
        if not binary and not cell.is_integer():
            refused = float_refused(cell)
            raise InputError(
                refused.message,
                next_move="give --binary to mean these binary fractions, ask only for float readings (--numbers float64), "
                "or write the decimals as text (JSON, TOML, CSV)",
            )
        return Fraction(cell)
    if cell is None:
        raise InputError("null is not a number", next_move="give a number")
    if isinstance(cell, str) and cell.strip().lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise InputError(f"{cell.strip()} is not a finite number", next_move="give finite numbers")
    return exact_rational(cell)


def _truth(cell: Any) -> bool:
    if isinstance(cell, bool):
        return cell
    if isinstance(cell, int | str | Fraction) and str(cell).strip().lower() in _TRUTH:
        return _TRUTH[str(cell).strip().lower()]
    shown = str(cell) if len(str(cell)) <= 40 else str(cell)[:37] + "..."
    raise InputError(f"{shown} is no truth value", next_move="write true or false, or 1 or 0")
