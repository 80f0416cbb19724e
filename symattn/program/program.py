"""A program: named stages in order, validated when it is made.

Promises: every use names an earlier stage and fits its axes; names are unique; an error names the stage, both shapes
and the next move. Does not promise: that a size symbol has a value (see interp/run.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from symattn.errors import ProgramError, ShapeError
from symattn.program import ops
from symattn.program.scalar import Arg, Scalar, Size, walk
from symattn.program.spaces import Axis, Space

if TYPE_CHECKING:
    from symattn.interp.evaluate import Evaluation as Evaluation
    from symattn.interp.symbolic import Symbolic as Symbolic
    from symattn.number.formats import Format


@dataclass(frozen=True)
class Stage:
    """A named value. `letter` is the field's symbol for it in formulas ("Q", "S", "P"), "" for the name itself."""

    name: str
    op: ops.Op
    letter: str = ""

    @property
    def out(self) -> tuple[Axis, ...]:
        """The stage's axes, in order."""
        return self.op.out

    def shape_text(self) -> str:
        """`(token=n, key=m)`, for messages."""
        return "(" + ", ".join(f"{a.name}={a.space.size_text()}" for a in self.out) + ")"


@dataclass(frozen=True)
class Program:
    """Stages in order. `output` names the stage that is the program's answer (the last one by default)."""

    stages: tuple[Stage, ...]
    output: str = ""

    def __post_init__(self) -> None:
        if not self.stages:
            raise ProgramError("a program has at least one stage")
        seen: dict[str, Stage] = {}
        for stage in self.stages:
            if stage.name in seen:
                raise ProgramError(f'two stages are named "{stage.name}"', next_move="give each stage its own name")
            _check_stage(stage, seen)
            seen[stage.name] = stage
        if not self.output:
            object.__setattr__(self, "output", self.stages[-1].name)
        elif self.output not in seen:
            raise ProgramError(f'the output "{self.output}" is not a stage')

    @cached_property
    def by_name(self) -> Mapping[str, Stage]:
        """Stages by name."""
        return {stage.name: stage for stage in self.stages}

    @property
    def inputs(self) -> tuple[Stage, ...]:
        """The stages whose values are given from outside."""
        return tuple(s for s in self.stages if isinstance(s.op, ops.Input))

    def spaces(self) -> tuple[Space, ...]:
        """Every space of an axis, in order of first appearance: of stages, then of what operations sum over."""
        return self._spaces

    @cached_property
    def _spaces(self) -> tuple[Space, ...]:
        found = dict.fromkeys(a.space for s in self.stages for a in s.out)
        found.update(dict.fromkeys(a.space for s in self.stages for a in inner_axes(s.op)))
        return tuple(found)

    def __str__(self) -> str:
        """A formula a stage in index notation, as lines of text."""
        from symattn.page.notebook import writer
        from symattn.program.formulas import formulas

        write = writer("text")
        rows = [found.row() for found in formulas(self).values()]
        return "\n".join(f"{write(left)} {relation} {write(right)}" for left, relation, right in rows)

    def _repr_latex_(self) -> str:
        from symattn.page.notebook import aligned
        from symattn.program.formulas import formulas

        return aligned([found.row() for found in formulas(self).values()])

    def evaluate(self, feeds: Mapping[str, Any], *, numbers: str | Format = "exact", **options: Any) -> Evaluation:
        """The named stages in one number system: `numbers` is "exact", "balls", "multiprec", "symbolic" or a float
        format ("float64", …; or a `Format` of one's own). See `symattn.interp.evaluate.evaluate` for `digits`, `bits`, `binary` and
        the rest."""
        from symattn.interp.evaluate import evaluate

        return evaluate(self, feeds, numbers=numbers, **options)

    def symbolic(self, sizes: Mapping[str, int] | None = None, given: Mapping[str, Any] | None = None, **options: Any) -> Symbolic:
        """Every stage as SymPy objects: matrices where the sizes are known, `Indexed` and `Sum` where they are symbols.
        See `symattn.interp.symbolic.symbolic`."""
        from symattn.interp.symbolic import symbolic

        return symbolic(self, sizes, given, **options)


