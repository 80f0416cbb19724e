"""Attention without mask or positions treats tokens as a set: two that change places change nothing for any query, so outputs move
with them.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("El orden de los tokens no importa a la atención", "The order of tokens does not matter to attention")
EXAMPLE = {
    "q": "[1, 2]",
    "k_1": "[1, 0]",
    "v_1": "[3, 1]",
    "k_2": "[0, 1]",
    "v_2": "[1, 5]",
    "K": "[[1, 1], [-1, 0]]",
    "V": "[[2, 2], [0, 4]]",
}
FALSE_TWIN = "(e_1 * v_2 + e_2 * v_1 + e @ V) / (e_1 + e_2 + sum(e)) == (e_1 * v_1 + e_2 * v_2 + e @ V) / (e_1 + e_2 + sum(e))"


def derive() -> Derivation:
    """The output for a query is a quotient of sums over tokens. Any permutation is made of exchanges of two. A causal mask, or
    positions, break it.
    """
    chain = Chain("attention-permutation", TITLE.es, TITLE.en)
    chain.given("q", "d_k", "una consulta, de cualquier token", "a query, of any token")
    chain.given("k_1", "d_k", "clave de un token", "key of one token")
    chain.given("v_1", "d_v", "su valor", "its value")
    chain.given("k_2", "d_k", "clave de otro", "key of another")
    chain.given("v_2", "d_v", "su valor", "its value")
    chain.given("K", "m, d_k", "claves de los demás", "keys of the rest")
    chain.given("V", "m, d_v", "sus valores", "their values")
    chain.define("e_1", "exp(dot(q, k_1) / sqrt(d_k))", "exponencial del uno", "exponential of the one")
    chain.define("e_2", "exp(dot(q, k_2) / sqrt(d_k))", "exponencial del otro", "exponential of the other")
    chain.define("e", "exp(K @ q / sqrt(d_k))", "exponenciales de los demás", "exponentials of the rest")
    chain.define("N", "e_1 * v_1 + e_2 * v_2 + e @ V", "valores con sus exponenciales", "values with their exponentials")
    chain.define("Z", "e_1 + e_2 + sum(e)", "su suma", "their sum")
    chain.part("Los valores", "The values")
    chain.start("N")
    chain.step("definition: N", "e_1 * v_1 + e_2 * v_2 + e @ V", "lo que $N$ es", "what $N$ is")
    chain.step("rearrange", "e_2 * v_2 + e_1 * v_1 + e @ V", "la suma es conmutativa", "addition is commutative")
    chain.part("La suma", "The sum")
    chain.start("Z")
    chain.step("definition: Z", "e_1 + e_2 + sum(e)", "lo que $Z$ es", "what $Z$ is")
    chain.step("rearrange", "e_2 + e_1 + sum(e)", "la suma es conmutativa", "addition is commutative")
    chain.part("La salida", "The output")
    chain.start("N / Z")
    chain.step(
        "using: part 1; part 2",
        "(e_2 * v_2 + e_1 * v_1 + e @ V) / (e_2 + e_1 + sum(e))",
        "los dos tokens cambiaron de lugar y la salida no",
        "the two tokens changed places and the output did not",
    )
    return chain.done()
