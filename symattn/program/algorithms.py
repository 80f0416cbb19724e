"""Softmax and the mixing of values, in several algorithms.

Promises: over the real numbers each is the same function of the same scores; one scalar function a stage, so that a reader and a
gradient see every step. Does not promise: equal floats; that difference is what a study of floats measures.

* plain: exp(x) / sum of exp(x).
* shifted: the row maximum is subtracted first; any constant would do over the reals.
* log-domain: exp(x - log-sum-exp), where log-sum-exp = row maximum + log(sum of exp(x - row maximum)).
* deferred: values are mixed by exp(x), one division an output entry at the end; there are no `weights`.
* online: block after block of keys with a running maximum, running sums and running mixes; the stages of block k end in _k.
  Source: Milakov and Gimelshein 2018; Dao et al. 2022, algorithm 1.
* prescaled: plain, with the queries scaled before the product (lower_scores.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symattn.program.lower_draft import Axes, Draft, Mask, add, apply, arg, block_axes, count, div, larger, mul, num, per_head, sub
from symattn.program.ops import Relation, Use
from symattn.program.scalar import Scalar
from symattn.program.spaces import Axis


@dataclass(frozen=True)
class Softmax:
    """What an algorithm starts from: the stage of scores it reads, the stage of values it mixes, which entries it visits.

    `where` is empty when nothing is masked, or when the mask was added to the scores. `masked_row` says what a row in which nothing
    is allowed becomes: "error", "zero", "mean", "nan", or "" when there is no such row. `result` names the mixed values."""

    axes: Axes
    logits: str
    values: str
    where: tuple[Relation, ...]
    mask: Mask
    masked_row: str
    sink: bool
    result: str

    @property
    def mended(self) -> bool:
        """Does an empty row get a value of its own, so that nothing may be divided by its sum?"""
        return self.masked_row in ("zero", "mean", "nan")

    @property
    def letter(self) -> str:
        """The letter of the result."""
        return "O" if self.result == "output" else ""

    @property
    def sink_use(self) -> Use:
        """The sink's logit at its head."""
        return Use("sink", per_head(self.axes)[1])

    @property
    def mixed(self) -> tuple[Axis, ...]:
        """What an entry of the result belongs to: (heads, token, channel)."""
        return (*self.axes.rows, self.axes.channel)


# -- the algorithms -------------------------------------------------------------------------------------------------------------------
def plain(draft: Draft, s: Softmax) -> None:
    """P = exp(x) / Z, O = P V."""
    exponentials = _exponentials(draft, s, s.logits)
    sums = _row_sums(draft, s, exponentials)
    _weights(draft, s, div(arg(exponentials), arg(sums)), [exponentials, sums])
    _mix_by_weights(draft, s)


def shifted(draft: Draft, s: Softmax) -> None:
    """P = exp(x - m) / Z with m the row maximum, O = P V."""
    top = _row_max(draft, s)
    exponentials = _exponentials(draft, s, _shift(draft, s, top))
    sums = _row_sums(draft, s, exponentials, top)
    _weights(draft, s, div(arg(exponentials), arg(sums)), [exponentials, sums])
    _mix_by_weights(draft, s)


def log_domain(draft: Draft, s: Softmax) -> None:
    """P = exp(x - L) with L = m + log Z, O = P V."""
    top = _row_max(draft, s)
    sums = _row_sums(draft, s, _exponentials(draft, s, _shift(draft, s, top)), top)
    sums = _guarded(draft, s, sums)
    draft.map("log_sums", s.axes.rows, apply("log", arg(sums)), [sums])
    draft.map("log_sum_exps", s.axes.rows, add(arg(top), arg("log_sums")), [top, "log_sums"], letter="L")
    draft.map("log_weights", s.axes.entries, sub(arg(s.logits), arg("log_sum_exps")), [s.logits, "log_sum_exps"], s.where)
    _weights(draft, s, apply("exp", arg("log_weights")), ["log_weights"])
    _mix_by_weights(draft, s)


def deferred(draft: Draft, s: Softmax) -> None:
    """O = (exp(x) V) / Z."""
    exponentials = _exponentials(draft, s, s.logits)
    sums = _row_sums(draft, s, exponentials)
    draft.contract("unnormalized", s.mixed, (exponentials, s.values), s.where)
    _divide_at_the_end(draft, s, "unnormalized", sums)


