"""One interpreter for every number system: a program, what is given, and a `Table`.

Promises: every stage is computed by the table's rows in a fixed order, so that floats are reproducible:

* an entry of a `Contract` is `coef * (((t1 + t2) + t3) + …)`, terms in lexicographic order of the summed axes (in their
  order of first appearance in the uses, then the relations, then `over`; first one slowest), each term the left fold
  `((u1 * u2) * u3)` of its uses in order; a coefficient that is the number 1 is not multiplied; no term at all is an exact 0;
* a `Reduce` is the left fold of `max2` over its terms in the same order; with no term, its `empty` or an error;
* a `Map` applies its scalar tree as written.

Relations select: what they exclude is never read or multiplied. An entry that a `Map.where` left absent removes the terms
it stands in (Contract), is not compared (Reduce), and is the exact 0 it holds when a Map without the relation reads it.
Does not promise: any number system; a table brings its rows, or names the reason for each hole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any

from symattn.errors import InputError, MaskedRowError, ProgramError, SymattnError, UnsupportedError
from symattn.interp.loops import Loops, Relations, affine, inner_axes
from symattn.interp.sizes import infer_sizes
from symattn.interp.tensor import Tensor
from symattn.program import ops
from symattn.program.program import Program, Stage
from symattn.program.scalar import SCALAR_OPS, Arg, Binary, Num, Power, Scalar, Unary, fold, walk
from symattn.program.spaces import Axis

Value = Any
Row = Callable[..., Value]


@dataclass(frozen=True)
class ContractSite:
    """A Contract about to be computed, for batched code. `values[u]` is the stage that `loops.uses[u]` reads; `coef` is None
    when it is the number 1."""

    stage: Stage
    loops: Loops
    values: tuple[Tensor[Any], ...]
    coef: Value | None
    must_visit: bool


@dataclass(frozen=True)
class MapSite:
    """A Map about to be computed. `loops.uses` and `values` follow `names`, the arguments of `scalar`; entries outside
    `loops.present()` are absent when there are relations."""

    stage: Stage
    loops: Loops
    names: tuple[str, ...]
    values: tuple[Tensor[Any], ...]
    scalar: Scalar
    sizes: Mapping[str, int]


@dataclass(frozen=True)
class ReduceSite:
    """A maximum about to be computed; `values` has the one stage that is read. `empty` gives what a maximum over nothing takes,
    from the positions of the entry's axes; None where that is an error."""

    stage: Stage
    loops: Loops
    values: tuple[Tensor[Any], ...]
    empty: Callable[[Mapping[str, int]], Value] | None = None


@dataclass(frozen=True)
class Table:
    """A number system: a row for every scalar function (program/scalar.py SCALAR_OPS), or the reason for the hole.

    `number` turns an exact rational into a value: literals, sizes, positions, the 0 of an empty sum. `scalar[op]` takes one
    value (UNARY), two (BINARY), or a value and a Fraction ("pow"). `unsupported[op]` says why a row is missing.
    `total` sums the terms of a Contract entry (default: left fold of "add"). `contract`, `map` and `reduce` may compute a whole
    operation at once and return the result (a Tensor of the shape `site.loops.shape`), or None to leave it to the default
    (a `reduce` must honour `site.empty`, or leave such a site to the default);
    a Tensor's `entries` may be any sequence, a NumPy array included, that the table's own code and `number` agree on.
    """

    name: str
    number: Callable[[Fraction], Value]
    scalar: Mapping[str, Row]
    unsupported: Mapping[str, str] = field(default_factory=dict)
    total: Callable[[Sequence[Value]], Value] | None = None
    contract: Callable[[ContractSite], Tensor[Any] | None] | None = None
    map: Callable[[MapSite], Tensor[Any] | None] | None = None
    reduce: Callable[[ReduceSite], Tensor[Any] | None] | None = None

    def row(self, op: str) -> Row:
        """The row of a scalar function. Raises UnsupportedError with the named reason of the hole."""
        found = self.scalar.get(op)
        if found is None:
            reason = self.unsupported.get(op, "it has no row for it")
            raise UnsupportedError(f'the number system "{self.name}" cannot compute {op}: {reason}')
        return found


def holes(table: Table) -> tuple[str, ...]:
    """The scalar functions that a table neither computes nor explains, and those it does both: () for a sound table."""
    odd = [op for op in SCALAR_OPS if (op in table.scalar) == bool(table.unsupported.get(op, "").strip())]
    odd += [op for op in (*table.scalar, *table.unsupported) if op not in SCALAR_OPS]
    return tuple(dict.fromkeys(odd))


