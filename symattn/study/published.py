"""The experiment of Blanchard, D. J. Higham and N. J. Higham: log-sum-exp and softmax of 2,500 vectors in 16 bits.

Promises: their data as they published it (data/NOTICE), rounded once to the format; every operation rounded; errors against proven
enclosures for the rounded vectors; the bounds of bounds.py. Six algorithms are ours (the maximum is one of the terms of the sum); three
more are theirs, which leave the maximum out of the sum, add 1 to it and use log1p: the roundings are as many, so the bounds are the same.
Does not promise: their figures to the last digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, reduce
from importlib.resources import files
from typing import Any

import numpy as np

from symattn.number.formats import Format
from symattn.program.lower_draft import Draft, add, apply, arg, div, sub
from symattn.program.ops import Input
from symattn.program.program import Program
from symattn.program.spaces import Axis, Space
from symattn.study.bounds import Model, SixBounds, shifted_bounds, unshifted_bounds
from symattn.study.truth import Truth, truths
from symattn.study.vector import array_table, read_arrays, round_array

FILE = "bhh2021_logits.npy"
ALGORITHMS = (
    "lse", "softmax", "division_free", "shifted_lse", "shifted_softmax", "shifted_division_free",
    "published_lse", "published_softmax", "published_division_free",
)  # fmt: skip


@dataclass(frozen=True)
class Result:
    """One algorithm in one format: for each vector the error in units of u (relative for the log-sum-exp, relative to the largest weight
    for a softmax), NaN where an exponential or a sum overflows; the bound in the same units; and the sums of the weights."""

    algorithm: str
    errors: Any
    bounds: Any
    sums: Any

    @property
    def overflows(self) -> int:
        """Vectors in which an exponential or a sum of them overflows."""
        return int(np.count_nonzero(~np.isfinite(self.errors)))

    @property
    def violations(self) -> int:
        """Vectors whose error is above the bound."""
        finite = np.isfinite(self.errors)
        return int(np.count_nonzero(self.errors[finite] > self.bounds[finite]))


@cache
def logits() -> Any:
    """The 2,500 vectors of 10 numbers, float64."""
    with files("symattn.study").joinpath("data").joinpath(FILE).open("rb") as file:
        return np.load(file, allow_pickle=False)


def softmax_program(rows: int, n: int, *, shifted: bool) -> Program:
    """x -> lse, weights (by division) and free (exp(x - lse)), with or without the maximum subtracted."""
    row, key = Axis("row", Space("row", rows)), Axis("key", Space("key", n))
    draft = Draft()
    draft.add("x", Input((row, key)))
    logits_name = "x"
    if shifted:
        draft.reduce("row_max", (row,), "x", (), None)
        logits_name = draft.map("shifted", (row, key), sub(arg("x"), arg("row_max")), ["x", "row_max"])
    draft.map("exponentials", (row, key), apply("exp", arg(logits_name)), [logits_name])
    draft.contract("row_sums", (row,), ("exponentials",))
    draft.map("log_sums" if shifted else "lse", (row,), apply("log", arg("row_sums")), ["row_sums"])
    if shifted:
        draft.map("lse", (row,), add(arg("row_max"), arg("log_sums")), ["row_max", "log_sums"])
    draft.map("weights", (row, key), div(arg("exponentials"), arg("row_sums")), ["exponentials", "row_sums"])
    draft.map("log_weights", (row, key), sub(arg("x"), arg("lse")), ["x", "lse"])
    draft.map("free", (row, key), apply("exp", arg("log_weights")), ["log_weights"])
    return Program(tuple(draft.stages), "weights")


def experiment(fmt: Format, vectors: Any = None) -> dict[str, Result]:
    """The six algorithms on the vectors (those of the data by default) rounded to the format."""
    x = round_array(logits() if vectors is None else vectors, fmt)
    rows, n = x.shape
    exact = truths(softmax_program(rows, n, shifted=True), {"x": x}, ("lse", "weights"))
    wide, y, g = x.astype(np.float64), exact["lse"].high, exact["weights"].high
    model = Model.of(fmt)
    without, with_shift = unshifted_bounds(wide, y, g, model), shifted_bounds(wide, y, g, model)
    found = {}
    for prefix, bounds, stages in (
        ("", without, read_arrays(softmax_program(rows, n, shifted=False), {"x": x}, fmt)),
        ("shifted_", with_shift, read_arrays(softmax_program(rows, n, shifted=True), {"x": x}, fmt)),
        ("published_", with_shift, as_published(x, fmt)),
    ):
        for name, result in _results(stages, exact, bounds, model.u):
            found[prefix + name] = Result(prefix + name, *result)
    return {name: found[name] for name in ALGORITHMS}


def as_published(x: Any, fmt: Format) -> dict[str, Any]:
    """Their shifted algorithms: the sum leaves one maximum out, log1p of it, 1 + it; every operation rounded to the format."""
    with np.errstate(all="ignore"):
        row = np.arange(len(x))
        at = np.argmax(x.astype(np.float64), axis=1)
        top = x[row, at]
        rows = array_table(fmt).scalar
        exponentials = rows["exp"](x - top[:, None])
        others = np.stack([exponentials[row[:, None], np.delete(np.arange(x.shape[1]), k)[None, :]] for k in range(x.shape[1])])[at, row]
        total = reduce(np.add, others.T)
        lse = top + round_array(np.log1p(total.astype(np.float64)), fmt)
        one = np.ones((), x.dtype)
        weights = exponentials / (one + total)[:, None]
        free = rows["exp"](x - lse[:, None])
    return {"exponentials": exponentials, "row_sums": total, "lse": lse, "weights": weights, "free": free}


def _results(stages: dict[str, Any], exact: dict[str, Truth], bounds: SixBounds, u: float) -> list[tuple[str, tuple[Any, Any, Any]]]:
    y, top = np.abs(exact["lse"].high), exact["weights"].high.max(axis=1)
    fits = np.isfinite(stages["row_sums"].astype(np.float64))
    out = []
    with np.errstate(all="ignore"):
        for name, stage, bound in (
            ("lse", "lse", bounds.lse),
            ("softmax", "weights", bounds.softmax),
            ("division_free", "free", bounds.division_free),
        ):
            error = exact["lse" if name == "lse" else "weights"].error(stages[stage])
            size = y if name == "lse" else top
            worst = error if name == "lse" else error.max(axis=1)
            sums = np.ones_like(y) if name == "lse" else stages[stage].astype(np.float64).sum(axis=1)
            out.append((name, (np.where(fits, worst / (u * size), np.nan), bound / (u * size), np.where(fits, sums, np.nan))))
    return out
