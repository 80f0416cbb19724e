"""One program read in several number systems: what `eval` and `attend` show.

Promises: each reading says what kind of truth it is (exact, proven, observed); infinities and NaN of a float reading are named where they
are born, and so is the first entry that has lost a digit which its format keeps. A reading that cannot do the program keeps its
reason and the others go on. Does not promise: that a float reading looks the same on another machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symattn.errors import DomainError, InputError, SymattnError, UndecidedError, UnsupportedError
from symattn.interp.events import Event
from symattn.interp.systems import SYSTEMS, system
from symattn.interp.tensor import Tensor

if TYPE_CHECKING:
    from symattn.interp.evaluate import Evaluation
    from symattn.number.truth import Enclosure
    from symattn.program.program import Program

Evaluate = Callable[[str, dict[str, Any]], "Evaluation"]
TRUTH = {"exact": "exact", "symbolic": "exact", "balls": "proven"}
# Readings whose arithmetic is another library's, which has errors of its own for numbers beyond it.
BORROWED = {"multiprec": "mpmath", "symbolic": "SymPy"}
REFERENCE_DIGITS = 20
MAX_COMPARED = 50_000


@dataclass(frozen=True)
class Lost:
    """The first entry of a float reading with fewer than `keeps` right digits; `shown` is what stands there, `right` what should."""

    stage: str
    entry: tuple[int, ...]
    keeps: int
    shown: str
    right: str


@dataclass(frozen=True)
class Reading:
    """A program in one number system, or why it has none. `truth` is exact, proven or observed. `weak` are the flat positions, stage by
    stage, of entries with fewer right digits than the format keeps."""

    numbers: str
    truth: str
    digits: int
    program: Program | None = None
    stages: Mapping[str, Tensor[Any]] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    failure: str = ""
    lost: Lost | None = None
    weak: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @property
    def is_float(self) -> bool:
        """Is it one of the float formats?"""
        return SYSTEMS[self.numbers].ordered

    def text(self, stage: str, position: int) -> str | None:
        """The entry at a flat position as text; None for an exact number without a closed form and for what a mask removed."""
        tensor = self.stages[stage]
        return None if position in tensor.absent else _text(tensor.entries[position], self.numbers, self.digits)

    def is_open(self, text: str | None) -> bool:
        """Does this text of an entry say that no digits are proven, or only how near to 0 it is?"""
        return (
            self.truth == "proven" and text is not None and text.lstrip("-")[:1] not in set("0123456789") and text not in ("true", "false")
        )


def parse_numbers(text: str) -> tuple[str, ...]:
    """The comma-separated names of number systems. Raises InputError with the known ones."""
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not names:
        raise InputError("no number system is named", next_move=f"known: {', '.join(SYSTEMS)}")
    for name in names:
        system(name)
    return names


def read_all(evaluate: Evaluate, numbers: Sequence[str], digits: int, order: str) -> list[Reading]:
    """The readings, in the order asked for. When none can do the program, the first error is raised."""
    found: list[Reading] = []
    first: SymattnError | None = None
    for name in numbers:
        options: dict[str, Any] = {}
        if SYSTEMS[name].rounds:
            options["digits"] = digits
        if SYSTEMS[name].ordered and order != "sequential":
            options["order"] = order
        truth = TRUTH.get(name, "observed")
        try:
            evaluation = evaluate(name, options)
        except (UnsupportedError, UndecidedError, DomainError) as error:
            first = first or error
            found.append(Reading(name, truth, digits, failure=error.message))
            continue
        except (OverflowError, ValueError) as trouble:
            if name not in BORROWED:
                raise
            beyond = UnsupportedError(f"{BORROWED[name]} cannot hold these numbers ({trouble})", next_move="take less extreme ones")
            first = first or beyond
            found.append(Reading(name, truth, digits, failure=beyond.message))
            continue
        notes = _notes(evaluation) if SYSTEMS[name].ordered else {}
        found.append(Reading(name, truth, digits, evaluation.program, evaluation, evaluation.events, notes))
    if first is not None and all(r.failure for r in found):
        raise first
    return _compared(found, evaluate)


def _text(value: Any, numbers: str, digits: int) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if numbers == "exact":
        form = value.closed_form()
        return str(form.text) if form is not None else _fraction(value.rational())
    if numbers == "multiprec":
        from symattn.interp.multiprec import decimal_string

        return decimal_string(value, digits)
    return str(value)


def _fraction(value: Fraction | None) -> str | None:
    """A rational number whose form is not short, such as a float's exact value; None when it is none, or of a page's length."""
    return None if value is None or max(value.numerator.bit_length(), value.denominator.bit_length()) > 4096 else str(value)


# -- lost digits ------------------------------------------------------------------------------------------------------
def _compared(found: list[Reading], evaluate: Evaluate) -> list[Reading]:
    """Float readings held against a proven one, which is made when none was asked for."""
    if not any(r.is_float and not r.failure for r in found):
        return found
    reference = _reference(found, evaluate)
    if reference is None:
        return found
    return [_held(r, reference) if r.is_float and not r.failure else r for r in found]


def _reference(found: list[Reading], evaluate: Evaluate) -> Mapping[str, Tensor[Any]] | None:
    ready = next((r for r in found if r.numbers == "balls" and not r.failure and r.digits >= REFERENCE_DIGITS), None)
    if ready is not None:
        return ready.stages
    try:
        return evaluate("balls", {"digits": REFERENCE_DIGITS})
    except SymattnError:  # the float readings stand without it
        return None


def _held(reading: Reading, reference: Mapping[str, Tensor[Any]]) -> Reading:
    from symattn.interp.lost import correct_digits
    from symattn.number.formats import format_named

    # Every decimal of so many digits survives a round trip through the format.
    keeps = max(1, (format_named(reading.numbers).precision - 1) * 30103 // 100000)
    weak: dict[str, set[int]] = {}
    first: Lost | None = None
    compared = 0
    for name, tensor in reading.stages.items():
        if name not in reference or compared > MAX_COMPARED:
            continue
        for k, (index, value, right) in enumerate(zip(tensor.indices(), tensor.entries, reference[name].entries, strict=True)):
            truth = None if isinstance(value, bool) or k in tensor.absent else _enclosed(right)
            if truth is None:
                continue
            compared += 1
            point = _enclosed(value)
            if point is None or correct_digits(point.lo, truth, cap=keeps) < keeps:
                weak.setdefault(name, set()).add(k)
                first = first or Lost(name, index, keeps, str(value), _digits(truth, keeps))
    return replace(reading, lost=first, weak={name: frozenset(at) for name, at in weak.items()})


def _digits(truth: Enclosure, keeps: int) -> str:
    """The right value in two digits more than the format keeps."""
    from symattn.number.decimal import significant_text
    from symattn.number.truth import Rational

    return significant_text(Rational((truth.lo + truth.hi) / 2), keeps + 2)


def _enclosed(value: Any) -> Enclosure | None:
    """The value as an interval; None for what is no number, and for a ball that nothing bounds."""
    from symattn.interp.agree import enclosure

    try:
        return enclosure(value, 4 * REFERENCE_DIGITS + 64)
    except UndecidedError:
        return None


# -- notes ------------------------------------------------------------------------------------------------------------
def _notes(evaluation: Evaluation) -> dict[str, str]:
    """How the operations that the program has were done."""
    used = _operations(evaluation)
    return {op: note for op, note in evaluation.notes.items() if op in used}


def _operations(evaluation: Evaluation) -> set[str]:
    from symattn.program import ops
    from symattn.program.scalar import Binary, Power, Unary, walk

    used: set[str] = set()
    for stage in evaluation.program.stages:
        if isinstance(stage.op, ops.Contract):
            used |= {"add", "mul", "sum"}
        elif isinstance(stage.op, ops.Reduce):
            used.add("max2")
        elif isinstance(stage.op, ops.Map):
            for node in walk(stage.op.scalar):
                used |= {node.op} if isinstance(node, Unary | Binary) else {"pow"} if isinstance(node, Power) else set()
    return used
