"""Which inputs an attention can be given, and how their names may be written.

Promises: case matters (Q is not q); W_Q may be written WQ; an unknown name is an InputError with the nearest known one. Does not promise:
that a set of inputs is complete (see `check_together`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from symattn.errors import InputError, Place


@dataclass(frozen=True)
class Kind:
    """What an input is: the numbers of axes that it may have, and whether its entries are truth values."""

    depths: tuple[int, ...] = (2,)
    boolean: bool = False


KINDS: Mapping[str, Kind] = {
    "X": Kind(),
    "Y": Kind(),
    "W_Q": Kind(),
    "W_K": Kind(),
    "W_V": Kind(),
    "W_O": Kind(),
    "Q": Kind(),
    "K": Kind(),
    "V": Kind(),
    "allowed": Kind(boolean=True),
    "allowed_keys": Kind((1,), boolean=True),
    "bias": Kind((2, 3)),
    "slopes": Kind((0, 1)),
    "sink": Kind((0, 1)),
}
WEIGHTS = ("X", "W_Q", "W_K", "W_V")
QKV = ("Q", "K", "V")
_ONLY_WITH_X = ("X", "Y", "W_Q", "W_K", "W_V")
_OPTIONS = (
    "mask",
    "window",
    "query_offset",
    "heads",
    "kv_heads",
    "scale",
    "softcap",
    "alibi",
    "rotary",
    "masked_row",
    "algorithm",
    "blocks",
)


def known_name(name: str, place: Place | None = None) -> str:
    """The input that `name` means. Raises InputError with the nearest known names."""
    if name in KINDS:
        return name
    if name.startswith("W") and f"W_{name[1:]}" in KINDS:
        return f"W_{name[1:]}"
    shown = name if len(name) <= 40 else name[:37] + "..."
    if name in _OPTIONS:
        move = f"give options on the command line: --{name.replace('_', '-')}"
    else:
        lowered = {known.lower(): known for known in KINDS}
        near = [lowered[name.lower()]] if name.lower() in lowered else get_close_matches(name[:60], KINDS, n=2)
        move = (f"did you mean {' or '.join(near)}? " if near else "") + f"known: {', '.join(KINDS)}"
    raise InputError(f'"{shown}" is no input of an attention', place=place, next_move=move)


def check_together(places: Mapping[str, Place]) -> None:
    """Raises InputError when nothing is given, X stands beside Q, K, V, or a part of the set is missing. `places`: input -> where it is
    given."""
    projected = [name for name in _ONLY_WITH_X if name in places]
    ready = [name for name in QKV if name in places]
    if projected and ready:
        raise InputError(
            f'"{projected[0]}" and "{ready[0]}" are both given',
            place=places[max(projected[0], ready[0], key=lambda name: places[name].line)],
            next_move="give X with W_Q, W_K, W_V (Q, K, V are then computed), or Q, K, V themselves",
        )
    if not projected and not ready:
        raise InputError(
            f"{_listed(list(places))} alone make no attention" if places else "no matrix is given",
            next_move='give a FILE, or --q "[[1, 0], [0, 1]]" --k … --v …, or --x … --wq … --wk … --wv …',
        )
    missing = [name for name in (WEIGHTS if projected else QKV) if name not in places]
    if missing:
        one = len(missing) == 1
        options = " ".join(f"--{name.lower().replace('_', '')} …" for name in missing)
        raise InputError(
            f"{_listed(missing)} {'is' if one else 'are'} missing",
            next_move=f"put {'it' if one else 'them'} into the FILE or give {options}",
        )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
