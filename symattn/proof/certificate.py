"""Statements about programs, and the certificates that only the kernel makes.

Trust model. A certificate is made by `mint`, which holds a key that the constructor asks for, and it is remembered: `genuine` knows every
one that was made. It cannot be copied with changes, pickled or edited. So neither a file nor an ordinary mistake nor a hopeful
`Certificate(...)` in other code can bring one about; a test reads the sources and allows `mint` to the files of the kernel only (they are
named in this package's docstring). What Python cannot prevent is code in the same process that reaches for these names on purpose; who
does not trust such code takes the text of the derivation and proves it again (`recheck`).

Promises: a genuine certificate was proved in this process. Does not promise: protection from code that means to deceive.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn
from weakref import WeakSet

from symattn.program.program import Program
from symattn.proof.evidence import Evidence

RELATIONS = ("==", "<=", "<", ">=", ">", "->")
_KEY = object()


@dataclass(frozen=True)
class Statement:
    """`left relation right`, entry by entry: two stages of one program whose axes are equal in order; `right` is "0" for the number.
    `->` is a limit. `scope` says for what else it holds, in words: "as t -> oo", "for every number of blocks"."""

    program: Program = field(repr=False)
    left: str
    right: str
    relation: str = "=="
    scope: str = ""

    def text(self) -> str:
        """`left == right`, with its scope."""
        return f"{self.left} {self.relation} {self.right}" + (f" {self.scope}" if self.scope else "")


class Certificate:
    """A proved statement. `statement`; `evidence`; `hypotheses`: what must hold where it is used, as text (denominators that do not
    vanish, numbers under roots); `facts`: the certificates it rests on; `atoms`: the stages it holds for whatever their values are, as
    long as they have the signs that the program's form gives them; `rule`: the name of the rule that proved it."""

    __slots__ = ("__weakref__", "_atoms", "_evidence", "_facts", "_hypotheses", "_rule", "_statement")
    _statement: Statement
    _evidence: Evidence
    _hypotheses: tuple[str, ...]
    _facts: tuple[Certificate, ...]
    _atoms: tuple[str, ...]
    _rule: str

    def __init__(
        self,
        key: object,
        statement: Statement,
        evidence: Evidence,
        hypotheses: tuple[str, ...] = (),
        facts: tuple[Certificate, ...] = (),
        atoms: tuple[str, ...] = (),
        rule: str = "identity",
    ) -> None:
        if key is not _KEY:
            raise TypeError("only the proof kernel makes certificates; prove the statement with symattn.proof.kernel")
        for name, value in (
            ("_statement", statement),
            ("_evidence", evidence),
            ("_hypotheses", hypotheses),
            ("_facts", facts),
            ("_atoms", atoms),
            ("_rule", rule),
        ):
            object.__setattr__(self, name, value)
        _MADE.add(self)

    @property
    def statement(self) -> Statement:
        """What was proved."""
        return self._statement

    @property
    def evidence(self) -> Evidence:
        """How it is known."""
        return self._evidence

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """What must hold where it is used, as text."""
        return self._hypotheses

    @property
    def facts(self) -> tuple[Certificate, ...]:
        """The certificates it rests on."""
        return self._facts

    @property
    def atoms(self) -> tuple[str, ...]:
        """The stages for whose values it holds, whatever they are."""
        return self._atoms

    @property
    def rule(self) -> str:
        """The name of the rule that proved it."""
        return self._rule

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a certificate does not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a certificate does not change")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a certificate is not written to a file; write the derivation and prove it again")

    def __copy__(self) -> Certificate:
        return self

    def __deepcopy__(self, memo: object) -> Certificate:
        return self

    def __repr__(self) -> str:
        return f"<Certificate {self._statement.text()} · {self._evidence.text()}>"


_MADE: WeakSet[Certificate] = WeakSet()


def genuine(certificate: object) -> bool:
    """Was this certificate made by the kernel?"""
    return type(certificate) is Certificate and certificate in _MADE


def mint(
    statement: Statement,
    evidence: Evidence,
    hypotheses: tuple[str, ...] = (),
    facts: tuple[Certificate, ...] = (),
    atoms: tuple[str, ...] = (),
    rule: str = "identity",
) -> Certificate:
    """A certificate. For the kernel's files (kernel.py, rules.py) only."""
    return Certificate(_KEY, statement, evidence, hypotheses, facts, atoms, rule)
