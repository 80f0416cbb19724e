"""Q(√…): field laws, canonical form, signs."""

from __future__ import annotations

from fractions import Fraction as F
from math import isqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import DomainError, UnsupportedError
from symattn.number.surd import MAX_BITS, ONE, ZERO, Surd, factors, lex_less, split_square

small = st.fractions(min_value=-9, max_value=9, max_denominator=12)


@st.composite
def surds(draw):
    parts = draw(st.lists(st.tuples(small, st.integers(0, 40)), max_size=3))
    total = ZERO
    for q, d in parts:
        total = total + Surd.of(q) * Surd.root(d)
    return total


@given(surds(), surds(), surds())
@settings(max_examples=150, deadline=None)
def test_field_laws(a, b, c):
    assert a + b == b + a
    assert (a + b) * c == a * c + b * c
    assert (a * b) * c == a * (b * c)
    assert a - a == ZERO
    if a:
        assert a * a.inverse() == ONE
    assert hash(a + b - b) == hash(a)


@given(surds(), surds(), surds())
@settings(max_examples=100, deadline=None)
def test_signs_agree_with_squares_and_the_order_keeps_addition(a, b, c):
    assert (a * a).sign() == abs(a.sign())
    assert (a * b).sign() == a.sign() * b.sign()
    assert lex_less(a, b) == lex_less(a + c, b + c)
    assert lex_less(a, b) + lex_less(b, a) + (a == b) == 1


def test_signs_that_need_many_digits():
    near = Surd.root(2)
    p, q = 1, 1
    for _ in range(60):  # continued fraction of √2: p/q alternates around it, 45 digits close
        p, q = p + 2 * q, p + q
        assert (Surd.of(F(p, q)) - near).sign() == (1 if p * p > 2 * q * q else -1)
    sum_of_roots = Surd.root(10) + Surd.root(11) - Surd.root(5) - Surd.root(22)
    assert sum_of_roots.sign() == -1


@pytest.mark.parametrize("x", [F(0), F(1), F(4, 9), F(50), F(1, 3), F(8, 27), F(10**18 + 9), F(2 * (10**9 + 7) ** 2)])
def test_roots_square_to_what_they_are_roots_of(x):
    root = Surd.root(x)
    assert (root * root).rational() == x
    assert all(split_square(d) == (1, d) for d, _ in root.parts)


def test_square_free_part_of_a_product_of_large_primes_squared():
    p, q = 10**12 + 39, 10**12 + 61
    assert split_square(p * p * q) == (p, q)
    assert split_square(p * q) == (1, p * q)


def test_square_free_parts_by_brute_force():
    for x in range(1, 2000):
        a = max(a for a in range(1, isqrt(x) + 1) if x % (a * a) == 0)
        assert split_square(x) == (a, x // (a * a))
        product = 1
        for p, e in factors(x):
            product *= p**e
        assert product == x


def test_errors_name_what_is_wrong():
    with pytest.raises(DomainError, match="negative number"):
        Surd.root(F(-2))
    with pytest.raises(DomainError, match="division by zero"):
        ZERO.inverse()
    with pytest.raises(UnsupportedError, match="factors of an integer of"):
        Surd.root(2**521 - 1)
    with pytest.raises(UnsupportedError, match=f"more than {MAX_BITS} bits"):
        Surd.of(1 << MAX_BITS) * Surd.of(2)
    with pytest.raises(UnsupportedError, match="would arise"):
        squared_often(Surd.of(3), 40)


def squared_often(x: Surd, times: int) -> Surd:
    for _ in range(times):
        x = x * x
    return x


def test_a_wrong_inverse_would_be_seen():
    x = Surd.of(1) + Surd.root(2) + Surd.root(3)
    assert x * (x.inverse() + Surd.of(F(1, 10**40))) != ONE
