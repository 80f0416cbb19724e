"""The gradient of the cross-entropy of softmax by the scores is p − y, for every target whose entries sum to 1."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both("El gradiente de la entropía cruzada es $p - y$", "The gradient of cross-entropy is $p - y$")
EXAMPLE = {"s": "[0, 1, -1]", "a": "[1, 2, 1]", "v": "[1, 2, 0]"}
FALSE_TWIN = "derivative(C, s, v) == sum((y - p) * v)"


def derive() -> Derivation:
    """C = −Σ y_i log p_i = log Σ e^{s_i} − Σ y_i s_i, and ∂C = Σ (p_i − y_i) v_i along every v."""
    chain = Chain("cross-entropy", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("a", "n", "proporciones del objetivo", "proportions of the target")
    chain.given("v", "n", "una dirección, cualquiera", "any direction")
    chain.define("A", "sum(a)")
    chain.define("y", "a / A", "el objetivo, que suma 1", "the target, which sums to 1")
    chain.define("p", "exp(s) / sum(exp(s))", "pesos", "weights")
    chain.define("L", "log(sum(exp(s)))", "log-sum-exp")
    chain.define("C", "-sum(y * log(p))", "entropía cruzada", "cross-entropy")
    chain.part("La entropía cruzada con los puntajes", "Cross-entropy by the scores")
    chain.start("C")
    chain.step("definition: C, p", "-sum(y * log(exp(s) / sum(exp(s))))", "lo que $C$ y $p$ son", "what $C$ and $p$ are")
    chain.step(
        "logarithm law",
        "-sum(y * (log(exp(s)) - log(sum(exp(s)))))",
        "el logaritmo de un cociente de positivos",
        "the logarithm of a quotient of what is positive",
    )
    chain.step("definition: L", "-sum(y * (log(exp(s)) - L))", "el segundo es $L$", "the second is $L$")
    chain.step("logarithm law", "-sum(y * (s - L))", "el logaritmo deshace la exponencial", "the logarithm undoes the exponential")
    chain.step("distribute", "L * sum(y) - sum(y * s)", "$L$ no depende del índice", "$L$ does not depend on the index")
    chain.step("using: sum(y) == 1", "L - sum(y * s)", "el objetivo suma 1", "the target sums to 1")
    chain.part("Su derivada", "Its derivative")
    chain.start("derivative(C, s, v)")
    chain.step("using: part 1", "derivative(L - sum(y * s), s, v)", "la forma de arriba", "the form above")
    chain.step(
        "sum rule", "derivative(L, s, v) - derivative(sum(y * s), s, v)", "la derivada de una resta", "the derivative of a difference"
    )
    chain.step(
        "using: derivative(L, s, v) == sum(p * v)",
        "sum(p * v) - derivative(sum(y * s), s, v)",
        "el gradiente de log-sum-exp es softmax (lse-gradient)",
        "the gradient of log-sum-exp is softmax (lse-gradient)",
    )
    chain.step("sum rule", "sum(p * v) - sum(derivative(y * s, s, v))", "la derivada entra en la suma", "the derivative goes into the sum")
    chain.step("product rule", "sum(p * v) - sum(y * v)", "$y$ no depende de $s$", "$y$ does not depend on $s$")
    chain.step("collect", "sum((p - y) * v)", "una sola suma", "one sum")
    return chain.done()
