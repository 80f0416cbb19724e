"""The derivative of softmax vanishes on constants only, so its rank is n − 1: every vector is written with its image and a constant."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both(
    "La derivada de softmax solo se anula en las constantes: su rango es $n - 1$",
    "The derivative of softmax vanishes on constants only: its rank is $n - 1$",
)
EXAMPLE = {"s": "[0, 1, -1]", "x": "[1, 2, 5]"}
FALSE_TWIN = "sum_over((J @ G)[i,i], i=n) == n"


def derive() -> Derivation:
    """x = G J x + (pᵀx) 1 with G = diag(1/p): J x = 0 makes x constant. J G J = J, and the trace of J G = I − p 1ᵀ, its rank, is n − 1."""
    chain = Chain("softmax-rank", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("x", "n", "un vector, cualquiera", "any vector")
    chain.define("p", "softmax(s)", "pesos", "weights")
    chain.define("J", "diag(p) - outer(p, p)", "la derivada de softmax", "the derivative of softmax")
    chain.define("G", "diag(1 / p)", "una inversa generalizada de $J$", "a generalised inverse of $J$")
    chain.part("La imagen de un vector", "The image of a vector")
    chain.start("J @ x")
    chain.step("definition: J", "(diag(p) - outer(p, p)) @ x", "lo que $J$ es", "what $J$ is")
    chain.step("distribute", "diag(p) @ x - outer(p, p) @ x", "es lineal en la matriz", "it is linear in the matrix")
    chain.step(
        "contract the delta",
        "p * x - outer(p, p) @ x",
        "una diagonal multiplica entrada por entrada",
        "a diagonal multiplies entry by entry",
    )
    chain.step("rearrange", "p * x - p * sum(p * x)", "$p_i$ sale de la suma", "$p_i$ leaves the sum")
    chain.step("collect", "p * (x - sum(p * x))", "factor común", "a common factor")
    chain.part("Cada vector, con su imagen y una constante", "Every vector, with its image and a constant")
    chain.start("(J @ x) / p + sum(p * x)")
    chain.step("using: part 1", "p * (x - sum(p * x)) / p + sum(p * x)", "la imagen de arriba", "the image above")
    chain.step("cancel", "x - sum(p * x) + sum(p * x)", "los pesos no son 0", "the weights are not 0")
    chain.step("collect", "x", "una constante que se resta y se suma", "a constant taken away and added")
    _inverse(chain)
    _trace(chain)
    return chain.done()


def _inverse(chain: Chain) -> None:
    chain.part("$J G$ es una proyección", "$J G$ is a projection")
    chain.start("J @ G")
    chain.step("definition: J, G", "(diag(p) - outer(p, p)) @ diag(1 / p)", "lo que $J$ y $G$ son", "what $J$ and $G$ are")
    chain.step("cancel", "eye(n) - outer(p, ones(n))", "$p_j / p_j = 1$", "$p_j / p_j = 1$")
    chain.part("$G$ es una inversa generalizada", "$G$ is a generalised inverse")
    chain.start("J @ G @ J")
    chain.step("using: part 3", "(eye(n) - outer(p, ones(n))) @ J", "lo de arriba", "the product above")
    chain.step("distribute", "eye(n) @ J - outer(p, ones(n)) @ J", "es lineal en la matriz", "it is linear in the matrix")
    chain.step("contract the delta", "J - outer(p, ones(n)) @ J", "la identidad", "the identity")
    chain.step(
        "using: ones(n) @ J == 0", "J", "las columnas de $J$ suman 0 (softmax-jacobian)", "the columns of $J$ sum to 0 (softmax-jacobian)"
    )


def _trace(chain: Chain) -> None:
    chain.part("La traza de la proyección es su rango", "The trace of the projection is its rank")
    chain.start("sum_over((J @ G)[i,i], i=n)")
    chain.step("using: part 3", "sum_over((eye(n) - outer(p, ones(n)))[i,i], i=n)", "la proyección", "the projection")
    chain.step("contract the delta", "n - sum(p)", "en la diagonal, $1 - p_i$", "on the diagonal, $1 - p_i$")
    chain.step("using: sum(p) == 1", "n - 1", "los pesos suman 1", "the weights sum to 1")
