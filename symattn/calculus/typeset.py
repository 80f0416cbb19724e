"""Text of the language as formulas: in matrix form, as it is written, or in index form, entry by entry.

Promises: the formula has the structure of the text, nothing is reordered or simplified; parentheses wherever precedence needs them.
Does not promise: that matrix form is natural for every text (a vector laid along a matrix is written with a vector of ones).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from symattn.calculus.derivation import Derivation
from symattn.calculus.reading import parse
from symattn.calculus.scopes import relation_of
from symattn.calculus.setting import Setting
from symattn.calculus.symbols import indexed, symbol
from symattn.language.ast import Array, At, Call, Every, Index, Label, Name, Node, Number, Operation, Sign, Text, Transpose, children
from symattn.language.constants import rational
from symattn.page import math as m
from symattn.program.spaces import Axis

SUM, HADAMARD, PRODUCT, SIGNED, POWER, ATOM = range(1, 7)
RELATIONS = {"==": "=", "<=": "≤", ">=": "≥", "<": "<", ">": ">", "!=": "≠", "->": "→"}
ONE = m.Name("𝟏", upright=True)
TRANSPOSED = m.Sign("⊤")
_LETTERS = {"n": "ijkl", "m": "jkl", "d_k": "cf", "d": "ba", "d_v": "ec", "token": "ijkl", "key": "jkl", "model": "ba"}
_SPARE = "ijklrstuabcefhpqw"
_INDEXED = ("entries", "sum_over", "max_over")
Shown = tuple[m.Math, int]


class Typesetter:
    """Formulas of one setting."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def axes(self, node: Node) -> tuple[Axis, ...]:
        """The axes of an expression."""
        return self.setting.shape(node)

    def matrix(self, node: Node) -> m.Math:
        """The expression in matrix form."""
        return _Matrix(self).go(node)[0]

    def entry(self, node: Node, letters: Sequence[str] = ()) -> m.Math:
        """One entry of the expression, its indices called by `letters` (chosen by the axes when there are none)."""
        free = list(letters) or self.letters(node)
        return Entries(self, free).go(node, tuple(m.Name(x) for x in free))[0]

    def natural(self, node: Node) -> bool:
        """Does matrix form say it well? A quotient by a vector or a matrix has no good form there."""
        for part in _outside_indices(node):
            if isinstance(part, Operation) and part.op == "/" and self.axes(part.b):
                return False
            if isinstance(part, Call) and part.function in _INDEXED:
                return False
        return all(len(self.axes(part)) <= 2 for part in _outside_indices(node))

    def letters(self, node: Node) -> list[str]:
        """An index letter for each axis."""
        found: list[str] = []
        for axis in self.axes(node):
            found.append(self.letter(axis, found))
        return found

    def along(self, own: Axis, axes: Sequence[Axis]) -> int:
        """Where along `axes` a vector with the axis `own` runs: the axis it came from, else the first with its index set."""
        if own in axes:
            return list(axes).index(own)
        return next((k for k, axis in enumerate(axes) if self.setting.same(axis, own)), 0)

    def letter(self, axis: Axis, taken: Sequence[str]) -> str:
        """A letter for an index along an axis, none of those taken."""
        name = self.setting.space(axis).name
        names = set(self.setting.names())
        usual = _LETTERS.get(name, "") + _SPARE
        return next((x for x in usual if x not in taken and x not in names), "ι")


def aligned_rows(derivation: Derivation, notation: str) -> list[tuple[m.Math, str, m.Math]]:
    """Left side, relation and right side of each step; the left side is empty where it is the one above."""
    show = Typesetter(derivation.setting)
    rows: list[tuple[m.Math, str, m.Math]] = []
    above = ""
    for step in derivation.steps:
        before, after = parse(step.before), parse(step.after)
        letters = show.letters(before if show.axes(before) else after)
        sides = [show.matrix(x) if notation == "matrix" else show.entry(x, letters if show.axes(x) else ()) for x in (before, after)]
        rows.append((m.EMPTY if step.before == above else sides[0], RELATIONS[relation_of(step.sign)], sides[1]))
        above = step.after
    return rows


