"""Where the entries of q, and those of k, are all equal, the variance of their dot product is the square of the length.

Each entry still has mean 0 and variance 1: this is what "not correlated" is for in scaling-variance. Finite random vectors, as there."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "scaling"
TITLE = Both(
    r"Con entradas correlacionadas la varianza de $q \cdot k$ es $d^2$", r"With correlated entries the variance of $q \cdot k$ is $d^2$"
)
EXAMPLE = {"w": "[1/2, 1/2]", "q": "[[1, 1, 1], [-1, -1, -1]]", "v": "[1/2, 1/2]", "k": "[[1, 1, 1], [-1, -1, -1]]"}
FALSE_TWIN = "V == sum_over(A[i,i] * B[i,i], i=d) - sum(m * n)**2"


def derive() -> Derivation:
    """E[q] = 0 and E[q_i q_j] = E[k_i k_j] = 1 for all i and j, equal or not: Var(q·k) = d², and d after dividing by √d."""
    chain = Chain("scaling-correlated", TITLE.es, TITLE.en)
    chain.given("w", "a", "probabilidades de los valores de $q$", "probabilities of the values of $q$")
    chain.given("q", "a, d", "los valores de $q$, uno por fila", "the values of $q$, one a row")
    chain.given("v", "b", "probabilidades de los valores de $k$", "probabilities of the values of $k$")
    chain.given("k", "b, d", "los valores de $k$, uno por fila", "the values of $k$, one a row")
    chain.define("S", "q @ k.T", "los productos punto", "the dot products")
    chain.define("m", "w @ q", "la media de $q$", "the mean of $q$")
    chain.define("n", "v @ k", "la media de $k$", "the mean of $k$")
    chain.define("A", "q.T @ (w * q)", "los segundos momentos de $q$", "the second moments of $q$")
    chain.define("B", "k.T @ (v * k)", "los segundos momentos de $k$", "the second moments of $k$")
    chain.define("V", "w @ S**2 @ v - (w @ S @ v)**2", "la varianza de $q \\cdot k$", "the variance of $q \\cdot k$")
    for text in ("m == 0", "A == ones(d, d)", "B == ones(d, d)"):
        chain.suppose(text)
    chain.part("La varianza, con cualesquiera momentos", "The variance, with any moments")
    chain.start("V")
    chain.step("definition: V, S", "w @ (q @ k.T)**2 @ v - (w @ (q @ k.T) @ v)**2", "lo que $V$ es", "what $V$ is")
    chain.step(
        "rearrange",
        "sum(sum(q.T @ (w * q) * (k.T @ (v * k)))) - sum(w @ q * (v @ k))**2",
        "$q$ y $k$ son independientes: cada promedio queda con lo suyo",
        "$q$ and $k$ are independent: each mean keeps what is its own",
    )
    chain.step("definition: A, B, m, n", "sum(sum(A * B)) - sum(m * n)**2", "los momentos", "the moments")
    chain.part("Con entradas iguales", "With equal entries")
    chain.start("V")
    chain.step("using: part 1", "sum(sum(A * B)) - sum(m * n)**2", "la forma de arriba", "the form above")
    chain.step("supposing: m == 0", "sum(sum(A * B))", "la media de $q$ es 0", "the mean of $q$ is 0")
    chain.step("supposing: A == ones(d, d)", "sum(sum(B))", "las entradas de $q$ son iguales", "the entries of $q$ are equal")
    chain.step("supposing: B == ones(d, d)", "d**2", "las de $k$ también: $d^2$ unos", "those of $k$ as well: $d^2$ ones")
    return chain.done()
