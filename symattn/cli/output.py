"""Files are written beside and then renamed, so that an old result survives a full disk, an error or Ctrl-C.

Promises: a path either holds its old bytes or all of the new ones. Does not promise: to create missing parents of the
output folder beyond one level asked for.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from symattn.errors import InputError


def ensure_folder(folder: Path) -> None:
    """Creates `folder`. Raises InputError where that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the folder {folder} cannot be made: {error.strerror or error}", next_move="choose another one with -o"
        ) from error


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes `content` to `path`, all or nothing. Raises InputError when the folder cannot be written or the disk is full."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
        temporary = ""
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror or error}; what stood there before is untouched",
            next_move="free some space or choose another folder with -o",
        ) from error
    finally:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
