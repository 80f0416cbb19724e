"""A derivation at given sizes or at given numbers, as further parts of its page.

Promises: entries are written out over the entries of the named values; values are exact, or decimals with proven digits. What has no value
of its own (a direction, the gradient that arrives) is taken to be 1 everywhere, and the page says so. Does not promise: every line: one
with too many entries is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from symattn.calculus.derivation import Derivation
from symattn.calculus.explicit import written_out
from symattn.calculus.scopes import relation_of
from symattn.calculus.setting import Setting
from symattn.calculus.symbols import symbol
from symattn.calculus.typeset import RELATIONS, Typesetter
from symattn.errors import InputError, ShapeError
from symattn.language.parser import parse
from symattn.page import math as m
from symattn.page import nodes as n
from symattn.page.words import words

if TYPE_CHECKING:
    from symattn.interp.quantities import Quantities

PLACES = 6
MAX_SHOWN = 36  # entries of one value
MAX_SIDE = 9  # columns of a matrix on a page


def entries_section(derivation: Derivation, lang: str, sizes: Mapping[str, int]) -> n.Section:
    """Every definition, entry by entry. Raises InputError for a size that is missing or unknown."""
    setting = Setting(derivation.definitions)
    for name in sizes:
        if name not in setting.sizes():
            raise InputError(f'there is no size "{name}" here', next_move="sizes: " + ", ".join(setting.sizes()))
    blocks: list[n.Block] = []
    for name in setting.names():
        if setting.defined(name) is not None:
            lines = tuple(n.Line(left, "=", right) for left, right in written_out(setting, name, sizes))
            blocks.append(n.Step("", (n.Formula(symbol(name)),), (n.Chain(lines),), has_margin=False))
    given = ", ".join(f"{name} = {value}" for name, value in sizes.items())
    title = f"Entrada por entrada, con {given}" if lang == "es" else f"Entry by entry, with {given}"
    note = "Las posiciones se cuentan desde 0." if lang == "es" else "Positions count from 0."
    return n.Section(words(lang)["derivation"], title, (n.Paragraph((n.Text(note),)), *blocks))


def values_section(derivation: Derivation, lang: str, feeds: Mapping[str, Any]) -> n.Section:
    """The definitions at these numbers, and both sides of every line. Raises InputError for numbers that do not fit."""
    setting = Setting(derivation.definitions)
    values, assumed, stages = _evaluated(derivation, setting, feeds)
    show = Typesetter(setting)
    matrices: list[tuple[m.Math, m.Math]] = []
    for name in setting.names():
        shown = _value(values, name)
        if shown is not None:
            matrices.append((symbol(name), shown))
    lines: list[n.Line] = []
    for at, step in enumerate(derivation.steps, 1):
        sides = [_value(values, stages[text]) for text in (step.before, step.after)]
        if sides[0] is None or sides[1] is None:
            continue
        fresh = at == 1 or derivation.steps[at - 2].after != step.before
        relation = RELATIONS[relation_of(step.sign)]
        if fresh:
            node = parse(step.before)
            left = show.matrix(node)
            lines.append(n.Line(left, "=", sides[0], space_above=bool(lines)))
        lines.append(n.Line(m.EMPTY, relation, m.Row((sides[1], m.Words(f"    ({at})")))))
    es = lang == "es"
    title = "Con números" if es else "With numbers"
    blocks: list[n.Block] = []
    if assumed:
        names: list[n.Inline] = []
        for name in assumed:
            names += [n.Text(", "), n.Formula(symbol(name))] if names else [n.Formula(symbol(name))]
        said = n.Text(" se toma igual a 1 en todas partes." if es else " is taken to be 1 everywhere.")
        blocks.append(n.Paragraph((*names, said)))
    blocks.append(n.Matrices(tuple(matrices), wide=True))
    if lines:
        blocks.append(n.Paragraph((n.Text("Los dos lados de cada línea:" if es else "Both sides of each line:"),)))
        blocks.append(n.Chain(tuple(lines)))
    return n.Section(words(lang)["derivation"], title, tuple(blocks))


def _evaluated(derivation: Derivation, setting: Setting, feeds: Mapping[str, Any]) -> tuple[Quantities, list[str], Mapping[str, str]]:
    from symattn.interp.quantities import quantities
    from symattn.interp.sizes import infer_sizes
    from symattn.language.constants import shape_of

    program, stages = derivation.written
    inputs = {stage.name: stage for stage in program.inputs}
    known = {name: value for name, value in feeds.items() if name in inputs}
    if not known:
        raise InputError("none of the givens has a number here", next_move="givens: " + ", ".join(inputs))
    shapes = {name: shape_of(value) for name, value in known.items()}
    part = [inputs[name] for name in known]
    try:
        from symattn.program.program import Program

        sizes = infer_sizes(Program(tuple(part)), shapes)
    except ShapeError as error:
        raise InputError(f"the numbers do not fit: {error.message}", next_move=error.next_move) from None
    assumed: list[str] = []
    for name, stage in inputs.items():
        if name not in known:
            missing = [s for axis in stage.out for s in axis.space.symbols() if s not in sizes]
            if missing:
                raise InputError(f'the numbers do not say the size "{missing[0]}" of "{name}"', next_move=f'add "{name}" to them')
            known[name] = _ones(tuple(axis.space.extent(dict(sizes)) for axis in stage.out))
            assumed.append(name)
    return quantities(program, known), assumed, stages


def _ones(shape: tuple[int, ...]) -> Any:
    return 1 if not shape else [_ones(shape[1:])] * shape[0]


def _value(values: Quantities, stage: str) -> m.Math | None:
    """A value as a number or a matrix; None when it is too large for a page."""
    from symattn.number.digits import digits_text

    shape = values.shape(stage)
    count = 1
    for size in shape:
        count *= size
    if len(shape) > 2 or count > MAX_SHOWN or (shape and shape[-1] > MAX_SIDE):
        return None
    entries = [_number(digits_text(q, PLACES)) for q in values.tensor(stage).entries]
    if not shape:
        return entries[0]
    width = shape[-1]
    rows = [tuple(entries[k : k + width]) for k in range(0, len(entries), width)]
    return m.Grid(tuple(rows))


def _number(text: str) -> m.Math:
    whole = text.rstrip("0").rstrip(".") if "." in text else text
    return m.Number(whole or "0")
