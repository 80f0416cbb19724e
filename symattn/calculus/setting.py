"""What a derivation talks about: givens, definitions and hypotheses as text, compiled to one program that grows with each expression.

Promises: everything is text of the language; two sides of a statement become two stages of one program with equal axes (a number is
broadcast along the axes of the other side). Does not promise: any proof.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symattn.calculus.derivation import Definition
from symattn.calculus.indices import put_in
from symattn.calculus.reading import parse
from symattn.calculus.shapes import DERIVATIVES
from symattn.errors import DerivationError, ShapeError, SymattnError
from symattn.language.ast import Call, Name, Node, Text, walk
from symattn.language.builder import FREE, AxisDecl, Builder
from symattn.language.parser import parse_definition
from symattn.language.unparse import substitute, unparse
from symattn.program.ops import Allowed, Contract, Map, Reduce, Relation, Use
from symattn.program.program import Program, Stage
from symattn.program.spaces import Axis, Space

BROADCAST = "along"
_STAGE = re.compile(rf"\b({re.escape(FREE)}\.\d+)(?:\.{BROADCAST}(?:\.\w+)+)?\b")


@dataclass(frozen=True)
class Sides:
    """Two stages of a program, over the same spaces in the same order."""

    program: Program
    left: str
    right: str


class Setting:
    """Givens and definitions, in order. Names are given once; a meaning uses names that stand before it."""

    def __init__(self, definitions: Iterable[Definition] = ()) -> None:
        self.definitions: list[Definition] = []
        self._builder = Builder()
        self._nodes: dict[str, Node] = {}
        self._shapes: dict[Node, tuple[Axis, ...]] = {}
        self._texts: dict[str, Node] = {}  # what the stages of expressions hold
        self._along: dict[str, Stage] = {}  # numbers laid along axes
        self._program: Program | None = None
        for definition in definitions:
            self.add(definition)

    # -- writing --------------------------------------------------------------------------------------------------------
    def add(self, definition: Definition) -> None:
        """A given or a definition. Raises LanguageError, ShapeError, DerivationError."""
        name, meaning = definition.name, definition.meaning
        try:
            declared = _declaration(name, meaning)
            if declared is not None:
                self._builder.give(name, declared)
            else:
                node = parse(meaning)
                self._builder.define(name, node)
                self._nodes[name] = node
        except SymattnError as error:
            error.message = f'definition of "{name}": {error.message}'
            raise
        self.definitions.append(definition)

    # -- asking ---------------------------------------------------------------------------------------------------------
    def names(self) -> tuple[str, ...]:
        """Givens and definitions, in order."""
        return tuple(d.name for d in self.definitions)

    def defined(self, name: str) -> Node | None:
        """The expression that `name` stands for, None for a given and for what is no name."""
        return self._nodes.get(name)

    def givens(self) -> tuple[str, ...]:
        """Names without an expression."""
        return tuple(d.name for d in self.definitions if d.name not in self._nodes)

    def sizes(self) -> tuple[str, ...]:
        """Size symbols of the givens, in order of appearance."""
        found: dict[str, None] = {}
        for name in self.givens():
            for axis in self._builder.axes(name):
                found.update(dict.fromkeys(axis.space.symbols()))
        return tuple(found)

    def axes(self, name: str) -> tuple[Axis, ...]:
        """A name's axes."""
        return self._builder.axes(name)

    def shape(self, node: Node) -> tuple[Axis, ...]:
        """The axes of an expression while it is written: shared where they come from one stage. Raises LanguageError, ShapeError."""
        found = self._shapes.get(node)
        if found is None:
            found = self._shapes[node] = self._builder.shape(node)
        return found

    def space(self, axis: Axis) -> Space:
        """The index set of an axis that `shape` gave."""
        return self._builder.space(axis)

    def over(self, node: Node | Text) -> Axis:
        """The axis that an index of index notation runs over, by the name or size in its keyword. Raises LanguageError."""
        return self._builder.over(node)

    def same(self, a: Axis, b: Axis) -> bool:
        """Do two axes that `shape` gave range over one index set?"""
        return self._builder.space(a) == self._builder.space(b)

    def stage(self, node: Node) -> str:
        """The stage that holds an expression. Raises LanguageError, ShapeError."""
        name = self._builder.scalar_program(node)
        self._texts.setdefault(name, node)
        return name

    def said(self, message: str) -> str:
        """A message of the kernel with expressions in the place of their stages."""
        return _STAGE.sub(lambda found: unparse(self._texts[found[1]]) if found[1] in self._texts else found[0], message)

    def unfold(self, node: Node, names: Sequence[str]) -> Node:
        """`node` with the names replaced by their expressions, again and again until none of them is left."""
        chosen: dict[Node, Node] = {Name(n): self._nodes[n] for n in names if n in self._nodes}
        while any(isinstance(part, Name) and part in chosen for part in walk(node)):
            node = put_in(substitute(node, chosen))
        return node

    def inside(self, node: Node) -> frozenset[str]:
        """Every defined name that `node` mentions, itself or through other definitions."""
        found: set[str] = set()
        waiting = [node]
        while waiting:
            for part in walk(waiting.pop()):
                if isinstance(part, Name) and part.id in self._nodes and part.id not in found:
                    found.add(part.id)
                    waiting.append(self._nodes[part.id])
        return frozenset(found)

    def reaches(self, node: Node, name: Node) -> bool:
        """Does `node` mention the name, itself or through definitions?"""
        return any(part == name for known in (node, *(self._nodes[n] for n in self.inside(node))) for part in walk(known))

    def tangents(self, nodes: Iterable[Node]) -> list[str]:
        """The stages that hold the derivatives written in these expressions."""
        calls = {part for node in nodes for part in walk(node) if isinstance(part, Call) and part.function in DERIVATIVES}
        found: list[str] = []
        for call in calls:
            name = self.stage(call)
            op = self.program().by_name[name].op
            if isinstance(op, Contract) and len(op.uses) == 1:
                found.append(op.uses[0].stage)
        return found

    def program(self) -> Program:
        """Everything so far; one object as long as nothing is added."""
        stages = (*self._builder.stages(), *self._along.values())
        if self._program is None or len(self._program.stages) != len(stages) or self._program.stages != stages:
            self._program = Program(stages)
        return self._program

    def sides(self, left: Node, right: Node) -> Sides:
        """Both sides of a statement as stages. Raises LanguageError, ShapeError where they do not fit."""
        program, pairs = self.compiled([(left, right)])
        return Sides(program, *pairs[0])

    def compiled(self, pairs: Sequence[tuple[Node, Node]]) -> tuple[Program, list[tuple[str, str]]]:
        """The program and the stages of both sides of each statement. Raises LanguageError, ShapeError."""
        stages = [(self.stage(a), self.stage(b)) for a, b in pairs]
        shapes = {stage.name: stage.out for stage in (*self._builder.stages(), *self._along.values())}
        extra = dict(self._along)
        found: list[tuple[str, str]] = []
        for a, b in stages:
            x, y = shapes[a], shapes[b]
            if not x and y:
                a = _broadcast(a, y, extra)
            elif not y and x:
                b = _broadcast(b, x, extra)
            elif tuple(axis.space for axis in x) != tuple(axis.space for axis in y):
                said = [self.program().by_name[name].shape_text() for name in (a, b)]
                raise ShapeError(f"the two sides do not fit: {said[0]} and {said[1]}", next_move="write both in one shape")
            found.append((a, b))
        self._along = extra
        return self.program(), found


