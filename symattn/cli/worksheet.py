"""`symattn worksheet`: list, build, check and start worksheets.

Promises: `build` checks too and writes its files first, all of them or, where there is trouble before, none; every file is whole or
untouched. Does not promise: any mathematics here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.building import ENDINGS, Build
from symattn.cli.groups import CONTEXT, NearGroup
from symattn.cli.output import ensure_folder, progress, write_whole
from symattn.cli.shown import width
from symattn.errors import InputError, visible

if TYPE_CHECKING:
    from symattn.sheets.result import Result

LONGEST_NAME = 60
UNREAD_SHOWN = 10


@click.group(cls=NearGroup, context_settings=CONTEXT)
def command() -> None:
    """List, build, check and start worksheets.

    A worksheet is a Markdown file that redoes a document's calculations and
    says what every printed number is. It is found by its name in ./worksheets,
    then among those that come with symattn, or given by its path.
    """


@command.command("list", context_settings=CONTEXT)
def list_command() -> None:
    """Name, language and title of every worksheet at hand."""
    from symattn.sheets.catalog import list_worksheets

    found = list_worksheets()
    longest = max((len(visible(x.name)) for x in found), default=0)
    for listed in found:
        title = listed.title.get(listed.lang, "")
        click.echo(f"{visible(listed.name):{longest}}  {visible(listed.lang)}  {visible(title)}")
    if not found:
        click.echo("no worksheet here; start one with `symattn worksheet new NAME`", err=True)


def _formats(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(x.strip() for x in value.split(",") if x.strip()))
    for name in chosen:
        if name not in ENDINGS:
            raise click.BadParameter(f'"{name}" is no format; choose from {", ".join(ENDINGS)}', ctx, param)
    if not chosen:
        raise click.BadParameter(f"no format is named; choose from {', '.join(ENDINGS)}", ctx, param)
    return chosen


def _which(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that `build` and `check` share."""
    strict = click.option("--strict", is_flag=True, help="Notes (truncated, undecided) count as findings too.")
    source = click.option(
        "--source", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the source documents: places are then verified."
    )
    lang = click.option("--lang", type=click.Choice(["es", "en", "all"]), help="Language; each worksheet's own by default.")
    everything = click.option("--all", "everything", is_flag=True, help="All worksheets at hand.")
    return click.argument("names", nargs=-1)(everything(lang(source(strict(function)))))


@command.command(context_settings=CONTEXT)
@_which
@click.option(
    "--to",
    "formats",
    default="tex,html,md,json",
    show_default=True,
    callback=_formats,
    metavar="LIST",
    help="Comma-separated: tex, pdf, html, md, json, text.",
)
@click.option("--blank", is_flag=True, help="Student version: results are boxes, the key is at the end.")
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True, help="Paper of TeX and PDF.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    default=Path("build/worksheets"),
    show_default=True,
    help="Folder for the files.",
)
def build(
    names: tuple[str, ...], everything: bool, formats: tuple[str, ...], lang: str | None, blank: bool, paper: str, folder: Path,
    source: Path | None, strict: bool,
) -> int:  # fmt: skip
    """Build worksheets, and check every number in them.

    NAMES are names or paths. The files are called NAME.LANGUAGE.ENDING. Exit
    code 1 when a finding is not acknowledged in its worksheet.

    \b
    Examples:
      symattn worksheet build --all
      symattn worksheet build el-perro-come --to pdf --lang all --blank
    """
    plan = Build(formats, lang, blank, paper, folder)
    plan.check_engine()
    results = _work_out(_paths(names, everything), source)
    made = [make() for make in progress(plan.files(results), plan.count(len(results)))]
    ensure_folder(folder)
    for path, content in made:
        write_whole(path, content)
    _summary(results, lang, strict)
    click.echo(f"wrote {len(made)} file{'' if len(made) == 1 else 's'} to {visible(str(folder))}", err=True)
    return _exit_code(results, strict)


@command.command(context_settings=CONTEXT)
@_which
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How the report is shown.")
@click.option("--write-places", is_flag=True, help="With --source: write the column of every quote into the worksheet file.")
def check(
    names: tuple[str, ...], everything: bool, form: str, lang: str | None, source: Path | None, strict: bool, write_places: bool
) -> int:
    """Check worksheets: what every printed number is.

    NAMES are names or paths. No file is written, except with --write-places,
    which changes nothing in the worksheets but the places of claims. Exit code
    1 when a finding is not acknowledged in its worksheet.

    \b
    Examples:
      symattn worksheet check --all
      symattn worksheet check el-perro-come --source documents --format json
    """
    if write_places and source is None:
        raise InputError("--write-places needs the source documents", next_move="give their folder with --source DIR")
    paths = _paths(names, everything)
    results = _work_out(paths, source)
    if write_places and source is not None:
        _write_places(paths, results, source)
    if form == "json":
        from symattn.claims.report import to_json_text
        from symattn.sheets.result import report

        click.echo(to_json_text(report(results, None if lang in (None, "all") else lang)), nl=False)
        _unverified(results)
    else:
        _summary(results, lang, strict)
    return _exit_code(results, strict)


