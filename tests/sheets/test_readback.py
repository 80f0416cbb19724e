"""Every printed line recomputes from what is printed on it: 10,000 generated lines, and each shipped worksheet."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from readback import recompute

from symattn.program.attention import Attention
from symattn.render.latex import to_latex
from symattn.sheets.page import build_page
from symattn.sheets.program_page import Heading, program_page
from symattn.sheets.result import work_out
from symattn.sheets.source import read_sheet

LINES = 10_000
WORKSHEETS = sorted((Path(__file__).resolve().parents[2] / "worksheets").glob("*.md"))


def random_matrix(rng: random.Random, rows: int, columns: int, places: int, size: int) -> list[list[str]]:
    return [[f"{rng.randint(-size, size) / 10**places:.{places}f}" for _ in range(columns)] for _ in range(rows)]


def generated_tex(seed: int) -> str:
    """A random attention on random givens, every entry written out."""
    rng = random.Random(seed)
    n, m, d, d_k, d_v = (rng.randint(1, 4) for _ in range(5))
    heads = rng.choice((1, 1, 2))
    places = rng.randint(0, 3)
    size = rng.choice((1, 2, 4)) * 10**places
    cross = rng.random() < 0.4
    attention = Attention(
        inputs=rng.choice(("weights", "qkv")),
        cross=cross,
        heads=heads,
        mask=rng.choice((None, "causal")) if not cross else None,
        scale=rng.choice(("1/sqrt(d_k)", "1/d_k", 1)),
    )
    keys = m if cross else n
    if attention.inputs == "weights":
        shapes = {"X": (n, d), "W_Q": (d, heads * d_k), "W_K": (d, heads * d_k), "W_V": (d, heads * d_v)}
        if cross:
            shapes["Y"] = (m, d)
    else:
        shapes = {"Q": (n, heads * d_k), "K": (keys, heads * d_k), "V": (keys, heads * d_v)}
    feeds = {name: random_matrix(rng, *shape, places, size) for name, shape in shapes.items()}
    program = attention.program(rng.choice(("plain", "shifted", "deferred")), d_k=d_k, d_v=d_v)
    return to_latex(program_page(program, feeds, Heading("generated")))


def test_ten_thousand_generated_lines_recompute() -> None:
    checked = seed = 0
    while checked < LINES:
        reading = recompute(generated_tex(seed))
        assert reading.failures == [], f"seed {seed}: {reading.failures[:3]}"
        checked += reading.checked
        seed += 1
    assert checked >= LINES


@pytest.mark.parametrize("path", WORKSHEETS, ids=lambda p: p.stem)
@pytest.mark.parametrize("lang", ["es", "en"])
def test_every_line_of_a_worksheet_recomputes(path: Path, lang: str) -> None:
    reading = recompute(to_latex(build_page(work_out(read_sheet(path)), lang)))
    assert reading.failures == []
    assert reading.checked > 5


@pytest.mark.parametrize(
    ("row", "fails"),
    [
        (r"\symline{a}{=}{(0.50)(0.3)+(1.15)(0.1)=\symresult{0.265}{1a}}{}", False),
        (r"\symline{a}{=}{(0.50)(0.3)+(1.15)(0.1)=\symresult{0.266}{1a}}{}", True),
        (r"\symline{a}{\approx}{e^{0.339}\approx \symresult{1.4035}{1a}}{}", False),
        (r"\symline{a}{\approx}{e^{0.339}\approx \symresult{1.4036}{1a}}{}", True),
        (r"\symline{a}{=}{1/3=0.3333}{}", True),
        (r"\symline{a}{=}{1/3\approx 0.3333}{}", False),
        (r"\symline{a}{=}{\frac{1}{1+e^{-1}}\approx 0.731}{}", False),
        (r"\symline{a}{=}{\frac{1}{1+e^{-1}}\approx 0.732}{}", True),
    ],
)
def test_the_reader_sees_a_planted_slip(row: str, fails: bool) -> None:
    reading = recompute("\\begin{document}\n" + row)
    assert reading.checked == 1
    assert bool(reading.failures) is fails


def test_the_reader_sees_a_planted_slip_in_a_ledger() -> None:
    good = "\n".join(
        [
            r"\begin{document}",
            r"\begin{symledger}",
            r"\symterm{}{(2)(3)}{=}{}{6}{}",
            r"\symterm{+}{(1)(0.5)}{=}{}{0.5}{}",
            r"\symsum{s}{=}{\symresult{6.5}{1a}}{}",
        ]
    )
    assert recompute(good).failures == []
    assert recompute(good.replace("{6.5}", "{6.6}")).failures
    assert recompute(good.replace("{0.5}{}", "{0.6}{}")).failures
