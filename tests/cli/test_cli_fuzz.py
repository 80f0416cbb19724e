"""Random commands: whatever is asked, the answer is a result, findings or one message, never a traceback (`ran` sees to that)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from cli_support import SHEET, contents, ran, write_sheet

NUMBERS = ("0", "1", "-1", "0.5", "1/3", "-2.25", "100", "-300", "1e-3", "1e30", "1e-400", "-0", "2**-3")
ALGORITHMS = ("plain", "shifted", "online", "log-domain", "deferred", "prescaled")
READINGS = ("exact,balls,float64", "exact", "balls", "multiprec", "float16", "bfloat16,float8_e4m3fn", "float32,exact,multiprec")


def attend(random: Random) -> list[str]:
    """A command whose shapes mostly fit, with options of every kind."""

    def matrix(rows: int, columns: int, among: tuple[str, ...] = NUMBERS) -> str:
        return f"[{', '.join('[' + ', '.join(random.choice(among) for _ in range(columns)) + ']' for _ in range(rows))}]"

    def maybe(chance: float, *arguments: str) -> Iterator[str]:
        if random.random() < chance:
            yield from arguments

    n, m, d, v, heads = (
        random.randint(1, 3),
        random.randint(1, 3),
        random.choice((1, 2, 2, 4)),
        random.randint(1, 2),
        random.choice((1, 1, 1, 2)),
    )
    asked = ["attend"]
    if random.random() < 0.6:
        asked += ["--q", matrix(n, d * heads), "--k", matrix(m, d * heads), "--v", matrix(m, v * heads)]
    else:
        asked += ["--x", matrix(n, 2), "--wq", matrix(2, d * heads), "--wk", matrix(2, d * heads), "--wv", matrix(2, v * heads)]
        asked += maybe(0.3, "--wo", matrix(v * heads, 2))
        other = list(maybe(0.3, "--y", matrix(m, 2)))
        asked += other
        m = m if other else n
    asked += ["--heads", str(heads), "--algorithm", random.choice(ALGORITHMS), "--numbers", random.choice(READINGS)]
    asked += maybe(0.3, "--blocks", ",".join("1" * m))
    asked += maybe(0.1, "--kv-heads", "1")
    asked += maybe(0.4, "--mask", random.choice(("causal", "window", "causal+window")))
    asked += maybe(0.2, "--window", str(random.randint(1, 3)))
    asked += maybe(0.4, "--query-offset", str(random.randint(-1, 2)))
    asked += maybe(0.2, "--scale", random.choice(("1", "1/8", "1/d_k", "0", "-1", "1/sqrt(3)")))
    asked += maybe(0.2, "--softcap", random.choice(NUMBERS))
    asked += maybe(0.2, "--alibi")
    asked += maybe(0.2, "--rotary", random.choice(("halves", "interleaved")))
    asked += maybe(0.2, "--bias", matrix(n, m))
    asked += maybe(0.2, "--sink", random.choice(("1", "[1, 2]", "-0.5")))
    asked += maybe(0.2, "--allowed", matrix(n, m, ("0", "1", "1")))
    asked += maybe(0.1, "--allowed-keys", f"[{', '.join(random.choice('011') for _ in range(m))}]")
    asked += maybe(0.3, "--masked-row", random.choice(("zero", "mean", "nan")))
    asked += maybe(0.2, "--masking", "additive", "--masked-value", random.choice(("-inf", "-10000", "0")))
    asked += maybe(0.3, "--order", random.choice(("pairwise", "blas")))
    return [*asked, "--to", random.choice(("text", "text", "json", "latex")), "--digits", random.choice(("1", "5", "30", "100"))]


@pytest.mark.parametrize("seed", range(6))
def test_random_attentions(seed: int) -> None:
    random = Random(seed)
    codes: Counter[int] = Counter()
    for _ in range(40):
        arguments = attend(random)
        done = ran(*arguments)
        assert done.code in (0, 2), arguments
        assert (done.out == "") == (done.code == 2), arguments
        codes[done.code] += 1
    assert min(codes[0], codes[2]) >= 5, codes  # both kinds are tried


STEPS = """show S[uno]
P = softmax(S / sqrt(2))
table P
heat P row uno
O = P @ X
show O[uno,0] ledger
| order S[uno]: dos < uno "1*3 + 2*1" @2
"""
MORE = """
```known cosa wrong
es: x
en: y
```

```statement @3 "3*3 = 9"
says: 1 > 2
instead: 1 < 2
es: $x^2$
en: y
```
"""
RICH = SHEET.replace("show S[uno]\n", STEPS).replace('"5" @2#2', '"5" @2#2\n| 3 * 3 - 1 "9" @3 known cosa') + MORE
PIECES = (
    *'[](){}|@#:="`$\\*01-/XSñ \n\t\x00',
    *("softmax", "exp(", "**", "9**99", "1e999", ".T", "uno", "dos", "show", "table", "heat", "formula", "factors", "row", "from"),
    *("sum", "terms", "order", "measured", "known cosa", "declared", ":::", "```", "es:", "en:", "caption.es:", "heads.es:"),
)


def mutated(text: str, random: Random) -> str:
    """A few pieces put in, cut out, and lines swapped, doubled or lost."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at, kind, lines = random.randrange(len(text)), random.random(), text.split("\n")
        first, second = random.randrange(len(lines)), random.randrange(len(lines))
        if kind < 0.35:
            text = text[:at] + random.choice(PIECES) + text[at:]
            continue
        if kind < 0.6:
            text = text[:at] + text[at + random.choice((1, 1, 2, 5, 20)) :]
            continue
        if kind < 0.8:
            lines[first], lines[second] = lines[second], lines[first]
        elif kind < 0.9:
            lines.insert(second, lines[first])
        else:
            del lines[first]
        text = "\n".join(lines)
    return text


@pytest.mark.parametrize("seed", range(6))
def test_random_worksheets(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    random = Random(seed)
    write_sheet(tmp_path, text=RICH)
    assert ran("worksheet", "check", "prueba.md", "--source", "documents").code in (0, 1)
    for _ in range(40):
        text = mutated(RICH, random)
        write_sheet(tmp_path, text=text)
        before = contents(tmp_path)
        arguments = random.choice(
            (
                ("build", "prueba.md", "--to", "tex,html,md,json,text", "--lang", "all", "-o", "out"),
                ("build", "prueba.md", "--to", "tex,text", "--blank", "-o", "out"),
                ("check", "prueba.md", "--source", "documents", "--write-places"),
            )
        )
        done = ran("worksheet", *arguments)
        assert done.code in (0, 1, 2), text
        if done.code == 2:
            assert "prueba.md" in done.err or "doc.txt" in done.err
            assert contents(tmp_path) == before
