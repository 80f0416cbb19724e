"""Writes what the documentation takes from the code: tables of the language, the errata of the worksheets, the picture.

Usage: python docs/generate.py            tables and errata
       python docs/generate.py --picture  the worksheet page of the README too (needs TeX and poppler-utils)

A test compares the tables and the errata with what is committed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))

from symattn.calculus.catalogue import GROUPS, Theorem, theorem, topics  # noqa: E402
from symattn.calculus.derivation import Derivation  # noqa: E402
from symattn.calculus.rules import RULES  # noqa: E402
from symattn.calculus.statement import clause_text, read_statement  # noqa: E402
from symattn.claims.model import RIGHT, Claim  # noqa: E402
from symattn.claims.report import hint_text, tally  # noqa: E402
from symattn.language import limits  # noqa: E402
from symattn.language.functions import FUNCTIONS  # noqa: E402
from symattn.language.unparse import unparse  # noqa: E402
from symattn.sheets.catalog import list_worksheets  # noqa: E402
from symattn.sheets.claims import Judged  # noqa: E402
from symattn.sheets.derivation_page import plain_title  # noqa: E402
from symattn.sheets.result import Result, Spoken, evidence_text, work_out  # noqa: E402
from symattn.sheets.source import read_sheet  # noqa: E402

PICTURE = ("el-perro-come", "And without scaling?", "page-wrong-triple.png")
SEVERITY = ("wrong", "off-by", "undecided", "truncated", "from-rounded")
LIMITS = (
    ("MAX_TEXT", "characters of one text"),
    ("MAX_DIGITS", "digits of one number, and the reach of its exponent"),
    ("MAX_BRACKETS", "brackets open at once"),
    ("MAX_DEPTH", "operations inside one another"),
    ("MAX_ENTRIES", "entries of one literal"),
    ("MAX_COMPUTED", "entries of one literal that are not plain numbers"),
    ("MAX_STAGE_ENTRIES", "entries of one result"),
    ("MAX_EXPONENT", "numerator and denominator of an exponent"),
    ("MAX_BITS", "bits of an exact rational result"),
)


# -- tables of the language ---------------------------------------------------------------------------------------------------------
def functions_table() -> str:
    """A row for each function, in the order of the code."""
    rows = ["| call | is | example |", "|---|---|---|"]
    rows += [f"| `{f.usage()}` | {f.says} | `{f.example}` |" for f in FUNCTIONS.values()]
    return "\n".join(rows)


def limits_table() -> str:
    """The limits of the language, so that one mistyped line cannot cost minutes."""
    rows = ["| at most | |", "|---:|---|"]
    rows += [f"| {getattr(limits, name):,} | {what} |" for name, what in LIMITS]
    return "\n".join(rows)


def with_tables(text: str) -> str:
    """The page of the language with both tables."""
    for name, table in (("functions", functions_table()), ("limits", limits_table())):
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        text = text[: text.index(begin) + len(begin)] + f"\n{table}\n" + text[text.index(end) :]
    return text


# -- derivations ----------------------------------------------------------------------------------------------------------------------
def rules_table() -> str:
    """A row for each rule, in the order of the code."""
    rows = ["| rule | before, after | what a line must look like |", "|---|---|---|"]
    rows += [f"| `{r.name}` | {f'`{r.sign}`' if r.sign else 'as the rule finds'} | {_cell(r.says)} |" for r in RULES.values()]
    return "\n".join(rows)


def with_rules(text: str) -> str:
    """The page of derivations with its table."""
    begin, end = "<!-- rules: begin -->", "<!-- rules: end -->"
    return text[: text.index(begin) + len(begin)] + f"\n{rules_table()}\n" + text[text.index(end) :]


THEOREMS = """\
# Theorems

