"""The description: names, defaults, what it refuses, and what a row becomes in which nothing is allowed."""

import math
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction as F

import numpy as np
import pytest

from symattn.errors import DomainError, InputError, MaskedRowError, ProgramError, ShapeError
from symattn.program.algorithms import ALGORITHMS
from symattn.program.attention import Attention
from symattn.program.lower_options import alibi_slopes
from symattn.program.ops import Contract, Map, Reduce
from symattn.program.scalar import Arg, Binary, Num, Size, Unary

QKV = {"Q": [[1, 0], [0, 1], [1, 1]], "K": [[1, 2], [0, 1], [2, 0]], "V": [[1, 2], [3, 4], [5, 6]]}
HOLES = [[True, True, False], [False, False, False], [False, False, True]]


def names(attention, algorithm="plain", **options):
    return [stage.name for stage in attention.program(algorithm, **options).stages]


# -- names and shapes -----------------------------------------------------------------------------------------------------------------
def test_the_stages_have_the_names_people_read():
    start = ["X", "W_Q", "W_K", "W_V", "queries", "keys", "values", "scores", "scaled"]
    assert names(Attention()) == [*start, "exponentials", "row_sums", "weights", "output"]
    assert names(Attention(mask="causal"), "shifted") == [
        *start, "masked", "row_max", "shifted", "exponentials", "row_sums", "weights", "output",
    ]  # fmt: skip
    assert names(Attention(scale=1, inputs="qkv")) == ["Q", "K", "V", "scores", "exponentials", "row_sums", "weights", "output"]
    assert names(Attention(output_projection=True))[-4:] == ["weights", "mixed", "W_O", "output"]
    assert names(Attention(cross=True))[:5] == ["X", "Y", "W_Q", "W_K", "W_V"]


def test_letters_are_those_of_the_field():
    letters = {s.name: s.letter for s in Attention(mask="causal").program("shifted").stages}
    wanted = {"queries": "Q", "keys": "K", "values": "V", "scores": "S", "weights": "P", "output": "O", "row_sums": "Z", "row_max": "m"}
    assert {name: letters[name] for name in wanted} == wanted


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    "attention",
    [Attention(), Attention(heads=4, kv_heads=2, sink=True, alibi=True), Attention(mask="array+padding", masked_row="mean", bias=True)],
)
def test_every_letter_names_one_stage(attention, algorithm):
    blocks = (2, 2, 1) if algorithm == "online" else ()
    letters = [s.letter for s in attention.program(algorithm, blocks=blocks).stages if s.letter]
    assert sorted(letters) == sorted(set(letters))


def test_default_sizes_are_symbols_and_d_v_follows_a_number():
    shapes = {s.name: s.shape_text() for s in Attention(cross=True).program().stages}
    assert shapes["W_V"] == "(model=d_model, channel=d_v)"
    assert shapes["scores"] == "(token=n, key=m)"
    assert {s.name: s.shape_text() for s in Attention().program(d_k=8).stages}["values"] == "(key=n, channel=8)"
    assert {s.name: s.shape_text() for s in Attention().program(d_k=8, d_v=3).stages}["values"] == "(key=n, channel=3)"


def test_scaling_is_a_division_by_the_root_in_a_stage_of_its_own():
    stages = Attention().program().by_name
    assert stages["scaled"].op.scalar == Binary("div", Arg("scores"), Unary("sqrt", Size("d_k")))
    assert Attention().program(d_k=4).by_name["scaled"].op.scalar == Binary("div", Arg("scores"), Unary("sqrt", Num(F(4))))
    eighth = Attention(scale="1/8").program().by_name["scaled"].op.scalar
    assert eighth == Binary("div", Arg("scores"), Num(F(8)))
    assert Attention(scale=Decimal("0.125")).program().by_name["scaled"].op.scalar == Binary("mul", Arg("scores"), Num(F(1, 8)))
    given = Attention(scale="input").program()
    assert given.by_name["scaled"].op.scalar == Binary("mul", Arg("scores"), Arg("scale"))
    assert given.by_name["scale"].out == ()
    ahead = names(Attention(scale="input"), "prescaled")
    assert ahead.index("scale") < ahead.index("scaled_queries") < ahead.index("scores")
    assert "scaled" not in names(Attention(), "prescaled")
    assert names(Attention(), "prescaled").index("scaled_queries") < names(Attention(), "prescaled").index("scores")


