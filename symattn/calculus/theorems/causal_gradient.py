"""Under a causal mask the derivative of each output along later tokens is 0, and a token hears back from itself and later queries
only.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("El gradiente con máscara causal", "The gradient under a causal mask")
EXAMPLE = {
    "S": "[[1, 0, 2], [2, 1, 0], [0, -1, 1]]",
    "S_dot": "[[1, 2, 3], [0, 1, 5], [2, 2, 1]]",
    "V": "[[1, 2], [3, -1], [0, 1]]",
    "V_dot": "[[1, 0], [2, 1], [0, 3]]",
    "dO": "[[1, 1], [0, 2], [3, 1]]",
}
FALSE_TWIN = "P.T @ dO == P @ dO"


def derive() -> Derivation:
    """P_ij = 0 for j > i. So O_i moves with V_j and S_ij for j ≤ i only, and dV_j = Σ_{i ≥ j} P_ij dO_i."""
    chain = Chain("causal-gradient", TITLE.es, TITLE.en)
    chain.given("S", "n, n", "puntajes", "scores")
    chain.given("S_dot", "n, n", "una dirección de los puntajes, cualquiera", "any direction of the scores")
    chain.given("V", "n, d_v", "valores", "values")
    chain.given("V_dot", "n, d_v", "una dirección de los valores, cualquiera", "any direction of the values")
    chain.given("dO", "n, d_v", "el gradiente que llega", "the gradient that arrives")
    chain.define("E", "causal_part(exp(S))", "exponenciales", "exponentials")
    chain.define("Z", "sum(E)", "su suma", "their sum")
    chain.define("P", "E / Z", "pesos", "weights")
    chain.define("O", "P @ V", "salida", "output")
    chain.define("T", "causal_part(S_dot)", "la dirección, sin lo posterior", "the direction, without what is later")
    chain.define(
        "D",
        "entries(sum_over(P[i,j] * dO[i,c], if_atmost(j, i, 0), i=n), j=n, c=d_v)",
        "lo que le llega a cada valor, de $i \\ge j$",
        "what arrives at each value, from $i \\ge j$",
    )
    chain.part("Los valores", "The values")
    chain.start("derivative(O, V, V_dot)")
    chain.step("definition: O", "derivative(P @ V, V, V_dot)", "lo que se deriva", "what is differentiated")
    chain.step("product rule", "P @ V_dot", "los pesos no dependen de los valores", "the weights do not depend on the values")
    chain.step("definition: P, E", "(causal_part(exp(S)) / Z) @ V_dot", "los pesos", "the weights")
    chain.step(
        "rearrange",
        "entries(sum_over(exp(S)[i,j] / Z[i] * V_dot[j,c], if_atmost(j, i, 0), j=n), i=n, c=d_v)",
        "solo los tokens hasta $i$",
        "only tokens up to $i$",
    )
    chain.part("Los pesos", "The weights")
    chain.start("derivative(P, S, S_dot)")
    chain.step(
        "definition: P, Z, E",
        "derivative(causal_part(exp(S)) / sum(causal_part(exp(S))), S, S_dot)",
        "lo que se deriva",
        "what is differentiated",
    )
    chain.step(
        "quotient rule",
        "causal_part(exp(S)) * S_dot / sum(causal_part(exp(S))) - causal_part(exp(S)) * sum(causal_part(exp(S)) * S_dot) "
        "/ sum(causal_part(exp(S)))**2",
        "cociente de exponenciales",
        "a quotient of exponentials",
    )
    chain.step(
        "rearrange",
        "causal_part(exp(S)) * causal_part(S_dot) / sum(causal_part(exp(S))) - causal_part(exp(S)) * "
        "sum(causal_part(exp(S)) * causal_part(S_dot)) / sum(causal_part(exp(S)))**2",
        "más allá de la diagonal no hay nada que mover",
        "beyond the diagonal there is nothing to move",
    )
    chain.step("definition: E, Z, T", "E * T / Z - E * sum(E * T) / Z**2", "en breve", "in short")
    chain.step("collect", "E / Z * (T - sum(E / Z * T))", "factor común", "a common factor")
    chain.step(
        "definition: P",
        "P * (T - sum(P * T))",
        "la derivada de softmax, sin lo posterior",
        "the derivative of softmax, without what is later",
    )
    chain.part("Lo que le llega a un valor", "What arrives at a value")
    chain.start("sum(sum(dO * derivative(O, V, V_dot)))")
    chain.step("definition: O", "sum(sum(dO * derivative(P @ V, V, V_dot)))", "lo que se deriva", "what is differentiated")
    chain.step("product rule", "sum(sum(dO * (P @ V_dot)))", "es lineal en $V$", "it is linear in $V$")
    chain.step("rearrange", "sum(sum((P.T @ dO) * V_dot))", "la dirección queda sola", "the direction is left alone")
    chain.step("definition: P, E", "sum(sum(((causal_part(exp(S)) / Z).T @ dO) * V_dot))", "los pesos", "the weights")
    chain.step(
        "rearrange",
        "sum(sum(entries(sum_over((causal_part(exp(S)) / Z)[i,j] * dO[i,c], if_atmost(j, i, 0), i=n), j=n, c=d_v) * V_dot))",
        "solo de $i \\ge j$",
        "from $i \\ge j$ only",
    )
    chain.step("definition: P, D, E", "sum(sum(D * V_dot))", "el gradiente por los valores", "the gradient by the values")
    return chain.done()
