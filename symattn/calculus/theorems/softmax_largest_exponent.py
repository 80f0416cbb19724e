"""With the largest score taken away no exponent is above 0, so that no exponential is above 1, and their sum is at least 1."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both("Restado el máximo, ningún exponente pasa de 0", "With the maximum taken away, no exponent is above 0")
EXAMPLE = {"s": "[180, 210, 95]"}
FALSE_TWIN = "exp(s) <= 1"


def derive() -> Derivation:
    """s_i − max s ≤ 0, e^{s_i − max s} ≤ 1 ≤ Σ e^{s_i − max s}, and the weights are the same (softmax-shift)."""
    chain = Chain("softmax-largest-exponent", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.define("m", "max(s)", "el mayor puntaje", "the largest score")
    chain.define("c", "ones(n) * m", "el mayor, en todas las entradas", "the largest, at every entry")
    chain.define("t", "s - m", "los exponentes que quedan", "the exponents that remain")
    chain.define("z", "c - c", "ceros", "zeros")
    _exponents(chain)
    _exponentials(chain)
    _sum(chain)
    _weights(chain)
    return chain.done()


def _exponents(chain: Chain) -> None:
    chain.part("Los exponentes", "The exponents")
    chain.start("s")
    chain.step("maximum", "ones(n) * max(s)", "ninguno pasa del máximo", "none is above the maximum")
    chain.step("definition: c, m", "c", "lo que $c$ es", "what $c$ is")
    chain.start("t")
    chain.step("definition: t", "s - m", "lo que $t$ es", "what $t$ is")
    chain.step("monotone: part 1", "c - m", "una resta crece con el minuendo", "a difference grows with what it is taken from")
    chain.step("definition: c", "ones(n) * m - m", "lo que $c$ es", "what $c$ is")
    chain.step("collect", "0", "una diferencia de iguales", "a difference of equals")


def _exponentials(chain: Chain) -> None:
    chain.part("Las exponenciales", "The exponentials")
    chain.start("t")
    chain.step("definition: t", "s - m", "lo que $t$ es", "what $t$ is")
    chain.step("monotone: part 1", "c - m", "otra vez", "again")
    chain.step("using: c == ones(n) * m", "c - c", "$c_i = m$", "$c_i = m$")
    chain.step("definition: z", "z", "ceros", "zeros")
    chain.start("exp(t)")
    chain.step("monotone: part 3", "exp(z)", "la exponencial crece", "the exponential rises")
    chain.step("definition: z", "exp(c - c)", "lo que $z$ es", "what $z$ is")
    chain.step("exponential law", "1", "$e^0 = 1$", "$e^0 = 1$")


def _sum(chain: Chain) -> None:
    chain.part("Su suma", "Their sum")
    chain.start("sum(exp(t))")
    chain.step("maximum", "exp(max(t))", "la mayor es uno de los sumandos", "the largest is one of the terms")
    chain.step("definition: t, m", "exp(max(s - max(s)))", "lo que $t$ es", "what $t$ is")
    chain.step("exponential law", "1", "el mayor exponente es $\\max s - \\max s$", "the largest exponent is $\\max s - \\max s$")


def _weights(chain: Chain) -> None:
    chain.part("Los pesos no cambian", "The weights do not change")
    chain.start("softmax(t)")
    chain.step("definition: t", "softmax(s - m)", "lo que $t$ es", "what $t$ is")
    chain.step("function: softmax", "exp(s - m) / sum(exp(s - m))", "lo que softmax quiere decir", "what softmax means")
    chain.step("cancel", "exp(s) / sum(exp(s))", "$e^{-m}$ se va de arriba y de abajo", "$e^{-m}$ leaves above and below")
    chain.step("function: softmax", "softmax(s)", "otra vez lo que softmax quiere decir", "what softmax means, again")
