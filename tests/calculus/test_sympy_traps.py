"""Derivatives that SymPy's matrix expressions get wrong, crash on or leave unreadable: here each is right for all sizes, or refused.

The right answer is written as text of the language and proved equal to what the backward pass gives. SymPy itself is asked only for the
derivative of written-out entries, which it does well; what its matrix expressions say depends on its version and is not tested.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
import sympy as sp
from gradient_cases import language

from symattn.calculus.adjoint import certify
from symattn.calculus.gradient import Gradient
from symattn.calculus.jacobian import jacobian
from symattn.calculus.reverse import reverse
from symattn.errors import LanguageError
from symattn.language.builder import AxisDecl, Builder
from symattn.program.ops import Contract, Use
from symattn.program.program import Program, Stage
from symattn.proof.evidence import StepRejected
from symattn.proof.kernel import prove_equal


def answers(givens: Mapping[str, tuple[str, ...]], definitions: Mapping[str, str], wrt: str, answer: str, wrong: str = "") -> Gradient:
    """The gradient of `f`, proved to be `answer` (a text over the same names) for all sizes; `wrong` is refuted."""
    program = language(givens, **definitions)
    gradient = reverse(program, "f", [wrt])
    certify(gradient)
    for text, true in ((answer, True), (wrong, False)):
        if not text:
            continue
        claimed = language(givens, **definitions, claim=text)
        extra = tuple(s for s in claimed.stages if s.name not in program.by_name)
        both = Program((*gradient.program.stages, *extra))
        out = both.by_name["claim"].out
        side = Stage("gradient", Contract(out, (Use(gradient.names[wrt], out),)))
        statement = Program((*both.stages, side))
        if true:
            assert prove_equal(statement, "gradient", "claim").evidence.kind == "proved-all-sizes"
        else:
            with pytest.raises(StepRejected, match="counterexample"):
                prove_equal(statement, "gradient", "claim")
    return gradient


SQUARE = {"X": ("n", "n")}
TRACE = "sum(sum(X * eye(n)))"


def test_log_of_a_sum_of_exponentials_is_not_constant() -> None:
    answers({"x": ("n",)}, {"f": "log(sum(exp(x)))"}, "x", "softmax(x)", wrong="0 * x")


def test_log_and_exp_of_a_trace_are_not_constant() -> None:
    answers(SQUARE, {"t": TRACE, "f": "log(t)"}, "X", "eye(n) / t", wrong="0 * X")
    answers(SQUARE, {"t": TRACE, "f": "exp(t)"}, "X", "f * eye(n)", wrong="0 * X")


def test_a_trace_and_a_constant_and_a_sum_of_traces() -> None:
    answers(SQUARE, {"t": TRACE, "f": "t + 1"}, "X", "eye(n)", wrong="0 * X")
    second = "sum(sum((X @ X) * eye(n)))"
    answers(SQUARE, {"t": TRACE, "u": second, "f": "t + u"}, "X", "eye(n) + 2 * X.T", wrong="eye(n) + 2 * X")


def test_softmax_keeps_its_second_term() -> None:
    """diag(p) - p p', not diag of something: the term that gets lost is the one that makes rows of the derivative sum to 0."""
    program = language({"x": ("n",)}, p="softmax(x)", J="diag(p) - outer(p, p)", D="diag(p)")
    found = jacobian(program, "p", "x")
    assert prove_equal(found.program, found.name, "J").evidence.kind == "proved-all-sizes"
    with pytest.raises(StepRejected, match="counterexample"):
        prove_equal(found.program, found.name, "D")
    values = found.program.symbolic({"n": 3})
    x = values.tensor("x").entries
    at = dict(zip(x, map(sp.Integer, (1, 2, 0)), strict=True))
    first = [sp.N(values.tensor(found.name)[0, j].subs(at), 3) for j in range(3)]
    assert [str(v) for v in first] == ["0.185", "-0.163", "-0.0220"]
    for i in range(3):
        for j in range(3):
            entry = sp.diff(values["p"][i], x[j]) - values.tensor(found.name)[i, j]
            assert abs(sp.N(entry.subs(at), 50)) < sp.Rational(1, 10**40)


ATTENTION = {"Q": ("n", "d"), "K": ("m", "d"), "V": ("m", "e"), "G": ("n", "e")}
PARTS = {"S": "Q @ K.T / sqrt(d)", "E": "exp(S)", "Z": "sum(E)"}


def test_the_unnormalized_product() -> None:
    answers(ATTENTION, {**PARTS, "f": "sum(sum(G * (E @ V)))"}, "Q", "(E * (G @ V.T)) @ K / sqrt(d)", wrong="(E * (G @ V.T)) @ K")


def test_the_normalized_product_by_queries_and_by_values() -> None:
    definitions = {**PARTS, "P": "E / Z", "f": "sum(sum(G * (P @ V)))"}
    weights, row = "P * (G @ V.T)", "sum(P * (G @ V.T))"
    answers(ATTENTION, definitions, "Q", f"(({weights}) - P * ({row})) @ K / sqrt(d)", wrong=f"({weights}) @ K / sqrt(d)")
    answers(ATTENTION, definitions, "V", "P.T @ G", wrong="E.T @ G")
    powers = {**PARTS, "P": "E * Z ** -1", "f": "sum(sum(G * (P @ V)))"}
    answers(ATTENTION, powers, "V", "P.T @ G")


def test_an_exponential_of_a_product_is_readable() -> None:
    program = language({key: ATTENTION[key] for key in ("Q", "K")}, **{k: PARTS[k] for k in ("S", "E")})
    found = jacobian(program, "E", "Q")
    text = str(found.program).splitlines()[-1]
    assert len(text) < 80
    assert len(found.program.stages) < 10


def test_the_determinant_is_refused() -> None:
    builder = Builder()
    builder.give("X", [AxisDecl("n", "n"), AxisDecl("n", "n")])
    with pytest.raises(LanguageError, match="det"):
        builder.define("f", "log(det(X))")


def test_functions_of_products_differentiate() -> None:
    answers({"M": ("n", "m"), "x": ("m",)}, {"y": "M @ x", "f": "sum(tanh(y))"}, "x", "(1 - tanh(y) ** 2) @ M", wrong="(1 - tanh(y)) @ M")
