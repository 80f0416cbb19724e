"""The float reading: a program in one float format, operation by operation, in a stated order, with what happens to its numbers.

Promises: inputs are rounded once from their exact values; every operation is rounded to the format, in the order of the program
(interp/run.py; sums "sequential", "pairwise" or "blas"); what a mask excludes is skipped; where the first infinity, NaN or underflow
of each stage is born is an event; `notes` says how each operation was done. NumPy's warnings are silenced here and nowhere else.
Does not promise: proven digits. Formats that NumPy or ml_dtypes has are observed on this machine; an invented format is computed
from exact values (softfloats.py) and is the same everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from symattn.errors import InputError, UnsupportedError
from symattn.interp.events import Observed, Recorder, watched
from symattn.interp.machine import BLAS_FORMATS, SCALARS, Arithmetic, blas_dot, machine
from symattn.interp.run import (
    ContractSite,
    MapSite,
    ReduceSite,
    Row,
    Runner,
    Table,
    contract_default,
    map_default,
    masked_row,
    reduce_default,
)
from symattn.interp.softfloats import soft_notes, soft_number, soft_rows
from symattn.interp.systems import Request
from symattn.interp.tensor import Tensor
from symattn.interp.watch import kind_of, ordinary, watch_number, watch_row
from symattn.number.formats import FORMATS, Format, Special, format_named, round_to
from symattn.program.program import Program

ORDERS = ("sequential", "pairwise", "blas")


def engine(fmt: Format) -> Arithmetic:
    """The machine's arithmetic for a known format with its usual overflow, else exact arithmetic with one rounding each."""
    if FORMATS.get(fmt.name) == fmt:
        return machine(fmt)
    return Arithmetic(fmt, soft_number(fmt), soft_rows(fmt), soft_notes())


def read(program: Program, feeds: Mapping[str, Tensor[Any]], request: Request) -> Observed:
    """Every stage in the format `request.numbers`; see `read_format`."""
    fmt = request.numbers if isinstance(request.numbers, Format) else format_named(request.numbers)
    return read_format(program, feeds, fmt, order=request.order, sizes=request.sizes, parameters=request.parameters)


def read_format(
    program: Program,
    feeds: Mapping[str, Tensor[Any]],
    fmt: Format,
    *,
    order: str = "sequential",
    sizes: Mapping[str, int] | None = None,
    parameters: Mapping[str, int] | None = None,
) -> Observed:
    """Every stage in any format, invented ones included. `feeds` hold exact numbers (`Fraction` or a `Quantity`) and bools; a
    float that is infinite or NaN is taken as it is. Raises InputError for an unknown order, UnsupportedError for "blas" in a
    format that BLAS does not have, and what `interp.run.run` raises."""
    arithmetic = engine(fmt)
    recorder = Recorder()
    table = _table(arithmetic, order, recorder)
    with np.errstate(all="ignore"):
        rounded = {}
        for name, tensor in feeds.items():
            recorder.enter(name)
            rounded[name] = Tensor(tensor.shape, _rounded(tensor, arithmetic, table, recorder), tensor.absent)
        runner = Runner(program, rounded, table, sizes, parameters)
        stages = {}
        for stage in program.stages:
            recorder.enter(stage.name)
            stages[stage.name] = runner.value(stage.name)
    return Observed(stages, recorder.events(), {**arithmetic.notes, "sum": _order_note(order)})


def tables() -> tuple[Table, ...]:
    """The tables of the known formats, and one of an invented format."""
    return tuple(float_table(fmt) for fmt in (*FORMATS.values(), Format("float6_e3m2", precision=3, emin=-2, emax=4)))


def float_table(fmt: Format, order: str = "sequential") -> Table:
    """The format's table, without a recorder. NumPy warns as it pleases when the rows are called outside a reading."""
    return _table(engine(fmt), order, None)


def _rounded(tensor: Tensor[Any], arithmetic: Arithmetic, table: Table, recorder: Recorder) -> list[Any]:
    """Inputs, rounded once from the exact value."""
    entries = []
    for index, value in zip(tensor.indices(), tensor.entries, strict=True):
        recorder.entry = index
        if isinstance(value, bool):
            entries.append(value)
        elif isinstance(value, float):
            entries.append(_not_finite(value, arithmetic.fmt))
        elif isinstance(value, int | Fraction):
            entries.append(table.number(Fraction(value)))
        else:
            exact = round_to(value, arithmetic.fmt)
            if isinstance(exact, Special):
                recorder.born("nan" if exact is Special.NAN else "inf", "round", f"an input overflows {arithmetic.fmt.name}")
                entries.append(_not_finite(float(exact.value), arithmetic.fmt))
            else:
                entries.append(table.number(exact))
    return entries


