"""What a program's definitions say about its stages, for recognition.

Promises: each fact is read off a definition, never assumed: a stage that is a product of powers of others (P = E / Z, r = W**(-1/2)), a
stage that is the sum of another over an axis (Z), and the relations outside of which a stage is exactly 0 (a masked P).
Does not promise: completeness. A fact that is missed makes a formula longer, never wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from symattn.calculus.notation_index import ONE, Factor, Ix, Part, Ref, Rel, Term, index_of, move_rel, powers, relation_of
from symattn.program import ops
from symattn.program.program import Program, index_axes, relation_axes
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary
from symattn.program.spaces import Axis

Monomial = tuple[Fraction, tuple[tuple[str | Fraction, Fraction], ...], dict[str, Fraction]]


def monomial(tree: Scalar) -> Monomial | None:
    """A scalar tree as number * sizes * product of args**exponent; None when it is no such product."""
    match tree:
        case Num(value):
            return (value, (), {}) if value else None
        case Size(name):
            return ONE, ((name, ONE),), {}
        case Arg(name):
            return ONE, (), {name: ONE}
        case Unary("neg", x):
            inner = monomial(x)
            return None if inner is None else (-inner[0], inner[1], inner[2])
        case Unary("sqrt", x):
            return _power(monomial(x), Fraction(1, 2))
        case Power(x, exponent):
            return _power(monomial(x), exponent)
        case Binary("mul", a, b):
            return _times(monomial(a), monomial(b))
        case Binary("div", a, b):
            return _times(monomial(a), _power(monomial(b), Fraction(-1)))
        case _:
            return None


def _power(x: Monomial | None, q: Fraction) -> Monomial | None:
    if x is None:
        return None
    coef, sizes, args = x
    roots = [(b, p * q) for b, p in sizes]
    if q.denominator == 1:
        coef = coef**q.numerator
    elif coef > 0:
        roots, coef = [*roots, (coef, q)] if coef != 1 else roots, ONE
    else:
        return None
    return coef, powers(roots), {a: p * q for a, p in args.items()}


def _times(a: Monomial | None, b: Monomial | None) -> Monomial | None:
    if a is None or b is None:
        return None
    args = dict(a[2])
    for name, p in b[2].items():
        args[name] = args.get(name, Fraction(0)) + p
    return a[0] * b[0], powers(a[1], b[1]), args


@dataclass(frozen=True)
class ProductFact:
    """`stage` = coef * sizes * the product of uses**exponent, where its relations hold."""

    stage: str
    out: tuple[str, ...]
    coef: Fraction
    sizes: tuple[tuple[str | Fraction, Fraction], ...]
    parts: tuple[tuple[ops.Use, Fraction], ...]
    where: tuple[ops.Relation, ...]

    def match(self, term: Term, holds: Callable[[Rel], bool]) -> Term | None:
        """The term with the product replaced by the stage; None when it is not there."""
        lead, lead_power = self.parts[0]
        for factor, power in term.factors:
            if not isinstance(factor, Ref) or factor.stage != lead.stage:
                continue
            times = self._times(power, lead_power)
            env: dict[str, Ix] = {}
            if times is None or not _unify(lead, factor, env) or any(name not in env for name in self.out):
                continue
            done = self._replaced(term, env, times, holds)
            if done is not None:
                return done
        return None

    def _times(self, power: Fraction, own: Fraction) -> Fraction | None:
        """How often the product is in a factor of this power: once or more, or for a lone root any whole number of times."""
        ratio = power / own
        if len(self.parts) > 1:
            return Fraction(ratio.numerator // ratio.denominator) if ratio >= 1 else None
        plain = power.denominator == 1 and power > 0
        return ratio if ratio.denominator == 1 and not plain else None

    def _replaced(self, term: Term, env: Mapping[str, Ix], times: Fraction, holds: Callable[[Rel], bool]) -> Term | None:
        left: dict[Factor, Fraction] = dict(term.factors)
        refs = [(Ref(use.stage, tuple(index_of(i, env) for i in use.indices)), p) for use, p in self.parts]
        for ref, p in refs[1:]:
            found = self._times(left.get(ref, Fraction(0)), p) if left.get(ref) else None
            if found is None:
                return None
            times = min(times, found)
        if any(not holds(relation_of(r, env)) for r in self.where):
            return None
        first = next(k for k, (f, _) in enumerate(term.factors) if f in dict(refs))
        for ref, p in refs:
            left[ref] -= p * times
        own = Ref(self.stage, tuple(env[name] for name in self.out))
        own_power = left.pop(own, Fraction(0)) + times
        items = list(left.items())
        items.insert(min(first, len(items)), (own, own_power))
        sizes = powers(term.sizes, [(b, -p * times) for b, p in self.sizes])
        return Term(term.coef / self.coef**times.numerator, sizes, term.bound, tuple((f, p) for f, p in items if p), term.where)


def _unify(use: ops.Use, ref: Ref, env: dict[str, Ix]) -> bool:
    for index, ix in zip(use.indices, ref.at, strict=True):
        pairs: list[tuple[str, Ix]]
        if isinstance(index, ops.At):
            if not isinstance(ix, Part) or ix.kind != "at" or ix.tag != index.position:
                return False
            continue
        if isinstance(index, ops.Joint | ops.Inject):
            if not isinstance(ix, Part) or len(ix.vars) != len(index_axes(index)):
                return False
            if isinstance(index, ops.Inject) and ix.tag != index.block:
                return False
            pairs = [(a.name, v) for a, v in zip(index_axes(index), ix.vars, strict=True)]
        else:
            pairs = [(index.name, ix)]
        for name, found in pairs:
            if env.setdefault(name, found) != found:
                return False
    return True


@dataclass(frozen=True)
class Total:
    """The sum of a stage over one of its axes: coef * sizes * the stage `stage` at the axes in `order` ("" for the number alone)."""

    coef: Fraction
    sizes: tuple[tuple[str | Fraction, Fraction], ...] = ()
    stage: str = ""
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class SoftmaxFact:
    """`weights` = `exponentials` / `sums`, and `exponentials` = exp(`scores`). `plain` when nothing is masked and `sums` is their sum over
    the last axis."""

    weights: str
    exponentials: str
    sums: str
    scores: ops.Use
    plain: bool


class Facts:
    """The facts of one program, found when they are asked for."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._support: dict[str, frozenset[Rel]] = {}
        self.constants: dict[tuple[str, int], Total | None] = {}

    # -- products -----------------------------------------------------------------------------------------------------
    @cached_property
    def products(self) -> tuple[ProductFact, ...]:
        """Stages that are products of others, or a root of one."""
        found = []
        for stage in self.program.stages:
            op = stage.op
            shape = monomial(op.scalar) if isinstance(op, ops.Map) else None
            if shape is None or not isinstance(op, ops.Map) or not shape[2]:
                continue
            uses = dict(op.args)
            parts = sorted(((uses[a], p) for a, p in shape[2].items() if p), key=lambda part: -len(part[0].indices))
            if len(parts) > 1 or (parts and parts[0][1] not in (1, -1)):
                found.append(ProductFact(stage.name, tuple(a.name for a in op.out), shape[0], shape[1], tuple(parts), op.where))
        return tuple(found)

    @cached_property
    def softmaxes(self) -> tuple[SoftmaxFact, ...]:
        """Quotients of an exponential and a stage that is computed."""
        found = []
        for fact in self.products:
            if [p for _, p in fact.parts] != [1, -1]:
                continue
            weights, top, sums = (self.program.by_name[name] for name in (fact.stage, *(use.stage for use, _ in fact.parts)))
            if not isinstance(top.op, ops.Map) or len(top.op.args) != 1 or not isinstance(sums.op, ops.Contract | ops.Map):
                continue
            if top.op.scalar != Unary("exp", Arg(top.op.args[0][0])):
                continue
            total = self.summed(top.name, len(top.out) - 1, None)
            bare = not top.op.where and not fact.where and fact.parts[0][0].indices == weights.out and fact.coef == 1 and not fact.sizes
            plain = bare and total is not None and total.stage == sums.name and total.coef == 1 and not total.sizes
            found.append(SoftmaxFact(weights.name, top.name, sums.name, top.op.args[0][1], plain))
        return tuple(found)

    @cached_property
    def functions(self) -> Mapping[str, tuple[tuple[str, ops.Use], ...]]:
        """Scalar function -> the stages that apply it to another one entry by entry, with the use of that one."""
        found: dict[str, list[tuple[str, ops.Use]]] = {}
        for stage in self.program.stages:
            op = stage.op
            if isinstance(op, ops.Map) and not op.where and isinstance(op.scalar, Unary) and isinstance(op.scalar.x, Arg):
                found.setdefault(op.scalar.op, []).append((stage.name, op.args[0][1]))
        return {name: tuple(stages) for name, stages in found.items()}

    @cached_property
    def gates(self) -> tuple[tuple[str, ops.Use], ...]:
        """Stages that are 1/(1 + e), e another stage, and the use of e: then the stage times e is 1 minus the stage."""
        found = []
        for stage in self.program.stages:
            op = stage.op
            if not isinstance(op, ops.Map) or len(op.args) != 1 or op.where:
                continue
            match op.scalar:
                case Binary("div", Num(one), Binary("add", Num(unit), Arg(_)) | Binary("add", Arg(_), Num(unit))) if one == unit == 1:
                    found.append((stage.name, op.args[0][1]))
                case _:
                    pass
        return tuple(found)

    @cached_property
    def led(self) -> Mapping[str, tuple[ProductFact, ...]]:
        """The products by the stage that each begins with."""
        found: dict[str, list[ProductFact]] = {}
        for fact in self.products:
            found.setdefault(fact.parts[0][0].stage, []).append(fact)
        return {name: tuple(facts) for name, facts in found.items()}

    # -- sums ---------------------------------------------------------------------------------------------------------
    @cached_property
    def _sums(self) -> dict[tuple[str, int], list[Total]]:
        found: dict[tuple[str, int], list[Total]] = {}
        for stage in self.program.stages:
            op = stage.op
            if not isinstance(op, ops.Contract) or len(op.uses) != 1 or op.over:
                continue
            use, own = op.uses[0], [a.name for a in op.out]
            names = [i.name if isinstance(i, Axis) else "" for i in use.indices]
            summed = [k for k, name in enumerate(names) if name not in own]
            shape = monomial(op.coef)
            if (
                "" in names
                or len(summed) != 1
                or len(set(names)) < len(names)
                or set(own) != {n for n in names if n in own}
                or shape is None
            ):
                continue
            env: dict[str, Ix] = {name: k for k, name in enumerate(names)}
            if any(relation_of(r, env) not in self.support(use.stage) for r in op.where):
                continue
            sizes = tuple((b, -p) for b, p in shape[1])
            order = tuple(names.index(n) for n in own)
            found.setdefault((use.stage, summed[0]), []).append(Total(1 / shape[0], sizes, stage.name, order))
        return found

    def summed(self, stage: str, position: int, named: Collection[str] | None) -> Total | None:
        """The stage that is the sum of this one over the axis at `position`; of `named` only, of any when None."""
        totals = self._sums.get((stage, position), ())
        return next((t for t in totals if named is None or t.stage in named), None)

    # -- masks --------------------------------------------------------------------------------------------------------
    def support(self, name: str) -> frozenset[Rel]:
        """Relations on the positions of the stage's axes; where one fails, the entry is exactly 0."""
        if name not in self._support:
            self._support[name] = self._find_support(self.program.by_name[name].op)
        return self._support[name]

    def supported(self, ref: Ref, rel: Rel) -> bool:
        """Is the entry exactly 0 where the relation fails?"""
        return any(move_rel(r, dict(enumerate(ref.at))) == rel for r in self.support(ref.stage))

    def _find_support(self, op: ops.Op) -> frozenset[Rel]:
        places: dict[str, Ix] = {a.name: k for k, a in enumerate(op.out)}

        def of_use(use: ops.Use) -> frozenset[Rel]:
            kept = {k: index_of(i, places) for k, i in enumerate(use.indices) if all(a.name in places for a in index_axes(i))}
            found = set()
            for rel in self.support(use.stage):
                if all(isinstance(kept.get(v), int) for v in _positions(rel)):
                    found.add(move_rel(rel, kept))
            return frozenset(found)

        match op:
            case ops.Map():
                own = frozenset(relation_of(r, places) for r in op.where)
                inner = _tree_support(op.scalar, {name: of_use(use) for name, use in op.args})
                return own | (inner or frozenset())
            case ops.Contract():
                own = frozenset(relation_of(r, places) for r in op.where if all(a.name in places for a in relation_axes(r)))
                return own.union(*(of_use(u) for u in op.uses))
            case _:
                return frozenset()


def _positions(rel: Rel) -> tuple[int, ...]:
    sides = rel.rest if rel.kind in ("allowed", "pair") else (rel.a, rel.b)
    return tuple(v for ix in sides for v in (ix.vars if isinstance(ix, Part) else (ix,)))


def _tree_support(tree: Scalar, args: Mapping[str, frozenset[Rel]]) -> frozenset[Rel] | None:
    """None: zero everywhere."""
    match tree:
        case Num(value):
            return frozenset() if value else None
        case Arg(name):
            return args[name]
        case Unary("neg" | "sqrt" | "tanh" | "sin" | "erf", x):
            return _tree_support(x, args)
        case Power(x, exponent) if exponent > 0:
            return _tree_support(x, args)
        case Binary("mul", a, b):
            left, right = _tree_support(a, args), _tree_support(b, args)
            return None if left is None or right is None else left | right
        case Binary("div", a, _):
            return _tree_support(a, args)
        case Binary("add" | "sub" | "max2", a, b):
            left, right = _tree_support(a, args), _tree_support(b, args)
            return right if left is None else left if right is None else left & right
        case _:
            return frozenset()
