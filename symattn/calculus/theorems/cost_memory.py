"""Numbers held at once: the table of scores, the cache, the cache of grouped heads, and the state of the online form for one
query. Bytes are these times the width.
"""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "cost"
TITLE = Both("La memoria de la tabla, de la caché y de la forma en línea", "Memory of the table, of the cache and of the online form")
EXAMPLE = {"K": "[[1, 0], [2, 1], [3, 1]]; [[0, 1], [1, 1], [1, 2]]", "R": "[[1, 1, 1], [1, 1, 1]]"}
FALSE_TWIN = "A / B == 1"


def derive() -> Derivation:
    """Per layer and h = g r heads: the table has h n² entries, the cache 2 h n d, and 2 g n d with g groups: r times fewer. Online: d
    + 2 for a query.
    """
    chain = Chain("cost-memory", TITLE.es, TITLE.en)
    chain.given(
        "K", "g, n, d", "claves, un bloque por grupo: solo cuenta su forma", "keys, one block for each group: only their shape counts"
    )
    chain.given("R", "g, r", "cabezas de cada grupo: solo cuenta su forma", "heads of each group: only their shape counts")
    chain.define("T", "sum_over(1, k=g, l=r, i=n, j=n)", "entradas de la tabla de todas las cabezas", "entries of the table of all heads")
    chain.define(
        "A", "2 * sum_over(1, k=g, l=r, j=n, c=d)", "caché con claves y valores de cada cabeza", "cache with keys and values of each head"
    )
    chain.define(
        "B", "2 * sum_over(1, k=g, j=n, c=d)", "caché con claves y valores de cada grupo", "cache with keys and values of each group"
    )
    chain.define(
        "S",
        "1 + 1 + sum_over(1, c=d)",
        "estado en línea de una consulta: referencia, suma y mezcla",
        "online state of a query: reference, sum and mix",
    )
    chain.part("La tabla", "The table")
    chain.start("T")
    chain.step("definition: T", "sum_over(1, k=g, l=r, i=n, j=n)", "una entrada por cabeza y par", "one entry for each head and pair")
    chain.step("rearrange", "g * r * n**2", "crece con el cuadrado", "it grows with the square")
    chain.part("La caché", "The cache")
    chain.start("A")
    chain.step("definition: A", "2 * sum_over(1, k=g, l=r, j=n, c=d)", "clave y valor de cada token", "key and value of each token")
    chain.step("rearrange", "2 * g * r * n * d", "crece con $n$, no con su cuadrado", "it grows with $n$, not with its square")
    chain.start("B")
    chain.step("definition: B", "2 * sum_over(1, k=g, j=n, c=d)", "una vez por grupo", "once a group")
    chain.step("rearrange", "2 * g * n * d", "las cabezas del grupo la comparten", "the heads of the group share it")
    chain.part("Lo que ahorra agrupar", "What grouping saves")
    chain.start("A / B")
    chain.step("using: part 2; part 3", "2 * g * r * n * d / (2 * g * n * d)", "lo de arriba", "the lines above")
    chain.step("cancel", "r", "tantas veces como cabezas tiene un grupo", "as many times as a group has heads")
    chain.part("La tabla frente a la caché", "The table beside the cache")
    chain.start("T / A")
    chain.step("using: part 1; part 2", "g * r * n**2 / (2 * g * r * n * d)", "lo de arriba", "the lines above")
    chain.step("cancel", "n / (2 * d)", "la tabla es mayor cuando $n$ pasa de $2 d$", "the table is larger once $n$ is above $2 d$")
    chain.part("La forma en línea", "The online form")
    chain.start("S")
    chain.step("definition: S", "1 + 1 + sum_over(1, c=d)", "dos números y una mezcla", "two numbers and a mix")
    chain.step("collect", "d + 2", "no depende de $n$", "it does not depend on $n$")
    return chain.done()
