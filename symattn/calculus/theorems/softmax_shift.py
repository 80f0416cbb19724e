"""Softmax does not change when a constant is added to every score of a row."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both("Sumar una constante a la fila no cambia softmax", "Adding a constant to a row does not change softmax")
EXAMPLE = {"S": "[[0, 1], [2, -1]]", "c": "[5, -3]"}
FALSE_TWIN = "softmax(S * c) == softmax(S)"


def derive() -> Derivation:
    """softmax(S + c 1ᵀ) = softmax(S), for every c; the row maximum is one of them."""
    chain = Chain("softmax-shift", TITLE.es, TITLE.en)
    chain.given("S", "n, m", "puntajes", "scores")
    chain.given("c", "n", "una constante por fila, cualquiera", "any constant for each row")
    chain.start("softmax(S + c)")
    chain.step(
        "function: softmax", "exp(S + c) / sum(exp(S + c))", "lo que softmax quiere decir, fila por fila", "what softmax means, row by row"
    )
    chain.step(
        "exponential law",
        "exp(S) * exp(c) / sum(exp(S) * exp(c))",
        "$e^{a+b} = e^a e^b$, arriba y abajo",
        "$e^{a+b} = e^a e^b$, above and below",
    )
    chain.step(
        "rearrange",
        "exp(S) * exp(c) / (sum(exp(S)) * exp(c))",
        "$e^{c_i}$ no depende de la columna",
        "$e^{c_i}$ does not depend on the column",
    )
    chain.step("cancel", "exp(S) / sum(exp(S))", "$e^{c_i}$ se va de arriba y de abajo", "$e^{c_i}$ leaves above and below")
    chain.step("function: softmax", "softmax(S)", "otra vez lo que softmax quiere decir", "what softmax means, again")
    return chain.done("softmax(S + c) == softmax(S)")
