"""The symbolic reading: what people hold is SymPy, and it says the same as the exact reading."""

import re
import shutil
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from sympy import Rational as R

from symattn.errors import DomainError, InputError, MaskedRowError, ProgramError, SymattnError, UnsupportedError
from symattn.interp.notebook import entry_math
from symattn.interp.run import holes
from symattn.interp.symbolic import latex, symbolic, tables
from symattn.program.algorithms import ALGORITHMS
from symattn.program.attention import Attention
from symattn.program.ops import Contract, Input, Map, Position, Reduce, Same, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Num, Size, Unary
from symattn.program.spaces import Axis, Space

SIZES = {"n": 3, "d_model": 2, "d_k": 2}
FEEDS = {
    "X": [["0.5", 1], [2, "-1/3"], [1, -1]],
    "W_Q": [[1, "1/2"], [0, 1]],
    "W_K": [[2, 0], ["-0.5", 1]],
    "W_V": [[1, 0], [3, "0.2"]],
}


def blocks(algorithm):
    return (2, 1) if algorithm == "online" else ()


def symbols(matrix):
    return {s.name for s in matrix.free_symbols}


# -- explicit sizes -------------------------------------------------------------------------------------------------------------------
def test_free_entries_are_real_symbols_counted_from_one():
    s = Attention(mask="causal").symbolic(n=3, d_model=4, d_k=2)
    assert sp.ImmutableDenseMatrix(4, 2, lambda i, j: sp.Symbol(f"W_Q_{{{i + 1},{j + 1}}}", real=True)) == s.W_Q
    assert s.X[2, 3] == sp.Symbol("X_{3,4}", real=True)
    assert s.X[2, 3].is_real
    assert all(isinstance(stage, sp.ImmutableDenseMatrix) for stage in s.values())
    assert s.W_V.shape == (4, 2)
    assert s.row_sums.shape == (3, 1)
    assert s.sizes == {"n": 3, "d_model": 4, "d_k": 2, "d_v": 2}
    assert repr(s).startswith("Symbolic(n=3, d_model=4, d_k=2, d_v=2; X, W_Q")


def test_every_stage_is_what_the_definition_says():
    s = Attention(mask="causal").symbolic(n=3, d_model=2, d_k=2)
    x, w_q, w_k, w_v = (sp.Matrix(3, 2, s.X[:]), *(sp.Matrix(2, 2, s[name][:]) for name in ("W_Q", "W_K", "W_V")))
    q, k, v = x * w_q, x * w_k, x * w_v
    assert s.queries == q
    assert s.keys == k
    assert s["values"] == v
    assert sp.simplify(s.scores - q * k.T) == sp.zeros(3, 3)
    assert sp.simplify(s.scaled - q * k.T / sp.sqrt(2)) == sp.zeros(3, 3)
    e = (q * k.T / sp.sqrt(2)).applyfunc(sp.exp)
    assert s.weights[0, 1] == s.weights[0, 2] == s.weights[1, 2] == 0
    ratio = s.weights[1, 0] * (e[1, 0] + e[1, 1]) / e[1, 0]
    assert sp.expand(sp.log(sp.powsimp(ratio)), force=True) == 0 or sp.simplify(ratio) == 1
    assert s.weights[0, 0] == 1


def test_it_is_a_mapping_and_a_namespace():
    s = Attention().symbolic(**SIZES)
    stages = list(s)
    assert stages[:4] == ["X", "W_Q", "W_K", "W_V"]
    assert all(getattr(s, name) == s[name] for name in stages)
    assert list(s.keys()) == stages
    assert list(s.values()) == [s[name] for name in stages]
    assert dict(s) == {name: s[name] for name in stages} == {**s}
    assert "weights" in s
    assert "weight" not in s
    assert len(s) == len(stages)
    assert hash(s.keys) == hash(s["keys"])
    assert {"weights", "keys"} <= set(dir(s))
    with pytest.raises(KeyError):
        s["weight"]
    with pytest.raises(AttributeError, match='no stage "weight"; did you mean weights'):
        _ = s.weight
    with pytest.raises(TypeError):
        s.keys.T()


def test_heads_are_one_matrix_each_in_order():
    s = Attention(heads=4, kv_heads=2, sink=True).symbolic(n=2, d_model=2, d_k=1)
    assert isinstance(s.weights, tuple)
    assert [w.shape for w in s.weights] == [(2, 2)] * 4
    assert [k.shape for k in s.keys] == [(2, 1)] * 2
    assert list(s.keys()) == list(s)
    assert s.queries[2][0, 0] == s.X[0, :].dot(s.W_Q[:, 2])
    assert s.keys[1][0, 0] == s.X[0, :].dot(s.W_K[:, 1])
    assert s.sink == sp.Matrix([sp.Symbol(f"sink_{{{h}}}", real=True) for h in (1, 2, 3, 4)])
    assert s.array("weights").shape == (2, 2, 2, 2)
    assert s.array("weights")[1, 0, 1, 0] == s.weights[2][1, 0]
    assert s.tensor("weights").shape == (2, 2, 2, 2)
    assert isinstance(Attention(sink=True).symbolic(n=1, d_model=1, d_k=1).sink, sp.Symbol)


