"""One key after the other: the running sum and mix keep what they stand for, whatever the references are.

This is the step of an induction over the keys; its start is the first key. What it keeps, l = e^{−m} Z and a = e^{−m} N with Z and N the
sum and the mix of the keys read so far, gives a / l = N / Z at every moment.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "online"
TITLE = Both("Softmax en línea, clave por clave: lo que se conserva", "Online softmax, key by key: what is kept")
EXAMPLE = {"Z": "3", "N": "[1, 5]", "m": "1", "s": "2", "v": "[4, -1]", "M": "2"}
FALSE_TWIN = "l + exp(s - M) == exp(-M) * (Z + exp(s))"


def derive() -> Derivation:
    """l′ = e^{m − M} l + e^{s − M} = e^{−M} (Z + e^s), a′ = e^{m − M} a + e^{s − M} v = e^{−M} (N + e^s v)."""
    chain = Chain("online-recurrence", TITLE.es, TITLE.en)
    chain.given("Z", "", "suma de las exponenciales leídas", "sum of the exponentials read")
    chain.given("N", "d_v", "sus valores, con las exponenciales", "their values, with the exponentials")
    chain.given(
        "m", "", "referencia hasta ahora: el mayor puntaje leído, o cualquiera", "reference until now: the largest score read, or any"
    )
    chain.given("s", "", "el puntaje que sigue", "the next score")
    chain.given("v", "d_v", "su valor", "its value")
    chain.given("M", "", "referencia nueva: el mayor de $m$ y $s$, o cualquiera", "new reference: the larger of $m$ and $s$, or any")
    chain.define("l", "exp(-m) * Z", "la suma que se guarda", "the sum that is kept")
    chain.define("a", "exp(-m) * N", "la mezcla que se guarda", "the mix that is kept")
    chain.define("l_new", "exp(m - M) * l + exp(s - M)", "la suma, un paso después", "the sum, one step later")
    chain.define("a_new", "exp(m - M) * a + exp(s - M) * v", "la mezcla, un paso después", "the mix, one step later")
    chain.define("c", "exp(-M)", "lo que trae la referencia nueva", "what the new reference brings")
    chain.define("w", "exp(s)", "la exponencial del puntaje", "the exponential of the score")
    chain.part("La primera clave", "The first key")
    chain.start("exp(s - M)")
    chain.step("exponential law", "exp(-M) * exp(s)", "$Z = e^s$ cuando hay una sola clave", "$Z = e^s$ when there is one key only")
    chain.step("definition: c, w", "c * w", "en breve", "in short")
    _one(chain, "l", "Z", "", "La suma", "The sum")
    _one(chain, "a", "N", " * v", "La mezcla", "The mix")
    chain.part("El cociente", "The quotient")
    chain.start("a_new / l_new")
    chain.step("using: part 2; part 3", "c * (N + w * v) / (c * (Z + w))", "las dos a la vez", "both at once")
    chain.step("cancel", "(N + w * v) / (Z + w)", "la referencia no importa", "the reference does not matter")
    return chain.done()


def _one(chain: Chain, kept: str, stands: str, value: str, es: str, en: str) -> None:
    chain.part(es, en)
    chain.start(f"{kept}_new")
    chain.step(
        f"definition: {kept}_new, {kept}",
        f"exp(m - M) * (exp(-m) * {stands}) + exp(s - M){value}",
        "lo guardado, cambiado de referencia, y la clave nueva",
        "what was kept, its reference changed, and the new key",
    )
    chain.step(
        "exponential law",
        f"exp(-M) * {stands} + exp(-M) * exp(s){value}",
        "$e^{m - M} e^{-m} = e^{-M}$: la referencia de antes se va",
        "$e^{m - M} e^{-m} = e^{-M}$: the reference as it was goes",
    )
    chain.step("definition: c, w", f"c * {stands} + c * w{value}", "en breve", "in short")
    chain.step("collect", f"c * ({stands} + w{value})", "factor común", "a common factor")
