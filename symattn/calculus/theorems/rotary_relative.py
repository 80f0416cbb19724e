"""Rotary embedding: scores depend on positions through their differences only, and rotating changes no length."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("Rotar: los puntajes dependen solo de la distancia", "Rotary: scores depend on relative position only")
EXAMPLE = {
    "Q_1": "[[1, 0], [2, 1]]",
    "Q_2": "[[0, 1], [1, 1]]",
    "K_1": "[[1, 1], [0, 2]]",
    "K_2": "[[2, 0], [1, 3]]",
    "theta": "[1, 1/10]",
    "x": "[0, 3]",
    "t": "5",
}
FALSE_TWIN = "S == Q_1 @ K_1.T + Q_2 @ K_2.T"


def derive() -> Derivation:
    """⟨R(a) q, R(b) k⟩ = (q₁k₁ + q₂k₂) cos(a − b) + (q₁k₂ − q₂k₁) sin(a − b) for each pair of components, with a = θ x_i and b = θ
    x_j.
    """
    chain = Chain("rotary-relative", TITLE.es, TITLE.en)
    chain.given("Q_1", "n, f", "primeras componentes de cada pareja", "first components of each pair")
    chain.given("Q_2", "n, f", "segundas", "second ones")
    chain.given("K_1", "n, f", "claves, primeras", "keys, first")
    chain.given("K_2", "n, f", "claves, segundas", "keys, second")
    chain.given("theta", "f", "un ángulo por pareja", "an angle for each pair")
    chain.given("x", "n", "posiciones", "positions")
    chain.given("t", "", "un corrimiento, cualquiera", "any shift")
    chain.define("A", "entries(x[i] * theta[a], i=n, a=f)", "ángulos", "angles")
    chain.define("B", "entries((x[i] + t) * theta[a], i=n, a=f)", "ángulos, todo corrido", "angles, all shifted")
    chain.define("U_1", "Q_1 * cos(A) - Q_2 * sin(A)", "consultas rotadas", "rotated queries")
    chain.define("U_2", "Q_1 * sin(A) + Q_2 * cos(A)")
    chain.define("W_1", "K_1 * cos(A) - K_2 * sin(A)", "claves rotadas", "rotated keys")
    chain.define("W_2", "K_1 * sin(A) + K_2 * cos(A)")
    chain.define("S", "U_1 @ W_1.T + U_2 @ W_2.T", "puntajes", "scores")
    chain.define("D", "entries(theta[a] * (x[i] - x[j]), i=n, j=n, a=f)", "diferencias de ángulos", "differences of angles")
    chain.define(
        "T",
        "entries(sum_over((Q_1[i,a] * K_1[j,a] + Q_2[i,a] * K_2[j,a]) * cos(D[i,j,a]) + (Q_1[i,a] * K_2[j,a] - Q_2[i,a] "
        "* K_1[j,a]) * sin(D[i,j,a]), a=f), i=n, j=n)",
        "puntajes, con diferencias nada más",
        "scores, with differences only",
    )
    chain.define("F", "entries(B[i,a] - B[j,a], i=n, j=n, a=f)", "las mismas, con todo corrido", "the same, with all shifted")
    chain.part("Los puntajes", "The scores")
    chain.start("S")
    chain.step("definition: S", "U_1 @ W_1.T + U_2 @ W_2.T", "lo que $S$ es", "what $S$ is")
    chain.step(
        "definition: U_1, U_2, W_1, W_2",
        "(Q_1 * cos(A) - Q_2 * sin(A)) @ (K_1 * cos(A) - K_2 * sin(A)).T + (Q_1 * sin(A) + Q_2 * cos(A)) @ (K_1 * sin(A) + K_2 * cos(A)).T",
        "las parejas rotadas",
        "the rotated pairs",
    )
    chain.step(
        "collect",
        "entries(sum_over((Q_1[i,a] * K_1[j,a] + Q_2[i,a] * K_2[j,a]) * (cos(A)[i,a] * cos(A)[j,a] + sin(A)[i,a] * "
        "sin(A)[j,a]) + (Q_1[i,a] * K_2[j,a] - Q_2[i,a] * K_1[j,a]) * (sin(A)[i,a] * cos(A)[j,a] - cos(A)[i,a] * "
        "sin(A)[j,a]), a=f), i=n, j=n)",
        "cada producto con los suyos",
        "each product with its own",
    )
    chain.step(
        "collect",
        "entries(sum_over((Q_1[i,a] * K_1[j,a] + Q_2[i,a] * K_2[j,a]) * cos(A[i,a] - A[j,a]) + (Q_1[i,a] * K_2[j,a] - "
        "Q_2[i,a] * K_1[j,a]) * sin(A[i,a] - A[j,a]), a=f), i=n, j=n)",
        "coseno y seno de una diferencia",
        "cosine and sine of a difference",
    )
    chain.step(
        "definition: A",
        "entries(sum_over((Q_1[i,a] * K_1[j,a] + Q_2[i,a] * K_2[j,a]) * cos(x[i] * theta[a] - x[j] * theta[a]) + "
        "(Q_1[i,a] * K_2[j,a] - Q_2[i,a] * K_1[j,a]) * sin(x[i] * theta[a] - x[j] * theta[a]), a=f), i=n, j=n)",
        "los ángulos",
        "the angles",
    )
    chain.step(
        "collect",
        "entries(sum_over((Q_1[i,a] * K_1[j,a] + Q_2[i,a] * K_2[j,a]) * cos(theta[a] * (x[i] - x[j])) + (Q_1[i,a] * "
        "K_2[j,a] - Q_2[i,a] * K_1[j,a]) * sin(theta[a] * (x[i] - x[j])), a=f), i=n, j=n)",
        "por la diferencia de posiciones",
        "times the difference of positions",
    )
    chain.step("definition: D, T", "T", "solo quedan diferencias", "only differences remain")
    chain.part("Corrido", "Shifted")
    chain.start("F")
    chain.step("definition: F, B", "entries((x[i] + t) * theta[a] - (x[j] + t) * theta[a], i=n, j=n, a=f)", "lo que $F$ es", "what $F$ is")
    chain.step(
        "distribute",
        "entries(theta[a] * (x[i] - x[j]), i=n, j=n, a=f)",
        "$t$ se va: el corrimiento es de los dos",
        "$t$ goes: both are shifted",
    )
    chain.step("definition: D", "D", "lo que $D$ es", "what $D$ is")
    chain.part("Las longitudes", "The lengths")
    chain.start("U_1**2 + U_2**2")
    chain.step("definition: U_1, U_2", "(Q_1 * cos(A) - Q_2 * sin(A))**2 + (Q_1 * sin(A) + Q_2 * cos(A))**2", "lo que son", "what they are")
    chain.step("collect", "(Q_1**2 + Q_2**2) * (cos(A)**2 + sin(A)**2)", "los productos mixtos se van", "mixed products go")
    chain.step("distribute", "Q_1**2 + Q_2**2", "los cuadrados de coseno y seno suman 1", "the squares of cosine and sine sum to 1")
    return chain.done()
