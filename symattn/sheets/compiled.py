"""A worksheet as one program: givens are inputs, definitions are stages, claims and statements are addresses into it.

Promises: everything a worksheet says is compiled once, with places; values come from the exact reading, or from balls that are
raised on demand. Does not promise: verdicts (sheets/claims.py) or pages (sheets/page.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from symattn.errors import SheetError, SymattnError
from symattn.language.ast import Node
from symattn.language.builder import AxisDecl, Builder
from symattn.language.parser import parse, parse_relation
from symattn.program.program import Program
from symattn.sheets.source import ClaimLine, Code, Definition, GivenBlock, SheetSource, StatementBlock, StepBlock
from symattn.sheets.trace import Entry, Tracer

if TYPE_CHECKING:
    from symattn.interp.quantities import Quantities


@dataclass(frozen=True)
class Target:
    """What an expression of a claim or a display points at: entries of a stage, row-major. `named` says that people named the stage;
    else it is a hidden one made for a free expression."""

    text: str
    stage: str
    entries: tuple[Entry, ...]
    named: bool

    def fixed(self) -> tuple[int | None, ...]:
        """For each axis the position all entries share, or None."""
        columns = list(zip(*(e.index for e in self.entries), strict=True))
        several = len(self.entries) > 1
        return tuple(column[0] if len(set(column)) == 1 and (not several or len(columns) > 1) else None for column in columns)


@dataclass(frozen=True)
class Comparison:
    """A compiled relation: `pairs` are what must hold, `chain` the entries of its first row, one a side."""

    text: str
    pairs: tuple[tuple[Entry, str, Entry], ...]
    chain: tuple[Entry, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True)
class OrderTarget:
    """`S[perro]: perro > come > el`: the entries in the order stated."""

    text: str
    entries: tuple[Entry, ...]
    signs: tuple[str, ...]


@dataclass
class Compiled:
    """A worksheet's program with everything that points into it."""

    sheet: SheetSource
    program: Program
    feeds: Mapping[str, Any]
    quantities: Quantities
    tracer: Tracer
    given_texts: Mapping[Entry, str]
    given_names: frozenset[str]
    targets: Mapping[Code, Target]
    orders: Mapping[Code, OrderTarget]
    relations: Mapping[Code, Comparison]
    definitions: Mapping[str, str] = field(default_factory=dict)


def compile_sheet(sheet: SheetSource) -> Compiled:
    """The worksheet's program. Raises a SymattnError with the place of what cannot be compiled."""
    return _Compiler(sheet).whole()


def _labels_line(sheet: SheetSource) -> int:
    """Where [labels] stands in the front matter; line 1 when it is written in another way."""
    return next((k for k, line in enumerate(sheet.lines, 1) if line.strip() == "[labels]"), 1)


