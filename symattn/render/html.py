"""Page trees as one HTML file: no network, no script, MathML for every formula, light and dark, paper and telephone.

Promises: the content-security policy forbids every load; text of a document stays text; steps, numbers and claims carry ids that
a later page may use (`id`, `data-number`, `data-claim`). Does not promise: the look of fonts that a machine does not have.
"""

from __future__ import annotations

from typing import Final

from symattn.page import nodes as n
from symattn.page.math import Math, Sign
from symattn.page.words import verdict_word
from symattn.render.html_math import MathStyle, attr, element, esc, formula
from symattn.render.html_page import Html, Methods, glyph_sheet, number
from symattn.render.html_plot import figure
from symattn.render.html_proof import key as proof_key
from symattn.render.html_proof import proof, theorem
from symattn.render.html_style import style_sheet
from symattn.render.html_tables import answers, errata, heat_map, statements, table
from symattn.render.terminal_math import flat, is_empty

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def _paragraph(page: Html, node: n.Paragraph) -> str:
    return f'<p class="prose">{page.inline(node.items)}</p>'


def _bullets(page: Html, node: n.Bullets) -> str:
    return '<ul class="prose">' + "".join(f"<li>{page.inline(item)}</li>" for item in node.items) + "</ul>"


def _display(math: Math, style: MathStyle) -> str:
    return "" if is_empty(math) else element(flat(math), style, display=True)


def _relation(sign: str) -> str:
    return f'<span class="rel">{element((Sign(sign),), MathStyle())}</span>' if sign else ""


def _line(page: Html, line: n.Line) -> str:
    if page.blank and line.student == "hide":
        return '<div class="row hidden" aria-hidden="true"></div>'
    style = page.style(terms=line.student == "dashed")
    kinds = ["row"]
    if line.space_above:
        kinds.append("above")
    if is_empty(line.left):
        kinds.append("on" if line.relation else "alone")
    return _parts(" ".join(kinds), line, style, page)


def _parts(kind: str, line: n.Line, style: MathStyle, page: Html) -> str:
    left = f'<span class="lhs">{_display(line.left, style)}</span>'
    right = f'<span class="rhs">{formula(line.right, style)}</span>'
    return f'<div class="{kind}">{left}{_relation(line.relation)}{right}{page.notes(line.margin)}</div>'


def _chain(page: Html, node: n.Chain) -> str:
    kind = "chain symbolic" if node.symbolic else "chain"
    return f'<div class="{kind}">{"".join(_line(page, line) for line in node.lines)}</div>'


def _ledger(page: Html, node: n.Ledger) -> str:
    hidden = page.blank and node.student == "hide"
    dashed = page.blank and node.student == "dashed"
    style = page.style(terms=dashed)
    places = max((_places(term.value) for term in node.terms), default=0)
    closed = any(term.value.endswith(")") for term in node.terms)
    rows = []
    for at, term in enumerate(node.terms):
        if hidden:
            rows.append('<div class="row hidden" aria-hidden="true"></div>')
            continue
        plus = _display(Sign("+"), style) if at else ""
        value = '<span class="box term blank"></span>' if dashed else _value(term.value, places, closed)
        left = f'<span class="plus">{plus}</span><span class="lhs">{_display(term.product, style)}</span>{_relation(term.relation)}'
        rows.append(f'<div class="row">{left}<span class="val">{value}</span>{page.notes(term.margin)}</div>')
    rows.append(f'<div class="sum-rule{" hidden" if hidden else ""}"></div>')
    rows.append(_parts("row total", node.total, page.style(), page))
    return f'<div class="ledger">{"".join(rows)}</div>'


def _places(value: str) -> int:
    return len(value.rstrip(")").partition(".")[2])


def _value(value: str, places: int, closed: bool) -> str:
    """A value flush right, with the room of the digits and the parenthesis that others have and it has not."""
    digits = places - _places(value)
    point = "" if "." in value or not places else " + .25em"
    paren = " + .33em" if closed and not value.endswith(")") else ""
    room = f' style="padding-right:calc({digits}ch{point}{paren})"' if digits or point or paren else ""
    return f'<span class="num"{room}>{number(value)}</span>'


def _matrices(page: Html, node: n.Matrices) -> str:
    out = []
    for name, body in node.items:
        items = (*flat(name), Sign("="), body) if not is_empty(name) else (body,)
        out.append(f'<span class="matrix">{element(items, page.style(), display=True)}</span>')
    return f'<div class="matrices{" wide" if node.wide else ""}">{"".join(out)}</div>'


def _facts(page: Html, node: n.Facts) -> str:
    return (
        '<dl class="facts">'
        + "".join(f"<div><dt>{esc(head)}</dt><dd>{page.inline(items)}</dd></div>" for head, items in node.items)
        + "</dl>"
    )


