"""The balls reading: Arb through python-flint, every value enclosed, digits proven.

Promises: each entry is a `Ball` that contains the exact value for exact inputs; precision is raised until every entry has the asked
digits. An entry that cannot get them (it may be 0) stays as it is and says how close to 0 it is proven to be. Texts show proven digits.
Does not promise: that a ball around 0 is 0, or an answer past the cap on precision (UndecidedError where a stage could not be computed).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, arb_mat, fmpq

from symattn.errors import DomainError, UndecidedError
from symattn.interp.ball import Ball
from symattn.interp.loops import Loops, walk
from symattn.interp.run import ContractSite, Runner, Table, masked_row, run
from symattn.interp.systems import Request
from symattn.interp.tensor import Tensor, row_major_strides
from symattn.number.exact import Exact
from symattn.number.precision import flint_bits
from symattn.number.truth import START_BITS
from symattn.program.program import Program
from symattn.program.spaces import Axis

DEFAULT_DIGITS = 30
GUARD_BITS = 32
# Working precision stops growing at CAP_FACTOR times the bits asked for, but not before CAP_BITS.
CAP_BITS = 4096
CAP_FACTOR = 8
# A ball around 0 may be 0: it alone raises the precision only this far.
ZERO_FACTOR = 4
_ZERO = arb(0)


# -- rows ---------------------------------------------------------------------------------------------------------------
def _undecided(operation: str) -> UndecidedError:
    return UndecidedError(f"{operation} of a ball around a point where it is not defined", next_move="more digits may decide it")


def _div(a: arb, b: arb) -> arb:
    result = a / b
    if not result.is_finite() and b.contains(_ZERO):
        if b.is_zero():
            raise DomainError("division by zero", next_move="check the denominator")
        raise _undecided("division")
    return result


def _log(x: arb) -> arb:
    if x > 0:
        return x.log()
    if x <= 0:
        raise DomainError("the logarithm of a number that is not positive", next_move="logarithms are taken of numbers > 0")
    raise _undecided("the logarithm")


def _sqrt(x: arb) -> arb:
    if x >= 0:
        return x.sqrt()
    if x < 0:
        raise DomainError("the square root of a negative number", next_move="roots are taken of numbers ≥ 0")
    raise _undecided("the square root")


def _power(x: arb, exponent: Fraction) -> arb:
    p, q = exponent.numerator, exponent.denominator
    if q > 1:
        if q % 2 == 0:
            if x < 0:
                raise DomainError("an even root of a negative number", next_move="roots are taken of numbers ≥ 0")
            if not x >= 0:
                raise _undecided("a root")
            x = x.root(q)
        elif x < 0:
            x = -(-x).root(q)
        elif x >= 0:
            x = x.root(q)
        else:
            raise _undecided("a root")
    if p < 0:
        if x.is_zero():
            raise DomainError("0 to a negative power", next_move="check the base")
        return _div(arb(1), x**-p)
    return x**p


def _number(q: Fraction) -> arb:
    return arb(fmpq(q.numerator, q.denominator))


SCALAR: Mapping[str, Callable[..., Any]] = {
    "neg": lambda x: -x,
    "exp": lambda x: x.exp(),
    "log": _log,
    "sqrt": _sqrt,
    "tanh": lambda x: x.tanh(),
    "cos": lambda x: x.cos(),
    "sin": lambda x: x.sin(),
    "erf": lambda x: x.erf(),
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _div,
    "max2": lambda a, b: a.max(b),
    "pow": _power,
}


# -- whole contractions -------------------------------------------------------------------------------------------------
def batched(site: ContractSite) -> Tensor[Any] | None:
    """A contraction of two uses as products of `arb_mat`; None where relations bind a summed axis, or entries are absent.

    Relations among axes of the result select afterwards: what they exclude becomes the 0 of an empty sum, or an error."""
    loops = site.loops
    if len(loops.uses) != 2 or any(v.absent for v in site.values):
        return None
    inner = {a.name for a in loops.inner}
    if loops.relations.axes & inner or not inner:
        return None
    out = _products(loops, [v.entries for v in site.values])
    if site.coef is not None:
        out = [x * site.coef for x in out]
    if loops.relations.where:
        zero = arb(0)
        allowed = {flat for flat, _ in loops.present()}
        if site.must_visit and len(allowed) < len(out):
            first = next(k for k in range(len(out)) if k not in allowed)
            raise masked_row(site.stage, list(Tensor(loops.shape, out).indices())[first])
        out = [x if k in allowed else zero for k, x in enumerate(out)]
    return Tensor(loops.shape, out)


def _products(loops: Loops, operands: Sequence[Sequence[arb]]) -> list[arb]:
    first, second = loops.uses
    batch: list[Axis] = []
    left: list[Axis] = []
    right: list[Axis] = []
    for axis in loops.out:
        in_first, in_second = axis.name in first.strides, axis.name in second.strides
        (batch if in_first and in_second else left if in_first else right).append(axis)
    offsets = {a.name: s for a, s in zip(loops.out, row_major_strides(loops.shape), strict=True)}
    a_rows, a_cols = walk(left, loops.extents, first.strides), walk(loops.inner, loops.extents, first.strides)
    b_rows, b_cols = walk(loops.inner, loops.extents, second.strides), walk(right, loops.extents, second.strides)
    to_left, to_right = walk(left, loops.extents, offsets), walk(right, loops.extents, offsets)
    out: list[arb] = [_ZERO] * (len(to_left) * len(to_right) * math.prod([loops.extents[a.name] for a in batch]))
    a, b = operands
    for shift_a, shift_b, shift_out in zip(
        walk(batch, loops.extents, first.strides, first.base),
        walk(batch, loops.extents, second.strides, second.base),
        walk(batch, loops.extents, offsets),
        strict=True,
    ):
        rows = arb_mat(len(a_rows), len(a_cols), [a[shift_a + r + c] for r in a_rows for c in a_cols])
        cols = arb_mat(len(b_rows), len(b_cols), [b[shift_b + r + c] for r in b_rows for c in b_cols])
        entries = (rows * cols).entries()
        places = [shift_out + r + c for r in to_left for c in to_right]
        for place, entry in zip(places, entries, strict=True):
            out[place] = entry
    return out


TABLE = Table(name="balls", number=_number, scalar=SCALAR, contract=batched)


def tables() -> tuple[Table, ...]:
    """This system's tables."""
    return (TABLE,)


