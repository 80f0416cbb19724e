"""Exact points: residues that respect identities, intervals that contain their numbers, counterexamples that are real."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

import mpmath
import pytest
from helpers import program

from symattn.errors import DomainError, UnsupportedError
from symattn.interp.run import holes, run
from symattn.interp.tensor import Tensor
from symattn.program.attention import Attention
from symattn.proof import enclosures, residues
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.parts import cut
from symattn.proof.sampling import PATTERNS, sample, some_sizes


# -- residues ---------------------------------------------------------------------------------------------------------
def is_prime(n: int) -> bool:
    """Miller and Rabin's test with bases that decide all n below 3.3e24."""
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41):
        x = pow(a, d, n)
        if x not in (1, n - 1) and not any((x := x * x % n) == n - 1 for _ in range(s - 1)):
            return False
    return True


def test_the_primes_are_what_they_are_said_to_be() -> None:
    p, q = residues.P, residues.Q
    assert is_prime(p)
    assert is_prime(q)
    assert p == 2 * q + 1
    assert pow(residues.G, q, p) == 1
    assert all(pow(a, (m - 1) // 2, m) == 1 for a in (2, 3, 5, 7, 11, 13) for m in (p, q))


def test_residues_respect_the_laws_of_exponentials_and_roots() -> None:
    rng = Random(1)
    for _ in range(50):
        a, b = ((rng.randrange(residues.P), rng.randrange(residues.Q)) for _ in range(2))
        assert residues.exp(residues.add(a, b))[0] == residues.multiply(residues.exp(a), residues.exp(b))[0]
        x, y = residues.exp(a), residues.exp(b)
        assert residues.sqrt(residues.multiply(x, y))[0] == residues.multiply(residues.sqrt(x), residues.sqrt(y))[0]
        assert residues.power(residues.power(x, Fraction(2, 3)), Fraction(3, 2))[0] == x[0]
        assert residues.multiply(residues.divide(a, b), b) == a
        assert residues.multiply(residues.sqrt(x), residues.sqrt(x))[0] == x[0]
    assert residues.exp((0, 0)) == (1, 1)
    assert residues.number(Fraction(1, 3))[0] * 3 % residues.P == 1


def test_residues_refuse_what_they_cannot_hold() -> None:
    with pytest.raises(UnsupportedError):
        residues.exp(residues.exp((5, 7)))
    with pytest.raises(DomainError):
        residues.divide((1, 1), (0, 0))
    assert holes(residues.TABLE) == holes(enclosures.TABLE) == ()


# -- intervals --------------------------------------------------------------------------------------------------------
FUNCTIONS: list[tuple[str, Callable[[mpmath.mpf], mpmath.mpf], bool]] = [
    ("exp", mpmath.exp, False), ("log", mpmath.log, True), ("sqrt", mpmath.sqrt, True), ("tanh", mpmath.tanh, False),
    ("cos", mpmath.cos, False), ("sin", mpmath.sin, False), ("erf", mpmath.erf, False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "reference", "positive"), FUNCTIONS, ids=[f[0] for f in FUNCTIONS])
def test_intervals_contain_the_value_and_are_narrow(name: str, reference: Callable[..., mpmath.mpf], positive: bool) -> None:
    rng = Random(2)
    with mpmath.mp.workprec(400):
        for _ in range(60):
            x = Fraction(rng.randint(-500, 500), rng.randint(1, 90)) / 4
            x = abs(x) + Fraction(1, 9) if positive else x
            low, high = enclosures.interval(enclosures.TABLE.scalar[name](x))
            true = reference(mpmath.mpf(x.numerator) / x.denominator) * mpmath.mpf(2) ** enclosures.BITS
            assert low <= true <= high, (name, x)
            near = abs(x) < 8 or name not in ("erf", "exp")
            assert high - low < 1 << (16 if near else enclosures.BITS), (name, x)


def test_powers_and_arithmetic_of_intervals() -> None:
    third = enclosures.power(Fraction(2), Fraction(1, 3))
    back = enclosures.power(third, Fraction(3))
    assert not enclosures.differ(back, Fraction(2))
    assert enclosures.agreeing_bits(back, Fraction(2)) > 150
    assert enclosures.differ(third, Fraction(126, 100))
    assert enclosures.power(Fraction(-8), Fraction(1, 3)) != 2
    assert not enclosures.differ(enclosures.power(Fraction(-8), Fraction(1, 3)), Fraction(-2))
    assert enclosures.sqrt(Fraction(9, 4)) == Fraction(3, 2)
    with pytest.raises(DomainError):
        enclosures.sqrt(Fraction(-1))
    with pytest.raises(DomainError):
        enclosures.divide(Fraction(1), enclosures.add(enclosures.TABLE.scalar["exp"](Fraction(1)), (-4 << enclosures.BITS, 0)))
    root = enclosures.sqrt(Fraction(2))
    assert not enclosures.differ(enclosures.larger(root, Fraction(1)), root)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 3), "1/3"),
        (Fraction(-7), "-7"),
        (Fraction(1, 7**20), "0.0000000000000000125325…"),
        (Fraction(10**15 + 1, 3), "333333…"),
    ],
)
def test_numbers_are_cut_for_people(value: Fraction, text: str) -> None:
    assert enclosures.decimal(value).startswith(text.rstrip("…"))