def test_a_mask_is_a_relation_in_every_stage_that_looks():
    stages = Attention(mask="causal").program("shifted").by_name
    for name in ("masked", "shifted", "exponentials", "weights", "row_sums", "row_max", "output"):
        assert stages[name].op.where, name
    assert isinstance(stages["weights"].op, Map)
    assert isinstance(stages["row_max"].op, Reduce)
    assert isinstance(stages["row_sums"].op, Contract)
    assert stages["row_sums"].op.must_visit
    assert not Attention(mask="causal", masked_row="zero").program().by_name["row_sums"].op.must_visit


def test_a_description_is_frozen_and_comparable():
    assert Attention(mask="causal") == Attention(mask="causal")
    with pytest.raises(FrozenInstanceError):
        Attention().mask = "causal"
    with pytest.raises(TypeError):
        Attention("weights")


def QKV_W():
    return {"X": [[1, 0], [0, 1]], "W_Q": [[1, 2], [0, 1]], "W_K": [[1, 0], [1, 1]], "W_V": [[1, 0], [0, 1]]}


# -- what is refused ------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mask": "casual"}, ProgramError, "mask is 'casual'; did you mean \"causal\""),
        ({"mask": "causal+paddin"}, ProgramError, 'did you mean "padding"'),
        ({"mask": "causal+causal"}, ProgramError, 'names "causal" twice'),
        ({"mask": True}, ProgramError, "mask is True; name the rules"),
        ({"mask": ""}, ProgramError, "known: causal, window, padding, array"),
        ({"mask": "window"}, ProgramError, "window is not given; give its width"),
        ({"window": 3}, ProgramError, 'window is 3 but the mask is None; a window is causal: write mask="window"'),
        ({"mask": "padding", "window": 3}, ProgramError, "a window is causal"),
        ({"mask": "window", "window": 0}, ProgramError, "window is 0; give a positive integer"),
        ({"mask": "window", "window": True}, ProgramError, "window is True"),
        ({"heads": 0}, ProgramError, "heads is 0; give a positive integer"),
        ({"heads": 6, "kv_heads": 4}, ProgramError, "6 heads do not split into 4 groups; kv_heads can be 1, 2, 3, 6"),
        ({"heads": 2, "kv_heads": 4}, ProgramError, "kv_heads can be 1, 2"),
        ({"heads": 2, "kv_heads": 0}, ProgramError, "kv_heads is 0"),
        ({"heads": "h", "kv_heads": 2}, ProgramError, "groups need a number of heads"),
        ({"heads": "a-b"}, ProgramError, "a name such as n"),
        ({"scale": None}, ProgramError, 'could mean two things; write scale=1 for no scaling, "1/sqrt\\(d_k\\)"'),
        ({"scale": 0.125}, InputError, "scale: the float 0.125 is exactly 0.125; write it as text"),
        ({"scale": "1/sqrt(d_model)"}, InputError, "scale is '1/sqrt\\(d_model\\)'; write \"1/sqrt\\(d_k\\)\""),
        ({"scale": "1/sqrt(0)"}, ProgramError, "the number under the root is positive"),
        ({"softcap": 0}, ProgramError, "the cap is a positive number"),
        ({"softcap": 50.5}, InputError, "softcap: the float 50.5"),
        ({"bias": "per head"}, ProgramError, 'did you mean "per-head"'),
        ({"bias": "per-head"}, ProgramError, "there is one head; write bias=True"),
        ({"rotary": "half"}, ProgramError, 'did you mean "halves"'),
        ({"rotary": True}, ProgramError, "known: interleaved, halves"),
        ({"rotary": "halves", "rotary_base": -1}, ProgramError, "give a positive number"),
        ({"masked_row": "nans"}, ProgramError, 'did you mean "nan"'),
        ({"inputs": "QKV"}, ProgramError, "known: weights, qkv"),
        ({"sink": 1}, ProgramError, "sink is 1; give True or False"),
        ({"query_offset": 1}, ProgramError, "in self-attention queries and keys are the same positions; leave it out"),
        ({"query_offset": "0", "cross": True}, ProgramError, "give an integer: 0 aligns the first positions, m - n the last"),
    ],
)
def test_what_means_nothing_is_refused_with_the_next_move(options, error, message):
    with pytest.raises(error, match=message):
        Attention(**options)