def _outside_indices(node: Node) -> Iterator[Node]:
    """Every part that has a shape of its own: what stands inside of index notation has none."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        if not (isinstance(current, Call) and current.function in _INDEXED):
            waiting.extend(reversed(children(current)))


def fenced(shown: Shown, level: int) -> m.Math:
    """The formula, in parentheses where it binds less tightly."""
    return m.Fence(shown[0]) if shown[1] < level else shown[0]


def joined_row(*items: m.Math) -> m.Math:
    """Things side by side, rows opened."""
    parts: list[m.Math] = []
    for item in items:
        parts.extend(item.items if isinstance(item, m.Row) else (item,))
    return m.Row(tuple(parts))


def _constant(node: Number) -> Shown:
    text = node.text
    return m.Number(text), ATOM


def _negative(body: m.Math) -> m.Math:
    return m.Fence(body) if isinstance(body, m.Number) and body.text.startswith("-") else body


class _Common:
    """What both forms share; `inner` shows an operand."""

    def __init__(self, base: Typesetter) -> None:
        self.base = base

    def quotient(self, a: Shown, b: Shown) -> Shown:
        return m.Fraction(a[0], b[0]), ATOM

    def signed(self, op: str, x: Shown) -> Shown:
        if op == "+":
            return x
        return m.Row((m.Sign("-"), _negative(fenced(x, PRODUCT)))), SIGNED if x[1] > PRODUCT else SUM

    def added(self, op: str, a: Shown, b: Shown) -> Shown:
        left = fenced(a, SUM)
        right = fenced(b, SUM if op == "+" else HADAMARD)
        if b[1] == SIGNED or (isinstance(b[0], m.Row) and b[0].items[:1] == (m.Sign("-"),)):
            right = m.Fence(b[0])
        return joined_row(left, m.Sign(op), right), SUM

    def power(self, x: Shown, exponent: m.Math) -> Shown:
        return m.Script(fenced(x, ATOM), m.EMPTY, exponent), POWER

    def called(self, name: str, args: Sequence[m.Math]) -> Shown:
        items: list[m.Math] = []
        for arg in args:
            items += [m.Sign(","), m.Sign(" "), arg] if items else [arg]
        return m.Row((m.Name(name, upright=True), m.Fence(m.Row(tuple(items))))), ATOM


def _exponent(node: Operation) -> m.Math | None:
    value = rational(node.b)
    if value is None:
        return None
    if value.denominator == 1:
        return m.Number(str(value.numerator))
    return m.Row((m.Number(str(value.numerator)), m.Sign("/"), m.Number(str(value.denominator))))


def _is_root(node: Operation) -> bool:
    value = rational(node.b)
    return value is not None and (value.numerator, value.denominator) == (1, 2)


class _Matrix(_Common):
    """Matrix form."""

    def rank(self, node: Node) -> int:
        return len(self.base.axes(node))

    def go(self, node: Node) -> Shown:
        match node:
            case Number():
                return _constant(node)
            case Name(name):
                return symbol(name), ATOM
            case Sign(op, x):
                return self.signed(op, self.go(x))
            case Operation("+" | "-" as op, a, b):
                return self.added(op, self.laid(a, node), self.laid(b, node))
            case Operation("*", a, b):
                return self.product(node, a, b)
            case Operation("/", a, b):
                return self.over(node, a, b)
            case Operation("@", a, b):
                return self.contracted(a, b)
            case Operation(_, x, _):
                if _is_root(node):
                    return m.Root(self.go(x)[0]), ATOM
                exponent = _exponent(node)
                above = m.EMPTY if exponent is None else exponent
                return self.power(self.go(x), above if not self.rank(x) else joined_row(m.Sign("⊙"), above))
            case Transpose(x):
                return self.transposed(self.go(x))
            case Index(x, items):
                return m.Script(fenced(self.go(x), ATOM), _items(items)), ATOM
            case Array(items):
                return self.array(items), ATOM
            case Call():
                return self.call(node)

    def laid(self, part: Node, whole: Node) -> Shown:
        """An operand; a vector beside a matrix is laid along it with a vector of ones."""
        if self.rank(part) == 1 and self.rank(whole) == 2:
            own, axes = self.base.axes(part)[0], self.base.axes(whole)
            rows = self.base.along(own, axes) == 0
            shown = fenced(self.go(part), PRODUCT)
            ones = m.Script(ONE, m.EMPTY, TRANSPOSED)
            if rows:
                return joined_row(shown, m.Sign(" "), ones), PRODUCT
            return joined_row(ONE, m.Sign(" "), m.Script(fenced(self.go(part), ATOM), m.EMPTY, TRANSPOSED)), PRODUCT
        return self.go(part)

    def product(self, node: Operation, a: Node, b: Node) -> Shown:
        ra, rb = self.rank(a), self.rank(b)
        left, right = self.laid(a, node), self.laid(b, node)
        if ra and rb:
            return joined_row(_factor(left), m.Sign("⊙"), _factor(right)), HADAMARD
        x, y = fenced(left, PRODUCT), _negative(fenced(right, SIGNED))
        between = m.Sign("·") if isinstance(a, Number) and isinstance(b, Number) else m.Sign(" ")
        return joined_row(_negative(x), between, y), PRODUCT

    def over(self, node: Operation, a: Node, b: Node) -> Shown:
        if self.rank(b) == 0 and self.rank(a) > 0:
            return joined_row(m.Fraction(m.Number("1"), self.go(b)[0]), m.Sign(" "), fenced(self.go(a), PRODUCT)), PRODUCT
        return self.quotient(self.laid(a, node), self.laid(b, node))

    def contracted(self, a: Node, b: Node) -> Shown:
        left = fenced(self.go(a), PRODUCT)
        if self.rank(a) == 1:
            # x @ A @ y is written xᵀ A y: the row vector x @ A is already lying down
            lying = isinstance(a, Operation) and a.op == "@" and self.rank(a.a) == 1
            left = left if lying else m.Script(fenced(self.go(a), ATOM), m.EMPTY, TRANSPOSED)
        return joined_row(left, m.Sign(" "), fenced(self.go(b), SIGNED)), PRODUCT

    def transposed(self, x: Shown) -> Shown:
        return m.Script(fenced(x, ATOM), m.EMPTY, TRANSPOSED), POWER

    def array(self, items: tuple[Node, ...]) -> m.Math:
        rows = [x.items if isinstance(x, Array) else (x,) for x in items]
        return m.Grid(tuple(tuple(self.go(cell)[0] for cell in row) for row in rows))

    def call(self, node: Call) -> Shown:
        name, args = node.function, node.args
        match name, args:
            case "sum", (x,):
                return self.summed(node, x)
            case "exp", (x,) if self.rank(x) == 0:
                return m.Script(m.Name("e"), m.EMPTY, self.go(x)[0]), POWER
            case "sqrt", (x,):
                return m.Root(self.go(x)[0]), ATOM
            case "transpose", (x,):
                return self.transposed(self.go(x))
            case "entries", (x, *conditions):
                # the array of these entries
                env = {k.name: m.Name(k.name, upright=len(k.name) > 1) for k in node.keywords}
                inside = Indexed(self.base, env, list(env))
                return m.Script(m.Fence(inside.selected(inside.go(x), conditions)[0]), _listed(tuple(env.values()))), ATOM
            case (("sum_over" | "max_over"), _):
                return Indexed(self.base, {}, []).go(node)
            case "outer", (x, y):
                return joined_row(fenced(self.go(x), SIGNED), m.Sign(" "), self.transposed(self.go(y))[0]), PRODUCT
            case "dot", (x, y):
                return self.contracted(x, y)
            case (("derivative" | "partial"), (f, x, v)):
                return derivative(self.go(f), x, self.go(v)[0])
            case _:
                return self.called(name, [*(self.go(a)[0] for a in args), *_keywords(node, self.go)])

    def summed(self, node: Call, x: Node) -> Shown:
        if isinstance(x, Call) and x.function == "sum" and not x.keywords and not node.keywords:
            inner = x.args[0]
            if isinstance(inner, Operation) and inner.op == "*" and self.rank(inner.a) == 2 == self.rank(inner.b):
                pair = m.Row((self.go(inner.a)[0], m.Sign(","), m.Sign(" "), self.go(inner.b)[0]))
                return m.Fence(pair, "⟨⟩"), ATOM
            return joined_row(m.Script(ONE, m.EMPTY, TRANSPOSED), fenced(self.go(inner), SIGNED), ONE), PRODUCT
        if self.rank(x) == 1:
            if isinstance(x, Operation) and x.op == "*" and self.rank(x.a) == 1 == self.rank(x.b):
                return joined_row(
                    m.Script(fenced(self.go(x.a), ATOM), m.EMPTY, TRANSPOSED), m.Sign(" "), fenced(self.go(x.b), SIGNED)
                ), PRODUCT
            return joined_row(m.Script(ONE, m.EMPTY, TRANSPOSED), fenced(self.go(x), SIGNED)), PRODUCT
        axes, left = self.base.axes(x), self.base.axes(node)
        if len(axes) == 2 and left and left[0] == axes[1] and left[0] != axes[0]:
            return joined_row(m.Script(ONE, m.EMPTY, TRANSPOSED), fenced(self.go(x), SIGNED)), PRODUCT
        return joined_row(fenced(self.go(x), PRODUCT), m.Sign(" "), ONE), PRODUCT


def _factor(shown: Shown) -> m.Math:
    """A factor of an entry-by-entry product: products of matrices stand in parentheses beside ⊙."""
    return shown[0] if shown[1] == HADAMARD else fenced(shown, SIGNED)


def derivative(f: Shown, by: Node, direction: m.Math) -> Shown:
    """The derivative along a direction."""
    body = f[0] if isinstance(f[0], m.Name | m.Script) and f[1] == ATOM else m.Fence(f[0])
    return joined_row(m.Script(m.Name("∂"), direction), body), SIGNED


def _items(items: Sequence[At | Label | Every]) -> m.Math:
    shown: list[m.Math] = []
    for item in items:
        one: m.Math
        match item:
            case At(position):
                one = m.Number(str(position))
            case Label(text):
                one = m.Name(text, upright=len(text) > 1)
            case _:
                one = m.Sign(":")
        shown += [m.Sign(","), one] if shown else [one]
    return m.Row(tuple(shown))


def _keywords(node: Call, show: Callable[[Node], Shown]) -> list[m.Math]:
    found: list[m.Math] = []
    for keyword in node.keywords:
        value = m.Words(keyword.value.text) if isinstance(keyword.value, Text) else show(keyword.value)[0]
        found.append(joined_row(m.Words(keyword.name), m.Sign("="), value))
    return found


class Entries(_Common):
    """Index form. `at` are the letters of the expression's axes, in order."""

    def __init__(self, base: Typesetter, taken: Sequence[str]) -> None:
        super().__init__(base)
        self.taken = list(taken)

    def bound(self, axis: Axis) -> m.Math:
        letter = self.base.letter(axis, self.taken)
        self.taken.append(letter)
        return m.Name(letter)

    def go(self, node: Node, at: tuple[m.Math, ...]) -> Shown:
        match node:
            case Number():
                return _constant(node)
            case Name(name):
                return indexed(symbol(name), at), ATOM
            case Sign(op, x):
                return self.signed(op, self.go(x, at))
            case Operation("+" | "-" as op, a, b):
                return self.added(op, self.part(a, node, at), self.part(b, node, at))
            case Operation("*", a, b):
                return self.times(self.part(a, node, at), self.part(b, node, at), isinstance(a, Number) and isinstance(b, Number))
            case Operation("/", a, b):
                return self.over(self.part(a, node, at), self.part(b, node, at))
            case Operation("@", a, b):
                return self.contracted(a, b, at)
            case Operation(_, x, _):
                if _is_root(node):
                    return m.Root(self.go(x, at)[0]), ATOM
                exponent = _exponent(node)
                return self.power(self.go(x, at), m.EMPTY if exponent is None else exponent)
            case Transpose(x):
                return self.go(x, at[::-1])
            case Index(x, items):
                return self.indexed(x, items, at)
            case Array():
                return m.Script(_Matrix(self.base).go(node)[0], _listed(at)), ATOM
            case Call():
                return self.call(node, at)

    def part(self, node: Node, whole: Node, at: tuple[m.Math, ...]) -> Shown:
        """An operand of an operation entry by entry, with the letters of its own axes."""
        axes, own = self.base.axes(whole), self.base.axes(node)
        if len(own) == len(axes):
            return self.go(node, at)
        if not own:
            return self.go(node, ())
        return self.go(node, (at[self.base.along(own[0], axes)],))

    def times(self, a: Shown, b: Shown, numbers: bool = False) -> Shown:
        return _times(a, b, numbers)

    def over(self, a: Shown, b: Shown) -> Shown:
        return self.quotient(a, b)

    def contracted(self, a: Node, b: Node, at: tuple[m.Math, ...]) -> Shown:
        ra = len(self.base.axes(a))
        taken = list(self.taken)
        letter = self.bound(self.base.axes(b)[0])
        left = self.go(a, (*at[: ra - 1], letter))
        merged = isinstance(a, Operation) and a.op == "@" and isinstance(left[0], m.Big) and left[0].kind == "sum"
        if merged:
            # one sum for A @ B @ C: its inner letters must not come up again on the right
            self.taken += [x.text for x in _letters(left[0]) if x.text not in self.taken]
        right = self.go(b, (letter, *at[ra - 1 :]))
        self.taken = taken
        if merged and isinstance(left[0], m.Big):
            body = self.times((left[0].body, PRODUCT), right)
            return m.Big("sum", joined_row(letter, m.Sign(","), left[0].lower), m.EMPTY, body[0]), PRODUCT
        return self.big(letter, self.times(left, right))

    def big(self, letter: m.Math, body: Shown) -> Shown:
        if isinstance(body[0], m.Big) and body[0].kind == "sum":
            inner = body[0]
            return m.Big("sum", joined_row(letter, m.Sign(","), inner.lower), m.EMPTY, inner.body), PRODUCT
        return m.Big("sum", letter, m.EMPTY, fenced(body, PRODUCT)), PRODUCT

    def indexed(self, x: Node, items: Sequence[At | Label | Every], at: tuple[m.Math, ...]) -> Shown:
        rest = iter(at)
        letters: list[m.Math] = []
        for k in range(len(self.base.axes(x))):
            item = items[k] if k < len(items) else None
            match item:
                case At(position):
                    letters.append(m.Number(str(position)))
                case Label(text):
                    letters.append(m.Name(text, upright=len(text) > 1))
                case _:
                    letters.append(next(rest))
        return self.go(x, tuple(letters))

    def call(self, node: Call, at: tuple[m.Math, ...]) -> Shown:
        name, args = node.function, node.args
        match name, args:
            case (("sum" | "mean" | "max" | "min"), (x,)):
                return self.along(node, x, at)
            case "exp", (x,):
                return m.Script(m.Name("e"), m.EMPTY, self.go(x, at)[0]), POWER
            case "sqrt", (x,):
                return m.Root(self.go(x, at)[0]), ATOM
            case "transpose", (x,):
                return self.go(x, at[::-1])
            case "diag", (x,):
                delta = m.Script(m.Name("δ"), _listed(at))
                return joined_row(fenced(self.go(x, at[:1]), SIGNED), m.Sign(" "), delta), PRODUCT
            case "eye", _:
                return m.Script(m.Name("δ"), _listed(at)), ATOM
            case "ones", _:
                return m.Number("1"), ATOM
            case "entries", (x, *conditions):
                env = {k.name: letter for k, letter in zip(node.keywords, at, strict=True)}
                inside = Indexed(self.base, env, self.taken)
                return inside.selected(inside.go(x), conditions)
            case (("sum_over" | "max_over"), _):
                return Indexed(self.base, {}, self.taken).go(node)
            case "outer", (x, y):
                return self.times(self.go(x, at[:1]), self.go(y, at[1:]))
            case "dot", (x, y):
                return self.contracted(x, y, at)
            case (("derivative" | "partial"), (f, x, v)):
                return derivative(self.go(f, at), x, _Matrix(self.base).go(v)[0])
            case (("log" | "tanh" | "cos" | "sin" | "erf" | "sigmoid" | "relu" | "abs"), (x,)):
                return self.called(name, [self.go(x, at)[0]])
            case _:
                shown = _Matrix(self.base).go(node)[0]
                return (m.Script(shown, _listed(at)), ATOM) if at else (shown, ATOM)

    def along(self, node: Call, x: Node, at: tuple[m.Math, ...]) -> Shown:
        axes, left = self.base.axes(x), self.base.axes(node)
        position = next((k for k, axis in enumerate(axes) if k >= len(left) or axis != left[k]), len(axes) - 1)
        taken = list(self.taken)
        letter = self.bound(axes[position])
        inside = self.go(x, (*at[:position], letter, *at[position:]))
        self.taken = taken
        match node.function:
            case "sum":
                return self.big(letter, inside)
            case "mean":
                size = symbol(self.base.setting.space(axes[position]).size_text())
                return joined_row(m.Fraction(m.Number("1"), size), m.Sign(" "), self.big(letter, inside)[0]), PRODUCT
            case "max":
                return m.Big("max", letter, m.EMPTY, fenced(inside, SIGNED)), PRODUCT
            case other:
                return self.called(other, [inside[0]])


