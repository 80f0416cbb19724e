"""Certified attention, softmax and log-sum-exp of arrays: every entry the one rounding of the exact number.

Promises: inputs are taken exactly, in any of six float formats; P = softmax(scale · Q Kᵀ + bias), O = P V, lse = log of each row's sum of
exponentials; heads share keys in groups; each entry is rounded once, from the exact value, to `out`. Where an entry lies exactly on a
tie it goes to the even neighbour, and that it lies there is proved. Zeros are positive.
Does not promise: soft-caps or rotary positions inside (there, the exponents are not algebraic), or use from several threads at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from symattn.certified.head import METHODS, Head, Wanted
from symattn.certified.problem import Mask, Problem
from symattn.certified.result import Array, Certified, CertifiedArray, Tally, report
from symattn.certified.rounding import Rounder, encode
from symattn.certified.scale import Scale, read_scale
from symattn.certified.take import Bools, Floats, output_format, require_finite, take, take_bias, take_mask
from symattn.errors import InputError, MaskedRowError, ShapeError
from symattn.number.formats import Format
from symattn.program.lower_options import MASKED_ROWS, one_of

NONFINITE = ("error", "masked")


def attention(
    q: object,
    k: object,
    v: object,
    *,
    out: object = "float32",
    scale: object = "1/sqrt(d_k)",
    mask: object = None,
    window: int | None = None,
    query_offset: int | None = None,
    bias: object = None,
    masked_row: str = "error",
    weights: bool = False,
    nonfinite: str = "error",
    method: str = "tiers",
) -> Certified:
    """softmax(scale · q kᵀ + bias) v, correctly rounded.

    q (…, heads, n, d), k (…, kv_heads, m, d), v (…, kv_heads, m, d_v), the axes before n and m optional; kv_heads divides heads, and
    head h reads group h · kv_heads // heads. `out` is one of float64, float32, bfloat16, float16, float8_e4m3fn, float8_e5m2, or a
    `Format` (FLOAT8_E4M3FN.with_overflow(Overflow.SATURATE) saturates; by name, what is too large for float8_e4m3fn is NaN).

    `scale`: "1/sqrt(d_k)", "1/d_k", "1/sqrt(8)", or a number; a float is the binary fraction it holds. `mask`: None, "causal", "window"
    (with `window=w`: keys i-w+1 … i), or a boolean array that broadcasts to (…, heads, n, m), true where a key is allowed.
    `query_offset` is added to query positions and needed when a mask compares positions and n ≠ m. `bias` broadcasts to the scores.
    `masked_row`, for rows in which no key is allowed: "error", "zero" (values and weights 0), "mean" (of all values, weights 1/m), "nan";
    their lse is -inf (NaN for "nan").
    `weights=True` also returns the weights, (…, heads, n, m). `nonfinite="masked"` lets NaN and infinities stand where no allowed query-key
    pair looks. `method="balls"` skips the float tiers: slow, and the same answer.

    Raises InputError, ShapeError, MaskedRowError; UndecidedError never, unless memory or the cap on precision (2**17 bits) is reached."""
    fmt = output_format(out)
    one_of("masked_row", masked_row, MASKED_ROWS)
    one_of("nonfinite", nonfinite, NONFINITE)
    one_of("method", method, METHODS)
    heads = Heads.take(q, k, v, scale, mask, window, query_offset, bias, nonfinite)
    rounder, tally = Rounder(fmt), Tally()
    wanted = Wanted(weights=weights, method=method)
    n, m, d_v = heads.sizes
    values = np.empty((heads.count, n, d_v), dtype=encode(np.zeros(0), fmt).dtype)
    lse = np.empty((heads.count, n), dtype=values.dtype)
    table = np.empty((heads.count if weights else 0, n, m), dtype=values.dtype)
    with np.errstate(all="ignore"):
        for h, problem in enumerate(heads):
            if masked_row == "error" and problem.empty.any():
                raise masked_row_error(heads, h, int(np.argmax(problem.empty)))
            head = Head(problem, rounder, wanted, tally)
            found = head.run()
            if problem.empty.any():
                _fill(head, masked_row)
            values[h] = encode(rounder.finish(found.values), fmt)
            lse[h] = encode(rounder.finish(found.lse), fmt)
            if weights:
                table[h] = encode(rounder.finish(found.weights), fmt)
    lead = heads.lead
    return Certified(
        values.reshape(*lead, n, d_v),
        lse.reshape(*lead, n),
        table.reshape(*lead, n, m) if weights else None,
        fmt.name,
        report(tally),
    )


def masked_row_error(heads: Heads, h: int, row: int) -> MaskedRowError:
    """The error for a row without keys."""
    at = tuple(int(x) for x in np.unravel_index(h, heads.lead)) if heads.lead else ()
    place = f"row {row}" + (f" of head {at}" if at else "")
    return MaskedRowError(f"no key is allowed in {place}", next_move='give masked_row="zero", "mean" or "nan" to choose what it becomes')


def _fill(head: Head, masked_row: str) -> None:
    """What rows without keys become."""
    empty, found, problem = head.problem.empty, head.found, head.problem
    filler = math.nan if masked_row == "nan" else 0.0
    entries = int(empty.sum())
    found.values[empty] = filler
    found.lse[empty] = math.nan if masked_row == "nan" else -math.inf
    if masked_row == "mean":
        first = int(np.argmax(empty))
        found.values[empty] = head.exact.outputs(first, range(problem.shape[2]), head.rounder.fmt)
    if len(found.weights):
        if masked_row == "mean":
            filler = uniform_weight(problem.shape[1], head.rounder.fmt)
        found.weights[empty] = filler
    head.tally.add("exact", entries * (problem.shape[2] + 1 + (problem.shape[1] if len(found.weights) else 0)))


def uniform_weight(keys: int, fmt: Format) -> float:
    """1/keys, correctly rounded."""
    from symattn.certified.exact import as_float
    from symattn.number.formats import round_fraction

    return as_float(round_fraction(Fraction(1, keys), fmt), fmt)


class Heads:
    """The problems of a call, one a head, in row-major order of the leading axes."""

    def __init__(
        self,
        q: Floats,
        k: Floats,
        v: Floats,
        scale: Scale,
        rule: Mask,
        array: Bools | None,
        bias: Floats | None,
        loose: bool,
    ) -> None:
        self.q, self.k, self.v, self.scale, self.rule, self.array, self.bias, self.loose = q, k, v, scale, rule, array, bias, loose
        self.lead = q.shape[:-2]
        self.count = math.prod(self.lead)
        self.sizes = (q.shape[-2], k.shape[-2], v.shape[-1])
        self.group = q.shape[-3] // k.shape[-3] if q.ndim > 2 else 1

    @staticmethod
    def take(
        q: object, k: object, v: object, scale: object, mask: object, window: object, offset: object, bias: object, nonfinite: str
    ) -> Heads:
        """Checks everything that can be checked before a number is computed."""
        strict = nonfinite == "error"
        queries = take("q", q, "(…, heads, n, d)", 2, finite=strict)
        keys = take("k", k, "(…, kv_heads, m, d)", 2, finite=strict)
        values = take("v", v, "(…, kv_heads, m, d_v)", 2, finite=strict)
        fit_shapes(queries, keys, values)
        n, m = queries.shape[-2], keys.shape[-2]
        shape = (*queries.shape[:-2], n, m)
        rule, array = read_mask(mask, window, offset, shape)
        added = None if bias is None else take_bias(bias, shape, finite=strict)
        return Heads(queries, keys, values, read_scale(scale, queries.shape[-1]), rule, array, added, not strict)

    def __iter__(self) -> Iterator[Problem]:
        for at in np.ndindex(*self.lead):
            shared = (*at[:-1], at[-1] // self.group) if at else at
            array = None if self.array is None else self.array[at]
            rule = self.rule
            mask = Mask(rule.queries, rule.keys, rule.causal, rule.window, rule.offset, array)
            bias = None if self.bias is None else self.bias[at]
            problem = Problem(self.q[at], self.k[shared], self.v[shared], self.scale, bias, mask, mask.empty_rows())
            yield without_nonfinite(problem) if self.loose else problem


def without_nonfinite(problem: Problem) -> Problem:
    """NaN and infinities replaced by 0 where no allowed pair looks; InputError where one does."""
    n, m, _ = problem.shape
    q, k, v, bias = problem.queries, problem.keys, problem.values, problem.bias
    assert q is not None
    assert k is not None
    looked = np.zeros(m, dtype=bool)
    for start in range(0, n, 64):
        rows = np.arange(start, min(start + 64, n))
        allowed = problem.mask.allowed(rows, m)
        looked |= True if allowed is None else allowed.any(axis=0)
    rows_used = ~problem.empty
    q, k, v = (_clean(name, x, used) for name, x, used in (("q", q, rows_used), ("k", k, looked), ("v", v, looked)))
    if bias is not None and not np.isfinite(bias).all():
        allowed = problem.mask.allowed(np.arange(n), m)
        if allowed is not None:
            bias = np.where(allowed, bias, 0.0)
        require_finite("bias", bias)
    return Problem(q, k, v, problem.scale, bias, problem.mask, problem.empty)


def _clean(name: str, x: Floats, used: Bools) -> Floats:
    bad = ~np.isfinite(x)
    if not bad.any():
        return x
    require_finite(name, np.where(used[:, None], x, 0.0))
    return np.where(bad, 0.0, x)


def fit_shapes(q: Floats, k: Floats, v: Floats) -> None:
    """Raises ShapeError where the axes of queries, keys and values do not fit."""
    shapes = f"q {q.shape}, k {k.shape}, v {v.shape}"
    if q.shape[-1] != k.shape[-1]:
        raise ShapeError(f"queries have {q.shape[-1]} features and keys {k.shape[-1]}: {shapes}", next_move="give q and k one last size")
    if k.shape[-2] != v.shape[-2]:
        raise ShapeError(f"there are {k.shape[-2]} keys but {v.shape[-2]} values: {shapes}", next_move="give k and v one number of rows")
    if not q.ndim == k.ndim == v.ndim or k.shape[:-2] != v.shape[:-2] or q.shape[:-3] != k.shape[:-3]:
        raise ShapeError(f"the leading axes do not fit: {shapes}", next_move="give all three the same, but for the heads")
    if q.ndim > 2 and q.shape[-3] % k.shape[-3]:
        raise ShapeError(
            f"{q.shape[-3]} heads of queries do not split into {k.shape[-3]} groups: {shapes}",
            next_move="give a number of key heads that divides the heads",
        )


def read_mask(mask: object, window: object, offset: object, shape: tuple[int, ...]) -> tuple[Mask, Bools | None]:
    """The mask as a rule or an array. Raises InputError, ShapeError."""
    n, m = shape[-2:]
    if offset is not None and (not isinstance(offset, int) or isinstance(offset, bool)):
        raise InputError(f"query_offset is {offset!r}", next_move="give an integer: 0 aligns the first positions, m - n the last ones")
    if window is not None and (not isinstance(window, int) or isinstance(window, bool) or window < 1):
        raise InputError(f"window is {window!r}", next_move="give a positive integer")
    if window is not None and not (isinstance(mask, str) and mask in ("causal", "window")):
        raise InputError("window is given, but the mask is not causal", next_move='write mask="window"')
    if not isinstance(mask, str):
        return Mask(n, m), None if mask is None else take_mask(mask, shape)
    one_of("mask", mask, ("causal", "window"))
    if mask == "window" and window is None:
        raise InputError('mask is "window" but window is not given', next_move="give its width, window=w: keys i-w+1 … i are kept")
    if offset is None and n != m:
        raise InputError(
            f"query_offset is missing: there are {n} queries and {m} keys, and positions are compared",
            next_move="give query_offset=0 to align the first positions, or m - n to align the last ones (decoding)",
        )
    return Mask(n, m, True, window if isinstance(window, int) else None, offset if isinstance(offset, int) else 0), None


# -- softmax and log-sum-exp ------------------------------------------------------------------------------------------------
def softmax(x: object, *, out: object = "float32", axis: int = -1, method: str = "tiers") -> CertifiedArray:
    """e**x over the sum of e**x along `axis`, correctly rounded. x is an array of any of the six formats, of any shape.

    Raises InputError, ShapeError."""
    return _along(x, out, axis, method, weights=True)


def logsumexp(x: object, *, out: object = "float32", axis: int = -1, method: str = "tiers") -> CertifiedArray:
    """log of the sum of e**x along `axis` (which goes away), correctly rounded.

    Raises InputError, ShapeError."""
    return _along(x, out, axis, method, weights=False)


def _along(x: object, out: object, axis: int, method: str, *, weights: bool) -> CertifiedArray:
    fmt = output_format(out)
    one_of("method", method, METHODS)
    array = take("x", x, "at least one axis", 1)
    if not isinstance(axis, int) or not -array.ndim <= axis < array.ndim:
        raise ShapeError(f"axis is {axis!r}, but x has shape {array.shape}", next_move=f"give one from {-array.ndim} to {array.ndim - 1}")
    moved = np.moveaxis(array, axis, -1)
    scores = np.ascontiguousarray(moved).reshape(-1, moved.shape[-1])
    n, m = scores.shape
    problem = Problem(None, None, np.zeros((m, 0)), Scale.rational(Fraction(1)), scores, Mask(n, m), np.zeros(n, dtype=bool))
    rounder, tally = Rounder(fmt), Tally()
    with np.errstate(all="ignore"):
        found = Head(problem, rounder, Wanted(values=False, lse=not weights, weights=weights, method=method), tally).run()
        chosen = found.weights if weights else found.lse
        done: Any = encode(rounder.finish(chosen), fmt)
    values: Array = np.moveaxis(done.reshape(moved.shape), -1, axis) if weights else done.reshape(moved.shape[:-1])
    return CertifiedArray(values, fmt.name, report(tally))
