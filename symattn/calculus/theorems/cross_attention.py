"""Cross-attention: queries from one sequence, keys and values from another. Each query is on its own, and the context is a set."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both(
    "Atención cruzada: cada consulta por su cuenta, el contexto como conjunto",
    "Cross-attention: each query by itself, the context as a set",
)
EXAMPLE = {
    "X": "[[1, 0], [2, 1]]",
    "C": "[[1, 1], [0, 2], [-1, 1]]",
    "W_Q": "[[1, 1], [0, 1]]",
    "W_K": "[[1, 0], [1, 2]]",
    "W_V": "[[2, 0], [1, -1]]",
    "v": "[3, 5]",
}
FALSE_TWIN = "sum(P, axis=0) == 1"


def derive() -> Derivation:
    """P is n by m with rows that sum to 1. Permuted queries permute the rows of the output; a permuted context changes nothing."""
    chain = Chain("cross-attention", TITLE.es, TITLE.en)
    chain.given("X", "n, d", "los tokens que preguntan", "the tokens that ask")
    chain.given("C", "m, d", "el contexto", "the context")
    chain.given("W_Q", "d, d_k")
    chain.given("W_K", "d, d_k")
    chain.given("W_V", "d, d_v")
    chain.given("v", "d_v", "un valor, cualquiera", "any value")
    chain.define("S", "(X @ W_Q) @ (C @ W_K).T / sqrt(d_k)", "puntajes, $n$ por $m$", "scores, $n$ by $m$")
    chain.define("E", "exp(S)", "exponenciales", "exponentials")
    chain.define("Z", "sum(E)", "su suma", "their sum")
    chain.define("P", "E / Z", "pesos, $n$ por $m$", "weights, $n$ by $m$")
    chain.define("O", "P @ (C @ W_V)", "salida, $n$ por $d_v$", "output, $n$ by $d_v$")
    chain.part("Las filas suman 1", "The rows sum to 1")
    chain.start("sum(P)")
    chain.step("definition: P", "sum(E / Z)", "cada peso es un cociente", "each weight is a quotient")
    chain.step("rearrange", "sum(E) / Z", "$Z_i$ no depende de la columna", "$Z_i$ does not depend on the column")
    chain.step("definition: Z", "sum(E) / sum(E)", "lo que $Z$ es", "what $Z$ is")
    chain.step("cancel", "1", "un número entre sí mismo", "a number over itself")
    chain.part("Las consultas", "The queries")
    chain.start("O")
    chain.step(
        "equivariant: n", "O", "cada fila se calcula igual, sin mirar cuál es", "each row is computed alike, without looking at which it is"
    )
    chain.part("El contexto", "The context")
    chain.start("O")
    chain.step("equivariant: m", "O", "la salida no tiene ese eje: no cambia", "the output has no such axis: it does not change")
    chain.part("Un contexto que dice siempre lo mismo", "A context that always says the same")
    chain.start("P @ outer(ones(m), v)")
    chain.step("rearrange", "outer(sum(P), v)", "los valores son iguales", "the values are alike")
    chain.step(
        "using: part 1", "outer(ones(n), v)", "los pesos suman 1: sale el valor mismo", "the weights sum to 1: the value itself comes out"
    )
    return chain.done()
