"""The rows of the symbolic reading: SymPy's functions on SymPy's numbers.

Promises: nothing is simplified beyond what SymPy does on sight, with one exception that keeps a step visible: exp(x - log z)
stays as it is, where SymPy would write exp(x)/z and the step through the logarithm would be lost.
Does not promise: the order of operations. SymPy stores e/z as e*z**-1 and sorts sums; floats are studied elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from symattn.errors import DomainError
from symattn.interp.run import ReduceSite, Table, masked_row
from symattn.interp.symbolic_given import rational
from symattn.interp.tensor import Tensor
from symattn.program.program import Stage


def add_all(terms: Sequence[Any]) -> Any:
    """The sum of the terms."""
    return sp.Add(*terms)


def divide(a: Any, b: Any) -> Any:
    """a / b. Raises DomainError when b is 0."""
    if b.is_zero:
        raise DomainError("division by zero", next_move="check the row it belongs to")
    return a / b


def exponential(x: Any) -> Any:
    """e**x, left as it is when x holds the logarithm of anything but a number."""
    if any(not log.args[0].is_Rational for log in x.atoms(sp.log)):
        return sp.exp(x, evaluate=False)
    return sp.exp(x)


def logarithm(x: Any) -> Any:
    """log x. Raises DomainError when x is known not to be positive."""
    if x.is_nonpositive:
        raise DomainError(f"the logarithm of {x if x.is_Rational else 'a number that is not positive'}")
    return sp.log(x)


def root(x: Any) -> Any:
    """The square root. Raises DomainError when x is known to be negative."""
    if x.is_negative:
        raise DomainError("the square root of a negative number")
    return sp.sqrt(x)


def larger(a: Any, b: Any) -> Any:
    """The larger of two; left as Max unless both are numbers, because comparing expressions can take very long."""
    return sp.Max(a, b, evaluate=bool(a.is_number and b.is_number))


def power(x: Any, exponent: Fraction) -> Any:
    """x to a rational exponent. Raises DomainError for 0 to a negative one and for a root of a known negative number."""
    if x.is_zero and exponent < 0:
        raise DomainError("0 to a negative power")
    if x.is_negative and exponent.denominator != 1:
        raise DomainError("a fractional power of a negative number")
    return x ** rational(exponent)


ROWS: dict[str, Callable[..., Any]] = {
    "neg": lambda x: -x,
    "exp": exponential,
    "log": logarithm,
    "sqrt": root,
    "tanh": sp.tanh,
    "cos": sp.cos,
    "sin": sp.sin,
    "erf": sp.erf,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": divide,
    "max2": larger,
    "pow": power,
}
MAXIMA = Table("symbolic", rational, ROWS, total=add_all)


def with_shifts(shifts: dict[Any, Any], name_of: Callable[[Stage, tuple[int, ...]], Any]) -> Table:
    """The table in which a maximum is a new symbol; `shifts` collects what each stands for."""

    def reduce(site: ReduceSite) -> Tensor[Any]:
        source = site.values[0]
        entries = []
        for visit in site.loops.visits():
            terms = [source.entries[p] for p in visit.uses[0] if p not in source.absent]
            if not terms:
                if site.empty is None:
                    raise masked_row(site.stage, visit.index)
                entries.append(site.empty({a.name: k for a, k in zip(site.loops.out, visit.index, strict=True)}))
                continue
            shift = name_of(site.stage, visit.index)
            shifts[shift] = sp.Max(*terms, evaluate=all(t.is_number for t in terms))
            entries.append(shift)
        return Tensor(site.loops.shape, entries)

    return Table("symbolic", rational, ROWS, total=add_all, reduce=reduce)
