"""Attention without mask or positions treats tokens as a set: permuted tokens give permuted outputs. A causal mask, or positions,
break it.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("La atención no mira el orden de los tokens", "Attention does not look at the order of tokens")
EXAMPLE = {
    "X": "[[1, 0], [2, 1], [0, -1]]",
    "W_Q": "[[1, 1], [0, 1]]",
    "W_K": "[[1, 0], [1, 2]]",
    "W_V": "[[2, 0], [1, -1]]",
    "q": "[1, 2]",
    "k_1": "[1, 0]",
    "v_1": "[3, 1]",
    "k_2": "[0, 1]",
    "v_2": "[1, 5]",
    "K": "[[1, 1], [-1, 0]]",
    "V": "[[2, 2], [0, 4]]",
}
FALSE_TWIN = "(w_1 * v_2 + w_2 * v_1 + w @ V) / Z == N / Z"


def derive() -> Derivation:
    """The whole: no stage reads positions, so any permutation passes through. For one query: an exchange of two tokens exchanges terms
    of two sums.
    """
    chain = Chain("attention-permutation", TITLE.es, TITLE.en)
    chain.given("X", "n, d", "los tokens", "the tokens")
    chain.given("W_Q", "d, d_k")
    chain.given("W_K", "d, d_k")
    chain.given("W_V", "d, d_v")
    chain.given("q", "d_k", "una consulta, de cualquier token", "a query, of any token")
    chain.given("k_1", "d_k", "clave de un token", "key of one token")
    chain.given("v_1", "d_v", "su valor", "its value")
    chain.given("k_2", "d_k", "clave de otro", "key of another")
    chain.given("v_2", "d_v", "su valor", "its value")
    chain.given("K", "m, d_k", "claves de los demás", "keys of the rest")
    chain.given("V", "m, d_v", "sus valores", "their values")
    chain.define(
        "O",
        "softmax((X @ W_Q) @ (X @ W_K).T / sqrt(d_k)) @ (X @ W_V)",
        "la atención de los tokens a sí mismos",
        "attention of the tokens to themselves",
    )
    chain.define("w_1", "exp(dot(q, k_1) / sqrt(d_k))", "exponencial del uno", "exponential of the one")
    chain.define("w_2", "exp(dot(q, k_2) / sqrt(d_k))", "exponencial del otro", "exponential of the other")
    chain.define("w", "exp(K @ q / sqrt(d_k))", "exponenciales de los demás", "exponentials of the rest")
    chain.define("N", "w_1 * v_1 + w_2 * v_2 + w @ V", "valores con sus exponenciales", "values with their exponentials")
    chain.define("Z", "w_1 + w_2 + sum(w)", "su suma", "their sum")
    chain.part("Toda permutación", "Every permutation")
    chain.start("O")
    chain.step(
        "equivariant: n",
        "O",
        "sumas y productos recorren los tokens sin mirar cuál es el primero",
        "sums and products run over tokens without looking at which is first",
    )
    chain.part("Por qué, para una consulta y dos tokens", "Why, for one query and two tokens")
    chain.start("N")
    chain.step("definition: N", "w_1 * v_1 + w_2 * v_2 + w @ V", "lo que $N$ es", "what $N$ is")
    chain.step("rearrange", "w_2 * v_2 + w_1 * v_1 + w @ V", "la suma es conmutativa", "addition is commutative")
    chain.start("Z")
    chain.step("definition: Z", "w_1 + w_2 + sum(w)", "lo que $Z$ es", "what $Z$ is")
    chain.step("rearrange", "w_2 + w_1 + sum(w)", "la suma es conmutativa", "addition is commutative")
    chain.start("N / Z")
    chain.step(
        "using: part 2; part 3",
        "(w_2 * v_2 + w_1 * v_1 + w @ V) / (w_2 + w_1 + sum(w))",
        "los dos tokens cambiaron de lugar y la salida no",
        "the two tokens changed places and the output did not",
    )
    return chain.done()
