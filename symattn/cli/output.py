"""Files are written beside and then renamed, so that an old result survives a full disk, an error or Ctrl-C.

Promises: a path holds either its old bytes or all of the new ones, and nothing is left beside it; a link is followed, a file keeps its
permissions, a device stays one. Progress is shown on a terminal only, and wiped when done.
Does not promise: that the old bytes stay when the power fails during the rename.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from symattn.errors import InputError, visible

T = TypeVar("T")


def ensure_folder(folder: Path) -> None:
    """Creates `folder` and its parents. Raises InputError where that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be made: {error.strerror or error}", next_move="choose another one with -o") from None


def write_whole(path: Path, content: str | bytes, *, next_move: str = "free some space or choose another place with -o") -> None:
    """Writes `content` to `path`, all or nothing. Raises InputError when the folder cannot be written or the disk is full."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    temporary = ""
    try:
        target = path.resolve() if path.is_symlink() else path
        mode = target.stat().st_mode if target.exists() else stat.S_IFREG | 0o666 & ~_umask()
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a device or a pipe holds no bytes that could be kept
            with target.open("wb") as out:
                out.write(data)
            return
        handle, temporary = tempfile.mkstemp(prefix=".symattn-", dir=target.parent)
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
        temporary = ""
    except FileNotFoundError:
        raise InputError(
            f"{path} cannot be written: there is no folder {path.parent}", next_move="create it, or choose another place with -o"
        ) from None
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror or error}; what stood there before is untouched", next_move=next_move
        ) from None
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def progress(items: Iterable[tuple[str, T]], count: int) -> Iterator[T]:
    """The items, each named on stderr while it is worked on, when that is a terminal."""
    live = sys.stderr is not None and sys.stderr.isatty()
    shown = 0
    try:
        for k, (name, item) in enumerate(items, 1):
            if live:
                line = visible(f"{k}/{count} {name}")[:79]
                sys.stderr.write("\r" + line.ljust(shown))
                sys.stderr.flush()
                shown = len(line)
            yield item
    finally:
        if shown:
            sys.stderr.write("\r" + " " * shown + "\r")
            sys.stderr.flush()
