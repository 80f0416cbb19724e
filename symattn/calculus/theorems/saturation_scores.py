"""The scores 180, 210, 95 before and after dividing by √512: how much of a gradient passes at the largest one."""

from __future__ import annotations

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Both, Derivation

GROUP = "saturation"
TITLE = Both(
    r"Los puntajes 180, 210 y 95, antes y después de dividir por $\sqrt{512}$",
    r"The scores 180, 210 and 95, before and after dividing by $\sqrt{512}$",
)
EXAMPLE: dict[str, str] = {}
FALSE_TWIN = "B <= 1 / 10"


def derive() -> Derivation:
    """b = p(1 − p) at the score 210. Before: b ≤ e^{−30} + e^{−115} ≤ 2/10¹², from e^{1/10} ≥ 11/10. After: B ≥ 7/64, from e^{−g} ≥ (2/3)⁴
    for the gap g = 30/√512."""
    chain = Chain("saturation-scores", TITLE.es, TITLE.en)
    chain.define("d", "-30", "180 menos 210", "180 minus 210")
    chain.define("f", "-115", "95 menos 210", "95 minus 210")
    chain.define("y", "exp(d) + exp(f)")
    chain.define("p", "1 / (1 + y)", "el peso del máximo, antes", "the weight of the maximum, before")
    chain.define("b", "p * (1 - p)", "su derivada, antes", "its derivative, before")
    chain.define("D", "d / sqrt(512)")
    chain.define("F", "f / sqrt(512)")
    chain.define("Y", "exp(D) + exp(F)")
    chain.define("P", "1 / (1 + Y)", "el peso del máximo, después", "the weight of the maximum, after")
    chain.define("B", "P * (1 - P)", "su derivada, después", "its derivative, after")
    _power(chain)
    _before(chain)
    _lower(chain)
    _upper(chain)
    _after(chain)
    return chain.done()


def _power(chain: Chain) -> None:
    chain.define("h", "1 / 10")
    chain.define("v", "exp(h)")
    chain.define("l", "1 + h")
    chain.define("k", "v**25")
    chain.define("ten", "10")
    chain.define("E", "exp(30)")
    chain.define("T", "ten**12")
    chain.part("$e^{30}$ pasa de $10^{12}$", "$e^{30}$ is above $10^{12}$")
    chain.start("v")
    chain.step("definition: v", "exp(h)", "lo que $v$ es", "what $v$ is")
    chain.step("tangent line", "1 + h", "$e^u \\ge 1 + u$", "$e^u \\ge 1 + u$")
    chain.step("definition: l", "l", "lo que $l$ es", "what $l$ is")
    chain.start("k")
    chain.step("definition: k", "v**25", "lo que $k$ es", "what $k$ is")
    chain.step("monotone: part 1", "l**25", "la potencia crece", "the power rises")
    chain.step("definition: l, h", "(1 + 1 / 10)**25", "lo que $l$ es", "what $l$ is")
    chain.step(
        "at least: 8347059433883722041830251 / 10**25",
        "10",
        "$11^{25} - 10 \\cdot 10^{25}$, contado",
        "$11^{25} - 10 \\cdot 10^{25}$, counted",
    )
    chain.step("definition: ten", "ten", "el 10", "the 10")
    chain.start("E")
    chain.step("using: E == k**12", "k**12", "$30 = 25 \\cdot 12 / 10$", "$30 = 25 \\cdot 12 / 10$")
    chain.step("monotone: part 2", "ten**12", "la potencia crece", "the power rises")
    chain.step("definition: T", "T", "lo que $T$ es", "what $T$ is")


def _before(chain: Chain) -> None:
    chain.define("u", "exp(d)")
    chain.define("w", "exp(f)")
    chain.define("g", "u", "lo mismo", "the same")
    chain.part("Antes", "Before")
    chain.start("f")
    chain.step("at most: 85 | d == -30; f == -115", "d", "el segundo está más lejos", "the second is farther away")
    chain.start("w")
    chain.step("definition: w", "exp(f)", "lo que $w$ es", "what $w$ is")
    chain.step("monotone: part 4", "exp(d)", "la exponencial crece", "the exponential rises")
    chain.step("definition: u, g", "g", "lo que $u$ es", "what $u$ is")
    chain.start("b")
    chain.step("definition: b, p", "1 / (1 + y) * (1 - 1 / (1 + y))", "lo que $b$ es", "what $b$ is")
    chain.step("at most: y**2 * (2 + y) / (1 + y)**2", "y", "$b = y / (1 + y)^2$", "$b = y / (1 + y)^2$")
    chain.step("definition: y, u, w", "u + w", "lo que $y$ es", "what $y$ is")
    chain.step("monotone: part 5", "u + g", "el segundo es menor", "the second is smaller")
    chain.step("using: u == 1 / E; g == 1 / E", "2 / E", "$e^{-30} = 1 / e^{30}$", "$e^{-30} = 1 / e^{30}$")
    chain.step("monotone: part 3", "2 / T", "el cociente baja cuando el divisor sube", "the quotient falls when the divisor rises")
    chain.step("definition: T, ten", "2 / 10**12", "lo que $T$ es", "what $T$ is")


