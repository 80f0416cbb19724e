"""The formats that a study is asked about: known names, and formats of one's own written NAME:PRECISION:EMIN:EMAX.

Promises: one clear InputError for anything else. Does not promise: formats without infinities of one's own (known ones have them).
"""

from __future__ import annotations

import re

from symattn.errors import InputError
from symattn.number.formats import FORMATS, Format, format_named

MAX_PRECISION = 256
MAX_EXPONENT = 20_000
MAX_FORMATS = 12
_OWN = re.compile(r"([A-Za-z][A-Za-z0-9_]{0,19}):(-?\d{1,6}):(-?\d{1,6}):(-?\d{1,6})")


def read_formats(text: str, *, own: bool = True) -> tuple[Format, ...]:
    """The comma-separated formats. With `own` also "e3m2:3:-2:4" (precision with the hidden bit, emin, emax). Raises InputError."""
    parts = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not parts:
        raise InputError("no float format is named", next_move="known: " + ", ".join(FORMATS))
    if len(parts) > MAX_FORMATS:
        raise InputError(f"{len(parts)} formats are named", next_move=f"at most {MAX_FORMATS}")
    return tuple(_one(part, own) for part in parts)


def _one(part: str, own: bool) -> Format:
    if ":" not in part:
        return format_named(part[:60])
    if not own:
        raise InputError(
            f'"{part[:60]}" is a format of your own, and this study runs on arrays', next_move="known formats: " + ", ".join(FORMATS)
        )
    found = _OWN.fullmatch(part)
    if found is None:
        raise InputError(
            f'"{part[:60]}" is no format',
            next_move="write NAME:PRECISION:EMIN:EMAX, such as e3m2:3:-2:4 (precision counts the hidden bit)",
        )
    name, precision, emin, emax = found[1], *(int(found[k]) for k in (2, 3, 4))
    if name in FORMATS:
        raise InputError(f'"{name}" is a known format', next_move="write its name alone, or choose another name")
    if precision > MAX_PRECISION or max(abs(emin), abs(emax)) > MAX_EXPONENT:
        raise InputError(
            f'format "{name}" is too wide', next_move=f"at most {MAX_PRECISION} bits of precision and exponents up to {MAX_EXPONENT}"
        )
    return Format(name, precision=precision, emin=emin, emax=emax)
