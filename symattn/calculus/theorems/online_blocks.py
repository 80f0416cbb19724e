"""Any number of blocks, of any sizes, each with its own reference, give the attention over all keys."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "online"
TITLE = Both("Cualquier número de bloques da la atención completa", "Any number of blocks gives the whole attention")
EXAMPLE = {
    "s": "[0, 1, 2]", "V": "[[1, 2], [3, -1], [0, 1]]", "C": "[[1, 0, 1], [0, 1, 0]]", "mu": "[2, 1]", "M": "3",
}  # fmt: skip
FALSE_TWIN = "sum(a, axis=0) / sum(l) == softmax(s) @ V"


def derive() -> Derivation:
    """B_kj = 1 where key j is in block k, 0 elsewhere: Σ_k B_kj = 1. Nothing else of B is used, so a key may even be shared out."""
    chain = Chain("online-blocks", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes de todas las claves", "scores of all keys")
    chain.given("V", "n, d_v", "sus valores", "their values")
    chain.given("C", "b, n", "1 donde la clave está en el bloque, 0 donde no", "1 where the key is in the block, 0 where not")
    chain.given(
        "mu", "b", "referencia de cada bloque: su máximo, o cualquier número", "reference of each block: its maximum, or any number"
    )
    chain.given("M", "", "referencia de todos: el mayor, o cualquier número", "reference of all: the largest, or any number")
    chain.define("T", "sum(C, axis=0)", "en cuántos bloques está cada clave", "in how many blocks each key is")
    chain.define("B", "entries(C[k,j] / T[j], k=b, j=n)", "la parte de cada clave en cada bloque", "each key's share in each block")
    chain.define("E", "entries(B[k,j] * exp(s[j] - mu[k]), k=b, j=n)", "exponenciales de cada bloque", "exponentials of each block")
    chain.define("l", "sum(E)", "suma de cada bloque", "sum of each block")
    chain.define("a", "E @ V", "mezcla sin dividir de cada bloque", "undivided mix of each block")
    chain.define("r", "exp(mu - M)", "factor de cada bloque", "factor of each block")
    chain.define("L", "dot(r, l)", "suma de la unión", "sum of the union")
    chain.define("A", "r @ a", "mezcla sin dividir de la unión", "undivided mix of the union")
    chain.define("F", "exp(s)", "exponenciales", "exponentials")
    chain.define("Z", "sum(F)", "su suma", "their sum")
    chain.define("c", "exp(-M)", "un factor común", "a common factor")
    chain.part("Cada clave está una vez", "Each key is there once")
    chain.start("sum(B, axis=0)")
    chain.step("definition: B", "sum(entries(C[k,j] / T[j], k=b, j=n), axis=0)", "lo que $B$ es", "what $B$ is")
    chain.step(
        "cancel", "sum(C, axis=0) / T", "un solo cociente: $T_j$ no depende del bloque", "one quotient: $T_j$ does not depend on the block"
    )
    chain.step("definition: T", "T / T", "la suma es $T$", "the sum is $T$")
    chain.step("cancel", "1", "las partes de una clave suman 1", "the shares of a key sum to 1")
    chain.part("Sin las referencias de los bloques", "Without the references of the blocks")
    chain.start("r @ E")
    chain.step(
        "definition: r, E",
        "exp(mu - M) @ entries(B[k,j] * exp(s[j] - mu[k]), k=b, j=n)",
        "cada bloque con su factor",
        "each block with its factor",
    )
    chain.step(
        "exponential law",
        "exp(-M) * exp(s) * sum(B, axis=0)",
        "$e^{\\mu_k - M} e^{s_j - \\mu_k} = e^{-M} e^{s_j}$: no queda nada del bloque más que $B$",
        "$e^{\\mu_k - M} e^{s_j - \\mu_k} = e^{-M} e^{s_j}$: nothing of the block is left but $B$",
    )
    chain.step("using: part 1", "exp(-M) * exp(s)", "cada clave cuenta una vez", "each key counts once")
    chain.step("definition: c, F", "c * F", "en breve", "in short")
    chain.part("La suma", "The sum")
    chain.start("L")
    chain.step("definition: L, l", "dot(r, sum(E))", "cada suma con su factor", "each sum with its factor")
    chain.step("function: dot", "sum(r * sum(E))", "un producto escalar es una suma", "a dot product is a sum")
    chain.step("rearrange", "sum(r @ E)", "primero sobre los bloques, después sobre las claves", "over blocks first, then over keys")
    chain.step("using: part 2", "sum(c * F)", "lo de arriba", "the line above")
    chain.step("rearrange", "c * sum(F)", "el factor sale de la suma", "the factor leaves the sum")
    chain.step("definition: Z", "c * Z", "la suma de todas las exponenciales", "the sum of all exponentials")
    chain.part("La mezcla", "The mix")
    chain.start("A")
    chain.step("definition: A, a", "r @ (E @ V)", "cada mezcla con su factor", "each mix with its factor")
    chain.step("rearrange", "(r @ E) @ V", "primero sobre los bloques, después sobre las claves", "over blocks first, then over keys")
    chain.step("using: part 2", "(c * F) @ V", "lo de arriba", "the line above")
    chain.step("rearrange", "c * (F @ V)", "el factor sale de las sumas", "the factor leaves the sums")
    chain.part("El cociente", "The quotient")
    chain.start("A / L")
    chain.step("using: part 3; part 4", "c * (F @ V) / (c * Z)", "las dos a la vez", "both at once")
    chain.step("cancel", "(F @ V) / Z", "la referencia no importa", "the reference does not matter")
    chain.step("rearrange", "(F / Z) @ V", "cada exponencial se lleva el divisor", "each exponential takes the divisor along")
    chain.step("definition: F, Z", "(exp(s) / sum(exp(s))) @ V", "exponenciales entre su suma", "exponentials over their sum")
    chain.step("function: softmax", "softmax(s) @ V", "la atención sobre todas las claves", "the attention over all keys")
    return chain.done()
