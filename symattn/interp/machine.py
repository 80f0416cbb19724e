"""The rows of the formats that NumPy and ml_dtypes have, and how each operation is done there.

Promises: every result is a scalar of the format; what NumPy lacks is computed in float64 and rounded to the format once, by own
rounding (a cast from float64 to an 8-bit or bfloat16 number may go by way of float32 and round twice); `notes` says it per operation.
Does not promise: correct rounding of exp, log and the like, nor equal results on another machine: they are the libraries'.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np

from symattn.number.formats import BFLOAT16, FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT16, FLOAT32, FLOAT64, Format, Special, round_fraction

Row = Callable[..., Any]
SCALARS: Mapping[str, Any] = {
    FLOAT64.name: np.float64,
    FLOAT32.name: np.float32,
    FLOAT16.name: np.float16,
    BFLOAT16.name: ml_dtypes.bfloat16,
    FLOAT8_E4M3FN.name: ml_dtypes.float8_e4m3fn,
    FLOAT8_E5M2.name: ml_dtypes.float8_e5m2,
}
NATIVE = (FLOAT64, FLOAT32, FLOAT16)
_FUNCTIONS = ("exp", "log", "sqrt", "tanh", "cos", "sin")


@dataclass(frozen=True)
class Arithmetic:
    """A format's arithmetic. `number` rounds an exact rational to it; `rows` has every scalar function; `notes` says how."""

    fmt: Format
    number: Callable[[Fraction], Any]
    rows: Mapping[str, Row]
    notes: Mapping[str, str]


def machine(fmt: Format) -> Arithmetic:
    """The rows of one of the formats in SCALARS."""
    scalar = SCALARS[fmt.name]

    def number(x: Fraction) -> Any:
        rounded = round_fraction(x, fmt)
        if isinstance(rounded, Special):
            return scalar(float(rounded.value))
        value = rounded.numerator / rounded.denominator  # exact: every number of these formats is a float64
        return scalar(-0.0 if value == 0 and x < 0 else value)

    def once(value: float) -> Any:
        """A float64 rounded to the format, in one rounding."""
        if value == 0 or not math.isfinite(value):
            return scalar(value)
        rounded = number(Fraction(value))
        return scalar(math.copysign(0.0, value)) if rounded == 0 else rounded

    def larger(a: Any, b: Any) -> Any:
        return b if b > a or b != b else a

    rows: dict[str, Row] = {
        "add": operator.add,
        "sub": operator.sub,
        "mul": operator.mul,
        "div": operator.truediv,
        "neg": operator.neg,
        "max2": larger,
        "erf": lambda x: once(math.erf(float(x))),
    }
    notes = {"max2": "by comparison; a NaN stays"}
    if fmt in NATIVE:
        for op in _FUNCTIONS:
            rows[op] = getattr(np, op)
            notes[op] = f"numpy.{op} on {fmt.name}"
        rows["pow"] = _power(np.power, number)
        notes["pow"] = f"the exponent is rounded to {fmt.name}, then numpy.power (of the size, for odd roots of negative numbers)"
        notes |= dict.fromkeys(("add", "sub", "mul", "div", "neg"), f"NumPy's scalar arithmetic on {fmt.name}")
        if fmt is FLOAT16:
            for op in ("add", "sub", "mul", "div"):
                notes[op] += ", which computes in float32 and rounds (the same as one rounding: 24 >= 2*11 + 2)"
        notes["erf"] = "NumPy has none: math.erf in float64" + ("" if fmt is FLOAT64 else f", rounded once to {fmt.name}")
    else:
        for op in _FUNCTIONS:
            rows[op] = _wider(getattr(np, op), once)
            notes[op] = f"NumPy has none for {fmt.name}: numpy.{op} in float64, rounded once"
        double = machine(FLOAT64).number
        rows["pow"] = _power(lambda x, exponent: once(float(np.power(np.float64(x), exponent))), double)
        notes["pow"] = f"NumPy has none for {fmt.name}: the exponent rounded to float64, numpy.power in float64, rounded once"
        wide = f"ml_dtypes, which computes in float32 and rounds (the same as one rounding: 24 >= 2*{fmt.precision} + 2)"
        notes |= dict.fromkeys(("add", "sub", "mul", "div"), wide)
        notes["neg"] = "ml_dtypes"
        notes["erf"] = f"NumPy has none: math.erf in float64, rounded once to {fmt.name}"
    return Arithmetic(fmt, number, rows, notes)


def _power(power: Row, number: Callable[[Fraction], Any]) -> Row:
    """x to a rational exponent; an odd root of a negative number is negative, as over the reals."""

    def row(x: Any, exponent: Fraction) -> Any:
        if exponent.denominator % 2 and exponent.denominator > 1 and x < 0:
            size = power(-x, number(exponent))
            return -size if exponent.numerator % 2 else size
        return power(x, number(exponent))

    return row


def _wider(function: Callable[[Any], Any], once: Callable[[float], Any]) -> Row:
    return lambda x: once(float(function(np.float64(x))))


BLAS_FORMATS = (FLOAT64, FLOAT32)


def blas_dot(factors: list[Any], others: list[Any]) -> Any:
    """The dot product of two lists of float64 or float32 scalars by numpy.dot, which calls BLAS."""
    return np.dot(np.array(factors), np.array(others))
