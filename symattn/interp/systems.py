"""The number systems by name: which module reads a program in which numbers, loaded only when asked for.

A module in `SYSTEMS` offers two functions:

* `read(program, feeds, request) -> Mapping[str, Tensor]`: every stage. `feeds` are exact tensors, entries `Fraction` where
  rational and `Exact` otherwise (bools for boolean inputs); a `raw` system gets what the user gave, untouched.
* `tables() -> tuple[Table, ...]`: its tables, for the test that walks every scalar function over every table.

Promises: an unknown name is an `InputError` that lists the known ones. Does not promise: that a system's library is installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Protocol, cast

from symattn.errors import InputError
from symattn.interp.run import Table
from symattn.interp.tensor import Tensor
from symattn.number.formats import Format
from symattn.program.program import Program


@dataclass(frozen=True)
class Request:
    """What is asked of a reading. `numbers` is a name of SYSTEMS, or a float format of one's own. `digits` are proven significant
    decimal digits, `bits` a fixed working precision (at most one of the two; None leaves the choice to the system). `order` is the
    order of float sums: "sequential", "pairwise" or "blas"."""

    numbers: str | Format
    digits: int | None = None
    bits: int | None = None
    order: str = "sequential"
    sizes: Mapping[str, int] = field(default_factory=dict)
    parameters: Mapping[str, int] = field(default_factory=dict)


class Module(Protocol):
    """What a number system's module offers."""

    def read(self, program: Program, feeds: Mapping[str, Any], request: Request) -> Mapping[str, Tensor[Any]]: ...

    def tables(self) -> tuple[Table, ...]: ...


@dataclass(frozen=True)
class System:
    """Where a number system lives. `binary`: it takes floats exactly, as the binary fractions they are. `raw`: it takes the
    feeds itself. `rounds`: `digits` and `bits` mean something to it; `ordered`: `order` does."""

    module: str
    binary: bool = False
    raw: bool = False
    rounds: bool = False
    ordered: bool = False

    def load(self) -> Module:
        """The module, imported now."""
        return cast("Module", import_module(self.module))


_FLOATS = System("symattn.interp.floats", binary=True, ordered=True)
SYSTEMS: Mapping[str, System] = {
    "exact": System("symattn.interp.exact"),
    "balls": System("symattn.interp.balls", rounds=True),
    "multiprec": System("symattn.interp.multiprec", rounds=True),
    "symbolic": System("symattn.interp.symbolic", raw=True),
    "float64": _FLOATS,
    "float32": _FLOATS,
    "float16": _FLOATS,
    "bfloat16": _FLOATS,
    "float8_e4m3fn": _FLOATS,
    "float8_e5m2": _FLOATS,
}


def system(name: str | Format) -> System:
    """The number system of that name, the float reading for a format. Raises InputError with the known names and the nearest one."""
    if isinstance(name, Format):
        return _FLOATS
    if isinstance(name, str) and name in SYSTEMS:
        return SYSTEMS[name]
    near = get_close_matches(str(name), SYSTEMS, n=1)
    hint = f'did you mean "{near[0]}"? ' if near else ""
    raise InputError(f"there is no number system {name!r}", next_move=f"{hint}known: {', '.join(SYSTEMS)}")
