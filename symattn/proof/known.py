"""What a rule may take for known: certificates about this program, and signs that are given or supposed.

Promises: what is supposed of an input stands among the hypotheses of what follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symattn.errors import ProgramError
from symattn.program import ops
from symattn.program.program import Program
from symattn.proof.certificate import Certificate, Statement, genuine, mint
from symattn.proof.evidence import PROVED_ALL_SIZES, Evidence, StepRejected
from symattn.proof.facts import check_cone
from symattn.proof.forms import Forms
from symattn.proof.functions import new_context
from symattn.proof.needs import Needs
from symattn.proof.parts import cone
from symattn.proof.sampling import sample

PROVED = Evidence(PROVED_ALL_SIZES)
Signs = Mapping[str, str]


@dataclass
class Known:
    """Signs that are given by certificates or supposed of inputs."""

    program: Program
    given: Sequence[Certificate]
    suppose: Signs

    def __post_init__(self) -> None:
        positive: list[str] = []
        weak: list[str] = []
        for c in self.given:
            relation = order_of(c, self.program)
            if c.statement.right != "0" or relation not in (">", ">="):
                raise StepRejected(f'"{c.statement.text()}" says nothing of a sign')
            (positive if relation == ">" else weak).append(c.statement.left)
        for name, sign in self.suppose.items():
            stage = self.program.by_name.get(name)
            if stage is None or not isinstance(stage.op, ops.Input) or sign not in (">", ">="):
                raise ProgramError(f'"{name} {sign} 0" cannot be supposed', next_move="suppose a sign, > or >=, of an input")
            (positive if sign == ">" else weak).append(name)
        self.forms = Forms(self.program, positive, weak)

    def hypotheses(self, stages: Sequence[str]) -> tuple[str, ...]:
        """What was supposed of these stages, what they need to have values, and what the given certificates suppose."""
        own = [f"{name} {sign} 0" for name, sign in self.suppose.items() if name in stages]
        needs = Needs(self.program, new_context(0, 0))
        needed = [h for name in stages for h in needs.of_stage(name)]
        return tuple(dict.fromkeys([*own, *needed, *(h for c in self.given for h in c.hypotheses)]))


def certain(certificate: object) -> Certificate:
    """The certificate, if it is one. Raises ProgramError."""
    if not genuine(certificate):
        raise ProgramError("a rule that starts from what is not a certificate of the kernel", next_move="prove it first")
    assert isinstance(certificate, Certificate)
    return certificate


def order_of(certificate: object, program: Program, *, limit: bool = False) -> str:
    """The relation of a certificate about stages of this program; a limit only where one is asked for. Raises ProgramError for what is
    no certificate, StepRejected for what is no comparison for all sizes."""
    certificate = certain(certificate)
    s = certificate.statement
    if ((s.relation == "->" or s.scope) and not limit) or certificate.evidence.kind != PROVED_ALL_SIZES:
        raise StepRejected(f'"{s.text()}" is not a comparison for all sizes')
    check_cone(s, program)
    return s.relation


def known_fact(
    program: Program, left: str, right: str, relation: str, hypotheses: tuple[str, ...], rule: str, positive: Sequence[str] = ()
) -> Certificate:
    """A certificate for an instance of a known inequality, which a sample (inputs in `positive` above 0) must not contradict."""
    sample(program, left, right, relation=relation, positive=positive)
    needs = Needs(program, new_context(0, 0))
    needed = [h for name in cone(program, [left, right]) for h in needs.of_stage(name)]
    return mint(Statement(program, left, right, relation), PROVED, tuple(dict.fromkeys([*hypotheses, *needed])), (), (), rule)


def merged(*certificates: Certificate) -> tuple[str, ...]:
    """The hypotheses of all of them, each once."""
    return tuple(dict.fromkeys(h for c in certificates for h in c.hypotheses))


def named(program: Program, *names: str) -> None:
    """Raises ProgramError for a name that is no stage of `program`."""
    for name in names:
        if name not in program.by_name:
            raise ProgramError(f'there is no stage "{name}"', next_move="stages: " + ", ".join(program.by_name))


def fresh(program: Program, name: str) -> str:
    """`name`, with as many primes as make it new in `program`."""
    while name in program.by_name:
        name += "'"
    return name
