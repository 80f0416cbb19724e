"""Names of the language as symbols of the field: `W_Q` is W with subscript Q, `dP` is d before P, `P_dot` is P with a dot.

Promises: one name, one symbol; what has no convention is an upright word. Does not promise: different symbols for different names.
"""

from __future__ import annotations

from symattn.page import math as m

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "kappa": "κ",
    "lambda_": "λ", "lam": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi_": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ",
    "chi": "χ", "psi": "ψ", "omega": "ω", "Delta": "Δ", "Sigma": "Σ", "Omega": "Ω",
}  # fmt: skip
_ACCENTS = {"dot": "dot", "hat": "hat", "bar": "bar", "tilde": "tilde"}


def symbol(name: str) -> m.Math:
    """The symbol of a name."""
    base, *below = name.split(".")[-1].split("_") if "." not in name else name.replace(".", "_").split("_")
    accent = ""
    if below and below[-1] in _ACCENTS:
        accent = _ACCENTS[below.pop()]
    if len(base) > 1 and base[0] == "d" and base[1].isupper():
        inner = _scripted(base[1:], below, accent)
        return m.Row((m.Name("d"), inner))
    return _scripted(base, below, accent)


def _scripted(base: str, below: list[str], accent: str) -> m.Math:
    stem = base.rstrip("0123456789")
    digits = base[len(stem) :]
    if not stem:
        return m.Number(base)
    parts = [_word(p, "") for p in ([digits] if digits else []) + [b for b in below if b]]
    body = _word(stem, accent)
    if not parts:
        return body
    items: list[m.Math] = []
    for part in parts:
        items += [m.Sign(","), part] if items else [part]
    return m.Script(body, items[0] if len(items) == 1 else m.Row(tuple(items)))


def _word(text: str, accent: str) -> m.Math:
    if text in GREEK:
        return m.Name(GREEK[text], accent=accent)
    if text.isdigit():
        return m.Number(text)
    return m.Name(text, upright=len(text) > 1, accent=accent)


def indexed(body: m.Math, letters: tuple[m.Math, ...]) -> m.Math:
    """A symbol with indices; a symbol that has a subscript keeps it in parentheses, as the field writes (W_Q) with its indices."""
    if not letters:
        return body
    sub: m.Math = letters[0] if len(letters) == 1 else m.Row(letters if all(map(_short, letters)) else _commas(letters))
    match body:
        case m.Script() | m.Row():
            return m.Script(m.Fence(body), sub)
        case _:
            return m.Script(body, sub)


def _short(letter: m.Math) -> bool:
    return isinstance(letter, m.Name | m.Number) and len(letter.text) == 1


def _commas(letters: tuple[m.Math, ...]) -> tuple[m.Math, ...]:
    items: list[m.Math] = []
    for letter in letters:
        items += [m.Sign(","), letter] if items else [letter]
    return tuple(items)