def test_given_entries_are_numbers_expressions_or_both():
    a, b = sp.symbols("a b", positive=True)
    given = {
        "X": [[1, "0.5"], [F(1, 3), a]],
        "W_Q": sp.Matrix([[a, b], [sp.sqrt(2), 1]]),
        "W_K": np.array([[1, 2], [3, 4]]),
        "W_V": sp.MatrixSymbol("W", 2, 1),
    }
    s = Attention().symbolic(given=given)
    assert sp.Matrix([[1, R(1, 2)], [R(1, 3), a]]) == s.X
    assert s.queries[1, 0] == a / 3 + sp.sqrt(2) * a
    assert s.keys[0, 1] == 4
    assert s["values"][0, 0] == sp.MatrixSymbol("W", 2, 1)[0, 0] + sp.MatrixSymbol("W", 2, 1)[1, 0] / 2
    assert symbols(Attention().symbolic(n=2, d_k=1, given={"X": [[1], [2]]}).W_Q) == {"W_Q_{1,1}"}
    assert s.sizes == {"n": 2, "d_model": 2, "d_k": 2, "d_v": 1}
    assert Attention().symbolic(given={"X": [[1, 2]], "W_Q": [[1], [2]]}).W_V.shape == (2, 1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_nothing_is_simplified_and_steps_stay_visible(algorithm):
    s = Attention(mask="causal").symbolic(**SIZES, algorithm=algorithm, blocks=blocks(algorithm))
    if algorithm == "plain":
        assert s.weights[1, 0] == s.exponentials[1, 0] / s.row_sums[1, 0]
        assert s.scaled[1, 0] == s.scores[1, 0] / sp.sqrt(2)
    if algorithm == "log-domain":
        assert isinstance(s.weights[1, 0], sp.exp)
        assert s.weights[1, 0].args[0] == s.log_weights[1, 0]
        assert s.log_sums[1, 0] == sp.log(s.row_sums[1, 0])


# -- the same numbers as the exact reading --------------------------------------------------------------------------------------------
VARIANTS = {
    "self": (Attention(), FEEDS),
    "causal": (Attention(mask="causal"), FEEDS),
    "window": (Attention(mask="window", window=2), FEEDS),
    "padding": (Attention(mask="padding"), FEEDS | {"allowed_keys": [True, False, True]}),
    "bias, ALiBi, sink": (
        Attention(bias=True, alibi=True, sink=True, mask="causal"),
        FEEDS | {"bias": [[0, 1, 2], [1, 0, 1], [2, 1, 0]], "sink": 1, "slopes": "1/256"},
    ),
    "decoding": (
        Attention(inputs="qkv", cross=True, mask="causal", query_offset=2),
        {"Q": [[1, 2]], "K": [[1, 0], [0, 1], [1, 1]], "V": [[1], [2], [3]]},
    ),
    "rows before the first key": (
        Attention(inputs="qkv", cross=True, mask="window", window=2, query_offset=-3, masked_row="zero"),
        {"Q": [[1], [2], [1], [1], [2]], "K": [[1], [2], [-1]], "V": [[1], [2], [3]]},
    ),
    "queries beyond the last key": (
        Attention(inputs="qkv", cross=True, mask="window", window=2, query_offset=1, masked_row="zero"),
        {"Q": [[1], [2], [1], [1], [2]], "K": [[1], [2], [-1]], "V": [[1], [2], [3]]},
    ),
    "two heads and W_O": (
        Attention(heads=2, kv_heads=1, output_projection=True),
        FEEDS | {"W_K": [[1], [2]], "W_V": [["0.5"], [1]], "W_O": [[1, 0], [2, 1]]},
    ),
    "two heads side by side": (Attention(heads=2, mask="causal"), FEEDS),
}


def close(expression, exact):
    """Does a SymPy number agree with an exact one to 40 digits?"""
    box = exact.enclose(200)
    value = R(str(sp.N(expression, 45)))
    return abs(value - R(box.lo.numerator, box.lo.denominator)) < R(1, 10**40) * max(1, abs(value))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("case", VARIANTS)
def test_given_numbers_give_the_exact_reading(case, algorithm):
    attention, feeds = VARIANTS[case]
    s = attention.symbolic(given=feeds, algorithm=algorithm, blocks=blocks(algorithm), maximum="Max")
    exact = attention.evaluate(feeds, algorithm=algorithm, blocks=blocks(algorithm))
    assert list(s) == list(exact)
    for name in ("output", *(["weights"] if "weights" in s else [])):
        assert s.tensor(name).absent == exact[name].absent
        assert all(close(a, b) for a, b in zip(s.tensor(name).entries, exact[name].entries, strict=True))
    lie = attention.evaluate({**feeds, **({"V": [[2], [2], [3]]} if "V" in feeds else {"X": [[1, 1]] * 3})})["output"].entries
    assert not all(close(a, b) for a, b in zip(s.tensor("output").entries, lie, strict=True))


def at_numbers(s, name, index, sizes, feeds):
    """A stage of the reading for symbolic sizes, at numbers: index from 0, every row shift the same arbitrary number."""
    expression = s[name].subs({sp.Symbol(size, integer=True, positive=True): value for size, value in sizes.items()})
    expression = expression.subs(dict(zip(s.indices[name], [k + 1 for k in index], strict=True))).doit()

    def value(entry):
        place = tuple(int(k) - 1 for k in entry.indices)
        part = feeds.get(entry.base.label.name)
        for k in place if part is not None else ():
            part = part[k]
        return R(3, 7) if part is None else R(str(F(part)))

    found = expression.replace(lambda e: isinstance(e, sp.Indexed), value)
    return found.replace(lambda e: isinstance(e, sp.Symbol), lambda e: R(str(F(feeds[e.name])))).doit()


@pytest.mark.parametrize("case", VARIANTS)
def test_symbolic_sizes_at_numbers_give_the_exact_reading(case):
    attention, feeds = VARIANTS[case]
    exact = attention.evaluate(feeds)
    index = max(exact["output"].indices())
    for algorithm in ("plain", "shifted", "deferred") if case in ("causal", "decoding") else ("plain",):
        s = attention.symbolic(algorithm=algorithm)
        assert close(at_numbers(s, "output", index, exact.sizes, feeds), exact["output"][index])
    last_row = [k for k in exact["weights"].indices() if k[:-1] == index[:-1] or k[-2:] == (0, 1)]
    s = attention.symbolic()
    for index in last_row[:4]:
        assert close(at_numbers(s, "weights", index, exact.sizes, feeds), exact["weights"][index]), index


def test_every_output_of_empty_and_full_rows_for_symbolic_sizes():
    for case in ("rows before the first key", "queries beyond the last key"):
        attention, feeds = VARIANTS[case]
        exact = attention.evaluate(feeds)["output"]
        assert {x.rational() == 0 for x in exact.entries} == {True, False}
        for algorithm in ("plain", "log-domain", "deferred"):
            s = attention.symbolic(algorithm=algorithm)
            sizes = {"n": 5, "m": 3, "d_k": 1, "d_v": 1}
            assert all(close(at_numbers(s, "output", index, sizes, feeds), exact[index]) for index in exact.indices())


def test_symbolic_blocks_at_numbers_give_the_exact_reading():
    feeds = {"Q": [[1, 2], [0, 1], [2, 1]], "K": [[1, 0], [0, 1], [1, 1]], "V": [[1], [2], [3]]}
    s = Attention(inputs="qkv").symbolic(algorithm="online", blocks=("b", "c"))
    exact = Attention(inputs="qkv").evaluate(feeds)["output"]
    for b in (1, 2):
        sizes = {"b": b, "c": 3 - b, "d_k": 2, "d_v": 1}
        assert all(close(at_numbers(s, "output", index, sizes, feeds), exact[index]) for index in exact.indices())
    assert not close(at_numbers(s, "output", (0, 0), {"b": 1, "c": 1, "d_k": 2, "d_v": 1}, feeds), exact[0, 0])


# -- symbolic sizes -------------------------------------------------------------------------------------------------------------------
def test_without_sizes_a_stage_is_an_expression_in_its_indices():
    s = Attention(mask="causal").symbolic(unfold=False)
    i, j = s.indices["weights"]
    assert (i.name, j.name) == ("i", "j")
    assert s.indices["scores"] == (i, j)
    exponentials, sums = sp.IndexedBase(sp.Symbol("E", real=True)), sp.IndexedBase(sp.Symbol("Z", real=True))
    assert s.weights == sp.Piecewise((exponentials[i, j] / sums[i], sp.Le(j, i)), (0, True))
    assert s.row_sums == sp.Sum(exponentials[i, j], (j, 1, i))
    n = sp.Symbol("n", integer=True, positive=True)
    assert Attention().symbolic(unfold=False).row_sums == sp.Sum(exponentials[i, j], (j, 1, n))
    assert s.output.has(sp.Sum)
    assert s.sizes == {}
    with pytest.raises(ProgramError, match="has symbolic sizes"):
        s.array("weights")


def test_unfolded_stages_stand_on_the_inputs_and_capture_nothing():
    s = Attention().symbolic()
    assert {a.base.label.name for a in s.output.atoms(sp.Indexed)} == {"X", "W_Q", "W_K", "W_V"}
    assert {x.name for x in s.weights.free_symbols if isinstance(x, sp.Symbol)} >= {"i", "j", "n", "d_model", "d_k"}
    bound = [limits[0] for total in s.output.atoms(sp.Sum) for limits in total.limits]
    assert not set(bound) & {sp.Symbol("i", integer=True), *s.indices["output"]}
    nested = Attention(mask="window", window=3).symbolic().row_sums
    i = nested.atoms(sp.Symbol) & set(Attention().symbolic().indices["row_sums"])
    assert nested.limits[0][1:] == (sp.Max(1, next(iter(i)) - 2), next(iter(i)))


def test_a_size_named_like_an_index_does_not_meet_it():
    s = Attention(inputs="qkv").program(n="j", d_k="c").symbolic()
    assert {x.name for x in s.indices["weights"]} & {"j", "c"} == set()
    assert s.row_sums.limits[0][2] == sp.Symbol("j", integer=True, positive=True)


def test_some_sizes_may_be_known():
    s = Attention(inputs="qkv").symbolic(d_k=2)
    assert s.scores.limits[0][2] == 2
    assert s.scaled == s.scores / sp.sqrt(2)


def test_equal_indices_are_a_delta():
    space = Space("seq", "n")
    i, j = Axis("i", space), Axis("j", space)
    stages = (Stage("x", Input((i,))), Stage("diagonal", Contract((i, j), (Use("x", (i,)),), (Same(i, j),))))
    s = Program(stages).symbolic()
    a, b = s.indices["diagonal"]
    assert s.diagonal == sp.IndexedBase(sp.Symbol("x", real=True))[a] * sp.KroneckerDelta(a, b)


def test_positions_count_from_zero_and_indices_from_one():
    k = Axis("k", Space("seq", "n"))
    s = Program((Stage("place", Position((k,))),)).symbolic()
    assert s.place == s.indices["place"][0] - 1
    assert Program((Stage("place", Position((k,))),)).symbolic({"n": 3}).place == sp.Matrix([0, 1, 2])


# -- the row maximum ------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("algorithm", ["shifted", "log-domain"])
def test_the_row_shift_is_a_symbol_that_changes_nothing(algorithm):
    m = [sp.Symbol(f"m_{k}", real=True) for k in (1, 2)]
    s = Attention(inputs="qkv").symbolic(n=2, d_k=1, d_v=1, algorithm=algorithm)
    assert s.row_max == sp.Matrix(m)
    assert s.shifts[m[0]] == sp.Max(s.scores[0, 0], s.scores[0, 1], evaluate=False)
    for entry in s.output:
        assert entry.has(*m)
        assert all(sp.simplify(entry.diff(shift)) == 0 for shift in m)
    plain = Attention(inputs="qkv").symbolic(n=2, d_k=1, d_v=1)
    assert sp.simplify(s.output - plain.output) == sp.zeros(2, 1)
    assert sp.simplify(s.scores[0, 0].diff(s.Q[0, 0])) != 0


def test_the_maximum_is_written_out_on_request():
    s = Attention(inputs="qkv").symbolic(n=2, d_k=1, d_v=1, algorithm="shifted", maximum="Max")
    assert s.row_max[1, 0] == sp.Max(s.scores[1, 0], s.scores[1, 1], evaluate=False)
    assert s.shifts == {}
    given = {"Q": [[1]], "K": [[2]], "V": [[3]]}
    assert Attention(inputs="qkv").symbolic(given=given, algorithm="shifted", maximum="Max").row_max[0, 0] == 2
    with pytest.raises(UnsupportedError, match='no maximum over a symbolic number of entries; give sizes, or keep maximum="symbol"'):
        Attention().symbolic(algorithm="shifted", maximum="Max")
    with pytest.raises(InputError, match='write "symbol" or "Max"'):
        Attention().symbolic(maximum="max", **SIZES)


def test_a_shift_that_would_collide_takes_another_name():
    i, j = Axis("i", Space("a", 2)), Axis("j", Space("b", 2))
    stages = (
        Stage("m", Input((i, j))),
        Stage("m_1", Input(())),
        Stage("top", Reduce((i,), Use("m", (i, j))), "m"),
        Stage("top_1", Reduce((), Use("m", (i, j)))),
    )
    s = Program(stages).symbolic()
    names = [x.name for x in [*s.m, s.m_1, *s.top, s.top_1]]
    assert len(set(names)) == len(names)


# -- SymPy's own tools ----------------------------------------------------------------------------------------------------------------
def test_diff_agrees_with_the_quotient_rule():
    s = Attention(mask="causal").symbolic(**SIZES)
    w = s.W_K[1, 0]
    slope = s.scaled.diff(w)
    point = {symbol: R(k + 1, 7 - k % 5) * (-1) ** k for k, symbol in enumerate(sorted(s.output.free_symbols, key=str))}
    for i in range(3):
        mean = sum(s.weights[i, j] * slope[i, j] for j in range(i + 1))
        for j in range(3):
            rule = s.weights[i, j] * (slope[i, j] - mean)
            assert abs(sp.N((s.weights[i, j].diff(w) - rule).subs(point), 30)) < 1e-25
    assert sp.N(s.weights[2, 0].diff(w).subs(point), 30) != 0
    total = sum(s.weights[2, :])
    assert sp.N(total.diff(w).subs(point), 30) < 1e-25


def test_subs_and_given_are_one_thing():
    free = Attention().symbolic(n=3, d_model=2, d_k=2)
    point = {free[name][i, j]: R(str(F(x))) for name in FEEDS for i, row in enumerate(FEEDS[name]) for j, x in enumerate(row)}
    given = Attention().symbolic(given=FEEDS)
    assert given.output.free_symbols == set()
    assert sp.simplify(free.output.subs(point) - given.output) == sp.zeros(3, 2)
    again = sp.Symbol("X_{1,2}", real=True)
    assert free.output.subs(again, 5) == free.output.subs(free.X[0, 1], 5) != free.output


def test_limits_show_saturation():
    t = sp.Symbol("t", positive=True)
    attention = Attention(inputs="qkv", cross=True, scale=1)
    s = attention.symbolic(given={"Q": [[t]], "K": [[2], [5], [1]], "V": [[10], [20], [30]]})
    assert [sp.limit(w, t, sp.oo) for w in s.weights] == [0, 1, 0]
    assert [sp.limit(w, t, 0) for w in s.weights] == [R(1, 3)] * 3
    assert sp.limit(s.output[0, 0], t, sp.oo) == 20
    tie = attention.symbolic(given={"Q": [[t]], "K": [[5], [5], [1]], "V": [[10], [20], [30]]})
    assert [sp.limit(w, t, sp.oo) for w in tie.weights] == [R(1, 2), R(1, 2), 0]
    assert [sp.limit(w.diff(t), t, sp.oo) for w in s.weights] == [0, 0, 0]
    free = attention.symbolic(n=1, m=2, d_k=1, d_v=1)
    k1, k2 = free.K[0, 0], free.K[1, 0]
    gap = sp.Symbol("gap", positive=True)
    assert sp.limit(free.weights[0, 0].subs({free.Q[0, 0]: 1, k1: k2 + gap}), gap, sp.oo) == 1


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("attention", [Attention(mask="causal+padding"), Attention(heads=2, alibi=True, sink=True, softcap=5, bias=True)])
def test_latex_of_every_stage_is_sound(attention, algorithm):
    given = {"allowed_keys": [True, True]} if attention.mask else None
    explicit = attention.symbolic(n=2, d_model=1, d_k=1, given=given, algorithm=algorithm, blocks=(1, 1) if algorithm == "online" else ())
    indexed = (
        attention.symbolic(algorithm=algorithm, unfold=False, blocks=("b", "c") if algorithm == "online" else ())
        if (not attention.mask or algorithm != "online")
        else explicit
    )
    for s in (explicit, indexed):
        for name in s:
            text = s.latex(name)
            assert lint(text) == "", (name, text)
        assert s._repr_latex_().startswith("$$\\begin{aligned}\n")
        assert r"\\" in s._repr_latex_()


def lint(text):
    """What a TeX run would stop at: unbalanced braces, \\left without \\right, a double subscript."""
    depth = 0
    for char in re.sub(r"\\\\|\\[{}]", "", text):
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return "a brace closes that was not opened"
    if depth:
        return "a brace stays open"
    if len(re.findall(r"\\left\b", text)) != len(re.findall(r"\\right\b", text)):
        return "\\left without \\right"
    return "a double subscript" if "_Q_" in text or "_K_" in text or "_V_" in text or "_O_" in text else ""


def test_lint_sees_what_plain_sympy_would_print():
    entry = Attention().symbolic(**SIZES).W_Q[0, 1]
    assert lint(sp.latex(entry)) == "a double subscript"
    assert latex(entry) == "{W_{Q}}_{1,2}"
    assert latex(sp.Symbol("X_{1,2}", real=True) ** 2) == "X_{1,2}^{2}"
    assert lint("{") == "a brace stays open"
    assert lint("\\left(") != ""


def test_a_notebook_shows_formulas_and_spares_what_is_too_long():
    text = Attention().symbolic(n=2, d_model=1, d_k=1)._repr_latex_()
    assert r"S &= \left[" in text
    assert r"\mathrm{scaled} &= " in text
    long = Attention().symbolic(n=6, d_model=6, d_k=6)._repr_latex_()
    assert r"O &\in \mathbb{R}^{6 \times 6}" in long
    assert len(long) < 30_000
    assert r"{Z}_{i} &= \sum_{j=1}^{n} {E}_{i,j}" in Attention().symbolic(unfold=False)._repr_latex_()
    assert "m" in Attention().symbolic(algorithm="shifted", unfold=False)._repr_latex_()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX on this machine")
def test_the_notebook_formulas_compile(tmp_path):
    parts = [
        Attention(heads=2, mask="causal").symbolic(n=2, d_model=2, d_k=1)._repr_latex_(),
        Attention(mask="window", window=2, sink=True).symbolic(algorithm="log-domain", unfold=False)._repr_latex_(),
        Attention(mask="padding").symbolic()._repr_latex_(),
    ]
    body = "\n".join(part.replace("$$", "\\[", 1).replace("$$", "\\]", 1) for part in parts)
    head = "\\documentclass{article}\\usepackage{amsmath,amssymb}\\setcounter{MaxMatrixCols}{20}\\begin{document}\n"

    def compiles(text):
        (tmp_path / "page.tex").write_text(head + text + "\n\\end{document}\n", encoding="utf-8")
        run = ["pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
        return subprocess.run(run, cwd=tmp_path, capture_output=True, timeout=120, check=False).returncode == 0

    assert compiles(body)
    assert not compiles(f"\\[{sp.latex(Attention().symbolic(**SIZES).W_Q)}\\]")


# -- refusals -------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"X": [[0.5, 1]]}, r'"X"\[0, 0\]: the float 0.5 is exactly 0.5; write it as text'),
        ({"X": np.array([[0.5, 1]])}, "the float 0.5"),
        ({"X": [[sp.Float("0.5"), 1]]}, r'"X"\[0, 0\] holds a float; write it as sympy.Rational or as text'),
        ({"X": sp.Matrix([[0.1 * sp.Symbol("a"), 1]])}, "holds a float"),
        ({"X": [[sp.oo, 1]]}, "is not finite"),
        ({"X": [[sp.nan, 1]]}, "is not finite"),
        ({"X": [[float("nan"), 1]]}, "not a number"),
        ({"X": [["a", 1]]}, r"'a' is not a number; .* a symbol is sympy.Symbol\(\"a\"\)"),
        ({"X": [[True, 1]]}, "True is a truth value"),
        ({"X": [[None, 1]]}, "a NoneType is not a number"),
        ({"X": [[1, 2], [3]]}, r'"X"\[1\] has 1 where others have 2 entries; give rows of one length'),
        ({"X": [[1, [2]], [3, 4]]}, "a list is not a number"),
        ({"X": [1, 2]}, "2 axes, but what is given has 1; nest it once for each axis"),
        ({"X": []}, '"X" is empty'),
        ({"X": [[]]}, '"X" is empty'),
        ({"X": "[[1, 2]]"}, "2 axes, but what is given has 0"),
        ({"X": sp.MatrixSymbol("X", sp.Symbol("n"), 2)}, "a matrix of symbolic size"),
        ({"X": [[sp.MatrixSymbol("A", 2, 2), 1]]}, "is a matrix"),
        ({"Y": [[1, 2]]}, "'Y' is given but there is no such input"),
        ({"W_q": [[1, 2]]}, "did you mean W_Q"),
        ({"X": [[1, 2]]}, "the size d_k, d_v is not known; state it, or give a value that shows it"),
    ],
)
def test_what_cannot_be_given_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        Attention().symbolic(given=given)


