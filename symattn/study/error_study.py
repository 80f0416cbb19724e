"""How wrong each algorithm and format is, against the proven value of the rounded inputs and against a-priori bounds.

Promises: the reference is an enclosure for the binary numbers that went in, so what is measured is the algorithm; errors, bounds and the
share of correctly rounded outputs come from the float reading of the same programs (vector.py). Does not promise: another machine's
exp; float results are observed on this one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symattn.errors import InputError
from symattn.number.formats import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Format
from symattn.program.attention import Attention
from symattn.study.bounds import AttentionSizes, Model, attention_bound, score_bound
from symattn.study.published import ALGORITHMS as PUBLISHED
from symattn.study.published import Result, experiment
from symattn.study.result import Cell, Column, Curve, Panel, Plot, Said, Scale, Study, Table, Threshold, same
from symattn.study.seeded import Draw
from symattn.study.shift_study import ALGORITHMS
from symattn.study.texts import EMPTY, count, observed, percent
from symattn.study.tiles import KINDS, Trend, trend
from symattn.study.truth import truths
from symattn.study.vector import read_arrays, round_array, step_of

FORMATS = (FLOAT64, FLOAT32, FLOAT16, BFLOAT16)
PUBLISHED_FORMATS = (FLOAT16, BFLOAT16)
TOKENS, D_K, BLOCK = 64, 64, 16
MAX_TOKENS, MAX_D_K, MAX_SPREAD = 256, 512, 1000.0


@dataclass(frozen=True)
class Error:
    """One algorithm in one format: errors of the outputs in ulps, the largest error over u Σ p|v|, the share correctly rounded, the
    largest bound in the same unit (None where the analysis gives none), how many outputs are above their bound, how many are no number."""

    algorithm: str
    fmt: Format
    worst_ulps: float
    mean_ulps: float
    scaled: float
    correct: float
    bound: float | None
    violations: int
    not_finite: int


def blocks_of(tokens: int, block: int) -> tuple[int, ...]:
    """Blocks of at most `block` keys."""
    return (block,) * (tokens // block) + ((tokens % block,) if tokens % block else ())


def errors(fmt: Format, *, tokens: int = TOKENS, d_k: int = D_K, spread: float = 1.0, block: int = BLOCK, seed: int = 0) -> list[Error]:
    """All algorithms in one format on the same inputs: normal entries, those of Q and K times `spread`."""
    draw = Draw(seed)
    given = {name: draw.normal(tokens, d_k) * (1.0 if name == "V" else spread) for name in "QKV"}
    feeds = {name: round_array(array, fmt) for name, array in given.items()}
    if not all(np.isfinite(array.astype(np.float64)).all() for array in feeds.values()):
        raise InputError(f"the inputs overflow {fmt.name}", next_move="take a smaller spread or another format")
    description = Attention(inputs="qkv")
    exact = truths(description.program("plain", n=tokens, d_k=d_k), feeds, ("scaled", "weights", "output"))
    wide = {name: array.astype(np.float64) for name, array in feeds.items()}
    mixed = exact["weights"].high @ np.abs(wide["V"])
    model = Model.of(fmt)
    off = score_bound(wide["Q"], wide["K"], model)
    right = exact["output"].rounded(fmt).astype(np.float64)
    found = []
    for algorithm, _ in ALGORITHMS:
        blocks = blocks_of(tokens, block) if algorithm == "online" else ()
        program = description.program(algorithm, blocks=blocks, n=tokens, d_k=d_k)
        output = read_arrays(program, feeds, fmt)["output"].astype(np.float64)
        finite = np.isfinite(output)
        error = exact["output"].error(output)
        ulps = (error / step_of(exact["output"].high, fmt))[finite]
        sizes = AttentionSizes(tokens, d_k, blocks)
        bound = attention_bound(algorithm, exact["scaled"].high, off, mixed, float(np.abs(wide["V"]).max()), sizes, model)
        limit = float((bound / (model.u * mixed)).max())
        found.append(
            Error(
                algorithm,
                fmt,
                float(ulps.max()) if finite.any() else math.nan,
                float(ulps.mean()) if finite.any() else math.nan,
                float((error / (model.u * mixed))[finite].max()) if finite.any() else math.nan,
                float(np.mean(output == right)),
                limit if math.isfinite(limit) else None,
                int(np.count_nonzero(error[finite] > bound[finite])),
                int(np.count_nonzero(~finite)),
            )
        )
    return found


# -- the study ----------------------------------------------------------------------------------------------------------
def error(
    formats: Sequence[Format] = FORMATS,
    *,
    tokens: int = TOKENS,
    d_k: int = D_K,
    spread: float = 1.0,
    block: int = BLOCK,
    seed: int = 0,
) -> Study:
    """Attention of `tokens` tokens in `formats`; the published softmax experiment; the tiles. Raises InputError."""
    _check(formats, tokens, d_k, spread, block)
    measured = [errors(fmt, tokens=tokens, d_k=d_k, spread=spread, block=block, seed=seed) for fmt in formats]
    published = {fmt: experiment(fmt) for fmt in PUBLISHED_FORMATS}
    tiles = trend(seed)
    worse = [_mean(r["published_division_free"]) / _mean(r["published_softmax"]) for r in published.values()]
    worse += [_mean(r["division_free"]) / _mean(r["softmax"]) for r in published.values()]
    lost = published[FLOAT16]["lse"].overflows
    return Study(
        name="error",
        question=Said("Cuánto se equivoca cada softmax", "How wrong each softmax is"),
        opening=Said(
            "Cada salida se compara con el valor demostrado para las mismas entradas redondeadas. La tabla 1 mide la atención; la 2 "
            "repite el "
            "experimento de Blanchard, Higham y Higham con sus 2500 vectores; la 3 mira qué hace el tamaño del bloque.",
            "Each output is held against the proven value for the same rounded inputs. Table 1 measures attention; table 2 repeats the "
            "experiment of Blanchard, Higham and Higham on their 2,500 vectors; table 3 looks at what the size of a tile does.",
        ),
        tables=(_attention_table(measured, tokens, d_k, spread, block), _published_table(published), _tile_table(tiles)),
        plot=Plot(
            (_published_panel(published[FLOAT16]), _tile_panel(tiles)),
            Said(
                "A la izquierda, los 2500 vectores en float16, ordenados por error: el mayor error de un peso, en unidades de $u$ por el "
                "mayor "
                "peso, y la menor de las cotas. A la derecha, el error según el tamaño del bloque, dividido por el de una sola pasada en "
                "bfloat16.",
                "Left, the 2,500 vectors in float16, sorted by error: the largest error of a weight, in units of $u$ times the largest "
                "weight, and "
                "the least of the bounds. Right, the error by tile size, over that of a single pass in bfloat16.",
            ),
        ),
        conclusion=Said(
            f"Sin restar el máximo, float16 desborda en {lost} de los 2500 vectores; restándolo, en ninguno, con casi la misma exactitud. "
            f"Evitar la "
            f"división cuesta de {min(worse):.1f} a {max(worse):.1f} veces más error. Sobre los bloques tienen razón las dos partes: si "
            f"la suma "
            "parcial se guarda en 16 bits, cada bloque la redondea y los bloques chicos empeoran; si se guarda en 32, el método por "
            "bloques es "
            "mejor que una sola pasada. Difieren en el acumulador.",
            f"Without subtracting the maximum float16 overflows in {lost} of the 2,500 vectors; with it in none, at nearly the same "
            f"accuracy. "
            f"Avoiding "
            f"the division costs {min(worse):.1f} to {max(worse):.1f} times the error. About tiles both sides are right: when the running "
            f"state "
            "is kept in 16 bits every tile rounds it and small tiles are worse; when it is kept in 32 the tiled method is better than a "
            "single "
            "pass. They differ in the accumulator.",
        ),
        notes=(
            Said(
                "Las cotas valen para las operaciones tal como se hacen aquí. Está demostrado cómo se acumulan los redondeos; se supone "
                "el error "
                "de exp y log: en 16 bits está verificado para todo argumento, en float32 y float64 es lo que declaran las bibliotecas.",
                "The bounds hold for the operations as they are done here. How roundings accumulate is proved; the errors of exp and log "
                "are "
                "assumed: in 16 bits verified for every argument, in float32 and float64 what the libraries state.",
            ),
            Said(
                "Un error en ulps se dispara donde la salida casi se cancela; por eso se da también dividido por $u \\sum p|v|$. Los "
                "algoritmos «publicados» dejan el máximo "
                "fuera de la suma y usan log1p.",
                "An error in ulps explodes where the output nearly cancels; that is why it is also given over $u \\sum p|v|$. The "
                "“published” algorithms leave the maximum out "
                "of the sum and use log1p.",
            ),
        ),
        parameters={
            "formats": ",".join(f.name for f in formats), "tokens": str(tokens), "d_k": str(d_k), "spread": repr(spread),
            "block": str(block), "seed": str(seed),
        },
    )  # fmt: skip


def _check(formats: Sequence[Format], tokens: int, d_k: int, spread: float, block: int) -> None:
    if not formats:
        raise InputError("no float format is given", next_move="name at least one")
    for name, value, low, high in (("tokens", tokens, 2, MAX_TOKENS), ("d_k", d_k, 1, MAX_D_K), ("block", block, 1, MAX_TOKENS)):
        if not low <= value <= high:
            raise InputError(f"{name} is {value}", next_move=f"give {low} to {high}")
    if not 0 < spread <= MAX_SPREAD:
        raise InputError(f"the spread is {spread}", next_move=f"give a number above 0, at most {MAX_SPREAD:g}")


_FORMAT = Column("format", Said("formato", "format"), "l")
_ALGORITHM = Column("algorithm", Said("algoritmo", "algorithm"), "l")


def _attention_table(measured: Sequence[Sequence[Error]], tokens: int, d_k: int, spread: float, block: int) -> Table:
    columns = (
        _FORMAT,
        _ALGORITHM,
        Column("worst_ulps", Said("peor, ulps", "worst, ulps")),
        Column("mean_ulps", Said("media, ulps", "mean, ulps")),
        Column("scaled", Said(r"peor $/ u \sum p|v|$", r"worst $/ u \sum p|v|$")),
        Column("bound", Said("cota", "bound")),
        Column("correct", Said("bien redondeados", "correctly rounded")),
        Column("not_finite", Said("no finitos", "not finite")),
        Column("violations", same("above their bound"), on_page=False),
    )
    names = dict(ALGORITHMS)
    rows = []
    for group in measured:
        for k, e in enumerate(group):
            rows.append(
                (
                    Cell(e.fmt.name, same(e.fmt.name if k == 0 else "")),
                    Cell(e.algorithm, names[e.algorithm]),
                    observed(e.worst_ulps),
                    observed(e.mean_ulps),
                    observed(e.scaled),
                    EMPTY if e.bound is None else observed(e.bound, 2),
                    percent(e.correct),
                    count(e.not_finite),
                    count(e.violations),
                )
            )
    factor = "" if spread == 1 else f", Q y K por {spread:g}"
    factor_en = "" if spread == 1 else f", Q and K times {spread:g}"
    caption = Said(
        f"Atención de {tokens} tokens con $d_k = {d_k}$, entradas normales{factor}; en línea, de a {block} claves.",
        f"Attention of {tokens} tokens with $d_k = {d_k}$, normal entries{factor_en}; online in blocks of {block} keys.",
    )
    groups = tuple(k * len(ALGORITHMS) for k in range(1, len(measured)))
    return Table("attention", caption, columns, tuple(rows), groups)


SIX = {
    "lse": Said("log-sum-exp", "log-sum-exp"),
    "softmax": Said("softmax", "softmax"),
    "division_free": Said("softmax sin división", "softmax, division-free"),
    "shifted_lse": Said("log-sum-exp desplazado", "log-sum-exp, shifted"),
    "shifted_softmax": Said("softmax desplazado", "softmax, shifted"),
    "shifted_division_free": Said("desplazado sin división", "shifted, division-free"),
    "published_lse": Said("publicado, log-sum-exp", "published, log-sum-exp"),
    "published_softmax": Said("publicado, softmax", "published, softmax"),
    "published_division_free": Said("publicado, sin división", "published, division-free"),
}


def _mean(result: Result) -> float:
    return float(np.nanmean(result.errors))


def _published_table(published: dict[Format, dict[str, Result]]) -> Table:
    columns = (
        _FORMAT,
        _ALGORITHM,
        Column("overflows", Said("desbordan", "overflow")),
        Column("worst", Said("peor $/ u$", "worst $/ u$")),
        Column("mean", Said("media $/ u$", "mean $/ u$")),
        Column("least_bound", Said("cota, de", "bound, from")),
        Column("largest_bound", Said("a", "to")),
        Column("violations", Said("sobre la cota", "above the bound")),
        Column("least_sum", Said("suma, de", "sum, from")),
        Column("largest_sum", Said("a", "to")),
    )
    rows = []
    for fmt, results in published.items():
        for k, name in enumerate(PUBLISHED):
            r = results[name]
            kept = np.isfinite(r.errors)
            sums = ("", "") if name.endswith("lse") else (f"{np.nanmin(r.sums):.4f}", f"{np.nanmax(r.sums):.4f}")
            rows.append(
                (
                    Cell(fmt.name, same(fmt.name if k == 0 else "")),
                    Cell(name, SIX[name]),
                    count(r.overflows),
                    observed(float(np.nanmax(r.errors))),
                    observed(_mean(r)),
                    observed(float(r.bounds[kept].min())),
                    observed(float(r.bounds[kept].max())),
                    count(r.violations),
                    *(Cell(s) for s in sums),
                )
            )
    caption = Said(
        "2500 vectores de 10 números: error del log-sum-exp (relativo) y del softmax (relativo al mayor peso), en unidades de $u$.",
        "2,500 vectors of 10 numbers: error of the log-sum-exp (relative) and of the softmax (relative to the largest weight), in units "
        "of $u$.",
    )
    size = len(PUBLISHED)
    groups = tuple(at for at in range(3, size * len(published), 3))
    return Table("published", caption, columns, tuple(rows), groups)


TILE_NAMES = {
    "narrow": Said("estado en bfloat16", "state in bfloat16"),
    "wide": Said("estado en float32", "state in float32"),
    "stepwise": Said("toda operación en bfloat16", "every operation in bfloat16"),
}


def _tile_table(found: Trend) -> Table:
    columns = (Column("tile", Said("bloque", "tile")), *(Column(kind, TILE_NAMES[kind]) for kind in KINDS))
    rows = tuple((count(tile), *(observed(found.ratios[kind][k]) for kind in KINDS)) for k, tile in enumerate(found.tiles))
    caption = Said(
        f"Error cuadrático medio según el bloque, con 1024 claves, dividido por el de una sola pasada (que es {found.baseline:.2g} veces "
        f"el de la "
        "salida bien redondeada).",
        f"Root-mean-square error by tile, 1,024 keys, over that of a single pass (which is {found.baseline:.2g} times that of the "
        f"correctly "
        "rounded output).",
    )
    return Table("tiles", caption, columns, rows)


# -- the plot -----------------------------------------------------------------------------------------------------------
def _published_panel(results: dict[str, Result]) -> Panel:
    curves = []
    for name, style, label in (
        ("shifted_softmax", "solid", Said("con división", "with division")),
        ("shifted_division_free", "long", Said("sin división", "division-free")),
    ):
        ordered = np.sort(results[name].errors[np.isfinite(results[name].errors)])
        share = (np.arange(len(ordered)) + 0.5) / len(ordered)
        picked = np.unique(np.linspace(0, len(ordered) - 1, 120).astype(int))
        points = tuple((float(share[k]), float(ordered[k])) for k in picked)
        middle = points[len(points) * 11 // 20]
        curves.append(
            Curve(
                points,
                style,
                label,
                (middle[0], middle[1] * (0.72 if style == "solid" else 1.3)),
                "north west" if style == "solid" else "south east",
            )
        )
    limit = float(min(results[name].bounds.min() for name in ("shifted_softmax", "shifted_division_free")))
    return Panel(
        Said("Error de 2500 softmax desplazados, float16", "Error of 2,500 shifted softmaxes, float16"),
        Scale(
            Said("parte de los vectores", "share of the vectors"),
            0.0,
            1.0,
            ((0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")),
        ),
        Scale(same(""), 0.05, 40.0, ((0.1, "0.1"), (1.0, "1"), (10.0, "10")), log=True),
        tuple(curves),
        (Threshold("y", limit, Said("menor cota", "least bound"), 0.02, "south west"),),
    )


def _tile_panel(found: Trend) -> Panel:
    top = 2.0 * max(max(v) for v in found.ratios.values())
    tiles = found.tiles
    places: dict[str, tuple[int, str]] = {
        "narrow": (len(tiles) - 3, "north"),
        "wide": (len(tiles) // 2, "north"),
        "stepwise": (len(tiles) - 2, "east"),
    }
    curves: list[Any] = []
    for kind, style in zip(KINDS, ("long", "solid", "dotted"), strict=True):
        at, anchor = places[kind]
        lift = {"south west": 1.2, "north": 0.85, "east": 1.0}[anchor]
        x = float(tiles[at]) * (0.9 if anchor == "east" else 1.0)
        points = tuple((float(t), r) for t, r in zip(tiles, found.ratios[kind], strict=True))
        curves.append(Curve(points, style, TILE_NAMES[kind], (x, found.ratios[kind][at] * lift), anchor))
    return Panel(
        Said("Error por bloques, sobre el de una pasada", "Error in tiles, over that of one pass"),
        Scale(
            Said("claves por bloque", "keys a tile"), tiles[0] / 1.3, tiles[-1] * 1.3, tuple((float(t), str(t)) for t in tiles), log=True
        ),
        Scale(same(""), 0.2, top, tuple((x, f"{x:g}") for x in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0) if x <= top), log=True),
        tuple(curves),
    )
