"""Which relations make a gradient: one for each value between the variables and what is differentiated, with all its readers.

Promises: the relations are read off the definitions alone, so that a statement that leaves out a reader, or a value, is seen to do so.
Does not promise: that they hold (the kernel says).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from symattn.calculus.setting import Setting
from symattn.errors import DerivationError
from symattn.language.ast import Call, Name, Node, Operation, walk
from symattn.program.ops import Input
from symattn.program.program import Program, Stage


@dataclass(frozen=True)
class Backward:
    """`order` are the values whose gradients are asked or needed, last first; `readers` the values that read each. `upstream` is the given
    that holds the gradient by `of`, "" where `of` is one number."""

    of: str
    wrt: tuple[str, ...]
    order: tuple[str, ...]
    readers: Mapping[str, tuple[str, ...]]
    ranks: Mapping[str, int]
    upstream: str

    def gradient(self, name: str) -> str:
        """The name of the gradient by a value."""
        return f"d{name}"

    def direction(self, name: str) -> str:
        """The name of the given that is a direction of a value."""
        return f"{name}_dot"

    def left(self, name: str) -> Node:
        """The left side of the relation of a value."""
        direction = Name(self.direction(name))
        terms: list[Node] = []
        for c in self.readers[name]:
            moved = Call("partial", (Name(c), Name(name), direction))
            weight = None if c == self.of and not self.upstream else Name(self.upstream if c == self.of else self.gradient(c))
            terms.append(inner(weight, moved, self.ranks[c]))
        total = terms[0]
        for term in terms[1:]:
            total = Operation("+", total, term)
        return total

    def right(self, name: str) -> Node:
        """The right side."""
        return inner(Name(self.gradient(name)), Name(self.direction(name)), self.ranks[name])


def backward_of(setting: Setting, of: str, wrt: Sequence[str]) -> Backward:
    """The relations of the gradient of `of` by `wrt`. Raises DerivationError for a variable that `of` does not read."""
    mentions = {name: _mentioned(setting, name) for name in setting.names()}
    below = _reached([of], mentions)
    for name in wrt:
        if name not in below:
            raise DerivationError(f'"{of}" does not depend on "{name}"', next_move="its values: " + ", ".join(sorted(below - {of})))
        if name == of:
            raise DerivationError(f'the gradient of "{of}" by itself is what arrives', next_move="name a value that it is made of")
    active = {name for name in below if set(wrt) & _reached([name], mentions)}
    order = tuple(name for name in reversed(setting.names()) if name in active and name != of)
    readers = {name: tuple(c for c in setting.names() if c in active and name in mentions[c]) for name in order}
    ranks = {name: len(setting.axes(name)) for name in active}
    return Backward(of, tuple(wrt), order, readers, ranks, f"d{of}" if ranks[of] else "")


def _mentioned(setting: Setting, name: str) -> frozenset[str]:
    node = setting.defined(name)
    known = set(setting.names())
    return frozenset() if node is None else frozenset(part.id for part in walk(node) if isinstance(part, Name) and part.id in known)


def _reached(start: Sequence[str], mentions: Mapping[str, frozenset[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(mentions[name])
    return found


def inner(a: Node | None, b: Node, rank: int) -> Node:
    """The inner product of two arrays: the sum of all products of entries; b itself where there is no a."""
    node = b if a is None else Operation("*", a, b)
    for _ in range(rank):
        node = Call("sum", (node,))
    return node


def partial_of(program: Program, of: str, by: str, names: Collection[str]) -> Program:
    """The program in which every named value but `of` is an input: what a partial derivative of `of` looks at."""
    stages: list[Stage] = []
    for stage in program.stages:
        if stage.name in names and stage.name != of:
            stages.append(Stage(stage.name, Input(stage.out), stage.letter))
        elif stage.name == of or "." in stage.name:
            stages.append(stage)
    kept = {s.name for s in stages}
    read = [s for s in stages if s.name == of or s.name.startswith(of + ".") or isinstance(s.op, Input)]
    return Program(tuple(s for s in read if s.name in kept))
