"""Tables, heat maps, errata, statements and the answer key as HTML.

Promises: real tables with scoped heads and captions; a heat map is a table whose cells carry their weight as a style variable, on
the fixed scale 0 to 1; every badge has its word, if only for readers of words. Does not promise: a picture; nothing is an image.
"""

from __future__ import annotations

from typing import Final

from symattn.page import nodes as n
from symattn.page.words import count_word
from symattn.render.html_math import MathStyle, attr, esc, inline
from symattn.render.html_page import Html, number
from symattn.render.terminal_math import is_empty
from symattn.render.terminal_tables import NAMES_UP_TO, NUMBERS_UP_TO, weight

# Where the figure in a cell changes from ink to paper: there both stand out equally from the accent at that strength.
# `PALE` holds for the dark page, whose accent is the lighter colour.
DEEP: Final = 0.66
PALE: Final = 0.55


def _align(node: n.Table, at: int) -> str:
    return ' class="r"' if node.align[at : at + 1] == "r" else ""


def table(page: Html, node: n.Table) -> str:
    """A ruled table; in a first column of words each word heads its row."""
    caption = ""
    if node.caption:
        page.tables += 1
        caption = f"<caption><b>{esc(page.words['table'].format(n=page.tables))}</b> {page.inline(node.caption)}</caption>"
    slots = [_slot(node, at) for at in range(max([len(node.head), *(len(row) for row in node.rows)]))]
    head = "".join(
        f'<th scope="col"{_align(node, at)}>{page.inline(cell)}{_in_slot("", slots[at])}</th>' for at, cell in enumerate(node.head)
    )
    bodies: list[str] = []
    rows: list[str] = []
    for at, row in enumerate(node.rows):
        if at in node.groups and rows:
            bodies.append("".join(rows))
            rows = []
        rows.append("<tr>" + "".join(_cell(page, node, k, cell, slots[k]) for k, cell in enumerate(row)) + "</tr>")
    if rows:
        bodies.append("".join(rows))
    inner = "".join(f"<tbody>{body}</tbody>" for body in bodies)
    wide = " wide" if node.wide else ""
    return f'<div class="scroll{wide}"><table class="ruled">{caption}<thead><tr>{head}</tr></thead>{inner}</table></div>'


def _repeats(cell: n.Cell) -> bool:
    """Is the printed number the number that the cell shows?"""
    return cell.margin is not None and cell.margin.printed.lstrip("+") == cell.number.lstrip("+")


def _slot(node: n.Table, at: int) -> int:
    """Room beside the numbers of a column, in digits of printed numbers; -1 where the column has no verdicts."""
    cells = [row[at] for row in node.rows if at < len(row)]
    return max((0 if _repeats(cell) else len(cell.margin.printed) for cell in cells if cell.margin is not None), default=-1)


def _in_slot(inner: str, slot: int, attributes: str = "") -> str:
    """What stands beside a number; an empty one of the same width keeps the numbers of a column in line."""
    return f'<span class="incell"{attributes} style="--p:{slot}">{inner}</span>' if slot >= 0 else ""


def _cell(page: Html, node: n.Table, at: int, cell: n.Cell, slot: int) -> str:
    hidden = page.blank and bool(cell.label)
    parts = [page.inline(cell.items)] if cell.items and not hidden else []
    if hidden:
        parts.append(f'<span class="box result blank"><span class="label">{esc(cell.label)}</span></span>')
    elif cell.number:
        parts.append(f'<span class="num">{number(cell.number)}</span>')
    inner = " ".join(parts)
    if cell.strong and not hidden:
        inner = f"<strong>{inner}</strong>"
    inner += _cell_note(page, cell, slot)
    heads = at == 0 and node.align[:1] != "r" and not cell.number
    return f'<th scope="row"{_align(node, at)}>{inner}</th>' if heads else f"<td{_align(node, at)}>{inner}</td>"


