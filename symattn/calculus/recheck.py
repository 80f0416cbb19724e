"""Proving a derivation again from its text alone.

Promises: the evidence that a file claims is never looked at; every step is compiled and proved by the kernel again; the first thing
that is wrong is a `Recheck` finding with its step number, and with a counterexample where the step is false. What is checked beside the
steps: each `before` is the `after` above it, each run begins and ends with the sides of the statement, the last `after` is the result,
and no hypothesis that a step needs is missing. Does not promise: that the words of a reason are wise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from symattn.calculus.closing import close
from symattn.calculus.conditions import conditions_of, size_conditions
from symattn.calculus.derivation import Derivation, Step
from symattn.calculus.reading import parse
from symattn.calculus.rules import prove_step
from symattn.calculus.setting import Setting
from symattn.calculus.statement import Clause, Statement, implies, joined, read_statement
from symattn.calculus.task import Line, Task
from symattn.errors import DerivationError, SymattnError
from symattn.language.ast import Node
from symattn.proof.certificate import Certificate
from symattn.proof.evidence import Evidence, StepRejected, Undecided

T = TypeVar("T")


@dataclass(frozen=True)
class Finding:
    """What is wrong: `step` counts from 1, 0 stands for the statement, the definitions and the hypotheses. `evidence` is "rejected" or
    "undecided", with the counterexample where there is one."""

    step: int
    message: str
    evidence: Evidence
    next_move: str = ""

    def text(self) -> str:
        """`step 3: …`."""
        return f"step {self.step}: {self.message}" if self.step else self.message


@dataclass(frozen=True)
class Recheck:
    """`derivation` with the evidence found now; `findings` is empty when everything was proved."""

    derivation: Derivation
    findings: tuple[Finding, ...]

    @property
    def right(self) -> bool:
        """Was everything proved?"""
        return not self.findings

    @property
    def evidence(self) -> Evidence:
        """That of the weakest step, or of the first finding."""
        return self.findings[0].evidence if self.findings else self.derivation.evidence


class _Wrong(Exception):
    def __init__(self, step: int, message: str, evidence: Evidence | None = None, move: str = "") -> None:
        super().__init__(message)
        self.finding = Finding(step, message, evidence or Evidence("rejected", reason=message), move)


def recheck(derivation: Derivation) -> Recheck:
    """Everything again, from the text. Never raises for what a derivation says wrongly; that is a finding."""
    try:
        proved = _prove(derivation)
    except _Wrong as wrong:
        return Recheck(derivation, (wrong.finding,))
    return Recheck(proved, ())


def _prove(derivation: Derivation) -> Derivation:
    setting = _setting(derivation)
    statement = _guarded(0, partial(read_statement, derivation.statement))
    run = _Run(statement)
    lines: list[Line] = []
    steps: list[Step] = []
    needed = dict.fromkeys(size_conditions(setting))
    for at, step in enumerate(derivation.steps, 1):
        before, after = _guarded(at, partial(parse, step.before)), _guarded(at, partial(parse, step.after))
        run.enter(at, before)
        task = Task(setting, before, after, "", lines, run.reached, derivation.hypotheses)
        sign, certificate = _guarded(at, partial(prove_step, step.rule, task))
        for condition in _guarded(at, partial(conditions_of, certificate, setting)):
            needed.setdefault(condition)
            if condition not in derivation.hypotheses:
                raise _Wrong(at, f'it needs the hypothesis "{condition}", which is not there')
        lines.append(Line(before, sign, after, (certificate,)))
        steps.append(replace(step, evidence=certificate.evidence, sign=sign, certificate=certificate))
        run.leave(at, sign, after, certificate)
    run.end(len(derivation.steps))
    _guarded(0, partial(close, statement, setting))
    for condition in size_conditions(setting):
        if condition not in derivation.hypotheses:
            raise _Wrong(0, f'the hypothesis "{condition}" is missing')
    if _guarded(0, partial(parse, derivation.result)) != lines[-1].after:
        raise _Wrong(len(steps), "the last step does not end with the result")
    return replace(derivation, steps=tuple(steps))


class _Run:
    """Walks along the clauses of a statement."""

    def __init__(self, statement: Statement) -> None:
        self.clauses = list(statement.clauses)
        self.signs: list[str] = []
        self.at: Node | None = None
        self.reached: list[Line] = []
        self.certificates: list[Certificate] = []

    def enter(self, step: int, before: Node) -> None:
        if self.at is None:
            if not self.clauses:
                raise _Wrong(step, "the statement is reached before this step")
            if before != self.clauses[0].left:
                raise _Wrong(step, "it does not begin with the left side of the statement")
        elif before != self.at:
            raise _Wrong(step, "it does not begin where the step above it ends")

    def leave(self, step: int, sign: str, after: Node, certificate: Certificate) -> None:
        self.signs.append(sign)
        self.certificates.append(certificate)
        self.at = after
        clause = self.clauses[0]
        if after == clause.right:
            self._finish(step, clause)

    def _finish(self, step: int, clause: Clause) -> None:
        try:
            found = joined(self.signs)
        except DerivationError as error:
            raise _Wrong(step, error.message) from None
        if not implies(found, clause.sign):
            raise _Wrong(step, f"the steps up to here say {found}, the statement says {clause.sign}")
        self.reached.append(Line(clause.left, found, clause.right, tuple(self.certificates)))
        self.clauses.pop(0)
        self.signs, self.certificates, self.at = [], [], None

    def end(self, step: int) -> None:
        if self.clauses:
            raise _Wrong(step, "the steps end before the right side of the statement")


def _setting(derivation: Derivation) -> Setting:
    setting = Setting()
    for definition in derivation.definitions:
        _guarded(0, partial(setting.add, definition))
    return setting


def _guarded(step: int, work: Callable[[], T]) -> T:
    """What `work` gives; an error of the text or of the kernel is a finding at `step`."""
    try:
        return work()
    except (StepRejected, Undecided) as error:
        raise _Wrong(step, error.message, error.evidence, error.next_move) from None
    except SymattnError as error:
        raise _Wrong(step, error.message, None, error.next_move) from None
