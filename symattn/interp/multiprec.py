"""The multiprec reading: mpmath with guard digits, the independent second opinion on the balls.

Promises: it shares nothing with the balls and nothing of flint; it computes in a context of its own, mpmath's global one is never
touched. The working precision is raised until two runs, the second with more guard digits, agree on the asked digits.
Does not promise: proof. These are observations with guard digits: rounding errors are watched, not enclosed, and what cancels to
less than 10**-120 of its operands may be taken for 0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from mpmath import MPContext

from symattn.errors import DomainError, InputError, UndecidedError
from symattn.interp.events import Observed
from symattn.interp.run import Table, run
from symattn.interp.systems import Request
from symattn.interp.tensor import Tensor
from symattn.program import ops
from symattn.program.program import Program

DEFAULT_DIGITS = 30
GUARD_DIGITS = 15
CAP_DIGITS = 4000
NOTE = "observed with guard digits, not proven"


def read(program: Program, feeds: Mapping[str, Tensor[Any]], request: Request) -> Observed:
    """Every stage, as mpmath numbers that carry `request.digits` digits and guard digits (30 unless digits or bits are given; with
    `bits` one run at that precision, nothing checked). Entries of `feeds` are fractions, or exact numbers that rebuild themselves
    in any arithmetic (`Exact.fold`).

    UndecidedError when two precisions do not agree below CAP_DIGITS digits; DomainError and others as in `interp.run.run`."""
    if request.bits is not None:
        return Observed(_run(program, feeds, request, request.bits), notes={"multiprec": f"one run at {request.bits} bits, not checked"})
    digits = DEFAULT_DIGITS if request.digits is None else request.digits
    if digits < 1:
        raise InputError(f"{digits} digits were asked for", next_move="ask for at least 1")
    exact = {stage.name for stage in program.stages if isinstance(stage.op, ops.Input | ops.Position)}
    guard = GUARD_DIGITS
    before = _try(program, feeds, request, digits + guard)
    while True:
        guard *= 2
        settled = guard >= 8 * GUARD_DIGITS
        after = _run(program, feeds, request, bits_for(digits + guard)) if settled else _try(program, feeds, request, digits + guard)
        stage = _unsettled(before, after, digits, settled, exact)
        if after is not None and stage is None:
            return Observed(after, notes={"multiprec": f"{NOTE}: two runs agree, with {guard // 2} and {guard} guard digits"})
        if digits + 2 * guard > CAP_DIGITS:
            raise UndecidedError(
                f'stage "{stage}": {digits} digits do not settle with {guard} guard digits', next_move="ask for fewer digits"
            )
        before = after


def _try(program: Program, feeds: Mapping[str, Tensor[Any]], request: Request, digits: int) -> dict[str, Tensor[Any]] | None:
    """A run, or None where a value left its domain: a denominator may be 0 only because digits cancelled."""
    try:
        return _run(program, feeds, request, bits_for(digits))
    except DomainError:
        return None


def tables() -> tuple[Table, ...]:
    """The table at the default number of digits."""
    return (multiprec_table(bits_for(DEFAULT_DIGITS + GUARD_DIGITS)),)


def bits_for(digits: int) -> int:
    """Bits that carry so many decimal digits: log2(10) < 3.3220."""
    return -(-digits * 33220 // 10000) + 4


def decimal_string(value: Any, digits: int) -> str:
    """An mpmath number in significant decimal digits, as mpmath prints it: observed, not proven."""
    return str(value.context.nstr(value, digits))


def multiprec_table(bits: int) -> Table:
    """The mpmath table at a working precision, in a new context."""
    ctx = MPContext()
    ctx.prec = bits

    def number(x: Fraction) -> Any:
        return ctx.mpf(x.numerator) / x.denominator

    def divide(a: Any, b: Any) -> Any:
        if not b:
            raise DomainError("division by zero", next_move="change the values so that the denominator is not 0")
        return a / b

    def log(x: Any) -> Any:
        if x <= 0:
            raise DomainError(f"log of {'0' if not x else 'a negative number'}", next_move="its argument must be positive")
        return ctx.log(x)

    def sqrt(x: Any) -> Any:
        if x < 0:
            raise DomainError("sqrt of a negative number", next_move="its argument must not be negative")
        return ctx.sqrt(x)

    def power(x: Any, exponent: Fraction) -> Any:
        if not x and exponent < 0:
            raise DomainError("zero to a negative power", next_move="change the values so that the base is not 0")
        if exponent.denominator == 1:
            return x**exponent.numerator
        if x < 0 and exponent.denominator % 2 == 0:
            raise DomainError("an even root of a negative number", next_move="its base must not be negative")
        size = ctx.power(abs(x), number(exponent))
        return -size if x < 0 and exponent.numerator % 2 else size

    rows: dict[str, Callable[..., Any]] = {
        "neg": operator.neg,
        "add": operator.add,
        "sub": operator.sub,
        "mul": operator.mul,
        "div": divide,
        "max2": max,
        "exp": ctx.exp,
        "log": log,
        "sqrt": sqrt,
        "tanh": ctx.tanh,
        "cos": ctx.cos,
        "sin": ctx.sin,
        "erf": ctx.erf,
        "pow": power,
    }
    return Table("multiprec", number, rows)


def _run(program: Program, feeds: Mapping[str, Tensor[Any]], request: Request, bits: int) -> dict[str, Tensor[Any]]:
    table = multiprec_table(bits)
    given = {name: Tensor(t.shape, [_given(x, table) for x in t.entries], t.absent) for name, t in feeds.items()}
    return run(program, given, table, request.sizes, request.parameters)


def _given(x: Any, table: Table) -> Any:
    if isinstance(x, bool):
        return x
    if isinstance(x, int | Fraction):
        return table.number(Fraction(x))
    algebra = SimpleNamespace(number=table.number, **{op: table.row(op) for op in ("add", "mul", "div", "exp", "sqrt", "log")})
    return x.fold(algebra)


def _unsettled(
    before: Mapping[str, Tensor[Any]] | None, after: Mapping[str, Tensor[Any]] | None, digits: int, settled: bool, exact: set[str]
) -> str | None:
    """The first stage with an entry on which two runs do not agree to `digits` + 3 significant digits; None when there is none.

    A 0, or what shrinks as the precision grows, may be a small number whose digits cancelled: it is taken for the 0 it seems to be
    only when `settled`, that is with 120 guard digits, or in the stages `exact`."""
    if before is None or after is None:
        return "(a value leaves its domain)"
    scale = 10 ** (digits + 3)
    for name, tensor in after.items():
        if name in exact:
            continue
        for k, (old, new) in enumerate(zip(before[name].entries, tensor.entries, strict=True)):
            if k in tensor.absent or isinstance(new, bool):
                continue
            if new and abs(old - new) * scale <= abs(new):
                continue
            if settled and abs(old) * scale <= 1 and abs(new) * scale <= abs(old):
                continue
            return name
    return None
