"""`symattn worksheet`: list, build, check and start worksheets.

Promises: `build` checks too and writes its files first; every file is whole or untouched. Does not promise: any mathematics here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symattn.cli.output import ensure_folder, write_whole
from symattn.cli.trouble import visible
from symattn.errors import InputError

if TYPE_CHECKING:
    from symattn.page.nodes import Page
    from symattn.sheets.result import Result

FORMATS = ("tex", "pdf", "html", "md", "json", "text")
ENDINGS = {"tex": "tex", "pdf": "pdf", "html": "html", "md": "md", "json": "json", "text": "txt"}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """List, build, check and start worksheets."""


@command.command("list")
def list_command() -> None:
    """Name, languages and title of every worksheet at hand."""
    from symattn.sheets.catalog import list_worksheets

    found = list_worksheets()
    width = max((len(x.name) for x in found), default=0)
    for listed in found:
        title = listed.title.get(listed.lang, "")
        click.echo(f"{visible(listed.name):{width}}  {listed.lang}  {visible(title)}")
    if not found:
        click.echo("no worksheet here; start one with `symattn worksheet new NAME`", err=True)


def _formats(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(x.strip() for x in value.split(",") if x.strip()))
    for name in chosen:
        if name not in FORMATS:
            raise click.BadParameter(f'"{name}" is no format; choose from {", ".join(FORMATS)}')
    return chosen


_source = click.option("--source", type=click.Path(path_type=Path), help="Folder of the source documents: places are then verified.")
_lang = click.option("--lang", type=click.Choice(["es", "en", "all"]), help="Language; each worksheet's own by default.")


@command.command()
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All worksheets at hand.")
@click.option(
    "--to",
    "formats",
    default="tex,html,md,json",
    show_default=True,
    callback=_formats,
    help="Comma-separated: tex, pdf, html, md, json, text.",
)
@_lang
@click.option("--blank", is_flag=True, help="Student version: results become boxes, the key stands at the end.")
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
@click.option("-o", "--output", "folder", type=click.Path(path_type=Path), default=Path("build/worksheets"), show_default=True)
@_source
@click.option("--strict", is_flag=True, help="Notes (truncated, undecided) count as findings too.")
def build(
    names: tuple[str, ...], everything: bool, formats: tuple[str, ...], lang: str | None, blank: bool, paper: str, folder: Path,
    source: Path | None, strict: bool,
) -> int:  # fmt: skip
    """Build worksheets and check every number in them.

    Exit code 1 when a finding is not acknowledged in its worksheet."""
    results = [_work_out(path, source) for path in _paths(names, everything)]
    ensure_folder(folder)
    written: list[Path] = []
    for result in results:
        for language in _languages(result, lang):
            written.extend(_write(result, language, name, folder, blank=blank, paper=paper) for name in formats)
    _summary(results, lang, strict)
    click.echo(f"wrote {len(written)} files to {folder}", err=True)
    return _exit_code(results, strict)


@command.command()
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All worksheets at hand.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@_lang
@_source
@click.option("--strict", is_flag=True, help="Notes (truncated, undecided) count as findings too.")
def check(names: tuple[str, ...], everything: bool, form: str, lang: str | None, source: Path | None, strict: bool) -> int:
    """Check worksheets without writing files."""
    results = [_work_out(path, source) for path in _paths(names, everything)]
    if form == "json":
        from symattn.claims.report import to_json_text
        from symattn.sheets.result import report

        click.echo(to_json_text(report(results, None if lang in (None, "all") else lang)))
        _unverified(results)
    else:
        _summary(results, lang, strict)
    return _exit_code(results, strict)


@command.command()
@click.argument("name")
@click.option("--source", "document", default="", help="File name of the document the worksheet is about.")
@click.option("-o", "--output", "folder", type=click.Path(path_type=Path), default=Path("worksheets"), show_default=True)
def new(name: str, document: str, folder: Path) -> None:
    """Start a worksheet: a small complete one, ready to edit."""
    from symattn.sheets.starter import starter

    if not name.replace("-", "").replace("_", "").isalnum():
        raise InputError(f'"{name}" cannot name a worksheet', next_move="use letters, digits, - and _")
    path = folder / f"{name}.md"
    if path.exists():
        raise InputError(f"{path} exists already", next_move="choose another name")
    ensure_folder(folder)
    write_whole(path, starter(name, document))
    click.echo(f"wrote {path}; build it with `symattn worksheet build {path}`")


# -- pieces --------------------------------------------------------------------------------------------------------------
def _paths(names: Sequence[str], everything: bool) -> list[Path]:
    from symattn.sheets.catalog import find_worksheet, list_worksheets

    if everything and names:
        raise InputError("give names or --all, not both")
    if everything:
        found = [listed.path for listed in list_worksheets()]
        if not found:
            raise InputError("there is no worksheet here", next_move="start one with `symattn worksheet new NAME`")
        return found
    if not names:
        raise InputError("no worksheet is named", next_move="give names, files or --all (see `symattn worksheet list`)")
    return [find_worksheet(name) for name in names]


def _work_out(path: Path, source: Path | None) -> Result:
    from symattn.sheets.result import work_out
    from symattn.sheets.source import read_sheet

    return work_out(read_sheet(path), source)


def _languages(result: Result, lang: str | None) -> tuple[str, ...]:
    if lang == "all":
        return ("es", "en")
    return (lang or result.sheet.lang,)


def _write(result: Result, lang: str, name: str, folder: Path, *, blank: bool, paper: str) -> Path:
    stem = f"{result.sheet.name}.{lang}{'.student' if blank else ''}"
    path = folder / f"{stem}.{ENDINGS[name]}"
    if name == "json":
        from symattn.claims.report import to_json_text
        from symattn.sheets.result import report

        write_whole(path, to_json_text(report([result], lang)) + "\n")
        return path
    page = _page(result, lang)
    if name == "pdf":
        from symattn.render.latex import to_latex
        from symattn.render.pdf import to_pdf

        return to_pdf(to_latex(page, blank=blank, paper=paper), path)
    write_whole(path, _renderer(name, paper)(page, blank))
    return path


_pages: dict[tuple[int, str], Page] = {}


def _page(result: Result, lang: str) -> Page:
    from symattn.sheets.page import build_page

    key = (id(result), lang)
    if key not in _pages:
        _pages[key] = build_page(result, lang)
    return _pages[key]


def _renderer(name: str, paper: str) -> Callable[[Page, bool], str]:
    if name == "tex":
        from symattn.render.latex import to_latex

        return lambda page, blank: to_latex(page, blank=blank, paper=paper)
    if name == "html":
        from symattn.render.html import to_html

        return lambda page, blank: to_html(page, blank=blank)
    if name == "md":
        from symattn.render.markdown import to_markdown

        return lambda page, blank: to_markdown(page, blank=blank)
    from symattn.render.terminal import to_text

    return lambda page, blank: to_text(page, blank=blank)


def _summary(results: Sequence[Result], lang: str | None, strict: bool) -> None:
    from symattn.cli.summary import summary_lines
    from symattn.sheets.result import report

    for line in summary_lines(results, report(results, None if lang in (None, "all") else lang), strict):
        click.echo(line)
    _unverified(results)


def _unverified(results: Sequence[Result]) -> None:
    for result in results:
        if not result.verified and result.sheet.source:
            click.echo(f"{result.sheet.path}: places not verified: {result.sheet.source} is not at hand (give --source DIR)", err=True)


def _exit_code(results: Sequence[Result], strict: bool) -> int:
    from symattn.claims.report import exit_code
    from symattn.sheets.result import report

    return exit_code(report(results), strict)
