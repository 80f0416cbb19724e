"""The derivative of softmax stretches no vector by more than 1/2: it is symmetric, and its form says so. The example attains it."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both(r"La norma de la derivada de softmax es a lo más $1/2$", r"The norm of the derivative of softmax is at most $1/2$")
EXAMPLE = {"s": "[0, 0]", "x": "[1, -1]"}
FALSE_TWIN = "x @ J @ x <= sum(x**2) / 8"


def derive() -> Derivation:
    """½ xᵀx − xᵀJx = 2 Σ (p_i − ½)² x_i² + ½ Σ_{i≠j} p_i p_j (x_i + x_j)² ≥ 0.

    It is 0 for x ≠ 0 only where n = 2 and p = (½, ½): x_i = −x_j for every pair makes x = 0 when n ≥ 3. There the bound is approached:
    x = (1, −1, 0, …) has xᵀx = 2 and xᵀJx = 2p when two weights are p, and p tends to ½ when the other scores fall (softmax-cold)."""
    chain = Chain("softmax-norm", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("x", "n", "un vector, cualquiera", "any vector")
    chain.define("p", "softmax(s)", "pesos", "weights")
    chain.define("J", "diag(p) - outer(p, p)", "la derivada de softmax", "the derivative of softmax")
    chain.define(
        "M",
        "entries(p[i] * p[j] * (x[i] + x[j])**2, if_atmost(j, i, -1), i=n, j=n) + "
        "entries(p[i] * p[j] * (x[i] + x[j])**2, if_atmost(i, j, -1), i=n, j=n)",
        "los pares con $j < i$ y con $i < j$",
        "the pairs with $j < i$ and with $i < j$",
    )
    _pairs(chain)
    _gap(chain)
    chain.part("La cota", "The bound")
    chain.start("x @ J @ x")
    chain.step(
        "at most: 2 * sum((p - 1/2)**2 * x**2) + sum(sum(M)) / 2 | part 2",
        "sum(x**2) / 2",
        "la diferencia es una suma de cuadrados con pesos",
        "the difference is a sum of squares with weights",
    )
    return chain.done()


def _pairs(chain: Chain) -> None:
    chain.part("Los pares distintos son todos menos la diagonal", "The different pairs are all but the diagonal")
    chain.start("M")
    chain.step(
        "definition: M",
        "entries(p[i] * p[j] * (x[i] + x[j])**2, if_atmost(j, i, -1), i=n, j=n) + "
        "entries(p[i] * p[j] * (x[i] + x[j])**2, if_atmost(i, j, -1), i=n, j=n)",
        "lo que $M$ es",
        "what $M$ is",
    )
    chain.step(
        "distribute",
        "entries(p[i] * p[j] * (x[i] + x[j])**2, i=n, j=n) - 4 * diag(p**2 * x**2)",
        "en la diagonal, $(x_i + x_i)^2 = 4 x_i^2$",
        "on the diagonal, $(x_i + x_i)^2 = 4 x_i^2$",
    )


def _gap(chain: Chain) -> None:
    chain.part("La diferencia", "The difference")
    chain.start("2 * sum((p - 1/2)**2 * x**2) + sum(sum(M)) / 2")
    chain.step(
        "using: part 1",
        "2 * sum((p - 1/2)**2 * x**2) + sum(sum(entries(p[i] * p[j] * (x[i] + x[j])**2, i=n, j=n) - 4 * diag(p**2 * x**2))) / 2",
        "los pares de arriba",
        "the pairs above",
    )
    chain.step(
        "contract the delta",
        "2 * sum((p - 1/2)**2 * x**2) + sum_over(p[i] * p[j] * (x[i] + x[j])**2, i=n, j=n) / 2 - 2 * sum(p**2 * x**2)",
        "solo queda la diagonal",
        "only the diagonal remains",
    )
    chain.step(
        "distribute",
        "sum(x**2) / 2 - 2 * sum(p * x**2) + sum(p) * sum(p * x**2) + sum(p * x)**2",
        "cada cuadrado",
        "each square",
    )
    chain.step(
        "using: sum(p) == 1",
        "sum(x**2) / 2 - 2 * sum(p * x**2) + sum(p * x**2) + sum(p * x)**2",
        "los pesos suman 1",
        "the weights sum to 1",
    )
    chain.step("collect", "sum(x**2) / 2 - (sum(p * x**2) - sum(p * x)**2)", "términos iguales", "equal terms")
    chain.step(
        "using: x @ J @ x == sum(p * x**2) - sum(p * x)**2",
        "sum(x**2) / 2 - x @ J @ x",
        "la forma cuadrática es una varianza (softmax-variance)",
        "the quadratic form is a variance (softmax-variance)",
    )
