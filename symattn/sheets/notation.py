"""How stages and their entries are written in formulas: names, indices, and a definition in index notation.

Promises: the formula is read off the program's operation; entries of a matrix named by one capital are its small letter
(q for Q), labelled entries carry their label (q with subscript perro,0). Does not promise: matrix notation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symattn.page import math as m
from symattn.program import ops
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Num, Scalar
from symattn.program.spaces import Axis
from symattn.sheets.trace import Entry, Tracer, inner
from symattn.sheets.typeset import fenced, typeset

GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "lambda": "λ", "mu": "μ", "sigma": "σ", "theta": "θ", "tau": "τ"}
SMALL = frozenset("KOPQSTVXY")
# Stages of an attention that have no letter of their own: scores after another step.
ACCENTED = {"scaled": ("S", "tilde"), "masked": ("S", "bar"), "shifted": ("S", "hat"), "mixed": ("M", "")}
FREE, BOUND = ("i", "j", "r", "t"), ("l", "c", "u", "w")


def word(text: str) -> m.Math:
    """One piece of a name: a letter, a number, a Greek letter or an upright word."""
    if text in GREEK:
        return m.Name(GREEK[text])
    if text.isdigit():
        return m.Number(text)
    return m.Name(text, upright=len(text) > 1)


def name_math(name: str) -> m.Math:
    """A stage's name: W_Q is W with subscript Q, P0 is P with subscript 0."""
    base, _, below = name.partition("_")
    stem = base.rstrip("0123456789")
    digits = base[len(stem) :]
    if not stem:
        return word(base)
    parts = [word(x) for x in (*([digits] if digits else []), *[b for b in below.split("_") if b])]
    return m.Script(word(stem), _row(parts)) if parts else word(stem)


def _row(parts: Sequence[m.Math]) -> m.Math:
    """Indices side by side; a comma between them when one is longer than a letter or a digit."""
    if all(_short(p) for p in parts):
        return parts[0] if len(parts) == 1 else m.Row(tuple(parts))
    items: list[m.Math] = []
    for part in parts:
        items.extend((m.Sign(","), part) if items else (part,))
    return m.Row(tuple(items))


def _short(part: m.Math) -> bool:
    return isinstance(part, m.Name) and len(part.text) == 1


def indexed(name: str, indices: Sequence[m.Math]) -> m.Math:
    """An entry of the stage `name`."""
    if not indices:
        return name_math(name)
    base, _, below = name.partition("_")
    stem = base.rstrip("0123456789")
    if not below and len(stem) == 1:
        letter = m.Name(stem.lower() if stem in SMALL else stem)
        own = [m.Number(base[len(stem) :])] if base != stem else []
        if own:
            return m.Script(letter, m.Row((own[0], m.Sign(";"), _row(indices))))
        return m.Script(letter, _row(indices))
    if len(below) == 1 and below.isupper():
        return m.Script(fenced(name_math(name)), _row(indices))  # the field writes (W_Q) with its indices outside
    named = name_math(stem.lower() + name[len(stem) :] if stem in SMALL else name)
    if isinstance(named, m.Script):
        return m.Script(named.base, m.Row((named.sub, m.Sign(","), _row(indices))))
    return m.Script(named, _row(indices))


def position_math(axis: Axis, position: int) -> m.Math:
    """An index: the entry's label when it has one, else its number, counted from 0."""
    if position < len(axis.space.labels):
        label = axis.space.labels[position]
        return m.Number(label) if label.isdigit() else m.Name(label, upright=True)
    return m.Number(str(position))


def position_text(axis: Axis, position: int) -> str:
    """The same as text of the language."""
    if position < len(axis.space.labels) and axis.space.labels[position].isidentifier():
        return axis.space.labels[position]
    return str(position)


def stage_math(program: Program, stage: str) -> m.Math:
    """The symbol of a stage: its letter, or its name."""
    letter, accent = _symbol(program, stage)
    return m.Name(letter, accent=accent) if accent else name_math(letter)


def stage_indexed(program: Program, stage: str, indices: Sequence[m.Math]) -> m.Math:
    """An entry of a stage with given indices."""
    letter, accent = _symbol(program, stage)
    if accent and indices:
        return m.Script(m.Name(letter.lower(), accent=accent), _row(indices))
    return indexed(letter, indices) if indices else stage_math(program, stage)


def _symbol(program: Program, stage: str) -> tuple[str, str]:
    letter = program.by_name[stage].letter
    return (letter, "") if letter else ACCENTED.get(stage, (stage, ""))


def entry_math(program: Program, entry: Entry) -> m.Math:
    """The symbol of an entry."""
    stage = program.by_name[entry.stage]
    return stage_indexed(program, entry.stage, [position_math(a, k) for a, k in zip(stage.out, entry.index, strict=True)])


def entry_text(program: Program, entry: Entry) -> str:
    """`Q[perro,0]`, as the language writes it."""
    stage = program.by_name[entry.stage]
    if not entry.index:
        return entry.stage
    return f"{entry.stage}[{','.join(position_text(a, k) for a, k in zip(stage.out, entry.index, strict=True))}]"


