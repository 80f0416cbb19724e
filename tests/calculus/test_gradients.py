"""Every attention and a dozen other programs: forward mode against dual numbers, reverse mode against forward mode, every cotangent proved.

In free residues (free_numbers.py) everything can be computed, and what agrees agrees exactly; rationals with exponentials check the same
again for what stays in them. There is no tolerance in this file.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction as F
from math import prod
from typing import Any

import pytest
from free_numbers import FREE, PRIME, compare, random_tensor
from gradient_cases import CASES, COMPUTED, KEPT_MAXIMA, SIZES, TEXT_SIZES, TEXTS, Case, is_mask, stacked

from symattn.calculus.adjoint import certify
from symattn.calculus.dual import directional, dual_table, read_dual
from symattn.calculus.gradient import Gradient
from symattn.calculus.reverse import reverse
from symattn.interp.run import run
from symattn.interp.tensor import Tensor
from symattn.program.graph import cut
from symattn.program.ops import Input, Reduce
from symattn.program.program import Program
from symattn.program.tangent import tangent

DUAL = dual_table(FREE, compare)


def shape(program: Program, name: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(a.space.extent(dict(sizes)) for a in program.by_name[name].out)


def dot(a: Tensor[Any], b: Tensor[Any]) -> Any:
    return sum(x * y for x, y in zip(a.entries, b.entries, strict=True))


def free_feeds(program: Program, sizes: Mapping[str, int], masks: Mapping[str, Tensor[Any]], rng: random.Random) -> dict[str, Tensor[Any]]:
    return {s.name: masks[s.name] if is_mask(s) else random_tensor(shape(program, s.name, sizes), rng) for s in program.inputs}


def agrees_in_free_residues(
    program: Program, of: str, wrt: Sequence[str], sizes: Mapping[str, int], masks: Mapping[str, Tensor[Any]], *, forward: bool = True
) -> Gradient:
    rng = random.Random(7)
    gradient = reverse(program, of, list(wrt))
    feeds = free_feeds(gradient.program, sizes, masks, rng)
    values = run(gradient.program, feeds, FREE, sizes)
    upstream = feeds[gradient.upstream] if gradient.upstream else Tensor((), [1])
    original = {name: tensor for name, tensor in feeds.items() if name in program.by_name}
    checked = 0
    for name in wrt:
        direction = random_tensor(shape(program, name, sizes), rng)
        slopes = []
        if isinstance(program.by_name[name].op, Input):
            slopes.append(read_dual(program, original, {name: direction}, DUAL, 0, sizes)[of][1])
        if forward:
            moved = tangent(program, of, {name: "direction"})
            slopes.append(run(moved.program, {**original, "direction": direction}, FREE, sizes)[moved.name])
        assert all(list(s.entries) == list(slopes[0].entries) for s in slopes)
        if slopes:
            assert dot(upstream, slopes[0]) % PRIME == dot(values[gradient.names[name]], direction) % PRIME, name
            checked += 1
    assert checked
    return gradient


@pytest.mark.parametrize("name", CASES)
def test_attention_in_free_residues_and_proved(name: str) -> None:
    case = CASES[name]
    program = case.program()
    wrt = [*case.inputs, *(c for c in COMPUTED if c in program.by_name)]
    # The tangent of a running maximum is 0/0 where a block adds nothing to it: the two sides of its max are one number there.
    tied = case.algorithm == "online" and any(case.options.get(key) for key in ("mask",))
    sizes = {
        **SIZES,
        "n": sum(case.lowering.get("blocks", (3,))) if all(isinstance(b, int) for b in case.lowering.get("blocks", (3,))) else 3,
    }
    gradient = agrees_in_free_residues(program, "output", wrt, sizes, case.masks, forward=not tied)
    certificates = certify(gradient)
    assert len(certificates) == len(gradient.obligations) >= len(gradient.cotangents) - 1
    assert all(c.evidence.kind == "proved-all-sizes" for c in certificates)
    if name not in KEPT_MAXIMA:
        assert gradient.hypotheses == ()
        assert not any(isinstance(s.op, Reduce) for s in gradient.program.stages[len(program.stages) :])


@pytest.mark.parametrize("name", TEXTS)
def test_programs_from_text_in_free_residues_and_proved(name: str) -> None:
    program, of, wrt = TEXTS[name]
    gradient = agrees_in_free_residues(program, of, wrt, TEXT_SIZES, {})
    assert len(certify(gradient)) == len(gradient.obligations)


def exact_point(program: Program, sizes: Mapping[str, int], seed: int) -> dict[str, Any]:
    rng = random.Random(seed)

    def entry() -> F:
        return F(rng.choice([-5, -3, -2, -1, 1, 2, 3, 4]), rng.choice([1, 2, 3, 5, 7]))

    found: dict[str, Any] = {}
    for stage in program.inputs:
        size = shape(program, stage.name, sizes)
        entries = [rng.random() < 0.8 if is_mask(stage) else entry() for _ in range(prod(size))]
        if is_mask(stage):
            entries[-1] = True
        found[stage.name] = Tensor(size, entries).nested() if size else entries[0]
    return found


EXACT_CASES = [
    *(f"plain: {v}" for v in ("bare", "causal", "padding", "heads, W_O", "multi-query", "bias", "alibi", "sink", "cross", "Q, K, V")),
    *(f"{a}: {v}" for a in ("shifted", "log-domain", "deferred", "prescaled") for v in ("bare", "causal", "sink")),
    *(f"online in {b}: {v}" for b in ("2 + 1", "1 + 1 + 1") for v in ("bare", "causal", "sink")),
]


def agrees_exactly(program: Program, of: str, wrt: Sequence[str], sizes: Mapping[str, int], *, forward: bool = True) -> None:
    gradient = reverse(program, of, list(wrt))
    point = exact_point(gradient.program, sizes, 11)
    upstream: Tensor[Any] = Tensor((), [1])
    if gradient.upstream:
        # One entry at a time: equality of sums over several rows of weights, with as many denominators, may stay undecided.
        size = shape(program, of, sizes)
        upstream = Tensor(size, [F(5 * (k == prod(size) // 2)) for k in range(prod(size))])
        point[gradient.upstream] = upstream
    values = gradient.program.evaluate(point, sizes=dict(sizes))
    own = {name: value for name, value in point.items() if name in program.by_name}
    # One direction in all variables together: the sum of what each contributes.
    directions = {name: value for name, value in exact_point(program, sizes, 12).items() if name in wrt}
    moved = directional(program, own, directions, sizes=sizes)[of][1]
    if forward:
        found = tangent(program, of, {name: f"v_{name}" for name in wrt})
        feeds = {**own, **{f"v_{name}": value for name, value in directions.items()}}
        assert all(a == b for a, b in zip(found.program.evaluate(feeds, sizes=dict(sizes))[found.name].entries, moved.entries, strict=True))
    right: Any = 0
    for name in wrt:
        direction = directions[name]
        flat = [direction] if not isinstance(direction, list) else _flat(direction)
        right = sum((x * d for x, d in zip(values[gradient.names[name]].entries, flat, strict=True)), right)
    assert dot(upstream, moved) == right


def _flat(nested: Any) -> list[Any]:
    return [y for x in nested for y in (_flat(x) if isinstance(x, list) else [x])]


@pytest.mark.parametrize("name", EXACT_CASES)
def test_attention_in_rationals_and_exponentials(name: str) -> None:
    case = CASES[name]
    sizes = {**SIZES, "n": 3 if case.algorithm == "online" else 2, "m": 2, "d_k": 1, "d_v": 1, "d_model": 1}
    agrees_exactly(case.program(), "output", case.inputs, sizes, forward=not (case.algorithm == "online" and "causal" in name))


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_rotary_in_rationals_with_free_angles(layout: str) -> None:
    """Cosines and sines of angles are no exact numbers, so they are any rational numbers here; they do not move."""
    program = Case({"rotary": layout}).program()
    angles = dict.fromkeys(("query_cosines", "query_sines", "key_cosines", "key_sines"), ())
    agrees_exactly(cut(program.by_name, ["output"], angles), "output", ("X", "W_Q", "W_K", "W_V"), {**SIZES, "n": 2, "d_k": 2})


def test_a_soft_cap_in_rationals_step_by_step() -> None:
    """exp(5 tanh(s / 5)) is no exact number, so the two sides of the cap are checked apart."""
    program = Case({"softcap": 5}).program()
    agrees_exactly(cut(program.by_name, ["output"], {"squashed": ()}), "output", ("squashed", "W_V"), {**SIZES, "n": 2})
    agrees_exactly(cut(program.by_name, ["capped"], {}), "capped", ("X", "W_Q", "W_K"), {**SIZES, "n": 2, "d_k": 1})


EXACT_TEXTS = [name for name in TEXTS if name not in ("RMSNorm", "LayerNorm", "angles", "powers", "log-sum-exp", "cross-entropy", "SwiGLU")]


@pytest.mark.parametrize("name", EXACT_TEXTS)
def test_programs_from_text_in_rationals_and_exponentials(name: str) -> None:
    program, of, wrt = TEXTS[name]
    agrees_exactly(program, of, wrt, {**TEXT_SIZES, "d_k": 1, "m": 2})


def test_a_planted_slip_is_seen_on_every_road() -> None:
    """The same checks on a gradient whose dP has lost its transposition of V's place: all of them notice."""
    from dataclasses import replace

    from symattn.program.ops import Contract
    from symattn.program.program import Stage
    from symattn.program.scalar import Num
    from symattn.proof.evidence import StepRejected

    program = CASES["plain: bare"].program()
    gradient = reverse(program, "output", ["W_Q"])
    wrong = gradient.program.by_name["dP"].op
    assert isinstance(wrong, Contract)
    stages = [Stage("dP", replace(wrong, coef=Num(F(2)))) if s.name == "dP" else s for s in gradient.program.stages]
    slipped = replace(gradient, program=Program(tuple(stages), gradient.program.output))
    with pytest.raises(StepRejected, match="counterexample"):
        certify(slipped)
    rng = random.Random(3)
    feeds = free_feeds(gradient.program, SIZES, {}, rng)
    direction = random_tensor((2, 2), rng)
    own = {name: feeds[name] for name in feeds if name in program.by_name}
    moved = read_dual(program, own, {"W_Q": direction}, DUAL, 0, SIZES)["output"][1]
    for candidate, right in ((gradient, True), (slipped, False)):
        found = run(candidate.program, feeds, FREE, SIZES)["dW_Q"]
        assert (dot(found, direction) % PRIME == dot(feeds["dO"], moved) % PRIME) is right


# -- depth -----------------------------------------------------------------------------------------------------------------------------
def test_stacked_layers() -> None:
    program = stacked(3)
    wrt = ["X0", *(f"W_{w}{k}" for k in (1, 2, 3) for w in "QKV")]
    gradient = agrees_in_free_residues(program, "X3", wrt, {"n": 2, "d": 2, "d_k": 2}, {}, forward=False)
    assert len(certify(gradient)) == len(gradient.obligations)


def test_size_grows_with_the_number_of_stages() -> None:
    counts = []
    for layers in (1, 2, 3, 6):
        program = stacked(layers)
        gradient = reverse(program, f"X{layers}", ["X0", *(f"W_{w}{k}" for k in range(1, layers + 1) for w in "QKV")])
        counts.append((len(gradient.program.stages) - len(program.stages), len(gradient.obligations)))
    (a, b), (a2, b2), (a3, b3), (a6, b6) = counts
    assert a3 - a2 == a2 - a == (a6 - a3) // 3
    assert b3 - b2 == b2 - b == (b6 - b3) // 3
    assert a < 25
