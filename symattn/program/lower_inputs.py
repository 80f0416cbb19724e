"""From what is given to queries, keys and values, and from the mixed values to the output.

Promises: X (and Y) with the weight matrices, or Q, K, V themselves; the columns of W_Q, W_K, W_V and the rows of W_O are grouped by
head, head 0 first, so that what people hold as one matrix stays one matrix.
Does not promise: biases of the projections.
"""

from __future__ import annotations

from symattn.program.lower_draft import Axes, Draft, joined
from symattn.program.ops import Input, Paired, Use
from symattn.program.spaces import Axis


def project(draft: Draft, axes: Axes, *, cross: bool) -> tuple[str, str, str]:
    """Q = X W_Q, K = Y W_K, V = Y W_V (Y is X in self-attention). Names of queries (heads, token, feature), keys (kv_heads, key,
    feature), values (kv_heads, key, channel). Source: Vaswani et al. 2017, section 3.2."""
    draft.add("X", Input((axes.token, axes.model)), "X")
    source = draft.add("Y", Input((axes.key, axes.model)), "Y") if cross else "X"
    at_keys = draft.use(source, {axes.token: axes.key})
    plan = (
        ("W_Q", "queries", "Q", axes.heads, axes.feature, axes.token, draft.use("X")),
        ("W_K", "keys", "K", axes.kv_heads, axes.feature, axes.key, at_keys),
        ("W_V", "values", "V", axes.kv_heads, axes.channel, axes.key, at_keys),
    )
    columns = {}
    for weight, _, _, heads, last, _, _ in plan:
        column, columns[weight] = joined(f"{weight}_column", (*heads, last))
        draft.add(weight, Input((axes.model, column)), weight)
    for weight, name, letter, heads, last, row, rows in plan:
        draft.contract(name, (*heads, row, last), (rows, Use(weight, (axes.model, columns[weight]))), letter=letter)
    return "queries", "keys", "values"


def take(draft: Draft, axes: Axes) -> tuple[str, str, str]:
    """Q (token, feature), K (key, feature), V (key, channel) as they are given. With heads their columns are grouped by head, and
    `queries`, `keys`, `values` are the same numbers with a head axis."""
    plan = (
        ("Q", "queries", axes.heads, axes.feature, axes.token),
        ("K", "keys", axes.kv_heads, axes.feature, axes.key),
        ("V", "values", axes.kv_heads, axes.channel, axes.key),
    )
    views = []
    for given, name, heads, last, row in plan:
        column, index = joined(f"{given}_column", (*heads, last))
        draft.add(given, Input((row, column)), given)
        views.append((given, name, (*heads, row, last), Use(given, (row, index))))
    return tuple(draft.contract(name, out, (use,)) if len(out) > 2 else given for given, name, out, use in views)  # type: ignore[return-value]


def finish(draft: Draft, axes: Axes, mixed: str, *, projected: bool) -> None:
    """The `output`: the heads side by side (token, heads x channel), or their product with W_O (token, model)."""
    if projected:
        column, index = joined("W_O_row", (*axes.heads, axes.channel))
        draft.add("W_O", Input((column, axes.model)), "W_O")
        draft.contract("output", (axes.token, axes.model), (mixed, Use("W_O", (index, axes.model))), letter="O")
    elif axes.heads:
        parts: tuple[Axis, ...] = (*axes.heads, axes.channel)
        column, _ = joined("output_column", parts)
        draft.contract("output", (axes.token, column), (mixed,), (Paired(column, parts),), "O")