def _not_finite(value: float, fmt: Format) -> Any:
    if math.isfinite(value):
        raise InputError(
            f"a float was given where an exact number is meant: {value!r}", next_move="evaluate(…, binary=True) takes it exactly"
        )
    if FORMATS.get(fmt.name) == fmt:
        return SCALARS[fmt.name](value)
    return Special.NAN if math.isnan(value) or not fmt.has_inf else Special.INF if value > 0 else Special.NEG_INF


# -- the table --------------------------------------------------------------------------------------------------------
def _table(arithmetic: Arithmetic, order: str, recorder: Recorder | None) -> Table:
    fmt = arithmetic.fmt
    if order not in ORDERS:
        raise InputError(f"there is no order of sums {order!r}", next_move="known: " + ", ".join(ORDERS))
    if order == "blas" and FORMATS.get(fmt.name) not in BLAS_FORMATS:
        known = ", ".join(f.name for f in BLAS_FORMATS)
        raise UnsupportedError(f"BLAS has no sums in {fmt.name}", next_move=f"it has {known}; or take order sequential or pairwise")
    rows, number = dict(arithmetic.rows), arithmetic.number
    if recorder is not None:
        rows = {op: watch_row(op, row, fmt, recorder) for op, row in rows.items()}
        number = watch_number(number, fmt, recorder)
    total = None
    if order == "pairwise":
        add = rows["add"]
        total = lambda terms: _pairwise(add, terms)  # noqa: E731 (a def here would hide that the default is None)
    plain = Table(fmt.name, number, rows, {}, total)
    if recorder is None and order != "blas":
        return plain

    def contract(site: ContractSite) -> Tensor[Any]:
        here = replace(site, loops=watched(site.loops, recorder)) if recorder is not None else site
        return _contract_blas(here, plain, fmt, recorder) if order == "blas" else contract_default(here, plain)

    def entries(site: MapSite) -> Tensor[Any]:
        return map_default(replace(site, loops=watched(site.loops, recorder)) if recorder is not None else site, plain)

    def maximum(site: ReduceSite) -> Tensor[Any]:
        return reduce_default(replace(site, loops=watched(site.loops, recorder)) if recorder is not None else site, plain)

    return replace(plain, contract=contract, map=entries, reduce=maximum)


def _pairwise(add: Row, terms: Sequence[Any]) -> Any:
    """The sum of the first half (the larger one when they differ) plus the sum of the rest, and so on down to single terms."""
    if len(terms) == 1:
        return terms[0]
    middle = (len(terms) + 1) // 2
    return add(_pairwise(add, terms[:middle]), _pairwise(add, terms[middle:]))


def _contract_blas(site: ContractSite, table: Table, fmt: Format, recorder: Recorder | None) -> Tensor[Any]:
    """Each entry one numpy.dot over what it visits: the products of all factors but the last, with the last (with ones when
    there is one factor); no factor at all is left to the default."""
    if not site.values:
        return contract_default(site, table)
    mul, one, zero = table.row("mul"), table.number(Fraction(1)), table.number(Fraction(0))
    columns = [v.entries for v in site.values]
    entries = []
    for visit in site.loops.visits():
        kept = [t for t in range(visit.terms) if all(p[t] not in v.absent for p, v in zip(visit.uses, site.values, strict=True))]
        if not kept:
            if site.must_visit:
                raise masked_row(site.stage, visit.index)
            entries.append(zero)
            continue
        factors = [[column[places[t]] for t in kept] for column, places in zip(columns, visit.uses, strict=True)]
        last = factors.pop() if len(factors) > 1 else [one] * len(kept)
        value = blas_dot([reduce(mul, terms) for terms in zip(*factors, strict=True)], last)
        if recorder is not None and not ordinary(value):
            kinds = {kind_of(x) for x in (*last, *(x for column in factors for x in column))}
            if kind_of(value) in ("inf", "nan") and not kinds & {"inf", "nan"}:
                recorder.born(kind_of(value), "dot", f"a sum of {len(kept)} products leaves {fmt.name}")
        entries.append(value if site.coef is None else mul(site.coef, value))
    return Tensor(site.loops.shape, entries)


def _order_note(order: str) -> str:
    return {
        "sequential": "terms are added one after the other, in the order of the program",
        "pairwise": "the first half of the terms plus the second half, each summed in the same way",
        "blas": "one numpy.dot (BLAS) for each entry, in the order BLAS takes; a plain sum is a dot product with ones",
    }[order]
