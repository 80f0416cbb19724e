"""The last tier: exact integer scores, equal scores grouped, and balls; correct rounding is decided, not only attempted.

Promises: every rounding returned is proven. For exact inputs the scores are algebraic, so (Lindemann and Weierstrass) an output entry lies
on a tie t exactly when every group of equal scores has the mean t; that is looked up in integers, and everything else is decided by
balls of finite precision. The same for weights (values that are 0 and 1) and for the log-sum-exp (rational only for one key).
Does not promise: speed; it takes about as long as Arb alone, for the rows it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpz

from symattn.certified.integers import Dots, integers
from symattn.certified.problem import Problem
from symattn.errors import UndecidedError
from symattn.number.formats import Format, Special, next_up, power_of_two, round_fraction
from symattn.number.precision import enclosure_of, flint_bits

START_BITS = 128
CAP_BITS = 1 << 17


@dataclass(frozen=True)
class Row:
    """One row's scores, grouped: score g is first[g] · root · 2**root_exponent + second[g] · unit, `root` the scale where it is irrational.

    `group` maps each allowed key to its group; `counts` are the sizes of the groups."""

    keys: list[int]
    group: list[int]
    counts: list[int]
    first: list[int]
    second: list[int]
    root_square: Fraction
    root_sign: int
    root_exponent: int
    unit: Fraction

    @cached_property
    def _known(self) -> dict[int, list[Any]]:
        return {}

    @cached_property
    def reference(self) -> int:
        """A group whose score is the largest, or so near it that nothing depends on which."""
        if not any(self.second):
            return max(range(len(self.first)), key=lambda g: self.root_sign * self.first[g])
        if not any(self.first):
            return max(range(len(self.second)), key=self.second.__getitem__)
        with flint_bits(256):
            middles = [score.mid() for score in self.scores()]
        best = 0
        for g, middle in enumerate(middles):
            if middle > middles[best]:
                best = g
        return best

    def scores(self, minus: int | None = None) -> list[Any]:
        """The scores of all groups (less that of group `minus`) as balls, at the current precision."""
        a0, b0 = (0, 0) if minus is None else (self.first[minus], self.second[minus])
        root = self.root_sign * arb(fmpq(self.root_square.numerator, self.root_square.denominator)).sqrt()
        root *= arb((1, self.root_exponent))
        unit = arb(fmpq(self.unit.numerator, self.unit.denominator))
        if not any(self.second):
            return [root * (a - a0) for a in self.first]
        if not any(self.first):
            return [unit * (b - b0) for b in self.second]
        return [root * (a - a0) + unit * (b - b0) for a, b in zip(self.first, self.second, strict=True)]

    def weights(self, bits: int) -> list[Any]:
        """e**(score of g − score of the reference) for each group, as balls."""
        if bits not in self._known:
            with flint_bits(bits):
                self._known[bits] = [score.exp() for score in self.scores(self.reference)]
        return self._known[bits]

    def rational_score(self, g: int) -> Fraction | None:
        """The score of group g where it is rational."""
        return self.second[g] * self.unit if self.first[g] == 0 else None


class ExactHead:
    """The exact integers of one head, made when first needed."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._value_integers: dict[int, tuple[list[int], int]] = {}

    @cached_property
    def _dots(self) -> Dots:
        assert self.problem.queries is not None
        assert self.problem.keys is not None
        return Dots(self.problem.queries, self.problem.keys)

    def row(self, i: int) -> Row:
        """The scores of row i, exactly, grouped."""
        p = self.problem
        rows = np.array([i])
        stop = p.mask.stop(rows)
        allowed = p.mask.allowed(rows, stop)
        keys = list(range(stop)) if allowed is None else np.flatnonzero(allowed[0]).tolist()
        dots, exponent = [0] * p.mask.keys, 0
        if p.queries is not None:
            dots, exponent = self._dots.row(i)
        extra, extra_exponent = [0] * p.mask.keys, 0
        if p.bias is not None:
            chosen = np.zeros(p.mask.keys)
            chosen[keys] = p.bias[i, keys]  # what is masked is never looked at
            extra, extra_exponent = integers(chosen)
        value = p.scale.value
        if value is None:
            first, second, unit = dots, extra, power_of_two(extra_exponent)
        else:
            least = min(exponent, extra_exponent)
            up, across = value.numerator << (exponent - least), value.denominator << (extra_exponent - least)
            first = [0] * p.mask.keys
            second = [up * a + across * b for a, b in zip(dots, extra, strict=True)]
            unit = power_of_two(least) / value.denominator
        found: dict[tuple[int, int], int] = {}
        group: list[int] = []
        counts: list[int] = []
        for j in keys:
            g = found.setdefault((first[j], second[j]), len(found))
            if g == len(counts):
                counts.append(0)
            counts[g] += 1
            group.append(g)
        a, b = [k[0] for k in found], [k[1] for k in found]
        return Row(keys, group, counts, a, b, p.scale.square, p.scale.sign, exponent, unit)

    def values(self, column: int) -> tuple[list[int], int]:
        """A column of values as integers times 2**exponent."""
        if column not in self._value_integers:
            self._value_integers[column] = integers(self.problem.values[:, column])
        return self._value_integers[column]

    # -- what is asked ----------------------------------------------------------------------------------------------------
    def outputs(self, i: int, columns: Sequence[int], fmt: Format) -> list[float]:
        """Entries of the output's row i, correctly rounded. Raises UndecidedError at the cap (never, in theory)."""
        if self.problem.empty[i]:
            return [as_float(round_fraction(self.mean(c), fmt), fmt) for c in columns]
        row = self.row(i)
        jobs = []
        for c in columns:
            whole, exponent = self.values(c)
            sums = [0] * len(row.counts)
            for j, g in zip(row.keys, row.group, strict=True):
                sums[g] += whole[j]
            jobs.append((sums, exponent))
        return decide_means(row, jobs, fmt)

    def weights(self, i: int, keys: Sequence[int], fmt: Format) -> list[float]:
        """Weights of row i at these (allowed) keys, correctly rounded: means of values that are 1 at the key and 0 elsewhere."""
        row = self.row(i)
        place = dict(zip(row.keys, row.group, strict=True))
        one_of: dict[int, float] = {}
        for g in sorted({place[j] for j in keys}):
            sums = [0] * len(row.counts)
            sums[g] = 1
            one_of[g] = decide_means(row, [(sums, 0)], fmt)[0]
        return [one_of[place[j]] for j in keys]

    def mean(self, column: int) -> Fraction:
        """The mean of a column of values over all keys."""
        whole, exponent = self.values(column)
        return sum(whole) * power_of_two(exponent) / len(whole)

    def logsumexp(self, i: int, fmt: Format) -> float:
        """The log-sum-exp of row i, correctly rounded."""
        row = self.row(i)
        if len(row.keys) == 1 and (exact := row.rational_score(0)) is not None:
            return as_float(round_fraction(exact, fmt), fmt)
        bits = START_BITS
        while bits <= CAP_BITS:
            weights = row.weights(bits)
            with flint_bits(bits):
                total = sum((w * n for w, n in zip(weights, row.counts, strict=True)), arb(0))
                ball = total.log() + row.scores()[row.reference]
            rounded = round_ball(ball, fmt)
            if rounded is None:
                rounded = _above_a_score(row, ball, fmt)
            if rounded is not None:
                return as_float(rounded, fmt)
            bits *= 2
        raise _undecided("a log-sum-exp", i)


