"""`evaluate`: a program's named stages in one number system.

Promises: inputs are taken exactly (interp/take.py), the number system is loaded only when asked for, and what comes back knows how it
was made. Does not promise: any digits; each system says what its entries are (exact, enclosed, observed).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from symattn.errors import InputError
from symattn.interp.events import Event
from symattn.interp.sizes import infer_sizes
from symattn.interp.systems import Request, system
from symattn.interp.take import take_feeds
from symattn.interp.tensor import Tensor
from symattn.number.formats import Format
from symattn.program.program import Program

MAX_DIGITS = 4000
MAX_BITS = 16_384
ORDERS = ("sequential", "pairwise", "blas")


class UnknownStage(InputError, KeyError):
    """A stage that the program does not have."""


class Evaluation(Mapping[str, Tensor[Any]]):
    """Stage name -> Tensor, in program order; `output` is the program's answer.

    `numbers` names the number system, `sizes` the value of each size symbol, `program` what was read; `reading` is what the number
    system returned, with whatever it says beside the values."""

    def __init__(self, program: Program, reading: Mapping[str, Tensor[Any]], sizes: Mapping[str, int], numbers: str) -> None:
        self.program = program
        self.reading = reading
        self.sizes = dict(sizes)
        self.numbers = numbers

    @property
    def output(self) -> Tensor[Any]:
        """The stage that the program answers with."""
        return self[self.program.output]

    @property
    def events(self) -> tuple[Event, ...]:
        """Where a float reading first met an infinity, a NaN or an underflow, stage by stage; () in other number systems."""
        found: tuple[Event, ...] = getattr(self.reading, "events", ())
        return found

    @property
    def notes(self) -> Mapping[str, str]:
        """How the reading was done, where that needs words: operation -> note."""
        found: Mapping[str, str] = getattr(self.reading, "notes", {})
        return found

    def __getitem__(self, name: str) -> Tensor[Any]:
        """A stage by name. Raises UnknownStage (an InputError and a KeyError) that lists the stages."""
        if name not in self.reading:
            raise UnknownStage(f"there is no stage {name!r}", next_move="the stages: " + ", ".join(self.reading))
        return self.reading[name]

    if not TYPE_CHECKING:  # a type checker finds a wrong name by itself

        def __getattr__(self, name: str) -> Any:
            """Never a value: says how a stage is read."""
            if name in self.__dict__.get("reading", ()):
                raise AttributeError(f'a stage is read by its name in brackets: evaluation["{name}"]')
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.reading)

    def __len__(self) -> int:
        return len(self.reading)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={value}" for name, value in self.sizes.items())
        lines = [f"Evaluation in {self.numbers} numbers" + (f", {sizes}" if sizes else "")]
        width = max(len(name) for name in self.reading)
        for name, tensor in self.reading.items():
            shape = "×".join(map(str, tensor.shape)) or "1"
            more = ", …" if len(tensor.entries) > 1 else ""
            lines.append(f"  {name:<{width}}  {shape:>9}  {_brief(tensor.entries[0])}{more}")
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        from symattn.interp.notebook import evaluation_rows
        from symattn.page.notebook import aligned

        return aligned(evaluation_rows(self))


def _brief(entry: Any) -> str:
    text = str(entry)
    return text if len(text) <= 60 else text[:57] + "…"


def evaluate(
    program: Program,
    feeds: Mapping[str, Any],
    *,
    numbers: str | Format = "exact",
    digits: int | None = None,
    bits: int | None = None,
    binary: bool = False,
    order: str = "sequential",
    sizes: Mapping[str, int] | None = None,
    parameters: Mapping[str, int] | None = None,
) -> Evaluation:
    """Every stage of `program` in the number system `numbers` (interp/systems.py lists them), or in a float format of one's own.

    `feeds`: input name -> nested lists of int, text ("0.5", "1/3"), Fraction, Decimal, Exact, or arrays; a bare number for a scalar
    input; bools for a boolean one. Floats count only where all of an input's are integers, with `binary=True` (each is then the exact
    binary fraction), or where `numbers` is a float format. `digits` (proven significant digits) or `bits` (working precision) are for
    "balls" and "multiprec", others have no use for them; `order` is the order of float sums; `sizes` states sizes that no input shows;
    `parameters` binds named integers in relations.

    Raises InputError, ShapeError for what is given, MaskedRowError, DomainError, UnsupportedError, UndecidedError from the reading."""
    chosen = system(numbers)
    name = numbers.name if isinstance(numbers, Format) else numbers
    _check_count("digits", digits, MAX_DIGITS)
    _check_count("bits", bits, MAX_BITS)
    if digits is not None and bits is not None:
        raise InputError("both digits and bits are given", next_move="give one of them")
    if order not in ORDERS:
        raise InputError(f"there is no order {order!r}", next_move=f"known: {', '.join(ORDERS)}")
    if order != "sequential" and not chosen.ordered:
        raise InputError(f'the number system "{name}" has no order of sums', next_move="leave order out")
    request = Request(numbers, digits, bits, order, dict(sizes or {}), dict(parameters or {}))
    if chosen.raw:
        reading = chosen.load().read(program, feeds, request)
        return Evaluation(program, reading, getattr(reading, "sizes", request.sizes), name)
    taken = take_feeds(program, feeds, binary=binary or chosen.binary)
    found = infer_sizes(program, {name: tensor.shape for name, tensor in taken.items()}, request.sizes)
    return Evaluation(program, chosen.load().read(program, taken, request), found, name)


def _check_count(name: str, value: int | None, cap: int) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InputError(f"{name} is {value!r}", next_move="give a positive integer")
    if value > cap:
        raise InputError(f"{name} is {value}", next_move=f"at most {cap}")
