"""Prefill of one causal head against decoding the same tokens one by one with a cache: the same multiplications and additions. Not
counted: scaling, exponentials, divisions.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "cost"
TITLE = Both(
    "Todo de una vez o token por token con caché: las mismas multiplicaciones",
    "All at once or token by token with a cache: the same multiplications",
)
EXAMPLE = {"X": "[[1, 0, 1], [2, 1, 0]]", "W": "[[1, 0], [2, 1], [0, 1]]"}
FALSE_TWIN = "A == n**2 * k * 2 + 3 * n * d * k"


def derive() -> Derivation:
    """Step i projects one token, 3 d k, and meets i + 1 keys and values, 2 (i + 1) k. Summed over i these are the pairs with j ≤ i,
    n(n + 1)/2.
    """
    chain = Chain("cost-prefill", TITLE.es, TITLE.en)
    chain.given("X", "n, d", "tokens: solo cuenta su forma", "tokens: only their shape counts")
    chain.given("W", "d, k", "una proyección: solo cuenta su forma", "a projection: only its shape counts")
    chain.define("M", "causal_part(ones(n, n))", "1 donde $j \\le i$", "1 where $j \\le i$")
    chain.define("J", "entries(1, if_atmost(i, j, -1), i=n, j=n)", "1 donde $j > i$", "1 where $j > i$")
    chain.define("N", "ones(n, n) - M", "lo que no es $j \\le i$", "what is not $j \\le i$")
    chain.define("r", "sum(M)", "claves en el paso $i$", "keys at step $i$")
    chain.define(
        "c", "3 * sum_over(1, a=d, b=k) + 2 * r * sum_over(1, b=k)", "multiplicaciones del paso $i$", "multiplications of step $i$"
    )
    chain.define(
        "A",
        "3 * sum_over(1, i=n, a=d, b=k) + 2 * sum_over(M[i,j], i=n, j=n, b=k)",
        "multiplicaciones, todo de una vez",
        "multiplications, all at once",
    )
    chain.define(
        "F",
        "sum_over(1, i=n, j=n) * (k - 1)",
        "sumas en $Q K^\\top$ sin máscara: $k - 1$ por entrada",
        "additions in $Q K^\\top$ without a mask: $k - 1$ for each entry",
    )
    chain.define("H", "n * (n - 1)", "sumas de los divisores: $n - 1$ por fila", "additions of the divisors: $n - 1$ for each row")
    chain.part("Paso a paso", "Step by step")
    chain.start("sum(c)")
    chain.step(
        "definition: c",
        "sum(3 * sum_over(1, a=d, b=k) + 2 * r * sum_over(1, b=k))",
        "proyecciones, puntajes y mezcla",
        "projections, scores and mix",
    )
    chain.step(
        "definition: r", "sum(3 * sum_over(1, a=d, b=k) + 2 * sum(M) * sum_over(1, b=k))", "las claves que hay", "the keys that are there"
    )
    chain.step(
        "distribute",
        "3 * sum_over(1, i=n, a=d, b=k) + 2 * sum_over(M[i,j], i=n, j=n, b=k)",
        "la suma sobre los pasos",
        "the sum over the steps",
    )
    chain.step("definition: A", "A", "lo mismo que de una vez", "the same as all at once")
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
    chain.part("De una vez", "All at once")
    chain.start("A")
    chain.step("definition: A", "3 * sum_over(1, i=n, a=d, b=k) + 2 * sum_over(M[i,j], i=n, j=n, b=k)", "lo que $A$ es", "what $A$ is")
    chain.step("rearrange", "3 * n * d * k + 2 * sum(sum(M)) * k", "son independientes", "they are independent")
    chain.step(
        "collect",
        "3 * n * d * k + sum(sum(M + M.T)) * k",
        "al cambiar $i$ por $j$ la suma es la misma",
        "with $i$ and $j$ exchanged the sum is the same",
    )
    chain.step(
        "using: part 2",
        "3 * n * d * k + sum(sum(M + J + eye(n))) * k",
        "el espejo es el complemento y la diagonal",
        "the mirror image is the complement and the diagonal",
    )
    chain.step(
        "using: J == ones(n, n) - M",
        "3 * n * d * k + sum(sum(ones(n, n) + eye(n))) * k",
        "todos los pares, y la diagonal otra vez",
        "all pairs, and the diagonal once more",
    )
    chain.step(
        "contract the delta", "3 * n * d * k + n * (n + 1) * k", "$n^2$ pares y $n$ en la diagonal", "$n^2$ pairs and $n$ on the diagonal"
    )
    chain.part("Las sumas", "The additions")
    chain.start("F")
    chain.step(
        "definition: F",
        "sum_over(1, i=n, j=n) * (k - 1)",
        "$k$ productos se suman con $k - 1$ sumas",
        "$k$ products are added with $k - 1$ additions",
    )
    chain.step("rearrange", "n**2 * (k - 1)", "una entrada por par", "one entry for each pair")
    chain.start("F + H")
    chain.step("using: part 4", "n**2 * (k - 1) + H", "lo de arriba", "the line above")
    chain.step("definition: H", "n**2 * (k - 1) + n * (n - 1)", "los divisores", "the divisors")
    chain.step("distribute", "n * (n * k - 1)", "factor común", "a common factor")
    return chain.done()
