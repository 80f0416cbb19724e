"""Inputs from JSON and TOML: one key an input, nested lists of numbers.

Promises: decimals are taken from their text, never by way of a float; a key given twice, NaN and Infinity are refused; every complaint has
line and column. Does not promise: options in files; those are given at the prompt.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from symattn.errors import InputError
from symattn.inputs.given import Given, settle
from symattn.inputs.locate import deepest, in_json, in_toml
from symattn.inputs.names import known_name
from symattn.inputs.text import TextFile

_NESTED = "matrices are nested two deep: [[1, 2], [3, 4]]"


class _Twice(Exception):
    """A key that stands twice in one JSON object."""


def read_json(file: TextFile) -> dict[str, Given]:
    """The inputs of a JSON object. Raises InputError."""
    return _inputs(file, _loaded_json(file), in_json)


def read_toml(file: TextFile) -> dict[str, Given]:
    """The inputs of a TOML document. Raises InputError."""
    return _inputs(file, _loaded_toml(file), in_toml)


def read_one_json(name: str, file: TextFile) -> Given:
    """The input `name` from a JSON file of its own: a bare list, or an object with one key of any name."""
    data = _loaded_json(file)
    if isinstance(data, list):
        return settle(name, data, lambda path: file.place(_bare(file.text, path)))
    return _only(name, file, data, in_json)


def read_one_toml(name: str, file: TextFile) -> Given:
    """The input `name` from a TOML file of its own, with one key of any name."""
    return _only(name, file, _loaded_toml(file), in_toml)


def _loaded_toml(file: TextFile) -> dict[str, Any]:
    try:
        return tomllib.loads(file.text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$", str(error))
        message = str(error)[: found.start()] if found else str(error)
        place = file.at(int(found[1]), int(found[2])) if found and found[1] else file.place(len(file.text.rstrip()))
        raise InputError(f"this is not TOML: {_lower(message)}", place=place, next_move="write Q = [[1, 0.5], [0, 1]]") from None
    except RecursionError:
        raise file.error(deepest(file.text), "brackets are nested too deep", _NESTED) from None


def _loaded_json(file: TextFile) -> Any:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        seen = dict(found)
        if len(seen) < len(found):
            keys = [key for key, _ in found]
            raise _Twice(next(key for key in keys if keys.count(key) > 1))
        return seen

    try:
        return json.loads(file.text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise file.error(error.pos, f"this is not JSON: {_lower(error.msg)}", 'write {"Q": [[1, 0.5], [0, 1]], "K": …, "V": …}') from None
    except _Twice as error:
        second = [m.start() for m in re.finditer(re.escape(json.dumps(str(error), ensure_ascii=False)), file.text)]
        raise file.error(second[-1] if second else 0, f'the key "{str(error)[:40]}" stands twice', "give each input once") from None
    except RecursionError:
        raise file.error(deepest(file.text), "brackets are nested too deep", _NESTED) from None


def _inputs(file: TextFile, data: Any, offset: Callable[..., int]) -> dict[str, Given]:
    if not isinstance(data, dict):
        raise file.error(0, "the file holds no names of matrices", 'write {"Q": [[1, 0.5], [0, 1]], "K": …, "V": …}')
    given: dict[str, Given] = {}
    for key, value in data.items():
        where = partial(offset, file.text, key)
        name = known_name(key, file.place(where(())))
        if name in given:
            raise file.error(where(()), f'"{name}" is given twice', "give each input once")
        given[name] = _settled(name, file, value, where)
    if not given:
        raise file.error(0, "the file holds no matrix", "give X, W_Q, W_K, W_V or Q, K, V")
    return given


def _only(name: str, file: TextFile, data: Any, offset: Callable[..., int]) -> Given:
    if not isinstance(data, Mapping) or len(data) != 1:
        count = len(data) if isinstance(data, Mapping) else 0
        raise file.error(0, f"the file holds {count} keys, but it is given as one matrix", "give it as the FILE, or keep one key in it")
    [(key, value)] = data.items()
    return _settled(name, file, value, partial(offset, file.text, key))


def _settled(name: str, file: TextFile, value: Any, where: Callable[..., int]) -> Given:
    return settle(name, _plain(value), lambda path: file.place(where(path)))


def _plain(value: Any) -> Any:
    """Numbers of TOML as text, so that they are shown as they were typed; what is no number stays and is refused by name."""
    if isinstance(value, list):
        return [_plain(x) for x in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _bare(text: str, path: tuple[int, ...]) -> int:
    wrapped = f'{{"M":{text}'
    return max(0, in_json(wrapped, "M", path) - 5)


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
