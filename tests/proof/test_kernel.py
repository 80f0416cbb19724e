"""What the kernel refuses, what it supposes, how facts are used, and what it may load."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from helpers import program

from symattn.errors import ProgramError, ShapeError
from symattn.program import ops
from symattn.program.ops import AtMost, Contract, Input, Map, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Unary
from symattn.program.spaces import Axis, Space
from symattn.proof.certificate import Certificate
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.kernel import Budget, prove_equal, zero_test
from symattn.proof.kernel import stated as statement_of

N = Space("n", "n")
ROW, COL = Axis("i", N), Axis("j", N)
ONE = Num(ops.ONE.value)


def refuted(p: Program, left: str = "left", right: str = "right", **options: Any) -> None:
    with pytest.raises(StepRejected) as rejection:
        prove_equal(p, left, right, **options)
    assert rejection.value.counterexample is not None


# -- what is supposed, and what would be wrong to suppose -------------------------------------------------------------
@pytest.mark.parametrize(
    ("left", "right", "hypotheses"),
    [
        ("x / x", "0*x + 1", ("x != 0",)),
        ("sqrt(x) * sqrt(x)", "x", ("x >= 0",)),
        ("exp(log(x))", "x", ("x > 0",)),
        ("1 / (1/x)", "x", ("1 / x != 0", "x != 0")),
        ("x**(-2) * x**3", "x", ("x != 0",)),
        ("x / exp(x)", "x * exp(-x)", ()),
        ("x / (1 + x**2)", "x / (x*x + 1)", ()),
        ("log(1 + exp(x)) - x", "log(1 + exp(-x))", ()),
        ("sqrt(x**2 + 1)**2", "x*x + 1", ()),
    ],
)
def test_what_a_step_needs_is_written_down(left: str, right: str, hypotheses: tuple[str, ...]) -> None:
    assert prove_equal(program({"x": "n"}, left=left, right=right), "left", "right").hypotheses == hypotheses


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("sqrt(x**2)", "x"),
        ("log(x**2)", "2*log(x)"),
        ("sqrt(x*y)", "sqrt(x)*sqrt(y)"),
        ("log(x*y)", "log(x) + log(y)"),
        ("(x**2)**(1/4)", "sqrt(x)"),
    ],
)
def test_roots_and_logarithms_are_not_split_over_what_may_be_negative(left: str, right: str) -> None:
    p = program({"x": "n", "y": "n"}, left=left, right=right)
    assert zero_test(statement_of(p, "left", "right")) is None
    with pytest.raises((StepRejected, Undecided)):
        prove_equal(p, "left", "right")


def test_a_division_by_zero_is_refused() -> None:
    p = program({"x": "n"}, left="x / (x - x)", right="x")
    with pytest.raises(Undecided, match="no point was found"):
        prove_equal(p, "left", "right")
    with pytest.raises(Undecided, match="division by what is 0"):
        zero_test(statement_of(p, "left", "right"))


# -- rows without entries ---------------------------------------------------------------------------------------------
def strict_rows(*, must_visit: bool) -> Program:
    """Row sums over the keys strictly before the query: row 0 is empty."""
    before = (AtMost(COL, ROW, -1),)
    return Program(
        (
            Stage("S", Input((ROW, COL))),
            Stage("E", Map((ROW, COL), Unary("exp", Arg("S")), (("S", Use("S", (ROW, COL))),), before)),
            Stage("Z", Contract((ROW,), (Use("E", (ROW, COL)),), before, must_visit=must_visit)),
            Stage("P", Map((ROW, COL), Binary("div", Arg("E"), Arg("Z")), (("E", Use("E", (ROW, COL))), ("Z", Use("Z", (ROW,)))), before)),
            Stage("total", Contract((ROW,), (Use("P", (ROW, COL)),), before)),
            Stage("one", Contract((ROW,), (), ())),
        )
    )


@pytest.mark.parametrize("must_visit", [False, True])
def test_an_empty_row_is_never_proved_to_sum_to_one(must_visit: bool) -> None:
    with pytest.raises(Undecided):
        prove_equal(strict_rows(must_visit=must_visit), "total", "one")


def test_the_zero_test_alone_says_that_the_row_sum_must_not_vanish() -> None:
    found = zero_test(statement_of(strict_rows(must_visit=True), "total", "one"))
    assert found == ("Z: every entry visits something",)
    assert zero_test(statement_of(strict_rows(must_visit=False), "total", "one")) == ("Z != 0",)


def test_entries_that_a_stage_lost_may_leave_a_row_empty() -> None:
    """The sum itself has no relation; what it reads has no entries in row 0."""
    stages = {s.name: s for s in strict_rows(must_visit=True).stages}
    stages["Z"] = Stage("Z", Contract((ROW,), (Use("E", (ROW, COL)),), (), must_visit=True))
    stages["total"] = Stage("total", Contract((ROW,), (Use("P", (ROW, COL)),)))
    p = Program(tuple(stages.values()))
    assert zero_test(statement_of(p, "total", "one")) == ("Z: every entry visits something",)
    with pytest.raises(Undecided):
        prove_equal(p, "total", "one")


def test_a_relation_under_a_fraction_bar_is_refused() -> None:
    p = Program(
        (
            Stage("x", Input((ROW,))),
            Stage("r", Contract((ROW, COL), (Use("x", (ROW,)),), (AtMost(ROW, COL, 0),))),
            Stage("left", Map((ROW, COL), Binary("div", Arg("r"), Arg("r")), (("r", Use("r", (ROW, COL))),))),
            Stage("right", Contract((ROW, COL), ())),
        )
    )
    with pytest.raises(Undecided):
        zero_test(statement_of(p, "left", "right"))
    with pytest.raises((Undecided, StepRejected)):
        prove_equal(p, "left", "right")


# -- relations --------------------------------------------------------------------------------------------------------
def sums(*wheres: tuple[float, tuple[ops.Relation, ...]], out: tuple[Axis, ...] = (ROW,), name: str = "left") -> list[Stage]:
    parts = [
        Stage(f"{name}.{k}", Contract(out, (Use("A", (ROW, COL)), Use("v", (COL,))), where, Num(ops.ONE.value * int(c))))
        for k, (c, where) in enumerate(wheres)
    ]
    tree: Any = Arg("p0")
    for k in range(1, len(parts)):
        tree = Binary("add", tree, Arg(f"p{k}"))
    return [*parts, Stage(name, Map(out, tree, tuple((f"p{k}", Use(s.name, out)) for k, s in enumerate(parts))))]


GIVEN = (Stage("A", Input((ROW, COL))), Stage("v", Input((COL,))))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([(1, (AtMost(COL, ROW, 0),)), (1, (AtMost(ROW, COL, -1),))], [(1, ())]),
        ([(1, (AtMost(COL, ROW, 0),)), (1, (AtMost(ROW, COL, 0),))], [(1, ()), (1, (ops.Same(ROW, COL),))]),
        ([(1, (AtMost(COL, ROW, 2), AtMost(COL, ROW, 1)))], [(1, (AtMost(COL, ROW, 1),))]),
        ([(1, (AtMost(COL, ROW, 0), AtMost(ROW, COL, 0)))], [(1, (ops.Same(ROW, COL),))]),
        ([(1, (AtMost(COL, ROW, -1), AtMost(ROW, COL, 0)))], [(0, ())]),
        ([(1, (AtMost(COL, ROW, 1), AtMost(ROW, COL, 2))), (1, ())], [(1, (AtMost(COL, ROW, 1),)), (1, (AtMost(ROW, COL, 2),))]),
    ],
)
def test_order_relations_are_understood(left: Any, right: Any) -> None:
    p = Program((*GIVEN, *sums(*left), *sums(*right, name="right"), *sums(*right, (1, (AtMost(COL, ROW, 0),)), name="twin")))
    assert prove_equal(p, "left", "right").hypotheses == ()
    refuted(p, "left", "twin")


# -- facts ------------------------------------------------------------------------------------------------------------
def weights() -> Program:
    return program(
        {"S": "n,m", "G": "n,m"},
        E="exp(S)",
        Z="sum(E)",
        P="E / Z",
        rows="sum(P)",
        unit="0*rows + 1",
        PZ="P * Z",
        dS="P * (G - sum(G * P))",
        dS_rows="sum(dS)",
        zero="0*rows",
        EG="sum(E * G)",
        PG="sum(P * G) * Z",
    )


def test_facts_are_used_where_stages_are_opaque() -> None:
    p = weights()
    rows = prove_equal(p, "rows", "unit")
    known = prove_equal(p, "E", "PZ")
    refuted(p, "dS_rows", "zero", atoms=["P", "G"])
    found = prove_equal(p, "dS_rows", "zero", atoms=["P", "G"], facts=[rows])
    assert found.facts == (rows,)
    assert found.atoms == ("P", "G")
    refuted(p, "EG", "PG", atoms=["E", "P", "Z", "G"])
    assert prove_equal(p, "EG", "PG", atoms=["E", "P", "Z", "G"], facts=[known]).facts == (known,)


def test_a_fact_does_not_prove_what_is_false() -> None:
    p = program({"S": "n,m"}, P="softmax(S)", rows="sum(P)", unit="0*rows + 1", left="sum(P*P)", right="rows")
    rows = prove_equal(p, "rows", "unit")
    refuted(p, atoms=["P"], facts=[rows])


def test_a_fact_is_a_genuine_equality_about_the_same_stages() -> None:
    p = weights()
    other = program({"S": "n,m"}, E="exp(2*S)", Z="sum(E)", P="E / Z", rows="sum(P)", unit="0*rows + 1")
    foreign = prove_equal(other, "rows", "unit")
    with pytest.raises(ProgramError, match="that is another one"):
        prove_equal(p, "dS_rows", "zero", facts=[foreign])
    with pytest.raises(ProgramError, match="not a certificate"):
        prove_equal(p, "dS_rows", "zero", facts=["rows == unit"])  # type: ignore[list-item]
    with pytest.raises(ProgramError, match="not a certificate"):
        prove_equal(p, "dS_rows", "zero", facts=[object.__new__(Certificate)])


def test_a_fact_reaches_a_longer_program_with_the_same_stages() -> None:
    p = weights()
    rows = prove_equal(p, "rows", "unit")
    longer = Program((*p.stages, Stage("twice", Contract(p.by_name["P"].out, (Use("P", p.by_name["P"].out),), (), Num(ops.ONE.value * 2)))))
    assert prove_equal(longer, "dS_rows", "zero", atoms=["P", "G"], facts=[rows])


def test_hypotheses_of_facts_are_inherited() -> None:
    p = program({"x": "n", "y": "n"}, q="x / x", one="0*x + 1", left="q*y", right="y")
    fact = prove_equal(p, "q", "one")
    assert prove_equal(p, "left", "right", atoms=["q"], facts=[fact]).hypotheses == ("x != 0",)


# -- budgets, and what does not fit -----------------------------------------------------------------------------------
def test_beyond_the_budget_it_says_undecided() -> None:
    p = program({"x": "n"}, s="sum(x) + sum(x**2) + 1", left="s**12", right="s**6 * s**6")
    with pytest.raises(Undecided, match="more than 50 terms"):
        prove_equal(p, "left", "right", budget=Budget(terms=50))
    with pytest.raises(Undecided, match="more than 0 seconds"):
        prove_equal(p, "left", "right", budget=Budget(seconds=0))


def test_a_long_chain_of_stages_is_no_deep_recursion() -> None:
    def chain(name: str, step: int, count: int) -> list[Stage]:
        stages, before = [], "x"
        for k in range(count):
            stages.append(
                Stage(f"{name}{k}", Map((ROW,), Binary("add", Arg("x"), Num(ops.ONE.value * step)), (("x", Use(before, (ROW,))),)))
            )
            before = stages[-1].name
        return [*stages, Stage(name, Contract((ROW,), (Use(before, (ROW,)),)))]

    p = Program((Stage("x", Input((ROW,))), *chain("left", 1, 600), *chain("right", 2, 300), *chain("twin", 1, 601)))
    assert prove_equal(p, "left", "right").hypotheses == ()
    refuted(p, "left", "twin")


def test_statements_that_mean_nothing() -> None:
    p = program({"x": "n", "y": "m"}, left="2*x", right="2*y")
    with pytest.raises(ProgramError, match='no stage "middle"'):
        prove_equal(p, "left", "middle")
    with pytest.raises(ShapeError, match="over the same index sets"):
        prove_equal(p, "left", "right")


def test_what_is_true_and_not_seen_is_undecided() -> None:
    """Sums of positions have no closed form here: n(n-1)/2 is refused, not denied."""
    half = Binary("div", Binary("mul", Arg("n"), Binary("sub", Arg("n"), ONE)), Num(ops.ONE.value * 2))
    p = Program(
        (
            Stage("t", ops.Position((ROW,))),
            Stage("left", Contract((), (Use("t", (ROW,)),))),
            Stage("n", Contract((), (), (), ONE, (ROW,))),
            Stage("right", Map((), half, (("n", Use("n")),))),
        )
    )
    with pytest.raises(Undecided, match="the zero test does not show"):
        prove_equal(p, "left", "right")


def test_proofs_load_no_heavy_library() -> None:
    code = """
import sys
from symattn.language.builder import AxisDecl, Builder
from symattn.proof import rules
from symattn.proof.kernel import prove_at_sizes, prove_equal
b = Builder()
b.give("x", [AxisDecl("n", "n")])
b.define("left", "log(sum(exp(x)))*softmax(x - max(x))")
b.define("right", "log(sum(exp(x)))*softmax(x)")
prove_equal(b.program(), "left", "right")
prove_at_sizes(b.program(), "left", "right", {"n": 2})
print([m for m in ("sympy", "numpy", "flint", "mpmath") if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
