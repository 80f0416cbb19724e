"""Faults with a real cause: no permission, no room, an interrupt, a reader that goes away.

Each cause is first shown to work on a bare open() and write in the same kind of child.
"""

from __future__ import annotations

import contextlib
import os
import pty
import runpy
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_support import SHEET, command, contents, environment, plain_write, ran, small_disk, spawned, trouble, unprivileged, write_sheet

QKV = ("--q", "[[1, 0], [0, 1]]", "--k", "[[1, 2], [0.50, 1]]", "--v", "[[1], [2]]")
WRITERS = [
    ("worksheet", "build", "prueba.md", "--to", "tex,html,md,json", "-o", "out"),
    ("attend", *QKV, "--to", "latex", "-o", "out/prueba.es.tex"),
]


def old_output(folder: Path) -> dict[str, bytes]:
    write_sheet(folder)
    (folder / "out").mkdir()
    for ending in ("tex", "html", "md", "json"):
        (folder / "out" / f"prueba.es.{ending}").write_text("old")
    return contents(folder)


# -- a folder without write permission --------------------------------------------------------------------------------
@pytest.mark.parametrize("arguments", WRITERS, ids=lambda a: a[0])
def test_a_folder_without_write_permission(arguments: tuple[str, ...], tmp_path: Path) -> None:
    before = old_output(tmp_path)
    (tmp_path / "out").chmod(0o555)
    try:
        assert plain_write(tmp_path / "out" / "new", 1, unprivileged, tmp_path) == "PermissionError"
        done = spawned(*arguments, cwd=tmp_path, limit=unprivileged)
        trouble(done, "error: out/prueba.es.tex cannot be written: Permission denied; what stood there before is untouched", "-o")
    finally:
        (tmp_path / "out").chmod(0o755)
    assert contents(tmp_path) == before


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    write_sheet(tmp_path)
    (tmp_path / "shut").mkdir(mode=0o555)
    before = contents(tmp_path)
    assert plain_write(tmp_path / "shut" / "new", 1, unprivileged, tmp_path) == "PermissionError"
    for arguments in (("worksheet", "build", "prueba.md", "-o", "shut/out"), ("worksheet", "new", "uno", "-o", "shut/out")):
        trouble(spawned(*arguments, cwd=tmp_path, limit=unprivileged), "the folder shut/out cannot be made: Permission denied", "-o")
    trouble(
        ran("worksheet", "build", str(tmp_path / "prueba.md"), "-o", str(tmp_path / "prueba.md" / "out")), "cannot be made: Not a directory"
    )
    assert contents(tmp_path) == before


def test_files_that_may_not_be_read(tmp_path: Path) -> None:
    write_sheet(tmp_path).chmod(0)
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "a.json").chmod(0)
    trouble(spawned("worksheet", "check", "prueba.md", cwd=tmp_path, limit=unprivileged), "prueba.md: error: ", "Permission denied")
    trouble(spawned("attend", "a.json", cwd=tmp_path, limit=unprivileged), "a.json: error: the file cannot be read: Permission denied")


def test_places_in_a_folder_without_write_permission(tmp_path: Path) -> None:
    write_sheet(tmp_path)
    before = contents(tmp_path)
    tmp_path.chmod(0o555)
    try:
        assert plain_write(tmp_path / "new", 1, unprivileged, tmp_path) == "PermissionError"
        done = spawned("worksheet", "check", "prueba.md", "--source", "documents", "--write-places", cwd=tmp_path, limit=unprivileged)
        trouble(done, "prueba.md cannot be written: Permission denied", "make the file writable")
    finally:
        tmp_path.chmod(0o755)
    assert contents(tmp_path) == before


# -- a full disk ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("arguments", WRITERS, ids=lambda a: a[0])
def test_a_full_disk_keeps_the_old_output_and_leaves_nothing_beside_it(arguments: tuple[str, ...], tmp_path: Path) -> None:
    before = old_output(tmp_path)
    limit = small_disk(2000)
    assert plain_write(tmp_path / "probe", 5000, limit, tmp_path) == "OSError"
    assert plain_write(tmp_path / "probe", 1500, limit, tmp_path) == ""
    (tmp_path / "probe").unlink()
    done = spawned(*arguments, cwd=tmp_path, limit=limit)
    trouble(done, "out/prueba.es.tex cannot be written: File too large; what stood there before is untouched", "free some space")
    assert contents(tmp_path) == before


def test_a_device_as_output_stays_a_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a device would be replaced by a file")

    monkeypatch.setattr(os, "replace", never)
    monkeypatch.setattr("tempfile.mkstemp", never)
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    trouble(ran("attend", *QKV, "-o", str(full)), "full cannot be written: No space left on device")
    assert ran("attend", *QKV, "-o", "/dev/null").code == 0


def test_a_pipe_as_output(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(command("attend", *QKV, "-o", "pipe"), cwd=tmp_path, env=environment(), stderr=subprocess.DEVNULL) as process:
        assert "scores 2×2" in (tmp_path / "pipe").read_text()
        assert process.wait(60) == 0
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)


def test_places_on_a_full_disk(tmp_path: Path) -> None:
    write_sheet(tmp_path, text=SHEET + "\n<!-- " + "x" * 3000 + " -->\n")
    before = contents(tmp_path)
    done = spawned("worksheet", "check", "prueba.md", "--source", "documents", "--write-places", cwd=tmp_path, limit=small_disk(2000))
    trouble(done, "prueba.md cannot be written: File too large", "free some space")
    assert contents(tmp_path) == before


