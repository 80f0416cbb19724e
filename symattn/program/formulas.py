"""A program as formulas in index notation: one row a stage, read off its operation.

Promises: an index letter stands for one axis all through a program; sums and maxima show what they run over and the relations that
select; nothing is computed, reordered or simplified.
Does not promise: matrix notation, or bounds of sums: an index runs over its axis, and positions count from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction as Rational

from symattn.page import math as m
from symattn.page.notebook import shape_math
from symattn.program import ops
from symattn.program.program import Program, Stage, index_axes, relation_axes
from symattn.program.scalar import Num, Scalar, fold
from symattn.program.spaces import Axis, Space

LETTERS = {
    "token": "i", "key": "j", "model": "u", "feature": "f", "channel": "c", "head": "h", "group": "g", "member": "r", "pair": "p",
    "side": "s",
}  # fmt: skip
_SPARE = "ijklabdehmnoqrstuvwxyz"
_LOOSE, _ADD, _MUL, _POW, _TIGHT = range(5)


@dataclass(frozen=True)
class Formula:
    """`left relation right` where all of `where` hold; `relation` is "=" or "∈" (an input)."""

    left: m.Math
    relation: str
    right: m.Math
    where: tuple[m.Math, ...] = ()

    def row(self) -> tuple[m.Math, str, m.Math]:
        """The three parts with the conditions behind the right side, in parentheses."""
        if not self.where:
            return self.left, self.relation, self.right
        return self.left, self.relation, m.Row((self.right, m.Sign(" "), m.Sign(" "), m.Fence(_listed(self.where))))


def formulas(program: Program) -> dict[str, Formula]:
    """Stage name -> its formula, in program order."""
    return {stage.name: found for stage, found in zip(program.stages, _Writer(program).all(), strict=True)}


def name_math(name: str) -> m.Math:
    """A name: one letter italic, `W_Q` and `d_k` with a subscript, a longer word upright."""
    base, _, below = name.partition("_")
    if len(base) == 1 and below and base.isalpha():
        return m.Script(m.Name(base), m.Name(below, upright=len(below) > 1))
    return m.Name(name, upright=len(name) > 1)


def _listed(items: Sequence[m.Math]) -> m.Math:
    parts: list[m.Math] = []
    for item in items:
        parts += [m.Sign(","), item] if parts else [item]
    return parts[0] if len(parts) == 1 else m.Row(tuple(parts))


class _Writer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.letters = _letters(program)

    def all(self) -> list[Formula]:
        return [self.formula(stage) for stage in self.program.stages]

    def formula(self, stage: Stage) -> Formula:
        left = self.entry(stage.name, [self.axis(a) for a in stage.out])
        match stage.op:
            case ops.Input(out, boolean):
                return Formula(self.symbol(stage.name), "∈", shape_math([_size(a.space) for a in out], boolean=boolean))
            case ops.Position(out):
                return Formula(left, "=", self.axis(out[0]))
            case ops.Map(_, tree, args, where):
                return Formula(left, "=", self.scalar(tree, dict(args)), tuple(self.relation(r) for r in where))
            case ops.Contract(out, uses, where, coef, over):
                inner = _summed(out, uses, where, over)
                body = self.product([self.use(u) for u in uses])
                conditions = tuple(self.relation(r) for r in where)
                if inner:
                    body = m.Big("sum", self.below(inner, conditions), m.EMPTY, body)
                    conditions = ()
                if not (isinstance(coef, Num) and coef.value == 1):
                    body = m.Row((self.scalar(coef, {}), m.Sign(" "), body))
                return Formula(left, "=", body, conditions)
            case ops.Reduce(out, use, where):
                conditions = tuple(self.relation(r) for r in where)
                return Formula(left, "=", m.Big("max", self.below(_summed(out, (use,), where, ()), conditions), m.EMPTY, self.use(use)))

    # -- names ------------------------------------------------------------------------------------------------------------------------
    def axis(self, axis: Axis) -> m.Math:
        letter = self.letters[axis.name]
        return m.Name(letter, upright=len(letter) > 1)

    def symbol(self, stage: str) -> m.Math:
        return name_math(self.program.by_name[stage].letter or stage)

    def entry(self, stage: str, indices: Sequence[m.Math]) -> m.Math:
        symbol = self.symbol(stage)
        if not indices:
            return symbol
        base = m.Fence(symbol) if isinstance(symbol, m.Script) else symbol
        return m.Script(base, _listed(indices))

    def use(self, use: ops.Use) -> m.Math:
        return self.entry(use.stage, [self.index(i) for i in use.indices])

    def index(self, index: ops.Index) -> m.Math:
        match index:
            case Axis():
                return self.axis(index)
            case ops.At(space, position):
                return m.Name(space.labels[position], upright=True) if space.labels else m.Number(str(position))
            case ops.Inject(_, block, axis):
                return m.Row((m.Name(block, upright=True), m.Fence(self.axis(axis))))
            case ops.Joint(_, axes):
                return m.Fence(_listed([self.axis(a) for a in axes]))

    # -- operations -------------------------------------------------------------------------------------------------------------------
    def below(self, inner: Sequence[Axis], conditions: Sequence[m.Math]) -> m.Math:
        over = _listed([self.axis(a) for a in inner])
        return m.Row((over, m.Sign(":"), _listed(conditions))) if conditions else over

    def product(self, factors: Sequence[m.Math]) -> m.Math:
        items: list[m.Math] = []
        for factor in factors:
            items += [m.Sign(" "), factor] if items else [factor]
        return m.Number("1") if not items else items[0] if len(items) == 1 else m.Row(tuple(items))

    def relation(self, relation: ops.Relation) -> m.Math:
        match relation:
            case ops.Same(i, j):
                return m.Row((self.axis(i), m.Sign("="), self.axis(j)))
            case ops.AtMost(i, j, c):
                bound = name_math(c) if isinstance(c, str) else m.Number(str(c))
                if c == 0:
                    return m.Row((self.axis(i), m.Sign("≤"), self.axis(j)))
                return m.Row((self.axis(i), m.Sign("-"), self.axis(j), m.Sign("≤"), bound))
            case ops.InBlock(j, block, p):
                return m.Row((self.axis(j), m.Sign("="), m.Name(block, upright=True), m.Fence(self.axis(p))))
            case ops.Paired(c, parts):
                return m.Row((self.axis(c), m.Sign("="), m.Fence(_listed([self.axis(a) for a in parts]))))
            case ops.Allowed(use):
                return self.use(use)

    def scalar(self, tree: Scalar, uses: Mapping[str, ops.Use]) -> m.Math:
        """A scalar tree with the parentheses it needs; each step carries how tightly it binds."""
        Bound = tuple[m.Math, int]

        def inside(x: Bound, level: int) -> m.Math:
            return x[0] if x[1] >= level else m.Fence(x[0])

        def unary(op: str, x: Bound) -> Bound:
            if op == "neg":
                return m.Row((m.Sign("-"), inside(x, _MUL))), _ADD
            if op == "sqrt":
                return m.Root(x[0]), _TIGHT
            return m.Row((m.Name(op, upright=True), m.Fence(x[0]))), _POW

        def binary(op: str, a: Bound, b: Bound) -> Bound:
            match op:
                case "div":
                    return m.Fraction(a[0], b[0]), _POW
                case "mul":
                    return m.Row((inside(a, _MUL), m.Sign(" "), inside(b, _POW))), _MUL
                case "max2":
                    return m.Row((m.Name("max", upright=True), m.Fence(m.Row((a[0], m.Sign(","), b[0]))))), _POW
                case _:
                    return m.Row((inside(a, _ADD), m.Sign("+" if op == "add" else "-"), inside(b, _MUL))), _ADD

        return fold(
            tree,
            num=lambda n: (_number(n), _TIGHT if n.value >= 0 else _LOOSE),
            size=lambda name: (name_math(name), _TIGHT),
            arg=lambda name: (self.use(uses[name]), _TIGHT),
            unary=unary,
            binary=binary,
            power=lambda x, exponent: (m.Script(inside(x, _TIGHT), sup=_rational(exponent)), _POW),
        )[0]


def _number(n: Num) -> m.Math:
    return m.Number(n.text) if n.text and "/" not in n.text else _rational(n.value)


def _rational(x: Rational) -> m.Math:
    if x.denominator == 1:
        return m.Number(str(x.numerator))
    found = m.Fraction(m.Number(str(abs(x.numerator))), m.Number(str(x.denominator)))
    return m.Row((m.Sign("-"), found)) if x < 0 else found


def _size(space: Space) -> m.Math:
    if space.blocks or space.factors:
        items: list[m.Math] = []
        for part in space.blocks or space.factors:
            items += [m.Sign("+" if space.blocks else "·"), _size(part)] if items else [_size(part)]
        return m.Fence(m.Row(tuple(items)))
    return name_math(space.size) if isinstance(space.size, str) else m.Number(str(space.size))


def _summed(out: Sequence[Axis], uses: Sequence[ops.Use], where: Sequence[ops.Relation], over: Sequence[Axis]) -> tuple[Axis, ...]:
    """The axes that an operation runs over and its result does not have."""
    mentioned = [a for use in uses for index in use.indices for a in index_axes(index)]
    mentioned += [a for relation in where for a in relation_axes(relation)] + list(over)
    kept = {a.name for a in out}
    return tuple(dict.fromkeys(a for a in mentioned if a.name not in kept))


def _letters(program: Program) -> dict[str, str]:
    """A letter for each axis name, which nothing else in the program has: the usual one, else its first, else a spare one."""
    names: dict[str, None] = {}
    for stage in program.stages:
        op = stage.op
        names.update(dict.fromkeys(a.name for a in stage.out))
        match op:
            case ops.Contract(out, uses, where, _, over):
                names.update(dict.fromkeys(a.name for a in _summed(out, uses, where, over)))
            case ops.Reduce(out, use, where):
                names.update(dict.fromkeys(a.name for a in _summed(out, (use,), where, ())))
            case _:
                pass
    taken = {size for space in program.spaces() for size in space.symbols()} | {stage.letter or stage.name for stage in program.stages}
    found: dict[str, str] = {}
    for name in names:
        wished = (LETTERS.get(name, name), name[0], *_SPARE)
        found[name] = next((x for x in wished if len(x) == 1 and x.isalpha() and x not in taken), name)
        taken.add(found[name])
    return found