def _check_stage(stage: Stage, earlier: Mapping[str, Stage]) -> None:
    op = stage.op
    names = [a.name for a in op.out]
    if len(set(names)) != len(names):
        raise ProgramError(f'stage "{stage.name}" has the axis {_first_repeat(names)!r} twice')
    match op:
        case ops.Input():
            return
        case ops.Position():
            if len(op.out) != 1:
                raise ProgramError(f'stage "{stage.name}": positions run along exactly one axis')
        case ops.Contract():
            scope = _scope(stage, op.uses, op.where, (*op.out, *op.over))
            for use in op.uses:
                _check_use(stage, use, earlier, scope, real=True)
            _check_relations(stage, op.where, earlier, scope)
            if any(isinstance(node, Arg) for node in walk(op.coef)):
                raise ProgramError(f'stage "{stage.name}": a coefficient holds numbers and sizes only')
        case ops.Map():
            scope = {a.name: a for a in op.out}
            for _, use in op.args:
                _check_use(stage, use, earlier, scope, real=True)
            _check_relations(stage, op.where, earlier, scope)
            _check_args(stage, op.scalar, {name for name, _ in op.args})
        case ops.Reduce():
            if op.kind != "max":
                raise ProgramError(f'stage "{stage.name}": the only reduction is max')
            scope = _scope(stage, (op.use,), op.where, op.out)
            _check_use(stage, op.use, earlier, scope, real=True)
            _check_relations(stage, op.where, earlier, scope)
            if isinstance(op.empty, ops.Use):
                _check_use(stage, op.empty, earlier, {a.name: a for a in op.out}, real=True)


def _first_repeat(names: list[str]) -> str:
    return next(n for k, n in enumerate(names) if n in names[:k])


def index_axes(index: ops.Index) -> tuple[Axis, ...]:
    """The axes an index mentions."""
    match index:
        case Axis():
            return (index,)
        case ops.At():
            return ()
        case ops.Inject():
            return (index.axis,)
        case ops.Joint():
            return index.axes


def index_space(index: ops.Index) -> Space:
    """The space an index ranges in."""
    return index.space


def relation_axes(relation: ops.Relation) -> tuple[Axis, ...]:
    """The axes a relation mentions."""
    match relation:
        case ops.Same(i, j) | ops.AtMost(i, j, _):
            return (i, j)
        case ops.InBlock(j, _, p):
            return (j, p)
        case ops.Paired(c, parts):
            return (c, *parts)
        case ops.Allowed(use):
            return tuple(a for index in use.indices for a in index_axes(index))


def inner_axes(op: ops.Op) -> tuple[Axis, ...]:
    """The axes of an operation that are not axes of its result, each once."""
    match op:
        case ops.Contract(uses=uses, where=where, over=over):
            mentioned = [*(a for u in uses for i in u.indices for a in index_axes(i)), *over]
        case ops.Reduce(use=use, where=where):
            mentioned = [a for i in use.indices for a in index_axes(i)]
        case _:
            return ()
    mentioned += [a for r in where for a in relation_axes(r)]
    return tuple(a for a in dict.fromkeys(mentioned) if a not in op.out)


def _scope(stage: Stage, uses: tuple[ops.Use, ...], where: tuple[ops.Relation, ...], base: tuple[Axis, ...]) -> dict[str, Axis]:
    scope: dict[str, Axis] = {}
    mentioned = [*base]
    for use in uses:
        for index in use.indices:
            mentioned.extend(index_axes(index))
    for relation in where:
        mentioned.extend(relation_axes(relation))
    for axis in mentioned:
        known = scope.setdefault(axis.name, axis)
        if known.space != axis.space:
            raise ShapeError(
                f'stage "{stage.name}": the axis "{axis.name}" ranges over two spaces, '
                f"{known.space.name}={known.space.size_text()} and {axis.space.name}={axis.space.size_text()}",
                next_move="rename one of the two axes",
            )
    return scope


