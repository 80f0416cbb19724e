"""Attention takes averages: weights are positive and sum to 1, so each output lies in the convex hull of the values, between their
extremes.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("La salida está entre el menor y el mayor de los valores", "The output lies between the smallest and the largest value")
EXAMPLE = {"S": "[[0, 1], [2, -1]]", "V": "[[1, 2], [3, -1]]"}
FALSE_TWIN = "O == entries(M[c], i=n, c=d_v)"


def derive() -> Derivation:
    """M_c − O_ic = Σ_j P_ij (M_c − V_jc) ≥ 0, with M_c = max_j V_jc, and likewise from below; the sum of the weights is what makes M_c
    leave the sum.
    """
    chain = Chain("attention-hull", TITLE.es, TITLE.en)
    chain.given("S", "n, m", "puntajes", "scores")
    chain.given("V", "m, d_v", "valores", "values")
    chain.define("E", "exp(S)", "exponenciales", "exponentials")
    chain.define("Z", "sum(E)", "suma de cada fila", "sum of each row")
    chain.define("P", "E / Z", "pesos", "weights")
    chain.define("O", "P @ V", "salida", "output")
    chain.define("M", "max(V, axis=0)", "el mayor valor, componente por componente", "the largest value, component by component")
    chain.define("N", "max(-V, axis=0)", "el menor valor, con el signo cambiado", "the smallest value, its sign changed")
    chain.define("A", "entries(M[c] - V[j,c], j=m, c=d_v)", "lo que falta hasta el mayor", "what is missing to the largest")
    chain.define("B", "entries(V[j,c] + N[c], j=m, c=d_v)", "lo que sobra desde el menor", "what is above the smallest")
    chain.part("Los pesos son positivos", "The weights are positive")
    chain.start("P")
    chain.step("definition: P, Z, E", "exp(S) / sum(exp(S))", "exponenciales entre su suma", "exponentials over their sum")
    chain.step("positive", "0", "las exponenciales lo son", "exponentials are")
    chain.part("Los pesos suman 1", "The weights sum to 1")
    chain.start("sum(P)")
    chain.step("definition: P", "sum(E / Z)", "cada peso es un cociente", "each weight is a quotient")
    chain.step("rearrange", "sum(E) / Z", "$Z_i$ no depende de la columna", "$Z_i$ does not depend on the column")
    chain.step("definition: Z", "sum(E) / sum(E)", "lo que $Z$ es", "what $Z$ is")
    chain.step("cancel", "1", "un número entre sí mismo", "a number over itself")
    chain.part("Ningún valor pasa del mayor", "No value is above the largest")
    chain.start("V")
    chain.step("maximum", "entries(max(V, axis=0)[c], j=m, c=d_v)", "el máximo es uno de ellos", "the maximum is one of them")
    chain.step("definition: M", "entries(M[c], j=m, c=d_v)", "lo que $M$ es", "what $M$ is")
    chain.start("A")
    chain.step("definition: A", "entries(M[c] - V[j,c], j=m, c=d_v)", "lo que $A$ es", "what $A$ is")
    chain.step("nonnegative: part 3", "0", "la comparación de arriba", "the comparison above")
    chain.part("Ninguno está por debajo del menor", "None is below the smallest")
    chain.start("-V")
    chain.step("maximum", "entries(max(-V, axis=0)[c], j=m, c=d_v)", "el máximo es uno de ellos", "the maximum is one of them")
    chain.step("definition: N", "entries(N[c], j=m, c=d_v)", "lo que $N$ es", "what $N$ is")
    chain.start("B")
    chain.step("definition: B", "entries(V[j,c] + N[c], j=m, c=d_v)", "lo que $B$ es", "what $B$ is")
    chain.step("nonnegative: part 5", "0", "la comparación de arriba", "the comparison above")
    chain.part("La salida", "The output")
    chain.start("O")
    chain.step("definition: O", "P @ V", "pesos por valores", "weights times values")
    chain.step(
        "at most: P @ A | part 1; part 4; sum(P) == 1; A == entries(M[c] - V[j,c], j=m, c=d_v)",
        "entries(M[c], i=n, c=d_v)",
        "$M_c - O_{ic} = \\sum_j P_{ij} (M_c - V_{jc})$",
        "$M_c - O_{ic} = \\sum_j P_{ij} (M_c - V_{jc})$",
    )
    chain.start("O")
    chain.step("definition: O", "P @ V", "pesos por valores", "weights times values")
    chain.step(
        "at least: P @ B | part 1; part 6; sum(P) == 1; B == entries(V[j,c] + N[c], j=m, c=d_v)",
        "entries(-N[c], i=n, c=d_v)",
        "$O_{ic} + N_c = \\sum_j P_{ij} (V_{jc} + N_c)$",
        "$O_{ic} + N_c = \\sum_j P_{ij} (V_{jc} + N_c)$",
    )
    return chain.done()