class _Compiler:
    def __init__(self, sheet: SheetSource) -> None:
        self.sheet = sheet
        try:
            self.builder = Builder(labels=sheet.labels)
        except SymattnError as error:
            raise error.at(sheet.place(_labels_line(sheet))) from None
        self.given_texts: dict[Entry, str] = {}
        self.given_names: set[str] = set()
        self.targets: dict[Code, Target] = {}
        self.orders: dict[Code, OrderTarget] = {}
        self.relations: dict[Code, Comparison] = {}
        self.definitions: dict[str, str] = {}

    def whole(self) -> Compiled:
        from symattn.interp.quantities import quantities

        pending: list[tuple[str, Code]] = []
        for part in self.sheet.parts:
            match part:
                case GivenBlock(givens, claims, _):
                    for given in givens:
                        self.give(given.name, given.axes, given.literal)
                    pending.extend(self.points(claims))
                case StepBlock(parts, claims, _):
                    for step in parts:
                        if isinstance(step, Definition):
                            self.define(step)
                        else:
                            pending.extend(("target", code) for code in step.targets)
                    pending.extend(self.points(claims))
                case StatementBlock():
                    pending.extend(("relation", code) for code in (*part.says, *part.means, *part.instead))
                case _:
                    pass
        for kind, code in pending:
            self.resolve(kind, code)
        if not self.builder.names():
            raise SheetError(
                "the worksheet gives and defines nothing",
                place=self.sheet.place(1),
                next_move="add a given block, such as x = [1, 2] between ```given and ```",
            )
        program = self.builder.program()
        feeds = self.builder.feeds()
        values = quantities(program, feeds)
        return Compiled(
            sheet=self.sheet,
            program=program,
            feeds=feeds,
            quantities=values,
            tracer=Tracer(program, values.sizes),
            given_texts=self.given_texts,
            given_names=frozenset(self.given_names),
            targets=self.targets,
            orders=self.orders,
            relations=self.relations,
            definitions=self.definitions,
        )

    def points(self, claims: tuple[ClaimLine, ...]) -> list[tuple[str, Code]]:
        found = []
        for claim in claims:
            found.append(("order" if claim.kind == "order" else "target", claim.target))
            if claim.printed_from is not None:
                found.append(("target", claim.printed_from))
        return found

    def give(self, name: str, axes: tuple[str, ...], literal: Code) -> None:
        place = self.sheet.place(literal.line, literal.column)
        try:
            node = parse(literal.text, path=self.sheet.path, first_line=literal.line, first_column=literal.column)
            texts = self.builder.give_value(name, tuple(AxisDecl(a, 0) for a in axes), node)
        except SymattnError as error:
            raise error.at(place) from None
        self.given_names.add(name)
        for index, text in texts.items():
            self.given_texts[Entry(name, index)] = text

    def define(self, step: Definition) -> None:
        code = step.expression
        try:
            self.builder.define(step.name, self.parse(code))
        except SymattnError as error:
            raise error.at(self.sheet.place(code.line, code.column)) from None
        self.definitions[step.name] = code.text

    def parse(self, code: Code) -> Node:
        return parse(code.text, path=self.sheet.path, first_line=code.line, first_column=code.column)

    def resolve(self, kind: str, code: Code) -> None:
        try:
            if kind == "relation":
                self.relations[code] = self.relation(code)
            elif kind == "order":
                self.orders[code] = self.order(code)
            else:
                self.targets[code] = self.target(code.text, self.parse(code))
        except SymattnError as error:
            raise error.at(self.sheet.place(code.line, code.column)) from None

    def target(self, text: str, node: Node) -> Target:
        address = self.builder.address(node)
        if address is not None:
            return Target(text, address.stage, tuple(Entry(address.stage, i) for i in address.indices), named=True)
        stage = self.builder.scalar_program(node)
        return Target(text, stage, tuple(Entry(stage, i) for i in self.builder.indices(stage)), named=False)

    def order(self, code: Code) -> OrderTarget:
        base, colon, stated = code.text.partition(":")
        words = re.split(r"\s*(>=|<=|==|>|<|=)\s*", stated.strip())
        if not colon or len(words) < 3:
            raise SheetError("an order is written `S[perro]: perro > come > el`")
        base = base.strip()
        entries = []
        for label in words[::2]:
            text = f"{base[:-1]},{label}]" if base.endswith("]") else f"{base}[{label}]"
            target = self.target(text, parse(text, path=self.sheet.path, first_line=code.line, first_column=code.column))
            if len(target.entries) != 1:
                raise SheetError(f"`{text}` is not one entry", next_move="name a row of the matrix before the colon")
            entries.append(target.entries[0])
        return OrderTarget(code.text, tuple(entries), tuple("==" if w == "=" else w for w in words[1::2]))

    def relation(self, code: Code) -> Comparison:
        found = parse_relation(code.text, path=self.sheet.path, first_line=code.line, first_column=code.column)
        made = self.builder.relation(found)
        pairs = tuple((Entry(p.left.stage, p.left.index), p.sign, Entry(p.right.stage, p.right.index)) for p in made.pairs)
        if len(pairs) == len(made.signs):
            return Comparison(code.text, pairs, (pairs[0][0], *(p[2] for p in pairs)), made.signs)
        return Comparison(code.text, pairs, (pairs[0][0], pairs[0][2]), made.signs[:1])
