"""Index form: a stage as a sum of products of indexed stages, for recognition and for display.

Promises: frozen data; index variables are numbers, unique within one `Scope`, so nothing is captured when terms are multiplied.
Does not promise: truth. What is made from here is checked again (notation_check.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from symattn.program import ops
from symattn.program.spaces import Axis, Space

LABEL_NAMES = frozenset({"head", "group", "member", "layer", "batch", "expert"})
ONE = Fraction(1)


class NoMatrixForm(Exception):
    """Why something stays in index notation. Never leaves this package."""


@dataclass(frozen=True, slots=True)
class Part:
    """An index of a space with parts: "joint" (a product's coordinates `vars`), "inject" (entry vars[0] of the block `tag`) or "at" (the
    fixed position `tag`)."""

    kind: str
    space: Space
    vars: tuple[int, ...] = ()
    tag: str | int = ""


Ix = int | Part


@dataclass(frozen=True, slots=True)
class Ref:
    """An entry of a stage."""

    stage: str
    at: tuple[Ix, ...]


@dataclass(frozen=True, slots=True)
class Fn:
    """A scalar function of sums; `op` is a name of the scalar vocabulary, "sigmoid", "relu", "abs", or "sum" for a bracket (under a
    power)."""

    op: str
    args: tuple[Sum, ...]


Factor = Ref | Fn


@dataclass(frozen=True, slots=True)
class Rel:
    """A relation. kind "same": a = b; "atmost": position(a) - position(b) <= c; "block": a is entry b of the block c; "pair": a has the
    coordinates `rest`; "allowed": the boolean stage c is true at `rest`."""

    kind: str
    a: Ix = 0
    b: Ix = 0
    c: int | str = 0
    rest: tuple[Ix, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """coef * product of base**exponent over `sizes` (size symbols, or numbers under a root) * the sum over `bound` of the product of
    factor**exponent, where all relations hold."""

    coef: Fraction = ONE
    sizes: tuple[tuple[str | Fraction, Fraction], ...] = ()
    bound: tuple[int, ...] = ()
    factors: tuple[tuple[Factor, Fraction], ...] = ()
    where: tuple[Rel, ...] = ()


Sum = tuple[Term, ...]


class Scope:
    """The index variables of one formula: their axes, and which of them are labels (head, group): those leave the network."""

    def __init__(self, labels: Iterable[str] = ()) -> None:
        self.names = LABEL_NAMES | frozenset(labels)
        self._axes: list[Axis] = []

    def new(self, axis: Axis) -> int:
        """A new variable over the axis's space."""
        self._axes.append(axis)
        return len(self._axes) - 1

    def axis(self, var: int) -> Axis:
        """The axis a variable was made from."""
        return self._axes[var]

    def space(self, ix: Ix) -> Space:
        """The space an index ranges in."""
        return ix.space if isinstance(ix, Part) else self._axes[ix].space

    def is_label(self, var: int) -> bool:
        """Does the variable leave the network as a subscript?"""
        axis = self._axes[var]
        return axis.name in self.names or axis.space.name in self.names


# -- variables --------------------------------------------------------------------------------------------------------
def ix_vars(ix: Ix) -> tuple[int, ...]:
    """The variables of an index."""
    return ix.vars if isinstance(ix, Part) else (ix,)


def rel_vars(rel: Rel) -> tuple[int, ...]:
    """The variables of a relation."""
    if rel.kind == "allowed":
        return tuple(v for ix in rel.rest for v in ix_vars(ix))
    return (*ix_vars(rel.a), *(v for ix in rel.rest for v in ix_vars(ix)), *(ix_vars(rel.b) if rel.kind != "pair" else ()))


def factor_vars(factor: Factor) -> tuple[int, ...]:
    """The variables of a factor from outside, each once, in order."""
    if isinstance(factor, Ref):
        return tuple(dict.fromkeys(v for ix in factor.at for v in ix_vars(ix)))
    return tuple(dict.fromkeys(v for arg in factor.args for v in sum_vars(arg)))


def term_vars(term: Term) -> tuple[int, ...]:
    """The variables of a term that it does not bind."""
    bound = frozenset(term.bound)
    return tuple(dict.fromkeys(v for v in _all_vars(term) if v not in bound))


def _all_vars(term: Term) -> Iterator[int]:
    for factor, _ in term.factors:
        yield from factor_vars(factor)
    for rel in term.where:
        yield from rel_vars(rel)


def sum_vars(terms: Sum) -> tuple[int, ...]:
    """The variables that a sum does not bind."""
    return tuple(dict.fromkeys(v for term in terms for v in term_vars(term)))


# -- substitution -----------------------------------------------------------------------------------------------------
def move_ix(ix: Ix, to: Mapping[int, Ix]) -> Ix:
    """An index with variables replaced."""
    if not isinstance(ix, Part):
        return to.get(ix, ix)
    moved = [to.get(v, v) for v in ix.vars]
    if any(isinstance(m, Part) for m in moved):
        raise NoMatrixForm("an index has parts within parts")
    return Part(ix.kind, ix.space, tuple(m for m in moved if isinstance(m, int)), ix.tag)


def move_factor(factor: Factor, to: Mapping[int, Ix]) -> Factor:
    """A factor with variables replaced."""
    if isinstance(factor, Ref):
        return Ref(factor.stage, tuple(move_ix(ix, to) for ix in factor.at))
    return Fn(factor.op, tuple(move_sum(arg, to) for arg in factor.args))


