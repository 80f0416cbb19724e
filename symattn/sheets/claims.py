"""Verdicts on every printed number of a worksheet's document, along the document's own chain.

Promises: v is the exact value from the givens; w is the same definition with each operand replaced by the document's own
printed number for it, W with its slack; an operand judged off-by or wrong poisons both and is named in `inherits`.
Does not promise: to find claims; the worksheet names them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce

from symattn.claims.judge import judge, labelled
from symattn.claims.measured import dot_product_kurtosis, ordinary_up_to
from symattn.claims.model import FINDINGS, Claim, Hint, Judgement
from symattn.claims.operands import Operand, interval_value, operand
from symattn.claims.order import changed_entries, judge_order
from symattn.claims.report import claim_id
from symattn.claims.sums import is_whole, judge_sum
from symattn.errors import Place, SheetError, SymattnError
from symattn.number.decimal import Printed
from symattn.number.truth import Enclosure, Quantity, Rational, compare
from symattn.program.scalar import Arg, Binary, Num, Power, Scalar, Unary, walk
from symattn.sheets.compiled import Compiled, Target
from symattn.sheets.evaluate import evaluate
from symattn.sheets.items import Collected, Item
from symattn.sheets.notation import entry_text
from symattn.sheets.trace import Entry, Trace, inner
from symattn.sheets.typeset import tree_text


@dataclass(frozen=True)
class Judged:
    """An item with its claim."""

    item: Item
    claim: Claim


@dataclass(frozen=True)
class _Operands:
    """The printed operands of an expression: points and slacks by leaf, and the claim that poisons it ("" for none)."""

    values: Mapping[str, Operand]
    printed: bool
    poisoned: str
    untraced: bool


class Judge:
    """Judges items on demand, so that an operand is judged before what is computed from it."""

    def __init__(self, compiled: Compiled, collected: Collected) -> None:
        self.compiled = compiled
        self.collected = collected
        self._done: dict[int, Judged] = {}
        self._open: set[int] = set()
        self._ids = _ids(collected.items)

    def all(self) -> list[Judged]:
        """Every item with its claim, in file order."""
        found = [self.judged(item) for item in self.collected.items]
        return self._with_orders(found)

    def judged(self, item: Item) -> Judged:
        """One item with its claim."""
        key = id(item)
        if key not in self._done:
            self._open.add(key)
            try:
                self._done[key] = Judged(item, self._claim(item))
            except SymattnError as error:
                raise error.at(self._place(item)) from None
            self._open.discard(key)
        return self._done[key]

    def _place(self, item: Item) -> Place:
        return self.compiled.sheet.place(item.line.line, item.line.target.column)

    # -- one claim --------------------------------------------------------------------------------------------------------
    def _claim(self, item: Item) -> Claim:
        judgement, meaning, closed, inherits = self._judge(item)
        return Claim(
            id=self._ids[id(item)],
            kind=item.kind if item.kind in ("sum", "order") else "number",
            spot=item.spot,
            quote=item.found.excerpt(item.token) if item.token is not None else item.found.quote[:60],
            printed=item.printed.token if item.printed is not None else order_text(self.compiled, item),
            meaning=meaning,
            judgement=judgement,
            closed_form=closed,
            occurrence=item.found.occurrence if item.found.repeats else None,
            inherits=inherits or None,
            echoes=tuple(sorted(item.echoes, key=lambda s: (s.line, s.column))),
            address=item.target.text,
        )

    def _judge(self, item: Item) -> tuple[Judgement, str, str | None, str]:
        if item.kind == "order":
            order = self.compiled.orders[item.line.target]
            return judge_order([self.value(e) for e in order.entries], order.signs), order.text.split(":", 1)[-1].strip(), None, ""
        assert item.printed is not None
        if item.kind == "sum":
            return self._sum(item)
        assert item.entry is not None
        v = self.exact(item)
        closed = _closed_text(v)
        if item.kind == "measured":
            return self._measured(item)
        if self._is_given(item) and v.rational() == item.printed.plain:
            return labelled("given", item.printed, v), self._own_name(item.entry), None, ""
        trace = self._trace(item)
        operands = self._operands(item, trace)
        w, interval = self._printed_value(trace, operands, item.printed)
        judgement = judge(
            item.printed, v, w=w, interval=interval, integer=self._integers(trace), declared=item.line.declared or item.printed.ellipsis
        )
        if operands.untraced and judgement.reach == "interval" and not judgement.reason:
            judgement = replace(judgement, reason="operands of unknown origin")
        return judgement, self._meaning(item), closed, operands.poisoned

    def _measured(self, item: Item) -> tuple[Judgement, str, str | None, str]:
        """A number that the document measured. `from EXPR` says what it estimates: the report then gives that exact value, and `reason`
        the largest number of samples at which such a deviation is still within two standard errors ("any" when it always is)."""
        assert item.printed is not None
        assert item.entry is not None
        if item.line.printed_from is None:
            return labelled("measured", item.printed), self._own_name(item.entry), None, ""
        entry = self.compiled.targets[item.line.printed_from].entries[0]
        sigma = self.value(entry)
        if compare(sigma, Rational(Fraction(0))) != 1:
            raise SheetError("what a measured number estimates is a standard deviation, and this is not positive", place=self._place(item))
        variance = evaluate(Power(Arg("sigma"), Fraction(2)), {"sigma": sigma}).rational()
        kurtosis = dot_product_kurtosis(int(variance)) if variance is not None and variance.denominator == 1 else Fraction(3)
        samples = ordinary_up_to(item.printed, sigma, kurtosis)
        found = replace(labelled("measured", item.printed, sigma), reason="any" if samples is None else str(samples))
        trace = self.compiled.tracer.trace(entry)
        return found, tree_text(trace.tree, lambda key: entry_text(self.compiled.program, trace.leaves[key])), _closed_text(sigma), ""

    def _sum(self, item: Item) -> tuple[Judgement, str, str | None, str]:
        assert item.printed is not None
        addends, poisoned = self._addends(item)
        meaning = f"sum({item.target.text})" if len(item.target.entries) > 1 else item.target.text
        if not addends:
            raise SheetError(
                f"the total {item.printed.token} has no printed addends",
                place=self._place(item),
                next_move="quote the addends with it, or write a claim line for each entry first",
            )
        if is_whole(item.printed):
            return judge_sum(item.printed, addends), meaning, None, poisoned
        total = sum((a.value for a in addends), Fraction(0))
        return judge(item.printed, Rational(total)), meaning, None, poisoned

    def _addends(self, item: Item) -> tuple[list[Operand], str]:
        """The printed addends, each with the slack of the claim it repeats."""
        found: list[Operand] = []
        poisoned = ""
        firsts = [self.collected.primary.get((e, -1)) for e in item.target.entries]
        texts = [p for _, p in item.addends] or [f.printed for f in firsts if f is not None and f.printed is not None]
        for printed in texts:
            source = next((f for f in firsts if f is not None and f.printed is not None and f.printed.plain == printed.plain), None)
            verdict = self.judged(source).claim.judgement.verdict if source is not None else None
            if source is not None and verdict in FINDINGS:
                poisoned = self.judged(source).claim.id
                verdict = "rounded"  # a sum is about what is printed: the addends stand as they are
            got = operand(printed, verdict)
            assert got is not None
            found.append(got)
        return found, poisoned

    def value(self, entry: Entry) -> Quantity:
        """The exact value of an entry."""
        return self.compiled.quantities.of(entry.stage, entry.index)

    def exact(self, item: Item) -> Quantity:
        """v: the exact value of a number claim."""
        assert item.entry is not None
        if item.term < 0:
            return self.value(item.entry)
        trace = self.compiled.tracer.trace(item.entry)
        return evaluate(trace.terms[item.term], {k: self.value(e) for k, e in trace.leaves.items()})

    def _is_given(self, item: Item) -> bool:
        return item.entry is not None and item.term < 0 and (item.entry.stage in self.compiled.given_names or self._is_size(item.entry))

    def _is_size(self, entry: Entry) -> bool:
        """A free expression without operands (`d_k`, `3`) restates what the worksheet says."""
        trace = self.compiled.tracer.trace(entry)
        return not trace.leaves and isinstance(trace.tree, Num)

    # -- operands ---------------------------------------------------------------------------------------------------------
    def _trace(self, item: Item) -> Trace:
        """The expression that the document's own number was computed by."""
        assert item.entry is not None
        if item.line.printed_from is not None:
            target = self.compiled.targets[item.line.printed_from]
            at = item.target.entries.index(item.entry) if len(target.entries) == len(item.target.entries) else 0
            return _free_literals(self.compiled.tracer.trace(target.entries[at]))
        first = self.collected.primary.get((item.entry, item.term))
        if first is not None and first is not item and id(first) not in self._open:
            # A coarser print of the same entry, or one in another unit, was made from the first print.
            return Trace(Arg("first"), {"first": item.entry})
        trace = self.compiled.tracer.trace(item.entry)
        if item.term >= 0:
            return Trace(trace.terms[item.term], trace.leaves)
        if trace.terms and all((item.entry, k) in self.collected.primary for k in range(len(trace.terms))):
            names = [f"term {k}" for k in range(len(trace.terms))]
            parts: list[Scalar] = [Arg(n) for n in names]
            return Trace(reduce(lambda a, b: Binary("add", a, b), parts), dict.fromkeys(names, item.entry), tuple(parts))
        return trace

    def _operands(self, item: Item, trace: Trace) -> _Operands:
        values: dict[str, Operand] = {}
        printed = untraced = False
        poisoned = ""
        used = {node.name for node in walk(trace.tree) if isinstance(node, Arg)}
        for key, leaf in trace.leaves.items():
            if key not in used:
                continue
            term = int(key.removeprefix("term ")) if key.startswith("term ") else -1
            source = self.collected.primary.get((leaf, term))
            if source is None or source is item or id(source) in self._open or _after(source, item):
                continue
            assert source.printed is not None
            claim = self.judged(source).claim
            got = operand(source.printed, claim.judgement.verdict)
            if got is None:
                poisoned = poisoned or claim.id
                continue
            untraced = untraced or claim.judgement.verdict == "measured"
            values[key] = got
            printed = printed or claim.judgement.verdict not in ("given", "exact")
        for node in walk(trace.tree):
            if isinstance(node, Arg) and node.name.startswith("literal "):
                literal = _printed_literal(node.name)
                values[node.name] = operand(literal, None) or Operand(literal.plain)
                untraced = printed = True
        return _Operands(values, printed, poisoned, untraced)

    def _printed_value(self, trace: Trace, operands: _Operands, printed: Printed) -> tuple[Quantity | None, Callable[[], Enclosure] | None]:
        """w and W, or None where an operand poisons them or where no operand was printed with a rounding (then w = v)."""
        if operands.poisoned or not operands.printed:
            return None, None
        rest = {k: self.value(e) for k, e in trace.leaves.items() if k not in operands.values and not k.startswith("term ")}

        def at(points: Mapping[str, Fraction]) -> Quantity:
            return evaluate(trace.tree, {**rest, **{k: Rational(x) for k, x in points.items()}})

        own = printed.interval()
        target = Enclosure(own.lo / printed.scale, own.hi / printed.scale)
        w = at({k: o.value for k, o in operands.values.items()})
        return w, lambda: interval_value(at, operands.values, target=target)

    def _integers(self, trace: Trace) -> bool:
        """Are all numbers of the expression integers, so that its value is computed from exact integers?"""
        if any(isinstance(n, Unary) and n.op not in ("neg", "sqrt") for n in walk(trace.tree)):
            return False
        constants = [n.value for n in walk(trace.tree) if isinstance(n, Num)]
        values = [self.value(e).rational() for k, e in trace.leaves.items() if not k.startswith("term ")]
        written = [t for e in trace.leaves.values() if (t := self.compiled.given_texts.get(e)) is not None]
        return all(x is not None and x.denominator == 1 for x in (*constants, *values)) and all("." not in t for t in written)

    def _own_name(self, entry: Entry) -> str:
        """An entry under the name that people gave it; where they gave none, what it stands for."""
        if not inner(entry.stage):
            return entry_text(self.compiled.program, entry)
        trace = self.compiled.tracer.trace(entry)
        return tree_text(trace.tree, lambda key: entry_text(self.compiled.program, trace.leaves[key]))

    def _meaning(self, item: Item) -> str:
        assert item.entry is not None
        trace = self.compiled.tracer.trace(item.entry)
        tree = trace.terms[item.term] if item.term >= 0 else trace.tree
        return tree_text(tree, lambda key: entry_text(self.compiled.program, trace.leaves[key]))

    # -- groups -----------------------------------------------------------------------------------------------------------
    def _with_orders(self, found: list[Judged]) -> list[Judged]:
        """Marks entries of a printed vector that stand in a wrong order."""
        groups: dict[tuple[int, int], list[int]] = {}
        for at, judged in enumerate(found):
            item = judged.item
            if item.kind == "number" and item.term < 0 and len(item.target.entries) > 1 and item.line.kind == "number":
                groups.setdefault((item.line.line, item.block), []).append(at)
        result = list(found)
        for places in groups.values():
            printed = [p for at in places if (p := found[at].item.printed) is not None]
            values = [self.value(e) for at in places if (e := found[at].item.entry) is not None]
            for k in changed_entries(printed, values):
                judged = result[places[k]]
                if judged.claim.judgement.verdict in FINDINGS:
                    result[places[k]] = Judged(judged.item, replace(judged.claim, conclusion_changed=True))
        return result