@pytest.mark.parametrize(
    ("attention", "options", "message"),
    [
        (Attention(), {"algorithm": "shift"}, "algorithm is 'shift'; did you mean \"shifted\""),
        (Attention(), {"masking": "add"}, "known: skip, additive"),
        (Attention(), {"algorithm": "online"}, "needs the sizes of its blocks of keys; give blocks="),
        (Attention(), {"blocks": (1, 2)}, 'blocks are given but the algorithm is "plain"'),
        (Attention(), {"algorithm": "online", "blocks": (1, 2), "n": 4}, r"the blocks have 1 \+ 2 keys but there are 4"),
        (Attention(), {"algorithm": "online", "blocks": (1, "b"), "n": 4}, "give blocks that add up to 4"),
        (Attention(), {"algorithm": "online", "blocks": (1, 0)}, "block 2 is 0"),
        (Attention(mask="causal"), {"algorithm": "online", "blocks": ("a", "b")}, "give every block an integer size"),
        (Attention(), {"m": 3, "n": 2}, "in self-attention there are as many keys as queries"),
        (Attention(), {"n": 0}, "n is 0"),
        (Attention(), {"d_k": "1+1"}, "d_k is '1\\+1'"),
        (Attention(rotary="halves"), {"d_k": 3}, "turn pairs of features, but d_k is 3; give an even d_k"),
        (Attention(cross=True, mask="causal"), {}, "query_offset is missing: there are n queries and m keys"),
        (Attention(cross=True, mask="causal"), {"n": 2, "m": 3}, "or m - n to align the last ones"),
        (Attention(cross=True, alibi=True), {"n": 2, "m": 3}, "query_offset is missing"),
        (Attention(cross=True, rotary="halves"), {"n": 2, "m": 3}, "query_offset is missing"),
        (Attention(mask="array", masked_row="zero"), {"masking": "additive"}, "follows from the numbers"),
        (Attention(mask="array", masked_row="nan"), {"masking": "additive", "masked_value": -10000}, "follows from the numbers"),
    ],
)
def test_a_program_that_cannot_be_is_refused(attention, options, message):
    with pytest.raises(ProgramError, match=message):
        attention.program(**options)


def test_blocks_that_add_up_to_the_queries_need_no_offset():
    attention = Attention(cross=True, mask="causal")
    assert attention.program("online", n=3, m=3, blocks=(1, 2)).output == "output"
    with pytest.raises(ProgramError, match=r"there are 3 queries and 1\+1 keys"):
        attention.program("online", n=3, m=2, blocks=(1, 1))


def test_the_offset_is_needed_only_where_the_positions_differ():
    for attention in (Attention(cross=True), Attention(cross=True, mask="padding+array")):
        assert attention.program(n=2, m=3)
    causal = Attention(inputs="qkv", cross=True, mask="causal")
    assert causal.program(n=3, m=3) == Attention(inputs="qkv", cross=True, mask="causal", query_offset=0).program(n=3, m=3)
    same = causal.evaluate(QKV)
    assert same["weights"].absent == {1, 2, 5}
    with pytest.raises(ProgramError, match="there are 1 queries and 3 keys"):
        causal.evaluate({**QKV, "Q": [[1, 0]]})
    assert causal.evaluate({name: np.array(rows) for name, rows in QKV.items()})["weights"].absent == {1, 2, 5}


