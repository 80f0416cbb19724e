"""The variance of a dot product of independent random vectors with uncorrelated entries of size one is their length.

Random vectors are finite: q takes the rows of a matrix with the probabilities w, k those of another with the probabilities v, and each
pair has the product of both, which is independence. Nothing is said of distributions without finitely many values."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "scaling"
TITLE = Both(
    r"La varianza de $q \cdot k$ es $d$, y 1 después de dividir por $\sqrt{d}$",
    r"The variance of $q \cdot k$ is $d$, and 1 after dividing by $\sqrt{d}$",
)
EXAMPLE = {
    "w": "[1/4, 1/4, 1/4, 1/4]",
    "q": "[[1, 1], [1, -1], [-1, 1], [-1, -1]]",
    "v": "[1/2, 1/2]",
    "k": "[[1, 1], [1, -1]]",
}
FALSE_TWIN = "V == d"


def derive() -> Derivation:
    """E[q] = 0, E[q qᵀ] = I and E|k|² = d suffice: Var(q·k) = Σ_ij E[q_i q_j] E[k_i k_j] = E|k|² = d. The mean of k does not matter."""
    chain = Chain("scaling-variance", TITLE.es, TITLE.en)
    chain.given("w", "a", "probabilidades de los valores de $q$", "probabilities of the values of $q$")
    chain.given("q", "a, d", "los valores de $q$, uno por fila", "the values of $q$, one a row")
    chain.given("v", "b", "probabilidades de los valores de $k$", "probabilities of the values of $k$")
    chain.given("k", "b, d", "los valores de $k$, uno por fila", "the values of $k$, one a row")
    chain.define("S", "q @ k.T", "los productos punto", "the dot products")
    chain.define("m", "w @ q", "la media de $q$", "the mean of $q$")
    chain.define("A", "q.T @ (w * q)", "los segundos momentos de $q$", "the second moments of $q$")
    chain.define("B", "k.T @ (v * k)", "los segundos momentos de $k$", "the second moments of $k$")
    chain.define("T", "sum_over(B[i,i], i=d)", "la media de $|k|^2$", "the mean of $|k|^2$")
    chain.define("n", "v @ k", "la media de $k$", "the mean of $k$")
    chain.define("mu", "w @ S @ v", "la media de $q \\cdot k$", "the mean of $q \\cdot k$")
    chain.define("V", "w @ S**2 @ v - mu**2", "la varianza de $q \\cdot k$", "the variance of $q \\cdot k$")
    chain.define("R", "S / sqrt(d)", "los productos escalados", "the scaled products")
    chain.define("V_s", "w @ R**2 @ v - (w @ R @ v)**2", "su varianza", "their variance")
    for text in ("m == 0", "A == eye(d)", "T == d"):
        chain.suppose(text)
    _mean(chain)
    _second_moment(chain)
    _variance(chain)
    _scaled(chain)
    return chain.done()


def _mean(chain: Chain) -> None:
    chain.part("La media", "The mean")
    chain.start("mu")
    chain.step("definition: mu, S", "w @ (q @ k.T) @ v", "lo que $\\mu$ es", "what $\\mu$ is")
    chain.step(
        "rearrange",
        "sum(w @ q * (v @ k))",
        "$q$ y $k$ son independientes: cada promedio queda con lo suyo",
        "$q$ and $k$ are independent: each mean keeps what is its own",
    )
    chain.step("definition: m, n", "sum(m * n)", "los dos promedios", "the two means")


def _second_moment(chain: Chain) -> None:
    chain.part("El segundo momento", "The second moment")
    chain.start("w @ S**2 @ v")
    chain.step("definition: S", "w @ (q @ k.T)**2 @ v", "lo que $S$ es", "what $S$ is")
    chain.step(
        "rearrange",
        "sum(sum(q.T @ (w * q) * (k.T @ (v * k))))",
        "el cuadrado de una suma, por pares; otra vez cada promedio con lo suyo",
        "the square of a sum, by pairs; again each mean with what is its own",
    )
    chain.step("definition: A, B", "sum(sum(A * B))", "los segundos momentos", "the second moments")


def _variance(chain: Chain) -> None:
    chain.part("La varianza, con cualesquiera momentos", "The variance, with any moments")
    chain.start("V")
    chain.step("definition: V", "w @ S**2 @ v - mu**2", "lo que $V$ es", "what $V$ is")
    chain.step(
        "using: part 1; part 2", "sum(sum(A * B)) - sum(m * n)**2", "la media y el segundo momento", "the mean and the second moment"
    )
    chain.part("Con las hipótesis", "With the hypotheses")
    chain.start("V")
    chain.step("using: part 3", "sum(sum(A * B)) - sum(m * n)**2", "la forma de arriba", "the form above")
    _supposed(chain, "{}", "d")


def _scaled(chain: Chain) -> None:
    chain.part("Después de dividir", "After dividing")
    chain.start("V_s")
    chain.step("definition: V_s, R", "w @ (S / sqrt(d))**2 @ v - (w @ (S / sqrt(d)) @ v)**2", "lo que $V_s$ es", "what $V_s$ is")
    chain.step(
        "collect",
        "(w @ S**2 @ v - (w @ S @ v)**2) / d",
        "$d$ sale de las sumas, al cuadrado de la raíz",
        "$d$ leaves the sums, the square of the root",
    )
    chain.step("definition: mu, V", "V / d", "adentro queda $V$", "inside, $V$ remains")
    chain.step("using: part 3", "(sum(sum(A * B)) - sum(m * n)**2) / d", "la forma con momentos", "the form with moments")
    _supposed(chain, "{} / d", "1")


def _supposed(chain: Chain, frame: str, end: str) -> None:
    whole = "({})" if "/" in frame else "{}"
    chain.step("supposing: m == 0", frame.format(whole.format("sum(sum(A * B))")), "la media de $q$ es 0", "the mean of $q$ is 0")
    chain.step(
        "supposing: A == eye(d)",
        frame.format(whole.format("sum(sum(eye(d) * B))")),
        "las entradas de $q$ tienen tamaño 1 y no se correlacionan",
        "the entries of $q$ have size 1 and are not correlated",
    )
    chain.step("contract the delta", frame.format("sum_over(B[i,i], i=d)"), "solo queda la diagonal", "only the diagonal remains")
    chain.step("definition: T", frame.format("T"), "la media de $|k|^2$", "the mean of $|k|^2$")
    chain.step("supposing: T == d", end, "que es $d$", "which is $d$")
