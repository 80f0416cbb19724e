"""The quadratic form of the derivative of softmax, as a sum over pairs. Where it vanishes is a theorem of its own (softmax-rank)."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both(
    r"$x^\top (\text{diag}(p) - p p^\top) x$ es una suma de cuadrados, y nunca negativa",
    r"$x^\top (\text{diag}(p) - p p^\top) x$ is a sum of squares, never negative",
)
EXAMPLE = {"s": "[0, 1, -1]", "x": "[1, 2, 5]"}
FALSE_TWIN = "x @ J @ x == sum_over(p[i] * p[j] * (x[i] - x[j])**2, i=n, j=n)"


def derive() -> Derivation:
    """xᵀJx = ½ Σ_ij p_i p_j (x_i − x_j)² ≥ 0."""
    chain = Chain("softmax-semidefinite", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("x", "n", "un vector, cualquiera", "any vector")
    chain.define("p", "softmax(s)", "pesos", "weights")
    chain.define("J", "diag(p) - outer(p, p)", "la derivada de softmax", "the derivative of softmax")
    chain.start("x @ J @ x")
    chain.step("definition: J", "x @ (diag(p) - outer(p, p)) @ x", "lo que $J$ es", "what $J$ is")
    chain.step("distribute", "x @ diag(p) @ x - x @ outer(p, p) @ x", "es lineal en la matriz", "it is linear in the matrix")
    chain.step(
        "contract the delta",
        "sum(p * x**2) - x @ outer(p, p) @ x",
        "solo quedan los términos con $i = j$",
        "only terms with $i = j$ remain",
    )
    chain.step("rearrange", "sum(p * x**2) - sum(p * x)**2", "el producto se separa en dos sumas", "the product parts into two sums")
    chain.step(
        "using: sum(p) == 1",
        "sum(p) * sum(p * x**2) - sum(p * x)**2",
        "los pesos suman 1: un factor que se puede poner",
        "the weights sum to 1: a factor that may be put in",
    )
    chain.step(
        "collect",
        "sum_over(p[i] * p[j] * (x[i] - x[j])**2, i=n, j=n) / 2",
        "en cada par, $x_i^2 + x_j^2 - 2 x_i x_j$; los dos cuadrados dan lo mismo al cambiar $i$ por $j$",
        "in each pair, $x_i^2 + x_j^2 - 2 x_i x_j$; both squares give the same when $i$ and $j$ change places",
    )
    chain.start("x @ J @ x")
    chain.step("using: part 1", "sum_over(p[i] * p[j] * (x[i] - x[j])**2, i=n, j=n) / 2", "la suma de arriba", "the sum above")
    chain.step("nonnegative", "0", "cuadrados por pesos positivos", "squares times positive weights")
    return chain.done()
