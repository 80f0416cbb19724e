"""`symattn eval`: an expression in several number systems."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from symattn.cli.groups import CONTEXT
from symattn.cli.readings import parse_numbers, read_all
from symattn.cli.shown import width
from symattn.cli.table import as_data, as_text
from symattn.errors import InputError, Place

MAX_BYTES = 1_000_000
NAME = "<expression>"
_VECTOR = re.compile(r"\[([0-9.,;\s+\-\u2212]*)\]")
_TIGHT = re.compile(r"(?<![0-9.,])([0-9]+),([0-9]+)(?![0-9.]|,\S)")


def _begins_with_minus(argument: str) -> bool:
    long_option = argument.startswith("--") and argument[2:3].isalpha()
    return argument.startswith("-") and argument not in ("-", "--", "-h") and not long_option


class ExpressionCommand(click.Command):
    """A command whose argument may begin with a minus sign: `-1 + 2` is no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """See click."""
        taking = [name for p in self.params if isinstance(p, click.Option) and not p.is_flag for name in p.opts]
        if "--" not in args:
            typed = [k for k, arg in enumerate(args) if _begins_with_minus(arg) and (not k or args[k - 1] not in taking)]
            if typed:
                args = [*(arg for k, arg in enumerate(args) if k not in typed), "--", *(args[k] for k in typed)]
        return super().parse_args(ctx, args)


@click.command(cls=ExpressionCommand, context_settings=CONTEXT)
@click.argument("expression")
@click.option("--digits", type=click.IntRange(1, 4000), metavar="N", default=30, show_default=True, help="Significant digits, each proven.")
@click.option(
    "--numbers",
    default="exact,balls",
    show_default=True,
    metavar="LIST",
    help="Which numbers, comma-separated: exact, balls (proven digits), multiprec, symbolic, float64, float32, float16, bfloat16, "
    "float8_e4m3fn, float8_e5m2.",
)
@click.option(
    "--order",
    type=click.Choice(["sequential", "pairwise", "blas"]),
    default="sequential",
    show_default=True,
    help="In which order floats are summed.",
)
@click.option("--stages", is_flag=True, help="Show the stages inside, not only the answer.")
@click.option("--to", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How it is shown.")
def command(expression: str, digits: int, numbers: str, order: str, stages: bool, form: str) -> None:
    """Evaluate EXPRESSION: exactly, in proven digits, or in floats.

    Definitions may come before it, each ended by a semicolon. With - it is
    read from standard input.

    \b
    Examples:
      symattn eval "softmax([2, 5, 1])"
      symattn eval "s = [2, 5, 1]; softmax(s / sqrt(3))" --digits 50
      symattn eval "exp(800)" --numbers balls,float64
    """
    from symattn.language.prompt import compile_text

    if expression == "-":
        expression = _from_standard_input()
    chosen = parse_numbers(numbers)
    compiled = compile_text(expression, path=NAME)

    def evaluate(name: str, options: dict[str, Any]) -> Any:
        return compiled.program.evaluate(compiled.feeds, numbers=name, **options)

    readings = read_all(evaluate, chosen, digits, order)
    shown = [s.name for s in compiled.program.stages] if stages else [compiled.output]
    if form == "json":
        from symattn.claims.escape import json_text

        click.echo(json_text(as_data(readings, shown)), nl=False)
        return
    for line in as_text(readings, shown, width()):
        click.echo(line)
    tight = _decimal_comma(expression)
    if tight is not None:
        whole, places = tight.groups()
        click.echo(f"{tight[0]} was read as two entries, {whole} and {places}; if one decimal is meant, write {whole}.{places}", err=True)


def _decimal_comma(expression: str) -> re.Match[str] | None:
    """What may be a decimal comma: in a vector of numbers, a comma without a space among commas with one, as in [0,5, 1,2]."""
    for vector in _VECTOR.finditer(expression):
        if re.search(r",\s", vector[1]) and (tight := _TIGHT.search(vector[1])):
            return tight
    return None


def _from_standard_input() -> str:
    data: bytes = sys.stdin.buffer.read(MAX_BYTES + 1) if sys.stdin is not None else b""
    if len(data) > MAX_BYTES:
        raise InputError(f"standard input has more than {MAX_BYTES} bytes", next_move="evaluate it in parts")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise InputError(
            f"standard input is not UTF-8 (byte 0x{data[error.start]:02x})",
            place=Place(NAME, line, column),
            next_move="convert it to UTF-8",
        ) from None
