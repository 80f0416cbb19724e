"""Slips planted in gradients are all rejected by the kernel, after each was shown to be one on exact enclosures.

`python tests/calculus/test_mutants.py` takes many more than the test does, and prints the counts.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction as F
from functools import cache
from math import prod
from typing import Any

import pytest
from gradient_cases import CASES, SIZES, TEXT_SIZES, TEXTS, is_mask
from mutants import KINDS, Mutant, changes, mutant

from symattn.calculus.gradient import Gradient
from symattn.calculus.reverse import reverse
from symattn.errors import DomainError, MaskedRowError, ProgramError, UndecidedError
from symattn.interp.tensor import Tensor
from symattn.program.ops import Op
from symattn.program.program import Program
from symattn.proof.evidence import StepRejected
from symattn.proof.kernel import prove_equal

REFUSALS = (StepRejected, UndecidedError, ProgramError)
BASES = [*CASES, *TEXTS]


@cache
def base(name: str) -> tuple[Program, Gradient, dict[str, int]]:
    if name in CASES:
        case = CASES[name]
        program, of, wrt, sizes = case.program(), "output", case.inputs, dict(SIZES)
        blocks = case.lowering.get("blocks", (3,))
        sizes["n"] = sum(blocks) if all(isinstance(b, int) for b in blocks) else 3
    else:
        program, of, wrt = TEXTS[name]
        sizes = dict(TEXT_SIZES)
    return program, reverse(program, of, list(wrt)), sizes


@cache
def point(name: str) -> dict[str, Any]:
    _, gradient, sizes = base(name)
    rng = random.Random(name)
    found: dict[str, Any] = {}
    for stage in gradient.program.inputs:
        shape = tuple(a.space.extent(sizes) for a in stage.out)
        entries: list[Any] = [F(rng.choice([-5, -3, -2, -1, 1, 2, 3, 4]), rng.choice([1, 2, 3, 5])) for _ in range(prod(shape))]
        found[stage.name] = Tensor(shape, [k % 2 == 0 for k in range(prod(shape))] if is_mask(stage) else entries)
    return found


@cache
def right(name: str) -> dict[str, Tensor[Any]]:
    return read(name, base(name)[1])


def read(name: str, gradient: Gradient) -> dict[str, Tensor[Any]]:
    values = gradient.program.evaluate(point(name), numbers="balls", bits=200, sizes=base(name)[2])
    return {stage: values[stage] for stage in gradient.names.values()}


def differs(name: str, made: Mutant) -> bool:
    """Is an entry of a gradient proved to be another number?"""
    try:
        found = read(name, made.gradient)
    except (DomainError, MaskedRowError, UndecidedError):
        return False
    for stage, tensor in found.items():
        for a, b in zip(tensor.entries, right(name)[stage].entries, strict=True):
            x, y = a.enclose(200), b.enclose(200)
            if x.hi < y.lo or y.hi < x.lo:
                return True
    return False


def rejected(made: Mutant) -> bool:
    """Does the kernel refuse an obligation that has the changed stage in it?"""
    changed = made.gradient.program.by_name[made.stage]
    try:
        concerned = [o for o in made.gradient.obligations if o.program.by_name.get(made.stage) == changed]
        for o in concerned:
            prove_equal(o.program, o.left, o.right, atoms=o.atoms)
    except REFUSALS:
        return True
    return False


@cache
def possible(name: str) -> tuple[tuple[str, str, Op], ...]:
    program, gradient, _ = base(name)
    return tuple(changes(gradient, program))


def chosen(kind: str, seed: int) -> Iterator[tuple[str, Mutant]]:
    """Mutants of a kind in random order, a few of each base."""
    rng = random.Random(f"{kind} {seed}")
    names = [name for name in BASES if name.startswith("online")] if kind == "wrong block" else BASES
    while True:
        name = rng.choice(names)
        of_kind = [change for change in possible(name) if change[0] == kind]
        for change in rng.sample(of_kind, min(3, len(of_kind))):
            made = mutant(base(name)[1], *change)
            if made is not None:
                yield name, made


def hunt(kind: str, wanted: int, seed: int = 0) -> tuple[Counter[str], list[str]]:
    """How many mutants of a kind were shown unequal, rejected, or changed nothing that was seen; what was accepted."""
    counts: Counter[str] = Counter()
    accepted: list[str] = []
    for name, made in chosen(kind, seed):
        if counts["unequal"] >= wanted:
            break
        if not differs(name, made):
            counts["not seen to differ"] += 1
            continue
        counts["unequal"] += 1
        if rejected(made):
            counts["rejected"] += 1
        else:
            accepted.append(f"{name}: {made.stage}")
    return counts, accepted


@pytest.mark.parametrize("kind", KINDS)
def test_mutants_are_rejected(kind: str) -> None:
    counts, accepted = hunt(kind, 25)
    print(f"{kind}: {dict(counts)}")
    assert accepted == []
    assert counts["rejected"] == counts["unequal"] == 25


@pytest.mark.parametrize("name", ["plain: causal", "online in 2 + 1: bare", "cross-entropy"])
def test_the_unchanged_gradient_is_accepted(name: str) -> None:
    gradient = base(name)[1]
    for o in gradient.obligations:
        assert prove_equal(o.program, o.left, o.right, atoms=o.atoms).evidence.kind == "proved-all-sizes"


if __name__ == "__main__":
    total: Counter[str] = Counter()
    for each in KINDS:
        found, slipped = hunt(each, int(sys.argv[1]) if len(sys.argv) > 1 else 100, seed=1)
        total += found
        print(f"{each:28} unequal {found['unequal']:4}  rejected {found['rejected']:4}  not seen to differ {found['not seen to differ']:4}")
        for slip in slipped:
            print("   ACCEPTED", slip)
    print(f"{'all':28} unequal {total['unequal']:4}  rejected {total['rejected']:4}  not seen to differ {total['not seen to differ']:4}")
