"""What a divisor of the scores does to the ratio of two weights: none, √d, and d.

z are the scores divided by √d, which keep their size when d grows (scaling-variance); that is a hypothesis about q and k, not a step."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "saturation"
TITLE = Both(r"Qué hace cada divisor: nada, $\sqrt{d}$ y $d$", r"What each divisor does: none, $\sqrt{d}$ and $d$")
EXAMPLE = {"q": "[2, 2, 2, 2]", "K": "[[1, 1, 1, 1], [1, 0, 0, 0]]"}
FALSE_TWIN = "entries(flat[i] / flat[j], i=n, j=n) == entries(exp(z[i] - z[j]), i=n, j=n)"


def derive() -> Derivation:
    """p_i / p_j is e^{√d (z_i − z_j)} without a divisor, e^{z_i − z_j} with √d, and e^{(z_i − z_j)/√d} with d, which tends to 1."""
    chain = Chain("saturation-divisor", TITLE.es, TITLE.en)
    chain.given("q", "d", "una query", "a query")
    chain.given("K", "n, d", "las keys, una por fila", "the keys, one a row")
    chain.define("S", "K @ q", "los puntajes", "the scores")
    chain.define("z", "S / sqrt(d)", "los puntajes escalados", "the scaled scores")
    chain.define("sharp", "softmax(S)", "los pesos sin divisor", "the weights without a divisor")
    chain.define("p", "softmax(S / sqrt(d))", "los pesos con $\\sqrt{d}$", "the weights with $\\sqrt{d}$")
    chain.define("flat", "softmax(S / d)", "los pesos con $d$", "the weights with $d$")
    _ratio(chain, "sharp", "S", "sqrt(d) * z", "sqrt(d) * (z[i] - z[j])", "Sin divisor", "Without a divisor")
    _ratio(chain, "p", "S / sqrt(d)", "z", "z[i] - z[j]", "Con $\\sqrt{d}$", "With $\\sqrt{d}$")
    _ratio(chain, "flat", "S / d", "z / sqrt(d)", "(z[i] - z[j]) / sqrt(d)", "Con $d$", "With $d$")
    return chain.done()


def _ratio(chain: Chain, name: str, inside: str, scaled: str, gap: str, es: str, en: str) -> None:
    chain.part(es, en)
    chain.start(f"entries({name}[i] / {name}[j], i=n, j=n)")
    weights = f"softmax({inside})"
    chain.step(f"definition: {name}", f"entries({weights}[i] / {weights}[j], i=n, j=n)", "los pesos", "the weights")
    weights = f"softmax({scaled})"
    if name == "p":
        chain.step("definition: z", f"entries({weights}[i] / {weights}[j], i=n, j=n)", "los puntajes escalados", "the scaled scores")
    else:
        chain.step(
            f"using: softmax({inside}) == softmax({scaled})",
            f"entries({weights}[i] / {weights}[j], i=n, j=n)",
            "$S = \\sqrt{d} z$",
            "$S = \\sqrt{d} z$",
        )
    weights = f"(exp({scaled}) / sum(exp({scaled})))"
    chain.step("function: softmax", f"entries({weights}[i] / {weights}[j], i=n, j=n)", "lo que softmax es", "what softmax is")
    chain.step("cancel", f"entries(exp({scaled})[i] / exp({scaled})[j], i=n, j=n)", "el mismo divisor", "the same divisor")
    chain.step("exponential law", f"entries(exp({gap}), i=n, j=n)", "$e^a / e^b = e^{a - b}$", "$e^a / e^b = e^{a - b}$")
