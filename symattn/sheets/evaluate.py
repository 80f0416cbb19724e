"""Scalar trees at exact leaf values.

Promises: the exact reading where its table can do the tree, else balls that are raised on demand. Does not promise: speed.
"""

from __future__ import annotations

from collections.abc import Mapping

from symattn.interp.quantities import scalar_quantity
from symattn.number.truth import Quantity
from symattn.program.scalar import Scalar


def evaluate(tree: Scalar, leaves: Mapping[str, Quantity]) -> Quantity:
    """The value of `tree` (sizes already bound) when its `Arg` leaves have these values."""
    return scalar_quantity(tree, leaves)
