"""The second road: both sides of a statement at exact random points, by the interpreter that computes every reading.

Two stages are run, at two sets of small sizes, in residues (residues.py), which is exact and respects every identity; where a program
needs more than residues have (a logarithm, a cosine, a maximum), in intervals with proven ends at rational points (enclosures.py). A
difference is always shown at a rational point with proven values before it is called a counterexample.

Promises: what is called different is different at the printed point. Agreement is evidence, not proof. Nothing here uses the terms of the
zero test. Does not promise: a point; where none is found that both sides are defined at, `Undecided` says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from random import Random
from typing import Any

from symattn.errors import DomainError, MaskedRowError, UnsupportedError
from symattn.interp.run import Runner, Table
from symattn.interp.tensor import Tensor
from symattn.program import ops
from symattn.program.graph import value_uses
from symattn.program.program import Program, sizes_used
from symattn.program.scalar import Arg, Binary, Unary, walk
from symattn.proof import enclosures, residues
from symattn.proof.evidence import SAMPLED, Counterexample, Evidence, Sizes, StepRejected, Undecided
from symattn.proof.parts import cut

PATTERNS = ((2, 3), (3, 2))
_SMALLEST = ((1,), (2,), (1, 2), (2, 1), *PATTERNS)
_TRIES = 24
_ENTRIES = 30_000  # beyond these the sizes of a pattern are made smaller
_MIN_BITS = 64


def sample(
    program: Program,
    left: str,
    right: str,
    *,
    relation: str = "==",
    atoms: Collection[str] = (),
    seed: int = 0,
    parameters: Mapping[str, int] | None = None,
    patterns: Sequence[tuple[int, ...]] = PATTERNS,
    sizes: Sequence[Sizes] = (),
    positive: Collection[str] = (),
) -> Evidence:
    """Evidence that two stages agree (or are in order) at random points, stages in `atoms` taking any values: at `sizes`, or where none
    are given at sizes after `patterns`, which go to the size symbols in turn. Inputs in `positive` are above 0.

    Raises StepRejected with a counterexample, Undecided when no point was found at which both sides have a value."""
    part = cut(program, (left, right), atoms)
    rng = Random(seed)
    plans = list(sizes) or [some_sizes(part, pattern) for pattern in patterns]
    bound = {name: rng.randint(0, 2) for name in sorted(_parameters(part))} | dict(parameters or {})
    trial = _Trial(part, left, right, relation, rng, bound, positive)
    exact = relation == "==" and _within_residues(part)
    seen: list[Sizes] = []
    for plan in plans:
        verdict = trial.by_residues(dict(plan)) if exact else None
        if verdict is False:
            trial.search([plan] if sizes else [*_smaller(part), plan])
        if not verdict:
            verdict = trial.by_enclosures(dict(plan))
        if not verdict:
            raise Undecided("no point was found at which both sides have a value that could be compared")
        seen.append(plan)
    return Evidence(SAMPLED, tuple(seen), points=len(seen), bits=0 if exact else _MIN_BITS)


def compared_at(
    program: Program, left: str, right: str, feeds: Mapping[str, Tensor[Any]], sizes: Mapping[str, int]
) -> Counterexample | None:
    """The first entry at which two stages are proved to differ at this exact point, None when they agree to 64 bits. Raises
    Undecided where that cannot be told, and what the program raises there."""
    trial = _Trial(cut(program, (left, right), ()), left, right, "==", Random(0), {})
    found = trial.at({name: feeds[name] for name in feeds if name in trial.program.by_name}, sizes)
    if found is False or found is None:
        raise Undecided("the two sides could not be compared at the given point")
    return found if isinstance(found, Counterexample) else None


@dataclass
class _Trial:
    program: Program
    left: str
    right: str
    relation: str
    rng: Random
    parameters: Mapping[str, int]
    positive: Collection[str] = ()

    def by_residues(self, sizes: Mapping[str, int]) -> bool | None:
        """Do the sides agree modulo a prime? None when no point was found."""
        for k in range(_TRIES):
            feeds = self._feeds(sizes, k, lambda: (self.rng.randrange(residues.P), self.rng.randrange(residues.Q)))
            try:
                a, b = self._values(feeds, sizes, residues.TABLE)
            except (DomainError, MaskedRowError):
                continue
            except UnsupportedError:
                return None
            return [x[0] for x in a.entries] == [x[0] for x in b.entries]
        return None

    def by_enclosures(self, sizes: Mapping[str, int]) -> bool:
        """Do the sides agree at a point of positive numbers, and at one of any sign if they have a value there?"""
        good = 0
        for positive in (True, False):
            for k in range(_TRIES if positive else 4):
                found = self._point(sizes, k, positive)
                if isinstance(found, Counterexample):
                    raise self._rejected(found)
                if found is True:
                    good += 1
                    break
        return good > 0

    def search(self, plans: list[Sizes]) -> None:
        """Raises StepRejected when a rational point tells the sides apart."""
        for positive in (True, False):
            for sizes in plans:
                for k in range(3):
                    found = self._point(dict(sizes), k, positive)
                    if isinstance(found, Counterexample):
                        raise self._rejected(found)

    def _point(self, sizes: Mapping[str, int], k: int, positive: bool) -> Counterexample | bool | None:
        rng = self.rng
        small = 1 + k if k % 2 else 1  # every other point that had no value is followed by a smaller one

        def entry() -> Fraction:
            x = Fraction(rng.randint(1, 4), rng.choice((1, 2, 2, 3)) * small)
            return x if positive or rng.random() < 0.5 else -x

        return self.at(self._feeds(sizes, k, entry), sizes)

    def at(self, feeds: Mapping[str, Tensor[Any]], sizes: Mapping[str, int]) -> Counterexample | bool | None:
        """A counterexample, True for agreement, False where nothing is proved, None where a side has no value."""
        runner = Runner(self.program, feeds, enclosures.TABLE, sizes, self.parameters)
        try:
            a, b = runner.value(self.left), runner.value(self.right)
        except (DomainError, MaskedRowError, UnsupportedError):
            return None
        sure = True
        for flat, (x, y) in enumerate(zip(a.entries, b.entries, strict=True)):
            if self._wrong(x, y):
                if not self._divides(runner):
                    return None
                return self._counterexample(feeds, sizes, list(a.indices())[flat], x, y)
            sure = sure and (self.relation != "==" or enclosures.agreeing_bits(x, y) >= _MIN_BITS)
        return sure

    def _divides(self, runner: Runner) -> bool:
        """Is nothing 0 that is divided by somewhere? (The row sum of an empty row is, and no entry of the row ever reads it; a statement
        that supposes it not to be 0 is not refuted there.)"""
        zero = Fraction(0)
        return all(enclosures.differ(x, zero) for name in _divisors(self.program) for x in runner.value(name).entries)

    def _wrong(self, x: enclosures.Value, y: enclosures.Value) -> bool:
        a, b = enclosures.interval(x), enclosures.interval(y)
        match self.relation:
            case "==":
                return enclosures.differ(x, y)
            case "<=":
                return a[0] > b[1]
            case ">=":
                return a[1] < b[0]
            case "<":
                return a[0] > b[1] or x == y
            case _:
                return a[1] < b[0] or x == y

    def _values(self, feeds: Mapping[str, Tensor[Any]], sizes: Mapping[str, int], table: Table) -> tuple[Tensor[Any], Tensor[Any]]:
        runner = Runner(self.program, feeds, table, sizes, self.parameters)
        return runner.value(self.left), runner.value(self.right)

    def _feeds(self, sizes: Mapping[str, int], k: int, entry: Any) -> dict[str, Tensor[Any]]:
        feeds: dict[str, Tensor[Any]] = {}
        for stage in self.program.inputs:
            shape = tuple(a.space.extent(dict(sizes)) for a in stage.out)
            boolean = isinstance(stage.op, ops.Input) and stage.op.boolean
            make = (lambda: k > 6 or self.rng.random() < 0.7) if boolean else entry
            entries = [make() for _ in range(prod(shape))]
            if stage.name in self.positive:
                entries = [abs(x) if isinstance(x, Fraction) else x for x in entries]
            feeds[stage.name] = Tensor(shape, entries)
        return feeds

    def _counterexample(
        self, feeds: Mapping[str, Tensor[Any]], sizes: Mapping[str, int], index: tuple[int, ...], x: enclosures.Value, y: enclosures.Value
    ) -> Counterexample:
        inputs = []
        for name, tensor in feeds.items():
            for at in product(*(range(n) for n in tensor.shape)):
                place = f"[{','.join(map(str, at))}]" if at else ""
                inputs.append((f"{name}{place}", str(tensor.entries[tensor.flat(at)])))
        inputs += [(name, str(value)) for name, value in self.parameters.items()]
        return Counterexample(tuple(sizes.items()), tuple(inputs), index, enclosures.decimal(x), enclosures.decimal(y))

    def _rejected(self, found: Counterexample) -> StepRejected:
        return StepRejected(f'"{self.left} {self.relation} {self.right}" is false', counterexample=found)


def some_sizes(program: Program, pattern: tuple[int, ...]) -> Sizes:
    """Sizes for the symbols, in turn, at least so large that fixed positions are there; all smaller while the program would have too
    many entries."""
    least = _positions(program)
    symbols = sizes_used(program)
    fixed = {space.name for space in program.spaces() if not space.symbols()}
    symbols = tuple(s for s in symbols if s not in fixed or any(s in space.symbols() for space in program.spaces()))
    while True:
        sizes = {s: max(pattern[k % len(pattern)], least.get(s, 1)) for k, s in enumerate(symbols)}
        entries = sum(prod(a.space.extent(sizes) for a in stage.out) for stage in program.stages)
        if entries <= _ENTRIES or max(pattern) == 1:
            return tuple(sizes.items())
        pattern = tuple(max(1, p - 1) for p in pattern)


def _positions(program: Program) -> dict[str, int]:
    """For each size the least value at which every fixed position over it is there."""
    found: dict[str, int] = {}
    for stage in program.stages:
        for use in value_uses(stage.op):
            for index in use.indices:
                if isinstance(index, ops.At) and isinstance(index.space.size, str):
                    found[index.space.size] = max(found.get(index.space.size, 1), index.position + 1)
    return found


def larger_patterns(program: Program) -> list[tuple[int, ...]]:
    """Sizes at which a false statement may show that is true at the smallest ones: beyond the widths of windows."""
    widths = [abs(r.c) for r in _orders(program) if isinstance(r.c, int)]
    return [(4, 3, 2), (1, 4), (min(max(widths, default=1) + 2, 6), 2)]


def _orders(program: Program) -> Iterator[ops.AtMost]:
    for stage in program.stages:
        where = stage.op.where if isinstance(stage.op, ops.Map | ops.Contract | ops.Reduce) else ()
        yield from (r for r in where if isinstance(r, ops.AtMost))


def _smaller(program: Program) -> list[Sizes]:
    return list(dict.fromkeys(some_sizes(program, pattern) for pattern in _SMALLEST))


def _parameters(program: Program) -> Iterator[str]:
    return (r.c for r in _orders(program) if isinstance(r.c, str))


def _divisors(program: Program) -> Iterator[str]:
    """The stages that are divided by as they are."""
    for stage in program.stages:
        if isinstance(stage.op, ops.Map):
            uses = dict(stage.op.args)
            for node in walk(stage.op.scalar):
                if isinstance(node, Binary) and node.op == "div" and isinstance(node.b, Arg):
                    yield uses[node.b.name].stage


def _within_residues(program: Program) -> bool:
    """Has every operation a row in the table of residues?"""
    for stage in program.stages:
        if isinstance(stage.op, ops.Reduce):
            return False
        trees = [stage.op.scalar] if isinstance(stage.op, ops.Map) else [stage.op.coef] if isinstance(stage.op, ops.Contract) else []
        for tree in trees:
            if any(isinstance(n, Unary | Binary) and n.op in residues.TABLE.unsupported for n in walk(tree)):
                return False
    return True
