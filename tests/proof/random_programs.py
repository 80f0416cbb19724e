"""Random sums over indices with relations: pairs that are equal by construction, or changed somewhere.

A sum is a list of products (coefficient, uses, relations, summed axes); both sides become stages of one program over the same inputs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from random import Random

from symattn.errors import MaskedRowError
from symattn.interp.run import Runner
from symattn.interp.tensor import Tensor
from symattn.program import ops
from symattn.program.ops import AtMost, Inject, Relation, Same, Use
from symattn.program.program import Program, Stage, index_axes, relation_axes
from symattn.program.rewrite import Rewriter
from symattn.program.scalar import Arg, Binary, Num, Scalar, Unary
from symattn.program.spaces import Axis, Space
from symattn.proof import enclosures

N = Space("n", "n")
PARTS = (Space("past", "p"), Space("new", "q"))
ALL = Space("all", blocks=PARTS)
AXES = tuple(Axis(name, N) for name in "ijkl")
INPUTS = (
    Stage("A", ops.Input((AXES[0], AXES[1]))),
    Stage("B", ops.Input((AXES[0], AXES[1]))),
    Stage("v", ops.Input((AXES[0],))),
    Stage("M", ops.Input((AXES[0], AXES[1]), boolean=True)),
    Stage("X", ops.Input((Axis("c", ALL),))),
    Stage("Y", ops.Input((Axis("c", ALL), AXES[0]))),
    Stage("t", ops.Position((AXES[0],))),
)
SHAPES = {"A": (N, N), "B": (N, N), "v": (N,), "t": (N,), "X": (ALL,), "Y": (ALL, N)}


@dataclass(frozen=True)
class Product:
    coef: Fraction
    uses: tuple[Use, ...]
    where: tuple[Relation, ...]
    out: tuple[Axis, ...]

    def axes(self) -> list[Axis]:
        found = [a for u in self.uses for i in u.indices for a in index_axes(i)] + [a for r in self.where for a in relation_axes(r)]
        return list(dict.fromkeys([*self.out, *found]))

    def op(self) -> ops.Contract:
        return ops.Contract(self.out, self.uses, self.where, Num(self.coef))


class Renamed(Rewriter):
    def __init__(self, names: dict[Axis, Axis]) -> None:
        self._names = names

    def axis(self, axis: Axis) -> Axis:
        return self._names.get(axis, axis)


class Maker:
    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def product(self, out: tuple[Axis, ...]) -> Product:
        rng = self.rng
        names = rng.choices(("A", "A", "B", "v", "t", "X", "Y"), k=rng.randint(1, 3))
        wide = [Axis("c", ALL), Axis("d", ALL)]
        uses = tuple(Use(name, tuple(rng.choice(AXES if s == N else wide) for s in SHAPES[name])) for name in names)
        where = tuple(self.relation() for _ in range(rng.choice((0, 1, 1, 2, 3))))
        return Product(Fraction(rng.randint(-2, 3) or 1), uses, where, out)

    def relation(self) -> Relation:
        i, j = self.rng.sample(AXES, 2)
        match self.rng.choice(("same", "order", "order", "order", "mask")):
            case "same":
                return Same(i, j)
            case "order":
                return AtMost(i, j, self.rng.randint(-2, 2))
            case _:
                return ops.Allowed(Use("M", (i, j)))

    # -- equal sums -----------------------------------------------------------------------------------------------------
    def rewritten(self, side: list[Product]) -> list[Product]:
        k = self.rng.randrange(len(side))
        return [*side[:k], *self._rewrites(side[k]), *side[k + 1 :]]

    def _rewrites(self, p: Product) -> list[Product]:
        rng = self.rng
        orders = [r for r in p.where if isinstance(r, AtMost)]
        kind = rng.choice(("shuffle", "split", "implied", "equal", "fresh", "blocks", "twice", "double"))
        match kind:
            case "shuffle":
                inner = [a for a in p.axes() if a not in p.out]
                names = {a: Axis(f"{a.name}'", a.space) for a in inner}
                moved = Renamed(names)
                uses = rng.sample([moved.use(u) for u in p.uses], len(p.uses))
                return [replace(p, uses=tuple(uses), where=tuple(rng.sample([moved.relation(r) for r in p.where], len(p.where))))]
            case "split":
                axes = [a for a in p.axes() if a.space == N]
                if len(axes) < 2:
                    return [p]
                i, j = rng.sample(axes, 2)
                c = rng.randint(-2, 2)
                return [replace(p, where=(*p.where, r)) for r in (AtMost(i, j, c), AtMost(j, i, -c - 1))]
            case "implied" if orders:
                r = rng.choice(orders)
                return [replace(p, where=(*p.where, AtMost(r.i, r.j, int(r.c) + rng.randint(0, 2))))]
            case "equal":
                same = [r for r in p.where if isinstance(r, Same)]
                if not same:
                    return [p]
                r = rng.choice(same)
                rest = tuple(x for x in p.where if x is not r)
                return [replace(p, where=(*rest, AtMost(r.i, r.j, 0), AtMost(r.j, r.i, 0)))]
            case "fresh" if p.uses:
                u = rng.randrange(len(p.uses))
                axes = [a for i in p.uses[u].indices for a in index_axes(i) if isinstance(a, Axis)]
                a = rng.choice(axes)
                b = Axis(f"{a.name}*", a.space)
                if b in p.axes() or a.space != N:
                    return [p]
                use = Renamed({a: b}).use(p.uses[u])
                return [replace(p, uses=(*p.uses[:u], use, *p.uses[u + 1 :]), where=(*p.where, Same(a, b)))]
            case "blocks":
                wide = [a for a in p.axes() if a.space == ALL and a not in p.out]
                if not wide:
                    return [p]
                a = rng.choice(wide)
                found = []
                for part in PARTS:
                    b = Axis(f"{a.name}.{part.name}", part)
                    uses = tuple(Use(u.stage, tuple(Inject(ALL, part.name, b) if i == a else i for i in u.indices)) for u in p.uses)
                    found.append(replace(p, uses=uses))
                return found
            case "twice" if p.where:
                return [replace(p, where=(*p.where, rng.choice(p.where)))]
            case "double":
                return [replace(p, coef=2 * p.coef), replace(p, coef=-p.coef)]
            case _:
                return [p]

    # -- changed sums ---------------------------------------------------------------------------------------------------
    def mutated(self, side: list[Product]) -> list[Product]:
        rng = self.rng
        k = rng.randrange(len(side))
        p = side[k]
        match rng.choice(("coef", "where", "drop", "order", "use")):
            case "where":
                p = replace(p, where=(*p.where, self.relation()))
            case "drop" if p.where:
                gone = rng.randrange(len(p.where))
                p = replace(p, where=p.where[:gone] + p.where[gone + 1 :])
            case "order" if any(isinstance(r, AtMost) for r in p.where):
                orders = [r for r in p.where if isinstance(r, AtMost)]
                r = rng.choice(orders)
                new = rng.choice((AtMost(r.i, r.j, int(r.c) + 1), AtMost(r.i, r.j, int(r.c) - 1), AtMost(r.j, r.i, r.c)))
                p = replace(p, where=tuple(new if x is r else x for x in p.where))
            case "use":
                u = rng.randrange(len(p.uses))
                indices = tuple(rng.choice(AXES) if isinstance(i, Axis) and i.space == N else i for i in p.uses[u].indices)
                p = replace(p, uses=(*p.uses[:u], Use(p.uses[u].stage, indices), *p.uses[u + 1 :]))
            case _:
                p = replace(p, coef=p.coef + 1)
        return [*side[:k], p, *side[k + 1 :]]


def pair(seed: int, *, equal: bool) -> Program:
    """A program with the stages `left` and `right`."""
    rng = Random(seed)
    make = Maker(rng)
    out = rng.choice(((), (AXES[0],), (AXES[0], AXES[1])))
    left = [make.product(out) for _ in range(rng.choice((1, 1, 2)))]
    right = left
    for _ in range(rng.randint(1, 4)):
        right = make.rewritten(right)
    if not equal:
        right = make.mutated(right)
    wrap = rng.choice(("", "", "exp", "ratio", "max"))
    return Program((*INPUTS, *_stages("left", left, out, wrap), *_stages("right", right, out, wrap)))


def _stages(name: str, side: list[Product], out: tuple[Axis, ...], wrap: str) -> list[Stage]:
    parts = [Stage(f"{name}.{k}", p.op()) for k, p in enumerate(side)]
    tree: Scalar = Arg("p0")
    for k in range(1, len(parts)):
        tree = Binary("add", tree, Arg(f"p{k}"))
    args = tuple((f"p{k}", Use(s.name, out)) for k, s in enumerate(parts))
    inner = Stage(f"{name}.sum", ops.Map(out, tree, args))
    read = (("x", Use(inner.name, out)),)
    small = Binary("div", Arg("x"), Num(Fraction(1000)))
    match wrap:
        case "exp":
            last: ops.Op = ops.Map(out, Unary("exp", small), read)
        case "ratio":
            last = ops.Map(out, Binary("div", Arg("x"), Binary("add", Num(Fraction(1)), Binary("mul", Arg("x"), Arg("x")))), read)
        case "max" if out:
            last = ops.Reduce(out[:-1], Use(inner.name, out))
        case _:
            last = ops.Contract(out, (Use(inner.name, out),))
    return [*parts, inner, Stage(name, last)]


def differ(program: Program, rng: Random) -> bool:
    """Are the two sides different somewhere, at small sizes, by the interpreter?"""
    for n, p, q in ((3, 1, 2), (1, 2, 1), (4, 1, 1), (2, 2, 2)):
        sizes = {"n": n, "p": p, "q": q}
        feeds = {}
        for stage in program.inputs:
            shape = tuple(a.space.extent(sizes) for a in stage.out)
            assert isinstance(stage.op, ops.Input)
            make = (lambda: rng.random() < 0.6) if stage.op.boolean else (lambda: Fraction(rng.randint(-4, 5)))
            feeds[stage.name] = Tensor(shape, [make() for _ in range(prod(shape))])
        try:
            runner = Runner(program, feeds, enclosures.TABLE, sizes)
            a, b = runner.value("left"), runner.value("right")
        except MaskedRowError:
            continue
        if any(enclosures.differ(x, y) for x, y in zip(a.entries, b.entries, strict=True)):
            return True
    return False
