"""Gradients of what is written in index notation: Σ_i dS[i,j] Q[i,c] for the gradient by K[j,c] of S[i,j] = Σ_c Q[i,c] K[j,c].

Promises: index notation over the names at hand; what does not depend on the summed indices stands outside of the sum. Does not promise:
truth (the kernel compares it with the derivative), nor a form for every definition (`NoSlope`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symattn.calculus.indices import put_in
from symattn.calculus.slope_text import ONE, TWO, NoSlope
from symattn.language.ast import Call, Index, Keyword, Label, Name, Node, Operation, Sign, Text, children
from symattn.language.constants import rational
from symattn.language.unparse import number

Bound = Mapping[str, "Node | Text"]
BINDERS = ("sum_over", "max_over", "entries")
_SPARE = "ijklrstuabcefhpqwxyz"
BY_NAME = ("positions", "if_same", "if_atmost")  # their arguments are indices


@dataclass(frozen=True)
class _Product:
    """Factors, divided by others."""

    minus: bool = False
    times: tuple[Node, ...] = ()
    over: tuple[Node, ...] = ()

    def by(self, *factors: Node) -> _Product:
        return replace(self, times=(*self.times, *(f for f in factors if f != ONE)))

    def behind(self, factor: Node) -> _Product:
        return replace(self, times=(factor, *self.times)) if factor != ONE else self

    def divided(self, *factors: Node) -> _Product:
        return replace(self, over=(*self.over, *factors))

    def turned(self) -> _Product:
        return replace(self, minus=not self.minus)


def pulled_entries(reader: str, meaning: Call, by: str, weight: Node | None) -> list[Node]:
    """What the gradient by `by` gets from `reader`, defined by `meaning`, an `entries(…)`; terms to be added. Raises NoSlope."""
    body, *conditions = meaning.args
    labels = tuple(Label(k.name) for k in meaning.keywords)
    found = _Pull(by)
    start = _Product()
    if weight is not None:
        start = start.by(Index(weight, labels))
    found.of(body, start, Index(Name(reader), labels), {k.name: k.value for k in meaning.keywords}, conditions)
    return found.terms


def masked(meaning: Call, gradient: Node) -> Node:
    """The gradient by a value, 0 where the value has no entry. Raises NoSlope."""
    if not _plain(gradient):
        raise NoSlope
    labels = tuple(Label(k.name) for k in meaning.keywords)
    return Call("entries", (put_in(Index(gradient, labels)), *meaning.args[1:]), meaning.keywords)


def together(terms: Sequence[Node]) -> list[Node]:
    """Terms in index notation as one `entries(…)`, those with all indices first, what is taken away last; the others as they are."""
    plain = [term for term in terms if isinstance(term, Call) and _plain(term)]
    if len(plain) < 2:
        return list(terms)
    labels = tuple(Label(k.name) for k in plain[0].keywords)
    inside = sorted((put_in(Index(term, labels)) for term in plain), key=lambda term: (_negative(term), -len(_free(term))))
    whole = inside[0]
    for term in inside[1:]:
        whole = Operation("-", whole, term.x) if isinstance(term, Sign) and _negative(term) else Operation("+", whole, term)
    return [Call("entries", (whole,), plain[0].keywords), *(term for term in terms if term not in plain)]


def _negative(node: Node) -> bool:
    return isinstance(node, Sign) and node.op == "-"


def _plain(node: Node) -> bool:
    return isinstance(node, Call) and node.function == "entries" and len(node.args) == 1


class _Pull:
    def __init__(self, by: str) -> None:
        self.by = by
        self.terms: list[Node] = []

    def moves(self, node: Node) -> bool:
        return self.by in _names(node)

    def of(self, node: Node, g: _Product, own: Node, bound: Bound, conditions: Sequence[Node]) -> None:
        """`g` is the gradient by this number, `own` a name for the number."""
        if not self.moves(node):
            return

        def go(inner: Node, gradient: _Product) -> None:
            self.of(inner, gradient, inner, bound, conditions)

        match node:
            case Name() | Index(Name(), _):
                self._reached(node, g, bound, conditions)
            case Sign(op, x):
                go(x, g.turned() if op == "-" else g)
            case Operation("+" | "-" as op, a, b):
                go(a, g)
                go(b, g.turned() if op == "-" else g)
            case Operation("*", a, b):
                go(a, g.by(b))
                go(b, g.behind(a))
            case Operation("/", a, b):
                go(a, g.divided(b))
                go(b, g.by(own).divided(b).turned() if own != node else g.by(a).divided(b, b).turned())
            case Operation("**", x, e):
                exponent = rational(e)
                if exponent is None:
                    raise NoSlope
                less = exponent - 1
                powers = () if less == 0 else (x if less == 1 else Operation("**", x, number(less)),)
                go(x, g.by(number(exponent), *powers))
            case Call("sum_over", (x, *more), keywords):
                if any(k.name in bound for k in keywords):
                    raise NoSlope
                self.of(x, g, x, {**bound, **{k.name: k.value for k in keywords}}, [*conditions, *more])
            case Call(function, (x,), ()):
                go(x, _outer(function, g, own, x))
            case _:
                raise NoSlope

    def _reached(self, node: Node, g: _Product, bound: Bound, conditions: Sequence[Node]) -> None:
        items = node.items if isinstance(node, Index) else ()
        letters = [item.text for item in items if isinstance(item, Label)]
        if len(set(letters)) != len(items) or not set(letters) <= bound.keys():
            raise NoSlope
        rest = tuple(Keyword(name, value) for name, value in bound.items() if name not in letters)
        summed = {k.name for k in rest}
        parted = [[f for f in factors if bool(_free(f) & summed) is inside] for factors in (g.times, g.over) for inside in (True, False)]
        inner = _quotient(parted[0], parted[2])
        body = _quotient(
            [*([Call("sum_over", (inner, *conditions), rest)] if rest else [inner] if inner != ONE else []), *parted[1]], parted[3]
        )
        if g.minus:
            body = Sign("-", body)
        if _bare(inner) & summed:
            raise NoSlope  # a size that is called like an index
        self.terms.append(_over(letters, bound, body, () if rest else conditions))


def _over(letters: Sequence[str], bound: Bound, body: Node, conditions: Sequence[Node]) -> Node:
    """The number `body` for all values of its indices."""
    if not letters:
        return body
    labels = tuple(Label(letter) for letter in letters)
    if isinstance(body, Index) and isinstance(body.x, Name) and body.items == labels and not conditions:
        return body.x
    keywords = tuple(Keyword(letter, bound[letter]) for letter in letters)
    whole = Call("entries", (body, *conditions), keywords)
    taken = _bare(body)
    if not taken & set(letters):
        return whole
    if conditions:
        raise NoSlope
    spare = iter([x for x in _SPARE if x not in taken and x not in letters])
    fresh = [next(spare, "") if letter in taken else letter for letter in letters]
    if not all(fresh):
        raise NoSlope
    renamed = put_in(Index(whole, tuple(map(Label, fresh))))
    return Call("entries", (renamed,), tuple(Keyword(x, k.value) for x, k in zip(fresh, keywords, strict=True)))


def _bare(node: Node) -> frozenset[str]:
    """The names in it that are no indices."""
    if isinstance(node, Name):
        return frozenset({node.id})
    if isinstance(node, Call) and node.function in BY_NAME:
        return frozenset()
    inside = node.args if isinstance(node, Call) and node.function in BINDERS else children(node)
    return frozenset(name for child in inside for name in _bare(child))


def _outer(function: str, g: _Product, own: Node, x: Node) -> _Product:
    match function:
        case "exp":
            return g.by(own)
        case "log":
            return g.divided(x)
        case "sqrt":
            return g.divided(TWO, own)
        case "tanh":
            return g.by(Operation("-", ONE, Operation("**", own, TWO)))
        case "sigmoid":
            return g.by(own, Operation("-", ONE, own))
        case "cos":
            return g.by(Call("sin", (x,))).turned()
        case "sin":
            return g.by(Call("cos", (x,)))
        case _:
            raise NoSlope


def _quotient(times: Sequence[Node], over: Sequence[Node]) -> Node:
    above = _product(times) if times else ONE
    return Operation("/", above, _product(over)) if over else above


def _product(factors: Sequence[Node]) -> Node:
    found = factors[0]
    for factor in factors[1:]:
        found = Operation("*", found, factor)
    return found


def _names(node: Node) -> frozenset[str]:
    if isinstance(node, Name):
        return frozenset({node.id})
    return frozenset(name for child in children(node) for name in _names(child))


def _free(node: Node) -> frozenset[str]:
    """The indices in it that are not bound inside of it."""
    if isinstance(node, Call) and node.function in BY_NAME:
        return frozenset(arg.id for arg in node.args if isinstance(arg, Name))
    found = frozenset(item.text for item in node.items if isinstance(item, Label)) if isinstance(node, Index) else frozenset()
    for child in children(node):
        found |= _free(child)
    return found - {k.name for k in node.keywords} if isinstance(node, Call) and node.function in BINDERS else found
