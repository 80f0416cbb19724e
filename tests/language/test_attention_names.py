"""The symbols of an attention written in a formula: a name that people gave is the symbol, inner stages keep their letters."""

from __future__ import annotations

from symattn.language.builder import Builder


def letters(definitions: dict[str, str]) -> dict[str, str]:
    builder = Builder()
    builder.give_value("Q", (), "[[1, 2], [3, 1]]")
    for name, text in definitions.items():
        builder.define(name, text)
    return {stage.name: stage.letter for stage in builder.program().stages}


def test_two_named_outputs_do_not_share_a_symbol() -> None:
    found = letters({"O_a": "attention(Q, Q, Q)", "O_b": 'attention(Q, Q, Q, mask="causal")'})
    assert found["O_a"] == found["O_b"] == ""


def test_the_inside_of_an_attention_keeps_its_letters() -> None:
    found = letters({"O_a": "attention(Q, Q, Q)", "D": "attention(Q, Q, Q) - Q"})
    assert found["O_a.weights"] == "P"
    assert "O" in {letter for name, letter in found.items() if name.startswith("D.")}