def run(
    program: Program,
    feeds: Mapping[str, Tensor[Any]],
    table: Table,
    sizes: Mapping[str, int] | None = None,
    parameters: Mapping[str, int] | None = None,
) -> dict[str, Tensor[Any]]:
    """Every stage of `program`, in order. `feeds` holds the table's own values (bools for boolean inputs); `sizes` states
    sizes that no input shows; `parameters` binds the names in `AtMost.c`.

    Raises ShapeError, InputError, ProgramError for what does not fit, MaskedRowError for an empty row, UnsupportedError
    for a hole of the table, DomainError from its rows; each names the stage."""
    runner = Runner(program, feeds, table, sizes, parameters)
    return {stage.name: runner.value(stage.name) for stage in program.stages}


class Runner:
    """A program being read: `value(name)` computes a stage and what it needs, once. What fails, fails again the same way."""

    def __init__(
        self,
        program: Program,
        feeds: Mapping[str, Tensor[Any]],
        table: Table,
        sizes: Mapping[str, int] | None = None,
        parameters: Mapping[str, int] | None = None,
    ) -> None:
        self.program = program
        self.table = table
        self.parameters = _integers(parameters or {})
        self.sizes = infer_sizes(program, {name: tensor.shape for name, tensor in feeds.items()}, sizes)
        self._feeds = feeds
        self._order = {stage.name: k for k, stage in enumerate(program.stages)}
        self._values: dict[str, Tensor[Any]] = {}
        self._failures: dict[str, SymattnError] = {}

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a stage; nothing is computed."""
        return tuple(self._extent(a) for a in self._stage(name).out)

    def value(self, name: str) -> Tensor[Any]:
        """The stage `name`, computing what it needs first."""
        self._stage(name)
        needed = self._needed(name)
        for stage in needed:
            if stage.name in self._failures:
                raise self._failures[stage.name]
            if stage.name not in self._values:
                try:
                    self._values[stage.name] = self._compute(stage)
                except SymattnError as error:
                    self._failures[stage.name] = error
                    raise
        return self._values[name]

    def _stage(self, name: str) -> Stage:
        stage = self.program.by_name.get(name)
        if stage is None:
            raise ProgramError(f'the program has no stage "{name}"', next_move="its stages: " + ", ".join(self.program.by_name))
        return stage

    def _needed(self, name: str) -> list[Stage]:
        """The stages that `name` reads and that are not computed, itself included, in program order; no recursion."""
        found: dict[str, Stage] = {}
        pending = [name]
        while pending:
            stage = self.program.by_name[pending.pop()]
            if stage.name not in found and stage.name not in self._values:
                found[stage.name] = stage
                pending += stages_read(stage)
        return sorted(found.values(), key=lambda stage: self._order[stage.name])

    def _extent(self, axis: Axis) -> int:
        return axis.space.extent(self.sizes)

    def _compute(self, stage: Stage) -> Tensor[Any]:
        op = stage.op
        match op:
            case ops.Input():
                return self._feeds[stage.name]
            case ops.Position(out):
                count = self._extent(out[0])
                return Tensor((count,), [self.table.number(Fraction(k)) for k in range(count)])
            case ops.Contract():
                return self._contract(stage, op)
            case ops.Map():
                return self._map(stage, op)
            case ops.Reduce():
                return self._reduce(stage, op)

    def _loops(self, op: ops.Contract | ops.Map | ops.Reduce, uses: Sequence[ops.Use], over: Sequence[Axis] = ()) -> Loops:
        inner = inner_axes(op.out, uses, op.where, over)
        extents = {a.name: self._extent(a) for a in (*op.out, *inner)}
        positions = tuple(affine(use, self._values[use.stage].shape, self.sizes) for use in uses)
        return Loops(tuple(op.out), inner, extents, positions, Relations(op.where, self.sizes, self.parameters, self._values))

    def _contract(self, stage: Stage, op: ops.Contract) -> Tensor[Any]:
        values = tuple(self._values[use.stage] for use in op.uses)
        coef = None if isinstance(op.coef, Num) and op.coef.value == 1 else self.scalar(stage, op.coef)((), {})
        site = ContractSite(stage, self._loops(op, op.uses, op.over), values, coef, op.must_visit)
        if self.table.contract is not None:
            whole = self.table.contract(site)
            if whole is not None:
                return whole
        return contract_default(site, self.table)

    def _map(self, stage: Stage, op: ops.Map) -> Tensor[Any]:
        names = tuple(name for name, _ in op.args)
        uses = [use for _, use in op.args]
        site = MapSite(stage, self._loops(op, uses), names, tuple(self._values[u.stage] for u in uses), op.scalar, self.sizes)
        if self.table.map is not None:
            whole = self.table.map(site)
            if whole is not None:
                return whole
        return map_default(site, self.table)

    def _reduce(self, stage: Stage, op: ops.Reduce) -> Tensor[Any]:
        site = ReduceSite(stage, self._loops(op, [op.use]), (self._values[op.use.stage],), self._empty(op))
        if self.table.reduce is not None:
            whole = self.table.reduce(site)
            if whole is not None:
                return whole
        return reduce_default(site, self.table)

    def _empty(self, op: ops.Reduce) -> Callable[[Mapping[str, int]], Value] | None:
        """What a maximum over nothing takes, as a function of the entry; None where it is an error."""
        match op.empty:
            case None:
                return None
            case Num(value):
                number = self.table.number(value)
                return lambda at: number
            case use:
                stand_in = self._values[use.stage]
                where = affine(use, stand_in.shape, self.sizes)
                return lambda at: stand_in.entries[where.at(at)]

    def scalar(self, stage: Stage, tree: Scalar) -> Callable[[tuple[Value, ...], Mapping[str, int]], Value]:
        """A scalar tree as a function of its argument values and the place of each argument name."""
        return compile_scalar(tree, self.table, self.sizes, stage.name)


def contract_default(site: ContractSite, table: Table) -> Tensor[Any]:
    """A Contract by the table's rows, in the order stated above. Raises MaskedRowError for an empty row that must be visited."""
    mul, add = table.row("mul"), table.row("add")
    zero, one = table.number(Fraction(0)), table.number(Fraction(1))
    total = table.total if table.total is not None else (lambda terms: reduce(add, terms))
    columns = [v.entries for v in site.values]
    gaps = [(k, v.absent) for k, v in enumerate(site.values) if v.absent]
    entries = []
    for visit in site.loops.visits():
        kept: Sequence[int] = range(visit.terms)
        if gaps:
            for k, absent in gaps:
                places = visit.uses[k]
                kept = [t for t in kept if places[t] not in absent]
        if not kept:
            if site.must_visit:
                raise masked_row(site.stage, visit.index)
            entries.append(zero)
            continue
        try:
            if len(columns) == 2:
                (a, b), (ka, kb) = columns, visit.uses
                terms = [mul(a[ka[t]], b[kb[t]]) for t in kept]
            elif columns:
                terms = [reduce(mul, [column[where[t]] for column, where in zip(columns, visit.uses, strict=True)]) for t in kept]
            else:
                terms = [one for _ in kept]
            value = total(terms)
            entries.append(value if site.coef is None else mul(site.coef, value))
        except SymattnError as error:
            raise located(error, site.stage, visit.index) from error
    return Tensor(site.loops.shape, entries)


