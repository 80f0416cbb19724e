"""A sum in index form as a matrix expression: what its terms share is pulled out, the rest is read term by term.

Several ways are tried (entry-by-entry factors out, common ends of products out, or neither) and the one that asks least of its reader wins.

Promises: the result has the entries of the sum. Does not promise: the shortest form of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from symattn.calculus.notation_index import (
    ONE,
    Factor,
    NoMatrixForm,
    Part,
    Ref,
    Scope,
    Sum,
    Term,
    factor_vars,
    ix_vars,
    move_term,
    rel_vars,
)
from symattn.calculus.notation_make import add, cost, over, product, scale, transposed
from symattn.calculus.notation_network import Network, atom
from symattn.calculus.notation_tree import Coef, Ones, Scale, Softmax, Tree

MAX_TRIES = 400


class Recognizer:
    """Reads sums whose free variables are labels and at most two others. `scores` gives what a softmax is taken of."""

    def __init__(self, scope: Scope, scores: Callable[[Ref], Sum | None] | None = None) -> None:
        self.scope = scope
        self.scores = scores or (lambda ref: None)
        self._known: dict[tuple[Sum, tuple[int, ...]], Tree] = {}
        self._tries = 0

    def tree(self, terms: Sum, free: tuple[int, ...]) -> Tree:
        """The matrix expression with rows at free[0] and columns at free[1]. Raises NoMatrixForm."""
        if len(free) > 2:
            raise NoMatrixForm(f"it has {len(free)} axes that are no labels")
        key = (terms, free)
        if key not in self._known:
            self._known[key] = self._best(terms, free)
        return self._known[key]

    def _best(self, terms: Sum, free: tuple[int, ...]) -> Tree:
        if not terms:
            return self._constant(Fraction(0), free)
        self._tries += 1
        number, sizes, scalars, terms = self._shared_scalars(terms)
        if number != 1 or sizes or scalars:
            inner = self.tree(terms, free)
            powers = (*sizes, *((atom(self.scope, f, ()), p) for f, p in scalars if isinstance(f, Ref)))
            return scale(Coef(number, powers), inner)
        if len(terms) == 1 and not self._labels(terms[0]):
            return Network(self.scope, terms[0], free, self.tree, self.softmax).tree(terms[0].coef)
        if len(free) == 2 and self._turned(terms, free):
            return transposed(self.tree(terms, free[::-1]))
        found: list[Tree] = []
        trouble: NoMatrixForm | None = None
        for way in self._ways(terms, free):
            try:
                found.append(way())
            except NoMatrixForm as reason:
                trouble = reason
        if not found:
            assert trouble is not None
            raise trouble
        return min(found, key=cost)

    def _ways(self, terms: Sum, free: tuple[int, ...]) -> Iterator:  # type: ignore[type-arg]
        if len(terms) > 1 and self._tries < MAX_TRIES:
            shared = self._shared_factors(terms)
            if shared:
                yield lambda: self._factored(terms, free, shared)
            for end in free:
                refs = self._shared_end(terms, end)
                if refs is not None:
                    yield lambda refs=refs, end=end: self._ended(terms, free, end, refs)
            part = self._largest_part(terms)
            if part is not None:
                yield lambda: self._split(terms, free, part)
        yield lambda: self._plain(terms, free)

    def _turned(self, terms: Sum, free: tuple[int, ...]) -> bool:
        """Do all terms share a matrix with its rows at free[1]? Then the whole is read transposed."""
        shared = [factor_vars(f) for f, _ in self._shared_factors(terms)] if len(terms) > 1 else []
        ends = [tuple(v for v in own if not self.scope.is_label(v)) for own in shared]
        return next((e == free[::-1] for e in ends if len(e) == 2), False)

    def softmax(self, ref: Ref, ends: tuple[int, ...]) -> Tree | None:
        """The weights of a softmax that have no name, along their last axis."""
        terms = self.scores(ref)
        if terms is None:
            return None
        if not ends or ref.at[-1] != ends[-1]:
            raise NoMatrixForm("a softmax along an axis that is not its column")
        return Softmax(self.tree(terms, ends))

    # -- term by term -------------------------------------------------------------------------------------------------
    def _plain(self, terms: Sum, free: tuple[int, ...]) -> Tree:
        """Sums over labels gathered, the other terms one by one."""
        spaces: dict[str, int] = {}
        for term in terms:
            for name in dict.fromkeys(self.scope.space(v).name for v in self._labels(term)):
                spaces[name] = spaces.get(name, 0) + 1
        if not spaces:
            return add([self.tree((t,), free) for t in terms])
        name = max(spaces, key=lambda n: spaces[n])
        inside: list[Term] = []
        outside: list[Term] = []
        lead = self.scope.new(next(self.scope.axis(v) for t in terms for v in self._labels(t) if self.scope.space(v).name == name))
        for term in terms:
            own = next((v for v in self._labels(term) if self.scope.space(v).name == name), None)
            if own is None:
                outside.append(term)
                continue
            freed = replace(term, bound=tuple(v for v in term.bound if v != own))
            inside.append(move_term(freed, {own: lead}))
        parts = [over((lead,), self.tree(tuple(inside), free))]
        if outside:
            parts.append(self.tree(tuple(outside), free))
        return add(parts)

    def _labels(self, term: Term) -> list[int]:
        return [v for v in term.bound if self.scope.is_label(v)]

    def _constant(self, number: Fraction, free: tuple[int, ...]) -> Tree:
        if not free:
            return Scale(Coef(number))
        return scale(Coef(number), Ones(*(self.scope.space(v) for v in free)))

    # -- coefficients -------------------------------------------------------------------------------------------------
    def _shared_scalars(self, terms: Sum) -> tuple[Fraction, tuple, tuple, Sum]:  # type: ignore[type-arg]
        """Number, sizes and label factors that all terms share, and the terms without them."""
        first = terms[0]
        if len(terms) == 1:
            return ONE, (), (), terms
        number = abs(first.coef) if all(abs(t.coef) == abs(first.coef) for t in terms) else ONE
        if all(t.coef < 0 for t in terms):
            number = -number
        sizes = tuple((b, p) for b, p in first.sizes if all((b, p) in t.sizes for t in terms))
        scalars = tuple(
            (f, p)
            for f, p in first.factors
            if all((f, p) in t.factors for t in terms)
            and all(self.scope.is_label(v) and not any(v in t.bound for t in terms) for v in factor_vars(f))
        )
        scalars = tuple((f, p) for f, p in scalars if isinstance(f, Ref))
        left = tuple(
            replace(
                t,
                coef=t.coef / number,
                sizes=tuple(s for s in t.sizes if s not in sizes),
                factors=tuple(x for x in t.factors if x not in scalars),
            )
            for t in terms
        )
        return number, sizes, scalars, left

    # -- entry-by-entry factors ---------------------------------------------------------------------------------------
    def _shared_factors(self, terms: Sum) -> tuple[tuple[Factor, Fraction], ...]:
        """Factors on free variables alone that every term has, with the power they share, and relations every term has."""
        shared = []
        for factor, _ in terms[0].factors:
            own = factor_vars(factor)
            if any(v in terms[0].bound for v in own):
                continue
            powers = [dict(t.factors).get(factor, Fraction(0)) for t in terms]
            if all(p > 0 for p in powers) or all(p < 0 for p in powers):
                shared.append((factor, min(powers, key=abs)))
        return tuple(shared)

    def _factored(self, terms: Sum, free: tuple[int, ...], shared: tuple[tuple[Factor, Fraction], ...]) -> Tree:
        rels = tuple(r for r in terms[0].where if all(r in t.where for t in terms) and not any(v in terms[0].bound for v in rel_vars(r)))
        mine = Term(factors=shared, where=rels)
        taken = dict(shared)
        rest = tuple(
            replace(
                t,
                factors=tuple((f, left) for f, p in t.factors if (left := p - taken.get(f, Fraction(0)))),
                where=tuple(r for r in t.where if r not in rels),
            )
            for t in terms
        )
        return self._joined(mine, self.tree(rest, free), free)

    def _joined(self, mine: Term, rest: Tree, free: tuple[int, ...]) -> Tree:
        """The factors around a tree: read as one network in which the tree is an edge."""
        network = Network(self.scope, mine, free, self.tree, self.softmax)
        return network.around(rest)

    def _largest_part(self, terms: Sum) -> tuple[int, ...] | None:
        """The terms, at least two but not all, that share a factor on free variables."""
        if len(terms) < 3:
            return None
        best: tuple[int, ...] = ()
        for term in terms:
            for factor, _ in term.factors:
                if any(v in term.bound for v in factor_vars(factor)):
                    continue
                having = tuple(
                    k for k, t in enumerate(terms) if factor in dict(t.factors) and not any(v in t.bound for v in factor_vars(factor))
                )
                if len(best) < len(having) < len(terms):
                    best = having
        return best if len(best) > 1 else None

    def _split(self, terms: Sum, free: tuple[int, ...], part: tuple[int, ...]) -> Tree:
        inside = tuple(terms[k] for k in part)
        rest = tuple(t for k, t in enumerate(terms) if k not in part)
        parts = [self.tree(inside, free), self.tree(rest, free)]
        return add(parts if part[0] == 0 else parts[::-1])

    # -- common ends --------------------------------------------------------------------------------------------------
    def _shared_end(self, terms: Sum, end: int) -> list[tuple[Ref, int]] | None:
        """For each term the one factor in which the free variable `end` stands, and its other, summed index; None when they are not
        entries of one matrix."""
        found: list[tuple[Ref, int]] = []
        for term in terms:
            if self._labels(term) or any(end in rel_vars(r) for r in term.where):
                return None
            having = [(f, p) for f, p in term.factors if end in factor_vars(f)]
            if (
                len(having) != 1
                or having[0][1] != 1
                or not isinstance(ref := having[0][0], Ref)
                or any(isinstance(ix, Part) for ix in ref.at)
            ):
                return None
            others = [v for ix in ref.at for v in ix_vars(ix) if v != end and not self.scope.is_label(v)]
            if len(others) != 1 or others[0] not in term.bound or ref.at.count(end) != 1:
                return None
            mate = others[0]
            first = found[0] if found else (ref, mate)
            if ref.stage != first[0].stage or tuple(first[1] if v == mate else v for v in ref.at) != first[0].at:
                return None
            found.append((ref, mate))
        return found

    def _ended(self, terms: Sum, free: tuple[int, ...], end: int, refs: list[tuple[Ref, int]]) -> Tree:
        ref, first = refs[0]
        mate = self.scope.new(self.scope.axis(first))  # a new variable: another term may bind the first one's elsewhere
        rest = []
        for term, (own, other) in zip(terms, refs, strict=True):
            left = replace(term, bound=tuple(v for v in term.bound if v != other), factors=tuple(x for x in term.factors if x[0] != own))
            rest.append(move_term(left, {other: mate}))
        ends = tuple(v for v in factor_vars(ref) if not self.scope.is_label(v))
        x = atom(self.scope, ref, ends)
        here = x if ends == (first, end) else transposed(x)  # rows at the summed index, columns at the end
        if len(free) == 1:
            return product((transposed(here), self.tree(tuple(rest), (mate,))))
        if end == free[1]:
            return product((self.tree(tuple(rest), (free[0], mate)), here))
        return product((transposed(here), self.tree(tuple(rest), (mate, free[1]))))
