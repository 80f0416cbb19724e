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
from symattn.proof.sign import is_nonnegative, is_positive, sign
from symattn.proof.terms import Context, Expr

Evaluate = Callable[[Scalar, Mapping[str, Expr]], Expr]
_SIGN = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


class Needs:
    """The needs of the stages of one program."""

    def __init__(self, program: Program, ctx: Context) -> None:
        self._program = program
        self._ctx = ctx
        self._positive: dict[str, bool] = {}

    def check(self, tree: Scalar, args: Mapping[str, Expr], uses: Mapping[str, str], value: Evaluate) -> None:
        """Write down what the tree needs."""
        for node in walk(tree):
            match node:
                case Binary("div", _, b) if not self._is_positive(b, uses) and not self._nonzero(value(b, args)):
                    self._ctx.suppose(f"{text(b, uses)} != 0")
                case Power(x, e) if not self._is_positive(x, uses):
                    if e.denominator % 2 == 0 and not is_nonnegative(self._ctx, value(x, args)):
                        self._ctx.suppose(f"{text(x, uses)} {'>' if e < 0 else '>='} 0")
                    elif e < 0 and not self._nonzero(value(x, args)):
                        self._ctx.suppose(f"{text(x, uses)} != 0")
                case Unary("sqrt", x) if not self._is_positive(x, uses) and not is_nonnegative(self._ctx, value(x, args)):
                    self._ctx.suppose(f"{text(x, uses)} >= 0")
                case Unary("log", x) if not self._is_positive(x, uses) and not is_positive(self._ctx, value(x, args)):
                    self._ctx.suppose(f"{text(x, uses)} > 0")
                case _:
                    pass

    def of_stage(self, name: str) -> list[str]:
        """The needs of one stage that are not proved from the form of the program alone."""
        op = self._program.by_name[name].op
        if isinstance(op, ops.Contract) and op.must_visit and self._may_be_empty(op.uses, op.where):
            return [f"{name}: every entry visits something"]
        if not isinstance(op, ops.Map):
            return []
        uses = {arg: use.stage for arg, use in op.args}
        found = []
        for node in walk(op.scalar):
            match node:
                case Binary("div", _, b) if not self._is_positive(b, uses):
                    found.append(f"{text(b, uses)} != 0")
                case Power(x, e) if not self._is_positive(x, uses) and (e < 0 or e.denominator % 2 == 0):
                    sign = "!=" if e.denominator % 2 else ">" if e < 0 else ">="
                    found.append(f"{text(x, uses)} {sign} 0")
                case Unary("sqrt" | "log" as f, x) if not self._is_positive(x, uses):
                    found.append(f"{text(x, uses)} {'>=' if f == 'sqrt' else '>'} 0")
                case _:
                    pass
        return found

    def _nonzero(self, a: Expr) -> bool:
        if not a:
            return False
        if len(a) == 1:
            return sign(self._ctx, a[0].scaled(-1 if a[0].coef < 0 else 1)) == 2
        return is_positive(self._ctx, a) or is_positive(self._ctx, [t.scaled(-1) for t in a])

    # -- by form ------------------------------------------------------------------------------------------------------
    def stage_is_positive(self, name: str) -> bool:
        """Are all entries of the stage above 0 by the form of the program?"""
        if name not in self._positive:
            self._positive[name] = False
            self._positive[name] = self._stage(name)
        return self._positive[name]

    def _stage(self, name: str) -> bool:
        match self._program.by_name[name].op:
            case ops.Map(_, tree, args, where):
                return not where and self._is_positive(tree, {arg: use.stage for arg, use in args})
            case ops.Contract(_, uses, where, coef, _, must_visit):
                every = all(self._entries_are_positive(use.stage) for use in uses)
                return every and self._is_positive(coef, {}) and (must_visit or not self._may_be_empty(uses, where))
            case _:
                return False

    def _entries_are_positive(self, name: str) -> bool:
        """Above 0 where there are entries."""
        op = self._program.by_name[name].op
        if isinstance(op, ops.Map):
            return self._is_positive(op.scalar, {arg: use.stage for arg, use in op.args})
        return self.stage_is_positive(name)

    def _may_be_empty(self, uses: tuple[ops.Use, ...], where: tuple[ops.Relation, ...]) -> bool:
        relations = [*where]
        for use in uses:
            op = self._program.by_name[use.stage].op
            if isinstance(op, ops.Map) and op.where:
                # The absent entries of a Map are those its relations remove; here only the same relations, by name, are followed.
                names = dict(zip((a.name for a in op.out), (getattr(i, "name", "") for i in use.indices), strict=True))
                if any(names[a] != a for a in names):
                    return True
                relations += op.where
        # One order with the diagonal in it: j <= i + c with c >= 0 is met by j = i.
        return not all(isinstance(r, ops.AtMost) and isinstance(r.c, int) and r.c >= 0 and r.i.space == r.j.space for r in relations) or (
            len({frozenset((r.i.name, r.j.name)) for r in relations if isinstance(r, ops.AtMost)}) > 1
        )

    def _is_positive(self, tree: Scalar, uses: Mapping[str, str]) -> bool:
        match tree:
            case Num(value):
                return value > 0
            case Size():
                return True
            case Arg(name):
                return self._entries_are_positive(uses[name]) and self.stage_is_positive(uses[name])
            case Unary("exp", _):
                return True
            case Unary("sqrt", x) | Power(x, _):
                return self._is_positive(x, uses)
            case Binary("add" | "mul" | "div", a, b):
                return self._is_positive(a, uses) and self._is_positive(b, uses)
            case Binary("max2", a, b):
                return self._is_positive(a, uses) or self._is_positive(b, uses)
            case _:
                return False


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
