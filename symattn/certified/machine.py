"""What the proofs assume of the machine, looked at before the first result.

Promises: subnormal numbers that are flushed to zero, another rounding mode, or a BLAS that gets exact products of integers wrong are an
UnsupportedError. Does not promise: a proof of the processor or of the BLAS; docs/certified-bounds.md names what is assumed.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from symattn.certified.take import Floats
from symattn.errors import UnsupportedError


def require_arithmetic() -> None:
    """Raises UnsupportedError where float64 is not what the proofs take it to be. Cheap, and done for every head."""
    check_rounding(np.array([2.0**-1074, 1.0, 1.0, -1.0]), np.array([0.0, 2.0**-53, 1.5 * 2.0**-53, -1.5 * 2.0**-53]))
    check_products()


def check_rounding(a: Floats, b: Floats) -> None:
    """`a` and `b` are those of `require_arithmetic`."""
    found = (a + b).tolist()
    if found[0] == 0:
        raise UnsupportedError("subnormal numbers are flushed to zero in this process", next_move="load nothing built with fast-math")
    if found[1:] != [1.0, 1.0 + 2.0**-52, -1.0 - 2.0**-52]:
        raise UnsupportedError("float64 sums are not rounded to nearest in this process", next_move="set the rounding mode back")


@cache
def check_products() -> None:
    """Products of integer matrices, exact in float64, against those of integers; once in a process."""
    rng = np.random.default_rng(0)
    for rows, inner, columns in ((3, 5, 2), (64, 256, 65), (7, 1000, 129)):
        left, right = rng.integers(-(2**20), 2**20, (rows, inner)), rng.integers(-(2**20), 2**20, (inner, columns))
        product = left.astype(np.float64) @ right.astype(np.float64)
        if not np.array_equal(product, (left @ right).astype(np.float64)):
            raise UnsupportedError(
                "the BLAS that NumPy uses gets exact products wrong on this processor",
                next_move="choose another kernel (OPENBLAS_CORETYPE) or another build of NumPy",
            )
