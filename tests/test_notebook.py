"""What people hold in a notebook shows itself as LaTeX that says the same as its text."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest

from symattn import Attention, Exact, compile_text
from symattn.claims.judge import judge
from symattn.claims.model import Claim, Spot
from symattn.interp.ball import Ball
from symattn.number.decimal import parse_printed
from symattn.number.truth import Rational
from symattn.page.math import Fraction as Over
from symattn.page.math import Number, Words
from symattn.page.notebook import numeral_math, shown, writer
from symattn.program.formulas import formulas


def balanced(latex: str) -> bool:
    depth = 0
    for k, char in enumerate(latex):
        if char in "{}" and latex[k - 1 : k] != "\\":
            depth += 1 if char == "{" else -1
        if depth < 0:
            return False
    pairs = latex.count(r"\left") == latex.count(r"\right") and latex.count(r"\begin{") == latex.count(r"\end{")
    return depth == 0 and pairs and latex.startswith("$") and latex.endswith("$")


def test_the_balance_check_can_fail() -> None:
    assert balanced(r"$\frac{1}{2}$")
    assert not balanced(r"$\frac{1}{2$")
    assert not balanced(r"$\left( 1$")


@pytest.mark.parametrize(
    ("number", "latex"),
    [
        (Exact.of("1/3"), r"$\frac{1}{3}$"),
        (Exact.of(-2), "$-2$"),
        (Exact.of(2).sqrt() / 2, r"$0.5\sqrt{2}$"),
        (Exact.of(1) / (Exact.of(2) + Exact.of(3).exp()), r"$\frac{1}{2+e^{3}}$"),
    ],
)
def test_exact_numbers_show_their_closed_form(number: Exact, latex: str) -> None:
    assert number._repr_latex_() == latex


def test_an_exact_number_without_a_short_form_shows_proven_digits() -> None:
    long = sum((Exact.of(f"{k}/7").exp() for k in range(1, 9)), Exact.of(0))
    assert long._repr_latex_() == rf"$\approx {long.text(15)}$"


def test_balls_show_what_is_proven() -> None:
    compiled = compile_text("softmax([2, 5, 1])")
    entry = compiled.program.evaluate(compiled.feeds, numbers="balls", digits=10).output[0]
    assert isinstance(entry, Ball)
    assert entry._repr_latex_() == "$0.04661262258$"


def test_a_bound_and_a_power_of_ten_keep_their_meaning() -> None:
    assert shown(numeral_math("|x| < 1.5e-40")) == r"$\lvert x\rvert <1.5\times 10^{-40}$"
    assert shown(numeral_math("-2e21")) == r"$-2\times 10^{21}$"
    assert shown(numeral_math("undecided")) == r"$\text{undecided}$"
    assert numeral_math("38.2%") == Number("38.2%")
    assert numeral_math("0.1234567890123456789012345") == Number("0.1234567890123456789012…")
    assert isinstance(numeral_math(r"\input{x}"), Words)


def test_tensors_up_to_rank_two() -> None:
    attention = Attention(inputs="qkv", mask="causal")
    feeds = {"Q": [[1, 0], [0, 1]], "K": [[1, 0], [1, 1]], "V": [[1, 2], [3, 4]]}
    found = attention.evaluate(feeds)
    assert found["scores"]._repr_latex_() == r"$\left(\begin{array}{rr} 1 & 1 \\ 0 & 1 \end{array}\right)$"
    assert r"1 & \cdot" in found["weights"]._repr_latex_()
    assert balanced(found._repr_latex_())
    assert found._repr_latex_().count("&=") == len(found)
    many = Attention(inputs="qkv", heads=2).evaluate({"Q": [[1, 0]], "K": [[1, 0]], "V": [[1, 2]]})
    assert many["scores"]._repr_latex_() is None
    assert r"S &\in  \mathbb{R}^{2\times 1\times 1}" in many._repr_latex_()
    assert attention.evaluate(feeds, numbers="symbolic").output._repr_latex_() is None


@pytest.mark.parametrize("numbers", ["exact", "balls", "multiprec", "float64", "float16"])
def test_every_number_system_shows_itself(numbers: str) -> None:
    compiled = compile_text("a = [[1, 2], [3, -4]]; softmax(a / 3)")
    found = compiled.program.evaluate(compiled.feeds, numbers=numbers)
    assert balanced(found._repr_latex_())
    assert r"\text" not in found.output._repr_latex_()


def test_a_program_is_a_formula_a_stage() -> None:
    program = Attention(mask="causal").program()
    text = str(program).splitlines()
    assert len(text) == len(program.stages) == program._repr_latex_().count("&")
    assert "S[i,j] = sum(f) Q[i,f] K[j,f]" in text
    assert "Z_i = sum(j:j≤i) E[i,j]" in text
    assert balanced(program._repr_latex_())
    assert Attention(mask="causal")._repr_latex_() == program._repr_latex_()
    assert Attention(cross=True, mask="causal", inputs="qkv")._repr_latex_() is None


VARIANTS = [
    (Attention(mask="window", window=3, heads=4, kv_heads=2, alibi=True, softcap=50, sink=True, output_projection=True), "log-domain", ()),
    (Attention(rotary="halves", mask="padding+array", masked_row="mean"), "shifted", ()),
    (Attention(mask="causal", sink=True, heads=2), "online", (2, 1)),
    (Attention(scale="1/8", bias="per-head", heads=3), "prescaled", ()),
    (Attention(cross=True, mask="causal", query_offset=-2, masked_row="zero"), "deferred", ()),
]


@pytest.mark.parametrize(("attention", "algorithm", "blocks"), VARIANTS, ids=lambda x: x if isinstance(x, str) else "")
def test_every_attention_can_be_written(attention: Attention, algorithm: str, blocks: tuple[int, ...]) -> None:
    for masking in ("skip", "additive") if attention.masked_row == "error" and algorithm != "online" else ("skip",):
        program = attention.program(algorithm, blocks=blocks, masking=masking)
        assert balanced(program._repr_latex_())
        assert len(set(str(program).splitlines())) == len(program.stages)


def test_index_letters_are_one_an_axis() -> None:
    """Two axes never share a letter in one formula: a sum over i of entries (i, i) would say something else."""
    for attention, algorithm, blocks in VARIANTS:
        program = attention.program(algorithm, blocks=blocks)
        for stage in program.stages:
            left = writer("text")(formulas(program)[stage.name].left)
            indices = left.partition("[")[2].rstrip("]").split(",") if "[" in left else []
            assert len(set(indices)) == len(indices), left


def test_scalar_trees_keep_their_parentheses() -> None:
    def last(text: str) -> str:
        return str(compile_text(text, {"a": "n", "b": "n"}).program).splitlines()[-1]

    assert last("(a - b) * 2") == "result_i = (a_i - b_i) 2"
    assert last("a - (b - 1/3)") == "result_i = a_i - (b_i - 1/3)"
    assert last("(a + b) ** 2") == "result_i = (a_i + b_i)^2"
    assert last("-(a + b)") == "result_i = -(a_i + b_i)"
    assert last("a / (b / 2)") == "result_i = a_i/(b_i/2)"
    assert last("a - -2 * b") == "result_i = a_i - (-2) b_i"


def test_verdicts_show_what_is_right() -> None:
    printed = parse_printed("0.611")
    found = judge(printed, Rational(Fraction("0.611634")))
    assert found._repr_latex_() == r"$\text{truncated}\ -1,\ \text{right}\ 0.612,\ \text{value}\ 0.611634$"
    claim = Claim("L1C1:0.612", "number", Spot(1, 1), "0.612", "0.612", "x", judge(parse_printed("0.612"), Rational(Fraction("0.611634"))))
    assert claim._repr_latex_() == r"$0.612:\ \text{rounded},\ \text{value}\ 0.611634$"


def test_nothing_is_loaded_to_make_numbers() -> None:
    """A renderer comes in when something is shown, and only then."""
    code = "import sys; from symattn import Exact; x = Exact.of('1/3'); {}; print('symattn.render.latex_math' in sys.modules)"
    for action, loaded in (("repr(x)", "False"), ("x._repr_latex_()", "True")):
        out = subprocess.run([sys.executable, "-c", code.format(action)], capture_output=True, text=True, check=True)
        assert out.stdout.strip() == loaded


def test_writers_are_found_by_name() -> None:
    assert writer("latex")(Over(Number("1"), Number("2"))) == r"\frac{1}{2}"
    assert writer("text")(Over(Number("1"), Number("2"))) == "1/2"
    with pytest.raises(KeyError):
        writer("rtf")
