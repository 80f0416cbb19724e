"""Solved loops against trying everything."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.interp.relations import Relations
from symattn.interp.tensor import Tensor
from symattn.program.ops import Allowed, AtMost, InBlock, Paired, Relation, Same, Use
from symattn.program.spaces import Axis, Space

PAST, NEW = Space("past", "p"), Space("new", 2)
KEY = Space("key", blocks=(PAST, NEW))
HEAD, VALUE = Space("head", "h"), Space("value", 3)
CHANNEL = Space("channel", factors=(HEAD, VALUE))
SEQ = Space("seq", "n")
AXES = [
    Axis("i", SEQ),
    Axis("j", SEQ),
    Axis("k", KEY),
    Axis("p", PAST),
    Axis("q", NEW),
    Axis("c", CHANNEL),
    Axis("h", HEAD),
    Axis("v", VALUE),
]
BY_NAME = {a.name: a for a in AXES}
I_, J_, K_, P_, Q_, C_, H_, V_ = AXES
FLAGS = [bool((7 * k + k * k // 3) % 3) for k in range(400)]

any_axis = st.sampled_from(AXES)
relation = st.one_of(
    st.builds(Same, any_axis, any_axis),
    st.builds(AtMost, any_axis, any_axis, st.integers(-3, 3)),
    st.just(AtMost(I_, J_, "w")),
    st.just(InBlock(K_, "past", P_)),
    st.just(InBlock(K_, "new", Q_)),
    st.just(Paired(C_, (H_, V_))),
    st.just(Allowed(Use("M", (I_, J_)))),
    st.just(Allowed(Use("M", (J_, J_)))),
)


def holds(r: Relation, at: dict[str, int], sizes: dict[str, int], w: int) -> bool:
    """The relation by its words, not by the code under test."""
    match r:
        case Same(i, j):
            return at[i.name] == at[j.name]
        case AtMost(i, j, c):
            return at[i.name] - at[j.name] <= (w if c == "w" else c)
        case InBlock(j, block, p):
            return at[j.name] == (0 if block == "past" else sizes["p"]) + at[p.name]
        case Paired(c, (h, v)):
            return at[c.name] == 3 * at[h.name] + at[v.name]
        case Allowed(use):
            a, b = (at[x.name] for x in use.indices)
            return FLAGS[a * sizes["n"] + b]
    raise AssertionError(r)


@given(
    st.lists(relation, max_size=4),
    st.permutations(AXES),
    st.integers(0, 5),
    st.integers(0, 3),
    st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 2)),
    st.integers(-1, 2),
)
@settings(max_examples=400, deadline=None)
def test_solving_visits_what_trying_everything_finds_in_the_same_order(relations, order, count, fixed_count, extents, w):
    sizes = dict(zip(("n", "p", "h"), extents, strict=True))
    mentioned = {name for r in relations for name in Relations((r,), sizes, {"w": w}, {"M": mask(sizes)}).axes}
    chosen = [a for a in order if a.name in mentioned] + [a for a in order if a.name not in mentioned][: max(0, count - len(mentioned))]
    fixed_axes, free = chosen[:fixed_count], chosen[fixed_count:]
    size = {a.name: a.space.extent(sizes) for a in AXES}
    fixed = {a.name: (3 * k + 1) % size[a.name] for k, a in enumerate(fixed_axes)}
    bound = Relations(relations, sizes, {"w": w}, {"M": mask(sizes)})
    names = [a.name for a in free]
    found = [tuple(at[n] for n in names) for at in bound.search(names, size, fixed)]
    wanted = [
        values
        for values in product(*(range(size[n]) for n in names))
        if all(holds(r, {**fixed, **dict(zip(names, values, strict=True))}, sizes, w) for r in relations)
    ]
    assert found == wanted


def mask(sizes: dict[str, int]) -> Tensor[bool]:
    n = sizes["n"]
    return Tensor((n, n), FLAGS[: n * n])


def test_equalities_do_not_search():
    tried = []

    class Counting(dict):  # type: ignore[type-arg]
        def __setitem__(self, key, value):
            tried.append(key)
            super().__setitem__(key, value)

    bound = Relations((Paired(C_, (H_, V_)),), {"h": 50}, {}, {})
    from symattn.interp import relations as module

    plan = [(a, n, bound._bound, [bound._bound[0].holds] if a == "v" else []) for a, n in (("c", 150), ("h", 50), ("v", 3))]
    assert sum(1 for _ in module._search(plan, Counting(), 0)) == 150
    assert len(tried) == 3 * 150
