"""`symattn derive`: a topic of the catalogue, the gradient of an attention, or the gradient of an expression, step by step.

Promises: every line was proved before it is shown; text for symbolic sizes loads no SymPy and no NumPy. Does not promise: any mathematics
here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.groups import CONTEXT, sectioned
from symattn.cli.output import write_whole
from symattn.cli.shown import width
from symattn.errors import DerivationError, InputError

if TYPE_CHECKING:
    from symattn.calculus.derivation import Derivation
    from symattn.page.nodes import Page

FORMATS = ("text", "latex", "pdf", "html", "md", "json")
FILES = {"pdf": "pdf", "html": "html"}
_ATTENTION = ("heads", "kv_heads", "mask", "rope", "softcap", "bias", "alibi", "sink", "cross", "scale")
_WHAT = ("expr", "shape", "wrt", "list")
_SHOWN = ("form", "lang", "notation", "at", "numbers", "paper", "output")
SECTIONS = {"What is derived": _WHAT, 'The attention (for "attention")': _ATTENTION, "What is shown": _SHOWN}


@click.command(cls=sectioned(SECTIONS), context_settings=CONTEXT)
@click.argument("topic", required=False, metavar="[TOPIC]")
@click.option("--expr", "expr", metavar="TEXT", help="An expression; definitions may stand before it, ended by ;")
@click.option("--shape", "shape", default="", metavar="SHAPES", help='Axes of its inputs: "Q=n,d_k K=m,d_k"; a number is "c=".')
@click.option("--wrt", "wrt", default="", metavar="NAMES", help="By what to differentiate: Q,K.")
@click.option("--list", "list", is_flag=True, help="The topics, each with its evidence.")
@click.option("--heads", default="", metavar="H", help="Heads: a name (h) or a number.")
@click.option("--kv-heads", "kv_heads", default="", metavar="G", help="Groups of heads that share keys and values.")
@click.option("--mask", default="", metavar="RULE", help="causal.")
@click.option("--rope", is_flag=True, help="Rotary positions.")
@click.option("--softcap", default="", metavar="C", help="Bound of the scores: a name (c) or a number.")
@click.option("--bias", is_flag=True, help="A bias added to the scores.")
@click.option("--alibi", is_flag=True, help="Scores that fall with distance.")
@click.option("--sink", is_flag=True, help="A score that takes part in the row sums alone.")
@click.option("--cross", is_flag=True, help="Keys and values from another sequence.")
@click.option("--scale", default="", metavar="TEXT", help="Of the scores. [default: 1/sqrt(d_k)]")
@click.option("--to", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="pdf and html are written to a file.")
@click.option("--lang", type=click.Choice(["es", "en"]), default="en", show_default=True, help="Of words and reasons.")
@click.option("--notation", type=click.Choice(["index", "matrix"]), default="index", show_default=True, help="Of the lines.")
@click.option("--at", "at", default="", metavar="SIZES", help="Explicit entries at these sizes: n=3,d_k=2.")
@click.option("--with", "numbers", metavar="FILE", help="The numbers of a worksheet, put into every line.")
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True, help="Of latex and pdf.")
@click.option("-o", "--output", "output", type=click.Path(path_type=Path), help="File to write.  [default: ./TOPIC.pdf, ./TOPIC.html]")
def command(
    topic: str | None, expr: str | None, shape: str, wrt: str, list: bool, form: str, lang: str, notation: str, at: str,
    numbers: str | None, paper: str, output: Path | None, **attention: Any,
) -> int:  # fmt: skip
    """A derivation whose every line is proved, for all sizes.

    TOPIC is a theorem of the catalogue (--list), or "attention" for the gradient
    of an attention. With --expr, the gradient of an expression.

    \b
    Examples:
      symattn derive softmax-jacobian
      symattn derive attention --wrt W_Q --to pdf
      symattn derive --expr "softmax(Q @ K.T / sqrt(d_k)) @ V" \\
          --shape "Q=n,d_k K=m,d_k V=m,d_v" --wrt Q,K
    """
    if list:
        return _list(lang)
    derivation = _derived(topic, expr, shape, wrt, attention)
    text = _written(derivation, form, lang, notation, at, numbers, paper)
    name = topic or "expression"
    if form in FILES or output is not None:
        path = output or Path(f"{name}.{FILES[form]}")
        write_whole(path, text)
        click.echo(f"wrote {path}", err=True)
    else:
        assert isinstance(text, str)
        click.echo(text, nl=False)
    return 0


def _derived(topic: str | None, expr: str | None, shape: str, wrt: str, options: dict[str, Any]) -> Derivation:
    from symattn.calculus.derive import ATTENTION, derive, expression

    chosen = {key: value for key, value in options.items() if value not in ("", False)}
    if (topic is None) == (expr is None):
        what = "both a topic and an expression" if topic else "nothing"
        raise InputError(f"there is {what} to derive", next_move="name a topic (--list), or write --expr with --shape and --wrt")
    if expr is not None:
        if chosen:
            raise InputError(
                f"--{next(iter(chosen)).replace('_', '-')} describes an attention", next_move="derive attention, without --expr"
            )
        return expression(expr, [n.strip() for n in wrt.split(",") if n.strip()], shape)
    assert topic is not None
    if topic != ATTENTION and (wrt or shape or chosen):
        raise DerivationError(
            f'the topic "{topic[:60]}" takes no options', next_move="--wrt is for attention and for --expr; topics are derived as they are"
        )
    return derive(topic, wrt, **chosen)


def _written(derivation: Derivation, form: str, lang: str, notation: str, at: str, numbers: str | None, paper: str) -> str | bytes:
    if form == "json":
        from symattn.calculus.derivation_file import to_json

        return to_json(derivation, lang)
    from symattn.sheets.derivation_page import derivation_page

    sizes = _sizes(at)
    page = derivation_page(derivation, lang, notation=notation, sizes=sizes, feeds=_numbers(numbers))
    return _rendered(page, form, paper)


def _rendered(page: Page, form: str, paper: str) -> str | bytes:
    match form:
        case "latex":
            from symattn.render.latex import to_latex

            return to_latex(page, paper=paper)
        case "html":
            from symattn.render.html import to_html

            return to_html(page)
        case "md":
            from symattn.render.markdown import to_markdown

            return to_markdown(page)
        case "pdf":
            return _pdf(page, paper)
        case _:
            from symattn.render.terminal import to_text

            return to_text(page, width=min(width(), 120))


def _pdf(page: Page, paper: str) -> bytes:
    import tempfile

    from symattn.render.latex import to_latex
    from symattn.render.pdf import to_pdf

    with tempfile.TemporaryDirectory(prefix="symattn-") as folder:
        return to_pdf(to_latex(page, paper=paper), Path(folder) / "page.pdf").read_bytes()


def _sizes(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for item in (part.strip() for part in text.split(",")):
        if not item:
            continue
        name, equals, value = item.partition("=")
        if not equals or not value.strip().isdigit() or not 1 <= int(value) <= 64:
            raise InputError(f'"{item[:40]}" is no size', next_move="write --at n=3,d_k=2, sizes from 1 to 64")
        found[name.strip()] = int(value)
    return found


def _numbers(file: str | None) -> dict[str, Any]:
    if file is None:
        return {}
    from symattn.sheets.numbers import worksheet_numbers

    return dict(worksheet_numbers(file))


def _list(lang: str) -> int:
    """The topics, each proved now; the exit code is 1 when one is not."""
    from symattn.calculus.catalogue import GROUPS, theorem, topics
    from symattn.proof.evidence import StepRejected, Undecided

    found = {topic: theorem(topic) for topic in topics()}
    wide = max(len(topic) for topic in found)
    code = 0
    for group in GROUPS:
        members = [topic for topic, file in found.items() if group == file.GROUP]
        if members:
            click.echo(group)
        for topic in members:
            try:
                evidence = found[topic].derive().evidence
            except (StepRejected, Undecided) as error:
                evidence, code = error.evidence, 1
            click.echo(f"  {topic:{wide}}  {evidence.text()}  {_plain(found[topic].TITLE.said(lang))}")
    return code


def _plain(title: str) -> str:
    from symattn.sheets.derivation_page import plain_title

    return plain_title(title)
