"""Known inequalities of exp, log and max, and what a sum of nonnegative numbers that is 0 says of its parts.

Promises: each rule looks at the operations of the program and applies only where they have the stated form. Does not promise: other forms
of the same inequality; bring it into this one by an identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product as choices

from symattn.program import ops
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Unary
from symattn.program.spaces import Axis
from symattn.proof.canon import instantiated
from symattn.proof.certificate import Certificate, Statement, mint
from symattn.proof.evidence import StepRejected
from symattn.proof.forms import POSITIVE, Forms, arguments
from symattn.proof.functions import new_context
from symattn.proof.kernel import Budget, stated, vanishing
from symattn.proof.known import PROVED, Known, Signs, known_fact, order_of
from symattn.proof.lower import Lowering
from symattn.proof.parts import cone
from symattn.proof.reduce import settled, substitute_all
from symattn.proof.sign import sign
from symattn.proof.terms import Context, Expr, Term, minus, product
from symattn.proof.zero import vanishes


def tangent_line(program: Program, left: str, right: str) -> Certificate:
    """exp(u) >= 1 + u, or log(u) <= u - 1, the one inequality between exp and its tangent: `left` is the function of a stage u, `right`
    the line through it, as one Map each. Raises StepRejected for any other form."""
    stated(program, left, right)
    a, b = program.by_name[left].op, program.by_name[right].op
    if isinstance(a, ops.Map) and isinstance(b, ops.Map) and a.out == b.out and not a.where and not b.where:
        uses, others = dict(a.args), dict(b.args)
        match a.scalar, b.scalar:
            case Unary("exp", Arg(u)), Binary("add", Num(one), Arg(v)) | Binary("add", Arg(v), Num(one)) if one == 1:
                if uses[u] == others[v]:
                    return known_fact(program, left, right, ">=", (), "tangent line")
            case Unary("log", Arg(u)), Binary("sub", Arg(v), Num(one)) if one == 1 and uses[u] == others[v]:
                positive = Forms(program).stage(uses[u].stage) == POSITIVE
                return known_fact(program, left, right, "<=", () if positive else (f"{uses[u].stage} > 0",), "tangent line")
            case _:
                pass
    raise StepRejected(f'"{left}" and "{right}" are not exp(u) and 1 + u, nor log(u) and u - 1')


def below_maximum(program: Program, left: str, right: str) -> Certificate:
    """x <= max x: the right side has a maximum as one of its terms, with a positive coefficient; with one of the values that are compared
    in its place it is equal to the left side, by the zero test. Raises StepRejected where no value does it."""
    stated(program, left, right)
    ctx = new_context(Budget().terms, Budget().seconds)
    lowering = Lowering(ctx, program)
    for places in lowering.cases(program.by_name[left].out):
        if not _below(ctx, lowering.stage(left, places), lowering.stage(right, places)):
            raise StepRejected(f'"{right}" is not seen to be a maximum of values of which "{left}" is one')
    return known_fact(program, left, right, "<=", tuple(ctx.hypotheses), "maximum")


def _below(ctx: Context, left: Expr, right: Expr) -> bool:
    """Is `left` seen to be at most `right`, because it is `right` with a maximum (times what is positive) replaced by one of its values?"""
    right = settled(ctx, right)
    for t in right:
        for (label, idx), e in t.facs.items():
            others = {f: x for f, x in t.facs.items() if f != (label, idx)}
            outside = Term(t.coef, t.mono, t.bound, others, t.rels)
            if ctx.labels[label].kind != "max" or e != 1 or t.bound or sign(ctx, outside) < 1:
                continue
            rest = [x for x in right if x is not t]
            for value in _compared(ctx, label, idx, left):
                if vanishes(ctx, left + minus(rest) + minus(product(ctx, [outside], value))):
                    return True
    return False


def _compared(ctx: Context, label: int, idx: tuple[int, ...], left: Expr) -> Iterator[Expr]:
    """The values that a maximum compares, its own indices at those of `left` wherever all its relations hold there."""
    outer = sorted({i for t in left for i in t.indices() if i not in t.bound} | set(idx))
    for branch in instantiated(ctx, label, idx):
        if branch.coef != 1:
            continue
        bound = sorted(branch.bound)
        for places in choices(*([i for i in outer if ctx.space_of(i) == ctx.space_of(b)] for b in bound)):
            ctx.tick()
            found = substitute_all(ctx, [Term(1, facs=branch.facs, rels=branch.rels)], dict(zip(bound, places, strict=True)))
            if len(found) == 1 and not found[0].rels and found[0].coef == 1:
                yield [x for factor in found[0].facs for x in instantiated(ctx, *factor)]


def maximum_counts(
    program: Program, left: str, right: str, *, given: Sequence[Certificate] = (), suppose: Signs | None = None
) -> Certificate:
    """f(max x) <= sum of f(x), for f at least 0: `left` is one Map of a maximum over x, `right` sums the same Map of x over the axes of
    the maximum. Raises StepRejected for any other form, or where f is not seen to be nonnegative."""
    stated(program, left, right)
    refused = StepRejected(f'"{left}" is not one function of a maximum and "{right}" the sum of that function')
    one, total = program.by_name[left].op, program.by_name[right].op
    if not (isinstance(one, ops.Map) and isinstance(total, ops.Contract) and len(one.args) == 1 and len(total.uses) == 1):
        raise refused
    each, top = program.by_name[total.uses[0].stage].op, program.by_name[one.args[0][1].stage].op
    if not (isinstance(each, ops.Map) and isinstance(top, ops.Reduce) and len(each.args) == 1 and _is_one(total)):
        raise refused
    source, (_, inner), (_, outer) = program.by_name[top.use.stage].op, each.args[0], one.args[0]
    plain = not (one.where or each.where or total.where or top.where or total.over or top.empty is not None)
    plain = plain and not (isinstance(source, ops.Map) and source.where)
    # Entry by entry the same function of the same stage, over the same of its axes.
    same = _alike(one.scalar, each.scalar) and inner.stage == top.use.stage and inner.indices == each.out and outer.indices == one.out
    same = same and _axes_kept(total.out, total.uses[0].indices) == _axes_kept(top.out, top.use.indices) is not None
    known = Known(program, given, suppose or {})
    if not plain or not same:
        raise refused
    if not known.forms.stage(total.uses[0].stage):
        raise StepRejected(f'"{total.uses[0].stage}" is not seen to be nonnegative')
    return known_fact(program, left, right, "<=", known.hypotheses(cone(program, [left, right])), "maximum", tuple(suppose or ()))


def _axes_kept(out: tuple[Axis, ...], indices: tuple[ops.Index, ...]) -> tuple[int, ...] | None:
    """Which axes of the stage that is read stand where in the result, -1 for none; None unless the indices are different axes."""
    if not all(isinstance(i, Axis) for i in indices) or len(set(indices)) < len(indices):
        return None
    return tuple(indices.index(axis) if axis in indices else -1 for axis in out)


def _alike(a: Scalar, b: Scalar) -> bool:
    """One tree of one argument, whatever its name."""
    names = [arguments(a), arguments(b)]
    if any(len(n) != 1 for n in names):
        return False
    return _with_name(a) == _with_name(b)


def _with_name(tree: Scalar) -> Scalar:
    match tree:
        case Arg():
            return Arg("x")
        case Unary(op, x):
            return Unary(op, _with_name(x))
        case Binary(op, a, b):
            return Binary(op, _with_name(a), _with_name(b))
        case Power(x, e):
            return Power(_with_name(x), e)
        case _:
            return tree


def _is_one(op: ops.Contract) -> bool:
    return isinstance(op.coef, Num) and op.coef.value == 1


def each_is_zero(
    certificate: Certificate, program: Program, part: str, zero: str, *, given: Sequence[Certificate] = (), suppose: Signs | None = None
) -> Certificate:
    """From "the sum of `part` == 0" to `part == zero`: the left side of the certificate sums `part` alone, with a positive coefficient,
    its right side and `zero` vanish identically, and `part` is seen to be nonnegative. Raises StepRejected otherwise."""
    if order_of(certificate, program) != "==":
        raise StepRejected(f'"{certificate.statement.text()}" is no equality')
    known = Known(program, given, suppose or {})
    total = program.by_name[certificate.statement.left].op
    summed = isinstance(total, ops.Contract) and [u.stage for u in total.uses] == [part] and not total.where
    if not (isinstance(total, ops.Contract) and summed and known.forms.tree(total.coef, {}) == POSITIVE):
        raise StepRejected(f'"{certificate.statement.left}" is not the sum of "{part}"')
    if _axes_kept(total.out, total.uses[0].indices) is None:
        raise StepRejected(f'"{certificate.statement.left}" sums only a part of "{part}"')
    if not vanishing(program, certificate.statement.right) or not vanishing(program, zero):
        raise StepRejected("the right side is not 0")
    if not known.forms.stage(part):
        raise StepRejected(f'"{part}" is not seen to be nonnegative')
    stated(program, part, zero)
    hypotheses = dict.fromkeys([*certificate.hypotheses, *known.hypotheses(cone(program, [part]))])
    return mint(Statement(program, part, zero), PROVED, tuple(hypotheses), (certificate, *given), (), "sum of nonnegatives")


def factor_is_zero(
    certificate: Certificate, program: Program, factor: str, zero: str, *, given: Sequence[Certificate] = (), suppose: Signs | None = None
) -> Certificate:
    """From a product that is 0 to its factor: the left side of the certificate is, entry by entry, `factor` or a power of it times what is
    positive. Raises StepRejected where the other factors are not seen to be positive."""
    if order_of(certificate, program) != "==" or not vanishing(program, certificate.statement.right) or not vanishing(program, zero):
        raise StepRejected(f'"{certificate.statement.text()}" does not say that a product is 0')
    known = Known(program, given, suppose or {})
    product = program.by_name[certificate.statement.left]
    stated(program, factor, zero)
    stated(program, product.name, factor)
    if not _positive_but(product, factor, known.forms):
        raise StepRejected(f'"{product.name}" is not "{factor}" times what is seen to be positive')
    hypotheses = dict.fromkeys([*certificate.hypotheses, *known.hypotheses(cone(program, [product.name]))])
    return mint(Statement(program, factor, zero), PROVED, tuple(hypotheses), (certificate, *given), (), "factor of a product")


def _positive_but(product: Stage, factor: str, forms: Forms) -> bool:
    op = product.op
    if isinstance(op, ops.Map) and not op.where:
        uses = {n: u.stage for n, u in op.args}
        own = {n for n, u in op.args if u == ops.Use(factor, product.out)}
        return bool(own & arguments(op.scalar)) and _only(op.scalar, own, uses, forms)
    if isinstance(op, ops.Contract) and not op.where and not op.over:
        mentioned = {i for u in op.uses for i in u.indices}
        own_uses = [u for u in op.uses if u == ops.Use(factor, product.out)]
        others = [u for u in op.uses if u not in own_uses]
        whole = mentioned <= set(op.out) and bool(own_uses) and forms.tree(op.coef, {}) == POSITIVE
        return whole and all(forms.stage(u.stage) == POSITIVE for u in others)
    return False


def _only(tree: Scalar, own: set[str], uses: Mapping[str, str], forms: Forms) -> bool:
    """Is the tree 0 only where the argument is?"""
    if not own & arguments(tree):
        return forms.tree(tree, uses) == POSITIVE
    match tree:
        case Arg():
            return True
        case Power(x, e):
            return e > 0 and _only(x, own, uses, forms)
        case Unary("neg" | "sqrt" | "tanh", x):
            return _only(x, own, uses, forms)
        case Binary("mul", a, b):
            return _only(a, own, uses, forms) and _only(b, own, uses, forms)
        case Binary("div", a, b):
            return _only(a, own, uses, forms) and not own & arguments(b)
        case _:
            return False