def _letters(body: m.Math) -> list[m.Name]:
    """The letters that a sum runs over."""
    if not isinstance(body, m.Big):
        return []
    items = body.lower.items if isinstance(body.lower, m.Row) else (body.lower,)
    return [item for item in items if isinstance(item, m.Name)]


class Indexed(_Common):
    """Index notation as it is written: `env` gives the letter of each index."""

    def __init__(self, base: Typesetter, env: Mapping[str, m.Math], taken: Sequence[str]) -> None:
        super().__init__(base)
        self.env = dict(env)
        self.taken = list(taken)

    def go(self, node: Node) -> Shown:
        match node:
            case Number():
                return _constant(node)
            case Name(name):
                return symbol(name), ATOM
            case Sign(op, x):
                return self.signed(op, self.go(x))
            case Operation("+" | "-" as op, a, b):
                return self.added(op, self.go(a), self.go(b))
            case Operation("*", a, b):
                return _times(self.go(a), self.go(b), isinstance(a, Number) and isinstance(b, Number))
            case Operation("/", a, b):
                return self.quotient(self.go(a), self.go(b))
            case Operation(_, x, _):
                if _is_root(node):
                    return m.Root(self.go(x)[0]), ATOM
                exponent = _exponent(node)
                return self.power(self.go(x), m.EMPTY if exponent is None else exponent)
            case Index(x, items):
                letters = tuple(self.item(item) for item in items)
                body = symbol(x.id) if isinstance(x, Name) else m.Fence(_Matrix(self.base).go(x)[0])
                return indexed(body, letters), ATOM
            case Call():
                return self.call(node)
            case _:
                return _Matrix(self.base).go(node)

    def item(self, item: At | Label | Every) -> m.Math:
        match item:
            case At(position):
                return m.Number(str(position))
            case Label(text):
                return self.env.get(text, m.Name(text, upright=len(text) > 1))
            case _:
                return m.Sign(":")

    def call(self, node: Call) -> Shown:
        match node.function, node.args:
            case (("sum_over" | "max_over"), (x, *conditions)):
                return self.big(node, x, conditions)
            case "exp", (x,):
                return m.Script(m.Name("e"), m.EMPTY, self.go(x)[0]), POWER
            case "sqrt", (x,):
                return m.Root(self.go(x)[0]), ATOM
            case "positions", (Name(name),) if name in self.env:
                return self.env[name], ATOM
            case name, args:
                return self.called(name, [self.go(a)[0] for a in args])

    def big(self, node: Call, x: Node, conditions: Sequence[Node]) -> Shown:
        env, taken = dict(self.env), list(self.taken)
        letters: list[m.Math] = []
        for keyword in node.keywords:
            name = keyword.name if keyword.name not in self.taken else next(c for c in _SPARE if c not in self.taken)
            self.taken.append(name)
            self.env[keyword.name] = m.Name(name, upright=len(name) > 1)
            letters.append(self.env[keyword.name])
        inside = self.go(x)
        bounds: list[m.Math] = [_listed(letters) if len(letters) == 1 else m.Row(tuple(_with_commas(letters)))]
        bounds += [self.condition(c) for c in conditions]
        lower = bounds[-1] if len(bounds) == 2 and len(letters) == 1 else m.Row(tuple(_with_commas(bounds)))
        self.env, self.taken = env, taken
        kind = "max" if node.function == "max_over" else "sum"
        if kind == "sum" and isinstance(inside[0], m.Big) and inside[0].kind == "sum":
            return m.Big("sum", joined_row(lower, m.Sign(","), inside[0].lower), m.EMPTY, inside[0].body), PRODUCT
        return m.Big(kind, lower, m.EMPTY, fenced(inside, PRODUCT)), PRODUCT

    def condition(self, node: Node) -> m.Math:
        match node:
            case Call("if_same", (Name(i), Name(j)), _):
                return m.Row((self.env[i], m.Sign("="), self.env[j]))
            case Call("if_atmost", (Name(i), Name(j), c), _):
                value = rational(c)
                right: tuple[m.Math, ...] = (self.env[j],)
                if value:
                    right = (*right, m.Sign("+" if value > 0 else "-"), m.Number(str(abs(value))))
                return m.Row((self.env[i], m.Sign("≤"), *right))
            case _:
                return self.go(node)[0]

    def selected(self, body: Shown, conditions: Sequence[Node]) -> Shown:
        """The body with the conditions behind it."""
        if not conditions:
            return body
        shown = _with_commas([self.condition(c) for c in conditions])
        return m.Row((body[0], m.Sign(" "), m.Sign(" "), m.Fence(m.Row(tuple(shown))))), SUM


def _times(a: Shown, b: Shown, numbers: bool = False) -> Shown:
    left = m.Fence(a[0]) if _is_big(a[0]) else _negative(fenced(a, PRODUCT))
    right = _negative(fenced(b, SIGNED)) if not isinstance(b[0], m.Big) else b[0]
    return joined_row(left, m.Sign("·" if numbers else " "), right), PRODUCT


def _with_commas(items: Sequence[m.Math]) -> list[m.Math]:
    found: list[m.Math] = []
    for item in items:
        found += [m.Sign(","), item] if found else [item]
    return found


def _is_big(body: m.Math) -> bool:
    return isinstance(body, m.Big) or (isinstance(body, m.Row) and bool(body.items) and isinstance(body.items[-1], m.Big))


def _listed(letters: Sequence[m.Math]) -> m.Math:
    return letters[0] if len(letters) == 1 else m.Row(tuple(letters))
