"""The absorption identity of latent attention: keys and values need not be unpacked from the latent cache."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("Absorción en la atención latente: la caché comprimida basta", "Absorption in latent attention: the compressed cache suffices")
EXAMPLE = {
    "Q": "[[1, 0], [2, 1]]",
    "C": "[[1, 2], [0, 1], [3, -1]]",
    "U_K": "[[1, 1], [0, 2]]",
    "U_V": "[[2, 0], [1, 1]]",
    "W_O": "[[1, 2], [3, 1]]",
}
FALSE_TWIN = "S == A @ C.T"


def derive() -> Derivation:
    """Q (C U_K)ᵀ = (Q U_Kᵀ) Cᵀ and P (C U_V) W_O = (P C) (U_V W_O): matrix products are associative."""
    chain = Chain("mla-absorption", TITLE.es, TITLE.en)
    chain.given("Q", "n, d_k", "consultas", "queries")
    chain.given("C", "m, r", "la caché latente, una fila por token", "the latent cache, one row a token")
    chain.given("U_K", "r, d_k", "de lo latente a las claves", "from latent to keys")
    chain.given("U_V", "r, d_v", "de lo latente a los valores", "from latent to values")
    chain.given("W_O", "d_v, d", "proyección de salida", "output projection")
    chain.define("K", "C @ U_K", "claves", "keys")
    chain.define("V", "C @ U_V", "valores", "values")
    chain.define("A", "Q @ U_K.T", "consultas absorbidas", "absorbed queries")
    chain.define("B", "U_V @ W_O", "salida absorbida", "absorbed output")
    chain.define("S", "Q @ K.T / sqrt(d_k)", "puntajes", "scores")
    chain.define("P", "softmax(S)", "pesos", "weights")
    chain.part("Los puntajes", "The scores")
    chain.start("S")
    chain.step("definition: S", "Q @ K.T / sqrt(d_k)", "lo que $S$ es", "what $S$ is")
    chain.step("definition: K", "Q @ (C @ U_K).T / sqrt(d_k)", "las claves, desempaquetadas", "the keys, unpacked")
    chain.step(
        "rearrange",
        "(Q @ U_K.T) @ C.T / sqrt(d_k)",
        "$(C U_K)^\\top = U_K^\\top C^\\top$, y el producto es asociativo",
        "$(C U_K)^\\top = U_K^\\top C^\\top$, and products are associative",
    )
    chain.step(
        "definition: A",
        "A @ C.T / sqrt(d_k)",
        "una consulta por paso se transforma, no toda la caché",
        "one query a step is transformed, not the whole cache",
    )
    chain.part("La salida", "The output")
    chain.start("(P @ V) @ W_O")
    chain.step("definition: V", "(P @ (C @ U_V)) @ W_O", "los valores, desempaquetados", "the values, unpacked")
    chain.step("rearrange", "(P @ C) @ (U_V @ W_O)", "el producto es asociativo", "products are associative")
    chain.step("definition: B", "(P @ C) @ B", "$B$ se calcula una vez", "$B$ is computed once")
    return chain.done()
