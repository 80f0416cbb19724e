"""Statements as text, and how the signs of a run of steps add up.

Promises: a statement is read in one way only; "a <= b" follows from steps whose signs are <= and ==, never from others.
Does not promise: that the sides compile (setting.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symattn.calculus.reading import parse
from symattn.calculus.scopes import parted, relation_of, words_of
from symattn.errors import DerivationError, LanguageError
from symattn.language.ast import Node
from symattn.language.parser import parse_relation

SIGNS = ("==", "<=", "<", ">=", ">")
FORMS = ("gradient",)  # closing.py has a check for each


@dataclass(frozen=True)
class Clause:
    """One relation of a statement."""

    left: Node
    sign: str
    right: Node


@dataclass(frozen=True)
class Statement:
    """`form` is "" or the words that join the clauses: "gradient of O by Q, K" (see closing.py)."""

    form: str
    clauses: tuple[Clause, ...]


def read_statement(text: str) -> Statement:
    """The relations of a statement. Raises DerivationError, LanguageError."""
    form, colon, rest = text.partition(":")
    if not colon or form.split(" ", 1)[0] not in FORMS:
        form, rest = "", text
    clauses = [read_clause(part) for part in rest.split(";") if part.strip()]
    if not clauses:
        raise DerivationError("the statement says nothing", next_move='write a relation: "sum(P) == 1"')
    return Statement(form.strip(), tuple(clauses))


def read_clause(text: str) -> Clause:
    """One relation, with the words behind it. Raises DerivationError, LanguageError."""
    body, scope = parted(text.strip())
    try:
        if " -> " in body:
            if not scope.endswith("-> oo"):
                raise DerivationError("a limit says what grows", next_move='write "A -> B as t -> oo"')
            left, _, right = body.partition(" -> ")
            return Clause(parse(left), f"-> {scope}", parse(right))
        relation = parse_relation(body)
    except LanguageError as error:
        error.message = f"statement: {error.message}"
        raise
    if len(relation.signs) != 1 or relation.signs[0] not in SIGNS:
        raise DerivationError(f'"{text.strip()[:60]}" is not one relation', next_move="join two sides with one of " + " ".join(SIGNS))
    return Clause(relation.operands[0], f"{relation.signs[0]} {scope}".strip(), relation.operands[1])


def clause_text(left: str, sign: str, right: str) -> str:
    """A relation as text."""
    scope = words_of(sign)
    return f"{left} {relation_of(sign)} {right}" + (f" {scope}" if scope else "")


def joined(signs: Iterable[str]) -> str:
    """The sign between the ends of a run of steps; equalities keep the words of the one step that has some. Raises DerivationError where
    the steps do not add up to one relation."""
    found = set(signs)
    scoped = {sign for sign in found if words_of(sign)}
    if scoped:
        if len(scoped) > 1 or found - scoped - {"=="}:
            raise DerivationError("the steps of one run do not make one relation", next_move="part them into two runs")
        return scoped.pop()
    down, up = found & {"<=", "<"}, found & {">=", ">"}
    if down and up:
        raise DerivationError("the steps of one run go up and down", next_move="part them into two runs")
    strict = found & {"<", ">"}
    if strict:
        return strict.pop()
    return (down | up).pop() if down or up else "=="


def implies(found: str, wanted: str) -> bool:
    """Does "a found b" say "a wanted b"?"""
    return found == wanted or (found == "==" and wanted in ("<=", ">=")) or (found + "=" == wanted)
