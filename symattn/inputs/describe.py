"""From what is given to the attention that it describes: self or cross, masked by what, with which extras.

Promises: what is given is used (a mask of one's own, a bias, a sink, another sequence), nothing is left aside in silence.
Does not promise: that shapes fit each other (interp/sizes.py says).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symattn.errors import InputError
from symattn.inputs.given import Given
from symattn.interp.tensor import Tensor
from symattn.program.attention import Attention

_MASKS = {"array": "allowed", "padding": "allowed_keys"}


def describe(given: Mapping[str, Given], options: Mapping[str, Any]) -> tuple[Attention, dict[str, Tensor[Any]]]:
    """The attention of these inputs, and its feeds. `options` are arguments of `Attention` that no input decides: heads, kv_heads,
    mask, window, query_offset, scale, softcap, alibi, rotary, rotary_base, masked_row. Raises InputError, ProgramError."""
    feeds = {name: g.tensor for name, g in given.items()}
    for name in ("sink", "slopes"):
        if options.get("heads", 1) == 1 and name in feeds and feeds[name].shape == (1,):
            feeds[name] = Tensor((), feeds[name].entries)
    own = {"mask": _mask(feeds, options.get("mask")), "alibi": options.get("alibi", False) or "slopes" in feeds}
    attention = Attention(
        inputs="qkv" if "Q" in feeds else "weights",
        cross=_is_cross(feeds) or options.get("query_offset") not in (None, 0),
        bias="per-head" if "bias" in feeds and len(feeds["bias"].shape) == 3 else "bias" in feeds,
        sink="sink" in feeds,
        output_projection="W_O" in feeds,
        **{**options, **own},
    )
    return attention, feeds


def stated_sizes(attention: Attention, feeds: Mapping[str, Tensor[Any]]) -> dict[str, int]:
    """How many queries and keys there are, where they are two sequences: what a program that compares positions needs to know."""
    if not attention.cross:
        return {}
    queries, keys = ("Q", "K") if attention.inputs == "qkv" else ("X", "Y")
    return {size: feeds[name].shape[0] for size, name in (("n", queries), ("m", keys)) if name in feeds}


def _is_cross(feeds: Mapping[str, Tensor[Any]]) -> bool:
    return "Y" in feeds or ("Q" in feeds and "K" in feeds and feeds["Q"].shape[0] != feeds["K"].shape[0])


def _mask(feeds: Mapping[str, Tensor[Any]], mask: str | None) -> str | None:
    rules = [rule.strip() for rule in mask.split("+")] if mask is not None else []
    for rule, name in _MASKS.items():
        if name in feeds and rule not in rules:
            rules.append(rule)
        elif rule in rules and name not in feeds:
            raise InputError(f'the mask is "{rule}", but "{name}" is not given', next_move=f'give "{name}" in the file or by its option')
    return "+".join(rules) if rules else None
