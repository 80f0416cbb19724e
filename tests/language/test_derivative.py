"""derivative(f, x, v) against difference quotients that are exact for polynomials; ones, eye, positions and causal parts."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from language_reference import evaluated

from symattn.errors import LanguageError, ShapeError
from symattn.language.builder import AxisDecl, Builder
from symattn.language.prompt import compile_text
from symattn.program.ops import Position


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("s = [1, 2]; derivative(dot(s, s), s, [1, 0])", F(2)),
        ("s = [1, 2]; derivative(s * s * s, s, [1, 3])", [F(3), F(36)]),
        ("s = [1, 2]; r = s * s; derivative(r * s, s, [1, 3])", [F(3), F(36)]),
        ("s = [1, 2]; r = s * s; derivative(r * s, r, [1, 3])", [F(1), F(6)]),
        ("s = [1, 2]; derivative(s, s, [5, 7])", [F(5), F(7)]),
        ("s = [1, 2]; t = [3, 4]; derivative(t, s, [5, 7])", [F(0), F(0)]),
        ("A = [[1, 2], [3, 4]]; derivative(A @ A, A, [[1, 0], [0, 0]])", [[F(2), F(2)], [F(3), F(0)]]),
        ("A = [[1, 2], [3, 4]]; derivative(A.T, A, [[0, 5], [0, 0]])", [[F(0), F(0)], [F(5), F(0)]]),
        ("A = [[1, 2], [3, 4]]; derivative(A, A, [[0, 5], [0, 0]].T)", [[F(0), F(0)], [F(5), F(0)]]),
        ("A = [[1, 2], [3, 4]]; derivative(1 / A, A, [[1, 4], [9, 16]])", [[F(-1), F(-1)], [F(-1), F(-1)]]),
        ("s = [1, 2]; derivative(derivative(dot(s, s), s, [1, 0]), s, [3, 4])", F(6)),
        ("s = [1, 2]; r = s * s; partial(r * s, s, [1, 3])", [F(1), F(12)]),
        ("s = [1, 2]; r = s * s; partial(r, s, [1, 3])", [F(2), F(12)]),
        ("s = [1, 2]; r = s * s; t = r * s; partial(t, s, [1, 3])", [F(1), F(12)]),
        ("s = [1, 2]; r = s * s; t = r * s; partial(t, r, [1, 3])", [F(1), F(6)]),
        ("s = [1, 2]; r = s * s; t = r * r; partial(t, s, [1, 3])", [F(0), F(0)]),
        ("s = [1, 2]; r = softmax(s); partial(sum(r), s, [1, 3])", F(0)),
        ("ones(2, 3)", [[F(1)] * 3] * 2),
        ("eye(2)", [[F(1), F(0)], [F(0), F(1)]]),
        ("positions(4)", [F(0), F(1), F(2), F(3)]),
        ("causal_part([[1, 2], [3, 4]])", [[F(1), F(0)], [F(3), F(4)]]),
        ('softmax([[1, 7], [3, 3]], mask="causal")', [[F(1), F(0)], [F(1, 2), F(1, 2)]]),
        ("A = [[1, 2], [3, 4]]; derivative(sum(causal_part(A)), A, [[1, 5], [2, 3]])", [F(1), F(5)]),
    ],
)
def test_values(text: str, wanted: object):
    assert evaluated(text) == wanted


M = "A = [[1, 2, 4], [-3, 0, 5]]; "


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (M + "entries(A[j,i], i=3, j=2)", [[F(1), F(-3)], [F(2), F(0)], [F(4), F(5)]]),
        (M + "entries(sum_over(A[i,k] * A[j,k], k=3), i=2, j=2)", [[F(21), F(17)], [F(17), F(34)]]),
        (M + "entries(sum_over(2 * A[i,k] - 1, k=3), i=2)", [F(11), F(1)]),
        (M + "entries(max_over(A[i,k], k=3), i=2)", [F(4), F(5)]),
        (M + "sum_over(A[i,i], i=2)", None),
        ("B = [[1, 2], [3, 4]]; sum_over(B[i,i], i=2)", F(5)),
        ("B = [[1, 2], [3, 4]]; entries(B[i,i], i=2)", [F(1), F(4)]),
        ("B = [[1, 2], [3, 4]]; entries(B[i,i] * B[i,j], i=2, j=2)", [[F(1), F(2)], [F(12), F(16)]]),
        ("B = [[1, 2], [3, 4]]; entries(sum_over(B[i,j], if_atmost(j, i, 0), j=2), i=2)", [F(1), F(7)]),
        ("B = [[1, 2], [3, 4]]; entries(B[i,j], if_atmost(j, i, 0), i=2, j=2)", [[F(1), F(0)], [F(3), F(4)]]),
        ("B = [[1, 2], [3, 4]]; entries(sum_over(B[i,j], if_same(i, j), j=2), i=2)", [F(1), F(4)]),
        ("v = [5, 7]; entries(v[i] - v[j], i=2, j=2)", [[F(0), F(-2)], [F(2), F(0)]]),
        ("v = [5, 7]; entries(v[i], i=2, j=3)", [[F(5)] * 3, [F(7)] * 3]),
        ("v = [5, 7]; entries(positions(i) * v[j], i=2, j=2)", [[F(0), F(0)], [F(5), F(7)]]),
        ("sum_over(1, i=4)", F(4)),
        ("v = [5, 7]; sum_over(v[i] * v[j], i=2, j=2)", F(144)),
        ("v = [5, 7]; entries(v[1] * v[i], i=2)", [F(35), F(49)]),
        ("v = [5, 7]; derivative(sum_over(v[i] * v[i], i=2), v, [1, 0])", F(10)),
    ],
)
def test_index_notation(text: str, wanted: object):
    if wanted is None:
        with pytest.raises(ShapeError, match="runs over"):
            evaluated(text)
    else:
        assert evaluated(text) == wanted


def test_axes_by_name():
    builder = Builder()
    builder.give("Q", [AxisDecl("n", "n"), AxisDecl("d_k", "d_k")])
    builder.define("ones_Q", "ones(n, d_k)")
    builder.define("I", "eye(d_k)")
    builder.define("t", "positions(n)")
    program = builder.program()
    assert [a.space.name for a in program.by_name["ones_Q"].out] == ["n", "d_k"]
    assert isinstance(program.by_name["t"].op, Position)
    builder.define("QI", "Q @ I - Q * ones_Q")  # one index set, so both products fit
    with pytest.raises(LanguageError, match='there is no axis "d_q"'):
        builder.define("J", "eye(d_q)")


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("derivative(1, 2, 3)", LanguageError, "a value with a name"),
        ("s = [1, 2]; derivative(s, s * s, s)", LanguageError, "a value with a name"),
        ("s = [1, 2]; derivative(s, s, [1, 2, 3])", ShapeError, "a direction has the shape of what moves"),
        ("s = [1, 2]; derivative(s, s, 1)", ShapeError, "a direction has the shape of what moves"),
        ("s = [1, 2]; derivative(s, r, s)", LanguageError, "a value with a name"),
        ("eye(0)", LanguageError, "no axis and no size"),
        ("ones(1/2)", LanguageError, "no axis and no size"),
        ("causal_part([[1, 2, 3], [4, 5, 6]])", ShapeError, "takes a square matrix"),
        ('softmax([[1, 2, 3], [4, 5, 6]], mask="causal")', ShapeError, "takes a square matrix"),
        ('softmax([[1, 2], [4, 5]], mask="window")', LanguageError, 'takes mask="causal"'),
        ('softmax([[1, 2], [4, 5]], axis=0, mask="causal")', LanguageError, 'takes mask="causal"'),
        ("entries(1)", LanguageError, "names no index"),
        ("v = [1, 2]; entries(v[j], i=2)", LanguageError, 'so "j" is none of them'),
        ("v = [1, 2]; entries(v[i], i=3)", ShapeError, "runs over"),
        ("v = [1, 2]; entries(v, i=2)", LanguageError, "stands without its indices"),
        ("v = [1, 2]; entries(i, i=2)", LanguageError, "is an index here"),
        ("v = [1, 2]; entries(sum_over(v[i], i=2), i=2)", LanguageError, "is in use outside"),
        ("entries(entries(1, j=2), i=2)", LanguageError, "cannot stand inside"),
        ("entries(1, if_same(i, k), i=2)", LanguageError, "is about indices"),
        ("entries(1, 2, i=2)", LanguageError, "no condition on indices"),
        ("entries(1, if_atmost(i, j, 1/2), i=2, j=2)", LanguageError, "no whole number"),
        ("if_same(1, 2)", LanguageError, "a condition on indices"),
        ('entries(1, i="n")', LanguageError, "runs over an axis"),
    ],
)
def test_what_means_nothing(text: str, error: type[Exception], says: str):
    with pytest.raises(error, match=says):
        compile_text(text)
