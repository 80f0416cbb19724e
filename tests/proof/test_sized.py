"""Equalities at stated sizes, by polynomials over known denominators: the independent road."""

from __future__ import annotations

from fractions import Fraction

import pytest
from helpers import program, together

from symattn.errors import DomainError, ProgramError
from symattn.program.attention import Attention
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.kernel import Budget, prove_at_sizes, prove_equal
from symattn.proof.polynomials import Field, _exponent


# -- polynomials ------------------------------------------------------------------------------------------------------
def test_row_sums_are_cleared_without_a_common_denominator() -> None:
    f = Field(10_000)
    x = [[f.variable((i, j)) for j in range(3)] for i in range(4)]
    rows = [f.total(row) for row in x]
    shares = [f.multiply(e, f.inverse(z)) for row, z in zip(x, rows, strict=True) for e in row]
    four = f.number(Fraction(4))
    assert f.is_zero(f.total([*shares, f.scaled(four, -1)]))
    assert not f.is_zero(f.total([*shares, f.scaled(four, -2)]))


def test_exponents_of_any_sign_are_kept_apart() -> None:
    f = Field(1000)
    x, y = f.variable("x"), f.variable("y")
    ratio = f.multiply(x, f.inverse(y))
    assert f.is_zero(f.total([f.multiply(ratio, y), f.scaled(x, -1)]))
    ((m, _),) = ratio.parts[()].items()
    assert (_exponent(m, 0), _exponent(m, 1)) == (1, -1)
    assert not f.is_zero(f.total([ratio, f.scaled(f.multiply(y, f.inverse(x)), -1)]))


def test_roots_fold_and_stay_different_from_their_squares() -> None:
    f = Field(10_000)
    two, eight = f.number(Fraction(2)), f.number(Fraction(8))
    root = f.root(two, 2)
    assert f.is_zero(f.total([f.multiply(root, root), f.scaled(two, -1)]))
    assert f.is_zero(f.total([f.root(eight, 2), f.scaled(root, -2)]))
    assert f.is_zero(f.total([f.inverse(root), f.scaled(root, Fraction(-1, 2))]))
    assert not f.is_zero(f.total([root, f.scaled(two, -1)]))
    x = f.variable("x")
    s = f.root(f.total([f.multiply(x, x), two]), 2)
    assert f.is_zero(f.total([f.multiply(s, s), f.scaled(f.multiply(x, x), -1), f.scaled(two, -1)]))
    assert f.is_zero(f.total([f.multiply(s, f.inverse(s)), f.number(Fraction(-1))]))


def test_exponentials_multiply_and_dividing_by_zero_is_an_error() -> None:
    f = Field(1000)
    x, y = f.variable("x"), f.variable("y")
    both = f.exp(f.total([f.scaled(x, Fraction(1, 2)), f.scaled(y, 3)]))
    apart = f.multiply(f.exp(f.scaled(x, Fraction(1, 2))), f.exp(f.scaled(y, 3)))
    assert f.is_zero(f.total([both, f.scaled(apart, -1)]))
    with pytest.raises(DomainError):
        f.inverse(f.total([x, f.scaled(x, -1)]))
    root = f.root(f.number(Fraction(2)), 2)
    with pytest.raises(DomainError):
        f.inverse(f.total([f.multiply(root, root), f.number(Fraction(-2))]))
    with pytest.raises(Undecided, match="coefficient 1/7"):
        f.exp(f.scaled(x, Fraction(1, 7)))


def test_exponents_never_run_into_one_another() -> None:
    f = Field(10_000)
    x = f.variable("x")
    for _ in range(21):
        x = f.multiply(x, x)
    with pytest.raises(Undecided, match="degree"):
        f.multiply(x, x)


