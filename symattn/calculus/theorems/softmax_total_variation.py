"""How far softmax moves, in sum of absolute values, when no score moves by more than r: at most 2 tanh(r/2)."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "softmax"
TITLE = Both(
    r"Si ningún puntaje se mueve más de $r$, los pesos se mueven a lo más $2 \tanh(r/2)$",
    r"If no score moves by more than $r$, the weights move by at most $2 \tanh(r/2)$",
)
EXAMPLE = {"s": "[0, 1, -1]", "e": "[1, -1, 1/2]"}
FALSE_TWIN = "sum(abs(q - p)) <= tanh(r / 2)"


def derive() -> Derivation:
    """q_i − p_i = p_i (w_i − W)/W with w = e^e in [1/u, u], u = e^r, W = Σ p_j w_j; |w − W| is below its chord, whose mean is
    2(W − 1/u)(u − W)/(u − 1/u), and that over W is at most 2(u − 1)/(u + 1), the difference being a square."""
    chain = Chain("softmax-total-variation", TITLE.es, TITLE.en)
    chain.given("s", "n", "puntajes", "scores")
    chain.given("e", "n", "lo que cada puntaje se mueve", "what each score moves by")
    chain.define("r", "max(max(e), max(-e))", "lo que más se mueve alguno", "the largest move")
    chain.define("c", "ones(n) * r", "la misma, en todas las entradas", "the same, at every entry")
    chain.define("f", "-e")
    chain.define("p", "softmax(s)", "los pesos de antes", "the weights before")
    chain.define("w", "exp(e)", "los factores", "the factors")
    chain.define("g", "exp(f)", "sus inversos", "their inverses")
    chain.define("W", "sum(p * w)", "el factor medio", "the mean factor")
    chain.define("q", "softmax(s + e)", "los pesos de después", "the weights after")
    chain.define("u", "exp(r)", "lo más que un factor llega a ser", "the most that a factor can be")
    chain.define("U", "exp(c)")
    chain.define("N", "u - 1 / u", "lo ancho del intervalo de los factores", "the width of the interval of the factors")
    chain.define("A", "U - w", "lo que falta para $u$", "what is missing to $u$")
    chain.define("G", "U - g")
    chain.define("B", "w * G / u", "lo que pasa de $1/u$", "what is above $1/u$")
    chain.define("C", "sum(p * A)", "$u - W$", "$u - W$")
    chain.define("D", "sum(p * B)", "$W - 1/u$", "$W - 1/u$")
    chain.define("y", "p * (B * C + A * D) / N / W", "la cuerda", "the chord")
    chain.define("t", "y", "la misma", "the same")
    chain.define("x", "q - p", "lo que cada peso se mueve", "what each weight moves by")
    chain.define("z", "-x")
    chain.define("v", "abs(x)")
    _moves(chain)
    _factors(chain)
    _scale(chain)
    _chord(chain)
    _total(chain)
    return chain.done()


def _moves(chain: Chain) -> None:
    chain.part("Ningún puntaje se mueve más de $r$", "No score moves by more than $r$")
    for name in ("e", "f"):
        chain.start(name)
        if name == "f":
            chain.step("definition: f", "-e", "lo que $f$ es", "what $f$ is")
        chain.step(
            "maximum", "ones(n) * max(max(e), max(-e))", "uno de los que el máximo compara", "one of those that the maximum compares"
        )
        chain.step("definition: r, c", "c", "lo que $c$ es", "what $c$ is")


def _factors(chain: Chain) -> None:
    chain.part("Los factores están entre $1/u$ y $u$", "The factors are between $1/u$ and $u$")
    for part, name, source, gap in ((1, "w", "e", "A"), (2, "g", "f", "G")):
        chain.start(name)
        chain.step(f"definition: {name}", f"exp({source})", f"lo que ${name}$ es", f"what ${name}$ is")
        chain.step(f"monotone: part {part}", "exp(c)", "la exponencial crece", "the exponential rises")
        chain.step("definition: U", "U", "lo que $U$ es", "what $U$ is")
        chain.start(gap)
        chain.step(f"definition: {gap}", f"U - {name}", f"lo que ${gap}$ es", f"what ${gap}$ is")
        chain.step(f"nonnegative: part {3 if name == 'w' else 5}", "0", "la diferencia de arriba", "the difference above")


def _scale(chain: Chain) -> None:
    chain.part("$u \\ge 1$", "$u \\ge 1$")
    chain.start("N")
    chain.step(
        "using: N == sum(U * G + g * A) / (n * u); A == U - w; G == U - g",
        "sum(U * G + g * A) / (n * u)",
        "$u^2 - 1 = u (u - g_i) + g_i (u - w_i)$, para cada $i$",
        "$u^2 - 1 = u (u - g_i) + g_i (u - w_i)$, for each $i$",
    )
    chain.step("nonnegative: part 4; part 6", "0", "sumas y productos de no negativos", "sums and products of what is not negative")


def _chord(chain: Chain) -> None:
    chain.part("Cada peso se mueve menos que la cuerda", "Each weight moves by less than the chord")
    facts = (
        "part 4; part 6; part 7; q == p * w / W; C == u - W; D == W - 1 / u; A == u - w; B == w - 1 / u; N == u - 1 / u; "
        "y == p * (B * C + A * D) / N / W"
    )
    chain.start("x")
    chain.step("definition: x", "q - p", "lo que $x$ es", "what $x$ is")
    chain.step(f"at most: 2 * p * A * D / N / W | {facts}", "y", "queda $2 (u - w_i)(W - 1/u)$", "$2 (u - w_i)(W - 1/u)$ remains")
    chain.start("z")
    chain.step("definition: z, x", "-(q - p)", "lo que $z$ es", "what $z$ is")
    chain.step(f"at most: 2 * p * B * C / N / W | {facts}", "y", "queda $2 (w_i - 1/u)(u - W)$", "$2 (w_i - 1/u)(u - W)$ remains")
    chain.step("definition: t", "t", "la misma", "the same")
    chain.start("v")
    chain.step("definition: v", "abs(x)", "lo que $v$ es", "what $v$ is")
    chain.step("using: abs(x) == max(x, z)", "max(x, z)", "$|x| = \\max(x, -x)$", "$|x| = \\max(x, -x)$")
    chain.step("monotone: part 8", "max(y, z)", "el primero crece", "the first rises")
    chain.step("monotone: part 9", "max(y, t)", "y el segundo", "and so does the second")
    chain.step("using: max(y, t) == y", "y", "los dos son iguales", "both are equal")


def _total(chain: Chain) -> None:
    chain.part("La suma", "The sum")
    chain.start("sum(abs(q - p))")
    chain.step("definition: v, x", "sum(v)", "lo que $v$ es", "what $v$ is")
    chain.step("monotone: part 10", "sum(y)", "término a término", "term by term")
    chain.step("definition: y", "sum(p * (B * C + A * D) / N / W)", "lo que $y$ es", "what $y$ is")
    chain.step(
        "distribute", "sum(p * B) * C / N / W + sum(p * A) * D / N / W", "$C$, $D$, $N$ y $W$ salen", "$C$, $D$, $N$ and $W$ come out"
    )
    chain.step("definition: D, C", "D * C / N / W + C * D / N / W", "las sumas son $D$ y $C$", "the sums are $D$ and $C$")
    chain.step(
        "at most: 2 * (W - 1)**2 / N / W | part 7; C == u - W; D == W - 1 / u; N == u - 1 / u",
        "2 * (u + 1 / u - 2) / N",
        "$W + 1/W \\ge 2$",
        "$W + 1/W \\ge 2$",
    )
    chain.step(
        "using: N == u - 1 / u",
        "2 * ((u - 1) / (u + 1))",
        "arriba $(u - 1)^2$, abajo $(u - 1)(u + 1)$",
        "above $(u - 1)^2$, below $(u - 1)(u + 1)$",
    )
    chain.step("definition: u", "2 * ((exp(r) - 1) / (exp(r) + 1))", "lo que $u$ es", "what $u$ is")
    chain.step("exponential law", "2 * ((exp(2 * (r / 2)) - 1) / (exp(2 * (r / 2)) + 1))", "$r = 2 (r/2)$", "$r = 2 (r/2)$")
    chain.step("function: tanh", "2 * tanh(r / 2)", "lo que tanh es", "what tanh is")
