"""Split decoding: outputs of the parts of a cache, weighted by the softmax of their log-sum-exps, give the output over the whole cache."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "online"
TITLE = Both(
    "La caché partida: las partes se pesan con el softmax de sus log-sum-exp",
    "The split cache: parts weighted by the softmax of their log-sum-exps",
)
EXAMPLE = {"S": "[[0, 1], [2, -1]]", "V": "[[1, 2], [3, -1]]; [[0, 1], [2, 2]]"}
FALSE_TWIN = "sum(O, axis=0) / b == N / sum(Z)"


def derive() -> Derivation:
    """Part k has r keys: O_k = Σ_j E_kj V_kj / Z_k, L_k = log Z_k. Then softmax(L) · O = Σ_kj E_kj V_kj / Σ_kj E_kj."""
    chain = Chain("split-decoding", TITLE.es, TITLE.en)
    chain.given("S", "b, r", "puntajes: partes por claves", "scores: parts by keys")
    chain.given("V", "b, r, d_v", "valores", "values")
    chain.define("E", "exp(S)", "exponenciales", "exponentials")
    chain.define("Z", "sum(E)", "suma de cada parte", "sum of each part")
    chain.define(
        "U", "entries(sum_over(E[k,j] * V[k,j,c], j=r), k=b, c=d_v)", "mezcla sin dividir de cada parte", "undivided mix of each part"
    )
    chain.define("O", "entries(U[k,c] / Z[k], k=b, c=d_v)", "salida de cada parte", "output of each part")
    chain.define("L", "log(Z)", "log-sum-exp de cada parte", "log-sum-exp of each part")
    chain.define("w", "softmax(L)", "pesos de las partes", "weights of the parts")
    chain.define("N", "sum(U, axis=0)", "valores de todas las claves con sus exponenciales", "values of all keys with their exponentials")
    chain.part("Los pesos de las partes", "The weights of the parts")
    chain.start("w")
    chain.step("definition: w", "softmax(L)", "lo que $w$ es", "what $w$ is")
    chain.step("function: softmax", "exp(L) / sum(exp(L))", "lo que softmax es", "what softmax is")
    chain.step("definition: L", "exp(log(Z)) / sum(exp(log(Z)))", "lo que $L$ es", "what $L$ is")
    chain.step("logarithm law", "Z / sum(Z)", "$e^{\\log Z_k} = Z_k$", "$e^{\\log Z_k} = Z_k$")
    chain.part("La salida", "The output")
    chain.start("w @ O")
    chain.step("using: part 1", "(Z / sum(Z)) @ O", "los pesos de arriba", "the weights above")
    chain.step("definition: O", "(Z / sum(Z)) @ entries(U[k,c] / Z[k], k=b, c=d_v)", "lo que $O$ es", "what $O$ is")
    chain.step(
        "cancel", "sum(U, axis=0) / sum(Z)", "el divisor de cada parte se va con su peso", "the divisor of each part goes with its weight"
    )
    chain.step("definition: N", "N / sum(Z)", "la suma sobre todas las partes", "the sum over all parts")
    chain.part("Es la atención sobre todas las claves", "It is the attention over all keys")
    chain.start("N / sum(Z)")
    chain.step(
        "definition: N, U, Z",
        "sum(entries(sum_over(E[k,j] * V[k,j,c], j=r), k=b, c=d_v), axis=0) / sum(sum(E))",
        "sumas sobre todas las claves",
        "sums over all keys",
    )
    return chain.done()
