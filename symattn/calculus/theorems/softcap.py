"""A soft cap keeps scores strictly between -c and c, with a slope between 0 and 1 that is 1 at 0."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("El tope suave acota los puntajes entre $-c$ y $c$", "A soft cap keeps scores between $-c$ and $c$")
EXAMPLE = {"s": "[0, 1, -3]", "c": "2", "s_dot": "[1, 2, 3]"}
FALSE_TWIN = "y <= s"


def derive() -> Derivation:
    """c − c tanh(s/c) = 2c / (e^{2s/c} + 1) > 0, and from below likewise; the derivative is 1 − tanh²(s/c)."""
    chain = Chain("softcap", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("c", "", "el tope", "the cap")
    chain.given("s_dot", "n", "una dirección, cualquiera", "any direction")
    chain.suppose("c > 0")
    chain.define("y", "c * tanh(s / c)", "puntajes con tope", "capped scores")
    chain.define("t", "tanh(s / c)")
    chain.part("Por arriba", "From above")
    chain.start("y")
    chain.step("definition: y", "c * tanh(s / c)", "lo que $y$ es", "what $y$ is")
    chain.step("function: tanh", "c * ((exp(2 * (s / c)) - 1) / (exp(2 * (s / c)) + 1))", "tanh por exponenciales", "tanh by exponentials")
    chain.step(
        "less than: 2 * c / (exp(2 * (s / c)) + 1)",
        "c",
        "la diferencia es $2c / (e^{2s/c} + 1)$",
        "the difference is $2c / (e^{2s/c} + 1)$",
    )
    chain.part("Por debajo", "From below")
    chain.start("y")
    chain.step("definition: y", "c * tanh(s / c)", "lo que $y$ es", "what $y$ is")
    chain.step("function: tanh", "c * ((exp(2 * (s / c)) - 1) / (exp(2 * (s / c)) + 1))", "tanh por exponenciales", "tanh by exponentials")
    chain.step(
        "more than: 2 * c * exp(2 * (s / c)) / (exp(2 * (s / c)) + 1)",
        "-c",
        "la diferencia es $2c\\, e^{2s/c} / (e^{2s/c} + 1)$",
        "the difference is $2c\\, e^{2s/c} / (e^{2s/c} + 1)$",
    )
    chain.part("La pendiente", "The slope")
    chain.start("derivative(y, s, s_dot)")
    chain.step("definition: y", "derivative(c * tanh(s / c), s, s_dot)", "lo que se deriva", "what is differentiated")
    chain.step("product rule", "c * derivative(tanh(s / c), s, s_dot)", "$c$ no depende de $s$", "$c$ does not depend on $s$")
    chain.step(
        "derivative of tanh",
        "c * ((1 - tanh(s / c)**2) * (s_dot / c))",
        "la derivada de tanh es $1 - \\tanh^2$",
        "the derivative of tanh is $1 - \\tanh^2$",
    )
    chain.step("cancel", "(1 - tanh(s / c)**2) * s_dot", "$c$ por $1/c$", "$c$ times $1/c$")
    chain.step("definition: t", "(1 - t**2) * s_dot", "en breve", "in short")
    chain.start("1 - t**2")
    chain.step("at most: t**2", "1", "un cuadrado no es negativo", "a square is not negative")
    chain.start("1 - t**2")
    chain.step("definition: t", "1 - tanh(s / c)**2", "lo que $t$ es", "what $t$ is")
    chain.step(
        "function: tanh", "1 - ((exp(2 * (s / c)) - 1) / (exp(2 * (s / c)) + 1))**2", "tanh por exponenciales", "tanh by exponentials"
    )
    chain.step(
        "more than: 4 * exp(2 * (s / c)) / (exp(2 * (s / c)) + 1)**2", "0", "$(e + 1)^2 - (e - 1)^2 = 4 e$", "$(e + 1)^2 - (e - 1)^2 = 4 e$"
    )
    return chain.done()
