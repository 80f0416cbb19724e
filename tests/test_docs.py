"""The documentation says what the code does: examples run, tables match, links lead somewhere, docstrings exist."""

from __future__ import annotations

import ast
import dataclasses
import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from docs_blocks import ROOT, RUN, Block, Session, agrees, blocks, examples, failures, pages, refreshed
from test_layers import LAYERS

from symattn.calculus.catalogue import GROUPS, theorem, topics
from symattn.calculus.rules import RULES
from symattn.claims.model import STATUSES, VERDICTS
from symattn.claims.slips import SLIPS
from symattn.cli.main import COMMANDS
from symattn.interp.systems import SYSTEMS
from symattn.language.functions import FUNCTIONS
from symattn.page.words import GLYPHS
from symattn.program.algorithms import ALGORITHMS
from symattn.program.attention import Attention
from symattn.program.formulas import LETTERS
from symattn.sheets.source import KINDS

DOCS = ROOT / "docs"
PAGES = {str(path.relative_to(ROOT)): path for path in pages()}


def text_of(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# -- examples -------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PAGES)
def test_examples_print_what_the_page_says(name: str) -> None:
    text = PAGES[name].read_text(encoding="utf-8")
    marked = sum(text.count(f"\n```{language}\n") for language in RUN)
    count, found = failures(text, name)
    assert count >= marked
    assert not found, "\n\n".join(str(failure) for failure, _ in found)


def test_there_are_examples_to_run() -> None:
    counts = {
        name: sum(len(examples(b)) for b in blocks(path.read_text(encoding="utf-8")) if b.language in RUN) for name, path in PAGES.items()
    }
    assert sum(counts.values()) > 80
    assert all(counts[f"docs/{name}.md"] for name in ("quickstart", "idea", "language", "attention", "readings", "verdicts", "worksheets"))
    assert counts["README.md"] >= 5


def test_every_block_says_how_it_is_meant() -> None:
    """What looks like something to run is run: a `python` or `bash` block would be neither run nor refused."""
    known = {*RUN, "sh", "text", "json", "markdown", "{toctree}"}
    for name, path in PAGES.items():
        for block in blocks(path.read_text(encoding="utf-8")):
            assert block.language in known, f"{name}:{block.line}"
            if block.language in ("text", "sh"):
                assert ">>>" not in block.text, f"{name}:{block.line}"
                assert not block.text.startswith("$ "), f"{name}:{block.line}"


PLANTED = """
```pycon
>>> 6 * 7
43
>>> for k in (1, 2):
...     print(k)
1
2
>>> 1 / 0
Traceback (most recent call last):
    ...
ZeroDivisionError: no such message
>>> print("a\\n\\nb")
a
<BLANKLINE>
b
```

```console
$ symattn eval "1/3" --numbers exact
  exact
  2/3
exact  exact
$ echo $?
0
$ symattn eval "1 +"
...
$ echo $?
0
```
"""


def test_the_runner_sees_planted_mistakes() -> None:
    count, found = failures(PLANTED, "planted")
    assert count == 8
    assert [f.example.source.split()[0] for f, _ in found] == ["6", "1", "symattn", "echo"]
    assert [f.example.line for f, _ in found] == [3, 9, 20, 28]
    assert "43" in str(found[0][0])
    assert "42" in str(found[0][0])


def test_refreshing_repairs_what_is_stale_and_nothing_else() -> None:
    repaired = refreshed(PLANTED, "planted")
    assert failures(repaired, "planted") == (8, [])
    assert [a for a, b in zip(PLANTED.split("\n"), repaired.split("\n"), strict=True) if a != b] == [
        "43",
        "ZeroDivisionError: no such message",
        "  2/3",
        "0",
    ]


def test_refreshing_keeps_what_a_page_leaves_out() -> None:
    page = '```console\n$ symattn eval "[1, 2, 3]" --numbers exact\n     exacto\n...\nexact  exact\n```\n'
    assert refreshed(page, "planted") == page.replace("exacto", "exact")


def test_files_of_a_page_stand_in_its_own_folder() -> None:
    text = (
        '<!-- file: s.json -->\n```json\n{"Q": [[1]], "K": [[1]], "V": [[0.1]]}\n```\n\n'
        "```console\n$ symattn attend s.json --numbers exact --stage output\n```\n"
    )
    count, found = failures(text, "planted")
    assert (count, len(found)) == (1, 1)
    assert "0.1" in found[0][1]
    assert not (Path.cwd() / "s.json").exists()
    with Session() as session, pytest.raises(AssertionError, match="outside"):
        session.write(Block("text", "x", 1, "../outside.txt"))


def test_only_our_own_commands_are_run() -> None:
    with Session() as session, pytest.raises(AssertionError, match="only symattn"):
        session.shell("rm -rf .")
    with pytest.raises(AssertionError, match="begins with"):
        examples(Block("console", "symattn eval 1\n", 1))


def test_a_wildcard_needs_its_surroundings() -> None:
    (example,) = examples(Block("pycon", ">>> print('abc def')\nabc ...\n", 1))
    assert agrees(example, "abc def\n")
    assert not agrees(example, "xbc def\n")


# -- what the pages take from the code ------------------------------------------------------------------------------------------------
def test_tables_of_the_language_are_those_of_the_code(generate: ModuleType) -> None:
    text = text_of("language")
    assert generate.with_tables(text) == text, "refresh with: python docs/generate.py"
    assert all(f"`{row.usage()}`" in text for row in FUNCTIONS.values())
    assert generate.with_tables(text.replace("| `relu(x)` ", "| `rely(x)` ")) == text


def test_rules_and_theorems_are_those_of_the_code(generate: ModuleType) -> None:
    text = text_of("derivations")
    assert generate.with_rules(text) == text, "refresh with: python docs/generate.py"
    assert first_cells(text, "<!-- rules: begin -->") == list(RULES)
    assert generate.with_rules(text.replace("| `cancel` ", "| `chancel` ")) == text
    listed = text_of("theorems")
    assert re.findall(r"(?m)^### (.*)$", listed) == sorted(topics(), key=lambda t: GROUPS.index(theorem(t).GROUP))
    assert listed == generate.theorems(), "refresh with: python docs/generate.py"


def test_errata_are_those_of_a_fresh_run(generate: ModuleType) -> None:
    fresh = generate.errata()
    assert text_of("errata") == fresh, "refresh with: python docs/generate.py"
    assert "| 0.222 | wrong | 0.247 |" in fresh
    assert "| 2.001 | off-by +1 | 2.000 | 2 |" in fresh
    assert fresh.count("\n## ") == 3


def first_cells(text: str, begin: str = "", end: str = "") -> list[str]:
    """The code words of the first column of a page's tables, between two marks."""
    part = text[text.index(begin) if begin else 0 :]
    part = part[: part.index(end)] if end else part
    return [word for line in part.split("\n") if line.startswith("| `") for word in re.findall(r"`([^`]+)`", line.split("|")[1])]


def test_every_parameter_of_an_attention_is_described() -> None:
    text = text_of("attention")
    described = first_cells(text, "## What can be described", "## Shapes")
    assert sorted(described) == sorted(f.name for f in dataclasses.fields(Attention))
    assert first_cells(text, "## Algorithms", "```pycon") == list(ALGORITHMS)


def test_every_stage_of_an_attention_is_described() -> None:
    known = set(first_cells(text_of("attention"), "## Stages", "```pycon")) | {"distances", "penalties", "slopes", "sink", "bias"}
    everything = Attention(heads=2, mask="causal", softcap=30, bias=True, alibi=True, output_projection=True)
    for algorithm in ("plain", "shifted"):
        named = {s.name for s in everything.program(algorithm).stages if not s.name.endswith(("_positions", "differences"))}
        assert named - known == set()


def test_every_number_system_is_described() -> None:
    named = [w.strip('"') for w in first_cells(text_of("readings"), "| `numbers`", "## Calls") if w.startswith('"')]
    assert set(named) == set(SYSTEMS)


def test_every_verdict_status_and_slip_is_described() -> None:
    text = text_of("verdicts")
    described = set(first_cells(text, "| verdict |", "Two labels")) - {"interval"}
    assert described | {"given", "measured"} == set(VERDICTS)
    assert first_cells(text, "## Sentences", "## Slips") == list(STATUSES)
    assert first_cells(text, "## Slips") == [slip.name for slip in SLIPS]


def test_every_field_of_a_report_is_described() -> None:
    from symattn.claims.model import Claim, DocumentReport, Hint, Judgement, Report, Spot, Statement
    from symattn.claims.report import to_json

    claim = Claim("i", "number", Spot(1, 1), "1", "1", "1", Judgement("exact"), occurrence=2, cell=3, hint=Hint("x", 1, 1, False))
    document = to_json(Report((DocumentReport("p", "s", "en", 1, 1, (claim,), (Statement(1, "q", "holds", "p", "e"),)),)))["documents"][0]
    text = text_of("report")
    assert first_cells(text, "## Document", "## Claim") == list(document)
    assert first_cells(text, "<!-- claim fields: begin", "<!-- claim fields: end") == [k for k in document["claims"][0] if k != "cell"]
    assert "`cell`" in text
    assert first_cells(text, "<!-- statement fields: begin", "<!-- statement fields: end") == list(document["statements"][0])
    assert all(f"`{key}`" in text for key in document["claims"][0]["hint"])


def test_every_part_of_a_worksheet_is_described() -> None:
    text = text_of("worksheets")
    assert tuple(first_cells(text, "<!-- claim kinds: begin", "<!-- claim kinds: end")) == KINDS
    keys = set(first_cells(text, "<!-- front matter: begin", "<!-- front matter: end"))
    assert keys == _known_front_matter()
    for word in ("show", "table", "heat", "formula", "ledger", "heads.es", "caption.en", "declared", "known", "from EXPR"):
        assert word in text


def _known_front_matter() -> set[str]:
    """The keys that the reader of worksheets allows, as its own message lists them."""
    from symattn.errors import SheetError
    from symattn.sheets.source import parse_sheet

    with pytest.raises(SheetError) as caught:
        parse_sheet('+++\ntitle = { es = "x", en = "x" }\nnonsense = 1\n+++\n', "x.md", "x")
    return set(caught.value.next_move.removeprefix("known: ").split(", "))


def test_every_command_is_described() -> None:
    text = text_of("command-line")
    assert sorted(re.findall(r"(?m)^## (\w+)$", text)) == sorted(COMMANDS)
    assert all(f"$ symattn {name} --help" in text for name in COMMANDS)


def test_signs_and_letters_are_those_of_the_code() -> None:
    text = text_of("notation")
    for verdict, glyph in GLYPHS.items():
        assert re.search(rf"(?m)^\| {re.escape(glyph)} \| .*", text), verdict
    letters = dict(re.findall(r"(?m)^\| `(\w+)` \| (\w) \|$", text))
    assert letters == {axis: letter for axis, letter in LETTERS.items() if axis not in ("head", "group", "member", "pair", "side")}


# -- the house ------------------------------------------------------------------------------------------------------------------------
def imported(folder: Path) -> set[str]:
    """The top-level packages that the modules of a folder import, lazily or not."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found


def test_dependencies_are_used_and_explained() -> None:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[<>=!~ \[]", d)[0] for d in project["dependencies"]}
    design = text_of("design")
    table = design[design.index("## What symattn stands on") : design.index("There is no template language")]
    explained = {word for line in table.split("\n")[4:] if line.startswith("|") for word in line.split("|")[1].replace(" ", "").split(",")}
    assert explained == names
    modules = {"python-flint": "flint", "markdown-it-py": "markdown_it", "mdit-py-plugins": "mdit_py_plugins"}
    used = imported(ROOT / "symattn")
    assert {modules.get(name, name) for name in names} <= used
    assert "jinja2" not in used  # what is not there is not found either


def told_layers(text: str) -> list[str]:
    """The layers as the page on design lists them."""
    return text[text.index("errors < page") :].split("\n")[0].split(" < ")


def test_layers_are_told_in_their_order() -> None:
    told = told_layers(text_of("design"))
    assert len(told) > 8
    assert told == [layer for layer in LAYERS if layer in told]
    assert all((ROOT / "symattn" / name).exists() or (ROOT / "symattn" / f"{name}.py").exists() for name in told)
    swapped = told_layers(text_of("design").replace("page < number", "number < page").replace("errors < number", "errors < page < number"))
    assert swapped != [layer for layer in LAYERS if layer in swapped]


def test_every_page_is_in_the_table_of_contents() -> None:
    index = text_of("index")
    listed = [line for b in blocks(index) if b.language == "{toctree}" for line in b.text.split("\n") if line and not line.startswith(":")]
    assert sorted([*listed, "index"]) == sorted(path.stem for path in DOCS.glob("*.md"))


def anchors(text: str) -> set[str]:
    """The anchors of a page's titles, as GitHub and Sphinx make them."""
    plain = "\n".join("" if line.startswith(" ") else line for line in outside_blocks(text))
    titles = re.findall(r"(?m)^#+ (.*)$", plain)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def outside_blocks(text: str) -> Iterator[str]:
    """The lines of a page that stand in no fenced block."""
    fence = ""
    for line in text.split("\n"):
        mark = re.match(r"`{3,}", line)
        if mark and not fence:
            fence = mark[0]
        elif fence and line.strip() == fence:
            fence = ""
        elif not fence:
            yield line


def broken_links(path: Path, text: str) -> list[str]:
    """Links to files or titles that are not there. Addresses on the network are not followed."""
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", "\n".join(outside_blocks(text))):
        if re.match(r"https?://", target):
            continue
        file, _, anchor = target.partition("#")
        goal = (path.parent / file).resolve() if file else path
        if not goal.is_file() or (anchor and anchor not in anchors(text if goal == path else goal.read_text(encoding="utf-8"))):
            found.append(target)
    return found


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    assert broken_links(PAGES[name], PAGES[name].read_text(encoding="utf-8")) == []


def test_broken_links_are_seen() -> None:
    path = DOCS / "index.md"
    links = "[a](idea.md) [b](idea.md#three-operations) [c](no.md) [d](idea.md#four-operations) [e](#nowhere)"
    text = f"{links}\n```text\n[f](no.md)\n```\n# Here\n[g](#here)"
    assert broken_links(path, text) == ["no.md", "idea.md#four-operations", "#nowhere"]


@pytest.mark.parametrize("name", PAGES)
def test_pages_hold_no_path_of_a_machine(name: str) -> None:
    text = PAGES[name].read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(work|tmp|home|root|usr)/", text)


def undocumented(source: str) -> list[str]:
    """Public classes and functions of a module without a docstring, and the module itself."""
    tree = ast.parse(source)
    found = [] if ast.get_docstring(tree) else ["module"]
    public = [n for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef) and not n.name.startswith("_")]
    return found + [node.name for node in public if not ast.get_docstring(node)]


def test_public_names_have_docstrings() -> None:
    missing = {
        str(path.relative_to(ROOT)): names
        for path in sorted((ROOT / "symattn").rglob("*.py"))
        if (names := undocumented(path.read_text(encoding="utf-8")))
    }
    assert missing == {}


def test_public_calls_have_docstrings() -> None:
    import inspect

    import symattn

    for name in symattn.__all__:
        found = getattr(symattn, name)
        if inspect.isclass(found):
            own = {k: v for k, v in vars(found).items() if not k.startswith("_") and callable(v)}
            for method, value in own.items():
                assert inspect.getdoc(value), f"{name}.{method}"
        assert name == "__version__" or inspect.getdoc(found), name


def test_missing_docstrings_are_seen() -> None:
    assert undocumented('def f():\n    return 1\n\nclass C:\n    """C."""\n\ndef _g():\n    pass\n') == ["module", "f"]
