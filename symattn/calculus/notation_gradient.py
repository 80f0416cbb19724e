"""The formulas of a gradient: which stages count as named, so that each formula is one that people write.

Promises: the parts of a softmax (exponentials, row sums, the shift) and scores before their scaling stay inside, with their gradients;
every other stage with a name of its own is named. Does not promise: that this is the best choice for every program; `named` overrides it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from symattn.calculus.gradient import Gradient
from symattn.calculus.notation import Notation, Notations
from symattn.calculus.notation_facts import Facts, monomial
from symattn.program import ops
from symattn.program.program import Program
from symattn.program.scalar import Arg, Unary

LARGEST = ".argmax"  # ends the names of stages that are 1 at the largest entries (program/maxima.py)


def gradient_notation(
    gradient: Gradient,
    *,
    stages: Iterable[str] | None = None,
    named: Collection[str] | None = None,
    style: str = "matrix",
    letters: Mapping[str, str] | None = None,
    labels: Iterable[str] = (),
    check: bool = True,
) -> dict[str, Notation]:
    """Stage -> formula, in program order, for the named gradient stages (or for `stages`). Options are those of `notation`.

    Raises what `notation` raises."""
    program = gradient.program
    inner = parts(program)
    owners = _owners(gradient, inner | _row_sums(program))
    own = dict(letters or {})
    if named is None:
        unnamed = _unnamed_softmaxes(program)
        cotangents = set(gradient.cotangents.values())
        shown = {c for c, owner in owners.items() if "." not in owner or owner in unnamed} - _passed_on(gradient, owners)
        plain = {s.name for s in program.stages if "." not in s.name and s.name not in inner and s.name not in cotangents}
        chosen = {s.name: f"A_{s.name.removesuffix(LARGEST)}" for s in program.stages if s.name.endswith(LARGEST)}
        named = plain | shown | set(unnamed) | set(chosen) | set(gradient.names.values())
        own = {**unnamed, **chosen, **own}
    for scaled, scores in _scalings(program).items():
        if scores not in named:
            letter = own.get(scores) or program.by_name[scores].letter
            if letter:
                own.setdefault(scaled, letter)
    notations = Notations(program, named=named, letters=own, labels=labels, owners=owners, check=check)
    if stages is None:
        mine = set(gradient.cotangents.values()) | set(gradient.names.values())
        stages = [s.name for s in program.stages if s.name in mine and s.name in notations.named and not isinstance(s.op, ops.Input)]
        found = {name: notations.of(name, style) for name in stages}
        return {name: formula for name, formula in found.items() if formula.left != formula.right}
    return {name: notations.of(name, style) for name in stages}


def _unnamed_softmaxes(program: Program) -> dict[str, str]:
    """Weights and scores inside of an expression, with the letters P and S where those are free (P_1, S_1, … when there are several)."""
    inside = [fact for fact in Facts(program).softmaxes if "." in fact.weights]
    taken = {s.letter or s.name for s in program.stages}
    found: dict[str, str] = {}
    for k, fact in enumerate(inside, 1):
        for stage, letter in ((fact.weights, "P"), (fact.scores.stage, "S")):
            if "." in stage and letter not in taken:
                found[stage] = f"{letter}_{k}" if len(inside) > 1 else letter
    return found


def _owners(gradient: Gradient, inner: Collection[str]) -> dict[str, str]:
    """Gradient stage -> the stage people mean by it. Of several with one gradient: one with a letter, else scaled scores, else the last;
    never one that only leaves entries out."""
    scalings = _scalings(gradient.program)
    ranks: dict[str, tuple[int, int, str]] = {}
    for k, stage in enumerate(gradient.program.stages):
        cotangent = gradient.cotangents.get(stage.name)
        if cotangent is not None and stage.name not in inner:
            masks = isinstance(stage.op, ops.Map) and isinstance(stage.op.scalar, Arg)
            rank = 4 if stage.letter else 3 if stage.name in scalings else 0 if "." in stage.name else 1 if masks else 2
            ranks[cotangent] = max(ranks.get(cotangent, (0, -1, "")), (rank, k if rank < 4 else -k, stage.name))
    return {cotangent: name for cotangent, (_, _, name) in ranks.items()}


def _passed_on(gradient: Gradient, owners: Mapping[str, str]) -> set[str]:
    """Gradient stages that are another one times a number, of stages without a letter: they stay inside."""
    found = set()
    for cotangent, owner in owners.items():
        op = gradient.program.by_name[cotangent].op
        if gradient.program.by_name[owner].letter:
            continue
        shape = monomial(op.scalar) if isinstance(op, ops.Map) else None
        single = isinstance(op, ops.Contract) and len(op.uses) == 1 and len(op.uses[0].indices) == len(op.out)
        if single or (shape is not None and list(shape[2].values()) == [1]):
            found.add(cotangent)
    return found


def parts(program: Program) -> frozenset[str]:
    """The stages that stay inside the formulas of others."""
    found: set[str] = set(_scalings(program).values())
    for fact in Facts(program).softmaxes:
        found.update((fact.exponentials, *_shift(program, fact.scores.stage)))
        if isinstance(program.by_name[fact.sums].op, ops.Contract):
            found.add(fact.sums)
        else:
            found.update(_added(program, fact.sums))
    return frozenset(found)


def _row_sums(program: Program) -> frozenset[str]:
    """The stages that softmaxes divide by: their gradients stay inside even where they have a name of their own."""
    return frozenset(fact.sums for fact in Facts(program).softmaxes)


def _added(program: Program, sums: str) -> list[str]:
    """What row sums with a sink are made of: the sums over the keys, and the exponential of the sink."""
    op = program.by_name[sums].op
    inside = [use.stage for _, use in op.args] if isinstance(op, ops.Map) else []
    return [s for s in inside if isinstance(program.by_name[s].op, ops.Contract) or _is_exp(program, s)]


def _is_exp(program: Program, name: str) -> bool:
    op = program.by_name[name].op
    return isinstance(op, ops.Map) and len(op.args) == 1 and op.scalar == Unary("exp", Arg(op.args[0][0]))


def _shift(program: Program, scores: str) -> list[str]:
    """Scores from which their maximum was subtracted, and that maximum."""
    op = program.by_name[scores].op
    tops = [use.stage for _, use in op.args if isinstance(program.by_name[use.stage].op, ops.Reduce)] if isinstance(op, ops.Map) else []
    return [scores, *tops] if tops else []


def _scalings(program: Program) -> dict[str, str]:
    """Scaled scores -> the scores, a product of two stages that is read there and nowhere else."""
    readers: dict[str, int] = {}
    for stage in program.stages:
        for use in _uses(stage.op):
            readers[use.stage] = readers.get(use.stage, 0) + 1
    found: dict[str, str] = {}
    for stage in program.stages:
        shape = monomial(stage.op.scalar) if isinstance(stage.op, ops.Map) else None
        if shape is None or not isinstance(stage.op, ops.Map) or list(shape[2].values()) != [1]:
            continue
        inner = stage.op.args[0][1].stage
        op = program.by_name[inner].op
        if isinstance(op, ops.Contract) and len(op.uses) == 2 and readers[inner] == 1 and len(op.out) == len(stage.out):
            found[stage.name] = inner
    return found


def _uses(op: ops.Op) -> tuple[ops.Use, ...]:
    match op:
        case ops.Contract(_, uses):
            return uses
        case ops.Map(_, _, args):
            return tuple(use for _, use in args)
        case ops.Reduce(_, use):
            return (use,)
        case _:
            return ()
