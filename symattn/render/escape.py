"""The one leaf where text becomes LaTeX: every character of untrusted text is made safe here and nowhere else.

Promises: `escape(text)` is balanced, ASCII plus the Latin letters that the T1 fonts hold at their own code, one line, without a
control sequence that text could choose; it is right in a paragraph and inside `\\text{...}`. What no font of the page can show
becomes a visible `U+XXXX`. KaTeX reads it too, but for rare punctuation (guillemets, low quotes, currency).
Does not promise: that formatting characters which only select a look (soft hyphen, variation selector, joiner) leave a trace;
those that turn the direction of writing are shown.
"""

from __future__ import annotations

import re
import unicodedata

# Letters whose T1 slot is their own code: they may stand in the source as they are, for every engine.
_DIRECT = frozenset("áéíóúýàèìòùâêîôûäëïöüãñõçåæøðþÁÉÍÓÚÝÀÈÌÒÙÂÊÎÔÛÄËÏÖÜÃÑÕÇÅÆØÐÞ")

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"{`}",
    # blank characters: one line, one space
    "\t": " ",
    "\n": " ",
    "\r": " ",
    "\v": " ",
    "\f": " ",
    "\u2028": " ",
    "\u2029": " ",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2009": r"\,",
    "\u200a": r"\,",
    "\u2002": " ",
    "\u2003": " ",
    "\u2007": "~",
    "\u2008": " ",
    "\u3000": " ",
    # formatting characters that only select a look
    "\u00ad": "",
    "\u200c": "",
    "\u200d": "",
    "\u2060": "",
    "\ufe0e": "",
    "\ufe0f": "",
    "\ufeff": "",
    "\u200b": r"\allowbreak{}",
    # punctuation and signs of the text fonts
    "«": r"\guillemotleft{}",
    "»": r"\guillemotright{}",
    "‹": r"\guilsinglleft{}",
    "›": r"\guilsinglright{}",
    "“": "``",
    "”": "{''}",
    "„": r"\quotedblbase{}",
    "‘": "{`}",
    "’": "{'}",
    "‚": r"\quotesinglbase{}",
    "—": "---",
    "―": "---",
    "–": "--",
    "‐": "-",
    "‑": r"\mbox{-}",
    "¿": r"\textquestiondown{}",
    "¡": r"\textexclamdown{}",
    "…": r"\ldots{}",
    "ß": r"\ss{}",
    "ÿ": r"\"y",
    "Œ": r"\OE{}",
    "œ": r"\oe{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "ȷ": r"\j{}",
    "£": r"\pounds{}",
    "€": r"\texteuro{}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "©": r"\textcopyright{}",
    "®": r"\textregistered{}",
    "™": r"\texttrademark{}",
    "ˊ": r"\textasciiacute{}",
    "´": r"\textasciiacute{}",
    "¨": r"\textasciidieresis{}",
    "¯": r"\textasciimacron{}",
    "¢": r"\textcent{}",
    "¥": r"\textyen{}",
    "º": r"$^{\mathrm{o}}$",
    "ª": r"$^{\mathrm{a}}$",
    "⁄": "/",
    "°": r"$^{\circ}$",
    "‰": r"\textperthousand{}",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
}

