"""The entropy of softmax, and how it moves with the factor that the scores are multiplied by (the inverse of a temperature)."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both(
    r"La derivada de la entropía por la temperatura inversa es $-\beta$ por una varianza",
    r"The derivative of entropy by the inverse temperature is $-\beta$ times a variance",
)
EXAMPLE = {"s": "[0, 1, -1]", "beta": "2", "beta_dot": "3"}
FALSE_TWIN = "derivative(H, beta, beta_dot) == beta * sum(p * (s - mu)**2) * beta_dot"


def derive() -> Derivation:
    """p = softmax(βs), μ = Σ p_i s_i, L = log Σ e^{βs_i}: dL/dβ = μ, dp/dβ = p (s − μ), H = L − βμ, dH/dβ = −β Σ p_i (s_i − μ)²."""
    chain = Chain("softmax-entropy", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("beta", "", "temperatura inversa", "inverse temperature")
    chain.given("beta_dot", "", "un cambio de $\\beta$, cualquiera", "any change of $\\beta$")
    chain.define("E", "exp(beta * s)")
    chain.define("Z", "sum(E)")
    chain.define("p", "E / Z", "pesos", "weights")
    chain.define("L", "log(Z)", "log-sum-exp")
    chain.define("mu", "sum(p * s)", "la media de los puntajes con los pesos", "the mean of the scores with the weights")
    chain.define("H", "-sum(p * log(p))", "entropía", "entropy")
    _log_sum(chain)
    _weights(chain)
    _mean(chain)
    _entropy(chain)
    _derivative(chain)
    return chain.done()


def _log_sum(chain: Chain) -> None:
    chain.part("La derivada de $L$", "The derivative of $L$")
    chain.start("derivative(L, beta, beta_dot)")
    chain.step("definition: L", "derivative(log(Z), beta, beta_dot)", "$L$ es un logaritmo", "$L$ is a logarithm")
    chain.step(
        "derivative of log", "derivative(Z, beta, beta_dot) / Z", "$Z > 0$: una suma de exponenciales", "$Z > 0$: a sum of exponentials"
    )
    chain.step(
        "definition: Z, E",
        "derivative(sum(exp(beta * s)), beta, beta_dot) / Z",
        "lo que hay que derivar, a la vista",
        "what is to be differentiated, in sight",
    )
    chain.step(
        "sum rule",
        "sum(derivative(exp(beta * s), beta, beta_dot)) / Z",
        "la derivada entra en la suma finita",
        "the derivative goes into the finite sum",
    )
    chain.step("derivative of exp", "sum(exp(beta * s) * s * beta_dot) / Z", "por dentro, $\\beta s_i$", "inside, $\\beta s_i$")
    chain.step("definition: E", "sum(E * s * beta_dot) / Z", "otra vez $E$", "$E$ again")
    chain.step("rearrange", "sum(E / Z * s) * beta_dot", "cada $E$ se lleva su divisor", "each $E$ takes its divisor along")
    chain.step("definition: p, mu", "mu * beta_dot", "la media de los puntajes", "the mean of the scores")


def _weights(chain: Chain) -> None:
    chain.part("La derivada de los pesos", "The derivative of the weights")
    chain.start("derivative(p, beta, beta_dot)")
    chain.step(
        "using: p == exp(beta * s - L)",
        "derivative(exp(beta * s - L), beta, beta_dot)",
        "$E_i / Z = e^{\\beta s_i - \\log Z}$",
        "$E_i / Z = e^{\\beta s_i - \\log Z}$",
    )
    chain.step(
        "derivative of exp",
        "exp(beta * s - L) * derivative(beta * s - L, beta, beta_dot)",
        "por la derivada de lo de dentro",
        "times the derivative of what is inside",
    )
    chain.step("using: p == exp(beta * s - L)", "p * derivative(beta * s - L, beta, beta_dot)", "otra vez $p$", "$p$ again")
    chain.step(
        "sum rule",
        "p * (derivative(beta * s, beta, beta_dot) - derivative(L, beta, beta_dot))",
        "la derivada de una resta",
        "the derivative of a difference",
    )
    chain.step(
        "product rule",
        "p * (s * beta_dot - derivative(L, beta, beta_dot))",
        "$s$ no depende de $\\beta$",
        "$s$ does not depend on $\\beta$",
    )
    chain.step("using: part 1", "p * (s * beta_dot - mu * beta_dot)", "la derivada de $L$", "the derivative of $L$")
    chain.step("collect", "p * (s - mu) * beta_dot", "factor común", "a common factor")


def _mean(chain: Chain) -> None:
    chain.part("La derivada de la media es una varianza", "The derivative of the mean is a variance")
    chain.start("derivative(mu, beta, beta_dot)")
    chain.step("definition: mu", "derivative(sum(p * s), beta, beta_dot)", "lo que $\\mu$ es", "what $\\mu$ is")
    chain.step("sum rule", "sum(derivative(p * s, beta, beta_dot))", "la derivada entra en la suma", "the derivative goes into the sum")
    chain.step("product rule", "sum(derivative(p, beta, beta_dot) * s)", "$s$ no depende de $\\beta$", "$s$ does not depend on $\\beta$")
    chain.step("using: part 2", "sum(p * (s - mu) * beta_dot * s)", "la derivada de los pesos", "the derivative of the weights")
    chain.step(
        "using: sum(p * (s - mu)) == 0",
        "sum(p * (s - mu)**2) * beta_dot",
        "las desviaciones suman 0 con estos pesos: en vez de $s$ puede estar $s - \\mu$",
        "the deviations sum to 0 with these weights: $s - \\mu$ may stand for $s$",
    )


def _entropy(chain: Chain) -> None:
    chain.part("La entropía sin logaritmos de pesos", "Entropy without logarithms of weights")
    chain.start("H")
    chain.step("definition: H", "-sum(p * log(p))", "lo que $H$ es", "what $H$ is")
    chain.step("using: log(p) == beta * s - L", "-sum(p * (beta * s - L))", "el logaritmo de un cociente", "the logarithm of a quotient")
    chain.step(
        "distribute",
        "L * sum(p) - beta * sum(p * s)",
        "ni $L$ ni $\\beta$ dependen del índice",
        "neither $L$ nor $\\beta$ depends on the index",
    )
    chain.step("using: sum(p) == 1", "L - beta * sum(p * s)", "los pesos suman 1", "the weights sum to 1")
    chain.step("definition: mu", "L - beta * mu", "la suma es $\\mu$", "the sum is $\\mu$")


def _derivative(chain: Chain) -> None:
    chain.part("La derivada de la entropía", "The derivative of entropy")
    chain.start("derivative(H, beta, beta_dot)")
    chain.step("using: part 4", "derivative(L - beta * mu, beta, beta_dot)", "la forma de arriba", "the form above")
    chain.step(
        "sum rule",
        "derivative(L, beta, beta_dot) - derivative(beta * mu, beta, beta_dot)",
        "la derivada de una resta",
        "the derivative of a difference",
    )
    chain.step(
        "product rule",
        "derivative(L, beta, beta_dot) - mu * beta_dot - beta * derivative(mu, beta, beta_dot)",
        "los dos factores dependen de $\\beta$",
        "both factors depend on $\\beta$",
    )
    chain.step(
        "using: part 1",
        "mu * beta_dot - mu * beta_dot - beta * derivative(mu, beta, beta_dot)",
        "la derivada de $L$",
        "the derivative of $L$",
    )
    chain.step("collect", "-beta * derivative(mu, beta, beta_dot)", "una diferencia de iguales", "a difference of equals")
    chain.step("using: part 3", "-beta * sum(p * (s - mu)**2) * beta_dot", "la derivada de la media", "the derivative of the mean")
