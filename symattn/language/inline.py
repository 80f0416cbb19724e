"""`attention(Q, K, V, …)` inside an expression: the stages of the one description of attention, read from three values.

Promises: the stages are those of `Attention(inputs="qkv", …).program(algorithm)`, named `name.scores`, `name.weights`, …; queries and keys
are one sequence when their rows are known to be one index set, else two (cross-attention).
Does not promise: several heads, rotary positions, ALiBi or blocks of keys; `symattn.Attention` has them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from symattn.errors import LanguageError, Place, ShapeError, SymattnError
from symattn.language.ast import Array, Call, Keyword, Name, Text
from symattn.language.compile import Compiler
from symattn.language.constants import Nested, literal, rational, shape_of
from symattn.language.unparse import substitute, unparse
from symattn.language.values import Value, described, reindexed
from symattn.program.attention import Attention
from symattn.program.ops import Index, Input, Use
from symattn.program.program import Program
from symattn.program.rewrite import Rewriter
from symattn.program.scalar import Num, Scalar, Size
from symattn.program.spaces import Axis

_OPTIONS = ("scale", "softcap", "window", "query_offset", "masked_row")
_ALGORITHMS = ("plain", "shifted", "log-domain", "deferred", "prescaled")


def attention(c: Compiler, node: Call, target: str) -> Value:
    """The output of an attention. Raises ShapeError when the values do not fit, LanguageError for an option that means nothing."""
    values = dict(zip("QKV", (c.as_use(c.value(a), a) for a in node.args), strict=True))
    _fit(c, values, node)
    spaces = c.work.spaces
    token, feature = values["Q"].axes
    key, channel = spaces.axis(values["K"].axes[0].space), values["V"].axes[1]
    cross = not spaces.same(token.space, key.space)
    given = {k.name: k for k in node.keywords}
    own_d_k = Name(spaces.counted(spaces.find(feature.space).name) or "d_k")
    options: dict[str, Any] = {name: _option(given[name], own_d_k) for name in _OPTIONS if name in given}
    if cross and spaces.size(token.space) == spaces.size(key.space):
        # As many keys as queries: position j of one is position j of the other.
        options.setdefault("query_offset", 0)
    axes = {"token": token, "key": key, "feature": spaces.axis(feature.space), "channel": spaces.axis(channel.space)}
    mask = _mask(c, given.get("mask"), values, axes)
    if mask:
        options["mask"] = mask
    for name, own in (("bias", ("token", "key")), ("sink", ())):
        if name in given:
            values[name] = _extra(c, given[name], [axes[a] for a in own])
            options[name] = True
    algorithm = _word(given["algorithm"]) if "algorithm" in given else "plain"
    if algorithm not in _ALGORITHMS:
        raise LanguageError(
            f'the algorithm "{algorithm}" is not one of those a formula may name',
            place=given["algorithm"].place,
            next_move="known: " + ", ".join(_ALGORITHMS),
        )
    try:
        program = Attention(inputs="qkv", cross=cross, **options).program(algorithm)
    except SymattnError as error:
        raise error.at(_blamed(error, node, given)) from None
    return _stages(c, node, target, program, values, axes)


def _stages(c: Compiler, node: Call, target: str, program: Program, values: dict[str, Value], axes: dict[str, Axis]) -> Value:
    inlined = _Inlined(c, values, axes)
    last: Value | None = None
    for stage in program.stages:
        if stage.name in values:
            continue
        name = target if stage.name == program.output and target else c.work.fresh(c.name, stage.name)
        inlined.names[stage.name] = name
        letter = "" if name == target else stage.letter  # a name that people gave is the symbol
        last = c.work.add(name, inlined.op(stage.op), 64, node.place, letter)
    assert last is not None
    return last


class _Inlined(Rewriter):
    """The stages of an attention with the axes, spaces and sizes of three values; `names` are their names here."""

    def __init__(self, c: Compiler, values: dict[str, Value], axes: dict[str, Axis]) -> None:
        self._c = c
        self._values = values
        self._axes = axes
        self.names: dict[str, str] = {}

    def axis(self, axis: Axis) -> Axis:
        return self._axes[axis.name]

    def size(self, name: str) -> Scalar:
        space = {"n": "token", "m": "key", "d_k": "feature", "d_v": "channel"}[name]
        found = self._c.work.spaces.find(self._axes[space].space)
        symbol = self._c.work.spaces.counted(found.name)
        return Num(Fraction(int(found.size)), str(found.size)) if symbol is None else Size(symbol)

    def use(self, use: Use) -> Use:
        indices = tuple(self.index(i) for i in use.indices)
        value = self._values.get(use.stage)
        if value is None:
            return Use(self.names[use.stage], indices)
        moved: dict[Axis, Index] = dict(zip(value.axes, indices, strict=True))
        return reindexed(value, moved).use


def _fit(c: Compiler, values: dict[str, Value], node: Call) -> None:
    spaces = c.work.spaces
    for name, value in values.items():
        if len(value.axes) != 2:
            raise ShapeError(
                f"{name} in attention is a matrix, not {described(spaces, value)}",
                place=node.args["QKV".index(name)].place,
                next_move="write a single query as a matrix of one row: [[1, 2]]",
            )
    q, k, v = (values[name] for name in "QKV")
    if not spaces.join(q.axes[1].space, k.axes[1].space):
        raise ShapeError(
            f"queries and keys need the same columns, but they are {described(spaces, q)} and {described(spaces, k)}",
            place=node.args[1].place,
            next_move="give W_Q and W_K the same second size",
        )
    if not spaces.join(k.axes[0].space, v.axes[0].space):
        raise ShapeError(
            f"keys and values need the same rows, but they are {described(spaces, k)} and {described(spaces, v)}",
            place=node.args[2].place,
            next_move="give every key one value",
        )


# -- options ----------------------------------------------------------------------------------------------------------
def _option(keyword: Keyword, own_d_k: Name) -> object:
    """A word, an exact number (an integer where it is one), or, for the scale, the text of an expression such as 1/sqrt(d_k), in which
    the columns of the queries may go by their own name."""
    if isinstance(keyword.value, Text):
        return keyword.value.text
    number = rational(keyword.value)
    if number is None:
        if keyword.name == "scale":
            return unparse(substitute(keyword.value, {own_d_k: Name("d_k")}))
        raise LanguageError(f"{keyword.name} is not a number here", place=keyword.value.place, next_move="write an exact number")
    return int(number) if number.denominator == 1 else number


def _word(keyword: Keyword) -> str:
    if not isinstance(keyword.value, Text):
        raise LanguageError(f"{keyword.name} is a word in quotes", place=keyword.value.place, next_move=f'write {keyword.name}="…"')
    return keyword.value.text


def _mask(c: Compiler, keyword: Keyword | None, values: dict[str, Value], axes: dict[str, Axis]) -> str:
    """The rules of the mask. A matrix of 0 and 1 (query by key) or a vector (key) becomes a boolean input."""
    if keyword is None:
        return ""
    value = keyword.value
    if isinstance(value, Text):
        if {"padding", "array"} & {rule.strip() for rule in value.text.split("+")}:
            raise LanguageError(
                "a mask of given entries is written as itself", place=value.place, next_move="write mask=M with a matrix of 0 and 1"
            )
        return value.text
    if isinstance(value, Name) and value.id in c.work.drafts:
        draft = c.work.drafts[value.id]
        if isinstance(draft.op, Input) and draft.op.boolean:
            stage, own = value.id, draft.op.out
        else:
            if value.id not in c.work.constants:
                raise _not_a_mask(value.place)
            stage, own = _boolean(c, c.work.constants[value.id], value.place)
    elif isinstance(value, Array):
        stage, own = _boolean(c, literal(value), value.place)
    else:
        raise _not_a_mask(value.place)
    kinds = {1: ("allowed_keys", "padding", [axes["key"]]), 2: ("allowed", "array", [axes["token"], axes["key"]])}
    if len(own) not in kinds:
        raise _not_a_mask(value.place)
    name, rule, wanted = kinds[len(own)]
    values[name] = _joined(c, c.work.read(stage), wanted, "mask", value.place)
    return rule


def _not_a_mask(place: Place) -> LanguageError:
    return LanguageError(
        "this is not a mask",
        place=place,
        next_move='write "causal", "window", or a matrix (query by key) or a vector (key) of 0 and 1 that is written out',
    )


def _boolean(c: Compiler, entries: Nested, place: Place) -> tuple[str, tuple[Axis, ...]]:
    name = c.work.fresh(c.name, "mask")
    axes = tuple(c.work.spaces.axis(c.work.spaces.open(size)) for size in shape_of(entries))
    c.work.add(name, Input(axes, boolean=True), 1, place)
    c.work.constants[name] = _truths(entries, place)
    return name, axes


def _truths(entries: Nested, place: Place) -> Nested:
    if isinstance(entries, tuple):
        return tuple(_truths(e, place) for e in entries)
    if entries not in (0, 1):
        raise LanguageError(f"a mask has the entry {entries}", place=place, next_move="its entries are 1 (look) and 0 (do not look)")
    return entries == 1


def _extra(c: Compiler, keyword: Keyword, wanted: list[Axis]) -> Value:
    if isinstance(keyword.value, Text):
        raise LanguageError(f"{keyword.name} is a value, not a word", place=keyword.value.place, next_move="write it without quotes")
    return _joined(c, c.as_use(c.value(keyword.value), keyword.value), wanted, keyword.name, keyword.value.place)


def _joined(c: Compiler, value: Value, wanted: list[Axis], what: str, place: Place) -> Value:
    spaces = c.work.spaces
    if len(value.axes) == len(wanted) and all(spaces.join(a.space, w.space) for a, w in zip(value.axes, wanted, strict=True)):
        return value
    raise ShapeError(
        f"{what} is {described(spaces, value)} but attention needs {spaces.shape_text(wanted)} here",
        place=place,
        next_move="give it one entry for each query and key" if len(wanted) == 2 else "change its shape",
    )


def _blamed(error: SymattnError, node: Call, given: dict[str, Keyword]) -> Place:
    """The keyword that an error about an option names first, else the call."""
    word = error.message.split(" ", 1)[0].rstrip(":")
    return given[word].place if word in given else node.place
