"""The spread of dot products against √d_k, and what each divisor does to the softmax that follows.

Promises: the standard deviation of q·k is √d_k exactly for independent entries of mean 0 and variance 1; the simulation beside it is
seeded, in float64, and every simulated number has a confidence interval. Does not promise: that trained queries and keys are
independent; they are not, this is the start of training.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from symattn.errors import InputError
from symattn.number.decimal import parse_printed
from symattn.number.digits import significant_text
from symattn.number.exact import Exact
from symattn.number.samples import dot_product_kurtosis, ordinary_up_to, samples_for
from symattn.study.result import Cell, Column, Curve, Panel, Plot, Said, Scale, Study, Table, same
from symattn.study.seeded import KINDS, KURTOSIS, Draw
from symattn.study.texts import EMPTY, count, observed

SIZES = (4, 16, 64, 256, 1024)
SAMPLES = 10_000
KEYS = 32
ROWS = 200
MAX_SAMPLES = 1_000_000
MAX_D_K = 65_536
MAX_NUMBERS = 400_000_000  # entries drawn in all
CHUNK = 2_000_000  # entries in memory at a time
Z95 = 1.959963984540054
# Standard deviations that a lecture printed from a simulation (worksheet el-perro-come, its table by d_k).
PRINTED = {4: "2.00", 16: "4.01", 64: "7.96", 256: "16.06", 1024: "31.94"}
DIVISORS = (
    ("none", Said("sin dividir", "no division")),
    ("root", same(r"÷ $\sqrt{d_k}$")),
    ("full", same("÷ $d_k$")),
)


@dataclass(frozen=True)
class Spread:
    """A simulated standard deviation with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def simulate_spread(draw: Draw, d_k: int, samples: int, kind: str = "normal") -> Spread:
    """The standard deviation of `samples` dot products around their known mean 0. The interval is ± 1.96 standard errors, with the exact
    kurtosis of a dot product (number/samples.py)."""
    squares = 0.0
    left = samples
    while left:
        rows = max(1, min(left, CHUNK // (2 * d_k)))
        q, k = draw.entries(kind, rows, d_k), draw.entries(kind, rows, d_k)
        squares += float(np.sum(np.einsum("ij,ij->i", q, k) ** 2))
        left -= rows
    value = math.sqrt(squares / samples)
    kurtosis = float(dot_product_kurtosis(d_k, Fraction(*KURTOSIS[kind])))
    half = Z95 * math.sqrt((kurtosis - 1) / (4 * samples))
    return Spread(value, value * (1 - half), value * (1 + half))


@dataclass(frozen=True)
class Effect:
    """What a divisor does: means over rows with their half-widths (95 %), and the median gradient norm with a distribution-free "
    "interval."""

    spread: float
    entropy: tuple[float, float]
    largest: tuple[float, float]
    gradient: Spread


def simulate_effects(draw: Draw, d_k: int, rows: int, keys: int, kind: str = "normal") -> dict[str, Effect]:
    """For `rows` queries, each with its own `keys` keys: the softmax under each divisor. The gradient norm is the Frobenius norm of the
    weights' derivative by the query, J K / c with J = diag(p) - p pᵀ and divisor c: what reaches W_Q."""
    found: dict[str, list[Any]] = {name: [] for name, _ in DIVISORS}
    left = rows
    while left:
        part = max(1, min(left, CHUNK // ((keys + 1) * d_k)))
        q, k = draw.entries(kind, part, d_k), draw.entries(kind, part, keys, d_k)
        raw = np.einsum("ic,ijc->ij", q, k)
        for name, divisor in (("none", 1.0), ("root", math.sqrt(d_k)), ("full", float(d_k))):
            scores = raw / divisor
            p = np.exp(scores - scores.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            logs = np.log2(np.where(p > 0, p, 1.0))
            centred = k - np.einsum("ij,ijc->ic", p, k)[:, None, :]
            norms = np.sqrt(np.einsum("ij,ijc->i", p**2, centred**2)) / divisor
            found[name].append((scores, -(p * logs).sum(axis=1), p.max(axis=1), norms))
        left -= part
    effects = {}
    for name, parts in found.items():
        scores, entropy, largest, norms = (np.concatenate(column) for column in zip(*parts, strict=True))
        effects[name] = Effect(float(scores.std()), _mean(entropy), _mean(largest), _median(norms))
    return effects


def _mean(values: Any) -> tuple[float, float]:
    return float(values.mean()), float(Z95 * values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.inf


def _median(values: Any) -> Spread:
    """The median between two order statistics: the binomial interval of at least 95 %, right for any distribution."""
    ordered = np.sort(values)
    size = len(ordered)
    reach = Z95 * math.sqrt(size) / 2 + 1
    low, high = max(0, math.floor(size / 2 - reach)), min(size - 1, math.ceil(size / 2 + reach))
    return Spread(float(np.median(ordered)), float(ordered[low]), float(ordered[high]))


# -- the study ----------------------------------------------------------------------------------------------------------
def scaling(
    sizes: Sequence[int] = SIZES, *, samples: int = SAMPLES, keys: int = KEYS, rows: int = ROWS, kind: str = "normal", seed: int = 0
) -> Study:
    """Dot products of `sizes` terms from `samples` draws; the softmax over `keys` keys from `rows` queries. `kind` is the distribution of
    the entries: normal, uniform or signs, all of mean 0 and variance 1. Raises InputError."""
    _check(sizes, samples, keys, rows, kind)
    draw = Draw(seed)
    spreads = {d: simulate_spread(draw, d, samples, kind) for d in sizes}
    effects = {d: simulate_effects(draw, d, rows, keys, kind) for d in sizes}
    return Study(
        name="scaling",
        question=Said("Por qué se divide por la raíz de $d_k$", "Why one divides by the root of $d_k$"),
        opening=Said(
            r"Con entradas independientes de media 0 y varianza 1, la desviación de $q \cdot k$ es exactamente $\sqrt{d_k}$: es la raíz de "
            f"una suma de $d_k$ varianzas iguales a 1. A su lado, la desviación de {samples} productos sorteados, con su intervalo del 95 "
            f"%.",
            r"For independent entries of mean 0 and variance 1 the standard deviation of $q \cdot k$ is exactly $\sqrt{d_k}$: the root of "
            r"a "
            f"sum of $d_k$ variances that are 1. Beside it, the deviation of {samples} products drawn at random, with its 95 % interval.",
        ),
        tables=(_spread_table(spreads, samples, kind), _effects_table(effects, keys, rows)),
        plot=Plot(
            (_spread_panel(spreads), _gradient_panel(effects)),
            Said(
                r"A la izquierda, la desviación de $q \cdot k$: la línea es $\sqrt{d_k}$, los puntos son la simulación. A la derecha, la "
                r"mediana de la norma de $\partial p / \partial q$, lo que llega a $W_Q$.",
                r"Left, the standard deviation of $q \cdot k$: the line is $\sqrt{d_k}$, the dots are the simulation. Right, the median "
                r"norm of "
                r"$\partial p / \partial q$, which is what reaches $W_Q$.",
            ),
        ),
        conclusion=Said(
            r"Sin dividir, el softmax acaba en una sola clave y la mediana del gradiente se hunde; entre $d_k$ los pesos se aplanan y el "
            r"gradiente "
            r"cae como $1/\sqrt{d_k}$. Entre $\sqrt{d_k}$ nada depende de $d_k$. Dos decimales de una desviación simulada piden muchos más "
            "sorteos de los que se suelen hacer: la columna dice cuántos.",
            r"Without division the softmax ends on a single key and the median gradient collapses; divided by $d_k$ the weights go flat "
            r"and the "
            r"gradient falls like $1/\sqrt{d_k}$. Divided by $\sqrt{d_k}$ nothing depends on $d_k$. Two decimals of a simulated deviation "
            "need far more draws than are usually made: the column says how many.",
        ),
        notes=(
            Said(
                r"El error típico de la desviación es $\sigma \sqrt{(\kappa - 1) / (4 N)}$ a primer orden, con la curtosis exacta "
                r"$\kappa = 3 + (\kappa_1^2 - 3) / d_k$ del producto, $\kappa_1$ la de una entrada. «Ordinaria hasta» es el mayor $N$ con "
                r"el que lo impreso queda "
                "a menos de dos errores típicos.",
                r"The standard error of the deviation is $\sigma \sqrt{(\kappa - 1) / (4 N)}$ to first order, with the exact kurtosis "
                r"$\kappa = 3 + (\kappa_1^2 - 3) / d_k$ of the product, $\kappa_1$ that of an entry. “Ordinary up to” is the largest $N$ "
                r"at which what is printed "
                "lies within two standard errors.",
            ),
            Said(
                "La simulación es de esta máquina, en float64; sus bits salen de PCG64 con la semilla dada.",
                "The simulation is this machine's, in float64; its bits come from PCG64 with the given seed.",
            ),
        ),
        parameters={
            "d_k": ",".join(map(str, sizes)), "samples": str(samples), "keys": str(keys), "rows": str(rows), "entries": kind,
            "seed": str(seed),
        },
    )  # fmt: skip


def _check(sizes: Sequence[int], samples: int, keys: int, rows: int, kind: str) -> None:
    if not sizes or len(sizes) > 12 or len(set(sizes)) != len(sizes):
        raise InputError(f"{len(sizes)} sizes d_k are given", next_move="give 1 to 12 different ones")
    for d in sizes:
        if not 1 <= d <= MAX_D_K:
            raise InputError(f"d_k is {d}", next_move=f"give 1 to {MAX_D_K}")
    for name, value, low, high in (("samples", samples, 2, MAX_SAMPLES), ("keys", keys, 2, 4096), ("rows", rows, 2, 100_000)):
        if not low <= value <= high:
            raise InputError(f"{name} is {value}", next_move=f"give {low} to {high}")
    if kind not in KINDS:
        raise InputError(f"there are no entries {kind!r}", next_move="known: " + ", ".join(KINDS))
    drawn = sum(sizes) * (2 * samples + rows * (keys + 1))
    if drawn > MAX_NUMBERS:
        raise InputError(f"this would draw {drawn} numbers", next_move=f"at most {MAX_NUMBERS}: take fewer samples, rows or a smaller d_k")


def _spread_table(spreads: dict[int, Spread], samples: int, kind: str) -> Table:
    columns = (
        Column("d_k", same("$d_k$")),
        Column("exact", Said(r"$\sqrt{d_k}$, exacta", r"$\sqrt{d_k}$, exact")),
        Column("simulated", Said("simulada", "simulated")),
        Column("interval", Said("95 %", "95%")),
        Column("scaled", Said(r"simulada $/ \sqrt{d_k}$", r"simulated $/ \sqrt{d_k}$")),
        Column("printed", Said("impresa", "printed")),
        Column("ordinary_up_to", Said(r"ordinaria hasta $N$", r"ordinary up to $N$")),
        Column("samples_for_two_decimals", Said(r"$N$ para dos decimales", r"$N$ for two decimals")),
        Column("low", same("low"), on_page=False),
        Column("high", same("high"), on_page=False),
    )
    rows = []
    for d, found in spreads.items():
        kurtosis = dot_product_kurtosis(d, Fraction(*KURTOSIS[kind]))
        root = Exact(d).sqrt()
        exact = root.rational()
        rows.append(
            (
                count(d),
                Cell(str(exact) if exact is not None else significant_text(root, 6)),
                observed(found.value, 4),
                Cell(f"{found.low!r} to {found.high!r}", same(f"{_places(found.low, found)} – {_places(found.high, found)}")),
                observed(found.value / math.sqrt(d), 3),
                *_printed(d, root, kurtosis, kind),
                count(samples_for(2, Fraction(d), kurtosis)),
                Cell(repr(found.low)),
                Cell(repr(found.high)),
            )
        )
    caption = Said(
        f"Desviación de $q \\cdot k$, exacta y con {samples} sorteos. Impresa: lo que una lección imprime de su propia simulación.",
        f"Standard deviation of $q \\cdot k$, exact and from {samples} draws. Printed: what a lecture prints from its own simulation.",
    )
    return Table("spread", caption, columns, tuple(rows))


def _places(value: float, found: Spread) -> str:
    return f"{value:.{max(0, 2 - math.floor(math.log10(found.high - found.low)) - 1)}f}"


def _printed(d: int, root: Exact, kurtosis: Fraction, kind: str) -> tuple[Cell, Cell]:
    if d not in PRINTED or kind != "normal":
        return EMPTY, EMPTY
    up_to = ordinary_up_to(parse_printed(PRINTED[d]), root, kurtosis)
    return Cell(PRINTED[d]), Cell("any", Said("cualquiera", "any")) if up_to is None else count(up_to)


def _effects_table(effects: dict[int, dict[str, Effect]], keys: int, rows: int) -> Table:
    columns = (
        Column("d_k", same("$d_k$")),
        Column("divisor", Said("divisor", "divisor"), "l"),
        Column("score_deviation", Said("desviación de los puntajes", "deviation of the scores")),
        Column("entropy", Said("entropía (bits)", "entropy (bits)")),
        Column("largest_weight", Said("mayor peso", "largest weight")),
        Column("gradient", Said(r"$\partial p / \partial q$, mediana", r"$\partial p / \partial q$, median")),
        *(Column(key, same(key), on_page=False) for key in ("entropy_half_width", "largest_half_width", "gradient_low", "gradient_high")),
    )
    found = []
    for d, by_divisor in effects.items():
        for k, (key, name) in enumerate(DIVISORS):
            e = by_divisor[key]
            found.append(
                (
                    Cell(str(d), same(str(d) if k == 0 else "")),
                    Cell(key, name),
                    observed(e.spread),
                    _with_half(*e.entropy),
                    _with_half(*e.largest),
                    observed(e.gradient.value, 2),
                    *(Cell(repr(x)) for x in (e.entropy[1], e.largest[1], e.gradient.low, e.gradient.high)),
                )
            )
    caption = Said(
        f"Softmax de {keys} claves, {rows} consultas: medias con su semiancho del 95 %, y la mediana de la norma del gradiente. La "
        f"entropía "
        f"va de 0 a {math.log2(keys):.3g} bits.",
        f"Softmax over {keys} keys, {rows} queries: means with their 95% half-width, and the median gradient norm. Entropy ranges from 0 "
        f"to {math.log2(keys):.3g} bits.",
    )
    return Table("effects", caption, columns, tuple(found), tuple(range(len(DIVISORS), len(found), len(DIVISORS))))


def _with_half(value: float, half: float) -> Cell:
    places = min(max(1 - math.floor(math.log10(half)), 2), 5) if 0 < half < math.inf else 3
    return Cell(repr(value), same(f"{value:.{places}f} ± {half:.{places}f}"))


# -- the plot -----------------------------------------------------------------------------------------------------------
def _ticks(low: float, high: float) -> tuple[tuple[float, str], ...]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    step = max(1, math.ceil(len(powers) / 6))
    every = [p for p in powers if p % step == 0 and low <= 10.0**p * 1.0001 and 10.0**p <= high * 1.0001]
    return tuple((10.0**p, f"$10^{{{p}}}$" if abs(p) > 1 else f"{10.0**p:g}") for p in every)


def _spread_panel(spreads: dict[int, Spread]) -> Panel:
    sizes = sorted(spreads)
    low, high = sizes[0] / 1.6, sizes[-1] * 1.6
    line = tuple((low * (high / low) ** (k / 20), math.sqrt(low * (high / low) ** (k / 20))) for k in range(21))
    middle = math.sqrt(low * high)
    return Panel(
        Said(r"Desviación de $q \cdot k$", r"Standard deviation of $q \cdot k$"),
        Scale(same("$d_k$"), low, high, tuple((float(d), str(d)) for d in sizes), log=True),
        Scale(same(""), math.sqrt(low), math.sqrt(high) * 1.3, tuple((math.sqrt(d), f"{math.sqrt(d):.3g}") for d in sizes), log=True),
        (
            Curve(line, "solid", same(r"$\sqrt{d_k}$"), (middle, math.sqrt(middle) * 1.25), "south east"),
            Curve(tuple((float(d), s.value) for d, s in spreads.items()), "dots"),
        ),
    )


def _gradient_panel(effects: dict[int, dict[str, Effect]]) -> Panel:
    sizes = sorted(effects)
    values = [e.gradient.value for by in effects.values() for e in by.values() if e.gradient.value > 0]
    low, high = max(min(values) / 3, 1e-12), max(values) * 6
    end = sizes[-1]
    peak = max(sizes, key=lambda d: effects[d]["none"].gradient.value)
    where = {"none": ("south", peak), "root": ("south east", end), "full": ("north", sizes[min(1, len(sizes) - 1)])}
    curves = []
    for (key, name), style in zip(DIVISORS, ("dotted", "solid", "long"), strict=True):
        points = tuple((float(d), max(effects[d][key].gradient.value, low / 10)) for d in sizes)
        anchor, at = where[key]
        height = max(effects[at][key].gradient.value, low) * (1 / 1.4 if anchor == "north" else 1.25)
        curves.append(Curve(points, style, name, (float(at), height), anchor))
    return Panel(
        Said(r"Mediana de la norma de $\partial p / \partial q$", r"Median norm of $\partial p / \partial q$"),
        Scale(same("$d_k$"), sizes[0] / 1.6, end * 1.6, tuple((float(d), str(d)) for d in sizes), log=True),
        Scale(same(""), low, high, _ticks(low, high), log=True),
        tuple(curves),
    )
