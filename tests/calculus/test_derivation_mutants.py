"""Steps whose meaning was changed, over the whole catalogue: none is accepted.

A mutant changes what stands after a step, and before the next one alike, so that nothing but the mathematics can give it away. Each is
first shown to differ from the original on an exact sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

from symattn.calculus.catalogue import theorem, topics
from symattn.calculus.derivation import Derivation
from symattn.calculus.derive import derive
from symattn.calculus.recheck import recheck
from symattn.calculus.rules import refute
from symattn.calculus.setting import Setting
from symattn.calculus.task import Task
from symattn.errors import SymattnError
from symattn.language.ast import Call, Index, Name, Node, Number, Operation, Sign, Transpose, walk
from symattn.language.parser import parse
from symattn.language.unparse import substitute, unparse

TWO = Number(Fraction(2), "2")
A_STEP = 2  # mutants tried on each step
WANTED = 100


def sign(node: Node) -> Node | None:
    match node:
        case Operation("+", a, b):
            return Operation("-", a, b)
        case Operation("-", a, b):
            return Operation("+", a, b)
        case Sign(_, x):
            return x
    return None


def factor(node: Node) -> Node | None:
    return Operation("*", TWO, node) if isinstance(node, Name | Call) else None


def dropped(node: Node) -> Node | None:
    return node.a if isinstance(node, Operation) and node.op in ("+", "-") else None


def missing(node: Node) -> Node | None:
    return node.a if isinstance(node, Operation) and node.op in ("*", "/") else None


def transposed(node: Node) -> Node | None:
    match node:
        case Operation("@", a, Transpose(b)):
            return Operation("@", a, b)
        case Operation("@", a, b):
            return Operation("@", a, Transpose(b))
        case Operation("*", a, b):
            return Operation("*", a, Transpose(b))
    return None


def axis(node: Node) -> Node | None:
    if isinstance(node, Call) and node.function == "sum":
        return Call("sum", node.args, parse("sum(x, axis=0)").keywords if not node.keywords else ())  # type: ignore[union-attr]
    return None


def squared(node: Node) -> Node | None:
    return Operation("**", node, TWO) if isinstance(node, Name | Index) else None


def swapped(node: Node) -> Node | None:
    return Index(node.x, (node.items[1], node.items[0], *node.items[2:])) if isinstance(node, Index) and len(node.items) > 1 else None


def mask(node: Node) -> Node | None:
    match node:
        case Call("if_atmost", (i, j, c), _):
            return Call("if_atmost", (j, i, c))
        case Call("causal_part", (x,), _):
            return x
    return None


KINDS: dict[str, Callable[[Node], Node | None]] = {
    "sign": sign, "factor": factor, "dropped term": dropped, "missing factor": missing, "transposed use": transposed, "wrong axis": axis,
    "square": squared, "swapped indices": swapped, "wrong mask": mask,
}  # fmt: skip


def mutants(node: Node, rng: Random) -> Iterator[tuple[str, Node]]:
    found = [(kind, part, new) for kind, change in KINDS.items() for part in walk(node) if (new := change(part)) is not None]
    rng.shuffle(found)
    for kind, part, new in found:
        yield kind, substitute(node, {part: new})


def different(setting: Setting, node: Node, mutant: Node) -> bool:
    """Is it shown by an exact sample that the two are not equal?"""
    try:
        if len(setting.shape(node)) != len(setting.shape(mutant)):
            return False
        return refute(Task(setting, node, mutant), "==") is not None
    except SymattnError:
        return False


def planted(derivation: Derivation, at: int, mutant: Node) -> Derivation:
    steps = list(derivation.steps)
    text = unparse(mutant)
    steps[at] = replace(steps[at], after=text)
    if at + 1 < len(steps) and steps[at + 1].before == derivation.steps[at].after:
        steps[at + 1] = replace(steps[at + 1], before=text)
    return replace(derivation, steps=tuple(steps))


def tried(derivation: Derivation, rng: Random, counts: Counter[str]) -> None:
    for at, step in enumerate(derivation.steps):
        setting = Setting(derivation.definitions)
        node = parse(step.after)
        done = 0
        for kind, mutant in mutants(node, rng):
            if done == A_STEP:
                break
            if different(setting, node, mutant):
                # Only up to the step after the mutant: the rest is as it was.
                short = planted(derivation, at, mutant)
                found = recheck(replace(short, steps=short.steps[: at + 2]))
                assert not found.right
                assert found.findings[0].step in (at + 1, at + 2), (derivation.topic, at, kind, found.findings)
                assert "statement" not in found.findings[0].message or "counterexample" in found.findings[0].message
                counts[kind] += 1
                done += 1


def test_no_mutant_of_a_step_is_accepted(capsys):
    rng = Random(2024)
    counts: Counter[str] = Counter()
    for topic in topics():
        tried(theorem(topic).derive(), rng, counts)
    tried(derive("attention", "W_Q,X", mask="causal"), rng, counts)
    with capsys.disabled():
        print(f"\nmutants of derivation steps, all rejected: {counts.total()} ({', '.join(f'{k} {n}' for k, n in sorted(counts.items()))})")
    assert counts.total() >= WANTED
    assert all(counts[kind] for kind in KINDS)


def test_a_mutant_that_is_equal_is_no_mutant():
    derivation = theorem("softmax-shift").derive()
    setting = Setting(derivation.definitions)
    assert not different(setting, parse("softmax(S + c)"), parse("softmax(S)"))
    assert different(setting, parse("softmax(S * c)"), parse("softmax(S)"))
