"""One entry of one stage as a scalar expression over entries of earlier stages: what a step page writes out.

Promises: the expression is the program's own operation at that entry (the terms that the interpreter visits, in its
order), so a page cannot show another calculation than the one that was run. Does not promise: any value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from symattn.errors import MaskedRowError
from symattn.interp.loops import Affine, Loops, Relations, affine, inner_axes
from symattn.interp.tensor import Tensor, row_major_strides
from symattn.program import ops
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary


@dataclass(frozen=True)
class Entry:
    """An entry of a stage."""

    stage: str
    index: tuple[int, ...]


@dataclass(frozen=True)
class Trace:
    """`tree` holds `Arg` leaves whose names are keys of `leaves`. `terms` are the summands when the stage is a sum (a Contract
    with at least one summed axis), else empty. `maximum` says that the terms are compared, not added."""

    tree: Scalar
    leaves: Mapping[str, Entry]
    terms: tuple[Scalar, ...] = ()
    maximum: bool = False


def inner(stage: str) -> bool:
    """Stages that the language made for the inside of a definition carry a dot in their names; people never named them."""
    return "." in stage


class Tracer:
    """Traces entries of one program with its sizes bound. `masks` holds the boolean inputs."""

    def __init__(
        self,
        program: Program,
        sizes: Mapping[str, int],
        masks: Mapping[str, Tensor[bool]] | None = None,
        parameters: Mapping[str, int] | None = None,
    ) -> None:
        self.program = program
        self.parameters = dict(parameters or {})
        self.sizes = dict(sizes)
        self.masks = dict(masks or {})
        self._loops: dict[str, Loops] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}

    def shape(self, stage: str) -> tuple[int, ...]:
        """The shape of a stage."""
        if stage not in self._shapes:
            self._shapes[stage] = tuple(a.space.extent(self.sizes) for a in self.program.by_name[stage].out)
        return self._shapes[stage]

    def trace(self, entry: Entry, *, through_inner: bool = True) -> Trace:
        """The expression of `entry`; an input's is itself. With `through_inner`, leaves in inner stages are traced on."""
        stage = self.program.by_name[entry.stage]
        leaves: dict[str, Entry] = {}
        match stage.op:
            case ops.Input() | ops.Position():
                return Trace(self._leaf(entry, leaves), leaves)
            case ops.Map(_, scalar, args, _):
                positions = dict(zip((a.name for a in stage.out), entry.index, strict=True))
                uses = {name: self._entry(affine(use, self.shape(use.stage), self.sizes), positions) for name, use in args}
                tree = self._bind(scalar, uses, leaves, through_inner)
                return Trace(tree, leaves)
            case ops.Contract():
                return self._contract(stage, entry, through_inner)
            case ops.Reduce():
                terms = [self._leaf_or_inner(uses[0], leaves, through_inner) for uses in self._visit(stage, entry.index)]
                if not terms:
                    return Trace(self._empty(stage, entry, leaves, through_inner), leaves)
                return Trace(reduce(lambda a, b: Binary("max2", a, b), terms), leaves, tuple(terms), maximum=True)

    # -- pieces -----------------------------------------------------------------------------------------------------
    def _empty(self, stage: Stage, entry: Entry, leaves: dict[str, Entry], through_inner: bool) -> Scalar:
        """What a maximum over nothing takes."""
        assert isinstance(stage.op, ops.Reduce)
        match stage.op.empty:
            case ops.Use() as use:
                positions = dict(zip((a.name for a in stage.out), entry.index, strict=True))
                return self._leaf_or_inner(self._entry(affine(use, self.shape(use.stage), self.sizes), positions), leaves, through_inner)
            case Num() as number:
                return number
            case None:
                raise MaskedRowError(f'stage "{stage.name}" has nothing to take the maximum of at {list(entry.index)}')

    def _contract(self, stage: Stage, entry: Entry, through_inner: bool) -> Trace:
        op = stage.op
        assert isinstance(op, ops.Contract)
        leaves: dict[str, Entry] = {}
        terms: list[Scalar] = []
        for uses in self._visit(stage, entry.index):
            factors = [self._leaf_or_inner(u, leaves, through_inner) for u in uses]
            terms.append(reduce(lambda a, b: Binary("mul", a, b), factors) if factors else Num(Fraction(1)))
        total: Scalar = reduce(lambda a, b: Binary("add", a, b), terms) if terms else Num(Fraction(0))
        loops = self.loops(stage.name)
        summed = bool(loops.inner)
        if not (isinstance(op.coef, Num) and op.coef.value == 1):
            return Trace(Binary("mul", self._sizes(op.coef), total), leaves)
        return Trace(total, leaves, tuple(terms) if summed else ())

    def loops(self, name: str) -> Loops:
        """The loops of a Contract or a Reduce."""
        if name not in self._loops:
            op = self.program.by_name[name].op
            assert isinstance(op, ops.Contract | ops.Reduce)
            uses = op.uses if isinstance(op, ops.Contract) else (op.use,)
            over = op.over if isinstance(op, ops.Contract) else ()
            summed = inner_axes(op.out, uses, op.where, over)
            extents = {a.name: a.space.extent(self.sizes) for a in (*op.out, *summed)}
            positions = tuple(affine(use, self.shape(use.stage), self.sizes) for use in uses)
            relations = Relations(op.where, self.sizes, self.parameters, self.masks)
            self._loops[name] = Loops(tuple(op.out), summed, extents, positions, relations)
        return self._loops[name]

    def _visit(self, stage: Stage, index: tuple[int, ...]) -> list[list[Entry]]:
        loops = self.loops(stage.name)
        fixed = dict(zip((a.name for a in stage.out), index, strict=True))
        names = [a.name for a in loops.inner]
        return [[self._entry(use, at) for use in loops.uses] for at in loops.relations.search(names, loops.extents, fixed)]

    def _entry(self, use: Affine, at: Mapping[str, int]) -> Entry:
        flat = use.at(at)
        index = []
        for stride in row_major_strides(self.shape(use.stage)):
            index.append(flat // stride)
            flat %= stride
        return Entry(use.stage, tuple(index))

    def _leaf(self, entry: Entry, leaves: dict[str, Entry]) -> Arg:
        key = f"{entry.stage}[{','.join(map(str, entry.index))}]"
        leaves[key] = entry
        return Arg(key)

    def _leaf_or_inner(self, entry: Entry, leaves: dict[str, Entry], through_inner: bool) -> Scalar:
        stage = self.program.by_name[entry.stage]
        if not inner(entry.stage) or not through_inner or isinstance(stage.op, ops.Input):
            return self._leaf(entry, leaves)
        below = self.trace(entry, through_inner=True)
        leaves.update(below.leaves)
        return below.tree

    def _bind(self, tree: Scalar, uses: Mapping[str, Entry], leaves: dict[str, Entry], through_inner: bool) -> Scalar:
        match tree:
            case Arg(name):
                return self._leaf_or_inner(uses[name], leaves, through_inner)
            case Unary(op, x):
                return Unary(op, self._bind(x, uses, leaves, through_inner))
            case Binary(op, a, b):
                return Binary(op, self._bind(a, uses, leaves, through_inner), self._bind(b, uses, leaves, through_inner))
            case Power(x, exponent):
                return Power(self._bind(x, uses, leaves, through_inner), exponent)
            case _:
                return self._sizes(tree)

    def _sizes(self, tree: Scalar) -> Scalar:
        match tree:
            case Size(name):
                return Num(Fraction(self.sizes[name]), str(self.sizes[name]))
            case Unary(op, x):
                return Unary(op, self._sizes(x))
            case Binary(op, a, b):
                return Binary(op, self._sizes(a), self._sizes(b))
            case Power(x, exponent):
                return Power(self._sizes(x), exponent)
            case _:
                return tree
