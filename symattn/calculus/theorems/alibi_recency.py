"""A bias linear in the distance multiplies the weights by a prior that decays geometrically with the distance."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "attention"
TITLE = Both("ALiBi: un peso previo por lo reciente", "ALiBi: a prior for what is recent")
EXAMPLE = {"S": "[[1, 0, 2], [2, 1, 0], [0, -1, 1]]", "mu": "1/2"}
FALSE_TWIN = 'P == softmax(S, mask="causal")'


def derive() -> Derivation:
    """e^{S_ij − μ(i − j)} = R_ij e^{S_ij} with R_ij = e^{−μ(i − j)}; since e^{−μ i} belongs to the whole row, only the key's place
    counts.
    """
    chain = Chain("alibi-recency", TITLE.es, TITLE.en)
    chain.given("S", "n, n", "puntajes", "scores")
    chain.given("mu", "", "pendiente", "slope")
    chain.define("x", "positions(n)", "lugares", "places")
    chain.define("B", "entries(-mu * (x[i] - x[j]), i=n, j=n)", "el sesgo", "the bias")
    chain.define("R", "exp(B)", "el peso previo", "the prior")
    chain.define("F", "S + B", "puntajes con sesgo", "scores with the bias")
    chain.define("E", "causal_part(exp(S))", "exponenciales sin sesgo", "exponentials without bias")
    chain.define("H", "causal_part(exp(F))", "exponenciales con sesgo", "exponentials with the bias")
    chain.define("Z", "sum(H)", "su suma", "their sum")
    chain.define("P", 'softmax(F, mask="causal")', "pesos", "weights")
    chain.define("u", "exp(-mu * x)", "la parte de la fila", "the part of the row")
    chain.define("v", "exp(mu * x)", "la parte de la clave", "the part of the key")
    chain.define("Y", "E @ v", "el divisor que queda", "the divisor that remains")
    chain.part("Un factor por pareja", "A factor for each pair")
    chain.start("H")
    chain.step("definition: H, F", "causal_part(exp(S + B))", "lo que $H$ es", "what $H$ is")
    chain.step("exponential law", "causal_part(exp(S)) * exp(B)", "$e^{a + b} = e^a e^b$", "$e^{a + b} = e^a e^b$")
    chain.step("definition: E, R", "E * R", "el peso previo multiplica", "the prior multiplies")
    chain.start("P")
    chain.step("definition: P", 'softmax(F, mask="causal")', "lo que $P$ es", "what $P$ is")
    chain.step("function: softmax", "causal_part(exp(F)) / sum(causal_part(exp(F)))", "lo que softmax es", "what softmax is")
    chain.step("definition: H, Z", "H / Z", "en breve", "in short")
    chain.step("using: part 1", "E * R / Z", "el peso previo por lo que dicen los puntajes", "the prior times what the scores say")
    chain.part("Decae con la distancia", "It decays with the distance")
    chain.start("R")
    chain.step("definition: R, B", "exp(entries(-mu * (x[i] - x[j]), i=n, j=n))", "lo que $R$ es", "what $R$ is")
    chain.step(
        "exponential law",
        "entries(exp(-mu * x)[i] * exp(mu * x)[j], i=n, j=n)",
        "la parte de la fila y la de la clave",
        "the part of the row and that of the key",
    )
    chain.step("definition: u, v", "entries(u[i] * v[j], i=n, j=n)", "en breve", "in short")
    chain.part("Solo cuenta el lugar de la clave", "Only the place of the key counts")
    chain.start("Z")
    chain.step("definition: Z", "sum(H)", "lo que $Z$ es", "what $Z$ is")
    chain.step("using: part 1", "sum(E * R)", "lo de arriba", "the line above")
    chain.step("using: part 3", "sum(E * entries(u[i] * v[j], i=n, j=n))", "lo de arriba", "the line above")
    chain.step("rearrange", "u * (E @ v)", "$u_i$ es de toda la fila", "$u_i$ belongs to the whole row")
    chain.step("definition: Y", "u * Y", "en breve", "in short")
    chain.start("P")
    chain.step("using: part 2; part 3; part 4", "E * entries(u[i] * v[j], i=n, j=n) / (u * Y)", "todo junto", "all together")
    chain.step(
        "cancel",
        "entries(E[i,j] * v[j] / Y[i], i=n, j=n)",
        "$u_i$ se va: a igual puntaje, cada paso hacia atrás divide por $e^\\mu$",
        "$u_i$ goes: at equal scores, each step back divides by $e^\\mu$",
    )
    return chain.done()
