"""An equality that holds where one stage has the value of another: what a hypothesis such as `A == eye(d)` is good for.

Promises: the hypothesis stands, in words, among those of the certificate, and so among those of all that follows from it. Does not
promise: that anything satisfies the hypothesis.
"""

from __future__ import annotations

from collections.abc import Sequence

from symattn.program import ops
from symattn.program.program import Program, Stage
from symattn.proof.certificate import Certificate, Statement, mint
from symattn.proof.evidence import StepRejected
from symattn.proof.kernel import prove_equal, stated
from symattn.proof.parts import cone


def supposing(program: Program, left: str, right: str, name: str, value: str, words: str, *, atoms: Sequence[str] = ()) -> Certificate:
    """`left == right` where the stage `name` equals the stage `value`, which does not depend on it: proved of the program in which
    `name` is a copy of `value`. `words` is the hypothesis as text, `name == …`; that the rest of it means `value` is for the
    caller to see to.

    Raises StepRejected where the value depends on the stage or nothing depends on the supposition, and what `prove_equal` raises."""
    stated(program, left, right)
    stated(program, name, value)
    if not words.startswith(f"{name} == "):
        raise StepRejected(f'"{words}" does not say what "{name}" is')
    behind = cone(program, [value])
    if name in behind:
        raise StepRejected(f'"{value}" is made of "{name}" itself', next_move="suppose a value that stands for itself")
    if name not in cone(program, [left, right]):
        raise StepRejected(f'neither side is made of "{name}"', next_move="leave the supposition out")
    out = program.by_name[name].out
    copy = Stage(name, ops.Contract(out, (ops.Use(value, out),)))
    first = [s for s in program.stages if s.name in behind]
    rest = [copy if s.name == name else s for s in program.stages if s.name not in behind]
    same = prove_equal(Program((*first, *rest)), left, right, atoms=[a for a in atoms if a != name])
    hypotheses = tuple(dict.fromkeys([*same.hypotheses, words]))
    return mint(Statement(program, left, right), same.evidence, hypotheses, (same,), same.atoms, "supposition")
