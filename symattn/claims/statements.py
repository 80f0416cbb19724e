"""The status of a sentence of the document, from the truth of its formalisations.

Promises: a status is given only when the formula it rests on is proven. Does not promise: that the formula says what the sentence says;
the worksheet's author does, and the page prints both.

`says` is the sentence as printed, `means` a sharper reading that makes it true, `instead` what is true when the sentence is false.

| status | when |
|---|---|
| holds | `says` is proven |
| imprecise | `says` is refuted or absent, and `means` is proven |
| false | `says` is refuted or absent, `means` is absent, and `instead` is proven |
| not-mathematics | no formula at all |
"""

from __future__ import annotations

from symattn.claims.order import relation_truth
from symattn.errors import SheetError, UndecidedError
from symattn.number.truth import Truth

__all__ = ["relation_truth", "status"]


def status(says: Truth | None, means: Truth | None = None, instead: Truth | None = None) -> str:
    """One of `model.STATUSES`. None stands for an absent formula; of several lines under one key, pass `all_of`.

    Raises UndecidedError when a formula that was given is undecided, SheetError when `means` or `instead` is refuted, and when a
    refuted `says` stands alone or a proven one does not.
    """
    if says is None and means is None and instead is None:
        return "not-mathematics"
    if says is Truth.YES:
        for key, truth in (("means", means), ("instead", instead)):
            if truth is not None:
                raise SheetError(f'"says" is proven, so "{key}" has nothing to correct', next_move=f'drop the line "{key}"')
        return "holds"
    if says is Truth.UNKNOWN:
        raise UndecidedError('the formula under "says" is undecided', next_move="formalise it more simply")
    if means is None and instead is None:
        move = 'correct it, or add "means" (a reading that is true) or "instead" (what is true)'
        raise SheetError('the formula under "says" is refuted', next_move=move)
    for key, truth in (("means", means), ("instead", instead)):
        if truth is Truth.NO:
            raise SheetError(f'the formula under "{key}" is refuted', next_move="correct the formula")
        if truth is Truth.UNKNOWN:
            raise UndecidedError(f'the formula under "{key}" is undecided', next_move="formalise it more simply")
    return "imprecise" if means is not None else "false"


def all_of(truths: list[Truth]) -> Truth | None:
    """The truth of several formulas together; None when there is none."""
    if not truths:
        return None
    if Truth.NO in truths:
        return Truth.NO
    return Truth.UNKNOWN if Truth.UNKNOWN in truths else Truth.YES