def online(draft: Draft, s: Softmax) -> None:
    """The state (m, Z, U) of the keys so far, merged with each block B of keys: m' = max(m, m_B), r = exp(m - m'),
    Z' = r Z + Z_B, U' = r U + U_B with Z_B, U_B taken at m'; at the end O = U / Z. A sink is one more key, merged last.

    A block in which a row sees nothing leaves its m as it is. Where that can happen to the first block, the row starts from
    `fallback_max`, the maximum of the whole row: any start is right over the reals, and this one overflows nowhere."""
    axes, rows = s.axes, s.axes.rows
    blocks = block_axes(axes.key)
    fallback: Use | None = None
    if s.where and not s.mask.first_key_is_seen:
        draft.reduce("fallback_max", rows, s.logits, s.where, num(0) if s.mended else None)
        fallback = draft.use("fallback_max")
    before: tuple[str, str, str] | None = None
    for k, (key, place, start) in enumerate(blocks, 1):
        where = s.mask.relations(axes.token, key, start=start or 0, seen=place) if s.where else ()
        logits, values = draft.use(s.logits, {axes.key: place}), draft.use(s.values, {axes.key: place})
        names = _state(f"_{k}" if k < len(blocks) or s.sink else "")
        if before is None:
            draft.reduce(names[0], rows, logits, where, fallback, "m" if names[0] == "row_max" else "")
        else:
            draft.reduce(f"block_max_{k}", rows, logits, where, draft.use(before[0]) if s.where else None)
            draft.map(
                names[0],
                rows,
                larger(arg(before[0]), arg(f"block_max_{k}")),
                [before[0], f"block_max_{k}"],
                letter="m" if names[0] == "row_max" else "",
            )
        entries = (*rows, key)
        draft.map(f"shifted_{k}", entries, sub(arg(s.logits), arg(names[0])), [logits, names[0]], where)
        draft.map(f"exponentials_{k}", entries, apply("exp", arg(f"shifted_{k}")), [f"shifted_{k}"], where)
        sums, mix = (f"block_sums_{k}", f"block_mix_{k}") if before else names[1:]
        draft.contract(sums, rows, (f"exponentials_{k}",), where)
        draft.contract(mix, s.mixed, (f"exponentials_{k}", values), where)
        if before is not None:
            _merge(draft, s, before, names, f"_{k}", (sums, mix))
        before = names
    assert before is not None
    if s.sink:
        names = _state("")
        draft.map(names[0], rows, larger(arg(before[0]), arg("sink")), [before[0], s.sink_use], letter="m")
        _merge(draft, s, before, names, "_sink", (_sink_exponentials(draft, s, names[0]), ""))
        before = names
    _divide_at_the_end(draft, s, before[2], before[1])


def _state(suffix: str) -> tuple[str, str, str]:
    return f"row_max{suffix}", f"row_sums{suffix}", f"unnormalized{suffix}"


def _merge(draft: Draft, s: Softmax, before: tuple[str, str, str], after: tuple[str, str, str], suffix: str, new: tuple[str, str]) -> None:
    rows = s.axes.rows
    drop, rescale = f"drop{suffix}", f"rescale{suffix}"
    draft.map(drop, rows, sub(arg(before[0]), arg(after[0])), [before[0], after[0]])
    draft.map(rescale, rows, apply("exp", arg(drop)), [drop])
    for old, now, part, out in zip(before[1:], after[1:], new, (rows, s.mixed), strict=True):
        kept = mul(arg(rescale), arg(old))
        letter = "Z" if now == "row_sums" else ""
        draft.map(now, out, add(kept, arg(part)) if part else kept, [rescale, old, *([part] if part else [])], letter=letter)


# -- their parts ----------------------------------------------------------------------------------------------------------------------
def _row_max(draft: Draft, s: Softmax) -> str:
    rows = s.axes.rows
    if not s.sink:
        return draft.reduce("row_max", rows, s.logits, s.where, num(0) if s.mended else None, "m")
    draft.reduce("key_max", rows, s.logits, s.where, s.sink_use if s.mended else None)
    return draft.map("row_max", rows, larger(arg("key_max"), arg("sink")), ["key_max", s.sink_use], letter="m")


def _shift(draft: Draft, s: Softmax, top: str) -> str:
    return draft.map("shifted", s.axes.entries, sub(arg(s.logits), arg(top)), [s.logits, top], s.where)


def _exponentials(draft: Draft, s: Softmax, logits: str) -> str:
    return draft.map("exponentials", s.axes.entries, apply("exp", arg(logits)), [logits], s.where, "E")


