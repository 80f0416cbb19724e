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
    chain.define("N", "M + M.T", "la máscara y su espejo", "the mask and its mirror image")
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
    chain.part("Los pares de la máscara causal", "The pairs of the causal mask")
    chain.start("2 * C")
    chain.step("definition: C", "2 * sum(sum(M))", "lo que $C$ es", "what $C$ is")
    chain.step(
        "collect", "sum(sum(M + M.T))", "al cambiar $i$ por $j$ la suma es la misma", "with $i$ and $j$ exchanged the sum is the same"
    )
    chain.step("definition: N", "sum(sum(N))", "en breve", "in short")
    chain.step(
        "using: N == ones(n, n) + eye(n)",
        "sum(sum(ones(n, n) + eye(n)))",
        "cada par está una vez y la diagonal dos",
        "each pair is there once, and the diagonal twice",
    )
    chain.step("contract the delta", "n**2 + n", "$n^2$ pares y $n$ en la diagonal", "$n^2$ pairs and $n$ on the diagonal")
    chain.start("C")
    chain.step("rearrange", "2 * C / 2", "dos mitades", "two halves")
    chain.step("using: part 3", "(n**2 + n) / 2", "lo de arriba", "the line above")
    chain.step("collect", "n * (n + 1) / 2", "factor común", "a common factor")
    chain.part("Con máscara causal", "With a causal mask")
    chain.start("F")
    chain.step("definition: F", "sum_over(M[i,j], i=n, j=n, c=d)", "uno por par y componente", "one for each pair and component")
    chain.step("rearrange", "sum(sum(M)) * d", "la componente no depende del par", "the component does not depend on the pair")
    chain.step("definition: C", "C * d", "los pares", "the pairs")
    chain.step("using: part 4", "n * (n + 1) / 2 * d", "lo de arriba", "the line above")
    return chain.done()
