"""Every scalar function in every table, or the named reason for the hole."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from symattn.errors import InputError, UnsupportedError
from symattn.interp.run import Table, holes
from symattn.interp.systems import SYSTEMS, system
from symattn.program.scalar import BINARY, SCALAR_OPS, UNARY

MODULES = sorted({s.module for s in SYSTEMS.values()})
TABLES = [table for module in MODULES for table in next(s for s in SYSTEMS.values() if s.module == module).load().tables()]


def test_every_number_system_brings_tables():
    assert {"exact", "balls", "multiprec"} <= {t.name for t in TABLES}
    assert len(TABLES) >= len(MODULES)
    assert len({t.name for t in TABLES}) == len(TABLES)


def check_cell(table: Table, op: str) -> None:
    """A row that can be called with the right number of arguments, or a reason in words."""
    if op in table.scalar:
        assert op not in table.unsupported
        assert callable(table.scalar[op])
    else:
        assert len(table.unsupported[op].split()) >= 2, "a reason is more than a word"
        with pytest.raises(UnsupportedError, match=op):
            table.row(op)


@pytest.mark.parametrize("op", SCALAR_OPS)
@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
def test_every_cell_is_filled_or_explained(table: Table, op: str):
    check_cell(table, op)
    assert op not in holes(table)


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
def test_no_table_has_rows_beyond_the_vocabulary(table: Table):
    assert holes(table) == ()


@pytest.mark.parametrize("table", [t for t in TABLES if t.name in ("exact", "balls")], ids=lambda t: t.name)
def test_rows_can_be_called(table: Table):
    if table.name == "balls":
        from symattn.number.precision import flint_bits

        with flint_bits(64):
            _call_all(table)
    else:
        _call_all(table)


def _call_all(table: Table) -> None:
    for op in UNARY:
        x = table.number(Fraction(0 if op in ("cos", "sin", "erf") else 1))
        assert table.row(op)(x) is not None
    for op in BINARY:
        assert table.row(op)(table.number(Fraction(2)), table.number(Fraction(3))) is not None
    assert table.row("pow")(table.number(Fraction(4)), Fraction(3, 2)) is not None


def test_a_planted_hole_is_caught():
    whole = next(t for t in TABLES if t.name == "exact")
    holed = replace(whole, scalar={op: row for op, row in whole.scalar.items() if op != "tanh"})
    assert holes(holed) == ("tanh",)
    with pytest.raises(KeyError):
        check_cell(holed, "tanh")
    lazy = replace(holed, unsupported={"tanh": " "})
    assert holes(lazy) == ("tanh",)
    explained = replace(holed, unsupported={"tanh": "left out to test the test"})
    assert holes(explained) == ()
    check_cell(explained, "tanh")


def test_an_unknown_number_system_is_named_with_the_nearest():
    with pytest.raises(InputError, match=r'no number system \'float61\'; did you mean "float64"\?'):
        system("float61")
    with pytest.raises(InputError, match="known: exact, balls"):
        system("")
