"""NumPy's files: what is taken, what is refused before it is read."""

from __future__ import annotations

import tracemalloc
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from symattn.errors import InputError
from symattn.inputs.read import read_file, read_matrix


def saved(folder: Path, **arrays: object) -> Path:
    path = folder / "a.npz"
    np.savez(path, **arrays)  # type: ignore[arg-type]
    return path


def header(descr: str, shape: str, version: int = 1) -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    count = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + count + text.encode("latin-1")


def archive(folder: Path, **members: bytes) -> Path:
    path = folder / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members.items():
            made.writestr(f"{name}.npy", data)
    return path


def refused(path: Path, *, binary: bool = False) -> str:
    with pytest.raises(InputError) as caught:
        read_file(path, binary=binary)
    assert caught.value.place is not None
    assert caught.value.place.path == str(path)
    assert caught.value.next_move
    return str(caught.value)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint16", "float64", "float32", "float16", ">f8", ">i4"])
def test_integers_are_taken_whatever_they_are_stored_as(dtype: str, tmp_path: Path) -> None:
    found = read_file(saved(tmp_path, Q=np.array([[1, 2], [3, 100]], dtype=dtype)))
    assert list(found["Q"].tensor.entries) == [1, 2, 3, 100]
    assert found["Q"].texts == {}


def test_order_in_memory_does_not_matter(tmp_path: Path) -> None:
    found = read_file(saved(tmp_path, Q=np.asfortranarray([[1, 2, 3], [4, 5, 6]]), K=np.ones((1, 3))))
    assert list(found["Q"].tensor.entries) == [1, 2, 3, 4, 5, 6]
    assert found["Q"].tensor.shape == (2, 3)


def test_a_float_says_what_it_would_have_been(tmp_path: Path) -> None:
    path = saved(tmp_path, Q=np.array([[1.0, 0.1]]))
    said = refused(path)
    assert '"Q"[0, 1]: the float 0.1 is exactly 0.1000000000000000055511151231257827021181583404541015625' in said
    assert "--binary" in said
    assert read_file(path, binary=True)["Q"].tensor.entries[1] == Fraction(0.1)


def test_decimals_may_be_stored_as_text(tmp_path: Path) -> None:
    found = read_file(saved(tmp_path, Q=np.array([["0.10", "1/3"]])))
    assert list(found["Q"].tensor.entries) == [Fraction(1, 10), Fraction(1, 3)]
    assert found["Q"].texts == {(0, 0): "0.10"}


def test_truth_values(tmp_path: Path) -> None:
    found = read_file(saved(tmp_path, allowed=np.array([[True, False]])))
    assert list(found["allowed"].tensor.entries) == [True, False]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number(value: float, tmp_path: Path) -> None:
    assert "is not a finite number" in refused(saved(tmp_path, Q=np.array([[1.0, value]])), binary=True)