def _cell_note(page: Html, cell: n.Cell, slot: int) -> str:
    """Printed number and badge beside a number of a table; the printed one is left out where it is the number itself."""
    entry = cell.margin
    if entry is None:
        return _in_slot("", slot)
    if page.blank:
        return _in_slot('<span class="badge empty"></span>', slot)
    printed = "" if _repeats(cell) else f'<span class="printed">{number(entry.printed)}</span>'
    inner = f'{printed}{page.badge(entry.verdict, entry.off)}<span class="sr">{page.word(entry)}</span>'
    return _in_slot(inner, slot, page.claim(entry) + attr("data-verdict", esc(entry.verdict)))


def heat_map(page: Html, node: n.HeatMap) -> str:
    """Queries down, keys across; masked cells are hatched, the row under discussion is framed."""
    count = max((len(row) for row in node.values), default=0)
    numbers = count <= NUMBERS_UP_TO and len(node.queries) <= NUMBERS_UP_TO
    names = count <= NAMES_UP_TO and len(node.queries) <= NAMES_UP_TO
    token = "<em>{}</em>" if names else '<span class="sr">{}</span>'
    words = page.words
    rows = []
    for at, row in enumerate(node.values):
        name = esc(node.queries[at]) if at < len(node.queries) else ""
        cells = "".join(_weight_cell(page, value, numbers) for value in row)
        last = esc(words["heat.no-key" if all(value == "" for value in row) else "heat.sum"])
        side = f'<th class="axis side" rowspan="{len(node.values)}" scope="rowgroup"><span>{esc(words["heat.queries"])}</span></th>'
        framed = f' class="framed" style="--n:{len(row)}"' if at == node.framed else ""
        total = "" if page.blank else f'<td class="sum">{last}</td>'
        rows.append(f'<tr{framed}>{side if at == 0 else ""}<th scope="row">{token.format(name)}</th>{cells}{total}</tr>')
    keys = "".join(f'<th scope="col">{token.format(esc(name))}</th>' for name in node.keys)
    top = f'<tr><td colspan="2"></td><th class="axis" colspan="{max(count, 1)}" scope="colgroup">{esc(words["heat.keys"])}</th></tr>'
    small = "" if numbers else " small"
    scale = '<div class="scale" aria-hidden="true"><span>1</span><span>0.5</span><span>0</span></div>' if not page.blank else ""
    label = f"<b>{esc(words['figure'].format(n=node.number))}</b> " if node.number else ""
    caption = f"<figcaption>{label}{page.inline(node.caption)}</figcaption>" if node.caption or label else ""
    return (
        f'<figure class="heat{small}"><div class="scroll"><table><thead>{top}<tr><td colspan="2"></td>{keys}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>{scale}</div>{caption}</figure>"
    )


def _weight_cell(page: Html, value: str, numbers: bool) -> str:
    if page.blank:
        return '<td class="w blank"></td>'
    if value == "":
        return f'<td class="w masked"><span class="sr">{esc(page.words["heat.masked"])}</span></td>'
    strength = weight(value)
    tone = " deep" if strength > DEEP else " pale" if strength > PALE else ""
    shown = number(value) if numbers else f'<span class="sr">{number(value)}</span>'
    return f'<td class="w{tone}" style="--w:{strength:.4g}">{shown}</td>'


def errata(page: Html, node: n.Errata) -> str:
    """Sentence, bar to scale with its counts, one row a cause."""
    words = page.words
    total = sum(count for _, count in node.counts)
    parts = [f'<p class="lead">{page.inline(node.intro)}</p>']
    if total:
        said = ", ".join(f"{count} {count_word(verdict, count, page.lang)}" for verdict, count in node.counts if count)
        bar = "".join(f'<span class="{esc(verdict)}" style="flex-grow:{count}"></span>' for verdict, count in node.counts if count)
        parts.append(f'<div class="bar" role="img" aria-label="{esc(said)}">{bar}</div>')
        counts = "".join(
            f"<li>{page.badge(verdict)}{count} {esc(count_word(verdict, count, page.lang))}</li>" for verdict, count in node.counts if count
        )
        parts.append(f'<ul class="counts">{counts}</ul>')
    if not node.rows:
        return "".join([*parts, f"<p>{esc(words['errata.none'])}</p>"])
    head = "".join(
        f'<th scope="col"{kind}>{esc(text)}</th>'
        for text, kind in (
            (words["step"], ""),
            (words["printed"], ' class="r"'),
            (words["errata.right"], ' class="r"'),
            (words["verdict"], ' class="b"'),
            (words["errata.cause"], ""),
        )
    )
    rows = "".join(f"<tbody>{_erratum(page, row)}</tbody>" for row in node.rows)
    parts.append(f'<div class="scroll"><table class="ruled errata"><thead><tr>{head}</tr></thead>{rows}</table></div>')
    return "".join(parts)