def test_feeds_that_do_not_fit_name_both_shapes():
    with pytest.raises(ShapeError, match=r'"W_K" is \(model=d_model, feature=d_k\) but its axis "feature" has 3 entries, not 2'):
        Attention().evaluate({**QKV_W(), "W_K": [[1, 2, 3], [1, 2, 3]]})
    with pytest.raises(InputError, match="'WQ' is given but the program has no such input; did you mean \"W_Q\""):
        Attention().evaluate({**QKV_W(), "WQ": [[1]]})
    with pytest.raises(ShapeError, match=r'"W_Q" is \(model=d_model, W_Q_column=2\*d_k\) but .* has 3 entries'):
        Attention(heads=2).evaluate({**QKV_W(), "W_Q": [[1, 2, 3], [1, 2, 3]]})


# -- positions ------------------------------------------------------------------------------------------------------------------------
def test_the_published_slopes():
    assert alibi_slopes(1) == (F(1, 256),)
    assert alibi_slopes(8) == tuple(F(1, 2**k) for k in range(1, 9))
    assert alibi_slopes(4) == (F(1, 4), F(1, 16), F(1, 64), F(1, 256))
    assert alibi_slopes(6) == (F(1, 4), F(1, 16), F(1, 64), F(1, 256), F(1, 2), F(1, 8))
    with pytest.raises(InputError, match='irrational; give the input "slopes"'):
        alibi_slopes(16)
    with pytest.raises(InputError, match="irrational"):
        Attention(heads=16, alibi=True).with_defaults({})


def test_rotary_turns_by_the_position_and_keeps_lengths():
    feeds = {"Q": [[1, 0, 2, 0]] * 3, "K": [[1, 0, 1, 0]] * 3, "V": [[1], [2], [3]]}
    got = Attention(inputs="qkv", rotary="interleaved").evaluate(feeds, numbers="multiprec", digits=30)
    assert [float(x) for x in got["frequencies"].entries] == [1.0, 0.01]
    turned = [float(x) for x in got["rotated_queries"][2].entries]
    assert turned == pytest.approx([math.cos(2), math.sin(2), 2 * math.cos(0.02), 2 * math.sin(0.02)], abs=1e-12)
    halves = Attention(inputs="qkv", rotary="halves").evaluate(feeds, numbers="multiprec", digits=30)["rotated_queries"][2].entries
    assert [float(x) for x in halves] == pytest.approx([math.cos(2) - 2 * math.sin(2), 0, 2 * math.cos(2) + math.sin(2), 0], abs=1e-12)
    scores = got["scores"]
    assert float(scores[0, 1] - scores[1, 2]) == pytest.approx(0, abs=1e-25)


# -- a row in which nothing is allowed ------------------------------------------------------------------------------------------------
WITH_BLOCKS = [(a, (1, 2) if a == "online" else ()) for a in ALGORITHMS]


@pytest.mark.parametrize(("algorithm", "blocks"), WITH_BLOCKS)
def test_a_fully_masked_row_is_an_error_that_names_it(algorithm, blocks):
    attention = Attention(inputs="qkv", mask="array")
    with pytest.raises(MaskedRowError, match=r"nothing is allowed at token=1.*masked_row="):
        attention.evaluate({**QKV, "allowed": HOLES}, algorithm=algorithm, blocks=blocks)
    full = [[True, False, False]] * 3
    assert attention.evaluate({**QKV, "allowed": full}, algorithm=algorithm, blocks=blocks)["output"].entries == [1, 2] * 3


@pytest.mark.parametrize(("algorithm", "blocks"), WITH_BLOCKS)
@pytest.mark.parametrize(("masked_row", "row"), [("zero", [0, 0]), ("mean", [3, 4])])
def test_a_fully_masked_row_becomes_what_was_chosen(masked_row, row, algorithm, blocks):
    attention = Attention(inputs="qkv", mask="array", masked_row=masked_row)
    got = attention.evaluate({**QKV, "allowed": HOLES}, algorithm=algorithm, blocks=blocks)
    assert got["output"][1].entries == row
    assert got["output"][2].entries == [5, 6]
    if "weights" in got:
        assert got["weights"][1].entries == ([0] * 3 if masked_row == "zero" else [F(1, 3)] * 3)


