"""Row sums of dP ⊙ P need no weights: they are those of dO ⊙ O."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "backward"
TITLE = Both("Las sumas por fila salen de la salida", "The row sums come from the output")
EXAMPLE = {"P": "[[1/2, 1/2], [1/4, 3/4]]", "V": "[[1, 2], [3, 5]]", "dO": "[[1, -1], [2, 0]]"}
FALSE_TWIN = "sum(dP * P, axis=0) == sum(V * V)"


def derive() -> Derivation:
    """Σ_j dP_ij P_ij = Σ_c dO_ic O_ic."""
    chain = Chain("backward-row-sums", TITLE.es, TITLE.en)
    chain.given("P", "n, m", "pesos", "weights")
    chain.given("V", "m, d_v", "valores", "values")
    chain.given("dO", "n, d_v", "el gradiente que llega a la salida", "the gradient that reaches the output")
    chain.define("O", "P @ V", "salida", "output")
    chain.define("dP", "dO @ V.T", "el gradiente por los pesos", "the gradient by the weights")
    chain.start("sum(dP * P)")
    chain.step("definition: dP", "sum(dO @ V.T * P)", "el gradiente por los pesos", "the gradient by the weights")
    chain.step("rearrange", "sum(dO * (P @ V))", "se suma primero sobre las claves", "the keys are summed first")
    chain.step("definition: O", "sum(dO * O)", "la suma sobre las claves es la salida", "the sum over the keys is the output")
    return chain.done("sum(dP * P) == sum(dO * O)")
