"""Twice the tokens: the table of scores has four times the entries, exactly; the whole count of multiplications less than four
times as many.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "cost"
TITLE = Both(
    "Duplicar $n$ cuadruplica la tabla, exactamente; el total solo en el límite",
    "Doubling $n$ quadruples the table exactly, and the whole only in the limit",
)
EXAMPLE = {"X": "[[1, 0], [2, 1], [0, -1]]"}
FALSE_TWIN = "G / F == 4"


def derive() -> Derivation:
    """F(n) = 2 n² d + 4 n d²: two products with the table and four projections. F(2n)/F(n) = 4 − 4d/(n + 2d), below 4 and above 4 −
    4d/n.
    """
    chain = Chain("cost-doubling", TITLE.es, TITLE.en)
    chain.given("X", "n, d", "tokens: solo cuenta su forma", "tokens: only their shape counts")
    chain.define("A", "sum_over(1, i=n, j=n)", "entradas de la tabla", "entries of the table")
    chain.define("B", "(2 * n)**2", "entradas con el doble de tokens", "entries with twice the tokens")
    chain.define(
        "F",
        "2 * n**2 * d + 4 * n * d**2",
        "multiplicaciones: $Q K^\\top$, $P V$ y cuatro proyecciones",
        "multiplications: $Q K^\\top$, $P V$ and four projections",
    )
    chain.define("G", "2 * (2 * n)**2 * d + 4 * (2 * n) * d**2", "con el doble de tokens", "with twice the tokens")
    chain.define("g", "4 * d / (n + 2 * d)", "lo que falta para 4", "what is missing to 4")
    chain.part("La tabla", "The table")
    chain.start("B / A")
    chain.step("definition: B, A", "(2 * n)**2 / sum_over(1, i=n, j=n)", "una entrada por par", "one entry for each pair")
    chain.step("cancel", "4", "$4 n^2 / n^2$, para todo $n$", "$4 n^2 / n^2$, for every $n$")
    chain.part("El total", "The whole")
    chain.start("G / F")
    chain.step(
        "definition: G, F", "(2 * (2 * n)**2 * d + 4 * (2 * n) * d**2) / (2 * n**2 * d + 4 * n * d**2)", "lo que son", "what they are"
    )
    chain.step("cancel", "(4 * n + 4 * d) / (n + 2 * d)", "$2 n d$ se va de arriba y de abajo", "$2 n d$ leaves above and below")
    chain.step("cancel", "4 - 4 * d / (n + 2 * d)", "$4 n + 4 d = 4 (n + 2 d) - 4 d$", "$4 n + 4 d = 4 (n + 2 d) - 4 d$")
    chain.step("definition: g", "4 - g", "en breve", "in short")
    chain.part("Siempre menos de cuatro veces", "Always less than four times")
    chain.start("g")
    chain.step("definition: g", "4 * d / (n + 2 * d)", "lo que $g$ es", "what $g$ is")
    chain.step("positive", "0", "los tamaños lo son", "sizes are")
    chain.part("Y cada vez más cerca", "And ever closer")
    chain.start("g")
    chain.step("definition: g", "4 * d / (n + 2 * d)", "lo que $g$ es", "what $g$ is")
    chain.step(
        "less than: 8 * d**2 / (n * (n + 2 * d))",
        "4 * d / n",
        "con $d$ fijo, lo que falta tiende a 0 como $1/n$",
        "with $d$ fixed, what is missing tends to 0 like $1/n$",
    )
    return chain.done()
