"""Matrix expressions put together, and a measure of how much they ask of their reader.

Promises: the constructors keep the tree flat and move transposes to the leaves when that takes fewer of them; each gives what its node
means. Does not promise: a normal form.
"""

from __future__ import annotations

from fractions import Fraction

from symattn.calculus.notation_index import ONE
from symattn.calculus.notation_tree import (
    Add,
    Atom,
    Coef,
    Diag,
    Dot,
    Entrywise,
    Hadamard,
    Identity,
    Mask,
    Ones,
    Outer,
    Over,
    Powers,
    Product,
    Raised,
    Scale,
    Softmax,
    Trace,
    Transpose,
    Tree,
)


def transposed(x: Tree) -> Tree:
    """x^T, with the transposes where they are fewest."""
    match x:
        case Transpose(inner):
            return inner
        case Identity() | Diag():
            return x
        case Ones(rows, cols):
            return Ones(cols, rows)
        case Outer(u, v):
            return Outer(v, u)
        case Product(items) if x.cols is not None:
            return Product(tuple(transposed(i) for i in reversed(items)))
        case Scale(coef, inner) if inner is not None:
            return Scale(coef, transposed(inner))
        case Over(labels, inner):
            return Over(labels, transposed(inner))
        case Hadamard(items):
            return _cheaper(Hadamard(tuple(transposed(i) for i in items)), x)
        case Add(items):
            return _cheaper(Add(tuple((s, transposed(i)) for s, i in items)), x)
        case _:
            return Transpose(x)


def _cheaper(moved: Tree, x: Tree) -> Tree:
    outside = Transpose(x)
    return moved if cost(moved) < cost(outside) else outside


def product(items: tuple[Tree, ...]) -> Tree:
    """A matrix product, flat; diagonal matrices side by side are one."""
    flat: list[Tree] = []
    for item in items:
        for part in item.items if isinstance(item, Product) else (item,):
            if isinstance(part, Identity):
                continue
            if flat and isinstance(part, Diag) and isinstance(last := flat[-1], Diag):
                flat[-1] = Diag(hadamard((last.x, part.x)))
            else:
                flat.append(part)
    if not flat:
        return items[0]
    return flat[0] if len(flat) == 1 else Product(tuple(flat))


def hadamard(items: tuple[Tree, ...]) -> Tree:
    """An entry-by-entry product, flat, without factors of ones when something else stays."""
    flat: list[Tree] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Hadamard) else (item,))
    kept = [i for i in flat if not isinstance(i, Ones)]
    if not kept:
        return flat[0]
    return kept[0] if len(kept) == 1 else Hadamard(tuple(kept))


def scale(coef: Coef, x: Tree | None) -> Tree:
    """A coefficient times a tree, coefficients gathered."""
    if isinstance(x, Scale):
        return scale(Coef(coef.number * x.coef.number, merged(coef.powers, x.coef.powers)), x.x)
    if x is not None and coef == Coef():
        return x
    if (x is not None and isinstance(x, Dot | Trace)) or (isinstance(x, Atom) and x.rows is None):
        number: Powers = ((x, ONE),)
        x, coef = None, Coef(coef.number, merged(coef.powers, number))
    if x is None and coef.number == 1 and len(coef.powers) == 1:
        base, power = coef.powers[0]
        if power == 1 and not isinstance(base, str | Fraction):
            return base
    return Scale(coef, x)


def merged(a: Powers, b: Powers) -> Powers:
    """A product of powers."""
    found: dict[str | Fraction | Tree, Fraction] = {}
    for base, power in (*a, *b):
        found[base] = found.get(base, Fraction(0)) + power
    return tuple((base, p) for base, p in found.items() if p)


def add(items: list[Tree]) -> Tree:
    """A sum, flat, a positive term first when there is one."""
    flat: list[tuple[int, Tree]] = []
    for item in items:
        sign = 1
        if isinstance(item, Scale) and item.coef.number < 0:
            sign, item = -1, scale(Coef(-item.coef.number, item.coef.powers), item.x)
        for s, part in item.items if isinstance(item, Add) else ((1, item),):
            flat.append((sign * s, part))
    flat.sort(key=lambda part: isinstance(part[1], Over))  # a sum sign last takes in nothing that is not its own
    first = next((k for k, (s, part) in enumerate(flat) if s > 0 and not isinstance(part, Over)), 0)
    flat.insert(0, flat.pop(first))
    if len(flat) == 1:
        return flat[0][1] if flat[0][0] > 0 else scale(Coef(Fraction(-1)), flat[0][1])
    return Add(tuple(flat))


def over(labels: tuple[int, ...], x: Tree) -> Tree:
    """A sum over labels; a coefficient without them stands outside."""
    if not labels:
        return x
    if isinstance(x, Over):
        return Over((*labels, *x.labels), x.x)
    if isinstance(x, Scale) and x.x is not None and not any(isinstance(b, Atom | Dot | Trace) for b, _ in x.coef.powers):
        return scale(x.coef, over(labels, x.x))
    return Over(labels, x)


# -- what a reader has to read ----------------------------------------------------------------------------------------
def cost(x: Tree) -> int:
    """A measure of how much a formula asks of its reader: names weigh most. Only compared."""
    match x:
        case Atom() | Mask():
            return 10
        case Ones(_, cols):
            return 4 if cols is None else 6
        case Identity():
            return 6
        case Transpose(inner):
            return cost(inner) + 2 + _bracket(inner)
        case Product(items):
            return sum(cost(i) + (2 if isinstance(i, Add | Hadamard | Scale) else 0) for i in items)
        case Hadamard(items):
            return sum(cost(i) + (2 if isinstance(i, Add | Product | Scale | Outer) else 0) for i in items) + len(items) - 1
        case Add(items):
            return sum(cost(i) + 3 for _, i in items) - 3
        case Scale(coef, inner):
            return cost_coef(coef) + (0 if inner is None else cost(inner) + (2 if isinstance(inner, Add) else 0))
        case Diag(inner):
            return cost(inner) + 6
        case Outer(u, v):
            return cost(u) + cost(v) + 2 + _bracket(u) + _bracket(v)
        case Dot(u, v):
            return (4 if u is None else cost(u) + _bracket(u)) + cost(v) + 2 + _bracket(v)
        case Trace(inner):
            return cost(inner) + 6
        case Entrywise(_, inner) | Softmax(inner):
            return cost(inner) + 6
        case Raised(inner, _):
            return cost(inner) + 4 + _bracket(inner)
        case Over(_, inner):
            return cost(inner) + 6 + (2 if isinstance(inner, Add) else 0)


def cost_coef(coef: Coef) -> int:
    """The same of a coefficient."""
    total = 3 if coef.number not in (1, -1) else 0
    return total + sum(cost(b) + 2 if not isinstance(b, str | Fraction) else 4 for b, _ in coef.powers)


def _bracket(x: Tree) -> int:
    return 0 if isinstance(x, Atom | Ones | Mask | Identity | Diag) else 2
