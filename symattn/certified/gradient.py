"""Certified gradients of attention: dL/dQ, dL/dK and dL/dV for an upstream dL/dO, each entry correctly rounded.

With P the weights, O = P V, G the upstream, A = G Vᵀ and D = row sums of P ⊙ A: dV = Pᵀ G, dS = P ⊙ (A − D), dQ = scale · dS K,
dK = scale · dSᵀ Q. Heads that share keys add their parts to dK and dV.

Promises: every rounding returned is proven, by float64 with bounds (gradient_single.py) or by balls; that an entry lies on a tie is looked
up exactly, see `tie_holds`. What the top keys of a row take from the others is kept apart, so that rows near them lose no digits.
Does not promise: an answer for entries that agree with a tie they do not meet to more than CAP_BITS bits for another reason than that
(none is known): UndecidedError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq

from symattn.certified import gradient_double, gradient_single
from symattn.certified.attend import Heads, masked_row_error
from symattn.certified.exact import ExactHead, as_float, round_ball, tie_between_ends
from symattn.certified.gradient_rows import RowTerms, row_terms
from symattn.certified.gradient_single import Bounded
from symattn.certified.head import METHODS
from symattn.certified.integers import Dots
from symattn.certified.machine import require_arithmetic
from symattn.certified.problem import Problem
from symattn.certified.result import CertifiedGradient, Tally, report
from symattn.certified.rounding import Rounder, encode
from symattn.certified.take import Floats, output_format, take
from symattn.certified.ties import Group, tie_holds
from symattn.errors import ShapeError, UndecidedError
from symattn.number.formats import round_fraction
from symattn.number.precision import flint_bits
from symattn.program.lower_options import one_of

MASKED_ROWS = ("error", "zero", "mean")
START_BITS = 128
TIE_BITS = 512  # entries still beside a tie at this precision are looked up
CAP_BITS = 1 << 14
ROWS_AT_ONCE = 64


def attention_grad(
    q: object,
    k: object,
    v: object,
    upstream: object,
    *,
    out: object = "float32",
    scale: object = "1/sqrt(d_k)",
    mask: object = None,
    window: int | None = None,
    query_offset: int | None = None,
    bias: object = None,
    masked_row: str = "error",
    method: str = "tiers",
) -> CertifiedGradient:
    """Gradients of sum(upstream ⊙ attention(q, k, v)) with respect to q, k and v, correctly rounded.

    q, k, v, the options and the shapes are those of `attention`; upstream is (…, heads, n, d_v). Rows without keys (`masked_row`) pass
    on nothing ("zero"), or their upstream in equal parts to all values ("mean").

    Raises InputError, ShapeError, MaskedRowError; UndecidedError, see the module."""
    fmt = output_format(out)
    one_of("masked_row", masked_row, MASKED_ROWS)
    one_of("method", method, METHODS)
    heads = Heads.take(q, k, v, scale, mask, window, query_offset, bias, "error")
    g = take("upstream", upstream, "(…, heads, n, d_v)", 2)
    n, _, d_v = heads.sizes
    wanted = (*heads.lead, n, d_v)
    if g.shape != wanted:
        raise ShapeError(f"upstream has shape {g.shape} but the output has {wanted}", next_move="give it the output's shape")
    require_arithmetic()
    rounder, tally = Rounder(fmt), Tally()
    flat = g.reshape(-1, n, d_v)
    d = heads.q.shape[-1]
    per_head: list[Floats] = []
    per_group: list[tuple[Floats, Floats]] = []
    with np.errstate(all="ignore"):
        for problems in grouped(heads):
            for h, problem in problems:
                if masked_row == "error" and problem.empty.any():
                    raise masked_row_error(heads, h, int(np.argmax(problem.empty)))
            group = Group(tuple(p for _, p in problems), tuple(flat[h] for h, _ in problems), masked_row == "mean")
            found = GroupGradient(group, rounder, tally, method).run()
            per_head += found[0]
            per_group.append(found[1:])

    def shaped(parts: Sequence[Floats], shape: tuple[int, ...]) -> Any:
        return encode(rounder.finish(np.stack(parts)), fmt).reshape(shape)

    return CertifiedGradient(
        shaped(per_head, (*heads.lead, n, d)),
        shaped([keys for keys, _ in per_group], heads.k.shape),
        shaped([values for _, values in per_group], heads.v.shape),
        fmt.name,
        report(tally),
    )


def grouped(heads: Heads) -> Iterator[list[tuple[int, Problem]]]:
    """The heads that share keys, with their numbers."""
    found: list[tuple[int, Problem]] = []
    for h, problem in enumerate(heads):
        found.append((h, problem))
        if len(found) == heads.group:
            yield found
            found = []


@dataclass
class Target:
    """One of the gradients on its way: what is found, what is left, and how its entries are computed."""

    name: str
    found: Floats
    left: Any


class GroupGradient:
    """The gradients of heads that share keys and values."""

    def __init__(self, group: Group, rounder: Rounder, tally: Tally, method: str) -> None:
        self.group, self.rounder, self.tally, self.method = group, rounder, tally, method
        self.exact = [ExactHead(p) for p in group.problems]
        self.dots = [Dots(g, p.values) for p, g in zip(group.problems, group.upstream, strict=True)]
        first = group.problems[0]
        assert first.queries is not None
        assert first.keys is not None
        self.keys = first.keys
        self.queries = [p.queries for p in group.problems if p.queries is not None]

    def run(self) -> tuple[list[Floats], Floats, Floats]:
        """(dQ of each head, dK, dV), roundings as float64."""
        targets = [Target(f"dQ{h}", np.zeros(q.shape), np.ones(q.shape, dtype=bool)) for h, q in enumerate(self.queries)]
        of_values = self.group.problems[0].values
        targets += [Target(name, np.zeros(x.shape), np.ones(x.shape, dtype=bool)) for name, x in (("dK", self.keys), ("dV", of_values))]
        for h, problem in enumerate(self.group.problems):
            targets[h].left[problem.empty] = False  # such a row has no scores, so its dQ is 0
            self.tally.add("exact", int(problem.empty.sum()) * self.keys.shape[1])
        if self.method == "tiers":
            if not self.rounder.exact:
                self._floats(targets, gradient_single.gradients, "single")
            if any(t.left.any() for t in targets):
                self._floats(targets, gradient_double.gradients, "double")
        bits = START_BITS
        while any(t.left.any() for t in targets):
            if bits > CAP_BITS:
                t = next(t for t in targets if t.left.any())
                at = tuple(int(x) for x in np.argwhere(t.left)[0])
                raise UndecidedError(f"the rounding of {t.name}{list(at)} was not decided at {CAP_BITS} bits: it lies too near a tie")
            with flint_bits(bits):
                self._once(targets, bits)
            bits *= 2
        *of_heads, keys, values = (t.found for t in targets)
        return of_heads, keys, values

    def _floats(self, targets: list[Target], gradients: Callable[[Group], tuple[list[Bounded], Bounded, Bounded]], tier: str) -> None:
        """What a float tier decides."""
        *of_heads, keys, values = targets
        of_queries, of_keys, of_values = gradients(self.group)
        for target, found in zip((*of_heads, keys, values), (*of_queries, of_keys, of_values), strict=True):
            rounded, proven = self.rounder.decide(found.value, found.error, found.low)
            proven &= target.left & np.isfinite(found.error)
            target.found[proven] = rounded[proven]
            target.left &= ~proven
            self.tally.add(tier, int(proven.sum()))

    def _once(self, targets: list[Target], bits: int) -> None:
        """Everything that is left, at one precision."""
        *of_heads, keys, values = targets
        shared = keys.left.any() or values.left.any()
        m, d = self.keys.shape
        d_v = self.group.problems[0].values.shape[1]
        key_balls, scale = _matrix(self.keys), self.group.problems[0].scale.ball(bits)
        d_keys, d_values = arb_mat(m, d), arb_mat(m, d_v)
        whole = {"dK": [Fraction(0)] * (m * d), "dV": [Fraction(0)] * (m * d_v)}
        for h, target in enumerate(of_heads):
            empty = self.group.problems[h].empty
            rows = np.flatnonzero(~empty) if shared else np.flatnonzero(target.left.any(axis=1))
            queries, upstream = self.queries[h], self.group.upstream[h]
            for start in range(0, len(rows), ROWS_AT_ONCE):
                chunk = rows[start : start + ROWS_AT_ONCE].tolist()
                terms = [self._row(h, i, bits) for i in chunk]
                d_scores = arb_mat(len(chunk), m, [x for t in terms for x in t.d_scores])
                rational = [x for t in terms for x in self._times_keys(t)]
                self._settle_scaled(target, chunk, (d_scores * key_balls * scale).entries(), rational, bits)
                if not shared:
                    continue
                d_keys += d_scores.transpose() * _matrix(queries[chunk])
                small = arb_mat(len(chunk), m, [x for t in terms for x in t.small])
                d_values += small.transpose() * _matrix(upstream[chunk])
                for t, i in zip(terms, chunk, strict=True):
                    _add_outer(whole["dV"], dict.fromkeys(t.top, Fraction(1, len(t.top))), upstream[i].tolist())
                    _add_outer(whole["dK"], t.rational, queries[i].tolist())
            if self.group.mean and empty.any():
                sums = [x / m for x in sum_columns(upstream[empty])]
                whole["dV"] = [x + sums[at % d_v] for at, x in enumerate(whole["dV"])]
        if shared:
            every = list(range(m))
            self._settle_scaled(keys, every, (d_keys * scale).entries(), whole["dK"], bits)
            self._settle_all(values, every, d_values.entries(), whole["dV"], bits)

    def _times_keys(self, t: RowTerms) -> list[Fraction]:
        """The rational part of a row of dS K."""
        found = [Fraction(0)] * self.keys.shape[1]
        for j, x in t.rational.items():
            for c, k in enumerate(self.keys[j].tolist()):
                found[c] += x * Fraction(k)
        return found

    def _settle_scaled(self, target: Target, rows: list[int], balls: list[Any], rational: list[Fraction], bits: int) -> None:
        """The same for scaled balls and a rational part that the scale is still to multiply."""
        scale = self.group.problems[0].scale
        if scale.value is not None:
            whole = [x * scale.value if x else x for x in rational]
        else:  # an irrational multiple: no tie is met, and its distance from one is a matter of some hundred bits
            ball = scale.ball(bits)
            balls = [x + ball * arb(fmpq(r.numerator, r.denominator)) if r else x for x, r in zip(balls, rational, strict=True)]
            whole = [Fraction(0)] * len(balls)
        self._settle_all(target, rows, balls, whole, bits)

    def _row(self, h: int, i: int, bits: int) -> RowTerms:
        row = self.exact[h].row(i)
        a, exponent = self.dots[h].row(i)
        return row_terms(row, row.weights(bits), a, exponent, len(self.keys))

    def _settle_all(self, target: Target, rows: list[int], balls: list[Any], whole: list[Fraction], bits: int) -> None:
        """Stores what is proven of whole + balls, the entries of these rows: most at once, from pairs of float64, the rest one by one."""
        chosen = np.array(rows)
        width = target.left.shape[1]
        totals = [x + arb(fmpq(w.numerator, w.denominator)) if w else x for x, w in zip(balls, whole, strict=True)]
        high, low, radius = np.array([as_pair(x) for x in totals]).reshape(len(rows), width, 3).transpose(2, 0, 1)
        rounded, proven = self.rounder.decide(high, radius, low)
        proven &= target.left[chosen] & np.isfinite(high)
        target.found[chosen] = np.where(proven, rounded, target.found[chosen])
        target.left[chosen] &= ~proven
        self.tally.add("decided", int(proven.sum()))
        for number, i in enumerate(rows):
            for c in np.flatnonzero(target.left[i]).tolist():
                at = number * width + c
                self._settle(target, (i, c), balls[at], whole[at], bits)

    def _settle(self, target: Target, at: tuple[int, int], ball: Any, whole: Fraction, bits: int) -> None:
        """Stores the rounding of whole + ball, if it is proven."""
        fmt = self.rounder.fmt
        total = ball + arb(fmpq(whole.numerator, whole.denominator)) if whole else ball
        answer = round_ball(total, fmt)
        if answer is None:
            found = tie_between_ends(total, fmt)
            if found is not None:
                tie, low, high = found
                rest = whole - tie
                sign = ball + arb(fmpq(rest.numerator, rest.denominator)) if rest else ball
                if sign > 0:
                    answer = high
                elif sign < 0:
                    answer = low
                elif (not rest and ball.is_zero()) or (bits == TIE_BITS and tie_holds(self.group, target.name, at, tie)):
                    answer = round_fraction(tie, fmt)
        if answer is not None:
            target.found[at] = as_float(answer, fmt)
            target.left[at] = False
            self.tally.add("decided", 1)


def as_pair(ball: Any) -> tuple[float, float, float]:
    """(high, low, error): everything in the ball lies within `error` of high + low."""
    high = float(ball)
    rest = ball - arb(high)
    low = float(rest)
    return high, low, float(rest.rad()) * (1 + 2.0**-20) + abs(low) * 2.0**-50 + 2.0**-1072


def _add_outer(total: list[Fraction], left: dict[int, Fraction], right: list[float]) -> None:
    """Adds left_j · right_c to entry (j, c) of a matrix kept row by row."""
    for j, x in left.items():
        for c, y in enumerate(right):
            total[j * len(right) + c] += x * Fraction(y)


def _matrix(x: Floats) -> Any:
    return arb_mat(x.shape[0], x.shape[1], [arb(e) for e in x.ravel().tolist()])


def sum_columns(x: Floats) -> list[Fraction]:
    """Sums of columns, exactly."""
    return [sum((Fraction(e) for e in column), Fraction(0)) for column in x.T.tolist()]
