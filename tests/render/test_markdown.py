"""Markdown pages: read back by a CommonMark reader, with and without mathematics, they hold our structure and only text of others."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from payloads import PAYLOADS, poison
from sample import sample_page

from symattn.errors import RenderError
from symattn.page import math as m
from symattn.page import nodes as n
from symattn.page.words import words
from symattn.render.leaf import visible
from symattn.render.markdown import BLOCKS, to_markdown
from symattn.render.markdown_leaf import MarkdownMath, code, formula, start, text


def reader(*, mathematics: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return parser.use(dollarmath_plugin, allow_space=False) if mathematics else parser


def walk(tokens: list[Token]) -> list[Token]:
    return [inner for token in tokens for inner in (token, *walk(token.children or []))]


def missing(methods: dict[type, object]) -> list[str]:
    return [node.__name__ for node in n.NODES if node not in methods]


def test_every_block_has_a_method_and_a_missing_one_is_seen():
    assert missing(dict(BLOCKS)) == []
    assert missing({node: method for node, method in BLOCKS.items() if node is not n.Key}) == ["Key"]


def test_every_formula_node_has_a_method():
    assert set(get_args(m.Math)) <= MarkdownMath().nodes


def test_an_unknown_node_is_refused():
    with pytest.raises(RenderError, match="no Markdown for the page node int"):
        to_markdown(replace(sample_page(), blocks=(3,)))  # type: ignore[arg-type]
    with pytest.raises(RenderError, match="no Markdown for the inline node int"):
        to_markdown(replace(sample_page(), blocks=(n.Paragraph((3,)),)))  # type: ignore[arg-type]


# -- structure ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("lang", ["es", "en"])
def test_a_reader_finds_our_structure(lang: str, blank: bool):
    tokens = walk(reader(mathematics=True).parse(to_markdown(sample_page(lang), blank=blank)))
    kinds = [token.type for token in tokens]
    assert kinds.count("heading_open") == 12 + blank  # title, seven steps, three parts, a stage, the key
    assert kinds.count("math_block") >= 10
    assert kinds.count("math_inline") >= 20
    assert kinds.count("table_open") >= 8
    assert {"html_block", "html_inline", "link_open", "image"} & set(kinds) == set()
    for token in tokens:
        if token.type == "text":
            assert "$" not in token.content  # every formula was read as one


def test_formulas_hold_nothing_that_markdown_would_read():
    for token in walk(reader(mathematics=True).parse(to_markdown(sample_page()))):
        if token.type.startswith("math"):
            assert not set("<>[]`|") & set(token.content)
            assert token.content.count("{") == token.content.count("}")
            assert token.content.count(r"\begin{") == token.content.count(r"\end{")


def test_verdicts_stand_in_tables():
    page = to_markdown(sample_page())
    assert r"| $\tilde{s}_{\mathrm{perro},\mathrm{perro}}$ | +0.611 | ⌋ truncado | correcto 0.612 |" in page
    assert "| $q_{\\mathrm{perro},0}$ | 4 términos | = exactos |" in page


def test_a_chain_is_aligned_on_its_relation_signs():
    page = to_markdown(sample_page())
    assert "q_{\\mathrm{perro},0} &= (0.50)(0.3)+(1.15)(0.1)+(0.78)(-0.2)+(0.88)(0.4) \\\\\n&= 0.150" in page


def test_the_student_version_gives_nothing_away():
    page = to_markdown(sample_page(), blank=True)
    before, key = page.split(f"## {words('es')['answers']}")
    for answer in ("+0.461", "0.641251", "0.288865", "1.403158", "0.340", "0.742917", "0.517", "1.404", "0.222"):
        assert answer not in before
    assert r"\boxed{\text{1a}\hspace{5em}}" in before
    assert "| 1a | $q_{\\mathrm{perro},0}$ | 0.461 | +0.461 | = exacto |" in key


# -- hostile text -----------------------------------------------------------------------------------------------------------
def dangers(page: str) -> list[str]:
    found = []
    for mathematics in (True, False):
        tokens = walk(reader(mathematics=mathematics).parse(page))
        bad = {"html_block", "html_inline", "link_open", "image", "fence", "code_block"}
        found += [f"{token.type} {token.content}" for token in tokens if token.type in bad]
        rows: dict[int, int] = {}
        for token in tokens:  # a pipe must not add cells
            if token.type in ("th_open", "td_open"):
                rows[token.level] = rows.get(token.level, 0) + 1
    found += [f"character {ord(char):#x}" for char in set(page) if (ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0]
    return found


def shape(page: str) -> list[str]:
    """The block structure of a page: what a hostile text must not be able to change."""
    inside = {"inline", "softbreak", "text"}
    return [token.type for token in reader(mathematics=True).parse(page) if token.type not in inside and not token.type.startswith("math")]


@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_stays_text(payload: str, blank: bool):
    page = to_markdown(poison(sample_page(), payload), blank=blank)
    assert dangers(page) == []
    assert shape(page) == shape(to_markdown(poison(sample_page(), "x"), blank=blank))
    page.encode("utf-8")


def test_text_that_is_not_escaped_is_seen(monkeypatch: pytest.MonkeyPatch):
    page = poison(sample_page(), "<script>alert(1)</script>")
    assert dangers(to_markdown(page)) == []
    monkeypatch.setattr("symattn.render.markdown.text", lambda words: words)
    assert any("script" in danger for danger in dangers(to_markdown(page)))


def test_a_pipe_that_is_not_escaped_is_seen(monkeypatch: pytest.MonkeyPatch):
    harmless = shape(to_markdown(poison(sample_page(), "x")))
    monkeypatch.setattr("symattn.render.markdown.start", lambda line: line)
    assert shape(to_markdown(poison(sample_page(), "# title"))) != harmless


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_reader_sees_the_very_text(payload: str):
    """Escaping loses nothing: the text read back is the text put in."""
    tokens = walk(reader(mathematics=True).parse(start(text(payload))))
    seen = "".join(token.content for token in tokens if token.type in ("text", "text_special"))
    assert " ".join(seen.split()) == " ".join(visible(payload).split())


@pytest.mark.parametrize("payload", [p for p in PAYLOADS if p.strip()])
def test_code_is_read_back(payload: str):
    (span,) = [token for token in walk(reader(mathematics=True).parse(f"a {code(payload)} b")) if token.type == "code_inline"]
    assert span.content.strip() == visible(payload).strip()


@pytest.mark.parametrize("payload", PAYLOADS)
def test_words_in_a_formula_stay_inside_it(payload: str):
    inner = formula(m.Row((m.Words(payload), m.Name(payload, upright=True), m.Number(payload))), MarkdownMath())
    tokens = [token for token in walk(reader(mathematics=True).parse(f"a ${inner}$ b")) if token.type not in ("inline", "paragraph_open")]
    assert [token.type for token in tokens if token.type != "paragraph_close"] == ["text", "math_inline", "text"]
    assert not set("<>[]`|") & set(inner)


def test_a_box_is_empty_only_for_students():
    box = m.Box(m.Number("0.5"), label="1a")
    assert formula(box, MarkdownMath()) == "0.5"
    assert formula(box, MarkdownMath(results=True)) == r"\boxed{\text{1a}\hspace{5em}}"


def test_a_labelled_cell_is_empty_for_students():
    cell = n.Cell((n.Text("secreto"),), number="0.5", label="1a")
    page = n.Page("es", "", "t", "", (), (n.Table(((n.Text("a"),),), ((cell,),), "r", (n.Text("uno"),)),), "")
    assert "secreto 0.5" in to_markdown(page)
    assert "**Tabla 1.** uno" in to_markdown(page)
    hidden = to_markdown(page, blank=True)
    assert "secreto" not in hidden
    assert "| 1a ☐ |" in hidden
