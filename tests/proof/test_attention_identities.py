"""Whole attentions: algorithms, blocks, heads and masks are the same function for all sizes; a changed one is refuted."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import over, program, together

from symattn.program.attention import Attention
from symattn.program.program import Program
from symattn.proof.evidence import StepRejected, Undecided
from symattn.proof.kernel import prove_equal

OUT = "output@0", "output@1", "output@2"
VISITS = "row_sums@1: every entry visits something"


def same_function(one: Program, other: Program, wrong: Program) -> tuple[str, ...]:
    whole = together(one, other, wrong)
    with pytest.raises(StepRejected, match="counterexample"):
        prove_equal(whole, OUT[0], OUT[2])
    return tuple(prove_equal(whole, OUT[0], OUT[1]).hypotheses)


def online(blocks: tuple[int | str, ...], **options: Any) -> tuple[str, ...]:
    """Blocks of keys against all keys at once, on the same union of blocks."""
    chosen = Attention(inputs="qkv", cross=True, **options)
    by_blocks = chosen.program("online", blocks=blocks)
    keys = next(a.space for s in by_blocks.stages for a in s.out if a.name == "key")
    plain = over(chosen.program(), "key", keys)
    scaled = over(Attention(inputs="qkv", cross=True, **{**options, "scale": "1/d_k"}).program(), "key", keys)
    return same_function(by_blocks, plain, scaled)


@pytest.mark.parametrize("blocks", [("a", "b"), ("a", "b", "c"), ("a", 1, "b", "c")])
def test_online_softmax_is_softmax_for_blocks_of_any_sizes(blocks: tuple[int | str, ...]) -> None:
    assert online(blocks) == ()


def test_online_with_a_sink() -> None:
    assert online(("a", "b"), sink=True) == ()


def test_online_with_padding_needs_rows_that_are_not_empty() -> None:
    found = online(("a", "b"), mask="padding")
    assert "row_sums@0 != 0" in found
    assert VISITS in found


@pytest.mark.parametrize(("blocks", "offset"), [((2, 1, 2), 0), ((2, 2), 1)])
def test_online_causal_with_blocks_of_stated_sizes(blocks: tuple[int, ...], offset: int) -> None:
    online(blocks, mask="causal", query_offset=offset)


VARIANTS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"heads": "h", "output_projection": True}, {"heads": "h", "output_projection": True, "mask": "causal"}, "shifted"),
    ({"heads": "h", "mask": "causal", "output_projection": True}, {"heads": "h", "output_projection": True}, "deferred"),
    ({"heads": 2}, {"heads": 2, "scale": 1}, "deferred"),
    ({"heads": 4, "kv_heads": 2}, {"heads": 4, "kv_heads": 2, "scale": 1}, "log-domain"),
    ({"heads": "h", "kv_heads": 1}, {"heads": "h", "kv_heads": 1, "scale": 1}, "shifted"),
    ({"rotary": "interleaved"}, {"rotary": "interleaved", "scale": 1}, "shifted"),
    ({"rotary": "halves"}, {"rotary": "halves", "scale": 1}, "deferred"),
    ({"alibi": True, "heads": 2}, {"alibi": True, "heads": 2, "scale": 1}, "shifted"),
    ({"mask": "window", "window": 3, "bias": True}, {"mask": "causal", "bias": True}, "deferred"),
    ({"softcap": 30, "sink": True}, {"softcap": 30}, "shifted"),
    ({"mask": "padding"}, {}, "shifted"),
    ({"mask": "array"}, {"mask": "causal"}, "deferred"),
]


@pytest.mark.parametrize(("options", "changed", "algorithm"), VARIANTS, ids=str)
def test_algorithms_are_one_function(options: dict[str, Any], changed: dict[str, Any], algorithm: str) -> None:
    hypotheses = same_function(Attention(**options).program(algorithm), Attention(**options).program(), Attention(**changed).program())
    masked = options.get("mask") in ("padding", "array")
    assert bool(hypotheses) == masked
    assert all("every entry visits something" in h or h.endswith("!= 0") for h in hypotheses)


def test_numbers_in_place_of_minus_infinity_are_another_function() -> None:
    """-10000 is not a mask: the difference is below what a sample sees, so the statement is left undecided, never proved."""
    causal = Attention(inputs="qkv", mask="causal")
    whole = together(causal.program(), causal.program(masking="additive", masked_value=-10_000))
    with pytest.raises(Undecided):
        prove_equal(whole, "output@0", "output@1")
    small = together(causal.program(), causal.program(masking="additive", masked_value=-3))
    with pytest.raises(StepRejected):
        prove_equal(small, "output@0", "output@1")


def test_the_last_row_of_causal_attention_is_attention_of_the_last_query() -> None:
    p = program({"Q": "n,d", "K": "n,d", "V": "n,e"}, causal='attention(Q, K, V, mask="causal")', all="attention(Q, K, V)", first="V[0]")
    with pytest.raises(StepRejected):
        prove_equal(p, "causal", "all")
    p = program(
        {"Q": "n,d", "K": "n,d", "V": "n,e"}, causal='attention(Q, K, V, mask="causal")', row="causal[0]", first="V[0]", second="V[1]"
    )
    assert prove_equal(p, "row", "first").hypotheses == ()
    with pytest.raises(StepRejected):
        prove_equal(p, "row", "second")
