"""Closed forms: an exact number written briefly, as text of the expression language and as a page formula.

Promises: what is written is the number, exactly, and its text reads back; a proven integer or rational shows as one. Of the ways to
write a fraction of exponential sums (split off a constant, divide by one exponential) the one with the fewest exponentials is
taken, then the shortest; more than FEW exponentials make a plain ratio of sums.
Does not promise: the shortest form there is, or any form where numerals or sums grow long (then None).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from symattn.errors import SymattnError, UnsupportedError
from symattn.number import expsum
from symattn.number.decimal import finite_text, significant_text
from symattn.number.exact_parts import Denominator, Terms, lowest_fraction
from symattn.number.expsum import Factor, Sum
from symattn.number.surd import ONE, ZERO, Surd
from symattn.page import math as m

if TYPE_CHECKING:
    from symattn.number.exact import Exact

FEW = 4
MANY = 24  # terms above or below the bar of a ratio of sums
_NUMERAL = 24  # characters of one numeral
_PLACES = 18  # digits of a decimal; a longer one is written as a fraction
_SHORT, _LONG = 240, 900  # characters of a whole form, few and many exponentials


# -- a tree with two readings -------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Num:
    value: Fraction


@dataclass(frozen=True)
class _Root:
    radicand: int


@dataclass(frozen=True)
class _Exp:
    x: _Tree


@dataclass(frozen=True)
class _Log:
    x: _Tree


@dataclass(frozen=True)
class _Product:
    items: tuple[_Tree, ...]


@dataclass(frozen=True)
class _Over:
    num: _Tree
    den: _Tree


@dataclass(frozen=True)
class _Sum:
    """Signed items; the sign is +1 or −1 and the item itself shows none."""

    items: tuple[tuple[int, _Tree], ...]


@dataclass(frozen=True)
class _Power:
    base: _Tree
    exponent: int


_Tree = _Num | _Root | _Exp | _Log | _Product | _Over | _Sum | _Power


@dataclass(frozen=True)
class ClosedForm:
    """A number written out. `exponentials` counts the distinct ones; `brief` says that they are at most FEW."""

    text: str
    exponentials: int
    _tree: _Tree

    @property
    def brief(self) -> bool:
        """At most FEW exponentials, not a long ratio of sums."""
        return self.exponentials <= FEW

    def math(self) -> m.Math:
        """The formula for a page."""
        return _math(self._tree)


def closed_form(x: Exact) -> ClosedForm | None:
    """A short way to write `x`, or None."""
    q = x.rational()
    tree: _Tree | None
    if q is not None:
        tree = _signed_number(q)
    else:
        tree = _tree(x)
    if tree is None:
        return None
    text, count = _text(tree, 0), len(set(_exponents(tree)))
    if _numerals_too_long(tree) or len(text) > (_SHORT if count <= FEW else _LONG):
        return None
    return ClosedForm(text, count, tree)


def closed_form_math(x: Exact) -> m.Math | None:
    """The closed form of `x` as a page formula, or None where there is no short one."""
    form = x.closed_form()
    return None if form is None else form.math()


def shown_math(x: Exact) -> m.Math:
    """What `description` says, as a formula; never raises."""
    try:
        form = x.closed_form()
        if form is not None and form.brief:
            return form.math()
        return m.Row((m.Sign("≈"), m.Number(significant_text(x, 15))))
    except SymattnError:
        return m.Words(f"a sum of {len(x.terms)} fractions")


def description(x: Exact) -> str:
    """The closed form, or leading digits, for people; never raises."""
    try:
        form = x.closed_form()
        if form is not None and form.brief:
            return form.text
        return "≈ " + significant_text(x, 15)
    except SymattnError:
        return f"a sum of {len(x.terms)} fractions"


# -- from numbers to trees ----------------------------------------------------------------------------------------------
def _tree(x: Exact) -> _Tree | None:
    items: list[tuple[int, _Tree]] = []
    for den, num in _few_fractions(x.terms):
        part = _fraction_tree(den, num)
        if part is None:
            return None
        items += part.items if isinstance(part, _Sum) else [(1, part)]
    for atom, q in x.logs:
        inside: _Tree
        if isinstance(atom, int):
            inside = _Num(Fraction(atom))
        elif isinstance(atom, Surd):
            inside = _surd_tree(atom)
        else:
            if len(atom.terms) > MANY or any(c.sign() < 0 for _, c in atom.terms):
                return None
            inside = _sum_tree(atom.sum())
        items.append(_times(q, _Log(inside)))
    return _sum_of(items)


def _few_fractions(terms: Terms) -> list[tuple[Denominator, Sum]]:
    """One fraction where the denominators allow it briefly, else the fractions as they are."""
    try:
        if len({f for den in terms for f, _ in den}) == 1:
            return [lowest_fraction(terms, budget=500)]
    except UnsupportedError:
        pass
    return list(terms.items())


def _fraction_tree(den: Denominator, num: Sum) -> _Tree | None:
    if len(num) > MANY or any(len(f.terms) > MANY for f, _ in den) or sum(k for _, k in den) > FEW:
        return None
    if not den:
        return _sum_tree(num)
    if len(den) == 1 and den[0][1] == 1:
        return _best_quotient(num, den[0][0])
    below: list[_Tree] = []
    shift = ZERO
    for f, power in den:
        low = expsum.lex_order(c for c, _ in f.terms)[-1]
        shift = shift + low * Surd.of(power)
        base = _sum_tree(expsum.scaled(f.sum(), ONE, -low))
        below.append(base if power == 1 else _Power(base, power))
    return _over(_sum_tree(expsum.scaled(num, ONE, -shift)), below[0] if len(below) == 1 else _Product(tuple(below)))


def _best_quotient(num: Sum, f: Factor) -> _Tree:
    """num/f: a constant split off and both sides divided by one exponential, so that few exponentials remain."""
    below = f.sum()
    if len(f.terms) > FEW + 1:
        return _quotient_tree(ZERO, num, below, -next(iter(num)) if len(num) == 1 else ZERO)
    ratios = [ZERO, *dict.fromkeys(num[e] / below[e] for e in below if e in num)]
    ways: list[tuple[int, Surd, Sum, Surd]] = []
    for ratio in ratios:
        rest = expsum.added(num, expsum.scaled(below, -ratio)) if ratio else dict(num)
        shifts = dict.fromkeys([*below, *rest])
        ways += [(len(rest) + len(below) - (shift in rest) - (shift in below), ratio, rest, shift) for shift in shifts]
    fewest = min(count for count, *_ in ways)
    trees = [_quotient_tree(ratio, rest, below, -shift) for count, ratio, rest, shift in ways if count == fewest]
    return min(trees, key=lambda tree: len(_text(tree, 0)))


def _quotient_tree(ratio: Surd, rest: Sum, below: Sum, shift: Surd) -> _Tree:
    scale = Surd.of(_clearing(below.values()))
    sign = -1 if all(c.sign() < 0 for c in rest.values()) else 1
    top = _sum_tree(expsum.scaled(rest, scale * Surd.of(sign), shift))
    quotient = _over(top, _sum_tree(expsum.scaled(below, scale, shift)))
    if not ratio:
        return _sum_of([(sign, quotient)])
    constant = _surd_tree(ratio)
    items = constant.items if isinstance(constant, _Sum) else ((1, constant),)
    return _sum_of([*items, (sign, quotient)])


def _clearing(coefficients: Iterable[Surd]) -> int:
    """What makes the coefficients of a denominator integers."""
    return lcm(*[c.den for c in coefficients])


def _sum_tree(x: Sum) -> _Tree:
    """Constant first, then exponents rising; a positive term leads where there is one."""
    items: list[tuple[int, _Tree]] = []
    order = expsum.lex_order(x)[::-1]
    if ZERO in x:
        order.remove(ZERO)
        order.insert(0, ZERO)
    for e in order:
        c = x[e]
        if not e:
            constant = _surd_tree(c)
            items += constant.items if isinstance(constant, _Sum) else [(1, constant)]
            continue
        power = _Exp(_surd_tree(e))
        if len(c.parts) == 1:
            ((d, n),) = c.parts
            q = Fraction(n, c.den)
            items.append(_times(q, power if d == 1 else _Product((_Root(d), power))))
        else:
            items.append((1, _Product((_surd_tree(c), power))))
    return _sum_of(items)


def _surd_tree(s: Surd) -> _Tree:
    return _sum_of([_times(q, _Root(d)) if d > 1 else ((1, _Num(q)) if q > 0 else (-1, _Num(-q))) for d, q in s.coefficients()])


def _times(q: Fraction, x: _Tree) -> tuple[int, _Tree]:
    """q·x as a sign and an item: 5·x, 0.25·x, 2·x/3."""
    sign, q = (1, q) if q > 0 else (-1, -q)
    inner = x.items if isinstance(x, _Product) else (x,)
    if q == 1:
        return sign, x
    if finite_text(q, _PLACES) is not None:
        return sign, _Product((_Num(q), *inner))
    top = x if q.numerator == 1 else _Product((_Num(Fraction(q.numerator)), *inner))
    return sign, _Over(top, _Num(Fraction(q.denominator)))


def _signed_number(q: Fraction) -> _Tree:
    return _Num(q) if q >= 0 else _Sum(((-1, _Num(-q)),))


def _sum_of(items: list[tuple[int, _Tree]]) -> _Tree:
    if not items:
        return _Num(Fraction(0))
    if len(items) == 1 and items[0][0] == 1:
        return items[0][1]
    lead = next((k for k, (sign, _) in enumerate(items) if sign > 0), 0)
    return _Sum((items[lead], *items[:lead], *items[lead + 1 :]))


def _over(num: _Tree, den: _Tree) -> _Tree:
    return num if den == _Num(Fraction(1)) else _Over(num, den)


def _children(tree: _Tree) -> tuple[_Tree, ...]:
    match tree:
        case _Exp(x) | _Log(x) | _Power(x, _):
            return (x,)
        case _Product(items):
            return items
        case _Over(num, den):
            return (num, den)
        case _Sum(items):
            return tuple(item for _, item in items)
        case _:
            return ()


def _exponents(tree: _Tree) -> list[_Tree]:
    own = [tree.x] if isinstance(tree, _Exp) else []
    return own + [e for child in _children(tree) for e in _exponents(child)]


def _numerals_too_long(tree: _Tree) -> bool:
    if isinstance(tree, _Num):
        q = tree.value
        return max(q.numerator.bit_length(), q.denominator.bit_length()) > 4 * _NUMERAL or len(_numeral(q)) > _NUMERAL
    return any(_numerals_too_long(child) for child in _children(tree))


# -- text of the language -----------------------------------------------------------------------------------------------
_SUM, _TERM, _FACTOR, _ATOM = 0, 1, 2, 3


def _numeral(q: Fraction) -> str:
    if max(q.numerator.bit_length(), q.denominator.bit_length()) > 4 * _NUMERAL:
        return "#" * (_NUMERAL + 1)
    return finite_text(q, _PLACES) or f"{q.numerator}/{q.denominator}"


def _text(tree: _Tree, level: int) -> str:
    """The text of `tree`, in parentheses where it binds weaker than `level`."""
    match tree:
        case _Num(q):
            numeral = _numeral(q)
            return _parenthesised(numeral, _TERM if "/" in numeral else _ATOM, level)
        case _Root(d):
            return f"sqrt({d})"
        case _Exp(x):
            return f"exp({_text(x, _SUM)})"
        case _Log(x):
            return f"log({_text(x, _SUM)})"
        case _Product(items):
            return _parenthesised("*".join(_text(item, _FACTOR) for item in items), _TERM, level)
        case _Over(num, den):
            return _parenthesised(f"{_text(num, _TERM)}/{_text(den, _FACTOR)}", _TERM, level)
        case _Power(base, exponent):
            return _parenthesised(f"{_text(base, _ATOM)}**{exponent}", _FACTOR, level)
        case _Sum(items):
            pieces = []
            for k, (sign, item) in enumerate(items):
                lead = ("-" if sign < 0 else "") if k == 0 else (" - " if sign < 0 else " + ")
                pieces.append(lead + _text(item, _TERM))
            return _parenthesised("".join(pieces), _SUM, level)


def _parenthesised(text: str, own: int, level: int) -> str:
    return text if own >= level else f"({text})"


# -- page formula -------------------------------------------------------------------------------------------------------
def _math(tree: _Tree) -> m.Math:
    match tree:
        case _Num(q):
            text = finite_text(q, _PLACES)
            if text is not None:
                return m.Number(text)
            return m.Fraction(m.Number(str(q.numerator)), m.Number(str(q.denominator)))
        case _Root(d):
            return m.Root(m.Number(str(d)))
        case _Exp(x):
            return m.Name("e") if x == _Num(Fraction(1)) else m.Script(m.Name("e"), sup=_math(x))
        case _Log(x):
            return m.Row((m.Name("log", upright=True), m.Fence(_math(x))))
        case _Product(items):
            return m.Row(tuple(_math_in(item, lambda t: isinstance(t, _Sum)) for item in items))
        case _Over(num, den):
            return m.Fraction(_math(num), _math(den))
        case _Power(base, exponent):
            return m.Script(m.Fence(_math(base)), sup=m.Number(str(exponent)))
        case _Sum(items):
            row: list[m.Math] = []
            for k, (sign, item) in enumerate(items):
                if sign < 0:
                    row.append(m.Sign("-"))
                elif k:
                    row.append(m.Sign("+"))
                row.append(_math(item))
            return m.Row(tuple(row))


def _math_in(tree: _Tree, weak: Callable[[_Tree], bool]) -> m.Math:
    return m.Fence(_math(tree)) if weak(tree) else _math(tree)
