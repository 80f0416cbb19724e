"""A worked-out worksheet as a page tree: steps with their written-out calculations, verdicts in the margin, errata, key.

Promises: one tree for teacher and student; every claim of the worksheet stands somewhere on the page. Does not promise:
looks; renderers decide nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from symattn.errors import SheetError, SymattnError
from symattn.number.closed_form import closed_form_math
from symattn.number.decimal import digits_text
from symattn.number.exact import Exact
from symattn.number.truth import Quantity
from symattn.page import math as m
from symattn.page import nodes as n
from symattn.page.words import words
from symattn.program.spaces import Axis
from symattn.sheets.claims import Judged
from symattn.sheets.compiled import Target
from symattn.sheets.errata import errata_section, margin_of
from symattn.sheets.evaluate import evaluate
from symattn.sheets.lines import Marks, Writer
from symattn.sheets.notation import Formulas, entry_math, name_math, position_text, stage_math
from symattn.sheets.prose import blocks as prose_blocks
from symattn.sheets.prose import inline, plain
from symattn.sheets.result import Result
from symattn.sheets.source import Display, GivenBlock, Prose, StepBlock
from symattn.sheets.spoken import statements_section
from symattn.sheets.trace import Entry, inner
from symattn.sheets.typeset import number_math, typeset, width_mm
from symattn.sheets.values import Values
from symattn.sheets.words import sheet_words

HEAT_PLACES = 3
EXTRA_PLACES = 2
VERDICT_ORDER = ("exact", "rounded", "truncated", "from-rounded", "off-by", "wrong", "undecided", "measured")


def build_page(result: Result, lang: str) -> n.Page:
    """The page of a worksheet in one language."""
    return Builder(result, lang).page()


def values_of(result: Result) -> Values:
    """The values of a worksheet with the digits its pages show: the document's plus two."""
    places: dict[str, int] = {}
    for j in result.judged:
        item = j.item
        if item.entry is not None and item.printed is not None and item.kind in ("number", "measured"):
            own = item.printed.places + (2 if item.printed.percent else 0) + EXTRA_PLACES
            places[item.entry.stage] = max(places.get(item.entry.stage, 0), own)
    compiled = result.compiled
    usual = max([p for s, p in places.items() if s not in compiled.given_names], default=0)
    return Values(compiled.quantities.of, compiled.given_texts, places, result.sheet.digits or usual)


@dataclass
class _Open:
    """A step being filled. `answers` collects the labels of its boxes."""

    number: str
    title: tuple[n.Inline, ...]
    blocks: list[n.Block] = field(default_factory=list)
    answers: list[n.Answer] = field(default_factory=list)
    labels: int = 0
    turns: dict[str, int] = field(default_factory=dict)
    formulas: set[str] = field(default_factory=set)
    margin: bool = False


