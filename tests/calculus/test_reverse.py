"""What a backward pass looks like: its stages, their names, their order; what it refuses; when a maximum needs no derivative."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest
from gradient_cases import CASES, TEXTS, language

from symattn.calculus.adjoint import certify, whole
from symattn.calculus.products import is_arithmetic, product, tree_of
from symattn.calculus.reverse import reverse
from symattn.errors import DomainError, ProgramError, ShapeError, UnsupportedError
from symattn.program.attention import Attention
from symattn.program.ops import Allowed, At, AtMost, Contract, InBlock, Inject, Input, Joint, Map, Paired, Position, Same, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Power, Size, Unary
from symattn.program.slopes import text
from symattn.program.spaces import Axis, Space
from symattn.proof.evidence import StepRejected
from symattn.proof.kernel import prove_equal

N, M = Space("n", "n"), Space("m", "m")
ROW, ROW2, COL = Axis("i", N), Axis("i2", N), Axis("j", M)
X, Y = Stage("x", Input((ROW,))), Stage("y", Input((ROW, COL)))


def written(program: Program, of: str, *wrt: str) -> list[tuple[str, str]]:
    """The backward stages in short: name, and the scalar tree or the uses."""
    gradient = reverse(program, of, list(wrt))
    found = []
    for stage in gradient.program.stages[len(program.stages) :]:
        op = stage.op
        match op:
            case Contract():
                coef = "" if op.coef == Num(F(1)) else f"{text(op.coef)} · "
                where = " where " + ", ".join(type(r).__name__ for r in op.where) if op.where else ""
                over = f" over {', '.join(a.name for a in op.over)}" if op.over else ""
                found.append((stage.name, coef + " ".join(u.stage for u in op.uses) + where + over))
            case Map():
                found.append((stage.name, text(op.scalar)))
            case _:
                found.append((stage.name, "given"))
    return found


# -- attention -------------------------------------------------------------------------------------------------------------------------
def test_attention_reads_like_a_paper() -> None:
    assert written(Attention().program(), "output", "W_Q", "W_K", "W_V", "X") == [
        ("dO", "given"),
        ("dP", "dO values"),
        ("dV", "weights dO"),
        ("dZ.P_sum", "dP weights"),
        ("dZ", "-(dZ.P_sum / row_sums)"),
        ("dE", "(dP / row_sums) + dZ"),
        ("dscaled", "dE exponentials"),
        ("dS", "1 / sqrt(d_k) · dscaled"),
        ("dQ", "dS keys"),
        ("dK", "queries dS"),
        ("dX.V", "dV W_V"),
        ("dW_V", "X dV"),
        ("dX.K", "dK W_K"),
        ("dW_K", "X dK"),
        ("dX.Q", "dQ W_Q"),
        ("dW_Q", "X dQ"),
        ("dX", "(dX.Q + dX.K) + dX.V"),
    ]


def test_letters_are_kept() -> None:
    gradient = reverse(Attention().program(), "output", ["W_Q"])
    letters = {s.name: s.letter for s in gradient.program.stages if s.name.startswith("d")}
    assert letters["dW_Q"] == "dW_Q"
    assert letters["dO"] == "dO"
    assert letters["dscaled"] == letters["dZ.P_sum"] == ""


def test_cross_entropy_is_p_minus_y_before_anything_is_known_of_y() -> None:
    program, of, _ = TEXTS["cross-entropy"]
    assert written(program, of, "s") == [
        ("dloss.1", ""),
        ("dL", "y"),
        ("dZ", "dL / Z"),
        ("dE", "dZ"),
        ("ds", "(dE * E) - y"),
    ]


def test_only_what_leads_to_the_variables_is_written() -> None:
    names = [name for name, _ in written(Attention().program(), "output", "W_V")]
    assert names == ["dO", "dV", "dW_V"]
    names = [name for name, _ in written(Attention().program(), "output", "scores")]
    assert names == ["dO", "dP", "dZ.P_sum", "dZ", "dE", "dscaled", "dS"]


def test_a_variable_may_be_given_by_its_letter_and_be_the_output_itself() -> None:
    program = Attention().program()
    gradient = reverse(program, "O", ["Q", "O"])
    assert gradient.names == {"Q": "dQ", "O": "dO"}
    assert gradient.of == "output"
    own = reverse(program, "output", ["output"])
    assert own.names == {"output": "dO"}
    assert own.obligations == ()


def test_equal_operations_are_written_once() -> None:
    program = language({"x": ("n",), "y": ("n",)}, a="x * y", b="x * y", f="sum(a + b)")
    gradient = reverse(program, "f", ["x", "y"])
    ops = [s.op for s in gradient.program.stages[len(program.stages) :]]
    assert len(ops) == len(set(ops))
    assert gradient.program.evaluate({"x": [2, 3], "y": [5, 7]})[gradient.names["x"]].nested() == [10, 14]


def test_a_shared_cotangent_is_called_after_who_asks() -> None:
    program = language({"x": ("n",), "b": ("n",)}, h="x + b", f="sum(h * h)")
    assert reverse(program, "f", ["x"]).names == {"x": "dx"}
    assert reverse(program, "f", ["b"]).names == {"b": "db"}
    both = reverse(program, "f", ["h", "x"])
    assert both.names["h"] == both.names["x"]


def test_names_that_are_taken_stay_what_they_are() -> None:
    program = language({"x": ("n",), "dx": ("n",)}, f="sum(x * x * dx)")
    gradient = reverse(program, "f", ["x", "dx"])
    assert gradient.names["x"] not in ("x", "dx")
    assert gradient.program.by_name["dx"].op == program.by_name["dx"].op
    values = gradient.program.evaluate({"x": [2, 3], "dx": [5, 7]})
    assert values[gradient.names["x"]].nested() == [20, 42]
    assert values[gradient.names["dx"]].nested() == [4, 9]


def test_an_argument_called_like_the_output_is_not_captured() -> None:
    """The value that a rule writes for the function's own output has a name of its own."""
    tree = Binary("mul", Unary("exp", Arg("y")), Arg("g"))
    program = Program((Stage("a", Input(())), Stage("b", Input(())), Stage("y", Map((), tree, (("y", Use("a")), ("g", Use("b")))))))
    gradient = reverse(program, "y", ["a", "b"])
    values = gradient.program.evaluate({"a": 0, "b": 3})
    assert (values[gradient.names["a"]].entries[0], values[gradient.names["b"]].entries[0]) == (3, 1)


