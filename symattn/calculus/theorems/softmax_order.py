"""Softmax keeps the order of the scores: for every pair, the gap of the weights has the sign of the gap of the scores."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both("Softmax conserva el orden", "Softmax keeps the order")
EXAMPLE = {"s": "[0, 1, -1]"}
FALSE_TWIN = "D * entries(s[i] + s[j], i=n, j=n) >= 0"


def derive() -> Derivation:
    """(p_i − p_j)(s_i − s_j) ≥ 0 for every pair: p_i − p_j = p_j (e^g − 1) with g = s_i − s_j, and e^u ≥ 1 + u at u = g and u = −g."""
    chain = Chain("softmax-order", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.define("E", "exp(s)")
    chain.define("p", "E / sum(E)", "pesos", "weights")
    chain.define("D", "entries(p[i] - p[j], i=n, j=n)", "diferencias de pesos", "gaps of weights")
    chain.define("g", "entries(s[i] - s[j], i=n, j=n)", "diferencias de puntajes", "gaps of scores")
    chain.define("f", "-g", "las mismas, al revés", "the same, turned round")
    chain.define(
        "A", "exp(g) - 1 - g", "lo que la exponencial pasa a su tangente, en $g$", "what the exponential is above its tangent, at $g$"
    )
    chain.define("B", "exp(f) - 1 - f", "lo mismo, en $f$", "the same, at $f$")
    _above(chain, "A", "g", 1)
    _above(chain, "B", "f", 3)
    _weights(chain)
    chain.part("El signo", "The sign")
    chain.start("D * g")
    chain.step(
        "using: part 5",
        "entries(p[j] * (exp(g)[i,j] - 1) * g[i,j], i=n, j=n)",
        "las diferencias de pesos de arriba",
        "the gaps of weights above",
    )
    chain.step(
        "at least: entries(p[j] * (A[i,j] + exp(g)[i,j] * B[i,j]), i=n, j=n) | part 2; part 4; A == exp(g) - 1 - g; B == exp(-g) - 1 + g",
        "0",
        "$(e^g - 1) g = A + e^g B$, y los pesos son positivos",
        "$(e^g - 1) g = A + e^g B$, and the weights are positive",
    )
    return chain.done()


def _above(chain: Chain, name: str, gap: str, part: int) -> None:
    chain.part(f"La exponencial no baja de su tangente, en ${gap}$", f"The exponential is not below its tangent, at ${gap}$")
    chain.start(f"exp({gap})")
    chain.step("tangent line", f"1 + {gap}", "$e^u \\ge 1 + u$ para todo $u$", "$e^u \\ge 1 + u$ for every $u$")
    chain.start(name)
    chain.step(f"definition: {name}", f"exp({gap}) - 1 - {gap}", f"lo que ${name}$ es", f"what ${name}$ is")
    chain.step(f"nonnegative: part {part}", "0", "la diferencia de arriba", "the difference above")


def _weights(chain: Chain) -> None:
    chain.part("Las diferencias de pesos", "The gaps of weights")
    chain.start("D")
    chain.step("definition: D", "entries(p[i] - p[j], i=n, j=n)", "lo que $D$ es", "what $D$ is")
    chain.step(
        "using: entries(p[i], i=n, j=n) == entries(p[j] * exp(g)[i,j], i=n, j=n)",
        "entries(p[j] * (exp(g)[i,j] - 1), i=n, j=n)",
        "la razón entre dos pesos es $e$ a la diferencia (softmax-ratio)",
        "the ratio of two weights is $e$ to the gap (softmax-ratio)",
    )
