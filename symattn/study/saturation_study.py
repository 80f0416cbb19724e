"""How fast the gradient of a softmax fades when one score leads, exactly and against a bound, and where floats flush it to zero.

One score leads the other n - 1, which are equal, by a gap t: the winner's weight is p = 1 / (1 + (n - 1) e^-t), each other weight is
q = (1 - p) / (n - 1), and J = diag(weights) - weights weightsᵀ. Then, exactly,

* the largest row sum of |J| is max(2 p (1 - p), 2 q (1 - q)); it is at most 1/2, and at most 2 (n - 1) e^-t;
* the spectral norm is max(n p q, q), because J has the eigenvalues 0, n p q once and q with multiplicity n - 2;
* for one token of length 1, with values and keys of the others equal, the gradient of W_Q has norm p (1 - p) |Δv| |Δk| / c for the
  divisor c of the scores: the covariance of values and keys under two weights.

Promises: the digits of exact values are proven. Float values are what the float reading of the reverse program gives on this machine.
Does not promise: these closed forms for other scores; the bounds hold for every row whose largest score leads by at least t.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from symattn.errors import InputError
from symattn.number.digits import significant_text
from symattn.number.exact import Exact, larger
from symattn.number.formats import FORMATS, Format
from symattn.number.thresholds import largest_vanishing_exp
from symattn.study.result import Cell, Column, Curve, Panel, Plot, Said, Scale, Study, Table, Threshold, same
from symattn.study.texts import NEVER, cut

if TYPE_CHECKING:
    from symattn.calculus.gradient import Gradient

GAPS = ("0", "2", "4", "8", "12", "16", "20")
TEMPERATURES = ("1/4", "1/2", "1", "2", "4", "8")
SIZES = (4, 16, 64, 256, 1024)
GAP = 8
KEYS = 32
DIGITS = 3
MAX_KEYS = 1_000_000
MAX_GAP = 10_000
FLUSH_KEYS = 4
STEPS = 16  # gaps tried between two integers


# -- exact values -------------------------------------------------------------------------------------------------------
def winner(gap: Exact, keys: int) -> Exact:
    """p = 1 / (1 + (n - 1) e^-t)."""
    return Exact(1) / (1 + (keys - 1) * (-gap).exp())


def other(gap: Exact, keys: int) -> Exact:
    """q = (1 - p) / (n - 1), written so that nothing cancels: 1 / (n - 1 + e^t)."""
    return Exact(1) / (keys - 1 + gap.exp())


def row_norm(gap: Exact, keys: int) -> Exact:
    """The largest row sum of |J|: max(2 p (1 - p), 2 q (1 - q))."""
    p, q = winner(gap, keys), other(gap, keys)
    return larger(2 * p * ((keys - 1) * q), 2 * q * (1 - q))


def spectral_norm(gap: Exact, keys: int) -> Exact:
    """The largest eigenvalue of J: max(n p q, q)."""
    p, q = winner(gap, keys), other(gap, keys)
    return larger(keys * p * q, q)


def row_bound(gap: Exact, keys: int) -> Exact:
    """min(1/2, 2 (n - 1) e^-t), for any row whose largest score leads by at least t."""
    decayed = 2 * (keys - 1) * (-gap).exp()
    half = Exact(Fraction(1, 2))
    return half if (half - decayed).sign() < 0 else decayed


def query_gradient(gap: Exact, keys: int, scale: Exact) -> Exact:
    """p (1 - p) times `scale` = |Δv| |Δk| / c: the norm of the gradient of W_Q for one token of length 1."""
    return winner(gap, keys) * ((keys - 1) * other(gap, keys)) * scale


def query_bound(gap: Exact, keys: int, scale: Exact) -> Exact:
    """min(1/4, (n - 1) e^-t) times `scale`."""
    decayed = (keys - 1) * (-gap).exp()
    quarter = Exact(Fraction(1, 4))
    return (quarter if (quarter - decayed).sign() < 0 else decayed) * scale


# -- floats -------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Flush:
    """From which gap on a float gradient is 0: the winner's weight computed as 1, its score gradient as 0, all of them as 0. None where
    it never is among the gaps tried."""

    fmt: Format
    weight_one: Fraction | None
    winner_zero: Fraction | None
    all_zero: Fraction | None


def flush_points(fmt: Format) -> Flush:
    """The reverse program of a shifted attention with FLUSH_KEYS keys, in one format, at every gap that is a multiple of 1/16, as far as
    e**-t is not 0 anyway; the gap is rounded to the format. From each point on to the last gap the property holds."""
    import numpy as np

    from symattn.study.vector import read_arrays, round_array

    end = largest_vanishing_exp(fmt)
    last = math.ceil(-end) + 2 if end is not None else 100
    gaps = np.unique(round_array(np.arange(0, last * STEPS) / STEPS, fmt).astype(np.float64))
    gradient = _score_gradient()
    first = np.zeros((FLUSH_KEYS, 1))
    first[0] = 1.0
    given = {"Q": gaps[:, None], "K": first, "V": first, gradient.upstream or "": np.ones((len(gaps), 1))}
    stages = read_arrays(gradient.program, {name: round_array(a, fmt) for name, a in given.items() if name}, fmt)
    slopes = stages[gradient.names["scores"]].astype(np.float64)
    weights = stages["weights"].astype(np.float64)

    def since(holds: Any) -> Fraction | None:
        where = np.flatnonzero(~holds)
        start = 0 if len(where) == 0 else int(where[-1]) + 1
        return Fraction(float(gaps[start])) if start < len(gaps) else None

    return Flush(fmt, since(weights[:, 0] == 1), since(slopes[:, 0] == 0), since((slopes == 0).all(axis=1)))


@cache
def _score_gradient() -> Gradient:
    """The gradient of a shifted attention's output by its scores, for any number of queries."""
    from symattn.calculus.reverse import reverse
    from symattn.program.attention import Attention

    return reverse(Attention(inputs="qkv", cross=True, scale=1).program("shifted", m=FLUSH_KEYS, d_k=1, d_v=1), "output", ["scores"])


