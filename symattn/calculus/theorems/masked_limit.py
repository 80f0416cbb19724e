"""A finite penalty in place of a mask: masked keys keep a positive weight, which vanishes as the penalty grows; the mask itself is
that limit.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("La máscara como límite de un castigo que crece", "The mask as the limit of a growing penalty")
EXAMPLE = {"s": "[0, 1]", "u": "[2, -1, 1]", "t": "5"}
FALSE_TWIN = "q == 0"


def derive() -> Derivation:
    """q = e^{u − t} / (Z + e^{−t} Y) is above 0 for every t, at most e^{−t} e^u / Z, and tends to 0; the others tend to e^s / Z."""
    chain = Chain("masked-limit", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes permitidos", "allowed scores")
    chain.given("u", "m", "puntajes prohibidos", "masked scores")
    chain.given("t", "", "el castigo", "the penalty")
    chain.define("E", "exp(s)", "exponenciales permitidas", "allowed exponentials")
    chain.define("Z", "sum(E)", "su suma", "their sum")
    chain.define("F", "exp(u)", "exponenciales prohibidas, sin castigo", "masked exponentials, without the penalty")
    chain.define("Y", "sum(F)", "su suma", "their sum")
    chain.define("c", "exp(-t)", "el castigo, como factor", "the penalty, as a factor")
    chain.define("q", "F * c / (Z + c * Y)", "pesos prohibidos", "masked weights")
    chain.define("p", "E / (Z + c * Y)", "pesos permitidos", "allowed weights")
    chain.part("Nunca es 0", "It is never 0")
    chain.start("q")
    chain.step("definition: q, F, c, Z, E, Y", "exp(u) * exp(-t) / (sum(exp(s)) + exp(-t) * sum(exp(u)))", "lo que $q$ es", "what $q$ is")
    chain.step("positive", "0", "un castigo finito no es una máscara", "a finite penalty is no mask")
    chain.part("Pero poco", "But little")
    chain.start("Z")
    chain.step("definition: Z, E", "sum(exp(s))", "lo que $Z$ es", "what $Z$ is")
    chain.step("positive", "0", "son exponenciales", "they are exponentials")
    chain.start("q")
    chain.step("definition: q", "F * c / (Z + c * Y)", "lo que $q$ es", "what $q$ is")
    chain.step(
        "at most: F * c * c * Y / (Z * (Z + c * Y)) | part 2", "F * c / Z", "el divisor es mayor que $Z$", "the divisor is larger than $Z$"
    )
    chain.part("En el límite", "In the limit")
    chain.start("q")
    chain.step("definition: q, F, c, Z, E, Y", "exp(u) * exp(-t) / (sum(exp(s)) + exp(-t) * sum(exp(u)))", "lo que $q$ es", "what $q$ is")
    chain.step("tends: t", "0", "la exponencial del castigo se va", "the exponential of the penalty vanishes")
    chain.start("p")
    chain.step("definition: p, c, Z, E, Y, F", "exp(s) / (sum(exp(s)) + exp(-t) * sum(exp(u)))", "lo que $p$ es", "what $p$ is")
    chain.step(
        "tends: t | -(exp(s) / sum(exp(s))) * (exp(-t) * sum(exp(u)) / (sum(exp(s)) + exp(-t) * sum(exp(u))))",
        "exp(s) / sum(exp(s))",
        "lo que falta lleva $e^{-t}$",
        "what is missing has $e^{-t}$",
    )
    chain.step("function: softmax", "softmax(s)", "los pesos con la máscara", "the weights with the mask")
    return chain.done()
