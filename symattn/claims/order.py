"""Printed and stated orders, claims of kind `order`: an argmax, a ranking, a sign.

Promises: a relation is YES or NO only when it is proven; a tie is a tie only when equality is proven.
Does not promise: that a true order of the exact values is visible in the printed digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from symattn.claims.judge import PRECISION
from symattn.claims.model import Judgement
from symattn.errors import InputError, UndecidedError
from symattn.number.decimal import Printed
from symattn.number.truth import CAP_BITS, Quantity, Rational, Truth, compare

# What each sign says of the comparison of its left side with its right side.
SIGNS: dict[str, frozenset[int]] = {
    "==": frozenset({0}),
    "=": frozenset({0}),
    "!=": frozenset({-1, 1}),
    "<": frozenset({-1}),
    "<=": frozenset({-1, 0}),
    ">": frozenset({1}),
    ">=": frozenset({0, 1}),
}


def relation_truth(quantities: Sequence[Quantity], signs: Sequence[str], *, cap_bits: int = CAP_BITS) -> Truth:
    """Is the chain `q0 sign0 q1 sign1 q2 …` true? NO as soon as one link is refuted, YES when each is proven."""
    if len(quantities) != len(signs) + 1 or not signs:
        raise InputError(
            f"{len(quantities)} values and {len(signs)} signs do not make a relation", next_move="put a sign between two values"
        )
    unknown = False
    for left, sign, right in zip(quantities, signs, quantities[1:], strict=False):
        if sign not in SIGNS:
            raise InputError(f"{sign!r} is not a relation", next_move="use " + " ".join(s for s in SIGNS if s != "="))
        try:
            found = compare(left, right, cap_bits=cap_bits)
        except UndecidedError:
            found = None
        if found is None:
            unknown = True
        elif found not in SIGNS[sign]:
            return Truth.NO
    return Truth.UNKNOWN if unknown else Truth.YES


def judge_order(quantities: Sequence[Quantity], signs: Sequence[str], *, cap_bits: int = CAP_BITS) -> Judgement:
    """The verdict on a printed or stated order of exact values: exact, wrong or undecided."""
    match relation_truth(quantities, signs, cap_bits=cap_bits):
        case Truth.YES:
            return Judgement("exact")
        case Truth.NO:
            return Judgement("wrong", reason="order")
        case _:
            return Judgement("undecided", reason=PRECISION)


def judge_argmax(quantities: Sequence[Quantity], index: int, *, cap_bits: int = CAP_BITS) -> Judgement:
    """The verdict on "entry `index` is the largest": it must exceed each of the others, a proven tie is wrong."""
    others = [q for k, q in enumerate(quantities) if k != index]
    truths = [relation_truth((quantities[index], q), (">",), cap_bits=cap_bits) for q in others]
    if Truth.NO in truths:
        return Judgement("wrong", reason="order")
    return Judgement("undecided", reason=PRECISION) if Truth.UNKNOWN in truths else Judgement("exact")


def judge_sign(quantity: Quantity, sign: int, *, cap_bits: int = CAP_BITS) -> Judgement:
    """The verdict on "it is negative, zero, positive" for sign -1, 0, 1."""
    name = {-1: "<", 0: "==", 1: ">"}[sign]
    return judge_order((quantity, Rational(Fraction(0))), (name,), cap_bits=cap_bits)


def changed_entries(printed: Sequence[Printed], values: Sequence[Quantity], *, cap_bits: int = CAP_BITS) -> frozenset[int]:
    """The entries of a printed vector that stand in a proven wrong order with another entry: they carry `conclusion_changed`.

    A pair counts when the printed numbers differ and the exact ones are proven to be equal or the other way round. Two numbers printed
    alike say nothing about their order, and neither does an undecided comparison.
    """
    found: set[int] = set()
    for i, j in combinations(range(len(printed)), 2):
        shown = (printed[i].plain > printed[j].plain) - (printed[i].plain < printed[j].plain)
        if shown == 0:
            continue
        try:
            true = compare(values[i], values[j], cap_bits=cap_bits)
        except UndecidedError:
            continue
        if true is not None and true != shown:
            found |= {i, j}
    return frozenset(found)
