"""Written-out calculations: an entry in symbols, with its numbers, its terms and its result.

Promises: every printed row recomputes from what is printed on it. `=` stands only between equal things; `a ≈ b` holds iff
evaluating a with exactly the digits shown and rounding to the digits of b gives b. Where the page's usual digits would break
that, more digits of the operands are shown, never another result.
Does not promise: a layout; renderers place the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from symattn.errors import UndecidedError
from symattn.number.decimal import decimal_text, finite_text, half_up
from symattn.number.truth import Quantity, Rational
from symattn.page import math as m
from symattn.page.nodes import Chain, Ledger, Line, Margin, Term
from symattn.program.scalar import Arg, Binary, Scalar, walk
from symattn.sheets.notation import entry_math
from symattn.sheets.trace import Entry, Trace, Tracer
from symattn.sheets.typeset import fenced, is_negative, number_math, plus, typeset, width_mm
from symattn.sheets.values import Shown, Values, rounded, rounds_to, shown

MAX_EXTRA = 18
PATIENCE = 3  # tries for a row of products that rounds to its row of terms, before a ledger is written
ROW_MM = 104.0
CLOSED_MM = 55.0
Evaluate = Callable[[Scalar, Mapping[str, Quantity]], Quantity]


@dataclass(frozen=True)
class Marks:
    """The margin of an entry: of its result, and of its terms in order (empty when the document prints none)."""

    result: tuple[Margin, ...] = ()
    terms: tuple[Margin, ...] = ()


class Writer:
    """Writes entries out. `evaluate` computes a scalar tree from leaf values exactly; `closed` gives a short closed form or None."""

    def __init__(
        self, tracer: Tracer, values: Values, evaluate: Evaluate, closed: Callable[[Quantity], m.Math | None], terms_word: str
    ) -> None:
        self.tracer = tracer
        self.values = values
        self.evaluate = evaluate
        self.closed = closed
        self.terms_word = terms_word

    # -- digits that recompute -----------------------------------------------------------------------------------------
    def digits(self, trace: Trace, extra: int) -> dict[str, Shown]:
        """The shown digits of every leaf."""
        return {key: self.values.shown(leaf, extra) for key, leaf in trace.leaves.items()}

    def value_of(self, tree: Scalar, digits: Mapping[str, Shown]) -> Quantity:
        """The tree evaluated at exactly the digits shown."""
        match tree:
            case Binary("mul", Arg(a), Arg(b)):
                return Rational(digits[a].value * digits[b].value)  # by far the commonest tree: a term of a dot product
            case Arg(a):
                return Rational(digits[a].value)
            case _:
                used = {node.name for node in walk(tree) if isinstance(node, Arg)}
                return self.evaluate(tree, {key: Rational(digits[key].value) for key in used})

    def result(self, entry: Entry, exact_operands: bool) -> Shown:
        """The result's digits: in full where they end and the operands are whole, else rounded."""
        q = self.values.quantity(entry)
        places = self.values.places(entry.stage)
        if exact_operands:
            return shown(q, places)
        return Shown(rounded(q, places), False)

    def settle(self, entry: Entry, trace: Trace) -> tuple[dict[str, Shown], Shown]:
        """Digits of the operands, as few as possible, from which the result's digits follow."""
        for extra in range(MAX_EXTRA):
            digits = self.digits(trace, extra)
            exact = all(d.exact for d in digits.values())
            result = self.result(entry, exact)
            at = self.value_of(trace.tree, digits)
            if (at.rational() == result.value) if result.exact else rounds_to(at, result):
                return digits, result
            if exact:
                break
        raise UndecidedError(f"the digits of {entry.stage}{list(entry.index)} do not follow from {MAX_EXTRA} more digits of its operands")

    def term_text(self, entry: Entry, trace: Trace, term: int) -> Shown:
        """The digits of one summand."""
        q = self.evaluate(trace.terms[term], {key: self.values.quantity(leaf) for key, leaf in trace.leaves.items()})
        return shown(q, self.values.places(entry.stage))

    # -- rows -------------------------------------------------------------------------------------------------------------
    def rows(self, entry: Entry, marks: Marks, label: Callable[[], str], turn: int = 0, ledger: bool = False) -> list[Chain | Ledger]:
        """The entry written out. `turn` counts the instances of a step so far: the student sees the first in full, the terms of the
        second as empty boxes, of later ones the result only."""
        trace = self.tracer.trace(entry)
        left = entry_math(self.tracer.program, entry)
        if len(trace.terms) > 1 and not trace.maximum:
            return self._sum(entry, trace, left, marks, label, turn, ledger)
        return [Chain(tuple(self._simple(entry, trace, left, marks, label, turn)))]

    def _operand(self, key: str, trace: Trace, digits: Mapping[str, Shown]) -> m.Math:
        """An operand's digits; a result of an earlier step is a box that the student fills in again."""
        number = number_math(digits[key].text)
        return number if self.values.is_given(trace.leaves[key]) else m.Box(number, "term")

    def _simple(self, entry: Entry, trace: Trace, left: m.Math, marks: Marks, label: Callable[[], str], turn: int) -> list[Line]:
        if isinstance(trace.tree, Arg) or not trace.leaves:
            return self._constant(entry, trace, left, marks, label)
        digits, result = self.settle(entry, trace)
        exact = all(d.exact for d in digits.values())
        shown_tree = typeset(trace.tree, lambda key: self._operand(key, trace, digits))
        student = "dashed" if turn else "show"
        box = m.Box(number_math(result.text), "result", label(), _id(entry))
        whole = exact and result.exact
        form = self.closed(self.values.quantity(entry)) if exact and not result.exact else None
        middle: tuple[m.Math, ...] = ()
        if form is not None and width_mm(form) <= CLOSED_MM and leaves_text(form) != leaves_text(self._bare(trace)):
            middle = (m.Sign("="), form)
        relation = "=" if exact else "≈"
        row = m.Row((*_flat(shown_tree), *middle, m.Sign("=" if whole else "≈"), box))
        if width_mm(left) + width_mm(row) <= ROW_MM:
            lines = [Line(left, relation, row, marks.result, student)]
        else:
            lines = [
                Line(left, relation, m.Row((*_flat(shown_tree), *middle)), student=student),
                Line(m.EMPTY, "=" if whole else "≈", box, marks.result),
            ]
        return lines + ([] if exact else self._closed_line(entry, left))

    def _bare(self, trace: Trace) -> m.Math:
        """The expression with its operands without trailing zeros: a closed form that says just this adds nothing."""

        def leaf(key: str) -> m.Math:
            value = self.values.quantity(trace.leaves[key]).rational()
            return number_math((finite_text(value) if value is not None else None) or "?")

        return typeset(trace.tree, leaf)

    def _constant(self, entry: Entry, trace: Trace, left: m.Math, marks: Marks, label: Callable[[], str]) -> list[Line]:
        """A value without an operation on earlier entries: a given, a copy or an expression of constants."""
        result = self.values.shown(entry)
        box = m.Box(number_math(result.text), "result", label(), _id(entry))
        if isinstance(trace.tree, Arg):
            return [Line(left, "=" if result.exact else "≈", box, marks.result)]
        shown_tree = typeset(trace.tree, lambda key: m.Name(key))
        if shown_tree == number_math(result.text):
            return [Line(left, "=", box, marks.result)]
        return [Line(left, "=", m.Row((*_flat(shown_tree), m.Sign("=" if result.exact else "≈"), box)), marks.result)]

    def _closed_line(self, entry: Entry, left: m.Math) -> list[Line]:
        q = self.values.quantity(entry)
        form = self.closed(q)
        if form is None or width_mm(form) > CLOSED_MM:
            return []
        whole = shown(q, 0)
        if whole.exact:
            return [Line(left, "=", number_math(whole.text), student="hide")]
        at_hand = rounded(q, self.values.places(entry.stage))
        return [Line(left, "=", m.Row((*_flat(form), m.Sign("≈"), number_math(at_hand))), student="hide")]

    # -- sums --------------------------------------------------------------------------------------------------------------
    def _sum(
        self, entry: Entry, trace: Trace, left: m.Math, marks: Marks, label: Callable[[], str], turn: int, ledger: bool
    ) -> list[Chain | Ledger]:
        products = any(not isinstance(t, Arg) for t in trace.terms)
        plan = self._plan(entry, trace, products)
        digits, terms, result, exact, chained = plan
        factors = [typeset(t, lambda key: self._operand(key, trace, digits)) for t in trace.terms]
        factors = [fenced(f) if is_negative(f) else f for f in factors]
        box = m.Box(number_math(result.text), "result", label(), _id(entry))
        whole = exact and result.exact
        verdicts = {(x.verdict, x.off) for x in marks.terms}
        wide = width_mm(left) + width_mm(plus(factors)) > ROW_MM or (
            products and width_mm(left) + sum(1.95 * len(t.text) + 6.5 for t in terms) > ROW_MM
        )
        student = ("show", "dashed", "hide")[min(turn, 2)]
        if ledger or wide or len(verdicts) > 1 or not chained:
            return [self._ledger(left, factors, terms, result, whole, marks, box, products, student), *self._after(entry, left, exact)]
        first = Line(left, "=" if exact else "≈", plus(factors), space_above=True, student=student)
        lines = [first]
        if products:
            boxed = plus([m.Box(fenced(b) if is_negative(b) else b, "term") for b in (number_math(t.text) for t in terms)])
            relation = "=" if exact and all(t.exact for t in terms) else "≈"
            lines.append(Line(m.EMPTY, relation, boxed, self._shared(marks.terms), student=student))
        elif marks.terms:
            lines[0] = Line(left, first.relation, first.right, self._shared(marks.terms), space_above=True)
        last_relation = "=" if whole else "≈"
        if not products and width_mm(left) + width_mm(first.right) + 30 <= ROW_MM:
            lines[0] = Line(
                left, first.relation, m.Row((*_flat(first.right), m.Sign(last_relation), box)), (*lines[0].margin, *marks.result)
            )
        else:
            lines.append(Line(m.EMPTY, last_relation, box, marks.result))
        return [Chain(tuple(lines)), *self._after(entry, left, exact)]

    def _after(self, entry: Entry, left: m.Math, exact: bool) -> list[Chain | Ledger]:
        lines = [] if exact else self._closed_line(entry, left)
        return [Chain(tuple(lines))] if lines else []

    def _plan(self, entry: Entry, trace: Trace, products: bool) -> tuple[dict[str, Shown], list[Shown], Shown, bool, bool]:
        """Digits of factors, of terms and of the sum. The last answer says whether the row of products also rounds to the row of terms
        (else the sum is written as a ledger, whose rows stand alone)."""
        truth = {key: self.values.quantity(leaf) for key, leaf in trace.leaves.items()}
        true_terms = [self.evaluate(t, truth) for t in trace.terms]
        fallback: tuple[dict[str, Shown], list[Shown], Shown, bool, bool] | None = None
        places = self.values.places(entry.stage)
        whole = self.digits(trace, 0)
        exact = all(d.exact for d in whole.values())
        result = self.result(entry, exact)
        for extra in range(MAX_EXTRA):
            if products:
                terms = [
                    shown(t, places, extra) if exact or t.rational() == 0 else Shown(rounded(t, places, extra), False) for t in true_terms
                ]
                if exact and all(t.exact for t in terms):
                    terms = aligned(terms)
                    found: tuple[dict[str, Shown], list[Quantity]] | None = whole, []
                else:
                    found = self._factors(trace, terms, extra)
            else:
                digits = self.digits(trace, extra)
                terms = [digits[t.name] for t in trace.terms if isinstance(t, Arg)]
                found = digits, []
            total = sum((t.value for t in terms), Fraction(0))
            follows = total == result.value if result.exact and exact else half_up(total, result.places) == result.value
            if found is None or not follows:
                continue
            digits, at = found
            chained = not products or all(t.exact for t in terms)
            together = [a.rational() for a in at]
            if not chained and all(x is not None for x in together):
                last = max(t.places for t in terms)
                chained = half_up(sum((x for x in together if x is not None), Fraction(0)), last) == total
            plan = digits, terms, result, exact, chained
            if chained:
                return plan
            fallback = fallback or plan
            if extra >= PATIENCE:
                break
        if fallback is not None:
            return fallback
        raise UndecidedError(f"the digits of {entry.stage}{list(entry.index)} do not follow from {MAX_EXTRA} more digits of its terms")

    def _factors(self, trace: Trace, terms: list[Shown], extra: int) -> tuple[dict[str, Shown], list[Quantity]] | None:
        """Digits of the factors from which every term's digits follow, and the products of just those digits."""
        for more in range(extra, extra + MAX_EXTRA):
            digits = self.digits(trace, more)
            at = [self.value_of(t, digits) for t in trace.terms]
            if all(a.rational() == t.value if t.exact else rounds_to(a, t) for a, t in zip(at, terms, strict=True)):
                return digits, at
            if all(d.exact for d in digits.values()):
                return None
        return None

    def _ledger(
        self, left: m.Math, factors: list[m.Math], terms: list[Shown], result: Shown, whole: bool, marks: Marks, box: m.Math,
        products: bool, student: str,
    ) -> Ledger:  # fmt: skip
        margins = marks.terms or ((),) * len(terms)
        rows = tuple(
            Term(
                f if products else m.EMPTY,
                ("=" if t.exact else "≈") if products else "",
                t.text,
                (mark,) if isinstance(mark, Margin) else (),
            )
            for f, t, mark in zip(factors, terms, margins, strict=True)
        )
        return Ledger(rows, Line(left, "=" if whole else "≈", box, marks.result), student)

    def _shared(self, margins: tuple[Margin, ...]) -> tuple[Margin, ...]:
        """One entry for several numbers with one verdict."""
        if len(margins) <= 1:
            return margins
        first = margins[0]
        return (Margin(f"{len(margins)} {self.terms_word}", first.verdict, plural=True, claim=first.claim),)


def aligned(terms: list[Shown]) -> list[Shown]:
    """Whole terms with as many decimals each, so that a column of them can be added by hand."""
    if not all(t.exact and "e" not in t.text for t in terms):
        return terms
    places = max(t.places for t in terms)
    return [Shown(decimal_text(t.value, places), True) for t in terms]


def leaves_text(body: m.Math) -> str:
    """The texts of a formula one after the other: two formulas that read alike give the same."""
    match body:
        case m.Number(text) | m.Name(text) | m.Sign(text) | m.Words(text):
            return text
        case m.Row(items):
            return "".join(map(leaves_text, items))
        case m.Script(base, sub, sup):
            return leaves_text(base) + leaves_text(sub) + leaves_text(sup)
        case m.Fraction(a, b):
            return f"({leaves_text(a)})/({leaves_text(b)})"
        case m.Root(x) | m.Fence(x, _) | m.Box(x):
            return f"({leaves_text(x)})"
        case _:
            return repr(body)


def _flat(body: m.Math) -> tuple[m.Math, ...]:
    return body.items if isinstance(body, m.Row) else (body,)


def _id(entry: Entry) -> str:
    return "-".join((entry.stage, *map(str, entry.index)))
