"""Rows of softmax sum to one and are positive."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both("Las filas de softmax son positivas y suman 1", "The rows of softmax are positive and sum to 1")
EXAMPLE = {"S": "[[0, 1], [2, -1]]"}
FALSE_TWIN = "sum(P, axis=0) == 1"


def derive() -> Derivation:
    """Σ_j P_ij = 1 and P_ij > 0."""
    chain = Chain("softmax-rows", TITLE.es, TITLE.en)
    chain.given("S", "n, m", "puntajes", "scores")
    chain.define("E", "exp(S)", "exponenciales", "exponentials")
    chain.define("Z", "sum(E)", "suma de cada fila", "sum of each row")
    chain.define("P", "E / Z", "pesos", "weights")
    chain.start("sum(P)")
    chain.step("definition: P", "sum(E / Z)", "los pesos son exponenciales divididas", "weights are exponentials, divided")
    chain.step("rearrange", "sum(E) / Z", "$Z$ no depende de la columna", "$Z$ does not depend on the column")
    chain.step("definition: Z", "sum(E) / sum(E)", "$Z$ es justamente esa suma", "$Z$ is just that sum")
    chain.step("cancel", "1", "una suma de exponenciales no es 0", "a sum of exponentials is not 0")
    chain.start("P")
    chain.step("positive", "0", "exponenciales divididas por una suma de exponenciales", "exponentials, divided by a sum of exponentials")
    return chain.done("sum(P) == 1; P > 0")
