"""Two blocks of keys, each with its own reference (its maximum, or any number), merge to the attention over both."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "online"
TITLE = Both("Dos bloques se unen en la atención sobre ambos", "Two blocks merge to the attention over both")
EXAMPLE = {
    "s": "[0, 1]", "V": "[[1, 2], [3, -1]]", "t": "[2, -1, 1]", "W": "[[0, 1], [2, 2], [1, 5]]", "m_1": "1", "m_2": "2", "M": "3",
}  # fmt: skip
FALSE_TWIN = "(a_1 + a_2) / (l_1 + l_2) == (exp(s) @ V + exp(t) @ W) / (sum(exp(s)) + sum(exp(t)))"


def derive() -> Derivation:
    """(m, l, a) with l = Σ e^{s − m}, a = Σ e^{s − m} v; merged at M: l = Σ_k e^{m_k − M} l_k, a likewise; a / l is the output."""
    chain = Chain("online-merge", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes del primer bloque", "scores of the first block")
    chain.given("V", "n, d_v", "sus valores", "its values")
    chain.given("t", "m", "puntajes del segundo bloque", "scores of the second block")
    chain.given("W", "m, d_v", "sus valores", "its values")
    chain.given("m_1", "", "referencia del primero: su máximo, o cualquier número", "reference of the first: its maximum, or any number")
    chain.given("m_2", "", "referencia del segundo", "reference of the second")
    chain.given(
        "M", "", "referencia de la unión: el mayor de los dos, o cualquiera", "reference of the union: the larger one, or any number"
    )
    for k, s, v in (("1", "s", "V"), ("2", "t", "W")):
        chain.define(f"l_{k}", f"sum(exp({s} - m_{k}))", f"suma del bloque {k}", f"sum of block {k}")
        chain.define(f"a_{k}", f"exp({s} - m_{k}) @ {v}", f"mezcla sin dividir del bloque {k}", f"undivided mix of block {k}")
    chain.define("r_1", "exp(m_1 - M)", "factor del primero", "factor of the first")
    chain.define("r_2", "exp(m_2 - M)", "factor del segundo", "factor of the second")
    chain.define("l", "r_1 * l_1 + r_2 * l_2", "suma de la unión", "sum of the union")
    chain.define("a", "r_1 * a_1 + r_2 * a_2", "mezcla sin dividir de la unión", "undivided mix of the union")
    chain.define("c", "exp(-M)", "un factor común", "a common factor")
    chain.define("Z", "sum(exp(s)) + sum(exp(t))", "suma de las exponenciales de todos", "sum of all exponentials")
    chain.define("N", "exp(s) @ V + exp(t) @ W", "los valores de todos, con sus exponenciales", "all values, with their exponentials")
    _rescaled(chain)
    chain.part("El cociente", "The quotient")
    chain.start("a / l")
    chain.step("using: part 1; part 2", "c * N / (c * Z)", "las dos mezclas, a la vez", "both at once")
    chain.step(
        "cancel", "N / Z", "el factor común se va: la referencia no importa", "the common factor goes: the reference does not matter"
    )
    chain.step(
        "definition: N",
        "(exp(s) @ V + exp(t) @ W) / Z",
        "los valores con las exponenciales de todos",
        "the values with the exponentials of all",
    )
    chain.step(
        "distribute",
        "(exp(s) / Z) @ V + (exp(t) / Z) @ W",
        "las exponenciales entre la suma de todas: los pesos de softmax sobre ambos bloques",
        "exponentials over the sum of all: the weights of softmax over both blocks",
    )
    return chain.done()


def _rescaled(chain: Chain) -> None:
    chain.part("La suma", "The sum")
    chain.start("l")
    chain.step(
        "definition: l, r_1, r_2, l_1, l_2",
        "exp(m_1 - M) * sum(exp(s - m_1)) + exp(m_2 - M) * sum(exp(t - m_2))",
        "cada bloque con su factor",
        "each block with its factor",
    )
    chain.step(
        "exponential law",
        "exp(-M) * sum(exp(s)) + exp(-M) * sum(exp(t))",
        "$e^{m_k - M} e^{s - m_k} = e^{-M} e^s$: la referencia del bloque se va",
        "$e^{m_k - M} e^{s - m_k} = e^{-M} e^s$: the reference of the block goes",
    )
    chain.step(
        "definition: c",
        "c * sum(exp(s)) + c * sum(exp(t))",
        "un factor que no depende del bloque",
        "a factor that is the same in all blocks",
    )
    chain.step("collect", "c * (sum(exp(s)) + sum(exp(t)))", "factor común", "a common factor")
    chain.step("definition: Z", "c * Z", "la suma de todas las exponenciales", "the sum of all exponentials")
    chain.part("La mezcla", "The mix")
    chain.start("a")
    chain.step(
        "definition: a, r_1, r_2, a_1, a_2",
        "exp(m_1 - M) * (exp(s - m_1) @ V) + exp(m_2 - M) * (exp(t - m_2) @ W)",
        "cada bloque con su factor",
        "each block with its factor",
    )
    chain.step(
        "exponential law",
        "exp(-M) * (exp(s) @ V) + exp(-M) * (exp(t) @ W)",
        "igual que en la suma",
        "as in the sum",
    )
    chain.step("definition: c", "c * (exp(s) @ V) + c * (exp(t) @ W)", "el mismo factor", "the same factor")
    chain.step("collect", "c * (exp(s) @ V + exp(t) @ W)", "factor común", "a common factor")
    chain.step("definition: N", "c * N", "los valores de todos", "the values of all")