def _key(page: Html, node: n.Key) -> str:
    rows = "".join(f"<li>{page.badge(verdict)}<span>{esc(verdict_word(verdict, page.lang))}</span></li>" for verdict in node.verdicts)
    title = esc(page.words["key.title.blank" if page.blank else "key.title"])
    text = f'<p><span class="badge empty"></span> {esc(page.words["key.text.blank"])}</p>' if page.blank else ""
    return f'<aside class="key" aria-label="{title}"><p class="key-title">{title}</p>{text}<ul>{rows}</ul></aside>'


def _step(page: Html, node: n.Step) -> str:
    anchor = page.steps[node.number] if node.number else page.anchor(node.id or "part")
    no = f'<a class="no" href="#{anchor}">{esc(node.number)}</a>' if node.number else ""
    heads = ""
    if node.has_margin:
        verdict = page.words["your-verdict" if page.blank else "verdict"]
        heads = f'<p class="heads" aria-hidden="true"><span>{esc(page.words["printed"])}</span><span>{esc(verdict)}</span></p>'
    head = page.heading(
        f'{no}<span class="title">{page.inline(node.title)}</span>',
        id=f"{anchor}-title",
        kind="step-title" if node.number else "step-title plain",
    )
    page.depth += 1
    inner = "".join(page.block(block) for block in node.blocks)
    page.depth -= 1
    return f'<section class="step" id="{anchor}" aria-labelledby="{anchor}-title">{head}{heads}{inner}</section>'


def _section(page: Html, node: n.Section) -> str:
    if not page.blank and node.blocks and all(isinstance(block, n.AnswerKey) for block in node.blocks):
        return ""
    anchor = page.anchor(node.id or node.title)
    kicker = f'<p class="kicker">{esc(node.kicker)}</p>' if node.kicker else ""
    head = page.heading(esc(node.title), id=f"{anchor}-title")
    page.depth += 1
    inner = "".join(page.block(block) for block in node.blocks)
    page.depth -= 1
    return f'<section class="part" id="{anchor}" aria-labelledby="{anchor}-title">{kicker}{head}{inner}</section>'


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
    n.Figure: figure,
}


def _name_steps(page: Html, blocks: tuple[n.Block, ...]) -> None:
    """Anchors of all numbered steps, before any text refers to them."""
    for block in blocks:
        if isinstance(block, n.Step) and block.number and block.number not in page.steps:
            page.steps[block.number] = page.anchor(block.id or f"step-{block.number}")
        if isinstance(block, n.Step | n.Section):
            _name_steps(page, block.blocks)


def to_html(page: n.Page, *, blank: bool = False) -> str:
    """The page as one HTML file, ending in a newline. `blank` is the student version: empty boxes, no printed numbers, the key at
    its place. Raises RenderError for a node without a method."""
    html = Html(page.lang, BLOCKS, blank=blank)
    _name_steps(html, page.blocks)
    opening = page.opening_blank if blank and page.opening_blank else page.opening
    # facts and key stand beside the opening text
    lead = 0
    while lead < len(page.blocks) and isinstance(page.blocks[lead], n.Facts | n.Key):
        lead += 1
    beside = [html.block(block) for block in page.blocks[:lead] if isinstance(block, n.Key)]
    under = [html.block(block) for block in page.blocks[:lead] if not isinstance(block, n.Key)]
    text = f'<p class="lead">{html.inline(opening)}</p>' if opening else ""
    start = f'<div class="opening"><div>{text}{"".join(under)}</div>{"".join(beside)}</div>' if text or lead else ""
    body = "\n".join(html.block(block) for block in page.blocks[lead:])
    sheet = html.words["worksheet.numbered"].format(n=page.number) if page.number.isdigit() else page.number
    version = html.words["student-version"] if blank else ""
    title = " · ".join(part for part in (page.short_title or page.title, version) if part)
    foot = "".join(f"<span>{esc(part)}</span>" for part in (page.footer, " · ".join(p for p in (sheet, version) if p)) if part)
    kicker = f'<p class="kicker">{esc(page.kicker)}</p>' if page.kicker else ""
    subtitle = f'<p class="subtitle">{esc(page.subtitle)}</p>' if page.subtitle else ""
    plain = attr("class", "plain" if page.plain else "")
    title_line = html.inline(page.heading) or esc(page.title)
    return (
        f"<!DOCTYPE html>\n<html{attr('lang', esc(page.lang))}{attr('class', 'student' if blank else '')}>\n"
        f'<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{esc(title)}</title>\n<style>\n{style_sheet()}\n</style>\n</head>\n<body>\n{glyph_sheet()}\n"
        f"<header{plain}>{kicker}<h1>{title_line}</h1>{subtitle}</header>\n<main>\n{start}\n{body}\n</main>\n<footer>{foot}</footer>\n</body>\n</html>\n"
    )