# -- reading ------------------------------------------------------------------------------------------------------------
class _Arb:
    """Arb as the arithmetic in which exact numbers are rebuilt."""

    number = staticmethod(_number)
    add, mul, div = SCALAR["add"], SCALAR["mul"], staticmethod(_div)
    exp, sqrt, log = SCALAR["exp"], staticmethod(_sqrt), staticmethod(_log)


def ball_feeds(feeds: Mapping[str, Tensor[Any]]) -> dict[str, Tensor[Any]]:
    """Exact feeds as balls at the current precision; truth values stay."""
    found = {}
    for name, tensor in feeds.items():
        found[name] = Tensor(tensor.shape, [_ball(x) for x in tensor.entries], tensor.absent)
    return found


def _ball(x: Any) -> Any:
    if isinstance(x, bool):
        return x
    if isinstance(x, Exact):
        return x.fold(_Algebra)
    return arb(fmpq(x.numerator, x.denominator))


_Algebra: Any = _Arb


def read(program: Program, feeds: Mapping[str, Tensor[Any]], request: Request) -> dict[str, Tensor[Ball]]:
    """Every stage, as balls with `request.digits` proven digits (DEFAULT_DIGITS unless digits or bits are given; with `bits` one run
    at that working precision). Raises UndecidedError when a stage cannot be computed at the cap, and what `run` raises."""
    if request.bits is not None:
        return {name: _wrapped(tensor) for name, tensor in _run(program, feeds, request, request.bits).items()}
    digits = DEFAULT_DIGITS if request.digits is None else request.digits
    wanted = bits_for(digits)
    working, cap = wanted + GUARD_BITS, max(CAP_BITS, CAP_FACTOR * wanted)
    while True:
        try:
            values = _run(program, feeds, request, working)
        except UndecidedError:
            if working >= cap:
                raise
            working = min(2 * working, cap)
            continue
        missing, around_zero = shortfall(values.values(), wanted)
        if working >= cap or (missing <= 0 and (not around_zero or working >= ZERO_FACTOR * wanted)):
            return {name: _wrapped(tensor, digits) for name, tensor in values.items()}
        working = min(cap, working + missing + GUARD_BITS if missing > 0 else 2 * working)


def bits_for(digits: int) -> int:
    """Bits of relative accuracy that prove `digits` significant digits, with a few to spare for rounding."""
    return math.ceil(digits * 3.3219280948873626) + 8


def shortfall(tensors: Any, wanted: int) -> tuple[int, bool]:
    """(bits by which the least accurate entry misses `wanted`, whether some ball contains 0 without being it)."""
    missing, around_zero = 0, False
    for tensor in tensors:
        for x in tensor.entries:
            if isinstance(x, bool):
                continue
            accuracy = x.rel_accuracy_bits()
            if accuracy < wanted and not x.is_zero():
                if x.is_finite() and x.contains(_ZERO):
                    around_zero = True
                else:
                    missing = max(missing, wanted - max(int(accuracy), 0))
    return missing, around_zero


def _run(program: Program, feeds: Mapping[str, Tensor[Any]], request: Request, bits: int) -> dict[str, Tensor[Any]]:
    with flint_bits(bits):
        return run(program, ball_feeds(feeds), TABLE, request.sizes, request.parameters)


def _wrapped(tensor: Tensor[Any], digits: int | None = None) -> Tensor[Any]:
    entries = [x if isinstance(x, bool) else Ball(x, digits) for x in tensor.entries]
    return Tensor(tensor.shape, entries, tensor.absent)


class BallRuns:
    """A program read in balls at any precision, stage by stage, each run kept: what a re-run on demand needs. `feeds` are exact."""

    def __init__(self, program: Program, feeds: Mapping[str, Tensor[Any]], sizes: Mapping[str, int], parameters: Mapping[str, int]) -> None:
        self.program = program
        self._feeds = feeds
        self._sizes = sizes
        self._parameters = parameters
        self._runs: dict[int, Runner] = {}

    def tensor(self, stage: str, bits: int) -> Tensor[arb]:
        """One stage, computed with `bits` bits. Raises UndecidedError where that is too little."""
        with flint_bits(bits):
            if bits not in self._runs:
                self._runs[bits] = Runner(self.program, ball_feeds(self._feeds), TABLE, self._sizes, self._parameters)
            return self._runs[bits].value(stage)

    def entry(self, stage: str, flat: int, bits: int) -> arb:
        """One entry of `tensor`."""
        return self.tensor(stage, bits).entries[flat]

    def first(self, stage: str) -> Tensor[arb]:
        """The stage at the first precision that computes it. Raises UndecidedError at the cap, DomainError, MaskedRowError."""
        bits = START_BITS
        while True:
            try:
                return self.tensor(stage, bits)
            except UndecidedError:
                if bits >= CAP_BITS:
                    raise
                bits *= 2