class Touching:
    """What a pickle could do."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[Path, str]]:
        return Path.write_text, (self.path, "pwned")


def test_a_pickle_is_never_loaded(tmp_path: Path) -> None:
    watched = tmp_path / "pwned"
    holder = np.empty((1, 1), dtype=object)
    holder[0, 0] = Touching(watched)
    path = saved(tmp_path, Q=holder)
    assert "Python objects (pickles)" in refused(path, binary=True)
    assert not watched.exists()
    np.load(path, allow_pickle=True)["Q"]
    assert watched.exists()  # so the file above could have done it


def test_a_pickle_behind_a_header_of_numbers_is_data_of_the_wrong_length(tmp_path: Path) -> None:
    assert "is broken" in refused(archive(tmp_path, Q=header("'<f8'", "(1, 1)") + b"cos\nsystem\n(S'touch pwned'\ntR."))


@pytest.mark.parametrize(
    ("descr", "shape"),
    [
        ("'|O'", "(1, 1)"),
        ("'<c16'", "(1, 1)"),
        ("'<f16'", "(1, 1)"),
        ("'|V2'", "(1, 1)"),
        ("[('a', '<f8')]", "(1,)"),
        ("'<M8[s]'", "(1, 1)"),
        ("'<U9999'", "(1, 1)"),
    ],
)
def test_entries_that_are_no_plain_numbers(descr: str, shape: str, tmp_path: Path) -> None:
    assert " holds " in refused(archive(tmp_path, Q=header(descr, shape) + bytes(16)))


@pytest.mark.parametrize("text", ["(__import__('os').system('touch pwned'),)", "(1, 1" + "(" * 90, "(1.5, 2)", "(-1, 2)", "x"])
def test_a_header_is_never_run(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "holds no plain numbers" in refused(archive(tmp_path, Q=header("'<f8'", text) + bytes(8)))
    assert not (tmp_path / "pwned").exists()


def test_a_bomb_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    gigabytes = 2 * 10**9
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made, made.open("Q.npy", "w", force_zip64=True) as member:
        member.write(header("'<f8'", f"({gigabytes // 8000}, 1000)"))
        zeros = bytes(10**7)
        for _ in range(gigabytes // 10**7):
            member.write(zeros)
    assert path.stat().st_size < gigabytes / 100
    tracemalloc.start()
    try:
        said = refused(path, binary=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "would unpack to 250000000 entries and 2000000000 bytes" in said
    assert peak < 10**7


def test_many_arrays_share_one_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, Q=np.ones((30, 10)), K=np.ones((30, 10)), V=np.ones((30, 10)))
    monkeypatch.setattr("symattn.inputs.arrays.MAX_ENTRIES", 900)
    assert sorted(read_file(path)) == ["K", "Q", "V"]
    monkeypatch.setattr("symattn.inputs.arrays.MAX_ENTRIES", 899)
    assert "900 entries" in refused(path)
    monkeypatch.setattr("symattn.inputs.arrays.MAX_ENTRIES", 900)
    monkeypatch.setattr("symattn.inputs.arrays.MAX_BYTES", 7199)
    assert "7200 bytes" in refused(path)


def test_a_header_that_lies_about_its_data(tmp_path: Path) -> None:
    assert "its header says" in refused(archive(tmp_path, Q=header("'<f8'", "(1, 2)") + bytes(8)))
    assert "its header says" in refused(archive(tmp_path, Q=header("'<f8'", "(1, 2)") + bytes(8000)))
    assert "its header says" in refused(archive(tmp_path, Q=header("'<f8'", "(1000000000, 1000000000)") + bytes(8)))


def test_a_directory_that_lies_about_its_members(tmp_path: Path) -> None:
    """The archive says less than the stream holds: no more than it says is unpacked, and the checksum shows it."""
    start = header("'<f8'", "(1, 1)")
    path = archive(tmp_path, Q=start + bytes(8) + bytes(10_000))
    true, said = ((len(start) + n).to_bytes(4, "little") for n in (10_008, 8))
    data = path.read_bytes()
    assert data.count(true) == 2
    path.write_bytes(data.replace(true, said))
    assert "is broken" in refused(path)


@pytest.mark.parametrize("data", [b"", b"not a zip", b"PK\x03\x04" + bytes(50)])
def test_what_is_no_archive(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(data)
    assert "is broken" in refused(path)


def test_every_cut_of_an_archive_is_refused_or_whole(tmp_path: Path) -> None:
    data = saved(tmp_path, Q=np.ones((2, 2)), K=np.ones((1, 2))).read_bytes()
    path = tmp_path / "b.npz"
    for cut in range(0, len(data), 7):
        path.write_bytes(data[:cut])
        refused(path)


def test_every_flipped_byte_is_refused_or_harmless(tmp_path: Path) -> None:
    data = saved(tmp_path, Q=np.array([[1, 2]])).read_bytes()
    path = tmp_path / "b.npz"
    for k in range(len(data)):
        flipped = bytearray(data)
        flipped[k] ^= 0xFF
        path.write_bytes(bytes(flipped))
        try:
            found = read_file(path)
        except InputError:
            continue
        assert list(found["Q"].tensor.entries) == [1, 2]


@pytest.mark.parametrize(
    ("name", "said"), [("q", "did you mean Q"), ("W_P", "did you mean"), ("../Q", "no input"), ("\x1b[31m", "no input")]
)
def test_unknown_names(name: str, said: str, tmp_path: Path) -> None:
    assert said in refused(archive(tmp_path, **{name: header("'<f8'", "(1, 1)") + bytes(8)}))


def test_a_name_given_twice(tmp_path: Path) -> None:
    assert "given twice" in refused(saved(tmp_path, WQ=np.ones((1, 1)), W_Q=np.ones((1, 1))))


def test_an_empty_archive_and_an_empty_array(tmp_path: Path) -> None:
    assert "holds no array" in refused(archive(tmp_path))
    assert "is empty" in refused(saved(tmp_path, Q=np.ones((0, 2))))
    assert "is empty" in refused(saved(tmp_path, Q=np.ones((2, 0))))


def test_more_members_than_there_are_inputs(tmp_path: Path) -> None:
    assert "70 members" in refused(archive(tmp_path, **{f"x{k}": b"" for k in range(70)}))


def test_one_array(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.array([[1, 2]]))
    assert list(read_matrix("Q", str(tmp_path / "m.npy"), "--q").tensor.entries) == [1, 2]
    assert list(read_matrix("Q", str(saved(tmp_path, whatever=np.array([[3]]))), "--q").tensor.entries) == [3]
    with pytest.raises(InputError, match="holds 2 arrays"):
        read_matrix("Q", str(saved(tmp_path, a=np.ones((1, 1)), b=np.ones((1, 1)))), "--q")
    (tmp_path / "m.npy").write_bytes(header("'<f8'", "(100000, 100000)"))
    with pytest.raises(InputError, match="would unpack"):
        read_matrix("Q", str(tmp_path / "m.npy"), "--q")
    (tmp_path / "m.npy").write_bytes(header("'|O'", "(1, 1)") + b"x")
    with pytest.raises(InputError, match="pickles"):
        read_matrix("Q", str(tmp_path / "m.npy"), "--q")
