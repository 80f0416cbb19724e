"""Under a causal mask the weights of later tokens are exactly 0 and each row still sums to one. On what the output depends:
causal-independence.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both(
    "La máscara causal: pesos futuros exactamente 0, filas que suman 1", "The causal mask: future weights exactly 0, rows that sum to 1"
)
EXAMPLE = {"Q": "[[1, 0], [2, 1], [0, -1]]", "K": "[[1, 1], [0, 2], [-1, 1]]", "V": "[[1, 2], [3, -1], [0, 1]]"}
FALSE_TWIN = "sum(P, axis=0) == 1"


def derive() -> Derivation:
    """P_ij = [j ≤ i] e^{S_ij} / Z_i with Z_i = Σ_{j ≤ i} e^{S_ij} > 0: the token itself is always there, so no row is empty."""
    chain = Chain("causal-mask", TITLE.es, TITLE.en)
    chain.given("Q", "n, d_k", "consultas", "queries")
    chain.given("K", "n, d_k", "claves", "keys")
    chain.given("V", "n, d_v", "valores", "values")
    chain.define("S", "Q @ K.T / sqrt(d_k)", "puntajes", "scores")
    chain.define(
        "E", "causal_part(exp(S))", "exponenciales; más allá de la diagonal no hay", "exponentials; beyond the diagonal there are none"
    )
    chain.define("Z", "sum(E)", "suma de cada fila", "sum of each row")
    chain.define("P", "E / Z", "pesos", "weights")
    chain.part("Las filas suman 1", "The rows sum to 1")
    chain.start("sum(P)")
    chain.step("definition: P", "sum(E / Z)", "cada peso es un cociente", "each weight is a quotient")
    chain.step("rearrange", "sum(E) / Z", "$Z_i$ no depende de la columna", "$Z_i$ does not depend on the column")
    chain.step("definition: Z", "Z / Z", "la suma de la fila", "the sum of the row")
    chain.step("cancel", "1", "$Z_i > 0$: cada token se ve a sí mismo", "$Z_i > 0$: each token sees itself")
    chain.part("El futuro no pesa", "The future weighs nothing")
    chain.start("entries(P[i,j], if_atmost(i, j, -1), i=n, j=n)")
    chain.step("definition: P", "entries((E / Z)[i,j], if_atmost(i, j, -1), i=n, j=n)", "para $j > i$", "for $j > i$")
    chain.step("definition: E", "entries((causal_part(exp(S)) / Z)[i,j], if_atmost(i, j, -1), i=n, j=n)", "lo que $E$ es", "what $E$ is")
    chain.step(
        "cancel",
        "0",
        "$j \\le i$ y $j > i$ no se dan a la vez: la exponencial no está, no es pequeña",
        "$j \\le i$ and $j > i$ never hold at once: the exponential is absent, not small",
    )
    chain.part("La salida", "The output")
    chain.start("P @ V")
    chain.step("definition: P", "(E / Z) @ V", "pesos por valores", "weights times values")
    chain.step("definition: E", "(causal_part(exp(S)) / Z) @ V", "lo que $E$ es", "what $E$ is")
    chain.step(
        "rearrange",
        "entries(sum_over(exp(S)[i,j] * V[j,c] / Z[i], if_atmost(j, i, 0), j=n), i=n, c=d_v)",
        "la suma va solo sobre $j \\le i$",
        "the sum goes over $j \\le i$ only",
    )
    return chain.done()