def move_rel(rel: Rel, to: Mapping[int, Ix]) -> Rel:
    """A relation with variables replaced."""
    rest = tuple(move_ix(ix, to) for ix in rel.rest)
    if rel.kind == "allowed":
        return Rel(rel.kind, c=rel.c, rest=rest)
    return Rel(rel.kind, move_ix(rel.a, to), move_ix(rel.b, to) if rel.kind != "pair" else 0, rel.c, rest)


def move_term(term: Term, to: Mapping[int, Ix]) -> Term:
    """A term with variables replaced; bound ones keep their place in `bound` when they become variables."""
    if not to:
        return term
    bound = tuple(m for v in term.bound if isinstance(m := to.get(v, v), int))
    factors: dict[Factor, Fraction] = {}
    for factor, power in term.factors:
        moved = move_factor(factor, to)
        factors[moved] = factors.get(moved, Fraction(0)) + power
    return Term(
        term.coef,
        term.sizes,
        bound,
        tuple((f, p) for f, p in factors.items() if p),
        tuple(dict.fromkeys(move_rel(r, to) for r in term.where)),
    )


def move_sum(terms: Sum, to: Mapping[int, Ix]) -> Sum:
    """A sum with variables replaced."""
    return tuple(move_term(t, to) for t in terms)


def renewed(scope: Scope, term: Term) -> Term:
    """The same term with bound variables of its own."""
    return move_term(term, {v: scope.new(scope.axis(v)) for v in term.bound}) if term.bound else term


# -- arithmetic -------------------------------------------------------------------------------------------------------
def powers(*parts: Iterable[tuple[str | Fraction, Fraction]]) -> tuple[tuple[str | Fraction, Fraction], ...]:
    """A product of powers of sizes."""
    found: dict[str | Fraction, Fraction] = {}
    for part in parts:
        for base, power in part:
            found[base] = found.get(base, Fraction(0)) + power
    return tuple((b, p) for b, p in found.items() if p)


def times(a: Term, b: Term) -> Term:
    """The product of two terms without common bound variables."""
    factors = dict(a.factors)
    for factor, power in b.factors:
        factors[factor] = factors.get(factor, Fraction(0)) + power
    return Term(
        a.coef * b.coef,
        powers(a.sizes, b.sizes) if a.sizes and b.sizes else a.sizes or b.sizes,
        a.bound + b.bound,
        tuple((f, p) for f, p in factors.items() if p),
        tuple(dict.fromkeys(a.where + b.where)),
    )


def product(a: Sum, b: Sum) -> Sum:
    """The product of two sums, multiplied out; their bound variables are apart."""
    return tuple(times(x, y) for x in a for y in b)


def scaled(terms: Sum, factor: Fraction) -> Sum:
    """A sum times a number."""
    return tuple(Term(t.coef * factor, t.sizes, t.bound, t.factors, t.where) for t in terms)


def raised(terms: Sum, power: Fraction) -> Sum:
    """A sum to a power: a single product takes it to its factors, anything else becomes a bracket."""
    if power == 1:
        return terms
    if len(terms) == 1 and not terms[0].bound and not terms[0].where:
        term = terms[0]
        roots: list[tuple[str | Fraction, Fraction]] = [(b, p * power) for b, p in term.sizes]
        coef = term.coef
        if power.denominator == 1:
            coef = term.coef**power.numerator if term.coef else Fraction(0)
        elif coef > 0 and coef != 1:
            roots, coef = [*roots, (coef, power)], ONE
        if coef > 0 or power.denominator == 1:
            return (Term(coef, powers(roots), (), tuple((f, p * power) for f, p in term.factors)),)
    gate = _sigmoid(terms) if power < 0 and power.denominator == 1 else None
    if gate is not None:
        return (Term(factors=((gate, -power),)),)
    return (Term(factors=((Fn("sum", (terms,)), power),)),)


def _sigmoid(terms: Sum) -> Fn | None:
    """1/(1 + exp(-x)) as a function of x, None when `terms` is not 1 + exp of something."""
    one = [t for t in terms if t == Term()]
    rest = [t for t in terms if t != Term()]
    if len(one) != 1 or len(rest) != 1 or len(rest[0].factors) != 1:
        return None
    (factor, power) = rest[0].factors[0]
    plain = Term(factors=((factor, power),))
    if plain != rest[0] or power != 1 or not isinstance(factor, Fn) or factor.op != "exp":
        return None
    return Fn("sigmoid", (scaled(factor.args[0], Fraction(-1)),))


def index_of(index: ops.Index, at: Mapping[str, Ix]) -> Ix:
    """An index of a program with the variables of its axes."""
    match index:
        case Axis(name):
            return at[name]
        case ops.At(space, position):
            return Part("at", space, (), position)
        case ops.Inject(space, block, axis):
            return Part("inject", space, (_plain(at[axis.name]),), block)
        case ops.Joint(space, axes):
            return Part("joint", space, tuple(_plain(at[a.name]) for a in axes))


def _plain(ix: Ix) -> int:
    if isinstance(ix, Part):
        raise NoMatrixForm("an index has parts within parts")
    return ix


def relation_of(relation: ops.Relation, at: Mapping[str, Ix]) -> Rel:
    """A relation of a program with the variables of its axes."""
    match relation:
        case ops.Same(i, j):
            return Rel("same", at[i.name], at[j.name])
        case ops.AtMost(i, j, c):
            return Rel("atmost", at[i.name], at[j.name], c)
        case ops.InBlock(j, block, p):
            return Rel("block", at[j.name], at[p.name], block)
        case ops.Paired(c, parts):
            return Rel("pair", at[c.name], rest=tuple(at[p.name] for p in parts))
        case ops.Allowed(use):
            return Rel("allowed", c=use.stage, rest=tuple(index_of(i, at) for i in use.indices))
