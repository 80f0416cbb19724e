"""How stages, labels and indices are written: the field's letters, or the reader's own.

Promises: a gradient stage dX is a d before the symbol of X, so renaming P renames dP; labels are subscripts, never a second superscript.
Does not promise: that two stages have two symbols; a reader who renames P to O gets two O's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from symattn.calculus.notation_index import Ix, Part, Scope
from symattn.calculus.notation_tree import COL, ROW
from symattn.language.names import is_identifier, is_reserved
from symattn.page import math as m
from symattn.program.formulas import LETTERS
from symattn.program.program import Program
from symattn.program.spaces import Space

GREEK = {
    "alpha": "α", "ell": "ℓ", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "omega": "ω",
}  # fmt: skip
# Stages of an attention that carry no letter of their own.
FIELD = {
    "scaled": "S~", "masked": "S-", "shifted": "S^", "biased": "S'", "sloped": "S''", "squashed": "T", "capped": "U", "mixed": "M",
    "bias": "B", "slopes": "lambda", "distances": "D", "sink": "s", "allowed": "A", "allowed_keys": "A", "queries": "Q", "keys": "K",
    "values": "V", "rotated_queries": "Q^", "rotated_keys": "K^", "query_rotation": "R_q", "key_rotation": "R_k", "log_sums": "ell",
    "unnormalized": "U", "scores": "S", "weights": "P", "exponentials": "E", "row_sums": "Z", "row_max": "m", "output": "O",
    "rescale": "alpha", "drop": "delta", "block_max": "m'", "block_sums": "Z'", "block_mix": "U'", "key_max": "m'", "key_sums": "Z'",
}  # fmt: skip
_ACCENTS = {"~": "tilde", "-": "bar", "^": "hat"}
_LABELS = {"layer": "l", "batch": "b", "expert": "e", **LETTERS}
_POOL = ("i", "j", "k", "l", "r", "s", "t", "u", "v", "w", "p", "q", "a", "b", "c", "e", "f", "g")


_PIECES = re.compile(r"[^\W\d_]+|\d+")  # O12 is O and 12


@dataclass(frozen=True)
class Symbol:
    """`ds` times a d, a letter or word with an accent and primes, and its own subscript."""

    ds: int
    base: str
    accent: str = ""
    sub: tuple[str, ...] = ()

    def math(self, labels: Sequence[m.Math] = (), sup: m.Math = m.EMPTY) -> m.Math:
        """The symbol with more subscripts, and a superscript."""
        body: m.Math = m.Name(
            GREEK.get(self.base, self.base), upright=len(self.base.rstrip("'")) > 1 and self.base not in GREEK, accent=self.accent
        )
        below = joined([*(piece(s) for s in self.sub), *((joined(labels),) if labels else ())])
        if below != m.EMPTY or sup != m.EMPTY:
            body = m.Script(body, below, sup)
        return m.Row((*(m.Name("d"),) * self.ds, body)) if self.ds else body

    def text(self) -> str:
        """The symbol as a name of the language, "" when it is none."""
        found = "_".join(("d" * self.ds + self.base, *self.sub))
        return found if not self.accent and found.isascii() and is_identifier(found) and not is_reserved(found) else ""


def piece(text: str) -> m.Math:
    """One piece of a subscript."""
    if text in GREEK:
        return m.Name(GREEK[text])
    return m.Number(text) if text.isdigit() else m.Name(text, upright=len(text) > 1)


def joined(parts: Sequence[m.Math]) -> m.Math:
    """Subscripts side by side, with commas where one of them is more than a letter or where a capital meets a small letter."""
    if len(parts) <= 1:
        return parts[0] if parts else m.EMPTY
    short = len(parts) < 4 and all(isinstance(p, m.Name) and len(p.text) == 1 and p.text.islower() for p in parts)
    items: list[m.Math] = []
    for part in parts:
        items.extend((m.Sign(","), part) if items and not short else (part,))
    return m.Row(tuple(items))


def read_symbol(text: str) -> Symbol:
    """`W_Q`, `S~`, `S'`, `x_hat`: what stands before the first _ is the letter, the rest its subscript; a longer word stays whole."""
    base, _, below = text.partition("_")
    if len(base.rstrip("'0123456789~^-")) > 1 and base not in GREEK:
        return Symbol(0, text.replace("_", " "))
    accent = _ACCENTS.get(base[-1:], "") if len(base) > 1 else ""
    base = base[:-1] if accent else base
    sub = [part for b in below.split("_") for part in _PIECES.findall(b)]
    if sub and sub[0] in ("hat", "tilde", "bar") and not accent:
        accent = sub.pop(0)
    stem = base.rstrip("0123456789")
    if stem and stem != base and len(stem) == 1:
        base, sub = stem, [base[len(stem) :], *sub]
    return Symbol(0, base or text, accent, tuple(sub))


def _field(name: str) -> str:
    """The field's symbol for a stage; stages of a block carry its number (exponentials_2)."""
    base, _, number = name.rpartition("_")
    if number.isdigit() and base in FIELD:
        return f"{FIELD[base]}_{number}"
    return FIELD.get(name, name)


