"""The output projection of concatenated heads is a sum over heads: for any number of them in index form, and written with concat
for two of width 2.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("Concatenar y proyectar es sumar sobre las cabezas", "Concatenating and projecting is summing over the heads")
EXAMPLE = {
    "O": "[[1, 2], [3, 4]]; [[0, 1], [1, 1]]; [[2, 0], [0, 2]]",
    "W": "[[1, 0], [2, 1]]; [[1, 1], [0, 3]]; [[1, 2], [2, 1]]",
    "A": "[[1, 2], [3, 4]]",
    "B": "[[0, 1], [5, 1]]",
    "C": "[[1, 0, 2], [2, 1, 1]]",
    "D": "[[1, 1, 0], [0, 3, 1]]",
}
FALSE_TWIN = "concat(A, B) @ concat(C.T, D.T).T == A @ D + B @ C"


def derive() -> Derivation:
    """A column of the concatenation is a pair (head, component), and the sum over pairs is a sum over heads of sums over components."""
    chain = Chain("multi-head", TITLE.es, TITLE.en)
    chain.given("O", "h, n, d_v", "salidas de las cabezas", "outputs of the heads")
    chain.given("W", "h, d_v, d", "$W_O$: un bloque de filas por cabeza", "$W_O$: a block of rows for each head")
    chain.given("A", "n, 2", "una cabeza de dos componentes", "a head of two components")
    chain.given("B", "n, 2", "otra", "another")
    chain.given("C", "2, d_2", "filas de $W_O$ de la primera", "rows of $W_O$ of the first")
    chain.given("D", "2, d_2", "filas de la segunda", "rows of the second")
    chain.define(
        "Y",
        "entries(sum_over(O[g,i,a] * W[g,a,c], g=h, a=d_v), i=n, c=d)",
        "las cabezas concatenadas, por $W_O$",
        "the heads concatenated, times $W_O$",
    )
    chain.define(
        "H", "entries(sum_over(O[g,i,a] * W[g,a,c], a=d_v), g=h, i=n, c=d)", "cada cabeza por su bloque", "each head times its block"
    )
    chain.part("Cualquier número de cabezas", "Any number of heads")
    chain.start("Y")
    chain.step(
        "definition: Y",
        "entries(sum_over(O[g,i,a] * W[g,a,c], g=h, a=d_v), i=n, c=d)",
        "la suma sobre todas las columnas",
        "the sum over all columns",
    )
    chain.step("rearrange", "sum(entries(sum_over(O[g,i,a] * W[g,a,c], a=d_v), g=h, i=n, c=d), axis=0)", "por cabezas", "head by head")
    chain.step("definition: H", "sum(H, axis=0)", "la suma sobre las cabezas", "the sum over heads")
    chain.part("Dos cabezas", "Two heads")
    chain.start("concat(A, B) @ concat(C.T, D.T).T")
    chain.step("distribute", "A @ C + B @ D", "cada columna se encuentra con su fila", "each column meets its row")
    return chain.done()