# -- the study ----------------------------------------------------------------------------------------------------------
def saturation(
    gaps: Sequence[str] = GAPS, *, keys: int = KEYS, gap: int = GAP, formats: Sequence[Format] = tuple(FORMATS.values())
) -> Study:
    """Norms for `gaps` (exact numbers as text) among `keys` keys; temperatures at the gap `gap`. Raises InputError."""
    taken = [_gap(text) for text in gaps]
    if not 1 <= len(taken) <= 40:
        raise InputError(f"{len(taken)} gaps are given", next_move="give 1 to 40")
    if not 2 <= keys <= MAX_KEYS:
        raise InputError(f"{keys} keys", next_move=f"give 2 to {MAX_KEYS}")
    if not 0 <= gap <= MAX_GAP:
        raise InputError(f"the gap is {gap}", next_move=f"give 0 to {MAX_GAP}")
    return Study(
        name="saturation",
        question=Said("Cuándo se apaga el gradiente", "When the gradient goes out"),
        opening=Said(
            "Un puntaje aventaja en $t$ a los otros $n - 1$, iguales entre sí. Las tablas dan la norma del jacobiano $J$ del softmax y la "
            "del "
            "gradiente de $W_Q$, exactas y contra su cota, según la ventaja, la temperatura y $d_k$, y la ventaja desde la cual cada "
            "formato las lleva a cero.",
            "One score leads the other $n - 1$, which are equal, by $t$. The tables give the norm of the softmax Jacobian $J$ and that of "
            "the gradient of $W_Q$, exactly and against its bound, by gap, temperature and $d_k$, and the gap from which each format "
            "flushes them to zero.",
        ),
        tables=(_gap_table(taken, keys), _temperature_table(keys, gap), _size_table(keys), _flush_table(formats)),
        plot=_plot(formats),
        conclusion=Said(
            "Más allá del codo, cada unidad de ventaja divide la pendiente por $e$: el peso casi no se mueve y el gradiente se apaga. Con "
            "más "
            r"tokens el codo llega más tarde, en $t = \ln(n - 1)$, pero la caída es la misma. Dividir los puntajes por $\sqrt{d_k}$ o por "
            r"una "
            "temperatura acorta la ventaja; demasiado, y la división misma achica el gradiente.",
            "Beyond the elbow each unit of gap divides the slope by $e$: the weight hardly moves and the gradient goes out. With more "
            "tokens "
            r"the elbow comes later, at $t = \ln(n - 1)$, but the fall is the same. Dividing the scores by $\sqrt{d_k}$ or by a "
            r"temperature "
            "shortens the gap; too much, and the division itself shrinks the gradient.",
        ),
        notes=(
            Said(
                r"Cotas, para toda fila cuyo mayor puntaje aventaja a los demás en $t$ o más: $2(n-1)e^{-t}$ y $1/2$ para la mayor suma "
                r"de fila de $|J|$, "
                r"porque $2 p_i (1 - p_i) \le 2 (1 - p_\text{max})$ y $1 - p_\text{max} \le (n-1)e^{-t}$; $\min(1/4, (n-1)e^{-t})$ para "
                r"$p(1-p)$.",
                r"Bounds, for every row whose largest score leads by $t$ or more: $2(n-1)e^{-t}$ and $1/2$ for the largest row sum of "
                r"$|J|$, because "
                r"$2 p_i (1 - p_i) \le 2 (1 - p_\text{max})$ and $1 - p_\text{max} \le (n-1)e^{-t}$; $\min(1/4, (n-1)e^{-t})$ for "
                r"$p(1-p)$.",
            ),
            Said(
                f"Formatos: el programa del gradiente, operación por operación, con {FLUSH_KEYS} claves y ventajas de 1/{STEPS} en "
                f"1/{STEPS}; observado en esta "
                "máquina. El peso ganador llega a 1 mucho antes de que todo sea cero: entre ambos, la fila de gradientes ya no suma cero.",
                f"Formats: the program of the gradient, operation by operation, with {FLUSH_KEYS} keys and gaps in steps of 1/{STEPS}; "
                f"observed on this machine. "
                "The winning weight reaches 1 long before everything is zero: in between, the row of gradients no longer sums to zero.",
            ),
        ),
        parameters={"gaps": ",".join(gaps), "keys": str(keys), "gap": str(gap), "formats": ",".join(f.name for f in formats)},
    )