@command.command(context_settings=CONTEXT)
@click.argument("name")
@click.option("--source", "document", default="", metavar="FILE", help="File name of the document that the worksheet is about.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    default=Path("worksheets"),
    show_default=True,
    help="Folder for the new file.",
)
def new(name: str, document: str, folder: Path) -> None:
    """Start a worksheet: a small complete one, ready to edit.

    \b
    Example:
      symattn worksheet new my-lecture --source lecture.txt
    """
    from symattn.sheets.starter import starter

    bare = name.replace("-", "").replace("_", "")
    if not bare.isalnum() or len(name) > LONGEST_NAME or name.startswith("-"):
        raise InputError(
            f'"{name[:LONGEST_NAME]}" cannot name a worksheet', next_move=f"use letters, digits, - and _, at most {LONGEST_NAME} in all"
        )
    if not document.isprintable() or Path(document).name != document:
        raise InputError(f'"{document[:LONGEST_NAME]}" is not a file name', next_move="give the document's name without its folder")
    path = folder / f"{name}.md"
    ensure_folder(folder)
    if path.exists():
        raise InputError(f"{path} exists already", next_move="choose another name")
    write_whole(path, starter(name, document))
    click.echo(visible(f"wrote {path}; build it with `symattn worksheet build {path}`"))


# -- pieces --------------------------------------------------------------------------------------------------------------
def _paths(names: Sequence[str], everything: bool) -> list[Path]:
    from symattn.sheets.catalog import find_worksheet, list_worksheets

    if everything and names:
        raise InputError("names and --all are both given", next_move="give one of them")
    if everything:
        found = [listed.path for listed in list_worksheets()]
        if not found:
            raise InputError("there is no worksheet here", next_move="start one with `symattn worksheet new NAME`")
        return found
    if not names:
        raise InputError("no worksheet is named", next_move="give names, files or --all (see `symattn worksheet list`)")
    return list(dict.fromkeys(find_worksheet(name) for name in names))


def _work_out(paths: Sequence[Path], source: Path | None) -> list[Result]:
    from symattn.sheets.result import work_out
    from symattn.sheets.source import read_sheet

    return [work_out(read_sheet(path), source) for path in progress(((path.stem, path) for path in paths), len(paths))]


def _write_places(paths: Sequence[Path], results: Sequence[Result], source: Path) -> None:
    from symattn.sheets.pin import pin_file
    from symattn.sheets.places import open_source

    pinned = [(path, *pin_file(path, r.sheet, open_source(r.sheet, source))) for path, r in zip(paths, results, strict=True)]
    for path, content, changed in pinned:
        if changed:
            write_whole(path, content, next_move="free some space, or make the file writable")
        click.echo(visible(f"{path}: {changed} places written" if changed else f"{path}: every place is there already"), err=True)


def _summary(results: Sequence[Result], lang: str | None, strict: bool) -> None:
    from symattn.cli.summary import summary_lines
    from symattn.sheets.result import report

    for line in summary_lines(results, report(results, None if lang in (None, "all") else lang), strict, width()):
        click.echo(line)
    _unverified(results)
    _unread(results)


def _unverified(results: Sequence[Result]) -> None:
    for result in results:
        if not result.verified and result.sheet.source:
            said = f"{result.sheet.path}: places not verified: {result.sheet.source} is not at hand (give --source DIR)"
            click.echo(visible(said), err=True)


def _unread(results: Sequence[Result]) -> None:
    for result in results:
        if result.unread:
            shown = ", ".join(f"{text} at {spot.line}:{spot.column}" for spot, text in result.unread[:UNREAD_SHOWN])
            more = f" and {len(result.unread) - UNREAD_SHOWN} more" if len(result.unread) > UNREAD_SHOWN else ""
            click.echo(visible(f"{result.sheet.path}: no claim reads {shown}{more} of {result.sheet.source}"), err=True)


def _exit_code(results: Sequence[Result], strict: bool) -> int:
    from symattn.claims.report import exit_code
    from symattn.sheets.result import report

    return exit_code(report(results), strict)
