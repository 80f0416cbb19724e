"""The options of `symattn attend`, and the sections of its help.

Promises: option names are those of `Attention` with hyphens. Does not promise: any checking beyond what click does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

# Option -> the input that it gives, and its line of help.
MATRICES = {
    "x": ("X", "X, one row a token; needs W_Q, W_K, W_V."),
    "wq": ("W_Q", "W_Q; with heads, their columns side by side."),
    "wk": ("W_K", "W_K."),
    "wv": ("W_V", "W_V."),
    "wo": ("W_O", "W_O, applied at the end (optional)."),
    "y": ("Y", "Y, the other sequence: cross-attention (optional)."),
    "q": ("Q", "Q, one row a query; needs K and V."),
    "k": ("K", "K, one row a key."),
    "v": ("V", "V, one row a key."),
    "bias": ("bias", "Added to the scores, query by key."),
    "allowed": ("allowed", "Mask of your own, query by key, 1 or 0."),
    "allowed_keys": ("allowed_keys", "Padding mask, one entry a key, 1 or 0."),
    "slopes": ("slopes", "Of ALiBi, one a head, instead of the published ones."),
    "sink": ("sink", "One logit a head that takes part in the row sums."),
}
_ATTENTION = (
    "mask", "window", "query_offset", "heads", "kv_heads", "scale", "softcap", "alibi", "rotary", "rotary_base", "masked_row",
    "algorithm", "blocks", "masking", "masked_value",
)  # fmt: skip
_SHOWN = ("numbers", "digits", "stages", "order", "binary", "form", "output", "lang", "paper", "blank")
SECTIONS = {
    'Matrices (text such as "[[1, 0.5], [1/3, -2]]", or a file with one matrix)': tuple(MATRICES),
    "The attention": _ATTENTION,
    "What is shown": _SHOWN,
}


def label(option: str) -> str:
    """The option as it is typed."""
    return f"--{option.replace('_', '-')}"


def matrices(function: Any) -> Any:
    """Adds one option a matrix."""
    for option, (_, text) in reversed(MATRICES.items()):
        function = click.option(label(option), option, metavar="MATRIX", help=text)(function)
    return function


def attention_options(function: Any) -> Any:
    """Adds what describes the attention."""
    return _added(
        function,
        _option("mask", 'causal, window, padding, array; joined by "+". Positions count from 0.', "RULES"),
        _option("window", "Width of the causal window: query i sees keys i-W+1 to i.", "W", type=int),
        _option("query-offset", "Position of the first query; needed where positions count and Q and K differ.", "K", type=int),
        _option("heads", "Heads, side by side in the columns.", "H", type=int, default=1),
        _option("kv-heads", "Heads of keys and values: 1 is multi-query, a divisor of H is grouped.", "G", type=int),
        _option("scale", "1/d_k, 1/sqrt(8), 1/8, 0.25; 1 for no scaling.", "S", default="1/sqrt(d_k)"),
        _option("softcap", "Replaces a score s by C tanh(s/C).", "C"),
        click.option("--alibi", is_flag=True, help="Subtracts slope times distance."),
        _choice("rotary", ("interleaved", "halves"), "Rotary positions on queries and keys."),
        _option("rotary-base", "Base of the rotary angles.", "B", default="10000"),
        _choice("masked-row", ("error", "zero", "mean", "nan"), "What a row without any allowed key becomes.", default="error"),
        _option("algorithm", "plain, shifted, online, log-domain, deferred, prescaled.", "NAME", default="plain"),
        _option("blocks", 'Blocks of keys of the online algorithm, in order: "2,2".', "SIZES"),
        _choice("masking", ("skip", "additive"), "Skip what is masked, or add a number to it as libraries do.", default="skip"),
        _option("masked-value", "What additive masking adds.", "M", default="-inf"),
    )


def shown_options(function: Any) -> Any:
    """Adds what says which numbers and stages are shown, and how."""
    return _added(
        function,
        _option(
            "numbers",
            "Comma-separated: exact, balls (proven digits), multiprec, float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2.",
            "LIST",
            default="exact,balls,float64",
        ),
        _option("digits", "Significant digits, each proven.", "N", type=click.IntRange(1, 4000), default=30),
        click.option(
            "--stage", "stages", multiple=True, metavar="NAME", help="A stage to show, by name or letter; again for more; all for all."
        ),
        _choice("order", ("sequential", "pairwise", "blas"), "In which order floats are summed.", default="sequential"),
        click.option("--binary", is_flag=True, help="Floats of .npz files are meant as the binary fractions they are."),
        click.option(
            "--to",
            "form",
            type=click.Choice(["text", "latex", "json"]),
            default="text",
            show_default=True,
            help="latex is a page with every step written out.",
        ),
        click.option("-o", "--output", type=click.Path(path_type=Path), metavar="PATH", help="Write to this file, not the terminal."),
        _choice("lang", ("es", "en"), "Language of the LaTeX page.", default="en"),
        _choice("paper", ("a4", "letter"), "Paper of the LaTeX page.", default="a4"),
        click.option("--blank", is_flag=True, help="LaTeX for students: results are boxes, the key is at the end."),
    )


def _added(function: Any, *options: Callable[[Any], Any]) -> Any:
    for option in reversed(options):
        function = option(function)
    return function


def _option(name: str, text: str, metavar: str, **more: Any) -> Callable[[Any], Any]:
    return click.option(f"--{name}", metavar=metavar, help=text, show_default="default" in more, **more)


def _choice(name: str, values: Sequence[str], text: str, default: str | None = None) -> Callable[[Any], Any]:
    return click.option(f"--{name}", type=click.Choice(list(values)), default=default, show_default=default is not None, help=text)
