"""Tables, heat maps, errata, statements and the answer key as terminal text.

Promises: columns aligned by display width; a table wider than the terminal breaks the words of its widest columns, and
becomes one entry a line where even that does not fit. Does not promise: colours; a heat map is numbers and bars of ten blocks.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

from symattn.page import nodes as n
from symattn.page.words import count_word, verdict_word
from symattn.render.leaf import cell_width
from symattn.render.terminal_math import is_empty, math_text
from symattn.render.terminal_writer import TEXT_EDGE, VERDICT_STYLE, Writer, wrap

NUMBERS_UP_TO: Final = 12
NAMES_UP_TO: Final = 32
BAR: Final = 10


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` filled with spaces to `width` columns."""
    fill = " " * max(width - cell_width(text), 0)
    return fill + text if right else text + fill


def _cell(text: Writer, cell: n.Cell) -> tuple[str, str]:
    """What the cell shows, and what follows it: printed number and glyph."""
    hidden = text.blank and bool(cell.label)
    if hidden:
        shown = f"[{text.leaf(cell.label)} ____]"
    else:
        shown = text.number(cell.number) if cell.number else ""
    main = " ".join(part for part in ("" if hidden else text.inline(cell.items), shown) if part)
    if cell.margin is None:
        return main, ""
    if text.blank:
        return main, "[ ]"
    printed = text.number(cell.margin.printed)
    return main, f"{printed} {text.glyph(cell.margin)}" if printed.lstrip("+") != shown.lstrip("+") else text.glyph(cell.margin)


def _columns(text: Writer, node: n.Table) -> list[list[str]]:
    """Rows of cell texts; in a number column what follows the numbers takes one width, so that the numbers stay in line."""
    cells = [[_cell(text, cell) for cell in row] for row in node.rows]
    count = max((len(row) for row in cells), default=0)
    tails = [max((cell_width(row[k][1]) for row in cells if k < len(row)), default=0) for k in range(count)]
    return [
        [
            main + (" " + pad(tail, tails[k]) if tails[k] and node.align[k : k + 1] == "r" else f" {tail}" if tail else "")
            for k, (main, tail) in enumerate(row)
        ]
        for row in cells
    ]


def table(text: Writer, node: n.Table) -> None:
    """A table with a rule above and below; caption first."""
    text.space()
    if node.caption:
        text.tables += 1
        label = text.own(text.words["table"]).format(n=text.tables)
        text.prose(f"{label} {text.inline(node.caption)}", style="grey")
    head = [text.inline(cell) for cell in node.head]
    grid(text, head, _columns(text, node), node.align, node.groups)


