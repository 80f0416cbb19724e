"""A worksheet made from matrices: attention from X and the weights (or from Q, K, V) to the output, every entry written out.

Promises: the same engine as a hand-written worksheet, with nothing printed to check. Does not promise: prose beyond titles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symattn.errors import InputError
from symattn.sheets.source import SheetSource, parse_sheet

Matrix = Sequence[Sequence[str]]

_TITLES = {
    "givens": ("Datos", "Givens"),
    "projections": ("Consultas, claves y valores", "Queries, keys and values"),
    "scores": ("Puntajes", "Scores"),
    "scaled": ("Escalar", "Scaling"),
    "exponentials": ("Exponenciales y sumas de fila", "Exponentials and row sums"),
    "weights": ("Pesos", "Weights"),
    "output": ("Salida", "Output"),
}


def generated_sheet(matrices: Mapping[str, Matrix], *, title: str = "Attention", lang: str = "en", scaled: bool = True) -> SheetSource:
    """The worksheet of `matrices` (keys X, W_Q, W_K, W_V or Q, K, V; entries as text). Raises InputError for other keys."""
    return parse_sheet(generated_text(matrices, title=title, lang=lang, scaled=scaled), "<generated>", "attention")


def generated_text(matrices: Mapping[str, Matrix], *, title: str = "Attention", lang: str = "en", scaled: bool = True) -> str:
    """The text of that worksheet, ready to be edited."""
    axes = _axes(matrices)
    parts = [f'+++\ntitle = {{ es = "{title}", en = "{title}" }}\nlang = "{lang}"\n+++\n', _title("givens", "#")]
    givens = [f"{name}({axes[name]}) = [{', '.join('[' + ', '.join(row) + ']' for row in matrix)}]" for name, matrix in matrices.items()]
    parts.append(_fence("given", givens))
    if "X" in matrices:
        lines = [f"{letter} = X @ W_{letter}" for letter in "QKV"] + [f"show {letter}" for letter in "QKV"]
        parts += [_title("projections"), _fence("step", lines)]
    parts += [_title("scores"), _fence("step", ["S = Q @ K.T", "show S"])]
    scores = "S"
    if scaled:
        parts += [_title("scaled"), _fence("step", ["T = S / sqrt(d_k)", "show T"])]
        scores = "T"
    parts += [_title("exponentials"), _fence("step", [f"E = exp({scores})", "Z = sum(E, axis=1)", "show E", "show Z"])]
    parts += [_title("weights"), _fence("step", ["P = E / Z", "show P", "heat P"])]
    parts += [_title("output"), _fence("step", ["O = P @ V", "show O"])]
    return "\n".join(parts)


def _axes(matrices: Mapping[str, Matrix]) -> dict[str, str]:
    if set(matrices) == {"X", "W_Q", "W_K", "W_V"}:
        return {"X": "token, d_model", "W_Q": "d_model, d_k", "W_K": "d_model, d_k", "W_V": "d_model, d_v"}
    if set(matrices) == {"Q", "K", "V"}:
        rows = "token" if len(matrices["Q"]) == len(matrices["K"]) else "key"
        return {"Q": "token, d_k", "K": f"{rows}, d_k", "V": f"{rows}, d_v"}
    raise InputError(f"matrices are {', '.join(matrices) or 'missing'}", next_move="give X, W_Q, W_K and W_V, or Q, K and V")


def _title(key: str, level: str = "##") -> str:
    es, en = _TITLES[key]
    return f"::: es\n{level} {es}\n:::\n\n::: en\n{level} {en}\n:::\n"


def _fence(kind: str, lines: Sequence[str]) -> str:
    return "\n".join([f"```{kind}", *lines, "```", ""])
