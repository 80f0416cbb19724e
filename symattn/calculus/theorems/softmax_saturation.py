"""With a gap Δ below one largest score, no entry of the derivative of softmax is above (n − 1) e^{−Δ}.

The scores are a, once, and a − g_j with g_j ≥ Δ, n − 1 = m times; softmax does not change with a, so a is left out."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "saturation"
TITLE = Both(
    r"Con una diferencia $\Delta$ la derivada de softmax no pasa de $(n - 1) e^{-\Delta}$",
    r"With a gap $\Delta$ the derivative of softmax is at most $(n - 1) e^{-\Delta}$",
)
EXAMPLE = {"t": "[0, 85]", "Delta": "30"}
FALSE_TWIN = "p * (1 - p) <= exp(-Delta) / 2"


def derive() -> Derivation:
    """p is the largest weight, q are the others: p(1 − p) ≤ 1 − p = Σ q_j ≤ m e^{−Δ}, and p q_j, q_j(1 − q_j), q_i q_j ≤ q_j ≤ e^{−Δ}."""
    chain = Chain("softmax-saturation", TITLE.es, TITLE.en)
    chain.given("Delta", "", "la menor de las diferencias con el máximo", "the smallest gap to the maximum")
    chain.given("t", "m", "lo que cada diferencia le pasa a $\\Delta$", "what each gap is above $\\Delta$")
    chain.suppose("t >= 0")
    chain.define("one", "ones(m)", "unos", "ones")
    chain.define("c", "ones(m) * (-Delta)")
    chain.define("g", "c - t", "los otros puntajes, sin el máximo", "the other scores, the maximum taken away")
    chain.define("F", "exp(c)", "$e^{-\\Delta}$, en todas las entradas", "$e^{-\\Delta}$, at every entry")
    chain.define("E", "exp(g)")
    chain.define("Z", "1 + sum(E)")
    chain.define("p", "1 / Z", "el peso del máximo", "the weight of the maximum")
    chain.define("q", "E / Z", "los otros pesos", "the other weights")
    chain.define(
        "L",
        "entries(q[j], if_atmost(j, i, -1), i=m, j=m) + entries(q[j], if_atmost(i, j, -1), i=m, j=m)",
        "en cada fila, los otros",
        "in each row, the others",
    )
    chain.define("r", "sum(L)", "la suma de los otros", "the sum of the others")
    _exponentials(chain)
    _weights(chain)
    _largest(chain)
    _others(chain)
    return chain.done()


def _exponentials(chain: Chain) -> None:
    chain.part("Las exponenciales", "The exponentials")
    chain.start("g")
    chain.step("at most: t | g == c - t", "c", "a ninguno le falta menos que $\\Delta$", "none is nearer than $\\Delta$")
    chain.start("E")
    chain.step("definition: E", "exp(g)", "lo que $E$ es", "what $E$ is")
    chain.step("monotone: part 1", "exp(c)", "la exponencial crece", "the exponential rises")
    chain.step("definition: F", "F", "lo que $F$ es", "what $F$ is")


def _weights(chain: Chain) -> None:
    chain.part("Los otros pesos", "The other weights")
    chain.start("q")
    chain.step("at most: E * sum(E) / Z | Z == 1 + sum(E); q == E / Z", "E", "se dividen por $Z \\ge 1$", "they are divided by $Z \\ge 1$")
    chain.step("known: part 2", "F", "las exponenciales", "the exponentials")
    chain.part("Lo que los otros dejan", "What the others leave")
    chain.start("1 - p")
    chain.step("using: 1 - p == sum(q)", "sum(q)", "los pesos suman 1", "the weights sum to 1")
    chain.start("1 - q")
    chain.step(
        "using: 1 - q == p + r",
        "p + r",
        "de los pesos queda el del máximo y los otros",
        "of the weights, that of the maximum and the others remain",
    )


def _largest(chain: Chain) -> None:
    chain.part("La entrada del máximo", "The entry of the maximum")
    chain.start("p * (1 - p)")
    chain.step("at most: (1 - p)**2", "1 - p", "la diferencia es un cuadrado", "the difference is a square")
    chain.step("using: part 4", "sum(q)", "los otros pesos", "the other weights")
    chain.step("monotone: part 3", "sum(F)", "término a término", "term by term")
    chain.step("definition: F, c", "sum(exp(ones(m) * (-Delta)))", "lo que $c$ es", "what $c$ is")
    chain.step("exponential law", "m * exp(-Delta)", "$m$ términos iguales", "$m$ equal terms")


def _others(chain: Chain) -> None:
    chain.part("Las demás", "The others")
    chain.start("p * q")
    chain.step("at most: q * sum(q) | part 4", "q", "la diferencia es $q_j (1 - p)$", "the difference is $q_j (1 - p)$")
    chain.step("known: part 3", "F", "los otros pesos", "the other weights")
    chain.start("q * (1 - q)")
    chain.step("at most: q**2", "q", "la diferencia es un cuadrado", "the difference is a square")
    chain.step("known: part 3", "F", "los otros pesos", "the other weights")
    chain.start("outer(q, q)")
    chain.step(
        "at most: outer(q, p + r) | part 5; one == ones(m)",
        "outer(q, one)",
        "la diferencia es $q_i (1 - q_j)$",
        "the difference is $q_i (1 - q_j)$",
    )
    chain.step("monotone: part 3", "outer(F, one)", "los otros pesos", "the other weights")
