"""A derivation as data: a statement, what it rests on, and the steps from its left side to its right side.

Promises: frozen data whose mathematics is text of the language; a program, a page and a formula are made from that text and from nothing
else. Does not promise: truth. `chain.py` makes derivations whose steps were proved, `recheck.py` proves the text again.

A *statement* is one relation of the language or several with `; ` between them ("sum(P) == 1; P > 0"), after optional words that say what
they are together ("gradient of O by Q: …", see closing.py). Each relation has its own run of steps: the first `before` is its left side,
every other `before` is the `after` above it, the last `after` is its right side. `result` is the last `after` of all.

A *definition* is a given, whose meaning is its declaration ("S(n, m)": axes by name, a name is also the size), or a name for an
expression ("softmax(S)"). A *hypothesis* is a relation ("n >= 1", "Z != 0").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from symattn.proof.evidence import KINDS, UNDECIDED, Evidence

if TYPE_CHECKING:
    from symattn.calculus.setting import Setting
    from symattn.interp.symbolic import Symbolic
    from symattn.program.program import Program
    from symattn.proof.certificate import Certificate

LANGUAGES = ("es", "en")


@dataclass(frozen=True)
class Both:
    """A text for people, in both languages."""

    es: str
    en: str

    def said(self, lang: str) -> str:
        """The text in "es" or "en"."""
        return self.es if lang == "es" else self.en


NOTHING = Both("", "")


@dataclass(frozen=True)
class Definition:
    """`name` and its meaning: a declaration such as "S(n, m)" for a given, an expression otherwise. `note` says what it is in words."""

    name: str
    meaning: str
    note: Both = field(default=NOTHING, compare=False)


@dataclass(frozen=True)
class Step:
    """From `before` to `after` by the rule named in `rule` ("definition: P", "collect", …; see rules.py), with the reason in words. `sign`
    is how before stands to after."""

    rule: str
    before: str
    after: str
    why: Both
    evidence: Evidence
    sign: str = field(default="==", compare=False)
    certificate: Certificate | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Part:
    """A group of steps under a title of its own: it begins at step number `start`, counted from 0."""

    start: int
    title: Both


@dataclass(frozen=True)
class Derivation:
    """Everything a page needs and a re-check reads. `title`, `parts` and the notes are for people and not part of the mathematics."""

    topic: str
    statement: str
    hypotheses: tuple[str, ...]
    definitions: tuple[Definition, ...]
    steps: tuple[Step, ...]
    result: str
    title: Both = field(default=NOTHING, compare=False)
    parts: tuple[Part, ...] = field(default=(), compare=False)
    answers: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def evidence(self) -> Evidence:
        """The evidence of the whole: that of its weakest step."""
        return weakest([step.evidence for step in self.steps])

    @cached_property
    def setting(self) -> Setting:
        """The definitions, compiled."""
        from symattn.calculus.setting import Setting

        return Setting(self.definitions)

    @cached_property
    def gradient(self) -> Program | None:
        """The program of the gradient that the statement is about, None where it is about something else."""
        from symattn.calculus.closing import gradient_of
        from symattn.calculus.reverse import reverse
        from symattn.calculus.setting import needed
        from symattn.calculus.statement import read_statement

        setting = self.setting
        backward = gradient_of(read_statement(self.statement), setting)
        if backward is None:
            return None
        program = needed(setting.program(), [backward.of, *backward.wrt])
        return reverse(program, backward.of, backward.wrt, backward.upstream or None).program

    @property
    def program(self) -> Program:
        """For a gradient, its program, to be evaluated in any reading; else the program of the definitions and of every expression in
        the steps (`written` gives its stages)."""
        return self.gradient if self.gradient is not None else self.written[0]

    @cached_property
    def written(self) -> tuple[Program, Mapping[str, str]]:
        """The definitions and every expression of the steps as one program, and the stage of each text."""
        from symattn.calculus.reading import parse

        setting = self.setting
        texts = dict.fromkeys(text for step in self.steps for text in (step.before, step.after))
        stages = {text: setting.stage(parse(text)) for text in texts}
        return setting.program(), stages

    def symbolic(self, **sizes: int) -> Symbolic:
        """Every stage of `program` as SymPy objects: matrices of entries where the sizes are given (n=3, d_k=2), `Indexed` and `Sum`
        elsewhere."""
        return self.program.symbolic(sizes or None)

    def latex(self, lang: str = "en", notation: str = "index") -> str:
        """The steps as one aligned block of LaTeX that TeX and KaTeX read, rule and reason left out. `notation` is "index" or "matrix"."""
        from symattn.calculus.typeset import aligned_rows
        from symattn.page.notebook import aligned

        return aligned(aligned_rows(self, notation))

    def meaning(self, name: str) -> str:
        """The meaning of a defined name. Raises KeyError."""
        return {d.name: d.meaning for d in self.definitions}[name]


def weakest(found: Sequence[Evidence]) -> Evidence:
    """The weakest of several kinds of evidence: the later in KINDS."""
    return max(found, key=lambda e: KINDS.index(e.kind), default=Evidence(UNDECIDED, reason="there are no steps"))