def _gap(text: str) -> Exact:
    try:
        value = Exact(text.strip())
    except (InputError, ValueError):
        raise InputError(f'"{text[:40]}" is no gap', next_move="give numbers from 0 on, such as 0,2,4.5,8") from None
    rational = value.rational()
    if rational is None or not 0 <= rational <= MAX_GAP:
        raise InputError(f"the gap {text[:40]} is out of range", next_move=f"give 0 to {MAX_GAP}")
    return value


def _digits(x: Exact) -> Cell:
    """Proven digits; a power of ten where the number is small."""
    text = significant_text(x, DIGITS)
    if "e" in text or text.startswith("0.000"):
        mantissa, power = _scientific(x)
        return Cell(significant_text(x, 12), same(rf"${mantissa} \cdot 10^{{{power}}}$"))
    return Cell(significant_text(x, 12), same(text))


def _scientific(x: Exact) -> tuple[str, int]:
    ball = x.enclose(64)
    power = math.floor(math.log10(ball.lo.numerator) - math.log10(ball.lo.denominator))
    text = significant_text(x / Exact(Fraction(10) ** power), DIGITS)
    return (text, power) if not text.startswith("10") and not text.startswith("0") else _shifted(x, power, text)


def _shifted(x: Exact, power: int, text: str) -> tuple[str, int]:
    power += 1 if text.startswith("10") else -1
    return significant_text(x / Exact(Fraction(10) ** power), DIGITS), power


