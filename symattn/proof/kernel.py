"""The kernel: statements in, certificates out.

Promises: `prove_equal` returns a certificate only when the zero test for all sizes and a sample agree; it raises `StepRejected` with a
counterexample when the statement is false and `Undecided` when neither was found. Does not promise: completeness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symattn.errors import ProgramError, ShapeError
from symattn.program.program import Program
from symattn.proof.certificate import Certificate, Statement, mint
from symattn.proof.evidence import PROVED_ALL_SIZES, PROVED_AT_SIZES, Evidence, Undecided, sizes_text
from symattn.proof.facts import check_fact, use_facts
from symattn.proof.functions import new_context
from symattn.proof.lower import Lowering
from symattn.proof.needs import Needs
from symattn.proof.parts import cone, cut
from symattn.proof.sampling import PATTERNS, larger_patterns, sample, some_sizes
from symattn.proof.sized import equal_at
from symattn.proof.terms import Context, minus
from symattn.proof.zero import vanishes

_SMALL = 4  # sums over numeric sizes up to this are written out when nothing else decides


@dataclass(frozen=True)
class Budget:
    """What a proof may spend: `terms` handled in all, `seconds` of time. Over it the answer is `Undecided`."""

    terms: int = 200_000
    seconds: float = 20.0


def prove_equal(
    program: Program,
    left: str,
    right: str,
    *,
    atoms: Sequence[str] = (),
    facts: Sequence[Certificate] = (),
    budget: Budget | None = None,
) -> Certificate:
    """A certificate that stage `left` equals stage `right`, entry by entry, for all sizes.

    Stages in `atoms` are opaque: the equality then holds whatever their values are. `facts` are certificates about stages of this
    program that may be used. Raises StepRejected with a counterexample, Undecided, ProgramError and ShapeError for what does not fit."""
    statement = stated(program, left, right)
    for fact in facts:
        check_fact(fact, program)
    sampled = _sampled(statement, atoms, facts)
    hypotheses = zero_test(statement, atoms=atoms, facts=facts, budget=budget)
    if hypotheses is not None:
        evidence = Evidence(PROVED_ALL_SIZES, points=sampled.points)
        return mint(statement, evidence, hypotheses, tuple(facts), tuple(atoms))
    sampled = _sampled(statement, atoms, facts, larger_patterns(program))
    raise Undecided(
        f'"{statement.text()}": the two sides agree at {sampled.points} random points, but the zero test does not show them to be equal',
        next_move="prove it in smaller steps, with facts about the stages between",
    )


def zero_test(
    statement: Statement, *, atoms: Sequence[str] = (), facts: Sequence[Certificate] = (), budget: Budget | None = None
) -> tuple[str, ...] | None:
    """The hypotheses under which the zero test proves the equality for all sizes, None when it does not. No certificate: that takes a
    sample, too. Raises Undecided when the budget is spent."""
    budget = budget or Budget()
    directed, expand = False, 0
    while True:
        ctx = new_context(budget.terms, budget.seconds)
        ctx.directed = directed
        lowering = Lowering(ctx, statement.program, atoms, expand)
        use_facts(ctx, lowering, facts)
        if _equal(ctx, lowering, statement):
            return tuple(dict.fromkeys([*ctx.hypotheses, *(h for fact in facts for h in fact.hypotheses)]))
        if ctx.ordered and not directed:
            directed = True
        elif lowering.small and not expand:
            expand = _SMALL
        else:
            return None


def prove_at_sizes(
    program: Program,
    left: str,
    right: str,
    sizes: Mapping[str, int],
    *,
    atoms: Sequence[str] = (),
    parameters: Mapping[str, int] | None = None,
    budget: Budget | None = None,
) -> Certificate:
    """A certificate that two stages are equal at these sizes: entry by entry an identity of polynomials over the known denominators,
    found without anything that `prove_equal` uses (sized.py). `sizes` gives every size symbol, `parameters` the named integers of
    relations.

    Raises StepRejected with a counterexample at these sizes, Undecided, ProgramError and ShapeError."""
    statement = stated(program, left, right)
    budget = budget or Budget()
    symbols = _symbols(program, (left, right), atoms)
    missing = [s for s in symbols if s not in sizes]
    if missing:
        raise ProgramError(f'the size "{missing[0]}" is not given', next_move="give every size: " + ", ".join(symbols))
    at = tuple((s, sizes[s]) for s in symbols)
    sampled = sample(program, left, right, atoms=atoms, parameters=parameters, sizes=[at])
    if not equal_at(program, left, right, dict(at), atoms, 10 * budget.terms, parameters or {}):
        raise Undecided(f'"{statement.text()}" at {sizes_text(at)}: a random point agrees, but the two sides are not equal as polynomials')
    needs = Needs(program, new_context(0, 0))
    hypotheses = tuple(dict.fromkeys(h for name in cone(program, (left, right), atoms) if name not in atoms for h in needs.of_stage(name)))
    return mint(statement, Evidence(PROVED_AT_SIZES, (at,), points=sampled.points), hypotheses, (), tuple(atoms))


def _symbols(program: Program, names: Sequence[str], atoms: Sequence[str]) -> tuple[str, ...]:
    return tuple(s for s, _ in some_sizes(cut(program, names, atoms), (1,)))


def _sampled(
    statement: Statement, atoms: Sequence[str], facts: Sequence[Certificate], patterns: Sequence[tuple[int, ...]] = PATTERNS
) -> Evidence:
    """The sample of a statement. Stages that the facts speak of take the values that the program gives them: any others would not have
    to satisfy the facts."""
    bound = set(cone(statement.program, [n for fact in facts for n in (fact.statement.left, fact.statement.right)]))
    return sample(statement.program, statement.left, statement.right, atoms=[a for a in atoms if a not in bound], patterns=patterns)


def vanishing(program: Program, stage: str) -> bool:
    """Is the stage proved to be 0 everywhere, for all sizes?"""
    ctx = new_context(Budget().terms, Budget().seconds)
    lowering = Lowering(ctx, program)
    return all(vanishes(ctx, lowering.stage(stage, places)) for places in lowering.cases(program.by_name[stage].out))


def _equal(ctx: Context, lowering: Lowering, statement: Statement) -> bool:
    left, right = statement.left, statement.right
    lowering.prepare((left, right))
    for places in lowering.cases(statement.program.by_name[left].out):
        if not vanishes(ctx, lowering.stage(left, places) + minus(lowering.stage(right, places))):
            return False
    return True


def stated(program: Program, left: str, right: str, relation: str = "==") -> Statement:
    """The statement, when it means something: two stages of the program over the same spaces. Raises ProgramError, ShapeError."""
    for name in (left, right):
        if name not in program.by_name:
            raise ProgramError(f'there is no stage "{name}"', next_move="stages: " + ", ".join(program.by_name))
    a, b = program.by_name[left], program.by_name[right]
    if tuple(x.space for x in a.out) != tuple(x.space for x in b.out):
        raise ShapeError(
            f'"{left}" is {a.shape_text()} and "{right}" is {b.shape_text()}',
            next_move="a statement compares two stages over the same index sets, in the same order",
        )
    return Statement(program, left, right, relation)
