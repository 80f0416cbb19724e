"""The float reading on whole arrays: every operation of interp/floats.py, in the same order, many entries at once.

Promises: bit for bit what the float reading of the same program gives (tests/study/test_vector.py compares them), with sums
"sequential" or "pairwise"; inputs are arrays of the format. Does not promise: events, masks at speed (relations go entry by
entry), or invented formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from symattn.errors import InputError, UnsupportedError
from symattn.interp.loops import Loops, walk
from symattn.interp.machine import NATIVE, SCALARS, machine
from symattn.interp.run import ContractSite, MapSite, ReduceSite, Table, compile_scalar, contract_default, map_default, reduce_default, run
from symattn.interp.tensor import Tensor
from symattn.number.formats import FORMATS, Format, Overflow
from symattn.program.program import Program

Array = Any
_FUNCTIONS = ("exp", "log", "sqrt", "tanh", "cos", "sin")


def dtype_of(fmt: Format) -> Any:
    """The NumPy type of a known format. Raises UnsupportedError for an invented one."""
    if FORMATS.get(fmt.name) != fmt:
        raise UnsupportedError(f"there are no arrays of {fmt.name}", next_move="known formats have them: " + ", ".join(FORMATS))
    return SCALARS[fmt.name]


def round_array(values: Array, fmt: Format) -> Array:
    """float64 numbers rounded to the format, to nearest even, in one rounding."""
    kind = dtype_of(fmt)
    wide = np.asarray(values, np.float64)
    if fmt in NATIVE:
        with np.errstate(all="ignore"):
            return wide.astype(kind)
    finite = np.isfinite(wide)
    size = np.where(finite, wide, 0.0)
    step = step_of(size, fmt)
    rounded = np.rint(size / step) * step  # a quotient by a power of two is exact here, and rint takes ties to even
    over = np.abs(rounded) > float(fmt.largest)
    if over.any():
        limit = np.nan if fmt.overflow is Overflow.NAN else np.inf if fmt.overflow is Overflow.INF else float(fmt.largest)
        rounded = np.where(over, np.copysign(limit, rounded), rounded)
    with np.errstate(all="ignore"):
        return np.where(finite, np.copysign(rounded, wide), wide).astype(kind)


def step_of(values: Array, fmt: Format) -> Array:
    """The distance between neighbours of the format around float64 numbers (see number.formats.ulp), as float64."""
    _, exponent = np.frexp(np.abs(values))
    return np.ldexp(1.0, np.clip(exponent - 1, fmt.emin, fmt.emax) - fmt.precision + 1)


def tensor(array: Array) -> Tensor[Any]:
    """An array as a tensor whose entries are one flat array."""
    return _tensor(tuple(array.shape), np.ascontiguousarray(array).reshape(-1))


def _tensor(shape: tuple[int, ...], entries: Array, absent: frozenset[int] = frozenset()) -> Tensor[Any]:
    return Tensor(shape, entries, absent)


def read_arrays(program: Program, feeds: Mapping[str, Array], fmt: Format, *, order: str = "sequential") -> dict[str, Array]:
    """Every stage as an array of the format; `feeds` are arrays of the format. Raises InputError for another type or order, and what
    interp.run.run raises."""
    kind = np.dtype(dtype_of(fmt))
    for name, array in feeds.items():
        if array.dtype != kind:
            raise InputError(f'the input "{name}" holds {array.dtype}, not {fmt.name}', next_move="round it first: round_array")
    with np.errstate(all="ignore"):
        stages = run(program, {name: tensor(a) for name, a in feeds.items()}, array_table(fmt, order))
    return {name: np.asarray(t.entries).reshape(t.shape) for name, t in stages.items()}


def array_table(fmt: Format, order: str = "sequential") -> Table:
    """The format's table over arrays."""
    if order not in ("sequential", "pairwise"):
        raise InputError(f"there is no order {order!r} for arrays", next_move="known: sequential, pairwise")
    scalar = machine(fmt)
    rows: dict[str, Callable[..., Any]] = {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "div": np.divide,
        "neg": np.negative,
        "max2": lambda a, b: np.where((b > a) | (b != b), b, a),
        "erf": lambda x: _each(scalar.rows["erf"], x),
        "pow": lambda x, exponent: _each(lambda entry: scalar.rows["pow"](entry, exponent), x),
    }
    for op in _FUNCTIONS:
        rows[op] = getattr(np, op) if fmt in NATIVE else _wider(getattr(np, op), fmt)
    total = _pairwise if order == "pairwise" else _sequential
    plain = Table(fmt.name, scalar.number, rows, total=None if order == "sequential" else lambda terms: _pairwise(iter(terms)))

    def contract(site: ContractSite) -> Tensor[Any]:
        if _entrywise(site.loops, site.values) or not site.values:
            return _whole(contract_default(site, plain), fmt)
        mul = plain.row("mul")
        columns = _columns(site.loops, site.values)
        value = total(reduce(mul, factors) for factors in zip(*columns, strict=True))
        return Tensor(site.loops.shape, value if site.coef is None else mul(site.coef, value))

    def entries(site: MapSite) -> Tensor[Any]:
        if _entrywise(site.loops, site.values):
            return _whole(map_default(site, plain), fmt)
        compute = compile_scalar(site.scalar, plain, site.sizes, site.stage.name)
        args = tuple(np.asarray(v.entries)[np.asarray(site.loops.places(u))] for u, v in enumerate(site.values))
        value = compute(args, {name: k for k, name in enumerate(site.names)})
        count = int(np.prod(site.loops.shape, dtype=int))
        return _tensor(site.loops.shape, np.ascontiguousarray(np.broadcast_to(np.asarray(value), (count,))))

    def maximum(site: ReduceSite) -> Tensor[Any]:
        if _entrywise(site.loops, site.values):
            return _whole(reduce_default(site, plain), fmt)
        return Tensor(site.loops.shape, reduce(plain.row("max2"), _columns(site.loops, site.values)[0]))

    return Table(plain.name, plain.number, rows, {}, plain.total, contract, entries, maximum)


