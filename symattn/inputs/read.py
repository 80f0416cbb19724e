"""Inputs by where they come from: a file of several, a matrix typed at the prompt, a file of one.

Promises: the ending of a file's name says how it is read, and nothing else does. Does not promise: to guess.
"""

from __future__ import annotations

from pathlib import Path

from symattn.errors import InputError, Place
from symattn.inputs.given import Given

ENDINGS = (".json", ".toml", ".csv", ".npz")
ONE_ENDINGS = (*ENDINGS, ".npy")


def read_file(path: Path, *, binary: bool = False) -> dict[str, Given]:
    """The inputs of a JSON, TOML, CSV or .npz file, by name. `binary` takes floats of arrays as the binary fractions they are.
    Raises InputError with the place."""
    ending = path.suffix.lower()
    if ending == ".npz":
        from symattn.inputs.arrays import read_npz

        return read_npz(path, binary=binary)
    if ending == ".npy":
        raise InputError(
            "a .npy file holds one array without a name", place=Place(str(path)), next_move=f"give it to one input: --q {path}"
        )
    if ending not in ENDINGS:
        raise _unknown(path, ENDINGS)
    from symattn.inputs.text import read_text

    file = read_text(path)
    if ending == ".csv":
        from symattn.inputs.tables import read_csv

        return read_csv(file)
    from symattn.inputs.documents import read_json, read_toml

    return read_json(file) if ending == ".json" else read_toml(file)


def read_matrix(name: str, text: str, label: str, *, binary: bool = False) -> Given:
    """The input `name` from what was given to its option `label`: a matrix as text of the language, or the path of a file that
    holds one matrix. Raises InputError, LanguageError."""
    from symattn.inputs.typed import looks_typed, read_typed

    path = Path(text)
    ending = path.suffix.lower()
    if looks_typed(text) and not (ending in ONE_ENDINGS and _is_file(path)):
        return read_typed(name, text, label)
    if not text.strip():
        raise InputError(f"{label} is empty", next_move=f'give a matrix, {label} "[[1, 0], [0, 1]]", or the path of a file')
    if ending not in ONE_ENDINGS:
        raise _unknown(path, ONE_ENDINGS, f'{label} takes a matrix such as "[[1, 0], [0, 1]]" or a file: ')
    if ending in (".npz", ".npy"):
        from symattn.inputs.arrays import read_one_array

        return read_one_array(name, path, binary=binary)
    from symattn.inputs.text import read_text

    file = read_text(path)
    if ending == ".csv":
        from symattn.inputs.tables import read_one_csv

        return read_one_csv(name, file)
    from symattn.inputs.documents import read_one_json, read_one_toml

    return read_one_json(name, file) if ending == ".json" else read_one_toml(name, file)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long
        return False


def _unknown(path: Path, endings: tuple[str, ...], lead: str = "") -> InputError:
    shown = str(path) if len(str(path)) <= 80 else str(path)[:77] + "..."
    what = f"a name ending in {path.suffix[:20]}" if path.suffix else "a name without an ending"
    return InputError(f"{what} does not say how the file is read", place=Place(shown), next_move=f"{lead}{', '.join(endings)} are read")