# Signs that live in the mathematics fonts: code -> command, used in text as $...$ and in formulas as they stand.
MATH_CHARS: dict[str, str] = {
    "−": "-", "±": r"\pm", "∓": r"\mp", "×": r"\times", "÷": r"\div", "·": r"\cdot", "⋅": r"\cdot", "∙": r"\cdot", "•": r"\bullet",
    "∗": r"\ast", "∘": r"\circ", "⊙": r"\odot", "⊗": r"\otimes", "⊕": r"\oplus", "⊤": r"\top", "⊥": r"\perp", "∥": r"\parallel",
    "‖": r"\Vert", "≈": r"\approx", "≠": r"\ne", "≡": r"\equiv", "≤": r"\le", "≥": r"\ge", "≪": r"\ll", "≫": r"\gg", "∼": r"\sim",
    "≃": r"\simeq", "≅": r"\cong", "∝": r"\propto", "∈": r"\in", "∉": r"\notin", "∋": r"\ni", "⊂": r"\subset", "⊆": r"\subseteq",
    "∪": r"\cup", "∩": r"\cap", "∅": r"\emptyset", "∀": r"\forall", "∃": r"\exists", "¬": r"\neg", "∧": r"\wedge", "∨": r"\vee",
    "∞": r"\infty", "∂": r"\partial", "∇": r"\nabla", "√": r"\surd", "∑": r"\textstyle\sum", "∏": r"\textstyle\prod",
    "∫": r"\textstyle\int", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil", "⟨": r"\langle", "⟩": r"\rangle",
    "→": r"\to", "←": r"\leftarrow", "↑": r"\uparrow", "↓": r"\downarrow", "↔": r"\leftrightarrow", "⇒": r"\Rightarrow",
    "⇐": r"\Leftarrow", "⇔": r"\Leftrightarrow", "↦": r"\mapsto", "↳": r"\hookrightarrow", "⟶": r"\longrightarrow", "⟵": r"\longleftarrow",
    "↪": r"\hookrightarrow", "↩": r"\hookleftarrow", "➜": r"\to", "➡": r"\to", "⬅": r"\leftarrow", "⬇": r"\downarrow", "⬆": r"\uparrow",
    "✓": r"\checkmark", "✔": r"\checkmark", "✅": r"\checkmark", "☑": r"\checkmark", "✗": r"\times", "✘": r"\times", "❌": r"\times",
    "✖": r"\times", "★": r"\bigstar", "☆": r"\star", "■": r"\blacksquare", "□": r"\square", "▪": r"\blacksquare", "●": r"\bullet",
    "◦": r"\circ", "○": r"\circ", "▲": r"\blacktriangle", "▼": r"\blacktriangledown", "▶": r"\blacktriangleright",
    "►": r"\blacktriangleright", "◀": r"\blacktriangleleft", "∎": r"\blacksquare", "′": r"{}^{\prime}", "″": r"{}^{\prime\prime}",
    "ℓ": r"\ell", "𝟏": r"\mathbf{1}",
    "ℝ": r"\mathbb{R}", "ℕ": r"\mathbb{N}", "ℤ": r"\mathbb{Z}", "ℚ": r"\mathbb{Q}", "ℂ": r"\mathbb{C}", "⋯": r"\cdots", "⋮": r"\vdots",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ϵ": r"\epsilon", "ζ": r"\zeta", "η": r"\eta",
    "θ": r"\theta", "ϑ": r"\vartheta", "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "µ": r"\mu", "ν": r"\nu", "ξ": r"\xi",
    "ο": "o", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "ς": r"\varsigma", "τ": r"\tau", "υ": r"\upsilon", "φ": r"\varphi", "ϕ": r"\phi",
    "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega", "Α": r"\mathrm{A}", "Β": r"\mathrm{B}", "Γ": r"\Gamma", "Δ": r"\Delta", "Ε": r"\mathrm{E}",
    "Ζ": r"\mathrm{Z}", "Η": r"\mathrm{H}", "Θ": r"\Theta", "Ι": r"\mathrm{I}", "Κ": r"\mathrm{K}", "Λ": r"\Lambda", "Μ": r"\mathrm{M}",
    "Ν": r"\mathrm{N}", "Ξ": r"\Xi", "Ο": r"\mathrm{O}", "Π": r"\Pi", "Ρ": r"\mathrm{P}", "Σ": r"\Sigma", "Τ": r"\mathrm{T}",
    "Υ": r"\Upsilon", "Φ": r"\Phi", "Χ": r"\mathrm{X}", "Ψ": r"\Psi", "Ω": r"\Omega",
}  # fmt: skip

# Frames of tables drawn with characters: the plain signs people type for the same purpose.
_FRAMES = dict.fromkeys("┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╭╮╰╯", "+") | dict.fromkeys("─━═", "{-}") | dict.fromkeys("│┃║", r"\textbar{}")

