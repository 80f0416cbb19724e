"""Large sizes become symbols, what depends on a number stays."""

from __future__ import annotations

from symattn.calculus.adjoint import certify
from symattn.calculus.reverse import reverse
from symattn.program.attention import Attention
from symattn.program.generalize import generalized
from symattn.program.ops import At, Contract, Input, Use
from symattn.program.program import Program, Stage, sizes_used
from symattn.program.spaces import Axis, Space


def test_small_and_symbolic_sizes_stay() -> None:
    for program in (Attention().program(), Attention().program(n=3, d_model=2, d_k=2)):
        assert generalized(program) is program


def test_large_sizes_become_symbols_everywhere() -> None:
    program = Attention(heads=8, kv_heads=2, output_projection=True, mask="causal").program(n=512, d_model=64, d_k=16)
    found = generalized(program)
    assert set(sizes_used(found)) == {"token_size", "model_size", "feature_size", "channel_size", "member_size"}
    assert [s.name for s in found.stages] == [s.name for s in program.stages]
    assert found.output == program.output
    assert found.by_name["W_Q"].out[1].space.size_text() == "2*member_size*feature_size"


def test_names_that_are_taken_are_not_given_twice() -> None:
    row, column = Axis("i", Space("row", 9)), Axis("j", Space("row_size", "row_size"))
    program = Program((Stage("x", Input((row, column))), Stage("f", Contract((), (Use("x", (row, column)),)))))
    assert set(sizes_used(generalized(program))) == {"row_size", "row_size_"}


def test_a_fixed_position_keeps_its_set() -> None:
    row = Axis("i", Space("row", 9))
    program = Program((Stage("x", Input((row,))), Stage("f", Contract((), (Use("x", (At(row.space, 7),)),)))))
    assert generalized(program) is program


def test_blocks_stay_where_positions_are_compared_across_them() -> None:
    plain = Attention().program("online", blocks=(128, 64), d_k=4)
    assert {"block_1_size", "block_2_size"} <= set(sizes_used(generalized(plain)))
    causal = generalized(Attention(mask="causal").program("online", blocks=(128, 64), d_k=4))
    assert causal.by_name["X"].out[0].space.size_text() == "128+64"


def test_gradients_of_large_attentions_are_proved_for_all_sizes() -> None:
    """The obligations of a program with numbers are those of one with symbols: as many, and as cheap."""
    program = Attention(mask="causal").program("shifted", n=4096, d_model=1024, d_k=128)
    gradient = reverse(program, "output", ["X", "W_Q"])
    assert gradient.hypotheses == ()
    assert all(c.evidence.kind == "proved-all-sizes" for c in certify(gradient))
    assert all("4096" not in str(o.program.spaces()) for o in gradient.obligations)
