"""A sink is a key without a value: it takes weight, so that the rest sums to less than 1, and leaves the shares of the others as
they are.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("El sumidero: una clave sin valor que se lleva peso", "The sink: a key without a value that takes weight")
EXAMPLE = {"s": "[0, 1, -1]", "b": "1", "V": "[[1, 2], [3, -1], [0, 1]]"}
FALSE_TWIN = "sum(P) == 1"


def derive() -> Derivation:
    """P = E / (Z + e^b): Σ P = 1 − e^b / (Z + e^b) < 1, P = softmax(s) · σ(log Z − b), and P @ V is attention with one more key of
    value 0.
    """
    chain = Chain("attention-sink", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("b", "", "puntaje del sumidero", "score of the sink")
    chain.given("V", "n, d_v", "valores", "values")
    chain.define("E", "exp(s)", "exponenciales", "exponentials")
    chain.define("Z", "sum(E)", "su suma", "their sum")
    chain.define("f", "exp(b)", "exponencial del sumidero", "exponential of the sink")
    chain.define("P", "E / (Z + f)", "pesos", "weights")
    chain.define("w", "f / (Z + f)", "peso del sumidero", "weight of the sink")
    chain.define("g", "Z / (Z + f)", "lo que queda para las claves", "what is left for the keys")
    chain.define("L", "log(Z)", "log-sum-exp")
    chain.part("Lo que suman", "What they sum to")
    chain.start("sum(P)")
    chain.step("definition: P", "sum(E / (Z + f))", "lo que $P$ es", "what $P$ is")
    chain.step("distribute", "sum(E) / (Z + f)", "el divisor no depende de la clave", "the divisor does not depend on the key")
    chain.step("definition: Z, g", "g", "lo que $g$ es", "what $g$ is")
    chain.start("g")
    chain.step("definition: g", "Z / (Z + f)", "lo que $g$ es", "what $g$ is")
    chain.step("distribute", "1 - f / (Z + f)", "lo que no se lleva el sumidero", "what the sink does not take")
    chain.step("definition: w", "1 - w", "el peso del sumidero", "the weight of the sink")
    chain.start("w")
    chain.step("definition: w, f, Z, E", "exp(b) / (sum(exp(s)) + exp(b))", "todo es exponenciales", "all is exponentials")
    chain.step("positive", "0", "así que las claves suman menos de 1", "so the keys sum to less than 1")
    chain.part("Las partes de las claves no cambian", "The shares of the keys do not change")
    chain.start("P")
    chain.step("definition: P", "E / (Z + f)", "lo que $P$ es", "what $P$ is")
    chain.step("collect", "E / Z * (Z / (Z + f))", "por $Z / Z$", "times $Z / Z$")
    chain.step("definition: E, Z, g", "exp(s) / sum(exp(s)) * g", "lo que son", "what they are")
    chain.step("function: softmax", "softmax(s) * g", "softmax por un solo número", "softmax times one number")
    chain.part("Ese número es una compuerta", "That number is a gate")
    chain.start("g")
    chain.step("definition: g", "Z / (Z + f)", "lo que $g$ es", "what $g$ is")
    chain.step("rearrange", "1 / (1 + f / Z)", "todo entre $Z$", "all over $Z$")
    chain.step("definition: f", "1 / (1 + exp(b) / Z)", "lo que $f$ es", "what $f$ is")
    chain.step("logarithm law", "1 / (1 + exp(-(log(Z) - b)))", "$1/Z = e^{-\\log Z}$", "$1/Z = e^{-\\log Z}$")
    chain.step("definition: L", "1 / (1 + exp(-(L - b)))", "log-sum-exp")
    chain.step("function: sigmoid", "sigmoid(L - b)", "una sigmoide", "a sigmoid")
    chain.part("Como una clave más", "As one more key")
    chain.start("P @ V")
    chain.step("definition: P", "(E / (Z + f)) @ V", "lo que $P$ es", "what $P$ is")
    chain.step("distribute", "(E @ V) / (Z + f)", "el divisor sale", "the divisor leaves")
    chain.step("collect", "(E @ V + f * 0) / (Z + f)", "su valor es 0", "its value is 0")
    return chain.done()
