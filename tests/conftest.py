"""After every test the two global precisions are what they were at import: nothing leaves a trace in flint or mpmath."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


def assert_global_precision_untouched() -> None:
    """Raises AssertionError when flint's or mpmath's global precision is not the one it has at import."""
    flint, mpmath = sys.modules.get("flint"), sys.modules.get("mpmath")
    assert flint is None or flint.ctx.prec == 53, "flint.ctx.prec was changed"
    assert mpmath is None or (mpmath.mp.prec, mpmath.iv.prec) == (53, 53), "mpmath's global precision was changed"


@pytest.fixture(autouse=True)
def _global_precision_stays() -> Iterator[None]:
    yield
    assert_global_precision_untouched()
