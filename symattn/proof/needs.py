"""What a scalar tree needs to have a value: denominators that do not vanish, numbers that may stand under a root or a logarithm.

Promises: each need that is not proved from the form of the program (a sum of exponentials is positive) becomes a hypothesis, once, in
the words of the language: `row_sums != 0`. Does not promise: that a hypothesis is necessary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from symattn.program import ops
from symattn.program.program import Program
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary, walk
from symattn.proof.forms import POSITIVE, Forms
from symattn.proof.sign import is_nonnegative, is_positive, sign
from symattn.proof.terms import Context, Expr

Evaluate = Callable[[Scalar, Mapping[str, Expr]], Expr]
_SIGN = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


class Needs:
    """The needs of the stages of one program."""

    def __init__(self, program: Program, ctx: Context) -> None:
        self._program = program
        self._ctx = ctx
        self._forms = Forms(program)

    def check(self, tree: Scalar, args: Mapping[str, Expr], uses: Mapping[str, str], value: Evaluate) -> None:
        """Write down what the tree needs."""
        for node in walk(tree):
            match node:
                case Binary("div", _, b) if not self._is_positive(b, uses) and not self._nonzero(value(b, args)):
                    self._ctx.suppose(f"{text(b, uses)} != 0")
                case Power(x, e) if not self._is_positive(x, uses):
                    if e.denominator % 2 == 0 and (e < 0 or not self._is_nonnegative(x, uses, value, args)):
                        self._ctx.suppose(f"{text(x, uses)} {'>' if e < 0 else '>='} 0")
                    elif e < 0 and not self._nonzero(value(x, args)):
                        self._ctx.suppose(f"{text(x, uses)} != 0")
                case Unary("sqrt", x) if not self._is_nonnegative(x, uses, value, args):
                    self._ctx.suppose(f"{text(x, uses)} >= 0")
                case Unary("log", x) if not self._is_positive(x, uses) and not is_positive(self._ctx, value(x, args)):
                    self._ctx.suppose(f"{text(x, uses)} > 0")
                case _:
                    pass

    def of_stage(self, name: str) -> list[str]:
        """The needs of one stage that are not proved from the form of the program alone."""
        op = self._program.by_name[name].op
        if isinstance(op, ops.Contract) and op.must_visit and self._forms.may_be_empty(op.uses, op.where):
            return [f"{name}: every entry visits something"]
        if not isinstance(op, ops.Map):
            return []
        uses = {arg: use.stage for arg, use in op.args}
        found = []
        for node in walk(op.scalar):
            match node:
                case Binary("div", _, b) if not self._is_positive(b, uses):
                    found.append(f"{text(b, uses)} != 0")
                case Power(x, e) if e < 0 and not self._is_positive(x, uses):
                    found.append(f"{text(x, uses)} {'!=' if e.denominator % 2 else '>'} 0")
                case Power(x, e) if e.denominator % 2 == 0 and not self._forms.tree(x, uses):
                    found.append(f"{text(x, uses)} >= 0")
                case Unary("sqrt", x) if not self._forms.tree(x, uses):
                    found.append(f"{text(x, uses)} >= 0")
                case Unary("log", x) if not self._is_positive(x, uses):
                    found.append(f"{text(x, uses)} > 0")
                case _:
                    pass
        return found

    def _is_nonnegative(self, x: Scalar, uses: Mapping[str, str], value: Evaluate, args: Mapping[str, Expr]) -> bool:
        return self._forms.tree(x, uses) > 0 or is_nonnegative(self._ctx, value(x, args))

    def _is_positive(self, tree: Scalar, uses: Mapping[str, str]) -> bool:
        return self._forms.tree(tree, uses) == POSITIVE

    def _nonzero(self, a: Expr) -> bool:
        if not a:
            return False
        if len(a) == 1:
            return sign(self._ctx, a[0].scaled(-1 if a[0].coef < 0 else 1)) == 2
        return is_positive(self._ctx, a) or is_positive(self._ctx, [t.scaled(-1) for t in a])


def text(tree: Scalar, uses: Mapping[str, str]) -> str:
    """The tree in the words of the language, stages by name."""
    match tree:
        case Num(value, written):
            return written or str(value)
        case Size(name):
            return name
        case Arg(name):
            return uses[name]
        case Unary("neg", x):
            return f"-{_inner(x, uses)}"
        case Unary(op, x):
            return f"{op}({text(x, uses)})"
        case Binary("max2", a, b):
            return f"max({text(a, uses)}, {text(b, uses)})"
        case Binary(op, a, b):
            return f"{_inner(a, uses)} {_SIGN[op]} {_inner(b, uses)}"
        case Power(x, e):
            return f"{_inner(x, uses)}**{e}" if Fraction(e).denominator == 1 and e >= 0 else f"{_inner(x, uses)}**({e})"


def _inner(tree: Scalar, uses: Mapping[str, str]) -> str:
    shown = text(tree, uses)
    return shown if isinstance(tree, Num | Size | Arg | Unary) and not shown.startswith("-") else f"({shown})"
