"""Finding worksheets by name: in ./worksheets first, then among those that come with the package.

Promises: a name never leads outside the two folders; listing reads front matter only. Does not promise: that a worksheet
found is well formed.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from symattn.errors import SheetError


@dataclass(frozen=True)
class Listed:
    """A worksheet as `worksheet list` shows it. `title` is empty when its front matter cannot be read."""

    name: str
    path: Path
    title: dict[str, str]
    lang: str
    source: str
    number: int


def folders() -> list[Path]:
    """Where worksheets are looked for, in order."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "_worksheets"
    return [Path("worksheets"), shipped if shipped.is_dir() else package.parent / "worksheets"]


def find_worksheet(name: str) -> Path:
    """The file of a worksheet given by name or by path. Raises SheetError with the nearest names."""
    direct = Path(name)
    if direct.suffix == ".md" or _is_file(direct):
        if _is_file(direct):
            return direct
        raise SheetError(
            f'the file "{name}" does not exist', next_move="give a worksheet's path or its name (see `symattn worksheet list`)"
        )
    for folder in folders():
        if direct.name == name and _is_file(folder / f"{name}.md"):
            return folder / f"{name}.md"
    known = [listed.name for listed in list_worksheets()]
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    raise SheetError(
        f'there is no worksheet "{name}"', next_move=f"did you mean {', '.join(near)}?" if near else f"known: {', '.join(known) or 'none'}"
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have
        return False


def list_worksheets() -> list[Listed]:
    """All worksheets, by number and name; one in ./worksheets hides a shipped one of the same name."""
    found: dict[str, Listed] = {}
    for folder in folders():
        if folder.is_dir():
            for path in sorted(folder.glob("*.md")):
                if path.name != "README.md":
                    found.setdefault(path.stem, _listed(path))
    return sorted(found.values(), key=lambda listed: (listed.number, listed.name))


def _listed(path: Path) -> Listed:
    meta: dict[str, object] = {}
    try:
        head = path.read_bytes()[:65536].decode("utf-8-sig", errors="replace").split("+++")
        meta = tomllib.loads(head[1]) if len(head) > 2 else {}
    except (OSError, tomllib.TOMLDecodeError):
        meta = {}
    title, lang, source, number = meta.get("title"), meta.get("lang"), meta.get("source"), meta.get("number")
    return Listed(
        name=path.stem,
        path=path,
        title={k: str(v) for k, v in title.items()} if isinstance(title, dict) else {},
        lang=lang if isinstance(lang, str) else "es",
        source=source if isinstance(source, str) else "",
        number=number if isinstance(number, int) else 0,
    )
