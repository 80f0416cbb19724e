"""What the language says of text it cannot read: one message, the place, the next move."""

from __future__ import annotations

import pytest

from symattn.errors import LanguageError, ShapeError, SymattnError
from symattn.language.parser import parse, parse_definition, parse_relation
from symattn.language.prompt import compile_text

# text, line, column, a part of the message, a part of the next move
SYNTAX = [
    ("(1 + 2", 1, 1, 'this "(" is never closed', 'write ")"'),
    ("exp([1, 2)", 1, 10, 'this ")" stands where the "[" of line 1, column 5 must be closed', 'write "]"'),
    ("1 + 2)", 1, 6, 'this ")" closes nothing', "remove it"),
    ("A[0", 1, 2, 'this "[" is never closed', 'write "]"'),
    ("[[1, 2], [3]]", 1, 10, "ragged: row 1 has 1 entries and row 0 has 2", "same number of entries"),
    ("[[1, 2], 3]", 1, 10, "mixes rows and single entries", "put every row in brackets"),
    ("[[[1]]]", 1, 2, "three deep", "two levels"),
    ("[]", 1, 1, "no entries", "[1, 2]"),
    ("[[], []]", 1, 2, "no entries", "[1, 2]"),
    ("[1, 2, ]", 1, 8, "a value is missing", "remove the comma"),
    ("[1 2]", 1, 4, '"2" stands beside a value', "a comma between two entries"),
    ("[0,5; 1,2]", 1, 5, "semicolon", "a decimal is written with a point"),
    ("softmax(1, 2, 3)", 1, 1, "softmax takes 1 argument, not 3", "softmax([1, 2, 3])"),
    ("ln(2)", 1, 1, 'no function "ln"', "write log(x)"),
    ("", 1, 1, "ends too early", "a value is missing"),
    ("1 +", 1, 4, "ends too early", "a value is missing"),
    ("1 + * 2", 1, 5, 'a value is missing before "*"', "both sides"),
    ("2,5", 1, 2, "comma", "2.5"),
    ("3,555.56", 1, 2, "comma", "3555.56"),
    ("(0,5)", 1, 3, "one expression", "0.5"),
    ("exp(0,5)", 1, 1, "exp takes 1 argument, not 2", "point"),
    ("4.7%", 1, 4, "percentage", "4.7/100"),
    ("x^2", 1, 2, "not written with ^", "x**2"),
    ("x²", 1, 2, "raised ²", "**2"),
    ("2²", 1, 2, "raised ²", "**2"),
    ("√2", 1, 1, "√", "sqrt(x)"),
    ("QKᵀ", 1, 3, "raised T", "K.T"),
    ("∞", 1, 1, "infinity", "exact"),
    ("2x", 1, 2, 'runs into "x"', "2 * x"),
    ("1e", 1, 2, "exponent after 1e is missing", "1e-3"),
    ("0x10", 1, 1, "base ten", "decimal"),
    ("1_000", 1, 2, "not grouped", "1000"),
    ("5.", 1, 2, "digits are missing", "5.0"),
    ("1.2.3", 1, 4, "another point", "one decimal point"),
    ("٣ + 1", 1, 1, "digit ٣", "0 to 9"),
    ("1e4000", 1, 1, "exponent of this number is too large", "e1000"),
    ("(1)(2)", 1, 4, "no sign between", "write *"),
    ("Q K", 1, 3, '"K" stands beside a value', "write *"),
    ("softmx([1])", 1, 1, 'no function "softmx"', "did you mean softmax?"),
    ("Q(0)", 1, 1, 'no function "Q"', "to index [ ]"),
    ("softmax", 1, 1, '"softmax" is a function', "softmax(x"),
    ("sum()", 1, 1, "sum takes 1 argument, not 0", "sum(x"),
    ("max(1, 2, 3)", 1, 1, "max takes 1 to 2 arguments, not 3", "max(x"),
    ("sum(x, axs=0)", 1, 8, 'no keyword "axs"', "did you mean axis?"),
    ("sum(x, axis=0, axis=1)", 1, 16, "given twice", "once"),
    ("sum(axis=0, x)", 1, 13, "a value follows a keyword", "last"),
    ("exp(x, )", 1, 8, "a value is missing", "remove the comma"),
    ("A[1:2]", 1, 4, "ranges", "A[:,0]"),
    ("A[:1]", 1, 3, "ranges", "A[:,0]"),
    ("A[-1]", 1, 3, "never negative", "first entry"),
    ("A[1+1]", 1, 4, "nothing is computed in an index", "position itself"),
    ("A[0.5]", 1, 3, "not a position", "whole numbers"),
    ("A[]", 1, 2, "the index is empty", "A[0,1]"),
    ("P['it']", 1, 3, "without quotes", "[it]"),
    ("a = b", 1, 3, "definitions only", "=="),
    ("a < b", 1, 3, "comparison < cannot stand here", "statements"),
    ("a ≈ b", 1, 3, "how near", "<"),
    ("a; b", 1, 2, "semicolon", "one expression"),
    ("a!", 1, 2, "!", "!="),
    ("{1}", 1, 1, "braces", "[ ]"),
    ("a – b", 1, 3, "dash", "write -"),
    ("1 +\n  (2 +\n 3", 2, 3, "never closed", 'write ")"'),
    ("e\u0301\u0301x", 1, 1, "marks", "plain letters"),
    ("\x1b[31m", 1, 1, "U+001B", "remove it"),
    ("a\u202eb", 1, 2, "U+202E", "remove it"),
    ("\ud800", 1, 1, "U+D800", "remove it"),
    ("a" * 61, 1, 1, "61 characters", "at most 60"),
    # Python and other languages
    ("x.exp()", 1, 3, ".exp( )", "write exp(x)"),
    ("np.exp(x)", 1, 4, ".exp( )", "write exp(x)"),
    ("np.random.rand()", 1, 11, ".rand( )", "functions: exp"),
    ("a.b.c", 1, 1, "at most one point", "inner stage"),
    ("__import__('os').system('id')", 1, 1, 'no function "__import__"', "text is never run"),
    ("eval('1')", 1, 1, 'no function "eval"', "text is never run"),
    ("lambda x: x", 1, 1, '"lambda" is a word of Python', "formula"),
    ("1 if x else 2", 1, 3, '"if" is a word of Python', "formula"),
    ("f'{x}'", 1, 1, "text in quotes", "mask="),
    ("'abc'", 1, 1, "text in quotes", "mask="),
    ("'abc", 1, 1, "never closed", "leave the mark out"),
    ("“abc”", 1, 1, "quotation mark", "mask="),
    ("$x$", 1, 1, '"$"', "remove it"),
    ("x\\y", 1, 2, '"\\"', "remove it"),
    ("(x).real", 1, 5, ".real is not read", ".T"),
    ("[i for i in x]", 1, 4, '"for" is a word of Python', "formula"),
]


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "move"), SYNTAX, ids=[case[0][:20].encode("ascii", "replace").decode() for case in SYNTAX]
)
def test_text_that_cannot_be_read(text: str, line: int, column: int, message: str, move: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse(text, "a.md")
    error = caught.value
    assert error.place is not None
    assert (error.place.path, error.place.line, error.place.column) == ("a.md", line, column)
    assert message in error.message
    assert move in error.next_move
    assert f"a.md:{line}:{column}: " in error.pretty().split("\n")[0]
    assert not text or error.pretty().split("\n")[2].strip() == "^"


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a", 1, "compares nothing"),
        ("a + b", 1, "compares nothing"),
        ("a = b", 3, "definitions only"),
        ("a <", 4, "ends too early"),
        ("< a", 1, "comparison"),
    ],
)
def test_relations_that_cannot_be_read(text: str, column: int, message: str) -> None:
    with pytest.raises(LanguageError, match=message) as caught:
        parse_relation(text)
    assert caught.value.place is not None
    assert caught.value.place.column == column


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("3 = 4", 1, "begins with a name"),
        ("Q", 2, "no ="),
        ("Q == 3", 3, "no ="),
        ("Q = ", 5, "ends too early"),
        ("sum = 3", 1, "function of the language"),
        ("lambda = 3", 1, "word of Python"),
        ("X(1.5) = [1]", 3, "not a size"),
        ("X(0) = [1]", 3, "not a size"),
        ("X(sum) = [1]", 3, "function of the language"),
        ("X(a = [1]", 7, "size is missing"),
        ("Q = 3 = 4", 7, "definitions only"),
    ],
)
def test_definitions_that_cannot_be_read(text: str, column: int, message: str) -> None:
    with pytest.raises(LanguageError, match=message) as caught:
        parse_definition(text)
    assert caught.value.place is not None
    assert caught.value.place.column == column


