"""Printed totals of 1 or 100 %, claims of kind `sum`.

Promises: the total is exact, each rounded addend may be half a unit away; the printed addends either can come to the total or they cannot.
Does not promise: anything about other totals, which follow the table of judge.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from symattn.claims.judge import value_text
from symattn.claims.model import Judgement
from symattn.claims.operands import Operand
from symattn.errors import InputError
from symattn.number.decimal import Printed, decimal_text
from symattn.number.truth import Rational


def is_whole(total: Printed) -> bool:
    """Is this a total of 1, or of 100 %?"""
    return total.plain == 1


def judge_sum(total: Printed, addends: Sequence[Operand]) -> Judgement:
    """The verdict on a printed total of 1 or 100 % over its printed addends, with the slack of each (`operands.operand`).

    exact: the printed addends come to exactly the total. from-rounded (reach "interval"): they come within their slacks. wrong: they do
    not; `off` is then the total minus their sum in units of the total's last place, away from zero to an integer. `value` is the exact
    total, `from_printed` what the printed addends come to, both in the printed unit. Raises InputError for another total or no addends.
    """
    if not is_whole(total):
        raise InputError(f"the total {total.token} is neither 1 nor 100 %", next_move="judge it as a number")
    if not addends:
        raise InputError(f"the total {total.token} has no addends", next_move="give the printed addends")
    found = sum((a.value for a in addends), Fraction(0)) * total.scale
    slack = sum((a.slack for a in addends), Fraction(0)) * total.scale
    gap = total.value - found
    base = Judgement(
        "exact",
        value=value_text(Rational(total.value)),
        from_printed=value_text(Rational(found)),
        right=decimal_text(total.value, total.places),
    )
    if gap == 0:
        return base
    if abs(gap) <= slack:
        return replace(base, verdict="from-rounded", reach="interval")
    units = abs(gap) / total.unit
    count = -(-units.numerator // units.denominator)
    return replace(base, verdict="wrong", off=count if gap > 0 else -count, reason="sum")
