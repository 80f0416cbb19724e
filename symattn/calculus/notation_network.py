"""One product in index form as a matrix expression: reduction of its index network.

The indices are vertices, a factor with two of them is an edge, with one a weight of its vertex. Parallel edges are an entry-by-entry
product, a summed vertex on two edges is a matrix product (its weight a diagonal matrix in it), a summed vertex on one edge a row sum,
a weight at a free vertex a diagonal matrix. Networks that do not reduce have no matrix form.

Promises: every reduction is an identity of finite sums. Does not promise: the shortest form; notation_recognize.py compares several.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from symattn.calculus.notation_index import (
    ONE,
    Fn,
    Ix,
    NoMatrixForm,
    Part,
    Ref,
    Rel,
    Scope,
    Sum,
    Term,
    factor_vars,
    ix_vars,
    move_ix,
    move_rel,
    rel_vars,
)
from symattn.calculus.notation_make import cost, hadamard, merged, product, scale, transposed
from symattn.calculus.notation_tree import (
    COL,
    ROW,
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
    Powers,
    Product,
    Raised,
    Trace,
    Tree,
)

Whole = Callable[[Sum, tuple[int, ...]], Tree]
Unnamed = Callable[[Ref, tuple[int, ...]], Tree | None]


@dataclass
class Edge:
    """A matrix between two vertices, its rows at `u`."""

    u: int
    v: int
    x: Tree
    rank: int  # reading order: that of its first factor

    def seen_from(self, vertex: int) -> Tree:
        """The matrix with its rows at `vertex`."""
        return self.x if self.u == vertex else transposed(self.x)

    def other(self, vertex: int) -> int:
        """The other end."""
        return self.v if vertex == self.u else self.u


class Network:
    """The network of one term whose labels are free; `whole` reads the sums inside functions, `softmax` the weights of one that has no
    name."""

    def __init__(self, scope: Scope, term: Term, free: tuple[int, ...], whole: Whole, softmax: Unnamed) -> None:
        self.scope = scope
        self.free = free
        self.whole = whole
        self.softmax = softmax
        self.bound = [v for v in term.bound if not scope.is_label(v)]
        self.edges: list[Edge] = []
        self.weights: dict[int, list[tuple[int, Tree]]] = {v: [] for v in (*free, *self.bound)}
        self.loops: dict[int, Tree] = {}
        self.scalars: Powers = tuple(term.sizes)
        for rank, (factor, power) in enumerate(term.factors):
            self._factor(factor, power, rank)
        self._relations(term.where, len(term.factors))

    def tree(self, coef: Fraction) -> Tree:
        """The whole term."""
        self._reduce()
        body = self._assembled()
        return scale(Coef(coef, self.scalars), body)

    def around(self, x: Tree) -> Tree:
        """The factors of the term, none of which is summed, times `x` entry by entry, `x` at the free variables."""
        last = 1 + len(self.edges) + sum(map(len, self.weights.values()))
        if len(self.free) == 1:
            self.weights[self.free[0]].append((1000 + last, x))
        elif len(self.free) == 2:
            self._join(Edge(self.free[0], self.free[1], x, 1000 + last))
        else:
            return scale(Coef(ONE, self.scalars), x)
        return scale(Coef(ONE, self.scalars), self._assembled())

    # -- reading the factors ------------------------------------------------------------------------------------------
    def _factor(self, factor: Ref | Fn, power: Fraction, rank: int) -> None:
        ends = tuple(v for v in factor_vars(factor) if not self.scope.is_label(v))
        if len(ends) > 2:
            raise NoMatrixForm(f"{_called(factor)} has {len(ends)} axes that are no labels")
        if isinstance(factor, Ref):
            slots = [v for ix in factor.at for v in ix_vars(ix) if not self.scope.is_label(v)]
            if len(slots) == 2 and len(ends) == 1:
                self._loop(factor, power, ends[0], rank)
                return
            x = self.softmax(factor, ends) or atom(self.scope, factor, ends)
        else:
            x = self._function(factor, ends)
        if not ends:
            self.scalars = merged(self.scalars, ((x, power),))
            return
        if power.denominator == 1 and 1 <= power <= 2:
            x = hadamard((x,) * power.numerator)
        else:
            x = Raised(x, power)
        if len(ends) == 1:
            self.weights[ends[0]].append((rank, x))
        else:
            self._join(Edge(ends[0], ends[1], x, rank))

    def _function(self, factor: Fn, ends: tuple[int, ...]) -> Tree:
        if len(factor.args) > 1:
            raise NoMatrixForm(f"{_called(factor)} is a function of several arguments")
        inner = self.whole(factor.args[0], ends)
        return inner if factor.op == "sum" else Entrywise(factor.op, inner)

    def _loop(self, factor: Ref, power: Fraction, v: int, rank: int) -> None:
        """The diagonal of a matrix."""
        if power != 1 or any(isinstance(ix, Part) for ix in factor.at):
            raise NoMatrixForm("a power of a diagonal entry")
        slots = iter((ROW, COL))
        at = tuple(next(slots) if ix == v else ix for ix in factor.at)
        space = self.scope.space(v)
        x = Atom(factor.stage, at, space, space)
        if v in self.bound and v not in self.loops and not self.weights[v]:
            self.loops[v] = x
        else:
            self.weights[v].append((rank, product((hadamard((x, Identity(space))), Ones(space)))))

    def _relations(self, where: tuple[Rel, ...], rank: int) -> None:
        pairs: dict[tuple[int, ...], list[Rel]] = {}
        for rel in where:
            ends = tuple(dict.fromkeys(v for v in rel_vars(rel) if not self.scope.is_label(v)))
            if rel.kind == "same" and len(ends) == 2 and isinstance(rel.a, int) and isinstance(rel.b, int):
                self._join(Edge(rel.a, rel.b, Identity(self.scope.space(rel.a)), rank))
            elif rel.kind in ("atmost", "allowed") and len(ends) == 2:
                # Queries are rows and keys columns, as in the weights that the mask belongs to.
                pairs.setdefault(tuple(sorted(ends, key=lambda v: (self.scope.axis(v).name.startswith("key"), v))), []).append(rel)
            elif rel.kind in ("atmost", "allowed") and len(ends) == 1:
                pairs.setdefault(ends, []).append(rel)
            else:
                raise NoMatrixForm("a relation that is no matrix of zeros and ones")
        for ends, rels in pairs.items():
            to: dict[int, Ix] = dict(zip(ends, (ROW, COL), strict=False))
            mask = Mask(tuple(move_rel(r, to) for r in rels), *(self.scope.space(v) for v in ends))
            if len(ends) == 1:
                self.weights[ends[0]].append((-1, mask))
            else:
                self._join(Edge(ends[0], ends[1], mask, -1))

    # -- reducing -----------------------------------------------------------------------------------------------------
    def _join(self, edge: Edge) -> None:
        """A new edge; with one between the same vertices it becomes an entry-by-entry product."""
        for known in self.edges:
            if {known.u, known.v} == {edge.u, edge.v}:
                first, second = sorted((known, edge), key=lambda e: e.rank)
                u = first.u
                known.x, known.u, known.v, known.rank = hadamard((first.x, second.seen_from(u))), u, first.v, first.rank
                return
        self.edges.append(edge)

    def _reduce(self) -> None:
        again = True
        while again:
            again = False
            # Plain leaves go first, so that row sums become vectors before anything is multiplied.
            for b in sorted(self.bound, key=lambda v: (bool(self.weights[v]), sum(v in (e.u, e.v) for e in self.edges) != 1)):
                at = [e for e in self.edges if b in (e.u, e.v)]
                if b in self.loops and at:
                    space = self.scope.space(b)
                    self.weights[b].append((0, product((hadamard((self.loops.pop(b), Identity(space))), Ones(space)))))
                if len(at) <= 2 and not self._is_last_pair(b, at):
                    self._sum_out(b, at)
                    again = True
        if self.bound and not (len(self.bound) == 2 and len(self.edges) == 1):
            raise NoMatrixForm("its index network is not series-parallel")
        if self.bound:
            self._close()

    def _is_last_pair(self, b: int, at: list[Edge]) -> bool:
        """Two summed vertices with nothing but one product of two matrices between them: that is a trace."""
        if len(at) != 1:
            return False
        edge, other = at[0], at[0].other(b)
        lone = (
            other in self.bound
            and not self.weights[b]
            and not self.weights[other]
            and not any(e is not edge and other in (e.u, e.v) for e in self.edges)
        )
        return lone and b not in self.loops and other not in self.loops and isinstance(edge.x, Hadamard) and len(edge.x.items) == 2

    def _close(self) -> None:
        edge = self.edges.pop()
        assert isinstance(edge.x, Hadamard)
        a, b = edge.x.items
        self.bound.clear()
        self._scalar(Trace(min(product((transposed(a), b)), product((transposed(b), a)), key=cost)))

    def _sum_out(self, b: int, at: list[Edge]) -> None:
        weight = self._weight(b)
        self.bound.remove(b)
        self.edges = [e for e in self.edges if all(e is not a for a in at)]
        space = self.scope.space(b)
        if not at:
            if b in self.loops:
                loop = self.loops.pop(b)
                self._scalar(Trace(loop) if weight is None else Dot(weight, product((hadamard((loop, Identity(space))), Ones(space)))))
            elif weight is None:
                raise NoMatrixForm("a sum over nothing")
            else:
                self._scalar(_dotted(weight))
        elif len(at) == 1:
            u = at[0].other(b)
            self.weights[u].append((at[0].rank, product((at[0].seen_from(u), Ones(space) if weight is None else weight))))
        else:
            first, second = sorted(at, key=lambda e: e.rank)
            u, v = first.other(b), second.other(b)
            middle = () if weight is None else (Diag(weight),)
            self._join(Edge(u, v, product((first.seen_from(u), *middle, second.seen_from(b))), first.rank))

    def _scalar(self, x: Tree) -> None:
        self.scalars = merged(self.scalars, ((x, ONE),))

    def _weight(self, v: int) -> Tree | None:
        found = [x for _, x in sorted(self.weights[v], key=lambda w: w[0])]
        below = [x for x in found if isinstance(x, Raised) and x.power < 0]
        above = [x for x in found if x not in below]
        if above and below:
            return product((Diag(hadamard(tuple(below))), hadamard(tuple(above))))
        return hadamard(tuple(found)) if found else None

    # -- what is left: the free vertices ------------------------------------------------------------------------------
    def _assembled(self) -> Tree | None:
        if not self.free:
            return None
        left = self._weight(self.free[0])
        rows = self.scope.space(self.free[0])
        if len(self.free) == 1:
            return left if left is not None else Ones(rows)
        right = self._weight(self.free[1])
        cols = self.scope.space(self.free[1])
        if not self.edges and left is None and right is None:
            return Ones(rows, cols)
        if not self.edges:
            return Outer(left if left is not None else Ones(rows), right if right is not None else Ones(cols))
        x = self.edges[0].seen_from(self.free[0])
        if isinstance(x, Identity) and (left is not None or right is not None):
            return Diag(hadamard(tuple(w for w in (left, right) if w is not None)))
        return product((*((Diag(left),) if left is not None else ()), x, *((Diag(right),) if right is not None else ())))


def atom(scope: Scope, ref: Ref, ends: tuple[int, ...]) -> Tree:
    """An entry of a stage as a matrix with rows at ends[0], columns at ends[1]; the stage's own order decides what is transposed."""
    to: dict[int, Ix] = dict(zip(ends, (ROW, COL), strict=False))
    at = tuple(_placed(ix, to) for ix in ref.at)
    return Atom(ref.stage, at, *(scope.space(v) for v in ends))


def _placed(ix: Ix, to: dict[int, Ix]) -> Ix:
    if isinstance(ix, Part) and ix.kind != "at" and sum(v in to for v in ix.vars) != 1 and any(v in to for v in ix.vars):
        raise NoMatrixForm("one index runs over two axes of the network")
    return move_ix(ix, to)


def _dotted(weight: Tree) -> Tree:
    if not isinstance(weight, Hadamard):
        return Dot(None, weight)
    first, last = hadamard(weight.items[:-1]), weight.items[-1]
    if isinstance(first, Raised) and first.power < 0:
        return Dot(None, product((Diag(first), last)))
    choices: list[Tree] = [Dot(first, last), Dot(last, first)]
    for u, v in ((first, last), (last, first)):
        if isinstance(v, Product):
            choices.append(Dot(v.items[-1], product((*(transposed(i) for i in reversed(v.items[:-1])), u))))
    return min(choices, key=cost)


def _called(factor: Ref | Fn) -> str:
    return f'"{factor.stage}"' if isinstance(factor, Ref) else {"sum": "a bracket", "max2": "max"}.get(factor.op, factor.op)