def test_text_inside_a_longer_line_shows_that_line() -> None:
    with pytest.raises(LanguageError) as caught:
        parse("Qx + ", "a.md", first_line=9, first_column=7, source_line="show: Qx + ")
    assert caught.value.pretty().split("\n")[:3] == ["a.md:9:12: the expression ends too early", "    show: Qx +", "               ^"]


GIVEN = {"Q": "[[1, 2], [3, 4], [5, 6]]", "K": "[[1, 0], [0, 1], [2, 2]]", "v": "[1, 2]", "c": "3"}
MEANING = [
    ("Qx + 1", LanguageError, 1, 'no value "Qx"', "did you mean Q?"),
    ("q", LanguageError, 1, 'no value "q"', "did you mean Q?"),
    ("nan", LanguageError, 1, 'no value "nan"', "exact"),
    ("e**2", LanguageError, 1, 'no value "e"', "exp(x)"),
    ("np.pi", LanguageError, 1, 'no value "np.pi"', ".T"),
    ("np.exp + 1", LanguageError, 1, 'no value "np.exp"', "exp(x)"),
    ("Q.weights", LanguageError, 1, 'no value "Q.weights"', "no inner stages"),
    ("Q @ K", ShapeError, 3, '"Q" (3, 2) and "K" (3, 2)', "transpose the right side"),
    ("v @ Q", ShapeError, 3, '"v" (2) and "Q" (3, 2)', "transpose the right side"),
    ("c @ Q", ShapeError, 3, "a number", "write *"),
    ("Q + v.T", ShapeError, 6, '"v" (2)', "@ takes it on either side"),
    ("c.T", ShapeError, 2, "a number", "only matrices"),
    ("Q + K.T", ShapeError, 3, '"Q" (3, 2)', "transpose"),
    ("Q + [1, 2, 3, 4]", ShapeError, 3, "(4)", "one of the matrix's axes"),
    ("v * [[1, 2], [3, 4]]", ShapeError, 3, '"v" (2) and the right side is (2, 2)', "nothing tells which axis"),
    ("[[5]] + v", ShapeError, 7, "(1, 1)", "one of the matrix's axes"),
    ("Q[3]", ShapeError, 3, "position 3 is outside an axis with 3 entries", "from 0 to 2"),
    ("Q[0,1,0]", ShapeError, 2, "3 indices", "at most one index"),
    ("c[0]", ShapeError, 2, "no entries", "remove the index"),
    ("Q[el]", LanguageError, 3, '"el"', "position from 0 to 2"),
    ("Q · K", LanguageError, 3, "two things", "write @"),
    ("[1, v]", ShapeError, 5, '"v" (2)', "concat"),
    ("[" + "c, " * 64 + "c]", LanguageError, 194, "65 entries", "at most 64"),
    ("attention(Q, K, K, mask=[1, c, 1])", LanguageError, 29, "not a plain number", "name of its own"),
    ("[1/0, 2]", LanguageError, 3, "divides by zero", "divisor"),
    ("[0**-1]", LanguageError, 3, "negative power of zero", "base"),
    ("2**c", LanguageError, 4, "not a constant rational", "exp"),
    ("9**9**9**9", LanguageError, 5, "exponent of this power is too large", "1000"),
    ("(9**1000)**1000", LanguageError, 10, "digits", "smaller"),
    ("[9**1000 * 9**1000**1]", None, 0, "", ""),
    ("sum(c)", ShapeError, 1, "needs a vector or a matrix", "number itself"),
    ("sum(v, axis=1)", ShapeError, 13, "no such axis", "from 0 to 0"),
    ("sum(Q, axis=row)", ShapeError, 13, 'no axis named "row"', "from 0 to 1"),
    ("sum(Q, axis='a')", ShapeError, 13, "no such axis", "from 0 to 1"),
    ("max(v, v, axis=0)", LanguageError, 11, "no axis", "one argument"),
    ("dot(Q, v)", ShapeError, 1, "two vectors", "@"),
    ("outer(c, v)", ShapeError, 1, "two vectors", "@"),
    ("diag(Q)", ShapeError, 1, "diag takes a vector", "A[0,0]"),
    ("concat(v, Q)", ShapeError, 1, "vectors or matrices", "all"),
    ("concat(Q, Q.T)", ShapeError, 1, "as many rows", "same rows"),
    ("attention(Q, K, v)", ShapeError, 17, "V in attention is a matrix", "[[1, 2]]"),
    ("attention(Q, K.T, K)", ShapeError, 15, "same columns", "W_Q and W_K"),
    ("attention(Q, K, [[1]])", ShapeError, 17, "same rows", "one value"),
    ('attention(Q, K, K, mask="casual")', SymattnError, 20, "casual", 'did you mean "causal"'),
    ("attention(Q, K, K, mask=causal)", LanguageError, 25, "not a mask", '"causal"'),
    ("attention(Q, K, K, mask=[[1, 2, 0], [1, 1, 1], [1, 1, 1]])", LanguageError, 25, "entry 2", "1 (look)"),
    ("attention(Q, K, K, mask=[1, 0])", ShapeError, 25, "mask is (2)", "shape"),
    ("attention(Q, K, K, bias=v)", ShapeError, 25, "bias is", "each query and key"),
    ("attention(Q, K, K, softcap=v)", LanguageError, 28, "not a number", "exact"),
    ("attention(Q, K, K, scale=v)", SymattnError, 20, "scale", "1/sqrt(d_k)"),
    ('attention(Q, Q, Q, mask="causal", query_offset=1)', SymattnError, 35, "self-attention", "leave it out"),
    ('attention(Q, K, K, algorithm="online")', LanguageError, 20, "online", "shifted"),
    ("attention(Q, K, K, algorithm=3)", LanguageError, 30, "word in quotes", "algorithm="),
    ('attention(Q, K, K, sink="a")', LanguageError, 25, "not a word", "quotes"),
]


