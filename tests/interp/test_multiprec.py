"""The mpmath road: right digits, guard digits, domains, its own context, and nothing of flint."""

from __future__ import annotations

import subprocess
import sys
from decimal import Context, Decimal
from fractions import Fraction as F

import mpmath
import pytest
from attentions import KK, attention, functions, small_feeds, soft_cap, vector

from symattn.errors import DomainError, InputError, UndecidedError
from symattn.interp import multiprec
from symattn.interp.agree import enclosure
from symattn.interp.multiprec import bits_for, decimal_string, multiprec_table, read, tables
from symattn.interp.run import holes
from symattn.interp.systems import Request
from symattn.interp.tensor import Tensor
from symattn.program.ops import Contract, Input, Map, Use
from symattn.program.program import Program, Stage
from symattn.program.scalar import Arg, Binary, Num, Scalar, Unary

# Decimal expansions from tables of constants: e, sqrt 2, ln 2, pi/4 (as the angle), erf(1), tanh(1), cos(1).
CONSTANTS = {
    ("exp", "1"): "2.718281828459045235360287471352662497757247093699959574966967627724",
    ("sqrt", "2"): "1.414213562373095048801688724209698078569671875376948073176679737990",
    ("log", "2"): "0.6931471805599453094172321214581765680755001343602552541206800094933",
    ("erf", "1"): "0.8427007929497148693412206350826092592960669979663029084599378978347",
    ("tanh", "1"): "0.7615941559557648881194582826047935904127685972579365515968105001219",
    ("cos", "1"): "0.5403023058681397174009366074429766037323104206179222276700972553811",
}


def of_x(tree: Scalar) -> Program:
    return Program((Stage("x", Input((KK,))), Stage("y", Map((KK,), tree, (("x", Use("x", (KK,))),)))))


@pytest.mark.parametrize(("op", "x"), list(CONSTANTS))
def test_constants(op: str, x: str) -> None:
    got = read(of_x(Unary(op, Arg("x"))), {"x": vector([x])}, Request("multiprec", digits=60))
    assert decimal_string(got["y"].entries[0], 60) == rounded(CONSTANTS[op, x], 60)
    assert decimal_string(got["y"].entries[0], 60) != rounded(CONSTANTS[op, x][:-9] + "9" * 9, 67)


def rounded(constant: str, digits: int) -> str:
    """The constant to so many significant digits."""
    return str(Context(prec=digits).normalize(Decimal(constant)))


def test_table_is_complete() -> None:
    (table,) = tables()
    assert holes(table) == ()
    assert not table.unsupported


def test_attention_within_its_digits() -> None:
    few = read(attention(), small_feeds(), Request("multiprec", digits=20))
    many = read(attention(), small_feeds(), Request("multiprec", digits=80))
    for name in ("weights", "output"):
        for a, b in zip(few[name].entries, many[name].entries, strict=True):
            x, y = enclosure(a, 64), enclosure(b, 64)
            assert x is not None
            assert y is not None
            assert x.lo != y.lo
            assert abs(x.lo - y.lo) < abs(y.lo) / 10**20
    assert "two runs agree, with 15 and 30 guard digits" in few.notes["multiprec"]
    assert "not proven" in few.notes["multiprec"]
    rows = many["weights"].rows()
    assert abs(sum(rows[0]) - 1) < 1e-80


def test_guard_digits_are_raised_where_digits_cancel() -> None:
    """(x + 10^50) - 10^50 loses 50 digits: 45 working digits would show 0, and the runs do not settle until there are enough."""
    tree = Binary("sub", Binary("add", Unary("exp", Arg("x")), Num(F(10) ** 50)), Num(F(10) ** 50))
    got = read(of_x(tree), {"x": vector([1])}, Request("multiprec", digits=30))
    assert decimal_string(got["y"].entries[0], 30) == rounded(CONSTANTS["exp", "1"], 30)
    assert "guard digits" in got.notes["multiprec"]
    one_run = read(of_x(tree), {"x": vector([1])}, Request("multiprec", bits=bits_for(45)))
    assert decimal_string(one_run["y"].entries[0], 30) != decimal_string(got["y"].entries[0], 30)
    assert one_run.notes["multiprec"].endswith("not checked")


def test_a_true_zero_settles() -> None:
    """1 - sum of weights is 0: each run shows a rest of its own size, which is taken for the 0 it seems to be."""
    tree = Binary("sub", Binary("div", Unary("exp", Arg("x")), Unary("exp", Arg("x"))), Num(F(1)))
    assert read(of_x(tree), {"x": vector(["0.3"])}, Request("multiprec", digits=30))["y"].entries[0] == 0
    log = Binary("sub", Unary("log", Unary("exp", Arg("x"))), Arg("x"))
    value = read(of_x(log), {"x": vector(["0.3"])}, Request("multiprec", digits=30))["y"].entries[0]
    assert abs(value) < 1e-100


