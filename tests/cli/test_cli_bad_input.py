"""Every kind of bad input, one by one: one message with its place and the next move, exit code 2, no file touched, no traceback.

Each runs in this process, and the worst of them in a process of their own (a crash, a long stall or a message at the end would show there).
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from cli_support import SHEET, contents, ran, spawned, trouble, write_sheet

TEN_MILLION = 10_000_000


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sheet_trouble(here: Path, text: str | bytes, *said: str) -> str:
    """Building and checking both refuse the worksheet, and what stood there stays."""
    path = write_sheet(here)
    assert ran("worksheet", "build", "prueba.md", "--to", "tex,json").code == 0
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = contents(here)
    built = trouble(ran("worksheet", "build", "prueba.md", "--to", "tex,json", "--source", "documents"), *said)
    assert trouble(ran("worksheet", "check", "prueba.md", "--source", "documents"), *said) == built
    assert contents(here) == before
    return built


# -- unknown name -----------------------------------------------------------------------------------------------------
def test_an_unknown_name_at_the_prompt() -> None:
    said = trouble(ran("eval", "s = [2, 5, 1];\nsofmax(s)"), "<expression>:2:1: error: ", '"sofmax"', "did you mean softmax")
    assert "\n    sofmax(s)\n    ^\n" in said
    trouble(ran("eval", "scores = [2, 5, 1]; softmax(score)"), "<expression>:1:29: error: ", "did you mean scores?")


def test_an_unknown_name_in_a_worksheet(here: Path) -> None:
    sheet_trouble(here, SHEET.replace("S = X @ X.T", "S = X @ Z.T"), "prueba.md:31:9: error: ", '"Z"')


def test_an_unknown_name_in_a_file(here: Path) -> None:
    (here / "a.json").write_text('{"Q": [[1]],\n "KK": [[1]], "V": [[1]]}')
    trouble(ran("attend", "a.json"), 'a.json:2:8: error: "KK" is no input', "did you mean K?")


# -- shapes that do not fit -------------------------------------------------------------------------------------------
def test_shapes_that_do_not_fit() -> None:
    trouble(ran("eval", "[[1, 2]] @ [[1, 2, 3]]"), "<expression>:1:10: error: ", "(1, 2)", "(1, 3)")
    trouble(ran("attend", "--q", "[[1, 2]]", "--k", "[[1]]", "--v", "[[1]]"), "--k:1:1: error: ", '"feature" has 1 entries, not 2')


def test_shapes_in_a_worksheet(here: Path) -> None:
    sheet_trouble(here, SHEET.replace("S = X @ X.T", "S = X @ [[1], [2], [3]]"), "prueba.md:31:7: error: ")


# -- a float where exactness is meant ---------------------------------------------------------------------------------
def test_a_float_says_what_it_would_have_been(here: Path) -> None:
    np.savez("a.npz", Q=np.array([[1.0, 0.1]]), K=np.array([[1.0, 2.0]]), V=np.array([[1.0]]))
    trouble(
        ran("attend", "a.npz"),
        'a.npz: error: "Q"[0, 1]: the float 0.1 is exactly 0.1000000000000000055511151231257827021181583404541015625',
        "--binary",
    )


# -- ragged -----------------------------------------------------------------------------------------------------------
def test_ragged_matrices(here: Path) -> None:
    trouble(ran("eval", "[[1, 2], [3]] * 2"), "<expression>:1:10: error: ")
    (here / "a.csv").write_text("# Q\n1,2\n3\n# K\n1\n# V\n1\n")
    trouble(ran("attend", "a.csv"), "a.csv:3:1: error: ", "ragged: row 1 has 1 entries, the first row has 2", "same length")
    sheet_trouble(here, SHEET.replace("[3, 1]]", "[3]]"), "prueba.md:19:28: error: ", "ragged")


# -- NaN and infinity -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("word", ["nan", "inf", "-inf", "NaN", "Infinity", "infinity"])
def test_what_is_no_number(word: str, here: Path) -> None:
    trouble(ran("eval", f"softmax([1, {word}])"), "<expression>:1:1", "error: ")
    (here / "a.csv").write_text(f"# Q\n1\n# K\n{word}\n# V\n1\n")
    trouble(ran("attend", "a.csv"), f'a.csv:4:1: error: "K"[0, 0]: {word} is not a finite number')


def test_nan_in_an_array_even_where_floats_are_meant(here: Path) -> None:
    np.savez("a.npz", Q=np.array([[np.nan]]), K=np.array([[1.0]]), V=np.array([[1.0]]))
    trouble(ran("attend", "a.npz", "--binary"), 'a.npz: error: "Q"[0, 0]: nan is not a finite number')
    trouble(ran("attend", "a.npz", "--numbers", "float64"), "nan is not a finite number")


# -- empty ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["", " ", ";", "# only a comment", "\n\n"])
def test_an_empty_expression(text: str) -> None:
    trouble(ran("eval", text), "<expression>:1:1: error: there is no expression", "write one")


@pytest.mark.parametrize("text", ["[]", "[[]]", "softmax([])"])
def test_an_empty_matrix(text: str) -> None:
    trouble(ran("eval", text), "<expression>:1:")


@pytest.mark.parametrize("name", ["a.json", "a.toml", "a.csv", "a.npz"])
def test_an_empty_file(name: str, here: Path) -> None:
    (here / name).touch()
    trouble(ran("attend", name), f"{name}: error: the file is ")


def test_an_empty_worksheet(here: Path) -> None:
    sheet_trouble(here, "", "prueba.md:1:1: error: a worksheet begins with TOML front matter")
    sheet_trouble(here, SHEET.split("```step")[0], "prueba.md:1:1: error: the worksheet makes no claim")


# -- a fully masked row -----------------------------------------------------------------------------------------------
def test_a_fully_masked_row() -> None:
    matrices = ("--q", "[[1], [2]]", "--k", "[[1], [2]]", "--v", "[[1], [2]]")
    trouble(ran("attend", *matrices, "--allowed", "[[1, 1], [0, 0]]"), "nothing is allowed at token=1", "--masked-row")
    for numbers in ("exact", "balls", "multiprec", "float64", "bfloat16"):
        trouble(ran("attend", *matrices, "--allowed", "[[0, 0], [1, 1]]", "--numbers", numbers), "token=0")
    cross = ("--q", "[[1], [2]]", "--k", "[[1]]", "--v", "[[1]]")
    trouble(ran("attend", *cross, "--mask", "causal", "--query-offset", "-1"), "token=0")


# -- brackets ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "column"), [("softmax([1, 2)", 14), ("softmax([1, 2]", 8), ("(1 + 2", 1), ("1 + 2)", 6), ("[1, 2", 1), ("]", 1)]
)
def test_unbalanced_brackets(text: str, column: int) -> None:
    trouble(ran("eval", text), f"<expression>:1:{column}: error: ")


def test_unbalanced_brackets_in_a_worksheet(here: Path) -> None:
    sheet_trouble(here, SHEET.replace("X @ X.T", "X @ (X.T"), "prueba.md:31:9: error: ")
    sheet_trouble(here, SHEET.replace("[3, 1]]", "[3, 1]"), "prueba.md:19:1: error: ", "bracket")


@pytest.mark.parametrize(
    "text", ["(" * 10_000 + "1" + ")" * 10_000, "[" * 10_000, "((" * 5_000 + "1", "-" * 10_000 + "1", "exp(" * 10_000 + "1"], ids=range(5)
)
def test_ten_thousand_nested_brackets(text: str, tmp_path: Path) -> None:
    assert "error: " in trouble(spawned("eval", text, cwd=tmp_path), "<expression>:1:")


def test_ten_thousand_nested_brackets_in_files(here: Path) -> None:
    nested = "[" * 10_000 + "]" * 10_000
    for name, text, place in (("a.json", '{"Q":\n' + nested + "}", "2:1"), ("a.toml", "K = 1\nQ = " + nested, "2:5")):
        (here / name).write_text(text)
        trouble(spawned("attend", name, cwd=here), f"{name}:{place}: error: brackets are nested too deep")
    (here / "a.csv").write_text("# Q\n" + nested)
    trouble(ran("attend", "a.csv"), "a.csv:2:1: error: ", "characters")
    sheet_trouble(here, SHEET.replace("[[1, 2], [3, 1]]", nested), "prueba.md:19:")
    sheet_trouble(here, SHEET.replace("X @ X.T", "(" * 10_000 + "1" + ")" * 10_000), "prueba.md:31:")


# -- numbers that would stall -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("9**9**9**9", "the exponent of this power is too large"),
        ("9**(9**9)", "the exponent of this power is too large"),
        ("exp(9**9**9)", "the exponent of this power is too large"),
        ("2**-(9**9**9)", "the exponent of this power is too large"),
        ("0.1**1e9", "the exponent of this power is too large"),
        ("(((9**999)**999)**999)**999", "more than 60000 digits"),
        ("1e999999999", "the exponent of this number is too large"),
    ],
)
def test_powers_that_would_never_end(text: str, said: str, tmp_path: Path) -> None:
    trouble(spawned("eval", text, cwd=tmp_path), "<expression>:1:", said)


def test_a_power_in_a_worksheet_and_in_a_matrix(here: Path) -> None:
    sheet_trouble(here, SHEET.replace("X @ X.T", "X @ X.T * 9**9**9**9"), "prueba.md:31:19: error: the exponent of this power is too large")
    trouble(ran("attend", "--q", "[[9**9**9**9]]", "--k", "[[1]]", "--v", "[[1]]"), "--q:1:", "too large")


def test_an_exponential_beyond_every_page(tmp_path: Path) -> None:
    done = spawned("eval", "exp(exp(exp(exp(10))))", "--numbers", "balls", cwd=tmp_path)
    assert done.code in (0, 2)


def test_a_ten_million_digit_literal_on_standard_input(tmp_path: Path) -> None:
    trouble(spawned("eval", "-", cwd=tmp_path, input=b"1" * TEN_MILLION), "standard input has more than 1000000 bytes", "in parts")
    trouble(
        spawned("eval", "-", cwd=tmp_path, input=b"1 + " + b"1" * 900_000),
        "<expression>:1:5: error: a number with 900000 digits is too long",
    )


@pytest.mark.parametrize(
    ("name", "head", "tail", "place"),
    [("a.json", '{"Q": [[', "]]}", "1:9"), ("a.toml", "Q = [[\n", "]]", "2:1"), ("a.csv", "# Q\n1,", "\n", "2:3")],
)
def test_a_ten_million_digit_literal_in_a_file(name: str, head: str, tail: str, place: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(head + "7" * TEN_MILLION + tail)
    trouble(spawned("attend", name, cwd=tmp_path), f"{name}:{place}: error: a number of 10000000 digits", "4000")


def test_a_ten_million_digit_literal_in_a_worksheet(tmp_path: Path) -> None:
    write_sheet(tmp_path, text=SHEET.replace("[[1, 2]", "[[" + "1" * TEN_MILLION + ", 2]"))
    trouble(spawned("worksheet", "check", "prueba.md", cwd=tmp_path), "prueba.md: error: the worksheet is over the limit")
    write_sheet(tmp_path, text=SHEET.replace("[[1, 2]", "[[" + "1" * 1_000_000 + ", 2]"))
    trouble(spawned("worksheet", "check", "prueba.md", cwd=tmp_path), "prueba.md:19:21: error: a number with 1000000 digits")


def test_a_ten_million_digit_literal_as_an_option(here: Path) -> None:
    for option in ("--scale", "--softcap", "--rotary-base"):
        trouble(
            ran("attend", "--q", "[[1]]", "--k", "[[1]]", "--v", "[[1]]", "--rotary", "halves", option, "9" * 100_000),
            option[2:].replace("-", "_"),
        )


# -- worksheets that do not fit their source, or are no text ----------------------------------------------------------
def test_a_claim_whose_place_is_not_in_the_source(here: Path) -> None:
    sheet_trouble(here, SHEET.replace('"9" @3', '"10" @3'), "prueba.md:35:1: error: ", "'10' does not stand on line 3 of doc.txt")
    sheet_trouble(here, SHEET.replace('"9" @3', '"9" @2'), "it stands on line 3")
    sheet_trouble(here, SHEET.replace('"9" @3', '"9" @400'), "has 3 lines, not 400")


def test_a_worksheet_in_latin_1(here: Path) -> None:
    text = SHEET.replace("Una prueba.", "Una prueba de atención.")
    sheet_trouble(here, text.encode("latin-1"), "prueba.md:11:21: error: the worksheet is not UTF-8 (byte 0xf3)", "save it as UTF-8")


def test_a_source_in_latin_1(here: Path) -> None:
    path = write_sheet(here)
    (here / "documents" / "doc.txt").write_bytes("El producto\nserá 5.".encode("latin-1"))
    before = contents(here)
    trouble(ran("worksheet", "build", str(path), "--source", "documents"), "doc.txt:2: error: ", "not UTF-8")
    assert contents(here) == before


def test_a_worksheet_that_is_no_worksheet(here: Path) -> None:
    for data in (b"\x00" * 100, b"%PDF-1.5", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), b"+++\n" * 3, b"+++\nlang = \x80\n+++\n"):
        sheet_trouble(here, data, "prueba.md:")


def test_a_worksheet_that_is_a_folder(here: Path) -> None:
    (here / "a.md").mkdir()
    trouble(ran("worksheet", "build", "a.md"), 'the file "a.md" does not exist')


# -- archives ---------------------------------------------------------------------------------------------------------
def test_an_archive_with_pickles(here: Path) -> None:
    holder = np.empty((1, 1), dtype=object)
    holder[0, 0] = Path
    np.savez("a.npz", Q=holder, K=np.ones((1, 1)), V=np.ones((1, 1)))
    trouble(ran("attend", "a.npz"), 'a.npz: error: "Q.npy" holds Python objects (pickles)')


def test_an_archive_that_unpacks_to_gigabytes(here: Path) -> None:
    head = b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (50000, 5000), }".ljust(117) + b"\n"
    with zipfile.ZipFile("a.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made, made.open("Q.npy", "w") as member:
        member.write(head)
        for _ in range(200):
            member.write(bytes(10**7))
    assert (here / "a.npz").stat().st_size < 2 * 10**7
    trouble(ran("attend", "a.npz"), "a.npz: error: the arrays would unpack to 250000000 entries and 2000000000 bytes")


# -- memory and depth that run out ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("fault", "said"), [(MemoryError(), "more memory"), (RecursionError(), "nested too deep")])
def test_limits_of_the_machine_are_said_in_words(fault: Exception, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr("symattn.language.prompt.compile_text", fails)
    trouble(ran("eval", "1"), said)


def test_a_fault_of_ours_is_told_as_one_and_shown_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message that every other test makes sure not to see."""
    from click.testing import CliRunner

    from symattn.cli.main import run

    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("\x1b[31mdivision")

    monkeypatch.setattr("symattn.language.prompt.compile_text", fails)
    with CliRunner().isolation() as streams:
        assert run(["eval", "1"]) == 2
        said = streams[1].getvalue().decode()
    assert said.startswith("error: a fault in symattn itself: ZeroDivisionError: ␛[31mdivision (test_cli_bad_input.py:")
    assert "SYMATTN_TRACEBACK=1" in said
    monkeypatch.setenv("SYMATTN_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError), CliRunner().isolation():
        run(["eval", "1"])
