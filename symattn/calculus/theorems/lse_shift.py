"""A constant comes out of log-sum-exp. When it is minus the largest score, no exponent is above 0: that is softmax-largest-exponent."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both("Una constante sale de log-sum-exp", "A constant comes out of log-sum-exp")
EXAMPLE = {"s": "[0, 1, -1]", "c": "7"}
FALSE_TWIN = "log(sum(exp(s * c))) == c * log(Z)"


def derive() -> Derivation:
    """log Σ e^{s_i + c} = c + log Σ e^{s_i}."""
    chain = Chain("lse-shift", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("c", "", "una constante, cualquiera", "any constant")
    chain.define("Z", "sum(exp(s))")
    chain.define("Z_c", "sum(exp(s + c))", "la misma suma, con la constante", "the same sum, with the constant")
    chain.part("La suma", "The sum")
    chain.start("Z_c")
    chain.step("definition: Z_c", "sum(exp(s + c))", "lo que $Z_c$ es", "what $Z_c$ is")
    chain.step("exponential law", "sum(exp(s) * exp(c))", "$e^{a+b} = e^a e^b$", "$e^{a+b} = e^a e^b$")
    chain.step("rearrange", "exp(c) * sum(exp(s))", "$e^c$ no depende del índice", "$e^c$ does not depend on the index")
    chain.step("definition: Z", "exp(c) * Z", "lo que queda es $Z$", "what remains is $Z$")
    chain.part("Su logaritmo", "Its logarithm")
    chain.start("log(Z_c)")
    chain.step("using: part 1", "log(exp(c) * Z)", "la suma de arriba", "the sum above")
    chain.step("logarithm law", "log(exp(c)) + log(Z)", "el logaritmo de un producto", "the logarithm of a product")
    chain.step("logarithm law", "c + log(Z)", "el logaritmo deshace la exponencial", "the logarithm undoes the exponential")
    return chain.done()