_GRADIENT = Said("gradiente de $W_Q$", "gradient of $W_Q$")
_BOUND = Said("cota", "bound")


def _gap_table(gaps: Sequence[Exact], keys: int) -> Table:
    columns = (
        Column("gap", Said("ventaja $t$", "gap $t$")),
        Column("rest", Said("lo que queda, $1 - p$", "what is left, $1 - p$")),
        Column("row_norm", same(r"$\max \sum |J|$")),
        Column("row_bound", _BOUND),
        Column("spectral_norm", Said("norma espectral", "spectral norm"), on_page=False),
        Column("query_gradient", _GRADIENT),
        Column("query_bound", _BOUND),
    )
    rows = []
    for t in gaps:
        one = Exact(1)
        values = ((keys - 1) * other(t, keys), row_norm(t, keys), row_bound(t, keys), spectral_norm(t, keys))
        rows.append(
            (Cell(str(t.rational())), *map(_digits, values), _digits(query_gradient(t, keys, one)), _digits(query_bound(t, keys, one)))
        )
    caption = Said(
        f"Según la ventaja, con $n = {keys}$ claves, $|\\Delta v| = 1$ y $|\\Delta k| / c = 1$.",
        f"By the gap, with $n = {keys}$ keys, $|\\Delta v| = 1$ and $|\\Delta k| / c = 1$.",
    )
    return Table("gap", caption, columns, tuple(rows))


def _temperature_table(keys: int, gap: int) -> Table:
    columns = (
        Column("temperature", Said("temperatura $T$", "temperature $T$")),
        Column("rest", Said("lo que queda, $1 - p$", "what is left, $1 - p$")),
        Column("row_norm", same(r"$\max \sum |J| / T$")),
        Column("row_bound", _BOUND),
    )
    rows = []
    for text in TEMPERATURES:
        heat = Exact(text)
        t = Exact(gap) / heat
        rows.append((Cell(text), *map(_digits, ((keys - 1) * other(t, keys), row_norm(t, keys) / heat, row_bound(t, keys) / heat))))
    caption = Said(
        f"Según la temperatura: los puntajes se dividen por $T$; ventaja {gap}, $n = {keys}$.",
        f"By the temperature: scores are divided by $T$; gap {gap}, $n = {keys}$.",
    )
    return Table("temperature", caption, columns, tuple(rows))


def _size_table(keys: int) -> Table:
    divisors = (("none", Said("sin dividir", "no division")), ("root", same(r"÷ $\sqrt{d_k}$")), ("full", same("÷ $d_k$")))
    columns = (
        Column("d_k", same("$d_k$")),
        *(
            Column(
                f"{key}_{kind}", Said(f"{name.es}{', cota' if kind == 'bound' else ''}", f"{name.en}{', bound' if kind == 'bound' else ''}")
            )
            for key, name in divisors
            for kind in ("gradient", "bound")
        ),
    )
    rows = []
    for d in SIZES:
        root = Exact(d).sqrt()
        cells = [Cell(str(d))]
        for divisor in (Exact(1), root, Exact(d)):
            # the raw gap is √d, one standard deviation of a dot product; |Δk| = √d, as for entries of size 1
            t, scale = root / divisor, root / divisor
            cells += [_digits(query_gradient(t, keys, scale)), _digits(query_bound(t, keys, scale))]
        rows.append(tuple(cells))
    caption = Said(
        rf"Norma del gradiente de $W_Q$ según $d_k$, con una ventaja sin escalar de $\sqrt{{d_k}}$, $|\Delta k| = \sqrt{{d_k}}$ y $n = "
        rf"{keys}$.",
        rf"Norm of the gradient of $W_Q$ by $d_k$, for an unscaled gap of $\sqrt{{d_k}}$, $|\Delta k| = \sqrt{{d_k}}$ and $n = {keys}$.",
    )
    return Table("d_k", caption, columns, tuple(rows))


