"""`symattn study`: every form, files whole or untouched, one clear message for every kind of bad input, nothing heavy for help."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cli_support import ran

from symattn.study import STUDIES

SMALL = {
    "overflow": ("--formats", "float16,e3m2:3:-2:4"),
    "shift": ("--scores", "[180, 210, 95]", "--formats", "float16"),
    "scaling": ("--d-k", "4,16", "--samples", "200", "--rows", "10"),
    "saturation": ("--gaps", "0,8", "--formats", "float16"),
    "error": ("--formats", "float16", "--tokens", "8", "--d-k", "4"),
}


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_answers_with_a_table_and_json(name: str) -> None:
    done = ran("study", name, *SMALL[name])
    assert done.code == 0
    assert "Table 1." in done.out
    assert "Figure 1." in done.out
    assert done.err == ""
    done = ran("study", name, *SMALL[name], "--to", "json", "--lang", "es")
    data = json.loads(done.out)
    assert (data["schema"], data["study"]) == ("symattn-study/1", name)
    assert data["tables"][0]["rows"]


@pytest.mark.parametrize(
    ("form", "start"),
    [("csv", "# formats\nformat,"), ("latex", "\\documentclass"), ("md", "# How far"), ("text", "STUDY\n")],
)
def test_forms_that_go_to_the_terminal_or_a_file(form: str, start: str, tmp_path: Path) -> None:
    arguments = ("study", "overflow", *SMALL["overflow"], "--to", form)
    shown = ran(*arguments)
    assert shown.out.startswith(start)
    written = ran(*arguments, "-o", str(tmp_path / "out"))
    assert (written.code, written.out) == (0, "")
    assert "wrote" in written.err
    assert (tmp_path / "out").read_text(encoding="utf-8") == shown.out


def test_html_and_figure_are_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    monkeypatch.chdir(tmp_path)
    done = ran("study", "overflow", *SMALL["overflow"], "--to", "html", "--figure", "figure.svg", "--lang", "es")
    assert (done.code, done.out) == (0, "")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["figure.svg", "overflow.html"]
    html = Path("overflow.html").read_text(encoding="utf-8")
    assert '<html lang="es">' in html
    assert html.count('<svg class="half"') == 2
    assert "Suma de" in Path("figure.svg").read_text(encoding="utf-8")


def test_a_seed_is_the_same_study_and_generated_scores_are_decimals() -> None:
    arguments = ("study", "shift", "--generate", "5", "--formats", "float16", "--to", "json", "--seed")
    first, again, other = (ran(*arguments, seed).out for seed in ("3", "3", "4"))
    assert first == again
    assert first != other
    scores = json.loads(first)["parameters"]["scores"].split(", ")
    assert len(scores) == 5
    assert all(len(s.split(".")[1]) == 2 for s in scores)


def test_scores_are_read_exactly() -> None:
    done = ran("study", "shift", "--scores", "[1/3, 0.1]", "--formats", "float16", "--to", "json")
    assert json.loads(done.out)["parameters"]["scores"] == "1/3, 0.1"


BAD = [
    (("overflw",), "did you mean overflow"),
    (("overflow", "--formats", "flaot16"), '"flaot16" is no known float format'),
    (("overflow", "--formats", "e3m2:1:2"), "is no format"),
    (("overflow", "--formats", ","), "no float format is named"),
    (("overflow", "--d-k", "0"), "d_k is 0"),
    (("overflow", "--d-k", "x"), "'x' is not a valid integer"),
    (("shift", "--scores", "[1, 2", "--formats", "float16"), "--scores:1:"),
    (("shift", "--scores", "[[1, 2], [3, 4]]"), "--scores has the shape 2×2"),
    (("shift", "--scores", "[sqrt(2)]"), "not a rational number"),
    (("shift", "--scores", "[1, nan]"), "nan"),
    (("shift", "--scores", ""), "--scores"),
    (("shift", "--scores", "[1e400]"), "is too large"),
    (("shift", "--scores", "[1]", "--generate", "3"), "both given"),
    (("shift", "--generate", "0"), "--generate is 0"),
    (("shift", "--generate", "3", "--spread", "-1"), "--spread is -1"),
    (("shift", "--generate", "3", "--spread", "nan"), "--spread is nan"),
    (("scaling", "--d-k", "4,x"), "--d-k takes positive integers"),
    (("scaling", "--d-k", "0"), "d_k is 0"),
    (("scaling", "--samples", "1"), "samples is 1"),
    (("scaling", "--samples", "1000000"), "this would draw"),
    (("scaling", "--entries", "cauchy"), "no entries 'cauchy'"),
    (("scaling", "--seed", "-1"), "the seed is -1"),
    (("saturation", "--gaps", "1,zwei"), '"zwei" is no gap'),
    (("saturation", "--keys", "1"), "1 keys"),
    (("saturation", "--formats", "e3m2:3:-2:4"), "format of your own"),
    (("error", "--tokens", "1"), "tokens is 1"),
    (("error", "--spread", "inf"), "the spread is inf"),
    (("error", "--block", "0"), "block is 0"),
    (("overflow", "--figure", "a.gif"), "cannot be written to 'a.gif'"),
    (("overflow", "--to", "html", "-o", "x.svg", "--figure", "x.svg"), "both the page and the figure"),
    (("overflow", "--formats", "float16", "-o", "no/such/folder/x.txt"), "cannot be written"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(a)[:60] for a, _ in BAD])
def test_bad_input_is_one_message_and_no_file(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = ran("study", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert message in done.err
    assert done.err.count("error:") <= 1
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_rest_still_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = ran("study", "overflow", *SMALL["overflow"], "--figure", "x.svg")
    assert done.code == 2
    assert "pip install 'symattn[plots]'" in done.err
    assert ran("study", "overflow", *SMALL["overflow"]).code == 0


def test_without_tex_a_pdf_is_refused_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    from symattn.render import pdf

    monkeypatch.setattr(pdf, "find_engine", lambda: None)
    done = ran("study", "error", "--to", "pdf")
    assert done.code == 2
    assert "no TeX engine" in done.err


def test_an_old_file_survives_a_bad_study(tmp_path: Path) -> None:
    place = tmp_path / "old.csv"
    place.write_text("old", encoding="utf-8")
    assert ran("study", "overflow", "--d-k", "0", "--to", "csv", "-o", str(place)).code == 2
    assert place.read_text(encoding="utf-8") == "old"
