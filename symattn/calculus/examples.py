"""A relation at given numbers, both sides in exact arithmetic (or enclosed where they leave the exact numbers).

Promises: the relation is decided, never rounded; one that fails raises. Does not promise: short numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

from symattn.calculus.derivation import Derivation
from symattn.calculus.reading import parse
from symattn.calculus.scopes import words_of
from symattn.calculus.setting import Setting
from symattn.calculus.statement import Clause
from symattn.errors import DerivationError, InputError
from symattn.interp.quantities import quantities
from symattn.language.ast import Array
from symattn.language.constants import Nested, literal, rational
from symattn.number.digits import digits_text
from symattn.number.truth import Quantity, compare

PLACES = 12
CAP_BITS = 1024
_WANTED = {"==": (0,), "<=": (-1, 0), "<": (-1,), ">=": (0, 1), ">": (1,)}


def feeds(example: Mapping[str, str]) -> dict[str, Nested]:
    """Exact values of givens from text; matrices with ";" between them are one array of three axes. Raises InputError for text that is
    not numbers, vectors or matrices."""
    found: dict[str, Nested] = {}
    for name, text in example.items():
        parts = tuple(_value(name, part) for part in text.split(";"))
        found[name] = parts[0] if len(parts) == 1 else parts
    return found


def _value(name: str, text: str) -> Nested:
    node = parse(text.strip())
    value = literal(node) if isinstance(node, Array) else rational(node)
    if value is None:
        raise InputError(f'the value of "{name}" is not a number, vector or matrix written out')
    return value


def evaluated(derivation: Derivation, clause: Clause, example: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Both sides of a relation, entry by entry, as text. Raises DerivationError when the relation does not hold there."""
    setting = Setting(derivation.definitions)
    sides = setting.sides(clause.left, clause.right)
    given = feeds(example)
    needed = {s.name: given[s.name] for s in sides.program.inputs if s.name in given}
    values = quantities(sides.program, needed)
    left, right = values.tensor(sides.left), values.tensor(sides.right)
    if words_of(clause.sign):  # a limit, any number of blocks: one point says nothing
        return tuple(map(_text, left.entries)), tuple(map(_text, right.entries))
    for k, (a, b) in enumerate(zip(left.entries, right.entries, strict=True)):
        if not _holds(a, clause.sign, b):
            raise DerivationError(f"at the example, entry {k} has {_text(a)} on the left and {_text(b)} on the right")
    return tuple(map(_text, left.entries)), tuple(map(_text, right.entries))


def _holds(a: Quantity, sign: str, b: Quantity) -> bool:
    """Exact numbers decide. Two enclosed numbers that no amount of bits up to a cap parts count as equal, and only then."""
    order = compare(a, b, cap_bits=CAP_BITS)
    return (0 if order is None else order) in _WANTED[sign]


def _text(value: Quantity) -> str:
    exact = value.rational()
    return str(exact) if exact is not None else digits_text(value, PLACES)