def _lower(chain: Chain) -> None:
    chain.define("c", "D / 4")
    chain.define("s", "exp(c)")
    chain.define("o", "2 / 3")
    chain.part("Después: el segundo no es despreciable", "After: the second is not negligible")
    chain.start("s")
    chain.step("definition: s", "exp(c)", "lo que $s$ es", "what $s$ is")
    chain.step("tangent line", "1 + c", "$e^u \\ge 1 + u$", "$e^u \\ge 1 + u$")
    chain.step(
        "at least: 23 / 4608 / (4 / 3 + 30 / sqrt(512)) | c == -30 / (4 * sqrt(512))",
        "2 / 3",
        "$(4/3)^2 - 30^2/512 = 23/1152$",
        "$(4/3)^2 - 30^2/512 = 23/1152$",
    )
    chain.step("definition: o", "o", "lo que $o$ es", "what $o$ is")
    chain.start("exp(D)")
    chain.step("using: exp(D) == s**4", "s**4", "$D = 4 c$", "$D = 4 c$")
    chain.step("monotone: part 7", "o**4", "la potencia crece", "the power rises")
    chain.step("definition: o", "(2 / 3)**4", "lo que $o$ es", "what $o$ is")
    chain.step("rearrange", "16 / 81", "contado", "counted")


def _upper(chain: Chain) -> None:
    chain.define("z", "0")
    chain.define("U", "exp(D)")
    chain.define("W", "exp(F)")
    chain.define("C", "1 - U", "lo que al segundo le falta para 1", "what the second is short of 1")
    chain.define("G", "1 - W", "lo que al tercero le falta", "what the third is short of it")
    chain.part("Después: ninguna pasa de 1", "After: none is above 1")
    for part, name, exponent, number, gap in ((9, "U", "D", "30", "C"), (12, "W", "F", "115", "G")):
        chain.start(exponent)
        chain.step(f"at most: {number} / sqrt(512) | {exponent} == -{number} / sqrt(512)", "0", "es negativo", "it is negative")
        chain.step("definition: z", "z", "el cero", "zero")
        chain.start(name)
        chain.step(f"definition: {name}", f"exp({exponent})", f"lo que ${name}$ es", f"what ${name}$ is")
        chain.step(f"monotone: part {part}", "exp(z)", "la exponencial crece", "the exponential rises")
        chain.step("using: exp(z) == 1", "1", "$e^0 = 1$", "$e^0 = 1$")
        chain.start(gap)
        chain.step(f"definition: {gap}", f"1 - {name}", f"lo que ${gap}$ es", f"what ${gap}$ is")
        chain.step(f"nonnegative: part {part + 1}", "0", "la diferencia de arriba", "the difference above")


def _after(chain: Chain) -> None:
    chain.define("A", "U - 16 / 81", "lo que el segundo pasa de su cota", "what the second is above its bound")
    chain.define("M", "Y - 1 / 7", "lo que $Y$ pasa de 1/7", "what $Y$ is above 1/7")
    chain.define("N", "1 - Y / 7", "lo que a $Y$ le falta para 7, en séptimos", "what $Y$ is short of 7, in sevenths")
    chain.part("Después: la derivada", "After: the derivative")
    chain.start("A")
    chain.step("definition: A, U", "exp(D) - 16 / 81", "lo que $A$ es", "what $A$ is")
    chain.step("nonnegative: part 8", "0", "la diferencia de arriba", "the difference above")
    chain.start("M")
    chain.step(
        "at least: A + W + 31 / 567 | part 15; M == U + W - 1 / 7; A == U - 16 / 81",
        "0",
        "$16/81 - 1/7 = 31/567$",
        "$16/81 - 1/7 = 31/567$",
    )
    chain.start("N")
    chain.step(
        "at least: (C + G + 5) / 7 | part 11; part 14; N == 1 - (U + W) / 7; C == 1 - U; G == 1 - W", "0", "$Y \\le 2$", "$Y \\le 2$"
    )
    chain.start("B")
    chain.step("definition: B, P", "1 / (1 + Y) * (1 - 1 / (1 + Y))", "lo que $B$ es", "what $B$ is")
    chain.step(
        "at least: 49 / 64 * M * N / (1 + Y)**2 | part 16; part 17; M == Y - 1 / 7; N == 1 - Y / 7",
        "7 / 64",
        "$Y/(1+Y)^2$ sube hasta $Y = 1$ y en $1/7$ y en $7$ vale $7/64$",
        "$Y/(1+Y)^2$ rises up to $Y = 1$, and is $7/64$ at $1/7$ and at $7$",
    )
