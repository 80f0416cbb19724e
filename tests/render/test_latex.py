"""The LaTeX of whole pages: every node, one source for both versions, rows that read back, no text that runs."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import pytest
from sample import box, num, products, row, sample_page, sub

from symattn.errors import RenderError
from symattn.page import nodes as n
from symattn.page.math import EMPTY, Sign
from symattn.page.nodes import (
    NODES,
    Cell,
    Chain,
    Errata,
    HeatMap,
    Ledger,
    Line,
    Margin,
    Page,
    Paragraph,
    Statement,
    Statements,
    Table,
    Term,
    Text,
)
from symattn.render.latex import LatexPage, to_latex

PAYLOAD = r"\input{/etc/passwd}\write18{id}}{$x$ % & # ~ ^ _ <a> ` ' \end{document} ✅"
# fields whose values are words of closed lists, not text
CLOSED = {
    "verdict", "student", "relation", "kind", "pair", "accent", "align", "status", "lang", "id", "claim", "values", "counts", "verdicts",
    "kinds", "style", "anchor", "axis",
}  # fmt: skip


def body(latex: str) -> str:
    return latex.split(r"\begin{document}", 1)[1]


def calls(latex: str, name: str, arguments: int) -> list[tuple[str, ...]]:
    """All calls of a macro as (option, argument, ...): a reader that counts braces, as the docstring of latex.py promises is enough."""
    out = []
    for found in re.finditer(rf"\\{name}(?![a-z])(?:\[([a-z]+)\])?", latex):
        at, parts = found.end(), [found[1] or "show"]
        for _ in range(arguments):
            assert latex[at] == "{", latex[found.start() : at + 20]
            depth, start = 0, at + 1
            while True:
                depth += {"{": 1, "}": -1}.get(latex[at], 0) if latex[at - 1] != "\\" or latex[at - 2 : at] == "\\\\" else 0
                at += 1
                if depth == 0:
                    break
            parts.append(latex[start : at - 1])
        out.append(tuple(parts))
    return out


def poison(value: Any, name: str = "") -> Any:
    """The same tree with a payload in every text field."""
    if name in CLOSED:
        return value
    if isinstance(value, Sign):
        return value
    if isinstance(value, str):
        return PAYLOAD
    if isinstance(value, tuple):
        return tuple(poison(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **{f.name: poison(getattr(value, f.name), f.name) for f in fields(value)})
    return value


def poisoned(lang: str = "es") -> Page:
    page = poison(sample_page(lang))
    assert str(page).count("etc/passwd") > 500
    return page


# -- nodes ------------------------------------------------------------------------------------------------------------
def test_every_page_node_has_a_method():
    assert set(LatexPage(sample_page()).methods) == set(NODES)


def test_the_sample_uses_every_node():
    seen: set[type] = set()

    def walk(value: Any) -> None:
        if is_dataclass(value):
            seen.add(type(value))
            for f in fields(value):
                walk(getattr(value, f.name))
        elif isinstance(value, tuple):
            for item in value:
                walk(item)

    walk(sample_page())
    assert set(NODES) <= seen
    assert {n.Text, n.Emph, n.Strong, n.Code, n.Formula} <= seen


def test_unknown_nodes_are_refused_by_name():
    @dataclass(frozen=True)
    class Poem:
        text: str = ""

    page = sample_page()
    with pytest.raises(RenderError, match="no form for the page node Poem"):
        to_latex(dataclasses.replace(page, blocks=(Poem(),)))  # type: ignore[arg-type]
    with pytest.raises(RenderError, match="no form for the inline node Poem"):
        to_latex(dataclasses.replace(page, blocks=(Paragraph((Poem(),)),)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("block", "says"),
    [
        (Chain((Line(EMPTY, "=", num("1"), student="peek"),)), "unknown student mode 'peek'"),
        (Chain((Line(EMPTY, "~", num("1")),)), "unknown relation '~'"),
        (Chain((Line(EMPTY, "=", num("1"), (Margin("1", "perfect"),)),)), "unknown verdict 'perfect'"),
        (Table(((),), (), "x"), "unknown column letter"),
        (Table(((),), ((Cell(), Cell()),), "l"), "a table row has 2 cells"),
        (HeatMap((("0.5",),), ("a", "b"), ("a",)), "1 rows and 1 columns has 2 queries"),
        (HeatMap((("1.5",),), ("a",), ("a",)), "decimals between 0 and 1, not '1.5'"),
        (HeatMap((("half",),), ("a",), ("a",)), "decimals between 0 and 1, not 'half'"),
        (Statements((Statement(1, "q", "perhaps", ()),)), "unknown status 'perhaps'"),
        (Errata((), (), (n.Erratum("1", (("1", "2", Margin("1", "perfect")),), ()),)), "unknown verdict 'perfect'"),
    ],
)
def test_values_outside_the_closed_lists_are_refused(block: n.Block, says: str):
    with pytest.raises(RenderError, match=re.escape(says)):
        to_latex(dataclasses.replace(sample_page(), blocks=(block,)))


def test_paper_and_language_are_closed_lists():
    with pytest.raises(RenderError, match="unknown paper 'a3'; use one of a4, letter"):
        to_latex(sample_page(), paper="a3")
    with pytest.raises(RenderError, match="no page words for the language 'fr'"):
        to_latex(dataclasses.replace(sample_page(), lang="fr"))


# -- one source -------------------------------------------------------------------------------------------------------
def test_teacher_and_student_differ_in_one_switch():
    teacher, student = to_latex(sample_page()), to_latex(sample_page(), blank=True)
    changed = [(a, b) for a, b in zip(teacher.splitlines(), student.splitlines(), strict=True) if a != b]
    assert len(changed) == 1
    assert r"\symblankfalse" in changed[0][0]
    assert r"\symblanktrue" in changed[0][1]


def test_the_papers_differ_in_the_paper_option_only():
    a4, letter = to_latex(sample_page()), to_latex(sample_page(), paper="letter")
    changed = [(a, b) for a, b in zip(a4.splitlines(), letter.splitlines(), strict=True) if a != b]
    assert [a.split("{")[0] for a, _ in changed] == [r"\documentclass[11pt,a4paper]", r"\geometry"]


def test_the_output_is_the_same_each_time_and_names_no_place_or_date():
    latex = to_latex(sample_page())
    assert latex == to_latex(sample_page())
    assert not re.search(r"/(home|tmp|root|work|usr)/|\b20[0-9]{2}\b|\\today", latex)


def test_every_place_of_the_preamble_is_filled():
    latex = to_latex(sample_page())
    assert re.findall(r"<<[a-z-]+>>", latex) == []
    assert "None" not in latex


def test_environments_and_braces_are_balanced():
    for lang in ("es", "en"):
        text = body(to_latex(sample_page(lang)))
        stack = []
        for kind, name in re.findall(r"\\(begin|end)\{([a-z]+\*?)\}", text):
            if kind == "begin":
                stack.append(name)
            else:
                assert stack.pop() == name if name != "document" else stack == []
        bare = re.sub(r"\\.", "", text)
        assert bare.count("{") == bare.count("}")


# -- rows that read back ----------------------------------------------------------------------------------------------
def test_each_row_of_a_chain_is_one_line_that_reads_back():
    text = body(to_latex(sample_page()))
    lines = calls(text, "symline", 4)
    assert ("show", r"q_{\mathrm{perro},0}", "=", "(0.50)(0.3)+(1.15)(0.1)+(0.78)(-0.2)+(0.88)(0.4)", "") in lines
    result = next(line for line in lines if r"\symresult{0.461}{1a}" in line[3])
    assert result[:3] == ("show", "", "=")
    assert calls(result[4], "symentry", 4) == [("show", "exact", "+0.461", "exacto", "")]
    assert {line[0] for line in lines} == {"show", "dashed", "hide"}
    expected = sum(
        len(block.lines) for step in sample_page().blocks if isinstance(step, n.Step) for block in step.blocks if isinstance(block, Chain)
    )
    expected += 1  # the statement of the theorem
    assert len(lines) == expected > 20
    assert len(re.findall(r"^\\symline", text, flags=re.MULTILINE)) == expected


def test_a_ledger_reads_back_and_is_aligned_on_the_point():
    text = body(to_latex(sample_page()))
    terms = calls(text, "symterm", 6)
    assert [(t[1], t[2], t[3], t[5]) for t in terms] == [
        ("", "(0.461)(1.391)", "=", "0.641251"),
        ("+", "(0.779)(0.663)", "=", "0.516477"),
        ("+", "(0.526)(-0.158)", "=", "(-0.083108)"),
        ("+", "(0.807)(-0.150)", "=", "(-0.121050)"),
    ]
    assert [t[4] for t in terms] == ["({-}", "({-}", "", ""]
    assert calls(text, "symsum", 4)[0][1:4] == (r"s_{\mathrm{perro},\mathrm{come}}", "=", r"\symresult{0.953570}{2a}")


def test_a_row_that_is_too_long_goes_on_in_further_lines():
    page = dataclasses.replace(
        sample_page(), blocks=(Chain((Line(sub("q", "0"), "=", products(*[("0.50", "-0.3")] * 9), (Margin("1", "wrong", right="2"),)),)),)
    )
    text = body(to_latex(page))
    (line,) = calls(text, "symline", 4)
    rest = calls(text, "symcont", 2)
    assert line[4] == ""
    assert [bool(part[2]) for part in rest] == [False] * (len(rest) - 1) + [True]
    assert "+".join([line[3], *(part[1].removeprefix("{}+") for part in rest)]) == "+".join(["(0.50)(-0.3)"] * 9)


def test_ledger_values_of_different_lengths_are_padded_to_one_point():
    ledger = Ledger(
        tuple(Term(num("1"), "=", value) for value in ("12.5", "(-0.25)", "-7.125")),
        Line(num("2"), "=", row(num("3"), Sign("="), box("5", "a"))),
    )
    text = body(to_latex(dataclasses.replace(sample_page(), blocks=(ledger,))))
    assert [t[4] for t in calls(text, "symterm", 6)] == ["({-}", "0", "(0"]


# -- margin -----------------------------------------------------------------------------------------------------------
def test_a_printed_minus_is_a_true_minus_and_notes_say_what_is_right():
    page = dataclasses.replace(
        sample_page(),
        blocks=(Chain((Line(EMPTY, "=", num("1"), (Margin("-0.517", "off-by", off=-2, right="-0.519"), Margin("a" * 40, "undecided"))),)),),
    )
    text = body(to_latex(page))
    assert r"\symentry[$-$2]{off-by}{$-$0.517}{a 2 del último dígito}{\symnote{correcto $-$0.519}}" in text
    assert r"\symentry{undecided}{}{sin decidir}{\symnote{aaaa" in text


def test_errata_bar_is_to_scale():
    text = body(to_latex(sample_page()))
    widths = [float(mm) for mm in re.findall(r"\\symbarpart\{([0-9.]+)mm\}", text)]
    assert sum(widths) == pytest.approx(164.0, abs=0.01)
    assert widths[0] == pytest.approx(164 * 213 / 350, abs=0.001)


def test_no_errata_is_said_in_one_line():
    text = body(to_latex(dataclasses.replace(sample_page("en"), blocks=(Errata((), (("exact", 3),), ()),))))
    assert "This worksheet has no errata." in text
    assert r"\symerratahead" not in text


def test_tables_with_captions_are_counted_and_long_ones_set_in_parts():
    cells = tuple((Cell((Text(str(k)),)), Cell(number=f"{k}.5")) for k in range(70))
    table = Table(((Text("k"),), (Text("v"),)), cells, "lr", (Text("Larga."),), groups=(0, 3))
    text = body(to_latex(dataclasses.replace(sample_page(), blocks=(table, table))))
    assert text.count(r"\symcaption{Tabla 1.}") == text.count(r"\symcaption{Tabla 2.}") == 1
    assert text.count(r"\midrule") == 6
    assert all(text.count(f"${k}.5$") == 2 for k in range(70))


def test_heat_maps_drop_numbers_then_names():
    def heat(size: int) -> str:
        names = tuple(f"tok{k}" for k in range(size))
        node = HeatMap((("0.250",) * size,) * size, names, names)
        return body(to_latex(dataclasses.replace(sample_page(), blocks=(node,))))

    assert "{25.0}{0.250}" in heat(12)
    assert "{25.0}{0.250}" not in heat(13)
    assert "tok5" in heat(32)
    assert "tok5" not in heat(33)


# -- untrusted text ---------------------------------------------------------------------------------------------------
def test_a_payload_in_every_text_field_stays_text():
    text = body(to_latex(poisoned()))
    assert r"\input" not in text
    assert r"\write" not in text
    assert text.count(r"\end{document}") == 1
    bare = re.sub(r"\\.", "", text)
    assert bare.count("{") == bare.count("}")


def test_the_payload_reaches_the_page():
    assert body(to_latex(poisoned())).count("etc/passwd") > 300


def test_a_step_that_no_page_can_hold_is_not_gathered_in_one_box():
    def opening(rows: int) -> str:
        step = n.Step("1", (Text("t"),), (Chain((Line(EMPTY, "=", num("1")),) * rows),))
        return body(to_latex(dataclasses.replace(sample_page(), blocks=(step,))))

    assert r"\begin{symstep}" in opening(40)
    assert r"\begin{symlongstep}" in opening(41)
