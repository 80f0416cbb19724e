"""Errors as people see them: place, message, the line with a caret, the next move.

Promises: control and escape bytes of a document or an argument never reach the terminal as such; a message of any length stays short.
Does not promise: colour.
"""

from __future__ import annotations

import click

from symattn.errors import SymattnError, visible

LONGEST = 600


def trouble_text(error: SymattnError) -> str:
    """`error` as a few lines: `file:line:column: error: message`, the source line with a caret under the place, the next move."""
    shown = SymattnError(f"error: {clipped(error.message)}", place=error.place, next_move=clipped(error.next_move))
    return shown.pretty()


def clipped(text: str) -> str:
    """`text`, its middle left out where it is very long."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 4 :]}"


def report_trouble(error: SymattnError) -> None:
    """The error on stderr."""
    click.echo(trouble_text(error), err=True)


def report_usage(error: click.ClickException) -> None:
    """A complaint of the command line's own on stderr: usage, where help is, what is wrong."""
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the whole help; click has it since 8.2
        click.echo(error.format_message(), err=True)
        return
    if context is not None:
        click.echo(context.get_usage(), err=True)
        click.echo(f"Try '{context.command_path} --help' for help.", err=True)
    click.echo(visible(f"error: {clipped(error.format_message())}"), err=True)


__all__ = ["clipped", "report_trouble", "report_usage", "trouble_text", "visible"]
