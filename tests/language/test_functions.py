"""Every function against its meaning, computed apart; broadcasting; attention against the same formula written out."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest
from language_reference import TABLE, evaluated, log_stand_in, nested, root, stand_in, tensor, values

from symattn.interp.run import run
from symattn.language.functions import FUNCTIONS
from symattn.language.parser import parse
from symattn.language.prompt import compile_text
from symattn.program.ops import Map
from symattn.program.scalar import Arg, Binary, Size

ISSUE = {"softmax", "exp", "log", "sqrt", "tanh", "sigmoid", "sum", "mean", "max", "dot", "attention"}


def test_the_set_is_there_and_every_row_is_whole() -> None:
    assert set(FUNCTIONS) >= ISSUE | {"transpose", "min"}
    for name, row in FUNCTIONS.items():
        assert row.name == name
        assert row.says.strip()
        assert 1 <= row.least <= row.most
        assert row.usage().startswith(f"{name}(")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_example_compiles_and_runs(name: str) -> None:
    row = FUNCTIONS[name]
    call = parse(row.example.rpartition(";")[2])
    assert type(call).__name__ == "Call"
    assert call.function == name or row.kind == "relation"  # type: ignore[union-attr]
    assert f"{name}(" in row.example
    compiled = compile_text(row.example)
    if name not in ("sqrt", "attention"):  # the exact stand-in has no irrational roots
        assert nested(values(compiled)[compiled.output]) is not None


M = [[F(1), F(2), F(4)], [F(-3), F(0), F(5)]]
TEXT = "[[1, 2, 4], [-3, 0, 5]]"


def by_row(f: Any) -> list[Any]:
    return [f(row) for row in M]


def by_column(f: Any) -> list[Any]:
    return [f(list(column)) for column in zip(*M, strict=True)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"sum({TEXT})", by_row(sum)),
        (f"sum({TEXT}, axis=1)", by_row(sum)),
        (f"sum({TEXT}, axis=-1)", by_row(sum)),
        (f"sum({TEXT}, axis=0)", by_column(sum)),
        ("sum([1, 2, 4])", F(7)),
        (f"sum(sum({TEXT}))", F(9)),
        (f"mean({TEXT})", by_row(lambda r: sum(r) / 3)),
        (f"mean({TEXT}, axis=0)", by_column(lambda r: sum(r) / 2)),
        (f"max({TEXT})", by_row(max)),
        (f"max({TEXT}, axis=0)", by_column(max)),
        (f"min({TEXT})", by_row(min)),
        (f"min({TEXT}, axis=0)", by_column(min)),
        (f"max({TEXT}, 1)", [[max(x, 1) for x in r] for r in M]),
        (f"min({TEXT}, 1)", [[min(x, 1) for x in r] for r in M]),
        (f"relu({TEXT})", [[max(x, 0) for x in r] for r in M]),
        (f"abs({TEXT})", [[abs(x) for x in r] for r in M]),
        (f"exp({TEXT})", [[stand_in(x) for x in r] for r in M]),
        (f"sigmoid({TEXT})", [[1 / (1 + stand_in(-x)) for x in r] for r in M]),
        (f"softmax({TEXT})", by_row(lambda r: [stand_in(x) / sum(map(stand_in, r)) for x in r])),
        (f"transpose(softmax({TEXT}, axis=0))", by_column(lambda r: [stand_in(x) / sum(map(stand_in, r)) for x in r])),
        ("log(10)", log_stand_in(F(10))),
        ("sqrt(1/4)", F(1, 2)),
        ("(1/4)**(3/2)", F(1, 8)),
        ("2**-3", F(1, 8)),
        ("dot([1, 2, 3], [4, 5, 6])", F(32)),
        ("[1, 2, 3] @ [4, 5, 6]", F(32)),
        (f"{TEXT} @ [1, 1, 2]", [F(11), F(7)]),
        (f"[1, 2] @ {TEXT}", [F(-5), F(2), F(14)]),
        (f"{TEXT} @ transpose({TEXT})", [[F(21), F(17)], [F(17), F(34)]]),
        ("outer([1, 2], [3, 4, 5])", [[F(3), F(4), F(5)], [F(6), F(8), F(10)]]),
        ("diag([1, 2])", [[F(1), F(0)], [F(0), F(2)]]),
        ("concat([1, 2], [3], [4, 5])", [F(1), F(2), F(3), F(4), F(5)]),
        ("concat([[1], [2]], [[3, 4], [5, 6]])", [[F(1), F(3), F(4)], [F(2), F(5), F(6)]]),
        ("A = [[1, 2], [3, 4]]; concat(A, A.T)", [[F(1), F(2), F(1), F(3)], [F(3), F(4), F(2), F(4)]]),
        ("A = [[1, 2], [3, 4]]; A @ A", [[F(7), F(10)], [F(15), F(22)]]),
        ("A = [[1, 2], [3, 4]]; A @ A.T", [[F(5), F(11)], [F(11), F(25)]]),
        ("A = [[1, 2], [3, 4]]; A + A.T", [[F(2), F(5)], [F(5), F(8)]]),
        ("A = [[1, 2], [3, 4]]; A[0] @ A[:,1]", F(10)),
        ("A = [[1, 2], [3, 4]]; A.T[0]", [F(1), F(3)]),
        ("v = [3, 4]; outer(v, v) - diag(v)", [[F(6), F(12)], [F(12), F(12)]]),
        ("[1/3, sqrt(4)]", [F(1, 3), F(2)]),
        ("a = 5; [a, 2 * a, 7]", [F(5), F(10), F(7)]),
        ("a = 5; b = [[1, a], [a**2, 4], [-a, a]]; b @ [1, 10]", [F(51), F(65), F(45)]),
        ("v = [1, 2]; M = [[3, 4], [5, 6]]; sum([M[0] @ v, M[1] @ v])", F(28)),
        ("[4**(1/2), 2]", [F(2), F(2)]),
        ("1 - 2 - 3", F(-4)),
        ("12 / 3 / 2", F(2)),
        ("-2**2", F(-4)),
        ("2 * -3 + +1", F(-5)),
        ("tanh(0.5) - tanh(-0.5)", F(2, 3)),
    ],
)
def test_meaning(text: str, wanted: Any) -> None:
    assert evaluated(text) == wanted


def test_the_stand_in_tells_softmax_from_its_neighbours() -> None:
    """A planted lie: were softmax taken along the other axis, or unnormalised, these tests would see it."""
    assert evaluated(f"softmax({TEXT})") != evaluated(f"softmax({TEXT}, axis=0)")
    assert evaluated(f"softmax({TEXT})") != evaluated(f"exp({TEXT})")
    assert root(F(9, 4)) == F(3, 2)


# -- shapes laid over one another -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"{TEXT} * 2", [[2 * x for x in r] for r in M]),
        (f"2 - {TEXT}", [[2 - x for x in r] for r in M]),
        # rows: the sums of the rows of a matrix
        (f"E = {TEXT}; E / sum(E)", by_row(lambda r: [x / sum(r) for x in r])),
        (f"E = {TEXT}; E - max(E)", by_row(lambda r: [x - max(r) for x in r])),
        (f"E = {TEXT}; sum(E) - E", by_row(lambda r: [sum(r) - x for x in r])),
        # columns: the sums of the columns
        (f"E = {TEXT}; E - max(E, axis=0)", [[x - m for x, m in zip(r, by_column(max), strict=True)] for r in M]),
        # a square matrix: where the vector comes from decides
        ("E = [[1, 2], [3, 6]]; E / sum(E)", [[F(1, 3), F(2, 3)], [F(1, 3), F(2, 3)]]),
        ("E = [[1, 2], [3, 6]]; E / sum(E, axis=0)", [[F(1, 4), F(1, 4)], [F(3, 4), F(3, 4)]]),
        ("X = [[1, 2], [3, 6]]; S = X @ X.T; S / sum(S)", [[F(1, 4), F(3, 4)], [F(1, 4), F(3, 4)]]),
        ("X = [[1, 2], [3, 5]]; S = X @ X.T; S - sum(X)", [[F(2), F(10)], [F(5), F(26)]]),
        ("X = [[1, 2], [3, 5]]; S = X @ [[1, 1], [0, 2]] @ X.T; S - sum(S, axis=0)", [[F(-29), F(-74)], [F(-11), F(-28)]]),
        # a vector of its own, where only one axis has its size
        (f"{TEXT} + [10, 20, 30]", [[F(11), F(22), F(34)], [F(7), F(20), F(35)]]),
        (f"[10, 20] + {TEXT}", [[F(11), F(12), F(14)], [F(17), F(20), F(25)]]),
        # one row, one column
        ("[[1, 2], [3, 4]] * [[10, 100]]", [[F(10), F(200)], [F(30), F(400)]]),
        ("[[1, 2], [3, 4]] * [[10], [100]]", [[F(10), F(20)], [F(300), F(400)]]),
        ("[5] * [[1, 2], [3, 4]]", [[F(5), F(10)], [F(15), F(20)]]),
        ("[[1], [2]] + [[10, 20, 30]]", [[F(11), F(21), F(31)], [F(12), F(22), F(32)]]),
        ("A = [[1], [2]]; A + A.T", [[F(2), F(3)], [F(3), F(4)]]),
    ],
)
def test_broadcasting(text: str, wanted: Any) -> None:
    assert evaluated(text) == wanted


def test_declared_axes_say_where_a_vector_runs() -> None:
    shapes = {"S": "token,key", "b": ("key",), "w": ("token",)}
    feeds = {"S": [[1, 2], [3, 4]], "b": [10, 20], "w": [100, 200]}
    for text, wanted in (("S + b", [[11, 22], [13, 24]]), ("S + w", [[101, 102], [203, 204]]), ("w + S", [[101, 102], [203, 204]])):
        compiled = compile_text(text, shapes=shapes)
        found = run(compiled.program, {k: tensor(v) for k, v in feeds.items() if k in compiled.program.by_name}, TABLE)
        assert nested(found["result"]) == wanted


def test_a_mean_divides_by_the_size_by_name() -> None:
    op = compile_text("mean(S)", shapes={"S": "token,key"}).program.by_name["result"].op
    assert isinstance(op, Map)
    assert op.scalar == Binary("div", Arg("result.sum"), Size("key"))


def test_where_both_axes_have_the_set_a_vector_runs_along_the_rows() -> None:
    compiled = compile_text("S + w", shapes={"S": "n,n", "w": "n"})
    found = run(compiled.program, {"S": tensor([[1, 2], [3, 4]]), "w": tensor([10, 20])}, TABLE)
    assert nested(found["result"]) == [[11, 12], [23, 24]]


# -- attention ------------------------------------------------------------------------------------------------------------------
X = "[[1, 2], [3, 1], [2, 4]]"
W = "[[0, 1], [1, 0]]"


@pytest.mark.parametrize(
    ("options", "formula"),
    [
        (", scale=1", "softmax(Q @ K.T) @ V"),
        (", scale=1/3", "softmax(Q @ K.T / 3) @ V"),
        (', scale="1/d_k"', "softmax(Q @ K.T / 2) @ V"),
        (", scale=1, bias=[[1, 2, 0], [0, 1, 0], [0, 0, 3]]", "softmax(Q @ K.T + [[1, 2, 0], [0, 1, 0], [0, 0, 3]]) @ V"),
        (", scale=1, softcap=7", "softmax(7 * tanh(Q @ K.T / 7)) @ V"),
        (", scale=1/sqrt(4)", "softmax(Q @ K.T / 2) @ V"),
        (', scale=1, algorithm="deferred"', "softmax(Q @ K.T) @ V"),
    ],
)
def test_attention_is_its_formula(options: str, formula: str) -> None:
    given = f"Q = {X}; K = {X} @ {W}; V = {X} - 1; "
    assert evaluated(given + f"attention(Q, K, V{options})") == evaluated(given + formula)


def test_the_default_scale_is_one_over_the_root_of_d_k() -> None:
    q, v = "[[1, 2, 0, 1], [3, 1, 1, 0]]", "[[1], [5]]"
    assert evaluated(f"Q = {q}; attention(Q, Q, {v})") == evaluated(f"Q = {q}; softmax(Q @ Q.T / 2) @ {v}")
    assert evaluated(f"Q = {q}; attention(Q, Q, {v})") != evaluated(f"Q = {q}; softmax(Q @ Q.T) @ {v}")
    compiled = compile_text("attention(Q, Q, Q, scale=1/sqrt(d))", shapes={"Q": "n,d"})
    assert (
        compiled.program.by_name["result.scaled"]
        == compile_text("attention(Q, Q, Q)", shapes={"Q": "n,d"}).program.by_name["result.scaled"]
    )


@pytest.mark.parametrize(
    ("mask", "seen"),
    [
        ('"causal"', [[0], [0, 1], [0, 1, 2]]),
        ('"window", window=2', [[0], [0, 1], [1, 2]]),
        ("[[1, 0, 1], [0, 1, 0], [1, 1, 1]]", [[0, 2], [1], [0, 1, 2]]),
        ("[1, 0, 1]", [[0, 2], [0, 2], [0, 2]]),
        ("M", [[1, 2], [0], [0, 1, 2]]),
    ],
)
def test_masks_leave_keys_out(mask: str, seen: list[list[int]]) -> None:
    found = evaluated(f"X = {X}; M = [[0, 1, 1], [1, 0, 0], [1, 1, 1]]; attention(X, X, X, scale=1, mask={mask})")
    x = [[F(1), F(2)], [F(3), F(1)], [F(2), F(4)]]
    for i, keys in enumerate(seen):
        e = {j: stand_in(x[i][0] * x[j][0] + x[i][1] * x[j][1]) for j in keys}
        assert found[i] == [sum(e[j] * x[j][c] for j in keys) / sum(e.values()) for c in range(2)]


def test_a_sink_takes_part_in_the_sum_only() -> None:
    found = evaluated(f"X = {X}; attention(X, X, X, scale=1, sink=2)")
    weights = evaluated(f"X = {X}; E = exp(X @ X.T); (E / (sum(E) + exp(2))) @ X")
    assert found == weights


def test_cross_attention_and_its_offset() -> None:
    shapes = {"Q": "n,d", "K": "m,d", "V": "m,c"}
    compiled = compile_text('attention(Q, K, V, scale=1, mask="causal", query_offset=1)', shapes=shapes)
    feeds = {"Q": [[1], [2]], "K": [[3], [4], [5]], "V": [[1], [10], [100]]}
    found = nested(run(compiled.program, {k: tensor(v) for k, v in feeds.items()}, TABLE)["result"])
    e = [[stand_in(F(q * k)) for k in (3, 4, 5)] for q in (1, 2)]
    assert found == [[(e[0][0] + 10 * e[0][1]) / (e[0][0] + e[0][1])], [(e[1][0] + 10 * e[1][1] + 100 * e[1][2]) / sum(e[1])]]


def test_inner_stages_of_attention_have_their_names() -> None:
    compiled = compile_text(f"X = {X}; O = attention(X, X, X, scale=1); O.weights[2]")
    found = values(compiled)
    assert sum(found["result"].entries) == 1
    assert found["result"].entries == found["O.weights"].entries[6:]
