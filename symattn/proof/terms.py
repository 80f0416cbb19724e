"""Terms: products under sums, over indices that never clash.

A term is coefficient × monomial in positive symbols × sum over bound indices of a product of factors, visiting only where its relations
hold. An expression is a list of terms. A factor or relation is a pair (label, indices): the label says which stage, exponential,
reciprocal base or relation it is, the indices are plain integers. Every index is one integer for one purpose, handed out by `Context`, so
nothing is ever captured. Indices that are not plain (a fixed position, a block of a union, a pair of a product) live in the label.

Promises: data and bookkeeping only, no algebra beyond multiplication. Does not promise: normal forms (reduce.py, canon.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic
from typing import Any, Final

from symattn.program.spaces import Space
from symattn.proof.evidence import Undecided

Number = int | Fraction
Indices = tuple[int, ...]
Factor = tuple[int, Indices]
Mono = tuple[tuple[str, Number], ...]
IMAGINARY: Final = "!"  # i, with i * i = -1; other symbols: "$n" a size, "#2" a root of a prime

# A place where an index may stand: a plain index, a fixed position, an entry of a block, or coordinates in a product.
Where = int | tuple[str, int] | tuple[str, int, "Where"] | tuple[str, tuple["Where", ...]]
Skeleton = tuple[object, ...] | None


class Term:
    """coef × mono × Σ over bound of the product of facs where rels hold. Not changed after it is made. `settled` says that no rule
    of reduce.py applies, `key` holds the canonical key once it is known."""

    __slots__ = ("bound", "coef", "facs", "key", "mono", "rels", "settled")

    def __init__(
        self,
        coef: Number,
        mono: Mono = (),
        bound: frozenset[int] = frozenset(),
        facs: dict[Factor, Number] | None = None,
        rels: frozenset[Factor] = frozenset(),
    ) -> None:
        self.coef = coef
        self.mono = mono
        self.bound = bound
        self.facs: dict[Factor, Number] = {} if facs is None else facs
        self.rels = rels
        self.settled = False
        self.key: object = None

    def scaled(self, c: Number) -> Term:
        """The term times a number."""
        found = Term(whole(self.coef * c), self.mono, self.bound, self.facs, self.rels)
        found.settled, found.key = self.settled, self.key
        return found

    def is_number(self) -> bool:
        """Is it a rational number?"""
        return not (self.mono or self.bound or self.facs or self.rels)

    def indices(self) -> set[int]:
        """Every index that occurs."""
        found: set[int] = set()
        for _, idx in self.facs:
            found.update(idx)
        for _, idx in self.rels:
            found.update(idx)
        return found


Expr = list[Term]


def whole(c: Number) -> Number:
    """The number, as an int where it is one."""
    return c.numerator if isinstance(c, Fraction) and c.denominator == 1 else c


def number(c: Number) -> Expr:
    """A rational number as an expression."""
    return [Term(whole(c))] if c else []


def symbol(name: str, exponent: Number = 1) -> Expr:
    """A positive symbol as an expression."""
    return [Term(1, ((name, exponent),))]


def join_mono(a: Mono, b: Mono) -> tuple[Mono, Number]:
    """The product of two monomials, and the number that falls out (roots of primes that became whole, i * i)."""
    if not a:
        return b, 1
    if not b:
        return a, 1
    found = dict(a)
    for name, e in b:
        found[name] = found.get(name, 0) + e
    return settle_mono(found)


def settle_mono(found: dict[str, Number]) -> tuple[Mono, Number]:
    """Exponents of primes in [0, 1), of i in {0, 1}, none 0; the number that falls out."""
    out: Number = 1
    kept: list[tuple[str, Number]] = []
    for name in sorted(found):
        e = whole(found[name])
        if name[0] == "#":
            floor = e.numerator // e.denominator
            if floor:
                out = out * Fraction(int(name[1:])) ** floor
                e = whole(e - floor)
        elif name == IMAGINARY:
            turn = int(e) % 4
            if turn >= 2:
                out = -out
            e = turn % 2
        if e:
            kept.append((name, e))
    return tuple(kept), whole(out)


class Label:
    """What stands behind a label number. `kind`: atom, position; exp, pow, fn, abs, max, sum (templates); same, at, le, upto, mask, order,
    from (relations). `name` tells labels of a kind apart; `skeleton` is the shape of indices that are not plain."""

    __slots__ = ("kind", "name", "skeleton", "template")

    def __init__(self, kind: str, name: object, skeleton: Skeleton, template: Template | None) -> None:
        self.kind = kind
        self.name = name
        self.skeleton = skeleton
        self.template = template


@dataclass(frozen=True)
class Template:
    """A nested expression as a function of its outer indices. `swaps` are the permutations of the slots that do not change it,
    without the identity; `real` and `positive` say what is proved of its values (of the argument, for exp and pow)."""

    slots: Indices
    body: tuple[Term, ...]
    swaps: tuple[Indices, ...]
    real: bool
    positive: bool


class Context:
    """One proof: indices and the spaces they range over, labels, the budget, the hypotheses met so far."""

    def __init__(self, terms: int, seconds: float) -> None:
        self._spaces: list[int] = []
        self._space_ids: dict[Space, int] = {}
        self.space_list: list[Space] = []
        self._label_ids: dict[tuple[object, ...], int] = {}
        self.labels: list[Label] = []
        self.symmetric: set[int] = set()
        self.nested: set[int] = set()
        self.hypotheses: dict[str, None] = {}
        self.leads: dict[int, Any] = {}
        self.rules: list[Any] = []
        self.directed = False  # are order relations brought to one direction?
        self.ordered = False  # were there any?
        self.equal: dict[tuple[int, int], tuple[tuple[Indices, int] | None]] = {}
        # Set by functions.py, which stands above the rules that call them.
        self.rebuild: Callable[[Context, int, dict[int, Where], Number], Expr] = _missing
        self.power: Callable[[Context, Expr, Number], Expr] = _missing
        self._left = terms
        self._deadline = monotonic() + seconds
        self._terms = terms
        self._seconds = seconds

    # -- budget -------------------------------------------------------------------------------------------------------
    def tick(self, count: int = 1) -> None:
        """Spend. Raises Undecided when the budget is spent."""
        before = self._left
        self._left -= count
        if self._left < 0:
            raise Undecided(f"more than {self._terms} terms", next_move="take more stages as atoms, or give a larger budget")
        if before >> 6 != self._left >> 6 and monotonic() > self._deadline:
            raise Undecided(f"more than {self._seconds:g} seconds", next_move="take more stages as atoms, or give a larger budget")

    # -- indices ------------------------------------------------------------------------------------------------------
    def space_id(self, space: Space) -> int:
        """A number for a space."""
        found = self._space_ids.get(space)
        if found is None:
            found = self._space_ids[space] = len(self.space_list)
            self.space_list.append(space)
        return found

    def fresh(self, space: int) -> int:
        """A new index over the space of this number."""
        self._spaces.append(space)
        return len(self._spaces) - 1

    def space_of(self, index: int) -> int:
        """The number of the space of an index."""
        return self._spaces[index]

    # -- labels -------------------------------------------------------------------------------------------------------
    def label(self, kind: str, name: object, skeleton: Skeleton = None) -> int:
        """The number of a label that is no template."""
        key = (kind, name, skeleton)
        found = self._label_ids.get(key)
        if found is None:
            found = self._label_ids[key] = len(self.labels)
            self.labels.append(Label(kind, name, skeleton, None))
            if kind == "same":
                self.symmetric.add(found)
        return found

    def known(self, kind: str, key: object) -> int | None:
        """The number of a template by its canonical key."""
        return self._label_ids.get((kind, key))

    def remember(self, kind: str, key: object, template: Template, name: object = None) -> int:
        """A number for a new template."""
        found = self._label_ids[(kind, key)] = len(self.labels)
        self.labels.append(Label(kind, name, None, template))
        self.nested.add(found)
        if template.swaps:
            self.symmetric.add(found)
        return found

    def fixed(self, label: int, idx: Indices) -> Indices:
        """The indices in the order that stands for all that mean the same (symmetric labels)."""
        template = self.labels[label].template
        if template is None:
            return idx if idx[0] <= idx[1] else (idx[1], idx[0])
        return min(idx, *(tuple([idx[k] for k in swap]) for swap in template.swaps))

    def suppose(self, hypothesis: str) -> None:
        """Write down what must hold."""
        self.hypotheses[hypothesis] = None

    def suppose_position(self, index: int, k: int) -> None:
        """Position k is one that this index takes: a hypothesis where a symbol for its size leaves that open."""
        size = self.space_list[self.space_of(index)].size
        if isinstance(size, str) and k > 0:
            self.suppose(f"{size} > {k}")


def _missing(*_: object) -> Expr:
    raise NotImplementedError("functions.py was not loaded")


def put(facs: dict[Factor, Number], factor: Factor, exponent: Number) -> None:
    """Multiply a dictionary of factors by one more."""
    e = facs.get(factor, 0) + exponent
    if e:
        facs[factor] = whole(e)
    else:
        facs.pop(factor, None)


def rename(ctx: Context, t: Term, to: dict[int, int]) -> Term:
    """The term with plain indices for plain ones. Different indices stay different inside each nested factor (the caller sees to it)."""
    facs: dict[Factor, Number] = {}
    symmetric = ctx.symmetric
    for (label, idx), e in t.facs.items():
        new = tuple([to.get(i, i) for i in idx])
        put(facs, (label, ctx.fixed(label, new) if label in symmetric else new), e)
    rels = t.rels
    if rels:
        moved = [(label, tuple([to.get(i, i) for i in idx])) for label, idx in rels]
        rels = frozenset([(label, ctx.fixed(label, idx) if label in symmetric else idx) for label, idx in moved])
    return Term(t.coef, t.mono, frozenset([to.get(i, i) for i in t.bound]), facs, rels)


def refreshed(ctx: Context, t: Term) -> Term:
    """The term with new bound indices."""
    return rename(ctx, t, {b: ctx.fresh(ctx.space_of(b)) for b in sorted(t.bound)}) if t.bound else t


def times(ctx: Context, a: Term, b: Term) -> Term:
    """The product of two terms."""
    if not a.bound.isdisjoint(b.bound):
        b = refreshed(ctx, b)
    mono, out = join_mono(a.mono, b.mono)
    if len(a.facs) < len(b.facs):
        a, b = b, a
    facs = a.facs
    if b.facs:
        facs = dict(facs)
        for factor, e in b.facs.items():
            put(facs, factor, e)
    coef = a.coef * b.coef
    if out != 1:
        coef = coef * out
    return Term(whole(coef), mono, a.bound | b.bound if b.bound else a.bound, facs, a.rels | b.rels if b.rels else a.rels)


def product(ctx: Context, a: Expr, b: Expr) -> Expr:
    """The product of two expressions, multiplied out."""
    ctx.tick(len(a) * len(b))
    return [times(ctx, x, y) for x in a for y in b]


def minus(a: Expr) -> Expr:
    """-a."""
    return [t.scaled(-1) for t in a]
