"""Rescaling put off: dividing once at the end is the same as dividing after each block, and a reference may be kept while blocks go by."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "online"
TITLE = Both(
    "Dividir al final y conservar la referencia no cambia la salida",
    "Dividing at the end and keeping the reference leave the output as it is",
)
EXAMPLE = {
    "m_1": "1", "l_1": "2", "a_1": "[1, 2]", "t": "[2, -1, 1]", "W": "[[0, 1], [2, 2], [1, 5]]", "M": "3",
}  # fmt: skip
FALSE_TWIN = "(l_1 * o_1 + E @ W) / l == a / l"


def derive() -> Derivation:
    """o₁ = a₁ / l₁ is divided; with f = e^{m₁ − M}: (f l₁ o₁ + Σ e^{t − M} W) / l = a / l, and M = m₁ needs no factor."""
    chain = Chain("deferred-rescaling", TITLE.es, TITLE.en)
    chain.given("m_1", "", "referencia hasta ahora", "reference until now")
    chain.given("l_1", "", "suma hasta ahora", "sum until now")
    chain.given("a_1", "d_v", "mezcla sin dividir hasta ahora", "undivided mix until now")
    chain.given("t", "m", "puntajes del bloque nuevo", "scores of the new block")
    chain.given("W", "m, d_v", "sus valores", "its values")
    chain.given("M", "", "referencia nueva, cualquiera", "new reference, any number")
    chain.define("o_1", "a_1 / l_1", "la salida hasta ahora, dividida", "the output until now, divided")
    chain.define("f", "exp(m_1 - M)", "factor del cambio de referencia", "factor of the change of reference")
    chain.define("E", "exp(t - M)", "exponenciales con la referencia nueva", "exponentials with the new reference")
    chain.define("K", "exp(t - m_1)", "exponenciales con la referencia de antes", "exponentials with the reference as it was")
    chain.define("l", "f * l_1 + sum(E)", "suma, cambiada de referencia", "sum, its reference changed")
    chain.define("a", "f * a_1 + E @ W", "mezcla, cambiada de referencia", "mix, its reference changed")
    chain.define("g", "l_1 + sum(K)", "suma con la referencia de antes", "sum with the reference as it was")
    chain.define("h", "a_1 + K @ W", "mezcla con la referencia de antes", "mix with the reference as it was")
    chain.part("Dividir en cada bloque o una vez", "Dividing at each block or once")
    chain.start("(f * l_1 * o_1 + E @ W) / l")
    chain.step("definition: o_1", "(f * l_1 * (a_1 / l_1) + E @ W) / l", "lo que $o_1$ es", "what $o_1$ is")
    chain.step("cancel", "(f * a_1 + E @ W) / l", "$l_1$ deshace la división", "$l_1$ undoes the division")
    chain.step("definition: a", "a / l", "la mezcla que se divide al final", "the mix that is divided at the end")
    chain.part("Las exponenciales con otra referencia", "The exponentials with another reference")
    chain.start("E")
    chain.step("definition: E", "exp(t - M)", "lo que $E$ es", "what $E$ is")
    chain.step("exponential law", "exp(m_1 - M) * exp(t - m_1)", "por la referencia de antes", "by way of the reference as it was")
    chain.step("definition: f, K", "f * K", "en breve", "in short")
    chain.part("La suma y la mezcla", "The sum and the mix")
    chain.start("l")
    chain.step("definition: l", "f * l_1 + sum(E)", "lo que $l$ es", "what $l$ is")
    chain.step("using: part 2", "f * l_1 + sum(f * K)", "lo de arriba", "the line above")
    chain.step("collect", "f * (l_1 + sum(K))", "factor común", "a common factor")
    chain.step("definition: g", "f * g", "lo que $g$ es", "what $g$ is")
    chain.start("a")
    chain.step("definition: a", "f * a_1 + E @ W", "lo que $a$ es", "what $a$ is")
    chain.step("using: part 2", "f * a_1 + (f * K) @ W", "lo de arriba", "the line above")
    chain.step("collect", "f * (a_1 + K @ W)", "factor común", "a common factor")
    chain.step("definition: h", "f * h", "lo que $h$ es", "what $h$ is")
    chain.part("Conservar la referencia", "Keeping the reference")
    chain.start("a / l")
    chain.step("using: part 3; part 4", "f * h / (f * g)", "las dos a la vez", "both at once")
    chain.step("cancel", "h / g", "el factor se va: no hizo falta", "the factor goes: it was not needed")
    return chain.done()
