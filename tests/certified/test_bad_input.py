"""Every mistake is one clear error."""

from __future__ import annotations

import numpy as np
import pytest

from symattn import certified
from symattn.certified import machine
from symattn.errors import InputError, ProgramError, ShapeError, SymattnError, UnsupportedError

Q, K, V = np.ones((3, 4)), np.ones((5, 4)), np.ones((5, 2))


def with_entry(x, at, value):
    x = x.copy()
    x[at] = value
    return x


CASES = [
    ({"q": with_entry(Q, (1, 2), np.nan)}, InputError, r"q\[1, 2\] is nan"),
    ({"v": with_entry(V, (4, 0), -np.inf)}, InputError, r"v\[4, 0\] is -inf"),
    ({"k": K.astype(int)}, InputError, r"k is an array of int64.*k\.astype"),
    ({"k": K.astype(complex)}, InputError, "k is an array of complex128.*float8_e5m2"),
    ({"k": K.astype(np.longdouble)}, InputError, "k is an array of longdouble|k is an array of float128"),
    ({"q": [[1.0, 2.0]]}, InputError, "q is a list"),
    ({"q": np.ones(4)}, ShapeError, r"q has shape \(4,\)"),
    ({"k": np.ones((0, 4)), "v": np.ones((0, 2))}, ShapeError, r"k has shape \(0, 4\)"),
    ({"k": np.ones((5, 3))}, ShapeError, "4 features and keys 3"),
    ({"v": np.ones((6, 2))}, ShapeError, "5 keys but 6 values"),
    ({"q": np.ones((3, 3, 4)), "k": np.ones((2, 5, 4)), "v": np.ones((2, 5, 2))}, ShapeError, "3 heads of queries do not split into 2"),
    ({"q": np.ones((1, 3, 4))}, ShapeError, "leading axes"),
    ({"out": "float128"}, InputError, "float8_e4m3fn"),
    ({"out": "bf16"}, InputError, "known: float64, float32, bfloat16"),
    ({"out": None}, InputError, "out is None"),
    ({"scale": None}, InputError, "scale=1"),
    ({"scale": "sqrt"}, InputError, "1/sqrt"),
    ({"scale": float("nan")}, InputError, "finite"),
    ({"scale": "1/sqrt(0)"}, InputError, "positive"),
    ({"mask": "diagonal"}, ProgramError, "causal"),
    ({"mask": "causal"}, InputError, "query_offset"),
    ({"mask": "window", "query_offset": 0}, InputError, "window=w"),
    ({"window": 3}, InputError, 'mask="window"'),
    ({"mask": np.ones((3, 5))}, InputError, "mask is an array of float64.*bias"),
    ({"mask": np.ones((3, 4), dtype=bool)}, ShapeError, r"mask has shape \(3, 4\)"),
    ({"mask": [[True]]}, InputError, "mask is a list"),
    ({"bias": np.ones((2, 5))}, ShapeError, r"bias has shape \(2, 5\)"),
    ({"bias": np.full((3, 5), -np.inf)}, InputError, "boolean mask"),
    ({"bias": with_entry(np.zeros((3, 5)), (0, 1), np.nan)}, InputError, r"bias\[0, 1\] is nan"),
    ({"masked_row": "skip"}, ProgramError, "zero"),
    ({"nonfinite": "allow"}, ProgramError, "masked"),
    ({"method": "gpu"}, ProgramError, "tiers"),
    ({"query_offset": 1.5, "mask": "causal"}, InputError, "integer"),
    ({"k": with_entry(K, (0, 0), np.nan), "nonfinite": "masked"}, InputError, r"k\[0, 0\] is nan"),
]


@pytest.mark.parametrize(("changes", "kind", "text"), CASES, ids=lambda x: str(x)[:40] if isinstance(x, str) else None)
def test_one_clear_error(changes, kind, text):
    given = {"q": Q, "k": K, "v": V, **changes}
    arrays = [given.pop(name) for name in "qkv"]
    with pytest.raises(kind, match=text) as caught:
        certified.attention(*arrays, **given)
    assert isinstance(caught.value, SymattnError)
    assert caught.value.next_move
    assert "\n" not in str(caught.value)


def test_softmax_and_gradient_say_so_too():
    with pytest.raises(InputError, match="x is an array of int64"):
        certified.softmax(np.arange(3))
    with pytest.raises(ShapeError, match="axis is 2"):
        certified.logsumexp(Q, axis=2)
    with pytest.raises(ShapeError, match=r"upstream has shape \(3, 3\)"):
        certified.attention_grad(Q, K, V, np.ones((3, 3)))
    with pytest.raises(InputError, match=r"upstream\[0, 1\] is inf"):
        certified.attention_grad(Q, K, V, with_entry(np.ones((3, 2)), (0, 1), np.inf))
    with pytest.raises(SymattnError, match="masked_row"):
        certified.attention_grad(Q, K, V, np.ones((3, 2)), masked_row="nan")


def test_inputs_stay_as_they_are():
    before = [x.copy() for x in (Q, K, V)]
    certified.attention(Q, K, V, out="float64")
    assert all(np.array_equal(a, b) for a, b in zip(before, (Q, K, V), strict=True))


def test_a_machine_that_the_proofs_do_not_mean_is_refused(monkeypatch):
    machine.require_arithmetic()
    with pytest.raises(UnsupportedError, match="flushed to zero"):
        machine.check_rounding(np.zeros(4), np.zeros(4))
    with pytest.raises(UnsupportedError, match="to nearest"):
        machine.check_rounding(np.array([1.0, 1.0, 1.0, -1.0]), np.array([0.0, 2.0**-53, 2.0**-54, 0.0]))
    machine.check_products.cache_clear()
    monkeypatch.setattr(np, "array_equal", lambda *_: False)
    with pytest.raises(UnsupportedError, match="BLAS"):
        machine.check_products()
