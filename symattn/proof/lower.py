"""From the stages of a program to terms.

Promises: the terms of a stage are equal to its values for all sizes: absent entries carry the relations that removed them, indices over
unions and products are split where they are born. Stages in `atoms` are opaque. What a stage needs to have a value (a denominator that
does not vanish, a number under a root, a row that visits something) is written down unless it is proved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product as choices

from symattn.errors import ProgramError
from symattn.program import ops
from symattn.program.program import Program, Stage, index_axes, relation_axes
from symattn.program.scalar import Num, Scalar, fold
from symattn.program.spaces import Axis, Space
from symattn.proof import functions as f
from symattn.proof import indices
from symattn.proof.maximum import Branch, largest
from symattn.proof.needs import Needs
from symattn.proof.parts import cone
from symattn.proof.reduce import settled, substitute_all
from symattn.proof.sign import always_visits
from symattn.proof.terms import Context, Expr, Indices, Skeleton, Term, Where, number, product, rename, symbol

_DEEP = 30  # programs of so many stages are lowered from the bottom
Places = tuple[Where, ...]
Env = dict[str, Where]


@dataclass(frozen=True)
class Fixed:
    """The axis stands at this position: what two opposite orders against an axis with one entry come to."""

    axis: Axis
    position: int


Read = ops.Relation | Fixed


class Lowering:
    """The stages of one program as terms of one context. `expand`: sums over spaces of at most this many entries are written out."""

    def __init__(self, ctx: Context, program: Program, atoms: Collection[str] = (), expand: int = 0) -> None:
        self.ctx = ctx
        self.program = program
        self.atoms = frozenset(atoms)
        self.expand = expand
        self.small = False  # was there a sum that `expand` could write out?
        self._memo: dict[tuple[str, Skeleton], tuple[Indices, Expr]] = {}
        self._needs = Needs(program, ctx)
        self._symbols = {s for space in program.spaces() for s in space.symbols()}
        self._named = {space.name: space for space in program.spaces()}

    # -- indices ------------------------------------------------------------------------------------------------------
    def births(self, space: Space) -> Iterator[tuple[Where, tuple[int, ...]]]:
        """The places that an index over the space runs through, with the plain indices in them: one, or several cases."""
        if space.blocks:
            for k, part in enumerate(space.blocks):
                for place, plain in self.births(part):
                    yield ("in", k, place), plain
        elif space.factors:
            for parts in choices(*(list(self.births(part)) for part in space.factors)):
                yield ("jt", tuple(p for p, _ in parts)), tuple(i for _, plain in parts for i in plain)
        elif isinstance(space.size, int) and space.size <= 4 and space.size <= self.expand:
            for k in range(space.size):
                yield ("at", k), ()
        else:
            self.small = self.small or (isinstance(space.size, int) and space.size <= 4)
            i = self.ctx.fresh(self.ctx.space_id(space))
            yield i, (i,)

    def cases(self, axes: tuple[Axis, ...]) -> Iterator[Places]:
        """Free places for the axes of a statement; all cases together are all entries."""
        for parts in choices(*(list(self.births(a.space)) for a in axes)):
            yield tuple(place for place, _ in parts)

    def _place(self, index: ops.Index, env: Env) -> Where:
        match index:
            case Axis(name, _):
                return env[name]
            case ops.At(space, position):
                return self._fixed(space, position)
            case ops.Inject(space, block, axis):
                return ("in", [part.name for part in space.blocks].index(block), env[axis.name])
            case ops.Joint(_, axes):
                return ("jt", tuple(env[a.name] for a in axes))

    def _fixed(self, space: Space, position: int) -> Where:
        """A position of a space, which is supposed to be there."""
        place = indices.fixed_place(space, position)
        self._suppose(space, place)
        return place

    def _suppose(self, space: Space, place: Where) -> None:
        """Write down that a position must be there, where a symbol for a size leaves that open."""
        if isinstance(place, tuple):
            match place[0]:
                case "at" if isinstance(space.size, str) and int(place[1]) > 0:  # type: ignore[arg-type]
                    self.ctx.suppose(f"{space.size} > {place[1]}")
                case "in":
                    self._suppose(space.blocks[int(place[1])], place[2])  # type: ignore[arg-type, misc]
                case "jt":
                    for part, inner in zip(space.factors, place[1], strict=True):  # type: ignore[arg-type]
                        self._suppose(part, inner)
                case _:
                    pass

    # -- stages -------------------------------------------------------------------------------------------------------
    def stage(self, name: str, places: Places) -> Expr:
        """The stage at these places, settled."""
        stage = self.program.by_name[name]
        if name in self.atoms or isinstance(stage.op, ops.Input):
            return self._atom(stage, places)
        skeleton, plain = indices.flatten(places)
        found = self._memo.get((name, skeleton))
        if found is None:
            slots = tuple([self.ctx.fresh(self.ctx.space_of(i)) for i in plain])
            terms = settled(self.ctx, self._value(stage, indices.fill(skeleton, slots)))
            found = self._memo[name, skeleton] = (slots, terms)
        slots, terms = found
        if len(set(plain)) < len(plain):
            return substitute_all(self.ctx, terms, dict(zip(slots, plain, strict=True)))
        return [self._moved(t, dict(zip(slots, plain, strict=True))) for t in terms]

    def prepare(self, names: Collection[str]) -> None:
        """Lower what these stages are made of in program order, so that a long chain of stages does not become a deep recursion."""
        needed = cone(self.program, names, self.atoms)
        for name in needed if len(needed) > _DEEP else ():
            spaces = [a.space for a in self.program.by_name[name].out]
            if name not in self.atoms and not any(s.blocks or s.factors for s in spaces):
                self.stage(name, tuple(self.ctx.fresh(self.ctx.space_id(s)) for s in spaces))

    def _moved(self, t: Term, at: dict[int, int]) -> Term:
        for b in t.bound:
            at[b] = self.ctx.fresh(self.ctx.space_of(b))
        moved = rename(self.ctx, t, at)
        moved.settled = not t.rels  # what is kept of a relation between free indices depends on their order
        return moved

    def _atom(self, stage: Stage, places: Places) -> Expr:
        skeleton, plain = indices.flatten(places)
        atom: Expr = [Term(1, facs={(self.ctx.label("atom", stage.name, skeleton), plain): 1})]
        return product(self.ctx, atom, self.present(stage, places))

    def present(self, stage: Stage, places: Places, *, whole: bool = False) -> Expr:
        """Where the stage has entries at all: the relations of a Map, 1 otherwise."""
        if not isinstance(stage.op, ops.Map) or not stage.op.where:
            return indices.TRUE
        return self._hold(stage.op.where, {a.name: p for a, p in zip(stage.out, places, strict=True)}, whole=whole)

    def _value(self, stage: Stage, places: Places) -> Expr:
        env = {a.name: p for a, p in zip(stage.out, places, strict=True)}
        match stage.op:
            case ops.Position(out):
                return indices.position(self.ctx, places[0], out[0].space)
            case ops.Contract() as op:
                return self._contract(stage, op, env)
            case ops.Map() as op:
                return self._map(op, env)
            case ops.Reduce() as op:
                return self._reduce(op, env)
            case _:
                raise ProgramError(f'"{stage.name}" has no value of its own')

    def _contract(self, stage: Stage, op: ops.Contract, env: Env) -> Expr:
        ctx = self.ctx
        coef = self.scalar(op.coef, {}, {})
        out: Expr = []
        for inner, bound, rest in self._inner(op, env):
            held = self._hold(rest, inner)
            terms = product(ctx, coef, [Term(1, bound=bound)])
            if held is not indices.TRUE:
                terms = product(ctx, terms, held)
            seen = held
            for use in op.uses:
                places = tuple(self._place(i, inner) for i in use.indices)
                terms = product(ctx, terms, self.stage(use.stage, places))
                if op.must_visit:
                    seen = product(ctx, seen, self.present(self.program.by_name[use.stage], places))
            out += terms
            if op.must_visit and not (len(seen) == 1 and always_visits(ctx, Term(1, bound=bound, rels=seen[0].rels))):
                ctx.suppose(f"{stage.name}: every entry visits something")
        return out

    def _inner(self, op: ops.Contract | ops.Reduce, env: Env) -> Iterator[tuple[Env, frozenset[int], tuple[Read, ...]]]:
        """The summed axes at all their cases: places, bound indices, the relations that are left. Equalities are solved first."""
        mentioned = [a for use in (op.uses if isinstance(op, ops.Contract) else (op.use,)) for i in use.indices for a in index_axes(i)]
        mentioned += [a for r in op.where for a in relation_axes(r)]
        mentioned += op.over if isinstance(op, ops.Contract) else ()
        env = dict(env)
        rest = _read(op.where)
        while True:
            solved = next(((r, s) for r in rest if (s := self._solve(r, env)) is not None), None)
            if solved is None:
                break
            rest.remove(solved[0])
            env[solved[1][0]] = solved[1][1]
        open_axes = {a.name: a for a in mentioned if a.name not in env}
        for parts in choices(*(list(self.births(a.space)) for a in open_axes.values())):
            inner = {**env, **{name: place for name, (place, _) in zip(open_axes, parts, strict=True)}}
            yield inner, frozenset(i for _, plain in parts for i in plain), tuple(rest)

    def _solve(self, r: Read, env: Env) -> tuple[str, Where] | None:
        """The axis that an equality fixes, and its place."""
        match r:
            case Fixed(i, k) if i.name not in env and (i.space.symbols() or k < i.space.extent({})):
                return i.name, self._fixed(i.space, k)
            case ops.Same(i, j) if i.space == j.space:
                if i.name in env and j.name not in env:
                    return j.name, env[i.name]
                if j.name in env and i.name not in env:
                    return i.name, env[j.name]
            case ops.InBlock(j, block, p) if j.name not in env and p.name in env:
                return j.name, self._place(ops.Inject(j.space, block, p), env)
            case ops.Paired(c, parts) if c.name not in env and all(p.name in env for p in parts):
                return c.name, ("jt", tuple(env[p.name] for p in parts))
            case _:
                pass
        return None

    def _hold(self, where: tuple[Read, ...], env: Env, *, whole: bool = False) -> Expr:
        """The relations as an expression; as one product of relations when `whole`."""
        ctx = self.ctx
        out = indices.TRUE
        for r in _read(where):
            match r:
                case Fixed(i, k):
                    found = indices.same(ctx, env[i.name], indices.fixed_place(i.space, k))
                case ops.Same(i, j):
                    found = indices.same(ctx, env[i.name], env[j.name])
                case ops.AtMost(i, j, c):
                    found = indices.at_most(ctx, env[i.name], env[j.name], c, (i.space, j.space), whole=whole)
                case ops.InBlock(j, block, p):
                    found = indices.same(ctx, env[j.name], self._place(ops.Inject(j.space, block, p), env))
                case ops.Paired(c, parts):
                    found = indices.same(ctx, env[c.name], ("jt", tuple(env[p.name] for p in parts)))
                case ops.Allowed(use):
                    found = indices.allowed(ctx, use.stage, tuple(self._place(i, env) for i in use.indices))
            out = found if out is indices.TRUE else product(ctx, out, found)
        return out

    def _map(self, op: ops.Map, env: Env) -> Expr:
        held = self._hold(op.where, env)
        if not held:
            return []
        known = held[0].rels if len(held) == 1 else frozenset()
        args = {}
        for name, use in op.args:
            value = self.stage(use.stage, tuple(self._place(i, env) for i in use.indices))
            if known:
                value = settled(self.ctx, [_given(t, known) for t in value])
            args[name] = value
        value = self.scalar(op.scalar, args, {name: use.stage for name, use in op.args})
        return value if held is indices.TRUE else product(self.ctx, value, held)

    def _reduce(self, op: ops.Reduce, env: Env) -> Expr:
        ctx = self.ctx
        source = self.program.by_name[op.use.stage]
        branches = []
        for inner, bound, rest in self._inner(op, env):
            places = tuple(self._place(i, inner) for i in op.use.indices)
            held = product(ctx, self._hold(rest, inner, whole=True), self.present(source, places, whole=True))
            if not held:
                continue
            value = settled(ctx, [_given(t, held[0].rels) for t in self.stage(op.use.stage, places)])
            branches.append(Branch(tuple(value), bound, held[0].rels))
            if op.empty is None and not always_visits(ctx, Term(1, bound=bound, rels=held[0].rels)):
                ctx.suppose(f"max of {op.use.stage}: every entry visits something")
        if op.empty is None:
            return largest(ctx, branches)
        if isinstance(op.empty, Num):
            return largest(ctx, branches, number(op.empty.value))
        return largest(ctx, branches, self.stage(op.empty.stage, tuple(self._place(i, env) for i in op.empty.indices)))

    # -- scalars ------------------------------------------------------------------------------------------------------
    def scalar(self, tree: Scalar, args: Mapping[str, Expr], uses: Mapping[str, str]) -> Expr:
        """A scalar tree over these argument values; what it needs is written down."""
        self._needs.check(tree, args, uses, self._plain)
        return self._plain(tree, args)

    def _plain(self, tree: Scalar, args: Mapping[str, Expr]) -> Expr:
        ctx = self.ctx

        def binary(op: str, a: Expr, b: Expr) -> Expr:
            match op:
                case "add":
                    return a + b
                case "sub":
                    return a + [t.scaled(-1) for t in b]
                case "mul":
                    return f.multiply(ctx, a, b)
                case "div":
                    return f.divide(ctx, a, settled(ctx, b))
                case _:
                    return largest(ctx, [Branch(tuple(settled(ctx, a))), Branch(tuple(settled(ctx, b)))])

        def unary(op: str, x: Expr) -> Expr:
            if op == "neg":
                return [t.scaled(-1) for t in x]
            if op == "sqrt":
                return f.power(ctx, settled(ctx, x), Fraction(1, 2))
            return f.FUNCTIONS[op](ctx, settled(ctx, x))

        return fold(
            tree,
            num=lambda n: number(n.value),
            size=self._size,
            arg=lambda name: args[name],
            unary=unary,
            binary=binary,
            power=lambda x, q: f.power(ctx, settled(ctx, x), q),
        )

    def _size(self, name: str) -> Expr:
        if name not in self._symbols and name in self._named:
            return indices.extent(self._named[name])
        return symbol("$" + name)


def _read(where: Sequence[Read]) -> list[Read]:
    """The relations, opposite orders against an axis with one entry as the position that they fix."""
    found = list(where)
    for r in where:
        if isinstance(r, ops.AtMost) and r.j.space.size == 1 and isinstance(r.c, int) and r in found:
            opposite = ops.AtMost(r.j, r.i, -r.c)
            if opposite in found and r.c >= 0:
                found[found.index(r)] = Fixed(r.i, r.c)
                found.remove(opposite)
    return found


def _given(t: Term, known: frozenset[tuple[int, Indices]]) -> Term:
    """The term where relations are known to hold."""
    return t if t.rels.isdisjoint(known) else Term(t.coef, t.mono, t.bound, t.facs, t.rels - known)