def _after(source: Item, item: Item) -> bool:
    """Does `source` stand later in the document than `item`? A number is computed from what was printed before it."""
    return (source.spot.line, source.spot.column) > (item.spot.line, item.spot.column)


def order_text(compiled: Compiled, item: Item) -> str:
    """`perro > come > el`."""
    return compiled.orders[item.line.target].text.split(":", 1)[-1].strip()


def _ids(items: list[Item]) -> dict[int, str]:
    """Stable ids: the place and the printed text, a letter added when two share both."""
    taken: dict[str, int] = {}
    found: dict[int, str] = {}
    for item in items:
        spot = item.spot
        kind = item.kind if item.kind in ("sum", "order") else "number"
        name = claim_id(spot, item.printed.token if item.printed is not None else "", kind=kind)
        taken[name] = taken.get(name, 0) + 1
        found[id(item)] = name if taken[name] == 1 else f"{name}~{taken[name]}"
    return found


def _closed_text(v: Quantity) -> str | None:
    form = getattr(v, "closed_form", None)
    found = form() if form is not None else None
    return None if found is None or v.rational() is not None else str(found.text)


def _printed_literal(name: str) -> Printed:
    from symattn.number.decimal import parse_printed

    return parse_printed(name.removeprefix("literal ").split("#")[0])


def _free_literals(trace: Trace) -> Trace:
    """The trace with its written decimals as leaves, so that they can have slack: they are printed numbers of unknown origin."""
    count = 0

    def go(tree: Scalar) -> Scalar:
        nonlocal count
        match tree:
            case Num(value, text) if text and value.denominator != 1:
                count += 1
                return Arg(f"literal {text}#{count}")
            case Unary(op, x):
                return Unary(op, go(x))
            case Binary(op, a, b):
                return Binary(op, go(a), go(b))
            case Power(x, exponent):
                return Power(go(x), exponent)
            case _:
                return tree

    return Trace(go(trace.tree), trace.leaves)


__all__ = ["Hint", "Judge", "Judged", "Target", "order_text"]
