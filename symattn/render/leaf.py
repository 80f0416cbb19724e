"""Text of a document before any renderer of pages escapes it, and how wide text is in a terminal.

Promises: `visible` leaves no control, escape or direction character and no lone surrogate, so nothing a document holds can steer a
terminal, hide text or fail to encode. Does not promise: markup safety; each renderer escapes on top of it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final

_ASCII_LETTERS: Final[Mapping[str, str]] = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "eps", "ζ": "zeta", "η": "eta", "θ": "theta", "κ": "kappa",
    "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "χ": "chi",
    "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi",
    "Ψ": "Psi", "Ω": "Omega", "∂": "d", "ℝ": "R", "√": "sqrt ", "∞": "inf", "⊤": "T", "·": "*", "×": "x", "⊙": ".*", "≈": "~", "∼": "~",
    "≠": "!=", "≤": "<=", "≥": ">=", "→": "->", "←": "<-", "↓": "v", "∈": "in", "±": "+-", "…": "...", "−": "-", "–": "-", "—": "-",
    "“": '"', "”": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "¿": "?", "¡": "!", "ß": "ss", "⌋": "|", "↳": ">", "✓": "ok", "✅": "ok",
    "‖": "||", "⟨": "<", "⟩": ">", "÷": "/", "°": "o", "²": "^2", "³": "^3", "𝟏": "1", "\u00a0": " ",
}  # fmt: skip


def visible(text: str) -> str:
    """`text` in composed form with every control, escape, direction or lone surrogate character shown as a symbol; tabs and
    line ends become spaces. What a renderer prints of a document goes through here first."""
    if text.isascii() and text.isprintable():
        return text
    shown = []
    for char in unicodedata.normalize("NFC", text):
        code = ord(char)
        if char in "\t\n":
            shown.append(" ")
        elif code < 0x20:
            shown.append(chr(0x2400 + code))
        elif code == 0x7F:
            shown.append("\u2421")
        elif char in "\u200c\u200d" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
            shown.append(char)
        else:
            shown.append("\N{REPLACEMENT CHARACTER}")
    return "".join(shown)


def to_ascii(text: str) -> str:
    """`text` in 7-bit characters: accents dropped, signs spelled, control pictures as ^X, anything else "?"."""
    if text.isascii():
        return text
    plain = []
    for char in text:
        code = ord(char)
        if code < 0x80:
            plain.append(char)
        elif char in _ASCII_LETTERS:
            plain.append(_ASCII_LETTERS[char])
        elif 0x2400 <= code <= 0x241F:
            plain.append("^" + chr(code - 0x2400 + 0x40))
        elif code == 0x2421:
            plain.append("^?")
        elif unicodedata.category(char) not in ("Mn", "Cf"):
            base = "".join(part for part in unicodedata.normalize("NFKD", char) if ord(part) < 0x80)
            plain.append(base or "?")
    return "".join(plain)


def cell_width(text: str) -> int:
    """Columns `text` takes in a terminal: 2 for wide characters, 0 for combining and control ones, else 1."""
    if text.isascii() and text.isprintable():
        return len(text)
    width = 0
    for char in text:
        if unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc"):
            continue
        width += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return width
