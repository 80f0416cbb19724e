"""`symattn study`: where floats overflow, vanish and lose digits, each time as a table and a figure.

Promises: options are checked and the figure's place is known to be usable before any work begins; files are whole or untouched. Does not
promise: any mathematics here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.groups import CONTEXT, NearGroup
from symattn.errors import InputError, RenderError, visible

if TYPE_CHECKING:
    from symattn.page.nodes import Page
    from symattn.study.result import Study

FORMS = ("text", "json", "csv", "latex", "pdf", "html", "md")
TO_FILE = {"pdf": ".pdf", "html": ".html"}


@click.group(cls=NearGroup, context_settings=CONTEXT)
def command() -> None:
    """Where floats overflow, vanish and lose digits.

    Each study is a table, a figure and a page. Thresholds and reference values
    are proven; what floats do is observed on this machine.
    """


def _shown(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that all studies share."""
    for option in reversed(
        (
            click.option("--to", "form", type=click.Choice(FORMS), default="text", show_default=True, help="How it is shown."),
            click.option(
                "-o", "--output", type=click.Path(path_type=Path), metavar="PATH", help="Write to this file; pdf and html always do."
            ),
            click.option("--figure", type=click.Path(path_type=Path), metavar="PATH", help="Draw the figure too: .svg, .png or .pdf."),
            click.option("--lang", type=click.Choice(["es", "en"]), default="en", show_default=True, help="Language of words."),
            click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True, help="Paper of LaTeX and PDF."),
        )
    ):
        function = option(function)
    return function


def _formats(own: bool = True) -> Callable[..., Any]:
    text = "Comma-separated formats" + ("; NAME:PRECISION:EMIN:EMAX is one of your own." if own else ".")
    return click.option("--formats", "formats", metavar="LIST", help=text)


_SEED = click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the numbers drawn.")


@command.command("overflow", context_settings=CONTEXT)
@_formats()
@click.option("--d-k", "d_k", type=int, default=64, show_default=True, metavar="D", help="Terms of the dot product.")
@_shown
def overflow_command(formats: str | None, d_k: int, **shown: Any) -> None:
    """The thresholds of each format, proven on its own grid.

    \b
    Examples:
      symattn study overflow
      symattn study overflow --formats float16,e3m2:3:-2:4 --to csv
      symattn study overflow --to pdf --lang es --figure overflow.svg
    """

    def make() -> Study:
        from symattn.study.formats import read_formats
        from symattn.study.overflow_study import overflow

        return overflow(read_formats(formats), d_k) if formats is not None else overflow(d_k=d_k)

    _run("overflow", make, **shown)


@command.command("shift", context_settings=CONTEXT)
@click.option("--scores", "given", metavar="LIST", help='Scores as decimals, "[180, 210, 95]"; the worked cases by default.')
@click.option("--generate", type=int, metavar="N", help="Draw N normal scores instead, of two decimals.")
@click.option("--spread", type=float, default=10.0, show_default=True, metavar="S", help="Standard deviation of drawn scores.")
@_formats()
@_SEED
@_shown
def shift_command(given: str | None, generate: int | None, spread: float, formats: str | None, seed: int, **shown: Any) -> None:
    """Five softmax algorithms on the same scores, operation by operation.

    \b
    Examples:
      symattn study shift
      symattn study shift --scores "[800, 790, 12.5]" --formats float16,bfloat16
      symattn study shift --generate 12 --spread 30 --seed 7 --to json
    """
    if given is not None and generate is not None:
        raise InputError("--scores and --generate are both given", next_move="give one of them")

    def make() -> Study:
        from symattn.study.formats import read_formats
        from symattn.study.shift_study import DEFAULT_FORMATS, shift

        chosen = DEFAULT_FORMATS if formats is None else read_formats(formats)
        scores = (
            None if given is None and generate is None else _scores(given) if given is not None else _drawn(generate or 0, spread, seed)
        )
        return shift(scores, chosen, seed=seed)

    _run("shift", make, **shown)


