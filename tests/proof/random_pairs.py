"""Random pairs of expressions: equal by construction, or changed somewhere.

An expression is a tuple (kind, shape, parts). A rewrite turns it into an equal one (wherever both have values); a mutation changes one
node. Shapes: "" a number, "n", "m" vectors, "nm", "mn", "nn" matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from symattn.language.builder import AxisDecl, Builder
from symattn.program.program import Program

Expr = tuple[Any, ...]
LEAVES = {"": ("a", "b"), "n": ("x", "y"), "m": ("u", "w"), "nm": ("S", "R"), "mn": ("T",), "nn": ("A",), "mm": ("C",)}
TURNED = {"nm": "mn", "mn": "nm", "nn": "nn", "mm": "mm"}
NUMBERS = ("1", "2", "3", "0.5")
SWAPS = {"exp": "tanh", "tanh": "exp", "sum": "mean", "mean": "sum", "sin": "cos", "log": "sqrt"}


def leaf(shape: str, name: str) -> Expr:
    return ("leaf", shape, name)


def number(text: str) -> Expr:
    return ("leaf", "", text)


def op(kind: str, shape: str, *parts: Any) -> Expr:
    return (kind, shape, *parts)


def text(e: Expr) -> str:
    kind, _, *p = e
    match kind:
        case "leaf":
            return str(p[0])
        case "+" | "-" | "*" | "/" | "@":
            return f"({text(p[0])} {kind} {text(p[1])})"
        case "neg":
            return f"(-{text(p[0])})"
        case "T":
            return f"({text(p[0])}).T"
        case "pow":
            return f"({text(p[0])})**{p[1]}"
        case _:
            return f"{kind}({', '.join(text(x) for x in p)})"


class Maker:
    """Random expressions from one source of chance."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def any(self, shape: str, depth: int) -> Expr:
        rng = self.rng
        if depth <= 0:
            return self.leaf(shape)
        kind = rng.choice(self._kinds(shape))
        match kind:
            case "+" | "-" | "*":
                return op(kind, shape, self.any(shape, depth - 1), self.any(shape, depth - 1))
            case "scale":
                return op("*", shape, self.any("", depth - 1), self.any(shape, depth - 1))
            case "/":
                return op("/", shape, self.any(shape, depth - 1), self.positive(rng.choice(("", shape)), depth - 1))
            case "exp" | "tanh" | "sigmoid" | "neg" | "softmax" | "sin":
                return op(kind, shape, self.any(shape, depth - 1))
            case "sqrt" | "log":
                return op(kind, shape, self.positive(shape, depth - 1))
            case "pow":
                return op("pow", shape, self.any(shape, depth - 1), rng.choice((2, 2, 3)))
            case "max2":
                return op("max", shape, self.any(shape, depth - 1), self.any(shape, depth - 1))
            case "dot":
                s = rng.choice("nm")
                return op("dot", "", self.any(s, depth - 1), self.any(s, depth - 1))
            case "sum" | "mean" | "max":
                return op(kind, shape, self.any(shape + rng.choice(self._longer(shape)), depth - 1))
            case "@":
                s = rng.choice([s for s in TURNED if s[0] == shape[0]])
                return op("@", shape, self.any(s, depth - 1), self.any(s[1] + shape[1:], depth - 1))
            case "outer":
                return op("outer", shape, self.any(shape[0], depth - 1), self.any(shape[1], depth - 1))
            case "T":
                return op("T", shape, self.any(TURNED[shape], depth - 1))
            case _:
                return op("diag", shape, self.any("n", depth - 1))

    def positive(self, shape: str, depth: int) -> Expr:
        kind = self.rng.choice(("exp", "softmax", "square", "sum") if shape else ("exp", "square", "number"))
        if depth <= 0 or kind == "exp":
            return op("exp", shape, self.any(shape, depth - 1))
        if kind == "softmax":
            return op("softmax", shape, self.any(shape, depth - 1))
        if kind == "number":
            return number(self.rng.choice(NUMBERS))
        if kind == "square":
            return op("+", shape, op("pow", shape, self.any(shape, depth - 1), 2), number("1"))
        return op("+", shape, self.positive(shape, depth - 1), self.positive(shape, depth - 1))

    def leaf(self, shape: str) -> Expr:
        if not shape and self.rng.random() < 0.4:
            return number(self.rng.choice((*NUMBERS, "n")))
        return leaf(shape, self.rng.choice(LEAVES[shape]))

    def _kinds(self, shape: str) -> tuple[str, ...]:
        every = ("+", "-", "*", "*", "/", "exp", "tanh", "neg", "sqrt", "log", "pow", "sin")
        if not shape:
            return (*every, "dot", "dot", "sum", "sum", "mean", "max", "max2")
        own = (*every, "scale", "scale", "softmax", "softmax", "sigmoid")
        if len(shape) == 1:
            return (*own, "@", "@", "sum", "sum", "max2")
        return (*own, "@", "outer", "T", *(("diag",) if shape == "nn" else ()))

    @staticmethod
    def _longer(shape: str) -> tuple[str, ...]:
        return {"": ("n", "m"), "n": ("m", "n"), "m": ("n",)}[shape]

    # -- equal expressions --------------------------------------------------------------------------------------------
    def rewritten(self, e: Expr) -> Expr:
        """The expression with a rewrite at some node; itself when none fits there."""
        places = list(nodes(e))
        self.rng.shuffle(places)
        for path, node in places[:12]:
            options = list(self._rewrites(node))
            if options:
                return replaced(e, path, self.rng.choice(options))
        return e

    def _rewrites(self, e: Expr) -> Iterator[Expr]:
        kind, s, *p = e
        small = self.any(s, 1)
        pos = self.positive("", 1)
        if kind != "leaf" or p[0] not in (*NUMBERS, "n"):
            yield op("-", s, op("+", s, e, small), small)
            yield op("/", s, op("*", s, pos, e), pos)
            yield op("-", s, op("*", s, number("2"), e), e)
            angle = self.any("", 1)
            yield op("*", s, e, op("+", "", op("pow", "", op("sin", "", angle), 2), op("pow", "", op("cos", "", angle), 2)))
        match kind:
            case "+" | "*":
                yield op(kind, s, p[1], p[0])
                if kind == "*" and p[1][0] in "+-" and p[1][1] == s:
                    yield op(p[1][0], s, op("*", s, p[0], p[1][2]), op("*", s, p[0], p[1][3]))
            case "/":
                yield op("*", s, p[0], op("/", p[1][1], number("1"), p[1]))
                if p[0][0] in "+-" and p[0][1] == s:
                    yield op(p[0][0], s, op("/", s, p[0][2], p[1]), op("/", s, p[0][3], p[1]))
            case "exp":
                if p[0][0] in "+-":
                    yield op("*" if p[0][0] == "+" else "/", s, op("exp", p[0][2][1], p[0][2]), op("exp", p[0][3][1], p[0][3]))
                yield op("/", s, number("1"), op("exp", s, op("neg", s, p[0])))
                yield op("pow", s, op("exp", s, op("/", s, p[0], number("2"))), 2)
                if p[0][0] == "log":
                    yield p[0][2]
            case "log":
                if p[0][0] in ("exp", "softmax") and p[0][0] == "exp":
                    yield p[0][2]
                yield op("-", s, op("log", s, op("*", s, op("exp", "", leaf("", "a")), p[0])), leaf("", "a"))
                yield op("*", s, number("2"), op("log", s, op("sqrt", s, p[0])))
            case "sqrt":
                yield op("exp", s, op("/", s, op("log", s, p[0]), number("2")))
                yield op("/", s, p[0], op("sqrt", s, p[0]))
            case "tanh":
                e2 = op("exp", s, op("*", s, number("2"), p[0]))
                yield op("/", s, op("-", s, e2, number("1")), op("+", s, e2, number("1")))
                yield op("-", s, number("1"), op("/", s, number("2"), op("+", s, e2, number("1"))))
                yield op("neg", s, op("tanh", s, op("neg", s, p[0])))
            case "sigmoid":
                yield op("-", s, number("1"), op("sigmoid", s, op("neg", s, p[0])))
                yield op("/", s, op("+", s, number("1"), op("tanh", s, op("/", s, p[0], number("2")))), number("2"))
            case "sin":
                half = op("/", s, p[0], number("2"))
                yield op("*", s, number("2"), op("*", s, op("sin", s, half), op("cos", s, half)))
            case "pow":
                yield op("*", s, p[0], p[0] if p[1] == 2 else op("pow", s, p[0], 2))
                if p[0][0] in "+-":
                    a, b = p[0][2], p[0][3]
                    if p[1] == 2 and a[1] == b[1] == s:
                        mid = op("*", s, number("2"), op("*", s, a, b))
                        yield op("+", s, op(p[0][0], s, op("pow", s, a, 2), mid), op("pow", s, b, 2))
            case "neg":
                yield op("*", s, number("-1"), p[0])
            case "softmax":
                if len(s) == 1:
                    e1 = op("exp", s, p[0])
                    yield op("/", s, e1, op("sum", "", e1))
                    yield op("softmax", s, op("-", s, p[0], op("max", "", p[0])))
                yield op("softmax", s, op("+", s, p[0], self.any("", 1)))
                if len(s) == 2:
                    wide = leaf(s[1], LEAVES[s[1]][0])
                    ones = op("+", s[1], op("-", s[1], wide, wide), number("1"))
                    yield op("softmax", s, op("+", s, p[0], op("outer", s, self.any(s[0], 1), ones)))
            case "sum":
                inner = p[0]
                if inner[0] in "+-" and inner[2][1] == inner[3][1] == inner[1]:
                    yield op(inner[0], s, op("sum", s, inner[2]), op("sum", s, inner[3]))
                if inner[0] == "*" and inner[2][1] == "":
                    yield op("*", s, inner[2], op("sum", s, inner[3]))
                if inner[0] == "outer":
                    yield op("*", s, op("sum", "", inner[3]), inner[2])
                if s == "" and len(inner[1]) == 1:
                    ones = op("+", inner[1], op("-", inner[1], inner, inner), number("1"))
                    yield op("dot", "", inner, ones)
            case "mean":
                if p[0][1][-1] == "n":
                    yield op("/", s, op("sum", s, p[0]), leaf("", "n"))
            case "max":
                if len(p) == 2:
                    yield op("max", s, p[1], p[0])
                    yield op("+", s, p[0], op("max", s, op("-", s, p[1], p[0]), number("0")))
                else:
                    yield op("-", s, op("max", s, op("+", p[0][1], p[0], leaf("", "b"))), leaf("", "b"))
            case "dot":
                yield op("dot", s, p[1], p[0])
                if p[0][1] == p[1][1]:
                    yield op("sum", "", op("*", p[0][1], p[0], p[1]))
                if p[0][0] == "@" and len(p[0][2][1]) == 2 and p[0][2][1] in TURNED:
                    m = p[0][2]
                    yield op("dot", "", p[0][3], op("@", m[1][1], op("T", TURNED[m[1]], m), p[1]))
            case "@":
                if p[0][0] in "+-" and p[0][2][1] == p[0][3][1] == p[0][1]:
                    yield op(p[0][0], s, op("@", s, p[0][2], p[1]), op("@", s, p[0][3], p[1]))
                if p[0][0] == "@" and len(p[0][3][1]) == 2 and p[0][3][1] in TURNED:
                    yield op("@", s, p[0][2], op("@", p[0][3][1][0] + s[1:], p[0][3], p[1]))
                if p[0][0] == "outer" and len(s) == 1:
                    yield op("*", s, op("dot", "", p[0][3], p[1]), p[0][2])
                if p[0][0] == "diag" and len(s) == 1:
                    yield op("*", s, p[0][2], p[1])
            case "outer":
                if s in TURNED:
                    yield op("T", s, op("outer", TURNED[s], p[1], p[0]))
            case "T":
                if p[0][0] == "T":
                    yield p[0][2]
                if p[0][0] in ("exp", "tanh", "neg"):
                    yield op(p[0][0], s, op("T", s, p[0][2]))
            case _:
                pass

    # -- changed expressions ------------------------------------------------------------------------------------------
    def mutated(self, e: Expr) -> Expr:
        """The expression with one node changed; it may still be equal."""
        places = list(nodes(e))
        path, node = self.rng.choice(places)
        kind, s, *p = node
        options: list[Expr] = [self.leaf(s), op("*", s, number("2"), node), op("+", s, node, self.leaf(s)), op("neg", s, node)]
        swaps = dict(zip("+-*/", "-++*", strict=True)) | SWAPS
        if kind in swaps:
            options += [op(swaps[kind], s, *p)] * 3
        if kind == "pow":
            options.append(op("pow", s, p[0], 5 - p[1]))
        if kind in ("-", "/") and p[0][1] == p[1][1]:
            options.append(op(kind, s, p[1], p[0]))
        if kind in ("*", "+") and p[1][1] == s:
            options.append(p[1])
        if s == "nn":
            options.append(op("T", s, node))
        if kind == "softmax":
            options.append(op("softmax", s, op("*", s, number("2"), p[0])))
        return replaced(e, path, self.rng.choice(options))


def nodes(e: Expr, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Expr]]:
    yield path, e
    if e[0] != "leaf":
        for k, part in enumerate(e[2:], 2):
            if isinstance(part, tuple):
                yield from nodes(part, (*path, k))


def replaced(e: Expr, path: tuple[int, ...], new: Expr) -> Expr:
    if not path:
        return new
    k, *rest = path
    return (*e[:k], replaced(e[k], tuple(rest), new), *e[k + 1 :])


def pair(seed: int, *, equal: bool) -> tuple[str, str]:
    """Left and right side as texts."""
    rng = Random(seed)
    make = Maker(rng)
    shape = rng.choice(("", "", "n", "n", "nm", "nn"))
    left = make.any(shape, rng.choice((2, 3, 3)))
    right = left
    for _ in range(rng.randint(1, 4)):
        right = make.rewritten(right)
    if not equal:
        right = make.mutated(right)
    return text(left), text(right)


def program(left: str, right: str) -> Program:
    """Both expressions as stages, broadcast to the same axes."""
    b = Builder()
    for shape, names in LEAVES.items():
        for name in names:
            b.give(name, [AxisDecl(s, s) for s in shape])
    b.define("left", left)
    b.define("right", right)
    return b.program()