def decide_means(row: Row, jobs: Sequence[tuple[list[int], int]], fmt: Format) -> list[float]:
    """sum_g w_g S_g / sum_g w_g n_g · 2**exponent for each job (S, exponent), correctly rounded to the format."""
    if len(row.counts) == 1:
        return [as_float(round_fraction(Fraction(s[0], row.counts[0]) * power_of_two(e), fmt), fmt) for s, e in jobs]
    answers: list[float | None] = [None] * len(jobs)
    left, bits = list(range(len(jobs))), START_BITS
    while left and bits <= CAP_BITS:
        weights = row.weights(bits)
        with flint_bits(bits):
            total = sum((w * n for w, n in zip(weights, row.counts, strict=True)), arb(0))
            table = arb_mat(len(weights), len(left), [fmpz(jobs[k][0][g]) for g in range(len(weights)) for k in left])
            tops = (arb_mat(1, len(weights), weights) * table).entries()
            balls = [top / total * arb((1, jobs[k][1])) for top, k in zip(tops, left, strict=True)]
        for k, ball in zip(tuple(left), balls, strict=True):
            answer = round_ball(ball, fmt)
            if answer is None:
                answer = _across_a_tie(row, weights, jobs[k], ball, fmt, bits)
            if answer is not None:
                answers[k] = as_float(answer, fmt)
                left.remove(k)
        bits *= 2
    if left:
        raise _undecided("an entry", left[0])
    return [a for a in answers if a is not None]


