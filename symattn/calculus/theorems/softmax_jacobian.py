"""The derivative of softmax: diag(p) − ppᵀ, whose rows sum to zero and which is symmetric. Its norm and rank have theorems of their own."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both(r"La derivada de softmax es $\text{diag}(p) - p p^\top$", r"The derivative of softmax is $\text{diag}(p) - p p^\top$")
EXAMPLE = {"s": "[0, 1, -1]", "v": "[1, 2, 0]"}
FALSE_TWIN = "derivative(p, s, v) == diag(p) @ v"


def derive() -> Derivation:
    """∂p = (diag(p) − ppᵀ) v along every v; (diag(p) − ppᵀ) 1 = 0; (diag(p) − ppᵀ)ᵀ = diag(p) − ppᵀ."""
    chain = Chain("softmax-jacobian", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("v", "n", "una dirección, cualquiera", "any direction")
    chain.define("E", "exp(s)")
    chain.define("Z", "sum(E)")
    chain.define("p", "E / Z")
    _derivative(chain)
    _row_sums(chain)
    _symmetry(chain)
    return chain.done(
        "derivative(p, s, v) == (diag(p) - outer(p, p)) @ v; sum(diag(p) - outer(p, p)) == 0; "
        "(diag(p) - outer(p, p)).T @ v == (diag(p) - outer(p, p)) @ v"
    )


def _derivative(chain: Chain) -> None:
    chain.part("La derivada a lo largo de $v$", "The derivative along $v$")
    chain.start("derivative(p, s, v)")
    chain.step("definition: p", "derivative(E / Z, s, v)", "$p$ es un cociente", "$p$ is a quotient")
    chain.step(
        "quotient rule",
        "derivative(E, s, v) / Z - E * derivative(Z, s, v) / Z**2",
        "dependen de $s$ el numerador y el denominador",
        "numerator and denominator depend on $s$",
    )
    chain.step(
        "definition: Z, E",
        "derivative(exp(s), s, v) / Z - E * derivative(sum(exp(s)), s, v) / Z**2",
        "lo que hay que derivar, a la vista",
        "what is to be differentiated, in sight",
    )
    chain.step(
        "sum rule",
        "derivative(exp(s), s, v) / Z - E * sum(derivative(exp(s), s, v)) / Z**2",
        "la derivada entra en la suma finita",
        "the derivative goes into the finite sum",
    )
    chain.step(
        "derivative of exp",
        "exp(s) * v / Z - E * sum(exp(s) * v) / Z**2",
        "$e^{s_i}$ solo depende de $s_i$",
        "$e^{s_i}$ depends on $s_i$ only",
    )
    chain.step("definition: E", "E * v / Z - E * sum(E * v) / Z**2", "otra vez $E$", "$E$ again")
    chain.step("rearrange", "E / Z * v - E / Z * sum(E / Z * v)", "cada $E$ se lleva un $Z$", "each $E$ takes one $Z$ along")
    chain.step("definition: p", "p * v - p * sum(p * v)", "los cocientes son $p$", "the quotients are $p$")
    chain.step("collect", "(diag(p) - outer(p, p)) @ v", "es lineal en $v$", "it is linear in $v$")


def _row_sums(chain: Chain) -> None:
    chain.part("Sus filas suman cero", "Its rows sum to zero")
    chain.start("sum(diag(p) - outer(p, p))")
    chain.step("distribute", "sum(diag(p)) - sum(outer(p, p))", "la suma de una diferencia", "the sum of a difference")
    chain.step("contract the delta", "p - sum(outer(p, p))", "en la fila $i$ queda el término $i$", "in row $i$ the term $i$ remains")
    chain.step("rearrange", "p - p * sum(p)", "$p_i$ sale de la suma sobre $j$", "$p_i$ leaves the sum over $j$")
    chain.step("using: sum(p) == 1", "p - p", "los pesos suman 1", "the weights sum to 1")
    chain.step("collect", "0", "una diferencia de iguales", "a difference of equals")


def _symmetry(chain: Chain) -> None:
    chain.part("Es simétrica", "It is symmetric")
    chain.start("(diag(p) - outer(p, p)).T @ v")
    chain.step("distribute", "diag(p).T @ v - outer(p, p).T @ v", "transponer es lineal", "transposing is linear")
    chain.step(
        "rearrange",
        "diag(p) @ v - outer(p, p) @ v",
        "$p_i p_j = p_j p_i$, y una diagonal es simétrica",
        "$p_i p_j = p_j p_i$, and a diagonal is symmetric",
    )
    chain.step("collect", "(diag(p) - outer(p, p)) @ v", "es lineal en la matriz", "it is linear in the matrix")