class Builder:
    """Fills steps one after the other; `sheets/program_page.py` uses it for programs that no worksheet wrote."""

    def __init__(self, result: Result, lang: str) -> None:
        self.result = result
        self.lang = lang
        self.words = words(lang)
        self.own = sheet_words(lang)
        self.compiled = result.compiled
        self.program = result.compiled.program
        self.values = values_of(result)
        self.formulas = Formulas(self.compiled.tracer)
        self.writer = Writer(self.compiled.tracer, self.values, evaluate, closed_math, self.words["terms"].format(n="").strip())
        self.steps: list[_Open] = []
        self.opening: list[n.Inline] = []
        self.opening_blank: list[n.Inline] = []
        self.current: _Open | None = None
        self.number = 0
        self.figures = 0
        self.step_of_block: dict[int, str] = {}

    # -- the whole ----------------------------------------------------------------------------------------------------------
    def page(self) -> n.Page:
        sheet = self.result.sheet
        for at, part in enumerate(sheet.parts):
            match part:
                case Prose():
                    self.prose(part)
                case GivenBlock():
                    self.givens(part, at)
                case StepBlock():
                    self.step_block(part, at)
                case _:
                    pass
        return self.whole(errata_section(self.result, self.lang, self.step_of_block))

    def whole(self, errata: n.Section | None) -> n.Page:
        """The page of the steps so far, with what stands around them."""
        sheet = self.result.sheet
        body: list[n.Block] = [self.facts()]
        if self.verdicts():
            body.append(n.Key(self.verdicts()))
        keys: list[tuple[str, tuple[n.Answer, ...]]] = []
        for step in self.steps:
            anchor = f"step-{step.number}" if step.number else ""
            body.append(n.Step(step.number, step.title, tuple(step.blocks), anchor, step.margin))
            if step.answers:
                keys.append((step.number or plain(step.title), tuple(step.answers)))
        if keys:
            body.append(n.AnswerKey(tuple(keys)))
        if errata is not None:
            body.append(errata)
        if self.result.spoken:
            body.append(statements_section(self.result, self.lang))
        kicker = sheet.kicker[self.lang] or self.own["kicker.default"]
        return n.Page(
            lang=self.lang,
            kicker=f"{self.words['worksheet']} · {kicker}",
            title=sheet.title[self.lang],
            subtitle=sheet.subtitle[self.lang],
            opening=tuple(self.opening),
            blocks=tuple(body),
            footer=self.own["footer" if self.result.judged else "footer.program"],
            short_title=sheet.title[self.lang],
            number=str(sheet.number) if sheet.number else "",
            opening_blank=tuple(self.opening_blank or self.opening),
        )

    def facts(self) -> n.Facts:
        sheet = self.result.sheet
        items: list[tuple[str, tuple[n.Inline, ...]]] = []
        for axis, labels in sheet.labels.items():
            items.append((axis, (n.Text(", ".join(labels)),)))
        sizes: list[n.Inline] = []
        declared = {a for part in sheet.parts if isinstance(part, GivenBlock) for g in part.givens for a in g.axes}
        for space in self.program.spaces():
            if space.name in declared and space.name not in sheet.labels:
                comma: list[n.Inline] = [n.Text(", ")] if sizes else []
                row = m.Row((name_math(space.name), m.Sign("="), m.Number(str(space.extent(self.compiled.tracer.sizes)))))
                sizes.extend((*comma, n.Formula(row)))
        if sizes:
            items.append((self.own["facts.sizes"], tuple(sizes)))
        items.append((self.own["facts.indices"], (n.Text(self.own["facts.indices.value"]),)))
        if sheet.source:
            items.append((self.own["facts.source"], (n.Text(sheet.source.split("_")[0].removesuffix(".txt")),)))
        return n.Facts(tuple(items))

    def verdicts(self) -> tuple[str, ...]:
        present = {j.claim.judgement.verdict for j in self.result.judged}
        return tuple(v for v in VERDICT_ORDER if v in present)

    def prose(self, part: Prose) -> None:
        place = self.result.sheet.place(part.line)
        text = part.texts[self.lang]
        if part.titles:
            self._open(inline(part.titles[self.lang], place), numbered=part.numbered)
        made = prose_blocks(text, place)
        if self.current is not None:
            self.current.blocks.extend(made)
            return
        for block in made:
            if not isinstance(block, n.Paragraph):
                raise SheetError("the opening text is made of paragraphs", place=place)
            goal = self.opening_blank if part.student else self.opening
            goal.extend((n.Text(" "), *block.items) if goal else block.items)

    def open_step(self, title: str, *, numbered: bool = True) -> None:
        """Begins a step with a plain title."""
        self._open((n.Text(title),), numbered=numbered)

    def _open(self, title: tuple[n.Inline, ...], *, numbered: bool) -> None:
        number = ""
        if numbered:
            self.number += 1
            number = str(self.number)
        self.current = _Open(number, title)
        self.steps.append(self.current)

    def step(self) -> _Open:
        if self.current is None:
            self.current = _Open("", (n.Text(self.words["givens"]),))
            self.steps.append(self.current)
        return self.current

    # -- givens -------------------------------------------------------------------------------------------------------------
    def givens(self, part: GivenBlock, at: int) -> None:
        self.step_of_block[at] = self.step().number
        self.inputs([g.name for g in part.givens])
        self.leftovers(at, set())

    def inputs(self, names: Sequence[str]) -> None:
        """Givens as matrices, rows of numbers and numbers."""
        step = self.step()
        shown = [(stage_math(self.program, name), self.value_math(name), len(self.program.by_name[name].out)) for name in names]
        matrices = [(a, b) for a, b, rank in shown if rank == 2]
        others = [(a, b) for a, b, rank in shown if rank != 2]
        labelled = [x for x in matrices if isinstance(x[1], m.Grid) and x[1].labels]
        plain_ones = [x for x in matrices if x not in labelled]
        for one in labelled:
            step.blocks.append(n.Matrices((one,)))
        if plain_ones:
            step.blocks.append(n.Matrices(tuple(plain_ones), wide=len(plain_ones) > 1))
        if others:
            step.blocks.append(n.Chain(tuple(n.Line(a, "=", b) for a, b in others)))

    def value_math(self, stage: str) -> m.Math:
        """A given as it was written: a number, a row of numbers, or a matrix with its row labels."""
        axes = self.program.by_name[stage].out
        shape = self.compiled.tracer.shape(stage)
        if len(shape) == 0:
            return number_math(self.values.shown(Entry(stage, ())).text)
        if len(shape) == 1:
            return vector([number_math(self.values.shown(Entry(stage, (k,))).text) for k in range(shape[0])])
        if len(shape) == 2:
            rows = tuple(tuple(number_math(self.values.shown(Entry(stage, (i, k))).text) for k in range(shape[1])) for i in range(shape[0]))
            return m.Grid(rows, axes[0].space.labels)
        raise SheetError(f'the given "{stage}" has {len(shape)} axes; pages show at most two')

    # -- steps --------------------------------------------------------------------------------------------------------------
    def step_block(self, part: StepBlock, at: int) -> None:
        step = self.step()
        self.step_of_block[at] = step.number
        used: set[str] = set()
        for item in part.parts:
            if isinstance(item, Display):
                try:
                    self.display(item, at, used)
                except SymattnError as error:
                    code = item.targets[0]
                    raise error.at(self.result.sheet.place(code.line, code.column)) from None
        self.leftovers(at, used)

    def display(self, item: Display, at: int, used: set[str]) -> None:
        targets = [self.compiled.targets[code] for code in item.targets]
        match item.kind:
            case "show":
                for target in targets:
                    self.show(target, item.ledger, at, used)
            case "formula":
                for target in targets:
                    self.formula(target)
            case "table":
                self.table(targets, item, at, used)
            case "heat":
                self.heat(targets[0], item)

    def formula(self, target: Target) -> None:
        step = self.step()
        if target.stage in step.formulas or not self.worth_a_formula(target):
            return
        step.formulas.add(target.stage)
        left, right, spread = self.formulas.formula(target.stage, target.fixed())
        items = right.items if isinstance(right, m.Row) else (right,)
        row = m.Row((*items, m.Sign(" "), m.Sign(" "), spread)) if spread != m.EMPTY else right
        line = n.Line(left, "=", row)
        last = step.blocks[-1] if step.blocks else None
        if isinstance(last, n.Chain) and last.symbolic:
            step.blocks[-1] = n.Chain((*last.lines, line), symbolic=True)
        else:
            step.blocks.append(n.Chain((line,), symbolic=True))

    def worth_a_formula(self, target: Target) -> bool:
        """A formula in symbols says something when the value has operands with names."""
        trace = self.compiled.tracer.trace(target.entries[0])
        return target.named and bool(trace.leaves) and target.stage not in self.compiled.given_names

    def show(self, target: Target, ledger: bool, at: int, used: set[str]) -> None:
        step = self.step()
        self.formula(target)
        for entry in target.entries:
            marks = self.marks(entry, at, used)
            step.margin = step.margin or bool(marks.result or marks.terms)
            turn = step.turns.get(target.stage, 0)
            step.turns[target.stage] = turn + 1
            label = self.labeller(entry, marks)
            for block in self.writer.rows(entry, marks, label, turn, ledger):
                self.append(step, block)

    def append(self, step: _Open, block: n.Chain | n.Ledger) -> None:
        """Adds rows; short chains of one step stand together."""
        last = step.blocks[-1] if step.blocks else None
        if isinstance(block, n.Chain) and isinstance(last, n.Chain) and not last.symbolic:
            step.blocks[-1] = n.Chain((*last.lines, *block.lines))
        else:
            step.blocks.append(block)

    def labeller(self, entry: Entry, marks: Marks) -> Callable[[], str]:
        step = self.step()

        def label() -> str:
            step.labels += 1
            text = f"{step.number}{letters(step.labels)}"
            margin = marks.result[0] if marks.result else None
            step.answers.append(n.Answer(text, self.symbol(entry), self.values.shown(entry).text, margin))
            return text

        return label

    def symbol(self, entry: Entry) -> m.Math:
        """An entry's symbol; a free expression is written out."""
        if not inner(entry.stage):
            return entry_math(self.program, entry)
        trace = self.compiled.tracer.trace(entry)
        return typeset(trace.tree, lambda key: entry_math(self.program, trace.leaves[key]))

    def marks(self, entry: Entry, at: int, used: set[str]) -> Marks:
        """The margin entries of this block's claims on an entry and its terms."""
        results: list[n.Margin] = []
        terms: dict[int, n.Margin] = {}
        for j in self.claims_of(at):
            if j.item.entry != entry or j.claim.judgement.verdict == "given":
                continue
            used.add(j.claim.id)
            if j.item.term < 0:
                results.append(self.margin(j))
            else:
                terms[j.item.term] = self.margin(j)
        ordered = tuple(terms[k] for k in sorted(terms))
        whole = len(ordered) == len(self.compiled.tracer.trace(entry).terms)
        return Marks(tuple(results), ordered if whole else ())

    def claims_of(self, at: int) -> Iterator[Judged]:
        return (j for j in self.result.judged if j.item.block == at)

    def margin(self, j: Judged) -> n.Margin:
        return margin_of(j, self.lang)

    # -- tables and figures -----------------------------------------------------------------------------------------------------
    def table(self, targets: list[Target], item: Display, at: int, used: set[str]) -> None:
        step = self.step()
        first = targets[0]
        if (
            len(targets) == 1
            and len(self.compiled.tracer.shape(first.stage)) == 2
            and len(first.entries) > max(self.compiled.tracer.shape(first.stage))
        ):
            step.blocks.append(self.matrix_table(first, item, at, used))
        else:
            step.blocks.append(self.column_table(targets, item, at, used))

    def matrix_table(self, target: Target, item: Display, at: int, used: set[str]) -> n.Table:
        rows_axis, columns_axis = self.program.by_name[target.stage].out
        shape = self.compiled.tracer.shape(target.stage)
        head: list[tuple[n.Inline, ...]] = [(n.Formula(stage_math(self.program, target.stage)),)]
        head += [(n.Text(position_text(columns_axis, k)),) for k in range(shape[1])]
        if item.heads:
            head[1:] = [inline(h, self.result.sheet.place(item.targets[0].line)) for h in item.heads[self.lang]]
        rows = []
        for i in range(shape[0]):
            label = position_text(rows_axis, i)
            name = n.Emph(label) if rows_axis.space.labels else n.Text(label)
            rows.append((n.Cell((name,)), *(self.cell(Entry(target.stage, (i, k)), at, used) for k in range(shape[1]))))
        return n.Table(tuple(head), tuple(rows), "l" + "r" * shape[1], self.caption(item))

    def column_table(self, targets: list[Target], item: Display, at: int, used: set[str]) -> n.Table:
        count = len(targets[0].entries)
        place = self.result.sheet.place(item.targets[0].line)
        for target in targets:
            if len(target.entries) != count:
                raise SheetError(
                    f"the columns {targets[0].text} and {target.text} have {count} and {len(target.entries)} entries", place=place
                )
        axis = self.row_axis(targets[0])
        names: list[tuple[n.Inline, ...]] = [(n.Formula(self.target_math(t)),) for t in targets]
        if item.heads:
            if len(item.heads[self.lang]) != len(targets):
                raise SheetError(f"the table has {len(targets)} columns but {len(item.heads[self.lang])} heads", place=place)
            names = [inline(h, place) for h in item.heads[self.lang]]
        labelled = axis is not None and bool(axis.space.labels)
        rows = []
        for k in range(count):
            cells = [self.cell(t.entries[k], at, used) for t in targets]
            lead = n.Text(position_text(axis, k)) if axis is not None and not labelled else None
            if labelled and axis is not None:
                rows.append((n.Cell((n.Emph(position_text(axis, k)),)), *cells))
            else:
                rows.append((n.Cell((lead,) if lead is not None else ()), *cells))
        corner = (n.Text(""),) if labelled or axis is None else (n.Text(self.own["index"]),)
        return n.Table((corner, *names), tuple(rows), "l" + "r" * len(targets), self.caption(item))

    def row_axis(self, target: Target) -> Axis | None:
        """The axis along which the entries of a column run."""
        axes = self.program.by_name[target.stage].out
        for axis, position in zip(axes, target.fixed(), strict=True):
            if position is None:
                return axis
        return axes[-1] if axes else None

    def target_math(self, target: Target) -> m.Math:
        fixed = target.fixed()
        if all(p is None for p in fixed) or not fixed:
            return stage_math(self.program, target.stage)
        return self.formulas.formula(target.stage, fixed)[0]

    def cell(self, entry: Entry, at: int, used: set[str]) -> n.Cell:
        shown = self.values.shown(entry)
        marks = [j for j in self.claims_of(at) if j.item.entry == entry and j.item.term < 0 and j.claim.judgement.verdict != "given"]
        margin = None
        if marks:
            used.add(marks[0].claim.id)
            margin = self.margin(marks[0])
            self.step().margin = True
        step = self.step()
        label = ""
        if not self.is_input(entry):
            step.labels += 1
            label = f"{step.number}{letters(step.labels)}"
            step.answers.append(n.Answer(label, entry_math(self.program, entry), shown.text, margin))
        return n.Cell(number=shown.text, margin=margin, label=label)

    def is_input(self, entry: Entry) -> bool:
        return entry.stage in self.compiled.given_names

    def caption(self, item: Display) -> tuple[n.Inline, ...]:
        if not item.caption:
            return ()
        return inline(item.caption[self.lang], self.result.sheet.place(item.targets[0].line))

    def heat(self, target: Target, item: Display) -> None:
        place = self.result.sheet.place(item.targets[0].line)
        axes = self.program.by_name[target.stage].out
        if len(axes) != 2:
            raise SheetError(f"`heat` draws a matrix, and {target.text} has {len(axes)} axes", place=place)
        rows = [position_text(axes[0], k) for k in range(self.compiled.tracer.shape(target.stage)[0])]
        if item.row and item.row not in rows:
            raise SheetError(f'`heat` has no row "{item.row}"', place=place, next_move=f"rows: {', '.join(rows)}")
        self.draw_heat(target.stage, self.caption(item), rows.index(item.row) if item.row else -1)

    def draw_heat(self, stage: str, caption: tuple[n.Inline, ...] = (), framed: int = -1) -> None:
        """A matrix of weights as a heat map."""
        shape = self.compiled.tracer.shape(stage)
        axes = self.program.by_name[stage].out
        names = [tuple(position_text(a, k) for k in range(size)) for a, size in zip(axes, shape, strict=True)]
        values = tuple(tuple(self.weight(Entry(stage, (i, k))) for k in range(shape[1])) for i in range(shape[0]))
        self.figures += 1
        self.step().blocks.append(n.HeatMap(values, names[0], names[1], caption, framed, self.figures))

    def weight(self, entry: Entry) -> str:
        """The digits of a heat map's cell; empty where a mask removed it."""
        if self.compiled.quantities.tensor(entry.stage).is_absent(entry.index):
            return ""
        return digits_text(self.values.quantity(entry), HEAT_PLACES)

    # -- what no display has shown ------------------------------------------------------------------------------------------------
    def leftovers(self, at: int, used: set[str]) -> None:
        """Claims of a block that stand on no row yet get rows of their own, so that nothing is judged out of sight."""
        lines = [self.leftover(j) for j in self.claims_of(at) if j.claim.id not in used and j.claim.judgement.verdict != "given"]
        if not lines:
            return
        step = self.step()
        step.margin = True
        self.append(step, n.Chain(tuple(lines)))

    def leftover(self, j: Judged) -> n.Line:
        item = j.item
        margin = (self.margin(j),)
        if item.kind == "order":
            entries = self.compiled.orders[item.line.target]
            row: list[m.Math] = []
            for entry, sign in zip(entries.entries, (*entries.signs, ""), strict=True):
                row.append(entry_math(self.program, entry))
                if sign:
                    row.append(m.Sign({"<=": "≤", ">=": "≥", "==": "="}.get(sign, sign)))
            return n.Line(m.EMPTY, "", m.Row(tuple(row)), margin, student="hide")
        if item.kind == "sum":
            return self.total_line(j, margin)
        assert item.entry is not None
        entry = item.entry
        trace = self.compiled.tracer.trace(entry)
        if item.term < 0 and item.target.named and not inner(entry.stage):
            shown = self.values.shown(entry)
            return n.Line(entry_math(self.program, entry), "=" if shown.exact else "≈", self.boxed(j, shown.text), margin)
        tree = trace.terms[item.term] if item.term >= 0 else trace.tree
        shown = self.writer.term_text(entry, trace, item.term) if item.term >= 0 else self.values.shown(entry)
        body = typeset(tree, lambda key: entry_math(self.program, trace.leaves[key]))
        if body == number_math(shown.text):
            return n.Line(m.EMPTY, "", body, margin)
        return n.Line(m.EMPTY, "", m.Row((*_flat(body), m.Sign("=" if shown.exact else "≈"), self.boxed(j, shown.text))), margin)

    def boxed(self, j: Judged, text: str) -> m.Math:
        """A result with a label of its own."""
        assert j.item.entry is not None
        entry = j.item.entry
        if self.values.is_given(entry):
            return number_math(text)
        return m.Box(number_math(text), "result", self.labeller(entry, Marks((self.margin(j),)))(), "")

    def total_line(self, j: Judged, margin: tuple[n.Margin, ...]) -> n.Line:
        """A total of printed addends, as they stand in the document."""
        item = j.item
        assert item.printed is not None
        numbers: list[m.Math] = []
        for _, printed in item.addends:
            text = printed.token.lstrip("+").replace("−", "-")
            numbers.extend((m.Sign("+"), m.Number(text)) if numbers else (m.Number(text),))
        total = j.claim.judgement.from_printed or item.printed.token
        if not numbers:
            return n.Line(
                m.EMPTY, "", m.Row((*_flat(stage_math(self.program, item.target.stage)), m.Sign("="), m.Number(item.printed.token))), margin
            )
        suffix = "%" if item.printed.percent and "%" not in total else ""
        return n.Line(m.EMPTY, "", m.Row((*numbers, m.Sign("="), m.Number(total + suffix))), margin, "hide")


def closed_math(q: Quantity) -> m.Math | None:
    """The short closed form of an exact number, as a formula; None for a number known by enclosures only."""
    return closed_form_math(q) if isinstance(q, Exact) else None


def vector(items: Sequence[m.Math]) -> m.Math:
    """Numbers in brackets, separated by commas."""
    row: list[m.Math] = []
    for item in items:
        row.extend((m.Sign(","), m.Sign(" "), item) if row else (item,))
    return m.Fence(m.Row(tuple(row)), "[]")


def letters(count: int) -> str:
    """1 -> a, 26 -> z, 27 -> aa."""
    text = ""
    while count > 0:
        count, rest = divmod(count - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def _flat(body: m.Math) -> tuple[m.Math, ...]:
    return body.items if isinstance(body, m.Row) else (body,)


__all__ = ["build_page", "closed_math", "values_of", "width_mm"]
