"""A matrix expression, or a sum in index form, back to stages of a program: what is displayed is checked from here.

Promises: every node becomes stages over the three operations with the meaning its docstring gives it; nothing of the recognition is used.
Does not promise: few stages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from symattn.calculus.notation_index import ONE, Factor, Ix, NoMatrixForm, Part, Ref, Rel, Scope, Sum, Term, factor_vars
from symattn.calculus.notation_tree import (
    COL,
    ROW,
    Add,
    Atom,
    Coef,
    Diag,
    Dot,
    Entrywise,
    Hadamard,
    Identity,
    Mask,
    Ones,
    Outer,
    Over,
    Product,
    Raised,
    Scale,
    Softmax,
    Trace,
    Transpose,
    Tree,
)
from symattn.program import ops
from symattn.program.graph import reads
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary
from symattn.program.spaces import Axis, Space

Env = Mapping[int, Axis]


class Lowering:
    """Adds stages, called `name.1`, `name.2`, …, to a program. `scope` knows the variables; `atoms` are stages whose values may be any."""

    def __init__(self, program: Program, name: str, scope: Scope, atoms: Collection[str]) -> None:
        self.program = program
        self.atoms = frozenset(atoms)
        self.name = name
        self.scope = scope
        self.stages: list[Stage] = []

    def finished(self, target: str, at: Sequence[Ix], piece: Atom) -> Program:
        """The program with the stage `name`, over the axes of `target`, whose entry at `at` is that of the piece. The target's indices
        that are labels or coordinates of a product find their place again."""
        out = self.program.by_name[target].out
        env: dict[int, Axis] = {}
        where: list[ops.Relation] = []
        free: list[int] = []
        for axis, ix in zip(out, at, strict=True):
            if isinstance(ix, Part):
                parts = tuple(Axis(f"{axis.name}.{k}", self.scope.space(v)) for k, v in enumerate(ix.vars))
                env.update(zip(ix.vars, parts, strict=True))
                where.append(ops.Paired(axis, parts) if ix.kind == "joint" else ops.InBlock(axis, str(ix.tag), parts[0]))
                free.extend(v for v in ix.vars if not self.scope.is_label(v))
            else:
                env[ix] = axis
                free.extend((ix,) if not self.scope.is_label(ix) else ())
        # A piece may be indexed by the variables themselves, or by ROW and COL.
        env.update(zip((ROW, COL), (env[v] for v in free), strict=False))
        self.stages.append(Stage(self.name, ops.Contract(out, (self.use(piece, env),), tuple(where))))
        return self.beside(target)

    def beside(self, target: str) -> Program:
        """The new stages with `target` and what both read, down to the atoms."""
        new = {s.name for s in self.stages}
        read = [name for s in self.stages for name in reads(s.op) if name not in new]
        return Program((*cut(self.program, target, read, self.atoms), *self.stages), self.name)

    # -- pieces -------------------------------------------------------------------------------------------------------
    def axis(self, var: int) -> Axis:
        """The axis of a label variable, or of any variable of a sum in index form."""
        return Axis(f"v{var}", self.scope.space(var))

    def env(self, labels: Iterable[int], rows: Space | None = None, cols: Space | None = None) -> dict[int, Axis]:
        """Axes for labels, row and column."""
        found = {v: self.axis(v) for v in labels}
        if rows is not None:
            found[ROW] = Axis("row", rows)
        if cols is not None:
            found[COL] = Axis("column", cols)
        return found

    def use(self, piece: Atom, env: Env) -> ops.Use:
        """A piece at these axes."""
        return ops.Use(piece.stage, tuple(_index(ix, env) for ix in piece.at))

    def stage(self, op: ops.Op, at: Sequence[int], rows: Space | None = None, cols: Space | None = None) -> Atom:
        """A new stage whose axes are those of `at`, in order."""
        name = f"{self.name}.{len(self.stages) + 1}"
        self.stages.append(Stage(name, op))
        return Atom(name, tuple(at), rows, cols)

    # -- matrix expressions -------------------------------------------------------------------------------------------
    def tree(self, x: Tree) -> Atom:
        """The stage that holds a matrix expression, indexed by its labels, ROW and COL."""
        if isinstance(x, Atom):
            return x
        if isinstance(x, Transpose):
            inner = self.tree(x.x)
            return Atom(inner.stage, tuple(_swapped(ix) for ix in inner.at), x.rows, x.cols)
        env = self.env(labels_of(x), x.rows, x.cols)
        out = tuple(env.values())
        op = self._op(x, env, out)
        return self.stage(op, tuple(env), x.rows, x.cols)

    def _op(self, x: Tree, env: dict[int, Axis], out: tuple[Axis, ...]) -> ops.Op:
        match x:
            case Mask(where):
                return ops.Contract(out, (), tuple(_relation(r, env) for r in where))
            case Ones():
                return ops.Contract(out, ())
            case Identity():
                return ops.Contract(out, (), (ops.Same(env[ROW], env[COL]),))
            case Product(items):
                return ops.Contract(out, tuple(self._chain(items, env)))
            case Hadamard(items):
                return ops.Contract(out, tuple(self.use(self.tree(i), env) for i in items))
            case Add(items):
                return self._map(out, env, [self.tree(i) for _, i in items], lambda args: _signed([s for s, _ in items], args))
            case Scale(coef, inner):
                trees = [b for b, _ in coef.powers if not isinstance(b, str | Fraction)]
                pieces = [self.tree(t) for t in (*trees, *((inner,) if inner is not None else ()))]
                return self._map(out, env, pieces, lambda args: _coefficient(coef, args))
            case Diag(inner):
                return ops.Contract(out, (self.use(self.tree(inner), env),), (ops.Same(env[ROW], env[COL]),))
            case Outer(u, v):
                right = self.tree(v) if not isinstance(v, Ones) else None
                uses = [self.use(self.tree(u), env)] if not isinstance(u, Ones) else []
                return ops.Contract(out, (*uses, *((self.use(right, {**env, ROW: env[COL]}),) if right is not None else ())))
            case Dot(u, v):
                inner_env = {**env, ROW: Axis("inner", _space(v.rows))}
                return ops.Contract(out, tuple(self.use(self.tree(i), inner_env) for i in (u, v) if i is not None))
            case Trace(inner):
                both = Axis("inner", _space(inner.rows))
                return ops.Contract(out, (self.use(self.tree(inner), {**env, ROW: both, COL: both}),))
            case Entrywise(op, inner):
                return self._map(out, env, [self.tree(inner)], lambda args: function(op, args[0]))
            case Softmax(inner):
                top = self.tree(Entrywise("exp", inner))
                inside = {**env, (COL if x.cols is not None else ROW): Axis("inner", _space(x.cols or x.rows))}
                kept = tuple(v for v in env if v != (COL if x.cols is not None else ROW))
                sums = self.stage(
                    ops.Contract(tuple(env[v] for v in kept), (self.use(top, inside),)), kept, x.rows if ROW in kept else None
                )
                return self._map(out, env, [top, sums], lambda args: Binary("div", args[0], args[1]))
            case Raised(inner, power):
                return self._map(out, env, [self.tree(inner)], lambda args: Power(args[0], power))
            case Over(labels, inner):
                piece = self.tree(inner)
                inside = {**env, **{v: self.axis(v) for v in labels}}
                return ops.Contract(out, (self.use(piece, inside),), over=tuple(self.axis(v) for v in labels))
            case _:
                raise NoMatrixForm(f"nothing is known of {type(x).__name__}")

    def _chain(self, items: tuple[Tree, ...], env: dict[int, Axis]) -> list[ops.Use]:
        """The uses of a matrix product; a diagonal matrix is its vector at the index it stands at."""
        uses = []
        here = env[ROW]
        matrices = [k for k, i in enumerate(items) if not isinstance(i, Diag) and i.cols is not None]
        for k, item in enumerate(items):
            if isinstance(item, Diag):
                uses.append(self.use(self.tree(item.x), {**env, ROW: here}))
                continue
            piece = self.tree(item)
            if item.cols is None:
                uses.append(self.use(piece, {**env, ROW: here}))
                continue
            there = env[COL] if k == matrices[-1] and COL in env else Axis(f"inner{k}", item.cols)
            uses.append(self.use(piece, {**env, ROW: here, COL: there}))
            here = there
        return uses

    def _map(self, out: tuple[Axis, ...], env: Env, pieces: list[Atom], tree: object) -> ops.Map:
        assert callable(tree)
        names = [f"x{k}" for k in range(len(pieces))]
        scalar: Scalar = tree([Arg(n) for n in names])
        return ops.Map(out, scalar, tuple((n, self.use(p, env)) for n, p in zip(names, pieces, strict=True)))

    # -- index form ---------------------------------------------------------------------------------------------------
    def sum(self, terms: Sum, over: tuple[int, ...]) -> Atom:
        """The stage that holds a sum in index form; its axes are those of the variables `over`."""
        out = tuple(self.axis(v) for v in over)
        pieces = [self._term(t, over, out) for t in terms]
        if len(pieces) == 1:
            return pieces[0]
        env = {v: self.axis(v) for v in over}
        if not pieces:
            return self.stage(ops.Map(out, Num(Fraction(0))), over)
        return self.stage(self._map(out, env, pieces, lambda args: _signed([1] * len(args), args)), over)

    def _term(self, term: Term, over: tuple[int, ...], out: tuple[Axis, ...]) -> Atom:
        env = {v: self.axis(v) for v in (*over, *term.bound)}
        uses = tuple(self.use(self._factor(f, p), env) for f, p in term.factors)
        where = tuple(_relation(r, env) for r in term.where)
        coef = _coefficient(Coef(term.coef, term.sizes), [])
        return self.stage(ops.Contract(out, uses, where, coef, over=tuple(env[v] for v in term.bound)), over)

    def _factor(self, factor: Factor, power: Fraction) -> Atom:
        own = factor_vars(factor)
        env = {v: self.axis(v) for v in own}
        out = tuple(env.values())
        if isinstance(factor, Ref):
            piece = Atom(factor.stage, factor.at)
        else:
            inner = [self.sum(arg, own) for arg in factor.args]
            if factor.op == "sum":
                piece = inner[0]
            elif len(inner) == 1:
                piece = self.stage(self._map(out, env, inner, lambda args: function(factor.op, args[0])), own)
            else:
                piece = self.stage(self._map(out, env, inner, lambda args: Binary(factor.op, args[0], args[1])), own)
        if power == 1:
            return piece
        return self.stage(self._map(out, env, [piece], lambda args: Power(args[0], power)), own)


def function(op: str, x: Scalar) -> Scalar:
    """A function of one argument as a scalar tree."""
    if op == "relu":
        return Binary("max2", x, Num(Fraction(0)))
    if op == "abs":
        return Binary("max2", x, Unary("neg", x))
    if op != "sigmoid":
        return Unary(op, x)
    one = Num(ONE)
    return Binary("div", one, Binary("add", one, Unary("exp", Unary("neg", x))))


def cut(program: Program, target: str, others: Iterable[str], atoms: Collection[str]) -> tuple[Stage, ...]:
    """The stages that `target` and the others read, in order. Atoms have any values there, those with a mask only where it holds: what is
    true of this part is true of the program."""
    kept: dict[str, tuple[Stage, ...]] = {}
    waiting = [target, *others]
    while waiting:
        name = waiting.pop()
        if name in kept:
            continue
        stage = program.by_name[name]
        if name not in atoms or name == target or not isinstance(stage.op, ops.Contract | ops.Map | ops.Reduce):
            kept[name] = (stage,)
            waiting.extend(reads(stage.op))
        elif isinstance(stage.op, ops.Map) and stage.op.where:
            free = Stage(f"{name}.any", ops.Input(stage.out))
            values = ops.Map(stage.out, Arg("x"), (("x", ops.Use(free.name, stage.out)),), stage.op.where)
            kept[name] = (free, Stage(name, values, stage.letter))
            waiting.extend(r.use.stage for r in stage.op.where if isinstance(r, ops.Allowed))
        else:
            kept[name] = (Stage(name, ops.Input(stage.out), stage.letter),)
    return tuple(s for stage in program.stages for s in kept.get(stage.name, ()))


def labels_of(x: Tree | str | Fraction) -> tuple[int, ...]:
    """The label variables of a tree that it does not sum over, in order of appearance."""
    match x:
        case Atom(_, at):
            return tuple(dict.fromkeys(v for ix in at for v in (ix.vars if isinstance(ix, Part) else (ix,)) if v >= 0))
        case Mask(where):
            found = (
                v
                for r in where
                for ix in (r.rest if r.kind == "allowed" else (r.a, r.b))
                for v in (ix.vars if isinstance(ix, Part) else (ix,))
            )
            return tuple(dict.fromkeys(v for v in found if v >= 0))
        case Product(items) | Hadamard(items):
            return _together(items)
        case Add(items):
            return _together(i for _, i in items)
        case Scale(coef, inner):
            return _together((*(b for b, _ in coef.powers), *((inner,) if inner is not None else ())))
        case Transpose(inner) | Diag(inner) | Trace(inner) | Entrywise(_, inner) | Softmax(inner) | Raised(inner, _):
            return labels_of(inner)
        case Outer(u, v):
            return _together((u, v))
        case Dot(u, v):
            return _together((v,) if u is None else (u, v))
        case Over(labels, inner):
            return tuple(v for v in labels_of(inner) if v not in labels)
        case _:
            return ()


def _together(items: Iterable[Tree | str | Fraction]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(v for i in items for v in labels_of(i)))


def _swapped(ix: Ix) -> Ix:
    other = {ROW: COL, COL: ROW}
    if isinstance(ix, Part):
        return Part(ix.kind, ix.space, tuple(other.get(v, v) for v in ix.vars), ix.tag)
    return other.get(ix, ix)


def _space(space: Space | None) -> Space:
    assert space is not None
    return space


def _index(ix: Ix, env: Env) -> ops.Index:
    if not isinstance(ix, Part):
        return env[ix]
    if ix.kind == "at":
        assert isinstance(ix.tag, int)
        return ops.At(ix.space, ix.tag)
    if ix.kind == "inject":
        return ops.Inject(ix.space, str(ix.tag), env[ix.vars[0]])
    return ops.Joint(ix.space, tuple(env[v] for v in ix.vars))


def _relation(rel: Rel, env: Env) -> ops.Relation:
    if rel.kind == "allowed":
        return ops.Allowed(ops.Use(str(rel.c), tuple(_index(ix, env) for ix in rel.rest)))
    if isinstance(rel.a, Part) or isinstance(rel.b, Part):
        raise NoMatrixForm("a relation on an index with parts")
    a = env[rel.a]
    if rel.kind == "same":
        return ops.Same(a, env[rel.b])
    if rel.kind == "atmost":
        return ops.AtMost(a, env[rel.b], rel.c)
    if rel.kind == "block":
        return ops.InBlock(a, str(rel.c), env[rel.b])
    return ops.Paired(a, tuple(env[ix] for ix in rel.rest if isinstance(ix, int)))


def _signed(signs: list[int], args: list[Scalar]) -> Scalar:
    total = args[0] if signs[0] > 0 else Unary("neg", args[0])
    for sign, arg in zip(signs[1:], args[1:], strict=True):
        total = Binary("add" if sign > 0 else "sub", total, arg)
    return total


def _coefficient(coef: Coef, args: Sequence[Scalar]) -> Scalar:
    """number * product of powers * what else there is; trees among the bases are the first of `args`."""
    waiting = iter(args)
    total: Scalar = Num(coef.number)
    for base, power in coef.powers:
        leaf: Scalar = Size(base) if isinstance(base, str) else Num(base) if isinstance(base, Fraction) else next(waiting)
        total = Binary("mul", total, leaf if power == ONE else Power(leaf, power))
    for arg in waiting:
        total = Binary("mul", total, arg)
    return total
