"""Norms of a saturated softmax: closed forms against matrices, bounds against random rows, floats against thresholds."""

from __future__ import annotations

import math
import random
from fractions import Fraction as F

import numpy as np
import pytest

from symattn.calculus.reverse import reverse
from symattn.errors import InputError
from symattn.number.exact import Exact
from symattn.number.formats import FLOAT16, FLOAT32, FORMATS
from symattn.number.thresholds import largest_absorbed_gap, largest_vanishing_exp
from symattn.program.attention import Attention
from symattn.study import saturation
from symattn.study import saturation_study as s


def jacobian(scores: np.ndarray) -> np.ndarray:
    e = np.exp(scores - scores.max())
    p = e / e.sum()
    return np.diag(p) - np.outer(p, p)


@pytest.mark.parametrize("keys", [2, 3, 32])
@pytest.mark.parametrize("gap", ["0", "0.5", "1", "3", "9"])
def test_closed_forms_are_those_of_the_matrix(keys: int, gap: str) -> None:
    matrix = jacobian(np.array([float(F(gap)), *[0.0] * (keys - 1)]))
    t = Exact(gap)
    assert float(s.row_norm(t, keys)) == pytest.approx(np.abs(matrix).sum(axis=1).max(), rel=1e-12)
    assert float(s.spectral_norm(t, keys)) == pytest.approx(np.linalg.norm(matrix, 2), rel=1e-12)
    assert float(s.winner(t, keys)) + (keys - 1) * float(s.other(t, keys)) == pytest.approx(1)


def violations(bound: float, factor: float) -> int:
    """Random rows whose largest score leads by at least t, with |J| above `bound` times the stated bound of their gap."""
    rng = random.Random(4)
    seen = 0
    for _ in range(400):
        keys = rng.choice((2, 3, 8, 40))
        scores = np.array([rng.gauss(0, rng.choice((0.1, 1, 5))) for _ in range(keys)])
        ordered = np.sort(scores)
        gap = float(ordered[-1] - ordered[-2])
        limit = min(bound, factor * (keys - 1) * math.exp(-gap))
        seen += np.abs(jacobian(scores)).sum(axis=1).max() > limit * (1 + 1e-12)
    return seen


def test_the_bound_holds_for_every_row_and_a_smaller_one_does_not() -> None:
    assert violations(0.5, 2.0) == 0
    assert violations(0.5, 1.5) > 0
    assert violations(0.45, 2.0) > 0
    for gap in ("0", "2", "4", "8", "20"):
        t = Exact(gap)
        assert float(s.row_norm(t, 32)) <= float(s.row_bound(t, 32)) * (1 + 1e-12)
        assert float(s.query_gradient(t, 32, Exact(1))) <= float(s.query_bound(t, 32, Exact(1))) * (1 + 1e-12)


def test_the_gradient_of_w_q_is_that_of_the_reverse_program() -> None:
    """One token x of length 1, values and keys of the others equal: the norm of dL/dW_Q for L = O, by proven numbers."""
    keys, d_k = 4, 2
    program = Attention(inputs="weights", cross=True, scale="1/sqrt(d_k)").program("shifted", n=1, m=keys, d_model=2, d_k=d_k, d_v=1)
    gradient = reverse(program, "output", ["W_Q"])
    # x = (3/5, 4/5); q = x W_Q = (3, 0); keys differ by (1, -1): an unscaled gap of 3, |Δk| = √2, |Δv| = 1
    feeds = {
        "X": [["3/5", "4/5"]], "W_Q": [[5, 0], [0, 0]], "Y": [[1, 1], *[[0, 0]] * (keys - 1)],
        "W_K": [[1, -1], [0, 0]], "W_V": [[1], [0]], str(gradient.upstream): [[1]],
    }  # fmt: skip
    found = gradient.program.evaluate(feeds, numbers="balls", digits=20)[gradient.names["W_Q"]]
    norm = math.sqrt(sum(float(str(x).rstrip("…")) ** 2 for x in found.entries))
    root = Exact(2).sqrt()
    assert norm == pytest.approx(float(s.query_gradient(Exact(3) / root, keys, root / root)), rel=1e-12)
    assert norm != pytest.approx(float(s.query_gradient(Exact(3), keys, root / root)), rel=1e-3)


@pytest.mark.parametrize("fmt", [f for f in FORMATS.values() if f.name != "float64"], ids=lambda f: f.name)
def test_floats_flush_where_the_thresholds_say(fmt) -> None:  # type: ignore[no-untyped-def]
    found = s.flush_points(fmt)
    absorbed, vanishing = largest_absorbed_gap(fmt), largest_vanishing_exp(fmt)
    assert absorbed is not None
    assert vanishing is not None
    assert found.weight_one is not None
    assert found.all_zero is not None
    step = F(1, s.STEPS) + abs(absorbed) / 2 ** (fmt.precision - 1) + F(1, 2)
    assert 0 <= found.weight_one + absorbed <= step or abs(found.weight_one + absorbed) <= step
    assert 0 <= found.all_zero + vanishing <= F(1, s.STEPS) + abs(vanishing) / 2 ** (fmt.precision - 1)
    assert found.winner_zero is not None
    assert found.weight_one <= found.winner_zero <= found.all_zero


def test_the_study() -> None:
    study = saturation(("0", "5/2", "30"), keys=8, formats=(FLOAT16, FLOAT32))
    names = [t.name for t in study.tables]
    assert names == ["gap", "temperature", "d_k", "flush"]
    gap = study.tables[0]
    row = dict(zip((c.key for c in gap.columns), gap.rows[2], strict=True))
    assert float(row["row_norm"].text) == pytest.approx(2 * 7 * math.exp(-30), rel=1e-9)
    assert row["row_norm"].shown is not None
    assert row["row_norm"].shown.en == r"$1.31 \cdot 10^{-12}$"
    flush = {r[0].text: [c.text for c in r[1:]] for r in study.tables[3].rows}
    assert flush["float16"] == ["7.625", "7.625", "17.375"]
    assert study.plot.panels[1].thresholds[0].value == 17.34375


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gaps": ()}, "0 gaps"),
        ({"gaps": ("x",)}, '"x" is no gap'),
        ({"gaps": ("-1",)}, "gap -1 is out of range"),
        ({"gaps": ("1e9",)}, "gap 1e9|is no gap"),
        ({"keys": 1}, "1 keys"),
        ({"gap": -2}, "the gap is -2"),
    ],
)
def test_bad_input(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        saturation(**arguments)  # type: ignore[arg-type]
