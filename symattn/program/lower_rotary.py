"""Rotary positions: each pair of features turned by an angle that grows with the position.

For pair p of d_k features, the angle of position t is t * base**(-2p/d_k), and (x, y) becomes
(x cos - y sin, x sin + y cos). `interleaved` pairs the features 2p and 2p+1, `halves` pairs p and p + d_k/2.
Source: Su et al. 2021, "RoFormer", section 3.2 (interleaved); the other layout is a fixed permutation of the features.

Promises: scores after it depend on positions only through their difference. Does not promise: the same numbers for both layouts.
"""

from __future__ import annotations

from fractions import Fraction

from symattn.program.lower_draft import Axes, Draft, add, apply, arg, div, mul, num, sub
from symattn.program.ops import Joint, Paired, Position, Same
from symattn.program.spaces import Axis


def rotate(draft: Draft, axes: Axes, queries: str, keys: str, *, layout: str, base: Fraction, offset: int) -> tuple[str, str]:
    """`rotated_queries` and `rotated_keys`. Stages: `frequencies` (pair), `query_angles` (token, pair), `query_rotation` (token,
    pair, side, turn): entry (side, turn) of the 2 x 2 matrix that turns the pair; `key_…` are those of the keys."""
    assert axes.pair is not None
    assert axes.side is not None
    pair, side = axes.pair, axes.side
    turn = Axis("turn", side.space)
    draft.add("pair_positions", Position((pair,)))
    rate = div(mul(num(2), apply("log", num(base))), axes.d_k)
    draft.map("log_frequencies", (pair,), apply("neg", mul(arg("pair_positions"), rate)), ["pair_positions"])
    draft.map("frequencies", (pair,), apply("exp", arg("log_frequencies")), ["log_frequencies"])
    draft.add("side_positions", Position((side,)))
    draft.add("turn_positions", Position((turn,)))
    draft.map("sine_signs", (side, turn), sub(arg("side_positions"), arg("turn_positions")), ["side_positions", "turn_positions"])

    def turned(stage: str, name: str, row: Axis, shift: int) -> str:
        positions = draft.positions(name, row, shift)
        draft.contract(f"{name}_angles", (row, pair), (positions, "frequencies"))
        draft.map(f"{name}_cosines", (row, pair), apply("cos", arg(f"{name}_angles")), [f"{name}_angles"])
        draft.map(f"{name}_sines", (row, pair), apply("sin", arg(f"{name}_angles")), [f"{name}_angles"])
        full = (row, pair, side, turn)
        draft.contract(f"{name}_diagonal", full, (f"{name}_cosines",), (Same(side, turn),))
        draft.contract(f"{name}_crossed", full, (f"{name}_sines", "sine_signs"))
        parts = [f"{name}_diagonal", f"{name}_crossed"]
        draft.map(f"{name}_rotation", full, add(arg(parts[0]), arg(parts[1])), parts)
        lead = draft.axes(stage)[:-2]
        split = (pair, side) if layout == "interleaved" else (side, pair)
        before = tuple(turn if a is side else a for a in split)
        whose = "queries" if name == "query" else "keys"
        return draft.contract(
            f"rotated_{whose}",
            (*lead, row, axes.feature),
            (f"{name}_rotation", draft.use(stage, {axes.feature: Joint(axes.feature.space, before)})),
            (Paired(axes.feature, split),),
        )

    return turned(queries, "query", axes.token, offset), turned(keys, "key", axes.key, 0)
