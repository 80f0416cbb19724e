"""What a stage's cotangent is made of while it is collected: terms, and the operations that they become.

Promises: a term is written at the axes of the stage it belongs to; a sum of terms becomes one operation, a product one Contract, anything
with a quotient or a sum one Map. Does not promise: where terms come from (reverse.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeGuard

from symattn.calculus.products import product
from symattn.program import ops
from symattn.program.emitter import Arguments, fresh_axis, moved, moved_relation
from symattn.program.graph import relations_of
from symattn.program.ops import At, AtMost, Contract, InBlock, Inject, Joint, Map, Paired, Relation, Same, Use
from symattn.program.program import Stage, index_axes, relation_axes
from symattn.program.rewrite import Rewriter
from symattn.program.scalar import Arg, Num, Scalar
from symattn.program.slopes import ONE, add, mul
from symattn.program.spaces import Axis, Space

ONE_ENTRY = Space("one", 1)


@dataclass(frozen=True)
class Term:
    """`tree` over `args` where all of `where` hold, at the axes of the stage it belongs to."""

    tree: Scalar
    args: tuple[tuple[str, Use], ...]
    where: tuple[Relation, ...] = ()

    def times(self, count: int) -> Term:
        """The term added to itself."""
        return self if count == 1 else Term(mul(Num(Fraction(count)), self.tree), self.args, self.where)


@dataclass(frozen=True)
class Factor:
    """A cotangent as a factor of a product: `uses` has the stage, at the axes of the operation it comes from; a constant is none, but a
    number `coef`, the same along `over`."""

    uses: tuple[Use, ...] = ()
    coef: Scalar = ONE
    over: tuple[Axis, ...] = ()


@dataclass(frozen=True)
class View:
    """How an operation reads one operand, seen from the operand: `result` are axes of the operation, one for each axis of the operand,
    `relations` tie the new ones to the others; `there` gives the operand's axis for each axis that is used as it is."""

    result: tuple[Axis, ...]
    relations: tuple[Relation, ...]
    there: Mapping[Axis, Axis]

    def reached(self, axes: Sequence[Axis]) -> bool:
        """Do all these axes stand in the operand as they are?"""
        return all(a in self.there for a in axes)


def view(use: Use, target: Stage, scope: Sequence[Axis]) -> View:
    """The view of a use of `target` in an operation whose axes are `scope`. Each index term becomes the matching relation."""
    taken = {a.name for a in scope}
    result: list[Axis] = []
    relations: list[Relation] = []
    there: dict[Axis, Axis] = {}

    def fresh(like: Axis) -> Axis:
        axis = fresh_axis(like, taken)
        taken.add(axis.name)
        return axis

    for index, own in zip(use.indices, target.out, strict=True):
        if isinstance(index, Axis) and index not in there:
            there[index] = own
            result.append(index)
            continue
        y = fresh(own)
        result.append(y)
        match index:
            case Axis():
                relations.append(Same(y, index))
            case At(_, position):
                here = fresh(Axis("here", ONE_ENTRY))
                relations += [AtMost(y, here, position), AtMost(here, y, -position)]
            case Inject(_, block, part):
                relations.append(InBlock(y, block, part))
            case Joint(_, parts):
                relations.append(Paired(y, parts))
    return View(tuple(result), tuple(relations), there)


def scope_of(op: Contract | Map) -> tuple[Axis, ...]:
    """Every axis of an operation, those of the result first."""
    uses = op.uses if isinstance(op, Contract) else tuple(use for _, use in op.args)
    over = op.over if isinstance(op, Contract) else ()
    met = [*op.out, *(a for u in uses for i in u.indices for a in index_axes(i)), *(a for r in op.where for a in relation_axes(r)), *over]
    return tuple(dict.fromkeys(met))


def use_axes(use: Use) -> tuple[Axis, ...]:
    """The axes a use mentions."""
    return tuple(a for i in use.indices for a in index_axes(i))


def last_part(name: str) -> str:
    """The name of an inner stage without that of its definition."""
    return name.rpartition(".")[2]


def moved_term(term: Term, mapping: Mapping[Axis, Axis]) -> Term:
    """The term with axes replaced, all at once."""
    args = tuple((name, moved(use, mapping)) for name, use in term.args)
    return Term(term.tree, args, tuple(moved_relation(r, mapping) for r in term.where))


def gathered(terms: Sequence[Term]) -> list[Term]:
    """Equal terms together."""
    counts: dict[Term, int] = {}
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    return [term.times(count) for term, count in counts.items()]


def operation(out: tuple[Axis, ...], terms: Sequence[Term], where: tuple[Relation, ...]) -> ops.Op:
    """The sum of terms, computed where the relations hold."""
    arguments = Arguments()
    tree: Scalar | None = None
    # Terms that lack an axis (a row sum, the same for the whole row) come last, as people write them.
    for term in sorted(terms, key=lambda t: len(out) - len({a for _, use in t.args for a in use_axes(use)})):
        part = arguments.taken(term.tree, [(name, use) for name, use in term.args])
        tree = part if tree is None else add(tree, part)
    assert tree is not None
    args = arguments.all()
    found = product(tree) if len(terms) == 1 else None
    if found is not None and not found.below:
        uses = dict(args)
        return Contract(out, tuple(uses[name] for name in found.above), where, found.coef)
    return Map(out, tree, args, where)


def positional(relations: Sequence[Relation], axes: Sequence[Axis]) -> frozenset[Relation]:
    """The relations with axes replaced by their places."""
    places = {a: Axis(f"#{k}", a.space) for k, a in enumerate(axes)}
    return frozenset(moved_relation(r, places) for r in relations)


def support(stage: Stage) -> frozenset[Relation]:
    """Relations, by places of axes, outside of which a stage is 0."""
    inside = [r for r in relations_of(stage.op) if set(relation_axes(r)) <= set(stage.out)]
    return positional(inside, stage.out) if isinstance(stage.op, Contract | Map) else frozenset()


def is_constant(op: ops.Op) -> TypeGuard[Contract]:
    """Is this the same number everywhere?"""
    return isinstance(op, Contract) and not op.uses and not op.where and not op.over


def is_copy(term: Term, out: tuple[Axis, ...]) -> str:
    """The stage that the term reads as it is, "" when it does anything else."""
    if not isinstance(term.tree, Arg):
        return ""
    use = dict(term.args)[term.tree.name]
    return use.stage if use.indices == out else ""


class Substituted(Rewriter):
    """Stages under other names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def use(self, use: Use) -> Use:
        """The use of the stage under its new name."""
        return Use(self._names.get(use.stage, use.stage), use.indices)
