"""Inputs from NumPy's files: `.npz` with one array an input, `.npy` with one array.

Promises: nothing is unpickled; the header of every array is read first, and an archive that would unpack to more than MAX_ENTRIES
entries or MAX_BYTES bytes, holds objects or says something else than it contains is refused before any data is read. Floats stay the
binary fractions that they are. Does not promise: structured, complex or 128-bit arrays.
"""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path as FilePath
from typing import Any

from symattn.errors import InputError, Place
from symattn.inputs.given import Given, Path, settle
from symattn.inputs.names import known_name
from symattn.inputs.text import read_bytes

MAX_ENTRIES = 10_000_000
MAX_BYTES = 256_000_000
MAX_MEMBERS = 64
MAX_HEADER = 10_000
_MAGIC = b"\x93NUMPY"
_HEADER = re.compile(
    r"\{\s*'descr':\s*'(?P<descr>[^']{1,20})',\s*'fortran_order':\s*(?:True|False),\s*'shape':\s*\((?P<shape>[0-9,\s]*)\),?\s*\}\s*"
)
_DESCR = re.compile(r"[<>|=]?(?P<kind>[a-zA-Z])(?P<size>[0-9]+)")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError, KeyError, UnicodeDecodeError)


@dataclass(frozen=True)
class _Header:
    """What an array says of itself; `length` counts the bytes before its data, `size` those of the data."""

    shape: tuple[int, ...]
    length: int
    size: int


def read_npz(path: FilePath, *, binary: bool) -> dict[str, Given]:
    """The arrays of a `.npz` file. Raises InputError."""
    given: dict[str, Given] = {}
    for key, place, raw in _members(path):
        name = known_name(key, place)
        if name in given:
            raise InputError(f'"{name}" is given twice', place=place, next_move="give each input once")
        given[name] = _settled(name, raw, place, binary)
    return given


def read_one_array(name: str, path: FilePath, *, binary: bool) -> Given:
    """The input `name` from a `.npy` file, or from a `.npz` file with one array. Raises InputError."""
    if path.suffix.lower() == ".npz":
        found = list(_members(path))
        if len(found) != 1:
            raise InputError(
                f"the file holds {len(found)} arrays, but it is given as one matrix",
                place=Place(str(path)),
                next_move="give it as the FILE, or keep one array in it",
            )
        return _settled(name, found[0][2], found[0][1], binary)
    place = Place(str(path))
    with _broken(place):
        data = read_bytes(path, MAX_BYTES + MAX_HEADER)
        header = _header(io.BytesIO(data), place, name)
        _check_total([header], place)
        return _settled(name, _array(io.BytesIO(data), header, len(data), place, name), place, binary)


def _settled(name: str, raw: Any, place: Place, binary: bool) -> Given:
    def locate(path: Path) -> Place:
        return place

    return settle(name, raw, locate, binary=binary)


def _members(path: FilePath) -> list[tuple[str, Place, Any]]:
    """Name, place and nested lists of every array, all headers checked before any data is read."""
    place = Place(str(path))
    with _broken(place), path.open("rb") as file, zipfile.ZipFile(file) as archive:
        infos = archive.infolist()
        if len(infos) > MAX_MEMBERS:
            raise InputError(f"the archive has {len(infos)} members", place=place, next_move=f"at most {MAX_MEMBERS} are read")
        if not infos:
            raise InputError("the archive holds no array", place=place, next_move="give X, W_Q, W_K, W_V or Q, K, V")
        headers = []
        for info in infos:
            with archive.open(info) as member:
                header = _header(member, place, info.filename)
            if info.file_size != header.length + header.size:
                raise _broken_error(place, f'"{info.filename}" has {info.file_size} bytes, its header says {header.length + header.size}')
            headers.append(header)
        _check_total(headers, place)
        found = []
        for info, header in zip(infos, headers, strict=True):
            with archive.open(info) as member:
                found.append((info.filename.removesuffix(".npy"), place, _array(member, header, info.file_size, place, info.filename)))
        return found


def _check_total(headers: list[_Header], place: Place) -> None:
    entries, size = sum(prod(h.shape) for h in headers), sum(h.size for h in headers)
    if entries > MAX_ENTRIES or size > MAX_BYTES:
        raise InputError(
            f"the arrays would unpack to {entries} entries and {size} bytes",
            place=place,
            next_move=f"at most {MAX_ENTRIES} entries and {MAX_BYTES} bytes are read",
        )


def _header(member: Any, place: Place, name: str) -> _Header:
    start = member.read(8)
    if start[:6] != _MAGIC or len(start) < 8:
        raise InputError(f'"{name}" is not a NumPy array', place=place, next_move="write the file with numpy.savez(file, Q=…, K=…, V=…)")
    counted = 2 if start[6] == 1 else 4
    count = int.from_bytes(member.read(counted), "little")
    text = member.read(count).decode("latin-1") if count <= MAX_HEADER else ""
    found = _HEADER.fullmatch(text)
    descr = _DESCR.fullmatch(found["descr"]) if found else None
    if found is None or descr is None:
        what = "Python objects (pickles)" if "'|O'" in text or "'O'" in text else "no plain numbers"
        raise InputError(f'"{name}" holds {what}', place=place, next_move="save arrays of integers, floats or text")
    kind, width = descr["kind"], int(descr["size"])
    size = width * (4 if kind == "U" else 1)
    if kind not in "biufU" or (kind == "f" and width > 8) or size > 8000:
        what = "Python objects (pickles)" if kind == "O" else f"entries of the type {found['descr']}"
        raise InputError(f'"{name}" holds {what}', place=place, next_move="save arrays of integers, float64 or smaller, or text")
    shape = tuple(int(n) for n in found["shape"].split(",") if n.strip())
    return _Header(shape, 8 + counted + count, prod(shape) * size)


def _array(member: Any, header: _Header, length: int, place: Place, name: str) -> Any:
    import numpy as np

    data = member.read(header.length + header.size)
    if len(data) != header.length + header.size or length != len(data):
        raise _broken_error(place, f'"{name}" does not have the bytes that its header says')
    return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False).tolist()


def _broken_error(place: Place, what: str) -> InputError:
    return InputError(f"the file is broken: {what}", place=place, next_move="write it again with numpy.savez")


@contextlib.contextmanager
def _broken(place: Place) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError("the file does not exist", place=place, next_move="check the path") from None
    except _BROKEN as error:
        raise _broken_error(place, " ".join(str(error).split())[:120] or type(error).__name__) from None