def _entrywise(loops: Loops, values: Sequence[Tensor[Any]]) -> bool:
    return bool(loops.relations.where) or any(v.absent for v in values)


def _columns(loops: Loops, values: Sequence[Tensor[Any]]) -> list[Iterator[Array]]:
    """For each use the arrays of its factors, term after term."""
    return [_terms(loops, u, np.asarray(value.entries)) for u, value in enumerate(values)]


def _terms(loops: Loops, use: int, entries: Array) -> Iterator[Array]:
    base = np.asarray(loops.places(use))
    for offset in walk(loops.inner, loops.extents, loops.uses[use].strides):
        yield entries[base + offset]


def _sequential(terms: Any) -> Array:
    return reduce(np.add, terms)


def _pairwise(terms: Any) -> Array:
    """The order of interp/floats.py: the larger first half plus the rest, each summed in the same way."""
    found = list(terms)
    if len(found) == 1:
        return found[0]
    middle = (len(found) + 1) // 2
    return np.add(_pairwise(found[:middle]), _pairwise(found[middle:]))


def _wider(function: Callable[[Any], Any], fmt: Format) -> Callable[[Any], Any]:
    return lambda x: round_array(function(np.asarray(x).astype(np.float64)), fmt)


def _each(row: Callable[[Any], Any], x: Any) -> Any:
    flat = np.asarray(x)
    return np.array([row(entry) for entry in flat.reshape(-1)], flat.dtype).reshape(flat.shape)


def _whole(found: Tensor[Any], fmt: Format) -> Tensor[Any]:
    return _tensor(found.shape, np.array(list(found.entries), dtype_of(fmt)), found.absent)
