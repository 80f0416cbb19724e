"""Identities of softmax and its neighbours for all sizes, each with a false twin that is refuted by a point."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from helpers import program

from symattn.proof.certificate import genuine
from symattn.proof.evidence import StepRejected
from symattn.proof.kernel import prove_equal


@dataclass(frozen=True)
class Identity:
    name: str
    shapes: dict[str, str]
    left: str
    right: str
    twin: str
    given: dict[str, str] = field(default_factory=dict)
    hypotheses: tuple[str, ...] = ()


X, XV, QKV = {"x": "n"}, {"x": "n", "v": "n"}, {"Q": "n,d", "K": "n,d", "V": "n,e"}
P = {"p": "softmax(x)"}
J = "(diag(p) - outer(p, p))"
TABLE = [
    Identity("rows sum to one", {"S": "n,m"}, "sum(softmax(S))", "0*sum(S) + 1", "0*sum(S) + 2"),
    Identity("shift by a number", {"x": "n", "c": ""}, "softmax(x + c)", "softmax(x)", "softmax(2*x)"),
    Identity("shift of each row", {"S": "n,m", "c": "n"}, "softmax(S - c)", "softmax(S)", "softmax(2*S)"),
    Identity("shift by the maximum", X, "softmax(x - max(x))", "softmax(x)", "softmax(x * max(x))"),
    Identity("J 1 = 0", X, f"sum{J}", "0*x", "0*x + p", P),
    Identity("J v", XV, "p*(v - dot(p, v))", f"{J} @ v", "(diag(p) + outer(p, p)) @ v", P),
    Identity("J is symmetric", X, J, f"{J}.T", f"{J}.T + outer(p, x)", P),
    Identity("v J v is a variance", XV, f"dot(v, {J} @ v)", "sum(p*(v - dot(p, v))**2)", "sum(p * v**2)", P),
    Identity(
        "variance by pairs",
        XV,
        "sum(p * v**2) - dot(p, v)**2",
        "sum(sum(outer(p, p) * (outer(v, o) - outer(o, v))**2)) / 2",
        "sum(sum(outer(p, p) * (outer(v, o) - outer(o, v))**2))",
        P | {"o": "0*x + 1"},
    ),
    Identity("log-sum-exp shift", {"x": "n", "c": ""}, "log(sum(exp(x + c)))", "c + log(sum(exp(x)))", "2*c + log(sum(exp(x)))"),
    Identity("log-domain", X, "exp(x - log(sum(exp(x))))", "softmax(x)", "exp(x - sum(exp(x)))"),
    Identity("entropy", X, "-sum(p * log(p))", "log(sum(exp(x))) - dot(p, x)", "log(sum(exp(x))) + dot(p, x)", P),
    Identity(
        "cross-entropy",
        {"x": "n", "y": "n"},
        "-sum(y * log(softmax(x)))",
        "sum(y)*log(sum(exp(x))) - dot(y, x)",
        "log(sum(exp(x))) - dot(y, x)",
    ),
    Identity("two classes", {"a": "", "b": ""}, "exp(a) / (exp(a) + exp(b))", "sigmoid(a - b)", "sigmoid(b - a)"),
    Identity("ratio of weights", {"x": "n", "c": ""}, "exp(x)/sum(exp(x))*sum(exp(x))", "exp(x)", "exp(2*x)"),
    Identity("sigmoid and tanh", X, "sigmoid(x)", "(1 + tanh(x/2)) / 2", "(1 + tanh(x)) / 2"),
    Identity("slope of sigmoid", X, "s*(1 - s)", "exp(-x)/(1 + exp(-x))**2", "exp(x)/(1 + exp(-x))**2 + x", {"s": "sigmoid(x)"}),
    Identity("slope of tanh", X, "1 - tanh(x)**2", "4/(exp(x) + exp(-x))**2", "2/(exp(x) + exp(-x))**2"),
    Identity("tanh of a double", X, "tanh(2*x)", "2*tanh(x)/(1 + tanh(x)**2)", "2*tanh(x)/(1 - tanh(x)**2)"),
    Identity("cos of a sum", {"a": "", "b": ""}, "cos(a + b)", "cos(a)*cos(b) - sin(a)*sin(b)", "cos(a)*cos(b) + sin(a)*sin(b)"),
    Identity("circle", X, "sin(x)**2 + cos(x)**2", "0*x + 1", "0*x + 2"),
    Identity("odd erf", X, "erf(-x)", "-erf(x)", "erf(x)"),
    Identity("scale one side", {"Q": "n,d", "K": "m,d"}, "(Q/sqrt(d)) @ K.T", "Q @ K.T / sqrt(d)", "Q @ K.T / d"),
    Identity("root of a size squared", {"Q": "n,d"}, "Q / sqrt(d) / sqrt(d)", "Q / d", "Q / d**2"),
    Identity("linear attention reordered", {"A": "n,d", "B": "m,d", "V": "m,e"}, "(A @ B.T) @ V", "A @ (B.T @ V)", "A @ (B.T @ V) * 2"),
    Identity(
        "latent projection absorbed",
        {"X": "n,m", "Wq": "m,d", "Wk": "r,d", "C": "k,r"},
        "(X @ Wq) @ (C @ Wk).T",
        "(X @ (Wq @ Wk.T)) @ C.T",
        "(X @ (Wq @ Wk.T)) @ C.T * 2",
    ),
    Identity("low rank", {"X": "n,m", "W": "m,d", "A": "m,r", "B": "r,d"}, "X @ (W + A@B)", "X@W + (X@A)@B", "X@W + 2*(X@A)@B"),
    Identity("centred", X, "sum(x - mean(x))", "0*sum(x)", "sum(x)"),
    Identity("variance", X, "mean((x - mean(x))**2)", "mean(x**2) - mean(x)**2", "mean(x**2) + mean(x)**2"),
    Identity("RMS norm", X, "sum((x / sqrt(mean(x**2)))**2)", "0*sum(x) + n", "0*sum(x) + n**2", {}, ("left.sqrt != 0",)),
    Identity(
        "layer norm",
        {"x": "n", "c": ""},
        "(x + c - mean(x + c)) / sqrt(mean((x + c - mean(x + c))**2) + 1)",
        "(x - mean(x)) / sqrt(mean((x - mean(x))**2) + 1)",
        "(x + c - mean(x)) / sqrt(mean((x - mean(x))**2) + 1)",
    ),
    Identity("SwiGLU", {"a": "n", "b": "n"}, "a*sigmoid(a)*b", "a*b/(1 + exp(-a))", "a*b/(1 + exp(a))"),
    Identity("maximum and shift", {"S": "n,m", "c": "n"}, "max(S + c)", "max(S) + c", "max(S) - c"),
    Identity("relu", X, "max(x, 0) - max(-x, 0)", "x", "0*x"),
    Identity("absolute value", X, "abs(x)**2", "x*x", "x"),
    Identity("fractions", {"a": "", "b": ""}, "a/(a + b) + b/(a + b)", "0*a + 1", "a", {}, ("a + b != 0",)),
    Identity("product of sums", X, "sum(x)**3", "sum(x)*sum(x)*sum(x)", "sum(x)**2"),
    Identity("nested exponentials", X, "exp(exp(x) + x)", "exp(exp(x))*exp(x)", "exp(exp(x)) + exp(x)"),
    Identity("logarithm of a product", XV, "log(exp(x)*(1 + exp(v)))", "x + log(1 + exp(v))", "x + v"),
    Identity("root of a product", X, "sqrt(exp(x)*(1 + exp(x)))", "exp(x/2)*sqrt(1 + exp(x))", "exp(x)*sqrt(1 + exp(x))"),
    Identity("a sum of shares", {"a": "n", "b": "n"}, "sum(a/(a + b)) + sum(b/(a + b))", "0*sum(a) + n", "sum(a)", {}, ("a + b != 0",)),
    Identity(
        "shifted attention", QKV, 'attention(Q, K, V, algorithm="shifted")', "attention(Q, K, V)", 'attention(Q, K, V, mask="causal")'
    ),
    Identity("log-domain attention", QKV, 'attention(Q, K, V, algorithm="log-domain")', "attention(Q, K, V)", "attention(K, Q, V)"),
    Identity("one division at the end", QKV, 'attention(Q, K, V, algorithm="deferred")', "attention(Q, K, V)", "attention(Q, Q, V)"),
    Identity(
        "causal, shifted",
        QKV,
        'attention(Q, K, V, mask="causal", algorithm="shifted")',
        'attention(Q, K, V, mask="causal")',
        "attention(Q, K, V)",
    ),
    Identity(
        "window",
        QKV,
        'attention(Q, K, V, mask="causal", window=2, algorithm="deferred")',
        'attention(Q, K, V, mask="causal", window=2)',
        'attention(Q, K, V, mask="causal", window=1)',
    ),
    Identity(
        "soft-cap",
        QKV,
        'attention(Q, K, V, softcap=5, algorithm="shifted")',
        "softmax(5*tanh((Q@K.T/sqrt(d))/5)) @ V",
        "softmax(5*tanh((Q@K.T)/5)) @ V",
    ),
]


@pytest.mark.parametrize("identity", TABLE, ids=lambda i: i.name)
def test_identity_and_its_false_twin(identity: Identity) -> None:
    p = program(identity.shapes, **identity.given, left=identity.left, right=identity.right, twin=identity.twin)
    certificate = prove_equal(p, "left", "right")
    assert genuine(certificate)
    assert certificate.evidence.text() == "PROVED all sizes"
    assert certificate.evidence.points == 2
    assert certificate.hypotheses == identity.hypotheses
    with pytest.raises(StepRejected) as rejection:
        prove_equal(p, "left", "twin")
    point = rejection.value.counterexample
    assert point is not None
    assert point.left != point.right
    assert str(rejection.value).startswith('"left == twin" is false: counterexample ')


def test_the_table_is_not_empty_and_names_are_unique() -> None:
    assert len({i.name for i in TABLE}) == len(TABLE) > 40
