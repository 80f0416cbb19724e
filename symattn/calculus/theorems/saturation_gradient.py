"""How much of a gradient passes a row of softmax: at most p_i (1 − p_i) times the range of what arrives, and from there to the query.

K_plus + K_minus is |K| when they are its two parts. With softmax-saturation the factor p_i (1 − p_i) is at most (n − 1) e^{−Δ}; dW_Q is the
sum over tokens of x ⊗ dq (backward-scores)."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "saturation"
TITLE = Both(
    "El gradiente que pasa por una fila de softmax es a lo más $p_i (1 - p_i)$ por una amplitud",
    "The gradient that passes a row of softmax is at most $p_i (1 - p_i)$ times a range",
)
EXAMPLE = {
    "s": "[180, 210, 95]",
    "x": "[1, -2, 3]",
    "K_plus": "[[1, 0], [2, 0], [0, 3]]",
    "K_minus": "[[0, 1], [0, 0], [1, 0]]",
}
FALSE_TWIN = "v <= p * (1 - p) * R / 4"


def derive() -> Derivation:
    """v = J x: v_i = p_i Σ_{j≠i} p_j (x_i − x_j), |x_i − x_j| ≤ R = max x − min x, Σ_{j≠i} p_j = 1 − p_i, so |v_i| ≤ p_i (1 − p_i) R."""
    chain = Chain("saturation-gradient", TITLE.es, TITLE.en)
    chain.given("s", "n", "una fila de puntajes", "a row of scores")
    chain.given("x", "n", "el gradiente que llega a los pesos", "the gradient that arrives at the weights")
    chain.given("K_plus", "n, d", "la parte positiva de las keys", "the positive part of the keys")
    chain.given("K_minus", "n, d", "la parte negativa de las keys", "the negative part of the keys")
    chain.suppose("K_plus >= 0")
    chain.suppose("K_minus >= 0")
    chain.define("p", "softmax(s)", "los pesos", "the weights")
    chain.define("v", "(diag(p) - outer(p, p)) @ x", "el gradiente de los puntajes", "the gradient of the scores")
    chain.define("R", "max(x) + max(-x)", "la amplitud de lo que llega", "the range of what arrives")
    chain.define("D", "entries(x[i] - x[j], i=n, j=n)", "diferencias", "gaps")
    chain.define("C", "entries(x[j] - x[i], i=n, j=n)", "las mismas, al revés", "the same, turned round")
    chain.define("W", "R * ones(n, n)", "la amplitud, en todas las entradas", "the range, at every entry")
    chain.define(
        "L",
        "entries(p[j], if_atmost(j, i, -1), i=n, j=n) + entries(p[j], if_atmost(i, j, -1), i=n, j=n)",
        "en cada fila, los otros pesos",
        "in each row, the other weights",
    )
    chain.define("K", "K_plus - K_minus", "las keys, una por fila", "the keys, one a row")
    chain.define("X", "L * D")
    chain.define("Y", "L * W")
    chain.define("Z", "L * C")
    _gaps(chain)
    _others(chain)
    _bounds(chain)
    _query(chain)
    return chain.done()


def _gaps(chain: Chain) -> None:
    chain.part("Las diferencias", "The gaps")
    for name, first, second in (("D", "i", "j"), ("C", "j", "i")):
        chain.start(name)
        chain.step(f"definition: {name}", f"entries(x[{first}] - x[{second}], i=n, j=n)", f"lo que ${name}$ es", f"what ${name}$ is")
        chain.step("maximum", f"entries(max(x) - x[{second}], i=n, j=n)", "ninguno pasa del máximo", "none is above the maximum")
        chain.step("maximum", "entries(max(x) + max(-x), i=n, j=n)", "ni baja del mínimo", "nor below the minimum")
        chain.step("using: W == entries(max(x) + max(-x), i=n, j=n)", "W", "la amplitud", "the range")


def _others(chain: Chain) -> None:
    chain.part("Los otros pesos", "The other weights")
    chain.start("L")
    chain.step(
        "definition: L",
        "entries(p[j], if_atmost(j, i, -1), i=n, j=n) + entries(p[j], if_atmost(i, j, -1), i=n, j=n)",
        "lo que $L$ es",
        "what $L$ is",
    )
    chain.step("rearrange", "entries(p[j], i=n, j=n) - diag(p)", "todos, menos el propio", "all, but its own")


def _bounds(chain: Chain) -> None:
    for at, (name, moved) in enumerate((("X", "D"), ("Z", "C"))):
        chain.part(
            "De las diferencias a la suma" if at == 0 else "Lo mismo, al revés",
            "From the gaps to the sum" if at == 0 else "The same, turned round",
        )
        chain.start(name)
        chain.step(f"definition: {name}", f"L * {moved}", f"lo que ${name}$ es", f"what ${name}$ is")
        chain.step(f"monotone: part {at + 1}", "L * W", "los pesos son positivos", "the weights are positive")
        chain.step("definition: Y", "Y", "lo que $Y$ es", "what $Y$ is")
        chain.define("x_s" if at == 0 else "z_s", f"sum({name})")
        if at == 0:
            chain.define("y_s", "sum(Y)")
        own = "x_s" if at == 0 else "z_s"
        chain.start(own)
        chain.step(f"definition: {own}", f"sum({name})", "la suma de cada fila", "the sum of each row")
        chain.step(f"monotone: part {4 + 3 * at}", "sum(Y)", "término a término", "term by term")
        chain.step("definition: y_s", "y_s", "lo que $y_s$ es", "what $y_s$ is")
        side = "v" if at == 0 else "-v"
        chain.start(side)
        chain.step(f"using: {side} == p * {own}", f"p * {own}", "la forma con diferencias", "the form with gaps")
        chain.step(f"monotone: part {5 + 3 * at}", "p * y_s", "los pesos son positivos", "the weights are positive")
        chain.step("using: y_s == (1 - p) * R", "p * (1 - p) * R", "los otros pesos suman $1 - p_i$", "the other weights sum to $1 - p_i$")


def _query(chain: Chain) -> None:
    chain.define("b", "p * (1 - p) * R", "la cota de cada uno", "the bound of each")
    chain.define("low", "b + v")
    chain.define("high", "b - v")
    chain.part("El gradiente de la query", "The gradient of the query")
    for name, sign, part in (("high", "-", 6), ("low", "+", 9)):
        chain.start(name)
        chain.step(f"definition: {name}, b", f"p * (1 - p) * R {sign} v", f"lo que es {name}", f"what {name} is")
        chain.step(f"nonnegative: part {part}", "0", "la diferencia de arriba", "the difference above")
    known = "part 10; part 11; K == K_plus - K_minus; low == b + v; high == b - v"
    for sign, plus, minus in (("", "high", "low"), ("-", "low", "high")):
        chain.start(f"{sign}(v @ K) / sqrt(d)")
        chain.step(
            f"at most: ({plus} @ K_plus + {minus} @ K_minus) / sqrt(d) | {known}",
            "b @ (K_plus + K_minus) / sqrt(d)",
            "cada key pesa a lo más su valor absoluto",
            "each key counts with at most its absolute value",
        )
        chain.step("definition: b", "(p * (1 - p) * R) @ (K_plus + K_minus) / sqrt(d)", "lo que $b$ es", "what $b$ is")
