"""Where the exponential, a running sum and a dot product leave a format: thresholds proven on the format's own grid.

Promises: every threshold is the last number of the format with a property that is lost once and for all going up, found by bisection
on the format's numbers with correct roundings decided by balls; (precision, emin, emax) alone decide, so an invented format works.
The witness beside each threshold is the next number, where the property does not hold.
Does not promise: what a library's exp does in the last place, or a dot product in another order than the stated one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symattn.errors import InputError
from symattn.number.digits import significant_text
from symattn.number.elementary import correctly_rounded
from symattn.number.formats import FORMATS, Format, Special, next_up, round_fraction
from symattn.number.thresholds import (
    exp_is_finite,
    largest_absorbed_gap,
    largest_finite_exp,
    largest_square_sum_operand,
    largest_vanishing_exp,
    last_true,
    log_half_smallest,
    log_overflow_bound,
    log_smallest_normal,
    log_unit_roundoff,
    ones_stick_at,
)
from symattn.study.result import Cell, Column, Curve, Panel, Plot, Said, Scale, Study, Table, same
from symattn.study.texts import NEVER, binary_text, count, grid_cell, largest_cell, power_cell

MAX_D_K = 4096
MAX_STEPS = 2**18  # bits of precision times terms: a few seconds
DEFAULT_D_K = 64
BOUND_DIGITS = 12


@dataclass(frozen=True)
class Thresholds:
    """What is known of one format. Numbers are numbers of the format; None where the property holds nowhere."""

    fmt: Format
    finite_exp: Fraction | None
    subnormal_exp: Fraction | None
    vanishing_exp: Fraction | None
    absorbed_gap: Fraction | None
    ones: Fraction | Special
    dot_once: Fraction | None
    dot_stepwise: Fraction | None


def thresholds(fmt: Format, d_k: int = DEFAULT_D_K) -> Thresholds:
    """The thresholds of one format. `d_k` is the number of terms of the dot product."""
    return Thresholds(
        fmt,
        largest_finite_exp(fmt),
        largest_subnormal_exp(fmt),
        largest_vanishing_exp(fmt),
        largest_absorbed_gap(fmt),
        ones_stick_at(fmt),
        largest_square_sum_operand(d_k, fmt),
        largest_stepwise_operand(d_k, fmt),
    )


def largest_subnormal_exp(fmt: Format) -> Fraction | None:
    """The largest number x of the format for which e**x rounds below the normal numbers, where digits are lost."""

    def below(x: Fraction) -> bool:
        value = correctly_rounded("exp", x, fmt)
        return isinstance(value, Fraction) and value < fmt.smallest_normal

    return last_true(below, fmt)


def stepwise_square_sum(a: Fraction, terms: int, fmt: Format) -> Fraction | Special:
    """a*a + a*a + … with every product and every sum rounded, one term after the other."""
    square = round_fraction(a * a, fmt)
    if isinstance(square, Special):
        return square
    total = square
    for _ in range(terms - 1):
        after = round_fraction(total + square, fmt)
        if isinstance(after, Special) or after == total:  # an infinity, or a sum that sticks
            return after
        total = after
    return total


def largest_stepwise_operand(terms: int, fmt: Format) -> Fraction | None:
    """The largest number a of the format for which `stepwise_square_sum` is finite. Each rounding is monotone, so the sum is, and the
    property is lost once and for all."""
    return last_true(lambda a: a < 0 or isinstance(stepwise_square_sum(a, terms, fmt), Fraction), fmt)


# -- witnesses: the property holds at the threshold and not at the next number -------------------------------------------------
Property = Callable[[Fraction, Format, int], bool]
PROPERTIES: dict[str, Property] = {
    "finite_exp": lambda x, fmt, d_k: exp_is_finite(x, fmt),
    "subnormal_exp": lambda x, fmt, d_k: _small(x, fmt, fmt.smallest_normal),
    "vanishing_exp": lambda x, fmt, d_k: correctly_rounded("exp", x, fmt) == 0,
    "absorbed_gap": lambda x, fmt, d_k: _absorbed(x, fmt),
    "dot_once": lambda a, fmt, d_k: not fmt.overflows(d_k * a * a),
    "dot_stepwise": lambda a, fmt, d_k: isinstance(stepwise_square_sum(a, d_k, fmt), Fraction),
}


def witness(found: Thresholds, name: str, d_k: int) -> Fraction | Special | None:
    """The number after a threshold, having checked that the property holds at the one and not at the other. Raises AssertionError
    where it does not: then a threshold is wrong."""
    at: Fraction | None = getattr(found, name)
    if at is None:
        return None
    holds = PROPERTIES[name]
    after = next_up(at, found.fmt)
    assert holds(at, found.fmt, d_k), f"{name} of {found.fmt.name} does not hold at {at}"
    assert isinstance(after, Special) or not holds(after, found.fmt, d_k), f"{name} of {found.fmt.name} still holds at {after}"
    return after


def _small(x: Fraction, fmt: Format, bound: Fraction) -> bool:
    value = correctly_rounded("exp", x, fmt)
    return isinstance(value, Fraction) and value < bound


def _absorbed(x: Fraction, fmt: Format) -> bool:
    weight = correctly_rounded("exp", x, fmt)
    return isinstance(weight, Fraction) and round_fraction(1 + weight, fmt) == 1


# -- the study ----------------------------------------------------------------------------------------------------------
def overflow(formats: Sequence[Format] = tuple(FORMATS.values()), d_k: int = DEFAULT_D_K) -> Study:
    """The thresholds of `formats`, with dot products of `d_k` terms. Raises InputError."""
    if not formats:
        raise InputError("no float format is given", next_move="known: " + ", ".join(FORMATS))
    if not 1 <= d_k <= MAX_D_K:
        raise InputError(f"d_k is {d_k}", next_move=f"give 1 to {MAX_D_K}")
    for fmt in formats:
        if fmt.precision * d_k > MAX_STEPS:
            raise InputError(
                f"a dot product of {d_k} terms, step by step in {fmt.precision} bits, takes too long", next_move="take a smaller d_k"
            )
    found = [thresholds(fmt, d_k) for fmt in formats]
    return Study(
        name="overflow",
        question=Said("Hasta dónde llega la exponencial", "How far the exponential reaches"),
        opening=Said(
            "Un softmax sin restar el máximo calcula $e^x$ antes de dividir. Las tablas dicen, para cada formato, cuál es el último $x$ "
            "cuya exponencial todavía es un número finito, desde cuál pierde dígitos y desde cuál es cero, y cuándo deja de crecer una "
            "suma.",
            "A softmax that does not subtract the maximum computes $e^x$ before it divides. For each format the tables say which is the "
            "last $x$ whose exponential is still a finite number, from where on it loses digits and is zero, and when a sum stops growing.",
        ),
        tables=(_formats_table(found), _exponential_table(found, d_k), _sums_table(found, d_k)),
        plot=_plot(found),
        conclusion=Said(
            "Restar el máximo de la fila quita la primera columna del problema: ningún exponente pasa de 0. No quita las otras: una clave "
            "que está a esa distancia del máximo vale cero o no cambia la suma, y una suma larga de términos iguales se detiene. Los "
            "formatos de 16 bits se distinguen en lo que pierden: float16 el alcance, bfloat16 los dígitos.",
            "Subtracting the row maximum removes the first column of the trouble: no exponent is above 0. It does not remove the others: a "
            "key that far below the maximum weighs nothing or does not change the sum, and a long sum of equal terms stops. The two 16-bit "
            "formats differ in what they lack: float16 in reach, bfloat16 in digits.",
        ),
        notes=(
            Said(
                "Redondeo al más cercano, empates al par, con subnormales. Cada umbral es un número del formato, demostrado con bolas "
                "(Arb): la propiedad vale en él y no en el siguiente, y el redondeo es monótono.",
                "Rounding to nearest, ties to even, with subnormals. Each threshold is a number of the format, proven with balls (Arb): "
                "the "
                "property holds there and not at the next number, and rounding is monotone.",
            ),
            Said(
                r"$1 + e^x = 1$ cuenta dos redondeos, el de $e^x$ y el de la suma: en formatos cortos el umbral queda por encima de "
                r"$\ln 2^{-p}$, porque un peso algo mayor que $2^{-p}$ puede redondearse a él. Las tablas que redondean $\ln 2^{-p}$ no "
                r"lo ven.",
                r"$1 + e^x = 1$ counts two roundings, that of $e^x$ and that of the sum: in short formats the threshold lies above "
                r"$\ln 2^{-p}$, because a weight a little above $2^{-p}$ may be rounded to it. Tables that print $\ln 2^{-p}$ do not see "
                r"it.",
            ),
            Said(
                f"El mayor $a$ con ${d_k} a^2$ finito es un número del formato, no la raíz del cociente. Paso a paso, una suma corta de "
                "precisión puede quedarse quieta antes de desbordar: entonces admite un $a$ mayor.",
                f"The largest $a$ with a finite ${d_k} a^2$ is a number of the format, not the root of a quotient. Step by step, a sum "
                f"that is "
                "short of precision may stick before it overflows: it then allows a larger $a$.",
            ),
        ),
        parameters={"formats": ",".join(f.name for f in formats), "d_k": str(d_k)},
    )


_FORMAT = Column("format", Said("formato", "format"), "l")


def _name(fmt: Format) -> Cell:
    return Cell(fmt.name)


def _formats_table(found: Sequence[Thresholds]) -> Table:
    columns = (
        _FORMAT,
        Column("precision", Said("bits de significando", "significand bits")),
        Column("emin", same(r"$e_\text{min}$")),
        Column("emax", same(r"$e_\text{max}$")),
        Column("largest", Said("mayor número", "largest number")),
        Column("smallest_normal", Said("menor normal", "smallest normal")),
        Column("smallest", Said("menor positivo", "smallest positive")),
    )
    rows = tuple(
        (
            _name(f.fmt), count(f.fmt.precision), count(f.fmt.emin), count(f.fmt.emax), largest_cell(f.fmt),
            power_cell(f.fmt.smallest_normal), power_cell(f.fmt.smallest),
        )
        for f in found
    )  # fmt: skip
    return Table("formats", Said("Los formatos.", "The formats."), columns, rows)


def _exponential_table(found: Sequence[Thresholds], d_k: int) -> Table:
    columns = (
        _FORMAT,
        Column("finite_exp", Said("último $x$ con $e^x$ finito", "last $x$ with finite $e^x$")),
        Column("subnormal_exp", Said(r"$e^x$ pierde dígitos: $x \le$", r"$e^x$ loses digits: $x \le$")),
        Column("vanishing_exp", Said(r"$e^x = 0$: $x \le$", r"$e^x = 0$: $x \le$")),
        Column("absorbed_gap", Said(r"$1 + e^x = 1$: $x \le$", r"$1 + e^x = 1$: $x \le$")),
        Column("log_overflow_bound", same("ln of the overflow bound"), on_page=False),
        Column("log_smallest_normal", same("ln of the smallest normal"), on_page=False),
        Column("log_half_smallest", same("ln of half the smallest"), on_page=False),
        Column("log_unit_roundoff", same("ln of the unit roundoff"), on_page=False),
        *(Column(f"after_{name}", same(f"after {name}"), on_page=False) for name in ("finite_exp", "vanishing_exp", "absorbed_gap")),
    )
    rows = []
    for f in found:
        bounds = (log_overflow_bound(f.fmt), log_smallest_normal(f.fmt), log_half_smallest(f.fmt), log_unit_roundoff(f.fmt))
        after = [witness(f, name, d_k) for name in ("finite_exp", "vanishing_exp", "absorbed_gap")]
        witness(f, "subnormal_exp", d_k)
        rows.append(
            (
                _name(f.fmt),
                _reach(f),
                grid_cell(f.subnormal_exp),
                grid_cell(f.vanishing_exp),
                grid_cell(f.absorbed_gap),
                *(Cell(significant_text(b, BOUND_DIGITS)) for b in bounds),
                *(Cell("" if w is None else binary_text(w) if isinstance(w, Fraction) else w.value) for w in after),
            )
        )
    caption = Said(
        "Umbrales de $e^x$, redondeo al más cercano (empates al par), con subnormales.",
        "Thresholds of $e^x$, rounding to nearest (ties to even), with subnormals.",
    )
    return Table("exponential", caption, columns, tuple(rows))


def _reach(found: Thresholds) -> Cell:
    if found.finite_exp == found.fmt.largest:
        return Cell(binary_text(found.fmt.largest), Said("todos", "all"))
    return grid_cell(found.finite_exp)


def _sums_table(found: Sequence[Thresholds], d_k: int) -> Table:
    columns = (
        _FORMAT,
        Column("ones_stick", Said(r"$1 + 1 + \ldots$ se detiene en", r"$1 + 1 + \ldots$ stops at")),
        Column("dot_once", Said(f"mayor $a$ con ${d_k} a^2$ finito, un redondeo", f"largest $a$ with finite ${d_k} a^2$, one rounding")),
        Column("dot_stepwise", Said("el mismo, paso a paso", "the same, step by step")),
    )
    rows = []
    for f in found:
        for name in ("dot_once", "dot_stepwise"):
            witness(f, name, d_k)
        sticks = grid_cell(f.ones) if not isinstance(f.ones, Fraction) or f.ones < 10**7 else power_cell(f.ones)
        rows.append((_name(f.fmt), sticks, *(NEVER if a is None else grid_cell(a) for a in (f.dot_once, f.dot_stepwise))))
    caption = Said(
        f"Sumas: unos sumados uno tras otro, y un producto escalar de {d_k} términos iguales.",
        f"Sums: ones added one after the other, and a dot product of {d_k} equal terms.",
    )
    return Table("sums", caption, columns, tuple(rows))


# -- the plot -----------------------------------------------------------------------------------------------------------
WIDEST = 150.0


def _plot(found: Sequence[Thresholds]) -> Plot:
    near = [f for f in found if _ends(f)[0] >= -WIDEST and _ends(f)[2] <= WIDEST] or list(found[:1])
    return Plot(
        (_reach_panel(near), _sum_panel(found)),
        Said(
            r"A la izquierda, los $x$ cuya exponencial es un número positivo del formato: en la parte de puntos ya ha perdido dígitos; "
            r"antes "
            r"es cero y después no es finita. A la derecha, la suma de $k$ unos, uno tras otro: se detiene en $2^p$.",
            r"Left, the $x$ whose exponential is a positive number of the format: on the dotted part it has lost digits; before it is "
            r"zero, "
            r"after it is not finite. Right, the sum of $k$ ones, one after the other: it stops at $2^p$.",
        ),
    )


def _ends(f: Thresholds) -> tuple[float, float, float]:
    """Where e**x begins to be positive, to be normal, and ends to be finite."""
    low = -1e300 if f.vanishing_exp is None else float(f.vanishing_exp)
    middle = low if f.subnormal_exp is None else float(f.subnormal_exp)
    high = 1e300 if f.finite_exp is None or f.finite_exp > 10**300 else float(f.finite_exp)
    return low, middle, high


def _reach_panel(found: Sequence[Thresholds]) -> Panel:
    ends = [_ends(f) for f in found]
    low, high = _root(min(e[0] for e in ends)), _root(max(e[2] for e in ends))
    room = 0.17 * (high - low)
    ticks = tuple((_root(float(t)), str(t)) for t in _reach_ticks(ends))
    curves = []
    for k, (zero, normal, last) in enumerate(ends):
        y = float(len(found) - k)
        shown = "" if last > 1e6 else f"{last:.4g}"
        left, middle, right = _root(zero), _root(normal), _root(last)
        curves.append(Curve(((left, y), (middle, y)), "dotted", same(f"${zero:.4g}$" if zero > -1e6 else ""), (left, y), "east"))
        curves.append(Curve(((middle, y), (right, y)), "solid", same(shown), (right, y), "west"))
    names = tuple((float(len(found) - k), f.fmt.name) for k, f in enumerate(found))
    return Panel(
        Said("$e^x$ es positiva y finita", "$e^x$ is positive and finite"),
        Scale(Said("$x$, en escala de raíz", "$x$, on a root scale"), low - room, high + room, ticks),
        Scale(same(""), 0.4, len(found) + 0.6, names),
        tuple(curves),
    )


def _root(x: float) -> float:
    """The signed root: small formats stay visible beside large ones."""
    return math.copysign(math.sqrt(abs(x)), x)


def _reach_ticks(ends: Sequence[tuple[float, float, float]]) -> list[int]:
    low, high = min(e[0] for e in ends), max(e[2] for e in ends)
    size = max(abs(low), abs(high))
    if not 1 <= size < 1e15:
        return [0]
    unit = 10 ** max(math.floor(math.log10(size)) - 1, 0)
    return [t for t in (-10 * unit, -5 * unit, -unit, 0, unit, 5 * unit, 10 * unit) if low <= t <= high]


def _sum_panel(found: Sequence[Thresholds]) -> Panel:
    stops = sorted({(float(f.ones), f.fmt.name) for f in found if isinstance(f.ones, Fraction) and f.ones <= 2**14})
    top = 4 * (stops[-1][0] if stops else 2**12)
    curves = []
    for (stop, name), style in zip(stops[-4:], ("solid", "long", "dotted", "solid"), strict=False):
        # above the end of its line; the lowest one below it, where nothing is
        under = stop == stops[-4:][0][0]
        at, anchor = ((top, stop / 1.1), "north east") if under else ((top, stop * 1.1), "south east")
        curves.append(Curve(((1.0, 1.0), (stop, stop), (top, stop)), style, same(f"{name}: ${int(stop)}$"), at, anchor))
    ticks = tuple((float(10**k), f"$10^{{{k}}}$" if k > 1 else str(10**k)) for k in range(10) if 10**k <= top)
    return Panel(
        Said("Suma de $k$ unos", "Sum of $k$ ones"),
        Scale(same("$k$"), 1.0, top, ticks, log=True),
        Scale(same(""), 1.0, top, ticks, log=True),
        tuple(curves),
    )