def _undecided(what: str, place: int) -> UndecidedError:
    return UndecidedError(f"the rounding of {what} ({place}) was not decided at {CAP_BITS} bits", next_move="its inputs are worth a report")


def round_ball(ball: Any, fmt: Format) -> Fraction | Special | None:
    """The rounding of every number in the ball, when they all have the same; else None."""
    if ball.is_finite() and max(_top(ball.mid()), _top(ball.rad())) < fmt.emin - fmt.precision - 1:
        return Fraction(0)  # spares fractions with huge denominators
    found = enclosure_of(ball)
    if found is None:
        return None
    low, high = round_fraction(found.lo, fmt), round_fraction(found.hi, fmt)
    if low != high or (isinstance(low, Special) and found.lo < 0 < found.hi):
        return None
    return low


def _top(point: Any) -> int:
    """|point| < 2**result."""
    man, exp = point.man_exp()
    return int(man).bit_length() + int(exp) if man else -(1 << 62)


def _across_a_tie(row: Row, weights: list[Any], job: tuple[list[int], int], ball: Any, fmt: Format, bits: int) -> Fraction | Special | None:
    """The rounding when the ball meets just one tie t: the sign of sum_g w_g (S_g − n_g t), in which groups of mean t are left out
    exactly. None when the ball meets more, or the sign is not yet known."""
    found = tie_between_ends(ball, fmt)
    if found is None:
        return None
    tie, low, high = found
    sums, exponent = job
    # Over the common unit 2**least the differences are integers.
    shift = tie.denominator.bit_length() - 1  # a tie is dyadic
    least = min(exponent, -shift)
    up, at = exponent - least, tie.numerator << (-shift - least)
    differences = [(s << up) - n * at for s, n in zip(sums, row.counts, strict=True)]
    if not any(differences):
        return round_fraction(tie, fmt)
    with flint_bits(bits):
        total = sum((w * fmpz(d) for w, d in zip(weights, differences, strict=True) if d), arb(0))
    if total > 0:
        return high
    return low if total < 0 else None


def _above_a_score(row: Row, ball: Any, fmt: Format) -> Fraction | Special | None:
    """The rounding of a log-sum-exp whose ball meets just one tie, when a key's score is that tie: with more than one key it lies above,
    perhaps by no more than e to the minus of the gap to the next score."""
    found = tie_between_ends(ball, fmt)
    return found[2] if found is not None and row.rational_score(row.reference) == found[0] else None


def tie_between_ends(ball: Any, fmt: Format) -> tuple[Fraction, Fraction | Special, Fraction | Special] | None:
    """(the tie, the rounding below it, the one above it) when the ball meets just one tie."""
    found = enclosure_of(ball)
    if found is None:
        return None
    low, high = round_fraction(found.lo, fmt), round_fraction(found.hi, fmt)
    tie = _tie_between(low, high, found.lo < 0, fmt)
    return None if tie is None else (tie, low, high)


def _tie_between(low: Fraction | Special, high: Fraction | Special, negative: bool, fmt: Format) -> Fraction | None:
    if isinstance(low, Fraction) and isinstance(high, Fraction):
        return (low + high) / 2 if next_up(low, fmt) == high else None
    if isinstance(low, Fraction) and low == fmt.largest:
        return fmt.overflow_bound
    if isinstance(high, Fraction) and high == -fmt.largest and negative:
        return -fmt.overflow_bound
    return None


def as_float(x: Fraction | Special, fmt: Format) -> float:
    """A rounding as float64, exactly; a NaN of overflow as an infinity, which `Rounder.finish` turns back."""
    match x:
        case Special.INF:
            return float("inf")
        case Special.NEG_INF:
            return float("-inf")
        case Special.NAN:
            return float("inf")
        case Fraction():
            return x.numerator / x.denominator + 0.0
