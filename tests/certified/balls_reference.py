"""The reference of these tests: attention in Arb, entry by entry, sharing nothing with symattn.certified.

`is_rounding` says whether a float is the rounding to nearest even of a ball's number, by exact fractions; None when the ball is too wide.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from symattn.number.formats import FORMATS, Format, Special, round_fraction
from symattn.number.precision import flint_bits


def ball_matrix(x: np.ndarray) -> Any:
    return arb_mat(x.shape[0], x.shape[1], [arb(float(e)) for e in np.asarray(x, dtype=np.float64).ravel()])


def attention_balls(q, k, v, square=None, bias=None, allowed=None, bits=256):
    """(outputs, log-sum-exps, weights) as lists of balls; the scale is the root of `square`, 1/d by default. Rows without keys are None."""
    with flint_bits(bits):
        square = Fraction(1, q.shape[1]) if square is None else square
        scale = arb(fmpq(square.numerator, square.denominator)).sqrt()
        scores = ball_matrix(q) * ball_matrix(k).transpose()
        values = ball_matrix(v)
        outputs, logs, weights = [], [], []
        for i in range(q.shape[0]):
            keys = [j for j in range(k.shape[0]) if allowed is None or allowed[i, j]]
            if not keys:
                outputs.append(None), logs.append(None), weights.append(None)
                continue
            row = {j: scores[i, j] * scale + (arb(float(bias[i, j])) if bias is not None else 0) for j in keys}
            top = max(keys, key=lambda j: float(np.clip(float(row[j]), -1e300, 1e300)))
            e = [(row[j] - row[top]).exp() if j in row else arb(0) for j in range(k.shape[0])]
            total = sum(e, arb(0))
            sums = arb_mat(1, len(e), e) * values
            outputs.append([sums[0, c] / total for c in range(v.shape[1])])
            logs.append(total.log() + row[top])
            weights.append([x / total for x in e])
    return outputs, logs, weights


def ends(ball: Any) -> tuple[Fraction, Fraction]:
    """The ball's ends, exactly."""
    man, exp = ball.mid().man_exp()
    rad, rad_exp = ball.rad().man_exp()
    middle, radius = Fraction(int(man)) * Fraction(2) ** int(exp), Fraction(int(rad)) * Fraction(2) ** int(rad_exp)
    return middle - radius, middle + radius


def is_rounding(x: float, ball: Any, fmt: Format | str) -> bool | None:
    fmt = FORMATS[fmt] if isinstance(fmt, str) else fmt
    low, high = (round_fraction(e, fmt) for e in ends(ball))
    if low != high:
        return None
    match low:
        case Special.INF | Special.NEG_INF:
            return bool(x == float(low.value))
        case Special.NAN:
            return bool(np.isnan(x))
        case _:
            return bool(np.isfinite(x)) and Fraction(x) == low


def count_wrong(found: np.ndarray, balls: list[Any], fmt: Format | str) -> tuple[int, int, int]:
    """(right, wrong, not known at this precision) over rows of entries."""
    right = wrong = unknown = 0
    for x, row in zip(np.asarray(found, dtype=np.float64), balls, strict=True):
        for value, ball in zip(np.atleast_1d(x), row if isinstance(row, list) else [row], strict=True):
            match is_rounding(float(value), ball, fmt):
                case True:
                    right += 1
                case False:
                    wrong += 1
                case None:
                    unknown += 1
    assert ctx.prec == 53
    return right, wrong, unknown
