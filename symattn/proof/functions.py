"""Scalar functions of expressions: powers, exponentials, logarithms and what is made of them.

exp of a sum is a product of exponentials of single terms; cos, sin and tanh are made of exponentials, so their addition formulas need no
rule; a reciprocal or root gives up the factors that all terms share and keeps a primitive base W(D); logarithms and roots are split only
over factors that are proved positive. A relation that stands outside every sum of an argument is taken outside the function: f at 1
where it holds, f at 0 where not.

Promises: identities wherever both sides are real; what that needs is written down as a hypothesis by lower.py. Raises Undecided for a
division by what is identically zero.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd, lcm

from symattn.proof import maximum
from symattn.proof.canon import instantiated, template
from symattn.proof.evidence import Undecided
from symattn.proof.primes import primes
from symattn.proof.reduce import settled, substitute_all
from symattn.proof.sign import is_positive, positive_factor
from symattn.proof.terms import IMAGINARY, Context, Expr, Factor, Number, Term, Where, minus, number, product, put, settle_mono, whole

ONE: Expr = [Term(1)]


def new_context(terms: int, seconds: float) -> Context:
    """A context whose rules know the functions."""
    ctx = Context(terms, seconds)
    ctx.rebuild, ctx.power = rebuild, power
    return ctx


def add(a: Expr, b: Expr) -> Expr:
    """a + b."""
    return a + b


def multiply(ctx: Context, a: Expr, b: Expr) -> Expr:
    """a * b, multiplied out and settled."""
    return settled(ctx, product(ctx, a, b))


def divide(ctx: Context, a: Expr, b: Expr) -> Expr:
    """a / b."""
    return multiply(ctx, a, power(ctx, b, -1))


def rational(a: Expr) -> Number | None:
    """The rational number that the expression is, None when it is none."""
    if not a:
        return 0
    return a[0].coef if len(a) == 1 and a[0].is_number() else None


def rebuild(ctx: Context, label: int, at: dict[int, Where], e: Number) -> Expr:
    """A nested factor to the exponent e, after its outer indices were replaced."""
    found = ctx.labels[label]
    assert found.template is not None
    if found.kind == "max":
        return power(ctx, maximum.replaced(ctx, found, at), e)
    body = settled(ctx, substitute_all(ctx, found.template.body, at))
    match found.kind:
        case "exp":
            return exp(ctx, [t.scaled(e) for t in body])
        case "pow":
            return power(ctx, body, e)
        case "fn":
            return power(ctx, FUNCTIONS[str(found.name)](ctx, body), e)
        case "abs":
            return power(ctx, maximum.absolute(ctx, body), e)
        case _:
            return power(ctx, maximum.held(ctx, body), e)


def by_cases(ctx: Context, a: Expr, f: Callable[[Expr], Expr]) -> Expr:
    """f(a), relations outside every sum of `a` taken outside: R f(a where R) + (1 - R) f(a where not R)."""
    for t in a:
        for rel in t.rels:
            if t.bound.isdisjoint(rel[1]):
                with_it = [Term(x.coef, x.mono, x.bound, x.facs, x.rels - {rel}) for x in a]
                without = [x for x in a if rel not in x.rels]
                yes = by_cases(ctx, settled(ctx, with_it), f)
                no = by_cases(ctx, without, f)
                mark = [Term(1, rels=frozenset([rel]))]
                return settled(ctx, product(ctx, mark, yes) + no + product(ctx, mark, minus(no)))
    return f(a)


# -- powers -----------------------------------------------------------------------------------------------------------
def power(ctx: Context, a: Expr, q: Number) -> Expr:
    """a to a rational exponent. Raises Undecided for a negative power of what is identically zero."""
    q = whole(q)
    if q == 1:
        return a
    if isinstance(q, int) and q >= 0:
        out = ONE
        for _ in range(q):
            out = product(ctx, out, a)
        return settled(ctx, out) if q > 1 else out
    if not a:
        if q > 0:
            return []
        raise Undecided("a division by what is 0 for all values")
    return by_cases(ctx, a, lambda x: _power(ctx, x, q))


def _power(ctx: Context, a: Expr, q: Number) -> Expr:
    if not a:
        if q > 0:
            return []
        raise Undecided("a division by what is 0 where a relation does not hold")
    if len(a) == 1 and not a[0].bound:
        return _power_of_product(ctx, a[0], q)
    content, rest = split_content(ctx, a, positive_only=not isinstance(q, int))
    outside = _power_of_product(ctx, content, q)
    if len(rest) == 1 and not rest[0].bound:
        return product(ctx, outside, _power_of_product(ctx, rest[0], q))
    base = template(ctx, "pow", rest, positive=is_positive(ctx, rest))
    return settled(ctx, [Term(t.coef, t.mono, t.bound, _with(t.facs, base, q), t.rels) for t in outside])


def _with(facs: dict[Factor, Number], factor: Factor, e: Number) -> dict[Factor, Number]:
    facs = dict(facs)
    put(facs, factor, e)
    return facs


def _power_of_product(ctx: Context, t: Term, q: Number) -> Expr:
    """A product without sums or relations to a power, split over what may be split."""
    exact = q.denominator == 1
    mono: dict[str, Number] = {}
    rest_mono: list[tuple[str, Number]] = []
    for s, e in t.mono:
        if s == IMAGINARY and not exact:
            rest_mono.append((s, e))
        else:
            mono[s] = whole(e * q)
    coef, roots = _number_power(t.coef if exact or t.coef > 0 else -t.coef, q)
    for s, x in roots.items():
        mono[s] = mono.get(s, 0) + x
    sign: Number = -1 if t.coef < 0 and not exact else 1
    facs: dict[Factor, Number] = {}
    rest: dict[Factor, Number] = {}
    for factor, e in t.facs.items():
        # An exponent with an even denominator has a base that is not negative; an odd root may have one.
        if exact or positive_factor(ctx, factor[0]) or e.denominator % 2 == 0:
            facs[factor] = whole(e * q)
        else:
            rest[factor] = e
    settled_mono, out = settle_mono(mono)
    if rest or rest_mono or sign < 0:
        if len(rest) == 1 and not rest_mono and sign > 0 and next(iter(rest.values())) == 1:
            put(facs, next(iter(rest)), q)
        else:
            put(facs, template(ctx, "pow", [Term(sign, tuple(rest_mono), facs=rest)]), q)
    return settled(ctx, [Term(whole(coef * out), settled_mono, facs=facs)])


def _number_power(c: Number, q: Number) -> tuple[Number, dict[str, Number]]:
    """A number to a power: a rational part and roots of primes."""
    if q.denominator == 1:
        return whole(Fraction(c) ** int(q)), {}
    roots: dict[str, Number] = {}
    c = Fraction(c)
    for n, s in ((c.numerator, 1), (c.denominator, -1)):
        for p, e in primes(n):
            roots[f"#{p}"] = roots.get(f"#{p}", 0) + s * e * q
    return 1, roots


def split_content(ctx: Context, a: Expr, *, positive_only: bool) -> tuple[Term, Expr]:
    """(content, rest) with a = content * rest: the number, the symbols and the factors free of the sums' own indices that all terms
    share, at their least exponents; only what is positive when `positive_only`."""
    mono: dict[str, Number] = {}
    for name in sorted({s for t in a for s, _ in t.mono if s != IMAGINARY}):
        least = min(dict(t.mono).get(name, 0) for t in a)
        if least:
            mono[name] = least
    facs: dict[Factor, Number] = {}
    for factor in sorted({f for t in a for f in t.facs if t.bound.isdisjoint(f[1])}):
        if positive_only and not positive_factor(ctx, factor[0]):
            continue
        exponents = [t.facs.get(factor, 0) if t.bound.isdisjoint(factor[1]) else 0 for t in a]
        least = min(exponents)
        if ctx.labels[factor[0]].kind == "pow" and any((e - least).denominator != 1 for e in exponents):
            least = whole(-(-least.numerator // least.denominator)) if least < 0 else 0
        if least:
            facs[factor] = least
    content_mono, _ = settle_mono(dict(mono))
    coef = _number_content(a)
    if not positive_only and _leads_negative(a):
        coef = -coef
    content = Term(coef, content_mono, facs=facs)
    back, out = settle_mono({s: -e for s, e in mono.items()})
    inverse = Term(whole(Fraction(1) / coef * out), back, facs={f: -e for f, e in facs.items()})
    return content, settled(ctx, product(ctx, a, [inverse]))


def _number_content(a: Expr) -> Number:
    top, bottom = 0, 1
    for t in a:
        top = gcd(top, abs(t.coef.numerator))
        bottom = lcm(bottom, t.coef.denominator)
    return whole(Fraction(top, bottom))


def _leads_negative(a: Expr) -> bool:
    """Is the leading coefficient negative? The choice does not depend on names of indices; a tie with opposite signs is left alone."""
    best: object = None
    total: Number = 0
    for t in a:
        outer = dict.fromkeys(t.indices() - t.bound, 0)
        key = (len(t.bound), _blind(t, outer))
        if best is None or key > best:  # type: ignore[operator]
            best, total = key, t.coef
        elif key == best:
            total += t.coef
    return total < 0


def _blind(t: Term, outer: dict[int, int]) -> object:
    return (sorted([(label, e, len(idx)) for (label, idx), e in t.facs.items()]), t.mono)


# -- exp and what is made of it ---------------------------------------------------------------------------------------
def exp(ctx: Context, a: Expr) -> Expr:
    """e to the power a."""
    return by_cases(ctx, settled(ctx, a), lambda x: _exp(ctx, x))


def _exp(ctx: Context, a: Expr) -> Expr:
    facs: dict[Factor, Number] = {}
    powers: Expr = ONE
    for t in a:
        if not (t.mono or t.bound or t.rels) and len(t.facs) == 1:
            ((label, idx), e) = next(iter(t.facs.items()))
            if e == 1 and ctx.labels[label].kind == "fn" and ctx.labels[label].name == "log":
                powers = product(ctx, powers, power(ctx, instantiated(ctx, label, idx), t.coef))
                continue
        base = Term(1, t.mono, t.bound, t.facs, t.rels)
        base.settled = True
        put(facs, template(ctx, "exp", [base]), t.coef)
    out: Expr = [Term(1, facs=facs)]
    return out if powers is ONE else settled(ctx, product(ctx, out, powers))


def tanh(ctx: Context, a: Expr) -> Expr:
    """(e^2a - 1) / (e^2a + 1)."""
    e = exp(ctx, [t.scaled(2) for t in a])
    return divide(ctx, settled(ctx, e + number(-1)), settled(ctx, e + number(1)))


def _turns(ctx: Context, a: Expr) -> tuple[Expr, Expr]:
    i = [Term(1, ((IMAGINARY, 1),))]
    return exp(ctx, product(ctx, i, a)), exp(ctx, product(ctx, i, minus(a)))


def cos(ctx: Context, a: Expr) -> Expr:
    """(e^ia + e^-ia) / 2."""
    there, back = _turns(ctx, a)
    return [t.scaled(Fraction(1, 2)) for t in there + back]


def sin(ctx: Context, a: Expr) -> Expr:
    """-i (e^ia - e^-ia) / 2."""
    there, back = _turns(ctx, a)
    return product(ctx, [Term(Fraction(-1, 2), ((IMAGINARY, 1),))], there + minus(back))


def log(ctx: Context, a: Expr) -> Expr:
    """The natural logarithm, split over the factors that are proved positive."""
    return by_cases(ctx, settled(ctx, a), lambda x: _log(ctx, x))


def _log(ctx: Context, a: Expr) -> Expr:
    if not a:
        raise Undecided("a logarithm of what is 0 for all values")
    content, rest = split_content(ctx, a, positive_only=True)
    out: Expr = []
    for p, k in _log_number(content.coef):
        out += _opaque(ctx, "log", number(p), k)
    for s, e in content.mono:
        inside: Expr = number(int(s[1:])) if s[0] == "#" else [Term(1, ((s, 1),))]
        out += _opaque(ctx, "log", inside, e)
    for (label, idx), e in content.facs.items():
        inner = instantiated(ctx, label, idx)
        if ctx.labels[label].kind == "exp":
            out += [t.scaled(e) for t in inner]
        else:
            out += [t.scaled(e) for t in _log(ctx, inner)]
    if rational(rest) != 1:
        out += _opaque(ctx, "log", rest, 1)
    return settled(ctx, out)


def _log_number(c: Number) -> list[tuple[int, int]]:
    c = Fraction(c)
    return primes(c.numerator) + [(p, -e) for p, e in primes(c.denominator)]


def _opaque(ctx: Context, name: str, a: Expr, coef: Number) -> Expr:
    return [Term(coef, facs={template(ctx, "fn", a, name): 1})]


def erf(ctx: Context, a: Expr) -> Expr:
    """An opaque odd function."""

    def value(x: Expr) -> Expr:
        if not x:
            return []
        return _opaque(ctx, "erf", minus(x), -1) if _leads_negative(x) else _opaque(ctx, "erf", x, 1)

    return by_cases(ctx, settled(ctx, a), value)


FUNCTIONS: dict[str, Callable[[Context, Expr], Expr]] = {"exp": exp, "log": log, "tanh": tanh, "cos": cos, "sin": sin, "erf": erf}
