"""`symattn worksheet`: list, new, build, check, and columns written into the file."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from cli_support import SHEET, SOURCE, contents, ran, trouble, usage, write_sheet

from symattn.cli.output import progress
from symattn.errors import RenderError


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- list -------------------------------------------------------------------------------------------------------------
def test_list_shows_name_language_and_title(here: Path) -> None:
    (here / "worksheets").mkdir()
    write_sheet(here / "worksheets")
    assert "prueba" in ran("worksheet", "list").out
    assert any(line.split() == ["prueba", "es", "Prueba"] for line in ran("worksheet", "list").out.splitlines())


def test_a_worksheet_here_hides_a_shipped_one(here: Path) -> None:
    shipped = ran("worksheet", "list").out.split()[0]
    (here / "worksheets").mkdir()
    write_sheet(here / "worksheets", shipped)
    assert any(line.split() == [shipped, "es", "Prueba"] for line in ran("worksheet", "list").out.splitlines())


# -- new --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["primera", "mi-clase_2", "señal", "3"])
def test_a_new_worksheet_builds_and_checks(name: str, here: Path) -> None:
    done = ran("worksheet", "new", name)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"wrote worksheets/{name}.md; build it with `symattn worksheet build worksheets/{name}.md`\n"
    for arguments in (
        ("check", name),
        ("check", name, "--strict"),
        ("build", f"worksheets/{name}.md", "--to", "tex,html,md,json,text", "--lang", "all"),
    ):
        done = ran("worksheet", *arguments)
        assert done.code == 0, done
        assert "0 errors" in done.out
    assert len(contents(here / "build")) == 10


def test_a_new_worksheet_about_a_document(here: Path) -> None:
    assert ran("worksheet", "new", "uno", "--source", "clase.txt", "-o", ".").code == 0
    assert 'source = "clase.txt"' in (here / "uno.md").read_text()
    done = ran("worksheet", "check", "uno.md")
    assert done.code == 0
    assert "places not verified: clase.txt is not at hand" in done.err
    (here / "clase.txt").write_text("Vemos que 1*3 + 2*1 = 5.\n")
    assert ran("worksheet", "check", "uno.md", "--source", ".").code == 0


def test_a_new_worksheet_overwrites_nothing(here: Path) -> None:
    ran("worksheet", "new", "uno")
    before = contents(here)
    trouble(ran("worksheet", "new", "uno"), "worksheets/uno.md exists already", "choose another name")
    assert contents(here) == before


@pytest.mark.parametrize("name", ["", " ", "a/b", "../a", "a.b", "a b", "-a", "a" * 61, "a" * 5000, "a\nb", "$x", "\x1b[31m"])
def test_names_that_no_worksheet_can_have(name: str, here: Path) -> None:
    done = ran("worksheet", "new", "--", name)
    trouble(done, "cannot name a worksheet", "letters, digits, - and _")
    assert contents(here) == {}


@pytest.mark.parametrize("document", ["a/b.txt", "../b.txt", "/etc/passwd", "a\x7f.txt", "a\n.txt"])
def test_documents_that_are_no_file_names(document: str, here: Path) -> None:
    trouble(ran("worksheet", "new", "a", "--source", document), "is not a file name")
    assert contents(here) == {}


# -- build ------------------------------------------------------------------------------------------------------------
def test_build_writes_every_format_in_every_language(here: Path) -> None:
    write_sheet(here)
    done = ran("worksheet", "build", "prueba.md", "--to", "tex,html,md,json,text", "--lang", "all", "-o", "a/b")
    assert done.code == 0
    assert sorted(contents(here / "a" / "b")) == sorted(
        f"prueba.{lang}.{end}" for lang in ("es", "en") for end in ("tex", "html", "md", "json", "txt")
    )
    assert done.err.endswith("wrote 10 files to a/b\n")
    data = json.loads((here / "a" / "b" / "prueba.en.json").read_text())
    assert data["schema"] == "symattn-report/1"
    assert data["documents"][0]["lang"] == "en"


def test_build_twice_gives_the_same_bytes(here: Path) -> None:
    write_sheet(here)
    ran("worksheet", "build", "prueba.md")
    first = contents(here / "build")
    ran("worksheet", "build", "prueba.md")
    assert contents(here / "build") == first


def test_a_second_run_sees_the_second_worksheet(here: Path) -> None:
    """Nothing is kept from one run to the next inside a process."""
    write_sheet(here)
    ran("worksheet", "build", "prueba.md", "--to", "md", "-o", "one")
    write_sheet(here, text=SHEET.replace("[3, 1]", "[3, 1.0]").replace("Prueba", "Otra"))
    ran("worksheet", "build", "prueba.md", "--to", "md", "-o", "two")
    assert "Otra" in (here / "two" / "prueba.es.md").read_text()


def test_student_version_and_paper(here: Path) -> None:
    write_sheet(here)
    assert ran("worksheet", "build", "prueba.md", "--blank", "--paper", "letter", "--to", "tex").code == 0
    assert list(contents(here / "build")) == ["worksheets/prueba.es.student.tex"]


def test_a_finding_is_written_and_then_told(here: Path) -> None:
    write_sheet(here, text=SHEET.replace('"9" @3', '"9" @3').replace("[3, 1]", "[4, 1]"))
    done = ran("worksheet", "build", "prueba.md", "--to", "json")
    assert done.code == 1
    assert "is not acknowledged" in done.out
    assert len(contents(here / "build")) == 1
    assert ran("worksheet", "check", "prueba.md").code == 1


def test_trouble_in_one_worksheet_leaves_every_file(here: Path) -> None:
    write_sheet(here)
    write_sheet(here, "mala", SHEET.replace("show S[uno]", "show S[tres]"))
    ran("worksheet", "build", "prueba.md", "--to", "tex")
    before = contents(here)
    trouble(ran("worksheet", "build", "prueba.md", "mala.md", "--to", "tex"), "mala.md:32:8: error: ", "tres")
    assert contents(here) == before


def test_trouble_on_a_page_leaves_every_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_sheet(here)
    write_sheet(here, "zweite")
    ran("worksheet", "build", "prueba.md", "zweite.md", "--to", "tex,html")
    (here / "build" / "worksheets" / "prueba.es.tex").write_text("old")
    before = contents(here)

    def broken(*_: object, **__: object) -> str:
        raise RenderError("no such node")

    monkeypatch.setattr("symattn.render.html.to_html", broken)
    trouble(ran("worksheet", "build", "prueba.md", "zweite.md", "--to", "tex,html"), "no such node")
    assert contents(here) == before


def test_two_worksheets_of_one_name(here: Path) -> None:
    for folder in ("a", "b"):
        (here / folder).mkdir()
        write_sheet(here / folder)
    trouble(ran("worksheet", "build", "a/prueba.md", "b/prueba.md"), 'two worksheets are named "prueba"')
    assert ran("worksheet", "build", "a/prueba.md", "a/prueba.md").code == 0


def test_a_pdf_without_an_engine(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_sheet(here)
    before = contents(here)
    monkeypatch.setattr("shutil.which", lambda *_: None)
    said = trouble(
        ran("worksheet", "build", "prueba.md", "--to", "tex,pdf"), "error: no PDF: this machine has no TeX engine", "install latexmk"
    )
    assert len(said.splitlines()) == 2
    assert contents(here) == before


def test_a_pdf_is_whole_or_not_there(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_sheet(here)
    (here / "out").mkdir()
    (here / "out" / "prueba.es.pdf").write_bytes(b"old")

    def stops(*_: object, **__: object) -> Path:
        raise RenderError("pdflatex stopped")

    monkeypatch.setattr("symattn.render.pdf.find_engine", lambda: "pdflatex")
    monkeypatch.setattr("symattn.render.pdf.to_pdf", stops)
    trouble(ran("worksheet", "build", "prueba.md", "--to", "tex,pdf", "-o", "out"), "pdflatex stopped")
    assert contents(here / "out") == {"prueba.es.pdf": b"old"}


def test_the_bytes_of_a_pdf_are_put_in_place(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_sheet(here)

    def typeset(tex: str, out: Path) -> Path:
        out.write_bytes(b"%PDF " + tex[:14].encode())
        return out

    monkeypatch.setattr("symattn.render.pdf.find_engine", lambda: "pdflatex")
    monkeypatch.setattr("symattn.render.pdf.to_pdf", typeset)
    assert ran("worksheet", "build", "prueba.md", "--to", "pdf", "-o", "out").code == 0
    assert contents(here / "out") == {"prueba.es.pdf": b"%PDF \\documentclass"}


# -- check ------------------------------------------------------------------------------------------------------------
def test_check_writes_nothing_and_prints_the_report(here: Path) -> None:
    write_sheet(here)
    before = contents(here)
    done = ran("worksheet", "check", "prueba.md", "--source", "documents", "--format", "json")
    assert done.code == 0
    assert done.err == ""
    data = json.loads(done.out)
    assert [c["column"] for c in data["documents"][0]["claims"]][:1] == [SOURCE.splitlines()[1].index("5") + 1]
    assert contents(here) == before


def test_all_and_names_together(here: Path) -> None:
    trouble(ran("worksheet", "check", "--all", "x"), "names and --all are both given")
    trouble(ran("worksheet", "check"), "no worksheet is named")
    trouble(ran("worksheet", "build"), "no worksheet is named")


def test_an_unknown_worksheet_names_the_nearest(here: Path) -> None:
    (here / "worksheets").mkdir()
    write_sheet(here / "worksheets")
    trouble(ran("worksheet", "check", "preuba"), 'there is no worksheet "preuba"', "did you mean prueba?")
    trouble(ran("worksheet", "check", "no.md"), 'the file "no.md" does not exist')
    trouble(ran("worksheet", "check", "x" * 5000), "there is no worksheet")
    trouble(ran("worksheet", "check", "../worksheets/prueba"), "there is no worksheet")


# -- places -----------------------------------------------------------------------------------------------------------
PINNED = SHEET.replace("@2\n", "@2:16\n").replace("@2#2", "@2:42#2").replace("@3 from", "@3:15 from")


def test_columns_are_written_once(here: Path) -> None:
    path = write_sheet(here)
    done = ran("worksheet", "check", "prueba.md", "--source", "documents", "--write-places")
    assert done.code == 0
    assert done.err.splitlines()[0] == "prueba.md: 3 places written"
    assert path.read_text() == PINNED
    for claimed, column in (("1*3 + 2*1 = 5", 16), ("5", 42)):
        assert SOURCE.splitlines()[1][column - 1 :].startswith(claimed)
    stamp = path.stat().st_mtime_ns
    done = ran("worksheet", "check", "prueba.md", "--source", "documents", "--write-places")
    assert done.err.splitlines()[0] == "prueba.md: every place is there already"
    assert path.stat().st_mtime_ns == stamp


def test_a_report_is_the_same_with_columns_and_without_the_source(here: Path) -> None:
    path = write_sheet(here)
    verified = json.loads(ran("worksheet", "check", "prueba.md", "--source", "documents", "--format", "json").out)
    path.write_text(PINNED)
    alone = json.loads(ran("worksheet", "check", "prueba.md", "--format", "json").out)
    assert alone["documents"][0]["claims"] == verified["documents"][0]["claims"]


def test_no_other_byte_changes(here: Path) -> None:
    """A byte order mark, Windows line ends, tabs, odd spaces and a missing last line feed stay."""
    text = "\ufeff" + SHEET.replace("\n", "\r\n").replace('| S[uno,dos] "5" @2#2', '|\tS[uno,dos]   "5"\t @2#2  # not a comment').replace(
        " # not a comment", ""
    )
    path = write_sheet(here)
    path.write_bytes(text.rstrip().encode())
    path.chmod(0o640)
    assert ran("worksheet", "check", "prueba.md", "--source", "documents", "--write-places").code == 0
    wanted = text.rstrip().replace("@2\r", "@2:16\r").replace("@2#2", "@2:42#2").replace("@3 from", "@3:15 from")
    assert path.read_bytes() == wanted.encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_quote_that_repeats_gets_its_number(here: Path) -> None:
    path = write_sheet(here, text=SHEET.replace('"5" @2#2', '"otra vez 5" @2').replace("1*3 + 2*1 = 5", "5"))
    ran("worksheet", "check", "prueba.md", "--source", "documents", "--write-places")
    assert '"5" @2:28#1\n' in path.read_text()
    assert '"otra vez 5" @2:33\n' in path.read_text() or '"otra vez 5" @2:' in path.read_text()


def test_a_quote_over_two_lines(here: Path) -> None:
    path = write_sheet(
        here,
        text=SHEET.replace('| S[uno,dos] "5" @2#2', '| S[uno,dos] "y 5.\\nTambién 3*3 = 9" @2-3 from 3*3').replace(
            'S[uno,dos] "y', '3 * 3 "y'
        ),
    )
    ran("worksheet", "check", "prueba.md", "--source", "documents", "--write-places")
    assert "@2-3:45 from 3*3\n" in path.read_text()


def test_a_link_is_followed(here: Path) -> None:
    path = write_sheet(here)
    (here / "link.md").symlink_to("prueba.md")
    assert ran("worksheet", "check", "link.md", "--source", "documents", "--write-places").code == 0
    assert (here / "link.md").is_symlink()
    assert path.read_text() == PINNED


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("@2\n", "@2:17\n", "stands in column 16 of line 2, not 17"),
        ("@2#2", "@2:42#1", "the quote in column 42 is number 2 on line 2, not 1"),
        ("@2#2", "@2#9", "stands 3 times on line 2, not 9"),
        ("@2\n", "@1\n", "does not stand on line 1 of doc.txt"),
        ("@2\n", "@99\n", "has 3 lines, not 99"),
        ('source = "doc.txt"', 'source = "no.txt"', 'the source "no.txt" cannot be read'),
        ('source = "doc.txt"', "", "names no source"),
    ],
)
def test_a_place_that_is_wrong_touches_no_file(old: str, new: str, said: str, here: Path) -> None:
    write_sheet(here, text=SHEET.replace(old, new, 1).replace("#2\n", "#2\n"))
    before = contents(here)
    done = ran("worksheet", "check", "prueba.md", "--source", "documents", "--write-places")
    assert done.code == 2
    assert said in done.err, done.err
    assert "prueba.md:" in done.err
    assert contents(here) == before


def test_one_wrong_worksheet_leaves_the_right_one(here: Path) -> None:
    write_sheet(here)
    write_sheet(here, "mala", SHEET.replace('"9" @3', '"8" @3').replace("from 3*3", "from 2*4"))
    before = contents(here)
    trouble(ran("worksheet", "check", "prueba.md", "mala.md", "--source", "documents", "--write-places"), "does not stand on line 3")
    assert contents(here) == before


def test_places_need_the_documents(here: Path) -> None:
    write_sheet(here)
    trouble(ran("worksheet", "check", "prueba.md", "--write-places"), "--write-places needs the source documents", "--source DIR")
    usage(ran("worksheet", "build", "prueba.md", "--write-places"), "No such option")


# -- progress ---------------------------------------------------------------------------------------------------------
class Screen:
    """A standard error that is a terminal."""

    def __init__(self, live: bool) -> None:
        self.live = live
        self.said = ""

    def isatty(self) -> bool:
        return self.live

    def write(self, text: str) -> int:
        self.said += text
        return len(text)

    def flush(self) -> None:
        pass


def test_progress_on_a_terminal_is_wiped_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(live=True)
    monkeypatch.setattr("sys.stderr", screen)
    assert list(progress([("first\x1b", 1), ("b", 2)], 2)) == [1, 2]
    assert screen.said == "\r1/2 first␛\r2/2 b     \r     \r" or screen.said.endswith("\r")
    assert "\x1b" not in screen.said
    line = ""
    for piece in screen.said.split("\r"):
        line = piece + line[len(piece) :]
    assert line.strip() == ""


def test_progress_elsewhere_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(live=False)
    monkeypatch.setattr("sys.stderr", screen)
    assert list(progress([("a", 1)], 1)) == [1]
    assert screen.said == ""


# -- the summary ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("columns", [60, 80, 100])
def test_the_summary_keeps_to_the_width_of_the_terminal(columns: int, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symattn.cli.worksheet.width", lambda: columns)
    sheet = SHEET.replace("[3, 1]", "[4, 1]").replace("@3 from 3*3", '@3 known larga\n| exp(1) "9" @3\n| S[dos,dos] "9" @3')
    known = f"\n```known larga exact\nes: {'palabras ' * 30}\nen: {'words ' * 30}\n```\n"
    write_sheet(here, text=sheet + known)
    done = ran("worksheet", "check", "prueba.md", "--source", "documents")
    assert done.code == 1
    assert max(map(len, done.out.splitlines())) <= columns
    assert "is not acknowledged" in done.out.replace("\n      ", " ")
    assert "palabras palabras" in done.out


def test_the_table_counts_what_the_report_counts(here: Path) -> None:
    write_sheet(here, text=SHEET.replace("[3, 1]", "[4, 1]"))
    row = ran("worksheet", "check", "prueba.md", "--source", "documents").out.splitlines()[2].split()
    data = json.loads(ran("worksheet", "check", "prueba.md", "--source", "documents", "--format", "json").out)["documents"][0]
    counted = [str(n) for n in data["counts"].values() if n]
    assert row == ["prueba", str(data["understood"]), "/", str(data["seen"]), *counted, "0"]


def test_numbers_that_no_claim_reads_are_named(here: Path) -> None:
    write_sheet(here)
    document = next((here / "documents").iterdir())
    document.write_text(document.read_text(encoding="utf-8") + "\nAnd 7.25 at the end.\n", encoding="utf-8")
    done = ran("worksheet", "check", "prueba.md", "--source", "documents")
    assert done.err == "prueba.md: no claim reads 5 at 2:47, 3 at 3:9, 3 at 3:11, 7.25 at 5:5 of doc.txt\n"
