"""How a cotangent goes back through a Map: times the partial derivative, summed over what the operand lacks.

Promises: the derivative is written with the Map's own value where its rule has one (exp' = value, d(e/z)/dz = -value/z); a product of known
stages is one Contract; a divisor that the operand has divides once, after the sum; every function of arguments is a stage of its own.
Nothing is divided by a sum over no entries. Does not promise: anything about other operations (reverse.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from symattn.calculus.products import Product, is_arithmetic, product, tree_of
from symattn.calculus.terms import Factor, Term, View, last_part, moved_term, scope_of, use_axes, view
from symattn.program.ops import AtMost, Contract, Map, Relation, Use
from symattn.program.program import Stage
from symattn.program.scalar import Arg, Binary, Power, Scalar, Unary, walk
from symattn.program.slopes import ONE, hypotheses, mul, slope
from symattn.program.spaces import Axis
from symattn.program.tangent import symbol

if TYPE_CHECKING:
    from symattn.calculus.reverse import Backward

Args = tuple[tuple[str, Use], ...]


def map_term(walker: Backward, stage: Stage, op: Map, arg: str, use: Use, factor: Factor) -> Term | None:
    """What the Map gives to the cotangent of the operand that `arg` reads; None where it does not depend on it."""
    target = walker.emitter.stages[use.stage]
    value = unused("y", {name for name, _ in op.args})
    by = slope(op.scalar, arg, Arg(value))
    if by is None:
        return None
    walker.hypotheses += [f"{stage.name}: {text}" for text in hypotheses(op.scalar, [arg])]
    uses = {**dict(op.args), value: Use(stage.name, op.out)}
    by = _named_functions(walker, by, uses, op, stage)
    seen = view(use, target, (*scope_of(op), *walker.batch))
    if not seen.relations and seen.reached(op.out):
        tree, args = _times(factor, by, uses)
        return moved_term(Term(tree, args, op.where), seen.there)
    found = product(by)
    if found is not None:
        return _summed(walker, stage, op, target, seen, found, uses, factor)
    tree, args = _times(Factor(), by, uses)
    slopes = walker.emitter.put(f"{stage.name}.slope", Map(op.out, tree, args, op.where))
    return walker.contracted(stage, target, seen, Contract((), (*factor.uses, Use(slopes, op.out)), op.where, factor.coef))


def _times(factor: Factor, by: Scalar, uses: Mapping[str, Use]) -> tuple[Scalar, Args]:
    read = dict.fromkeys(node.name for node in walk(by) if isinstance(node, Arg))
    args = {name: uses[name] for name in read}
    if not factor.uses:
        return mul(factor.coef, by), tuple(args.items())
    g = unused("g", set(args))
    return mul(Arg(g), by), ((g, factor.uses[0]), *args.items())


def _summed(
    walker: Backward, stage: Stage, op: Map, target: Stage, seen: View, found: Product, uses: Mapping[str, Use], factor: Factor
) -> Term:
    """The sum over what the operand lacks, of the cotangent times a product."""
    above = tuple(uses[name] for name in found.above)
    below = [(name, uses[name]) for name in dict.fromkeys(found.below)]
    coef = mul(factor.coef, found.coef)
    if not below:
        return walker.contracted(stage, target, seen, Contract((), (*factor.uses, *above), op.where, coef, op.out))
    reader = last_part(symbol(stage))
    if all(seen.reached(use_axes(u)) for _, u in below) and _never_empty(walker, op, seen, [u for _, u in below]):
        inside = Contract((), (*factor.uses, *above), op.where, over=op.out)
        total = walker.contracted(stage, target, seen, inside, f"{reader}_sum")
        tree = tree_of(coef, (total.tree,), tuple(Arg(name) for name in found.below))
        divisors = moved_term(Term(ONE, tuple(below)), seen.there)
        return Term(tree, (*total.args, *divisors.args), total.where)
    tree = tree_of(ONE, tuple(Arg("g") for _ in factor.uses), tuple(Arg(name) for name in found.below))
    axes = (*op.out, *(walker.batch if factor.uses else ()))
    written = Map(axes, tree, (*(("g", u) for u in factor.uses), *below), op.where)
    quotient = walker.emit(f"d{symbol(target)}.{reader}_quotient", written, target)
    return walker.contracted(stage, target, seen, Contract((), (Use(quotient, axes), *above), op.where, coef))


def _never_empty(walker: Backward, op: Map, seen: View, below: Sequence[Use]) -> bool:
    """Does every entry of the operand have an entry of the reader, so that what the reader divides by is not 0 there?"""
    if not op.where:
        return True
    for use in below:
        divisor = walker.emitter.stages[use.stage].op
        strict = isinstance(divisor, Contract) and divisor.must_visit and use.indices == divisor.out
        if strict and isinstance(divisor, Contract) and set(divisor.where) == set(op.where):
            return True
    return _diagonal_is_seen(op.where, seen)


def _diagonal_is_seen(where: Sequence[Relation], seen: View) -> bool:
    """Do relations between one kept and one summed axis hold for equal positions (a causal mask, a window), whatever the sizes are?"""
    pairs: set[tuple[Axis, Axis]] = set()
    for r in where:
        if not isinstance(r, AtMost) or not isinstance(r.c, int) or r.c < 0:
            return False
        kept = [a for a in (r.i, r.j) if a in seen.there]
        if len(kept) != 1:
            return False
        pairs.add((r.i, r.j) if kept[0] == r.i else (r.j, r.i))
    if len(pairs) != 1:
        return False
    ((row, column),) = pairs
    # With the rule "column - row <= c" alone, column 0 is seen; with the other one too, the column at the row's own position.
    return row.space == column.space or all(isinstance(r, AtMost) and r.i == column for r in where)


def _named_functions(walker: Backward, by: Scalar, uses: dict[str, Use], op: Map, stage: Stage) -> Scalar:
    """The tree with every function of arguments in it as a stage of its own, innermost first; `uses` learns the new arguments."""
    if is_arithmetic(by):
        return by

    def go(tree: Scalar) -> Scalar:
        match tree:
            case Unary(name, x):
                inner = Unary(name, go(x))
                return inner if name == "neg" else _named(walker, inner, name, uses, op, stage)
            case Binary(name, a, b):
                return Binary(name, go(a), go(b))
            case Power(x, q):
                power = Power(go(x), q)
                return power if q.denominator == 1 else _named(walker, power, "power", uses, op, stage)
            case _:
                return tree

    return go(by)


def _named(walker: Backward, tree: Scalar, hint: str, uses: dict[str, Use], op: Map, stage: Stage) -> Scalar:
    read = dict.fromkeys(node.name for node in walk(tree) if isinstance(node, Arg))
    if not read:
        return tree
    args = tuple((name, uses[name]) for name in read)
    reached = {a for _, use in args for a in use_axes(use)}
    out = op.out if op.where else tuple(a for a in op.out if a in reached)
    found = walker.emitter.put(f"{stage.name}.{hint}", Map(out, tree, args, op.where))
    name = unused(found, set(uses))
    uses[name] = Use(found, out)
    return Arg(name)


def has_max(op: Map, moving: Sequence[str]) -> bool:
    """Does the Map take the larger of two values of which one depends on the stages in `moving`?"""
    named = {arg for arg, use in op.args if use.stage in moving}
    return any(
        isinstance(node, Binary) and node.op == "max2" and any(isinstance(leaf, Arg) and leaf.name in named for leaf in walk(node))
        for node in walk(op.scalar)
    )


def unused(base: str, taken: set[str]) -> str:
    """`base`, with as many "_" after it as it takes to be none of `taken`."""
    name = base
    while name in taken:
        name += "_"
    return name
