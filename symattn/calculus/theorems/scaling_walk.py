"""The root mean square distance of a random walk after n steps is √n. The mean distance is another number, and not this theorem.

Finite random steps: each row of a matrix is a course of n steps, with its probability."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "scaling"
TITLE = Both(
    r"El cuadrado de la distancia de un paseo de $n$ pasos es $n$ en promedio: típicamente, $\sqrt{n}$",
    r"The square of the distance of a walk of $n$ steps is $n$ on average: typically, $\sqrt{n}$",
)
EXAMPLE = {"w": "[1/4, 1/4, 1/4, 1/4]", "e": "[[1, 1], [1, -1], [-1, 1], [-1, -1]]"}
FALSE_TWIN = "w @ x**2 == sum_over(A[i,i], i=n)"


def derive() -> Derivation:
    """E[e_i e_j] = 1 for i = j and 0 otherwise, as for independent steps ±1 (pairs are enough): E[(e_1 + … + e_n)²] = n."""
    chain = Chain("scaling-walk", TITLE.es, TITLE.en)
    chain.given("w", "a", "probabilidades de los recorridos", "probabilities of the courses")
    chain.given("e", "a, n", "los pasos, un recorrido por fila", "the steps, one course a row")
    chain.define("x", "sum(e)", "dónde termina cada recorrido", "where each course ends")
    chain.define("A", "e.T @ (w * e)", "los segundos momentos de los pasos", "the second moments of the steps")
    chain.suppose("A == eye(n)")
    chain.part("El cuadrado de la distancia, en promedio", "The square of the distance, on average")
    chain.start("w @ x**2")
    chain.step("definition: x", "w @ sum(e)**2", "lo que $x$ es", "what $x$ is")
    chain.step(
        "rearrange",
        "sum(sum(e.T @ (w * e)))",
        "el cuadrado de una suma es la suma por pares, y el promedio entra",
        "the square of a sum is the sum over pairs, and the mean goes in",
    )
    chain.step("definition: A", "sum(sum(A))", "los segundos momentos", "the second moments")
    chain.part("Con pasos de tamaño 1 que no se correlacionan", "With steps of size 1 that are not correlated")
    chain.start("w @ x**2")
    chain.step("using: part 1", "sum(sum(A))", "el promedio de arriba", "the mean above")
    chain.step("supposing: A == eye(n)", "sum(sum(eye(n)))", "solo cada paso consigo mismo", "only each step with itself")
    chain.step("contract the delta", "n", "$n$ unos", "$n$ ones")
    return chain.done()
