"""For two scores with the gap Δ the entries of the derivative are e^{−Δ} times what tends to 1; the bound of softmax-saturation is sharp.

The limit itself is read off the two bounds: 1 − 2 e^{−Δ} ≤ J e^{Δ} ≤ 1."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "saturation"
TITLE = Both(
    r"Con dos puntajes la derivada es $e^{-\Delta}$ por lo que tiende a 1",
    r"With two scores the derivative is $e^{-\Delta}$ times what tends to 1",
)
EXAMPLE = {"Delta": "30"}
FALSE_TWIN = "r >= 1 - u"


def derive() -> Derivation:
    """p = 1/(1 + u), u = e^{−Δ}: p(1 − p) = u r with r = 1/(1 + u)², and 1 − 2u ≤ r ≤ 1."""
    chain = Chain("saturation-two", TITLE.es, TITLE.en)
    chain.given("Delta", "", "la diferencia entre los dos puntajes", "the gap between the two scores")
    chain.define("u", "exp(-Delta)")
    chain.define("p", "1 / (1 + u)", "el peso del mayor", "the weight of the larger")
    chain.define("r", "1 / (1 + u)**2", "el cociente", "the quotient")
    chain.part("La derivada", "The derivative")
    chain.start("p * (1 - p)")
    chain.step("using: 1 - p == u * p", "u * p**2", "el otro peso es $u$ veces este", "the other weight is $u$ times this one")
    chain.step("definition: p", "u * (1 / (1 + u))**2", "lo que $p$ es", "what $p$ is")
    chain.step("using: (1 / (1 + u))**2 == r", "u * r", "lo que $r$ es", "what $r$ is")
    chain.step("definition: u", "exp(-Delta) * r", "lo que $u$ es", "what $u$ is")
    chain.part("El cociente, entre dos cotas", "The quotient, between two bounds")
    chain.start("r")
    chain.step("at most: u * (2 + u) / (1 + u)**2 | r == 1 / (1 + u)**2", "1", "$(1 + u)^2 = 1 + u (2 + u)$", "$(1 + u)^2 = 1 + u (2 + u)$")
    chain.start("r")
    chain.step(
        "at least: u**2 * (3 + 2 * u) / (1 + u)**2 | r == 1 / (1 + u)**2",
        "1 - 2 * u",
        "$1 - (1 - 2u)(1 + u)^2 = u^2 (3 + 2u)$",
        "$1 - (1 - 2u)(1 + u)^2 = u^2 (3 + 2u)$",
    )
    return chain.done()
