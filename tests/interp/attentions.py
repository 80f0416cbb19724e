"""Small programs written out in the three operations, for tests of readings: nothing here uses Attention(...)."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

from symattn.interp.tensor import Tensor
from symattn.program.ops import AtMost, Contract, Input, Map, Position, Reduce, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Power, Size, Unary
from symattn.program.spaces import Axis, Space

SEQ, KEYS, FEATURE, CHANNEL = Space("seq", "n"), Space("keys", "m"), Space("feature", "d"), Space("channel", "c")
II, JJ, KK, CC = Axis("query", SEQ), Axis("key", KEYS), Axis("feature", FEATURE), Axis("channel", CHANNEL)
Q, K, V = Stage("Q", Input((II, KK))), Stage("K", Input((JJ, KK))), Stage("V", Input((JJ, CC)))


def use(stage: str, *axes: Axis) -> tuple[str, Use]:
    return stage, Use(stage, axes)


def attention(*, causal: bool = False, shifted: bool = False) -> Program:
    """Attention; `shifted` subtracts the row maximum, `causal` leaves later keys out."""
    where = (AtMost(JJ, II, 0),) if causal else ()
    stages = [
        Q,
        K,
        V,
        Stage("scores", Contract((II, JJ), (Use("Q", (II, KK)), Use("K", (JJ, KK))))),
        Stage("scaled", Map((II, JJ), Binary("div", Arg("scores"), Unary("sqrt", Size("d"))), (use("scores", II, JJ),), where)),
    ]
    exponent = "scaled"
    if shifted:
        stages.append(Stage("row_max", Reduce((II,), Use("scaled", (II, JJ)), where)))
        difference = Binary("sub", Arg("scaled"), Arg("row_max"))
        stages.append(Stage("shifted", Map((II, JJ), difference, (use("scaled", II, JJ), use("row_max", II)), where)))
        exponent = "shifted"
    stages += [
        Stage("exponentials", Map((II, JJ), Unary("exp", Arg(exponent)), (use(exponent, II, JJ),), where)),
        Stage("row_sums", Contract((II,), (Use("exponentials", (II, JJ)),), where, must_visit=True)),
        Stage(
            "weights",
            Map((II, JJ), Binary("div", Arg("exponentials"), Arg("row_sums")), (use("exponentials", II, JJ), use("row_sums", II)), where),
        ),
        Stage("output", Contract((II, CC), (Use("weights", (II, JJ)), Use("V", (JJ, CC))), where)),
    ]
    return Program(tuple(stages))


def functions() -> Program:
    """Every scalar function once, each its own stage, on a vector x of positive numbers, and positions."""
    x = Stage("x", Input((KK,)))
    one = (("x", Use("x", (KK,))),)
    both = (*one, ("p", Use("p", (KK,))))
    trees: dict[str, Any] = {op: Unary(op, Arg("x")) for op in ("neg", "exp", "log", "sqrt", "tanh", "cos", "sin", "erf")}
    trees |= {op: Binary(op, Arg("x"), Num(F(1, 3))) for op in ("add", "sub", "mul", "div", "max2")}
    trees |= {"cube": Power(Arg("x"), F(3)), "root": Power(Arg("x"), F(-2, 3))}
    stages = [Stage(name, Map((KK,), tree, one)) for name, tree in trees.items()]
    angle = Unary("cos", Binary("mul", Arg("p"), Arg("x")))
    return Program((x, Stage("p", Position((KK,))), *stages, Stage("angle", Map((KK,), angle, both))))


def soft_cap() -> Program:
    """5 tanh(x / 5), then its exponential: outside the exact numbers."""
    one = (("x", Use("x", (KK,))),)
    ratio = Binary("div", Arg("x"), Num(F(5)))
    capped = Map((KK,), Binary("mul", Num(F(5)), Arg("t")), (("t", Use("t", (KK,))),))
    grown = Map((KK,), Unary("exp", Arg("capped")), (("capped", Use("capped", (KK,))),))
    return Program(
        (Stage("x", Input((KK,))), Stage("t", Map((KK,), Unary("tanh", ratio), one)), Stage("capped", capped), Stage("grown", grown))
    )


def matrix(rows: list[list[Any]]) -> Tensor[F]:
    """A matrix of exact numbers from integers and strings."""
    return Tensor((len(rows), len(rows[0])), [F(x) for row in rows for x in row])


def vector(entries: list[Any]) -> Tensor[F]:
    """A vector of exact numbers."""
    return Tensor((len(entries),), [F(x) for x in entries])


def small_feeds() -> dict[str, Tensor[F]]:
    """Three tokens, two features, two channels, in decimals."""
    return {
        "Q": matrix([["0.461", "0.779"], ["0.933", "1.276"], ["-0.12", "0.5"]]),
        "K": matrix([["0.677", "0.1"], ["1.223", "-0.4"], ["0.954", "2"]]),
        "V": matrix([["0.3", "-1.5"], ["0.25", "10"], ["1/3", "0"]]),
    }
