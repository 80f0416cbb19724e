"""The report has the schema's fields in order, stable ids, honest counts and the exit code of the contract."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from symattn.claims.escape import json_text, visible
from symattn.claims.model import Claim, DocumentReport, Hint, Judgement, Report, Spot, Statement
from symattn.claims.report import claim_id, counts, exit_code, short_quote, summary, tally, to_json, to_json_text


def claim(verdict: str, line: int = 57, **more: object) -> Claim:
    found = Judgement(verdict, value="0.516477", right="0.516", off=1 if verdict == "off-by" else 0)
    made = Claim(f"L{line}C1:+0.517", "number", Spot(line, 1), "+0.641 + +0.517", "+0.517", "Q[1,1] * K[2,1]", found)
    return replace(made, **more)  # type: ignore[arg-type]


def report(*claims: Claim) -> Report:
    statement = Statement(74, "está a ~√n pasos", "imprecise", "la raíz de la media de los cuadrados es √n", "n = 4")
    return Report((DocumentReport("worksheets/a.md", "a.txt", "es", 20, 12, claims, (statement,)),))


def test_the_fields_of_the_schema_in_their_order() -> None:
    data = to_json(report(claim("off-by", hint=Hint("transposed", 40, 1, False, "W_K"), echoes=(Spot(60, 7),))))
    assert list(data) == ["schema", "documents"]
    assert data["schema"] == "symattn-report/1"
    document = data["documents"][0]
    assert list(document) == ["path", "source", "lang", "seen", "understood", "claims", "statements", "counts"]
    fields = (
        "id kind line column quote printed meaning value closed_form from_printed verdict also reach off declared"
        " conclusion_changed inherits echoes known hint"
    )
    assert list(document["claims"][0]) == fields.split()
    assert document["claims"][0]["echoes"] == [{"line": 60, "column": 7}]
    assert document["claims"][0]["hint"] == {"slip": "transposed", "tried": 40, "fitting": 1, "chance": False}
    assert document["claims"][0]["off"] == 1
    assert document["claims"][0]["value"] == "0.516477"
    assert list(document["statements"][0]) == ["line", "quote", "status", "precise", "evidence"]
    assert document["counts"] == {
        "exact": 0, "rounded": 0, "from-rounded": 0, "truncated": 0, "off-by": 1, "wrong": 0, "undecided": 0, "given": 0, "measured": 0,
    }  # fmt: skip


def test_a_cell_and_an_occurrence_stand_only_where_there_are_any() -> None:
    data = to_json(report(claim("exact", occurrence=2, cell=5)))["documents"][0]["claims"][0]
    assert list(data)[2:7] == ["line", "column", "cell", "occurrence", "quote"]
    assert (data["cell"], data["occurrence"]) == (5, 2)


def test_numbers_that_are_not_counts_or_places_are_strings() -> None:
    def walk(value: object) -> None:
        if isinstance(value, dict):
            for v in value.values():
                walk(v)
        elif isinstance(value, list):
            for v in value:
                walk(v)
        else:
            assert not isinstance(value, float)

    walk(to_json(report(claim("wrong"), claim("exact"))))


def test_ids_depend_on_place_and_print_only() -> None:
    assert claim_id(Spot(57, 120), "+0.461") == "L57C120:+0.461"
    assert claim_id(Spot(57, 120), "−0.461") == "L57C120:-0.461"
    assert claim_id(Spot(9, 3), "83,83 %") == "L9C3:83,83%"
    assert claim_id(Spot(81, 9), "1.000", kind="sum") == "sum:L81C9:1.000"
    assert claim_id(Spot(5, 2), "0.5", cell=3) == "N3L5C2:0.5"
    assert claim_id(Spot(1, 1), "a > b\x1b[31m") == "L1C1:a_b__31m"


def test_a_quote_has_sixty_characters_at_most_and_keeps_its_number() -> None:
    assert short_quote("0.150 + 0.115\n= +0.461", "+0.461") == "0.150 + 0.115 = +0.461"
    long = " + ".join(["0.150"] * 20) + " = +3.000"
    cut = short_quote(long, "+3.000")
    assert len(cut) <= 60
    assert cut.startswith("…")
    assert cut.endswith("= +3.000")
    middle = short_quote("= +3.000 " + "x" * 100, "+3.000")
    assert len(middle) <= 60
    assert middle.startswith("= +3.000")
    assert middle.endswith("…")
    both = short_quote("x " * 60 + "= +3.000" + " y" * 60, "+3.000")
    assert len(both) <= 60
    assert "= +3.000" in both
    assert short_quote("x" * 100, "") == "x" * 59 + "…"


# -- exit codes -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("verdict", ["exact", "rounded", "from-rounded", "given", "measured"])
def test_right_claims_and_labels_are_0(verdict: str) -> None:
    assert exit_code(report(claim(verdict))) == 0
    assert exit_code(report(claim(verdict)), strict=True) == 0


@pytest.mark.parametrize("verdict", ["truncated", "undecided"])
def test_notes_count_only_when_strict(verdict: str) -> None:
    assert exit_code(report(claim(verdict))) == 0
    assert exit_code(report(claim(verdict)), strict=True) == 1
    assert exit_code(report(claim(verdict, known="cortado", expects=verdict)), strict=True) == 0


def test_a_declared_cut_is_right() -> None:
    assert exit_code(report(claim("truncated", judgement=Judgement("truncated", declared=True))), strict=True) == 0


@pytest.mark.parametrize("verdict", ["off-by", "wrong"])
def test_findings_are_1_until_they_are_acknowledged(verdict: str) -> None:
    assert exit_code(report(claim("exact"), claim(verdict))) == 1
    assert exit_code(report(claim(verdict, known="la causa", expects=verdict))) == 0


@pytest.mark.parametrize(("verdict", "expects"), [("exact", "wrong"), ("off-by", "wrong"), ("wrong", "truncated")])
def test_an_acknowledgement_that_no_longer_fits_is_1_and_names_its_verdict(verdict: str, expects: str) -> None:
    one = report(claim(verdict, known="la causa", expects=expects))
    assert exit_code(one) == 1
    assert any(f'acknowledged as "{expects}", which no longer fits' in line for line in summary(one))


def test_no_claim_is_0() -> None:
    assert exit_code(report()) == 0
    assert "no claim found" in "\n".join(summary(report()))


# -- counts and lines -------------------------------------------------------------------------------------------------
def test_root_errors_and_inherited_ones_are_counted_apart() -> None:
    claims = (
        claim("exact"),
        claim("truncated"),
        claim("given"),
        claim("wrong"),
        claim("off-by", inherits="L57C1:+0.517"),
        claim("wrong", known="x", expects="wrong"),
        claim("rounded", known="x", expects="wrong"),
    )
    found = tally(claims)
    assert (found.claims, found.right, found.notes, found.labels) == (7, 2, 1, 1)
    assert (found.root, found.inherited, found.acknowledged, found.misfits) == (2, 1, 1, 1)
    assert sum(counts(report(*claims).documents[0]).values()) == 7


def test_the_summary_names_place_value_and_cause() -> None:
    hint = Hint("transposed", 40, 1, True, "W_K")
    lines = summary(
        report(claim("exact"), claim("off-by", hint=hint, conclusion_changed=True), claim("wrong", hint=Hint("", 40, 0, False)))
    )
    assert lines[0] == "a.txt: 20 numbers seen, 12 understood, 3 claims"
    assert lines[1] == "  1 exact, 1 off-by, 1 wrong"
    assert lines[2] == (
        "a.txt:57:1: off-by: +0.517, right is 0.516 (0.516477), changes the order;"
        " likely slip: transposed (W_K) (1 of 40 fit, may be chance)"
    )
    assert lines[3].endswith("none of 40 slips fits")
    assert lines[4] == "3 claims: 1 right, 0 notes, 2 errors and 0 inherited from them (0 acknowledged), 0 labelled"


# -- untrusted text ---------------------------------------------------------------------------------------------------
HOSTILE = "a\x1b[31m\r\n\x07\x7f\x9b\u202e\u2028\ud800z"


def test_control_characters_become_symbols() -> None:
    assert visible(HOSTILE) == "a␛[31m␍␊␇␡<U+009B><U+202E><U+2028><U+D800>z"
    assert visible("añ√·≈ 0.5") == "añ√·≈ 0.5"


def test_json_escapes_what_would_act_and_reads_back_the_same() -> None:
    text = to_json_text(report(claim("wrong", quote=HOSTILE, printed=HOSTILE, meaning=HOSTILE, known=HOSTILE, expects="wrong")))
    assert not [c for c in text if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) <= 0x9F or c in "\u202e\u2028\ud800"]
    text.encode("utf-8")
    assert json.loads(text)["documents"][0]["claims"][0]["meaning"] == HOSTILE
    assert json.loads(json_text({"é": "ñ\u0085"})) == {"é": "ñ\u0085"}
    assert "é" in json_text({"é": 1})


def test_the_summary_shows_no_control_character() -> None:
    hostile = claim("wrong", printed=HOSTILE, inherits=HOSTILE, hint=Hint("x", 1, 1, False, HOSTILE))
    one = Report((replace(report(hostile).documents[0], source=HOSTILE),))
    assert not [c for line in summary(one) for c in line if ord(c) < 32 or 0x7F <= ord(c) <= 0x9F]
