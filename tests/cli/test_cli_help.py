"""What a stranger meets first: help, version, completion, unknown commands."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cli_support import command, environment, ran, spawned, usage

from symattn import __version__
from symattn.cli.main import cli

COMMANDS = [
    (), ("attend",), ("derive",), ("eval",), ("recheck",), ("worksheet",), ("worksheet", "list"), ("worksheet", "build"),
    ("worksheet", "check"), ("worksheet", "new"),
]  # fmt: skip


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_answers_within_80_columns(path: tuple[str, ...], option: str) -> None:
    done = ran(*path, option)
    assert done.code == 0
    assert done.err == ""
    assert done.out.startswith(f"Usage: {' '.join(('symattn', *path))} ")
    assert max(map(len, done.out.splitlines())) <= 80


def parameters(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Parameter]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        assert found.help, name
        for parameter in found.params:
            yield " ".join((*path, name, parameter.opts[0])), parameter
        if isinstance(found, click.Group):
            yield from parameters(found, (*path, name))


def test_every_option_says_what_it_is_for() -> None:
    found = dict(parameters(cli))
    options = {name: p for name, p in found.items() if isinstance(p, click.Option)}
    assert len(options) > 40
    assert [name for name, option in options.items() if not option.help] == []


def test_the_sections_of_attend_hold_every_option_once() -> None:
    shown = ran("attend", "--help").out
    for name, option in parameters(cli):
        if name.startswith("attend --"):
            assert sum(line.split()[:1] == [option.opts[0]] or line.split()[1:2] == [option.opts[0]] for line in shown.splitlines()) == 1, (
                name
            )


def test_the_command_list_is_the_same_with_and_without_its_modules() -> None:
    from symattn.cli.main import COMMANDS as listed

    context = click.Context(cli)
    for name in cli.list_commands(context):
        assert cli.get_command(context, name) is not None
    assert set(cli.list_commands(context)) == set(listed)
    assert cli.get_command(context, "nothing") is None


def test_version() -> None:
    done = ran("--version")
    assert (done.code, done.out) == (0, f"symattn, version {__version__}\n")


def test_the_module_is_the_command(tmp_path: Path) -> None:
    done = spawned("--version", cwd=tmp_path)
    assert (done.code, done.out) == (0, f"symattn, version {__version__}\n")


def test_without_a_command_the_help_is_shown_and_nothing_is_right() -> None:
    done = ran()
    assert done.code == 2
    assert "Usage: symattn" in done.out + done.err
    assert "Commands:" in done.out + done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("evl", "1"), "did you mean eval?"),
        (("zzzz",), "known: attend"),
        (("worksheet", "biuld"), "did you mean build?"),
        (("eval", "1", "--digit", "3"), "No such option '--digit'"),
        (("eval",), "EXPRESSION"),
        (("eval", "1", "--digits", "0"), "--digits"),
        (("eval", "1", "--digits", "x"), "'x' is not a valid integer"),
        (("eval", "1", "--to", "pdf"), "'pdf' is not one of"),
        (("worksheet", "build", "--to", "docx"), '"docx" is no format; choose from tex'),
        (("worksheet", "build", "--to", ","), "no format is named"),
        (("attend", "--heads", "two"), "'two' is not a valid integer"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, tuple) else None,
)
def test_mistyped_commands(arguments: tuple[str, ...], said: str) -> None:
    usage(ran(*arguments), said)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, tmp_path: Path) -> None:
    done = subprocess.run(
        command(), env=environment(_SYMATTN_COMPLETE=f"{shell}_source"), capture_output=True, cwd=tmp_path, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"_SYMATTN_COMPLETE" in done.stdout


def completed(words: str, position: int, tmp_path: Path) -> list[str]:
    more = {"_SYMATTN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(position)}
    done = subprocess.run(command(), env=environment(**more), capture_output=True, cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split(",")[-1] for line in done.stdout.decode().split()]


def test_completion_finds_commands_and_options(tmp_path: Path) -> None:
    assert completed("symattn ev", 1, tmp_path) == ["eval"]
    assert completed("symattn worksheet b", 2, tmp_path) == ["build"]
    assert "--masked-row" in completed("symattn attend --mask", 2, tmp_path)
    assert completed("symattn attend --masked-row z", 3, tmp_path) == ["zero"]


def test_a_character_that_the_encoding_lacks_is_no_reason_to_stop(tmp_path: Path) -> None:
    done = subprocess.run(
        command("attend", "--q", "[[1]]", "--k", "[[1]]", "--v", "[[2]]"),
        env=environment(PYTHONIOENCODING="koi8-r"), capture_output=True, cwd=tmp_path, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert rb"output 1\xd71" in done.stdout


def test_arguments_that_are_not_text(tmp_path: Path) -> None:
    done = subprocess.run(
        [os.fsencode(sys.executable), b"-m", b"symattn", b"attend", b"\xff\xfe.json"],
        env=environment(), capture_output=True, cwd=tmp_path, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"No such file" in done.stderr
