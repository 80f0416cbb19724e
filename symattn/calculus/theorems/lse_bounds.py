"""Log-sum-exp lies between the largest score and the largest score plus log n."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both(
    r"Log-sum-exp está entre el máximo y el máximo más $\log n$", r"Log-sum-exp is between the maximum and the maximum plus $\log n$"
)
EXAMPLE = {"s": "[0, 1, -1]"}
FALSE_TWIN = "log(Z) <= m"


def derive() -> Derivation:
    """max s ≤ log Σ e^{s_i} ≤ max s + log n."""
    chain = Chain("lse-bounds", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.define("m", "max(s)", "el mayor puntaje", "the largest score")
    chain.define("c", "ones(n) * m", "el mayor, en todas las entradas", "the largest, at every entry")
    chain.define("E", "exp(s)")
    chain.define("T", "exp(m)")
    chain.define("C", "exp(c)")
    chain.define("Z", "sum(E)")
    chain.define("N", "sum(C)")
    _below(chain)
    _above(chain)
    return chain.done()


def _below(chain: Chain) -> None:
    chain.part("Por debajo", "From below")
    chain.start("T")
    chain.step("definition: T, m", "exp(max(s))", "lo que $T$ es", "what $T$ is")
    chain.step(
        "maximum", "sum(exp(s))", "es uno de los sumandos, y los otros son positivos", "it is one of the terms, and the others are positive"
    )
    chain.step("definition: Z, E", "Z", "la suma es $Z$", "the sum is $Z$")
    chain.start("m")
    chain.step("logarithm law", "log(exp(m))", "el logaritmo deshace la exponencial", "the logarithm undoes the exponential")
    chain.step("definition: T", "log(T)", "lo que $T$ es", "what $T$ is")
    chain.step("monotone: part 1", "log(Z)", "el logaritmo crece", "the logarithm rises")


def _above(chain: Chain) -> None:
    chain.part("Por encima", "From above")
    chain.start("s")
    chain.step("maximum", "ones(n) * max(s)", "ninguno pasa del máximo", "none is above the maximum")
    chain.step("definition: c, m", "c", "lo que $c$ es", "what $c$ is")
    chain.start("E")
    chain.step("definition: E", "exp(s)", "lo que $E$ es", "what $E$ is")
    chain.step("monotone: part 3", "exp(c)", "la exponencial crece", "the exponential rises")
    chain.step("definition: C", "C", "lo que $C$ es", "what $C$ is")
    chain.start("Z")
    chain.step("definition: Z", "sum(E)", "lo que $Z$ es", "what $Z$ is")
    chain.step("monotone: part 4", "sum(C)", "término a término", "term by term")
    chain.step("definition: N", "N", "lo que $N$ es", "what $N$ is")
    chain.start("log(Z)")
    chain.step("monotone: part 5", "log(N)", "el logaritmo crece", "the logarithm rises")
    chain.step("definition: N, C, c", "log(sum(exp(ones(n) * m)))", "lo que $N$ es", "what $N$ is")
    chain.step("exponential law", "log(n * exp(m))", "$n$ términos iguales", "$n$ equal terms")
    chain.step("logarithm law", "log(n) + m", "el logaritmo de un producto", "the logarithm of a product")
