"""symattn derive and recheck from the outside: formats, options, files, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_support import ran

from symattn.calculus.catalogue import topics
from symattn.render.pdf import find_engine

EXPR = ["derive", "--expr", "softmax(Q @ K.T / sqrt(d_k)) @ V", "--shape", "Q=n,d_k K=m,d_k V=m,d_v"]


def test_a_topic_as_text_in_both_languages():
    english = ran("derive", "softmax-shift")
    assert english.code == 0
    assert english.err == ""
    assert "Theorem. Let S ∈ ℝ^(n × m)" in english.out
    assert "■ Exponential law" in english.out
    spanish = ran("derive", "softmax-shift", "--lang", "es")
    assert "Teorema. Sean S ∈ ℝ^(n × m)" in spanish.out
    assert ran("derive", "softmax-shift", "--notation", "matrix").out != english.out


def test_the_gradient_of_attention_ends_with_its_answer():
    found = ran("derive", "attention", "--wrt", "W_Q")
    assert found.code == 0
    assert "dW_Q = X^T dQ" in found.out
    assert "which is what the theorem says" in found.out
    data = json.loads(ran("derive", "attention", "--wrt", "W_Q", "--to", "json").out)
    assert data["result"] == data["steps"][-1]["after"]
    assert data["statement"].endswith(f"== {data['result']}")


@pytest.mark.parametrize(
    "options",
    [
        ["--heads", "h"],
        ["--heads", "8", "--kv-heads", "g", "--mask", "causal"],
        ["--mask", "causal", "--softcap", "c"],
        ["--alibi", "--bias"],
        ["--sink"],
        ["--rope"],
        ["--cross", "--scale", "1"],
    ],
)
def test_every_option_of_the_attention(options: list[str]):
    made = ran("derive", "attention", "--wrt", "W_Q", "--to", "json", *options)
    assert made.code == 0, made.err
    again = ran("recheck", "-", text=made.out)
    assert again.code == 0, again.out
    assert "PROVED all sizes" in again.out


def test_gradients_by_what_only_an_option_brings():
    for name, options in (
        ("B", ["--bias"]),
        ("slope", ["--alibi"]),
        ("sink", ["--sink"]),
        ("W_O", ["--heads", "h"]),
        ("c", ["--softcap", "c"]),
    ):
        found = ran("derive", "attention", "--wrt", name, *options)
        assert found.code == 0, (name, found.err)
        assert f"d{name}" in found.out


@pytest.mark.parametrize(
    ("text", "shape", "wrt"),
    [
        ("c = x - mean(x); r = sqrt(mean(c * c) + eps); y = c / r; g * y + b", "x=d g=d b=d eps=", "x,g"),  # LayerNorm
        ("r = sqrt(mean(x * x) + eps); g * x / r", "x=d g=d eps=", "x"),  # RMSNorm
        ("u = x @ W; v = x @ U; s = sigmoid(u); (u * s * v) @ D", "x=n,d W=d,f U=d,f D=f,d", "W,U,x"),  # SwiGLU
        ("log(sum(exp(s))) - dot(y, s)", "s=n y=n", "s"),  # cross-entropy
        ("x @ W + x @ A @ B", "x=n,d W=d,k A=d,r B=r,k", "A,B"),  # LoRA
        ("A = causal_part(Q @ K.T); A @ V", "Q=n,r K=n,r V=n,c", "Q,K,V"),  # linear attention
        ("exp(x) * tanh(x)", "x=n", "x"),
    ],
)
def test_expressions_of_the_field(text: str, shape: str, wrt: str):
    made = ran("derive", "--expr", text, "--shape", shape, "--wrt", wrt, "--to", "json")
    assert made.code == 0, made.err
    assert ran("recheck", "-", text=made.out).code == 0


def test_all_formats(tmp_path: Path):
    latex = ran(*EXPR, "--wrt", "Q,K", "--to", "latex")
    assert latex.out.startswith("\\documentclass")
    assert "\\symproofline" in latex.out
    assert ran(*EXPR, "--wrt", "Q", "--to", "md").out.startswith("# The gradient by")
    html = tmp_path / "page.html"
    assert ran(*EXPR, "--wrt", "Q", "--to", "html", "-o", str(html)).code == 0
    assert html.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    if find_engine() is None:
        pytest.skip("no TeX engine on this machine")
    pdf = tmp_path / "page.pdf"
    done = ran("derive", "softmax-jacobian", "--to", "pdf", "-o", str(pdf))
    assert done.code == 0
    assert done.out == ""
    assert pdf.read_bytes().startswith(b"%PDF")


def test_files_have_a_name_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert ran("derive", "softmax-shift", "--to", "html").err.strip() == "wrote softmax-shift.html"
    assert (tmp_path / "softmax-shift.html").exists()


def test_entries_written_out_at_sizes():
    found = ran(*EXPR, "--wrt", "Q", "--at", "n=2,m=2,d_k=1,d_v=1").out
    assert "S[0,1] = (Q[0,0] K[1,0])/√1" in found
    assert "P[0,0] = e^S[0,0]/(e^S[0,0] + e^S[0,1])" in found
    masked = ran("derive", "attention", "--mask", "causal", "--wrt", "W_V", "--at", "n=2,d=1,d_k=1,d_v=1").out
    assert "Positions count from 0." in masked


def test_the_numbers_of_a_worksheet():
    found = ran("derive", "attention", "--wrt", "W_Q", "--with", "el-perro-come").out
    assert "are taken to be 1 everywhere" in found
    assert "0.288865" in found  # a weight of the document, to six places


def test_the_list_shows_every_topic_with_its_evidence():
    found = ran("derive", "--list")
    assert found.code == 0
    for topic in topics():
        assert any(line.split()[:2] == [topic, "PROVED"] for line in found.out.split("\n")), topic


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["derive", "softmax-jacobain"], "did you mean softmax-jacobian"),
        (["derive"], "nothing to derive"),
        (["derive", "softmax-shift", *EXPR[1:]], "both a topic and an expression"),
        (["derive", "softmax-shift", "--wrt", "S"], "takes no options"),
        (["derive", "softmax-shift", "--heads", "2"], "takes no options"),
        ([*EXPR], "no variable is named"),
        ([*EXPR, "--wrt", "W"], 'there is no value "W"'),
        ([*EXPR, "--wrt", "O"], "is what arrives"),
        ([*EXPR, "--wrt", "Q", "--heads", "2"], "describes an attention"),
        ([*EXPR, "--wrt", "Q", "--at", "n=2"], 'the size "m" is not given'),
        ([*EXPR, "--wrt", "Q", "--at", "q=2"], 'there is no size "q"'),
        ([*EXPR, "--wrt", "Q", "--at", "n=0"], "is no size"),
        ([*EXPR, "--wrt", "Q", "--with", "no-such-sheet"], 'there is no worksheet "no-such-sheet"'),
        (["derive", "--expr", "Q @ K", "--shape", "Q=n,d K=n,d", "--wrt", "Q"], "@ needs the last axis"),
        (["derive", "--expr", "Q @ K", "--shape", "Q=n,n,n K=n,d", "--wrt", "Q"], "multiplies vectors and matrices"),
        (["derive", "--expr", "Q + R", "--shape", "Q=n", "--wrt", "Q"], 'give its axes: --shape "R=n,d"'),
        (["derive", "--expr", "Q +", "--shape", "Q=n", "--wrt", "Q"], "ends"),
        (["derive", "--expr", "Q", "--shape", "Q", "--wrt", "Q"], "gives no shape"),
        (["derive", "--expr", "sum(Q)", "--shape", "Q=n R=n", "--wrt", "R"], 'does not depend on "R"'),
        (["derive", "--expr", "relu(Q)", "--shape", "Q=n", "--wrt", "Q"], ""),
        (["derive", "attention", "--mask", "window"], 'no mask "window"'),
        (["derive", "attention", "--kv-heads", "g"], "needs --heads"),
        (["derive", "attention", "--heads", "-1"], "a positive whole number"),
        (["derive", "attention", "--mask", "causal", "--cross"], "two"),
        (["derive", "attention", "--wrt", "W_O"], 'there is no value "W_O"'),
    ],
)
def test_bad_input_is_one_message_and_the_next_move(arguments: list[str], says: str):
    found = ran(*arguments)
    assert found.code == (2 if says else found.code)
    assert found.out == "" or not says
    assert says in found.err
    assert "Traceback" not in found.err


# -- recheck ------------------------------------------------------------------------------------------------------------
def saved(tmp_path: Path, name: str = "d.json") -> Path:
    path = tmp_path / name
    path.write_text(ran("derive", "softmax-shift", "--to", "json").out, encoding="utf-8")
    return path


def test_a_saved_derivation_rechecks(tmp_path: Path):
    path = saved(tmp_path)
    found = ran("recheck", str(path))
    assert found.code == 0
    assert "softmax-shift, 5 steps: PROVED all sizes" in found.out
    data = json.loads(ran("recheck", str(path), "--to", "json").out)
    assert data[0]["right"] is True
    assert data[0]["findings"] == []


def test_a_tampered_one_is_exit_code_1_with_its_step(tmp_path: Path):
    path = saved(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("sum(exp(S) * exp(c))", "sum(exp(S) * exp(2 * c))"), encoding="utf-8")
    found = ran("recheck", str(path))
    assert found.code == 1
    assert "step 2:" in found.out
    assert "counterexample" in found.out
    data = json.loads(ran("recheck", str(path), "--to", "json").out)
    assert data[0]["right"] is False
    assert data[0]["findings"][0]["step"] == 2
    assert data[0]["findings"][0]["evidence"]["kind"] == "rejected"


def test_files_that_cannot_be_read(tmp_path: Path):
    path = saved(tmp_path)
    text = path.read_text(encoding="utf-8")
    for content, says in (
        (text[:-40], "too early"),
        (text.replace("derivation/1", "derivation/9"), "newer symattn"),
        ("[]", "not a derivation"),
    ):
        path.write_text(content, encoding="utf-8")
        found = ran("recheck", str(path))
        assert found.code == 2
        assert says in found.err
    path.write_bytes(b"\xff\xfe")
    assert "not UTF-8" in ran("recheck", str(path)).err
    assert "cannot be read" in ran("recheck", str(tmp_path / "none.json")).err
    assert ran("recheck").code == 2


def test_what_a_file_says_reaches_the_terminal_as_text(tmp_path: Path):
    path = saved(tmp_path)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["topic"] = "x\x1b[31m"
    data["steps"][1]["rule"] = "\x1b]8;;http://evil.example\x07"
    path.write_text(json.dumps(data), encoding="utf-8")
    found = ran("recheck", str(path))
    assert found.code == 1
    assert "\x1b" not in found.out
    assert "␛" in found.out
