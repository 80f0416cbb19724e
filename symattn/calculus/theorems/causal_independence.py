"""Causal attention does not depend on later tokens: put anything in their place, and each row stays as it was."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("La salida causal no depende de los tokens posteriores", "The causal output does not depend on later tokens")
EXAMPLE = {
    "Q": "[[1, 0], [2, 1], [0, -1]]",
    "K": "[[1, 1], [0, 2], [-1, 1]]",
    "V": "[[1, 2], [3, -1], [0, 1]]",
    "L": "[[5, 1], [7, 2], [3, 1]]",
    "W": "[[9, 2], [4, 4], [8, 1]]",
}
FALSE_TWIN = "softmax(T) == softmax(S)"


def derive() -> Derivation:
    """Row i reads H_ij = K_j for j ≤ i and L_j, anything, for j > i, and values likewise. Scores with j ≤ i are the same, the others
    are never read.
    """
    chain = Chain("causal-independence", TITLE.es, TITLE.en)
    chain.given("Q", "n, d_k", "consultas", "queries")
    chain.given("K", "n, d_k", "claves", "keys")
    chain.given("V", "n, d_v", "valores", "values")
    chain.given("L", "n, d_k", "otras claves, cualesquiera", "other keys, any")
    chain.given("W", "n, d_v", "otros valores, cualesquiera", "other values, any")
    chain.define(
        "H",
        "entries(K[j,c], if_atmost(j, i, 0), i=n, j=n, c=d_k) + entries(L[j,c], if_atmost(i, j, -1), i=n, j=n, c=d_k)",
        "para la fila $i$: las claves hasta $i$, después otras",
        "for row $i$: the keys up to $i$, others after it",
    )
    chain.define(
        "U",
        "entries(V[j,c], if_atmost(j, i, 0), i=n, j=n, c=d_v) + entries(W[j,c], if_atmost(i, j, -1), i=n, j=n, c=d_v)",
        "para la fila $i$: los valores hasta $i$, después otros",
        "for row $i$: the values up to $i$, others after it",
    )
    chain.define("S", "entries(sum_over(Q[i,c] * K[j,c], c=d_k) / sqrt(d_k), i=n, j=n)", "puntajes", "scores")
    chain.define(
        "T",
        "entries(sum_over(Q[i,c] * H[i,j,c], c=d_k) / sqrt(d_k), i=n, j=n)",
        "puntajes con los otros tokens",
        "scores with the other tokens",
    )
    chain.define("E", "causal_part(exp(S))", "exponenciales", "exponentials")
    chain.define("D", "causal_part(exp(T))", "exponenciales con los otros tokens", "exponentials with the other tokens")
    chain.define("P", 'softmax(S, mask="causal")', "pesos", "weights")
    chain.define("R", 'softmax(T, mask="causal")', "pesos con los otros tokens", "weights with the other tokens")
    chain.define("O", "P @ V", "salida", "output")
    chain.define(
        "Y", "entries(sum_over(R[i,j] * U[i,j,c], j=n), i=n, c=d_v)", "salida con los otros tokens", "output with the other tokens"
    )
    chain.part("Los puntajes que se leen", "The scores that are read")
    chain.start("causal_part(T)")
    chain.step(
        "definition: T", "causal_part(entries(sum_over(Q[i,c] * H[i,j,c], c=d_k) / sqrt(d_k), i=n, j=n))", "lo que $T$ es", "what $T$ is"
    )
    chain.step(
        "using: H == entries(K[j,c], if_atmost(j, i, 0), i=n, j=n, c=d_k) + entries(L[j,c], if_atmost(i, j, -1), i=n, j=n, c=d_k)",
        "causal_part(entries(sum_over(Q[i,c] * K[j,c], c=d_k) / sqrt(d_k), i=n, j=n))",
        "para $j \\le i$ queda $K_j$",
        "for $j \\le i$ what remains is $K_j$",
    )
    chain.step("definition: S", "causal_part(S)", "lo que $S$ es", "what $S$ is")
    chain.part("Las exponenciales que se leen", "The exponentials that are read")
    chain.start("D")
    chain.step("definition: D", "causal_part(exp(T))", "lo que $D$ es", "what $D$ is")
    chain.step(
        "exponential law",
        "causal_part(exp(causal_part(T)))",
        "más allá de la diagonal no se lee nada",
        "beyond the diagonal nothing is read",
    )
    chain.step("using: part 1", "causal_part(exp(causal_part(S)))", "los mismos puntajes", "the same scores")
    chain.step("exponential law", "causal_part(exp(S))", "otra vez sin decirlo", "without saying it again")
    chain.step("definition: E", "E", "lo que $E$ es", "what $E$ is")
    chain.part("Los pesos", "The weights")
    chain.start("R")
    chain.step("definition: R", 'softmax(T, mask="causal")', "lo que $R$ es", "what $R$ is")
    chain.step("function: softmax", "causal_part(exp(T)) / sum(causal_part(exp(T)))", "softmax con máscara", "softmax with a mask")
    chain.step("definition: D", "D / sum(D)", "las exponenciales que hay", "the exponentials that are there")
    chain.step("using: part 2", "E / sum(E)", "son las mismas", "they are the same")
    chain.step("definition: E", "causal_part(exp(S)) / sum(causal_part(exp(S)))", "lo que $E$ es", "what $E$ is")
    chain.step("function: softmax", 'softmax(S, mask="causal")', "softmax con máscara", "softmax with a mask")
    chain.step("definition: P", "P", "lo que $P$ es", "what $P$ is")
    chain.part("La salida", "The output")
    chain.start("Y")
    chain.step("definition: Y", "entries(sum_over(R[i,j] * U[i,j,c], j=n), i=n, c=d_v)", "lo que $Y$ es", "what $Y$ is")
    chain.step("using: part 3", "entries(sum_over(P[i,j] * U[i,j,c], j=n), i=n, c=d_v)", "los mismos pesos", "the same weights")
    chain.step(
        "using: U == entries(V[j,c], if_atmost(j, i, 0), i=n, j=n, c=d_v) + entries(W[j,c], if_atmost(i, j, -1), i=n, "
        'j=n, c=d_v); P == softmax(S, mask="causal")',
        'softmax(S, mask="causal") @ V',
        "los valores posteriores tienen peso 0",
        "later values have weight 0",
    )
    chain.step("definition: P, O", "O", "lo que $O$ es", "what $O$ is")
    return chain.done()
