"""The formulas are LaTeX that both readers take: KaTeX in strict mode and pdflatex, each where it is installed.

KaTeX is found the way node finds it: beside this project, or by NODE_PATH.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from gradient_cases import CASES, TEXTS

from symattn.calculus.notation import Notations
from symattn.calculus.notation_gradient import gradient_notation
from symattn.calculus.reverse import reverse
from symattn.page.notebook import writer
from symattn.program import ops

NAMES = [name for name in CASES if name.startswith(("plain:", "shifted: heads", "log-domain: alibi", "online in b1 + b2: sink"))]
_KATEX = """
const katex = require("katex");
const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
const options = {strict: "error", throwOnError: true};
const refused = formulas.filter(f => { try { katex.renderToString(f, options); } catch (e) { return true; } });
console.log(JSON.stringify(refused));
"""


@cache
def formulas() -> tuple[str, ...]:
    """Every formula of a range of attentions and texts, forward and backward, in both styles."""
    found: dict[str, None] = {}
    cases = [(CASES[n].program(), "output", CASES[n].inputs) for n in NAMES] + list(TEXTS.values())
    for program, of, wrt in cases:
        gradient = reverse(program, of, list(wrt))
        whole = Notations(program, check=False)
        computed = [s.name for s in program.stages if not isinstance(s.op, ops.Input) and "." not in s.name]
        for style in ("matrix", "index"):
            shown = [*gradient_notation(gradient, style=style, check=False).values(), *(whole.of(s, style) for s in computed)]
            for formula in shown:
                found.update(dict.fromkeys((formula.latex(), *(writer("latex")(w) for w in formula.where))))
    return tuple(found)


def test_there_are_many_and_each_is_short() -> None:
    assert len(formulas()) > 300
    assert max(map(len, formulas())) < 200


def refused_by_katex(texts: tuple[str, ...]) -> list[str]:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if subprocess.run(["node", "-e", "require('katex')"], capture_output=True, timeout=60, check=False).returncode:
        pytest.skip("katex is not installed where node finds it (npm install katex, NODE_PATH)")
    done = subprocess.run(["node", "-e", _KATEX], input=json.dumps(texts), capture_output=True, text=True, timeout=120, check=True)
    return list(json.loads(done.stdout))


def test_katex_takes_them_all() -> None:
    twice = r"P^{(h)}^{\top}"  # a second superscript on one base
    assert refused_by_katex((*formulas(), twice, r"\frac{1}{2")) == [twice, r"\frac{1}{2"]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_pdflatex_takes_them_all(tmp_path: Path) -> None:
    def builds(texts: tuple[str, ...]) -> bool:
        body = "\n".join(rf"\[{text}\]" for text in texts)
        source = "\\documentclass{article}\\usepackage{amsmath,amssymb}\\begin{document}\n" + body + "\n\\end{document}\n"
        (tmp_path / "formulas.tex").write_text(source, encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "formulas.tex"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False).returncode == 0

    assert builds(formulas())
    assert not builds((r"P^{(h)}^{\top}",))