@command.command("scaling", context_settings=CONTEXT)
@click.option("--d-k", "sizes", default="4,16,64,256,1024", show_default=True, metavar="LIST", help="Sizes d_k.")
@click.option("--samples", type=int, default=10_000, show_default=True, metavar="N", help="Dot products drawn for each size.")
@click.option("--keys", type=int, default=32, show_default=True, metavar="N", help="Keys of a softmax.")
@click.option("--rows", type=int, default=200, show_default=True, metavar="N", help="Queries drawn for each size.")
@click.option("--entries", default="normal", show_default=True, metavar="KIND", help="normal, uniform or signs; mean 0, variance 1.")
@_SEED
@_shown
def scaling_command(sizes: str, samples: int, keys: int, rows: int, entries: str, seed: int, **shown: Any) -> None:
    """The spread of dot products against the root of d_k, and three divisors.

    \b
    Examples:
      symattn study scaling
      symattn study scaling --d-k 8,128 --entries signs --samples 50000
    """

    def make() -> Study:
        from symattn.study.scaling_study import scaling

        return scaling(_integers(sizes, "--d-k"), samples=samples, keys=keys, rows=rows, kind=entries, seed=seed)

    _run("scaling", make, **shown)


@command.command("saturation", context_settings=CONTEXT)
@click.option("--gaps", default="0,2,4,8,12,16,20", show_default=True, metavar="LIST", help="Gaps of the leading score.")
@click.option("--keys", type=int, default=32, show_default=True, metavar="N", help="How many keys.")
@click.option("--gap", type=int, default=8, show_default=True, metavar="T", help="The gap of the table by temperature.")
@_formats(own=False)
@_shown
def saturation_command(gaps: str, keys: int, gap: int, formats: str | None, **shown: Any) -> None:
    """Jacobian and gradient norms when one score leads, exact against bound.

    \b
    Examples:
      symattn study saturation
      symattn study saturation --gaps 0,1,2.5,30 --keys 1024 --formats float16
    """

    def make() -> Study:
        from symattn.number.formats import FORMATS
        from symattn.study.formats import read_formats
        from symattn.study.saturation_study import saturation

        chosen = tuple(FORMATS.values()) if formats is None else read_formats(formats, own=False)
        return saturation(tuple(part.strip() for part in gaps.split(",") if part.strip()), keys=keys, gap=gap, formats=chosen)

    _run("saturation", make, **shown)


@command.command("error", context_settings=CONTEXT)
@_formats(own=False)
@click.option("--tokens", type=int, default=64, show_default=True, metavar="N", help="Tokens of the attention.")
@click.option("--d-k", "d_k", type=int, default=64, show_default=True, metavar="D", help="Entries of a query.")
@click.option("--spread", type=float, default=1.0, show_default=True, metavar="S", help="Factor on queries and keys.")
@click.option("--block", type=int, default=16, show_default=True, metavar="B", help="Keys in a block of the online algorithm.")
@_SEED
@_shown
def error_command(formats: str | None, tokens: int, d_k: int, spread: float, block: int, seed: int, **shown: Any) -> None:
    """Errors against proven values and a-priori bounds.

    \b
    Examples:
      symattn study error
      symattn study error --formats bfloat16 --spread 10 --block 4
    """

    def make() -> Study:
        from symattn.study.error_study import FORMATS, error
        from symattn.study.formats import read_formats

        chosen = FORMATS if formats is None else read_formats(formats, own=False)
        return error(chosen, tokens=tokens, d_k=d_k, spread=spread, block=block, seed=seed)

    _run("error", make, **shown)


