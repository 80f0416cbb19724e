"""The gradient of log-sum-exp is softmax."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both("El gradiente de log-sum-exp es softmax", "The gradient of log-sum-exp is softmax")
EXAMPLE = {"s": "[0, 1, -1]", "v": "[1, 2, 0]"}
FALSE_TWIN = "derivative(L, s, v) == sum(exp(s) * v)"


def derive() -> Derivation:
    """∂ log Σ e^{s_i} = Σ p_i v_i along every v."""
    chain = Chain("lse-gradient", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("v", "n", "una dirección, cualquiera", "any direction")
    chain.define("Z", "sum(exp(s))")
    chain.define("L", "log(Z)", "log-sum-exp")
    chain.start("derivative(L, s, v)")
    chain.step("definition: L", "derivative(log(Z), s, v)", "$L$ es un logaritmo", "$L$ is a logarithm")
    chain.step("derivative of log", "derivative(Z, s, v) / Z", "$Z > 0$: una suma de exponenciales", "$Z > 0$: a sum of exponentials")
    chain.step(
        "definition: Z", "derivative(sum(exp(s)), s, v) / Z", "lo que hay que derivar, a la vista", "what is to be differentiated, in sight"
    )
    chain.step(
        "sum rule", "sum(derivative(exp(s), s, v)) / Z", "la derivada entra en la suma finita", "the derivative goes into the finite sum"
    )
    chain.step("derivative of exp", "sum(exp(s) * v) / Z", "$e^{s_i}$ solo depende de $s_i$", "$e^{s_i}$ depends on $s_i$ only")
    chain.step("definition: Z", "sum(exp(s) * v) / sum(exp(s))", "la definición de $Z$", "the definition of $Z$")
    chain.step("rearrange", "sum(exp(s) / sum(exp(s)) * v)", "cada término se lleva su divisor", "each term takes its divisor along")
    chain.step("function: softmax", "sum(softmax(s) * v)", "el cociente es softmax", "the quotient is softmax")
    return chain.done("derivative(L, s, v) == sum(softmax(s) * v)")
