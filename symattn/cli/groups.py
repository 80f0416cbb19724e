"""Commands that help: groups that name the nearest command, and help whose options stand in sections.

Promises: looking for a command or for help loads no command's module that is not needed. Does not promise: any command.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, ClassVar

import click

CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 80}
Sections = Mapping[str, tuple[str, ...]]


class NearGroup(click.Group):
    """A group that answers an unknown command with the nearest known ones."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command meant. Raises UsageError for an unknown one."""
        known = self.list_commands(ctx)
        if not args[0].startswith("-") and args[0] not in known:
            near = get_close_matches(args[0][:40], known, n=2)
            shown = args[0] if len(args[0]) <= 40 else args[0][:37] + "..."
            ctx.fail(f'there is no command "{shown}"; ' + (f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"))
        return super().resolve_command(ctx, args)


class SectionedCommand(click.Command):
    """A command whose help shows its options in sections. `sections` is heading -> names of parameters, in order; options that are in
    none stand under "Options"."""

    sections: ClassVar[Sections] = {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The sections, then the rest."""
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        records = {p.name: record for p in options if (record := p.get_help_record(ctx)) is not None}
        for heading, names in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([records.pop(name) for name in names if name in records])
        with formatter.section("Options"):
            formatter.write_dl(list(records.values()))


def sectioned(sections: Sections) -> type[SectionedCommand]:
    """`@click.command(cls=sectioned({...}))`."""
    return type("Sectioned", (SectionedCommand,), {"sections": sections})
