"""Measured numbers: the sample sizes at which a deviation is ordinary."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random

import pytest

from symattn.claims.measured import dot_product_kurtosis, ordinary_up_to
from symattn.errors import InputError
from symattn.number.decimal import parse_printed
from symattn.number.exact import Exact
from symattn.number.truth import Rational


def test_a_printed_interval_that_holds_the_exact_value_is_ordinary_at_any_size() -> None:
    assert ordinary_up_to(parse_printed("2.00"), Rational(F(2)), dot_product_kurtosis(4)) is None
    assert ordinary_up_to(parse_printed("1.41"), Exact.of(2).sqrt(), F(3)) is None


def test_the_larger_the_deviation_the_fewer_the_samples() -> None:
    # 16.06 stands for 16.055 at the nearest: (2·16)²·(κ − 1)/(4·0.055²), κ = 3 + 6/256
    small = ordinary_up_to(parse_printed("16.06"), Rational(F(16)), dot_product_kurtosis(256))
    assert small == int(F(4 * 256) * (2 + F(6, 256)) / (4 * F("0.055") ** 2))
    assert small == 171239
    large = ordinary_up_to(parse_printed("17.00"), Rational(F(16)), dot_product_kurtosis(256))
    assert large is not None
    assert 0 < large < 1000
    assert ordinary_up_to(parse_printed("15.00"), Rational(F(16)), dot_product_kurtosis(256)) == large
    assert ordinary_up_to(parse_printed("160"), Rational(F(16)), F(3)) == 0


def test_the_kurtosis_of_a_dot_product() -> None:
    assert dot_product_kurtosis(1) == 9
    assert dot_product_kurtosis(64) == 3 + F(6, 64)
    with pytest.raises(InputError, match="0 terms"):
        dot_product_kurtosis(0)
    # signs ±1 have kurtosis 1; the exact fourth moment of a sum of two products over all 16 choices
    fourth = F(sum((a * b + c * d) ** 4 for a in (1, -1) for b in (1, -1) for c in (1, -1) for d in (1, -1)), 16)
    assert fourth / 4 == dot_product_kurtosis(2, F(1))


def test_the_standard_error_is_the_one_that_samples_show() -> None:
    # 400 runs of 200 signs summed in fours: variance 4, κ = 3 − 2/4; s leaves ±2 errors in about one run of twenty
    random = Random(7)
    kurtosis, count, outside = F(5, 2), 200, 0
    for _ in range(400):
        squares = sum(sum(random.choice((1, -1)) for _ in range(4)) ** 2 for _ in range(count))
        s = (squares / count) ** 0.5
        outside += abs(s - 2) > 2 * 2 * float((kurtosis - 1) / (4 * count)) ** 0.5
    assert 4 <= outside <= 40