def test_masks_are_given_and_rows_must_see_something():
    with pytest.raises(InputError, match=r'the mask "allowed_keys" .* is not given; give true and false'):
        Attention(mask="padding").symbolic(**SIZES)
    with pytest.raises(InputError, match="an entry is not true or false"):
        Attention(mask="padding").symbolic(**SIZES, given={"allowed_keys": [2, 1, 0]})
    for algorithm in ("plain", "shifted"):
        with pytest.raises(MaskedRowError, match="token=0"):
            Attention(mask="causal+padding").symbolic(**SIZES, given={"allowed_keys": [0, 1, 1]}, algorithm=algorithm)
    zero = Attention(mask="causal+padding", masked_row="zero").symbolic(**SIZES, given={"allowed_keys": [0, 1, 1]}, algorithm="shifted")
    assert zero.output[0, :] == sp.zeros(1, 2)


def test_sizes_that_cannot_be_are_refused():
    with pytest.raises(ProgramError, match="n is 0"):
        Attention().symbolic(n=0)
    program = Attention().program()
    for bad in (0, True, "3"):
        with pytest.raises(InputError, match="a size is a positive integer"):
            symbolic(program, {"n": bad})
    with pytest.raises(InputError, match="would be 1000000 symbols; at most 100000"):
        Attention().symbolic(n=1000, d_model=1000, d_k=1)
    with pytest.raises(InputError, match='the stage "scores" would be 10000000000 expressions; at most 100000'):
        Attention().symbolic(n=100_000, d_model=1, d_k=1)
    with pytest.raises(SymattnError):
        Attention().symbolic(n=2, given={"X": [[1, 2]]})


