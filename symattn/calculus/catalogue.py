"""The catalogue of theorems: one file each in theorems/, found by name.

Promises: a topic is the name of its file with hyphens; nothing is imported before it is asked for; every theorem has hypotheses, a
statement, proved steps, a small exact example and a false twin that the kernel rejects (tests walk all of them).
Does not promise: that a topic is short.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from symattn.calculus import theorems
from symattn.calculus.derivation import Both, Derivation
from symattn.calculus.rules import refute
from symattn.calculus.setting import Setting
from symattn.calculus.statement import Clause, read_clause, read_statement
from symattn.calculus.task import Task
from symattn.errors import DerivationError
from symattn.language.names import suggestion
from symattn.language.unparse import unparse
from symattn.proof.evidence import StepRejected

GROUPS = ("softmax", "saturation", "scaling", "attention", "backward", "online", "cost")


class Theorem(Protocol):
    """What a file of the catalogue has. `EXAMPLE` gives each given a value as text of the language; `FALSE_TWIN` is a relation about the
    same names that looks like the theorem and is false."""

    GROUP: str
    TITLE: Both
    EXAMPLE: Mapping[str, str]
    FALSE_TWIN: str

    def derive(self) -> Derivation:
        """The derivation, every step proved."""
        ...


def topics() -> tuple[str, ...]:
    """Every topic, in alphabetical order."""
    names = (module.name for module in pkgutil.iter_modules(theorems.__path__) if not module.name.startswith("_"))
    return tuple(sorted(name.replace("_", "-") for name in names))


def theorem(topic: str) -> Theorem:
    """The file of a topic. Raises DerivationError with the nearest topics."""
    known = topics()
    if topic not in known:
        raise DerivationError(f'there is no topic "{topic[:60]}"', next_move=suggestion(topic, known, "topics"))
    return cast("Theorem", import_module(f"{theorems.__name__}.{topic.replace('-', '_')}"))


@dataclass(frozen=True)
class Worked:
    """One relation of a statement at the example: its text, and both sides entry by entry, as text."""

    text: str
    left: tuple[str, ...]
    right: tuple[str, ...]


def twin(topic: str) -> StepRejected:
    """The kernel's rejection of the false twin. Raises DerivationError when the kernel does not reject it."""
    found = theorem(topic)
    setting = Setting(found.derive().definitions)
    clause = read_clause(found.FALSE_TWIN)
    rejection = refute(Task(setting, clause.left, clause.right), clause.sign)
    if rejection is None:
        raise DerivationError(f'the false twin of "{topic}" was not rejected', next_move="plant one that fails at small numbers")
    return rejection


def worked(topic: str) -> tuple[Worked, ...]:
    """The statement at the example, in exact numbers. Raises DerivationError where a relation fails there."""
    found = theorem(topic)
    derivation = found.derive()
    return tuple(_worked(derivation, clause, found.EXAMPLE) for clause in read_statement(derivation.statement).clauses)


def _worked(derivation: Derivation, clause: Clause, example: Mapping[str, str]) -> Worked:
    from symattn.calculus.examples import evaluated

    left, right = evaluated(derivation, clause, example)
    return Worked(f"{unparse(clause.left)} {clause.sign} {unparse(clause.right)}", left, right)