def _check_use(stage: Stage, use: ops.Use, earlier: Mapping[str, Stage], scope: Mapping[str, Axis], *, real: bool) -> None:
    source = earlier.get(use.stage)
    if source is None:
        known = ", ".join(sorted(earlier)) or "none"
        raise ProgramError(f'stage "{stage.name}" uses "{use.stage}", which is not an earlier stage', next_move=f"known: {known}")
    boolean = isinstance(source.op, ops.Input) and source.op.boolean
    if boolean and real:
        raise ProgramError(f'stage "{stage.name}" computes with the boolean input "{use.stage}"', next_move="use it in a relation")
    if not boolean and not real:
        raise ProgramError(f'stage "{stage.name}" masks by "{use.stage}", which is not a boolean input')
    if len(use.indices) != len(source.out):
        raise ShapeError(
            f'stage "{stage.name}" uses "{use.stage}" with {len(use.indices)} indices, but it is {source.shape_text()}',
            next_move="give one index for each axis",
        )
    for index, axis in zip(use.indices, source.out, strict=True):
        for mentioned in index_axes(index):
            if mentioned.name not in scope:
                raise ShapeError(
                    f'stage "{stage.name}" uses "{use.stage}" at the axis "{mentioned.name}", which the stage does not have',
                    next_move="add it to the result or sum over it in a Contract",
                )
        if index_space(index) != axis.space:
            space = index_space(index)
            raise ShapeError(
                f'stage "{stage.name}": "{use.stage}" is {source.shape_text()} but its axis "{axis.name}" is used with '
                f"an index over {space.name}={space.size_text()}",
                next_move=f"give both the same space (size {axis.space.size_text()})",
            )


def _check_relations(stage: Stage, where: tuple[ops.Relation, ...], earlier: Mapping[str, Stage], scope: Mapping[str, Axis]) -> None:
    for relation in where:
        for axis in relation_axes(relation):
            if axis.name not in scope:
                raise ProgramError(f'stage "{stage.name}": a relation names the axis "{axis.name}", which is not there')
        match relation:
            case ops.Allowed(use):
                _check_use(stage, use, earlier, scope, real=False)
            case ops.InBlock(j, block, p):
                parts = {part.name: part for part in j.space.blocks}
                if parts.get(block) != p.space:
                    raise ShapeError(f'stage "{stage.name}": "{block}" is not a block of the space "{j.space.name}" over "{p.name}"')
            case ops.Paired(c, parts_):
                if c.space.factors != tuple(a.space for a in parts_):
                    raise ShapeError(f'stage "{stage.name}": the space "{c.space.name}" is not the product of {[a.name for a in parts_]}')
            case _:
                pass


def _check_args(stage: Stage, tree: Scalar, given: set[str]) -> None:
    wanted = {node.name for node in walk(tree) if isinstance(node, Arg)}
    if wanted != given:
        odd = ", ".join(sorted(wanted ^ given))
        raise ProgramError(f'stage "{stage.name}": the arguments {odd} are given or used, not both')


def sizes_used(program: Program) -> tuple[str, ...]:
    """Names of the size symbols a program mentions, in its spaces and in its scalars."""
    found = dict.fromkeys(s for space in program.spaces() for s in space.symbols())
    for stage in program.stages:
        trees = [stage.op.scalar] if isinstance(stage.op, ops.Map) else [stage.op.coef] if isinstance(stage.op, ops.Contract) else []
        for tree in trees:
            found.update(dict.fromkeys(n.name for n in walk(tree) if isinstance(n, Size)))
    return tuple(found)
