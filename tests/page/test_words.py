"""Both languages say everything, and the words carry the placeholders their callers fill."""

from __future__ import annotations

import string

import pytest

from symattn.claims.model import STATUSES, VERDICTS
from symattn.errors import RenderError
from symattn.page.words import GLYPHS, LANGUAGES, count_word, glyph, verdict_word, words


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def _incomplete(tables: dict[str, dict[str, str]]) -> list[str]:
    """Keys missing or empty in one language, or with other placeholders than in the first."""
    first = next(iter(tables.values()))
    every = {key for table in tables.values() for key in table}
    return sorted(
        f"{lang}:{key}"
        for lang, table in tables.items()
        for key in every
        if not table.get(key, "").strip() or _fields(table[key]) != _fields(first.get(key, ""))
    )


def test_both_languages_are_complete():
    assert LANGUAGES == ("es", "en")
    assert _incomplete({lang: dict(words(lang)) for lang in LANGUAGES}) == []


def test_a_missing_word_and_a_lost_placeholder_are_seen():
    lie = {lang: dict(words(lang)) for lang in LANGUAGES}
    del lie["en"]["errata"]
    lie["en"]["correct"] = "correct"
    assert _incomplete(lie) == ["en:correct", "en:errata"]


def test_every_verdict_and_status_has_its_word_and_glyph():
    for lang in LANGUAGES:
        for verdict in VERDICTS:
            assert verdict_word(verdict, lang)
            assert verdict_word(verdict, lang, plural=True)
            assert count_word(verdict, 2, lang)
            assert glyph(verdict)
        for status in STATUSES:
            assert words(lang)[f"status.{status}"]
    assert set(GLYPHS) == set(VERDICTS)


def test_off_by_says_how_far():
    assert verdict_word("off-by", "es", off=1) == "a 1 del último dígito"
    assert verdict_word("off-by", "en", off=-2) == "last digit off by 2"
    assert verdict_word("off-by", "es") == "a k del último dígito"
    assert (glyph("off-by", 1), glyph("off-by", -2)) == ("+1", "−2")


def test_a_wrong_number_that_changes_the_order_says_so():
    assert verdict_word("wrong", "es", changes_order=True) == "cambia el orden"
    assert verdict_word("wrong", "es") == "equivocado"


def test_unknown_language_and_verdict_are_refused():
    with pytest.raises(RenderError, match=r"no page words for the language 'fr'; use one of es, en"):
        words("fr")
    with pytest.raises(RenderError, match="unknown verdict 'perfect'"):
        verdict_word("perfect", "es")


def test_the_words_cannot_be_changed():
    with pytest.raises(TypeError):
        words("es")["errata"] = "x"  # type: ignore[index]