def map_default(site: MapSite, table: Table) -> Tensor[Any]:
    """A Map by the table's rows, in lexicographic order of its entries; those where its relations do not hold are absent."""
    shape = site.loops.shape
    compute = compile_scalar(site.scalar, table, site.sizes, site.stage.name)
    count = prod(shape)
    entries = [table.number(Fraction(0))] * count
    present = set()
    columns = [(site.loops.places(u), v.entries) for u, v in enumerate(site.values)]
    order = {name: k for k, name in enumerate(site.names)}
    for flat, at in site.loops.present():
        present.add(flat)
        try:
            entries[flat] = compute(tuple([column[places[flat]] for places, column in columns]), order)
        except SymattnError as error:
            raise located(error, site.stage, tuple(at[a.name] for a in site.loops.out)) from error
    absent = frozenset(range(count)) - present if site.loops.relations.where else frozenset()
    return Tensor(shape, entries, absent)


def reduce_default(site: ReduceSite, table: Table) -> Tensor[Any]:
    """A maximum by the table's rows, in the order stated above. Raises MaskedRowError for an empty row."""
    larger = table.row("max2")
    source = site.values[0]
    entries = []
    for visit in site.loops.visits():
        terms = [source.entries[p] for p in visit.uses[0] if p not in source.absent]
        if not terms:
            if site.empty is None:
                raise masked_row(site.stage, visit.index)
            terms = [site.empty({a.name: k for a, k in zip(site.loops.out, visit.index, strict=True)})]
        try:
            entries.append(reduce(larger, terms))
        except SymattnError as error:
            raise located(error, site.stage, visit.index) from error
    return Tensor(site.loops.shape, entries)


