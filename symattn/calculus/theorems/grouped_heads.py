"""Grouped queries are heads with tied keys: the same scores, and the gradient by the shared keys is the sum over the heads of the
group.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("Consultas agrupadas: cabezas con claves atadas", "Grouped queries: heads with tied keys")
EXAMPLE = {
    "Q": "[[1, 0], [2, 1]]; [[0, 1], [1, 1]]",
    "K": "[[1, 1], [0, 2]]; [[2, 0], [1, 3]]",
    "G": "[[1, 2], [0, 1]]; [[3, 1], [1, 1]]",
    "K_dot": "[[1, 0], [2, 2]]; [[0, 1], [1, 0]]",
}
FALSE_TWIN = "sum(sum(sum(G * derivative(S, K, K_dot)))) == sum(sum(sum(D * K_dot))) / r"


def derive() -> Derivation:
    """Each of r heads of group g reads T_gr = K_g. With gradient G by the scores, dK_gj = Σ_r G_grj q_gr; multi-query attention is one
    group.
    """
    chain = Chain("grouped-heads", TITLE.es, TITLE.en)
    chain.given("Q", "g, r, d_k", "una consulta por cabeza: grupos por cabezas", "one query a head: groups by heads")
    chain.given("K", "g, m, d_k", "claves, una vez por grupo", "keys, once a group")
    chain.given("G", "g, r, m", "el gradiente por los puntajes", "the gradient by the scores")
    chain.given("K_dot", "g, m, d_k", "una dirección de las claves, cualquiera", "any direction of the keys")
    chain.define(
        "T",
        "entries(K[k,j,c], k=g, l=r, j=m, c=d_k)",
        "claves atadas: las mismas en cada cabeza del grupo",
        "tied keys: the same in each head of the group",
    )
    chain.define(
        "F",
        "entries(sum_over(Q[k,l,c] * T[k,l,j,c], c=d_k), k=g, l=r, j=m)",
        "puntajes, con una copia por cabeza",
        "scores, with a copy for each head",
    )
    chain.define(
        "S",
        "entries(sum_over(Q[k,l,c] * K[k,j,c], c=d_k), k=g, l=r, j=m)",
        "puntajes, con las claves del grupo",
        "scores, with the keys of the group",
    )
    chain.define(
        "D",
        "entries(sum_over(G[k,l,j] * Q[k,l,c], l=r), k=g, j=m, c=d_k)",
        "suma sobre las cabezas del grupo",
        "sum over the heads of the group",
    )
    chain.part("Los mismos puntajes", "The same scores")
    chain.start("F")
    chain.step("definition: F", "entries(sum_over(Q[k,l,c] * T[k,l,j,c], c=d_k), k=g, l=r, j=m)", "lo que $F$ es", "what $F$ is")
    chain.step(
        "definition: T",
        "entries(sum_over(Q[k,l,c] * K[k,j,c], c=d_k), k=g, l=r, j=m)",
        "cada cabeza lee las claves de su grupo",
        "each head reads the keys of its group",
    )
    chain.step("definition: S", "S", "lo que $S$ es", "what $S$ is")
    chain.part("El gradiente por las claves", "The gradient by the keys")
    chain.start("sum(sum(sum(G * derivative(S, K, K_dot))))")
    chain.step(
        "definition: S",
        "sum(sum(sum(G * derivative(entries(sum_over(Q[k,l,c] * K[k,j,c], c=d_k), k=g, l=r, j=m), K, K_dot))))",
        "lo que se deriva",
        "what is differentiated",
    )
    chain.step(
        "chain rule",
        "sum(sum(sum(G * entries(sum_over(Q[k,l,c] * K_dot[k,j,c], c=d_k), k=g, l=r, j=m))))",
        "es lineal en $K$",
        "it is linear in $K$",
    )
    chain.step(
        "rearrange",
        "sum(sum(sum(entries(sum_over(G[k,l,j] * Q[k,l,c], l=r), k=g, j=m, c=d_k) * K_dot)))",
        "la dirección queda sola: las cabezas se suman",
        "the direction is left alone: the heads add up",
    )
    chain.step(
        "definition: D", "sum(sum(sum(D * K_dot)))", "el gradiente por las claves del grupo", "the gradient by the keys of the group"
    )
    return chain.done()
