"""Values of stages as formulas, for notebooks.

Promises: exact numbers show their closed form or "≈" and 15 proven digits, balls their proven digits, floats and mpmath numbers what they
print; an entry that a mask removed is a dot. Does not promise: more than MAX_ENTRIES entries or more than two axes (then nothing is made).
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

from symattn.number.closed_form import shown_math
from symattn.number.exact import Exact
from symattn.page import math as m
from symattn.page.notebook import numeral_math, shape_math
from symattn.program.formulas import name_math

if TYPE_CHECKING:
    from symattn.interp.evaluate import Evaluation
    from symattn.interp.tensor import Tensor

MAX_ENTRIES = 100
ABSENT = m.Sign("·")


def entry_math(x: Any) -> m.Math | None:
    """One entry; None for what is not a number of a number system (a SymPy expression shows itself)."""
    if isinstance(x, bool):
        return m.Words(str(x).lower())
    if isinstance(x, int | Fraction):
        return shown_math(Exact.of(x))
    if isinstance(x, Exact):
        return shown_math(x)
    if any(str(kind.__module__).partition(".")[0] == "sympy" for kind in type(x).__mro__):  # the class of f(1) itself has no module
        return None
    return numeral_math(str(x))


def tensor_math(tensor: Tensor[Any]) -> m.Math | None:
    """A number, a column or a matrix; None for more axes, more entries, or entries of another kind."""
    if len(tensor.shape) > 2 or prod(tensor.shape) > MAX_ENTRIES:
        return None
    cells = [ABSENT if k in tensor.absent else entry_math(x) for k, x in enumerate(tensor.entries)]
    entries = [cell for cell in cells if cell is not None]
    if len(entries) < len(cells):
        return None
    if not tensor.shape:
        return entries[0]
    width = tensor.shape[1] if len(tensor.shape) == 2 else 1
    return m.Grid(tuple(tuple(entries[k : k + width]) for k in range(0, len(entries), width)))


def evaluation_rows(evaluation: Evaluation) -> list[tuple[m.Math, str, m.Math]]:
    """`stage = value` for every stage; one that is too large to read shows its shape."""
    rows: list[tuple[m.Math, str, m.Math]] = []
    for name, tensor in evaluation.items():
        left = name_math(evaluation.program.by_name[name].letter or name)
        value = tensor_math(tensor)
        if value is None:
            rows.append((left, "∈", shape_math([m.Number(str(n)) for n in tensor.shape])))
        else:
            rows.append((left, "=", value))
    return rows
