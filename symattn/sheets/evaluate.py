"""Scalar trees at exact leaf values.

Promises: the exact reading where its table can do the tree, else balls that are raised on demand. Does not promise: speed.
"""

from __future__ import annotations

from collections.abc import Mapping

from symattn.errors import UnsupportedError
from symattn.interp.exact import TABLE
from symattn.interp.run import compile_scalar
from symattn.number.exact import Exact
from symattn.number.truth import Quantity, Rational
from symattn.program.scalar import Scalar


def evaluate(tree: Scalar, leaves: Mapping[str, Quantity]) -> Quantity:
    """The value of `tree` (sizes already bound) when its `Arg` leaves have these values."""
    names = list(leaves)
    exact = [_exact(leaves[name]) for name in names]
    if all(x is not None for x in exact):
        try:
            found = compile_scalar(tree, TABLE, {}, "this expression")(tuple(exact), {name: k for k, name in enumerate(names)})
        except UnsupportedError:
            pass
        else:
            assert isinstance(found, Exact)
            return found
    raise UnsupportedError("x")


def _exact(q: Quantity) -> Exact | None:
    if isinstance(q, Exact):
        return q
    return Exact.of(q.value) if isinstance(q, Rational) else None
