"""The check that runs after every test can fail."""

from __future__ import annotations

import flint
import mpmath
import pytest
from conftest import assert_global_precision_untouched


def test_the_precision_check_sees_flint_and_mpmath() -> None:
    flint.ctx.prec = 99
    try:
        with pytest.raises(AssertionError, match="flint"):
            assert_global_precision_untouched()
    finally:
        flint.ctx.prec = 53
    with mpmath.mp.workdps(40), pytest.raises(AssertionError, match="mpmath"):
        assert_global_precision_untouched()
    assert_global_precision_untouched()
