"""Any text at all: a program, or one SymattnError with a place and a next move; never another exception, never a long wait."""

from __future__ import annotations

import contextlib
import sys
import unicodedata
from fractions import Fraction

from hypothesis import example, given, settings
from hypothesis import strategies as st

from symattn.errors import SymattnError
from symattn.language.builder import Builder
from symattn.language.parser import parse, parse_definition, parse_relation
from symattn.language.prompt import compile_text
from symattn.language.unparse import operands, substitute, unparse

FUZZ = settings(max_examples=1500, deadline=None, derandomize=True)

PIECES = [
    *"()[],:;.@*/+-<>=^%$\\\"'#\n\t {}|&!~`?",
    *["**", "==", "!=", "<=", ">=", "·", "×", "−", "≤", "√", "²", "ᵀ", "…", "\x00", "\x1b", "\u202e", "\ud800", "é", "e\u0301", "行", "🙂"],
    *["Q", "K", "V", "v", "c", "x", "n", "el", "T", "P.row_sums", "np", "__import__", "lambda", "if", "nan", "inf", "self"],
    *["softmax", "exp", "log", "sum", "mean", "max", "min", "dot", "outer", "diag", "concat", "attention", "sqrt", "sigmoid", "transpose"],
    *["axis=", "mask=", '"causal"', "scale=", "bias=", "sink=", "axis=0", "axis=1"],
    *["0", "1", "2", "0.5", "1e3", "1e-999", "9999999999", ".5", "5.", "0x1", "1_0", "3,5"],
    *[
        "[1, 2]",
        "[[1, 2], [3, 4]]",
        "[[1], [2]]",
        "Q @ K.T",
        "softmax(Q)",
        "exp(v)",
        "sum(Q)",
        "Q[0]",
        "v[el]",
        "/ sqrt(n)",
        "**2",
        "**(1/2)",
    ],
]
SOUP = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
SPACED = st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join)
ANY = st.text(max_size=60)
VALUES = {"Q": "[[1, 2], [3, 4]]", "K": "[[1, 0], [2, 1]]", "V": "[[1, 2, 3], [4, 5, 6]]", "v": "[1, 2]", "c": "3"}


def tried(text: str) -> None:
    for read in (parse, parse_relation, parse_definition):
        try:
            node = read(text, "fuzz.md")
        except SymattnError as error:
            complains_well(error, text)
        else:
            assert read(unparse(node)) == node
    try:
        compiled = compile_text(text, values=VALUES, path="fuzz.md")
    except SymattnError as error:
        complains_well(error, text)
    else:
        assert compiled.output in compiled.program.by_name
        inputs = {stage.name for stage in compiled.program.inputs}
        assert inputs == set(compiled.feeds)


def complains_well(error: SymattnError, text: str) -> None:
    assert error.message
    assert error.next_move
    assert "\n" not in error.message
    assert error.place is not None
    assert error.place.line >= 1
    assert error.place.column >= 1
    lines = text.split("\n")
    assert error.place.line <= len(lines)
    assert error.place.column <= len(lines[error.place.line - 1]) + 1
    shown = error.pretty()
    assert all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for c in shown), shown
    shown.encode("utf-8")


@FUZZ
@given(SOUP)
@example("softmax(Q @ K.T / sqrt(2)) @ V")
@example("Q + Q.T + v")
@example("[" * 101)
def test_soup(text: str) -> None:
    tried(text)


@FUZZ
@given(SPACED)
def test_spaced_soup(text: str) -> None:
    tried(text)


@FUZZ
@given(ANY)
def test_any_text(text: str) -> None:
    tried(text)


# -- well-formed expressions whose shapes may or may not fit ------------------------------------------------------------------
LEAVES = st.sampled_from(
    ["Q", "K", "V", "v", "c", "1", "0.5", "[1, 2]", "[[1], [2]]", "[[1, 2]]", "[[1, 2], [3, 4]]", "[1, 2, 3]", "Q[0]", "V[:,1]"]
)
FORMULAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "@", "·"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(
            st.sampled_from(["exp", "sum", "softmax", "mean", "max", "min", "sigmoid", "relu", "abs", "diag", "-", "log"]), inner
        ).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(st.sampled_from(["dot", "outer", "concat", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
        inner.map(lambda t: f"({t}).T"),
        st.tuples(inner, st.sampled_from(["2", "-1", "(1/2)"])).map(lambda t: f"({t[0]})**{t[1]}"),
        st.tuples(inner, inner, inner, st.sampled_from(["", ', mask="causal"', ", scale=1"])).map(
            lambda t: f"attention({t[0]}, {t[1]}, {t[2]}{t[3]})"
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=1500, deadline=None, derandomize=True)
@given(FORMULAS)
def test_formulas_compile_to_valid_programs_or_say_why_not(text: str) -> None:
    tried(text)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(["a", "b", "d", "Q"]), FORMULAS), max_size=6), SOUP)
def test_builders_survive_what_fails(definitions: list[tuple[str, str]], soup: str) -> None:
    b = Builder({"el": ("x", "y")})
    for name, text in VALUES.items():
        b.give_value(name, [], text)
    for name, text in definitions:
        before = b.program()
        try:
            b.define(name, text)
        except SymattnError:
            assert b.program() == before
        else:
            assert name in b.program().by_name
    for act in (b.address, b.scalar_program, b.relation):
        before = b.program()
        try:
            act(soup)
        except SymattnError:
            assert b.program() == before
    b.program()


@settings(max_examples=300, deadline=None, derandomize=True)
@given(FORMULAS)
def test_substituting_operands_by_themselves_changes_nothing(text: str) -> None:
    node = parse(text)
    assert substitute(node, {o: o for o in operands(node)}) == node


def test_the_deepest_text_that_is_read_needs_little_stack() -> None:
    """What is just within the limits is read, compiled and written back from deep inside a program."""
    texts = ["-" * 130 + "1", "2**" * 130 + "1", "+".join(["1"] * 200), "(" * 64 + "1" + ")" * 64, "exp(1+" * 64 + "1" + ")" * 64]
    texts.append("(1+" * 64 + "1" + "*-1" + ")" * 64)

    def deep(levels: int, text: str) -> None:
        if levels:
            deep(levels - 1, text)
            return
        assert parse(unparse(parse(text))) == parse(text)
        with contextlib.suppress(SymattnError):
            compile_text(text)

    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(1000)
        for text in texts:
            deep(150, text)
    finally:
        sys.setrecursionlimit(limit)


def test_exact_numbers_stay_exact() -> None:
    text = "0.1"
    compiled = compile_text(f"[{text}]")
    assert compiled.feeds["result"] == (Fraction(1, 10),)
