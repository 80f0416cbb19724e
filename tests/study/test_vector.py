"""The float reading on arrays is the float reading: the same bits, stage by stage, in every format."""

from __future__ import annotations

import random
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from symattn.calculus.reverse import reverse
from symattn.errors import InputError, UnsupportedError
from symattn.number.formats import (
    BFLOAT16,
    FLOAT8_E4M3FN,
    FLOAT16,
    FORMATS,
    Format,
    Overflow,
    Special,
    exact_value,
    nth,
    ordinal,
    round_fraction,
    ulp,
)
from symattn.program.attention import Attention
from symattn.program.program import Program
from symattn.study.seeded import Draw
from symattn.study.vector import dtype_of, read_arrays, round_array, step_of

ALGORITHMS = (("plain", ()), ("shifted", ()), ("online", (2, 1, 2)), ("log-domain", ()), ("deferred", ()), ("prescaled", ()))


def bits(array: Any) -> list[bytes | None]:
    """Every entry as its bytes; all NaN are alike."""
    flat = np.asarray(array).reshape(-1)
    return [None if x != x else x.tobytes() for x in flat]


def disagreements(program: Program, feeds: dict[str, Any], fmt: Format, order: str = "sequential") -> list[str]:
    """The stages in which the two readings differ."""
    found = read_arrays(program, feeds, fmt, order=order)
    slow = program.evaluate(feeds, numbers=fmt.name, order=order)
    assert list(found) == list(slow)
    return [name for name in found if bits(found[name]) != bits(np.array(list(slow[name].entries), dtype_of(fmt)))]


def inputs(fmt: Format, spread: float = 1.0) -> dict[str, Any]:
    draw = Draw(5)
    return {name: round_array(draw.normal(5, 3) * spread, fmt) for name in "QKV"}


@pytest.mark.parametrize("fmt", FORMATS.values(), ids=lambda f: f.name)
@pytest.mark.parametrize(("algorithm", "blocks"), ALGORITHMS, ids=[a for a, _ in ALGORITHMS])
def test_bit_for_bit(algorithm: str, blocks: tuple[int, ...], fmt: Format) -> None:
    program = Attention(inputs="qkv").program(algorithm, blocks=blocks, n=5, d_k=3, d_v=3)
    for spread in (1.0, 6.0):  # overflow, NaN and zeros are there at 6 in the short formats
        assert disagreements(program, inputs(fmt, spread), fmt) == []


def test_bit_for_bit_pairwise_masked_and_backwards() -> None:
    program = Attention(inputs="qkv").program("shifted", n=5, d_k=3, d_v=3)
    assert disagreements(program, inputs(BFLOAT16), BFLOAT16, "pairwise") == []
    causal = Attention(inputs="qkv", mask="causal").program("shifted", n=5, d_k=3, d_v=3)
    assert disagreements(causal, inputs(FLOAT16), FLOAT16) == []
    gradient = reverse(program, "output", ["Q"])
    feeds = {**inputs(FLOAT16), str(gradient.upstream): round_array(Draw(6).normal(5, 3), FLOAT16)}
    assert disagreements(gradient.program, feeds, FLOAT16) == []


def test_another_order_is_seen() -> None:
    program = Attention(inputs="qkv").program("plain", n=5, d_k=3, d_v=3)
    feeds = inputs(BFLOAT16)
    one, other = (read_arrays(program, feeds, BFLOAT16, order=order)["output"] for order in ("sequential", "pairwise"))
    assert bits(one) != bits(other)


@pytest.mark.parametrize(
    "fmt", [*FORMATS.values(), FLOAT8_E4M3FN.with_overflow(Overflow.SATURATE)], ids=lambda f: f.name + f.overflow.value
)
def test_rounding_is_the_rounding_of_the_exact_value(fmt: Format) -> None:
    if fmt.overflow is Overflow.SATURATE:
        with pytest.raises(UnsupportedError, match="no arrays"):
            round_array(np.zeros(1), fmt)
        return
    rng = random.Random(1)
    top = ordinal(fmt.largest, fmt)
    near: list[F] = []
    for _ in range(200):
        x = nth(rng.randint(-top, top - 1), fmt)
        near += [x, x + ulp(x, fmt) / 2, x + ulp(x, fmt) / 2 * (1 + F(1, 2**30))]
    values = [float(x) for x in near if F(float(x)) == x or fmt.precision < 50] + [
        0.0,
        -0.0,
        1e300,
        -1e300,
        5e-324,
    ]
    if fmt.precision < 50:
        values.append(float(fmt.overflow_bound))  # the tie above the largest number
    for x, got in zip(values, round_array(np.array(values), fmt), strict=True):
        right = round_fraction(F(x), fmt)
        if isinstance(right, Special):
            assert str(got) == right.value, x
        else:
            assert exact_value(got) == right, x
    assert np.signbit(round_array(np.array([-0.0, -5e-324]), fmt).astype(float)).all()


def test_one_rounding_is_not_two() -> None:
    """A cast by way of float32 takes this number to the tie, and the tie down."""
    x = np.array([1 + 2.0**-8 + 2.0**-40])
    assert float(x.astype(np.float32).astype(dtype_of(BFLOAT16))[0]) == 1.0
    assert float(round_array(x, BFLOAT16)[0]) == 1 + 2.0**-7


def test_steps_are_ulps() -> None:
    for fmt in FORMATS.values():
        values = [1.0, 1.5, 0.1, 3.999, float(fmt.smallest), float(fmt.largest)]
        assert [F(float(s)) for s in step_of(np.array(values), fmt)] == [ulp(F(v), fmt) for v in values]


def test_what_cannot_be_read_is_refused() -> None:
    program = Attention(inputs="qkv").program("plain", n=5, d_k=3, d_v=3)
    feeds = inputs(FLOAT16)
    with pytest.raises(InputError, match='input "K" holds float64, not float16'):
        read_arrays(program, {**feeds, "K": feeds["K"].astype(float)}, FLOAT16)
    with pytest.raises(InputError, match="no order 'blas' for arrays"):
        read_arrays(program, feeds, FLOAT16, order="blas")
    with pytest.raises(UnsupportedError, match="no arrays of tiny"):
        read_arrays(program, feeds, Format("tiny", 3, -2, 3))


def test_a_seed_is_a_stream() -> None:
    first, again, other = Draw(3).normal(1000), Draw(3).normal(1000), Draw(4).normal(1000)
    assert (first == again).all()
    assert (first != other).all()
    assert abs(first.mean()) < 0.15
    assert abs(first.std() - 1) < 0.1
    for kind, fourth in (("normal", 3.0), ("uniform", 1.8), ("signs", 1.0)):
        drawn = Draw(0).entries(kind, 200_000)
        assert abs(drawn.mean()) < 0.02
        assert abs((drawn**2).mean() - 1) < 0.02
        assert abs((drawn**4).mean() - fourth) < 0.1
    assert Draw(0).uniform(2) == pytest.approx([0.6369616873214543, 0.2697867137638703], abs=1e-15)
    for bad in (-1, 2**63, True):
        with pytest.raises(InputError, match="the seed is"):
            Draw(bad)
    with pytest.raises(InputError, match="no entries 'cauchy'"):
        Draw(0).entries("cauchy", 1)
