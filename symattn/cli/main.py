"""The command line: parse, one library call, render.

Promises: `--help`, `--version` and `worksheet list` load no heavy library; trouble is one message on stderr and exit code 2, findings are
1, Ctrl-C is 130, a reader that went away (`| head`) ends quietly with 141; nobody sees a traceback who does not ask for it.
Does not promise: any computing of its own.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from symattn import __version__
from symattn.cli.groups import CONTEXT, NearGroup
from symattn.cli.trouble import report_trouble, report_usage
from symattn.errors import InputError, SymattnError

# Command -> (module with a click command named `command`, one line of help). Modules load when their command runs.
COMMANDS = {
    "attend": ("symattn.cli.attend", "Attention on given matrices, step by step in several numbers."),
    "derive": ("symattn.cli.derive", "Gradients and theorems, every step proved for all sizes."),
    "eval": ("symattn.cli.eval", "An expression: exact, in proven digits, or in floats."),
    "recheck": ("symattn.cli.recheck", "Prove a saved derivation again, from its text alone."),
    "study": ("symattn.cli.study", "Where floats overflow, vanish and lose digits: tables and figures."),
    "worksheet": ("symattn.cli.worksheet", "List, build, check and start worksheets."),
}
PIPE_CLOSED = 141  # what a shell shows for a program that SIGPIPE ended
TRACEBACK = "SYMATTN_TRACEBACK"


class _PipeClosed(Exception):
    """Whoever read our output has gone."""


@contextlib.contextmanager
def _watching_the_pipe() -> Iterator[None]:
    """click would answer a closed pipe with exit code 1, which means findings here."""
    try:
        yield
    except BrokenPipeError:
        raise _PipeClosed from None


class LazyGroup(NearGroup):
    """A group whose help needs no command's module, so that it answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, its module loaded now."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their lines of help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(COMMANDS.items())])

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """See click; here `--help` is written."""
        with _watching_the_pipe():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """See click; here commands run."""
        with _watching_the_pipe():
            return super().invoke(ctx)


@click.group(cls=LazyGroup, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="symattn")
def cli() -> None:
    """Attention you can prove: exact, certified and symbolic attention, and
    worksheets that check every printed number.

    \b
    Try:
      symattn eval "softmax([2, 5, 1])"
      symattn attend --q "[[1, 0]]" --k "[[1, 2]]" --v "[[3]]"
      symattn worksheet build --all
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and leaves the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal's encoding lacks is shown as \u2248, not a reason to stop.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    code = run(arguments)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        # What could not be written is dropped here, where the interpreter would complain while it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except AttributeError:  # there is no standard output
        pass
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code: 0 right, 1 findings, 2 trouble, 130 interrupted, 141 reader gone."""
    try:
        with contextlib.suppress(BrokenPipeError):
            return _run(arguments)
    except KeyboardInterrupt:
        return 130
    return PIPE_CLOSED


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = cli.main(list(arguments) if arguments is not None else None, prog_name="symattn", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except SymattnError as error:
        report_trouble(error)
        return error.exit_code
    except click.ClickException as error:
        report_usage(error)
        return 2
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("interrupted; files already written are whole, the others are as they were", err=True)
        return 130
    except _PipeClosed:
        return PIPE_CLOSED
    except Exception as fault:
        return _fault(fault)


def _fault(fault: Exception) -> int:
    """What is nobody's input: the system's limits, or a mistake of ours."""
    if os.environ.get(TRACEBACK):
        raise fault
    match fault:
        case BrokenPipeError():
            raise fault
        case OSError():
            what = str(fault.filename) if fault.filename else "the output"
            report_trouble(InputError(f"{what} cannot be used: {fault.strerror or fault}", next_move="choose another place, or make room"))
        case MemoryError():
            report_trouble(InputError("this needs more memory than there is", next_move="give smaller matrices or ask for fewer digits"))
        case RecursionError():
            report_trouble(InputError("this is nested too deep", next_move="give parts of it names of their own"))
        case _:
            where = traceback.extract_tb(fault.__traceback__)[-1]
            report_trouble(
                InputError(
                    f"a fault in symattn itself: {type(fault).__name__}: {fault} ({os.path.basename(where.filename)}:{where.lineno})",
                    next_move=f"please report it with the command you gave; {TRACEBACK}=1 shows the traceback",
                )
            )
    return 2