def test_a_denominator_that_cancels_is_tried_again() -> None:
    """1 / ((e + 10^60) - 10^60): with few digits the denominator is 0."""
    huge = Num(F(10) ** 60)
    tree = Binary("div", Num(F(1)), Binary("sub", Binary("add", Unary("exp", Arg("x")), huge), huge))
    got = read(of_x(tree), {"x": vector([-1])}, Request("multiprec", digits=30))
    assert decimal_string(got["y"].entries[0], 30) == rounded(CONSTANTS["exp", "1"], 30)


def test_what_does_not_settle_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    huge = Num(F(10) ** 130)
    tree = Binary("sub", Binary("add", Unary("exp", Arg("x")), huge), huge)
    assert decimal_string(read(of_x(tree), {"x": vector([1])}, Request("multiprec", digits=30))["y"].entries[0], 10) == "2.718281828"
    monkeypatch.setattr(multiprec, "CAP_DIGITS", 200)
    with pytest.raises(UndecidedError, match='stage "y": 30 digits do not settle'):
        read(of_x(tree), {"x": vector([1])}, Request("multiprec", digits=30))
    with pytest.raises(InputError, match="at least 1"):
        read(attention(), small_feeds(), Request("multiprec", digits=0))


@pytest.mark.parametrize(
    ("op", "x", "message"),
    [
        (Unary("log", Arg("x")), 0, "log of 0"),
        (Unary("log", Arg("x")), -1, "log of a negative"),
        (Unary("sqrt", Arg("x")), -1, "sqrt of a negative"),
        (Binary("div", Num(F(1)), Arg("x")), 0, "division by zero"),
    ],
)
def test_domains_name_the_stage_and_the_entry(op: Scalar, x: int, message: str) -> None:
    with pytest.raises(DomainError, match=f'stage "y" at feature=1: {message}'):
        read(of_x(op), {"x": vector([1, x])}, Request("multiprec"))


def test_powers() -> None:
    power = multiprec_table(200).row("pow")
    number = multiprec_table(200).number
    assert power(number(F(-2)), F(3)) == -8
    assert power(number(F(2)), F(-2)) == 0.25
    with pytest.raises(DomainError, match="zero to a negative power"):
        power(number(F(0)), F(-1))
    assert abs(power(number(F(-8)), F(1, 3)) + 2) < 1e-50
    assert abs(power(number(F(-8)), F(2, 3)) - 4) < 1e-50
    with pytest.raises(DomainError, match="even root of a negative"):
        power(number(F(-2)), F(1, 2))


def test_the_context_is_its_own() -> None:
    before = (mpmath.mp.prec, mpmath.mp.dps)
    got = read(functions(), {"x": vector(["0.3", "2"])}, Request("multiprec", digits=100))
    assert (mpmath.mp.prec, mpmath.mp.dps) == before
    value = got["exp"].entries[0]
    assert value.context is not mpmath.mp
    assert value.context.prec > 330


def test_exact_inputs_rebuild_themselves() -> None:
    class RootTwo:
        def fold(self, algebra):  # type: ignore[no-untyped-def]
            return algebra.sqrt(algebra.add(algebra.number(F(1)), algebra.number(F(1))))

    got = read(of_x(Arg("x")), {"x": Tensor((1,), [RootTwo()])}, Request("multiprec", digits=50))
    assert decimal_string(got["y"].entries[0], 50) == rounded(CONSTANTS["sqrt", "2"], 50)


def test_booleans_pass_unread() -> None:
    from symattn.program.ops import Allowed

    stages = (
        Stage("m", Input((KK,), boolean=True)),
        Stage("x", Input((KK,))),
        Stage("y", Contract((), (Use("x", (KK,)),), where=(Allowed(Use("m", (KK,))),))),
    )
    got = read(Program(stages), {"m": Tensor((2,), [True, False]), "x": vector([3, 5])}, Request("multiprec"))
    assert got["y"].entries[0] == 3


def test_nothing_of_flint_is_loaded() -> None:
    code = """
import sys
from fractions import Fraction as F
from symattn.interp.multiprec import read
from symattn.interp.systems import Request
from symattn.interp.tensor import Tensor
sys.path.insert(0, {here!r})
from attentions import attention, small_feeds, soft_cap
read(attention(), small_feeds(), Request("multiprec"))
assert "mpmath" in sys.modules
loaded = sorted(m for m in sys.modules if m.split(".")[0] in ("flint", "numpy", "sympy"))
print(loaded)
"""
    from pathlib import Path

    here = str(Path(__file__).parent)
    ran = subprocess.run([sys.executable, "-c", code.format(here=here)], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
    planted = code.replace("print(loaded)", "import flint; print([m for m in sys.modules if m == 'flint'])")
    ran = subprocess.run([sys.executable, "-c", planted.format(here=here)], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['flint']"


def test_soft_cap_beyond_the_exact_numbers() -> None:
    got = read(soft_cap(), {"x": vector([5])}, Request("multiprec", digits=40))
    assert decimal_string(got["t"].entries[0], 30) == rounded(CONSTANTS["tanh", "1"], 30)
