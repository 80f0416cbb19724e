"""The command line: parse, one library call, render.

Promises: `--help` and `worksheet list` load no heavy library; trouble is one message on stderr and exit code 2, Ctrl-C is 130,
findings are 1. Does not promise: any computing of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

import click

from symattn import __version__
from symattn.cli.trouble import report_trouble
from symattn.errors import SymattnError

# Command -> (module with a click command named `command`, one line of help). Modules load when their command runs.
COMMANDS = {
    "attend": ("symattn.cli.attend", "Attention on given matrices, in several number systems side by side."),
    "eval": ("symattn.cli.eval", "Evaluate an expression exactly, with proven digits or in floats."),
    "worksheet": ("symattn.cli.worksheet", "List, build, check and start worksheets."),
}


class LazyGroup(click.Group):
    """A group whose help needs no command's module, so that it answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(COMMANDS.items())])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="symattn")
def cli() -> None:
    """Attention you can prove: exact, certified and symbolic attention, and worksheets that check every printed number."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and leaves the process with its exit code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code: 0 right, 1 findings, 2 trouble, 130 interrupted."""
    try:
        code = cli.main(list(arguments) if arguments is not None else None, prog_name="symattn", standalone_mode=False)
    except SymattnError as error:
        report_trouble(error)
        return error.exit_code
    except click.exceptions.Abort:
        click.echo("interrupted; files already written are whole, the others are as they were", err=True)
        return 130
    except click.ClickException as error:
        error.show()
        return 2
    except KeyboardInterrupt:
        click.echo("interrupted; files already written are whole, the others are as they were", err=True)
        return 130
    return code if isinstance(code, int) else 0
