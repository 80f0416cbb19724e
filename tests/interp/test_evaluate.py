"""Taking inputs, and what `evaluate` gives back."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction as F

import numpy as np
import pytest
from attentions import attention

from symattn.errors import InputError, ShapeError
from symattn.interp.evaluate import Evaluation, evaluate
from symattn.interp.take import take_feeds
from symattn.interp.tensor import Tensor
from symattn.number.exact import Exact
from symattn.program.ops import Allowed, Contract, Input, Map, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num
from symattn.program.spaces import Axis, Space

SEQ, FEATURE = Space("seq", "n"), Space("feature", "d")
II, KK = Axis("i", SEQ), Axis("k", FEATURE)
TWICE = Program((Stage("A", Input((II, KK))), Stage("B", Map((II, KK), Binary("mul", Num(F(2)), Arg("a")), (("a", Use("A", (II, KK))),)))))
MASKED = Program(
    (
        Stage("x", Input((II,))),
        Stage("M", Input((II,), boolean=True)),
        Stage("total", Contract((), (Use("x", (II,)),), where=(Allowed(Use("M", (II,))),))),
    )
)


def first(raw: object, **options: object) -> F | Exact:
    return take_feeds(TWICE, {"A": raw}, **options)["A"].entries[0]


@pytest.mark.parametrize(
    "raw",
    [
        [["0.5"]],
        ((F(1, 2),),),
        [["1/2"]],
        [[Decimal("0.5")]],
        [[Exact("0.5")]],
        [(Exact("0.25") * 2,)],
        np.array([["0.5"]]),
        np.array([[F(1, 2)]], dtype=object),
        [np.array(["1/2"])],
    ],
)
def test_exact_inputs(raw):
    assert first(raw) == F(1, 2)
    assert isinstance(first(raw), F)


@pytest.mark.parametrize(
    "raw",
    [
        [[3]],
        np.array([[3]]),
        np.array([[3]], dtype=np.uint8),
        np.array([[3.0]]),
        [[3.0]],
        [[np.float32(3)]],
        [[np.int64(3)]],
        Tensor((1, 1), [3]),
    ],
)
def test_integers_however_they_come(raw):
    assert first(raw) == 3


def test_irrational_inputs_stay_exact():
    root = Exact.of(2).sqrt()
    ev = evaluate(TWICE, {"A": [[root]]})
    assert (ev["B"][0, 0] * root).rational() == 4
    assert str(evaluate(TWICE, {"A": [[root]]}, numbers="balls", digits=12)["B"][0, 0]) == "2.82842712475"


@pytest.mark.parametrize("raw", [[[1, 0.1]], np.array([[1, 0.1]])])
def test_floats_are_refused_with_what_they_would_have_been(raw):
    with pytest.raises(InputError) as caught:
        evaluate(TWICE, {"A": raw})
    assert str(caught.value) == (
        '"A"[0, 1]: the float 0.1 is exactly 0.1000000000000000055511151231257827021181583404541015625; '
        'write it as text, "0.1", to mean the decimal, or say binary=True to mean it exactly'
    )


def test_binary_means_the_binary_fractions():
    for raw in ([[0.1]], np.array([[0.1]])):
        assert first(raw, binary=True) == F(0.1)
    assert first(np.array([[0.1]], dtype=np.float32), binary=True) == F(float(np.float32(0.1)))
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert first(np.array([[0.1]], dtype=ml_dtypes.bfloat16), binary=True) == F(0.10009765625)
    with pytest.raises(InputError, match="nan is not a number"):
        first([[float("nan")]], binary=True)


BAD: list[tuple[object, type[Exception], str]] = [
    ([[1, 2], [3]], InputError, '"A" is ragged: \\[1\\] has 1 entries but the first row has 2'),
    ([[1, 2], 3], InputError, '"A"\\[1\\] is a single entry where a row of 2 should stand'),
    ([[1, [2]]], InputError, '"A"\\[0, 1\\] is a list where a number should stand'),
    ([], InputError, '"A" is empty'),
    ([[]], InputError, '"A" is empty'),
    (np.zeros((0, 2)), InputError, '"A" is empty'),
    ([1, 2], ShapeError, "2 axes, but what is given is nested 1 deep"),
    ([[[1]]], ShapeError, "nested at least 3 deep"),
    (5, ShapeError, "nested 0 deep"),
    (Tensor((1,), [1]), ShapeError, "nested 1 deep"),
    ([[float("nan")]], InputError, '"A"\\[0, 0\\]: nan is not a number; give finite numbers$'),
    ([[1, float("-inf")]], InputError, '"A"\\[0, 1\\]: -inf is not a number'),
    (np.array([[np.nan]]), InputError, "nan is not a number"),
    ([["nan"]], InputError, "'nan' is not a number"),
    ([[None]], InputError, '"A"\\[0, 0\\]: a NoneType is not a number'),
    ([[True]], InputError, "True is a truth value"),
    (np.array([[True]]), InputError, "True is a truth value"),
    ([[object()]], InputError, "a object is not a number"),
    ({"a": 1}, InputError, '"A" is a dict'),
    ({1, 2}, InputError, '"A" is a set'),
    (None, InputError, '"A" is a NoneType'),
    (np.array([[1j]]), InputError, '"A" is an array of complex128'),
    (np.array([["2020-01-01"]], dtype="datetime64[D]"), InputError, '"A" is an array of datetime64'),
    (np.zeros((1, 1), dtype=np.longdouble), InputError, '"A" is an array of'),
    (np.broadcast_to(np.zeros(1), (20_000, 20_000)), InputError, "400000000 entries; at most"),
    ([["__import__('os').abort()"]], InputError, "is not a number"),
    ([["1e999999999"]], InputError, "exponent"),
    ([["9" * 10_000_000]], InputError, "10000000 characters"),
]


@pytest.mark.parametrize(("raw", "error", "message"), BAD, ids=range(len(BAD)))
def test_bad_inputs_are_one_clear_error(raw, error, message):
    with pytest.raises(error, match=message):
        evaluate(TWICE, {"A": raw})


def test_a_list_that_contains_itself_ends():
    knot: list[object] = []
    knot.append(knot)
    with pytest.raises(ShapeError, match="at least 3 deep"):
        evaluate(TWICE, {"A": knot})


def test_names_are_checked():
    with pytest.raises(InputError, match=r"'AA' is given but the program has no such input; did you mean \"A\"\?"):
        evaluate(TWICE, {"AA": [[1]]})
    with pytest.raises(InputError, match='the input "A" \\(i=n, k=d\\) is not given'):
        evaluate(TWICE, {})
    with pytest.raises(InputError, match="the inputs are a list"):
        evaluate(TWICE, [[1]])


def test_boolean_inputs_take_bools_only():
    assert evaluate(MASKED, {"x": [1, 10, 100], "M": [True, False, True]})["total"][()] == 101
    assert evaluate(MASKED, {"x": [1, 10], "M": np.array([True, False])})["total"][()] == 1
    for bad, shown in (([1, 0], "1"), (["True", False], "'True'"), (np.array([1.0, 0.0]), "1.0"), ([None, True], "a NoneType")):
        with pytest.raises(InputError, match=f'"M"\\[0\\] is {shown}, but the input is boolean; write True or False'):
            evaluate(MASKED, {"x": [1, 10], "M": bad})


def test_the_evaluation_is_a_mapping_that_knows_how_it_was_made():
    ev = evaluate(attention(), {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1], [2]]})
    assert isinstance(ev, Evaluation)
    assert list(ev) == ["Q", "K", "V", "scores", "scaled", "exponentials", "row_sums", "weights", "output"]
    assert ev.output is ev["output"]
    assert ev.numbers == "exact"
    assert ev.sizes == {"n": 1, "m": 2, "d": 2, "c": 1}
    assert "weights" in ev
    assert "nothing" not in ev
    assert ev.get("nothing") is None
    with pytest.raises(InputError, match="there is no stage 'wieghts'; the stages: Q, K, V, scores"):
        ev["wieghts"]
    assert repr(ev).splitlines()[0] == "Evaluation in exact numbers, n=1, d=2, m=2, c=1"
    assert "  weights             1×2  Exact(1/(1 + exp(-0.5*sqrt(2)))), …" in repr(ev).splitlines()


def test_program_evaluate_is_the_same():
    assert TWICE.evaluate({"A": [["0.1"]]}, numbers="exact")["B"][0, 0] == F(1, 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"numbers": "ball"}, 'did you mean "balls"'),
        ({"digits": 0}, "digits is 0"),
        ({"digits": 2.5}, "digits is 2.5"),
        ({"digits": True}, "digits is True"),
        ({"digits": 10**9}, "at most 4000"),
        ({"bits": 10**9}, "at most"),
        ({"digits": 10, "bits": 10}, "both digits and bits"),
        ({"order": "random"}, "known: sequential"),
        ({"order": "blas"}, "has no order of sums"),
        ({"parameters": {"w": "1"}}, 'the parameter "w"'),
        ({"sizes": {"n": -1}}, 'the size "n"'),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        evaluate(TWICE, {"A": [[1]]}, **options)


def loaded_after(code: str) -> set[str]:
    """Which heavy libraries a fresh Python has loaded after `code`."""
    probe = f"import sys\n{code}\nprint(*[m for m in ('sympy', 'numpy', 'mpmath', 'flint', 'ml_dtypes') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


EXACT_RUN = """
from symattn.interp.quantities import quantities
from symattn.program.ops import Input, Map, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Unary
p = Program((Stage("x", Input(())), Stage("y", Map((), Unary("exp", Arg("x")), (("x", Use("x")),)))))
y = quantities(p, {"x": "0.5"}).of("y")
"""


def test_heavy_libraries_are_loaded_only_when_needed():
    assert loaded_after("import symattn.interp.evaluate") == set()
    assert loaded_after(EXACT_RUN) == set()
    assert loaded_after(EXACT_RUN + "y.enclose(64)") == {"flint"}
    assert loaded_after("import symattn.interp.evaluate, numpy") == {"numpy"}, "the probe sees what is loaded"


def test_a_stage_asked_for_as_an_attribute():
    done = evaluate(TWICE, {"A": [[1]]})
    with pytest.raises(AttributeError, match=r'a stage is read by its name in brackets: evaluation\["A"\]'):
        getattr(done, "A")  # noqa: B009
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(done, "nothing")  # noqa: B009
