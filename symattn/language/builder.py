"""The incremental way from text to a program: givens, definitions, free expressions, addresses and relations.

Promises: each call happens whole or not at all; `program` and `feeds` belong together; every complaint is a `SymattnError` with a place.
Does not promise: values; nothing is evaluated here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from symattn.errors import LanguageError, Place, ProgramError, ShapeError
from symattn.language.ast import NOWHERE, Array, AxisName, Definition, Index, Name, Node, Relation, Text, Transpose
from symattn.language.compile import Compiler
from symattn.language.constants import Nested, is_literal, largest_bits, literal, rational, shape_of
from symattn.language.indexed import over
from symattn.language.names import is_identifier, normalized
from symattn.language.parser import check_name, parse, parse_relation
from symattn.language.unparse import unparse
from symattn.language.values import Value, overlay
from symattn.language.workspace import Workspace
from symattn.program.ops import At, Input
from symattn.program.program import Program, Stage
from symattn.program.spaces import Axis, Space

FREE = "value"  # free expressions become the stages value.1, value.2, …


@dataclass(frozen=True)
class AxisDecl:
    """An axis of a given: its name ("" for none) and its size, a positive integer or a symbol."""

    name: str
    size: int | str


@dataclass(frozen=True)
class Address:
    """Entries of one stage. `indices` are their positions in the stage's own axes, row-major in `shape`, the shape of what
    was addressed: () for one entry, (4,) for a row."""

    stage: str
    shape: tuple[int, ...]
    indices: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Entry:
    """One entry of a stage."""

    stage: str
    index: tuple[int, ...]


@dataclass(frozen=True)
class Pair:
    """Two entries with a sign between: one of == != < <= > >=."""

    left: Entry
    sign: str
    right: Entry


@dataclass(frozen=True)
class Comparison:
    """A compiled relation. `sides` are stages; it holds iff every pair does (entry by entry for vectors and matrices)."""

    sides: tuple[str, ...]
    signs: tuple[str, ...]
    pairs: tuple[Pair, ...]


class Builder:
    """Collects givens and definitions. `labels` gives axis names their entry names: {"token": ("el", "perro", "come")}."""

    def __init__(self, labels: Mapping[str, Sequence[str]] | None = None) -> None:
        found = {normalized(axis): tuple(normalized(e) for e in entries) for axis, entries in (labels or {}).items()}
        for axis, entries in found.items():
            _check(axis, NOWHERE)
            if len(set(entries)) < len(entries) or not entries:
                what = "twice the same entry name" if entries else "no entry names"
                raise LanguageError(f'the axis "{axis}" has {what}', next_move="give each entry one name of its own")
        self._work = Workspace(found)
        self._definitions: dict[str, Node] = {}
        self._literals: dict[str, Node] = {}
        self._free: dict[Node, str] = {}

    # -- writing ------------------------------------------------------------------------------------------------------
    def give(self, name: str, shape: Sequence[AxisDecl] = (), place: Place = NOWHERE, *, boolean: bool = False) -> None:
        """An input. `shape` () is a number. Raises LanguageError for the name, ShapeError for an axis that has another size elsewhere."""
        name = self._new(name, place)
        with self._work.attempt():
            axes = tuple(self._axis(decl, place) for decl in shape)
            self._work.add(name, Input(axes, boolean), 64, place)

    def give_value(
        self, name: str, axes: Sequence[AxisDecl | str], value: Node | str, place: Place | None = None
    ) -> dict[tuple[int, ...], str]:
        """An input and its exact value, a number, vector or matrix written out; for an input that was given without a value, its value.
        `axes` names its axes (() for none; a size of 0 is taken from the value). The text of each entry, as it was written (0.50 keeps
        its zero), by position. Raises LanguageError, ShapeError."""
        node = parse(value) if isinstance(value, str) else value
        place = place or node.place
        entries = literal(node) if isinstance(node, Array) else rational(node)
        if entries is None:
            raise LanguageError(
                f'what is given for "{name}" is not a number, vector or matrix written out',
                place=node.place,
                next_move="write exact numbers; an expression belongs in a definition",
            )
        shape = shape_of(entries)
        name = normalized(name)
        with self._work.attempt():
            known = self._work.drafts.get(name)
            if known is None or not isinstance(known.op, Input) or name in self._work.constants:
                declared = [AxisDecl(a, 0) if isinstance(a, str) else a for a in axes] or [AxisDecl("", 0)] * len(shape)
                if len(declared) != len(shape):
                    raise ShapeError(
                        f'"{name}" is declared with {len(declared)} axes but its value has {len(shape)}',
                        place=place,
                        next_move="name one axis for each",
                    )
                self.give(name, [AxisDecl(d.name, d.size or n) for d, n in zip(declared, shape, strict=True)], place)
                known = self._work.drafts[name]
            self._fits(name, shape, known.op.out, place)
            self._work.drafts[name] = replace(known, weight=largest_bits(entries))
            self._work.constants[name] = entries
        self._literals[name] = node
        return _texts(node)

    def define(self, name: str, expr: Node | str, place: Place | None = None) -> None:
        """`name = expression`. The last stage is called `name`, inner ones `name.…`. Raises LanguageError, ShapeError."""
        node = parse(expr) if isinstance(expr, str) else expr
        name = self._new(name, place or node.place)
        with self._work.attempt():
            Compiler(self._work, name).define(node)
        self._definitions[name] = node
        if name in self._work.constants:
            self._literals[name] = node

    def add(self, definition: Definition) -> None:
        """What `parse_definition` read: a given where axes are declared or a vector or matrix of plain numbers is written out, else a
        definition."""
        name, value, place = definition.name, definition.value, definition.place
        if value is None:
            self.give(name, [_declared(a) for a in definition.axes], place)
        elif definition.declared:
            self.give_value(name, [AxisDecl(a.name, a.size) for a in definition.axes], value, place)
        elif isinstance(value, Array) and is_literal(value):
            self.give_value(name, (), value, place)
        else:
            self.define(name, value, place)

    def scalar_program(self, expr: Node | str) -> str:
        """The stage that holds a free expression (`3*3`, `1 - P[0,1]`, vectors too): one that exists, or a new `value.1`, ….
        The same expression gives the same stage."""
        node = parse(expr) if isinstance(expr, str) else expr
        if isinstance(node, Name) and node.id in self._work.drafts:
            return node.id
        if node not in self._free:
            name = self._work.fresh(FREE, "")
            with self._work.attempt():
                Compiler(self._work, name).define(node)
            self._free[node] = name
        return self._free[node]

    # -- reading ------------------------------------------------------------------------------------------------------
    def program(self, output: str = "") -> Program:
        """Everything so far. `output` names the answer, the last stage by default. Raises ProgramError when nothing is there."""
        return self._work.program(output)

    def stages(self) -> tuple[Stage, ...]:
        """The stages so far, as `program` has them."""
        return self._work.stages()

    def feeds(self) -> dict[str, Nested]:
        """The exact values of what is written out: givens with a value and literals inside expressions, nested row by row."""
        return dict(self._work.constants)

    def address(self, expr: Node | str) -> Address | None:
        """The entries that `Q`, `Q[perro]`, `Q[perro,0]`, `Q[:,1]` or `K.T[0]` mean, None for any other expression. Raises LanguageError
        and ShapeError for names and indices that do not exist, ShapeError when a size is still a symbol."""
        node = parse(expr) if isinstance(expr, str) else expr
        if not _is_address(node):
            return None
        value = Compiler(self._work, FREE).value(node)
        if not value.is_use:
            return None
        shape = self._sizes(value, node.place)
        indices = tuple(_entry(value, dict(zip(value.axes, at, strict=True))).index for at in product(*map(range, shape)))
        return Address(value.use.stage, shape, indices)

    def shape(self, expr: Node | str) -> tuple[Axis, ...]:
        """The axes of an expression as they stand while the program is written: two expressions share an axis when they come from one
        stage's axis. Nothing is kept. Raises LanguageError, ShapeError."""
        node = parse(expr) if isinstance(expr, str) else expr
        try:
            with self._work.attempt():
                found = Compiler(self._work, self._work.fresh(FREE, "")).value(node).axes
                raise _Nothing
        except _Nothing:
            return found

    def over(self, node: Node | Text) -> Axis:
        """A new axis over the index set that `node` names, or of the size it says. Raises LanguageError."""
        if isinstance(node, Text):
            raise LanguageError("an index runs over an axis", place=node.place, next_move="write i=n")
        return over(self._work.spaces, node)

    def space(self, axis: Axis) -> Space:
        """The index set of an axis that `shape` gave, as far as it is known by now."""
        return self._work.spaces.find(axis.space)

    def relation(self, relation: Relation | str) -> Comparison:
        """A relation, its sides as stages and its entries in pairs. A vector or matrix relation holds iff all its entries do; a number
        is compared with every entry. Raises LanguageError, ShapeError."""
        rel = parse_relation(relation) if isinstance(relation, str) else relation
        free = dict(self._free)
        try:
            with self._work.attempt():
                return self._compare(rel)
        except BaseException:
            self._free = free
            raise

    def _compare(self, rel: Relation) -> Comparison:
        sides: list[Value] = []
        for operand in rel.operands:
            if _is_address(operand) and not self._is_size(operand):
                sides.append(Compiler(self._work, FREE).value(operand))
            else:
                sides.append(self._work.read(self.scalar_program(operand)))
        pairs: list[Pair] = []
        for a, b, sign in zip(sides, sides[1:], rel.signs, strict=False):
            axes, left, right = overlay(self._work.spaces, a, b, sign, rel.place)
            shape = self._sizes(Value(axes, a.tree), rel.place)
            for at in product(*map(range, shape)):
                index = dict(zip(axes, at, strict=True))
                pairs.append(Pair(_entry(left, index), sign, _entry(right, index)))
        return Comparison(tuple(v.use.stage for v in sides), rel.signs, tuple(pairs))

    def names(self) -> tuple[str, ...]:
        """Givens and definitions, in order; no inner stages."""
        return tuple(n for n in self._work.drafts if "." not in n)

    def definition(self, name: str) -> Node | None:
        """The expression that defines `name`, None for a given or an inner stage."""
        return self._definitions.get(name)

    def written(self, name: str) -> Node | None:
        """The literal that gives `name` its value, as it was written (0.50 keeps its zero), None when there is none."""
        return self._literals.get(name)

    def indices(self, name: str) -> tuple[tuple[int, ...], ...]:
        """Every position in a stage, row-major. Raises ShapeError when a size is a symbol."""
        self._known(name)
        return tuple(product(*map(range, self._sizes(self._work.read(name), self.place(name)))))

    def axes(self, name: str) -> tuple[Axis, ...]:
        """A stage's axes as they stand in the program so far."""
        self._known(name)
        return next(stage.out for stage in self._work.stages() if stage.name == name)

    def place(self, name: str) -> Place:
        """Where a stage was written."""
        draft = self._work.drafts.get(name)
        return draft.place if draft is not None else NOWHERE

    # -- pieces -------------------------------------------------------------------------------------------------------
    def _known(self, name: str) -> None:
        if name not in self._work.drafts:
            raise ProgramError(f'there is no stage "{name}"', next_move="stages: " + ", ".join(self._work.drafts))

    def _new(self, name: str, place: Place) -> str:
        name = normalized(name)
        _check(name, place)
        if name in self._work.drafts:
            where = self._work.drafts[name].place
            on = f" on line {where.line}" if where.line else ""
            raise LanguageError(f'"{name}" is already defined{on}', place=place, next_move="use another name; names are given once")
        if self._work.spaces.is_name(name):
            raise LanguageError(f'"{name}" is the name of an axis', place=place, next_move="use another name; an axis name is its size")
        return name

    def _axis(self, decl: AxisDecl, place: Place) -> Axis:
        if decl.name:
            _check(decl.name, place)
            if decl.name in self._work.drafts:
                raise LanguageError(
                    f'"{decl.name}" is a value and cannot name an axis', place=place, next_move="use another name for the axis"
                )
        if isinstance(decl.size, str):
            _check(decl.size, place)
        elif isinstance(decl.size, bool) or decl.size < 1:
            raise ShapeError(f"an axis has {decl.size!r} entries", place=place, next_move="a size is a positive integer or a symbol")
        return self._work.spaces.axis(self._work.spaces.named(normalized(decl.name), decl.size, place))

    def _fits(self, name: str, shape: tuple[int, ...], axes: tuple[Axis, ...], place: Place) -> None:
        sizes = [self._work.spaces.size(a.space) for a in axes]
        if len(shape) != len(sizes) or any(isinstance(s, int) and s != n for s, n in zip(sizes, shape, strict=False)):
            raise ShapeError(
                f'"{name}" is declared as {self._work.spaces.shape_text(axes)} but its value has the shape {shape}',
                place=place,
                next_move="change one of the two",
            )

    def _sizes(self, value: Value, place: Place) -> tuple[int, ...]:
        sizes: list[int] = []
        for axis in value.axes:
            size = self._work.spaces.size(axis.space)
            if not isinstance(size, int):
                raise ShapeError(
                    f'the size "{size}" is a symbol, so its entries cannot be listed', place=place, next_move="give it a number"
                )
            sizes.append(size)
        return tuple(sizes)

    def _is_size(self, node: Node) -> bool:
        return isinstance(node, Name) and node.id not in self._work.drafts


class _Nothing(Exception):
    """Ends an attempt of which nothing is kept."""


def _check(name: str, place: Place) -> None:
    if not is_identifier(normalized(name)):
        raise LanguageError(
            f"{name[:60]!r} is not a name", place=place, next_move="names are letters, digits and _, and begin with a letter or _"
        )
    check_name(name, place)


def _declared(axis: AxisName) -> AxisDecl:
    return AxisDecl(axis.name, axis.size or axis.name)


def _is_address(node: Node) -> bool:
    while isinstance(node, Index | Transpose):
        node = node.x
    return isinstance(node, Name)


def _entry(value: Value, at: Mapping[Axis, int]) -> Entry:
    use = value.use
    positions: list[int] = []
    for index in use.indices:
        if isinstance(index, At):
            positions.append(index.position)
        else:
            assert isinstance(index, Axis)
            positions.append(at[index])
    return Entry(use.stage, tuple(positions))


def _texts(node: Node) -> dict[tuple[int, ...], str]:
    if not isinstance(node, Array):
        return {(): unparse(node)}
    return {(k, *rest): text for k, item in enumerate(node.items) for rest, text in _texts(item).items()}
