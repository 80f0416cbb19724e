"""From the weights to the scores: dS = P ⊙ (dP − r 1ᵀ), r the row sums of P ⊙ dP."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "backward"
TITLE = Both("De los pesos a los puntajes", "From the weights to the scores")
EXAMPLE = {"S": "[[0, 1], [2, -1]]", "dP": "[[1, 3], [-2, 4]]", "S_dot": "[[1, 0], [2, 1]]"}
FALSE_TWIN = "sum(sum(dP * derivative(P, S, S_dot))) == sum(sum(P * dP * S_dot))"


def derive() -> Derivation:
    """⟨dP, ∂P⟩ = ⟨P ⊙ (dP − r 1ᵀ), Ṡ⟩ for every direction."""
    chain = Chain("backward-scores", TITLE.es, TITLE.en)
    chain.given("S", "n, m", "puntajes", "scores")
    chain.given("dP", "n, m", "el gradiente que llega a los pesos", "the gradient that reaches the weights")
    chain.given("S_dot", "n, m", "una dirección de S", "a direction of S")
    chain.define("E", "exp(S)")
    chain.define("Z", "sum(E)")
    chain.define("P", "E / Z", "pesos", "weights")
    chain.define("r", "sum(P * dP)", "una suma por fila", "one sum a row")
    _derivative(chain)
    _gradient(chain)
    return chain.done(
        "derivative(P, S, S_dot) == P * S_dot - P * sum(P * S_dot); "
        "sum(sum(dP * derivative(P, S, S_dot))) == sum(sum(P * (dP - r) * S_dot))"
    )


def _derivative(chain: Chain) -> None:
    chain.part("La derivada de los pesos", "The derivative of the weights")
    chain.start("derivative(P, S, S_dot)")
    chain.step("definition: P", "derivative(E / Z, S, S_dot)", "$P$ es un cociente", "$P$ is a quotient")
    chain.step(
        "quotient rule",
        "derivative(E, S, S_dot) / Z - E * derivative(Z, S, S_dot) / Z**2",
        "dependen de $S$ el numerador y el denominador",
        "numerator and denominator depend on $S$",
    )
    chain.step(
        "definition: Z, E",
        "derivative(exp(S), S, S_dot) / Z - E * derivative(sum(exp(S)), S, S_dot) / Z**2",
        "lo que hay que derivar, a la vista",
        "what is to be differentiated, in sight",
    )
    chain.step(
        "chain rule",
        "exp(S) * S_dot / Z - E * sum(exp(S) * S_dot) / Z**2",
        "la derivada entra en la suma; $e^{S_{ij}}$ solo depende de $S_{ij}$",
        "the derivative goes into the sum; $e^{S_{ij}}$ depends on $S_{ij}$ only",
    )
    chain.step("definition: E", "E * S_dot / Z - E * sum(E * S_dot) / Z**2", "otra vez $E$", "$E$ again")
    chain.step("rearrange", "E / Z * S_dot - E / Z * sum(E / Z * S_dot)", "cada $E$ se lleva un $Z$", "each $E$ takes one $Z$ along")
    chain.step("definition: P", "P * S_dot - P * sum(P * S_dot)", "los cocientes son $P$", "the quotients are $P$")


def _gradient(chain: Chain) -> None:
    chain.part("El gradiente por los puntajes", "The gradient by the scores")
    chain.start("sum(sum(dP * derivative(P, S, S_dot)))")
    chain.step("using: part 1", "sum(sum(dP * (P * S_dot - P * sum(P * S_dot))))", "la derivada de la parte A", "the derivative of part A")
    chain.step(
        "distribute", "sum(sum(dP * P * S_dot)) - sum(sum(dP * P * sum(P * S_dot)))", "la suma de una diferencia", "the sum of a difference"
    )
    chain.step(
        "rearrange",
        "sum(sum(dP * P * S_dot)) - sum(sum(P * sum(P * dP) * S_dot))",
        "cambian de nombre los índices de la doble suma por fila",
        "the two sums of a row exchange their indices",
    )
    chain.step("definition: r", "sum(sum(dP * P * S_dot)) - sum(sum(P * r * S_dot))", "la suma por fila es $r$", "the sum of a row is $r$")
    chain.step("collect", "sum(sum(P * (dP - r) * S_dot))", "factor común $P$ y la dirección", "common factors: $P$ and the direction")
