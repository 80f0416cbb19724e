"""The functions of the language, one row each.

Promises: the set is closed: a name that is not here is not a function, and no name here can be given to a value. Each row has
its arguments, one line of meaning and an example that compiles (tested). Does not promise: how a function becomes stages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

ANY = "*"  # in place of keywords: every name may stand there, for an index


@dataclass(frozen=True)
class Function:
    """`least` to `most` positional arguments, and the keywords it takes. `kind`: scalar (entry by entry), along (an axis),
    pair, shape or attention. `says` is its meaning, `example` a text that compiles by itself."""

    name: str
    least: int
    most: int
    keywords: tuple[str, ...]
    kind: str
    says: str
    example: str

    def usage(self) -> str:
        """How it is called: `sum(x, axis=…)`."""
        letters = ("Q", "K", "V") if self.kind == "attention" else ("i", "j", "k") if self.kind == "relation" else ("x", "y", "z", "…")
        if ANY in self.keywords:
            return f"{self.name}(x, …, i=…, …)"
        shown = [*letters[: min(self.most, 4)][: max(self.least, 1)], *(f"{k}=…" for k in self.keywords[:3])]
        return f"{self.name}({', '.join(shown)}{', …' if len(self.keywords) > 3 or self.most > 4 else ''})"


def _scalar(name: str, says: str, example: str) -> Function:
    return Function(name, 1, 1, (), "scalar", says, example)


_LAST = "along the last axis (each row of a matrix), or along axis=0, axis=1 or a named axis"
_ROWS = (
    _scalar("exp", "the exponential of each entry", "exp([2.0, 5.0, 1.0])"),
    _scalar("log", "the natural logarithm of each entry", "log(10)"),
    _scalar("sqrt", "the square root of each entry", "sqrt(2)"),
    _scalar("tanh", "the hyperbolic tangent of each entry", "tanh([0.5, -0.5])"),
    _scalar("sigmoid", "1/(1 + exp(-x)) of each entry", "sigmoid([0, 1])"),
    _scalar("cos", "the cosine of each entry, in radians", "cos(1)"),
    _scalar("sin", "the sine of each entry, in radians", "sin(1)"),
    _scalar("erf", "the error function of each entry", "erf(0.5)"),
    _scalar("relu", "the larger of each entry and 0", "relu([-1, 2])"),
    _scalar("abs", "the absolute value of each entry", "abs([-1, 2])"),
    Function(
        "softmax",
        1,
        1,
        ("axis", "mask"),
        "along",
        f'exp(x) divided by its sum, {_LAST}; mask="causal" leaves out what stands right of the diagonal',
        "softmax([2.0, 5.0, 1.0])",
    ),
    Function("sum", 1, 1, ("axis",), "along", f"the sum {_LAST}", "sum([[1, 2], [3, 4]])"),
    Function("mean", 1, 1, ("axis",), "along", f"the arithmetic mean {_LAST}", "mean([1, 2, 6])"),
    Function("max", 1, 2, ("axis",), "along", f"the largest entry {_LAST}; of two arguments the larger, entry by entry", "max([1, 3, 2])"),
    Function("min", 1, 2, ("axis",), "along", f"the smallest entry {_LAST}; of two arguments the smaller, entry by entry", "min(1/3, 0.3)"),
    Function("dot", 2, 2, (), "pair", "the sum of the products of two vectors", "dot([2, 4], [1, 2])"),
    Function("outer", 2, 2, (), "pair", "the matrix of all products of two vectors", "outer([1, 2], [3, 4, 5])"),
    Function("transpose", 1, 1, (), "shape", "rows and columns exchanged, the same as .T", "transpose([[1, 2], [3, 4]])"),
    Function("diag", 1, 1, (), "shape", "the square matrix with a vector on its diagonal", "diag([1, 2, 3])"),
    Function("concat", 2, 64, (), "shape", "vectors end to end, matrices side by side", "concat([[1], [2]], [[3, 4], [5, 6]])"),
    Function("ones", 1, 4, (), "shape", "ones everywhere, along the axes or sizes named", "ones(2, 3)"),
    Function("eye", 1, 1, (), "shape", "the identity matrix over an axis or of a size", "eye(3)"),
    Function("positions", 1, 1, (), "shape", "0, 1, 2, … along an axis or as many as the size says", "positions(4)"),
    Function(
        "causal_part",
        1,
        1,
        (),
        "shape",
        "a square matrix whose entries right of the diagonal are absent (of more axes, the last two)",
        "causal_part([[1, 2], [3, 4]])",
    ),
    Function(
        "entries", 1, 9, (ANY,), "index", "the array of an expression in indices", "entries(sum_over([[1, 2], [3, 4]][i,j], j=2), i=2)"
    ),
    Function("sum_over", 1, 9, (ANY,), "index", "the sum over indices", "sum_over([[1, 2], [3, 4]][i,i], i=2)"),
    Function(
        "max_over", 1, 9, (ANY,), "index", "the largest entry over indices", "max_over([[1, 2], [3, 4]][i,j], if_atmost(j, i, 0), i=2, j=2)"
    ),
    Function("if_same", 2, 2, (), "relation", "a condition in index notation: i is j", "entries(1, if_same(i, j), i=2, j=2)"),
    Function(
        "if_atmost", 3, 3, (), "relation", "a condition in index notation: i - j is at most k", "entries(1, if_atmost(j, i, 0), i=2, j=2)"
    ),
    Function(
        "derivative",
        3,
        3,
        (),
        "calculus",
        "how x changes when the named value y moves along z",
        "s = [1, 2]; derivative(dot(s, s), s, [1, 0])",
    ),
    Function(
        "partial",
        3,
        3,
        (),
        "calculus",
        "the same for x alone, an expression or a definition, with every name but y held",
        "s = [1, 2]; r = s * s; partial(r * s, s, [1, 0])",
    ),
    Function(
        "attention",
        3,
        3,
        ("mask", "scale", "softcap", "window", "bias", "sink", "query_offset", "masked_row", "algorithm"),
        "attention",
        "the attention of queries, keys and values, weights by rows",
        'attention([[1, 2], [3, 1]], [[1, 2], [3, 1]], [[2, 1], [1, 3]], mask="causal")',
    ),
)
FUNCTIONS: Mapping[str, Function] = MappingProxyType({row.name: row for row in _ROWS})
