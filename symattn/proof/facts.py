"""Certificates as rewriting rules: rows sum to one, E = P Z, centred values sum to zero.

A fact about stages of a program may be used in another statement of any program in which these stages, and everything they are made of,
are the same. A fact whose left side is one bare stage replaces that stage by the right side, so it is best stated in the direction in
which it is to be used; any other fact replaces its leading term.

Promises: only genuine certificates of equalities for all sizes that speak of the same stages become rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from symattn.errors import ProgramError
from symattn.program.program import Program
from symattn.proof.certificate import Certificate, Statement, genuine
from symattn.proof.evidence import PROVED_ALL_SIZES
from symattn.proof.fold import Rule, solved
from symattn.proof.lower import Lowering
from symattn.proof.parts import cone
from symattn.proof.reduce import settled
from symattn.proof.terms import Context, Expr, minus


def use_facts(ctx: Context, lowering: Lowering, facts: Sequence[Certificate]) -> None:
    """Make the facts rules of the context. Raises ProgramError for what is no fact about this program."""
    rules: list[Rule] = []
    for fact in facts:
        left, right = fact.statement.left, fact.statement.right
        for places in lowering.cases(fact.statement.program.by_name[left].out):
            rule = _rule(ctx, settled(ctx, lowering.stage(left, places)), settled(ctx, lowering.stage(right, places)))
            if rule is not None:
                rules.append(rule)
    ctx.rules = rules


def check_fact(fact: object, program: Program) -> None:
    """Raises ProgramError unless this is a certificate of an equality for all sizes about stages of the program."""
    if not genuine(fact):
        raise ProgramError("a fact that is not a certificate of the kernel", next_move="prove it first")
    assert isinstance(fact, Certificate)
    statement = fact.statement
    if statement.relation != "==" or statement.scope or fact.evidence.kind != PROVED_ALL_SIZES:
        raise ProgramError(f'"{statement.text()}" is not an equality for all sizes', next_move="only those are used as facts")
    check_cone(statement, program)


def check_cone(statement: Statement, program: Program) -> None:
    """Raises ProgramError unless the stages of the statement, and all they are made of, are the same in this program."""
    if statement.program is not program:
        sides = [name for name in (statement.left, statement.right) if name != "0"]
        for name in cone(statement.program, sides):
            if program.by_name.get(name) != statement.program.by_name[name]:
                raise ProgramError(
                    f'the fact "{statement.text()}" speaks of a stage "{name}" that is another one in this program',
                    next_move="prove it for this program",
                )


def _rule(ctx: Context, left: Expr, right: Expr) -> Rule | None:
    bare = _bare(ctx, left, right)
    if bare is not None:
        return bare
    terms = settled(ctx, left + minus(right))
    free = frozenset(i for t in terms for i in t.indices() if i not in t.bound)
    return solved(ctx, terms, free)


def _bare(ctx: Context, left: Expr, right: Expr) -> Rule | None:
    """A rule that replaces a stage that stands alone on the left."""
    if len(left) != 1:
        return None
    (t,) = left
    if t.coef != 1 or t.mono or t.bound or t.rels or len(t.facs) != 1:
        return None
    ((label, idx), e) = next(iter(t.facs.items()))
    if e != 1 or ctx.labels[label].kind != "atom" or len(set(idx)) < len(idx):
        return None
    outer = {i for r in right for i in r.indices() if i not in r.bound}
    if outer - set(idx) or any(other == label for r in right for other, _ in r.facs):
        return None
    return Rule(t, tuple(right), frozenset(idx), bare=(label, idx))
