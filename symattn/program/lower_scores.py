"""From queries and keys to the numbers that softmax sees.

Promises: one named stage for each thing that happens to a score, in this order: scores, scaled, squashed and capped (soft-cap),
biased, sloped (ALiBi), masked; what is not asked for leaves no stage.
Does not promise: that a masked score has a value: with masking "skip" it is absent.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from symattn.program.lower_draft import Axes, Draft, Mask, add, apply, arg, div, larger, mul, num, sub
from symattn.program.lower_draft import per_head as heads_of
from symattn.program.ops import Input, Relation, Use
from symattn.program.scalar import Scalar


@dataclass(frozen=True)
class Scale:
    """What happens to a score: divided by `divisor`, or multiplied by `factor`; neither for no scaling. `given`: multiplied by the input
    "scale", one number."""

    divisor: Scalar | None = None
    factor: Scalar | None = None
    given: bool = False

    def applied(self, x: Scalar) -> Scalar:
        """`x` scaled."""
        if self.divisor is not None:
            return div(x, self.divisor)
        factor = arg("scale") if self.given else self.factor
        return x if factor is None else mul(x, factor)

    @property
    def nothing(self) -> bool:
        """Does it leave scores as they are?"""
        return self.divisor is None and self.factor is None and not self.given


def score(draft: Draft, axes: Axes, queries: str, keys: str, scale: Scale, *, prescaled: bool) -> str:
    """S = Q K^T and its scaling, two stages; `prescaled` scales the queries first instead, so that S is already scaled."""
    extra = [draft.add("scale", Input(()), "c")] if scale.given else []
    if prescaled and not scale.nothing:
        queries = draft.map("scaled_queries", draft.axes(queries), scale.applied(arg(queries)), [queries, *extra])
    draft.contract("scores", axes.entries, (queries, keys), letter="S")
    if prescaled or scale.nothing:
        return "scores"
    return draft.map("scaled", axes.entries, scale.applied(arg("scores")), ["scores", *extra])


def softcap(draft: Draft, axes: Axes, logits: str, cap: Fraction) -> str:
    """c tanh(x / c): every score ends between -c and c. Stages `squashed` = tanh(x / c), `capped`."""
    draft.map("squashed", axes.entries, apply("tanh", div(arg(logits), num(cap))), [logits])
    return draft.map("capped", axes.entries, mul(num(cap), arg("squashed")), ["squashed"])


def bias(draft: Draft, axes: Axes, logits: str, *, per_head: bool) -> str:
    """x + bias: an input over (token, key), or over (heads, token, key)."""
    out, index = heads_of(axes) if per_head else ((), ())
    draft.add("bias", Input((*out, axes.token, axes.key)))
    given = Use("bias", (*index, axes.token, axes.key))
    return draft.map("biased", axes.entries, add(arg(logits), arg("bias")), [logits, given])


def alibi(draft: Draft, axes: Axes, logits: str, mask: Mask) -> str:
    """x - slope |i - j|: an input `slopes` with one number a head, `distances` between positions (token, key).

    With a causal mask the distances of what is seen are not negative and no absolute value is taken.
    Source: Press et al. 2022, "Train Short, Test Long", section 3."""
    out, index = heads_of(axes)
    draft.add("slopes", Input(out))
    places = [draft.positions("query", axes.token, mask.offset), draft.positions("key", axes.key, 0)]
    gap = (axes.token, axes.key)
    if mask.causal:
        draft.map("distances", gap, sub(arg(places[0]), arg(places[1])), places)
    else:
        draft.map("differences", gap, sub(arg(places[0]), arg(places[1])), places)
        difference = arg("differences")
        draft.map("distances", gap, larger(difference, apply("neg", difference)), ["differences"])
    draft.contract("penalties", axes.entries, (Use("slopes", index), "distances"))
    return draft.map("sloped", axes.entries, sub(arg(logits), arg("penalties")), [logits, "penalties"])


def mask_inputs(draft: Draft, axes: Axes, mask: Mask) -> None:
    """The boolean inputs of the mask."""
    if mask.keys:
        draft.add("allowed_keys", Input((axes.key,), boolean=True))
    if mask.array:
        draft.add("allowed", Input((axes.token, axes.key), boolean=True))


def sink_input(draft: Draft, axes: Axes) -> None:
    """`sink`: one logit a head that joins the row sum and has no value. Source: the idea, Xiao et al. 2023; learned, as in gpt-oss."""
    draft.add("sink", Input(heads_of(axes)[0]))


def skip_masked(draft: Draft, axes: Axes, logits: str, where: tuple[Relation, ...]) -> str:
    """`masked`: the scores that may be looked at; the others are absent."""
    return draft.map("masked", axes.entries, arg(logits), [logits], where)


def add_mask(draft: Draft, axes: Axes, logits: str, where: tuple[Relation, ...], value: Fraction | None, *, check: bool) -> str:
    """`masked` = x + penalty, where the penalty is 0 for what may be looked at and `value` for the rest; None is minus
    infinity, the logarithm of 0. `check` adds a stage that refuses a row in which nothing is allowed."""
    gap = (axes.token, axes.key)
    draft.contract("visible", gap, (), where)
    if check:
        draft.contract("key_counts", (axes.token,), (), where, over=(axes.key,), must_visit=True)
    seen = arg("visible")
    draft.map("mask_penalties", gap, apply("log", seen) if value is None else mul(sub(num(1), seen), num(value)), ["visible"])
    return draft.map("masked", axes.entries, add(arg(logits), arg("mask_penalties")), [logits, "mask_penalties"])
