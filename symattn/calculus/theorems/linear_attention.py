"""Linear attention is a reordering of the products; under a causal mask it is a recurrence with a state of fixed size. Features
are given.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("La atención lineal es un reordenamiento", "Linear attention is a reordering")
EXAMPLE = {"F": "[[1, 2], [2, 1], [1, 3]]", "G": "[[1, 1], [2, 1], [3, 1]]", "V": "[[1, 2], [3, -1], [0, 1]]"}
FALSE_TWIN = "causal_part(F @ G.T) @ V == F @ (G.T @ V)"


def derive() -> Derivation:
    """(F Gᵀ) V = F (Gᵀ V), and F (Gᵀ 1) for the divisor: n² r work becomes n r d. Causal: Y_i = F_i M_i with M_i = Σ_{j ≤ i} G_jᵀ V_j."""
    chain = Chain("linear-attention", TITLE.es, TITLE.en)
    chain.given("F", "n, r", "características de las consultas", "features of the queries")
    chain.given("G", "n, r", "características de las claves", "features of the keys")
    chain.given("V", "n, d_v", "valores", "values")
    chain.define("A", "F @ G.T", "todos los pesos, sin dividir", "all weights, undivided")
    chain.define("Z", "sum(A)", "sus sumas", "their sums")
    chain.define("M", "G.T @ V", "el estado, $r$ por $d_v$", "the state, $r$ by $d_v$")
    chain.define("g", "sum(G, axis=0)", "la suma de las claves", "the sum of the keys")
    chain.define(
        "M_t",
        "entries(sum_over(G[j,a] * V[j,c], if_atmost(j, i, 0), j=n), i=n, a=r, c=d_v)",
        "el estado después del token $i$",
        "the state after token $i$",
    )
    chain.part("La mezcla", "The mix")
    chain.start("A @ V")
    chain.step("definition: A", "(F @ G.T) @ V", "todos los pares", "all pairs")
    chain.step("rearrange", "F @ (G.T @ V)", "primero las claves con los valores", "keys with values first")
    chain.step("definition: M", "F @ M", "el estado", "the state")
    chain.part("El divisor", "The divisor")
    chain.start("Z")
    chain.step("definition: Z, A", "sum(F @ G.T)", "la suma de cada fila", "the sum of each row")
    chain.step("rearrange", "F @ sum(G, axis=0)", "la suma entra en el producto", "the sum goes into the product")
    chain.step("definition: g", "F @ g", "la suma de las claves", "the sum of the keys")
    chain.part("Con máscara causal", "With a causal mask")
    chain.start("causal_part(A) @ V")
    chain.step("definition: A", "causal_part(F @ G.T) @ V", "solo los pares con $j \\le i$", "only pairs with $j \\le i$")
    chain.step(
        "rearrange",
        "entries(sum_over(F[i,a] * sum_over(G[j,a] * V[j,c], if_atmost(j, i, 0), j=n), a=r), i=n, c=d_v)",
        "primero sobre los tokens hasta $i$",
        "over the tokens up to $i$ first",
    )
    chain.step(
        "definition: M_t",
        "entries(sum_over(F[i,a] * M_t[i,a,c], a=r), i=n, c=d_v)",
        "el estado en el momento $i$",
        "the state at moment $i$",
    )
    chain.part("El estado crece sumando", "The state grows by adding")
    chain.start("M_t")
    chain.step(
        "definition: M_t",
        "entries(sum_over(G[j,a] * V[j,c], if_atmost(j, i, 0), j=n), i=n, a=r, c=d_v)",
        "lo que el estado es",
        "what the state is",
    )
    chain.step(
        "distribute",
        "entries(sum_over(G[j,a] * V[j,c], if_atmost(j, i, -1), j=n), i=n, a=r, c=d_v) + entries(G[i,a] * V[i,c], i=n, a=r, c=d_v)",
        "lo de antes de $i$, y lo que $i$ trae",
        "what was before $i$, and what $i$ brings",
    )
    return chain.done()