# -- every way of using an operand ------------------------------------------------------------------------------------------------------
PAST, NEW = Space("past", 2), Space("new", 1)
ALL, PAIR = Space("all", blocks=(PAST, NEW)), Space("pair", factors=(N, M))
USES: dict[str, tuple[Stage, Contract, str]] = {
    "renamed": (X, Contract((ROW2,), (Use("x", (ROW2,)),)), "copy"),
    "transposed": (Y, Contract((COL, ROW), (Use("y", (ROW, COL)),)), "turned"),
    "summed": (Y, Contract((ROW,), (Use("y", (ROW, COL)),)), "spread"),
    "spread": (X, Contract((ROW, COL), (Use("x", (ROW,)),)), "summed"),
    "twice": (Stage("z", Input((ROW, ROW2))), Contract((ROW,), (Use("z", (ROW, ROW)),)), "Same"),
    "at a position": (Y, Contract((COL,), (Use("y", (At(N, 1), COL)),)), "AtMost"),
    "in a block": (
        Stage("u", Input((Axis("a", ALL),))),
        Contract((Axis("p", PAST),), (Use("u", (Inject(ALL, "past", Axis("p", PAST)),)),)),
        "InBlock",
    ),
    "as a pair": (Stage("w", Input((Axis("c", PAIR),))), Contract((ROW, COL), (Use("w", (Joint(PAIR, (ROW, COL)),)),)), "Paired"),
    "into a block": (
        Stage("p", Input((Axis("p", PAST),))),
        Contract((Axis("a", ALL),), (Use("p", (Axis("p", PAST),)),), (InBlock(Axis("a", ALL), "past", Axis("p", PAST)),)),
        "InBlock",
    ),
    "into pairs": (Y, Contract((Axis("c", PAIR),), (Use("y", (ROW, COL)),), (Paired(Axis("c", PAIR), (ROW, COL)),)), "Paired"),
}


@pytest.mark.parametrize("case", USES)
def test_every_use_goes_back_the_way_it_came(case: str) -> None:
    given, op, what = USES[case]
    program = Program((given, Stage("f", op)))
    gradient = reverse(program, "f", [given.name])
    certificates = certify(gradient)
    assert [c.evidence.kind for c in certificates] == ["proved-all-sizes"]
    back = gradient.stage(given.name)
    relations = [type(r).__name__ for r in getattr(back.op, "where", ())]
    assert what in ("copy", "turned", "spread", "summed") or what in relations
    assert [a.space for a in back.out] == [a.space for a in given.out]


