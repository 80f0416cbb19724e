"""Index notation put into index notation: `entries(f(i), i=n)[j]` is f(j).

Promises: an index of the surroundings is never captured by a sum inside; what has conditions stays as it is. Does not promise: anything
outside of brackets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symattn.language.ast import (
    Array,
    At,
    Call,
    Every,
    Index,
    IndexItem,
    Keyword,
    Label,
    Name,
    Node,
    Number,
    Operation,
    Sign,
    Text,
    Transpose,
)

_BINDERS = ("sum_over", "max_over")
_SPARE = "ijklrstuabcefhpqwxyz"
Indices = Mapping[str, IndexItem]


def put_in(node: Node) -> Node:
    """The node with every `entries(…)[…]` written out."""
    return _walk(node, {}, frozenset())


def _walk(node: Node, env: Indices, taken: frozenset[str]) -> Node:
    """`env` says what stands for an index; `taken` are the index names in use around it."""
    match node:
        case Number() | Name():
            return node
        case Array(items):
            return replace(node, items=tuple(_walk(i, env, taken) for i in items))
        case Sign(_, x) | Transpose(x):
            return replace(node, x=_walk(x, env, taken))
        case Operation(_, a, b):
            return replace(node, a=_walk(a, env, taken), b=_walk(b, env, taken))
        case Index(x, items):
            return _index(node, _walk(x, {}, frozenset()), tuple(_item(i, env) for i in items), taken)
        case Call():
            return _call(node, env, taken)


def _item(item: IndexItem, env: Indices) -> IndexItem:
    return env.get(item.text, item) if isinstance(item, Label) else item


def _index(node: Index, x: Node, items: tuple[IndexItem, ...], taken: frozenset[str]) -> Node:
    whole = isinstance(x, Call) and x.function == "entries" and len(x.args) == 1 and len(x.keywords) == len(items)
    if not whole or not isinstance(x, Call) or any(isinstance(i, Every) for i in items):
        return replace(node, x=x, items=items)
    env = {k.name: item for k, item in zip(x.keywords, items, strict=True)}
    return _walk(x.args[0], env, taken | {i.text for i in items if isinstance(i, Label)})


def _call(node: Call, env: Indices, taken: frozenset[str]) -> Node:
    if node.function in _BINDERS:
        env, keywords = dict(env), []
        for keyword in node.keywords:
            name = keyword.name
            if name in taken:
                name = next(c for c in _SPARE if c not in taken)
            taken = taken | {name}
            env[keyword.name] = Label(name)
            keywords.append(Keyword(name, keyword.value))
        return Call(node.function, tuple(_argument(a, env, taken) for a in node.args), tuple(keywords))
    if node.function == "entries":
        names = frozenset(k.name for k in node.keywords)
        inner = {k: v for k, v in env.items() if k not in names}
        return replace(node, args=tuple(_argument(a, inner, taken | names) for a in node.args))
    keywords_ = tuple(k if isinstance(k.value, Text) else replace(k, value=_walk(k.value, env, taken)) for k in node.keywords)
    return replace(
        node, args=tuple(_argument(a, env, taken) if _names_indices(node) else _walk(a, env, taken) for a in node.args), keywords=keywords_
    )


def _names_indices(node: Call) -> bool:
    return node.function in ("positions", "if_same", "if_atmost")


def _argument(node: Node, env: Indices, taken: frozenset[str]) -> Node:
    """An argument that may be an index by its bare name."""
    if isinstance(node, Name) and node.id in env:
        item = env[node.id]
        if isinstance(item, Label):
            return Name(item.text)
        assert isinstance(item, At)
    return _walk(node, env, taken)
