"""Page trees as text for a terminal: three edges, words beside every glyph, nothing that depends on colour.

Promises: at 80 columns the step number stands at column 1, text and formulas at 5, the margin from 50 (printed number ending at 56,
glyph at 58, word from 61); 7-bit output on request; control and escape characters of a document appear as symbols. Colour only
when asked for: whether a terminal wants it is the caller's business. Below 72 columns the margin moves under its formula.
Does not promise: what a page looks like where a document's own text is wider than the terminal; such a word is cut.
"""

from __future__ import annotations

from symattn.page import nodes as n
from symattn.page.words import verdict_word
from symattn.render.leaf import cell_width
from symattn.render.terminal_math import is_empty, unmark
from symattn.render.terminal_proof import key as proof_key
from symattn.render.terminal_proof import proof, theorem
from symattn.render.terminal_tables import answers, errata, heat_map, statements, table
from symattn.render.terminal_writer import PRINTED_END, TEXT_EDGE, VERDICT_STYLE, Methods, Writer, wrap


def _paragraph(text: Writer, node: n.Paragraph) -> None:
    text.space()
    text.prose(text.inline(node.items))


def _figure(text: Writer, node: n.Figure) -> None:
    from symattn.render.terminal_plot import figure

    figure(text, node)


def _bullets(text: Writer, node: n.Bullets) -> None:
    text.space()
    for item in node.items:
        text.prose(text.inline(item), indent=TEXT_EDGE + 2, first=text.own("– ") if not text.ascii else "- ")


def _chain(text: Writer, node: n.Chain) -> None:
    text.space()
    for line in node.lines:
        text.line(line)


def _ledger(text: Writer, node: n.Ledger) -> None:
    text.space()
    hidden = text.blank and node.student == "hide"
    empty = text.blank and node.student == "dashed"
    products = [text.math(term.product, terms=empty) for term in node.terms]
    values = ["[______]" if empty else text.number(term.value) for term in node.terms]
    total = text.math(node.total.left)
    wide = max((cell_width(unmark(part)) for part in (*products, total)), default=0)
    points = [_point(value) for value in values]
    head = max(points, default=0)
    tail = max((cell_width(value) - at for value, at in zip(values, points, strict=True)), default=0)
    for at, term in enumerate(node.terms):
        if hidden:
            text.put()
            continue
        sign = "+ " if at else "  "
        pad = " " * (wide - cell_width(unmark(products[at])))
        value = " " * (head - points[at]) + values[at]
        text.beside([f"{' ' * TEXT_EDGE}{sign}{products[at]}{pad} {text.own(term.relation)} {value}"], term.margin)
    if hidden:
        text.put()
    else:
        text.rule(2 + wide + 3 + head + tail, indent=TEXT_EDGE)
    indent = " " * (TEXT_EDGE + 2)
    relation = text.own(node.total.relation)
    text.beside([f"{indent}{total}{' ' * (wide - cell_width(unmark(total)))} {relation} {text.math(node.total.right)}"], node.total.margin)


def _point(value: str) -> int:
    """Columns before the decimal point."""
    return cell_width(value.partition(".")[0])


def _matrices(text: Writer, node: n.Matrices) -> None:
    for name, body in node.items:
        text.space()
        head = " " * TEXT_EDGE + (f"{text.math(name)} = " if not is_empty(name) else "")
        for row in text.stacked(head, body, False):
            text.put(row)


def _facts(text: Writer, node: n.Facts) -> None:
    text.space()
    wide = max((cell_width(text.leaf(head)) for head, _ in node.items), default=0)
    for head, items in node.items:
        label = text.leaf(head)
        text.prose(text.inline(items), indent=TEXT_EDGE + wide + 2, first=label + " " * (wide + 2 - cell_width(label)))


def _key(text: Writer, node: n.Key) -> None:
    text.space()
    text.put(" " * TEXT_EDGE + text.paint(text.own(text.words["key.title.blank" if text.blank else "key.title"]), "accent"))
    if text.blank:
        text.prose(text.own(text.words["key.text.blank"]) + "  _______ [ ]")
    for verdict in node.verdicts:
        entry = n.Margin("", verdict)
        style = VERDICT_STYLE.get(verdict, "")
        sign = text.glyph(entry)
        text.put(
            f"{' ' * (TEXT_EDGE + 2)}{text.paint(sign, style)}{' ' * (4 - cell_width(sign))}{text.own(verdict_word(verdict, text.lang))}"
        )