def test_masks_stay_masks() -> None:
    mask = Stage("seen", Input((COL,), boolean=True))
    masked = Stage("m", Map((ROW, COL), Arg("y"), (("y", Use("y", (ROW, COL))),), (Allowed(Use("seen", (COL,))),)))
    program = Program((Y, mask, masked, Stage("f", Contract((ROW,), (Use("m", (ROW, COL)),)))))
    gradient = reverse(program, "f", ["y"])
    back = gradient.stage("y").op
    assert isinstance(back, Contract)
    assert len(back.where) == 1
    assert isinstance(back.where[0], Allowed)
    values = gradient.program.evaluate({"y": [[1, 2], [3, 4]], "seen": [True, False], "df": [5, 7]})
    assert values[gradient.names["y"]].nested() == [[5, 0], [7, 0]]
    assert len(certify(gradient)) == 2


def test_a_masked_output_takes_only_what_it_has_of_the_upstream() -> None:
    where = (AtMost(COL, ROW, 0),)
    program = Program((Y, Stage("m", Map((ROW, COL), Binary("mul", Arg("y"), Arg("y")), (("y", Use("y", (ROW, COL))),), where))))
    gradient = reverse(program, "m", ["y"], "up")
    values = gradient.program.evaluate({"y": [[1, 2], [3, 4]], "up": [[1, 1], [1, 1]]})
    assert values[gradient.names["y"]].nested() == [[2, 0], [6, 8]]
    assert len(certify(gradient)) == 2


def test_rows_without_entries_divide_nothing() -> None:
    """The gradient of the row sums divides by them where a row has entries, and nowhere else."""
    case = CASES["plain: padding, rows of zeros"]
    gradient = reverse(case.program(), "output", ["X", "W_Q"])
    feeds: dict[str, Any] = {
        "X": [[1, 2], [3, 4]], "W_Q": [[1], [1]], "W_K": [[1], [2]], "W_V": [[2], [1]], "allowed_keys": [False, False], "dO": [[1], [1]],
    }  # fmt: skip
    values = gradient.program.evaluate(feeds)
    assert values["dX"].nested() == [[0, 0], [0, 0]]


def test_a_causal_mask_reads_like_no_mask() -> None:
    plain = [what for _, what in written(Attention().program(), "output", "W_Q")]
    causal = [what.replace(" where AtMost", "") for _, what in written(Attention(mask="causal").program(), "output", "W_Q")]
    assert causal == plain


# -- maxima ----------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("algorithm", ["shifted", "log-domain", "online"])
def test_the_row_maximum_needs_no_derivative(algorithm: str) -> None:
    options = {"blocks": ("b1", "b2")} if algorithm == "online" else {}
    gradient = reverse(Attention().program(algorithm, **options), "output", ["X", "W_Q"])
    assert gradient.hypotheses == ()
    stages = {v.stage for v in gradient.vanishing}
    assert stages == ({"row_max", "row_max_1"} if algorithm == "online" else {"row_max"})
    assert all(v.certificate.evidence.kind == "proved-all-sizes" for v in gradient.vanishing)
    assert not any("argmax" in s.name for s in gradient.program.stages)
    zero = [o for o in gradient.obligations if o.kind == "zero"]
    assert [o.text() for o in zero] == [f"{v.cotangent} = 0" for v in gradient.vanishing]


def test_ties_do_not_matter_where_the_maximum_does_not() -> None:
    feeds: dict[str, Any] = {"X": [[1, 2], [1, 2]], "W_Q": [[1], [1]], "W_K": [[1], [2]], "W_V": [[2], [1]], "dO": [[1], [3]]}
    found = []
    for algorithm in ("plain", "shifted", "log-domain"):
        program = Attention().program(algorithm)
        found.append(reverse(program, "output", ["X"]).program.evaluate(feeds)["dX"].nested())
    assert found[0] == found[1] == found[2]
    assert any(x != 0 for row in found[0] for x in row)


