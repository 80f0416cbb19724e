"""Every attention there is, with the stages that it is differentiated by, and sizes to compute it at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from symattn.interp.tensor import Tensor
from symattn.language.builder import AxisDecl, Builder
from symattn.program.attention import Attention
from symattn.program.ops import Input
from symattn.program.program import Program, Stage

SIZES = {"n": 3, "m": 4, "d_model": 2, "d_k": 2, "d_v": 2, "pairs": 1, "h": 2, "b1": 2, "b2": 1}
WEIGHTS = ("X", "W_Q", "W_K", "W_V")
COMPUTED = ("queries", "values", "scores", "scaled", "masked", "weights")
MASKS = {
    "allowed_keys": Tensor((3,), [True, False, True]),
    "allowed": Tensor((3, 3), [True, False, True, True, True, False, False, False, True]),
}


@dataclass(frozen=True)
class Case:
    """`options` of Attention(...), `algorithm`, `lowering` options, and the inputs differentiated by."""

    options: Mapping[str, Any] = field(default_factory=dict)
    inputs: tuple[str, ...] = WEIGHTS
    algorithm: str = "plain"
    lowering: Mapping[str, Any] = field(default_factory=dict)
    masks: Mapping[str, Tensor[Any]] = field(default_factory=lambda: MASKS)

    def program(self) -> Program:
        return Attention(**self.options).program(self.algorithm, **self.lowering)


NOBODY = {**MASKS, "allowed_keys": Tensor((3,), [False, False, False])}
_VARIANTS: dict[str, Case] = {
    "bare": Case(),
    "causal": Case({"mask": "causal"}),
    "window": Case({"mask": "window", "window": 2}),
    "padding": Case({"mask": "padding"}),
    "padding, rows of zeros": Case({"mask": "padding", "masked_row": "zero"}, masks=NOBODY),
    "padding, rows of means": Case({"mask": "causal+padding", "masked_row": "mean"}, masks=NOBODY),
    "a mask of one's own": Case({"mask": "array"}),
    "heads": Case({"heads": 2}),
    "heads, W_O": Case({"heads": "h", "output_projection": True}, (*WEIGHTS, "W_O")),
    "grouped, W_O": Case({"heads": 4, "kv_heads": 2, "output_projection": True}, (*WEIGHTS, "W_O")),
    "multi-query": Case({"heads": 2, "kv_heads": 1}),
    "bias": Case({"bias": True}, (*WEIGHTS, "bias")),
    "bias per head": Case({"heads": 2, "bias": "per-head"}, (*WEIGHTS, "bias")),
    "alibi, causal": Case({"alibi": True, "heads": 2, "mask": "causal"}, (*WEIGHTS, "slopes")),
    "alibi": Case({"alibi": True}, (*WEIGHTS, "slopes")),
    "rotary": Case({"rotary": "interleaved"}),
    "rotary, halves": Case({"rotary": "halves", "heads": 2, "mask": "causal"}),
    "soft-cap": Case({"softcap": 5}),
    "sink": Case({"sink": True}, (*WEIGHTS, "sink")),
    "sink, groups, causal": Case({"sink": True, "heads": 4, "kv_heads": 2, "mask": "causal"}, (*WEIGHTS, "sink")),
    "divided by d_k": Case({"scale": "1/d_k"}),
    "not scaled": Case({"scale": 1}),
    "scale given": Case({"scale": "input", "heads": 2}, (*WEIGHTS, "scale")),
    "cross": Case({"cross": True}, (*WEIGHTS, "Y")),
    "cross, causal": Case({"cross": True, "mask": "causal", "query_offset": 1}, (*WEIGHTS, "Y")),
    "Q, K, V": Case({"inputs": "qkv", "cross": True, "heads": 2}, ("Q", "K", "V")),
}
_ONLINE: dict[str, Case] = {
    "bare": Case(),
    "causal": Case({"mask": "causal"}),
    "window": Case({"mask": "window", "window": 1}),
    "padding": Case({"mask": "padding"}),
    "sink": Case({"sink": True}, (*WEIGHTS, "sink")),
    "heads, sink, causal": Case({"heads": 2, "sink": True, "mask": "causal", "output_projection": True}, (*WEIGHTS, "sink", "W_O")),
}
BLOCKS = {"2 + 1": (2, 1), "b1 + b2": ("b1", "b2"), "1 + 1 + 1": (1, 1, 1)}


def _all() -> dict[str, Case]:
    found = {}
    for algorithm in ("plain", "shifted", "log-domain", "deferred", "prescaled"):
        for name, case in _VARIANTS.items():
            found[f"{algorithm}: {name}"] = Case(case.options, case.inputs, algorithm, masks=case.masks)
    for name, case in _ONLINE.items():
        for text, blocks in BLOCKS.items():
            if not (isinstance(blocks[0], str) and ("causal" in name or "window" in name)):
                found[f"online in {text}: {name}"] = Case(case.options, case.inputs, "online", {"blocks": blocks})
    return found


CASES = _all()
# Over these the gradient of the row maximum is 0 only because a row without keys has no terms, which the proof does not see: the derivative
# of the maximum stays, with its hypothesis.
KEPT_MAXIMA = {f"log-domain: padding, rows of {what}" for what in ("zeros", "means")}


def language(givens: Mapping[str, tuple[str, ...]], **definitions: str) -> Program:
    """A program from text: givens by their axes, then definitions in order."""
    builder = Builder()
    for name, axes in givens.items():
        builder.give(name, [AxisDecl(axis, axis) for axis in axes])
    for name, text in definitions.items():
        builder.define(name, text)
    return builder.program()


TEXTS: dict[str, tuple[Program, str, tuple[str, ...]]] = {
    "softmax": (language({"s": ("n",)}, p="softmax(s)"), "p", ("s",)),
    "log-sum-exp": (language({"s": ("n",)}, E="exp(s)", Z="sum(E)", L="log(Z)"), "L", ("s",)),
    "cross-entropy": (
        language({"s": ("n",), "y": ("n",)}, E="exp(s)", Z="sum(E)", L="log(Z)", loss="sum(y * (L - s))"),
        "loss",
        ("s", "y"),
    ),
    "attention": (
        language({"Q": ("n", "d_k"), "K": ("m", "d_k"), "V": ("m", "d_v")}, O="softmax(Q @ K.T / sqrt(d_k)) @ V"),
        "O",
        ("Q", "K", "V"),
    ),
    "scale": (
        language({"Q": ("n", "d_k"), "K": ("m", "d_k"), "V": ("m", "d_v"), "c": ()}, S="Q @ K.T", T="c * S", O="softmax(T) @ V"),
        "O",
        ("c", "Q"),
    ),
    "RMSNorm": (
        language({"X": ("n", "d"), "g": ("d",)}, v="mean(X * X)", r="(v + 1/100) ** (-1/2)", Y="X * r * g"),
        "Y",
        ("X", "g"),
    ),
    "LayerNorm": (
        language({"X": ("n", "d"), "g": ("d",), "b": ("d",)}, mu="mean(X)", C="X - mu", v="mean(C * C)", s="sqrt(v)", Y="C / s * g + b"),
        "Y",
        ("X", "g", "b"),
    ),
    "SwiGLU": (
        language({"x": ("d",), "W": ("d", "f"), "U": ("d", "f"), "D": ("f", "d")}, a="x @ W", u="x @ U", h="a * sigmoid(a) * u", y="h @ D"),
        "y",
        ("x", "W", "U", "D"),
    ),
    "LoRA": (
        language({"x": ("d",), "W": ("d", "e"), "A": ("d", "r"), "B": ("r", "e")}, y="x @ W + x @ A @ B"),
        "y",
        ("x", "W", "A", "B"),
    ),
    "linear attention": (
        language(
            {"Q": ("n", "d"), "K": ("n", "d"), "V": ("n", "e")},
            F="exp(Q)",
            G="exp(K)",
            H="G.T @ V",
            z="sum(G, axis=0)",
            O="F @ H / (F @ z)",
        ),
        "O",
        ("Q", "K", "V"),
    ),
    "ReLU": (language({"x": ("n",), "W": ("n", "f"), "w": ("f",)}, h="relu(x @ W)", y="h @ w"), "y", ("x", "W", "w")),
    "absolute values": (language({"x": ("n",)}, y="sum(abs(x) * x)"), "y", ("x",)),
    "largest": (language({"X": ("n", "d")}, m="max(X)", y="sum(m * m)"), "y", ("X",)),
    "trace of a power": (language({"A": ("n", "n")}, B="A @ A", y="sum(sum(B * A.T))"), "y", ("A",)),
    "angles": (language({"x": ("n",)}, y="cos(x) * sin(x) + tanh(x)"), "y", ("x",)),
    "powers": (language({"x": ("n",)}, y="(x**2 + 3)**(3/2) / x**3"), "y", ("x",)),
    "bilinear, entries": (language({"A": ("n", "n"), "B": ("n", "n")}, y="A[0,0] * B[1,0] + dot(A[0], B[:,1])"), "y", ("A", "B")),
    "outer, diagonal": (language({"x": ("n",), "y": ("n",)}, M="outer(x, y) @ diag(x)", z="M @ x"), "z", ("x", "y")),
}
TEXT_SIZES = {"n": 2, "m": 3, "d": 2, "d_k": 2, "d_v": 2, "e": 3, "f": 2, "r": 1}


def stacked(layers: int) -> Program:
    """Attention with residual connections, `layers` times."""
    givens: dict[str, tuple[str, ...]] = {"X0": ("n", "d")}
    definitions = {}
    for k in range(1, layers + 1):
        givens |= {f"W_Q{k}": ("d", "d_k"), f"W_K{k}": ("d", "d_k"), f"W_V{k}": ("d", "d")}
        definitions |= {
            f"Q{k}": f"X{k - 1} @ W_Q{k}",
            f"K{k}": f"X{k - 1} @ W_K{k}",
            f"V{k}": f"X{k - 1} @ W_V{k}",
            f"S{k}": f"Q{k} @ K{k}.T / sqrt(d_k)",
            f"P{k}": f"softmax(S{k})",
            f"O{k}": f"P{k} @ V{k}",
            f"X{k}": f"X{k - 1} + O{k}",
        }
    return language(givens, **definitions)


def is_mask(stage: Stage) -> bool:
    return isinstance(stage.op, Input) and stage.op.boolean
