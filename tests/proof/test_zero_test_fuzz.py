"""Random pairs: no unequal one is accepted, few true ones are missed. `benchmarks/proof_fuzz.py` runs many more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
import random_pairs
import random_programs

from symattn.program.program import Program
from symattn.proof import kernel
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.kernel import Budget, stated, zero_test
from symattn.proof.sampling import sample

BUDGET = Budget(10_000, 5.0)


def proved(program: Program) -> bool:
    try:
        return zero_test(stated(program, "left", "right"), budget=BUDGET) is not None
    except Undecided:
        return False


def expressions_differ(program: Program) -> bool:
    try:
        sample(program, "left", "right")
    except StepRejected:
        return True
    except Undecided:
        return False
    return False


def counted(make: Callable[[int, bool], Program], differ: Callable[[Program], bool], seeds: range) -> Counter[str]:
    """How many pairs were equal by construction and missed, or different and accepted."""
    found: Counter[str] = Counter()
    for seed in seeds:
        equal = seed % 2 == 1
        program = make(seed, equal)
        seen = proved(program)
        if equal:
            found["true"] += 1
            found["missed"] += not seen
            found["wrongly made"] += differ(program)
        elif differ(program):
            found["unequal"] += 1
            found["accepted"] += seen
    return found


def expression(seed: int, equal: bool) -> Program:
    return random_pairs.program(*random_pairs.pair(seed, equal=equal))


def indexed(seed: int, equal: bool) -> Program:
    return random_programs.pair(seed, equal=equal)


def indexed_differ(program: Program) -> bool:
    return random_programs.differ(program, Random(1))


@pytest.mark.parametrize(("make", "differ"), [(expression, expressions_differ), (indexed, indexed_differ)], ids=["expressions", "sums"])
def test_no_unequal_pair_is_accepted(make: Callable[[int, bool], Program], differ: Callable[[Program], bool]) -> None:
    found = counted(make, differ, range(300))
    assert found["accepted"] == 0
    assert found["wrongly made"] == 0
    assert found["missed"] <= 3
    assert found["true"] == 150
    assert found["unequal"] > 90


@pytest.mark.parametrize(("make", "differ"), [(expression, expressions_differ), (indexed, indexed_differ)], ids=["expressions", "sums"])
def test_the_count_would_see_a_test_that_accepts_too_much(
    make: Callable[[int, bool], Program], differ: Callable[[Program], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "vanishes", lambda ctx, terms: len(terms) < 3)
    assert counted(make, differ, range(60))["accepted"] > 0
