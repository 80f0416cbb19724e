"""From claim lines to single claims: which printed number means which entry.

Promises: numbers of a quote are matched with entries in order, a mismatch in count is an error with its place; the same
digits for the same entry in the same unit are an echo, not a claim. Does not promise: a verdict (sheets/claims.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from symattn.claims.model import Spot
from symattn.errors import SheetError, SymattnError, UndecidedError
from symattn.number.decimal import Printed, guess_decimal_mark, parse_printed, scaled
from symattn.sheets.compiled import Compiled, Target
from symattn.sheets.places import Found, SourceDocument, Token, find
from symattn.sheets.source import ClaimLine, GivenBlock, StepBlock
from symattn.sheets.trace import Entry, inner

BALL_BITS = 64
Key = tuple[str, tuple[int, ...], int, Fraction, int, bool]


@dataclass
class Item:
    """One claim before judging. `term` is the place of a summand, -1 for the entry itself; `block` the part of the worksheet."""

    kind: str
    line: ClaimLine
    found: Found
    block: int
    target: Target
    entry: Entry | None
    term: int = -1
    token: Token | None = None
    printed: Printed | None = None
    addends: tuple[tuple[Token, Printed], ...] = ()
    echoes: list[Spot] = field(default_factory=list)

    @property
    def spot(self) -> Spot:
        """Where it stands in the document."""
        return self.token.spot if self.token is not None else self.found.spot


@dataclass
class Collected:
    """All items in file order, the first print of each entry and term, and which places quotes cover."""

    items: list[Item]
    primary: dict[tuple[Entry, int], Item]
    covered: set[Spot]


class Collector:
    """Goes through a worksheet's claim lines once, in order."""

    def __init__(self, compiled: Compiled, source: SourceDocument) -> None:
        self.compiled = compiled
        self.source = source
        self.items: list[Item] = []
        self.primary: dict[tuple[Entry, int], Item] = {}
        self.seen: dict[Key, Item] = {}
        self.spots: dict[Spot, Item] = {}
        self.covered: set[Spot] = set()
        self._operands: list[tuple[Item, Token]] = []
        self._quotes = self._all_tokens()

    def collect(self) -> Collected:
        """The items. Raises SheetError for quotes that are not there or do not fit their address."""
        for number, part in enumerate(self.compiled.sheet.parts):
            if isinstance(part, GivenBlock | StepBlock):
                for line in part.claims:
                    try:
                        self.line(line, number)
                    except SymattnError as error:
                        raise error.at(self.compiled.sheet.place(line.line, line.target.column)) from None
        for item, token in self._operands:
            self.operand(item, token)
        return Collected(self.items, self.primary, self.covered)

    def _all_tokens(self) -> list[str]:
        return [
            token
            for part in self.compiled.sheet.parts
            if isinstance(part, GivenBlock | StepBlock)
            for line in part.claims
            for token in line.quote.split()
        ]

    def error(self, line: ClaimLine, message: str, next_move: str = "") -> SheetError:
        return SheetError(message, place=self.compiled.sheet.place(line.line, line.target.column), next_move=next_move)

    def line(self, line: ClaimLine, block: int) -> None:
        found = find(self.compiled.sheet, line, self.source)
        for token in (*found.claimed, *found.others):
            self.covered.add(token.spot)
        if line.kind == "order":
            order = self.compiled.orders[line.target]
            target = Target(order.text, order.entries[0].stage, order.entries, named=True)
            self.items.append(Item("order", line, found, block, target, None))
            return
        target = self.compiled.targets[line.target]
        match line.kind:
            case "terms" | "factors":
                self.parts(line, found, block, target)
            case "sum":
                self.total(line, found, block, target)
            case _:
                self.numbers(line, found, block, target)

    def numbers(self, line: ClaimLine, found: Found, block: int, target: Target) -> None:
        if len(found.claimed) != len(target.entries):
            raise self.error(
                line,
                f"the quote holds {len(found.claimed)} claimed numbers ({', '.join(t.text for t in found.claimed) or 'none'}) but "
                f"`{target.text}` has {len(target.entries)} entries",
                "the numbers after the last =, ≈ or → of a quote are claimed, or all when it has none",
            )
        last: Item | None = None
        for token, entry in zip(found.claimed, target.entries, strict=True):
            last = self.add("measured" if line.kind == "measured" else "number", line, found, block, target, entry, -1, token)
        if last is not None and len(target.entries) == 1:
            self._operands.extend((last, token) for token in found.others)

    def parts(self, line: ClaimLine, found: Found, block: int, target: Target) -> None:
        """Summands of one entry, or the factors of its products (which echo earlier prints)."""
        if len(target.entries) != 1:
            raise self.error(line, f"`{line.kind}` is about one entry, but `{target.text}` has {len(target.entries)}")
        entry = target.entries[0]
        trace = self.compiled.tracer.trace(entry)
        if not trace.terms:
            raise self.error(line, f"`{target.text}` is not a sum", "terms and factors belong to sums")
        if line.kind == "factors":
            leaves = list(trace.leaves.values()) if len(trace.leaves) >= len(found.claimed) else []
            ordered = self._factors(entry) or leaves
            if len(found.claimed) > len(ordered):
                raise self.error(line, f"the quote holds {len(found.claimed)} factors but `{target.text}` has {len(ordered)}")
            for token, leaf in zip(found.claimed, ordered, strict=False):
                self.add("number", line, found, block, target, leaf, -1, token)
            return
        if len(found.claimed) != len(trace.terms):
            raise self.error(line, f"the quote holds {len(found.claimed)} numbers but `{target.text}` has {len(trace.terms)} terms")
        for k, token in enumerate(found.claimed):
            self.add("number", line, found, block, target, entry, k, token)

    def _factors(self, entry: Entry) -> list[Entry]:
        """The named leaves of an entry in the order in which they are written, repeats included."""
        from symattn.program.scalar import Arg, walk

        trace = self.compiled.tracer.trace(entry)
        return [trace.leaves[node.name] for term in trace.terms for node in walk(term) if isinstance(node, Arg)]

    def total(self, line: ClaimLine, found: Found, block: int, target: Target) -> None:
        if len(found.claimed) != 1:
            raise self.error(line, "a sum claims one total", "end the quote with the total")
        token = found.claimed[0]
        addends = tuple((t, self.read(line, t)) for t in found.others)
        self.items.append(Item("sum", line, found, block, target, None, -1, token, self.read(line, token), addends))

    def add(
        self, kind: str, line: ClaimLine, found: Found, block: int, target: Target, entry: Entry, term: int, token: Token
    ) -> Item:  # fmt: skip
        printed = self.read(line, token, entry if term < 0 else None)
        stage = entry.stage if target.named or inner(entry.stage) is False else target.text
        key = (stage, entry.index, term, printed.value, printed.places, printed.percent)
        known = self.seen.get(key)
        if known is not None and line.printed_from is None and kind == "number":
            if token.spot != known.spot and token.spot not in known.echoes:
                known.echoes.append(token.spot)
            self.spots.setdefault(token.spot, known)
            return known
        item = Item(kind, line, found, block, target, entry, term, token, printed)
        self.items.append(item)
        self.seen.setdefault(key, item)
        self.primary.setdefault((entry, term), item)
        self.spots.setdefault(token.spot, item)
        return item

    def operand(self, item: Item, token: Token) -> None:
        """A number before the sign: an echo of the operand it repeats, where that was printed before."""
        if token.spot in self.spots or item.entry is None or (token.spot.column == 0 and not self.source.at_hand):
            return
        mark = self.mark(item.line, token)
        if mark is None:
            return
        printed = parse_printed(token.text, mark)
        trace = self.compiled.tracer.trace(item.entry)
        terms = [self.primary.get((item.entry, k)) for k in range(len(trace.terms))]
        operands = [self.primary.get((leaf, -1)) for leaf in trace.leaves.values()]
        for candidate in (*terms, *operands):
            if candidate is not None and candidate.printed is not None and candidate.printed.plain == printed.plain:
                if token.spot not in candidate.echoes and token.spot != candidate.spot:
                    candidate.echoes.append(token.spot)
                self.spots.setdefault(token.spot, candidate)
                return

    def read(self, line: ClaimLine, token: Token, entry: Entry | None = None) -> Printed:
        """The printed number. Raises SheetError when it can be read in two ways and nothing around it decides."""
        mark = self.mark(line, token, entry)
        if mark is None:
            raise self.error(
                line,
                f"{token.text} can be read with either decimal mark, and nothing around it shows which",
                "quote more of its line, or leave the claim out",
            )
        return parse_printed(token.text, mark)

    def mark(self, line: ClaimLine, token: Token, entry: Entry | None = None) -> str | None:
        """The decimal mark of a number: its own evidence, then the value of the `entry` that it means, then its quote, then the habit of
        the worksheet's quotes; None when it stays ambiguous."""

        def holds(mark: str) -> bool:
            assert entry is not None
            printed = parse_printed(token.text, mark)
            own = printed.interval()
            try:
                exact = scaled(self.compiled.quantities.of(entry.stage, entry.index), printed.scale).enclose(BALL_BITS)
            except UndecidedError:
                return False
            return exact.lo <= own.hi and own.lo <= exact.hi

        around: Iterable[str] = line.quote.split()
        return guess_decimal_mark(token.text, holds=None if entry is None else holds, around=around, document=self._quotes)