# -- what is given ------------------------------------------------------------------------------------------------------
def _scores(text: str) -> tuple[str, ...]:
    """The scores as exact numbers in text. Raises InputError, LanguageError with a caret."""
    from symattn.language.prompt import compile_text
    from symattn.number.formats import exact_decimal

    compiled = compile_text(text, path="--scores")
    tensor = compiled.program.evaluate(compiled.feeds)[compiled.output]
    if len(tensor.shape) > 2 or (len(tensor.shape) == 2 and 1 not in tensor.shape):
        raise InputError(f"--scores has the shape {'×'.join(map(str, tensor.shape))}", next_move='give one row: --scores "[180, 210, 95]"')
    found = []
    for entry in tensor.entries:
        value = entry.rational() if hasattr(entry, "rational") else entry
        if value is None:
            raise InputError("a score is not a rational number", next_move="give decimals or fractions")
        try:
            found.append(exact_decimal(value))
        except InputError:
            found.append(str(value))
    return tuple(found)


def _drawn(count: int, spread: float, seed: int) -> tuple[str, ...]:
    from symattn.study.seeded import Draw
    from symattn.study.shift_study import MAX_SCORES

    if not 1 <= count <= MAX_SCORES:
        raise InputError(f"--generate is {count}", next_move=f"give 1 to {MAX_SCORES}")
    if not 0 < spread <= 10_000:
        raise InputError(f"--spread is {spread:g}", next_move="give a number above 0, at most 10000")
    return tuple(f"{x * spread:.2f}" for x in Draw(seed).normal(count))


def _integers(text: str, option: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isascii() and part.isdigit() and len(part) < 8 for part in parts):
        raise InputError(f"{option} takes positive integers separated by commas", next_move=f"write for example {option} 4,64")
    return tuple(int(part) for part in parts)


# -- what is written ----------------------------------------------------------------------------------------------------
def _run(name: str, make: Callable[[], Study], form: str, output: Path | None, figure: Path | None, lang: str, paper: str) -> None:
    if figure is not None:
        from symattn.render.matplotlib_plot import check_path

        check_path(figure)
    if form == "pdf":
        from symattn.render.pdf import INSTALL, find_engine

        if find_engine() is None:
            raise RenderError("no PDF: this machine has no TeX engine", next_move=INSTALL)
    place = output if output is not None else Path(name + TO_FILE[form]) if form in TO_FILE else None
    if figure is not None and place is not None and figure.resolve() == place.resolve():
        raise InputError(f"{figure} is both the page and the figure", next_move="give the figure another name")
    study = make()
    content = _content(study, form, lang, paper)
    drawn = _drawing(study, figure, lang) if figure is not None else b""
    from symattn.cli.output import write_whole

    if place is None:
        click.echo(content, nl=False)
    else:
        write_whole(place, content)
        click.echo(f"wrote {visible(str(place))}", err=True)
    if figure is not None:
        write_whole(figure, drawn, next_move="free some space or choose another place with --figure")
        click.echo(f"wrote {visible(str(figure))}", err=True)


def _content(study: Study, form: str, lang: str, paper: str) -> str | bytes:
    if form == "json":
        from symattn.claims.escape import json_text
        from symattn.study.export import to_data

        return json_text(to_data(study, lang))
    if form == "csv":
        from symattn.study.export import to_csv

        return to_csv(study)
    from symattn.sheets.study_page import study_page

    return _page(study_page(study, lang), form, paper)


def _page(page: Page, form: str, paper: str) -> str | bytes:
    if form == "html":
        from symattn.render.html import to_html

        return to_html(page)
    if form == "md":
        from symattn.render.markdown import to_markdown

        return to_markdown(page)
    if form == "text":
        from symattn.cli.shown import width
        from symattn.render.terminal import to_text

        return to_text(page, width=width())
    from symattn.render.latex import to_latex

    tex = to_latex(page, paper=paper)
    if form == "latex":
        return tex
    from symattn.render.pdf import to_pdf

    with tempfile.TemporaryDirectory(prefix="symattn-") as folder:
        return to_pdf(tex, Path(folder) / "page.pdf").read_bytes()


def _drawing(study: Study, path: Path, lang: str) -> bytes:
    from symattn.render.matplotlib_plot import figure_bytes
    from symattn.sheets.study_page import figure

    return figure_bytes(figure(study.plot, lang), path.suffix)
