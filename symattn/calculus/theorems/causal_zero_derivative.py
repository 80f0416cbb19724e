"""Independence of later tokens by the derivative: along the values and keys that stand in later places it is 0 everywhere, so they
do not count.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("Derivada nula: el futuro no cuenta", "Zero derivative: the future does not count")
EXAMPLE = {"S": "[[1, 0], [2, 1]]", "V": "[[1, 2], [3, -1]]", "L": "[[5, 1], [7, 2]]", "M": "[[0, 4], [1, 2]]", "L_dot": "[[1, 2], [3, 4]]"}
FALSE_TWIN = "softmax(S + L) @ V == softmax(S + M) @ V"


def derive() -> Derivation:
    """Scores in later places are set to L in one and to M in the other. The output has derivative 0 along L, wherever L is, and so
    does not depend on it.
    """
    chain = Chain("causal-zero-derivative", TITLE.es, TITLE.en)
    chain.given("S", "n, n", "puntajes", "scores")
    chain.given("V", "n, d_v", "valores", "values")
    chain.given("L", "n, n", "lo que se suma a los puntajes posteriores", "what is added to later scores")
    chain.given("M", "n, n", "otra cosa, en su lugar", "something else in its place")
    chain.given("L_dot", "n, n", "una dirección, cualquiera", "any direction")
    chain.define("F", "S + entries(L[i,j], if_atmost(i, j, -1), i=n, j=n)", "con $L$ en el futuro", "with $L$ in the future")
    chain.define("G", "S + entries(M[i,j], if_atmost(i, j, -1), i=n, j=n)", "con $M$ en el futuro", "with $M$ in the future")
    chain.define("O", 'softmax(F, mask="causal") @ V', "salida", "output")
    chain.define("Y", 'softmax(G, mask="causal") @ V', "salida con $M$", "output with $M$")
    chain.part("La derivada", "The derivative")
    chain.start("derivative(O, L, L_dot)")
    chain.step(
        "definition: O, F",
        'derivative(softmax(S + entries(L[i,j], if_atmost(i, j, -1), i=n, j=n), mask="causal") @ V, L, L_dot)',
        "lo que se deriva",
        "what is differentiated",
    )
    chain.step(
        "product rule",
        "0",
        "softmax con máscara solo deriva lo que lee, y $L$ no está ahí",
        "softmax with a mask differentiates only what it reads, and $L$ is not there",
    )
    chain.part("La independencia", "Independence")
    chain.start("O")
    chain.step(
        "zero derivative: L, M",
        "Y",
        "la derivada por $L$ es 0 en todas partes, y todo par de puntos se une con una recta",
        "the derivative by $L$ is 0 everywhere, and any two points are joined by a line",
    )
    return chain.done()
