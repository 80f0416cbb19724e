"""Numbers are found with exactly what belongs to them, and names, labels and indices are not taken for numbers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.claims.locate.numbers import number_tokens
from symattn.errors import InputError
from symattn.number.decimal import parse_printed


def tokens(text: str, decimal: str | None = None) -> list[str]:
    found = number_tokens(text, decimal)
    for start, end, token in found:
        assert text[start:end] == token
    assert all(a.end <= b.start for a, b in pairwise(found))
    return [t.token for t in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # signs
        ("0.150 + 0.115 + -0.156 + 0.352 = +0.461", "0.150 0.115 -0.156 0.352 +0.461"),
        ("+0.641 + +0.517 + -0.083 + -0.121", "+0.641 +0.517 -0.083 -0.121"),
        ("(+0.461)(+1.391) + (+0.526)(-0.158)", "+0.461 +1.391 +0.526 -0.158"),
        ("3-1", "3 1"),
        ("3 - 1", "3 1"),
        ("x-1 y n-1", "1 1"),
        ("(x)-2, [1]-3, 5%-4", "2 1 3 5% 4"),
        ("-0.5", "-0.5"),
        ("−0.5 × −2", "−0.5 −2"),
        ("= –0.5", "–0.5"),
        ("10–20", "10 20"),
        ("e^-0.5 e^{-2}", "-0.5 -2"),
        ("$-0.5$ & -1 & |-2|", "-0.5 -1 -2"),
        ("(±0.12...) y ±8", "0.12... 8"),
        # separators and lists
        ("Σ = 2,980.96", "2,980.96"),
        ("3.555,56 y 1.234.567", "3.555,56 1.234.567"),
        ("1,234,567", "1,234,567"),
        ("12\u202f288 y 12 288 y 2'980.96", "12\u202f288 12 288 2'980.96"),
        ("83,83 % aunque por 1,8 puntos", "83,83 % 1,8"),
        ("[0.00, 1.00, 0.00]", "0.00 1.00 0.00"),
        ("[2,4]·[1,2] = 10", "2 4 1 2 10"),
        ("Q=[2,4]", "2 4"),
        ("0.5 × [1,2,3] + 0.3 × [4,5,6]", "0.5 1 2 3 0.3 4 5 6"),
        ("[0,5; 1,2]", "0,5 1,2"),
        ("[0,5, 1,2]", "0,5 1,2"),
        ("[2,980.96, 54.60]", "2,980.96 54.60"),
        ("[[1, 2], [3, 1]]", "1 2 3 1"),
        ("[0,1) y (0,1]", "0 1 0,1"),
        ("(0,30) (4,7 %) (1,2) f(0,1)", "0,30 4,7 % 1 2 0 1"),
        ("1,2,3", "1 2 3"),
        ("[1 -2 3]", "1 -2 3"),
        ("3.2, 4.0 y 1.0.", "3.2 4.0 1.0"),
        # percent, ellipsis, fractions, powers
        ("100% | (28.9%) | 37.9\\%", "100% 28.9% 37.9\\%"),
        ("28,9 % 37,9 %", "28,9 % 37,9 %"),
        ("5 % 3", "5 3"),
        ("0.12… y 0.3...", "0.12… 0.3..."),
        ("33.3…% y 33.3%…", "33.3…% 33.3%…"),
        ("±20... y 1, 2, 3, ...", "20 1 2 3"),
        ("[2/8, 5/8] = 24.53 / 3555.56", "2 8 5 8 24.53 3555.56"),
        ("e^2.0 ≈ 7.39, √4 = 2, √(16)", "2.0 7.39 4 2 16"),
        ("1.5e3 2E-4 1.5×10^3 2,5 · 10⁻³", "1.5e3 2E-4 1.5×10^3 2,5 · 10⁻³"),
        ("10^{-3}", "10 -3"),
        ("(0.30 × 10) + (0.40 × 20)", "0.30 10 0.40 20"),
        (".5 y x=.25", ".5 .25"),
        # names, indices, labels
        ("W_Q W_1 x1 d_k float64 T5 x_{12} q₀·k₀ k₁2", ""),
        ("GPT-3 y LLaMA-2 con 96 capas", "96"),
        ("2b 3D 7B 1ª 10º 0.5x", "0.5"),
        ("4×4 y 4x4", "4 4 4 4"),
        ("Q_perro[0] = W[0][1] = x1[2] = +0.461", "+0.461"),
        ("V[:,1] = 2", "2"),
        ("exp(800) softmax(2.0) np.array([[1, 2]])", "800 2.0 1 2"),
        ("1. Paso 2", "2"),
        ("3) Los 4 tokens", "4"),
        ("2. 3", "2 3"),
        ("en 2017, (Vaswani et al., 2017) y 2048 tokens", "2048"),
        ("(Bahdanau, 2014) 2017-06-12 arXiv:1706.03762 https://a.b/9?x=1.5", ""),
        ("v1.2.3 o 1.2.3", ""),
        ("&#39; 5 &#x27;", "5"),
        ("\u0663 y ５ no son ASCII, 5 sí", "5"),
        ("", ""),
    ],
)
def test_numbers_of_a_text(text: str, expected: str) -> None:
    assert " ".join(tokens(text)) == expected


def test_a_lone_comma_between_brackets_follows_the_known_mark() -> None:
    assert tokens("[2,4]", ",") == ["2,4"]
    assert tokens("(1,8)", ",") == ["1,8"]
    assert tokens("[1,2,3]", ",") == ["1", "2", "3"]
    assert tokens("[2,4]", ".") == ["2", "4"]


def test_brackets_do_not_reach_across_an_empty_line() -> None:
    assert tokens("[1,5\n\n2,5]") == ["1,5", "2,5"]
    assert tokens("[1,5\n2,5]") == ["1", "5", "2", "5"]


def test_a_line_of_the_kind_worksheets_quote() -> None:
    line = 'softmax(0.339) = 1.404 / 4.857 ≈ 0.289 (28.9%) ← atención a "el"'
    assert tokens(line) == ["0.339", "1.404", "4.857", "0.289", "28.9%"]
    at = [t.start for t in number_tokens(line)]
    assert at == [8, 17, 25, 33, 40]


def test_the_count_sees_a_planted_number() -> None:
    text = "total = 1.404 + 1.842 + 1.611 = 4.857"
    assert len(tokens(text)) == 4
    assert len(tokens(text.replace("1.611", "x1.611"))) == 3
    assert len(tokens(text + " (ojo: 4.858)")) == 5


@given(st.text(alphabet="0123456789.,+-−– %…[](){}eExX_aZ'\u202f\n=×^⁻³&#;v", max_size=60))
def test_any_text_is_read_and_each_token_is_a_number_or_refused_as_one(text: str) -> None:
    for token in tokens(text):
        assert any(c in "0123456789" for c in token)
        assert not token[0].isspace()
        readable = 0
        for mark in ".,":
            try:
                readable += parse_printed(token, mark) is not None
            except InputError:
                continue
        assert readable or token.count(",") + token.count(".") + token.count("'") >= 1


def test_hostile_lengths_stay_linear() -> None:
    assert len(tokens("1," * 100_000 + "1")) == 100_001
    assert len(tokens("[" * 20_000 + "5" + "]" * 20_000)) == 1
    assert len(tokens("(" * 20_000 + "5" + "]" * 20_000)) == 1
    assert tokens("9" * 1_000_000) == ["9" * 1_000_000]
    assert len(tokens("5 % " * 20_000)) == 20_000
    assert len(tokens("– " * 20_000 + "5")) == 1