def _sink_exponentials(draft: Draft, s: Softmax, top: str) -> str:
    if not top:
        return draft.map("sink_exponentials", s.axes.heads, apply("exp", arg("sink")), [s.sink_use])
    draft.map("shifted_sink", s.axes.rows, sub(arg("sink"), arg(top)), [s.sink_use, top])
    return draft.map("sink_exponentials", s.axes.rows, apply("exp", arg("shifted_sink")), ["shifted_sink"])


def _row_sums(draft: Draft, s: Softmax, exponentials: str, top: str = "") -> str:
    rows, strict = s.axes.rows, s.masked_row == "error"
    if not s.sink:
        return draft.contract("row_sums", rows, (exponentials,), s.where, "Z", must_visit=strict)
    draft.contract("key_sums", rows, (exponentials,), s.where, must_visit=strict)
    parts = ["key_sums", _sink_exponentials(draft, s, top)]
    return draft.map("row_sums", rows, add(arg(parts[0]), arg(parts[1])), parts, letter="Z")


def _weights(draft: Draft, s: Softmax, tree: Scalar, uses: list[str]) -> None:
    entries = s.axes.entries
    if s.masked_row == "mean":
        draft.map("shares", entries, tree, uses, s.where)
        each = div(arg(_empty_rows(draft, s)), count(s.axes.key.space))
        draft.map("weights", entries, add(arg("shares"), each), ["shares", "empty_rows"], letter="P")
    elif s.masked_row == "nan":
        draft.map("shares", entries, tree, uses, s.where)
        draft.map("weights", entries, mul(arg("shares"), arg(_row_check(draft, s))), ["shares", "row_check"], letter="P")
    else:
        draft.map("weights", entries, tree, uses, s.where, "P")


def _mix_by_weights(draft: Draft, s: Softmax) -> None:
    where = () if s.masked_row in ("mean", "nan") else s.where
    draft.contract(s.result, s.mixed, ("weights", s.values), where, s.letter)


def _divide_at_the_end(draft: Draft, s: Softmax, mix: str, sums: str) -> None:
    sums = _guarded(draft, s, sums)
    uses = [mix, sums]
    tree = div(arg(mix), arg(sums))
    if s.masked_row == "mean":
        values = s.values
        kept = tuple(a for a in draft.axes(values) if a != s.axes.key)
        draft.contract("value_sums", kept, (values,))
        draft.map("value_means", kept, div(arg("value_sums"), count(s.axes.key.space)), ["value_sums"])
        tree, uses = add(tree, mul(arg("empty_rows"), arg("value_means"))), [*uses, "empty_rows", "value_means"]
    elif s.masked_row == "nan":
        tree, uses = mul(tree, arg(_row_check(draft, s))), [*uses, "row_check"]
    draft.map(s.result, s.mixed, tree, uses, letter=s.letter)


# -- rows in which nothing is allowed -------------------------------------------------------------------------------------------------
def _key_counts(draft: Draft, s: Softmax) -> str:
    """How many keys each query may look at."""
    if any(stage.name == "key_counts" for stage in draft.stages):
        return "key_counts"
    return draft.contract("key_counts", (s.axes.token,), (), s.where, over=(s.axes.key,))


def _empty_rows(draft: Draft, s: Softmax) -> str:
    """1 where nothing is allowed, else 0: max(1 - count, 0)."""
    if any(stage.name == "empty_rows" for stage in draft.stages):
        return "empty_rows"
    counts = _key_counts(draft, s)
    return draft.map("empty_rows", (s.axes.token,), larger(sub(num(1), arg(counts)), num(0)), [counts])


def _guarded(draft: Draft, s: Softmax, sums: str) -> str:
    """The row sums with 1 in place of the 0 of an empty row, where such a row has a value of its own."""
    if not s.mended:
        return sums
    empty = _empty_rows(draft, s)
    return draft.map("guarded_sums", s.axes.rows, add(arg(sums), arg(empty)), [sums, empty])


def _row_check(draft: Draft, s: Softmax) -> str:
    """count / count: 1, and 0/0 where nothing is allowed. Not a number in floats; the exact readings say so and stop."""
    counts = _key_counts(draft, s)
    return draft.map("row_check", (s.axes.token,), div(arg(counts), arg(counts)), [counts])


ALGORITHMS: Mapping[str, Callable[[Draft, Softmax], None]] = {
    "plain": plain,
    "shifted": shifted,
    "online": online,
    "log-domain": log_domain,
    "deferred": deferred,
    "prescaled": plain,
}
