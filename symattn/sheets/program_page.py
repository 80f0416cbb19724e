"""Any program with its inputs as a page: each stage a step, every entry written out. Nothing is printed to check.

Promises: the same rows as a worksheet's, each of which recomputes; masked entries are left out. Does not promise: prose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symattn.errors import InputError
from symattn.interp.quantities import quantities
from symattn.interp.take import take_feeds
from symattn.interp.tensor import Tensor
from symattn.page import nodes as n
from symattn.program import ops
from symattn.program.program import Program
from symattn.sheets.compiled import Compiled, Target
from symattn.sheets.page import Builder
from symattn.sheets.result import Result
from symattn.sheets.source import LANGS, SheetSource
from symattn.sheets.trace import Entry, Tracer
from symattn.sheets.words import sheet_words

MAX_ENTRIES = 20_000


@dataclass(frozen=True)
class Heading:
    """Title and language of a program's page."""

    title: str
    lang: str = "en"
    digits: int = 0


def program_page(
    program: Program,
    feeds: Mapping[str, Any],
    heading: Heading,
    *,
    stages: Sequence[str] = (),
    texts: Mapping[str, Mapping[tuple[int, ...], str]] | None = None,
    parameters: Mapping[str, int] | None = None,
) -> n.Page:
    """The page of `program` for exact `feeds`. `stages` limits what is written out (all by default); `texts` are entries of inputs as they
    were typed. Raises InputError for an unknown stage or too many entries, and what the readings raise."""
    taken = take_feeds(program, feeds)
    values = quantities(program, feeds, parameters=parameters)
    masks = {name: t for name, t in taken.items() if _boolean(program, name)}
    tracer = Tracer(program, values.sizes, masks, parameters)
    known = [s.name for s in program.stages if not isinstance(s.op, ops.Input | ops.Position)]
    for name in stages:
        if name not in known:
            raise InputError(f'the program has no stage "{name}" to write out', next_move="its stages: " + ", ".join(known))
    shown = [name for name in known if not stages or name in stages]
    count = sum(len(values.tensor(name).entries) for name in shown)
    if count > MAX_ENTRIES:
        raise InputError(f"the page would write out {count} entries", next_move=f"at most {MAX_ENTRIES}; choose stages")
    given = {Entry(name, index): text for name, entries in (texts or {}).items() for index, text in entries.items()}
    inputs = [s.name for s in program.inputs if not _boolean(program, s.name)]
    compiled = Compiled(_sheet(heading), program, feeds, values, tracer, given, frozenset(inputs), {}, {}, {})
    builder = Builder(Result(compiled.sheet, compiled, (), (), {}, frozenset(), True, 0, 0), heading.lang)
    builder.open_step(builder.words["givens"], numbered=False)
    builder.inputs([name for name in inputs if len(program.by_name[name].out) <= 2])
    for name in shown:
        tensor = values.tensor(name)
        present = tuple(Entry(name, index) for index in tensor.indices() if not tensor.is_absent(index))
        if not present:
            continue
        builder.open_step(stage_title(name, heading.lang))
        builder.show(Target(name, name, present, named=True), ledger=False, at=-1, used=set())
        if name == "weights" and len(tensor.shape) == 2 and max(tensor.shape) <= 12:
            builder.draw_heat(name)
    return builder.whole(None)


def stage_title(stage: str, lang: str) -> str:
    """A stage's name as a heading."""
    return sheet_words(lang).get(f"stage.{stage}", stage.replace("_", " ").replace(".", " "))


def _boolean(program: Program, name: str) -> bool:
    op = program.by_name[name].op
    return isinstance(op, ops.Input) and op.boolean


def _sheet(heading: Heading) -> SheetSource:
    return SheetSource(
        path="",
        name="program",
        title=dict.fromkeys(LANGS, heading.title),
        subtitle=dict.fromkeys(LANGS, ""),
        kicker=dict.fromkeys(LANGS, ""),
        number=0,
        lang=heading.lang,
        source="",
        labels={},
        digits=heading.digits,
        parts=(),
        lines=(),
    )


__all__ = ["Heading", "Tensor", "program_page", "stage_title"]
