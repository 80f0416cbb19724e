"""HTML pages: every node has a method, hostile text stays text, the page is sound, closed to the network and readable by all."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import get_args

import pytest
from payloads import PAYLOADS, open_fields, outline, poison
from sample import sample_page

from symattn.errors import RenderError
from symattn.page import nodes as n
from symattn.page.math import EMPTY, Box, Name, Number, Row, Sign
from symattn.page.words import words
from symattn.render import html, html_math, html_page, html_tables
from symattn.render.html import BLOCKS, POLICY, to_html
from symattn.render.html_style import style_sheet
from symattn.render.leaf import visible

TAGS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "svg",
        "symbol",
        "path",
        "circle",
        "tspan",
        "use",
        "text",
        "header",
        "main",
        "footer",
        "section",
        "aside",
    ),
    *(
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "div",
        "span",
        "em",
        "strong",
        "code",
        "b",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "a",
        "blockquote",
        "wbr",
    ),
    *("figure", "figcaption", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msub", "msup", "msubsup", "mfrac", "msqrt", "mover", "munder", "munderover"),
    *("mtable", "mtr", "mtd", "mpadded", "mphantom"),
}


def missing(methods: dict[type, object]) -> list[str]:
    return [node.__name__ for node in n.NODES if node not in methods]


def test_every_block_has_a_method():
    assert set(n.NODES) == set(get_args(n.Block))
    assert missing(dict(BLOCKS)) == []


def test_a_missing_method_is_seen():
    holed = {node: method for node, method in BLOCKS.items() if node is not n.Ledger}
    assert missing(holed) == ["Ledger"]


def test_an_unknown_node_is_refused():
    class Odd:
        pass

    with pytest.raises(RenderError, match="no HTML for the page node Odd"):
        to_html(replace(sample_page(), blocks=(Odd(),)))  # type: ignore[arg-type]
    with pytest.raises(RenderError, match="no HTML for the inline node Odd"):
        to_html(replace(sample_page(), blocks=(n.Paragraph((Odd(),)),)))  # type: ignore[arg-type]


# -- hostile text -----------------------------------------------------------------------------------------------------
def dangers(page: str) -> list[str]:
    """Everything on a page that text must not be able to bring about."""
    parsed = outline(page)
    found = list(parsed.trouble)
    found += [f"tag {tag}" for tag in set(parsed.tags) - TAGS]
    for tag, name, value in parsed.attributes:
        if name.startswith("on") or name in ("src", "srcset", "action", "formaction", "xlink:href"):
            found.append(f"{tag} {name}")
        if name == "href" and not value.startswith("#"):
            found.append(f"{tag} href {value}")
        if name == "style" and not re.fullmatch(r"(--[a-z]+:[0-9.e-]+|flex-grow:\d+|padding-right:calc\([0-9a-z .+]+\))", value):
            found.append(f"{tag} style {value}")
        if name == "id" and not re.fullmatch(r"[a-z0-9-]+", value):
            found.append(f"{tag} id {value}")
    found += [f"character {ord(char):#x}" for char in set(page) if (ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0]
    return found


@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_stays_text(payload: str, blank: bool):
    hits: set[str] = set()
    page = poison(sample_page(), payload, hits)
    assert hits >= open_fields()
    written = to_html(page, blank=blank)
    assert dangers(written) == []
    written.encode("utf-8")
    told = "".join(outline(written).texts).replace("\u00a0", " ")
    assert visible(payload).strip() in told


def test_text_that_is_not_escaped_is_seen(monkeypatch: pytest.MonkeyPatch):
    page = poison(sample_page(), PAYLOADS[0])
    assert dangers(to_html(page)) == []
    for module in (html, html_math, html_page, html_tables):
        monkeypatch.setattr(module, "esc", lambda text: text)
    assert "tag script" in dangers(to_html(page))


# -- the page as a whole ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("lang", ["es", "en"])
def test_a_page_is_sound(lang: str, blank: bool):
    page = to_html(sample_page(lang), blank=blank)
    assert dangers(page) == []
    parsed = outline(page)
    ids = [value for _, name, value in parsed.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    targets = {value[1:] for _, name, value in parsed.attributes if name == "href"}
    labels = {value for _, name, value in parsed.attributes if name == "aria-labelledby"}
    assert targets | labels <= set(ids)
    assert ("html", "lang", lang) in parsed.attributes
    headings = [int(tag[1]) for tag in parsed.tags if re.fullmatch(r"h[1-6]", tag)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(headings))


def test_an_unsound_page_is_seen():
    page = to_html(sample_page())
    assert outline(page.replace("</section>", "", 1)).trouble
    assert dangers(page.replace("<main>", '<main><a href="javascript:alert(1)">x</a>')) == ["a href javascript:alert(1)"]


def test_nothing_is_loaded():
    page = to_html(sample_page())
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert POLICY.startswith("default-src 'none'")
    assert "script-src" not in POLICY  # none is allowed at all
    for load in ("http:", "https:", "url(", "@import", "@font-face", "<script", "src="):
        assert load not in page


def test_every_formula_says_itself_in_words():
    parsed = outline(to_html(sample_page()))
    formulas = parsed.tags.count("math")
    spoken = [value for tag, name, value in parsed.attributes if (tag, name) == ("math", "alttext")]
    assert formulas == len(spoken) > 50
    assert all(spoken)
    assert "q[perro,0]" in spoken


def test_table_heads_have_a_scope():
    parsed = outline(to_html(sample_page(), blank=True))
    scopes = [value for tag, name, value in parsed.attributes if (tag, name) == ("th", "scope")]
    assert parsed.tags.count("th") == len(scopes) > 20
    assert set(scopes) == {"col", "row", "colgroup", "rowgroup"}


def test_steps_numbers_and_claims_can_be_found():
    page = to_html(sample_page())
    assert 'id="step-1"' in page
    assert 'id="n-box-1a" data-number="box-1a"' in page
    assert 'id="claim-c1" data-claim="c1" data-verdict="exact"' in page
    assert '<a href="#step-5">5</a>' in page  # from the errata to their step


def test_a_large_worksheet_stays_small():
    page = sample_page()
    steps = tuple(block for block in page.blocks if isinstance(block, n.Step))
    large = replace(page, blocks=page.blocks + 3 * steps)  # about 40 judged numbers a copy, 2,000 cells of formulas
    written = to_html(large)
    assert len(written.encode()) < 300_000
    assert dangers(written) == []


def test_equal_pages_are_equal_text():
    assert to_html(sample_page()) == to_html(sample_page())


# -- verdicts ---------------------------------------------------------------------------------------------------------
def note(margin: n.Margin, *, blank: bool = False, lang: str = "es") -> str:
    line = n.Line(Name("Z"), "=", Box(Number("0.5"), label="1a"), (margin,))
    return to_html(n.Page(lang, "", "t", "", (), (n.Step("1", (n.Text("s"),), (n.Chain((line,)),)),), ""), blank=blank)


def test_an_entry_holds_number_badge_word_and_right_value():
    page = note(n.Margin("-0.611", "truncated", right="-0.612"))
    assert '<span class="printed">−0.611</span><span class="badge truncated" aria-hidden="true">' in page
    assert '<span class="word">truncado</span><span class="why">correcto −0.612</span>' in page


def test_the_badge_of_an_off_by_shows_signed_units():
    assert '<text x="10" y="10.4">−2</text>' in note(n.Margin("0.1", "off-by", off=-2, right="0.3"))
    assert "last digit off by 2" in note(n.Margin("0.1", "off-by", off=-2, right="0.3"), lang="en")


def test_a_wrong_number_that_changes_the_order_says_so():
    assert "cambia el orden" in note(n.Margin("0.396", "wrong", changes_order=True))
    assert "equivocado" in note(n.Margin("0.396", "wrong"))


def test_an_unknown_verdict_is_refused():
    with pytest.raises(RenderError, match="unknown verdict 'perfect'"):
        note(n.Margin("1", "perfect"))


# -- the student version ------------------------------------------------------------------------------------------------
def test_the_student_version_gives_nothing_away():
    page = to_html(sample_page(), blank=True)
    before_key = page[: page.index(f">{words('es')['answers']}</h2>")]
    told = "".join(outline(before_key).texts)
    for answer in ("+0.461", "0.641251", "1.403158", "0.288865", "0.340", "0.742917", "+0.517", "1.404", "0.222"):
        assert answer not in told
    assert "0.352" in told  # the first instance shows its terms
    assert "0.575" not in told  # the second has empty boxes for them
    assert "0.468" not in told  # later ones hide them
    for label in ("1a", "1b", "2a", "6a"):
        assert f'<span class="label">{label}</span>' in before_key
    key = "".join(outline(page[len(before_key) :]).texts)
    assert "0.461" in key
    assert words("es")["key.title.blank"] in told
    assert words("es")["student-version"] in page


def test_the_full_version_has_answers_and_no_key():
    page = to_html(sample_page())
    assert "0.461" in page
    assert words("es")["answers"] not in page
    assert "blank" not in page.split("</style>")[1]


# -- figures and tables -------------------------------------------------------------------------------------------------
def test_weights_keep_the_fixed_scale():
    node = n.HeatMap((("0.284", "0.716"), ("1.000", "")), ("a", "b"), ("a", "b"), framed=1)
    page = to_html(n.Page("en", "", "t", "", (), (node,), ""))
    assert '<td class="w" style="--w:0.284">0.284</td><td class="w deep" style="--w:0.716">0.716</td>' in page
    assert '<td class="w masked"><span class="sr">masked</span></td>' in page
    assert '<tr class="framed" style="--n:2">' in page


@pytest.mark.parametrize(("size", "numbers", "names"), [(12, True, True), (13, False, True), (33, False, False)])
def test_large_maps_drop_numbers_then_names(size: int, numbers: bool, names: bool):
    tokens = tuple(f"t{k}" for k in range(size))
    page = to_html(n.Page("en", "", "t", "", (), (n.HeatMap((("0.5",) * size,) * size, tokens, tokens),), ""))
    assert ('style="--w:0.5">0.5</td>' in page) is numbers
    assert ("<em>t1</em>" in page) is names


def test_a_row_without_keys_says_so():
    page = to_html(n.Page("es", "", "t", "", (), (n.HeatMap((("", ""),), ("a",), ("a", "b")),), ""))
    assert "sin clave" in page
    assert "suma 1" not in page


def test_errata_bar_is_to_scale_and_said_in_words():
    page = to_html(sample_page())
    assert '<span class="exact" style="flex-grow:213"></span><span class="rounded" style="flex-grow:103"></span>' in page
    assert 'aria-label="213 exactos, 103 redondeados, 7 truncados, 20 desde redondeados, 1 en el último dígito, 6 equivocados"' in page


def test_no_errata_is_one_line():
    page = to_html(n.Page("es", "", "t", "", (), (n.Errata((), (), ()),), ""))
    assert words("es")["errata.none"] in page
    assert "<table" not in page


def test_values_of_a_ledger_align_on_the_point():
    terms = (n.Term(Name("a"), "=", "1.25"), n.Term(Name("b"), "=", "(-0.5)"), n.Term(Name("c"), "=", "3"))
    node = n.Ledger(terms, n.Line(Name("s"), "=", Number("3.75")))
    page = to_html(n.Page("en", "", "t", "", (), (node,), ""))
    assert '<span class="num" style="padding-right:calc(0ch + .33em)">1.25</span>' in page
    assert '<span class="num" style="padding-right:calc(1ch)">(−0.5)</span>' in page
    assert '<span class="num" style="padding-right:calc(2ch + .25em + .33em)">3</span>' in page


# -- colours ------------------------------------------------------------------------------------------------------------
LIGHT = {
    "ink": "#1A1A1A", "paper": "#FDFDFB", "grey": "#555B65", "hair": "#C9CED6", "accent": "#22416B", "tint": "#EDF1F6", "good": "#067385",
    "told": "#8C5C06", "told-glyph": "#6E4800", "told-fill": "#F6E7C6", "bad": "#7F0A26", "bad-fill": "#F3DBE0",
}  # fmt: skip
DARK = {
    "ink": "#E6E6E1", "paper": "#14171C", "grey": "#A3ABB8", "hair": "#3A4250", "accent": "#9DBCEC", "tint": "#1F2733", "good": "#5CC4D4",
    "told": "#B98A34", "told-glyph": "#E9C176", "told-fill": "#3A2E14", "bad": "#FF8F9F", "bad-fill": "#451620",
}  # fmt: skip


def variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9A-F]{6})", block))


def schemes() -> tuple[dict[str, str], dict[str, str]]:
    light, dark = re.findall(r":root \{(.*?)\}", style_sheet(), flags=re.DOTALL)
    return variables(light), variables(dark)


def luminance(colour: tuple[float, ...]) -> float:
    parts = [c / 255 for c in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5))


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    a, b = sorted((luminance(one), luminance(other)), reverse=True)
    return (a + 0.05) / (b + 0.05)


def test_the_colours_are_the_agreed_ones():
    light, dark = schemes()
    assert LIGHT.items() <= light.items()
    assert DARK.items() <= dark.items()
    assert set(light) == set(dark)


PAIRS = (
    ("ink", "paper"), ("ink", "tint"), ("grey", "paper"), ("accent", "paper"), ("good", "paper"), ("told-glyph", "told-fill"),
    ("bad", "bad-fill"), ("on-bad", "bad"),
)  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_words_stand_out_from_their_ground(pair: tuple[str, str]):
    for scheme in schemes():
        assert contrast(rgb(scheme[pair[0]]), rgb(scheme[pair[1]])) >= 4.5


def test_too_little_contrast_is_seen():
    light, _ = schemes()
    assert contrast(rgb(light["hair"]), rgb(light["paper"])) < 4.5


@pytest.mark.parametrize("percent", range(0, 101, 5))
def test_numbers_of_a_heat_map_stand_out_at_every_weight(percent: int):
    weight = percent / 100
    light, dark = schemes()
    for scheme, flip, low, high in ((light, html_tables.DEEP, "#1A1A1A", "#FFFFFF"), (dark, html_tables.PALE, "#E6E6E1", "#14171C")):
        accent, ground = rgb(scheme["accent"]), rgb(scheme["white"])
        cell = tuple(weight * a + (1 - weight) * g for a, g in zip(accent, ground, strict=True))
        assert contrast(cell, rgb(high if weight > flip else low)) >= 3.8


# -- rows ---------------------------------------------------------------------------------------------------------------
def test_a_row_that_goes_on_has_an_empty_left_side():
    chain = n.Chain(
        (n.Line(Name("x"), "=", Number("1")), n.Line(EMPTY, "≈", Number("2")), n.Line(EMPTY, "", Row((Name("y"), Sign("="), Name("z")))))
    )
    page = to_html(n.Page("en", "", "t", "", (), (chain,), ""))
    rows = re.findall(r'<div class="(row[^"]*)">', page)
    assert rows == ["row", "row on", "row alone"]


def only(*blocks: n.Block, blank: bool = False) -> str:
    return to_html(n.Page("es", "", "t", "", (), blocks, ""), blank=blank).split("</style>")[1]


def small_table(*cells: n.Cell, caption: str = "") -> n.Table:
    return n.Table(((n.Text("a"),),), tuple((cell,) for cell in cells), "r", (n.Text(caption),) if caption else ())


def test_tables_with_captions_are_numbered():
    page = only(
        small_table(n.Cell(number="1"), caption="uno"), small_table(n.Cell(number="2")), small_table(n.Cell(number="3"), caption="dos")
    )
    assert re.findall(r"<caption><b>(.*?)</b> (.*?)</caption>", page) == [("Tabla 1.", "uno"), ("Tabla 2.", "dos")]


def test_a_printed_number_that_is_the_number_itself_is_not_repeated():
    told = "".join(outline(only(small_table(n.Cell(number="0.5", margin=n.Margin("+0.5", "exact"))))).texts)
    assert told.count("0.5") == 1
    told = "".join(outline(only(small_table(n.Cell(number="0.512", margin=n.Margin("0.51", "rounded"))))).texts)
    assert "0.5120.51" in told


def test_numbers_of_a_column_stay_in_line_beside_their_badges():
    cells = (n.Cell(number="0.5", margin=n.Margin("0.50", "exact")), n.Cell(number="0.25"))
    page = only(small_table(*cells))
    assert page.count('style="--p:4"') == 3  # the head, the judged cell, the other cell
    assert "--p:" not in only(small_table(n.Cell(number="0.25")))


def test_a_labelled_cell_is_a_box_for_students_whatever_it_holds():
    cell = n.Cell((n.Text("secreto"),), number="0.5", label="1a", strong=True)
    assert "secreto" in only(small_table(cell))
    hidden = only(small_table(cell), blank=True)
    assert "secreto" not in hidden
    assert "0.5" not in "".join(outline(hidden).texts)
    assert '<span class="label">1a</span>' in hidden


def test_one_cause_may_name_several_steps():
    steps = tuple(n.Step(number, (n.Text("s"),), (), f"step-{number}") for number in ("3", "5"))
    page = only(*steps, n.Errata((), (), (n.Erratum("3, 5", (("1", "2", n.Margin("1", "wrong")),), ()),)))
    assert '<a href="#step-3">3</a>, <a href="#step-5">5</a>' in page


def test_a_step_without_a_number_goes_by_its_title_in_the_key():
    page = only(n.AnswerKey((("Datos", (n.Answer("a", Name("x"), "1"),)),)), blank=True)
    assert ">Datos</th>" in page
    assert "paso Datos" not in page


def test_a_part_that_is_only_the_key_belongs_to_students():
    part = n.Section("k", "La clave", (n.AnswerKey((("1", (n.Answer("1a", Name("x"), "0.5"),)),)),))
    assert "La clave" not in only(part)
    shown = only(part, blank=True)
    assert shown.count("<h2") == 1
    assert "0.5" in shown


def test_every_style_of_the_page_is_ours():
    sheet = style_sheet()
    assert "/*" not in sheet
    for load in ("url(", "@import", "@font-face", "http"):
        assert load not in sheet
    assert sheet.count("{") == sheet.count("}")
