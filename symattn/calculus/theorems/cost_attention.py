"""Exact counts of multiplications in attention: one for each triple of indices that meet, with and without a causal mask.
Scalings, exponentials and divisions are not counted here.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "cost"
TITLE = Both("Cuántas multiplicaciones hace la atención", "How many multiplications attention makes")
EXAMPLE = {"X": "[[1, 0], [2, 1], [0, -1]]"}
FALSE_TWIN = "C == n**2 / 2"


def derive() -> Derivation:
    """Scores take n² d, all pairs (i, j) with j ≤ i are n(n + 1)/2: twice their number is n² and the diagonal, counted once more."""
    chain = Chain("cost-attention", TITLE.es, TITLE.en)
    chain.given("X", "n, d", "tokens: solo cuenta su forma", "tokens: only their shape counts")
    chain.define("A", "sum_over(1, i=n, j=n, c=d)", "productos en $Q K^\\top$, sin máscara", "products in $Q K^\\top$, without a mask")
    chain.define("B", "sum_over(1, i=n, a=d, c=d)", "productos en una proyección", "products in one projection")
    chain.define("M", "causal_part(ones(n, n))", "1 donde $j \\le i$", "1 where $j \\le i$")
    chain.define("J", "entries(1, if_atmost(i, j, -1), i=n, j=n)", "1 donde $j > i$", "1 where $j > i$")
    chain.define("N", "ones(n, n) - M", "lo que no es $j \\le i$", "what is not $j \\le i$")
    chain.define("C", "sum(sum(M))", "pares con $j \\le i$", "pairs with $j \\le i$")
    chain.define(
        "F",
        "sum_over(M[i,j], i=n, j=n, c=d)",
        "productos en $Q K^\\top$, con máscara causal",
        "products in $Q K^\\top$, with a causal mask",
    )
    chain.part("Sin máscara", "Without a mask")
    chain.start("A")
    chain.step(
        "definition: A", "sum_over(1, i=n, j=n, c=d)", "uno por consulta, clave y componente", "one for each query, key and component"
    )
    chain.step("rearrange", "n**2 * d", "son independientes", "they are independent")
    chain.part("Una proyección", "One projection")
    chain.start("B")
    chain.step(
        "definition: B", "sum_over(1, i=n, a=d, c=d)", "uno por token, columna y componente", "one for each token, column and component"
    )
    chain.step("rearrange", "n * d**2", "son independientes", "they are independent")
    chain.part("El espejo de la máscara", "The mirror image of the mask")
    chain.start("J")
    chain.step("using: J * M.T == J", "J * M.T", "si $j > i$, también $i \\le j$", "where $j > i$, also $i \\le j$")
    chain.step("using: J == N", "N * M.T", "o $j \\le i$, o $j > i$", "either $j \\le i$ or $j > i$")
    chain.step("definition: N", "(ones(n, n) - M) * M.T", "lo que $N$ es", "what $N$ is")
    chain.step("distribute", "M.T - M * M.T", "se multiplica", "multiplied out")
    chain.step(
        "using: M * M.T == eye(n)",
        "M.T - eye(n)",
        "en la diagonal, y solo ahí, se cumplen los dos órdenes",
        "on the diagonal, and there only, both orders hold",
    )
    chain.part("Los pares de la máscara causal", "The pairs of the causal mask")
    chain.start("2 * C")
    chain.step("definition: C", "2 * sum(sum(M))", "lo que $C$ es", "what $C$ is")
    chain.step(
        "collect", "sum(sum(M + M.T))", "al cambiar $i$ por $j$ la suma es la misma", "with $i$ and $j$ exchanged the sum is the same"
    )
    chain.step(
        "using: part 3",
        "sum(sum(M + J + eye(n)))",
        "el espejo es el complemento y la diagonal",
        "the mirror image is the complement and the diagonal",
    )
    chain.step(
        "using: J == ones(n, n) - M",
        "sum(sum(ones(n, n) + eye(n)))",
        "todos los pares, y la diagonal otra vez",
        "all pairs, and the diagonal once more",
    )
    chain.step("contract the delta", "n**2 + n", "$n^2$ pares y $n$ en la diagonal", "$n^2$ pairs and $n$ on the diagonal")
    chain.start("C")
    chain.step("rearrange", "2 * C / 2", "dos mitades", "two halves")
    chain.step("using: part 4", "(n**2 + n) / 2", "lo de arriba", "the line above")
    chain.step("collect", "n * (n + 1) / 2", "factor común", "a common factor")
    chain.part("Con máscara causal", "With a causal mask")
    chain.start("F")
    chain.step("definition: F", "sum_over(M[i,j], i=n, j=n, c=d)", "uno por par y componente", "one for each pair and component")
    chain.step("rearrange", "sum(sum(M)) * d", "la componente no depende del par", "the component does not depend on the pair")
    chain.step("definition: C", "C * d", "los pares", "the pairs")
    chain.step("using: part 5", "n * (n + 1) / 2 * d", "lo de arriba", "the line above")
    return chain.done()