def test_numbers_outside_a_domain_are_refused():
    i = Axis("i", Space("a", 1))

    def one(tree):
        stages = (Stage("x", Input((i,))), Stage("y", Map((i,), tree, (("x", Use("x", (i,))),))))
        return lambda x: Program(stages).symbolic(given={"x": [x]}).y[0, 0]

    for op in ("log", "sqrt"):
        with pytest.raises(DomainError, match='stage "y" at i=0'):
            one(Unary(op, Arg("x")))(-2)
        assert one(Unary(op, Arg("x")))(sp.Symbol("a", positive=True)).has(sp.Symbol("a", positive=True))
    with pytest.raises(DomainError):
        one(Unary("log", Arg("x")))(0)


def test_the_table_is_complete():
    assert [holes(table) for table in tables()] == [()]


def test_the_reading_by_name():
    got = Attention(mask="causal").evaluate(FEEDS, numbers="symbolic")
    assert got.sizes == {"n": 3, "d_model": 2, "d_k": 2, "d_v": 2}
    assert got["weights"].absent == {1, 2, 5}
    assert got.output[0, 0] == R(7, 2)
    a = sp.Symbol("a", real=True)
    assert Attention().evaluate({**FEEDS, "W_V": [[a, 0], [0, a]]}, numbers="symbolic").output[0, 0].has(a)
    with pytest.raises(InputError, match="the size d_v is not known"):
        Attention().program().evaluate({k: FEEDS[k] for k in ("X", "W_Q")}, numbers="symbolic")