# -- samples ----------------------------------------------------------------------------------------------------------
def test_a_sample_says_how_many_points_and_at_which_sizes() -> None:
    p = program({"Q": "n,d", "K": "m,d"}, left="Q @ K.T", right="(K @ Q.T).T")
    found = sample(p, "left", "right")
    assert (found.kind, found.points) == ("sampled", len(PATTERNS))
    assert found.sizes == ((("n", 2), ("d", 3), ("m", 2)), (("n", 3), ("d", 2), ("m", 3)))
    assert sample(p, "left", "right") == found


def test_a_counterexample_is_a_point_at_which_the_sides_differ() -> None:
    p = program({"x": "n"}, left="softmax(x)", right="softmax(2*x)")
    with pytest.raises(StepRejected) as rejection:
        sample(p, "left", "right")
    point = rejection.value.counterexample
    assert point is not None
    size = dict(point.sizes)["n"]
    entries = [Fraction(value) for _, value in point.inputs]
    assert len(entries) == size
    values = run(cut(p, ("left", "right"), ()), {"x": Tensor((size,), entries)}, enclosures.TABLE)
    a, b = (values[side].entries[point.index[0]] for side in ("left", "right"))
    assert enclosures.differ(a, b)
    assert (enclosures.decimal(a), enclosures.decimal(b)) == (point.left, point.right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("sin(x)", "x - x**3/6"),
        ("log(1 + x**2)", "x**2"),
        ("max(x, 0)", "x"),
        ("erf(x)", "tanh(x)"),
        ("exp(exp(x))", "exp(2*x)"),
        ("sum(x)", "x[0]"),
        ("x**2", "x"),
    ],
)
def test_differences_of_every_kind_are_found(left: str, right: str) -> None:
    with pytest.raises(StepRejected, match="counterexample"):
        sample(program({"x": "n"}, left=left, right=right), "left", "right")


def test_orders_are_sampled_too() -> None:
    p = program({"x": "n"}, square="x**2", nothing="0*x", e="exp(x)", line="1 + x")
    assert sample(p, "square", "nothing", relation=">=").points == 2
    assert sample(p, "e", "line", relation=">=").points == 2
    with pytest.raises(StepRejected):
        sample(p, "e", "line", relation="<=")
    with pytest.raises(StepRejected):
        sample(p, "nothing", "nothing", relation=">")


def test_no_point_is_no_evidence() -> None:
    with pytest.raises(Undecided, match="no point was found"):
        sample(program({"x": "n"}, left="1/(x - x)", right="x"), "left", "right")


def test_opaque_stages_take_any_values_but_keep_their_gaps() -> None:
    whole = Attention(inputs="qkv", mask="causal").program()
    part = cut(whole, ("output",), ("weights",))
    assert [s.name for s in part.stages] == ["V", "weights*", "weights", "output"]
    assert dict(some_sizes(part, (2, 3))).keys() == {"n", "d_v"}
    assert sample(whole, "output", "output", atoms=("weights",)).points == 2


def test_a_fixed_position_is_one_that_is_there() -> None:
    p = program({"x": "n"}, left="x[4] + x[0]", right="x[0] + x[4]", wrong="x[0] + x[3]")
    found = sample(p, "left", "right")
    assert all(dict(sizes)["n"] >= 5 for sizes in found.sizes)
    with pytest.raises(StepRejected):
        sample(p, "left", "wrong")
