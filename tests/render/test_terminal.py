"""Terminal pages: three edges, nothing wider than the terminal, words beside glyphs, no byte that steers a terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from payloads import PAYLOADS, poison
from sample import sample_page

from symattn.errors import RenderError
from symattn.page import math as m
from symattn.page import nodes as n
from symattn.page.words import words
from symattn.render.leaf import cell_width
from symattn.render.terminal import BLOCKS, to_text
from symattn.render.terminal_math import math_text, unmark
from symattn.render.terminal_writer import wrap, wrap_formula


def missing(methods: dict[type, object]) -> list[str]:
    return [node.__name__ for node in n.NODES if node not in methods]


def test_every_block_has_a_method_and_a_missing_one_is_seen():
    assert missing(dict(BLOCKS)) == []
    assert missing({node: method for node, method in BLOCKS.items() if node is not n.HeatMap}) == ["HeatMap"]


def test_an_unknown_node_is_refused():
    with pytest.raises(RenderError, match="no terminal text for the page node int"):
        to_text(replace(sample_page(), blocks=(3,)))  # type: ignore[arg-type]
    with pytest.raises(RenderError, match="no terminal text for the inline node int"):
        to_text(replace(sample_page(), blocks=(n.Paragraph((3,)),)))  # type: ignore[arg-type]


# -- the three edges ------------------------------------------------------------------------------------------------------
def scaled(name: str, quotient: str, value: str, margin: n.Margin) -> n.Line:
    left = m.Script(m.Name("s", accent="tilde"), m.Row((m.Name("perro", upright=True), m.Sign(","), m.Name(name, upright=True))))
    right = m.Row((m.Number(quotient), m.Sign("/"), m.Number("2"), m.Sign("="), m.Box(m.Number(value), label="4a")))
    return n.Line(left, "=", right, (margin,))


STEP = n.Step(
    "4",
    (n.Text("Escalar por "), n.Formula(m.Root(m.Script(m.Name("d"), m.Name("k"))))),
    (
        n.Chain(
            (
                scaled("el", "0.677451", "0.3387255", n.Margin("0.339", "rounded")),
                scaled("perro", "1.223268", "0.6116340", n.Margin("0.611", "truncated", right="0.612")),
            )
        ),
    ),
)


def step_lines(step: n.Step, **options: object) -> list[str]:
    page = n.Page("es", "", "t", "", (), (step,), "")
    text = to_text(page, **options)  # type: ignore[arg-type]
    lines = text.split("\n")
    at = next(k for k, line in enumerate(lines) if line.startswith("4"))
    return [line for line in lines[at : at + 6] if line.strip()][:4]


def test_a_step_stands_as_agreed():
    assert step_lines(STEP) == [
        "4   Escalar por √d_k                             impreso veredicto",
        "    s'[perro,el]    = 0.677451/2 = 0.3387255       0.339 ≈  redondeado",
        "    s'[perro,perro] = 1.223268/2 = 0.6116340       0.611 ⌋  truncado",
        "                                                            correcto 0.612",
    ]


def test_the_same_in_seven_bits():
    assert step_lines(STEP, ascii=True) == [
        "4   Escalar por sqrt(d_k)                        impreso veredicto",
        "    s'[perro,el]    = 0.677451/2 = 0.3387255       0.339 ~  redondeado",
        "    s'[perro,perro] = 1.223268/2 = 0.6116340       0.611 |  truncado",
        "                                                            correcto 0.612",
    ]


def test_the_student_gets_empty_places():
    assert step_lines(STEP, blank=True)[:2] == [
        "4   Escalar por √d_k                             impreso su veredicto",
        "    s'[perro,el]    = 0.677451/2 = [4a ______]   _______ [ ]",
    ]


@pytest.mark.parametrize("number", ["0.339", "-0.083", "83.83%", "4.857"])
def test_printed_numbers_end_at_56_glyphs_stand_at_58_words_at_61(number: str):
    line = step_lines(replace(STEP, blocks=(n.Chain((scaled("el", "1", "2", n.Margin(number, "exact")),)),)))[1]
    shown = number.replace("-", "−")
    assert line[56 - len(shown) : 56] == shown
    assert line[57] == "="
    assert line[60:] == "exacto"


def test_the_word_fits_its_twenty_columns():
    line = step_lines(replace(STEP, blocks=(n.Chain((scaled("el", "1", "2", n.Margin("0.517", "off-by", off=1, right="0.516")),)),)))[1]
    assert line[57:] == "+1 a 1 del último"
    assert cell_width(line) <= 80


@pytest.mark.parametrize("options", [{}, {"ascii": True}, {"blank": True}, {"blank": True, "ascii": True}])
@pytest.mark.parametrize("lang", ["es", "en"])
@pytest.mark.parametrize("width", [80, 100, 72, 60, 48])
def test_nothing_is_wider_than_the_terminal(width: int, lang: str, options: dict[str, bool]):
    text = to_text(sample_page(lang), width=width, **options)
    assert max(cell_width(line) for line in text.split("\n")) <= width
    if options.get("ascii"):
        assert text.isascii()
    assert not any(line.endswith(" ") for line in text.split("\n"))


def test_formula_rows_keep_out_of_the_margin():
    text = to_text(sample_page())
    formulas = [line for line in text.split("\n") if "(0.50)(0.3)" in line or "(0.78)(−0.2)" in line]
    assert formulas == ["    q[perro,0] = (0.50)(0.3) + (1.15)(0.1)", "                 + (0.78)(−0.2) + (0.88)(0.4)"]


def test_a_narrow_terminal_puts_the_margin_below():
    lines = to_text(n.Page("es", "", "t", "", (), (STEP,), ""), width=60).split("\n")
    at = next(k for k, line in enumerate(lines) if "0.6116340" in line)
    assert lines[at + 1].split() == ["0.611", "⌋", "truncado"]
    assert lines[at + 2].strip() == "correcto 0.612"


# -- colour -----------------------------------------------------------------------------------------------------------------
def test_no_colour_unless_asked():
    assert "\x1b" not in to_text(sample_page())
    coloured = to_text(sample_page(), color=True)
    assert "\x1b[1m0.461\x1b[0m" in coloured  # results are bold
    assert "\x1b[36mexacto\x1b[0m" in coloured
    plain = coloured
    for code in ("1", "3", "2", "1;34", "36", "33", "1;31", "0"):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert plain == to_text(sample_page())  # colour adds nothing but colour


# -- hostile text -------------------------------------------------------------------------------------------------------------
def unsafe(text: str) -> set[str]:
    return {char for char in text if (ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0 or char in "\u202e\u2066\ud800"}


@pytest.mark.parametrize("ascii", [False, True])
@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_cannot_steer_a_terminal(payload: str, ascii: bool):
    text = to_text(poison(sample_page(), payload), ascii=ascii)
    assert unsafe(text) == set()
    text.encode("utf-8")
    if ascii:
        assert text.isascii()
    narrow = to_text(poison(sample_page(), payload), ascii=ascii, blank=True, width=60)
    assert unsafe(narrow) == set()


def test_a_raw_escape_is_seen():
    assert unsafe("\x1b[31m") == {"\x1b"}


# -- what pages say ---------------------------------------------------------------------------------------------------------
def test_the_student_version_gives_nothing_away():
    text = to_text(sample_page(), blank=True)
    before, key = text.split(words("es")["answers"], 1)
    for answer in ("+0.461", "0.641251", "0.288865", "1.403158", "0.340", "0.742917", "0.517", "1.404", "0.222", "exacto  "):
        assert answer not in before
    assert "1a  q[perro,0]  0.461  +0.461 = exacto" in key


def test_weights_are_numbers_and_bars_of_ten():
    node = n.HeatMap((("0.289", "0.711"), ("", "")), ("el", "perro"), ("el", "perro"), framed=0)
    text = to_text(n.Page("es", "", "t", "", (), (node,), ""))
    assert "  > el     el     0.289 ███░░░░░░░" in text
    assert "           perro  0.711 ███████░░░  suma 1" in text
    assert "sin clave" in text


def test_a_large_map_is_shades():
    tokens = tuple(f"t{k}" for k in range(13))
    text = to_text(n.Page("es", "", "t", "", (), (n.HeatMap((("0.5",) * 13,) * 13, tokens, tokens),), ""))
    assert "▒" * 13 in text


def test_a_table_too_wide_breaks_its_words_and_then_becomes_entries():
    words_cell = n.Cell((n.Text("palabra " * 30),))
    head = ((n.Text("a"),), (n.Text("b"),))
    text = to_text(n.Page("es", "", "t", "", (), (n.Table(head, ((words_cell, n.Cell(number="0.5")),), "lr"),), ""))
    assert max(len(line) for line in text.split("\n")) <= 80
    many = n.Table(tuple((n.Text(f"c{k}"),) for k in range(20)), (tuple(n.Cell(number="0.123456") for _ in range(20)),), "r" * 20)
    assert "c19: 0.123456" in to_text(n.Page("es", "", "t", "", (), (many,), ""))


def test_values_of_a_ledger_align_on_the_point():
    terms = (n.Term(m.Name("a"), "=", "1.25"), n.Term(m.Name("b"), "=", "(-0.5)"))
    text = to_text(n.Page("es", "", "t", "", (), (n.Ledger(terms, n.Line(m.Name("s"), "=", m.Number("0.75"))),), ""))
    first, second = (line for line in text.split("\n") if " = " in line and ("1.25" in line or "0.5" in line))
    assert first.index(".") == second.index(".")


# -- wrapping ---------------------------------------------------------------------------------------------------------------
def test_wrapping_measures_columns():
    assert wrap("漢字漢字 漢字", 8) == ["漢字漢字", "漢字"]
    assert wrap("a" * 20, 8) == ["a" * 8, "a" * 8, "a" * 4]
    assert wrap("", 10) == [""]


def test_formulas_break_before_signs_first():
    row = m.Row(tuple(part for k in range(5) for part in ((m.Sign("+"),) if k else ()) + (m.Number(f"0.{k}00"),)))
    assert wrap_formula(math_text(row, marks=True), 22) == ["0.000 + 0.100 + 0.200", "+ 0.300 + 0.400"]


def test_a_matrix_too_wide_for_the_terminal_is_written_as_rows():
    wide = m.Grid(tuple(tuple(m.Number("-0.1234567") for _ in range(8)) for _ in range(8)))
    text = to_text(n.Page("en", "", "t", "", (), (n.Matrices(((m.Name("W"), wide),)),), ""))
    assert max(cell_width(line) for line in text.split("\n")) <= 80
    assert "W = [[−0.1234567, −0.1234567," in text


def test_a_wide_blank_starts_a_row_of_its_own_when_needed():
    row = m.Row((m.Name("abcdefghijkl"), m.Words("    "), m.Name("i"), m.Sign("="), m.Number("0")))
    assert wrap_formula(math_text(row, marks=True), 16) == ["abcdefghijkl", "i = 0"]
    assert [unmark(line) for line in wrap_formula(math_text(row, marks=True), 40)] == ["abcdefghijkl    i = 0"]


def test_a_step_without_a_number_goes_by_its_title_in_the_key():
    key = n.AnswerKey((("Datos", (n.Answer("a", m.Name("x"), "1"),)), ("2", (n.Answer("2a", m.Name("y"), "3"),))))
    text = to_text(n.Page("es", "", "t", "", (), (key,), ""), blank=True)
    assert "    Datos\n" in text
    assert "    paso 2\n" in text