# -- a definition in index notation ------------------------------------------------------------------------------------
class Formulas:
    """Definitions of one program as formulas. Sizes are bound, so sums show their bounds."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.program = tracer.program

    def formula(self, stage: str, fixed: Sequence[int | None]) -> tuple[m.Math, m.Math, m.Math]:
        """Left side, right side, and the range of the free indices ("j = 0, 1, 2, 3"; empty when none is free). `fixed` gives a
        position for each axis, or None for a letter."""
        axes = self.program.by_name[stage].out
        letters = iter(FREE)
        indices: list[m.Math] = []
        ranges: list[m.Math] = []
        for axis, position in zip(axes, fixed, strict=True):
            if position is not None:
                indices.append(position_math(axis, position))
                continue
            letter = m.Name(next(letters))
            indices.append(letter)
            if not axis.space.labels:
                ranges.append(self._range(letter, axis))
        bound = {a.name: i for a, i in zip(axes, indices, strict=True)}
        right = self._right(self.program.by_name[stage], bound, iter(BOUND))
        spread = m.Row(tuple(x for k, r in enumerate(ranges) for x in ((m.Sign(" "), r) if k else (r,)))) if ranges else m.EMPTY
        return stage_indexed(self.program, stage, indices), right, spread

    def _size(self, name: str) -> m.Math:
        """A size symbol such as d_k; an axis called by a word (token) has no symbol, so its number stands."""
        if len(name.partition("_")[0]) == 1:
            return name_math(name)
        return m.Number(str(self.tracer.sizes.get(name, name)))

    def _range(self, letter: m.Math, axis: Axis) -> m.Math:
        count = axis.space.extent(self.tracer.sizes)
        if count == 1:
            return m.Row((letter, m.Sign("="), m.Number("0")))
        shown: list[m.Math] = [m.Number(str(k)) for k in (range(count) if count <= 4 else (0, 1))]
        items: list[m.Math] = [letter, m.Sign("=")]
        for k, number in enumerate(shown):
            items.extend((m.Sign(","), number) if k else (number,))
        if count > 4:
            items.extend((m.Sign(","), m.Sign("…"), m.Sign(","), m.Number(str(count - 1))))
        return m.Row(tuple(items))

    def _right(self, stage: Stage, bound: Mapping[str, m.Math], letters: object) -> m.Math:
        op = stage.op
        match op:
            case ops.Map():
                uses = dict(op.args)
                return typeset(op.scalar, lambda name: self._use(uses[name], bound, letters), inline=False, size=self._size)
            case ops.Contract():
                scope, lower, upper = self._bind(stage, bound, letters)
                factors = [self._use(use, scope, letters) for use in op.uses]
                body = self._product(factors)
                if lower != m.EMPTY:
                    body = m.Big("sum", lower, upper, body)
                return body if _is_one(op.coef) else m.Row((typeset(op.coef, m.Name, inline=False, size=self._size), body))
            case ops.Reduce():
                scope, lower, _ = self._bind(stage, bound, letters)
                return m.Big("max", lower, m.EMPTY, self._use(op.use, scope, letters))
            case _:
                return stage_indexed(self.program, stage.name, list(bound.values()))

    def _bind(self, stage: Stage, bound: Mapping[str, m.Math], letters: object) -> tuple[dict[str, m.Math], m.Math, m.Math]:
        assert hasattr(letters, "__next__")
        loops = self.tracer.loops(stage.name)
        scope = dict(bound)
        summed: list[m.Math] = []
        lower: m.Math = m.EMPTY
        upper: m.Math = m.EMPTY
        for axis in loops.inner:
            letter = m.Name(next(letters))
            scope[axis.name] = letter
            summed.append(letter)
        if len(loops.inner) == 1 and not loops.inner[0].space.labels:
            count = loops.extents[loops.inner[0].name]
            lower, upper = m.Row((summed[0], m.Sign("="), m.Number("0"))), m.Number(str(count - 1))
        elif summed:
            lower = _row(summed)
        return scope, lower, upper

    def _use(self, use: ops.Use, scope: Mapping[str, m.Math], letters: object) -> m.Math:
        source = self.program.by_name[use.stage]
        indices = [self._index(index, axis, scope) for index, axis in zip(use.indices, source.out, strict=True)]
        if inner(use.stage) and not isinstance(source.op, ops.Input):
            body = self._right(source, dict(zip((a.name for a in source.out), indices, strict=True)), letters)
            return fenced(body) if isinstance(body, m.Row) else body
        return stage_indexed(self.program, use.stage, indices)

    def _index(self, index: ops.Index, axis: Axis, scope: Mapping[str, m.Math]) -> m.Math:
        match index:
            case Axis(name):
                return scope[name]
            case ops.At(_, position):
                return position_math(axis, position)
            case ops.Inject(_, block, inside):
                return m.Row((m.Name(block, upright=True), fenced(scope[inside.name])))
            case ops.Joint(_, parts):
                return fenced(_row([scope[a.name] for a in parts]))

    def _product(self, factors: list[m.Math]) -> m.Math:
        if not factors:
            return m.Number("1")
        if len(factors) == 1:
            return factors[0]
        items = [fenced(f) if isinstance(f, m.Row | m.Big | m.Number) else f for f in factors]
        spaced: list[m.Math] = [items[0]]
        for item in items[1:]:
            spaced.extend((m.Sign(" "), item))
        return m.Row(tuple(spaced))


def _is_one(coef: Scalar) -> bool:
    return isinstance(coef, Num) and coef.value == 1


__all__ = ["Arg", "Formulas", "entry_math", "entry_text", "indexed", "name_math", "position_math", "position_text", "word"]