def test_a_full_device_as_standard_output(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(OSError, match="No space left"):
        full.write_text("x")
    write_sheet(tmp_path)
    for arguments in (("--help",), ("eval", "1"), ("attend", *QKV), ("worksheet", "check", "prueba.md"), ("worksheet", "list")):
        with full.open("w") as stream:
            done = subprocess.run(
                command(*arguments), stdout=stream, stderr=subprocess.PIPE, cwd=tmp_path, env=environment(), timeout=60, check=False
            )
        said = done.stderr.decode()
        assert done.returncode == 2, said
        assert said.startswith("error: the output cannot be used: No space left on device\n")
        assert "Exception ignored" not in said
        assert "Traceback" not in said


# -- a reader that goes away ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("eval", "--help"),
        ("--version",),
        ("eval", "1"),
        ("attend", *QKV),
        ("attend", *QKV, "--to", "latex"),
        ("worksheet", "list"),
    ],
    ids=" ".join,
)
def test_a_pipe_without_a_reader_is_quiet(arguments: tuple[str, ...], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command(*arguments), stdout=writing, stderr=subprocess.PIPE, cwd=tmp_path, env=environment(), timeout=60, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_head_takes_what_it_wants(tmp_path: Path) -> None:
    text = f"[{', '.join(str(k) for k in range(20_000))}] + 0"
    with subprocess.Popen(
        command("eval", "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment()
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(text.encode())
        process.stdin.close()
        assert process.stdout.readline().split() == [b"exact", b"balls"]
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_closed_standard_stream(closed: str, tmp_path: Path) -> None:
    number = {"stdout": 1, "stderr": 2}[closed]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {number}>&-', "sh", *command("eval", "1")],
        capture_output=True,
        cwd=tmp_path,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


# -- Ctrl-C -----------------------------------------------------------------------------------------------------------
HEAVY = SHEET.replace("[[1, 2], [3, 1]]", f"[{', '.join(str([(3 * i + j) % 7 for j in range(9)]) for i in range(60))}]").replace(
    'token = ["uno", "dos"]', ""
).replace("[labels]", "").replace("show S[uno]", "E = exp(S / 1000)\nP = softmax(S / 1000)\nO = P @ X\nshow O").replace(
    '| S[uno,dos] "1*3 + 2*1 = 5" @2\n| S[uno,dos] "5" @2#2\n', ""
)  # fmt: skip


@contextlib.contextmanager
def on_a_terminal(*arguments: str, cwd: Path):  # type: ignore[no-untyped-def]
    """The command with a terminal as its standard error; the end on which the terminal is read."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(*arguments), stdout=subprocess.DEVNULL, stderr=theirs, cwd=cwd, env=environment(), start_new_session=True
    )
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def read_until(terminal: int, needle: bytes, seconds: float = 60) -> bytes:
    said = b""
    end = time.monotonic() + seconds
    while needle not in said and time.monotonic() < end:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        said += piece
    return said


@pytest.mark.parametrize("moment", ["1/1 pesada", "1/2 pesada.es.tex"])
def test_an_interrupt_while_a_worksheet_is_built(moment: str, tmp_path: Path) -> None:
    write_sheet(tmp_path, "pesada", HEAVY)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "pesada.es.tex").write_text("old")
    before = contents(tmp_path)
    with on_a_terminal("worksheet", "build", "pesada.md", "--to", "tex,html", "-o", "out", cwd=tmp_path) as (process, terminal):
        said = read_until(terminal, moment.encode())
        assert moment.encode() in said, said
        process.send_signal(signal.SIGINT)
        said += read_until(terminal, b"\x00")
        code = process.wait(60)
    assert code == 130, said
    assert b"interrupted; files already written are whole, the others are as they were" in said
    assert b"Traceback" not in said
    assert b"\x1b" not in said
    assert contents(tmp_path) == before


def test_an_interrupt_between_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = old_output(tmp_path)
    monkeypatch.chdir(tmp_path)
    calls = []

    def interrupted(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    done = ran("worksheet", "build", "prueba.md", "--to", "tex,html,md", "-o", "out")
    assert done.code == 130
    assert "interrupted; files already written are whole" in done.err
    after = contents(tmp_path)
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == ["out/prueba.es.tex"]
    assert after["out/prueba.es.tex"].rstrip().endswith(b"\\end{document}")


@pytest.mark.parametrize("delay", [0.01, 0.1, 0.3])
def test_an_interrupt_at_any_moment_shows_no_traceback(delay: float, tmp_path: Path) -> None:
    write_sheet(tmp_path, "pesada", HEAVY)
    before = contents(tmp_path)
    # The interpreter is let start before the signal: what it says by itself while it loads is not ours.
    program = "import sys\nfrom symattn.cli.main import main\nprint('up', flush=True)\nmain(sys.argv[1:])"
    arguments = [sys.executable, "-c", program, "worksheet", "build", "pesada.md", "-o", "out"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"up\n"
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().decode()
        code = process.wait(60)
    assert code == 130, said
    assert "Traceback" not in said
    assert contents(tmp_path) == before


def test_an_interrupt_before_the_command_line_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("symattn.cli.main.main", interrupted)
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("symattn", run_name="__main__")
    assert caught.value.code == 130