@pytest.mark.parametrize(
    ("text", "kind", "column", "message", "move"), MEANING, ids=[case[0][:40].encode("ascii", "replace").decode() for case in MEANING]
)
def test_expressions_that_mean_nothing(text: str, kind: type[SymattnError] | None, column: int, message: str, move: str) -> None:
    if kind is None:
        assert compile_text(text, values=GIVEN).output == "result"
        return
    with pytest.raises(kind) as caught:
        compile_text(text, values=GIVEN, path="a.md")
    error = caught.value
    assert error.place is not None
    assert (error.place.path, error.place.line, error.place.column) == ("a.md", 1, column)
    assert message in error.message
    assert move in error.next_move


HUGE = [
    ("(" * 10_000 + "1" + ")" * 10_000, "64 brackets"),
    ("[" * 10_000, "64 brackets"),
    ("exp(" * 10_000, "64 brackets"),
    ("A[" * 10_000, "nothing is computed in an index"),
    ("-" * 10_000 + "1", "200 signs"),
    ("2**" * 10_000 + "2", "140 operations"),
    ("2**-" * 10_000 + "2", "140 operations"),
    ("+".join(["1"] * 10_000), "200 operations"),
    ("x" + ".T" * 10_000, "200 operations"),
    ("x" + "[0]" * 10_000, "200 operations"),
    ("(" * 60 + "1" + "+1)" * 60 + "+1" * 150, "200 operations"),
    ("9" * 10_000_000, "10000000 digits"),
    ("0." + "9" * 10_000_000, "10000001 digits"),
    ("1e" + "9" * 10_000_000, "exponent of this number"),
    ("a" * 10_000_000, "name of 10000000 characters"),
    ("'" + "a" * 10_000_000 + "'", "too long"),
    ("[" + "1," * 200_000 + "1]", "100000 entries"),
    (" " * 2_000_000 + "x", "longer than 1000000 characters"),
    ("1 " * 600_000, "stands beside"),
    ("@" * 1_000_000, "value is missing"),
]


@pytest.mark.parametrize(("text", "message"), HUGE, ids=[f"{case[0][:8]} x {len(case[0])}" for case in HUGE])
def test_huge_text_is_refused_at_once(text: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message) as caught:
        parse(text)
    assert len(caught.value.pretty()) < 600


def test_what_is_just_within_the_limits_is_read() -> None:
    assert parse("(" * 64 + "1" + ")" * 64) == parse("1")
    assert compile_text("+".join(["1"] * 200)).output == "result"
    assert compile_text("[" + ",".join(["1"] * 99_999) + "]").output == "result"
    assert compile_text("9" * 1000).output == "result"


def test_powers_of_named_values_cannot_run_away() -> None:
    steps = "x0 = [1.5]\n" + "\n".join(f"x{k + 1} = x{k} * x{k}" for k in range(40)) + "\nx40"
    with pytest.raises(LanguageError, match="digits"):
        compile_text(steps)


def test_results_that_are_too_large_are_refused() -> None:
    row = "[" + ",".join(["1"] * 3000) + "]"
    with pytest.raises(ShapeError, match="9000000 entries"):
        compile_text(f"outer({row}, {row})")
