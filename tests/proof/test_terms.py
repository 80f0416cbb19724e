"""Normal forms: names of indices do not matter, equal sums of a product do not cost their factorial, indices are never captured."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from helpers import program

from symattn.program import ops
from symattn.program.ops import AtMost, Contract, Input, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary
from symattn.program.spaces import Axis, Space
from symattn.proof.evidence import Undecided
from symattn.proof.functions import new_context
from symattn.proof.indices import at_most, extent, fill, fixed_place, flatten, position, same
from symattn.proof.kernel import Budget, stated, zero_test
from symattn.proof.lower import Lowering
from symattn.proof.primes import primes
from symattn.proof.terms import IMAGINARY, Term, settle_mono
from symattn.proof.zero import vanishes

N = Space("n", "n")


def test_products_of_equal_sums_split_into_components() -> None:
    p = program({"x": "n"}, left="sum(x)**7", right="sum(x)**3 * sum(x)**4")
    assert zero_test(stated(p, "left", "right"), budget=Budget(terms=200)) == ()


@pytest.mark.parametrize("order", list(permutations("ijk")))
def test_the_key_of_a_sum_does_not_know_names(order: tuple[str, ...]) -> None:
    """tr(ABC) by indices, cyclically and under any names."""

    def trace(names: tuple[str, ...], matrices: str) -> Contract:
        i, j, k = (Axis(name, N) for name in names)
        return Contract((), tuple(Use(m, at) for m, at in zip(matrices, ((i, j), (j, k), (k, i)), strict=True)))

    given = tuple(Stage(m, Input((Axis("a", N), Axis("b", N)))) for m in "ABC")
    p = Program(
        (*given, Stage("left", trace(("i", "j", "k"), "ABC")), Stage("right", trace(order, "BCA")), Stage("twin", trace(order, "BAC")))
    )
    assert zero_test(stated(p, "left", "right")) == ()
    assert zero_test(stated(p, "left", "twin")) is None


def test_symmetric_networks_are_told_apart_from_others() -> None:
    """Two triangles and one hexagon have the same degrees everywhere."""

    def graph(edges: list[tuple[int, int]]) -> Contract:
        axes = [Axis(f"i{k}", N) for k in range(6)]
        return Contract((), tuple(Use("A", (axes[a], axes[b])) for a, b in edges))

    triangles = graph([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    hexagon = graph([(k, (k + 1) % 6) for k in range(6)])
    other = graph([(4, 2), (2, 0), (0, 4), (5, 1), (1, 3), (3, 5)])
    p = Program((Stage("A", Input((Axis("a", N), Axis("b", N)))), Stage("t", triangles), Stage("h", hexagon), Stage("o", other)))
    assert zero_test(stated(p, "t", "o")) == ()
    assert zero_test(stated(p, "t", "h")) is None


def test_a_diagonal_of_a_nested_expression_is_taken_apart_again() -> None:
    base = program({"x": "n", "y": "n"}, outer_exp="exp(outer(x, y))", right="exp(x*y)")
    axis = base.by_name["right"].out[0]
    p = Program((*base.stages, Stage("left", Contract((axis,), (Use("outer_exp", (axis, axis)),)))))
    assert zero_test(stated(p, "left", "right")) == ()


def test_exponentials_with_symmetric_arguments() -> None:
    p = program({"x": "n"}, e="exp(outer(x, x))", left="e", right="e.T", twin="e * e.T")
    assert zero_test(stated(p, "left", "right")) == ()
    assert zero_test(stated(p, "left", "twin")) is None


# -- indices ----------------------------------------------------------------------------------------------------------
PAST, NEW = Space("past", "p"), Space("new", 2)
KEYS = Space("keys", blocks=(NEW, PAST))
PAIR = Space("pair", factors=(N, Space("side", 2)))


def test_places_are_flattened_and_filled() -> None:
    places = (3, ("in", 1, 4), ("jt", (5, ("at", 0))))
    skeleton, plain = flatten(places)
    assert plain == (3, 4, 5)
    assert fill(skeleton, plain) == places
    assert flatten((1, 2)) == (None, (1, 2))


def test_fixed_positions_of_unions_and_products() -> None:
    assert fixed_place(KEYS, 1) == ("in", 0, ("at", 1))
    assert fixed_place(KEYS, 2) == ("in", 1, ("at", 0))
    assert fixed_place(PAIR, 3) == ("jt", (("at", 1), ("at", 1)))
    turned = Space("turned", blocks=(PAST, NEW))
    assert fixed_place(turned, 0) == ("in", 0, ("at", 0))
    with pytest.raises(Undecided):
        fixed_place(turned, 1)


def test_relations_of_places() -> None:
    ctx = new_context(1000, 10)
    n, p = ctx.space_id(N), ctx.space_id(PAST)
    i, j, k = ctx.fresh(n), ctx.fresh(n), ctx.fresh(p)
    true = [Term(1)]

    def shown(terms: list[Term]) -> list[tuple[int, list[tuple[str, object]]]]:
        return [(int(t.coef), [(ctx.labels[label].kind, ctx.labels[label].name) for label, _ in t.rels]) for t in terms]

    assert shown(same(ctx, ("in", 0, ("at", 1)), ("in", 1, k))) == []
    assert shown(at_most(ctx, i, i, 0, (N, N))) == shown(true)
    assert shown(at_most(ctx, i, j, -2, (N, N))) == [(1, []), (-1, [("le", 1)])]
    assert shown(at_most(ctx, i, j, -2, (N, N), whole=True)) == [(1, [("order", -2)])]
    assert shown(at_most(ctx, ("in", 0, ("at", 0)), ("in", 1, k), 0, (KEYS, KEYS))) == shown(true)
    assert shown(at_most(ctx, ("in", 1, k), ("in", 0, ("at", 0)), 0, (KEYS, KEYS))) == []
    assert [(t.coef, t.mono) for t in extent(KEYS)] == [(2, ()), (1, (("$p", 1),))]
    assert len(position(ctx, ("in", 1, k), KEYS)) == 2
    with pytest.raises(Undecided):
        same(ctx, ("jt", (i, j)), k)


def test_monomials_settle() -> None:
    assert settle_mono({"#2": 3}) == ((), 8)
    assert settle_mono({"#2": Fraction(-1, 2)}) == ((("#2", Fraction(1, 2)),), Fraction(1, 2))
    assert settle_mono({IMAGINARY: 2}) == ((), -1)
    assert settle_mono({IMAGINARY: 3, "$n": 0}) == (((IMAGINARY, 1),), -1)
    assert primes(360) == [(2, 3), (3, 2), (5, 1)]
    assert primes(1) == []


def test_a_sum_is_zero_only_when_it_is() -> None:
    p = program({"x": "n"}, left="sum(x)", right="x[0]")
    ctx = new_context(1000, 10)
    lowering = Lowering(ctx, p)
    assert not vanishes(ctx, lowering.stage("left", ()) + [t.scaled(-1) for t in lowering.stage("right", ())])
    assert vanishes(ctx, [])


def test_unions_and_products_are_split_where_indices_are_born() -> None:
    union = Space("both", blocks=(Space("first", "p"), Space("second", "q")))
    c, a, b = Axis("c", union), Axis("a", union.blocks[0]), Axis("b", union.blocks[1])
    i, j = Axis("i", N), Axis("j", Space("m", "m"))
    grid = Space("grid", factors=(i.space, j.space))
    g = Axis("g", grid)
    p = Program(
        (
            Stage("x", Input((c,))),
            Stage("y", Input((g,))),
            Stage("total", Contract((), (Use("x", (c,)),))),
            Stage("x1", Contract((), (Use("x", (ops.Inject(union, "first", a),)),))),
            Stage("x2", Contract((), (Use("x", (ops.Inject(union, "second", b),)),))),
            Stage("parts", program_sum("x1", "x2")),
            Stage("square", Contract((), (Use("y", (g,)), Use("y", (g,))))),
            Stage("grid_square", Contract((), (Use("y", (ops.Joint(grid, (i, j)),)), Use("y", (ops.Joint(grid, (i, j)),))))),
            Stage("wide", Contract((c,), (Use("x", (ops.Inject(union, "first", a),)),), (ops.InBlock(c, "first", a),))),
            Stage("back", Contract((a,), (Use("wide", (ops.Inject(union, "first", a),)),))),
            Stage("first", Contract((a,), (Use("x", (ops.Inject(union, "first", a),)),))),
            Stage("flat", Contract((g,), (Use("y", (ops.Joint(grid, (i, j)),)),), (ops.Paired(g, (i, j)),))),
            Stage("own", Contract((g,), (Use("y", (g,)),))),
            Stage("upper", Contract((c,), (Use("x", (Axis("d", union),)),), (AtMost(Axis("d", union), c, 0),))),
        )
    )
    for left, right in (("total", "parts"), ("square", "grid_square"), ("back", "first"), ("flat", "own")):
        assert zero_test(stated(p, left, right)) == ()
    assert zero_test(stated(p, "total", "x1")) is None
    assert zero_test(stated(p, "upper", "wide")) is None


def program_sum(a: str, b: str) -> ops.Map:
    return ops.Map((), Binary("add", Arg("a"), Arg("b")), (("a", Use(a)), ("b", Use(b))))
