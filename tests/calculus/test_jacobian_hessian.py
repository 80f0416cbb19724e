"""Full Jacobians by both modes, Hessians by two passes, their symmetry, and both against dual numbers."""

from __future__ import annotations

import random
from math import prod
from typing import Any

import pytest
from free_numbers import FREE, PRIME, compare, random_tensor
from gradient_cases import CASES, SIZES, TEXT_SIZES, TEXTS, language

from symattn.calculus.dual import dual_table, read_dual
from symattn.calculus.hessian import hessian, hessian_vector
from symattn.calculus.jacobian import jacobian
from symattn.calculus.reverse import Backward, reverse
from symattn.errors import InputError, ProgramError, ShapeError
from symattn.interp.run import run
from symattn.interp.tensor import Tensor
from symattn.program.attention import Attention
from symattn.program.program import Program
from symattn.program.tangent import tangent
from symattn.proof.kernel import prove_equal

DUAL = dual_table(FREE, compare)


def shape(program: Program, name: str, sizes: dict[str, int]) -> tuple[int, ...]:
    return tuple(a.space.extent(sizes) for a in program.by_name[name].out)


def point(program: Program, sizes: dict[str, int], seed: int = 5) -> dict[str, Tensor[Any]]:
    rng = random.Random(seed)
    return {s.name: random_tensor(shape(program, s.name, sizes), rng) for s in program.inputs}


def matrix(tensor: Tensor[Any], columns: int) -> list[list[Any]]:
    return [list(tensor.entries[k : k + columns]) for k in range(0, len(tensor.entries), columns)]


# -- Jacobians -------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_softmax(mode: str) -> None:
    program = language({"s": ("n",)}, p="softmax(s)")
    found = jacobian(program, "p", "s", mode)
    assert [a.space.name for a in (*found.rows, *found.columns)] == ["n", "n"]
    values = found.program.evaluate({"s": [0, 1, "1/2"]})
    p, j = values["p"].entries, values[found.name]
    for a in range(3):
        for b in range(3):
            assert j[a, b] == p[a] * (int(a == b) - p[b])


@pytest.mark.parametrize("name", ["attention", "LayerNorm", "SwiGLU", "trace of a power", "bilinear, entries", "largest", "scale"])
def test_both_modes_give_the_columns_that_dual_numbers_give(name: str) -> None:
    program, of, wrt = TEXTS[name]
    sizes = dict(TEXT_SIZES)
    feeds = point(program, sizes)
    for variable in wrt:
        columns = prod(shape(program, variable, sizes))
        read = []
        for mode in ("forward", "reverse"):
            found = jacobian(program, of, variable, mode)
            read.append(matrix(run(found.program, feeds, FREE, sizes)[found.name], columns))
        assert read[0] == read[1]
        for k in range(columns):
            direction = Tensor(shape(program, variable, sizes), [int(c == k) for c in range(columns)])
            moved = read_dual(program, feeds, {variable: direction}, DUAL, 0, sizes)[of][1]
            assert [row[k] for row in read[0]] == list(moved.entries)


def test_a_jacobian_in_reverse_mode_is_proved_like_a_gradient() -> None:
    program = language({"s": ("n",)}, p="softmax(s)")
    found = jacobian(program, "p", "s", "reverse")
    seeded = Program(tuple(s for s in found.program.stages if s.name in ("s", "p") or s.name.startswith(("p.", "delta"))))
    gradient = Backward(seeded, "p", ["s"], "delta_p", found.rows).gradient()
    assert gradient.batch == found.rows
    for o in gradient.obligations:
        assert prove_equal(o.program, o.left, o.right).evidence.kind == "proved-all-sizes"


def test_the_two_modes_are_proved_equal_for_all_sizes() -> None:
    program = language({"s": ("n",)}, p="softmax(s)")
    one, two = (jacobian(program, "p", "s", mode) for mode in ("forward", "reverse"))
    extra = tuple(s for s in two.program.stages if s.name not in one.program.by_name)
    both = Program((*one.program.stages, *extra))
    assert prove_equal(both, one.name, two.name).evidence.kind == "proved-all-sizes"


def test_a_jacobian_of_or_by_a_number() -> None:
    program, of, _ = TEXTS["scale"]
    found = jacobian(program, of, "c")
    assert found.columns == ()
    assert len(found.rows) == 2
    assert jacobian(language({"x": ("n",)}, f="sum(x * x)"), "f", "x", "reverse").program.evaluate({"x": [2, 3]}).output.nested() == [4, 6]


def test_an_unknown_mode() -> None:
    with pytest.raises(ProgramError, match="mode is 'backward'"):
        jacobian(language({"x": ("n",)}, y="x * x"), "y", "x", "backward")


# -- Hessians --------------------------------------------------------------------------------------------------------------------------
HESSIANS = {
    "log-sum-exp": (*TEXTS["log-sum-exp"][:2], ("s",)),
    "attention": (*TEXTS["attention"][:2], ("Q", "K", "V")),
    "SwiGLU": (*TEXTS["SwiGLU"][:2], ("x", "W")),
    "RMSNorm": (*TEXTS["RMSNorm"][:2], ("X", "g")),
    "absolute values": (*TEXTS["absolute values"][:2], ("x",)),
}


