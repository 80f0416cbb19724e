"""No character of a text can become a command, and none is lost in silence."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.render.escape import escape, escape_code

# what the escaping itself may write: commands with fixed names, nothing that a text chose
COMMANDS = re.compile(r"\\([a-zA-Z]+|.)")
FORBIDDEN = {
    "input",
    "include",
    "write",
    "immediate",
    "openin",
    "openout",
    "def",
    "let",
    "csname",
    "catcode",
    "special",
    "read",
    "usepackage",
}


def balanced(latex: str) -> bool:
    depth = 0
    for token in re.findall(r"\\.|[{}]", latex, flags=re.DOTALL):
        depth += (token == "{") - (token == "}")
        if depth < 0:
            return False
    return depth == 0


def bare_specials(latex: str) -> list[str]:
    """Active characters that are neither escaped nor part of the escaping's own mathematics."""
    without = re.sub(r"\\[a-zA-Z]+|\\.", "", latex)
    without = re.sub(r"\$[^$]*\$", "", re.sub(r"\$[^$]*\{\}?[^$]*\$", "", without))
    return [c for c in without if c in "#%&^_$"]


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("50 % de $x_1$ & #2", r"50 \% de \$x\_1\$ \& \#2"),
        ("a\\b{c}", r"a\textbackslash{}b\{c\}"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("<a> | b", r"\textless{}a\textgreater{} \textbar{} b"),
        ("¿qué? «sí» “no”", r"\textquestiondown{}qué? \guillemotleft{}sí\guillemotright{} ``no{''}"),
        ("a — b – c -- d", r"a --- b -- c -{}- d"),
        ("x → y ≈ ∞ ✅", r"x $\to$ y $\approx$ $\infty$ $\checkmark$"),
        ("QKᵀ/√dₖ", r"QK$^{\text{T}}$/$\surd$d$_{\text{k}}$"),
        ("10⁻² ½", r"10$^{\text{$-$}}$$^{\text{2}}$ 1/2"),
        ("q\u0303 ṽ é", r"\~{q} \~{v} é"),
        ("e\u0301", "é"),
        ("𝑥", "x"),
        ("中\x07\u202e", r"\texttt{U+4E2D}\texttt{U+0007}\texttt{U+202E}"),
        ("a\n\n\tb", "a   b"),
        ("sin\u00adtaxis ✔\ufe0f", r"sintaxis $\checkmark$"),
        ("─│┌", r"{-}\textbar{}+"),
    ],
)
def test_known_characters_come_out_right(text: str, latex: str):
    assert escape(text) == latex


@pytest.mark.parametrize(
    "payload", [r"\input{/etc/passwd}", r"\write18{rm -rf}", "}\\end{document}", "%", "$$", "^^5c", "\\", "{", "}", "&\\\\"]
)
def test_payloads_lose_their_power(payload: str):
    latex = escape(payload)
    assert balanced(latex)
    assert bare_specials(latex) == []
    assert not FORBIDDEN & set(COMMANDS.findall(latex))


def test_the_checks_see_an_unescaped_payload():
    assert not balanced("}{")
    assert bare_specials("50 % of x_1") == ["%", "_"]
    assert FORBIDDEN & set(COMMANDS.findall(r"\input{x}"))


@given(st.text())
def test_any_text_is_one_balanced_line_without_bare_specials(text: str):
    for latex in (escape(text), escape_code(text)):
        assert balanced(latex)
        assert "\n" not in latex
        assert bare_specials(latex) == []
        assert all(c.isascii() or (c.isalpha() and ord(c) < 256) for c in latex)
        assert not FORBIDDEN & set(COMMANDS.findall(latex))


@given(st.characters(exclude_categories=("Cf", "Mn", "Me", "Zs", "Zl", "Zp", "Cc")))
def test_no_visible_character_vanishes(char: str):
    assert escape(char).strip() or unicodedata.normalize("NFC", char) != char


def test_ligatures_do_not_arise():
    assert escape(",,") == ",{},"
    assert escape("''") == "'{}'"
    assert "--" not in escape("a---b")


def test_long_runs_may_break_and_short_ones_do_not():
    assert r"\symbreak" not in escape("self-attention autoregresivamente")
    assert escape("x" * 40).count(r"\symbreak{}") == 3
    assert r"\symbreak" not in escape("x" * 40, breaks=False)


def test_code_keeps_straight_quotes():
    assert escape_code("f('a')") == (r"f(\symbreak{}\textquotesingle{}a\textquotesingle{})\symbreak{}")
