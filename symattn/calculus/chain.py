"""Writing a derivation, step by step, each proved when it is added.

    chain = Chain("softmax-rows", "softmax")
    chain.given("S", "n, m", "puntajes", "scores")
    chain.define("Z", "sum(exp(S))", "suma de cada fila", "sum of each row")
    chain.start("sum(exp(S) / Z)")
    chain.step("collect", "sum(exp(S)) / Z", "Z no depende de la columna", "Z does not depend on the column")
    …
    derivation = chain.done()

Promises: a step that the kernel does not prove raises where it is written: StepRejected with a counterexample where it is false, with the
rule that would fit where only the rule is wrong, Undecided otherwise. Does not promise: a short proof.
"""

from __future__ import annotations

from symattn.calculus.closing import close
from symattn.calculus.conditions import conditions_of, size_conditions
from symattn.calculus.derivation import Both, Definition, Derivation, Part, Step
from symattn.calculus.reading import parse
from symattn.calculus.rules import prove_step
from symattn.calculus.setting import Setting
from symattn.calculus.statement import clause_text, implies, joined, read_statement
from symattn.calculus.task import Line, Task
from symattn.errors import DerivationError, SymattnError
from symattn.language.ast import Node
from symattn.language.parser import parse_relation
from symattn.language.unparse import unparse
from symattn.proof.certificate import Certificate


class Chain:
    """The derivation of `topic`, in the making."""

    def __init__(self, topic: str, title_es: str = "", title_en: str = "") -> None:
        self.topic = topic
        self.title = Both(title_es, title_en or title_es)
        self.setting = Setting()
        self._hypotheses: dict[str, None] = {}
        self._steps: list[Step] = []
        self._lines: list[Line] = []
        self._parts: list[Part] = []
        self._clauses: list[str] = []
        self._reached: list[Line] = []
        self._left: Node | None = None
        self._at: Node | None = None
        self._signs: list[str] = []
        self._run: list[Certificate] = []

    # -- what it is about -----------------------------------------------------------------------------------------------
    def given(self, name: str, axes: str = "", es: str = "", en: str = "") -> None:
        """A given with its axes by name ("n, d_k"; "" for a number). Raises LanguageError, ShapeError."""
        self.setting.add(Definition(name, f"{name}({axes})", Both(es, en or es)))

    def define(self, name: str, meaning: str, es: str = "", en: str = "") -> None:
        """A name for an expression. Raises LanguageError, ShapeError."""
        self.setting.add(Definition(name, meaning, Both(es, en or es)))

    def suppose(self, relation: str) -> None:
        """A hypothesis. Raises LanguageError."""
        parse_relation(relation)
        self._hypotheses[relation] = None

    def part(self, es: str, en: str) -> None:
        """What follows stands under a title of its own."""
        self._parts.append(Part(len(self._steps), Both(es, en)))

    # -- the run of steps -------------------------------------------------------------------------------------------------
    def start(self, left: str) -> None:
        """A new run of steps, from `left`; the one before it has reached its right side."""
        self._close()
        self._left = self._at = parse(left)
        self.setting.stage(self._at)
        self._signs = []
        self._run = []

    def step(self, rule: str, after: str, es: str, en: str = "") -> None:
        """From where the run stands to `after`. Raises StepRejected, Undecided, DerivationError, LanguageError, ShapeError."""
        if self._at is None:
            raise DerivationError("a step needs something to start from", next_move='write chain.start("…") first')
        before, node = self._at, parse(after)
        task = Task(self.setting, before, node, "", self._lines, self._reached, tuple(self._hypotheses))
        try:
            sign, certificate = prove_step(rule, task)
        except SymattnError as error:
            error.message = f"step {len(self._steps) + 1} of {self.topic}, {unparse(before)} to {after}: {error.message}"
            raise
        for condition in conditions_of(certificate, self.setting):
            self._hypotheses.setdefault(condition)
        self._steps.append(Step(rule, unparse(before), unparse(node), Both(es, en or es), certificate.evidence, sign, certificate))
        self._lines.append(Line(before, sign, node, (certificate,)))
        self._signs.append(sign)
        self._run.append(certificate)
        self._at = node

    @property
    def at(self) -> Node | None:
        """Where the run of steps stands."""
        return self._at

    def done(self, statement: str = "", *, form: str = "") -> Derivation:
        """The derivation. `statement` is what it must come to (by default what the runs of steps say), `form` the words that join its
        relations ("gradient of O by Q"; see closing.py). Raises DerivationError."""
        self._close()
        found = "; ".join(self._clauses)
        if not self._steps:
            raise DerivationError(f"the derivation of {self.topic} has no steps")
        said = self._said(statement or (f"{form}: {found}" if form else found))
        close(read_statement(said), self.setting)
        hypotheses = (*size_conditions(self.setting), *self._hypotheses)
        return Derivation(
            self.topic, said, hypotheses, tuple(self.setting.definitions), tuple(self._steps), self._steps[-1].after, self.title,
            tuple(self._parts),
        )  # fmt: skip

    def _close(self) -> None:
        if self._left is None:
            return
        if not self._signs or self._at is None:
            raise DerivationError(f"a run of steps of {self.topic} goes nowhere", next_move="add a step before the next start")
        sign = joined(self._signs)
        self._clauses.append(clause_text(unparse(self._left), sign, unparse(self._at)))
        self._reached.append(Line(self._left, sign, self._at, tuple(self._run)))
        self._left = self._at = None

    def _said(self, statement: str) -> str:
        wanted, found = read_statement(statement), read_statement("; ".join(self._clauses))
        same = len(wanted.clauses) == len(found.clauses) and all(
            a.left == b.left and a.right == b.right and implies(b.sign, a.sign) for a, b in zip(wanted.clauses, found.clauses, strict=True)
        )
        if not same:
            raise DerivationError(f'the steps of {self.topic} say "{"; ".join(self._clauses)}", not "{statement}"')
        form = f"{wanted.form}: " if wanted.form else ""
        return form + "; ".join(clause_text(unparse(c.left), c.sign, unparse(c.right)) for c in wanted.clauses)
