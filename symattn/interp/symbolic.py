"""The symbolic reading: every stage of a program as SymPy objects, built from its inputs.

Promises: for known sizes explicit matrices, whose free entries are real symbols `W_Q_{1,2}` (counted from 1) and whose given entries
are exact; for symbolic sizes one expression a stage, with `Indexed` inputs and `Sum`. Nothing is simplified unless asked.
Does not promise: speed at large sizes (an entry of the output holds every entry of the inputs), or the order of floating-point operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from symattn.errors import InputError, ProgramError, UnsupportedError
from symattn.interp.run import Table, run
from symattn.interp.sizes import sizes_shown
from symattn.interp.symbolic_given import check_count, entry_symbol, free_tensor, given_tensor, unknown_input
from symattn.interp.symbolic_index import IndexReader
from symattn.interp.symbolic_latex import latex
from symattn.interp.symbolic_result import Symbolic
from symattn.interp.symbolic_table import MAXIMA, with_shifts
from symattn.interp.systems import Request
from symattn.interp.tensor import Tensor
from symattn.language.names import is_identifier
from symattn.program.ops import Reduce
from symattn.program.program import Program, Stage, sizes_used

__all__ = ["Symbolic", "latex", "read", "symbolic", "tables"]


def symbolic(
    program: Program,
    sizes: Mapping[str, int] | None = None,
    given: Mapping[str, Any] | None = None,
    *,
    defaults: Mapping[str, Any] | None = None,
    same: Mapping[str, str] | None = None,
    maximum: str = "symbol",
    unfold: bool = True,
    parameters: Mapping[str, int] | None = None,
) -> Symbolic:
    """Every stage of `program` as SymPy objects.

    `given` maps names of inputs to numbers (integers, text such as "0.5" or "1/3", Fraction, Decimal), SymPy expressions, or both mixed:
    nested lists, NumPy arrays, SymPy matrices or arrays, as deep as the input has axes. Inputs that are not given are symbols;
    boolean inputs must be given. `sizes` states size symbols that the given values do not show; `defaults` are values for inputs
    that are not given, `same` sizes that follow another unless they are known.

    When every size is known, stages are explicit. When some are not and nothing is given, a stage is an expression in its indices
    (counted from 1); with `unfold=False` it stands on the stages it uses instead of on the inputs.

    `maximum="symbol"` keeps each maximum along an axis as a real symbol (m_1 for row 1), which changes no output and no derivative of
    one: softmax does not depend on it; `shifts` of the result says what each stands for. "Max" writes the maximum out.

    Raises InputError (floats, text that is not a number, unknown inputs, missing masks or sizes), ShapeError, DomainError,
    UnsupportedError for "Max" with symbolic sizes."""
    if maximum not in ("symbol", "Max"):
        raise InputError(f"maximum is {str(maximum)[:40]!r}", next_move='write "symbol" or "Max"')
    inputs = {stage.name: stage for stage in program.inputs}
    feeds: dict[str, Tensor[Any]] = {}
    for name, value in (given or {}).items():
        if name not in inputs:
            raise unknown_input(name, list(inputs))
        feeds[name] = given_tensor(inputs[name], value)
    known = _sizes(program, feeds, sizes or {}, same or {})
    missing = [name for name in sizes_used(program) if name not in known]
    if missing and feeds:
        raise InputError(
            f"the size {', '.join(missing)} is not known",
            next_move="state it, or give a value that shows it; give nothing for symbolic sizes",
        )
    if missing:
        return _in_indices(program, known, parameters or {}, maximum=maximum, unfold=unfold)
    for stage in program.stages:
        if stage.name not in feeds:
            check_count(stage, tuple(axis.space.extent(known) for axis in stage.out))
    for name, stage in inputs.items():
        if name not in feeds:
            default = (defaults or {}).get(name)
            shape = tuple(axis.space.extent(known) for axis in stage.out)
            feeds[name] = free_tensor(stage, shape) if default is None else given_tensor(stage, default)
    shifts: dict[Any, Any] = {}
    table = MAXIMA if maximum == "Max" else with_shifts(shifts, _shift_names(program))
    return Symbolic(program, known, tensors=run(program, feeds, table, known, parameters), shifts=shifts)


def _sizes(program: Program, feeds: Mapping[str, Tensor[Any]], sizes: Mapping[str, int], same: Mapping[str, str]) -> dict[str, int]:
    for name, size in sizes.items():
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise InputError(f'the size "{str(name)[:40]}" is {str(size)[:40]!r}', next_move="a size is a positive integer")
    shapes = {name: tensor.shape for name, tensor in feeds.items()}
    known = sizes_shown(program, shapes, sizes)
    known |= {name: known[other] for name, other in same.items() if name not in known and other in known}
    return sizes_shown(program, shapes, known)


def _in_indices(program: Program, known: Mapping[str, int], parameters: Mapping[str, int], *, maximum: str, unfold: bool) -> Symbolic:
    if maximum == "Max" and any(isinstance(stage.op, Reduce) for stage in program.stages):
        raise UnsupportedError("SymPy has no maximum over a symbolic number of entries", next_move='give sizes, or keep maximum="symbol"')
    reader = IndexReader(program, MAXIMA, known, parameters, unfold=unfold)
    return Symbolic(program, known, expressions={stage.name: reader.stage(stage.name) for stage in program.stages})


def _shift_names(program: Program) -> Any:
    taken = {stage.name for stage in program.stages}
    letters = [stage.letter for stage in program.stages if isinstance(stage.op, Reduce)]

    def name_of(stage: Stage, index: tuple[int, ...]) -> Any:
        free = stage.letter and letters.count(stage.letter) == 1 and stage.letter not in taken
        own = stage.letter if free else stage.name.replace(".", "_")
        if len(index) != 1:
            return entry_symbol(own, index)
        name = f"{own}_{index[0] + 1}"
        return sp.Symbol(name, real=True) if is_identifier(name) and name not in taken else entry_symbol(own, index)

    return name_of


class Reading(dict[str, Tensor[Any]]):
    """The stages as tensors, with the sizes that were found."""

    def __init__(self, stages: Mapping[str, Tensor[Any]], sizes: Mapping[str, int]) -> None:
        super().__init__(stages)
        self.sizes = dict(sizes)


def read(program: Program, feeds: Mapping[str, Any], request: Request) -> Mapping[str, Tensor[Any]]:
    """Every stage as tensors of SymPy expressions; inputs that are not given are symbols (`request.sizes` states their sizes)."""
    found = symbolic(program, request.sizes, feeds, maximum="Max", parameters=request.parameters)
    missing = [name for name in sizes_used(program) if name not in found.sizes]
    if missing:
        raise ProgramError(f"the size {', '.join(missing)} is not known", next_move="give values, or state it: sizes={…}")
    return Reading({name: found.tensor(name) for name in found}, found.sizes)


def tables() -> tuple[Table, ...]:
    """The one table of this reading."""
    return (MAXIMA,)
