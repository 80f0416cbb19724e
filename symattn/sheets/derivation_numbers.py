"""A derivation at given sizes or at given numbers, as further parts of its page.

Promises: entries are written out over the entries of the named values; values are exact, or decimals with proven digits. What has no value
of its own (a direction, the gradient that arrives) is taken to be 1 everywhere, and the page says so. Does not promise: every line: one
with too many entries is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

from symattn.calculus.derivation import Derivation
from symattn.calculus.explicit import written_out
from symattn.calculus.reading import parse
from symattn.calculus.scopes import relation_of
from symattn.calculus.setting import Setting
from symattn.calculus.symbols import symbol
from symattn.calculus.typeset import RELATIONS, Typesetter
from symattn.errors import InputError, ShapeError, UndecidedError
from symattn.page import math as m
from symattn.page import nodes as n
from symattn.page.words import words

if TYPE_CHECKING:
    from symattn.interp.quantities import Quantities
    from symattn.number.truth import Quantity

PLACES = 6
FINITE = 7  # digits of a decimal that is written whole
SMALL = Fraction(1, 1000)  # below it, significant digits are written
DIGITS = 4
MAX_SHOWN = 36  # entries of one value
MAX_SIDE = 9  # columns of a matrix on a page


def entries_section(derivation: Derivation, lang: str, sizes: Mapping[str, int]) -> n.Section:
    """Every definition, entry by entry. Raises InputError for a size that is missing or unknown."""
    setting = derivation.setting
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
    setting = derivation.setting
    values, assumed, stages = _evaluated(derivation, setting, feeds)
    show = Typesetter(setting)
    named = [(symbol(name), _value(values, name)) for name in setting.names() if name not in assumed]
    known = [n.Line(left, "=" if value.exact else "≈", value.math, space_above=k > 0) for k, (left, value) in enumerate(named) if value]
    lines: list[n.Line] = []
    for at, step in enumerate(derivation.steps, 1):
        sides = [_value(values, stages[text]) for text in (step.before, step.after)]
        if sides[0] is None or sides[1] is None:
            continue
        fresh = at == 1 or derivation.steps[at - 2].after != step.before
        relation = RELATIONS[relation_of(step.sign)]
        if fresh:
            node = parse(step.before)
            lines.append(n.Line(show.matrix(node), "=" if sides[0].exact else "≈", sides[0].math, space_above=bool(lines)))
        if relation == "=" and not sides[1].exact:
            relation = "≈"
        lines.append(n.Line(m.EMPTY, relation, m.Row((sides[1].math, m.Words(f"    ({at})")))))
    es = lang == "es"
    title = "Con números" if es else "With numbers"
    blocks: list[n.Block] = []
    if assumed:
        names: list[n.Inline] = []
        for name in assumed:
            names += [n.Text(", "), n.Formula(symbol(name))] if names else [n.Formula(symbol(name))]
        verb = ("se toma igual", "is taken to be") if len(assumed) == 1 else ("se toman iguales", "are taken to be")
        said = n.Text(f" {verb[0]} a 1 en todas partes." if es else f" {verb[1]} 1 everywhere.")
        blocks.append(n.Paragraph((*names, said)))
    blocks.append(n.Chain(tuple(known)))
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


@dataclass(frozen=True)
class _Shown:
    """A value on the page; `exact` when its decimals end there."""

    math: m.Math
    exact: bool


def _value(values: Quantities, stage: str) -> _Shown | None:
    """A value as a number or a matrix; None when it is too large for a page."""
    shape = values.shape(stage)
    count = prod(shape)
    if len(shape) > 2 or count > MAX_SHOWN or (shape and shape[-1] > MAX_SIDE):
        return None
    entries = [_number(q) for q in values.tensor(stage).entries]
    exact = all(entry.exact for entry in entries)
    if not shape:
        return entries[0]
    width = shape[-1]
    rows = [tuple(entry.math for entry in entries[k : k + width]) for k in range(0, len(entries), width)]
    return _Shown(m.Grid(tuple(rows)), exact)


def _number(q: Quantity) -> _Shown:
    from symattn.number.digits import digits_text, finite_text, significant_text

    known = q.rational()
    whole = None if known is None else finite_text(known, FINITE)
    if whole is not None:
        return _Shown(m.Number(whole), True)
    text = digits_text(q, PLACES)
    if abs(Fraction(text)) < SMALL:
        try:
            text = significant_text(q, DIGITS)
        except UndecidedError:
            return _Shown(m.Number("0"), False)  # as far as the digits go
    digits, _, exponent = text.partition("e")
    if not exponent:
        return _Shown(m.Number(digits), False)
    power = m.Script(m.Number("10"), sup=m.Number(exponent))
    return _Shown(m.Row((m.Number(digits), m.Sign("·"), power)), False)
