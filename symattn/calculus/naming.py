"""What the stages of a backward pass are called once it is done.

A cotangent is called d and the letter of its stage, or its name. One that several stages share (the two sides of a sum, a mask and what it
masks) is called after the one that was asked for, else after one with a letter, else after the first.

Promises: no name of the program is taken. Does not promise: letters for inner stages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from symattn.program.program import Program
from symattn.program.tangent import symbol


def best_owner(program: Program, owners: Sequence[str], asked: Collection[str]) -> str:
    """The stage after which a cotangent that these share is called. `owners` come in the order of the pass, last stages first."""
    return min(reversed(owners), key=lambda s: (s not in asked, not program.by_name[s].letter))


def final_names(
    program: Program, owners: Mapping[str, Sequence[str]], asked: Collection[str], made: Collection[str], wanted: Collection[str]
) -> dict[str, str]:
    """New names for cotangents: `owners` gives the stages of each, `made` are the stages that the pass wrote, `wanted` those that stay."""
    taken = {*program.by_name, *wanted}
    renamed: dict[str, str] = {}
    for name, shared in owners.items():
        if name in made and name in wanted:
            better = f"d{symbol(program.by_name[best_owner(program, shared, asked)])}"
            if better not in taken:
                renamed[name] = better
                taken.add(better)
    return renamed