def _flush_table(formats: Sequence[Format]) -> Table:
    columns = (
        Column("format", Said("formato", "format"), "l"),
        Column("weight_one", Said(r"$p = 1$ desde $t =$", r"$p = 1$ from $t =$")),
        Column("winner_zero", Said("gradiente del ganador, 0 desde", "winner's gradient, 0 from")),
        Column("all_zero", Said("todo el gradiente, 0 desde", "all of the gradient, 0 from")),
    )
    rows = []
    for fmt in formats:
        found = flush_points(fmt)
        values = (found.weight_one, found.winner_zero, found.all_zero)
        rows.append((Cell(fmt.name), *(NEVER if v is None else Cell(cut(v)) for v in values)))
    caption = Said("Desde qué ventaja calcula cada formato un cero.", "From which gap on each format computes a zero.")
    return Table("flush", caption, columns, tuple(rows))


# -- the plot -----------------------------------------------------------------------------------------------------------
def _plot(formats: Sequence[Format]) -> Plot:
    sizes = ((2, "solid"), (32, "long"), (1024, "dotted"))
    ticks = tuple((float(t), str(t)) for t in (0, 5, 10, 15, 20))
    steps = [k / 5 for k in range(101)]
    weight, slope = [], []
    for (n, style), at in zip(sizes, (0.62, 0.62, 0.62), strict=True):
        weights = [1 / (1 + (n - 1) * math.exp(-t)) for t in steps]
        slopes = [p * (n - 1) / (n - 1 + math.exp(t)) for p, t in zip(weights, steps, strict=True)]
        place = math.log(at * (n - 1) / (1 - at))
        weight.append(Curve(tuple(zip(steps, weights, strict=True)), style, same(f"$n = {n}$"), (place + 0.2, at), "west"))
        where = {2: (8.5, "north east"), 32: (0.0, ""), 1024: (11.0, "south west")}[n]
        height = slopes[min(int(where[0] * 5), 100)]
        name = same(f"$n = {n}$") if where[1] else same("")
        slope.append(Curve(tuple(zip(steps, slopes, strict=True)), style, name, (where[0], height), where[1] or "west"))
    thresholds: list[Threshold] = []
    for fmt in formats:
        end = largest_vanishing_exp(fmt)
        if end is not None and 14 < -end < 20 and not thresholds:
            thresholds.append(Threshold("x", float(-end), same(f"{fmt.name}: $e^{{-t}} = 0$"), 0.4, "east"))
    return Plot(
        (
            Panel(
                Said("Peso del ganador, $p$", "Weight of the winner, $p$"),
                Scale(Said("ventaja $t$ del puntaje ganador", "gap $t$ of the winning score"), 0.0, 20.0, ticks),
                Scale(same(""), 0.0, 1.0, ((0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1"))),
                tuple(weight),
            ),
            Panel(
                Said("Pendiente, $p(1 - p)$", "Slope, $p(1 - p)$"),
                Scale(Said("ventaja $t$ del puntaje ganador", "gap $t$ of the winning score"), 0.0, 20.0, ticks),
                Scale(same(""), 1e-9, 1.0, ((1.0, "1"), (1e-3, "$10^{-3}$"), (1e-6, "$10^{-6}$"), (1e-9, "$10^{-9}$")), log=True),
                tuple(slope),
                tuple(thresholds),
            ),
        ),
        Said(
            r"Un puntaje aventaja en $t$ a los otros $n - 1$. A la izquierda, su peso $p = 1/(1 + (n-1)e^{-t})$; a la derecha, la "
            r"pendiente "
            r"$\partial p / \partial t = p(1 - p)$, en escala logarítmica.",
            r"One score leads the other $n - 1$ by $t$. Left, its weight $p = 1/(1 + (n-1)e^{-t})$; right, the slope "
            r"$\partial p / \partial t = p(1 - p)$, on a logarithmic scale.",
        ),
    )
