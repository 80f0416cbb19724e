"""The merge of states (reference, sum, mix) is associative and commutative; what is neutral, and in which sense.

With a finite reference an empty state is neutral up to the choice of the reference: what the state stands for, e^m (l, a), is the same,
and with the other state's own reference the numbers are too. A reference of −∞ is a limit: a state whose reference falls without bound
counts for nothing in the end.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "online"
TITLE = Both("La unión de bloques es asociativa y conmutativa", "The merge of blocks is associative and commutative")
EXAMPLE = {
    "m_1": "0", "m_2": "1", "m_3": "-1", "l_1": "2", "l_2": "3", "l_3": "1", "a_1": "[1, 2]", "a_2": "[0, 5]", "a_3": "[4, -1]",
    "u": "2", "w": "-3", "M": "1", "t": "5",
}  # fmt: skip
FALSE_TWIN = "l_12 + l_3 == l_1 + l_23"


def derive() -> Derivation:
    """Merged at M by way of any references u and w: ((1, 2), 3) = (1, (2, 3)); two may change places; an empty one adds nothing."""
    chain = Chain("online-associative", TITLE.es, TITLE.en)
    for k in "123":
        chain.given(f"m_{k}", "", f"referencia del estado {k}", f"reference of state {k}")
        chain.given(f"l_{k}", "", f"suma del estado {k}", f"sum of state {k}")
        chain.given(f"a_{k}", "d_v", f"mezcla sin dividir del estado {k}", f"undivided mix of state {k}")
    chain.given("u", "", "referencia de 1 y 2, cualquiera", "reference of 1 and 2, any number")
    chain.given("w", "", "referencia de 2 y 3, cualquiera", "reference of 2 and 3, any number")
    chain.given("t", "", "crece: $-t$ es la referencia de un estado que se vacía", "grows: $-t$ is the reference of a state that empties")
    chain.given("M", "", "referencia de los tres, cualquiera", "reference of the three, any number")
    for letter in "la":
        chain.define(f"{letter}_12", f"exp(m_1 - u) * {letter}_1 + exp(m_2 - u) * {letter}_2", "1 y 2 unidos", "1 and 2 merged")
        chain.define(f"{letter}_23", f"exp(m_2 - w) * {letter}_2 + exp(m_3 - w) * {letter}_3", "2 y 3 unidos", "2 and 3 merged")
    _grouping(chain, "l", "La suma", "The sum")
    _grouping(chain, "a", "La mezcla", "The mix")
    chain.part("El orden de dos", "The order of two")
    chain.start("exp(m_1 - M) * a_1 + exp(m_2 - M) * a_2")
    chain.step("rearrange", "exp(m_2 - M) * a_2 + exp(m_1 - M) * a_1", "la suma es conmutativa", "addition is commutative")
    chain.part("Con un estado vacío", "With an empty state")
    chain.start("exp(M) * (exp(m_1 - M) * a_1 + exp(m_2 - M) * 0)")
    chain.step("exponential law", "exp(M) * exp(m_1 - M) * a_1", "suma y mezcla de ningún puntaje son 0", "sum and mix of no score are 0")
    chain.step("exponential law", "exp(m_1) * a_1", "lo que el estado representa no cambia", "what the state stands for does not change")
    chain.start("exp(m_1 - M) * a_1 + exp(-t - M) * a_2")
    chain.step(
        "tends: t | exp(-t - M) * a_2",
        "exp(m_1 - M) * a_1",
        "una referencia que tiende a $-\\infty$ hace vacío a cualquier estado",
        "a reference that tends to $-\\infty$ makes any state an empty one",
    )
    chain.start("exp(m_1 - m_1) * a_1 + exp(m_2 - m_1) * 0")
    chain.step(
        "exponential law", "a_1", "con la referencia del otro, ni siquiera sus números", "with the other's reference, not even its numbers"
    )
    return chain.done()


def _grouping(chain: Chain, letter: str, es: str, en: str) -> None:
    one, two, three = (f"{letter}_{k}" for k in "123")
    chain.part(es, en)
    chain.start(f"exp(u - M) * {letter}_12 + exp(m_3 - M) * {three}")
    chain.step(
        f"definition: {letter}_12",
        f"exp(u - M) * (exp(m_1 - u) * {one} + exp(m_2 - u) * {two}) + exp(m_3 - M) * {three}",
        "primero 1 y 2",
        "1 and 2 first",
    )
    chain.step(
        "exponential law",
        f"exp(m_1 - M) * {one} + exp(m_2 - M) * {two} + exp(m_3 - M) * {three}",
        "$e^{u - M} e^{m_k - u} = e^{m_k - M}$: $u$ se va",
        "$e^{u - M} e^{m_k - u} = e^{m_k - M}$: $u$ goes",
    )
    chain.step(
        "exponential law",
        f"exp(m_1 - M) * {one} + exp(w - M) * (exp(m_2 - w) * {two} + exp(m_3 - w) * {three})",
        "del mismo modo se pasa por $w$",
        "in the same way one goes by way of $w$",
    )
    chain.step(f"definition: {letter}_23", f"exp(m_1 - M) * {one} + exp(w - M) * {letter}_23", "primero 2 y 3", "2 and 3 first")