# -- statements -------------------------------------------------------------------------------------------------------
QKV = {"Q": "n,d", "K": "n,d", "V": "n,e"}
IDENTITIES = [
    ({"x": "n"}, "sum(softmax(x))", "0*sum(x) + 1", "0*sum(x) + 2", {"n": 4}),
    ({"x": "n", "c": ""}, "softmax(x + c)", "softmax(x)", "softmax(2*x)", {"n": 3}),
    ({"x": "n"}, "x / sqrt(n)", "sqrt(n)*x/n", "x/n", {"n": 6}),
    ({"x": "n"}, "sum((x/sqrt(mean(x**2)))**2)", "0*sum(x) + n", "0*sum(x) + 1", {"n": 4}),
    ({"x": "n"}, "tanh(2*x)", "2*tanh(x)/(1 + tanh(x)**2)", "2*tanh(x)", {"n": 2}),
    (QKV, "attention(Q, K, V)", 'attention(Q, K, V, algorithm="shifted")', "attention(K, Q, V)", {"n": 3, "d": 2, "e": 1}),
    (
        QKV,
        'attention(Q, K, V, mask="causal")',
        'attention(Q, K, V, mask="causal", algorithm="deferred")',
        "attention(Q, K, V)",
        {"n": 3, "d": 1, "e": 2},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("shapes", "left", "right", "twin", "sizes"), IDENTITIES, ids=[i[1] for i in IDENTITIES])
def test_two_roads_agree_and_both_refuse_the_twin(shapes: dict[str, str], left: str, right: str, twin: str, sizes: dict[str, int]) -> None:
    p = program(shapes, left=left, right=right, twin=twin)
    found = prove_at_sizes(p, "left", "right", sizes)
    assert found.evidence.kind == "proved-at-sizes"
    assert dict(found.evidence.sizes[0]) == sizes
    assert prove_equal(p, "left", "right").evidence.kind == "proved-all-sizes"
    with pytest.raises(StepRejected) as rejection:
        prove_at_sizes(p, "left", "twin", sizes)
    assert rejection.value.counterexample is not None
    assert dict(rejection.value.counterexample.sizes) == sizes


def test_what_is_true_at_some_sizes_only() -> None:
    p = program({"x": "n"}, left="sum(x)**2", right="sum(x**2)")
    assert prove_at_sizes(p, "left", "right", {"n": 1}).evidence.text() == "PROVED at n=1"
    with pytest.raises(StepRejected):
        prove_at_sizes(p, "left", "right", {"n": 2})
    with pytest.raises(StepRejected):
        prove_equal(p, "left", "right")


def test_a_certificate_at_sizes_is_no_fact_for_all_sizes() -> None:
    p = program({"x": "n", "y": "n"}, a="sum(x)**2", b="sum(x**2)", left="a*y", right="b*y")
    with pytest.raises(ProgramError, match="not an equality for all sizes"):
        prove_equal(p, "left", "right", facts=[prove_at_sizes(p, "a", "b", {"n": 1})])


def test_hypotheses_are_written_down() -> None:
    p = program({"x": "n"}, left="sqrt(x)*sqrt(x)/x", right="0*x + 1")
    assert prove_at_sizes(p, "left", "right", {"n": 2}).hypotheses == ("x >= 0", "x != 0")


def test_what_it_refuses() -> None:
    p = program({"x": "n"}, left="sin(x)", right="sin(x)", big="sum(exp(x))**9", bigger="sum(exp(x))**9 + 0*sum(x)")
    with pytest.raises(Undecided, match="sine"):
        prove_at_sizes(p, "left", "right", {"n": 2})
    with pytest.raises(Undecided, match="more than 100 products"):
        prove_at_sizes(p, "big", "bigger", {"n": 6}, budget=Budget(terms=10))
    with pytest.raises(ProgramError, match='the size "n" is not given'):
        prove_at_sizes(p, "left", "right", {})


def test_opaque_stages_at_sizes() -> None:
    q = program({"S": "n,m", "G": "n,m"}, E="exp(S)", Z="sum(E)", P="E/Z", dS="P*(G - sum(G*P))", other="(E*(G*Z - sum(G*E)))/Z**2")
    assert prove_at_sizes(q, "dS", "other", {"n": 4, "m": 5}, atoms=("E",)).atoms == ("E",)
    with pytest.raises(StepRejected):
        prove_at_sizes(q, "dS", "G", {"n": 2, "m": 2}, atoms=("E",))


def test_heads_with_numbers_for_sizes() -> None:
    options = {"heads": 2, "kv_heads": 1, "mask": "causal"}
    p = together(Attention(**options).program(), Attention(**options).program("deferred"), Attention(heads=2, kv_heads=1).program())
    sizes = {"n": 2, "d_model": 1, "d_k": 1, "d_v": 2}
    assert prove_at_sizes(p, "output@0", "output@1", sizes).hypotheses == ()
    with pytest.raises(StepRejected):
        prove_at_sizes(p, "output@0", "output@2", sizes)