def test_a_maximum_that_matters_keeps_its_hypothesis() -> None:
    program, of, wrt = TEXTS["largest"]
    gradient = reverse(program, of, list(wrt))
    assert gradient.hypotheses == ("m: the maximum of X is attained once",)
    assert gradient.program.evaluate({"X": [[1, 5], [7, 2]]})["dX"].nested() == [[0, 10], [14, 0]]
    with pytest.raises(DomainError, match=r'stage "m\.argmax" at n=1'):
        gradient.program.evaluate({"X": [[1, 5], [7, 7]]})


def test_relu_at_zero_and_absolute_value_at_zero_are_errors() -> None:
    for text_, hypothesis in (("sum(relu(x) * x)", "y.1: x and 0 differ"), ("sum(abs(x) * x)", "y.1: x and -x differ")):
        gradient = reverse(language({"x": ("n",)}, y=text_), "y", ["x"])
        assert gradient.hypotheses == (hypothesis,)
        assert gradient.program.evaluate({"x": [3, -2]})["dx"].nested() == ([6, 0] if "relu" in text_ else [6, 4])
        with pytest.raises(DomainError, match="division by zero"):
            gradient.program.evaluate({"x": [3, 0]})


# -- nothing, constants, several -------------------------------------------------------------------------------------------------------
def test_what_does_not_matter_has_gradient_zero() -> None:
    program = language({"x": ("n",), "z": ("n",)}, f="sum(x * x)")
    gradient = reverse(program, "f", ["z", "x"])
    assert gradient.program.evaluate({"x": [2, 3], "z": [1, 1]})[gradient.names["z"]].nested() == [0, 0]
    assert len(certify(gradient)) == len(gradient.obligations)


def test_a_constant_derivative_is_counted() -> None:
    program = language({"A": ("n", "m"), "c": ()}, f="sum(sum(3 * A - c))")
    gradient = reverse(program, "f", ["A", "c"])
    values = gradient.program.evaluate({"A": [[1, 2, 3], [4, 5, 6]], "c": 7})
    assert values[gradient.names["A"]].nested() == [[3, 3, 3], [3, 3, 3]]
    assert values[gradient.names["c"]].entries[0] == -6
    assert len(certify(gradient)) == len(gradient.obligations)


def test_a_square_is_differentiated_once_and_doubled() -> None:
    program = Program((X, Stage("f", Contract((), (Use("x", (ROW,)), Use("x", (ROW,)))))))
    assert written(program, "f", "x") == [("dx", "2 · x")]


def test_a_gradient_is_a_program_that_can_be_differentiated() -> None:
    program = language({"x": ("n",)}, f="sum(x * x * x)")
    first = reverse(program, "f", ["x"])
    second = reverse(first.program, first.names["x"], ["x"], "v")
    values = second.program.evaluate({"x": [2, 3], "v": [1, 10]})
    assert values[second.names["x"]].nested() == [12, 180]
    assert len(certify(second)) == len(second.obligations)


# -- products of trees -----------------------------------------------------------------------------------------------------------------
def test_products_are_recognised() -> None:
    x, y, z = Arg("x"), Arg("y"), Arg("z")
    found = product(Unary("neg", Binary("div", Binary("mul", x, Num(F(3))), Binary("mul", y, Power(z, F(2))))))
    assert found is not None
    assert (text(found.coef), found.above, found.below) == ("-3", ("x",), ("y", "z", "z"))
    assert product(Binary("div", Size("d"), Power(x, F(-2)))).above == ("x", "x")  # type: ignore[union-attr]
    assert product(Binary("add", x, y)) is None
    assert product(Unary("exp", x)) is None
    assert product(Unary("sqrt", Size("d"))).coef == Unary("sqrt", Size("d"))  # type: ignore[union-attr]
    assert text(tree_of(Num(F(1)), (x, y), (z, z))) == "(x * y) / (z * z)"
    assert is_arithmetic(Binary("div", x, Power(y, F(3))))
    assert not is_arithmetic(Binary("max2", x, y))
    assert is_arithmetic(Unary("log", Num(F(2))))


