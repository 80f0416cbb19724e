"""The second derivative of log-sum-exp is the derivative of softmax, for any two directions."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both(
    r"La segunda derivada de log-sum-exp es $\text{diag}(p) - p p^\top$",
    r"The second derivative of log-sum-exp is $\text{diag}(p) - p p^\top$",
)
EXAMPLE = {"s": "[0, 1, -1]", "v": "[1, 2, 0]", "w": "[3, 0, -1]"}
FALSE_TWIN = "derivative(derivative(L, s, v), s, w) == v @ diag(p) @ w"


def derive() -> Derivation:
    """∂_w ∂_v log Σ e^{s_i} = vᵀ (diag(p) − ppᵀ) w, which is the same with v and w exchanged."""
    chain = Chain("lse-hessian", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("v", "n", "una dirección, cualquiera", "any direction")
    chain.given("w", "n", "otra dirección, cualquiera", "any other direction")
    chain.define("E", "exp(s)")
    chain.define("Z", "sum(E)")
    chain.define("p", "E / Z")
    chain.define("L", "log(Z)", "log-sum-exp")
    chain.part("La primera derivada", "The first derivative")
    chain.start("derivative(L, s, v)")
    chain.step("definition: L", "derivative(log(Z), s, v)", "$L$ es un logaritmo", "$L$ is a logarithm")
    chain.step("derivative of log", "derivative(Z, s, v) / Z", "$Z > 0$: una suma de exponenciales", "$Z > 0$: a sum of exponentials")
    chain.step(
        "definition: Z, E",
        "derivative(sum(exp(s)), s, v) / Z",
        "lo que hay que derivar, a la vista",
        "what is to be differentiated, in sight",
    )
    chain.step(
        "sum rule", "sum(derivative(exp(s), s, v)) / Z", "la derivada entra en la suma finita", "the derivative goes into the finite sum"
    )
    chain.step("derivative of exp", "sum(exp(s) * v) / Z", "$e^{s_i}$ solo depende de $s_i$", "$e^{s_i}$ depends on $s_i$ only")
    chain.step("definition: E", "sum(E * v) / Z", "otra vez $E$", "$E$ again")
    chain.step("rearrange", "sum(E / Z * v)", "cada término se lleva su divisor", "each term takes its divisor along")
    chain.step("definition: p", "sum(p * v)", "los cocientes son $p$", "the quotients are $p$")
    chain.part("La derivada de la derivada", "The derivative of the derivative")
    chain.start("derivative(derivative(L, s, v), s, w)")
    chain.step("definition: L", "derivative(derivative(log(Z), s, v), s, w)", "$L$ es un logaritmo", "$L$ is a logarithm")
    chain.step("chain rule", "derivative(sum(p * v), s, w)", "la primera derivada, de arriba", "the first derivative, from above")
    chain.step("sum rule", "sum(derivative(p * v, s, w))", "la derivada entra en la suma finita", "the derivative goes into the finite sum")
    chain.step("product rule", "sum(derivative(p, s, w) * v)", "$v$ no depende de $s$", "$v$ does not depend on $s$")
    chain.step(
        "using: derivative(p, s, w) == (diag(p) - outer(p, p)) @ w",
        "sum((diag(p) - outer(p, p)) @ w * v)",
        "la derivada de softmax (softmax-jacobian)",
        "the derivative of softmax (softmax-jacobian)",
    )
    chain.step("distribute", "v @ (diag(p) - outer(p, p)) @ w", "la suma es un producto de vectores", "the sum is a product of vectors")
    return chain.done()
