"""A step to be proved, what it may lean on, and how the kernel is asked.

Promises: facts are certificates of earlier lines and parts, or relations that the kernel proves on the spot. Does not promise: a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symattn.calculus.setting import Setting
from symattn.errors import DerivationError
from symattn.language.ast import Node
from symattn.language.parser import parse_relation
from symattn.program.program import Program
from symattn.proof.certificate import Certificate
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.kernel import prove_equal


@dataclass(frozen=True)
class Line:
    """An earlier step, or all steps of an earlier part in one."""

    before: Node
    sign: str
    after: Node
    certificates: tuple[Certificate, ...]

    @property
    def certificate(self) -> Certificate:
        """The certificate of the whole. Raises StepRejected where the steps do not meet."""
        if len(self.certificates) == 1:
            return self.certificates[0]
        from symattn.proof.rules import transitive

        return transitive(*self.certificates)


@dataclass(frozen=True)
class Task:
    """From `before` to `after` by a rule with this `argument`. `lines` are the steps above it, `parts` the relations of the statement that
    are reached, `hypotheses` what is supposed."""

    setting: Setting
    before: Node
    after: Node
    argument: str = ""
    lines: Sequence[Line] = ()
    parts: Sequence[Line] = ()
    hypotheses: Sequence[str] = ()


@dataclass(frozen=True)
class Fact:
    """Something known: an earlier line or part, or (without `line`) a relation to be proved."""

    before: Node
    sign: str
    after: Node
    line: Line | None = None


def no_argument(task: Task, name: str) -> None:
    """Raises DerivationError for an argument where none belongs."""
    if task.argument:
        raise DerivationError(f'the rule "{name}" takes no argument, not "{task.argument[:60]}"')


def names_in(argument: str) -> list[str]:
    """`P, Z` as a list."""
    return [n.strip() for n in argument.split(",") if n.strip()]


def facts_in(task: Task, argument: str) -> list[Fact]:
    """`line 2; part 1; sum(P) == 1` as facts. Raises DerivationError, LanguageError."""
    return [_fact(task, text.strip()) for text in argument.split(";") if text.strip()]


def _fact(task: Task, text: str) -> Fact:
    words = text.split()
    if len(words) == 2 and words[0] in ("line", "part") and words[1].isdigit():
        kind, at = words[0], int(words[1])
        known = task.lines if kind == "line" else task.parts
        if not 1 <= at <= len(known):
            raise DerivationError(f"there is no {kind} {at} above this step")
        found = known[at - 1]
        return Fact(found.before, found.sign, found.after, found)
    relation = parse_relation(text)
    if len(relation.signs) != 1:
        raise DerivationError(f'a fact is one relation, not "{text[:60]}"')
    return Fact(relation.operands[0], relation.signs[0], relation.operands[1])


def equal(task: Task, opened: frozenset[str], facts: Sequence[Fact] = (), *, opaque: bool = False) -> Certificate:
    """The kernel's certificate for the step, with every definition that is not in `opened` as an atom; `opaque` keeps derivatives closed
    too. Raises StepRejected, Undecided."""
    setting = task.setting
    closed = setting.tangents([task.before, task.after]) if opaque else []
    for fact in facts:
        if fact.sign != "==":
            raise DerivationError("only equalities are used here", next_move="leave the inequality out")
    program, pairs = setting.compiled([(task.before, task.after), *((f.before, f.after) for f in facts)])
    proved = proved_facts(setting, program, facts, pairs[1:])
    left, right = pairs[0]
    atoms = [n for n in (*setting.names(), *closed) if n not in opened and n in program.by_name]
    return prove_equal(program, left, right, atoms=atoms, facts=proved)


def proved_facts(setting: Setting, program: Program, facts: Sequence[Fact], stages: Sequence[tuple[str, str]]) -> list[Certificate]:
    """The certificate of each equality, between these stages: proved with its definitions opened, or that of the lines it names."""
    proved = []
    for fact, (left, right) in zip(facts, stages, strict=True):
        inside = setting.inside(fact.before) | setting.inside(fact.after)
        atoms = [n for n in setting.names() if n in program.by_name and n not in inside]
        try:
            proved.append(prove_equal(program, left, right, atoms=atoms))
        except Undecided:
            if fact.line is None:
                raise
            proved.append(fact.line.certificate)
    return proved


def refused(message: str, move: str = "") -> StepRejected:
    """A rule that does not fit."""
    return StepRejected(message, next_move=move)