_ACCENTS = {
    "\u0300": r"\`", "\u0301": r"\'", "\u0302": r"\^", "\u0303": r"\~", "\u0304": r"\=", "\u0306": r"\u", "\u0307": r"\.",
    "\u0308": r"\"", "\u030a": r"\r", "\u030b": r"\H", "\u030c": r"\v", "\u0323": r"\d", "\u0327": r"\c", "\u0328": r"\k", "\u0331": r"\b",
}  # fmt: skip

_LONG_RUN = 25  # a run of characters without a space at least this long may be broken, so that no text can stick out of its column
_BREAK_EVERY = 12


def escape(text: str, *, breaks: bool = True) -> str:
    """`text` as LaTeX for a paragraph or `\\text{...}`. With `breaks`, long runs of characters carry `\\symbreak`, a macro of the page."""
    out: list[str] = []
    for word in re.split(r"(\s+)", unicodedata.normalize("NFC", text)):
        every = _BREAK_EVERY if breaks and len(word) >= _LONG_RUN and not word.isspace() else 0
        _word(word, every, out)
    return "".join(out)


def _word(chars: str, every: int, out: list[str]) -> None:
    at = 0
    while at < len(chars):
        char = chars[at]
        at += 1
        piece = _accented(char, chars[at]) if at < len(chars) and chars[at] in _ACCENTS else ""
        if piece:
            at += 1
        else:
            piece = _one(char)
        if out and piece[:1] == out[-1][-1:] and piece[:1] in tuple("-,'`"):
            piece = "{}" + piece  # no ligature may arise from two characters that were apart
        out.append(piece)
        if every and at % every == 0 and at < len(chars):
            out.append(r"\symbreak{}")


def escape_code(text: str) -> str:
    """The same in the fixed-width font: straight quotes, and leave to break after any punctuation."""
    quotes = {"'": r"\textquotesingle{}", "`": r"\textasciigrave{}", '"': r"\textquotedbl{}"}
    out = []
    for char in text:
        out.append(quotes.get(char) or escape(char, breaks=False))
        if char in "_./,=()[]:-":
            out.append(r"\symbreak{}")
    return "".join(out)


def _accented(base: str, accent: str) -> str:
    """A letter with a combining mark; "" when the base is no plain letter."""
    if not (base.isascii() and base.isalpha()):
        return ""
    command = _ACCENTS[accent]
    dotless = {"i": r"\i ", "j": r"\j "}.get(base, base)
    return f"{command}{{{dotless}}}"


def _one(char: str, depth: int = 0) -> str:
    if " " <= char <= "~":
        return _SPECIAL.get(char, char)
    if char in _DIRECT:
        return char
    for table in (_SPECIAL, _FRAMES):
        if char in table:
            return table[char]
    if char in MATH_CHARS:
        return f"${MATH_CHARS[char]}$"
    if depth < 4:
        resolved = _decomposed(char, depth)
        if resolved:
            return resolved
    return visible(char)


def _decomposed(char: str, depth: int) -> str:
    """What Unicode itself says the character stands for: a letter with an accent, a raised or lowered sign, a font variant."""
    parts = unicodedata.decomposition(char).split()
    if not parts:
        return ""
    tag = parts.pop(0) if parts[0].startswith("<") else ""
    chars = [chr(int(part, 16)) for part in parts]
    if not tag:
        return _accented(chars[0], chars[1]) if len(chars) == 2 and chars[1] in _ACCENTS else ""
    inner = "".join(_one(c, depth + 1) for c in chars)
    if tag in ("<super>", "<sub>"):
        mark = "^" if tag == "<super>" else "_"
        return f"${mark}{{\\text{{{inner}}}}}$"
    if tag in ("<font>", "<compat>", "<wide>", "<narrow>", "<fraction>", "<noBreak>"):
        return inner
    return ""


def visible(char: str) -> str:
    """A character that no font shows, named by its code."""
    return rf"\texttt{{U+{ord(char):04X}}}"
