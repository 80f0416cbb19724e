"""The exact reading: every stage in exact numbers (number/exact.py).

Promises: nothing is rounded; a weight is a fraction of exponential sums, rows kept apart. Its scalar rows are complete: where a value
leaves the exact numbers (a cosine, an exponential of a weight) the row raises UnsupportedError with the named reason.
Does not promise: speed for long chains; balls (interp/balls.py) read any program.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symattn.interp.run import Table, run
from symattn.interp.systems import Request
from symattn.interp.tensor import Tensor
from symattn.number.exact import Exact, larger, plain, total
from symattn.number.surd import Surd
from symattn.program.program import Program

TABLE = Table(
    name="exact",
    number=lambda q: plain(Surd.of(q)),
    scalar={
        "neg": lambda x: -x,
        "exp": lambda x: x.exp(),
        "log": lambda x: x.log(),
        "sqrt": lambda x: x.sqrt(),
        "tanh": lambda x: x.tanh(),
        "cos": lambda x: x.cos(),
        "sin": lambda x: x.sin(),
        "erf": lambda x: x.erf(),
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "max2": larger,
        "pow": lambda x, exponent: x.power(exponent),
    },
    total=total,
)


def tables() -> tuple[Table, ...]:
    """This system's tables."""
    return (TABLE,)


def exact_feeds(feeds: Mapping[str, Tensor[Any]]) -> dict[str, Tensor[Any]]:
    """Feeds as exact numbers; truth values stay."""
    return {
        name: Tensor(tensor.shape, [x if isinstance(x, bool) else Exact.of(x) for x in tensor.entries], tensor.absent)
        for name, tensor in feeds.items()
    }


def read(program: Program, feeds: Mapping[str, Tensor[Any]], request: Request) -> Mapping[str, Tensor[Exact]]:
    """Every stage. Raises UnsupportedError where the program leaves the exact numbers, and what `run` raises."""
    return run(program, exact_feeds(feeds), TABLE, request.sizes, request.parameters)
