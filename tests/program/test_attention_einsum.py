"""Every attention by every algorithm, against einsum on object arrays: heads by reshaping, masks by comparing positions.

The reference knows nothing of programs, axes or relations. Exact numbers where they reach, 60-digit numbers for what leaves them
(cosines, tanh).
"""

from fractions import Fraction as F
from itertools import product
from random import Random

import mpmath
import numpy as np
import pytest

from symattn.number.exact import Exact
from symattn.number.truth import Truth
from symattn.program.attention import Attention

DIGITS = 60
ALGORITHMS = ("plain", "shifted", "online", "log-domain", "deferred", "prescaled")


# -- the independent road -------------------------------------------------------------------------------------------------------------
class Exacts:
    """Exact numbers."""

    number = staticmethod(Exact.of)
    exp = staticmethod(lambda x: x.exp())
    root = staticmethod(lambda n: Exact.of(n).sqrt())


class Mpf:
    """60 decimal digits (and 15 to spare)."""

    context = mpmath.mp.clone()
    context.dps = DIGITS + 15
    number = staticmethod(lambda x: Mpf.context.mpf(F(x).numerator) / F(x).denominator)
    exp = staticmethod(lambda x: Mpf.context.exp(x))
    root = staticmethod(lambda n: Mpf.context.sqrt(n))
    tanh = staticmethod(lambda x: Mpf.context.tanh(x))
    cos = staticmethod(lambda x: Mpf.context.cos(x))
    sin = staticmethod(lambda x: Mpf.context.sin(x))
    power = staticmethod(lambda x, y: Mpf.context.power(x, y))


def array(world, nested):
    return np.vectorize(world.number, otypes=[object])(np.array(nested, dtype=object))


