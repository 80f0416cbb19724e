"""Derivations in every form: marks, margins, the bar, the key; each mark has its own look and its word."""

from __future__ import annotations

import re

import pytest
from sample import derivation

from symattn.errors import RenderError
from symattn.page import nodes as n
from symattn.page.math import EMPTY, Name
from symattn.page.words import LANGUAGES, MARKS, mark_word
from symattn.proof.evidence import KINDS
from symattn.render.html import to_html
from symattn.render.html_proof import MARKS as SQUARES
from symattn.render.latex import to_latex
from symattn.render.markdown import to_markdown
from symattn.render.terminal import to_text


def page(lang: str = "es", **changes: object) -> n.Page:
    blocks = derivation(lang).blocks
    heading = (n.Text("W"), n.Formula(Name("W")))
    return n.Page(lang, "Kicker", "Title", "", (), blocks, "foot", plain=True, section="Part", heading=heading, **changes)  # type: ignore[arg-type]


def test_the_marks_are_the_kinds_of_evidence_in_their_order():
    assert tuple(MARKS) == KINDS
    assert set(SQUARES) == set(KINDS)
    assert len(set(SQUARES.values())) == len(KINDS)
    for signs in zip(*MARKS.values(), strict=True):
        assert len(set(signs)) == len(KINDS)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_line_has_its_mark_rule_and_reason(lang: str):
    latex = to_latex(page(lang))
    assert re.findall(r"\\symmarkentry\{([a-z-]+)\}", latex) == [*KINDS, "rejected"]
    assert re.findall(r"^\\symproofline\{(\d*)\}", latex, flags=re.MULTILINE) == [*"12345678", ""]
    text = to_text(page(lang))
    for kind in KINDS:
        assert mark_word(kind, lang) in text
        assert f"{MARKS[kind][0]} " in text
    html = to_html(page(lang))
    assert html.count('class="why-line"') == len(KINDS) + 1
    assert html.count(f'title="{mark_word("sampled", lang)}"') == 2
    assert to_markdown(page(lang)).count("| ") > len(KINDS)


def test_rule_and_reason_stand_under_their_line_indented_by_eight():
    lines = to_text(page("en")).split("\n")
    at = next(k for k, line in enumerate(lines) if line.startswith("2 "))
    assert lines[at + 1] == "        ◩ Definition · lines 2 and 3; Z > 0"
    plain = to_text(page("en"), ascii=True).split("\n")
    assert "        [n] Definition - lines 2 and 3; Z > 0" in [line.replace("·", "-").replace("*", "-") for line in plain]


def test_a_plain_page_has_no_room_for_a_key_and_shows_formulas_in_its_title():
    latex = to_latex(page()).split(r"\begin{document}")[1]
    assert r"\symplaintitle{KICKER}{W$W$}" in latex
    assert r"\symopening" not in latex
    assert "<h1>W<math" in to_html(page())


def test_an_unknown_kind_of_evidence_is_refused():
    line = n.ProofLine("1", EMPTY, "=", Name("x"), n.Mark("believed", "Rule"))
    proof = n.Proof((n.ProofStage("", (), (line,)),), n.Mark("sampled", "Rule"))
    bad = n.Page("en", "", "T", "", (), (proof,), "")
    for render in (to_latex, to_html, to_markdown, to_text):
        with pytest.raises(RenderError, match="unknown kind of evidence 'believed'"):
            render(bad)
