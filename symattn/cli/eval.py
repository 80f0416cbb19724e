"""`symattn eval`: an expression in several number systems."""

from __future__ import annotations

import sys
from typing import Any

import click

from symattn.cli.readings import as_data, as_text, parse_numbers, read_all
from symattn.errors import InputError

MAX_CHARACTERS = 1_000_000


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("expression")
@click.option("--digits", type=click.IntRange(1, 4000), default=30, show_default=True, help="Significant digits, each proven.")
@click.option("--numbers", default="exact,balls", show_default=True, help="exact, balls, multiprec, float64, float32, float16, bfloat16, …")
@click.option(
    "--order", type=click.Choice(["sequential", "pairwise", "blas"]), default="sequential", show_default=True, help="Of float sums."
)
@click.option("--stages", is_flag=True, help="Show the stages inside, not only the answer.")
@click.option("--to", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(expression: str, digits: int, numbers: str, order: str, stages: bool, form: str) -> None:
    """Evaluate EXPRESSION, for example "softmax([2, 5, 1])". Definitions may come before it: "s = [2, 5, 1]; softmax(s)".
    With - it is read from standard input."""
    from symattn.language.prompt import compile_text

    if expression == "-":
        expression = sys.stdin.read(MAX_CHARACTERS + 1)
        if len(expression) > MAX_CHARACTERS:
            raise InputError(f"standard input has more than {MAX_CHARACTERS} characters", next_move="evaluate it in parts")
    chosen = parse_numbers(numbers)
    compiled = compile_text(expression, path="<expression>")

    def evaluate(name: str, options: dict[str, Any]) -> Any:
        return compiled.program.evaluate(compiled.feeds, numbers=name, **options)

    readings = read_all(evaluate, chosen, digits, order)
    shown = [s.name for s in compiled.program.stages] if stages else [compiled.output]
    if form == "json":
        import json

        click.echo(json.dumps(as_data(readings, shown), indent=2, ensure_ascii=False))
        return
    for line in as_text(readings, shown):
        click.echo(line)
