"""From the output of attention to its weights and values: dP = dO Vᵀ and dV = Pᵀ dO."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "backward"
TITLE = Both("De la salida a los pesos y a los valores", "From the output to the weights and the values")
EXAMPLE = {
    "P": "[[1/2, 1/2], [1/4, 3/4]]", "V": "[[1, 2], [3, 5]]", "dO": "[[1, -1], [2, 0]]", "P_dot": "[[1, 0], [2, 1]]",
    "V_dot": "[[0, 1], [1, 3]]",
}  # fmt: skip
FALSE_TWIN = "sum(sum(dO * derivative(O, V, V_dot))) == sum(sum(V * V_dot))"


def derive() -> Derivation:
    """⟨dO, ∂O⟩ = ⟨dO Vᵀ, Ṗ⟩ and ⟨dO, ∂O⟩ = ⟨Pᵀ dO, V̇⟩ for every direction."""
    chain = Chain("backward-values", TITLE.es, TITLE.en)
    chain.given("P", "n, m", "pesos", "weights")
    chain.given("V", "m, d_v", "valores", "values")
    chain.given("dO", "n, d_v", "el gradiente que llega a la salida", "the gradient that reaches the output")
    chain.given("P_dot", "n, m", "una dirección de P", "a direction of P")
    chain.given("V_dot", "m, d_v", "una dirección de V", "a direction of V")
    chain.define("O", "P @ V", "salida", "output")
    chain.part("El gradiente por los pesos", "The gradient by the weights")
    chain.start("sum(sum(dO * derivative(O, P, P_dot)))")
    chain.step("definition: O", "sum(sum(dO * derivative(P @ V, P, P_dot)))", "$O$ es un producto", "$O$ is a product")
    chain.step("product rule", "sum(sum(dO * (P_dot @ V)))", "solo se mueve $P$", "only $P$ moves")
    chain.step("rearrange", "sum(sum((dO @ V.T) * P_dot))", "se suma primero sobre los canales", "the channels are summed first")
    chain.part("El gradiente por los valores", "The gradient by the values")
    chain.start("sum(sum(dO * derivative(O, V, V_dot)))")
    chain.step("definition: O", "sum(sum(dO * derivative(P @ V, V, V_dot)))", "$O$ es un producto", "$O$ is a product")
    chain.step("product rule", "sum(sum(dO * (P @ V_dot)))", "solo se mueve $V$", "only $V$ moves")
    chain.step("rearrange", "sum(sum((P.T @ dO) * V_dot))", "se suma primero sobre las consultas", "the queries are summed first")
    return chain.done(
        "sum(sum(dO * derivative(O, P, P_dot))) == sum(sum((dO @ V.T) * P_dot)); "
        "sum(sum(dO * derivative(O, V, V_dot))) == sum(sum((P.T @ dO) * V_dot))"
    )
