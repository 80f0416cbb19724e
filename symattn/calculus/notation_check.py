"""Formulas back to programs: what is displayed is compiled again and compared with the stage it was read from.

Promises: `from_text` compiles the text alone, as the language reads it, and sets it beside the stage; `from_tree` does the same for
formulas that the language does not say. Neither knows how the formula was found.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from symattn.calculus.notation_index import Ix, Part, Scope, Sum
from symattn.calculus.notation_lower import Lowering
from symattn.calculus.notation_text import Named, NoText
from symattn.calculus.notation_tree import COL, ROW, Atom, Tree
from symattn.errors import SymattnError
from symattn.language.builder import AxisDecl, Builder
from symattn.language.functions import FUNCTIONS
from symattn.language.names import is_identifier, is_reserved
from symattn.program import ops
from symattn.program.program import Program, Stage
from symattn.program.rewrite import Rewriter
from symattn.program.spaces import Axis, Space

RESULT = "result"


def from_tree(program: Program, stage: str, at: Sequence[Ix], x: Tree, scope: Scope, name: str, atoms: Collection[str] = ()) -> Program:
    """The stage `stage` and beside it a stage `name`, over the same axes, that holds the matrix expression; with what both read of the
    program, down to `atoms`, which may have any values."""
    lowering = Lowering(program, name, scope, atoms)
    return lowering.finished(stage, at, lowering.tree(x))


def from_sum(program: Program, stage: str, at: Sequence[Ix], terms: Sum, scope: Scope, name: str, atoms: Collection[str] = ()) -> Program:
    """The same for a sum in index form."""
    lowering = Lowering(program, name, scope, atoms)
    free = tuple(v for ix in at for v in (ix.vars if isinstance(ix, Part) else (ix,)))
    piece = lowering.sum(terms, free)
    # Its axes are the variables themselves; those that are not labels are not called ROW and COL here.
    out = program.by_name[stage].out
    env: dict[int, Axis] = {}
    where: list[ops.Relation] = []
    for axis, ix in zip(out, at, strict=True):
        if isinstance(ix, Part):
            parts = tuple(Axis(f"{axis.name}.{k}", scope.space(v)) for k, v in enumerate(ix.vars))
            env.update(zip(ix.vars, parts, strict=True))
            where.append(ops.Paired(axis, parts) if ix.kind == "joint" else ops.InBlock(axis, str(ix.tag), parts[0]))
        else:
            env[ix] = axis
    lowering.stages.append(Stage(name, ops.Contract(out, (lowering.use(piece, env),), tuple(where))))
    return lowering.beside(stage)


def from_text(
    program: Program,
    stage: str,
    at: Sequence[Ix],
    text: str,
    names: Mapping[str, Named],
    scope: Scope,
    name: str,
    atoms: Collection[str] = (),
    *,
    whole: bool,
) -> Program:
    """The same for text of the language; `names` says what its names stand for. The text gives the whole array (`whole`), or the matrix at
    one fixed value of the labels. Raises NoText."""
    builder = Builder()
    called: dict[Space, tuple[str, int | str]] = {}
    try:
        for alias, named in names.items():
            for space in named.spaces:
                called.setdefault(space, (_axis_name(space, names, len(called)), _size(space, len(called))))
            builder.give(alias, [AxisDecl(*called[space]) for space in named.spaces])
        for ix in at:
            for v in ix.vars if isinstance(ix, Part) else (ix,):
                _declare(builder, called, scope.space(v), names)
        declared = {size for _, size in called.values()}
        said = set(re.findall(r"\w+", text))
        for size in dict.fromkeys(s for space in program.spaces() for s in space.symbols()):
            if size in said and size not in declared and size not in names:
                builder.give(f"has_{size}", [AxisDecl(f"axis_{size}", size)])  # a size that none of the names has
        builder.define(RESULT, text)
    except SymattnError as error:
        raise NoText(error.message) from None
    compiled = builder.program(RESULT)
    free = tuple(v for ix in at for v in (ix.vars if isinstance(ix, Part) else (ix,)))
    labels = () if whole else tuple(v for v in free if scope.is_label(v))
    lowering = Lowering(program, name, scope, atoms)
    back = _Back(lowering, name, names, labels, {axis: space for space, (axis, _) in called.items()})
    for inner in compiled.stages:
        if inner.name not in names and not isinstance(inner.op, ops.Input):
            lowering.stages.append(Stage(f"{name}.{inner.name}", back.op(inner.op)))
    rank = len(compiled.by_name[RESULT].out)
    own = free if whole else (*labels, *(ROW, COL))
    return lowering.finished(stage, at, Atom(f"{name}.{RESULT}", own[: rank + len(labels)]))


def _declare(builder: Builder, called: dict[Space, tuple[str, int | str]], space: Space, names: Mapping[str, Named]) -> None:
    """Make an index set known that no name runs over."""
    if space not in called:
        called[space] = (_axis_name(space, names, len(called)), _size(space, len(called)))
        builder.give(f"along_{len(called)}", [AxisDecl(*called[space])])


def _axis_name(space: Space, names: Mapping[str, Named], count: int) -> str:
    usable = is_identifier(space.name) and space.name not in names and not is_reserved(space.name) and space.name not in FUNCTIONS
    return space.name if usable else f"axis_{count}"


def _size(space: Space, count: int) -> int | str:
    return f"size_{count}" if space.blocks or space.factors else space.size


class _Back(Rewriter):
    """The stages of a compiled text at the stages, spaces and labels of the program it speaks of."""

    def __init__(
        self, lowering: Lowering, name: str, names: Mapping[str, Named], labels: tuple[int, ...], spaces: Mapping[str, Space]
    ) -> None:
        self._lowering = lowering
        self._name = name
        self._names = names
        self._labels = labels
        self._spaces = spaces

    def axis(self, axis: Axis) -> Axis:
        return Axis(axis.name, self.space(axis.space))

    def space(self, space: Space) -> Space:
        return self._spaces.get(space.name, space)

    def axes(self, axes: Sequence[Axis]) -> tuple[Axis, ...]:
        return tuple(self.axis(a) for a in axes)

    def use(self, use: ops.Use) -> ops.Use:
        indices = tuple(self.index(i) for i in use.indices)
        own = {v: self._lowering.axis(v) for v in self._labels}
        atom = self._names.get(use.stage)
        if atom is None:
            return ops.Use(f"{self._name}.{use.stage}", (*own.values(), *indices))
        placed = {-1 - k: index for k, index in enumerate(indices)}
        return ops.Use(atom.stage, tuple(_filled(ix, {**own, **placed}) for ix in atom.at))

    def op(self, op: ops.Op) -> ops.Op:
        found = super().op(op)
        own = tuple(self._lowering.axis(v) for v in self._labels)
        match found:
            case ops.Contract(out, uses, where, coef, over, must_visit):
                return ops.Contract((*own, *out), uses, where, coef, over, must_visit)
            case ops.Map(out, scalar, args, where):
                return ops.Map((*own, *out), scalar, args, where)
            case ops.Reduce(out, use, where, kind, empty):
                return ops.Reduce((*own, *out), use, where, kind, empty)
            case _:
                raise NoText("a matrix written out")


def _filled(ix: Ix, env: Mapping[int, ops.Index]) -> ops.Index:
    if not isinstance(ix, Part):
        return env[ix]
    if ix.kind == "at":
        assert isinstance(ix.tag, int)
        return ops.At(ix.space, ix.tag)
    axes = []
    for v in ix.vars:
        found = env[v]
        if not isinstance(found, Axis):
            raise NoText("an index has parts within parts")
        axes.append(found)
    return ops.Inject(ix.space, str(ix.tag), axes[0]) if ix.kind == "inject" else ops.Joint(ix.space, tuple(axes))
