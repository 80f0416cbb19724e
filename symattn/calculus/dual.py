"""Dual numbers over any number system: the exact directional derivative of a program, without any rule of the backward pass.

A dual number is x + x' ε with ε² = 0, kept as (x, x'), x' = None for 0. A program read in dual numbers gives its value and its derivative
along the direction that its inputs carry. The rules are written here a second time, on purpose: nothing of slopes.py is used.

Promises: exact where the number system is; a maximum at a tie whose two sides move differently is a `DomainError`.
Does not promise: derivatives by stages that are computed (cut the program there).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from symattn.errors import DomainError, InputError
from symattn.interp.run import Table, run
from symattn.interp.sizes import infer_sizes
from symattn.interp.take import take_feeds
from symattn.interp.tensor import Tensor
from symattn.program.program import Program

Dual = tuple[Any, Any]
_PI = "the derivative of erf is 2/sqrt(pi) * exp(-x^2), and pi is not a number of this system"


def dual_table(base: Table, compare: Callable[[Any, Any], int]) -> Table:
    """The table of dual numbers over `base`; `compare` is -1, 0 or 1 as the first of two numbers is smaller, equal or larger."""
    scalar, number = base.scalar, base.number

    def c(q: int | Fraction) -> Any:
        return number(Fraction(q))

    def add(a: Dual, b: Dual) -> Dual:
        return scalar["add"](a[0], b[0]), _plus(scalar, a[1], b[1])

    def neg(a: Dual) -> Dual:
        return scalar["neg"](a[0]), None if a[1] is None else scalar["neg"](a[1])

    def mul(a: Dual, b: Dual) -> Dual:
        left = None if a[1] is None else scalar["mul"](a[1], b[0])
        right = None if b[1] is None else scalar["mul"](a[0], b[1])
        return scalar["mul"](a[0], b[0]), _plus(scalar, left, right)

    def div(a: Dual, b: Dual) -> Dual:
        value = scalar["div"](a[0], b[0])
        if a[1] is None and b[1] is None:
            return value, None
        # (a/b)' = (a' b - a b') / b².
        left = None if a[1] is None else scalar["mul"](a[1], b[0])
        right = None if b[1] is None else scalar["neg"](scalar["mul"](a[0], b[1]))
        return value, scalar["div"](_plus(scalar, left, right), scalar["mul"](b[0], b[0]))

    def max2(a: Dual, b: Dual) -> Dual:
        side = compare(a[0], b[0])
        if side == 0 and compare(*(number(Fraction(0)) if d is None else d for d in (a[1], b[1]))) != 0:
            raise DomainError("a maximum of two equal numbers is not differentiable", next_move="choose a point where they differ")
        return b if side < 0 else a

    def chained(op: str, slope: Callable[[Any], Any]) -> Callable[[Dual], Dual]:
        def row(a: Dual) -> Dual:
            value = scalar[op](a[0])
            return value, None if a[1] is None else scalar["mul"](slope(a[0]), a[1])

        return row

    def power(a: Dual, q: Fraction) -> Dual:
        value = scalar["pow"](a[0], q)
        if a[1] is None or q == 0:
            return value, None
        return value, scalar["mul"](scalar["mul"](c(q), scalar["pow"](a[0], q - 1)), a[1])

    def erf(a: Dual) -> Dual:
        if a[1] is None:
            return scalar["erf"](a[0]), None
        raise DomainError(_PI)

    one = c(1)
    slopes: dict[str, Callable[[Any], Any]] = {
        "exp": lambda x: scalar["exp"](x),
        "log": lambda x: scalar["div"](one, x),
        "sqrt": lambda x: scalar["div"](c(Fraction(1, 2)), scalar["sqrt"](x)),
        "tanh": lambda x: scalar["sub"](one, scalar["mul"](scalar["tanh"](x), scalar["tanh"](x))),
        "cos": lambda x: scalar["neg"](scalar["sin"](x)),
        "sin": lambda x: scalar["cos"](x),
    }
    rows: dict[str, Callable[..., Dual]] = {op: chained(op, slope) for op, slope in slopes.items()}
    rows |= {"neg": neg, "add": add, "sub": lambda a, b: add(a, neg(b)), "mul": mul, "div": div, "max2": max2, "pow": power, "erf": erf}

    def total(terms: Sequence[Dual]) -> Dual:
        return reduce(add, terms)

    return Table(f"dual numbers over {base.name}", lambda q: (number(q), None), rows, total=total)


def _plus(scalar: Mapping[str, Any], a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return scalar["add"](a, b)


def read_dual(
    program: Program,
    feeds: Mapping[str, Tensor[Any]],
    directions: Mapping[str, Tensor[Any]],
    table: Table,
    zero: Any,
    sizes: Mapping[str, int] | None = None,
    parameters: Mapping[str, int] | None = None,
) -> dict[str, tuple[Tensor[Any], Tensor[Any]]]:
    """Every stage's value and derivative; `table` comes from `dual_table`, `feeds` and `directions` hold numbers of its base system."""
    seeded: dict[str, Tensor[Any]] = {}
    for name, tensor in feeds.items():
        moves = directions.get(name)
        slopes = [None] * len(tensor.entries) if moves is None else list(moves.entries)
        entries = [x if isinstance(x, bool) else (x, d) for x, d in zip(tensor.entries, slopes, strict=True)]
        seeded[name] = Tensor(tensor.shape, entries, tensor.absent)
    found = {}
    for name, tensor in run(program, seeded, table, sizes, parameters).items():
        pairs = [x if isinstance(x, tuple) else (x, None) for x in tensor.entries]
        values = Tensor(tensor.shape, [x for x, _ in pairs], tensor.absent)
        found[name] = (values, Tensor(tensor.shape, [zero if d is None else d for _, d in pairs], tensor.absent))
    return found


def directional(
    program: Program,
    feeds: Mapping[str, Any],
    directions: Mapping[str, Any],
    *,
    sizes: Mapping[str, int] | None = None,
    parameters: Mapping[str, int] | None = None,
) -> dict[str, tuple[Tensor[Any], Tensor[Any]]]:
    """The exact value and the exact directional derivative of every stage, at `feeds` along `directions` (input name -> the same nested
    lists as a feed).

    Raises InputError for a direction that is no input or has another shape, DomainError at a tie, what the exact reading raises."""
    from symattn.interp.exact import TABLE, exact_feeds

    taken = take_feeds(program, feeds)
    inputs = {stage.name: stage for stage in program.inputs}
    unknown = [name for name in directions if name not in inputs]
    if unknown:
        raise InputError(f'the direction of "{unknown[0]}" is given, but it is no input', next_move="inputs: " + ", ".join(inputs))
    moves = take_feeds(program, directions)
    for name, tensor in moves.items():
        if tensor.shape != taken[name].shape:
            raise InputError(
                f'the direction of "{name}" has the shape {tensor.shape}, not {taken[name].shape}', next_move="give the same shape"
            )
    found = infer_sizes(program, {name: tensor.shape for name, tensor in taken.items()}, sizes)
    table = dual_table(TABLE, lambda a, b: (a - b).sign())
    return read_dual(program, exact_feeds(taken), exact_feeds(moves), table, TABLE.number(Fraction(0)), found, parameters)