def grid(text: Writer, head: list[str], rows: list[list[str]], align: str, groups: tuple[int, ...] = ()) -> None:
    """Head and rows in columns two spaces apart."""
    count = max([len(head), *(len(row) for row in rows)])
    full = [[*row, *[""] * (count - len(row))] for row in [head, *rows]]
    align = align.ljust(count, "l")
    room = text.width - TEXT_EDGE - 2 * (count - 1)
    columns = list(zip(*full, strict=True))
    widths = _fit_columns([[cell_width(cell) for cell in column] for column in columns], align, room)
    if sum(widths) > room:  # heads may break at their spaces
        least = [max(min(cell_width(c[0]), 8), *(cell_width(w) for w in c[0].split(" ")), *map(cell_width, c[1:])) for c in columns]
        spare = room - sum(least)
        widths = [max(low, min(high, low + spare // count)) for low, high in zip(least, widths, strict=True)]
    if sum(widths) > room:
        _records(text, full[0], full[1:])
        return
    total = sum(widths) + 2 * (count - 1)
    text.rule(total, indent=TEXT_EDGE)
    for at, row in enumerate(full):
        if at - 1 in groups:
            text.put()
        cells = [wrap(cell, widths[k]) for k, cell in enumerate(row)]
        for line in range(max(len(cell) for cell in cells)):
            parts = [pad(cell[line] if line < len(cell) else "", widths[k], right=align[k] == "r") for k, cell in enumerate(cells)]
            text.put(" " * TEXT_EDGE + text.paint("  ".join(parts).rstrip(" "), "grey" if at == 0 else ""))
        if at == 0 and any(head):
            text.rule(total, indent=TEXT_EDGE)
    text.rule(total, indent=TEXT_EDGE)


def _fit_columns(columns: list[list[int]], align: str, room: int) -> list[int]:
    """Natural widths, the widest word columns narrowed (to 12 at least) until the row fits."""
    widths = [max(column, default=0) for column in columns]
    while sum(widths) > room:
        wide = [at for at, letter in enumerate(align[: len(widths)]) if letter != "r" and widths[at] > 12]
        if not wide:
            break
        at = max(wide, key=lambda k: widths[k])
        widths[at] -= 1
    return [max(width, 1) for width in widths]


def _records(text: Writer, head: list[str], rows: list[list[str]]) -> None:
    for row in rows:
        text.space()
        for name, cell in zip(head, row, strict=True):
            text.prose(f"{name}: {cell}" if name else cell)


def heat_map(text: Writer, node: n.HeatMap) -> None:
    """One key a line: number and a bar of ten blocks; above 12 tokens one query a line, in shades."""
    text.space()
    queries = [text.leaf(name) for name in node.queries]
    keys = [text.leaf(name) for name in node.keys]
    if len(keys) > NUMBERS_UP_TO or len(queries) > NUMBERS_UP_TO:
        _shades(text, node, queries)
    else:
        left = max((cell_width(name) for name in queries), default=0)
        right = max((cell_width(name) for name in keys), default=0)
        for at, row in enumerate(node.values):
            mark = ">" if at == node.framed else " "
            for k, value in enumerate(row):
                head = f"{' ' * (TEXT_EDGE - 2)}{mark if k == 0 else ' '} {pad(queries[at] if k == 0 else '', left)}  {pad(keys[k], right)}"
                text.put(f"{head}  {_weight(text, value)}")
            empty = all(value == "" for value in row)
            last = text.words["heat.no-key" if empty else "heat.sum"]
            if not text.blank:
                text.lines[-1] += "  " + text.paint(text.own(last), "grey")
    if node.caption:
        label = text.words["figure"].format(n=node.number) + " " if node.number else ""
        text.prose(text.own(label) + text.inline(node.caption), style="grey")


def _weight(text: Writer, value: str) -> str:
    if text.blank:
        return "[______]"
    if value == "":
        return text.own(text.words["heat.masked"])
    full = round(BAR * weight(value))
    blocks = ("#", ".") if text.ascii else ("█", "░")
    return f"{text.number(value)} {blocks[0] * full}{blocks[1] * (BAR - full)}"


def weight(value: str) -> float:
    """A printed weight as a number from 0 to 1, for lengths and shades only; what is no number is 0."""
    try:
        parsed = Decimal(value.rstrip("%…"))
    except InvalidOperation:
        return 0.0
    if not parsed.is_finite():
        return 0.0
    return min(max(float(parsed / 100 if value.endswith("%") else parsed), 0.0), 1.0)


def _shades(text: Writer, node: n.HeatMap, queries: list[str]) -> None:
    steps = " .:*#" if text.ascii else " ░▒▓█"
    named = len(queries) <= NAMES_UP_TO
    left = max((cell_width(name) for name in queries), default=0) if named else 0
    for at, row in enumerate(node.values):
        shades = "".join("/" if value == "" else "?" if text.blank else steps[round(weight(value) * (len(steps) - 1))] for value in row)
        mark = ">" if at == node.framed else " "
        text.put(f"{' ' * (TEXT_EDGE - 2)}{mark} {pad(queries[at], left) + '  ' if named else ''}{shades}")


def errata(text: Writer, node: n.Errata) -> None:
    """Sentence, counts, then a block a cause."""
    text.space()
    text.prose(text.inline(node.intro))
    counts = []
    for verdict, count in node.counts:
        sign = text.glyph(n.Margin("", verdict))
        counts.append(f"{text.paint(sign, VERDICT_STYLE.get(verdict, ''))} {count} {text.own(count_word(verdict, count, text.lang))}")
    if counts:
        text.space()
        for line in counts:
            text.put(" " * (TEXT_EDGE + 2) + line)
    if not node.rows:
        text.space()
        text.prose(text.own(text.words["errata.none"]))
    wide = max((cell_width(text.number(printed)) for row in node.rows for printed, _, _ in row.entries), default=0)
    for row in node.rows:
        text.space()
        step = text.step_name(row.step) if row.step else ""
        if cell_width(step) > 10:  # several steps share the cause
            text.put(" " * TEXT_EDGE + step)
            step = ""
        entries = [(text.number(printed), text.number(right), margin) for printed, right, margin in row.entries]
        for at, (printed, right, margin) in enumerate(entries):
            word = verdict_word(margin.verdict, text.lang, off=margin.off, changes_order=margin.changes_order)
            sign = text.glyph(margin)
            style = VERDICT_STYLE.get(margin.verdict, "")
            shown = pad(sign, 3) + pad(text.own(word), 22)
            line = f"{pad(step if at == 0 else '', 10)} {pad(printed, wide, right=True)} {text.paint(shown, style)}"
            right_text = text.own(text.words["correct"]).format(x=right) if right else ""
            tail = text.paint(right_text, "bold")
            if text.narrow:
                text.put(" " * TEXT_EDGE + line)
                text.put(" " * (TEXT_EDGE + 11) + tail)
            else:
                text.put(" " * TEXT_EDGE + line + tail)
        text.prose(text.inline(row.cause), indent=TEXT_EDGE + 11)


def statements(text: Writer, node: n.Statements) -> None:
    """Quote, status, our words, evidence."""
    for row in node.rows:
        text.space()
        where = text.own(text.words["statement.line"]).format(n=row.line)
        status = text.own(text.words[f"status.{row.status}"])
        quote = text.own(text.words["quote.open"]) + text.leaf(row.quote) + text.own(text.words["quote.close"])
        text.prose(f"{quote} ({where}{', ' + text.step_name(row.step) if row.step else ''})")
        text.put(
            " " * (TEXT_EDGE + 2) + text.paint(status, {"holds": "good", "imprecise": "explained", "false": "bad"}.get(row.status, "grey"))
        )
        if row.precise:
            text.prose(text.inline(row.precise), indent=TEXT_EDGE + 2)
        if not is_empty(row.evidence):
            text.prose(math_text(row.evidence, text.look), indent=TEXT_EDGE + 2)


def answers(text: Writer, node: n.AnswerKey) -> None:
    """The key of the student version; the full version has nothing here."""
    if not text.blank:
        return
    if not text.inside:
        text.space()
        text.put(text.paint(text.own(text.words["answers"]), "bold"))
        text.prose(text.own(text.words["answers.intro"]))
    for step, rows in node.steps:
        text.space()
        text.put(" " * TEXT_EDGE + text.step_name(step) if step else "")
        labels = [text.leaf(row.label) for row in rows]
        names = [math_text(row.name, text.look) for row in rows]
        values = [text.number(row.value) for row in rows]
        widths = [max((cell_width(part) for part in parts), default=0) for parts in (labels, names, values)]
        for at, row in enumerate(rows):
            line = f"{pad(labels[at], widths[0])}  {pad(names[at], widths[1])}  {pad(values[at], widths[2], right=True)}"
            entry = _entry_in_key(text, row.margin) if row.margin is not None else ""
            whole = " " * (TEXT_EDGE + 2) + line
            if cell_width(whole) + 2 + cell_width(entry) > text.width:
                text.put(whole)
                text.put(" " * (TEXT_EDGE + 4 + widths[0]) + entry)
            else:
                text.put(f"{whole}  {entry}")


def _entry_in_key(text: Writer, entry: n.Margin) -> str:
    word = verdict_word(entry.verdict, text.lang, off=entry.off, plural=entry.plural, changes_order=entry.changes_order)
    return f"{text.number(entry.printed)} {text.glyph(entry)} {text.own(word)}"
