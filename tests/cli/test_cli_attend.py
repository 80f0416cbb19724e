"""`symattn attend`: what it shows, and that options mean what `Attention` means by them."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_support import contents, ran, trouble

from symattn import Attention
from symattn.cli.spelling import for_the_prompt

QKV = ("--q", "[[1, 0], [0, 1]]", "--k", "[[1, 2], [0.50, 1], [3, 1]]", "--v", "[[1], [2], [3]]")
SELF = ("--q", "[[1, 0], [0, 1]]", "--k", "[[1, 2], [0.50, 1]]", "--v", "[[1], [2]]")


def data(*arguments: str) -> dict[str, Any]:
    done = ran("attend", *arguments, "--to", "json")
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    assert found["schema"] == "symattn-readings/1"
    return {r["numbers"]: r for r in found["readings"]}


def test_every_computed_stage_is_shown_side_by_side() -> None:
    done = ran("attend", *SELF)
    assert done.code == 0
    assert [line for line in done.out.splitlines() if line and not line.startswith((" ", "["))][:6] == [
        "scores 2×2", "scaled 2×2", "exponentials 2×2", "row_sums 2", "weights 2×2", "output 2×1",
    ]  # fmt: skip
    assert "[0, 0]  1/(1 + exp(-0.25*sqrt(2)))  0.587479000839609769333886030238  0.5874790008396098" in done.out
    assert "balls    30 significant digits, each proven" in done.out
    assert "float64  observed on this machine" in done.out


def test_what_is_computed_is_attention() -> None:
    shown = data(*SELF, "--numbers", "balls", "--digits", "15")["balls"]["stages"]
    q, k, v = np.eye(2), np.array([[1, 2], [0.5, 1]]), np.array([[1.0], [2.0]])
    weights = np.exp(q @ k.T / math.sqrt(2))
    weights /= weights.sum(axis=1, keepdims=True)
    assert np.allclose(np.array(shown["weights"]["entries"], float), weights, rtol=1e-13)
    assert np.allclose(np.array(shown["output"]["entries"], float), weights @ v, rtol=1e-13)


def test_x_with_weights_is_the_same_attention(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"X": [[1, 0], [0, 1]], "WQ": [[1, 0], [0, 1]], "W_K": [[1, 2], [0.5, 1]], "W_V": [[1], [2]]}')
    shown = data(str(tmp_path / "a.json"), "--stage", "output")
    assert shown["exact"]["stages"] == data(*SELF, "--stage", "output")["exact"]["stages"]


@pytest.mark.parametrize(
    ("options", "meant"),
    [
        (("--mask", "causal"), {"mask": "causal"}),
        (("--mask", "window", "--window", "1"), {"mask": "window", "window": 1}),
        (("--allowed", "[[1, 0], [1, 1]]"), {"mask": "array"}),
        (("--allowed-keys", "[0, 1]"), {"mask": "padding"}),
        (("--mask", "causal+array", "--allowed", "[[1, 0], [1, 1]]"), {"mask": "causal+array"}),
        (("--scale", "1/8"), {"scale": "1/8"}),
        (("--scale", "1"), {"scale": 1}),
        (("--scale", "1/d_k"), {"scale": "1/d_k"}),
        (("--bias", "[[1, 2], [3, 4]]"), {"bias": True}),
        (("--sink", "1/2"), {"sink": True}),
        (("--sink", "[1/2]"), {"sink": True}),
        (("--slopes", "2"), {"alibi": True}),
        (("--alibi",), {"alibi": True}),
        (("--softcap", "5"), {"softcap": 5}),
        (("--rotary", "halves", "--rotary-base", "100"), {"rotary": "halves", "rotary_base": 100}),
        (("--rotary", "interleaved"), {"rotary": "interleaved"}),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, tuple) else "",
)
def test_options_mean_what_attention_means(options: tuple[str, ...], meant: dict[str, Any]) -> None:
    feeds: dict[str, Any] = {"Q": [[1, 0], [0, 1]], "K": [[1, 2], ["0.50", 1]], "V": [[1], [2]]}
    extra = {
        "--allowed": ("allowed", [[True, False], [True, True]]), "--allowed-keys": ("allowed_keys", [False, True]),
        "--bias": ("bias", [[1, 2], [3, 4]]), "--sink": ("sink", "1/2"), "--slopes": ("slopes", 2),
    }  # fmt: skip
    feeds.update(extra[o] for o in options if o in extra)
    wanted = Attention(inputs="qkv", **meant).evaluate(feeds, numbers="balls", digits=20)
    shown = data(*SELF, *options, "--numbers", "balls", "--digits", "20", "--stage", "all")["balls"]["stages"]
    for name in ("scores", "weights", "output"):
        texts = [str(x) for x in wanted[name].entries]
        flat = [x for row in shown[name]["entries"] for x in row]
        assert [x for x in flat if x is not None] == [t for k, t in enumerate(texts) if k not in wanted[name].absent]
        assert len(shown[name]["masked"]) == len(wanted[name].absent)


@pytest.mark.parametrize(
    "how",
    [
        ("--algorithm", "plain"), ("--algorithm", "shifted"), ("--algorithm", "log-domain"), ("--algorithm", "deferred"),
        ("--algorithm", "prescaled"), ("--algorithm", "online", "--blocks", "2,1"), ("--algorithm", "online", "--blocks", "1, 1, 1"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_every_algorithm_is_one_function(how: tuple[str, ...]) -> None:
    shown = data(*QKV, *how, "--numbers", "exact,balls", "--stage", "output")
    assert shown["balls"]["stages"]["output"] == data(*QKV, "--numbers", "balls", "--stage", "output")["balls"]["stages"]["output"]


def test_heads_and_groups(tmp_path: Path) -> None:
    (tmp_path / "h.json").write_text(
        '{"X": [[1,2],[0.5,1]], "W_Q": [[1,0,1,0],[0,1,0,1]], "W_K": [[1,0],[0,1]], "W_V": [[1,0],[0,1]], "W_O": [[1,0],[0,1],[1,0],[0,1]]}'
    )
    shown = data(str(tmp_path / "h.json"), "--heads", "2", "--kv-heads", "1", "--numbers", "exact")["exact"]["stages"]
    assert shown["weights"]["shape"] == [2, 2, 2]
    assert shown["output"]["shape"] == [2, 2]


def test_another_sequence_is_cross_attention() -> None:
    shown = data(*QKV, "--mask", "causal", "--query-offset", "1", "--numbers", "exact")["exact"]["stages"]
    assert shown["weights"]["shape"] == [2, 3]
    assert shown["weights"]["masked"] == [[0, 2]]
    weights = ("--x", "[[1]]", "--y", "[[1],[2]]", "--wq", "[[1]]", "--wk", "[[1]]", "--wv", "[[1]]")
    assert data(*weights, "--numbers", "exact")["exact"]["stages"]["weights"]["shape"] == [1, 2]


def test_stages_by_name_by_letter_and_all() -> None:
    assert list(data(*SELF, "--stage", "P", "--stage", "scores")["exact"]["stages"]) == ["scores", "weights"]
    assert list(data(*SELF, "--stage", "Q")["exact"]["stages"]) == ["Q"]
    assert "row_sums" in data(*SELF, "--stage", "all")["exact"]["stages"]
    trouble(ran("attend", *SELF, "--stage", "wieghts"), 'no stage "wieghts"', "did you mean weights?")


def test_many_entries_show_the_output_and_say_so(tmp_path: Path) -> None:
    rows = [[(3 * i + j) % 7 - 3 for j in range(4)] for i in range(16)]
    (tmp_path / "a.json").write_text(json.dumps({"Q": rows, "K": rows, "V": rows}))
    done = ran("attend", str(tmp_path / "a.json"), "--numbers", "balls")
    assert "output" not in done.out.split("balls  30")[0]  # one stage needs no heading
    assert "--stage all shows all" in done.err
    assert ran("attend", str(tmp_path / "a.json"), "--numbers", "balls", "--stage", "all").err == ""


# -- floats -----------------------------------------------------------------------------------------------------------
OVERFLOW = ("--q", "[[300]]", "--k", "[[300], [-1]]", "--v", "[[1], [2]]")


def test_infinities_and_nans_are_named_where_they_are_born() -> None:
    done = ran("attend", *OVERFLOW, "--numbers", "balls,float16,float64")
    under = {block.split(" ")[0]: block for block in done.out.split("\n\n")}
    assert "float16: inf is born in [0, 0]: 300 * 300 overflows: the largest float16 is 65504" in under["scores"]
    assert "float64: inf is born in [0, 0]: exp(90000) overflows" in under["exponentials"]
    assert "float64: nan is born in [0, 0]: inf / inf has no value" in under["weights"]
    assert "is born" not in under["scaled"]
    assert "inf*" in under["scores"]
    assert "*  fewer right digits than the format keeps" in done.out


def test_events_of_stages_that_are_not_shown_are_still_told() -> None:
    done = ran("attend", *OVERFLOW, "--numbers", "balls,float16", "--stage", "output")
    assert "float16: inf is born in scores[0, 0]: 300 * 300 overflows" in done.out


def test_the_first_lost_digit() -> None:
    matrices = ("--q", "[[10000, 1, -10000]]", "--k", "[[1, 0.001, 1]]", "--v", "[[1]]", "--scale", "1")
    shown = data(*matrices, "--numbers", "float16,float64")
    assert shown["float16"]["lost"]["stage"] == "scores"
    assert shown["float16"]["lost"]["keeps"] == 3
    assert Fraction(shown["float16"]["lost"]["right"]) == Fraction("0.001")
    assert shown["float64"]["lost"]["keeps"] == 15
    assert data(*SELF, "--numbers", "float64")["float64"]["lost"] is None
    text = ran("attend", *matrices, "--numbers", "float16").out
    assert "float16 keeps 3 digits; the first is lost in [0, 0]: 0.0 for 0.0010000" in text


def test_floats_are_held_against_proven_digits_even_alone() -> None:
    assert data(*OVERFLOW, "--numbers", "float16")["float16"]["lost"]["stage"] == "scores"


def test_masking_by_adding_lets_infinities_be_born() -> None:
    allowed = ("--allowed", "[[1, 1, 0], [0, 0, 0]]")
    done = ran("attend", *QKV, *allowed, "--masking", "additive", "--masked-row", "nan", "--numbers", "float32", "--stage", "weights")
    assert done.code == 0
    assert "float32: nan is born in [1, 0]" in done.out


def test_what_the_exact_numbers_lack_does_not_stop_the_others() -> None:
    shown = data(*SELF, "--softcap", "3")
    assert "leaves the exact numbers" in shown["exact"]["failure"]
    assert shown["balls"]["failure"] is None
    assert shown["balls"]["stages"]["weights"]["entries"]
    trouble(ran("attend", *SELF, "--softcap", "3", "--numbers", "exact"), "leaves the exact numbers")


def test_a_nan_row_is_for_floats_only() -> None:
    shown = data(*QKV, "--allowed", "[[1, 1, 0], [0, 0, 0]]", "--masked-row", "nan", "--numbers", "exact,float64")
    assert "only floats have a NaN" in shown["exact"]["failure"]
    assert shown["float64"]["stages"]["weights"]["entries"][1][0] == "nan"


@pytest.mark.parametrize(("row", "first"), [("zero", "0"), ("mean", "1/3")])
def test_what_a_masked_row_becomes(row: str, first: str) -> None:
    shown = data(*QKV, "--allowed", "[[1, 1, 0], [0, 0, 0]]", "--masked-row", row, "--numbers", "exact")["exact"]["stages"]["weights"]
    assert shown["entries"][1][0] in (first, None)


def test_arrays_of_floats(tmp_path: Path) -> None:
    path = str(tmp_path / "a.npz")
    np.savez(path, Q=np.array([[0.1]]), K=np.array([[1.0]]), V=np.array([[2.0]]))
    said = trouble(ran("attend", path), '"Q"[0, 0]: the float 0.1 is exactly 0.1000000000000000055', "--binary", "--numbers float64")
    assert said.startswith(f"{path}: error: ")
    meant = data(path, "--binary", "--stage", "scores")
    assert meant["exact"]["stages"]["scores"]["entries"] == [["3602879701896397/36028797018963968"]]
    assert data(path, "--numbers", "float64", "--stage", "scores")["float64"]["stages"]["scores"]["entries"] == [["0.1"]]


# -- where it goes ----------------------------------------------------------------------------------------------------
def test_latex_writes_every_step_out(tmp_path: Path) -> None:
    done = ran("attend", *SELF, "--to", "latex")
    assert done.code == 0
    assert done.out.startswith("\\documentclass")
    assert done.out.rstrip().endswith("\\end{document}")
    assert "0.50" in done.out  # a given as it was typed
    spanish = ran("attend", *SELF, "--to", "latex", "--lang", "es", "--stage", "weights").out
    assert spanish != done.out
    assert len(spanish) < len(done.out)
    assert ran("attend", *SELF, "--to", "latex", "--blank").out != done.out


@pytest.mark.parametrize("form", ["text", "latex", "json"])
def test_to_a_file(form: str, tmp_path: Path) -> None:
    done = ran("attend", *SELF, "--to", form, "-o", str(tmp_path / "out"))
    assert (done.code, done.out) == (0, "")
    assert "wrote" in done.err
    assert contents(tmp_path) == {"out": ran("attend", *SELF, "--to", form).out.encode()}


def test_a_stage_that_a_page_cannot_write_out(tmp_path: Path) -> None:
    (tmp_path / "old.tex").write_text("old")
    trouble(ran("attend", *SELF, "--to", "latex", "--stage", "Q", "-o", str(tmp_path / "old.tex")), 'no stage "Q"')
    assert contents(tmp_path) == {"old.tex": b"old"}


# -- complaints -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), ("no matrix is given", "--wq")),
        (("--q", "[[1]]"), ("K and V are missing", "--k … --v …")),
        (("--x", "[[1]]"), ("W_Q, W_K and W_V are missing", "--wq … --wk … --wv …")),
        (("--sink", "1"), ("sink alone make no attention",)),
        ((*QKV, "--x", "[[1]]"), ('"X" and "Q" are both given',)),
        ((*QKV, "--mask", "causal"), ("query_offset is missing: there are 2 queries and 3 keys", "--query-offset 0")),
        ((*QKV, "--mask", "window"), ("give its width, --window w",)),
        ((*QKV, "--window", "2"), ("write --mask window",)),
        ((*QKV, "--mask", "casual"), ('did you mean "causal"?',)),
        ((*QKV, "--mask", "array"), ('the mask is "array", but "allowed" is not given',)),
        ((*QKV, "--algorithm", "onlin"), ('did you mean "online"?',)),
        ((*QKV, "--algorithm", "online"), ("give --blocks 2,1,…",)),
        ((*QKV, "--algorithm", "online", "--blocks", "2,2"), ("2 + 2 keys but there are 3",)),
        ((*QKV, "--blocks", "2,1"), ("write --algorithm online",)),
        ((*QKV, "--blocks", "2,x"), ("sizes separated by commas",)),
        ((*QKV, "--blocks", ""), ("sizes separated by commas",)),
        ((*QKV, "--heads", "0"), ("heads is 0",)),
        ((*QKV, "--heads", "2"), ("do not split into", "(--heads)", "--v:1:1")),
        ((*QKV, "--kv-heads", "3"), ("1 heads do not split into 3 groups",)),
        ((*QKV, "--scale", "0.1e"), ("scale is '0.1e'",)),
        ((*QKV, "--scale", "nan"), ("scale is 'nan'",)),
        ((*QKV, "--softcap", "0"), ("softcap",)),
        ((*QKV, "--softcap", "x"), ("softcap",)),
        ((*QKV, "--rotary-base", "x", "--rotary", "halves"), ("rotary_base",)),
        ((*QKV, "--masked-value", "x", "--masking", "additive", "--mask", "causal", "--query-offset", "0"), ("masked_value",)),
        ((*QKV, "--numbers", "exact,flot64"), ("no number system 'flot64'", 'did you mean "float64"?')),
        ((*QKV, "--numbers", ""), ("no number system is named",)),
        ((*QKV, "--numbers", "float16", "--order", "blas"), ("BLAS",)),
        ((*QKV, "--allowed", "[[1, 1, 0], [0, 0, 0]]"), ("nothing is allowed at token=1", "--masked-row")),
        ((*QKV, "--allowed", "[[1, 2, 0], [0, 0, 1]]"), ("2 is no truth value", "--allowed:1:6")),
        ((*QKV, "--q", ""), ("--q is empty",)),
        ((*QKV, "--q", "no.json"), ("no.json: error: the file cannot be read: No such file", "check the path")),
        ((*QKV, "--q", "some words"), ("--q takes a matrix",)),
        (("--q", "[[1, 2]]", "--k", "[[1]]", "--v", "[[1]]"), ("--k:1:1", '"feature" has 1 entries, not 2')),
    ],
    ids=lambda x: " ".join(x)[-60:],
)
def test_complaints_name_the_option_and_the_next_move(arguments: tuple[str, ...], said: tuple[str, ...]) -> None:
    trouble(ran("attend", *arguments), *said)


def test_a_matrix_given_twice(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"Q": [[1]], "K": [[1]],\n "V": [[1]]}')
    trouble(ran("attend", str(tmp_path / "a.json"), "--v", "[[1]]"), '"V" is given twice, by --v and in', "a.json:2:7")


def test_shapes_that_do_not_fit_point_into_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("Q = [[1, 2]]\nK = [[1, 2]]\nV = [[1],\n [2]]\n")
    trouble(ran("attend", str(tmp_path / "a.toml")), "a.toml:3:5: error: ", '"V"', "2 entries, not 1")


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("give its width, window=w: keys", "give its width, --window w: keys"),
        ('write mask="window"', "write --mask window"),
        ("give query_offset=0 to align", "give --query-offset 0 to align"),
        ("give blocks=(2, 1, …), in order", "give --blocks 2,1,…, in order"),
        ("or say binary=True to mean it", "or say --binary to mean it"),
        ("kv_heads can be 1, 2", "kv_heads can be 1, 2"),
        ("the scale=1 of a bathymask=2", "the --scale 1 of a bathymask=2"),
    ],
)
def test_python_is_respelled(text: str, spelled: str) -> None:
    assert for_the_prompt(text) == spelled


def test_a_block_in_which_everything_is_masked_is_left_out_of_the_page() -> None:
    online = ("--mask", "causal", "--query-offset", "0", "--algorithm", "online", "--blocks", "2,1", "--to", "latex")
    done = ran("attend", *QKV, *online)
    assert done.code == 0
    assert done.out.rstrip().endswith("\\end{document}")
