"""Stages being written, and how they become a program.

Promises: stages in order, each name once; `program` gives every axis and every space its final name and hands over to `Program`,
which checks it. Does not promise: the meaning of any expression (compile.py has it).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from symattn.errors import Place, ShapeError
from symattn.language.ast import NOWHERE
from symattn.language.axes import Spaces
from symattn.language.constants import Nested
from symattn.language.limits import MAX_STAGE_ENTRIES
from symattn.language.values import Value
from symattn.program import ops
from symattn.program.ops import Use
from symattn.program.program import Program, Stage
from symattn.program.rewrite import Rewriter
from symattn.program.scalar import Arg
from symattn.program.spaces import Axis, Space


@dataclass(frozen=True)
class Draft:
    """A stage with working names for its axes and spaces. `weight` bounds the bits of an exact rational entry, roughly."""

    name: str
    op: ops.Op
    weight: int
    place: Place
    letter: str = ""


class Workspace:
    """What a builder holds: drafts by name, spaces, exact values of literals."""

    def __init__(self, labels: Mapping[str, tuple[str, ...]]) -> None:
        self.spaces = Spaces(dict(labels))
        self.drafts: dict[str, Draft] = {}
        self.constants: dict[str, Nested] = {}
        self._final: dict[str, tuple[Draft, Stage]] = {}
        self._version = -1

    def add(self, name: str, op: ops.Op, weight: int, place: Place = NOWHERE, letter: str = "") -> Value:
        """Write a stage; the value that reads it. Raises ShapeError when it has too many entries."""
        count = 1
        for axis in op.out:
            size = self.spaces.size(axis.space)
            count *= size if isinstance(size, int) else 1
        if count > MAX_STAGE_ENTRIES:
            raise ShapeError(
                f'"{name}" would have {count} entries',
                place=place,
                next_move=f"a stage has at most {MAX_STAGE_ENTRIES}; use smaller operands",
            )
        self.drafts[name] = Draft(name, op, weight, place, letter)
        return self.read(name)

    def read(self, name: str) -> Value:
        """The stage as a value, at its own axes."""
        draft = self.drafts[name]
        key = name
        return Value(draft.op.out, Arg(key), ((key, Use(name, draft.op.out)),), draft.weight)

    def fresh(self, base: str, hint: str) -> str:
        """A name for an inner stage of `base`: base.hint, base.hint_2, …; base.1, base.2, … without a hint."""
        if hint and f"{base}.{hint}" not in self.drafts:
            return f"{base}.{hint}"
        k = 2 if hint else 1
        while (name := f"{base}.{hint}_{k}" if hint else f"{base}.{k}") in self.drafts:
            k += 1
        return name

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Everything inside happens, or nothing does."""
        drafts, constants, saved = dict(self.drafts), dict(self.constants), self.spaces.snapshot()
        try:
            yield
        except BaseException:
            self.drafts, self.constants = drafts, constants
            self.spaces.restore(saved)
            raise

    def program(self, output: str = "") -> Program:
        """The stages so far as a program."""
        return Program(self.stages(), output)

    def stages(self) -> tuple[Stage, ...]:
        """The stages with final names for axes and spaces."""
        if self._version != self.spaces.version:
            self._version = self.spaces.version
            self._final.clear()
            self.spaces.begin_final()
        found: list[Stage] = []
        for draft in self.drafts.values():
            known = self._final.get(draft.name)
            if known is None or known[0] is not draft:
                known = self._final[draft.name] = (draft, Stage(draft.name, _Final(self.spaces).op(draft.op), draft.letter))
            found.append(known[1])
        return tuple(found)


class _Final(Rewriter):
    """Final names for the axes of one stage: an axis is called after its space, the second one over it `token_2`."""

    def __init__(self, spaces: Spaces) -> None:
        self._spaces = spaces
        self._axes: dict[Axis, Axis] = {}
        self._taken: set[str] = set()

    def axis(self, axis: Axis) -> Axis:
        if axis not in self._axes:
            space = self.space(axis.space)
            name, k = space.name, 1
            while name in self._taken:
                k += 1
                name = f"{space.name}_{k}"
            self._taken.add(name)
            self._axes[axis] = Axis(name, space)
        return self._axes[axis]

    def space(self, space: Space) -> Space:
        return self._spaces.final(space)
