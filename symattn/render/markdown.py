"""Page trees as GitHub-flavoured Markdown with LaTeX mathematics between dollar signs.

Promises: reads well unrendered; verdicts stand in tables under the formulas they judge; what a document wrote stays text (see
markdown_leaf). Does not promise: boxes, a margin or colours; a box of the student version is an empty frame in its formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from symattn.errors import RenderError
from symattn.page import nodes as n
from symattn.page.math import Fence, Math, Number, Row, Sign
from symattn.page.words import MARKS, count_word, glyph, mark_word, verdict_word, words
from symattn.render.markdown_leaf import MarkdownMath, code, formula, start, text
from symattn.render.markdown_plot import figure
from symattn.render.terminal_math import flat, is_empty

Methods = Mapping[type, Callable[["Markdown", Any], list[str]]]


class Markdown:
    """One rendering of one page. Blocks are lists of paragraphs; no state outlives the call."""

    def __init__(self, lang: str, methods: Methods, *, blank: bool) -> None:
        self.lang = lang
        self.words = words(lang)
        self.methods = methods
        self.blank = blank
        self.depth = 2
        self.tables = 0

    def block(self, node: n.Block) -> list[str]:
        """Raises RenderError for a node without a method."""
        method = self.methods.get(type(node))
        if method is None:
            raise RenderError(f"no Markdown for the page node {type(node).__name__}")
        return method(self, node)

    def printer(self, *, terms: bool = False) -> MarkdownMath:
        return MarkdownMath(results=self.blank, terms=self.blank and terms)

    def math(self, math: Math, *, terms: bool = False) -> str:
        return "" if is_empty(math) else f"${formula(math, self.printer(terms=terms))}$"

    def inline(self, items: Iterable[n.Inline], *, cell: bool = False) -> str:
        return "".join(self.inline_one(item, cell) for item in items)

    def inline_one(self, item: n.Inline, cell: bool) -> str:
        match item:
            case n.Text(words):
                return text(words)
            case n.Emph(words):
                return _marked(words, "*")
            case n.Strong(words):
                return _marked(words, "**")
            case n.Code(words):
                return code(words, cell=cell)
            case n.Formula(math):
                return self.math(math, terms=True)
        raise RenderError(f"no Markdown for the inline node {type(item).__name__}")

    def number(self, printed: str) -> str:
        return text(printed.replace("-", "−") if printed[:1] in ("-", "(") else printed)

    def word(self, entry: n.Margin) -> str:
        word = verdict_word(entry.verdict, self.lang, off=entry.off, plural=entry.plural, changes_order=entry.changes_order)
        return f"{text(glyph(entry.verdict, entry.off))} {text(word)}"

    def why(self, entry: n.Margin) -> str:
        parts = [text(self.words["correct"]).format(x=self.number(entry.right))] if entry.right else []
        if not is_empty(entry.because):
            parts.append(self.math(entry.because))
        return ", ".join(parts)

    def step_name(self, step: str) -> str:
        """ "paso 3"; a step without a number goes by its title."""
        return text(self.words["step.numbered"]).format(n=text(step)) if step.replace(", ", "").isdigit() else text(step)

    def heading(self, inner: str) -> str:
        return f"{'#' * min(self.depth, 6)} {inner}"

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]], align: str) -> str:
        """A table; `align` has a letter a column."""
        rule = ["---:" if align[at : at + 1] == "r" else "---" for at in range(len(head))]
        lines = [head, rule, *rows]
        return "\n".join("| " + " | ".join(cell.strip() or " " for cell in line) + " |" for line in lines)

    def verdicts(self, rows: Sequence[tuple[Math, n.Margin]]) -> list[str]:
        """The margin of a chain as a table: what, printed number, verdict, why."""
        if not rows:
            return []
        verdict = self.words["your-verdict" if self.blank else "verdict"]
        head = ["", text(self.words["printed"]), text(verdict)]
        if self.blank:
            return [self.table(head, [[self.math(left), "", "☐"] for left, _ in rows], "lrl")]
        lines = [[self.math(left), self.number(entry.printed), self.word(entry), self.why(entry)] for left, entry in rows]
        if not any(line[3] for line in lines):
            return [self.table(head, [line[:3] for line in lines], "lrl")]
        return [self.table([*head, ""], lines, "lrll")]


def _marked(words: str, mark: str) -> str:
    """Emphasis around the words without the spaces at their ends, which would undo it."""
    core = words.strip()
    if not core:
        return text(words)
    at = words.index(core)
    return f"{text(words[:at])}{mark}{text(core)}{mark}{text(words[at + len(core) :])}"


def _display(rows: Sequence[str], environment: str = "aligned") -> str:
    body = " \\\\\n".join(rows)
    return f"$$\n\\begin{{{environment}}}\n{body}\n\\end{{{environment.partition('}')[0]}}}\n$$"


# -- blocks -------------------------------------------------------------------------------------------------------------
def _paragraph(page: Markdown, node: n.Paragraph) -> list[str]:
    return [start(page.inline(node.items))]


def _bullets(page: Markdown, node: n.Bullets) -> list[str]:
    return ["\n".join(f"- {start(page.inline(item))}" for item in node.items)]


def _chain(page: Markdown, node: n.Chain) -> list[str]:
    rows: list[str] = []
    judged: list[tuple[Math, n.Margin]] = []
    last: Math = Row(())
    for line in node.lines:
        last = last if is_empty(line.left) else line.left
        if page.blank and line.student == "hide":
            continue
        printer = page.printer(terms=line.student == "dashed")
        left = formula(line.left, printer)
        relation = formula(Sign(line.relation), printer) if line.relation else ""
        rows.append(f"{left} &{relation} {formula(line.right, printer)}".strip())
        judged.extend((last if not is_empty(last) else line.right, entry) for entry in line.margin)
    return ([_display(rows)] if rows else []) + page.verdicts(judged)


def _value(shown: str) -> Math:
    if shown.startswith("(") and shown.endswith(")"):
        return Fence(Number(shown[1:-1]))
    return Number(shown)


def _ledger(page: Markdown, node: n.Ledger) -> list[str]:
    dashed = page.blank and node.student == "dashed"
    printer = page.printer(terms=dashed)
    rows: list[str] = []
    judged: list[tuple[Math, n.Margin]] = []
    if not (page.blank and node.student == "hide"):
        for at, term in enumerate(node.terms):
            value = r"\boxed{\hspace{3em}}" if dashed else formula(_value(term.value), printer)
            relation = formula(Sign(term.relation), printer) if term.relation else ""
            rows.append(f"{'+' if at else ''} & {formula(term.product, printer)} & {relation} & {value}")
            judged.extend((term.product, entry) for entry in term.margin)
    total = node.total
    relation = formula(Sign(total.relation), printer) if total.relation else ""
    last = f"& {formula(total.left, printer)} & {relation} & {formula(total.right, printer)}"
    rows.append(("\\hline\n" if rows else "") + last)
    judged.extend((total.left, entry) for entry in total.margin)
    return [_display(rows, "array}{rlcr"), *page.verdicts(judged)]


def _matrices(page: Markdown, node: n.Matrices) -> list[str]:
    printer = page.printer()
    shown = [formula(Row((*flat(name), Sign("="), body)) if not is_empty(name) else body, printer) for name, body in node.items]
    return ["$$\n" + " \\qquad\n".join(shown) + "\n$$"] if shown else []


def _table(page: Markdown, node: n.Table) -> list[str]:
    width = max([len(node.head), *(len(row) for row in node.rows)])
    head = [page.inline(cell, cell=True) for cell in node.head]
    rows = [[_cell(page, cell) for cell in row] for row in node.rows]
    lines = [[*row, *[""] * (width - len(row))] for row in [head, *rows]]
    caption = []
    if node.caption:
        page.tables += 1
        caption = [f"**{text(page.words['table'].format(n=page.tables))}** {page.inline(node.caption)}"]
    return [*caption, page.table(lines[0], lines[1:], node.align)]


def _cell(page: Markdown, cell: n.Cell) -> str:
    hidden = page.blank and bool(cell.label)
    shown = f"{text(cell.label)} ☐" if hidden else page.number(cell.number) if cell.number else ""
    if cell.strong and shown and not hidden:
        shown = f"**{shown}**"
    parts = ["" if hidden else page.inline(cell.items, cell=True), shown]
    if cell.margin is not None and not page.blank:
        printed = f"{page.number(cell.margin.printed)} " if cell.margin.printed.lstrip("+") != cell.number.lstrip("+") else ""
        parts.append(f"({printed}{page.word(cell.margin)})")
    return " ".join(part for part in parts if part)


def _heat_map(page: Markdown, node: n.HeatMap) -> list[str]:
    rows = []
    for at, values in enumerate(node.values):
        query = _marked(node.queries[at], "*") if at < len(node.queries) else ""
        cells = ["☐" if page.blank else page.number(value) if value else text(page.words["heat.masked"]) for value in values]
        if at == node.framed and not page.blank:
            cells = [f"**{cell}**" for cell in cells]
        total = page.words["heat.no-key" if all(value == "" for value in values) else "heat.sum"]
        rows.append([query, *cells, "" if page.blank else text(total)])
    corner = f"{text(page.words['heat.queries'])} / {text(page.words['heat.keys'])}"
    head = [corner, *(_marked(key, "*") for key in node.keys), ""]
    label = f"**{text(page.words['figure'].format(n=node.number))}** " if node.number else ""
    caption = [label + page.inline(node.caption)] if node.caption or label else []
    return [page.table(head, rows, "l" + "r" * len(node.keys) + "l"), *(start(line) for line in caption)]


def _facts(page: Markdown, node: n.Facts) -> list[str]:
    return ["\n".join(f"- {_marked(head, '**')}: {page.inline(items)}" for head, items in node.items)]


def _key(page: Markdown, node: n.Key) -> list[str]:
    title = f"**{text(page.words['key.title.blank' if page.blank else 'key.title'])}**"
    signs = [f"{text(glyph(verdict))} {text(verdict_word(verdict, page.lang))}" for verdict in node.verdicts]
    rows = "\n".join(f"- {start(sign)}" for sign in signs)
    return [title, *([text(page.words["key.text.blank"])] if page.blank else []), rows]


def _step(page: Markdown, node: n.Step) -> list[str]:
    number = f"{text(node.number)} " if node.number else ""
    out = [page.heading(f"{number}{page.inline(node.title)}")]
    page.depth += 1
    for block in node.blocks:
        out.extend(page.block(block))
    page.depth -= 1
    return out


def _section(page: Markdown, node: n.Section) -> list[str]:
    if not page.blank and node.blocks and all(isinstance(block, n.AnswerKey) for block in node.blocks):
        return []
    out = [page.heading(text(node.title))]
    if node.kicker:
        out.append(start(text(node.kicker)))
    page.depth += 1
    for block in node.blocks:
        out.extend(page.block(block))
    page.depth -= 1
    return out


def _errata(page: Markdown, node: n.Errata) -> list[str]:
    out = [start(page.inline(node.intro))]
    if node.counts:
        out.append(
            "\n".join(
                f"- {count} {text(count_word(verdict, count, page.lang))} ({text(glyph(verdict))})"
                for verdict, count in node.counts
                if count
            )
        )
    if not node.rows:
        return [*out, text(page.words["errata.none"])]
    head = [text(page.words[key]) for key in ("step", "printed", "errata.right", "verdict", "errata.cause")]
    rows = []
    for row in node.rows:
        for at, (printed, right, entry) in enumerate(row.entries):
            first = at == 0
            shown = page.number(right)
            cause = page.inline(row.cause, cell=True) if first else ""
            rows.append([text(row.step) if first else "", page.number(printed), f"**{shown}**" if shown else "", page.word(entry), cause])
    return [*out, page.table(head, rows, "lrrll")]


def _statements(page: Markdown, node: n.Statements) -> list[str]:
    out = []
    for row in node.rows:
        where = text(page.words["statement.line"].format(n=row.line))
        if row.step:
            where += f", {page.step_name(row.step)}"
        quote = f"{page.words['quote.open']}{text(row.quote)}{page.words['quote.close']}"
        parts = [f"**{text(page.words[f'status.{row.status}'])}**", page.inline(row.precise), page.math(row.evidence)]
        out.append(f"> {quote} ({where})\n>\n> {' · '.join(part for part in parts if part)}")
    return out


def _answers(page: Markdown, node: n.AnswerKey) -> list[str]:
    if not page.blank:
        return []
    out = [page.heading(text(page.words["answers"])), text(page.words["answers.intro"])] if page.depth == 2 else []
    head = [text(page.words[key]) for key in ("answers.box", "answers.name", "answers.value", "printed", "verdict")]
    printer = MarkdownMath()
    for step, answers in node.steps:
        out.append(f"**{page.step_name(step)}**")
        rows = []
        for answer in answers:
            name = "" if is_empty(answer.name) else f"${formula(answer.name, printer)}$"
            entry = answer.margin
            judged = [page.number(entry.printed), page.word(entry)] if entry is not None else ["", ""]
            rows.append([text(answer.label), name, page.number(answer.value), *judged])
        out.append(page.table(head, rows, "llrrl"))
    return out


# -- derivations --------------------------------------------------------------------------------------------------------
def _theorem(page: Markdown, node: n.Theorem) -> list[str]:
    out: list[str] = []
    label = f"{_marked(node.label, '**')} " if node.label else ""
    for block in node.blocks:
        if isinstance(block, n.Paragraph):
            out.append(start(label + page.inline(block.items)))
            label = ""
        else:
            out.extend(page.block(block))
    return ["\n".join(f"> {line}".rstrip() for line in "\n\n".join(out).split("\n"))]


def _mark(page: Markdown, node: n.Mark) -> str:
    """Sign, rule and reason. The word of the mark is in the key. Raises RenderError for an unknown kind."""
    mark_word(node.kind, page.lang)
    shown = f"{text(MARKS[node.kind][0])} {_marked(node.rule, '**')}"
    return f"{shown} · {page.inline(node.reason, cell=True)}" if node.reason else shown


def _proof(page: Markdown, node: n.Proof) -> list[str]:
    out: list[str] = []
    for stage in node.stages:
        if stage.letter or stage.title:
            out.append(page.heading(" ".join(part for part in (text(stage.letter), page.inline(stage.title)) if part)))
        if stage.intro:
            out.append(start(page.inline(stage.intro)))
        rows = []
        for line in stage.lines:
            sign = (Sign(line.relation),) if line.relation else ()
            shown = page.math(Row((*flat(line.left), *sign, line.right)))
            rows.append([text(line.number), shown, _mark(page, line.mark) if line.mark is not None else ""])
        if rows:
            out.append(page.table([text(page.words["line"]), "", text(page.words["rule"])], rows, "rll"))
    closing = [page.inline(node.closing)] if node.closing else []
    return [*out, start(" ".join([*closing, _mark(page, node.end)]))]


def _proof_key(page: Markdown, node: n.ProofKey) -> list[str]:
    return ["\n".join(f"- {start(f'{text(MARKS[kind][0])} {text(mark_word(kind, page.lang))}')}" for kind in node.kinds)]


BLOCKS: Methods = {
    n.Paragraph: _paragraph,
    n.Bullets: _bullets,
    n.Chain: _chain,
    n.Ledger: _ledger,
    n.Matrices: _matrices,
    n.Table: _table,
    n.HeatMap: _heat_map,
    n.Facts: _facts,
    n.Key: _key,
    n.Errata: _errata,
    n.Statements: _statements,
    n.AnswerKey: _answers,
    n.Step: _step,
    n.Section: _section,
    n.Theorem: _theorem,
    n.Proof: _proof,
    n.ProofKey: _proof_key,
    n.Figure: figure,
}


def to_markdown(page: n.Page, *, blank: bool = False) -> str:
    """The page as Markdown, ending in a newline. `blank` is the student version. Raises RenderError for a node without a method."""
    out = Markdown(page.lang, BLOCKS, blank=blank)
    sheet = out.words["worksheet.numbered"].format(n=page.number) if page.number.isdigit() else page.number
    version = out.words["student-version"] if blank else ""
    parts = [f"# {out.inline(page.heading) or text(page.title)}"]
    over = " · ".join(text(part) for part in (page.kicker, sheet, version) if part)
    if over:
        parts.append(start(over))
    if page.subtitle:
        parts.append(start(_marked(page.subtitle, "*")))
    opening = page.opening_blank if blank and page.opening_blank else page.opening
    if opening:
        parts.append(start(out.inline(opening)))
    for block in page.blocks:
        parts.extend(out.block(block))
    if page.footer:
        parts.extend(("---", start(text(page.footer))))
    return "\n\n".join(part for part in parts if part.strip()) + "\n"
