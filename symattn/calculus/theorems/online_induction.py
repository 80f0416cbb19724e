"""The online form with running maxima, for every number of blocks: what is right for two blocks of any sizes is right for any
number of them.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "online"
TITLE = Both("La forma en línea con máximos, para todo número de bloques", "The online form with maxima, for every number of blocks")
EXAMPLE = {"s": "[0, 3]", "V": "[[1, 2], [3, -1]]", "m_1": "0", "m_2": "3", "l_1": "1", "l_2": "1", "a_1": "[1, 2]", "a_2": "[3, -1]"}
FALSE_TWIN = "l_1 + l_2 == l_merged"


def derive() -> Derivation:
    """The state of a block is m = max s, l = Σ e^{s − m}, a = Σ e^{s − m} v. Merged: m' = max(m₁, m₂), l' = Σ_k e^{m_k − m'} l_k, and
    a' likewise.
    """
    chain = Chain("online-induction", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes de un bloque", "scores of a block")
    chain.given("V", "n, d_v", "sus valores", "its values")
    chain.given("m_1", "", "estado de un bloque: su máximo", "state of one block: its maximum")
    chain.given("l_1", "", "su suma", "its sum")
    chain.given("a_1", "d_v", "su mezcla sin dividir", "its undivided mix")
    chain.given("m_2", "", "estado de otro: su máximo", "state of another: its maximum")
    chain.given("l_2", "", "su suma", "its sum")
    chain.given("a_2", "d_v", "su mezcla sin dividir", "its undivided mix")
    chain.define("m", "max(s)", "el máximo del bloque", "the maximum of the block")
    chain.define("l", "sum(exp(s - m))", "su suma", "its sum")
    chain.define("a", "exp(s - m) @ V", "su mezcla sin dividir", "its undivided mix")
    chain.define("M", "max(m_1, m_2)", "el mayor de los dos", "the larger of the two")
    chain.define("m_merged", "max(m_1, m_2)", "el mayor", "the larger one")
    chain.define("l_merged", "exp(m_1 - M) * l_1 + exp(m_2 - M) * l_2", "la suma de la unión", "the sum of the union")
    chain.define("a_merged", "exp(m_1 - M) * a_1 + exp(m_2 - M) * a_2", "la mezcla de la unión", "the mix of the union")
    chain.part("El máximo", "The maximum")
    chain.start("m_merged")
    chain.step("induction: n | m, l, a", "m", "el máximo de los máximos", "the maximum of the maxima")
    chain.part("La suma", "The sum")
    chain.start("l_merged")
    chain.step("induction: n | m, l, a", "l", "cada bloque con su factor", "each block with its factor")
    chain.part("La mezcla", "The mix")
    chain.start("a_merged")
    chain.step("induction: n | m, l, a", "a", "cada bloque con su factor", "each block with its factor")
    chain.part("La salida", "The output")
    chain.start("a / l")
    chain.step("definition: a, l", "(exp(s - m) @ V) / sum(exp(s - m))", "de todas las claves", "of all keys")
    chain.step(
        "exponential law",
        "exp(-m) * (exp(s) @ V) / (exp(-m) * sum(exp(s)))",
        "la referencia sale de las sumas",
        "the reference leaves the sums",
    )
    chain.step("cancel", "(exp(s) @ V) / sum(exp(s))", "y se va", "and goes")
    chain.step(
        "rearrange", "(exp(s) / sum(exp(s))) @ V", "cada exponencial se lleva el divisor", "each exponential takes the divisor along"
    )
    chain.step("function: softmax", "softmax(s) @ V", "la atención sobre todas las claves", "the attention over all keys")
    return chain.done()
