"""Entries written out: every sum of a definition, term by term, at given sizes, over the entries of the values it is made of.

Promises: one formula an entry, with the structure of the text; positions count from 0. Does not promise: short formulas; their length grows
with the sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from symattn.calculus.expansions import EXPANSIONS
from symattn.calculus.setting import Setting
from symattn.calculus.symbols import indexed, symbol
from symattn.calculus.typeset import ATOM, PRODUCT, SUM, Entries, Indexed, Shown, Typesetter, fenced, joined_row
from symattn.errors import InputError
from symattn.language.ast import Call, Name, Node
from symattn.language.constants import rational
from symattn.page import math as m
from symattn.program.spaces import Axis

MAX_ENTRIES = 2_000
MAX_TERMS = 400_000


def written_out(setting: Setting, name: str, sizes: Mapping[str, int]) -> list[tuple[m.Math, m.Math]]:
    """Left and right side of every entry of a definition. Raises InputError for sizes that are missing, or too large."""
    node = setting.defined(name)
    assert node is not None
    extents = [extent(setting, axis, sizes) for axis in setting.axes(name)]
    count = 1
    for size in extents:
        count *= size
    if count > MAX_ENTRIES:
        raise InputError(f'"{name}" would have {count} entries', next_move=f"at most {MAX_ENTRIES} are written out; use smaller sizes")
    show = Explicit(Typesetter(setting), sizes)
    rows: list[tuple[m.Math, m.Math]] = []
    for at in product(*map(range, extents)):
        letters = tuple(m.Number(str(k)) for k in at)
        rows.append((indexed(symbol(name), letters), show.go(node, letters)[0]))
    return rows


def extent(setting: Setting, axis: Axis, sizes: Mapping[str, int]) -> int:
    """The size of an axis. Raises InputError for one that is not given."""
    space = axis.space
    missing = [s for s in space.symbols() if s not in sizes]
    if missing:
        raise InputError(f'the size "{missing[0]}" is not given', next_move=f"add it: --at {missing[0]}=2")
    return space.extent(dict(sizes))


def _plus(terms: Sequence[Shown]) -> Shown:
    if len(terms) == 1:
        return terms[0]
    items: list[m.Math] = []
    for shown in terms:
        body = fenced(shown, SUM if not items else PRODUCT)
        items += [m.Sign("+"), body] if items else [body]
    return joined_row(*items), SUM


class Explicit(Entries):
    """Index form with numbers for letters and every sum written out."""

    def __init__(self, base: Typesetter, sizes: Mapping[str, int]) -> None:
        super().__init__(base, ())
        self.sizes = sizes
        self.terms = 0
        self._entries: dict[tuple[str, tuple[str, ...]], m.Math] = {}

    def positions(self, axis: Axis) -> range:
        """The positions along an axis."""
        size = extent(self.base.setting, Axis(axis.name, self.base.setting.space(axis)), self.sizes)
        self.terms += size
        if self.terms > MAX_TERMS:
            raise InputError(f"more than {MAX_TERMS} terms would be written out", next_move="use smaller sizes")
        return range(size)

    def go(self, node: Node, at: tuple[m.Math, ...]) -> Shown:
        if isinstance(node, Name) and node.id in self.sizes and node.id not in self.base.setting.names():
            return m.Number(str(self.sizes[node.id])), ATOM
        if isinstance(node, Name):
            key = node.id, tuple(_text(letter) for letter in at)
            if key not in self._entries:
                self._entries[key] = indexed(symbol(node.id), at)
            return self._entries[key], ATOM
        return super().go(node, at)

    def contracted(self, a: Node, b: Node, at: tuple[m.Math, ...]) -> Shown:
        ra = len(self.base.axes(a))
        terms: list[Shown] = []
        for k in self.positions(self.base.axes(b)[0]):
            number = m.Number(str(k))
            terms.append(self.times(self.go(a, (*at[: ra - 1], number)), self.go(b, (number, *at[ra - 1 :]))))
        return _plus(terms)

    def call(self, node: Call, at: tuple[m.Math, ...]) -> Shown:
        match node.function, node.args:
            case "diag", (x,):
                return self.go(x, at[:1]) if at[0] == at[1] else (m.Number("0"), ATOM)
            case "eye", _:
                return m.Number(str(int(at[0] == at[1]))), ATOM
            case "positions", _:
                return at[0], ATOM
            case "causal_part", (x,):
                return self.go(x, at) if _position(at[-1]) <= _position(at[-2]) else (m.Number("0"), ATOM)
            case (("softmax" | "dot"), _):
                return self.go(EXPANSIONS[node.function](node), at)
            case "entries", (x, *conditions):
                env = dict(zip((k.name for k in node.keywords), at, strict=True))
                return ExplicitIndexed(self, env).chosen(x, conditions)
            case (("sum_over" | "max_over"), _):
                return ExplicitIndexed(self, {}).go(node)
            case _:
                return super().call(node, at)

    def along(self, node: Call, x: Node, at: tuple[m.Math, ...]) -> Shown:
        axes, left = self.base.axes(x), self.base.axes(node)
        position = next((k for k, axis in enumerate(axes) if k >= len(left) or axis != left[k]), len(axes) - 1)
        numbers = [m.Number(str(k)) for k in self.positions(axes[position])]
        terms = [self.go(x, (*at[:position], k, *at[position:])) for k in numbers]
        match node.function:
            case "sum":
                return _plus(terms)
            case "mean":
                return m.Fraction(_plus(terms)[0], m.Number(str(len(terms)))), ATOM
            case kind:
                return self.called(kind, [t[0] for t in terms])


class ExplicitIndexed(Indexed):
    """Index notation with numbers for letters."""

    def __init__(self, outer: Explicit, env: Mapping[str, m.Math]) -> None:
        super().__init__(outer.base, env, ())
        self.outer = outer

    def chosen(self, x: Node, conditions: Sequence[Node]) -> Shown:
        """The value where all conditions hold, else 0."""
        return self.go(x) if all(self.holds(c) for c in conditions) else (m.Number("0"), ATOM)

    def holds(self, node: Node) -> bool:
        """Does a condition hold at these positions?"""
        match node:
            case Call("if_same", (Name(i), Name(j)), _):
                return self.env[i] == self.env[j]
            case Call("if_atmost", (Name(i), Name(j), c), _):
                limit = rational(c)
                assert limit is not None
                return _position(self.env[i]) - _position(self.env[j]) <= limit
            case _:
                return True

    def big(self, node: Call, x: Node, conditions: Sequence[Node]) -> Shown:
        env = dict(self.env)
        ranges = [self.outer.positions(self.outer.base.setting.over(k.value)) for k in node.keywords]
        terms: list[Shown] = []
        for at in product(*ranges):
            self.env = {**env, **{k.name: m.Number(str(p)) for k, p in zip(node.keywords, at, strict=True)}}
            if all(self.holds(c) for c in conditions):
                terms.append(self.go(x))
        self.env = env
        if not terms:
            return m.Number("0"), ATOM
        return _plus(terms) if node.function == "sum_over" else self.called("max", [t[0] for t in terms])


def _text(letter: m.Math) -> str:
    assert isinstance(letter, m.Number)
    return letter.text


def _position(letter: m.Math) -> int:
    return int(_text(letter))
