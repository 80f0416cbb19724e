"""Arb and mpmath agree on every digit of every stage; a slip of the last digit in either road is seen; each road loads only its own."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction as F
from math import prod
from pathlib import Path
from typing import Any

import pytest
from attentions import attention, functions, matrix, small_feeds, soft_cap, vector

from symattn.interp import balls, multiprec
from symattn.interp.agree import disagreements
from symattn.interp.evaluate import evaluate
from symattn.interp.quantities import quantities
from symattn.interp.run import Table
from symattn.interp.tensor import Tensor
from symattn.program.attention import Attention
from symattn.program.program import Program

DIGITS = 40
MORE = 6  # both roads carry a few digits beyond those compared
CHANCE = random.Random(20)


def decimals(rows: int, columns: int) -> list[list[str]]:
    return [[f"{CHANCE.randint(-2500, 2500) / 1000:.3f}" for _ in range(columns)] for _ in range(rows)]


def drawn(program: Program) -> dict[str, Tensor[Any]]:
    """Decimals for every input of a program whose sizes are numbers."""
    feeds = {}
    for stage in program.inputs:
        shape = tuple(axis.space.extent({}) for axis in stage.out)
        feeds[stage.name] = Tensor(shape, [F(CHANCE.randint(-2500, 2500), 1000) for _ in range(prod(shape))])
    return feeds


def described(algorithm: str = "plain", *, blocks: tuple[int, ...] = (), **options: Any) -> tuple[Program, dict[str, Any]]:
    program = Attention(**options).program(algorithm, blocks=blocks, n=4, d_model=4, d_k=2, d_v=3)
    return program, drawn(program)


CASES: dict[str, tuple[Program, Mapping[str, Any]]] = {
    "plain": (attention(), small_feeds()),
    "causal and shifted": (attention(causal=True, shifted=True), small_feeds()),
    "every function": (functions(), {"x": vector(["0.3", "1.7", "25"])}),
    "soft-cap": (soft_cap(), {"x": vector(["-3", "0.01", "40"])}),
    "large scores": (attention(shifted=True), {"Q": matrix([[40, 0]]), "K": matrix([[30, 1], [-30, 5]]), "V": matrix([["0.7"], ["-1e6"]])}),
    "self": described(),
    "causal with soft-cap": described(mask="causal", softcap="5"),
    "heads, groups, slopes, a sink": described(heads=4, kv_heads=2, mask="causal", alibi=True, sink=True, output_projection=True),
    "window, bias, log-domain": described("log-domain", heads=2, mask="causal", window=2, bias="per-head"),
}


def road(numbers: str, program: Program, feeds: Mapping[str, Any]) -> Mapping[str, Tensor[Any]]:
    return evaluate(program, feeds, numbers=numbers, digits=DIGITS + MORE)


@pytest.mark.parametrize("name", list(CASES))
def test_every_stage_agrees(name: str) -> None:
    program, feeds = CASES[name]
    assert disagreements(road("balls", program, feeds), road("multiprec", program, feeds), DIGITS) == []


@pytest.mark.parametrize("algorithm", ["plain", "shifted", "online", "log-domain", "deferred", "prescaled"])
def test_every_algorithm_agrees(algorithm: str) -> None:
    program, feeds = described(algorithm, blocks=(1, 3) if algorithm == "online" else (), mask="causal")
    assert disagreements(road("balls", program, feeds), road("multiprec", program, feeds), DIGITS) == []


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_rotary_agrees(layout: str) -> None:
    program, feeds = described(rotary=layout, mask="causal")
    assert disagreements(road("balls", program, feeds), road("multiprec", program, feeds), DIGITS) == []


def test_quantities_agree_with_mpmath() -> None:
    """The road of the worksheets: exact numbers where they reach, balls beyond."""
    for name in ("causal and shifted", "every function", "soft-cap"):
        program, feeds = CASES[name]
        q = quantities(program, feeds)
        stages = {stage.name: q.tensor(stage.name) for stage in program.stages}
        assert disagreements(stages, road("multiprec", program, feeds), DIGITS) == []


def test_large_programs() -> None:
    n, d = 12, 5
    feeds = {"Q": matrix(decimals(n, d)), "K": matrix(decimals(n, d)), "V": matrix(decimals(n, 3))}
    assert disagreements(road("balls", attention(causal=True), feeds), road("multiprec", attention(causal=True), feeds), DIGITS) == []


# -- planted slips ---------------------------------------------------------------------------------------------------------
def slipped(table: Table, op: str, size: F) -> Table:
    """The table with a relative error of `size` in one scalar function."""
    row = table.row(op)
    factor = 1 + size

    def wrong(*operands: Any) -> Any:
        return row(*operands) * table.number(factor)

    return replace(table, scalar={**table.scalar, op: wrong})


@pytest.mark.parametrize("op", ["exp", "div", "add"])
def test_a_slip_of_the_last_digit_in_mpmath_is_seen(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, feeds = CASES["plain"]
    right = road("balls", program, feeds)
    plain = multiprec.multiprec_table
    monkeypatch.setattr(multiprec, "multiprec_table", lambda bits: slipped(plain(bits), op, F(1, 10**DIGITS)))
    found = disagreements(right, road("multiprec", program, feeds), DIGITS)
    assert found
    assert {d.why for d in found} == {"differ"}
    first = {"exp": "exponentials", "div": "scaled", "add": "scores"}[op]
    assert found[0].stage == first
    monkeypatch.undo()
    assert disagreements(right, road("multiprec", program, feeds), DIGITS) == []


@pytest.mark.parametrize("op", ["exp", "div"])
def test_a_slip_of_the_last_digit_in_arb_is_seen(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, feeds = CASES["plain"]
    right = road("multiprec", program, feeds)
    monkeypatch.setattr(balls, "TABLE", slipped(balls.TABLE, op, F(1, 10**DIGITS)))
    found = disagreements(road("balls", program, feeds), right, DIGITS)
    assert found
    assert found[0].stage == {"exp": "exponentials", "div": "scaled"}[op]


def test_a_slip_in_one_entry_is_seen() -> None:
    program, feeds = CASES["self"]
    right, other = road("balls", program, feeds), dict(road("multiprec", program, feeds))
    tensor = other["weights"]
    entries = list(tensor.entries)
    entries[4] += entries[4].context.mpf(10) ** -DIGITS  # at most one unit of the 40th digit of a weight, which is below 1
    other["weights"] = Tensor(tensor.shape, entries, tensor.absent)
    found = disagreements(right, other, DIGITS)
    assert [(d.stage, d.entry) for d in found] == [("weights", (1, 0))]


# -- two roads are two -----------------------------------------------------------------------------------------------------
LOADED = """
import sys
sys.path.insert(0, {here!r})
from attentions import attention, small_feeds
from symattn.interp.evaluate import evaluate
evaluate(attention(), small_feeds(), numbers={numbers!r}, digits=30)
print(sorted({{m.split(".")[0] for m in sys.modules}} & {{"flint", "mpmath", "numpy", "sympy"}}))
"""


@pytest.mark.parametrize(("numbers", "own"), [("multiprec", "mpmath"), ("balls", "flint")])
def test_each_road_loads_its_own_engine_only(numbers: str, own: str) -> None:
    code = LOADED.format(here=str(Path(__file__).parent), numbers=numbers)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == f"['{own}']"