def _erratum(page: Html, row: n.Erratum) -> str:
    printed = "".join(f"<span>{_to_claim(page, text, entry)}</span>" for text, _, entry in row.entries)
    right = "".join(f"<span>{number(text)}</span>" for _, text, _ in row.entries)
    badges = "".join(
        f'<span>{page.badge(entry.verdict, entry.off)}<span class="sr">{page.word(entry)}</span></span>' for _, _, entry in row.entries
    )
    return (
        f'<tr><th scope="row">{page.step_link(row.step)}</th><td class="r stack">{printed}</td><td class="r stack right">{right}</td>'
        f'<td class="b stack">{badges}</td><td class="cause">{page.inline(row.cause)}</td></tr>'
    )


def _to_claim(page: Html, text: str, entry: n.Margin) -> str:
    anchor = page.claims.get(entry.claim) if entry.claim else None
    return f'<a href="#{anchor}">{number(text)}</a>' if anchor else number(text)


def statements(page: Html, node: n.Statements) -> str:
    """Each sentence with its status, our words and the evidence."""
    return '<ol class="statements">' + "".join(_statement(page, row) for row in node.rows) + "</ol>"


def _statement(page: Html, row: n.Statement) -> str:
    words = page.words
    where = esc(words["statement.line"].format(n=row.line))
    if row.step:
        where += f" · {page.step_name(row.step)}"
    quote = f"{esc(words['quote.open'])}{esc(row.quote)}{esc(words['quote.close'])}"
    evidence = f'<p class="evidence">{inline(row.evidence, MathStyle())}</p>' if not is_empty(row.evidence) else ""
    precise = f"<p>{page.inline(row.precise)}</p>" if row.precise else ""
    return (
        f'<li><p class="where">{where}</p><blockquote>{quote}</blockquote>'
        f'<p class="status {esc(row.status)}">{esc(words[f"status.{row.status}"])}</p><div class="precise">{precise}{evidence}</div></li>'
    )


def answers(page: Html, node: n.AnswerKey) -> str:
    """The key of the student version; the full version has nothing here."""
    if not page.blank:
        return ""
    words = page.words
    head = "".join(
        f'<th scope="col"{kind}>{esc(words[key])}</th>'
        for key, kind in (
            ("answers.box", ""),
            ("answers.name", ""),
            ("answers.value", ' class="r"'),
            ("printed", ' class="r"'),
            ("verdict", ""),
        )
    )
    bodies = "".join(
        f'<tbody><tr class="group"><th colspan="5" scope="rowgroup">{page.step_name(step)}</th></tr>'
        f"{''.join(_answer(page, row) for row in rows)}</tbody>"
        for step, rows in node.steps
    )
    rows = f'<div class="scroll"><table class="ruled answers"><thead><tr>{head}</tr></thead>{bodies}</table></div>'
    if page.depth > 2:  # inside a part that has its own title
        return rows
    anchor = page.anchor("answers")
    kicker = f'<p class="kicker">{esc(words["student-version"])}</p>'
    title = page.heading(esc(words["answers"]), id=f"{anchor}-title") + f'<p class="lead">{esc(words["answers.intro"])}</p>'
    return f'<section class="part" id="{anchor}" aria-labelledby="{anchor}-title">{kicker}{title}{rows}</section>'


def _answer(page: Html, row: n.Answer) -> str:
    printed = verdict = ""
    if row.margin is not None:
        printed = number(row.margin.printed)
        verdict = f'{page.badge(row.margin.verdict, row.margin.off)} <span class="word">{page.word(row.margin)}</span>'
    return (
        f'<tr><th scope="row">{esc(row.label)}</th><td>{inline(row.name)}</td><td class="r">{number(row.value)}</td>'
        f'<td class="r">{printed}</td><td>{verdict}</td></tr>'
    )
