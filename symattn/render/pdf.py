"""LaTeX to PDF with whatever engine the machine has.

Promises: TeX runs in a temporary folder of its own, without shell escape, reading and writing nothing outside it, under a time limit;
the PDF is written beside its place and then renamed, so an old file survives any failure; a failure names TeX's first error line.
Does not promise: an engine; without one, one clear line says what to install.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from symattn.errors import RenderError

ENGINES = ("latexmk", "pdflatex", "tectonic")
INSTALL = (
    "install latexmk with TeX Live (Debian: apt install latexmk texlive-latex-extra texlive-pictures texlive-fonts-recommended), "
    "or install tectonic"
)
_SAFE = ("-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "-file-line-error")
_JOB = "page"
_MOST_RUNS = 3


def find_engine() -> str | None:
    """The first of ENGINES on this machine; latexmk counts only beside pdflatex, which it calls."""
    for name in ENGINES:
        if shutil.which(name) and (name != "latexmk" or shutil.which("pdflatex")):
            return name
    return None


def to_pdf(tex: str, out: Path, *, engine: str | None = None, seconds: float = 120.0) -> Path:
    """Typesets `tex` and puts the PDF at `out`; returns `out`. `engine` is one of ENGINES (default: the first found), `seconds` the
    limit of one run of it. Raises RenderError: no engine, a TeX error, the time limit, a place that cannot be written."""
    chosen = engine or find_engine()
    if chosen is None:
        raise RenderError("no PDF: this machine has no TeX engine", next_move=INSTALL)
    if chosen not in ENGINES:
        raise RenderError(f"unknown TeX engine {chosen!r}", next_move=f"use one of {', '.join(ENGINES)}")
    if shutil.which(chosen) is None:
        raise RenderError(f"no PDF: {chosen} is not on this machine", next_move=INSTALL)
    with tempfile.TemporaryDirectory(prefix="symattn-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        (place / f"{_JOB}.tex").write_text(tex, encoding="utf-8")
        _typeset(chosen, place, seconds)
        _put(place / f"{_JOB}.pdf", Path(out))
    return Path(out)


def run_log(tex: str, *, engine: str = "pdflatex", seconds: float = 120.0) -> str:
    """Typesets `tex`, throws the PDF away and returns TeX's log: what a test reads. Raises RenderError as `to_pdf`."""
    with tempfile.TemporaryDirectory(prefix="symattn-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        (place / f"{_JOB}.tex").write_text(tex, encoding="utf-8")
        _typeset(engine, place, seconds)
        return _log(place)


def _command(engine: str) -> list[str]:
    source = f"{_JOB}.tex"
    if engine == "latexmk":
        return ["latexmk", "-norc", "-pdf", "-quiet", *(f"-latexoption={option}" for option in _SAFE), source]
    if engine == "tectonic":
        return ["tectonic", "--untrusted", "--keep-logs", "--chatter", "minimal", source]
    return ["pdflatex", *_SAFE, source]


def _typeset(engine: str, place: Path, seconds: float) -> None:
    environment = dict(os.environ)
    environment.update(
        openin_any="p", openout_any="p", shell_escape="f", max_print_line="1000", error_line="254", half_error_line="238",
        SOURCE_DATE_EPOCH="0", FORCE_SOURCE_DATE="1", TEXMFOUTPUT=str(place),
    )  # fmt: skip
    for _ in range(_MOST_RUNS if engine == "pdflatex" else 1):
        code, said = _run(_command(engine), place, environment, seconds)
        if code != 0 or not (place / f"{_JOB}.pdf").is_file():
            raise RenderError(f"{engine} stopped: {_first_error(_log(place) or said)}", next_move="keep the .tex and run TeX on it by hand")
        if "Rerun to get" not in _log(place):
            return


def _run(command: list[str], place: Path, environment: dict[str, str], seconds: float) -> tuple[int, str]:
    process = subprocess.Popen(
        command, cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip
    try:
        said, _ = process.communicate(timeout=seconds)
    except BaseException as trouble:
        _end(process)
        if isinstance(trouble, subprocess.TimeoutExpired):
            raise RenderError(f"{command[0]} took longer than {seconds:g} s", next_move="typeset the .tex by hand") from None
        raise
    return process.returncode, said.decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the engine and what it started (latexmk starts pdflatex)."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def _log(place: Path) -> str:
    path = place / f"{_JOB}.log"
    return path.read_text(encoding="latin-1") if path.is_file() else ""


def _first_error(log: str) -> str:
    """TeX's first error: `page.tex:12: Undefined control sequence.` or a line that opens with an exclamation mark."""
    for line in log.splitlines():
        text = line.strip()
        if text.startswith("! ") or (text.startswith((f"./{_JOB}.tex:", f"{_JOB}.tex:")) and ": " in text):
            return text.removeprefix("! ")[:200]
        if text.startswith("error:"):
            return text[:200]
    return next((line.strip()[:200] for line in reversed(log.splitlines()) if line.strip()), "no log was written")


def _put(source: Path, out: Path) -> None:
    """Copies beside `out`, then renames: either the whole new file stands there or the old one."""
    beside = out.with_name(f".{out.name}.part")
    try:
        shutil.copyfile(source, beside)
        os.replace(beside, out)
    except OSError as trouble:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise RenderError(f"cannot write {out}: {trouble.strerror or trouble}", next_move="give another place with -o") from None