# -- text is never run ----------------------------------------------------------------------------------------------------------------
def entries(payload):
    """Every public way in, with the payload wherever text can stand."""
    i, j = Axis("i", Space("a", 2)), Axis("j", Space("b", 2))

    def renamed(name="x", letter="", op=None):
        return Program((Stage(name, Input((i, j))), Stage("y", op or Reduce((i,), Use(name, (i, j))), letter)))

    def sized():
        k = Axis("k", Space("a", payload))
        return Program((Stage("x", Input((k,))), Stage("y", Map((), Size(payload)))))

    yield lambda: Attention().symbolic(given={"X": [[payload, payload]]})
    yield lambda: Attention().symbolic(given={"X": payload})
    yield lambda: Attention().symbolic(given={"X": [payload]})
    yield lambda: Attention().symbolic(given={payload: [[1]]})
    yield lambda: Attention(mask="padding").symbolic(**SIZES, given={"allowed_keys": [payload] * 3})
    yield lambda: Attention().symbolic(given={"X": np.array([[payload, payload]], dtype=object)})
    yield lambda: Attention().symbolic(given={"X": np.array([[payload, payload]])})
    yield lambda: Attention().symbolic(algorithm=payload)
    yield lambda: Attention().symbolic(maximum=payload)
    yield lambda: Attention().symbolic(unfold=payload)
    yield lambda: Attention(mask="causal").symbolic(masking="additive", masked_value=payload)
    yield lambda: Attention().symbolic(algorithm="online", blocks=(payload, payload))
    yield lambda: Attention().symbolic(n=payload, d_model=payload, d_k=payload, d_v=payload)
    yield lambda: Attention(cross=True).symbolic(m=payload)
    for option in ("heads", "kv_heads", "mask", "window", "query_offset", "scale", "softcap", "bias", "alibi", "rotary", "rotary_base",
                   "sink", "inputs", "cross", "output_projection", "masked_row"):  # fmt: skip
        yield lambda option=option: Attention(**{option: payload}).symbolic(**SIZES)
        yield lambda option=option: Attention(**{option: payload, "rotary" if option == "rotary_base" else "cross": "halves"}).symbolic()
    yield lambda: renamed(payload).symbolic()._repr_latex_()
    yield lambda: renamed(letter=payload).symbolic()._repr_latex_()
    yield lambda: renamed(payload, op=Contract((i,), (Use(payload, (i, j)),))).symbolic(given={payload: [[1, 2], [3, 4]]})._repr_latex_()
    yield lambda: sized().symbolic()
    yield lambda: sized().symbolic({payload: 2})
    yield lambda: renamed().symbolic({payload: 2}, {"x": [[1, 2], [payload, 3]]})
    yield lambda: symbolic(renamed(), defaults={"x": [[payload] * 2] * 2}, same={payload: payload}, parameters={payload: payload})
    yield lambda: Attention().evaluate({**FEEDS, "X": [[payload, 1]]}, numbers="symbolic")
    yield lambda: Attention().evaluate(FEEDS, numbers=payload)
    yield lambda: Attention().symbolic(**SIZES)[payload]
    yield lambda: getattr(Attention().symbolic(**SIZES), payload)
    yield lambda: Attention().symbolic(**SIZES).latex(payload)
    yield lambda: Attention().symbolic(**SIZES).array(payload)


