"""A number system for these tests, apart from the package's own: fractions, with e^x replaced by a rational stand-in.

The stand-in is injective on what the tests feed it, so a wrong wiring of stages shows as a wrong fraction, with no tolerance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from symattn.interp.run import Table, run
from symattn.interp.tensor import Tensor
from symattn.language.prompt import Compiled, compile_text


def stand_in(x: Fraction) -> Fraction:
    """What these tests take for exp: positive and one-to-one on small fractions."""
    return 1 + x * x + x / 1000


def log_stand_in(x: Fraction) -> Fraction:
    return 7 * x - 3


def root(x: Fraction) -> Fraction:
    """An exact root, of squares only."""
    from math import isqrt

    found = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    assert found * found == x
    return found


TABLE = Table(
    "test",
    Fraction,
    {
        "neg": lambda x: -x,
        "exp": stand_in,
        "log": log_stand_in,
        "sqrt": root,
        "tanh": lambda x: x / (1 + abs(x)),
        "cos": lambda x: 1 - x * x,
        "sin": lambda x: x - x * x * x,
        "erf": lambda x: x / 3,
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "max2": max,
        "pow": lambda x, q: x**q if q.denominator == 1 else root(x) ** int(2 * q),
    },
)


def tensor(value: Any) -> Tensor[Any]:
    shape: list[int] = []
    rows = [value]
    while isinstance(rows[0], tuple | list):
        shape.append(len(rows[0]))
        rows = [x for row in rows for x in row]
    return Tensor(tuple(shape), [x if isinstance(x, bool) else Fraction(x) for x in rows])


def values(compiled: Compiled, feeds: dict[str, Any] | None = None) -> dict[str, Tensor[Any]]:
    """Every stage, feeds included."""
    given = {name: tensor(v) for name, v in {**compiled.feeds, **(feeds or {})}.items()}
    return run(compiled.program, given, TABLE)


def nested(t: Tensor[Any]) -> Any:
    """The entries, nested by row."""
    if not t.shape:
        return t.entries[0]
    if len(t.shape) == 1:
        return list(t.entries)
    return [list(t.entries[k : k + t.shape[1]]) for k in range(0, len(t.entries), t.shape[1])]


def evaluated(text: str, **options: Any) -> Any:
    """The answer of a text, nested by row."""
    compiled = compile_text(text, **options)
    return nested(values(compiled)[compiled.output])
