"""At high temperature (a small factor β) the weights become equal: n p_i lies between e^{−βR} and e^{βR}, R the range of the scores.

The limit for β → 0 is read off the two bounds, which are both 1 there."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both("A temperatura alta los pesos se igualan", "At high temperature the weights become equal")
EXAMPLE = {"s": "[0, 1, -1]", "beta": "1/10"}
FALSE_TWIN = "1 / p <= n * ones(n)"


def derive() -> Derivation:
    """1/p_i = Σ_j e^{β(s_j − s_i)}, and −R ≤ s_j − s_i ≤ R = max s − min s: n e^{−βR} ≤ 1/p_i ≤ n e^{βR} for β ≥ 0."""
    chain = Chain("softmax-hot", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("beta", "", "temperatura inversa", "inverse temperature")
    chain.suppose("beta >= 0")
    chain.define("p", "exp(beta * s) / sum(exp(beta * s))", "pesos", "weights")
    chain.define("R", "max(s) + max(-s)", "la amplitud de los puntajes", "the range of the scores")
    chain.define("D", "entries(s[j] - s[i], i=n, j=n)", "diferencias", "gaps")
    chain.define("C", "-D", "las mismas, al revés", "the same, turned round")
    chain.define("W", "R * ones(n, n)", "la amplitud, en todas las entradas", "the range, at every entry")
    chain.define("M", "-W", "menos la amplitud", "minus the range")
    for letter, source in (("X", "D"), ("Y", "W"), ("U", "M")):
        chain.define(letter, f"beta * {source}")
    for letter, source in (("G", "X"), ("H", "Y"), ("K", "U")):
        chain.define(letter, f"exp({source})")
    _gaps(chain)
    _sums(chain)
    _weights(chain)
    return chain.done()


def _gaps(chain: Chain) -> None:
    chain.part("Las diferencias", "The gaps")
    chain.start("D")
    chain.step("definition: D", "entries(s[j] - s[i], i=n, j=n)", "lo que $D$ es", "what $D$ is")
    chain.step("maximum", "entries(max(s) - s[i], i=n, j=n)", "ninguno pasa del máximo", "none is above the maximum")
    chain.step("maximum", "entries(max(s) + max(-s), i=n, j=n)", "ni baja del mínimo", "nor below the minimum")
    chain.step("using: W == entries(max(s) + max(-s), i=n, j=n)", "W", "la amplitud", "the range")
    chain.start("C")
    chain.step("using: C == entries(s[i] - s[j], i=n, j=n)", "entries(s[i] - s[j], i=n, j=n)", "lo que $C$ es", "what $C$ is")
    chain.step("maximum", "entries(max(s) - s[j], i=n, j=n)", "ninguno pasa del máximo", "none is above the maximum")
    chain.step("maximum", "entries(max(s) + max(-s), i=n, j=n)", "ni baja del mínimo", "nor below the minimum")
    chain.step("using: W == entries(max(s) + max(-s), i=n, j=n)", "W", "la amplitud", "the range")
    chain.start("D")
    chain.step("using: D == -C", "-C", "al revés", "turned round")
    chain.step("monotone: part 2", "-W", "el signo da vuelta la comparación", "the sign turns the comparison round")
    chain.step("definition: M", "M", "lo que $M$ es", "what $M$ is")


def _sums(chain: Chain) -> None:
    for part, name, bound, x, y in ((1, "G", "H", "X", "Y"), (3, "G", "K", "X", "U")):
        after = "W" if bound == "H" else "M"
        chain.part("Las exponenciales", "The exponentials")
        chain.start(x)
        chain.step(f"definition: {x}", "beta * D", f"lo que ${x}$ es", f"what ${x}$ is")
        chain.step(f"monotone: part {part}", f"beta * {after}", "$\\beta$ no es negativo", "$\\beta$ is not negative")
        chain.step(f"definition: {y}", y, f"lo que ${y}$ es", f"what ${y}$ is")
        chain.start(name)
        at = 4 if bound == "H" else 7
        chain.step(f"definition: {name}", f"exp({x})", f"lo que ${name}$ es", f"what ${name}$ is")
        chain.step(f"monotone: part {at}", f"exp({y})", "la exponencial crece", "the exponential rises")
        chain.step(f"definition: {bound}", bound, f"lo que ${bound}$ es", f"what ${bound}$ is")
        chain.start(f"sum({name})")
        chain.step(f"monotone: part {at + 1}", f"sum({bound})", "término a término", "term by term")


def _weights(chain: Chain) -> None:
    chain.part("Los pesos", "The weights")
    for part, bound, end in ((6, "H", "n * exp(beta * R) * ones(n)"), (9, "K", "n * exp(-beta * R) * ones(n)")):
        chain.start("1 / p")
        chain.step(
            "using: 1 / p == sum(G)", "sum(G)", "$\\sum_j e^{\\beta s_j} / e^{\\beta s_i}$", "$\\sum_j e^{\\beta s_j} / e^{\\beta s_i}$"
        )
        chain.step(f"known: part {part}", f"sum({bound})", "la cota de arriba", "the bound above")
        chain.step(f"using: sum({bound}) == {end}", end, "$n$ términos iguales", "$n$ equal terms")
