"""Why tiles make a flash attention less accurate, and why they do not: the same tiles with three kinds of running sums.

All in bfloat16 inputs and outputs, one pass over the keys in tiles, as fused kernels do:

* "narrow": products of matrices are accumulated in float32 and rounded to bfloat16; the running maximum, sum and output are kept in
  bfloat16 and rescaled at every tile, so every tile costs roundings;
* "wide": the running state and the scores stay in float32, only the weights are rounded to bfloat16 before they meet the values;
* "stepwise": every single operation, sums included, is rounded to bfloat16 in sequence (the online program): a tile is also a block of a
  sum, and shorter sums lose less.

Each is held against one pass over all keys that rounds scores, weights and output to bfloat16 ("baseline").
Promises: root-mean-square errors against proven values of the rounded inputs. Does not promise: the instructions of any machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from symattn.number.formats import BFLOAT16
from symattn.program.attention import Attention
from symattn.study.seeded import Draw
from symattn.study.truth import truths
from symattn.study.vector import read_arrays, round_array

Array = Any
QUERIES, KEYS, D = 16, 1024, 64
TILES = (16, 32, 64, 128, 256, 512, 1024)
KINDS = ("narrow", "wide", "stepwise")


@dataclass(frozen=True)
class Trend:
    """Root-mean-square error by tile size, over that of the baseline, for each of KINDS; and the baseline's error over the correctly
    rounded output's."""

    tiles: tuple[int, ...]
    ratios: dict[str, tuple[float, ...]]
    baseline: float


def _round(values: Array) -> Array:
    return round_array(values, BFLOAT16).astype(np.float32)


def _matmul(a: Array, b: Array) -> Array:
    return a.astype(np.float32) @ b.astype(np.float32)


def baseline(q: Array, k: Array, v: Array) -> Array:
    """One pass: scores, weights and output rounded to bfloat16, products accumulated in float32."""
    scores = _round(_round(_matmul(q, k.T)) / np.float32(np.sqrt(q.shape[1])))
    exponentials = _round(np.exp(_round(scores - scores.max(axis=1, keepdims=True))))
    weights = _round(exponentials / _round(exponentials.sum(axis=1, keepdims=True)))
    return _round(_matmul(weights, v))


def tiled(q: Array, k: Array, v: Array, tile: int, *, wide: bool) -> Array:
    """One pass in tiles; the state is float32 when `wide`, else bfloat16."""
    keep = (lambda x: np.asarray(x, np.float32)) if wide else _round
    root = np.float32(np.sqrt(q.shape[1]))
    rows = q.shape[0]
    top, total, mix = np.full((rows, 1), -np.inf, np.float32), np.zeros((rows, 1), np.float32), np.zeros((rows, v.shape[1]), np.float32)
    for start in range(0, k.shape[0], tile):
        scores = keep(keep(_matmul(q, k[start : start + tile].T)) / root)
        after = np.maximum(top, scores.max(axis=1, keepdims=True))
        rescale = keep(np.exp(keep(top - after)))
        weights = keep(np.exp(keep(scores - after)))
        total = keep(keep(rescale * total) + keep(weights.sum(axis=1, keepdims=True)))
        mix = keep(keep(rescale * mix) + keep(_matmul(_round(weights), v[start : start + tile])))
        top = after
    return _round(mix / total)


def trend(seed: int = 0, tiles: tuple[int, ...] = TILES) -> Trend:
    """The errors for QUERIES queries over KEYS keys of normal entries."""
    draw = Draw(seed)
    shapes = {"Q": (QUERIES, D), "K": (KEYS, D), "V": (KEYS, D)}
    rounded = {name: round_array(draw.normal(*shape), BFLOAT16) for name, shape in shapes.items()}
    q, k, v = (rounded[name].astype(np.float32) for name in "QKV")
    description = Attention(inputs="qkv", cross=True)
    sizes: dict[str, Any] = {"n": QUERIES, "m": KEYS, "d_k": D, "d_v": D}
    exact = truths(description.program("shifted", **sizes), rounded, ("output",))["output"]

    def rms(found: Array) -> float:
        return float(np.sqrt(np.mean(exact.error(found) ** 2)))

    reference = rms(baseline(q, k, v))
    ratios: dict[str, tuple[float, ...]] = {
        "narrow": tuple(rms(tiled(q, k, v, tile, wide=False)) / reference for tile in tiles),
        "wide": tuple(rms(tiled(q, k, v, tile, wide=True)) / reference for tile in tiles),
        "stepwise": tuple(rms(_stepwise(description, rounded, tile, sizes)) / reference for tile in tiles),
    }
    return Trend(tiles, ratios, reference / rms(exact.rounded(BFLOAT16)))


def _stepwise(description: Attention, rounded: dict[str, Array], tile: int, sizes: dict[str, Any]) -> Array:
    blocks = (tile,) * (KEYS // tile)
    return read_arrays(description.program("online", blocks=blocks, **sizes), rounded, BFLOAT16)["output"]
