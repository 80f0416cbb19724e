"""The quadratic form of the derivative of softmax is a variance; that it is never negative is read off."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both(r"$x^\top (\text{diag}(p) - p p^\top) x$ es una varianza", r"$x^\top (\text{diag}(p) - p p^\top) x$ is a variance")
EXAMPLE = {"s": "[0, 1, -1]", "x": "[1, 2, 5]"}
FALSE_TWIN = "x @ (diag(p) - outer(p, p)) @ x == sum(p * x**2) - mu"


def derive() -> Derivation:
    """xᵀ(diag(p) − ppᵀ)x = Σ p_i x_i² − μ² = Σ p_i (x_i − μ)², μ = Σ p_i x_i."""
    chain = Chain("softmax-variance", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("x", "n", "un vector, cualquiera", "any vector")
    chain.define("p", "softmax(s)", "pesos", "weights")
    chain.define("mu", "sum(p * x)", "la media de x con los pesos p", "the mean of x with the weights p")
    chain.part("La forma cuadrática", "The quadratic form")
    chain.start("x @ (diag(p) - outer(p, p)) @ x")
    chain.step("distribute", "x @ diag(p) @ x - x @ outer(p, p) @ x", "es lineal en la matriz", "it is linear in the matrix")
    chain.step(
        "contract the delta",
        "sum(p * x**2) - x @ outer(p, p) @ x",
        "solo quedan los términos con $i = j$",
        "only terms with $i = j$ remain",
    )
    chain.step("rearrange", "sum(p * x**2) - sum(p * x)**2", "el producto se separa en dos sumas", "the product parts into two sums")
    chain.step("definition: mu", "sum(p * x**2) - mu**2", "la suma es $\\mu$", "the sum is $\\mu$")
    chain.part("La varianza", "The variance")
    chain.start("sum(p * (x - mu)**2)")
    chain.step(
        "distribute", "sum(p * x**2) - 2 * mu * sum(p * x) + mu**2 * sum(p)", "el cuadrado de una diferencia", "the square of a difference"
    )
    chain.step("using: sum(p) == 1", "sum(p * x**2) - 2 * mu * sum(p * x) + mu**2", "los pesos suman 1", "the weights sum to 1")
    chain.step("definition: mu", "sum(p * x**2) - 2 * mu * mu + mu**2", "otra vez $\\mu$", "$\\mu$ again")
    chain.step("collect", "sum(p * x**2) - mu**2", "$-2\\mu^2 + \\mu^2$", "$-2\\mu^2 + \\mu^2$")
    return chain.done("x @ (diag(p) - outer(p, p)) @ x == sum(p * x**2) - mu**2; sum(p * (x - mu)**2) == sum(p * x**2) - mu**2")
