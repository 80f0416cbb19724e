"""The list of slips, and the hint for a group of printed numbers.

Promises: `explain` tries every variant of every slip on the whole group and names the first that gives every printed digit, with how
many were tried and how many fit; a slip is a hint and never changes a verdict. Does not promise: that a slip which fits is what happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symattn.claims import slip_rules as rules
from symattn.claims.model import Hint
from symattn.claims.slip_search import MAX_CANDIDATES, Candidate, Group, Reading, Run, Slip, fits, prints_as, search

__all__ = ["MAX_CANDIDATES", "SLIPS", "Candidate", "Group", "Reading", "Run", "Slip", "describe", "explain", "fits", "prints_as", "search"]

# The order is the order of naming when several fit: slips of one printed number first, then of the calculation.
SLIPS: tuple[Slip, ...] = (
    Slip(
        "adjusted",
        {"es": "ajustado para que las partes impresas sumen el total", "en": "adjusted so that the printed parts add up"},
        rules.adjusted,
    ),
    Slip("digits-swapped", {"es": "dos cifras intercambiadas", "en": "two digits swapped"}, rules.digits_swapped),
    Slip("unscaled", {"es": "falta o sobra el factor 100", "en": "a factor of 100 missing or too many"}, rules.unscaled),
    Slip("missing-scale", {"es": "falta la escala", "en": "the scale is missing"}, rules.missing_scale),
    Slip("other-scale", {"es": "otra escala", "en": "another scale"}, rules.other_scale),
    Slip("other-row", {"es": "otra fila, u otra entrada", "en": "another row or entry"}, rules.other_row),
    Slip("transposed", {"es": "una matriz traspuesta", "en": "a matrix transposed"}, rules.transposed),
    Slip("wrong-axis", {"es": "normalizado por el otro eje", "en": "normalised along the other axis"}, rules.wrong_axis),
    Slip("left-out", {"es": "un término omitido", "en": "a term left out"}, rules.left_out),
    Slip("early-rounding", {"es": "pasos intermedios redondeados", "en": "intermediate steps rounded"}, rules.early_rounding),
    Slip("other-operand", {"es": "otro operando", "en": "another operand"}, rules.other_operand),
    Slip("float32", {"es": "cálculo en float32", "en": "computed in float32"}, rules.float32),
)


def explain(group: Group, slips: Sequence[Slip] = SLIPS, *, limit: int = MAX_CANDIDATES) -> Hint:
    """The hint for a group with a finding in it."""
    return search(group.printed, _candidates(group, slips), limit=limit)


def _candidates(group: Group, slips: Sequence[Slip]) -> Iterator[Candidate]:
    for slip in slips:
        yield from slip.variants(group)


def describe(hint: Hint, lang: str = "en", slips: Sequence[Slip] = SLIPS) -> str:
    """The hint's slip in words with its detail in symbols: `another scale (T: √d_k → d_k)`; "" when none fits."""
    words: Mapping[str, str] | None = next((s.words for s in slips if s.name == hint.slip), None)
    if words is None:
        return hint.slip
    return f"{words[lang]} ({hint.detail})" if hint.detail else words[lang]