class Symbols:
    """The symbols of one program. `letters` renames: a stage, or the symbol it would have ("P"), or a size ("d_k"). `owners` says
    of which stage a gradient stage is the gradient."""

    def __init__(self, program: Program, letters: Mapping[str, str] | None = None, owners: Mapping[str, str] | None = None) -> None:
        self.program = program
        self.letters = dict(letters or {})
        self.owners = dict(owners or {})
        self._known: dict[str, Symbol] = {}
        self._by_letter = {s.letter: s.name for s in reversed(program.stages) if s.letter}
        self._texts: dict[str, str] = {s.name: s.name for s in program.stages if not s.letter and is_identifier(s.name)}

    def stage(self, name: str) -> Symbol:
        """The symbol of a stage."""
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> Symbol:
        stage = self.program.by_name.get(name)
        own = self.letters.get(name)
        if own is not None:
            return read_symbol(own)
        if name in self.owners:
            inner = self.stage(self.owners[name])
            return Symbol(inner.ds + 1, inner.base, inner.accent, inner.sub)
        for text in dict.fromkeys((stage.letter if stage is not None else "", name)):
            of = text[1:]
            if text[:1] == "d" and of and (of in self.program.by_name or of in self._by_letter):
                inner = self.stage(of if of in self.program.by_name else self._by_letter[of])
                return Symbol(inner.ds + 1, inner.base, inner.accent, inner.sub)
        text = (stage.letter if stage is not None else "") or _field(name.rpartition(".")[2])
        if name == "mixed" and stage is not None and len(stage.out) > 2:
            text = "O"  # one head's output is O with the head below it
        return read_symbol(self.letters.get(text, text))

    def text(self, name: str, *, labelled: bool = False) -> str:
        """The name of a stage in text of the language: its symbol where that is a name and no other stage's, else its own name. A name
        that gets labels behind it (O_h) is another one than that without (O)."""
        found = self._text(name)
        if found and self._texts.setdefault(found + "_" * labelled, name) == name:
            return found
        return name.replace(".", "_")

    def _text(self, name: str) -> str:
        stage = self.program.by_name[name]
        if name in self.owners and name not in self.letters:
            inner = self._text(self.owners[name])
            return f"d{inner}" if inner else ""
        if stage.letter or name in self.letters or _field(name) != name or not is_identifier(name):
            return self.stage(name).text()
        return name

    def letters_taken(self) -> set[str]:
        """The letters of all stages."""
        return {self.stage(s.name).base for s in self.program.stages}

    def size(self, name: str) -> m.Math:
        """A size symbol."""
        return read_symbol(self.letters.get(name, name)).math()


class Letters:
    """Letters for the index variables of one formula, given as they are asked for."""

    def __init__(self, scope: Scope, taken: Iterable[str] = ()) -> None:
        self.scope = scope
        self._taken = set(taken)
        self._known: dict[int, str] = {}

    def var(self, var: int) -> m.Math:
        """The letter of a variable."""
        if var not in self._known:
            axis = self.scope.axis(var)
            wish = _LABELS.get(axis.name) or _LABELS.get(axis.space.name) or (axis.name[0] if self.scope.is_label(var) else _POOL[0])
            self._known[var] = next((x for x in (wish, *_POOL) if x not in self._taken), f"i_{len(self._known)}")
            self._taken.add(self._known[var])
        return read_symbol(self._known[var]).math()

    def release(self, variables: Iterable[int]) -> None:
        """A sum is written: another one beside it may use its letters again."""
        for v in variables:
            self._taken.discard(self._known.get(v, ""))

    def labels(self, at: Sequence[Ix]) -> list[m.Math]:
        """The subscripts of an atom in matrix notation: its labels, blocks and fixed positions."""
        found: list[m.Math] = []
        for ix in at:
            if ix in (ROW, COL) and any(isinstance(other, Part) and other.kind == "at" for other in at):
                found.append(m.Sign(":"))  # a row or a column: X with 0,: or :,1 below it
            elif isinstance(ix, Part):
                if ix.kind != "joint":
                    found.append(self.fixed(ix.space, ix.tag))
                found.extend(self.var(v) for v in ix.vars if v not in (ROW, COL))
            elif ix not in (ROW, COL):
                found.append(self.var(ix))
        return found

    def index(self, ix: Ix) -> list[m.Math]:
        """An index in index notation."""
        if not isinstance(ix, Part):
            return [self.var(ix)]
        if ix.kind == "joint":
            return [self.var(v) for v in ix.vars]
        inner = self.fixed(ix.space, ix.tag)
        return [inner] if ix.kind == "at" else [m.Row((inner, m.Fence(self.var(ix.vars[0]))))]

    @staticmethod
    def fixed(space: Space, tag: str | int) -> m.Math:
        """A block's name, or a position (its name when the entries have names)."""
        if isinstance(tag, str):
            tag = tag.removeprefix("block_")
            return piece(tag)
        return piece(space.labels[tag]) if tag < len(space.labels) else m.Number(str(tag))