@pytest.mark.parametrize(("algorithm", "blocks"), WITH_BLOCKS)
def test_nan_exists_in_float_readings_only(algorithm, blocks):
    attention = Attention(inputs="qkv", mask="array", masked_row="nan")
    feeds = {**QKV, "allowed": HOLES}
    for numbers in ("exact", "balls", "multiprec", "symbolic"):
        with pytest.raises(ProgramError, match=f'"nan", which the reading "{numbers}" does not have; write "zero" or "mean"'):
            attention.evaluate(feeds, numbers=numbers, algorithm=algorithm, blocks=blocks)
    output = attention.evaluate(feeds, numbers="float64", algorithm=algorithm, blocks=blocks)["output"]
    assert all(math.isnan(x) for x in output[1].entries)
    assert [float(x) for x in output[2].entries] == [5.0, 6.0]
    with pytest.raises(DomainError, match='stage "row_check" at token=1: division by zero'):
        attention.program(algorithm, blocks=blocks).evaluate(feeds)


def test_online_takes_blocks_of_any_sizes_and_empty_first_blocks():
    feeds = {"Q": [[1], [2], [3], [4], [5]], "K": [[1], [-1], [2], [0], [3]], "V": [[1], [2], [3], [4], [5]]}
    attention = Attention(inputs="qkv", mask="window", window=1)
    wanted = attention.evaluate(feeds)["output"].entries
    for blocks in [(5,), (1, 1, 1, 1, 1), (4, 1), (1, 4), (2, 1, 2)]:
        assert attention.evaluate(feeds, algorithm="online", blocks=blocks)["output"].entries == wanted == [1, 2, 3, 4, 5]


def test_online_with_symbolic_blocks_is_one_program_for_all_sizes():
    program = Attention(inputs="qkv", mask="padding").program("online", blocks=("b", "c"))
    feeds = {**QKV, "allowed_keys": [False, True, True]}
    plain = Attention(inputs="qkv", mask="padding").evaluate(feeds)["output"]
    for b in (1, 2):
        online = program.evaluate(feeds, sizes={"b": b, "c": 3 - b})["output"]
        assert [x.equals(y).name for x, y in zip(online.entries, plain.entries, strict=True)] == ["YES"] * 6


# -- masks that are added -------------------------------------------------------------------------------------------------------------
def test_an_added_mask_looks_at_everything():
    attention = Attention(inputs="qkv", mask="causal")
    skipped = attention.evaluate(QKV, numbers="float64")
    added = attention.evaluate(QKV, numbers="float64", masking="additive")
    assert skipped["weights"].absent == {1, 2, 5}
    assert added["weights"].absent == frozenset()
    assert [float(x) for x in added["masked"].entries][1:3] == [-math.inf] * 2
    assert [float(x) for x in added["output"].entries] == [float(x) for x in skipped["output"].entries]
    finite = attention.evaluate(QKV, numbers="float64", masking="additive", masked_value="-10000")
    assert float(finite["masked"][0, 1]) == -10000.0
    with pytest.raises(DomainError, match='stage "mask_penalties"'):
        attention.evaluate(QKV, masking="additive")
    exact = attention.evaluate(QKV, masking="additive", masked_value=-10)
    assert exact["weights"][0, 1].rational() is None


def test_minus_infinity_makes_nan_of_a_fully_masked_row_and_error_refuses_it():
    feeds = {**QKV, "allowed": HOLES}
    for algorithm in ("plain", "shifted"):
        loose = Attention(inputs="qkv", mask="array", masked_row="nan")
        got = loose.evaluate(feeds, numbers="float64", masking="additive", algorithm=algorithm)
        assert all(math.isnan(x) for x in got["output"][1].entries)
        with pytest.raises(MaskedRowError, match="token=1"):
            Attention(inputs="qkv", mask="array").evaluate(feeds, numbers="float64", masking="additive", algorithm=algorithm)


def test_two_lengths_without_cross_say_what_to_write():
    feeds = {"Q": [[1]], "K": [[1], [2]], "V": [[1], [2]]}
    with pytest.raises(ShapeError, match="cross=True"):
        Attention(inputs="qkv").evaluate(feeds)
    assert Attention(inputs="qkv", cross=True).evaluate(feeds).sizes["m"] == 2
