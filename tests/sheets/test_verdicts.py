"""The verdicts on the real documents, and that they follow from the givens: change one and everything downstream moves."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest

from symattn.claims.report import exit_code, to_json
from symattn.errors import SheetError, SymattnError
from symattn.number.truth import compare
from symattn.sheets.result import Result, report, work_out
from symattn.sheets.source import parse_sheet, read_sheet

ROOT = Path(__file__).resolve().parents[2]
WORKSHEETS = sorted((ROOT / "worksheets").glob("*.md"))
SHARED = Path(os.environ.get("SYMATTN_SHARED", ROOT.parent / "shared")) / "documents"
PERRO = ROOT / "worksheets" / "el-perro-come.md"
FISH = ROOT / "worksheets" / "el-gato-come-pescado.md"


def verdicts(path: Path) -> list[tuple[int, str, str, int]]:
    return [(c.spot.line, c.printed, c.judgement.verdict, c.judgement.off) for c in work_out(read_sheet(path), search_slips=False).claims]


@pytest.mark.parametrize(
    ("line", "printed", "verdict", "off"),
    [
        (60, "+0.517", "off-by", 1),
        (67, "+0.611", "truncated", -1),
        (67, "+0.339", "rounded", 0),
        (92, "1.404", "from-rounded", 0),
        (92, "0.379", "from-rounded", 0),
        (92, "37.9%", "from-rounded", 0),
        (92, "38%", "rounded", 0),
        (94, "0.222", "wrong", -25),
        (94, "0.396", "wrong", 70),
        (112, "+0.233", "from-rounded", 0),
        (53, "+0.461", "exact", 0),
        (81, "16.06", "measured", 0),
        (87, "0.12", "truncated", 0),
        (38, "0.3", "given", 0),
    ],
)
def test_verdicts_of_the_dog_that_eats(line: int, printed: str, verdict: str, off: int) -> None:
    assert (line, printed, verdict, off) in verdicts(PERRO)


@pytest.mark.parametrize(
    ("printed", "verdict", "off"), [("83.83%", "truncated", -1), ("3.997", "off-by", 1), ("2.001", "off-by", 1), ("24.53", "rounded", 0)]
)
def test_verdicts_of_the_cat_that_eats_fish(printed: str, verdict: str, off: int) -> None:
    assert (printed, verdict, off) in {v[1:] for v in verdicts(FISH)}


def test_the_integer_component_and_its_slip() -> None:
    result = work_out(read_sheet(FISH))
    claim = next(c for c in result.claims if c.printed == "2.001")
    assert claim.judgement.value == "2"
    assert claim.hint is not None
    assert claim.hint.slip == "left-out"
    other = next(c for c in result.claims if c.printed == "3.997")
    assert other.closed_form == "4 - 5/(2 + exp(5*sqrt(2)))"


def test_the_wrong_triple_changes_the_order_and_its_percentages_inherit() -> None:
    claims = [c for c in work_out(read_sheet(PERRO)).claims if c.spot.line == 94 and c.judgement.verdict == "wrong"]
    assert [c.printed for c in claims] == ["0.222", "0.382", "0.396", "22.2%", "38.2%", "39.6%"]
    assert [c.conclusion_changed for c in claims] == [False, True, True, False, True, True]
    assert [c.inherits for c in claims] == [None, None, None, *(c.id for c in claims[:3])]
    assert all(c.hint is not None and c.hint.slip == "" for c in claims[:3])


@pytest.mark.parametrize("path", WORKSHEETS, ids=lambda p: p.stem)
def test_every_finding_is_acknowledged_and_every_column_is_known(path: Path) -> None:
    result = work_out(read_sheet(path))
    assert exit_code(report([result])) == 0
    assert all(c.spot.column > 0 for c in result.claims)
    assert len({c.id for c in result.claims}) == len(result.claims)
    data = to_json(report([result]))
    assert data["schema"] == "symattn-report/1"
    assert all(len(c["quote"]) <= 60 for d in data["documents"] for c in d["claims"])


@pytest.mark.parametrize("path", WORKSHEETS, ids=lambda p: p.stem)
def test_places_stand_in_the_documents(path: Path) -> None:
    sheet = read_sheet(path)
    if not (SHARED / sheet.source).is_file():
        pytest.skip(f"the document {sheet.source} is not at hand, so places are not verified")
    verified = work_out(sheet, SHARED, search_slips=False)
    assert verified.verified
    assert verified.seen >= verified.understood > 0
    assert verified.claims == work_out(sheet, search_slips=False).claims


def test_a_wrong_digit_in_the_worksheets_printed_text_is_caught() -> None:
    text = PERRO.read_text("utf-8")
    assert text.count('= +0.461"') == 1
    changed = work_out(parse_sheet(text.replace('= +0.461"', '= +0.462"'), "w.md", "w"), search_slips=False)
    claim = next(c for c in changed.claims if c.printed == "+0.462")
    assert (claim.judgement.verdict, claim.judgement.off) == ("off-by", 1)
    assert exit_code(report([changed])) == 1


def test_an_acknowledgement_that_no_longer_fits_is_open() -> None:
    text = PERRO.read_text("utf-8").replace("known corte truncated", "known corte wrong")
    changed = work_out(parse_sheet(text, "w.md", "w"), search_slips=False)
    assert exit_code(report([changed])) == 1


def test_a_quote_that_is_not_in_the_source_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the sum is 3 + 2 = 5 here\n")
    head = '+++\ntitle = { es = "a", en = "a" }\nsource = "a.txt"\n+++\n```step\nt = 3 + 2\n'
    good = parse_sheet(head + '| t "3 + 2 = 5" @1\n```\n', "w.md", "w")
    assert work_out(good, tmp_path).claims[0].spot.column == 20
    for line in ('| t "3 + 2 = 6" @1', '| t "3 + 2 = 5" @2', '| t "3 + 2 = 5" @1:3', '| t "3 + 2 = 5" @1#2'):
        with pytest.raises(SheetError) as caught:
            work_out(parse_sheet(f"{head}{line}\n```\n", "w.md", "w"), tmp_path)
        assert caught.value.place is not None
        assert caught.value.place.line == 7


# -- one entry of X and one weight ---------------------------------------------------------------------------------------
STAGES = {
    "X[perro]": (("[0.50, 1.15, 0.78, 0.88]", "[0.51, 1.15, 0.78, 0.88]"), {"X", "Q", "K", "V", "S", "T", "E", "Z", "P", "O"}),
    "W_V": (("[[0.4, 0.1, 0.3, -0.2]", "[[0.5, 0.1, 0.3, -0.2]"), {"W_V", "V", "O"}),
    "W_Q": (("[[0.3, -0.1, 0.4, 0.2]", "[[0.31, -0.1, 0.4, 0.2]"), {"W_Q", "Q", "S", "T", "E", "Z", "P", "O"}),
}
CHAIN = ("X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "T", "E", "Z", "P", "O")


def moved(before: Result, after: Result, stage: str) -> list[bool]:
    a, b = before.compiled.quantities.tensor(stage), after.compiled.quantities.tensor(stage)
    return [compare(x, y) != 0 for x, y in zip(a.entries, b.entries, strict=True)]


@pytest.mark.parametrize("name", STAGES)
def test_every_value_downstream_changes_and_nothing_upstream(name: str) -> None:
    (old, new), downstream = STAGES[name]
    text = PERRO.read_text("utf-8")
    assert text.count(old) == 1
    # The changed given is no longer the printed one: its claim says so, and nothing else may depend on it silently.
    before = work_out(read_sheet(PERRO), search_slips=False)
    after = work_out(parse_sheet(text.replace(old, new), "w.md", "w"), search_slips=False)
    for stage in CHAIN:
        changes = moved(before, after, stage)
        if stage not in downstream:
            assert not any(changes), f"{stage} is upstream of {name}"
        elif stage in ("X", "W_Q", "W_V"):
            assert sum(changes) == 1
        else:
            assert any(changes), f"{stage} is downstream of {name}"
    if name == "X[perro]":
        assert all(moved(before, after, "S")[k] for k in (1, 3, 4, 5, 7)), "row and column of perro"
        assert all(moved(before, after, "P"))
        assert all(moved(before, after, "O"))
    before_terms = before.compiled.quantities.of("O", (1, 0)).enclose(64)
    assert before_terms.width() < Fraction(1, 10**9)


SMALL = '+++\ntitle = {{ es = "T", en = "T" }}\n{labels}+++\n{body}'
GIVEN = '```given\nx(n) = [1.5, 2]\n| x[0] "1.5" @1{known}\n```\n'
CAUSE = "```known k {verdict}\nes: a\nen: b\n```\n"


@pytest.mark.parametrize(
    ("body", "labels", "message"),
    [
        ("", "", r"w\.md:1:1: the worksheet gives and defines nothing"),
        (GIVEN.format(known=""), '[labels]\nn = ["a", "a"]\n', r"w\.md:3:1: the axis \"n\" has twice"),
        (GIVEN.format(known="") + '```step\n| sum x * 1 "1" @1\n```\n', "", r"w\.md:9:7: the total 1 has no printed addends"),
        (GIVEN.format(known="") + CAUSE.format(verdict="wrong"), "", r"w\.md:8:1: no claim refers to the acknowledgement \"k\""),
        (GIVEN.format(known=" known k") + 2 * CAUSE.format(verdict="wrong"), "", r"w\.md:12:1: the acknowledgement \"k\" stands on line 8"),
        (GIVEN.format(known=" known q") + CAUSE.format(verdict="wrong"), "", r"w\.md:6:1: the claim refers to the acknowledgement \"q\""),
    ],
)
def test_what_does_not_fit_together_has_its_place(body: str, labels: str, message: str) -> None:
    with pytest.raises(SymattnError, match=message):
        work_out(parse_sheet(SMALL.format(labels=labels, body=body), "w.md", "w"))


@pytest.mark.parametrize(
    ("value", "printed", "exact"),
    [("1404", "1.404", "1404"), ("1.404", "1.404", "1.404"), ("1404", "1,404", "1404"), ("1.404", "1,404", "1.404")],
)
def test_the_value_decides_a_mark_that_nothing_else_shows(value: str, printed: str, exact: str) -> None:
    body = f'```given\nx = {value}\n```\n```step\ny = x * 1\n| y "{printed}" @1\n```\n'
    judgement = work_out(parse_sheet(SMALL.format(labels="", body=body), "w.md", "w")).claims[0].judgement
    assert (judgement.verdict, judgement.value) == ("exact", exact)


def test_a_mark_that_nothing_decides_is_not_guessed() -> None:
    body = '```given\nx = 7\n```\n```step\ny = x * 1\n| y "1.404" @1\n{more}```\n'
    with pytest.raises(SheetError, match=r"w\.md:9:3: 1\.404 can be read with either decimal mark"):
        work_out(parse_sheet(SMALL.format(labels="", body=body.format(more="")), "w.md", "w"))
    seen = work_out(parse_sheet(SMALL.format(labels="", body=body.format(more='| y "0.5" @2\n')), "w.md", "w")).claims[0]
    assert (seen.judgement.verdict, seen.judgement.off) == ("wrong", -5596)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ('y = x / 0\n| y "5" @1', r"w\.md:9:3: .*division by zero"),
        ('y = x / 0\n| y "1.404" @1', r"w\.md:9:3: .*division by zero"),
        ('y = x * 1\n| measured y "5" @1 from 0 * x', r"w\.md:9:12: .*not positive"),
        ('| x "7" @1\n```\n```statement @1 "a"\nsays: x / 0 > 1\nes: a\nen: b', r"w\.md:11:7: .*division by zero"),
    ],
)
def test_what_has_no_value_names_its_line(claim: str, message: str) -> None:
    body = f"```given\nx = 7\n```\n```step\n{claim}\n```\n"
    with pytest.raises(SymattnError, match=message):
        work_out(parse_sheet(SMALL.format(labels="", body=body), "w.md", "w"))


def test_a_misfitting_acknowledgement_stands_at_the_number_that_is_off() -> None:
    text = PERRO.read_text("utf-8").replace("known terna wrong", "known terna off-by")
    claims = work_out(parse_sheet(text, "w.md", "w"), search_slips=False).report("es").claims
    misfits = [c for c in claims if c.expects == "off-by" and c.judgement.verdict != "off-by"]
    assert [c.printed for c in misfits] == ["0.222", "22.2%"]
