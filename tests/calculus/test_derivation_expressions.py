"""Gradients of expressions: what the answer is, what must hold for it, and what is refused."""

from __future__ import annotations

import pytest

from symattn.calculus.derivation import Definition
from symattn.calculus.derivation_file import from_json, to_json
from symattn.calculus.derive import derive
from symattn.calculus.recheck import recheck
from symattn.calculus.setting import Setting
from symattn.errors import SymattnError
from symattn.language.parser import parse
from symattn.proof.evidence import PROVED_ALL_SIZES
from symattn.proof.kernel import prove_equal

QKV = "Q=n,d_k K=m,d_k V=m,d_v"
# expression, shapes -> answers, and hypotheses besides sizes
CASES = {
    "attention": ("softmax(Q @ K.T / sqrt(d_k)) @ V", QKV, {
        "Q": "P * (dP - sum(dP * P, axis=1)) @ K / sqrt(d_k)",
        "K": "(P * (dP - sum(dP * P, axis=1))).T @ Q / sqrt(d_k)",
        "V": "P.T @ dO",
    }, ()),
    "RMSNorm": ("r = sqrt(mean(x**2) + eps); y = g * x / r", "x=d g=d eps=", {
        "x": "dy * g / r - dot(dy, y) * x / (r**2 * d)",
        "g": "dy * x / r",
        "eps": "-dot(dy, y) / (2 * r**2)",
    }, ("V >= 0", "r != 0")),
    "LayerNorm": ("mu = mean(x); c = x - mu; v = dot(c, c) / d; r = sqrt(v + eps); y = g * c / r + b", "x=d g=d b=d eps=", {
        "g": "dy * c / r",
        "b": "dy",
    }, ("V >= 0", "r != 0")),
    "SwiGLU": ("Z = x @ W; G = sigmoid(Z); H = Z * G; U = x @ V; y = (H * U) @ D", "x=n,d W=d,f V=d,f D=f,d", {
        "V": "x.T @ (dy @ D.T * H)",
        "D": "(H * U).T @ dy",
    }, ()),
    "LoRA": ("y = x @ (W + A @ B)", "x=n,d W=d,f A=d,r B=r,f", {
        "A": "x.T @ dy @ B.T",
        "B": "A.T @ x.T @ dy",
        "x": "dy @ (W + A @ B).T",
    }, ()),
    "cross-entropy": ("log(sum(exp(z))) - z @ y", "z=n y=n", {"z": "exp(z) / Z - y"}, ()),
    "cross-entropy of softmax": ("-sum(y * log(softmax(z)))", "z=n y=n", {"z": "P * (dP - dot(dP, P))"}, ()),
    "linear attention": ("S = Q @ K.T; O = causal_part(S) @ V", "Q=n,r K=n,r V=n,d", {
        "Q": "causal_part(dO @ V.T) @ K",
        "K": "causal_part(dO @ V.T).T @ Q",
    }, ()),
    "gated attention": ("G = sigmoid(X @ W); O = G * (softmax(Q @ K.T/sqrt(d_k)) @ V)", "X=n,d W=d,d_v " + QKV, {
        "W": "X.T @ (dO * (P @ V) * G * (1 - G))",
        "X": "dO * (P @ V) * G * (1 - G) @ W.T",
    }, ()),
    "two layers": ("y = tanh(x @ W + b) @ U", "x=n,d W=d,f b=f U=f,e", {
        "W": "x.T @ (dy @ U.T * (1 - T**2))",
        "b": "sum(dy @ U.T * (1 - T**2), axis=0)",
    }, ()),
    "quadratic form": ("x @ A @ x", "A=n,n x=n", {"x": "A @ x + x @ A", "A": "outer(x, x)"}, ()),
    "least squares": ("dot(A @ x - b, A @ x - b) / 2", "A=m,n x=n b=m", {"x": "A.T @ (A @ x - b)"}, ()),
    "norm": ("sqrt(x @ x)", "x=n", {"x": "x / L"}, ("L != 0",)),
    "reciprocal": ("1 / x", "x=n", {"x": "-dO * O * O"}, ("x != 0",)),
    "quotient": ("x / (x @ y + 1)", "x=n y=n", {"x": "dO / Z - dot(dO, O) * y / Z"}, ("Z != 0",)),
    "power": ("x**(-2)", "x=n", {"x": "-2 * dO * x**-3"}, ("x != 0",)),
    "one value read twice": ("cos(a * x) + sin(x)", "x=n a=", {"x": "dO * cos(x) - a * dO * sin(A)"}, ()),
    "size in the answer": ("mean(x, axis=0)", "x=n,d", {"x": "outer(ones(n), dO) / n"}, ()),
    "logistic": ("log(1 + exp(-y * z))", "y= z=", {"z": "-E * y / Z"}, ()),
    "relu": ("relu(x @ W)", "x=n,d W=d,f", {"W": "x.T @ (dO * relu(U) / U)"}, ("U != 0",)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_gradient_of_an_expression(case):
    text, shape, answers, conditions = case
    found = derive(text, wrt=list(answers), shape=shape)
    assert dict(found.answers) == answers
    assert tuple(h for h in found.hypotheses if not h.endswith(">= 1")) == conditions
    assert {step.evidence.kind for step in found.steps} == {PROVED_ALL_SIZES}
    assert not recheck(from_json(to_json(found))).findings
    assert all(any(step.after == answer for step in found.steps) or found.meaning(f"d{x}") == answer for x, answer in answers.items())


# options -> variable -> answer
ATTENTIONS = {
    "heads": ({"heads": "h"}, {
        "W_O": "entries(sum_over(M[h,i,e] * dO[i,b], i=n), h=h, e=d_v, b=d)",
        "W_V": "entries(sum_over(X[j,a] * sum_over(P[h,i,j] * sum_over(dO[i,b] * W_O[h,e,b], b=d), i=n), j=n), h=h, a=d, e=d_v)",
    }),
    "groups": ({"heads": 8, "kv_heads": 2, "rope": True}, {
        "W_K": "entries(sum_over(X[j,a] * sum_over(R_K[j,f,s,u] * (sum_over(Q_hat[g,r,i,f,s] * dS[g,r,i,j], r=r, i=n) / sqrt(2 * p)),"
        " s=side), j=n), g=g, a=d, f=p, u=side)",
    }),
    "sink": ({"sink": True}, {"sink": "sum_over(-(sum_over((dO @ V.T)[i,j] * P[i,j], j=n) / Z[i]), i=n) * exp(sink)"}),
    "slope": ({"alibi": True}, {"slope": "sum_over((P * (dP - sum(dP * P, axis=1)))[i,j] * (positions(j) - positions(i)), i=n, j=n)"}),
    "bias, cross": ({"bias": True, "cross": True}, {"B": "P * (dP - sum(dP * P, axis=1))", "Y": (
        "(P * (dP - sum(dP * P, axis=1))).T @ Q @ W_K.T / sqrt(d_k) + P.T @ dO @ W_V.T"
    )}),
    "softcap": ({"softcap": "c"}, {"W_Q": "X.T @ (P * (dP - sum(dP * P, axis=1)) * (1 - T**2)) @ K / sqrt(d_k)"}),
}  # fmt: skip


@pytest.mark.parametrize("case", ATTENTIONS.values(), ids=ATTENTIONS)
def test_the_gradient_of_an_attention(case):
    options, answers = case
    found = derive("attention", list(answers), **options)
    assert dict(found.answers) == answers
    assert {step.evidence.kind for step in found.steps} == {PROVED_ALL_SIZES}
    assert not recheck(from_json(to_json(found))).findings


@pytest.mark.parametrize(
    "options",
    ["", 'mask="causal"', 'scale="1/d_k"', "scale=3", "scale=1/r", 'mask="causal", scale=1/2', "softcap=5"],
)
def test_an_attention_that_is_called_is_what_is_differentiated(options):
    text = f"attention(Q, K, V, {options})" if options else "attention(Q, K, V)"
    found = derive(text, wrt="V", shape="Q=n,r K=n,r V=n,c")
    setting = Setting([*found.definitions, Definition("called", text)])
    sides = setting.sides(parse("O"), parse("called"))
    assert prove_equal(sides.program, sides.left, sides.right).evidence.kind == PROVED_ALL_SIZES


REFUSED = {
    "no rule": ("erf(x)", "x=n", "x", "erf has no derivative rule"),
    "not differentiable everywhere": ("max(x)", "x=n", "x", "the derivative of L = max(x)"),
    "an attention in one piece": (
        'attention(Q, K, V, mask="window", window=2)',
        "Q=n,r K=n,r V=n,c",
        "V",
        "has no formula in the language",
    ),
    "a value that is not there": ("x @ y", "x=n", "x", 'there is no value "y"'),
    "a variable that is not there": ("x @ x", "x=n", "y", 'there is no value "y"'),
    "a variable that is not read": ("x @ x", "x=n y=n", "y", 'does not depend on "y"'),
    "shapes that do not fit": ("x @ y", "x=3 y=4", "x", '"x" (3) and "y" (4)'),
    "too many axes": ("x @ x", "x=n,n,n", "x", '"x" (n, n, n)'),
    "a nameless value before the last": ("x @ x; x + x", "x=n", "x", "has no name"),
    "no expression": ("; ;", "x=n", "x", "there is no expression"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_said(case):
    text, shape, wrt, message = case
    with pytest.raises(SymattnError) as error:
        derive(text, wrt=wrt, shape=shape)
    assert message in str(error.value)
    assert error.value.next_move
