"""Exact real numbers: rationals with square roots, exponentials and logarithms, kept as sums of fractions.

A number is Σ N/D + Σ q·log L: numerators N are exponential sums over Q(√…) (number/expsum.py), denominators D are *multisets* of
such sums, kept apart (the row sums of an attention never meet under one fraction bar); L are positive such sums or integers.

Promises: arithmetic is exact; "equal", "less" and "zero" are proven or not said. Zero of one fraction is decided completely
(Lindemann–Weierstrass); of several fractions by enclosures, then over a common denominator while that stays small.
Does not promise: to hold every number. An exponential of an exponential, a cosine, a root of a sum are `UnsupportedError`s that
name the hole; enclosures by balls (interp/balls.py) have none of these limits.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, TypeVar

from symattn.errors import DomainError, UndecidedError, UnsupportedError
from symattn.number import expsum
from symattn.number.exact_ball import ball_sign, enclose
from symattn.number.exact_fold import Algebra, rebuild
from symattn.number.exact_parts import (
    DECISION_TERMS,
    Denominator,
    LogAtom,
    Logs,
    Terms,
    atom_key,
    cancelled,
    common_fraction,
    gathered,
    joined,
    log_of_surd,
    put,
    rational_value,
    times,
)
from symattn.number.expsum import MAX_TERMS, Factor, Sum
from symattn.number.literal import exact_rational
from symattn.number.surd import MAX_BITS, ONE, ZERO, Surd, short, too_large
from symattn.number.truth import CAP_BITS, START_BITS, Enclosure, Truth

if TYPE_CHECKING:
    from symattn.number.closed_form import ClosedForm

T = TypeVar("T")
_UNDECIDED = "undecided"


class Exact:
    """An exact real number. Make one with `Exact.of`; combine with + − * / ** and the methods. Immutable."""

    __slots__ = ("_logs", "_memo", "_plain", "_terms")

    def __init__(self, x: int | str | Fraction | Decimal | Exact = 0) -> None:
        """See `Exact.of`."""
        made = Exact.of(x)
        self._plain: Surd | None = made._plain
        self._terms: Terms = made._terms
        self._logs: Logs = made._logs
        self._memo: dict[str, Any] = {}

    @staticmethod
    def of(x: int | str | Fraction | Decimal | Exact) -> Exact:
        """The number given as an int, text ("0.1", "1/3", "-2", "1e-3"), Fraction, Decimal, or already exact.

        Raises InputError for a float (showing what it would have been), a boolean, NaN, an infinity and anything else."""
        if isinstance(x, Exact):
            return x
        return plain(Surd.of(exact_rational(x)))

    # -- what it is -------------------------------------------------------------------------------------------------------
    @property
    def terms(self) -> Terms:
        """The fractions: denominator -> numerator."""
        return self._terms

    @property
    def logs(self) -> Logs:
        """The logarithms with their rational coefficients."""
        return self._logs

    def surd(self) -> Surd | None:
        """The number when it stands as an element of Q(√…), else None (which proves nothing)."""
        return self._plain

    def exponent(self) -> Surd | None:
        """m when the number stands as e^m, else None."""
        if self._logs or len(self._terms) != 1 or () not in self._terms or len(self._terms[()]) != 1:
            return None
        ((m, c),) = self._terms[()].items()
        return m if c == ONE else None

    def rational(self) -> Fraction | None:
        """The number when it is proven rational, else None."""
        if self._plain is not None:
            return self._plain.rational()
        found = self._whether_rational()
        return found if isinstance(found, Fraction) else None

    def _whether_rational(self) -> Fraction | str | None:
        """The Fraction; None when it is proven to be none; _UNDECIDED past the budget and for logarithms."""
        if "rational" not in self._memo:
            try:
                self._memo["rational"] = _UNDECIDED if self._logs else rational_value(self._terms)
            except UnsupportedError:
                self._memo["rational"] = _UNDECIDED
        found: Fraction | str | None = self._memo["rational"]
        return found

    def enclose(self, bits: int) -> Enclosure:
        """An interval of relative width about 2**-bits that contains the number. Raises UndecidedError past the cap on precision."""
        q = self.rational()
        if q is None and "zero" not in self._memo and not ball_sign(self._terms, self._logs, START_BITS):
            q = Fraction(0) if self.is_zero() is Truth.YES else None
        return Enclosure(q, q) if q is not None else enclose(self._terms, self._logs, bits)

    def is_zero(self) -> Truth:
        """Is it 0? Complete for one fraction and for logarithms of fractions; UNKNOWN only past the budgets."""
        if self._plain is not None:
            return Truth.of(not self._plain)
        if not self._logs and len(self._terms) == 1:
            return Truth.NO
        if "zero" not in self._memo:
            self._memo["zero"] = _decide_zero(self)
        found: Truth = self._memo["zero"]
        return found

    def equals(self, other: object) -> Truth:
        """Are the two numbers equal? `other` is an Exact or what `Exact.of` takes; any other Quantity is compared by enclosures."""
        if isinstance(other, Exact | int | str | Fraction | Decimal):
            return (self - Exact.of(other)).is_zero()
        theirs = getattr(other, "rational", lambda: None)()
        if theirs is not None:
            return (self - Exact.of(theirs)).is_zero()
        return Truth.UNKNOWN

    def sign(self) -> int:
        """−1, 0 or 1. Raises UndecidedError when the cap on precision comes first."""
        if self._plain is not None:
            return self._plain.sign()
        if "sign" not in self._memo:
            self._memo["sign"] = _decide_sign(self)
        found: int = self._memo["sign"]
        return found

    def text(self, digits: int = 15) -> str:
        """The decimal to `digits` proven significant digits. Raises UndecidedError when the cap on precision comes first."""
        from symattn.number.decimal import significant_text

        return significant_text(self, digits)

    def __float__(self) -> float:
        """The nearest double, ties to even. Raises UndecidedError when the cap on precision comes first, OverflowError beyond doubles."""
        bits = START_BITS
        while bits <= CAP_BITS:
            found = self.enclose(bits)
            low, high = float(found.lo), float(found.hi)
            if low == high:
                return low
            bits *= 2
        raise UndecidedError("the nearest double of an exact number was not decided", next_move="take its text instead")

    def closed_form(self) -> ClosedForm | None:
        """A short way to write it, if there is one: see number/closed_form.py."""
        from symattn.number.closed_form import closed_form

        if "closed" not in self._memo:
            self._memo["closed"] = closed_form(self)
        found: ClosedForm | None = self._memo["closed"]
        return found

    def __eq__(self, other: object) -> bool:
        """Proven equal or proven different; raises UndecidedError where neither is proven."""
        if isinstance(other, bool | float | str) or not isinstance(other, Exact | int | Fraction):
            return NotImplemented
        other = Exact.of(other)
        if self._plain is not None and other._plain is not None:
            return self._plain == other._plain
        if self._terms == other._terms and self._logs == other._logs:
            return True
        match (self - other).is_zero():
            case Truth.YES:
                return True
            case Truth.NO:
                return False
            case _:
                raise UndecidedError("whether two exact numbers are equal was not decided within the budget")

    def __hash__(self) -> int:
        """Equal numbers hash equally: a rational as its Fraction, another by leading digits of its value."""
        if "hash" not in self._memo:
            q = self.rational() if self._plain is not None else self._whether_rational()
            self._memo["hash"] = hash(q) if isinstance(q, Fraction) else _leading_digits(self, proven=q is None)
        found: int = self._memo["hash"]
        return found

    def __bool__(self) -> bool:
        return self != 0

    def __lt__(self, other: Exact | int | Fraction) -> bool:
        return (self - _take(other)).sign() < 0

    def __le__(self, other: Exact | int | Fraction) -> bool:
        return (self - _take(other)).sign() <= 0

    def __gt__(self, other: Exact | int | Fraction) -> bool:
        return (self - _take(other)).sign() > 0

    def __ge__(self, other: Exact | int | Fraction) -> bool:
        return (self - _take(other)).sign() >= 0

    def __repr__(self) -> str:
        from symattn.number.closed_form import description

        return f"Exact({description(self)})"

    def _repr_latex_(self) -> str:
        from symattn.number.closed_form import shown_math
        from symattn.page.notebook import shown

        return shown(shown_math(self))

    # -- arithmetic -------------------------------------------------------------------------------------------------------
    def __neg__(self) -> Exact:
        return self * MINUS_ONE

    def __pos__(self) -> Exact:
        return self

    def __abs__(self) -> Exact:
        return -self if self.sign() < 0 else self

    def __add__(self, other: Exact | int | Fraction) -> Exact:
        other = _take(other)
        if self._plain is not None and other._plain is not None:
            return plain(self._plain + other._plain)
        return total((self, other))

    __radd__ = __add__

    def __sub__(self, other: Exact | int | Fraction) -> Exact:
        return self + _take(other) * MINUS_ONE

    def __rsub__(self, other: Exact | int | Fraction) -> Exact:
        return _take(other) + self * MINUS_ONE

    def __mul__(self, other: Exact | int | Fraction) -> Exact:
        a, b = self, _take(other)
        if a._plain is not None and b._plain is not None:
            return plain(a._plain * b._plain)
        if b._plain is None:
            a, b = b, a
        if b._plain is not None:
            return _scaled(a, b._plain)
        if a._logs or b._logs:
            raise _log_times()
        found: dict[Denominator, Sum] = {}
        for da, na in a._terms.items():
            for db, nb in b._terms.items():
                put(found, joined(da, db), expsum.multiplied(na, nb))
        return _made(found, ())

    __rmul__ = __mul__

    def __truediv__(self, other: Exact | int | Fraction) -> Exact:
        """Raises DomainError for a divisor that is 0, UndecidedError for one that was not decided."""
        other = _take(other)
        if other._plain is not None:
            return self * plain(other._plain.inverse())
        below, back, shift, f = other._inverse()
        if self._logs:
            raise _log_times()
        found: dict[Denominator, Sum] = {}
        for den, num in self._terms.items():
            kept, flipped = cancelled(den, below)
            put(found, joined(kept, ((f, 1),)) if f is not None else kept, expsum.scaled(times(num, flipped), back, shift))
        return _made(found, ())

    def _inverse(self) -> tuple[Denominator, Surd, Surd, Factor | None]:
        """(D, c, m, f) with 1/self = D·c·e^m/f: a row sum divides a whole row, so it is kept."""
        if "inverse" not in self._memo:
            if self._logs:
                raise UnsupportedError("division by a sum with a logarithm leaves the exact numbers", next_move=_BALLS)
            below, above = common_fraction(self._terms)
            if not above:
                raise DomainError("division by zero", next_move="check the denominator")
            c, m, f = expsum.normalised(above)
            self._memo["inverse"] = (below, c.inverse(), -m, f)
        found: tuple[Denominator, Surd, Surd, Factor | None] = self._memo["inverse"]
        return found

    def __rtruediv__(self, other: Exact | int | Fraction) -> Exact:
        return _take(other) / self

    def __pow__(self, exponent: int | Fraction) -> Exact:
        return self.power(Fraction(exponent))

    # -- functions --------------------------------------------------------------------------------------------------------
    def power(self, exponent: Fraction) -> Exact:
        """self to a fixed rational exponent: any integer, halves where the root is exact, else rationals whose root is rational and
        e^m. Raises DomainError for 0 to a negative power or an even root of a negative number."""
        if exponent.denominator == 1:
            return _integer_power(self, exponent.numerator)
        if exponent.denominator == 2:
            return _integer_power(self.sqrt(), exponent.numerator)
        q = self.rational()
        if q is not None:
            return _integer_power(_rational_root(q, exponent.denominator), exponent.numerator)
        m = self.exponent()
        if m is not None:
            return _term(ONE, m * Surd.of(exponent))
        raise UnsupportedError(f"the power {exponent} of a number that is not visibly such a power", next_move=_BALLS)

    def exp(self) -> Exact:
        """e^self for self in Q(√…) plus integer multiples of logarithms. Else UnsupportedError."""
        if self._plain is not None:
            return _term(ONE, self._plain)
        return _exp_of_logs(self)

    def log(self) -> Exact:
        """The natural logarithm. Raises DomainError for a number ≤ 0."""
        return _log(self)

    def sqrt(self) -> Exact:
        """The root ≥ 0: of rationals ≥ 0 exactly, of others when visibly a square. Raises DomainError below 0."""
        q = self.rational()
        if q is not None:
            return plain(Surd.root(q))
        if self.sign() < 0:
            raise DomainError("the square root of a negative number", next_move="roots are taken of numbers ≥ 0")
        return _root_of_square(self)

    def tanh(self) -> Exact:
        """(e^2x − 1)/(e^2x + 1)."""
        if self._plain is not None and not self._plain:
            return self
        square = (self * 2).exp()
        return (square - 1) / (square + 1)

    def cos(self) -> Exact:
        """1 at 0; elsewhere a named hole."""
        return self._only_at_zero("cos", Exact.of(1))

    def sin(self) -> Exact:
        """0 at 0; elsewhere a named hole."""
        return self._only_at_zero("sin", Exact.of(0))

    def erf(self) -> Exact:
        """0 at 0; elsewhere a named hole."""
        return self._only_at_zero("erf", Exact.of(0))

    def _only_at_zero(self, name: str, there: Exact) -> Exact:
        if self.is_zero() is Truth.YES:
            return there
        raise UnsupportedError(f"{name} of a number that is not 0 leaves the exact numbers", next_move=_BALLS)

    def fold(self, algebra: Algebra[T]) -> T:
        """The number rebuilt in another arithmetic, from rationals, roots, exponentials and logarithms."""
        return rebuild(self._terms, self._logs, algebra, lambda f: _made({(): f.sum()}, ()).sign() < 0)


def larger(a: Exact, b: Exact) -> Exact:
    """The larger of two; `a` when they are equal. Raises UndecidedError when the cap on precision comes first."""
    return b if (a - b).sign() < 0 else a


def total(xs: Iterable[Exact]) -> Exact:
    """The sum of many numbers, fractions with the same denominator together."""
    listed = list(xs)
    logs: dict[LogAtom, Fraction] = {}
    for x in listed:
        for atom, q in x.logs:
            logs[atom] = logs.get(atom, Fraction(0)) + q
    return _made(gathered(x.terms for x in listed), tuple([(atom, q) for atom, q in logs.items() if q]))


# -- making -------------------------------------------------------------------------------------------------------------
_BALLS = 'numbers="balls" encloses it'


def plain(x: Surd) -> Exact:
    """A number of Q(√…)."""
    made = object.__new__(Exact)
    made._plain = x
    made._terms = {(): {ZERO: x}} if x else {}
    made._logs = ()
    made._memo = {}
    return made


def _term(c: Surd, m: Surd) -> Exact:
    return _made({(): {m: c}}, ())


def _made(terms: Terms, logs: Logs) -> Exact:
    if not logs:
        if not terms:
            return plain(ZERO)
        if len(terms) == 1 and () in terms and len(terms[()]) == 1 and ZERO in terms[()]:
            return plain(terms[()][ZERO])
    made = object.__new__(Exact)
    made._plain = None
    made._terms = terms
    made._logs = tuple(sorted(logs, key=atom_key)) if len(logs) > 1 else logs
    made._memo = {}
    return made


def _take(x: Exact | int | Fraction) -> Exact:
    return x if isinstance(x, Exact) else Exact.of(x)


def _scaled(x: Exact, c: Surd) -> Exact:
    if not c:
        return plain(ZERO)
    if c == ONE:
        return x
    q = c.rational()
    if x.logs and q is None:
        raise _log_times()
    logs = tuple([(atom, q * k) for atom, k in x.logs]) if q is not None else ()
    return _made({den: expsum.scaled(num, c) for den, num in x.terms.items()}, logs)


def _log_times() -> UnsupportedError:
    return UnsupportedError("a logarithm times a number that is not rational leaves the exact numbers", next_move=_BALLS)


# -- deciding -----------------------------------------------------------------------------------------------------------
def _decide_zero(x: Exact) -> Truth:
    if any(ball_sign(x.terms, x.logs, bits) for bits in (START_BITS, 4 * START_BITS)):
        return Truth.NO
    if x.logs:
        found = _zero_with_logs(x)
    else:
        try:
            found = Truth.of(not common_fraction(x.terms, DECISION_TERMS)[1])
        except UnsupportedError:
            found = Truth.UNKNOWN
    if found is Truth.UNKNOWN and ball_sign(x.terms, x.logs, CAP_BITS):
        return Truth.NO
    return found


def _zero_with_logs(x: Exact) -> Truth:
    """x = m + Σ q·log L is 0 exactly when e^(kx) is 1, for k that makes every k·q an integer."""
    k = lcm(*[q.denominator for _, q in x.logs])
    if max(abs(k * q) for _, q in x.logs) > 64:
        return Truth.UNKNOWN
    try:
        return ((x * k).exp() - 1).is_zero()
    except UnsupportedError:
        return Truth.UNKNOWN


def _decide_sign(x: Exact) -> int:
    bits = START_BITS
    while bits <= CAP_BITS:
        found = ball_sign(x.terms, x.logs, bits)
        if found:
            return found
        if bits > START_BITS and x.is_zero() is Truth.YES:
            return 0
        bits *= 2
    raise UndecidedError(f"the sign of an exact number is not decided at {CAP_BITS} bits", next_move="it may be 0 without a proof")


def _leading_digits(x: Exact, *, proven: bool) -> int:
    """A hash of floor(x·2**64): decided where x is proven not to be rational; else the hash is refused."""
    bits = 128
    while bits <= CAP_BITS and proven:
        found = x.enclose(bits)
        low, high = (e * 2**64 // 1 for e in (found.lo, found.hi))
        if low == high:
            return hash(("Exact", low))
        bits *= 2
    raise UndecidedError(
        "an exact number that is not proven irrational, or holds a logarithm, has no hash", next_move="use its text as the key"
    )


# -- functions ----------------------------------------------------------------------------------------------------------
def _integer_power(x: Exact, n: int) -> Exact:
    q = x.rational()
    if q is not None:
        if n < 0 and q == 0:
            raise DomainError("0 to a negative power", next_move="check the base")
        if q not in (0, 1, -1) and abs(n) * max(q.numerator.bit_length(), q.denominator.bit_length()) > 2 * MAX_BITS:
            raise too_large()
        return plain(Surd.of(q**n))
    if n < 0:
        return Exact.of(1) / _integer_power(x, -n)
    m = x.exponent()
    if m is not None:
        return _term(ONE, m * Surd.of(n))
    if n > MAX_TERMS:
        raise too_large()
    result = Exact.of(1)
    square = x
    while n:
        if n & 1:
            result = result * square
        n >>= 1
        if n:
            square = square * square
    return result


def _rational_root(q: Fraction, k: int) -> Exact:
    if k > 64:
        raise UnsupportedError(f"the {k}-th root of a rational number", next_move=_BALLS)
    if q < 0 and k % 2 == 0:
        raise DomainError(f"an even root of a negative number ({short(q)})", next_move="roots are taken of numbers ≥ 0")
    a, b = _integer_root(abs(q.numerator), k), _integer_root(q.denominator, k)
    if a is None or b is None:
        raise UnsupportedError(f"the {k}-th root of {short(q)}, which is not a rational number", next_move=_BALLS)
    return plain(Surd.of(Fraction(-a if q < 0 else a, b)))


def _integer_root(x: int, k: int) -> int | None:
    low, high = 0, 1 << (x.bit_length() // k + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if middle**k <= x:
            low = middle
        else:
            high = middle - 1
    return low if low**k == x else None


def _exp_of_logs(x: Exact) -> Exact:
    rest = x.terms
    exponent = ZERO
    if rest:
        if set(rest) != {()} or set(rest[()]) != {ZERO}:
            raise UnsupportedError("an exponential of an exponential leaves the exact numbers", next_move=_BALLS)
        exponent = rest[()][ZERO]
    result = _term(ONE, exponent)
    for atom, q in x.logs:
        if isinstance(atom, int):
            base = Exact.of(atom)
        elif isinstance(atom, Surd):
            base = plain(atom)
        else:
            base = abs(_made({(): atom.sum()}, ()))
        if q.denominator != 1 and not (q.denominator == 2 and isinstance(atom, int)):
            raise UnsupportedError(f"e to {q} times a logarithm is a root, which leaves the exact numbers", next_move=_BALLS)
        if abs(q) > 64 and not isinstance(atom, int):
            raise expsum.too_many_terms(MAX_TERMS)
        n = q if q.denominator == 2 else Fraction(q.numerator)
        result = result * base.power(n) if n > 0 else result / base.power(-n)
    return result


def _log(x: Exact) -> Exact:
    if x.logs:
        raise UnsupportedError("a logarithm of a logarithm leaves the exact numbers", next_move=_BALLS)
    if x.is_zero() is Truth.YES:
        raise DomainError("the logarithm of 0", next_move="logarithms are taken of numbers > 0")
    if x.sign() <= 0:
        raise DomainError("the logarithm of a negative number", next_move="logarithms are taken of numbers > 0")
    den, num = common_fraction(x.terms)
    c, m, f = expsum.normalised(num)
    logs: dict[LogAtom, Fraction] = {}
    log_of_surd(c if c.sign() > 0 else -c, logs)
    if f is not None:
        logs[f] = logs.get(f, Fraction(0)) + 1
    for factor, power in den:
        logs[factor] = logs.get(factor, Fraction(0)) - power
    terms: dict[Denominator, Sum] = {(): {ZERO: m}} if m else {}
    return _made(terms, tuple((atom, q) for atom, q in logs.items() if q))


def _root_of_square(x: Exact) -> Exact:
    """√x for a positive x that is one fraction of which numerator and denominator are visibly squares."""
    if not x.logs and len(x.terms) == 1:
        ((den, num),) = x.terms.items()
        c, m, f = expsum.normalised(num)
        q = c.rational()
        top = {ZERO: ONE} if f is None else expsum.square_root(f)
        bottom: Sum | None = {ZERO: ONE}
        for factor, power in den:
            root = factor.sum() if power % 2 == 0 else expsum.square_root(factor)
            for _ in range(power // 2 if power % 2 == 0 else power):
                bottom = None if root is None or bottom is None else expsum.multiplied(bottom, root)
        if q is not None and q > 0 and top is not None and bottom is not None:
            outside = _term(Surd.root(q), m * Surd.of(Fraction(1, 2)))
            return outside * abs(_made({(): top}, ()) / _made({(): bottom}, ()))
    raise UnsupportedError("the square root of a number that is not visibly a square leaves the exact numbers", next_move=_BALLS)


MINUS_ONE = plain(Surd.of(-1))