def _step(text: Writer, node: n.Step) -> None:
    text.space()
    text.space()
    number = text.leaf(node.number)
    title = text.inline(node.title)
    heads = node.has_margin and not text.narrow
    rows = wrap(title, (text.formula_end if heads else text.width) - max(TEXT_EDGE, cell_width(number) + 1))
    for at, row in enumerate(rows):
        first = f"{text.paint(number, 'accent')}{' ' * max(TEXT_EDGE - cell_width(number), 1)}" if at == 0 else " " * TEXT_EDGE
        line = first + text.paint(row, "bold")
        if at == 0 and heads:
            plain = max(TEXT_EDGE, cell_width(number) + 1) + cell_width(row)
            printed, verdict = text.own(text.words["printed"]), text.own(text.words["your-verdict" if text.blank else "verdict"])
            line += " " * (text.margin_at + PRINTED_END - cell_width(printed) - plain) + text.paint(f"{printed} {verdict}", "grey")
        text.put(line)
    text.set_left(node.blocks)
    for block in node.blocks:
        text.block(block)
    text.left = 0


def _section(text: Writer, node: n.Section) -> None:
    if not text.blank and node.blocks and all(isinstance(block, n.AnswerKey) for block in node.blocks):
        return
    text.space()
    text.put(text.paint(text.leaf(node.kicker).upper(), "accent"))
    text.put(text.paint(text.leaf(node.title), "bold"))
    text.rule(min(text.width, 80), style="accent")
    text.set_left(node.blocks)
    text.inside = True
    for block in node.blocks:
        text.block(block)
    text.inside = False
    text.left = 0


BLOCKS: Methods = {
    n.Paragraph: _paragraph,
    n.Bullets: _bullets,
    n.Chain: _chain,
    n.Ledger: _ledger,
    n.Matrices: _matrices,
    n.Table: table,
    n.HeatMap: heat_map,
    n.Facts: _facts,
    n.Key: _key,
    n.Errata: errata,
    n.Statements: statements,
    n.AnswerKey: answers,
    n.Step: _step,
    n.Section: _section,
    n.Theorem: theorem,
    n.Proof: proof,
    n.ProofKey: proof_key,
    n.Figure: _figure,
}


def to_text(page: n.Page, *, blank: bool = False, ascii: bool = False, color: bool = False, width: int = 80) -> str:
    """The page as terminal text, ending in a newline. `blank` is the student version, `ascii` keeps 7 bits, `color` adds ANSI
    colours, `width` is the number of columns (at least 40). Raises RenderError for a node without a method."""
    text = Writer(page.lang, BLOCKS, blank=blank, ascii=ascii, color=color, width=max(width, 40))
    kicker = text.leaf(page.kicker).upper()
    text.put(text.paint(kicker, "accent"))
    for row in wrap(text.inline(page.heading) or text.leaf(page.title), text.width):
        text.put(text.paint(row, "bold"))
    if page.subtitle:
        text.prose(text.leaf(page.subtitle), indent=0, style="italic", width=text.width)
    text.rule(text.width, style="accent")
    opening = page.opening_blank if blank and page.opening_blank else page.opening
    if opening:
        text.prose(text.inline(opening))
    for block in page.blocks:
        text.block(block)
    text.space()
    text.rule(text.width, style="grey")
    number = text.own(text.words["worksheet.numbered"]).format(n=page.number) if page.number.isdigit() else text.leaf(page.number)
    foot = [part for part in (text.leaf(page.short_title), number) if part]
    if blank:
        foot.append(text.own(text.words["student-version"]))
    if foot:
        text.prose(" · ".join(foot) if not ascii else " - ".join(foot), indent=0, style="grey", width=text.width)
    if page.footer:
        text.prose(text.leaf(page.footer), indent=0, style="grey", width=text.width)
    return "\n".join(text.lines) + "\n"
