"""Pages through a real TeX engine: clean logs, equal page breaks, and nothing that a document can do to the machine."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from sample import EMPTY, box, factor, grid, num, products, row, sample_page, sub
from test_latex import poisoned

from symattn.errors import RenderError
from symattn.page.math import Fence, Fraction, Grid, Math, Name, Row, Sign
from symattn.page.nodes import (
    AnswerKey,
    Cell,
    Chain,
    Code,
    Errata,
    Erratum,
    Formula,
    HeatMap,
    Ledger,
    Line,
    Margin,
    Matrices,
    Page,
    Paragraph,
    Section,
    Step,
    Table,
    Term,
    Text,
)
from symattn.render import pdf
from symattn.render.latex import to_latex
from symattn.render.pdf import ENGINES, find_engine, run_log, to_pdf

needs_pdflatex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
TROUBLE = re.compile(
    r"Overfull|Underfull|[Uu]ndefined|[Mm]issing|LaTeX Warning|Package \w+ Warning|Font Warning|not available|^!|too large", re.MULTILINE
)


def complaints(log: str) -> list[str]:
    return [line for line in log.splitlines() if TROUBLE.search(line)]


def page_count(log: str) -> int:
    found = re.search(r"Output written on .*? \((\d+) pages?", log)
    assert found is not None
    return int(found[1])


def traced(latex: str) -> str:
    """The same page, writing into the log on which page each row ends up."""
    hook = (
        r"\newcount\symtrace\newcommand\symtraced{\global\advance\symtrace1 "
        r"\edef\x{\write-1{ROW \number\symtrace\space PAGE \noexpand\thepage}}\x}"
    )
    start = r"\newcommand\symputrow{\nointerlineskip"
    assert start in latex
    return latex.replace(start, hook + "\n" + r"\newcommand\symputrow{\symtraced\nointerlineskip")


def row_pages(log: str) -> list[str]:
    return re.findall(r"^ROW \d+ PAGE \d+$", log, flags=re.MULTILINE)


# -- clean logs -------------------------------------------------------------------------------------------------------
@needs_pdflatex
@pytest.mark.parametrize("blank", [False, True], ids=["teacher", "student"])
@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("lang", ["es", "en"])
def test_the_sample_is_typeset_without_a_complaint(lang: str, paper: str, blank: bool):
    log = run_log(to_latex(sample_page(lang), blank=blank, paper=paper))
    assert complaints(log) == []
    assert page_count(log) >= 5


@needs_pdflatex
def test_an_overfull_line_would_be_seen():
    latex = to_latex(sample_page()).replace(r"\symopening{", r"\noindent\hbox to 1cm{too much for it}\symopening{", 1)
    assert any("Overfull" in line for line in complaints(run_log(latex)))


@needs_pdflatex
def test_a_missing_character_would_be_seen():
    latex = to_latex(sample_page()).replace(r"\symopening{", r"{\fontencoding{OT1}\selectfont\char200}\symopening{", 1)
    assert any("Missing character" in line for line in complaints(run_log(latex)))


@needs_pdflatex
def test_both_versions_and_both_papers_break_their_pages_alike():
    sample = sample_page()
    keys = [block for block in sample.blocks if isinstance(block, AnswerKey)]
    assert len(keys) == 1
    # the answer key, a page of its own for students, comes last, as on every worksheet
    page = replace(sample, blocks=(*(block for block in sample.blocks if block not in keys), *keys))
    logs = {
        (blank, paper): run_log(traced(to_latex(page, blank=blank, paper=paper))) for blank in (False, True) for paper in ("a4", "letter")
    }
    teacher = row_pages(logs[False, "a4"])
    assert len(teacher) > 30
    assert len({line.split()[-1] for line in teacher}) >= 3
    assert all(row_pages(log) == teacher for log in logs.values())
    pages = {key: page_count(log) for key, log in logs.items()}
    assert pages[False, "a4"] == pages[False, "letter"]
    assert pages[True, "a4"] == pages[True, "letter"] == pages[False, "a4"] + 1  # the answer key


@needs_pdflatex
@pytest.mark.parametrize("lang", ["es", "en"])
def test_payloads_in_every_field_are_typeset_and_do_nothing(lang: str):
    log = run_log(to_latex(poisoned(lang)))
    assert complaints(log) == []
    assert "/etc/passwd" not in re.sub(r"\s", "", log.replace("input{/etc/passwd}", ""))


# -- pages that strain the layout -------------------------------------------------------------------------------------
def vector(length: int) -> Fence:
    items: list[Math] = []
    for k in range(length):
        items += [Sign(","), num(f"-0.{k % 10}23456")]
    return Fence(Row(tuple(items[1:])), "[]")


def big_grid(rows: int, columns: int) -> Grid:
    return grid(";".join(" ".join(f"{(-1) ** (i + j) * 0.123 * i:.3f}" for j in range(columns)) for i in range(rows)))


def strained() -> Page:
    word = "pneumonoultramicroscopicsilicovolcanoconiosis" * 3
    names = tuple(f"token{k}" for k in range(40))

    def heat(size: int) -> HeatMap:
        return HeatMap(((("0.250", "0.750") * size)[:size],) * size, names[:size], names[:size], (Text("Calor."),), number=1)

    wide_cells = tuple(
        (
            Cell((Text(f"{k}"),)),
            Cell((Text("una explicación larga que no cabe en su columna y sigue en otra línea"),)),
            Cell(number=f"-{k}.12"),
        )
        for k in range(45)
    )
    blocks = (
        Step(
            "12.3.4",
            (Text("Un título tan largo que no cabe en el renglón de los títulos y se parte "), Formula(vector(6))),
            (
                Paragraph(
                    (Text(word), Text(" "), Formula(vector(12)), Text(" "), Code("np.exp(x-x.max(axis=-1))" * 4), Formula(num("3" * 200)))
                ),
                Chain(
                    (
                        Line(sub("q", "perro", "0"), "=", products(*[("0.50", "-0.3")] * 9), (Margin("0.5", "exact"),)),
                        Line(EMPTY, "≈", vector(20), (Margin("1", "wrong", right="2"),)),
                        Line(row(Name("softmax"), vector(5)), "=", box("0.5", "x")),
                        Line(EMPTY, "=", Fraction(products(*[("0.50", "-0.3")] * 9), Name("Z"))),
                        Line(EMPTY, "=", box("1" * 90, "zz")),
                        Line(EMPTY, "", row(Name("Q"), Sign("="), big_grid(3, 12)), (Margin("p" * 200, "undecided", because=vector(9)),)),
                    )
                ),
                Ledger(
                    tuple(Term(products(*[("0.50", "-0.3")] * 5), "≈", "1.5", (Margin("1.5", "exact"),)) for _ in range(40)),
                    Line(vector(4), "=", box("1", "1")),
                    student="dashed",
                ),
                Matrices(((Name("X"), big_grid(8, 8)), (Name("Y"), big_grid(8, 8))), wide=True),
                Matrices(((Name("X"), big_grid(4, 30)),)),
                Matrices(tuple((factor("1"), big_grid(2, 2)) for _ in range(5))),
            ),
        ),
        Step("2", (Text("Mapas"),), tuple(heat(size) for size in (1, 8, 13, 40)), has_margin=False),
        Table(((Text("k"),), (Text(word),), (Text("cabeza larga"),)), wide_cells, "llr", (Text("Larga."),)),
        Table(((Text("cabeza"),),) * 12, (tuple(Cell(number="-1234.567891", label="9z") for _ in range(12)),), "r" * 12),
        Section(
            "k",
            "Al final",
            (
                Errata(
                    (),
                    (("exact", 1), ("off-by", 2), ("undecided", 1), ("measured", 3), ("given", 2)),
                    (
                        Erratum("10", (("come (+0.954) > perro > el", "perro > come", Margin("x", "wrong")),), (Text(word),)),
                        Erratum("1", (("0.1", "0.2", Margin("0.1", "off-by", off=-3)),) * 60, (Text("muchas"),)),
                    ),
                ),
            ),
        ),
    )
    return Page("es", "k" * 90, word, word, (Text(word),), blocks, "pie " * 90, "cabeza " * 60, "123456789")


@needs_pdflatex
def test_long_rows_wide_matrices_and_tall_tables_never_stick_out():
    logs = [run_log(traced(to_latex(strained(), blank=blank))) for blank in (False, True)]
    assert [complaints(log) for log in logs] == [[], []]
    assert row_pages(logs[0]) == row_pages(logs[1])
    assert page_count(logs[0]) == page_count(logs[1])


# -- pdf.py -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ENGINES)
def test_each_engine_of_this_machine_makes_a_pdf(engine: str, tmp_path: Path):
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    out = to_pdf(to_latex(sample_page()), tmp_path / "hoja.pdf", engine=engine)
    assert out.read_bytes().startswith(b"%PDF-")
    assert [path.name for path in tmp_path.iterdir()] == ["hoja.pdf"]


@needs_pdflatex
def test_the_same_page_gives_the_same_bytes(tmp_path: Path):
    latex = to_latex(sample_page())
    first = to_pdf(latex, tmp_path / "a.pdf", engine="pdflatex").read_bytes()
    assert to_pdf(latex, tmp_path / "b.pdf", engine="pdflatex").read_bytes() == first


def test_without_an_engine_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_engine() is None
    with pytest.raises(RenderError, match="no TeX engine; install latexmk with TeX Live") as trouble:
        to_pdf("x", tmp_path / "x.pdf")
    assert "\n" not in str(trouble.value)
    with pytest.raises(RenderError, match="pdflatex is not on this machine"):
        to_pdf("x", tmp_path / "x.pdf", engine="pdflatex")
    with pytest.raises(RenderError, match="unknown TeX engine 'word'"):
        to_pdf("x", tmp_path / "x.pdf", engine="word")


@needs_pdflatex
def test_a_failure_names_the_first_error_and_keeps_the_old_file(tmp_path: Path):
    out = tmp_path / "x.pdf"
    out.write_bytes(b"old")
    with pytest.raises(RenderError, match=r"pdflatex stopped: .*Undefined control sequence"):
        to_pdf("\\documentclass{article}\\begin{document}\n\\nonsense\n\\end{document}", out, engine="pdflatex")
    assert out.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [out]


@needs_pdflatex
@pytest.mark.parametrize(
    "deed",
    [
        r"\input{/etc/passwd}",
        r"\input{../secret}",
        r"\immediate\write18{touch hacked}\newread\r\openin\r=hacked \ifeof\r\errmessage{no shell}\fi",
        r"\newwrite\w\immediate\openout\w=../x.txt ",
    ],
)
def test_tex_reads_and_writes_nothing_outside_its_folder(deed: str, tmp_path: Path):
    with pytest.raises(RenderError, match="pdflatex stopped"):
        to_pdf("\\documentclass{article}\\begin{document}" + deed + " x\\end{document}", tmp_path / "x.pdf", engine="pdflatex")
    assert list(tmp_path.iterdir()) == []


@needs_pdflatex
def test_an_endless_document_is_stopped(tmp_path: Path):
    with pytest.raises(RenderError, match="pdflatex took longer than 1 s"):
        to_pdf("\\def\\x{\\x}\\x", tmp_path / "x.pdf", engine="pdflatex", seconds=1)


@needs_pdflatex
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path):
    tiny = "\\documentclass{article}\\begin{document}x\\end{document}"
    with pytest.raises(RenderError, match=r"cannot write .*no-folder"):
        to_pdf(tiny, tmp_path / "no-folder" / "x.pdf", engine="pdflatex")
    (tmp_path / "x.pdf").mkdir()
    with pytest.raises(RenderError, match=r"cannot write .*x\.pdf"):
        to_pdf(tiny, tmp_path / "x.pdf", engine="pdflatex")
    assert [path.name for path in tmp_path.iterdir()] == ["x.pdf"]


def test_the_first_error_is_found_in_a_log():
    assert pdf._first_error("This is TeX\n./page.tex:3: Missing $ inserted.\n! later") == "./page.tex:3: Missing $ inserted."
    assert pdf._first_error("warn\n! Emergency stop.\nmore") == "Emergency stop."
    assert pdf._first_error("") == "no log was written"


def test_latexmk_counts_only_beside_pdflatex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("latexmk", "tectonic"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_engine() == "tectonic"
