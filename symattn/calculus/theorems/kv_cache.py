"""Decoding with a cache gives the rows of causal attention: what is computed of a token once stays valid, and each step reads no more."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both(
    "La caché de claves y valores: paso a paso da lo mismo que todo de una vez",
    "The cache of keys and values: step by step gives the same as all at once",
)
EXAMPLE = {"X": "[[1, 0], [2, 1], [0, -1]]", "W_Q": "[[1, 1], [0, 1]]", "W_K": "[[1, 0], [1, 2]]", "W_V": "[[2, 0], [1, -1]]"}
FALSE_TWIN = "entries(sum_over(T[i,j,a] * W_K[a,c], a=d), i=n, j=n, c=d_k) == entries(K[j,c], i=n, j=n, c=d_k)"


def derive() -> Derivation:
    """At moment i the tokens are T_i = (x_j for j ≤ i). Projected then, a key is the one computed at its own moment; the last query
    then gives row i.
    """
    chain = Chain("kv-cache", TITLE.es, TITLE.en)
    chain.given("X", "n, d", "los tokens", "the tokens")
    chain.given("W_Q", "d, d_k")
    chain.given("W_K", "d, d_k")
    chain.given("W_V", "d, d_v")
    chain.define("Q", "X @ W_Q", "consultas", "queries")
    chain.define("K", "X @ W_K", "claves: la caché, una fila por token", "keys: the cache, one row a token")
    chain.define("V", "X @ W_V", "valores: la caché", "values: the cache")
    chain.define("S", "Q @ K.T / sqrt(d_k)", "puntajes", "scores")
    chain.define("P", 'softmax(S, mask="causal")', "pesos, todo de una vez", "weights, all at once")
    chain.define("O", "P @ V", "salida, todo de una vez", "output, all at once")
    chain.define(
        "T",
        "entries(X[j,a], if_atmost(j, i, 0), i=n, j=n, a=d)",
        "los tokens que hay en el momento $i$",
        "the tokens that are there at moment $i$",
    )
    chain.define(
        "F",
        "entries(sum_over(T[i,j,a] * W_K[a,c], a=d), i=n, j=n, c=d_k)",
        "claves calculadas de nuevo en el momento $i$",
        "keys computed anew at moment $i$",
    )
    chain.define(
        "G",
        "entries(sum_over(T[i,j,a] * W_V[a,c], a=d), i=n, j=n, c=d_v)",
        "valores calculados de nuevo en el momento $i$",
        "values computed anew at moment $i$",
    )
    chain.define(
        "s",
        "entries(sum_over(Q[i,c] * F[i,j,c], c=d_k) / sqrt(d_k), i=n, j=n)",
        "puntajes de la última consulta",
        "scores of the last query",
    )
    chain.define("E", "causal_part(exp(s))", "exponenciales, de los tokens que hay", "exponentials, of the tokens that are there")
    chain.define("Z", "sum(E)", "su suma", "their sum")
    chain.define(
        "N", "entries(sum_over(E[i,j] * G[i,j,c], j=n), i=n, c=d_v)", "valores con sus exponenciales", "values with their exponentials"
    )
    chain.define("Y", "entries(N[i,c] / Z[i], i=n, c=d_v)", "salida del paso $i$", "output of step $i$")
    chain.part("Una clave se calcula una vez", "A key is computed once")
    chain.start("F")
    chain.step("definition: F", "entries(sum_over(T[i,j,a] * W_K[a,c], a=d), i=n, j=n, c=d_k)", "lo que $F$ es", "what $F$ is")
    chain.step(
        "using: T == entries(X[j,a], if_atmost(j, i, 0), i=n, j=n, a=d)",
        "entries((X @ W_K)[j,c], if_atmost(j, i, 0), i=n, j=n, c=d_k)",
        "cada fila se proyecta por sí sola: no depende del momento",
        "each row is projected by itself: the moment does not matter",
    )
    chain.step(
        "definition: K",
        "entries(K[j,c], if_atmost(j, i, 0), i=n, j=n, c=d_k)",
        "la fila que está en la caché",
        "the row that is in the cache",
    )
    chain.start("G")
    chain.step("definition: G", "entries(sum_over(T[i,j,a] * W_V[a,c], a=d), i=n, j=n, c=d_v)", "lo que $G$ es", "what $G$ is")
    chain.step(
        "using: T == entries(X[j,a], if_atmost(j, i, 0), i=n, j=n, a=d)",
        "entries((X @ W_V)[j,c], if_atmost(j, i, 0), i=n, j=n, c=d_v)",
        "lo mismo",
        "the same",
    )
    chain.step(
        "definition: V",
        "entries(V[j,c], if_atmost(j, i, 0), i=n, j=n, c=d_v)",
        "la fila que está en la caché",
        "the row that is in the cache",
    )
    chain.part("Los puntajes del paso", "The scores of the step")
    chain.start("causal_part(s)")
    chain.step(
        "definition: s",
        "causal_part(entries(sum_over(Q[i,c] * F[i,j,c], c=d_k) / sqrt(d_k), i=n, j=n))",
        "la consulta de este paso con todas las claves",
        "the query of this step with all keys",
    )
    chain.step(
        "using: part 1",
        "causal_part(Q @ K.T / sqrt(d_k))",
        "las claves de la caché: para $j \\le i$ están todas",
        "the keys of the cache: for $j \\le i$ all are there",
    )
    chain.step("definition: S", "causal_part(S)", "los puntajes de una vez", "the scores all at once")
    chain.part("La salida del paso", "The output of the step")
    chain.start("E")
    chain.step("definition: E", "causal_part(exp(s))", "lo que $E$ es", "what $E$ is")
    chain.step(
        "exponential law",
        "causal_part(exp(causal_part(s)))",
        "más allá de la diagonal no se lee nada",
        "beyond the diagonal nothing is read",
    )
    chain.step("using: part 3", "causal_part(exp(causal_part(S)))", "los mismos puntajes", "the same scores")
    chain.step("exponential law", "causal_part(exp(S))", "otra vez sin decirlo", "without saying it again")
    chain.start("N")
    chain.step("definition: N", "entries(sum_over(E[i,j] * G[i,j,c], j=n), i=n, c=d_v)", "lo que $N$ es", "what $N$ is")
    chain.step(
        "using: part 2; part 4",
        "causal_part(exp(S)) @ V",
        "los valores de la caché, y las exponenciales de arriba",
        "the values of the cache, and the exponentials above",
    )
    chain.start("Y")
    chain.step("definition: Y, Z", "entries(N[i,c] / sum(E)[i], i=n, c=d_v)", "una división al final", "one division at the end")
    chain.step(
        "using: part 4; part 5",
        "entries((causal_part(exp(S)) @ V)[i,c] / sum(causal_part(exp(S)))[i], i=n, c=d_v)",
        "lo de arriba",
        "the lines above",
    )
    chain.step(
        "cancel",
        "(causal_part(exp(S)) / sum(causal_part(exp(S)))) @ V",
        "cada exponencial se lleva el divisor",
        "each exponential takes the divisor along",
    )
    chain.step("function: softmax", 'softmax(S, mask="causal") @ V', "softmax con máscara", "softmax with a mask")
    chain.step("definition: P, O", "O", "la fila $i$ de la atención causal", "row $i$ of causal attention")
    return chain.done()