The catalogue: what `symattn derive --list` lists, written by `python docs/generate.py`; a test compares this page with a fresh run. Each is
proved line by line for all sizes, under its hypotheses and with every size at least 1; has an example in exact numbers; and has a false
twin, a relation that looks like it and that the kernel rejects. `symattn derive TOPIC` shows the proof. What such a proof is worth stands
under [derivations](derivations.md#what-a-proof-is-worth).
"""
GROUP_TITLES = {
    "softmax": "Softmax", "saturation": "Saturation", "scaling": "Scaling", "attention": "Attention", "backward": "Backward",
    "online": "Online softmax", "cost": "Cost",
}  # fmt: skip


def theorems() -> str:
    """The page: each theorem of the catalogue with what it is about, supposes and says."""
    found = {topic: theorem(topic) for topic in topics()}
    lines = [THEOREMS]
    for group in GROUPS:
        lines += [f"## {GROUP_TITLES[group]}", ""]
        for topic, file in found.items():
            if group == file.GROUP:
                lines += _theorem(topic, file, file.derive())
    return "\n".join(lines).rstrip("\n") + "\n"


def _theorem(topic: str, file: Theorem, derivation: Derivation) -> list[str]:
    given = [d.meaning for d in derivation.definitions if d.meaning.startswith(f"{d.name}(")]
    defined = [f"{d.name} = {d.meaning}" for d in derivation.definitions if not d.meaning.startswith(f"{d.name}(")]
    supposed = [h for h in derivation.hypotheses if not h.endswith(" >= 1")]
    clauses = read_statement(derivation.statement).clauses
    text = [f"given    {'; '.join(given)}"] if given else []
    text += [f"{'let' if not k else '':9}{line}" for k, line in enumerate(defined)]
    text += [f"{'where' if not k else '':9}{line}" for k, line in enumerate(supposed)]
    text += [f"{'then' if not k else '':9}{clause_text(unparse(c.left), c.sign, unparse(c.right))}" for k, c in enumerate(clauses)]
    text += [f"not      {file.FALSE_TWIN}"]
    title = plain_title(file.TITLE.en)
    evidence = derivation.evidence.text()
    return [f"### {topic}", "", f"{title}. {len(derivation.steps)} lines, {evidence}.", "", "```text", *text, "```", ""]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


# -- errata ---------------------------------------------------------------------------------------------------------------------------
HEAD = """\
# Errata of three documents

What the worksheets that come with symattn found, worked out by `python docs/generate.py`; a test compares this page with a fresh run.
Lines and columns count from 1 in each document. A number that is right, given the rounded numbers it was computed from, is listed too,
with the digits the exact chain gives: it is no error, but it is where readers who recompute get something else.
"""


def errata() -> str:
    """The page: for each worksheet its numbers by cause, worst first, then the sentences that are not true as they stand."""
    results = [work_out(read_sheet(listed.path)) for listed in list_worksheets()]
    return "\n".join([HEAD, *(_document(result) for result in results)]).rstrip("\n") + "\n"


def _document(result: Result) -> str:
    sheet = result.sheet
    total = tally(tuple(j.claim for j in result.judged))
    inherited = f" and {total.inherited} inherited from them" if total.inherited else ""
    lines = [f"## {sheet.title['en']}", "", f"Document `{sheet.source}`, worksheet `{sheet.name}`."]
    counted = f"{total.claims} printed numbers and conclusions: {total.right} right, {total.notes} cut or undecided"
    lines += [f"{counted}, {total.root} errors{inherited}, {total.labels} given or measured.", ""]
    groups = _groups(result)
    if not groups:
        lines += ["No number of it is wrong.", ""]
    for cause, group in groups:
        lines += ["| line | printed | verdict | right | value |", "|---|---:|---|---:|---|", *map(_row, group), "", cause, ""]
        hint = next((j.claim for j in group if j.claim.hint is not None), None)
        if hint is not None:
            lines += [f"*{_sentence(hint_text(hint))}*", ""]
    spoken = sorted((s for s in result.spoken if s.status in ("false", "imprecise")), key=lambda s: s.block.source_line)
    if spoken:
        lines += ["### Sentences", "", *(_spoken(result, s) for s in spoken)]
    return "\n".join(lines)


def _groups(result: Result) -> list[tuple[str, list[Judged]]]:
    found: dict[str, list[Judged]] = {}
    for j in result.judged:
        verdict = j.claim.judgement.verdict
        covered = j.claim.id in result.covering
        if verdict not in SEVERITY or j.claim.judgement.declared or (verdict in RIGHT and not covered):
            continue
        cause = result.causes[j.item.line.known].cause["en"] if covered else _own_words(j.claim)
        found.setdefault(cause, []).append(j)
    return sorted(found.items(), key=lambda g: min(SEVERITY.index(j.claim.judgement.verdict) for j in g[1]))


def _own_words(claim: Claim) -> str:
    if claim.inherits is not None:
        return "It follows from another number that is not right."
    return {"truncated": "The digits were cut off."}.get(claim.judgement.verdict, "The worksheet names no cause.")


def _row(j: Judged) -> str:
    claim, found = j.claim, j.claim.judgement
    verdict = f"{found.verdict} {found.off:+d}" if found.verdict == "off-by" else found.verdict
    verdict += ", changes the order" if claim.conclusion_changed else ""
    right = found.right + ("%" if claim.printed.endswith("%") and found.right else "")
    value = f"`{claim.closed_form}`" if claim.closed_form is not None and len(claim.closed_form) <= 60 else (found.value or "")
    return f"| {claim.spot.line}:{claim.spot.column} | {claim.printed} | {verdict} | {right} | {value} |"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _spoken(result: Result, spoken: Spoken) -> str:
    """A sentence with its status, our words and what was computed."""
    block = spoken.block
    evidence = evidence_text(result.compiled, spoken)
    shown = f"\n\n  `{evidence}`" if evidence else ""
    quote = re.sub(r"([\\`*_\[\]<>$|])", r"\\\1", block.quote)
    return f"- Line {block.source_line}, *{spoken.status}*: “{quote}”\n\n  {block.precise['en']}{shown}\n"


# -- the picture ----------------------------------------------------------------------------------------------------------------------
def picture() -> None:
    """The page with the wrong triple, cropped to what is on it."""
    name, title, file = PICTURE
    with tempfile.TemporaryDirectory() as folder:
        _run([sys.executable, "-m", "symattn", "worksheet", "build", name, "--to", "pdf", "--lang", "en", "-o", folder])
        pdf = f"{folder}/{name}.en.pdf"
        pages = _run(["pdftotext", "-layout", pdf, "-"]).split("\f")
        number = next(k for k, text in enumerate(pages, 1) if title in text)
        look = ["-r", "110", "-png", "-singlefile", "-x", "35", "-y", "65", "-W", "860", "-H", "890"]
        _run(["pdftoppm", *look, "-f", str(number), pdf, str(DOCS / "pictures" / file.removesuffix(".png"))])


def _run(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def main() -> None:
    """Writes the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--picture", action="store_true")
    language = DOCS / "language.md"
    language.write_text(with_tables(language.read_text(encoding="utf-8")), encoding="utf-8")
    derivations = DOCS / "derivations.md"
    derivations.write_text(with_rules(derivations.read_text(encoding="utf-8")), encoding="utf-8")
    (DOCS / "theorems.md").write_text(theorems(), encoding="utf-8")
    (DOCS / "errata.md").write_text(errata(), encoding="utf-8")
    if parser.parse_args().picture:
        picture()


if __name__ == "__main__":
    main()
