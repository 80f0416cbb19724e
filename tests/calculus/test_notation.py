"""Matrix notation: the formulas people know come out of the backward pass, each proved to be its stage."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from gradient_cases import CASES, TEXTS, stacked

from symattn.calculus.jacobian import jacobian
from symattn.calculus.notation import Notation, Notations, notation
from symattn.calculus.notation_gradient import gradient_notation
from symattn.calculus.reverse import reverse
from symattn.errors import ProgramError
from symattn.language.builder import AxisDecl, Builder
from symattn.page.notebook import writer
from symattn.program.attention import Attention
from symattn.program.program import Program
from symattn.proof.evidence import PROVED_ALL_SIZES

WEIGHTS = ["X", "W_Q", "W_K", "W_V"]


DOUBLE = re.compile(r"\^\{[^{}]*\}\s*\^")  # two superscripts on one base, which no TeX takes


def language(givens: dict[str, str], **definitions: str) -> Program:
    builder = Builder()
    for name, axes in givens.items():
        builder.give(name, [AxisDecl(a, a) for a in axes.split()])
    for name, text in definitions.items():
        builder.define(name, text)
    return builder.program()


def gradient(options: dict[str, object], wrt: list[str], **lowering: object) -> dict[str, Notation]:
    program = Attention(**options).program(**lowering)  # type: ignore[arg-type]
    return gradient_notation(reverse(program, "output", wrt))


def squeezed(found: dict[str, Notation]) -> dict[str, str]:
    """Left side -> right side, without the blanks that only part symbols."""
    pairs = (n.latex().replace("\\ ", " ").replace("\\top ", "\\top").split("=", 1) for n in found.values())
    return {left.replace(" ", ""): " ".join(right.split()) for left, right in pairs}


SOFTMAX = r"P\odot (dP-(dP\odot P)\mathbf{1}\mathbf{1}^{\top})"
PLAIN = {
    "dP": r"dO V^{\top}",
    "dV": r"P^{\top} dO",
    "dS": SOFTMAX,
    "dQ": r"\frac{1}{\sqrt{d_{k}}}dS K",
    "dK": r"\frac{1}{\sqrt{d_{k}}}dS^{\top} Q",
    "dW_{V}": r"X^{\top} dV",
    "dW_{K}": r"X^{\top} dK",
    "dW_{Q}": r"X^{\top} dQ",
    "dX": r"dQ W_{Q}^{\top}+dK W_{K}^{\top}+dV W_{V}^{\top}",
}


def test_plain_attention() -> None:
    found = gradient({}, WEIGHTS)
    assert squeezed(found) == PLAIN
    assert {n.text for n in found.values()} == {
        "dO @ V.T", "P.T @ dO", "P * (dP - sum(dP * P, axis=1))", "dS @ K / sqrt(d_k)", "dS.T @ Q / sqrt(d_k)", "X.T @ dV", "X.T @ dK",
        "X.T @ dQ", "dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T",
    }  # fmt: skip
    for formula in found.values():
        assert formula.certificate is not None
        assert formula.certificate.evidence.kind == PROVED_ALL_SIZES
        assert formula.style == "matrix"
        assert formula.reason == ""


def test_in_one_line() -> None:
    program = Attention().program()
    inner = {"dscaled", "dS", "dQ", "dE", "dZ", "exponentials", "row_sums", "scores"}
    named = {s.name for s in reverse(program, "output", ["W_Q"]).program.stages if "." not in s.name and s.name not in inner}
    found = gradient_notation(reverse(program, "output", ["W_Q"]), named=named, stages=["dW_Q"])
    assert squeezed(found) == {"dW_{Q}": rf"\frac{{1}}{{\sqrt{{d_{{k}}}}}}X^{{\top}}({SOFTMAX})K"}


def test_index_notation_when_asked_for() -> None:
    program = Attention().program()
    found = squeezed(gradient_notation(reverse(program, "output", WEIGHTS), style="index"))
    assert found["dS_{ij}"] == r"P_{ij}\left( dP_{ij}-\sum_{k} dP_{ik} P_{ik} \right)"
    assert found["dX_{iu}"] == r"\sum_{f} dQ_{if} W_{Q,uf}+\sum_{f} dK_{if} W_{K,uf}+\sum_{c} dV_{ic} W_{V,uc}"


def test_heads_are_subscripts() -> None:
    found = gradient({"heads": "h", "output_projection": True}, [*WEIGHTS, "W_O"])
    shown = squeezed(found)
    assert shown["dO_{h}"] == r"dO W_{O,h}^{\top}"
    assert shown["dW_{O,h}"] == r"O_{h}^{\top} dO"
    assert shown["dS_{h}"] == r"P_{h}\odot (dP_{h}-(dP_{h}\odot P_{h})\mathbf{1}\mathbf{1}^{\top})"
    assert shown["dX"] == r"\sum_{h} (dQ_{h} W_{Q,h}^{\top}+dK_{h} W_{K,h}^{\top}+dV_{h} W_{V,h}^{\top})"
    assert found["dX"].text.startswith("entries(sum_over(")
    assert found["dX"].names["W_Q"] == "W_Q"


def test_grouped_heads() -> None:
    shown = squeezed(gradient({"heads": 4, "kv_heads": 2, "output_projection": True}, [*WEIGHTS, "W_O"]))
    assert shown["dV_{g}"] == r"\sum_{r} P_{gr}^{\top} dO_{gr}"
    assert shown["dK_{g}"] == r"\frac{1}{\sqrt{d_{k}}}\sum_{r} dS_{gr}^{\top} Q_{gr}"
    inner = r"dK_{g} W_{K,g}^{\top}+dV_{g} W_{V,g}^{\top}+\sum_{r} dQ_{gr} W_{Q,gr}^{\top}"
    assert shown["dX"] == rf"\sum_{{g}} \left( {inner} \right)"


def test_masks() -> None:
    found = gradient({"mask": "causal"}, WEIGHTS)
    assert squeezed(found) == {**PLAIN, "dP": r"M\odot (dO V^{\top})"}
    assert [writer("latex")(w) for w in found["dP"].where] == [r"M_{ij}=[j\le i]"]
    assert found["dP"].text == "causal_part(dO @ V.T)"
    window = gradient({"mask": "window", "window": 3}, ["W_Q"])["dP"]
    assert window.text == "entries(sum_over(dO[i,c] * V[j,c], c=channel), if_atmost(j, i, 0), if_atmost(i, j, 2), i=token, j=token)"
    padding = gradient({"mask": "padding"}, ["W_Q"])["dP"]
    assert (squeezed({"dP": padding})["dP"], padding.text) == (r"dO V^{\top}\mathrm{diag}(M)", "")
    assert "masks" in padding.unsaid


def test_bias_sink_soft_cap_and_slopes() -> None:
    assert squeezed(gradient({"bias": True, "heads": "h", "output_projection": True}, ["bias", "W_Q"]))["dB"] == r"\sum_{h} dS_{h}"
    sink = squeezed(gradient({"sink": True}, ["sink", "W_Q"]))
    assert sink["ds"] == r"-e^{s} \mathbf{1}^{\top}{\mathrm{diag}(Z)}^{-1}(dP\odot P)\mathbf{1}"
    assert sink["dS"] == SOFTMAX
    capped = squeezed(gradient({"softcap": 30}, ["W_Q"]))
    assert capped["dU"] == SOFTMAX
    assert capped["dS"] == r"dU\odot (\mathbf{1}\mathbf{1}^{\top}-T\odot T)"
    assert squeezed(gradient({"alibi": True, "heads": "h"}, ["slopes", "W_Q"]))[r"d\lambda_{h}"] == r"-\mathrm{tr}(dS_{h}^{\top} D)"


def test_rotary_falls_back_and_says_why() -> None:
    found = gradient({"rotary": "interleaved"}, ["X", "W_Q"])
    assert found["dQ"].style == "index"
    assert found["dQ"].reason == "it has 3 axes that are no labels"
    assert squeezed(found)["dQ_{ips}"] == r"\sum_{j} R_{q,i,p,j,s} d\hat{Q}_{ipj}"
    assert found["dQ"].certificate is not None
    assert squeezed(found)["dS"] == SOFTMAX
    assert squeezed(found)[r"d\hat{Q}"] == r"\frac{1}{\sqrt{2\mathrm{pairs}}}dS \hat{K}"


def test_the_maximum_is_index_notation() -> None:
    program = Attention(mask="causal").program("shifted")
    found = notation(program, "row_max")
    assert found.latex() == r"m_{i}=\max_{j:j\le i} \bar{S}_{ij}"
    assert found.text == "entries(max_over(masked[i,j], if_atmost(j, i, 0), j=token), i=token)"
    larger = notation(language({"X": "n d", "Y": "n d"}, H="max(X, Y)"), "H")
    assert larger.reason == "max is a function of several arguments"
    assert larger.text == "entries(max(X[i,j], Y[i,j]), i=n, j=d)"
    one = language({"X": "n d"}, H="relu(X)", G="abs(X)")
    assert [notation(one, s).latex() for s in "HG"] == [r"H=\mathrm{relu}(X)", r"G=\lvert X\rvert "]


def test_the_gradient_of_a_maximum_and_of_entries() -> None:
    top = language({"X": "n d"}, m="max(X, axis=1)", y="dot(m, m)")
    assert squeezed(gradient_notation(reverse(top, "y", ["X"]))) == {"dX": r"2 \mathrm{diag}(m)A_{m}"}
    rows = language({"A": "n n", "B": "n n"}, y="A[0,0] * B[1,0] + dot(A[0], B[:,1])")
    assert formula(rows, "y", "A B") == (r"A_{0,0} B_{1,0}+A_{0,:}^{\top}B_{:,1}", "A[0,0] * B[1,0] + dot(A[0,:], B[:,1])")


OTHERS = ("shifted: grouped, W_O", "deferred: causal", "log-domain: sink", "online in b1 + b2: bare")
SHORT = [name for name in CASES if name.startswith("plain:") or name in OTHERS]


@pytest.mark.parametrize("name", SHORT)
def test_every_attention(name: str) -> None:
    """Every formula is proved, short, and has no second superscript on one base."""
    case = CASES[name]
    found = gradient_notation(reverse(case.program(), "output", list(case.inputs)))
    assert len(found) >= 5
    for formula in found.values():
        assert formula.certificate is not None
        assert len(formula.latex()) < 200
        assert not DOUBLE.search(formula.latex())
        if formula.style == "index":
            assert formula.reason


@pytest.mark.parametrize("name", list(TEXTS))
def test_every_text(name: str) -> None:
    program, of, wrt = TEXTS[name]
    for formula in gradient_notation(reverse(program, of, list(wrt))).values():
        assert formula.certificate is not None
    for stage in Notations(program).named:
        if stage not in {s.name for s in program.inputs}:
            assert notation(program, stage).certificate is not None


# -- known formulas of the field ----------------------------------------------------------------------------------------
def formula(program: Program, stage: str, named: str) -> tuple[str, str]:
    found = notation(program, stage, named=named.split())
    return squeezed({stage: found}).popitem()[1], found.text


def backward(program: Program, of: str, wrt: str, named: str, stage: str) -> tuple[str, str]:
    found = gradient_notation(reverse(program, of, wrt.split()), named=named.split(), stages=[stage])
    return squeezed(found).popitem()[1], found[stage].text


def test_softmax_and_its_jacobian() -> None:
    program = language({"s": "n"}, p="softmax(s)")
    assert formula(program, "p", "s p") == (r"\mathrm{softmax}(s)", "softmax(s)")
    for mode in ("forward", "reverse"):
        found = jacobian(program, "p", "s", mode)
        assert formula(found.program, found.name, "s p") == (r"\mathrm{diag}(p)-pp^{\top}", "diag(p) - outer(p, p)")
    entropy = language({"s": "n"}, p="softmax(s)", L="log(sum(exp(s)))")
    assert formula(jacobian(entropy, "L", "s").program, "tL", "s p") == ("p", "p")


def test_cross_entropy() -> None:
    program = language({"s": "n", "y": "n"}, p="softmax(s)", L="-dot(y, log(p))")
    assert backward(program, "L", "s", "s y p ds", "ds") == (r"(\mathbf{1}^{\top}y) p-y", "sum(y) * p - y")


def test_layer_norm() -> None:
    program = language(
        {"X": "n d", "gamma": "d", "eps": ""},
        mu="mean(X, axis=1)", C="X - mu", v="mean(C**2, axis=1)", sigma="sqrt(v + eps)", N="C / sigma", Y="N * gamma",
    )  # fmt: skip
    named = "X N sigma gamma eps dY dN dX"
    assert backward(program, "Y", "X", named, "dN") == (r"dY \mathrm{diag}(\gamma )", "dY * gamma")
    latex, text = backward(program, "Y", "X", named, "dX")
    inner = r"dN-\frac{1}{d}\mathrm{diag}((dN\odot N)\mathbf{1})N-\frac{1}{d}dN \mathbf{1}\mathbf{1}^{\top}"
    assert latex == rf"{{\mathrm{{diag}}(\sigma )}}^{{-1}}\left( {inner} \right)"
    assert text == "(dN - N * sum(N * dN, axis=1) / d - sum(dN, axis=1) / d) / sigma"


def test_rms_norm_by_its_root() -> None:
    program = language({"X": "n d"}, w="mean(X**2, axis=1)", r="w**(-1/2)", N="X * r")
    latex, text = backward(program, "N", "X", "X N r dN dX", "dX")
    assert latex == r"\mathrm{diag}(r)\left( dN-\frac{1}{d}\mathrm{diag}((dN\odot N)\mathbf{1})N \right)"
    assert text == "(dN - N * sum(N * dN, axis=1) / d) * r"


def test_low_rank_sigmoid_and_scalars() -> None:
    low = language({"x": "n d", "W": "d k", "A": "d r", "B": "r k"}, y="x @ W + (x @ A) @ B")
    assert backward(low, "y", "x", "x W A B dy dx", "dx") == (r"dy (W^{\top}+B^{\top}A^{\top})", "dy @ (W.T + B.T @ A.T)")
    gate = language({"G": "n d"}, A="sigmoid(G)")
    assert formula(gate, "A", "G A") == (r"\mathrm{sigmoid}(G)", "sigmoid(G)")
    assert backward(gate, "A", "G", "G A dA dG", "dG") == (r"dA\odot A\odot (\mathbf{1}\mathbf{1}^{\top}-A)", "dA * A * (1 - A)")
    quadratic = language({"x": "n", "A": "n n"}, L="dot(x, A @ x)")
    assert formula(quadratic, "L", "x A") == (r"x^{\top}Ax", "dot(x, A @ x)")
    assert backward(quadratic, "L", "A", "x A dA", "dA") == (r"xx^{\top}", "outer(x, x)")
    cycle = language({"A": "n d", "B": "d m", "C": "m n"}, L="sum(sum((A @ B) * C.T))")
    assert formula(cycle, "L", "A B C") == (r"\mathrm{tr}(CAB)", "sum(sum((C @ A) * B.T))")


def test_an_expression_without_names() -> None:
    program = language({"Q": "n d_k", "K": "m d_k", "V": "m d_v"}, O="softmax(Q @ K.T / sqrt(d_k)) @ V")
    whole = notation(program, "O")
    assert (whole.text, whole.shape) == ("softmax(Q @ K.T / sqrt(d_k)) @ V", ("n", "d_v"))
    found = squeezed(gradient_notation(reverse(program, "O", ["Q", "K", "V"])))
    assert found["dS"] == SOFTMAX
    assert found["dV"] == r"P^{\top} dO"


def test_layers_on_layers() -> None:
    """A formula speaks of its neighbours: what is proved of it does not grow with the number of layers."""
    sizes = []
    for layers in (2, 5):
        gradient = reverse(stacked(layers), f"X{layers}", ["X0", *(f"W_{w}{k}" for k in range(1, layers + 1) for w in "QKV")])
        found = gradient_notation(gradient)
        shown = squeezed(found)
        assert shown["dX_{1}"] == r"dQ_{2} W_{Q,2}^{\top}+dK_{2} W_{K,2}^{\top}+dV_{2} W_{V,2}^{\top}+dX_{2}"
        sizes.append(max(len(f.claim.program.stages) for f in found.values()))
    assert sizes[0] == sizes[1] < 30


# -- text in the place where its names were defined ----------------------------------------------------------------------
def test_a_vector_is_laid_along_a_matrix_only_where_it_is_clear() -> None:
    """Rows and columns are one index set and all come from X: `dP / Z` would divide columns, so the text says which it means."""
    builder = Builder()
    for name, axes in {"X": "n d", "G": "n d"}.items():
        builder.give(name, [AxisDecl(a, a) for a in axes.split()])
    for name, text in {"E": "exp(X @ X.T)", "Z": "sum(E, axis=1)", "dP": "G @ X.T", "Y": "diag(1 / Z) @ dP"}.items():
        builder.define(name, text)
    found = notation(builder.program(), "Y", named=["X", "G", "E", "Z", "dP"])
    assert found.text == "diag(1 / Z) @ dP"
    builder.define("again", found.text)
    from symattn.proof.kernel import prove_equal

    assert prove_equal(builder.program(), "Y", "again", atoms=["Z", "dP"])


# -- the reader's letters, and mistakes -----------------------------------------------------------------------------------
def test_letters_are_the_readers() -> None:
    found = gradient_notation(reverse(Attention().program(), "output", WEIGHTS), letters={"P": "A", "scores": "Z", "d_k": "d"})
    shown = squeezed(found)
    assert shown["dZ"] == SOFTMAX.replace("P", "A").replace("dA", "dA")
    assert shown["dQ"] == r"\frac{1}{\sqrt{d}}dZ K"
    assert found["dscaled"].text == "A * (dA - sum(dA * A, axis=1))"
    accented = notation(Attention().program(), "weights", letters={"weights": "P^", "row_sums": "z'"})
    assert accented.latex() == r"\hat{P}={\mathrm{diag}(z')}^{-1}E"


def test_what_is_not_there() -> None:
    program = Attention().program()
    with pytest.raises(ProgramError, match=r'there is no stage "wieghts".*did you mean weights'):
        notation(program, "wieghts")
    with pytest.raises(ProgramError, match='there is no stage "nothing"'):
        notation(program, "weights", named=["nothing"])
    with pytest.raises(ProgramError, match=r'there is no notation "tensor".*matrix, index'):
        notation(program, "weights", style="tensor")
    with pytest.raises(ProgramError, match='"X" is given, not computed'):
        notation(program, "X")


def test_nothing_heavy_is_loaded() -> None:
    """Formulas for symbolic sizes, proofs included, need no SymPy, NumPy, flint or mpmath."""
    code = (
        "import sys\n"
        "from symattn.program.attention import Attention\n"
        "from symattn.calculus.reverse import reverse\n"
        "from symattn.calculus.notation_gradient import gradient_notation\n"
        "found = gradient_notation(reverse(Attention().program(), 'output', ['X', 'W_Q']))\n"
        "assert all(f.certificate for f in found.values()) and len([f.latex() for f in found.values()]) > 5\n"
        "print(sorted({'sympy', 'numpy', 'flint', 'mpmath'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[]"
