"""Births of infinities, NaN, zeros and lost digits in five algorithms, and what the exact reading says of all five."""

from __future__ import annotations

import math

import pytest

from symattn.errors import InputError
from symattn.number.formats import FLOAT16, FLOAT32, FLOAT64, Format
from symattn.number.truth import Truth
from symattn.study import shift
from symattn.study import shift_study as s

CASE = ("180", "210", "95")


def where(scores: tuple[str, ...], algorithm: str, fmt: Format) -> dict[str, str]:
    found = s.observe(scores, algorithm, fmt)
    events = {kind: found.first(kind) for kind in s.KINDS} | {"lost": found.lost}
    return {kind: s._where(event) for kind, event in events.items() if event is not None}


def test_exp_800() -> None:
    for fmt in (FLOAT16, FLOAT32, FLOAT64):
        assert where(("800",), "plain", fmt) == {"inf": "exponentials[0]", "nan": "weights[0]", "lost": "exponentials[0]"}
        assert where(("800",), "deferred", fmt) == {"inf": "exponentials[0]", "nan": "output", "lost": "exponentials[0]"}
        for algorithm in ("shifted", "online", "log-domain"):
            assert where(("800",), algorithm, fmt) == {}
            assert s.observe(("800",), algorithm, fmt).output == 1


def test_180_210_95() -> None:
    assert where(CASE, "plain", FLOAT32)["inf"] == "exponentials[0]"
    assert "inf" not in where(CASE, "plain", FLOAT64)  # e^210 is a float64
    assert where(CASE, "shifted", FLOAT16) == {"zero": "exponentials[0]", "lost": "exponentials[0]"}  # e^-30
    assert where(CASE, "shifted", FLOAT32) == {"zero": "exponentials[2]", "lost": "exponentials[2]"}  # e^-115
    assert where(CASE, "online", FLOAT32)["zero"] == "exponentials_2[0]"
    assert where(CASE, "log-domain", FLOAT64) == {"lost": "log_sums"}  # the log of 1 + e^-30 cancels
    assert math.isnan(s.observe(CASE, "plain", FLOAT16).output)


def test_an_invented_format_is_observed_too() -> None:
    tiny = Format("e3m2", 3, -2, 4)
    assert where(("6", "1"), "plain", tiny)["inf"] == "exponentials[0]"
    assert "inf" not in where(("6", "1"), "shifted", tiny)


def test_rounding_the_input_is_not_the_algorithms_loss() -> None:
    """0.1 is no float16; the reference starts from what it is rounded to."""
    assert where(("0.1", "0.1"), "shifted", FLOAT16) == {}


@pytest.mark.parametrize("case", [("800",), CASE, ("0.1", "2", "-3.25", "7")], ids=str)
def test_over_the_reals_nothing_changes(case: tuple[str, ...]) -> None:
    answer, form, digits = s.same_over_the_reals(case)
    assert answer is Truth.YES
    top = max(map(float, case))
    weights = [math.exp(float(x) - top) for x in case]
    right = sum(w * k for k, w in enumerate(weights, 1)) / sum(weights)
    assert float(digits) == pytest.approx(right, rel=1e-11)
    assert form


def test_a_lie_over_the_reals_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = s.attention_of

    def lying(algorithm: str, n: int):  # type: ignore[no-untyped-def]
        from symattn.program.attention import Attention

        if algorithm != "deferred":
            return honest(algorithm, n)
        return Attention(inputs="qkv", cross=True, scale="1/2").program("deferred", n=1, m=n, d_k=1, d_v=1)

    monkeypatch.setattr(s, "attention_of", lying)
    assert s.same_over_the_reals(CASE)[0] is Truth.NO
    assert "no se decidió" in s._case_caption(CASE).es


def test_the_log_domain_loses_with_the_offset_and_the_naive_method_breaks_off() -> None:
    errors = s.offset_errors(1)
    shifted, log, plain = (dict(errors[a]) for a in ("shifted", "log-domain", "plain"))
    assert len(set(shifted.values())) == 1  # the offset is exact, so the shifted method never sees it
    assert log[40.0] > 2 * shifted[40.0]
    assert log[40.0] > log[5.0]
    assert math.isnan(plain[20.0])
    assert math.isnan(plain[-30.0])
    assert plain[0.0] < 10


def test_the_study() -> None:
    study = shift()
    assert [t.name for t in study.tables] == ["case_1", "case_2"]
    assert all(len(t.rows) == 15 for t in study.tables)
    assert "exact reading of all five" in study.tables[0].caption.en
    row = dict(zip((c.key for c in study.tables[0].columns), study.tables[0].rows[0], strict=True))
    assert row["inf"].text == "exponentials[0]"
    assert row["inf"].shown is not None
    assert row["inf"].shown.en == "E[0]"
    assert "overflows: the largest float16 is 65504" in row["inf_detail"].text
    long = shift([str(k) for k in range(20)], (FLOAT16,))
    assert "exact reading" not in long.tables[0].caption.en  # said only where it was done
    with pytest.raises(InputError, match="0 scores"):
        shift([])
    with pytest.raises(InputError, match="65 scores"):
        shift(["1"] * 65)
    with pytest.raises(InputError, match="no float format"):
        shift(CASE, ())
    for score, message in {
        "x": '"x" is no score',
        "1/0": '"1/0" is no score',
        "nan": "no score",
        "1e400": "too large",
        "-100001": "too large",
    }.items():
        with pytest.raises(InputError, match=message):
            shift(["1", score])