def compile_scalar(
    tree: Scalar, table: Table, sizes: Mapping[str, int], stage: str
) -> Callable[[tuple[Value, ...], Mapping[str, int]], Value]:
    """`tree` by the rows of `table`, as a function (argument values, place of each argument name) -> value.

    Raises UnsupportedError at once when the tree needs a row that the table does not have, ProgramError for an unknown size."""
    for node in walk(tree):
        name = node.op if isinstance(node, Unary | Binary) else "pow" if isinstance(node, Power) else None
        if name is not None:
            try:
                table.row(name)
            except UnsupportedError as error:
                raise UnsupportedError(f'stage "{stage}": {error.message}', next_move=error.next_move) from error
    Compiled = Callable[[tuple[Value, ...], Mapping[str, int]], Value]

    def constant(value: Value) -> Compiled:
        return lambda args, order: value

    def size(name: str) -> Compiled:
        if name not in sizes:
            raise ProgramError(f'stage "{stage}": the size "{name}" is not known', next_move="state it: sizes={…}")
        return constant(table.number(Fraction(sizes[name])))

    def unary(op: str, x: Compiled) -> Compiled:
        row = table.row(op)
        return lambda args, order: row(x(args, order))

    def binary(op: str, a: Compiled, b: Compiled) -> Compiled:
        row = table.row(op)
        return lambda args, order: row(a(args, order), b(args, order))

    def power(x: Compiled, exponent: Fraction) -> Compiled:
        row = table.row("pow")
        return lambda args, order: row(x(args, order), exponent)

    def arg(name: str) -> Compiled:
        return lambda args, order: args[order[name]]

    return fold(tree, num=lambda n: constant(table.number(n.value)), size=size, arg=arg, unary=unary, binary=binary, power=power)


def stages_read(stage: Stage) -> tuple[str, ...]:
    """Names of the stages that an operation reads, masks included."""
    match stage.op:
        case ops.Contract(uses=uses, where=where):
            read = [u.stage for u in uses]
        case ops.Map(args=args, where=where):
            read = [u.stage for _, u in args]
        case ops.Reduce(use=use, where=where, empty=empty):
            read = [use.stage] + ([empty.stage] if isinstance(empty, ops.Use) else [])
        case _:
            return ()
    read += [r.use.stage for r in where if isinstance(r, ops.Allowed)]
    return tuple(dict.fromkeys(read))


def entry_text(stage: Stage, index: Sequence[int]) -> str:
    """`query=1 ("perro"), head=0`, for messages."""
    parts = []
    for axis, i in zip(stage.out, index, strict=True):
        label = f' ("{axis.space.labels[i]}")' if i < len(axis.space.labels) else ""
        parts.append(f"{axis.name}={i}{label}")
    return ", ".join(parts) or "its only entry"


def masked_row(stage: Stage, index: Sequence[int]) -> MaskedRowError:
    """The error of an entry that visits nothing."""
    return MaskedRowError(
        f'stage "{stage.name}": nothing is allowed at {entry_text(stage, index)}',
        next_move="let the mask allow at least one entry of that row, or choose what such a row means (masked_row=…)",
    )


def located(error: SymattnError, stage: Stage, index: Sequence[int]) -> SymattnError:
    """The same kind of error, naming the stage and the entry."""
    message = f'stage "{stage.name}" at {entry_text(stage, index)}: {error.message}'
    return type(error)(message, place=error.place, next_move=error.next_move)


def _integers(parameters: Mapping[str, int]) -> dict[str, int]:
    for name, value in parameters.items():
        if not isinstance(value, int) or isinstance(value, bool):
            raise InputError(f'the parameter "{name}" is {value!r}', next_move="a parameter is an integer")
    return dict(parameters)


__all__ = [
    "Arg", "ContractSite", "MapSite", "ReduceSite", "Row", "Runner", "Table", "compile_scalar", "contract_default", "entry_text",
    "holes", "located", "map_default", "masked_row", "reduce_default", "run", "stages_read",
]  # fmt: skip
