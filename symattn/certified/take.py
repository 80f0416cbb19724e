"""Taking arrays for certified results: six float formats, every entry exactly as it stands.

Promises: entries become the same numbers in float64 (each of the six formats fits); layout, strides and write flags do not matter; what
cannot be taken is one error that names the argument, the place and the next move.
Does not promise: lists, integers or wider floats, which would be a silent conversion; Python numbers (a scale) are read in scale.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symattn.errors import InputError, ShapeError
from symattn.number.formats import FORMATS, Format

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Integers = NDArray[np.int64]


def output_format(out: object) -> Format:
    """`out` as a format: one of the six names, or a `Format` of one's own (at most 51 significant bits, or float64's own numbers)."""
    if isinstance(out, Format):
        wide = out.precision == 53 and (out.emin, out.emax) == (-1022, 1023)
        if not wide and (out.precision > 51 or out.emax > 900 or out.emin < -960):
            raise InputError(
                f'the format "{out.name}" has {out.precision} significant bits and exponents {out.emin} … {out.emax}',
                next_move="certified results have at most 51 bits and exponents within -960 … 900, or float64's own numbers",
            )
        return out
    name = out if isinstance(out, str) else getattr(out, "__name__", None) or getattr(out, "name", None)
    if not isinstance(name, str) or name not in FORMATS:
        raise InputError(f"out is {_shown(out)}, no known float format", next_move="known: " + ", ".join(FORMATS))
    return FORMATS[name]


def _shown(x: object) -> str:
    text = repr(x)
    return text if len(text) <= 40 else text[:37] + "..."


def take(name: str, x: object, axes: str, least: int, *, finite: bool = True) -> Floats:
    """The array `x` in float64, exactly. `axes` names its last axes, of which there are at least `least`; none may be empty.

    Raises InputError (not an array, another dtype, NaN or infinity: says where) and ShapeError."""
    if not hasattr(x, "dtype") or not (hasattr(x, "__array__") or isinstance(x, np.ndarray)):
        raise InputError(
            f"{name} is a {type(x).__name__}",
            next_move=f'give a NumPy array, such as numpy.array({name}, dtype="float64")',
        )
    array = np.asarray(x)
    if array.dtype.name not in FORMATS:
        move = f'write {name}.astype("float64")' if array.dtype.kind in "biu" else "known: " + ", ".join(FORMATS)
        raise InputError(f"{name} is an array of {array.dtype}, not of a float format", next_move=move)
    if array.ndim < least:
        raise ShapeError(f"{name} has shape {array.shape}, but {axes} is needed", next_move=f"give {name} at least {least} axes")
    if 0 in array.shape:
        raise ShapeError(f"{name} has shape {array.shape}: an axis of it is empty", next_move="give at least one entry along every axis")
    wide: Floats = array.astype(np.float64)
    if finite:
        require_finite(name, wide)
    return wide


def require_finite(name: str, x: Floats) -> None:
    """Raises InputError that names the first entry that is NaN or infinite."""
    if not np.isfinite(x).all():
        flat = int(np.argmin(np.isfinite(x)))
        at = tuple(int(k) for k in np.unravel_index(flat, x.shape))
        raise InputError(
            f"{name}[{', '.join(map(str, at))}] is {x[at]}",
            next_move='give finite numbers, or nonfinite="masked" to allow others where the mask excludes them',
        )


def take_mask(mask: object, shape: tuple[int, ...]) -> Bools:
    """A boolean array broadcast to `shape`, true where a key is allowed. Raises InputError and ShapeError."""
    if not hasattr(mask, "dtype"):
        raise InputError(
            f"mask is a {type(mask).__name__}", next_move='give None, "causal", "window" or a boolean array, true where a key is allowed'
        )
    array = np.asarray(mask)
    if array.dtype.kind != "b":
        raise InputError(
            f"mask is an array of {array.dtype}", next_move="give booleans, true where a key is allowed; numbers to add are a bias"
        )
    found: Bools = _broadcast("mask", array, shape)
    return found


def take_bias(bias: object, shape: tuple[int, ...], *, finite: bool) -> Floats:
    """Numbers added to the scaled scores, broadcast to `shape`. Raises InputError and ShapeError."""
    array = take("bias", bias, "(…, n, m)", 0, finite=False)
    if finite and not np.isfinite(array).all():
        if np.isneginf(array).any() and not np.isnan(array).any() and not np.isposinf(array).any():
            raise InputError("bias holds -inf", next_move="give what is excluded as a boolean mask: bias > -inf")
        require_finite("bias", array)
    found: Floats = _broadcast("bias", array, shape)
    return found


def _broadcast(name: str, array: Any, shape: tuple[int, ...]) -> Any:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ShapeError(
            f"{name} has shape {array.shape}, which does not fit the scores {shape}",
            next_move="give one that broadcasts to them",
        ) from None
