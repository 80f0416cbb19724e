"""`symattn attend`: attention on given matrices, stage by stage in several number systems.

Promises: what is given is taken exactly, or refused with its place; nothing is written before everything is computed. Does not promise: any
mathematics here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.attend_options import MATRICES, SECTIONS, attention_options, label, matrices, shown_options
from symattn.cli.groups import CONTEXT, sectioned
from symattn.cli.readings import Reading, parse_numbers, read_all
from symattn.cli.shown import width
from symattn.cli.spelling import spelled_for_the_prompt
from symattn.cli.table import as_data, as_text
from symattn.errors import InputError, SymattnError, UnsupportedError

if TYPE_CHECKING:
    from symattn.inputs.given import Given
    from symattn.program.program import Program

ALL_SHOWN = 400  # entries; beyond that only the output is shown unless stages are named
TITLE = {"es": "Consultas y claves: {n} y {m}", "en": "Queries and keys: {n} and {m}"}


@click.command(cls=sectioned(SECTIONS), context_settings=CONTEXT)
@click.argument("file", required=False, metavar="[FILE]")
@matrices
@attention_options
@shown_options
def command(
    file: str | None, numbers: str, digits: int, stages: tuple[str, ...], order: str, binary: bool, form: str, output: Path | None,
    lang: str, paper: str, blank: bool, algorithm: str, blocks: str | None, masking: str, masked_value: str, **options: Any,
) -> None:  # fmt: skip
    """Attention on given matrices: every step, in several numbers side by side.

    FILE holds X, W_Q, W_K, W_V (and W_O) or Q, K, V: JSON or TOML with one key a
    matrix, CSV with blocks headed "# Q", or .npz. Matrices can also be given
    one by one. Decimals are taken exactly as they are written.

    \b
    Examples:
      symattn attend --q "[[1, 0]]" --k "[[1, 2], [0, 1]]" --v "[[3], [5]]"
      symattn attend scores.json --mask causal --numbers balls,float16
      symattn attend scores.toml --to latex -o steps.tex
    """
    chosen = parse_numbers(numbers)
    texts = {option: options.pop(option) for option in MATRICES}
    with spelled_for_the_prompt():
        given = _gather(file, texts, binary=binary or all(map(_is_float, chosen)))
        with _placed(given):
            work = _Work(given, options, algorithm, _sizes(blocks), masking, masked_value)
            if form == "latex":
                text = work.latex(stages, lang=lang, paper=paper, blank=blank)
            else:
                readings = read_all(work.evaluate, chosen, digits, order)
                text = _shown(readings, stages, form, 100 if output is not None else width())
    _out(text, output)


class _Work:
    """The attention that is described, ready to be read."""

    def __init__(
        self, given: Mapping[str, Given], options: Mapping[str, Any], algorithm: str, blocks: tuple[int, ...], masking: str, value: str
    ) -> None:
        from symattn.inputs.describe import describe, stated_sizes

        self.given = given
        self.attention, self.feeds = describe(given, options)
        self.program = self.attention.program(
            algorithm, masking=masking, masked_value=value, blocks=blocks, **stated_sizes(self.attention, self.feeds)
        )

    def evaluate(self, numbers: str, extra: dict[str, Any]) -> Any:
        """The stages in one number system."""
        if self.attention.masked_row == "nan" and not _is_float(numbers):
            raise UnsupportedError("only floats have a NaN, which a masked row becomes here")
        feeds = {name: tensor.nested() for name, tensor in self.feeds.items()}
        return self.program.evaluate(self.attention.with_defaults(feeds), numbers=numbers, **extra)

    def latex(self, names: Sequence[str], *, lang: str, paper: str, blank: bool) -> str:
        """The page with every step written out."""
        from symattn.render.latex import to_latex
        from symattn.sheets.program_page import Heading, program_page

        stages = _stages(self.program, names, inputs=False)
        texts = {name: given.texts for name, given in self.given.items() if given.texts}
        feeds = self.attention.with_defaults(self.feeds)
        rows, keys = ("Q", "K") if "Q" in self.feeds else ("X", "Y" if "Y" in self.feeds else "X")
        title = TITLE[lang].format(n=self.feeds[rows].shape[0], m=self.feeds[keys].shape[0])
        page = program_page(self.program, feeds, Heading(title, lang), stages=stages, texts=texts)
        return to_latex(page, blank=blank, paper=paper)


def _is_float(numbers: str) -> bool:
    from symattn.interp.systems import SYSTEMS

    return SYSTEMS[numbers].binary


# -- what is given ----------------------------------------------------------------------------------------------------
def _gather(file: str | None, texts: Mapping[str, str | None], *, binary: bool) -> dict[str, Given]:
    """The inputs of the file and of the options. Raises InputError for one that is given twice, and for a set that is not whole."""
    from symattn.inputs.names import check_together
    from symattn.inputs.read import read_file, read_matrix

    given = read_file(Path(file), binary=binary) if file is not None else {}
    for option, text in texts.items():
        if text is None:
            continue
        name = MATRICES[option][0]
        if name in given:
            first = given[name].place.label()
            raise InputError(f'"{name}" is given twice, by {label(option)} and in {first}', next_move="leave one of them out")
        given[name] = read_matrix(name, text, label(option), binary=binary)
    check_together({name: g.place for name, g in given.items()})
    return given


def _sizes(blocks: str | None) -> tuple[int, ...]:
    if blocks is None:
        return ()
    parts = [part.strip() for part in blocks.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 9 for part in parts):
        raise InputError("--blocks takes sizes separated by commas", next_move='write for example --blocks "2,2"')
    return tuple(int(part) for part in parts)


@contextmanager
def _placed(given: Mapping[str, Given]) -> Iterator[None]:
    """Complaints about an input's shape get the place where the input was given."""
    try:
        yield
    except SymattnError as error:
        named = re.search(r'input "(\w+)"', error.message)
        if named and named[1] in given:
            error.at(given[named[1]].place)
        raise