def by_head(matrix, heads):
    """(rows, heads * width) -> (heads, rows, width)."""
    rows, columns = matrix.shape
    return matrix.reshape(rows, heads, columns // heads).transpose(1, 0, 2)


def turn(world, x, positions, layout, base):
    """Rotary positions, one feature at a time."""
    heads, rows, width = x.shape
    turned = x.copy()
    for p in range(width // 2):
        a, b = (2 * p, 2 * p + 1) if layout == "interleaved" else (p, p + width // 2)
        speed = world.power(world.number(base), -world.number(F(2 * p, width)))
        for h, t in product(range(heads), range(rows)):
            c, s = world.cos(speed * int(positions[t])), world.sin(speed * int(positions[t]))
            turned[h, t, a] = c * x[h, t, a] - s * x[h, t, b]
            turned[h, t, b] = s * x[h, t, a] + c * x[h, t, b]
    return turned


def reference(world, feeds, *, heads=1, kv_heads=None, cross=False, causal=False, window=None, offset=0, scale="1/sqrt(d_k)",
              softcap=None, slopes=None, rotary=None, base=10000, masked_row="zero", dealt=False):  # fmt: skip
    """(weights with a head axis, output)."""
    given = {name: array(world, value) for name, value in feeds.items() if not name.startswith("allowed")}
    kv_heads = kv_heads or heads
    if "X" in given:
        source = given["Y"] if cross else given["X"]
        q = np.einsum("tm,mc->tc", given["X"], given["W_Q"])
        k, v = (np.einsum("tm,mc->tc", source, given[w]) for w in ("W_K", "W_V"))
    else:
        q, k, v = given["Q"], given["K"], given["V"]
    q = by_head(q, heads)
    k, v = (by_head(a, kv_heads) for a in (k, v))
    share = [h % kv_heads if dealt else h * kv_heads // heads for h in range(heads)]
    k, v = k[share], v[share]
    at_query, at_key = np.arange(q.shape[1]) + offset, np.arange(k.shape[1])
    if rotary:
        q, k = turn(world, q, at_query, rotary, base), turn(world, k, at_key, rotary, base)
    s = np.einsum("htc,hjc->htj", q, k)
    d_k = q.shape[2]
    s = s * {"1/sqrt(d_k)": world.number(1) / world.root(d_k), "1/d_k": world.number(F(1, d_k))}.get(scale, scale)
    if softcap:
        s = np.vectorize(lambda x: softcap * world.tanh(x / softcap), otypes=[object])(s)
    if "bias" in given:
        s = s + given["bias"]
    gap = at_query[:, None] - at_key[None, :]
    if slopes is not None:
        s = s - np.einsum("h,tj->htj", array(world, slopes), array(world, np.abs(gap).tolist()))
    visible = np.ones(gap.shape, dtype=bool)
    if causal or window:
        visible &= gap >= 0
    if window:
        visible &= gap < window
    if "allowed_keys" in feeds:
        visible &= np.array(feeds["allowed_keys"], dtype=bool)[None, :]
    if "allowed" in feeds:
        visible &= np.array(feeds["allowed"], dtype=bool)
    zero = world.number(0)
    e = np.where(visible[None], np.vectorize(world.exp, otypes=[object])(s), zero)
    z = e.sum(axis=2)
    if "sink" in given:
        z = z + np.vectorize(world.exp, otypes=[object])(given["sink"].reshape(heads, 1))
    empty = ~visible.any(axis=1)
    p = e / np.where(empty[None] & ("sink" not in given), world.number(1), z)[:, :, None]
    if masked_row == "mean":
        p = p + np.where(empty[None, :, None], world.number(F(1, k.shape[1])), zero)
    o = np.einsum("htj,hjv->htv", p, v).transpose(1, 0, 2).reshape(q.shape[1], -1)
    return p, np.einsum("tc,cm->tm", o, given["W_O"]) if "W_O" in given else o


# -- comparing ------------------------------------------------------------------------------------------------------------------------
def same(a, b):
    """Are two entries one number: exactly, or to all the digits of the 60-digit world?"""
    if isinstance(b, Exact):
        return a.equals(b) is Truth.YES
    a, b = Mpf.context.mpmathify(a), Mpf.context.mpmathify(b)
    return abs(a - b) <= Mpf.context.mpf(10) ** -DIGITS * max(1, abs(b))


def differences(tensor, wanted):
    """Flat positions at which a stage is not what the reference says."""
    flat = list(np.asarray(wanted, dtype=object).flat)
    assert len(flat) == len(tensor.entries) > 0
    return [k for k, (a, b) in enumerate(zip(tensor.entries, flat, strict=True)) if not same(a, b)]


def blocks_for(keys):
    return {1: (1,), 2: (1, 1), 3: (2, 1), 4: (1, 2, 1), 5: (2, 2, 1)}[keys]


def evaluated(attention, feeds, algorithm, numbers):
    keys = len(feeds.get("K", feeds.get("Y", feeds.get("X"))))
    blocks = blocks_for(keys) if algorithm == "online" else ()
    digits = {} if numbers == "exact" else {"digits": DIGITS + 5}
    return attention.evaluate(feeds, numbers=numbers, algorithm=algorithm, blocks=blocks, **digits)


def check(attention, feeds, algorithm, numbers="exact", **meaning):
    """The number of entries that differ from the reference, weights (where the algorithm has them) and output."""
    world = Exacts if numbers == "exact" else Mpf
    weights, output = reference(world, feeds, **meaning)
    got = evaluated(attention, feeds, algorithm, numbers)
    wrong = len(differences(got["output"], output))
    assert ("weights" in got) == (algorithm not in ("online", "deferred"))
    return wrong + (len(differences(got["weights"], weights)) if "weights" in got else 0)


def numbers(seed, *shape):
    """Small halves and thirds, none of them zero."""
    random = Random(seed)

    def make(rest):
        if not rest:
            return random.choice([-1, 1]) * F(random.randint(1, 4), random.choice([1, 2, 3]))
        return [make(rest[1:]) for _ in range(rest[0])]

    return make(shape)


def weights_feeds(n=3, d_model=3, q=2, k=2, v=2, m=None, seed=1):
    feeds = {"X": numbers(seed, n, d_model), "W_Q": numbers(seed + 1, d_model, q), "W_K": numbers(seed + 2, d_model, k)}
    feeds["W_V"] = numbers(seed + 3, d_model, v)
    return feeds | ({"Y": numbers(seed + 4, m, d_model)} if m else {})


def qkv(n=3, m=3, q=2, k=2, v=2, seed=9):
    return {"Q": numbers(seed, n, q), "K": numbers(seed + 1, m, k), "V": numbers(seed + 2, m, v)}


ARRAY = [[True, False, True], [False, True, False], [True, True, True]]
EXACT_CASES = {
    "self": (Attention(), weights_feeds(), {}),
    "self, d_v other than d_k": (Attention(), weights_feeds(v=3), {}),
    "one token": (Attention(), weights_feeds(n=1), {}),
    "cross": (Attention(cross=True), weights_feeds(n=2, m=4), {"cross": True}),
    "given Q, K, V": (Attention(inputs="qkv"), qkv(), {}),
    "given Q, K, V of two lengths": (Attention(inputs="qkv", cross=True), qkv(n=2, m=5), {}),
    "causal": (Attention(mask="causal"), weights_feeds(n=4), {"causal": True}),
    "window": (Attention(mask="window", window=2), weights_feeds(n=5), {"window": 2}),
    "window of one": (Attention(mask="causal", window=1), weights_feeds(n=3), {"window": 1}),
    "causal, aligned at the start": (
        Attention(inputs="qkv", cross=True, mask="causal", query_offset=0),
        qkv(n=2, m=4),
        {"causal": True},
    ),
    "causal, decoding": (
        Attention(inputs="qkv", cross=True, mask="causal", query_offset=3),
        qkv(n=2, m=5),
        {"causal": True, "offset": 3},
    ),
    "window, decoding": (
        Attention(inputs="qkv", cross=True, mask="window", window=2, query_offset=2),
        qkv(n=3, m=5),
        {"window": 2, "offset": 2},
    ),
    "more queries than keys": (
        Attention(cross=True, mask="causal", query_offset=0),
        weights_feeds(n=4, m=2),
        {"causal": True, "cross": True},
    ),
    "padding": (Attention(mask="padding"), weights_feeds() | {"allowed_keys": [True, False, True]}, {}),
    "causal and padding": (
        Attention(mask="causal+padding"),
        weights_feeds(n=4) | {"allowed_keys": [True, True, False, True]},
        {"causal": True},
    ),
    "array": (Attention(mask="array"), weights_feeds() | {"allowed": ARRAY}, {}),
    "array and window": (
        Attention(mask="array+window", window=3),
        weights_feeds() | {"allowed": [[True, False, True], [False, True, True], [True, False, True]]},
        {"window": 3},
    ),
    "two heads": (Attention(heads=2), weights_feeds(q=4, k=4, v=4), {"heads": 2}),
    "two heads and W_O": (
        Attention(heads=2, output_projection=True, mask="causal"),
        weights_feeds(q=2, k=2, v=4) | {"W_O": numbers(77, 4, 3)},
        {"heads": 2, "causal": True},
    ),
    "one head and W_O": (Attention(output_projection=True), weights_feeds() | {"W_O": numbers(78, 2, 3)}, {}),
    "grouped": (Attention(heads=4, kv_heads=2, mask="causal"), weights_feeds(q=4, k=2, v=4), {"heads": 4, "kv_heads": 2, "causal": True}),
    "multi-query": (Attention(heads=3, kv_heads=1), weights_feeds(q=3, k=1, v=2), {"heads": 3, "kv_heads": 1}),
    "grouped Q, K, V and W_O": (
        Attention(inputs="qkv", heads=4, kv_heads=2, output_projection=True),
        qkv(q=4, k=2, v=2) | {"W_O": numbers(79, 4, 2)},
        {"heads": 4, "kv_heads": 2},
    ),
    "divided by d_k": (Attention(scale="1/d_k"), weights_feeds(), {"scale": "1/d_k"}),
    "no scaling": (Attention(scale=1), weights_feeds(), {"scale": 1}),
    "scale as text": (Attention(scale="1/8"), weights_feeds(), {"scale": F(1, 8)}),
    "scale as a number": (Attention(scale=F(3, 2)), weights_feeds(), {"scale": F(3, 2)}),
    "scale as a root": (Attention(scale="1/sqrt(9)"), weights_feeds(), {"scale": F(1, 3)}),
    "bias": (Attention(bias=True, mask="causal"), weights_feeds() | {"bias": numbers(80, 3, 3)}, {"causal": True}),
    "bias per head": (Attention(heads=2, bias="per-head"), weights_feeds(q=2, k=2) | {"bias": numbers(81, 2, 3, 3)}, {"heads": 2}),
    "bias per grouped head": (
        Attention(heads=4, kv_heads=2, bias="per-head"),
        weights_feeds(q=4, k=2, v=2) | {"bias": numbers(82, 4, 3, 3)},
        {"heads": 4, "kv_heads": 2},
    ),
    "ALiBi": (Attention(heads=2, alibi=True), weights_feeds(q=2, k=2), {"heads": 2, "slopes": [F(1, 16), F(1, 256)]}),
    "causal ALiBi, one head": (Attention(alibi=True, mask="causal"), weights_feeds(), {"slopes": [F(1, 256)], "causal": True}),
    "ALiBi, three heads": (
        Attention(heads=3, kv_heads=1, alibi=True, mask="causal"),
        weights_feeds(q=3, k=1),
        {"heads": 3, "kv_heads": 1, "slopes": [F(1, 16), F(1, 256), F(1, 4)], "causal": True},
    ),
    "ALiBi of grouped heads, own slopes, decoding": (
        Attention(inputs="qkv", cross=True, heads=4, kv_heads=2, alibi=True, query_offset=1),
        qkv(n=2, m=3, q=4, k=2, v=2) | {"slopes": [F(1, 2), F(1, 3), F(1, 5), F(1, 7)]},
        {"heads": 4, "kv_heads": 2, "slopes": [F(1, 2), F(1, 3), F(1, 5), F(1, 7)], "offset": 1},
    ),
    "sink": (Attention(sink=True, mask="causal"), weights_feeds() | {"sink": "3/2"}, {"causal": True}),
    "sinks of grouped heads": (
        Attention(heads=4, kv_heads=2, sink=True),
        weights_feeds(q=4, k=2, v=2) | {"sink": [1, 2, -1, F(1, 2)]},
        {"heads": 4, "kv_heads": 2},
    ),
    "zero for a masked row": (
        Attention(mask="array", masked_row="zero"),
        weights_feeds() | {"allowed": [[True, True, False], [False] * 3, [False, False, True]]},
        {},
    ),
    "zero for a masked row, with a sink": (
        Attention(mask="array", masked_row="zero", sink=True),
        weights_feeds() | {"allowed": [[True, True, False], [False] * 3, [False, False, True]], "sink": 1},
        {},
    ),
    "mean for a masked row": (
        Attention(heads=2, mask="padding+causal", masked_row="mean"),
        weights_feeds(q=2, k=2, v=2) | {"allowed_keys": [False, True, True]},
        {"heads": 2, "causal": True, "masked_row": "mean"},
    ),
    "zero for rows before the first key": (
        Attention(inputs="qkv", cross=True, mask="causal", query_offset=-2, masked_row="zero"),
        qkv(n=4, m=3),
        {"causal": True, "offset": -2},
    ),
}
INEXACT_CASES = {
    "soft-cap": (Attention(softcap=2, mask="causal"), weights_feeds(), {"softcap": 2, "causal": True}),
    "rotary, interleaved": (Attention(rotary="interleaved"), weights_feeds(q=4, k=4), {"rotary": "interleaved"}),
    "rotary, halves": (Attention(rotary="halves", mask="causal"), weights_feeds(q=4, k=4), {"rotary": "halves", "causal": True}),
    "rotary, six features, another base": (
        Attention(rotary="interleaved", rotary_base=500),
        weights_feeds(q=6, k=6),
        {"rotary": "interleaved", "base": 500},
    ),
    "rotary, grouped heads, decoding": (
        Attention(inputs="qkv", cross=True, heads=4, kv_heads=2, rotary="halves", mask="window", window=2, query_offset=1),
        qkv(n=2, m=3, q=16, k=8, v=4),
        {"heads": 4, "kv_heads": 2, "rotary": "halves", "window": 2, "offset": 1},
    ),
    "everything": (
        Attention(
            heads=2, kv_heads=1, rotary="interleaved", mask="window+padding", window=3, softcap="3/2", bias=True, alibi=True,
            sink=True, output_projection=True, scale="1/d_k", masked_row="zero",
        ),
        weights_feeds(n=4, q=4, k=2, v=2)
        | {"allowed_keys": [False, True, True, True], "bias": numbers(90, 4, 4), "sink": [1, 2], "W_O": numbers(91, 4, 3)},
        {
            "heads": 2, "kv_heads": 1, "rotary": "interleaved", "window": 3, "softcap": F(3, 2), "slopes": [F(1, 16), F(1, 256)],
            "scale": "1/d_k",
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("case", EXACT_CASES)
def test_exact_entries_are_those_of_einsum(case, algorithm):
    attention, feeds, meaning = EXACT_CASES[case]
    assert check(attention, feeds, algorithm, **meaning) == 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("case", [*INEXACT_CASES, "grouped", "sink"])
def test_sixty_digits_are_those_of_einsum(case, algorithm):
    attention, feeds, meaning = (INEXACT_CASES | EXACT_CASES)[case]
    assert check(attention, feeds, algorithm, "multiprec", **meaning) == 0


# -- planted lies ---------------------------------------------------------------------------------------------------------------------
LIES = {
    "a window one too wide": ("window", {"window": 3}),
    "a window one too narrow": ("window", {"window": 1}),
    "no window at all": ("window", {"window": None, "causal": True}),
    "an offset one too large": ("causal, decoding", {"causal": True, "offset": 4}),
    "an offset one too small": ("causal, decoding", {"causal": True, "offset": 2}),
    "aligned at the other end": ("causal, aligned at the start", {"causal": True, "offset": 2}),
    "no causal mask": ("causal", {"causal": False}),
    "another scale": ("self", {"scale": "1/d_k"}),
    "groups dealt out in turn": ("grouped", {"heads": 4, "kv_heads": 2, "causal": True, "dealt": True}),
    "slopes in the other order": ("ALiBi", {"heads": 2, "slopes": [F(1, 256), F(1, 16)]}),
    "another masked row": ("mean for a masked row", {"heads": 2, "causal": True, "masked_row": "zero"}),
}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("lie", LIES)
def test_the_comparison_sees_a_lie(lie, algorithm):
    case, meaning = LIES[lie]
    attention, feeds, _ = EXACT_CASES[case]
    assert check(attention, feeds, algorithm, **meaning) > 0


def test_the_comparison_sees_one_digit_in_sixty():
    attention, feeds, meaning = INEXACT_CASES["soft-cap"]
    _, output = reference(Mpf, feeds, **meaning)
    got = evaluated(attention, feeds, "plain", "multiprec")["output"]
    assert differences(got, output) == []
    output[1, 0] += output[1, 0] * Mpf.context.mpf(10) ** (2 - DIGITS)
    assert differences(got, output) == [2]


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_the_layouts_of_rotary_differ(layout):
    attention, feeds = Attention(rotary=layout), weights_feeds(q=4, k=4)
    other = "halves" if layout == "interleaved" else "interleaved"
    assert check(attention, feeds, "plain", "multiprec", rotary=other) > 0


# -- what depends on what -------------------------------------------------------------------------------------------------------------
def changed(before, after, stage):
    """Index tuples at which a stage moved."""
    a, b = before[stage], after[stage]
    return {index for index in a.indices() if a[index].equals(b[index]) is not Truth.YES}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_causal_row_does_not_see_later_tokens(algorithm):
    feeds = weights_feeds(n=4)
    later = {**feeds, "X": [row if t < 2 else [x + 1 for x in row] for t, row in enumerate(feeds["X"])]}
    causal = Attention(mask="causal")
    before, after = (evaluated(causal, f, algorithm, "exact") for f in (feeds, later))
    moved = {token for token, _ in changed(before, after, "output")}
    assert moved == {2, 3}
    assert {row for row, *_ in changed(before, after, "row_sums")} <= {2, 3}
    open_rows = {t for t, _ in changed(*(evaluated(Attention(), f, algorithm, "exact") for f in (feeds, later)), "output")}
    assert open_rows == {0, 1, 2, 3}


ROWS_BELOW = {  # stage: how its entries depend on X[1, 0] (token 1), in a self-attention of three tokens
    "queries": {(1, 0), (1, 1)},
    "keys": {(1, 0), (1, 1)},
    "values": {(1, 0), (1, 1)},
    "scores": {(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)},
    "scaled": {(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)},
    "exponentials": {(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)},
    "row_sums": {(0,), (1,), (2,)},
    "weights": {(i, j) for i in range(3) for j in range(3)},
    "output": {(i, j) for i in range(3) for j in range(2)},
}


def test_one_entry_of_X_moves_everything_below_it_and_nothing_above():
    feeds = weights_feeds()
    x = [list(row) for row in feeds["X"]]
    x[1][0] += F(1, 7)
    before, after = (Attention().evaluate(f) for f in (feeds, {**feeds, "X": x}))
    for stage in ("W_Q", "W_K", "W_V"):
        assert changed(before, after, stage) == set()
    assert changed(before, after, "X") == {(1, 0)}
    assert {stage: changed(before, after, stage) for stage in ROWS_BELOW} == ROWS_BELOW


def test_one_weight_moves_everything_below_it_and_nothing_above():
    feeds = weights_feeds()
    w = [list(row) for row in feeds["W_K"]]
    w[2][1] -= F(1, 7)
    before, after = (Attention().evaluate(f) for f in (feeds, {**feeds, "W_K": w}))
    for stage in ("X", "W_Q", "W_V", "queries", "values"):
        assert changed(before, after, stage) == set()
    assert changed(before, after, "keys") == {(0, 1), (1, 1), (2, 1)}
    for stage in ("scores", "scaled", "exponentials", "row_sums", "weights", "output"):
        assert changed(before, after, stage) == set(after[stage].indices()), stage