# -- bad input -------------------------------------------------------------------------------------------------------------------------
def test_names_that_are_not_there() -> None:
    program = Attention(mask="padding").program()
    with pytest.raises(ProgramError, match='the variable "W_q" is not a stage') as caught:
        reverse(program, "output", ["W_q"])
    assert caught.value.next_move == "did you mean W_Q?"
    with pytest.raises(ProgramError, match='the stage "outptu" is not a stage') as caught:
        reverse(program, "outptu", ["X"])
    assert "output" in caught.value.next_move
    with pytest.raises(ProgramError, match="is a mask"):
        reverse(program, "output", ["allowed_keys"])
    with pytest.raises(ProgramError, match="no variable is named"):
        reverse(program, "output", [])
    with pytest.raises(ProgramError, match="no variable is named"):
        reverse(program, "output", "X")
    with pytest.raises(ProgramError, match="holds positions"):
        reverse(Program((Stage("p", Position((ROW,))), Stage("f", Contract((), (Use("p", (ROW,)),))))), "f", ["p"])


def test_an_upstream_that_does_not_fit() -> None:
    with pytest.raises(ShapeError, match=r'the direction "X" is .* but "output" is'):
        reverse(Attention().program(), "output", ["X"], "X")
    found = reverse(language({"x": ("n",)}, f="x * x"), "f", ["x"], "x")
    assert found.program.evaluate({"x": [2, 3]})[found.names["x"]].nested() == [8, 18]


def test_a_letter_of_two_stages_is_not_guessed() -> None:
    stages = (Stage("a", Input(()), "Q"), Stage("b", Input(()), "Q"))
    program = Program((*stages, Stage("f", Map((), Binary("mul", Arg("a"), Arg("b")), (("a", Use("a")), ("b", Use("b")))))))
    with pytest.raises(ProgramError, match='the variable "Q" could be a or b'):
        reverse(program, "f", ["Q"])


def test_a_function_without_a_rule_says_why() -> None:
    program = language({"x": ("n",)}, y="erf(x)")
    with pytest.raises(UnsupportedError, match="erf has no derivative rule"):
        reverse(program, "y", ["x"])


def test_a_gradient_that_leaves_out_a_cotangent_has_no_certificates() -> None:
    gradient = reverse(Attention().program(), "output", ["W_Q"])
    cotangents = {stage: name for stage, name in gradient.cotangents.items() if stage != "scores"}
    with pytest.raises(ProgramError, match='no cotangent of "scores"'):
        certify(replace(gradient, cotangents=cotangents))
    swapped = {**gradient.cotangents, "weights": gradient.cotangents["exponentials"]}
    with pytest.raises(StepRejected):
        certify(replace(gradient, cotangents=swapped))
    with pytest.raises((StepRejected, ProgramError)):
        certify(replace(gradient, names={"W_Q": "W_Q"}, cotangents={**gradient.cotangents, "W_Q": "W_Q"}))


def test_a_gradient_loads_no_numeric_library() -> None:
    code = (
        "import sys; from symattn import Attention; from symattn.calculus.reverse import reverse; "
        "from symattn.calculus.adjoint import certify; "
        "certify(reverse(Attention(mask='causal').program('shifted'), 'output', ['X', 'W_Q'])); "
        "bad = {'numpy', 'sympy', 'flint', 'mpmath', 'ml_dtypes'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_relation_that_is_used_again() -> None:
    """The diagonal of a diagonal matrix."""
    program = Program(
        (X, Stage("d", Contract((ROW, ROW2), (Use("x", (ROW,)),), (Same(ROW, ROW2),))), Stage("f", Contract((), (Use("d", (ROW, ROW)),))))
    )
    gradient = reverse(program, "f", ["x"])
    assert gradient.program.evaluate({"x": [2, 3]})[gradient.names["x"]].nested() == [1, 1]
    assert len(certify(gradient)) == 2


@pytest.mark.parametrize("options", [{}, {"mask": "causal"}, {"heads": "h", "output_projection": True}])
def test_the_definition_in_one_statement(options: dict[str, Any]) -> None:
    """Fully unfolded, with nothing free but inputs: a second proof of what the local obligations say together."""
    gradient = reverse(Attention(**options).program(), "output", ["X", "W_Q", "W_K", "W_V"])
    for name in gradient.names:
        found = whole(gradient, name)
        assert found.text() == f"<upstream, derivative by {name} along v> = <{gradient.names[name]}, v>"
        assert prove_equal(found.program, found.left, found.right).evidence.kind == "proved-all-sizes"
    crossed = replace(gradient, names={**gradient.names, "W_K": gradient.names["W_Q"]})
    # With heads the columns of the two are index sets of their own, so that the mistake does not even fit.
    with pytest.raises((StepRejected, ShapeError)):
        prove_equal((wrong := whole(crossed, "W_K")).program, wrong.left, wrong.right)
