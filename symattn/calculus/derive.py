"""From a topic, an attention or an expression to its derivation.

Promises: every step of what is returned was proved by the kernel; an unknown topic names the nearest. Does not promise: the names of one's
own paper; definitions may come before an expression: "S = Q @ K.T / sqrt(d_k); P = softmax(S); P @ V".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from symattn.calculus.attention_text import Described, attention_definitions
from symattn.calculus.derivation import Both, Definition, Derivation
from symattn.calculus.differential import gradient_derivation
from symattn.calculus.parting import Parting
from symattn.calculus.reading import parse
from symattn.calculus.setting import Setting
from symattn.errors import DerivationError, InputError, LanguageError
from symattn.language.ast import Call, Name, Node, Operation, Text, Transpose, walk
from symattn.language.names import is_identifier, suggestion
from symattn.language.parser import parse_definition, starts_definition
from symattn.language.unparse import substitute, unparse

ATTENTION = "attention"
OPTIONS = tuple(option.name for option in fields(Described))
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
    given = {key: value for key, value in options.items() if value not in (None, "", False)}
    written: dict[str, Any] = {key: value if isinstance(value, bool) else str(value) for key, value in given.items()}
    unknown = [key for key in written if key not in OPTIONS]
    if unknown:
        raise InputError(f'an attention has no option "{unknown[0][:40]}"', next_move=suggestion(unknown[0], OPTIONS, "options"))
    described = Described(**written)
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
    *before, last = [_read(part.strip()) for part in parts]
    unnamed = next((node for name, node in before if not name), None)
    if unnamed is not None:
        raise LanguageError(
            f'"{unparse(unnamed)[:60]}" has no name, and something follows it', next_move=f"write A = {unparse(unnamed)[:40]}"
        )
    parting = Parting({*setting.names(), *(name for name, _ in before)}, setting.sizes())
    for name, node in before:
        _known(setting, node)
        parting.given(name, _written_out(setting, node))
        _add_new(setting, definitions, parting)
    name, node = last
    _known(setting, node)
    node = _written_out(setting, node)
    whole = parting.whole(node, name or ("O" if setting.shape(node) else "L"))
    _add_new(setting, definitions, parting)
    names = ", ".join(f"${_tex(x)}$" for x in wrt)
    title = Both(f"El gradiente respecto de {names}", f"The gradient by {names}")
    return gradient_derivation(definitions, whole, wrt, "expression", title)


def _read(part: str) -> tuple[str, Node]:
    """Name, "" where there is none, and meaning."""
    if not starts_definition(part):
        return "", parse(part)
    found = parse_definition(part)
    if found.declared or found.value is None:
        raise LanguageError(f'"{found.name}" is declared here', place=found.place, next_move="declare inputs with --shape")
    return found.name, found.value


def _add_new(setting: Setting, definitions: list[Definition], parting: Parting) -> None:
    there = set(setting.names())
    for name, meaning in parting.definitions:
        if name not in there:
            definition = Definition(name, unparse(meaning))
            setting.add(definition)
            definitions.append(definition)


def _written_out(setting: Setting, node: Node) -> Node:
    """Attentions as weights times values, so that their weights get a name. One with other options than these stays as it is."""
    there: dict[Node, Node] = {}
    for part in walk(node):
        if isinstance(part, Call) and part.function == "attention":
            weighed = _weighed(setting, part)
            if weighed is not None:
                there[part] = weighed
    return substitute(node, there) if there else node


def _weighed(setting: Setting, attention_call: Call) -> Node | None:
    given = {k.name: k.value for k in attention_call.keywords}
    if not given.keys() <= {"mask", "scale", "softcap"} or ("mask" in given and not isinstance(given["mask"], Text)):
        return None
    q, k, v = attention_call.args
    size = Name(setting.space(setting.shape(k)[-1]).size_text())
    scores: Node = Operation("@", q, Transpose(k))
    scale = given.get("scale")
    if scale is None:
        scores = Operation("/", scores, Call("sqrt", (size,)))
    else:
        written = substitute(parse(scale.text), {Name("d_k"): size}) if isinstance(scale, Text) else scale
        scores = Operation("*", written, scores)
    cap = given.get("softcap")
    if cap is not None:
        if isinstance(cap, Text):
            return None
        scores = Operation("*", cap, Call("tanh", (Operation("/", scores, cap),)))
    return Operation("@", Call("softmax", (scores,), tuple(x for x in attention_call.keywords if x.name == "mask")), v)


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
