"""Two weights are to one another as the exponential of the gap of their scores. That the order is kept is softmax-order."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both("La razón entre dos pesos es $e$ a la diferencia", "The ratio of two weights is $e$ to the gap")
EXAMPLE = {"s": "[0, 1, -1]"}
FALSE_TWIN = "entries(p[i] / p[j], i=n, j=n) == entries(s[i] - s[j], i=n, j=n)"


def derive() -> Derivation:
    """p_i / p_j = e^{s_i − s_j}, for every pair."""
    chain = Chain("softmax-ratio", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.define("E", "exp(s)")
    chain.define("Z", "sum(E)")
    chain.define("p", "E / Z", "pesos", "weights")
    chain.start("entries(p[i] / p[j], i=n, j=n)")
    chain.step("definition: p", "entries((E / Z)[i] / (E / Z)[j], i=n, j=n)", "cada peso es un cociente", "each weight is a quotient")
    chain.step("cancel", "entries(E[i] / E[j], i=n, j=n)", "todos tienen el mismo divisor $Z$", "all have the same divisor $Z$")
    chain.step("definition: E", "entries(exp(s)[i] / exp(s)[j], i=n, j=n)", "lo que $E$ es", "what $E$ is")
    chain.step("exponential law", "entries(exp(s[i] - s[j]), i=n, j=n)", "$e^a / e^b = e^{a - b}$", "$e^a / e^b = e^{a - b}$")
    return chain.done("entries(p[i] / p[j], i=n, j=n) == entries(exp(s[i] - s[j]), i=n, j=n)")
