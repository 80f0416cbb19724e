"""Attention is a kernel smoother: a mean of the values with weights κ(q, k) = e^{q·k}. For keys of equal length the kernel is the
Gaussian one.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("La atención es un promedio ponderado por un núcleo", "Attention is a kernel smoother")
EXAMPLE = {"q": "[1, 2]", "K": "[[1, 0], [0, 1], [-1, 0]]", "V": "[[1, 2], [3, -1], [0, 1]]"}
FALSE_TWIN = "exp(K @ q) == exp(dot(q, q) / 2) * G"


def derive() -> Derivation:
    """q·k = (|q|² + |k|² − |q − k|²)/2, so e^{q·k} = e^{|q|²/2} e^{|k|²/2} e^{−|q − k|²/2}; the first factor goes, the second weighs
    the keys.
    """
    chain = Chain("kernel-smoother", TITLE.es, TITLE.en)
    chain.given("q", "d", "la consulta", "the query")
    chain.given("K", "m, d", "claves", "keys")
    chain.given("V", "m, d_v", "valores", "values")
    chain.define("D", "entries(sum_over((q[c] - K[j,c])**2, c=d), j=m)", "distancias al cuadrado", "squared distances")
    chain.define("G", "exp(-D / 2)", "núcleo gaussiano", "Gaussian kernel")
    chain.define("l", "entries(sum_over(K[j,c]**2, c=d), j=m)", "longitudes al cuadrado", "squared lengths")
    chain.define("w", "exp(l / 2)", "lo que pesa la longitud de una clave", "what the length of a key weighs")
    chain.define("f", "exp(dot(q, q) / 2)", "un factor común", "a common factor")
    chain.define("Z", "sum(w * G)", "suma de los pesos", "sum of the weights")
    chain.part("El producto escalar, por distancias", "The dot product, by distances")
    chain.start("K @ q")
    chain.step(
        "collect",
        "dot(q, q) / 2 + entries(sum_over(K[j,c]**2, c=d), j=m) / 2 - entries(sum_over((q[c] - K[j,c])**2, c=d), j=m) / 2",
        "$(a - b)^2 = a^2 - 2ab + b^2$",
        "$(a - b)^2 = a^2 - 2ab + b^2$",
    )
    chain.step("definition: l, D", "dot(q, q) / 2 + l / 2 - D / 2", "en breve", "in short")
    chain.part("El núcleo", "The kernel")
    chain.start("exp(K @ q)")
    chain.step("using: part 1", "exp(dot(q, q) / 2 + l / 2 - D / 2)", "lo de arriba", "the line above")
    chain.step("exponential law", "exp(dot(q, q) / 2) * (exp(l / 2) * exp(-D / 2))", "$e^{a+b} = e^a e^b$", "$e^{a+b} = e^a e^b$")
    chain.step("definition: f, w, G", "f * (w * G)", "en breve", "in short")
    chain.part("El promedio", "The mean")
    chain.start("softmax(K @ q) @ V")
    chain.step("function: softmax", "(exp(K @ q) / sum(exp(K @ q))) @ V", "lo que softmax es", "what softmax is")
    chain.step("using: part 2", "(f * (w * G) / sum(f * (w * G))) @ V", "el núcleo", "the kernel")
    chain.step("cancel", "(w * G / sum(w * G)) @ V", "el factor común se va", "the common factor goes")
    chain.step("definition: Z", "(w * G / Z) @ V", "un promedio con pesos $w_j G_j$", "a mean with weights $w_j G_j$")
    return chain.done()
