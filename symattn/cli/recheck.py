"""`symattn recheck`: a saved derivation, proved again from its text alone.

Promises: what a file claims of its own evidence is not looked at; exit code 1 where a step is not proved, 2 where the file cannot be read.
Does not promise: any mathematics here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.groups import CONTEXT
from symattn.errors import InputError, visible

if TYPE_CHECKING:
    from symattn.calculus.recheck import Recheck

MAX_BYTES = 16_000_000


@click.command(context_settings=CONTEXT)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--to", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How findings are shown.")
def command(files: tuple[str, ...], form: str) -> int:
    """Prove saved derivations again, from their text alone.

    FILE was written by `symattn derive … --to json`; - reads standard input."""
    from symattn.calculus.derivation_file import from_json
    from symattn.calculus.recheck import recheck

    found = [(name, recheck(from_json(_read(name)))) for name in files]
    if form == "json":
        click.echo(json.dumps([_data(name, result) for name, result in found], indent=2, ensure_ascii=False))
    else:
        for name, result in found:
            _show(name, result)
    return 0 if all(result.right for _, result in found) else 1


def _read(name: str) -> str:
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1) if name == "-" else _bytes(Path(name))
    except OSError as error:
        raise InputError(
            f"{name} cannot be read: {error.strerror or error}", next_move="name a file written by derive --to json"
        ) from error
    if len(data) > MAX_BYTES:
        raise InputError(f"{name} has more than {MAX_BYTES} bytes", next_move="a derivation is far shorter")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text (byte {error.start})", next_move="name a file written by derive --to json") from None


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def _show(name: str, result: Recheck) -> None:
    derivation = result.derivation
    count = len(derivation.steps)
    if result.right:
        click.echo(f"{visible(name)}: {visible(derivation.topic)}, {count} steps: {visible(result.evidence.text())}")
        return
    for finding in result.findings:
        click.echo(f"{visible(name)}: {visible(derivation.topic)}, {visible(finding.text())}")
        if finding.next_move:
            click.echo(f"  {visible(finding.next_move)}")


def _data(name: str, result: Recheck) -> dict[str, Any]:
    return {
        "file": name,
        "topic": result.derivation.topic,
        "steps": len(result.derivation.steps),
        "right": result.right,
        "evidence": result.evidence.to_json(),
        "findings": [{"step": f.step, "message": f.message, "evidence": f.evidence.to_json()} for f in result.findings],
    }
