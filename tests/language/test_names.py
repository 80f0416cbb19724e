"""The rule for names, and the suggestions for mistyped ones."""

from __future__ import annotations

import pytest

from symattn.language.names import is_ascii_identifier, is_identifier, nearest, normalized, suggestion


@pytest.mark.parametrize("name", ["Q", "W_Q", "_", "_x", "x1", "año", "αβ", "Щ", "行", "a" * 60, "e_s"])
def test_names(name: str) -> None:
    assert is_identifier(name)
    assert is_ascii_identifier(name) == name.isascii()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1x",
        "x y",
        "x-y",
        "x.y",
        "x\n",
        "x\x00",
        "Kᵀ",
        "dₖ",
        "x²",
        "٣",
        "x٣",
        "e\u0301",
        "x\u0301",
        "__import__('os')",
        "a" * 61,
        "\u200bx",
        "x\u202e",
        None,
        3,
        b"x",
    ],
)
def test_not_names(text: object) -> None:
    assert not is_identifier(text)


def test_names_are_compared_composed() -> None:
    assert normalized("an\u0303o") == "año"
    assert is_identifier(normalized("an\u0303o"))


def test_the_nearest_names_come_first() -> None:
    assert nearest("q", ["K", "Q", "V"]) == ["Q"]
    assert nearest("Softmax", ["softmax", "sum"])[0] == "softmax"
    assert nearest("W_q", ["W_K", "W_Q", "W_V"])[0] == "W_Q"
    assert nearest("zzz", ["Q"]) == []


def test_suggestions_never_come_up_empty() -> None:
    assert suggestion("Qx", ["Q"]) == "did you mean Q?"
    assert suggestion("zzz", ["Q", "K"]) == "known names: Q, K"
    assert suggestion("zzz", []) == "no names are known here"
