"""One line, or several, to a program; and what importing the language loads."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest
from language_reference import evaluated

from symattn.errors import LanguageError, ShapeError
from symattn.language.prompt import compile_text


def test_an_expression() -> None:
    compiled = compile_text("softmax([2, 5, 1])")
    assert compiled.output == "result"
    assert [s.name for s in compiled.program.stages] == ["result.1", "result.exponentials", "result.row_sums", "result"]
    assert compiled.feeds == {"result.1": (2, 5, 1)}


@pytest.mark.parametrize(
    "text",
    [
        "a = 2; b = 3; a * b",
        "a = 2\nb = 3\na * b",
        "a = 2 # two\n\n  b = 3;\n\na\n  * b",
        "a = (1\n + 1)\nb = 3 ; a * (\n b)",
        "a = 2\nb = 3\nr = a * b",
    ],
)
def test_definitions_before_it(text: str) -> None:
    assert evaluated(text) == 6


def test_the_last_definition_may_be_the_answer() -> None:
    assert compile_text("s = [1, 2]; t = sum(s)").output == "t"
    assert compile_text("result = 3; result + 1").output == "result_"


def test_inputs_by_shape_and_by_value() -> None:
    compiled = compile_text("A @ b + c", shapes={"A": "n, 2", "b": (2,), "c": ()}, values={"d": "[1/2, 3]"})
    assert [s.name for s in compiled.program.inputs] == ["A", "b", "c", "d"]
    assert compiled.program.by_name["A"].shape_text() == "(n=n, i=2)"
    assert compiled.feeds == {"d": (Fraction(1, 2), 3)}


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("a = 2; b = = 3; a", 1, 12), ("a = 2\n\nb = nope\na", 3, 5), ("a = 2\na + )", 2, 5), ("a = 1\n  b c = 3\na", 2, 5)],
)
def test_places_count_in_the_whole_text(text: str, line: int, column: int) -> None:
    with pytest.raises(LanguageError) as caught:
        compile_text(text, path="p")
    assert caught.value.place is not None
    assert (caught.value.place.path, caught.value.place.line, caught.value.place.column) == ("p", line, column)
    assert caught.value.place.source_line == text.split("\n")[line - 1]


@pytest.mark.parametrize("text", ["", "  \n ", ";", "# nothing"])
def test_no_expression(text: str) -> None:
    with pytest.raises(LanguageError, match="no expression"):
        compile_text(text)


def test_a_line_that_is_no_definition_may_only_come_last() -> None:
    with pytest.raises(LanguageError, match="begins with a name"):
        compile_text("1 + 2; 3")


@pytest.mark.parametrize("shape", ["n,,m", "1.5", "n m", "-1", (True,), (0.5,), ("__import__('os')",)])
def test_shapes_that_are_none(shape: object) -> None:
    with pytest.raises((LanguageError, ShapeError)):
        compile_text("X", shapes={"X": shape})  # type: ignore[dict-item]


HEAVY = ("sympy", "numpy", "flint", "mpmath", "ml_dtypes", "jinja2", "rich")
LOADS = "import sys; import {module}; print(','.join(m for m in {heavy} if m in sys.modules))"


def loaded(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_the_language_loads_nothing_heavy() -> None:
    code = "from symattn.language.prompt import compile_text; compile_text('attention([[1]], [[1]], [[1]])'); "
    assert loaded(code + LOADS.format(module="sys", heavy=HEAVY)) == ""


def test_that_test_can_fail() -> None:
    assert loaded(LOADS.format(module="mpmath", heavy=HEAVY)) == "mpmath"
