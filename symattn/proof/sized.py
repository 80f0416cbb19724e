"""Equalities at stated sizes: entry by entry, an identity of polynomials over known denominators.

The interpreter runs the program on variables (polynomials.py); nothing of the terms and rules of the all-sizes test is used. It is the
independent road to the same statements, and the one for what is true at some sizes only.

Promises: what is found equal is equal at these sizes for all inputs at which the denominators do not vanish.
Does not promise: completeness inside opaque functions; cosines and comparisons are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from symattn.errors import DomainError, UnsupportedError
from symattn.interp.run import ContractSite, ReduceSite, Runner, Table, masked_row
from symattn.interp.tensor import Tensor
from symattn.program import ops
from symattn.program.program import Program
from symattn.proof.evidence import Undecided
from symattn.proof.parts import cut
from symattn.proof.polynomials import Field, Value


def equal_at(
    program: Program, left: str, right: str, sizes: Mapping[str, int], atoms: Sequence[str], terms: int, parameters: Mapping[str, int]
) -> bool:
    """Are the two stages equal at these sizes, entry by entry? False proves nothing. Raises Undecided beyond the budget."""
    part = cut(program, (left, right), atoms)
    field = Field(terms)
    feeds: dict[str, Tensor[Any]] = {}
    for stage in part.inputs:
        shape = tuple(a.space.extent(dict(sizes)) for a in stage.out)
        if isinstance(stage.op, ops.Input) and stage.op.boolean:
            raise Undecided(f'the boolean input "{stage.name}" has no values at stated sizes', next_move="prove it for all sizes")
        names = product(*(range(n) for n in shape))
        feeds[stage.name] = Tensor(shape, [field.variable((stage.name, at)) for at in names] if prod(shape) else [])
    runner = Runner(part, feeds, _table(field), sizes, parameters)
    try:
        a, b = runner.value(left), runner.value(right)
    except UnsupportedError as error:
        raise Undecided(f"at stated sizes: {error.message}") from error
    except DomainError as error:
        raise Undecided(f"at stated sizes a side has no value: {error.message}") from error
    return all(field.is_zero(field.total([x, field.scaled(y, -1)])) for x, y in zip(a.entries, b.entries, strict=True))


def _table(field: Field) -> Table:
    def power(x: Value, e: Fraction) -> Value:
        n, d = e.numerator, e.denominator
        if abs(n) > 64:
            raise Undecided(f"a power of {n}")
        if d > 1:
            x = field.root(x, d)
        if n < 0:
            x, n = field.inverse(x), -n
        out = field.number(Fraction(1))
        for _ in range(n):
            out = field.multiply(out, x)
        return out

    def tanh(x: Value) -> Value:
        e = field.exp(field.scaled(x, 2))
        one = field.number(Fraction(1))
        return field.multiply(field.total([e, field.scaled(one, -1)]), field.inverse(field.total([e, one])))

    def reduce(site: ReduceSite) -> Tensor[Any]:
        source = site.values[0]
        entries = []
        for visit in site.loops.visits():
            terms = [source.entries[p] for p in visit.uses[0] if p not in source.absent]
            if not terms:
                if site.empty is None:
                    raise masked_row(site.stage, visit.index)
                terms = [site.empty({a.name: k for a, k in zip(site.loops.out, visit.index, strict=True)})]
            entries.append(terms[0] if len(terms) == 1 else field.opaque("max", *sorted(terms, key=lambda v: v.key())))
        return Tensor(site.loops.shape, entries)

    def contract(site: ContractSite) -> Tensor[Any] | None:
        if len(site.values) != 2 or any(v.absent for v in site.values):
            return None
        (a, b), entries = site.values, []
        for visit in site.loops.visits():
            if site.must_visit and not visit.terms:
                raise masked_row(site.stage, visit.index)
            value = field.inner([(a.entries[i], b.entries[j]) for i, j in zip(*visit.uses, strict=True)]) if visit.terms else Value({})
            entries.append(value if site.coef is None else field.multiply(site.coef, value))
        return Tensor(site.loops.shape, entries)

    return Table(
        name="polynomials",
        number=field.number,
        scalar={
            "neg": lambda x: field.scaled(x, -1),
            "exp": field.exp,
            "log": lambda x: field.opaque("log", x),
            "sqrt": lambda x: power(x, Fraction(1, 2)),
            "tanh": tanh,
            "erf": lambda x: field.opaque("erf", x),
            "add": lambda a, b: field.total([a, b]),
            "sub": lambda a, b: field.total([a, field.scaled(b, -1)]),
            "mul": field.multiply,
            "div": lambda a, b: field.multiply(a, field.inverse(b)),
            "max2": lambda a, b: field.opaque("max", *sorted((a, b), key=lambda v: v.key())),
            "pow": power,
        },
        unsupported={"cos": "a cosine is no polynomial in exponentials of real numbers", "sin": "a sine is no polynomial"},
        total=field.total,
        contract=contract,
        reduce=reduce,
    )