@pytest.mark.parametrize("name", HESSIANS)
def test_hessians_are_symmetric_and_agree_with_dual_numbers_of_the_gradient(name: str) -> None:
    program, of, wrt = HESSIANS[name]
    sizes = dict(TEXT_SIZES)
    for a in wrt:
        for b in wrt:
            one, two = hessian(program, of, a, b), hessian(program, of, b, a)
            feeds = point(one.program, sizes)
            rows, columns = prod(shape(program, a, sizes)), prod(shape(program, b, sizes))
            first = matrix(run(one.program, feeds, FREE, sizes)[one.name], columns)
            second = matrix(run(two.program, feeds, FREE, sizes)[two.name], rows)
            assert first == [list(column) for column in zip(*second, strict=True)]
            gradient = reverse(program, of, [a])
            own = {name: feeds[name] for name in feeds if name in gradient.program.by_name}
            for k in range(columns):
                direction = Tensor(shape(program, b, sizes), [int(c == k) for c in range(columns)])
                moved = read_dual(gradient.program, own, {b: direction}, DUAL, 0, sizes)[gradient.names[a]][1]
                assert [row[k] for row in first] == list(moved.entries)


@pytest.mark.parametrize("name", ["plain: causal", "shifted: heads, W_O", "online in b1 + b2: sink", "deferred: soft-cap"])
def test_hessian_vector_products_of_attention(name: str) -> None:
    """Two backward passes against a forward pass over a backward pass, along directions in two weights at once."""
    case = CASES[name]
    program, sizes = case.program(), dict(SIZES)
    directions = {"W_Q": "v_Q", "W_V": "v_V"}
    found = hessian_vector(program, "output", directions)
    assert found.hypotheses == ()
    assert found.upstream == "dO"
    feeds = point(found.program, sizes)
    values = run(found.program, feeds, FREE, sizes)
    first = reverse(program, "output", list(directions))
    for weight in directions:
        moved = tangent(first.program, first.names[weight], directions)
        own = {name: feeds[name] for name in feeds if name in moved.program.by_name}
        assert list(run(moved.program, own, FREE, sizes)[moved.name].entries) == list(values[found.names[weight]].entries)


def test_second_derivatives_of_one_number() -> None:
    program = language({"x": ("n",)}, f="sum(x * x * x)")
    found = hessian_vector(program, "f", {"x": "v"})
    assert found.upstream is None
    assert found.program.evaluate({"x": [2, 3], "v": [1, 10]})[found.names["x"]].nested() == [12, 180]
    full = hessian(program, "f", "x")
    assert full.program.evaluate({"x": [2, 3]}).output.nested() == [[12, 0], [0, 18]]


def test_a_slip_in_a_second_derivative_is_seen() -> None:
    program = language({"x": ("n",)}, f="sum(x * x * x)")
    wrong = language({"x": ("n",)}, f="sum(x * x)")
    one, two = hessian(program, "f", "x"), hessian(wrong, "f", "x")
    values = [h.program.evaluate({"x": [2, 3]}).output.nested() for h in (one, two)]
    assert values[0] != values[1]


def test_directions_that_do_not_fit() -> None:
    program = Attention().program()
    with pytest.raises(ShapeError, match="the direction"):
        hessian_vector(program, "output", {"W_Q": "W_V"})
    with pytest.raises(ProgramError, match="no variable is named"):
        hessian_vector(program, "output", {})


# -- dual numbers themselves -----------------------------------------------------------------------------------------------------------
def test_dual_numbers_refuse_directions_that_do_not_fit() -> None:
    from symattn.calculus.dual import directional

    program = language({"x": ("n",)}, f="sum(x * x)")
    assert directional(program, {"x": [2, 3]}, {"x": [1, 10]})["f"][1].entries[0] == 64
    with pytest.raises(InputError, match='the direction of "y"'):
        directional(program, {"x": [2, 3]}, {"y": [1, 10]})
    with pytest.raises(InputError, match="has the shape"):
        directional(program, {"x": [2, 3]}, {"x": [1, 10, 5]})


def test_free_residues_notice_a_wrong_derivative() -> None:
    """exp' = exp holds in free residues, exp' = 2 exp does not: what agrees there agrees for a reason."""
    program = language({"x": ()}, f="exp(x)", g="2 * f")
    moved = tangent(program, "f", {"x": "v"})
    feeds = {"x": Tensor((), [12345]), "v": Tensor((), [1])}
    values = run(moved.program, feeds, FREE, {})
    assert values[moved.name].entries[0] == values["f"].entries[0]
    assert values[moved.name].entries[0] != values["g"].entries[0]
    assert values["g"].entries[0] == 2 * values["f"].entries[0] % PRIME


@pytest.mark.parametrize("name", ["plain: causal", "shifted: heads, W_O", "log-domain: bare", "online in 2 + 1: causal", "deferred: sink"])
def test_the_second_backward_pass_is_proved_too(name: str) -> None:
    program = CASES[name].program()
    first = reverse(program, "output", ["W_Q"])
    second = reverse(first.program, first.names["W_Q"], ["W_Q", "X"], "v")
    assert second.hypotheses == ()
    for o in second.obligations:
        assert prove_equal(o.program, o.left, o.right, atoms=o.atoms).evidence.kind == "proved-all-sizes"
