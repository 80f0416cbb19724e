"""The rule for names, in one place: what may be called what, and which known name a mistyped one is near.

Promises: a name is a letter or an underscore, then letters, digits and underscores; letters of any script in their composed
form (NFC), digits 0 to 9. `is_identifier` is what guards every string on its way into a SymPy symbol.
Does not promise: that a name is defined.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

MAX_NAME = 60
_ASCII = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
# Modifier letters (superscript T, subscript k) are letters to Unicode, but a reader takes them for notation.
_LETTERS = frozenset({"Lu", "Ll", "Lt", "Lo"})
_MARKS = frozenset({"Mn", "Mc"})


def is_letter(char: str) -> bool:
    """May a name begin with this character?"""
    return char == "_" or ("a" <= char <= "z") or ("A" <= char <= "Z") or (char > "\x7f" and unicodedata.category(char) in _LETTERS)


def is_name_part(char: str) -> bool:
    """May this character stand inside a name as it is typed? Marks may: composing them (NFC) can make a letter."""
    return is_letter(char) or ("0" <= char <= "9") or (char > "\x7f" and unicodedata.category(char) in _MARKS)


def normalized(name: str) -> str:
    """The composed form (NFC), in which names are compared."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def is_identifier(text: object) -> bool:
    """Does `text` follow the rule for names, in composed form? False for anything that is not a str."""
    if not isinstance(text, str) or not text or len(text) > MAX_NAME:
        return False
    if text.isascii():
        return bool(_ASCII.match(text))
    if unicodedata.normalize("NFC", text) != text or not is_letter(text[0]):
        return False
    return all(is_letter(c) or "0" <= c <= "9" for c in text)


def is_ascii_identifier(text: object) -> bool:
    """The same with plain ASCII letters only."""
    return isinstance(text, str) and text.isascii() and is_identifier(text)


def is_reserved(name: str) -> bool:
    """Words of Python that would only ever be typed by mistake here. They stay free as entry labels ("it", "is")."""
    return keyword.iskeyword(name)


def nearest(word: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known names nearest to `word`, best first: the same in another case, then similar ones."""
    names = sorted(dict.fromkeys(known))
    low = word.lower()
    same = [n for n in names if n.lower() == low]
    close = get_close_matches(word[:MAX_NAME], names, n=count, cutoff=0.6)
    lowered = {n.lower(): n for n in reversed(names)}
    close += [lowered[c] for c in get_close_matches(low[:MAX_NAME], list(lowered), n=count, cutoff=0.6)]
    return list(dict.fromkeys([*same, *close]))[:count]


def suggestion(word: str, known: Iterable[str], what: str = "names") -> str:
    """A next move for an unknown name: the nearest known ones, else the first known ones, else ""."""
    names = list(dict.fromkeys(known))
    close = nearest(word, names)
    if close:
        return "did you mean " + " or ".join(close) + "?"
    if not names:
        return f"no {what} are known here"
    return f"known {what}: " + ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
