"""Limits, independence, permutations and any number of blocks as derivations: proved, written, read back, re-checked."""

from __future__ import annotations

import pytest

from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Derivation
from symattn.calculus.derivation_file import from_json, to_json
from symattn.calculus.recheck import recheck
from symattn.calculus.scopes import parted, said
from symattn.calculus.statement import joined, read_clause
from symattn.errors import DerivationError
from symattn.proof.evidence import StepRejected
from symattn.render.terminal import to_text
from symattn.sheets.derivation_page import derivation_page


def limit(difference: str = "exp(-t * g) / (1 + exp(-t * g))") -> Derivation:
    chain = Chain("limit", "Límite", "Limit")
    chain.given("t")
    chain.given("g")
    chain.suppose("g > 0")
    chain.start("1 - exp(-t * g) / (1 + exp(-t * g))")
    chain.step(f"tends: t | -({difference})", "1", "lo que falta se va a 0", "what is missing vanishes")
    return chain.done("1 - exp(-t * g) / (1 + exp(-t * g)) -> 1 as t -> oo")


def blocks(merge: str = "Z_1 + Z_2") -> Derivation:
    chain = Chain("blocks", "Bloques", "Blocks")
    chain.given("S", "n, m")
    chain.define("Z", "sum(exp(S))")
    chain.given("Z_1", "n")
    chain.given("Z_2", "n")
    chain.define("Z_merged", merge)
    chain.start("Z_merged")
    chain.step("induction: m | Z", "Z", "dos bloques son uno", "two blocks are one")
    return chain.done("Z_merged == Z for every number of blocks")


def permuted() -> Derivation:
    chain = Chain("permuted", "Permutar", "Permute")
    chain.given("Q", "n, d_k")
    chain.given("K", "n, d_k")
    chain.define("P", "softmax(Q @ K.T)")
    chain.start("P")
    chain.step("equivariant: n", "P", "nadie mira posiciones", "nobody looks at positions")
    return chain.done("P == P after any permutation of n in the inputs, up to the same permutation")


def independent() -> Derivation:
    chain = Chain("independent", "Independencia", "Independence")
    for name in ("x", "y", "s"):
        chain.given(name, "n")
    chain.define("f", "sum(x - x) + sum(s)")
    chain.define("g", "sum(y - y) + sum(s)")
    chain.start("f")
    chain.step("zero derivative: x, y", "g", "x se cancela", "x cancels")
    return chain.done("f == g")


@pytest.mark.parametrize("make", [limit, blocks, permuted, independent])
def test_they_are_proved_and_recheck(make: object):
    found = make()  # type: ignore[operator]
    again = recheck(from_json(to_json(found)))
    assert again.findings == ()
    assert again.derivation.statement == found.statement
    for lang in ("es", "en"):
        assert to_text(derivation_page(found, lang))


def test_what_they_say_for_people():
    assert "as t → ∞" in to_text(derivation_page(limit(), "en"))
    assert "para todo número de bloques" in to_text(derivation_page(blocks(), "es"))
    assert "after any permutation of n" in to_text(derivation_page(permuted(), "en"))


def test_false_twins():
    with pytest.raises(StepRejected):
        limit("exp(t * g) / (1 + exp(-t * g))")
    with pytest.raises(StepRejected):
        blocks("Z_1 + 2 * Z_2")
    chain = Chain("causal")
    chain.given("S", "n, n")
    chain.define("E", "causal_part(exp(S))")
    chain.start("E")
    with pytest.raises(StepRejected, match="compares positions"):
        chain.step("equivariant: n", "E", "", "")


def test_words_behind_a_relation():
    assert parted("a -> b as t -> oo") == ("a -> b", "as t -> oo")
    assert parted("a == b") == ("a == b", "")
    clause = read_clause("Z_merged == Z for every number of blocks")
    assert clause.sign == "== for every number of blocks"
    assert said("as beta -> oo", "es") == "cuando beta → ∞"
    assert joined(["==", "-> as t -> oo", "=="]) == "-> as t -> oo"
    for signs in (["-> as t -> oo", "<="], ["-> as t -> oo", "-> as s -> oo"], ["<=", ">="]):
        with pytest.raises(DerivationError):
            joined(signs)
    with pytest.raises(DerivationError, match="says what grows"):
        read_clause("a -> b as t")


def test_a_limit_is_not_an_equality():
    data = to_json(limit()).replace(" -> 1 as t -> oo", " == 1")
    assert data != to_json(limit())
    found = recheck(from_json(data))
    assert found.findings
    assert "the statement says ==" in found.findings[0].message
