"""Random combinations of options: the tiers and the balls alone give the same arrays."""

from __future__ import annotations

import numpy as np
import pytest

from symattn import certified
from symattn.number.formats import FORMATS


def draw(rng):
    n, m, d, d_v = (int(rng.integers(1, top)) for top in (7, 12, 6, 4))
    heads = int(rng.integers(0, 3))
    kv = () if heads == 0 else (heads,)
    lead = () if heads == 0 else (heads * int(rng.integers(1, 3)),)
    size = float(rng.choice([1e-12, 0.3, 1.0, 7.0, 60.0, 2000.0, 1e9]))
    q, k = rng.standard_normal((*lead, n, d)) * size, rng.standard_normal((*kv, m, d))
    v = rng.standard_normal((*kv, m, d_v)) * 2.0 ** float(rng.integers(-30, 30))
    if rng.random() < 0.3:
        q, k, v = np.rint(q), np.rint(k), np.rint(v * 8) / 8
    if rng.random() < 0.3:
        k[..., : m // 2 + 1, :] = k[..., :1, :]
    given = str(rng.choice(["float64", "float32", "float16"]))
    with np.errstate(over="ignore"):
        q, k, v = (np.nan_to_num(x.astype(given), posinf=1000, neginf=-1000) for x in (q, k, v))
    options = {"scale": [1, 0, -2, "1/sqrt(3)", "1/sqrt(d_k)", "1/d_k", 0.1][int(rng.integers(7))]}
    match int(rng.integers(5)):
        case 0:
            options |= {"mask": "causal", "query_offset": m - n, "masked_row": "zero"}
        case 1:
            options |= {"mask": "window", "window": 2, "query_offset": 0, "masked_row": "mean"}
        case 2:
            options |= {"mask": rng.random((*lead, n, m)) < 0.5, "masked_row": "mean"}
    if rng.random() < 0.4:
        options["bias"] = rng.standard_normal((n, m)) * float(rng.choice([1.0, 1000.0]))
    return (q, k, v), options


def same(a, b):
    return np.array_equal(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64), equal_nan=True)


@pytest.mark.parametrize("seed", range(40))
def test_tiers_and_balls_agree(seed):
    rng = np.random.default_rng(seed)
    arrays, options = draw(rng)
    for out in (list(FORMATS)[seed % 6], "float64"):
        fast, slow = (certified.attention(*arrays, out=out, weights=True, method=m, **options) for m in ("tiers", "balls"))
        assert same(fast.values, slow.values)
        assert same(fast.lse, slow.lse)
        assert same(fast.weights, slow.weights)
        assert fast.report.entries == slow.report.entries == fast.values.size + fast.lse.size + fast.weights.size


@pytest.mark.parametrize("seed", range(25))
def test_gradients_by_tiers_and_balls_agree(seed):
    rng = np.random.default_rng(100 + seed)
    (q, k, v), options = draw(rng)
    g = rng.standard_normal((*q.shape[:-1], v.shape[-1])).astype(q.dtype)
    out = list(FORMATS)[seed % 6]
    fast, slow = (certified.attention_grad(q, k, v, g, out=out, method=m, **options) for m in ("tiers", "balls"))
    for name in ("queries", "keys", "values"):
        assert same(getattr(fast, name), getattr(slow, name)), name
    assert fast.report.entries == slow.report.entries == q.size + k.size + v.size
