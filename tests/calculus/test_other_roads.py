"""Two roads that share nothing with the backward pass: SymPy's own derivative of entries, and automatic differentiation in float64.

SymPy differentiates the entries of the *forward* program, written out at small sizes; the entries of the gradient program, written out
too, are the same numbers: shown at rational points, where both become exact numbers (rationals, roots, exponentials), or to 40 digits
where they leave those. The tape below knows nothing of programs; it is NumPy and the chain rule.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp
from gradient_cases import CASES, TEXT_SIZES, TEXTS, Case, language, stacked

from symattn.calculus.hessian import hessian
from symattn.calculus.reverse import reverse
from symattn.errors import UndecidedError, UnsupportedError
from symattn.number.exact import Exact
from symattn.program.graph import cut
from symattn.program.program import Program


# -- SymPy -----------------------------------------------------------------------------------------------------------------------------
def exact(x: Any) -> Exact:
    """A SymPy number without variables as an exact number."""
    if x.is_Rational:
        return Exact(F(int(x.p), int(x.q)))
    if x.is_Add:
        return sum((exact(a) for a in x.args[1:]), exact(x.args[0]))
    if x.is_Mul:
        result = exact(x.args[0])
        for a in x.args[1:]:
            result = result * exact(a)
        return result
    if isinstance(x, sp.exp):
        return exact(x.args[0]).exp()
    if isinstance(x, sp.log):
        return exact(x.args[0]).log()
    if x.is_Pow and x.exp.is_Rational:
        return exact(x.base).power(F(int(x.exp.p), int(x.exp.q)))
    raise NotImplementedError(type(x).__name__)


def same_number(a: Any, b: Any) -> None:
    try:
        equal = exact(a) == exact(b)
    except (NotImplementedError, UnsupportedError, UndecidedError):
        equal = abs(sp.N(a - b, 60)) < sp.Rational(1, 10**40)
    assert equal


def sympy_agrees(program: Program, of: str, wrt: list[str], sizes: dict[str, int]) -> int:
    """How many entries of gradients were compared."""
    gradient = reverse(program, of, wrt)
    written = gradient.program.symbolic(sizes)
    rng = random.Random(2)
    symbols = sorted({s for stage in gradient.program.inputs for s in written.array(stage.name).free_symbols}, key=str)
    at = {s: sp.Rational(rng.choice([-3, -2, -1, 1, 2, 3]), rng.choice([1, 2, 3])) for s in symbols}
    outputs = written.tensor(of).entries
    upstream = written.tensor(gradient.upstream).entries if gradient.upstream else [sp.Integer(1)]
    loss = sum(g * o for g, o in zip(upstream, outputs, strict=True))
    compared = 0
    for name in wrt:
        for variable, found in zip(written.tensor(name).entries, written.tensor(gradient.names[name]).entries, strict=True):
            same_number(sp.diff(loss, variable).subs(at), found.subs(at))
            compared += 1
    return compared


SYMPY_CASES = {
    "plain: bare": ["X", "W_Q", "W_K", "W_V"],
    "plain: causal": ["W_Q", "W_V"],
    "plain: heads, W_O": ["W_K", "W_O"],
    "plain: bias": ["bias", "W_Q"],
    "plain: sink": ["sink", "W_Q"],
    "plain: soft-cap": ["W_Q"],
    "plain: alibi": ["slopes"],
    "deferred: causal": ["W_K", "W_V"],
    "log-domain: bare": ["W_Q"],
}


@pytest.mark.parametrize("name", SYMPY_CASES)
def test_sympy_differentiates_the_entries_to_the_same_numbers(name: str) -> None:
    sizes = {"n": 2, "d_model": 2, "d_k": 1, "d_v": 1, "h": 2}
    assert sympy_agrees(CASES[name].program(), "output", SYMPY_CASES[name], sizes) >= 1


@pytest.mark.parametrize(
    "name", ["softmax", "cross-entropy", "attention", "scale", "RMSNorm", "LoRA", "linear attention", "powers", "outer, diagonal"]
)
def test_sympy_differentiates_programs_from_text_to_the_same_numbers(name: str) -> None:
    program, of, wrt = TEXTS[name]
    assert sympy_agrees(program, of, list(wrt), {**TEXT_SIZES, "d_k": 1, "m": 2})


def test_sympy_with_three_tokens_and_with_rotary_positions() -> None:
    sizes = {"n": 3, "d_model": 1, "d_k": 1, "d_v": 1}
    assert sympy_agrees(Case({"mask": "causal"}).program(), "output", ["W_Q"], sizes) == 1
    # The angles do not move: any cosines and sines will do, as symbols.
    angles = dict.fromkeys(("query_cosines", "query_sines", "key_cosines", "key_sines"), ())
    program = cut(Case({"rotary": "interleaved"}).program().by_name, ["output"], angles)
    assert sympy_agrees(program, "output", ["W_Q"], {"n": 2, "d_model": 1, "pairs": 1, "d_v": 1}) == 2


def test_sympy_differentiates_twice_to_the_same_hessian() -> None:
    program = language({"s": ("n",)}, E="exp(s)", Z="sum(E)", L="log(Z)")
    found = hessian(program, "L", "s")
    written = found.program.symbolic({"n": 3})
    s = written.tensor("s").entries
    at = dict(zip(s, (sp.Rational(1, 2), sp.Integer(-1), sp.Rational(2, 3)), strict=True))
    for i, j in product(range(3), repeat=2):
        same_number(sp.diff(written["L"], s[i], s[j]).subs(at), written.tensor(found.name)[i, j].subs(at))


def test_sympy_sees_a_slip() -> None:
    program = language({"x": ("n",)}, y="sum(x * x)")
    written = reverse(program, "y", ["x"]).program.symbolic({"n": 2})
    x = written.tensor("x").entries
    at = {x[0]: sp.Integer(3), x[1]: sp.Integer(5)}
    same_number(sp.diff(written["y"], x[0]).subs(at), written["dx"][0].subs(at))
    with pytest.raises(AssertionError):
        same_number(sp.diff(written["y"], x[0]).subs(at), (written["dx"][0] + sp.Rational(1, 10**30)).subs(at))


# -- float64 ---------------------------------------------------------------------------------------------------------------------------
class Node:
    """A float64 array on a tape: `parents` with the function that takes the gradient back to each."""

    def __init__(self, value: Any, parents: tuple[tuple[Node, Callable[[Any], Any]], ...] = ()) -> None:
        self.value = np.asarray(value, dtype=np.float64)
        self.parents = parents
        self.grad: Any = None

    def __matmul__(self, other: Node) -> Node:
        a, b = self.value, other.value
        return Node(a @ b, ((self, lambda g: g @ b.T), (other, lambda g: a.T @ g)))

    def __add__(self, other: Node) -> Node:
        return Node(self.value + other.value, ((self, lambda g: _shaped(g, self)), (other, lambda g: _shaped(g, other))))

    def __mul__(self, other: Node) -> Node:
        a, b = self.value, other.value
        return Node(a * b, ((self, lambda g: _shaped(g * b, self)), (other, lambda g: _shaped(g * a, other))))

    def __truediv__(self, other: Node) -> Node:
        a, b = self.value, other.value
        return Node(a / b, ((self, lambda g: _shaped(g / b, self)), (other, lambda g: _shaped(-g * a / b**2, other))))

    @property
    def T(self) -> Node:
        return Node(self.value.T, ((self, lambda g: g.T),))

    def exp(self) -> Node:
        y = np.exp(self.value)
        return Node(y, ((self, lambda g: g * y),))

    def tanh(self) -> Node:
        y = np.tanh(self.value)
        return Node(y, ((self, lambda g: g * (1 - y * y)),))

    def sum(self) -> Node:
        return Node(self.value.sum(-1, keepdims=True), ((self, lambda g: np.broadcast_to(g, self.value.shape)),))

    def backward(self, g: Any) -> None:
        order: list[Node] = []
        seen: set[int] = set()

        def visit(node: Node) -> None:
            if id(node) not in seen:
                seen.add(id(node))
                for parent, _ in node.parents:
                    visit(parent)
                order.append(node)

        visit(self)
        for node in order:
            node.grad = np.zeros_like(node.value)
        self.grad = np.asarray(g, dtype=np.float64)
        for node in reversed(order):
            for parent, back in node.parents:
                parent.grad = parent.grad + back(node.grad)


def _shaped(g: Any, node: Node) -> Any:
    """The gradient summed over what was broadcast."""
    while g.ndim > node.value.ndim:
        g = g.sum(0)
    for axis, size in enumerate(node.value.shape):
        if size == 1 and g.shape[axis] != 1:
            g = g.sum(axis, keepdims=True)
    return g


def softmax(x: Node, mask: Any = None) -> Node:
    e = x.exp() if mask is None else x.exp() * Node(mask)
    return e / e.sum()


def tape_attention(nodes: dict[str, Node], *, causal: bool = False, cap: float = 0, bias: bool = False) -> Node:
    q, k, v = (nodes["X"] @ nodes[w] for w in ("W_Q", "W_K", "W_V"))
    s = (q @ k.T) / Node(np.sqrt(q.value.shape[1]))
    if cap:
        s = Node(cap) * (s / Node(cap)).tanh()
    if bias:
        s = s + nodes["bias"]
    n = s.value.shape[0]
    return softmax(s, np.tril(np.ones((n, n))) if causal else None) @ v


def close(found: Any, wanted: Any) -> None:
    """Both are float64 computations of a few hundred operations of numbers of size about one."""
    a, b = np.array(found, dtype=np.float64), np.asarray(wanted)
    assert a.shape == b.shape
    assert np.max(np.abs(a - b)) <= 1e-12 * max(1.0, float(np.max(np.abs(b))))


@pytest.mark.parametrize("algorithm", ["plain", "shifted", "log-domain", "deferred", "online"])
@pytest.mark.parametrize(
    ("options", "tape"), [({}, {}), ({"mask": "causal"}, {"causal": True}), ({"softcap": 5, "bias": True}, {"cap": 5.0, "bias": True})]
)
def test_float64_against_a_tape(algorithm: str, options: dict[str, Any], tape: dict[str, Any]) -> None:
    rng = np.random.default_rng(4)
    lowering = {"blocks": (3, 2)} if algorithm == "online" else {}
    program = Case(options, algorithm=algorithm, lowering=lowering).program()
    shapes = {"X": (5, 4), "W_Q": (4, 3), "W_K": (4, 3), "W_V": (4, 2), "bias": (5, 5)}
    names = [stage.name for stage in program.inputs]
    arrays = {name: rng.standard_normal(shapes[name]) for name in names}
    upstream = rng.standard_normal((5, 2))
    nodes = {name: Node(a) for name, a in arrays.items()}
    tape_attention(nodes, **tape).backward(upstream)
    gradient = reverse(program, "output", names)
    values = gradient.program.evaluate({**arrays, "dO": upstream}, numbers="float64")
    for name in names:
        close(values[gradient.names[name]].nested(), nodes[name].grad)


def test_float64_of_stacked_layers_against_a_tape() -> None:
    layers = 4
    rng = np.random.default_rng(8)
    program = stacked(layers)
    names = [stage.name for stage in program.inputs]
    shapes = {name: (5, 3) if name == "X0" else (3, 2) if name[:3] in ("W_Q", "W_K") else (3, 3) for name in names}
    arrays = {name: 0.5 * rng.standard_normal(shapes[name]) for name in names}
    upstream = rng.standard_normal((5, 3))
    nodes = {name: Node(a) for name, a in arrays.items()}
    x = nodes["X0"]
    for k in range(1, layers + 1):
        x = x + tape_attention({"X": x, **{w: nodes[f"{w}{k}"] for w in ("W_Q", "W_K", "W_V")}})
    x.backward(upstream)
    gradient = reverse(program, f"X{layers}", names)
    values = gradient.program.evaluate({**arrays, gradient.upstream: upstream}, numbers="float64")
    for name in names:
        close(values[gradient.names[name]].nested(), nodes[name].grad)


def test_float64_notices_a_slip() -> None:
    with pytest.raises(AssertionError):
        close([[1.0, 2.0]], np.array([[1.0, 2.0 + 1e-9]]))
