"""Multiplications of the key and value projections while decoding n tokens, with a cache and without: linear against quadratic."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "cost"
TITLE = Both("Decodificar con caché y sin ella", "Decoding with a cache and without")
EXAMPLE = {"X": "[[1, 0], [2, 1], [0, -1]]"}
FALSE_TWIN = "U / W == n"


def derive() -> Derivation:
    """With a cache each token is projected once: 2 n d². Without it moment i projects all tokens j ≤ i: 2 d² n(n + 1)/2, (n + 1)/2
    times as many.
    """
    chain = Chain("cost-decode", TITLE.es, TITLE.en)
    chain.given("X", "n, d", "tokens: solo cuenta su forma", "tokens: only their shape counts")
    chain.define("M", "causal_part(ones(n, n))", "1 donde el token $j$ está en el momento $i$", "1 where token $j$ is there at moment $i$")
    chain.define("J", "entries(1, if_atmost(i, j, -1), i=n, j=n)", "1 donde $j > i$", "1 where $j > i$")
    chain.define("N", "ones(n, n) - M", "lo que no es $j \\le i$", "what is not $j \\le i$")
    chain.define("W", "2 * sum_over(1, i=n, a=d, c=d)", "con caché: una vez cada token", "with a cache: each token once")
    chain.define(
        "U", "2 * sum_over(M[i,j], i=n, j=n, a=d, c=d)", "sin caché: todos, en cada momento", "without: all of them, at each moment"
    )
    chain.part("Con caché", "With a cache")
    chain.start("W")
    chain.step("definition: W", "2 * sum_over(1, i=n, a=d, c=d)", "claves y valores", "keys and values")
    chain.step("rearrange", "2 * n * d**2", "una proyección por token", "one projection a token")
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
    chain.part("Sin caché", "Without a cache")
    chain.start("U")
    chain.step("definition: U", "2 * sum_over(M[i,j], i=n, j=n, a=d, c=d)", "claves y valores", "keys and values")
    chain.step("rearrange", "2 * sum(sum(M)) * d**2", "una proyección por token y momento", "one projection for each token and moment")
    chain.step(
        "collect",
        "sum(sum(M + M.T)) * d**2",
        "al cambiar $i$ por $j$ la suma es la misma",
        "with $i$ and $j$ exchanged the sum is the same",
    )
    chain.step(
        "using: part 2",
        "sum(sum(M + J + eye(n))) * d**2",
        "el espejo es el complemento y la diagonal",
        "the mirror image is the complement and the diagonal",
    )
    chain.step(
        "using: J == ones(n, n) - M",
        "sum(sum(ones(n, n) + eye(n))) * d**2",
        "todos los pares, y la diagonal otra vez",
        "all pairs, and the diagonal once more",
    )
    chain.step("contract the delta", "n * (n + 1) * d**2", "$n^2$ pares y $n$ en la diagonal", "$n^2$ pairs and $n$ on the diagonal")
    chain.part("La razón", "The ratio")
    chain.start("U / W")
    chain.step("using: part 1; part 3", "n * (n + 1) * d**2 / (2 * n * d**2)", "lo de arriba", "the lines above")
    chain.step("cancel", "(n + 1) / 2", "$n d^2$ se va", "$n d^2$ goes")
    return chain.done()
