"""Watching a float format's rows: which results are births of an infinity, a NaN or an underflow, said in words.

Promises: the watched row returns exactly what the row returns. A birth is a result whose operands do not explain it: finite operands
give an infinity, none is NaN but the result is, or nonzero operands give a zero whose exact value is not 0.
Does not promise: births inside a library call (a BLAS dot product shows only its result).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from symattn.interp.events import Recorder
from symattn.number.formats import Format, Special, floor_log2

Row = Callable[..., Any]
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**"}
UNDERFLOWING = ("mul", "div", "exp", "pow", "tanh", "sin", "erf", "sqrt")


def ordinary(x: Any) -> bool:
    """Finite and not zero. For a `Special` this is False: it has no sum with anything."""
    return not isinstance(x, Special) and bool(x != 0 and x - x == 0)


def kind_of(x: Any) -> str:
    """What a value is: "inf", "nan", "zero" or "finite", whichever arithmetic it comes from."""
    if isinstance(x, Special):
        return "nan" if x is Special.NAN else "inf"
    if x != x:
        return "nan"
    if x == 0:
        return "zero"
    return "finite" if x - x == 0 else "inf"


def watch_row(op: str, row: Row, fmt: Format, recorder: Recorder) -> Row:
    """The row of the scalar function `op`, with its births reported to `recorder`."""

    def watched_row(*operands: Any) -> Any:
        value = row(*operands)
        if not ordinary(value):
            kind = _birth(op, operands, value)
            if kind is not None:
                recorder.born(kind, op, _detail(op, operands, kind, fmt))
        return value

    return watched_row


def _birth(op: str, operands: Sequence[Any], value: Any) -> str | None:
    """The kind of event that this result is; None when its operands explain it."""
    kinds = [kind_of(x) for x in (operands[:1] if op == "pow" else operands)]
    match kind_of(value):
        case "nan":
            return None if "nan" in kinds else "nan"
        case "inf":
            return None if "inf" in kinds or "nan" in kinds else "inf"
        case "zero" if op in UNDERFLOWING:
            return "zero" if all(kind == "finite" for kind in kinds) else None
        case _:
            return None


def watch_number(number: Callable[[Fraction], Any], fmt: Format, recorder: Recorder) -> Callable[[Fraction], Any]:
    """How exact numbers enter the format, with overflow and underflow reported to `recorder`."""

    def watched_number(x: Fraction) -> Any:
        value = number(x)
        if x != 0 and not ordinary(value):
            recorder.born(kind_of(value), "round", f"{short(x)} {_fate(kind_of(value), fmt)}")
        return value

    return watched_number


def _detail(op: str, operands: Sequence[Any], kind: str, fmt: Format) -> str:
    if op in SIGNS:
        text = f"{short(operands[0])} {SIGNS[op]} {short(operands[1])}"
    else:
        text = f"{op}({', '.join(short(x) for x in operands)})"
    kinds = [kind_of(x) for x in operands]
    if op == "div" and kinds == ["zero", "zero"]:
        return f"{text} has no value"
    if (op == "div" and kinds[1] == "zero") or (op == "pow" and kinds[0] == "zero"):
        return f"{text} divides by zero"
    if op == "log" and kinds[0] == "zero" and kind == "inf":
        return f"{text} is minus infinity"
    if kind == "nan" and (fmt.has_inf or "inf" in kinds or op in ("log", "sqrt")):
        return f"{text} has no value"
    return f"{text} {_fate(kind, fmt)}"


def _fate(kind: str, fmt: Format) -> str:
    if kind == "zero":
        return f"underflows: the smallest {fmt.name} is {short(fmt.smallest)}"
    return f"overflows: the largest {fmt.name} is {short(fmt.largest)}"


def short(x: Any) -> str:
    """A number for a message, in at most six digits."""
    if isinstance(x, Special):
        return x.value
    try:
        value = float(x)
    except OverflowError:
        value = 0.0
    if value == 0 and x != 0:
        return f"{'-' if x < 0 else ''}2**{floor_log2(abs(Fraction(x)))} (about)"
    return f"{value:.6g}"