# -- what is shown ----------------------------------------------------------------------------------------------------
def _stages(program: Program, names: Sequence[str], *, inputs: bool) -> list[str]:
    """The stages meant, by name or letter, in the program's order; all that are computed when none is named. Raises InputError."""
    from symattn.program import ops

    computed = [s.name for s in program.stages if not isinstance(s.op, ops.Input | ops.Position)]
    if not names or "all" in names:
        return computed
    known = [s.name for s in program.stages] if inputs else computed
    letters = {s.letter: s.name for s in program.stages if s.letter and s.name in known}
    wanted = set()
    for name in names:
        found = name if name in known else letters.get(name)
        if found is None:
            near = get_close_matches(name[:40], [*known, *letters], n=2)
            hint = f"did you mean {' or '.join(near)}? " if near else ""
            shown = name if len(name) <= 40 else name[:37] + "..."
            raise InputError(f'there is no stage "{shown}"', next_move=f"{hint}stages: {', '.join(known)}")
        wanted.add(found)
    return [name for name in known if name in wanted]


def _shown(readings: Sequence[Reading], names: Sequence[str], form: str, columns: int) -> str:
    ready = next(r for r in readings if r.program is not None)
    assert ready.program is not None
    shown = _stages(ready.program, names, inputs=True)
    count = sum(len(ready.stages[name].entries) for name in shown)
    if not names and count > ALL_SHOWN:
        shown = [ready.program.output]
        click.echo(f"only the output is shown (all stages have {count} entries); --stage all shows all", err=True)
    if form == "json":
        from symattn.claims.escape import json_text

        return json_text(as_data(readings, shown))
    return "\n".join(as_text(readings, shown, columns)) + "\n"


def _out(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    from symattn.cli.output import write_whole
    from symattn.errors import visible

    write_whole(output, text)
    click.echo(f"wrote {visible(str(output))}", err=True)
