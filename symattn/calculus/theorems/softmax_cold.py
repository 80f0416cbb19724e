"""At low temperature (a large factor β) the weight is shared evenly by the largest scores, ties included.

The scores are one number, k times, and less by g_j ≥ Δ, m times; that number does not matter and is left out. The limit for β → ∞, with
Δ > 0, is read off the bounds: what is left for the others is at most m e^{−βΔ}."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both(
    "A temperatura baja los máximos se reparten todo el peso, por igual", "At low temperature the maxima share all the weight, evenly"
)
EXAMPLE = {"a": "[0, 0]", "beta": "3", "Delta": "2", "t": "[0, 1, 5]"}
FALSE_TWIN = "p >= 1 / k"


def derive() -> Derivation:
    """p = 1/(k + Σ E_j), E_j = e^{−βg_j} ≤ e^{−βΔ}: p ≤ 1/k, k p ≥ 1 − m e^{−βΔ}/k, and the other weights are at most e^{−βΔ}/k."""
    chain = Chain("softmax-cold", TITLE.es, TITLE.en)
    chain.given("a", "k", "los máximos: de ellos solo cuenta cuántos son", "the maxima: only how many they are matters")
    chain.given("beta", "", "temperatura inversa", "inverse temperature")
    chain.given("Delta", "", "la menor de las diferencias con el máximo", "the smallest gap to the maximum")
    chain.given("t", "m", "lo que cada diferencia le pasa a $\\Delta$", "what each gap is above $\\Delta$")
    for text in ("beta >= 0", "t >= 0"):
        chain.suppose(text)
    chain.define("c", "ones(m) * (-beta * Delta)")
    chain.define(
        "g", "c - beta * t", "los otros puntajes, por $\\beta$ y sin el máximo", "the other scores, times $\\beta$, the maximum taken away"
    )
    chain.define("F", "exp(c)", "$e^{-\\beta\\Delta}$, en todas las entradas", "$e^{-\\beta\\Delta}$, at every entry")
    chain.define("E", "exp(g)")
    chain.define("x", "sum(E)")
    chain.define("y", "sum(F)")
    chain.define("Z", "k + x")
    chain.define("p", "1 / Z", "el peso de cada máximo", "the weight of each maximum")
    chain.define("q", "E / Z", "los otros pesos", "the other weights")
    _exponentials(chain)
    _others(chain)
    _maxima(chain)
    return chain.done()


def _exponentials(chain: Chain) -> None:
    chain.part("Las exponenciales", "The exponentials")
    chain.start("g")
    chain.step("at most: beta * t | g == c - beta * t", "c", "a ninguno le falta menos que $\\Delta$", "none is nearer than $\\Delta$")
    chain.start("E")
    chain.step("definition: E", "exp(g)", "lo que $E$ es", "what $E$ is")
    chain.step("monotone: part 1", "exp(c)", "la exponencial crece", "the exponential rises")
    chain.step("definition: F", "F", "lo que $F$ es", "what $F$ is")
    chain.start("x")
    chain.step("definition: x", "sum(E)", "lo que $x$ es", "what $x$ is")
    chain.step("monotone: part 2", "sum(F)", "término a término", "term by term")
    chain.step("definition: y", "y", "lo que $y$ es", "what $y$ is")


def _others(chain: Chain) -> None:
    chain.part("Los otros pesos", "The other weights")
    chain.start("q")
    chain.step("at most: E * x / (k * Z) | q == E / Z; Z == k + x", "E / k", "$Z \\ge k$", "$Z \\ge k$")
    chain.step("monotone: part 2", "F / k", "las exponenciales", "the exponentials")
    chain.step("definition: F, c", "exp(ones(m) * (-beta * Delta)) / k", "lo que $F$ es", "what $F$ is")


def _maxima(chain: Chain) -> None:
    chain.part("El peso de cada máximo", "The weight of each maximum")
    chain.start("p")
    chain.step("at most: x / (k * Z) | p == 1 / Z; Z == k + x", "1 / k", "$Z \\ge k$", "$Z \\ge k$")
    chain.start("k * p")
    chain.step(
        "at least: x**2 / (k * Z) | p == 1 / Z; Z == k + x",
        "1 - x / k",
        "$k / (k + x) \\ge 1 - x / k$",
        "$k / (k + x) \\ge 1 - x / k$",
    )
    chain.step("monotone: part 3", "1 - y / k", "lo que se resta crece", "what is taken away rises")
    chain.step("definition: y, F, c", "1 - sum(exp(ones(m) * (-beta * Delta))) / k", "lo que $y$ es", "what $y$ is")
    chain.step("exponential law", "1 - m * exp(-beta * Delta) / k", "$m$ términos iguales", "$m$ equal terms")
