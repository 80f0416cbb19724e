"""Random expressions: their formula, read back as text in the place where its names were defined, is proved to be the expression.

The matrices of an expression are made from shared ones, so that rows and columns of different names are axes of one origin: where a vector
is laid along a matrix, the text must say which way.
"""

from __future__ import annotations

from random import Random

import pytest

from symattn.calculus.notation import Claim, notation
from symattn.language.builder import AxisDecl, Builder
from symattn.proof.evidence import PROVED_ALL_SIZES

SIZES = ("n", "m", "d")


class Expressions:
    """Text of random shape-correct expressions."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def matrix(self, r: str, c: str, depth: int) -> str:
        inner = self.rng.choice(SIZES)
        forms = [lambda: self.leaf(r, c)]
        if depth:
            a, b = (lambda: self.matrix(r, c, depth - 1)), (lambda: self.matrix(r, c, depth - 1))
            forms += [
                lambda: f"({self.matrix(r, inner, depth - 1)} @ {self.matrix(inner, c, depth - 1)})",
                lambda: f"({a()} * {b()})",
                lambda: f"({a()} {self.rng.choice('+-')} {b()})",
                lambda: f"outer({self.vector(r, depth - 1)}, {self.vector(c, depth - 1)})",
                lambda: f"(diag({self.vector(r, depth - 1)}) @ {a()})",
                lambda: f"({a()} @ diag({self.vector(c, depth - 1)}))",
                lambda: f"outer({self.vector(r, depth - 1)}, ones({c}))",
                lambda: f"outer(ones({r}), {self.vector(c, depth - 1)})",
                lambda: f"({self.number(depth - 1)} * {a()})",
                lambda: f"({a()} / 3)",
                lambda: f"exp({a()})",
            ]
        return self.rng.choice(forms)()

    def vector(self, r: str, depth: int) -> str:
        inner = self.rng.choice(SIZES)
        forms = [lambda: f"{self.rng.choice('vw')}_{r}"]
        if depth > 0:
            forms += [
                lambda: f"sum({self.matrix(r, inner, depth - 1)}, axis=1)",
                lambda: f"sum({self.matrix(inner, r, depth - 1)}, axis=0)",
                lambda: f"({self.matrix(r, inner, depth - 1)} @ {self.vector(inner, depth - 1)})",
                lambda: f"({self.vector(r, depth - 1)} {self.rng.choice('*+-')} {self.vector(r, depth - 1)})",
            ]
        return self.rng.choice(forms)()

    def number(self, depth: int) -> str:
        x = self.rng.choice(SIZES)
        return self.rng.choice(
            [f"dot({self.vector(x, depth - 1)}, {self.vector(x, depth - 1)})", f"sum({self.vector(x, depth - 1)})", "sqrt(d)", "n"]
        )

    def leaf(self, r: str, c: str) -> str:
        return self.rng.choice([f"A_{r}{c}", f"B_{r}{c}", f"A_{c}{r}.T", f"B_{c}{r}.T"])


def place(rng: Random) -> Builder:
    """Matrices A_nm, B_nm, … and vectors v_n, w_n, … made from shared ones."""
    builder = Builder()
    for r in SIZES:
        builder.give(f"U_{r}", [AxisDecl(r, r), AxisDecl("k", "k")])
        builder.give(f"u_{r}", [AxisDecl(r, r)])
    for r in SIZES:
        for c in SIZES:
            made = [f"U_{r} @ U_{c}.T", f"(U_{c} @ U_{r}.T).T", f"outer(u_{r}, u_{c})", f"outer(u_{c}, u_{r}).T"]
            for letter in "AB":
                builder.define(f"{letter}_{r}{c}", rng.choice(made))
        for letter in "vw":
            builder.define(f"{letter}_{r}", rng.choice([f"2 * u_{r}", f"sum(U_{r}, axis=1)"]))
    return builder


@pytest.mark.parametrize("seed", range(80))
def test_read_back_and_proved(seed: int) -> None:
    rng = Random(seed)
    builder = place(rng)
    names = builder.names()
    write = Expressions(rng)
    text = rng.choice([write.matrix(rng.choice(SIZES), rng.choice(SIZES), 3), write.vector(rng.choice(SIZES), 3), write.number(3)])
    builder.define("Y", text)
    found = notation(builder.program(), "Y", named=names)
    assert found.style == "matrix", (text, found.reason)
    assert found.certificate is not None
    builder.define("again", found.text)
    builder.define("by_entries", notation(builder.program(), "Y", named=names, style="index").text)
    for stage in ("again", "by_entries"):
        proof = Claim(builder.program(), "Y", stage, names).prove()
        assert proof.evidence.kind == PROVED_ALL_SIZES, (text, found.text)
