"""Programs whose scale is wrong: a division or a constant factor left out, inverted, done twice, or with another size.

Promises: each is a valid program with the same stage names. Does not promise: that it means anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from symattn.claims.rewrites import needed, with_op
from symattn.program import ops
from symattn.program.program import Program
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Size, Unary, walk

ONE = Num(Fraction(1), "1")


def is_constant(tree: Scalar) -> bool:
    """No argument in it?"""
    return not any(isinstance(node, Arg) for node in walk(tree))


def variants_of(tree: Scalar, rewrite: dict[Scalar, Scalar]) -> Scalar:
    """`tree` with whole subtrees replaced."""
    if tree in rewrite:
        return rewrite[tree]
    match tree:
        case Unary(op, x):
            return Unary(op, variants_of(x, rewrite))
        case Binary(op, a, b):
            return Binary(op, variants_of(a, rewrite), variants_of(b, rewrite))
        case Power(x, exponent):
            return Power(variants_of(x, rewrite), exponent)
        case _:
            return tree


def text_of(tree: Scalar) -> str:
    """A constant in symbols."""
    match tree:
        case Num(value, text):
            return text or str(value)
        case Size(name):
            return name
        case Unary("sqrt", x):
            return f"√{text_of(x)}" if isinstance(x, Num | Size) else f"√({text_of(x)})"
        case Unary("neg", x):
            return f"-{text_of(x)}"
        case Unary(op, x):
            return f"{op}({text_of(x)})"
        case Binary(op, a, b):
            sign = {"add": " + ", "sub": " - ", "mul": "·", "div": "/"}.get(op, f" {op} ")
            return f"{text_of(a)}{sign}{text_of(b)}"
        case Power(x, exponent):
            return f"{text_of(x)}^({exponent})"
        case Arg(name):
            return name


def _is_root(tree: Scalar) -> bool:
    return is_constant(tree) and (
        (isinstance(tree, Unary) and tree.op == "sqrt") or (isinstance(tree, Power) and abs(tree.exponent) == Fraction(1, 2))
    )


def _root_of(tree: Scalar) -> Scalar:
    assert isinstance(tree, Unary | Power)
    return tree.x if isinstance(tree, Unary) or tree.exponent > 0 else Power(tree.x, Fraction(-1))


def _scale_trees(tree: Scalar, sizes: tuple[str, ...]) -> Iterator[tuple[bool, str, Scalar]]:
    """(missing?, detail, tree) for each way to scale otherwise."""
    left_out: set[Scalar] = set()  # roots whose factor was left out as a whole
    for node in dict.fromkeys(walk(tree)):
        match node:
            case Binary("div", a, b) if is_constant(b) and not is_constant(a):
                left_out.add(b)
                yield True, f"/{text_of(b)} → /1", variants_of(tree, {node: a})
                yield False, f"/{text_of(b)} → ·{text_of(b)}", variants_of(tree, {node: Binary("mul", a, b)})
                if not _is_root(b):
                    yield False, f"/{text_of(b)} → /{text_of(b)}²", variants_of(tree, {node: Binary("div", node, b)})
                    yield False, f"/{text_of(b)} → /√{text_of(b)}", variants_of(tree, {node: Binary("div", a, Unary("sqrt", b))})
            case Binary("mul", a, b) if is_constant(a) != is_constant(b):
                factor, kept = (a, b) if is_constant(a) else (b, a)
                left_out.add(factor)
                yield True, f"·{text_of(factor)} → ·1", variants_of(tree, {node: kept})
                yield False, f"·{text_of(factor)} → /{text_of(factor)}", variants_of(tree, {node: Binary("div", kept, factor)})
            case _ if _is_root(node):
                inner = _root_of(node)
                if node not in left_out:
                    yield True, f"{text_of(node)} → 1", variants_of(tree, {node: ONE})
                yield False, f"{text_of(node)} → {text_of(inner)}", variants_of(tree, {node: inner})
                for size in sizes:
                    if isinstance(inner, Size) and inner.name != size:
                        other = variants_of(node, {inner: Size(size)})
                        yield False, f"{text_of(node)} → {text_of(other)}", variants_of(tree, {node: other})
            case _:
                pass


def scales(program: Program, target: str, sizes: Mapping[str, int]) -> Iterator[tuple[bool, str, Program]]:
    """(missing?, detail, program): a division or a constant factor left out, inverted, done twice; d instead of √d; another size."""
    names = tuple(sizes)
    for stage in needed(program, target):
        op = stage.op
        if isinstance(op, ops.Map):
            for missing, detail, tree in _scale_trees(op.scalar, names):
                changed = with_op(program, stage, replace(op, scalar=tree))
                if changed is not None:
                    yield missing, f"{stage.name}: {detail}", changed
        elif isinstance(op, ops.Contract) and op.coef != ops.ONE:
            text = text_of(op.coef)
            inverse = Binary("div", ONE, op.coef)
            options: list[tuple[bool, str, Scalar]] = [(True, f"·{text} → ·1", ONE), (False, f"·{text} → /{text}", inverse)]
            options += [(m, d, t) for m, d, t in _scale_trees(op.coef, names) if not m]
            for missing, detail, coef in options:
                changed = with_op(program, stage, replace(op, coef=coef))
                if changed is not None:
                    yield missing, f"{stage.name}: {detail}", changed
