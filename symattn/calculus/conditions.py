"""The hypotheses that a derivation must print: its sizes, and what its steps need.

Promises: the same derivation gives the same hypotheses, so that one left out of a file is missed; each is about names of the derivation.
Does not promise: the weakest ones.
"""

from __future__ import annotations

from symattn.calculus.setting import Setting
from symattn.errors import DerivationError, LanguageError
from symattn.language.ast import Name, Node, Operation, walk
from symattn.language.constants import rational
from symattn.language.parser import parse_relation
from symattn.language.unparse import unparse
from symattn.proof.certificate import Certificate


def size_conditions(setting: Setting) -> tuple[str, ...]:
    """ "n >= 1" for each size symbol."""
    return tuple(f"{name} >= 1" for name in setting.sizes())


def conditions_of(certificate: Certificate, setting: Setting) -> tuple[str, ...]:
    """What a step needs, as text of the language. Raises DerivationError where it is about a part without a name."""
    return tuple(dict.fromkeys(said for text in certificate.hypotheses for said in _said(text, setting)))


def _said(text: str, setting: Setting) -> list[str]:
    unnamed = DerivationError(
        f'the step needs "{text[:80]}", and that is about a part without a name',
        next_move="define a name for what it divides by, or takes the root or logarithm of",
    )
    try:
        relation = parse_relation(text)
    except LanguageError:
        raise unnamed from None
    known = {*setting.names(), *setting.sizes()}
    if any(isinstance(part, Name) and part.id not in known for side in relation.operands for part in walk(side)):
        raise unnamed
    match relation.operands, relation.signs:
        case (left, right), ("!=",) if rational(right) == 0:
            return [f"{unparse(_named(factor, setting))} != 0" for factor in _factors(left, setting)]
        case (left, right), (sign,) if rational(right) == 0 and len(_factors(left, setting)) == 1:
            return [f"{unparse(_named(_factors(left, setting)[0], setting))} {sign} 0"]
        case _:
            return [text]


def _factors(node: Node, setting: Setting) -> list[Node]:
    """What of a product may be 0, or negative."""
    match node:
        case Operation("*", a, b):
            return [*_factors(a, setting), *_factors(b, setting)]
        case Operation("**", x, e) if (exponent := rational(e)) is not None and exponent.denominator == 1 and exponent > 0:
            return _factors(x, setting)
        case Name(name) if name in setting.sizes():
            return []
        case _:
            number = rational(node)
            return [] if number is not None and number > 0 else [node]


def _named(node: Node, setting: Setting) -> Node:
    """By its name where it has one."""
    return next((Name(name) for name in setting.names() if setting.defined(name) == node), node)
