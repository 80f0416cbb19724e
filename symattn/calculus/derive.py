"""From a topic, an attention or an expression to its derivation.

Promises: every step of what is returned was proved by the kernel; an unknown topic names the nearest. Does not promise: the names of one's
own paper; definitions may come before an expression: "S = Q @ K.T / sqrt(d_k); P = softmax(S); P @ V".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symattn.calculus.attention_text import Described, attention_definitions
from symattn.calculus.derivation import Both, Definition, Derivation
from symattn.calculus.differential import gradient_derivation
from symattn.calculus.parting import Parting
from symattn.calculus.setting import Setting
from symattn.errors import DerivationError, InputError, LanguageError
from symattn.language.ast import Name, Node, walk
from symattn.language.names import is_identifier, suggestion
from symattn.language.parser import parse, parse_definition, starts_definition
from symattn.language.unparse import unparse

ATTENTION = "attention"
MAX_STATEMENTS = 400
Shapes = str | Mapping[str, str | Sequence[str | int]]


def derive(what: str, wrt: str | Sequence[str] = (), shape: Shapes = "", **options: Any) -> Derivation:
    """A topic of the catalogue; "attention", with the options of `Described` (heads="h", mask="causal", rope=True, …); or an expression,
    whose gradient by `wrt` is derived. `shape` gives the axes of the expression's inputs: "Q=n,d_k K=m,d_k" or {"Q": "n,d_k"}.

    Raises DerivationError for an unknown topic and for a variable that is not there, LanguageError, ShapeError, UnsupportedError."""
    variables = _listed(wrt)
    if what == ATTENTION:
        return attention(variables or ["W_Q"], **options)
    if options:
        raise InputError(f'"{next(iter(options))}" is an option of an attention', next_move='derive("attention", …)')
    if not variables and not shape:
        from symattn.calculus.catalogue import theorem, topics

        if what in topics():
            return theorem(what).derive()
        looks = suggestion(what, (ATTENTION, *topics()), "topics")
        raise DerivationError(
            f'there is no topic "{what[:60]}"', next_move=f"{looks}; for an expression, say what to differentiate by (wrt)"
        )
    return expression(what, variables, shape)


def _listed(wrt: str | Sequence[str]) -> list[str]:
    names = wrt.split(",") if isinstance(wrt, str) else list(wrt)
    return [name.strip() for name in names if name.strip()]


def attention(wrt: Sequence[str], **options: Any) -> Derivation:
    """The gradient of an attention by each of `wrt`. Raises InputError, DerivationError."""
    described = Described(**{key: value for key, value in options.items() if value not in (None, "", False)})
    names = ", ".join(f"${_tex(name)}$" for name in wrt)
    title = Both(f"El gradiente de la atención respecto de {names}", f"The gradient of attention by {names}")
    return gradient_derivation(attention_definitions(described), "O", wrt, ATTENTION, title)


def expression(text: str, wrt: Sequence[str], shape: Shapes) -> Derivation:
    """The gradient of an expression by each of `wrt`. Raises LanguageError, ShapeError, DerivationError."""
    definitions = list(_givens(shape))
    setting = Setting(definitions)
    parts = [part for part in text.replace("\n", ";").split(";") if part.strip()]
    if not parts or len(parts) > MAX_STATEMENTS:
        raise InputError(
            "there is no expression" if not parts else "the expression has too many parts", next_move='write "softmax(Q @ K.T) @ V"'
        )
    *before, last = parts
    for part in before:
        found = parse_definition(part.strip())
        if found.declared or found.value is None:
            raise LanguageError(f'"{found.name}" is declared here', place=found.place, next_move="declare inputs with --shape")
        _add(setting, definitions, found.name, found.value)
    if starts_definition(last.strip()):
        final = parse_definition(last.strip())
        node, name = final.value, final.name
    else:
        node, name = parse(last.strip()), ""
    assert node is not None
    _known(setting, node)
    parting = Parting({*setting.names(), *setting.sizes()})
    whole = parting.whole(node, name or ("O" if setting.shape(node) else "L"))
    for part_name, meaning in parting.definitions:
        _add(setting, definitions, part_name, meaning)
    names = ", ".join(f"${_tex(x)}$" for x in wrt)
    title = Both(f"El gradiente respecto de {names}", f"The gradient by {names}")
    return gradient_derivation(definitions, whole, wrt, "expression", title)


def _add(setting: Setting, definitions: list[Definition], name: str, meaning: Node) -> None:
    _known(setting, meaning)
    definition = Definition(name, unparse(meaning))
    setting.add(definition)
    definitions.append(definition)


def _known(setting: Setting, node: Node) -> None:
    """Raises LanguageError for the first name that means nothing, with what to do about it."""
    known = {*setting.names(), *setting.sizes()}
    bound = {k.name for part in walk(node) for k in getattr(part, "keywords", ())}
    for part in walk(node):
        if isinstance(part, Name) and part.id not in known | bound:
            raise LanguageError(
                f'there is no value "{part.id}"',
                place=part.place,
                next_move=f'{suggestion(part.id, known, "values")}; give its axes: --shape "{part.id}=n,d"',
            )


def _givens(shape: Shapes) -> list[Definition]:
    pairs: list[tuple[str, str]] = []
    if isinstance(shape, str):
        for item in shape.split():
            name, equals, axes = item.partition("=")
            if not equals:
                raise InputError(f'"{item[:40]}" gives no shape', next_move='write "Q=n,d_k K=m,d_k"; a number is "c="')
            pairs.append((name, axes))
    else:
        pairs = [(name, axes if isinstance(axes, str) else ",".join(map(str, axes))) for name, axes in shape.items()]
    found: list[Definition] = []
    for name, axes in pairs:
        if not is_identifier(name):
            raise InputError(f'"{name[:40]}" is not a name', next_move="names are letters, digits and _")
        found.append(Definition(name, f"{name}({', '.join(a.strip() for a in axes.split(',') if a.strip())})"))
    return found


def _tex(name: str) -> str:
    head, _, below = name.partition("_")
    return head + (rf"_{{{below}}}" if below else "") if len(head) == 1 else rf"\text{{{name}}}".replace("_", " ")
