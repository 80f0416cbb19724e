"""Files of matrices: what is taken, exactly, and where each complaint points."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from symattn.errors import InputError, SymattnError
from symattn.inputs.given import Given
from symattn.inputs.read import read_file, read_matrix

JSON = '{"Q": [[0.10, 1],\n       ["1/3", -2e-3]],\n "K": [[1, 2]], "V": [[3]]}'
TOML = '# a comment [[9]]\nQ = [[0.10, 1], # Q = 3\n     ["1/3", -2e-3]]\nK = [[1, 2]]\n"V" = [[3]]\n'
CSV = "# Q\n0.10,1\n 1/3 , -2e-3\n\n# K\n1,2\n# V,\n3\n"
TENTH = [Fraction(1, 10), Fraction(1), Fraction(1, 3), Fraction(-2, 1000)]


def put(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.json", JSON), ("a.toml", TOML), ("a.csv", CSV), ("a.CSV", CSV.replace("\n", "\r\n")), ("b.json", "\ufeff" + JSON)],
)
def test_decimals_are_read_from_their_text(name: str, text: str, tmp_path: Path) -> None:
    found = read_file(put(tmp_path, name, text))
    assert sorted(found) == ["K", "Q", "V"]
    assert list(found["Q"].tensor.entries) == TENTH
    assert found["Q"].tensor.shape == (2, 2)
    assert found["Q"].texts == {(0, 0): "0.10", (0, 1): "1"}
    assert list(found["V"].tensor.entries) == [3]


def test_a_decimal_never_passes_through_a_float(tmp_path: Path) -> None:
    long = "0.1000000000000000055511151231257827021181583404541015626"
    for name, text in (("a.json", f'{{"Q": [[{long}]]}}'), ("a.toml", f"Q = [[{long}]]"), ("a.csv", f"# Q\n{long}\n")):
        assert read_file(put(tmp_path, name, text))["Q"].tensor.entries[0] == Fraction(long)


@pytest.mark.parametrize("written", ["WQ", "W_Q"])
def test_the_underscore_may_be_left_out(written: str, tmp_path: Path) -> None:
    assert list(read_file(put(tmp_path, "a.json", f'{{"{written}": [[1]]}}'))) == ["W_Q"]


def complaint(folder: Path, name: str, text: str | bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        read_file(put(folder, name, text))
    return caught.value


def where(error: SymattnError) -> tuple[int, int]:
    assert error.place is not None
    return error.place.line, error.place.column


BAD = [
    ("json", '{"Q": [[1, 2],\n  [3, abc]]}', (2, 7), "not JSON"),
    ("json", '{"Q": [[1, 2],\n  [3, "abc"]]}', (2, 7), "'abc' is not a number"),
    ("json", '{"Q": [[1, 2],\n  [3]]}', (2, 3), "ragged: row 1 has 1 entries, the first row has 2"),
    ("json", '{"Q": [[1, 2],\n  [3, NaN]]}', (2, 7), "NaN is not a finite number"),
    ("json", '{"Q": [[1, 2],\n  [3, -Infinity]]}', (2, 7), "-Infinity is not a finite number"),
    ("json", '{"Q": [[1, 2],\n  [3, null]]}', (2, 7), "null is not a number"),
    ("json", '{"Q": [[1, 2],\n  [3, true]]}', (2, 7), "truth value"),
    ("json", '{"Q": [[1, 2],\n  3]}', (2, 3), "one entry where a row of 2 should stand"),
    ("json", '{"Q": [[1, 2],\n  [3, [4]]]}', (2, 7), "a list where a number should stand"),
    ("json", '{"Q": [[1, 2],\n  [3, {"a": 1}]]}', (2, 7), "a dict is not a number"),
    ("json", '{"Q": [[1,2]],\n "q": [[1]]}', (2, 7), "did you mean Q?"),
    ("json", '{"Q": [[1,2]],\n "W_P": [[1]]}', (2, 9), "did you mean W_"),
    ("json", '{"Q": [[1,2]],\n "mask": "causal"}', (2, 10), "--mask"),
    ("json", '{"Q": [[1,2]],\n "Q": [[1]]}', (2, 2), 'the key "Q" stands twice'),
    ("json", '{"WQ": [[1,2]],\n "W_Q": [[1]]}', (2, 9), '"W_Q" is given twice'),
    ("json", '{"Q": [[1,2]', (1, 13), "not JSON"),
    ("json", '{"Q": []}', (1, 7), '"Q" is empty'),
    ("json", '{"Q": [[]]}', (1, 8), '"Q"[0] is empty'),
    ("json", '{"Q": [1, 2]}', (1, 7), "1 axis (a vector), not 2"),
    ("json", '{"Q": 3}', (1, 7), "no axis (a single number), not 2"),
    ("json", '{"Q": [[[[1]]]]}', (1, 7), "nested more than 3 deep"),
    ("json", "[[1,2]]", (1, 1), "no names of matrices"),
    ("json", "{}", (1, 1), "no matrix"),
    ("json", "  \n", (0, 0), "the file is empty"),
    ("toml", "K = [[1]]\nQ = [[1, 2],\n  [3, 1979-05-27]]", (3, 7), "a date is not a number"),
    ("toml", "K = [[1]]\nQ = [[1, 2],\n  [3, nan]]", (3, 7), "nan is not a finite number"),
    ("toml", "K = [[1]]\nQ = [[1, 2],\n  [3, -inf]]", (3, 7), "-inf is not a finite number"),
    ("toml", "K = [[1]]\nQ = [[1, 2], # [[\n  [3]]", (3, 3), "ragged"),
    ("toml", "K = [[1]]\nQ = [[1, 2]\n", (2, 12), "not TOML"),
    ("toml", "K = [[1]]\nK = [[2]]\n", (2, 10), "not TOML"),
    ("toml", "K = [[1]]\n'WX' = [[2]]\n", (2, 8), "no input of an attention"),
    ("toml", "[Q]\na = 1", (1, 1), '"Q" has no axis'),
    ("csv", "# Q\n1,2\n3,x\n", (3, 3), "'x' is not a number"),
    ("csv", "# Q\n1,2\n3\n", (3, 1), "ragged: row 1"),
    ("csv", "# Q\n1,2\n3, \n", (3, 4), "is not a number"),
    ("csv", "# Q\n1,nan\n", (2, 3), "nan is not a finite number"),
    ("csv", "# Q\n1;2\n", (2, 2), "a semicolon separates no columns here"),
    ("csv", "1,2\n", (1, 1), "before the first heading"),
    ("csv", "# Q\n1\n# Qs\n2\n", (3, 3), "did you mean Q"),
    ("csv", "# Q\n1\n# Q\n2\n", (3, 1), '"Q" is given twice'),
    ("csv", "# Q\n# K\n1\n", (1, 1), '"Q" is empty'),
    ("csv", "# Q\n=1+1\n", (2, 1), "'=1+1' is not a number"),
    ("csv", "", (0, 0), "the file is empty"),
    ("json", '{"Q": [[1' + "0" * 4000 + "]]}", (1, 9), "a number of 4001 digits"),
    ("toml", "Q = [[1,\n 0x" + "f" * 5000 + "]]", (2, 2), "digits are read"),
    ("csv", "# Q\n1," + "9" * 5000, (2, 3), "a number of 5000 digits"),
    ("json", '{"Q": [[1e999999]]}', (1, 9), "the exponent in '1e999999' is too large"),
    ("json", '{"Q": ' + "[" * 10_000 + "]" * 10_000 + "}", (1, 7), "nested too deep"),
    ("toml", "Q = " + "[" * 10_000 + "]" * 10_000, (1, 5), "nested too deep"),
]


@pytest.mark.parametrize(("ending", "text", "place", "said"), BAD, ids=[f"{k}-{b[0]}" for k, b in enumerate(BAD)])
def test_each_complaint_has_its_place(ending: str, text: str, place: tuple[int, int], said: str, tmp_path: Path) -> None:
    error = complaint(tmp_path, f"a.{ending}", text)
    assert said in str(error)
    assert where(error) == place
    assert error.place is not None
    assert error.place.path.endswith(f"a.{ending}")
    assert error.next_move


def test_latin_1_has_the_place_of_its_first_byte(tmp_path: Path) -> None:
    error = complaint(tmp_path, "a.toml", "# ok\n# atención\n".encode("latin-1"))
    assert where(error) == (2, 9)
    assert "not UTF-8 (byte 0xf3)" in error.message


@pytest.mark.parametrize("name", ["no.json", "no.csv", "no.npz", "no.toml"])
def test_a_file_that_is_not_there(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"No such file|does not exist"):
        read_file(tmp_path / name)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        read_file(tmp_path / "a.json")


def test_a_file_that_never_ends_is_read_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symattn.inputs.text.MAX_BYTES", 1000)
    (tmp_path / "a.json").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="more than 1000 bytes"):
        read_file(tmp_path / "a.json")


@pytest.mark.parametrize("name", ["a.txt", "a", "a.npy"])
def test_an_ending_that_says_nothing(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.json, \.toml, \.csv, \.npz|without a name"):
        read_file(put(tmp_path, name, "1"))


# -- one matrix at the prompt -----------------------------------------------------------------------------------------
def one(text: str, name: str = "Q") -> Given:
    return read_matrix(name, text, "--q")


def test_a_matrix_as_text() -> None:
    found = one("[[1/3, 0.50], [-2, 2**-3 + 1]]")
    assert list(found.tensor.entries) == [Fraction(1, 3), Fraction(1, 2), -2, Fraction(9, 8)]
    assert found.texts == {(0, 1): "0.50", (1, 0): "-2"}


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("[[1, 2], [3]]", 10, "1"),
        ("[[1, 2], [3, x]]", 14, "not a plain number"),
        ("[[1, 2], [3, exp(1)]]", 14, "not a plain number"),
        ("[[1, 2]", 1, "never closed"),
        ("[1, 2]", 1, "1 axis (a vector), not 2"),
        ("3", 1, "no axis"),
        ("[" * 10_000, 65, "brackets"),
        ("[[" + "1" * 5000 + "]]", 3, "digits"),
        ("[[9**9**9**9]]", 0, "too large"),
        ("[[nan]]", 3, "not a plain number"),
    ],
    ids=range(10),
)
def test_complaints_about_text_point_into_it(text: str, column: int, said: str) -> None:
    with pytest.raises(SymattnError) as caught:
        one(text)
    assert said in str(caught.value)
    assert caught.value.place is not None
    assert caught.value.place.path == "--q"
    if column:
        assert where(caught.value) == (1, column)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.json", "[[1, 0.50]]"),
        ("m.json", '{"whatever": [[1, 0.50]]}'),
        ("m.toml", "m = [[1, 0.50]]"),
        ("m.csv", "1,0.50\n"),
        ("m.csv", "# any name\n1,0.50\n"),
    ],
)
def test_a_file_of_one_matrix(name: str, text: str, tmp_path: Path) -> None:
    found = one(str(put(tmp_path, name, text)))
    assert found.name == "Q"
    assert list(found.tensor.entries) == [1, Fraction(1, 2)]
    assert found.texts[0, 1] == "0.50"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("m.json", '{"a": [[1]], "b": [[2]]}', "2 keys"),
        ("m.toml", "a = [[1]]\nb = [[2]]", "2 keys"),
        ("m.csv", "# a\n1\n# b\n2\n", "a second block"),
        ("m.txt", "1", "does not say how"),
    ],
)
def test_a_file_of_more_than_one(name: str, text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        one(str(put(tmp_path, name, text)))


def test_places_in_a_bare_list(tmp_path: Path) -> None:
    path = put(tmp_path, "m.json", '[[1, 2],\n [3, "x"]]')
    with pytest.raises(InputError) as caught:
        one(str(path))
    assert where(caught.value) == (2, 6)


def test_a_name_that_begins_like_a_number_may_be_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "2024.json", "[[7]]")
    assert list(one("2024.json").tensor.entries) == [7]


def test_vectors_and_truth_values(tmp_path: Path) -> None:
    found = read_file(
        put(tmp_path, "a.json", '{"allowed": [[true, 0], [1, "false"]], "allowed_keys": [1, 0], "sink": [0.5], "bias": [[[1]], [[2]]]}')
    )
    assert list(found["allowed"].tensor.entries) == [True, False, True, False]
    assert found["bias"].tensor.shape == (2, 1, 1)
    tall = read_file(put(tmp_path, "a.csv", "# allowed_keys\n1\n0\n# sink\n1/2,3\n"))
    assert list(tall["allowed_keys"].tensor.entries) == [True, False]
    assert tall["sink"].tensor.shape == (2,)


@pytest.mark.parametrize(
    ("name", "text", "place", "said"),
    [
        ("a.json", '{"allowed": [[true, 2]]}', (1, 21), "2 is no truth value"),
        ("a.csv", "# allowed_keys\n1\nmaybe\n", (3, 1), "maybe is no truth value"),
        ("a.csv", "# allowed_keys\n1,maybe\n", (2, 3), "maybe is no truth value"),
        ("a.csv", "# allowed_keys\n1,0\n1,1\n", (1, 1), "2 axes (a matrix), not 1"),
    ],
)
def test_complaints_about_other_inputs(name: str, text: str, place: tuple[int, int], said: str, tmp_path: Path) -> None:
    error = complaint(tmp_path, name, text)
    assert said in error.message
    assert where(error) == place
