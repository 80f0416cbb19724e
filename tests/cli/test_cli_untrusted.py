"""Text is never run, and never reaches the terminal as control characters: every way in, with a watched side effect.

`ran` and `spawned` refuse control characters in all they see, so each test here only has to put them in.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from cli_support import SHEET, Ran, checked, contents, hidden, ran, spawned, write_sheet

QKV = {"q": "[[1]]", "k": "[[1]]", "v": "[[1]]"}
PAYLOADS = [
    '__import__("os").system("touch pwned")',
    '__import__("pathlib").Path("pwned").touch()',
    "exec(\"open('pwned', 'w')\")",
    "open('pwned', 'w').close()",
    "[c for c in ().__class__.__base__.__subclasses__()][0]",
    "lambda: open('pwned', 'w')",
    "$(touch pwned)",
    "`touch pwned`",
    "\\write18{touch pwned}",
    "=cmd|' /C touch pwned'!A0",
]
ESCAPES = ["\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\rb", "\x9b31m", "a\u202eb", "\x7f\x08\x08", "\u2028", "\udc9b31m"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def unharmed(folder: Path) -> None:
    assert not (folder / "pwned").exists()


@pytest.mark.parametrize("payload", PAYLOADS[:4])
def test_the_watch_works(payload: str, here: Path) -> None:
    """A library that reads text as code would run these; so the tests below could fail."""
    program = "import sys, warnings; warnings.simplefilter('ignore')\nimport sympy\ntry: sympy.sympify(sys.argv[1])\nexcept Exception: pass"
    subprocess.run([sys.executable, "-c", program, payload], cwd=here, timeout=60, check=True)
    assert (here / "pwned").exists()


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize(
    "form", ["{}", "{} + 1", "x = {}; x", "{} = 1; 2", "[[{}]]", "softmax({})", "exp([1])[{}]", 'attention([[1]], [[1]], [[1]], mask="{}")']
)
def test_expressions(payload: str, form: str, here: Path) -> None:
    for numbers in ("exact,balls", "symbolic"):
        assert ran("eval", form.replace("{}", payload), "--numbers", numbers).code == 2
    assert ran("eval", "-", text=form.replace("{}", payload)).code == 2
    unharmed(here)


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize(
    "option",
    [
        "q",
        "k",
        "v",
        "sink",
        "bias",
        "slopes",
        "allowed",
        "numbers",
        "stage",
        "scale",
        "softcap",
        "mask",
        "algorithm",
        "blocks",
        "rotary-base",
        "masked-value",
    ],
)
def test_options_of_attend(payload: str, option: str, here: Path) -> None:
    texts = {**QKV, option: payload}
    more = {"rotary-base": ("--rotary", "halves"), "masked-value": ("--masking", "additive", "--mask", "causal")}.get(option, ())
    arguments = [piece for name, text in texts.items() for piece in (f"--{name}", text)]
    assert ran("attend", *arguments, *more).code == 2
    unharmed(here)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_files_of_matrices(payload: str, here: Path) -> None:
    (here / "a.json").write_text(json.dumps({"Q": [[payload]], "K": [[1]], "V": [[1]]}))
    (here / "b.json").write_text(json.dumps({payload: [[1]]}))
    (here / "a.toml").write_text(f"Q = [[{json.dumps(payload)}]]")
    (here / "b.toml").write_text(f"{json.dumps(payload)} = [[1]]")
    (here / "c.toml").write_text(f"Q = [[{payload}]]")
    (here / "a.csv").write_text(f"# Q\n{payload}\n")
    (here / "b.csv").write_text(f"# {payload}\n1\n")
    with zipfile.ZipFile("a.npz", "w") as made:
        made.writestr(f"{payload}.npy", b"\x93NUMPY\x01\x00\x00\x00")
    for name in ("a.json", "b.json", "a.toml", "b.toml", "c.toml", "a.csv", "b.csv", "a.npz", payload, f"{payload}.json"):
        assert ran("attend", name).code == 2, name
    unharmed(here)


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize(
    "place",
    [
        "X @ X.T",
        "[[1, 2], [3, 1]]",
        "S[uno,dos]",
        "3*3",
        "S[uno]",
        "S = ",
        "X(token",
        "uno",
        "Prueba",
        "doc.txt",
        "Una prueba.",
        "## The scores",
    ],
)
def test_worksheets(payload: str, place: str, here: Path) -> None:
    quoted = payload.replace("\\", "\\\\").replace('"', '\\"') if place in ("uno", "Prueba", "doc.txt") else payload
    write_sheet(here, text=SHEET.replace(place, quoted))
    for arguments in (
        ("build", "prueba.md", "--to", "tex,html,md,json,text", "--lang", "all"),
        ("check", "prueba.md", "--source", "documents"),
    ):
        assert ran("worksheet", *arguments).code in (0, 2)
    unharmed(here)


def test_names_of_worksheets(here: Path) -> None:
    for payload in PAYLOADS:
        for arguments in (("new", "--", payload), ("check", "--", payload), ("build", "--", payload, "--all")):
            assert ran("worksheet", *arguments).code == 2
    unharmed(here)
    assert contents(here) == {}


# -- control characters -----------------------------------------------------------------------------------------------
def test_the_test_sees_control_characters() -> None:
    for text in ESCAPES:
        assert hidden(text) or text == "\u2028"
    with pytest.raises(AssertionError):
        checked(Ran(0, "\x1b[31m", ""))


@pytest.mark.parametrize("text", ESCAPES)
def test_control_characters_at_the_prompt(text: str, here: Path) -> None:
    for arguments in (
        ("eval", text), ("eval", f'"{text}"'), ("eval", f"x{text} + 1"), ("eval", "1", "--numbers", text), ("eval", "1", f"--{text}"),
        ("eval", "1", "--digits", text), (text,), ("worksheet", text), ("worksheet", "check", text), ("worksheet", "build", f"{text}.md"),
        ("worksheet", "build", "--to", text), ("worksheet", "new", text), ("worksheet", "new", "a", "--source", text), ("attend", text),
        ("attend", f"{text}.json"), ("attend", "--q", text), ("attend", "--q", f"[[{text}]]"), ("attend", "--rotary", text),
        ("attend", "--q", "[[1]]", "--k", "[[1]]", "--v", "[[1]]", "--stage", text),
        ("attend", "--q", "[[1]]", "--k", "[[1]]", "--v", "[[1]]", "--scale", text),
        ("attend", "--q", "[[1]]", "--k", "[[1]]", "--v", "[[1]]", "-o", f"no/{text}"),
        ("worksheet", "check", "--source", text, "--all", "x"),
    ):  # fmt: skip
        assert ran(*arguments).code == 2, arguments
    assert contents(here) == {}


@pytest.mark.parametrize("text", ESCAPES[:-1])
def test_control_characters_in_files_of_matrices(text: str, here: Path) -> None:
    (here / "a.json").write_text(json.dumps({"Q": [[text]]}))
    (here / "b.json").write_text(json.dumps({text: [[1]]}, ensure_ascii=False))
    (here / "c.json").write_text(f'{{"Q": [[1]], {text}')
    (here / "a.toml").write_text(f"Q = [[{text}]]")
    (here / "a.csv").write_text(f"# Q\n{text}\n")
    (here / "b.csv").write_text(f"# {text}\n1\n")
    with zipfile.ZipFile("a.npz", "w") as made:
        made.writestr(f"{text}.npy", b"")
    for name in ("a.json", "b.json", "c.json", "a.toml", "a.csv", "b.csv", "a.npz"):
        assert ran("attend", name).code == 2, name


@pytest.mark.parametrize("text", ESCAPES[:-1])
def test_control_characters_in_worksheets(text: str, here: Path) -> None:
    """In its name, its title and labels, in a quote, an expression, a cause and a sentence; listed, checked and built."""
    (here / "worksheets").mkdir()
    escaped = json.dumps(text).strip('"')
    more = "\n```known cosa wrong\nes: X\nen: X\n```\n\n" + '```statement @3 "X"\nsays: 1 > 2\ninstead: 1 < 2\nes: X\nen: X\n```\n'
    sheet = SHEET.replace('"Prueba"', f'"{escaped}"').replace('"uno"', f'"{escaped}"').replace("[uno", "[0").replace("Una prueba.", text)
    sheet = sheet.replace("| 3 * 3", f'| 3 * 3 "{text} = 8" @3 known cosa\n| 3 * 3') + more.replace("X", text)
    write_sheet(here / "worksheets", "prueba", sheet)
    strange = str(write_sheet(here / "worksheets", text, sheet))
    assert ran("worksheet", "list").code == 0
    read = 0
    for name in ("prueba", strange):
        for arguments in (("check", name), ("check", name, "--format", "json"), ("build", name, "--to", "md")):
            done = ran("worksheet", *arguments)
            read += done.code == 0
            assert done.code in (0, 2), arguments
    assert read == 6, done


def test_control_characters_in_a_document(here: Path) -> None:
    write_sheet(here, text=SHEET.replace('"9" @3', '"10" @3'))
    (here / "documents" / "doc.txt").write_text("\x1b[31m1*3 + 2*1 = 5, 5\n" * 3)
    assert ran("worksheet", "check", "prueba.md", "--source", "documents").code == 2


def test_a_real_process_with_bytes_of_a_terminal(here: Path) -> None:
    done = spawned("eval", "sofmax\x1b[31m", cwd=here)
    assert done.code == 2
    assert "␛[31m" in done.err
    done = spawned("attend", "\x1b[2J.json", cwd=here)
    assert "␛[2J.json: error: the file cannot be read" in done.err


# -- names never lead elsewhere ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["../doc.txt", "/etc/passwd", "a/../../doc.txt", "documents/doc.txt", "..", "."])
def test_a_source_never_leads_out_of_its_folder(name: str, here: Path) -> None:
    write_sheet(here, text=SHEET.replace("doc.txt", name))
    (here / "doc.txt").write_text("secret\n")
    done = ran("worksheet", "check", "prueba.md", "--source", "documents")
    assert done.code == 2
    assert "secret" not in done.err


def test_a_title_never_makes_a_path(here: Path) -> None:
    write_sheet(here, text=SHEET.replace('"Prueba"', '"../../../tmp/x"').replace('"Trial"', '"/etc/x"'))
    assert ran("worksheet", "build", "prueba.md", "--lang", "all", "-o", "out/deep").code == 0
    assert all(name.startswith(("out/deep/prueba.", "prueba.md", "documents/")) for name in contents(here))