def attack(way):
    """Run one way in; how it ended."""
    try:
        way()
    except (SymattnError, KeyError, AttributeError) as error:
        return type(error).__name__
    return "taken"


def test_no_text_is_ever_run(tmp_path):
    mark = tmp_path / "mark"
    payload = f"__import__('pathlib').Path({str(mark)!r}).touch()"
    ends = [attack(way) for way in entries(payload)]
    assert not mark.exists()
    assert len(ends) > 50
    assert ends.count("taken") <= 12, ends
    sp.sympify(payload)
    assert mark.exists(), "the watcher sees nothing"


def test_names_from_outside_become_symbols_only_by_the_rule(tmp_path):
    seen = []
    k = Axis("k", Space("a", 2))
    for name in ("x y", "x.__class__", "1x", "", "x" * 61, "x\n"):
        with pytest.raises(InputError, match="cannot name a symbol"):
            Program((Stage(name, Input((k,))),)).symbolic()
        seen.append(name)
    assert len(seen) == 6
    assert Program((Stage("é", Input((k,))),)).symbolic().é[0, 0].name == "é_{1}"


def test_importing_the_program_package_loads_no_sympy():
    code = (
        "import sys, symattn.program.attention as a; a.Attention(heads=4).program('online', blocks=(1, 2)); print('sympy' in sys.modules)"
    )
    here = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=here, check=True, timeout=60)
    assert done.stdout.strip() == "False"
    done = subprocess.run(
        [sys.executable, "-c", code.replace("print", "a.Attention().symbolic(); print")],
        capture_output=True,
        text=True,
        cwd=here,
        check=True,
    )
    assert done.stdout.strip() == "True"


