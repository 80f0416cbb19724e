"""Worksheet files: what is read, and one clear message for each way to get it wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.errors import SheetError
from symattn.sheets.source import (
    ClaimLine,
    Definition,
    Display,
    GivenBlock,
    Known,
    Prose,
    StatementBlock,
    StepBlock,
    parse_sheet,
    read_sheet,
)

HEAD = '+++\ntitle = { es = "Uno", en = "One" }\nlang = "en"\nsource = "a.txt"\n+++\n'
BODY = """
::: es
## Título
Texto con $x_i$.
:::

::: en
## Title
Text with $x_i$.
:::

```given
X(token, model) = [[1, 2], [3, 1]]   # two rows
| X[0] "[1, 2]" @1
```

```step
S = X @ X.T
show S[0,1] ledger
table S
heads.es: a | b
heads.en: c | d
| terms S[0,1] "3 + 2" @2:7#2
| S[0,1] "3 + 2 = 5" @2 from 3 + 2 known slip
| order S[0]: 0 < 1 "5 < 5" @2
```

```known slip wrong
es: causa
  en dos líneas
en: cause
```

```statement @3 "five is \\"more\\""
says: S[0,1] > 4
es: sí
en: yes
```
"""


def sheet(text: str = HEAD + BODY):
    return parse_sheet(text, "w.md", "w")


def test_every_part_is_read() -> None:
    parts = sheet().parts
    assert [type(p) for p in parts] == [Prose, GivenBlock, StepBlock, Known, StatementBlock]
    prose, given, step, known, statement = parts
    assert isinstance(prose, Prose)
    assert (prose.titles, prose.numbered) == ({"es": "Título", "en": "Title"}, True)
    assert isinstance(given, GivenBlock)
    assert (given.givens[0].name, given.givens[0].axes, given.givens[0].literal.text) == ("X", ("token", "model"), "[[1, 2], [3, 1]]")
    assert isinstance(step, StepBlock)
    definition, show, table = step.parts
    assert isinstance(definition, Definition)
    assert isinstance(show, Display)
    assert isinstance(table, Display)
    assert (definition.name, definition.expression.text) == ("S", "X @ X.T")
    assert (show.targets[0].text, show.ledger) == ("S[0,1]", True)
    assert table.heads == {"es": ("a", "b"), "en": ("c", "d")}
    terms, number, order = step.claims
    assert (terms.kind, terms.first_line, terms.column, terms.occurrence) == ("terms", 2, 7, 2)
    assert isinstance(number, ClaimLine)
    assert number.printed_from is not None
    assert (number.printed_from.text, number.known, number.quote) == ("3 + 2", "slip", "3 + 2 = 5")
    assert order.kind == "order"
    assert isinstance(known, Known)
    assert known.cause["es"] == "causa en dos líneas"
    assert isinstance(statement, StatementBlock)
    assert (statement.quote, statement.source_line) == ('five is "more"', 3)


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("+++\ntitle", "title"), 1, "begins with TOML front matter"),
        (('source = "a.txt"\n+++', 'source = "a.txt"'), 1, "front matter is not closed"),
        (('lang = "en"', 'lang = "fr"'), 1, 'lang = "fr"'),
        (('lang = "en"', "lang ="), 3, "not TOML"),
        (('lang = "en"', 'color = "red"'), 1, 'unknown key "color"'),
        (('source = "a.txt"', 'source = "../a.txt"'), 1, "without folders"),
        (('source = "a.txt"', 'source = ".."'), 1, "without folders"),
        (('source = "a.txt"', 'source = "a\\u0000b"'), 1, "without folders"),
        ((', en = "One" }', " }"), 1, "both languages"),
        (("::: en\n## Title\nText with $x_i$.\n:::\n", ""), 7, "no ::: en beside it"),
        (("## Title\n", ""), 7, "title must stand in both"),
        (("Text with $x_i$.\n:::\n", "Text with $x_i$.\n"), 12, "not closed"),
        (("```given", "loose words\n\n```given"), 17, "prose stands in"),
        (("```given", "```code"), 17, 'cannot be "code"'),
        (("X(token, model) = ", "X(token model) = "), 18, "an axis is a name"),
        (("[[1, 2], [3, 1]]   # two rows", "[[1, 2], [3, 1]"), 18, "bracket is not closed"),
        (("show S[0,1] ledger", "draw S"), 24, "no definition, display or claim"),
        (('| X[0] "[1, 2]" @1', '| X[0] "[1, 2]"'), 19, "where its quote stands"),
        (('| X[0] "[1, 2]" @1', "| X[0] [1, 2] @1"), 19, "a claim is written"),
        (('| X[0] "[1, 2]" @1', '| X[0] "[1, 2]" @1 maybe'), 19, "`maybe` is not understood"),
        (('| X[0] "[1, 2]" @1', '| X[0] "[1, 2]" @0'), 19, "count from 1"),
        (('| X[0] "[1, 2]" @1', '| X[0] "[1, 2]" @1:0'), 19, "count from 1"),
        (('| X[0] "[1, 2]" @1', '| X[0] "[1, 2]" @3-2'), 19, "ends on line 2, before line 3"),
        (('| X[0] "[1, 2]" @1', '| X[0] "[1, 2]" @' + "9" * 30), 19, "where its quote stands"),
        (("```known slip wrong", "```known slip"), 33, "headed `known ID VERDICT`"),
        (("```known slip wrong", "```known slip bad"), 33, "headed `known ID VERDICT`"),
        (("en: cause\n", ""), 33, "text in en is missing"),
        (('@3 "five', '"five'), 39, "headed `statement @LINE"),
        (("says: S[0,1] > 4\nes: sí", "S[0,1] > 4\nes: sí"), 40, "needs a key"),
    ],
)
def test_each_fault_has_its_line_and_a_message(change: tuple[str, str], line: int, message: str) -> None:
    text = HEAD + BODY
    assert change[0] in text
    with pytest.raises(SheetError) as caught:
        sheet(text.replace(*change, 1))
    assert message in caught.value.message
    assert caught.value.place is not None
    assert (caught.value.place.path, caught.value.place.line) == ("w.md", line)


def test_a_latin_1_file_says_where(tmp_path: Path) -> None:
    path = tmp_path / "w.md"
    path.write_bytes((HEAD + BODY).replace("Título", "T\xedtulo").encode("latin-1"))
    with pytest.raises(SheetError, match=r"w\.md:8:5: the worksheet is not UTF-8 \(byte 0xed\)"):
        read_sheet(path)


def test_a_missing_file_and_a_huge_one(tmp_path: Path) -> None:
    with pytest.raises(SheetError, match="cannot read the worksheet"):
        read_sheet(tmp_path / "none.md")
    (tmp_path / "big.md").write_bytes(b"x" * 2_000_001)
    with pytest.raises(SheetError, match="over the limit"):
        read_sheet(tmp_path / "big.md")


def test_heads_and_captions_are_words() -> None:
    text = BODY.replace("heads.en: c | d", "heads.en: c # 1 | d\ncaption.es: [uno # dos\ncaption.en: [one # two")
    table = next(part for part in sheet(HEAD + text).parts if isinstance(part, StepBlock)).parts[2]
    assert isinstance(table, Display)
    assert table.heads["en"] == ("c # 1", "d")
    assert table.caption == {"es": "[uno # dos", "en": "[one # two"}


@pytest.mark.parametrize(
    ("line", "columns"),
    [("show S, S[0,1]", [6, 9]), ("  table  w, h", [10, 13]), ('| sum s "1 = 1" @2', [7]), ('| S[0,1] "1" @2 from 1+k known k1', [3, 22])],
)
def test_expressions_know_their_columns(line: str, columns: list[int]) -> None:
    parts = sheet(HEAD + BODY.replace("show S[0,1] ledger", line)).parts
    step = next(part for part in parts if isinstance(part, StepBlock))
    display = step.parts[1]
    assert isinstance(display, Display)
    codes = list(display.targets) if line.lstrip()[0] != "|" else [c for c in (step.claims[0].target, step.claims[0].printed_from) if c]
    assert [code.column for code in codes] == columns
    assert all(line[code.column - 1 :].startswith(code.text) for code in codes)
