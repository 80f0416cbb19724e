"""Five softmax algorithms on the same scores, operation by operation: where infinities, NaN, zeros and lost digits are born.

Promises: the float reading of each algorithm (interp/floats.py) with its events; lost digits are held against proven enclosures for
the same rounded inputs; "nothing changed over the reals" is the exact reading of the five programs on these very scores, compared.
Does not promise: a theorem; that is what `symattn derive` is for. Float results are observed on this machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symattn.errors import InputError
from symattn.interp.events import Event
from symattn.interp.lost import first_lost_digit
from symattn.number.digits import significant_text
from symattn.number.formats import FLOAT16, FLOAT32, FLOAT64, Format
from symattn.number.truth import Truth as Answer
from symattn.program.attention import Attention
from symattn.program.program import Program
from symattn.study.result import Cell, Column, Curve, Panel, Plot, Said, Scale, Study, Table, Threshold, same
from symattn.study.texts import EMPTY, observed

ALGORITHMS = (
    ("plain", Said("directo", "naive")),
    ("shifted", Said("desplazado", "shifted")),
    ("online", Said("en línea", "online")),
    ("log-domain", Said("logarítmico", "log-domain")),
    ("deferred", Said("división al final", "deferred")),
)
WORKED = (("800",), ("180", "210", "95"))
DEFAULT_FORMATS = (FLOAT16, FLOAT32, FLOAT64)
MAX_SCORES = 64
MAX_SCORE = 100_000
EXACT_UP_TO = 16
KINDS = ("inf", "nan", "zero")
SHIFT_FORMAT = FLOAT16
OFFSETS = 40
DRAWS = 4


@dataclass(frozen=True)
class Found:
    """One algorithm in one format: the first event of each kind, the first lost digit, the output."""

    algorithm: str
    fmt: Format
    events: tuple[Event, ...]
    lost: Event | None
    output: float

    def first(self, kind: str) -> Event | None:
        """The first birth of this kind."""
        return next((e for e in self.events if e.kind == kind), None)


def attention_of(algorithm: str, n: int) -> Program:
    """One query over n keys with the scores as they are: Q = [[1]], K the scores, V the values 1 … n."""
    blocks = () if algorithm != "online" else (n,) if n == 1 else ((n + 1) // 2, n // 2)
    return Attention(inputs="qkv", cross=True, scale=1).program(algorithm, blocks=blocks, n=1, m=n, d_k=1, d_v=1)


def feeds_of(scores: Sequence[str]) -> dict[str, Any]:
    """The inputs of `attention_of`."""
    return {"Q": [["1"]], "K": [[s] for s in scores], "V": [[str(k + 1)] for k in range(len(scores))]}


def observe(scores: Sequence[str], algorithm: str, fmt: Format) -> Found:
    """The float reading of one algorithm on these scores, with its events and its first lost digit."""
    program = attention_of(algorithm, len(scores))
    evaluation = program.evaluate(feeds_of(scores), numbers=fmt)
    rounded = {name: evaluation[name].nested() for name in ("Q", "K", "V")}
    lost = None
    keeps = max(1, (fmt.precision - 1) * 30103 // 100000)
    if all(math.isfinite(float(row[0])) for rows in rounded.values() for row in rows):
        exact = {name: [[_fraction(x) for x in row] for row in rows] for name, rows in rounded.items()}
        reference = program.evaluate(exact, numbers="balls", digits=keeps + 20)
        lost = first_lost_digit(evaluation.reading, reference.reading, keeps)
    return Found(algorithm, fmt, evaluation.events, lost, float(_number(evaluation.output.entries[0])))


def _fraction(x: Any) -> Fraction:
    return x if isinstance(x, Fraction) else Fraction(float(x))


def _number(x: Any) -> Any:
    return x.value if hasattr(x, "value") else x


def same_over_the_reals(scores: Sequence[str]) -> tuple[Answer, str, str]:
    """Do the exact readings of the five algorithms give one output on these scores? The answer, the output as a closed form ("" when it
    is long), and in proven digits."""
    readings = [attention_of(a, len(scores)).evaluate(feeds_of(scores)).output.entries[0] for a, _ in ALGORITHMS]
    answers = [readings[0].equals(other) for other in readings[1:]]
    answer = Answer.NO if Answer.NO in answers else Answer.UNKNOWN if Answer.UNKNOWN in answers else Answer.YES
    form = readings[0].closed_form()
    return answer, str(form.text) if form is not None else "", significant_text(readings[0], 12)


# -- the study ----------------------------------------------------------------------------------------------------------
def shift(scores: Sequence[str] | None = None, formats: Sequence[Format] = DEFAULT_FORMATS, *, seed: int = 0) -> Study:
    """The five algorithms on `scores` (decimals as text), or on the two worked cases. `seed` draws the scores of the right panel.
    Raises InputError."""
    cases = WORKED if scores is None else (tuple(scores),)
    for case in cases:
        if not 1 <= len(case) <= MAX_SCORES:
            raise InputError(f"{len(case)} scores are given", next_move=f"give 1 to {MAX_SCORES}")
        for score in case:
            _check_score(score)
    if not formats:
        raise InputError("no float format is given", next_move="name at least one")
    return Study(
        name="shift",
        question=Said("Qué cura restar el máximo", "What subtracting the maximum cures"),
        opening=Said(
            "Cinco maneras de calcular el mismo softmax, operación por operación. La tabla dice en qué etapa y entrada nace el primer "
            r"infinito, el primer NaN, el primer cero y el primer dígito perdido. Los valores mezclados son $1, 2, \ldots, n$. $E$ son "
            r"las exponenciales, $Z$ sus sumas, $P$ los pesos, $O$ la salida, $U$ la salida sin dividir.",
            "Five ways to compute the same softmax, operation by operation. The table says in which stage and entry the first infinity, "
            "the "
            r"first NaN, the first zero and the first lost digit are born. The values mixed are $1, 2, \ldots, n$. $E$ are the "
            r"exponentials, $Z$ their sums, $P$ the weights, $O$ the output, $U$ the output before the division.",
        ),
        tables=tuple(_case_table(k, case, formats) for k, case in enumerate(cases, 1)),
        plot=Plot(
            (_size_panel(cases[-1], formats), _offset_panel(seed)),
            Said(
                "A la izquierda, las exponenciales del último caso con y sin el máximo restado, y hasta dónde llega cada formato. A la "
                "derecha, "
                f"cuatro veces 16 puntajes con una constante $c$ sumada, en {SHIFT_FORMAT.name}: el mayor error de la salida en unidades "
                f"de "
                r"$u \sum p|v|$. El método directo se interrumpe donde da NaN.",
                "Left, the exponentials of the last case with and without the maximum subtracted, and how far each format reaches. Right, "
                "a "
                f"constant $c$ added to four sets of 16 scores, in {SHIFT_FORMAT.name}: the largest error of the output in units of "
                r"$u \sum p|v|$. The naive method breaks off where it gives NaN.",
            ),
        ),
        conclusion=Said(
            "Restar el máximo quita el desbordamiento y el 0/0, porque el mayor exponente es 0 y la suma nunca baja de 1. No devuelve los "
            "pesos que caen por debajo del menor número del formato: esos valen cero en todos los métodos. El método logarítmico no "
            "desborda, "
            "pero resta dos números grandes, y su error crece con $|c|$.",
            "Subtracting the maximum removes the overflow and the 0/0, because the largest exponent is 0 and the sum never drops below 1. "
            "It "
            "does not bring back weights below the smallest number of the format: they are zero in every method. The log-domain method "
            "does "
            "not overflow, but it subtracts two large numbers, and its error grows with $|c|$.",
        ),
        notes=(
            Said(
                "Los dígitos perdidos se miden contra encierros demostrados para las mismas entradas redondeadas: una entrada está perdida "
                "cuando le faltan dígitos que el formato guarda. El resto es lo observado en esta máquina.",
                "Lost digits are held against proven enclosures for the same rounded inputs: an entry is lost when it lacks digits that "
                "the "
                "format keeps. All else is observed on this machine.",
            ),
        ),
        parameters={
            "scores": "; ".join(", ".join(case) for case in cases),
            "formats": ",".join(f.name for f in formats),
            "seed": str(seed),
        },
    )


def _check_score(score: str) -> None:
    try:
        fits = abs(Fraction(score)) <= MAX_SCORE
    except (ValueError, ZeroDivisionError):
        raise InputError(f'"{score[:40]}" is no score', next_move='give decimals or fractions as text, such as "180" or "-3.25"') from None
    if not fits:
        raise InputError(f"the score {score[:40]} is too large", next_move=f"at most {MAX_SCORE} in size")


def _case_table(number: int, case: Sequence[str], formats: Sequence[Format]) -> Table:
    columns = (
        Column("algorithm", Said("algoritmo", "algorithm"), "l"),
        Column("format", Said("formato", "format"), "l"),
        Column("inf", Said(r"primer $\infty$", r"first $\infty$"), "l"),
        Column("nan", Said("primer NaN", "first NaN"), "l"),
        Column("zero", Said("primer 0", "first 0"), "l"),
        Column("lost_digit", Said("primer dígito perdido", "first lost digit"), "l"),
        Column("output", Said("salida", "output")),
        *(Column(f"{kind}_detail", same(kind), on_page=False) for kind in (*KINDS, "lost_digit")),
    )
    rows = []
    for algorithm, name in ALGORITHMS:
        for k, fmt in enumerate(formats):
            found = observe(case, algorithm, fmt)
            events = [found.first(kind) for kind in KINDS] + [found.lost]
            rows.append(
                (
                    Cell(algorithm, name if k == 0 else same("")),
                    Cell(fmt.name),
                    *(EMPTY if e is None else Cell(_where(e), same(_short(e))) for e in events),
                    observed(found.output, 6),
                    *(EMPTY if e is None else Cell(e.detail) for e in events),
                )
            )
    groups = tuple(range(len(formats), len(rows), len(formats)))
    return Table(f"case_{number}", _case_caption(case), columns, tuple(rows), groups)


def _where(event: Event) -> str:
    """`exponentials[1]`: the one query is left out."""
    entry = event.entry[1:] if len(event.entry) > 1 else ()
    return event.stage + (f"[{', '.join(map(str, entry))}]" if entry and event.stage not in ("output", "unnormalized") else "")


LETTERS = {
    "exponentials": "E", "row_sums": "Z", "weights": "P", "output": "O", "unnormalized": "U", "row_max": "m", "shifted": "s-m",
    "log_sums": "log Z", "log_sum_exps": "L", "log_weights": "log P", "block_sums": "Z", "block_mix": "U", "block_max": "m",
}  # fmt: skip


def _short(event: Event) -> str:
    """`E[1]` for exponentials[1], `E2[0]` for the first exponential of the second block."""
    stage, _, block = event.stage.rpartition("_")
    letter = LETTERS.get(event.stage) or (LETTERS.get(stage, stage) + block if block.isdigit() else event.stage)
    return letter + _where(event).removeprefix(event.stage)


def _case_caption(case: Sequence[str]) -> Said:
    shown = ", ".join(case[:6]) + (", …" if len(case) > 6 else "")
    if len(case) > EXACT_UP_TO:
        return Said(f"Puntajes [{shown}].", f"Scores [{shown}].")
    answer, form, digits = same_over_the_reals(case)
    value = form if form and len(form) <= 60 else digits
    if answer is Answer.YES:
        return Said(
            f"Puntajes [{shown}]. Sobre los reales no cambia nada: la lectura exacta de los cinco da la misma salida, {value}.",
            f"Scores [{shown}]. Over the reals nothing changes: the exact reading of all five gives the same output, {value}.",
        )
    return Said(
        f"Puntajes [{shown}]. Salida exacta {value}; la igualdad de los cinco no se decidió aquí.",
        f"Scores [{shown}]. Exact output {value}; whether all five are equal was not decided here.",
    )


# -- the plot -----------------------------------------------------------------------------------------------------------
LN10 = math.log(10)


def _size_panel(case: Sequence[str], formats: Sequence[Format]) -> Panel:
    """Exponentials as powers of ten: where each falls, and the ends of the formats."""
    scores = [float(Fraction(s)) for s in case]
    top = max(scores)
    plain = [(float(k), s / LN10) for k, s in enumerate(scores)]
    moved = [(float(k), (s - top) / LN10) for k, s in enumerate(scores)]
    every = [y for _, y in plain + moved]
    low, high = min(every), max(every)
    room = max(0.18 * (high - low), 1.0)
    low, high = low - room, high + room
    ends = [(math.log10(2) * (f.emax + 1), f, True) for f in formats] + [
        (math.log10(2) * (f.emin - f.precision + 1), f, False) for f in formats
    ]
    last = len(scores) - 1
    right = last + 0.6 + 0.75 * max(last, 1)
    thresholds: list[Threshold] = []
    for y, fmt, up in sorted(ends, key=lambda end: -abs(end[0])):
        apart = all(abs(y - other.value) > 0.09 * (high - low) for other in thresholds)
        if apart and low + 0.02 * (high - low) < y < high - 0.09 * (high - low):
            name = Said(f"mayor {fmt.name}", f"largest {fmt.name}") if up else Said(f"menor {fmt.name}", f"smallest {fmt.name}")
            thresholds.append(Threshold("y", y, name, right, "south east"))
    step = max(10, 10 * math.ceil((high - low) / 60))
    ticks = tuple((float(t), f"$10^{{{t}}}$" if t else "1") for t in range(step * math.ceil(low / step), math.floor(high) + 1, step))
    keys = tuple((float(k), str(k)) for k in range(len(scores)) if len(scores) <= 16 or k % 8 == 0)
    return Panel(
        Said("Tamaño de cada exponencial", "Size of each exponential"),
        Scale(Said("clave", "key"), -0.6, right, keys),
        Scale(same(""), low, high, ticks),
        (
            Curve(tuple(plain), "dots", same("$e^{s}$"), (0.0, plain[0][1] + 0.03 * (high - low)), "south"),
            Curve(tuple(moved), "dots", same(r"$e^{s - m}$"), (0.0, moved[0][1] - 0.03 * (high - low)), "north"),
        ),
        tuple(thresholds),
    )


def offset_errors(seed: int = 0) -> dict[str, list[tuple[float, float]]]:
    """For each algorithm the largest error of the output in units of u * sum of p|v|, over DRAWS sets of 16 scores, by the constant added
    to them; scores are multiples of 1/16, so that adding it is exact in float16. NaN where an output is no number."""
    import numpy as np

    from symattn.study.seeded import Draw
    from symattn.study.truth import truths
    from symattn.study.vector import read_arrays, round_array

    draw = Draw(seed)
    offsets = np.arange(-OFFSETS, OFFSETS + 1)
    fmt = SHIFT_FORMAT
    description = Attention(inputs="qkv", cross=True, scale=1)
    sizes: dict[str, Any] = {"n": len(offsets), "m": 16, "d_k": 2, "d_v": 8}
    worst = {algorithm: np.zeros(len(offsets)) for algorithm, _ in ALGORITHMS}
    for _ in range(DRAWS):
        keys = np.rint(draw.normal(16) * 24) / 16
        given = {
            "Q": np.stack([np.ones(len(offsets)), offsets], axis=1),
            "K": np.stack([keys, np.ones(16)], axis=1),
            "V": draw.normal(16, 8),
        }
        feeds = {name: round_array(a, fmt) for name, a in given.items()}
        exact = truths(description.program("shifted", **sizes), feeds, ("output", "weights"))
        size = exact["weights"].high @ np.abs(feeds["V"].astype(np.float64))
        for algorithm in worst:
            blocks = (8, 8) if algorithm == "online" else ()
            found = read_arrays(description.program(algorithm, blocks=blocks, **sizes), feeds, fmt)["output"]
            error = np.max(exact["output"].error(found) / (float(fmt.unit_roundoff) * size), axis=1)
            worst[algorithm] = np.maximum(worst[algorithm], error)
    return {
        algorithm: [(float(c), float(e) if np.isfinite(e) else math.nan) for c, e in zip(offsets, errors, strict=True)]
        for algorithm, errors in worst.items()
    }


def _offset_panel(seed: int) -> Panel:
    errors = offset_errors(seed)
    finite = [e for points in errors.values() for _, e in points if math.isfinite(e) and e > 0]
    top = 10 ** math.ceil(math.log10(1.5 * max(finite)))
    log_domain = dict(errors["log-domain"])
    shifted = dict(errors["shifted"])
    return Panel(
        Said(r"Error de la salida, en $u \sum p|v|$", r"Error of the output, in $u \sum p|v|$"),
        Scale(same("$c$"), -OFFSETS, OFFSETS, tuple((float(t), str(t)) for t in (-40, -20, 0, 20, 40))),
        Scale(
            same(""),
            0.5,
            top,
            tuple((10.0**k, f"$10^{{{k}}}$" if k not in (0, 1) else str(10**k)) for k in range(8) if 10.0**k <= top),
            log=True,
        ),
        (
            Curve(tuple(errors["plain"]), "solid", Said("directo", "naive"), _top(errors["plain"]), "west"),
            Curve(tuple(errors["shifted"]), "long", Said("desplazado", "shifted"), (25.0, shifted[25.0] / 1.6), "north"),
            Curve(tuple(errors["log-domain"]), "dotted", Said("logarítmico", "log-domain"), (30.0, log_domain[30.0] * 1.6), "south"),
        ),
    )


def _top(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """A little right of the highest point of a curve."""
    c, error = max((p for p in points if math.isfinite(p[1])), key=lambda p: p[1], default=(0.0, 1.0))
    return c + 1.5, error / 1.3
