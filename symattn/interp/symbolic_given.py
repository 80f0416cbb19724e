"""Values for a symbolic reading: exact numbers, SymPy expressions, and symbols for what is not given.

Promises: no text reaches SymPy, except the names of symbols, which follow the rule for names; floats are refused.
Does not promise: that an expression makes sense where it is put.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import sympy as sp

from symattn.errors import InputError
from symattn.interp.tensor import Tensor
from symattn.language.names import is_identifier, suggestion
from symattn.number.exact import Exact
from symattn.number.literal import exact_rational
from symattn.program.ops import Input
from symattn.program.program import Stage

MAX_SYMBOLS = 100_000


def rational(x: Fraction) -> Any:
    """The SymPy number."""
    return sp.Rational(x.numerator, x.denominator)


def symbol(name: str, **assumptions: bool) -> Any:
    """A symbol with a name that follows the rule for names. Raises InputError for any other text."""
    if not is_identifier(name):
        raise InputError(f"{name[:40]!r} cannot name a symbol", next_move="a name is a letter, then letters, digits and underscores")
    return sp.Symbol(name, **assumptions)


def entry_symbol(name: str, index: Sequence[int]) -> Any:
    """The real symbol `W_Q_{1,2}` of an entry; the index counts from 0, the symbol from 1. Rank 0 is the name itself."""
    plain = symbol(name, real=True)
    return sp.Symbol(f"{plain.name}_{{{','.join(str(int(k) + 1) for k in index)}}}", real=True) if index else plain


def check_count(stage: Stage, shape: tuple[int, ...]) -> None:
    """Raises InputError for a stage that would be too many expressions."""
    count = prod(shape)
    if count > MAX_SYMBOLS:
        what = f'the input "{stage.name}" would be {count} symbols'
        if not isinstance(stage.op, Input):
            what = f'the stage "{stage.name}" would be {count} expressions'
        raise InputError(what, next_move=f"at most {MAX_SYMBOLS}; choose smaller sizes or none")


def free_tensor(stage: Stage, shape: tuple[int, ...]) -> Tensor[Any]:
    """A symbol for every entry of an input."""
    if stage_is_boolean(stage):
        raise InputError(
            f'the mask "{stage.name}" {stage.shape_text()} is not given',
            next_move="give true and false: a mask decides which terms there are",
        )
    return Tensor(shape, [entry_symbol(stage.name, index) for index in product(*(range(n) for n in shape))])


def stage_is_boolean(stage: Stage) -> bool:
    """Is the stage a boolean input?"""
    return bool(getattr(stage.op, "boolean", False))


def given_tensor(stage: Stage, value: object) -> Tensor[Any]:
    """What was given for an input: nested lists, a NumPy array, a SymPy matrix or array, as deep as the input has axes.

    Raises InputError for a float (unless it is an integer), a ragged or empty list, text that is not a number, infinities."""
    rank = len(stage.out)
    nested = _plain_lists(value, rank, stage)
    shape: list[int] = []
    level = nested
    for _ in range(rank):
        if not isinstance(level, list | tuple):
            raise InputError(
                f'"{stage.name}" {stage.shape_text()} has {rank} axes, but what is given has {len(shape)}',
                next_move="nest it once for each axis",
            )
        if not level:
            raise InputError(f'"{stage.name}" is empty', next_move="give at least one entry along each axis")
        shape.append(len(level))
        level = level[0]
    entries: list[Any] = []
    _collect(stage, nested, shape, (), entries)
    return Tensor(tuple(shape), entries)


def unknown_input(name: object, known: Sequence[str]) -> InputError:
    """The refusal of a value for an input that is not there."""
    return InputError(f"{str(name)[:40]!r} is given but there is no such input", next_move=suggestion(str(name)[:60], known, "inputs"))


def _of_numpy(value: object) -> bool:
    return str(type(value).__module__).split(".")[0] == "numpy"  # SymPy's applied functions have no module


def _plain_lists(value: Any, rank: int, stage: Stage) -> Any:
    if isinstance(value, sp.MatrixBase | sp.MatrixExpr):
        if isinstance(value, sp.MatrixExpr):
            if not all(size.is_Integer for size in value.shape):
                raise InputError(f'"{stage.name}" is given as a matrix of symbolic size', next_move="give sizes, or leave this input out")
            value = value.as_explicit()
        rows = value.tolist()
        if rank == 1 and 1 in value.shape:
            return [entry for row in rows for entry in row]
        return rows
    if isinstance(value, sp.NDimArray):
        return value.tolist()
    if _of_numpy(value) and hasattr(value, "tolist"):
        return value.tolist()
    return value


def _collect(stage: Stage, value: Any, shape: Sequence[int], index: tuple[int, ...], entries: list[Any]) -> None:
    depth = len(index)
    if depth == len(shape):
        entries.append(_entry(stage, value, index))
        return
    if not isinstance(value, list | tuple) or len(value) != shape[depth]:
        found = len(value) if isinstance(value, list | tuple) else "one value"
        raise InputError(
            f'"{stage.name}"{list(index) or ""} has {found} where others have {shape[depth]} entries', next_move="give rows of one length"
        )
    for k, part in enumerate(value):
        _collect(stage, part, shape, (*index, k), entries)


def _entry(stage: Stage, value: Any, index: tuple[int, ...]) -> Any:
    where = f'"{stage.name}"' + (f"[{', '.join(str(k) for k in index)}]" if index else "")
    if _of_numpy(value) and hasattr(value, "item"):
        value = value.item()
    if stage_is_boolean(stage):
        if value in (True, False) and isinstance(value, bool | int):
            return bool(value)
        raise InputError(f"{where} is a mask, and an entry is not true or false", next_move="give True where the key may be looked at")
    if isinstance(value, sp.Expr):
        return _expression(value, where)
    if isinstance(value, Exact):
        return value.fold(_SymPy())
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        return rational(exact_rational(value))
    except InputError as error:
        hint = '; a symbol is sympy.Symbol("a")' if isinstance(value, str) else ""
        raise InputError(f"{where}: {error.message}", next_move=error.next_move + hint) from error


class _SymPy:
    """SymPy as the arithmetic in which an exact number is rebuilt."""

    exp, sqrt, log = staticmethod(sp.exp), staticmethod(sp.sqrt), staticmethod(sp.log)

    def number(self, x: Fraction) -> Any:
        return rational(x)

    def add(self, a: Any, b: Any) -> Any:
        return a + b

    def mul(self, a: Any, b: Any) -> Any:
        return a * b

    def div(self, a: Any, b: Any) -> Any:
        return a / b


def _expression(value: Any, where: str) -> Any:
    if getattr(value, "is_Matrix", False):
        raise InputError(f"{where} is a matrix", next_move="give one number or expression an entry")
    if value.has(sp.Float):
        raise InputError(f"{where} holds a float", next_move="write it as sympy.Rational or as text")
    if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        raise InputError(f"{where} is not finite", next_move="give finite expressions")
    return value