def test_numbers_in_formulas_are_exact():
    i = Axis("i", Space("a", 1))
    program = Program((Stage("x", Input((i,))), Stage("y", Contract((i,), (Use("x", (i,)),), coef=Num(F(1, 3))))))
    assert program.symbolic().y[0, 0] == sp.Symbol("x_{1}", real=True) / 3


@pytest.mark.parametrize("maximum", ["symbol", "Max"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_diff_subs_and_limit_work_on_every_algorithm(algorithm, maximum):
    t = sp.Symbol("t", positive=True)
    attention = Attention(inputs="qkv", cross=True, scale=1)
    given = {"Q": [[t]], "K": [[2], [5], [1]], "V": [[10], [20], [60]]}
    output = attention.symbolic(given=given, algorithm=algorithm, blocks=blocks(algorithm), maximum=maximum).output[0, 0]
    plain = attention.symbolic(given=given).output[0, 0]
    shifts = {x: R(k + 1, 3) for k, x in enumerate(sorted(output.free_symbols - {t}, key=str))}
    assert len(shifts) == {"shifted": 1, "log-domain": 1, "online": 2}.get(algorithm, 0) * (maximum == "symbol")
    at = {t: R(1, 3), **shifts}
    assert abs(sp.N(output.subs(at) - plain.subs(at), 40)) < 1e-35
    if maximum == "symbol":
        assert abs(sp.N(output.diff(t).subs(at) - plain.diff(t).subs(at), 40)) < 1e-35
        assert sp.limit(output.subs(shifts), t, sp.oo) == 20
        assert sp.limit(output.subs(shifts), t, 0) == 30
    assert lint(latex(output)) == lint(latex(output.diff(t))) == ""


def test_an_undefined_function_is_an_expression():
    entry = sp.Function("f")(1)
    assert Attention().symbolic(n=1, d_model=1, d_k=1, given={"X": [[entry]]}).X[0, 0] == entry
    assert entry_math(entry) is None
