"""The mean distance of a random walk of 2 and of 4 steps: n C(n, n/2) / 2ⁿ, less than the root mean square √n of scaling-walk.

At these sizes only; neither every even n nor the limit √(2n/π) is shown here."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "scaling"
TITLE = Both("La distancia media de un paseo de 2 y de 4 pasos", "The mean distance of a walk of 2 and of 4 steps")
EXAMPLE: dict[str, str] = {}
FALSE_TWIN = "sum_over(abs(e[i] + e[j] + e[k] + e[l]), i=2, j=2, k=2, l=2) / 2**4 == sqrt(4)"


def derive() -> Derivation:
    """Σ |e_i + e_j| / 4 = 2 · 2/4 = 1 and Σ |e_i + e_j + e_k + e_l| / 16 = 4 · 6/16 = 3/2 over all courses of steps e = −1, 1."""
    chain = Chain("scaling-walk-mean", TITLE.es, TITLE.en)
    chain.define("e", "2 * positions(2) - 1", "los dos pasos, $-1$ y $1$", "the two steps, $-1$ and $1$")
    _mean(chain, "ij", "2 * 2 / 2**2", "Dos pasos: 4 recorridos", "Two steps: 4 courses", "distancias 2, 0, 0, 2", "distances 2, 0, 0, 2")
    _mean(
        chain,
        "ijkl",
        "4 * 6 / 2**4",
        "Cuatro pasos: 16 recorridos",
        "Four steps: 16 courses",
        "dos a distancia 4, ocho a 2, seis a 0",
        "two at distance 4, eight at 2, six at 0",
    )
    chain.part("Menos que la raíz de la media de los cuadrados", "Less than the root of the mean of the squares")
    chain.start("4 * 6 / 2**4")
    chain.step("less than: 1 / 2", "sqrt(4)", "$3/2 < 2$", "$3/2 < 2$")
    return chain.done()


def _mean(chain: Chain, indices: str, value: str, es: str, en: str, why_es: str, why_en: str) -> None:
    ranges = ", ".join(f"{i}=2" for i in indices)
    courses = 2 ** len(indices)

    def mean(step: str) -> str:
        return f"sum_over(abs({' + '.join(f'{step}[{i}]' for i in indices)}), {ranges}) / 2**{len(indices)}"

    chain.part(es, en)
    chain.start(mean("e"))
    chain.step("definition: e", mean("(2 * positions(2) - 1)"), "lo que cada paso es", "what each step is")
    chain.step("distribute", value, f"los {courses}, uno por uno: {why_es}", f"the {courses}, one by one: {why_en}")