def _broadcast(number: str, out: tuple[Axis, ...], extra: dict[str, Stage]) -> str:
    """The stage that holds a number along axes."""
    name = f"{number}.{BROADCAST}.{'.'.join(axis.name for axis in out)}"
    extra[name] = Stage(name, Contract(out, (Use(number, ()),)))
    return name


def needed(program: Program, stages: Iterable[str]) -> Program:
    """The part of a program that these stages read."""
    keep: set[str] = set()
    waiting = list(stages)
    while waiting:
        name = waiting.pop()
        if name not in keep:
            keep.add(name)
            waiting.extend(read(program.by_name[name]))
    return Program(tuple(s for s in program.stages if s.name in keep))


def read(stage: Stage) -> list[str]:
    """The stages that a stage reads."""
    op = stage.op
    uses: list[Use] = []
    where: tuple[Relation, ...] = ()
    match op:
        case Contract():
            uses, where = [*op.uses], op.where
        case Map():
            uses, where = [use for _, use in op.args], op.where
        case Reduce():
            uses, where = [op.use, *([op.empty] if isinstance(op.empty, Use) else [])], op.where
        case _:
            pass
    return [use.stage for use in (*uses, *(relation.use for relation in where if isinstance(relation, Allowed)))]


def _declaration(name: str, meaning: str) -> list[AxisDecl] | None:
    """The axes when `meaning` declares `name`, as in "S(n, m)"; None when it is an expression."""
    if not meaning.startswith(f"{name}("):
        return None
    definition = parse_definition(meaning)
    if definition.name != name or definition.value is not None or not definition.declared:
        raise DerivationError(f'"{meaning[:60]}" declares nothing', next_move=f'write "{name}(n, m)" for a given')
    return [AxisDecl(a.name, a.size or a.name) for a in definition.axes]
